"""The fields that can be asked for by name, in one table for all formats, and batches as Arrow arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter

from urisieve import shapes
from urisieve.errors import UsageError
from urisieve.lean import Any, Final, NamedTuple, Protocol, imported
from urisieve.records.base import CONTEXT_NAMES, NOWHERE, PLACE_NAMES, SCHEMA_VERSION, Context, Location, RecordFields
from urisieve.records.layouts import COLUMNS, DERIVED, Columns, RowLocations, SharedValues, no_column
from urisieve.records.record import Record, kind_of_raw, make_record
from urisieve.syntax.components import host_kind
from urisieve.wording import did_you_mean


class Rows(Protocol):
    """Rows of which fields are made: the methods of a `Batch` that they need."""

    layout: Columns

    def __len__(self) -> int: ...

    @property
    def columns(self) -> tuple[str, ...]:
        """See `Batch.columns`."""

    def column(self, name: str) -> Sequence[Any]:
        """See `Batch.column`."""

    def is_constant(self, name: str) -> bool:
        """See `Batch.is_constant`."""

    def constant(self, name: str) -> Any:
        """See `Batch.constant`."""

    def iri_of(self, uri: str) -> str:
        """See `Batch.iri_of`."""

    @property
    def has_own_components(self) -> bool:
        """See `Batch.has_own_components`."""

    def _with_parts(self) -> list[int]:
        """See `Batch._with_parts`."""

    def warned(self) -> list[int]:
        """See `Batch.warned`."""

    def select(self, indices: Sequence[int]) -> Iterable[Record]:
        """See `Batch.select`."""

    def resolved(self) -> Rows:
        """See `Batch.resolved`."""


class OutputField(NamedTuple):
    """A field that an output may contain.

    Attributes:
        columns: the columns of a batch that it is made of.
        values: returns its values in a batch, one for each row.
    """

    columns: tuple[str, ...]
    values: Callable[[Rows], Sequence[Any]]


def _of_column(name: str) -> OutputField:
    return OutputField((name,), lambda batch: batch.column(name))


def _of_place(value: Callable[[Location], Any], name: str = "") -> OutputField:
    """Return a field that follows from the location of a row; `name` is that of an attribute that it is."""

    def values(batch: Rows) -> Sequence[Any]:
        shared = batch.layout.locations()
        if isinstance(shared, RowLocations):
            if name == "row":
                return shared.rows
            return shared.fields if name == "field" else SharedValues((None,), bytes(len(shared)))
        known = shared.values if all(shared.values) else [location or NOWHERE for location in shared.values]
        return SharedValues(list(map(value, known)), shared.numbers)

    return OutputField(("location",), values)


def _of_context(index: int) -> OutputField:
    return _of_place(lambda location: None if location.context is None else location.context[index])


def _parts(batch: Rows) -> list[dict[str, str]]:
    """Return the parts of each row: few schemes define some, and only of their identifiers records are made."""
    values: list[dict[str, str]] = [{}] * len(batch)
    indices = batch._with_parts()
    for index, record in zip(indices, batch.select(indices) if indices else (), strict=True):
        values[index] = record.parts
    return values


def _notices(batch: Rows) -> list[list[dict[str, Any]]]:
    """Return the notices of each row: only one with a warning has any."""
    values: list[list[dict[str, Any]]] = [[]] * len(batch)
    indices = batch.warned()
    for index, record in zip(indices, batch.select(indices) if indices else (), strict=True):
        values[index] = [one.as_dict() for one in record.notices]
    return values


# The columns without which there are no records to look at.
_VIEWED: Final = ("raw", "uri", "key", "warnings")
# The fields of records in the order of their schema.
_FIELDS: Final = RecordFields("a:", "a:", "a:")
RECORD_NAMES: Final = tuple(make_record(_FIELDS))
# The same where their context is asked for (`ReadingOptions.context`).
WITH_CONTEXT: Final = tuple(make_record(_FIELDS._replace(location=Location(context=Context()))))
_LOCATION: Final = {name: _of_place(attrgetter(name), name) for name in PLACE_NAMES}
# All fields by name: those of the schema, then those that are made on request only.
FIELDS: Final[dict[str, OutputField]] = {
    **{name: _LOCATION[name] if name in _LOCATION else _of_column(name) for name in RECORD_NAMES},
    **{name: _of_context(index) for index, name in enumerate(CONTEXT_NAMES)},
    "schema": OutputField((), lambda batch: [SCHEMA_VERSION] * len(batch)),
    "domain": _of_column("domain"),
    "surt": _of_column("surt"),
    "template": _of_column("template"),
    "parts": OutputField(_VIEWED, _parts),
    "notices": OutputField(_VIEWED, _notices),
}
# Those that are added to whatever is written where the parts are asked for (`FormatSettings.parts`).
PART_NAMES: Final = ("parts", "notices")


def checked_fields(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of fields as a tuple.

    >>> checked_fields(["uri", "domain"])
    ('uri', 'domain')

    Raises:
        UsageError: there is no such field; or one is named twice, which a table or an object cannot contain.
    """
    found = tuple(shapes.names("fields", names))
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
    return f"there is no field {str(name)!r}{near}; there are {', '.join(FIELDS)}"


# The columns of which whatever makes one makes the other, too.
_PAIRS: Final = (("byte_start", "byte_end"), ("line", "column"))


def checked_columns(columns: Iterable[str] | None) -> frozenset[str]:
    """Return the columns asked for, with those from which they are derived; all of `COLUMNS` for None.

    Raises:
        UsageError: a name is not that of a column.
    """
    if columns is None:
        return frozenset(COLUMNS)
    wanted: set[str] = {"uri", "key"}
    for name in shapes.names("columns", columns):
        if name in DERIVED:
            wanted.update(DERIVED[name])
        elif name in COLUMNS:
            wanted.add(name)
            # Whatever makes one of a pair makes the other, too; and a document's own lines follow from its offsets.
            for pair in _PAIRS:
                if name in pair:
                    wanted.update((*pair, "start", "end"))
        else:
            raise UsageError(f"columns: {no_column(name)}")
    return frozenset(wanted)


def columns_of(names: Iterable[str]) -> frozenset[str]:
    """Return the columns of a batch that some fields need, with those that masking passwords needs."""
    needed = {column for name in names for column in FIELDS[name].columns}
    # A `raw` and a `uri` of one password are masked together.
    return checked_columns(needed) | {"warnings"}


def fields_of(batch: Rows) -> tuple[str, ...]:
    """Return the fields of records that the columns of a batch make; those of a context only if there is one."""
    held = set(batch.columns)
    names = RECORD_NAMES
    if "location" in held:
        shared = batch.layout.locations()
        if not isinstance(shared, RowLocations) and any(one and one.context for one in shared.values):
            names = WITH_CONTEXT
    return tuple(name for name in names if all(map(held.issuperset, map(_needed, FIELDS[name].columns))))


def _needed(column: str) -> set[str]:
    """Return the columns that must be present for one that is present or derived."""
    return {"uri", *DERIVED[column]} if column in DERIVED else {column}


def field_values(batch: Rows, name: str) -> Sequence[Any]:
    """Return the values of a field in a batch; do not change the sequence.

    Raises:
        UsageError: the batch lacks a column that it is made of.
    """
    return FIELDS[name].values(batch)


# The columns that the kernel gives as buffers, and those that are computed from them.
_NUMBERS: Final = frozenset(("start", "end", "line", "column", "byte_start", "byte_end"))
_TEXTS: Final = frozenset(("raw", "uri", "key", "scheme", "userinfo", "host", "port", "path", "query", "fragment"))
_COMPUTED: Final = {
    "iri": ("uri",),
    "kind": ("scheme", "raw", "uri"),
    "host_kind": ("host",),
    "nid": ("scheme", "path"),
    "nss": ("scheme", "path"),
}
# The components of which Python knows other values for some rows: by RFC 2141 `?` and `#` belong to the NSS.
_SECTIONS: Final = frozenset(("path", "query", "fragment", "iri", "nid", "nss"))


def import_arrow(extra: str = "arrow") -> Any:
    """Return the module `pyarrow`.

    Raises:
        UsageError: it is not installed; the message has the command that installs it.
    """
    try:
        import pyarrow
    except ImportError:
        raise UsageError(f"this needs pyarrow: pip install 'urisieve[{extra}]'") from None
    return pyarrow


class _LateModule:
    """A module of pyarrow: looked up, and imported, when one of its names is asked for.

    Args:
        name: its name below `pyarrow`; "" for that itself.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        package = import_arrow()
        return getattr(imported(f"pyarrow.{self._name}") if self._name else package, name)


pa: Final[Any] = _LateModule("")
pc: Final[Any] = _LateModule("compute")


def valid_text(value: Any) -> Any:
    """Return a value that Arrow can represent: halves of surrogate pairs have no UTF-8, and become escapes."""
    if isinstance(value, (list, tuple)):
        return [valid_text(item) for item in value]
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def arrow_array(values: Sequence[Any], kind: Any) -> Any:
    """Return values of Python as an Arrow array of a type."""
    if isinstance(values, SharedValues):
        numbers = [None, pa.py_buffer(values.packed())]
        return arrow_array(values.values, kind).take(pa.Array.from_buffers(pa.uint32(), len(values), numbers))
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:
        return pa.array(list(map(valid_text, values)), kind)


def batch_arrays(batch: Rows, kinds: Mapping[str, Any]) -> list[Any]:
    """Return columns of a batch as Arrow arrays.

    Args:
        batch: the rows; its rejections are left out.
        kinds: by the name of each wanted column, its Arrow type: `int64` or `string`, or lists of strings.
    """
    names = [name for name in kinds if _is_held(batch, name)]
    computed = [name for name in names if name in _COMPUTED]
    needed = {*names, *(other for name in computed for other in _COMPUTED[name])} & (_NUMBERS | _TEXTS)
    made = _from_buffers(batch.layout, tuple(sorted(needed)))
    made.update((name, _computed(batch, name, made)) for name in computed)
    return [made[name] if name in made else _from_values(batch, name, kind) for name, kind in kinds.items()]


def _is_constant(batch: Rows, name: str) -> bool:
    return name in COLUMNS and batch.is_constant(name)


def _is_held(batch: Rows, name: str) -> bool:
    """Report whether the kernel has the values of a column, or those from which it follows."""
    if name in COLUMNS:
        return name in batch.layout.by_kernel
    return "uri" in batch.layout.by_kernel and not (name in _SECTIONS and batch.has_own_components)


def _from_buffers(layout: Columns, names: tuple[str, ...]) -> dict[str, Any]:
    made = {}
    for name, buffers in zip(names, layout.buffers(names), strict=True):
        kind = pa.int64() if name in _NUMBERS else pa.string()
        parts = [None if part is None else pa.py_buffer(part) for part in buffers]
        made[name] = pa.Array.from_buffers(kind, layout.length, parts)
    return made


def _computed(batch: Rows, name: str, made: Mapping[str, Any]) -> Any:
    """Return a column that follows from others; what `Batch.column` returns, with less done row by row."""
    if name == "host_kind":
        hosts = made["host"].dictionary_encode()
        return pa.array(list(map(host_kind, hosts.dictionary.to_pylist())), pa.string()).take(hosts.indices)
    if name == "iri":
        uris = made["uri"]
        mapped = pc.or_(pc.match_substring(uris, "%"), pc.match_substring(uris, "xn--"))
        return _replaced(uris, mapped, lambda: [batch.iri_of(uri) for uri in uris.filter(mapped).to_pylist()])
    are_urns = pc.equal(pc.ascii_lower(made["scheme"]), pa.scalar("urn", pa.string()))
    if name == "kind":
        kinds = pc.if_else(are_urns, pa.scalar("urn", pa.string()), pa.scalar("uri", pa.string()))
        wide = pc.and_not(pc.invert(pc.string_is_ascii(made["raw"])), are_urns)
        return _replaced(kinds, wide, lambda: list(map(kind_of_raw, made["raw"].filter(wide).to_pylist())))
    part = 0 if name == "nid" else 2
    absent = pa.nulls(len(batch), pa.string())
    paths = made["path"].filter(are_urns)
    return _replaced(absent, are_urns, lambda: [path.partition(":")[part] for path in paths.to_pylist()])


def _replaced(values: Any, mask: Any, others: Callable[[], list[str]]) -> Any:
    """Return an array with other values where the mask is true."""
    return pc.replace_with_mask(values, mask, pa.array(others(), pa.string())) if mask.true_count else values


def _from_values(batch: Rows, name: str, kind: Any) -> Any:
    if not _is_constant(batch, name):
        return arrow_array(batch.column(name), kind)
    return _repeated(batch.constant(name), kind, len(batch))


def _repeated(value: Any, kind: Any, count: int) -> Any:
    """Return an array that contains one value many times."""
    if value is None:
        return pa.nulls(count, kind)
    if isinstance(value, (list, tuple)):
        return arrow_array([value] * count, kind)
    return pa.repeat(pa.scalar(valid_text(value), kind), count)


_INTEGERS: Final = frozenset(
    ("schema", "start", "end", "line", "column", "byte_start", "byte_end", "count", "sources", "spellings", "distinct",
     "first_start", "first_message", "first_row", "last_start", "last_message", "last_row", "message", "row")
)  # fmt: skip
_LISTS: Final = frozenset(("warnings", "alternatives", "raws", "keys", "to"))
_TRUTHS: Final = frozenset(("new",))


def column_type(name: str) -> Any:
    """Return the Arrow type of a column, which its name determines."""
    if name in _INTEGERS:
        return pa.int64()
    if name in _LISTS:
        return pa.list_(pa.string())
    if name == "parts":
        return pa.map_(pa.string(), pa.string())
    if name == "notices":
        return pa.list_(pa.struct([("warn", pa.string()), ("detail", pa.string())]))
    return pa.bool_() if name in _TRUTHS else pa.string()


def record_arrays(batch: Rows, names: Iterable[str]) -> list[Any]:
    """Return some fields of the records of a batch, of `FIELDS`, as Arrow arrays."""
    kinds = {name: column_type(name) for name in names}
    made: dict[str, Any] = {}
    if "schema" in kinds:
        made["schema"] = _repeated(SCHEMA_VERSION, kinds["schema"], len(batch))
    for name, kind in kinds.items():
        if name not in made and FIELDS[name].columns != (name,):  # no column of a batch
            values = field_values(batch, name)
            made[name] = arrow_array([tuple(parts.items()) for parts in values] if name == "parts" else values, kind)
    others = {name: kind for name, kind in kinds.items() if name not in made}
    made.update(zip(others, batch_arrays(batch.resolved(), others), strict=True))
    return [made[name] for name in kinds]


def record_table(batch: Rows) -> Any:
    """Return a batch as an Arrow table, with a column for each field of records that its columns make.

    Raises:
        UsageError: pyarrow is not installed.
    """
    names = fields_of(batch)
    return pa.table(record_arrays(batch, names), schema=pa.schema([(name, column_type(name)) for name in names]))
