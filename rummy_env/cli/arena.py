"""`rummy arena`: agents against each other over duplicate deals, and how sure the differences are."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from rummy_env.cli.options import Players, Variant
from rummy_env.errors import ArgumentError


def arena(
    more: Annotated[list[str] | None, typer.Argument(metavar="[AGENT]...", help="Further agents.")] = None,
    agents: Annotated[
        list[str] | None, typer.Option(metavar="AGENT...", help="Agents: name, or name:key=value,key=value.")
    ] = None,
    variant: Variant = "contract_rummy",
    players: Players = None,
    deals: Annotated[int | None, typer.Option(help="Single deals, each in every seating; 1000 if left out.")] = None,
    games: Annotated[int | None, typer.Option(help="Whole games instead, each in every seating.")] = None,
    contract: Annotated[int | None, typer.Option(min=1, help="The only contract to be played.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all cards and agents.")] = 0,
    reference: Annotated[str | None, typer.Option(help="Play every agent against this one only.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds that an agent may think in one game.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes; the result is the same for any number.")] = 1,
    ray: Annotated[bool, typer.Option("--ray", help="Play as tasks of Ray.")] = False,
    resume: Annotated[
        Path | None, typer.Option(help="Keep finished parts in this folder, and go on from them.")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the result to this file as JSON.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Write the cross table to this file, as a PNG.")] = None,
) -> None:
    """Compare agents over duplicate deals: points, wins, intervals, tests, ratings, behaviour."""
    from rummy_env.arena import Match, run
    from rummy_env.arena.picture import import_figure, write_picture

    if deals is None and games is None:
        deals = 1000
    match = Match(
        [*(agents or []), *(more or [])], variant, players, deals, games, seed, contract, reference, time_limit
    )
    for option, file in (("--json", json_file), ("--picture", picture)):
        if file is not None and not file.parent.is_dir():
            raise ArgumentError(f"{option} {file}: there is no folder {file.parent}")
    if picture is not None:
        import_figure()
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("playing", total=match.units)
        report = run(match, workers, resume, ray, lambda done: progress.update(task, completed=done))
    for table in report.tables():
        Console().print(table)
    if json_file is not None:
        json_file.write_text(json.dumps(report.to_dict(), indent=2) + "\n", encoding="utf-8")
    if picture is not None:
        write_picture(report, picture)
