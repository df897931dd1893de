"""The most similar known word to a wrong one, for messages."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from urisieve.lean.hints import Final

__all__ = ["did_you_mean", "nearest"]

# The most words that are compared, and the longest word in characters: making a message must not take long.
_MOST: Final = 20_000
_LONGEST: Final = 64
# The least similarity of two words, from 0 to 1: that of `htp` and `http` is 0.86, that of `csv` and `tsv` 0.67.
_ALIKE: Final = 0.65


def nearest(word: str, words: Iterable[str]) -> str | None:
    """Return the word that was most likely meant; None if none is similar. Case does not count.

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
    """Return the end of a message about a wrong word: `; did you mean 'x'?`, or ""."""
    found = nearest(word, words)
    return "" if found is None or found == word else f"; did you mean {found!r}?"
