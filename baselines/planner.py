"""Planner: works towards the nearest contract or meld, by distance, then by what may still come, then by points.

A hand is worth, in points, less the further it is from its contract, more the likelier the next card helps, and less
the more its loose cards would cost if somebody went out now. The player takes the top discard if that brings it nearer,
lays what it can at once, naturals before jokers, and throws the card that leaves the hand of most worth.
"""

import numpy as np

from baselines.hand import cards_above, in_melds, live_copies, nearest_take, preceding
from baselines.lay_down import after_contract
from baselines.tuned import Weight, WeightedAgent
from rummy_env.engine.all_at_once import needs_of_all
from rummy_env.engine.bits import lowest_bit
from rummy_env.engine.candidates import before_contract, contract_left
from rummy_env.engine.distance import needs_of_contract
from rummy_env.engine.jit import allocating_kernel, kernel
from rummy_env.engine.melds import (
    JOKER,
    JOKER_BIT,
    NATURALS,
    following,
    remove,
    run_starts,
    run_window,
    set_starts,
    set_window,
    table_ends,
)
from rummy_env.engine.partition import best_partition, card_points, meld_outs, naturals_points
from rummy_env.engine.policies import Policy
from rummy_env.engine.seen import pile_copies, unseen_copies
from rummy_env.engine.state import (
    BLOCK_DECLARE,
    BLOCK_DISCARD,
    BLOCK_DRAW_STOCK,
    BLOCK_LAYOFF_HIGH,
    BLOCK_LAYOFF_LOW,
    BLOCK_LAYOFF_SET,
    BLOCK_MELD_RUN,
    BLOCK_MELD_SET,
    BLOCK_SWAP,
    BLOCK_TAKE,
    BLOCK_TAKE_TOP,
    DISCARD_FORBIDDEN,
    PHASE_DRAW,
)

WEIGHTS = {
    "distance": Weight("points that each card missing for the contract costs", 10.0, 200.0),
    "outs": Weight(
        "points it would be worth if every unseen card completed a meld or brought the contract nearer", 5.0, 200.0
    ),
    "chain": Weight("the same for cards that would let another be laid off", 0.0, 60.0),
    "card": Weight("points that a loose card costs besides its own, without contracts", 0.0, 6.0),
    "points": Weight("share of the points of loose cards that counts", 0.0, 1.2),
    "late": Weight("what is added to that share, divided by the cards of the shortest other hand", 0.0, 4.0),
    "take": Weight("gain for which the top discard is taken", -2.0, 8.0),
    "deep": Weight("most cards that are picked up from the pile to lay the contract", 0.0, 16.0),
    "spare": Weight("most of them that are not laid off at once by a player who is down", 0.0, 4.0),
}
DISTANCE, OUTS, CHAIN, CARD, POINTS, LATE, TAKE, DEEP, SPARE = range(len(WEIGHTS))


@kernel
def all_at_once(rules, games, i):
    """Whether the player to move has to lay its whole hand at once."""
    return before_contract(rules, games, i) and rules[0].all_at_once[games[i].contract] != 0


@kernel
def hand_worth(rules, games, i, first, second, third, jokers, size, around, weights):
    """What a hand of the player to move is worth after its discard, in points.

    Args:
        rules: `RULES` array of one.
        games: Views; `i`: which of them.
        i: See `games`.
        first: Naturals held at least once; `second`, `third`: twice, three times.
        second: See `first`.
        third: See `first`.
        jokers: Jokers held.
        size: Cards held.
        around: What `look_around` tells.
        weights: float64, the parameters.
    """
    r = rules[0]
    one, two, three, unseen_jokers, total, risk, low, high, on_sets, in_pile, returning = around
    loose = card_points(rules, first, second, third, jokers)
    cards = 1.0 * size
    if before_contract(rules, games, i):
        sets, runs = contract_left(rules, games, i)
        if r.all_at_once[games[i].contract]:
            last = 0 if r.all_at_once_discard == DISCARD_FORBIDDEN else 1
            distance, _, outs = needs_of_all(rules, first, second, third, jokers, sets, runs, size + 1 - last)
        else:
            distance, _, outs = needs_of_contract(rules, first, second, third, jokers, sets, runs)
        if distance == 0 and not r.all_at_once[games[i].contract]:
            left, _, helpful = after_contract(rules, first, second, third, sets, runs, low | high | on_sets)
            return weights[CHAIN] * live_copies(helpful, one, two, three, unseen_jokers) / total - risk * left
        coming = live_copies(outs, one, two, three, unseen_jokers)
        coming += returning * live_copies(outs, in_pile[0], in_pile[1], in_pile[2], in_pile[3])
        return weights[OUTS] * coming / total - weights[DISTANCE] * distance - risk * loose
    chain = high & following(first) | low & preceding(first)
    worth = weights[CHAIN] * live_copies(chain, one, two, three, unseen_jokers) / total
    if not r.extra_melds:
        return worth - risk * loose
    if run_starts(first, int(r.run_starts)) or set_starts(first) or jokers:
        loose -= best_partition(rules, first, second, third, jokers)
        cards = loose / 6.0
    outs = meld_outs(rules, first, second, third, jokers)
    worth += weights[OUTS] * live_copies(outs, one, two, three, unseen_jokers) / total
    return worth - risk * loose - weights[CARD] * cards


@kernel
def look_around(rules, games, i, weights, returning):
    """What `hand_worth` is told besides: planes and number of unseen cards, the weight of points, what the table takes.

    `returning`: what a copy in the pile, which comes back, counts beside an unseen one on the way to a contract.
    """
    g = games[i]
    player = int(g.player)
    one, two, three, jokers = unseen_copies(rules, games, i, player)
    total = live_copies(NATURALS | JOKER_BIT, one, two, three, jokers)
    fewest = 20
    for seat in range(rules[0].num_players):
        if seat != player:
            fewest = min(fewest, int(g.hand_size[seat]))
    risk = weights[POINTS] + weights[LATE] / max(fewest, 1)
    low, high, on_sets = table_ends(rules, games, i, False, True)
    return one, two, three, jokers, max(total, 1), risk, low, high, on_sets, pile_copies(games, i), returning


@kernel
def best_discard(rules, games, i, first, second, third, jokers, size, faces, around, weights, costs):
    """Face of a mask whose discard leaves the hand of most worth less its cost, and that worth."""
    best, most = -1, -np.inf
    if rules[0].num_contracts == 0:
        # A card of a meld is hardly ever the one to throw, and its worth is dear to compute.
        loose = faces & ~in_melds(rules, first)
        faces = loose if loose else faces
    while faces:
        face = lowest_bit(faces)
        faces &= faces - 1
        if face == JOKER:
            worth = hand_worth(rules, games, i, first, second, third, jokers - 1, size - 1, around, weights)
        else:
            a, b, c = remove(first, second, third, 1 << face)
            worth = hand_worth(rules, games, i, a, b, c, jokers, size - 1, around, weights)
        worth -= costs[face]
        if worth > most:
            best, most = face, worth
    return best, most


@kernel
def choose_draw(rules, games, i, words, row, around, weights, costs):
    """Action that draws."""
    r = rules[0]
    takes = int(words[row, BLOCK_TAKE])
    if takes:
        face = nearest_take(games, i, takes)
        if _is_worth_it(rules, games, i, face, weights):
            return int(r.action_base[BLOCK_TAKE]) + face
    if not words[row, BLOCK_TAKE_TOP]:
        if words[row, BLOCK_DRAW_STOCK]:
            return int(r.action_base[BLOCK_DRAW_STOCK])
        return int(r.action_base[BLOCK_TAKE]) + nearest_take(games, i, takes)
    if not words[row, BLOCK_DRAW_STOCK] or _takes_top(rules, games, i, around, weights, costs):
        return int(r.action_base[BLOCK_TAKE_TOP])
    return int(r.action_base[BLOCK_DRAW_STOCK])


@kernel
def _is_worth_it(rules, games, i, face, weights):
    """Whether the cards of a deep pick-up are few enough, or nearly all of them can be laid off at once."""
    cards = cards_above(games, i, face)
    if before_contract(rules, games, i):
        return all_at_once(rules, games, i) or cards <= weights[DEEP]
    g = games[i]
    low, high, sets = table_ends(rules, games, i, False, False)
    fits, placed = low | high | sets, 0
    for index in range(g.pile_size - cards, g.pile_size):
        bit = 1 << int(g.pile[index])
        placed += int(fits & bit != 0)
        fits &= ~bit
    return placed >= cards - weights[SPARE]


@kernel
def _takes_top(rules, games, i, around, weights, costs):
    """Whether the top discard is worth more than it would be to throw the card that comes from the stock."""
    g = games[i]
    player = int(g.player)
    face = int(g.pile[g.pile_size - 1])
    low, high, sets = table_ends(rules, games, i, face == JOKER, False)
    fits = low | high | sets
    if (fits >> face) & 1 or (face == JOKER and fits):
        return True
    first, second, third = int(g.held[player, 0]), int(g.held[player, 1]), int(g.held[player, 2])
    jokers, size = int(g.hands[player, JOKER]), int(g.hand_size[player])
    now = hand_worth(rules, games, i, first, second, third, jokers, size, around, weights)
    thrown = first | (JOKER_BIT if jokers else 0)
    if face == JOKER:
        jokers += 1
    else:
        bit = 1 << face
        first, second, third = first | bit, second | first & bit, third | second & bit
    thrown &= ~(1 << face)
    if thrown == 0:
        return False
    _, then = best_discard(rules, games, i, first, second, third, jokers, size + 1, thrown, around, weights, costs)
    return then - now > weights[TAKE]


@kernel
def choose_placement(rules, games, i, words, row):
    """Action that places cards, or -1 where none may be placed: melds, lay-offs, exchanges, jokers last."""
    r = rules[0]
    action = _choose_meld(rules, games, i, words, row)
    if action >= 0:
        return action
    for block in (BLOCK_LAYOFF_SET, BLOCK_LAYOFF_LOW, BLOCK_LAYOFF_HIGH, BLOCK_SWAP, BLOCK_DECLARE):
        if words[row, block]:
            return int(r.action_base[block]) + lowest_bit(words[row, block])
    return -1


@kernel
def _choose_meld(rules, games, i, words, row):
    """The meld that leaves the hand with the fewest points, after the best further melds where these are free."""
    r, g = rules[0], games[i]
    player = int(g.player)
    first, second, third = int(g.held[player, 0]), int(g.held[player, 1]), int(g.held[player, 2])
    jokers = int(g.hands[player, JOKER])
    further = r.extra_melds and not before_contract(rules, games, i)
    best, most = -1, -1
    for block in (BLOCK_MELD_SET, BLOCK_MELD_RUN):
        faces = words[row, block]
        while faces:
            face = lowest_bit(faces)
            faces &= faces - 1
            window = set_window(face) if block == BLOCK_MELD_SET else run_window(face)
            naturals = window & ~int(g.declared)
            worth = naturals_points(rules, naturals)
            if further:
                a, b, c = remove(first, second, third, naturals)
                worth += best_partition(rules, a, b, c, jokers)
            if worth > most:
                best, most = int(r.action_base[block]) + face, worth
    return best


@kernel
def choose_discard(rules, games, i, words, row, around, weights, costs):
    """Action that discards."""
    g = games[i]
    player = int(g.player)
    face, _ = best_discard(
        rules,
        games,
        i,
        int(g.held[player, 0]),
        int(g.held[player, 1]),
        int(g.held[player, 2]),
        int(g.hands[player, JOKER]),
        int(g.hand_size[player]),
        words[row, BLOCK_DISCARD],
        around,
        weights,
        costs,
    )
    return int(rules[0].action_base[BLOCK_DISCARD]) + face


@kernel
def first_weight(rules, parameters):
    """Where in the parameters the half begins that belongs to the rules."""
    return 0 if rules[0].num_contracts > 0 else len(parameters) // 2


@allocating_kernel
def act(rules, games, i, words, row, parameters, stream):
    """The policy: `parameters` are the weights for games with contracts, then those for games without."""
    costs = np.zeros(53)
    start = first_weight(rules, parameters)
    weights = parameters[start : start + len(parameters) // 2]
    drawing = games[i].phase == PHASE_DRAW
    if not drawing:
        action = choose_placement(rules, games, i, words, row)
        if action >= 0:
            return action
    around = look_around(rules, games, i, weights, 0.0)
    if drawing:
        return choose_draw(rules, games, i, words, row, around, weights, costs)
    return choose_discard(rules, games, i, words, row, around, weights, costs)


PLANNER = Policy(act)


class Planner(WeightedAgent):
    """The player; see the module.

    Args:
        seed: Seed of the agent; it does nothing at random.
        **weights: Weights (see `WEIGHTS`) that are not to be the tuned ones.
    """

    def __init__(self, seed: int = 0, **weights: float) -> None:
        super().__init__(PLANNER, "planner", WEIGHTS, weights, seed)
