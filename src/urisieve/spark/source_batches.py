"""The records of a file as Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator

from urisieve.errors import InputError
from urisieve.files import extract_batches
from urisieve.lean.hints import Any, Final
from urisieve.printable import printable
from urisieve.records.batch import Batch
from urisieve.records.location import Location
from urisieve.sinks.arrow_columns import arrow_array, import_arrow, valid_text
from urisieve.sinks.arrow_tables import column_type, record_arrays
from urisieve.sinks.masked import Mask
from urisieve.spark.source_settings import ERROR, SourceSettings

__all__ = ["source_batches"]

# The rows of which columns are made at once: what comes from mail has a few rows a batch.
_TOGETHER: Final = 8_192
# A batch of these columns is always made: without warnings no password is seen.
_NEEDED: Final = ("raw", "uri", "key", "warnings")


def source_batches(path: str, settings: SourceSettings) -> Iterator[Any]:
    """Yield the records of a file as `pyarrow.RecordBatch` objects, in the order of the file.

    Args:
        path: the file.
        settings: what is made of it.

    Raises:
        InputError: the file, or something in it, cannot be read to its end, and that is not to become a row.
    """
    from pathlib import Path

    mask = Mask(settings.secret)
    errors: list[str] = []
    columns = {"location" if name in Location._fields else name for name in settings.columns} - {"schema", ERROR}
    batches = extract_batches(
        [Path(path)],
        columns=[*_NEEDED, *columns],
        options=settings.options,
        reading=settings.reading,
        encoding=settings.encoding,
        on_error=(lambda _path, error: errors.append(printable(str(error)))) if settings.reports else None,
    )
    waiting: list[Batch] = []
    try:
        for batch in batches:
            if not len(batch):
                continue
            if waiting and (not waiting[-1].is_like(batch) or sum(map(len, waiting)) + len(batch) > _TOGETHER):
                yield _arrow_batch(waiting, settings.columns, mask)
                waiting = []
            waiting.append(batch)
    except InputError as error:
        # Spark shows the last lines of a traceback, and knows nothing of files.
        raise InputError(f"{error} (with on_error=row this becomes a row)") from error
    if waiting:
        yield _arrow_batch(waiting, settings.columns, mask)
    if errors:
        yield _error_rows(path, errors, settings.columns)


def _arrow_batch(batches: list[Batch], names: list[str], mask: Mask) -> Any:
    pa = import_arrow("spark")
    batch = mask.batch(batches[0] if len(batches) == 1 else Batch.joined(batches))
    fields = [(name, column_type(name)) for name in names]
    held = [name for name in names if name != ERROR]
    made = dict(zip(held, record_arrays(batch, held), strict=True))
    if ERROR in names:
        made[ERROR] = pa.nulls(len(batch), column_type(ERROR))
    return pa.RecordBatch.from_arrays([made[name] for name in names], schema=pa.schema(fields))


def _error_rows(path: str, errors: list[str], names: list[str]) -> Any:
    pa = import_arrow("spark")
    values = {"source": [valid_text(path)] * len(errors), ERROR: errors}
    kinds = {name: column_type(name) for name in names}
    arrays = [
        arrow_array(values[name], kind) if name in values else pa.nulls(len(errors), kind)
        for name, kind in kinds.items()
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(list(kinds.items())))
