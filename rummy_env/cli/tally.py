"""Counting what happened in many games, as a table and as plain data."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich import box
from rich.table import Table

REASONS = {"out": "a player went out", "blocked": "nobody could draw", "capped": "turn limit"}


@dataclass
class Spread:
    """Mean, smallest and largest of a stream of numbers."""

    count: int = 0
    total: float = 0.0
    low: float = float("inf")
    high: float = float("-inf")

    def add(self, value: float) -> None:
        """Take in one number."""
        self.count += 1
        self.total += value
        self.low = min(self.low, value)
        self.high = max(self.high, value)

    @property
    def mean(self) -> float:
        """Mean of the numbers so far, 0 of none."""
        return self.total / self.count if self.count else 0.0

    def to_dict(self) -> dict[str, float]:
        """The three figures as plain data."""
        return {"mean": self.mean, "min": self.low, "max": self.high} if self.count else {}

    def __str__(self) -> str:
        return f"{self.mean:,.1f} ({self.low:,.0f} – {self.high:,.0f})" if self.count else "–"


@dataclass
class Tally:
    """What happened in the games of one variant at one table.

    Attributes:
        variant: Name of the rules.
        num_players: Seats at the table.
        games: Finished games.
        decisions: Actions taken in them.
        seconds: Time that playing them took; 0 where they were only read.
        turns: Turns per deal.
        deal_decisions: Decisions per deal.
        scores: Final scores by seat.
        wins: Games won by seat; a shared win counts for each winner.
        ends: Deals by how they ended.
    """

    variant: str
    num_players: int
    games: int = 0
    decisions: int = 0
    seconds: float = 0.0
    turns: Spread = field(default_factory=Spread)
    deal_decisions: Spread = field(default_factory=Spread)
    scores: list[Spread] = field(init=False)
    wins: list[int] = field(init=False)
    ends: Counter[str] = field(default_factory=Counter)
    _decisions_before: int = 0

    def __post_init__(self) -> None:
        self.scores = [Spread() for _ in range(self.num_players)]
        self.wins = [0] * self.num_players

    def add_deal(self, summary: Mapping[str, Any]) -> None:
        """Take in a deal that ended with the last of the `decisions` counted so far."""
        self.turns.add(summary["turns"])
        self.ends[summary["reason"]] += 1
        self.deal_decisions.add(self.decisions - self._decisions_before)
        self._decisions_before = self.decisions

    def end_unfinished(self) -> None:
        """A game stops before its end: the deal that it leaves open counts for nothing."""
        self._decisions_before = self.decisions

    def add_game(self, scores: Sequence[int], winners: Sequence[int], seconds: float) -> None:
        """Take in a finished game, after its deals."""
        self.games += 1
        self.seconds += seconds
        for spread, score in zip(self.scores, scores, strict=True):
            spread.add(score)
        for seat in winners:
            self.wins[seat] += 1

    @property
    def decisions_per_s(self) -> float:
        """Decisions a second."""
        return self.decisions / self.seconds if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Everything counted, as plain JSON."""
        return {
            "variant": self.variant,
            "players": self.num_players,
            "games": self.games,
            "deals": self.turns.count,
            "decisions": self.decisions,
            "turns_per_deal": self.turns.to_dict(),
            "decisions_per_deal": self.deal_decisions.to_dict(),
            "mean_scores": [spread.mean for spread in self.scores],
            "wins": self.wins,
            "ends": {reason: self.ends[reason] for reason in REASONS},
            "seconds": self.seconds,
            "decisions_per_s": self.decisions_per_s,
        }

    def rows(self) -> list[tuple[str, str]]:
        """Everything counted, as pairs of a label and a text."""
        speed = [("decisions a second", f"{self.decisions_per_s:,.0f}")] if self.seconds else []
        ends = [(f"ended: {text}", f"{self.ends[reason]:,}") for reason, text in REASONS.items()]
        return [
            ("players", str(self.num_players)),
            ("games", f"{self.games:,}"),
            ("deals", f"{self.turns.count:,}"),
            *ends,
            ("turns per deal", str(self.turns)),
            ("decisions per deal", str(self.deal_decisions)),
            ("decisions", f"{self.decisions:,}"),
            *speed,
            ("mean score by seat", "  ".join(f"{spread.mean:.1f}" for spread in self.scores)),
            ("games won by seat", "  ".join(map(str, self.wins))),
        ]


def tally_table(tallies: Sequence[Tally]) -> Table:
    """A table with a column for each tally."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("")
    for tally in tallies:
        table.add_column(tally.variant, justify="right")
    for cells in zip(*(tally.rows() for tally in tallies), strict=True):
        table.add_row(cells[0][0], *(text for _, text in cells))
    return table
