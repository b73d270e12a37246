"""Training with PPO of RLlib: tables, networks, the league, and runs that go on; skipped without RLlib."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("ray.rllib", reason="RLlib is not installed (extra: rllib)")

import ray
import torch

from rummy_env.agents import load_agent
from rummy_env.arena import Match, run
from rummy_env.errors import ArgumentError
from training.arguments import make_arguments, read_arguments
from training.folder import BEST
from training.rllib_ppo import LEARNER, SCRIPTED, Arguments, Table, Training, choose_module

RULES = "configs/rules/basic_small_deck.yaml"
TINY = {
    "rules": RULES,
    "num_envs": 8,
    "batch": 500,
    "hidden": [32, 16],
    "minibatch": 128,
    "epochs": 1,
    "scripted": {"random": 0.25},
    "pool": 2,
    "decisions": 600,
    "match_every": 10**9,
    "match_deals": 4,
    "judges": ["random"],
    "ladder": ["random"],
}

pytestmark = pytest.mark.filterwarnings("default")


def arguments(tmp_path, **changes):
    return make_arguments(Arguments, TINY | {"out": str(tmp_path / "run")} | changes)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_scripted_players_play_inside(share):
    """They are never asked for; what the others are paid is what the deals paid them."""
    env = Table({"env": "rummy/basic_rummy-v0", "num_players": 3, "episode": "deal", SCRIPTED: {"greedy": share}})
    rng, asked = random.Random(1), []
    for seed in range(6):
        observations, _ = env.reset(seed=seed)
        scripted, paid, over = set(env._players), {}, False
        assert len(scripted) in ((1, 2) if share else (0,))
        while not over:
            (agent,) = observations
            assert agent == env.env.agent_selection
            asked.append(agent)
            assert agent not in scripted
            action = rng.choice(np.flatnonzero(observations[agent]["action_mask"]).tolist())
            observations, rewards, terminated, _, _ = env.step({agent: action})
            over = terminated["__all__"]
            for other, reward in rewards.items():
                paid[other] = paid.get(other, 0.0) + reward
        assert set(observations) == set(env.possible_agents) - scripted
        assert set(paid) == set(observations)
        rewards = dict(zip(env.possible_agents, env.env.unwrapped.game.deal_rewards(), strict=True))
        assert paid == {agent: pytest.approx(rewards[agent]) for agent in paid}
    assert len(set(asked)) == 3


def test_who_plays_a_seat():
    """In a share of the episodes the learner sits alone among copies of one earlier state."""
    alone = 0
    for number in range(400):
        episode = SimpleNamespace(id_=str(number))
        names = [choose_module(f"player_{seat}", episode, seats=3, league=0.25, pool=2) for seat in range(3)]
        assert names.count(LEARNER) in (1, 3) and len(set(names)) <= 2
        alone += names.count(LEARNER) == 1
    assert 70 < alone < 130


@pytest.fixture(scope="module")
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.usefixtures("cluster")
def test_a_run(tmp_path, monkeypatch):
    """The file plays as the module does, illegal actions are never drawn, the league grows, and the run goes on."""
    training = Training.begin(arguments(tmp_path))
    training.train()
    assert training.run.decisions >= 600 and training.joined == 1
    states = training.algorithm.learner_group.get_weights()
    assert any((states[LEARNER][name] != states["state_0"][name]).any() for name in states[LEARNER])

    module = training.algorithm.learner_group._learner.module[LEARNER]
    size, count = module.network.trunk[0].in_features, module.network.policy.out_features
    rng = np.random.default_rng(1)
    seen = (rng.random((5, size)) < 0.3).astype(np.float32) * module.active.numpy()
    mask = (rng.random((5, count)) < 0.2).astype(np.float32)
    with torch.no_grad():
        out = module.forward_inference(
            {"obs": {"observations": torch.from_numpy(seen), "action_mask": torch.from_numpy(mask)}}
        )
    logits = out["action_dist_inputs"].numpy()
    assert (logits[mask == 0] < -1e8).all() and (np.abs(logits[mask == 1]) < 100).all()
    agent = load_agent(str(tmp_path / "run" / BEST))
    assert np.allclose(agent.logits(seen)[mask == 1], logits[mask == 1], atol=1e-2)  # the file has half precision
    assert not run(Match([agent, "random"], RULES, 2, deals=4)).forfeits

    monkeypatch.setattr(training, "_beats_newest", lambda agent: True)
    training._judge()
    training.close()
    again = Training.begin(arguments(tmp_path, decisions=1200))
    assert (again.run.decisions, again.joined) == (training.run.decisions, 2)
    states = again.algorithm.learner_group.get_weights()
    assert all((states[LEARNER][name] == states["state_1"][name]).all() for name in states[LEARNER])
    assert any((states[LEARNER][name] != states["state_0"][name]).any() for name in states[LEARNER])
    again.train()
    assert again.run.decisions >= 1200
    again.close()
    with pytest.raises(ArgumentError, match=r"run with seed=1 \(now 2\)"):
        Training.begin(arguments(tmp_path, seed=2))


def test_arguments(tmp_path):
    args = read_arguments(Arguments, ["--config", "configs/train/rllib_basic_2p.yaml"])
    assert (args.minutes, args.out) == (60.0, "runs/rllib_basic_2p")
    for changes, told in (
        ({"runner": 1}, "no such argument.*'runners'"),
        ({"scripted": {"random": 1.5}}, "shares of the games"),
        ({"decisions": 0}, "say how long"),
    ):
        with pytest.raises(ArgumentError, match=told):
            Training(arguments(tmp_path, **changes))
