"""`Rejection`: a candidate that is no identifier, with the reason."""

from __future__ import annotations

from typing import Any, Final

from urisieve.codes import REASONS, Component, Reason
from urisieve.errors import UrisieveError
from urisieve.records.base import SCHEMA_VERSION, Value, set_fields
from urisieve.records.masking import masked_place

__all__ = ["InvalidIdentifier", "Rejection", "make_rejection"]

# How much of a long candidate `Rejection.explain` shows on either side of the place.
_SHOWN: Final = 60
_new: Final = object.__new__


class Rejection(Value):
    """A candidate that is no identifier, with the reason.

    `offset` is the 0-based place in the candidate where it fails; `start`, `end`, `line`, `column`, `source`,
    `byte_start`, `byte_end` and what says where the text stands are as in `Record`. Equality and hash are those of all
    fields. A rejection is falsy, and a record is true: `if check(text):` means what it says.

    >>> import urisieve
    >>> found = urisieve.check("http://example.com:80ab/")
    >>> bool(found), str(found.reason), found.offset
    (False, 'bad-port', 21)
    """

    __slots__ = ()
    _SOURCE = 9

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("rejections come from sieve() or check()")

    @property
    def raw(self) -> str:
        """The candidate as it stood in the text."""
        return self._fields[0]  # type: ignore[no-any-return]

    @property
    def reason(self) -> Reason:
        """The stable code; `urisieve.codes` explains each."""
        return self._fields[1]  # type: ignore[no-any-return]

    @property
    def component(self) -> Component:
        """The component in which it fails."""
        return self._fields[2]  # type: ignore[no-any-return]

    @property
    def offset(self) -> int:
        """Where it fails, from the start of `raw`."""
        return self._fields[3]  # type: ignore[no-any-return]

    @property
    def section(self) -> str:
        """The section of the RFC that it breaks."""
        return self._fields[4]  # type: ignore[no-any-return]

    @property
    def start(self) -> int:
        """Offset of the first character."""
        return self._fields[5]  # type: ignore[no-any-return]

    @property
    def end(self) -> int:
        """Offset after the last character."""
        return self._fields[6]  # type: ignore[no-any-return]

    @property
    def line(self) -> int:
        """Line of the first character, from 1; 0 where lines are not counted."""
        return self._fields[7]  # type: ignore[no-any-return]

    @property
    def column(self) -> int:
        """Column of the first character in its line, from 1; 0 where lines are not counted."""
        return self._fields[8]  # type: ignore[no-any-return]

    @property
    def byte_start(self) -> int | None:
        """Offset of the first byte, for sources of bytes."""
        return self._fields[10]  # type: ignore[no-any-return]

    @property
    def byte_end(self) -> int | None:
        """Offset after the last byte, for sources of bytes."""
        return self._fields[11]  # type: ignore[no-any-return]

    def __bool__(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return self._fields == other._fields if isinstance(other, Rejection) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._fields)

    def __repr__(self) -> str:
        return f"<Rejection {self.reason} {self.masked().raw[:80]!r} at {self.start}:{self.end}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return make_rejection, (self._fields,)

    def as_dict(self) -> dict[str, Any]:
        """All fields by name, in the order of the schema; see `SCHEMA_VERSION`."""
        raw, reason, component, offset, section, start, end, line, column, source, *byte_span, _ = self._fields
        return {
            "schema": SCHEMA_VERSION,
            "raw": raw,
            "reason": reason,
            "component": component,
            "offset": offset,
            "section": section,
            "source": source,
            **self._place._asdict(),
            "start": start,
            "end": end,
            "line": line,
            "column": column,
            "byte_start": byte_span[0],
            "byte_end": byte_span[1],
        }

    def masked(self) -> Rejection:
        """The same rejection with any password masked; `offset` still points at the same character."""
        raw, offset = masked_place(self.raw, self.offset)
        return self if raw == self.raw else make_rejection((raw, *self._fields[1:3], offset, *self._fields[4:]))

    def with_bytes(self, byte_start: int, byte_end: int) -> Rejection:
        """The same rejection with its place in a source of bytes."""
        return make_rejection((*self._fields[:10], byte_start, byte_end, self._fields[12]))

    def explain(self) -> str:
        """Two lines with a caret under the place, then what is wrong and the section that says so."""
        raw, offset = masked_place(self.raw, self.offset)
        first = max(0, offset - _SHOWN)
        shown = raw[first : offset + _SHOWN]
        shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in shown)
        lead = "..." if first else ""
        tail = "..." if offset + _SHOWN < len(raw) else ""
        caret = " " * (len(lead) + offset - first) + "^"
        meaning = REASONS[self.reason].meaning
        what = f"{self.reason} in {self.component} at {offset}: {meaning} ({self.section})"
        return f"{lead}{shown}{tail}\n{caret}\n{what}"


def make_rejection(fields: tuple[Any, ...]) -> Rejection:
    """Build a rejection from its fields, in the order of the properties above."""
    rejection = _new(Rejection)
    set_fields(rejection, fields)
    return rejection


class InvalidIdentifier(UrisieveError, ValueError):  # noqa: N818 - the name is part of the interface
    """A text given as an identifier is none.

    Attributes:
        rejection: the reason, the component, the offset and the RFC section.
    """

    __module__ = "urisieve"  # where it is imported from, as tracebacks show it

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection)
        self.rejection = rejection

    def __str__(self) -> str:
        return self.rejection.explain()
