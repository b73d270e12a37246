"""Rule sets to test with: the presets at every size, each option in each value, and random mixtures."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from rummy_env import RuleSet
from rummy_env.errors import RulesError

Variation = tuple[RuleSet, int]

SHARED_CHANGES: dict[str, Sequence[Any]] = {
    "layoff_timing": ["later_turn"],
    "layoff_scope": ["own"],
    "layoff_on_sets": [False],
    "final_discard": ["required", "forbidden"],
    "joker_discard": ["only_last", "no"],
    "max_recycles": [0, 1],
    "min_naturals_per_meld": [2, 3],
    "adjacent_jokers": [False],
    "allow_double_ace_run": [False],
}
CONTRACT_CHANGES: Mapping[str, Sequence[Any]] = SHARED_CHANGES | {
    "num_jokers": [0, 2, 4],
    "discard_pickup": ["top"],
    "contract_runs_suit_rule": ["not_adjacent", "free"],
    "all_at_once_deals": [[], [2, 3, 4, 5, 6, 7]],
    "all_at_once_discard": ["optional", "required"],
    "extra_melds": ["any"],
    "joker_swap_scope": ["others_runs", "none"],
    "ace_mode": ["low"],
}
BASIC_CHANGES: Mapping[str, Sequence[Any]] = SHARED_CHANGES | {
    "num_jokers": [1, 4],
    "discard_pickup": ["any"],
    "layoff_requires_own_meld": [True],
    "max_melds_per_turn": [1, 2],
    "ace_mode": ["both"],
}
# Joker rules are seen where jokers are, double ace runs where aces may be high, and so on.
CONTRACT_GROUND = {"num_decks": 2, "num_jokers": 4}
BASIC_GROUND = {"num_jokers": 3, "ace_mode": "both"}


def presets() -> list[Variation]:
    """The presets at different tables, and every contract as a game of a single deal."""
    contract, two_packs, basic = map(RuleSet.preset, ("contract_rummy", "contract_rummy_two_packs", "basic_rummy"))
    single_deals = [contract.replace(game_end="single_deal", deals=[number]) for number in range(1, 8)]
    return [
        *((contract, players) for players in (3, 4, 5)),
        *((two_packs, players) for players in (2, 4, 8)),
        *((basic, players) for players in range(2, 7)),
        *((rules, 3) for rules in single_deals),
    ]


def single_changes() -> list[Variation]:
    """Each option that moves depend on in each of its other values, alone and where jokers abound."""
    contract, basic = RuleSet.preset("contract_rummy"), RuleSet.preset("basic_rummy")
    grounds = [
        (contract, CONTRACT_CHANGES, 3),
        (contract.replace(**CONTRACT_GROUND), CONTRACT_CHANGES, 4),
        (basic, BASIC_CHANGES, 3),
        (basic.replace(**BASIC_GROUND), BASIC_CHANGES, 2),
    ]
    return [
        (ground.replace(**{name: value}), players)
        for ground, changes, players in grounds
        for name, values in changes.items()
        for value in values
    ]


def mixture(rng: random.Random) -> Variation:
    """A random mixture of options, contracts, hand sizes and small decks that makes a possible game."""
    while True:
        try:
            rules = (_contract_mixture if rng.random() < 0.65 else _basic_mixture)(rng)
            players = rng.randint(*rules.num_players)
            rules.table(players)
        except RulesError:
            continue
        return rules, players


def _changes(rng: random.Random, changes: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    return {name: rng.choice(values) for name, values in changes.items() if rng.random() < 0.35}


def _deck(rng: random.Random) -> dict[str, Any]:
    small = rng.random() < 0.6
    return {
        "deck_policy": "explicit",
        "num_decks": rng.choice([1, 1, 2, 2, 3]),
        "num_jokers": rng.choice([0, 1, 2, 3, 4]),
        "deck_ranks": rng.randint(4, 12) if small else 13,
        "deck_suits": rng.choice([2, 3, 4, 4]) if small else 4,
    }


def _contract_mixture(rng: random.Random) -> RuleSet:
    contracts = [(rng.randint(0, 2), rng.randint(0, 2)) for _ in range(3)]
    contracts = [contract if sum(contract) else (1, 1) for contract in contracts]
    # Hands of just the size of the contract lead to the rules for the last card.
    hand_sizes = [3 * sum(contract) + rng.choice([-1, 0, 1, 4]) for contract in contracts]
    return RuleSet.preset("contract_rummy").replace(
        **_changes(rng, CONTRACT_CHANGES)
        | _deck(rng)
        | {
            "contracts": contracts,
            "hand_sizes": hand_sizes,
            "all_at_once_deals": [number for number in (1, 2, 3) if rng.random() < 0.3],
        }
    )


def _basic_mixture(rng: random.Random) -> RuleSet:
    deck = _deck(rng)
    return RuleSet.preset("basic_rummy").replace(
        **_changes(rng, BASIC_CHANGES) | deck | {"hand_sizes": [rng.randint(2, 10)]}
    )
