"""Rows as lines of JSON (RFC 8259), and rows as people may be shown them."""

from __future__ import annotations

from json.encoder import JSONEncoder

from urisieve.lean.hints import Any, Final
from urisieve.lean.patterns import lazy_compile
from urisieve.printable import printable

__all__ = ["json_line", "shown_row"]

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
