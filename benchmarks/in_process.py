"""The library in one process and on one core: `python -m benchmarks.in_process FILE` prints figures as JSON.

Time is processor time, which other programs on the machine disturb least.

For records the file is decoded before the clock starts, a piece of 256 Ki characters at a time is fed while it runs,
and each record's key and offsets are read. The file is fed in parts of 64 MiB, so that memory shows the library's own.
Then its first 64 MiB are iterated over by `extract` and `extract_keys`, and no attribute is read. For JSON lines the
command runs inside the process, from the bytes of the file to the null device.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from urisieve import Options, Record, Scanner, extract
from urisieve.cli import main
from urisieve.streams import extract_keys

_PIECE = 1 << 18
_PART = 1 << 26
# Makes import and compile what is only needed once.
_SAMPLE = "<http://a.example> HTTP://A.example:80/%7ea/../b (http://\u00fc.example/\u00fc) mailto:a@b.example "


def records(path: Path, positions: str) -> dict[str, float]:
    """Measure records with key and offsets, with lines and columns too if `positions` is `lines`."""
    options = Options(positions=positions)
    Scanner(options).feed(_SAMPLE)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    scanner = Scanner(options)
    seconds = 0.0
    size = number = peak_text = 0
    with path.open("rb") as file:
        while part := file.read(_PART):
            size += len(part)
            text = part.decode("utf-8", "surrogateescape")
            peak_text = max(peak_text, sys.getsizeof(text) + len(part))
            started = time.process_time()
            for start in range(0, len(text), _PIECE):
                number += _taken(scanner.feed(text[start : start + _PIECE]))
            seconds += time.process_time() - started
    started = time.process_time()
    number += _taken(scanner.close())
    seconds += time.process_time() - started
    own = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 - peak_text / (1 << 20)
    return {"bytes": size, "records": number, "seconds": seconds, "own_memory": max(0.0, own)}


def _taken(found: Iterable[object]) -> int:
    """Read key and offsets of each record; how many there are."""
    number = read = 0
    for value in found:
        if type(value) is Record:
            number += 1
            read += value.end - value.start + len(value.key)
    return number


def iterated(path: Path, call: Callable[[str], Iterable[object]]) -> float:
    """How many results a call on the text yields in a second."""
    with path.open("rb") as file:
        text = file.read(_PART).decode("utf-8", "surrogateescape")
    for _ in call(_SAMPLE):
        pass
    number = 0
    started = time.process_time()
    for _ in call(text):
        number += 1
    return number / (time.process_time() - started)


def json_lines(path: Path) -> float:
    """The processor time that the command takes for JSON lines, without the start of the process."""
    command = ["extract", "--quiet", "--format", "jsonl", "--output", os.devnull, "--input", "text", "--jobs", "1"]
    main([*command, os.devnull])  # what is imported and compiled once
    started = time.process_time()
    main([*command, str(path)])
    return time.process_time() - started


if __name__ == "__main__":
    given = Path(sys.argv[1])
    figures = records(given, "offsets")
    figures["lines_seconds"] = records(given, "lines")["seconds"]
    figures["extracted"] = iterated(given, extract)
    figures["keys"] = iterated(given, extract_keys)
    figures["json_seconds"] = json_lines(given)
    json.dump(figures, sys.stdout)
