"""What one seat may see of a game, written as 0/1 entries block by block (see `blocks.observation_blocks`).

Everything here is a function of the viewer's own hand and of what is public; no hidden card is read.
"""

from rummy_env.engine.bits import count_bits
from rummy_env.engine.blocks import (
    HAND_SIZE_STEPS,
    OBS_ALL_AT_ONCE,
    OBS_CONTRACT_RUNS,
    OBS_CONTRACT_SETS,
    OBS_DEADWOOD,
    OBS_DEAL,
    OBS_DEALER,
    OBS_DECLARED,
    OBS_DISCARDED,
    OBS_DOWN,
    OBS_FITS_HIGH,
    OBS_FITS_LOW,
    OBS_FITS_SET,
    OBS_FREED,
    OBS_HAND,
    OBS_HAND_JOKERS,
    OBS_HAND_SIZE,
    OBS_KNOWN,
    OBS_MELDS_THIS_TURN,
    OBS_OBLIGED,
    OBS_PHASE,
    OBS_PILE,
    OBS_PILE_DEPTH,
    OBS_PILE_JOKERS,
    OBS_PLAYED_BEFORE,
    OBS_PLAYED_THIS_TURN,
    OBS_RECYCLES_LEFT,
    OBS_REFUSED,
    OBS_RUNS_LEFT,
    OBS_SCORE,
    OBS_SETS_LEFT,
    OBS_STOCK_SIZE,
    OBS_SWAPPABLE,
    OBS_TABLE,
    OBS_TAKEN,
    OBS_TARGET,
    OBS_TO_MOVE,
    OBS_TOP,
    OBS_TURN,
    OBS_UNSEEN,
    OBS_UNSEEN_JOKERS,
    RECYCLES_SHOWN,
    ROUND_STEPS,
    SCORE_STEPS,
    STOCK_STEPS,
    TARGET_EIGHTHS,
)
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import JOKER, swappable, table_ends
from rummy_env.engine.plans import observe_plans
from rummy_env.engine.seen import add_known, not_in, pile_copies, table_copies, together
from rummy_env.engine.state import NONE
from rummy_env.engine.writers import at_least, more_than, reached, set_bits, spread, spread_faces

_HAND_SIZES, _STOCK_SIZES, _SCORES, _ROUNDS = map(reached, (HAND_SIZE_STEPS, STOCK_STEPS, SCORE_STEPS, ROUND_STEPS))
_HAND_STEPS, _STOCK, _SCORE, _ROUND = map(len, (HAND_SIZE_STEPS, STOCK_STEPS, SCORE_STEPS, ROUND_STEPS))


@kernel
def _spread_planes(row, base, packs, one, two, three):
    spread(row, base, one)
    if packs > 1:
        set_bits(row, base + 52, two)
    if packs > 2:
        set_bits(row, base + 104, three)


@kernel
def observe(rules, games, i, viewer, observations, index):
    """Write what seat `viewer` sees of `games[i]` into `observations[index]` (int8, observation_size)."""
    r = rules[0]
    row = observations[index]
    row[:] = 0
    one, two, three, jokers = _observe_cards(rules, games, i, viewer, row)
    _observe_opponents(rules, games, i, viewer, row)
    _observe_turn(rules, games, i, viewer, row)
    _observe_game(rules, games, i, viewer, row)
    if r.observation_base[OBS_DEADWOOD] != NONE:
        observe_plans(rules, games, i, viewer, row, one, two, three, jokers)


@kernel
def _observe_cards(rules, games, i, viewer, row):
    """Own hand, pile, table and the cards not seen; returns count planes and jokers of the latter."""
    r, g = rules[0], games[i]
    base = r.observation_base
    packs, jokers = int(r.num_packs), int(r.num_jokers)
    faces = 53 if jokers > 0 else 52
    one, two, three = int(g.held[viewer, 0]), int(g.held[viewer, 1]), int(g.held[viewer, 2])
    _spread_planes(row, int(base[OBS_HAND]), packs, one, two, three)
    own_jokers = int(g.hands[viewer, JOKER])

    size = int(g.pile_size)
    if size > 0:
        row[base[OBS_TOP] + g.pile[size - 1]] = 1
    depth_base, seen = int(base[OBS_PILE_DEPTH]), 0
    if depth_base != NONE:
        for k in range(size - 2, -1, -1):
            face = int(g.pile[k])
            if (seen >> face) & 1:
                continue
            seen |= 1 << face
            cards = size - k
            bin_index = 0 if cards == 2 else 1 if cards <= 4 else 2 if cards <= 8 else 3
            row[depth_base + faces * bin_index + face] = 1
    a, b, c, pile_jokers = pile_copies(games, i)
    _spread_planes(row, int(base[OBS_PILE]), packs, a, b, c)
    one, two, three = together(one, two, three, a, b, c)

    a, b, c, table_jokers = table_copies(games, i)
    _spread_planes(row, int(base[OBS_TABLE]), packs, a, b, c)
    one, two, three = together(one, two, three, a, b, c)
    one, two, three, known_jokers = add_known(rules, games, i, viewer, one, two, three)
    one, two, three = not_in(rules, one, two, three)
    _spread_planes(row, int(base[OBS_UNSEEN]), packs, one, two, three)
    if jokers > 0:
        more_than(row, int(base[OBS_HAND_JOKERS]), jokers, own_jokers)
        more_than(row, int(base[OBS_PILE_JOKERS]), jokers, pile_jokers)
    in_the_air = count_bits(int(g.declared)) + int(g.freed)
    unseen_jokers = jokers - own_jokers - pile_jokers - table_jokers - known_jokers - in_the_air
    if jokers > 0:
        more_than(row, int(base[OBS_UNSEEN_JOKERS]), jokers, unseen_jokers)
    return one, two, three, unseen_jokers


@kernel
def _after(seats, seat, steps):
    """The seat `steps` places after `seat` (or before it), a remainder without the cost of a division."""
    seat += steps
    if seat >= seats:
        return seat - seats
    return seat + seats if seat < 0 else seat


@kernel
def _observe_opponents(rules, games, i, viewer, row):
    """What the others are known to hold, have discarded and have refused."""
    r, g = rules[0], games[i]
    base = r.observation_base
    seats = int(r.num_players)
    faces = 53 if r.num_jokers > 0 else 52
    for other in range(seats - 1):
        seat = _after(seats, viewer, other + 1)
        set_bits(row, int(base[OBS_KNOWN]) + faces * other, int(g.known_faces[seat]))
        spread_faces(row, int(base[OBS_DISCARDED]) + faces * other, int(g.discarded[seat]), faces)
        spread_faces(row, int(base[OBS_REFUSED]) + faces * other, int(g.refused[seat]), faces)


@kernel
def _observe_turn(rules, games, i, viewer, row):
    """The table's open places and the state of the turn."""
    r, g = rules[0], games[i]
    base = r.observation_base
    seats = int(r.num_players)
    low, high, sets = table_ends(rules, games, i, False, True)
    set_bits(row, int(base[OBS_FITS_LOW]), low)
    set_bits(row, int(base[OBS_FITS_HIGH]), high)
    if base[OBS_FITS_SET] != NONE:
        set_bits(row, int(base[OBS_FITS_SET]), sets)
    row[base[OBS_PHASE] + g.phase] = 1
    row[int(base[OBS_TO_MOVE]) + _after(seats, int(g.player), -viewer)] = 1
    if g.taken != NONE:
        row[base[OBS_TAKEN] + g.taken] = 1
    if base[OBS_OBLIGED] != NONE and g.obliged != NONE:
        row[base[OBS_OBLIGED] + g.obliged] = 1
    if base[OBS_DECLARED] != NONE:
        set_bits(row, int(base[OBS_DECLARED]), int(g.declared))
    if base[OBS_SWAPPABLE] != NONE:
        set_bits(row, int(base[OBS_SWAPPABLE]), swappable(rules, games, i, viewer))
        row[base[OBS_FREED]] = g.freed
    row[base[OBS_PLAYED_THIS_TURN]] = g.played_this_turn
    if base[OBS_MELDS_THIS_TURN] != NONE:
        more_than(row, int(base[OBS_MELDS_THIS_TURN]), int(r.max_melds_per_turn), int(g.melds_this_turn))
    if r.num_contracts > 0:
        contract = int(g.contract)
        sets_asked, runs_asked = int(r.contract_sets[contract]), int(r.contract_runs[contract])
        if base[OBS_CONTRACT_SETS] != NONE:
            more_than(row, int(base[OBS_CONTRACT_SETS]), sets_asked, sets_asked)
            more_than(row, int(base[OBS_SETS_LEFT]), sets_asked, int(g.laying_sets))
        if base[OBS_CONTRACT_RUNS] != NONE:
            more_than(row, int(base[OBS_CONTRACT_RUNS]), runs_asked, runs_asked)
            more_than(row, int(base[OBS_RUNS_LEFT]), runs_asked, int(g.laying_runs))
        if base[OBS_ALL_AT_ONCE] != NONE:
            row[base[OBS_ALL_AT_ONCE]] = r.all_at_once[contract]
        row[base[OBS_DEAL] + contract] = 1


@kernel
def _observe_game(rules, games, i, viewer, row):
    """Seats, scores and clocks."""
    r, g = rules[0], games[i]
    base = r.observation_base
    seats = int(r.num_players)
    own = int(g.scores[viewer])
    for relative in range(seats):
        seat = _after(seats, viewer, relative)
        if base[OBS_DOWN] != NONE:
            row[base[OBS_DOWN] + 3 * relative + g.down[seat]] = 1
        row[base[OBS_PLAYED_BEFORE] + relative] = g.played_before[seat]
        sizes = int(base[OBS_HAND_SIZE]) + _HAND_STEPS * relative
        at_least(row, sizes, _HAND_SIZES, _HAND_STEPS, int(g.hand_size[seat]))
        score = int(g.scores[seat])
        if relative > 0:
            scores = int(base[OBS_SCORE]) + 2 * _SCORE * (relative - 1)
            at_least(row, scores, _SCORES, _SCORE, own - score)
            at_least(row, scores + _SCORE, _SCORES, _SCORE, score - own)
        if base[OBS_TARGET] != NONE:
            eighths = int(base[OBS_TARGET]) + TARGET_EIGHTHS * relative
            for k in range(TARGET_EIGHTHS):
                row[eighths + k] = TARGET_EIGHTHS * score >= (k + 1) * int(r.target_score)
    at_least(row, int(base[OBS_STOCK_SIZE]), _STOCK_SIZES, _STOCK, int(g.stock_size))
    if base[OBS_RECYCLES_LEFT] != NONE:
        more_than(
            row,
            int(base[OBS_RECYCLES_LEFT]),
            min(int(r.max_recycles), RECYCLES_SHOWN),
            int(r.max_recycles) - int(g.recycles),
        )
    at_least(row, int(base[OBS_TURN]), _ROUNDS, _ROUND, int(g.turn) // seats)
    row[int(base[OBS_DEALER]) + _after(seats, int(g.dealer), -viewer)] = 1
