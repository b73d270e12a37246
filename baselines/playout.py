"""What searching players share: worlds that a view allows, and deals that a simpler player plays to their end."""

import numpy as np

from baselines import cautious, greedy
from baselines.cautious import Cautious
from baselines.hand import hand_points, run_mates, set_mates
from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.determinize import complete, redeal
from rummy_env.engine.hand_needs import hand_needs
from rummy_env.engine.jit import allocating_kernel, kernel
from rummy_env.engine.legal import legal_actions
from rummy_env.engine.play import apply_action
from rummy_env.engine.shuffle import STREAM_SEAT, set_stream
from rummy_env.engine.state import GAME_SINGLE_DEAL, NUM_BLOCKS, OVER_NO
from rummy_env.errors import ArgumentError
from rummy_env.options import suggestion

_PLAYERS = ("auto", "greedy", "cautious")
_AUTO, _GREEDY, _CAUTIOUS = range(3)

_MISSING_CARD = 15
"""Points that a card missing for the contract counts when hands are compared."""


def playout_parameters(name: str) -> list[float]:
    """What tells `decide` who plays deals out: the number of the player, then the weights of the cautious one.

    Raises:
        ArgumentError: There is no such player.
    """
    if name not in _PLAYERS:
        known = ", ".join(_PLAYERS)
        raise ArgumentError(f"playout={name!r} is not known{suggestion(name, _PLAYERS)}: choose {known}")
    return [_PLAYERS.index(name), *Cautious().parameters]


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


@allocating_kernel
def decide(rules, games, i, words, row, player, stream):
    """Action of the player of `playout_parameters`, who sees no more of a game than of its view.

    The automatic choice is the greedy player in games with contracts, where it is a good deal faster, and the cautious
    one in games without, where holding melds back changes what a hand is worth.
    """
    if player[0] == _GREEDY or (player[0] == _AUTO and rules[0].num_contracts > 0):
        return greedy.act(rules, games, i, words, row, player[1:], stream)
    return cautious.act(rules, games, i, words, row, player[1:], stream)


@allocating_kernel
def advise(rules, games, i, words, row, player, stream):
    """Action of the cautious player, by whom searching players are guided."""
    return cautious.act(rules, games, i, words, row, player[1:], stream)


@allocating_kernel
def play_out(rules, games, i, words, row, player, stream):
    """Play `games[i]` to its end, all seats by `decide`; `words[row]` is scratch, `stream` is set from the game."""
    set_stream(stream, int(games[i].seed), STREAM_SEAT)
    while games[i].over == OVER_NO:
        legal_actions(rules, games, i, words, row)
        apply_action(rules, games, i, decide(rules, games, i, words, row, player, stream))
