"""The network that is trained: hidden layers, a policy and a value; `rummy_env.policy` plays it without PyTorch."""

from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from rummy_env.policy import PolicyAgent, PolicyTable, skipping_blocks


class Network(nn.Module):
    """Logits of all actions and the value of the position for the seat to move.

    What planning observations say of single cards leads past the hidden layers: the discard logit of a card gets a sum
    of its own entries, and that of taking the top discard one of the entries about it, with weights that the last
    hidden layer sets.

    Args:
        table: What it is trained for.
        hidden: Sizes of the hidden layers.
        secrets: Entries that only the value sees, through a layer of its own; 0 for none.
    """

    def __init__(self, table: PolicyTable, hidden: list[int], secrets: int = 0) -> None:
        super().__init__()
        layout, actions = table.observed, table.actions
        sizes = [layout.size, *hidden]
        self.trunk = nn.ModuleList([_linear(*pair, gain=2**0.5) for pair in pairwise(sizes)])
        self.policy = _linear(hidden[-1], actions.num_actions, gain=0.01)
        self.value = _linear(hidden[-1], 1, gain=1.0)
        self.oracle = _linear(hidden[-1] + secrets, hidden[-1], gain=2**0.5) if secrets else None
        planes, entries = skipping_blocks(layout)
        self._planes = [(block.offset, block.offset + block.size) for block in planes]
        self._entries = [(block.offset, block.offset + block.size) for block in entries]
        discards, take, count = actions.blocks["discard"], actions.blocks["take_top"].offset, actions.num_actions
        self._around_discards = (discards.offset, count - discards.offset - discards.size)
        self._around_take = (take, count - take - 1)
        self._num_planes = sum(block.size for block in planes) // discards.size
        shares = self._num_planes + sum(block.size for block in entries)
        self.skip = _linear(hidden[-1], shares, gain=0.01) if shares else None

    def forward(self, observations: Tensor, secrets: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Logits ``(k, num_actions)`` and values ``(k,)``, float32.

        Args:
            observations: int8, shape ``(k, size)``.
            secrets: int8, shape ``(k, secrets)``, if there are any.
        """
        device = observations.device.type
        precision = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else torch.float32
        hidden = observations.to(precision)
        for layer in self.trunk:
            hidden = torch.relu(layer(hidden))
        told = hidden
        if self.oracle is not None and secrets is not None:
            told = torch.relu(self.oracle(torch.cat([hidden, secrets.to(precision)], 1)))
        # In bfloat16 the probabilities of actions would move by more than what an update is to move them.
        with torch.autocast(device, enabled=False):
            return self._logits(observations, hidden.float()), self.value(told.float()).squeeze(-1)

    def _logits(self, observations: Tensor, hidden: Tensor) -> Tensor:
        logits: Tensor = self.policy(hidden)
        if self.skip is None:
            return logits
        shares = self.skip(hidden)
        planes = torch.cat([observations[:, first:end] for first, end in self._planes], 1).float()
        of_cards = shares[:, None, : self._num_planes] @ planes.view(len(hidden), self._num_planes, -1)
        entries = torch.cat([observations[:, first:end] for first, end in self._entries], 1)
        of_top = (entries * shares[:, self._num_planes :]).sum(1, keepdim=True)
        return logits + pad(of_cards[:, 0], self._around_discards) + pad(of_top, self._around_take)


def _linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def policy_weights(network: Network, active: np.ndarray) -> dict[str, Tensor]:
    """What plays of a network: copies of all weights but those for the value, float32 on the CPU.

    Args:
        network: The network.
        active: bool, shape ``(size,)``: entries of the observation that were ever 1 in training. The others have
            weights that mean nothing, and get 0.
    """
    state = network.state_dict().items()
    weights = {
        name: tensor.detach().float().cpu().clone()
        for name, tensor in state
        if not name.startswith(("value.", "oracle."))
    }
    weights["trunk.0.weight"][:, ~torch.from_numpy(active)] = 0
    return weights


def to_agent(network: Network, table: PolicyTable, active: np.ndarray) -> PolicyAgent:
    """The policy as an agent; see `policy_weights`."""
    weights = policy_weights(network, active)
    return PolicyAgent({name: tensor.numpy() for name, tensor in weights.items()}, table.describe())
