"""Streams that engines give and take, and columns in layouts with which Arrow can do little."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from urisieve import UsageError
from urisieve.arrow import Extractor

pa = pytest.importorskip("pyarrow")

TEXTS = ["see http://a.example/ and http://b.example/", None, "nothing", "http://c.example/"]
URIS = ["http://a.example/", "http://b.example/", "http://c.example/"]
# For each identifier the index of its row.
ROWS = [0, 0, 3]
VIEWS = pa.string_view()


class Stream:
    """An object of another library that gives a stream of Arrow."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def table(texts: Any = None) -> Any:
    return pa.table({"id": range(len(TEXTS)), "text": pa.array(TEXTS) if texts is None else texts})


def dictionary(values: Any) -> Any:
    """The texts as a dictionary of some values."""
    return pa.DictionaryArray.from_arrays(pa.array([0, None, 1, 2], pa.int32()), values)


GIVEN: dict[str, Callable[[], Any]] = {
    "table": table,
    "batch": lambda: table().to_batches()[0],
    "reader": lambda: table().to_reader(2),
    "stream": lambda: Stream(table()),
    "list of batches": lambda: table().to_batches(2),
    "generator of batches": lambda: iter(table().to_batches(2)),
    "list of tables": lambda: [table().slice(0, 1), table().slice(1)],
    "list of streams": lambda: [Stream(table().slice(0, 2)), Stream(table().slice(2))],
    "list of readers": lambda: [table().slice(0, 2).to_reader(), table().slice(2).to_reader()],
}


@pytest.mark.parametrize("kind", GIVEN)
def test_a_reader_has_all_rows_and_the_schema(kind: str) -> None:
    extractor = Extractor(keep=["id"], columns=["start", "uri"])
    for found in (extractor.reader(GIVEN[kind]()), pa.RecordBatchReader.from_batches(
        extractor.schema(table().schema), extractor(GIVEN[kind]())
    )):  # fmt: skip
        assert found.schema.names == ["id", "start", "uri"]
        assert found.schema.metadata[b"urisieve.schema"] == b"1"
        whole = found.read_all()
        assert whole["uri"].to_pylist() == URIS
        assert whole["id"].to_pylist() == ROWS
        assert whole["start"].to_pylist() == [4, 26, 0]


@pytest.mark.parametrize("given", [table().slice(0, 0), table().slice(0, 0).to_reader(), Stream(table().slice(0, 0))])
def test_a_reader_of_nothing_has_a_schema(given: Any) -> None:
    found = Extractor(keep=["id"], columns=["uri"]).reader(given)
    assert found.schema.names == ["id", "uri"]
    assert found.read_all().num_rows == 0


def test_a_schema_can_be_given() -> None:
    assert Extractor(columns=["uri"]).reader([], schema=table().schema).read_all().num_rows == 0
    found = Extractor(columns=["uri"]).reader(iter(table().to_batches()), schema=table().schema)
    assert found.read_all()["uri"].to_pylist() == URIS


def test_a_reader_needs_a_schema() -> None:
    with pytest.raises(UsageError, match="no batches, so no schema"):
        Extractor().reader([])
    with pytest.raises(UsageError, match="'text'"):
        Extractor().reader(pa.table({"id": [1]}))
    for wrong in ("http://a.example/", 7, ["http://a.example/"]):
        with pytest.raises(UsageError, match="give"):
            Extractor().reader(wrong)


def test_a_reader_reads_as_it_is_read() -> None:
    taken = []

    def batches() -> Iterator[Any]:
        for number in range(9):
            taken.append(number)
            yield pa.record_batch({"text": ["http://a.example/"] * 10})

    found = Extractor(batch_size=10).reader(batches())
    assert len(taken) == 1
    assert found.read_next_batch().num_rows == 10
    assert len(taken) < 4


LAYOUTS = {
    "string_view": pa.array(TEXTS).cast(VIEWS),
    "dictionary": dictionary(pa.array([TEXTS[0], *TEXTS[2:]])),
    "dictionary of views": dictionary(pa.array([TEXTS[0], *TEXTS[2:]]).cast(VIEWS)),
    "dictionary of bytes": dictionary(pa.array([TEXTS[0], *TEXTS[2:]]).cast(pa.large_binary())),
    "dictionary with a null": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3]), pa.array(TEXTS)),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([1, 2, 3, 4], pa.int32()), pa.array(TEXTS)),
}


@pytest.mark.parametrize("kind", LAYOUTS)
def test_text_of_any_layout(kind: str) -> None:
    found = Extractor(keep=["id"], columns=["uri"]).reader(table(LAYOUTS[kind])).read_all()
    assert found.to_pydict() == {"id": ROWS, "uri": URIS}


@pytest.mark.parametrize("indices", [None, [0, 1, 0, 2]])
def test_views_of_bytes_that_do_not_decode(indices: list[int] | None) -> None:
    values = pa.array([b"\xff http://a.example/", None, b"http://b.example/ \xc3"], pa.binary()).cast(pa.binary_view())
    names = pa.array([b"\xfe", b"b", None], pa.binary()).cast(pa.binary_view())
    uris = ["http://a.example/", "http://b.example/"]
    if indices is not None:
        values, names = (pa.DictionaryArray.from_arrays(pa.array(indices), one) for one in (values, names))
        uris.insert(0, uris[0])
    found = Extractor(source="name", columns=["uri", "source"]).reader(pa.table({"text": values, "name": names}))
    assert found.read_all().to_pydict() == {"uri": uris, "source": ["\\xfe"] * (len(uris) - 1) + [None]}


KEPT = {
    "string_view": (pa.array(["a", None, "c", "d"], VIEWS), pa.large_string()),
    "binary_view": (pa.array([b"a", None, b"c", b"\xff"]).cast(pa.binary_view()), pa.large_binary()),
    "dictionary": (dictionary(pa.array(["a", "b", "c"])), pa.dictionary(pa.int32(), pa.string())),
    "dictionary of views": (dictionary(pa.array(["a", "b", "c"], VIEWS)), pa.dictionary(pa.int32(), pa.large_string())),
    "runs": (pa.RunEndEncodedArray.from_arrays(pa.array([3, 4], pa.int32()), pa.array(["a", "b"])), pa.string()),
    "runs of lists": (
        pa.RunEndEncodedArray.from_arrays(pa.array([3, 4], pa.int32()), pa.array([["a"], ["b"]], pa.list_(VIEWS))),
        pa.list_(pa.large_string()),
    ),
    "list of views": (pa.array([["a"], None, [], ["b", None]], pa.list_(VIEWS)), pa.list_(pa.large_string())),
    "large list": (pa.array([["a"], [], [], []], pa.large_list(VIEWS)), pa.large_list(pa.large_string())),
    "fixed list": (pa.array([["a"], ["b"], None, ["c"]], pa.list_(VIEWS, 1)), pa.list_(pa.large_string(), 1)),
    "struct of views": (pa.array([{"a": "x"}, {"a": None}] * 2, pa.struct([("a", VIEWS)])),
                        pa.struct([("a", pa.large_string())])),
    "map to views": (pa.array([[("a", "x")], [], [], []], pa.map_(pa.string(), VIEWS)),
                     pa.map_(pa.string(), pa.large_string())),
    "list of structs": (pa.array([[{"a": 1}], [], [], None]), pa.list_(pa.struct([("a", pa.int64())]))),
    "empty lists of lists": (pa.array([[], None, [], []], pa.list_(pa.list_(pa.string()))),
                             pa.list_(pa.list_(pa.string()))),
    "empty lists of views": (pa.array([[], None, [], []], pa.list_(VIEWS)), pa.list_(pa.large_string())),
    "timestamp": (pa.array(range(4), pa.timestamp("us", "UTC")), pa.timestamp("us", "UTC")),
}  # fmt: skip


@pytest.mark.parametrize("kind", KEPT)
def test_any_column_is_kept(kind: str) -> None:
    values, expected = KEPT[kind]
    given = pa.record_batch({"kept": values, "text": pa.array(TEXTS)})
    found = Extractor(keep=["kept"], columns=["uri"]).reader([given, given]).read_all()
    found.validate(full=True)
    assert found.schema.field("kept").type == expected
    listed = values.to_pylist()
    assert found["kept"].to_pylist() == [listed[row] for row in ROWS] * 2
