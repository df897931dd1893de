"""XML as documents: runs of text, values and links of attributes, comments, by the parser of the standard library.

Documents may follow each other, as programs write events and files are joined: after the end of one the next begins.

No entity that a document declares is expanded, whatever it means, and nothing outside the document is opened: a
reference other than to the five of XML stays as it is written. Namespace names (`xmlns`), the document type and what it
declares are not searched: they name formats.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from functools import partial
from itertools import chain
from xml.parsers.expat import ExpatError, ParserCreate, errors

from urisieve.lean import Final
from urisieve.sources.blocks import gathered
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.carrier_notations import Unescaper
from urisieve.sources.bytes.charsets import web_codec
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.encodings import known_marks
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.bytes.source_map import SourceLines
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document
from urisieve.sources.kinds.kind_table import HEAD_SIZE, LONGEST_HEAD
from urisieve.sources.kinds.odd_lines import xml_begins
from urisieve.sources.reading_options import Carrier
from urisieve.sources.segments import Segments
from urisieve.sources.xml.xml_scan import CONTENT, DEPTH, LINK_ELEMENTS, State, scan
from urisieve.sources.xml.xml_window import HIDDEN, Element, XmlWindow

# The number of characters parsed at a time.
_WINDOW: Final = 65_536
# A tag, comment or declaration of more bytes is not held: the text from there on is read as plain text.
_LONGEST_TOKEN: Final = 1_048_576
# So are elements of one name for which more attributes are declared: the parser looks through all of them for each
# declaration and for each such element. SVG has the most in use, about 90.
_MOST_DECLARED: Final = 256

# A reference that is resolved, or an ampersand, which is hidden from the parser: it sees no entity and no error.
_REFERENCE: Final = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)(?:#(?:([0-9]{1,7})|x([0-9A-Fa-f]{1,6}));)?")
# The characters that a document of XML cannot contain (XML 1.0, 2.2), and bytes that did not decode.
_UNFIT: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufdd0\ufffe\uffff]")
_CONTROLS: Final = bytes(byte for byte in range(32) if byte not in b"\t\n\r")
# How a document begins after another one: with a declaration or a type, which only the beginning of one may have, or
# with an element. All elements that follow each other are read as those in an element around them.
_NEXT: Final = re.compile(rb"(<\?xml[\s?]|<!D)|<[A-Za-z_:\x80-\xff]")
_AROUND: Final = (b"<documents>", b"</documents>")
# The most bytes of blanks between two documents; the parser itself passes those of XML.
_LONGEST_GAP: Final = 64
# The longest reference; one that a piece ends within waits for the next.
_LONGEST_REFERENCE: Final = 12
_DECLARED: Final = re.compile(rb"""<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,80})""")


def read(source: Content, out: Segments) -> Iterator[Document | None]:
    """Read the texts of XML, in their order: runs of text between tags, attributes, comments and instructions.

    The texts before a fault are read; the rest is read as text, with its references resolved, and counted.
    Memory is that of the longest tag or comment, at most some `_LONGEST_TOKEN` characters. The encoding is by default
    the one that the declaration names (XML 1.0, 4.3.3).

    Yields:
        documents with `position` and `offsets`, and with `place.field`: the element (`loc`; `020$a` for a field of
        MARCXML), its attribute (`a@href`), `#comment`, or `?` and the name of an instruction.

    Raises:
        InputError: reading fails, or the text is cut.
    """
    encoding = out.encoding()
    out.count("xml")
    reader = BlockReader(source.blocks)
    codec = encoding or _declared(reader.peek(HEAD_SIZE), out)
    return _XmlWalk(out, codec).documents(reader.rest())


def _declared(head: bytes, out: Segments) -> str | None:
    """Return the codec that the declaration names, or None if it does not name one that counts."""
    if any(head.startswith(mark) for mark, _ in known_marks(None)):
        return None
    start = head.removeprefix(BOM_UTF8)
    found = _DECLARED.match(start[xml_begins(start) :].lstrip())
    if found is None:
        return None
    label = found[1].decode("ascii")
    codec = web_codec(label)
    if codec is None:
        out.fault("unknown-charset", f"its encoding {label!r} is not known; read as UTF-8", kind="xml")
    return None if codec is None or codec.startswith("utf-16") else codec  # it could be read as ASCII up to here


class _XmlBeyondError(Exception):
    """A document beyond what is read; the argument says in words what of it."""


def _blanks(text: str) -> int:
    """Return the number of blanks that a text begins with."""
    return len(text) - len(text.lstrip(_BEFORE))


class _XmlWalk:
    """One pass over a document: the parser checks a window of it, then the texts in that are scanned."""

    def __init__(self, out: Segments, codec: str | None) -> None:
        self._out = out
        self._decoder = ByteDecoder(codec, keep=2 * _LONGEST_TOKEN + 4 * BLOCK_SIZE)
        self._declared: Counter[str] = Counter()  # the attributes declared for elements, by their names
        self._base = out.base
        self._elements: list[Element] = []
        self._state = State(CONTENT, False, b"")
        # The source that is not scanned, as the parser received it: its offset in bytes, and in characters with the
        # line and the column; and the number of its bytes that are checked.
        self._data = b""
        self._byte = 0
        self._place = (0, 1, 1)
        self._checked = 0
        self._is_pending = False  # whether a run of text is checked that is not scanned
        self._begun = -1  # the offset at which the document begins that the parser reads, in characters
        self._last = b""  # what the parser is to receive behind the source
        self._parser = ParserCreate("utf-8")
        self._parser.AttlistDeclHandler = self._declare

    def documents(self, blocks: Iterable[bytes]) -> Iterator[Document | None]:
        """Yield all documents.

        Raises:
            InputError: reading failed, or the text is cut.
        """
        try:
            yield from self._windows(self._decoder.pieces(blocks))
        finally:
            self._parser.AttlistDeclHandler = None  # the parser refers to this walk, which refers to the parser

    def _windows(self, windows: Iterator[str]) -> Iterator[Document | None]:
        """Yield all documents of a text in pieces."""
        waiting = ""
        fault: str | None = None
        ended = begun = False
        while fault is None and not ended:
            pieces = [waiting]
            needed = max(_WINDOW, len(self._data))  # what is not scanned is looked through again
            while needed > 0 and (window := next(windows, None)) is not None:
                pieces.append(window)
                needed -= len(window)
            ended = needed > 0
            text = "".join(pieces)
            waiting = ""
            if not begun:  # nothing may be before a declaration
                above, text = self._begin(text)
                begun = bool(text)
                if above.strip(_BEFORE):
                    yield self._above(above)
            if not ended:
                cut = text.rfind("&", max(0, len(text) - _LONGEST_REFERENCE))
                text, waiting = (text, "") if cut < 0 else (text[:cut], text[cut:])
            fault = yield from self._read(_fit(text), ended=ended)
        if fault is not None:
            yield self._rest(fault, waiting, windows)
        elif self._decoder.cut is not None and self._is_pending:
            yield self._rest(None, "", windows)
        self._out.decoded(self._decoder)
        if self._decoder.cut is not None:
            raise self._decoder.cut

    def _read(self, data: bytes, *, ended: bool) -> Generator[Document | None, None, str | None]:
        """Yield the texts in the next part of the source, those of all documents in it together; return the fault."""
        self._data += data
        fault: str | None = None

        def parts() -> Iterator[Document]:
            nonlocal data, fault
            while True:
                fault, is_end = self._parse(data, ended=ended and self._decoder.cut is None)
                found = self._scan(is_end=is_end)
                looks_around = self._out.run.every_field or self._out.wants_context
                if fault is None and not ended and looks_around and (whole := found.undivided()) > 0:
                    self._checked = whole
                    found = self._scan(is_end=False)
                yield from found.documents()
                self._leave(found)
                if len(self._elements) > DEPTH:
                    fault = f"nested more than {DEPTH:,} deep"
                if fault is None or not self._begin_another():
                    return
                data = self._data

        for document in gathered(parts(), always=True):
            self._out.block(document)
            yield None
        return fault

    def _begin(self, text: str) -> tuple[str, str]:
        """Return what is above a document, blanks or lines of a program, and the document."""
        head = text[:LONGEST_HEAD].encode("utf-8", "replace")
        return self._parted(text, len(head[: xml_begins(head)].decode()) or _blanks(text))

    def _parted(self, text: str, start: int) -> tuple[str, str]:
        """Return what is before an offset of a text, where the document begins, and the rest."""
        offset = self._place[0] + start
        self._place = (offset, *SourceLines(text, *self._place).place(offset))
        return text[:start], text[start:]

    def _above(self, text: str) -> Document | None:
        """Return what is above the document as text."""
        unescaper = Unescaper(Carrier.HTML, keep=_LONGEST_TOKEN)
        offsets = partial(self._decoder.source_map, self._place[0] - len(text), unescaper.source_map)
        row = self._place[1] - text.count("\n")
        return self._out.add(unescaper.pieces([text]), offsets, row=row, legacy=not self._decoder.encoding.is_unicode)

    def _begin_another(self) -> bool:
        """Begin another document where the parser has met a fault; return whether one can begin there."""
        if self._elements or self._state.mode != CONTENT:
            return False
        head = self._data[:_LONGEST_GAP].decode(errors="ignore")  # each document is looked at once
        blanks, _ = self._parted(head, _blanks(head))
        self._data = self._data[len(blanks.encode()) :]
        start = _NEXT.match(self._data)
        if start is None or self._place[0] == self._begun:
            return False
        self._begun = self._place[0]
        self._parser.AttlistDeclHandler = None
        self._parser = ParserCreate("utf-8")
        self._parser.AttlistDeclHandler = self._declare
        self._declared.clear()
        around, self._last = (b"", b"") if start[1] else _AROUND
        self._byte = len(around)
        self._parser.Parse(around, False)
        return True

    def _parse(self, data: bytes, *, ended: bool) -> tuple[str | None, bool]:
        """Check the next part of the source; return the fault in it, or None, and whether all before it is text."""
        parser = self._parser
        try:
            parser.Parse(data, False)
            if ended:
                parser.Parse(self._last, True)
        except ExpatError as error:
            if error.code == errors.codes[errors.XML_ERROR_NO_MEMORY]:
                raise MemoryError from error
            checked = min(max(0, parser.ErrorByteIndex - self._byte), len(self._data))
            if self._data[checked - 2 : checked + 1] == b"]]>":  # the parser has gone on to its end
                checked -= 2
            self._checked = checked
            return str(error).partition(":")[0], True
        except _XmlBeyondError as error:
            return str(error), False
        self._checked = len(self._data) if ended else max(0, parser.CurrentByteIndex - self._byte)
        if len(self._data) - self._checked > _LONGEST_TOKEN:
            return f"a tag or comment of more than {_LONGEST_TOKEN:,} characters", False
        return None, ended

    def _declare(self, element: str, *_attribute: object) -> None:
        """Count the declaration of an attribute."""
        self._declared[element] += 1
        if self._declared[element] > _MOST_DECLARED:
            self._checked = self._parser.CurrentByteIndex - self._byte
            raise _XmlBeyondError(f"more than {_MOST_DECLARED} attributes are declared for an element")

    def _scan(self, *, is_end: bool) -> XmlWindow:
        """Scan what is checked."""
        found = scan(self._data, self._checked, self._state, is_end=is_end)
        window = XmlWindow(
            self._out, self._decoder, self._data[: found.stop], found, self._elements, self._base, self._place
        )
        self._is_pending = found.stop < self._checked
        return window

    def _leave(self, window: XmlWindow) -> None:
        """Go on after a window."""
        self._data = self._data[len(window.data) :]
        self._byte += len(window.data)
        self._place = window.end()
        self._elements = window.open()
        is_link = bytes(element.name in LINK_ELEMENTS for element in self._elements)
        self._state = State(window.found.mode, window.found.is_leaf, is_link)

    def _rest(self, fault: str | None, waiting: str, windows: Iterator[str]) -> Document | None:
        """Return the text that is not scanned as a document; without a fault, it is cut."""
        start, line, _ = self._place
        if fault is not None:
            self._out.fault("no-xml", f"not XML from line {line:,} on: {fault}; read as text", kind="xml")
        unescaper = Unescaper(Carrier.HTML, keep=_LONGEST_TOKEN)

        def pieces() -> Iterator[str]:
            begun = self._data.decode().replace(HIDDEN, "&")
            yield from unescaper.pieces(chain([begun + waiting], windows))
            if self._decoder.cut is not None:
                cut, self._decoder.cut = self._decoder.cut, None
                raise cut

        offsets = partial(self._decoder.source_map, start, unescaper.source_map)
        return self._out.add(pieces(), offsets, row=line, legacy=not self._decoder.encoding.is_unicode)


_BEFORE: Final = " \t\r\n\f\v\0\x1e\ufeff"


def _kept(found: re.Match[str]) -> str:
    """Return a reference, or an ampersand, that the parser resolves; any other is hidden from it."""
    decimal, hexadecimal = found.groups()
    number = int(decimal) if decimal else int(hexadecimal or "0", 16)
    is_character = number in (9, 10, 13) or 0x20 <= number < 0xD800 or 0xE000 <= number < 0xFFFE
    return found[0] if is_character or 0x10000 <= number <= 0x10FFFF else HIDDEN + found[0][1:]


def _fit(text: str) -> bytes:
    """Return a text as the parser accepts it, in UTF-8."""
    try:
        data = text.encode()
        is_fit = len(data.translate(None, _CONTROLS)) == len(data) and (
            len(data) == len(text) or not any(character in text for character in "\ufdd0\ufffe\uffff")
        )
    except UnicodeEncodeError:
        is_fit = False
    if is_fit and "&" not in text:
        return data
    return _REFERENCE.sub(_kept, text if is_fit else _UNFIT.sub("\ufffd", text)).encode()
