"""The batched face: many games of `SeatEnv` in one call of the engine, as a Gymnasium `VectorEnv`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from rummy_env.envs.arguments import Deals, check_choice, check_count, check_render_mode
from rummy_env.envs.seat_games import SeatGames
from rummy_env.envs.single import VIEWERS, SeatEnv
from rummy_env.envs.spaces import ActionSpace
from rummy_env.errors import ArgumentError, IllegalActionError, ResetNeededError
from rummy_env.game import check_seed
from rummy_env.render.modes import Renderer
from rummy_env.rules import RuleSet

MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
RENDER_MODES = ("ansi", "rgb_array")


class SeatVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """`num_envs` games as `SeatEnv` plays them; ``gymnasium.make_vec("rummy/ContractRummy-v0", num_envs=64)``.

    Equal bit for bit to ``SyncVectorEnv`` over `SeatEnv` with the same seeds and actions: game i has the seed
    ``seed + i``, rewards are float64, ``info["action_mask"]`` is int8 of shape ``(num_envs, n)``, and the entries that
    only some games have are accompanied by a mask, ``"_deals"`` beside ``"deals"``.

    Opponents with a compiled policy (`rummy_env.engine.policies`) play inside the engine. Agents written in Python are
    asked at every decision of theirs, in one call for all games if they have `act_batch`.

    Args:
        num_envs: Number of games.
        variant: Preset of the environment, ``"contract_rummy"`` or ``"basic_rummy"``.
        render_mode: ``"ansi"``: `render` returns a text per game; ``"rgb_array"``: a picture per game.
        viewer: As for `SeatEnv`.
        autoreset_mode: ``AutoresetMode.NEXT_STEP``: the step after the end of an episode ignores the action and starts
            the next one. ``SAME_STEP``: the step that ends it does; its last observation and information are
            ``info["final_obs"]`` and ``info["final_info"]``.
        num_threads: Threads that share the games; results don't depend on it.
        copy: True: every array handed out is fresh. False: observations and ``info["action_mask"]`` are the buffers
            of the environment, overwritten by the next call; they are not to be written to.
        **arguments: The other arguments of `SeatEnv`.

    Raises:
        ArgumentError: An argument is none of its choices.
        RulesError: The rules, the deals or the number of players don't fit together.
    """

    def __init__(
        self,
        num_envs: int = 1,
        variant: str = "contract_rummy",
        render_mode: str | None = None,
        viewer: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        num_threads: int = 1,
        copy: bool = True,
        **arguments: Any,
    ) -> None:
        self.num_envs = check_count("num_envs", num_envs)
        self.render_mode = check_render_mode(render_mode, (None, *RENDER_MODES))
        self.viewer = check_choice("viewer", viewer, VIEWERS)
        self._renderer = Renderer(variant)
        self.autoreset_mode = _check_mode(autoreset_mode)
        self.metadata = {
            **SeatEnv.metadata,
            "render_modes": list(RENDER_MODES),
            "autoreset_mode": self.autoreset_mode,
        }
        self.copy = copy
        self._table = SeatGames(self.num_envs, variant, num_threads=num_threads, **arguments)
        self._rows = np.arange(self.num_envs)
        self._generators: list[np.random.Generator] | None = None
        self.single_observation_space = Box(0, 1, (self._table.observations.shape[1],), np.int8)
        self.single_action_space = ActionSpace(self._table.masks.shape[1])
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    @property
    def rules(self) -> RuleSet:
        """The rules in force, with what `episode` and `deals` make of them."""
        return self._table.rules

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start an episode in every game.

        Args:
            seed: Game i gets ``seed + i``, or entry i of a sequence; None goes on from the last episodes.
            options: As in `SeatEnv.reset`, for every game.

        Raises:
            ArgumentError: The sequence of seeds is not one for each game.
            SeedError: A seed is no whole number from 0 to 2**63 - 1.
            PositionError: ``options["position"]`` is impossible here, or leaves a learner nothing to decide.
        """
        seeds = self._seeds(seed)
        known: Sequence[np.random.Generator | None] = self._generators or [None] * self.num_envs
        self._generators = [
            generator if generator is not None and one is None else np_random(one)[0]
            for generator, one in zip(known, seeds, strict=True)
        ]
        self._table.start(self._rows, self._generators, seeds, (options or {}).get("position"))
        return self._observations(), self._infos({}, self._rows)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, str) or not isinstance(seed, Sequence | np.ndarray):
            first = check_seed(seed)
            return [check_seed(first + i) for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ArgumentError(f"seed has {len(seed)} entries: expected one for each of {self.num_envs} games")
        return [None if one is None else check_seed(one) for one in seed]

    def step(
        self, actions: np.ndarray | Sequence[int]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take a decision in every game.

        Args:
            actions: Whole numbers, shape ``(num_envs,)``; ignored where the next episode starts (`NEXT_STEP`).

        Returns:
            Observations (int8, ``(num_envs, size)``), rewards (float64), terminated and truncated (bool, the latter
            all False), information in Gymnasium's vector form.

        Raises:
            IllegalActionError: Wrong shape or type, an action outside the action space or, with
                ``illegal_action="raise"``, the mask; no game has changed.
            ResetNeededError: There was no `reset` yet.
        """
        over = self._need_start().over
        live, ended = np.flatnonzero(~over), np.flatnonzero(over)
        chosen = self._checked(actions, live)
        self._table.play(live, chosen)
        rewards = np.zeros(self.num_envs)
        rewards[live] = self._table.take_rewards(live)
        infos: dict[str, Any] = {}
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            terminated = self._table.over & ~over
        else:
            terminated = self._table.over
            ended = np.flatnonzero(terminated)
            for row in ended.tolist():
                final = {"action_mask": self._table.masks[row].copy(), **self._table.take_news(row)}
                last = {"final_obs": self._table.observations[row].copy(), "final_info": final}
                infos = self._add_info(infos, last, row)
        self._restart(ended)
        return self._observations(), rewards, terminated, np.zeros(self.num_envs, np.bool_), self._infos(infos, ended)

    def set_deals(self, deals: Deals) -> None:
        """As `SeatEnv.set_deals`, for every game."""
        self._table.set_deals(deals)

    def _checked(self, actions: Any, live: np.ndarray) -> np.ndarray:
        array = np.asarray(actions)
        if array.shape != (self.num_envs,) or array.dtype.kind not in "iu":
            raise IllegalActionError(
                f"actions are {array.dtype} of shape {array.shape}: expected whole numbers of shape ({self.num_envs},)"
            )
        num_actions = self._table.masks.shape[1]
        chosen = array[live].astype(np.int64)
        outside = np.flatnonzero((chosen < 0) | (chosen >= num_actions))
        if len(outside):
            raise IllegalActionError(
                f"action {chosen[outside[0]]} of game {live[outside[0]]} is out of range: "
                f"expected 0 … {num_actions - 1}"
            )
        return chosen

    def _restart(self, rows: np.ndarray) -> None:
        if len(rows):
            assert self._generators is not None
            self._table.start(rows, [self._generators[row] for row in rows.tolist()])

    def _observations(self) -> np.ndarray:
        return self._table.observations.copy() if self.copy else self._table.observations

    def _infos(self, infos: dict[str, Any], started: np.ndarray) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, np.bool_)
        infos["action_mask"] = self._table.masks.copy() if self.copy else self._table.masks
        infos["_action_mask"] = everywhere
        for row in started.tolist():
            infos = self._add_info(infos, {"seat": self._table.seat(row)}, row)
        for row in self._table.events():
            infos = self._add_info(infos, self._table.take_news(row), row)
        return infos

    def _need_start(self) -> SeatGames:
        if self._generators is None:
            raise ResetNeededError("there are no games before the first reset(): call reset() on the environment")
        return self._table

    def action_masks(self) -> np.ndarray:
        """The legal actions: bool, shape ``(num_envs, n)``, a fresh array."""
        return self._need_start().masks.astype(np.bool_)

    def potentials(self) -> np.ndarray:
        """`SeatEnv.potential` of every game: float64, shape ``(num_envs,)``."""
        return self._need_start().potentials()

    def render(self) -> tuple[Any, ...] | None:
        """A text or a picture per game, as `render_mode` says.

        Raises:
            MissingExtraError: The mode needs pygame, which is not installed.
        """
        if self.render_mode is None:
            return None
        table = self._need_start()
        return tuple(
            self._renderer.render(
                self.render_mode, table.game(row), table.seat(row) if self.viewer else None, table.moves(row)
            )
            for row in range(self.num_envs)
        )

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self._table.close()


def _check_mode(mode: AutoresetMode | str) -> AutoresetMode:
    for known in MODES:
        if mode in (known, known.value):
            return known
    names = " or ".join(repr(known.value) for known in MODES)
    raise ArgumentError(f"autoreset_mode={mode!r} is not known: choose {names}")
