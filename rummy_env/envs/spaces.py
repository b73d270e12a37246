"""The action space of every face: Gymnasium's `Discrete` with a cheap masked sample."""

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Discrete

if TYPE_CHECKING:
    _Discrete = Discrete[np.int64]
else:
    _Discrete = Discrete  # no type parameters before Gymnasium 1.3


class ActionSpace(_Discrete):
    """`Discrete(n)` whose `sample(mask)` costs a sixth of the stock one, which would outweigh a whole step."""

    def sample(self, mask: np.ndarray | None = None, probability: np.ndarray | None = None) -> np.int64:
        """Draw an action, uniformly from those of `mask`; as `Discrete.sample` in everything but speed.

        Args:
            mask: int8 array of shape ``(n,)``, 1 for the actions to choose from.
            probability: float64 array of shape ``(n,)`` that sums to 1.

        Returns:
            The action; `start` where `mask` allows none.
        """
        if probability is not None or not self._is_mask(mask):
            return super().sample(mask, probability)
        choices = mask.view(np.bool_).nonzero()[0]  # type: ignore[union-attr]
        count = len(choices)
        return choices[int(self.np_random.random() * count)] if count else self.start

    def _is_mask(self, mask: Any) -> bool:
        return type(mask) is np.ndarray and mask.dtype == np.int8 and mask.shape == (self.n,)
