"""What the page of a game is told: the table at the start, and for each action what it changed."""

from collections.abc import Mapping
from typing import Any

from rummy_env.game import Game
from rummy_env.record import Record, replay
from rummy_env.render.text import DOWN_TEXT, check_viewer, deal_line, deal_text, seat_name, turn_line

UNKNOWN = "??"
"""A card that the viewer cannot see."""

Shown = dict[str, Any]


def page_data(record: Record, seat: int | None = None) -> dict[str, Any]:
    """All that the page shows, as plain JSON.

    Args:
        record: The game.
        seat: The only seat whose cards, legal moves and notes are told; None for all.

    Returns:
        ``title``; ``seats``, their names; ``seat``; ``actions``, the words of each action id; ``start``, the table as
        `shown` gives it; ``steps``, for each action who took it (``player``), its ``action``, its ``words``, the
        ``legal`` ids before it and the ``note`` on it (both null where not told) and its ``changes``, as `changes`
        gives them; ``deals``, for each finished deal the number of ``steps`` up to its end, its ``text`` and the
        ``scores`` after it; ``better``, which scores win: ``"low"`` or ``"high"``.

    Raises:
        RecordError: The record does not replay.
        IndexError: `seat` is no seat of the game.
    """
    replay(record)
    game = record.start_game()
    check_viewer(game, seat)
    begin = before = shown(game, seat)
    steps, deals = [], []
    for number, action in enumerate(record.actions):
        player, words, legal = game.player, game.describe(action), game.legal_actions()
        note = record.notes[number] if record.notes else None
        summary = game.apply(action)
        after = shown(game, seat)
        told = seat in (None, player)
        steps.append(
            {
                "player": player,
                "action": action,
                "words": words,
                "legal": legal if told else None,
                "note": dict(note) if told and note is not None else None,
                "changes": changes(before, after),
            }
        )
        before = after
        if summary is not None:
            deals.append({"steps": number + 1, "text": deal_text(summary), "scores": game.scores})
    return {
        "title": f"{game.rules.name}, {game.num_players} players",
        "seats": [seat_name(other) for other in range(game.num_players)],
        "seat": seat,
        "actions": [game.layout.text(action) for action in range(game.layout.num_actions)],
        "start": begin,
        "steps": steps,
        "deals": deals,
        "better": "low" if game.rules.contracts else "high",
    }


def shown(game: Game, seat: int | None = None) -> Shown:
    """The table of a game, cards as text with `UNKNOWN` in place of those that `seat` cannot see."""
    position = game.to_dict()

    def hidden(cards: str) -> str:
        return " ".join([UNKNOWN] * len(cards.split()))

    def hand(other: int) -> str:
        cards: str = position["hands"][other]
        return cards if seat in (None, other) else hidden(cards)

    return {
        "deal": deal_line(game, position),
        "turn": turn_line(game, position),
        "player": None if position["over"] else position["player"],
        "stock": position["stock"] if seat is None else hidden(position["stock"]),
        "discard": position["discard"],
        "hands": [hand(other) for other in range(game.num_players)],
        "melds": [[meld["owner"], meld["cards"]] for meld in position["melds"]],
        "down": [DOWN_TEXT[down] if game.rules.contracts else "" for down in position["down"]],
        "scores": position["scores"],
    }


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What is to be put in place of what is there; the page undoes none of it, it keeps every table.

    Returns:
        For texts the number of characters to keep and what follows them; for lists of the same length, or longer, a
        mapping from places to entries; all other values as they are.
    """
    return {key: _change(before[key], value) for key, value in after.items() if before[key] != value}


def _change(before: Any, after: Any) -> Any:
    if isinstance(before, str) and isinstance(after, str):
        different = (place for place, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
        keep = next(different, min(len(before), len(after)))
        return [keep, after[keep:]]
    if isinstance(after, list) and len(after) >= len(before):
        new = [None] * (len(after) - len(before))
        return {
            place: entry for place, (old, entry) in enumerate(zip([*before, *new], after, strict=True)) if old != entry
        }
    return after
