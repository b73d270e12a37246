"""Greedy: takes and melds whatever it can, and throws the dearest card that goes with no other."""

from baselines.hand import completes_meld, dearest, nearest_take, run_mates, set_mates
from rummy_env.agents import CompiledAgent
from rummy_env.engine.bits import lowest_bit
from rummy_env.engine.candidates import before_contract, contract_left
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import JOKER, JOKER_BIT, table_ends
from rummy_env.engine.policies import Policy
from rummy_env.engine.state import (
    BLOCK_DECLARE,
    BLOCK_DISCARD,
    BLOCK_DRAW_STOCK,
    BLOCK_MELD_RUN,
    BLOCK_TAKE,
    BLOCK_TAKE_TOP,
    PHASE_DRAW,
)


@kernel
def _is_of_use(rules, games, i, face):
    """Whether the top discard can be melded now, or completes a meld of the contract."""
    g = games[i]
    if before_contract(rules, games, i):
        sets, runs = contract_left(rules, games, i)
        if face == JOKER:
            return True
        return completes_meld(rules, int(g.held[g.player, 0]), face, sets > 0, runs > 0)
    low, high, sets = table_ends(rules, games, i, face == JOKER, False)
    fits = low | high | sets
    if face == JOKER:
        return fits != 0
    if (fits >> face) & 1:
        return True
    return rules[0].extra_melds and completes_meld(rules, int(g.held[g.player, 0]), face, True, True)


@kernel
def _draw(rules, games, i, words, row):
    r, g = rules[0], games[i]
    if words[row, BLOCK_TAKE]:
        return int(r.action_base[BLOCK_TAKE]) + nearest_take(games, i, words[row, BLOCK_TAKE])
    if words[row, BLOCK_TAKE_TOP] and (
        not words[row, BLOCK_DRAW_STOCK] or _is_of_use(rules, games, i, int(g.pile[g.pile_size - 1]))
    ):
        return int(r.action_base[BLOCK_TAKE_TOP])
    return int(r.action_base[BLOCK_DRAW_STOCK])


@kernel
def throw_dearest(rules, games, i, discards):
    """Face to discard out of a mask: the dearest natural without mates, else the dearest natural, else a joker."""
    g = games[i]
    cards = int(g.held[g.player, 0])
    mates = 0
    if before_contract(rules, games, i):
        sets, runs = contract_left(rules, games, i)
        mates = (set_mates(cards) if sets > 0 else 0) | (run_mates(rules, cards) if runs > 0 else 0)
    elif rules[0].extra_melds:
        mates = set_mates(cards) | run_mates(rules, cards)
    naturals = discards & ~JOKER_BIT
    if naturals & ~mates:
        return dearest(rules, naturals & ~mates)
    return dearest(rules, naturals if naturals else discards)


@kernel
def act(rules, games, i, words, row, parameters, stream):
    """The policy; it has no parameters and nothing random."""
    if games[i].phase == PHASE_DRAW:
        return _draw(rules, games, i, words, row)
    for block in range(BLOCK_MELD_RUN, BLOCK_DISCARD):
        if words[row, block]:
            return int(rules[0].action_base[block]) + lowest_bit(words[row, block])
    if words[row, BLOCK_DECLARE]:
        return int(rules[0].action_base[BLOCK_DECLARE]) + lowest_bit(words[row, BLOCK_DECLARE])
    return int(rules[0].action_base[BLOCK_DISCARD]) + throw_dearest(rules, games, i, words[row, BLOCK_DISCARD])


GREEDY = Policy(act)


class Greedy(CompiledAgent):
    """The player; see the module."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(GREEDY, seed=seed)
