"""The batch engine against `Game`, bit for bit; the same games in any batch size and on any number of threads."""

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from played import TABLES, choose

from rummy_env import Game, ObservationLayout, RuleSet
from rummy_env.engine import batch
from rummy_env.engine.compile import compile_rules
from rummy_env.engine.state import NUM_BLOCKS, OVER_NO, new_games


class Batch:
    """Games and all arrays that the kernels write into."""

    def __init__(self, rules: RuleSet, players: int, seeds: np.ndarray) -> None:
        count = len(seeds)
        self.rules = compile_rules(rules, players)
        self.games = new_games(count)
        self.words = np.zeros((count, NUM_BLOCKS), np.int64)
        self.masks = np.full((count, int(self.rules[0].num_actions)), -1, np.int8)
        self.observations = np.full((count, ObservationLayout.for_table(rules, players).size), -1, np.int8)
        self.actions = np.zeros(count, np.int32)
        self.rewards = np.full((count, players), np.nan, np.float32)
        self.streams = np.zeros((count, 4), np.int64)
        for stream, seed in zip(self.streams, seeds, strict=True):
            batch.seed_stream(stream, int(seed))
        batch.start_games(self.rules, self.games, seeds)

    def look(self) -> None:
        """Write the masks, and the observations of the players to move."""
        batch.legal_batch(self.rules, self.games, self.words, self.masks)
        batch.observe_batch(self.rules, self.games, self.games["player"].copy(), self.observations)

    def apply(self) -> int:
        """Apply `actions`, as `batch.apply_batch` does."""
        return batch.apply_batch(self.rules, self.games, self.words, self.actions, self.rewards)

    def random_play(self, rows: slice, steps: int) -> None:
        """Play so many random decisions in the games of these rows."""
        parts = (self.games, self.words, self.masks, self.observations, self.streams)
        batch.random_play(self.rules, *(part[rows] for part in parts), steps, True)


def short(name: str) -> tuple[RuleSet, int]:
    """A table whose games are over soon."""
    rules, players = TABLES[name]
    game_end = {"game_end": "n_deals", "n_deals": 2}
    return rules.replace(max_turns_per_deal=4 * players, **game_end), players


@pytest.mark.parametrize("name", TABLES)
def test_a_batch_plays_like_games(name):
    """Masks, observations, rewards and states of three games side by side, beyond the end of some of them."""
    rules, players = short(name)
    seeds = np.arange(3) + 2**40
    games = [Game(rules, num_players=players, seed=int(seed)) for seed in seeds]
    together = Batch(rules, players, seeds)
    chance = random.Random(3)
    deals = 0
    for _ in range(400):
        together.look()
        expected = np.zeros((3, players), np.float32)
        for index, game in enumerate(games):
            assert np.array_equal(together.masks[index], game.action_mask())
            assert np.array_equal(together.observations[index], game.observation(game.player))
            together.actions[index] = -1
            if game.over is None:
                together.actions[index] = choose(game, chance, eager=True)
                if game.apply(int(together.actions[index])) is not None:
                    expected[index] = game.deal_rewards()
                    deals += 1
        assert together.apply() == -1
        assert np.array_equal(together.rewards, expected)
        for index, game in enumerate(games):
            assert together.games[index].tobytes() == game._games.tobytes()
        if all(game.over is not None for game in games):
            break
    together.look()
    assert not together.masks.any()
    assert deals == 6


def test_every_seat_may_be_the_viewer():
    rules, players = TABLES["contract-4"]
    together = Batch(rules, players, np.arange(5))
    viewers = np.array([3, 0, 2, 1, 3], np.int8)
    batch.observe_batch(together.rules, together.games, viewers, together.observations)
    for seed, viewer in enumerate(viewers):
        game = Game(rules, num_players=players, seed=seed)
        assert np.array_equal(together.observations[seed], game.observation(int(viewer)))


def trajectory(name: str, seeds: np.ndarray, steps: int = 250) -> list[np.ndarray]:
    """All that a batch of random games writes in so many steps; the second axis of each array is the game."""
    together = Batch(*short(name), seeds)
    written = []
    for _ in range(steps):
        together.look()
        for index in np.flatnonzero(together.games["over"] == OVER_NO):
            stream = together.streams[index]
            together.actions[index] = batch.choose(together.rules, together.words, index, stream)
        assert together.apply() == -1
        parts = (together.masks, together.observations, together.actions, together.rewards, together.games)
        written.append([part.copy() for part in parts])
    return [np.stack(arrays) for arrays in zip(*written, strict=True)]


def assert_same(parts: list[list[np.ndarray]], whole: list[np.ndarray]) -> None:
    for array, *pieces in zip(whole, *parts, strict=True):
        assert np.concatenate(pieces, axis=1).tobytes() == array.tobytes()


@pytest.mark.parametrize("name", ["basic-3", "many-jokers"])
@pytest.mark.parametrize("size", [1, 3])
def test_the_size_of_a_batch_changes_nothing(name, size):
    seeds = np.arange(17)
    whole = trajectory(name, seeds)
    assert (whole[-1]["over"][-1] != OVER_NO).any()
    assert_same([trajectory(name, seeds[first : first + size]) for first in range(0, 17, size)], whole)


@pytest.mark.parametrize("name", ["basic-3", "many-jokers"])
def test_threads_change_nothing(name):
    seeds = np.arange(17)
    with ThreadPoolExecutor(2) as pool:
        halves = list(pool.map(lambda part: trajectory(name, part), (seeds[:8], seeds[8:])))
    assert_same(halves, trajectory(name, seeds))


@pytest.mark.parametrize("name", TABLES)
def test_random_play_on_two_threads_and_in_two_parts(name):
    """Threads share the arrays, each its half; two times forty steps are eighty."""
    rules, players = short(name)
    alone, shared, parted = (Batch(rules, players, np.arange(16)) for _ in range(3))
    alone.random_play(slice(None), 80)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda rows: shared.random_play(rows, 80), (slice(0, 7), slice(7, None))))
    for _ in range(2):
        parted.random_play(slice(None), 40)
    for other in (shared, parted):
        for key in ("games", "words", "masks", "observations", "streams"):
            assert getattr(other, key).tobytes() == getattr(alone, key).tobytes()
    assert (alone.games["decisions"] == 80).all()
    assert set(np.unique(alone.masks)) == set(np.unique(alone.observations)) == {0, 1}


@pytest.mark.parametrize("outside", [-1, -(2**31), 472, 2**31 - 1, None])
def test_an_illegal_action_changes_no_game(outside):
    """The index of the first one is returned; None stands for an id of the space that is not legal now."""
    together = Batch(*TABLES["contract-4"], np.arange(6))
    together.look()
    together.actions[:] = [int(np.flatnonzero(mask)[0]) for mask in together.masks]
    illegal = [int(np.flatnonzero(mask == 0)[-1]) for mask in together.masks]
    together.actions[[2, 4]] = [illegal[2], illegal[4]] if outside is None else outside
    before = together.games.tobytes()
    assert together.apply() == 2
    assert together.games.tobytes() == before
    assert np.isnan(together.rewards).all()
    together.actions[2] = int(np.flatnonzero(together.masks[2])[0])
    assert together.apply() == 4
    assert together.games.tobytes() == before


def test_a_finished_game_takes_any_action():
    together = Batch(*short("basic-2"), np.arange(2))
    while not (together.games["over"] != OVER_NO).all():
        together.look()
        for index in np.flatnonzero(together.games["over"] == OVER_NO):
            together.actions[index] = batch.choose(together.rules, together.words, index, together.streams[index])
        assert together.apply() == -1
    before = together.games.tobytes()
    together.look()
    together.actions[:] = [-5, 10**6]
    assert together.apply() == -1
    assert together.games.tobytes() == before and not together.rewards.any()


@pytest.mark.parametrize("draws", [0, 1])
def test_choices_are_uniform(draws):
    """Among the few draws, and among the many discards after one."""
    together = Batch(*TABLES["contract-4"], np.arange(1))
    for _ in range(draws):
        together.look()
        together.actions[0] = 0
        assert together.apply() == -1
    together.look()
    legal, rounds = np.flatnonzero(together.masks[0]), 3000
    drawn = [batch.choose(together.rules, together.words, 0, together.streams[0]) for _ in range(rounds)]
    counts = np.bincount(drawn, minlength=len(together.masks[0]))
    expected = rounds / len(legal)
    assert np.array_equal(np.flatnonzero(counts), legal)
    assert (abs(counts[legal] - expected) < 6 * expected**0.5).all()
