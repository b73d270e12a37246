"""What a hand is worth: distance from a contract, deadwood, and the cards that would help; exact, for people.

Hands are texts such as ``"KH TD JK"`` or lists of cards, cards are in the notation of `rummy_env.cards`. For the
kernels behind these functions, which cost about a microsecond, see `rummy_env.engine.distance` and
`rummy_env.engine.partition`.

    >>> contract_distance("5H 6H 8H 9C 9D KS", (1, 1))
    2
    >>> contract_outs("5H 6H 8H 9C 9D KS 9S", (1, 1))
    ['4H', '7H', 'JK']
    >>> best_partition("5H 6H 7H 9C 9D 9S KH").deadwood
    10
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rummy_env.cards import FACE_TEXT, JOKER, NUM_RANKS, cards_text, parse_cards, parse_face
from rummy_env.engine.all_at_once import all_at_once_needs
from rummy_env.engine.compile import compile_rules
from rummy_env.engine.distance import contract_needs
from rummy_env.engine.hand_needs import hand_needs
from rummy_env.engine.jit import announce_compilation
from rummy_env.engine.partition import card_points, meld_outs
from rummy_env.engine.partition_search import MELD_COLUMNS, search_partition
from rummy_env.engine.seen import unseen_copies
from rummy_env.engine.state import MAX_CONTRACT_RUNS, MAX_CONTRACT_SETS, MAX_MELDS, RUN
from rummy_env.errors import ArgumentError, NotationError
from rummy_env.game import Game, RulesSource
from rummy_env.position import mask_faces
from rummy_env.rules import RuleSet

Cards = str | Iterable[str]
Contract = int | tuple[int, int]


class Partition(NamedTuple):
    """Melds that hold the most points of a hand, and the rest.

    Attributes:
        melds: The melds, such as ``"5H JK(6H) 7H"``.
        rest: The cards in none of them, such as ``"KH 2C"``.
        melded: Points of the cards in melds.
        deadwood: Points of the rest.
    """

    melds: list[str]
    rest: str
    melded: int
    deadwood: int


class _Meld:
    """A meld found by the search, to which jokers can be added.

    Args:
        row: A row of `search_partition`.
        rules: The rules in force.
        last: The last position of a run.
    """

    def __init__(self, row: list[int], rules: RuleSet, last: int) -> None:
        self.is_run = row[0] == RUN
        self.key = row[1]
        self.jokers = set(mask_faces(row[3]))
        self.places = sorted({*mask_faces(row[2]), *self.jokers})
        self.naturals = [self._face(place) for place in self.places if place not in self.jokers]
        self.last = last
        if self.is_run:
            self.largest = last if rules.allow_double_ace_run else min(last, NUM_RANKS)
        else:
            self.largest = rules.deck_suits if rules.layoff_on_sets else 3

    def _face(self, place: int) -> int:
        return NUM_RANKS * self.key + (place - 1) % NUM_RANKS if self.is_run else NUM_RANKS * place + self.key

    def add_joker(self) -> bool:
        """Put a joker above the run, else below it, or into the first free suit of the set; whether there was room."""
        if len(self.places) >= self.largest:
            return False
        if not self.is_run:
            place = next(suit for suit in range(4) if suit not in self.places)
        elif self.places[-1] < self.last:
            place = self.places[-1] + 1
        else:
            place = self.places[0] - 1
        self.jokers.add(place)
        self.places = sorted([*self.places, place])
        return True

    @property
    def text(self) -> str:
        faces = {place: FACE_TEXT[self._face(place)] for place in self.places}
        return " ".join(f"JK({face})" if place in self.jokers else face for place, face in faces.items())


class _Hand:
    """A hand as the engine takes it."""

    def __init__(self, cards: Cards, rules: RuleSet) -> None:
        faces = parse_cards(cards) if isinstance(cards, str) else [parse_face(card) for card in cards]
        counts = np.bincount(faces, minlength=JOKER + 1)
        self.counts: list[int] = counts.tolist()
        self.jokers = self.counts[JOKER]
        for face, count in enumerate(self.counts[:JOKER]):
            if count > 3:
                raise NotationError(f"{FACE_TEXT[face]} is there {count} times: no deck has more than 3 packs")
            if count and (face % NUM_RANKS >= rules.deck_ranks or face // NUM_RANKS >= rules.deck_suits):
                raise NotationError(f"{FACE_TEXT[face]} is not in the deck of these rules")
        if self.jokers and not rules.table(rules.default_num_players).num_jokers:
            raise NotationError("JK is not in the deck of these rules")

    @property
    def size(self) -> int:
        return sum(self.counts)

    @property
    def planes(self) -> tuple[int, int, int]:
        first, second, third = (
            sum(1 << face for face, count in enumerate(self.counts[:JOKER]) if count > k) for k in range(3)
        )
        return first, second, third

    @property
    def faces(self) -> list[int]:
        return [face for face, count in enumerate(self.counts) if count]


def _texts(mask: int) -> list[str]:
    return [FACE_TEXT[face] for face in mask_faces(mask)]


def _load(rules: RulesSource) -> tuple[RuleSet, np.ndarray]:
    announce_compilation()
    loaded = RuleSet.load(rules)
    return loaded, compile_rules(loaded, loaded.default_num_players)


def _needs(hand: Cards, contract: Contract, rules: RulesSource) -> tuple[int, int, int, _Hand]:
    loaded, compiled = _load(rules)
    held = _Hand(hand, loaded)
    needs = np.zeros(3, np.int64)
    whole = False
    if isinstance(contract, int):
        contracts = loaded.contracts or ()
        if not 1 <= contract <= len(contracts):
            raise ArgumentError(f"contract={contract}: these rules have {len(contracts)} contracts, counted from 1")
        whole = contract in loaded.all_at_once_deals
        sets, runs = contracts[contract - 1]
    else:
        sets, runs = contract
        if sets < 0 or runs < 0 or sets > MAX_CONTRACT_SETS or runs > MAX_CONTRACT_RUNS:
            raise ArgumentError(
                f"contract={contract}: expected 0 … {MAX_CONTRACT_SETS} sets and 0 … {MAX_CONTRACT_RUNS} runs"
            )
    if whole:
        total = held.size - (loaded.all_at_once_discard != "forbidden")
        all_at_once_needs(compiled, *held.planes, held.jokers, sets, runs, total, needs)
    else:
        contract_needs(compiled, *held.planes, held.jokers, sets, runs, needs)
    distance, free, outs = needs.tolist()
    return distance, free, outs, held


def contract_distance(hand: Cards, contract: Contract, rules: RulesSource = "contract_rummy") -> int:
    """Fewest further cards with which the contract could be laid from a hand, whether or not they are still there.

    Args:
        hand: The cards, in any order.
        contract: ``(sets, runs)``, or the number of a contract of the rules. In a deal in which everything goes down
            at once the hand is taken as it is after the draw, and every card of it must find a place.
        rules: Anything `RuleSet.load` takes.

    Raises:
        NotationError: A card is none, is not in the deck, or is there too often.
        ArgumentError: The rules have no such contract.
    """
    return _needs(hand, contract, rules)[0]


def contract_outs(hand: Cards, contract: Contract, rules: RulesSource = "contract_rummy") -> list[str]:
    """The cards of which one more lowers `contract_distance`, in the order of the faces; the joker is ``"JK"``."""
    return _texts(_needs(hand, contract, rules)[2])


def distances_after_discard(hand: Cards, contract: Contract, rules: RulesSource = "contract_rummy") -> dict[str, int]:
    """For every card of the hand, the `contract_distance` that is left without one copy of it.

    Where everything goes down at once the number of cards to be laid stays that of the whole hand.
    """
    distance, free, _, held = _needs(hand, contract, rules)
    return {FACE_TEXT[face]: distance + (not free >> face & 1) for face in held.faces}


def best_partition(hand: Cards, rules: RulesSource = "basic_rummy") -> Partition:
    """The melds of a hand that hold the most points, where no contract orders them, and the deadwood they leave.

    Args:
        hand: The cards, in any order.
        rules: Anything `RuleSet.load` takes; `rummy_env.engine.partition` says which options count.

    Raises:
        NotationError: A card is none, is not in the deck, or is there too often.
    """
    loaded, compiled = _load(rules)
    held = _Hand(hand, loaded)
    rows = np.zeros((MAX_MELDS, MELD_COLUMNS), np.int64)
    melded, count = search_partition(compiled, *held.planes, held.jokers, rows)
    melds = [_Meld(row, loaded, int(compiled[0].max_position)) for row in rows[:count].tolist()]
    jokers = held.counts[JOKER] - sum(len(meld.jokers) for meld in melds)
    for meld in melds:
        while len(meld.places) < 3 and meld.add_joker():
            jokers -= 1
    for meld in melds:
        while jokers and meld.add_joker():
            jokers -= 1
    rest = held.counts.copy()
    for meld in melds:
        for face in meld.naturals:
            rest[face] -= 1
    rest[JOKER] = jokers
    left = [face for face, number in enumerate(rest) for _ in range(number)]
    points = int(card_points(compiled, *held.planes, held.jokers))
    return Partition([meld.text for meld in melds], cards_text(left), melded, points - melded)


def partition_outs(hand: Cards, rules: RulesSource = "basic_rummy") -> list[str]:
    """The cards of which one more would raise the points of the `best_partition`, in the order of the faces."""
    loaded, compiled = _load(rules)
    held = _Hand(hand, loaded)
    return _texts(int(meld_outs(compiled, *held.planes, held.jokers)))


def live_outs(game: Game, seat: int) -> dict[str, int]:
    """The cards that would help a seat now, each with its copies that the seat cannot see.

    Before the seat is down, what helps lowers its distance from the contract; in games without contracts, it raises the
    points that melds of the hand can hold. A seat that is down has no outs here: `Game.legal_actions` knows what it can
    lay off. Copies in the seat's hand, in the pile, in melds, or known to be in another hand are seen; so an out that
    is left with none, the top discard included, is not among these.

    Args:
        game: The game; nothing hidden from the seat is used.
        seat: The seat, 0 … num_players - 1.

    Raises:
        IndexError: There is no such seat.
    """
    view = game.view(seat)
    rules, games, seat = view.compiled, view.state, view.seat
    if game.rules.contracts is None:
        first, second, third = games["held"][0, seat].tolist()
        outs = int(meld_outs(rules, first, second, third, int(games["hands"][0, seat, JOKER])))
    else:
        needs = np.zeros(3, np.int64)
        hand_needs(rules, games, 0, seat, needs)
        outs = int(needs[2])
    one, two, three, jokers = unseen_copies(rules, games, 0, seat)
    live = {face: sum(plane >> face & 1 for plane in (one, two, three)) for face in mask_faces(outs)}
    if JOKER in live:
        live[JOKER] = int(jokers)
    return {FACE_TEXT[face]: copies for face, copies in live.items() if copies}
