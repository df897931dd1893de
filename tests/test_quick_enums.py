"""Quick enums do what those of the standard library do."""

from __future__ import annotations

import copy
import enum
import pickle
from types import SimpleNamespace
from typing import Any

import pytest

from urisieve import quick_enums
from urisieve.codes import Reason, Warn
from urisieve.find.delimited import Delimited
from urisieve.finding_options import Level
from urisieve.sources.kinds.kind_table import Kind


def _classes(of: Any) -> dict[str, Any]:
    """The same classes, of the standard library or of ours."""

    class Word(of.StrEnum):  # type: ignore[misc]
        """A word."""

        A = "a"
        B_C = "b-c"

        def shout(self) -> str:
            return f"{self.value}!"

        @property
        def length(self) -> int:
            return len(self.value)

    class Thing(of.Enum):  # type: ignore[misc]
        """A thing."""

        A = "a"
        B_C = "b-c"

        def shout(self) -> str:
            return f"{self.value}!"

        @property
        def length(self) -> int:
            return len(self.value)

    class _Base(of.StrEnum):  # type: ignore[misc]
        def __new__(cls, code: str, more: str = "") -> Any:
            made = str.__new__(cls, code)
            made._value_ = code
            made.more = more
            return made

    class Coded(_Base):
        A = "a", "first"
        B_C = "b-c"

    return {"Word": Word, "Thing": Thing, "Coded": Coded}


_OURS = _classes(quick_enums)
_STANDARD = _classes(SimpleNamespace(Enum=enum.Enum, StrEnum=enum.StrEnum))
_EXPRESSIONS = (
    *(
        "list(X)",
        "len(X)",
        "list(reversed(X))",
        "X.__members__",
        "bool(X)",
        "repr(X)",
        "X.__doc__",
        "sorted(vars(X.A))",
    ),
    *("X('a') is X.A", "X('b-c') is X['B_C']", "X.A.name, X.A.value", "X.A in X", "isinstance(X.A, enum.Enum)"),
    *("repr(X.A)", "str(X.A)", "f'{X.A}'", "f'{X.A:>9}'", "X.A.__class__ is X", "issubclass(X, str)"),
    *("X.A == 'a'", "'a' == X.A", "hash(X.A) == hash('a')", "{X.A: 1}.get('a')", "X.A < 'b'", "X.A == X.B_C"),
    *(
        "X.A.shout(), X.B_C.length",
        "X.A.more",
        "X.A is copy.copy(X.A) is copy.deepcopy(X.A)",
        "X.A.__reduce_ex__(2)[1]",
    ),
    *(
        "X('z')",
        "X['a']",
        "X.Z",
        "X()",
        "X(1)",
        "X(['a'])",
        "X('a', 1)",
        "enum.unique(X) is X",
        "X.A.__reduce_ex__(2)[1]",
    ),
    *("setattr(X, 'A', 1)", "delattr(X, 'A')", "setattr(X.A, 'name', 1)", "X.A | 1", "sorted(X.A.__dict__)"),
)


def _outcome(expression: str, of: Any) -> str:
    try:
        return repr(eval(expression, {"X": of, "enum": enum, "copy": copy}))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("name", _OURS)
@pytest.mark.parametrize("expression", _EXPRESSIONS)
def test_it_does_what_the_standard_one_does(name: str, expression: str) -> None:
    assert _outcome(expression, _OURS[name]) == _outcome(expression, _STANDARD[name])


@pytest.mark.parametrize("name", ["Word", "Thing"])
def test_one_with_members_is_not_extended(name: str) -> None:
    with pytest.raises(TypeError, match="cannot extend"):
        type(_OURS[name])("More", (_OURS[name],), {"C": "c"})


@pytest.mark.parametrize("member", [Level.NONE, Reason.BAD_PORT, Warn.REPAIRED, Delimited.LINK, Kind.GZIP])
def test_a_member_is_itself_after_a_pickle(member: enum.Enum) -> None:
    assert pickle.loads(pickle.dumps(member)) is member
    assert type(member)(member.value) is member is type(member)[member.name]
    assert type(member).__members__[member.name] is getattr(type(member), member.name) is member
