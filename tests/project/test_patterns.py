"""No pattern of the package repeats a group in a way that some versions of `re` get wrong; see `possessive`."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pkgutil import walk_packages
from re import _parser  # type: ignore[attr-defined]

import pytest

import urisieve
from tests.helpers.possessive import wrong_repeats
from urisieve.lean import _Pattern
from urisieve.syntax import grammar

pytestmark = pytest.mark.once  # the patterns are the same with the kernel


@pytest.mark.parametrize(
    "pattern", [r"(?:ab?c)*+", r"(a)++", r"(?:ab|cd){1,3}+", r"(?!(?:ab)?+)", r"x(?>(?:ab)*+|c)", r"(?>a++(b)|a)*+"]
)
def test_a_wrong_repeat_is_seen(pattern: str) -> None:
    assert len(list(wrong_repeats(_parser.parse.__wrapped__(pattern)))) == 1
    with pytest.raises(AssertionError, match="repeats a group"):  # by the hook of conftest.py, in every test
        re.compile(pattern)


@pytest.mark.parametrize("pattern", [r"(?>ab?c)*+", r"[ab]*+c++.{2,3}+", r"(?:ab)*", r"(?>(?>a)?+b)++", r"(?>(a)b)?+"])
def test_a_right_repeat_is_not(pattern: str) -> None:
    assert re.compile(pattern)


def test_patterns_of_modules_and_rules() -> None:
    """Compile those that wait for their first use; the hook of conftest.py examines each that any test compiles."""
    compiled = 0
    for module in walk_packages(urisieve.__path__, "urisieve."):
        needed = {"spark": "pyspark", "scrapy": "scrapy"}.get(module.name.split(".")[1], "re")
        if not module.name.endswith("__main__") and find_spec(needed):
            for value in vars(import_module(module.name)).values():
                compiled += isinstance(value, _Pattern) and bool(value.pattern)
    assert compiled > 100
    for iri in (False, True):
        for name in grammar._rules(iri):
            if not any(name == characters for characters, *_ in grammar._CHARACTERS):
                assert grammar.compiled(name, iri=iri)


@pytest.mark.parametrize(
    ("pattern", "text", "end"),
    [("(?>ab?c)*+", "aca", 2), ("(?>ab?c)++", "aca", 2), ("(?>ab?c)?+", "a", 0), ("(?>(a)b)?+", "ac", 0)],
)
def test_this_python_matches_them(pattern: str, text: str, end: int) -> None:
    match = re.match(pattern, text)
    assert match is not None
    assert match.end() == end
