"""What a hand still costs, as one number: the potential that reward shaping takes differences of.

A hand costs a card for each card that it lacks for its contract (`hand_needs`; none once it is down, and none without
contracts), and a card for every ten points that are left in it. Where melds may be laid freely, the points of those in
the hand are not counted. So laying the contract or a meld never raises the cost.
"""

import numpy as np

from rummy_env.engine.hand_needs import hand_needs
from rummy_env.engine.jit import allocating_kernel, kernel
from rummy_env.engine.melds import JOKER
from rummy_env.engine.partition import best_partition
from rummy_env.engine.score import hand_points
from rummy_env.engine.state import DOWN_NO, NONE

_POINTS_PER_CARD = 10.0


@allocating_kernel
def potentials(rules, games, seats, values):
    """Write minus the cost, in cards, of the hand of seat ``seats[i]`` of every game into `values`.

    Args:
        rules: `RULES` array of one.
        games: `STATE`, shape (n,).
        seats: int8, shape (n,); NONE for a potential of 0.
        values: float64, shape (n,).
    """
    needs = np.zeros(3, np.int64)
    for i in range(len(games)):
        seat = int(seats[i])
        values[i] = 0.0
        if seat != NONE:
            hand_needs(rules, games, i, seat, needs)
            values[i] = -(needs[0] + _deadwood(rules, games, i, seat) / _POINTS_PER_CARD)


@kernel
def _deadwood(rules, games, i, seat):
    """Points of the hand, without those of melds that the seat may lay freely."""
    r, g = rules[0], games[i]
    points = hand_points(rules, games, i, seat)
    if not r.extra_melds or (r.num_contracts > 0 and g.down[seat] == DOWN_NO):
        return points
    held = g.held[seat]
    return points - best_partition(rules, int(held[0]), int(held[1]), int(held[2]), int(g.hands[seat, JOKER]))
