"""`urisieve.lean` keeps the contracts of the standard library's `NamedTuple` and `dataclass`: the two are compared."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import re
import subprocess
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from urisieve import Options, ReadingOptions, Scheme, Tally
from urisieve import lean as values
from urisieve.codes import Notice
from urisieve.lean import lazy_compile
from urisieve.types import Components, Location


class Pair(values.NamedTuple):
    """Two values."""

    first: str
    second: int = 2

    @property
    def both(self) -> tuple[str, int]:
        return self.first, self.second


class StandardPair(typing.NamedTuple):
    """Two values."""

    first: str
    second: int = 2

    @property
    def both(self) -> tuple[str, int]:
        return self.first, self.second


@values.dataclass(frozen=True, kw_only=True, slots=True)
class Frozen:
    """An immutable value."""

    name: str
    size: int = 0
    tags: list[str] = values.field(default_factory=list)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", int(self.size))


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class StandardFrozen:
    """An immutable value."""

    name: str
    size: int = 0
    tags: list[str] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", int(self.size))


@values.dataclass(slots=True)
class Counts:
    found: int = 0
    names: list[str] = values.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class StandardCounts:
    found: int = 0
    names: list[str] = dataclasses.field(default_factory=list)


def _outcome(act: Callable[[], object]) -> str:
    """What an action returns or raises, without what tells the two implementations apart."""
    try:
        outcome = repr(act())
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"
    return re.sub(r" at 0x\w+", "", outcome.replace("Standard", ""))


TUPLES: list[Callable[[Any], object]] = [
    lambda pair: pair("a"),
    lambda pair: pair(second=1, first="a"),
    lambda pair: pair(),
    lambda pair: pair("a", 1, 2),
    lambda pair: pair("a", third=1),
    lambda pair: pair._make(["a", 1]),
    lambda pair: pair._make(["a"]),
    lambda pair: pair("a")._replace(second=3),
    lambda pair: pair("a")._replace(third=3),
    lambda pair: pair("a")._asdict(),
    lambda pair: (pair._fields, pair._field_defaults, pair.__match_args__, pair.__slots__, pair.__bases__),
    lambda pair: (pair.__doc__, pair.__new__.__doc__, pair.first.__doc__, pair.__qualname__, pair.__module__),
    lambda pair: (pair("a") == ("a", 2), hash(pair("a")) == hash(("a", 2)), pair("a") < pair("b")),
    lambda pair: (pair("a").both, pair("a")[0], pair("a").second),
    lambda pair: (pickle.loads(pickle.dumps(pair("a"))), copy.deepcopy(pair("a")), copy.copy(pair("a"))),
    lambda pair: list(inspect.signature(pair).parameters.values()),
    lambda pair: setattr(pair("a"), "first", "b"),
    lambda pair: typing.get_type_hints(pair),
]


@pytest.mark.parametrize("number", range(len(TUPLES)))
def test_named_tuples(number: int) -> None:
    act = TUPLES[number]
    # The standard library names the annotations, which its constructor alone repeats, as references.
    ours, standard = (_outcome(lambda kind=kind: act(kind)) for kind in (Pair, StandardPair))  # type: ignore[misc]
    assert ours == re.sub(r"(first|second): (?:ForwardRef\('\w+'\)|str|int)", r"\1", standard).replace(
        "second = 2", "second=2"
    )


DATA: list[Callable[[Any], object]] = [
    lambda kind: kind(name="a"),
    lambda kind: kind(),
    lambda kind: kind("a"),
    lambda kind: kind(name="a", size="3"),
    lambda kind: kind(name="a", more=1),
    lambda kind: (kind(name="a") == kind(name="a"), kind(name="a") == kind(name="b"), kind(name="a") == "a"),
    lambda kind: hash(kind(name="a", tags=())) == hash(kind(name="a", tags=())),
    lambda kind: hash(kind(name="a")),
    lambda kind: kind(name="a").tags is kind(name="a").tags,
    lambda kind: dataclasses.replace(kind(name="a"), size=5),
    lambda kind: dataclasses.replace(kind(name="a"), more=5),
    lambda kind: dataclasses.asdict(kind(name="a")),
    lambda kind: dataclasses.is_dataclass(kind),
    lambda kind: [(one.name, one.type, one.kw_only, one.init) for one in dataclasses.fields(kind)],
    lambda kind: [dataclasses.fields(kind)[1].default, dataclasses.fields(kind)[2].default_factory],
    lambda kind: kind.__dataclass_params__.frozen,
    lambda kind: (kind.__match_args__, kind.__slots__, kind.__doc__, kind.__qualname__, kind.__module__),
    lambda kind: pickle.loads(pickle.dumps(kind(name="a", size=4))),
    lambda kind: copy.deepcopy(kind(name="a", size=4)),
    lambda kind: inspect.signature(kind),
    lambda kind: setattr(kind(name="a"), "size", 4),
    lambda kind: delattr(kind(name="a"), "size"),
    lambda kind: typing.get_type_hints(kind),
]


@pytest.mark.parametrize("number", range(len(DATA)))
def test_frozen_classes(number: int) -> None:
    assert _outcome(lambda: DATA[number](Frozen)) == _outcome(lambda: DATA[number](StandardFrozen))


COUNTS: list[Callable[[Any], object]] = [
    lambda kind: kind(),
    lambda kind: kind(1, ["a"]),
    lambda kind: kind(1, [], 2),
    lambda kind: (kind(1) == kind(1), kind.__match_args__, kind.__hash__),
    lambda kind: hash(kind()),
    lambda kind: pickle.loads(pickle.dumps(kind(3))),
    lambda kind: setattr(kind(), "found", 2),
    lambda kind: setattr(kind(), "more", 2),
    lambda kind: inspect.signature(kind),
]


@pytest.mark.parametrize("number", range(len(COUNTS)))
def test_classes_that_change(number: int) -> None:
    assert _outcome(lambda: COUNTS[number](Counts)) == _outcome(lambda: COUNTS[number](StandardCounts))


def test_a_subclass_of_a_frozen_class() -> None:
    class More(Frozen):
        pass

    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Wider(Frozen):
        width: int = 1

    more = More(name="a")
    more.extra = 1  # type: ignore[attr-defined] # as in the standard library, a subclass may have more
    with pytest.raises(dataclasses.FrozenInstanceError):
        more.name = "b"  # type: ignore[misc]
    assert dataclasses.replace(Wider(name="a"), width=3) == Wider(name="a", width=3)


def test_public_classes_can_be_inspected() -> None:
    assert [field.name for field in dataclasses.fields(Options)][:2] == ["schemes", "exclude_schemes"]
    assert all(field.kw_only for kind in (Options, ReadingOptions) for field in dataclasses.fields(kind))
    assert list(inspect.signature(Options).parameters) == [field.name for field in dataclasses.fields(Options)]
    assert [field.name for field in dataclasses.fields(Tally)][:2] == ["kinds", "read"]
    for value in (Options(level="none"), ReadingOptions(input="csv"), Tally(), Location(1), Scheme("a", "b", "c")):
        assert pickle.loads(pickle.dumps(value)) == value
    assert Components._fields == ("scheme", "userinfo", "host", "port", "path", "query", "fragment")
    assert list(inspect.signature(Notice).parameters) == ["warn", "detail"]


_INTERRUPTED = """
import sys
from urisieve.lean import NamedTuple

class Ten(NamedTuple):
    a: int
    b: int
    c: int
    d: int
    e: int
    f: int
    g: int
    h: int
    i: int
    j: int

def interrupt(frame, event, argument):
    if frame.f_code.co_filename == "<string>":
        sys.settrace(None)
        raise KeyboardInterrupt

sys.settrace(interrupt)
try:
    for _ in range(20):  # the first ones need none
        Ten(*range(10))
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_an_interruption_while_a_constructor_is_compiled_leaves_the_exit_status(tmp_path: Path) -> None:
    (tmp_path / "interrupted.py").write_text(_INTERRUPTED, "utf-8")
    command = [sys.executable, "-m", "interrupted"]  # as a program that is read from a text, it would not show
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 130


def test_a_pattern_is_compiled_when_it_is_used_and_once() -> None:
    word = lazy_compile("[a-z]+", re.IGNORECASE)
    assert vars(word).keys().isdisjoint({"match", "sub"})
    found = word.match("Ab1")
    assert found is not None
    assert (found[0], word.sub("-", "Ab1"), word.pattern, word.flags & re.I) == ("Ab", "-1", "[a-z]+", re.I)
    assert word.match is word.match
