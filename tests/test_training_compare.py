"""Comparisons of variations of a training; skipped without torch."""

import pytest

pytest.importorskip("torch", reason="torch comes with the extra 'train'")

from pathlib import Path

from rummy_env.errors import ArgumentError
from training.arguments import make_arguments, read_arguments
from training.compare import Arguments, Comparison
from training.folder import LADDER, MATCHES

TINY = (
    "--rules configs/rules/basic_small_deck.yaml --num_envs 32 --num_steps 16 --hidden '[16]' --minibatch 64 "
    "--decisions 900 --clone_decisions 300 --scripted '{}' --threads 1 "
    "--match_deals 4 --judges '[random]' --ladder '[random, greedy]' --ladder_deals 4"
)


def comparison(tmp_path, **changes):
    shared = {"shared": TINY, "seeds": [1], "jobs": 2, "out": str(tmp_path / "all")}
    return Comparison(make_arguments(Arguments, shared | changes))


def written(tmp_path, folder, points):
    """A run that has come to its end."""
    run = tmp_path / "all" / folder
    run.mkdir(parents=True)
    rows = "".join(f"{opponent},{value},-1,1,0.5\n" for opponent, value in points.items())
    (run / LADDER).write_text(f"opponent,points,low,high,won\n{rows}")
    (run / MATCHES).write_text("decisions,seconds,opponent,points\n0,1,planner,0\n3000000,60,planner,2\n")


def test_runs_that_are_missing_are_made_and_failures_are_told(tmp_path, capsys):
    variations = {"as it is": "training.ppo", "no clone": "training.ppo --clone_decision 0"}
    made = comparison(tmp_path, variations=variations)
    (failed,) = made.run()
    assert failed.endswith("no_clone/1") and "did you mean" in Path(failed, "log.txt").read_text()
    assert "no clone, seed 1: failed" in capsys.readouterr().out
    first, dashes, good, bad = made.table().splitlines()
    assert first.endswith("| against random | against greedy |") and set(dashes) == set("|- ")
    assert good.startswith("| as it is | 1 | 0.0 | ") and bad == "| no clone | 0 |  |  |  |"
    made.run()
    assert "as it is" not in capsys.readouterr().out  # it is there


def test_the_table_has_mean_and_range_over_the_seeds(tmp_path):
    for seed, points in ((1, 1.0), (2, 4.0), (3, -2.0)):
        written(tmp_path, f"x/{seed}", {"planner": points, "cautious": 2 * points})
    made = comparison(tmp_path, variations={"x": "training.ppo"}, seeds=[1, 2, 3])
    assert made.run() == []
    row = made.table().splitlines()[-1]
    assert row == "| x | 3 | 3.0 | +1.0 (-2.0 to +4.0), 50.0 % won | +2.0 (-4.0 to +8.0), 50.0 % won |"
    made.write()
    assert (tmp_path / "all" / "table.md").read_text().splitlines()[-1] == row
    pytest.importorskip("matplotlib")
    assert (tmp_path / "all" / "curves.png").read_bytes()[:4] == b"\x89PNG"


def test_names_that_become_the_same_folder_are_refused(tmp_path):
    for variations in ({}, {"a b": "training.ppo", "a-b": "training.ppo"}):
        with pytest.raises(ArgumentError, match="expected names that differ"):
            comparison(tmp_path, variations=variations)


def test_the_shipped_comparison_names_arguments_that_exist():
    """Its runs would fail one by one, late."""
    import shlex
    from importlib import import_module

    args = read_arguments(Arguments, ["--config", "configs/train/compare_basic_2p.yaml"])
    for variation in args.variations.values():
        module, *given = shlex.split(f"{variation} {args.shared}")
        if module == "training.sb3_maskable_ppo":
            pytest.importorskip("sb3_contrib")
        assert read_arguments(import_module(module).Arguments, given).minutes
