"""The export format of the systemd journal: fields of entries, as text or with their size and bytes.

An entry is lines of `NAME=value`, or a line of the name alone, the size in eight bytes (little-endian), that many bytes
and a line feed; an empty line ends it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from urisieve.errors import BrokenInputError
from urisieve.records.base import Context, Location
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.lines import LINE_LIMIT
from urisieve.sources.bytes.offsets import OffsetMap, utf8_offsets
from urisieve.sources.bytes.selections import selected
from urisieve.sources.containers.contents import Content
from urisieve.sources.content_tools import ContentTools
from urisieve.sources.documents import Document
from urisieve.sources.structured.json_paths import FieldWatch

_BLOCK = 65_536
# The size of values that are read at once.
_SHORT = 4_096
# The field with the time of an entry, in microseconds since 1970, which comes before those of its message.
_TIME = b"__REALTIME_TIMESTAMP"


def journal_fields(tools: ContentTools, content: Content) -> Iterator[Document]:
    """Yield the values of the fields of all entries, in their order, in UTF-8.

    Args:
        tools: the options and counts; with a field, such as `MESSAGE`, only that is read. Values in lines without
            identifiers are left out.
        content: the export.

    Iterating raises `InputError` if reading fails or the text is cut, also in a value.
    """
    tally, field, may_hold, context = tools.tally, tools.field, tools.may_hold, tools.reading.context
    reader = BlockReader(content.blocks)
    watch = FieldWatch(field, "entries")
    entry = 1
    filled = False
    when: Context | None = None
    while True:
        start = reader.position
        line = reader.line(LINE_LIMIT)
        if not line:
            break
        if line == b"\n":
            entry += filled
            filled = False
            when = None
            continue
        if not filled:
            tally.read["journal entry"] += 1
            filled = True
        name, equals, value = line.partition(b"=")
        short: str | None = None  # the value, if it is read at once
        if equals and line.endswith(b"\n"):
            size = len(value) - 1
            if context and name == _TIME and when is None:
                from urisieve.sources.contexts import context_of
                from urisieve.syntax.times import time_of_value

                written = value[:-1].decode("ascii", "replace")
                when = context_of(time_of_value(written), written)
            short = value[:-1].decode("utf-8", "surrogateescape")
            value_start = start + len(name) + 1
        elif equals or not line.endswith(b"\n"):
            size = _LINE
            message = (
                f"{content.source}: the field at byte {start:,} has no end within {LINE_LIMIT:,} bytes; read as text"
            )
            tally.fault("journal field", "no-end", message)
            reader.unread(line)
        else:
            name = line[:-1]
            size = int.from_bytes(reader.read(8), "little")
            # Most values with a size are short, and of ASCII: a stream for each would cost ten times as much.
            head = reader.peek(size + 1) if size <= _SHORT else b""
            if head[size:] == b"\n" and head.isascii():
                value_start = reader.position
                reader.skip(size + 1)
                short = head[:-1].decode("ascii")
        if short is not None:
            if watch.waits:
                watch.see(_name(name), _is(name, field))
            if _is(name, field) and (may_hold is None or may_hold(short)):
                yield Document(
                    source=content.source,
                    text=(short,),
                    place=_location(name, entry, when),
                    offsets=partial(utf8_offsets, short, size, value_start),
                )
            continue
        value_start = reader.position
        stream = _Value(reader, size)
        if watch.waits and size != _LINE:
            watch.see(_name(name), _is(name, field))
        if _is(name, field):
            yield Document(
                source=content.source,
                text=stream.text(),
                place=_location(name, entry, when),
                offsets=stream.way_back,
            )
        stream.leave()
        if size != _LINE and reader.peek(1) == b"\n":
            reader.skip(1)
        elif size != _LINE and reader.error is None:
            message = f"{content.source}: {size:,} bytes at byte {value_start:,} are not a field"
            tally.fault("journal field", "corrupt", message)
            if not reader.peek(1):
                break
    if reader.unreported is not None:
        raise reader.unreported
    watch.report(content.source, tally)


# The size of a value that runs to the end of its line.
_LINE = -1


def _is(name: bytes, field: str | None) -> bool:
    return field is None or name == field.encode("utf-8", "surrogateescape")


def _location(name: bytes, entry: int, when: Context | None) -> Location:
    return Location(field=_name(name), row=entry, context=when)


def _name(name: bytes) -> str:
    return name[:256].decode("utf-8", "replace")


class _Value:
    """A value that is read as a stream, and the way back from its characters to its bytes."""

    def __init__(self, reader: BlockReader, size: int) -> None:
        self._reader = reader
        self._size = size
        self._left = size
        self._start = reader.position
        self._decoder = ByteDecoder("utf-8")

    def text(self) -> Iterator[str]:
        """Yield its text.

        Raises:
            InputError: reading fails, or the value is cut.
        """
        for block in self._blocks():
            yield self._decoder.feed(block)
        yield self._decoder.close()

    def _blocks(self) -> Iterator[bytes]:
        while self._left:
            if self._size == _LINE:
                block = self._reader.line(_BLOCK)
                if not block or block.endswith(b"\n"):
                    self._left = 0
            else:
                block = self._reader.some(min(self._left, _BLOCK))
                self._left -= len(block)
                if not block:
                    self._left = 0
                    offset = self._reader.position
                    raise BrokenInputError("journal field", "truncated", f"the export ends early, at byte {offset:,}")
            yield block

    def leave(self) -> None:
        """Skip the part that has not been read."""
        if self._size == _LINE:
            for _ in self._blocks():
                pass
        else:
            self._reader.skip(self._left)
            self._left = 0

    def way_back(self) -> OffsetMap | None:
        """Return the way back to bytes, as far as the text was read."""
        return selected(self._decoder.offsets, byte_start=self._start)
