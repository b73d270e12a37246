"""Asking agents for their actions, in such a way that one that fails harms only itself."""

from copy import deepcopy
from hashlib import sha256
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import numpy as np

from rummy_env.agents import Agent, CompiledAgent, seat_agent
from rummy_env.engine.batch import seed_stream
from rummy_env.engine.blocks import PLAIN
from rummy_env.engine.compile import compile_rules
from rummy_env.engine.policies import choose_rows
from rummy_env.engine.seats import seat_seed, view_turns
from rummy_env.engine.state import new_games
from rummy_env.envs.opponents import choose_actions
from rummy_env.observation import ObservationLayout
from rummy_env.rules import RuleSet
from rummy_env.view import View


class Tables(NamedTuple):
    """The games of a batch, and what is legal in them; the arrays are those of `engine.batch`."""

    rules: RuleSet
    compiled: np.ndarray
    games: np.ndarray
    words: np.ndarray
    masks: np.ndarray


class Answers(NamedTuple):
    """What an agent answered for k decisions.

    Attributes:
        actions: int64, shape ``(k,)``; whether they are legal is not checked.
        seconds: float64, shape ``(k,)``: how long it thought.
        failures: Index of the decision → what the agent raised instead of an answer.
    """

    actions: np.ndarray
    seconds: np.ndarray
    failures: dict[int, str]


class Player(Protocol):
    """One agent in all the games of a batch."""

    def ask(self, tables: Tables, rows: np.ndarray, seats: np.ndarray) -> Answers:
        """Have the agent decide in k games.

        Args:
            tables: All the games.
            rows: int64, those in which it is to move.
            seats: int64, where it sits in them.
        """
        ...


def make_player(source: str | Agent, label: str, rules: RuleSet, num_players: int) -> Player:
    """The player for an agent; what it does by chance follows from the label, the seed of the game and the seat."""
    agent = seat_agent(source, rules, num_players)
    key = int.from_bytes(sha256(label.encode()).digest()[:8], "big") >> 1
    return _Compiled(agent, key) if isinstance(agent, CompiledAgent) else _Python(agent, key)


class _Compiled:
    """A compiled agent: one call of the engine decides everywhere."""

    def __init__(self, agent: CompiledAgent, key: int) -> None:
        self._agent, self._key = agent, key
        self._views = new_games(1)
        self._streams = np.zeros((0, 0, 4), np.int64)

    def ask(self, tables: Tables, rows: np.ndarray, seats: np.ndarray) -> Answers:
        if len(self._streams) == 0:
            self._begin(tables)
        actions = np.zeros(len(rows), np.int64)
        fresh = ~self._streams[rows, seats].any(axis=1)
        for row, seat in zip(rows[fresh].tolist(), seats[fresh].tolist(), strict=True):
            stream = self._streams[row, seat]
            seed_stream(stream, seat_seed(int(tables.games["seed"][row]) ^ self._key, seat, stream))
        self._here[rows] = self._streams[rows, seats]
        begin = perf_counter()
        self._choose(tables, rows, actions)
        seconds = perf_counter() - begin
        self._streams[rows, seats] = self._here[rows]
        return Answers(actions, np.full(len(rows), seconds / len(rows)), {})

    def _begin(self, tables: Tables) -> None:
        count, seats = len(tables.games), int(tables.compiled["num_players"][0])
        self._streams = np.zeros((count, seats, 4), np.int64)
        self._here = np.zeros((count, 4), np.int64)
        nothing = np.zeros(0, np.int64)
        self._choose(tables, nothing, nothing)  # so that compiling is no thought of the agent

    def _choose(self, tables: Tables, rows: np.ndarray, actions: np.ndarray) -> None:
        agent = self._agent
        choose_rows(
            *(agent.policy.handle, agent.parameters, tables.compiled, tables.games, rows, tables.words),
            *(self._here, self._views, actions),
        )


class _Python:
    """An agent written in Python.

    With `reset` it plays each game and seat with a copy of its own, made for its first decision there.
    """

    def __init__(self, agent: Agent, key: int) -> None:
        self._agent, self._key = agent, key
        self._copies: dict[tuple[int, int], Agent] | None = {} if hasattr(agent, "reset") else None
        self._stream = np.zeros(4, np.int64)

    def ask(self, tables: Tables, rows: np.ndarray, seats: np.ndarray) -> Answers:
        num_players = int(tables.compiled["num_players"][0])
        kind = getattr(self._agent, "observation", PLAIN)
        compiled = compile_rules(tables.rules, num_players, kind)
        size = ObservationLayout.for_table(tables.rules, num_players, kind).size
        observations = np.zeros((len(rows), size), np.int8)
        masks = np.zeros((len(rows), tables.masks.shape[1]), np.int8)
        view_turns(compiled, tables.games, rows, tables.words, masks, observations)
        answers = Answers(np.zeros(len(rows), np.int64), np.zeros(len(rows)), {})
        if self._copies is None and hasattr(self._agent, "act_batch"):
            begin = perf_counter()
            try:
                answers.actions[:] = choose_actions([self._agent] * len(rows), observations, masks, ())
            except Exception:
                pass  # asked game by game below, it is seen where it fails
            else:
                answers.seconds[:] = (perf_counter() - begin) / len(rows)
                return answers
        for k, (row, seat) in enumerate(zip(rows.tolist(), seats.tolist(), strict=True)):
            view = View(tables.rules, tables.compiled, tables.games, row, seat)
            info = {"rules": tables.rules, "num_players": num_players, "seat": seat, "view": view}
            if kind != PLAIN:
                info["observation"] = kind
            one = slice(k, k + 1)
            begin = perf_counter()
            try:
                agent = self._agent_at(row, seat, int(tables.games["seed"][row]))
                answers.actions[k] = choose_actions([agent], observations[one], masks[one], [info])[0]
            except Exception as error:
                answers.failures[k] = f"{type(error).__name__}: {error}"
            answers.seconds[k] = perf_counter() - begin
        return answers

    def _agent_at(self, row: int, seat: int, seed: int) -> Agent:
        if self._copies is None:
            return self._agent
        if (row, seat) not in self._copies:
            copy: Any = deepcopy(self._agent)
            copy.reset(seat_seed(seed ^ self._key, seat, self._stream))
            self._copies[row, seat] = copy
        return self._copies[row, seat]
