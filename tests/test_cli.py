"""The command `rummy`: what it prints, and one clear line for every bad argument."""

import json
import re

import pytest

from rummy_env import Game
from rummy_env.cli import main
from rummy_env.envs.single import SeatEnv
from rummy_env.record import make_record, read_records, replay
from rummy_env.rules import RuleSet
from rummy_env.version import __version__


@pytest.fixture
def short_rules(tmp_path):
    path = tmp_path / "short.yaml"
    path.write_text("preset: basic_rummy\ngame_end: n_deals\nn_deals: 2\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def rummy(capsys):
    """Run the command with some arguments; status, stdout and stderr."""

    def run(*arguments):
        status = main(arguments)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def test_version(rummy):
    assert rummy("--version") == (0, f"rummy-env {__version__}\n", "")


def test_help_lists_the_commands(rummy):
    status, out, _ = rummy()
    assert status == 0
    assert all(command in out for command in ("simulate", "show", "view", "stats", "rules", "demo"))


def test_simulate_counts_what_happens(rummy, short_rules, tmp_path):
    record = tmp_path / "games.jsonl"
    status, out, err = rummy(
        "simulate", "--variant", short_rules, "--players", "3", "--games", "4", "--seed", "9",
        "--record", str(record), "--json",
    )  # fmt: skip
    result = json.loads(out)
    records = list(read_records(record))
    games = [replay(one) for one in records]
    assert (status, err) == (0, "")
    assert [one.seed for one in records] == [9, 10, 11, 12]
    assert (result["variant"], result["players"], result["games"], result["deals"]) == ("short", 3, 4, 8)
    assert result["decisions"] == sum(len(game.history) for game in games)
    assert result["mean_scores"] == [sum(game.scores[seat] for game in games) / 4 for seat in range(3)]
    turns = [deal["turns"] for one in records for deal in one.deals]
    assert result["turns_per_deal"] == {"mean": sum(turns) / 8, "min": min(turns), "max": max(turns)}
    assert result["decisions_per_deal"]["mean"] * 8 == result["decisions"]
    assert sum(result["ends"].values()) == 8
    assert result["decisions_per_s"] > 0


def test_simulate_repeats_itself_with_the_same_seed(rummy, short_rules):
    def counted(seed):
        result = json.loads(rummy("simulate", "--variant", short_rules, "--games", "2", "--seed", seed, "--json")[1])
        return {key: value for key, value in result.items() if "second" not in key and "per_s" not in key}

    assert counted("3") == counted("3") != counted("4")


def test_simulate_prints_a_table(rummy, short_rules):
    status, out, _ = rummy("simulate", "--variant", short_rules, "--games", "1")
    assert status == 0
    for label in ("games", "deals", "turns per deal", "decisions a second", "mean score by seat", "turn limit"):
        assert label in out


def test_simulate_lets_agents_play_the_same_games_as_the_environments(rummy, tmp_path):
    record = tmp_path / "games.jsonl"
    arguments = ("--variant", "basic_rummy", "--players", "3", "--games", "2", "--seed", "4", "--record", str(record))
    status, _, _ = rummy("simulate", "greedy", "random", "greedy", *arguments)
    assert status == 0
    for seed, one in zip((4, 5), read_records(record), strict=True):
        env = SeatEnv("basic_rummy", num_players=3, seat=0, opponents=["random", "greedy"])
        env.reset(seed=seed)
        terminated, learner = False, iter(actions_of_seat(one, 0))
        while not terminated:
            _, _, terminated, _, info = env.step(next(learner))
        assert info["scores"].tolist() == list(one.scores)


def actions_of_seat(record, seat):
    game = record.start_game()
    for action in record.actions:
        if game.player == seat:
            yield action
        game.apply(action)


def test_show_tells_a_seeded_game_and_the_same_game_from_a_record(rummy, short_rules, tmp_path):
    record = str(tmp_path / "games.jsonl")
    rummy("simulate", "--variant", short_rules, "--games", "2", "--seed", "4", "--record", record)
    status, seeded, _ = rummy("show", "--variant", short_rules, "--seed", "5", "--deals", "2")
    assert status == 0
    assert rummy("show", "--record", record, "--game", "2", "--deals", "2") == (0, seeded, "")
    assert "turn 1, player_" in seeded
    assert "deal 1 ended after" in seeded
    assert "game over" in seeded


def test_show_stops_after_the_deals_asked_for(rummy, short_rules):
    _, out, _ = rummy("show", "--variant", short_rules)
    assert "deal 1 ended" in out
    assert "deal 2" not in out
    assert "--deals 2" in out


def test_show_stops_after_the_turns_asked_for_and_draws_the_last_table(rummy, short_rules, tmp_path):
    pytest.importorskip("pygame")
    picture = tmp_path / "table.png"
    status, out, _ = rummy("show", "--variant", short_rules, "--turns", "3", "--picture", str(picture))
    assert status == 0
    assert len(re.findall(r"^turn \d+, player", out, re.M)) == 3
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_show_can_draw_the_table_before_every_turn(rummy, short_rules):
    _, out, _ = rummy("show", "--variant", short_rules, "--tables")
    assert len(re.findall(r"^stock \d+", out, re.M)) == len(re.findall(r"^turn \d+, player", out, re.M)) > 1


def test_show_tells_a_record_that_stops_in_the_middle_of_a_turn(rummy, tmp_path):
    game = Game("basic_rummy", 2, 1)
    game.apply(game.parse("draw stock"))
    path = tmp_path / "begun.jsonl"
    path.write_text(make_record(game).to_json() + "\n", encoding="utf-8")
    status, out, _ = rummy("show", "--record", str(path))
    assert status == 0
    assert out.endswith(": draw stock …\n")


@pytest.mark.parametrize("preset", ["contract_rummy", "contract_rummy_two_packs", "basic_rummy"])
def test_rules_explains_every_option(rummy, preset):
    status, out, _ = rummy("rules", preset)
    assert status == 0
    lines = out.splitlines()
    for option in RuleSet.options():
        assert any(line.startswith(f"{option.name}: ") for line in lines)
    assert f"name: {preset}" in lines


def test_rules_shows_the_values_of_a_file(rummy, short_rules):
    _, out, _ = rummy("rules", short_rules)
    assert "n_deals: 2" in out
    assert "ace_value: null" in out
    assert "layoff_on_sets: true" in out


def test_demo_plays_both_games_to_the_end(rummy):
    status, out, _ = rummy("demo", "--games", "1", "--seed", "1")
    assert status == 0
    assert out.count("game over") == 2
    assert "contract_rummy_v0" in out
    assert "decisions a second" in out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["simulate", "--variant", "whist"], "whist"),
        (["simulate", "--variant", "missing.yaml"], "missing.yaml"),
        (["simulate", "--players", "9"], "9"),
        (["simulate", "--players", "1"], "1"),
        (["simulate", "--players", "two"], "--players"),
        (["simulate", "--variant", "basic_rummy", "--players", "7"], "7"),
        (["simulate", "--games", "0"], "--games"),
        (["simulate", "nobody"], "nobody"),
        (["simulate", "random", "greedy", "--players", "3"], "2 agents for 3 seats"),
        (["simulate", "--seed", "-1"], "--seed"),
        (["simulate", "--seed", str(2**63)], "seed"),
        (["simulate", "--record", "missing/folder/games.jsonl"], "missing/folder/games.jsonl"),
        (["show", "--variant", "whist"], "whist"),
        (["show", "--players", "9"], "9"),
        (["show", "--deals", "0"], "--deals"),
        (["show", "--turns", "0"], "--turns"),
        (["view", "missing.jsonl", "-o", "game.html"], "missing.jsonl"),
        (["view", "missing.jsonl"], "--output"),
        (["stats", "missing.jsonl"], "missing.jsonl"),
        (["show", "--record", "missing.jsonl"], "missing.jsonl"),
        (["rules", "whist"], "whist"),
        (["rules", "missing.yaml"], "missing.yaml"),
        (["demo", "--games", "0"], "--games"),
        (["demo", "--games"], "--games"),
        (["frobnicate"], "frobnicate"),
        (["rules", "--frobnicate"], "--frobnicate"),
    ],
)
def test_a_bad_argument_is_one_line_on_stderr_and_status_2(rummy, tmp_path, monkeypatch, arguments, named):
    monkeypatch.chdir(tmp_path)
    status, out, err = rummy(*arguments)
    assert status == 2
    assert out == ""
    assert err.startswith("rummy: ")
    assert err.count("\n") == 1
    assert named in err


@pytest.mark.parametrize(
    ("content", "arguments", "named"),
    [
        ("not: [closed", ["rules", "FILE"], "no valid YAML"),
        ("preset: basic_rummy\nace_valu: 3\n", ["rules", "FILE"], "ace_valu"),
        ("just text", ["simulate", "--variant", "FILE"], "no mapping"),
        ("{}\n", ["show", "--record", "FILE"], "line 1"),
        ("", ["show", "--record", "FILE"], "no game 1"),
    ],
)
def test_a_bad_file_is_one_line_on_stderr_and_status_2(rummy, tmp_path, content, arguments, named):
    path = tmp_path / "bad.yaml"
    path.write_text(content, encoding="utf-8")
    status, out, err = rummy(*(str(path) if argument == "FILE" else argument for argument in arguments))
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert named in err
