"""Cautious: plans as the planner does, and minds what the others make of its discards and how near the end is.

A discard costs the more the likelier the next player can meld it, which follows from the cards that player picked up,
threw and left lying, or lay it off. In games without contracts the melds can be held back for a while, so that the hand
may go down whole.
"""

import numpy as np

from baselines import planner
from baselines.hand import meld_chance
from baselines.lay_down import after_contract
from baselines.planner import (
    choose_discard,
    choose_draw,
    choose_placement,
    first_weight,
    look_around,
)
from baselines.tuned import Weight, WeightedAgent
from rummy_env.engine.bits import lowest_bit
from rummy_env.engine.candidates import before_contract, contract_left
from rummy_env.engine.jit import allocating_kernel, kernel
from rummy_env.engine.melds import JOKER, JOKER_BIT, remove, table_ends
from rummy_env.engine.partition import best_partition, card_points
from rummy_env.engine.policies import Policy
from rummy_env.engine.state import BLOCK_DISCARD, DOWN_NO, NONE, PHASE_DRAW

WEIGHTS = planner.WEIGHTS | {
    "returning": Weight(
        "what a card in the pile, which comes back, counts beside an unseen one, with contracts", 0.0, 6.0
    ),
    "danger": Weight("points that a discard costs which the next player can meld for sure", 0.0, 30.0),
    "doubt": Weight("how much is left of the chance of a pair whose holder has left a fitting card lying", 0.0, 1.0),
    "fit": Weight("points that a discard costs which the next player can lay off", 0.0, 30.0),
    "hold": Weight("rounds for which melds are held back, unless the deal can be ended", 0.0, 50.0),
    "near": Weight("hand size of another player at which they are not", 0.0, 9.0),
    "keep": Weight("cards left over at which a contract is laid before that", 0.0, 6.0),
}
RETURNING, DANGER, DOUBT, FIT, HOLD, NEAR, KEEP = range(len(planner.WEIGHTS), len(WEIGHTS))


@kernel
def _price(rules, games, i, words, row, around, weights, costs):
    """Write what each legal discard costs because of the next player."""
    r, g = rules[0], games[i]
    player = int(g.player)
    seat = player + 1 if player + 1 < r.num_players else 0
    low, high, sets = table_ends(rules, games, i, False, True)
    fits = low | high | sets
    free = r.num_contracts == 0 or g.down[seat] != DOWN_NO
    faces = words[row, BLOCK_DISCARD]
    while faces:
        face = lowest_bit(faces)
        faces &= faces - 1
        if face == JOKER:
            costs[face] = weights[DANGER]
        elif free and (fits >> face) & 1:
            costs[face] = weights[FIT]
        elif not free or r.extra_melds:
            costs[face] = weights[DANGER] * meld_chance(rules, games, i, seat, face, around, weights[DOUBT])


@kernel
def holds_back(rules, games, i, words, row, hold, near, keep):
    """Whether melds that could be laid are kept for a later turn; see `WEIGHTS` for the three numbers."""
    r, g = rules[0], games[i]
    if not words[row, BLOCK_DISCARD] or g.obliged != NONE or g.declared or g.played_this_turn:
        return False
    player = int(g.player)
    if g.turn // r.num_players >= hold or g.played_before[player]:
        return False
    for seat in range(r.num_players):
        if seat != player and g.hand_size[seat] <= near:
            return False
    if r.num_contracts == 0:
        return not _can_go_out(rules, games, i, words, row)
    if not before_contract(rules, games, i):
        return False
    first, second, third = int(g.held[player, 0]), int(g.held[player, 1]), int(g.held[player, 2])
    sets, runs = contract_left(rules, games, i)
    low, high, on_sets = table_ends(rules, games, i, False, True)
    _, cards, _ = after_contract(rules, first, second, third, sets, runs, low | high | on_sets)
    return cards > keep + 1.0


@kernel
def _can_go_out(rules, games, i, words, row):
    """Whether the hand can be melded but for one card at most."""
    g = games[i]
    player = int(g.player)
    first, second, third = int(g.held[player, 0]), int(g.held[player, 1]), int(g.held[player, 2])
    jokers = int(g.hands[player, JOKER])
    if best_partition(rules, first, second, third, jokers) == card_points(rules, first, second, third, jokers):
        return True
    faces = words[row, BLOCK_DISCARD] & ~JOKER_BIT
    while faces:
        face = faces & -faces
        faces &= faces - 1
        a, b, c = remove(first, second, third, face)
        if best_partition(rules, a, b, c, jokers) == card_points(rules, a, b, c, jokers):
            return True
    return False


@allocating_kernel
def act(rules, games, i, words, row, parameters, stream):
    """The policy: `parameters` are the weights for games with contracts, then those for games without."""
    costs = np.zeros(53)
    start = first_weight(rules, parameters)
    weights = parameters[start : start + len(parameters) // 2]
    drawing = games[i].phase == PHASE_DRAW
    if not drawing and not holds_back(rules, games, i, words, row, weights[HOLD], weights[NEAR], weights[KEEP]):
        action = choose_placement(rules, games, i, words, row)
        if action >= 0:
            return action
    around = look_around(rules, games, i, weights, weights[RETURNING])
    if drawing:
        return choose_draw(rules, games, i, words, row, around, weights, costs)
    _price(rules, games, i, words, row, around, weights, costs)
    return choose_discard(rules, games, i, words, row, around, weights, costs)


CAUTIOUS = Policy(act)


class Cautious(WeightedAgent):
    """The player; see the module.

    Args:
        seed: Seed of the agent; it does nothing at random.
        **weights: Weights (see `WEIGHTS`) that are not to be the tuned ones.
    """

    def __init__(self, seed: int = 0, **weights: float) -> None:
        super().__init__(CAUTIOUS, "cautious", WEIGHTS, weights, seed)
