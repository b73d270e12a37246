"""Game records: exact replay, and a named error for every line that was damaged or edited."""

import io
import json

import numpy as np
import pytest

from rummy_env import Game
from rummy_env.errors import RecordError
from rummy_env.record import FORMAT, digest, make_record, read_records, replay, write_record

SHORT_BASIC = {"preset": "basic_rummy", "game_end": "n_deals", "n_deals": 3}
SHORT_CONTRACT = {"preset": "contract_rummy", "deals": [1, 2], "max_turns_per_deal": 60}


def played(game, seed, steps=None):
    """`game` after random legal actions: all up to the end, or at most `steps`."""
    random = np.random.default_rng(seed)
    while game.over is None and (steps is None or len(game.history) < steps):
        game.apply(int(random.choice(game.legal_actions())))
    return game


def line_of(game, start=None):
    """The record of `game` as the line that `write_record` writes."""
    file = io.StringIO()
    write_record(file, game, start)
    return file.getvalue()


def read_line(tmp_path, line):
    """The record read back from a file with this line, after a line of another game."""
    path = tmp_path / "games.jsonl"
    other = line_of(played(Game(SHORT_BASIC, 2, 99), 99, steps=5))
    path.write_text(other + line, encoding="utf-8")
    return list(read_records(path))[1]


@pytest.fixture(scope="module")
def basic():
    return played(Game(SHORT_BASIC, 3, 5), 1)


@pytest.mark.parametrize(
    ("rules", "players", "steps"),
    [
        (SHORT_BASIC, 2, None),
        (SHORT_CONTRACT, 3, None),
        ("contract_rummy", 5, 333),
        ("contract_rummy_two_packs", 4, 200),
        ("basic_rummy", 6, 0),
    ],
)
def test_a_record_replays_to_the_same_position_and_history(tmp_path, rules, players, steps):
    game = played(Game(rules, players, 7), 3, steps)
    again = replay(read_line(tmp_path, line_of(game)))
    assert again.to_dict() == game.to_dict()
    assert again.history == game.history
    assert again.legal_actions() == game.legal_actions()


def test_notes_are_kept_and_may_be_missing(tmp_path):
    game = played(Game(SHORT_BASIC, 2, 5), 1, steps=3)
    notes = [{"value": 0.25}, None, {"probabilities": {}, "value": -1}]
    line = make_record(game, notes=notes).to_json() + "\n"
    assert read_line(tmp_path, line).notes == tuple(notes)
    assert read_line(tmp_path, line_of(game)).notes == ()
    with pytest.raises(RecordError, match="one entry for each of 3 actions"):
        make_record(game, notes=notes[:2])


def test_a_record_of_the_format_without_notes_is_read(tmp_path, basic):
    fields = json.loads(line_of(basic)) | {"format": "rummy-env/1"}
    assert replay(read_line(tmp_path, json.dumps(fields))).to_dict() == basic.to_dict()


def test_a_game_from_a_position_is_recorded_with_its_start(tmp_path):
    start = played(Game(SHORT_BASIC, 2, 11), 4, steps=25).to_dict()
    game = played(Game.from_dict(start), 6)
    record = read_line(tmp_path, line_of(game, start))
    assert record.seed is None
    assert replay(record).to_dict() == game.to_dict()


def test_a_game_from_a_position_is_not_recorded_without_its_start():
    start = played(Game(SHORT_BASIC, 2, 11), 4, steps=25).to_dict()
    game = played(Game.from_dict(start), 6, steps=10)
    with pytest.raises(RecordError, match="start"):
        make_record(game)


def test_a_record_tells_what_happened(basic):
    record = make_record(basic)
    assert record.format == FORMAT
    assert record.seed == 5
    assert record.num_players == 3
    assert record.scores == tuple(basic.scores)
    assert record.digest == digest(basic)
    assert [deal["deal"] for deal in record.deals] == [1, 2, 3]
    assert record.deals[-1] == basic.last_deal.to_dict()
    assert "\n" not in record.to_json()


def test_blank_lines_are_skipped_but_counted(tmp_path, basic):
    path = tmp_path / "games.jsonl"
    path.write_text("\n" + line_of(basic) + "\n \n" + line_of(basic), encoding="utf-8")
    assert [record.line for record in read_records(path)] == [2, 5]


def without(name):
    return lambda fields: {key: value for key, value in fields.items() if key != name}


def with_(**changes):
    return lambda fields: fields | changes


def with_notes(second):
    """One note on every action, the second of them `second`."""
    return lambda fields: fields | {"notes": [None, second, *[None] * (len(fields["actions"]) - 2)]}


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (without("actions"), "'actions' is missing"),
        (without("digest"), "'digest' is missing"),
        (without("format"), "'format' is missing"),
        (with_(format="rummy-env/999"), "unknown format 'rummy-env/999'"),
        (with_(format=["?"]), "unknown format"),
        (with_(num_players="3"), "'num_players' holds a value of type str"),
        (with_(num_players=True), "'num_players' holds a value of type bool"),
        (with_(actions=[0, "1"]), "'actions' holds '1'"),
        (with_(actions=[0, 1.5]), "'actions' holds 1.5"),
        (with_(scores=[None]), "'scores' holds None"),
        (with_(comment="hello"), "'comment' is unknown"),
        (with_(notes=[None]), "'notes' has to hold one entry for each"),
        (with_(notes={}), "'notes' has to hold one entry for each"),
        (with_notes({"thoughts": 1}), "the note on action 2 is no object with nothing but probabilities and value"),
        (with_notes(3), "the note on action 2 is no object"),
        (with_notes({"value": "high"}), "the note on action 2 has the value 'high'"),
        (with_notes({"value": float("nan")}), "the note on action 2 has the value nan"),
        (with_notes({"probabilities": [1.0]}), "the note on action 2 has probabilities that are no mapping"),
        (with_notes({"probabilities": {"one": 1.0}}), "the note on action 2 has probabilities"),
        (with_notes({"probabilities": {"1": 1.5}}), "the note on action 2 has probabilities"),
        (with_(seed=None), "exactly one of 'seed' and 'start'"),
        (with_(start={}), "exactly one of 'seed' and 'start'"),
    ],
)
def test_a_line_of_the_wrong_form_is_refused_when_read(tmp_path, basic, edit, problem):
    line = json.dumps(edit(json.loads(line_of(basic))))
    with pytest.raises(RecordError, match=r"line 2: .*" + problem):
        read_line(tmp_path, line)


@pytest.mark.parametrize("line", ["[1, 2]", "3", "null", '"text"'])
def test_json_that_is_no_object_is_refused(tmp_path, line):
    with pytest.raises(RecordError, match="line 2: no record"):
        read_line(tmp_path, line)


def test_a_truncated_line_is_refused_wherever_it_is_cut(tmp_path, basic):
    line = line_of(basic).rstrip("\n")
    for end in range(1, len(line), 97):
        with pytest.raises(RecordError, match="line 2: no complete JSON"):
            read_line(tmp_path, line[:end])


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\xff\xfe\x00garbage\n")
    with pytest.raises(RecordError, match="line 1"):
        list(read_records(path))


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (with_(seed=6), ""),
        (with_(num_players=2), ""),
        (with_(num_players=7), "cannot be started: num_players"),
        (with_(seed=-1), "cannot be started: the seed"),
        (with_(seed=2**70), "cannot be started: the seed"),
        (with_(seed=None, start={}), "cannot be started"),
        (with_(rules={}), ""),
        (with_(rules={"preset": "whist"}), "cannot be started: preset"),
        (with_(scores=[1, 2, 3]), r"the scores are \[1, 2, 3\]"),
        (with_(digest="0" * 64), "the digest differs"),
        (with_(deals=[]), "0 deals are summed up, but the actions finish 3"),
        (lambda fields: fields | {"deals": [{"deal": 1}, *fields["deals"][1:]]}, "the summary of deal 1 differs"),
        (lambda fields: fields | {"actions": fields["actions"][:-1]}, ""),
        (lambda fields: fields | {"actions": [*fields["actions"], 0]}, "illegal: the game is over"),
        (lambda fields: fields | {"actions": [10**9, *fields["actions"][1:]]}, r"action 1 of \d+ is illegal"),
        (lambda fields: fields | {"actions": [-1, *fields["actions"][1:]]}, r"action 1 of \d+ is illegal"),
    ],
)
def test_a_claim_that_the_game_does_not_bear_out_is_refused_by_replay(tmp_path, basic, edit, problem):
    record = read_line(tmp_path, json.dumps(edit(json.loads(line_of(basic)))))
    with pytest.raises(RecordError, match=r"line 2: .*" + problem):
        replay(record)


def test_any_single_changed_action_is_noticed(tmp_path, basic):
    fields = json.loads(line_of(basic))
    for step in range(0, len(fields["actions"]), 41):
        changed = [*fields["actions"]]
        changed[step] = (changed[step] + 1) % basic.layout.num_actions
        with pytest.raises(RecordError, match="line 2"):
            replay(read_line(tmp_path, json.dumps(fields | {"actions": changed})))


def test_a_record_of_another_version_says_so_when_it_fails(tmp_path, basic):
    fields = json.loads(line_of(basic)) | {"version": "0.0.1"}
    assert replay(read_line(tmp_path, json.dumps(fields))).to_dict() == basic.to_dict()
    with pytest.raises(RecordError, match=r"written by rummy-env 0\.0\.1"):
        replay(read_line(tmp_path, json.dumps(fields | {"digest": "?"})))
