"""The action space: `Discrete` with a cheap masked sample."""

import numpy as np
import pytest

from rummy_env.envs.spaces import ActionSpace


def test_masked_samples_are_uniform_and_seeded():
    space, twin = ActionSpace(10, seed=1), ActionSpace(10, seed=1)
    mask = np.zeros(10, np.int8)
    mask[[2, 3, 9]] = 1
    draws = [space.sample(mask) for _ in range(3000)]
    assert draws == [twin.sample(mask) for _ in range(3000)]
    counts = np.bincount(draws, minlength=10)
    assert set(np.flatnonzero(counts)) == {2, 3, 9}
    assert counts[[2, 3, 9]].min() > 900


def test_the_rest_is_discrete():
    space = ActionSpace(10, seed=1)
    assert space.sample(np.zeros(10, np.int8)) == 0
    assert space.contains(space.sample())
    assert space.sample(probability=np.eye(10)[4]) == 4
    with pytest.raises(AssertionError):
        space.sample(np.ones(10, bool))
    with pytest.raises(AssertionError):
        space.sample(np.ones(9, np.int8))
