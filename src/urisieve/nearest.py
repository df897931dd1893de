"""The nearest right word to a wrong one, for messages."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

__all__ = ["did_you_mean", "nearest"]

# Words that are compared, and the length of what is compared: a message must not take long.
_MOST: Final = 20_000
_LONGEST: Final = 64
# How alike two words must be, from 0 to 1: `htp` and `http` are by 0.86, `csv` and `tsv` by 0.67.
_ALIKE: Final = 0.65


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The word that was most likely meant; None where none is alike. Case does not count.

    >>> nearest("identfier", ["url", "identifier"]), nearest("zzz", ["url"])
    ('identifier', None)
    """
    if not 1 < len(word) <= _LONGEST:
        return None
    from difflib import get_close_matches

    folded: dict[str, str] = {}
    for other in islice(words, _MOST):
        folded.setdefault(other.casefold(), other)
    wanted = word.casefold()
    longer = sorted((other for other in folded if other.startswith(wanted) and len(wanted) > 2), key=len)
    found = longer[:1] or get_close_matches(wanted, folded, n=1, cutoff=_ALIKE)
    return folded[found[0]] if found else None


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """The end of a message about a wrong word: `; did you mean 'x'?`, or nothing."""
    found = nearest(word, words)
    return "" if found is None or found == word else f"; did you mean {found!r}?"
