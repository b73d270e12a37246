"""Arguments of the PettingZoo environments and of their `reset`, and the registry."""

import random
import warnings

import numpy as np
import pettingzoo
import pytest

from rummy_env import basic_rummy_v0, contract_rummy_v0
from rummy_env.envs import AEC_ENVS, register
from rummy_env.errors import (
    ArgumentError,
    PositionError,
    RulesError,
    SeedError,
)
from rummy_env.rules import RuleSet
from tests.aec_play import every_module, play, play_until


@every_module
def test_seeds_go_on_by_themselves(module):
    """An unseeded reset continues from the last seed; only the first one draws on entropy."""
    envs = [module.env() for _ in range(3)]
    for env in envs[:2]:
        env.reset(seed=1)
    for _ in range(3):
        envs[0].reset()
        envs[1].reset()
        envs[2].reset()
        assert np.array_equal(envs[0].state(), envs[1].state())
        assert not np.array_equal(envs[0].state(), envs[2].state())
    seeds = set()
    for _ in range(50):
        envs[0].reset()
        seeds.add(envs[0].game.seed)
    assert len(seeds) == 50


@every_module
@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "1", True], ids=repr)
def test_bad_seed(module, seed):
    env = module.env()
    env.reset(seed=3)
    before = env.state()
    with pytest.raises(SeedError):
        env.reset(seed=seed)
    assert np.array_equal(env.state(), before)


@every_module
def test_position(module):
    env = module.env()
    env.reset(seed=40)
    rng = random.Random(40)
    play(env, rng, steps=60)
    position = env.game.to_dict()
    other = module.env()
    other.reset(options={"position": position})
    assert other.agent_selection == env.agent_selection
    assert np.array_equal(other.state(), env.state())
    for twin in (env, other):
        play(twin, random.Random(1), steps=200)
    assert np.array_equal(other.state(), env.state())


@every_module
def test_position_without_a_random_stream_takes_the_seed(module):
    env = module.env(episode="deal")
    env.reset(seed=40)
    position = env.game.to_dict()
    del position["random"]
    for seed in (1, 2):
        env.reset(seed=seed, options={"position": position})
        assert env.game.seed == seed
    first = env.game.seed
    env.reset(options={"position": position})
    assert env.game.seed != first


@every_module
def test_position_of_a_longer_game(module):
    """A deal-long episode takes up a position from the middle of a game."""
    env = module.env()
    env.reset(seed=8)
    play_until(env, lambda game: game.deals_done == 2, random.Random(8))
    other = module.env(episode="deal")
    other.reset(options={"position": env.game.to_dict()})
    assert other.game.deal == env.game.deal
    play(other, random.Random(1))
    assert other.game.deals_done == 1


@every_module
def test_position_that_is_over(module):
    env = module.env(episode="deal")
    env.reset(seed=4)
    play(env, random.Random(4))
    for position in (env.game.to_dict(), [], {}):
        with pytest.raises(PositionError):
            env.reset(options={"position": position})


def test_position_and_deal_exclude_each_other():
    env = contract_rummy_v0.env()
    env.reset(seed=1)
    with pytest.raises(ArgumentError, match="position"):
        env.reset(options={"position": env.game.to_dict(), "deal": 1})


def test_position_of_another_table():
    env = contract_rummy_v0.env()
    env.reset(seed=1)
    for other in (contract_rummy_v0.env(num_players=3), contract_rummy_v0.env(rules={"ace_value": 20})):
        with pytest.raises(PositionError, match=r"num_players|rules"):
            other.reset(options={"position": env.game.to_dict()})


def test_deal():
    env = contract_rummy_v0.env()
    for deal in (1, 4, 7):
        env.reset(seed=1, options={"deal": deal})
        assert env.game.deal == deal
        play(env, random.Random(1))
        assert env.game.deals_done == 1
    env.reset(seed=1)
    assert env.game.rules == env.rules
    with pytest.raises(RulesError):
        env.reset(options={"deal": 8})


def test_deals():
    env = contract_rummy_v0.env(deals=[2, 5])
    env.reset(seed=1)
    assert env.game.deal == 2
    play(env, random.Random(1))
    assert env.game.deals_done == 2
    env = contract_rummy_v0.env(deals=[2, 5], episode="deal")
    drawn = set()
    for seed in range(20):
        env.reset(seed=seed)
        drawn.add(env.game.deal)
    assert drawn == {2, 5}


@pytest.mark.parametrize(
    ("kwargs", "error", "told"),
    [
        ({"episode": "match"}, ArgumentError, "episode='match'.*'game' or 'deal'"),
        ({"reward": "points"}, ArgumentError, "reward='points'.*'score' or 'win'"),
        ({"illegal_action": "ignore"}, ArgumentError, "illegal_action='ignore'.*'forfeit' or 'raise'"),
        ({"render_mode": "rgb"}, ArgumentError, "render_mode='rgb'.*'rgb_array'"),
        ({"viewer": 4}, ArgumentError, "viewer=4.*0 or 1"),
        ({"rules": "canasta"}, RulesError, "canasta.*contract_rummy"),
        ({"rules": {"ace_valu": 20}}, RulesError, "ace_valu"),
        ({"rules": 7}, RulesError, "rules"),
        ({"num_players": 1}, RulesError, "num_players"),
        ({"num_players": 9}, RulesError, "num_players"),
        ({"num_players": "four"}, RulesError, "num_players"),
        ({"deals": [0]}, RulesError, "deals"),
        ({"deals": [8]}, RulesError, "deals"),
        ({"deals": []}, RulesError, "deals"),
        ({"deals": 3}, RulesError, "deals"),
        ({"rules": "basic_rummy"}, ArgumentError, "with contracts"),
        ({"players": 4}, TypeError, "players"),
    ],
    ids=str,
)
def test_bad_arguments(kwargs, error, told):
    with pytest.raises(error, match=told):
        contract_rummy_v0.env(**kwargs)


def test_contracts_belong_to_contract_rummy():
    with pytest.raises(ArgumentError, match="without contracts"):
        basic_rummy_v0.env(rules="contract_rummy")
    with pytest.raises(RulesError, match="deals"):
        basic_rummy_v0.env(deals=[1])


def test_rules_from_a_file(tmp_path):
    path = tmp_path / "rules.yaml"
    path.write_text("preset: contract_rummy\nace_value: 20\n")
    for rules in (path, str(path), {"ace_value": 20}, RuleSet.preset("contract_rummy").replace(ace_value=20)):
        assert contract_rummy_v0.env(rules=rules).rules.ace_value == 20


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")
@pytest.mark.parametrize("env_id", AEC_ENVS)
def test_make(env_id):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert env_id in pettingzoo.aec_registry
        register()
        env = pettingzoo.make("aec", env_id, num_players=3, reward="win")
    assert env_id == f"rummy/{env.metadata['name'].replace('_v', '-v')}"
    assert (env.num_players, env.reward) == (3, "win")


def test_without_a_registry(monkeypatch):
    monkeypatch.delattr(pettingzoo, "aec_registry", raising=False)
    register()
