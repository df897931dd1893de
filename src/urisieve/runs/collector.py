"""The memory of a process that makes many short-lived records: when cycles are looked for, what is kept for more."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from urisieve.lean import Final

# The number of objects after which the collector looks for cycles. Records form none, and each pass over them costs a
# tenth of the time in which they are made.
_SELDOM: Final = 200_000
# The C library of Linux gives free memory back, and asks for it anew with each block, until a piece as large as this
# was freed: on a mailbox that took a tenth of the time.
_KEPT: Final = 4_194_304


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Let the collector run seldom inside the context; restore its settings at the end."""
    before = gc.get_threshold()
    gc.set_threshold(_SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def keep_freed_memory() -> None:
    """Let the process keep the memory that it frees for what it makes next; called once, where a process begins."""
    bytes(_KEPT)


def left_to_the_end() -> None:
    """Let the end of the process free all objects without a last look for cycles, which takes some milliseconds."""
    if "duckdb" not in sys.modules:  # it would list all its objects as leaks, on standard error
        gc.freeze()
