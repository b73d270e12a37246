"""What a hand still costs, as one number: the potential that reward shaping takes differences of.

A hand costs a card for each card that it lacks for its contract (`hand_needs`; none once it is down, and none without
contracts), and a card for every ten points that it would be charged if the deal ended now. So laying the contract
lowers the cost, as drawing nearer to it does.
"""

import numpy as np

from rummy_env.engine.hand_needs import hand_needs
from rummy_env.engine.jit import allocating_kernel
from rummy_env.engine.score import hand_points
from rummy_env.engine.state import NONE

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
            values[i] = -(needs[0] + hand_points(rules, games, i, seat) / _POINTS_PER_CARD)
