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
        Literal,
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
    "Literal",
    "NoReturn",
    "Protocol",
    "Self",
    "TypeAlias",
    "TypeVar",
    "TypedDict",
    "cast",
    "late",
    "overload",
]

if not TYPE_CHECKING:
    Any = AnyStr = object
    TypedDict = dict

    class _Hint:
        """Stands for a type that means nothing at run time."""

        def __class_getitem__(cls, _parameters: object) -> type:
            return cls

    IO = BinaryIO = ClassVar = Final = Generic = Literal = NoReturn = Protocol = Self = TypeAlias = _Hint

    def TypeVar(_name: str, *_constraints: object, **_more: object) -> type:  # noqa: N802 - the name of `typing`
        """Return a stand-in for a type variable."""
        return object

    def cast(_kind: object, value: object) -> object:
        """Return the value."""
        return value

    def overload(function: object) -> object:
        """Return the function."""
        return function


class late(str):  # noqa: N801 - it is called as a function is
    """A name that only annotations use, imported when `typing.get_type_hints` looks for it.

    It stands for the name at run time, beside the import under `TYPE_CHECKING`. `typing` takes a string for an
    annotation that is not evaluated yet; this one holds the expression.

    Args:
        module: the module that has the name.
        name: the name.
    """

    __slots__ = ()

    def __new__(cls, module: str, name: str) -> Self:  # noqa: D102 - its arguments are those of the class
        return super().__new__(cls, f"__import__({module!r}, fromlist=[{name!r}]).{name}")

    def __or__(self, other: object) -> object:
        from typing import Union

        return Union[eval(self), other]  # noqa: UP007 - written here; `|` takes no strings

    def __ror__(self, other: object) -> object:
        from typing import Union

        return Union[other, eval(self)]  # noqa: UP007
