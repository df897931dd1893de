"""XML as documents: runs of text, values and links of attributes, comments, by the parser of the standard library.

No entity that a document declares is expanded, whatever it stands for, and nothing outside the document is opened: a
reference other than to the five of XML stays as it is written. Namespace names (`xmlns`), the document type and what it
declares are not searched: they name formats.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from itertools import chain
from xml.parsers.expat import ExpatError, ParserCreate

from urisieve.find.delimited import Delimited
from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple, replace
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.decoding import ByteDecoder, count_stray
from urisieve.sources.bytes.encodings import known_marks
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.bytes.selections import Selection, SourceLines, selected
from urisieve.sources.bytes.splices import SplicedMap
from urisieve.sources.bytes.web_charsets import web_codec
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.kinds import HEAD_SIZE
from urisieve.sources.documents import Document, HtmlDocuments, Location, Tally
from urisieve.sources.html.html_links import has_scheme, is_same_document
from urisieve.sources.html.references import resolved, unresolved_reason
from urisieve.sources.structured.unescape import Carrier, Unescaper

__all__ = ["xml_documents"]

# The number of characters parsed at a time.
_WINDOW: Final = 65_536
# A tag, comment or declaration of more characters is not held: the text from there on is read as plain text.
_LONGEST_TOKEN: Final = 1_048_576
# A run of text is cut at blanks into pieces of about so many characters.
_LONGEST_RUN: Final = 262_144
# Elements nested more deeply are made to cause harm.
_DEPTH: Final = 10_000

# Replaces `&` if it does not begin a reference that is resolved: the parser sees no entity and no error. It is a
# noncharacter, which no identifier holds, and becomes U+FFFD where a document has it.
_AMPERSAND: Final = "\ufdd0"
_REFERENCE: Final = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)(?:#(?:([0-9]{1,7})|x([0-9A-Fa-f]{1,6}));)?")
# The characters that a document of XML cannot hold (XML 1.0, 2.2), and bytes that did not decode.
_UNFIT: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufdd0\ufffe\uffff]")
# The longest reference; one that a piece ends within waits for the next.
_LONGEST_REFERENCE: Final = 12

_LINKS: Final = frozenset(["href", "src", "url", "xml:base", "xlink:href", "rdf:resource", "rdf:about"])
# Elements whose whole text is a link, with a blank in it too (sitemaps, RSS, Atom, OAI).
_LINK_ELEMENTS: Final = frozenset(["loc", "link", "guid", "url", "uri", "image:loc", "comments", "docs"])
_TEXTS: Final = frozenset(["xsi:schemaLocation"])
_ATTRIBUTE: Final = re.compile(r"""\s+[^\s=<>"'/]+\s*=\s*(?:"([^"]*)"|'([^']*)')""")
# The constructs that the parser reports at once, up to their end.
_TOKEN: Final = re.compile(
    r"""<!--.*?-->|<\?.*?\?>|<!\[CDATA\[|\]\]>|</[^>]*>|<[^\s<>/"']+(?:\s+[^\s=<>"'/]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*/?>""",
    re.DOTALL,
)
_BLANK: Final = re.compile(r"\s")
_LONGEST_NAME: Final = 256
_RESOLVED: Final = re.compile(r"&(?:#[0-9]+|#x[0-9A-Fa-f]+|[a-z]+);|\r\n")
_DECLARED: Final = re.compile(rb"""<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,80})""")
# Text that is HTML, as feeds carry it escaped or in CDATA.
_HTML: Final = re.compile(
    r"</?(?:a|p|br|div|img|span|ul|ol|li|table|b|i|em|strong|blockquote|h[1-6])(?:\s[^<>]*)?/?>", re.I
)
_REFERENCES: Final = "reference"


def xml_documents(
    content: Content,
    *,
    tally: Tally,
    html: HtmlDocuments,
    maybe: Callable[[str], object] | None = None,
    encoding: str | None = None,
) -> Iterator[Document]:
    """Yield the texts of XML, in their order: runs of text between tags, attributes, comments and instructions.

    The texts before a fault are yielded; the rest is read as text, with its references resolved, and counted.
    Memory is that of the longest tag or comment, at most some `_LONGEST_TOKEN` characters.

    Args:
        content: the document.
        tally: counts documents, faults, and relative references without a base.
        html: reads the HTML in feeds.
        maybe: returns a false value for text without identifiers; texts for which it does are left out.
        encoding: the name of a codec; by default the one that the declaration names (XML 1.0, 4.3.3).

    Yields:
        documents with `position` and `offsets`, and with `place.field`: the element (`loc`), its attribute (`a@href`),
        `#comment`, or `?` and the name of an instruction.

    Iterating raises `InputError` if reading fails or the text is cut.
    """
    tally.read["xml"] += 1
    reader = BlockReader(content.blocks)
    codec = encoding or _declared(reader.peek(HEAD_SIZE), content.source, tally)
    yield from _XmlWalk(content, tally, html, maybe, codec).documents(reader.rest())


def _declared(head: bytes, source: str, tally: Tally) -> str | None:
    """Return the codec that the declaration names, or None if it does not name one that counts."""
    if any(head.startswith(mark) for mark, _ in known_marks(None)):
        return None
    found = _DECLARED.match(head.removeprefix(BOM_UTF8).lstrip())
    if found is None:
        return None
    label = found[1].decode("ascii")
    codec = web_codec(label)
    if codec is None:
        tally.fault("xml", "unknown-charset", f"{source}: its encoding {label!r} is not known; read as UTF-8")
    return None if codec is None or codec.startswith("utf-16") else codec  # it could be read as ASCII up to here


class _Piece(NamedTuple):
    """A part of a run of text, its offset in the source, and whether it is in a section without references (CDATA)."""

    text: str
    start: int
    is_literal: bool


class _XmlTooDeepError(Exception):
    """A document that is nested more deeply than is read."""


class _XmlWalk:
    """One pass over a document: turns the reports of the parser into documents."""

    def __init__(
        self,
        content: Content,
        tally: Tally,
        html: HtmlDocuments,
        maybe: Callable[[str], object] | None,
        codec: str | None,
    ) -> None:
        self._content = content
        self._tally = tally
        self._html = html
        self._maybe = maybe
        self._decoder = ByteDecoder(codec, keep=2 * _LONGEST_TOKEN + 4 * BLOCK_SIZE)
        self._found: list[Document] = []
        self._elements: list[str] = []
        self._bases: list[str | None] = [None if content.declared is None else content.declared.base]
        self._run: list[_Piece] = []
        self._run_length = 0
        # The source from the offset `_start` on, as the parser received it, and its lines.
        self._text = ""
        self._start = 0
        self._lines = SourceLines("")
        self._byte, self._offset = 0, 0  # a byte of the parsed text, and the character that begins there
        self._event = 0  # where the last construct began that the parser reported
        self._length: int | None = None  # its length, if that is known
        self._is_literal = False
        self._parser = ParserCreate()
        self._listen()

    def _listen(self) -> None:
        parser = self._parser
        parser.ordered_attributes = True
        parser.specified_attributes = True
        parser.StartElementHandler = self._open
        parser.EndElementHandler = self._close
        parser.CharacterDataHandler = self._characters
        parser.CommentHandler = lambda text: self._aside("#comment", text)
        parser.ProcessingInstructionHandler = lambda name, text: self._aside(f"?{name}", text)
        parser.StartCdataSectionHandler = lambda: self._section(literal=True)
        parser.EndCdataSectionHandler = lambda: self._section(literal=False)
        parser.DefaultHandler = self._other

    # ------------------------------------------------------------ the text

    def documents(self, blocks: Iterable[bytes]) -> Iterator[Document]:
        """Yield all documents.

        Raises:
            InputError: reading failed, or the text is cut.
        """
        windows = self._decoder.pieces(blocks)
        waiting = ""
        fault: str | None = None
        ended = begun = False
        while fault is None and not ended:
            pieces = [waiting]
            held = self._start + len(self._text) - self._offset  # the parser examines it again
            needed = max(_WINDOW, held)
            while needed > 0 and (window := next(windows, None)) is not None:
                pieces.append(window)
                needed -= len(window)
            ended = needed > 0
            text = "".join(pieces)
            waiting = ""
            if not begun:  # nothing may stand before a declaration
                text = self._begin(text)
                begun = bool(text)
            if not ended:
                cut = text.rfind("&", max(0, len(text) - _LONGEST_REFERENCE))
                text, waiting = (text, "") if cut < 0 else (text[:cut], text[cut:])
            fault = self._parse(text, ended=ended)
            found, self._found = self._found, []
            yield from found
            if fault is None:
                self._forget()
        if fault is not None:
            yield self._rest(fault, waiting, windows)
        elif self._decoder.cut is not None and self._run:
            yield self._rest(None, "", windows)
        count_stray(self._tally, self._content.source, self._decoder)
        if self._decoder.cut is not None:
            raise self._decoder.cut

    def _begin(self, text: str) -> str:
        """Skip blanks before the document."""
        start = len(text) - len(text.lstrip(_BEFORE))
        line, column = SourceLines(text, self._start, *self._lines.place(self._start)).place(self._start + start)
        self._start += start
        self._offset = self._event = self._start
        self._lines = SourceLines("", self._start, line, column)
        return text[start:]

    def _parse(self, text: str, *, ended: bool) -> str | None:
        """Parse the next stretch of the source; return the fault in it, or None."""
        text = _REFERENCE.sub(_kept, _UNFIT.sub("\ufffd", text))
        self._text += text
        line, column = self._lines.place(self._start)
        self._lines = SourceLines(self._text, self._start, line, column)
        try:
            self._parser.Parse(text, False)
            if ended and self._decoder.cut is None:
                self._parser.Parse("", True)
        except ExpatError as error:
            self._flush()
            return str(error).partition(":")[0]
        except _XmlTooDeepError:
            return f"nested more than {_DEPTH:,} deep"
        if ended:
            if self._decoder.cut is None:
                self._flush()
        elif self._start + len(self._text) - self._event - (self._length or 0) > _LONGEST_TOKEN:
            return f"a tag or comment of more than {_LONGEST_TOKEN:,} characters"
        return None

    def _forget(self) -> None:
        """Drop the source up to the first offset that may still be needed."""
        if self._length is not None:
            end = self._offset + self._length
            self._byte += len(self._text[self._offset - self._start : end - self._start].encode())
            self._offset = self._event = end
            self._length = 0
        offset = min(self._run[0].start, self._offset) if self._run else self._offset
        line, column = self._lines.place(offset)
        self._text = self._text[offset - self._start :]
        self._start = offset
        self._lines = SourceLines(self._text, offset, line, column)

    def _rest(self, fault: str | None, waiting: str, windows: Iterator[str]) -> Document:
        """Return the text after the last parsed construct as a document; without a fault, the run that is cut."""
        start = self._run[0].start if self._run else self._behind()
        line, _ = self._lines.place(start)
        source = self._content.source
        if fault is not None:
            self._tally.fault("xml", "no-xml", f"{source}: not XML from line {line:,} on: {fault}; read as text")
        unescaper = Unescaper(Carrier.HTML, keep=_LONGEST_TOKEN)

        def pieces() -> Iterator[str]:
            begun = self._text[start - self._start :].replace(_AMPERSAND, "&")
            for piece in chain([begun + waiting], windows):
                yield unescaper.feed(piece)
            yield unescaper.close()
            if self._decoder.cut is not None:
                cut, self._decoder.cut = self._decoder.cut, None
                raise cut

        def way_back() -> OffsetMap | None:
            outer = self._decoder.offsets
            return None if outer is None or unescaper.splices is None else SplicedMap(unescaper.splices, outer, start)

        return Document(
            source=source, text=pieces(), place=Location(row=line), offsets=way_back, legacy=self._is_legacy
        )

    def _behind(self) -> int:
        """Return the end of the last construct that the parser reported."""
        if self._length is not None:
            return self._event + self._length
        token = _TOKEN.match(self._text, self._event - self._start)
        return self._event if token is None else self._start + token.end()

    @property
    def _is_legacy(self) -> bool:
        return not self._decoder.encoding.is_unicode

    # ------------------------------------------------------------ what the parser reports

    def _here(self) -> int:
        """Return the offset in the source of the construct that is reported."""
        byte = self._parser.CurrentByteIndex
        step = byte - self._byte
        if step:
            at = self._offset - self._start
            text = self._text[at : at + step]
            if not text.isascii():
                text = text.encode()[:step].decode()
            self._byte = byte
            self._offset += len(text)
        self._event = self._offset
        self._length = None
        return self._offset

    def _other(self, text: str) -> None:
        """Ignore a construct that is not searched: a declaration or the document type."""
        self._here()
        self._length = len(text)

    def _section(self, *, literal: bool) -> None:
        self._here()
        self._is_literal = literal

    def _characters(self, text: str) -> None:
        offset = self._here()
        piece = _Piece(text, offset, self._is_literal)
        self._length = self._extent(piece)
        self._run_length += len(text)
        if self._run_length > _LONGEST_RUN:
            blank = max(text.rfind(" "), text.rfind("\n"), text.rfind("\t"))
            if blank >= 0 or self._run_length > 2 * _LONGEST_RUN:  # beyond any identifier
                self._run.append(piece._replace(text=text[: blank + 1]))
                self._flush()
                piece = piece._replace(text=text[blank + 1 :], start=offset + blank + 1)
                self._run_length = len(piece.text)
        self._run.append(piece)

    def _extent(self, piece: _Piece) -> int:
        """Return the number of characters of the source that a piece was made from."""
        at = piece.start - self._start
        if not piece.is_literal and self._text.startswith("&", at):
            return self._text.find(";", at) + 1 - at
        return 2 if piece.text == "\n" and self._text.startswith("\r\n", at) else len(piece.text)

    def _open(self, name: str, attributes: list[str]) -> None:
        self._flush()
        offset = self._here()
        self._elements.append(name)
        base = self._bases[-1]
        if attributes:
            if "xml:base" in attributes[::2]:
                given = attributes[2 * attributes[::2].index("xml:base") + 1].replace(_AMPERSAND, "&")
                base = resolved(given, base)
            self._attributes(name, attributes, offset, base)
        self._bases.append(base)
        if len(self._elements) > _DEPTH:
            raise _XmlTooDeepError

    def _close(self, name: str) -> None:
        self._flush()
        offset = self._here()
        if not self._text.startswith("</", offset - self._start):  # that of an empty element stands after it
            self._length = 0
        self._elements.pop()
        self._bases.pop()

    def _flush(self) -> None:
        """End a run of text."""
        if not self._run:
            return
        run, self._run, self._run_length = self._run, [], 0
        text = "".join(piece.text for piece in run).replace(_AMPERSAND, "&")
        if self._maybe is not None and not self._maybe(text):
            return
        selection = Selection()
        for piece in run:
            extent = self._extent(piece)
            if extent == len(piece.text):
                selection.add(piece.start, piece.start + extent)
            else:
                selection.replace(piece.start, piece.start + extent, len(piece.text))
        element = self._elements[-1] if self._elements else ""
        stripped = text.strip()
        if has_scheme(stripped) and (element in _LINK_ELEMENTS or not _BLANK.search(stripped)):
            first = len(text) - len(text.lstrip())
            inner = Selection()
            inner.extend(selection, first, first + len(stripped))
            how = Delimited.LINK if element in _LINK_ELEMENTS else Delimited.VALUE
            self._found.append(self._document(stripped, inner, element, how))
            return
        document = self._document(text, selection, element, Delimited.TEXT)
        if _HTML.search(text) is None:
            self._found.append(document)
            return
        counts = Tally()
        self._found += self._html(document, counts)
        counts.read.clear()
        self._tally.take(counts)

    def _aside(self, field: str, text: str) -> None:
        """Add a comment or an instruction."""
        self._flush()
        offset = self._here()
        if self._maybe is not None and not self._maybe(text):
            return
        token = _TOKEN.match(self._text, offset - self._start)
        written = token[0] if token is not None else ""
        first, last = (len("<!--"), len("-->")) if field == "#comment" else (len(field) + 1, len("?>"))
        self._found.append(self._written(written[first:-last], offset + first, field, Delimited.TEXT))

    def _attributes(self, element: str, attributes: list[str], offset: int, base: str | None) -> None:
        """Add the values of attributes, and the links among them."""
        at = offset - self._start + 1 + len(element)
        for name, value in zip(attributes[::2], attributes[1::2], strict=True):
            written = _ATTRIBUTE.match(self._text, at)
            if written is None:
                return
            at = written.end()
            if name == "xmlns" or name.startswith("xmlns:"):
                continue
            field = f"{element}@{name}"
            start, end = written.span(1 if written[1] is not None else 2)
            if name not in _LINKS:
                if self._maybe is None or self._maybe(value):
                    how = Delimited.TEXT if name in _TEXTS else Delimited.VALUE
                    self._found.append(self._written(self._text[start:end], self._start + start, field, how))
                continue
            written_link = self._text[start:end].strip()
            start = self._text.find(written_link, start)
            link = value.strip().replace(_AMPERSAND, "&")
            if has_scheme(link):
                self._found.append(self._written(written_link, self._start + start, field, Delimited.LINK))
            else:
                outer = self._bases[-1] if name == "xml:base" else base
                self._reference(link, self._start + start, self._start + end, field, outer)

    def _reference(self, reference: str, start: int, end: int, field: str, base: str | None) -> None:
        """Add the URI that a relative reference resolves to, or count the reference."""
        if is_same_document(reference):
            self._tally.skip(_REFERENCES, "same-document")
            return
        target = resolved(reference, base)
        if target is None:
            self._tally.skip(_REFERENCES, unresolved_reason(base))
            return
        selection = Selection()
        selection.replace(start, end, len(target))
        document = self._document(target, selection, field, Delimited.LINK)
        self._found.append(replace(document, base=base, reference=reference))

    def _written(self, written: str, start: int, field: str, delimited: Delimited) -> Document:
        """Return the document of a stretch of the source; references in it are resolved, but not in comments."""
        selection = Selection()
        pieces: list[str] = []
        index = 0
        for found in () if field.startswith(("#", "?")) else _RESOLVED.finditer(written):
            selection.add(start + index, start + found.start())
            new = unescape(found[0]) if found[0][0] == "&" else " "
            selection.replace(start + found.start(), start + found.end(), len(new))
            pieces += (written[index : found.start()], new)
            index = found.end()
        selection.add(start + index, start + len(written))
        pieces.append(written[index:])
        text = "".join(pieces).replace(_AMPERSAND, "&")
        return self._document(text, selection, field, delimited)

    def _document(self, text: str, selection: Selection, field: str, delimited: Delimited) -> Document:
        lines = self._lines
        return Document(
            source=self._content.source,
            text=(text,),
            place=Location(field=field[:_LONGEST_NAME] or None),
            offsets=selected(lambda: self._decoder.offsets, selection),
            legacy=self._is_legacy,
            position=lambda offset: lines.place(selection.source(offset)),
            delimited=delimited,
        )


_BEFORE: Final = " \t\r\n\f\v\0\x1e\ufeff"


def _kept(found: re.Match[str]) -> str:
    """Return a reference, or an ampersand, that the parser resolves; any other is hidden from it."""
    decimal, hexadecimal = found.groups()
    number = int(decimal) if decimal else int(hexadecimal or "0", 16)
    is_character = number in (9, 10, 13) or 0x20 <= number < 0xD800 or 0xE000 <= number < 0xFFFE
    return found[0] if is_character or 0x10000 <= number <= 0x10FFFF else _AMPERSAND + found[0][1:]
