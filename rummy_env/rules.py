"""The rules of a game as data: every option with its help, loading, and what makes a rule set or a table impossible.

The defaults are those of Contract Rummy. An option is refused rather than ignored wherever it cannot do anything.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from rummy_env.cards import NUM_RANKS, NUM_SUITS
from rummy_env.errors import RulesError
from rummy_env.feasibility import MAX_PACKS, MELD_SIZE, check_rules, check_seats, check_stock
from rummy_env.options import (
    Choice,
    Either,
    HandSizes,
    Number,
    OptionHelp,
    Several,
    Span,
    Text,
    Weight,
    kind_of,
    known_options,
    option,
    option_of,
    parse_option,
    plain,
    suggestion,
)
from rummy_env.presets import PRESETS

MAX_PLAYERS = 8
MAX_JOKERS = 12
MAX_CONTRACTS = 16
MAX_DEALS = 32
TURNS_PER_PLAYER = 50

_CONTRACT_NUMBER = Number(1, MAX_CONTRACTS)
_NUMBERS = "a list of contract numbers, from 1"
_CONTRACTS = f"a list of up to {MAX_CONTRACTS} pairs [sets, runs]"
_CARDS = Number(1, 40)
_SEATS = Number(0, MAX_PLAYERS - 1)


@dataclass(frozen=True)
class Table:
    """A rule set at a number of players: every size that depends on it.

    Attributes:
        num_players: players at the table.
        num_packs: packs of naturals.
        num_jokers: jokers in all packs together.
        num_cards: naturals and jokers.
        hand_sizes: cards dealt to each player, one entry for each contract (a single one without contracts).
        stock_sizes: cards left in the stock after the upcard, likewise; below 1 where that contract is not played.
        deals: numbers of the contracts in the order played, from 1, repeated where the game lasts longer;
            ``(1,)`` without contracts.
        num_deals: the game ends after this many deals at the latest.
        max_turns: a deal ends after this many turns of all players together.
        ace_value: points of an ace.
    """

    num_players: int
    num_packs: int
    num_jokers: int
    num_cards: int
    hand_sizes: tuple[int, ...]
    stock_sizes: tuple[int, ...]
    deals: tuple[int, ...]
    num_deals: int
    max_turns: int
    ace_value: int


@dataclass(frozen=True)
class RuleSet:
    """The rules of one game: immutable, hashable, valid from the moment it exists.

    Values are brought into a canonical form (lists become tuples, a mapping of hand sizes becomes pairs).
    `RulesError` names the option, the value and the remedy wherever something is refused.
    """

    name: str = option("custom", "What these rules are called in records and on screen.", Text())
    num_players: tuple[int, int] = option((2, MAX_PLAYERS), "Fewest and most players.", Span(Number(2, MAX_PLAYERS)))
    deck_policy: Literal["auto", "explicit"] = option(
        "auto",
        "auto: one pack and one joker for up to four players, two and two from five up, "
        "unless num_decks or num_jokers says otherwise; explicit: both are given.",
    )
    num_decks: int | None = option(None, "Number of packs.", Number(1, MAX_PACKS, "by deck_policy"))
    num_jokers: int | None = option(
        None, "Number of jokers in all packs together.", Number(0, MAX_JOKERS, "by deck_policy")
    )
    deck_ranks: int = option(NUM_RANKS, "Only the lowest ranks, this many, are in the deck.", Number(1, NUM_RANKS))
    deck_suits: int = option(
        NUM_SUITS, "Only the first suits of C D H S, this many, are in the deck.", Number(1, NUM_SUITS)
    )
    hand_sizes: tuple[int, ...] | tuple[tuple[int, int], ...] = option(
        (10, 10, 10, 10, 12, 12, 12),
        "Cards dealt to each player, by contract or by number of players.",
        HandSizes(Number(2, MAX_PLAYERS), _CARDS, MAX_CONTRACTS),
    )
    contracts: tuple[tuple[int, int], ...] | None = option(
        ((2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3)),
        "Sets and runs that a player must lay first, all at once, contract by contract.",
        Several(Several(Number(0, 99), "", (2, 2)), _CONTRACTS, (1, MAX_CONTRACTS), "everybody may meld at any time"),
    )
    deals: tuple[int, ...] | None = option(
        None,
        "Which contracts are played, in order.",
        Several(_CONTRACT_NUMBER, f"{_NUMBERS}, at most {MAX_DEALS} of them", (1, MAX_DEALS), "each once"),
        without_contracts=None,
    )
    deal_weights: tuple[float, ...] | None = option(
        None,
        "How likely each of the deals is where a game is one of them.",
        Several(Weight(), "a list of numbers from 0, one for each deal", (1, MAX_DEALS), "all equally likely"),
        without_contracts=None,
    )
    first_dealer: int | str = option(
        "random",
        "Who deals first: a random seat, the seat that cuts the lowest card, or a given seat.",
        Either(Choice(("random", "cut")), _SEATS),
    )
    discard_pickup: Literal["any", "top"] = option(
        "any",
        "Whether any card of the discard pile may be taken, with all above it, if it is melded at once, "
        "or the top card only.",
        later=("max",),
    )
    contract_runs_suit_rule: Literal["distinct", "not_adjacent", "free"] = option(
        "distinct",
        "Whether the runs of a contract need different suits, must not join into one run, or are free.",
        without_contracts="distinct",
    )
    all_at_once_deals: tuple[int, ...] = option(
        (7,),
        "Contracts that are laid only together with the whole hand.",
        Several(_CONTRACT_NUMBER, _NUMBERS, (0, MAX_CONTRACTS)),
        without_contracts=(),
    )
    all_at_once_discard: Literal["forbidden", "optional", "required"] = option(
        "forbidden",
        "Whether one card of the hand is discarded when everything goes down at once.",
        without_contracts="forbidden",
    )
    extra_melds: Literal["none", "any"] = option(
        "none",
        "Whether a player who has laid the contract may lay further melds.",
        later=("same_turn", "later"),
        without_contracts="any",
    )
    layoff_timing: Literal["same_turn", "later_turn"] = option(
        "same_turn",
        "Whether lay-offs may begin in the turn of going down (without contracts: on melds of the same turn) "
        "or only in a later one.",
    )
    layoff_scope: Literal["all", "own"] = option("all", "Whether cards go onto all melds or only the player's own.")
    layoff_on_sets: bool = option(True, "Whether a set of three takes the fourth suit.")
    layoff_requires_own_meld: bool = option(
        False, "Whether only a player who owns a meld on the table may lay off.", with_contracts=False
    )
    max_melds_per_turn: int | None = option(
        None, "How many melds a player may lay in one turn.", Number(1, 20, "any number"), with_contracts=None
    )
    final_discard: Literal["optional", "required", "forbidden"] = option(
        "optional", "Whether going out needs a last discard, allows it, or forbids it."
    )
    joker_swap_scope: Literal["any_run", "others_runs", "none"] = option(
        "any_run",
        "From which runs a joker may be freed by the card it stands for: any, those of others, or none.",
        without_contracts="none",
    )
    joker_discard: Literal["yes", "only_last", "no"] = option(
        "yes", "Whether a joker may be discarded: always, as the last card only, or never."
    )
    max_recycles: int | None = option(
        None, "How often the discard pile becomes the new stock in a deal.", Number(0, 1000, "without limit")
    )
    dead_deal_scoring: Literal["score_hands", "void", "lowest_hand"] = option(
        "score_hands",
        "A deal that nobody wins: everybody scores the own hand, nobody scores, or the lowest hand gains the "
        "differences.",
    )
    max_turns_per_deal: int | None = option(
        None,
        "After this many turns of all players together a deal ends without a winner.",
        Number(1, 10_000, f"{TURNS_PER_PLAYER} for each player"),
    )
    min_naturals_per_meld: int = option(1, "How many cards of a new meld must be naturals.", Number(1, MELD_SIZE))
    adjacent_jokers: bool = option(True, "Whether two jokers may lie side by side in a run.")
    allow_double_ace_run: bool = option(True, "Whether a run may go from a low ace up to a high ace.")
    ace_mode: Literal["low", "both"] = option("both", "Whether the ace is low in runs, or low and high.")
    ace_value: int | None = option(15, "Points of an ace.", Number(0, 100, "1 where the ace is low, else 15"))
    joker_value: int = option(15, "Points of a joker.", Number(0, 100))
    going_rummy: Literal["off", "no_earlier_play", "any"] = option(
        "off",
        "When going out multiplies the points: never, if the player had nothing on the table before this turn, "
        "or always.",
    )
    going_rummy_multiplier: int = option(2, "What going rummy multiplies the points by.", Number(1, 10))
    game_end: Literal["n_deals", "target_score", "single_deal"] = option(
        "n_deals", "Whether a game ends after a number of deals, at a score, or after one deal drawn from all."
    )
    target_score: int | None = option(
        None, "The score that ends the game.", Number(1, 100_000, "where game_end is not target_score")
    )
    n_deals: int | None = option(
        None,
        "How many deals a game has; contracts start again after the last.",
        Number(1, 1000, "one for each contract, or where game_end is not n_deals"),
    )
    max_deals: int = option(100, "A game to a target score ends after this many deals at the latest.", Number(1, 1000))

    def __post_init__(self) -> None:
        for rule in dataclasses.fields(self):
            object.__setattr__(self, rule.name, parse_option(rule, getattr(self, rule.name)))
        check_rules(self)

    @classmethod
    def preset(cls, name: str) -> "RuleSet":
        """The rule set of that name: one of `presets.PRESETS`."""
        if not isinstance(name, str) or name not in PRESETS:
            raise RulesError(
                f"preset: there is no preset {name!r}{suggestion(name, PRESETS)}; presets: {', '.join(PRESETS)}"
            )
        return cls(name=name, **PRESETS[name])

    @classmethod
    def load(cls, source: "str | Path | Mapping[str, Any] | RuleSet") -> "RuleSet":
        """A rule set from the name of a preset, the path of a YAML file, a mapping, or itself.

        A mapping gives options by name. It may name a `preset` to start from; the others start from the defaults.
        Without a `name` changed rules are called after their file, or "custom".
        """
        if isinstance(source, RuleSet):
            return source
        if isinstance(source, Mapping):
            changes = dict(source)
            base = cls.preset(changes.pop("preset")) if "preset" in changes else cls()
            return base._changed(changes)
        if isinstance(source, str) and (source in PRESETS or not _looks_like_path(source)):
            return cls.preset(source)
        if isinstance(source, str | Path):
            path = Path(source)
            return cls.load({"name": path.stem} | _read_yaml(path))
        raise RulesError(
            f"rules: {source!r} is no rule set; give the name of a preset ({', '.join(PRESETS)}), the path of a YAML "
            "file, a mapping of options, or a RuleSet"
        )

    @classmethod
    def options(cls) -> tuple[OptionHelp, ...]:
        """Name, help, allowed values and default of every option, in the order of the fields."""
        return tuple(
            OptionHelp(rule.name, option_of(rule).help, kind_of(rule).values, plain(rule.default))
            for rule in dataclasses.fields(cls)
        )

    def replace(self, **changes: Any) -> "RuleSet":
        """The same rules with some options changed.

        A change of `game_end` clears `target_score`, `n_deals` and `deal_weights`, a change of `deals` clears
        `deal_weights`, where they are not given too. Changed rules are
        called "custom" unless a `name` is given.
        """
        return self._changed(changes)

    def _changed(self, given: Mapping[Any, Any]) -> "RuleSet":
        changes = known_options(given, (rule.name for rule in dataclasses.fields(self)))
        if changes.get("game_end", self.game_end) != self.game_end:
            changes = {"target_score": None, "n_deals": None, "deal_weights": None} | changes
        if "deals" in changes:
            changes = {"deal_weights": None} | changes
        changed = dataclasses.replace(self, **changes)
        return changed if changed == self or "name" in changes else dataclasses.replace(changed, name="custom")

    def to_dict(self) -> dict[str, Any]:
        """Every option as plain JSON data; `load` gives an equal rule set back."""
        return {rule.name: plain(getattr(self, rule.name)) for rule in dataclasses.fields(self)}

    @property
    def default_num_players(self) -> int:
        """Players where no number is asked for: four with contracts, two without, as far as the range allows."""
        fewest, most = self.num_players
        return min(max(4 if self.contracts else 2, fewest), most)

    @property
    def played_contracts(self) -> tuple[int, ...]:
        """Numbers of the contracts in the order played, from 1; ``(1,)`` without contracts."""
        return self.deals or tuple(range(1, len(self.contracts or (None,)) + 1))

    def hand_sizes_for(self, num_players: int) -> tuple[int, ...]:
        """Cards dealt to each player at an allowed table, one entry for each contract (a single one without)."""
        sizes: tuple[Any, ...] = self.hand_sizes
        if isinstance(sizes[0], tuple):
            sizes = (dict(sizes)[num_players],)
        return sizes if len(sizes) > 1 else sizes * len(self.contracts or (None,))

    def table(self, num_players: int) -> Table:
        """The sizes at a table of `num_players`; `RulesError` where the cards do not suffice for every deal."""
        check_seats(self, num_players)
        automatic = 1 if num_players <= 4 else 2
        num_packs = automatic if self.num_decks is None else self.num_decks
        num_jokers = automatic if self.num_jokers is None else self.num_jokers
        num_cards = num_packs * self.deck_ranks * self.deck_suits + num_jokers
        hand_sizes = self.hand_sizes_for(num_players)
        for number in self.played_contracts:
            check_stock(self, num_players, number, hand_sizes[number - 1], num_packs, num_jokers)
        num_deals = {
            "n_deals": self.n_deals or len(self.played_contracts),
            "target_score": self.max_deals,
            "single_deal": 1,
        }[self.game_end]
        return Table(
            num_players=num_players,
            num_packs=num_packs,
            num_jokers=num_jokers,
            num_cards=num_cards,
            hand_sizes=hand_sizes,
            stock_sizes=tuple(num_cards - num_players * size - 1 for size in hand_sizes),
            deals=self.played_contracts,
            num_deals=num_deals,
            max_turns=self.max_turns_per_deal or TURNS_PER_PLAYER * num_players,
            ace_value=self.ace_value if self.ace_value is not None else 1 if self.ace_mode == "low" else 15,
        )


def _looks_like_path(text: str) -> bool:
    return Path(text).suffix in (".yaml", ".yml") or len(Path(text).parts) > 1


def _read_yaml(path: Path) -> dict[Any, Any]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RulesError(
            f"rules: cannot read {str(path)!r} ({error}); give a YAML file, or a preset: {', '.join(PRESETS)}"
        ) from error
    except yaml.YAMLError as error:
        raise RulesError(f"rules: {str(path)!r} is no valid YAML: {error}") from error
    if not isinstance(content, dict):
        raise RulesError(f"rules: {str(path)!r} holds no mapping; write one `option: value` on each line")
    return content
