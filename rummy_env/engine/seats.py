"""Games seen from one seat each, the learner's: from a decision of its own to the next, others playing in between.

`SEATS` says per game who plays and what is due; rows: int64 (k,), indices of the games that a kernel works on, each at
most once; actions: int64 (k,), beside `rows`. The other arrays are those of `batch`, one row per game.
"""

import numpy as np

from rummy_env.engine.batch import is_in_words, seed_stream
from rummy_env.engine.jit import kernel
from rummy_env.engine.legal import legal_actions, write_mask
from rummy_env.engine.observe import observe
from rummy_env.engine.play import apply_action, start_game
from rummy_env.engine.policies import choose_action
from rummy_env.engine.score import deal_rewards, win_reward
from rummy_env.engine.shuffle import STREAM_SEAT, random_word, set_stream
from rummy_env.engine.state import MAX_PLAYERS, NONE, NUM_BLOCKS, OVER_NO

OUTSIDE = 0
"""In place of the handle of a policy (see `policies`): the actions of the seat come from outside the engine."""

_LEARNER = -1

OWN_TURN, EPISODE_OVER, OUTSIDE_TURN, PLAYING = 0, 1, 2, 3
"""Status: the learner decides; it never will again; an outside seat decides; a deal has just ended, play goes on."""

REWARD_SCORE, REWARD_WIN = 0, 1

SEATS = np.dtype(
    (
        np.record,
        [
            ("learner", "i1"),
            ("policy", "i1", MAX_PLAYERS),  # row of `policies`, or _LEARNER
            ("streams", "i8", (MAX_PLAYERS, 4)),  # of the policies, apart from the cards
            ("status", "i1"),
            ("illegal", "i8"),  # action by which the learner forfeited, or NONE
            ("reward", "f8"),  # of the learner since it was last handed one
        ],
    )
)


@kernel
def seat_seed(seed, seat, stream):
    """Seed (0 … 2**63 - 1) of the player of a seat in the game of that seed; `stream` (int64, (4,)) is overwritten."""
    set_stream(stream, seed, STREAM_SEAT + seat)
    high = random_word(stream) >> 1
    return (high << 32) | random_word(stream)


@kernel
def start_seats(rules, games, seats, rows, seeds, learners):
    """Start games from seeds (int64, (k,)) with learners in seats (int64, (k,))."""
    others = int(rules[0].num_players) - 1
    for k in range(len(rows)):
        i, s = rows[k], seats[rows[k]]
        start_game(rules, games, i, seeds[k])
        s.status, s.illegal, s.reward = PLAYING, NONE, 0.0
        s.learner = learners[k]
        s.policy[s.learner] = _LEARNER
        for other in range(others):
            seat = (int(learners[k]) + 1 + other) % (others + 1)
            s.policy[seat] = other
            seed_stream(s.streams[seat], seat_seed(seeds[k], seat, s.streams[seat]))


@kernel
def advance(
    rules,
    policies,
    parameters,
    lengths,
    games,
    seats,
    rows,
    actions,
    words,
    masks,
    observations,
    rewards,
    views,
    reward_kind,
):
    """Apply `actions` where an action is due, and play on to the learner's next decision or the end of the episode.

    Stops earlier, as the status says, where an outside seat is to move or a deal has ended (so that it can be noted);
    call again for these games, with the action of the outside seat. An action of the learner that is not legal ends
    the episode as forfeited; outside actions are legal. Where the learner decides or the episode is over, `words`,
    `masks` and `observations` (of the learner's seat) are written. `rewards` and `views` (`STATE`, (1,)) are scratch.

    `policies` (int64, (num_players - 1,)) are the handles of those who play the seats after the learner's, in order,
    each with as many entries of its row of `parameters` (float64) as `lengths` (int64) says.
    """
    for k in range(len(rows)):
        i, s = rows[k], seats[rows[k]]
        before = int(s.status)
        s.status = PLAYING
        if before == OWN_TURN and not is_in_words(rules, words, i, actions[k]):
            s.illegal, s.status, s.reward = actions[k], EPISODE_OVER, -1.0
        elif before == PLAYING or not _apply(rules, games, seats, i, actions[k], rewards, reward_kind):
            _play_others(rules, policies, parameters, lengths, games, seats, i, words, rewards, views, reward_kind)
        if s.status == EPISODE_OVER:
            for block in range(NUM_BLOCKS):
                words[i, block] = 0
        if s.status == EPISODE_OVER or s.status == OWN_TURN:
            write_mask(rules, words, i, masks, i)
            observe(rules, games, i, int(s.learner), observations, i)


@kernel
def _apply(rules, games, seats, i, action, rewards, reward_kind):
    """Apply an action and pay the learner; whether it ended a deal."""
    g, s = games[i], seats[i]
    done = int(g.deals_done)
    apply_action(rules, games, i, action)
    if g.deals_done == done:
        return False
    if reward_kind == REWARD_SCORE:
        deal_rewards(rules, games, i, rewards, i)
        s.reward += rewards[i, s.learner]
    elif g.over != OVER_NO:
        s.reward += win_reward(rules, games, i, int(s.learner))
    return True


@kernel
def _play_others(rules, policies, parameters, lengths, games, seats, i, words, rewards, views, reward_kind):
    g, s = games[i], seats[i]
    while g.over == OVER_NO:
        legal_actions(rules, games, i, words, i)
        seat = int(g.player)
        other = int(s.policy[seat])
        if other == _LEARNER or policies[other] == OUTSIDE:
            s.status = OWN_TURN if other == _LEARNER else OUTSIDE_TURN
            return
        own = parameters[other][: lengths[other]]
        action = choose_action(policies[other], own, rules, games, i, words, i, s.streams[seat], views)
        if _apply(rules, games, seats, i, action, rewards, reward_kind):
            return
    s.status = EPISODE_OVER


@kernel
def view_turns(rules, games, rows, words, masks, observations):
    """Write mask and observation of the player to move of each game of `rows`, into row k of k-row arrays."""
    for k in range(len(rows)):
        write_mask(rules, words, rows[k], masks, k)
        observe(rules, games, rows[k], int(games[rows[k]].player), observations, k)
