"""The times of the lines of a text that comes in pieces, for the identifiers in them; as hours, or whole."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from urisieve.kernel import either, kernel
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple
from urisieve.records.base import NOWHERE, Context, Location, with_context
from urisieve.records.batch import TIME, Batch
from urisieve.records.layouts import SharedValues
from urisieve.sources.contexts import context_of
from urisieve.syntax.time_forms import LineTime, minute_of, time_of_line

if TYPE_CHECKING:
    from urisieve.records.rejection import Rejection
    from urisieve.sources.bytes.decoding import TextTaker


_NONE: Final = LineTime(None, None, 0)
# No time is further from the start of its line, in characters.
LINE_HEAD: Final = 1_024
# A line without a time has that of a line before it, which begins at most so many characters (bytes, where the text
# comes as bytes) earlier: a traceback is shorter, and prose after one dated line is not all of that time.
CONTINUED: Final = 65_536
# The line between two texts that are joined (`SEPARATOR`): no time crosses it.
_BETWEEN: Final = "\x1e\n"
# The characters of text that are kept before the longest candidate, which may still be undecided.
_KEPT: Final = 262_144


class _Last(NamedTuple):
    """The last time before a place.

    Attributes:
        time: the time.
        start: the offset of the line that begins with it.
    """

    time: LineTime
    start: int


_NO_LAST: Final = _Last(_NONE, 0)


class LineHours:
    """Finds the times of the lines of a text.

    An identifier has the time that is the last before it at the beginning of a line: of its own one, else of one
    before it that is at most `CONTINUED` away, as a traceback has that of its message. So it does not matter where
    pieces of the text end: what is before an identifier has come when the identifier is found.

    Args:
        longest: the longest candidate, in characters.

    Attributes:
        context: the number of bytes before a part of a text in which the time of its first line may be.
    """

    context: Final = 4 * CONTINUED + LINE_HEAD  # four for a character

    def __init__(self, longest: int) -> None:
        self._keep = 4 * longest + _KEPT
        self.restart()

    def restart(self, offset: int = 0) -> None:
        """Begin another text, or its part from an offset on, which is the start of a line."""
        self._text = ""
        self._waiting: list[str] = []
        self._size = 0  # of what waits
        self._base = offset  # the offset of the text that is kept
        # The line that was looked at last, by offsets in that text: its start and end, its time, and the last one
        # before it; and whether all of its head had come.
        self._start = 0
        self._end = -1
        self._own: LineTime = _NONE
        self._before = _NO_LAST
        self._is_known = True

    def feed_bytes(self, piece: bytes | memoryview) -> None:
        """Take the next piece, of a text of which no other one comes as characters; offsets are in bytes."""
        self.feed(str(piece, "latin-1"))

    def feed(self, piece: str) -> None:
        """Take the next piece."""
        self._waiting.append(piece)
        self._size += len(piece)
        if self._size > self._keep:
            self._join()

    def _join(self) -> None:
        """Join the pieces, and forget what is far back."""
        surplus = len(self._text) - self._keep
        if surplus > 0:
            self._look(surplus)  # the line that the cut divides
            self._text = self._text[surplus:]
            self._base += surplus
            self._start -= surplus
            self._end -= surplus
            self._own = self._own._replace(end=self._own.end - surplus)
            self._before = self._before._replace(start=self._before.start - surplus)
        is_open = self._end >= len(self._text)  # the line goes on
        self._text += "".join(self._waiting)
        self._waiting.clear()
        self._size = 0
        if is_open:
            self._end = self._line_end(self._end)

    def _line_end(self, at: int) -> int:
        end = self._text.find("\n", at)
        return len(self._text) if end < 0 else end

    def _look(self, at: int) -> None:
        """Find the line around an offset of the text that is kept, and its time."""
        if not self._start <= at <= self._end:
            floor, last = 0, _NO_LAST
            if at > self._end:
                self._read()
                floor, last = self._end + 1, self._last()
            start = self._text.rfind("\n", floor, at) + 1 or floor
            self._before = self._last_before(start, floor, last)
            self._start, self._end, self._is_known = start, self._line_end(at), False
        self._read()

    def _read(self) -> None:
        """Find the time with which the line itself begins, as far as it has come."""
        if not self._is_known and self._start >= 0:  # else its head was forgotten
            self._own = time_of_line(self._text, self._start)
            self._is_known = min(self._end, self._start + LINE_HEAD) < len(self._text)

    def _last(self) -> _Last:
        """Return the last time up to the end of the line."""
        return self._before if self._own.match is None else _Last(self._own, self._start)

    def _last_before(self, start: int, floor: int, last: _Last) -> _Last:
        """Return the last time before a line; `last` is that before the line that begins at `floor`."""
        line = start
        while line > floor:
            end, line = line, self._text.rfind("\n", floor, line - 1) + 1 or floor
            if self._text[line:end] == _BETWEEN:
                return _NO_LAST
            if start - line > CONTINUED:
                break
            found = time_of_line(self._text, line)
            if found.match is not None:
                return _Last(found, line)
        return last if start - last.start <= CONTINUED else _NO_LAST

    def hours(self, offsets: Sequence[int]) -> list[str | None]:
        """Return the hour of the line of each offset in the text."""
        return [line.hour for line in self.times(offsets)]

    def times(self, offsets: Sequence[int]) -> list[LineTime]:
        """Return the time of the line of each offset in the text; one object for all in one line."""
        if self._waiting:
            self._join()
        found: list[LineTime] = []
        for offset in offsets:
            self._look(offset - self._base)
            found.append(self._own if self._is_after(offset - self._base) else self._before.time)
        return found

    def _is_after(self, at: int) -> bool:
        """Report whether the line begins with a time, and an offset in it is after that."""
        return self._own.match is not None and at >= self._own.end

    def contexts(self, offsets: Sequence[int]) -> SharedValues:
        """Return the context of the line of each offset in the text, None if it has no time."""
        lines = SharedValues.of(self.times(offsets))
        return lines.changed(lambda line: None if line.minute is None else context_of(line.time, line.written))

    def _hours_in(self, batch: Batch, by: str) -> list[str | None]:
        """Return the hour of each row of a batch, by a column with its offset in the text."""
        return self.hours(batch.column(by) if len(batch) else ())

    def _contexts_in(self, batch: Batch, by: str) -> SharedValues:
        """Return the context of each row of a batch, by a column with its offset in the text."""
        return self.contexts(batch.column(by) if len(batch) else ())

    def put_into(self, batch: Batch, wanted: frozenset[str], place: Location = NOWHERE, by: str = "start") -> Batch:
        """Return a batch with the times of its lines.

        Args:
            batch: what was found in the text.
            wanted: of `TIME`, for the hours, and `location`, for the times; see `dating_columns`.
            place: the location of the text.
            by: the column with the offsets in the text.
        """
        if TIME in wanted:
            batch = batch.dated(self._hours_in(batch, by))
        if "location" not in wanted:
            return batch
        batch = batch.placed(self._contexts_in(batch, by).changed(partial(location_in, place)))
        if not batch.rejections:
            return batch
        contexts = self.contexts([getattr(one, by) for one in batch.rejections])
        pairs = zip(batch.rejections, contexts.changed(partial(location_in, place)), strict=True)
        return batch.with_rejections([_relocated(one, location) for one, location in pairs], batch.before)


def location_in(place: Location, context: Context | None) -> Location | None:
    """Return the location of a text with a context, unless it has one of its own; None if it has neither."""
    if place.context is not None:  # the time of a line in a message without a date is not that of the message
        return place
    return None if place is NOWHERE and context is None else with_context(place, context)


def _relocated(rejection: Rejection, location: Location | None) -> Rejection:
    from urisieve.records.rejection import make_rejection

    return make_rejection(rejection._row._replace(location=location))


class KernelLineHours(LineHours):
    """The same, found by the kernel."""

    def __init__(self, longest: int) -> None:
        kept = 4 * longest + _KEPT
        self._lines = kernel.LineHours(minute_of, partial(tuple.__new__, Context), kept, CONTINUED)

    def restart(self, offset: int = 0) -> None:
        """See `LineHours.restart`."""
        self._lines.restart(offset)

    def feed_bytes(self, piece: bytes | memoryview) -> None:
        """See `LineHours.feed_bytes`."""
        self._lines.feed(piece)

    def feed(self, piece: str) -> None:
        """See `LineHours.feed`: a byte for each character, and of a time each is ASCII."""
        self._lines.feed(piece.encode("latin-1", "replace"))

    def hours(self, offsets: Sequence[int]) -> list[str | None]:
        """See `LineHours.hours`."""
        return self._lines.hours(list(offsets))

    def contexts(self, offsets: Sequence[int]) -> SharedValues:
        """See `LineHours.contexts`."""
        return _shared(*self._lines.contexts(list(offsets)))

    def _hours_in(self, batch: Batch, by: str) -> list[str | None]:
        harvest = _harvest_with(batch, by)
        return super()._hours_in(batch, by) if harvest is None else self._lines.hours(harvest, by)

    def _contexts_in(self, batch: Batch, by: str) -> SharedValues:
        harvest = _harvest_with(batch, by)
        return super()._contexts_in(batch, by) if harvest is None else _shared(*self._lines.contexts(harvest, by))


def _harvest_with(batch: Batch, name: str) -> kernel.Harvest | None:
    """Return what the kernel has found in a batch, if a column is among it."""
    return batch.layout.harvest if name in batch.layout.by_kernel else None


def _shared(values: list[Context | None], numbers: bytes) -> SharedValues:
    return SharedValues(values, memoryview(numbers).cast("I"))


_line_hours: Final = either(KernelLineHours, LineHours)


def dating_columns(columns: frozenset[str], *, context: bool) -> frozenset[str]:
    """Return those of the columns wanted that times are put into: `TIME`, and `location` if contexts are asked for."""
    return columns & (frozenset((TIME, "location")) if context else frozenset((TIME,)))


def line_times(wanted: frozenset[str], longest: int) -> LineHours | None:
    """Return what finds the times of lines for such columns; None if there are none."""
    return _line_hours(longest) if wanted else None


class WatchedText:
    """A search that passes its text to `LineHours`, too, for the decoder that feeds it.

    Args:
        search: the search.
        lines: looks at the lines of the text.
    """

    def __init__(self, search: TextTaker, lines: LineHours) -> None:
        self._search = search
        self._lines = lines

    @property
    def takes_bytes(self) -> bool:
        """Whether it takes UTF-8 as bytes; offsets of lines are then those of bytes."""
        return self._search.takes_bytes

    @property
    def stray(self) -> int:
        """The number of bytes that did not decode."""
        return self._search.stray

    def enter(self, context: str, offset: int, lines: int, size: int = 0, /) -> None:
        """Begin in the middle of a text, at the start of a line."""
        is_cut = size > self._lines.context  # it may begin in a line
        whole = context[context.find("\n") + 1 :] if is_cut else context
        if self._search.takes_bytes:
            data = whole.encode("utf-8", "surrogatepass")
            self._lines.restart(size - len(data))
            self._lines.feed_bytes(data)
        else:
            self._lines.restart(offset - len(whole))
            self._lines.feed(whole)
        self._search.enter(context, offset, lines, size)

    def feed(self, text: str, /) -> None:
        """Take text."""
        self._lines.feed(text)
        self._search.feed(text)

    def feed_bytes(self, data: bytes | memoryview, /) -> None:
        """Take UTF-8; offsets of lines are those of bytes."""
        self._lines.feed_bytes(data)
        self._search.feed_bytes(data)

    def close(self) -> None:
        """End the text."""
        self._search.close()
