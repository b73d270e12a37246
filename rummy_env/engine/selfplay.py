"""Batches in which every seat is the caller's: one decision in every game, a fresh game at once where one ends.

Arrays as in `batch`, and besides: seats int8 (n,), the seats to move · seeds int64 (n, 2), the first seed of each row
and the number of its game, from 0 · terminated bool (n,) · finished `EPISODE` (n,) · logits float32 (n, num_actions).
"""

import math

import numpy as np

from rummy_env.engine.batch import choose
from rummy_env.engine.bits import lowest_bit
from rummy_env.engine.jit import kernel
from rummy_env.engine.legal import legal_actions, write_mask
from rummy_env.engine.observe import observe
from rummy_env.engine.play import apply_action, start_game
from rummy_env.engine.score import deal_rewards, win_reward
from rummy_env.engine.shuffle import random_word, set_stream
from rummy_env.engine.state import MAX_PLAYERS, NUM_BLOCKS, OVER_NO

EPISODE = np.dtype(
    (
        np.record,
        [
            ("length", "i8"),  # decisions
            ("deals", "i4"),
            ("scores", "i4", MAX_PLAYERS),
            ("winners", "i1", MAX_PLAYERS),
            ("out", "i1"),  # seat that went out in the last deal, or NONE
            ("reason", "i1"),
        ],
    )
)
"""What is told of a finished game."""

_STREAM_CHOICES = 1 << 19
_STREAM_NEXT_GAMES = 1 << 20
"""Streams of a first seed, far from those of its cards: of the choices in its row, of the seed of each later game."""


@kernel
def _later_seed(seed, number, stream):
    """Seed of game `number` (from 1) of a row; `stream` (int64, shape (4,)) is overwritten."""
    set_stream(stream, seed, _STREAM_NEXT_GAMES + number)
    high = random_word(stream) >> 1
    return (high << 32) | random_word(stream)


@kernel
def begin(rules, games, words, masks, observations, seats, seeds, streams):
    """Start game 0 of every row, and the random streams of its choices."""
    for i in range(len(games)):
        seeds[i, 1] = 0
        start_game(rules, games, i, seeds[i, 0])
        set_stream(streams[i], int(seeds[i, 0]), _STREAM_CHOICES)
        _present(rules, games, i, words, masks, observations, seats)


@kernel
def advance(rules, pay_wins, games, words, masks, observations, seats, seeds, rewards, terminated, finished, actions):
    """Apply a legal action in every game, pay every seat, and start the next game of a row where one ended.

    With `pay_wins` the seats are paid for winning the game, else for the points of every deal.
    """
    for i in range(len(games)):
        g = games[i]
        rewards[i, :] = 0.0
        deals = g.deals_done
        apply_action(rules, games, i, actions[i])
        if g.deals_done > deals and not pay_wins:
            deal_rewards(rules, games, i, rewards, i)
        terminated[i] = g.over != OVER_NO
        if terminated[i]:
            _finish(rules, games, i, finished)
            if pay_wins:
                for seat in range(rules[0].num_players):
                    rewards[i, seat] = win_reward(rules, games, i, seat)
            seeds[i, 1] += 1
            start_game(rules, games, i, _later_seed(int(seeds[i, 0]), int(seeds[i, 1]), g.random))
        _present(rules, games, i, words, masks, observations, seats)


@kernel
def _present(rules, games, i, words, masks, observations, seats):
    """Write what the seat to move needs for its decision."""
    seats[i] = games[i].player
    legal_actions(rules, games, i, words, i)
    write_mask(rules, words, i, masks, i)
    observe(rules, games, i, int(games[i].player), observations, i)


@kernel
def _finish(rules, games, i, finished):
    r, g, episode = rules[0], games[i], finished[i]
    lower_wins = r.num_contracts > 0
    best = int(g.scores[0])
    for seat in range(r.num_players):
        score = int(g.scores[seat])
        best = min(best, score) if lower_wins else max(best, score)
    for seat in range(r.num_players):
        episode.scores[seat] = g.scores[seat]
        episode.winners[seat] = g.scores[seat] == best
    episode.length, episode.deals = g.decisions, g.deals_done
    episode.out, episode.reason = g.last_out, g.last_reason


@kernel
def choose_uniformly(rules, words, streams, actions):
    """Write a legal action (int64) of every game, all equally likely."""
    for i in range(len(actions)):
        actions[i] = choose(rules, words, i, streams[i])


@kernel
def choose_by_logits(rules, words, streams, actions, logits, log_probs):
    """Write an action of every game drawn from the softmax of its legal logits, and its log probability (float32).

    The action is -1 where no legal logit is finite, or one is NaN or +inf.
    """
    for i in range(len(actions)):
        actions[i] = -1
        best, peak, total = -math.inf, -math.inf, 0.0
        for block in range(NUM_BLOCKS):
            base, faces = int(rules[0].action_base[block]), int(words[i, block])
            while faces:
                action = base + lowest_bit(faces)
                faces &= faces - 1
                logit = float(logits[i, action])
                if logit == -math.inf:
                    continue
                if logit > peak:
                    total *= math.exp(peak - logit)
                    peak = logit
                total += math.exp(logit - peak)
                # Gumbel noise: the largest sum is an exact draw from the softmax.
                noisy = logit - math.log(-math.log((random_word(streams[i]) + 0.5) / 2.0**32))
                if noisy > best:
                    best, actions[i] = noisy, action
        if total > 0.0 and math.isfinite(total):
            log_probs[i] = float(logits[i, actions[i]]) - peak - math.log(total)
        else:
            actions[i] = -1
