"""Where rows of a table end: what a cell holds x delimiters x cuts, against `csv`."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve import ReadingOptions
from urisieve.rewriting import RewriteCounts, canonical, rewrite
from urisieve.rewriting.table_rows import complete_rows
from urisieve.types import Blocks

_CELLS = st.text(st.sampled_from([*'ab"', "\n"]), max_size=4)


def _pieces(data: bytes, size: int, delimiter: bytes = b",") -> list[bytes]:
    return list(complete_rows((data[at : at + size] for at in range(0, len(data), size)), delimiter))


def _rows(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="\n")))


@given(st.lists(st.lists(_CELLS, min_size=1, max_size=3), max_size=5), st.integers(1, 9), st.booleans())
def test_pieces_have_the_rows_of_the_whole(rows: list[list[str]], size: int, is_odd: bool) -> None:
    text = io.StringIO(newline="\n")
    if is_odd:  # quotation marks that mean nothing, and some that are never closed
        text.write("".join(f"{','.join(row)}\n" for row in rows))
    else:
        csv.writer(text, lineterminator="\n").writerows(rows)
    data = text.getvalue().encode()
    pieces = _pieces(data, size)
    assert b"".join(pieces) == data
    assert [row for piece in pieces for row in _rows(piece)] == _rows(data)


@pytest.mark.parametrize("size", [1, 2, 3, 99])
def test_each_row_is_a_piece(size: int) -> None:
    for rows, delimiter in (
        ([b'5" disk,x\n', b'"a\nb",y\n', b'"a""\n",z\n', b"c"], b","),
        ([b'\xef\xbb\xbf"a\n";x\n', b'x;"\n"\n'], b";"),
        ([b'a\xc2\xa6"\n"\n', b'b"\xc2\xa6c\n'], "\u00a6".encode()),
    ):
        assert b"".join(_pieces(b"".join(rows), size, delimiter)) == b"".join(rows)
        assert _pieces(b"".join(rows), 1, delimiter) == rows


@pytest.mark.parametrize("size", [None, 1, 5])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_cell_that_needs_quotation_marks_gets_them_beside_odd_ones(mark: bytes, size: int | None) -> None:
    data = mark + b'http://a.example/,5" disk,x\n5" disk,http://a.example/,x\n"a\nb",http://b.example/,"http://c/"\n'
    blocks = [data] if size is None else [data[at : at + size] for at in range(0, len(data), size)]
    made = b"".join(rewrite(Blocks("a.csv", blocks), "{uri},1", reading=ReadingOptions(input="csv")))
    assert made == mark + (
        b'"http://a.example/,1",5" disk,x\n5" disk,"http://a.example/,1",x\n'
        b'"a\nb","http://b.example/,1","http://c/,1"\n'
    )


@pytest.mark.parametrize("size", [None, 5])
def test_a_column_is_the_same_one_beside_odd_quotation_marks(size: int | None) -> None:
    data = b'a,b\n5" disk,http://A.example/\n"a\nb",http://A.example/\n'
    blocks = [data] if size is None else [data[at : at + size] for at in range(0, len(data), size)]
    made = b"".join(rewrite(Blocks("a.csv", blocks), canonical(), reading=ReadingOptions(input="csv", field=("b",))))
    assert made == data.replace(b"A", b"a")


def test_a_table_in_utf_16_gets_no_quotation_marks() -> None:
    data = "\ufeffa;b\r\n1;http://a.example/\r\n2;x\r\n".encode("utf-16-le")
    counts = RewriteCounts()
    assert b"".join(rewrite(Blocks("a.csv", [data]), "{uri};1", counts=counts)) == data
    assert (counts.replaced, counts.unwritten) == (0, 1)
