"""The self-play vector environment against the PettingZoo environments, and its own promises."""

import copy
import doctest
import pickle

import numpy as np
import pytest

from rummy_env import basic_rummy_v0, contract_rummy_v0
from rummy_env.agents import load_agent
from rummy_env.cards import NUM_FACES, parse_cards
from rummy_env.envs import selfplay, workers
from rummy_env.envs.selfplay import SelfPlayVectorEnv
from rummy_env.errors import ArgumentError, IllegalActionError, ResetNeededError, RulesError, SeedError

SMALL = {"preset": "basic_rummy", "hand_sizes": 3, "target_score": 20}
TABLES = [
    (contract_rummy_v0, {"rules": "contract_rummy", "num_players": 3}),
    (contract_rummy_v0, {"rules": "contract_rummy_two_packs", "num_players": 2, "deals": [1, 7]}),
    (basic_rummy_v0, {"rules": {"preset": "basic_rummy", "game_end": "n_deals", "n_deals": 2}, "num_players": 2}),
    (basic_rummy_v0, {"rules": SMALL, "num_players": 4}),
]
every_table = pytest.mark.parametrize(("module", "table"), TABLES, ids=["contract", "two_packs", "basic", "small"])


def play(env, steps, seed=3):
    """Random play; what every call returned, the actions between."""
    results, actions = [env.reset(seed=seed)], []
    for _ in range(steps):
        actions.append(env.random_actions())
        results.append(env.step(actions[-1]))
    return results, actions


def assert_equal(one, other):
    """Nested tuples and dictionaries of arrays are the same, in type too."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_equal(one[key], other[key])
    elif isinstance(one, (tuple, list)):
        for left, right in zip(one, other, strict=True):
            assert_equal(left, right)
    else:
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@every_table
@pytest.mark.parametrize("episode", ["game", "deal"])
@pytest.mark.parametrize("reward", ["score", "win"])
def test_returns_are_those_of_the_aec_environment(module, table, episode, reward):
    """Own turn to own turn and at the end, every seat collects what `last` hands the agent of the same game."""
    count, seats = 3, table["num_players"]
    env = SelfPlayVectorEnv(num_envs=count, episode=episode, reward=reward, **table)
    mirrors = [module.env(episode=episode, reward=reward, **table) for _ in range(count)]
    observations, info = env.reset(seed=5)
    for mirror, seed in zip(mirrors, env.seeds, strict=True):
        mirror.reset(seed=int(seed))
    unpaid = np.zeros((count, seats))
    ended = 0
    for _ in range(2500):
        actions = env.random_actions()
        for i, mirror in enumerate(mirrors):
            seen, handed, terminated, _, told = mirror.last()
            assert not terminated
            assert mirror.agent_selection == f"player_{info['seat'][i]}"
            np.testing.assert_array_equal(seen["observation"], observations[i])
            np.testing.assert_array_equal(told["action_mask"], info["action_mask"][i])
            assert handed == pytest.approx(unpaid[i, info["seat"][i]], abs=1e-5)
            unpaid[i, info["seat"][i]] = 0
            mirror.step(int(actions[i]))
        observations, rewards, terminated, truncated, info = env.step(actions)
        unpaid += rewards
        assert not truncated.any()
        for i in np.flatnonzero(terminated):
            mirror = mirrors[i]
            check_episode({key: values[i] for key, values in info["episode"].items()}, mirror.game)
            for agent in mirror.agent_iter():
                _, handed, _, _, _ = mirror.last()
                assert handed == pytest.approx(unpaid[i, mirror.possible_agents.index(agent)], abs=1e-5)
                mirror.step(None)
            mirror.reset(seed=int(env.seeds[i]))
            unpaid[i] = 0
            ended += 1
    assert ended


def check_episode(told, game):
    """The statistics of a finished game are those of its `Game`."""
    assert told["length"] == len(game.history)
    assert told["deals"] == game.deals_done
    assert told["scores"].tolist() == game.scores
    assert told["winners"].nonzero()[0].tolist() == game.winners()
    assert told["reason"] == game.over
    assert told["out"] == (-1 if game.last_deal.out is None else game.last_deal.out)


@every_table
def test_rewards_sum_to_zero_and_episodes_are_told_where_they_end(module, table):
    env = SelfPlayVectorEnv(num_envs=5, episode="deal", **table)
    results, _ = play(env, 800)
    for _, rewards, terminated, _, info in results[1:]:
        assert rewards.shape == (5, env.num_players)
        assert rewards.dtype == np.float32
        np.testing.assert_allclose(rewards.sum(axis=1), 0, atol=1e-5)
        assert ("episode" in info) == terminated.any()
        if terminated.any():
            np.testing.assert_array_equal(info["_episode"], terminated)
            assert all(reason is None for reason in info["episode"]["reason"][~terminated])


@every_table
def test_no_result_depends_on_threads_or_on_the_other_rows(module, table, monkeypatch):
    monkeypatch.setattr(workers, "LEAST_ROWS", 1)
    alone, _ = play(SelfPlayVectorEnv(num_envs=7, episode="deal", **table), 400)
    for threads in (2, 9):
        env = SelfPlayVectorEnv(num_envs=7, episode="deal", num_threads=threads, **table)
        shared, _ = play(env, 400)
        assert_equal(shared, alone)
        env.close()
        env.close()
        env.reset(seed=1)
        env.close()
    fewer, _ = play(SelfPlayVectorEnv(num_envs=2, episode="deal", **table), 400)
    for few, many in zip(fewer[1:], alone[1:], strict=True):
        for left, right in zip(few[:4], many[:4], strict=True):
            np.testing.assert_array_equal(left, right[:2])


def test_spaces():
    env = SelfPlayVectorEnv("contract_rummy", num_envs=6)
    (observations, info), (after, *_, later) = play(env, 1)[0]
    for seen, told in ((observations, info), (after, later)):
        assert env.observation_space.contains(seen)
        assert all(env.single_observation_space.contains(row) for row in seen)
        assert told["action_mask"].shape == (6, env.single_action_space.n)
        assert told["action_mask"].dtype == told["seat"].dtype == np.int8
    assert env.action_space.contains(env.random_actions())


def test_seeds():
    env = SelfPlayVectorEnv(SMALL, num_envs=4)
    given = [3, 2**63 - 1, 3, 0]
    observations, _ = env.reset(seed=given)
    assert env.seeds.tolist() == given
    np.testing.assert_array_equal(observations[0], observations[2])
    assert len({seed for first in range(50) for seed in (env.reset(seed=first), env.seeds.tolist())[1]}) == 200
    env.reset(seed=8)
    env.reset()
    second = env.seeds
    env.reset(seed=8)
    assert (env.seeds != second).all()
    env.reset()
    np.testing.assert_array_equal(env.seeds, second)
    for seed, error in ((-1, SeedError), (2**63, SeedError), (1.5, SeedError), ([1, 2], ArgumentError)):
        with pytest.raises(error):
            env.reset(seed=seed)


def test_an_illegal_action_changes_nothing_anywhere():
    env = SelfPlayVectorEnv("contract_rummy", num_envs=5)
    masks = play(env, 20)[0][-1][-1]["action_mask"]
    before = pickle.dumps(env)
    legal = env.random_actions()
    for index, action in ((3, np.flatnonzero(masks[3] == 0)[0]), (4, -1), (2, 472), (1, 10**12)):
        env = pickle.loads(before)
        actions = legal.copy()
        actions[index] = action
        games = [env.game(i).to_dict() for i in range(5)]
        with pytest.raises(IllegalActionError, match=f"^game {index}: "):
            env.step(actions)
        assert [env.game(i).to_dict() for i in range(5)] == games
        assert_equal(env.step(legal), pickle.loads(before).step(legal))


@pytest.mark.parametrize(
    "actions", [[0.0, 0.0], [True, True], [0], 0, [[0, 0]], None, ["0", "0"]], ids=lambda actions: str(actions)
)
def test_actions_of_another_type_or_shape(actions):
    env = SelfPlayVectorEnv(SMALL, num_envs=2)
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match="expected integers of shape"):
        env.step(actions)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint64])
def test_every_integer_type_is_an_action(dtype):
    env = SelfPlayVectorEnv(SMALL, num_envs=2)
    env.reset(seed=1)
    env.step(np.zeros(2, dtype))
    env.reset(seed=1)
    env.step([0, 0])


def test_arguments():
    for arguments in (
        {"num_envs": 0},
        {"num_envs": 2.0},
        {"num_threads": 0},
        {"episode": "hand"},
        {"reward": "points"},
    ):
        with pytest.raises(ArgumentError, match=f"{next(iter(arguments))}="):
            SelfPlayVectorEnv(**arguments)
    with pytest.raises(RulesError):
        SelfPlayVectorEnv("basic_rummy", num_players=7)


def test_before_the_first_reset():
    env = SelfPlayVectorEnv(num_envs=2)
    logits = np.zeros((2, 472), np.float32)
    calls = (
        lambda: env.step([0, 0]),
        env.random_actions,
        lambda: env.sample_actions(logits),
        lambda: env.game(0),
        env.secrets,
        lambda: env.seeds,
    )
    for call in calls:
        with pytest.raises(ResetNeededError, match="reset"):
            call()


def test_arrays_are_yours_or_the_buffers():
    env = SelfPlayVectorEnv(SMALL, num_envs=3)
    results, _ = play(env, 3)
    kept = copy.deepcopy(results)
    env.step(env.random_actions())
    assert_equal(results, kept)
    env = SelfPlayVectorEnv(SMALL, num_envs=3, copy=False)
    (observations, _), after = play(env, 1)[0]
    assert observations is after[0]
    assert_equal(env.step(env.random_actions())[:4], after[:4])


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_keep_the_live_state(duplicate, monkeypatch):
    monkeypatch.setattr(workers, "LEAST_ROWS", 1)
    env = SelfPlayVectorEnv(SMALL, num_envs=3, num_threads=2)
    play(env, 50)
    twin = duplicate(env)
    for _ in range(200):
        actions = env.random_actions()
        np.testing.assert_array_equal(twin.random_actions(), actions)
        assert_equal(twin.step(actions), env.step(actions))
    env.close()
    twin.close()


@every_table
def test_nothing_hidden_is_seen(module, table):
    """Dealing the cards that the seat to move cannot know anew leaves observation and mask as they are."""
    env = SelfPlayVectorEnv(num_envs=4, **table)
    observations, info = env.reset(seed=2)
    for step in range(120):
        for i in range(4):
            other = env.game(i).determinize(int(info["seat"][i]), seed=step)
            np.testing.assert_array_equal(other.observation(int(info["seat"][i])), observations[i])
            np.testing.assert_array_equal(other.action_mask(), info["action_mask"][i])
        observations, _, _, _, info = env.step(env.random_actions())


@pytest.mark.parametrize("players", [2, 4])
def test_secrets_are_the_hidden_cards(players):
    env = SelfPlayVectorEnv("contract_rummy", 8, players, episode="deal", deals=[7])
    env.reset(seed=3)
    for _ in range(300):
        env.step(env.random_actions())
    told = env.secrets().reshape(8, 3 * players - 1, NUM_FACES)
    emptying = 0
    for row, cards in enumerate(told):
        position = env.game(row).to_dict()
        seat = position["player"]
        held = [position["hands"][(seat + ahead) % players] for ahead in range(1, players)]
        following = parse_cards(position["stock"])[::-1][: 2 * players]
        emptying += len(following) < 2 * players
        expected = [parse_cards(hand) for hand in held] + [[face] for face in following]
        for counts, faces in zip(cards, expected + [[]] * (2 * players - len(following)), strict=True):
            assert np.array_equal(counts, np.bincount(faces, minlength=NUM_FACES))
    assert players == 2 or emptying


def test_random_actions_are_legal_and_uniform():
    env = SelfPlayVectorEnv("contract_rummy", num_envs=1)
    for _ in range(30):
        env.reset(seed=1)
        env.step(env.random_actions())
    mask = env.reset(seed=1)[1]["action_mask"][0]
    counts = np.bincount([env.random_actions()[0] for _ in range(4000)], minlength=472)
    assert (counts[mask == 0] == 0).all()
    expected = 4000 / mask.sum()
    np.testing.assert_allclose(counts[mask == 1], expected, atol=6 * expected**0.5)


def test_sample_actions_draws_from_the_masked_softmax():
    env = SelfPlayVectorEnv("contract_rummy", num_envs=2000)
    _, info = env.reset(seed=[7] * 2000)
    mask = info["action_mask"][0].astype(bool)
    logits = np.random.default_rng(1).normal(size=472).astype(np.float32) * 2
    logits[np.flatnonzero(mask)[0]] = -np.inf
    logits[~mask] = np.nan
    shares = np.where(mask, np.exp(np.where(mask, logits, 0)), 0)
    shares /= shares.sum()
    env._streams[:] = np.random.default_rng(2).integers(0, 2**32, env._streams.shape)
    batch = np.tile(logits, (2000, 1))
    counts = np.zeros(472)
    for _ in range(10):
        actions, log_probs = env.sample_actions(batch)
        np.testing.assert_allclose(log_probs, np.log(shares[actions]), rtol=1e-5)
        counts += np.bincount(actions, minlength=472)
    deviation = np.sqrt(20_000 * shares * (1 - shares)) + 1
    assert (np.abs(counts - 20_000 * shares) < 5 * deviation).all()
    assert (counts[shares == 0] == 0).all()


@every_table
def test_agents_decide_in_the_games_asked(module, table):
    """As the agent decides on the view of the seat to move, whatever the threads; the games stay as they are."""
    agent, rows = load_agent("planner"), np.arange(130)[::-1].copy()
    envs = [SelfPlayVectorEnv(**table, num_envs=130, num_threads=threads) for threads in (1, 2)]
    for env in envs:
        play(env, 40)
    asked = [env.agent_actions(agent, rows) for env in envs]
    assert np.array_equal(*asked)
    games = [envs[0].game(row) for row in rows[:20].tolist()]
    assert [agent.act(None, None, {"view": game.view(game.player)}) for game in games] == asked[0][:20].tolist()
    observations, *_ = envs[0].step(asked[0][::-1])
    assert np.array_equal(observations, envs[1].step(asked[0][::-1])[0])
    assert len(envs[0].agent_actions(agent, rows[:0])) == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_logits_that_are_no_distribution(bad):
    env = SelfPlayVectorEnv(SMALL, num_envs=3)
    env.reset(seed=1)
    logits = np.zeros((3, env.single_action_space.n), np.float32)
    logits[1] = bad
    with pytest.raises(ArgumentError, match="logits of game 1"):
        env.sample_actions(logits)
    for wrong in (logits.astype(np.float64), logits[:2], logits.tolist(), np.asfortranarray(logits)):
        with pytest.raises(ArgumentError, match="expected a"):
            env.sample_actions(wrong)


def test_extreme_logits_are_sampled():
    env = SelfPlayVectorEnv(SMALL, num_envs=3)
    _, info = env.reset(seed=1)
    logits = np.where(info["action_mask"] == 1, np.float32(3e38), np.float32(-3e38))
    actions, log_probs = env.sample_actions(logits)
    assert info["action_mask"][np.arange(3), actions].all()
    np.testing.assert_allclose(log_probs, -np.log(info["action_mask"].sum(axis=1)), rtol=1e-6)


def test_example_of_the_docstring():
    assert doctest.testmod(selfplay).failed == 0
