"""What a rule option may be: kinds of value, the help of each option, and the options that are not available yet."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass, field
from numbers import Integral, Real
from typing import Any, Protocol, get_args

from rummy_env.errors import RulesError

ANY_VALUE = object()

# Options of the wider family, at the only value they can have so far.
UNAVAILABLE: Mapping[str, object] = {
    "next_dealer": "left",
    "max_deep_take": None,
    "deep_take_timing": "next_action",
    "deep_take_use": "meld_or_layoff",
    "deep_take_not_down": "contract_only",
    "deep_take_by_swap": True,
    "contract_run_max": None,
    "contract_exact": False,
    "must_lay_contract": "optional",
    "forbid_discard_taken": True,
    "forbid_taken_scope": "face",
    "stuck_policy": "prevent",
    "joker_swap_use": "layoff_or_meld",
    "recycle_timing": "on_demand",
    "recycle_shuffle": "shuffle",
    "wild_limit_rule": "none",
    "max_wilds_per_meld": None,
    "go_out_bonus": 0,
    "first_turn_meld": True,
    "tie_break": "shared",
}


class Kind(Protocol):
    """A kind of value: says in words what it allows, and brings a value into its canonical, hashable form."""

    @property
    def values(self) -> str:
        """The allowed values in words."""

    def parse(self, value: object) -> object:
        """The canonical form of `value`; `ValueError` where it is not allowed."""


@dataclass(frozen=True)
class Text:
    """A text that is not empty."""

    values: str = "any text"

    def parse(self, value: object) -> str:
        if not isinstance(value, str) or not value.strip():
            raise ValueError
        return value


@dataclass(frozen=True)
class Flag:
    """True or false; no number stands for them."""

    values: str = "true, false"

    def parse(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise ValueError
        return value


@dataclass(frozen=True)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]

    @property
    def values(self) -> str:
        return ", ".join(self.words)

    def parse(self, value: object) -> str:
        if isinstance(value, bool):
            # YAML reads the bare words yes, no, on and off as booleans.
            spelled = ("yes", "on") if value else ("no", "off")
            value = next((word for word in spelled if word in self.words), value)
        if not isinstance(value, str) or value not in self.words:
            raise ValueError
        return value


@dataclass(frozen=True)
class Number:
    """A whole number from `low` to `high`, or nothing where `null` says what nothing means."""

    low: int
    high: int
    null: str | None = None

    @property
    def values(self) -> str:
        return f"{self.low} to {self.high}" + (f", or null ({self.null})" if self.null else "")

    def parse(self, value: object) -> int | None:
        if value is None and self.null:
            return None
        if isinstance(value, bool) or not isinstance(value, Integral) or not self.low <= int(value) <= self.high:
            raise ValueError
        return int(value)


@dataclass(frozen=True)
class Weight:
    """A number from 0, whole or not."""

    values: str = "a number from 0"

    def parse(self, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1e9:
            raise ValueError
        return float(value)


@dataclass(frozen=True)
class Either:
    """Whatever one of two kinds allows."""

    first: Kind
    second: Kind

    @property
    def values(self) -> str:
        return f"{self.first.values}, or {self.second.values}"

    def parse(self, value: object) -> object:
        try:
            return self.first.parse(value)
        except ValueError:
            return self.second.parse(value)


@dataclass(frozen=True)
class Several:
    """A list of values of one kind; `length` bounds its size; nothing where `null` says what nothing means."""

    item: Kind
    words: str
    length: tuple[int, int]
    null: str | None = None

    @property
    def values(self) -> str:
        return self.words + (f", or null ({self.null})" if self.null else "")

    def parse(self, value: object) -> tuple[Any, ...] | None:
        if value is None and self.null:
            return None
        if not isinstance(value, list | tuple) or not self.length[0] <= len(value) <= self.length[1]:
            raise ValueError
        return tuple(self.item.parse(entry) for entry in value)


@dataclass(frozen=True)
class Span:
    """A range of numbers; a single number is a range of its own."""

    bounds: Number

    @property
    def values(self) -> str:
        return f"[fewest, most], or one number, within {self.bounds.values}"

    def parse(self, value: object) -> tuple[int, int]:
        ends = list(value) if isinstance(value, list | tuple) else [value, value]
        low, high = (self.bounds.parse(end) for end in ends)
        if low is None or high is None or low > high:
            raise ValueError
        return low, high


@dataclass(frozen=True)
class HandSizes:
    """Cards by deal (a list, or one number for all deals) or by players (a mapping, or the same as pairs)."""

    players: Number
    cards: Number
    most: int

    @property
    def values(self) -> str:
        return (
            f"a number of cards ({self.cards.values}), a list with one for each contract, "
            "or a mapping from players to cards"
        )

    def parse(self, value: object) -> tuple[Any, ...]:
        if isinstance(value, Mapping):
            # JSON turns the numbers of players into texts.
            value = [(int(key) if isinstance(key, str) else key, cards) for key, cards in value.items()]
        sizes: list[Any] = list(value) if isinstance(value, list | tuple) else [value]
        if not 1 <= len(sizes) <= self.most:
            raise ValueError
        if not all(isinstance(entry, list | tuple) for entry in sizes):
            return tuple(self.cards.parse(entry) for entry in sizes)
        pairs = sorted((self.players.parse(players), self.cards.parse(cards)) for players, cards in sizes)
        if len(dict(pairs)) < len(pairs):
            raise ValueError
        return tuple(pairs)


@dataclass(frozen=True)
class Option:
    """What is known of one option besides its type and default.

    Attributes:
        help: one sentence on what it decides.
        kind: what values it takes; None where the annotation (a bool or a Literal) says so.
        later: values that are not available yet.
        with_contracts: the only value that makes sense in games with contracts, or `ANY_VALUE`.
        without_contracts: the only value that makes sense in games without contracts, or `ANY_VALUE`.
    """

    help: str
    kind: Kind | None = None
    later: tuple[str, ...] = ()
    with_contracts: object = ANY_VALUE
    without_contracts: object = ANY_VALUE


@dataclass(frozen=True)
class OptionHelp:
    """One line of the list of options: name, one sentence, allowed values in words, default as plain data."""

    name: str
    help: str
    values: str
    default: object


def option(default: object, help: str, kind: Kind | None = None, **details: Any) -> Any:
    """A dataclass field that carries an `Option`; `details` are further attributes of it."""
    return field(default=default, metadata={"option": Option(help, kind, **details)})


def option_of(rule: "Field[Any]") -> Option:
    """The `Option` of a dataclass field made by `option`."""
    entry: Option = rule.metadata["option"]
    return entry


def kind_of(rule: "Field[Any]") -> Kind:
    """The kind of value of a dataclass field made by `option`."""
    return option_of(rule).kind or (Flag() if rule.type is bool else Choice(get_args(rule.type)))


def parse_option(rule: "Field[Any]", value: object) -> object:
    """The canonical form of a value given for a dataclass field made by `option`; `RulesError` if not allowed."""
    kind = kind_of(rule)
    try:
        return kind.parse(value)
    except (ValueError, TypeError):
        pass
    if isinstance(value, str) and value in option_of(rule).later:
        raise RulesError(f"{rule.name}: {value!r} is not available yet; allowed: {kind.values}")
    near = suggestion(value, kind.words) if isinstance(kind, Choice) else ""
    raise RulesError(f"{rule.name}: {plain(value)!r} is not allowed{near}; allowed: {kind.values}")


def known_options(given: Mapping[Any, object], names: Iterable[str]) -> dict[str, Any]:
    """`given` without the unavailable options at their default.

    Raises:
        RulesError: an unavailable option at another value, or a name that is no option.
    """
    names = list(names)
    for name, value in given.items():
        if name in names:
            continue
        if name not in UNAVAILABLE:
            near = suggestion(name, [*names, *UNAVAILABLE])
            raise RulesError(f"{name}: there is no such option{near}; `rummy rules` lists all options")
        only = UNAVAILABLE[name]
        if type(value) is not type(only) or value != only:
            only_text = "null" if only is None else str(only).lower()
            raise RulesError(f"{name}: {value!r} is not available yet; leave it out, or give {only_text}")
    return {name: value for name, value in given.items() if name in names}


def suggestion(word: object, words: Iterable[str]) -> str:
    """A question that offers the nearest of `words`, to be put behind `word`; empty where none is near."""
    near = difflib.get_close_matches(str(word), list(words), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def plain(value: object) -> object:
    """`value` with lists in the place of tuples, as JSON and YAML have them."""
    return [plain(entry) for entry in value] if isinstance(value, tuple | list) else value
