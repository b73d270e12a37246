"""Another deal of the hidden cards that agrees with everything one seat knows."""

import numpy as np

from rummy_env.engine.bits import lowest_bit
from rummy_env.engine.jit import allocating_kernel, kernel
from rummy_env.engine.legal import legal_actions
from rummy_env.engine.melds import JOKER
from rummy_env.engine.moves import add_card
from rummy_env.engine.seen import unseen_copies
from rummy_env.engine.shuffle import random_below, random_word, shuffle
from rummy_env.engine.state import NUM_BLOCKS, OVER_NO, STATE

_TRIES = 64


@kernel
def redeal(rules, games, i, kept, stream):
    """Mix the unknown cards of all seats but those of the mask `kept` with the stock and deal them out again."""
    r, g = rules[0], games[i]
    count = int(g.stock_size)
    for seat in range(r.num_players):
        if (kept >> seat) & 1:
            continue
        for face in range(53):
            for _ in range(g.hands[seat, face] - g.known[seat, face]):
                g.stock[count] = face
                count += 1
    _deal_out(rules, games, i, kept, count, stream)


@kernel
def _deal_out(rules, games, i, kept, count, stream):
    """Shuffle the first `count` cards of the stock and fill the hands from its top, beside what is known of them."""
    r, g = rules[0], games[i]
    shuffle(stream, g.stock, count)
    for seat in range(r.num_players):
        if (kept >> seat) & 1:
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


@kernel
def _renew_future(games, i, stream):
    """Draw anew what decides recycled piles and the deals to come."""
    g = games[i]
    g.seed = random_word(stream) | random_below(stream, 1 << 30) << 32
    for index in range(4):
        g.random[index] = random_word(stream)


@kernel
def complete(rules, views, row, viewer, stream):
    """Make a game of `views[row]`, in which seat `viewer` is to move, by dealing out all that it cannot know.

    What may come out, and how likely, is as with `determinize`; `stream` (int64, shape (4,)) is advanced.
    """
    g = views[row]
    _renew_future(views, row, stream)
    one, two, three, jokers = unseen_copies(rules, views, row, viewer)
    count = 0
    for plane in (one, two, three):
        faces = plane
        while faces:
            g.stock[count] = lowest_bit(faces)
            faces &= faces - 1
            count += 1
    for _ in range(jokers):
        g.stock[count] = JOKER
        count += 1
    _deal_out(rules, views, row, 1 << viewer, count, stream)


@allocating_kernel
def determinize(rules, games, i, viewer, words, row, stream):
    """Resample all that seat `viewer` cannot know: other hands, the order of the stock, future deals.

    Cards known from the pile stay where they are. While another seat is in the middle of a turn that its hidden cards
    must complete, hands that could not complete it are dealt again; after many failures that hand is kept.

    `words[row]` is scratch; `stream` (int64, shape (4,)) is advanced.
    """
    g = games[i]
    _renew_future(games, i, stream)
    mover = int(g.player)
    if g.over != OVER_NO or mover == viewer:
        redeal(rules, games, i, 1 << viewer, stream)
        return
    before = np.empty(1, STATE)
    before[0] = games[i]
    for _ in range(_TRIES):
        redeal(rules, games, i, 1 << viewer, stream)
        legal_actions(rules, games, i, words, row)
        for block in range(NUM_BLOCKS):
            if words[row, block]:
                return
    games[i] = before[0]
    redeal(rules, games, i, 1 << viewer | 1 << mover, stream)
