"""Named games as data: for each preset, the options in which it differs from the defaults of `RuleSet`."""

from collections.abc import Mapping
from typing import Any

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "contract_rummy": {},
    "contract_rummy_two_packs": {"num_decks": 2, "num_jokers": 2},
    "basic_rummy": {
        "num_players": (2, 6),
        "deck_policy": "explicit",
        "num_decks": 1,
        "num_jokers": 0,
        "hand_sizes": {2: 10, 3: 7, 4: 7, 5: 6, 6: 6},
        "contracts": None,
        "discard_pickup": "top",
        "all_at_once_deals": (),
        "extra_melds": "any",
        "joker_swap_scope": "none",
        "dead_deal_scoring": "void",
        "ace_mode": "low",
        "ace_value": None,
        "going_rummy": "no_earlier_play",
        "game_end": "target_score",
        "target_score": 150,
    },
}
