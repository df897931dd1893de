"""Records as lines: JSON lines, one record or rejection a line by the schema of `as_dict`, and the lines of tables.

The lines of plain records differ in a few fields only. So the line of a model record, as `as_dict` and the notation
give it, is cut at these fields, and the pieces are put together around the values of each record: 1.0 us for a link
with JSON, against 9 (measured on CPython 3.11). A record that is not plain takes the straight way. The schema stands
in `as_dict` alone, and a notation in the function that writes a row; the tests compare both ways.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import count
from json.encoder import JSONEncoder, encode_basestring
from typing import Any, Final, NamedTuple

from urisieve.codes import Warn
from urisieve.printable import printable
from urisieve.records.location import Location
from urisieve.records.record import Record, make_record
from urisieve.records.rejection import Rejection
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.syntax.components import HostKind, host_kind

__all__ = ["JSON", "LineWriter", "Notation", "json_line", "model_row", "placed_row", "shown_row"]

_encode: Final = JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
# What JSON need not escape (RFC 8259 7), and `printable` replaces all the same.
_DRIVING: Final = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
# Fields that hold names of files and of what is in them.
_NAMES: Final = ("source", "message_id", "part", "field")


def json_line(row: object) -> str:
    """A row as JSON, without the end of the line."""
    line = _encode(row)
    if (line.isascii() and "\x7f" not in line) or _DRIVING.search(line) is None:
        return line
    return _DRIVING.sub(lambda found: f"\\u{ord(found[0]):04x}", line)


def shown_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row as people may be shown it: what names hold neither drives a terminal nor ends a line."""
    return {
        name: printable(value) if isinstance(value, str) and name.endswith(_NAMES) else value
        for name, value in row.items()
    }


class Notation(NamedTuple):
    """How a row is written as a line.

    The characters of a URI (RFC 3986 2) stand for themselves in it, but for `special`, and so do those beyond ASCII
    that an IRI may hold.
    """

    line: Callable[[dict[str, Any]], str]
    """The line of a row, with its end: the definition of the notation."""
    cell: Callable[[str], str | None]
    """What stands for a text, without `quote`; None where the notation has to see the whole row."""
    quote: str
    """What stands before and after a text."""
    null: str
    """What stands for None."""
    special: str
    """A character of URIs that does not stand for itself; "" if all do."""


JSON: Final = Notation(
    line=lambda row: f"{json_line(row)}\n",
    cell=lambda text: encode_basestring(text)[1:-1] if text.isascii() else json_line(text)[1:-1],
    quote='"',
    null="null",
    special="",
)


def placed_row(value: Record | Rejection, offsets: OffsetMap | None) -> dict[str, Any]:
    """The fields of a record or rejection, with its place in the bytes that `offsets` leads back to."""
    row = value.as_dict()
    if offsets is not None:
        row["byte_start"], row["byte_end"] = offsets.span(value.start, value.end)
    return row


def model_row(
    source: str | None = None,
    place: Location | None = None,
    wrapper: str | None = None,
    warnings: tuple[Warn, ...] = (),
) -> dict[str, Any]:
    """The fields of a plain record."""
    fields = ("a:", "a:", "a:", 0, 2, 1, 1, source, wrapper, warnings, (), None, None, place)
    return make_record(fields, None).as_dict()


# The fields in which plain records differ that have source, place, wrapper and warnings in common, in the order of the
# schema.
_DIFFERENT: Final = (
    *("raw", "uri", "iri", "key", "kind"),
    *("scheme", "userinfo", "host", "host_kind", "port", "path", "query", "fragment"),
    *("start", "end", "line", "column", "byte_start", "byte_end"),
)


def _pieces(
    notation: Notation,
    source: str | None = None,
    place: Location | None = None,
    wrapper: str | None = None,
    warnings: tuple[Warn, ...] = (),
) -> list[str]:
    """What stands before, between and after the fields in which plain records differ; no quotes around these."""
    constant = f"{source}{place}"
    mark = next(mark for mark in map(chr, count(0xE000)) if mark not in constant)
    row = model_row(source, place, wrapper, warnings)
    row.update(dict.fromkeys(_DIFFERENT, mark))
    return notation.line(row).split(f"{notation.quote}{mark}{notation.quote}")


class _Joints(NamedTuple):
    """What stands before a value, after the one that is there before it; quotes and absent fields are in it."""

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


def _joints(notation: Notation, source: str | None, place: Location | None) -> _Joints:
    quote, null = notation.quote, notation.null
    raw, uri, iri, key, _, _, _, _, _, _, _, query, fragment, start, *numbers, _ = _pieces(notation, source, place)
    texts = [f"{quote}{piece}{quote}" for piece in (uri, iri, key, query, fragment)]
    fragment_after_path = f"{quote}{query}{null}{fragment}{quote}"
    starts = (f"{quote}{start}", f"{quote}{fragment}{null}{start}", f"{quote}{query}{null}{fragment}{null}{start}")
    return _Joints._make([raw + quote, *texts, fragment_after_path, *starts, *numbers])


# All before the path, of a canonical identifier that is no URN and has no IP literal.
_HEAD: Final = re.compile(
    r"(?!urn:)([a-z][a-z0-9+.\-]*):(?://(?:([^/?#@\[\]]*+)@)?([^/?#@:\[\]]*+)(?::([0-9]*))?(?![^/?#])|(?!//))"
)
# Their kind where the raw text is ASCII.
_KIND: Final = "uri"
_DIGITS: Final = frozenset("0123456789")
# How many heads of a scheme are remembered, and up to which length: 5 MB each at most. With 4,096 a list of links to
# 6,700 hosts missed 31 of 100.
_HEADS: Final = 16_384
_LONG_HEAD: Final = 128
# How many lines are encoded at once: few, so that one with a character beyond ASCII, which makes all dear to copy, has
# few beside it, and that the memory is used again. 1.7 us a record against 1.9 with all lines of a block.
_TOGETHER: Final = 16
_NOTHING: Final[dict[str, str]] = {}
# Records of one place in a message or table for which it pays to take its line apart: that costs as much as a few.
_FEW: Final = 6


class LineWriter:
    """Writes the records of one run as lines.

    Args:
        notation: how a row is written.
        mask: gives a record as it may be written; it is asked for those with warnings.
    """

    def __init__(self, notation: Notation, mask: Callable[[Record], Record]) -> None:
        self._notation = notation
        self._mask = mask
        quote = notation.quote
        _, _, _, _, kind, scheme, userinfo, host, host_kind, port, path, *_ = _pieces(notation)
        self._before_kind = f"{quote}{kind}{quote}"
        self._in_head = f"{quote}{scheme}{quote}", f"{quote}{userinfo}", host, host_kind, port, f"{path}{quote}"
        # By scheme and authority, or "" and scheme where there is none, what stands between key and path; of those that
        # have no other form for people.
        self._heads: dict[str, dict[str, str]] = {"http": {}, "https": {}, "": {}}
        self._source: str | None = None
        self._place: Location | None = None
        self._joints = _joints(notation, None, None)
        # What stands after the last value in lines of the source and place, by wrapper or by wrapper and warnings.
        self._tails: dict[object, str] = {}

    def encoded(self, records: Sequence[Record], offsets: OffsetMap | None) -> bytes:
        """The lines of records in UTF-8; a lone surrogate, which has none there, is written as an escape.

        This loop decides the speed of the output: it works on local names and calls what is ours for rare records only.
        """
        if 0 < len(records) < _FEW and records[0]._fields[-1] is not None:
            mask = self._mask
            lines = [self._straight(mask(record) if record.warnings else record, offsets) for record in records]
            return "".join(lines).encode("utf-8", "backslashreplace")
        heads_of, tails, mask = self._heads.get, self._tails, self._mask
        _, cell, _, null, special = self._notation
        kind_ = self._before_kind
        first = stop = 0  # from the one to the other places of bytes are arithmetic
        width, shift, as_characters = 1, 0, True
        known: object = self  # which is no source
        known_place: object = None
        made: list[str] = []
        append = made.append
        blocks = []
        for number in range(0, len(records), _TOGETHER):
            for record in records[number : number + _TOGETHER]:
                (raw, uri, key, start, end, line, column, source, wrapper, warnings, _, byte_start, byte_end,
                 place) = record._fields  # fmt: skip
                tail_of = wrapper
                if warnings:
                    given = record
                    record = mask(given)
                    raw, uri, key, *_, alternatives, _, _, _ = record._fields
                    # What has alternatives has a warning. Without "//" the parts of what is masked are not those of its
                    # text: a password in SIP may hold "?".
                    if alternatives or (record is not given and "://" not in uri):
                        append(self._straight(record, offsets))
                        continue
                    tail_of = wrapper, warnings
                if source != known or place is not known_place:
                    known = source
                    known_place = place
                    self._begin(source, place)
                    (raw_, uri_, iri_, key_, query_, fragment_, path_fragment_, start_, query_start_, path_start_, end_,
                     line_, column_, byte_start_, byte_end_) = self._joints  # fmt: skip
                scheme, _, rest = uri.partition("://")
                authority, slash, rest = rest.partition("/")
                head = heads_of(scheme, _NOTHING).get(authority)
                iri = uri
                if head is None:
                    plain = self._head(uri)
                    if plain is None:
                        append(self._straight(record, offsets))
                        continue
                    head, rest = plain
                    slash = ""
                    if "%" in uri or "xn--" in uri:
                        iri = record.iri
                elif "%" in rest:
                    iri = record.iri
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
                            head = f"{kind_}{record.kind}{head[len(kind_) + len(_KIND) :]}"
                        raw = cell(raw)
                    if key is not uri:
                        key = cell(key)
                    if raw is None or key is None or (special and special in uri):
                        append(self._straight(record, offsets))
                        continue
                if first <= start and end < stop:
                    if as_characters:
                        start = byte_start = f"{start}"
                        end = byte_end = f"{end}"
                    else:
                        byte_start = start * width + shift
                        byte_end = end * width + shift
                elif offsets is not None:
                    byte_start, byte_end = offsets.span(start, end)
                    first, stop, width, shift = offsets.stretch(end)
                    as_characters = width == 1 and shift == 0
                elif byte_start is None:
                    byte_start = byte_end = null
                tail = tails.get(tail_of)
                if tail is None:
                    tail = tails[tail_of] = _pieces(self._notation, source, place, wrapper, warnings)[-1]
                append(
                    f"{raw_}{raw}{uri_}{uri}{iri_}{iri}{key_}{key}{head}{slash}{rest}{before_start}{start}{end_}{end}"
                    f"{line_}{line}{column_}{column}{byte_start_}{byte_start}{byte_end_}{byte_end}{tail}"
                )
            blocks.append("".join(made).encode("utf-8", "backslashreplace"))
            made.clear()
        return b"".join(blocks)

    def _begin(self, source: str | None, place: Location | None) -> None:
        """Take up another source, or another place in it."""
        if source != self._source or place is not self._place:
            self._source = source
            self._place = place
            self._joints = _joints(self._notation, source, place)
            self._tails.clear()

    def _head(self, uri: str) -> tuple[str, str] | None:
        """What stands between key and path, and all from the path on; None for what is not plain."""
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

    def _straight(self, record: Record, offsets: OffsetMap | None) -> str:
        return self._notation.line(placed_row(record, offsets))
