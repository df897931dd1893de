"""Rows as lines of JSON (RFC 8259), and rows as people may be shown them."""

from __future__ import annotations

from json.encoder import JSONEncoder

from urisieve.lean.hints import TYPE_CHECKING, Any, Final
from urisieve.lean.patterns import lazy_compile
from urisieve.printable import printable

if TYPE_CHECKING:
    from urisieve.records.batch import ByteSpans
    from urisieve.records.record import Record
    from urisieve.records.rejection import Rejection

__all__ = ["json_line", "placed_row", "shown_row"]

_encode: Final = JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
# The characters that JSON need not escape (RFC 8259 7), and that `printable` replaces all the same.
_DRIVING: Final = lazy_compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
# Fields that hold names of files and of things in them.
_NAMES: Final = ("source", "message_id", "part", "field")


def json_line(row: object) -> str:
    """Return a row as JSON, without the end of the line."""
    line = _encode(row)
    if (line.isascii() and "\x7f" not in line) or _DRIVING.search(line) is None:
        return line
    return _DRIVING.sub(lambda found: f"\\u{ord(found[0]):04x}", line)


def shown_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as people may be shown it: no name in it can control a terminal or end a line."""
    return {
        name: printable(value) if isinstance(value, str) and name.endswith(_NAMES) else value
        for name, value in row.items()
    }


def placed_row(value: Record | Rejection, spans: ByteSpans | None, *, parts: bool = False) -> dict[str, Any]:
    """Return the fields of a record or rejection, with its byte offsets from `spans`; see `as_dict` for `parts`."""
    row = value.as_dict(parts=parts)
    if spans is not None:
        row["byte_start"], row["byte_end"] = spans.span(value.start, value.end)
    return row
