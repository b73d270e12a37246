"""`rummy arena`: tables, files, and one clear line for every bad argument."""

import json
import sys

import pytest

from rummy_env.cli import main
from tests.arena_play import SMALL


@pytest.fixture
def arena(capsys, tmp_path, monkeypatch):
    """Run the command in an empty folder with some arguments; status, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text("\n".join(f"{key}: {value}" for key, value in SMALL.items()), encoding="utf-8")

    def run(*arguments):
        status = main(["arena", *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


SMALL_TABLE = ("--variant", "small.yaml", "--players", "2")


def test_agents_may_be_named_one_after_the_other(arena, tmp_path):
    status, out, err = arena(
        *SMALL_TABLE, "--agents", "random", "random", "random", "--deals", "6", "--seed", "1", "--json", "out.json"
    )
    assert (status, err) == (0, "")
    result = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert result["match"]["agents"] == ["random", "random#2", "random#3"]
    assert (result["match"]["units"], result["match"]["seed"], result["match"]["mode"]) == (6, 1, "deals")
    assert "small, 2 players, seed 1: 6 deals (6 different)" in " ".join(out.split())
    for label in ("points a deal", "ahead", "behaviour", "turn of the first meld", "decisions a second", "random#3"):
        assert label in out


def test_games_against_a_reference_in_two_processes(arena, tmp_path):
    arguments = [*SMALL_TABLE, "random", "random", "random", "--games", "4", "--reference", "random#2"]
    results = []
    for further in (["--workers", "2"], ["--resume", "parts"], ["--resume", "parts"]):
        assert arena(*arguments, *further, "--json", "out.json")[0] == 0
        results.append(json.loads((tmp_path / "out.json").read_text(encoding="utf-8")))
    assert len(results[0]["pairs"]) == 2
    assert results[1] == results[2]
    for result in results:
        del result["decisions_per_s"]
    assert results[0] == results[1]


def test_the_only_contract(arena, tmp_path):
    arena("random", "random", "--contract", "3", "--players", "2", "--deals", "2", "--json", "out.json")
    result = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert result["match"]["rules"]["deals"] == [3]
    assert result["match"]["rules"]["name"] == "contract_rummy"


def test_picture(arena, tmp_path):
    pytest.importorskip("matplotlib")
    assert arena(*SMALL_TABLE, "random", "random", "--deals", "4", "--picture", "cross.png")[0] == 0
    assert (tmp_path / "cross.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_without_matplotlib_is_refused_before_anything_is_played(arena, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    status, out, err = arena(*SMALL_TABLE, "random", "random", "--deals", "4", "--picture", "cross.png")
    assert (status, out) == (2, "")
    assert "rummy-env[plot]" in err


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "at least two agents"),
        (["--agents", "random"], "at least two agents"),
        (["--agents", "random", "randm"], "did you mean 'random'"),
        (["random", "random:speed=3"], "speed"),
        (["random", "random", "--deals", "0"], "deals=0"),
        (["random", "random", "--games", "0"], "games=0"),
        (["random", "random", "--games", "2", "--deals", "2"], "deals=2, games=2"),
        (["random", "random", "--deals", "many"], "--deals"),
        (["random", "random", "--players", "9"], "9"),
        (["random", "random", "--variant", "basic_rummy", "--players", "7"], "7"),
        (["random", "random", "--variant", "whist"], "whist"),
        (["random", "random", "--contract", "8"], "8"),
        (["random", "random", "--contract", "1", "--variant", "basic_rummy"], "no contracts"),
        (["random", "random", "--seed", "-1"], "--seed"),
        (["random", "random", "--reference", "greedy"], "greedy"),
        (["random", "random", "--time-limit", "0"], "time_limit"),
        (["random", "random", "--workers", "0"], "--workers"),
        (["random", "random", "--deals", "2", "--resume", "small.yaml"], "small.yaml"),
        (["random", "random", "--json", "missing/out.json"], "missing/out.json"),
        (["random", "random", "--picture", "missing/out.png"], "missing/out.png"),
    ],
)
def test_a_bad_argument_is_one_line_on_stderr_and_status_2(arena, arguments, named):
    status, out, err = arena(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("rummy: ")
    assert err.count("\n") == 1
    assert named in err
