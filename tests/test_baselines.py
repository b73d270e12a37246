"""The scripted players: legal under every rule, blind to what is hidden, and doing what they are named for."""

import random

import gymnasium
import numpy as np
import pytest
import yaml

from baselines import cautious, planner, tuned
from baselines.cautious import Cautious
from baselines.planner import Planner
from rummy_env import Game
from rummy_env.agents import load_agent
from rummy_env.engine.batch import apply_batch, legal_batch, start_games
from rummy_env.engine.compile import compile_rules
from rummy_env.engine.policies import choose_rows
from rummy_env.engine.state import NUM_BLOCKS, OVER_NO, new_games
from rummy_env.errors import ArgumentError
from tests.positions import BASIC, TWO_PACKS, position
from tests.rule_variations import mixture, presets, single_changes
from tests.seat_play import Interpreted, play_episode

REACTIVE = ("random", "greedy", "planner", "cautious", "stock_only", "hoarder", "rusher")
every_player = pytest.mark.parametrize("name", REACTIVE)


def table(rules, players, count):
    """Games, and the arrays to play them with."""
    compiled, games = compile_rules(rules, players), new_games(count)
    start_games(compiled, games, np.arange(count))
    arrays = {
        "words": np.zeros((count, NUM_BLOCKS), np.int64),
        "masks": np.zeros((count, int(compiled["num_actions"][0])), np.int8),
        "rewards": np.zeros((count, players), np.float32),
    }
    return compiled, games, arrays


def play_legally(name, rules, players, count=8, steps=250):
    """Let an agent play all seats of some games; every action must be legal."""
    agent, (compiled, games, arrays) = load_agent(name), table(rules, players, count)
    streams, view = np.arange(4 * count).reshape(count, 4) + 1, new_games(1)
    for _ in range(steps):
        legal_batch(compiled, games, arrays["words"], arrays["masks"])
        rows = np.flatnonzero(games["over"] == OVER_NO)
        chosen, actions = np.zeros(len(rows), np.int64), np.zeros(count, np.int32)
        choose_rows(
            *(agent.policy.handle, agent.parameters, compiled, games, rows, arrays["words"], streams, view, chosen)
        )
        actions[rows] = chosen
        assert apply_batch(compiled, games, arrays["words"], actions, arrays["rewards"]) == -1, (rules, players)


@every_player
def test_legal_at_every_table(name):
    for rules, players in presets():
        play_legally(name, rules, players)


@every_player
def test_legal_under_every_option(name):
    for rules, players in single_changes():
        play_legally(name, rules, players, count=4, steps=150)


@every_player
def test_legal_under_mixtures_of_options(name):
    rng = random.Random(name)
    for _ in range(60):
        play_legally(name, *mixture(rng), count=4, steps=150)


@every_player
def test_hidden_cards_do_not_matter(name):
    agent = load_agent(name)
    for rules, players in presets()[:8]:
        game, rng = Game(rules, players, 5), random.Random(5)
        while game.over is None and game.decisions < 120:
            seat, choices = game.player, set()
            for other in (game, *(game.determinize(seat, seed) for seed in range(3))):
                agent.reset(game.decisions)
                info = {"view": other.view(seat)}
                choices.add(agent.act(other.observation(seat), other.action_mask(), info))
            assert len(choices) == 1
            chosen = choices.pop()
            assert game.is_legal(chosen)
            game.apply(chosen if rng.random() < 0.7 else rng.choice(game.legal_actions()))


def choice(agent, game):
    """What an agent does in a game, in words."""
    agent = load_agent(agent)
    seat = game.player
    return game.describe(agent.act(game.observation(seat), game.action_mask(), {"view": game.view(seat)}))


def test_greedy_takes_what_completes_a_set():
    hand = "7C 7D 2S 4H 9H JC QD KS 3C 5S"
    assert choice("greedy", position(hand, deal=1, phase="draw", pile="7H")) == "take top"
    assert choice("greedy", position(hand, deal=1, phase="draw", pile="8H")) == "draw stock"
    # Runs are not asked in the first deal.
    assert choice("greedy", position("5H 6H 2S 4C", deal=1, phase="draw", pile="7H")) == "draw stock"
    assert choice("greedy", position("5H 6H 2S 4C", deal=2, phase="draw", pile="7H")) == "take top"


def test_greedy_throws_its_dearest_loose_card():
    assert choice("greedy", position("7C 7D KS KD QH 3C", deal=1)) == "discard QH"
    assert choice("greedy", position("7C 7D KS KD", deal=1)) == "discard KD"
    assert choice("greedy", position("7C 7D AS 3C", deal=1)) == "discard AS"


def test_greedy_lays_what_it_can():
    assert choice("greedy", position("5H 6H 7H 2C 9D", BASIC, players=2)) == "meld 5H 6H 7H"
    assert choice("greedy", position("8H 2C 9D", down="earlier", melds=["5H 6H 7H"])) == "lay off 8H high"


def test_planner_takes_what_brings_the_contract_nearer():
    hand = "7C 7D 2S 4H 9H JC QD KS 3C 5S"
    assert choice("planner", position(hand, deal=1, phase="draw", pile="7H")) == "take top"
    assert choice("planner", position("2C 3C 9D 9H 9S KD KH KS 5H 7S", deal=1, phase="draw", pile="8H")) == "draw stock"


def test_planner_keeps_the_cards_of_its_contract():
    # A set of nines, and 5H 7H waiting for a six: only the two black cards can go, the dearer one does.
    game = position("9C 9D 9H 5H 7H 2C QS", deal=2)
    assert choice("planner", game) == "discard QS"


def test_planner_prefers_the_pair_that_can_still_be_completed():
    # One pair of sevens has lost its mates to a meld, the other has not.
    rules, melds = TWO_PACKS.replace(num_decks=1, num_jokers=1), ["6S 7S 8S", "6H 7H 8H"]
    game = position("7C 7D 4C 4D 9C 9D 9H", rules=rules, deal=1, melds=melds)
    assert choice(Planner(points=0.0), game) in ("discard 7C", "discard 7D")


def test_planner_lays_naturals_and_keeps_the_joker():
    game = position("9C 9D 9H 4C 4D 4H JK KS", deal=1)
    assert choice("planner", game).startswith("meld")
    assert "JK" not in choice("planner", game)


def test_planner_picks_up_few_cards_for_a_contract():
    # The nine completes the contract; it lies under one card, or under six.
    hand, near, far = "9C 9D 4C 4D 4H KS 2S 7H JC QD", "9H 3C", "9H 3C 3D 5S 6D TC TD"
    assert choice(Planner(deep=4.0), position(hand, deal=1, phase="draw", pile=near)) == "take 9H"
    assert choice(Planner(deep=4.0), position(hand, deal=1, phase="draw", pile=far)) != "take 9H"
    assert choice(Planner(deep=9.0), position(hand, deal=1, phase="draw", pile=far)) == "take 9H"


def test_cautious_holds_its_melds_until_somebody_is_near_the_end():
    hand, patient = "5H 6H 7H 2C 9D JS QD KC 3S 8C 4D", Cautious(hold=20.0, near=3.0)
    game = position(hand, BASIC, players=2, others=["2H 3H 4C 5C 6D 7S 8D 9S TH JH"])
    assert choice(patient, game).startswith("discard")
    assert choice(Cautious(hold=0.0), game) == "meld 5H 6H 7H"
    threatened = position(hand, BASIC, players=2, others=["2H 3H 4C"])
    assert choice(patient, threatened) == "meld 5H 6H 7H"


def test_cautious_goes_rummy_when_the_whole_hand_can_go():
    game = position("5H 6H 7H 2C 2D 2S 9D TD JD KC", BASIC, players=2, others=["2H 3H 4C 5C 6D 7S 8D 9S TH JH"])
    assert choice(Cautious(hold=20.0, near=3.0), game).startswith("meld")


def test_cautious_withholds_what_the_next_player_can_lay_off():
    # Seat 1 is down and could lay the jack off, though not the nine.
    game = position("JH 9C 2C 2D KS KD", deal=1, melds=["8H 9H TH"])
    assert choice(Cautious(danger=0.0, fit=0.0, points=1.0), game) == "discard JH"
    assert choice(Cautious(danger=0.0, fit=30.0, points=1.0), game) == "discard 9C"


def test_probes():
    hand = "7C 7D 2S 4H 9H JC QD KS 3C 5S"
    assert choice("stock_only", position(hand, deal=1, phase="draw", pile="7H")) == "draw stock"
    assert choice("hoarder", position("5H 6H 7H 2C 9D", BASIC, players=2)).startswith("discard")
    assert choice("hoarder", position("5H 2C 9D", BASIC, players=2, phase="draw", pile="6H")) == "take top"
    far = "9H 3C 3D 5S 6D TC TD"
    assert choice("rusher", position("9C 9D 4C 4D 4H KS 2S 7H JC QD", deal=1, phase="draw", pile=far)) == "take 9H"


@pytest.mark.parametrize(("name", "module"), [("planner", planner), ("cautious", cautious)])
def test_tuned_weights_say_where_they_come_from(name, module):
    stored = yaml.safe_load((tuned.files("baselines") / "weights" / f"{name}.yaml").read_text("utf-8"))
    for group in tuned.GROUPS:
        assert set(stored[group]["weights"]) == set(module.WEIGHTS)
        assert stored[group]["provenance"]["command"].startswith(f"python -m baselines.tune {name} ")
        for key, value in stored[group]["weights"].items():
            assert module.WEIGHTS[key].low <= value <= module.WEIGHTS[key].high


def test_weights_are_checked():
    with pytest.raises(ArgumentError, match="planner has no weight 'speed': expected distance, outs"):
        load_agent("planner:speed=3")
    with pytest.raises(ArgumentError, match="weight outs of cautious is 'many'"):
        load_agent("cautious:outs=many")
    assert load_agent("planner:outs=7").parameters.tolist().count(7.0) == 2


def test_opponents_with_different_numbers_of_weights():
    """Side by side in the engine, each plays as it does when it is asked alone."""
    played = []
    for wrap in (load_agent, lambda name: Interpreted(load_agent(name))):
        opponents = [wrap(name) for name in ("planner", "cautious", "greedy")]
        env = gymnasium.make("rummy/BasicRummy-v0", num_players=4, opponents=opponents, episode="deal").unwrapped
        rng = random.Random(3)
        for seed in range(5):
            _, info = env.reset(seed=seed)
            played.append(play_episode(env, rng, info))
    assert [reward for reward, _ in played[:5]] == [reward for reward, _ in played[5:]]
    assert [info["deals"] for _, info in played[:5]] == [info["deals"] for _, info in played[5:]]
