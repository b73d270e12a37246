"""The OpenSpiel game: OpenSpiel's own checks, the same play as `Game`, and its algorithms."""

import doctest
import random
from pathlib import Path

import numpy as np
import pytest

from rummy_env import Game

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra: openspiel)")
adapter = pytest.importorskip("rummy_env.integrations.openspiel")

RULES = Path(__file__).parents[1] / "configs" / "rules"
TINY = str(RULES / "tiny_rummy.yaml")
GAMES = [
    {"rules": TINY},
    {"rules": str(RULES / "basic_small_deck.yaml")},
    {"rules": "basic_rummy", "players": 3},
    {"rules": "contract_rummy", "players": 2, "deal": 7},
    {"rules": "contract_rummy_two_packs", "deal": 2},
]
every_game = pytest.mark.parametrize("params", GAMES, ids=["tiny", "small", "basic", "contract", "two_packs"])


def step_by_chance(state, rng):
    """Apply a random outcome of a chance node."""
    places, chances = zip(*state.chance_outcomes(), strict=True)
    assert sum(chances) == pytest.approx(1)
    state.apply_action(rng.choices(places, chances)[0])


def play(game, rng, decide):
    """Play to the end, `decide(state)` at every decision; the final state."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            step_by_chance(state, rng)
        else:
            state.apply_action(decide(state))
    return state


@every_game
def test_random_simulation(params):
    pyspiel.random_sim_test(pyspiel.load_game("rummy", params), num_sims=2, serialize=True, verbose=False)


def deal_like(game, truth):
    """The state in which chance has dealt the cards of `truth`."""
    state, position = game.new_initial_state(), truth.to_dict()
    if game.draws_dealer:
        state.apply_action(position["dealer"])
    faces = {str(index): [] for index in game.pack}
    for place, face in enumerate(game.pack):
        faces[str(face)].append(place)
    for hand in position["hands"]:
        for place in sorted(faces[str(index)].pop(0) for index in face_indices(hand)):
            assert place in dict(state.chance_outcomes())
            state.apply_action(place)
    draw(state, game, position["discard"])
    return state


def face_indices(cards):
    """Faces of a text of cards."""
    return [adapter.FACE_TEXT.index(card) for card in cards.split()]


def draw(state, game, card):
    """Apply the chance outcome of one card."""
    place = game.pack.index(adapter.FACE_TEXT.index(card))
    assert place in dict(state.chance_outcomes())
    state.apply_action(place)


@every_game
def test_same_play_as_game(params):
    """With the cards of a seeded game dealt by chance: legal actions, observations and returns are those of `Game`."""
    game = pyspiel.load_game("rummy", params)
    rng = random.Random(4)
    rules = game.rules.replace(first_dealer="random") if game.draws_dealer else game.rules
    for seed in range(3):
        truth = Game(rules, game.num_players(), seed)
        state = deal_like(game, truth)
        while truth.over is None:
            seat = truth.player
            assert state.current_player() == seat
            assert state.legal_actions() == truth.legal_actions()
            assert state.observation_tensor(seat) == truth.observation(seat).tolist()
            action = rng.choice(truth.legal_actions())
            before = truth.to_dict()["hands"][seat].split()
            truth.apply(action)
            state.apply_action(action)
            if state.is_chance_node():
                after = truth.to_dict()["hands"][seat].split()
                draw(state, game, next(card for card in after if after.count(card) > before.count(card)))
        assert state.is_terminal()
        assert state.returns() == pytest.approx(truth.deal_rewards().tolist(), abs=1e-6)


def test_chance_deals_every_hand_equally_often():
    """180 deals of the tiny pack: two of six, two of four, one of two; each has the same probability."""
    game = pyspiel.load_game("rummy", {"rules": TINY})
    deals = {}

    def deal(state, chance):
        if not state.is_chance_node():
            key = str(state.game.to_dict()["hands"]) + state.game.to_dict()["discard"]
            deals[key] = deals.get(key, 0) + chance
            return
        for place, share in state.chance_outcomes():
            deal(state.child(place), chance * share)

    deal(game.new_initial_state(), 1.0)
    assert len(deals) == 180
    assert list(deals.values()) == pytest.approx([1 / 180] * 180)


@every_game
def test_information_states_tell_nothing_hidden_and_forget_nothing(params):
    """What a player sees is unchanged if the hidden cards are others; its own events are only ever added to."""
    game = pyspiel.load_game("rummy", params)
    rng = random.Random(6)
    seen = [""] * game.num_players()

    def decide(state):
        player = state.current_player()
        known = state.information_state_string(player)
        assert known.startswith(seen[player])
        seen[player] = known
        other = adapter.resample(state, player, rng.getrandbits(63))
        assert other.information_state_string(player) == known
        assert other.observation_string(player) == state.observation_string(player)
        assert other.observation_tensor(player) == state.observation_tensor(player)
        assert other.legal_actions() == state.legal_actions()
        return rng.choice(state.legal_actions())

    play(game, rng, decide)


def test_observers():
    game = pyspiel.load_game("rummy", {"rules": TINY})
    state = game.new_initial_state()
    assert not any(state.observation_tensor(0))
    with pytest.raises(ValueError, match="single player"):
        game.make_py_observer(
            pyspiel.IIGObservationType(perfect_recall=True, private_info=pyspiel.PrivateInfoType.NONE)
        )
    with pytest.raises(ValueError, match="parameters"):
        game.make_py_observer(None, {"blocks": 1})


def test_sampled_regret_minimisation_lowers_exploitability(tmp_path):
    """On the tiny pack, stopped after two turns to be quick."""
    from open_spiel.python.algorithms import exploitability, external_sampling_mccfr
    from open_spiel.python.policy import UniformRandomPolicy

    rules = tmp_path / "two_turns.yaml"
    rules.write_text(Path(TINY).read_text("utf-8").replace("max_turns_per_deal: 4", "max_turns_per_deal: 2"), "utf-8")
    game = pyspiel.load_game("rummy", {"rules": str(rules)})
    np.random.seed(1)  # noqa: NPY002 -- the generator that the solver draws from
    solver = external_sampling_mccfr.ExternalSamplingSolver(game)
    for _ in range(600):
        solver.iteration()
    uniform = exploitability.nash_conv(game, UniformRandomPolicy(game))
    learned = exploitability.nash_conv(game, solver.average_policy())
    assert 0 <= learned < 0.5 * uniform


def test_information_set_search_plays():
    from open_spiel.python.algorithms import ismcts, mcts

    game = pyspiel.load_game("rummy", {"rules": TINY})
    bot = ismcts.ISMCTSBot(
        game,
        mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)),
        uct_c=1.0,
        max_simulations=20,
        random_state=np.random.RandomState(2),
        use_observation_string=True,
        allow_inconsistent_action_sets=True,
    )
    bot.set_resampler(adapter.resample)
    rng = random.Random(3)
    state = play(game, rng, lambda state: int(bot.step(state)))
    assert sum(state.returns()) == pytest.approx(0)


def test_example_of_the_docstring(monkeypatch):
    monkeypatch.chdir(RULES.parents[1])
    assert doctest.testmod(adapter).failed == 0
