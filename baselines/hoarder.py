"""Hoarder, an exploit probe: takes what goes with its cards and keeps it, and lays nothing while it may discard."""

from baselines import greedy
from baselines.hand import run_mates, set_mates
from rummy_env.agents import CompiledAgent
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import JOKER
from rummy_env.engine.policies import Policy
from rummy_env.engine.state import BLOCK_DISCARD, BLOCK_DRAW_STOCK, BLOCK_TAKE_TOP, PHASE_DRAW


@kernel
def _goes_with(rules, cards, face):
    if face == JOKER:
        return True
    together = cards | 1 << face
    return (set_mates(together) | run_mates(rules, together)) >> face & 1 == 1


@kernel
def act(rules, games, i, words, row, parameters, stream):
    """The policy; it has no parameters and nothing random."""
    r, g = rules[0], games[i]
    if g.phase == PHASE_DRAW:
        held = int(g.held[g.player, 0])
        if words[row, BLOCK_TAKE_TOP] and _goes_with(rules, held, int(g.pile[g.pile_size - 1])):
            return int(r.action_base[BLOCK_TAKE_TOP])
        if words[row, BLOCK_DRAW_STOCK]:
            return int(r.action_base[BLOCK_DRAW_STOCK])
    elif words[row, BLOCK_DISCARD] and g.hand_size[g.player] > 1:
        return int(r.action_base[BLOCK_DISCARD]) + greedy.throw_dearest(rules, games, i, words[row, BLOCK_DISCARD])
    return greedy.act(rules, games, i, words, row, parameters, stream)


HOARDER = Policy(act)


class Hoarder(CompiledAgent):
    """The player; see the module.

    Args:
        seed: Seed of the agent; it does nothing at random.
    """

    def __init__(self, seed: int = 0) -> None:
        super().__init__(HOARDER, seed=seed)
