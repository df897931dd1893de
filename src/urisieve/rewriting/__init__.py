"""Texts and files with their identifiers replaced.

Each name is loaded when it is first used.
"""

from __future__ import annotations

from urisieve.lean import lazy_names

_HOME = {
    "rewriting.carriers": "RewriteCounts",
    "rewriting.rewritten_files": "rewrite",
    "rewriting.replacements": "Replacement canonical defanged inert masked merged refanged",
}

__all__ = [name for names in _HOME.values() for name in names.split()]
__getattr__, __dir__ = lazy_names(__name__, _HOME, ())
