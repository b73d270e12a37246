"""The symmetry of the suits: what an observation and an action become when the suits are renamed."""

from itertools import permutations

import numpy as np
import torch
from torch import Tensor

from rummy_env.policy import PolicyTable


def suit_renamings(table: PolicyTable) -> list[tuple[Tensor, Tensor]]:
    """For every renaming of the suits: where each entry of the observation, and each action, takes its value from."""
    shapes = [(block.offset, block.size, block.shape[-1]) for block in table.observed.blocks]
    blocks = [(offset, size, size) for offset, size in table.actions.blocks.values()]
    renamings = []
    for suits in permutations(range(4)):
        faces = np.concatenate([np.arange(13 * suit, 13 * suit + 13) for suit in suits])
        pair = []
        for places in (shapes, blocks):
            source = np.arange(sum(size for _, size, _ in places))
            for offset, size, last in places:
                if last in (52, 53):
                    card = np.concatenate([faces, np.arange(52, last)])
                    source[offset : offset + size] = (offset + np.arange(0, size, last)[:, None] + card).ravel()
            pair.append(torch.from_numpy(source))
        renamings.append((pair[0], pair[1]))
    return renamings
