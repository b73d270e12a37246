"""Another deal of the hidden cards that agrees with everything one seat knows."""

import numpy as np

from rummy_env.engine.jit import allocating_kernel, kernel
from rummy_env.engine.legal import legal_actions
from rummy_env.engine.moves import add_card
from rummy_env.engine.shuffle import random_below, random_word, shuffle
from rummy_env.engine.state import NUM_BLOCKS, OVER_NO, STATE

_TRIES = 64


@kernel
def _redeal(rules, games, i, viewer, keep, stream):
    """Mix the unknown cards of all seats but `viewer` and `keep` with the stock and deal them out again."""
    r, g = rules[0], games[i]
    count = int(g.stock_size)
    for seat in range(r.num_players):
        if seat == viewer or seat == keep:
            continue
        for face in range(53):
            for _ in range(g.hands[seat, face] - g.known[seat, face]):
                g.stock[count] = face
                count += 1
    shuffle(stream, g.stock, count)
    for seat in range(r.num_players):
        if seat == viewer or seat == keep:
            continue
        unknown = int(g.hand_size[seat])
        g.hands[seat, :] = 0
        g.held[seat, :] = 0
        g.hand_size[seat] = 0
        for face in range(53):
            for _ in range(g.known[seat, face]):
                add_card(games, i, seat, face)
        for _ in range(unknown - int(g.hand_size[seat])):
            count -= 1
            add_card(games, i, seat, int(g.stock[count]))


@allocating_kernel
def determinize(rules, games, i, viewer, words, row, stream):
    """Resample all that seat `viewer` cannot know: other hands, the order of the stock, future deals.

    Cards known from the pile stay where they are. While another seat is in the middle of a turn that its hidden cards
    must complete, hands that could not complete it are dealt again; after many failures that hand is kept.

    `words[row]` is scratch; `stream` (int64, shape (4,)) is advanced.
    """
    g = games[i]
    g.seed = random_word(stream) | random_below(stream, 1 << 30) << 32
    for index in range(4):
        g.random[index] = random_word(stream)
    mover = int(g.player)
    if g.over != OVER_NO or mover == viewer:
        _redeal(rules, games, i, viewer, viewer, stream)
        return
    before = np.empty(1, STATE)
    before[0] = games[i]
    for _ in range(_TRIES):
        _redeal(rules, games, i, viewer, viewer, stream)
        legal_actions(rules, games, i, words, row)
        for block in range(NUM_BLOCKS):
            if words[row, block]:
                return
    games[i] = before[0]
    _redeal(rules, games, i, viewer, mover, stream)
