"""The PettingZoo (AEC) face of a game: one agent per seat, one step per small choice within a turn.

`RummyEnv` is the base of the versioned environments (`rummy_env.contract_rummy_v0`, `rummy_env.basic_rummy_v0`). It
checks order, bounds and legality itself, so no PettingZoo wrapper has to be stacked on it, and the whole live state
is in plain attributes, so `copy.deepcopy` and `pickle` keep it.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Dict
from pettingzoo import AECEnv  # type: ignore[import-untyped]

from rummy_env.envs.arguments import (
    Deals,
    check_choice,
    check_render_mode,
    episode_rules,
    game_from_position,
    other_deals,
)
from rummy_env.envs.spaces import ActionSpace
from rummy_env.errors import ArgumentError, GameOverError, IllegalActionError, ResetNeededError
from rummy_env.game import DealSummary, Game
from rummy_env.record import append_record
from rummy_env.render.image import MOVES_SHOWN, Move
from rummy_env.render.modes import RENDER_MODES, Renderer
from rummy_env.rules import RuleSet

Observation = dict[str, np.ndarray]

_SINCE_RESET = (
    *("game", "agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos"),
    *("_finished", "_cumulative_rewards", "_mask"),
)


class RummyEnv(AECEnv[str, Observation, int]):  # type: ignore[misc]
    """One game, or one deal, of rummy as a PettingZoo environment.

    Attributes:
        game: The `Game` being played, for everything that the AEC interface has no word for.
        rules: The `RuleSet` in force, with what `episode` and `deals` make of it; no reset changes it.
        num_players: Seats at the table; seat ``i`` is the agent ``"player_i"``.
        state_space: Space of `state`.
    """

    metadata: ClassVar[dict[str, Any]]
    default_rules: ClassVar[str]

    def __init__(
        self,
        num_players: int | None = None,
        rules: str | Path | Mapping[str, Any] | RuleSet | None = None,
        episode: str = "game",
        deals: Deals | None = None,
        reward: str = "score",
        illegal_action: str = "forfeit",
        render_mode: str | None = None,
        observation: str = "plain",
        viewer: int | None = None,
        record: str | Path | None = None,
    ) -> None:
        """See the class docstrings of the versioned environments.

        Raises:
            ArgumentError: `episode`, `reward`, `illegal_action`, `render_mode`, `observation` or `viewer` is not known.
            RulesError: The rules, the deals or the number of players don't fit together, or not this environment.
        """
        super().__init__()
        self.episode = check_choice("episode", episode)
        self.reward = check_choice("reward", reward)
        self.illegal_action = check_choice("illegal_action", illegal_action)
        self.render_mode = check_render_mode(render_mode, (None, *RENDER_MODES))
        self.rules = episode_rules(self.default_rules, rules, deals, episode)

        self.observation = check_choice("observation", observation)

        game = Game(self.rules, num_players, seed=0, observation=observation)
        self.num_players = game.num_players
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._num_actions = game.layout.num_actions
        self.observation_spaces = {
            agent: Dict(
                observation=Box(0, 1, (game.observation_layout.size,), np.int8),
                action_mask=Box(0, 1, (self._num_actions,), np.int8),
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: ActionSpace(self._num_actions) for agent in self.possible_agents}
        self.state_space = Box(0, 1, game.state().shape, np.int8)
        self.viewer = None if viewer is None else check_choice("viewer", viewer, range(game.num_players))
        self.record = record
        self._renderer = Renderer(self.metadata["name"], self.metadata["render_fps"])
        self._moves: deque[Move] = deque(maxlen=MOVES_SHOWN)
        self._next_seed = _seed_after(None)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in _SINCE_RESET:
                raise ResetNeededError(f"{name} has no value before the first reset(): call reset() on the environment")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def observation_space(self, agent: str) -> Dict:
        """Space of the observations of `agent`; the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> ActionSpace:
        """Space of the actions of `agent`; the same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start an episode.

        Args:
            seed: Seed of the game, 0 … 2**63 - 1; the game is that of ``Game(rules, num_players, seed)``. None: a seed
                that follows from the last episode's, or from the operating system's entropy in the first.
            options: Understood keys, all others are ignored: ``"deal"``, the number of a contract: the episode is
                this single deal; ``"position"``, a position in the format of `Game.to_dict`: the episode goes on
                from there, with the random stream of the position or, where that has none, the one of `seed`.

        Raises:
            SeedError: `seed` is no such number.
            RulesError: The rules have no contract ``options["deal"]``.
            PositionError: ``options["position"]`` cannot arise, or is one of other rules or another table.
        """
        seed = self._next_seed if seed is None else seed
        game = self._new_game(seed, options or {})
        self._next_seed = _seed_after(seed)
        self.game = game
        self._start = game.to_dict() if (options or {}).get("position") is not None else None
        self._moves.clear()
        self.agents = self.possible_agents[:]
        self.agent_selection = self.possible_agents[game.player]
        self._skip_agent_selection = None
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._rewarded = False
        self._finished = False
        self.infos: dict[str, dict[str, Any]] = {agent: {"action_mask": self._no_action()} for agent in self.agents}
        self._mask = game.action_mask()
        self.infos[self.agent_selection]["action_mask"] = self._mask.copy()
        if self.render_mode == "human":
            self.render()

    def set_deals(self, deals: Deals) -> None:
        """As `SeatEnv.set_deals`, from the next reset on."""
        self.rules = other_deals(self.rules, deals)

    def _new_game(self, seed: int, options: Mapping[str, Any]) -> Game:
        position, deal = options.get("position"), options.get("deal")
        if deal is not None and position is not None:
            raise ArgumentError("options has both 'deal' and 'position'; a position says itself which deal it is")
        if position is not None:
            return game_from_position(self.rules, self.num_players, seed, position, self.observation)
        rules = self.rules if deal is None else self.rules.replace(game_end="single_deal", deals=(deal,))
        return Game(rules, self.num_players, seed, self.observation)

    def step(self, action: int | None) -> None:
        """Take `action` for the agent in `agent_selection`.

        Args:
            action: Id of a legal action; None, and only None, for an agent that has finished.

        Raises:
            IllegalActionError: The action is outside the action space or, with ``illegal_action="raise"``, against the
                rules; nothing has changed.
            GameOverError: An action for an agent that has finished, or a step after the last agent left.
        """
        agent = self.agent_selection
        if self._finished:
            self._dead_step(action)
            return
        checked = self._checked(action)
        try:
            summary = self.game.apply(checked)
        except IllegalActionError as error:
            if self.illegal_action == "raise":
                raise
            self._forfeit(agent, checked, str(error))
            return
        self._moves.append((self._seats[agent], checked))
        self._begin_rewards(agent)
        self._mask = mask = self.game.action_mask()
        following = self.possible_agents[self.game.player]
        if following == agent:
            self.infos[agent] = {"action_mask": mask.copy()}
        else:
            self.infos[agent] = {"action_mask": self._no_action()}
            self.infos[following]["action_mask"] = mask.copy()
            self.agent_selection = following
        if summary is not None:
            self._end_deal(summary)
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What `agent` may see now, acting or not, at any time from the first reset on.

        Returns:
            Fresh arrays: ``"observation"``, int8 of shape ``(size,)``, and ``"action_mask"``, int8 of shape
            ``(num_actions,)``, all zero unless it is this agent's turn.
        """
        return {
            "observation": self.game.observation(self._seats[agent]),
            "action_mask": self._mask.copy() if agent == self.agent_selection else self._no_action(),
        }

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """For the agent to step: observation, reward since its last step, terminated, truncated, info."""
        self._need_agents()
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def state(self) -> np.ndarray:
        """The omniscient view of the game, int8 of the shape of `state_space`."""
        return self.game.state()

    def decisions(self) -> Iterator[tuple[str, Observation, float, dict[str, Any]]]:
        """Iterate over the live decisions only, as ``(agent, observation, reward, info)``; step once for each.

        `reward` and `info` are those of `last`. The steps of finished agents are left: what each was paid since its
        last decision is found by going on with `agent_iter`, `last` and ``step(None)``.
        """
        while not self._finished:
            observation, reward, _, _, info = self.last()
            assert observation is not None
            yield self.agent_selection, observation, reward, info

    def render(self) -> str | np.ndarray | None:
        """The table: text with ``render_mode="ansi"``, a picture with ``"rgb_array"``; with ``"human"`` in a window.

        Raises:
            MissingExtraError: The mode needs pygame, which is not installed.
        """
        return self._renderer.render(self.render_mode, self.game, self.viewer, list(self._moves))

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def _need_agents(self) -> None:
        if not self.agents:
            raise GameOverError("the episode is over and every agent has left: call reset() for the next one")

    def _checked(self, action: int | None) -> int:
        try:
            checked = index(action)  # type: ignore[arg-type]
        except TypeError:
            raise IllegalActionError(
                f"{action!r} is no action of {self.agent_selection}: expected a number, 0 … {self._num_actions - 1}"
            ) from None
        if not 0 <= checked < self._num_actions:
            raise IllegalActionError(
                f"action {checked} of {self.agent_selection} is out of range: expected 0 … {self._num_actions - 1}"
            )
        return checked

    def _no_action(self) -> np.ndarray:
        return np.zeros(self._num_actions, np.int8)

    def _begin_rewards(self, agent: str) -> None:
        if self._rewarded:
            self._clear_rewards()
            self._rewarded = False
        self._cumulative_rewards[agent] = 0.0

    def _give_rewards(self, rewards: Iterable[float]) -> None:
        self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
        self._accumulate_rewards()
        self._rewarded = True

    def _end_deal(self, summary: DealSummary) -> None:
        for info in self.infos.values():
            info["deal"] = summary.to_dict()
        if self.reward == "score":
            self._give_rewards(self.game.deal_rewards().tolist())
        if self.game.over is not None:
            if self.reward == "win":
                self._give_rewards(_win_rewards(self.game.winners(), self.num_players))
            self._finish()

    def _forfeit(self, agent: str, action: int, reason: str) -> None:
        self._begin_rewards(agent)
        self.infos[agent] = {}
        share = 1 / (self.num_players - 1)
        self._give_rewards(-1.0 if other == agent else share for other in self.possible_agents)
        for info in self.infos.values():
            info["illegal_action"] = {"agent": agent, "action": action, "reason": reason}
        self._finish()

    def _finish(self) -> None:
        self._finished = True
        if self.record is not None:
            append_record(self.record, self.game, self._start)
        self._mask = self._no_action()
        for info in self.infos.values():
            info["action_mask"] = self._no_action()
        self.terminations = dict.fromkeys(self.agents, True)
        self._deads_step_first()

    def _dead_step(self, action: int | None) -> None:
        self._need_agents()
        if action is not None:
            raise GameOverError(f"{self.agent_selection} has finished: its only step left is None, not {action!r}")
        self._was_dead_step(action)


def _seed_after(seed: int | None) -> int:
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] >> np.uint64(1))


def _win_rewards(winners: list[int], num_players: int) -> list[float]:
    losers = num_players - len(winners)
    if not losers:
        return [0.0] * num_players
    return [1 / len(winners) if seat in winners else -1 / losers for seat in range(num_players)]
