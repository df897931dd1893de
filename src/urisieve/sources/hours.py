"""The times of the lines of a text that comes in pieces, for the identifiers in them; as hours, or whole."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from urisieve.kernel import either, kernel
from urisieve.lean import TYPE_CHECKING, Final
from urisieve.records.base import NOWHERE, Context, Location, with_context
from urisieve.records.batch import TIME, Batch
from urisieve.records.layouts import SharedValues
from urisieve.sources.contexts import context_of
from urisieve.syntax.times import LineTime, minute_of_form, time_of_line

if TYPE_CHECKING:
    from urisieve.records.rejection import Rejection
    from urisieve.sources.bytes.decoding import TextTaker


_NONE: Final = LineTime(None, None, 0)
# No time is further from the start of its line, in characters.
LINE_HEAD: Final = 1_024
# The characters of text that are kept before the longest candidate, which may still be undecided.
_KEPT: Final = 262_144


class LineHours:
    """Finds the times of the lines of a text.

    A line has the time with which it begins; it counts for the identifiers after it. So it does not matter where
    pieces of the text end: what is before an identifier has come when the identifier is found.

    Args:
        longest: the longest candidate, in characters.
    """

    def __init__(self, longest: int) -> None:
        self._keep = 4 * longest + _KEPT
        self.restart()

    def restart(self, offset: int = 0) -> None:
        """Begin another text, or its part from an offset on, which is the start of a line."""
        self._text = ""
        self._waiting: list[str] = []
        self._size = 0  # of what waits
        self._base = offset  # the offset of the text that is kept
        # The line that was looked at last, by offsets in that text: its start and end, the end of its time, and its
        # time; and whether all of its head had come.
        self._start = self._behind = 0
        self._end = -1
        self._time: LineTime = _NONE
        self._is_known = False

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
            self._behind -= surplus
            self._end -= surplus
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
            lowest = max(0, self._end + 1) if at > self._end else 0
            self._start = self._text.rfind("\n", lowest, at) + 1 or lowest
            self._end = self._line_end(at)
        elif self._is_known:
            return
        if self._start >= 0:  # else its head was forgotten
            self._time = time_of_line(self._text, self._start)
            self._behind = self._time.end
            end = min(self._end, self._start + LINE_HEAD)
            is_read = self._time.hour is not None and at >= self._behind
            self._is_known = is_read or end < len(self._text)

    def hours(self, offsets: Sequence[int]) -> list[str | None]:
        """Return the hour of the line of each offset in the text."""
        return [line.hour for line in self.times(offsets)]

    def times(self, offsets: Sequence[int]) -> list[LineTime]:
        """Return the time of the line of each offset in the text; one object for all in one line."""
        if self._waiting:
            self._join()
        base = self._base
        found: list[LineTime] = []
        for offset in offsets:
            at = offset - base
            if not (self._is_known and self._start <= at <= self._end):
                self._look(at)
            found.append(self._time if at >= self._behind else _NONE)
        return found

    def contexts(self, offsets: Sequence[int]) -> SharedValues:
        """Return the context of the line of each offset in the text, None if it has no time."""
        lines = SharedValues.of(self.times(offsets))
        return lines.changed(lambda line: None if line.minute is None else context_of(line.time, line.written))

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
            batch = batch.dated(self.hours(batch.column(by) if len(batch) else ()))
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
        self._lines = kernel.LineHours(minute_of_form, partial(tuple.__new__, Context), 4 * longest + _KEPT)

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

    def _contexts_in(self, batch: Batch, by: str) -> SharedValues:
        layout = batch.layout
        if layout.harvest is None or by not in layout.by_kernel:
            return super()._contexts_in(batch, by)
        return _shared(*self._lines.contexts(layout.harvest, by))


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
        self._lines.restart(size if self._search.takes_bytes else offset)
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
