"""The folder of a training run: checkpoint, best policy, figures and curves."""

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from rummy_env.errors import ArgumentError, RummyError
from rummy_env.version import __version__

CHECKPOINT = "checkpoint.pt"
BEST = "best.npz"
PROGRESS, MATCHES, LADDER = "progress.csv", "matches.csv", "ladder.csv"


class TrainingError(RummyError):
    """A training that cannot go on; says why, and what is still there."""


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file under another name first, so that the old one stays until the new one is whole.

    Raises:
        TrainingError: It cannot be written; the old file is intact.
    """
    unfinished = path.with_name(f"unfinished-{path.name}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(unfinished)
        os.replace(unfinished, path)
    except (OSError, RuntimeError) as error:  # PyTorch reports a full disk as a RuntimeError
        unfinished.unlink(missing_ok=True)
        kept = "; the one before is intact" if path.exists() else ""
        raise TrainingError(f"{path} cannot be written: {error}{kept}") from error


def save_checkpoint(folder: Path, content: Mapping[str, Any]) -> None:
    """Write the checkpoint of a run; `TrainingError` if that fails, the last one is intact then."""
    write_whole(folder / CHECKPOINT, lambda path: torch.save({**content, "version": __version__}, path))


def load_checkpoint(
    folder: Path, arguments: Mapping[str, Any], free: Sequence[str], rules: Mapping[str, Any] | None = None
) -> dict[str, Any] | None:
    """The checkpoint of a run that is to go on, or None where there is none yet.

    Args:
        folder: Folder of the run.
        arguments: Arguments of now.
        free: Names of those in which the run may have differed.
        rules: Rules of now, as the description of a policy has them, where the checkpoint keeps one: their file may
            have been edited.

    Raises:
        ArgumentError: The checkpoint is of another version, or of a run with other arguments or rules, or it cannot
            be read.
    """
    path = folder / CHECKPOINT
    if not path.exists():
        return None
    try:
        content: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        version, before = content["version"], content["arguments"]
    except Exception as error:
        raise ArgumentError(f"{path} is no checkpoint that can be read: {error}") from error
    if version != __version__:
        raise ArgumentError(f"{path} is of version {version}, this is {__version__}: take another folder with --out")
    changed = [name for name in arguments if name not in free and before.get(name) != arguments[name]]
    if changed:
        told = ", ".join(f"{name}={before.get(name)!r} (now {arguments[name]!r})" for name in changed)
        raise ArgumentError(f"{path} is of a run with {told}: give the same, or another folder with --out")
    if rules is not None and (was := content["description"]["rules"]) != rules:
        other = ", ".join(name for name in rules if was.get(name) != rules[name])
        raise ArgumentError(f"{path} is of a run whose rules had another {other}: take another folder with --out")
    return content


def write_table(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as CSV, with all columns that any of them has."""
    columns = list(dict.fromkeys(name for row in rows for name in row))

    def write(unfinished: Path) -> None:
        with unfinished.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(rows)

    write_whole(path, write)


def figure_of(width: float, height: float) -> Any:
    """An empty figure of a size in inches; None where matplotlib is not installed."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def draw_curves(path: Path, rows: Sequence[Mapping[str, Any]], matches: Sequence[Mapping[str, Any]]) -> bool:
    """Draw the curves of a run over its decisions as a PNG; False where matplotlib is not installed."""
    figure = figure_of(12, 7)
    if figure is None:
        return False
    axes = figure.subplots(2, 2)
    strength = axes[0, 0]
    for opponent in dict.fromkeys(match["opponent"] for match in matches):
        own = [match for match in matches if match["opponent"] == opponent]
        at = [match["decisions"] / 1e6 for match in own]
        line = strength.plot(at, [match["points"] for match in own], marker=".", label=f"against {opponent}")
        low, high = ([match[bound] for match in own] for bound in ("low", "high"))
        strength.fill_between(at, low, high, alpha=0.2, color=line[0].get_color())
    strength.axhline(0, color="grey", linewidth=0.8)
    strength.set_title("points a deal ahead")
    if matches:
        strength.legend()
    shown = (("entropy", axes[0, 1]), ("value_loss", axes[1, 0]), ("decisions_per_s", axes[1, 1]))
    for name, axis in shown:
        told = [row for row in rows if name in row]
        axis.plot([row["decisions"] / 1e6 for row in told], [row[name] for row in told], linewidth=0.8)
        axis.set_title(name.replace("_", " "))
    for axis in axes.flat:
        axis.set_xlabel("million decisions")
        axis.grid(alpha=0.3)
    write_whole(path, lambda unfinished: figure.savefig(unfinished, format="png", dpi=100))
    return True
