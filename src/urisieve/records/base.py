"""The common base of `Record` and `Rejection`: an immutable view of one row of fields."""

from __future__ import annotations

from urisieve.lean.hints import Any, ClassVar, Final, NoReturn
from urisieve.records.location import NOWHERE, Location

__all__ = ["SCHEMA_VERSION", "Value"]

# The version of the fields of `Record.as_dict` and `Rejection.as_dict`; a change of meaning or of a canonical form
# raises it.
SCHEMA_VERSION: Final = 4


class Value:
    """An immutable view of a row of fields."""

    __slots__ = ()
    _row: tuple[Any, ...]  # a slot of each subclass
    _SOURCE: ClassVar[int]
    _LOCATION: ClassVar[int]

    @property
    def source(self) -> str | None:
        """The name of the document, or None: a path, then `!` and a member for each archive on the way."""
        return self._row[self._SOURCE]  # type: ignore[no-any-return]

    @property
    def message(self) -> int | None:
        """The number of the message in its mailbox, counted from 1; None outside of mail."""
        return self._location.message

    @property
    def message_id(self) -> str | None:
        """The Message-ID of the message without its angle brackets (RFC 5322 3.6.4), or None."""
        return self._location.message_id

    @property
    def part(self) -> str | None:
        """The part of the message (RFC 9051 6.4.5), or its header field as `header:Subject`; None outside of mail."""
        return self._location.part

    @property
    def field(self) -> str | None:
        """The field of structured data, or the element and attribute of HTML (`a@href`); None for running text."""
        return self._location.field

    @property
    def row(self) -> int | None:
        """The line of structured data on which the row begins, or the entry of a journal, from 1; None elsewhere."""
        return self._location.row

    @property
    def _location(self) -> Location:
        return self._row[self._LOCATION] or NOWHERE

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed")
