"""JSON lines, tables and journals: values with their fields, escapes resolved, bytes found again, faults counted."""

from __future__ import annotations

import csv
import io
import json
import shutil
import struct
import subprocess
import tracemalloc
from collections.abc import Iterable, Iterator
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import strategies
from tests.helpers.readers import journal_fields, json_lines, segments_of, table_cells
from urisieve import Options, extract
from urisieve.errors import InputError, UsageError
from urisieve.find.pivots import pivots
from urisieve.sources.bytes.lines import LINE_LIMIT, Line, LineReader, LongLine
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document, Segment
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.structured.row_files import RowFormat, kept_rows
from urisieve.sources.tally import Tally

MAYBE = pivots(Options()).search


def content(data: bytes, size: int = 1_009) -> Content:
    blocks = (data[start : start + size] for start in range(0, len(data), size))
    return Content(source="s", kind=Kind.TEXT, blocks=blocks)


def values(documents: Iterable[Document | Segment]) -> list[tuple[int | None, str | None, str]]:
    return [(document.place.row, document.place.field, "".join(document.text)) for document in segments_of(documents)]


def found(documents: Iterable[Document | Segment], data: bytes | None = None) -> list[tuple[str | None, str]]:
    """Fields and URIs; with `data`, the bytes of each are those that its place says."""
    result = []
    for document in segments_of(documents):
        for record in extract(iter(document.text)):
            if data is not None:
                way = document.offsets()
                assert way is not None
                start, end = way.span(record.start, record.end)
                assert f'"{data[start:end].decode()}"'.replace("\\/", "/") == json.dumps(record.raw, ensure_ascii=False)
            result.append((document.place.field, record.uri))
    return result


# ---------------------------------------------------------------- lines


@given(
    st.lists(st.sampled_from(["a", "é", "", "\r", "xyz" * 50])).map("\n".join),
    st.integers(1, 200),
    st.sampled_from(["utf-8", "utf-16-le", "cp1252"]),
)
def test_lines_are_those_of_the_text(text: str, size: int, encoding: str) -> None:
    data = text.encode(encoding)
    reader = LineReader((data[at : at + size] for at in range(0, len(data), size)), encoding)
    lines = list(reader)
    expected = text.split("\n")
    if expected[-1] == "":
        expected.pop()
    assert [line.text for line in lines if isinstance(line, Line)] == expected
    assert [line.number for line in lines] == list(range(1, len(expected) + 1))
    assert [line.start for line in lines] == list(accumulate((len(line) + 1 for line in expected), initial=0))[:-1]
    for line in lines:
        way = reader.decoder.source_map(line.start)
        assert way is not None
        assert way.source(0) == len(text[: line.start].encode(encoding))


@pytest.mark.parametrize("size", [1_000, 65_536])
@pytest.mark.parametrize("leave", [False, True])
def test_long_lines_come_in_pieces(size: int, leave: bool) -> None:
    long = b"x" * (LINE_LIMIT + 70_000)
    data = b"a\n" + long + b"\nb\n" + long + b"\n\nc"
    seen = []
    reader = LineReader(data[at : at + size] for at in range(0, len(data), size))
    for line in reader:
        if isinstance(line, Line):
            seen.append((line.number, line.start, line.text[:9]))
        else:
            assert isinstance(line, LongLine)
            seen.append((line.number, line.start, "" if leave else f"{sum(map(len, line.pieces))}"))
    given_size = "" if leave else f"{len(long)}"
    third = 2 + len(long) + 1
    assert seen == [
        (1, 0, "a"),
        (2, 2, given_size),
        (3, third, "b"),
        (4, third + 2, given_size),
        (5, third + 2 + len(long) + 1, ""),
        (6, third + 3 + len(long) + 1, "c"),
    ]


# ---------------------------------------------------------------- JSON lines


def test_paths() -> None:
    line = b'{"a":{"b":["x",1,{"c":"y"}]},"k.l":"s","":"e","n":null,"a":"again"}\n"top"\n["i"]\n3\n\n'
    expected = [
        (1, None, "a"),
        (1, "a", "b"),
        (1, "a.b[0]", "x"),
        (1, "a.b[2]", "c"),
        (1, "a.b[2].c", "y"),
        (1, None, "k.l"),
        (1, '["k.l"]', "s"),
        (1, None, ""),
        (1, '[""]', "e"),
        (1, None, "n"),
        (1, None, "a"),
        (1, "a", "again"),
        (2, None, "top"),
        (3, "[0]", "i"),
    ]
    tally = Tally()
    assert values(json_lines(content(line), tally=tally)) == expected
    assert tally.read == {"line": 5}
    assert not tally.broken


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("a", ["a", "a.b[0]", "a.b[2]", "a.b[2].c", "a"]),  # with the names of members inside
        ("a.b", ["a.b[0]", "a.b[2]", "a.b[2].c"]),
        ("a.b[2]", ["a.b[2]", "a.b[2].c"]),
        ("a.b[*]", ["a.b[0]", "a.b[2]", "a.b[2].c"]),
        ("*.b", ["a.b[0]", "a.b[2]", "a.b[2].c"]),
        ("ab", ["ab"]),
        ("b", []),
    ],
)
def test_a_field_is_its_value_and_what_is_in_it(field: str, expected: list[str]) -> None:
    line = b'{"a":{"b":["x",1,{"c":"y"}]},"ab":"s","a":"again"}'
    assert [place for _, place, _ in values(json_lines(content(line), tally=Tally(), field=field))] == expected


@pytest.mark.parametrize(
    "line",
    [
        r'{"u":"http:\/\/e.com\/\u00e9"}',
        r'{"u":"http\u003a//e.com/\u00e9"}',
        r'{"u":"\u0068ttp://e.com/é"}',
        '{"u":"http://e.com/é"}',
        '\x1e{"u" : "http://e.com/é"}\r',
    ],
)
@pytest.mark.parametrize("may_hold", [None, MAYBE])
def test_escapes_are_resolved(line: str, may_hold: None) -> None:
    documents = json_lines(content(line.encode()), tally=Tally(), may_hold=may_hold)
    assert found(documents) == [("u", "http://e.com/%C3%A9")]


def test_the_way_back_to_bytes() -> None:
    data = '{"é":["\\\\\\" http:\\/\\/e.com\\/é http://f.com/"],"x":{"http://key/":"ü http://g.com"}}\n'.encode() * 3
    expected = [
        ("é[0]", "http://e.com/%C3%A9"),
        ("é[0]", "http://f.com/"),
        ("x", "http://key/"),
        ("x.http://key/", "http://g.com/"),
    ] * 3
    assert found(json_lines(content(data, 11), tally=Tally(), may_hold=MAYBE), data) == expected


def test_broken_lines_are_counted_and_read_as_text() -> None:
    data = (
        b'{"a":"http://a.com"}\n2026 {"a":"http:\\/\\/b.com"}\n{"a":"http://c.com\n'
        + b"[" * 50_000
        + b"\n"
        + b"9" * 9_999
    )
    tally = Tally()
    assert found(json_lines(content(data), tally=tally)) == [
        ("a", "http://a.com/"),
        (None, "http://b.com/"),
        (None, "http://c.com/"),
    ]
    assert tally.broken == {("line", "no-json"): 3}  # digits may be as many as they like (RFC 8259 6)
    assert tally.messages[0] == "s: line 2 is not JSON: Extra data; read as text"
    tally = Tally()
    assert len(found(json_lines(content(data), tally=tally, may_hold=MAYBE))) == 3
    assert tally.broken["line", "no-json"] >= 3


def test_messages_are_few() -> None:
    tally = Tally()
    assert len(values(json_lines(content(b"x\n" * 5_000), tally=tally))) == 5_000
    assert tally.broken == {("line", "no-json"): 5_000}
    assert len(tally.messages) == 20


def test_a_long_line_is_read_as_text() -> None:
    data = b'{"a":"' + b"x " * LINE_LIMIT + b'http:\\/\\/e.com"}\n{"b":"http://f.com"}'
    tally = Tally()
    assert found(json_lines(content(data, 65_536), tally=tally)) == [(None, "http://e.com/"), ("b", "http://f.com/")]
    assert tally.broken == {("line", "too-long"): 1}


def test_memory_is_constant() -> None:
    def blocks() -> Iterator[bytes]:
        for number in range(3_000):
            yield b'{"message":"http://e.com/%d","more":"\xc3\xa9%s"}\n' % (number, b"x" * 9_000)

    tracemalloc.start()
    try:
        source = Content(source="s", kind=Kind.TEXT, blocks=blocks())
        assert sum(1 for _ in segments_of(json_lines(source, tally=Tally(), may_hold=MAYBE))) == 2 * 3_000 * 2
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10 * 1_048_576


@strategies.examples(40)  # the texts are dear to make
@given(st.lists(st.dictionaries(st.text(max_size=4), strategies.noisy_texts(), max_size=3), max_size=3), st.booleans())
def test_records_of_json_are_those_of_its_values(rows: list[dict[str, str]], escaped: bool) -> None:
    rows = [{key: value.encode("utf-8", "replace").decode() for key, value in row.items()} for row in rows]
    lines = [json.dumps(row, ensure_ascii=escaped) for row in rows]
    if escaped:
        lines = [line.replace("/", "\\/") for line in lines]
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    expected = [record.uri for row in rows for value in row.values() for record in extract(value)]
    for may_hold in (None, MAYBE):
        documents = json_lines(content(data, 50), tally=Tally(), may_hold=may_hold)
        assert [uri for _, uri in found(documents)] == expected


# ---------------------------------------------------------------- tables

TABLE = 'id,link,note\n1,http://e.com/a,"x, ""http://f.com/"" y"\n2,,"two\nlines http://g.com/"\n'


def test_cells() -> None:
    data = TABLE.encode()
    tally = Tally()
    assert found(table_cells(content(data), tally=tally)) == [
        ("link", "http://e.com/a"),
        ("note", "http://f.com/"),
        ("note", "http://g.com/"),
    ]
    assert tally.read == {"row": 3}
    assert [cell for cell in values(table_cells(content(data), tally=tally)) if cell[2]][4:] == [
        (2, "link", "http://e.com/a"),
        (2, "note", 'x, "http://f.com/" y'),
        (3, "id", "2"),
        (3, "note", "two\nlines http://g.com/"),
    ]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (["link"], ["http://e.com/a"]),
        (["2"], ["http://e.com/a"]),
        (["note", "link"], ["http://e.com/a", "http://f.com/", "http://g.com/"]),
        (["9"], []),
    ],
)
def test_columns(columns: list[str], expected: list[str]) -> None:
    documents = table_cells(content(TABLE.encode()), tally=Tally(), columns=columns)
    assert [uri for _, uri in found(documents)] == expected


def test_no_such_column() -> None:
    with pytest.raises(InputError, match="'id', 'link', 'note'"):
        list(table_cells(content(TABLE.encode()), tally=Tally(), columns=["url"]))
    with pytest.raises(UsageError):
        table_cells(content(b""), tally=Tally(), delimiter='"')


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_way_back_from_cells(encoding: str, end: str) -> None:
    text = TABLE.replace("x,", "é,").replace("\n", end)
    data = text.encode(encoding)
    documents = table_cells(content(data), tally=Tally(), encoding=encoding)
    spans = []
    for document in segments_of(documents):
        for record in extract(iter(document.text)):
            way = document.offsets()
            assert way is not None
            start, stop = way.span(record.start, record.end)
            spans.append(data[start:stop].decode(encoding))
    assert spans == ["http://e.com/a", "http://f.com/", "http://g.com/"]


def test_the_header_is_the_first_row_that_holds_something() -> None:
    """As in `dedupe --field`, where empty lines before it were passed over already."""
    data = b"\n\r\nid,link\n1,http://e.com/\n"
    tally = Tally()
    assert found(table_cells(content(data), tally=tally)) == [("link", "http://e.com/")]
    assert [uri for _, uri in found(table_cells(content(data), tally=tally, columns=["link"]))] == ["http://e.com/"]
    assert tally.read == {"row": 8}


@pytest.mark.parametrize("size", [1, 7, 64])
def test_rows_keep_their_bytes(size: int) -> None:
    data = b'\xef\xbb\xbfid,url\r\n1,"a\nb"\n\n2,"c\n3,\xff\n4,d,e\n5,f'
    rows = list(kept_rows((data[at : at + size] for at in range(0, len(data), size)), RowFormat("csv")))
    assert b"".join(row.data for row in rows) == data
    assert [(row.number, row.values, row.fault and row.fault.said) for row in rows[1:]] == [
        (2, {"id": "1", "url": "a\nb"}, None),
        (4, None, None),
        (5, None, "is broken ('utf-8' codec can't decode byte 0xff in position 2: invalid start byte)"),
        (7, None, "has 3 cells under 2 columns"),
        (8, {"id": "5", "url": "f"}, None),
    ]
    assert rows[0].is_header
    assert rows[0].names == ("id", "url")


def test_tsv_and_legacy_text() -> None:
    data = "a\tb\n1\thttp://e.com/é\n".encode("cp1252")
    (_, _, _, document) = segments_of(table_cells(content(data), tally=Tally(), delimiter="\t", encoding="cp1252"))
    assert document.legacy
    assert [record.uri for record in extract(iter(document.text))] == ["http://e.com/%C3%A9"]


def test_rows_that_cannot_be_parsed_are_read_as_text() -> None:
    open_quote = '"http://e.com/ ' + "x" * 80_000 + "\n" + "y" * 80_000 + "\n"
    data = f"a,b\n1,{open_quote}2,http://f.com/\nx\ry,http://g.com/\n3,http://h.com/\n".encode()
    tally = Tally()
    uris = [uri for _, uri in found(table_cells(content(data), tally=tally))]
    assert uris == ["http://e.com/", "http://f.com/", "http://g.com/", "http://h.com/"]
    assert tally.broken == {("row", "no-row"): 2}
    long = b"1,2\n" + b"x " * LINE_LIMIT + b"http://e.com/\n3,http://f.com/"
    tally = Tally()
    uris = [uri for _, uri in found(table_cells(content(long, 65_536), tally=tally))]
    assert uris == ["http://e.com/", "http://f.com/"]


@strategies.examples(40)
@given(
    st.lists(st.lists(strategies.noisy_texts(), min_size=1, max_size=3), min_size=1, max_size=3),
    st.sampled_from(",;\t"),
)
def test_records_of_a_table_are_those_of_its_cells(rows: list[list[str]], delimiter: str) -> None:
    rows = [[cell.encode("utf-8", "replace").decode() for cell in row] for row in rows]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(rows)
    parsed = list(csv.reader(io.StringIO(out.getvalue(), newline=""), delimiter=delimiter))
    expected = [record.uri for row in parsed for cell in row for record in extract(cell)]
    tally = Tally()
    documents = table_cells(content(out.getvalue().encode(), 50), tally=tally, delimiter=delimiter)
    assert [uri for _, uri in found(documents)] == expected
    assert not tally.broken


# ---------------------------------------------------------------- journals


def binary(name: bytes, value: bytes) -> bytes:
    return name + b"\n" + struct.pack("<Q", len(value)) + value + b"\n"


EXPORT = (
    b"__CURSOR=s=1\n__REALTIME_TIMESTAMP=1\nMESSAGE=see http://e.com/\xc3\xa9\n\n"
    b"__CURSOR=s=2\n" + binary(b"MESSAGE", b"two\nlines http://f.com/") + b"_CMDLINE=get http://g.com/ x=1\n\n"
)


@pytest.mark.parametrize("size", [1, 7, 65_536])
def test_export(size: int) -> None:
    tally = Tally()
    expected = [
        ("MESSAGE", "http://e.com/%C3%A9"),
        ("MESSAGE", "http://f.com/"),
        ("_CMDLINE", "http://g.com/"),
    ]
    assert found(journal_fields(content(EXPORT, size), tally=tally), EXPORT) == expected
    assert tally.read == {"journal entry": 2}
    only = journal_fields(content(EXPORT, size), tally=tally, field="MESSAGE", may_hold=MAYBE)
    assert [(document.place.row, "".join(document.text)) for document in only] == [
        (1, "see http://e.com/é"),
        (2, "two\nlines http://f.com/"),
    ]
    left = journal_fields(content(EXPORT, size), tally=tally)
    assert [document.place.field for document in left].count("MESSAGE") == 2
    assert not tally.broken


def test_a_cut_export() -> None:
    place = EXPORT.index(b"lines")
    given: list[str] = []
    pieces = (piece for document in journal_fields(content(EXPORT[:place]), tally=Tally()) for piece in document.text)
    with pytest.raises(InputError, match=f"at byte {place}"):
        given.extend(pieces)
    assert given == ["s=1", "1", "see http://e.com/é", "s=2", "two\n"]


@pytest.mark.parametrize(
    "value", [b"", b"\n", b"x http://a.example/ y", b"\xc3\xa9 http://b.example/ \xff", b"a " * 3_000]
)
def test_values_with_a_size(value: bytes) -> None:
    """Short values of ASCII are read at once, others as a stream; whatever is not a field is a fault."""
    for size in (1, 65_536):
        for end, broken in ((b"\n", {}), (b"", {("journal field", "corrupt"): 1})):
            data = b"A\n" + struct.pack("<Q", len(value)) + value + end + b"B=http://z.example/\n\n"
            tally = Tally()
            rows = [(one[0], one[1]) for one in found(journal_fields(content(data, size), tally=tally), data)]
            expected = [("A", uri) for uri in (record.uri for record in extract(value.decode("utf-8", "replace")))]
            assert rows == [*expected, ("B", "http://z.example/")]
            assert {one.place.row for one in journal_fields(content(data, size), tally=Tally())} == {1}
            assert tally.broken == broken


def test_a_broken_export() -> None:
    tally = Tally()
    data = b"MESSAGE=1\n\nMESSAGE\n\xff\xff\xff\xff\xff\xff\xff\x7fhttp://e.com/ "
    with pytest.raises(InputError):
        found(journal_fields(content(data), tally=tally))
    data = b"MESSAGE=" + b"x " * LINE_LIMIT + b"http://e.com/\n\nA=http://f.com/\n"
    tally = Tally()
    assert [uri for _, uri in found(journal_fields(content(data, 65_536), tally=tally))] == [
        "http://e.com/",
        "http://f.com/",
    ]
    assert tally.broken == {("journal field", "no-end"): 1}


def test_json_of_the_journal() -> None:
    entry = {
        "MESSAGE": list("see http://e.com/é".encode()),
        "_A": None,
        "B": ["http://f.com/", list(b"http://g.com/")],
        "PRIORITY": "6",
        "EMPTY": [],
    }
    data = json.dumps(entry).encode()
    for may_hold in (None, MAYBE):
        documents = json_lines(content(data), tally=Tally(), may_hold=may_hold)
        assert found(documents) == [
            ("MESSAGE", "http://e.com/%C3%A9"),
            ("B[0]", "http://f.com/"),
            ("B[1]", "http://g.com/"),
        ]


def test_a_real_journal_if_there_is_one() -> None:
    if shutil.which("journalctl") is None:
        pytest.skip("journalctl is not installed")
    done = subprocess.run(["journalctl", "-o", "export", "-n", "50", "-q"], capture_output=True)
    if done.returncode != 0 or not done.stdout:
        pytest.skip("there is no journal")
    tally = Tally()
    assert values(journal_fields(content(done.stdout), tally=tally))
    assert not tally.broken
