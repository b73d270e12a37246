"""Arguments that the environments share: checking choices, the rules of an episode, games from a position."""

from collections.abc import Mapping, Sequence
from operator import index
from pathlib import Path
from typing import Any

from rummy_env.engine.blocks import OBSERVATIONS, PLAIN
from rummy_env.errors import ArgumentError, PositionError, RenderModeError
from rummy_env.game import Game
from rummy_env.rules import RuleSet

CHOICES = {
    "episode": ("game", "deal"),
    "reward": ("score", "win"),
    "illegal_action": ("forfeit", "raise"),
    "observation": OBSERVATIONS,
}
Deals = Sequence[int] | Mapping[int, float]
_FREE_IN_POSITIONS = ("name", "game_end", "target_score", "n_deals", "max_deals", "deals", "deal_weights")


def check_choice(name: str, value: Any, choices: Sequence[Any] | None = None) -> Any:
    """`value` if it is among `choices` (those of `CHOICES` by default); else an `ArgumentError` that names them."""
    choices = CHOICES[name] if choices is None else choices
    if value not in choices:
        raise ArgumentError(f"{name}={value!r} is not known: choose {' or '.join(map(repr, choices))}")
    return value


def check_count(name: str, value: Any) -> int:
    """`value` as an int if it is a whole number from 1; else an `ArgumentError`."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or index(value) < 1:
        raise ArgumentError(f"{name}={value!r}: expected a whole number from 1")
    return index(value)


def check_render_mode(value: str | None, choices: Sequence[str | None]) -> str | None:
    """`value` if it is among `choices`; else a `RenderModeError` that names them."""
    try:
        check_choice("render_mode", value, choices)
    except ArgumentError as error:
        raise RenderModeError(str(error)) from None
    return value


def episode_rules(
    variant: str,
    rules: str | Path | Mapping[str, Any] | RuleSet | None,
    deals: Deals | None,
    episode: str,
) -> RuleSet:
    """The rules an environment plays by.

    Args:
        variant: Preset of the environment: what `rules` mean that are None, and where a mapping starts from.
        rules: Whatever `RuleSet.load` takes, or None.
        deals: Numbers of the contracts to be played, or None for what the rules say; with ``episode="deal"`` also a
            mapping from each to its weight.
        episode: ``"game"``, or ``"deal"`` for a single deal.

    Raises:
        ArgumentError: The rules have contracts and `variant` has none, or the other way round; or weights for deals
            that are all played.
        RulesError: The rules or the deals are impossible.
    """
    preset = RuleSet.preset(variant)
    if isinstance(rules, Mapping):
        rules = {"preset": variant, **rules}
    loaded = preset if rules is None else RuleSet.load(rules)
    if (loaded.contracts is None) != (preset.contracts is None):
        kind = "without" if preset.contracts is None else "with"
        raise ArgumentError(
            f"rules={loaded.name!r}: this environment plays games {kind} contracts; "
            "take the environment of the other kind"
        )
    changes: dict[str, Any] = {"game_end": "single_deal"} if episode == "deal" else {}
    if isinstance(deals, Mapping):
        if episode != "deal":
            raise ArgumentError(f"deals={deals!r}: a game plays all its deals; weights are for episode='deal'")
        changes |= {"deals": list(deals), "deal_weights": list(deals.values())}
    elif deals is not None:
        changes["deals"] = deals
    return loaded.replace(**changes)


def other_deals(rules: RuleSet, deals: Deals) -> RuleSet:
    """`rules` whose single deal is drawn from others of its `deals`, or with other weights.

    Raises:
        ArgumentError: The rules play no single deal, or not the deal of a number.
        RulesError: The weights are no numbers from 0, or all 0.
    """
    if rules.contracts is None or rules.game_end != "single_deal":
        raise ArgumentError(f"set_deals({deals!r}): only episodes of one deal in games with contracts draw the deal")
    played = rules.played_contracts
    unknown = [number for number in deals if number not in played]
    if unknown:
        raise ArgumentError(
            f"set_deals({deals!r}): {unknown[0]!r} is none of the deals {list(played)} of this environment"
        )
    weights = deals if isinstance(deals, Mapping) else dict.fromkeys(deals, 1)
    first = [place == played.index(number) for place, number in enumerate(played)]
    return rules.replace(
        deal_weights=[weights.get(number, 0) if new else 0 for number, new in zip(played, first, strict=True)]
    )


def game_from_position(rules: RuleSet, num_players: int, seed: int, position: Any, observation: str = PLAIN) -> Game:
    """A game by these rules that goes on from `position`; its stream follows from `seed` where the position has none.

    Raises:
        PositionError: The position cannot arise, is finished, or is one of other rules or another table.
    """
    if not isinstance(position, Mapping):
        raise PositionError(f"the position is {position!r}; expected a mapping such as Game.to_dict() gives")
    seats = position.get("num_players", num_players)
    if seats != num_players:
        raise PositionError(f"num_players is {seats!r}; this environment has {num_players} seats")
    theirs = RuleSet.load(position.get("rules", rules))
    if theirs.replace(**{name: getattr(rules, name) for name in _FREE_IN_POSITIONS}) != rules:
        raise PositionError("rules are others than those of this environment; only how the game ends may differ")

    own: dict[str, Any] = {"rules": rules, "num_players": num_players}
    if rules.game_end == "single_deal":
        own["deals_done"] = 0
    stream = Game(rules, num_players, seed).to_dict()["random"]
    game = Game.from_dict({"random": stream, **position, **own}, observation)
    if game.over is not None:
        raise PositionError(f"over is {game.over!r}: there is nothing left to play in this position")
    return game
