"""The cross table as a picture; needs the extra ``plot``."""

from pathlib import Path
from typing import Any

import numpy as np

from rummy_env.arena.report import Report
from rummy_env.errors import MissingExtraError


def import_figure() -> Any:
    """Matplotlib's class of figures, which draws without a display; `MissingExtraError` where it is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError(
            f"a picture of figures needs Matplotlib ({error}): pip install 'rummy-env[plot]'"
        ) from error
    return Figure


def write_picture(report: Report, path: str | Path) -> None:
    """Write the cross table of a report as a picture, PNG or whatever the name ends with.

    Raises:
        MissingExtraError: Matplotlib is not installed.
        OSError: The file cannot be written.
    """
    labels, cells = report.match.labels, report.cross_table()
    size = len(labels)
    figure = import_figure()(figsize=(3 + 1.3 * size, 1.6 + 0.8 * size), layout="constrained")
    axes = figure.add_subplot()
    values = np.full((size, size), np.nan)
    for (row, column), estimate in cells.items():
        where = labels.index(row), labels.index(column)
        values[where] = estimate.value
        text = f"{estimate.value:+.2f}\n[{estimate.low:+.2f}, {estimate.high:+.2f}]"
        axes.text(where[1], where[0], text, ha="center", va="center", fontsize=8)
    peak = max(float(np.nanmax(np.abs(values))), 1e-9)
    # Twice the range keeps the colours pale enough to read the figures on.
    image = axes.imshow(values, cmap="RdBu", vmin=-2 * peak, vmax=2 * peak, aspect="auto")
    names = [
        label
        if report.ratings is None
        else f"{label}\n{report.ratings[label].mu:.1f} ± {report.ratings[label].sigma:.1f}"
        for label in labels
    ]
    axes.set_xticks(range(size), labels, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(size), names)
    axes.set_title(f"{report.match.rules.name}, {report.match.seats} players: points a deal, row against column")
    figure.colorbar(image, ax=axes)
    figure.savefig(path, dpi=150)
