"""The annotations of the public names can be evaluated, as frameworks do that look at functions."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, Union, get_type_hints

import pytest

import urisieve
from urisieve.lean import late


def functions(name: str, value: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """A public function, or a public class and its public methods, inherited ones too."""
    if inspect.isfunction(value) or isinstance(value, type):
        yield name, value
    if not isinstance(value, type):
        return
    for base in value.__mro__:
        for method, member in vars(base).items():
            if base.__module__.startswith("urisieve.") and (not method.startswith("_") or method == "__init__"):
                function = member.fget if isinstance(member, property) else getattr(value, method)
                function = getattr(function, "__func__", function)
                if inspect.isfunction(function):
                    yield f"{name}.{method}", function


PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (
        *(urisieve, urisieve.types, urisieve.options, urisieve.errors, urisieve.dedupe),
        *(urisieve.sinks, urisieve.sinks.statistics),
    )
    for name in module.__all__
    if not name.startswith("__")
}


@pytest.mark.parametrize("name", PUBLIC)
def test_annotations_of_public_names(name: str) -> None:
    for described, function in functions(name, PUBLIC[name]):
        hints = get_type_hints(function)
        assert not any(isinstance(hint, (str, late)) for hint in hints.values()), described


def test_names_that_are_imported_late() -> None:
    assert get_type_hints(urisieve.sieve_into)["sink"] is urisieve.sinks.Sink
    assert get_type_hints(vars(urisieve.Record)["urn"].fget)["return"] == Union[urisieve.types.Urn, None]  # noqa: UP007 - compared
    assert get_type_hints(urisieve.Options)["rules"] == get_type_hints(urisieve.Options.__init__)["rules"]
    either = get_type_hints(urisieve.Batch.found)["return"]
    assert set(either.__args__[0].__args__) == {urisieve.Record, urisieve.Rejection}


def test_they_are_not_imported_before() -> None:
    code = (
        "import sys, urisieve; list(urisieve.extract('http://a.example/')); urisieve.sieve_into; "
        "print([name for name in ('typing', 'urisieve.records.sink') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
