r"""Content lines: the properties of calendars (RFC 5545) and of cards (RFC 6350), and the values of LDIF (RFC 2849).

A property is `NAME;PARAMETER=x:value`, an attribute of LDIF `name: value`, `name:: base64` or `name:< URI`. A line that
begins with a blank continues the one before (RFC 5545 3.1, RFC 6350 3.2, RFC 2849 note 2), even inside a character. A
value becomes one text: unfolded, escapes (`\,` `\;` `\:` `\n`) resolved, quoted-printable and base64 of vCard 2.1 and
of LDIF decoded. A value that is a URI by its type is delimited; any other is running text, or HTML.

The dates (DTSTART, REV) and authors (ORGANIZER) of components are values like all others.
"""

from __future__ import annotations

import binascii
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from urisieve.find.delimited import Delimited
from urisieve.lean.hints import Final
from urisieve.sources.bytes.charsets import decode_text
from urisieve.sources.bytes.decoding import count_stray
from urisieve.sources.bytes.lines import LINE_LIMIT, Line, LineReader, LongLine
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document, HtmlDocuments, Tally
from urisieve.sources.properties.property_values import PropertyValue
from urisieve.sources.properties.unfolded import (
    BASE64,
    BLANKS,
    CUT,
    ENCODINGS,
    ESCAPE,
    NAME,
    PARAMETER,
    QUOTED,
    QUOTED_PRINTABLE,
    UnfoldedLine,
    decode_base64,
    encoding_of,
    meaning,
)

__all__ = ["ContentLines", "content_lines"]

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


def content_lines(
    content: Content,
    *,
    tally: Tally,
    html: HtmlDocuments,
    is_ldif: bool = False,
    maybe: Callable[[str], object] | None = None,
    encoding: str | None = None,
) -> Iterator[Document]:
    """Yield the values of a calendar, of cards or of LDIF, in the order of the lines.

    Args:
        content: the lines.
        tally: counts properties, values that are not text, and faults; see `ContentLines`.
        html: reads values that are HTML.
        is_ldif: whether it is LDIF.
        maybe: returns a false value for text without identifiers, which is left out.
        encoding: the name of a codec.

    Iterating raises `InputError` if reading fails or the text is cut.
    """
    reader = LineReader(content.blocks, encoding)
    lines = ContentLines(tally, content.source, is_ldif=is_ldif, maybe=maybe)
    whole = Document(source=content.source, text=(), offsets=lambda: reader.decoder.offsets)
    for value in lines.values(reader):
        whole.legacy = reader.legacy
        yield from value.documents(whole, html, tally)
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
        maybe: as for `content_lines`.

    Attributes:
        mended: the number of bytes of characters that a fold had cut.
    """

    def __init__(
        self, tally: Tally, source: str, *, is_ldif: bool = False, maybe: Callable[[str], object] | None = None
    ) -> None:
        self._tally = tally
        self._source = source
        self._is_ldif = is_ldif
        self._maybe = maybe
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
            return
        if name == "END":
            if self._open:
                self._open.pop()
            return
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
        if self._maybe is None or self._maybe(text):
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
        if self._maybe is None or self._maybe(text):
            yield PropertyValue((text,), field, line.number, legacy=legacy, is_html=_TAG.search(text) is not None)
