"""Simple questions that tell early when a contract cannot be laid, so that the search of a turn stays short.

Both answers err on one side only: "no" is certain.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

from tests.plain_table import JOKER, Card, Meld, Setting, face_at, one_less, without

Cards = tuple[str, ...]


class Asked(NamedTuple):
    """What must still be laid: sets and runs beside the runs laid already, and an obliged card among them."""

    melds: tuple[int, int]
    runs_laid: tuple[Meld, ...]
    obliged: str | None


class BaseMelds:
    """Whether a hand holds the base melds of a contract that need not take every card."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._memo: dict[tuple[Any, ...], bool] = {}

    def layable(self, hand: Cards, declared: Cards, asked: Asked) -> bool:
        """Whether melds of three can be laid as asked, the first of them with every declared joker."""
        if asked.melds == (0, 0):
            return asked.obliged is None
        key = (hand, declared, asked)
        if key not in self._memo:
            self._memo[key] = 3 * sum(asked.melds) <= len(hand) + len(declared) and any(
                self.layable(rest, (), left) for rest, left in self._after_next_meld(hand, declared, asked)
            )
        return self._memo[key]

    def _after_next_meld(self, hand: Cards, declared: Cards, asked: Asked) -> Iterator[tuple[Cards, Asked]]:
        held = set(hand) - {JOKER}
        spare = hand.count(JOKER)
        for shape in self.setting.shapes:
            melds_left = one_less(asked.melds, shape.kind)
            needed = set(shape.faces) - held | set(declared)
            if melds_left is None or not set(declared) <= set(shape.faces) or len(needed) - len(declared) > spare:
                continue
            meld = Meld(self.setting.seat, shape.kind, tuple(Card(face, False) for face in shape.faces))
            if not self.setting.suits_allow(meld, asked.runs_laid, may_touch=False):
                continue
            for jokers in _subsets(shape.faces):
                announced = len(jokers) - len(declared)
                if not needed <= jokers or announced > spare or not self.setting.joker_limits_allow(shape, jokers):
                    continue
                naturals = [face for face in shape.faces if face not in jokers]
                met = bool(jokers) if asked.obliged == JOKER else asked.obliged in naturals
                # The order of the melds is free, so the one with the obliged card may as well come first.
                if asked.obliged is not None and not met and not declared:
                    continue
                runs_laid = asked.runs_laid + ((meld,) if shape.kind == "run" else ())
                left = Asked(melds_left, runs_laid, None if met else asked.obliged)
                yield without(hand, naturals + [JOKER] * announced), left


class Cover:
    """Whether a whole hand can go into the melds of a contract that is laid all at once.

    A natural goes before a joker into every place. That loses nothing, since joker limits, and jokers left over, are
    not looked at: a joker in a place whose natural lies elsewhere could change places with it.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._memo: dict[tuple[Any, ...], bool] = {}

    def possible(self, naturals: Cards, jokers: int, melds: tuple[int, int], laid: tuple[Meld, ...], kept: int) -> bool:
        """Whether all naturals but `kept` fit into extensions of the melds laid and so many sets and runs more."""
        key = (naturals, jokers, melds, laid, kept)
        if key not in self._memo:
            self._memo[key] = self._possible(naturals, jokers, melds, laid, kept)
        return self._memo[key]

    def _possible(
        self, naturals: Cards, jokers: int, melds: tuple[int, int], laid: tuple[Meld, ...], kept: int
    ) -> bool:
        if laid:
            paid = (_pay(naturals, jokers, faces) for faces in self._extensions(laid[0]))
            return any(left is not None and self.possible(*left, melds, laid[1:], kept) for left in paid)
        if not naturals:
            return jokers >= 3 * sum(melds)
        if kept and self.possible(naturals[1:], jokers, melds, (), kept - 1):
            return True
        for kind, faces in self._melds_with(naturals[0]):
            melds_left = one_less(melds, kind)
            left = _pay(naturals, jokers, faces)
            if melds_left is not None and left is not None and self.possible(*left, melds_left, (), kept):
                return True
        return False

    def _extensions(self, meld: Meld) -> Iterator[Cards]:
        """Every collection of faces that could be laid off on the meld."""
        if meld.kind == "set":
            yield ()
            present = {card.face for card in meld.cards}
            rank = meld.cards[0].face[0]
            yield from ((face,) for face in self.setting.deck if face[0] == rank and face not in present)
            return
        for low in range(1, meld.low + 1):
            for high in range(meld.high, self.setting.max_position + 1):
                added = [*range(low, meld.low), *range(meld.high + 1, high + 1)]
                yield tuple(face_at(meld.suit, position) for position in added)

    def _melds_with(self, face: str) -> Iterator[tuple[str, Cards]]:
        """Kind and faces of every finished meld that contains the face."""
        same_rank = [other for other in self.setting.deck if other[0] == face[0]]
        for size in (3, 4):
            yield from (("set", faces) for faces in combinations(same_rank, size) if face in faces)
        for low in range(1, self.setting.max_position - 1):
            for high in range(low + 2, self.setting.max_position + 1):
                faces = tuple(face_at(face[1], position) for position in range(low, high + 1))
                if face in faces:
                    yield "run", faces


def _pay(naturals: Cards, jokers: int, faces: Cards) -> tuple[Cards, int] | None:
    """Naturals and jokers left after laying these faces, jokers only where naturals lack; None with too few."""
    rest = list(naturals)
    for face in faces:
        if face in rest:
            rest.remove(face)
        elif jokers:
            jokers -= 1
        else:
            return None
    return tuple(rest), jokers


@cache
def _subsets(faces: Cards) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(chosen) for size in range(len(faces) + 1) for chosen in combinations(faces, size))
