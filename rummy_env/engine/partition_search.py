"""Branch and bound over the melds of any hand: jokers, equal cards, limits on the jokers of a new meld.

The lowest natural that is left is deadwood, or the lowest natural of a run (an ace: its highest as well), or in a set.
A run is searched as the span of its naturals, of at most five where no joker is inside: longer ones split. What jokers
at its ends it needs to be three cards long is taken from the hand; the places left for further jokers are counted.
Each level of the search is a row of small integers.
"""

import numpy as np

from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.jit import allocating_kernel, kernel
from rummy_env.engine.melds import COLUMN, JOKER, SUIT, remove
from rummy_env.engine.state import RUN, SET

_DEAD = 2

# Columns of a level: the hand it starts from, what the melds above hold, and the meld it is trying.
(
    _FIRST,
    _SECOND,
    _THIRD,
    _JOKERS,
    _POINTS,  # in the melds above
    _SLOTS,  # places for jokers in them
    _REST,  # points of the naturals that are left
    _KIND,  # RUN, SET or _DEAD
    _KEY,  # suit of a run, rank of a set
    _LOW,  # positions of the lowest and the highest natural of a run; the mask of the suits of a set in _LOW
    _HIGH,
    _EXTRA,  # positions between them given to jokers although the natural is held
) = range(12)
_COLUMNS = 12

MELD_COLUMNS = 4
"""Kind, suit or rank, mask of the positions 1 … 14 or suits of the naturals, mask of those of the jokers inside."""


@allocating_kernel
def search_partition(rules, first, second, third, jokers, melds):
    """Most points in melds of the hand, and how many melds hold them.

    `melds` (int64, (n, MELD_COLUMNS)) gets the first n of these melds. Jokers that a run or set of fewer than three
    cards needs, and those that are left over, are not among them.
    """
    naturals = count_bits(first) + count_bits(second) + count_bits(third)
    levels = np.zeros((naturals + 1, _COLUMNS), np.int64)
    top = levels[0]
    top[_FIRST], top[_SECOND], top[_THIRD], top[_JOKERS] = first, second, third, jokers
    for face in range(JOKER):
        copies = ((first >> face) & 1) + ((second >> face) & 1) + ((third >> face) & 1)
        top[_REST] += copies * int(rules[0].points[face])
    joker_points = int(rules[0].points[JOKER])
    best, count = -1, 0
    level = 0
    _first_choice(top)
    while level >= 0:
        row = levels[level]
        hopeless = row[_POINTS] + row[_REST] + row[_JOKERS] * joker_points <= best
        if row[_FIRST] == 0 and not hopeless:
            points = row[_POINTS] + min(row[_JOKERS], row[_SLOTS]) * joker_points
            if points > best:
                best, count = points, 0
                for above in range(level):
                    if levels[above][_KIND] != _DEAD:
                        if count < len(melds):
                            _write_meld(levels[above], melds[count])
                        count += 1
        if hopeless or row[_FIRST] == 0 or not _next_choice(rules, row):
            level -= 1
            continue
        _descend(rules, row, levels[level + 1])
        level += 1
    return best, count


@kernel
def _first_choice(row):
    """Prepare a level for its lowest natural: runs that start with it come first."""
    if row[_FIRST] == 0:
        return
    face = lowest_bit(row[_FIRST])
    row[_KIND], row[_KEY], row[_EXTRA] = RUN, face // 13, 0
    row[_LOW], row[_HIGH] = face % 13 + 1, face % 13


@kernel
def _next_choice(rules, row):
    """Advance the level to the next meld, or deadwood, that the hand can pay for; False when there is none left."""
    face = lowest_bit(row[_FIRST])
    ace_high = face % 13 == 0 and rules[0].max_position == 14
    if row[_KIND] == RUN and row[_HIGH] < 14:
        if _next_run(rules, row, False):
            return True
        if ace_high:
            row[_LOW], row[_HIGH], row[_EXTRA] = 14, 14, 0
    if row[_KIND] == RUN:
        if ace_high and _next_run(rules, row, True):
            return True
        row[_KIND], row[_KEY], row[_LOW] = SET, face % 13, 0
    if row[_KIND] == SET:
        if _next_set(rules, row, face // 13):
            return True
        row[_KIND] = _DEAD
        return True
    return False


@kernel
def _held_positions(row):
    """Positions 1 … 13 of the suit whose natural is in the hand."""
    return ((row[_FIRST] >> (13 * row[_KEY])) & SUIT) << 1


@kernel
def _inside(row):
    """Mask of the positions between the lowest and the highest natural of the run."""
    return max(0, (1 << row[_HIGH]) - (2 << row[_LOW]))


@kernel
def _next_span(row, held, down):
    """Advance the far end of the run to the next natural that jokers can reach; False when there is none."""
    while True:
        if down:
            row[_LOW] -= 1
        else:
            row[_HIGH] += 1
        if (
            (row[_LOW] < 2 and down)
            or (row[_HIGH] > 13 and not down)
            or count_bits(_inside(row) & ~held) > row[_JOKERS]
        ):
            return False
        if (held >> (row[_LOW] if down else row[_HIGH])) & 1:
            return True


@kernel
def _next_run(rules, row, down):
    """Advance to the next run from its lowest natural up, or with `down` from the ace high down."""
    held = _held_positions(row)
    jokers = row[_JOKERS]
    while True:
        inside = _inside(row)
        spare = inside & held if count_bits(inside & ~held) < jokers else 0
        row[_EXTRA] = (row[_EXTRA] - spare) & spare
        if row[_EXTRA] == 0 and not _next_span(row, held, down):
            return False
        inside = _inside(row)
        length = row[_HIGH] - row[_LOW] + 1
        by_joker = inside & ~held | row[_EXTRA]
        if count_bits(by_joker) + max(0, 3 - length) > jokers or (by_joker == 0 and length > 5):
            continue
        naturals = (2 << row[_HIGH]) - (1 << row[_LOW]) & ~by_joker
        for low in range(row[_LOW], max(row[_LOW], row[_HIGH] - 2) + 1):
            if count_bits((naturals >> low) & 7) >= rules[0].min_naturals:
                return True


@kernel
def _next_set(rules, row, pivot):
    """Advance to the next suits of the set; `pivot` is the suit of the lowest natural."""
    r = rules[0]
    column = (row[_FIRST] >> row[_KEY]) & COLUMN
    held = column & 1 | (column >> 12) & 2 | (column >> 24) & 4 | (column >> 36) & 8
    largest = 4 if r.layoff_on_sets else 3
    while row[_LOW] < 15:
        row[_LOW] += 1
        suits = row[_LOW]
        size = count_bits(suits)
        if suits & ~held or not (suits >> pivot) & 1 or size > largest:
            continue
        if 3 - size <= row[_JOKERS] and min(3, size) >= r.min_naturals and r.num_suits >= 3:
            return True
    return False


@kernel
def _descend(rules, row, below):
    """Fill the next level with the hand that the choice of this level leaves."""
    r = rules[0]
    cards, jokers, slots = 0, 0, 0
    if row[_KIND] == _DEAD:
        cards = row[_FIRST] & -row[_FIRST]
    elif row[_KIND] == SET:
        for suit in range(4):
            cards |= ((row[_LOW] >> suit) & 1) << (13 * suit + row[_KEY])
        size = count_bits(row[_LOW])
        jokers = max(0, 3 - size)
        slots = int(size <= 3 and r.layoff_on_sets and r.num_suits == 4)
    else:
        by_joker = _inside(row) & ~_held_positions(row) | row[_EXTRA]
        ranks = ((2 << row[_HIGH]) - (1 << row[_LOW]) & ~by_joker) >> 1
        cards = (ranks & SUIT | ranks >> 13) << (13 * row[_KEY])
        length = row[_HIGH] - row[_LOW] + 1
        jokers = count_bits(by_joker) + max(0, 3 - length)
        longest = int(r.max_position) if r.double_ace_run else min(13, int(r.max_position))
        slots = longest - max(3, length)
    points = 0
    left = cards
    while left:
        points += int(r.points[lowest_bit(left)])
        left &= left - 1
    a, b, c = remove(row[_FIRST], row[_SECOND], row[_THIRD], cards)
    below[_FIRST], below[_SECOND], below[_THIRD] = a, b, c
    below[_JOKERS], below[_SLOTS] = row[_JOKERS] - jokers, row[_SLOTS] + slots
    below[_REST] = row[_REST] - points
    melded = 0 if row[_KIND] == _DEAD else points + jokers * int(r.points[JOKER])
    below[_POINTS] = row[_POINTS] + melded
    _first_choice(below)


@kernel
def _write_meld(row, meld):
    meld[0], meld[1] = row[_KIND], row[_KEY]
    if row[_KIND] == SET:
        meld[2], meld[3] = row[_LOW], 0
        return
    meld[3] = _inside(row) & ~_held_positions(row) | row[_EXTRA]
    meld[2] = (2 << row[_HIGH]) - (1 << row[_LOW]) & ~meld[3]
