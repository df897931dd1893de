"""Plain text: a content as one document, with its escapes undone if asked for.

It holds besides:

- escapes of the carrier, undone in a stream of text (RFC 3987 5.2: any higher-level escaping is undone first). Only
  complete escapes are undone; any other text is unchanged. `%41` is not an escape of the carrier but part of a URI.
- strings of UTF-16 in files that are not text: their characters of ASCII without the NULs between them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.records.base import Location
from urisieve.sources.bytes.decoding import DEFAULT_KEEP, ByteDecoder, count_stray
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.selections import Splices, selected
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document
from urisieve.sources.reading_options import Carrier
from urisieve.sources.tally import Tally


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

    def pieces(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield the text of all pieces."""
        yield from map(self.feed, texts)
        yield self.close()

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


def text_document(
    content: Content,
    *,
    encoding: str | None = None,
    carriers: Iterable[Carrier | str] = (),
    has_wide: bool = False,
    keep: int | None = DEFAULT_KEEP,
    tally: Tally | None = None,
) -> Document:
    """Return all of a content as one text.

    Args:
        content: the bytes.
        encoding: the name of a codec, as for `ByteDecoder`.
        carriers: the carriers whose escapes are undone, the outermost first.
        has_wide: whether strings of UTF-16 in it become text, as a program holds them.
        keep: the number of characters back for which the way to bytes is kept; None to do without it.
        tally: counts bytes that do not decode.

    Iterating its text raises `InputError` if reading fails or the text is cut: an undecided candidate is cut then, too.

    Raises:
        UsageError: the encoding is not known.
    """
    if not carriers and not has_wide and isinstance(content.blocks, tuple):
        return _in_memory(content, encoding, keep, tally)
    decoder = ByteDecoder(encoding, keep=keep)
    changes: list[Unescaper | WideStrings] = [Unescaper(carrier, keep=keep) for carrier in carriers]
    if has_wide:
        changes.insert(0, WideStrings(keep=keep))

    def text() -> Iterator[str]:
        for block in content.blocks:
            piece = decoder.feed(block)
            for change in changes:
                piece = change.feed(piece)
            yield piece
        piece = decoder.close()
        for change in changes:
            piece = change.feed(piece) + change.close()
        yield piece
        if tally is not None:
            count_stray(tally, content.source, decoder)

    def way_back() -> OffsetMap | None:
        outer = decoder.offsets
        for change in changes:
            outer = selected(outer, change.splices)
        return outer

    return Document(
        source=content.source,
        text=text(),
        place=Location(),
        offsets=way_back,
        legacy=not find_encoding(encoding).is_unicode,
    )


def _in_memory(content: Content, encoding: str | None, keep: int | None, tally: Tally | None) -> Document:
    """Return a content that is in memory as a text that is, too."""
    data = b"".join(content.blocks)
    decoder: ByteDecoder | None = None
    if encoding is None and data.isascii() and b"\0" not in data:
        text = data.decode("ascii")
    else:
        decoder = ByteDecoder(encoding, keep=keep)
        text = decoder.whole(data)
        if tally is not None:
            count_stray(tally, content.source, decoder)

    def way_back() -> OffsetMap | None:
        if decoder is not None or keep is None:
            return None if decoder is None else decoder.offsets
        offsets = OffsetMap()
        offsets.add_uniform(len(text), 1)
        return offsets

    return Document(
        source=content.source,
        text=(text,),
        place=Location(),
        offsets=way_back,
        legacy=encoding is not None and not find_encoding(encoding).is_unicode,
        in_memory=max(1, len(text)),
    )


# So many characters, each with a NUL behind it, are a string; in the other byte order the NUL before it is passed over.
_FEWEST: Final = 4
_PAIRS: Final = re.compile(r"(?:[ -~]\0)*")
_STRING: Final = re.compile(rf"(?:[ -~]\0){{{_FEWEST},}}")
# The beginning of a string that the end of a piece cuts.
_BEGUN: Final = re.compile(rf"(?:[ -~]\0){{0,{_FEWEST - 1}}}[ -~]?\Z")


class WideStrings:
    """Takes the NULs out of such strings: `feed` each piece of the text in turn, then `close`.

    The text is the same however it is cut. `splices` is the way back to the text as it was.

    Args:
        keep: the number of characters back for which the way back is kept; None to do without it.
    """

    def __init__(self, *, keep: int | None = None) -> None:
        self._keep = keep
        self.splices: Splices | None = None if keep is None else Splices()
        self._held = ""
        self._is_inside = False
        self._given = 0

    def feed(self, text: str) -> str:
        """Take the next piece; return the text that is decided."""
        text = self._held + text
        if "\0" not in text and not self._is_inside:
            self._held = text[-1:]
            return self._plain(text[:-1])
        if self.splices is not None and self._keep is not None:
            self.splices.forget(self._given - self._keep)
        pieces = []
        offset = 0
        if self._is_inside:
            pairs = _PAIRS.match(text)
            offset = 0 if pairs is None else pairs.end()
            pieces.append(self._string(text[:offset]))
        for found in _STRING.finditer(text, offset):
            pieces += [self._plain(text[offset : found.start()]), self._string(found[0])]
            offset = found.end()
        rest = text[offset:]
        self._is_inside = (self._is_inside or offset > 0) and len(rest) < 2 and (not rest or " " <= rest <= "~")
        begun = _BEGUN.search(text, max(offset, len(text) - 2 * _FEWEST + 1))
        end = len(text) if begun is None else begun.start()
        self._held = text[end:]
        return "".join([*pieces, self._plain(text[offset:end])])

    def close(self) -> str:
        """Return the rest of the text."""
        text, self._held = self._held, ""
        return self._plain(text)

    def _plain(self, text: str) -> str:
        self._given += len(text)
        return text

    def _string(self, text: str) -> str:
        if self.splices is not None:
            for index in range(len(text) // 2):
                self.splices.replace(self._given + index, 2, 1)
        return self._plain(text[::2])
