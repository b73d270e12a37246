"""Deep Monte Carlo: returns, runs that go on, policies, and that it learns; skipped without torch."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch comes with the extra 'train'")

from rummy_env.agents import load_agent
from rummy_env.arena import Match, run
from rummy_env.errors import ArgumentError
from training.arguments import make_arguments, read_arguments
from training.dmc import Arguments, Games, Training
from training.folder import BEST, CHECKPOINT

RULES = "configs/rules/basic_small_deck.yaml"
TINY = {
    "rules": RULES,
    "num_envs": 32,
    "num_steps": 16,
    "hidden": [32, 16],
    "minibatch": 128,
    "teacher_decisions": 600,
    "decisions": 3000,
    "match_every": 800,
    "match_deals": 4,
    "judges": ["random"],
    "ladder": ["random"],
    "bf16": "no",
}


def arguments(tmp_path, **changes):
    return make_arguments(Arguments, TINY | {"out": str(tmp_path / "run")} | changes)


def watched(games):
    """A list that gets of every step: observations, masks, seats, actions, rewards and ends."""
    steps, step = [], games.env.step

    def watching(actions):
        before = games._observed, games._info["action_mask"], games._info["seat"], actions
        result = step(actions)
        steps.append((*before, result[1], result[2]))
        return result

    games.env.step = watching
    return steps


def slow_returns(steps):
    """Observation, action and return of every choice in a game that has ended, from the definition."""
    for t, (observed, masks, seats, actions, _, _) in enumerate(steps):
        for row, seat in enumerate(seats):
            rest = [(rewards[row, seat], ended[row]) for *_, rewards, ended in steps[t:]]
            ends = [u for u, (_, ended) in enumerate(rest) if ended]
            if ends and masks[row].sum() > 1:
                yield observed[row].tobytes(), actions[row], round(sum(paid for paid, _ in rest[: ends[0] + 1]), 3)


@pytest.mark.parametrize("episode", ["deal", "game"])
def test_returns(tmp_path, episode):
    """All that a seat is paid from its decision to the end, also over several calls."""
    rules = {"preset": "basic_rummy", "deck_ranks": 5, "deck_suits": 3, "hand_sizes": 4, "target_score": 20}
    games = Games(arguments(tmp_path, rules=rules, episode=episode, num_envs=4, num_steps=60, teacher="greedy"))
    steps = watched(games)
    found = []
    for _ in range(4):
        decisions, returns = games.play(games.teacher(), 0.3)
        found += [
            (one["observation"].tobytes(), one["action"], round(float(paid), 3))
            for one, paid in zip(decisions, returns, strict=True)
        ]
    expected = list(slow_returns(steps))
    assert sorted(found) == sorted(expected)
    assert len({paid for *_, paid in expected}) > 10


def figures(training):
    return [
        {name: value for name, value in row.items() if not name.endswith("_s") and name != "seconds"}
        for row in training.run.rows
    ]


def test_a_killed_run_goes_on_as_if_nothing_had_happened(tmp_path, monkeypatch):
    whole = Training.begin(arguments(tmp_path, out=str(tmp_path / "whole")))
    whole.train()
    assert whole.run.decisions >= 3000 and whole.games.illegal == 0
    assert {match["opponent"] for match in whole.run.matches} == {"random"}

    killed = Training.begin(arguments(tmp_path))
    update, left = killed._update, iter(range(5))

    def kill():
        if next(left, None) is None:
            raise KeyboardInterrupt
        return update()

    monkeypatch.setattr(killed, "_update", kill)
    with pytest.raises(KeyboardInterrupt):
        killed.train()
    again = Training.begin(arguments(tmp_path))
    assert 0 < len(again.run.rows) < len(whole.run.rows)
    again.train()
    assert str(figures(again)) == str(figures(whole))
    for name in (BEST, CHECKPOINT):
        agent = load_agent(str(tmp_path / "run" / name))
        assert not run(Match([agent, "random"], RULES, 2, deals=4)).forfeits
    with pytest.raises(ArgumentError, match=r"run with seed=1 \(now 2\)"):
        Training.begin(arguments(tmp_path, seed=2))
    with pytest.raises(ArgumentError, match="expected a compiled player"):
        Training(arguments(tmp_path, teacher=str(tmp_path / "run" / BEST)))


def test_the_agent_plays_the_highest_values(tmp_path):
    """The values of the positions, which the file leaves out, move no action ahead of another."""
    training = Training(arguments(tmp_path))
    training.games.play(training._highest, 0.5)
    training._active[:] = True
    mask = training.games._info["action_mask"]
    observed = training.games._observed
    assert np.array_equal(training.agent().act_batch(observed, mask), training._highest(observed, mask))


def test_arguments(tmp_path):
    args = read_arguments(Arguments, ["--config", "configs/train/dmc_basic_2p.yaml"])
    assert (args.minutes, args.out) == (30.0, "runs/dmc_basic_2p")
    for changes, told in (
        ({"learning_rat": 1.0}, "no such argument.*'learning_rate'"),
        ({"decisions": 0}, "say how long"),
        ({"teacher": "nobody"}, "'nobody' is not known"),
    ):
        with pytest.raises(ArgumentError, match=told):
            Training(arguments(tmp_path, **changes))


def test_learning(tmp_path):
    """Against the cautious player, on ranks A to 5 in three suits: from -6 points a deal to about -3.

    The first 20,000 of 50,000 decisions are that player's own.
    """
    args = arguments(
        tmp_path,
        num_envs=128,
        num_steps=32,
        hidden=[64, 64],
        minibatch=256,
        epochs=2,
        learning_rate=3e-3,
        last_learning_rate=3e-4,
        reward_scale=5.0,
        explore=0.2,
        teacher_decisions=20_000,
        decisions=50_000,
        match_every=10**9,
        match_deals=300,
        judges=["cautious"],
    )
    training = Training(args)
    training._judge()
    training.train()
    untrained, trained = (match["points"] for match in training.run.matches)
    assert untrained < -5 and trained > -4.5, (untrained, trained)
    assert training.games.illegal == 0
