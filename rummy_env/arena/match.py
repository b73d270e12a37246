"""What is to be played: agents, rules, table, number of deals or games, seed."""

import operator
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rummy_env.agents import Agent, load_agent, seat_agent
from rummy_env.arena.schedule import pair_up, seatings
from rummy_env.errors import ArgumentError
from rummy_env.game import RulesSource, check_seed
from rummy_env.options import suggestion
from rummy_env.rules import RuleSet
from rummy_env.version import __version__

FEWEST_UNITS = 2


@dataclass(frozen=True)
class Match:
    """A comparison of agents over duplicate deals; give `deals` or `games`.

    The same match has the same result, however its work is divided. What an agent plays by chance follows from its
    seed (`Agent.reset`), and that from the seed of the game, the seat and the label of the agent.

    Args:
        agents: Two or more agents: names (see `rummy_env.agents`) or objects. Names, or objects that can be pickled,
            are needed to play in several processes.
        variant: Rules, as `RuleSet.load` takes them.
        num_players: Seats at the table; the usual number of the rules if None. With more than two seats each of a pair
            sits alone among copies of the other.
        deals: Single deals, in games with contracts one contract after the other; the unit of inference is the deal.
        games: Whole games; the unit of inference is the game.
        seed: Seed of all cards and agents.
        contract: Number of the only contract to be played, from 1.
        reference: Label of the agent that all others play; None for a round robin.
        time_limit: Seconds that an agent may think in one game, or None.

    Attributes:
        rules: The `RuleSet` in force.
        labels: What the agents are called: their names, or those of their classes; the second of a name has ``#2``.

    Raises:
        ArgumentError: An argument is impossible, or an agent cannot play at this table; names it and the choices.
        RulesError: The rules, or this table, are impossible.
        SeedError: The seed is no whole number from 0 to 2**63 - 1.
    """

    agents: Sequence[str | Agent]
    variant: RulesSource = "contract_rummy"
    num_players: int | None = None
    deals: int | None = None
    games: int | None = None
    seed: int = 0
    contract: int | None = None
    reference: str | None = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.agents, str) or len(self.agents) < 2:
            raise ArgumentError(f"agents={self.agents!r}: a comparison takes at least two agents")
        agents = [load_agent(agent) for agent in self.agents]
        if (self.deals is None) == (self.games is None):
            raise ArgumentError(f"deals={self.deals}, games={self.games}: give the number of the one or the other")
        _check_units("games" if self.deals is None else "deals", self.units)
        check_seed(self.seed)
        if self.time_limit is not None and not self.time_limit > 0:
            raise ArgumentError(f"time_limit={self.time_limit}: expected seconds, more than 0")
        self.rules.table(self.seats)
        for agent in agents:
            seat_agent(agent, self.rules, self.seats)
        _ = self.pairs

    @cached_property
    def rules(self) -> RuleSet:
        """The rules in force, with what `deals` and `contract` make of them."""
        rules = RuleSet.load(self.variant)
        if self.contract is not None:
            if rules.contracts is None:
                raise ArgumentError(f"contract={self.contract}: {rules.name} has no contracts")
            rules = rules.replace(deals=[self.contract], name=rules.name)
        return rules if self.deals is None else rules.replace(game_end="single_deal", name=rules.name)

    @property
    def seats(self) -> int:
        """Players at the table."""
        return self.rules.default_num_players if self.num_players is None else self.num_players

    @property
    def units(self) -> int:
        """Number of deals, or of games."""
        return self.deals or self.games or 0

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What the agents are called."""
        seen: Counter[str] = Counter()
        labels = []
        for agent in self.agents:
            name = agent if isinstance(agent, str) else type(agent).__name__
            seen[name] += 1
            labels.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
        return tuple(labels)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Numbers of the agents that meet."""
        if self.reference is None:
            return pair_up(len(self.agents))
        if self.reference not in self.labels:
            raise ArgumentError(
                f"reference={self.reference!r} is none of the agents{suggestion(self.reference, self.labels)}: "
                f"choose {', '.join(self.labels)}"
            )
        return pair_up(len(self.agents), self.labels.index(self.reference))

    @cached_property
    def seatings(self) -> np.ndarray:
        """The seatings of a pair, as of `schedule.seatings`."""
        return seatings(self.seats)

    def to_dict(self) -> dict[str, Any]:
        """The match as plain JSON: all that its result follows from."""
        return {
            "version": __version__,
            "rules": self.rules.to_dict(),
            "num_players": self.seats,
            "agents": list(self.labels),
            "reference": self.reference,
            "mode": "games" if self.deals is None else "deals",
            "units": self.units,
            "seed": self.seed,
            "time_limit": self.time_limit,
        }


def _check_units(name: str, value: Any) -> None:
    if isinstance(value, bool) or not hasattr(value, "__index__") or operator.index(value) < FEWEST_UNITS:
        raise ArgumentError(
            f"{name}={value!r}: expected a whole number from {FEWEST_UNITS}, as intervals need a spread"
        )
