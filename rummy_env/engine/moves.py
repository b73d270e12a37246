"""What each action does to the cards, within one turn. Nothing here asks whether the action is legal."""

from rummy_env.engine.bits import lowest_bit
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import (
    JOKER,
    face_at,
    high_end,
    low_end,
    open_suits,
    run_window,
    set_window,
    takes_lay_offs,
)
from rummy_env.engine.shuffle import shuffle
from rummy_env.engine.state import (
    BLOCK_DECLARE,
    BLOCK_LAYOFF_HIGH,
    BLOCK_LAYOFF_LOW,
    BLOCK_LAYOFF_SET,
    BLOCK_MELD_RUN,
    BLOCK_MELD_SET,
    BLOCK_SWAP,
    DOWN_NO,
    DOWN_THIS_TURN,
    NONE,
    PHASE_PLAY,
    RUN,
    SET,
    SWAP_OTHERS_RUNS,
)


@kernel
def add_card(games, i, seat, face):
    """Put one card into a hand."""
    g = games[i]
    count = int(g.hands[seat, face])
    g.hands[seat, face] = count + 1
    g.hand_size[seat] += 1
    if face != JOKER:
        g.held[seat, count] |= 1 << int(face)


@kernel
def remove_card(games, i, seat, face):
    """Take one card out of a hand, and out of what the others know of it."""
    g = games[i]
    count = int(g.hands[seat, face]) - 1
    g.hands[seat, face] = count
    g.hand_size[seat] -= 1
    if face != JOKER:
        g.held[seat, count] &= ~(1 << int(face))
    if g.known[seat, face] > 0:
        g.known[seat, face] -= 1
        if g.known[seat, face] == 0:
            g.known_faces[seat] &= ~(1 << int(face))


@kernel
def recycle(games, i):
    """Shuffle the discards, all but the top one, into a new stock."""
    g = games[i]
    count = int(g.pile_size) - 1
    for index in range(count):
        g.stock[index] = g.pile[index]
    g.stock_size = count
    g.pile[0] = g.pile[count]
    g.pile_size = 1
    g.recycles += 1
    shuffle(g.random, g.stock, count)


@kernel
def draw_stock(games, i):
    """Draw the top of the stock, recycling the pile first when the stock is empty."""
    g = games[i]
    player = int(g.player)
    if g.pile_size > 0:
        g.refused[player] |= 1 << int(g.pile[g.pile_size - 1])
    if g.stock_size == 0:
        recycle(games, i)
    g.stock_size -= 1
    add_card(games, i, player, int(g.stock[g.stock_size]))
    g.phase = PHASE_PLAY


@kernel
def _pick_up(games, i, count):
    g = games[i]
    player = int(g.player)
    for _ in range(count):
        g.pile_size -= 1
        face = int(g.pile[g.pile_size])
        add_card(games, i, player, face)
        g.known[player, face] += 1
        g.known_faces[player] |= 1 << face
        g.discarded[player] &= ~(1 << face)
        g.refused[player] &= ~(1 << face)
    g.phase = PHASE_PLAY


@kernel
def take_top(games, i):
    """Take the single top discard, which may not be discarded this turn."""
    g = games[i]
    g.taken = g.pile[g.pile_size - 1]
    _pick_up(games, i, 1)


@kernel
def take_deep(games, i, face):
    """Take the topmost copy of `face` below the top with every card above it; `face` must be placed next."""
    g = games[i]
    index = int(g.pile_size) - 2
    while g.pile[index] != face:
        index -= 1
    g.obliged = face
    _pick_up(games, i, int(g.pile_size) - index)


@kernel
def declare(games, i, face):
    """Announce the freed joker, or else one from the hand, as `face`."""
    g = games[i]
    g.declared |= 1 << face
    if g.freed:
        g.freed = 0
    else:
        remove_card(games, i, int(g.player), JOKER)


@kernel
def _use_cards(games, i, faces, by_joker):
    """Take the naturals of a placement out of the hand and use up the declared jokers `by_joker`."""
    g = games[i]
    player = int(g.player)
    naturals = faces & ~by_joker
    while naturals:
        face = lowest_bit(naturals)
        naturals &= naturals - 1
        remove_card(games, i, player, face)
        if face == g.obliged:
            g.obliged = NONE
    if by_joker:
        g.declared &= ~by_joker
        if g.obliged == JOKER:
            g.obliged = NONE
    g.played_this_turn = 1
    g.swapping = 0


@kernel
def meld(rules, games, i, faces, start):
    """Lay a base meld of three: the run from `start`, or (`start` = NONE) the set of these faces."""
    r, g = rules[0], games[i]
    player = int(g.player)
    by_joker = faces & int(g.declared)
    index = int(g.num_melds)
    g.num_melds += 1
    g.meld_owner[index] = player
    jokers = 0
    if start != NONE:
        suit, low = start // 13, start % 13 + 1
        g.meld_kind[index], g.meld_key[index] = RUN, suit
        g.meld_low[index], g.meld_high[index] = low, low + 2
        for position in range(low, low + 3):
            jokers |= ((by_joker >> face_at(suit, position)) & 1) << position
    else:
        rank, suits = lowest_bit(faces) % 13, 0
        for suit in range(4):
            suits |= ((faces >> (13 * suit + rank)) & 1) << suit
            jokers |= ((by_joker >> (13 * suit + rank)) & 1) << suit
        g.meld_kind[index], g.meld_key[index] = SET, rank
        g.meld_low[index], g.meld_high[index] = suits, 0
    g.meld_jokers[index] = jokers
    _use_cards(games, i, faces, by_joker)
    g.melds_this_turn += 1

    if r.num_contracts > 0 and g.down[player] == DOWN_NO:
        if g.laying_sets == NONE:
            g.laying_sets = r.contract_sets[g.contract]
            g.laying_runs = r.contract_runs[g.contract]
        if start != NONE:
            g.laying_runs -= 1
        else:
            g.laying_sets -= 1
        if g.laying_sets == 0 and g.laying_runs == 0 and not r.all_at_once[g.contract]:
            g.laying_sets, g.laying_runs = NONE, NONE
            g.down[player] = DOWN_THIS_TURN


@kernel
def lay_off(rules, games, i, block, face):
    """Put `face` (its declared joker, if there is one) onto the first meld that takes it."""
    g = games[i]
    by_joker = int(g.declared) & (1 << face)
    joker = by_joker != 0
    for index in range(g.num_melds):
        if not takes_lay_offs(rules, games, i, index):
            continue
        if block == BLOCK_LAYOFF_SET:
            if g.meld_kind[index] == SET and (open_suits(rules, games, i, index) >> face) & 1:
                g.meld_low[index] |= 1 << (face // 13)
                g.meld_jokers[index] |= int(joker) << (face // 13)
                break
        elif g.meld_kind[index] == RUN:
            if block == BLOCK_LAYOFF_LOW and low_end(rules, games, i, index, joker) == face:
                g.meld_low[index] -= 1
                g.meld_jokers[index] |= int(joker) << int(g.meld_low[index])
                break
            if block == BLOCK_LAYOFF_HIGH and high_end(rules, games, i, index, joker) == face:
                g.meld_high[index] += 1
                g.meld_jokers[index] |= int(joker) << int(g.meld_high[index])
                break
    _use_cards(games, i, 1 << face, by_joker)


@kernel
def swap(rules, games, i, face):
    """Put the natural `face` in the place of the first joker that stands for it in a run; the joker is freed."""
    r, g = rules[0], games[i]
    for index in range(g.num_melds):
        if g.meld_kind[index] == SET or g.meld_jokers[index] == 0 or g.meld_key[index] != face // 13:
            continue
        if r.swap_scope == SWAP_OTHERS_RUNS and g.meld_owner[index] == g.player:
            continue
        for position in range(g.meld_low[index], g.meld_high[index] + 1):
            if (int(g.meld_jokers[index]) >> position) & 1 and (position - 1) % 13 == face % 13:
                g.meld_jokers[index] &= ~(1 << position)
                _use_cards(games, i, 1 << face, 0)
                g.freed, g.swapping = 1, 1
                return


@kernel
def discard(games, i, face):
    """Put a card from the hand onto the pile."""
    g = games[i]
    player = int(g.player)
    remove_card(games, i, player, face)
    g.pile[g.pile_size] = face
    g.pile_size += 1
    g.discarded[player] |= 1 << face


@kernel
def place(rules, games, i, block, face):
    """Apply an action between the draw and the discard."""
    if block == BLOCK_DECLARE:
        declare(games, i, face)
    elif block == BLOCK_MELD_RUN:
        meld(rules, games, i, run_window(face), face)
    elif block == BLOCK_MELD_SET:
        meld(rules, games, i, set_window(face), NONE)
    elif block == BLOCK_SWAP:
        swap(rules, games, i, face)
    elif block == BLOCK_LAYOFF_LOW or block == BLOCK_LAYOFF_HIGH or block == BLOCK_LAYOFF_SET:
        lay_off(rules, games, i, block, face)


@kernel
def hand_played_out(games, i):
    """Whether the player to move has no card left, in hand or in the air."""
    g = games[i]
    return g.hand_size[g.player] == 0 and g.declared == 0 and not g.freed
