"""Plain tuples for cards and melds, and what stays the same during a turn: the ground of the slow legality checker."""

from collections.abc import Iterable, Sequence, Set
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

SUITS = "CDHS"
RANKS = "A23456789TJQK"
JOKER = "JK"

Action = tuple[str, str | None]


class Card(NamedTuple):
    """A card on the table: the face it stands for, and whether a joker stands for it."""

    face: str
    joker: bool


class Meld(NamedTuple):
    """A meld on the table; a run lists its cards from the low end."""

    owner: int
    kind: str
    cards: tuple[Card, ...]

    @property
    def suit(self) -> str:
        """Suit of a run."""
        return self.cards[0].face[1]

    @property
    def low(self) -> int:
        """Position (1 = ace low) of a run's first card; no run starts with a high ace."""
        return RANKS.index(self.cards[0].face[0]) + 1

    @property
    def high(self) -> int:
        """Position (14 = ace high) of a run's last card."""
        return self.low + len(self.cards) - 1


class Shape(NamedTuple):
    """A base meld of three: the action that lays it, its kind, its faces (a run's from the low end)."""

    action: Action
    kind: str
    faces: tuple[str, str, str]


class Setting:
    """What stays the same during a turn: the rules, the seat to move, the contract, the deck and its base melds.

    Args:
        position: As from `Game.to_dict`: plain JSON.
        rules: As from `RuleSet.to_dict`: every field.
    """

    def __init__(self, position: dict[str, Any], rules: dict[str, Any]) -> None:
        self.rules = rules
        self.seat: int = position["player"]
        self.contract: tuple[int, int] | None = None
        self.all_at_once = False
        if rules["contracts"] is not None:
            sets, runs = rules["contracts"][position["deal"] - 1]
            self.contract = (sets, runs)
            self.all_at_once = position["deal"] in rules["all_at_once_deals"]
        ranks, suits = rules["deck_ranks"], rules["deck_suits"]
        self.max_position = ranks if ranks < 13 else {"low": 13, "both": 14}[rules["ace_mode"]]
        self.deck = deck_faces(ranks, suits)
        self.shapes = base_melds(ranks, suits, self.max_position)

    def own_runs(self, melds: tuple[Meld, ...]) -> tuple[Meld, ...]:
        """The runs that the player to move owns."""
        return tuple(meld for meld in melds if meld.owner == self.seat and meld.kind == "run")

    def joker_limits_allow(self, shape: Shape, jokers: Set[str]) -> bool:
        """Whether the base meld may hold jokers in these places."""
        if len(shape.faces) - len(jokers) < self.rules["min_naturals_per_meld"]:
            return False
        neighbours = shape.kind == "run" and any(set(pair) <= jokers for pair in pairwise(shape.faces))
        return bool(self.rules["adjacent_jokers"]) or not neighbours

    def suits_allow(self, meld: Meld, runs: Sequence[Meld], may_touch: bool) -> bool:
        """Whether the meld may be in one contract with these runs; runs that may still grow are allowed to touch."""
        if meld.kind == "set" or self.rules["contract_runs_suit_rule"] == "free":
            return True
        same_suit = [run for run in runs if run.suit == meld.suit]
        if self.rules["contract_runs_suit_rule"] == "distinct":
            return not same_suit
        return may_touch or not any(run.high + 1 == meld.low or meld.high + 1 == run.low for run in same_suit)


def sorted_cards(cards: Iterable[str]) -> tuple[str, ...]:
    """A hand in the one order that equal hands share."""
    return tuple(sorted(cards))


def without(hand: tuple[str, ...], cards: list[str]) -> tuple[str, ...]:
    """The hand without these cards of it."""
    rest = list(hand)
    for card in cards:
        rest.remove(card)
    return tuple(rest)


def replaced(items: tuple[Any, ...], index: int, item: Any) -> tuple[Any, ...]:
    """The tuple with another item at one index."""
    return (*items[:index], item, *items[index + 1 :])


def one_less(asked: tuple[int, int], kind: str) -> tuple[int, int] | None:
    """Sets and runs left after one of this kind; None where none of this kind is left."""
    sets, runs = asked
    left = (sets - 1, runs) if kind == "set" else (sets, runs - 1)
    return None if min(left) < 0 else left


def face_at(suit: str, position: int) -> str:
    """The face at a position of a run."""
    return RANKS[(position - 1) % 13] + suit


@cache
def deck_faces(ranks: int, suits: int) -> tuple[str, ...]:
    """The naturals of a deck of the lowest ranks and the first suits."""
    return tuple(rank + suit for suit in SUITS[:suits] for rank in RANKS[:ranks])


@cache
def base_melds(ranks: int, suits: int, max_position: int) -> tuple[Shape, ...]:
    """Every base meld of the deck; a set is named by the suit that it lacks."""
    deck = deck_faces(ranks, suits)
    shapes = []
    for suit in SUITS[:suits]:
        for low in range(1, max_position - 1):
            faces = (face_at(suit, low), face_at(suit, low + 1), face_at(suit, low + 2))
            shapes.append(Shape(("meld_run", faces[0]), "run", faces))
    for rank in RANKS[:ranks]:
        for suit in SUITS:
            first, second, third = (rank + other for other in SUITS if other != suit)
            if {first, second, third} <= set(deck):
                shapes.append(Shape(("meld_set", rank + suit), "set", (first, second, third)))
    return tuple(shapes)
