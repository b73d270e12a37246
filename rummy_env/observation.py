"""The observation as named blocks with offsets: the vector is their concatenation."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rummy_env.engine.blocks import PLAIN, observation_blocks
from rummy_env.rules import RuleSet


class Block(NamedTuple):
    """A block of the observation: where it starts in the vector, its shape, what its entries say."""

    name: str
    offset: int
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """Number of entries."""
        return int(np.prod(self.shape))


@dataclass(frozen=True)
class ObservationLayout:
    """Layout of the observation of a rule set at a table of so many players: int8, every entry 0 or 1.

    Attributes:
        size: length of the vector.
        blocks: its blocks in order.
    """

    size: int
    blocks: tuple[Block, ...]

    @staticmethod
    def for_table(rules: RuleSet, num_players: int, observation: str = PLAIN) -> "ObservationLayout":
        """Layout for `num_players` seats.

        Args:
            rules: The rules of the game.
            num_players: Seats at the table.
            observation: ``"plain"``: what a seat sees. ``"planning"``: after the same blocks some more, which say
                exactly what its cards are worth, as far as it can know.

        Raises:
            RulesError: That table is impossible.
            ArgumentError: `observation` is no such kind.
        """
        return _layout(rules, num_players, observation)

    def split(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """Views of the blocks of a vector (or of a batch of vectors, shape (…, size)) by name, in their shapes."""
        lead = observation.shape[:-1]
        return {
            block.name: observation[..., block.offset : block.offset + block.size].reshape(*lead, *block.shape)
            for block in self.blocks
        }

    def table(self) -> str:
        """The blocks as a Markdown table."""
        lines = ["| entries | block | shape | meaning |", "|---|---|---|---|"]
        for block in self.blocks:
            shape = " × ".join(str(length) for length in block.shape)
            last = block.offset + block.size - 1
            entries = str(last) if block.size == 1 else f"{block.offset}-{last}"
            lines.append(f"| {entries} | `{block.name}` | {shape} | {block.meaning} |")
        return "\n".join(lines)


@lru_cache(maxsize=64)
def _layout(rules: RuleSet, num_players: int, observation: str) -> ObservationLayout:
    blocks, offset = [], 0
    for spec in observation_blocks(rules, rules.table(num_players), observation):
        blocks.append(Block(spec.name, offset, spec.shape, spec.meaning))
        offset += blocks[-1].size
    return ObservationLayout(offset, tuple(blocks))
