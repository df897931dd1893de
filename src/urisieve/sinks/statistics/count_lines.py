"""Counted keys as text, JSON lines and tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from urisieve.dedupe.counts import Appearance, KeyCount
from urisieve.lean import Any, Final
from urisieve.records.base import NOWHERE, PLACE_NAMES, SCHEMA_VERSION, Location
from urisieve.records.layouts import encoded_text
from urisieve.records.mask import Mask
from urisieve.sinks.formats import Sort, json_line, shown_row
from urisieve.sinks.statistics.count_sink import CountSink
from urisieve.wording import printable

_TOGETHER: Final = 4_096
_NEVER: Final = Appearance(None, None, 0)
# The fields of a location that users are shown; a Message-ID is long.
_SHOWN: Final = ("message", "part", "field", "row")


def counted_row(counted: KeyCount, spellings: int) -> dict[str, Any]:
    """Return the fields of one key, in the order of the schema; `raws` if spellings are asked for."""
    row = {
        "schema": SCHEMA_VERSION,
        "key": counted.key,
        "uri": counted.uri,
        "count": counted.count,
        "sources": counted.sources,
        "spellings": len(counted.spellings),
    }
    for name, (source, location, start) in (("first", counted.first), ("last", counted.last)):
        row[f"{name}_source"] = source
        for part, value in zip(PLACE_NAMES, location or NOWHERE, strict=False):
            row[f"{name}_{part}"] = value
        row[f"{name}_start"] = start
    if spellings:
        row["raws"] = list(counted.spellings[:spellings])
    return row


def counted_names(spellings: int) -> list[str]:
    """Return the names of the fields of `counted_row`."""
    return list(counted_row(KeyCount("", "", 0, 0, _NEVER, _NEVER, ()), spellings))


def kernel_lines(sink: CountSink, least: int, sort: Sort, *, counts: bool) -> Iterator[bytes] | None:
    """Return the counts of a sink as `counted_text` if the kernel has them."""
    lines = sink.lines(least, sort, _encoded_name if counts else None)
    return None if lines is None else map(_encoded, lines)


def shown_counts(rows: Iterable[KeyCount], mask: Mask) -> Iterator[KeyCount]:
    """Return counted keys, without what is hidden, as they are written."""
    return (_shown_count(one, mask) for one in rows) if mask.makes_values else iter(rows)


def _shown_count(counted: KeyCount, mask: Mask) -> KeyCount:
    uri = counted.uri
    first, last = (
        end if end.source is None else end._replace(source=mask.value("source", end.source))
        for end in (counted.first, counted.last)
    )
    forms = tuple(mask.value("raw", raw, uri) for raw in counted.spellings)
    key, uri = mask.value("key", counted.key), mask.value("uri", uri)
    return counted._replace(key=key, uri=uri, first=first, last=last, spellings=forms)


def _encoded_name(source: str | None) -> bytes:
    return _shown(source, None).encode("utf-8", "surrogatepass")


def _encoded(lines: bytes) -> bytes:
    """Return lines of the kernel as `encoded_text` has them: there may be lone surrogates in them, from ED on."""
    return encoded_text(lines.decode("utf-8", "surrogatepass")) if b"\xed" in lines else lines


def counted_text(rows: Iterable[KeyCount], *, counts: bool, spellings: int) -> Iterator[bytes]:
    """Yield counted keys as lines for users, some at a time; with `counts` in front if these are wanted."""
    for some in _some(rows):
        yield encoded_text("".join([_text(counted, counts, spellings) for counted in some]))


def counted_objects(rows: Iterable[KeyCount], spellings: int) -> Iterator[bytes]:
    """Yield counted keys as JSON lines, some at a time; half a surrogate pair is an escape, as JSON allows."""
    for some in _some(rows):
        lines = [f"{json_line(counted_row(counted, spellings))}\n" for counted in some]
        yield "".join(lines).encode("utf-8", "backslashreplace")


def _some(rows: Iterable[KeyCount]) -> Iterator[list[KeyCount]]:
    waiting = iter(rows)
    while some := list(islice(waiting, _TOGETHER)):
        yield some


def _text(counted: KeyCount, counts: bool, spellings: int) -> str:
    _, uri, count, sources, (source, location, start), (last_source, last_location, last_start), forms = counted
    line = f"{uri}\n"
    if counts:
        first, last = _shown(source, location), _shown(last_source, last_location)
        line = f"{count}\t{sources}\t{len(forms)}\t{first}{start}\t{last}{last_start}\t{line}"
    if spellings:
        line += "".join([f"\t{_one_line(raw)}\n" for raw in forms[:spellings]])
    return line


@lru_cache(_TOGETHER)
def _shown(source: str | None, location: Location | None) -> str:
    """Return the text shown before an offset: the source, and the message, part, field and row in it."""
    words = [] if source is None else [printable(source)]
    for name, value in (location or NOWHERE)._asdict().items():
        if name in _SHOWN and value is not None:
            words.append(printable(f"{name} {value}"))
    return f"{_one_line(', '.join(words))}:" if words else ""


def _one_line(text: str) -> str:
    return " ".join(text.split()) if any(mark in text for mark in "\n\r\t") else text


def counted_table(rows: Iterable[KeyCount], spellings: int, *, tabs: bool) -> Iterator[bytes]:
    """Yield counted keys as CSV, or by tabs, with their header, some at a time."""
    import csv
    from io import StringIO

    buffer = StringIO(newline="")
    writer = csv.writer(buffer, dialect="excel-tab", lineterminator="\n") if tabs else csv.writer(buffer)
    writer.writerow(counted_names(spellings))
    for number, counted in enumerate(rows, 1):
        row = shown_row(counted_row(counted, spellings))
        if spellings:
            row["raws"] = json.dumps(row["raws"], ensure_ascii=False)
        values = row.values()
        if tabs:
            values = [_one_line(value) if isinstance(value, str) else value for value in values]  # type: ignore[assignment]
        writer.writerow(values)
        if number % _TOGETHER == 0:
            yield buffer.getvalue().encode("utf-8", "backslashreplace")
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode("utf-8", "backslashreplace")
