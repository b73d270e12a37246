"""How far a seat of a game is from its contract of this deal."""

from rummy_env.engine.all_at_once import needs_of_all
from rummy_env.engine.bits import count_bits
from rummy_env.engine.candidates import contract_left
from rummy_env.engine.distance import needs_of_contract
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import JOKER, JOKER_BIT
from rummy_env.engine.state import DISCARD_FORBIDDEN, DOWN_NO, NONE, PHASE_DRAW


@kernel
def contract_asked(rules, games, i, seat):
    """Sets and runs that a seat has still to lay before it is down, and how many cards they must hold.

    The number of cards is 0 but in a deal where everything goes down at once: the cards of the hand, one more before
    the draw, one fewer where one card may be discarded at the end. No sets and no runs: nothing is asked of the seat.
    """
    r, g = rules[0], games[i]
    if r.num_contracts == 0 or g.down[seat] != DOWN_NO:
        return 0, 0, 0
    sets, runs = int(r.contract_sets[g.contract]), int(r.contract_runs[g.contract])
    cards = int(g.hand_size[seat]) + 1
    if seat == g.player:
        sets, runs = contract_left(rules, games, i)
        if g.phase != PHASE_DRAW:
            cards += count_bits(int(g.declared)) - 1
    if not r.all_at_once[g.contract]:
        return sets, runs, 0
    return sets, runs, cards - int(r.all_at_once_discard != DISCARD_FORBIDDEN)


@kernel
def needs_of_hand(rules, first, second, third, jokers, sets, runs, cards):
    """`needs_of_contract` or, with a number of cards, `needs_of_all`, of what `contract_asked` says."""
    if cards > 0:
        return needs_of_all(rules, first, second, third, jokers, sets, runs, cards)
    return needs_of_contract(rules, first, second, third, jokers, sets, runs)


@kernel
def hand_needs(rules, games, i, seat, needs):
    """Write the distance, the spare and the helpful faces of a seat's hand into `needs`, as `contract_needs`.

    While the player to move lays the contract, what is left of it counts; once it lies, and in games without
    contracts, the distance is 0. Declared jokers count as held. Where everything goes down at once and a part of it
    lies, the rest will follow: the distance is 0, and nothing can be spared.
    """
    g = games[i]
    first, second, third = int(g.held[seat, 0]), int(g.held[seat, 1]), int(g.held[seat, 2])
    jokers = int(g.hands[seat, JOKER])
    sets, runs, cards = contract_asked(rules, games, i, seat)
    laying = seat == g.player and g.laying_sets != NONE
    if cards > 0 and laying:
        needs[0], needs[1], needs[2] = 0, 0, 0
    elif sets + runs == 0:
        needs[0], needs[1], needs[2] = 0, first | (JOKER_BIT if jokers > 0 else 0), 0
    else:
        if seat == g.player:
            jokers += count_bits(int(g.declared))
        needs[0], needs[1], needs[2] = needs_of_hand(rules, first, second, third, jokers, sets, runs, cards)
