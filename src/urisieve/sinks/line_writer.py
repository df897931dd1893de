"""Batches as lines: JSON lines, one record or rejection a line by the schema of `as_dict`, and the lines of tables.

The lines of plain records differ in a few fields only. Therefore the line of a model record, as `as_dict` and the
notation define it, is cut at these fields, and the pieces are put together around the values of each record: 1.0 us for
a link with JSON, against 9 (measured on CPython 3.11). A record that is not plain is written from its dictionary. The
schema stands in `as_dict` alone, and a notation in the function that writes a row; the tests compare both ways.

What the compiled kernel has found it writes itself, around the same pieces; it leaves some rows to Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from json.encoder import JSONEncoder, encode_basestring

from urisieve.codes import Warn
from urisieve.lean.hints import TYPE_CHECKING, Any, Final
from urisieve.lean.patterns import lazy_compile
from urisieve.lean.values import NamedTuple
from urisieve.printable import printable
from urisieve.records.batch import COLUMNS, Batch, ByteSpans
from urisieve.records.fields import RecordFields
from urisieve.records.harvested import KERNEL_WARNINGS
from urisieve.records.location import Location
from urisieve.records.record import Record, make_record
from urisieve.records.rejection import Rejection
from urisieve.syntax.components import HostKind, host_kind

if TYPE_CHECKING:
    from urisieve.kernel import kernel

__all__ = ["JSON", "LineWriter", "Notation", "json_line", "model_row", "placed_row", "shown_row"]

_encode: Final = JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
# The characters that JSON need not escape (RFC 8259 7), and that `printable` replaces all the same.
_DRIVING: Final = lazy_compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
# Fields that hold names of files and of things in them.
_NAMES: Final = ("source", "message_id", "part", "field")


def json_line(row: object) -> str:
    """Return a row as JSON, without the end of the line."""
    line = _encode(row)
    if (line.isascii() and "\x7f" not in line) or _DRIVING.search(line) is None:
        return line
    return _DRIVING.sub(lambda found: f"\\u{ord(found[0]):04x}", line)


def shown_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as people may be shown it: no name in it can control a terminal or end a line."""
    return {
        name: printable(value) if isinstance(value, str) and name.endswith(_NAMES) else value
        for name, value in row.items()
    }


class Notation(NamedTuple):
    """The way in which a row is written as a line.

    The characters of a URI (RFC 3986 2) stand for themselves in it, but for `special`, and so do those beyond ASCII
    that an IRI may hold.
    """

    line: Callable[[dict[str, Any]], str]
    """Return the line of a row, with its end: the definition of the notation."""
    cell: Callable[[str], str | None]
    """Return the text of a value, without `quote`; None if the notation has to see the whole row."""
    quote: str
    """The text before and after a value that is a text."""
    null: str
    """The text of None."""
    special: str
    """A character of URIs that does not stand for itself; "" if all do."""


JSON: Final = Notation(
    line=lambda row: f"{json_line(row)}\n",
    cell=lambda text: encode_basestring(text)[1:-1] if text.isascii() else json_line(text)[1:-1],
    quote='"',
    null="null",
    special="",
)


def placed_row(value: Record | Rejection, spans: ByteSpans | None, *, parts: bool = False) -> dict[str, Any]:
    """Return the fields of a record or rejection, with its byte offsets from `spans`; see `as_dict` for `parts`."""
    row = value.as_dict(parts=parts)
    if spans is not None:
        row["byte_start"], row["byte_end"] = spans.span(value.start, value.end)
    return row


def model_row(
    source: str | None = None,
    location: Location | None = None,
    wrapper: str | None = None,
    warnings: tuple[Warn, ...] = (),
) -> dict[str, Any]:
    """Return the fields of a plain record."""
    row = RecordFields("a:", "a:", "a:", 0, 2, 1, 1, source, wrapper, warnings, location=location)
    return make_record(row).as_dict()


# The fields in which plain records with the same source, location, wrapper and warnings differ, in the order of the
# schema.
_DIFFERENT: Final = (
    *("raw", "uri", "iri", "key", "kind"),
    *("scheme", "userinfo", "host", "host_kind", "port", "path", "query", "fragment"),
    *("start", "end", "line", "column", "byte_start", "byte_end"),
)


def _pieces(
    notation: Notation,
    source: str | None = None,
    location: Location | None = None,
    wrapper: str | None = None,
    warnings: tuple[Warn, ...] = (),
) -> list[str]:
    """Return the text before, between and after the fields in which plain records differ, without their quotes."""
    constant = f"{source}{''.join(map(str, location or ()))}"
    mark = next(mark for mark in map(chr, count(0xE000)) if mark not in constant)
    row = model_row(source, location, wrapper, warnings)
    row.update(dict.fromkeys(_DIFFERENT, mark))
    return notation.line(row).split(f"{notation.quote}{mark}{notation.quote}")


class _Joints(NamedTuple):
    """The text before a value, after the value before it; quotes and absent fields are part of it."""

    raw: str
    uri: str
    iri: str
    key: str
    query: str
    fragment: str
    fragment_after_path: str
    start: str
    start_after_query: str
    start_after_path: str
    end: str
    line: str
    column: str
    byte_start: str
    byte_end: str


def _joints(notation: Notation, source: str | None, location: Location | None) -> _Joints:
    quote, null = notation.quote, notation.null
    raw, uri, iri, key, _, _, _, _, _, _, _, query, fragment, start, *numbers, _ = _pieces(notation, source, location)
    texts = [f"{quote}{piece}{quote}" for piece in (uri, iri, key, query, fragment)]
    fragment_after_path = f"{quote}{query}{null}{fragment}{quote}"
    starts = (f"{quote}{start}", f"{quote}{fragment}{null}{start}", f"{quote}{query}{null}{fragment}{null}{start}")
    return _Joints._make([raw + quote, *texts, fragment_after_path, *starts, *numbers])


# The part before the path, of a canonical identifier that is neither a URN nor one with an IP literal.
_HEAD: Final = lazy_compile(
    r"(?!urn:)([a-z][a-z0-9+.\-]*):(?://(?:([^/?#@\[\]]*+)@)?([^/?#@:\[\]]*+)(?::([0-9]*))?(?![^/?#])|(?!//))"
)
# The kind of these if the raw text is ASCII, and if it is not.
_KIND: Final = "uri"
_WIDE_KIND: Final = "iri"
_DIGITS: Final = frozenset("0123456789")
# The number of heads of a scheme that are remembered, and the length up to which they are: 5 MB each at most. With
# 4,096 a list of links to 6,700 hosts missed 31 of 100.
_HEADS: Final = 16_384
_LONG_HEAD: Final = 128
# The number of lines encoded at once: few, so that one with a character beyond ASCII, which makes all slow to copy, has
# few beside it, and that the memory is used again. 1.7 us a record against 1.9 with all lines of a block.
_TOGETHER: Final = 16
_NOTHING: Final[dict[str, str]] = {}
_PASSWORD: Final = Warn.PASSWORD_PRESENT
# The number of records of one location in a message or table for which it pays to cut their line: that costs as much
# as a few.
_FEW: Final = 6


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _listed(indices: Sequence[int] | None) -> list[int] | None:
    return None if indices is None else list(indices)


def _plain_characters(notation: Notation) -> bytes:
    """Return for each ASCII character whether it stands for itself in a text of a notation."""
    return bytes(
        " " <= character <= "~" and character != notation.special and notation.cell(character) == character
        for character in map(chr, range(128))
    )


def _plain_harvest(batch: Batch) -> kernel.Harvest | None:
    """Return what the kernel has found if it has all columns, and if it pays to cut a line for it."""
    harvest = batch.harvest
    if harvest is None or batch.spans is not None or len(batch.columns) < len(COLUMNS):
        return None
    return None if len(batch) < _FEW and batch.constant("location") is not None else harvest


class LineWriter:
    """Writes the records of one run as lines.

    Args:
        notation: how a row is written.
    """

    def __init__(self, notation: Notation) -> None:
        self._notation = notation
        quote = notation.quote
        _, _, _, _, kind, scheme, userinfo, host, host_kind, port, path, *_ = _pieces(notation)
        self._before_kind = f"{quote}{kind}{quote}"
        self._in_head = f"{quote}{scheme}{quote}", f"{quote}{userinfo}", host, host_kind, port, f"{path}{quote}"
        # By scheme and authority, or "" and scheme without one, the text between key and path; of those that
        # have no other form for people.
        self._heads: dict[str, dict[str, str]] = {"http": {}, "https": {}, "": {}}
        self._source: str | None = None
        self._location: Location | None = None
        self._joints = _joints(notation, None, None)
        # The text after the last value in lines of the source and location, by wrapper or by wrapper and warnings.
        self._tails: dict[object, str] = {}
        self._plain = _plain_characters(notation)
        words = (quote, notation.null, _KIND, _WIDE_KIND, str(HostKind.REG_NAME), str(HostKind.IPV4))
        self._words = tuple(map(_bytes, words))
        # The pieces of the model line for the kernel, in lines of the source and location.
        self._before: tuple[bytes, ...] | None = None

    def encoded(self, batch: Batch, indices: Sequence[int] | None = None) -> bytes:
        """Return the lines of some rows, or all, in UTF-8; a lone surrogate, which UTF-8 lacks, becomes an escape."""
        harvest = _plain_harvest(batch)
        if harvest is not None:
            return harvest.written(*self._model(batch, harvest), _listed(indices), self._others(batch))
        some = batch if indices is None else batch.select(indices)
        return b"".join([_bytes("".join(lines)) for lines in self._lines(some)])

    def each(self, batch: Batch, indices: Sequence[int] | None = None) -> list[bytes]:
        """Return the line of each of some rows, or of all, on its own."""
        harvest = _plain_harvest(batch)
        if harvest is not None:
            return harvest.each(*self._model(batch, harvest), _listed(indices), self._others(batch))
        some = batch if indices is None else batch.select(indices)
        return [_bytes(line) for lines in self._lines(some) for line in lines]

    def _model(
        self, batch: Batch, harvest: kernel.Harvest
    ) -> tuple[tuple[bytes, ...], tuple[bytes, ...], bytes, tuple[bytes, ...]]:
        """Return what the kernel needs to know of the lines of a batch."""
        source, location = batch.constant("source"), batch.constant("location")
        self._begin(source, location)
        if self._before is None:
            self._before = tuple(map(_bytes, _pieces(self._notation, source, location)[:-1]))
        tails = [self._tail(wrapper, KERNEL_WARNINGS[bits]) for wrapper, bits in harvest.endings()]
        return self._before, self._words, self._plain, tuple(map(_bytes, tails))

    def _others(self, batch: Batch) -> Callable[[list[int]], list[bytes]]:
        """Return a function that writes the rows at some indices without the kernel."""

        def lines(indices: list[int]) -> list[bytes]:
            return [_bytes(line) for lines in self._lines(batch.select(indices)) for line in lines]

        return lines

    def _lines(self, batch: Batch) -> Iterator[list[str]]:
        """Yield the lines of a batch, some at a time.

        This loop decides the speed of the output: it works on local names, and calls other functions for rare rows
        only.
        """
        spans = batch.spans
        rows = batch.unresolved_rows()
        if 0 < len(batch) < _FEW and batch.column("location")[0] is not None:
            yield [self._straight(batch.record_of(index, row), spans) for index, row in enumerate(rows)]
            return
        heads_of, tails, record_of = self._heads.get, self._tails, batch.record_of
        _, cell, _, null, special = self._notation
        kind_ = self._before_kind
        first = stop = 0  # from the one to the other byte offsets are arithmetic
        width, shift, as_characters = 1, 0, True
        known: object = self  # which is not a source
        known_location: object = None
        made: list[str] = []
        append = made.append
        for index, row in enumerate(rows):
            (raw, uri, key, start, end, line, column, source, wrapper, warnings, alternatives, byte_start, byte_end,
             location) = row  # fmt: skip
            tail_of = wrapper
            if warnings:
                # A record with alternatives has a warning. Without "//" the components of a masked identifier are not
                # those of its text: a password in SIP may hold "?".
                if alternatives or (_PASSWORD in warnings and "://" not in uri):
                    append(self._straight(record_of(index, row), spans))
                    continue
                tail_of = wrapper, warnings
            if source != known or location is not known_location:
                known = source
                known_location = location
                self._begin(source, location)
                (raw_, uri_, iri_, key_, query_, fragment_, path_fragment_, start_, query_start_, path_start_, end_,
                 line_, column_, byte_start_, byte_end_) = self._joints  # fmt: skip
            scheme, _, rest = uri.partition("://")
            authority, slash, rest = rest.partition("/")
            head = heads_of(scheme, _NOTHING).get(authority)
            iri = uri
            if head is None:
                plain = self._head(uri)
                if plain is None:
                    append(self._straight(record_of(index, row), spans))
                    continue
                head, rest = plain
                slash = ""
                if "%" in uri or "xn--" in uri:
                    iri = record_of(index, row).iri
            elif "%" in rest:
                iri = record_of(index, row).iri
            before_start = path_start_
            if "#" in rest:
                rest, _, fragment = rest.partition("#")
                before_fragment = fragment_ if "?" in rest else path_fragment_
                rest = f"{rest.replace('?', query_, 1)}{before_fragment}{fragment}"
                before_start = start_
            elif "?" in rest:
                rest = rest.replace("?", query_, 1)
                before_start = query_start_
            if raw is not uri or key is not uri or special:
                if raw is not uri:
                    if not raw.isascii():
                        head = f"{kind_}{record_of(index, row).kind}{head[len(kind_) + len(_KIND) :]}"
                    raw = cell(raw)
                if key is not uri:
                    key = cell(key)
                if raw is None or key is None or (special and special in uri):
                    append(self._straight(record_of(index, row), spans))
                    continue
            if first <= start and end < stop:
                if as_characters:
                    start = byte_start = f"{start}"
                    end = byte_end = f"{end}"
                else:
                    byte_start = start * width + shift
                    byte_end = end * width + shift
            elif spans is not None:
                byte_start, byte_end = spans.span(start, end)
                first, stop, width, shift = spans.stretch(end)
                as_characters = width == 1 and shift == 0
            elif byte_start is None:
                byte_start = byte_end = null
            tail = tails.get(tail_of)
            if tail is None:
                tail = self._tail(wrapper, warnings)
            append(
                f"{raw_}{raw}{uri_}{uri}{iri_}{iri}{key_}{key}{head}{slash}{rest}{before_start}{start}{end_}{end}"
                f"{line_}{line}{column_}{column}{byte_start_}{byte_start}{byte_end_}{byte_end}{tail}"
            )
            if len(made) == _TOGETHER:
                yield made
                made.clear()
        yield made

    def _begin(self, source: str | None, location: Location | None) -> None:
        """Begin another source, or another location in it."""
        if source != self._source or location is not self._location:
            self._source = source
            self._location = location
            self._joints = _joints(self._notation, source, location)
            self._tails.clear()
            self._before = None

    def _tail(self, wrapper: str | None, warnings: tuple[Warn, ...]) -> str:
        """Return the text after the last value, in lines of the source and location."""
        tail_of = (wrapper, warnings) if warnings else wrapper
        tail = self._tails.get(tail_of)
        if tail is None:
            pieces = _pieces(self._notation, self._source, self._location, wrapper, warnings)
            tail = self._tails[tail_of] = pieces[-1]
        return tail

    def _head(self, uri: str) -> tuple[str, str] | None:
        """Return the text between key and path, and all from the path on; None for an identifier that is not plain."""
        scheme, _, rest = uri.partition(":")
        if rest[:2] != "//":
            head = self._heads[""].get(scheme)
            if head is not None:
                return head, rest
        match = _HEAD.match(uri)
        if match is None:
            return None
        quote, null = self._notation.quote, self._notation.null
        scheme, userinfo, host, port = match.groups()
        if host is None:
            kind_text = null
        elif host[-1:] in _DIGITS:
            kind_text = f"{quote}{host_kind(host)}{quote}"
        else:
            kind_text = f"{quote}{HostKind.REG_NAME}{quote}"
        userinfo_text, host_text, port_text = (
            null if text is None else f"{quote}{text}{quote}" for text in (userinfo, host, port)
        )
        scheme_, userinfo_, host_, host_kind_, port_, path_ = self._in_head
        head = (
            f"{self._before_kind}{_KIND}{scheme_}{scheme}{userinfo_}{userinfo_text}{host_}{host_text}"
            f"{host_kind_}{kind_text}{port_}{port_text}{path_}"
        )
        cut = match.end()
        heads, name = ("", scheme) if host is None else (scheme, uri[len(scheme) + 3 : cut])
        if heads in self._heads and cut <= _LONG_HEAD and "xn--" not in name and "%" not in name:
            remembered = self._heads[heads]
            if len(remembered) == _HEADS:
                remembered.clear()
            remembered[name] = head
        return head, uri[cut:]

    def _straight(self, record: Record, spans: ByteSpans | None) -> str:
        return self._notation.line(placed_row(record, spans))
