"""The arena: what is dealt and counted, forfeits, and one result however the work is divided."""

import json
import multiprocessing
import os
import re
import signal
import sys
from dataclasses import replace
from types import NoneType

import numpy as np
import pytest
from rich.console import Console

from baselines.greedy import Greedy
from rummy_env.arena import Match, run
from rummy_env.arena.behaviour import NUM_COUNTS, figures
from rummy_env.arena.chunk import ALONE_WON, DEALS, DECIDED, GAMES_WON, POINTS, WON
from rummy_env.arena.play import Batch, play_chunk
from rummy_env.arena.report import make_report
from rummy_env.arena.schedule import unit_seed
from rummy_env.errors import ArgumentError, MissingExtraError, RulesError, SeedError
from rummy_env.rules import RuleSet
from tests.arena_play import (
    SHORT,
    SMALL,
    BatchFails,
    Chance,
    Cheats,
    Highest,
    Mixed,
    Nonsense,
    Raises,
    Slow,
    slow_counts,
    slow_match,
)
from tests.seat_play import Eager, Lowest


def result(report):
    """What follows from the match."""
    plain = report.to_dict()
    del plain["decisions_per_s"]
    return plain


def text(report):
    """The tables of a report as they are printed."""
    console = Console(width=200)
    with console.capture() as printed:
        for table in report.tables():
            console.print(table)
    return printed.get()


@pytest.mark.parametrize("num_players", [2, 3])
def test_single_deals_against_a_slow_arena(num_players):
    agents, units = [Mixed(), Eager()], 10
    chunk = play_chunk(Match(agents, SHORT, num_players, deals=units, seed=4), 0, units)

    def rules(unit):
        return RuleSet.load(SHORT).replace(game_end="single_deal", deals=[unit % 7 + 1])

    expected = slow_match(rules, num_players, agents, 4, units)
    assert chunk.outcomes[:, 0, [POINTS, WON, DEALS, DECIDED]] == pytest.approx(expected[:, :4], abs=1e-4)
    assert len(set(chunk.deals)) == units


@pytest.mark.parametrize(("rules", "num_players"), [(SMALL, 2), (SMALL, 4), (SHORT, 2)])
def test_games_against_a_slow_arena(rules, num_players):
    agents, units = [Mixed(1), Mixed(2)], 4
    chunk = play_chunk(Match(agents, rules, num_players, games=units, seed=5), 0, units)
    expected = slow_match(lambda unit: rules, num_players, agents, 5, units)
    figures = [POINTS, WON, DEALS, DECIDED, GAMES_WON, ALONE_WON]
    assert chunk.outcomes[:, 0, figures] == pytest.approx(expected, abs=1e-4)
    assert 0 < expected[:, 1].sum() < expected[:, 3].sum() or rules is SHORT


def test_every_seating_of_every_pair_gets_the_same_cards():
    match = Match(["random", Eager(), Lowest()], SHORT, 3, deals=9, seed=2)
    batch = Batch(match, 0, 9)
    per_unit = len(batch.lineups) // 9
    assert per_unit == 3 * 6
    assert len(set(batch.fingerprints)) == 9
    assert [batch._fingerprint(row) for row in range(len(batch.lineups))] == np.repeat(
        batch.fingerprints, per_unit
    ).tolist()
    assert batch._games["contract"][::per_unit].tolist() == [0, 1, 2, 3, 4, 5, 6, 0, 1]


def test_the_deals_of_a_game_are_the_same_whatever_was_played():
    def dealt(agents):
        batch = Batch(Match(agents, SHORT, 2, games=2, seed=2), 0, 1)
        seen = {}
        note = batch._end_deals

        def end_deals(rows):
            note(rows)
            for row in rows[batch._games["over"][rows] == 0].tolist():
                seen[row, int(batch._games["deals_done"][row])] = batch._fingerprint(row)

        batch._end_deals = end_deals
        batch.play()
        return seen

    assert dealt([Eager(), Highest()]) == dealt(["random", Lowest()])
    assert len(dealt(["random", "random"])) == 2 * 6


def test_a_pair_is_the_same_in_any_company():
    def points(agents, first, second):
        report = run(Match(agents, SMALL, 2, games=6, seed=3))
        return report.cross_table()[first, second]

    assert points(["random", Eager()], "random", "Eager") == points([Lowest(), Eager(), "random"], "random", "Eager")


def test_compiled_and_python_agents_play_the_same():
    class Twin(Chance):
        pass

    chance = run(Match([Chance(), Eager()], SHORT, 3, deals=14, seed=1))
    Twin.__name__ = "random"
    named = run(Match([Twin(), Eager()], SHORT, 3, deals=14, seed=1))
    compiled = run(Match(["random", Eager()], SHORT, 3, deals=14, seed=1))
    assert result(named) == result(compiled)
    assert named.pairs[0].points != chance.pairs[0].points


def test_copies_of_one_agent_differ_by_chance_only():
    twins = run(Match([Eager(), Eager()], SMALL, 3, deals=6, seed=1)).pairs[0]
    assert (twins.first, twins.second) == ("Eager", "Eager#2")
    assert twins.points == (0.0, 0.0, 0.0)
    assert (twins.better, twins.worse, twins.p_value) == (0, 0, 1.0)
    random = run(Match(["random", "random"], SHORT, 2, deals=40, seed=1)).pairs[0]
    assert random.better + random.worse > 30
    assert random.points.low < 0 < random.points.high


def test_behaviour_against_a_slow_arena():
    agents, units = [Mixed(), Lowest()], 3
    chunk = play_chunk(Match(agents, SHORT, 2, games=units, seed=8), 0, units)
    counts = slow_counts(SHORT, agents, [unit_seed(8, unit) for unit in range(units)])
    assert [dict(zip(counts[0], row, strict=True)) for row in chunk.behaviour.tolist()] == counts
    assert all(counts[0][name] for name in ("stock", "top", "deep", "swaps", "melded"))


def test_figures():
    shown = figures(np.array([100, 30, 10, 2, 3, 4, 12, 8, 2, 5, 60, 0, 1, 200]))
    assert shown == {
        "deals": 8, "first_meld_turn": 3, "melds": 0.5, "take_up_rate": 10 / 42, "deep_pickups": 0.25,
        "exchanges": 0.375, "caught_with": 12, "deal_length": 25,
        "ends": {"out": 0.25, "beaten": 0.625, "blocked": 0, "capped": 0.125},
    }  # fmt: skip
    nothing = figures(np.zeros(NUM_COUNTS, np.int64))
    assert nothing["first_meld_turn"] is nothing["caught_with"] is nothing["take_up_rate"] is None


FAILING = {
    Raises: (None, "raised KeyError: 'no \\[bold\\]idea'"),
    Cheats: (0, "illegal: player . may not draw stock in the play phase"),
    Nonsense: (None, "raised .*'draw stock'"),
    BatchFails: (None, "raised ValueError: a meld"),
}


@pytest.mark.parametrize("agent", FAILING, ids=lambda agent: agent.__name__)
def test_an_agent_that_fails_forfeits(agent):
    report = run(Match(["random", agent()], SMALL, 3, deals=2, seed=6))
    action, reason = FAILING[agent]
    assert report.forfeits
    for forfeit in report.forfeits:
        assert forfeit["agent"] == agent.__name__ == forfeit["seating"][forfeit["seat"]]
        assert (forfeit["opponent"], forfeit["action"]) == ("random", action)
        assert (forfeit["contract"], forfeit["deal"]) == (None, 1)
        assert forfeit["seed"] == unit_seed(6, forfeit["unit"])
        assert re.search(reason, forfeit["reason"])
    assert report.pairs[0].forfeits == (0, len(report.forfeits))
    assert agent.__name__ in text(report)
    if agent in (Cheats, Nonsense):  # they fail in every game: alone for 100 points, else 50 of them for the opponent
        assert len(report.forfeits) == 2 * 6
        assert report.pairs[0].points == (75.0, 75.0, 75.0)
        assert report.pairs[0].deals_won == (0.75, 0.75, 0.75)


def test_an_agent_that_thinks_too_long_forfeits():
    report = run(Match([Slow(), Highest()], SMALL, 2, games=2, seed=6, time_limit=0.05))
    assert len(report.forfeits) == 4
    assert all(re.fullmatch("thought 0.0[5-9].* s, allowed are 0.05 s", one["reason"]) for one in report.forfeits)
    assert all(isinstance(one["action"], int) for one in report.forfeits)
    assert report.pairs[0].games_won == (0.0, 0.0, 0.0)
    assert run(Match([Highest(), Highest()], SMALL, 2, deals=2, time_limit=60)).forfeits == []


def test_deals_before_a_forfeit_count():
    class Later(Highest):
        def act(self, observation, action_mask, info):
            if info["view"].state["deals_done"][0] == 2:
                raise ValueError
            return super().act(observation, action_mask, info)

    match = Match([Later(), Highest()], SHORT, 2, games=2, seed=3)
    honest = play_chunk(Match([Highest(), Highest()], SHORT, 2, games=2, seed=3), 0, 2)
    chunk = play_chunk(match, 0, 2)
    assert [one["deal"] for one in chunk.forfeits] == [3] * 4
    assert [one["contract"] for one in chunk.forfeits] == [3] * 4
    assert chunk.outcomes[:, 0, DEALS].tolist() == [6, 6] != honest.outcomes[:, 0, DEALS].tolist()
    assert chunk.outcomes[:, 0, POINTS].tolist() == [-200, -200]


def test_any_cut_into_chunks_has_the_same_result():
    match = Match(["random", Eager(), BatchFails()], SHORT, 3, deals=10, seed=1)
    whole = make_report(match, [play_chunk(match, 0, 10)])
    parts = make_report(match, [play_chunk(match, *part) for part in ((7, 10), (0, 1), (1, 7))])
    assert result(parts) == result(whole)


def test_two_processes_have_the_same_result(tmp_path):
    match = Match(["random", Greedy(), Eager(), Chance()], SMALL, 2, deals=20, seed=1)
    done = []
    assert result(run(match, workers=2, progress=done.append)) == result(run(match))
    assert done == sorted(done) and done[0] == 0 and done[-1] == 20


def test_ray_tasks_have_the_same_result(monkeypatch):
    pytest.importorskip("ray")
    match = Match(["random", Eager()], SMALL, 2, deals=20, seed=1)
    assert result(run(match, workers=2, ray=True)) == result(run(match))


def test_without_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match="pip install ray"):
        run(Match(["random", "random"], SMALL, 2, deals=4), ray=True)


RESUMED = Match(["random", Eager()], SMALL, 2, deals=12, seed=1)


def run_until_killed(folder):
    """Die in the middle of a match."""
    run(RESUMED, resume=folder, progress=lambda done: done >= 6 and os.kill(os.getpid(), signal.SIGKILL))


def test_a_killed_match_is_gone_on_with(tmp_path):
    process = multiprocessing.get_context("spawn").Process(target=run_until_killed, args=(tmp_path,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    path = tmp_path / "chunks.jsonl"
    kept = path.read_bytes()
    assert kept.count(b"\n") == 3
    path.write_bytes(kept + b'{"first": 6, "end"')
    done = []
    assert result(run(RESUMED, resume=tmp_path, progress=done.append)) == result(run(RESUMED))
    assert done[0] == 6
    assert path.read_bytes().startswith(kept)
    done.clear()
    assert result(run(RESUMED, resume=tmp_path, progress=done.append)) == result(run(RESUMED))
    assert done == [12]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"seed": 2}, "seed is 1 there and 2 here"),
        ({"deals": 13}, "units is 12 there and 13 here"),
        ({"deals": None, "games": 12}, "rules is"),
        ({"num_players": 3}, "num_players is 2 there and 3 here"),
        ({"agents": ["random", Lowest()]}, "agents is .*Eager.* there and .*Lowest.* here"),
        ({"reference": "random"}, "reference is None there"),
        ({"time_limit": 1.0}, "time_limit is None there"),
    ],
)
def test_parts_of_another_match_are_refused(tmp_path, changes, told):
    run(RESUMED, resume=tmp_path)
    before = (tmp_path / "chunks.jsonl").read_bytes()
    with pytest.raises(ArgumentError, match=told):
        run(replace(RESUMED, **changes), resume=tmp_path)
    assert (tmp_path / "chunks.jsonl").read_bytes() == before


@pytest.mark.parametrize("content", ["[1]\n", "nothing\n", '{"format": "rummy-env/1"}\n'])
def test_another_file_is_refused(tmp_path, content):
    (tmp_path / "chunks.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(ArgumentError, match="not the file of a match"):
        run(RESUMED, resume=tmp_path)


def test_a_damaged_part_is_named(tmp_path):
    run(RESUMED, resume=tmp_path)
    path = tmp_path / "chunks.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines[:2], "{}", *lines[3:], ""]), encoding="utf-8")
    with pytest.raises(ArgumentError, match="line 3"):
        run(RESUMED, resume=tmp_path)


ESTIMATE = {"value": float, "low": float, "high": float}
PAIR = {
    "first": str, "second": str, "points": ESTIMATE, "deals_won": ESTIMATE, "games_won": ESTIMATE, "alone": NoneType,
    "better": int, "worse": int, "p_value": float, "p_holm": float, "forfeits": [int],
}  # fmt: skip
PERHAPS = (float, NoneType)
FIGURES = {
    "deals": int, "first_meld_turn": PERHAPS, "melds": float, "take_up_rate": float, "deep_pickups": float,
    "exchanges": float, "caught_with": PERHAPS, "deal_length": float,
    "ends": {"out": float, "beaten": float, "blocked": float, "capped": float},
}  # fmt: skip
FORFEIT = {
    "agent": str, "opponent": str, "unit": int, "seed": int, "contract": int, "deal": int, "seating": [str],
    "seat": int, "action": int, "reason": str,
}  # fmt: skip
LABELS = ("random", "Eager", "Cheats")
SCHEMA = {
    "format": str,
    "match": {
        "version": str, "rules": None, "num_players": int, "agents": [str], "reference": None, "mode": str,
        "units": int, "seed": int, "time_limit": None,
    },
    "unique_deals": int,
    "intervals": {"method": str, "confidence": float, "resamples": int},
    "pairs": [PAIR],
    "ratings": None,
    "behaviour": {"random": FIGURES, "Eager": FIGURES, "Cheats": None},
    "decisions_per_s": dict.fromkeys(LABELS, float),
    "forfeits": [FORFEIT],
}  # fmt: skip


def conforms(value, schema):
    """Whether plain JSON has the keys and the types of a schema; None lets everything pass."""
    if isinstance(schema, dict):
        return value.keys() == schema.keys() and all(conforms(value[key], schema[key]) for key in schema)
    if isinstance(schema, list):
        return bool(value) and all(conforms(one, schema[0]) for one in value)
    return schema is None or type(value) in (schema if isinstance(schema, tuple) else (schema,))


def test_form_of_the_json():
    report = run(Match(["random", Eager(), Cheats()], SHORT, 2, games=3, seed=1))
    plain = json.loads(json.dumps(report.to_dict()))
    assert plain == report.to_dict()
    assert conforms(plain, SCHEMA)
    assert (plain["match"]["mode"], plain["match"]["units"], plain["unique_deals"]) == ("games", 3, 3)
    assert tuple(plain["behaviour"]) == tuple(plain["match"]["agents"]) == LABELS
    single = run(Match(["random", Eager()], SHORT, 2, deals=3)).to_dict()
    assert single["pairs"][0]["games_won"] is None


def test_shares_of_games_won_alone():
    match = Match([Eager(), "random"], SMALL, 3, games=6, seed=1)
    report, chunk = run(match), play_chunk(match, 0, 6)
    (pair,) = report.pairs
    won, alone = chunk.outcomes[:, 0, GAMES_WON].sum(), chunk.outcomes[:, 0, ALONE_WON].sum()
    first, second = pair.alone
    assert first.value == pytest.approx(alone / 18) and second.value == pytest.approx((18 - (won - alone)) / 18)
    assert first.value > 1 / 3 > second.value
    assert pair.mirrored().alone == (second, first)
    assert json.dumps(report.to_dict()["pairs"][0]["alone"])
    assert "won alone" in str([column.header for column in report.tables()[0].columns])
    assert run(Match([Eager(), "random"], SMALL, 3, deals=6)).pairs[0].alone is None


def test_ratings_follow_strength():
    pytest.importorskip("openskill")
    report = run(Match(["random", Eager(), Cheats()], SHORT, 2, deals=30, seed=1))
    eager, random, cheats = (report.ratings[label].mu for label in ("Eager", "random", "Cheats"))
    assert eager > random > cheats
    assert "OpenSkill" in text(report)


def test_without_openskill(monkeypatch):
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    report = run(Match(["random", Eager()], SMALL, 2, deals=2))
    assert report.ratings is None
    assert "rummy-env[arena]" in text(report)


def test_a_reference_meets_all_others():
    report = run(Match(["random", Eager(), Lowest()], SMALL, 2, deals=2, reference="Eager"))
    assert [(pair.first, pair.second) for pair in report.pairs] == [("random", "Eager"), ("Lowest", "Eager")]
    assert ("random", "Lowest") not in report.cross_table()


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ({"agents": ["random"]}, ArgumentError, "at least two"),
        ({"agents": "random"}, ArgumentError, "at least two"),
        ({"agents": ["random", "randm"]}, ArgumentError, "did you mean 'random'"),
        ({"agents": ["random", 7]}, ArgumentError, "7 is no agent"),
        ({"deals": 0}, ArgumentError, "deals=0"),
        ({"deals": 1}, ArgumentError, "deals=1: .* from 2"),
        ({"deals": 2.5}, ArgumentError, "deals=2.5"),
        ({"deals": True}, ArgumentError, "deals=True"),
        ({"deals": None}, ArgumentError, "give the number"),
        ({"games": 3}, ArgumentError, "give the number"),
        ({"deals": None, "games": -3}, ArgumentError, "games=-3"),
        ({"num_players": 9}, RulesError, "9"),
        ({"num_players": 1}, RulesError, "1"),
        ({"variant": "whist"}, RulesError, "whist"),
        ({"contract": 8}, RulesError, "8"),
        ({"contract": 1, "variant": "basic_rummy"}, ArgumentError, "contract=1: basic_rummy has no contracts"),
        ({"seed": -1}, SeedError, "-1"),
        ({"reference": "greedy"}, ArgumentError, "reference='greedy' is none"),
        ({"time_limit": 0}, ArgumentError, "time_limit=0"),
        ({"time_limit": float("nan")}, ArgumentError, "time_limit=nan"),
    ],
)
def test_an_impossible_match_is_refused(arguments, error, told):
    with pytest.raises(error, match=told):
        Match(**{"agents": ["random", "random"], "deals": 4, **arguments})


def test_workers_are_counted_from_1():
    with pytest.raises(ArgumentError, match="workers=0"):
        run(RESUMED, workers=0)
