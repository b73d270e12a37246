"""Sizes of the engine, the record of one game (`STATE`) and the record of its rules (`RULES`).

A batch is an array of `STATE`; copying a game is copying bytes. `RULES` is a rule set compiled for one number of
players and passed to every kernel, so that no variant triggers a new compilation. Both dtypes are records of
`numpy.record`, so that the kernels also run as plain Python (`NUMBA_DISABLE_JIT=1`).

Sets of naturals are 52-bit masks in a signed 64-bit integer, bit = face. A run occupies positions 1 (ace low) to
14 (ace high) of one suit.
"""

import numpy as np

MAX_PLAYERS = 8
MAX_PACKS = 3
MAX_WILDS = 12
MAX_CARDS = 52 * MAX_PACKS + MAX_WILDS
MAX_MELDS = MAX_CARDS // 3
MAX_DEALS = 32
MAX_CONTRACTS = 16
MAX_CONTRACT_SETS = 5
MAX_CONTRACT_RUNS = 4

NONE = -1

PHASE_DRAW, PHASE_PLAY = 0, 1

DOWN_NO, DOWN_EARLIER, DOWN_THIS_TURN = 0, 1, 2

SET, RUN = 0, 1

OVER_NO, OVER_OUT, OVER_BLOCKED, OVER_CAPPED = 0, 1, 2, 3

GAME_N_DEALS, GAME_TARGET, GAME_SINGLE_DEAL = 0, 1, 2

DEALER_RANDOM, DEALER_CUT = -1, -2

SUITS_DISTINCT, SUITS_NOT_ADJACENT, SUITS_FREE = 0, 1, 2

DISCARD_FORBIDDEN, DISCARD_OPTIONAL, DISCARD_REQUIRED = 0, 1, 2

SWAP_NONE, SWAP_ANY_RUN, SWAP_OTHERS_RUNS = 0, 1, 2

JOKER_DISCARD_YES, JOKER_DISCARD_ONLY_LAST, JOKER_DISCARD_NO = 0, 1, 2

DEAD_SCORE_HANDS, DEAD_VOID, DEAD_LOWEST_HAND = 0, 1, 2

RUMMY_OFF, RUMMY_NO_EARLIER_PLAY, RUMMY_ANY = 0, 1, 2

# The blocks of the action space, in order; each is indexed by face except the two draws.
(
    BLOCK_DRAW_STOCK,
    BLOCK_TAKE_TOP,
    BLOCK_TAKE,
    BLOCK_DECLARE,
    BLOCK_MELD_RUN,
    BLOCK_MELD_SET,
    BLOCK_LAYOFF_LOW,
    BLOCK_LAYOFF_HIGH,
    BLOCK_LAYOFF_SET,
    BLOCK_SWAP,
    BLOCK_DISCARD,
) = range(11)
NUM_BLOCKS = 11
MAX_OBSERVATION_BLOCKS = 48

STATE = np.dtype(
    (
        np.record,
        [
            # The cards. Hands are counts per face; `held` repeats the naturals as masks: held at least 1, 2, 3 times.
            ("hands", "i1", (MAX_PLAYERS, 53)),
            ("held", "i8", (MAX_PLAYERS, MAX_PACKS)),
            ("hand_size", "i2", MAX_PLAYERS),
            ("stock", "i1", MAX_CARDS),  # bottom → top
            ("stock_size", "i2"),
            ("pile", "i1", MAX_CARDS),  # bottom → top
            ("pile_size", "i2"),
            # Melds in the order they were laid. `key` is the suit of a run, the rank of a set. A run covers positions
            # `low` … `high`; a set keeps a mask of its suits in `low`. `jokers` has a bit per position, or per suit.
            ("num_melds", "i2"),
            ("meld_kind", "i1", MAX_MELDS),
            ("meld_key", "i1", MAX_MELDS),
            ("meld_low", "i1", MAX_MELDS),
            ("meld_high", "i1", MAX_MELDS),
            ("meld_jokers", "i4", MAX_MELDS),
            ("meld_owner", "i1", MAX_MELDS),
            # The turn.
            ("player", "i1"),
            ("phase", "i1"),
            ("taken", "i1"),  # face of the single top discard taken this turn, or NONE
            ("obliged", "i1"),  # face of a deep pick-up that must be placed next, or NONE
            ("laying_sets", "i1"),  # what is left of the contract being laid, or NONE
            ("laying_runs", "i1"),
            ("declared", "i8"),  # mask of the identities of declared, unplaced jokers
            ("freed", "i1"),  # a joker freed by a swap waits for its declaration
            ("swapping", "i1"),  # … or for its placement
            ("played_this_turn", "i1"),
            ("melds_this_turn", "i2"),
            # The deal.
            ("down", "i1", MAX_PLAYERS),
            ("played_before", "i1", MAX_PLAYERS),  # as at the start of the turn
            ("known", "i1", (MAX_PLAYERS, 53)),  # copies that everybody knows this seat to hold
            ("known_faces", "i8", MAX_PLAYERS),  # masks over 53 faces of `known` > 0
            ("discarded", "i8", MAX_PLAYERS),  # masks over 53 faces
            ("refused", "i8", MAX_PLAYERS),  # top discards this seat left lying
            ("contract", "i2"),  # index of the contract (0 where there are none)
            ("deal", "i2"),  # index in the sequence of deals of this game
            ("dealer", "i1"),
            ("turn", "i4"),  # finished turns of this deal
            ("recycles", "i2"),
            # The game.
            ("scores", "i4", MAX_PLAYERS),
            ("over", "i1"),
            ("seed", "i8"),
            ("random", "i8", 4),
            ("decisions", "i8"),  # actions applied since the game began
            # Summary of the last finished deal.
            ("deals_done", "i2"),
            ("last_reason", "i1"),
            ("last_out", "i1"),  # seat that went out, or NONE
            ("last_rummy", "i1"),
            ("last_turns", "i4"),
            ("last_deal", "i2"),
            ("last_contract", "i2"),
            ("last_hand_points", "i4", MAX_PLAYERS),  # points of the cards left in hand
            ("last_points", "i4", MAX_PLAYERS),  # what the deal added to the scores
        ],
    )
)

RULES = np.dtype(
    (
        np.record,
        [
            ("num_players", "i1"),
            ("num_packs", "i1"),
            ("num_jokers", "i1"),
            ("num_ranks", "i1"),
            ("num_suits", "i1"),
            ("max_position", "i1"),  # highest position of a run: 14 where the ace may be high
            ("run_starts", "i8"),  # mask of the faces that a run of three may start with
            ("naturals", "i8"),  # mask of the faces in the deck
            ("points", "i2", 53),
            ("num_contracts", "i2"),  # 0: a game without contracts
            ("contract_sets", "i1", MAX_CONTRACTS),
            ("contract_runs", "i1", MAX_CONTRACTS),
            ("hand_sizes", "i1", MAX_CONTRACTS),
            ("all_at_once", "i1", MAX_CONTRACTS),
            ("num_deals", "i2"),
            ("deals", "i2", MAX_DEALS),  # contract index of each deal
            (
                "deal_below",
                "i8",
                MAX_DEALS,
            ),  # random words below it draw this deal or one before; all 0: equally likely
            ("game_end", "i1"),
            ("max_deals", "i2"),
            ("target_score", "i4"),
            ("first_dealer", "i1"),
            ("max_turns", "i4"),
            ("max_recycles", "i2"),  # NONE: unlimited
            ("deep_take", "i1"),
            ("runs_suit_rule", "i1"),
            ("all_at_once_discard", "i1"),
            ("final_discard", "i1"),
            ("extra_melds", "i1"),
            ("max_melds_per_turn", "i2"),
            ("layoff_later_turn", "i1"),
            ("layoff_own", "i1"),
            ("layoff_on_sets", "i1"),
            ("layoff_requires_own_meld", "i1"),
            ("swap_scope", "i1"),
            ("joker_discard", "i1"),
            ("min_naturals", "i1"),
            ("adjacent_jokers", "i1"),
            ("double_ace_run", "i1"),
            ("dead_deal_scoring", "i1"),
            ("going_rummy", "i1"),
            ("rummy_multiplier", "i2"),
            ("num_actions", "i2"),
            ("action_base", "i2", NUM_BLOCKS),  # first id of each block, NONE where the rules have no such block
            ("observation_size", "i4"),
            ("observation_base", "i4", MAX_OBSERVATION_BLOCKS),  # first entry of each block, NONE where absent
        ],
    )
)


def new_games(count: int) -> np.ndarray:
    """`count` zeroed games, shape ``(count,)``, dtype `STATE`; `play.start_game` makes them playable."""
    return np.zeros(count, STATE)
