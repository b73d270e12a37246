"""Whole games: dealing, applying one action, the end of a turn, of a deal and of the game."""

from rummy_env.engine.jit import kernel
from rummy_env.engine.legal import is_blocked
from rummy_env.engine.melds import JOKER
from rummy_env.engine.moves import add_card, discard, draw_stock, hand_played_out, place, take_deep, take_top
from rummy_env.engine.score import score_deal
from rummy_env.engine.shuffle import STREAM_DEAL, STREAM_GAME, random_below, random_word, shuffle, start_stream
from rummy_env.engine.state import (
    BLOCK_DECLARE,
    BLOCK_DISCARD,
    BLOCK_DRAW_STOCK,
    BLOCK_TAKE,
    BLOCK_TAKE_TOP,
    DEALER_CUT,
    DEALER_RANDOM,
    DOWN_EARLIER,
    DOWN_THIS_TURN,
    GAME_SINGLE_DEAL,
    GAME_TARGET,
    NONE,
    NUM_BLOCKS,
    OVER_BLOCKED,
    OVER_CAPPED,
    OVER_NO,
    OVER_OUT,
    PHASE_DRAW,
)


@kernel
def start_game(rules, games, i, seed):
    """Make `games[i]` a new game from `seed` (0 … 2**63 - 1), with its first deal dealt."""
    r, g = rules[0], games[i]
    g.seed = seed
    g.over = OVER_NO
    g.scores[:] = 0
    g.decisions = 0
    g.deals_done = 0
    g.last_reason, g.last_out, g.last_rummy = OVER_NO, NONE, 0
    g.last_turns, g.last_deal, g.last_contract = 0, 0, 0
    g.last_hand_points[:] = 0
    g.last_points[:] = 0
    start_stream(games, i, STREAM_GAME)
    g.dealer = _first_dealer(rules, games, i)
    g.deal = _draw_deal(rules, games, i) if r.game_end == GAME_SINGLE_DEAL else 0
    start_deal(rules, games, i)


@kernel
def _first_dealer(rules, games, i):
    r, g = rules[0], games[i]
    seats = int(r.num_players)
    if r.first_dealer == DEALER_RANDOM:
        return random_below(g.random, seats)
    if r.first_dealer == DEALER_CUT:
        return _cut_for_deal(rules, games, i)
    return int(r.first_dealer)


@kernel
def _draw_deal(rules, games, i):
    r, g = rules[0], games[i]
    if r.deal_below[int(r.num_deals) - 1] == 0:
        return random_below(g.random, int(r.num_deals))
    word, deal = random_word(g.random), 0
    while word >= r.deal_below[deal]:
        deal += 1
    return deal


@kernel
def _cut_for_deal(rules, games, i):
    """Everybody draws a card: jokers draw again, the lowest rank (ace low) deals, ties draw again among themselves.

    A deck in which the cut decides nothing leaves it to chance.
    """
    r, g = rules[0], games[i]
    seats = int(r.num_players)
    if r.num_ranks == 1 or int(r.num_packs) * int(r.num_suits) * int(r.num_ranks) < seats:
        return random_below(g.random, seats)
    contenders = (1 << seats) - 1
    while contenders & (contenders - 1):
        count = _gather_pack(rules, games, i)
        shuffle(g.random, g.stock, count)
        lowest, holders = 99, 0
        for seat in range(seats):
            if not (contenders >> seat) & 1:
                continue
            count -= 1
            while g.stock[count] == JOKER:
                count -= 1
            rank = int(g.stock[count]) % 13
            if rank < lowest:
                lowest, holders = rank, 0
            if rank == lowest:
                holders |= 1 << seat
        contenders = holders
    dealer = 0
    while contenders > 1:
        contenders >>= 1
        dealer += 1
    return dealer


@kernel
def _gather_pack(rules, games, i):
    """Put every card into the stock, in order; how many there are."""
    r, g = rules[0], games[i]
    count = 0
    for _ in range(r.num_packs):
        for suit in range(r.num_suits):
            for rank in range(r.num_ranks):
                g.stock[count] = 13 * suit + rank
                count += 1
    for _ in range(r.num_jokers):
        g.stock[count] = JOKER
        count += 1
    return count


@kernel
def start_deal(rules, games, i):
    """Shuffle and deal, turn the upcard, and give the turn to the left of the dealer."""
    r, g = rules[0], games[i]
    seats = int(r.num_players)
    g.contract = r.deals[int(g.deal) % int(r.num_deals)]
    g.hands[:] = 0
    g.held[:] = 0
    g.hand_size[:] = 0
    g.down[:] = 0
    g.played_before[:] = 0
    g.known[:] = 0
    g.known_faces[:] = 0
    g.discarded[:] = 0
    g.refused[:] = 0
    g.num_melds = 0
    g.turn, g.recycles = 0, 0

    start_stream(games, i, STREAM_DEAL + int(g.deals_done))
    count = _gather_pack(rules, games, i)
    shuffle(g.random, g.stock, count)
    for _ in range(r.hand_sizes[g.contract]):
        for seat in range(seats):
            count -= 1
            add_card(games, i, seat, int(g.stock[count]))
    count -= 1
    g.pile[0] = g.stock[count]
    g.pile_size, g.stock_size = 1, count
    _start_turn(games, i, (int(g.dealer) + 1) % seats)


@kernel
def _start_turn(games, i, player):
    g = games[i]
    g.player = player
    g.phase = PHASE_DRAW
    g.taken, g.obliged = NONE, NONE
    g.laying_sets, g.laying_runs = NONE, NONE
    g.declared, g.freed, g.swapping = 0, 0, 0
    g.played_this_turn, g.melds_this_turn = 0, 0


@kernel
def _end_turn(rules, games, i):
    """After a discard that leaves cards in the hand."""
    r, g = rules[0], games[i]
    player = int(g.player)
    if g.down[player] == DOWN_THIS_TURN:
        g.down[player] = DOWN_EARLIER
    g.played_before[player] |= g.played_this_turn
    g.turn += 1
    if g.turn >= r.max_turns:
        end_deal(rules, games, i, OVER_CAPPED)
        return
    _start_turn(games, i, (player + 1) % int(r.num_players))
    if is_blocked(rules, games, i):
        end_deal(rules, games, i, OVER_BLOCKED)


@kernel
def end_deal(rules, games, i, reason):
    """Score the deal; deal the next one, or end the game and leave the last position as it is."""
    r, g = rules[0], games[i]
    score_deal(rules, games, i, reason)
    over = r.game_end == GAME_SINGLE_DEAL or g.deals_done >= r.max_deals
    if r.game_end == GAME_TARGET:
        for seat in range(r.num_players):
            over = over or g.scores[seat] >= r.target_score
    if over:
        g.over = reason
        return
    g.deal += 1
    g.dealer = (int(g.dealer) + 1) % int(r.num_players)
    start_deal(rules, games, i)


@kernel
def block_of(rules, action):
    """Block of an action id of the layout compiled into `rules`."""
    r = rules[0]
    block = NUM_BLOCKS - 1
    while r.action_base[block] == NONE or r.action_base[block] > action:
        block -= 1
    return block


@kernel
def apply_action(rules, games, i, action):
    """Apply a legal action; it may end the turn, the deal (the next one is dealt) or the game."""
    g = games[i]
    block = block_of(rules, action)
    face = int(action) - int(rules[0].action_base[block])
    g.decisions += 1
    if block == BLOCK_DRAW_STOCK:
        draw_stock(games, i)
    elif block == BLOCK_TAKE_TOP:
        take_top(games, i)
    elif block == BLOCK_TAKE:
        take_deep(games, i, face)
    elif block == BLOCK_DISCARD:
        discard(games, i, face)
        if hand_played_out(games, i):
            g.turn += 1
            end_deal(rules, games, i, OVER_OUT)
        else:
            _end_turn(rules, games, i)
    else:
        place(rules, games, i, block, face)
        if block != BLOCK_DECLARE and hand_played_out(games, i):
            g.turn += 1
            end_deal(rules, games, i, OVER_OUT)
