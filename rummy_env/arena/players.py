"""Asking agents for their actions, in such a way that one that fails harms only itself."""

from collections.abc import Sequence
from copy import deepcopy
from hashlib import sha256
from time import perf_counter
from typing import Any

import numpy as np

from rummy_env.agents import Agent, load_agent
from rummy_env.arena.match import Match
from rummy_env.engine.seats import seat_seed
from rummy_env.envs.opponents import choose_actions


class Answers:
    """What an agent answered for k decisions.

    Attributes:
        actions: int64, shape ``(k,)``; whether they are legal is not checked.
        seconds: float64, shape ``(k,)``: how long it thought.
        failures: Index of the decision → what the agent raised instead of an answer.
    """

    def __init__(self, count: int) -> None:
        self.actions = np.zeros(count, np.int64)
        self.seconds = np.zeros(count)
        self.failures: dict[int, str] = {}


class Player:
    """One agent in all the games of a batch.

    An agent with `reset` plays each game and seat with a copy of its own, made for its first decision there.
    """

    def __init__(self, source: str | Agent, label: str) -> None:
        self._agent = load_agent(source)
        self._key = int.from_bytes(sha256(label.encode()).digest()[:8], "big") >> 1
        self._copies: dict[tuple[int, int], Agent] | None = {} if hasattr(self._agent, "reset") else None
        self._stream = np.zeros(4, np.int64)

    def ask(
        self,
        rows: Sequence[int],
        seats: Sequence[int],
        seeds: Sequence[int],
        observations: np.ndarray,
        masks: np.ndarray,
        infos: Sequence[dict[str, Any]],
    ) -> Answers:
        """Have the agent decide in k games.

        Args:
            rows: The games.
            seats: The seats to move.
            seeds: Seeds of the games.
            observations: int8, shape ``(k, size)``.
            masks: int8, shape ``(k, num_actions)``.
            infos: What `Agent.act` is told besides, k times.
        """
        answers = Answers(len(rows))
        if self._copies is None and hasattr(self._agent, "act_batch"):
            begin = perf_counter()
            try:
                answers.actions[:] = choose_actions([self._agent] * len(rows), observations, masks, infos)
            except Exception:
                pass  # asked one by one below, it is seen where it fails
            else:
                answers.seconds[:] = (perf_counter() - begin) / len(rows)
                return answers
        for k, place in enumerate(zip(rows, seats, strict=True)):
            one = slice(k, k + 1)
            begin = perf_counter()
            try:
                agent = self._agent_at(place, seeds[k])
                answers.actions[k] = choose_actions([agent], observations[one], masks[one], infos[one])[0]
            except Exception as error:
                answers.failures[k] = f"{type(error).__name__}: {error}"
            answers.seconds[k] = perf_counter() - begin
        return answers

    def _agent_at(self, place: tuple[int, int], seed: int) -> Agent:
        if self._copies is None:
            return self._agent
        if place not in self._copies:
            copy: Any = deepcopy(self._agent)
            copy.reset(seat_seed(seed ^ self._key, place[1], self._stream))
            self._copies[place] = copy
        return self._copies[place]


def make_players(match: Match) -> list[Player]:
    """A player for each agent of the match."""
    return [Player(agent, label) for agent, label in zip(match.agents, match.labels, strict=True)]
