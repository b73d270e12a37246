"""What the tests of the PettingZoo environments share: the modules, the tables of arguments, ways to play."""

from itertools import product

import pytest

from rummy_env import basic_rummy_v0, contract_rummy_v0

MODULES = (contract_rummy_v0, basic_rummy_v0)

COMBINATIONS = [
    (module, dict(kwargs, episode=episode, reward=reward, illegal_action=illegal))
    for module, tables in (
        (contract_rummy_v0, ({}, {"num_players": 3, "deals": [2, 7]}, {"rules": "contract_rummy_two_packs"})),
        (basic_rummy_v0, ({}, {"num_players": 6}, {"num_players": 3, "rules": {"ace_mode": "both"}})),
    )
    for kwargs, episode, reward, illegal in product(tables, ("game", "deal"), ("score", "win"), ("forfeit", "raise"))
]


def combination_id(value):
    """Short name of a module or of a set of arguments in the name of a test."""
    return value.__name__.rpartition(".")[2] if not isinstance(value, dict) else "-".join(map(str, value.values()))


every_module = pytest.mark.parametrize("module", MODULES, ids=combination_id)
every_combination = pytest.mark.parametrize(("module", "kwargs"), COMBINATIONS, ids=combination_id)


def legal_action(env, rng):
    """A random legal action of the agent to act."""
    legal = env.infos[env.agent_selection]["action_mask"].nonzero()[0]
    return int(legal[int(rng.random() * len(legal))])


def eager_action(env, rng):
    """A random placement where there is one, so that somebody goes out soon; else a random legal action."""
    legal = env.game.legal_actions()
    idle = ("draw_stock", "take_top", "discard")
    eager = [action for action in legal if env.game.layout.decode(action).kind not in idle]
    return rng.choice(eager or legal)


def play(env, rng, steps=10**6, choose=legal_action):
    """Step `env` by `choose`, at most `steps` decisions; what every agent saw, and `env.rewards` after every step."""
    seen, rewards = [], []
    for agent, observation, reward, info in env.decisions():
        seen.append((agent, observation, reward, info))
        env.step(choose(env, rng))
        rewards.append(dict(env.rewards))
        if len(rewards) == steps:
            break
    return seen, rewards


def drain(env):
    """Step all finished agents; the last rewards they were handed."""
    final = {}
    for agent in env.agent_iter():
        observation, final[agent], terminated, truncated, _ = env.last()
        assert (terminated, truncated) == (True, False)
        assert not observation["action_mask"].any()
        env.step(None)
    return final


def play_until(env, wanted, rng):
    """Play on, through several episodes if need be, to a decision where `wanted(env.game)` holds."""
    for _ in range(20_000):
        if env.terminations[env.agent_selection]:
            env.reset()
        if wanted(env.game):
            return
        env.step(legal_action(env, rng))
    raise AssertionError("such a decision never came")
