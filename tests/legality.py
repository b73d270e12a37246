"""The engine and the slow checker asked the same question, in positions played to and positions constructed."""

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from rummy_env import Game, RuleSet
from rummy_env.errors import PositionError
from tests import rule_variations
from tests.brute_force import legal_actions
from tests.constructed import construct
from tests.plain_table import Action

CHUNK = 50
# A game from the deal is looked at now and then, a turn with its short consequences at every step.
STEPS_FROM_THE_DEAL, EVERY = 120, 6
STEPS_FROM_A_CONSTRUCTED_POSITION = 8
CONSTRUCTED_FOR_EACH_GAME = 4

# What a sample must contain to mean anything.
NOTEWORTHY = (
    "contract may be laid",
    "contract half laid",
    "all at once may be laid",
    "all at once, to be finished",
    "deep pick-up legal",
    "deep pick-up illegal",
    "obliged card in hand",
    "top card may not be taken",
    "taken card in hand",
    "a joker declared",
    "two jokers declared",
    "swap legal",
    "freed joker in the air",
    "further meld after the contract",
    "lay-off legal",
    "stock empty",
    "blocked",
)


class Comparison(NamedTuple):
    """One position (as from `Game.to_dict`) and the two opinions about its legal actions."""

    position: dict[str, Any]
    engine: set[Action]
    checker: set[Action]

    def __str__(self) -> str:
        return (
            f"engine only: {sorted(self.engine - self.checker, key=str)}\n"
            f"checker only: {sorted(self.checker - self.engine, key=str)}"
        )


def compare(rules: RuleSet, num_players: int, rng: random.Random) -> Iterator[Comparison]:
    """Endless comparisons in games played from the deal and, in turns with them, from constructed positions."""
    options = rules.to_dict()
    while True:
        game = Game(rules, num_players, seed=rng.randrange(2**32))
        yield from _play(game, options, rng, STEPS_FROM_THE_DEAL, EVERY)
        for _ in range(CONSTRUCTED_FOR_EACH_GAME):
            position = construct(rules, num_players, rng)
            try:
                game = Game.from_dict(position)
            except PositionError as error:
                if "no legal action" not in str(error):
                    raise
                yield Comparison(position, set(), legal_actions(position, options))
            else:
                yield from _play(game, options, rng, STEPS_FROM_A_CONSTRUCTED_POSITION)


def _play(game: Game, options: dict[str, Any], rng: random.Random, steps: int, every: int = 1) -> Iterator[Comparison]:
    """Comparisons along a game in which discards are avoided more or less eagerly."""
    patience = rng.choice([0.05, 0.3, 1.0])
    for step in range(steps):
        actions = {action: game.layout.decode(action) for action in game.legal_actions()}
        if game.over is not None:
            if game.over == "blocked":
                position = game.to_dict()
                yield Comparison(position, set(), legal_actions({**position, "over": None}, options))
            return
        if step % every == 0 or not actions:
            position = game.to_dict()
            engine = {(action.kind, action.face) for action in actions.values()}
            yield Comparison(position, engine, legal_actions(position, options))
        if not actions:
            return
        weights = [patience if action.kind in ("discard", "draw_stock") else 1.0 for action in actions.values()]
        game.apply(rng.choices(list(actions), weights)[0])


@cache
def _fixed_variations() -> list[rule_variations.Variation]:
    return rule_variations.presets() + rule_variations.single_changes()


def compare_chunk(number: int, seed: int) -> tuple[Counter[str], list[Comparison]]:
    """The features of `CHUNK` compared positions, and the comparisons that disagree.

    Chunks go round through the presets, the single changes of an option, and as many random mixtures.
    """
    rng = random.Random(f"{seed}/{number}")
    fixed = _fixed_variations()
    index = number % (2 * len(fixed))
    rules, num_players = fixed[index // 2] if index % 2 == 0 else rule_variations.mixture(rng)
    counts: Counter[str] = Counter()
    differing = []
    for comparison, _ in zip(compare(rules, num_players, rng), range(CHUNK), strict=False):
        counts["positions"] += 1
        counts.update(noteworthy(comparison, rules))
        if comparison.engine != comparison.checker:
            differing.append(comparison)
    return counts, differing


def noteworthy(comparison: Comparison, rules: RuleSet) -> Iterator[str]:
    """Which of `NOTEWORTHY` a position is, by the checker's opinion of it."""
    position, kinds = comparison.position, {kind for kind, _ in comparison.checker}
    hand = position["hands"][position["player"]].split()
    down = position["down"][position["player"]] != "no"
    melding = bool(kinds & {"meld_run", "meld_set"})
    all_at_once = rules.contracts is not None and position["deal"] in rules.all_at_once_deals
    drawing = position["phase"] == "draw"
    pile = position["discard"].split()
    deep = drawing and rules.discard_pickup == "any" and len(pile) > 1
    answers = (
        rules.contracts is not None and not down and not all_at_once and melding,
        not all_at_once and position["laying"] is not None,
        all_at_once and melding,
        all_at_once and position["laying"] == {"sets": 0, "runs": 0},
        "take" in kinds,
        deep and "take" not in kinds,
        position["obliged"] is not None,
        drawing and "take_top" not in kinds,
        position["taken"] is not None and position["taken"] in hand,
        len(position["declared"]) == 1,
        len(position["declared"]) == 2,
        "swap" in kinds,
        position["freed_joker"],
        down and melding,
        bool(kinds & {"layoff_low", "layoff_high", "layoff_set"}),
        not position["stock"],
        drawing and not kinds,
    )
    return (name for name, answer in zip(NOTEWORTHY, answers, strict=True) if answer)
