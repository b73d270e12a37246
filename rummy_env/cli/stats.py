"""`rummy stats`: what happened in recorded games."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table

from rummy_env.arena.behaviour import NUM_COUNTS, Behaviour, behaviour_rows, figures
from rummy_env.arena.picture import import_figure
from rummy_env.cli.stats_picture import write_stats_picture
from rummy_env.cli.tally import Tally, tally_table
from rummy_env.errors import RecordError
from rummy_env.record import Record, read_records, replay


def stats(
    record: Annotated[Path, typer.Argument(help="File of records.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    picture: Annotated[Path | None, typer.Option(help="Write charts to this file, as a PNG.")] = None,
) -> None:
    """Sum up recorded games: lengths, who went out, penalties, what was drawn and exchanged, and how deals ended."""
    if picture is not None:
        import_figure()
    tables = read_stats(record)
    if as_json:
        typer.echo(json.dumps([table.to_dict() for table in tables]))
    else:
        console = Console()
        console.print(tally_table([table.tally for table in tables]))
        for table in tables:
            console.print(table.seats_table())
    if picture is not None:
        write_stats_picture(tables, picture)


@dataclass
class TableStats:
    """What happened in the games by the same rules with as many players.

    Attributes:
        tally: The games and deals.
        contracts: Whether the game has contracts.
        unfinished: Games that were not played to the end; their finished deals count all the same.
        turns: Turns of each deal.
        counts: What each seat did: int64, shape ``(num_players, NUM_COUNTS)``, columns as in `behaviour`.
    """

    tally: Tally
    contracts: bool
    unfinished: int = 0
    turns: list[int] = field(default_factory=list)
    counts: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.counts = np.zeros((self.tally.num_players, NUM_COUNTS), np.int64)

    def add(self, record: Record) -> None:
        """Take in a game, which is checked; `RecordError` if it does not replay."""
        replay(record)
        game = record.start_game()
        behaviour, row = Behaviour(game._rules, 1), np.zeros(1, np.int64)
        for action in record.actions:
            behaviour.note_actions(game._games, row, np.array([action]))
            summary = game.apply(action)
            self.tally.decisions += 1
            if summary is not None:
                behaviour.note_deals(game._games, row)
                self.tally.add_deal(summary.to_dict())
                self.turns.append(summary.turns)
        self.counts += behaviour.totals(np.arange(game.num_players)[None], game.num_players)
        if game.over is None:
            self.unfinished += 1
            self.tally.end_unfinished()
        else:
            self.tally.add_game(game.scores, game.winners(), 0.0)

    def seat_figures(self) -> list[dict[str, Any]]:
        """What `behaviour.figures` says of each seat."""
        return [figures(row) for row in self.counts]

    def to_dict(self) -> dict[str, Any]:
        """Everything counted, as plain JSON."""
        counted = self.tally.to_dict()
        del counted["seconds"], counted["decisions_per_s"]
        return {**counted, "unfinished": self.unfinished, "seats": self.seat_figures()}

    def seats_table(self) -> Table:
        """What each seat did, as a table for a terminal."""
        table = Table(
            title=f"{self.tally.variant}, {self.tally.num_players} players", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
        )
        table.add_column("seat")
        for seat in range(self.tally.num_players):
            table.add_column(str(seat), justify="right", no_wrap=True)
        for text, cells in behaviour_rows(self.seat_figures(), self.contracts):
            table.add_row(text, *cells)
        if self.unfinished:
            table.caption = f"{self.unfinished} of the games were not played to the end"
        return table


def read_stats(path: Path) -> Sequence[TableStats]:
    """Statistics of the games of a file, for each table (rules and number of players) in the order of the file.

    Raises:
        OSError: The file cannot be read.
        RecordError: A line is no record or does not replay, or there is none.
    """
    tables: dict[tuple[str, int], TableStats] = {}
    for record in read_records(path):
        key = json.dumps(record.rules, sort_keys=True, default=dict), record.num_players
        if key not in tables:
            rules = record.start_game().rules
            tables[key] = TableStats(Tally(rules.name, record.num_players), rules.contracts is not None)
        tables[key].add(record)
    if not tables:
        raise RecordError(f"{path} holds no game")
    return list(tables.values())
