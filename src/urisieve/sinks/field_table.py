"""The fields that can be asked for by name, in one table for all formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter

from urisieve.errors import UsageError
from urisieve.lean import Any, Final, NamedTuple
from urisieve.records.base import CONTEXT_NAMES, NOWHERE, PLACE_NAMES, SCHEMA_VERSION, Location, RecordFields
from urisieve.records.batch import Batch, checked_columns
from urisieve.records.record import make_record
from urisieve.wording import did_you_mean


class OutputField(NamedTuple):
    """A field that an output may hold.

    Attributes:
        columns: the columns of a batch that it is made of.
        values: returns its values in a batch, one for each row.
    """

    columns: tuple[str, ...]
    values: Callable[[Batch], Sequence[Any]]


def _schema(batch: Batch) -> Sequence[Any]:
    return [SCHEMA_VERSION] * len(batch)


def _of_column(name: str) -> OutputField:
    return OutputField((name,), lambda batch: batch.column(name))


def _of_place(value: Callable[[Location], Any]) -> OutputField:
    """Return a field that follows from the location of a row."""
    return OutputField(
        ("location",), lambda batch: batch.layout.locations().changed(lambda location: value(location or NOWHERE))
    )


def _of_context(index: int) -> OutputField:
    return _of_place(lambda location: None if location.context is None else location.context[index])


def _notices(batch: Batch) -> Sequence[Any]:
    return [[notice.as_dict() for notice in record.notices] for record in batch]


# The columns without which there are no records to look at.
_VIEWED: Final = ("raw", "uri", "key", "warnings")
# The fields of records in the order of their schema.
RECORD_NAMES: Final = tuple(make_record(RecordFields("a:", "a:", "a:")).as_dict())
_LOCATION: Final = {name: _of_place(attrgetter(name)) for name in PLACE_NAMES}
# The fields of whole records where their context is asked for (`ReadingOptions.context`).
WITH_CONTEXT: Final = (
    *(name for name in RECORD_NAMES[: RECORD_NAMES.index(PLACE_NAMES[-1]) + 1]),
    *CONTEXT_NAMES,
    *(name for name in RECORD_NAMES[RECORD_NAMES.index(PLACE_NAMES[-1]) + 1 :]),
)
# All fields by name: those of the schema, then those that are made on request only.
FIELDS: Final[dict[str, OutputField]] = {
    **{name: _LOCATION[name] if name in _LOCATION else _of_column(name) for name in RECORD_NAMES},
    **{name: _of_context(index) for index, name in enumerate(CONTEXT_NAMES)},
    "schema": OutputField((), _schema),
    "domain": _of_column("domain"),
    "surt": _of_column("surt"),
    "template": _of_column("template"),
    "parts": OutputField(_VIEWED, lambda batch: [record.parts for record in batch]),
    "notices": OutputField(_VIEWED, _notices),
}
# Those that are added to whatever is written where the parts are asked for (`FormatSettings.parts`).
PART_NAMES: Final = ("parts", "notices")


def checked_fields(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of fields as a tuple.

    >>> checked_fields(["uri", "domain"])
    ('uri', 'domain')

    Raises:
        UsageError: there is no such field; or one is named twice, which a table or an object cannot hold.
    """
    if isinstance(names, str):
        raise UsageError(f"fields={names!r} is one text: give several names")
    found = tuple(names)
    for index, name in enumerate(found):
        if name not in FIELDS:
            raise UsageError(unknown_field(name))
        if name in found[:index]:
            raise UsageError(f"the field {name!r} is named twice")
    if "domain" in found:
        from urisieve.rules.registry import check_domains

        check_domains()
    return found


def unknown_field(name: object) -> str:
    """Return a message about the name of a field that there is not."""
    near = did_you_mean(str(name), FIELDS)
    others = "`domain`, `surt`, `template`, `parts` and `notices`"
    return f"there is no field {str(name)!r}{near}; docs/records.md lists them, with {others}"


def columns_of(names: Iterable[str]) -> frozenset[str]:
    """Return the columns of a batch that some fields need, with those that masking passwords needs."""
    needed = {column for name in names for column in FIELDS[name].columns}
    # A `raw` and a `uri` of one password are masked together.
    return checked_columns(needed) | {"warnings"}


def field_values(batch: Batch, name: str) -> Sequence[Any]:
    """Return the values of a field in a batch; do not change the sequence.

    Raises:
        UsageError: the batch lacks a column that it is made of.
    """
    return FIELDS[name].values(batch)
