"""The names of `typing` and the types that only annotations use, without the time that importing `typing` takes.

Annotations are not evaluated (`from __future__ import annotations`), so that stand-ins do at run time. A protocol that
users may extend takes `typing.Protocol`, in a module that is imported when somebody asks for it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import (
        IO,
        Any,
        AnyStr,
        BinaryIO,
        ClassVar,
        Final,
        Generic,
        NoReturn,
        Protocol,
        Self,
        TypeAlias,
        TypedDict,
        TypeVar,
        cast,
        overload,
    )

__all__ = [
    "IO",
    "TYPE_CHECKING",
    "Any",
    "AnyStr",
    "BinaryIO",
    "ClassVar",
    "Final",
    "Generic",
    "NoReturn",
    "Protocol",
    "Self",
    "TypeAlias",
    "TypeVar",
    "TypedDict",
    "cast",
    "overload",
]

if not TYPE_CHECKING:
    Any = AnyStr = object
    TypedDict = dict

    class _Hint:
        """Stands for a type that means nothing at run time."""

        def __class_getitem__(cls, _parameters: object) -> type:
            return cls

    IO = BinaryIO = ClassVar = Final = Generic = NoReturn = Protocol = Self = TypeAlias = _Hint

    def TypeVar(_name: str, *_constraints: object, **_more: object) -> type:  # noqa: N802 - the name of `typing`
        """Return a stand-in for a type variable."""
        return object

    def cast(_kind: object, value: object) -> object:
        """Return the value."""
        return value

    def overload(function: object) -> object:
        """Return the function."""
        return function
