"""Whether a turn can be finished: a search through its remaining placements, for the cases no shortcut decides."""

import numpy as np

from rummy_env.engine.bits import lowest_bit
from rummy_env.engine.candidates import before_contract, candidates, finishing_all_at_once
from rummy_env.engine.cover import can_lay_everything
from rummy_env.engine.jit import allocating_kernel, kernel
from rummy_env.engine.moves import hand_played_out, place, take_deep, take_top
from rummy_env.engine.state import (
    BLOCK_DECLARE,
    BLOCK_DISCARD,
    BLOCK_TAKE,
    BLOCK_TAKE_TOP,
    DISCARD_REQUIRED,
    NONE,
    NUM_BLOCKS,
    STATE,
)

_DEPTH = 40
"""More placements and declarations than a hand small enough to need the search allows."""

_NO, _YES, _SEARCH = 0, 1, 2


@kernel
def _verdict(rules, games, i):
    """What is clear about a turn without searching: it can be finished, it cannot, or it must be searched."""
    r, g = rules[0], games[i]
    if g.declared != 0 or g.freed:
        return _SEARCH
    if before_contract(rules, games, i) or finishing_all_at_once(rules, games, i):
        if not r.all_at_once[g.contract] or (g.laying_sets == NONE and g.obliged == NONE):
            return _SEARCH
        return _YES if can_lay_everything(rules, games, i) else _NO
    if hand_played_out(games, i):
        return _NO if r.final_discard == DISCARD_REQUIRED else _YES
    return _SEARCH


@kernel
def _next_candidate(words, row):
    """Remove the first placement of `words[row]`; its block and face, or (NONE, NONE)."""
    for block in range(BLOCK_DECLARE, BLOCK_DISCARD):
        if words[row, block]:
            face = lowest_bit(words[row, block])
            words[row, block] &= words[row, block] - 1
            return block, face
    return NONE, NONE


@allocating_kernel
def _can_finish(rules, turns):
    """Depth-first search from `turns[0]`; the rest of `turns` is scratch."""
    words = np.empty((_DEPTH, NUM_BLOCKS), np.int64)
    level = 0
    entered = True
    while level >= 0:
        if entered:
            verdict = _verdict(rules, turns, level)
            if verdict == _YES:
                return True
            if verdict == _NO:
                level -= 1
                entered = False
                continue
            candidates(rules, turns, level, words, level)
            if words[level, BLOCK_DISCARD]:
                return True
        block, face = _next_candidate(words, level)
        if block == NONE:
            level -= 1
            entered = False
            continue
        turns[level + 1] = turns[level]
        level += 1
        place(rules, turns, level, block, face)
        entered = True
    return False


@allocating_kernel
def can_finish_after(rules, games, i, block, face):
    """Whether the player to move can finish the turn legally after this action (any but a draw from the stock)."""
    turns = np.empty(_DEPTH, STATE)
    turns[0] = games[i]
    if block == BLOCK_TAKE_TOP:
        take_top(turns, 0)
    elif block == BLOCK_TAKE:
        take_deep(turns, 0, face)
    else:
        place(rules, turns, 0, block, face)
    return _can_finish(rules, turns)
