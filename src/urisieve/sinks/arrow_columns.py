"""The columns of batches as Arrow arrays, with pyarrow: from the buffers of the compiled kernel where it found them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from urisieve.errors import UsageError
from urisieve.lean import Any, Final
from urisieve.records.batch import Batch
from urisieve.records.layouts import COLUMNS, Columns, SharedValues
from urisieve.records.record import kind_of_raw
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


def valid_text(value: Any) -> Any:
    """Return a value that Arrow can hold: halves of surrogate pairs have no UTF-8, and become escapes."""
    if isinstance(value, (list, tuple)):
        return [valid_text(item) for item in value]
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def arrow_array(values: Sequence[Any], kind: Any) -> Any:
    """Return values of Python as an Arrow array of a type."""
    pa = import_arrow()
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
    pa = import_arrow()
    made = {}
    for name, buffers in zip(names, layout.buffers(names), strict=True):
        kind = pa.int64() if name in _NUMBERS else pa.string()
        parts = [None if part is None else pa.py_buffer(part) for part in buffers]
        made[name] = pa.Array.from_buffers(kind, layout.length, parts)
    return made


def _computed(batch: Batch, name: str, made: Mapping[str, Any]) -> Any:
    """Return a column that follows from others; what `Batch.column` returns, with less done row by row."""
    pa = import_arrow()
    import pyarrow.compute as pc

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
    pa = import_arrow()
    import pyarrow.compute as pc

    return pc.replace_with_mask(values, mask, pa.array(others(), pa.string())) if mask.true_count else values


def _from_values(batch: Batch, name: str, kind: Any) -> Any:
    pa = import_arrow()
    if not _is_constant(batch, name):
        return arrow_array(batch.column(name), kind)
    value = batch.constant(name)
    if value is None:
        return pa.nulls(len(batch), kind)
    if isinstance(value, (list, tuple)):
        return arrow_array([value] * len(batch), kind)
    return pa.repeat(pa.scalar(valid_text(value), kind), len(batch))
