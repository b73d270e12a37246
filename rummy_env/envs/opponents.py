"""Who plays the seats that are not the learner's: compiled policies, or agents written in Python."""

from collections.abc import Sequence
from copy import deepcopy
from operator import index
from typing import Any

import numpy as np

from rummy_env.agents import Agent, CompiledAgent, seat_agent
from rummy_env.engine.seats import OUTSIDE, seat_seed
from rummy_env.errors import ArgumentError
from rummy_env.rules import RuleSet

OpponentSource = str | Agent


class Opponents:
    """The opponents in so many games.

    Args:
        source: Name of an agent, an agent, or a sequence with one of these for each seat after the learner's, in order.
        rules: The rules of the games.
        num_players: Seats, the learner's included.
        count: Games.
        inside: Whether compiled agents play inside the engine; else they are asked as those written in Python are,
            and choose the same.

    Attributes:
        parameters: float64, shape ``(num_players - 1, P)``: those of the compiled agent of each seat after the
            learner's, filled up with 0.
        lengths: int64, shape ``(num_players - 1,)``: how many of them are its own.

    Raises:
        ArgumentError: An agent is unknown or cannot play at this table, or there are too few or too many.
    """

    def __init__(
        self,
        source: OpponentSource | Sequence[OpponentSource],
        rules: RuleSet,
        num_players: int,
        count: int,
        inside: bool = True,
    ) -> None:
        others = num_players - 1
        sources: Sequence[Any] = source if isinstance(source, list | tuple) else [source] * others
        if len(sources) != others:
            raise ArgumentError(f"opponents has {len(sources)} entries: expected one for each of {others} other seats")
        agents = [seat_agent(one, rules, num_players) for one in sources]
        self._compiled = [agent if inside and isinstance(agent, CompiledAgent) else None for agent in agents]
        self._agents = [
            _in_games(agent, count) if compiled is None else None
            for agent, compiled in zip(agents, self._compiled, strict=True)
        ]
        given = [() if agent is None else agent.parameters for agent in self._compiled]
        self.lengths = np.array([len(numbers) for numbers in given], np.int64)
        self.parameters = np.zeros((others, self.lengths.max(initial=0)))
        for row, numbers in zip(self.parameters, given, strict=True):
            row[: len(numbers)] = numbers
        self._stream = np.zeros(4, np.int64)

    def policies(self) -> np.ndarray:
        """Handle of the policy of each seat after the learner's, `OUTSIDE` where an agent is asked from Python.

        Returns:
            int64, shape ``(num_players - 1,)``, valid in this process.
        """
        handles = [OUTSIDE if agent is None else agent.policy.handle for agent in self._compiled]
        return np.array(handles, np.int64)

    @property
    def outside(self) -> bool:
        """Whether any opponent is asked from Python."""
        return any(self._agents)

    def agent(self, row: int, other: int) -> Agent:
        """Who plays the seat `other` + 1 after the learner's in game `row`."""
        agents = self._agents[other]
        assert agents is not None
        return agents[row] if len(agents) > 1 else agents[0]

    def reset(self, row: int, learner: int, seed: int) -> None:
        """Tell the agents of game `row` that the game of `seed` begins, with the learner in that seat."""
        for other, agents in enumerate(self._agents):
            if agents is not None and hasattr(agents[0], "reset"):
                seat = (learner + 1 + other) % (len(self._agents) + 1)
                agent: Any = self.agent(row, other)
                agent.reset(seat_seed(seed, seat, self._stream))


def _in_games(agent: Agent, count: int) -> list[Agent]:
    return [deepcopy(agent) for _ in range(count)] if hasattr(agent, "reset") else [agent]


def choose_actions(
    agents: Sequence[Agent],
    observations: np.ndarray,
    masks: np.ndarray,
    infos: Sequence[dict[str, Any]],
) -> np.ndarray:
    """Actions of `agents`, one per row; agents with `act_batch` are asked once for all their rows.

    Args:
        agents: k agents, an agent may be there several times.
        observations: int8, shape ``(k, size)``.
        masks: int8, shape ``(k, num_actions)``.
        infos: What `Agent.act` is told besides, k times.

    Returns:
        int64, shape ``(k,)``; whether they are legal is not checked.

    Raises:
        ArgumentError: An agent answers with something that is no whole number, or not with one for each row.
    """
    actions = np.empty(len(agents), np.int64)
    together: dict[int, list[int]] = {}
    for k, agent in enumerate(agents):
        if hasattr(agent, "act_batch") and not hasattr(agent, "reset"):
            together.setdefault(id(agent), []).append(k)
        else:
            actions[k] = _whole(agent, agent.act(observations[k], masks[k], infos[k]))
    for rows in together.values():
        batch: Any = agents[rows[0]]
        answers = batch.act_batch(observations[rows], masks[rows])
        if np.shape(answers) != (len(rows),):
            raise ArgumentError(f"{batch!r} answered {len(rows)} rows with {answers!r}: expected an action for each")
        actions[rows] = [_whole(batch, action) for action in answers]
    return actions


def _whole(agent: Agent, action: Any) -> int:
    try:
        return index(action)
    except TypeError:
        raise ArgumentError(f"opponent {agent!r} chose {action!r}: expected the id of an action") from None
