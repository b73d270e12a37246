"""The random stream of one game: Chris Doty-Humphrey's sfc32, kept in 32-bit words so that it is exact everywhere.

Every deal has a stream of its own, derived from the seed of the game and the index of the deal: what happens in one
deal never changes the cards of the next.
"""

from rummy_env.engine.jit import kernel

_WORD = 0xFFFFFFFF
_WARM_UP = 16

STREAM_GAME = 1
"""Stream for what is drawn once per game; deal d uses ``STREAM_DEAL + d``, the player of seat s ``STREAM_SEAT + s``."""
STREAM_SEAT = 2
STREAM_DEAL = 16


@kernel
def start_stream(games, i, stream):
    """Set the stream of game `i` to number `stream` of its seed."""
    set_stream(games[i].random, int(games[i].seed), stream)


@kernel
def set_stream(state, seed, stream):
    """Set a stream (int64, shape (4,)) to number `stream` of a seed (0 … 2**63 - 1)."""
    state[0] = seed & _WORD
    state[1] = (seed >> 32) & _WORD
    state[2] = stream
    state[3] = 1
    for _ in range(_WARM_UP):
        random_word(state)


@kernel
def random_word(state):
    """Advance a stream (int64, shape (4,)) and return 32 random bits."""
    a, b, c, counter = int(state[0]), int(state[1]), int(state[2]), int(state[3])
    word = (a + b + counter) & _WORD
    state[0] = b ^ (b >> 9)
    state[1] = (c + (c << 3)) & _WORD
    state[2] = ((((c << 21) | (c >> 11)) & _WORD) + word) & _WORD
    state[3] = (counter + 1) & _WORD
    return word


@kernel
def random_below(state, bound):
    """A whole number from 0 to ``bound - 1``, all equally likely (1 <= bound < 2**31)."""
    product = random_word(state) * bound
    if (product & _WORD) < bound:
        rest = (_WORD + 1) % bound
        while (product & _WORD) < rest:
            product = random_word(state) * bound
    return product >> 32


@kernel
def shuffle(state, cards, count):
    """Shuffle the first `count` entries of `cards` in place."""
    for last in range(count - 1, 0, -1):
        other = random_below(state, last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card
