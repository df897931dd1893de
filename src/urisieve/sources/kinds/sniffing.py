"""Decide what a stream of bytes is, by its first bytes and the rows of the table of kinds; no other module does.

Content decides, since rotated logs and attachments lose or change their names. If it leaves a doubt, the ending of the
name settles it. Text is recognized from as few bytes as possible, so that text from a pipe does not wait.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import chain

from urisieve.errors import InputError
from urisieve.lean import TYPE_CHECKING, Final
from urisieve.sources.bytes.encodings import (
    BYTE_ORDER_MARKS,
    CONTROLS,
    is_prose,
    marked_encoding,
    may_be_wide,
    wide_encoding,
)
from urisieve.sources.bytes.reading import raised
from urisieve.sources.kinds.kind_table import HEAD_SIZE, Kind, ReaderRow, function_of, named_kind, plugin_kind
from urisieve.sources.kinds.text_signs import Beginning, content_line_sign

if TYPE_CHECKING:
    from urisieve.sources.bytes.block_reader import BlockReader
    from urisieve.sources.kinds.table_layouts import Layout


_WIDE_MARKS: Final = tuple(mark for mark, encoding in BYTE_ORDER_MARKS if not encoding.name.startswith("utf-8"))
# A text without a line feed in so many bytes is examined as it stands; the header of a tar member is as long.
_ENOUGH: Final = 512
_LEADER_SIZE: Final = 24  # of a record of MARC
# So many bytes after the first line of JSON show whether more follows.
_LOOK: Final = 64
_JSON_BLANKS: Final = b" \t\r\n"
# The rows whose files begin with certain bytes, and these bytes.
_SIGNED: Final = tuple(kind for kind in Kind if kind.starts and kind is not Kind.BINARY)
_STARTS: Final = tuple(start for kind in _SIGNED for start in kind.starts)
# The first line of an export of the journal decides.
_BY_LINE: Final = Kind.JOURNAL.starts
# Kinds that are read as bytes, not as text in any encoding.
_OF_BYTES: Final = (Kind.MAIL, Kind.MBOX, Kind.WARC)


def kind_of(head: bytes, name: str = "") -> ReaderRow:
    """Return the kind of a file that begins with these bytes.

    Args:
        head: `HEAD_SIZE` of them, or all if it has fewer, or as many as decide the kind.
        name: the name of the file, whose ending decides if the content leaves a doubt.
    """
    return _decided(head, name, is_open=False) or Kind.TEXT


def settled_kind(head: bytes, name: str = "") -> ReaderRow | None:
    """Return the kind of a file with this beginning if that is decided, whatever follows; else None."""
    if head.startswith(_BY_LINE) and b"\n" in head:
        return kind_of(head, name)
    return _decided(head, name, is_open=True)


def signed_kind(head: bytes) -> Kind | None:
    """Return the kind of a file that is not text and begins with a sign; None without a sign, or if it is cut."""
    if head.startswith(_STARTS):
        for kind in _SIGNED:
            if kind.begins(head):
                return kind
    if head[:5].isdigit() and Kind.MARC.begins(head):
        return Kind.MARC
    return Kind.TAR if Kind.TAR.begins(head) else None


def _decided(head: bytes, name: str, *, is_open: bool) -> ReaderRow | None:
    """Return the kind of a file; None as long as bytes that may follow decide it."""
    signed = signed_kind(head)
    if signed is not None:
        return None if is_open and signed is Kind.ZIP else signed  # which may be a document
    if is_open and _may_be_other(head):
        return None
    if head.startswith(Kind.BINARY.starts) and not is_prose(head):
        return _of_plugin(Kind.BINARY, head, name, is_open=is_open)
    is_wide = head.startswith(_WIDE_MARKS) or wide_encoding(head) is not None
    hint = named_kind(name)
    at = Beginning(
        _unmarked(head) if is_wide else head, hint, is_open=is_open, is_whole=is_open or len(head) < HEAD_SIZE
    )
    found: ReaderRow | bool = False
    for sign in _TEXT_SIGNS:
        found = _sign(sign)(at)
        if found is not False:
            break
    if found is True:
        return None
    kind = found or Kind.TEXT
    if is_wide:
        kind = Kind.TEXT if kind in _OF_BYTES else kind
    elif b"\0" in head and (kind in (Kind.CSV, Kind.TSV) or (kind is Kind.TEXT and not is_prose(head))):
        kind = Kind.BINARY
    return _of_plugin(kind, head, name, is_open=is_open)


# The signs of texts, in the order of the rows; one is imported when the ones before it have not decided.
_TEXT_SIGNS: Final = tuple(dict.fromkeys([kind.text_sign for kind in Kind if kind.text_sign]))
_sign = cache(function_of)


def _of_plugin(kind: ReaderRow, head: bytes, name: str, *, is_open: bool) -> ReaderRow | None:
    """Return the kind of a plug-in instead of that of a file that no reader of urisieve knows."""
    if kind is not Kind.TEXT and kind is not Kind.BINARY:
        return kind
    found = plugin_kind(head.removeprefix(BOM_UTF8), name, is_open=is_open)
    return None if found is True else found or kind


def _may_be_other(head: bytes) -> bool:
    """Report whether a file with this beginning may become one that has a sign, or that is not text in UTF-8."""
    if any(start.startswith(head[: len(start)]) for start in _STARTS):
        return True
    if head[:5].isdigit() and len(head) < _LEADER_SIZE and b"\n" not in head:
        return True
    if may_be_wide(head) and not head.startswith(BOM_UTF8):
        return True
    start = head.removeprefix(BOM_UTF8).lstrip(_JSON_BLANKS)
    return start[:1] in (b"\f", b"\v") or not start or start.translate(None, CONTROLS) != start


def _unmarked(head: bytes) -> bytes:
    """Return the beginning of a text as UTF-8 without a byte order mark."""
    size, encoding = marked_encoding(head) or (0, wide_encoding(head))
    text = head[size:]
    if encoding is None or encoding.name == "utf-8":
        return text
    return text.decode(encoding.name, "ignore").encode("utf-8", "replace")


def content_lines_kind(start: bytes, hint: ReaderRow | None = None) -> Kind | None:
    """Return the kind of a text if it is a calendar, a card or LDIF, else None; its name may promise one."""
    found = content_line_sign(Beginning(start, hint, is_open=False, is_whole=True))
    return found if isinstance(found, Kind) else None


# ---------------------------------------------------------------- streams


def opened(blocks: Iterable[bytes], name: str = "") -> tuple[ReaderRow, Iterator[bytes]]:
    """Return the kind of a stream of bytes, and all of the stream.

    A pipe is read only as far as its beginning could still be that of something other than text.

    Args:
        blocks: the bytes.
        name: the name of the file.

    Raises:
        InputError: nothing of it can be read. An error after the first block is raised when the stream comes to it.
    """
    stream = iter(blocks)
    head = b""
    taken = []
    kind = None
    try:
        for block in stream:
            taken.append(block)
            head = block if len(taken) == 1 else head + block
            if len(head) >= HEAD_SIZE or (kind := settled_kind(head, name)) is not None:
                break
    except InputError as error:
        if not taken:
            raise
        stream = raised(error)
    return kind or kind_of(head[:HEAD_SIZE], name), chain(taken, stream)


def peeked_kind(reader: BlockReader, name: str = "") -> ReaderRow:
    """Return the kind of the next bytes of a reader, waiting for no more of them than decide it.

    Args:
        reader: the reader of the bytes, which stay to be read.
        name: its name, whose ending decides if they leave a doubt.
    """
    size = 1
    while True:
        head = reader.peek_some(size, HEAD_SIZE)
        if reader.is_whole or len(head) < size or len(head) >= HEAD_SIZE:
            return kind_of(head, name)
        if b"\n" in head or len(head) >= _ENOUGH:
            kind = settled_kind(head, name)
        else:
            kind = signed_kind(head)
            kind = None if kind is Kind.ZIP else kind
        if kind is not None:
            return kind
        size = len(head) + 1


def json_kind(reader: BlockReader) -> Kind:
    """Return the kind of a seeming JSON document: JSON lines if its first line, a whole value, exceeds `HEAD_SIZE`."""
    from urisieve.sources.bytes.lines import LINE_LIMIT

    first = reader.line(LINE_LIMIT)
    more = reader.peek(_LOOK).strip(_JSON_BLANKS)
    reader.unread(first)
    if len(first) <= HEAD_SIZE or not more or not first.endswith(b"\n"):
        return Kind.JSON
    import json

    try:
        json.loads(first.decode("utf-8", "replace").strip(), strict=False)
    except (ValueError, RecursionError):
        return Kind.JSONL if more[:1] in (b"{", b"[") else Kind.JSON
    return Kind.JSONL


def layout_of(reader: BlockReader, kind: ReaderRow | str, delimiter: str = "", skip: int | None = None) -> Layout:
    """Return the layout of the next bytes of a reader, which stay to be read, as a table.

    Args:
        reader: the reader, which waits for no more bytes than decide it, at most `HEAD_SIZE` after lines to be skipped.
        kind: `csv` or `tsv`.
        delimiter: the character between cells; "" for what the first rows have.
        skip: the number of lines above the header; None for what the first rows show.
    """
    from urisieve.sources.kinds.table_layouts import Layout
    from urisieve.sources.kinds.table_signs import table_layout

    most = HEAD_SIZE if not skip else SKIPPED_SIZE
    head = peeked(reader, partial(_has_layout, kind=kind, delimiter=delimiter, skip=skip or 0), most)
    found = table_layout(_unmarked(head), kind, delimiter, whole=len(head) < most, skip=skip or 0)
    layout = found if isinstance(found, Layout) else Layout(delimiter or ("\t" if kind == Kind.TSV else ","))
    if skip is not None and layout.above:  # the header is where an option says
        layout = Layout(layout.delimiter)
    return layout if skip is None else layout._replace(above=skip)


# Bytes that are looked at where lines are skipped.
SKIPPED_SIZE: Final = 1_048_576


def _has_layout(head: bytes, kind: ReaderRow | str, delimiter: str = "", skip: int = 0) -> bool:
    """Report whether the layout of a table is decided by the first bytes of a text, whatever follows."""
    from urisieve.sources.kinds.table_signs import table_layout

    if head.count(b"\n") <= skip or may_be_wide(head):
        return False
    return table_layout(head.removeprefix(BOM_UTF8), kind, delimiter, whole=False, is_open=True, skip=skip) is not True


def csv_is_settled(head: bytes, skip: int = 0) -> bool:
    """Report whether the layout of a stream of CSV is decided by its first bytes, whatever follows."""
    return signed_kind(head) is None and _has_layout(head, Kind.CSV, skip=skip)


def rows_are_settled(head: bytes, skip: int = 0) -> bool:
    """Report whether a stream is one of rows, and how they are written, by its first bytes, whatever follows."""
    kind = settled_kind(head)
    return kind in (Kind.JSONL, Kind.TSV) or (kind is Kind.CSV and csv_is_settled(head, skip))


def peeked(reader: BlockReader, settled: Callable[[bytes], bool], most: int = HEAD_SIZE) -> bytes:
    """Return the next bytes of a reader, which stay to be read: so many as settle something, at most `most`."""
    head = reader.peek_some(1, most)
    while len(head) < most and not reader.is_whole and not settled(head):
        head = reader.peek_some(len(head) + 1, most)
    return head


def rows_kind(reader: BlockReader, kind: ReaderRow) -> ReaderRow | None:
    """Return the kind of a content of which rows are asked for: JSON, JSON lines, CSV or TSV; None for any other.

    Args:
        reader: the reader of the content.
        kind: its kind by its first bytes. Text is a table if its first rows have as many cells.
    """
    if kind is Kind.JSON:
        return json_kind(reader)
    if kind is not Kind.TEXT:
        return kind if kind in (Kind.JSONL, Kind.CSV, Kind.TSV) else None
    from urisieve.sources.kinds.table_layouts import Layout
    from urisieve.sources.kinds.table_signs import table_layout

    head = reader.peek(HEAD_SIZE)
    found = table_layout(_unmarked(head), Kind.CSV, whole=len(head) < HEAD_SIZE)
    if not isinstance(found, Layout):
        return None
    return Kind.TSV if found.delimiter == "\t" else Kind.CSV
