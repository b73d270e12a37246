"""The blocks of the action space and of the observation: their order, names, sizes and meanings, as data.

Which blocks there are depends on the rules: a rule set without a feature has no block for it.
"""

from typing import NamedTuple

from rummy_env.cards import NUM_FACES, NUM_NATURALS
from rummy_env.engine.state import (
    BLOCK_DECLARE,
    BLOCK_DISCARD,
    BLOCK_DRAW_STOCK,
    BLOCK_LAYOFF_HIGH,
    BLOCK_LAYOFF_LOW,
    BLOCK_LAYOFF_SET,
    BLOCK_MELD_RUN,
    BLOCK_MELD_SET,
    BLOCK_SWAP,
    BLOCK_TAKE,
    BLOCK_TAKE_TOP,
)
from rummy_env.errors import ArgumentError
from rummy_env.rules import RuleSet, Table


class ActionBlock(NamedTuple):
    """A run of action ids: its number in the engine, its name, how many ids it has and what they mean."""

    number: int
    name: str
    size: int
    meaning: str


class ObservationBlock(NamedTuple):
    """A run of observation entries: its number in the engine, its name, shape and meaning."""

    number: int
    name: str
    shape: tuple[int, ...]
    meaning: str


def num_faces(table: Table) -> int:
    """53 with jokers in the deck, else 52."""
    return NUM_FACES if table.num_jokers > 0 else NUM_NATURALS


def action_blocks(rules: RuleSet, table: Table) -> list[ActionBlock]:
    """Blocks of the action space, in the order of their ids."""
    faces, cards = num_faces(table), NUM_NATURALS
    jokers = table.num_jokers > 0
    blocks = [
        (True, ActionBlock(BLOCK_DRAW_STOCK, "draw_stock", 1, "draw the top of the stock")),
        (True, ActionBlock(BLOCK_TAKE_TOP, "take_top", 1, "take the top discard; it may not be discarded this turn")),
        (
            rules.discard_pickup == "any",
            ActionBlock(BLOCK_TAKE, "take", faces, "take a deeper discard with all cards above it; place it next"),
        ),
        (jokers, ActionBlock(BLOCK_DECLARE, "declare", cards, "announce a joker as this card; place it next")),
        (True, ActionBlock(BLOCK_MELD_RUN, "meld_run", cards, "lay the run of three that starts at this card")),
        (True, ActionBlock(BLOCK_MELD_SET, "meld_set", cards, "lay the set of this card's three rank mates")),
        (True, ActionBlock(BLOCK_LAYOFF_LOW, "layoff_low", cards, "put this card below a run")),
        (True, ActionBlock(BLOCK_LAYOFF_HIGH, "layoff_high", cards, "put this card above a run")),
        (rules.layoff_on_sets, ActionBlock(BLOCK_LAYOFF_SET, "layoff_set", cards, "put this card onto a set")),
        (
            jokers and rules.joker_swap_scope != "none",
            ActionBlock(BLOCK_SWAP, "swap", cards, "exchange this card for the joker that stands for it in a run"),
        ),
        (True, ActionBlock(BLOCK_DISCARD, "discard", faces, "discard this card and end the turn")),
    ]
    return [block for present, block in blocks if present]


HAND_SIZE_STEPS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 18, 24)
STOCK_STEPS = (1, 2, 3, 4, 6, 8, 11, 15, 20, 30, 45, 70, 100)
SCORE_STEPS = (1, 10, 25, 50, 75, 100, 150, 200)
TARGET_EIGHTHS = 8
ROUND_STEPS = (1, 2, 3, 5, 8, 12, 18, 25, 35, 45)
DEPTH_BINS = 4
RECYCLES_SHOWN = 4
DISTANCE_STEPS = (1, 2, 3, 4, 5, 6, 7, 8)
DEADWOOD_STEPS = (1, 5, 10, 15, 20, 30, 40, 50, 65, 80)
MORE_DEADWOOD = (0, 2, 5, 9)
LESS_DEADWOOD = (1, 3, 6, 10)
OUTS_STEPS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 28)
FEWER_OUTS = (0, 1, 2, 4)
MORE_OUTS = (1, 2, 3, 5, 8)

PLAIN, PLANNING = OBSERVATIONS = ("plain", "planning")
"""Kinds of observation: what the seat sees; that, and exact knowledge of what its cards are worth."""

(
    OBS_HAND,
    OBS_HAND_JOKERS,
    OBS_TOP,
    OBS_PILE,
    OBS_PILE_JOKERS,
    OBS_PILE_DEPTH,
    OBS_TABLE,
    OBS_SWAPPABLE,
    OBS_FITS_LOW,
    OBS_FITS_HIGH,
    OBS_FITS_SET,
    OBS_KNOWN,
    OBS_DISCARDED,
    OBS_REFUSED,
    OBS_UNSEEN,
    OBS_UNSEEN_JOKERS,
    OBS_PHASE,
    OBS_TO_MOVE,
    OBS_TAKEN,
    OBS_OBLIGED,
    OBS_DECLARED,
    OBS_FREED,
    OBS_CONTRACT_SETS,
    OBS_CONTRACT_RUNS,
    OBS_SETS_LEFT,
    OBS_RUNS_LEFT,
    OBS_ALL_AT_ONCE,
    OBS_DEAL,
    OBS_DOWN,
    OBS_PLAYED_BEFORE,
    OBS_PLAYED_THIS_TURN,
    OBS_MELDS_THIS_TURN,
    OBS_HAND_SIZE,
    OBS_STOCK_SIZE,
    OBS_RECYCLES_LEFT,
    OBS_SCORE,
    OBS_TARGET,
    OBS_TURN,
    OBS_DEALER,
    OBS_DISTANCE,
    OBS_DISCARD_DISTANCE,
    OBS_TAKE_DISTANCE,
    OBS_DEADWOOD,
    OBS_DISCARD_DEADWOOD,
    OBS_TAKE_DEADWOOD,
    OBS_OUTS,
    OBS_DISCARD_OUTS,
    OBS_TAKE_OUTS,
) = range(48)


def _steps(steps: tuple[int, ...]) -> str:
    return ", ".join(str(step) for step in steps)


def observation_blocks(rules: RuleSet, table: Table, observation: str = PLAIN) -> list[ObservationBlock]:
    """Blocks of the observation, in order. Seats are relative to the viewer: 0 is the viewer, 1 plays next.

    Raises:
        ArgumentError: `observation` is none of `OBSERVATIONS`.
    """
    if observation not in OBSERVATIONS:
        raise ArgumentError(f"observation={observation!r} is not known: choose {' or '.join(map(repr, OBSERVATIONS))}")
    planning = _planning_blocks(rules, table) if observation == PLANNING else []
    return _plain_blocks(rules, table) + planning


def _plain_blocks(rules: RuleSet, table: Table) -> list[ObservationBlock]:
    faces, packs, jokers = num_faces(table), table.num_packs, table.num_jokers
    seats, others = table.num_players, table.num_players - 1
    contracts = rules.contracts or ()
    most_sets = max((sets for sets, _ in contracts), default=0)
    most_runs = max((runs for _, runs in contracts), default=0)
    deep = rules.discard_pickup == "any"
    swaps = jokers > 0 and rules.joker_swap_scope != "none"
    target = rules.game_end == "target_score"
    recycles = min(rules.max_recycles or 0, RECYCLES_SHOWN)
    melds = rules.max_melds_per_turn or 0
    copies = (packs, NUM_NATURALS)
    blocks = [
        (True, OBS_HAND, "hand", copies, "own hand: at least k + 1 copies"),
        (jokers, OBS_HAND_JOKERS, "hand_jokers", (jokers,), "own jokers: more than k"),
        (True, OBS_TOP, "top", (faces,), "the top discard"),
        (True, OBS_PILE, "pile", copies, "discard pile: at least k + 1 copies"),
        (jokers, OBS_PILE_JOKERS, "pile_jokers", (jokers,), "jokers in the pile: more than k"),
        (
            deep,
            OBS_PILE_DEPTH,
            "pile_depth",
            (DEPTH_BINS, faces),
            "taking this discard picks up 2, 3-4, 5-8 or more cards",
        ),
        (True, OBS_TABLE, "table", copies, "naturals in melds: at least k + 1 copies"),
        (
            swaps,
            OBS_SWAPPABLE,
            "swappable",
            (NUM_NATURALS,),
            "identities of jokers that a player who is down may exchange",
        ),
        (True, OBS_FITS_LOW, "fits_low", (NUM_NATURALS,), "cards that fit below a run"),
        (True, OBS_FITS_HIGH, "fits_high", (NUM_NATURALS,), "cards that fit above a run"),
        (rules.layoff_on_sets, OBS_FITS_SET, "fits_set", (NUM_NATURALS,), "cards that fit on a set"),
        (True, OBS_KNOWN, "known", (others, faces), "per opponent: picked up from the pile and still held"),
        (True, OBS_DISCARDED, "discarded", (others, faces), "per opponent: discarded this deal"),
        (True, OBS_REFUSED, "refused", (others, faces), "per opponent: left lying as the top discard"),
        (True, OBS_UNSEEN, "unseen", copies, "copies in the stock or unknown in other hands: at least k + 1"),
        (jokers, OBS_UNSEEN_JOKERS, "unseen_jokers", (jokers,), "jokers not seen: more than k"),
        (True, OBS_PHASE, "phase", (2,), "draw, play"),
        (True, OBS_TO_MOVE, "to_move", (seats,), "seat to move"),
        (True, OBS_TAKEN, "taken", (faces,), "the top discard taken this turn, banned from the discard"),
        (deep, OBS_OBLIGED, "obliged", (faces,), "the deep pick-up that must be placed next"),
        (jokers, OBS_DECLARED, "declared", (NUM_NATURALS,), "declared jokers that are not placed yet"),
        (swaps, OBS_FREED, "freed", (1,), "a joker freed by an exchange waits for its declaration"),
        (most_sets, OBS_CONTRACT_SETS, "contract_sets", (most_sets,), "the contract asks for more than k sets"),
        (most_runs, OBS_CONTRACT_RUNS, "contract_runs", (most_runs,), "the contract asks for more than k runs"),
        (most_sets, OBS_SETS_LEFT, "sets_left", (most_sets,), "contract being laid: more than k sets left"),
        (most_runs, OBS_RUNS_LEFT, "runs_left", (most_runs,), "contract being laid: more than k runs left"),
        (rules.all_at_once_deals, OBS_ALL_AT_ONCE, "all_at_once", (1,), "the whole hand must go down at once"),
        (contracts, OBS_DEAL, "deal", (len(contracts),), "number of the contract"),
        (contracts, OBS_DOWN, "down", (seats, 3), "per seat: not down, down earlier, down this turn"),
        (True, OBS_PLAYED_BEFORE, "played_before", (seats,), "per seat: has placed a card in an earlier turn"),
        (True, OBS_PLAYED_THIS_TURN, "played_this_turn", (1,), "the player to move has placed a card this turn"),
        (melds, OBS_MELDS_THIS_TURN, "melds_this_turn", (melds,), "more than k melds laid this turn"),
        (
            True,
            OBS_HAND_SIZE,
            "hand_size",
            (seats, len(HAND_SIZE_STEPS)),
            f"per seat: cards >= {_steps(HAND_SIZE_STEPS)}",
        ),
        (True, OBS_STOCK_SIZE, "stock_size", (len(STOCK_STEPS),), f"stock >= {_steps(STOCK_STEPS)}"),
        (recycles, OBS_RECYCLES_LEFT, "recycles_left", (recycles,), "the pile may be recycled more than k times"),
        (
            True,
            OBS_SCORE,
            "score",
            (others, 2, len(SCORE_STEPS)),
            f"per opponent: own score minus theirs, theirs minus own >= {_steps(SCORE_STEPS)}",
        ),
        (target, OBS_TARGET, "target", (seats, TARGET_EIGHTHS), "per seat: score >= k + 1 eighths of the target"),
        (True, OBS_TURN, "turn", (len(ROUND_STEPS),), f"finished turns per player >= {_steps(ROUND_STEPS)}"),
        (True, OBS_DEALER, "dealer", (seats,), "the dealer"),
    ]
    return [
        ObservationBlock(number, name, shape, meaning) for present, number, name, shape, meaning in blocks if present
    ]


def _planning_blocks(rules: RuleSet, table: Table) -> list[ObservationBlock]:
    """What follows from the viewer's hand and from what it sees, for its choices of now."""
    faces, contracts = num_faces(table), rules.contracts is not None
    deadwood = "points of the hand that fit on no meld, once down" if contracts else "points of the hand in no meld"
    outs, least = "unseen copies of helpful cards", "leaves the least"
    kept = "distance" if contracts else f"deadwood, or no more than {MORE_DEADWOOD[-1]} points above"
    blocks = [
        (
            contracts,
            OBS_DISTANCE,
            "distance",
            (len(DISTANCE_STEPS),),
            f"further cards for the contract >= {_steps(DISTANCE_STEPS)}",
        ),
        (contracts, OBS_DISCARD_DISTANCE, "discard_distance", (faces,), f"discarding it {least} distance"),
        (contracts, OBS_TAKE_DISTANCE, "take_distance", (1,), "taking the top discard lowers the distance"),
        (True, OBS_DEADWOOD, "deadwood", (len(DEADWOOD_STEPS),), f"{deadwood} >= {_steps(DEADWOOD_STEPS)}"),
        (
            True,
            OBS_DISCARD_DEADWOOD,
            "discard_deadwood",
            (len(MORE_DEADWOOD), faces),
            f"discarding it {least} deadwood, or no more than {_steps(MORE_DEADWOOD)} points above",
        ),
        (
            True,
            OBS_TAKE_DEADWOOD,
            "take_deadwood",
            (len(LESS_DEADWOOD),),
            f"taking the top discard and discarding the best saves deadwood >= {_steps(LESS_DEADWOOD)}",
        ),
        (
            True,
            OBS_OUTS,
            "outs",
            (len(OUTS_STEPS),),
            f"before the draw, or after the discard that leaves most of them, {outs} >= {_steps(OUTS_STEPS)}",
        ),
        (
            True,
            OBS_DISCARD_OUTS,
            "discard_outs",
            (len(FEWER_OUTS), faces),
            f"per discard that {least} {kept}: {outs} are no more than {_steps(FEWER_OUTS)} below the most",
        ),
        (True, OBS_TAKE_OUTS, "take_outs", (len(MORE_OUTS),), f"the top discard adds {outs} >= {_steps(MORE_OUTS)}"),
    ]
    return [
        ObservationBlock(number, name, shape, meaning) for present, number, name, shape, meaning in blocks if present
    ]
