"""The promises of `Game` in positions of seeded play: legality, copies, words, named errors, summaries, rewards."""

import copy
import itertools
import json
import pickle
import random

import numpy as np
import pytest
from played import TABLES, choose, moment, moments
from positions import BASIC, CONTRACT, TWO_PACKS, all_cards, goes_out, play, position

from rummy_env import Action, ActionLayout, Game, RuleSet
from rummy_env.errors import GameOverError, IllegalActionError, NotationError, SeedError

PLAYED = pytest.mark.parametrize(("name", "eager"), list(itertools.product(TABLES, (False, True))))
SHARE = 32
"""Of the illegal ids, one in so many is tried in each position, other ones in the next."""


def raw(game: Game) -> bytes:
    return game._games.tobytes()


# Legality


@PLAYED
def test_the_mask_is_what_applies(name, eager):
    """Every action in the mask applies; every other id is refused with reasons and changes nothing."""
    for number, game in enumerate(moments(name, eager)):
        mask = game.action_mask()
        assert mask.dtype == np.int8 and mask.shape == (game.layout.num_actions,)
        assert mask.any()
        assert game.legal_actions() == np.flatnonzero(mask).tolist()
        deck = all_cards(game)
        for action in game.legal_actions():
            after = game.clone()
            after.apply(action)
            assert after.history == [*game.history, action]
            assert all_cards(after) == deck
        before, state, history = game.to_dict(), raw(game), game.history.copy()
        illegal = np.flatnonzero(mask == 0)
        for action in illegal[illegal % SHARE == number % SHARE]:
            with pytest.raises(IllegalActionError) as caught:
                game.apply(action)
            text = game.layout.text(int(action))
            assert f"player {game.player} may not {text} in the {game.phase} phase: " in str(caught.value)
            reason = str(caught.value).split("phase: ")[1].split(". Legal: ")[0]
            assert len(reason.split()) >= 3
            assert raw(game) == state
        assert game.to_dict() == before and game.history == history


def test_every_kind_of_moment_is_among_those_played():
    kinds = {moment(game) for name in TABLES for eager in (False, True) for game in moments(name, eager)}
    assert kinds == {"draw", "freed", "declared", "obliged", "laying", "taken", "down", "play"}


@pytest.mark.parametrize("action", ["draw stock", 1.0, 0.5, None, [0], True, False, np.float32(0), np.bool_(True), ""])
def test_what_is_no_whole_number_is_no_action(action):
    game = Game()
    before = raw(game)
    with pytest.raises(IllegalActionError, match="is no action"):
        game.apply(action)
    assert not game.is_legal(action)
    assert raw(game) == before and game.history == []


@pytest.mark.parametrize("action", [-1, -472, 472, 2**31, -(2**63), 2**70, np.int64(472)])
def test_an_action_outside_the_space(action):
    game = Game()
    before = raw(game)
    with pytest.raises(IllegalActionError, match="outside the space: expected 0 … 471"):
        game.apply(action)
    assert raw(game) == before


def test_a_finished_game_takes_no_action():
    game = position("7C", BASIC.replace(game_end="single_deal"), players=2)
    assert goes_out(game, "discard 7C")
    assert game.over == "out" and not game.action_mask().any() and game.legal_actions() == []
    before = raw(game)
    for action in (0, 5, -1, 999, "discard 7C", None):
        with pytest.raises(GameOverError, match="the game is over"):
            game.apply(action)
    assert raw(game) == before


def test_whole_numbers_of_numpy_are_actions():
    game, other = Game(seed=np.int32(4)), Game(seed=4)
    for kind in (np.int8, np.int64, np.uint8):
        action = game.legal_actions()[0]
        game.apply(kind(action))
        other.apply(action)
    assert game.to_dict() == other.to_dict()
    assert json.dumps(game.history) == json.dumps(other.history)


# Seeds


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, 1.0, "1", True, None, np.float64(1), np.bool_(False)])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(SeedError, match=r"expected a whole number from 0 to 2\*\*63 - 1"):
        Game(seed=seed)
    with pytest.raises(SeedError):
        Game().determinize(viewer=0, seed=seed)


@pytest.mark.parametrize("seed", [0, 2**31, 2**32, 2**63 - 1, np.uint64(2**63 - 1)])
def test_seeds_up_to_the_largest(seed):
    game = Game(seed=seed)
    assert game.seed == int(seed) and game.to_dict() == Game(seed=int(seed)).to_dict()


def test_every_bit_of_the_seed_matters():
    deals = {" ".join(Game(seed=seed).to_dict()["hands"]) for seed in [0, *(1 << bit for bit in range(63))]}
    assert len(deals) == 64


# Copies


@PLAYED
def test_copies_have_identical_futures(name, eager):
    """A clone, a deepcopy, an unpickled game and a game from JSON go the same way, and none moves the original."""
    game = max(
        moments(name, eager), key=lambda game: (moment(game) in ("freed", "declared", "obliged"), game.decisions)
    )
    before = raw(game)
    copies = [
        game.clone(),
        copy.deepcopy(game),
        pickle.loads(pickle.dumps(game)),
        Game.from_dict(json.loads(json.dumps(game.to_dict()))),
    ]
    first = copies[0]
    chance = random.Random(7)
    for step in range(200):
        if first.over is not None:
            break
        action = choose(first, chance, eager)
        summaries = [other.apply(action) for other in copies]
        assert all(summary == summaries[0] for summary in summaries)
        assert all(other.legal_actions() == first.legal_actions() for other in copies)
        if step % 20 == 0 or summaries[0] is not None:
            assert_alike(copies)
    assert_alike(copies)
    assert raw(game) == before


def assert_alike(games: list[Game]) -> None:
    first = games[0]
    for other in games[1:]:
        assert other.to_dict() == first.to_dict()
        assert np.array_equal(other.state(), first.state())


def test_copies_in_every_kind_of_moment():
    for name, eager in itertools.product(TABLES, (False, True)):
        for game in moments(name, eager):
            for other in (game.clone(), pickle.loads(pickle.dumps(game))):
                assert raw(other) == raw(game) and other.history == game.history and other.rules == game.rules
            assert_alike([game, Game.from_dict(game.to_dict())])


@pytest.mark.parametrize(("rules", "players"), TABLES.values(), ids=TABLES)
def test_the_same_seed_is_the_same_game(rules, players):
    games = [Game(rules, num_players=players, seed=11), Game(rules.to_dict(), num_players=players, seed=11)]
    chance = random.Random(0)
    for _ in range(150):
        if games[0].over is not None:
            break
        action = choose(games[0], chance, eager=True)
        for game in games:
            game.apply(action)
    assert raw(games[0]) == raw(games[1])
    assert raw(games[0]) != raw(Game(rules, num_players=players, seed=12))


# Words and ids


@pytest.mark.parametrize(("rules", "players"), TABLES.values(), ids=TABLES)
def test_every_id_has_words_and_an_action_of_its_own(rules, players):
    layout = ActionLayout.for_rules(rules, players)
    texts, actions = set(), set()
    for action in range(layout.num_actions):
        decoded, text = layout.decode(action), layout.text(action)
        assert layout.encode(decoded) == action
        if decoded.kind == "meld_run" and decoded.face[0] == "K":
            with pytest.raises(NotationError):
                layout.parse(text)
        else:
            assert layout.parse(text) == layout.parse(f" {text.lower()} ") == action
        texts.add(text)
        actions.add(decoded)
    assert len(texts) == len(actions) == layout.num_actions
    blocks = list(layout.blocks.values())
    assert [block.offset for block in blocks] == [0, *itertools.accumulate(block.size for block in blocks)][:-1]
    assert sum(block.size for block in blocks) == layout.num_actions
    for name, (offset, size) in layout.blocks.items():
        last = offset + size - 1
        ids = f"{offset}-{last}" if size > 1 else f"{offset}"
        assert f"| {ids} | `{name}` |" in layout.table()


@PLAYED
def test_legal_actions_in_words(name, eager):
    """`describe` shows declared jokers, `parse` reads them."""
    for game in moments(name, eager):
        declared = game.to_dict()["declared"]
        for action in game.legal_actions():
            text = game.describe(action)
            assert game.parse(text) == action
            if declared and not text.startswith("declare"):
                assert all(joker in text for joker in declared)


def test_words_of_a_position_with_declared_jokers():
    game = position("8C 8D JK 2H 3H 4H 2C")
    play(game, "declare JK(8S)")
    assert game.describe(game.parse("meld 8C 8D 8S")) == "meld 8C 8D JK(8S)"
    assert game.parse("meld 8C jk(8s) 8D") == game.parse("meld 8S 8D 8C")


@pytest.mark.parametrize(
    "text",
    ["", "draw", "take", "meld 5H 6H", "meld 5H 6H 8H", "meld 5H 5C 5H", "lay off 5H", "discard 1H", "JK", 5, None],
)
def test_words_that_are_no_action(text):
    with pytest.raises(NotationError):
        Game().parse(text)


@pytest.mark.parametrize(
    "action",
    [Action("swap", "5H"), Action("take", "5H"), Action("declare", "5H"), Action("discard", "JK"), Action("fly")],
)
def test_actions_that_basic_rummy_does_not_have(action):
    with pytest.raises(IllegalActionError, match=r"have no action|is not about"):
        ActionLayout.for_rules(BASIC).encode(action)


def test_the_sizes_of_the_action_spaces():
    assert ActionLayout.for_rules(CONTRACT).num_actions == 472
    assert ActionLayout.for_rules(TWO_PACKS).num_actions == 472
    assert ActionLayout.for_rules(BASIC).num_actions == 314


# Summaries, rewards, winners


def test_the_summary_of_a_deal():
    """Seat 0 lays two melds and throws its last card; seats 1 and 2 are left with 10 + 15 and 2 + 15."""
    rules = RuleSet.preset("contract_rummy")
    game = position(
        "7C 7D 7H 4S 5S 6S 9C",
        rules,
        players=3,
        deal=2,
        others=["KH AS", "2C JK"],
        turn=6,
        scores=[10, 20, 30],
        pile="3C",
    )
    assert play(game, "meld 7C 7D 7H", "meld 4S 5S 6S") is None
    summary = play(game, "discard 9C")
    assert summary == game.last_deal
    assert summary.to_dict() == {
        "deal": 2,
        "contract": 2,
        "reason": "out",
        "out": 0,
        "rummy": False,
        "turns": 7,
        "hand_points": [0, 25, 17],
        "points": [0, 25, 17],
    }
    assert json.loads(json.dumps(summary.to_dict())) == summary.to_dict()
    assert game.scores == [10, 45, 47]
    assert game.deals_done == 2 and game.deal == 3 and game.over is None
    # Mean of the others' penalties minus the own one, in hundreds: (25 + 17) / 2, 17 / 2 - 25, 25 / 2 - 17.
    assert game.deal_rewards().dtype == np.float32
    assert game.deal_rewards() == pytest.approx([0.21, -0.165, -0.045])
    assert game.winners() == [0]


@pytest.mark.parametrize(("played_before", "factor"), [(True, 1), (False, 2)])
def test_the_rewards_of_basic_rummy(played_before, factor):
    """Each loser pays the own hand, doubled when the winner went rummy."""
    game = position(
        "7C 7D 7H 9C", BASIC, players=3, others=["KH AS", "2C 5D"], played_before=[played_before, False, False]
    )
    summary = play(game, "meld 7C 7D 7H") or play(game, "discard 9C")
    assert summary.rummy == (factor == 2)
    assert summary.hand_points == [0, 11, 7]
    assert summary.points == [18 * factor, 0, 0]
    assert game.deal_rewards() == pytest.approx(np.array([0.18, -0.11, -0.07]) * factor)


def test_there_is_no_summary_before_the_first_deal_has_ended():
    game = Game()
    assert game.last_deal is None and game.deals_done == 0
    assert not game.deal_rewards().any()


@pytest.mark.parametrize(("rules", "players"), TABLES.values(), ids=TABLES)
def test_rewards_are_zero_sum_and_scores_add_up(rules, players):
    game = Game(rules, num_players=players, seed=2)
    chance = random.Random(2)
    total, deals = [0] * players, 0
    for _ in range(3000):
        if game.over is not None or deals == 2:
            break
        summary = game.apply(choose(game, chance, eager=True))
        if summary is not None:
            deals += 1
            assert summary.deal == deals
            assert abs(float(game.deal_rewards().sum())) < 1e-5
            total = [score + points for score, points in zip(total, summary.points, strict=True)]
            assert game.scores == total
    assert deals >= 1


@pytest.mark.parametrize(
    ("rules", "scores", "winners"),
    [(CONTRACT, [30, 10, 10], [1, 2]), (BASIC, [30, 10, 30], [0, 2]), (CONTRACT, [5, 5, 5], [0, 1, 2])],
)
def test_ties_are_shared(rules, scores, winners):
    assert position("2C 3D", rules, players=3, scores=scores).winners() == winners
