"""The scanner: text in pieces goes in, records and rejections come out, the same however the text is cut."""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable

from urisieve import shapes
from urisieve.errors import UsageError, in_use
from urisieve.find.finder.finder import Finder
from urisieve.find.searches import make_search
from urisieve.finding_options import Options, checked
from urisieve.lean import NoReturn
from urisieve.records.base import Location
from urisieve.records.batch import BatchBuffer
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection


class Scanner:
    """The push interface to the sieve: pieces of one text in, records and rejections out.

    The results do not depend on where the text is cut. Offsets count characters from 0, from the start of the first
    piece; lines and columns count from 1. Memory is bounded by `Options.max_length`, whatever the input, and the time
    is linear. A scanner takes one call at a time: a second thread inside is refused. After an exception in the middle
    of a call, as for lack of memory, it takes no more.

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
        UsageError: an argument is not of its kind.
    """

    def __init__(
        self,
        options: Options | None = None,
        *,
        source: str | None = None,
        location: Location | None = None,
        finder: Finder | None = None,
    ) -> None:
        shapes.check(source=source)
        if location is not None:
            shapes.instance("location", location, Location, "Location(message=1)")
        if finder is not None:
            shapes.instance("finder", finder, Finder, "Finder(options)")
        self._turn = allocate_lock()
        self._buffer = BatchBuffer()
        self._has_failed = False
        self._decided = 0
        self._search = make_search(checked(options), self._buffer, source=source, location=location, finder=finder)

    def __reduce__(self) -> NoReturn:
        raise UsageError("a Scanner cannot be pickled or copied: it is in the middle of a text; make another one")

    def _results(self, step: Callable[..., object], *text: str) -> list[Record | Rejection]:
        """Take a step of the search, and return what it decides; after an exception there is no other one."""
        if not self._turn.acquire(False):
            raise in_use("the scanner")
        if self._has_failed:
            self._turn.release()
            raise UsageError("an exception has ended a call of the scanner: begin the text anew with another one")
        try:
            step(*text)
            return self._buffer.taken().merged()
        except UsageError:
            raise
        except BaseException:
            self._has_failed = True
            raise
        finally:
            self._turn.release()

    def feed(self, text: str) -> list[Record | Rejection]:
        """Take the next piece of the text; return the records and rejections that it decides, in order.

        Raises:
            UsageError: the scanner is closed or in use by another call, `text` is not a string, or an earlier call has
                ended by an exception.
        """
        shapes.text("text", text)
        return self._results(self._search.feed, text)

    @property
    def decided(self) -> int:
        """How far the text is decided: the number of characters, from its start, in which nothing more will be found.

        Each record and rejection that has been returned ends there at the latest, and each that is to come begins there
        or later: what comes before may be rewritten and passed on. After `close` it is the length of the text;
        until then it may be less with the kernel than without. With `Options.nested` or `Options.unwrap` records
        overlap: one may lie inside the one that was returned before it.

        >>> from urisieve import Scanner
        >>> scanner = Scanner()
        >>> scanner.feed("see http://a.example/ or htt"), scanner.decided
        ([<Record 'http://a.example/' at 4:21>], 25)
        >>> scanner.close(), scanner.decided
        ([], 28)

        Raises:
            UsageError: the scanner is in use by another call.
        """
        if not self._turn.acquire(False):
            raise in_use("the scanner")
        try:
            # To decide about a later candidate the search may look at text again that is in none.
            self._decided = max(self._decided, self._search.decided)
            return self._decided
        finally:
            self._turn.release()

    def finish(self, text: str) -> list[Record | Rejection]:
        """Take the last piece of the text and end it: `feed` and `close` in one, at half the cost for a short text.

        Returns:
            the records and rejections that it decides, in the order of the text.

        Raises:
            UsageError: the scanner is closed or in use by another call, `text` is not a string, or an earlier call has
                ended by an exception.
        """
        shapes.text("text", text)
        return self._results(self._search.finish, text)

    def close(self) -> list[Record | Rejection]:
        """End the text; return the records and rejections that were still undecided. A second call returns none.

        Raises:
            UsageError: the scanner is in use by another call, or an earlier one has ended by an exception.
        """
        return self._results(self._search.close)
