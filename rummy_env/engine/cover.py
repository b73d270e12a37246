"""Deals in which everything goes down at once: can the whole hand be laid as exactly the contract, exactly.

A depth-first search over finished melds. Melds that lie already are made longer first; then the lowest natural that
is left decides the next meld, which must contain it. Each level of the search is a row of small integers.
"""

import numpy as np

from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.contract import window_candidates
from rummy_env.engine.jit import allocating_kernel, kernel
from rummy_env.engine.melds import COLUMN, JOKER, KINGS, NATURALS, SUIT, remove
from rummy_env.engine.state import (
    DISCARD_FORBIDDEN,
    DISCARD_REQUIRED,
    JOKER_DISCARD_NO,
    MAX_CONTRACT_RUNS,
    MAX_CONTRACT_SETS,
    NONE,
    RUN,
    SET,
    SUITS_DISTINCT,
    SUITS_FREE,
)

_LEVELS = MAX_CONTRACT_SETS + MAX_CONTRACT_RUNS + 1

# Columns of a level: the hand it starts from, what is left of the contract, and the meld it is trying.
(
    _FIRST,
    _SECOND,
    _THIRD,
    _JOKERS,
    _SETS,
    _RUNS,
    _KIND,  # of the meld being tried
    _KEY,  # its suit (run) or rank (set)
    _PIVOT,  # position (or suit) that it must contain as a natural, or NONE
    _LOW,  # of a run; the mask of suits of a set
    _HIGH,
    _EXTRA,  # positions (or suits) given to jokers although the natural is held
    _OLD,  # positions (or suits) of a meld that lies already
    _OLD_JOKERS,
) = range(14)
_COLUMNS = 14


@kernel
def most_cards(sets, runs):
    """Most cards that so many sets and runs can hold."""
    return 4 * sets + 14 * runs


@kernel
def laid_melds_may_stay(rules, games, i):
    """Whether the melds laid this turn may stay as they are, finished, beside each other."""
    return _covers(rules, games, i, 0, 0, 0, 0)


@kernel
def can_lay_everything(rules, games, i):
    """Whether the player to move, with nothing declared, can lay the hand as the rest of the contract and be out.

    Counts the single card that may, or must, be left for the discard by the rules' `all_at_once_discard`.
    """
    r, g = rules[0], games[i]
    player = int(g.player)
    first, second, third = int(g.held[player, 0]), int(g.held[player, 1]), int(g.held[player, 2])
    jokers = int(g.hands[player, JOKER])
    if r.all_at_once_discard != DISCARD_REQUIRED and _covers(rules, games, i, first, second, third, jokers):
        return True
    if r.all_at_once_discard == DISCARD_FORBIDDEN:
        return False
    faces = first
    while faces:
        face = lowest_bit(faces)
        faces &= faces - 1
        if face == g.taken or (face == g.obliged and g.hands[player, face] == 1):
            continue
        a, b, c = remove(first, second, third, 1 << face)
        if _covers(rules, games, i, a, b, c, jokers):
            return True
    joker_may_stay = jokers > 0 and g.taken != JOKER and r.joker_discard != JOKER_DISCARD_NO
    if joker_may_stay and not (g.obliged == JOKER and jokers == 1):
        return _covers(rules, games, i, first, second, third, jokers - 1)
    return False


@kernel
def _hopeless(rules, first, second, jokers, sets, runs, laid):
    """A cheap necessary condition: some natural can be in no meld, or there are too many suits for the runs."""
    if laid > 0:
        return False
    r = rules[0]
    if sets == 0 and r.runs_suit_rule == SUITS_DISTINCT:
        suits = 0
        for suit in range(4):
            if (first >> (13 * suit)) & SUIT:
                suits += 1
        twice = second if not r.double_ace_run else second & ~COLUMN
        if suits > runs or twice != 0:
            return True
    starts = window_candidates(rules, first, jokers) if runs > 0 else 0
    next_ones = ((starts & ~KINGS) << 1) & NATURALS
    last_ones = ((next_ones & ~KINGS) << 1) & NATURALS
    left = first & ~(starts | next_ones | last_ones | (starts >> 11) & COLUMN)
    if sets > 0:
        while left:
            face = lowest_bit(left)
            left &= left - 1
            if count_bits((first >> (face % 13)) & COLUMN) + jokers < 3:
                return True
        return False
    return left != 0


@allocating_kernel
def _covers(rules, games, i, first, second, third, jokers):
    g = games[i]
    r = rules[0]
    laid = int(g.melds_this_turn)
    sets, runs = int(g.laying_sets), int(g.laying_runs)
    if sets == NONE:
        sets, runs = int(r.contract_sets[g.contract]), int(r.contract_runs[g.contract])
    if _hopeless(rules, first, second, jokers, sets, runs, laid):
        return False
    levels = np.zeros((_LEVELS, _COLUMNS), np.int64)
    top = levels[0]
    top[_FIRST], top[_SECOND], top[_THIRD] = first, second, third
    top[_JOKERS], top[_SETS], top[_RUNS] = jokers, sets, runs
    level = 0
    entered = True
    while level >= 0:
        row = levels[level]
        if entered:
            if level >= laid and row[_FIRST] == 0:
                if row[_JOKERS] == 0 and row[_SETS] == 0 and row[_RUNS] == 0:
                    return True
                level -= 1
                entered = False
                continue
            if level >= laid and row[_SETS] == 0 and row[_RUNS] == 0:
                level -= 1
                entered = False
                continue
            _first_meld(games, i, levels, level, laid)
        while not _next_choice(rules, levels, level):
            if level < laid or not _next_meld(rules, levels, level):
                row[_KIND] = NONE
                break
        if row[_KIND] == NONE:
            level -= 1
            entered = False
            continue
        _descend(levels, level, level >= laid)
        level += 1
        entered = True
    return False


@kernel
def _first_meld(games, i, levels, level, laid):
    """Prepare a level: the meld that lies already, or a run with the lowest natural."""
    row, g = levels[level], games[i]
    row[_LOW], row[_HIGH], row[_EXTRA] = NONE, NONE, 0
    row[_PIVOT], row[_OLD], row[_OLD_JOKERS] = NONE, 0, 0
    if level < laid:
        meld = int(g.num_melds) - laid + level
        row[_KIND], row[_KEY] = int(g.meld_kind[meld]), int(g.meld_key[meld])
        row[_OLD_JOKERS] = int(g.meld_jokers[meld])
        if row[_KIND] == RUN:
            low, high = int(g.meld_low[meld]), int(g.meld_high[meld])
            row[_OLD] = (2 << high) - (1 << low)
        else:
            row[_OLD] = int(g.meld_low[meld])
        return
    pivot = lowest_bit(row[_FIRST])
    row[_KIND], row[_KEY], row[_PIVOT] = RUN, pivot // 13, pivot % 13 + 1


@kernel
def _next_meld(rules, levels, level):
    """After all runs with the pivot: the ace high, then the sets with it. False when there is nothing more."""
    row = levels[level]
    pivot = lowest_bit(row[_FIRST])
    row[_LOW], row[_HIGH], row[_EXTRA] = NONE, NONE, 0
    if row[_KIND] == SET:
        return False
    if row[_PIVOT] == 1 and rules[0].max_position == 14:
        row[_PIVOT] = 14
        return True
    row[_KIND], row[_KEY], row[_PIVOT] = SET, pivot % 13, pivot // 13
    return True


@kernel
def _held_places(row):
    """Positions of the suit (bit 1 … 14), or suits of the rank, whose natural is in the hand of this level."""
    if row[_KIND] == RUN:
        ranks = (row[_FIRST] >> (13 * row[_KEY])) & SUIT
        return ranks << 1 | (ranks & 1) << 14
    column = (row[_FIRST] >> row[_KEY]) & COLUMN
    return column & 1 | (column >> 12) & 2 | (column >> 24) & 4 | (column >> 36) & 8


@kernel
def _places(row):
    """Positions or suits of the meld being tried."""
    if row[_KIND] == RUN:
        return (2 << row[_HIGH]) - (1 << row[_LOW])
    return row[_LOW]


@kernel
def _next_choice(rules, levels, level):
    """Advance the level to the next form of its meld that the hand can pay for; False when there is none left."""
    r, row = rules[0], levels[level]
    if row[_OLD] == 0 and (row[_RUNS] if row[_KIND] == RUN else row[_SETS]) == 0:
        return False
    held = _held_places(row)
    while True:
        if row[_LOW] != NONE:
            new = _places(row) & ~row[_OLD]
            spare = new & held
            if row[_PIVOT] != NONE:
                spare &= ~(1 << row[_PIVOT])
            if count_bits(new & ~held) >= row[_JOKERS]:
                spare = 0
            row[_EXTRA] = (row[_EXTRA] - spare) & spare
        if row[_EXTRA] == 0 and not _next_shape(rules, row):
            return False
        new = _places(row) & ~row[_OLD]
        by_joker = new & ~held | row[_EXTRA]
        if count_bits(by_joker) > row[_JOKERS]:
            continue
        if row[_KIND] == RUN:
            aces = 1 << 1 | 1 << 14
            if new & ~by_joker & aces == aces and not (row[_SECOND] >> (13 * row[_KEY])) & 1:
                continue
        if _form_allowed(rules, row, by_joker | row[_OLD_JOKERS]) and _agrees_with_runs(r, levels, level):
            return True


@kernel
def _next_shape(rules, row):
    """Advance to the next extent of the run, or the next suits of the set; False when there is none left."""
    r = rules[0]
    if row[_KIND] == SET:
        largest = 4 if r.layoff_on_sets else 3
        suits = row[_LOW] + 1 if row[_LOW] != NONE else 0
        while suits < 1 << r.num_suits:
            size = count_bits(suits)
            pivot_in = row[_PIVOT] == NONE or (suits >> row[_PIVOT]) & 1
            if 3 <= size <= max(largest, count_bits(row[_OLD])) and row[_OLD] & ~suits == 0 and pivot_in:
                row[_LOW] = suits
                return True
            suits += 1
        return False
    if row[_OLD] != 0:
        lowest_last = lowest_bit(row[_OLD])
        highest_first = lowest_last + count_bits(row[_OLD]) - 1
    else:
        lowest_last = row[_PIVOT]
        highest_first = row[_PIVOT]
    if row[_LOW] == NONE:
        row[_LOW] = 1 if row[_PIVOT] == 14 else max(1, lowest_last - row[_JOKERS]) if row[_OLD] == 0 else 1
        row[_HIGH] = max(highest_first, row[_LOW] + 2)
    else:
        row[_HIGH] += 1
    if row[_HIGH] > r.max_position:
        row[_LOW] += 1
        row[_HIGH] = max(highest_first, row[_LOW] + 2)
    return row[_LOW] <= lowest_last and row[_HIGH] <= r.max_position


@kernel
def _form_allowed(rules, row, jokers):
    """Joker limits and the double ace, for the finished meld with jokers at `jokers`."""
    r = rules[0]
    places = _places(row)
    if row[_KIND] == SET:
        return row[_OLD] != 0 or min(3, count_bits(places & ~jokers)) >= r.min_naturals
    if places & 1 << 1 and places & 1 << 14 and not r.double_ace_run:
        return False
    if not r.adjacent_jokers and jokers & (jokers >> 1):
        return False
    if row[_OLD] != 0:
        return True
    for low in range(row[_LOW], row[_HIGH] - 1):
        if count_bits((places & ~jokers) >> low & 7) >= r.min_naturals:
            return True
    return False


@kernel
def _agrees_with_runs(r, levels, level):
    """Whether the suit rule lets the run of this level lie beside the runs of the levels above."""
    row = levels[level]
    if row[_KIND] == SET or r.runs_suit_rule == SUITS_FREE:
        return True
    for above in range(level):
        other = levels[above]
        if other[_KIND] == SET or other[_KEY] != row[_KEY]:
            continue
        if r.runs_suit_rule == SUITS_DISTINCT:
            return False
        if other[_HIGH] + 1 == row[_LOW] or row[_HIGH] + 1 == other[_LOW]:
            return False
    return True


@kernel
def _descend(levels, level, is_new):
    """Fill the next level with the hand that the meld of this level leaves."""
    row, below = levels[level], levels[level + 1]
    new = _places(row) & ~row[_OLD]
    by_joker = new & ~_held_places(row) | row[_EXTRA]
    natural = new & ~by_joker
    faces = 0
    both_aces = False
    if row[_KIND] == RUN:
        ranks = natural >> 1
        both_aces = ranks & 1 == 1 and (ranks >> 13) & 1 == 1
        faces = (ranks & SUIT | ranks >> 13) << (13 * row[_KEY])
    else:
        for suit in range(4):
            faces |= ((natural >> suit) & 1) << (13 * suit + row[_KEY])
    a, b, c = remove(row[_FIRST], row[_SECOND], row[_THIRD], faces)
    if both_aces:
        a, b, c = remove(a, b, c, 1 << (13 * row[_KEY]))
    below[_FIRST], below[_SECOND], below[_THIRD] = a, b, c
    below[_JOKERS] = row[_JOKERS] - count_bits(by_joker)
    below[_SETS] = row[_SETS] - (1 if is_new and row[_KIND] == SET else 0)
    below[_RUNS] = row[_RUNS] - (1 if is_new and row[_KIND] == RUN else 0)
