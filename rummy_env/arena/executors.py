"""Playing the chunks of a match: here, in processes, or as Ray tasks. The result is the same."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any

from rummy_env.arena.chunk import Chunk
from rummy_env.arena.match import Match
from rummy_env.arena.play import play_chunk
from rummy_env.envs.arguments import check_count
from rummy_env.errors import MissingExtraError

Range = tuple[int, int]
GAMES_AT_ONCE = 512
"""Games in a chunk, about: enough to share the cost of asking, few enough that a killed match loses little."""
CHUNKS_PER_WORKER = 4


def chunk_size(match: Match, units: int, workers: int) -> int:
    """Units in a chunk, where `units` are left to play; `ArgumentError` unless `workers` is a whole number from 1."""
    check_count("workers", workers)
    games = len(match.pairs) * len(match.seatings)
    return max(1, min(GAMES_AT_ONCE // games, -(-units // (CHUNKS_PER_WORKER * workers))))


def play_chunks(match: Match, ranges: Sequence[Range], workers: int = 1, ray: bool = False) -> Iterator[Chunk]:
    """Play ranges of units; chunks come as they are finished.

    Args:
        match: The match.
        ranges: First unit and end of each chunk.
        workers: Processes; 1 plays in this one. With `ray` what a Ray started here may use.
        ray: Hand the chunks to Ray: the cluster that this process is connected to, or one on this machine.

    Raises:
        MissingExtraError: Ray is not installed.
    """
    if ray:
        yield from _in_ray(match, ranges, workers)
    elif workers == 1 or len(ranges) < 2:
        for first, end in ranges:
            yield play_chunk(match, first, end)
    else:
        yield from _in_processes(match, ranges, workers)


def _in_processes(match: Match, ranges: Sequence[Range], workers: int) -> Iterator[Chunk]:
    # Processes are spawned, not forked: a fork in the middle of a thread of Torch or Numba can hang.
    executor = ProcessPoolExecutor(min(workers, len(ranges)), get_context("spawn"))
    try:
        tasks = [executor.submit(play_chunk, match, first, end) for first, end in ranges]
        for task in as_completed(tasks):
            yield task.result()
    finally:
        executor.shutdown(cancel_futures=True)


def import_ray() -> Any:
    """The module `ray`; `MissingExtraError` where it is not installed."""
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError(f"to play as Ray tasks needs Ray ({error}): pip install ray") from error
    return ray


def _in_ray(match: Match, ranges: Sequence[Range], workers: int) -> Iterator[Chunk]:
    ray = import_ray()
    started = not ray.is_initialized()
    if started:
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    try:
        shared, play = ray.put(match), ray.remote(play_chunk)
        waiting = [play.remote(shared, first, end) for first, end in ranges]
        while waiting:
            done, waiting = ray.wait(waiting)
            yield from ray.get(done)
    finally:
        if started:
            ray.shutdown()
