"""Values as bytes and back: what is packed comes back, what is not known is refused, and nothing else makes bytes."""

from __future__ import annotations

import ast
from pathlib import Path
from types import GenericAlias, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urisieve
from urisieve.dedupe.counts import NAMED, PLAIN, packed, unpacked
from urisieve.records.base import Context, Location

TEXTS = st.none() | st.text(st.characters(exclude_categories=()), max_size=5)  # lone surrogates, too
NUMBERS = st.none() | st.integers()
CONTEXTS = st.builds(Context, TEXTS, TEXTS, TEXTS, st.none() | st.tuples(TEXTS, TEXTS), TEXTS)
LOCATIONS = st.builds(Location, NUMBERS, TEXTS, TEXTS, TEXTS, NUMBERS, st.none() | CONTEXTS)
VALUES = st.recursive(
    TEXTS | NUMBERS | st.booleans() | st.binary(max_size=3) | st.floats(allow_nan=False) | LOCATIONS,
    lambda inner: st.lists(inner, max_size=3).map(tuple),
)


@given(VALUES)
def test_what_is_packed_comes_back(value: Any) -> None:
    again = unpacked(packed(value))
    assert again == value
    assert repr(again) == repr(value)  # a location is no plain tuple


@pytest.mark.parametrize("value", [object(), [1], ..., {"a": 1}, Path("a"), (1, (2, [3])), Location(field=[1])])  # type: ignore[arg-type]
def test_what_is_not_known_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match=r"is not among the types that can be packed"):
        packed(value)


def _types(hint: Any) -> list[Any]:
    """The types of which a value may be, or which it may hold."""
    if isinstance(hint, (UnionType, GenericAlias)) or get_origin(hint) is not None:
        return [one for inner in get_args(hint) if inner is not ... for one in _types(inner)]
    return [hint]


def test_each_field_is_of_a_type_that_is_known() -> None:
    """So that a new field of a location is packed, or is missed here, and not where it is first used."""
    fields = [(kind, name, hint) for kind in NAMED for name, hint in get_type_hints(kind).items()]
    assert [
        f"{kind.__name__}.{name}"
        for kind, name, hint in fields
        if not set(_types(hint)) <= {*PLAIN, *NAMED} or get_origin(hint) not in (None, UnionType, tuple)
    ] == []
    assert _types(tuple[str, ...] | None) == [str, type(None)]


@pytest.mark.long
@pytest.mark.parametrize(("module", "only"), [("marshal", "dedupe/counts.py"), ("pickle", "runs/workers.py")])
def test_one_module_makes_bytes_of_values(module: str, only: str) -> None:
    root = Path(urisieve.__file__).parent
    using = [
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Import) and module in [alias.name for alias in node.names]
    ]
    assert using == [only]
