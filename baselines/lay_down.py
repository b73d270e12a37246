"""What would be left of a hand after it has gone down: a good way to lay the contract, not always the best."""

from baselines.hand import preceding
from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import COLUMN, SUIT, following, remove, run_starts
from rummy_env.engine.partition import card_points, naturals_points
from rummy_env.engine.state import SUITS_DISTINCT


@kernel
def _longest_run(rules, cards, barred):
    """Mask of the dearest whole stretch of three or more cards outside the suits `barred` (a mask of faces)."""
    best, most = 0, 0
    starts = run_starts(cards, int(rules[0].run_starts)) & ~barred
    while starts:
        start = lowest_bit(starts)
        starts &= starts - 1
        run, face = 0, start
        while (cards >> face) & 1 and not (run >> face) & 1:
            run |= 1 << face
            if face % 13 == 12:
                if rules[0].max_position < 14:
                    break
                face -= 12
                if (cards >> face) & 1 and not (run >> face) & 1:
                    run |= 1 << face
                break
            face += 1
        points = naturals_points(rules, run)
        if points > most:
            best, most = run, points
    return best


@kernel
def _dearest_set(rules, cards):
    """Mask of the dearest set of three or four cards."""
    best, most = 0, 0
    for rank in range(13):
        same = cards & (COLUMN << rank)
        if count_bits(same) >= 3:
            points = naturals_points(rules, same)
            if points > most:
                best, most = same, points
    return best


@kernel
def _lay(rules, first, second, third, sets, runs, sets_first):
    """Planes of what is left after laying dear melds one after the other, and the faces that would extend these."""
    barred, longer = 0, 0
    for turn in range(2):
        if (turn == 0) == sets_first:
            for _ in range(sets):
                cards = _dearest_set(rules, first)
                first, second, third = remove(first, second, third, cards)
                if cards:
                    longer |= COLUMN << (lowest_bit(cards) % 13) & ~cards
        else:
            for _ in range(runs):
                cards = _longest_run(rules, first, barred)
                first, second, third = remove(first, second, third, cards)
                longer |= (following(cards) | preceding(cards)) & ~cards
                if cards and rules[0].runs_suit_rule == SUITS_DISTINCT:
                    barred |= SUIT << (13 * (lowest_bit(cards) // 13))
    return first, second, third, longer


@kernel
def after_contract(rules, first, second, third, sets, runs, fits):
    """Points and number of naturals left after laying a contract with what extends it, and the faces that would help.

    `fits`: mask of the faces that the table takes. Jokers are taken to be laid.
    """
    points, cards, helpful = 0, 0, 0
    for order in range(2 if sets > 0 and runs > 0 else 1):
        a, b, c, longer = _lay(rules, first, second, third, sets, runs, order == 1)
        a &= ~fits
        left = card_points(rules, a, b, c, 0)
        if order == 0 or left < points:
            points, helpful = left, longer
            cards = count_bits(a) + count_bits(b) + count_bits(c)
    return points, cards, helpful
