"""How agents play: counted move by move, summed up as figures for each agent."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rummy_env.engine.play import block_of
from rummy_env.engine.state import (
    BLOCK_DRAW_STOCK,
    BLOCK_MELD_RUN,
    BLOCK_MELD_SET,
    BLOCK_SWAP,
    BLOCK_TAKE,
    BLOCK_TAKE_TOP,
    OVER_BLOCKED,
    OVER_CAPPED,
    OVER_OUT,
)

(DECISIONS, STOCK, TOP, DEEP, SWAPS, MELDED, MELD_TURNS, DEALS, OUT, BEATEN, CAUGHT, BLOCKED, CAPPED, TURNS) = range(14)
NUM_COUNTS = 14
"""Decisions · draws from the stock, of the top card, from deeper · exchanges of jokers · deals with a meld, and the
sum of the turns in which it was laid · finished deals · deals in which the agent went out, in which another did, and
the points it was caught with then · deals that were blocked, and capped · finished turns of all players."""

_COUNT_OF_BLOCK = {BLOCK_DRAW_STOCK: STOCK, BLOCK_TAKE_TOP: TOP, BLOCK_TAKE: DEEP, BLOCK_SWAP: SWAPS}
_NO_COUNT = NUM_COUNTS


class Behaviour:
    """Counts what the seats of a batch of games do.

    Args:
        rules: `RULES` of the table.
        count: Games.
    """

    def __init__(self, rules: np.ndarray, count: int) -> None:
        self._seats = int(rules["num_players"][0])
        blocks = [block_of(rules, action) for action in range(int(rules["num_actions"][0]))]
        self._kinds = np.array([_COUNT_OF_BLOCK.get(block, _NO_COUNT) for block in blocks])
        self._melds = np.isin(blocks, (BLOCK_MELD_RUN, BLOCK_MELD_SET))
        self._counts = np.zeros((count, self._seats, NUM_COUNTS + 1), np.int64)
        self._first_meld = np.zeros((count, self._seats), np.int64)

    def note_actions(self, games: np.ndarray, rows: np.ndarray, actions: np.ndarray) -> None:
        """Take in the actions that are about to be applied in the games of `rows`."""
        players = games["player"][rows]
        self._counts[rows, players, DECISIONS] += 1
        self._counts[rows, players, self._kinds[actions]] += 1
        first = self._melds[actions] & (self._first_meld[rows, players] == 0)
        rows, players = rows[first], players[first]
        self._first_meld[rows, players] = games["turn"][rows] // self._seats + 1

    def note_deals(self, games: np.ndarray, rows: np.ndarray) -> None:
        """Take in the deals that have just ended in the games of `rows`."""
        counts, seats = self._counts, self._seats
        melds, reason = self._first_meld[rows], games["last_reason"][rows, None]
        out = games["last_out"][rows, None] == np.arange(seats)
        beaten = (reason == OVER_OUT) & ~out
        counts[rows, :, MELDED] += melds > 0
        counts[rows, :, MELD_TURNS] += melds
        counts[rows, :, DEALS] += 1
        counts[rows, :, OUT] += out
        counts[rows, :, BEATEN] += beaten
        counts[rows, :, CAUGHT] += beaten * games["last_hand_points"][rows, :seats]
        counts[rows, :, BLOCKED] += reason == OVER_BLOCKED
        counts[rows, :, CAPPED] += reason == OVER_CAPPED
        counts[rows, :, TURNS] += games["last_turns"][rows, None]
        self._first_meld[rows] = 0

    def totals(self, lineups: np.ndarray, num_agents: int) -> np.ndarray:
        """Counts of each agent: int64, shape ``(num_agents, NUM_COUNTS)``.

        Args:
            lineups: Number of the agent in each seat of each game, shape ``(count, seats)``.
            num_agents: Number of agents.
        """
        totals = np.zeros((num_agents, NUM_COUNTS), np.int64)
        np.add.at(totals, lineups, self._counts[:, :, :NUM_COUNTS])
        return totals


def figures(counts: np.ndarray) -> dict[str, Any]:
    """The counts of one agent as plain JSON; None where there was nothing to take the mean of.

    Returns:
        ``first_meld_turn`` (own turn of the first meld, with contracts that of going down, from 1, in the deals where
        it came to it), ``melds`` (share of those deals), ``take_up_rate`` (share of draws that took the top card),
        ``deep_pickups`` and ``exchanges`` for each deal, ``caught_with`` (points in hand when another went out),
        ``deal_length`` (turns of all players), and ``ends``: the share of deals that ended as ``"out"``, ``"beaten"``
        (another went out), ``"blocked"`` and ``"capped"``. Deals that were forfeited count for nothing here.
    """

    def mean(total: int, of: int) -> float | None:
        return int(counts[total]) / int(counts[of]) if counts[of] else None

    draws = int(counts[[STOCK, TOP, DEEP]].sum())
    ends = {"out": OUT, "beaten": BEATEN, "blocked": BLOCKED, "capped": CAPPED}
    return {
        "deals": int(counts[DEALS]),
        "first_meld_turn": mean(MELD_TURNS, MELDED),
        "melds": mean(MELDED, DEALS),
        "take_up_rate": int(counts[TOP]) / draws if draws else None,
        "deep_pickups": mean(DEEP, DEALS),
        "exchanges": mean(SWAPS, DEALS),
        "caught_with": mean(CAUGHT, BEATEN),
        "deal_length": mean(TURNS, DEALS),
        "ends": {name: mean(count, DEALS) for name, count in ends.items()},
    }


def behaviour_rows(shown: Sequence[dict[str, Any]], contracts: bool) -> list[tuple[str, list[str]]]:
    """The figures of some players as rows of a table: what a row shows, and its text for each of them.

    Args:
        shown: What `figures` says of each.
        contracts: Whether their game has contracts.
    """
    rows = {
        "first_meld_turn": ("turn of going down" if contracts else "turn of the first meld", "{:.2f}"),
        "melds": ("… in so many deals", "{:.1%}"),
        "take_up_rate": ("draws that took the top card", "{:.1%}"),
        "deep_pickups": ("deep pick-ups a deal", "{:.3f}"),
        "exchanges": ("exchanges a deal", "{:.3f}"),
        "caught_with": ("points caught with", "{:.1f}"),
        "deal_length": ("turns a deal, all players", "{:.1f}"),
    }
    ends = {"out": "went out", "beaten": "another went out", "blocked": "blocked", "capped": "turn limit"}
    return [
        *((text, [figure_text(figure[name], form) for figure in shown]) for name, (text, form) in rows.items()),
        *(
            (f"ended: {text}", [figure_text(one["ends"][name], "{:.1%}") for one in shown])
            for name, text in ends.items()
        ),
    ]


def figure_text(value: float | None, form: str) -> str:
    """A figure in the given form, a dash for None."""
    return "–" if value is None else form.format(value)
