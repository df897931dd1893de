"""The garbage collector of a process that makes many records and drops them soon."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["seldom_collected"]

# Objects after which the collector looks for cycles. Records make none, and a look at each of them costs a tenth of
# the time in which it is made.
_SELDOM: Final = 200_000


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Let the collector run seldom; at the end it is as it was."""
    before = gc.get_threshold()
    gc.set_threshold(_SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
