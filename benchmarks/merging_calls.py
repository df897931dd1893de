"""Keys of single URLs under profiles, and by other packages, as JSON: `python -m benchmarks.merging_calls FILE ROUNDS`.

FILE is that of `benchmarks.normalizers`. Right answers are counted on the pairs of the tests: those that people asked
for, which are to have one key, and those that must never merge under the profile `page`.
"""

from __future__ import annotations

import csv
import json
import statistics
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from benchmarks.machine import package_version
from benchmarks.normalizers import Call, timed

__all__ = ["CALLS", "PLAIN"]

_GOLDEN = Path(__file__).parent.parent / "tests" / "golden"
PLAIN = Call("urisieve", "key(url)", "urisieve")
CALLS = (
    PLAIN,
    *(
        Call(
            "urisieve",
            f"key(url, options={name.replace('-', '_')})",
            "urisieve",
            f"from urisieve import Options; {name.replace('-', '_')} = Options(merge={name!r})",
        )
        for name in ("page", "host", "archive-key")
    ),
    Call("courlan", "clean_url(url)", "courlan"),
    Call("ural", "normalize_url(url)", "ural"),
    Call("w3lib", "canonicalize_url(url)", "w3lib.url"),
    Call("surt", "surt(url)", "surt"),
    Call("urlcanon", "str(canonized(url))", "benchmarks.merging_calls"),
)


def canonized(url: str) -> str:
    """The most thorough canonical form of `urlcanon`."""
    package = import_module("urlcanon")
    return str(package.aggressive(package.parse_url(url)))


def pairs(name: str) -> list[tuple[str, str]]:
    """The pairs of a table of the tests."""
    with (_GOLDEN / f"{name}_pairs.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.reader((line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE)
        return [(row[0], row[1]) for row in rows]


def _right(function: Callable[[str], str | None], of: list[tuple[str, str]], *, same: bool) -> int:
    """How many pairs a function merges, or keeps apart; one that it refuses is wrong."""
    count = 0
    for first, second in of:
        try:
            one, other = function(first), function(second)
        except Exception:  # whatever a package raises
            continue
        count += one is not None and other is not None and (one == other) is same
    return count


def measure(path: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Microseconds a URL, the ratio to our plain key, and right answers, by call."""
    installed = [one for one in CALLS if package_version(one.package) is not None]
    merging, apart = pairs("merging"), pairs("apart")
    functions = {one: one.function() for one in installed}
    answers = {one: (_right(f, merging, same=True), _right(f, apart, same=False)) for one, f in functions.items()}
    seconds, _ = timed({one: one.loop() for one in installed}, path, rounds)
    return {
        one.text: {
            "us": statistics.median(taken) * 1e6,
            "to plain": statistics.median(mine / plain for mine, plain in zip(taken, seconds[PLAIN], strict=True)),
            "merged": answers[one][0],
            "must": len(merging),
            "kept": answers[one][1],
            "apart": len(apart),
        }
        for one, taken in seconds.items()
    }


if __name__ == "__main__":
    json.dump(measure(Path(sys.argv[1]), int(sys.argv[2])), sys.stdout)
