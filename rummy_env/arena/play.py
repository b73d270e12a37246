"""Playing a part of a match: all seatings of all pairs over some units, as one batch of games."""

from hashlib import sha256
from typing import Any

import numpy as np

from rummy_env.actions import ActionLayout
from rummy_env.arena.behaviour import Behaviour
from rummy_env.arena.chunk import ALONE_WON, DEALS, DECIDED, GAMES, GAMES_WON, NUM_OUTCOMES, POINTS, WON, Chunk
from rummy_env.arena.match import Match
from rummy_env.arena.players import Tables, make_player
from rummy_env.arena.schedule import lone_seats, unit_seed
from rummy_env.engine.batch import apply_batch, legal_batch
from rummy_env.engine.compile import compile_rules
from rummy_env.engine.jit import announce_compilation
from rummy_env.engine.play import start_deal, start_game
from rummy_env.engine.state import NONE, NUM_BLOCKS, OVER_BLOCKED, OVER_NO, new_games
from rummy_env.errors import IllegalActionError
from rummy_env.game import Game
from rummy_env.position import position_to_dict


def play_chunk(match: Match, first: int, end: int) -> Chunk:
    """Play the units `first` … `end` - 1 of a match; the result doesn't depend on how a match is cut into chunks."""
    batch = Batch(match, first, end)
    batch.play()
    shape = (end - first, len(match.pairs), len(match.seatings), NUM_OUTCOMES)
    # Rounded, so that the deals of two seatings which cancel out are a tie, not the dust of thirds of points.
    outcomes = batch.outcomes().reshape(shape).sum(axis=2).round(6)
    seconds = np.zeros(len(match.agents))
    np.add.at(seconds, batch.lineups, batch.seconds)
    return Chunk(
        first=first,
        end=end,
        outcomes=outcomes,
        behaviour=batch.behaviour.totals(batch.lineups, len(match.agents)),
        seconds=seconds,
        deals=batch.fingerprints,
        forfeits=batch.forfeits,
    )


class Batch:
    """The games of some units at once: unit by unit, in each pair by pair, in each seating by seating.

    Attributes:
        lineups: Number of the agent in each seat of each game, int64, shape ``(count, seats)``.
        sides: Side of the pair (0 or 1) in each seat, int8, likewise.
        seconds: Seconds that each seat thought, float64, likewise.
        fingerprints: Digest of the cards and the dealer of the first deal of each unit.
    """

    def __init__(self, match: Match, first: int, end: int) -> None:
        announce_compilation()
        self._match = match
        self._players = [
            make_player(agent, label, match.rules, match.seats)
            for agent, label in zip(match.agents, match.labels, strict=True)
        ]
        units, pairs, seatings, seats = end - first, match.pairs, match.seatings, match.seats
        per_unit = len(pairs) * len(seatings)
        count = units * per_unit
        self._units = np.repeat(np.arange(first, end), per_unit)
        self.sides = np.tile(seatings, (units * len(pairs), 1))
        pair_of = np.tile(np.repeat(np.array(pairs), len(seatings), axis=0), (units, 1))
        self.lineups = np.take_along_axis(pair_of, self.sides.astype(np.int64), axis=1)
        self._pairs = pair_of

        self._rules = compile_rules(match.rules, seats)
        self._games = new_games(count)
        self._words = np.zeros((count, NUM_BLOCKS), np.int64)
        self._masks = np.zeros((count, ActionLayout.for_rules(match.rules, seats).num_actions), np.int8)
        self._tables = Tables(match.rules, self._rules, self._games, self._words, self._masks)
        self._actions = np.zeros(count, np.int32)
        self._rewards = np.zeros((count, seats))
        self._points = np.zeros((count, seats))
        self._won = np.zeros((count, seats))
        self._deals = np.zeros(count, np.int64)
        self._decided = np.zeros(count, np.int64)
        self.seconds = np.zeros((count, seats))
        self.behaviour = Behaviour(self._rules, count)
        self._forfeits: dict[int, dict[str, Any]] = {}
        self._deal()
        self.fingerprints = [self._fingerprint(row) for row in range(0, count, per_unit)]

    def _deal(self) -> None:
        single, contracts = self._match.deals is not None, len(self._match.rules.played_contracts)
        seeds = {int(unit): unit_seed(self._match.seed, int(unit)) for unit in np.unique(self._units)}
        for row, unit in enumerate(self._units.tolist()):
            start_game(self._rules, self._games, row, seeds[unit])
            if single and contracts > 1:
                self._games["deal"][row] = unit % contracts
                start_deal(self._rules, self._games, row)

    def _fingerprint(self, row: int) -> str:
        game = self._games[row]
        parts = (game.dealer, game.contract, game.hands, game.pile[:1], game.stock[: int(game.stock_size)])
        return sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()[:16]

    def play(self) -> None:
        """Play every game to its end."""
        rules, games = self._rules, self._games
        while True:
            legal_batch(rules, games, self._words, self._masks)
            rows = np.flatnonzero(games["over"] == OVER_NO)
            if not len(rows):
                return
            movers = self.lineups[rows, games["player"][rows]]
            for agent in np.unique(movers).tolist():
                self._decide(agent, rows[movers == agent])
            rows = rows[games["over"][rows] == OVER_NO]
            self.behaviour.note_actions(games, rows, self._actions[rows])
            done = games["deals_done"].copy()
            apply_batch(rules, games, self._words, self._actions, self._rewards)
            self._end_deals(np.flatnonzero(games["deals_done"] > done))

    def _decide(self, agent: int, rows: np.ndarray) -> None:
        """Ask an agent for its actions in the games of `rows`; the games in which it fails are over."""
        seats = self._games["player"][rows].astype(np.int64)
        answers = self._players[agent].ask(self._tables, rows, seats)
        self._actions[rows] = answers.actions
        self.seconds[rows, seats] += answers.seconds
        limit = self._match.time_limit
        late = np.zeros(len(rows), bool) if limit is None else self.seconds[rows, seats] > limit
        known = (answers.actions >= 0) & (answers.actions < self._masks.shape[1])
        legal = known & (self._masks[rows, np.where(known, answers.actions, 0)] == 1)
        failed = late | ~legal
        failed[list(answers.failures)] = True
        for k in np.flatnonzero(failed).tolist():
            row, seat, action = int(rows[k]), int(seats[k]), int(answers.actions[k])
            if k in answers.failures:
                self._forfeit(row, seat, None, f"raised {answers.failures[k]}")
            elif late[k]:
                self._forfeit(row, seat, action, f"thought {self.seconds[row, seat]:.3g} s, allowed are {limit:g} s")
            else:
                self._forfeit(row, seat, action, self._why_illegal(row, action))

    def _why_illegal(self, row: int, action: int) -> str:
        table = self._match.rules.table(self._match.seats)
        try:
            Game.from_dict(position_to_dict(self._match.rules, table, self._games[row])).apply(action)
        except IllegalActionError as error:
            return f"illegal: {error}"
        raise AssertionError(f"action {action} is legal after all")

    def _forfeit(self, row: int, seat: int, action: int | None, reason: str) -> None:
        game, match = self._games[row], self._match
        share = 1 / (match.seats - 1)
        self._points[row] += 100 * share
        self._points[row, seat] -= 100 * (1 + share)
        self._won[row] += share
        self._won[row, seat] -= share
        self._deals[row] += 1
        self._decided[row] += 1
        game.over = OVER_BLOCKED  # whatever the reason: the engine leaves the game alone from now on
        self._forfeits[row] = {
            "agent": match.labels[self.lineups[row, seat]],
            "opponent": match.labels[self._pairs[row, 1 - self.sides[row, seat]]],
            "unit": int(self._units[row]),
            "seed": int(game.seed),
            "contract": int(game.contract) + 1 if match.rules.contracts else None,
            "deal": int(game.deals_done) + 1,
            "seating": [match.labels[agent] for agent in self.lineups[row]],
            "seat": seat,
            "action": action,
            "reason": reason,
        }

    @property
    def forfeits(self) -> list[dict[str, Any]]:
        """As in `Chunk`."""
        return [self._forfeits[row] for row in sorted(self._forfeits)]

    def _end_deals(self, rows: np.ndarray) -> None:
        if not len(rows):
            return
        out = self._games["last_out"][rows]
        self._points[rows] += 100 * self._rewards[rows]
        self._deals[rows] += 1
        self._decided[rows] += out != NONE
        self._won[rows] += out[:, None] == np.arange(self._match.seats)
        self.behaviour.note_deals(self._games, rows)

    def outcomes(self) -> np.ndarray:
        """What each game came to for the first of its pair: float64, shape ``(count, NUM_OUTCOMES)``."""
        count, first = len(self._games), self.sides == 0
        lone, lone_sides = (
            np.tile(each, count // len(self._match.seatings)) for each in lone_seats(self._match.seatings)
        )
        outcomes = np.empty((count, NUM_OUTCOMES))
        outcomes[:, POINTS] = self._points[np.arange(count), lone] * np.where(lone_sides == 0, 1, -1)
        outcomes[:, DEALS] = self._deals
        outcomes[:, WON] = (self._won * first).sum(axis=1)
        outcomes[:, DECIDED] = self._decided
        outcomes[:, GAMES_WON] = (self._game_shares() * first).sum(axis=1)
        outcomes[:, ALONE_WON] = outcomes[:, GAMES_WON] * (lone_sides == 0)
        outcomes[:, GAMES] = 1
        return outcomes

    def _game_shares(self) -> np.ndarray:
        """Share of each seat in winning its game: the winners', or of a forfeited game that of all others."""
        seats = self._match.seats
        scores = self._games["scores"][:, :seats] * (-1 if self._match.rules.contracts else 1)
        winners = scores == scores.max(axis=1, keepdims=True)
        for row, forfeit in self._forfeits.items():
            winners[row] = np.arange(seats) != forfeit["seat"]
        return winners / winners.sum(axis=1, keepdims=True)
