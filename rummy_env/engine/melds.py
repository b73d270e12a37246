"""Sets and runs as bit arithmetic on masks of naturals, and what the melds on the table take.

A mask has bit ``13 * suit + rank`` for each natural. In a run the ace follows the king, so a queen may start Q K A;
the rules' `run_starts` mask says which faces may start a run of three.
"""

from rummy_env.engine.bits import count_bits
from rummy_env.engine.jit import kernel
from rummy_env.engine.state import DOWN_EARLIER, DOWN_NO, DOWN_THIS_TURN, NONE, RUN, SET, SWAP_NONE, SWAP_OTHERS_RUNS

SUIT = 0x1FFF
NATURALS = (1 << 52) - 1
COLUMN = 1 | 1 << 13 | 1 << 26 | 1 << 39
"""The aces; shifted by a rank, the four cards of that rank."""
KINGS = COLUMN << 12
JOKER = 52
JOKER_BIT = 1 << JOKER


@kernel
def following(cards):
    """Mask of the faces whose successor in a run is in `cards`."""
    return ((cards >> 1) & ~KINGS & NATURALS) | ((cards & COLUMN) << 12)


@kernel
def run_starts(cards, starts):
    """Mask of the faces of `starts` that begin three consecutive cards of `cards`."""
    second = following(cards)
    return cards & second & following(second) & starts


@kernel
def run_window(start):
    """Mask of the three faces of the run that starts at `start`."""
    if start % 13 == 11:
        return 3 << start | 1 << (start - 11)
    return 7 << start


@kernel
def cards_of_windows(starts):
    """Mask of the faces in any of the runs of three from `starts`."""
    queens = starts & COLUMN << 11
    return starts | starts << 1 | (starts & ~queens) << 2 | queens >> 11


@kernel
def set_starts(cards):
    """Mask of the faces whose three rank mates of the other suits are all in `cards`."""
    clubs = cards & SUIT
    diamonds = (cards >> 13) & SUIT
    hearts = (cards >> 26) & SUIT
    spades = (cards >> 39) & SUIT
    return (
        diamonds & hearts & spades
        | (clubs & hearts & spades) << 13
        | (clubs & diamonds & spades) << 26
        | (clubs & diamonds & hearts) << 39
    )


@kernel
def set_window(left_out):
    """Mask of the three rank mates of the face `left_out`."""
    return COLUMN << (left_out % 13) & ~(1 << left_out)


@kernel
def face_at(suit, position):
    """Face at a position 1 … 14 of a run."""
    return 13 * suit + (position - 1) % 13


@kernel
def remove(first, second, third, cards):
    """Hand planes (held at least 1, 2, 3 times) after one copy of each face of `cards` has gone."""
    return (first & ~cards) | (second & cards), (second & ~cards) | (third & cards), third & ~cards


@kernel
def low_end(rules, games, i, meld, joker):
    """Face that run `meld` takes below its low end, or NONE; `joker`: a joker would stand for it."""
    r, g = rules[0], games[i]
    low = int(g.meld_low[meld])
    if low == 1 or (low == 2 and g.meld_high[meld] == 14 and not r.double_ace_run):
        return NONE
    if joker and not r.adjacent_jokers and (int(g.meld_jokers[meld]) >> low) & 1:
        return NONE
    return face_at(int(g.meld_key[meld]), low - 1)


@kernel
def high_end(rules, games, i, meld, joker):
    """Face that run `meld` takes above its high end, or NONE; `joker`: a joker would stand for it."""
    r, g = rules[0], games[i]
    high = int(g.meld_high[meld])
    if high >= r.max_position or (high == 13 and g.meld_low[meld] == 1 and not r.double_ace_run):
        return NONE
    if joker and not r.adjacent_jokers and (int(g.meld_jokers[meld]) >> high) & 1:
        return NONE
    return face_at(int(g.meld_key[meld]), high + 1)


@kernel
def open_suits(rules, games, i, meld):
    """Mask of the faces that the set `meld` still takes."""
    r, g = rules[0], games[i]
    if not r.layoff_on_sets:
        return 0
    taken = 0
    for suit in range(4):
        if (int(g.meld_low[meld]) >> suit) & 1:
            taken |= 1 << (13 * suit)
    return ((COLUMN & ~taken) << int(g.meld_key[meld])) & r.naturals


@kernel
def may_lay_off(rules, games, i):
    """Whether the player to move may lay off at all now."""
    r, g = rules[0], games[i]
    player = int(g.player)
    if r.num_contracts > 0 and g.down[player] == DOWN_NO:
        return bool(r.all_at_once[g.contract]) and g.laying_sets == 0 and g.laying_runs == 0
    if r.layoff_requires_own_meld:
        for meld in range(g.num_melds):
            if g.meld_owner[meld] == player:
                return True
        return False
    return True


@kernel
def takes_lay_offs(rules, games, i, meld):
    """Whether scope and timing let the player to move lay off on `meld`."""
    r, g = rules[0], games[i]
    player = int(g.player)
    if r.layoff_own and g.meld_owner[meld] != player:
        return False
    if r.layoff_later_turn:
        if r.num_contracts == 0:
            return meld < g.num_melds - g.melds_this_turn
        if g.down[player] == DOWN_THIS_TURN:
            return g.meld_owner[meld] == player
    return True


@kernel
def table_ends(rules, games, i, joker, anybody):
    """Masks of the faces that fit at a low end, at a high end and on a set.

    `joker`: a joker would stand for them. `anybody`: regardless of who may lay off where.
    """
    low, high, sets = 0, 0, 0
    if not anybody and not may_lay_off(rules, games, i):
        return low, high, sets
    g = games[i]
    for meld in range(g.num_melds):
        if not anybody and not takes_lay_offs(rules, games, i, meld):
            continue
        if g.meld_kind[meld] == RUN:
            face = low_end(rules, games, i, meld, joker)
            if face != NONE:
                low |= 1 << face
            face = high_end(rules, games, i, meld, joker)
            if face != NONE:
                high |= 1 << face
        else:
            sets |= open_suits(rules, games, i, meld)
    return low, high, sets


@kernel
def swappable(rules, games, i, seat):
    """Mask of the identities of the jokers in runs that `seat` may exchange when it is down from an earlier turn."""
    r, g = rules[0], games[i]
    faces = 0
    if r.swap_scope == SWAP_NONE:
        return faces
    for meld in range(g.num_melds):
        if g.meld_kind[meld] == SET or g.meld_jokers[meld] == 0:
            continue
        if r.swap_scope == SWAP_OTHERS_RUNS and g.meld_owner[meld] == seat:
            continue
        for position in range(g.meld_low[meld], g.meld_high[meld] + 1):
            if (int(g.meld_jokers[meld]) >> position) & 1:
                faces |= 1 << face_at(int(g.meld_key[meld]), position)
    return faces


@kernel
def may_swap(games, i):
    """Whether the player to move is down from an earlier turn."""
    return games[i].down[games[i].player] == DOWN_EARLIER


@kernel
def jokers_fit(rules, window, start, jokers, is_run):
    """Whether a base meld of three may have jokers exactly at the faces `jokers` of its `window`."""
    r = rules[0]
    if 3 - count_bits(jokers) < r.min_naturals:
        return False
    if is_run and not r.adjacent_jokers:
        middle = window & (2 << start)
        if jokers & middle and jokers != middle:
            return False
    return True
