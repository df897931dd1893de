"""Strings of UTF-16 in files that are not text: their characters of ASCII without the NULs between them."""

from __future__ import annotations

import re

from urisieve.lean import Final
from urisieve.sources.bytes.selections import Splices

__all__ = ["WideStrings"]

# So many characters, each with a NUL behind it, are a string; in the other byte order the NUL before it is passed over.
_FEWEST: Final = 4
_PAIRS: Final = re.compile(r"(?:[ -~]\0)*")
_STRING: Final = re.compile(rf"(?:[ -~]\0){{{_FEWEST},}}")
# The beginning of a string that the end of a piece cuts.
_BEGUN: Final = re.compile(rf"(?:[ -~]\0){{0,{_FEWEST - 1}}}[ -~]?\Z")


class WideStrings:
    """Takes the NULs out of such strings: `feed` each piece of the text in turn, then `close`.

    The text is the same however it is cut. `splices` is the way back to the text as it was.

    Args:
        keep: the number of characters back for which the way back is kept; None to do without it.
    """

    def __init__(self, *, keep: int | None = None) -> None:
        self._keep = keep
        self.splices: Splices | None = None if keep is None else Splices()
        self._held = ""
        self._is_inside = False
        self._given = 0

    def feed(self, text: str) -> str:
        """Take the next piece; return the text that is decided."""
        text = self._held + text
        if "\0" not in text and not self._is_inside:
            self._held = text[-1:]
            return self._plain(text[:-1])
        if self.splices is not None and self._keep is not None:
            self.splices.forget(self._given - self._keep)
        pieces = []
        offset = 0
        if self._is_inside:
            pairs = _PAIRS.match(text)
            offset = 0 if pairs is None else pairs.end()
            pieces.append(self._string(text[:offset]))
        for found in _STRING.finditer(text, offset):
            pieces += [self._plain(text[offset : found.start()]), self._string(found[0])]
            offset = found.end()
        rest = text[offset:]
        self._is_inside = (self._is_inside or offset > 0) and len(rest) < 2 and (not rest or " " <= rest <= "~")
        begun = _BEGUN.search(text, max(offset, len(text) - 2 * _FEWEST + 1))
        end = len(text) if begun is None else begun.start()
        self._held = text[end:]
        return "".join([*pieces, self._plain(text[offset:end])])

    def close(self) -> str:
        """Return the rest of the text."""
        text, self._held = self._held, ""
        return self._plain(text)

    def _plain(self, text: str) -> str:
        self._given += len(text)
        return text

    def _string(self, text: str) -> str:
        if self.splices is not None:
            for index in range(len(text) // 2):
                self.splices.replace(self._given + index, 2, 1)
        return self._plain(text[::2])
