"""The columns of batches as Arrow arrays, with pyarrow: from the buffers of the compiled kernel where it found them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from urisieve.errors import UsageError
from urisieve.lean.hints import Any, Final
from urisieve.records.batch import COLUMNS, Batch

__all__ = ["arrow_array", "batch_arrays", "import_arrow", "valid_text"]

# The columns that the kernel gives as buffers.
_BUFFERED: Final = frozenset(
    ("raw", "uri", "key", "start", "end", "scheme", "userinfo", "host", "port", "path", "query", "fragment")
)
_NUMBERS: Final = frozenset(("start", "end"))
# The components of which Python knows other values for some rows: by RFC 2141 `?` and `#` belong to the NSS.
_SECTIONS: Final = frozenset(("path", "query", "fragment"))


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
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:
        return pa.array(list(map(valid_text, values)), kind)


def batch_arrays(batch: Batch, kinds: Mapping[str, Any]) -> list[Any]:
    """Return columns of a batch as Arrow arrays.

    Args:
        batch: the rows; its rejections are left out.
        kinds: by the name of each wanted column, its Arrow type.
    """
    made = _from_buffers(batch, [name for name, kind in kinds.items() if _is_buffered(batch, name, kind)])
    return [made[name] if name in made else _from_values(batch, name, kind) for name, kind in kinds.items()]


def _is_buffered(batch: Batch, name: str, kind: Any) -> bool:
    if batch.harvest is None or name not in _BUFFERED or _is_constant(batch, name):
        return False
    if name in _SECTIONS and batch.has_own_components:
        return False
    pa = import_arrow()
    return bool(kind == (pa.int64() if name in _NUMBERS else pa.string()))


def _is_constant(batch: Batch, name: str) -> bool:
    return name in COLUMNS and batch.is_constant(name)


def _from_buffers(batch: Batch, names: Sequence[str]) -> dict[str, Any]:
    harvest = batch.harvest
    if harvest is None or not names:
        return {}
    pa = import_arrow()
    made = {}
    for name, buffers in zip(names, harvest.buffers(tuple(names)), strict=True):
        kind = pa.int64() if name in _NUMBERS else pa.string()
        made[name] = pa.Array.from_buffers(
            kind, len(harvest), [None if part is None else pa.py_buffer(part) for part in buffers]
        )
    return made


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
