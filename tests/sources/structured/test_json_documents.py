"""JSON documents: strings with their paths, lines and bytes, by both parsers; what is broken costs only itself."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.doubling import assert_linear
from tests.helpers.readers import json_values, run_of, segments_of
from tests.helpers.strategies import examples
from urisieve import Options, ReadingOptions, Record, extract_files, sieve_files
from urisieve.errors import BrokenInputError, InputError
from urisieve.find.delimited import Delimited
from urisieve.find.pivots import pivots
from urisieve.kernel import compiled
from urisieve.sources.containers.contents import Content
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.segments import Segments
from urisieve.sources.structured import json_documents, json_strings
from urisieve.sources.structured.json_paths import JsonField
from urisieve.sources.structured.json_strings import JsonStrings, Open
from urisieve.sources.tally import Tally

MAYBE = pivots(Options()).search


def content(data: bytes, size: int) -> Content:
    return Content(source="s", kind=Kind.JSON, blocks=(data[at : at + size] for at in range(0, len(data), size)))


Row = tuple[int | None, str | None, str, str]


def rows(
    data: bytes,
    size: int = 65_536,
    tally: Tally | None = None,
    *,
    may_hold: Callable[[str], object] | None = None,
    **more: Any,
) -> list[Row]:
    """Line, path and text of each string that may hold something, and its bytes as they stand there."""
    found = []
    documents = json_values(content(data, size), tally=Tally() if tally is None else tally, may_hold=may_hold, **more)
    for document in segments_of(documents):
        text = "".join(document.text)
        if may_hold is not None and not may_hold(text):
            continue
        way = document.offsets()
        assert way is not None
        start, end = way.span(0, len(text))
        found.append((document.place.row, document.place.field, text, data[start:end].decode("utf-8", "replace")))
    return found


TEXT = """
{"é": ["http:\\/\\/e.com\\/\\u00e9", {"urn:k": 1,
 "x.y": "http://v/ü"}, [], {}],
 "a": {"b": "c:d", "": [[null, true, "e:f"]]}, "a": "g:h"}
"i:j" {"k":"l:m"}
"""
EXPECTED = [
    (2, "é[0]", "http://e.com/é", "http:\\/\\/e.com\\/\\u00e9"),
    (2, "é[1]", "urn:k", "urn:k"),
    (3, 'é[1]["x.y"]', "http://v/ü", "http://v/ü"),
    (4, "a.b", "c:d", "c:d"),
    (4, 'a[""][0][2]', "e:f", "e:f"),
    (4, "a", "g:h", "g:h"),
    (5, None, "i:j", "i:j"),
    (5, "k", "l:m", "l:m"),
]


@pytest.mark.parametrize("size", [1, 2, 7, 65_536])
def test_strings_have_path_line_and_bytes(size: int) -> None:
    tally = Tally()
    found = rows(TEXT.encode(), size, tally, may_hold=lambda text: ":" in text)
    assert found == EXPECTED
    assert not tally.broken
    assert tally.read == {"json": 1}


def test_each_string_is_one_candidate() -> None:
    documents = list(segments_of(json_values(content(TEXT.encode(), 9), tally=Tally())))
    assert len(documents) == 15
    for document in documents:
        assert document.delimited is Delimited.VALUE
        assert len(list(document.text)) == 1


def test_a_field() -> None:
    assert [row[1] for row in rows(TEXT.encode(), field="a")] == ["a", "a.b", "a", 'a[""][0][2]', "a"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark(encoding: str) -> None:
    documents = segments_of(json_values(content(TEXT.encode(encoding), 5), tally=Tally()))
    found = [(document.place.row, document.place.field, *document.text) for document in documents]
    assert [row for row in found if ":" in str(row[2])] == [row[:3] for row in EXPECTED]


@pytest.mark.parametrize(
    ("text", "before", "rest"),
    [
        ('{"a":"http://a/","b": http://b/ }\n"c":"http:\\/\\/c/"', ["http://a/"], ["http://b/", "http://c/"]),
        ('["http://a/",\n"http://b/ cut', ["http://a/"], ["http://b/"]),
        ('["http://a/"]\n]"http://b/"', ["http://a/"], ["http://b/"]),
        ('["http://a/", "\\x41 http://b/"]', ["http://a/"], ["http://b/"]),
        ('["http://a/", 01, "http://b/"]', ["http://a/"], ["http://b/"]),
        ('["http://a/", 1e99999999999999999999, }, "http://b/"]', ["http://a/"], ["http://b/"]),
        ("plain http://a/", [], ["http://a/"]),
        ("[" * 200_000 + '"http://a/"' + "]" * 200_000, [], ["http://a/"]),
    ],
)
def test_what_is_broken_gives_the_rest_as_text(text: str, before: list[str], rest: list[str]) -> None:
    tally = Tally()
    found = rows(text.encode(), 5, tally, may_hold=MAYBE)
    assert tally.broken == {("json", "no-json"): 1}
    assert tally.messages[0].startswith("s: not JSON from line ")
    whole = found[-1][2]
    assert [row[2] for row in found[:-1]] == before
    assert all(link in whole for link in rest)
    assert not any(link in whole for link in before)


def test_odd_characters_cost_nothing() -> None:
    data = b'["http://a/\xff\x00\x01z", "\\ud800 http://b/"]'
    tally = Tally()
    assert [row[2] for row in rows(data, 3, tally, may_hold=MAYBE)] == ["http://a/\udcff\0\x01z", "\ud800 http://b/"]
    assert tally.broken == {("byte", "undecodable"): 1, ("text", "undecodable-bytes"): 1}


def test_a_control_character_is_no_fault() -> None:
    for code in {*range(32)} - {9, 10, 13}:
        tally = Tally()
        data = b'["http://a/%c", "b"]' % code
        assert [row[2] for row in rows(data, 3, tally, may_hold=MAYBE)] == [f"http://a/{chr(code)}"], code
        assert not tally.broken, code


def test_numbers_of_any_length() -> None:
    text = f'["http://a/", {"9" * 4_000}, 1e999, -{"8" * 300}.5, "http://b/"]'
    assert [row[1:3] for row in rows(text.encode(), 1_000)] == [("[0]", "http://a/"), ("[4]", "http://b/")]


def test_a_cut_text() -> None:
    def blocks() -> Iterator[bytes]:
        yield b'["http://a/", "http://b/ http://cu'
        raise BrokenInputError("gzip", "truncated", "ends early")

    found: list[str] = []
    tally = Tally()
    documents = json_values(Content(source="s", kind=Kind.JSON, blocks=blocks()), tally=tally)
    with pytest.raises(InputError, match="ends early"):
        found.extend(text for document in segments_of(documents) for text in document.text)
    assert "http://b/" in "".join(found)
    assert not tally.broken


def test_a_long_string_is_read_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_documents, "STRING_LIMIT", 1_000)
    data = b'["http://a/", "' + b"x " * 500_000 + b'http:\\/\\/b/", "http://c/"]'
    tally = Tally()
    first, rest = rows(data, 65_536, tally)
    assert first[2] == "http://a/"
    assert "http://b/" in rest[2]
    assert "http://c/" in rest[2]
    assert tally.broken == {("json", "no-json"): 1}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _strings(inner)


@examples(60)
@given(st.lists(VALUES, min_size=1, max_size=3), st.booleans(), st.sampled_from([None, 1]), st.integers(1, 40))
def test_strings_are_those_of_the_values(values: list[Any], escaped: bool, indent: int | None, size: int) -> None:
    values = json.loads(json.dumps(values).encode("utf-8", "replace"))
    texts = [json.dumps(value, ensure_ascii=escaped, indent=indent) for value in values]
    data = "\n".join(texts).encode("utf-8", "replace")
    expected = [text.encode("utf-8", "replace").decode() for value in values for text in _strings(value)]
    given_ones = [row[2].replace("\ufffd", "?") for row in rows(data, size)]
    assert given_ones == [text.replace("\ufffd", "?") for text in expected]


def test_memory_is_bounded() -> None:
    def blocks(count: int) -> Iterator[bytes]:
        yield b"["
        for number in range(count):
            yield b'{"message":"http://e.com/%d","more":"\xc3\xa9%s"},\n' % (number, b"x" * 9_000)
        yield b"1]"

    tracemalloc.start()
    try:
        source = Content(source="s", kind=Kind.JSON, blocks=blocks(2_000))
        assert sum(1 for _ in segments_of(json_values(source, tally=Tally(), may_hold=MAYBE))) == 8_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 16 * 1_048_576


def windows_of(text: str, field: JsonField, sizes: Iterator[int], window: Callable[..., Any]) -> list[Any]:
    """The strings of a text that is read in windows, with paths and offsets; then the end, and if it is a fault."""
    seen: list[Any] = []
    strings: JsonStrings | None = None
    outer: list[Open] = []
    start = end = 0
    while True:
        end = max(end, min(len(text), end + next(sizes)))
        goes_on = end < len(text)
        opened = None if strings is None else strings.open
        found = window(text[start:end], field, opened, goes_on=goes_on, takes_bytes=True)
        strings = JsonStrings(text[start:end], found, 0, outer)
        for index in range(strings.size):
            seen.append((strings.string(index), strings.path(index), start + strings.start(index)))
        outer = [Open(strings.path_of(one), strings.name_of(one), ()) for one in strings.open_ones]
        start += strings.end
        if not goes_on:
            return [*seen, start, bool(strings.is_left)]


WAYS = [json_strings._window_in_python, *([json_strings._window_by_kernel] if compiled else [])]
PIECES = st.sampled_from(
    [*'{}[]:," ', "[1,2]", "-0", "1e5", "tru", "true", '"a":', '"\\u00e9"', '"\\', '"é"', "\x01", "300"]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


def _joined(values: list[Any]) -> str:
    return "".join(map(json.dumps, values))


@examples(300)
@given(
    st.lists(VALUES | st.lists(st.integers(0, 255)), min_size=1, max_size=3).map(_joined) | TEXTS,
    st.sampled_from([None, "a", "[]", "*", "[1].a", "a*", '["é"]', "[0]"]),
    st.lists(st.integers(0, 9), min_size=1),
)
def test_windows_and_both_engines_change_nothing(text: str, field: str | None, sizes: list[int]) -> None:
    wanted = JsonField.of(field)
    ways = WAYS if wanted.steps is not None else WAYS[:1]
    expected = windows_of(text, wanted, repeat(len(text)), WAYS[0])
    for way in ways:
        assert windows_of(text, wanted, repeat(len(text)), way) == expected
        assert windows_of(text, wanted, chain(sizes, repeat(3)), way) == expected


@examples(30)
@given(st.lists(VALUES, min_size=1, max_size=3), st.integers(0, 2**32), st.integers(1, 40))
def test_broken_documents_lose_nothing_before_the_fault(values: list[Any], seed: int, size: int) -> None:
    text = bytearray(json.dumps(values, ensure_ascii=False).encode("utf-8", "replace"))
    text[seed % len(text)] = b'{}[]:,"\\0 x\xff'[seed % 12]
    assert rows(bytes(text), size) == rows(bytes(text))


def test_times_go_with_the_object_from_window_to_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_documents, "_WINDOW", 40)
    entry = '{"m":{"t":"2024-05-31T13:05:07Z"},"u":"http://a/","l":[' + '"http://b/",' * 20 + '"http://c/"]}'
    reading = ReadingOptions(context=True, time_field="m.t")
    data = f'[{entry},["http://d/"]]'.encode()
    out = Segments(run_of(reading, tally=Tally()), content(data, 10))
    documents = out.documents(json_documents.read(content(data, 10), out))
    times = {str(*one.text): one.place.context and one.place.context.time for one in segments_of(documents)}
    assert times["http://a/"] == times["http://b/"] == times["http://c/"] == "2024-05-31T13:05:07Z"
    assert times["http://d/"] is None


@pytest.mark.parametrize("unit", ['"http://a/",', "[", '{"a":', '"', "\\", '{"http://a/":1},'])
def test_time_is_linear(unit: str) -> None:
    def run(data: bytes) -> None:
        rows(data, 65_536, may_hold=MAYBE)

    assert_linear(run, lambda size: b"[" + unit.encode() * (size // len(unit)), 150_000)


@pytest.mark.parametrize("unit", ['\\"', '<a href=\\"http://a/x\\">some words</a> ', "\\\\"])
def test_time_is_linear_in_a_long_string(unit: str) -> None:
    def run(data: bytes) -> None:
        rows(data, 65_536, may_hold=MAYBE)

    assert_linear(run, lambda size: b'["http://a.example/", "' + unit.encode() * (size // len(unit)) + b'"]', 300_000)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('["a",\n1 2]', "line 2 on: an unexpected '2'; read as text"),
        ('["a" ["b"]]', "line 1 on: an unexpected '['; read as text"),
        ('{"a":\n{"b":1}', "line 2 on: it ends early; read as text"),
        ("[" * 10_000 + "]" * 10_000, "line 1 on: nested more than 10,000 deep; read as text"),
    ],
)
def test_what_is_said_of_a_fault(text: str, said: str) -> None:
    tally = Tally()
    rows(text.encode(), 5, tally)
    assert tally.messages == [f"s: not JSON from {said}"]


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_bytes_of_a_string_that_is_too_long(tmp_path: Path, encoding: str) -> None:
    """Its text is examined once more from its beginning, and the map to bytes reaches back as far."""
    blanks = "é \\u00e9 " * 1_000
    data = ('[{"a":"' + "".join(f"http://a.example/{number} {blanks}" for number in range(1_200)) + '"}]').encode(
        encoding
    )
    path = tmp_path / "a"
    path.write_bytes(data)
    found = list(extract_files([path]))
    assert len(data.decode(encoding)) > 2 * json_documents.STRING_LIMIT
    assert [one.uri for one in found] == [f"http://a.example/{number}" for number in range(1_200)]
    codec = "utf-16-le" if encoding == "utf-16" else encoding
    assert all(data[one.byte_start : one.byte_end].decode(codec) == one.uri for one in found)


LOG = [
    ("see http://a.example/ and http://b.example/par", "stdout"),
    ("http://no.example/[:] http://c.example/whole\n", "stderr"),
    ("t/x end\n", "stdout"),
    ("\u00e9 & http://d.example/w&hole ", "stderr"),
    ('\u00e9\\ "http://e.example/x?\u00e9', "stdout"),
    ("", "stdout"),
    ("http://f.example/alone", "stdout"),
    ("http://g.example/\\n", "stdout"),
]


@pytest.mark.parametrize("form", ["lines", "documents"])
def test_a_link_that_a_log_of_docker_cuts_says_so(form: str, tmp_path: Path) -> None:
    """Lines of more than 16 KiB come in pieces, of which only the last has the line feed."""
    rows = [{"log": text, "stream": stream, "time": "2024-05-31T13:05:07Z"} for text, stream in LOG]
    lines = [json.dumps(row, separators=(",", ":")) for row in rows] * 200
    lines += ['{"log":{"log":"http://h.example/","stream":"stdout"}}', '{"stream":"stdout"}', '"","stream":"stdout"']
    path = tmp_path / "a-json.log"
    path.write_text("\n".join(lines[:-1] if form == "documents" else lines))
    reading = ReadingOptions(input="json" if form == "documents" else "jsonl")
    found = list(sieve_files([path], reading=reading))
    data = path.read_bytes()
    cut: set[str] = set()
    whole: set[str] = set()
    for one in found:
        if isinstance(one, Record):
            assert json.loads(f'"{data[one.byte_start : one.byte_end].decode()}"') == one.raw
            (cut if "may-be-shortened" in one.warnings else whole).add(one.raw)
    assert cut == {"http://b.example/par", "http://e.example/x?\u00e9", "http://f.example/alone", "http://g.example/"}
    assert whole >= {"http://a.example/", "http://c.example/whole", "http://d.example/w&hole", "http://h.example/"}
    assert sum(isinstance(one, Record) and one.raw == "http://f.example/alone" for one in found) == 200
