"""What a `Record` and a `Rejection` have in common: an immutable value of fields in one tuple."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, NoReturn

from urisieve.records.location import NOWHERE, Location

__all__ = ["SCHEMA_VERSION", "Value", "set_fields"]

# The version of the fields of `Record.as_dict` and `Rejection.as_dict`; a change of meaning or of a canonical form
# raises it.
SCHEMA_VERSION: Final = 3


class Value:
    """An immutable value whose fields stand in one tuple."""

    __slots__ = ("_fields",)
    _SOURCE: ClassVar[int]  # the place of the source among the fields
    _fields: tuple[Any, ...]  # the last one is the place, None for a text that stands for itself

    @property
    def source(self) -> str | None:
        """The name of the document, if it has one: a path, then `!` and the member for each archive on the way."""
        return self._fields[self._SOURCE]  # type: ignore[no-any-return]

    @property
    def message(self) -> int | None:
        """The number of the message in its mailbox, from 1."""
        return self._place.message

    @property
    def message_id(self) -> str | None:
        """The Message-ID of the message, without angle brackets."""
        return self._place.message_id

    @property
    def part(self) -> str | None:
        """The part of the message (RFC 9051 6.4.5), or its header field as `header:Subject`."""
        return self._place.part

    @property
    def field(self) -> str | None:
        """The field of structured data, or the element and attribute of HTML (`a@href`)."""
        return self._place.field

    @property
    def row(self) -> int | None:
        """The line of structured data on which its row begins, or the entry of a journal, from 1."""
        return self._place.row

    @property
    def _place(self) -> Location:
        return self._fields[-1] or NOWHERE

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed")


# The slot's own setter: the only way past `__setattr__`.
set_fields: Final[Callable[[Value, tuple[Any, ...]], None]] = Value.__dict__["_fields"].__set__
