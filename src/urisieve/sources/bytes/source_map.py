"""Source maps: where the characters of a text are in what it was made from.

A text is decoded from bytes, or it is taken from another text: tags are left out, escapes resolved, lines joined. A
`SourceMap` remembers that as runs of characters, in the order of the text:

- each character of a run comes from as many bytes or characters of the source (copied text, ASCII, UTF-16);
- or all characters of a run replace one part of the source together (a character reference);
- or the run is decoded text whose characters have one to four bytes, which is measured as far as offsets are asked for.

What is between two runs in the source was left out. `composed` puts maps together: a text that was taken from a text
that was decoded from bytes has one map to the bytes.

Also defines:

- lines and columns of the characters of a text.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence

from urisieve.kernel import either, kernel
from urisieve.lean import Final, TypeAlias
from urisieve.records.layouts import as_numbers
from urisieve.sources.bytes.encodings import Encoding, Family

# Runs are forgotten many at once: otherwise the rest would be moved at every call.
_BATCH: Final = 4_096
# Widths that are no number of bytes or characters.
_TOGETHER: Final = 0
_MEASURED: Final = -1
# After every offset.
_FAR: Final = 1 << 62
# The number of offsets for which it pays to ask the kernel.
_FEW: Final = 16
# Characters of text for each offset up to which the kernel takes less time: it looks at all of them.
_STEP: Final = 1_024
_Offsets: TypeAlias = "list[int] | array[int]"


def _by_kernel(found: SourceMap, offsets: Sequence[int], *, first: bool) -> array[int] | None:
    """Return the offsets in the source of many characters; None if that is left to Python.

    Args:
        found: the map.
        offsets: the offsets of the characters.
        first: whether an offset between two runs is of the second one.
    """
    if len(offsets) < _FEW or len(found._begins) > len(offsets) * _STEP:
        return None
    texts: dict[int, str] = {}
    for begin, decoded in found._texts.items():
        if decoded.encoding.family is Family.UTF8 and len(decoded.text) <= len(offsets) * _STEP:
            texts[begin] = decoded.text
    made = kernel.source_offsets(found._begins, found._starts, found._widths, as_numbers(offsets), first, texts)
    return None if made is None else array("q", made)


def _by_python(found: SourceMap, offsets: Sequence[int], *, first: bool) -> None:
    del found, offsets, first


_source_offsets: Final = either(_by_kernel, _by_python)


class SourceMap:
    """The map from the characters of a text to the source.

    >>> found = SourceMap()
    >>> found.add(0, 2)  # "a<" of "a<&lt;"
    >>> found.replace(2, 6, 1)
    >>> found.source(2), found.span(1, 3), found.length
    (2, (1, 6), 3)

    Runs are added in the order of the text. A map without runs is that of an unchanged part of the source.

    Args:
        start: the offset in the source of the first character.
    """

    __slots__ = ("_begins", "_ends", "_starts", "_texts", "_widths", "length")

    def __init__(self, start: int = 0) -> None:
        # For each run its offset in the text, its start and its end in the source. There may be one for each line.
        self._begins = array("q", (0,))
        self._starts = array("q", (start,))
        self._ends = array("q", (start,))
        self._widths = array("b", (1,))
        self._texts: dict[int, _DecodedText] = {}  # of measured runs, by their offset in the text
        self.length = 0
        """The number of characters in the runs."""

    @property
    def size(self) -> int:
        """The end of the last run in the source."""
        return self._ends[-1]

    def add(self, start: int, end: int, width: int = 1) -> None:
        """Add what the source has from `start` to `end`: a character for each, or for each `width` of them."""
        self._add(start, end, width, (end - start) // width)

    def replace(self, start: int, end: int, length: int) -> None:
        """Add `length` characters for those of the source from `start` to `end`: one for one if they are as many."""
        self._add(start, end, 1 if length == end - start else _TOGETHER, length)

    def add_decoded(self, text: str, data: bytes, encoding: Encoding) -> None:
        """Add text that was decoded from the bytes after the last run."""
        width = _MEASURED
        if len(text) == len(data) and not encoding.pairs:
            width = 1
        elif text.isascii() and encoding.family in (Family.UTF16, Family.UTF32):
            width = len(data) // len(text)
        else:
            self._texts[self.length] = _DecodedText(text, data, encoding)
        self._add(self.size, self.size + len(data), width, len(text))

    def _add(self, start: int, end: int, width: int, length: int) -> None:
        if self.length == self._begins[-1]:  # nothing is in the last run
            for column in (self._begins, self._starts, self._ends, self._widths):
                column.pop()
        elif width > 0 and width == self._widths[-1] and start == self._ends[-1]:
            self._ends[-1] = end
            self.length += length
            return
        self._begins.append(self.length)
        self._starts.append(start)
        self._ends.append(end)
        self._widths.append(width)
        self.length += length

    def forget(self, before: int) -> None:
        """Drop the runs that are needed only for characters before an offset."""
        run = bisect_right(self._begins, before) - 1
        if run > _BATCH or (run > 0 and self._texts):
            for begin in self._begins[:run] if self._texts else ():
                self._texts.pop(begin, None)
            for column in (self._begins, self._starts, self._ends, self._widths):
                del column[:run]

    def source(self, offset: int) -> int:
        """Return the start, in the source, of the character at an offset of the text.

        Raises:
            LookupError: the run was forgotten.
        """
        run = max(0, bisect_right(self._begins, offset) - 1)
        return self._in_run(run, offset, self._starts[run])

    def source_end(self, offset: int) -> int:
        """Return the end, in the source, of the character before an offset of the text.

        Raises:
            LookupError: as for `source`.
        """
        run = max(0, bisect_right(self._begins, offset - 1) - 1)
        return self._in_run(run, offset, self._ends[run])

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the start and end, in the source, of the characters from `start` to `end`.

        Raises:
            LookupError: as for `source`.
        """
        return self.source(start), self.source_end(end)

    def spans(self, starts: Sequence[int], ends: Sequence[int]) -> tuple[_Offsets, _Offsets]:
        """Return what `span` returns for many; those that follow each other take the least time."""
        return (
            _source_offsets(self, starts, first=True) or self._many(starts, self.source, 1),
            _source_offsets(self, ends, first=False) or self._many(ends, self.source_end, 0),
        )

    def _many(self, offsets: Sequence[int], one: Callable[[int], int], first: int) -> list[int]:
        """Return what a function returns for offsets: in a run of characters of one width it is a sum.

        Args:
            offsets: the offsets.
            one: the function.
            first: 0 if the character before an offset says in which run it is, else 1.
        """
        begins, last = self._begins, len(self._begins) - 1
        found: list[int] = []
        low = high = 1  # the offsets of the run of the last one, half-open
        width = base = begin = 0
        decoded: _DecodedText | None = None
        known = size = 0  # the last offset in that text, and the bytes before it
        for offset in offsets:
            if not low <= offset < high:
                run = max(0, bisect_right(begins, offset - 1 + first) - 1)
                width, begin, base = self._widths[run], begins[run], self._starts[run]
                low, high = begin + 1 - first, _FAR if run == last else begins[run + 1] + 1 - first
                decoded, known = (self._texts[begin], _FAR) if width == _MEASURED else (None, 0)
            if width > 0 and low <= offset:
                found.append(base + (offset - begin) * width)
            elif decoded is not None and low <= offset:
                length = offset - begin
                if known <= length and decoded.is_a_sum:
                    piece = decoded.text[known:length]
                    size += len(piece) * decoded.plain if piece.isascii() else decoded.encoding.size(piece)
                else:
                    size = decoded.size(length)
                known = length
                found.append(base + size)
            else:
                found.append(one(offset))
        return found

    def composed(self, inner: SourceMap | None = None, first: int = 0) -> ComposedMap:
        """Return the map of a text that was taken from this one; see `ComposedMap`."""
        return ComposedMap(self, inner, first)

    def _in_run(self, run: int, offset: int, together: int) -> int:
        width, begin = self._widths[run], self._begins[run]
        if offset < begin:
            raise LookupError(f"character {offset} is before {begin}, where the map begins")
        if width == _TOGETHER:
            return together
        size = self._texts[begin].size(offset - begin) if width == _MEASURED else (offset - begin) * width
        return self._starts[run] + size


class ComposedMap(SourceMap):
    """The map of a text that was taken from another one, which has a map itself.

    Args:
        outer: the map of the other text to its source; runs may still be added to it.
        inner: the map to a part of the other text; None if the text is that part.
        first: the offset of the part in the other text.
    """

    __slots__ = ("_first", "_inner", "_outer")

    def __init__(self, outer: SourceMap, inner: SourceMap | None = None, first: int = 0) -> None:
        self._outer = outer
        self._inner = inner
        self._first = first

    def source(self, offset: int) -> int:
        """See `SourceMap.source`."""
        return self._outer.source(self._first + (offset if self._inner is None else self._inner.source(offset)))

    def source_end(self, offset: int) -> int:
        """See `SourceMap.source_end`."""
        return self._outer.source_end(self._first + (offset if self._inner is None else self._inner.source_end(offset)))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """See `SourceMap.span`."""
        if self._inner is not None:
            start, end = self._inner.span(start, end)
        return self._outer.span(self._first + start, self._first + end)

    def spans(self, starts: Sequence[int], ends: Sequence[int]) -> tuple[_Offsets, _Offsets]:
        """See `SourceMap.spans`."""
        if self._inner is not None:
            starts, ends = self._inner.spans(starts, ends)
        first = self._first
        return self._outer.spans([first + start for start in starts], [first + end for end in ends])


def composed(outer: SourceMap | None, inner: SourceMap | None = None, first: int = 0) -> SourceMap | None:
    """Return a `ComposedMap`; None if the other text has no map."""
    return None if outer is None else ComposedMap(outer, inner, first)


# Characters that are measured at once: an offset asked for is at most this far from a known one.
_PIECE: Final = 512
# Bytes of the longest sequence of the multi-byte encodings (GB 18030).
_LONGEST_SEQUENCE: Final = 4


class _DecodedText:
    """Text whose characters have different numbers of bytes, measured as far as offsets are asked for.

    Attributes:
        text: the text.
        encoding: its encoding.
        plain: the bytes of an ASCII character.
    """

    __slots__ = ("_data", "_sizes", "_step", "encoding", "plain", "text")

    def __init__(self, text: str, data: bytes, encoding: Encoding) -> None:
        self.text = text
        self.encoding = encoding
        self.plain = encoding.size(" ")
        self._data = data if encoding.family is Family.MULTI else None  # until it is known how it is measured
        self._step = _PIECE
        self._sizes = array("q", (0,))  # the number of bytes before each piece

    @property
    def is_a_sum(self) -> bool:
        """Whether the bytes of two texts are those of their pieces, which is known once `size` was asked."""
        return self._step == _PIECE

    def size(self, length: int) -> int:
        """Return the number of bytes of the first characters."""
        if self._data is not None:
            encoding = self.encoding
            if encoding.pairs or self.text.encode(encoding.name, encoding.errors) != self._data:
                self._sizes, self._step = _sequence_starts(self._data, encoding.name), 1
            self._data = None
        number, rest = divmod(length, self._step)
        while len(self._sizes) <= number:
            first = (len(self._sizes) - 1) * self._step
            self._sizes.append(self._sizes[-1] + self.encoding.size(self.text[first : first + self._step]))
        return self._sizes[number] + self.encoding.size(self.text[length - rest : length])


def _sequence_starts(data: bytes, name: str) -> array[int]:
    """Return the offset in `data` of each character and of the end; the second of a pair starts after both."""
    starts = array("q", [0])
    offset = 0
    while offset < len(data):
        size = characters = 1  # an undecodable byte
        for length in range(1, _LONGEST_SEQUENCE + 1):
            try:
                characters = len(data[offset : offset + length].decode(name))
            except UnicodeDecodeError:
                continue
            size = length
            break
        offset += size
        starts.extend([offset] * characters)
    return starts


class SourceLines:
    """Lines and columns of a text, or of a part of one; looking them up is fast in rising order.

    Args:
        text: the part.
        start: the offset of its first character in the text.
        line: the line of that character, from 1.
        column: its column, from 1.
    """

    __slots__ = ("_at", "_column", "_line", "_line_start", "_origin", "_start", "_text")

    def __init__(self, text: str, start: int = 0, line: int = 1, column: int = 1) -> None:
        self._text = text
        self._start = start
        self._origin = (line, 1 - column)
        self._at = 0
        self._line, self._line_start = self._origin

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column of the character at an offset of the text."""
        here = offset - self._start
        if here < self._at:
            self._at = 0
            self._line, self._line_start = self._origin
        breaks = self._text.count("\n", self._at, here)
        if breaks:
            self._line += breaks
            self._line_start = self._text.rfind("\n", self._at, here) + 1
        self._at = here
        return self._line, here - self._line_start + 1

    def places(self, offsets: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
        """Return what `place` returns for many, as two sequences; those that follow each other take the least time."""
        made = _line_places(self, offsets) if len(offsets) >= _FEW else None
        if made is not None:
            return made
        pairs = list(map(self.place, offsets))
        return [line for line, _ in pairs], [column for _, column in pairs]


def _places_by_kernel(lines: SourceLines, offsets: Sequence[int]) -> tuple[Sequence[int], Sequence[int]] | None:
    """Return what `SourceLines.places` returns; None where Python takes less time, or offsets do not rise."""
    text = lines._text
    if not text.isascii() and len(offsets) * _STEP < len(text):
        return None
    by = lines._start
    numbers = array("q", [offset - by for offset in offsets] if by else offsets)
    if numbers[0] < lines._at:
        lines._at = 0
        lines._line, lines._line_start = lines._origin
    try:
        found = kernel.line_places(text, numbers, lines._at, lines._line, lines._line_start)
    except ValueError:
        return None
    rows, columns, lines._at, lines._line, lines._line_start = found
    return memoryview(rows).cast("q"), memoryview(columns).cast("q")


def _places_in_python(lines: SourceLines, offsets: Sequence[int]) -> None:
    del lines, offsets


_line_places: Final = either(_places_by_kernel, _places_in_python)
