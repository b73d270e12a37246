"""A slow and obvious legality checker, written from the rules alone, to hold the engine against.

Nothing here comes from `rummy_env`. Cards are two-letter strings, a turn is a plain tuple, and an action is legal iff
the rules allow it on the spot (`TurnSearch.moves`) and some sequence of further actions ends the turn
(`TurnSearch.can_finish`). Only lost causes (`tests.lost_causes`) are cut short.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.lost_causes import Asked, BaseMelds, Cover
from tests.plain_table import JOKER, Action, Card, Meld, Setting, face_at, one_less, replaced, sorted_cards, without


class Turn(NamedTuple):
    """What matters of a turn in its play phase, from the side of the player whose turn it is."""

    hand: tuple[str, ...]
    melds: tuple[Meld, ...]
    down: str
    taken: str | None = None
    obliged: str | None = None
    laying: tuple[int, int] | None = None
    declared: tuple[str, ...] = ()
    freed: bool = False
    played: bool = False
    new_melds: int = 0
    over: bool = False


def legal_actions(position: dict[str, Any], rules: dict[str, Any], prune: bool = True) -> set[Action]:
    """The legal actions of a position.

    Args:
        position: As from `Game.to_dict`: plain JSON.
        rules: As from `RuleSet.to_dict`: every field.
        prune: Whether lost causes are cut short; the answers are the same, only slower, without.

    Returns:
        (kind, face) pairs; the face is None for the two plain draws. Empty where the deal is over.
    """
    if position.get("over") is not None:
        return set()
    if position["phase"] == "draw":
        return _legal_draws(position, rules, prune)
    search = TurnSearch(position, rules, prune)
    return {action for action, after in search.moves(_turn(position)) if search.can_finish(after)}


def legal_draw_exists(position: dict[str, Any], rules: dict[str, Any]) -> bool:
    """Whether the deal goes on at this start of a turn; without a legal draw it is blocked."""
    return bool(_legal_draws(position, rules, prune=True))


def _legal_draws(position: dict[str, Any], rules: dict[str, Any], prune: bool) -> set[Action]:
    pile = position["discard"].split()
    recycles_left = rules["max_recycles"] is None or position["recycles"] < rules["max_recycles"]
    legal: set[Action] = set()
    if position["stock"].split() or (len(pile) >= 2 and recycles_left):
        legal.add(("draw_stock", None))
    if not pile:
        return legal

    search = TurnSearch(position, rules, prune)
    turn = _turn(position)
    if search.can_finish(turn._replace(hand=sorted_cards(turn.hand + (pile[-1],)), taken=pile[-1])):
        legal.add(("take_top", None))
    if rules["discard_pickup"] == "any":
        for face in set(pile[:-1]):
            topmost = max(i for i, card in enumerate(pile[:-1]) if card == face)
            if search.can_finish(turn._replace(hand=sorted_cards(turn.hand + tuple(pile[topmost:])), obliged=face)):
                legal.add(("take", face))
    return legal


class TurnSearch:
    """The search through the rest of a turn.

    Args:
        position: As for `legal_actions`.
        rules: As for `legal_actions`.
        prune: As for `legal_actions`.
    """

    def __init__(self, position: dict[str, Any], rules: dict[str, Any], prune: bool) -> None:
        self.rules = rules
        self.prune = prune
        self.setting = Setting(position, rules)
        self._base_melds = BaseMelds(self.setting)
        self._cover = Cover(self.setting)
        self._finishable: dict[Turn, bool] = {}

    def can_finish(self, turn: Turn) -> bool:
        """Whether some sequence of actions ends the turn legally."""
        if turn.over:
            return True
        if turn not in self._finishable:
            self._finishable[turn] = not (self.prune and self._is_hopeless(turn)) and any(
                self.can_finish(after) for _, after in self.moves(turn)
            )
        return self._finishable[turn]

    def moves(self, turn: Turn) -> Iterator[tuple[Action, Turn]]:
        """The actions that the rules allow on the spot, each with the turn after it."""
        yield from self._discards(turn)
        yield from self._layoffs(turn)
        yield from self._new_melds(turn)
        yield from self._swaps(turn)
        yield from self._declares(turn)

    def _discards(self, turn: Turn) -> Iterator[tuple[Action, Turn]]:
        if turn.declared or turn.freed or turn.obliged is not None:
            return
        last = len(turn.hand) == 1
        if turn.laying is not None:
            if turn.laying != (0, 0) or not last or self.rules["all_at_once_discard"] == "forbidden":
                return
            if not self._runs_stay_apart(turn.melds):
                return
        elif last and self.rules["final_discard"] == "forbidden":
            return
        for face in set(turn.hand):
            if face != turn.taken and (face != JOKER or self._may_discard_joker(turn)):
                yield ("discard", face), turn._replace(hand=without(turn.hand, [face]), over=True)

    def _may_discard_joker(self, turn: Turn) -> bool:
        nothing_else = set(turn.hand) == {JOKER} and turn.taken is None and not turn.played
        option = self.rules["joker_discard"]
        return option == "yes" or nothing_else or (option == "only_last" and len(turn.hand) == 1)

    def _layoffs(self, turn: Turn) -> Iterator[tuple[Action, Turn]]:
        if not self._may_lay_off(turn) or len(turn.declared) > 1 or (turn.freed and not turn.declared):
            return
        joker = bool(turn.declared)
        for face in turn.declared or sorted(set(turn.hand) - {JOKER}):
            for kind, end in (("layoff_low", "low"), ("layoff_high", "high"), ("layoff_set", "set")):
                for index, meld in enumerate(turn.melds):
                    if self._is_open(turn, index) and self._accepts(meld, end, face, joker):
                        card = (Card(face, joker),)
                        cards = card + meld.cards if end == "low" else meld.cards + card
                        melds = replaced(turn.melds, index, meld._replace(cards=cards))
                        after = self._placed(turn, [] if joker else [face], melds=melds)
                        if after is not None:
                            yield (kind, face), after
                        break

    def _may_lay_off(self, turn: Turn) -> bool:
        if self.setting.contract is not None:
            return turn.down != "no" or turn.laying == (0, 0)
        return not self.rules["layoff_requires_own_meld"] or any(meld.owner == self.setting.seat for meld in turn.melds)

    def _is_open(self, turn: Turn, index: int) -> bool:
        """Whether this player may lay off on this meld in this turn, as far as owner and time go."""
        own = turn.melds[index].owner == self.setting.seat
        if self.rules["layoff_scope"] == "own" and not own:
            return False
        if self.rules["layoff_timing"] == "later_turn":
            if self.setting.contract is None:
                return index < len(turn.melds) - turn.new_melds
            return turn.down == "earlier" or own
        return True

    def _accepts(self, meld: Meld, end: str, face: str, joker: bool) -> bool:
        """Whether the meld takes the face at this end ("low", "high", or "set" for any set)."""
        if meld.kind == "set":
            faces = [card.face for card in meld.cards]
            same_rank = face[0] == faces[0][0]
            return end == "set" and self.rules["layoff_on_sets"] and len(faces) == 3 and same_rank and face not in faces
        if end == "set":
            return False
        position = meld.low - 1 if end == "low" else meld.high + 1
        if not 1 <= position <= self.setting.max_position or face_at(meld.suit, position) != face:
            return False
        if not self.rules["allow_double_ace_run"] and {position, meld.low, meld.high} >= {1, 14}:
            return False
        neighbour = meld.cards[0] if end == "low" else meld.cards[-1]
        return self.rules["adjacent_jokers"] or not (joker and neighbour.joker)

    def _new_melds(self, turn: Turn) -> Iterator[tuple[Action, Turn]]:
        if not self._may_meld(turn) or (turn.freed and not turn.declared):
            return
        held = set(turn.hand) - {JOKER}
        for shape in self.setting.shapes:
            jokers = set(turn.declared)
            naturals = [face for face in shape.faces if face not in jokers]
            if not jokers <= set(shape.faces) or not held.issuperset(naturals):
                continue
            if not self.setting.joker_limits_allow(shape, jokers):
                continue
            meld = Meld(self.setting.seat, shape.kind, tuple(Card(face, face in jokers) for face in shape.faces))
            changes: dict[str, Any] = {"melds": turn.melds + (meld,), "new_melds": turn.new_melds + 1}
            if self.setting.contract is not None and turn.down == "no":
                left = one_less(turn.laying or self.setting.contract, shape.kind)
                runs = self.setting.own_runs(turn.melds)
                if left is None or not self.setting.suits_allow(meld, runs, may_touch=self.setting.all_at_once):
                    continue
                changes["laying"] = left
                if left == (0, 0) and not self.setting.all_at_once:
                    changes |= {"laying": None, "down": "this_turn"}
            after = self._placed(turn, naturals, **changes)
            if after is not None:
                yield shape.action, after

    def _may_meld(self, turn: Turn) -> bool:
        if self.setting.contract is None:
            limit = self.rules["max_melds_per_turn"]
            return limit is None or turn.new_melds < limit
        if turn.down == "no":
            return turn.laying != (0, 0)
        return bool(self.rules["extra_melds"] == "any")

    def _runs_stay_apart(self, melds: tuple[Meld, ...]) -> bool:
        runs = self.setting.own_runs(melds)
        return all(self.setting.suits_allow(run, runs[:index], may_touch=False) for index, run in enumerate(runs))

    def _swaps(self, turn: Turn) -> Iterator[tuple[Action, Turn]]:
        scope = self.rules["joker_swap_scope"]
        if self.setting.contract is None or scope == "none" or turn.down != "earlier" or turn.declared or turn.freed:
            return
        for face in sorted(set(turn.hand) - {JOKER}):
            if turn.obliged not in (None, face):
                continue
            for index, meld in enumerate(turn.melds):
                if meld.kind == "set" or Card(face, True) not in meld.cards:
                    continue
                if scope == "others_runs" and meld.owner == self.setting.seat:
                    continue
                cards = replaced(meld.cards, meld.cards.index(Card(face, True)), Card(face, False))
                yield (
                    ("swap", face),
                    turn._replace(
                        hand=without(turn.hand, [face]),
                        melds=replaced(turn.melds, index, meld._replace(cards=cards)),
                        obliged=None,
                        freed=True,
                        played=True,
                    ),
                )
                break

    def _declares(self, turn: Turn) -> Iterator[tuple[Action, Turn]]:
        pending = turn.freed and not turn.declared
        if not pending and JOKER not in turn.hand:
            return
        hand = turn.hand if pending else without(turn.hand, [JOKER])
        for face in sorted(self._useful_identities(turn)) if self.prune else self.setting.deck:
            if face not in turn.declared:
                yield ("declare", face), turn._replace(hand=hand, declared=sorted_cards((*turn.declared, face)))

    def _useful_identities(self, turn: Turn) -> set[str]:
        """The identities that some placement could use together with the jokers declared already."""
        identities: set[str] = set()
        if self._may_meld(turn):
            jokers = turn.hand.count(JOKER) + (turn.freed and not turn.declared)
            for shape in self.setting.shapes:
                missing = set(shape.faces) - set(turn.hand) - set(turn.declared)
                if set(turn.declared) <= set(shape.faces) and len(missing) <= jokers:
                    identities.update(shape.faces)
        if self._may_lay_off(turn) and not turn.declared:
            for meld in turn.melds:
                identities.update(
                    face
                    for face in self.setting.deck
                    for end in ("low", "high", "set")
                    if self._accepts(meld, end, face, joker=True)
                )
        return identities

    def _placed(self, turn: Turn, naturals: list[str], **changes: Any) -> Turn | None:
        """The turn after a placement of all declared jokers and these naturals; None where it is not allowed."""
        met = bool(turn.declared) if turn.obliged == JOKER else turn.obliged in naturals
        after = turn._replace(
            hand=without(turn.hand, naturals),
            obliged=None if met else turn.obliged,
            declared=(),
            freed=False,
            played=True,
            **changes,
        )
        if after.obliged is not None and (self.setting.contract is None or after.down != "no"):
            return None
        if after.hand:
            return after
        return after._replace(over=True) if self._may_go_out_by_placing(after) else None

    def _may_go_out_by_placing(self, turn: Turn) -> bool:
        if self.setting.all_at_once:
            may_empty = self.rules["all_at_once_discard"] != "required"
            return turn.laying == (0, 0) and may_empty and self._runs_stay_apart(turn.melds)
        return self.rules["final_discard"] != "required" and (self.setting.contract is None or turn.down != "no")

    def _is_hopeless(self, turn: Turn) -> bool:
        """Whether the player must lay the contract now and plainly cannot."""
        if self.setting.contract is None or turn.down != "no":
            return False
        if turn.laying is None and not turn.declared and turn.obliged is None:
            return False
        melds = self.setting.contract if turn.laying is None else turn.laying
        if self.setting.all_at_once:
            naturals = tuple(card for card in turn.hand if card != JOKER)
            jokers = turn.hand.count(JOKER) + len(turn.declared)
            kept = 0 if self.rules["all_at_once_discard"] == "forbidden" else 1
            return not self._cover.possible(naturals, jokers, melds, turn.melds, kept)
        asked = Asked(melds, self.setting.own_runs(turn.melds), turn.obliged)
        return not self._base_melds.layable(turn.hand, turn.declared, asked)


def _turn(position: dict[str, Any]) -> Turn:
    """The turn of the player to move; in the draw phase as it will be, with the drawn cards still missing."""
    laying = position["laying"]
    seat = position["player"]
    return Turn(
        hand=sorted_cards(position["hands"][seat].split()),
        melds=tuple(_meld(meld) for meld in position["melds"]),
        down=position["down"][seat],
        taken=position["taken"],
        obliged=position["obliged"],
        laying=None if laying is None else (laying["sets"], laying["runs"]),
        declared=sorted_cards(text[3:5] for text in position["declared"]),
        freed=position["freed_joker"],
        played=position["played_this_turn"],
        new_melds=position["melds_this_turn"],
    )


def _meld(meld: dict[str, Any]) -> Meld:
    words = meld["cards"].split()
    cards = tuple(Card(word[3:5], True) if word.startswith("JK(") else Card(word, False) for word in words)
    return Meld(meld["owner"], meld["kind"], cards)
