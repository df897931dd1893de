"""Every exception and every public value can be pickled and copied, or says that it cannot."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import urisieve
from urisieve import Filter, InputError, KeySet, Known, Options, Store, UrisieveError, UsageError
from urisieve.codes import REASONS, Notice, Warn
from urisieve.data_sets.checked_rows import CheckedRow
from urisieve.data_sets.row_work import RowCounts
from urisieve.dedupe.counts import Appearance, KeyCount
from urisieve.dedupe.store.store_tables import StoreEntry
from urisieve.errors import BrokenInputError, UnexpectedInputError
from urisieve.files import Blocks
from urisieve.find.searches import Scanner
from urisieve.merging import Profile
from urisieve.records.base import Context, Location
from urisieve.records.batch import Batch
from urisieve.rules.scheme_table import Namespace, Scheme
from urisieve.runs.events import BytesRead, FileFailed, Message
from urisieve.sources.containers.folders import PathFilter
from urisieve.sources.containers.limits import Limits
from urisieve.sources.kinds.kind_table import ReaderRow
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.tally import Tally

WAYS: list[Callable[[Any], Any]] = [
    copy.copy,
    copy.deepcopy,
    *(lambda value, protocol=protocol: pickle.loads(pickle.dumps(value, protocol)) for protocol in range(2, 6)),
]
TEXT = "see http://www.a.example/?q=1 urn:isbn:0395363411 http://b.example:x/"


def _public() -> Iterator[type]:
    """The public types: those of the package, of its modules of names, and all exceptions."""
    seen = set()
    for module in (urisieve, urisieve.types, urisieve.options, urisieve.errors, urisieve.dedupe):
        for name in getattr(module, "__all__", None) or vars(module):
            value = getattr(module, name)
            if isinstance(value, type) and value.__module__.startswith("urisieve") and value not in seen:
                seen.add(value)
                yield value


def _errors(base: type[Exception]) -> Iterator[type[Exception]]:
    for each in base.__subclasses__():
        yield each
        yield from _errors(each)


@cache
def _values() -> list[Any]:
    """Some values of each public type that is not an enum."""
    tally = Tally()
    found = list(urisieve.sieve(TEXT, options=Options(spoofing=True)))
    tally.kinds["zip"] += 2
    tally.broken["gzip", "truncated"] += 1
    batch = next(iter(urisieve.extract_batches([TEXT])))
    own = Options(rules=Scheme(name="x-shelf", title="a shelf", reference="here"), merge="page")
    return [
        *found,
        urisieve.parse("http://a.example/", options=own),
        urisieve.parse("urn:isbn:0395363411").urn,
        batch,
        batch.select([0]),
        Batch.of([]),
        *(Options(), own, Options(schemes={"http"}, protect=["a.example"], bare=["doi"], email=True)),
        *(Profile(), Profile("page", drop_params={"a", "b*"}, keep_params=["c@d.example"])),
        *(Filter(), Filter(hosts="a*", since="2024", known=Known(["http://a.example/", "b.example"]))),
        *(
            ReadingOptions(),
            ReadingOptions(field=["a"], folders=PathFilter(include=["*.log"]), limits=Limits(depth=3)),
        ),
        *(PathFilter(exclude=["a"]), Limits(), Limits(ratio=5)),
        *(Known(), Known(["http://a.example/", "*.b.example", "nothing"], options=own)),
        *(urisieve.explain("http://a.example/a/../b"), urisieve.explain("http://a.example:x/")),
        *(Tally(), tally),
        *(Blocks("a", b"http://a.example/"), Blocks("a", [b"x", b"y"])),
        *(Notice(Warn.RARE_IPV4, "x"), _FIRST, Appearance(None, Location(1, "x", "y", "z", 3), 5)),
        KeyCount("a:b", "a:b", 1, 1, _FIRST, _FIRST, ("A:b",)),
        *(
            StoreEntry(bytes(16), 1, 2, 3, None),
            Context("2024", "x", "a@b", ("c@d",), "y"),
            Location(context=Context()),
        ),
        urisieve.parse("http://a.example/").components,
        *(BytesRead(5), FileFailed("a", "b"), Message("a"), Message("a", is_error=True)),
        *(CheckedRow(5, "a", found[0]), CheckedRow(5, "", None, is_broken=True)),
        RowCounts(1, 3, kept=1, unmatched=0, reasons={}, found=True, failed=False, tally=tally),
        *(Scheme(name="x-a", title="t", reference="r"), Namespace(name="x-a", title="t", reference="r")),
        ReaderRow("gemtext", len, endings=["gmi"]),
        *REASONS.values(),
        *urisieve.parse("http://paypal.com@127.1/", options=Options(spoofing=True)).notices,
    ]


_FIRST = Appearance("a", None, 5)
ERRORS: dict[str, tuple[Any, ...]] = {
    "BrokenInputError": ("gzip", "truncated", "a.gz: ends early"),
    "UnexpectedInputError": ("zip", "a.zip: KeyError"),
    "InvalidIdentifierError": (urisieve.check("http://b.example:x/"),),
}
# What belongs to one process, or is in the middle of something.
NO_VALUES: dict[str, Callable[[Path], Any]] = {
    "Store": lambda folder: Store(folder / "seen.db"),
    "KeySet": lambda folder: KeySet(["a:b"]),
    "Scanner": lambda folder: Scanner(),
}


# What a reader is given while it reads.
OF_READERS = ("Segments", "Source")


def _held(value: Any) -> Any:
    """What a value says, to be compared: not all have an equality of their own."""
    if isinstance(value, Batch):
        return [record.as_dict() for record in value], [one.as_dict() for one in value.rejections], value.columns
    if isinstance(value, (urisieve.Record, urisieve.Rejection)):
        return value.as_dict(parts=True), getattr(value, "notices", None)
    return value, repr(value), str(value), type(value)


@pytest.mark.parametrize("way", WAYS)
def test_every_public_value_is_copied(way: Callable[[Any], Any]) -> None:  # N4
    for value in _values():
        assert _held(way(value)) == _held(value), value
    for kind in _public():
        if issubclass(kind, Enum):
            for member in kind:
                assert way(member) is member


def test_each_public_type_is_among_them() -> None:
    sampled = {type(value) for value in _values()}
    others = [
        kind.__name__
        for kind in _public()
        if not issubclass(kind, (Enum, Exception)) and kind not in sampled and not inspect.isabstract(kind)
    ]
    assert sorted(others) == sorted([*NO_VALUES, *OF_READERS])


@pytest.mark.parametrize("way", WAYS)
def test_every_exception_is_copied(way: Callable[[Any], Any]) -> None:  # N4
    kinds: list[Any] = [UrisieveError, *_errors(UrisieveError)]
    assert {kind for kind in _public() if issubclass(kind, Exception)} <= {*kinds}
    assert {*ERRORS} <= {kind.__name__ for kind in kinds}
    for kind in kinds:
        error = kind(*ERRORS.get(kind.__name__, ("what to do",)))
        error.add_note("a note")
        error.more = [1]  # whoever handles it may add to it
        again = way(error)
        assert (type(again), again.args, str(again), repr(again)) == (kind, error.args, str(error), repr(error))
        assert {**vars(again)} == {**vars(error)}
        assert again.__notes__ == ["a note"]
        for name in ("kind", "reason", "rejection"):
            assert getattr(again, name, None) == getattr(error, name, None)


def test_the_message_of_a_broken_input_is_its_text() -> None:
    error = BrokenInputError("gzip", "truncated", "a.gz: ends early")
    assert (str(error), error.kind, error.reason) == ("a.gz: ends early", "gzip", "truncated")
    other = UnexpectedInputError("zip", "a.zip: KeyError")
    assert (str(other), other.kind, other.reason, other.trace) == ("a.zip: KeyError", "zip", "unexpected", [])


def _broken(path: str) -> list[InputError]:
    errors: list[InputError] = []
    list(urisieve.extract_files([path], on_error=lambda _, error: errors.append(error)))
    return errors


def test_a_pool_gets_what_a_call_was_told(tmp_path: Path) -> None:  # N4
    path = tmp_path / "a.gz"
    path.write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\xff")
    with get_context("spawn").Pool(1) as pool:
        (errors,) = pool.map_async(_broken, [str(path)]).get(60)
    assert [(error.kind, error.reason) for error in errors] == [("gzip", "truncated")]


@pytest.mark.parametrize("name", NO_VALUES)
@pytest.mark.parametrize("way", WAYS)
def test_what_cannot_be_copied_says_so(name: str, way: Callable[[Any], Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be pickled or copied"):
        way(NO_VALUES[name](tmp_path))
