"""Trained policies as agents: a network in plain NumPy, and the file that it is kept in.

The file is a NumPy archive of weights with a description: the rules and the table that the policy was trained for, the
kind of observation, and every block of observation and actions with its shape and meaning. A policy plays at any table
that has these blocks, also among others; where one is missing or means something else it refuses by name.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any
from zipfile import BadZipFile

import numpy as np

from rummy_env.actions import ActionLayout
from rummy_env.engine.blocks import action_blocks
from rummy_env.errors import ArgumentError, MissingExtraError
from rummy_env.observation import Block, ObservationLayout
from rummy_env.rules import RuleSet
from rummy_env.version import __version__

SUFFIXES = (".npz", ".pt", ".zip")
"""How the names of the files end that `load_policy` reads."""
FORMAT = "rummy-env-policy/1"
"""Tag of the file; changes when a reader of this version could not read a newer file."""
DISCARD_PLANES = ("discard_distance", "discard_deadwood", "discard_outs")
TAKE_ENTRIES = ("take_distance", "take_deadwood", "take_outs")
"""Blocks whose entries lead past the hidden layers: to the logit of discarding that card, of taking the top discard."""


@dataclass(frozen=True)
class PolicyTable:
    """What a policy was trained for.

    Attributes:
        rules: The rules, with what the training made of them.
        num_players: Seats.
        observation: Kind of observation.
    """

    rules: RuleSet
    num_players: int
    observation: str

    @property
    def observed(self) -> ObservationLayout:
        """Layout of its observations."""
        return ObservationLayout.for_table(self.rules, self.num_players, self.observation)

    @property
    def actions(self) -> ActionLayout:
        """Layout of its actions."""
        return ActionLayout.for_rules(self.rules, self.num_players)

    def describe(self) -> dict[str, Any]:
        """The table as plain JSON, with the blocks by which another one is compared."""
        return {
            "format": FORMAT,
            "version": __version__,
            "rules": self.rules.to_dict(),
            "num_players": self.num_players,
            "observation": self.observation,
            "observation_blocks": [[name, list(shape), says] for name, _, shape, says in self.observed.blocks],
            "action_blocks": _actions_of(self.rules, self.num_players),
        }


def _actions_of(rules: RuleSet, num_players: int) -> list[list[Any]]:
    return [[block.name, block.size, block.meaning] for block in action_blocks(rules, rules.table(num_players))]


def skipping_blocks(layout: ObservationLayout) -> tuple[list[Block], list[Block]]:
    """The blocks of a layout that are `DISCARD_PLANES` and those that are `TAKE_ENTRIES`, in order."""
    return (
        [block for block in layout.blocks if block.name in DISCARD_PLANES],
        [block for block in layout.blocks if block.name in TAKE_ENTRIES],
    )


class PolicyAgent:
    """A trained network that plays its most probable legal action; it decides for many games in one call.

    Args:
        weights: By name, float arrays: ``trunk.0.weight`` of shape ``(out, in)``, ``trunk.0.bias``, … the hidden
            layers, ``policy`` after them, and ``skip``, whose outputs weigh the entries that lead past them.
        description: What `PolicyTable.describe` gives, and whatever else is to be kept.

    Attributes:
        observation: Kind of observation that it plays on.
        description: As given.

    Raises:
        ArgumentError: The description is of another format.
    """

    def __init__(self, weights: Mapping[str, np.ndarray], description: Mapping[str, Any]) -> None:
        if description.get("format") != FORMAT:
            raise ArgumentError(f"the policy has format {description.get('format')!r}: this version reads {FORMAT!r}")
        self.description = dict(description)
        self.observation = str(description["observation"])
        self._weights = {name: np.ascontiguousarray(array, np.float32) for name, array in weights.items()}
        self._depth = sum(name.startswith("trunk.") and name.endswith(".weight") for name in self._weights)
        sizes = [int(np.prod(shape)) for _, shape, _ in description["observation_blocks"]]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        places = {block[0]: start for block, start in zip(description["observation_blocks"], starts, strict=False)}
        shapes = {name: shape for name, shape, _ in description["observation_blocks"]}
        self._planes = [(int(places[name]), shapes[name]) for name in DISCARD_PLANES if name in places]
        self._entries = [(int(places[name]), shapes[name][0]) for name in TAKE_ENTRIES if name in places]
        offsets = np.cumsum([0] + [size for _, size, _ in description["action_blocks"]]).tolist()
        self._offsets = {block[0]: at for block, at in zip(description["action_blocks"], offsets, strict=False)}
        self._table: tuple[RuleSet, int] | None = None
        self._columns: np.ndarray | None = None
        self._given = int(starts[-1])

    def __repr__(self) -> str:
        return f"PolicyAgent({self.description['rules'].get('name')}, {self.description['num_players']} players)"

    def prepare(self, rules: RuleSet, num_players: int) -> None:
        """Get ready for a table.

        Raises:
            ArgumentError: The table lacks a block that the policy was trained with, or it is another one; names it.
        """
        if self._table is not None and self._table[0] is rules and self._table[1] == num_players:
            return
        layout = ObservationLayout.for_table(rules, num_players, self.observation)
        here = {block.name: block for block in layout.blocks}
        columns = []
        for name, shape, meaning in self.description["observation_blocks"]:
            block = here.get(name)
            found = "there is none" if block is None else f"{block.shape}: {block.meaning}"
            if block is None or list(block.shape) != list(shape) or block.meaning != meaning:
                self._refuse(rules, num_players, f"observation block {name!r}", f"{tuple(shape)}: {meaning}", found)
            else:
                columns.append(np.arange(block.offset, block.offset + block.size))
        trained, actions = self.description["action_blocks"], _actions_of(rules, num_players)
        if trained != actions:
            names = [[block[0] for block in blocks] for blocks in (trained, actions)]
            self._refuse(rules, num_players, "the actions", *(", ".join(each) for each in names))
        self._table, self._given = (rules, num_players), layout.size
        kept = np.concatenate(columns)
        self._columns = None if np.array_equal(kept, np.arange(layout.size)) else kept

    def _refuse(self, rules: RuleSet, num_players: int, what: str, trained: str, found: str) -> None:
        told = self.description
        raise ArgumentError(
            f"{self!r} of version {told['version']} cannot play {rules.name} with {num_players} players in version "
            f"{__version__}: {what}: in training {trained!r}, here {found!r}"
        )

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: Mapping[str, Any]) -> int:
        """The most probable legal action; `ArgumentError` at a table that it was not trained for."""
        if "rules" in info:
            self.prepare(info["rules"], info["num_players"])
        return int(self.act_batch(observation[None], action_mask[None])[0])

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """The most probable legal action of each of k rows, int64.

        Raises:
            ArgumentError: The observations are of another size than those of the table prepared for.
        """
        if observations.shape[1] != self._given:
            raise ArgumentError(
                f"{self!r} expects observations of {self._given} entries (observation={self.observation!r}), "
                f"not of {observations.shape[1]}; prepare(rules, num_players) for another table"
            )
        return np.where(action_masks == 1, self.logits(self._seen(observations)), -np.inf).argmax(axis=1)

    def _seen(self, observations: np.ndarray) -> np.ndarray:
        """Observations of the table prepared for in the layout trained with."""
        return observations if self._columns is None else observations[:, self._columns]

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """Logits of all actions: float32, shape ``(k, num_actions)``, for observations of the layout trained with."""
        weights = self._weights
        inputs = observations.astype(np.float32)
        hidden = inputs
        for layer in range(self._depth):
            hidden = hidden @ weights[f"trunk.{layer}.weight"].T + weights[f"trunk.{layer}.bias"]
            np.maximum(hidden, 0, out=hidden)
        logits: np.ndarray = hidden @ weights["policy.weight"].T + weights["policy.bias"]
        if "skip.weight" not in weights:
            return logits
        shares, used = hidden @ weights["skip.weight"].T + weights["skip.bias"], 0
        for start, shape in self._planes:
            faces, planes = shape[-1], int(np.prod(shape[:-1]))
            block = inputs[:, start : start + planes * faces].reshape(-1, planes, faces)
            first = self._offsets["discard"]
            logits[:, first : first + faces] += (shares[:, None, used : used + planes] @ block)[:, 0]
            used += planes
        for start, size in self._entries:
            entries = inputs[:, start : start + size]
            logits[:, self._offsets["take_top"]] += (shares[:, used : used + size] * entries).sum(axis=1)
            used += size
        return logits

    def save(self, path: str | Path) -> None:
        """Write the weights, in half precision, and the description to an ``.npz`` file."""
        arrays: dict[str, Any] = {name: array.astype(np.float16) for name, array in self._weights.items()}
        with open(path, "wb") as file:
            np.savez_compressed(file, description=np.array(json.dumps(self.description)), **arrays)


def load_policy(path: str | Path) -> Any:
    """The agent of a file: ``.npz`` (a `PolicyAgent`), ``.pt`` (a checkpoint of `training`), ``.zip`` (MaskablePPO).

    Raises:
        ArgumentError: There is no such file, it is no policy, or it is one of another version.
        MissingExtraError: The file needs a library that is not installed.
    """
    file = Path(path)
    if not file.is_file():
        raise ArgumentError(f"policy {str(path)!r}: there is no such file")
    if file.suffix == ".zip":
        from rummy_env.integrations.sb3_agent import MaskablePPOAgent

        return MaskablePPOAgent(file)
    try:
        weights, description = _read_archive(file) if file.suffix == ".npz" else _read_checkpoint(file)
        return PolicyAgent(weights, description)
    except (KeyError, ValueError, OSError, EOFError, RuntimeError, BadZipFile, UnpicklingError) as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(f"policy {str(path)!r} cannot be read: {error}") from error


def _read_archive(file: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    with file.open("rb") as opened, np.load(opened, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    return arrays, json.loads(str(arrays.pop("description")))


def _read_checkpoint(file: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError(f"{file} needs PyTorch ({error}): pip install 'rummy-env[train]'") from error
    checkpoint = torch.load(file, map_location="cpu", weights_only=True)
    weights = {name: tensor.float().numpy() for name, tensor in checkpoint["policy"].items()}
    return weights, checkpoint["description"]
