"""How a process that makes much and drops it soon treats memory."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["unhurried_memory"]

# Objects after which the collector looks for cycles. Records make none, and a look at each of them costs a tenth of
# the time in which it is made.
_SELDOM: Final = 200_000
# The C library of Linux gives every freed block of text back to the system, and gets it anew page by page, until it has
# seen one of this size freed: 1.1 ms a MB of prose instead of 1.8. No page of it is touched.
_LARGE: Final = 16_777_216


@contextmanager
def unhurried_memory() -> Iterator[None]:
    """Let the collector run seldom, and let freed memory be kept; at the end the collector is as it was."""
    bytes(_LARGE)
    before = gc.get_threshold()
    gc.set_threshold(_SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
