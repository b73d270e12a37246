"""From a `RuleSet` and a number of players to the `RULES` record that every kernel takes."""

from functools import lru_cache

import numpy as np

from rummy_env.cards import JOKER, NUM_RANKS
from rummy_env.engine.blocks import PLAIN, action_blocks, observation_blocks
from rummy_env.engine.state import (
    DEAD_LOWEST_HAND,
    DEAD_SCORE_HANDS,
    DEAD_VOID,
    DEALER_CUT,
    DEALER_RANDOM,
    DISCARD_FORBIDDEN,
    DISCARD_OPTIONAL,
    DISCARD_REQUIRED,
    GAME_N_DEALS,
    GAME_SINGLE_DEAL,
    GAME_TARGET,
    JOKER_DISCARD_NO,
    JOKER_DISCARD_ONLY_LAST,
    JOKER_DISCARD_YES,
    NONE,
    RULES,
    RUMMY_ANY,
    RUMMY_NO_EARLIER_PLAY,
    RUMMY_OFF,
    SUITS_DISTINCT,
    SUITS_FREE,
    SUITS_NOT_ADJACENT,
    SWAP_ANY_RUN,
    SWAP_NONE,
    SWAP_OTHERS_RUNS,
)
from rummy_env.rules import RuleSet

_CODES = {
    "contract_runs_suit_rule": {"distinct": SUITS_DISTINCT, "not_adjacent": SUITS_NOT_ADJACENT, "free": SUITS_FREE},
    "discard": {"forbidden": DISCARD_FORBIDDEN, "optional": DISCARD_OPTIONAL, "required": DISCARD_REQUIRED},
    "joker_swap_scope": {"none": SWAP_NONE, "any_run": SWAP_ANY_RUN, "others_runs": SWAP_OTHERS_RUNS},
    "joker_discard": {"yes": JOKER_DISCARD_YES, "only_last": JOKER_DISCARD_ONLY_LAST, "no": JOKER_DISCARD_NO},
    "dead_deal_scoring": {"score_hands": DEAD_SCORE_HANDS, "void": DEAD_VOID, "lowest_hand": DEAD_LOWEST_HAND},
    "going_rummy": {"off": RUMMY_OFF, "no_earlier_play": RUMMY_NO_EARLIER_PLAY, "any": RUMMY_ANY},
    "game_end": {"n_deals": GAME_N_DEALS, "target_score": GAME_TARGET, "single_deal": GAME_SINGLE_DEAL},
    "first_dealer": {"random": DEALER_RANDOM, "cut": DEALER_CUT},
}
_NO_LIMIT = 1000


def compile_rules(rules: RuleSet, num_players: int, observation: str = PLAIN) -> np.ndarray:
    """`RULES` array of one for a table of `num_players` where this kind of observation is written.

    Raises:
        RulesError: That table is impossible.
        ArgumentError: `observation` is none of `OBSERVATIONS`.
    """
    return _compiled(rules, num_players, observation).copy()


@lru_cache(maxsize=64)
def _compiled(rules: RuleSet, num_players: int, observation: str) -> np.ndarray:
    table = rules.table(num_players)
    compiled = np.zeros(1, RULES)
    r = compiled[0]
    r.num_players, r.num_packs, r.num_jokers = num_players, table.num_packs, table.num_jokers
    r.num_ranks, r.num_suits = rules.deck_ranks, rules.deck_suits
    ace_high = rules.ace_mode == "both" and rules.deck_ranks == NUM_RANKS
    r.max_position = 14 if ace_high else rules.deck_ranks
    for suit in range(rules.deck_suits):
        r.naturals |= ((1 << rules.deck_ranks) - 1) << (NUM_RANKS * suit)
        r.run_starts |= ((1 << max(int(r.max_position) - 2, 0)) - 1) << (NUM_RANKS * suit)
    for face in range(JOKER):
        rank = face % NUM_RANKS
        r.points[face] = table.ace_value if rank == 0 else min(rank + 1, 10)
    r.points[JOKER] = rules.joker_value

    contracts = rules.contracts or ()
    r.num_contracts = len(contracts)
    for number, (sets, runs) in enumerate(contracts):
        r.contract_sets[number], r.contract_runs[number] = sets, runs
        r.all_at_once[number] = number + 1 in rules.all_at_once_deals
    r.hand_sizes[: len(table.hand_sizes)] = table.hand_sizes
    r.num_deals = len(table.deals)
    r.deals[: len(table.deals)] = [number - 1 for number in table.deals]
    if rules.deal_weights:
        shares = np.cumsum(rules.deal_weights)
        r.deal_below[: len(shares)] = np.round(shares / shares[-1] * 2**32)
    r.game_end = _CODES["game_end"][rules.game_end]
    r.max_deals = table.num_deals
    r.target_score = rules.target_score or 0
    dealer = rules.first_dealer
    r.first_dealer = _CODES["first_dealer"][dealer] if isinstance(dealer, str) else dealer
    r.max_turns = table.max_turns
    r.max_recycles = NONE if rules.max_recycles is None else rules.max_recycles

    r.deep_take = rules.discard_pickup == "any"
    r.runs_suit_rule = _CODES["contract_runs_suit_rule"][rules.contract_runs_suit_rule]
    r.all_at_once_discard = _CODES["discard"][rules.all_at_once_discard]
    r.final_discard = _CODES["discard"][rules.final_discard]
    r.extra_melds = rules.extra_melds == "any"
    r.max_melds_per_turn = rules.max_melds_per_turn or _NO_LIMIT
    r.layoff_later_turn = rules.layoff_timing == "later_turn"
    r.layoff_own = rules.layoff_scope == "own"
    r.layoff_on_sets = rules.layoff_on_sets
    r.layoff_requires_own_meld = rules.layoff_requires_own_meld
    r.swap_scope = _CODES["joker_swap_scope"][rules.joker_swap_scope] if table.num_jokers > 0 else SWAP_NONE
    r.joker_discard = _CODES["joker_discard"][rules.joker_discard]
    r.min_naturals = rules.min_naturals_per_meld
    r.adjacent_jokers = rules.adjacent_jokers
    r.double_ace_run = rules.allow_double_ace_run
    r.dead_deal_scoring = _CODES["dead_deal_scoring"][rules.dead_deal_scoring]
    r.going_rummy = _CODES["going_rummy"][rules.going_rummy]
    r.rummy_multiplier = rules.going_rummy_multiplier

    r.action_base[:] = NONE
    for block in action_blocks(rules, table):
        r.action_base[block.number] = r.num_actions
        r.num_actions += block.size
    r.observation_base[:] = NONE
    for observed in observation_blocks(rules, table, observation):
        r.observation_base[observed.number] = r.observation_size
        r.observation_size += int(np.prod(observed.shape))
    return compiled
