"""Rewards of the PettingZoo environments, and what an illegal action costs."""

import pickle
import random

import numpy as np
import pytest

from rummy_env.errors import (
    GameOverError,
    IllegalActionError,
    ResetNeededError,
)
from tests.aec_play import drain, eager_action, every_combination, every_module, legal_action, play


@every_combination
def test_zero_sum_and_complete(module, kwargs):
    """Every step sums to zero; each agent's `last` rewards add up to its `env.rewards` (P28, P31)."""
    env = module.env(**kwargs)
    env.reset(seed=21)
    seen, rewards = play(env, random.Random(21), steps=3000)
    for step in rewards:
        assert sum(step.values()) == pytest.approx(0, abs=1e-5)
    if not any(env.terminations.values()):
        return
    total = drain(env)
    for agent, _, reward, _ in seen:
        total[agent] += reward
    for agent in env.possible_agents:
        assert total[agent] == pytest.approx(sum(step[agent] for step in rewards))


@every_module
def test_score_is_paid_per_deal(module):
    env = module.env()
    env.reset(seed=13)
    rng = random.Random(13)
    deals = 0
    for _ in env.decisions():
        before = env.game.deals_done
        env.step(legal_action(env, rng))
        ended = env.game.deals_done > before
        deals += ended
        expected = env.game.deal_rewards() if ended else np.zeros(env.num_players)
        assert list(env.rewards.values()) == pytest.approx(list(expected))
        if deals == 3:
            break
    assert deals


@every_module
def test_win_is_paid_once(module):
    env = module.env(episode="deal", reward="win")
    decided = 0
    for seed in range(6):
        env.reset(seed=seed)
        _, rewards = play(env, random.Random(seed), choose=eager_action)
        assert not any(any(step.values()) for step in rewards[:-1])
        winners = env.game.winners()
        for seat, reward in enumerate(rewards[-1].values()):
            if len(winners) == env.num_players:
                assert reward == 0
            elif seat in winners:
                assert reward == pytest.approx(1 / len(winners))
            else:
                assert reward == pytest.approx(-1 / (env.num_players - len(winners)))
        decided += len(winners) < env.num_players
    assert decided


@every_module
def test_finished_deal_is_told_to_everybody_once(module):
    env = module.env()
    env.reset(seed=17)
    rng = random.Random(17)
    while env.game.deals_done == 0:
        assert not any("deal" in info for info in env.infos.values())
        env.step(legal_action(env, rng))
    summaries = [info["deal"] for info in env.infos.values()]
    assert len(summaries) == env.num_players
    assert summaries[0]["points"] == list(env.game.last_deal.points)
    assert summaries[0]["reason"] == env.game.last_deal.reason
    assert all(type(value) in (int, str, bool, list, type(None)) for value in summaries[0].values())
    told = env.agent_selection
    if not env.terminations[told]:
        env.step(legal_action(env, rng))
        assert "deal" not in env.infos[told]


@every_module
def test_forfeit(module):
    env = module.env()
    env.reset(seed=9)
    rng = random.Random(9)
    play(env, rng, steps=7)
    offender = env.agent_selection
    illegal = int(np.flatnonzero(env.game.action_mask() == 0)[0])
    env.step(illegal)
    share = 1 / (env.num_players - 1)
    assert env.rewards == {agent: -1.0 if agent == offender else share for agent in env.possible_agents}
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    for info in env.infos.values():
        assert info["illegal_action"]["agent"] == offender
        assert info["illegal_action"]["action"] == illegal
        assert info["illegal_action"]["reason"]
    assert sum(drain(env).values()) == pytest.approx(0)
    env.reset(seed=10)
    assert not any("illegal_action" in info for info in env.infos.values())
    play(env, rng, steps=500)
    assert len(env.game.history) > 10


@every_module
def test_raise(module):
    env = module.env(illegal_action="raise")
    env.reset(seed=9)
    rng = random.Random(9)
    play(env, rng, steps=7)
    before = pickle.dumps(env)
    for illegal in np.flatnonzero(env.game.action_mask() == 0):
        with pytest.raises(IllegalActionError):
            env.step(int(illegal))
    assert pickle.dumps(env) == before
    play(env, rng, steps=500)


@every_module
@pytest.mark.parametrize("mode", ["forfeit", "raise"])
@pytest.mark.parametrize("action", [-1, 10**6, 1.0, "0", None, np.array([1, 2])], ids=repr)
def test_outside_the_action_space(module, mode, action):
    env = module.env(illegal_action=mode)
    env.reset(seed=9)
    with pytest.raises(IllegalActionError):
        env.step(action)
    assert not env.game.history
    assert not any(env.terminations.values())


@every_module
def test_after_the_end(module):
    env = module.env(episode="deal")
    env.reset(seed=4)
    play(env, random.Random(4))
    with pytest.raises(GameOverError):
        env.step(0)
    drain(env)
    for call in (lambda: env.step(None), lambda: env.step(0), env.last):
        with pytest.raises(GameOverError, match="reset"):
            call()


@every_module
def test_before_the_first_reset(module):
    env = module.env()
    calls = (
        lambda: env.step(0),
        env.last,
        env.state,
        lambda: env.observe("player_0"),
        lambda: next(iter(env.agent_iter())),
        lambda: next(env.decisions()),
        lambda: env.game,
        lambda: env.num_agents,
    )
    for call in calls:
        with pytest.raises(ResetNeededError, match="reset"):
            call()
    assert not hasattr(env, "agents")
    with pytest.raises(AttributeError, match="no attribute 'gaem'"):
        _ = env.gaem
