"""Limits on the memory of a run: sizes from text, and the part of a limit that is for keys."""

from __future__ import annotations

import re

from urisieve.dedupe.keyset import LEAST_LIMIT
from urisieve.errors import UsageError
from urisieve.lean.hints import Final

__all__ = ["LEAST_MEMORY", "budget", "memory_size"]

# The bytes that a process takes beside its keys: the interpreter, the text that is sieved, a batch.
_OWN: Final = 90_000_000
# The least limit, in bytes: the run itself takes more than any lower one.
LEAST_MEMORY: Final = 120_000_000
_UNITS: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY: Final = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def budget(limit: int | None) -> int | None:
    """Return the bytes that keys may take if the process may take `limit`; None for no limit.

    >>> budget(500_000_000)
    410000000
    """
    return None if limit is None else max(LEAST_LIMIT, limit - _OWN)


def memory_size(text: str) -> int:
    """Return the bytes of a size such as `1GB`, `512MiB` or a plain number.

    >>> memory_size("512MiB")
    536870912

    Raises:
        UsageError: the text is not a size, or the size is less than `LEAST_MEMORY`.
    """
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(i?)b?", text.strip().lower())
    if match is None or (match[3] and not match[2]):
        raise UsageError(f"{text!r} is not a size: use 500MB, 1GB, 512MiB")
    size = int(min(float(match[1]), float(_UNITS["t"])) * (_BINARY if match[3] else _UNITS)[match[2]])
    if size < LEAST_MEMORY:
        raise UsageError(f"{text!r} is less than a run itself needs: use {LEAST_MEMORY // 10**6}MB or more")
    return size
