"""Games among agents."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rummy_env.agents import Agent, decide, seat_agent
from rummy_env.engine.seats import seat_seed
from rummy_env.errors import ArgumentError
from rummy_env.game import Game
from rummy_env.rules import RuleSet


def seat_agents(names: Sequence[str], rules: RuleSet, num_players: int) -> list[Agent]:
    """An agent for each seat, where `names` has one for all or one for each.

    Raises:
        ArgumentError: There are other numbers of names, or as of `seat_agent`.
    """
    if len(names) not in (1, num_players):
        raise ArgumentError(f"{len(names)} agents for {num_players} seats: name one for all, or one for each")
    return [seat_agent(names[seat % len(names)], rules, num_players) for seat in range(num_players)]


def agent_actions(game: Game, agents: Sequence[Agent]) -> Iterator[int]:
    """What `agents`, one in each seat, play up to the end of `game`; each action has to be applied before the next.

    What they do at random follows from the seed of the game and their seats.

    Yields:
        The id of an action; whether it is legal is not checked.
    """
    stream = np.zeros(4, np.int64)
    for seat, agent in enumerate(agents):
        if hasattr(agent, "reset"):
            seeded: Any = agent
            seeded.reset(seat_seed(game.seed, seat, stream))
    while game.over is None:
        yield decide(agents[game.player], game)
