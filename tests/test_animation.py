"""A deal as an animated picture: every turn of it, as it is drawn elsewhere, up to its own end."""

import re
import shlex
import sys

import numpy as np
import pytest

from rummy_env.cli import main
from rummy_env.errors import ArgumentError
from rummy_env.record import read_records, replay
from rummy_env.render.animation import deal_tables, write_animation
from rummy_env.render.image import SIZE, render_image
from tests.pages import ROOT
from tests.replays import recorded

pytest.importorskip("pygame")
Image = pytest.importorskip("PIL.Image")

THREE_DEALS = {"preset": "contract_rummy", "deals": [1, 2, 3], "max_turns_per_deal": 24}


def decoded(path):
    """Pictures of an animation, int16, and how long each is shown in milliseconds."""
    with Image.open(path) as animation:
        pictures, times = [], []
        for number in range(animation.n_frames):
            animation.seek(number)
            pictures.append(np.asarray(animation.convert("RGB"), np.int16))
            times.append(animation.info["duration"])
        assert animation.info["loop"] == 0
    return pictures, times


def assert_alike(pictures, others):
    """Equal but for the colours that a palette lacks."""
    for picture, other in zip(pictures, others, strict=True):
        difference = np.abs(picture - other.astype(np.int16)).max(axis=2)
        assert difference.mean() < 1
        assert (difference > 60).mean() < 1e-3


@pytest.fixture
def record(tmp_path):
    return recorded(tmp_path / "g.jsonl", THREE_DEALS, 4, agent="greedy")


@pytest.fixture
def animate(tmp_path, capsys):
    """Run `rummy animate` on a record file; status, stderr and the file it writes."""

    def run(*options):
        output = tmp_path / "deal.gif"
        return (
            main(["animate", str(tmp_path / "g.jsonl"), "-o", str(output), *options]),
            capsys.readouterr().err,
            output,
        )

    return run


@pytest.mark.parametrize("viewer", [None, 2])
def test_the_tables_are_those_after_every_turn(record, viewer):
    tables = list(deal_tables(record, 1, viewer))
    game, moves, number = record.start_game(), [], 0
    assert np.array_equal(tables[0][0], render_image(game, viewer))
    for action in record.actions:
        moves.append((game.player, action))
        if game.apply(action) is not None:
            break
        if game.phase == "draw":
            number += 1
            assert np.array_equal(tables[number][0], render_image(game, viewer, moves))
    assert len(tables) == number + 2 == record.deals[0]["turns"] + 1
    assert sum(count for _, count in tables) == len(moves)


def test_the_last_table_is_the_end_of_the_deal_and_not_the_next_one(record):
    seats = slice(174, None)
    (*_, (end_of_second, _)) = deal_tables(record, 2)
    ((third_dealt, _), *_, (end_of_third, _)) = deal_tables(record, 3)
    assert not np.array_equal(end_of_second[seats], third_dealt[seats])
    assert np.array_equal(end_of_third[seats], render_image(replay(record))[seats])


def test_the_command_writes_an_animation(record, animate):
    status, problem, path = animate("--deal", "2", "--seat", "1", "--seconds", "12")
    assert (status, problem) == (0, "")
    pictures, times = decoded(path)
    tables = list(deal_tables(record, 2, viewer=1))
    assert len(pictures) == record.deals[1]["turns"] + 1
    assert pictures[0].shape == (SIZE[1], SIZE[0], 3)
    assert_alike(pictures, [table for table, _ in tables])
    assert sum(times) == pytest.approx(12_000, abs=10 * len(times))
    moves = [2, *(count for _, count in tables[1:])]
    shares = np.array(moves) * 0.8 / sum(moves)
    shares[-1] += 0.2
    assert np.array(times) == pytest.approx(12_000 * shares, abs=10)


def test_the_same_deal_makes_the_same_bytes(record, animate, tmp_path):
    other = tmp_path / "other.gif"
    write_animation(list(deal_tables(record)), other)
    assert animate()[2].read_bytes() == other.read_bytes()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--deal", "4"], "no deal 4: the game has 3"),
        (["--deal", "0"], "--deal"),
        (["--game", "2"], "no game 2"),
        (["--seat", "4"], "--seat 4"),
        (["--seconds", "0"], "--seconds"),
    ],
)
def test_the_command_names_what_is_wrong(record, animate, options, named):
    status, problem, path = animate(*options)
    assert status == 2
    assert named in problem and problem.count("\n") == 1
    assert not path.exists()


@pytest.mark.parametrize("library", ["PIL", "pygame"])
def test_without_a_library_the_error_names_the_extra(record, animate, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    status, problem, path = animate()
    assert (status, path.exists()) == (2, False)
    assert "pip install 'rummy-env[render]'" in problem


def test_a_record_that_stops_in_a_deal_has_the_deals_begun(tmp_path):
    record = recorded(tmp_path / "g.jsonl", THREE_DEALS, 4, agent="greedy", steps=30)
    tables = list(deal_tables(record))
    assert 1 < len(tables) <= 16
    with pytest.raises(ArgumentError, match="no deal 2: the game has 1"):
        list(deal_tables(record, 2))


def test_the_picture_of_the_readme_is_what_its_commands_make(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "seeing.md").read_text("utf-8")
    commands = re.findall(r"^rummy ((?:simulate|animate) .*)$", page, re.M)
    monkeypatch.chdir(tmp_path)
    for command in commands:
        assert main(shlex.split(command)) == 0
    (made,) = tmp_path.glob("*.gif")
    shown = ROOT / "docs" / "pictures" / made.name
    assert f"docs/pictures/{made.name}" in (ROOT / "README.md").read_text("utf-8")
    assert shown.stat().st_size < 1_500_000
    (pictures, times), (again, times_again) = decoded(shown), decoded(made)
    assert times == times_again
    assert_alike(pictures, again)
    (record,) = read_records(tmp_path / "game.jsonl")
    assert len(pictures) == record.deals[1]["turns"] + 1
