"""`rummy play`: moves as a person says them, the game between a person and agents, and the application."""

import asyncio
import re
import sys

import pytest
from positions import BASIC, CONTRACT, TWO_PACKS, position
from test_visibility import constructed

from rummy_env import Game
from rummy_env.cli import main
from rummy_env.errors import ArgumentError, RecordError
from rummy_env.play.moves import BEGINNINGS, person_moves
from rummy_env.play.session import Session
from rummy_env.record import find_record, make_record

SMALL = {"preset": "basic_rummy", "deck_ranks": 6, "hand_sizes": 4, "game_end": "single_deal"}
ONE_DEAL = {"preset": "contract_rummy", "deals": [1], "num_players": [3, 3]}


def words(game):
    return [move.words for move in person_moves(game)]


def test_draws_name_their_cards():
    game = position("5C 6C 8D 8H 8S KD", phase="draw", pile="7C QC AD")
    assert words(game) == [
        "draw from the stock",
        "take AD from the pile",
        "take 7C with the 2 cards above it: QC AD",
    ]


def test_a_placement_names_the_meld_that_it_changes():
    game = position("8H 2C KD", BASIC, players=2, melds=["5H 6H 7H", "8C 8D 8S"])
    assert "lay off 8H on 5H 6H 7H" in words(game)
    assert "lay off 8H on 8C 8D 8S" in words(game)
    assert "discard KD" in words(game)


def test_a_joker_is_declared_within_the_move():
    game = position("5C JK 7C 8D 8H 8S KD")
    move = next(move for move in person_moves(game) if move.words == "lay 5C JK(6C) 7C")
    assert [game.describe(action) for action in move.actions] == ["declare JK(6C)", "meld 5C 6C 7C"]
    assert not any(text.startswith("declare") for text in words(game))
    assert move.cards == {"5C", "JK", "6C", "7C"}


def test_two_jokers_are_declared_in_one_order():
    game = position("5C JK JK 8D 8H 8S KD", TWO_PACKS)
    assert "lay 5C JK(6C) JK(7C)" in words(game)
    assert len(words(game)) == len(set(words(game)))


def test_an_exchange_ends_with_the_freed_joker_on_the_table():
    game = position("6H 2D 3D", down="earlier", melds=["5H JK(6H) 7H", "9C 9D 9H"])
    exchanges = [text for text in words(game) if text.startswith("exchange")]
    assert "exchange 6H for the joker in 5H JK(6H) 7H, then lay off JK(8H) on 5H 6H 7H" in exchanges
    assert all(", then l" in text for text in exchanges)


@pytest.mark.parametrize("name", constructed())
def test_every_legal_action_begins_a_move_and_every_move_can_be_made(name):
    game = constructed()[name]
    moves = person_moves(game)
    begun = {action for move in moves for action in move.actions[:1] if action in game.legal_actions()}
    declared = [action for action in game.legal_actions() if game.layout.decode(action).kind == "declare"]
    assert begun | set(declared) == set(game.legal_actions())
    assert set(declared) <= {action for move in moves for action in move.actions}
    for move in moves:
        after = game.clone()
        for action in move.actions:
            after.apply(action)
        kinds = [game.layout.decode(action).kind for action in move.actions]
        assert kinds[-1] not in BEGINNINGS
        assert all(kind in BEGINNINGS for kind in kinds[:-1])


def test_moves_are_found_by_cards_and_words():
    game = position("5C 6C 7C 8D 8H 8S KD")

    def fitting(text):
        return [move.words for move in person_moves(game) if move.fits(text)]

    assert fitting("5c") == [text for text in words(game) if "5C" in text]
    assert fitting("lay 8h 8s") == ["lay 8D 8H 8S"]
    assert fitting("") == words(game)
    assert fitting("qs") == []


def play_on(session, moves):
    """Play by the hints."""
    for _ in range(moves):
        if session.game.over is not None:
            break
        session.play(session.hint()[0])


def test_playing_on_takes_and_places_nothing():
    session = Session(Game("contract_rummy", 4, 3))
    while True:
        hand, stock = session.game.to_dict()["hands"][0].split(), len(session.log)
        moved = session.play_on()
        assert moved == (len(session.log) > stock) and session.deals == []
        own = [line for line in session.log[stock:] if line.startswith("player_0 (you)")]
        assert all(re.fullmatch(r"player_0 \(you\): draw from the stock(, discard \S+)?", line) for line in own)
        kind = session.game.layout.decode(session.hint()[0].actions[0]).kind
        assert kind not in ("draw_stock", "discard")
        if len(hand) < 8:
            break
        session.play(session.hint()[0])


class Fails:
    """A player that fails after some decisions."""

    def __init__(self, decisions):
        self.left = decisions

    def act(self, observation, action_mask, info):
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("tired")
        return int(action_mask.argmax())


@pytest.mark.parametrize("on", [False, True])
def test_an_agent_that_fails_leaves_the_game_as_it_was(on):
    session = Session(Game("contract_rummy", 2, 3), agents=["random"])
    session._agents[1] = Fails(7)
    before = None

    def play():
        if not on or not session.play_on():
            session.play(session.hint()[0])

    with pytest.raises(RuntimeError, match="tired"):  # noqa: PT012 the last of many moves fails
        while True:
            before = session.game.to_dict(), session.log.copy()
            play()
    assert (session.game.to_dict(), session.log) == before


def test_a_session_waits_for_the_person_and_tells_every_turn():
    session = Session(Game(ONE_DEAL, 3, 5), seat=1, agents=["greedy", "random"])
    assert session.names == ["random", "you", "greedy"]
    play_on(session, 200)
    assert session.game.over
    assert [deal.to_dict() for deal in session.deals] == [session.game.last_deal.to_dict()]
    assert session.moves() == []
    turns = [line for line in session.log if line.startswith("player_")]
    assert len(turns) == session.deals[0].turns + (session.game.over == "out")
    assert any(line.startswith("player_1 (you): ") for line in turns)


def test_undo_goes_back_to_the_same_game_with_the_same_opponents():
    session = Session(Game(ONE_DEAL, 3, 5), agents=["random"])
    positions, moves = [], []
    for _ in range(8):
        positions.append((session.game.to_dict(), list(session.log)))
        moves.append(session.hint()[0])
        session.play(moves[-1])
    end = session.game.to_dict(), session.log
    for before in reversed(positions):
        assert session.undo()
        assert (session.game.to_dict(), session.log) == before
    assert not session.undo()
    for move in moves:
        session.play(move)
    assert (session.game.to_dict(), session.log) == end


def test_a_saved_game_goes_on(tmp_path):
    session = Session(Game({**ONE_DEAL, "deals": [1, 2]}, 3, 5), seat=2)
    while not session.deals:
        play_on(session, 1)
    play_on(session, 3)
    session.save(tmp_path / "game.jsonl")
    resumed = Session.resume(find_record(tmp_path / "game.jsonl", 1), seat=2)
    assert resumed.game.to_dict() == session.game.to_dict()
    assert resumed.deals == session.deals
    play_on(resumed, 1000)
    assert len(resumed.deals) == 2


@pytest.mark.parametrize(("rules", "players"), [(CONTRACT, 3), (BASIC, 2), (TWO_PACKS, 5)])
def test_a_hint_is_a_legal_move_with_what_is_left(rules, players):
    session = Session(Game(rules, players, 3))
    said = []
    for _ in range(40):
        move, text = session.hint()
        assert move in session.moves()
        said.append(text)
        session.play(move)
    assert any("are in no meld" in text if rules is BASIC else "the contract lacks" in text for text in said)


@pytest.mark.parametrize(("rules", "players"), [(CONTRACT, 4), (BASIC, 2)])
def test_a_hint_does_not_depend_on_hidden_cards(rules, players):
    """Not on the top of the stock either, where it says to draw it."""
    session, said = Session(Game(rules, players, 3)), set()
    for number in range(60):
        game, hint = session.game, session.hint()
        for seed in range(3):
            session.game = game.determinize(session.seat, 100 * number + seed)
            assert session.hint() == hint
        session.game = game
        said.add(hint[1].split()[0])
        session.play(hint[0])
    assert said >= {"draw", "take", "discard"}


def test_a_wrong_table_is_named():
    with pytest.raises(ArgumentError, match="seat 3"):
        Session(Game(ONE_DEAL, 3), seat=3)
    with pytest.raises(ArgumentError, match="3 agents for 2 other seats"):
        Session(Game(ONE_DEAL, 3), agents=["random"] * 3)
    with pytest.raises(ArgumentError, match="'fish' is not known"):
        Session(Game(ONE_DEAL, 3), agents=["fish"])
    record = make_record(Game(ONE_DEAL, 3))
    with pytest.raises(RecordError):
        Session.resume(record.__class__(**{**vars(record), "digest": "?"}))


# The application


def run(session, tmp_path, use, size=(120, 40)):
    """Drive the application by `use(app, pilot)`."""
    app_module = pytest.importorskip("rummy_env.play.app", reason="Textual is not installed")

    async def drive():
        app = app_module.PlayApp(session, tmp_path / "saved.jsonl")
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await use(app, pilot)

    asyncio.run(drive())


def listed(app):
    """The moves on the screen."""
    options = app.query_one("#moves")
    return [str(options.get_option_at_index(place).prompt) for place in range(options.option_count)]


def test_a_deal_is_played_by_keys(tmp_path):
    async def use(app, pilot):
        assert listed(app) == words(app.session.game)
        while app.session.game.over is None:
            await pilot.press("h", "enter")
        assert len(listed(app)) == 1
        assert "The game is over" in listed(app)[0]

    run(Session(Game(SMALL, 3, 5)), tmp_path, use)


def test_cards_that_are_clicked_on_or_typed_narrow_the_moves(tmp_path):
    game = position("5C 6C 7C 8D 8H 8S KD")

    async def use(app, pilot):
        first = app.query("Card").first()
        await pilot.click(first)
        assert listed(app) == [text for text in words(game) if "5C" in text]
        assert first.has_class("chosen")
        await pilot.click(first)
        assert listed(app) == words(game)
        await pilot.press("slash", *"lay 8h")
        assert listed(app) == ["lay 8D 8H 8S"]
        await pilot.press("enter")
        assert app.session.game.to_dict()["melds"]
        assert app.query_one("#moves").has_focus

    run(Session(game), tmp_path, use)


def test_undo_and_save(tmp_path):
    session = Session(Game(ONE_DEAL, 3, 5))
    begun = session.game.to_dict()

    async def use(app, pilot):
        await pilot.press("u", "enter")
        assert session.game.to_dict() != begun
        await pilot.press("s", "u")
        assert session.game.to_dict() == begun

    run(session, tmp_path, use)
    assert len(find_record(tmp_path / "saved.jsonl", 1).actions) > session.game.decisions


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_a_large_hand_and_all_moves_fit_on_the_screen(tmp_path, size):
    game = position(" ".join(rank + suit for suit in "CDH" for rank in "A23456789TJQ"), TWO_PACKS, players=8)

    async def use(app, pilot):
        screen = app.screen.region
        cards = [card.region for card in app.query("Card")]
        assert len(cards) == 36
        assert all(region in screen and region.area for region in cards)
        assert len({(region.x, region.y) for region in cards}) == 36
        assert app.query_one("#moves").region.bottom <= app.query_one("Footer").region.y
        assert app.query_one("#moves").region.height >= 5

    run(Session(game), tmp_path, use, size)


def test_the_command_names_what_is_wrong(capsys):
    pytest.importorskip("textual")
    for arguments, told in ((["fish"], "'fish'"), (["--seat", "9"], "seat 9"), (["--resume", "no.jsonl"], "no.jsonl")):
        assert main(["play", *arguments]) == 2
        assert told in capsys.readouterr().err


def test_without_textual_the_error_names_the_extra(capsys, monkeypatch):
    monkeypatch.delitem(sys.modules, "rummy_env.play.app", raising=False)
    monkeypatch.setitem(sys.modules, "textual.app", None)
    assert main(["play"]) == 2
    assert "rummy-env[play]" in capsys.readouterr().err
