"""Rollout: flat Monte Carlo; tries each action in many worlds that its view allows and plays the deals out.

All actions are tried in the same worlds, so that luck cancels out in the comparison. After every few worlds those that
are behind beyond chance are dropped, so that the work goes into the close ones.
"""

import math

import numpy as np

from baselines.playout import advise, check_counts, count_legal, imagine, play_out, playout_parameters, shorten
from rummy_env.agents import CompiledAgent
from rummy_env.engine.bits import lowest_bit
from rummy_env.engine.clock import milliseconds as now
from rummy_env.engine.jit import allocating_kernel, kernel
from rummy_env.engine.play import apply_action
from rummy_env.engine.policies import Policy
from rummy_env.engine.score import deal_rewards
from rummy_env.engine.state import (
    BLOCK_DISCARD,
    MAX_PLAYERS,
    NONE,
    NUM_BLOCKS,
    OVER_OUT,
    RULES,
    STATE,
)
from rummy_env.errors import ArgumentError

WORLDS, MILLISECONDS, DROP, GATE, HORIZON, TRIES, WIDTH, PLAYOUT = range(8)
"""Places of the parameters: see `Rollout`; from `PLAYOUT` on those of the player who plays out."""

_ROUND = 16
"""Worlds between two looks at who is behind."""


@kernel
def _list_actions(rules, words, first, actions):
    """Write the legal actions of `words[0]` to `actions` (int64), `first` at the front."""
    actions[0] = first
    count = 1
    for block in range(NUM_BLOCKS):
        faces = int(words[0, block])
        while faces:
            action = int(rules[0].action_base[block]) + lowest_bit(faces)
            faces &= faces - 1
            if action != first:
                actions[count] = action
                count += 1


@kernel
def _total(values, k, played):
    total = 0.0
    for world in range(played):
        total += values[k, world]
    return total


@kernel
def _leader(values, alive, played):
    leader, most = 0, -math.inf
    for k in range(len(alive)):
        if alive[k] and _total(values, k, played) > most:
            leader, most = k, _total(values, k, played)
    return leader


@kernel
def _lead(values, first, second, played):
    """By how many standard errors the first is ahead of the second; infinite where the difference never varied."""
    total = _total(values, first, played) - _total(values, second, played)
    squares = 0.0
    for world in range(played):
        rest = values[first, world] - values[second, world] - total / played
        squares += rest * rest
    if squares <= 1e-9:
        return math.inf
    return total / math.sqrt(squares * played / max(played - 1, 1))


@allocating_kernel
def _choose_between(rules, views, i, words, first, deadline, parameters, stream):
    """The most promising action of `words[0]`; `first`, one of them, where none is better beyond chance.

    No world is begun after `deadline`, in `clock.milliseconds`, but for the first few.
    """
    count = count_legal(words, 0)
    if count == 1:
        return first
    actions = np.empty(count, np.int64)
    _list_actions(rules, words, first, actions)
    viewer, worlds = int(views[i].player), int(parameters[WORLDS])
    short = np.empty(1, RULES)
    shorten(rules, views, i, int(parameters[HORIZON]), short)
    games = np.empty(2, STATE)
    scratch = np.empty((1, NUM_BLOCKS), np.int64)
    choices = np.empty(4, np.int64)
    rewards = np.empty((1, MAX_PLAYERS), np.float32)
    values = np.empty((count, worlds), np.float64)
    alive = np.ones(count, np.bool_)
    left, played, leader = count, 0, 0
    while played < worlds and left > 1 and (played == 0 or now() < deadline):
        until = min(played + _ROUND, worlds)
        for world in range(played, until):
            imagine(rules, views, i, viewer, int(parameters[TRIES]), games, stream)
            for k in range(count):
                if not alive[k]:
                    continue
                games[1] = games[0]
                apply_action(short, games, 1, actions[k])
                if games[1].over == OVER_OUT:
                    return int(actions[k])
                play_out(short, games, 1, scratch, 0, parameters[PLAYOUT:], choices)
                deal_rewards(short, games, 1, rewards, 0)
                values[k, world] = rewards[0, viewer]
        played = until
        leader = _leader(values, alive, played)
        for k in range(count):
            if alive[k] and k != leader and _lead(values, leader, k, played) >= parameters[DROP]:
                alive[k] = False
                left -= 1
    if alive[0] and leader != 0 and _lead(values, leader, 0, played) < parameters[GATE]:
        return first
    return int(actions[leader])


@allocating_kernel
def _keep_promising(rules, views, i, words, width, player, stream):
    """Leave in `words[0]`, all discards, the `width` that the cautious player likes best; the action it likes most."""
    base, kept, favourite = int(rules[0].action_base[BLOCK_DISCARD]), 0, NONE
    while words[0, BLOCK_DISCARD] and width > 0:
        action = advise(rules, views, i, words, 0, player, stream)
        favourite = action if favourite == NONE else favourite
        words[0, BLOCK_DISCARD] &= ~(1 << (action - base))
        kept |= 1 << (action - base)
        width -= 1
    words[0, BLOCK_DISCARD] = kept
    return favourite


@allocating_kernel
def act(rules, views, i, words, row, parameters, stream):
    """The policy."""
    player = parameters[PLAYOUT:]
    limit = parameters[MILLISECONDS]
    deadline = now() + limit if limit > 0 else np.inf
    considered = words[row : row + 1].copy()
    first = advise(rules, views, i, considered, 0, player, stream)
    discards = int(considered[0, BLOCK_DISCARD])
    if discards == 0:
        return _choose_between(rules, views, i, considered, first, deadline, parameters, stream)
    throwing = np.zeros((1, NUM_BLOCKS), np.int64)
    throwing[0, BLOCK_DISCARD] = discards
    thrown = _keep_promising(rules, views, i, throwing, int(parameters[WIDTH]), player, stream)
    considered[0, BLOCK_DISCARD] = 1 << (thrown - int(rules[0].action_base[BLOCK_DISCARD]))
    # Holding back competes with every placement; only if it wins does it matter which card is thrown.
    if count_legal(considered, 0) > 1:
        chosen = _choose_between(rules, views, i, considered, first, deadline, parameters, stream)
        if chosen != thrown:
            return chosen
    return _choose_between(rules, views, i, throwing, thrown, deadline, parameters, stream)


ROLLOUT = Policy(act)


class Rollout(CompiledAgent):
    """The player; see the module.

    Args:
        worlds: Most worlds in which an action is tried.
        milliseconds: Processor time after which no further worlds are tried; None for no such limit. With one, the same
            seed need not give the same decisions.
        drop: Standard errors behind the best at which an action is dropped.
        gate: Standard errors by which an action must beat the one that the cautious player would choose.
        horizon: Turns after which a deal that is played out is cut and scored as it stands.
        tries: Hands that each other seat is dealt in a world, of which the most developed stays.
        width: Discards that are tried, those which the cautious player likes best.
        playout: Who plays the deals out: "greedy", "cautious" or "auto" (see `playout.decide`).
        seed: Everything random follows from it, until `reset` sets another.

    Raises:
        ArgumentError: `worlds`, `horizon`, `tries` or `width` is no whole number from 1, or there is no such `playout`.
    """

    def __init__(
        self,
        worlds: int = 256,
        milliseconds: float | None = None,
        drop: float = 3.0,
        gate: float = 1.0,
        horizon: int = 40,
        tries: int = 1,
        width: int = 5,
        playout: str = "auto",
        seed: int = 0,
    ) -> None:
        check_counts(worlds=worlds, horizon=horizon, tries=tries, width=width)
        if milliseconds is not None and not (isinstance(milliseconds, int | float) and milliseconds > 0):
            raise ArgumentError(f"milliseconds={milliseconds!r} is impossible: expected a number above 0, or none")
        super().__init__(
            ROLLOUT,
            [worlds, milliseconds or 0.0, drop, gate, horizon, tries, width, *playout_parameters(playout)],
            seed,
        )
