"""Arguments that several environments share."""

from collections.abc import Sequence
from typing import Any

from rummy_env.errors import ArgumentError
from rummy_env.rules import RuleSet

CHOICES = {"episode": ("game", "deal"), "reward": ("score", "win")}


def choice(name: str, value: Any) -> Any:
    """`value` if it is one of the `CHOICES` of argument `name`; else `ArgumentError`."""
    if value not in CHOICES[name]:
        choices = " or ".join(repr(one) for one in CHOICES[name])
        raise ArgumentError(f"{name}={value!r} is not known: choose {choices}")
    return value


def episode_rules(rules: RuleSet, episode: str, deals: Sequence[int] | None) -> RuleSet:
    """`rules` with these `deals`, and as one single deal with ``episode="deal"``."""
    if deals is not None:
        rules = rules.replace(deals=deals)
    return rules.replace(game_end="single_deal") if episode == "deal" else rules
