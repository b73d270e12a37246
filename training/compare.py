"""What changes to a training are worth: variations of it, with the same seeds and the same time.

    python -m training.compare --config configs/train/compare_basic_2p.yaml

Every run is a process of its own, in the folder ``<out>/<variation>/<seed>``, and prints to ``log.txt`` there. In `out`
itself, `table.md` has what the policies reached in their matches at the end, and `curves.png` the matches before, over
time and over decisions. The same command goes on where an earlier one was stopped; what is done is not done again.
"""

import csv
import json
import math
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import Any

from rummy_env.errors import ArgumentError, RummyError
from training.arguments import read_arguments
from training.folder import CHECKPOINT, LADDER, MATCHES, figure_of, write_whole

GIVEN = "arguments.json"
"""The file in the folder of a run that keeps its arguments."""
Row = dict[str, str]


@dataclass
class Arguments:
    """Arguments of a comparison."""

    variations: dict[str, str] = field(default_factory=dict)
    """Program and arguments of each variation, as on a command line and with forward slashes, by a name for it."""
    shared: str = ""
    """Arguments of all of them, where a variation does not say otherwise."""
    seeds: list[int] = field(default_factory=lambda: [1, 2, 3])
    """Seeds of the runs of each."""
    jobs: int = 1
    """Runs side by side; give each of them a core."""
    out: str = "runs/compare"
    """Folder of the runs, the table and the curves."""


@dataclass
class Member:
    """One run of a comparison.

    Attributes:
        name: Its variation.
        seed: Its seed.
        folder: Its folder.
        command: The program and what it is told.
        arguments: All of its arguments.
    """

    name: str
    seed: int
    folder: Path
    command: list[str]
    arguments: dict[str, Any]

    @property
    def done(self) -> bool:
        """Whether it has come to its end."""
        return (self.folder / LADDER).exists()

    def rows(self, file: str) -> list[Row]:
        """A table that it wrote."""
        with (self.folder / file).open(newline="", encoding="utf-8") as lines:
            return list(csv.DictReader(lines))

    def prepare(self) -> None:
        """Make the folder ready, of which nothing is kept if the run can't go on from it.

        Raises:
            ArgumentError: It is of a run with other arguments.
        """
        given = self.folder / GIVEN
        told = json.dumps(self.arguments, indent=2)
        if given.exists() and given.read_text(encoding="utf-8") != told:
            before = json.loads(given.read_text(encoding="utf-8"))
            other = [name for name, value in self.arguments.items() if before.get(name) != value]
            raise ArgumentError(
                f"{self.folder} is of a run with other {', '.join(other)}: give another folder with --out"
            )
        if given.exists() and not self.done and not (self.folder / CHECKPOINT).exists():
            shutil.rmtree(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        given.write_text(told, encoding="utf-8")

    def train(self) -> bool:
        """Run to the end; whether it came there."""
        with (self.folder / "log.txt").open("a", encoding="utf-8") as log:
            subprocess.run([sys.executable, "-m", *self.command], stdout=log, stderr=subprocess.STDOUT, check=False)
        print(
            f"{self.name}, seed {self.seed}: {'done' if self.done else f'not at its end, see {log.name}'}", flush=True
        )
        return self.done


class Comparison:
    """The runs of a comparison, whose folders it makes ready, and what is known of them.

    Args:
        args: The arguments.

    Attributes:
        members: The runs, a seed after the other.

    Raises:
        ArgumentError: They are impossible, or a folder holds a run with others.
    """

    def __init__(self, args: Arguments) -> None:
        self._args, self._folder = args, Path(args.out)
        # YAML takes a bare `no` for a boolean.
        variations = {str(name): told for name, told in args.variations.items()}
        self._names = list(variations)
        folders = {name: re.sub(r"\W+", "_", name).casefold() for name in variations}
        if not folders or "|" in "".join(folders) or len(set(folders.values())) < len(folders):
            raise ArgumentError(
                f"variations={self._names}: expected names, without |, that differ in letters or digits"
            )
        if args.jobs < 1 or not args.seeds or len(set(args.seeds)) < len(args.seeds):
            raise ArgumentError(f"jobs={args.jobs}, seeds={args.seeds}: expected a job or more, and different seeds")
        self.members = [
            _member(name, told, args.shared, seed, self._folder / folders[name] / str(seed))
            for seed in args.seeds
            for name, told in variations.items()
        ]
        for member in self.members:
            member.prepare()

    def run(self) -> int:
        """Run what has not come to its end; the number of runs that did not."""
        missing = [member for member in self.members if not member.done]
        with ThreadPoolExecutor(self._args.jobs) as pool:
            return list(pool.map(Member.train, missing)).count(False)

    def _done(self, name: str) -> list[Member]:
        return [member for member in self.members if member.name == name and member.done]

    def table(self) -> str:
        """Markdown: points a deal against each of the ladder, mean (lowest to highest) of the seeds, and deals won."""
        ladders = {name: [one.rows(LADDER) for one in self._done(name)] for name in self._names}
        opponents = list(dict.fromkeys(row["opponent"] for runs in ladders.values() for rows in runs for row in rows))
        heads = ["variation", "runs", "million decisions", *(f"against {opponent}" for opponent in opponents)]
        lines = [heads, ["---"] * len(heads)]
        for name, runs in ladders.items():
            made = [float(one.rows(MATCHES)[-1]["decisions"]) / 1e6 for one in self._done(name)]
            cells = [_summary([row for rows in runs for row in rows if row["opponent"] == one]) for one in opponents]
            lines.append([name, str(len(runs)), f"{fmean(made):.1f}" if made else "", *cells])
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def write(self) -> None:
        """Write the table and, where matplotlib is installed, the curves."""
        table = self.table()
        print(table)
        write_whole(self._folder / "table.md", lambda path: path.write_text(table + "\n", encoding="utf-8"))
        figure = figure_of(12, 6)
        if figure is None:
            return
        over_time, over_decisions = figure.subplots(1, 2, sharey=True)
        for number, name in enumerate(self._names):
            style = {"color": f"C{number % 10}", "linestyle": "-" if number < 10 else "--", "marker": "."}
            for count, member in enumerate(self._done(name)):
                rows = member.rows(MATCHES)
                first = [row for row in rows if row["opponent"] == rows[0]["opponent"]]
                points, label = [float(row["points"]) for row in first], "_" if count else name
                over_time.plot([float(row["seconds"]) / 60 for row in first], points, **style)
                over_decisions.plot([float(row["decisions"]) / 1e6 for row in first], points, **style, label=label)
        over_time.set_ylabel("points a deal ahead of the first judge")
        for axis, label in ((over_time, "minutes"), (over_decisions, "million decisions")):
            axis.set_xlabel(label)
            axis.grid(alpha=0.3)
        figure.legend(loc="outside right upper")
        write_whole(self._folder / "curves.png", lambda path: figure.savefig(path, format="png", dpi=100))


def _member(name: str, told: str, shared: str, seed: int, folder: Path) -> Member:
    module, *own = shlex.split(str(told))
    command = [*shlex.split(shared), *own, "--seed", str(seed), "--out", json.dumps(str(folder))]
    try:
        kind = import_module(module).Arguments
    except (ImportError, AttributeError) as error:
        raise ArgumentError(f"variation {name!r}: {module} is no program that can be compared: {error}") from error
    args = read_arguments(kind, command)
    if not getattr(args, "ladder", ()) or not args.ladder_deals:
        raise ArgumentError(f"variation {name!r}: give it a ladder and ladder_deals; the table is of these matches")
    return Member(name, seed, folder, [module, *command], asdict(args))


def _summary(rows: list[Row]) -> str:
    if not rows:
        return ""
    points, won = ([float(row[name]) for row in rows] for name in ("points", "won"))
    told = f"{fmean(points):+.1f} ({min(points):+.1f} to {max(points):+.1f})"
    return told if math.isnan(sum(won)) else f"{told}, {100 * fmean(won):.1f} % won"


def main() -> None:
    """Run a comparison as the command line says."""
    try:
        comparison = Comparison(read_arguments(Arguments))
        failed = comparison.run()
        comparison.write()
        if failed:
            sys.exit(f"error: {failed} runs are not at their end, the table is without them")
    except KeyboardInterrupt:
        sys.exit("stopped; the same command goes on")
    except (RummyError, OSError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
