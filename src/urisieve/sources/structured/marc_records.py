r"""Records of MARC 21 and its relatives as they are exchanged (ISO 2709): each value of a field or subfield is a text.

A record is a leader of 24 bytes, a directory of twelve bytes for each field, and the fields; `\x1e` ends a field,
`\x1d` a record, `\x1f` and a code begin a subfield. Fields are what is between these bytes, whatever lengths are
stated: leader and directory only name them, and damage to either costs the names.

Texts are UTF-8, or MARC-8 (leader, byte 9), which is read as ASCII: its other characters stay bytes, and are counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from urisieve.errors import InputError
from urisieve.find.delimited import Delimited
from urisieve.lean import TYPE_CHECKING, Any, Final
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.lines import LINE_LIMIT
from urisieve.sources.bytes.reading import raised
from urisieve.sources.bytes.source_map import SourceMap, composed
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document
from urisieve.sources.kinds.kind_table import MARC_LEADER
from urisieve.sources.segments import Segments

if TYPE_CHECKING:
    from urisieve.judge.number_names import Beside

_RECORD_END, _FIELD_END, _SUBFIELD = b"\x1d", b"\x1e", b"\x1f"
_LEADER_SIZE: Final = 24
_ENTRY: Final = re.compile(rb"([0-9A-Za-z]{3})([0-9]{4})([0-9]{5})")
_CODE: Final = re.compile(rb"[!-~]")
_INDICATORS: Final = 2
_UNICODE: Final = b"a"  # byte 9 of the leader
_BLANKS: Final = b" \t\r\n\0\x1a"  # between records and after the last


def read(source: Content, out: Segments) -> Iterator[Document | None]:
    """Read the values of all fields, in their order.

    A value has the name of its field, as `856$u`, and the number of its record from 1; values that no directory names
    have their record alone. Bytes that go on without the end of a record are read as text.

    Raises:
        InputError: reading fails or the text is cut.
    """
    return _MarcWalk(source, out).documents()


class _MarcWalk:
    """One pass over the records of a file."""

    def __init__(self, source: Content, out: Segments) -> None:
        self._blocks = iter(source.blocks)
        self._out = out
        self._number = 0
        self._is_unicode = False
        # Of the record that was read last: the bytes of each value, and what adds its text.
        self._values: list[tuple[bytes, Callable[..., Document | None]]] = []

    def documents(self) -> Iterator[Document | None]:
        pieces: list[bytes] = []  # the record that goes on
        size = start = 0
        cut: InputError | None = None
        while cut is None and size <= LINE_LIMIT:
            try:
                block = next(self._blocks, None)
            except InputError as error:
                cut = error.with_traceback(None)  # which refers to this frame
                block = None
            if block is None:
                break
            first, *more = block.split(_RECORD_END)
            pieces.append(first)
            size += len(first)
            for following in more:
                self._record(b"".join(pieces), start)
                start += size + 1
                pieces, size = [following], len(following)
                yield from self._taken()
        else:
            self._fault("too-long", f"more than {LINE_LIMIT:,} bytes are not a record; read as text")
            yield self._rest(pieces, start)
            return
        rest = b"".join(pieces)
        if rest.strip(_BLANKS):
            if cut is None:
                self._fault("no-end", "the record has no end")
            self._record(rest, start)
        yield from self._taken(cut)

    def _taken(self, cut: InputError | None = None) -> Iterator[Document | None]:
        """Add the values of a record, of which an error cuts the last."""
        values, self._values = self._values, []
        last = values.pop() if cut is not None and values else None
        for data, add in values:
            add(_decoded(data))
        yield None
        if last is not None and cut is not None:
            data, add = last
            yield add(raised(cut, (_decoded(data),)))
        elif cut is not None:
            raise cut

    def _rest(self, pieces: list[bytes], start: int) -> Document | None:
        """Return all that has not been read as text."""
        decoder = ByteDecoder("utf-8")

        def text() -> Iterator[str]:
            yield decoder.feed(b"".join(pieces))
            yield from decoder.pieces(self._blocks)
            self._out.decoded(decoder)
            if decoder.cut is not None:
                raise decoder.cut

        return self._out.add(text(), lambda: composed(SourceMap(start), decoder.offsets))

    def _fault(self, reason: str, message: str) -> None:
        self._out.fault(reason, f"record {self._number:,}: {message}", kind="marc record")

    def _record(self, data: bytes, start: int) -> None:
        """Read a record, or several of which the ends are lost."""
        blanks = len(data) - len(data.lstrip(_BLANKS))
        start += blanks
        fields = data[blanks:].split(_FIELD_END)
        if not fields[-1].strip(_BLANKS):
            del fields[-1]
        first = offset = 0
        for index, field in enumerate([*fields, None]):
            is_begin = field is None or MARC_LEADER.match(field) is not None
            if is_begin and index > first:
                self._fields(fields[first:index], start)
                start += offset
                first, offset = index, 0
                if field is not None:
                    self._fault("no-end", "the record has no end")
            offset += 0 if field is None else len(field) + 1

    def _fields(self, fields: Sequence[bytes], start: int) -> None:
        """Read one record: what is before the end of its directory, and its fields."""
        self._number += 1
        self._out.count("marc record")
        head, *values = fields
        names: Sequence[str | None] = [None] * len(values)
        end = 0  # of the directory
        if MARC_LEADER.match(head):
            self._is_unicode = head[9:10] == _UNICODE
            end = _LEADER_SIZE
            entries = []
            while (entry := _ENTRY.match(head, end)) is not None:
                entries.append((entry[1].decode(), int(entry[3])))
                end = entry.end()
            names = self._names(entries, values)
        else:
            self._fault("no-leader", "it does not begin with a leader; its fields have no names")
        if head[end:].strip(_BLANKS):
            self._value(None, head[end:], start + end, is_outside=True)
        start += len(head) + 1
        for name, value in zip(names, values, strict=True):
            self._field(name, value, start)
            start += len(value) + 1

    def _names(self, entries: list[tuple[str, int]], values: list[bytes]) -> list[str | None]:
        """Return the tag of each field: by its offset, else by its order if there are as many; None if unknown."""
        tags = {offset: tag for tag, offset in entries}
        names: list[str | None] = []
        offset = 0
        for value in values:
            names.append(tags.get(offset))
            offset += len(value) + 1
        if len(entries) != len(values) or None in names:
            self._fault("bad-directory", "its directory does not agree with its fields")
            if len(entries) == len(values):
                return [tag for tag, _ in sorted(entries, key=lambda entry: entry[1])]
        return names

    def _field(self, name: str | None, data: bytes, start: int) -> None:
        """Read a field; that of a number (00X) has no subfields, and others have indicators before the first."""
        head, *subfields = data.split(_SUBFIELD)
        if not subfields or len(head) > _INDICATORS:
            self._value(name, head, start)
        start += len(head) + 1
        codes = [subfield[:1] for subfield in subfields]
        beside = partial(_coded, subfields) if b"2" in codes else tuple
        for subfield in subfields:
            if _CODE.match(subfield):
                inner = None if name is None else f"{name}${subfield[:1].decode()}"
                self._value(inner, subfield[1:], start + 1, beside=beside)
            else:
                self._value(name, subfield, start)
            start += len(subfield) + 1

    def _value(
        self, name: str | None, data: bytes, start: int, *, is_outside: bool = False, beside: Beside = tuple
    ) -> None:
        """Take a value; `is_outside` is whether it is outside of all fields."""
        if not data.isascii() and (stray := len(data) - len(_decoded(data).encode("utf-8", "ignore"))):
            if self._is_unicode:
                message = "holds bytes that are not UTF-8, though its leaders say so"
            else:
                message = "holds characters of MARC-8 beyond ASCII, which are kept as bytes"
            self._out.stray(stray, message)
        kind = Delimited.TEXT if is_outside else Delimited.VALUE
        what: dict[str, Any] = {"field": name, "row": self._number, "delimited": kind, "beside": beside}
        self._values.append((data, partial(self._out.add, at=start, always=True, **what)))


def _coded(subfields: Sequence[bytes]) -> list[tuple[str, str]]:
    """Return subfields with their codes, of which `$2` names the source of a number."""
    return [(f"${one[:1].decode('ascii', 'replace')}", _decoded(one[1:])) for one in subfields]


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
