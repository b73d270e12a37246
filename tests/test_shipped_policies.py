"""The trained policies that come with the package: small files that play legally, and well, by their names alone."""

from pathlib import Path

import pytest

import baselines.policies
from rummy_env.agents import agent_names, load_agent, seat_agent
from rummy_env.arena import Match, run
from rummy_env.errors import ArgumentError
from rummy_env.rules import RuleSet

SHIPPED = {"ppo-basic-2p": ("basic_rummy", 2), "ppo-contract-4p": ("contract_rummy", 4)}
FOLDER = Path(baselines.policies.__file__).parent


def test_every_file_is_an_agent_with_a_card():
    files = sorted(FOLDER.glob("*.npz"))
    assert [file.stem for file in files] == sorted(SHIPPED) and set(SHIPPED) <= set(agent_names())
    for file in files:
        assert file.stat().st_size <= 4 * 2**20
        card = file.with_suffix(".md").read_text("utf-8")
        assert "python -m training.ppo" in card and f"--agents {file.stem}" in card


@pytest.mark.parametrize(("name", "deals", "floor"), [("ppo-basic-2p", 300, -1.0), ("ppo-contract-4p", 40, 0.0)])
def test_they_stand_up_to_the_planner(name, deals, floor):
    """In points a deal, with a floor more than three standard errors below what their cards say."""
    rules, players = SHIPPED[name]
    report = run(Match([name, "planner"], rules, players, deals=deals, seed=5))
    assert not report.forfeits
    assert report.cross_table()[name, "planner"].value > floor


def test_where_they_cannot_play():
    basic = RuleSet.preset("basic_rummy")
    with pytest.raises(ArgumentError, match=r"cannot play basic_rummy with 3 players .*observation block 'known'"):
        seat_agent("ppo-basic-2p", basic, 3)
    with pytest.raises(ArgumentError, match="cannot play basic_rummy"):
        seat_agent("ppo-contract-4p", basic, 4)
    with pytest.raises(ArgumentError, match="cannot be made"):
        load_agent("ppo-basic-2p:seed=1")
