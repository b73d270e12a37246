"""Matches of a policy in training, in duplicate deals or games."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rummy_env.agents import Agent
from rummy_env.arena import Match, run
from rummy_env.arena.report import Report
from rummy_env.rules import RuleSet


def play_match(
    agent: Agent,
    others: Sequence[str],
    rules: RuleSet,
    num_players: int,
    *,
    episode: str,
    length: int,
    seed: int,
) -> Report:
    """A match of an agent against each of others, reported from its side.

    Args:
        agent: Who is judged.
        others: Names of agents, or files of policies.
        rules: Rules of the match.
        num_players: Seats at the table.
        episode: ``"deal"`` for single deals, ``"game"`` for whole games.
        length: Number of these.
        seed: Seed of all cards and agents.

    Raises:
        ArgumentError: An agent is not known or cannot play at this table, or there are too few deals.
    """
    of: dict[str, Any] = {"deals" if episode == "deal" else "games": length}
    report = run(Match([agent, *others], rules, num_players, seed=seed, reference=type(agent).__name__, **of))
    return replace(report, pairs=[pair.mirrored() for pair in report.pairs])


def results(report: Report) -> list[dict[str, Any]]:
    """What the agent of `play_match` has reached, in the order of the others.

    Returns:
        Mappings with ``"opponent"``; ``"points"`` a deal that it is ahead, with the bounds ``"low"`` and ``"high"`` of
        their interval; and ``"won"``, the share of the deals, NaN where no deal had a winner.
    """
    found = []
    for pair in report.pairs:
        points = dict(zip(("points", "low", "high"), pair.points, strict=True))
        found.append({"opponent": pair.second, **points, "won": pair.deals_won.value if pair.deals_won else np.nan})
    return found
