"""Whether the time grows as the input does: an input is doubled three times, and may take eight times as long.

Two sizes are compared, so a slow machine changes nothing. The process time is taken, of each input the least of
some runs, and a ratio that is too high is measured again, since other programs disturb caches and clocks. Each run has
an input of its own making, so that a generator which never repeats itself finds nothing in any cache.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable
from typing import Final, TypeVar

import pytest

__all__ = ["assert_linear"]

_T = TypeVar("_T", str, bytes)
# How much longer a character may take when the input is doubled once: 1 is linear, 2 quadratic. Behind 1.45 stands what
# caches and allocators add, and what only one of the sizes pays (a limit that it passes), on a machine with other work.
_GROWTH: Final = 1.45
_ATTEMPTS: Final = 8
# Under this a clock's grain shows more than the algorithm.
_LEAST_SECONDS: Final = 0.002
# What takes longer than this for a twelfth of the size shows as much with a third of the input, or still less; what
# takes ten times as long even for the smallest part is doubled twice: its times are far above what disturbs them.
_SLOW: Final = 0.01


def assert_linear(run: Callable[[_T], object], make: Callable[[int], _T], size: int, *, doublings: int = 3) -> float:
    """Fail if the time of `run` for what `make` gives grows much faster than the input.

    The large input has twice `size`, less where that is slow (at least a seventh), the small one an eighth of it. Where
    a size changes what is done (a window that is full), fewer doublings keep both sizes above it.

    Returns:
        the seconds for each character or byte of the large input.
    """

    def seconds(length: int) -> tuple[float, int]:
        text = make(length)
        gc.disable()  # it looks at all that the tests before have left, and more often the more is made
        try:
            start = time.process_time()
            run(text)
            return time.process_time() - start, len(text)
        finally:
            gc.enable()

    # A part of two million is above the longest candidate (65,536): one that is longer costs more at its end.
    length = size // 28
    seconds(length // 8)  # patterns and modules that are loaded once
    first = seconds(length)
    if first[0] * 28 <= _SLOW * 12:
        length = 2 * size >> doublings
        first = min(seconds(length), seconds(length))
    elif doublings != 3:
        length = 8 * (size // 12) >> doublings
        first = math.inf, 1
    elif first[0] > 10 * _SLOW:
        doublings = 2
    elif first[0] < 2 * _SLOW:
        length = min(size // 12, int(length * 2 * _SLOW / first[0]))
        first = seconds(length)
    growth, large = 0.0, math.inf
    most = _GROWTH**doublings
    for attempt in range(_ATTEMPTS):
        time.sleep(attempt / 50)  # so that not all fall into the same disturbance
        again, more = seconds(length << doublings)
        large = min(large, again)
        # One before and one after, so that a disturbance of one of them does not hide what there is to see.
        last = seconds(length)
        small, characters = min(first, last)
        growth = large / max(small, _LEAST_SECONDS) * characters / more
        if growth <= most:
            return large / more
        first = last
    pytest.fail(f"{more / characters:.1f} times the input takes {growth:.2f} times as long for each character")
