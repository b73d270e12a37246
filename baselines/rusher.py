"""Rusher, an exploit probe: plans like the planner, but for the quickest way down alone, whatever its cards cost."""

from baselines.planner import PLANNER, WEIGHTS
from rummy_env.agents import CompiledAgent

_HASTE = dict.fromkeys(WEIGHTS, 0.0) | {"distance": 100.0, "outs": 50.0, "chain": 10.0, "deep": 100.0, "spare": 100.0}


class Rusher(CompiledAgent):
    """The player; see the module.

    Args:
        seed: Seed of the agent; it does nothing at random.
    """

    def __init__(self, seed: int = 0) -> None:
        super().__init__(PLANNER, 2 * list(_HASTE.values()), seed)
