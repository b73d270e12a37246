"""Comparisons of variations of a training; skipped without torch."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch comes with the extra 'train'")

from rummy_env import RuleSet
from rummy_env.errors import ArgumentError
from training.arguments import make_arguments, read_arguments
from training.compare import GIVEN, Arguments, Comparison
from training.folder import CHECKPOINT, LADDER, MATCHES
from training.rollout import hidden_entries

TINY = (
    "--rules configs/rules/basic_small_deck.yaml --num_envs 32 --num_steps 16 --hidden '[16]' --minibatch 64 "
    "--decisions 900 --clone_decisions 300 --scripted {} --threads 1 "
    "--match_deals 4 --judges '[random]' --ladder '[random, greedy]' --ladder_deals 4"
)


def comparison(tmp_path, variations, **changes):
    shared = {"shared": TINY, "seeds": [1], "jobs": 2, "out": str(tmp_path / "all #1")}
    return Comparison(make_arguments(Arguments, {"variations": variations} | shared | changes))


def write_results(member, points, won=0.5):
    """As if the run had come to its end."""
    rows = "".join(f"{opponent},{value},-1,1,{won}\n" for opponent, value in points.items())
    (member.folder / LADDER).write_text(f"opponent,points,low,high,won\n{rows}")
    (member.folder / MATCHES).write_text("decisions,seconds,opponent,points\n0,1,planner,0\n3000000,60,planner,2\n")


def test_what_is_missing_is_run_and_failures_are_told(tmp_path, capsys):
    made = comparison(tmp_path, {"as it is": "training.ppo", "strange": "training.ppo --teacher nobody"})
    assert made.run() == 1
    good, bad = made.members
    assert good.done and not bad.done and "'nobody' is not known" in (bad.folder / "log.txt").read_text()
    assert f"strange, seed 1: not at its end, see {bad.folder / 'log.txt'}" in capsys.readouterr().out
    first, dashes, done, failed = made.table().splitlines()
    assert first.endswith("| against random | against greedy |") and set(dashes) == set("|- ")
    assert done.startswith("| as it is | 1 | 0.0 | ") and failed == "| strange | 0 |  |  |  |"
    made.run()
    assert "as it is" not in capsys.readouterr().out  # it is there


def test_the_table_has_mean_and_range_over_the_seeds(tmp_path):
    made = comparison(tmp_path, {"x": "training.ppo"}, seeds=[1, 2, 3])
    for member, points in zip(made.members, (1.0, 4.0, -2.0), strict=True):
        write_results(member, {"planner": points, "cautious": 2 * points})
    assert made.run() == 0
    row = made.table().splitlines()[-1]
    assert row == "| x | 3 | 3.0 | +1.0 (-2.0 to +4.0), 50.0 % won | +2.0 (-4.0 to +8.0), 50.0 % won |"
    made.write()
    assert (tmp_path / "all #1" / "table.md").read_text().splitlines()[-1] == row
    write_results(made.members[0], {"planner": 1.0}, won=float("nan"))  # no deal had a winner
    assert "+1.0 (-2.0 to +4.0) |" in made.table() and "nan" not in made.table()


def test_curves_show_every_variation(tmp_path):
    pytest.importorskip("matplotlib")
    made = comparison(tmp_path, {"x": "training.ppo", "y": "training.ppo --epochs 2"})
    write_results(made.members[0], {"planner": 1.0})
    made.write()
    assert (tmp_path / "all #1" / "curves.png").read_bytes()[:4] == b"\x89PNG"


def test_a_run_with_other_arguments_is_not_taken_for_this_one(tmp_path):
    made = comparison(tmp_path, {"x": "training.ppo"})
    write_results(made.members[0], {"planner": 1.0})
    assert comparison(tmp_path, {"x": "training.ppo"}).run() == 0
    with pytest.raises(ArgumentError, match="is of a run with other epochs: give another folder"):
        comparison(tmp_path, {"x": "training.ppo --epochs 2"})
    assert made.members[0].done


def test_a_run_without_a_checkpoint_begins_anew(tmp_path):
    (member,) = comparison(tmp_path, {"x": "training.ppo"}).members
    (member.folder / "best.zip").write_text("left over")
    (member.folder / CHECKPOINT).write_text("to go on from")
    comparison(tmp_path, {"x": "training.ppo"})
    assert (member.folder / "best.zip").exists()
    (member.folder / CHECKPOINT).unlink()
    comparison(tmp_path, {"x": "training.ppo"})
    assert not (member.folder / "best.zip").exists() and json.loads((member.folder / GIVEN).read_text())["seed"] == 1


def test_ctrl_c_ends_it_and_it_goes_on(tmp_path):
    config = tmp_path / "config.yaml"
    given = {"variations": {"x": "training.ppo", "y": "training.ppo --epochs 2"}, "out": str(tmp_path / "all")}
    config.write_text(json.dumps(given | {"shared": f"{TINY} --decisions 100000000", "seeds": [1], "jobs": 1}))
    command = [sys.executable, "-m", "training.compare", "--config", str(config)]

    def heed() -> None:
        # The workers of pytest-xdist ignore it, and so would all that they start.
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=heed)
    try:
        while not (tmp_path / "all" / "x" / "1" / CHECKPOINT).exists():
            assert process.poll() is None
            time.sleep(0.2)
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=120)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert "stopped; the same command goes on" in told and "Traceback" not in told and process.returncode == 1


def test_a_variation_wins_over_what_is_shared(tmp_path):
    shared, own = comparison(tmp_path, {"a": "training.ppo", "b": "training.ppo --hidden '[8]'"}).members
    assert (shared.arguments["hidden"], own.arguments["hidden"]) == ([16], [8])
    assert shared.arguments["decisions"] == own.arguments["decisions"] == 900


def test_impossible_comparisons(tmp_path):
    for variations, changes, told in (
        ({}, {}, "expected names"),
        ({"a b": "training.ppo", "A-b": "training.ppo"}, {}, "expected names"),
        ({"a|b": "training.ppo"}, {}, "without |"),
        ({"a": "training.ppo"}, {"jobs": 0}, "a job or more"),
        ({"a": "training.ppo"}, {"seeds": [1, 1]}, "different seeds"),
        ({"a": None}, {}, "no program that can be compared"),
        ({"a": "training.folder"}, {}, "no program that can be compared"),
        ({"a": "training.ppo --epoch 2"}, {}, "'epochs'"),
        ({"a": "training.ppo"}, {"shared": f"{TINY} --ladder []"}, "give it a ladder"),
    ):
        with pytest.raises(ArgumentError, match=told.replace("|", r"\|")):
            comparison(tmp_path, variations, **changes)


def test_the_shipped_comparison_can_be_run():
    args = read_arguments(Arguments, ["--config", "configs/train/compare_basic_2p.yaml"])
    for variation in args.variations.values():
        module, *given = shlex.split(f"{variation} {args.shared}")
        if module == "training.sb3_maskable_ppo":
            pytest.importorskip("sb3_contrib")
        run = read_arguments(import_module(module).Arguments, given)
        assert run.minutes and Path(given[1]).exists()
        hidden_entries(getattr(run, "hide", []), RuleSet.load(run.rules), run.num_players, run.observation)
