"""How far a seat of a game is from its contract of this deal."""

from rummy_env.engine.all_at_once import all_at_once_needs
from rummy_env.engine.bits import count_bits
from rummy_env.engine.candidates import contract_left
from rummy_env.engine.distance import contract_needs
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import JOKER, JOKER_BIT
from rummy_env.engine.state import DISCARD_FORBIDDEN, DOWN_NO, NONE, PHASE_DRAW


@kernel
def hand_needs(rules, games, i, seat, needs):
    """Write the distance, the spare and the helpful faces of a seat's hand, as `contract_needs`, for its deal.

    While the player to move lays the contract, what is left of it counts; once it lies, and in games without
    contracts, the distance is 0. Declared jokers count as held. Where everything goes down at once the cards that must
    be in melds are those of the hand, one more before the draw, one fewer where one card may be discarded at the end.
    """
    r, g = rules[0], games[i]
    first, second, third = int(g.held[seat, 0]), int(g.held[seat, 1]), int(g.held[seat, 2])
    jokers = int(g.hands[seat, JOKER])
    if r.num_contracts == 0 or g.down[seat] != DOWN_NO:
        needs[0], needs[1], needs[2] = 0, first | (JOKER_BIT if jokers > 0 else 0), 0
        return
    sets, runs = int(r.contract_sets[g.contract]), int(r.contract_runs[g.contract])
    declared = 0
    if seat == g.player:
        sets, runs = contract_left(rules, games, i)
        declared = count_bits(int(g.declared))
    if not r.all_at_once[g.contract]:
        contract_needs(rules, first, second, third, jokers + declared, sets, runs, needs)
        return
    if seat == g.player and g.laying_sets != NONE:
        needs[0], needs[1], needs[2] = 0, 0, 0
        return
    total = int(g.hand_size[seat]) + declared
    if seat != g.player or g.phase == PHASE_DRAW:
        total += 1
    if r.all_at_once_discard != DISCARD_FORBIDDEN:
        total -= 1
    all_at_once_needs(rules, first, second, third, jokers + declared, sets, runs, total, needs)
