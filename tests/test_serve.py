"""`rummy serve`: the protocol, what it tells a person, and that nobody can harm a table."""

import json
import random
import re
import secrets
import socket
import sys
import threading
from collections import Counter
from contextlib import ExitStack

import pytest
from positions import position

from rummy_env import Game
from rummy_env.cli import main
from rummy_env.errors import ArgumentError, RulesError
from rummy_env.play.session import Session

pytest.importorskip("fastapi", reason="FastAPI is not installed")
testclient = pytest.importorskip("fastapi.testclient", reason="httpx is not installed")

from fastapi import WebSocketDisconnect  # noqa: E402

from rummy_env.serve.app import make_app  # noqa: E402
from rummy_env.serve.lobby import Lobby  # noqa: E402
from rummy_env.serve.messages import MAX_BYTES  # noqa: E402
from rummy_env.serve.primer import primer  # noqa: E402
from rummy_env.serve.view import session_view  # noqa: E402

HOST = "127.0.0.1:8000"
HOME = f"http://{HOST}"
SMALL = {"variant": "basic_rummy", "players": 2, "agents": ["random"], "seed": 3}
CARD = re.compile(r"\b[A2-9TJQK][CDHS]\b|\bJK\b")
DECLARED = re.compile(r"JK\(\w\w\)")


@pytest.fixture(scope="module")
def app():
    return make_app(Lobby())


@pytest.fixture
def client(app):
    with testclient.TestClient(app, base_url=HOME) as started:
        yield started


class Page:
    """A connection as the page has one."""

    def __init__(self, connection):
        self.connection = connection
        self.setup = connection.receive_json()

    def ask(self, kind, **more):
        return self.send(json.dumps({"kind": kind, **more}))

    def send(self, text):
        self.connection.send_text(text)
        return self.connection.receive_json()

    def play_on(self, table, moves, choose=None):
        """Play by the hints, or by what `choose` makes of a table; returns every answer."""
        answers = []
        for _ in range(moves):
            if table["over"]:
                break
            if choose is None:
                answers.append(self.ask("hint", position=table["position"]))
                move = answers[-1]["move"]
            else:
                move = choose(table)
            table = self.ask("move", position=table["position"], move=move)
            assert table["kind"] == "table", table
            answers.append(table)
        return answers


def call(client, **headers):
    """A connection, not yet open, that says it is from the page of this server unless `headers` say otherwise."""
    return client.websocket_connect("/play", headers={"host": HOST, "origin": HOME} | headers)


@pytest.fixture
def connected(client):
    """Connect a page; each is closed at the end."""
    with ExitStack() as stack:
        yield lambda **headers: Page(stack.enter_context(call(client, **headers)))


def new(page, **changes):
    table = page.ask("new", **SMALL | changes)
    assert table["kind"] == "table", table
    return table


# A game


def test_a_game_over_the_wire_is_the_game_of_a_session(connected):
    wish = {"variant": "basic_rummy", "players": 3, "agents": ["greedy", "random"], "seat": 1, "seed": 8}
    page, session = connected(), Session(Game("basic_rummy", 3, 8), 1, ["greedy", "random"])
    table = page.ask("new", **wish)
    for _ in range(60):
        assert table.items() >= json.loads(json.dumps(session_view(session))).items()
        hint = page.ask("hint", position=table["position"])
        move, words = session.hint()
        assert (table["moves"][hint["move"]], hint["words"]) == (move.words, words)
        table = page.ask("move", position=table["position"], move=hint["move"])
        session.play(move)


def test_undo_leads_to_the_same_table_with_a_new_number(connected):
    page = connected()
    before = new(page)
    after = page.play_on(before, 3)[-1]
    for _ in range(3):
        after = page.ask("undo", position=after["position"])
    assert after["position"] == 6 and before["position"] == 0
    assert {**after, "position": 0} == before
    assert page.ask("undo", position=6)["error"] == "illegal_move"


def test_a_reload_goes_on_with_the_same_game(connected):
    page = connected()
    table = page.play_on(new(page), 4)[-1]
    again = connected()
    assert again.ask("resume", table=table["table"]) == table
    moved = again.ask("move", position=table["position"], move=0)
    assert page.ask("move", position=table["position"], move=0)["error"] == "stale"
    assert page.ask("resume", table=table["table"]) == moved


def test_the_setup_names_what_can_be_played(connected):
    setup = connected().setup
    assert [variant["name"] for variant in setup["variants"]] == [
        "contract_rummy", "contract_rummy_two_packs", "basic_rummy",
    ]  # fmt: skip
    assert {"random", "greedy", "planner", "cautious", "ismcts"} <= set(setup["agents"])
    assert setup["chosen"]["players"] == 4
    for variant in setup["variants"]:
        told = " ".join(variant["primer"])
        assert ("contract" in told.lower()) == ("joker" in told) == variant["name"].startswith("contract")


def test_a_primer_tells_only_of_what_the_rules_have():
    position_of_joker = position("5C JK 7C 8D 8H 8S KD").rules
    told = " ".join(primer(position_of_joker.replace(joker_swap_scope="none", discard_pickup="top", ace_mode="low")))
    assert "joker" in told and "free a joker" not in told and "deeper" not in told and "not after K" in told


def test_the_task_says_what_is_to_be_done():
    def task(game):
        return session_view(Session(game))["task"]

    game = position("5C 6C 8D 8H 8S KD", phase="draw", pile="7C AD")
    assert task(game) == "Your turn: draw a card."
    game.apply(game.parse("take 7C"))
    assert task(game) == "You took 7C from within the pile: lay it now."
    game = position("5C 6C 7C 8D 8H 8S KD")
    game.apply(game.parse("meld 8D 8H 8S"))
    assert task(game) == "Go on laying: the contract still lacks 1 run."
    game = position("5C 6C 7C 8D 8H 8S", phase="draw", pile="2C AD")
    game.apply(game.parse("take top"))
    assert "You took AD from the top of the pile, so it cannot be your discard." in task(game)


# Messages that are not obeyed

MALFORMED = [
    "", " ", "nonsense", "null", "[]", "3", '"new"', "{}", '{"kind": "dance"}', '{"kind": 3}', '{"kind": ["move"]}',
    '{"kind": "move"}', '{"kind": "move", "position": 0}', '{"kind": "move", "position": 0, "move": "0"}',
    '{"kind": "move", "position": 0, "move": true}', '{"kind": "move", "position": 0, "move": 0.0}',
    '{"kind": "move", "position": 0, "move": -1}', '{"kind": "move", "position": 0, "move": 1e400}',
    '{"kind": "move", "position": 0, "move": NaN}', '{"kind": "move", "position": 0, "move": 9007199254740992}',
    '{"kind": "move", "position": 0, "move": ' + "9" * 3000 + "}", '{"kind": "move", "position": 0, "move": 0, "x": 1}',
    '{"kind": "move", "position": 0, "move": 0', "[" * 2000, '{"kind":' * 400, '{"kind": "hint", "position": null}',
    '{"kind": "resume", "table": 7}', '{"kind": "resume", "table": "\\ud800"}', '{"kind": "\\ud800"}',
    '{"kind": "new", "variant": "basic_rummy", "players": 2, "agents": "random"}',
    '{"kind": "new", "variant": "basic_rummy", "players": 99, "agents": ["random"]}',
    '{"kind": "new", "variant": "basic_rummy", "players": 2, "agents": []}',
    '{"kind": "new", "variant": "basic_rummy", "players": 2, "agents": ["random"], "seed": -1}',
    '{"kind": "new", "variant": {"preset": "basic_rummy"}, "players": 2, "agents": ["random"]}',
]  # fmt: skip


def test_malformed_messages_are_named_and_change_nothing(connected):
    page = connected()
    table = new(page)
    for text in MALFORMED:
        answer = page.send(text)
        assert (answer["kind"], answer["error"]) == ("error", "malformed"), text
        assert answer["text"] and "Traceback" not in answer["text"] and "pydantic" not in answer["text"]
    page.connection.send_bytes(b'{"kind": "hint", "position": 0}')
    assert page.connection.receive_json()["text"].startswith("the message is binary")
    assert page.send(" " * (MAX_BYTES + 1))["error"] == "too_large"
    assert page.ask("resume", table=table["table"]) == table


def test_errors_name_the_part_and_the_remedy(connected):
    page = connected()
    assert "move.move: Input should be a valid integer" in page.ask("move", position=0, move="3")["text"]
    assert "'new', 'resume', 'move'" in page.ask("dance")["text"]
    assert page.ask("hint", position=0)["error"] == "no_table"
    assert page.ask("resume", table="guess")["error"] == "unknown_table"
    for changes, told in (
        ({"variant": "fish"}, "choose contract_rummy"),
        ({"agents": ["fish"]}, "choose cautious"),
        ({"players": 8}, "8"),
        ({"seat": 7}, "seat 7"),
        ({"agents": ["random"] * 3}, "3 agents for 1 other seats"),
    ):
        answer = page.ask("new", **SMALL | changes)
        assert answer["error"] == "bad_table" and told in answer["text"]
    assert page.ask("hint", position=0)["error"] == "no_table"


@pytest.mark.parametrize("changes", [
    {"variant": "configs/rules/tiny_rummy.yaml"}, {"variant": "/etc/passwd"}, {"agents": ["model.zip"]},
    {"agents": ["ismcts:iterations=100000000"]},
])  # fmt: skip
def test_a_page_names_no_files_and_no_parameters(connected, changes):
    assert connected().ask("new", **SMALL | changes)["error"] == "bad_table"


def test_moves_that_are_not_offered_or_no_longer(connected):
    page = connected()
    table = new(page)
    assert page.ask("move", position=0, move=len(table["moves"]))["error"] == "illegal_move"
    assert page.ask("move", position=1, move=0)["error"] == "stale"
    after = page.ask("move", position=0, move=0)
    for kind in ("move", "hint", "undo", "play_on"):
        more = {"move": 0} if kind == "move" else {}
        assert page.ask(kind, position=0, **more)["error"] == "stale"
    assert page.ask("resume", table=table["table"]) == after


def test_after_the_end_only_undo_is_left(tmp_path):
    rules = tmp_path / "short.yaml"
    rules.write_text("preset: basic_rummy\ndeck_ranks: 6\nhand_sizes: 4\ngame_end: single_deal\n")
    with testclient.TestClient(make_app(Lobby(str(rules), 2)), base_url=HOME) as client, call(client) as connection:
        page = Page(connection)
        last = page.play_on(new(page, variant=str(rules)), 200)[-1]
        assert last["over"] and last["moves"] == [] and last["winners"] and "won" in last["task"]
        assert page.ask("move", position=last["position"], move=0)["error"] == "game_over"
        for kind in ("hint", "play_on"):
            assert page.ask(kind, position=last["position"])["error"] == "game_over"
        assert not page.ask("undo", position=last["position"])["over"]


def test_a_deal_that_nobody_can_finish_is_played_on(connected):
    page = connected()
    table = page.play_on(new(page, variant="contract_rummy", players=4, agents=["cautious"], seed=3), 60)[-1]
    assert not table["deals"]
    while not table["deals"]:
        after = page.ask("play_on", position=table["position"])
        if after["kind"] == "error":
            assert after["error"] == "illegal_move"
            hint = page.ask("hint", position=table["position"])
            assert not hint["words"].startswith(("draw", "discard"))
            after = page.ask("move", position=table["position"], move=hint["move"])
        assert after["position"] == table["position"] + 1
        table = after
    assert table["deals"][0]["reason"] == "capped"
    assert table["position"] < 100 and page.ask("undo", position=table["position"])["deals"] == []


class Broken:
    """An agent that fails at its third decision, or gives an illegal one."""

    def __init__(self, wrong=None):
        self.wrong = wrong
        self.left = 2

    def reset(self, seed):
        self.left = 2

    def act(self, observation, action_mask, info):
        self.left -= 1
        if self.left < 0:
            if self.wrong is None:
                raise RuntimeError("secret path")
            return self.wrong
        return int(action_mask.nonzero()[0][-1])


@pytest.mark.parametrize("wrong", [None, 10**6])
def test_an_agent_that_fails_takes_nothing_with_it(connected, monkeypatch, wrong):
    monkeypatch.setitem(sys.modules["rummy_env.agents"].BUILT_IN, "random", lambda: Broken(wrong))
    page = connected()
    table = new(page)
    while True:
        after = page.ask("move", position=table["position"], move=len(table["moves"]) - 1)
        if after["kind"] == "error":
            break
        table = after
    assert (after["error"], after["text"]) == ("agent_failed", "an agent failed, which the log of the server explains")
    assert page.ask("resume", table=table["table"]) == table
    monkeypatch.undo()
    assert new(page)["position"] == 0


# Tables


def test_the_table_that_was_left_first_makes_room():
    with testclient.TestClient(make_app(Lobby(), max_tables=2), base_url=HOME) as client:
        tokens = []
        for _ in range(3):
            with call(client) as connection:
                page = Page(connection)
                tokens.append(new(page)["table"])
                if len(tokens) == 2:  # which makes the first table the one that was left last
                    page.ask("resume", table=tokens[0])
        with call(client) as connection:
            page = Page(connection)
            assert page.ask("resume", table=tokens[1])["error"] == "unknown_table"
            assert page.ask("resume", table=tokens[0])["kind"] == "table"
            with call(client) as other:
                second = Page(other)
                assert second.ask("resume", table=tokens[2])["kind"] == "table"
                assert second.ask("new", **SMALL)["error"] == "full"
                assert second.ask("hint", position=0)["kind"] == "hint"
            assert page.ask("new", **SMALL)["kind"] == "table"


def test_a_table_that_thinks_holds_up_no_other(connected, monkeypatch):
    thinking, go_on = threading.Event(), threading.Event()

    class Slow(Broken):
        def act(self, observation, action_mask, info):
            thinking.set()
            assert go_on.wait(60)
            return int(action_mask.nonzero()[0][0])

    slow, quick = connected(), connected()
    monkeypatch.setitem(sys.modules["rummy_env.agents"].BUILT_IN, "random", Slow)
    slow.connection.send_json({"kind": "new", **SMALL, "seed": 4})
    while not thinking.wait(5):  # the person was first to move
        table = slow.connection.receive_json()
        slow.connection.send_json({"kind": "move", "position": table["position"], "move": 0})
    table = new(quick, agents=["greedy"])
    assert len(quick.play_on(table, 10)) == 20
    go_on.set()
    assert slow.connection.receive_json()["kind"] == "table"


def test_no_two_tables_have_the_same_name(connected):
    page = connected()
    assert len({new(page)["table"] for _ in range(20)}) == 20


# Nonsense from some connections while somebody plays


NUMBERS = [0, 1, -1, 2**31, 2**53 - 1, 2**64, 0.5, True, None, "0", [], {}, float("inf")]
WORDS = ["basic_rummy", "contract_rummy", "../x.yaml", "", "é" * 60, "\ud800", "random", "cautious", None]


def nonsense(rng, tokens):
    """A message of a page that means ill, text or bytes: well formed and out of place, odd, or no message at all."""
    kinds = {
        "new": {**SMALL, "seed": rng.randrange(50)},
        "resume": {"table": rng.choice([*tokens, "A" * 43])},
        "move": {"position": rng.randrange(6), "move": rng.randrange(12)},
        "undo": {"position": rng.randrange(6)},
        "hint": {"position": rng.randrange(6)},
        "play_on": {"position": rng.randrange(6)},
    }
    (kind,) = rng.choices(list(kinds), [1, 2, 5, 2, 2, 1])
    message = {"kind": kind, **kinds[kind]}
    if rng.random() < 0.4:
        message[rng.choice([*message, "x"])] = rng.choice([*NUMBERS, *WORDS, {"kind": NUMBERS}])
    text = json.dumps(message)
    (spoilt,) = rng.choices(["no", "cut", "bit", "known", "bytes", "long"], [70, 8, 8, 8, 2, 1])
    place = rng.randrange(len(text))
    return {
        "no": text,
        "cut": text[:place],
        "bit": text[:place] + chr(rng.choice([0, 34, 91, 123, 0x2028, 0x1F0A1])) + text[place + 1 :],
        "known": rng.choice(MALFORMED),
        "bytes": text.encode(),
        "long": "[" * (2 * MAX_BYTES),
    }[spoilt]


def test_ten_thousand_bad_messages_harm_no_other_game(connected):
    """A game played among them is, to the last answer, the game played without them."""
    wish = {"variant": "basic_rummy", "players": 3, "agents": ["greedy"], "seed": 11}
    alone = connected()
    expected = alone.play_on(alone.ask("new", **wish), 10**6)
    assert expected[-1]["over"]
    rng, answers, tokens = random.Random(7), Counter(), []
    person, others = connected(), [connected() for _ in range(4)]
    table, lived = person.ask("new", **wish), []
    secret = table["table"]
    for number in range(10_000):
        other = others[number % 4].connection
        message = nonsense(rng, tokens)
        (other.send_bytes if isinstance(message, bytes) else other.send_text)(message)
        answer = other.receive_json()
        answers[answer.get("error", answer["kind"])] += 1
        assert secret not in str(answer) and "Traceback" not in str(answer)
        if answer["kind"] == "table":
            tokens = [*tokens[-3:], answer["table"]]
        if number % 10 == 0 and not table["over"]:
            lived += person.play_on(table, 1)
            table = lived[-1]
    lived += person.play_on(table, 10**6)
    assert [{**answer, "table": ""} for answer in lived] == [{**answer, "table": ""} for answer in expected]
    kinds = "table hint malformed too_large no_table unknown_table bad_table stale illegal_move".split()
    assert set(answers) == set(kinds) and min(answers[kind] for kind in ("table", "malformed", "stale")) > 700, answers


# What may not be seen


def named(text):
    """The cards in a text, without those that a joker stands for."""
    return Counter(CARD.findall(DECLARED.sub("JK", text)))


def visible(game, seat):
    """The cards that a seat sees now."""
    now = game.to_dict()
    return named(" ".join([now["hands"][seat], now["discard"], *(meld["cards"] for meld in now["melds"])]))


TABLES = [
    ("contract_rummy", 4, ["cautious"], 2),
    ("basic_rummy", 2, ["greedy"], 0),
    ("contract_rummy_two_packs", 5, ["random"], 1),
]


@pytest.mark.parametrize("by_hints", [True, False], ids=["hints", "random"])
@pytest.mark.parametrize(("rules", "players", "agents", "seat"), TABLES)
def test_no_answer_knows_a_hidden_card(connected, monkeypatch, rules, players, agents, seat, by_hints):
    """Each is the same with the hidden cards dealt anew, and names only cards that are, or lay, in sight."""
    sessions, rng = [], random.Random(5)
    open_game = Lobby.open
    monkeypatch.setattr(secrets, "randbelow", lambda limit: 2869729047514434)
    monkeypatch.setattr(Lobby, "open", lambda *of: sessions.append(open_game(*of)) or sessions[-1])
    page = connected()
    table = page.ask("new", variant=rules, players=players, agents=agents, seat=seat)
    (session,) = sessions
    choose = None if by_hints else lambda table: rng.randrange(len(table["moves"]))
    played, told = Game(rules, players, session.game.seed), ""
    for number in range(220):
        game = session.game
        seen = visible(played, seat)  # since the last answer
        for action in game.history[played.decisions :]:
            seen |= named(played.describe(action))
            played.apply(action)
            seen |= visible(played, seat)
        assert played.to_dict() == game.to_dict()
        now = visible(game, seat)
        others = [hand for other, hand in enumerate(table["shown"]["hands"]) if other != seat]
        assert set(" ".join([*others, table["shown"]["stock"]]).split()) <= {"??"}
        assert not named(json.dumps({**table, "log": [], "moves": [], "task": "", "table": ""})) - now
        for words in [*table["moves"], table["task"]]:
            assert set(named(words)) <= set(now)
        before, told = told, "\n".join(session.log)
        assert told.startswith(before) and set(named(told[len(before) :])) <= set(seen)
        assert table["over"] or str(game.seed) not in json.dumps(table)
        for again in range(2):
            session.game = game.determinize(seat, 1000 * number + again)
            other = page.ask("resume", table=table["table"])
            assert {**other, "seed": None} == {**table, "seed": None}
            assert other["seed"] is None or table["over"]
            if by_hints and not table["over"] and again == 0:
                other_hint = page.ask("hint", position=table["position"])
        session.game = game
        if table["over"]:
            break
        answers = page.play_on(table, 1, choose)
        if by_hints:
            assert answers[0] == other_hint
        table = answers[-1]
    assert number > 60


def test_a_seed_that_nobody_chose_is_told_at_the_end(tmp_path):
    rules = tmp_path / "short.yaml"
    rules.write_text("preset: basic_rummy\ndeck_ranks: 6\nhand_sizes: 4\ngame_end: single_deal\n")
    with testclient.TestClient(make_app(Lobby(str(rules), 2)), base_url=HOME) as client, call(client) as connection:
        page = Page(connection)
        wish = {"variant": str(rules), "players": 2, "agents": ["random"]}
        first = page.ask("new", **wish)
        *before, last = page.play_on(first, 200)
        assert {answer["seed"] for answer in before if answer["kind"] == "table"} <= {None}
        assert first["seed"] is None and last["over"]
        again = page.ask("new", **wish, seed=last["seed"])
        assert again["seed"] == last["seed"] and again["shown"] == first["shown"]


# Who may connect

BAD_CALLERS = [
    {"origin": "https://example.com"},
    {"origin": "null"},
    {"origin": ""},
    {"origin": "http://127.0.0.1:3000"},
    {"origin": "http://localhost:8000"},
    {"origin": "file://"},
    {"host": "evil.example:8000", "origin": "http://evil.example:8000"},
    {"host": "localhost.evil.example", "origin": "http://localhost.evil.example"},
    {"host": "[", "origin": "http://["},
    {"host": "", "origin": "http://"},
]


@pytest.mark.parametrize("headers", BAD_CALLERS, ids=str)
def test_a_page_of_another_site_cannot_connect(client, headers):
    with pytest.raises(WebSocketDisconnect) as refused, call(client, **headers):
        pass
    assert refused.value.code == 1008


def test_a_caller_without_an_origin_is_no_page(client):
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/play", headers={"host": HOST}):
        pass


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "192.168.1.5:8000", "localhost"])
def test_the_own_page_can_connect(connected, host):
    assert connected(host=host, origin=f"http://{host}").setup["kind"] == "setup"


def test_the_page_is_guarded(client):
    for path, kind in (("/", "text/html"), ("/page.js", "text/javascript"), ("/page.css", "text/css")):
        answer = client.get(path)
        assert answer.status_code == 200 and answer.headers["content-type"].startswith(kind)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "*" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers
        assert not re.search(r"https?://(?!www\.w3\.org)|innerHTML|insertAdjacent|eval\(|style=", answer.text)
    assert client.get("/", headers={"host": "evil.example"}).status_code == 403
    for path in ("/docs", "/openapi.json", "/redoc", "/../pyproject.toml", "/play"):
        assert client.get(path).status_code == 404


# The command


def test_the_command_names_what_is_wrong(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for arguments, told in (
            (["fish"], "'fish'"),
            (["--seat", "9"], "seat 9"),
            (["--variant", "no.yaml"], "no.yaml"),
            (["greedy", "greedy"], "2 agents for 3 other seats"),
            (["--players", "9"], "9"),
            (["--port", str(taken.getsockname()[1])], "in use"),
        ):
            assert main(["serve", *arguments]) == 2
            assert told in capsys.readouterr().err


def test_without_fastapi_the_error_names_the_extra(capsys, monkeypatch):
    monkeypatch.delitem(sys.modules, "rummy_env.serve.app")
    monkeypatch.setitem(sys.modules, "fastapi", None)
    assert main(["serve"]) == 2
    assert "rummy-env[serve]" in capsys.readouterr().err


def test_a_lobby_refuses_an_impossible_table():
    with pytest.raises(RulesError):
        Lobby("basic_rummy", 7)
    with pytest.raises(ArgumentError, match="'fish'"):
        Lobby(hints="fish")
