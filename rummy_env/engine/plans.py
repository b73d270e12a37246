"""The planning blocks: what the viewer's cards are worth, exactly, from its own hand and what it has seen.

What is asked of a hand is the distance from its contract; in games without contracts, or once the player is down, its
deadwood. The blocks for a discard are written while the viewer may discard, those for the top discard while it may take
it, so that only what the decision needs is worked out.
"""

from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.blocks import (
    DEADWOOD_STEPS,
    DISTANCE_STEPS,
    FEWER_OUTS,
    LESS_DEADWOOD,
    MORE_DEADWOOD,
    MORE_OUTS,
    OBS_DEADWOOD,
    OBS_DISCARD_DEADWOOD,
    OBS_DISCARD_DISTANCE,
    OBS_DISCARD_OUTS,
    OBS_DISTANCE,
    OBS_OUTS,
    OBS_TAKE_DEADWOOD,
    OBS_TAKE_DISTANCE,
    OBS_TAKE_OUTS,
    OUTS_STEPS,
)
from rummy_env.engine.candidates import discardable
from rummy_env.engine.hand_needs import contract_asked, needs_of_hand
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import JOKER, JOKER_BIT, remove, table_ends
from rummy_env.engine.partition import best_partition, card_points, loose_cards, meld_outs, outs_without_loose
from rummy_env.engine.state import DOWN_NO, NONE, OVER_NO, PHASE_DRAW, PHASE_PLAY
from rummy_env.engine.writers import at_least, reached, spread_faces

_MOST_OUTS = 127
"""Outs that an entry of the observation can hold for a moment."""
_DISTANCES, _DEADWOODS, _OUTS = reached(DISTANCE_STEPS), reached(DEADWOOD_STEPS), reached(OUTS_STEPS)


@kernel
def observe_plans(rules, games, i, viewer, row, one, two, three, unseen_jokers):
    """Write the planning blocks of seat `viewer` into `row`, whose entries are 0.

    `one`, `two`, `three` and `unseen_jokers`: count planes and jokers of the cards not seen.
    """
    r, g = rules[0], games[i]
    first, second, third = int(g.held[viewer, 0]), int(g.held[viewer, 1]), int(g.held[viewer, 2])
    jokers = int(g.hands[viewer, JOKER])
    own_turn = viewer == g.player and g.over == OVER_NO
    idle = g.obliged == NONE and g.declared == 0 and not g.freed and g.laying_sets == NONE
    discards = discardable(rules, games, i) if own_turn and idle and g.phase == PHASE_PLAY else 0
    top = int(g.pile[g.pile_size - 1]) if own_turn and g.phase == PHASE_DRAW and g.pile_size > 0 else NONE
    if r.num_contracts == 0:
        _plan_melds(rules, row, first, second, third, jokers, discards, top, one, two, three, unseen_jokers)
    elif g.down[viewer] != DOWN_NO:
        low, high, sets = table_ends(rules, games, i, False, True)
        ends = low | high | sets
        _plan_lay_offs(rules, row, first, second, third, jokers, ends | JOKER_BIT if ends else 0, discards, top)
    elif idle or not own_turn:
        sets, runs, cards = contract_asked(rules, games, i, viewer)
        _plan_contract(
            rules, row, first, second, third, jokers, sets, runs, cards, discards, top, one, two, three, unseen_jokers
        )


@kernel
def _without(first, second, third, jokers, face):
    """A hand without one copy of a face."""
    if face == JOKER:
        return first, second, third, jokers - 1
    a, b, c = remove(first, second, third, 1 << face)
    return a, b, c, jokers


@kernel
def _with(first, second, third, jokers, face):
    """A hand with one more copy of a face."""
    if face == JOKER:
        return first, second, third, jokers + 1
    card = 1 << face
    return first | card, second | first & card, third | second & card, jokers


@kernel
def _copies(outs, one, two, three, unseen_jokers):
    """Unseen copies of the faces `outs`."""
    copies = count_bits(outs & one) + count_bits(outs & two) + count_bits(outs & three)
    return copies + (unseen_jokers if outs & JOKER_BIT else 0)


@kernel
def _write_outs(rules, row, faces):
    """Entries of the outs that each of some discards leaves; until now the first has their number."""
    base, most, left = int(rules[0].observation_base[OBS_DISCARD_OUTS]), 0, faces
    while left:
        most = max(most, int(row[base + lowest_bit(left)]))
        left &= left - 1
    left = faces
    while left:
        face = lowest_bit(left)
        left &= left - 1
        fewer = most - int(row[base + face])
        for k in range(len(FEWER_OUTS)):
            row[base + _faces(rules) * k + face] = fewer <= FEWER_OUTS[k]
    at_least(row, int(rules[0].observation_base[OBS_OUTS]), _OUTS, len(OUTS_STEPS), most)


@kernel
def _write_gain(rules, row, copies, more):
    """Entries of the outs of a hand, and of the outs that it would have with the top discard."""
    at_least(row, int(rules[0].observation_base[OBS_OUTS]), _OUTS, len(OUTS_STEPS), copies)
    base = int(rules[0].observation_base[OBS_TAKE_OUTS])
    for k in range(len(MORE_OUTS)):
        row[base + k] = more - copies >= MORE_OUTS[k]


@kernel
def _faces(rules):
    return 53 if rules[0].num_jokers > 0 else 52


@kernel
def _plan_contract(
    rules, row, first, second, third, jokers, sets, runs, cards, discards, top, one, two, three, unseen_jokers
):
    base = rules[0].observation_base
    distance, free, outs = needs_of_hand(rules, first, second, third, jokers, sets, runs, cards)
    at_least(row, int(base[OBS_DISTANCE]), _DISTANCES, len(DISTANCE_STEPS), distance)
    best = discards & free if discards & free else discards
    if best:
        spread_faces(row, int(base[OBS_DISCARD_DISTANCE]), best, _faces(rules))
        left = best
        while left:
            face = lowest_bit(left)
            left &= left - 1
            a, b, c, held = _without(first, second, third, jokers, face)
            _, _, helpful = needs_of_hand(rules, a, b, c, held, sets, runs, cards)
            row[base[OBS_DISCARD_OUTS] + face] = min(_copies(helpful, one, two, three, unseen_jokers), _MOST_OUTS)
        _write_outs(rules, row, best)
    if top != NONE:
        row[base[OBS_TAKE_DISTANCE]] = (outs >> top) & 1
        a, b, c, held = _with(first, second, third, jokers, top)
        _, _, helpful = needs_of_hand(rules, a, b, c, held, sets, runs, cards)
        more = _copies(helpful, one, two, three, unseen_jokers)
        _write_gain(rules, row, _copies(outs, one, two, three, unseen_jokers), more)


@kernel
def _write_deadwood(rules, row, face, more):
    """Entries of a discard that leaves `more` points of deadwood than the best one."""
    base = int(rules[0].observation_base[OBS_DISCARD_DEADWOOD]) + face
    for k in range(len(MORE_DEADWOOD)):
        row[base + _faces(rules) * k] = more <= MORE_DEADWOOD[k]


@kernel
def _write_saving(rules, row, less):
    """Entries of a top discard that saves `less` points of deadwood."""
    base = int(rules[0].observation_base[OBS_TAKE_DEADWOOD])
    for k in range(len(LESS_DEADWOOD)):
        row[base + k] = less >= LESS_DEADWOOD[k]


@kernel
def _plan_lay_offs(rules, row, first, second, third, jokers, ends, discards, top):
    """For a player who is down: cards that fit on a meld are no deadwood."""
    r = rules[0]
    base = r.observation_base
    deadwood = card_points(rules, first & ~ends, second & ~ends, third & ~ends, 0 if ends & JOKER_BIT else jokers)
    at_least(row, int(base[OBS_DEADWOOD]), _DEADWOODS, len(DEADWOOD_STEPS), deadwood)
    most, faces = 0, (first | (JOKER_BIT if jokers > 0 else 0)) & ~ends
    loose = discards & ~ends if discards else faces
    while loose:
        most = max(most, int(r.points[lowest_bit(loose)]))
        loose &= loose - 1
    while discards:
        face = lowest_bit(discards)
        discards &= discards - 1
        _write_deadwood(rules, row, face, most - (0 if (ends >> face) & 1 else int(r.points[face])))
    if top != NONE:
        own = 0 if (ends >> top) & 1 else int(r.points[top])
        _write_saving(rules, row, most - own)


@kernel
def _plan_melds(rules, row, first, second, third, jokers, discards, top, one, two, three, unseen_jokers):
    """For games without contracts."""
    r = rules[0]
    base = r.observation_base
    points = card_points(rules, first, second, third, jokers)
    melded = best_partition(rules, first, second, third, jokers)
    deadwood = points - melded
    at_least(row, int(base[OBS_DEADWOOD]), _DEADWOODS, len(DEADWOOD_STEPS), deadwood)
    if discards:
        least = _least_deadwood(rules, first, second, third, jokers, points, melded, discards)
        loose = loose_cards(rules, first) if second == 0 and jokers == 0 else 0
        outs = meld_outs(rules, first, second, third, jokers) if loose else 0
        near = 0
        while discards:
            face = lowest_bit(discards)
            discards &= discards - 1
            a, b, c, left = _without(first, second, third, jokers, face)
            is_loose = (loose >> face) & 1
            kept = melded if is_loose else best_partition(rules, a, b, c, left)
            more = points - int(r.points[face]) - kept - least
            _write_deadwood(rules, row, face, more)
            if more <= MORE_DEADWOOD[-1]:
                near |= 1 << face
                helpful = (
                    outs_without_loose(rules, first, face, outs, melded)
                    if is_loose
                    else meld_outs(rules, a, b, c, left)
                )
                copies = _copies(helpful, one, two, three, unseen_jokers)
                row[base[OBS_DISCARD_OUTS] + face] = min(copies, _MOST_OUTS)
        _write_outs(rules, row, near)
    if top != NONE:
        a, b, c, held = _with(first, second, third, jokers, top)
        others = (first | (JOKER_BIT if jokers > 0 else 0)) & ~(1 << top)
        with_top = best_partition(rules, a, b, c, held)
        least = _least_deadwood(rules, a, b, c, held, points + int(r.points[top]), with_top, others)
        _write_saving(rules, row, deadwood - least)
        now = _copies(meld_outs(rules, first, second, third, jokers), one, two, three, unseen_jokers)
        more = _copies(meld_outs(rules, a, b, c, held), one, two, three, unseen_jokers)
        _write_gain(rules, row, now, more)


@kernel
def _least_deadwood(rules, first, second, third, jokers, points, melded, discards):
    """Least deadwood that one of the discards leaves of a hand of `points`, `melded` of them in its best melds.

    `points` where there is no discard.
    """
    least = points
    while discards:
        face = lowest_bit(discards)
        discards &= discards - 1
        left = points - int(rules[0].points[face])
        if left - melded < least:
            a, b, c, held = _without(first, second, third, jokers, face)
            least = min(least, left - best_partition(rules, a, b, c, held))
    return least
