"""Random legal play of every preset at every table: the promises of the engine hold in every position."""

import pytest

from rummy_env import RuleSet
from tests.soak import TABLES, soak


@pytest.mark.parametrize(("preset", "players"), TABLES)
def test_random_deals_keep_every_promise(preset: str, players: int) -> None:
    assert soak(RuleSet.preset(preset), players, deals=200, seed=7) is None
