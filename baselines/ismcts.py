"""ISMCTS: information-set Monte Carlo tree search by a single observer.

Every iteration walks down one tree in another world that the view allows, so that a node, which is a sequence of
actions, averages over all worlds in which it can be reached. Below the tree the deal is played out by a simpler player,
whose action is also the first that a new node tries; others follow as its visits grow.
"""

import math

import numpy as np

from baselines.playout import check_counts, count_legal, decide, imagine, play_out, playout_parameters, shorten
from rummy_env.agents import CompiledAgent
from rummy_env.engine.batch import choose, is_in_words
from rummy_env.engine.jit import allocating_kernel, kernel
from rummy_env.engine.legal import legal_actions
from rummy_env.engine.play import apply_action, block_of
from rummy_env.engine.policies import Policy
from rummy_env.engine.score import deal_rewards
from rummy_env.engine.state import MAX_PLAYERS, NONE, NUM_BLOCKS, OVER_NO, RULES, STATE

ITERATIONS, EXPLORATION, WIDTH, HORIZON, TRIES, PLAYOUT = range(6)
"""Places of the parameters: see `Ismcts`; from `PLAYOUT` on those of the player who plays out."""

NODE = np.dtype(
    (
        np.record,
        [
            ("action", "i4"),  # that led here
            ("seat", "i1"),  # that chose it
            ("child", "i4"),  # the newest, or NONE
            ("sibling", "i4"),  # the next older, or NONE
            ("visits", "i4"),
            ("available", "i4"),  # visits of the parent in which the action was legal
            ("total", "f8"),  # rewards of the seat
        ],
    )
)
_DEPTH = 64


@kernel
def _add_node(nodes, count, parent, action, seat):
    """Make ``nodes[count]`` a child of `parent`, or the root where that is NONE."""
    node = nodes[count]
    node.action, node.seat = action, seat
    node.child, node.sibling = NONE, NONE
    node.visits, node.available, node.total = 0, 1, 0.0
    if parent != NONE:
        node.sibling = nodes[parent].child
        nodes[parent].child = count


@kernel
def _select(rules, words, nodes, parent, exploration):
    """The legal child to visit by upper confidence bound, or NONE; legal children are marked as available.

    `words[0]` loses their actions, so that it keeps those that were never tried.
    """
    r = rules[0]
    best, most = NONE, -math.inf
    child = int(nodes[parent].child)
    while child != NONE:
        node = nodes[child]
        action = int(node.action)
        if is_in_words(rules, words, 0, action):
            block = block_of(rules, action)
            words[0, block] &= ~(1 << (action - int(r.action_base[block])))
            node.available += 1
            bound = node.total / node.visits + exploration * math.sqrt(math.log(node.available) / node.visits)
            if bound > most:
                best, most = child, bound
        child = int(node.sibling)
    return best


@kernel
def _is_wide(words, before, nodes, parent, width):
    """Whether a node may not take another child yet: of `before` legal actions those in `words[0]` were never tried."""
    untried = count_legal(words, 0)
    return untried == 0 or before - untried >= width * math.sqrt(nodes[parent].visits + 1.0)


@allocating_kernel
def act(rules, views, i, words, row, parameters, stream):
    """The policy: the action that was visited most."""
    player = parameters[PLAYOUT:]
    if count_legal(words, row) == 1:
        return choose(rules, words, row, stream)
    viewer, iterations = int(views[i].player), int(parameters[ITERATIONS])
    short = np.empty(1, RULES)
    shorten(rules, views, i, int(parameters[HORIZON]), short)
    games = np.empty(2, STATE)
    legal = np.empty((1, NUM_BLOCKS), np.int64)
    rewards = np.empty((1, MAX_PLAYERS), np.float32)
    choices = np.empty(4, np.int64)
    path = np.empty(_DEPTH, np.int64)
    nodes = np.empty(iterations + 1, NODE)
    _add_node(nodes, 0, NONE, NONE, NONE)
    count = 1
    for _ in range(iterations):
        imagine(rules, views, i, viewer, int(parameters[TRIES]), games, stream)
        here, depth, grown = 0, 0, False
        while games[0].over == OVER_NO and not grown and depth < _DEPTH:
            legal_actions(short, games, 0, legal, 0)
            before = count_legal(legal, 0)
            first = decide(short, games, 0, legal, 0, player, stream)
            child = _select(short, legal, nodes, here, parameters[EXPLORATION])
            if child == NONE or not _is_wide(legal, before, nodes, here, parameters[WIDTH]):
                action = first if is_in_words(short, legal, 0, first) else choose(short, legal, 0, stream)
                _add_node(nodes, count, here, action, int(games[0].player))
                child, grown = count, True
                count += 1
            here = child
            path[depth] = here
            depth += 1
            apply_action(short, games, 0, int(nodes[here].action))
        play_out(short, games, 0, legal, 0, player, choices)
        deal_rewards(short, games, 0, rewards, 0)
        nodes[0].visits += 1
        for level in range(depth):
            node = nodes[path[level]]
            node.visits += 1
            node.total += rewards[0, node.seat]
    return _most_visited(nodes)


@kernel
def _most_visited(nodes):
    child = int(nodes[0].child)
    best = child
    while child != NONE:
        if nodes[child].visits >= nodes[best].visits:  # of several the one tried first
            best = child
        child = int(nodes[child].sibling)
    return int(nodes[best].action)


ISMCTS = Policy(act)


class Ismcts(CompiledAgent):
    """The player; see the module.

    Args:
        iterations: Walks down the tree, each in a world of its own.
        exploration: Weight of the bound's second part, in the unit of the rewards (hundreds of points).
        width: A node has at most so many tried actions per square root of its visits.
        horizon: Turns after which a deal that is played out is cut and scored as it stands.
        tries: Hands that each other seat is dealt in a world, of which the most developed stays.
        playout: The simpler player, who plays the deals out: "greedy", "cautious" or "auto" (see `playout.decide`).
        seed: Everything random follows from it, until `reset` sets another.

    Raises:
        ArgumentError: `iterations`, `horizon` or `tries` is no whole number from 1, or there is no such `playout`.
    """

    def __init__(
        self,
        iterations: int = 1024,
        exploration: float = 0.3,
        width: float = 0.3,
        horizon: int = 40,
        tries: int = 1,
        playout: str = "greedy",
        seed: int = 0,
    ) -> None:
        check_counts(iterations=iterations, horizon=horizon, tries=tries)
        numbers = [iterations, exploration, width, horizon, tries]
        super().__init__(ISMCTS, [*numbers, *playout_parameters(playout)], seed)
