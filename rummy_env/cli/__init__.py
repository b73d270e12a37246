"""The command `rummy`: play, serve, simulate and show games, compare agents, explain rules, demonstrate."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from rummy_env.cli.animate import animate
from rummy_env.cli.arena import arena
from rummy_env.cli.demo import demo
from rummy_env.cli.play import play
from rummy_env.cli.rules import rules
from rummy_env.cli.serve import serve
from rummy_env.cli.show import show
from rummy_env.cli.simulate import simulate
from rummy_env.cli.stats import stats
from rummy_env.cli.view import view
from rummy_env.errors import RummyError
from rummy_env.version import __version__

__all__ = ["app", "main"]

BAD_ARGUMENTS = 2

app = typer.Typer(name="rummy", add_completion=False, rich_markup_mode=None)
for command in (play, serve, simulate, arena, show, view, animate, stats, rules, demo):
    app.command()(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rummy-env {__version__}")
        raise typer.Exit


@app.callback()
def _rummy(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Rummy games for reinforcement learning: play, simulate, compare, show, view, explain."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with `arguments` (those of the process if None).

    Returns:
        The exit status: 0, or 2 after one line on stderr that says which argument or file is wrong.
    """
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        return typer.main.get_command(app).main(args=given, prog_name="rummy", standalone_mode=False) or 0
    except typer.TyperException as error:
        problem = error.format_message()
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except RummyError as error:
        problem = str(error)
    typer.echo(f"rummy: {' '.join(problem.split())}", err=True)
    return BAD_ARGUMENTS
