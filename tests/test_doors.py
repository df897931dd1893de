"""Doors: each public call is given things of a wrong shape for each of its arguments, and refuses them: `UsageError`.

The calls are found by their signatures, so that a new one is walked through as well. The message names the argument, by
its name or in the words of `WORDS`.
"""

from __future__ import annotations

import asyncio
import inspect
import re
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

import urisieve
from tests.helpers.folders import ROOT
from urisieve import (
    Batch,
    Filter,
    KeySet,
    Known,
    Profile,
    Scheme,
    UsageError,
    arrow,
    dedupe,
    duckdb,
    explain,
    explanation,
    options,
    parse,
    sinks,
    sqlite,
    testing,
    types,
)
from urisieve.sinks import statistics

TEXT = "http://a.example/"
RECORD = parse(TEXT)


class Wrong:
    """What no argument may be: no text, not iterable, not callable, and without an attribute that counts."""

    def __repr__(self) -> str:
        return "<wrong>"


# Things of other shapes, which are given too, where the annotation of an argument matches.
OTHERS: list[tuple[str, list[Any]]] = [
    (r"^str( \| (None|Default)|$)", [5, b"x", [TEXT]]),
    (r"^str \| os\.PathLike\[str\]", [5, b"x"]),
    (r"^Sequence\[str \| os\.PathLike\[str\]\]", [5, b"x", [5], [b"x"]]),
    (r"^int( \||$)", ["5", 1.5]),
    (r"^bool( \||$)", ["yes", 2]),
    (r"^bytes( \||$)", ["x", 5]),
    (r"^(Callable|On(Error|Event))", ["x", 5]),
    (r"^(Iterable|Sequence)\[(str|Keyed)", [5, b"x", [5]]),
    (r"^(Options|ReadingOptions|Filter|Tally|TextCounts)", ["x", {"level": "none"}, 5]),
]
# What is accepted all the same: the number of a column.
MEANT = {("check_rows.field", "5")}
# In which words a message names an argument, if not by its name.
WORDS = {
    "documents": "a document",
    "token": "a function from a password",
    "rules": "rows",
    "steps": "step",
    "connection": "the connection",
    "batches": "the batches",
    "array": "the array",
}
# What is given for an argument that needs a value, by its name, or by that of the call and its own.
RIGHT: dict[str, Any] = {
    **dict.fromkeys(("text", "uri", "link", "first", "second", "base", "reference", "key", "source", "html"), TEXT),
    "texts": [TEXT],
    "documents": [("a", TEXT)],
    "rows": [TEXT],
    "keys": [TEXT],
    "host": "a.example",
    "replace": "<{uri}>",
    "paths": [str(ROOT / "samples" / "urns.xml")],
    "sources": [TEXT],
    "name": "x",
    "blocks": [b"x"],
    "signature": dedupe.key_signature(),
    "values": RECORD.as_dict(),
    "records": [RECORD],
    "indices": [0],
    "batches": pa.table({"text": [TEXT]}),
    "array": pa.array([TEXT]),
    "other": explain(TEXT),
    "wanted": Filter(),
    "row": Scheme("x-a", "a", "b"),
    "step": "strip-www",
    "path": "path",
    "Rejection.from_dict.values": urisieve.check("x").as_dict(),
    "Batch.column.name": "uri",
    "keys_of": [TEXT],
    "check_rows.path": str(ROOT / "samples/data/links.csv"),
    "check_rows.field": "url",
    "Batch.joined.batches": [],
    "deduplicate_rows.field": ["url"],
    "deduplicate_rows.output": "out.csv",
    "statistics": statistics.StatisticsSink().statistics(),
    "deduplicate_rows.paths": str(ROOT / "samples/data/links.csv"),
    "arrow.key_array.secret": urisieve.new_secret(),
    "read_records.path": str(ROOT / "samples" / "urns.xml.jsonl"),
}
# What is made for each call.
MADE: dict[str, Callable[[], Any]] = {
    "sqlite.register.connection": lambda: sqlite3.connect(":memory:"),
    "duckdb.register.connection": lambda: pytest.importorskip("duckdb").connect(),
    "sink": sinks.CountSink,
}

_OF_PACKAGE = "the package makes them, and users read them"
_OF_ROW = "a row is checked where it is used, by `Options` and `check_row`: the package makes some 150 at each start"
_OF_ENGINE = "the engine calls it once for each batch, or record, and users have no reason to"
_OF_COMMAND = "the command makes it, of settings that are not public"
# Calls, and arguments of any call, that are left out, and why.
LEFT_OUT = {
    "default": "anything may be returned",
    **dict.fromkeys(
        ("Record", "Rejection", "Explanation", "Urn", "Batch", "Tally", "Segments", "sinks.Output"), _OF_PACKAGE
    ),
    **dict.fromkeys(("Record.get", "Rejection.get"), "as of any mapping: there is no such field"),
    "Namespace": _OF_ROW,
    **{
        f"Batch.{name}": _OF_ENGINE
        for name in (
            *("constant", "dated", "iri_of", "is_constant", "is_like", "like", "placed"),
            *("rejecting", "replaced", "with_rejections", "with_spans", "without"),
        )
    },
    **dict.fromkeys(("Record.with_bytes", "Record.with_row", "Rejection.with_bytes"), _OF_ENGINE),
    **dict.fromkeys(("KeySet.unseen_lines", "Known.held"), _OF_ENGINE),
    **{
        f"sinks.{name}": _OF_COMMAND
        for name in ("FirstSeenSink", "KeptSink", "RecordSink", "SafeCells", "StoreSink", "TableSink")
    },
}
# Objects whose methods are calls, and how they are made.
OBJECTS: dict[str, Callable[[], Any]] = {
    "Record": lambda: RECORD,
    "Rejection": lambda: urisieve.check("x"),
    "Batch": lambda: Batch.of([RECORD]),
    "KeySet": KeySet,
    "Known": lambda: Known([TEXT]),
    "Scanner": urisieve.Scanner,
    "Profile": lambda: Profile(steps="strip-www"),
    "PathFilter": options.PathFilter,
    "Explanation": lambda: explain(TEXT),
}


class Door(NamedTuple):
    """A public call: its name, how it is called, and its parameters."""

    name: str
    call: Callable[..., Any]
    parameters: list[inspect.Parameter]


def _door(name: str, call: Callable[..., Any], signed: Any = None) -> Door:
    parameters = list(inspect.signature(signed or call).parameters.values())[0 if signed is None else 1 :]
    return Door(name, call, [one for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)])


def _doors_of(name: str, found: Any) -> Iterator[Door]:
    """Yield the calls that a public name is."""
    if inspect.isfunction(found):
        yield _door(name, found)
    # A row of a reader is checked where it is used.
    if (
        not inspect.isclass(found)
        or issubclass(found, (Enum, Exception, tuple, str))
        or getattr(found, "_is_protocol", False)
    ):
        return
    is_data = hasattr(found, "__dataclass_fields__") and name.startswith("statistics.")  # of the package
    if not is_data:
        yield _door(name, found)
    for method in dir(found):
        if method.startswith("_"):
            continue
        static = inspect.getattr_static(found, method)
        if isinstance(static, (classmethod, staticmethod)):
            yield _door(f"{name}.{method}", getattr(found, method))
        elif inspect.isfunction(static) and name in OBJECTS:
            yield _door(f"{name}.{method}", lambda *a, _m=method, **k: getattr(OBJECTS[name](), _m)(*a, **k), static)


def _doors() -> Iterator[Door]:
    modules: list[tuple[str, ModuleType]] = [
        ("", urisieve),
        ("arrow.", arrow),
        ("sqlite.", sqlite),
        ("duckdb.", duckdb),
    ]
    modules += [("sinks.", sinks), ("statistics.", statistics), ("testing.", testing)]
    modules += [("", options), ("", types), ("", explanation), ("dedupe.", dedupe)]
    for prefix, module in modules:
        for name in module.__all__:
            yield from _doors_of(f"{prefix}{name}", getattr(module, name))


def _value(door: Door, name: str) -> Any:
    wanted = next(one for one in (f"{door.name}.{name}", name) if one in RIGHT or one in MADE)
    return MADE[wanted]() if wanted in MADE else RIGHT[wanted]


def _called(door: Door, wrong: str, value: object) -> object:
    """Call with a wrong value for one argument, and read to the end what it returns."""
    args: list[object] = []
    named: dict[str, object] = {}
    for one in door.parameters:
        if one.name != wrong and one.default is not one.empty and f"{door.name}.{one.name}" not in RIGHT:
            continue
        given = value if one.name == wrong else _value(door, one.name)
        if one.kind is one.POSITIONAL_ONLY:
            args.append(given)
        else:
            named[one.name] = given
    found = door.call(*args, **named)
    if isinstance(found, AsyncIterator):
        asyncio.run(anext(found))  # type: ignore[arg-type] # all are generators
    return list(found) if isinstance(found, Iterator) else found


CASES = [
    pytest.param(door, one, id=f"{door.name}-{one.name}")
    for door in _doors()
    if door.name not in LEFT_OUT
    for one in door.parameters
    if one.name not in LEFT_OUT
]


@pytest.mark.parametrize(("door", "parameter"), CASES)
def test_what_an_argument_cannot_be_is_refused(
    door: Door, parameter: inspect.Parameter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    others = [value for fits, values in OTHERS if re.search(fits, str(parameter.annotation)) for value in values]
    for value in (Wrong(), *others):
        if (f"{door.name}.{parameter.name}", repr(value)) in MEANT:
            continue
        with pytest.raises(UsageError) as caught:
            _called(door, parameter.name, value)
        said = str(caught.value)
        assert parameter.name in said or WORDS.get(parameter.name, parameter.name) in said, (value, said)
    assert list(tmp_path.iterdir()) == [], "a file was made"


def test_what_is_left_out_is_there() -> None:
    names = {door.name for door in _doors()} | {one.name for door in _doors() for one in door.parameters}
    assert [name for name in LEFT_OUT if name not in names] == []
    assert len(CASES) > 300
