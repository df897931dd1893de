"""Whether twice the input takes at most about twice the time; see test_linear_time.py for the method."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

import pytest

__all__ = ["assert_linear"]

_T = TypeVar("_T", str, bytes)
# 2 is linear, 4 quadratic. More than for the scanner: documents are many small objects, and their collection shows.
_RATIO: Final = 2.9
_ATTEMPTS: Final = 8
_LEAST_SECONDS: Final = 0.02


def assert_linear(run: Callable[[_T], object], make: Callable[[int], _T], size: int) -> None:
    """Fail if `run` takes much more than twice the time for what `make` gives of twice the size."""

    def seconds(text: _T) -> float:
        start = time.process_time()
        run(text)
        return time.process_time() - start

    ratio = 0.0
    for _ in range(_ATTEMPTS):
        single, double = seconds(make(size)), seconds(make(2 * size))
        ratio = double / max(single, _LEAST_SECONDS)
        if ratio <= _RATIO:
            return
    pytest.fail(f"twice the input takes {ratio:.2f} times as long")
