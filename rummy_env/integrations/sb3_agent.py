"""Models of Stable-Baselines3 as agents: MaskablePPO from its ``.zip`` file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rummy_env.actions import ActionLayout
from rummy_env.engine.blocks import OBSERVATIONS, PLAIN
from rummy_env.errors import ArgumentError, MissingExtraError
from rummy_env.observation import ObservationLayout
from rummy_env.rules import RuleSet


class MaskablePPOAgent:
    """A saved MaskablePPO model that plays its most probable legal action, on the CPU.

    A model does not say what it was trained for; that it fits a table is judged by the sizes of its spaces.

    Args:
        path: The file that the model's `save` wrote. It is unpickled: load only files that you trust.

    Attributes:
        observation: Kind of observation, known once it is prepared for a table.

    Raises:
        MissingExtraError: sb3-contrib is not installed.
        ArgumentError: The file is no such model.
    """

    def __init__(self, path: str | Path) -> None:
        try:
            from sb3_contrib import MaskablePPO
        except ImportError as error:
            raise MissingExtraError(f"{path} needs sb3-contrib ({error}): pip install 'rummy-env[train]'") from error
        try:
            self._model: Any = MaskablePPO.load(path, device="cpu")
        except Exception as error:
            raise ArgumentError(f"{str(path)!r} is no model of MaskablePPO: {error}") from error
        self._path = str(path)
        self.observation = PLAIN

    def __repr__(self) -> str:
        return f"MaskablePPOAgent({self._path!r})"

    def prepare(self, rules: RuleSet, num_players: int) -> None:
        """Find the kind of observation that the model takes at a table; `ArgumentError` if there is none."""
        actions = ActionLayout.for_rules(rules, num_players).num_actions
        sizes = {kind: ObservationLayout.for_table(rules, num_players, kind).size for kind in OBSERVATIONS}
        takes, gives = self._model.observation_space.shape, int(self._model.action_space.n)
        fitting = [kind for kind, size in sizes.items() if takes == (size,)]
        if gives != actions or not fitting:
            raise ArgumentError(
                f"{self!r} cannot play {rules.name} with {num_players} players: it takes observations of shape {takes} "
                f"and has {gives} actions; here are {actions} actions and observations of {sizes}"
            )
        self.observation = fitting[0]

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: Mapping[str, Any]) -> int:
        """The most probable legal action."""
        return int(self.act_batch(observation[None], action_mask[None])[0])

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """The most probable legal action of each of k rows."""
        actions: np.ndarray = self._model.predict(observations, action_masks=action_masks, deterministic=True)[0]
        return actions
