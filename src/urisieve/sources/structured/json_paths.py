"""The paths of strings of JSON: how one is written, and the field that is wanted.

Also defines:

- the check that a requested field exists at all: a name that no row has is more often an error than a choice.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from json import decoder

from urisieve.lean import Final, NamedTuple
from urisieve.records.masking import masked_name
from urisieve.sources.tally import MESSAGES, Tally
from urisieve.wording import did_you_mean

# The longest path: identifiers found many times deep inside would each be written with it.
LONGEST_PATH: Final = 1_024
_SIMPLE_KEY: Final = re.compile(r"[^.\[\]]+")
# A step of a field that the kernel knows: any name or one that a path has as it is, or an index.
_STEP: Final = re.compile(r"(?:(?<=.)\.|\A)(?:(\*)|([^.\[\]@*\0]+))(?=[.\[]|\Z)|\[(0|[1-9][0-9]{0,8}|\*?)\]", re.DOTALL)

AROUND: Final = " \t\r\x1e"
"""White space of JSON (RFC 8259 2), and the record separator of JSON text sequences (RFC 7464 2.2)."""
BLANK: Final = f"{AROUND}\v\f"
"""A line of these alone holds nothing: form feeds and vertical tabs are not JSON, but nothing is lost with them."""
DECODER: Final = decoder.JSONDecoder(object_pairs_hook=tuple, strict=False)
"""Reads JSON: no pair of an object is lost if a key occurs twice; control characters in strings are an error of the
writer, and no reason to lose the line."""
scanstring: Final[Callable[[str, int, bool], tuple[str, int]]] = vars(decoder)["scanstring"]
"""Returns the string of JSON behind an offset, and the offset behind its end; it may hold control characters for False.

Calling it raises `ValueError` if there is none."""


def inner_path(path: str, key: str | int) -> str:
    """Return the path of a member, or of an index in a list, from the path of the container."""
    if len(path) >= LONGEST_PATH:
        return path
    if isinstance(key, int):
        path = f"{path}[{key}]"
    elif _SIMPLE_KEY.fullmatch(key) and "@" not in key:
        path = f"{path}.{key}" if path else key
    else:
        key = masked_name(key)
        path = f'{path}["{key}"]'  # as in JSONPath (RFC 9535 2.3.1)
    return path if len(path) <= LONGEST_PATH else path[: LONGEST_PATH - 1] + "\u2026"


class JsonField(NamedTuple):
    """A field, and everything in it.

    Attributes:
        pattern: the pattern of their paths; None if all are wanted.
        steps: the same for the kernel: a sign and a key for each, with a NUL behind it; None if it does not know that.
    """

    pattern: re.Pattern[str] | None
    steps: bytes | None

    @classmethod
    def of(cls, field: str | None) -> JsonField:
        r"""Return a field by its path.

        >>> JsonField.of("a.b[]").steps
        b'.a\x00.b\x00[\x00'

        Args:
            field: keys with dots between them, `[2]` for an index in a list, `[]` or `[*]` for all; `*` stands for any
                key; None for all that there is.
        """
        if field is None:
            return cls(None, b"")
        parts = re.split(r"(\[\*?\]|\*)", field)
        wild = {"[]": r"\[[0-9]+\]", "[*]": r"\[[0-9]+\]", "*": r"[^.\[\]]+"}
        pattern = re.compile("".join(wild.get(part, re.escape(part)) for part in parts) + r"(?![^.\[])")
        steps = list(_STEP.finditer(field))
        if len(field) >= LONGEST_PATH or "".join(step[0] for step in steps) != field:
            return cls(pattern, None)
        signs = (step[1] or (f".{step[2]}" if step[2] else f"[{step[3].strip('*')}") for step in steps)
        return cls(pattern, "".join(f"{sign}\0" for sign in signs).encode("utf-8", "surrogatepass"))


# The number of names that are remembered, to find the nearest of them.
_NAMES: Final = 1_000


class FieldWatch:
    """Remembers the names of fields until the requested one is seen.

    Args:
        field: the field; None if all are read, so that there is nothing to check.
        rows: the name of the things that have fields, in the plural, for the message.
    """

    def __init__(self, field: str | None, rows: str = "rows") -> None:
        self._field = field
        self._rows = rows
        self._names: dict[str, None] = {}
        self.waits = field is not None
        """Whether the field has not been seen yet."""

    def see(self, name: str, is_wanted: bool) -> None:
        """Note a field that a row has."""
        if is_wanted:
            self.waits = False
            self._names.clear()
        elif len(self._names) < _NAMES:
            self._names[name] = None

    def report(self, source: str, tally: Tally) -> None:
        """Count and report a source that has fields, but not the requested one."""
        if not self.waits or not self._names or self._field is None:
            return
        tally.skip("file", "no-such-field")
        if tally.skipped["file", "no-such-field"] <= MESSAGES:
            ends = (".", "]", '"]')  # of the path before the last name, as in `items[0].url`
            inner = (name for name in self._names if name.endswith(self._field) and name != self._field)
            deep = next((name for name in inner if name[: -len(self._field)].endswith(ends)), None)
            near = did_you_mean(self._field, self._names) if deep is None else f"; did you mean {deep!r}?"
            tally.messages.append(f"{source}: none of the {self._rows} has a field {self._field!r}{near}")
