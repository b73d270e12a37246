# ruff: noqa: E402 -- what the extra brings is imported once it is known to be there
"""Training with MaskablePPO of sb3-contrib: opponents, files, and that it learns; skipped without the extra."""

import numpy as np
import pytest

for name in ("torch", "stable_baselines3", "sb3_contrib"):
    pytest.importorskip(name, reason=f"{name} comes with the extra 'train'")

from rummy_env.agents import load_agent
from rummy_env.arena import Match, run
from rummy_env.errors import ArgumentError
from training.arguments import make_arguments, read_arguments
from training.sb3_maskable_ppo import BEST, LAST, Arguments, Copy, Training

RULES = "configs/rules/basic_small_deck.yaml"
TINY = {
    "rules": RULES,
    "opponents": ["random"],
    "num_envs": 16,
    "num_steps": 32,
    "hidden": [32],
    "minibatch": 128,
    "epochs": 1,
    "decisions": 1500,
    "match_every": 1000,
    "match_deals": 4,
    "judges": ["random"],
    "ladder": ["random"],
}


def arguments(tmp_path, **changes):
    return make_arguments(Arguments, TINY | {"out": str(tmp_path / "run")} | changes)


@pytest.mark.parametrize("opponents", [["planner"], ["self"]])
def test_a_run(tmp_path, monkeypatch, opponents):
    renewed, renew = [], Copy.renew

    def counted(copy, model):
        renewed.append(model.num_timesteps)
        renew(copy, model)

    monkeypatch.setattr(Copy, "renew", counted)
    training = Training(arguments(tmp_path, opponents=opponents, copy_every=1000))
    training.train()
    progress = [row["decisions"] for row in training.run.rows]
    assert progress == [512, 1024, 1536] and renewed == [0, 1024]
    assert [match["decisions"] for match in training.run.matches] == [1024, 1536]
    assert training.progress.illegal == 0
    assert training.model.lr_schedule(1.0) == pytest.approx(7e-5) and training.model.ent_coef == pytest.approx(1e-3)
    for file in (BEST, LAST):
        report = run(Match([load_agent(str(tmp_path / "run" / file)), "random"], RULES, 2, deals=4))
        assert not report.forfeits
    for file in ("progress.csv", "matches.csv"):
        assert (tmp_path / "run" / file).stat().st_size > 0
    with pytest.raises(ArgumentError, match="holds a run: give another folder"):
        Training(arguments(tmp_path))


def test_illegal_actions_are_counted(tmp_path, monkeypatch):
    training = Training(arguments(tmp_path, decisions=512, match_every=10**9))
    monkeypatch.setattr("sb3_contrib.ppo_mask.ppo_mask.get_action_masks", lambda env: np.ones((16, env.action_space.n)))
    training.train()
    assert training.progress.illegal > 100


def test_an_opponent_may_be_each_seats_own(tmp_path):
    rules = {"preset": "basic_rummy", "deck_ranks": 8}
    training = Training(arguments(tmp_path, rules=rules, num_players=3, opponents=["greedy", "self"], decisions=512))
    training.train()
    assert training.run.decisions == 512
    with pytest.raises(ArgumentError, match="opponents has 2 entries"):
        Training(arguments(tmp_path, opponents=["greedy", "self"], out=str(tmp_path / "other")))


def test_arguments(tmp_path):
    args = read_arguments(Arguments, ["--config", "configs/train/sb3_basic_2p.yaml"])
    assert (args.minutes, args.out) == (30.0, "runs/sb3_basic_2p")
    for changes, told in (
        ({"opponent": ["random"]}, "no such argument.*'opponents'"),
        ({"decisions": 0}, "say how long"),
        ({"opponents": ["nobody"]}, "'nobody' is not known"),
    ):
        with pytest.raises(ArgumentError, match=told):
            Training(arguments(tmp_path, **changes))


def test_learning(tmp_path):
    """Against random play, on ranks A to 5 in three suits: from 1.5 points a deal to about 5."""
    args = arguments(
        tmp_path,
        num_envs=64,
        num_steps=64,
        hidden=[64],
        minibatch=256,
        epochs=4,
        learning_rate=3e-3,
        last_learning_rate=1e-3,
        entropy=0.01,
        decisions=32_000,
        match_every=10**9,
        match_deals=200,
    )
    training = Training(args)
    training.progress.init_callback(training.model)
    training.progress.judge()
    training.train()
    untrained, trained = (match["points"] for match in training.run.matches)
    assert untrained < 2.5 and trained > 4, (untrained, trained)
    assert training.progress.illegal == 0
