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

_DIGIT = 3
_NONE, _ALL = 0, 1
"""Choices for a rank held three or four times; the others leave out the card of one suit."""


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
def _of_different_cards(rules, cards):
    """`best_partition` of naturals that are all different: sets of the few ranks that allow one, then runs."""
    pairs_x, pairs_y = cards & (cards >> 13) & SUIT, (cards >> 26) & (cards >> 39) & SUIT
    any_x, any_y = (cards | cards >> 13) & SUIT, (cards >> 26 | cards >> 39) & SUIT
    ranks = pairs_x & any_y | pairs_y & any_x
    if ranks == 0:
        return _run_points(rules, cards)
    in_runs = cards_of_windows(run_starts(cards, int(rules[0].run_starts)))
    fixed, open_ranks, count = 0, 0, 0
    while ranks:
        rank = lowest_bit(ranks)
        ranks &= ranks - 1
        of_rank = cards & COLUMN << rank
        if of_rank & in_runs or (count_bits(of_rank) == 4 and not rules[0].layoff_on_sets):
            open_ranks |= 1 << rank
            count += 1
        else:
            fixed += naturals_points(rules, of_rank)
            cards &= ~of_rank
    best = 0
    for choices in range(1 << (_DIGIT * count)):
        left, points, ranks, digits = cards, 0, open_ranks, choices
        while ranks and points >= 0:
            of_rank = cards & COLUMN << lowest_bit(ranks)
            ranks &= ranks - 1
            chosen = _set_choice(rules, of_rank, digits & 7)
            digits >>= _DIGIT
            left &= ~chosen
            points += naturals_points(rules, chosen)
            if chosen == JOKER_BIT:
                points = -1
        if points >= 0:
            best = max(best, points + _run_points(rules, left))
    return fixed + best


@kernel
def _set_choice(rules, of_rank, choice):
    """The cards of a rank that a choice puts into a set, or the joker where there is no such choice."""
    if choice == _NONE:
        return 0
    if count_bits(of_rank) == 3:
        return of_rank if choice == _ALL else JOKER_BIT
    if choice == _ALL:
        return of_rank if rules[0].layoff_on_sets else JOKER_BIT
    if choice > _ALL + 4:
        return JOKER_BIT
    left_out = of_rank
    for _ in range(choice - _ALL - 1):
        left_out &= left_out - 1
    return of_rank & ~(left_out & -left_out)


@kernel
def meld_outs(rules, first, second, third, jokers):
    """Mask over 53 faces, of which the hand has not all that the packs hold, that raise `best_partition`."""
    before = best_partition(rules, first, second, third, jokers)
    packs = int(rules[0].num_packs)
    all_held = first if packs == 1 else second if packs == 2 else third
    outs, faces = 0, _may_meld(rules, first, jokers) & ~all_held
    while faces:
        face = faces & -faces
        faces &= faces - 1
        if best_partition(rules, first | face, second | first & face, third | second & face, jokers) > before:
            outs |= face
    if rules[0].num_jokers > 0 and best_partition(rules, first, second, third, jokers + 1) > before:
        outs |= JOKER_BIT
    return outs


@kernel
def _may_meld(rules, held, jokers):
    """Mask of the faces that may be in a base meld of three, two of whose cards the hand has; some more besides."""
    r = rules[0]
    if jokers >= 2:
        return int(r.naturals)
    w0, w1, w2, _ = windows_by_lack(rules, held)
    clubs, diamonds, hearts, spades = held & SUIT, (held >> 13) & SUIT, (held >> 26) & SUIT, (held >> 39) & SUIT
    if jokers == 1:
        windows, ranks = w0 | w1 | w2, clubs | diamonds | hearts | spades
    else:
        windows = w0 | w1
        ranks = clubs & diamonds | hearts & spades | (clubs | diamonds) & (hearts | spades)
    return (cards_of_windows(windows) | ranks * COLUMN) & int(r.naturals)
