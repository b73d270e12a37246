"""Slow and obvious answers about hands, written from the rules alone, to hold the engine's analysis against.

Nothing here comes from `rummy_env`. Cards are two-letter strings, hands are lists of them. A card still to come counts
as a natural of any face one likes.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any, NamedTuple

SUITS = "CDHS"
RANKS = "A23456789TJQK"
JOKER = "JK"
FAR = 1000


class Use(NamedTuple):
    """A base meld of three, and the held naturals that it uses: its other places are for jokers or cards to come."""

    kind: str
    place: tuple[str, int]
    naturals: tuple[str, ...]


def _windows(rules: dict[str, Any]) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    positions = RANKS[: rules["deck_ranks"]] + ("A" if rules["ace_mode"] == "both" else "")
    for suit in SUITS[: rules["deck_suits"]]:
        for low in range(len(positions) - 2):
            yield suit, low, tuple(rank + suit for rank in positions[low : low + 3])


def _subsets(cards: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for size in range(len(cards) + 1):
        yield from combinations(cards, size)


def _uses(held: Counter[str], rules: dict[str, Any]) -> list[Use]:
    uses = {
        Use("run", (suit, low), naturals)
        for suit, low, window in _windows(rules)
        for naturals in _subsets(tuple(card for card in window if held[card]))
    }
    for rank in RANKS[: rules["deck_ranks"]]:
        suits = tuple(rank + suit for suit in SUITS[: rules["deck_suits"]] if held[rank + suit])
        uses |= {Use("set", ("", 0), naturals) for naturals in _subsets(suits) if len(naturals) <= 3}
    return sorted(uses, key=lambda use: (-len(use.naturals), use))


def _agree(use: Use, other: Use, rules: dict[str, Any]) -> bool:
    if use.kind == "set" or other.kind == "set" or use.place[0] != other.place[0]:
        return True
    rule = rules["contract_runs_suit_rule"]
    return rule == "free" or (rule == "not_adjacent" and abs(use.place[1] - other.place[1]) != 3)


def distance(hand: list[str], contract: tuple[int, int], rules: dict[str, Any]) -> int:
    """Fewest further cards with which the contract of so many sets and runs of three could be laid."""
    jokers = hand.count(JOKER)
    held = Counter(card for card in hand if card != JOKER)
    uses = _uses(held, rules)
    best = FAR

    def choose(index: int, left: Counter[str], chosen: list[Use], gaps: int, due: int) -> None:
        # gaps: places of the chosen melds without a natural; due: those of them that must be naturals.
        nonlocal best
        melds_left = left.total()
        if melds_left == 0:
            best = min(best, max(gaps - jokers, due))
            return
        for at in range(index, len(uses)):
            use = uses[at]
            used = len(use.naturals)
            if gaps + melds_left * (3 - used) - jokers >= best:
                return  # the uses are in order: none further on leaves fewer gaps
            if not left[use.kind] or any(held[card] == 0 for card in use.naturals):
                continue
            if not all(_agree(use, other, rules) for other in chosen):
                continue
            held.subtract(use.naturals)
            left[use.kind] -= 1
            choose(at, left, [*chosen, use], gaps + 3 - used, due + max(0, rules["min_naturals_per_meld"] - used))
            left[use.kind] += 1
            held.update(use.naturals)

    choose(0, Counter(set=contract[0], run=contract[1]), [], 0, 0)
    return best


def all_at_once_distance(hand: list[str], runs: int, total: int, rules: dict[str, Any]) -> int:
    """Fewest cards of `total` in so many runs of different suits that are not in the hand."""
    positions = RANKS[: rules["deck_ranks"]] + ("A" if rules["ace_mode"] == "both" else "")
    held = set(hand)

    def most_in_run(suit: str, length: int) -> int:
        windows = [positions[low : low + length] for low in range(len(positions) - length + 1)]
        return max((len({rank + suit for rank in window} & held) for window in windows), default=-FAR)

    best = -FAR
    for suits in combinations(SUITS[: rules["deck_suits"]], runs):
        most = {(suit, length): most_in_run(suit, length) for suit in suits for length in range(3, total + 1)}
        for lengths in product(range(3, total + 1), repeat=runs):
            if sum(lengths) == total:
                best = max(best, sum(most[run] for run in zip(suits, lengths, strict=True)))
    return max(0, total - best - hand.count(JOKER))


def melded_points(hand: list[str], rules: dict[str, Any], points: dict[str, int]) -> int:
    """Most points that melds of the hand can hold, where no contract orders them."""
    held = Counter(card for card in hand if card != JOKER)
    positions = RANKS[: rules["deck_ranks"]] + ("A" if rules["ace_mode"] == "both" else "")
    longest = min(len(positions), 14 if rules["allow_double_ace_run"] else 13)
    fewest = rules["min_naturals_per_meld"]
    shapes: set[tuple[str, ...]] = set()  # naturals, then jokers
    jokers = hand.count(JOKER)
    for suit in SUITS[: rules["deck_suits"]]:
        for low in range(len(positions)):
            for high in range(low + 3, min(low + longest, len(positions)) + 1):
                window = [rank + suit for rank in positions[low:high]]
                for places in _subsets(tuple(place for place, card in enumerate(window) if held[card])):
                    naturals = Counter(window[place] for place in places)
                    if len(window) - len(places) > jokers or any(held[card] < n for card, n in naturals.items()):
                        continue
                    if (
                        max(sum(low3 <= place < low3 + 3 for place in places) for low3 in range(len(window) - 2))
                        < fewest
                    ):
                        continue
                    shapes.add((*sorted(naturals.elements()), *[JOKER] * (len(window) - len(places))))
    for rank in RANKS[: rules["deck_ranks"]]:
        suits = SUITS[: rules["deck_suits"]]
        for size in (3, 4) if rules["layoff_on_sets"] else (3,):
            for chosen in _subsets(tuple(rank + suit for suit in suits if held[rank + suit])):
                if size <= len(suits) and fewest <= min(3, len(chosen)) and 0 <= size - len(chosen) <= jokers:
                    shapes.add((*chosen, *[JOKER] * (size - len(chosen))))
    value = {shape: sum(points[card] for card in shape) for shape in shapes}
    seen: dict[tuple[str, ...], int] = {}

    def most(left: tuple[str, ...]) -> int:
        # The first card is in no meld, or in one of those that have it; jokers stand last.
        if not left or left[0] == JOKER:
            return 0
        if left not in seen:
            seen[left] = best = most(left[1:])
            for shape in using[left[0]]:
                after = _without(left, shape)
                if after is not None:
                    best = max(best, value[shape] + most(after))
            seen[left] = best
        return seen[left]

    using: dict[str, list[tuple[str, ...]]] = {card: [] for card in held}
    for shape in shapes:
        for card in set(shape) - {JOKER}:
            using[card].append(shape)
    return most((*sorted(held.elements()), *[JOKER] * jokers))


def _without(cards: tuple[str, ...], gone: tuple[str, ...]) -> tuple[str, ...] | None:
    left = list(cards)
    for card in gone:
        if card not in left:
            return None
        left.remove(card)
    return tuple(left)
