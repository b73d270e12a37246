"""Counting the cards that lie open or are known, as planes: masks of the naturals there at least 1, 2, 3 times."""

from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import JOKER, NATURALS, SUIT
from rummy_env.engine.state import RUN


@kernel
def add(one, two, three, cards):
    """Planes after one more copy of each face of `cards`."""
    return one | cards, two | (one & cards), three | (two & cards)


@kernel
def union(one, two, three, a, b, c):
    """Planes of two collections together."""
    one, two, three = add(one, two, three, a)
    one, two, three = add(one, two, three, b)
    return add(one, two, three, c)


@kernel
def pile_planes(games, i):
    """Planes of the discard pile, and its number of jokers."""
    g = games[i]
    one, two, three, jokers = 0, 0, 0, 0
    for k in range(g.pile_size):
        face = int(g.pile[k])
        jokers += int(face == JOKER)
        one, two, three = add(one, two, three, 1 << face)
    return one & NATURALS, two & NATURALS, three & NATURALS, jokers


@kernel
def table_planes(games, i):
    """Planes of the naturals in melds, and the number of jokers there."""
    g = games[i]
    one, two, three, jokers = 0, 0, 0, 0
    for meld in range(g.num_melds):
        key, by_joker = int(g.meld_key[meld]), int(g.meld_jokers[meld])
        jokers += count_bits(by_joker)
        if g.meld_kind[meld] == RUN:
            places = (2 << int(g.meld_high[meld])) - (1 << int(g.meld_low[meld]))
            ranks = (places & ~by_joker) >> 1
            one, two, three = add(one, two, three, (ranks & SUIT) << (13 * key))
            if ranks >> 13:
                one, two, three = add(one, two, three, 1 << (13 * key))
        else:
            suits = int(g.meld_low[meld]) & ~by_joker
            column = suits & 1 | (suits & 2) << 12 | (suits & 4) << 24 | (suits & 8) << 36
            one, two, three = add(one, two, three, column << key)
    return one, two, three, jokers


@kernel
def add_known(rules, games, i, viewer, one, two, three):
    """Planes with the cards that the other seats are known to hold, and how many jokers these hold."""
    g = games[i]
    jokers = 0
    for seat in range(rules[0].num_players):
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
                    one, two, three = add(one, two, three, 1 << face)
    return one, two, three, jokers


@kernel
def unseen_planes(rules, games, i, viewer):
    """Planes of the naturals that seat `viewer` cannot place anywhere, and the number of such jokers.

    They are in the stock or unknown in the other hands. Those behind a recycled pile count as unseen again.
    """
    r, g = rules[0], games[i]
    one, two, three = int(g.held[viewer, 0]), int(g.held[viewer, 1]), int(g.held[viewer, 2])
    a, b, c, in_pile = pile_planes(games, i)
    one, two, three = union(one, two, three, a, b, c)
    a, b, c, on_table = table_planes(games, i)
    one, two, three = union(one, two, three, a, b, c)
    one, two, three, known = add_known(rules, games, i, viewer, one, two, three)
    in_the_air = count_bits(int(g.declared)) + int(g.freed)
    jokers = int(r.num_jokers) - int(g.hands[viewer, JOKER]) - in_pile - on_table - known - in_the_air
    naturals = int(r.naturals)
    if r.num_packs == 1:
        return naturals & ~one, 0, 0, jokers
    if r.num_packs == 2:
        return naturals & ~two, naturals & ~one, 0, jokers
    return naturals & ~three, naturals & ~two, naturals & ~one, jokers
