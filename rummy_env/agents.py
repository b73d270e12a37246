"""Players: the protocol they follow, and finding one by name.

A name is that of a built-in agent or of an entry point in the group ``rummy_env.agents``, whose object is called with
the parameters: ``"name"`` or ``"name:key=value,key=value"``. The path of a trained policy (see `rummy_env.policy`) is a
name, too.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from importlib.metadata import entry_points
from typing import Any, Protocol, runtime_checkable

import numpy as np
import yaml

from rummy_env.engine.batch import seed_stream
from rummy_env.engine.blocks import PLAIN
from rummy_env.engine.policies import RANDOM, Policy
from rummy_env.engine.shuffle import random_below
from rummy_env.errors import ArgumentError
from rummy_env.game import Game, check_seed
from rummy_env.observation import ObservationLayout
from rummy_env.options import suggestion
from rummy_env.policy import SUFFIXES, load_policy
from rummy_env.rules import RuleSet

ENTRY_POINTS = "rummy_env.agents"


@runtime_checkable
class Agent(Protocol):
    """Whatever chooses an action from what its seat may see.

    More is used where an agent has it:

    - ``reset(seed: int) -> None`` before each game. An agent with `reset` keeps what belongs to a game, so every game
      and seat plays with a deep copy of its own; an agent without is shared by all of them as it is.
    - ``act_batch(observations, action_masks) -> actions`` for a shared agent: int8 arrays of shapes ``(k, size)`` and
      ``(k, num_actions)``, one row per game, to k actions.
    - ``prepare(rules: RuleSet, num_players: int) -> None`` before it plays at a table, with an
      `ArgumentError` if it can't.
    - ``observation``, ``"plain"`` or ``"planning"``: the kind of observation that it is to be given. Without it that is
      the kind of the environment, in the arena ``"plain"``.
    """

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: Mapping[str, Any]) -> int:
        """Choose an action.

        Args:
            observation: int8, shape ``(size,)``; `ObservationLayout` names its parts.
            action_mask: int8, shape ``(num_actions,)``; 1 for the legal actions, of which there is at least one.
            info: ``"rules"`` (`RuleSet`), ``"num_players"``, ``"seat"``, the agent's own, ``"view"``, the `View` of
                that seat as `Game.view` gives it, and ``"observation"``, the kind of `observation`, unless ``"plain"``.

        Returns:
            Id of a legal action.
        """
        ...


class CompiledAgent:
    """An agent whose decisions are a kernel: the batch engine calls it without leaving machine code.

    Args:
        policy: The kernel.
        parameters: Numbers that the policy takes, in its order.
        seed: everything random follows from it, until `reset` sets another.

    Attributes:
        policy: The `Policy`.
        parameters: float64, shape ``(P,)``.
    """

    def __init__(self, policy: Policy, parameters: Iterable[float] = (), seed: int = 0) -> None:
        self.policy = policy
        self.parameters = np.array(list(parameters), np.float64)
        self._stream = np.zeros(4, np.int64)
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Go on as an agent made with this seed."""
        seed_stream(self._stream, check_seed(seed))

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: Mapping[str, Any]) -> int:
        """The action that the kernel chooses on ``info["view"]``; the other arguments are not looked at.

        Raises:
            ArgumentError: There is no view.
        """
        view = info.get("view")
        if view is None:
            raise ArgumentError(f"{self!r} needs info['view']: hand in what Game.view(seat) gives")
        return int(self.policy.kernel(view.compiled, view.state, 0, view.words, 0, self.parameters, self._stream))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{number:g}' for number in self.parameters)})"


class RandomAgent(CompiledAgent):
    """Plays uniformly among the legal actions; needs no view of the game, only the mask.

    Args:
        seed: everything random follows from it, until `reset` sets another.
    """

    def __init__(self, seed: int = 0) -> None:
        super().__init__(RANDOM, seed=seed)

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: Mapping[str, Any]) -> int:
        """A legal action, all equally likely."""
        legal = action_mask.nonzero()[0]
        return int(legal[random_below(self._stream, len(legal))])


BUILT_IN: dict[str, Callable[..., Agent]] = {"random": RandomAgent}
"""Name → what makes the agent."""


def agent_names() -> list[str]:
    """Every name that `load_agent` knows, sorted."""
    return sorted({*BUILT_IN, *_entry_points()})


@cache
def _entry_points() -> dict[str, Any]:
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def load_agent(source: str | Agent) -> Agent:
    """The agent of a name with parameters, freshly made; an agent is handed back as it is.

    Raises:
        ArgumentError: There is no agent of that name, it takes no such parameters, or the object can't act.
    """
    if isinstance(source, str):
        name, parameters = split_name(source)
        try:
            agent = _maker(name)(**parameters)
        except TypeError as error:
            raise ArgumentError(f"agent {source!r} cannot be made: {error}") from error
    else:
        agent = source
    if isinstance(agent, type) or not callable(getattr(agent, "act", None)):
        raise ArgumentError(
            f"{agent!r} is no agent: expected an object with act(observation, action_mask, info), "
            f"or one of the names {', '.join(agent_names())}"
        )
    return agent


def _maker(name: str) -> Callable[..., Agent]:
    if name.endswith(SUFFIXES):
        return partial(load_policy, name)
    if name in BUILT_IN:
        return BUILT_IN[name]
    if name in _entry_points():
        maker: Callable[..., Agent] = _entry_points()[name].load()
        return maker
    raise ArgumentError(
        f"agent {name!r} is not known{suggestion(name, agent_names())}: choose {', '.join(agent_names())}, "
        f"the path of a trained policy ({', '.join(SUFFIXES)}), "
        "or hand in an object with act(observation, action_mask, info)"
    )


def seat_agent(source: str | Agent, rules: RuleSet, num_players: int) -> Agent:
    """As `load_agent`, and prepared to play at a table.

    Raises:
        ArgumentError: As `load_agent`, or the agent cannot play at this table.
    """
    agent: Any = load_agent(source)
    if hasattr(agent, "prepare"):
        agent.prepare(rules, num_players)
    return agent


def split_name(text: str) -> tuple[str, dict[str, Any]]:
    """``"name:key=value,key=value"`` as name and parameters, the values read as YAML; `ArgumentError` if malformed.

    The path of a policy may hold a colon, as those of Windows do.
    """
    name, colon, rest = text.partition(":")
    pairs = [pair.partition("=") for pair in rest.split(",")] if colon else []
    if any(not equals or not key.strip() for key, equals, _ in pairs):
        if text.endswith(SUFFIXES):
            return text, {}
        raise ArgumentError(f"agent {text!r} is malformed: expected 'name' or 'name:key=value,key=value'")
    return name.strip(), {key.strip(): yaml.safe_load(value) for key, _, value in pairs}


def decide(agent: Agent, game: Game) -> int:
    """What an agent chooses for the player to move in a game; whether it is legal is not checked.

    It is given the kind of observation that it asks for, else a plain one.
    """
    seat, kind = game.player, getattr(agent, "observation", PLAIN)
    info = {"rules": game.rules, "num_players": game.num_players, "seat": seat, "view": game.view(seat)}
    if kind != PLAIN:
        info["observation"] = kind
    fits = game.observation_layout == ObservationLayout.for_table(game.rules, game.num_players, kind)
    seen = game if fits else Game.from_dict(game.to_dict(), kind)
    return agent.act(seen.observation(seat), game.action_mask(), info)
