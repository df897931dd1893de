"""Compare the search of the compiled kernel with that in Python on generated texts, for a time or a number of them.

    python tools/compare_searches.py --seconds 60                  prints the seed, and each difference shrunk
    python tools/run_sanitized.py -- tools/compare_searches.py --kernel-only --texts 1000000

Returns 1 if something differs, or if the kernel decided nothing, or everything. With `--kernel-only` nothing is
compared: a sanitizer looks.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.helpers import two_searches
from urisieve.finding_options import DEFAULT_OPTIONS, Options

_MOST_SHOWN = 10


def main(argv: list[str]) -> int:
    """Compare, and return the status of the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--texts", type=int, default=sys.maxsize)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--long", type=float, default=0.002, help="the share of texts with a run of 16 Ki and more")
    parser.add_argument("--kernel-only", action="store_true", help="run the search of the kernel alone")
    given = parser.parse_args(argv)
    print(f"seed {given.seed}", flush=True)
    ways: Counter[str] = Counter()
    differing = 0
    start = time.monotonic()
    for number, case in enumerate(two_searches.cases(given.seed, long=given.long)):
        if number >= given.texts or time.monotonic() - start >= given.seconds or differing >= _MOST_SHOWN:
            break
        if given.kernel_only:
            two_searches.in_kernel(case, ways)
        elif two_searches.difference(case, ways):
            differing += 1
            least = two_searches.shrunk(case)
            print(f"text {number}: {_shown(least)}\n  {two_searches.difference(least)}", flush=True)
        if number % 100_000 == 99_999:
            print(f"{number + 1:,} texts in {time.monotonic() - start:.0f} s", flush=True)
    counts = ", ".join(f"{name} {count:,}" for name, count in sorted(ways.items()))
    print(f"{differing} differ in {time.monotonic() - start:.0f} s; {counts}")
    return int(differing > 0 or not two_searches.takes_both_ways(ways))


def _shown(case: two_searches.Case) -> str:
    options = {
        name: value
        for name in Options.__slots__
        if (value := getattr(case.options, name)) != getattr(DEFAULT_OPTIONS, name)
    }
    missing = sorted(two_searches.ALL - case.columns)
    return f"{list(case.pieces)!r}, options {options}, without {missing}, entered {case.entered}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
