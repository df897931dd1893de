"""Records as input: the JSON lines, CSV or Parquet that `urisieve extract` writes, and lists of keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Final

from urisieve.cli.arguments import ExtractSettings
from urisieve.cli.dedupe_arguments import DedupeSettings
from urisieve.cli.portion import Portion, counted_warnings
from urisieve.cli.sieving import unexpected_portion
from urisieve.cli.sinks import record_format
from urisieve.cli.tallying import Sums, tally_of, with_tally
from urisieve.codes import Warn
from urisieve.data_sets.plain_contents import plain_contents
from urisieve.data_sets.row_reader import Row, read_rows
from urisieve.errors import InputError, UnexpectedInputError
from urisieve.records.base import SCHEMA_VERSION
from urisieve.records.location import NOWHERE, Location
from urisieve.records.masking import MASK, password_token
from urisieve.records.record import Record, make_record
from urisieve.runs.file_parts import Part, source_name
from urisieve.sources.tally import Tally
from urisieve.sources.unexpected import guarded
from urisieve.syntax.components import PASSWORD

__all__ = ["key_portions", "record_portions", "writing"]

# Gives for records the portion that stands for them.
_Make = Callable[[list[Record], int], Portion]

_TOGETHER: Final = 1_024
_LINES: Final = 20_000
_NUMBERS: Final = ("start", "end", "line", "column", "byte_start", "byte_end", "message", "row")


def writing(settings: ExtractSettings, secret: bytes, *, counting: bool) -> _Make:
    """What makes portions of records.

    Passwords are masked unless they are to be shown; those of most records were masked when they were written.

    Args:
        settings: how records are written.
        secret: by which a password in a key becomes a digest.
        counting: whether records are counted rather than written.
    """
    token = None if settings.show_passwords else password_token(secret)

    def masked(record: Record) -> Record:
        if token is None or Warn.PASSWORD_PRESENT not in record.warnings:
            return record
        password = PASSWORD.match(record.uri)
        return record if password is not None and password[1] == MASK else record.masked(token)

    if counting:

        def count(records: list[Record], size: int) -> Portion:
            tally = tally_of([masked(record) if record.warnings else record for record in records])
            return with_tally(Portion(found=len(records), size=size, warnings=counted_warnings(records)), tally)

        return count
    write = record_format(settings.format, settings.form, lambda record: record)

    def rows(records: list[Record], size: int) -> Portion:
        records = [masked(record) if record.warnings else record for record in records]
        lines = [write((record,), None) for record in records]
        columns = ([1] * len(records), [record.source for record in records])
        return Portion(
            keys=[record.key for record in records],
            rows=lines,
            found=len(records),
            size=size,
            columns=columns,
            warnings=counted_warnings(records),
        )

    return rows


def record_portions(settings: DedupeSettings, make: _Make) -> Iterator[Portion]:
    """The portions of files of records; a file that cannot be read, or holds something else, is reported."""
    for path in settings.extract.paths:
        tally = Tally()
        try:
            kind = str(settings.input)
            rows = guarded(read_rows(path, kind, settings.extract.encoding, tally=tally), kind)
            while batch := list(islice(rows, _TOGETHER)):
                yield make(list(_records(batch, path, tally)), sum(row.size for row in batch))
        except UnexpectedInputError as error:
            yield Portion(tally=tally)
            yield unexpected_portion(Part(path), error, traces=settings.extract.traceback)
        except InputError as error:
            yield Portion(part=Part(path), failure=str(error), tally=tally)
        else:
            yield Portion(part=Part(path), tally=tally)


def _records(rows: Iterable[Row], path: str, tally: Tally) -> Iterator[Record]:
    """The records that rows were written from; a row that is none is counted, and the others are read."""
    for row in rows:
        if row.fault is None and (row.values is None or row.is_header):
            continue
        try:
            yield _record(row)
        except InputError as error:
            tally.fault("record", "unreadable", f"{path}: row {row.number:,} {error}")


def _record(row: Row) -> Record:
    """The record that a row was written from.

    Raises:
        InputError: the row is no record.
    """
    if row.fault is not None:
        raise InputError(row.fault)
    values = row.values
    if not isinstance(values, dict) or not isinstance(values.get("key"), str) or not isinstance(values.get("uri"), str):
        raise InputError("is no record of urisieve (without `uri` or `key`); of other rows --field names the field")
    if str(values.get("schema", SCHEMA_VERSION)) != str(SCHEMA_VERSION):
        raise InputError(f"is of schema {values['schema']}; this version reads {SCHEMA_VERSION}: extract it anew")
    try:
        start, end, line, column, byte_start, byte_end, message, row_number = (
            _number(values.get(name)) for name in _NUMBERS
        )
        warnings = tuple(Warn(word) for word in _words(values.get("warnings")))
    except (TypeError, ValueError) as error:
        raise InputError(f"is no record of urisieve: {error}") from error
    uri = values["uri"]
    message_id, part, field = (values.get(name) or None for name in ("message_id", "part", "field"))
    place = Location(message, message_id, part, field, row_number)
    fields = (
        *(values.get("raw") or uri, uri, values["key"]),
        *(start or 0, end or 0, line or 0, column or 0),
        *(values.get("source") or None, values.get("wrapper") or None, warnings),
        *(tuple(_words(values.get("alternatives"))), byte_start, byte_end, None if place == NOWHERE else place),
    )
    return make_record(fields, None)


def _number(value: Any) -> int | None:
    return None if value is None or value == "" else int(value)


def _words(value: Any) -> list[str]:
    if value is None:
        return []
    return value.split() if isinstance(value, str) else list(value)


def key_portions(paths: Iterable[str], *, counting: bool = False, traces: bool = False) -> Iterator[Portion]:
    """The portions of files that hold a key on each line, taken as they stand; empty lines are none."""
    for path in paths:
        tally = Tally()
        try:
            number = 0
            for size, lines in guarded(_line_blocks(path, tally), "keys"):
                keys = [line for line in lines if line] if "" in lines else lines
                if counting:
                    sums = Sums(source_name(path))
                    sums.add(keys, keys, range(number + 1, number + len(keys) + 1), {})
                    yield with_tally(Portion(found=len(keys), size=size), sums.tally())
                else:
                    yield Portion(keys=keys, found=len(keys), size=size)
                number += len(lines)
        except UnexpectedInputError as error:
            yield Portion(tally=tally)
            yield unexpected_portion(Part(path), error, traces=traces)
        except InputError as error:
            yield Portion(part=Part(path), failure=str(error), tally=tally)
        else:
            yield Portion(part=Part(path), tally=tally)


def _line_blocks(path: str, tally: Tally) -> Iterator[tuple[int, list[str]]]:
    """The lines of the files in a file, some at a time, and how many bytes they took."""
    for content in plain_contents(path, tally=tally):
        begun: list[bytes] = []
        for block in content.blocks:
            end = block.rfind(b"\n") + 1
            if not end:
                begun.append(block)
                continue
            begun.append(block[:end])
            text = b"".join(begun).decode("utf-8", "surrogateescape")
            begun = [block[end:]]
            lines = text.split("\n")
            lines.pop()
            yield len(block), [line.rstrip("\r") for line in lines] if "\r" in text else lines
        rest = b"".join(begun)
        if rest:
            yield len(rest), [rest.decode("utf-8", "surrogateescape").rstrip("\r")]
