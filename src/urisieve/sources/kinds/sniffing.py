"""Decide what a stream of bytes is, by its first bytes and the rows of the table of kinds; no other module does.

Content decides, since rotated logs and attachments lose or change their names. If it leaves a doubt, the ending of the
name settles it. Text is recognized from as few bytes as possible, so that text from a pipe does not wait.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from functools import cache
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
from urisieve.sources.kinds.text_signs import Beginning, content_line_sign, may_be_header

if TYPE_CHECKING:
    from urisieve.sources.bytes.block_reader import BlockReader


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
        head: those that `needed_head` returns, or as many as decide the kind.
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
    header, head = head, head[:HEAD_SIZE]
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
        _unmarked(head) if is_wide else header, hint, is_open=is_open, is_whole=is_open or len(head) < HEAD_SIZE
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


def needed_head(head: bytes, beginning: Callable[[int], bytes]) -> bytes:
    """Return the first bytes of a file by which `kind_of` decides: `HEAD_SIZE` of them, and of a header of mail more.

    Args:
        head: the first of them, all if the file has fewer than `HEAD_SIZE`.
        beginning: returns so many first bytes, fewer only if the file has no more.
    """
    size = HEAD_SIZE
    if len(head) >= size and may_be_header(head[:size]):
        # Its patterns are made when the first text comes that may be mail.
        from urisieve.sources.kinds.mail_signs import needed_size

        while (size := needed_size(head, size)) > len(head):
            before, head = len(head), beginning(size)
            if len(head) == before:
                break
    return head[:size]


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
    taken: list[bytes] = []

    def beginning(size: int) -> bytes:
        nonlocal stream
        left = size - sum(map(len, taken))
        try:
            while left > 0 and (block := next(stream, None)) is not None:
                taken.append(block)
                left -= len(block)
        except InputError as error:
            if not taken:
                raise
            stream = raised(error)
        return taken[0] if len(taken) == 1 else b"".join(taken)

    head = b""
    while len(longer := beginning(len(head) + 1)) > len(head) and len(longer) < HEAD_SIZE:
        head = longer
        if (kind := settled_kind(head, name)) is not None:
            return kind, chain(taken, stream)
    return kind_of(needed_head(longer, beginning), name), chain(taken, stream)


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
            return kind_of(needed_head(head, reader.peek), name)
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


def csv_delimiter(reader: BlockReader) -> str:
    """Return the separator of cells in a text that is read as CSV: a comma, a semicolon or a tabulator."""
    return _delimiter(peeked(reader, csv_is_settled)) or ","


def csv_is_settled(head: bytes) -> bool:
    """Report whether `csv_delimiter` is decided by the first bytes of a text, whatever follows."""
    from urisieve.sources.kinds.row_signs import is_table_open

    line, ended, _ = head.partition(b"\n")
    if not ended or signed_kind(head) is not None or may_be_wide(head):
        return False
    return (b";" not in line and b"\t" not in line) or not is_table_open(head.removeprefix(BOM_UTF8), Kind.CSV)


def rows_are_settled(head: bytes) -> bool:
    """Report whether a stream is one of rows, and how they are written, by its first bytes, whatever follows."""
    kind = settled_kind(head)
    return kind in (Kind.JSONL, Kind.TSV) or (kind is Kind.CSV and csv_is_settled(head))


def peeked(reader: BlockReader, settled: Callable[[bytes], bool]) -> bytes:
    """Return the next bytes of a reader, which stay to be read: so many as settle something, at most `HEAD_SIZE`."""
    head = reader.peek_some(1, HEAD_SIZE)
    while len(head) < HEAD_SIZE and not reader.is_whole and not settled(head):
        head = reader.peek_some(len(head) + 1, HEAD_SIZE)
    return head


def _delimiter(head: bytes) -> str | None:
    from urisieve.sources.kinds.row_signs import table_delimiter

    return table_delimiter(_unmarked(head), Kind.CSV, whole=len(head) < HEAD_SIZE)


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
    delimiter = _delimiter(reader.peek(HEAD_SIZE))
    return None if delimiter is None else Kind.TSV if delimiter == "\t" else Kind.CSV
