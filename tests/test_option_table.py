"""Each option in each call and each command: obeyed, refused, or without effect for a reason that is written down."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import urisieve
from tests.helpers.option_table import (
    BESIDE,
    CALLS,
    CELLS,
    COMMAND_CELLS,
    COMMANDS,
    OBEYED,
    OPTIONS,
    REFUSED,
    cell,
    command_cell,
    command_results,
    results,
    verdict,
)
from urisieve.kernel import compiled
from urisieve.lean import field_names

NO_EFFECT = "no effect"
# Calls that reach each stage in which the kernel may answer.
BY_BOTH_ENGINES = {
    *("sieve", "check", "is_valid", "key", "explain", "arrow.Extractor", "arrow.key_array", "sqlite: uri_find_key"),
    *("sqlite: uri_key", "Known"),
}
COLUMNS = [(group, name) for group, calls in CALLS.items() for name in calls]


def _expected(said: str) -> str:
    return said if said in (OBEYED, REFUSED) else NO_EFFECT


@pytest.mark.sampled(3)
@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize(("group", "name"), COLUMNS, ids=[name for _, name in COLUMNS])
def test_an_option_does_in_a_call_what_the_table_says(group: str, name: str, option: str) -> None:
    assert verdict(results(option, CALLS[group][name])) == _expected(cell(option, group, name))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("name", COMMANDS)
def test_the_flags_of_an_option_do_in_a_command_what_the_table_says(name: str, option: str) -> None:
    assert verdict(command_results(option, COMMANDS[name])) == _expected(command_cell(option, name))


def _with_options() -> Iterator[str]:
    """Yield the names of the public functions and classes that take options."""
    modules = {"": urisieve, **{f"{name}.": getattr(urisieve, name) for name in urisieve._MODULES}}
    modules["sinks.statistics."] = urisieve.sinks.statistics
    del modules["explanation."]  # the function is one of `urisieve`
    for before, module in modules.items():
        for name in module.__all__:
            value: Any = getattr(module, name)
            if callable(value) and not (
                isinstance(value, type) and issubclass(value, (Exception, tuple, urisieve.explanation.Explanation))
            ):
                try:
                    parameters = inspect.signature(value).parameters
                except ValueError:
                    continue
                if "options" in parameters:
                    yield f"{before}{name}"


def test_the_table_has_each_option_and_each_call() -> None:
    assert list(OPTIONS) == list(field_names(urisieve.Options))
    columns = {name for _, name in COLUMNS}
    assert set(_with_options()) <= columns | set(BESIDE)
    assert set(BESIDE.values()) <= columns
    assert {name for row in CELLS.values() for name in row} <= columns | set(CALLS)
    assert set(CELLS) | set(COMMAND_CELLS) <= set(OPTIONS)


def _all_results() -> str:
    found = {
        f"{name} {option}": repr(list(results(option, work)))
        for calls in CALLS.values()
        for name, work in calls.items()
        for option in OPTIONS
        if name in BY_BOTH_ENGINES
    }
    return json.dumps(found)


@pytest.mark.skipif(not compiled, reason="compares the kernel with Python")
def test_both_engines_do_the_same_with_each_option() -> None:
    code = "from tests.test_option_table import _all_results; print(_all_results())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "URISIEVE_PURE": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=Path(__file__).resolve().parent.parent,
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout) == json.loads(_all_results())
