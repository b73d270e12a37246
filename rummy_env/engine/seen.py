"""Which cards a seat has seen: its own hand, the pile, the melds, and what others are known to hold.

Collections of naturals are count planes: masks of the faces of which there are at least 1, 2, 3 copies.
"""

from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import JOKER, NATURALS, SUIT
from rummy_env.engine.state import RUN


@kernel
def add_copies(one, two, three, cards):
    """Count planes after one more copy of each face of `cards`."""
    return one | cards, two | (one & cards), three | (two & cards)


@kernel
def together(one, two, three, a, b, c):
    """Count planes of two collections together."""
    one, two, three = add_copies(one, two, three, a)
    one, two, three = add_copies(one, two, three, b)
    return add_copies(one, two, three, c)


@kernel
def pile_copies(games, i):
    """Count planes and jokers of the discard pile."""
    g = games[i]
    a, b, c, jokers = 0, 0, 0, 0
    for k in range(int(g.pile_size)):
        face = int(g.pile[k])
        jokers += int(face == JOKER)
        a, b, c = add_copies(a, b, c, 1 << face)
    return a & NATURALS, b & NATURALS, c & NATURALS, jokers


@kernel
def table_copies(games, i):
    """Count planes and jokers of the melds."""
    g = games[i]
    a, b, c, jokers = 0, 0, 0, 0
    for meld in range(g.num_melds):
        key, by_joker = int(g.meld_key[meld]), int(g.meld_jokers[meld])
        jokers += count_bits(by_joker)
        if g.meld_kind[meld] == RUN:
            places = (2 << int(g.meld_high[meld])) - (1 << int(g.meld_low[meld]))
            ranks = (places & ~by_joker) >> 1
            a, b, c = add_copies(a, b, c, (ranks & SUIT) << (13 * key))
            if ranks >> 13:
                a, b, c = add_copies(a, b, c, 1 << (13 * key))
        else:
            suits = int(g.meld_low[meld]) & ~by_joker
            column = suits & 1 | (suits & 2) << 12 | (suits & 4) << 24 | (suits & 8) << 36
            a, b, c = add_copies(a, b, c, column << key)
    return a, b, c, jokers


@kernel
def add_known(rules, games, i, viewer, one, two, three):
    """Count planes after all that others than `viewer` are known to hold, and the jokers among it."""
    r, g = rules[0], games[i]
    jokers = 0
    for seat in range(r.num_players):
        if seat == viewer:
            continue
        known = int(g.known_faces[seat])
        while known:
            face = lowest_bit(known)
            known &= known - 1
            for _ in range(g.known[seat, face]):
                if face == JOKER:
                    jokers += 1
                else:
                    one, two, three = add_copies(one, two, three, 1 << face)
    return one, two, three, jokers


@kernel
def unseen_copies(rules, games, i, viewer):
    """Count planes and jokers of what is in the stock or unknown in other hands, for all that seat `viewer` knows."""
    r, g = rules[0], games[i]
    one, two, three = int(g.held[viewer, 0]), int(g.held[viewer, 1]), int(g.held[viewer, 2])
    jokers = int(g.hands[viewer, JOKER]) + count_bits(int(g.declared)) + int(g.freed)
    a, b, c, in_pile = pile_copies(games, i)
    one, two, three = together(one, two, three, a, b, c)
    a, b, c, on_table = table_copies(games, i)
    one, two, three = together(one, two, three, a, b, c)
    one, two, three, known = add_known(rules, games, i, viewer, one, two, three)
    one, two, three = not_in(rules, one, two, three)
    return one, two, three, int(r.num_jokers) - jokers - in_pile - on_table - known


@kernel
def not_in(rules, one, two, three):
    """Count planes of the naturals of the packs that are not among these."""
    naturals, packs = int(rules[0].naturals), int(rules[0].num_packs)
    if packs == 1:
        return naturals & ~one, 0, 0
    if packs == 2:
        return naturals & ~two, naturals & ~one, 0
    return naturals & ~three, naturals & ~two, naturals & ~one
