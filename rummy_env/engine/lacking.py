"""The fewest naturals that a hand lacks to so many sets and runs of three, and what the best choices of melds share.

Runs are chosen depth first over windows of three positions, those that lack least first; sets afterwards, where the
number of cards that one more set of a rank can use never rises, so that the best sets are simply those that use most.

Every best choice tells something: a copy that it can spare may be given away, a card that it lacks brings the contract
nearer. Cards of a rank are counted for all ranks at once, a bit of the sum per mask of 13 ranks.
"""

from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.contract import agreeing_starts
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import COLUMN, NATURALS, SUIT, cards_of_windows, following, remove, run_window
from rummy_env.engine.state import NONE, SUITS_DISTINCT

_RANKS = 13
_LEVELS = 4
"""Sets of one rank that naturals of three packs can be in."""
_FAR = 1000
_DIGIT = 8
_DIGIT_MASK = (1 << _DIGIT) - 1


@kernel
def _add_suits(cards, over_one, over_two):
    """Per rank, the cards of it in `cards` plus those left over (0 … 3): masks of bits 0, 1 and 2 of the sum."""
    clubs, diamonds = cards & SUIT, (cards >> 13) & SUIT
    hearts, spades = (cards >> 26) & SUIT, (cards >> 39) & SUIT
    x, y = clubs ^ diamonds, hearts ^ spades
    two_x, two_y = clubs & diamonds, hearts & spades
    one, two = x ^ y, two_x ^ two_y ^ (x & y)
    carry = one & over_one
    four = two_x & two_y | two & over_two | carry & (two | over_two)
    return one ^ over_one, two ^ over_two ^ carry, four


@kernel
def _plane(first, second, third, level):
    return first if level == 0 else second if level == 1 else third if level == 2 else 0


@kernel
def _sets_of_use(first, second, third, sets):
    """How many further sets can use at least 1, 2 and 3 naturals, among the first `sets` sets of each rank."""
    at_least_one, at_least_two, at_least_three = 0, 0, 0
    over_one, over_two = 0, 0
    for level in range(min(sets, _LEVELS)):
        cards = _plane(first, second, third, level)
        if cards | over_one | over_two == 0:
            break
        one, two, four = _add_suits(cards, over_one, over_two)
        at_least_one += count_bits(one | two | four)
        at_least_two += count_bits(two | four)
        at_least_three += count_bits(one & two | four)
        over_one, over_two = four & ~one, four & (one | two)
    return at_least_one, at_least_two, at_least_three


@kernel
def lacking_to_sets(first, second, third, sets):
    """Fewest naturals that a hand lacks to `sets` sets of three."""
    if sets == 0:
        return 0
    one, two, three = _sets_of_use(first, second, third, sets)
    return 3 * sets - min(one, sets) - min(two, sets) - min(three, sets)


@kernel
def _needs_of_sets(rules, first, second, third, sets):
    """Masks of the faces that the best `sets` sets can spare a copy of, and of the faces that they lack."""
    if sets == 0:
        return first, 0
    one, two, three = _sets_of_use(first, second, third, sets)
    # The least that a chosen set uses, how many such sets are chosen, and how many more there are to choose from.
    least = int(one >= sets) + int(two >= sets) + int(three >= sets)
    above = one if least == 0 else two if least == 1 else three if least == 2 else 0
    reached = _FAR if least == 0 else one if least == 1 else two if least == 2 else three
    quota, spare = sets - above, reached - sets

    # Masks of 13 ranks for every level: its sets use more than the least, the least, three; and leave cards over.
    more, equal, full, over = 0, 0, 0, 0
    over_one, over_two = 0, 0
    every_rank = (1 << int(rules[0].num_ranks)) - 1
    for level in range(min(sets, _LEVELS)):
        one, two, four = _add_suits(_plane(first, second, third, level), over_one, over_two)
        over_one, over_two = four & ~one, four & (one | two)
        three = one & two | four
        two |= four
        one |= two
        higher = one if least == 0 else two if least == 1 else three if least == 2 else 0
        enough = every_rank if least == 0 else one if least == 1 else two if least == 2 else three
        shift = _RANKS * level
        more |= higher << shift
        equal |= (enough & ~higher) << shift
        full |= three << shift
        over |= (over_one | over_two) << shift
    # A set that uses the least must be chosen where the sets elsewhere are too few; it cannot be above the quota.
    forced = more if spare >= _LEVELS else more | equal & (equal >> (_RANKS * spare))
    possible = more | equal if quota >= _LEVELS else more | equal & ~(equal << (_RANKS * quota))

    free = first & ~second & ~((forced & SUIT) * COLUMN)
    free |= second & ~third & ~(((forced >> 13) & SUIT) * COLUMN)
    free |= third & ~(((forced >> 26) & SUIT) * COLUMN)
    over &= possible & ~(forced >> _RANKS)
    over |= over >> 26
    free |= first & ((over | over >> 13) & SUIT) * COLUMN
    lack = possible & ~full
    lacking = ((lack & SUIT) * COLUMN) & ~first | (((lack >> 13) & SUIT) * COLUMN) & ~second
    lacking |= (((lack >> 26) & SUIT) * COLUMN) & ~third | (lack >> 39) * COLUMN
    return free, lacking & int(rules[0].naturals)


@kernel
def windows_by_lack(rules, cards):
    """Masks of the starts of the runs of three that lack 0, 1, 2 and 3 of their cards."""
    second = following(cards)
    third = following(second)
    three = cards & second & third
    two = cards & second | cards & third | second & third
    one = cards | second | third
    starts = int(rules[0].run_starts)
    return starts & three, starts & two & ~three, starts & one & ~two, starts & ~one


@kernel
def _cards_of_all_windows(starts):
    """Mask of the faces that are in every one of the runs of three from `starts` (at least one)."""
    window = run_window(lowest_bit(starts))
    rest = starts & (starts - 1)
    while window and rest:
        window &= run_window(lowest_bit(rest))
        rest &= rest - 1
    return window


@kernel
def _enough_suits(rules, starts, runs):
    """Whether the suit rule finds `runs` runs in `starts`, of which each alone is allowed."""
    if starts == 0:
        return False
    if rules[0].runs_suit_rule != SUITS_DISTINCT:
        return True
    suits = 0
    for suit in range(4):
        if (starts >> (13 * suit)) & SUIT:
            suits += 1
    return suits >= runs


@kernel
def _last_run(rules, first, second, total, gaps, allowed, best, free, lacking):
    """The best choices so far, with those added that end in a run from `allowed` and have no sets.

    `total` and `gaps`: what the runs before lack.
    """
    w0, w1, w2, w3 = windows_by_lack(rules, first)
    for lack in range(4):
        starts = allowed & (w0 if lack == 0 else w1 if lack == 1 else w2 if lack == 2 else w3)
        if starts == 0:
            continue
        if total + lack < best:
            best, free, lacking = total + lack, 0, 0
        if total + lack == best:
            free |= second | first & ~_cards_of_all_windows(starts)
            lacking |= gaps | cards_of_windows(starts) & ~first
        break
    return best, free, lacking


@kernel
def fewest_lacking(rules, first, second, third, sets, runs, enough):
    """Fewest naturals that a hand lacks to the contract, with the spare and the lacking faces of all best choices.

    Stops at a choice that lacks fewer than `enough`, with masks that mean nothing then.
    """
    if runs == 0:
        free, lacking = _needs_of_sets(rules, first, second, third, sets)
        return lacking_to_sets(first, second, third, sets), free, lacking
    w0, w1, w2, w3 = windows_by_lack(rules, first)
    least_for_sets = lacking_to_sets(first, second, third, sets)
    best, free, lacking = _FAR, 0, 0
    path, depth, cursor = 0, 0, 0
    while True:
        # The hand that the chosen runs leave, and the runs that may join them.
        a, b, c, total, gaps, allowed = first, second, third, 0, 0, NATURALS
        for index in range(depth):
            start = (path >> (_DIGIT * index)) & 63
            window = run_window(start)
            missing = window & ~a
            gaps |= missing
            total += count_bits(missing)
            allowed &= agreeing_starts(rules, start)
            a, b, c = remove(a, b, c, window)
        left = runs - depth
        chosen = NONE
        kind = cursor >> 6
        if left == 1 and sets == 0:
            best, free, lacking = _last_run(rules, a, b, total, gaps, allowed, best, free, lacking)
            kind = 4
        while kind < 3 and chosen == NONE and total + kind * left + least_for_sets <= best:
            starts = allowed & (w0 if kind == 0 else w1 if kind == 1 else w2)
            if kind == cursor >> 6:
                starts &= ~((1 << (cursor & 63)) - 1)
            while starts:
                start = lowest_bit(starts)
                starts &= starts - 1
                window = run_window(start)
                missing = window & ~a
                after = total + count_bits(missing)
                if after + kind * (left - 1) + least_for_sets > best:
                    continue
                if left > 1:
                    chosen = kind << 6 | start
                    break
                p, q, r = remove(a, b, c, window)
                after += lacking_to_sets(p, q, r, sets)
                if after <= best:
                    if after < best:
                        best, free, lacking = after, 0, 0
                        if best < enough:
                            return best, free, lacking
                    spare, lacked = _needs_of_sets(rules, p, q, r, sets)
                    free |= spare
                    lacking |= lacked | missing | gaps
            kind += 1
        if chosen == NONE and kind <= 3 and total + 3 * left + least_for_sets <= best:
            # All runs that are left lack every card.
            starts = allowed & w3
            after = total + 3 * left + lacking_to_sets(a, b, c, sets)
            if after <= best and _enough_suits(rules, starts, left):
                if after < best:
                    best, free, lacking = after, 0, 0
                spare, lacked = _needs_of_sets(rules, a, b, c, sets)
                free |= spare
                lacking |= lacked | cards_of_windows(starts) | gaps
        if best < enough:
            return best, free, lacking
        if chosen != NONE:
            path |= chosen << (_DIGIT * depth)
            depth += 1
            cursor = chosen
        elif depth == 0:
            return best, free, lacking
        else:
            depth -= 1
            shift = _DIGIT * depth
            cursor = ((path >> shift) & _DIGIT_MASK) + 1
            path &= ~(_DIGIT_MASK << shift)
