"""The ladder of scripted players, measured in the arena and written to ``docs/ladder.md``.

``python -m benchmarks.ladder [--workers 2] [--scale 1.0] [--folder .ladder]`` plays every table of `SECTIONS`. Finished
parts are kept in the folder, so an interrupted run goes on where it stopped; a smaller scale plays fewer deals.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from rummy_env.arena import Estimate, Match, PairResult, Report, run

PAGE = Path(__file__).parent.parent / "docs" / "ladder.md"
SEED = 2026
RUNGS = ("random", "greedy", "planner", "cautious")
PROBES = ("stock_only", "hoarder", "rusher")
ROLLOUT, ISMCTS = "rollout:worlds=128", "ismcts"
QUICK_ROLLOUT = "rollout:worlds=128,horizon=16"


@dataclass(frozen=True)
class Section:
    """One table: agents over so many single deals, or whole games.

    With `reference` the others only play that one, which is what slow players are spared a round robin by.
    """

    title: str
    variant: str
    players: int
    agents: tuple[str, ...]
    deals: int | None = None
    games: int | None = None
    contract: int | None = None
    reference: str | None = None
    seed: int = SEED

    def match(self, scale: float) -> Match:
        """What is to be played."""
        deals, games = (None if count is None else max(2, round(count * scale)) for count in (self.deals, self.games))
        return Match(
            list(self.agents),
            self.variant,
            num_players=self.players,
            deals=deals,
            games=games,
            contract=self.contract,
            reference=self.reference,
            seed=self.seed,
        )


CONTRACT, TWO_PACKS, BASIC = "contract_rummy", "contract_rummy_two_packs", "basic_rummy"
SECTIONS = [
    Section("Basic Rummy, 2 players", BASIC, 2, RUNGS + PROBES, deals=4000),
    Section("Basic Rummy, 2 players, rollout", BASIC, 2, ("cautious", ROLLOUT), deals=450, reference=ROLLOUT),
    Section(
        "Basic Rummy, 2 players, ismcts",
        BASIC,
        2,
        ("greedy", "planner", "cautious", ISMCTS),
        deals=150,
        reference=ISMCTS,
    ),
    Section("Basic Rummy, 4 players", BASIC, 4, RUNGS + PROBES, deals=400),
    Section("Contract Rummy, 4 players", CONTRACT, 4, RUNGS + PROBES, deals=350),
    Section("Contract Rummy, 4 players, planner and cautious", CONTRACT, 4, ("planner", "cautious"), deals=2800),
    Section(
        "Contract Rummy, 4 players, rollout",
        CONTRACT,
        4,
        ("cautious", QUICK_ROLLOUT),
        deals=140,
        reference=QUICK_ROLLOUT,
        seed=2027,
    ),
    Section(
        "Contract Rummy, 4 players, ismcts", CONTRACT, 4, ("greedy", "cautious", ISMCTS), deals=7, reference=ISMCTS
    ),
    Section("Contract Rummy, 4 players, whole games", CONTRACT, 4, RUNGS, games=60),
    Section("Contract Rummy, 3 players", CONTRACT, 3, RUNGS, deals=420),
    Section("Contract Rummy, 2 players, two packs", TWO_PACKS, 2, RUNGS, deals=420),
    *(
        Section(f"Contract Rummy, 4 players, deal {contract}", CONTRACT, 4, RUNGS, deals=140, contract=contract)
        for contract in range(1, 8)
    ),
]

HEAD = """# The ladder

How strong the scripted players are, as `python -m benchmarks.ladder` measured it; the page is written by that command.
[The players](players.md) says how they play, [Comparing players](arena.md) what the figures mean. All play is over
duplicate deals, with 95 % intervals of the bootstrap over deals (over games for whole games).
"""


def page(reports: list[tuple[Section, Report]]) -> str:
    """The page in Markdown."""
    return "\n".join([HEAD, *(line for section, report in reports for line in lines(section, report))])


def lines(section: Section, report: Report) -> Iterator[str]:
    """The part of a section."""
    unit = "games" if section.games else "deals"
    yield f"## {section.title}\n"
    yield f"{report.match.units:,} {unit}, each in {len(report.match.seatings)} seatings; seed {section.seed}.\n"
    if section.reference is None:
        yield from _cross_table(report)
        yield "\nStep by step:\n"
        rungs = [label for label in report.match.labels if label in RUNGS]
        pairs = [_between(report, better, worse) for worse, better in pairwise(rungs)]
    else:
        pairs = [_between(report, section.reference, pair.first) for pair in report.pairs]
    won = " games won |" if section.games else ""
    yield f"| | points a deal | deals won |{won} ahead : behind | p (Holm) |"
    yield "|---|---|---|" + ("---|" if section.games else "") + "---|---|"
    for pair in pairs:
        shares = f" {_share(pair.games_won)} |" if section.games else ""
        yield (
            f"| {pair.first} – {pair.second} | {_points(pair.points)} | {_share(pair.deals_won)} |{shares}"
            f" {pair.better} : {pair.worse} | {pair.p_holm:.1g} |"
        )
    yield ""
    if section.reference is None:
        yield from _behaviour(report)


def _cross_table(report: Report) -> Iterator[str]:
    labels, cells = report.match.labels, report.cross_table()
    rated = report.ratings is not None
    yield "Points a deal, row against column" + (", and OpenSkill ratings:\n" if rated else ":\n")
    yield f"| | {' | '.join(labels)} |" + (" OpenSkill |" if rated else "")
    yield "|---" * (len(labels) + 1 + rated) + "|"
    for row in labels:
        points = [f"{cells[row, column].value:+.2f}" if (row, column) in cells else "" for column in labels]
        rating = f" {report.ratings[row].mu:.1f} ± {report.ratings[row].sigma:.1f} |" if report.ratings else ""
        yield f"| {row} | {' | '.join(points)} |{rating}"


def _behaviour(report: Report) -> Iterator[str]:
    down = "turn of going down" if report.match.rules.contracts else "turn of the first meld"
    columns = (down, "top taken", "deep pick-ups a deal", "exchanges a deal", "caught with", "turns", "no winner")
    yield f"| | {' | '.join(columns)} |"
    yield "|---" * (len(columns) + 1) + "|"
    for label in report.match.labels:
        how = report.behaviour[label]
        undecided = how["ends"]["blocked"] + how["ends"]["capped"]
        turn = "–" if how["first_meld_turn"] is None else f"{how['first_meld_turn']:.1f}"
        caught = "–" if how["caught_with"] is None else f"{how['caught_with']:.1f}"
        yield (
            f"| {label} | {turn} | {how['take_up_rate']:.0%} | {how['deep_pickups']:.2f} | {how['exchanges']:.2f} |"
            f" {caught} | {how['deal_length']:.0f} | {undecided:.0%} |"
        )
    yield ""


def _between(report: Report, first: str, second: str) -> PairResult:
    """The result of a pair, seen from `first`."""
    for pair in report.pairs:
        if (pair.first, pair.second) == (first, second):
            return pair
        if (pair.second, pair.first) == (first, second):
            return pair.mirrored()
    raise LookupError(f"{first} and {second} have not met")


def _points(estimate: Estimate) -> str:
    return f"{estimate.value:+.2f} ({estimate.low:+.2f} to {estimate.high:+.2f})"


def _share(estimate: Estimate | None) -> str:
    return "–" if estimate is None else f"{estimate.value:.1%} ({estimate.low:.1%} to {estimate.high:.1%})"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ladder", description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the deals and games to play")
    parser.add_argument("--folder", type=Path, default=Path(".ladder"), help="where finished parts are kept")
    arguments = parser.parse_args()
    reports = []
    for number, section in enumerate(SECTIONS):
        print(section.title, file=sys.stderr, flush=True)
        folder = arguments.folder / f"{number:02}"
        reports.append((section, run(section.match(arguments.scale), workers=arguments.workers, resume=folder)))
    PAGE.write_text(page(reports), "utf-8")


if __name__ == "__main__":
    main()
