"""Why an action is not legal, in words a player understands."""

from collections.abc import Mapping
from typing import Any

from rummy_env.actions import Action, run_faces, set_faces
from rummy_env.rules import RuleSet


def why_illegal(action: Action, position: Mapping[str, Any], rules: RuleSet) -> str:
    """Reason for an illegal action of the player to move in a position (see `Game.to_dict`)."""
    if action.kind in ("draw_stock", "take_top", "take"):
        return _draw_reason(action, position, rules)
    if position["phase"] == "draw":
        return "the turn begins with a draw"
    return (
        _pending_reason(action, position)
        or _card_reason(action, position, rules)
        or _table_reason(action, position, rules)
    )


def _draw_reason(action: Action, position: Mapping[str, Any], rules: RuleSet) -> str:
    if position["phase"] == "play":
        return "a card has been drawn already this turn"
    pile = position["discard"].split()
    if action.kind == "draw_stock":
        if len(pile) < 2:
            return "the stock is empty and the discard pile has nothing to recycle"
        return f"the stock is empty and has been recycled {rules.max_recycles} times, as often as the rules allow"
    if action.kind == "take_top":
        return "no card of the hand could be discarded after it, and not all could be placed"
    if action.face not in pile[:-1]:
        return f"no {action.face} lies below the top of the discard pile"
    if _has_to_lay(position, rules):
        return f"{action.face} must go into the contract at once, and with it the contract cannot be laid"
    return f"{action.face} must be placed at once, and no meld on the table takes it so that the turn can be finished"


def _pending_reason(action: Action, position: Mapping[str, Any]) -> str | None:
    declared, obliged = position["declared"], position["obliged"]
    if position["freed_joker"] and not declared and action.kind != "declare":
        return "the joker freed by the exchange must be declared and placed first"
    if declared and action.kind in ("swap", "discard"):
        return f"the declared {' '.join(declared)} must be placed first"
    if obliged is not None and action.kind == "discard":
        return f"{obliged} from the discard pile must be placed first"
    if position["laying"] is not None and action.kind == "discard":
        return "the contract must be completed first"
    return None


def _card_reason(action: Action, position: Mapping[str, Any], rules: RuleSet) -> str | None:
    hand = position["hands"][position["player"]].split()
    declared = [text[3:5] for text in position["declared"]]
    if action.kind == "declare":
        if "JK" not in hand and not position["freed_joker"]:
            return "there is no joker in the hand"
        return None
    if action.kind in ("meld_run", "meld_set"):
        wanted = run_faces(action.face or "") if action.kind == "meld_run" else set_faces(action.face or "")
        if action.kind == "meld_run" and action.face and action.face[0] == "K":
            return "no run goes round the corner"
        missing = [face for face in wanted if face not in hand and face not in declared]
        if missing:
            return f"{' '.join(missing)} is not in the hand (a joker has to be declared first)"
        return None
    if action.face not in hand and action.face not in declared:
        return f"{action.face} is not in the hand"
    if action.kind == "discard":
        if action.face == position["taken"]:
            return f"{action.face} was taken from the discard pile this turn"
        if action.face == "JK" and rules.joker_discard != "yes":
            return f"the rules allow the discard of a joker: {rules.joker_discard.replace('_', ' ')}"
        if len(hand) == 1:
            return "the last card may not be discarded"
        return "the whole hand has to go down in this deal"
    return None


def _table_reason(action: Action, position: Mapping[str, Any], rules: RuleSet) -> str:
    if action.kind == "swap":
        if position["down"][position["player"]] != "earlier":
            return "jokers are exchanged only by a player who laid the contract in an earlier turn"
        return f"no joker that may be exchanged stands for {action.face} in a run, or it could not be placed again"
    if _has_to_lay(position, rules):
        if action.kind.startswith("layoff"):
            return "the contract must be laid first"
        return "the contract cannot be completed with it"
    if action.kind == "declare":
        return f"no placement with a joker as {action.face} would let the turn be finished"
    if action.kind.startswith("layoff"):
        place = {"layoff_low": "below a run", "layoff_high": "above a run", "layoff_set": "on a set"}[action.kind]
        return f"{action.face} cannot be put {place} now, or the turn could not be finished after it"
    if rules.contracts and rules.extra_melds == "none":
        return "the rules allow no melds beyond the contract"
    return "no further meld is allowed now, or the turn could not be finished after it"


def _has_to_lay(position: Mapping[str, Any], rules: RuleSet) -> bool:
    return (
        bool(rules.contracts)
        and position["down"][position["player"]] == "no"
        and position["laying"]
        != {
            "sets": 0,
            "runs": 0,
        }
    )
