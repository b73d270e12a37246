"""The page of a replay: what it is told is the game, step by step, and nothing that a seat cannot see."""

import json
import re

import pytest

from rummy_env.cli import main
from rummy_env.errors import RecordError
from rummy_env.record import make_record, replay
from rummy_env.viewer import page
from rummy_env.viewer.steps import UNKNOWN, page_data, shown
from tests.replays import recorded

TABLES = [
    ({"preset": "contract_rummy", "deals": [2, 7]}, 4, "greedy"),
    ({"preset": "contract_rummy", "deals": [1], "max_turns_per_deal": 80}, 8, "random"),
    ({"preset": "basic_rummy", "game_end": "n_deals", "n_deals": 2}, 2, "random"),
]
every_table = pytest.mark.parametrize(("rules", "players", "agent"), TABLES)


def changed(before, change):
    """A value after a change: what the program in the page does."""
    if isinstance(before, str) and isinstance(change, list):
        return before[: change[0]] + change[1]
    if isinstance(before, list) and isinstance(change, dict):
        places = max(len(before), *(place + 1 for place in change))
        return [change[place] if place in change else before[place] for place in range(places)]
    return change


def tables(data):
    """Every table of a page, from the start to the end."""
    table = data["start"]
    yield table
    for step in data["steps"]:
        table = {key: changed(value, step["changes"][key]) if key in step["changes"] else value
                 for key, value in table.items()}  # fmt: skip
        yield table


@every_table
def test_the_changes_lead_through_every_position(tmp_path, rules, players, agent):
    record = recorded(tmp_path / "g.jsonl", rules, players, agent=agent)
    data = page_data(record)
    game = record.start_game()
    for number, table in enumerate(tables(data)):
        assert table == shown(game)
        assert table["hands"] == game.to_dict()["hands"]
        if number < len(record.actions):
            step = data["steps"][number]
            assert (step["player"], step["legal"]) == (game.player, game.legal_actions())
            assert step["words"] == game.describe(step["action"])
            game.apply(step["action"])
    assert game.to_dict() == replay(record).to_dict()
    assert [deal["scores"] for deal in data["deals"]][-1] == game.scores
    assert data["deals"][-1]["steps"] == len(record.actions)


@every_table
def test_a_page_of_one_seat_tells_nothing_hidden(tmp_path, rules, players, agent):
    record = recorded(tmp_path / "g.jsonl", rules, players, agent=agent, notes=True, steps=150)
    data = page_data(record, seat=1)
    game = record.start_game()
    for number, table in enumerate(tables(data)):
        assert table == shown(game.determinize(1, 5), 1)
        assert set(table["stock"].split()) <= {UNKNOWN}
        assert all(set(hand.split()) <= {UNKNOWN} for seat, hand in enumerate(table["hands"]) if seat != 1)
        if number < len(record.actions):
            step = data["steps"][number]
            assert (step["legal"] is None) == (step["note"] is None) == (game.player != 1)
            game.apply(step["action"])
    assert record.digest not in page(record, seat=1)


def test_notes_are_told(tmp_path):
    record = recorded(tmp_path / "g.jsonl", notes=True, steps=40)
    assert [step["note"] for step in page_data(record)["steps"]] == list(record.notes)


def test_the_page_is_one_file_that_asks_for_nothing(tmp_path):
    record = recorded(tmp_path / "g.jsonl", steps=30)
    text = page(record)
    assert 'http-equiv="Content-Security-Policy" content="default-src \'none\'' in text
    assert not re.search(r"""(src|href)="(?!\$?\{?#)""", text)
    assert "url(" not in text and "@import" not in text
    assert "/* style */" not in text and "/* program */" not in text
    told = re.search(r'<script type="application/json" id="game">(.*?)</script>', text, re.DOTALL)[1]
    assert json.loads(told) == json.loads(json.dumps(page_data(record)))


def test_no_text_of_the_record_ends_its_element(tmp_path):
    name = "</script><script>alert(1)</script>"
    record = recorded(tmp_path / "g.jsonl", {"preset": "basic_rummy", "name": name}, 2, steps=5)
    assert name not in page(record)
    assert page(record).count("<script") == 2


def test_a_note_on_an_action_that_is_not_legal_is_refused(tmp_path):
    record = recorded(tmp_path / "g.jsonl", notes=True, steps=40)
    illegal = next(action for action in range(472) if str(action) not in record.notes[3]["probabilities"])
    notes = [*record.notes]
    notes[3] = {"probabilities": {str(illegal): 0.5}}
    with pytest.raises(RecordError, match="action 4 gives a probability to action"):
        make_record(replay(record), notes=notes)


@pytest.fixture
def view(tmp_path, capsys):
    """Run `rummy view` on a record file; status, stderr and the text of the page."""

    def run(*options):
        output = tmp_path / "game.html"
        status = main(["view", str(tmp_path / "g.jsonl"), "-o", str(output), *options])
        return status, capsys.readouterr().err, output.read_text("utf-8") if output.exists() else None

    return run


def test_the_command_writes_the_page(tmp_path, view):
    record = recorded(tmp_path / "g.jsonl", steps=30)
    assert view() == (0, "", page(record))
    assert view("--seat", "2") == (0, "", page(record, seat=2))


def test_the_command_names_what_is_wrong(tmp_path, view):
    recorded(tmp_path / "g.jsonl", steps=30)
    for options, told in ((["--seat", "3"], "0 … 2"), (["--game", "2"], "no game 2")):
        status, err, text = view(*options)
        assert (status, text) == (2, None)
        assert told in err


def edited(line):
    fields = json.loads(line)
    return json.dumps(fields | {"actions": [*fields["actions"][:-1], (fields["actions"][-1] + 1) % 472]})


@pytest.mark.parametrize("damage", [lambda line: line[: len(line) // 2], edited])
def test_a_damaged_record_is_refused_with_its_line(tmp_path, view, damage):
    path = tmp_path / "g.jsonl"
    line = recorded(path, steps=30).to_json()
    path.write_text(f"{line}\n{damage(line)}\n", encoding="utf-8")
    status, err, text = view("--game", "2")
    assert (status, text) == (2, None)
    assert "line 2: " in err
