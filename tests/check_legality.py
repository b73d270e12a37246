"""Hold the engine's legal actions against the slow checker's: `python -m tests.check_legality --positions 100000`.

Prints every position where they differ, as JSON, and how many positions had what makes the comparison worth anything.
Exits with 1 where they differ, or where something noteworthy was in no position at all.
"""

import argparse
import json
import sys
from collections import Counter
from functools import partial
from multiprocessing import get_context

from tests.legality import CHUNK, NOTEWORTHY, compare_chunk


def main() -> int:
    """Compare, report, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--stop-after", type=int, default=20, help="give up after so many differences")
    arguments = parser.parse_args()

    counts: Counter[str] = Counter()
    differences = 0
    chunks = range(-(-arguments.positions // CHUNK))
    with get_context("spawn").Pool(arguments.processes) as pool:
        for found, differing in pool.imap_unordered(partial(compare_chunk, seed=arguments.seed), chunks):
            counts += found
            for comparison in differing:
                differences += 1
                print(json.dumps(comparison.position), comparison, sep="\n", flush=True)
            if differences >= arguments.stop_after:
                break
    print(f"{counts['positions']} positions, {differences} differences")
    for name in NOTEWORTHY:
        print(f"{counts[name]:8} {name}")
    return int(differences > 0 or any(counts[name] == 0 for name in NOTEWORTHY))


if __name__ == "__main__":
    sys.exit(main())
