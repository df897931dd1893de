r"""Content lines: the properties of calendars (RFC 5545) and of cards (RFC 6350), and the values of LDIF (RFC 2849).

A property is `NAME;PARAMETER=x:value`, an attribute of LDIF `name: value`, `name:: base64` or `name:< URI`. A line that
begins with a blank continues the one before (RFC 5545 3.1, RFC 6350 3.2, RFC 2849 note 2), even inside a character. A
value becomes one text: unfolded, escapes (`\,` `\;` `\:` `\n`) resolved, quoted-printable and base64 of vCard 2.1 and
of LDIF decoded. A value that is a URI by its type is delimited; any other is running text.

When and from whom a component is follows from its properties (DTSTART, ORGANIZER), see `ComponentProperties`; these are
values like all others, too.
"""

from __future__ import annotations

import binascii
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial

from urisieve.find.delimited import Delimited
from urisieve.lean import Final, NamedTuple, replace
from urisieve.records.base import Context
from urisieve.sources.bytes.charsets import decode_text
from urisieve.sources.bytes.lines import LINE_LIMIT, Line, LineReader, LongLine
from urisieve.sources.bytes.source_map import ComposedMap, SourceMap, composed
from urisieve.sources.containers.contents import Content
from urisieve.sources.contexts import ENTRIES, ComponentProperties
from urisieve.sources.documents import Document, Position, Segment, no_map
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.reading_run import SourceCounts
from urisieve.sources.segments import Segments


class PropertyValue(NamedTuple):
    """A value, or a line that is none.

    Attributes:
        text: its text, decoded, or the pieces of a long line.
        field: the component and the property (`VEVENT.URL`), with a parameter after `@`, or the attribute.
        row: the number of the line on which its property begins, from 1.
        source: returns the map to the characters of the lines; None for what was decoded.
        delimited: whether it is a URI by its type.
        legacy: whether it was decoded from a character set that is not of Unicode.
        component: the properties of the entry that it is in, which are complete where that ends; None if they are not
            wanted.
    """

    text: str | Iterable[str]
    field: str | None
    row: int
    source: Callable[[], SourceMap] | None = None
    delimited: Delimited = Delimited.TEXT
    legacy: bool = False
    component: ComponentProperties | None = None

    def segment(self, whole: Segment, position: Position) -> Segment:
        """Return the value as a segment of `whole`, all of the lines; `position` returns that of a character."""
        source = self.source
        return replace(
            whole,
            text=(self.text,) if isinstance(self.text, str) else self.text,
            place=whole.place._replace(field=self.field, row=self.row),
            offsets=no_map if source is None else lambda: composed(whole.offsets(), source()),
            position=None if source is None else lambda offset: position(source().source(offset)),
            legacy=whole.legacy or self.legacy,
            delimited=self.delimited,
        )


BLANKS: Final = frozenset(" \t")
# The end of a line with a soft line break.
_SOFT: Final = ("=", "=\r", "\r\r")
# A group, the name, and the parameters, whose quoted values may hold a colon (RFC 6350 3.3).
NAME: Final = re.compile(r'(?:[A-Za-z0-9-]+\.)?([A-Za-z0-9_-]+)((?>;(?>[^":;]++|"[^"]*+")*+)*+):')
PARAMETER: Final = re.compile(r';([^=";]*+)(?:=((?>"[^"]*+"|[^";]++)*+))?')
QUOTED: Final = re.compile(r'"([^"]*+)"')
QUOTED_PRINTABLE: Final = "QUOTED-PRINTABLE"
BASE64: Final = frozenset(["B", "BASE64"])
# Encodings by the word that names them; parameters of vCard 2.1 may be such a word alone.
ENCODINGS: Final = BASE64 | {QUOTED_PRINTABLE, "7BIT", "8BIT"}
_ENCODED: Final = re.compile(";(?:ENC|B|Q|7|8)", re.IGNORECASE)
# What escapes mean in a value, and characters that a fold has cut: their bytes did not decode one by one.
ESCAPE: Final = re.compile(r"\\[nN:;,\\]|[\udc80-\udcff]{2,4}")
CUT: Final = re.compile(r"[\udc80-\udcff]{2,4}")


class UnfoldedLine:
    """The lines of a property or attribute; their text without line ends and folds.

    Args:
        lines: the lines, the first and those that continue it.
        is_cut: whether more lines followed, which are not held.
        blanks: the number of blanks of each fold that are left out.

    Attributes:
        number: the number of the first line, from 1.
        text: the text.
    """

    __slots__ = ("_blanks", "_lines", "is_cut", "number", "text")

    def __init__(self, lines: list[Line], *, is_cut: bool = False, blanks: int = 1) -> None:
        self._lines, self._blanks, self.is_cut = lines, blanks, is_cut
        self.number = lines[0].number
        one = len(lines) == 1
        self.text = lines[0].text.rstrip("\r") if one else "".join([text for _, text in self._pieces()])

    def with_blanks(self) -> UnfoldedLine:
        """Return the same lines, with the blanks of folds."""
        return self if len(self._lines) == 1 else UnfoldedLine(self._lines, is_cut=self.is_cut, blanks=0)

    def _pieces(self) -> Iterator[tuple[int, str]]:
        """Yield what is kept of each line, with its offset."""
        is_soft = len(self._lines) > 1 and encoding_of(self._lines[0].text) == QUOTED_PRINTABLE
        for index, (_, start, text) in enumerate(self._lines):
            text = text.rstrip("\r")
            left_out = 0
            if is_soft and index < len(self._lines) - 1:
                text = text.removesuffix("=")
            elif index and not is_soft and text[:1] in BLANKS:
                left_out = self._blanks
            yield start + left_out, text[left_out:]

    def selection(self, start: int, end: int | None, escape: re.Pattern[str]) -> SourceMap:
        """Return the map from the text of a value, its escapes resolved, to the characters of the lines."""
        whole = SourceMap()
        for begin, piece in self._pieces():
            whole.add(begin, begin + len(piece))
        end = len(self.text) if end is None else end
        value = SourceMap()
        for found in escape.finditer(self.text, start, end):
            new = meaning(found)
            if new != found[0]:
                value.add(start, found.start())
                value.replace(found.start(), found.end(), len(new))
                start = found.end()
        value.add(start, end)
        return ComposedMap(whole, value)


@lru_cache(maxsize=1)  # each line that may go on asks it of the first one
def encoding_of(line: str) -> str | None:
    """Return the encoding that the parameters of a line name, in upper case."""
    named = NAME.match(line)
    return None if named is None or not named[2] else _encoding_in(named[2])


def _encoding_in(parameters: str) -> str | None:
    for found in PARAMETER.finditer(parameters) if _ENCODED.search(parameters) is not None else ():
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
    """Return what an escape means, or the character in the bytes that a fold had cut."""
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
_URI_KINDS: Final = frozenset(["URI", "URL", "CAL-ADDRESS"])
_URI_PARAMETERS: Final = frozenset(["ALTREP", "DELEGATED-FROM", "DELEGATED-TO", "DIR", "MEMBER", "SENT-BY"])
_DIGITS: Final = re.compile(r"[A-Za-z0-9+/]{4,}+={0,2}\r*+")
# A broken line that begins with an identifier, whose scheme is not a name.
_IDENTIFIER: Final = re.compile(r"[a-z][a-z0-9+.-]*+://|mailto:|urn:", re.IGNORECASE)
_SCHEMES: Final = frozenset(["mailto", "urn"])
# A property whose only text is in its line, without escapes and encodings.
_PLAIN: Final = re.compile(
    r"(?!(?:BEGIN|END|VERSION|mailto|urn)[;:])[A-Z0-9_-]+(?>;(?>CN|LANGUAGE|PREF|TYPE|TZID|VALUE)=[^\":;\\]*+)*+:(?!//)"
    r"[\t -\[\]-~]*+\r*+\Z",
    re.IGNORECASE,
)
_PLAIN_LDIF: Final = re.compile(r"(?!(?i:mailto|urn):)[A-Za-z0-9][A-Za-z0-9.-]*+:(?![:<]|//)[\t -\[\]-~]*+\r*+\Z")
_COMPONENT_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{0,64}")
_COMPONENT: Final = re.compile(r"(?:BEGIN|END):", re.IGNORECASE)
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# Versions of which a fold keeps its blank: vCard 2.1 and vCalendar 1.0 fold as RFC 822 does.
_KEEPS_BLANKS: Final = frozenset(["1.0", "2.1"])
# The values of one component that are held until its end, and the lines over which they may be spread.
_MOST: Final = 256
_LINES: Final = 4_096
_DEEPEST: Final = 64  # components whose names are remembered
_LONGEST_FIELD: Final = 256
_ENDS: Final = ' \t"<>'  # some of the characters that end every identifier


def read(source: Content, out: Segments) -> Iterator[Document | None]:
    """Read the values of a calendar, of cards or of LDIF, in the order of the lines; see `ContentLines`.

    Raises:
        InputError: reading fails, or the text is cut.
    """
    encoding = out.encoding()  # which may look at the first bytes
    reader = LineReader(source.blocks, encoding)
    lines = ContentLines(out, is_ldif=out.kind == Kind.LDIF, may_hold=out.may_hold, has_components=out.wants_context)
    for value, context in _with_contexts(lines.values(_lines(reader, out))):
        if value is None:
            yield None
        else:
            yield out.add(
                value.text,
                None if value.source is None else partial(_source_map, reader, value.source),
                field=value.field,
                row=value.row,
                delimited=value.delimited,
                context=context,
                legacy=reader.legacy or value.legacy,
            )
    reader.decoder.stray -= lines.mended
    out.decoded(reader.decoder)


def _lines(reader: LineReader, out: Segments) -> Iterator[Line | LongLine | None]:
    """Yield the lines, and None where the source may keep the reader waiting."""
    for lines in reader.batches():
        if isinstance(lines, LongLine):
            yield lines
        else:
            yield from lines.numbered()
            out.pause()
            yield None


def _with_contexts(values: Iterable[PropertyValue | None]) -> Iterator[tuple[PropertyValue | None, Context | None]]:
    """Yield values, each with the context of its component, which is known where that ends; None as it comes."""
    held: list[PropertyValue] = []
    for value in values:
        component = None if value is None else value.component
        if value is None or component is None:
            if value is not None:
                yield from _released(held)
            yield value, None
            continue
        is_full = len(held) >= _MOST or (held and value.row - held[0].row > _LINES)
        if is_full or not isinstance(value.text, str) or (held and held[0].component is not component):
            yield from _released(held)
        if isinstance(value.text, str):
            held.append(value)
        else:
            yield value, component.context
    yield from _released(held)


def _released(held: list[PropertyValue]) -> Iterator[tuple[PropertyValue, Context | None]]:
    context = held[0].component.context if held and held[0].component is not None else None
    yield from ((value, context) for value in held)
    held.clear()


def _source_map(reader: LineReader, source: Callable[[], SourceMap]) -> SourceMap | None:
    return composed(reader.decoder.offsets, source())


class ContentLines:
    """Reads the values of content lines.

    Counts `property` read and `value` skipped. Lines with a fault are read as text: a fold at the start, a line without
    a name, an unknown encoding, base64 that is none, a component without its end, a line that is too long. Of a value
    that goes on over more than `LINE_LIMIT` characters, the rest is not read, which is counted.

    Args:
        counts: counts and reports.
        is_ldif: whether it is LDIF.
        may_hold: returns a false value for text without identifiers, which is left out.
        has_components: whether values have their components.

    Attributes:
        mended: the number of bytes of characters that a fold had cut.
    """

    def __init__(
        self, counts: SourceCounts, *, is_ldif: bool, may_hold: Callable[[str], object], has_components: bool = False
    ) -> None:
        self._component: ComponentProperties | None = None  # that of the entry that is read
        self._counts, self._is_ldif, self._may_hold, self._has_components = counts, is_ldif, may_hold, has_components
        self._open: deque[str] = deque(maxlen=_DEEPEST)  # the names of the components begun
        self._inner = ""  # the name of the innermost one, with a dot
        self._keeps_blanks = False
        self._found: list[PropertyValue] = []
        self._properties = 0
        self.mended = 0

    def values(self, lines: Iterable[Line | LongLine | None]) -> Iterator[PropertyValue | None]:
        """Yield the values of all lines, in their order; None of the lines is passed on where it comes."""
        try:
            held: list[Line] = []  # the lines of the property begun
            size = number = 0
            is_cut = False
            found = self._found
            for line in lines:
                if line is None:
                    yield None
                    continue
                number = line.number
                if held and not isinstance(line, LongLine) and self._continues(held, line.text):
                    size += len(line.text)
                    if size <= LINE_LIMIT:
                        held.append(line)
                    else:
                        is_cut = True
                    continue
                if held:
                    self._property(held, is_cut=is_cut)
                    if found:
                        yield from found
                        found.clear()
                if isinstance(line, LongLine):
                    held = []
                    self._fault("too-long", number)
                    yield PropertyValue(line.pieces, None, number, component=self._component)
                else:
                    held, size, is_cut = [line], len(line.text), False
            if held:
                self._property(held, is_cut=is_cut)
                yield from found
                found.clear()
        finally:
            if self._properties:
                self._counts.count("property", self._properties)
        if self._open:
            self._fault("no-end", number)

    def _continues(self, held: list[Line], text: str) -> bool:
        """Report whether a line continues the property begun."""
        if text[:1] in BLANKS:
            first = held[0].text
            return not first.isspace() and first != ""
        if self._is_ldif:
            return False
        last = held[-1].text
        if last.endswith(_SOFT) and last.rstrip("\r").endswith("=") and _COMPONENT.match(text) is None:
            return encoding_of(held[0].text) == QUOTED_PRINTABLE
        # Base64 of vCard 2.1, which some programs do not fold.
        return ":" not in text and _DIGITS.fullmatch(text) is not None and encoding_of(held[0].text) in BASE64

    def _fault(self, reason: str, number: int) -> None:
        self._counts.fault(reason, f"line {number:,}: {reason.replace('-', ' ')}", kind="line")

    def _property(self, held: list[Line], *, is_cut: bool) -> None:
        """Take the values of a property, by its lines, of which some are left out if it is cut."""
        if len(held) == 1 and not self._has_components:
            text = held[0].text
            if (_PLAIN_LDIF if self._is_ldif else _PLAIN).match(text) is not None and not self._may_hold(text):
                self._properties += 1
                return
        line = UnfoldedLine(held, is_cut=is_cut)
        text = line.text
        if not text or text.isspace():
            return
        self._properties += 1
        is_fold = text[0] in BLANKS
        if self._is_ldif and text[0] == "#":
            self._text(line, 0, "#comment")
            return
        named = None if is_fold else (_ATTRIBUTE if self._is_ldif else NAME).match(text)
        if named is None or (
            (text.startswith("//", named.end()) or named[1].lower() in _SCHEMES) and _IDENTIFIER.match(text) is not None
        ):
            # Text outside of components, and what separates the parts of a change (RFC 2849), is not a fault.
            if text != "-" if self._is_ldif else self._open or is_fold:
                self._fault("fold-at-start" if is_fold else "no-name", line.number)
            self._text(line, 0, None)
            return
        if is_cut:
            message = f"line {line.number:,}: {named[1]} is read only to {LINE_LIMIT:,} characters"
            self._counts.fault("too-long", message, kind="value")
        if self._is_ldif:
            self._attribute(line, named)
        else:
            self._value(line, named)

    def _attribute(self, line: UnfoldedLine, named: re.Match[str]) -> None:
        field = named[1][:_LONGEST_FIELD]
        if named[2] == ":":
            self._encoded(line, named.end(), field, "BASE64", None)
        else:
            self._text(line, named.end(), field, Delimited.LINK if named[2] else Delimited.TEXT)

    def _component_line(self, line: UnfoldedLine, name: str, start: int) -> None:
        """Take the beginning or the end of a component."""
        component = line.text[start:].strip().upper()
        if _COMPONENT_NAME.fullmatch(component) is None:
            self._text(line, start, name)
        elif name == "BEGIN":
            self._open.append(component)
            if self._has_components and component in ENTRIES:
                self._component = ComponentProperties()
        elif self._open and self._open.pop() in ENTRIES:
            self._component = None
        self._inner = f"{self._open[-1]}." if self._open else ""

    def _value(self, line: UnfoldedLine, named: re.Match[str]) -> None:
        name, start = named[1].upper()[:_LONGEST_FIELD], named.end()
        if name in ("BEGIN", "END"):
            self._component_line(line, name, start)
            return
        if self._component is not None and self._open and self._open[-1] in ENTRIES:
            self._component.take(name, ESCAPE.sub(meaning, line.text[start:]))
        if name == "VERSION":
            self._keeps_blanks = line.text[start:].strip() in _KEEPS_BLANKS
        field = self._inner + name
        charset = encoding = None
        kind = ""
        if named[2]:
            charset, kind, encoding = self._parameters(line, named, field)
            if encoding is not None and encoding not in ENCODINGS:
                self._fault("unknown-encoding", line.number)
        if encoding == QUOTED_PRINTABLE or encoding in BASE64:
            self._encoded(line, start, field, encoding, charset)
        elif kind in _URI_KINDS or (not kind and name in _URIS):
            self._text(line, start, field, Delimited.LINK)
        else:
            self._text(line.with_blanks() if self._keeps_blanks else line, start, field)

    def _parameters(self, line: UnfoldedLine, named: re.Match[str], field: str) -> tuple[str | None, str, str | None]:
        """Take the values of parameters; return the character set, the type and the encoding that they name."""
        charset: str | None = None
        kind = ""
        for found in PARAMETER.finditer(named[2]):
            key, content = found[1].upper(), (found[2] or "").strip('"')
            if ":" in content:  # then it is quoted, or several are (RFC 5545 3.2.5, RFC 6350 3.3)
                delimited = Delimited.LINK if key in _URI_PARAMETERS else Delimited.VALUE
                base = named.start(2)
                for one in QUOTED.finditer(named[2], found.start(2), found.end(2)):
                    inner = f"{field}@{key[:_LONGEST_FIELD]}"
                    self._text(line, base + one.start(1), inner, delimited, base + one.end(1))
            elif key == "CHARSET":
                charset = content
            elif key == "VALUE":
                kind = content.upper()
        return charset, kind, _encoding_in(named[2])

    def _text(
        self,
        line: UnfoldedLine,
        start: int,
        field: str | None,
        delimited: Delimited = Delimited.TEXT,
        end: int | None = None,
    ) -> None:
        """Take a value that is not encoded: a part of a line, its escapes resolved."""
        escape = CUT if self._is_ldif else ESCAPE
        if line.is_cut and end is None:
            end = max(map(line.text.rfind, _ENDS)) + 1
        text = line.text[start:end]
        if "\\" in text or not text.isascii():
            text = escape.sub(self._meaning, text)
        if self._may_hold(text):
            source = partial(line.selection, start, end, escape)
            self._found.append(PropertyValue(text, field, line.number, source, delimited, component=self._component))

    def _meaning(self, found: re.Match[str]) -> str:
        new = meaning(found)
        if found[0][0] != "\\" and new != found[0]:
            self.mended += len(found[0])
        return new

    def _encoded(self, line: UnfoldedLine, start: int, field: str, encoding: str, charset: str | None) -> None:
        value = line.text[start:].encode("utf-8", "surrogateescape")
        try:
            data = binascii.a2b_qp(value) if encoding == QUOTED_PRINTABLE else decode_base64(value, is_cut=line.is_cut)
        except binascii.Error:
            self._fault("bad-base64", line.number)
            self._text(line, start, field)
            return
        if _CONTROLS.search(data) is not None:
            self._counts.skip("binary", kind="value")
            return
        text, _, legacy, _ = decode_text(data, charset)
        if line.is_cut:
            text = text[: max(map(text.rfind, _ENDS)) + 1]
        if self._may_hold(text):
            self._found.append(PropertyValue(text, field, line.number, legacy=legacy, component=self._component))
