"""Legal actions, phase by phase: what the rules of the moment allow and the turn can be finished after.

Legal actions are a row of `NUM_BLOCKS` masks over faces (bit 0 for the two draws). Most of them are seen to be
finishable from the number of cards that could be discarded; the others are searched.
"""

from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.candidates import (
    before_contract,
    candidates,
    contract_left,
    finishing_all_at_once,
)
from rummy_env.engine.contract import can_meet
from rummy_env.engine.cover import most_cards
from rummy_env.engine.finish import can_finish_after
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import (
    JOKER,
    JOKER_BIT,
    may_swap,
    swappable,
    table_ends,
)
from rummy_env.engine.state import (
    BLOCK_DECLARE,
    BLOCK_DISCARD,
    BLOCK_DRAW_STOCK,
    BLOCK_MELD_RUN,
    BLOCK_MELD_SET,
    BLOCK_SWAP,
    BLOCK_TAKE,
    BLOCK_TAKE_TOP,
    DISCARD_FORBIDDEN,
    DOWN_NO,
    JOKER_DISCARD_YES,
    NONE,
    NUM_BLOCKS,
    OVER_NO,
    PHASE_DRAW,
)


@kernel
def _spare_cards(rules, games, i, banned):
    """Cards in the hand of the player to move that could end the turn, whatever else is placed."""
    r, g = rules[0], games[i]
    player = int(g.player)
    spare = int(g.hand_size[player])
    if r.joker_discard != JOKER_DISCARD_YES:
        spare -= int(g.hands[player, JOKER])
        if banned == JOKER:
            return spare
    if banned != NONE:
        spare -= int(g.hands[player, banned])
    return spare


@kernel
def can_draw_stock(rules, games, i):
    """Whether the stock has a card, or can be made to have one."""
    r, g = rules[0], games[i]
    return g.stock_size > 0 or (g.pile_size >= 2 and (r.max_recycles == NONE or g.recycles < r.max_recycles))


@kernel
def _can_take_top(rules, games, i):
    g = games[i]
    if g.pile_size == 0:
        return False
    if _spare_cards(rules, games, i, int(g.pile[g.pile_size - 1])) >= 1:
        return True
    return can_finish_after(rules, games, i, BLOCK_TAKE_TOP, 0)


@kernel
def _deep_takes_down(rules, games, i):
    """Deep pick-ups of a player who may place single cards."""
    r, g = rules[0], games[i]
    player = int(g.player)
    low, high, sets = table_ends(rules, games, i, False, False)
    fits = low | high | sets
    swaps = 0
    if r.num_jokers > 0:
        low, high, sets = table_ends(rules, games, i, True, False)
        joker_fits = low | high | sets != 0
        if r.swap_scope and may_swap(games, i):
            swaps = swappable(rules, games, i, player)
        if joker_fits:
            fits |= JOKER_BIT | swaps
    certain = _spare_cards(rules, games, i, NONE) >= 1
    legal = 0
    seen = 0
    for index in range(g.pile_size - 2, -1, -1):
        face = int(g.pile[index])
        if (seen >> face) & 1:
            continue
        seen |= 1 << face
        if (fits >> face) & 1 and certain:
            legal |= 1 << face
        elif ((fits | swaps) >> face) & 1 or r.extra_melds:
            if can_finish_after(rules, games, i, BLOCK_TAKE, face):
                legal |= 1 << face
    return legal


@kernel
def _deep_takes_for_contract(rules, games, i):
    """Deep pick-ups of a player who must lay the whole contract at once for them."""
    r, g = rules[0], games[i]
    player = int(g.player)
    a, b, c = int(g.held[player, 0]), int(g.held[player, 1]), int(g.held[player, 2])
    jokers = int(g.hands[player, JOKER])
    size = int(g.hand_size[player])
    sets, runs = contract_left(rules, games, i)
    all_at_once = r.all_at_once[g.contract]
    legal = 0
    seen = 0
    for index in range(g.pile_size - 1, -1, -1):
        face = int(g.pile[index])
        bit = 1 << face
        size += 1
        if face == JOKER:
            jokers += 1
        else:
            c |= b & bit
            b |= a & bit
            a |= bit
        if index == g.pile_size - 1 or seen & bit:
            continue
        seen |= bit
        if size < 3 * (sets + runs):
            continue
        if all_at_once:
            if size > most_cards(sets, runs) + 1:
                break
            if can_finish_after(rules, games, i, BLOCK_TAKE, face):
                legal |= bit
            continue
        if not can_meet(rules, a, b, c, jokers, sets, runs, 0, 0, face):
            continue
        held_back = jokers if r.joker_discard != JOKER_DISCARD_YES else 0
        rest = size - 3 * (sets + runs)
        if rest > held_back + 1 or can_finish_after(rules, games, i, BLOCK_TAKE, face):
            legal |= bit
    return legal


@kernel
def _legal_draws(rules, games, i, words, row):
    r, g = rules[0], games[i]
    if can_draw_stock(rules, games, i):
        words[row, BLOCK_DRAW_STOCK] = 1
    if _can_take_top(rules, games, i):
        words[row, BLOCK_TAKE_TOP] = 1
    if r.deep_take and g.pile_size >= 2:
        if r.num_contracts > 0 and g.down[g.player] == DOWN_NO:
            words[row, BLOCK_TAKE] = _deep_takes_for_contract(rules, games, i)
        else:
            words[row, BLOCK_TAKE] = _deep_takes_down(rules, games, i)


@kernel
def _keep_finishable(rules, games, i, words, row, block):
    """Drop the actions of a block after which the turn cannot be finished."""
    faces = words[row, block]
    while faces:
        face = lowest_bit(faces)
        faces &= faces - 1
        if not can_finish_after(rules, games, i, block, face):
            words[row, block] &= ~(1 << face)


@kernel
def _certainly_finishable(rules, games, i, block):
    """Whether after any candidate of this block a card is left to end the turn with, or none at all by the rules."""
    r, g = rules[0], games[i]
    player = int(g.player)
    size = int(g.hand_size[player])
    spare = _spare_cards(rules, games, i, int(g.taken))
    if before_contract(rules, games, i):
        if r.all_at_once[g.contract]:
            return False
        sets, runs = contract_left(rules, games, i)
        rest = size + count_bits(int(g.declared)) - 3 * (sets + runs)
        return rest == 0 or rest > max(size - spare, 1)
    if finishing_all_at_once(rules, games, i):
        return False
    used = 1
    if block == BLOCK_MELD_RUN or block == BLOCK_MELD_SET:
        used = 3
    elif block == BLOCK_DECLARE:
        if r.extra_melds:
            used = 3
        if g.obliged != NONE:
            return False
    elif block == BLOCK_SWAP:
        low, high, sets = table_ends(rules, games, i, True, False)
        if low | high | sets == 0:
            return False
    left = size - used
    return spare > used and (left >= 2 or r.final_discard != DISCARD_FORBIDDEN)


@kernel
def legal_actions(rules, games, i, words, row):
    """Write the legal actions of the player to move into `words[row]` (int64, NUM_BLOCKS); none in a finished game."""
    g = games[i]
    if g.over != OVER_NO or g.phase == PHASE_DRAW:
        for block in range(NUM_BLOCKS):
            words[row, block] = 0
        if g.over == OVER_NO:
            _legal_draws(rules, games, i, words, row)
        return
    candidates(rules, games, i, words, row)
    for block in range(BLOCK_DECLARE, BLOCK_DISCARD):
        if words[row, block] and not _certainly_finishable(rules, games, i, block):
            _keep_finishable(rules, games, i, words, row, block)


@kernel
def is_blocked(rules, games, i):
    """Whether the player to move, about to draw, has no legal draw."""
    g = games[i]
    if can_draw_stock(rules, games, i) or _can_take_top(rules, games, i):
        return False
    r = rules[0]
    if not r.deep_take or g.pile_size < 2:
        return True
    if r.num_contracts > 0 and g.down[g.player] == DOWN_NO:
        return _deep_takes_for_contract(rules, games, i) == 0
    return _deep_takes_down(rules, games, i) == 0


@kernel
def write_mask(rules, words, row, masks, index):
    """Spread legal actions over `masks[index]` (int8, num_actions)."""
    r = rules[0]
    mask = masks[index]
    mask[:] = 0
    for block in range(NUM_BLOCKS):
        base = int(r.action_base[block])
        faces = words[row, block]
        while faces:
            mask[base + lowest_bit(faces)] = 1
            faces &= faces - 1
