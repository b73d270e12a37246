"""What searching players share: worlds that a view allows, and deals that a simpler player plays to their end."""

from collections.abc import Callable

import numpy as np

from baselines import cautious, greedy, planner
from baselines.cautious import Cautious, holds_back
from baselines.greedy import Greedy
from baselines.hand import hand_points, run_mates, set_mates
from baselines.planner import Planner
from rummy_env.agents import CompiledAgent
from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.determinize import complete, redeal
from rummy_env.engine.hand_needs import hand_needs
from rummy_env.engine.jit import allocating_kernel, kernel
from rummy_env.engine.legal import legal_actions
from rummy_env.engine.play import apply_action
from rummy_env.engine.policies import Policy
from rummy_env.engine.shuffle import STREAM_SEAT, set_stream
from rummy_env.engine.state import BLOCK_DISCARD, GAME_SINGLE_DEAL, NUM_BLOCKS, OVER_NO, PHASE_PLAY
from rummy_env.errors import ArgumentError
from rummy_env.options import suggestion

_PLAYERS: dict[str, Callable[[], CompiledAgent]] = {
    "greedy": Greedy,
    "patient": lambda: CompiledAgent(PATIENT, _PATIENCE),
    "planner": Planner,
    "cautious": Cautious,
}
_GREEDY, _PATIENT, _PLANNER = 0, 1, 2

_PATIENCE = (20.0, 3.0)
"""Rounds for which the patient player holds its melds back, and the hand size of another player that ends that."""

_MISSING_CARD = 15
"""Points that a card missing for the contract counts when hands are compared."""


def playout_parameters(name: str) -> list[float]:
    """What tells kernels who plays deals out: a number, and the parameters of that player.

    Raises:
        ArgumentError: There is no such player.
    """
    if name not in _PLAYERS:
        known = ", ".join(_PLAYERS)
        raise ArgumentError(f"playout={name!r} is not known{suggestion(name, _PLAYERS)}: choose {known}")
    return [list(_PLAYERS).index(name), *_PLAYERS[name]().parameters]


def check_counts(**counts: int) -> None:
    """Refuse numbers that are not whole or less than 1, by their names, with an `ArgumentError`."""
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise ArgumentError(f"{name}={count!r} is impossible: expected a whole number from 1")


@kernel
def count_legal(words, row):
    """How many actions are legal."""
    count = 0
    for block in range(NUM_BLOCKS):
        count += count_bits(words[row, block])
    return count


@kernel
def shorten(rules, games, i, horizon, short):
    """Write to ``short[0]`` (`RULES`) the rules by which the game ends with its deal, `horizon` turns from now at most.

    What is scored then is what the rules give for a deal that is capped.
    """
    short[0] = rules[0]
    short[0].game_end = GAME_SINGLE_DEAL
    short[0].max_turns = min(int(rules[0].max_turns), int(games[i].turn) + int(horizon))


@kernel
def _hand_cost(rules, games, i, seat, needs):
    """How undeveloped a hand is, in points; `needs` (int64, shape (3,)) is scratch."""
    hand_needs(rules, games, i, seat, needs)
    cost = needs[0] * _MISSING_CARD + hand_points(rules, games, i, seat)
    if rules[0].extra_melds:
        cards = int(games[i].held[seat, 0])
        mates = set_mates(cards) | run_mates(rules, cards)
        while mates:
            cost -= int(rules[0].points[lowest_bit(mates)])
            mates &= mates - 1
    return cost


@allocating_kernel
def imagine(rules, views, i, viewer, tries, games, stream):
    """Make ``games[0]`` a world that ``views[i]`` allows; ``games[1]`` is scratch.

    Each other hand is the most developed of `tries`: players keep what they need, so theirs are better than chance.
    """
    games[0] = views[i]
    complete(rules, games, 0, viewer, stream)
    if tries == 1:
        return
    needs = np.empty(3, np.int64)
    everybody = (1 << int(rules[0].num_players)) - 1
    for seat in range(rules[0].num_players):
        if seat == viewer:
            continue
        least = _hand_cost(rules, games, 0, seat, needs)
        for _ in range(tries - 1):
            games[1] = games[0]
            redeal(rules, games, 1, everybody & ~(1 << seat), stream)
            cost = _hand_cost(rules, games, 1, seat, needs)
            if cost < least:
                games[0] = games[1]
                least = cost


@kernel
def _act_patiently(rules, games, i, words, row, parameters, stream):
    """Plays as the greedy player does, but where melds are free keeps them so as to go down whole."""
    if (
        games[i].phase == PHASE_PLAY
        and rules[0].num_contracts == 0
        and holds_back(rules, games, i, words, row, parameters[0], parameters[1], 0.0)
    ):
        discards = int(words[row, BLOCK_DISCARD])
        return int(rules[0].action_base[BLOCK_DISCARD]) + greedy.throw_dearest(rules, games, i, discards)
    return greedy.act(rules, games, i, words, row, parameters, stream)


PATIENT = Policy(_act_patiently)


@allocating_kernel
def decide(rules, games, i, words, row, player, stream):
    """Action of the player of `playout_parameters`, who sees no more of a game than of its view."""
    if player[0] == _GREEDY:
        return greedy.act(rules, games, i, words, row, player[1:], stream)
    if player[0] == _PATIENT:
        return _act_patiently(rules, games, i, words, row, player[1:], stream)
    if player[0] == _PLANNER:
        return planner.act(rules, games, i, words, row, player[1:], stream)
    return cautious.act(rules, games, i, words, row, player[1:], stream)


@allocating_kernel
def play_out(rules, games, i, words, row, player, stream):
    """Play `games[i]` to its end, all seats by `decide`; `words[row]` is scratch, `stream` is set from the game."""
    set_stream(stream, int(games[i].seed), STREAM_SEAT)
    while games[i].over == OVER_NO:
        legal_actions(rules, games, i, words, row)
        apply_action(rules, games, i, decide(rules, games, i, words, row, player, stream))
