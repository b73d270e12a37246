"""Players with weights: what each weight means and may be, and the tuned values, which the folder `weights` holds."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

from rummy_env.agents import CompiledAgent
from rummy_env.engine.policies import Policy

GROUPS = ("contracts", "free")
"""Games with contracts, and without: each has a set of weights."""


class Weight(NamedTuple):
    """Meaning of a weight, and the bounds between which it is looked for."""

    meaning: str
    low: float
    high: float


class WeightedAgent(CompiledAgent):
    """A compiled player whose parameters are its weights for games with contracts, then those for games without.

    Args:
        policy: The kernel.
        name: Name of the player, and of its file of tuned weights.
        weights: Its weights by name, in the order of the kernel.
        given: Weights that are not to be the tuned ones; they hold for both kinds of games.
        seed: Seed of the agent.

    Raises:
        TypeError: `given` has a weight that the player has not, or one that is no number.
    """

    def __init__(
        self, policy: Policy, name: str, weights: Mapping[str, Weight], given: Mapping[str, Any], seed: int
    ) -> None:
        for key, value in given.items():
            if key not in weights:
                raise TypeError(f"{name} has no weight {key!r}: expected {', '.join(weights)}, or seed")
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TypeError(f"weight {key} of {name} is {value!r}: expected a number")
        tuned = tuned_weights(name)
        super().__init__(
            policy, [float(given.get(key, tuned[group][key])) for group in GROUPS for key in weights], seed
        )


@cache
def tuned_weights(name: str) -> dict[str, dict[str, float]]:
    """Tuned weights of a player by kind of game and name."""
    stored = yaml.safe_load(files(__package__).joinpath("weights", f"{name}.yaml").read_text("utf-8"))
    return {group: stored[group]["weights"] for group in GROUPS}
