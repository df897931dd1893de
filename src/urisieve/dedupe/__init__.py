"""Deduplication by the canonical key: sets of keys in memory and on disk, counts, and rows of data sets.

The names are loaded when they are first used: the store needs a database, the rest does not.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from urisieve.dedupe.digests import DIGEST_SIZE, digest
    from urisieve.dedupe.keyset import KeySet, Seen
    from urisieve.dedupe.rows import Keep, deduplicate
    from urisieve.dedupe.store import Store

__all__ = ["DIGEST_SIZE", "Keep", "KeySet", "Seen", "Store", "deduplicate", "digest"]

_HOME = {
    "DIGEST_SIZE": "digests",
    "Keep": "rows",
    "KeySet": "keyset",
    "Seen": "keyset",
    "Store": "store",
    "deduplicate": "rows",
    "digest": "digests",
}


def __getattr__(name: str) -> object:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module 'urisieve.dedupe' has no attribute {name!r}")
    value: object = getattr(import_module(f"urisieve.dedupe.{module}"), name)
    globals()[name] = value
    return value
