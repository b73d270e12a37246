"""The players that search: legal under every rule, blind to what is hidden, reproducible, and better with more work."""

import random
from time import process_time

import numpy as np
import pytest

from baselines import playout
from baselines.cautious import Cautious
from baselines.greedy import Greedy
from baselines.ismcts import Ismcts
from baselines.rollout import Rollout
from rummy_env import Game
from rummy_env.engine.hand_needs import hand_needs
from rummy_env.engine.policies import choose_rows
from rummy_env.engine.state import new_games
from rummy_env.errors import ArgumentError
from tests.played import TABLES, moments
from tests.positions import BASIC, position
from tests.rule_variations import mixture, presets, single_changes


def hasty_rollout(seed=0, **parameters):
    return Rollout(**{"worlds": 2, "horizon": 4, "tries": 2, "seed": seed} | parameters)


def hasty_ismcts(seed=0, **parameters):
    return Ismcts(**{"iterations": 12, "width": 1.0, "horizon": 4, "tries": 2, "seed": seed} | parameters)


every_player = pytest.mark.parametrize("hasty", [hasty_rollout, hasty_ismcts])


def choose(agent, game):
    return agent.act(game.observation(game.player), game.action_mask(), {"view": game.view(game.player)})


def choice(agent, game):
    return game.describe(choose(agent, game))


def play(agent, rules, players, decisions):
    """Let an agent play all seats; `Game.apply` refuses what is not legal."""
    game, played = Game(rules, players, seed=decisions), []
    while game.over is None and game.decisions < decisions:
        played.append(choose(agent, game))
        game.apply(played[-1])
    return played


@every_player
def test_legal_at_every_table(hasty):
    for rules, players in presets():
        play(hasty(), rules, players, 60)


@every_player
def test_legal_under_every_option(hasty):
    for rules, players in single_changes():
        play(hasty(), rules, players, 30)


@every_player
def test_legal_under_mixtures_of_options(hasty):
    rng = random.Random(3)
    for _ in range(40):
        play(hasty(), *mixture(rng), 40)


@every_player
@pytest.mark.parametrize("name", TABLES)
def test_legal_at_moments_of_every_kind(hasty, name):
    for player in ("auto", "greedy", "cautious"):
        for game in moments(name, eager=True):
            if game.over is None:
                assert game.is_legal(choose(hasty(playout=player), game))


@every_player
def test_hidden_cards_do_not_matter(hasty):
    agent = hasty()
    for name in ("basic-2", "contract-4", "many-jokers", "all-at-once"):
        for game in moments(name, eager=True):
            choices = set()
            for other in (game, *(game.determinize(game.player, seed) for seed in range(3))):
                agent.reset(7)
                choices.add(choose(agent, other))
            assert len(choices) == 1


@every_player
def test_decided_by_the_seed(hasty):
    played = [play(hasty(seed), *TABLES["contract-4"], 60) for seed in (1, 1, 2)]
    assert played[0] == played[1] != played[2]


@every_player
def test_in_the_batch_as_alone(hasty):
    rules, players = TABLES["contract-3"]
    game, agent = Game(rules, players, 5), hasty(3)
    streams, actions = np.array([agent._stream]), np.zeros(1, np.int64)
    for _ in range(30):
        view = game.view(game.player)
        arguments = (view.compiled, game._games, np.zeros(1, np.int64), view.words, streams, new_games(1), actions)
        choose_rows(agent.policy.handle, agent.parameters, *arguments)
        assert actions[0] == choose(agent, game)
        game.apply(actions[0])


@pytest.mark.parametrize("agent", [Rollout(worlds=1), Rollout(worlds=64, drop=0.0), Ismcts(iterations=64)])
def test_goes_out(agent):
    assert choice(agent, position("5H 6H 7H", BASIC, players=2)) == "meld 5H 6H 7H"
    assert choice(agent, position("8H 2C", down="earlier", melds=["5H 6H 7H"])) == "lay off 8H high"
    assert choice(agent, position("5H 6H KD", BASIC, players=2, phase="draw", pile="7H")) == "take top"


DEAD_KINGS = {"hand": "KD KC 5S", "rules": BASIC, "players": 2, "melds": ["JH QH KH", "JS QS KS"], "others": ["3C"]}
"""The pair of kings can't become a set any more, and seat 1 is about to go out; greedy would keep the pair."""


def right_choices(make, count=20):
    """How often an agent of a seed from 0 to `count` - 1 breaks up the dead pair."""
    game = position(**DEAD_KINGS)
    return sum(choice(make(seed), game) in ("discard KD", "discard KC") for seed in range(count))


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: Rollout(worlds=128, playout="greedy", seed=seed),
        lambda seed: Ismcts(iterations=600, seed=seed),
    ],
)
def test_search_finds_what_the_greedy_player_misses(make):
    assert choice(Greedy(), position(**DEAD_KINGS)) == "discard 5S"
    assert right_choices(make) >= 18


def test_more_walks_are_better():
    few, many = (right_choices(lambda seed, n=n: Ismcts(iterations=n, seed=seed)) for n in (4, 600))
    assert few < many


def test_of_equal_actions_the_choice_of_the_guide_stays():
    """Either lay-off leads to the same table."""
    game = position("4H 8H 2C 9D QS", down="earlier", melds=["5H 6H 7H"])
    assert choice(Rollout(worlds=64), game) == choice(Cautious(), game)


def test_a_limit_of_time_cuts_the_work():
    game = Game("basic_rummy", 2, 5)
    game.apply(game.parse("draw stock"))
    times = []
    for agent in (Rollout(worlds=10**6, milliseconds=1), Rollout(worlds=2000)):
        choose(agent, game)
        start = process_time()
        assert game.is_legal(choose(agent, game))
        times.append(process_time() - start)
    assert times[0] < times[1] / 3


def test_other_hands_are_developed():
    """Of several hands dealt to another seat the nearest to the contract stays."""
    game = Game("contract_rummy", 4, 1)
    view, needs, distances = game.view(game.player), np.zeros(3, np.int64), {}
    for tries in (1, 8):
        stream, games = np.array([1, 2, 3, 4]), new_games(2)
        distances[tries] = 0
        for _ in range(50):
            playout.imagine(view.compiled, view.state, 0, game.player, tries, games, stream)
            for seat in range(4):
                if seat != game.player:
                    hand_needs(view.compiled, games, 0, seat, needs)
                    distances[tries] += needs[0]
    assert distances[8] < 0.75 * distances[1]


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Rollout(worlds=0), "worlds=0"),
        (lambda: Rollout(horizon=0.5), "horizon=0.5"),
        (lambda: Ismcts(iterations=0), "iterations=0"),
        (lambda: Ismcts(tries=True), "tries=True"),
        (lambda: Rollout(width=0), "width=0"),
        (lambda: Rollout(milliseconds=0), "milliseconds=0"),
        (lambda: Rollout(playout="cautous"), "did you mean 'cautious'"),
    ],
)
def test_refused(make, told):
    with pytest.raises(ArgumentError, match=told):
        make()
