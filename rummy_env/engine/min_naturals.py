"""Whether a contract can be laid with so many further naturals, where the limit on the jokers of one meld may bind.

With more jokers than one meld may hold, which meld gets which natural matters: a held natural may be worth more in
another meld. The search is that of `contract.can_meet`, with the further naturals as cards that may be anything.
"""

import numpy as np

from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.contract import agreeing_starts, pattern_faces
from rummy_env.engine.jit import allocating_kernel, kernel
from rummy_env.engine.lacking import fewest_lacking
from rummy_env.engine.melds import COLUMN, NATURALS, remove, run_window
from rummy_env.engine.state import MAX_CONTRACT_SETS, NONE

_DIGIT = 9
_DIGIT_MASK = (1 << _DIGIT) - 1
_FAR = 1000


@kernel
def can_lay_with(rules, first, second, third, jokers, sets, runs, further):
    """Whether `sets` sets and `runs` runs of three can be laid from a hand and `further` naturals of any faces."""
    path, depth, cursor = 0, 0, 0
    while True:
        # What the chosen runs leave of the hand, of the places for jokers and further naturals, of the latter alone.
        a, b, c, places, naturals, allowed = first, second, third, jokers + further, further, NATURALS
        for index in range(depth):
            digit = (path >> (_DIGIT * index)) & _DIGIT_MASK
            start = digit >> 3
            used = run_window(start) & ~pattern_faces(start, digit & 7)
            places -= 3 - count_bits(used)
            naturals -= max(0, int(rules[0].min_naturals) - count_bits(used))
            allowed &= agreeing_starts(rules, start)
            a, b, c = remove(a, b, c, used)
        chosen = NONE
        if depth == runs:
            if _sets_lack_at_most(rules, a, b, c, sets, places, naturals):
                return True
        elif fewest_lacking(rules, a, b, c, sets, runs - depth, 0)[0] <= places:
            chosen = _next_run(rules, a, allowed, places, naturals, cursor)
        if chosen != NONE:
            path |= chosen << (_DIGIT * depth)
            depth += 1
            cursor = chosen
        elif depth == 0:
            return False
        else:
            depth -= 1
            shift = _DIGIT * depth
            cursor = ((path >> shift) & _DIGIT_MASK) + 1
            path &= ~(_DIGIT_MASK << shift)


@kernel
def _next_run(rules, cards, allowed, places, naturals, cursor):
    """The first run from `cursor` on, start and places without a held natural, that overdraws nothing; or NONE."""
    fewest = int(rules[0].min_naturals)
    starts = int(rules[0].run_starts) & allowed & ~((1 << (cursor >> 3)) - 1)
    while starts:
        start = lowest_bit(starts)
        starts &= starts - 1
        window = run_window(start)
        for pattern in range(cursor & 7 if start == cursor >> 3 else 0, 8):
            unused = pattern_faces(start, pattern)
            used = 3 - count_bits(unused)
            # To leave a natural out helps only where the meld has naturals enough without it.
            if window & ~cards & ~unused == 0 and (unused & cards == 0 or used >= fewest):
                if 3 - used <= places and fewest - used <= naturals:
                    return start << 3 | pattern
    return NONE


@allocating_kernel
def _sets_lack_at_most(rules, first, second, third, sets, places, naturals):
    """Whether `sets` sets lack at most `places` cards, of which at most `naturals` must be naturals."""
    if places < 0 or naturals < 0:
        return False
    r = rules[0]
    fewest = int(r.min_naturals)
    # For so many sets and so many naturals that are due: the fewest cards lacking, over the ranks seen so far.
    lacking = np.full((MAX_CONTRACT_SETS + 1, 3 * MAX_CONTRACT_SETS + 1), _FAR)
    lacking[0, 0] = 0
    for rank in range(r.num_ranks):
        one = count_bits((first >> rank) & COLUMN)
        two = one + count_bits((second >> rank) & COLUMN)
        three = two + count_bits((third >> rank) & COLUMN)
        for total in range(sets, 0, -1):
            for number in range(1, total + 1):
                held = min(3 * number, one if number == 1 else two if number == 2 else three)
                due = max(0, fewest * number - held)
                for before in range(min(naturals, 3 * MAX_CONTRACT_SETS) - due + 1):
                    lack = lacking[total - number, before] + 3 * number - held
                    lacking[total, before + due] = min(lacking[total, before + due], lack)
    for due in range(min(naturals, 3 * MAX_CONTRACT_SETS) + 1):
        if lacking[sets, due] <= places:
            return True
    return False
