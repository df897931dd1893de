"""Where the time of `urisieve extract` goes: `python -m benchmarks.sampling FILE SECONDS FLAG...` prints JSON.

The command runs inside this process and is interrupted a thousand times a second of real time. Each time the processor
time since the last one is charged to the line of urisieve that runs, or that called what runs. Nothing is called more
often or later than without it, so that there is no distortion as that of a tracing profiler, which makes each call
dearer and so small functions look worse than long loops. The interpreter takes an interruption after a call at the
earliest: what a line spends without any call is charged to the next call.
"""

from __future__ import annotations

import json
import linecache
import os
import signal
import sys
import time
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import urisieve
from urisieve.cli import main

__all__ = ["Location", "measure"]

_INTERVAL = 0.001
_PACKAGE = f"{Path(urisieve.__file__).parent}{os.sep}"


class Location(NamedTuple):
    """A line of the package: module without the package's name, qualified name of the function, text of the line."""

    module: str
    function: str
    line: str


class _Sampler:
    """Charges processor time to places, as file, function and number of the line; None outside the package."""

    def __init__(self) -> None:
        self.seconds: defaultdict[tuple[str, str, int] | None, float] = defaultdict(float)
        self._last = time.process_time()

    def take(self, _signal: int, frame: FrameType | None) -> None:
        now = time.process_time()
        while frame is not None and not frame.f_code.co_filename.startswith(_PACKAGE):
            frame = frame.f_back
        place = None if frame is None else (frame.f_code.co_filename, frame.f_code.co_qualname, frame.f_lineno or 0)
        self.seconds[place] += now - self._last
        self._last = time.process_time()

    def places(self) -> list[tuple[Location, float]]:
        """The seconds of each place."""
        found = []
        for place, seconds in self.seconds.items():
            if place is None:
                found.append((Location("", "", ""), seconds))
            else:
                path, function, number = place
                module = path.removeprefix(_PACKAGE).removesuffix(".py").replace(os.sep, ".")
                found.append((Location(module, function, linecache.getline(path, number).strip()), seconds))
        return found


def measure(path: Path, enough: float, flags: list[str]) -> dict[str, Any]:
    """Run the command without the sampler, then with it, as often as takes `enough` seconds.

    Returns:
        the processor time in seconds of a run, and the places with their shares of it.
    """
    command = ["extract", "--quiet", "--output", os.devnull, *flags]
    main([*command, os.devnull])  # what is imported and compiled once
    started = time.process_time()
    main([*command, str(path)])
    seconds = time.process_time() - started
    sampler = _Sampler()
    signal.signal(signal.SIGALRM, sampler.take)
    signal.setitimer(signal.ITIMER_REAL, _INTERVAL, _INTERVAL)
    for _ in range(1 + int(enough / seconds)):
        main([*command, str(path)])
    signal.setitimer(signal.ITIMER_REAL, 0)
    return {"seconds": seconds, "places": sampler.places()}


if __name__ == "__main__":
    json.dump(measure(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]), sys.stdout)
