"""Rows that the kernel takes many at once are those that the Python reader reads one by one."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import pairwise
from random import Random
from typing import Any, Final

import pytest

from tests.helpers.readers import table_cells
from urisieve.errors import InputError
from urisieve.kernel import compiled
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.containers.contents import Content
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.kinds.sniffing import layout_of
from urisieve.sources.structured import table_cells as cells
from urisieve.sources.structured.row_files import (
    DELIMITERS,
    RowBlock,
    RowFormat,
    can_take,
    json_row_blocks,
    kept_rows,
    table_row_blocks,
)
from urisieve.sources.structured.row_reader import Row
from urisieve.sources.tally import Tally

pytestmark = pytest.mark.skipif(not compiled, reason="there is no kernel")

FIELDS: Final = ("url", "other")
# A row: its bytes, the texts of its fields (None if Python read it and it has no values), and its fault.
Seen = tuple[bytes, tuple[str, ...] | None, str]


def _texts(values: Any) -> tuple[str, ...] | None:
    if isinstance(values, list) and all(isinstance(cell, str) for cell in values):  # a row of a table
        values = dict(zip(("id", *FIELDS), values, strict=False))
    if not isinstance(values, dict):
        return None
    return tuple(str(values.get(field) or "") for field in FIELDS)


def _blocks(blocks: Iterable[bytes], kind: str) -> Iterator[Row | RowBlock]:
    if kind == "jsonl":
        return json_row_blocks(blocks, FIELDS)
    reader = BlockReader(blocks)
    return table_row_blocks(reader.rest(), layout_of(reader, kind, DELIMITERS[kind]), lambda: (1, 2))


def _of_row(row: Row) -> Seen:
    return row.data, _texts(row.values), f"{row.number} {row.fault.said}" if row.fault else ""


def _of_block(block: RowBlock) -> Iterator[Seen]:
    columns = [
        [texts[start:end].decode() for start, end in pairwise(bounds)]
        for bounds, texts in ((array("i", offsets), texts) for offsets, texts in block.fields)
    ]
    for index, (start, end) in enumerate(pairwise(block.bounds)):
        yield block.data[start:end], tuple(column[index] for column in columns), ""


def _taken(blocks: Iterable[bytes], kind: str) -> tuple[list[Seen], int, str]:
    """Return the rows, the number of those that the kernel has taken, and the error at the end."""
    seen: list[Seen] = []
    taken = 0
    try:
        for one in _blocks(blocks, kind):
            if isinstance(one, RowBlock):
                seen += _of_block(one)
                taken += one.rows
            else:
                seen.append(_of_row(one))
    except InputError as error:
        return seen, taken, str(error)
    return seen, taken, ""


def _read(data: bytes, kind: str) -> tuple[list[Seen], str]:
    seen: list[Seen] = []
    try:
        seen += map(_of_row, kept_rows([data], RowFormat(kind), by_name=False))
    except InputError as error:
        return seen, str(error)
    return seen, ""


def _cut(data: bytes, random: Random) -> list[bytes]:
    size = random.choice((1, 7, 64, len(data) or 1))
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.parametrize(
    ("kind", "row", "is_taken"),
    [
        ("csv", b"1,http://a.example/,x,y\n", True),
        ("csv", b"1,http://a.example/\n", True),
        ("csv", b"1\r\n", True),
        ("csv", b"1,http://a.example/,x,y\r\n", True),
        ("csv", b"1,http://a.example/,x,y", True),
        ("csv", b'1,"http://a.example/?a,b","x ""y"" z",y\n', True),
        ("csv", b'"1","http://a.example/","x","y"\r\n', True),
        ("csv", b'1,http://a.example/,"x\ny",y\n', True),
        ("csv", "1,http://a.example/\u00e9,\u4e2d,y\n".encode(), True),
        ("csv", b'1,http://a.example/,"x\ny"\n', False),
        ("csv", b"1,http://a.example/,x,y,z\n", False),
        ("csv", b'1,http://a.example/,x "y",y\n', False),
        ("csv", b'1,"http://a.example/" ,x,y\n', False),
        ("csv", b'1,"http://a.example/,x,y\n', False),
        ("csv", b'1,"a",b\rc,y\n', False),
        ("csv", b"\n", False),
        ("csv", b"\r\n", False),
        ("csv", b"\xef\xbb\xbf1,http://a.example/\n", False),
        ("csv", b"1,http://a.example/\xff,x,y\n", False),
        ("tsv", b"1\thttp://a.example/?a,b\tx\ty\n", True),
        ("jsonl", b'{"id":1,"url":"http://a.example/"}\n', True),
        ("jsonl", b' {"url" : "http://a.example/" , "x" : [1, -0.5e+3, {"y": [null, true, {}, []]}] } \r\n', True),
        ("jsonl", b'{"url":"http:\\/\\/a.example\\/?a\\u0026b\\u003D\\"","x":"\\ud800"}', True),
        ("jsonl", '{"url":"http://a.example/\u00e9"}\n'.encode(), True),
        ("jsonl", b'{"other":"http://a.example/"}\n', True),
        ("jsonl", b'{"url":"http://a.example/\\u00e9","other":"\\ud83d\\ude00"}\n', True),
        ("jsonl", b'{"url":"http://a.example/","other":"\\ud800"}\n', False),
        ("jsonl", b'{"url":["http://a.example/"]}\n', False),
        ("jsonl", b'{"url":null}\n', False),
        ("jsonl", b'{"id":1}\n', False),
        ("jsonl", b'{"url":"http://a.example/","url":"http://b.example/"}\n', False),
        ("jsonl", b'{"url":"http://a.example/","u\\u0072l":"http://b.example/"}\n', False),
        ("jsonl", b'{"u\\u0072l":"http://b.example/","ur\\n":1}\n', True),
        ("jsonl", b'{"url":"http://a.example/",}\n', False),
        ("jsonl", b'{"url":"http://a.example/","x":01}\n', False),
        ("jsonl", b'{"url":"http://a.example/","x":1.}\n', False),
        ("jsonl", b'{"url":"http://a.example/","x":-}\n', False),
        ("jsonl", b'{"url":"http://a.example/","x":[1 2]}\n', False),
        ("jsonl", b'{"url":"http://a.example/","x":[}]}\n', False),
        ("jsonl", b'{"url":"http://a.example/","x":nul}\n', False),
        ("jsonl", b'{"url":"http://a.example/","x":NaN}\n', True),
        ("jsonl", b'{"url":"http://a.example/","x":' + b"9" * 5_000 + b"}\n", False),
        ("jsonl", b'{"url":"http://a.example/","x":' + b"[" * 270 + b"]" * 270 + b"}\n", False),
        ("jsonl", b'{"url":"http://a.example/","x":"a\tb"}\n', False),
        ("jsonl", b'{"url":"http://a.example/","x":"\\x"}\n', False),
        ("jsonl", b'{"url":"http://a.example/"} x\n', False),
        ("jsonl", b'{"url":"http://a.example/"\n', False),
        ("jsonl", b'{"url":"http://a.example/\n', False),
        ("jsonl", b'["http://a.example/"]\n', False),
        ("jsonl", b"\n", False),
    ],
)
def test_which_rows_are_taken(kind: str, row: bytes, is_taken: bool) -> None:
    delimiter = b"\t" if kind == "tsv" else b","
    data = (b"" if kind == "jsonl" else delimiter.join((b"id", b"url", b"other", b"more")) + b"\n") + row
    seen, taken, error = _taken([data], kind)
    assert (seen, error) == _read(data, kind)
    assert taken == is_taken


# Pieces of rows: good ones, and such as break rows, or their kernel.
PIECES: Final = {
    "csv": ["1", "http://a.example/", "url", ",", ",", ",", "\n", "\n", '"', '""', '","', '",\n', "\r\n", "\r", "x",
            " ", "\u00e9", "\ufeff", "\0", '"a b"', '"a\nb"', '"a""b"'],
    "jsonl": ['{"url":"http://a.example/"}\n', '{"id":1,"url":"', '","other":"x"}\n', '"}\n', "{", "}", "[", "]", ":",
              ",", '"', "\\", "\\u0041", "\\u00e9", "\\/", '"url"', '"other"', '"x"', "1", "-1.5e3", "0", "true",
              "null", "NaN", "\n", "\r", " ", "\x1e", "\ufeff", "\u00e9", "\t"],
}  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", PIECES)
@pytest.mark.parametrize("seed", range(8))
def test_generated_rows(kind: str, seed: int) -> None:
    random = Random(seed)
    all_taken = 0
    for _ in range(250):
        pieces = random.choices(PIECES[kind], k=random.randrange(60))
        data = "".join(pieces).encode()
        if random.random() < 0.1:
            data += b"\xff\n"
        if kind == "csv":
            data = b"id,url,other\n" + data
        expected = _read(data, kind)
        seen, taken, error = _taken(_cut(data, random), kind)
        assert (seen, error) == expected, data
        all_taken += taken
    assert all_taken > 20


def test_what_is_a_path_is_left_to_python() -> None:
    assert can_take("csv", ("a.b",), ",")
    assert can_take("jsonl", ("a b",), "")
    assert not any(can_take("jsonl", (field,), "") for field in ("a.b", "a[].b", "a[0]", "*"))
    assert not can_take("csv", tuple(map(str, range(17))), ",")
    assert not can_take("csv", ("a",), "\u00a6")


def _cells(text: str, size: int, *, by_kernel: bool) -> list[object]:
    """Return the cells of a table that comes in pieces, each with its location and its offsets in bytes."""
    data = text.encode("utf-8", "surrogatepass")
    blocks = [data[start : start + size] for start in range(0, len(data), size)]
    with pytest.MonkeyPatch.context() as patched:
        if not by_kernel:
            patched.setattr(cells, "_finds", lambda _: False)
        seen: list[object] = []
        tally = Tally()
        for document in table_cells(Content(source="t", kind=Kind.CSV, blocks=iter(blocks)), tally=tally):
            if document.last is not None:
                seen.append((document.last.place, "".join(document.last.text)))
            for index in range(document.size):
                cell = document.segment(index)
                (whole,) = cell.text
                offsets = cell.offsets()
                at = None if offsets is None else [offsets.span(i, i + 1) for i in range(len(whole))]
                assert document.text(index) == whole
                if whole:  # empty cells are searched by neither
                    seen.append((cell.place, whole, at))
        return [*seen, tally.read, tally.broken]


@pytest.mark.parametrize("seed", range(30))
def test_cells_that_the_kernel_takes(seed: int) -> None:
    random = Random(seed)
    pieces = [
        "a",
        "",
        '""',
        '"x ""y"" é"',
        '"l\nm"',
        "\u6f22",
        "b\r",
        "\0",
        "\x1e",
        '"c"d',
        'e"f',
        "url",
        '"',
        "x" * 200,
    ]
    safe = [*pieces[:6], 'e"f', 'g""', ' "h"'] if seed % 3 else pieces
    ends = ["\n", "\n", "\r\n", "\n\n"]
    text = "".join(
        ",".join(random.choices(safe, k=random.choice((1, 3, 3, 4)))) + random.choice(ends) for _ in range(30)
    )
    for size in (7, 1_000_000):
        assert _cells(text, size, by_kernel=True) == _cells(text, size, by_kernel=False)


@pytest.mark.parametrize(("cell", "left"), [('5" nail', 0), ('"a" b', 90)])
def test_the_kernel_goes_on_after_rows_that_it_leaves(cell: str, left: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Quotation marks inside a cell are left to nobody; behind its closing one, the row is read in Python.

    So is the header.
    """
    of_python = 0
    read = cells.CellRows.next

    def counted(rows: cells.CellRows, *, is_line: bool = False) -> cells.CellRow:
        nonlocal of_python
        of_python += 1
        return read(rows, is_line=is_line)

    monkeypatch.setattr(cells.CellRows, "next", counted)
    rows = "".join(f"{number},{'x' if number % 100 else cell}\n" for number in range(3_000))
    _cells(f"n,u\n{rows}", 1_000_000, by_kernel=True)
    assert left // 3 <= of_python - 1 <= left
