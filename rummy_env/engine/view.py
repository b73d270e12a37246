"""A game as one seat sees it: a `STATE` of its own in which nothing hidden is left.

Of the other hands only the cards that everybody knows are there (``hand_size`` counts them all), the stock has its size
but no cards, and the random stream is blank. All kernels that ask what the viewer may do work on it as on the game.
"""

from rummy_env.engine.bits import lowest_bit
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import JOKER, NATURALS
from rummy_env.engine.state import MAX_CARDS, MAX_PACKS, NONE


@kernel
def see(rules, games, i, viewer, views, row):
    """Write what seat `viewer` sees of `games[i]` to `views[row]` (`STATE`)."""
    views[row] = games[i]
    g = views[row]
    g.seed = 0
    g.random[:] = 0
    for index in range(MAX_CARDS):  # cards that were drawn are still in the unused part
        g.stock[index] = NONE
    for seat in range(rules[0].num_players):
        if seat == viewer:
            continue
        for face in range(JOKER + 1):
            g.hands[seat, face] = g.known[seat, face]
        for copies in range(MAX_PACKS):
            g.held[seat, copies] = 0
        naturals = int(g.known_faces[seat]) & NATURALS
        while naturals:
            face = lowest_bit(naturals)
            naturals &= naturals - 1
            for copies in range(g.known[seat, face]):
                g.held[seat, copies] |= 1 << face
