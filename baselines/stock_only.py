"""Stock only, an exploit probe: plays as the greedy player does, but never takes a discard unless it has to."""

from baselines import greedy
from rummy_env.agents import CompiledAgent
from rummy_env.engine.jit import kernel
from rummy_env.engine.policies import Policy
from rummy_env.engine.state import BLOCK_DRAW_STOCK


@kernel
def act(rules, games, i, words, row, parameters, stream):
    """The policy; it has no parameters and nothing random."""
    if words[row, BLOCK_DRAW_STOCK]:
        return int(rules[0].action_base[BLOCK_DRAW_STOCK])
    return greedy.act(rules, games, i, words, row, parameters, stream)


STOCK_ONLY = Policy(act)


class StockOnly(CompiledAgent):
    """The player; see the module.

    Args:
        seed: Seed of the agent; it does nothing at random.
    """

    def __init__(self, seed: int = 0) -> None:
        super().__init__(STOCK_ONLY, seed=seed)
