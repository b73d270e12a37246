"""What a page is told of a game: what the person's seat may see, in words for a person."""

from typing import Any

from rummy_env.game import Game
from rummy_env.play.session import Session
from rummy_env.render.text import contract_text, seat_name
from rummy_env.viewer.steps import shown

LOG_SHOWN = 100
"""So many of the last lines of the log are sent."""
YOU = "you"


def session_view(session: Session) -> dict[str, Any]:
    """The game of a session, as plain JSON.

    Returns:
        ``rules``, their name; ``seat`` of the person; ``names`` of the seats; ``deal``, its number, the number ``of``
        deals (None where scores decide), its ``turn`` of at most ``turns`` and its ``contract`` in words (None
        without); ``task``, what the person is to do; ``shown``, the table as `rummy_env.viewer.steps.shown` gives it,
        without its words; ``moves`` in words; ``log``, its last lines; ``deals``, the finished ones as `DealSummary`
        has them; ``over``, ``winners`` (their seats, none before) and ``better``, which scores win: ``"low"`` or
        ``"high"``.
    """
    game = session.game
    over = game.over is not None
    return {
        "rules": game.rules.name,
        "seat": session.seat,
        "names": [_name(session, seat) for seat in range(game.num_players)],
        "deal": _deal(game),
        "task": _task(session),
        "shown": {key: value for key, value in shown(game, session.seat).items() if key not in ("deal", "turn")},
        "moves": [move.words for move in session.moves()],
        "log": [_to_person(session, line) for line in session.log[-LOG_SHOWN:]],
        "deals": [deal.to_dict() for deal in session.deals],
        "over": over,
        "winners": game.winners() if over else [],
        "better": "low" if game.rules.contracts else "high",
    }


def _name(session: Session, seat: int) -> str:
    return _to_person(session, session.name(seat))


def _to_person(session: Session, text: str) -> str:
    return text.replace(session.name(session.seat), YOU).replace(seat_name(session.seat), YOU)


def _deal(game: Game) -> dict[str, Any]:
    rules, contract = game.rules, None
    if rules.contracts is not None:
        whole = ", with the whole hand at once" if game.deal in rules.all_at_once_deals else ""
        contract = contract_text(*rules.contracts[game.deal - 1]) + whole
    return {
        # A finished game stays in its last deal.
        "number": game.deals_done + (game.over is None),
        "turn": game.to_dict()["turn"] + 1,
        "turns": game.table.max_turns,
        "of": None if rules.game_end == "target_score" else game.table.num_deals,
        "contract": contract,
    }


def _task(session: Session) -> str:
    """What the person is to do now, or who has won."""
    game = session.game
    if game.over is not None:
        return f"The game is over: {' and '.join(_name(session, seat) for seat in game.winners())} won."
    if game.phase == "draw":
        return "Your turn: draw a card."
    position = game.to_dict()
    laying, taken = position["laying"], position["taken"]
    if laying:
        lacks = f"the contract still lacks {contract_text(**laying)}" if any(laying.values()) else "no card may be left"
        return f"Go on laying: {lacks}."
    if position["obliged"]:
        return f"You took {position['obliged']} from within the pile: lay it now."
    ban = f" You took {taken} from the top of the pile, so it cannot be your discard." if taken else ""
    return f"Lay cards if you can, or end your turn with a discard.{ban}"
