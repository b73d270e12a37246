"""How far a hand is from going down whole, as so many runs of different suits with no card left over."""

from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.distance import needs_of_contract
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import JOKER_BIT, SUIT
from rummy_env.engine.state import SUITS_DISTINCT

_LONGEST = 13
_FIELD = 4
_FIELD_MASK = 15
_LENGTHS = 16
"""Bits in a mask of lengths."""


@kernel
def needs_of_all(rules, first, second, third, jokers, sets, runs, total):
    """As `needs_of_contract`, where all `total` cards must be in the melds and runs may have three or more cards.

    The distance is `total` less the most held cards that `runs` runs of different suits, together of that length, can
    use. Runs of all fourteen positions are left out, and `min_naturals` is not looked at: with more jokers than a base
    meld may hold the distance may be too small. So it may where the contract has sets or its runs may share a suit:
    there it is the distance from base melds of three.
    """
    if sets > 0 or rules[0].runs_suit_rule != SUITS_DISTINCT:
        return needs_of_contract(rules, first, second, third, jokers, sets, runs)
    total = min(max(total, 3 * runs), _LONGEST * runs)
    used, lengths = _best_lengths(rules, first, runs, total)
    distance = max(0, total - used - jokers)
    if used + jokers > total:
        return 0, first | (JOKER_BIT if jokers > 0 else 0), 0
    free, lacking = second, 0
    for suit in range(4):
        ranks = (first >> (13 * suit)) & SUIT
        of_suit = (lengths >> (_LENGTHS * suit)) & ((1 << _LENGTHS) - 1)
        spare, gaps = ranks if of_suit & 1 else 0, 0
        of_suit &= ~1
        while of_suit:
            needed, lacked = _best_windows(rules, ranks, lowest_bit(of_suit))
            of_suit &= of_suit - 1
            spare |= ranks & ~needed
            gaps |= lacked
        free |= spare << (13 * suit)
        lacking |= gaps << (13 * suit)
    return distance, free, lacking | JOKER_BIT if distance > 0 else 0


@kernel
def all_at_once_needs(rules, first, second, third, jokers, sets, runs, total, needs):
    """Write `needs_of_all` into `needs` (int64, shape (3,))."""
    needs[0], needs[1], needs[2] = needs_of_all(rules, first, second, third, jokers, sets, runs, total)


@kernel
def _best_lengths(rules, cards, runs, total):
    """Most naturals in `runs` runs of different suits and `total` cards, and the lengths of the best choices.

    The lengths are a mask per suit, 16 bits each; bit 0: a best choice without that suit.
    """
    longest = min(total - 3 * (runs - 1), _LONGEST)
    suits = int(rules[0].num_suits)
    clubs, diamonds = _most_used(rules, cards, longest), _most_used(rules, cards >> 13, longest)
    hearts, spades = _most_used(rules, cards >> 26, longest), _most_used(rules, cards >> 39, longest)
    best, lengths = -1, 0
    for club in range(longest + 1):
        if club == 1 or club == 2:
            continue
        for diamond in range((min(longest, total - club) if suits > 1 else 0) + 1):
            if diamond == 1 or diamond == 2:
                continue
            for heart in range((min(longest, total - club - diamond) if suits > 2 else 0) + 1):
                spade = total - club - diamond - heart
                if heart == 1 or heart == 2 or spade == 1 or spade == 2 or spade > (longest if suits > 3 else 0):
                    continue
                if int(club > 0) + int(diamond > 0) + int(heart > 0) + int(spade > 0) != runs:
                    continue
                used = _used(clubs, club) + _used(diamonds, diamond) + _used(hearts, heart) + _used(spades, spade)
                if used > best:
                    best, lengths = used, 0
                if used == best:
                    lengths |= 1 << club | 1 << (_LENGTHS + diamond)
                    lengths |= 1 << (2 * _LENGTHS + heart) | 1 << (3 * _LENGTHS + spade)
    return max(best, 0), lengths


@kernel
def _used(most, length):
    return (most >> (_FIELD * length)) & _FIELD_MASK


@kernel
def _positions(rules, ranks):
    """Mask of the positions of a suit whose natural is held: bit 0 = ace low, bit 13 = ace high where it may be."""
    return ranks | ((ranks & 1) << 13 if rules[0].max_position == 14 else 0)


@kernel
def _most_used(rules, ranks, longest):
    """Most held naturals in a run of one suit: a field of four bits for every length up to `longest`."""
    held, most = _positions(rules, ranks & SUIT), 0
    for length in range(3, longest + 1):
        best = 0
        for low in range(int(rules[0].max_position) - length + 1):
            best = max(best, count_bits(held >> low & ((1 << length) - 1)))
        most |= best << (_FIELD * length)
    return most


@kernel
def _best_windows(rules, ranks, length):
    """Ranks that every best run of this length needs, and the ranks that some best run lacks."""
    held = _positions(rules, ranks)
    best, needed, lacking = -1, 0, 0
    for low in range(int(rules[0].max_position) - length + 1):
        window = ((1 << length) - 1) << low
        used = count_bits(held & window)
        if used < best:
            continue
        if used > best:
            best, needed, lacking = used, SUIT, 0
        needed &= window | window >> 13
        gaps = window & ~held
        lacking |= gaps | gaps >> 13
    return needed, lacking & SUIT
