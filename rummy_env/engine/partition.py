"""The most points that a hand can hold in melds where no contract orders them, and what would raise them; exactly.

Melds are runs of three or more and sets of three or four suits, each card in one of them. A new meld is a base of three
cards with at least `min_naturals` naturals; naturals and jokers are laid off on it. So in longer runs any three
neighbours may be that base, and jokers left over go to any run or open set. Not looked at: `adjacent_jokers` and the
fourteen-card run with two aces, melds on the table, and how many melds or cards a turn lets one lay.
"""

import numpy as np

from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.jit import allocating_kernel, kernel
from rummy_env.engine.lacking import windows_by_lack
from rummy_env.engine.melds import COLUMN, JOKER, JOKER_BIT, SUIT, cards_of_windows, run_starts
from rummy_env.engine.partition_search import MELD_COLUMNS, search_partition

_CHOICES_OF_THREE, _CHOICES_OF_FOUR = 2, 6
"""Sets that a rank held in three suits or in four can make: none, all, or without one of the four."""


def _mates(face: int) -> int:
    rank, suit = face % 13, face // 13
    places = [place for place in range(rank - 2, rank + 3) if 0 <= place <= 13]
    if rank == 0:
        places += [11, 12]
    return COLUMN << rank | sum({1 << (13 * suit + place % 13) for place in places})


_MATES = np.array([_mates(face) for face in range(JOKER)])
"""Per natural, the mask of those that it can be in a set or in a run of three with."""


@kernel
def card_points(rules, first, second, third, jokers):
    """Points of the cards of a hand."""
    return (
        naturals_points(rules, first)
        + naturals_points(rules, second)
        + naturals_points(rules, third)
        + jokers * int(rules[0].points[JOKER])
    )


@kernel
def naturals_points(rules, cards):
    """Points of the naturals of a mask."""
    points = 0
    while cards:
        points += int(rules[0].points[lowest_bit(cards)])
        cards &= cards - 1
    return points


@kernel
def best_partition(rules, first, second, third, jokers):
    """Most points that melds of the hand can hold; what is left is the deadwood.

    Args:
        rules: `RULES` array of one.
        first: Mask of the naturals held at least once; `second` and `third` at least twice, three times.
        second: See `first`.
        third: See `first`.
        jokers: Jokers held; in a meld a joker counts its own points.
    """
    if second == 0 and jokers == 0:
        return _of_different_cards(rules, first)
    return _searched(rules, first, second, third, jokers)


@allocating_kernel
def _searched(rules, first, second, third, jokers):
    melds = np.empty((0, MELD_COLUMNS), np.int64)
    return search_partition(rules, first, second, third, jokers, melds)[0]


@kernel
def _run_points(rules, cards):
    """Most points in runs of different cards: every card of a run of three can be in one."""
    starts = run_starts(cards, int(rules[0].run_starts))
    if starts == 0:
        return 0
    points = naturals_points(rules, cards_of_windows(starts))
    # An ace with 2 3 and with Q K can be in one of the two runs only: no loss where the other one is longer.
    aces = starts & (starts >> 11) & COLUMN & ~(starts >> 1) & ~(starts >> 10)
    while aces:
        ace = lowest_bit(aces)
        aces &= aces - 1
        points -= min(naturals_points(rules, 6 << ace), naturals_points(rules, 3 << (ace + 11)))
    return points


@kernel
def _ranks_held(cards):
    """Masks of the ranks of which `cards` has at least one, two and three suits."""
    clubs, diamonds, hearts, spades = cards & SUIT, (cards >> 13) & SUIT, (cards >> 26) & SUIT, (cards >> 39) & SUIT
    one_x, one_y, two_x, two_y = clubs | diamonds, hearts | spades, clubs & diamonds, hearts & spades
    return one_x | one_y, two_x | two_y | one_x & one_y, two_x & one_y | two_y & one_x


@kernel
def loose_cards(rules, cards):
    """Those of different naturals that are in no meld which the others allow."""
    _, _, sets = _ranks_held(cards)
    return cards & ~(sets * COLUMN | cards_of_windows(run_starts(cards, int(rules[0].run_starts))))


@kernel
def _of_different_cards(rules, cards):
    """`best_partition` of naturals that are all different: sets of the few ranks that allow one, then runs."""
    _, _, ranks = _ranks_held(cards)
    if ranks == 0:
        return _run_points(rules, cards)
    in_runs = cards_of_windows(run_starts(cards, int(rules[0].run_starts)))
    fixed, open_ranks, combinations = 0, 0, 1
    while ranks:
        rank = lowest_bit(ranks)
        ranks &= ranks - 1
        of_rank = cards & COLUMN << rank
        count = count_bits(of_rank)
        if of_rank & in_runs or (count == 4 and not rules[0].layoff_on_sets):
            open_ranks |= 1 << rank
            combinations *= _CHOICES_OF_FOUR if count == 4 else _CHOICES_OF_THREE
        else:
            fixed += count * int(rules[0].points[rank])
            cards &= ~of_rank
    best = 0
    for combination in range(combinations):
        left, points, ranks, choices = cards, 0, open_ranks, combination
        while ranks:
            rank = lowest_bit(ranks)
            ranks &= ranks - 1
            of_rank = cards & COLUMN << rank
            if count_bits(of_rank) == 4:
                chosen = _set_of_four(rules, of_rank, choices % _CHOICES_OF_FOUR)
                choices //= _CHOICES_OF_FOUR
            else:
                chosen = of_rank if choices % _CHOICES_OF_THREE else 0
                choices //= _CHOICES_OF_THREE
            left &= ~chosen
            points += count_bits(chosen) * int(rules[0].points[rank])
        best = max(best, points + _run_points(rules, left))
    return fixed + best


@kernel
def _set_of_four(rules, of_rank, choice):
    """The cards of a rank held in four suits that a choice puts into a set: none, all but one of the suits, or all."""
    if choice == 0:
        return 0
    if choice == _CHOICES_OF_FOUR - 1:
        return of_rank if rules[0].layoff_on_sets else 0
    from_left_out = of_rank
    for _ in range(choice - 1):
        from_left_out &= from_left_out - 1
    return of_rank & ~(from_left_out & -from_left_out)


@kernel
def meld_outs(rules, first, second, third, jokers):
    """Mask over 53 faces, of which the hand has not all that the packs hold, that raise `best_partition`."""
    outs = _certain_outs(rules, first) if second == 0 and jokers == 0 else 0
    packs = int(rules[0].num_packs)
    all_held = first if packs == 1 else second if packs == 2 else third
    faces = _may_meld(rules, first, jokers) & ~all_held & ~outs
    if faces == 0 and rules[0].num_jokers == 0:
        return outs
    before = best_partition(rules, first, second, third, jokers)
    while faces:
        face = faces & -faces
        faces &= faces - 1
        if best_partition(rules, first | face, second | first & face, third | second & face, jokers) > before:
            outs |= face
    if rules[0].num_jokers > 0 and best_partition(rules, first, second, third, jokers + 1) > before:
        outs |= JOKER_BIT
    return outs


@kernel
def outs_without_loose(rules, cards, face, outs, melded):
    """`meld_outs` of different naturals without a loose card; `outs` and `melded`: outs and points of all of them.

    What makes no meld together with the loose card is an out as before; nothing becomes one.
    """
    left = cards & ~(1 << face)
    asked = outs & (int(_MATES[face]) | JOKER_BIT) & ~_certain_outs(rules, left)
    while asked:
        out = asked & -asked
        asked &= asked - 1
        natural = out & ~JOKER_BIT
        if best_partition(rules, left | natural, left & natural, 0, int(out == JOKER_BIT)) == melded:
            outs &= ~out
    return outs


@kernel
def _may_meld(rules, held, jokers):
    """Mask of the faces that may be in a base meld of three, two of whose cards the hand has; some more besides."""
    r = rules[0]
    if jokers >= 2:
        return int(r.naturals)
    w0, w1, w2, _ = windows_by_lack(rules, held)
    ranks, pairs, _ = _ranks_held(held)
    if jokers == 1:
        return (cards_of_windows(w0 | w1 | w2) | ranks * COLUMN) & int(r.naturals)
    return (cards_of_windows(w0 | w1) | pairs * COLUMN) & int(r.naturals)


@kernel
def _certain_outs(rules, cards):
    """Mask of most of the outs of different naturals, all that can be told without a search.

    A card that makes a meld with two loose ones, or that a meld takes whose cards fit no other kind of meld, takes
    nothing from the rest of the best partition.
    """
    r = rules[0]
    if r.points[0] == 0:  # an ace then raises nothing where it joins aces or a meld
        return 0
    _, _, sets = _ranks_held(cards)
    in_sets, in_runs = cards & sets * COLUMN, cards_of_windows(run_starts(cards, int(r.run_starts)))
    loose = loose_cards(rules, cards)
    _, with_two_loose, _, _ = windows_by_lack(rules, loose)
    _, ranks, _ = _ranks_held(loose)
    _, with_two, _, _ = windows_by_lack(rules, cards)
    runs = run_starts(cards & ~in_sets, int(r.run_starts))
    windows = with_two_loose | with_two & (runs << 1 | runs >> 1)
    if r.layoff_on_sets:
        _, _, open_sets = _ranks_held(in_sets & ~in_runs)
        ranks |= open_sets
    return (cards_of_windows(windows) | ranks * COLUMN) & ~cards & int(r.naturals)
