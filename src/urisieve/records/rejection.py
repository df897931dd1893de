"""`Rejection`: a candidate that is not a valid identifier, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from urisieve.codes import REASONS, Component, Notice, Reason, Warn
from urisieve.errors import InputError, UrisieveError, UsageError
from urisieve.lean import TYPE_CHECKING, Any, Final, Literal
from urisieve.records.base import PLACE_NAMES, RejectionFields, Value, values_by_name, values_together
from urisieve.records.masking import masked_with_offset

if TYPE_CHECKING:
    from urisieve.judge.validate import Fault

# The number of characters of a long candidate that `Rejection.explain` shows on either side of the offset.
_SHOWN: Final = 60
# The fields of the mapping that `values_by_name` does not add.
_NAMES: Final = (
    *("raw", "reason", "component", "offset", "section", "source", *PLACE_NAMES),
    *("start", "end", "line", "column", "byte_start", "byte_end"),
)


class Rejection(Value):
    """A candidate that is not a valid identifier, with the reason: a view of a row of fields.

    `offset` is the offset in `raw` at which the candidate fails, in characters from 0. `start`, `end`, `line`,
    `column`, `source`, `byte_start`, `byte_end` and the fields of the location (`message` to `row`) are as in `Record`,
    and so is the mapping of its fields. Equality and hash are those of all fields. A rejection is false in a condition
    and a record is true: `if check(text):` asks whether the text is valid.

    >>> from urisieve import Rejection, check
    >>> found = check("http://example.com:80ab/")
    >>> isinstance(found, Rejection), bool(found)
    (True, False)
    >>> if not found:
    ...     print(found.reason, found.offset)
    bad-port 21

    Raises:
        TypeError: it is constructed directly; `sieve` and `check` return rejections.
    """

    __slots__ = ("_row",)
    _row: RejectionFields
    _START = RejectionFields._fields.index("start")
    _VALUES = values_by_name(_NAMES, context=True)
    _PLAIN = values_by_name(_NAMES, context=False)
    _TOGETHER = values_together(_NAMES)

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("a Rejection cannot be made directly: rejections come from sieve() or check()")

    @property
    def raw(self) -> str:
        """The candidate as it stood in the text."""
        return self._row.raw

    @property
    def reason(self) -> Reason:
        """The stable code of the reason; `urisieve.codes` explains each."""
        return self._row.reason

    @property
    def component(self) -> Component:
        """The component that is not valid."""
        return self._row.component

    @property
    def offset(self) -> int:
        """The offset at which the candidate fails, in characters from 0, from the start of `raw`."""
        return self._row.offset

    @property
    def section(self) -> str:
        """The section of the RFC that the candidate violates, such as `RFC 3986 3.2.3`."""
        return self._row.section

    @property
    def notices(self) -> tuple[Notice, ...]:
        """The value that was expected, for a wrong check digit (`Options.bare`); computed when it is asked for."""
        if self.reason is not Reason.WRONG_CHECK_DIGIT:
            return ()
        from urisieve.judge.bare_names import expected_in

        expected = expected_in(self.raw)
        return () if expected is None else (Notice(Warn.WRONG_CHECK_DIGIT, expected),)

    @property
    def meaning(self) -> str:
        """The reason in words, with the check digit that was expected.

        >>> from urisieve import check
        >>> check("http://example.com:80ab/").meaning
        'a port consists of digits only'
        """
        expected = f"; expected {self.notices[0].detail}" if self.notices else ""
        return f"{REASONS[self.reason].meaning}{expected}"

    def __bool__(self) -> Literal[False]:
        return False

    def __eq__(self, other: object) -> bool:
        return self._row == other._row if isinstance(other, Rejection) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._row)

    def __repr__(self) -> str:
        return f"<Rejection {self.reason} {self.masked().raw[:80]!r} at {self.start}:{self.end}>"

    def _repr_html_(self) -> str:
        """Return a table for notebooks: escaped, defanged, without links and passwords."""
        from urisieve.records.read_back import rejection_html

        return rejection_html(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return make_rejection, (self._row,)

    def _requested(self) -> dict[str, Any]:
        return {"notices": [notice.as_dict() for notice in self.notices]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rejection:
        """Return the rejection of a mapping of its fields, as one is, or as `extract --rejected` writes a line.

        >>> from urisieve import Rejection, check
        >>> rejection = check("http://example.com:80ab/")
        >>> Rejection.from_dict(dict(rejection)) == rejection
        True

        Args:
            values: the fields by name, all of them.

        Raises:
            UsageError: a field is missing, unknown or has a wrong value, the message says which; or the rejection is
                of another `SCHEMA_VERSION`.
        """
        from urisieve.records.read_back import check_against, check_fields, fields_of_rejection

        some = make_rejection(RejectionFields("", Reason.NO_SCHEME, Component.SCHEME, 0, "", 0, 0, 0, 0))
        given = check_fields(values, some.keys(), cls.__name__)
        try:
            rejection = make_rejection(fields_of_rejection(given))
        except InputError as error:
            raise UsageError(f"the mapping {error}") from error
        check_against(given, rejection.as_dict(), cls.__name__)
        return rejection

    def masked(self) -> Rejection:
        """Return the same rejection with any password masked; `offset` still points at the same character."""
        raw, offset = masked_with_offset(self.raw, self.offset)
        return self if raw == self.raw else make_rejection(self._row._replace(raw=raw, offset=offset))

    def with_bytes(self, byte_start: int, byte_end: int) -> Rejection:
        """Return the same rejection with its offsets in a source of bytes, half-open and counted from 0."""
        return make_rejection(self._row._replace(byte_start=byte_start, byte_end=byte_end))

    def explain(self) -> str:
        """Return three lines: the candidate, a caret under the offset, and the reason with its section."""
        raw, offset = masked_with_offset(self.raw, self.offset)
        first = max(0, offset - _SHOWN)
        shown = raw[first : offset + _SHOWN]
        shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in shown)
        lead = "..." if first else ""
        tail = "..." if offset + _SHOWN < len(raw) else ""
        caret = " " * (len(lead) + offset - first) + "^"
        what = f"{self.reason} in {self.component} at {offset}: {self.meaning} ({self.section})"
        return f"{lead}{shown}{tail}\n{caret}\n{what}"


_new: Final = object.__new__
# The setter of the slot itself: the only way past `__setattr__`.
_set_row: Final[Callable[[Rejection, RejectionFields], None]] = Rejection.__dict__["_row"].__set__


def make_rejection(row: RejectionFields) -> Rejection:
    """Build a rejection from its fields."""
    rejection = _new(Rejection)
    _set_row(rejection, row)
    return rejection


def rejection_of_whole(text: str, found: Fault) -> Rejection:
    """Build the rejection of a whole text by its fault."""
    if found[0] is Reason.TOO_LONG:
        text = text[: found[2]]
    return make_rejection(RejectionFields(text, *found, 0, len(text), 1, 1))


class InvalidIdentifierError(UrisieveError, ValueError):
    """The error of calls that need a valid identifier and were given a text that is not valid; also a ValueError.

    >>> from urisieve import InvalidIdentifierError, parse
    >>> try:
    ...     parse("http://example.com:80ab/")
    ... except InvalidIdentifierError as error:
    ...     print(error.rejection.reason, error.rejection.offset)
    bad-port 21

    Attributes:
        rejection: the reason, the component, the offset and the RFC section.
    """

    __module__ = "urisieve"  # the module that programs import it from, as tracebacks show it

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection)
        self.rejection = rejection

    def __str__(self) -> str:
        return self.rejection.explain()
