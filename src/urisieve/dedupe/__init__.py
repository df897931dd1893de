"""Deduplication by canonical keys: sets of keys in memory and on disk, stores, and counts."""

from __future__ import annotations

from urisieve.lean import lazy_names

_HOME = {"dedupe.signature": "check_key_signature key_signature"}

__all__ = [name for names in _HOME.values() for name in names.split()]
__getattr__, __dir__ = lazy_names(__name__, _HOME, ())
