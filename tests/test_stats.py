"""`rummy stats`: what it counts is what happened in the recorded games."""

import json

import pytest

from rummy_env.cli import main
from rummy_env.record import read_records, replay
from tests.replays import recorded

SHORT = {"preset": "contract_rummy", "deals": [1, 2]}


@pytest.fixture
def rummy(capsys):
    """Run the command with some arguments; status, stdout and stderr."""

    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Two games of a table, one of another, and one that stops in its second deal."""
    folder = tmp_path_factory.mktemp("records")
    games = [(SHORT, 3, 1, "greedy"), ("basic_rummy", 2, 2, "greedy"), (SHORT, 3, 3, "random")]
    lines = [recorded(folder / "one.jsonl", *game).to_json() for game in games]
    whole = recorded(folder / "one.jsonl", SHORT, 3, 4, "greedy")
    first_deal = next(n for n in range(1, len(whole.actions)) if played(whole, n).deals_done == 1)
    lines.append(recorded(folder / "one.jsonl", SHORT, 3, 4, "greedy", steps=first_deal + 5).to_json())
    path = folder / "games.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def played(record, steps):
    game = record.start_game()
    for action in record.actions[:steps]:
        game.apply(action)
    return game


def counted(records):
    """By seat: deals, deals won, penalties when another went out, draws of the top card, deep pick-ups, exchanges."""
    seats = [dict.fromkeys(("deals", "out", "beaten", "caught", "draws", "top", "take", "swap"), 0) for _ in range(3)]
    for record in records:
        game = record.start_game()
        for action in record.actions:
            kind = game.layout.decode(action).kind
            own = seats[game.player]
            own["draws"] += kind in ("draw_stock", "take_top", "take")
            own["top"] += kind == "take_top"
            own["take"] += kind == "take"
            own["swap"] += kind == "swap"
            game.apply(action)
        for deal in record.deals:
            for seat, own in enumerate(seats):
                own["deals"] += 1
                own["out"] += deal["out"] == seat
                if deal["out"] not in (None, seat):
                    own["beaten"] += 1
                    own["caught"] += deal["hand_points"][seat]
    return seats


def test_the_figures_are_those_of_the_games(rummy, path):
    status, out, err = rummy("stats", path, "--json")
    assert (status, err) == (0, "")
    contract, basic = json.loads(out)
    records = [record for record in read_records(path) if record.num_players == 3]
    whole = [record for record in records if replay(record).over]
    assert (contract["games"], contract["unfinished"], contract["deals"]) == (2, 1, 5)
    assert (basic["variant"], basic["games"], basic["unfinished"]) == ("basic_rummy", 1, 0)
    assert contract["decisions"] == sum(len(record.actions) for record in records)
    assert contract["mean_scores"] == [sum(record.scores[seat] for record in whole) / 2 for seat in range(3)]
    turns = [deal["turns"] for record in records for deal in record.deals]
    assert contract["turns_per_deal"] == {"mean": sum(turns) / 5, "min": min(turns), "max": max(turns)}
    for figures, own in zip(contract["seats"], counted(records), strict=True):
        assert figures["deals"] == own["deals"] == 5
        assert figures["ends"]["out"] == own["out"] / 5
        assert figures["caught_with"] == (own["caught"] / own["beaten"] if own["beaten"] else None)
        assert figures["take_up_rate"] == own["top"] / own["draws"]
        assert figures["deep_pickups"] == own["take"] / 5
        assert figures["exchanges"] == own["swap"] / 5


def test_the_tables_tell_the_same(rummy, path):
    status, out, _ = rummy("stats", path)
    assert status == 0
    for words in ("decisions per deal", "deep pick-ups", "points caught with", "1 of the games were not played"):
        assert words in out
    assert "decisions a second" not in out


def test_a_picture_is_written(rummy, path, tmp_path):
    pytest.importorskip("matplotlib")
    status, _, _ = rummy("stats", path, "--picture", tmp_path / "stats.png")
    assert status == 0
    assert (tmp_path / "stats.png").read_bytes().startswith(b"\x89PNG")


def test_damaged_and_empty_files_are_refused(rummy, path, tmp_path):
    lines = path.read_text("utf-8").splitlines()
    fields = json.loads(lines[1])
    lines[1] = json.dumps(fields | {"scores": [9] * len(fields["scores"])})
    (tmp_path / "edited.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    for name, told in (("edited", "line 2: the scores are"), ("empty", "holds no game")):
        status, out, err = rummy("stats", tmp_path / f"{name}.jsonl")
        assert (status, out) == (2, "")
        assert told in err
