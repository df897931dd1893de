"""How counted keys are written: text, JSON lines, tables, Parquet; and how a line is marked as new."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from urisieve.cli.arguments import Format
from urisieve.cli.portion import encoded
from urisieve.cli.rows import json_line, shown_row
from urisieve.dedupe.counts import Appearance, Counted
from urisieve.printable import printable
from urisieve.records.base import SCHEMA_VERSION
from urisieve.records.location import NOWHERE, Location

__all__ = ["counted_lines", "counted_names", "counted_row", "marked", "marked_header"]

_TOGETHER: Final = 4_096
_NEW: Final = "new"
_OLD: Final = "old"
_NEVER: Final = Appearance(None, None, 0)
# The parts of a place that people are shown; a Message-ID is long.
_SHOWN: Final = ("message", "part", "field", "row")


def counted_row(counted: Counted, spellings: int) -> dict[str, Any]:
    """The fields of one key, in the order of the schema; `raws` where spellings are asked for."""
    row = {
        "schema": SCHEMA_VERSION,
        "key": counted.key,
        "uri": counted.uri,
        "count": counted.count,
        "sources": counted.sources,
        "spellings": len(counted.spellings),
    }
    for name, (source, place, start) in (("first", counted.first), ("last", counted.last)):
        row[f"{name}_source"] = source
        for part, value in zip(Location._fields, place or NOWHERE, strict=True):
            row[f"{name}_{part}"] = value
        row[f"{name}_start"] = start
    if spellings:
        row["raws"] = list(counted.spellings[:spellings])
    return row


def counted_names(spellings: int) -> list[str]:
    """The names of the fields of `counted_row`."""
    return list(counted_row(Counted("", "", 0, 0, _NEVER, _NEVER, ()), spellings))


def counted_lines(rows: Iterable[Counted], kind: Format, *, counts: bool, spellings: int) -> Iterator[bytes]:
    """The bytes of counted keys, some at a time; the header of a table comes first."""
    write = {Format.TEXT: _text, Format.JSONL: _json}.get(kind)
    if write is None:
        yield from _table(rows, kind, spellings)
        return
    encode = _json_bytes if kind is Format.JSONL else encoded
    waiting: list[str] = []
    for counted in rows:
        waiting.append(write(counted, counts, spellings))
        if len(waiting) == _TOGETHER:
            yield encode("".join(waiting))
            waiting.clear()
    yield encode("".join(waiting))


def _json_bytes(text: str) -> bytes:
    """JSON lines as bytes; a half of a surrogate pair is written as an escape, which JSON has."""
    return text.encode("utf-8", "backslashreplace")


def _json(counted: Counted, _counts: bool, spellings: int) -> str:
    return f"{json_line(counted_row(counted, spellings))}\n"


def _text(counted: Counted, counts: bool, spellings: int) -> str:
    _, uri, count, sources, (source, place, start), (last_source, last_place, last_start), forms = counted
    line = f"{uri}\n"
    if counts:
        first, last = _shown(source, place), _shown(last_source, last_place)
        line = f"{count}\t{sources}\t{len(forms)}\t{first}{start}\t{last}{last_start}\t{line}"
    if spellings:
        line += "".join([f"\t{_one_line(raw)}\n" for raw in forms[:spellings]])
    return line


@lru_cache(_TOGETHER)
def _shown(source: str | None, place: Location | None) -> str:
    """What people are shown before an offset: the source, and the message, part, field and row in it."""
    words = [] if source is None else [printable(source)]
    for name, value in (place or NOWHERE)._asdict().items():
        if name in _SHOWN and value is not None:
            words.append(printable(f"{name} {value}"))
    return f"{_one_line(', '.join(words))}:" if words else ""


def _one_line(text: str) -> str:
    return " ".join(text.split()) if any(mark in text for mark in "\n\r\t") else text


def _table(rows: Iterable[Counted], kind: Format, spellings: int) -> Iterator[bytes]:
    import csv
    from io import StringIO

    buffer = StringIO(newline="")
    writer = csv.writer(buffer, dialect="excel-tab", lineterminator="\n") if kind is Format.TSV else csv.writer(buffer)
    writer.writerow(counted_names(spellings))
    for number, counted in enumerate(rows, 1):
        row = shown_row(counted_row(counted, spellings))
        if spellings:
            row["raws"] = json.dumps(row["raws"], ensure_ascii=False)
        values = row.values()
        if kind is Format.TSV:
            values = [_one_line(value) if isinstance(value, str) else value for value in values]  # type: ignore[assignment]
        writer.writerow(values)
        if number % _TOGETHER == 0:
            yield buffer.getvalue().encode("utf-8", "backslashreplace")
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode("utf-8", "backslashreplace")


def marked_header(header: bytes, kind: Format) -> bytes:
    """The header of a table whose lines are `marked`."""
    return _with_cell(header, kind, b"new") if header else header


def marked(line: bytes, is_new: bool, kind: Format) -> bytes:
    """The line of a record, which says whether it is new."""
    if kind is Format.TEXT:
        return f"{_NEW if is_new else _OLD}\t".encode() + line
    value = b"true" if is_new else b"false"
    if kind is Format.JSONL:
        return line[: line.rindex(b"}")] + b',"new":' + value + b"}\n"
    return _with_cell(line, kind, value)


def _with_cell(line: bytes, kind: Format, value: bytes) -> bytes:
    text = line.rstrip(b"\r\n")
    return text + (b"\t" if kind is Format.TSV else b",") + value + line[len(text) :]
