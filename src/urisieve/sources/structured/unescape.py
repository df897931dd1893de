"""Escapes of the carrier, undone in a stream of text (RFC 3987 5.2: any higher-level escaping is undone first).

Only complete escapes are undone; any other text is unchanged. `%41` is not an escape of the carrier but part of a URI.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.sources.bytes.selections import Splices
from urisieve.sources.reading_options import Carrier


class _Escape(NamedTuple):
    """An escape: the whole of it, the part that the end of a piece may hold, and its replacement."""

    whole: re.Pattern[str]
    begun: re.Pattern[str]
    first: str
    meaning: Callable[[re.Match[str]], str]


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


def _html(match: re.Match[str]) -> str:
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
    name = match["name"]
    return match[0] if match[0] == "\\\\" else match[0][1] if name is None else _LATEX_NAMES[name]


def _cef(match: re.Match[str]) -> str:
    return _SIMPLE.get(match[0][1], match[0][1])


def _octal(match: re.Match[str]) -> str:
    return chr(int(match[0][1:], 8))


_LATEX_NAMES: Final = {
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textunderscore": "_",
    "textbackslash": "\\",
    "slash": "/",
}
_HEX: Final = "[0-9A-Fa-f]"
_HIGH_UNIT: Final = "[Dd][89ABab][0-9A-Fa-f]{2}"
_LOW_UNIT: Final = "[Dd][C-Fc-f][0-9A-Fa-f]{2}"
# The longest name of HTML has 31 characters; 7 decimal digits are more than there are characters.
_ESCAPES: Final = {
    Carrier.HTML: _Escape(
        lazy_compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"),
        lazy_compile(r"&(?:#[0-9]{0,7}|#[xX][0-9A-Fa-f]{0,6}|[A-Za-z][A-Za-z0-9]{0,31})?\Z"),
        "&",
        _html,
    ),
    Carrier.PERCENT_U: _Escape(
        lazy_compile(rf"%[uU]{_HIGH_UNIT}%[uU]{_LOW_UNIT}|%[uU]{_HEX}{{4}}"),
        lazy_compile(rf"(?:%[uU]{_HIGH_UNIT})?(?:%(?:[uU]{_HEX}{{0,3}})?)?\Z"),
        "%",
        _percent_u,
    ),
    Carrier.BACKSLASH: _Escape(
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
    ),
    Carrier.LATEX: _Escape(
        # Two backslashes are the end of a line.
        lazy_compile(rf"\\(?:[_%&#${{}}\\]|~\{{\}}|(?P<name>{'|'.join(_LATEX_NAMES)})(?![A-Za-z])(?:\{{\}})?)"),
        lazy_compile(r"\\(?:~\{?|[a-z]{1,15}\{?)?\Z"),
        "\\",
        _latex,
    ),
    Carrier.CEF: _Escape(lazy_compile(r"\\[=|\\nr]"), lazy_compile(r"\\\Z"), "\\", _cef),
    # What is not a control character is not escaped.
    Carrier.SYSLOG: _Escape(lazy_compile("#(?:0[0-3][0-7]|177)"), lazy_compile(r"#(?:0[0-3]?|17?)?\Z"), "#", _octal),
}
# The longest escape, or pair of escapes for two halves.
_LONGEST: Final = 40


class Unescaper:
    """Undoes the escapes of one carrier: `feed` each piece of the text in turn, then `close`.

    The text is the same however it is cut. `splices` is the way back to the text as it was.

    Args:
        carrier: the carrier that the text was escaped for.
        keep: the number of characters back for which the way back is kept; None to do without it.
    """

    def __init__(self, carrier: Carrier | str, *, keep: int | None = None) -> None:
        self._escape = _ESCAPES[Carrier(carrier)]
        self._keep = keep
        self.splices: Splices | None = None if keep is None else Splices()
        self._held = ""
        self._given = 0

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

    def _decided(self, text: str) -> int:
        """Return the end of the text that cannot be changed by the text after it."""
        _, begun, first, _ = self._escape
        start = max(0, len(text) - _LONGEST)
        if first not in text[start:]:
            return len(text)
        offset = start
        while (offset := text.find(first, offset)) >= 0:
            if begun.match(text, offset) and not self._inside(text, offset):
                return offset
            offset += 1
        return len(text)

    def _inside(self, text: str, offset: int) -> bool:
        """Report whether an offset is inside an escape that began before it, as the second of two backslashes is."""
        if self._escape.first != "\\":
            return False
        run = offset
        while run > 0 and text[run - 1] == "\\":
            run -= 1
        return (offset - run) % 2 == 1

    def _undo(self, text: str) -> str:
        whole, _, first, meaning = self._escape
        if first not in text:
            self._given += len(text)
            return text
        splices = self.splices
        if splices is None:
            return whole.sub(meaning, text)
        assert self._keep is not None
        splices.forget(self._given - self._keep)
        pieces: list[str] = []
        offset = 0
        for match in whole.finditer(text):
            new = meaning(match)
            if new == match[0]:
                continue
            if offset < match.start():
                pieces.append(text[offset : match.start()])
            self._given += match.start() - offset
            splices.replace(self._given, len(match[0]), len(new))
            pieces.append(new)
            self._given += len(new)
            offset = match.end()
        pieces.append(text[offset:])
        self._given += len(text) - offset
        return "".join(pieces)
