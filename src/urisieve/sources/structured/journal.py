"""The export format of the systemd journal: fields of entries, as text or with their size and bytes.

An entry is lines of `NAME=value`, or a line of the name alone, the size in eight bytes (little-endian), that many bytes
and a line feed; an empty line ends it.
"""

from __future__ import annotations

from collections.abc import Iterator

from urisieve.errors import BrokenInputError
from urisieve.lean import Final
from urisieve.records.base import Context
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.lines import LINE_LIMIT
from urisieve.sources.bytes.source_map import SourceMap, composed
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document
from urisieve.sources.segments import Segments
from urisieve.sources.structured.json_paths import FieldWatch

_BLOCK: Final = 65_536
# The size of values that are read at once.
_SHORT: Final = 4_096
# The size of a value that runs to the end of its line.
_LINE: Final = -1
# The field with the time of an entry, in microseconds since 1970, which comes before those of its message.
_TIME: Final = b"__REALTIME_TIMESTAMP"


def read(source: Content, out: Segments) -> Iterator[Document | None]:
    """Read the values of the fields of all entries, in their order, in UTF-8; of a field that is wanted only those.

    Raises:
        InputError: reading fails or the text is cut, also in a value.
    """
    reader = BlockReader(source.blocks)
    watch = FieldWatch(out.field, "entries")
    wanted = None if out.field is None else out.field.encode("utf-8", "surrogateescape")
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
            if reader.is_drained:
                out.pause()
                yield None
            continue
        if not filled:
            out.count("journal entry")
            filled = True
        name, equals, value = line.partition(b"=")
        short: str | None = None  # the value, if it is read at once
        size = _LINE
        if equals and line.endswith(b"\n"):
            if name == _TIME and when is None:
                when = out.time_of(value[:-1].decode("ascii", "replace"))
            short = value[:-1].decode("utf-8", "surrogateescape")
            value_start = start + len(name) + 1
        elif equals or not line.endswith(b"\n"):
            message = f"the field at byte {start:,} has no end within {LINE_LIMIT:,} bytes; read as text"
            out.fault("no-end", message, kind="journal field")
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
        is_wanted = wanted is None or name == wanted
        if watch.waits and (short is not None or size != _LINE):
            watch.see(_name(name), is_wanted)
        if short is not None:
            if is_wanted and out.may_hold(short):
                yield out.add(short, value_start, field=_name(name), row=entry, context=when, always=True)
            continue
        value_start = reader.position
        stream = _Value(reader, size)
        if is_wanted:
            yield out.add(stream.text(), stream.source_map, field=_name(name), row=entry, context=when)
        stream.leave()
        if size != _LINE and reader.peek(1) == b"\n":
            reader.skip(1)
        elif size != _LINE and reader.error is None:
            message = f"{size:,} bytes at byte {value_start:,} are not a field"
            out.fault("corrupt", message, kind="journal field")
            if not reader.peek(1):
                break
    if reader.unreported is not None:
        raise reader.unreported
    out.report(watch)


def _name(name: bytes) -> str:
    return name[:256].decode("utf-8", "replace")


class _Value:
    """A value that is read as a stream, and the map from its characters to its bytes."""

    def __init__(self, reader: BlockReader, size: int) -> None:
        self._reader, self._size, self._left, self._start = reader, size, size, reader.position
        self._decoder = ByteDecoder("utf-8")

    def text(self) -> Iterator[str]:
        """Yield its text.

        Raises:
            InputError: reading fails, or the value is cut.
        """
        yield from map(self._decoder.feed, self._blocks())
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

    def source_map(self) -> SourceMap | None:
        """Return the map to bytes, as far as the text was read."""
        offsets = self._decoder.offsets
        return None if offsets is None else composed(SourceMap(self._start), offsets)
