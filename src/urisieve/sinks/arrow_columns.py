"""The columns of batches as Arrow arrays, from the buffers of the kernel where it found them; and as Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from urisieve.errors import OutputError, UsageError
from urisieve.lean import Any, Final, imported
from urisieve.records.base import SCHEMA_VERSION
from urisieve.records.batch import Batch
from urisieve.records.layouts import COLUMNS, Columns, SharedValues
from urisieve.records.record import kind_of_raw
from urisieve.sinks.field_table import FIELDS, field_values
from urisieve.sinks.outputs import Output
from urisieve.syntax.components import host_kind

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
    """Return a value that Arrow can hold: halves of surrogate pairs have no UTF-8, and become escapes."""
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


def batch_arrays(batch: Batch, kinds: Mapping[str, Any]) -> list[Any]:
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


def _is_constant(batch: Batch, name: str) -> bool:
    return name in COLUMNS and batch.is_constant(name)


def _is_held(batch: Batch, name: str) -> bool:
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


def _computed(batch: Batch, name: str, made: Mapping[str, Any]) -> Any:
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


def _from_values(batch: Batch, name: str, kind: Any) -> Any:
    if not _is_constant(batch, name):
        return arrow_array(batch.column(name), kind)
    return _repeated(batch.constant(name), kind, len(batch))


def _repeated(value: Any, kind: Any, count: int) -> Any:
    """Return an array that holds one value many times."""
    if value is None:
        return pa.nulls(count, kind)
    if isinstance(value, (list, tuple)):
        return arrow_array([value] * count, kind)
    return pa.repeat(pa.scalar(valid_text(value), kind), count)


class ArrowFile:
    """An output with the interface of files that pyarrow expects."""

    closed = False

    def __init__(self, output: Output) -> None:
        self._output = output
        self._size = 0

    def write(self, data: Any) -> int:
        """Write bytes or a buffer, and return their number."""
        data = bytes(data)
        self._output.write(data)
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        """Return the number of bytes written."""
        return self._size

    def writable(self) -> bool:
        """Return True."""
        return True

    def flush(self) -> None:
        """Do nothing: no bytes are buffered here."""

    def close(self) -> None:
        """End the file; the output stays open."""
        self.closed = True


# The number of rows of a row group.
_GROUP: Final = 65_536
_INTEGERS: Final = frozenset(
    ("schema", "start", "end", "line", "column", "byte_start", "byte_end", "count", "sources", "spellings",
     "first_start", "first_message", "first_row", "last_start", "last_message", "last_row", "message", "row")
)  # fmt: skip
_LISTS: Final = frozenset(("warnings", "alternatives", "raws", "to"))
_TRUTHS: Final = frozenset(("new",))


def _schema(names: Iterable[str]) -> Any:
    """Return the schema of some columns: the name of a column determines its type."""
    return pa.schema([(name, column_type(name)) for name in names])


def column_type(name: str) -> Any:
    """Return the Arrow type of a column, which its name determines."""
    if name in _INTEGERS:
        return pa.int64()
    if name in _LISTS:
        return pa.list_(pa.string())
    if name == "parts":
        return pa.map_(pa.string(), pa.string())
    if name == "notices":
        return pa.list_(pa.struct([("warn", pa.string()), ("value", pa.string())]))
    return pa.bool_() if name in _TRUTHS else pa.string()


class ColumnTable:
    """Writes columns to an output as a Parquet file, in row groups.

    Args:
        output: the output.
        names: the names of the columns; the name of a column determines its type.

    Raises:
        UsageError: pyarrow is not installed.
    """

    def __init__(self, output: Output, names: Iterable[str]) -> None:
        from urisieve.sources.structured.row_files import arrow

        self._arrow, self._parquet = arrow()
        self._output = output
        self._schema = _schema(names)
        self._tables: list[Any] = []
        self._rows = 0
        self._writer: Any = None

    def write_columns(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Take some rows: the values of each column, by its name."""
        self.write_arrays([arrow_array(columns[field.name], field.type) for field in self._schema])

    def write_arrays(self, arrays: Sequence[Any]) -> None:
        """Take some rows: an Arrow array for each column."""
        table = self._arrow.Table.from_arrays(arrays, schema=self._schema)
        self._tables.append(table)
        self._rows += table.num_rows
        if self._rows >= _GROUP:
            self._flush(self._rows // _GROUP * _GROUP)

    def _flush(self, count: int) -> None:
        """Write some of the rows that wait: the row groups do not depend on how the rows came."""
        pa = self._arrow
        whole = pa.concat_tables(self._tables) if self._tables else self._schema.empty_table()
        rest = whole.slice(count)
        self._tables = [rest] if rest.num_rows else []
        self._rows = rest.num_rows
        try:
            if self._writer is None:
                file = ArrowFile(self._output)
                self._writer = self._parquet.ParquetWriter(file, self._schema, compression="zstd")
            self._writer.write_table(whole.slice(0, count).combine_chunks(), row_group_size=_GROUP)
        except pa.ArrowException as error:
            raise OutputError(f"Parquet: {error}") from error

    def close(self) -> None:
        """Write the remaining rows, and the end of the file, without which it cannot be read."""
        if self._rows or self._writer is None:
            self._flush(self._rows)
        self._writer.close()

    def give_up(self) -> None:
        """Close a file that will not be used."""
        if self._writer is not None:
            with suppress(Exception):
                self._writer.close()


def record_arrays(batch: Batch, names: Iterable[str]) -> list[Any]:
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
