"""Statistics of the arena against known values, and the schedule of duplicate deals."""

import math

import numpy as np
import pytest

from rummy_env.arena.schedule import chunks, lone_seats, pair_up, seatings, unit_seed
from rummy_env.arena.statistics import bootstrap_ratios, holm, sign_test


@pytest.mark.parametrize(
    ("positive", "negative", "p_value"),
    [
        (0, 0, 1.0),
        (3, 3, 1.0),
        (4, 3, 1.0),
        (0, 5, 2 / 32),
        (8, 2, 2 * (1 + 10 + 45) / 1024),
        (2, 8, 2 * (1 + 10 + 45) / 1024),
    ],
)
def test_sign_test(positive, negative, p_value):
    assert sign_test(positive, negative) == pytest.approx(p_value, rel=1e-12)


@pytest.mark.parametrize(("positive", "negative"), [(700, 800), (1010, 990), (300, 1)])
def test_sign_test_of_many_deals_is_exact(positive, negative):
    total = positive + negative
    tail = sum(math.comb(total, k) for k in range(min(positive, negative) + 1))
    assert sign_test(positive, negative) == pytest.approx(min(1.0, 2 * tail / 2**total), rel=1e-9)


def test_holm():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_interval_of_a_mean_is_that_of_the_normal_distribution():
    values = np.random.default_rng(5).normal(3.0, 2.0, size=(2000, 1))
    (estimate,) = bootstrap_ratios(values, np.ones_like(values))
    error = values.std() / math.sqrt(len(values))
    assert estimate.value == pytest.approx(values.mean())
    assert estimate.low == pytest.approx(values.mean() - 1.96 * error, abs=0.06 * error)
    assert estimate.high == pytest.approx(values.mean() + 1.96 * error, abs=0.06 * error)


def test_interval_of_two_units_holds_all_their_resamples():
    ratios = bootstrap_ratios(np.array([[0.0, 1.0], [1.0, 1.0]]), np.ones((2, 2)))
    assert ratios == [(0.5, 0.0, 1.0), (1.0, 1.0, 1.0)]


def test_ratio_of_sums_not_mean_of_ratios():
    (estimate,) = bootstrap_ratios(np.array([[1.0], [9.0]]), np.array([[1.0], [3.0]]))
    assert estimate == (2.5, 1.0, 3.0)


def test_no_estimate_where_nothing_was_decided():
    numerators, denominators = np.zeros((3, 2)), np.zeros((3, 2))
    numerators[0, 1], denominators[0, 1] = 1, 2
    assert bootstrap_ratios(numerators, denominators) == [None, (0.5, 0.5, 0.5)]


def test_resampling_follows_from_the_seed():
    values = np.random.default_rng(1).normal(size=(50, 2))
    one, again, other = (bootstrap_ratios(values, np.ones_like(values), seed) for seed in (1, 1, 2))
    assert one == again != other


def test_pairs():
    assert pair_up(3) == [(0, 1), (0, 2), (1, 2)]
    assert pair_up(3, reference=1) == [(0, 1), (2, 1)]


def test_seatings_of_two_change_places():
    assert seatings(2).tolist() == [[0, 1], [1, 0]]
    assert [column.tolist() for column in lone_seats(seatings(2))] == [[0, 1], [0, 0]]


@pytest.mark.parametrize("num_players", range(3, 9))
def test_seatings_put_each_side_alone_into_every_seat(num_players):
    table = seatings(num_players)
    assert len({tuple(row) for row in table.tolist()}) == len(table) == 2 * num_players
    for seating, seat, side in zip(table, *lone_seats(table), strict=True):
        assert np.flatnonzero(seating == side).tolist() == [seat]
    assert table.sum() * 2 == table.size


def test_seed_of_a_unit_depends_on_seed_and_number_only():
    known = [7434755675892716031, 77803131892610477, 904838844894763147]
    assert [unit_seed(1, 0), unit_seed(1, 1), unit_seed(2, 0)] == known
    seeds = {unit_seed(seed, unit) for seed in range(30) for unit in range(30)}
    assert len(seeds) == 900
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_chunks_are_neighbours():
    assert list(chunks([0, 1, 2, 5, 6, 7, 8, 9], 3)) == [(0, 3), (5, 8), (8, 10)]
    assert list(chunks([], 3)) == []
