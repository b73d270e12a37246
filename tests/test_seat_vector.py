"""The batched environment: equal to `SyncVectorEnv` over the single one, whatever the mode, opponents and threads."""

import copy
import multiprocessing
import pickle
import random
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from rummy_env.envs import SEAT_ENVS
from rummy_env.envs.single import SeatEnv
from rummy_env.envs.vector import SeatVectorEnv
from rummy_env.errors import ArgumentError, IllegalActionError, PositionError, ResetNeededError, SeedError
from tests.seat_play import BASIC, CONTRACT, Lowest, every_combination, every_id, legal_actions

MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
every_mode = pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)


def make(env_id, num_envs, **kwargs):
    """A batched environment, made without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return gymnasium.make_vec(env_id, num_envs=num_envs, **kwargs)


@every_mode
@every_combination
def test_equal_to_the_single_environment(env_id, kwargs, mode):
    """Same seeds, same actions, some of them illegal: the same arrays and information over many episodes."""
    count, rng = 5, random.Random(1)
    vector = make(env_id, count, autoreset_mode=mode, **kwargs)
    assert vector.metadata["autoreset_mode"] is mode
    single = SyncVectorEnv([lambda: SeatEnv(SEAT_ENVS[env_id], **kwargs)] * count, autoreset_mode=mode)
    assert vector.observation_space == single.observation_space
    assert vector.action_space == single.action_space
    assert vector.single_action_space == single.single_action_space

    one, two = vector.reset(seed=[3, 4, 5, 6, 2**40]), single.reset(seed=[3, 4, 5, 6, 2**40])
    assert data_equivalence(one, two)
    ended = 0
    for step in range(300):
        actions = legal_actions(one[-1]["action_mask"], rng)
        if step % 60 == 59:
            actions[step % count] = vector.single_action_space.n - 1 - step % 7
        one, two = vector.step(actions), single.step(actions)
        assert data_equivalence(one, two)
        ended += int(one[2].sum())
        if step == 150:
            one, two = vector.reset(), single.reset()
            assert data_equivalence(one, two)
    assert ended >= 2
    vector.close()
    vector.close()


@every_mode
@every_id
def test_ends_of_episodes(env_id, mode):
    vector = make(env_id, 8, episode="deal", autoreset_mode=mode)
    observations, infos = vector.reset(seed=1)
    assert infos["seat"].tolist() == [0] * 8
    rng = random.Random(1)
    ended = np.zeros(8, bool)
    for _ in range(600):
        observations, rewards, terminated, truncated, infos = vector.step(legal_actions(infos["action_mask"], rng))
        assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, np.bool_, np.bool_)
        assert not truncated.any()
        if mode is AutoresetMode.NEXT_STEP:
            assert not (rewards[ended].any() or terminated[ended].any())
            assert np.array_equal(infos["action_mask"].any(axis=1), ~terminated)
            final = infos
            ended = terminated
        else:
            assert infos["action_mask"].any(axis=1).all()
            final = infos.get("final_info", {})
        for row in np.flatnonzero(terminated):
            assert final["_deals"][row]
            assert final["deals"][row][-1]["reason"] in ("out", "blocked", "capped")
            assert final["scores"].shape == (8, vector.unwrapped._table.num_players)
            assert not final["action_mask"][row].any()
            if mode is AutoresetMode.SAME_STEP:
                assert infos["final_obs"][row].shape == observations[row].shape
    vector.close()


@every_id
def test_threads_change_nothing(env_id):
    count, rng = 300, random.Random(2)
    vectors = [make(env_id, count, num_threads=threads, seat="random", episode="deal") for threads in (1, 2, 3)]
    results = [vector.reset(seed=7) for vector in vectors]
    for _ in range(120):
        assert data_equivalence(results[0], results[1])
        assert data_equivalence(results[0], results[2])
        actions = legal_actions(results[0][-1]["action_mask"], rng)
        results = [vector.step(actions) for vector in vectors]
    for vector in vectors:
        vector.close()


@every_id
def test_the_size_of_the_batch_changes_nothing(env_id):
    few, many = make(env_id, 2), make(env_id, 7)
    one, two = few.reset(seed=5), many.reset(seed=5)
    rng = random.Random(5)
    for _ in range(200):
        actions = legal_actions(two[-1]["action_mask"], rng)
        one, two = few.step(actions[:2]), many.step(actions)
        for left, right in zip(one[:4], two[:4], strict=True):
            assert np.array_equal(left, right[:2])


def test_agents_are_asked_together():
    agent = Lowest()
    vector = make(BASIC, 16, num_players=2, opponents=agent)
    _, infos = vector.reset(seed=1)
    for _ in range(30):
        *_, infos = vector.step(infos["action_mask"].argmax(axis=1))
    assert 0 < agent.asked < 200


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the threads are idle when it forks
def test_threads_after_a_fork():
    """A forked process starts threads of its own instead of waiting for those it has not inherited."""
    vector = make(BASIC, 256, num_threads=2)
    _, infos = vector.reset(seed=1)
    process = multiprocessing.get_context("fork").Process(target=vector.step, args=(infos["action_mask"].argmax(1),))
    process.start()
    process.join(60)
    assert process.exitcode == 0
    vector.close()


def test_fresh_arrays_and_buffers():
    fresh, buffered = make(BASIC, 3), make(BASIC, 3, copy=False)
    first, infos = fresh.reset(seed=1)
    first[:], infos["action_mask"][:] = 1, 0
    second, infos = buffered.reset(seed=1)
    actions = infos["action_mask"].argmax(axis=1)
    mask = infos["action_mask"]
    expected, third = fresh.step(actions), buffered.step(actions)
    assert third[0] is second
    assert third[4]["action_mask"] is mask
    assert np.array_equal(expected[0], second)
    assert np.array_equal(fresh.action_masks(), mask == 1)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@every_combination
def test_copies(env_id, kwargs, duplicate):
    vector = make(env_id, 4, num_threads=2, **kwargs)
    one = vector.reset(seed=3)
    rng = random.Random(3)
    for _ in range(40):
        one = vector.step(legal_actions(one[-1]["action_mask"], rng))
    twin = duplicate(vector)
    for _ in range(100):
        actions = legal_actions(one[-1]["action_mask"], rng)
        one, two = vector.step(actions), twin.step(actions)
        assert data_equivalence(one, two)


@every_mode
@every_id
def test_gymnasiums_own_statistics(env_id, mode):
    vector = RecordEpisodeStatistics(make(env_id, 4, episode="deal", autoreset_mode=mode))
    _, infos = vector.reset(seed=1)
    rng, ended, total = random.Random(1), 0, np.zeros(4)
    for _ in range(400):
        _, rewards, terminated, _, infos = vector.step(legal_actions(infos["action_mask"], rng))
        total += rewards
        for row in np.flatnonzero(terminated):
            assert infos["episode"]["r"][row] == pytest.approx(total[row])
            total[row], ended = 0.0, ended + 1
    assert ended > 2


def test_render():
    vector = make(CONTRACT, 2, render_mode="ansi")
    vector.reset(seed=1)
    assert vector.render()[0] != vector.render()[1]
    assert make(CONTRACT, 2).render() is None


def test_position():
    env = SeatEnv("basic_rummy")
    env.reset(seed=1)
    vector = make(BASIC, 3, seat="random")
    vector.reset(seed=2, options={"position": env.game.to_dict()})
    with pytest.raises(PositionError):
        vector.reset(options={"position": {}})


@pytest.mark.parametrize(
    "actions",
    [[0, 1], 0, [[0, 1, 2]], [0.0, 1.0, 2.0], ["a", "b", "c"], [True, False, True], [0, -1, 0], [0, 0, 999], None],
    ids=str,
)
def test_bad_actions(actions):
    vector = make(BASIC, 3)
    with pytest.raises(ResetNeededError, match="reset"):
        vector.step([0, 0, 0])
    vector.reset(seed=1)
    before = vector.action_masks()
    with pytest.raises(IllegalActionError, match="expected"):
        vector.step(actions)
    assert np.array_equal(vector.action_masks(), before)


@every_id
def test_illegal_actions_raise_on_demand(env_id):
    vector = make(env_id, 3, illegal_action="raise")
    _, infos = vector.reset(seed=1)
    actions = infos["action_mask"].argmax(axis=1)
    actions[2] = infos["action_mask"][2].argmin()
    with pytest.raises(IllegalActionError, match="may not"):
        vector.step(actions)
    assert np.array_equal(vector.action_masks(), infos["action_mask"] == 1)


@pytest.mark.parametrize(
    ("kwargs", "told"),
    [
        ({"num_envs": 0}, "num_envs=0"),
        ({"num_envs": 2.0}, "num_envs=2.0"),
        ({"num_threads": 0}, "num_threads=0"),
        ({"autoreset_mode": "Disabled"}, "'NextStep' or 'SameStep'"),
        ({"autoreset_mode": AutoresetMode.DISABLED}, "'NextStep' or 'SameStep'"),
        ({"opponents": "grandmaster"}, "grandmaster"),
        ({"render_mode": "human"}, "render_mode"),
    ],
    ids=str,
)
def test_bad_arguments(kwargs, told):
    with pytest.raises(ArgumentError, match=told):
        SeatVectorEnv(**kwargs)


@pytest.mark.parametrize(("seed", "error"), [(-1, SeedError), ("1", SeedError), ([1], ArgumentError), (1.0, SeedError)])
def test_bad_seed(seed, error):
    with pytest.raises(error):
        make(BASIC, 2).reset(seed=seed)
