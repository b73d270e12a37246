"""The result of a match: figures with intervals, as plain data and as tables."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from rich import box
from rich.markup import escape
from rich.table import Table

from rummy_env.arena.behaviour import DECISIONS, behaviour_rows, figure_text, figures
from rummy_env.arena.chunk import ALONE_WON, DEALS, DECIDED, GAMES, GAMES_WON, POINTS, WON, Chunk
from rummy_env.arena.match import Match
from rummy_env.arena.ratings import Rating, rate
from rummy_env.arena.statistics import CONFIDENCE, RESAMPLES, Estimate, bootstrap_ratios, holm, sign_test

FORMAT = "rummy-env-arena/1"
"""Tag of the JSON form; changes when a reader of this version could not read a newer report."""
FORFEITS_SHOWN = 10


@dataclass(frozen=True)
class PairResult:
    """How the first of a pair did against the second.

    Attributes:
        first: Label of the agent.
        second: Label of its opponent.
        points: Points a deal that the first is ahead: with contracts the mean of the others' penalties minus the own,
            without what the engine pays a seat (the winner gains what the others lose).
        deals_won: Of the deals in which anybody went out, the share in which the first did; equals have 0.5 at any
            table. None where nobody ever went out.
        games_won: Share of games won, ties shared; None where single deals are played.
        alone: Share of games that the first wins in one seat among copies of the second, and the second among copies of
            the first: par is one by the number of seats. None where single deals are played, or by two.
        better: Units in which the first was ahead over all seatings.
        worse: Units in which the second was.
        p_value: Exact two-sided sign test of these two numbers.
        p_holm: The same, corrected by Holm's method for the number of pairs in the table.
        forfeits: Games that each of the two forfeited.
    """

    first: str
    second: str
    points: Estimate
    deals_won: Estimate | None
    games_won: Estimate | None
    alone: tuple[Estimate, Estimate] | None
    better: int
    worse: int
    p_value: float
    p_holm: float
    forfeits: tuple[int, int]

    def mirrored(self) -> "PairResult":
        """The same result, seen from the second."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            points=_mirrored(self.points, 0.0),
            deals_won=None if self.deals_won is None else _mirrored(self.deals_won, 1.0),
            games_won=None if self.games_won is None else _mirrored(self.games_won, 1.0),
            alone=None if self.alone is None else (self.alone[1], self.alone[0]),
            better=self.worse,
            worse=self.better,
            forfeits=(self.forfeits[1], self.forfeits[0]),
        )

    def to_dict(self) -> dict[str, Any]:
        """The result as plain JSON."""
        plain = {name: value._asdict() if isinstance(value, Estimate) else value for name, value in vars(self).items()}
        alone = None if self.alone is None else [share._asdict() for share in self.alone]
        return plain | {"alone": alone, "forfeits": list(self.forfeits)}


@dataclass(frozen=True)
class Report:
    """All that a match has shown.

    Attributes:
        match: The match.
        pairs: A result for each pair.
        ratings: OpenSkill rating by label, from who was ahead in each unit; None where OpenSkill is not installed.
        behaviour: By label, what `behaviour.figures` says.
        decisions_per_s: By label, decisions for each second that the agent thought; None for one that never did.
        unique_deals: How many of the units began with different cards or dealers.
        forfeits: As in `Chunk`, in the order of units.
    """

    match: Match
    pairs: list[PairResult]
    ratings: dict[str, Rating] | None
    behaviour: dict[str, dict[str, Any]]
    decisions_per_s: dict[str, float | None]
    unique_deals: int
    forfeits: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain JSON; all but ``decisions_per_s`` follows from ``match``."""
        ratings = None if self.ratings is None else {name: rating._asdict() for name, rating in self.ratings.items()}
        return {
            "format": FORMAT,
            "match": self.match.to_dict(),
            "unique_deals": self.unique_deals,
            "intervals": {
                "confidence": CONFIDENCE,
                "resamples": RESAMPLES,
                "method": "percentile bootstrap over units",
            },
            "pairs": [pair.to_dict() for pair in self.pairs],
            "ratings": ratings,
            "behaviour": self.behaviour,
            "decisions_per_s": self.decisions_per_s,
            "forfeits": self.forfeits,
        }

    def cross_table(self) -> dict[tuple[str, str], Estimate]:
        """Points a deal that one agent is ahead of another, by the labels of both; each pair is there both ways."""
        table = {}
        for pair in self.pairs:
            table[pair.first, pair.second] = pair.points
            table[pair.second, pair.first] = pair.mirrored().points
        return table

    def tables(self) -> list[Table]:
        """The report as tables for a terminal."""
        tables = [self._pairs_table(), self._cross_table(), self._behaviour_table()]
        return tables + ([self._forfeits_table()] if self.forfeits else [])

    def _pairs_table(self) -> Table:
        match = self.match
        unit = "deals" if match.games is None else "games"
        table = Table(
            title=f"{match.rules.name}, {match.seats} players, seed {match.seed}: {match.units:,} {unit} "
            f"({self.unique_deals:,} different), each in {len(match.seatings)} seatings",
            caption=f"in brackets {CONFIDENCE:.0%} intervals, bootstrap over {unit}; p: sign test, corrected by Holm",
            box=box.SIMPLE_HEAD,
        )
        table.add_column("")
        games = ["games won"] if match.games is not None else []
        games += ["won alone"] if games and match.seats > 2 else []
        for name in ("points a deal", "deals won", *games, "ahead : behind", "p"):
            table.add_column(name, justify="right", no_wrap=name != "ahead : behind")
        for pair in self.pairs:
            won = [_share(pair.games_won)] if games else []
            won += [] if pair.alone is None else ["\n".join(_brief(share) for share in pair.alone)]
            table.add_row(
                escape(f"{pair.first}\n– {pair.second}"),
                *(_points(pair.points), _share(pair.deals_won), *won),
                *(f"{pair.better} : {pair.worse}", _p_value(pair.p_holm)),
            )
        return table

    def _cross_table(self) -> Table:
        cells, labels = self.cross_table(), self.match.labels
        caption = None if self.ratings else escape("for ratings: pip install 'rummy-env[arena]'")
        table = Table(title="points a deal, row against column", caption=caption, box=box.SIMPLE_HEAD)
        table.add_column("")
        for label in (*labels, *(["OpenSkill"] if self.ratings else [])):
            table.add_column(escape(label), justify="right")
        for row in labels:
            points = [f"{cells[row, column].value:+.2f}" if (row, column) in cells else "" for column in labels]
            rating = [f"{self.ratings[row].mu:.1f} ± {self.ratings[row].sigma:.1f}"] if self.ratings else []
            table.add_row(escape(row), *points, *rating)
        return table

    def _behaviour_table(self) -> Table:
        table = Table(title="behaviour", box=box.SIMPLE_HEAD)
        table.add_column("")
        for label in self.match.labels:
            table.add_column(escape(label), justify="right")
        contracts = self.match.rules.contracts is not None
        for text, cells in behaviour_rows([self.behaviour[label] for label in self.match.labels], contracts):
            table.add_row(text, *cells)
        speeds = (self.decisions_per_s[label] for label in self.match.labels)
        table.add_row("decisions a second", *(figure_text(speed, "{:,.0f}") for speed in speeds))
        return table

    def _forfeits_table(self) -> Table:
        table = Table(title=f"{len(self.forfeits)} forfeited games", box=box.SIMPLE_HEAD)
        names = ("agent", "seed", "contract", "deal", "seating", "action", "reason")
        for name in names:
            table.add_column(name, overflow="fold")
        for forfeit in self.forfeits[:FORFEITS_SHOWN]:
            shown = forfeit | {"seating": ", ".join(forfeit["seating"])}
            table.add_row(*("–" if shown[name] is None else escape(str(shown[name])) for name in names))
        if len(self.forfeits) > FORFEITS_SHOWN:
            table.caption = f"the first {FORFEITS_SHOWN}; the JSON form has all"
        return table


def make_report(match: Match, chunks: Sequence[Chunk]) -> Report:
    """Sum up the chunks of a match, which hold every unit once, in any order."""
    chunks = sorted(chunks, key=lambda chunk: chunk.first)
    outcomes = np.concatenate([chunk.outcomes for chunk in chunks])
    counts = np.sum([chunk.behaviour for chunk in chunks], axis=0)
    seconds = np.sum([chunk.seconds for chunk in chunks], axis=0)
    forfeits = [forfeit for chunk in chunks for forfeit in chunk.forfeits]
    ahead = outcomes[:, :, POINTS]
    results = ((*pair, ahead[unit, column]) for unit in range(len(ahead)) for column, pair in enumerate(match.pairs))
    ratings = rate(len(match.agents), results)
    return Report(
        match=match,
        pairs=_pair_results(match, outcomes, forfeits),
        ratings=None if ratings is None else dict(zip(match.labels, ratings, strict=True)),
        behaviour={label: figures(row) for label, row in zip(match.labels, counts, strict=True)},
        decisions_per_s={
            label: int(row[DECISIONS]) / float(thought) if thought > 0 else None
            for label, row, thought in zip(match.labels, counts, seconds, strict=True)
        },
        unique_deals=len({deal for chunk in chunks for deal in chunk.deals}),
        forfeits=forfeits,
    )


def _pair_results(match: Match, outcomes: np.ndarray, forfeits: list[dict[str, Any]]) -> list[PairResult]:
    half = outcomes[:, :, GAMES] / 2 if match.seats > 2 else np.zeros(outcomes.shape[:2])
    among_won = half - (outcomes[:, :, GAMES_WON] - outcomes[:, :, ALONE_WON])
    above = [*(outcomes[:, :, name] for name in (POINTS, WON, GAMES_WON, ALONE_WON)), among_won]
    below = [*(outcomes[:, :, name] for name in (DEALS, DECIDED, GAMES)), half, half]
    figures = len(above)
    numerators, denominators = (np.stack(each, axis=2).reshape(len(outcomes), -1) for each in (above, below))
    estimates = bootstrap_ratios(numerators, denominators, match.seed)
    better, worse = (outcomes[:, :, POINTS] > 0).sum(axis=0), (outcomes[:, :, POINTS] < 0).sum(axis=0)
    p_values = [sign_test(int(better[column]), int(worse[column])) for column in range(len(match.pairs))]
    lost = Counter((forfeit["agent"], forfeit["opponent"]) for forfeit in forfeits)
    results = []
    for column, (corrected, pair) in enumerate(zip(holm(p_values), match.pairs, strict=True)):
        first, second = (match.labels[agent] for agent in pair)
        points, deals_won, games_won, alone, among = estimates[column * figures : (column + 1) * figures]
        assert points is not None  # every unit has a deal
        results.append(
            PairResult(
                first=first,
                second=second,
                points=points,
                deals_won=deals_won,
                games_won=None if match.games is None else games_won,
                alone=None if match.games is None or alone is None or among is None else (alone, among),
                better=int(better[column]),
                worse=int(worse[column]),
                p_value=p_values[column],
                p_holm=corrected,
                forfeits=(lost[first, second], lost[second, first]),
            )
        )
    return results


def _mirrored(estimate: Estimate, total: float) -> Estimate:
    """What the other side has of a `total` (0.0 - x, as -x would make -0.0 of a zero)."""
    return Estimate(total - estimate.value, total - estimate.high, total - estimate.low)


def _points(estimate: Estimate) -> str:
    return f"{estimate.value:+.2f}\n[{estimate.low:+.2f},{estimate.high:+.2f}]"


def _share(estimate: Estimate | None) -> str:
    if estimate is None:
        return "–"
    return f"{estimate.value:.1%}\n[{estimate.low:.1%},{estimate.high:.1%}]"


def _brief(share: Estimate) -> str:
    return f"{share.value:.1%} [{share.low:.1%},{share.high:.1%}]"


def _p_value(p_value: float) -> str:
    return "< 0.0001" if p_value < 0.0001 else f"{p_value:.2g}"
