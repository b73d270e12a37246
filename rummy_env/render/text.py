"""The table as text: one picture that a person can follow a game by."""

import re
from collections.abc import Mapping
from typing import Any

from rummy_env.game import DealSummary, Game

PILE_SHOWN = 12
"""So many cards of the discard pile are shown, from the top down into it."""

DOWN_TEXT = {"no": "not down", "earlier": "down", "this_turn": "down this turn"}
"""How `Game.to_dict` names whether a seat has laid its contract → the same in words."""

_ENDED = {"out": "went out", "blocked": "nobody can draw", "capped": "turn limit reached"}
_RED, _MAGENTA, _BOLD, _PLAIN = "\033[31m", "\033[35m", "\033[1m", "\033[0m"
_JOKER = re.compile(r"\bJK\b(\(\w\w\))?")
_RED_CARD = re.compile(r"(?<!\()\b[A2-9TJQK][DH]\b")


def render_text(game: Game, viewer: int | None = None, colour: bool = False) -> str:
    """The table as text.

    Args:
        game: The game to show.
        viewer: Seat whose hand is shown, the others only as numbers of cards; None shows all hands.
        colour: Whether to set red suits, jokers and the acting seat apart with ANSI colours.

    Returns:
        Several lines, the last without a line break: the deal and what it asks for, the turn, stock and discard pile,
        a line for each seat, and the melds by owner.

    Raises:
        IndexError: `viewer` is no seat.
    """
    check_viewer(game, viewer)
    position = game.to_dict()
    lines = [deal_line(game, position), turn_line(game, position), _cards_line(position), ""]
    lines += _seat_lines(game, position, viewer)
    lines += ["", *_meld_lines(position)]
    return "\n".join(_coloured(line) if colour else line for line in lines)


def contract_text(sets: int, runs: int) -> str:
    """A contract in words: ``"2 sets + 1 run"``."""
    parts = [f"{number} {kind}{'s' * (number > 1)}" for number, kind in ((sets, "set"), (runs, "run")) if number]
    return " + ".join(parts) or "nothing"


def check_viewer(game: Game, viewer: int | None) -> None:
    """Refuse a viewer that is neither None nor a seat, by an `IndexError`."""
    if viewer is not None and not 0 <= viewer < game.num_players:
        raise IndexError(f"viewer {viewer} is not at the table: expected 0 … {game.num_players - 1}")


def deal_line(game: Game, position: Mapping[str, Any]) -> str:
    """Rules, deal and contract of a game, whose position is `position`."""
    parts = [game.rules.name, f"deal {position['deal']}"]
    if game.rules.contracts is not None:
        asked = contract_text(*game.rules.contracts[position["deal"] - 1])
        whole = ", the whole hand at once" if position["deal"] in game.rules.all_at_once_deals else ""
        parts.append(f"contract {asked}{whole}")
    return " · ".join(parts)


def turn_line(game: Game, position: Mapping[str, Any]) -> str:
    """Whose turn it is and what it has to heed, or who has won."""
    if position["over"]:
        winners = " and ".join(seat_name(seat) for seat in game.winners())
        return f"game over ({_ENDED[position['over']]}): {winners} won"
    parts = [f"turn {position['turn'] + 1}", f"{seat_name(position['player'])} to {position['phase']}"]
    if position["laying"]:
        parts.append(f"still to lay: {contract_text(**position['laying'])}")
    if position["obliged"]:
        parts.append(f"must place {position['obliged']}")
    if position["taken"]:
        parts.append(f"may not discard {position['taken']}")
    if position["declared"]:
        parts.append(f"must place {' '.join(position['declared'])}")
    elif position["freed_joker"]:
        parts.append("must declare the freed joker")
    return " · ".join(parts)


def deal_text(summary: DealSummary) -> str:
    """How a deal ended, in one line."""
    how = {
        "out": f"{seat_name(summary.out or 0)} went out{' with a rummy' if summary.rummy else ''}",
        "blocked": "nobody could draw",
        "capped": "the turn limit was reached",
    }[summary.reason]
    hands, points = (" ".join(map(str, values)) for values in (summary.hand_points, summary.points))
    return f"deal {summary.deal} ended after {summary.turns} turns: {how}; left in hands {hands}; points {points}"


def _cards_line(position: Mapping[str, Any]) -> str:
    pile = position["discard"].split()
    shown = " ".join(pile[-PILE_SHOWN:]) or "empty"
    below = "… " if len(pile) > PILE_SHOWN else ""
    return f"stock {len(position['stock'].split())} · pile {len(pile)}: {below}{shown}"


def _seat_lines(game: Game, position: Mapping[str, Any], viewer: int | None) -> list[str]:
    rows = []
    for seat, hand in enumerate(position["hands"]):
        mark = ">" if seat == position["player"] and not position["over"] else " "
        row = [f"{mark} {seat_name(seat)}", f"score {position['scores'][seat]}"]
        if game.rules.contracts is not None:
            row.append(DOWN_TEXT[position["down"][seat]] if hand else "out")
        size = len(hand.split())
        visible = f": {hand}" if viewer in (None, seat) and hand else ""
        rows.append([*row, f"{size} card{'s' * (size != 1)}{visible}"])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    return ["   ".join([*map(str.ljust, row, widths), row[-1]]) for row in rows]


def _meld_lines(position: Mapping[str, Any]) -> list[str]:
    by_owner: dict[int, list[str]] = {}
    for meld in position["melds"]:
        by_owner.setdefault(meld["owner"], []).append(meld["cards"])
    if not by_owner:
        return ["no melds"]
    return [f"melds of {seat_name(owner)}: {' | '.join(melds)}" for owner, melds in sorted(by_owner.items())]


def seat_name(seat: int) -> str:
    """Name of a seat, the one of its agent in PettingZoo."""
    return f"player_{seat}"


def _coloured(line: str) -> str:
    line = _RED_CARD.sub(lambda card: f"{_RED}{card[0]}{_PLAIN}", line)
    line = _JOKER.sub(lambda joker: f"{_MAGENTA}{joker[0]}{_PLAIN}", line)
    return line.replace(">", f"{_BOLD}>{_PLAIN}", 1) if line.startswith(">") else line
