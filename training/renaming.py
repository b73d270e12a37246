"""The symmetry of the suits: what an observation and an action become when the suits are renamed."""

from itertools import permutations

import numpy as np
import torch
from torch import Tensor

from rummy_env.cards import NUM_FACES
from rummy_env.policy import PolicyTable


def suit_renamings(table: PolicyTable, secrets: int = 0) -> list[tuple[Tensor, Tensor, Tensor]]:
    """For every renaming of the suits: where entries take their values from.

    Args:
        table: Has the layouts.
        secrets: Entries of `SelfPlayVectorEnv.secrets`, or 0.

    Returns:
        Indices into the observation, the actions and the secrets, int64, for each of the 24 renamings.
    """
    shapes = [(block.offset, block.size, block.shape[-1]) for block in table.observed.blocks]
    blocks = [(offset, size, size) for offset, size in table.actions.blocks.values()]
    hidden = [(offset, NUM_FACES, NUM_FACES) for offset in range(0, secrets, NUM_FACES)]
    renamings = []
    for suits in permutations(range(4)):
        faces = np.concatenate([np.arange(13 * suit, 13 * suit + 13) for suit in suits])
        sources = []
        for places in (shapes, blocks, hidden):
            source = np.arange(sum(size for _, size, _ in places))
            for offset, size, last in places:
                if last in (52, 53):
                    card = np.concatenate([faces, np.arange(52, last)])
                    source[offset : offset + size] = (offset + np.arange(0, size, last)[:, None] + card).ravel()
            sources.append(torch.from_numpy(source))
        renamings.append((sources[0], sources[1], sources[2]))
    return renamings
