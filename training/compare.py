"""What changes to a training are worth: variations of it, the same seeds and the same time for each.

    python -m training.compare --config configs/train/compare_basic_2p.yaml

Every run is a process with a folder of its own in `out`. The same command goes on where an earlier one was stopped, and
draws up the table anew where all runs are there. `table.md` has what the policies reached in their last matches,
`curves.png` the matches before over time and over decisions.
"""

import csv
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from rummy_env.errors import ArgumentError, RummyError
from training.arguments import read_arguments
from training.folder import LADDER, MATCHES, figure_of, write_whole

Row = dict[str, str]


@dataclass
class Arguments:
    """Arguments of a comparison."""

    variations: dict[str, str] = field(default_factory=dict)
    """Module and arguments of each variation, by a name for it."""
    shared: str = ""
    """Further arguments of all of them, such as how long they take."""
    seeds: list[int] = field(default_factory=lambda: [1, 2, 3])
    """Seeds of the runs of each."""
    jobs: int = 1
    """Runs side by side; give each of them a core."""
    out: str = "runs/compare"
    """Folder of the runs, the table and the curves."""


class Comparison:
    """Variations, and what is known of their runs.

    Args:
        args: The arguments.

    Raises:
        ArgumentError: There are no variations, or two whose names cannot be told apart in the names of folders.
    """

    def __init__(self, args: Arguments) -> None:
        self._args, self._folder = args, Path(args.out)
        self._folders = {name: self._folder / re.sub(r"\W+", "_", name) for name in args.variations}
        if not args.variations or len(set(self._folders.values())) < len(args.variations):
            raise ArgumentError(f"variations={list(args.variations)}: expected names that differ in letters or digits")

    def run(self) -> list[str]:
        """Run what has not come to its end.

        Returns:
            Folders of the runs that failed, each with what it printed in ``log.txt``.
        """
        runs = [(name, seed) for seed in self._args.seeds for name in self._args.variations]
        with ThreadPoolExecutor(self._args.jobs) as pool:
            return [folder for folder in pool.map(self._train, runs) if folder]

    def _train(self, run: tuple[str, int]) -> str:
        name, seed = run
        folder = self._folders[name] / str(seed)
        if (folder / LADDER).exists():
            return ""
        folder.mkdir(parents=True, exist_ok=True)
        given = shlex.split(f"{self._args.variations[name]} {self._args.shared}")
        command = [sys.executable, "-m", *given, "--seed", str(seed), "--out", str(folder)]
        with (folder / "log.txt").open("w", encoding="utf-8") as log:
            subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False)
        done = (folder / LADDER).exists()
        print(f"{name}, seed {seed}: {'done' if done else 'failed, see ' + str(folder / 'log.txt')}", flush=True)
        return "" if done else str(folder)

    def _rows(self, name: str, table: str) -> list[list[Row]]:
        """A table of each run of a variation that came to its end."""
        found = []
        for seed in self._args.seeds:
            folder = self._folders[name] / str(seed)
            if (folder / LADDER).exists():
                with (folder / table).open(newline="", encoding="utf-8") as file:
                    found.append(list(csv.DictReader(file)))
        return found

    def table(self) -> str:
        """Markdown: points a deal against each of the ladder, mean (lowest to highest) of the seeds, and deals won."""
        results = {name: self._rows(name, LADDER) for name in self._args.variations}
        known = [rows for runs in results.values() for rows in runs]
        opponents = list(dict.fromkeys(row["opponent"] for rows in known for row in rows))
        heads = ["variation", "runs", "million decisions", *(f"against {opponent}" for opponent in opponents)]
        lines = [heads, ["---"] * len(heads)]
        for name, runs in results.items():
            made = [float(rows[-1]["decisions"]) / 1e6 for rows in self._rows(name, MATCHES)]
            cells = [_summary([row for rows in runs for row in rows if row["opponent"] == one]) for one in opponents]
            lines.append([name, str(len(runs)), f"{fmean(made):.1f}" if made else "", *cells])
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def write(self) -> None:
        """Write the table and, where matplotlib is installed, the curves."""
        write_whole(self._folder / "table.md", lambda path: path.write_text(self.table() + "\n", encoding="utf-8"))
        figure = figure_of(12, 6)
        if figure is None:
            return
        over_time, over_decisions = figure.subplots(1, 2, sharey=True)
        for number, name in enumerate(self._args.variations):
            for rows in self._rows(name, MATCHES):
                first = [row for row in rows if row["opponent"] == rows[0]["opponent"]]
                points = [float(row["points"]) for row in first]
                style: dict[str, Any] = {"color": f"C{number % 10}", "linestyle": "-" if number < 10 else "--"}
                over_time.plot([float(row["seconds"]) / 60 for row in first], points, **style)
                over_decisions.plot([float(row["decisions"]) / 1e6 for row in first], points, **style, label=name)
                over_time.set_ylabel(f"points a deal ahead of {rows[0]['opponent']}")
        for axis, label in ((over_time, "minutes"), (over_decisions, "million decisions")):
            axis.set_xlabel(label)
            axis.grid(alpha=0.3)
        lines, names = over_decisions.get_legend_handles_labels()
        shown = dict(zip(names, lines, strict=True))
        figure.legend(shown.values(), shown.keys(), loc="outside right upper")
        write_whole(self._folder / "curves.png", lambda path: figure.savefig(path, format="png", dpi=100))


def _summary(rows: list[Row]) -> str:
    if not rows:
        return ""
    points, won = ([float(row[name]) for row in rows] for name in ("points", "won"))
    return f"{fmean(points):+.1f} ({min(points):+.1f} to {max(points):+.1f}), {fmean(won):.1%} won".replace("%", " %")


def main(args: Arguments | None = None) -> None:
    """Run a comparison as the command line says."""
    try:
        comparison = Comparison(args or read_arguments(Arguments))
        failed = comparison.run()
        comparison.write()
        print(comparison.table())
        if failed:
            sys.exit(f"error: without {len(failed)} runs that failed")
    except (RummyError, OSError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
