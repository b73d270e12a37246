"""Trained policies that come with the package: agents by the names of their files, each with a card that says more."""

from functools import partial
from pathlib import Path

from rummy_env.policy import load_policy

_FOLDER = Path(__file__).parent

ppo_basic_2p = partial(load_policy, _FOLDER / "ppo-basic-2p.npz")
ppo_contract_4p = partial(load_policy, _FOLDER / "ppo-contract-4p.npz")
