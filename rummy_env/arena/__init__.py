"""Comparisons of players that can be trusted: duplicate deals, intervals, and one result for one seed.

    from rummy_env.arena import Match, run

    report = run(Match(["random", MyAgent()], "basic_rummy", num_players=2, deals=1000, seed=1))
    print(report.pairs[0].points)

An agent that raises, answers with an illegal action, or thinks too long loses that game by forfeit: 100 points, which
the others share; the report says what happened, and the match goes on.
"""

from collections.abc import Callable
from pathlib import Path

from rummy_env.arena.executors import chunk_size, play_chunks
from rummy_env.arena.journal import Journal
from rummy_env.arena.match import Match
from rummy_env.arena.report import PairResult, Report, make_report
from rummy_env.arena.schedule import chunks
from rummy_env.arena.statistics import Estimate

__all__ = ["Estimate", "Match", "PairResult", "Report", "run"]


def run(
    match: Match,
    workers: int = 1,
    resume: str | Path | None = None,
    ray: bool = False,
    progress: Callable[[int], object] | None = None,
) -> Report:
    """Play a match.

    Args:
        match: What to play.
        workers: Processes to play in; the result is the same for any number.
        resume: Folder in which finished parts are kept, and looked for at the beginning.
        ray: Play as Ray tasks.
        progress: Called with the number of units finished so far: at the beginning and after every part.

    Raises:
        ArgumentError: `workers` is no whole number from 1, or `resume` holds parts of another match.
        MissingExtraError: Ray is not installed.
        OSError: `resume` cannot be written.
    """
    journal = None if resume is None else Journal(resume, match)
    finished = [] if journal is None else list(journal.chunks)
    missing = list(range(match.units)) if journal is None else journal.missing(match.units)
    ranges = list(chunks(missing, chunk_size(match, len(missing), workers)))
    playing = play_chunks(match, ranges, workers, ray)
    done = match.units - len(missing)
    if progress:
        progress(done)
    for chunk in playing if journal is None else journal.keep(playing):
        finished.append(chunk)
        done += chunk.end - chunk.first
        if progress:
            progress(done)
    return make_report(match, finished)
