"""The scanner: text in pieces goes in, records and rejections come out, the same however the text is cut."""

from __future__ import annotations

from _thread import allocate_lock

from urisieve.errors import in_use
from urisieve.find.finder.finder import Finder
from urisieve.find.searches import make_search
from urisieve.options import Options, checked
from urisieve.records.base import Location
from urisieve.records.batch import BatchBuffer
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection


class Scanner:
    """The push interface to the sieve: pieces of one text in, records and rejections out.

    The results do not depend on where the text is cut. Offsets count characters from 0, from the start of the first
    piece; lines and columns count from 1. Memory is bounded by `Options.max_length`, whatever the input, and the time
    is linear. A scanner takes one call at a time: a second thread inside is refused.

    >>> from urisieve import Scanner
    >>> scanner = Scanner()
    >>> scanner.feed("see http://exa")
    []
    >>> scanner.feed("mple.com/a and urn:isbn:0395363411")
    [<Record 'http://example.com/a' at 4:24>]
    >>> scanner.close()
    [<Record 'urn:isbn:0395363411' at 29:48>]

    Args:
        options: what to find and how far to normalize; the defaults of `Options` if None.
        source: the name of the text, `source` of every record.
        location: the location of the text in its source; None for a text without a container.
        finder: the finder of a scanner with the same options, to share what it remembers.

    Raises:
        UsageError: `options` is not an `Options`.
    """

    def __init__(
        self,
        options: Options | None = None,
        *,
        source: str | None = None,
        location: Location | None = None,
        finder: Finder | None = None,
    ) -> None:
        self._turn = allocate_lock()
        self._buffer = BatchBuffer()
        self._search = make_search(checked(options), self._buffer, source=source, location=location, finder=finder)

    def feed(self, text: str) -> list[Record | Rejection]:
        """Take the next piece of the text; return the records and rejections that it decides, in order.

        Raises:
            UsageError: the scanner is closed or in use by another call, or `text` is not a string.
        """
        if not self._turn.acquire(False):
            raise in_use("the scanner")
        try:
            self._search.feed(text)
            return self._buffer.taken().merged()
        finally:
            self._turn.release()

    def finish(self, text: str) -> list[Record | Rejection]:
        """Take the last piece of the text and end it: `feed` and `close` in one, at half the cost for a short text.

        Returns:
            the records and rejections that it decides, in the order of the text.

        Raises:
            UsageError: the scanner is closed or in use by another call, or `text` is not a string.
        """
        if not self._turn.acquire(False):
            raise in_use("the scanner")
        try:
            self._search.finish(text)
            return self._buffer.taken().merged()
        finally:
            self._turn.release()

    def close(self) -> list[Record | Rejection]:
        """End the text; return the records and rejections that were still undecided. A second call returns none.

        Raises:
            UsageError: the scanner is in use by another call.
        """
        if not self._turn.acquire(False):
            raise in_use("the scanner")
        try:
            self._search.close()
            return self._buffer.taken().merged()
        finally:
            self._turn.release()
