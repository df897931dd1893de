"""Documents of the old programs of an office in compound files: doc (MS-DOC), xls (MS-XLS), ppt (MS-PPT).

Their text, fields and links are read, those of shapes and pictures too (MS-ODRAW), and the documents that they embed in
storages. Encrypted ones are counted.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping

from urisieve.errors import BrokenInputError
from urisieve.lean import Final, NamedTuple
from urisieve.sources.containers.kinds import Kind
from urisieve.sources.documents import Document
from urisieve.sources.office.compound import OFFICE_STREAMS, Storage, read_compound
from urisieve.sources.office.passages import Passages, column_letters, header_text, with_fragment

_CORRUPT: Final = "corrupt"
_PACKAGE: Final = "Package"


def old_documents(passages: Passages) -> Iterator[Document]:
    """Yield the texts and links of a document in a compound file, then those of the documents that it embeds.

    Args:
        passages: makes the documents; their content is of kind `DOC`, `XLS` or `PPT`.

    Yields:
        documents with `place.field`: `HYPERLINK` of the link of a field, the cell of a sheet (`sheet 2!B7`), before
        them the name of the object that is embedded.
    """
    try:
        root = read_compound(b"".join(passages.content.blocks))
    except BrokenInputError as error:
        passages.fault(_CORRUPT, str(error))
        return
    if root.damaged:
        passages.fault("damaged", f"{len(root.damaged):,} of its streams are damaged: what is left of them is read")
    yield from _read(passages.content.kind, root, passages)
    waiting = root.storages[::-1]
    while waiting:
        storage = waiting.pop()
        waiting += reversed(storage.storages)
        passages.within = storage.name
        for kind in {OFFICE_STREAMS[name]: None for name in OFFICE_STREAMS if name in storage.streams}:
            if kind in _READERS:
                yield from _read(kind, storage, passages)
            else:
                passages.tally.skip(kind, "encrypted")
        if _PACKAGE in storage.streams:  # a document of today
            yield from passages.inner(storage.name, [storage.streams[_PACKAGE]])


def _read(kind: Kind, storage: Storage, passages: Passages) -> Iterator[Document]:
    passages.field = passages.stated = ""
    try:
        for _ in _READERS[kind](storage.streams, passages):
            yield from passages.taken()
    except _UnreadError as error:
        passages.tally.skip(kind, str(error))
    except (BrokenInputError, struct.error) as error:
        passages.fault(_CORRUPT, f"{error}; the text before that is read")
    while passages.outer:
        passages.end()
    passages.end()
    yield from passages.taken()


class _UnreadError(Exception):
    """A document is not read; the argument says why."""


# ---------------------------------------------------------------- doc

# Of the beginning of the file the version, the flags, and where the text begins and ends in a version of old (2.5.1);
# the offset and size of the table of pieces.
_BEGINNING: Final = struct.Struct("<2xH6xH12xLL")
_WORD_97: Final = 0xC1
_PIECES: Final = struct.Struct("<418xLL")
_PIECES_95: Final = struct.Struct("<352xLL")
_IS_IN_PIECES, _IS_ENCRYPTED, _IS_TABLE_1 = 0x4, 0x100, 0x200
_COMPRESSED: Final = 0x40000000
_MARKS: Final = re.compile("[\x01-\x08\x0b-\x0e\r\x13-\x15\x1e\x1f]")
_SIGNS: Final = {"\x0b": "\n", "\x1e": "-", "\x1f": ""}


def _word(streams: Mapping[str, bytes], passages: Passages) -> Iterator[None]:
    """Read the pieces of the text in their order (2.4.1)."""
    data = streams["WordDocument"]
    version, flags, first, end = _BEGINNING.unpack_from(data)
    if flags & _IS_ENCRYPTED:
        raise _UnreadError("encrypted")
    is_old = version < _WORD_97
    if is_old and not flags & _IS_IN_PIECES:
        _put(data[first:end].decode("cp1252", "replace"), passages)
        yield
        return
    offset, size = (_PIECES_95 if is_old else _PIECES).unpack_from(data)
    whole = data if is_old else streams.get("1Table" if flags & _IS_TABLE_1 else "0Table", b"")
    table = whole[offset : offset + size]
    at = 0
    while table[at : at + 1] == b"\x01":  # properties (2.9.209)
        at += 3 + int.from_bytes(table[at + 1 : at + 3], "little")
    if table[at : at + 1] != b"\x02":
        raise BrokenInputError("doc", _CORRUPT, "it has no table of pieces")
    count = (int.from_bytes(table[at + 1 : at + 5], "little") - 4) // 12
    ends = struct.unpack_from(f"<{count + 1}L", table, at + 5)
    left = len(data)  # no more text than there is, however often a piece is used
    for number in range(count):
        (start,) = struct.unpack_from("<L", table, at + 5 + 4 * (count + 1) + 8 * number + 2)
        length = max(0, ends[number + 1] - ends[number])
        if is_old or start & _COMPRESSED:
            start = start if is_old else (start & ~_COMPRESSED) // 2
            text = data[start : start + min(length, left)].decode("cp1252", "replace")
        else:
            text = data[start : start + 2 * min(length, left)].decode("utf-16-le", "replace")
        left -= length
        _put(text, passages)
        yield
        if left < 0:
            raise BrokenInputError("doc", _CORRUPT, "its pieces hold more than the file")
    for shapes in (whole, streams.get("Data", b"")):
        yield from put_shapes(shapes, passages)


def _put(text: str, passages: Passages) -> None:
    """Take text with its marks: paragraphs, cells, fields (2.8.25)."""
    at = 0
    for match in _MARKS.finditer(text):
        if match.start() > at:
            passages.put(text[at : match.start()])
        at = match.end()
        match match[0]:
            case "\x13":
                passages.begin_field()
            case "\x14":
                passages.separate()
            case "\x15":
                passages.end_field()
            case "\r" | "\x07" | "\x0c":
                passages.end()
            case mark if mark in _SIGNS:
                passages.put(_SIGNS[mark])
    if at < len(text):
        passages.put(text[at:])


# ---------------------------------------------------------------- xls

_BOF, _CONTINUE, _FILEPASS, _SST, _LABEL_SST, _LABEL, _STRING, _FORMULA, _HLINK, _TXO, _DRAWING, _BOOK, _RICH_LABEL = (
    *(0x809, 0x3C, 0x2F, 0xFC, 0xFD, 0x204, 0x207, 0x06, 0x1B8, 0x1B6, 0xEC, 0x1AE, 0xD6),
)
# Formulas of several cells, behind the first one.
_ARRAY, _SHARED = 0x221, 0x4BC
# The version of the records of Excel 5 and 95, whose strings are written in another way.
_BIFF5: Final = b"\x00\x05"
# Characters of the cells that share strings.
_MOST_TEXT: Final = 268_435_456
_HEADERS: Final = frozenset([0x14, 0x15])
# How the path of another workbook begins that is a URL, with its length behind it (MS-XLS 2.5.277).
_BY_URL: Final = "\x01\x05"
_WIDE, _RICH, _PHONETIC = 1, 8, 4
# A string in a formula: its length, and the width of its characters (2.5.198.89).
_FORMULA_STRING: Final = re.compile(rb"\x17(.)([\x00\x01])", re.DOTALL)
_FORMULA_STARTS: Final = {_FORMULA: 22, _ARRAY: 14, _SHARED: 10}
# Where a comment has the number of its characters (2.4.329); they stand in the pieces that continue it.
_TXO_SIZE: Final = 10


class _Record(NamedTuple):
    kind: int
    pieces: list[bytes]


def _records(data: bytes) -> Iterator[_Record]:
    """Yield the records of a workbook (MS-XLS 2.1.4), each with the pieces that continue it."""
    at = 0
    record: _Record | None = None
    while at + 4 <= len(data):
        kind, size = struct.unpack_from("<HH", data, at)
        piece = data[at + 4 : at + 4 + size]
        at += 4 + size
        if kind == _CONTINUE and record is not None:
            record.pieces.append(piece)
            continue
        if record is not None:
            yield record
        record = _Record(kind, [piece])
    if record is not None:
        yield record


class _StringReader:
    """Reads the strings of a record (MS-XLS 2.5.293); a piece that continues one begins with its flags."""

    def __init__(self, pieces: list[bytes], at: int) -> None:
        self._pieces = pieces
        self._piece = 0
        self._at = at

    def take(self) -> str | None:
        """Return the next string; None if there is none."""
        head = self._bytes(3)
        if len(head) < 3:
            return None
        left, flags = int.from_bytes(head[:2], "little"), head[2]
        runs = int.from_bytes(self._bytes(2), "little") if flags & _RICH else 0
        phonetic = int.from_bytes(self._bytes(4), "little") if flags & _PHONETIC else 0
        text = self.characters(left, flags)
        self._bytes(4 * runs + phonetic)
        return text

    def characters(self, left: int, flags: int) -> str:
        """Return so many characters, fewer where the pieces end; their width is in the flags."""
        texts = []
        while left > 0 and self._piece < len(self._pieces):
            width = 2 if flags & _WIDE else 1
            there = self._pieces[self._piece][self._at : self._at + width * left]
            texts.append(there.decode("utf-16-le" if width == 2 else "latin-1", "replace"))
            self._at += len(there)
            left -= len(there) // width
            if left > 0:
                self._piece, self._at = self._piece + 1, 1
                flags = (
                    self._pieces[self._piece][0] if self._piece < len(self._pieces) and self._pieces[self._piece] else 0
                )
        return "".join(texts)

    def _bytes(self, size: int) -> bytes:
        taken = []
        while size > 0 and self._piece < len(self._pieces):
            there = self._pieces[self._piece][self._at : self._at + size]
            taken.append(there)
            size -= len(there)
            self._at += len(there)
            if size > 0 or self._at >= len(self._pieces[self._piece]):
                self._piece, self._at = self._piece + 1, 0
        return b"".join(taken)


def _string(record: _Record, at: int, is_95: bool) -> str:
    """Return a string of a record, behind the number of its characters; Excel 95 writes it without flags."""
    if not is_95:
        return _StringReader(record.pieces, at).take() or ""
    (size,) = struct.unpack_from("<H", record.pieces[0].ljust(at + 2, b"\0"), at)
    return record.pieces[0][at + 2 : at + 2 + size].decode("cp1252", "replace")


def _sheets(streams: Mapping[str, bytes], passages: Passages) -> Iterator[None]:
    """Read the cells, comments, headers and links of a workbook."""
    strings: list[str] = []
    sheet = -1  # the globals come first
    left = _MOST_TEXT  # one string may stand in many cells
    is_95 = False
    for record in _records(streams.get("Workbook") or streams.get("Book", b"")):
        data = record.pieces[0]
        kind = record.kind
        if kind == _FILEPASS:
            raise _UnreadError("encrypted")
        if kind == _BOF and data[:2] == _BIFF5:
            is_95 = True
        if kind == _BOF and data[2:4] in (b"\x05\0", b"\x10\0"):
            sheet += 1
        elif kind == _SST:
            reader = _StringReader(record.pieces, 8)
            strings += iter(reader.take, None)
        elif kind in (_LABEL_SST, _LABEL, _RICH_LABEL, _HLINK, _FORMULA) and len(data) >= 8:
            row, column = struct.unpack_from("<H2xH" if kind == _HLINK else "<HH", data)
            passages.field = f"sheet {max(sheet, 1)}!{column_letters(column + 1)}{row + 1}"
            passages.stated = ""
            if kind == _LABEL_SST:
                number = int.from_bytes(data[6:10], "little")
                text = strings[number] if number < len(strings) else ""
                left -= len(text)
                if left < 0:
                    raise BrokenInputError("xls", _CORRUPT, "its cells hold more than the file can")
                passages.text(text)
            elif kind in (_LABEL, _RICH_LABEL):
                passages.text(_string(record, 6, is_95))
            elif kind == _HLINK:
                _put_link(data, passages)
            else:
                _put_formula(record, passages)
        elif kind in _FORMULA_STARTS:
            _put_formula(record, passages)
        elif kind == _STRING:  # the value of the formula before it
            passages.text(_string(record, 0, is_95))
            passages.stated = ""
        elif kind == _DRAWING:  # its shapes
            passages.field = f"sheet {max(sheet, 1)}"
            yield from put_shapes(b"".join(record.pieces), passages)
        elif kind == _BOOK:  # another one, in which cells are looked up (2.4.271)
            path = _string(record, 2, is_95)
            if path.startswith(_BY_URL):
                passages.field = ""
                passages.link(path[len(_BY_URL) + 1 :], "externalLink")
        elif kind in _HEADERS:
            passages.field = f"sheet {max(sheet, 1)}"
            passages.text(header_text(data[1:].decode("cp1252", "replace") if is_95 else _string(record, 0, is_95)))
        elif kind == _TXO and len(record.pieces) > 1 and record.pieces[1]:
            passages.field = f"sheet {max(sheet, 1)}"
            pieces = record.pieces[1:]
            size = int.from_bytes(data[_TXO_SIZE : _TXO_SIZE + 2], "little") or sum(map(len, pieces))  # some have none
            passages.text(_StringReader(pieces, 1).characters(size, pieces[0][0]))
        yield


def _put_formula(record: _Record, passages: Passages) -> None:
    """Report the strings of a formula, which its value may repeat."""
    data = record.pieces[0]
    literals = []
    for match in _FORMULA_STRING.finditer(data, _FORMULA_STARTS[record.kind]):
        size = match[1][0] * (1 + match[2][0])
        characters = data[match.end() : match.end() + size]
        literals.append(characters.decode("utf-16-le" if match[2][0] else "latin-1", "replace"))
    passages.stated = ""
    for literal in literals:
        passages.text(literal)
    passages.stated = "".join(f'"{literal.strip()}"' for literal in literals)


# ---------------------------------------------------------------- ppt

_CHARACTERS: Final = {0x0FA0: "utf-16-le", 0x0FA8: "latin-1", 0x0FBA: "utf-16-le"}
_CONTAINER: Final = 0xF
_PROPERTIES: Final = 0xF00B  # of shapes
# The stream with all text that PowerPoint 95 writes.
_TEXT_OF_95: Final = "Text_Content"
# The container of a link, and the number of the atom in it that is its target.
_LINK, _TARGET = 0x0FD7, 1


def _slides(streams: Mapping[str, bytes], passages: Passages) -> Iterator[None]:
    """Read the atoms of text, and the targets of links, which are such atoms too (MS-PPT 2.9.42, 2.10.18)."""
    passages.text(streams.get(_TEXT_OF_95, b"").decode("cp1252", "replace").replace("\r", "\n"))
    data = streams["PowerPoint Document"]
    at = container = 0
    name = ""  # of a link, whose target comes next, if it has one
    while at + 8 <= len(data):
        version, kind, size = struct.unpack_from("<HHL", data, at)
        at += 8
        if version & _CONTAINER == _CONTAINER:
            passages.text(name)
            container, name = kind, ""
            continue
        if kind == _PROPERTIES:
            yield from put_shapes(data[at - 8 : at + size], passages)
        elif kind in _CHARACTERS:
            text = data[at : at + size].decode(_CHARACTERS[kind], "replace")
            if container != _LINK:
                passages.text(text.replace("\r", "\n").replace("\x0b", "\n"))
            elif version >> 4 == _TARGET:
                name = ""
                passages.link(text, "link")
            elif version >> 4 == 0:  # the others are a place in the target
                name = text
            yield
        at += size
    passages.text(name)
    yield


# ---------------------------------------------------------------- shapes and pictures


# A table of properties (MS-ODRAW 2.2.9): behind the number of them, in a field of 12 bits, and its type stand its size,
# the key and the value of each, and then the data of those whose value is the size of it.
_PROPERTY_TABLE: Final = b"\x0b\xf0"
_VERSION: Final = 3
_PROPERTY: Final = struct.Struct("<HL")
_HAS_DATA: Final = 0x8000
_PROPERTY_KEY: Final = 0x3FFF
_LINK_OBJECT: Final = 0x382
# The file that a picture is in, the text for who does not see it, and the one under the mouse.
_PROPERTY_TEXTS: Final = {0x105: "picture", 0x381: "descr", 0x38D: "tooltip"}
# How a hyperlink object begins (MS-OSHARED 2.3.7.1), with its version and flags behind this; one of these says that it
# has a place in its target. A URL in it (2.3.7.6), with its size behind this.
_HYPERLINK: Final = bytes.fromhex("d0c9ea79f9bace118c8200aa004ba90b")
_FLAGS, _HAS_PLACE = 4, 8
_URL_OBJECT: Final = bytes.fromhex("e0c9ea79f9bace118c8200aa004ba90b")


def put_shapes(data: bytes, passages: Passages) -> Iterator[None]:
    """Report the links and texts of the tables of properties in some data, wherever they stand in it.

    Yields:
        nothing, behind each table, so that what was reported can be taken.
    """
    at = 0
    while (at := data.find(_PROPERTY_TABLE, at + 2)) >= 0:
        header = int.from_bytes(data[at - 2 : at], "little")
        start = at + 6
        end = start + int.from_bytes(data[at + 2 : start], "little")
        value = start + _PROPERTY.size * (header >> 4)
        if header & 0xF != _VERSION or not value <= end <= len(data):
            continue
        for key, size in _PROPERTY.iter_unpack(data[start:value]):
            if key & _HAS_DATA:
                found = data[value : min(value + size, end)]
                value += len(found)
                if key & _PROPERTY_KEY == _LINK_OBJECT:
                    _put_link(found, passages)
                elif key & _PROPERTY_KEY in _PROPERTY_TEXTS:
                    passages.text(_text(found), _PROPERTY_TEXTS[key & _PROPERTY_KEY])
        at = end - 2
        yield


def _put_link(data: bytes, passages: Passages) -> None:
    """Report the target of a hyperlink object, if that is a URL, with the place in it."""
    before, found, url = data.partition(_URL_OBJECT)
    if not found:
        return
    size = int.from_bytes(url[:4], "little")
    target, behind = _text(url[4 : 4 + size]), url[4 + size :]
    flags = before.partition(_HYPERLINK)[2][_FLAGS : 2 * _FLAGS]
    if int.from_bytes(flags, "little") & _HAS_PLACE:
        target = with_fragment(target, _text(behind[4 : 4 + 2 * int.from_bytes(behind[:4], "little")]))
    passages.link(target, "hyperlink")


def _text(data: bytes) -> str:
    return data.decode("utf-16-le", "replace").partition("\0")[0]


_READERS: Final = {Kind.DOC: _word, Kind.XLS: _sheets, Kind.PPT: _slides}
