"""Running a kernel over the parts of a batch, one thread each."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from rummy_env.envs.arguments import check_count

LEAST_ROWS = 64
"""Fewer games than this to a thread are played sooner than threads are woken."""


class Workers:
    """So many threads, started when first needed; a copy, a pickle or a forked process starts its own."""

    def __init__(self, count: int) -> None:
        self.count = check_count("num_threads", count)
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Workers, (self.count,)

    def run(self, play: Callable[..., None], *arrays: np.ndarray) -> None:
        """Call `play(*arrays)` on equal parts of arrays of one length, and wait for all of them."""
        count = len(arrays[0])
        parts = min(self.count, count // LEAST_ROWS)
        if parts < 2:
            play(*arrays)
            return
        pool = self._threads()
        bounds = [count * part // parts for part in range(parts + 1)]
        first, *rest = ([array[slice(*pair)] for array in arrays] for pair in pairwise(bounds))
        others = [pool.submit(play, *part) for part in rest]
        play(*first)
        for other in others:
            other.result()

    def _threads(self) -> ThreadPoolExecutor:
        if self._pool is None or self._process != os.getpid():
            self._pool = ThreadPoolExecutor(self.count - 1, "rummy")
            self._process = os.getpid()
        return self._pool

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None and self._process == os.getpid():
            self._pool.shutdown()
        self._pool = None
