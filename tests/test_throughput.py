"""The benchmark runs and counts honestly; how fast it is, is no matter for a test."""

import json

from benchmarks.hands import hand_rows
from benchmarks.throughput import Batch, report


def test_report():
    figures = report(count=4, seconds=0.02, sizes=(8,))
    names = {row["name"] for row in figures["rows"]}
    for table in ("basic_rummy/2", "contract_rummy/4"):
        assert names > {f"batch/{table}", f"batch/{table}/planning", f"batch/{table}/two_threads"}
        assert names > {f"aec/{table}", f"limit/{table}"}
        assert names > {f"selfplay/{table}/8", f"selfplay/{table}/8/two_threads"}
        for opponents in ("", "/greedy", "/python"):
            if f"…{opponents}" not in figures["skipped"]:
                assert names > {f"single/{table}{opponents}", f"make_vec/{table}/8{opponents}"}
                assert f"make_vec/{table}/8/two_threads{opponents}" in names
                assert ("sb3" in figures["skipped"]) != (f"sb3/{table}/64{opponents}" in names)
        assert figures["two_threads_over_one"][table] > 0
    for row in figures["rows"]:
        assert row["decisions"] > 0
        assert row["decisions_per_s"] == row["decisions"] / row["seconds"]
    assert 0 < figures["startup"]["import_s"] < figures["startup"]["first_step_warm_s"]
    json.dumps(figures)


def test_answers_about_hands():
    rows = list(hand_rows(seconds=0.01))
    assert {"needs/1+2/1", "needs/3+0/2", "whole/0+3/1", "partition/11/1", "outs/11/2"} < {row.name for row in rows}
    assert all(row.decisions > 0 for row in rows)


def test_decisions_are_counted_by_the_engine():
    batch = Batch("basic_rummy", 2, 6)
    batch.play(500, True)
    assert batch.decisions() == 3000
    batch.play(10, False, slice(None, 3))
    assert batch.decisions() == 3030
    assert batch.masks.any(axis=1).all()
    assert batch.observations.any(axis=1).all()
