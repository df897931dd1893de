"""Decide what a stream of bytes is, by its first bytes and the rows of the table of kinds; no other module does.

The content, the ending of the name and the media type are witnesses. Content decides, since rotated logs and
attachments lose or change their names; what the name or the type promises settles a doubt. No one odd line decides
(`odd_lines`).

A file is examined up to `HEAD_SIZE`, and further only where that decides nothing. Of a stream that may come slowly the
kind is decided by as few bytes as decide it, so that text from a pipe does not wait. What follows does not change it:
the same bytes are of the same kind in whatever pieces they come.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import chain

from urisieve.errors import InputError
from urisieve.lean import TYPE_CHECKING, Final, lazy_compile
from urisieve.sources.bytes.encodings import (
    BYTE_ORDER_MARKS,
    CONTROLS,
    is_prose,
    marked_encoding,
    may_be_wide,
    wide_encoding,
)
from urisieve.sources.bytes.reading import raised
from urisieve.sources.kinds.kind_table import (
    HEAD_SIZE,
    LONGEST_HEAD,
    SMIME_SIZE,
    Kind,
    Layout,
    ReaderRow,
    function_of,
    is_given_up,
    plugin_kind,
    promised_kind,
)
from urisieve.sources.kinds.text_signs import Beginning, content_line_sign, may_be_header

if TYPE_CHECKING:
    from urisieve.sources.bytes.block_reader import BlockReader


_WIDE_MARKS: Final = tuple(mark for mark, encoding in BYTE_ORDER_MARKS if not encoding.name.startswith("utf-8"))
# A text without a line feed in so many bytes is examined as it stands; the header of a tar member is as long.
_ENOUGH: Final = 512
_LEADER_SIZE: Final = 24  # of a record of MARC
_SMIME_STARTS: Final = (b"0", b"M", b"-")
# So many bytes after the first line of JSON show whether more follows.
_LOOK: Final = 64
_JSON_BLANKS: Final = b" \t\r\n"
# The rows whose files begin with certain bytes, and these bytes.
_SIGNED: Final = tuple(kind for kind in Kind if kind.starts and kind is not Kind.BINARY)
# Of what is not text the beginnings that are lines, which no text has; what follows may be long without a control.
_SURE: Final = tuple(start for start in Kind.BINARY.starts if start.isascii() and start.endswith(b"\n"))
_STARTS: Final = (*(start for kind in _SIGNED for start in kind.starts), *_SURE)
_STARTS_BY_BYTE: Final = {first: tuple(start for start in _STARTS if start[0] == first) for first, *_ in _STARTS}
# The first line of an export of the journal decides.
_BY_LINE: Final = Kind.JOURNAL.starts
_OURS: Final = tuple(Kind)
_CONTROL: Final = lazy_compile(b"[" + re.escape(CONTROLS) + b"]")
# The numbers of bytes with which a file is taken to go on.
_CUT_HEADS: Final = tuple(HEAD_SIZE << power for power in range(9))
# How a text begins that may be of a kind below its first lines, or inside.
_BELOW: Final = lazy_compile(rb"(?:[^\n]*+\n\s*+){1,3}?[{\[<Bb]|[^\n]*?[(=;][ \t]*[{\[]|\)\]\}")


def kind_of(head: bytes, name: str = "", *, media_type: str = "", is_live: bool = False) -> ReaderRow:
    """Return the kind of a file that begins with these bytes.

    Args:
        head: those that decide it: `HEAD_SIZE` of them, or all if it has fewer; more where these leave it open.
        name: the name of the file, whose ending decides if the content leaves a doubt.
        media_type: its media type in lower case, which does so if the name promises nothing.
        is_live: whether it is a stream that may come slowly.
    """
    promised = promised_kind(name, media_type)
    kind = None if is_live else _decided(head, name, promised, is_open=False, is_live=False)
    if is_live or kind is Kind.BINARY:
        # What is text by its beginning stays so, since it may be out before its first control comes. A control leaves
        # all that follows undecided.
        odd = _CONTROL.search(head)
        settled = None if odd is None else _decided(head[: odd.start()], name, promised, is_open=True, is_live=True)
        if settled is not None:
            return settled
    kind = kind or _decided(head, name, promised, is_open=False, is_live=is_live) or Kind.TEXT
    if media_type and kind.is_doubtful and media_type in Kind.HTML.media_types:
        return Kind.HTML
    if media_type and kind is Kind.TEXT and promised is not None and (promised is Kind.MAIL or promised not in _OURS):
        return promised if media_type in promised.media_types else kind
    return kind


def settled_kind(head: bytes, name: str = "", *, media_type: str = "", is_asked: bool = False) -> ReaderRow | None:
    """Return the kind of a stream with this beginning if that is decided, whatever follows; else None.

    The arguments are those of `kind_of` and `peeked_kind`.
    """
    if is_asked:
        return signed_kind(head) or (None if _may_be_other(head) else Kind.TEXT)
    if head.startswith(_BY_LINE) and b"\n" in head:
        return kind_of(head, name)
    return _decided(head, name, promised_kind(name, media_type), is_open=True, is_live=True)


def signed_kind(head: bytes) -> Kind | None:
    """Return the kind of a file that is not text and begins with a sign; None without a sign, or if it is cut."""
    if head.startswith(_STARTS):
        for kind in _SIGNED:
            if kind.begins(head):
                return kind
    if head[:5].isdigit() and Kind.MARC.begins(head):
        return Kind.MARC
    if head[:1] in _SMIME_STARTS and Kind.SMIME.begins(head):
        return Kind.SMIME
    return Kind.TAR if Kind.TAR.begins(head) else None


def _decided(head: bytes, name: str, promised: ReaderRow | None, *, is_open: bool, is_live: bool) -> ReaderRow | None:
    """Return the kind of a file; None as long as bytes that may follow decide it."""
    signed = signed_kind(head)
    if signed is not None:
        return None if is_open and signed is Kind.ZIP else signed  # which may be a document
    is_sure = head.startswith(_SURE)
    if is_open and not is_sure and _may_be_other(head):
        return None
    if is_sure or (head.startswith(Kind.BINARY.starts) and not is_prose(head)):
        return _of_plugin(Kind.BINARY, head, name, is_open=is_open)
    is_wide = head.startswith(_WIDE_MARKS) or wide_encoding(head) is not None
    is_whole = is_open or len(head) not in _CUT_HEADS
    text = _unmarked(head) if is_wide else head
    found = _text_kind(Beginning(text, promised, is_open=is_open, is_whole=is_whole, is_live=is_live))
    if found is True:
        return None
    kind = found or Kind.TEXT
    if is_wide:
        kind = Kind.TEXT if kind.of_bytes else kind
    elif b"\0" in head and (kind in (Kind.CSV, Kind.TSV) or (kind is Kind.TEXT and not is_prose(head))):
        kind = Kind.BINARY
    return _of_plugin(kind, head, name, is_open=is_open)


# The signs of texts, in the order of the rows; one is imported when the ones before it have not decided.
_TEXT_SIGNS: Final = tuple(dict.fromkeys([kind.text_sign for kind in Kind if kind.text_sign]))
_sign = cache(function_of)


def _by_first_line(at: Beginning) -> ReaderRow | bool:
    """Decide about a text by the sign of its first line."""
    for sign in _TEXT_SIGNS:
        found: ReaderRow | bool = _sign(sign)(at)
        if found is not False:
            return found
    return False


def _text_kind(at: Beginning) -> ReaderRow | bool:
    """Decide about a text: by the sign of its first line, or else by what is below and around it."""
    found = _by_first_line(at)
    if isinstance(found, ReaderRow) and found is not at.hint:
        if not at.is_open:
            from urisieve.sources.kinds.odd_lines import behind_its_kind

            found = behind_its_kind(at, found, _by_first_line) or found
        elif at.hint is not None and at.hint is not Kind.TEXT:  # nobody waits for what its name does not promise
            return True
    if found is not False and found is not Kind.TEXT:
        return found
    if at.hint is None and not at.is_open and b"\n{" not in at.start and not _BELOW.match(at.start):
        return found
    from urisieve.sources.kinds.odd_lines import beneath

    return beneath(at) or found


def _of_plugin(kind: ReaderRow, head: bytes, name: str, *, is_open: bool) -> ReaderRow | None:
    """Return the kind of a plug-in instead of that of a file that no reader of urisieve knows."""
    if kind is not Kind.TEXT and kind is not Kind.BINARY:
        return kind
    found = plugin_kind(head.removeprefix(BOM_UTF8), name, is_open=is_open)
    return None if found is True else found or kind


def _may_be_other(head: bytes) -> bool:
    """Report whether a file with this beginning may become one that has a sign, or that is not text in UTF-8."""
    if not head or any(start.startswith(head[: len(start)]) for start in _STARTS_BY_BYTE.get(head[0], ())):
        return True
    needed = _LEADER_SIZE if head[:5].isdigit() else SMIME_SIZE if head[:1] in _SMIME_STARTS else 0
    if len(head) < needed and b"\n" not in head:
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


def kind_of_beginning(
    head: bytes, beginning: Callable[[int], bytes], name: str = "", *, media_type: str = "", is_live: bool = False
) -> ReaderRow:
    """Return the kind of a file: by `HEAD_SIZE` bytes, or more of them where these leave it open.

    More are examined of a header of mail that goes on, and of a text that is not what its name promises, unless it may
    come slowly: fields are no text for which somebody waits. The same bytes are examined in whatever pieces they come.

    Args:
        head: the first bytes, all if the file has fewer than `HEAD_SIZE`.
        beginning: returns so many first bytes, fewer only if the file has no more.
        name: as for `kind_of`.
        media_type: as for `kind_of`.
        is_live: as for `kind_of`.
    """
    size = HEAD_SIZE
    if len(head) >= size and may_be_header(head[:size]):
        # Its patterns are made when the first text comes that may be mail.
        from urisieve.sources.kinds.mail_signs import needed_size

        while (size := needed_size(head, size)) > len(head):
            before, head = len(head), beginning(size)
            if len(head) == before:
                break
    kind = kind_of(head[:size], name, media_type=media_type, is_live=is_live)
    is_short = size == HEAD_SIZE <= len(head) and kind is Kind.TEXT and not is_live
    if is_short and is_given_up(promised_kind(name, media_type), kind):
        kind = kind_of(beginning(LONGEST_HEAD)[:LONGEST_HEAD], name, media_type=media_type)
    return kind


def opened(
    blocks: Iterable[bytes], name: str = "", *, is_live: bool = False, is_asked: bool = False
) -> tuple[ReaderRow, Iterator[bytes]]:
    """Return the kind of a stream of bytes, and all of the stream.

    Args:
        blocks: the bytes.
        name: the name of the file.
        is_live: whether they may come slowly; they are read only as far as they could still be other than text.
        is_asked: see `peeked_kind`.

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
    while len(longer := beginning(len(head) + 1)) > len(head):
        head = longer
        if is_live and (kind := settled_kind(head[:HEAD_SIZE], name, is_asked=is_asked)) is not None:
            return kind, chain(taken, stream)
        if len(head) >= HEAD_SIZE:
            break
    return kind_of_beginning(head, beginning, name, is_live=is_live), chain(taken, stream)


def peeked_kind(
    reader: BlockReader, name: str = "", *, media_type: str = "", is_live: bool = False, is_asked: bool = False
) -> ReaderRow:
    """Return the kind of the next bytes of a reader, waiting for no more of them than decide it.

    Args:
        reader: the reader of the bytes, which stay to be read.
        name: its name, whose ending decides if they leave a doubt.
        media_type: its media type, which does so if the name promises nothing.
        is_live: whether the bytes may come slowly.
        is_asked: whether an option says what kind of text it is: only signs of what is not text count, and a text of
            any kind is `TEXT` where they come slowly.
    """
    head = reader.peek_some(1 if is_live else HEAD_SIZE, HEAD_SIZE)
    while is_live and not (len(head) == HEAD_SIZE or reader.is_whole):
        kind = None
        if b"\n" in head or len(head) >= _ENOUGH:
            kind = settled_kind(head, name, media_type=media_type, is_asked=is_asked)
        elif (signed := signed_kind(head)) is not Kind.ZIP:
            kind = signed
        size = len(head) + 1
        if kind is not None:
            return kind
        head = reader.peek_some(size, HEAD_SIZE)
        if len(head) < size:
            break
    return kind_of_beginning(head, reader.peek, name, media_type=media_type, is_live=is_live)


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


def layout_of(
    reader: BlockReader,
    kind: ReaderRow | str,
    delimiter: str = "",
    skip: int | None = None,
    *,
    has_title: bool = True,
) -> Layout:
    """Return the layout of the next bytes of a reader, which stay to be read, as a table.

    Args:
        reader: the reader, which waits for no more bytes than decide it, at most `HEAD_SIZE` after lines to be skipped.
        kind: `csv` or `tsv`.
        delimiter: the character between cells; "" for what the first rows have.
        skip: the number of lines above the header; None for what the first rows show.
        has_title: whether a line with an address may be above the header; such a stream waits for what follows.
    """
    from urisieve.sources.kinds.table_signs import table_layout

    most = HEAD_SIZE if not skip else SKIPPED_SIZE
    head = peeked(
        reader, partial(_has_layout, kind=kind, delimiter=delimiter, skip=skip or 0, has_title=has_title), most
    )
    text = _unmarked(head)
    found = table_layout(text, kind, delimiter, whole=len(head) < most, skip=skip or 0, has_title=has_title)
    layout = found if isinstance(found, Layout) else Layout(delimiter or ("\t" if kind == Kind.TSV else ","))
    if layout.is_of_returns and not head.endswith(text):  # two bytes a character
        layout = layout._replace(is_of_returns=False)
    if skip is not None and layout.above:  # the header is where an option says
        layout = Layout(layout.delimiter, is_of_returns=layout.is_of_returns)
    return layout if skip is None else layout._replace(above=skip)


def csv_delimiter_of_text(head: bytes) -> str:
    """Return the character between the cells of a text that was to be a table: the more frequent one."""
    text = _unmarked(head)
    return ";" if text.count(b";") > text.count(b",") else ","


# Bytes that are looked at where lines are skipped.
SKIPPED_SIZE: Final = 1_048_576


def _has_layout(
    head: bytes, kind: ReaderRow | str, delimiter: str = "", skip: int = 0, *, has_title: bool = True
) -> bool:
    """Report whether the layout of a table is decided by the first bytes of a text, whatever follows."""
    from urisieve.sources.kinds.table_signs import table_layout

    if head.count(b"\n") <= skip or may_be_wide(head):
        return False
    start = head.removeprefix(BOM_UTF8)
    found = table_layout(start, kind, delimiter, whole=False, is_open=True, skip=skip, has_title=has_title)
    return found is not True


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
    from urisieve.sources.kinds.table_signs import table_layout

    head = reader.peek(HEAD_SIZE)
    found = table_layout(_unmarked(head), Kind.CSV, whole=len(head) < HEAD_SIZE)
    if not isinstance(found, Layout):
        return None
    return Kind.TSV if found.delimiter == "\t" else Kind.CSV
