r"""Content lines: the properties of calendars (RFC 5545) and of cards (RFC 6350), and the values of LDIF (RFC 2849).

A property is `NAME;PARAMETER=x:value`, an attribute of LDIF `name: value`, `name:: base64` or `name:< URI`. A line that
begins with a blank continues the one before (RFC 5545 3.1, RFC 6350 3.2, RFC 2849 note 2), even inside a character. A
value becomes one text: unfolded, escapes (`\,` `\;` `\:` `\n`) resolved, quoted-printable and base64 of vCard 2.1 and
of LDIF decoded. A value that is a URI by its type is delimited; any other is running text, or HTML.

When and from whom a component is follows from its properties (DTSTART, ORGANIZER), see `ComponentProperties`; these are
values like all others, too.

It holds besides:

- values of properties, and the documents that they become.
- lines of properties, unfolded: RFC 5545 3.1, RFC 6350 3.2, RFC 2849 note 2, soft line breaks of vCard 2.1.
"""

from __future__ import annotations

import binascii
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from urisieve.find.delimited import Delimited
from urisieve.lean import Final, NamedTuple, replace
from urisieve.records.base import Context, Location
from urisieve.sources.bytes.charsets import decode_text
from urisieve.sources.bytes.decoding import count_stray
from urisieve.sources.bytes.lines import LINE_LIMIT, Line, LineReader, LongLine
from urisieve.sources.bytes.selections import Selection, selected
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.kinds import Kind
from urisieve.sources.content_tools import ContentTools
from urisieve.sources.contexts import ENTRIES, ComponentProperties, with_contexts
from urisieve.sources.documents import Document, HtmlDocuments, Position, no_way_back, single_documents
from urisieve.sources.tally import Tally


class PropertyValue(NamedTuple):
    """A value, or a line that is none.

    Attributes:
        text: its text, decoded.
        field: the component and the property (`VEVENT.URL`), with a parameter behind `@`, or the attribute.
        row: the number of the line on which its property begins, from 1.
        source: returns the way to the characters of the lines; None for what was decoded.
        delimited: whether it is a URI by its type.
        legacy: whether it was decoded from a character set that is not of Unicode.
        is_html: whether it holds a tag with an attribute.
    """

    text: Iterable[str]
    field: str | None
    row: int
    source: Callable[[], Selection] | None = None
    delimited: Delimited = Delimited.TEXT
    legacy: bool = False
    is_html: bool = False

    def documents(
        self, whole: Document, html: HtmlDocuments, tally: Tally, position: Position | None = None
    ) -> Iterator[Document]:
        """Yield the document of the value, or those of its HTML.

        Args:
            whole: all of the lines, as a document.
            html: reads HTML.
            tally: counts faults of the HTML.
            position: returns the line and column of a character of the lines.
        """
        source = self.source
        document = replace(
            whole,
            text=self.text,
            place=whole.place._replace(field=self.field, row=self.row),
            offsets=no_way_back if source is None else lambda: selected(whole.offsets(), source()),
            position=None if source is None or position is None else lambda offset: position(source().source(offset)),
            legacy=whole.legacy or self.legacy,
            delimited=self.delimited,
        )
        if not self.is_html:
            yield document
            return
        counts = Tally()
        for inner in single_documents(html(document, counts)):
            field = "/".join([name for name in (self.field, inner.place.field) if name is not None])
            yield replace(inner, place=document.place._replace(field=field or None))
        counts.read.clear()
        tally.take(counts)


BLANKS: Final = frozenset(" \t")
# A group, the name, and the parameters, whose quoted values may hold a colon (RFC 6350 3.3).
NAME: Final = re.compile(r'(?:[A-Za-z0-9-]+\.)?([A-Za-z0-9_-]+)((?>;(?>[^":;]++|"[^"]*+")*+)*+):')
PARAMETER: Final = re.compile(r';([^=";]*+)(?:=((?>"[^"]*+"|[^";]++)*+))?')
QUOTED: Final = re.compile(r'"([^"]*+)"')
QUOTED_PRINTABLE: Final = "QUOTED-PRINTABLE"
BASE64: Final = frozenset(["B", "BASE64"])
# Encodings by the word that names them; parameters of vCard 2.1 may be such a word alone.
ENCODINGS: Final = BASE64 | {QUOTED_PRINTABLE, "7BIT", "8BIT"}
# What escapes stand for in a value, and characters that a fold has cut: their bytes did not decode one by one.
ESCAPE: Final = re.compile(r"\\[nN:;,\\]|[\udc80-\udcff]{2,4}")
CUT: Final = re.compile(r"[\udc80-\udcff]{2,4}")


class UnfoldedLine:
    """The lines of a property or attribute; their text without line ends and folds.

    Args:
        lines: the lines, the first and those that continue it.
        is_cut: whether more lines followed, which are not held.
        blanks: the number of blanks of each fold that are left out.

    Attributes:
        is_cut: as above.
        text: the text.
    """

    __slots__ = ("_blanks", "_lines", "is_cut", "text")

    def __init__(self, lines: list[Line], *, is_cut: bool = False, blanks: int = 1) -> None:
        self._lines = lines
        self._blanks = blanks
        self.is_cut = is_cut
        one = len(lines) == 1
        self.text = lines[0].text.removesuffix("\r") if one else "".join([text for _, text in self._pieces()])

    @property
    def number(self) -> int:
        """The number of its first line, from 1."""
        return self._lines[0].number

    def with_blanks(self) -> UnfoldedLine:
        """Return the same lines, with the blanks of folds."""
        return self if len(self._lines) == 1 else UnfoldedLine(self._lines, is_cut=self.is_cut, blanks=0)

    def _pieces(self) -> Iterator[tuple[int, str]]:
        """Yield what is kept of each line, with its offset."""
        is_soft = len(self._lines) > 1 and encoding_of(self._lines[0].text) == QUOTED_PRINTABLE
        for index, (_, start, text) in enumerate(self._lines):
            text = text.removesuffix("\r")
            left_out = 0
            if is_soft and index < len(self._lines) - 1:
                text = text.removesuffix("=")
            elif index and not is_soft and text[:1] in BLANKS:
                left_out = self._blanks
            yield start + left_out, text[left_out:]

    def selection(self, start: int, end: int | None, escape: re.Pattern[str]) -> Selection:
        """Return the way from the text of a value, its escapes resolved, to the characters of the lines."""
        whole = Selection()
        for begin, piece in self._pieces():
            whole.add(begin, begin + len(piece))
        end = len(self.text) if end is None else end
        value = Selection()
        for found in escape.finditer(self.text, start, end):
            new = meaning(found)
            if new != found[0]:
                value.extend(whole, start, found.start())
                value.replace(whole.source(found.start()), whole.source_end(found.end()), len(new))
                start = found.end()
        value.extend(whole, start, end)
        return value


def encoding_of(line: str) -> str | None:
    """Return the encoding that the parameters of a line name, in upper case."""
    named = NAME.match(line)
    for found in PARAMETER.finditer("" if named is None else named[2]):
        key = found[1].upper()
        if key == "ENCODING" or (found[2] is None and key in ENCODINGS):
            return (found[2] or key).strip('"').upper()
    return None


def decode_base64(value: bytes, *, is_cut: bool) -> bytes:
    """Decode base64, with or without its padding.

    Raises:
        binascii.Error: it is not base64.
    """
    digits = value.translate(None, b" \t").rstrip(b"=")
    if is_cut:
        digits = digits[: len(digits) // 4 * 4]
    return binascii.a2b_base64(digits + b"=" * (-len(digits) % 4), strict_mode=True)


def meaning(found: re.Match[str]) -> str:
    """Return what an escape stands for, or the character in the bytes that a fold had cut."""
    text = found[0]
    if text[0] == "\\":
        return "\n" if text[1] in "nN" else text[1]
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeDecodeError:
        return text


_ATTRIBUTE: Final = re.compile(r"([A-Za-z0-9][A-Za-z0-9.-]*+)(?>;[A-Za-z0-9=_-]*+)*+:([:<]?)[ \t]*+")
# Properties whose values are URIs unless VALUE says otherwise, and parameters whose values are.
_URIS: Final = frozenset(
    [
        *("ATTACH", "ATTENDEE", "CALADRURI", "CALURI", "CONFERENCE", "FBURL", "IMAGE", "IMPP", "KEY", "LOGO", "MEMBER"),
        *("ORG-DIRECTORY", "ORGANIZER", "PHOTO", "RELATED", "SOUND", "SOURCE", "TZURL", "URL"),
    ]
)
_URI_PARAMETERS: Final = frozenset(["ALTREP", "DELEGATED-FROM", "DELEGATED-TO", "DIR", "MEMBER", "SENT-BY"])
_DIGITS: Final = re.compile(r"[A-Za-z0-9+/]{4,}+={0,2}\r?")
# A broken line that begins with an identifier, whose scheme is not a name.
_IDENTIFIER: Final = re.compile(r"[a-z][a-z0-9+.-]*+://|mailto:|urn:", re.IGNORECASE)
_COMPONENT_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{0,64}")
_COMPONENT: Final = re.compile(r"(?:BEGIN|END):", re.IGNORECASE)
_TAG: Final = re.compile(r"<[A-Za-z][^<>]*?\s[A-Za-z-]+\s*=\s*[\"']?[^\s<>]")
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# Versions of which a fold keeps its blank: vCard 2.1 and vCalendar 1.0 fold as RFC 822 does.
_KEEPS_BLANKS: Final = frozenset(["1.0", "2.1"])
_DEEPEST: Final = 64  # components whose names are remembered
_LONGEST_FIELD: Final = 256
_ENDS: Final = ' \t"<>'  # some of the characters that end every identifier


def content_lines(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    """Yield the values of a calendar, of cards or of LDIF, in the order of the lines; see `ContentLines`.

    Iterating raises `InputError` if reading fails or the text is cut.
    """
    content, encoding = tools.labelled(content)
    reader = LineReader(content.blocks, encoding)
    context, tally = tools.reading.context, tools.tally
    is_ldif = kind is Kind.LDIF
    lines = ContentLines(tally, content.source, is_ldif=is_ldif, may_hold=tools.may_hold, has_components=context)
    whole = Document(source=content.source, text=(), offsets=lambda: reader.decoder.offsets)
    values: Iterable[tuple[PropertyValue, Context | None]] = ((value, None) for value in lines.values(reader))
    if context:
        values = with_contexts(lines.values(reader), lambda: lines.component)
    for value, known in values:
        whole.legacy = reader.legacy
        whole.place = Location(context=known)
        yield from value.documents(whole, tools.single_html, tally)
    reader.decoder.stray -= lines.mended
    count_stray(tally, content.source, reader.decoder)


class ContentLines:
    """Reads the values of content lines.

    Counts `property` read and `value` skipped. Lines with a fault are read as text: a fold at the start, a line without
    a name, an unknown encoding, base64 that is none, a component without its end, a line that is too long. Of a value
    that goes on over more than `LINE_LIMIT` characters, the rest is not read, which is counted.

    Args:
        tally: counts.
        source: the name of the text.
        is_ldif: whether it is LDIF.
        may_hold: returns a false value for text without identifiers, which is left out.
        has_components: whether `component` is filled.

    Attributes:
        component: the component in which the last value stands.
        mended: the number of bytes of characters that a fold had cut.
    """

    def __init__(
        self,
        tally: Tally,
        source: str,
        *,
        is_ldif: bool = False,
        may_hold: Callable[[str], object] | None = None,
        has_components: bool = False,
    ) -> None:
        self.component: ComponentProperties | None = None
        self._has_components = has_components
        self._tally = tally
        self._source = source
        self._is_ldif = is_ldif
        self._may_hold = may_hold
        self._open: deque[str] = deque(maxlen=_DEEPEST)  # the names of the components begun
        self._keeps_blanks = False
        self.mended = 0

    def values(self, lines: Iterable[Line | LongLine]) -> Iterator[PropertyValue]:
        """Yield the values of all lines, in their order."""
        held: list[Line] = []  # the lines of the property begun
        size = number = 0
        is_cut = False
        for line in lines:
            number = line.number
            if not isinstance(line, LongLine) and held and self._continues(held, line.text):
                size += len(line.text)
                if size <= LINE_LIMIT:
                    held.append(line)
                else:
                    is_cut = True
                continue
            yield from self._property(held, is_cut=is_cut)
            held, size, is_cut = [], 0, False
            if isinstance(line, LongLine):
                self._fault("too-long", number)
                yield PropertyValue(line.pieces, None, number)
            else:
                held, size = [line], len(line.text)
        yield from self._property(held, is_cut=is_cut)
        if self._open:
            self._fault("no-end", number)

    def _continues(self, held: list[Line], text: str) -> bool:
        """Report whether a line continues the property begun."""
        first = held[0].text
        if text[:1] in BLANKS:
            return not first.isspace() and first != ""
        if self._is_ldif:
            return False
        if held[-1].text.rstrip("\r").endswith("=") and _COMPONENT.match(text) is None:  # a soft line break
            return encoding_of(first) == QUOTED_PRINTABLE
        # Base64 of vCard 2.1, which some programs do not fold.
        return _DIGITS.fullmatch(text) is not None and encoding_of(first) in BASE64

    def _fault(self, reason: str, number: int) -> None:
        self._tally.fault("line", reason, f"{self._source}: line {number:,}: {reason.replace('-', ' ')}")

    def _property(self, held: list[Line], *, is_cut: bool) -> Iterator[PropertyValue]:
        """Yield the values of a property, by its lines, of which some are left out if it is cut."""
        line = UnfoldedLine(held, is_cut=is_cut)
        text = line.text
        if not text or text.isspace():
            return
        self._tally.read["property"] += 1
        is_fold = text[0] in BLANKS
        if self._is_ldif and text[0] == "#":
            yield from self._text(line, 0, "#comment")
            return
        named = None if is_fold else (_ATTRIBUTE if self._is_ldif else NAME).match(text)
        if named is None or _IDENTIFIER.match(text) is not None:
            # Text outside of components, and what separates the parts of a change (RFC 2849), is not a fault.
            if text != "-" if self._is_ldif else self._open or is_fold:
                self._fault("fold-at-start" if is_fold else "no-name", line.number)
            yield from self._text(line, 0, None)
            return
        if line.is_cut:
            message = f"{self._source}: line {line.number:,}: {named[1]} is read only to {LINE_LIMIT:,} characters"
            self._tally.fault("value", "too-long", message)
        yield from self._attribute(line, named) if self._is_ldif else self._value(line, named)

    def _attribute(self, line: UnfoldedLine, named: re.Match[str]) -> Iterator[PropertyValue]:
        field = named[1][:_LONGEST_FIELD]
        if named[2] == ":":
            yield from self._encoded(line, named.end(), field, "BASE64", None)
        else:
            yield from self._text(line, named.end(), field, Delimited.LINK if named[2] else Delimited.TEXT)

    def _value(self, line: UnfoldedLine, named: re.Match[str]) -> Iterator[PropertyValue]:
        name, start = named[1].upper()[:_LONGEST_FIELD], named.end()
        content = line.text[start:].strip()
        if name in ("BEGIN", "END") and _COMPONENT_NAME.fullmatch(content) is None:
            yield from self._text(line, start, name)
            return
        if name == "BEGIN":
            self._open.append(content.upper())
            if self._has_components and content.upper() in ENTRIES:
                self.component = ComponentProperties()
            return
        if name == "END":
            if self._open and self._open.pop() in ENTRIES:
                self.component = None
            return
        if self.component is not None and self._open and self._open[-1] in ENTRIES:
            self.component.take(name, ESCAPE.sub(meaning, line.text[start:]))
        if name == "VERSION":
            self._keeps_blanks = content in _KEEPS_BLANKS
        field = f"{self._open[-1]}.{name}" if self._open else name
        charset = None
        kind = ""
        for found in PARAMETER.finditer(named[2]) if named[2] else ():
            key, content = found[1].upper(), (found[2] or "").strip('"')
            if ":" in content:  # then it is quoted, or several are (RFC 5545 3.2.5, RFC 6350 3.3)
                delimited = Delimited.LINK if key in _URI_PARAMETERS else Delimited.VALUE
                inner = f"{field}@{key[:_LONGEST_FIELD]}"
                base = named.start(2)
                for one in QUOTED.finditer(named[2], found.start(2), found.end(2)):
                    yield from self._text(line, base + one.start(1), inner, delimited, base + one.end(1))
            elif key == "CHARSET":
                charset = content
            elif key == "VALUE":
                kind = content.upper()
        encoding = encoding_of(line.text) if named[2] else None
        if encoding is not None and encoding not in ENCODINGS:
            self._fault("unknown-encoding", line.number)
        if encoding == QUOTED_PRINTABLE or encoding in BASE64:
            yield from self._encoded(line, start, field, encoding, charset)
        elif kind in ("URI", "URL", "CAL-ADDRESS") or (not kind and name in _URIS):
            yield from self._text(line, start, field, Delimited.LINK)
        else:
            yield from self._text(line.with_blanks() if self._keeps_blanks else line, start, field)

    def _text(
        self,
        line: UnfoldedLine,
        start: int,
        field: str | None,
        delimited: Delimited = Delimited.TEXT,
        end: int | None = None,
    ) -> Iterator[PropertyValue]:
        """Yield a value that is not encoded: a stretch of a line, its escapes resolved."""
        escape = CUT if self._is_ldif else ESCAPE
        if line.is_cut and end is None:
            end = max(map(line.text.rfind, _ENDS)) + 1
        text = line.text[start:end]
        if "\\" in text or not text.isascii():
            text = escape.sub(self._meaning, text)
        if self._may_hold is None or self._may_hold(text):
            source = partial(line.selection, start, end, escape)
            is_html = delimited is Delimited.TEXT and "<" in text and _TAG.search(text) is not None
            yield PropertyValue((text,), field, line.number, source, delimited, is_html=is_html)

    def _meaning(self, found: re.Match[str]) -> str:
        new = meaning(found)
        if found[0][0] != "\\" and new != found[0]:
            self.mended += len(found[0])
        return new

    def _encoded(
        self, line: UnfoldedLine, start: int, field: str, encoding: str, charset: str | None
    ) -> Iterator[PropertyValue]:
        value = line.text[start:].encode("utf-8", "surrogateescape")
        try:
            data = binascii.a2b_qp(value) if encoding == QUOTED_PRINTABLE else decode_base64(value, is_cut=line.is_cut)
        except binascii.Error:
            self._fault("bad-base64", line.number)
            yield from self._text(line, start, field)
            return
        if _CONTROLS.search(data) is not None:
            self._tally.skip("value", "binary")
            return
        text, _, legacy, _ = decode_text(data, charset)
        if line.is_cut:
            text = text[: max(map(text.rfind, _ENDS)) + 1]
        if self._may_hold is None or self._may_hold(text):
            yield PropertyValue((text,), field, line.number, legacy=legacy, is_html=_TAG.search(text) is not None)
