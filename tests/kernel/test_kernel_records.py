"""Records and single identifiers by the quick ways are those by the slow ways, attribute by attribute."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers.folders import ROOT
from tests.helpers.strategies import any_text, canonical_like_links, identifiers, near_misses, noisy_texts
from urisieve import (
    InvalidIdentifierError,
    Options,
    Record,
    Rejection,
    UsageError,
    check,
    extract,
    is_valid,
    key,
    normalize,
    parse,
    sieve,
)
from urisieve import identifiers as calls
from urisieve.find.search import Search
from urisieve.find.searches import make_search
from urisieve.finding_options import DEFAULT_OPTIONS
from urisieve.judge.judge import judge
from urisieve.judge.proofs import proofs_of
from urisieve.judge.validate import Fault
from urisieve.kernel import compiled
from urisieve.records.batch import BatchBuffer
from urisieve.records.record import make_record
from urisieve.rules.registry import registered_schemes
from urisieve.rules.scheme_table import built_in_names
from urisieve.syntax.components import SPACES
from urisieve.types import Location

GOLDEN = [line.partition("\t") for line in (ROOT / "tests/golden/keys.tsv").read_text("utf-8").splitlines()[1:]]
TEXTS = sorted(
    path for path in (ROOT / "samples").iterdir() if path.suffix in (".txt", ".log", ".xml", ".mbox", ".jsonl")
)
PROPERTIES = sorted(name for name, value in vars(Record).items() if isinstance(value, property) and name[0] != "_")
INHERITED = ("source", "message", "message_id", "part", "field", "row")


def _everything(record: Record) -> dict[str, object]:
    """The values of all attributes and methods without arguments, with their types."""
    values: dict[str, Any] = {name: getattr(record, name) for name in (*PROPERTIES, *INHERITED)}
    values |= {"repr": repr(record), "str": str(record), "hash": hash(record), "dict": record.as_dict()}
    values |= {"_row": tuple(record._row), "_rules": record._rules, "reduced": record.__reduce__()[0]}
    return {name: (type(value), value) for name, value in values.items()}


def _outcome(call: Callable[[], object]) -> object:
    try:
        return call()
    except InvalidIdentifierError as error:
        return error.rejection


def _by_the_judge(text: str) -> None:
    """Compare the calls on single identifiers with the judge alone."""
    judged = judge(text, DEFAULT_OPTIONS)
    found = check(text)
    assert found._row == _outcome(lambda: parse(text))._row  # type: ignore[attr-defined]
    assert is_valid(text) is bool(found) is (not isinstance(judged, Fault))
    if isinstance(judged, Fault):
        assert isinstance(found, Rejection)
        assert (found.reason, found.component, found.offset, found.section) == judged
        assert proofs_of(DEFAULT_OPTIONS).canonical(text) is None
        assert calls._proved_record(text, calls._SHARED) is None
        assert _outcome(lambda: normalize(text)) == _outcome(lambda: key(text)) == found
        return
    uri, same, parts, warnings, others = judged
    assert (normalize(text), normalize(text, "scheme"), key(text)) == (uri, uri, same)
    assert proofs_of(DEFAULT_OPTIONS).canonical(text) in (None, uri)
    assert proofs_of(DEFAULT_OPTIONS).canonical(text) is None or uri == same
    fields = (text, uri, same, 0, len(text), 1, 1, None, None, warnings, others, None, None, None)
    slow = make_record(fields, parts=parts)
    assert isinstance(found, Record)
    assert _everything(found) == _everything(slow)
    quick = calls._proved_record(text, calls._SHARED)
    if quick is not None:
        assert _everything(quick) == _everything(slow)
        assert quick.components == parts


@given(st.one_of(identifiers(), canonical_like_links(), near_misses(), any_text()))
@example("http://a.example")
@example("HTTPS://A.example:443/./b/../%7e?%61#%C3%bc")
@example("http://u@a.example/")
@example("file:/a?b")
@example("http://\udc80.example/")
@example("http://a.example/\udc80")
@example("http://a.example/\u00fc\U0001f600")
@example("")
def test_single_identifiers_are_judged_alike(text: str) -> None:
    _by_the_judge(text.strip(SPACES))


@pytest.mark.long
def test_the_golden_keys_by_the_judge_alone() -> None:
    quick = 0
    for text, _, expected in GOLDEN:
        _by_the_judge(text)
        assert key(text) == expected
        quick += proofs_of(DEFAULT_OPTIONS).canonical(text) is not None
    assert (1_000 < quick < len(GOLDEN) - 1_000) if compiled else quick == 0  # with the kernel both ways were taken


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "rest",
    ["//A.example", "//a.example:80/%7E/../b?c#d", "//a.example:443/", "/a", "a@B.example", "//u@a/", "//", ""],
)
def test_every_scheme_by_the_judge_alone(rest: str) -> None:
    for name in sorted({*registered_schemes(), *built_in_names(), "foo", "htt", "httpss", "h"}):
        _by_the_judge(f"{name}:{rest}")
        _by_the_judge(f"{name.title()}:{rest}")


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_lines_and_words_of_the_samples_by_the_judge_alone(path: Path) -> None:
    lines = path.read_text("utf-8", "surrogateescape").splitlines()
    for text in {*(line.strip(SPACES) for line in lines), *(word for line in lines for word in line.split())}:
        _by_the_judge(text)


@pytest.mark.parametrize("call", [normalize, key, check, parse, is_valid])
@pytest.mark.parametrize("wrong", [b"http://a.example/", None, 5, bytearray(b"http://a.example/")])
def test_only_strings_are_identifiers(call: Callable[[object], object], wrong: object) -> None:
    with pytest.raises(UsageError, match=r"text=.* must be a string"):
        call(wrong)


def test_a_subclass_of_str_is_an_identifier() -> None:
    class Text(str):
        __slots__ = ()

    for text in (Text("HTTP://a.example"), Text("http://a.example/")):
        assert normalize(text) == key(text) == parse(text).uri == "http://a.example/"


# Records of a search.

VARIANTS = (
    Options(),
    Options(max_length=64),
    Options(positions="offsets"),
    Options(level="syntax"),
    Options(level="none"),
    Options(merge=["sort-query"]),
    Options(schemes={"http", "urn", "foo"}),
    Options(exclude_schemes={"http"}, known_schemes={"foo"}),
)
LOCATION = Location(message=3, part="1.2")


def _same_records(text: str, options: Options, location: Location | None = None) -> list[Record]:
    """Compare the records of the search that the options choose with those of the search in Python."""
    quick, slow = BatchBuffer(), BatchBuffer()
    chosen = make_search(options, quick, source="a name", location=location)
    python = Search(options, slow, source="a name", location=location)
    chosen.finish(text)
    python.finish(text)
    found, expected = quick.taken(), slow.taken()
    records = found.records()
    assert [_everything(record) for record in records] == [_everything(record) for record in expected.records()]
    assert [one._row for one in found.rejections] == [one._row for one in expected.rejections]
    assert list(map(type, found.found())) == list(map(type, expected.found()))
    assert [_everything(found[index]) for index in range(len(found))] == [_everything(one) for one in records]
    assert list(map(tuple, found.resolved().layout.rows())) == [tuple(record._row) for record in records]
    assert found.records() == records  # after the rows were made
    return records


@given(noisy_texts(), st.sampled_from(VARIANTS), st.sampled_from([None, LOCATION]))
@example("<http://a-\nb.example/> (http://u:p@c.example/) http://d.example/100%zz", Options(), LOCATION)
@example(
    "\u00fc <URL:http://\u00fc.example/\u00fc> \U0001f600 http://b.example/%7e\n urn:isbn:0-395-36341-1?+a",
    Options(),
    None,
)
def test_records_of_both_searches(text: str, options: Options, location: Location | None) -> None:
    _same_records(text, options, location)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("options", VARIANTS)
def test_records_of_the_samples(options: Options) -> None:
    packed = number = 0
    for path in TEXTS:
        records = _same_records(path.read_text("utf-8", "surrogateescape"), options)
        packed += sum(not gc.is_tracked(record) for record in records)
        number += len(records)
    assert number > 100
    assert (packed > number // 2) is compiled  # most are kept by the kernel, where it is there
    assert packed < number  # and what only the judge knows is in rows


def test_records_of_bytes() -> None:
    data = "\u00fc http://\u00fc.example/ \U0001f600 (HTTP://B.example)\xa0".encode() + b"\xff http://c.example/"
    text = data.decode("utf-8", "surrogateescape")
    buffer = BatchBuffer()
    search = make_search(Options(), buffer)
    if not search.takes_bytes:
        return
    search.feed_bytes(data)
    search.close()
    records = buffer.taken().records()
    assert [record.uri for record in records] == [record.uri for record in extract(text)]
    for record, expected in zip(records, extract(text), strict=True):
        before, within = text[: expected.start], text[expected.start : expected.end]
        start = len(before.encode("utf-8", "surrogateescape"))
        expected = expected.with_bytes(start, start + len(within.encode("utf-8", "surrogateescape")))
        assert _everything(record) == _everything(expected)


# What a record is to those who hold it.

RECORDS = "http://a.example/ <HTTP://\u00fc.example> http://u:p@b.example/ urn:isbn:0-395-36341-1 http://u@c.example/"


@pytest.mark.parametrize("index", range(5))
def test_copies_are_the_same(index: int) -> None:
    record = list(extract(RECORDS))[index]
    for again in (copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert type(again) is type(record) is Record
        assert _everything(again) == _everything(record)
    moved = record.with_bytes(1, 2)
    assert (moved.byte_start, moved.byte_end, moved.raw, record.byte_start) == (1, 2, record.raw, None)


@pytest.mark.parametrize("name", [*PROPERTIES, *INHERITED, "_row", "_parts", "other"])
def test_no_attribute_can_be_set_or_deleted(name: str) -> None:
    for record in extract(RECORDS):
        before = _everything(record)
        with pytest.raises(AttributeError, match="a Record cannot be changed"):
            setattr(record, name, "x")
        with pytest.raises(AttributeError, match="a Record cannot be changed"):
            delattr(record, name)
        assert _everything(record) == before


def test_attributes_are_documented() -> None:
    assert all(isinstance(vars(Record)[name], property) and vars(Record)[name].__doc__ for name in PROPERTIES)
    assert set(dir(Record)) >= {"raw", "uri", "key", "start", "end", "line", "column", "wrapper", "warnings"}
    assert not {"found", "proved", "location", "shared"} & set(dir(Record))


def test_a_record_without_fields_has_no_attributes() -> None:
    empty = object.__new__(Record)
    for name in ("uri", "_row", "components", "source"):
        with pytest.raises(AttributeError):
            getattr(empty, name)


def test_records_of_other_options_keep_their_rules() -> None:
    from urisieve import Scheme

    row = Scheme("x-made", title="made for this test", reference="none")
    options = Options(rules=[row])
    (record,) = extract("x-made://a.example/", options=options)
    assert type(record) is Record
    assert record._rules is not parse("http://a.example/")._rules
    assert pickle.loads(pickle.dumps(record)).notices == record.notices


@pytest.mark.skipif(not compiled, reason="of the compiled kernel")
def test_a_kept_record_keeps_little_alive() -> None:
    text = "http://a.example/b " * 10_000
    source = "a source that is made here" + str(len(text))
    before = sys.getrefcount(source)
    buffer = BatchBuffer()
    search = make_search(Options(), buffer, source=source)
    search.finish(text)
    record = buffer.taken().records()[5_000]
    assert not gc.is_tracked(record)
    assert sys.getsizeof(record) < 200
    del search
    gc.collect()
    # Of all that was found, the record holds its own memory, and a tuple with the name of the source.
    assert sys.getrefcount(source) == before + 1
    assert record.source is source
    del record
    assert sys.getrefcount(source) == before


def test_records_leave_nothing_behind() -> None:
    text = "http://a.example/b <HTTP://u@\u00fc.example> urn:isbn:0-395-36341-1 http://b:x/ "

    def use() -> int:
        for record in extract(text):
            _everything(record)
        assert len(list(sieve(text))) == 4
        assert check("http://a.example/")
        return sys.getrefcount(Record)

    use()
    before = use()
    for _ in range(50):
        use()
    assert use() == before
