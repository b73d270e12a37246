"""What several players ask of a hand: which cards belong together, which is dearest, what is still to come."""

from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import (
    COLUMN,
    JOKER_BIT,
    KINGS,
    NATURALS,
    SUIT,
    cards_of_windows,
    following,
    run_starts,
    set_starts,
    set_window,
)


@kernel
def preceding(cards):
    """Mask of the faces whose predecessor in a run is in `cards`; the ace follows the king."""
    return ((cards & ~KINGS) << 1) & NATURALS | (cards & KINGS) >> 12


@kernel
def run_mates(rules, cards):
    """Mask of the cards of `cards` that could be in one run of three with another of them."""
    low, high = cards, cards
    if rules[0].max_position < 14:
        # Without the high ace nothing leads from the king to the ace.
        low, high = cards & ~KINGS, cards & ~COLUMN
    one = preceding(low) & high
    two = preceding(preceding(low) & ~KINGS if rules[0].max_position < 14 else preceding(low)) & high
    return one | following(one) & cards | two | following(following(two)) & cards


@kernel
def set_mates(cards):
    """Mask of the cards of `cards` that share their rank with another suit of them."""
    clubs, diamonds = cards & SUIT, (cards >> 13) & SUIT
    hearts, spades = (cards >> 26) & SUIT, (cards >> 39) & SUIT
    ranks = clubs & diamonds | (clubs | diamonds) & (hearts | spades) | hearts & spades
    return cards & (ranks | ranks << 13 | ranks << 26 | ranks << 39)


@kernel
def in_melds(rules, cards):
    """Mask of the cards of `cards` that are in a set or run of three of them."""
    together = cards_of_windows(run_starts(cards, int(rules[0].run_starts)))
    left_out = set_starts(cards)
    while left_out:
        together |= set_window(lowest_bit(left_out))
        left_out &= left_out - 1
    return together


@kernel
def completes_meld(rules, cards, face, sets, runs):
    """Whether `face` makes a new set (where `sets`) or run (where `runs`) of three with `cards`."""
    together = cards | 1 << face
    if sets and set_starts(together) & ~set_starts(cards):
        return True
    starts = int(rules[0].run_starts)
    return runs and run_starts(together, starts) & ~run_starts(cards, starts) != 0


@kernel
def dearest(rules, faces):
    """The face of most points in a mask that is not empty; the lowest of several."""
    best = lowest_bit(faces)
    faces &= faces - 1
    while faces:
        face = lowest_bit(faces)
        faces &= faces - 1
        if rules[0].points[face] > rules[0].points[best]:
            best = face
    return best


@kernel
def hand_points(rules, games, i, seat):
    """Points of the cards that `seat` holds."""
    total = 0
    for face in range(53):
        total += int(games[i].hands[seat, face]) * int(rules[0].points[face])
    return total


@kernel
def live_copies(faces, one, two, three, jokers):
    """Unseen copies of the faces of a mask; the other arguments as `seen.unseen_copies` gives them."""
    copies = count_bits(faces & one) + count_bits(faces & two) + count_bits(faces & three)
    return copies + jokers if faces & JOKER_BIT else copies


@kernel
def cards_above(games, i, face):
    """How many cards a deep pick-up of `face` brings, itself included."""
    g = games[i]
    index = int(g.pile_size) - 2
    while g.pile[index] != face:
        index -= 1
    return int(g.pile_size) - index


@kernel
def nearest_take(games, i, faces):
    """Face of the deep pick-up of `faces` (a mask that is not empty) that brings the fewest cards."""
    index = int(games[i].pile_size) - 2
    while not (faces >> int(games[i].pile[index])) & 1:
        index -= 1
    return int(games[i].pile[index])


@kernel
def held_chance(rules, games, i, seat, face, around):
    """Chance that `seat` holds `face`, from what is known of its hand and the number of unseen cards."""
    g = games[i]
    if g.known[seat, face] > 0:
        return 1.0
    one, two, three, _, total = around[:5]
    copies = ((one >> face) & 1) + ((two >> face) & 1) + ((three >> face) & 1)
    hidden = int(g.hand_size[seat])
    faces = int(g.known_faces[seat])
    while faces:
        hidden -= int(g.known[seat, lowest_bit(faces)])
        faces &= faces - 1
    return min(1.0, copies * hidden / total)


@kernel
def meld_chance(rules, games, i, seat, face, around, doubt):
    """Chance (a sum, at most 1) that `seat` holds two cards that make a meld of three with the natural `face`.

    Pairs that would have melded with a card that the seat discarded or left lying count `doubt` times.
    """
    g = games[i]
    rank, suit = face % 13, face // 13
    left = int(g.refused[seat]) | int(g.discarded[seat])
    factor = doubt if left & (COLUMN << rank) else 1.0
    p = held_chance(rules, games, i, seat, (face + 13) % 52, around)
    q = held_chance(rules, games, i, seat, (face + 26) % 52, around)
    s = held_chance(rules, games, i, seat, (face + 39) % 52, around)
    chance = factor * (p * q + p * s + q * s)
    top = int(rules[0].max_position)
    for low in range(rank - 1, rank + 2):
        # The run at positions low … low + 2, without the face itself.
        if low < 1 or low + 2 > top:
            continue
        pair = 1.0
        for position in range(low, low + 3):
            if position != rank + 1:
                pair *= held_chance(rules, games, i, seat, 13 * suit + (position - 1) % 13, around)
        other = low - 1 if low + 2 == rank + 1 else low + 3
        if low != rank and 1 <= other <= top and (left >> (13 * suit + (other - 1) % 13)) & 1:
            pair *= doubt
        chance += pair
    return min(1.0, chance)
