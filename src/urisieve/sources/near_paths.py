"""The path that was probably meant by one that does not exist."""

from __future__ import annotations

import os
from itertools import islice

from urisieve.lean.hints import Final
from urisieve.nearest import did_you_mean
from urisieve.sources.bytes.reading import STANDARD_INPUT

__all__ = ["path_hint"]

# The most names of a folder that are compared.
_MOST: Final = 10_000


def path_hint(path: str) -> str:
    """Return the end of a message about a path that does not exist: the most similar name in its folder, or ""."""
    if path == STANDARD_INPUT or "\0" in path or os.path.lexists(path):
        return ""
    if "://" in path:
        return "; nothing is fetched, files are read: `urisieve check` takes the identifiers themselves"
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or os.curdir) as entries:
            names = [entry.name for entry in islice(entries, _MOST)]
    except OSError:
        return ""
    return did_you_mean(path, [os.path.join(folder, other) for other in names]) if name else ""
