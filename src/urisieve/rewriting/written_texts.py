"""New texts as their carrier writes them: only what differs is written, and the rest of the bytes stays.

A text stands in its carrier in one or several notations, one inside the other: HTML in a string of JSON. Those in which
the bytes are read as the text are tried from the simplest on. Where several are possible, and would write the new text
in different ways, what stands around it decides; where nothing decides, the text is not written.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, TypeAlias, dataclass
from urisieve.rewriting.markup_places import MarkupPlaces, declared_codec
from urisieve.rewriting.table_rows import QuotedCells
from urisieve.sources.bytes.carrier_notations import NOTATIONS, DecodedText
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.bytes.source_map import SourceMap, composed
from urisieve.sources.kinds.kind_table import Kind, ReaderRow

if TYPE_CHECKING:
    from mmap import mmap

# The notations of a text, the outermost first.
_Chain = tuple[str, ...]
_AS_WRITTEN: Final[_Chain] = ()
_STRINGS: Final[tuple[_Chain, ...]] = (
    ("json",),
    ("json", "html"),
    ("json", "json"),
    ("json", "json", "html"),
    ("json", "json", "json"),
)
_CELLS: Final[tuple[_Chain, ...]] = (("quotes",), ("quotes", "html"), *(("quotes", *chain) for chain in _STRINGS[:4]))
_MARKUP: Final[tuple[_Chain, ...]] = (
    ("html",),
    _AS_WRITTEN,
    ("html", "html"),
    *(("html", *chain) for chain in _STRINGS[:3]),
    *_STRINGS[:2],
)
_MAIL: Final[tuple[_Chain, ...]] = (_AS_WRITTEN, ("html",), ("json",), ("html", "html"))
# The notations in which texts of a kind may stand: the kinds that can be written.
CHAINS: Final[dict[ReaderRow, tuple[_Chain, ...]]] = {
    Kind.TEXT: (_AS_WRITTEN,),
    Kind.JSON: _STRINGS,
    Kind.JSONL: _STRINGS,
    Kind.CSV: _CELLS,
    Kind.TSV: _CELLS,
    Kind.HTML: _MARKUP,
    Kind.XML: _MARKUP,
    Kind.MAIL: _MAIL,
    Kind.MBOX: _MAIL,
}
# By what a text in markup stands in; what is not here has none.
_NOTATION_INSIDE: Final[dict[str, _Chain]] = {"": ("html",), "script": ("json",), "cdata": _AS_WRITTEN}
_WIDE: Final = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
# How far back what decides is looked for, in bytes.
_REACH: Final = 65_536
# How many pieces of new texts are remembered as they are written: most replacements write the same again and again.
_REMEMBERED: Final = 1_024
# A string that has markup in it, and signs of that in what is written.
_TAG: Final = re.compile(r"<[A-Za-z!/][^<>]*>")
_TAG_SIGNS: Final = (b"<", b"&", b"\\u003")
_TAG_END: Final = re.compile(b">|<!\\[CDATA\\[")
_QUOTE: Final = re.compile(rb'(?<!\\)(?:\\\\)*"')
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_BLANK: Final = re.compile(r"[ \t\n\f\r]")
# A text without any of these is the same in all notations.
_ESCAPES: Final = re.compile(r'[\\&" \t\n\f\r]')
# The beginning of a tag that may end after the text.
_OPEN_TAG: Final = re.compile(r"<(?:[A-Za-z!/][^<>]*)?\Z")
# A link without a path, and what would be part of it after a slash: a letter or the like; it may be an escape.
_NO_PATH: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*/")
_JOINING: Final = re.compile(r"[~!$&'*+,;=:@%.-]*(?:\w|[^\x00-\x7f\s])")
_UNIT: Final = re.compile(r"\\+u([0-9A-Fa-f]{4})")
_AFTER: Final = 64  # bytes of an escape, or of some
# What each notation writes as it is.
_PLAIN: Final = re.compile(r"[]!#$%(-;=?-\[^_`a-z{|}~]*")


class ByteChange(NamedTuple):
    """Bytes in the place of others.

    Attributes:
        start: the offset of the first byte that is replaced.
        end: the offset after the last one; the same as `start` for none.
        data: what is written.
        rank: its place among changes of the same bytes.
    """

    start: int
    end: int
    data: bytes
    rank: int = 1

    def moved(self, by: int) -> ByteChange:
        """Return the change that many bytes later."""
        return self._replace(start=self.start + by, end=self.end + by)


class StoredPart(NamedTuple):
    """A part of a message that stands there as it is.

    Attributes:
        start: the offset of its first byte.
        end: the offset after its last one.
        is_page: whether it is HTML.
        codec: the codec of its text.
    """

    start: int
    end: int
    is_page: bool
    codec: str


# Returns what is to be changed so that a text is another one: the offsets of its bytes, the text, the other one, and
# the field of its location are given. None if there is no sure way.
Write: TypeAlias = "Callable[[int, int, str, str, str | None], Sequence[ByteChange] | None]"


def spliced(
    data: bytes | mmap, changes: Iterable[ByteChange], *, end: int | None = None, base: int = 0
) -> Iterator[bytes]:
    """Yield bytes with changes, which are in their order and do not overlap.

    >>> b"".join(spliced(b"abcd", [ByteChange(1, 2, b"X"), ByteChange(4, 4, b"!")]))
    b'aXcd!'

    Args:
        data: the bytes.
        changes: the changes.
        end: how many of the bytes count; None for all.
        base: the offset of the first byte in that of which the changes are.
    """
    start = 0
    for first, last, new, _ in changes:
        if first - base > start:
            yield data[start : first - base]
        if new:
            yield new
        start = last - base
    if start < (len(data) if end is None else end):
        yield data[start:end]


@dataclass(slots=True)
class _StringSoFar:
    """The string that the last text was in, as far as it was looked at.

    Attributes:
        end: the offset of that text, up to which the string was looked at.
        has_markup: whether it has a tag there.
        open_tag: how a tag begins that has not ended there.
    """

    end: int = 0
    has_markup: bool = False
    open_tag: str = ""


class WrittenTexts:
    """Writes new texts into bytes of one kind.

    Args:
        kind: the kind that the bytes are read as, one of `CHAINS`.
        data: the bytes, from the beginning of a row on if they are of a table.
        encoding: the codec that is asked for; None for what the bytes show.
        delimiter: what is between the cells of a table.
        parts: the parts of mail that stand there as they are; None for the content of one that is encoded.
        codec: the codec that is tried first; None for the one that is declared.
        is_link: whether the new texts are links; see `fitting`.
    """

    def __init__(
        self,
        kind: ReaderRow,
        data: bytes | mmap,
        *,
        encoding: str | None = None,
        delimiter: str = ",",
        parts: Sequence[StoredPart] | None = (),
        codec: str | None = None,
        is_link: bool = False,
    ) -> None:
        self._kind = kind
        self._is_link = is_link
        self._data = data
        self._chains = CHAINS[kind]
        self._encoding = None if encoding is None else find_encoding(encoding).name
        declared = declared_codec(data) if encoding is None and self._chains is _MARKUP else None
        self._codec = self._encoding or codec or declared or "utf-8"
        self._delimiter = delimiter.encode()
        self._parts = parts
        self._part: StoredPart | None = None  # in which the last text is
        self._places = MarkupPlaces(data, is_xml=kind is Kind.XML)
        self._cells = QuotedCells(self._delimiter)
        self._seen = 0  # how many bytes it has taken
        self._string = _StringSoFar()

    def __call__(self, start: int, end: int, raw: str, new: str, field: str | None) -> Sequence[ByteChange] | None:
        """Return what is to be changed so that a text is another one; None if there is no sure way. See `Write`.

        Args:
            start: the offset of its first byte.
            end: the offset after its last one.
            raw: the text.
            new: the other one.
            field: the field of its location.
        """
        old = self._data[start:end]
        if self._chains is _MAIL:
            self._find_part(start)
        if self._is_link:
            new = fitting(raw, new, self._data, end, self._codec)
        if not new and _is_attribute(field) and self._data[max(0, start - 9) : start].rstrip().endswith(b"="):
            return None  # the next attribute would become the value
        is_written = old.isascii() and old == raw.encode("utf-8", "surrogateescape")
        if is_written and self._chains is not _CELLS and _PLAIN.fullmatch(new):
            return [ByteChange(start, end, new.encode())]
        pieces = _differences(raw, new)
        is_plain = all(_PLAIN.fullmatch(piece) for *_, piece in pieces)
        if self._chains is _CELLS:
            is_plain = is_plain and not any(self._delimiter.decode() in piece for *_, piece in pieces)
        if is_plain and is_written:
            return [ByteChange(start + first, start + last, piece.encode()) for first, last, piece in pieces]
        for codec in self._codecs():
            text = _text_of(old, codec)
            ways = {} if text is None else self._ways(text, raw, most=1 if is_plain else len(self._chains))
            if text is not None and ways:
                self._codec = codec
                return self._written(start, text, ways, pieces, raw, new, field)
        return None

    def _ways(self, text: str, raw: str, most: int) -> dict[_Chain, DecodedText]:
        """Return the notations in which something that is written is read as a text, with the maps; at most so many.

        White space inside a link is no part of it (RFC 3986, Appendix C; HTML).
        """
        if not _ESCAPES.search(text):
            return dict.fromkeys(self._chains[:most], DecodedText(text, SourceMap())) if text == raw else {}
        found: dict[_Chain, DecodedText] = {}
        for chain in self._chains:
            decoded = _decoded(chain, text)
            if decoded.text != raw and _BLANK.search(decoded.text):
                decoded = _joined(decoded)
            if decoded.text == raw:
                found[chain] = decoded
                if len(found) == most:
                    break
        return found

    def _codecs(self) -> Iterator[str]:
        """Yield the codecs that the bytes may be in."""
        yield self._codec
        if self._encoding is None or self._encoding in _WIDE:  # a mark says which
            yield from ("utf-8", *_WIDE, "cp1252")

    def _written(
        self,
        start: int,
        text: str,
        ways: dict[_Chain, DecodedText],
        pieces: Sequence[tuple[int, int, str]],
        raw: str,
        new: str,
        field: str | None,
    ) -> Sequence[ByteChange] | None:
        """Return the changes of a text by the notations that it may be in."""
        is_attribute = _is_attribute(field)
        encoded = {
            chain: tuple(_encoded(chain, piece, is_attribute, self._chains is not _STRINGS) for *_, piece in pieces)
            for chain in ways
        }
        chain = next(iter(ways))
        if len(set(encoded.values())) > 1:
            standing = self._standing(start, field)
            if standing not in ways:
                return None
            chain = standing
        source = ways[chain].source
        changes: list[ByteChange] = []
        made: list[str] = []
        done = 0
        for (first, last, _), piece in zip(pieces, encoded[chain], strict=True):
            begin = source.source(first) if first < len(raw) else len(text)
            end = source.source_end(last) if last > first else begin
            if piece is None:
                return None
            try:
                data = piece.encode(self._codec, "surrogateescape")
            except UnicodeError:
                return None
            sizes = [len(text[:at].encode(self._codec, "surrogateescape")) for at in (begin, end)]
            changes.append(ByteChange(start + sizes[0], start + sizes[1], data))
            made += (text[done:begin], piece)
            done = end
        again = _decoded(chain, "".join((*made, text[done:])))
        if again.text != new and _joined(again).text != new:
            return None
        if not self._keeps_place(changes):
            return None
        if self._chains is _CELLS and any(
            re.search(rb'["\r\n]|' + re.escape(self._delimiter), one.data) for one in changes
        ):
            return self._in_cell(changes)
        return changes

    def _keeps_place(self, changes: Sequence[ByteChange]) -> bool:
        """Report whether nothing that is written ends what it stands in."""
        if self._chains is _MAIL and self._parts is not None:  # a header field, a boundary, `From ` of a mailbox
            return not any(b"\n" in one.data or b"\r" in one.data for one in changes)
        if self._kind is not Kind.XML:
            return True
        if self._codec not in _WIDE and any(_CONTROL.search(one.data) for one in changes):
            return False  # XML 1.0 2.2 has none of these
        if not any(b">" in one.data for one in changes):
            return True
        begin, end = max(0, changes[0].start - 2), changes[-1].end + 2
        return b"]]>" not in b"".join(spliced(self._data[begin:end], changes, base=begin))

    # ------------------------------------------------------------ what stands around a text

    def _find_part(self, start: int) -> None:
        """Find the part of a message that a text is in."""
        found = next((part for part in self._parts or () if part.start <= start < part.end), None)
        if found is not self._part:
            self._part = found
            self._places.begin(0 if found is None else found.start)
            self._codec = self._encoding or (found and found.codec) or "utf-8"

    def _standing(self, start: int, field: str | None) -> _Chain | None:
        """Return the notations of a text by what stands around it; None if that does not decide."""
        inner = () if field is None else tuple("html" if "@" in one else "json" for one in field.split(" / ")[1:])
        if self._chains is _STRINGS:
            return ("json", *(inner or self._page_inside(start, ("json",), _QUOTE)))
        if self._chains is _CELLS:
            begin = re.compile(rb'(?:\A|[\r\n]|%b)"(?!")' % re.escape(self._delimiter))
            return ("quotes", *(inner or self._page_inside(start, ("quotes",), begin)))
        if self._chains is _MAIL and (self._part is None or not self._part.is_page):
            return _AS_WRITTEN
        outer = ("html",) if field is not None and "@" in field.partition(" / ")[0] else self._element(start)
        if outer is not None and self._kind is Kind.XML:
            inner = inner or self._page_inside(start, outer, _TAG_END)
        return None if outer is None else (*outer, *inner)

    def _page_inside(self, start: int, outer: _Chain, begin: re.Pattern[bytes]) -> _Chain:
        """Return the notation of HTML if a string has markup before a text; `begin` matches where it begins.

        Texts come in their order, so that each byte is looked at once.
        """
        string = self._string if start >= self._string.end else _StringSoFar()
        low = max(string.end, start - _REACH)
        begins = [found.end() for found in begin.finditer(self._data, low, start)]
        if begins or low > string.end:
            string, low = _StringSoFar(), max(begins, default=low)
        if not string.has_markup:
            written = self._data[low:start]
            text = string.open_tag
            if text or any(sign in written for sign in _TAG_SIGNS):
                text += _decoded(outer, written.decode("utf-8", "surrogateescape")).text
            string.has_markup = _TAG.search(text) is not None
            found = _OPEN_TAG.search(text)
            string.open_tag = "" if found is None else found[0][:2]
        string.end = start
        self._string = string
        return ("html",) if string.has_markup else ()

    def _element(self, start: int) -> _Chain | None:
        """Return the notation of a text that is in no attribute."""
        return _NOTATION_INSIDE.get(self._places.around(start))

    def _in_cell(self, changes: list[ByteChange]) -> Sequence[ByteChange] | None:
        """Return changes in a cell that is in quotation marks then; None if it cannot be."""
        data, start = self._data, changes[0].start
        if self._codec in _WIDE or start < self._seen:
            return None
        self._cells.end(data, self._seen, start)
        self._seen = start
        if self._cells.is_inside:
            return changes
        marks = (self._delimiter, b"\n", b"\r")
        begin = max((at + len(mark) for mark in marks if (at := data.rfind(mark, 0, start)) >= 0), default=0)
        begin = begin or len(BOM_UTF8) * (data[: len(BOM_UTF8)] == BOM_UTF8)
        end = min((at for mark in marks if (at := data.find(mark, changes[-1].end)) >= 0), default=len(data))
        if b'"' in data[begin:end]:
            return None
        return [ByteChange(begin, begin, b'"', 0), *changes, ByteChange(end, end, b'"', 2)]


def fitting(raw: str, new: str, data: bytes | mmap, end: int, codec: str) -> str:
    """Return a new link without the slash that is its whole path, where what comes next would join it after that.

    >>> after = "\u3092".encode()
    >>> fitting("http://a.example", "http://a.example/", after, 0, "utf-8")
    'http://a.example'

    Args:
        raw: the old link.
        new: the new one.
        data: bytes of the carrier.
        end: the offset in them after the old link.
        codec: their codec.
    """
    if raw.endswith("/") or not _NO_PATH.fullmatch(new):
        return new
    after = data[end : end + _AFTER].decode(codec, "ignore")
    if "\\" in after:
        after = _UNIT.sub(lambda found: chr(int(found[1], 16)), after)
    if after.startswith("&"):
        from html import unescape

        after = unescape(after)
    return new.removesuffix("/") if _JOINING.match(after) else new


def _is_attribute(field: str | None) -> bool:
    return field is not None and "@" in field


def _text_of(data: bytes, codec: str) -> str | None:
    """Return bytes as a text that is written as these; None if there is none in this codec."""
    try:
        text = data.decode(codec, "surrogateescape")
        return text if text.encode(codec, "surrogateescape") == data else None
    except (UnicodeError, LookupError):
        return None


def _decoded(chain: _Chain, written: str) -> DecodedText:
    """Return the text that is written in some notations, and the map to what is written."""
    text, source = written, SourceMap()
    for notation in chain:
        found = NOTATIONS[notation].decode(text)
        inner = composed(source, found.source)
        assert inner is not None
        text, source = found.text, inner
    return DecodedText(text, source)


def _joined(decoded: DecodedText) -> DecodedText:
    """Return a text without white space, and its map."""
    source, start = SourceMap(), 0
    for blank in _BLANK.finditer(decoded.text):
        source.add(start, blank.start())
        start = blank.end()
    source.add(start, len(decoded.text))
    inner = composed(decoded.source, source)
    assert inner is not None
    return DecodedText(_BLANK.sub("", decoded.text), inner)


@lru_cache(_REMEMBERED)
def _encoded(chain: _Chain, text: str, is_attribute: bool, is_markup: bool) -> str | None:
    """Return how a text is written in some notations; None if it cannot be.

    Args:
        chain: the notations.
        text: the text.
        is_attribute: whether it stands in an attribute.
        is_markup: whether a string stands in a script, which `</script>` ends, and may have other quotation marks.
    """
    for notation in reversed(chain):
        try:
            text = NOTATIONS[notation].encode(text)
        except ValueError:
            return None
        if notation == "html" and is_attribute:  # which may be without quotation marks
            text = _BLANK.sub(lambda found: f"&#{ord(found[0])};", text)
    if is_markup and chain[:1] == ("json",):
        text = re.sub("[<'`]", lambda found: f"\\u{ord(found[0]):04x}", text)
    return text


def _differences(raw: str, new: str) -> list[tuple[int, int, str]]:
    """Return the start and end of what differs in a text, and what is there in the new one.

    >>> _differences("http://A.example/a", "http://a.example/a")
    [(7, 8, 'a')]
    >>> _differences("urn:a:b", "<urn:a:b>")
    [(0, 0, '<'), (7, 7, '>')]
    """
    before, same, after = new.partition(raw)
    if same:
        return [(at, at, piece) for at, piece in ((0, before), (len(raw), after)) if piece]
    shorter = min(len(raw), len(new))
    first = bisect_left(range(shorter), True, key=lambda at: raw[: at + 1] != new[: at + 1])
    rest = range(1, shorter - first + 1)
    same_end = bisect_left(rest, True, key=lambda size: raw[-size:] != new[-size:])
    return [(first, len(raw) - same_end, new[first : len(new) - same_end])]


def in_order(changes: Iterable[ByteChange]) -> list[ByteChange]:
    """Return changes in their order, each once."""
    return sorted(set(changes), key=lambda one: (one.start, one.end, one.rank))
