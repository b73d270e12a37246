"""Hold the engine's analysis of hands against slow answers: `python -m tests.check_analysis --hands 20000`.

Prints every hand where they differ, and how many hands had what makes the comparison worth anything. Exits with 1
where they differ, or where something noteworthy was in no hand at all.
"""

import argparse
import sys
from collections import Counter
from functools import partial
from multiprocessing import get_context

from tests.analysis import CHUNK, NOTEWORTHY, compare_chunk


def main() -> int:
    """Compare, report, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()

    seen: Counter[str] = Counter()
    differences = 0
    chunks = range(-(-arguments.hands // (3 * CHUNK)))
    with get_context("spawn").Pool(arguments.processes) as pool:
        for found, differing in pool.imap_unordered(partial(compare_chunk, seed=arguments.seed), chunks):
            seen += found
            differences += len(differing)
            for difference in differing:
                print(difference, flush=True)
    print(f"{seen['hands']} hands, {differences} differences")
    for name in NOTEWORTHY:
        print(f"{seen[name]:8} {name}")
    return int(differences > 0 or any(seen[name] == 0 for name in NOTEWORTHY))


if __name__ == "__main__":
    sys.exit(main())
