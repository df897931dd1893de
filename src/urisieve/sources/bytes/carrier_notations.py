"""Notations: how a text is written in its carrier, and how it is written back into it.

`ESCAPES` has the notations with escapes, in a stream of text (RFC 3987 5.2: any higher-level escaping is undone first).
Only complete escapes are undone; any other text is unchanged. `%41` is not an escape of the carrier but part of a URI.
`NOTATIONS` has all, of whole texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.sources.bytes.source_map import SourceMap


class CarrierEscapes(NamedTuple):
    """The escapes of a notation.

    Attributes:
        whole: matches one of them.
        begun: matches the beginning of one that the end of a piece of text cuts.
        first: a character that is in each.
        meaning: returns what one stands for.
        escaped: returns a text of which no character would be read as something else.
    """

    whole: re.Pattern[str]
    begun: re.Pattern[str]
    first: str
    meaning: Callable[[re.Match[str]], str]
    escaped: Callable[[str], str]


_SIMPLE: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "a": "\a"}
_HIGH, _LOW, _PAST = 0xD800, 0xDC00, 0xE000
_LAST: Final = 0x10FFFF
_LONE: Final = "\ufffd"


def _character(point: int) -> str:
    """Return the character of a code point, or U+FFFD, which ends every identifier, if it is not valid."""
    return _LONE if _HIGH <= point < _PAST or point > _LAST else chr(point)


def _units(*units: str) -> str:
    points = [int(unit, 16) for unit in units]
    if len(points) == 2 and _HIGH <= points[0] < _LOW <= points[1] < _PAST:
        return chr(0x10000 + ((points[0] - _HIGH) << 10) + points[1] - _LOW)
    return "".join(map(_character, points))


def _html_meaning(match: re.Match[str]) -> str:
    from html import unescape

    return unescape(match[0])


def _percent_u(match: re.Match[str]) -> str:
    return _units(*re.split("%[uU]", match[0])[1:])


def _backslash(match: re.Match[str]) -> str:
    pair, point = match["pair"], match["hex"] or match["braced"]
    if pair is not None:
        return _units(*pair[1:].split("\\u"))
    if point is not None:
        return _character(int(point, 16))
    if match["octal"] is not None:
        return chr(int(match["octal"], 8))
    return _SIMPLE.get(match[0][1], match[0][1])


def _latex(match: re.Match[str]) -> str:
    return _LATEX_NAMES.get(match["name"]) or match["sign"] or match[0]


def _cef(match: re.Match[str]) -> str:
    return _SIMPLE.get(match[0][1], match[0][1])


def _octal(match: re.Match[str]) -> str:
    return chr(int(match[0][1:], 8))


def _html_escaped(text: str) -> str:
    from html import escape

    return escape(text)


def _json_escaped(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f")


def _percent_u_escaped(text: str) -> str:
    """Escape what is not ASCII, and a percent sign before a `u`, which would be read as an escape."""
    return re.sub(r"[^\x00-\x7f]|%(?=[uU])", _percent_u_units, text)


def _percent_u_units(found: re.Match[str]) -> str:
    data = found[0].encode("utf-16-be", "surrogatepass")
    return "".join([f"%u{data[at : at + 2].hex()}" for at in range(0, len(data), 2)])


def _latex_escaped(text: str) -> str:
    return re.sub(r"[_%&#${}~^\\]", lambda found: _LATEX_ESCAPED.get(found[0], f"\\{found[0]}"), text)


def _cef_escaped(text: str) -> str:
    return re.sub(r"[=|\\\n\r]", lambda found: {"\n": "\\n", "\r": "\\r"}.get(found[0], f"\\{found[0]}"), text)


def _syslog_escaped(text: str) -> str:
    if ESCAPES["syslog"].whole.search(text):
        raise ValueError("syslog has no notation for a number sign before the digits of a control character")
    return re.sub(r"[\x00-\x1f\x7f]", lambda found: f"#{ord(found[0]):03o}", text)


_LATEX_ESCAPED: Final = {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
_LATEX_NAMES: Final = {
    "textasciitilde": "~",
    "texttildelow": "~",
    "textasciicircum": "^",
    "textunderscore": "_",
    "textbackslash": "\\",
    "slash": "/",
}
_HEX: Final = "[0-9A-Fa-f]"
_HIGH_UNIT: Final = "[Dd][89ABab][0-9A-Fa-f]{2}"
_LOW_UNIT: Final = "[Dd][C-Fc-f][0-9A-Fa-f]{2}"
# The longest name of HTML has 31 characters; 7 decimal digits are more than there are characters.
ESCAPES: Final[dict[str, CarrierEscapes]] = {
    "html": CarrierEscapes(
        lazy_compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"),
        lazy_compile(r"&(?:#[0-9]{0,7}|#[xX][0-9A-Fa-f]{0,6}|[A-Za-z][A-Za-z0-9]{0,31})?\Z"),
        "&",
        _html_meaning,
        _html_escaped,
    ),
    "percent-u": CarrierEscapes(
        lazy_compile(rf"%[uU]{_HIGH_UNIT}%[uU]{_LOW_UNIT}|%[uU]{_HEX}{{4}}"),
        lazy_compile(rf"(?:%[uU]{_HIGH_UNIT})?(?:%(?:[uU]{_HEX}{{0,3}})?)?\Z"),
        "%",
        _percent_u,
        _percent_u_escaped,
    ),
    "backslash": CarrierEscapes(
        lazy_compile(
            rf"\\(?:(?P<pair>u{_HIGH_UNIT}\\u{_LOW_UNIT})|(?:u(?={_HEX}{{4}})|x(?={_HEX}{{2}})|U(?={_HEX}{{8}}))"
            rf"(?P<hex>(?<=x){_HEX}{{2}}|(?<=u){_HEX}{{4}}|(?<=U){_HEX}{{8}})|u\{{(?P<braced>{_HEX}{{1,6}})\}}"
            r"""|(?P<octal>[0-3][0-7]{2})|[nrtbfva/\\"'])"""
        ),
        lazy_compile(
            rf"(?:\\u{_HIGH_UNIT})?(?:\\(?:u(?:{_HEX}{{0,3}}|\{{{_HEX}{{0,6}})|x{_HEX}?|U{_HEX}{{0,7}}|[0-3][0-7]?)?)?\Z"
        ),
        "\\",
        _backslash,
        _json_escaped,
    ),
    "latex": CarrierEscapes(
        # Two backslashes are the end of a line. A blank after a name ends it; an empty group may follow each, and a
        # group of one escape is that character.
        lazy_compile(
            r"(?P<group>\{)?\\(?:\\(?(group)(?!))|(?P<sign>~(?=\{\})|[_%&#${}])(?:\{\})?"
            rf"|(?P<name>{'|'.join(_LATEX_NAMES)})(?![A-Za-z])(?:\{{\}}|[ \t])?)(?(group)\}})"
        ),
        lazy_compile(
            r"\{?\\(?:[~_%&#${}]\{?|[a-z]{1,15}\{?)?\Z"
            r"|\{(?:\\(?:[~_%&#${}]|[a-z]{1,15})(?:\{\}|[ \t]))?\Z"
        ),
        "\\",
        _latex,
        _latex_escaped,
    ),
    "cef": CarrierEscapes(lazy_compile(r"\\[=|\\nr]"), lazy_compile(r"\\\Z"), "\\", _cef, _cef_escaped),
    # What is not a control character is not escaped.
    "syslog": CarrierEscapes(
        lazy_compile("#(?:0[0-3][0-7]|177)"), lazy_compile(r"#(?:0[0-3]?|17?)?\Z"), "#", _octal, _syslog_escaped
    ),
}
# The longest escape, or pair of escapes for two halves.
_LONGEST: Final = 40


class Unescaper:
    """Undoes the escapes of one carrier: `feed` each piece of the text in turn, then `close`.

    The text is the same however it is cut. `source_map` is the map to the text as it was.

    Args:
        carrier: the carrier that the text was escaped for.
        keep: the number of characters back for which the map is kept; None to do without it.
    """

    def __init__(self, carrier: str, *, keep: int | None = None) -> None:
        self._escape = ESCAPES[carrier]
        self._keep = keep
        self.source_map: SourceMap | None = None if keep is None else SourceMap()
        self._held = ""

    def feed(self, text: str) -> str:
        """Take the next piece; return the text that is decided."""
        text = self._held + text
        end = self._decided(text)
        self._held = text[end:]
        return self._undo(text[:end])

    def close(self) -> str:
        """Return the rest of the text."""
        text, self._held = self._held, ""
        return self._undo(text)

    def pieces(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield the text of all pieces."""
        yield from map(self.feed, texts)
        yield self.close()

    def _decided(self, text: str) -> int:
        """Return the end of the text that cannot be changed by the text after it."""
        begun = self._escape.begun.search(text, max(0, len(text) - _LONGEST))
        while begun is not None and self._inside(text, begun.start()):
            begun = self._escape.begun.search(text, begun.start() + 1)
        return len(text) if begun is None else begun.start()

    def _inside(self, text: str, offset: int) -> bool:
        """Report whether an offset is inside an escape that began before it, as the second of two backslashes is."""
        if self._escape.first != "\\":
            return False
        run = offset
        while run > 0 and text[run - 1] == "\\":
            run -= 1
        return (offset - run) % 2 == 1

    def _undo(self, text: str) -> str:
        whole, _, first, meaning, _ = self._escape
        source_map = self.source_map
        if source_map is None or self._keep is None:
            return whole.sub(meaning, text) if first in text else text
        source_map.forget(source_map.length - self._keep)
        begin = source_map.size
        pieces: list[str] = []
        offset = 0
        for match in whole.finditer(text) if first in text else ():
            new = meaning(match)
            if new == match[0]:
                continue
            pieces += [text[offset : match.start()], new]
            source_map.add(begin + offset, begin + match.start())
            offset = match.end()
            source_map.replace(begin + match.start(), begin + offset, len(new))
        source_map.add(begin + offset, begin + len(text))
        return "".join([*pieces, text[offset:]])


class DecodedText(NamedTuple):
    """A text, and the map from its characters to those of what was written."""

    text: str
    source: SourceMap


class Notation(NamedTuple):
    """How a text is written where it stands.

    >>> NOTATIONS["html"].decode("http://a.example/?b&amp;c").text, NOTATIONS["csv"].encode("http://a.example/,b")
    ('http://a.example/?b&c', '"http://a.example/,b"')

    Attributes:
        decode: returns the text for what is written.
        encode: returns what is to be written for a text, so that it is read as that text; raises `ValueError` if there
            is no way.
    """

    decode: Callable[[str], DecodedText]
    encode: Callable[[str], str]


def _as_written(text: str) -> DecodedText:
    return DecodedText(text, SourceMap())


def _unescaped(carrier: str) -> Callable[[str], DecodedText]:
    def decode(written: str) -> DecodedText:
        unescaper = Unescaper(carrier, keep=len(written))
        text = unescaper.feed(written) + unescaper.close()
        assert unescaper.source_map is not None
        return DecodedText(text, unescaper.source_map)

    return decode


def quoted_map(inner: str, first: int = 0) -> SourceMap:
    """Return the map to what is written between quotation marks, where two of them are one (RFC 4180 2.7).

    Args:
        inner: what is between them.
        first: its offset in what is written.
    """
    found = SourceMap(first)
    for quotes in re.finditer('""', inner):
        found.add(found.size, first + quotes.start())
        found.replace(first + quotes.start(), first + quotes.end(), 1)
    found.add(found.size, first + len(inner))
    return found


def _from_cell(written: str) -> DecodedText:
    """Return the text of a cell (RFC 4180 2.5 to 2.7)."""
    if not written.startswith('"'):
        return _as_written(written)
    inner = written[1 : -1 if len(written) > 1 and written.endswith('"') else None]
    return DecodedText(inner.replace('""', '"'), quoted_map(inner, 1))


def _doubled(inner: str) -> DecodedText:
    """Return what is between the quotation marks of a cell, where two of them are one."""
    return DecodedText(inner.replace('""', '"'), quoted_map(inner))


def _to_doubled(text: str) -> str:
    return text.replace('"', '""')


def _to_cell(text: str) -> str:
    quoted = _to_doubled(text)
    return f'"{quoted}"' if re.search('[",;\t\r\n]', text) else text


def _from_quoted_printable(written: str) -> DecodedText:
    """Return the text of quoted-printable in UTF-8 (RFC 2045 6.7)."""
    import binascii

    pieces: list[str] = []
    selection = SourceMap()
    start = 0
    for found in re.finditer(r"(?:=(?:[0-9A-Fa-f]{2}|[ \t]*\r?(?:\n|\Z)))+", written):
        text = binascii.a2b_qp(found[0].encode()).decode("utf-8", "surrogateescape")
        selection.add(start, found.start())
        selection.replace(found.start(), found.end(), len(text))
        pieces += [written[start : found.start()], text]
        start = found.end()
    selection.add(start, len(written))
    return DecodedText("".join([*pieces, written[start:]]), selection)


def _to_quoted_printable(text: str) -> str:
    import binascii

    return binascii.b2a_qp(text.encode("utf-8", "surrogateescape")).decode("ascii")


def _from_base64(written: str) -> DecodedText:
    """Return the text of base64 in UTF-8, of which no part has a place of its own (RFC 2045 6.8)."""
    import base64

    text = base64.b64decode(written).decode("utf-8", "surrogateescape")
    selection = SourceMap()
    selection.replace(0, len(written), len(text))
    return DecodedText(text, selection)


def _to_base64(text: str) -> str:
    import base64

    return base64.encodebytes(text.encode("utf-8", "surrogateescape")).decode("ascii")


NOTATIONS: Final[dict[str, Notation]] = {
    "as-written": Notation(_as_written, str),
    **{carrier: Notation(_unescaped(carrier), escapes.escaped) for carrier, escapes in ESCAPES.items()},
    "json": Notation(_unescaped("backslash"), _json_escaped),
    "csv": Notation(_from_cell, _to_cell),
    "quotes": Notation(_doubled, _to_doubled),
    "quoted-printable": Notation(_from_quoted_printable, _to_quoted_printable),
    "base64": Notation(_from_base64, _to_base64),
}
"""The notations of texts, by name."""
