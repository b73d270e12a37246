"""Loops over arrays of games. Every array is the caller's: contiguous, one row per game, written in place.

games: `STATE` (n,) · words: int64 (n, NUM_BLOCKS) · masks: int8 (n, num_actions) ·
observations: int8 (n, observation_size) · actions: int32 (n,) · rewards: float32 (n, num_players) ·
streams: int64 (n, 4), random streams of their own, so that choices never touch the cards.
"""

from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.jit import kernel
from rummy_env.engine.legal import legal_actions, write_mask
from rummy_env.engine.observe import observe
from rummy_env.engine.play import apply_action, block_of, start_game
from rummy_env.engine.score import deal_rewards
from rummy_env.engine.shuffle import random_below, random_word, set_stream
from rummy_env.engine.state import NUM_BLOCKS, OVER_NO


@kernel
def start_games(rules, games, seeds):
    """Start every game from its seed (int64)."""
    for i in range(len(games)):
        start_game(rules, games, i, seeds[i])


@kernel
def legal_batch(rules, games, words, masks):
    """Legal actions of every game, as words and as masks; all zero where a game is over."""
    for i in range(len(games)):
        legal_actions(rules, games, i, words, i)
        write_mask(rules, words, i, masks, i)


@kernel
def observe_batch(rules, games, viewers, observations):
    """Observation of seat ``viewers[i]`` (int8) of every game."""
    for i in range(len(games)):
        observe(rules, games, i, int(viewers[i]), observations, i)


@kernel
def apply_batch(rules, games, words, actions, rewards):
    """Apply one action per game that is not over; `rewards` get those of a deal that ends, else 0.

    Returns the index of the first game whose action is not in its `words` (nothing is applied then), or -1.
    """
    for i in range(len(games)):
        if games[i].over == OVER_NO and not is_in_words(rules, words, i, actions[i]):
            return i
    for i in range(len(games)):
        rewards[i, :] = 0.0
        if games[i].over == OVER_NO:
            done = games[i].deals_done
            apply_action(rules, games, i, actions[i])
            if games[i].deals_done > done:
                deal_rewards(rules, games, i, rewards, i)
    return -1


@kernel
def is_in_words(rules, words, row, action):
    """Whether `words[row]` holds the action id."""
    if action < 0 or action >= rules[0].num_actions:
        return False
    block = block_of(rules, action)
    return (int(words[row, block]) >> (int(action) - int(rules[0].action_base[block]))) & 1 == 1


@kernel
def first_illegal(rules, words, rows, actions):
    """Index in `rows` (int64, (k,)) of the first game whose action (beside it) is not in its `words`, or -1."""
    for k in range(len(rows)):
        if not is_in_words(rules, words, rows[k], actions[k]):
            return k
    return -1


@kernel
def seed_stream(stream, seed):
    """Set a stream (int64, shape (4,)) to `seed`."""
    set_stream(stream, seed, 0)


@kernel
def choose(rules, words, row, stream):
    """A legal action id of `words[row]`, all equally likely."""
    count = 0
    for block in range(NUM_BLOCKS):
        count += count_bits(words[row, block])
    rank = random_below(stream, count)
    for block in range(NUM_BLOCKS):
        faces = words[row, block]
        here = count_bits(faces)
        if rank < here:
            for _ in range(rank):
                faces &= faces - 1
            return int(rules[0].action_base[block]) + lowest_bit(faces)
        rank -= here
    return -1


@kernel
def random_play(rules, games, words, masks, observations, streams, steps, observed):
    """Play `steps` uniformly random legal decisions in every game, with fresh games where one ends.

    The mask of every decision is written, and with `observed` the observation of the player to move.
    """
    for _ in range(steps):
        for i in range(len(games)):
            legal_actions(rules, games, i, words, i)
            write_mask(rules, words, i, masks, i)
            if observed:
                observe(rules, games, i, int(games[i].player), observations, i)
            apply_action(rules, games, i, choose(rules, words, i, streams[i]))
            if games[i].over != OVER_NO:
                decisions = games[i].decisions
                start_game(rules, games, i, random_word(streams[i]))
                games[i].decisions = decisions
