"""Records as input: the JSON lines, CSV, TSV or Parquet in which records were written, and lists of keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from urisieve.errors import InputError, UnexpectedInputError
from urisieve.kernel import compiled, kernel
from urisieve.lean.hints import TYPE_CHECKING, Any, Final, cast
from urisieve.records.batch import Batch
from urisieve.records.counting import counted_codes
from urisieve.records.harvested import Harvested
from urisieve.records.record import Record, make_record
from urisieve.records.views.read_back import fields_of_record, is_record
from urisieve.runs.file_parts import Part
from urisieve.runs.part_sieve import failure_of
from urisieve.runs.run_steps import Failure, RunStep, Share, sifted
from urisieve.sources.bytes.lines import whole_lines
from urisieve.sources.bytes.reading import source_name
from urisieve.sources.containers.plain_contents import plain_contents
from urisieve.sources.tally import Tally
from urisieve.sources.unexpected import guarded

if TYPE_CHECKING:
    from urisieve.records.filtering import Filter
    from urisieve.sources.structured.row_reader import Row

__all__ = ["key_steps", "record_of_row", "record_steps"]

_TOGETHER: Final = 1_024
_KEY_COLUMNS: Final = frozenset(("raw", "uri", "key", "start"))


def record_steps(
    paths: Iterable[str],
    kind: str,
    encoding: str | None,
    share: Share,
    *,
    traces: bool = False,
    filters: Sequence[Filter] = (),
) -> Iterator[RunStep]:
    """Yield the steps of files of records; a file that cannot be read, or does not hold records, is reported.

    Args:
        paths: the files.
        kind: `jsonl`, `csv`, `tsv` or `parquet`.
        encoding: the encoding of the text; UTF-8 by default.
        share: the share of a sink that takes the batches.
        traces: whether messages about unexpected exceptions include the traceback.
        filters: which records are wanted; the others are only counted.
    """
    from urisieve.sources.structured.row_files import read_rows

    def steps(path: str, tally: Tally) -> Iterator[RunStep]:
        rows = read_rows(path, kind, encoding, tally=tally)
        while some := list(islice(rows, _TOGETHER)):
            batch = Batch.of(list(_records(some, path, tally)))
            step = _step(batch, sum(row.size for row in some), share, filters)
            yield step if tally.is_empty else step._replace(tally=tally.taken())

    return _file_steps(paths, steps, kind, share, traces=traces)


def _file_steps(
    paths: Iterable[str],
    steps: Callable[[str, Tally], Iterator[RunStep]],
    kind: str,
    share: Share,
    *,
    traces: bool,
) -> Iterator[RunStep]:
    """Yield the steps of files, each with its last one, whatever stops it."""
    for path in paths:
        tally = Tally()
        failure: Failure | None = None
        try:
            yield from guarded(steps(path, tally), kind)
        except UnexpectedInputError as error:
            tally.stopped(source_name(path), error, traces=traces)
        except InputError as error:
            failure = failure_of(path, error)
        product = share.flush()
        yield RunStep(() if product is None else (product,), part=Part(path), failure=failure, tally=tally)


def _step(batch: Batch, size: int, share: Share, filters: Sequence[Filter]) -> RunStep:
    batch, left_out = sifted(batch, filters)
    if not len(batch):
        return RunStep(size=size, left_out=left_out)
    product = share.take(batch)
    _, warnings = counted_codes(batch)
    products = () if product is None else (product,)
    return RunStep(products, found=len(batch), size=size, warnings=warnings, left_out=left_out)


def _records(rows: Iterable[Row], path: str, tally: Tally) -> Iterator[Record]:
    """Yield the records that rows were written from; a row that is not a record is counted, and the others are read."""
    from urisieve.sources.structured.broken_rows import LEFT_OUT, RowFault

    for row in rows:
        if row.fault is not None:
            LEFT_OUT.report(tally, path, row.number, row.fault)
        elif row.values is not None and not row.is_header:
            try:
                yield record_of_row(row.values)
            except InputError as error:
                LEFT_OUT.report(tally, path, row.number, RowFault(str(error)))


def record_of_row(values: object) -> Record:
    """Return the record that a row was written from.

    Args:
        values: the fields of `Record.as_dict`, as JSON or a table holds them.

    Raises:
        InputError: the row is not a record.
    """
    if not is_record(values):
        raise InputError(
            "is not a record of urisieve (it lacks `uri` or `key`); for other rows, name the field with --field"
        )
    row, parts = fields_of_record(cast("Mapping[str, Any]", values))
    return make_record(row, parts=parts)


def key_steps(
    paths: Iterable[str],
    share: Share,
    *,
    named: bool = True,
    traces: bool = False,
    filters: Sequence[Filter] = (),
) -> Iterator[RunStep]:
    """Yield the steps of files that hold a key on each line, taken unchanged; empty lines are not keys.

    The offset of a key is the number of its line.

    Args:
        paths: the files.
        share: the share of a sink that takes the batches.
        named: whether the source of each key is its file.
        traces: whether messages about unexpected exceptions include the traceback.
        filters: which keys are wanted; the others are only counted.
    """

    def steps(path: str, tally: Tally) -> Iterator[RunStep]:
        constants = {"source": source_name(path) if named else None, "warnings": ()}
        number = 1
        for content in plain_contents(path, tally=tally):
            for whole in whole_lines(content.blocks, b"\n"):
                batch, count = _key_batch(whole, number, constants)
                yield _step(batch, len(whole), share, filters)
                number += count

    return _file_steps(paths, steps, "keys", share, traces=traces)


def _key_batch(whole: bytes, number: int, constants: Mapping[str, Any]) -> tuple[Batch, int]:
    """Return the keys in some lines, the first of which has `number`, and the number of lines."""
    harvested = kernel.lines(whole, number, True) if compiled else None
    if harvested is not None:
        harvest, count = harvested
        columns = Harvested(harvest, _KEY_COLUMNS, {}, None, None)
        return Batch(len(harvest), {}, constants, harvested=columns), count
    text = whole.decode("utf-8", "surrogateescape")
    lines = text.removesuffix("\n").split("\n")
    if "\r" in text:
        lines = [line.rstrip("\r") for line in lines]
    keys = [line for line in lines if line] if "" in lines else lines
    numbers: Sequence[int] = range(number, number + len(keys))
    if keys is not lines:
        numbers = [index for index, line in enumerate(lines, number) if line]
    return Batch(len(keys), {"raw": keys, "uri": keys, "key": keys, "start": numbers}, constants), len(lines)
