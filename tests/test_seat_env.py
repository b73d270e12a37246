"""The single-agent environment: Gymnasium's own kit, transitions, rewards, opponents, forfeits, errors, copies."""

import copy
import pickle
import random
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from rummy_env import Game, RuleSet
from rummy_env.agents import RandomAgent
from rummy_env.engine.seats import seat_seed
from rummy_env.envs import SEAT_ENVS, register
from rummy_env.errors import (
    ArgumentError,
    GameOverError,
    IllegalActionError,
    PositionError,
    ResetNeededError,
    RulesError,
    SeedError,
)
from tests.positions import position
from tests.seat_play import (
    BASIC,
    CONTRACT,
    Eager,
    Interpreted,
    Lowest,
    every_combination,
    every_id,
    legal_action,
    play_episode,
)


def test_import_registers():
    """A fresh process needs nothing but the import, and registering again warns of nothing."""
    code = "import gymnasium, rummy_env; rummy_env.envs.register(); print(gymnasium.spec('rummy/BasicRummy-v0').id)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("rummy/BasicRummy-v0\n", "")
    register()


@every_combination
def test_check_env(env_id, kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(env_id, **kwargs).unwrapped)


@every_id
def test_render(env_id):
    env = gymnasium.make(env_id, render_mode="ansi")
    env.reset(seed=3)
    assert env.render() == env.unwrapped.render()
    assert all(hand in env.render() for hand in env.unwrapped.game.to_dict()["hands"])
    env.close()
    env.close()
    assert gymnasium.make(env_id).unwrapped.render_mode is None


@every_combination
def test_every_decision_is_that_of_the_game(env_id, kwargs):
    """The same game played by hand with `Game` and Python agents: observations, masks, rewards, summaries, scores."""
    env = gymnasium.make(env_id, **kwargs).unwrapped
    for seed in range(2):
        observation, info = env.reset(seed=seed)
        game, learner = Game(env.rules, env.num_players, seed), info["seat"]
        players = _players(kwargs.get("opponents", "random"), learner, env.num_players, seed)
        rng = random.Random(seed)
        terminated, paid, deals = False, 0.0, []
        paid += _play_others(game, players, env, deals)
        while not terminated:
            assert np.array_equal(observation, game.observation(learner))
            assert np.array_equal(info["action_mask"], game.action_mask())
            assert info.get("deals", []) == deals
            action = legal_action(info["action_mask"], rng)
            deals.clear()
            paid += _apply(game, action, env, deals)
            observation, reward, terminated, truncated, info = env.step(action)
            paid += _play_others(game, players, env, deals)
            assert (terminated, truncated) == (game.over is not None, False)
            assert reward == paid
            paid = 0.0
        assert np.array_equal(observation, game.observation(learner))
        assert not info["action_mask"].any()
        assert info["deals"] == deals
        assert info["scores"].tolist() == game.scores
        assert (info["winners"], info["seat"]) == (game.winners(), learner)


def _players(opponents, learner, num_players, seed):
    sources = opponents if isinstance(opponents, list) else [opponents] * (num_players - 1)
    players = {}
    for other, source in enumerate(sources):
        seat = (learner + 1 + other) % num_players
        players[seat] = RandomAgent() if source == "random" else source
        if hasattr(players[seat], "reset"):
            players[seat] = copy.deepcopy(players[seat])
            players[seat].reset(seat_seed(seed, seat, np.zeros(4, np.int64)))
    return players


def _play_others(game, players, env, deals):
    paid = 0.0
    while game.over is None and game.player != env.seat:
        seat = game.player
        public = {"rules": env.rules, "num_players": env.num_players, "seat": seat}
        paid += _apply(game, players[seat].act(game.observation(seat), game.action_mask(), public), env, deals)
    return paid


def _apply(game, action, env, deals):
    """Apply an action; what the learner of `env` is paid for it."""
    learner = env.seat
    summary = game.apply(action)
    if summary is None:
        return 0.0
    deals.append(summary.to_dict())
    if env.spec.kwargs["reward"] == "score":
        return float(game.deal_rewards()[learner])
    if game.over is None or len(game.winners()) == game.num_players:
        return 0.0
    winners = game.winners()
    return 1 / len(winners) if learner in winners else -1 / (game.num_players - len(winners))


def test_loss_on_an_opponents_turn():
    """Seat 0 discards, seat 1 draws, lays off its 8H, discards and is out: seat 0 pays with that discard."""
    start = position("KC KD", RuleSet.preset("basic_rummy"), players=2, melds=["5H 6H 7H"], others=["8H"]).to_dict()
    env = gymnasium.make(BASIC, episode="deal", opponents=Eager()).unwrapped
    env.reset(seed=1, options={"position": start})
    _, reward, terminated, truncated, info = env.step(env.game.parse("discard KC"))
    assert (terminated, truncated) == (True, False)
    assert info["deals"][0]["out"] == 1
    assert info["deals"][0]["hand_points"] == [10, 0]
    assert reward == pytest.approx(-0.2 if info["deals"][0]["rummy"] else -0.1)
    assert info["winners"] == [1]


def test_loss_in_the_middle_of_a_game():
    """As above with deals to follow: the loss comes with the first decision of the next deal in sight."""
    env = gymnasium.make(CONTRACT, num_players=3, opponents=Eager()).unwrapped
    rng = random.Random(3)
    _, info = env.reset(seed=3)
    outs = 0
    while outs < 3:
        _, reward, terminated, _, info = env.step(legal_action(info["action_mask"], rng))
        for deal in info.get("deals", []):
            own = deal["points"][env.seat]
            assert reward == pytest.approx((sum(deal["points"]) - own) / 200 - own / 100)
            outs += deal["out"] not in (None, env.seat)
        if terminated:
            _, info = env.reset()


@every_id
def test_score_rewards_add_up(env_id):
    """Over a game, what a seat is paid is what the scores say."""
    env = gymnasium.make(env_id, num_players=3)
    _, info = env.reset(seed=9)
    rewards, info = play_episode(env, random.Random(9), info)
    if env_id == CONTRACT:
        own = int(info["scores"][0])
        assert sum(rewards) == pytest.approx((int(info["scores"].sum()) - own) / 200 - own / 100, abs=1e-5)
    assert len(rewards) > 50


@every_id
def test_the_seed_is_that_of_the_game(env_id):
    """Through this face as through every other: the cards of a seat that acts first are those of `Game`."""
    env = gymnasium.make(env_id).unwrapped
    for seed in range(10):
        env.reset(seed=seed)
        game = Game(env.rules, env.num_players, seed)
        assert env.game.seed == seed
        if game.player == 0:
            assert env.game.to_dict() == game.to_dict()


@every_id
def test_episodes_without_a_decision_are_not_handed_out(env_id):
    """With one turn to a deal the learner often has none; then another deal is drawn, and a seed still tells which."""
    env = gymnasium.make(env_id, num_players=3, episode="deal", rules={"max_turns_per_deal": 1})
    for seed in range(20):
        observation, info = env.reset(seed=seed)
        assert info["action_mask"].any()
        again, info = env.reset(seed=seed)
        assert np.array_equal(again, observation)
        play_episode(env, random.Random(seed), info)


def test_rewards_before_the_first_decision():
    """Deals of one turn: those the learner has no part in are paid all the same, and the sum is what the scores say."""
    env = gymnasium.make(CONTRACT, num_players=3, rules={"max_turns_per_deal": 1})
    early = 0
    for seed in range(20):
        _, info = env.reset(seed=seed)
        early += "deals" in info
        rewards, info = play_episode(env, random.Random(seed), info)
        own = int(info["scores"][0])
        assert sum(rewards) == pytest.approx((int(info["scores"].sum()) - own) / 200 - own / 100, abs=1e-5)
    assert 0 < early < 20


@every_id
def test_random_seat(env_id):
    env = gymnasium.make(env_id, seat="random", num_players=4)
    seats = [env.reset(seed=seed)[1]["seat"] for seed in range(40)]
    assert set(seats) == {0, 1, 2, 3}
    assert seats == [env.reset(seed=seed)[1]["seat"] for seed in range(40)]
    env.reset(seed=0)
    assert len({env.reset()[1]["seat"] for _ in range(40)}) == 4


@every_id
def test_games_differ_without_a_seed(env_id):
    env, twin = gymnasium.make(env_id).unwrapped, gymnasium.make(env_id).unwrapped
    env.reset(seed=5)
    twin.reset(seed=5)
    for _ in range(5):
        env.reset()
        twin.reset()
        assert env.game.to_dict() == twin.game.to_dict()
    assert len({(env.reset(), env.game.seed)[1] for _ in range(30)}) == 30


@every_id
def test_compiled_policy_plays_as_its_agent(env_id):
    infos = []
    for opponents in ("random", Interpreted(RandomAgent()), "random:seed=4"):
        env = gymnasium.make(env_id, opponents=opponents, num_players=3)
        _, info = env.reset(seed=4)
        infos.append(play_episode(env, random.Random(4), info))
    assert infos[0][0] == infos[1][0] == infos[2][0]
    assert infos[0][1]["deals"] == infos[1][1]["deals"] == infos[2][1]["deals"]


@every_id
def test_nothing_hidden_is_seen(env_id):
    env = gymnasium.make(env_id, seat="random").unwrapped
    observation, info = env.reset(seed=6)
    rng = random.Random(6)
    for step in range(60):
        other = env.game.determinize(env.seat, step)
        assert np.array_equal(other.observation(env.seat), observation)
        assert np.array_equal(other.action_mask(), info["action_mask"])
        assert set(info) <= {"action_mask", "seat", "deals", "scores", "winners"}
        observation, _, terminated, _, info = env.step(legal_action(info["action_mask"], rng))
        if terminated:
            observation, info = env.reset()


@every_id
def test_forfeit(env_id):
    env = gymnasium.make(env_id).unwrapped
    for seed in range(5):
        _, info = env.reset(seed=seed)
        for _ in range(3 * seed):
            _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
        action = int(info["action_mask"].argmin())
        before = env.game.to_dict()
        observation, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert info["illegal_action"] == action
        assert "winners" not in info
        assert observation in env.observation_space
        assert not info["action_mask"].any()
        assert env.game.to_dict() == before
        with pytest.raises(GameOverError, match="reset"):
            env.step(0)


@every_id
def test_illegal_actions_raise_on_demand(env_id):
    env = gymnasium.make(env_id, illegal_action="raise").unwrapped
    _, info = env.reset(seed=1)
    before = env.game.to_dict()
    with pytest.raises(IllegalActionError, match="player 0 may not"):
        env.step(int(info["action_mask"].argmin()))
    assert env.game.to_dict() == before
    assert np.array_equal(env.action_masks(), info["action_mask"] == 1)
    env.step(int(info["action_mask"].argmax()))


@pytest.mark.parametrize("action", [-1, 10**6, 1.5, "draw", None, [1]], ids=repr)
def test_no_action_at_all(action):
    env = gymnasium.make(CONTRACT).unwrapped
    env.reset(seed=1)
    before = env.game.to_dict()
    with pytest.raises(IllegalActionError, match="no action"):
        env.step(action)
    assert env.game.to_dict() == before


@every_id
def test_arrays_are_fresh(env_id):
    """What the caller does to observations and masks changes nothing."""
    env, twin = gymnasium.make(env_id).unwrapped, gymnasium.make(env_id).unwrapped
    observation, info = env.reset(seed=2)
    _, other = twin.reset(seed=2)
    for _ in range(30):
        action = int(other["action_mask"].argmax())
        observation[:] = 1
        info["action_mask"][:] = 0
        env.action_masks()[:] = False
        observation, *_, info = env.step(action)
        expected, *_, other = twin.step(action)
        assert np.array_equal(observation, expected)
        assert np.array_equal(info["action_mask"], other["action_mask"])
        assert (info["action_mask"].dtype, env.action_masks().dtype) == (np.int8, np.bool_)


def test_masks_are_found_through_wrappers():
    env = gymnasium.make(CONTRACT)
    _, info = env.reset(seed=1)
    assert np.array_equal(env.get_wrapper_attr("action_masks")(), info["action_mask"])


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@every_combination
def test_copies(env_id, kwargs, duplicate):
    env = gymnasium.make(env_id, **kwargs)
    _, info = env.reset(seed=8)
    rng = random.Random(8)
    for _ in range(25):
        _, _, terminated, _, info = env.step(legal_action(info["action_mask"], rng))
        if terminated:
            _, info = env.reset()
    twin = duplicate(env)
    assert (twin.observation_space, twin.action_space) == (env.observation_space, env.action_space)
    mask = info["action_mask"]
    for _ in range(60):
        action = legal_action(mask, rng)
        one, two = env.step(action), twin.step(action)
        assert np.array_equal(one[0], two[0])
        assert one[1:4] == two[1:4]
        mask = one[4]["action_mask"]
        if one[2]:
            mask = env.reset()[1]["action_mask"]
            assert np.array_equal(mask, twin.reset()[1]["action_mask"])


def test_states_of_opponents_are_not_shared():
    """Each seat plays with a copy of an agent that keeps a state, so the original is as it was."""
    agent = RandomAgent(3)
    env = gymnasium.make(BASIC, num_players=4, opponents=agent)
    _, info = env.reset(seed=1)
    play_episode(env, random.Random(1), info)
    assert agent._stream.tolist() == RandomAgent(3)._stream.tolist()


def test_position():
    env = gymnasium.make(BASIC, num_players=2).unwrapped
    env.reset(seed=1)
    start = env.game.to_dict()
    other = gymnasium.make(BASIC, num_players=2, seat=1).unwrapped
    other.reset(seed=2, options={"position": start, "unknown": 1})
    assert other.game.to_dict()["hands"][0] != ""
    assert other.seat == 1
    with pytest.raises(PositionError, match="num_players"):
        gymnasium.make(BASIC, num_players=3).unwrapped.reset(options={"position": start})
    with pytest.raises(PositionError, match="expected a mapping"):
        env.reset(options={"position": 3})


def test_position_without_a_decision():
    """Seat 0 is to move and goes out at once, so there is nothing to learn for seat 1."""
    start = position("8H 2C", RuleSet.preset("basic_rummy"), players=2, melds=["5H 6H 7H"], others=["KC KD"]).to_dict()
    env = gymnasium.make(BASIC, seat=1, episode="deal", opponents=Eager()).unwrapped
    with pytest.raises(PositionError, match="before the learner"):
        env.reset(seed=1, options={"position": start})


@pytest.mark.parametrize(
    ("kwargs", "error", "told"),
    [
        ({"episode": "match"}, ArgumentError, "episode='match'.*'game' or 'deal'"),
        ({"reward": "points"}, ArgumentError, "reward='points'.*'score' or 'win'"),
        ({"illegal_action": "ignore"}, ArgumentError, "illegal_action='ignore'"),
        ({"render_mode": "rgb"}, ArgumentError, "render_mode='rgb'.*'rgb_array'"),
        ({"viewer": 0}, ArgumentError, "viewer=0.*'learner'"),
        ({"seat": 4}, ArgumentError, "seat=4.*0 … 3"),
        ({"seat": -1}, ArgumentError, "seat=-1"),
        ({"seat": "first"}, ArgumentError, "seat='first'.*'random'"),
        ({"opponents": "grandmaster"}, ArgumentError, "'grandmaster' is not known.*random"),
        ({"opponents": ["random"]}, ArgumentError, "1 entries.*3 other seats"),
        ({"opponents": 3}, ArgumentError, "3 is no agent"),
        ({"opponents": Eager}, ArgumentError, "no agent"),
        ({"num_players": 9}, RulesError, "num_players"),
        ({"rules": "basic_rummy"}, ArgumentError, "with contracts"),
        ({"deals": [8]}, RulesError, "deals"),
        ({"players": 4}, TypeError, "players"),
    ],
    ids=str,
)
def test_bad_arguments(kwargs, error, told):
    env_class = gymnasium.make(CONTRACT).unwrapped.__class__
    with pytest.raises(error, match=told):
        env_class(SEAT_ENVS[CONTRACT], **kwargs)


@pytest.mark.parametrize("answer", [-1, 10**4, "7", None], ids=repr)
def test_an_opponent_that_errs(answer):
    class Erring:
        def act(self, observation, action_mask, info):
            action_mask[:] = 1
            return answer

    env = gymnasium.make(BASIC, seat=1, opponents=Erring())
    env.reset(seed=next(seed for seed in range(20) if Game("basic_rummy", 2, seed).player == 1))
    env = gymnasium.make(BASIC, seat=1, opponents=Erring())
    with pytest.raises(ArgumentError, match=r"opponent .*Erring"):
        env.reset(seed=next(seed for seed in range(20) if Game("basic_rummy", 2, seed).player == 0))


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "1", True], ids=repr)
def test_bad_seed(seed):
    env = gymnasium.make(BASIC).unwrapped
    with pytest.raises(SeedError):
        env.reset(seed=seed)


@pytest.mark.parametrize("use", ["step", "action_masks", "game", "seat", "render"])
def test_before_reset(use):
    env = gymnasium.make(BASIC, render_mode="ansi").unwrapped
    with pytest.raises(ResetNeededError, match="reset"):
        {"step": lambda: env.step(0)}.get(use, lambda: _call(env, use))()


def _call(env, use):
    value = getattr(env, use)
    return value() if callable(value) else value


def test_agents_without_a_state_are_shared():
    agent = Lowest()
    env = gymnasium.make(BASIC, num_players=3, opponents=agent)
    _, info = env.reset(seed=1)
    play_episode(env, random.Random(1), info)
    assert agent.asked > 10
