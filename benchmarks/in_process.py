"""The library on one core over text in memory: `python -m benchmarks.in_process FILE` prints figures as JSON.

The file is decoded before the clock starts, a piece of 64 Ki characters at a time is fed while it runs, and each
record's key and offsets are read. The file is fed in parts of 64 MiB, so that memory shows the library's own.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

_PIECE = 1 << 16
_PART = 1 << 26


def main(path: Path) -> None:
    """Measure one file."""
    from urisieve.record import Record
    from urisieve.scanner import Scanner

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    scanner = Scanner()
    seconds = 0.0
    size = records = rejections = 0
    total = 0
    peak_text = 0

    def take(found: list[object]) -> None:
        nonlocal records, rejections, total
        for value in found:
            if type(value) is Record:
                records += 1
                total += value.end - value.start + len(value.key)
            else:
                rejections += 1

    with path.open("rb") as file:
        while part := file.read(_PART):
            size += len(part)
            text = part.decode("utf-8", "surrogateescape")
            peak_text = max(peak_text, sys.getsizeof(text) + len(part))
            started = time.perf_counter()
            for start in range(0, len(text), _PIECE):
                take(scanner.feed(text[start : start + _PIECE]))  # type: ignore[arg-type]
            seconds += time.perf_counter() - started
    started = time.perf_counter()
    take(scanner.close())  # type: ignore[arg-type]
    seconds += time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    figures = {
        "bytes": size,
        "seconds": seconds,
        "records": records,
        "rejections": rejections,
        "own_memory_mb": max(0.0, (after - before) / 1024 - peak_text / (1 << 20)),
    }
    json.dump(figures, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
