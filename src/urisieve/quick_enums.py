"""`Enum` and `StrEnum` with the contract of the standard library's, at a fraction of the time for each class.

A class is made like one that the standard library has made, so that it has whatever that version of Python expects of
an enum: `isinstance`, pickles, `match` and messages are those of `enum`. Members are attributes of the class itself, as
they are from Python 3.12 on, so that to look one up takes no call. Their values are strings, each of one name.
"""

from __future__ import annotations

import enum

from urisieve.lean import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from enum import Enum as Enum
    from enum import ReprEnum as ReprEnum
    from enum import StrEnum as StrEnum

_NAME: Final = "ONE"
_VALUE: Final = "one"


class _Enum(enum.Enum):
    ONE = "one"


class _StrEnum(enum.StrEnum):
    ONE = "one"


class _Like:
    """The attributes that classes of one base have like a template of the standard library with one member.

    Attributes:
        common: the attributes that all of them share.
        tables: the tables of members, by their names or values; each class has its own.
    """

    def __init__(self, template: Any) -> None:
        kept = {name: value for name, value in vars(template).items() if name.startswith("_") and name not in _OWN}
        self.tables = {name: value for name, value in kept.items() if isinstance(value, (list, dict))}
        self.common = {name: value for name, value in kept.items() if name not in self.tables}

    def table(self, name: str, members: dict[str, Any]) -> Any:
        """Return a table of members like that of the template."""
        like = self.tables[name]
        if isinstance(like, list):
            by_key = {_NAME: list(members), _VALUE: [member._value_ for member in members.values()]}
            return by_key[like[0]] if like else []
        if _NAME in like:
            return members
        return {member._value_: member for member in members.values()} if _VALUE in like else {}


_OWN: Final = ("__module__", "__qualname__", "__doc__", "__annotations__", "__new_member__")


if not TYPE_CHECKING:

    class _Maker(enum.EnumType):
        """The class of the classes that are made like a template."""

        @classmethod
        def __prepare__(cls, name: str, bases: tuple[type, ...], **more: Any) -> Any:
            """Return what the body of a class fills."""
            return {} if type(bases[-1]) is cls else super().__prepare__(name, bases, **more)

        def __new__(cls, name: str, bases: tuple[type, ...], namespace: Any, **more: Any) -> Any:
            """Return a class; its members are the names of its body with a string, or a tuple that begins with one."""
            base = bases[-1]
            if type(base) is not cls:
                return super().__new__(cls, name, bases, namespace, **more)
            if base._member_names_:
                raise TypeError(f"{name} cannot extend {base!r}, which has members")
            like = base._like
            values = {
                key: value for key, value in namespace.items() if key[0] != "_" and isinstance(value, (str, tuple))
            }
            own = {key: value for key, value in namespace.items() if key not in values}
            new = own.pop("__new__", base._new_member_)
            made = type.__new__(cls, name, bases, {**like.common, **own, "_new_member_": new})
            members = {}
            for key, value in values.items():
                given = value if isinstance(value, tuple) else (value,)
                member = object.__new__(made) if new is object.__new__ else new(made, *given)
                vars(member).update(_value_=f"{given[0]}", _name_=key, __objclass__=made, _sort_order_=len(members))
                members[key] = member
                type.__setattr__(made, key, member)
            for key in like.tables:
                type.__setattr__(made, key, like.table(key, members))
            return made

    class Enum(enum.Enum, metaclass=_Maker):
        """An enum whose values are strings, and whose members are not."""

    class StrEnum(enum.StrEnum, metaclass=_Maker):
        """An enum whose members are strings."""

    ReprEnum = StrEnum  # mixed with a class of strings
    type.__setattr__(Enum, "_like", _Like(_Enum))
    type.__setattr__(StrEnum, "_like", _Like(_StrEnum))
