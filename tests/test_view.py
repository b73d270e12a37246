"""The view of a seat: all that it may know, and nothing else."""

import random
from collections import Counter

import numpy as np
import pytest

from rummy_env import Game
from rummy_env.agents import CompiledAgent, RandomAgent
from rummy_env.engine.determinize import complete
from rummy_env.engine.policies import RANDOM
from rummy_env.errors import ArgumentError
from tests.rule_variations import presets


def moments(rules, players, seed, every=7):
    """Moments of a random game."""
    game, rng = Game(rules, players, seed), random.Random(seed)
    while game.over is None and game.decisions < 400:
        if game.decisions % every == 0:
            yield game
        game.apply(rng.choice(game.legal_actions()))


@pytest.mark.parametrize(("rules", "players"), presets())
def test_hidden_cards_leave_no_trace(rules, players):
    for game in moments(rules, players, 5):
        for seat in range(players):
            view, other = game.view(seat), game.determinize(seat, game.decisions).view(seat)
            assert view.state.tobytes() == other.state.tobytes()
            assert np.array_equal(view.words, other.words)


@pytest.mark.parametrize(("rules", "players"), presets())
def test_a_view_is_completed(rules, players):
    """The other hands and the stock get the cards that are missing, in another way each time; the view stays."""
    differed = []
    for game in moments(rules, players, 6):
        view, other, stream = game.view(game.player), game.clone(), np.arange(4) + game.decisions
        deals = set()
        for _ in range(2):
            other._games[:] = view.state
            complete(view.compiled, other._games, 0, game.player, stream)
            assert other.view(game.player).state.tobytes() == view.state.tobytes()
            assert all_cards(other) == all_cards(game)
            deals.add(str(other.to_dict()["hands"]) + str(other.to_dict()["stock"]))
        differed.append(len(deals) == 2)
    assert np.mean(differed) > 0.5  # there may be nothing left to differ in


def all_cards(game):
    """The cards of a game outside its melds."""
    now = game.to_dict()
    return Counter(" ".join([*now["hands"], now["stock"], now["discard"]]).split())


def test_what_a_view_holds():
    game = Game("contract_rummy", 4, 3)
    taken = game._games["pile"][0, 0]
    mover = game.player
    game.apply(game.parse("take top"))
    state = game.view((mover + 1) % 4).state[0]
    assert state.hands[mover].sum() == state.hands[mover, taken] == 1
    assert state.hand_size[mover] == 11
    own = (mover + 1) % 4
    assert np.array_equal(state.hands[own], game._games["hands"][0, own])
    assert set(state.stock[: state.stock_size]) == {-1}
    assert not state.random.any() and state.seed == 0
    assert game.view(mover).words.any() and not game.view(own).words.any()


def test_compiled_agent_needs_a_view():
    agent = CompiledAgent(RANDOM)
    game = Game("basic_rummy", 2, 1)
    assert game.is_legal(agent.act(game.observation(game.player), game.action_mask(), {"view": game.view(game.player)}))
    with pytest.raises(ArgumentError, match=r"info\['view'\]"):
        agent.act(game.observation(game.player), game.action_mask(), {})


def test_random_agent_chooses_alike_from_mask_and_view():
    game, rng = Game("contract_rummy", 3, 8), random.Random(8)
    by_mask, by_view = RandomAgent(4), CompiledAgent(RANDOM, seed=4)
    for _ in range(100):
        seat = game.player
        info = {"view": game.view(seat)}
        action = by_mask.act(game.observation(seat), game.action_mask(), {})
        assert action == by_view.act(game.observation(seat), game.action_mask(), info)
        game.apply(rng.choice(game.legal_actions()))
