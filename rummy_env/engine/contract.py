"""Whether a hand can meet what is left of a contract with base melds of three, exactly.

Runs are chosen by a depth-first search over windows of three positions, sets afterwards by dynamic programming over
ranks. Using a natural wherever a chosen meld wants it costs nothing unless a limit on the jokers of one meld binds;
only with enough jokers for that does the search also try jokers in the place of held naturals.

The search is a loop: the chosen runs are digits of one integer, nine bits each (start face and joker pattern), and
the hand that is left is replayed from them.
"""

from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import COLUMN, JOKER, NATURALS, SUIT, following, jokers_fit, remove, run_window
from rummy_env.engine.state import NONE, RUN, SUITS_DISTINCT, SUITS_FREE

_DIGIT = 9
_DIGIT_MASK = (1 << _DIGIT) - 1
_FIELD = 6
_FIELD_MASK = (1 << _FIELD) - 1
_IMPOSSIBLE = _FIELD_MASK


@kernel
def jokers_for_sets(rules, first, second, third, sets, must_hold):
    """Fewest jokers that complete `sets` sets of three, or 63 where no number of jokers does.

    `must_hold`: a face that one of the sets must contain as a natural, or NONE.
    """
    r = rules[0]
    if must_hold != NONE and (sets == 0 or not (first >> must_hold) & 1):
        return _IMPOSSIBLE
    # best: a field of six bits for every number of sets, the fewest jokers for it with the ranks seen so far.
    unreached = 0
    for number in range(1, sets + 1):
        unreached |= _IMPOSSIBLE << (_FIELD * number)
    best = unreached
    for rank in range(r.num_ranks):
        ones = count_bits((first >> rank) & COLUMN)
        if ones == 0:
            continue
        must = must_hold != NONE and must_hold % 13 == rank
        up_to_two = ones + count_bits((second >> rank) & COLUMN)
        up_to_three = up_to_two + count_bits((third >> rank) & COLUMN)
        new = unreached | _IMPOSSIBLE if must else best
        for number in range(1, sets + 1):
            held = ones if number == 1 else up_to_two if number == 2 else up_to_three
            naturals = min(3 * number, held)
            if naturals < r.min_naturals * number:
                break
            for total in range(number, sets + 1):
                before = (best >> (_FIELD * (total - number))) & _FIELD_MASK
                if before == _IMPOSSIBLE:
                    continue
                jokers = before + 3 * number - naturals
                if jokers < (new >> (_FIELD * total)) & _FIELD_MASK:
                    new = new & ~(_FIELD_MASK << (_FIELD * total)) | jokers << (_FIELD * total)
        best = new
    return (best >> (_FIELD * sets)) & _FIELD_MASK


@kernel
def agreeing_starts(rules, start):
    """Mask of the starts of the runs of three that may be in one contract with the run from `start`."""
    rule = rules[0].runs_suit_rule
    if rule == SUITS_FREE:
        return NATURALS
    suit = SUIT << (13 * (start // 13))
    if rule == SUITS_DISTINCT:
        return NATURALS & ~suit
    return NATURALS & ~(suit & (1 << start >> 3 | 8 << start))


@kernel
def runs_agree(rules, start, other):
    """Whether the suit rule lets runs of three from `start` and from `other` be in one contract."""
    return (agreeing_starts(rules, start) >> other) & 1 == 1


@kernel
def pattern_faces(start, pattern):
    """Faces of the run from `start` whose bits are set in `pattern` (bit 0 = the start)."""
    third = start - 11 if start % 13 == 11 else start + 2
    return (pattern & 1) << start | ((pattern >> 1) & 1) << (start + 1) | ((pattern >> 2) & 1) << third


@kernel
def window_candidates(rules, cards, jokers):
    """Mask of the faces that start a run of three of `cards` and at most `jokers` jokers, at least one natural."""
    second = following(cards)
    third = following(second)
    starts = cards & second & third
    if jokers >= 1:
        starts |= cards & second | cards & third | second & third
    if jokers >= 2:
        starts |= cards | second | third
    return starts & rules[0].run_starts


@kernel
def laid_runs(games, i):
    """The runs laid this turn as digits, first one lowest, and how many there are."""
    g = games[i]
    path, count = 0, 0
    for meld in range(g.num_melds - g.melds_this_turn, g.num_melds):
        if g.meld_kind[meld] == RUN:
            start = 13 * int(g.meld_key[meld]) + int(g.meld_low[meld]) - 1
            path |= (start << 3) << (_DIGIT * count)
            count += 1
    return path, count


@kernel
def _agrees_with_path(rules, start, path, count):
    for index in range(count):
        other = ((path >> (_DIGIT * index)) & _DIGIT_MASK) >> 3
        if not runs_agree(rules, start, other):
            return False
    return True


@kernel
def can_meet(rules, first, second, third, jokers, sets, runs, laid, num_laid, must_hold):
    """Whether `sets` sets and `runs` runs of three can be laid from a hand.

    `first`, `second` and `third` are masks of the naturals held at least 1, 2, 3 times, `jokers` the number that may be
    declared. `laid` and `num_laid` are the runs of this contract that lie already (see `laid_runs`). `must_hold` is a
    face that must be laid in one of these melds as a natural (or, if it is the joker, by declaring one), or NONE.
    """
    r = rules[0]
    if must_hold == JOKER:
        if jokers == 0 or sets + runs == 0 or r.min_naturals == 3:
            return False
        must_hold = NONE
    if must_hold != NONE and sets + runs == 0:
        return False
    in_sets = jokers_for_sets(rules, first, second, third, sets, must_hold if runs == 0 else NONE)
    if runs == 0:
        return in_sets <= jokers
    if in_sets > jokers:
        return False
    patterns_matter = jokers >= 4 - r.min_naturals or (jokers >= 2 and not r.adjacent_jokers)
    if window_candidates(rules, first, jokers) == 0:
        return False

    path, depth, cursor = laid, 0, 0
    while True:
        # Replay the hand that the chosen runs leave.
        a, b, c, left, held = first, second, third, jokers, must_hold
        for index in range(num_laid, num_laid + depth):
            digit = (path >> (_DIGIT * index)) & _DIGIT_MASK
            window = run_window(digit >> 3)
            by_joker = pattern_faces(digit >> 3, digit & 7)
            left -= count_bits(by_joker)
            naturals = window & ~by_joker
            if held != NONE and (naturals >> held) & 1:
                held = NONE
            a, b, c = remove(a, b, c, naturals)
        if depth == runs:
            if jokers_for_sets(rules, a, b, c, sets, held) <= left:
                return True
            chosen = NONE
        else:
            chosen = _next_run(rules, a, left, patterns_matter, path, num_laid + depth, cursor)
        if chosen != NONE:
            path |= chosen << (_DIGIT * (num_laid + depth))
            depth += 1
            cursor = chosen  # runs in ascending order: equal ones need two packs, which the replay checks
        elif depth == 0:
            return False
        else:
            depth -= 1
            shift = _DIGIT * (num_laid + depth)
            cursor = ((path >> shift) & _DIGIT_MASK) + 1
            path &= ~(_DIGIT_MASK << shift)


@kernel
def _next_run(rules, cards, jokers, patterns_matter, path, count, cursor):
    """The first run digit from `cursor` on that the hand can pay for and the suit rule allows, or NONE."""
    starts = window_candidates(rules, cards, jokers) & ~((1 << (cursor >> 3)) - 1)
    while starts:
        start = lowest_bit(starts)
        starts &= starts - 1
        if not _agrees_with_path(rules, start, path, count):
            continue
        window = run_window(start)
        missing = window & ~cards
        pattern = cursor & 7 if start == cursor >> 3 else 0
        while pattern < 8:
            by_joker = pattern_faces(start, pattern)
            extra = by_joker & ~missing
            if (
                missing & ~by_joker == 0
                and (patterns_matter or extra == 0)
                and count_bits(by_joker) <= jokers
                and jokers_fit(rules, window, start, by_joker, True)
            ):
                return start << 3 | pattern
            pattern += 1
    return NONE
