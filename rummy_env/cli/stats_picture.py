"""Charts of recorded games; needs the extra ``plot``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rummy_env.arena.behaviour import BLOCKED, CAPPED, CAUGHT, DEALS, DEEP, OUT, STOCK, TOP
from rummy_env.arena.picture import import_figure

if TYPE_CHECKING:
    from rummy_env.cli.stats import TableStats


def write_stats_picture(tables: Sequence["TableStats"], path: str | Path) -> None:
    """Write charts of statistics as a picture, a row for each table; PNG or whatever the name ends with.

    Raises:
        MissingExtraError: Matplotlib is not installed.
        OSError: The file cannot be written.
    """
    figure = import_figure()(figsize=(15, 3.6 * len(tables)), layout="constrained")
    rows = figure.subplots(len(tables), 4, squeeze=False)
    for table, axes in zip(tables, rows, strict=True):
        _row(table, axes)
    figure.savefig(path, dpi=120)


def _row(table: "TableStats", axes: Any) -> None:
    counts, seats = table.counts, np.arange(table.tally.num_players)
    deals = np.maximum(counts[:, DEALS], 1)
    axes[0].hist(table.turns, bins=30)
    axes[0].set(
        title=f"{table.tally.variant}, {table.tally.num_players} players",
        xlabel="turns of a deal",
        ylabel=f"of {len(table.turns):,} deals",
    )

    names = [*(f"seat {seat} out" for seat in seats), "blocked", "turn limit"]
    shares = [*(counts[:, OUT] / deals), counts[0, BLOCKED] / deals[0], counts[0, CAPPED] / deals[0]]
    axes[1].barh(names, shares)
    axes[1].set(title="how deals ended", xlabel="share of deals")
    axes[1].invert_yaxis()

    axes[2].bar(seats, counts[:, CAUGHT] / deals)
    axes[2].set(title="penalty when another went out", xlabel="seat", ylabel="points a deal", xticks=seats)

    draws = np.maximum(counts[:, [STOCK, TOP, DEEP]].sum(axis=1), 1)
    below = np.zeros(len(seats))
    for column, name in ((STOCK, "stock"), (TOP, "top discard"), (DEEP, "deeper discard")):
        share = counts[:, column] / draws
        axes[3].bar(seats, share, bottom=below, label=name)
        below = below + share
    axes[3].set(title="draws", xlabel="seat", ylabel="share", xticks=seats, ylim=(0, 1.2))
    axes[3].legend(loc="upper center", ncols=3, fontsize=7, columnspacing=1, handlelength=1)
