"""Columns that multiply, differ or do not fit: what is made of them stays bounded and right, or is refused."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from urisieve import UsageError
from urisieve.arrow import Extractor, digest_array, identifier_arrays, key_array, normalize_array
from urisieve.arrow.text_columns import RowValues

pa = pytest.importorskip("pyarrow", reason="the extra arrow is not installed")

LINK = "http://a.example/"
MANY = [f"{LINK} " * 3_000, *["x"] * 999]
FAT = "y" * 2_000_000
MOST = 70_000_000


class Named(pa.ExtensionType):  # type: ignore[misc,name-defined]
    """An extension type of any storage."""

    def __init__(self, storage: Any) -> None:
        super().__init__(storage, "urisieve.named")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: Any, serialized: bytes) -> Named:
        return cls(storage)


def named(values: Any) -> Any:
    return pa.ExtensionArray.from_storage(Named(values.type), values)


def found(values: Any, **settings: Any) -> dict[str, list[Any]]:
    return dict(Extractor(**settings).reader(values).read_all().to_pydict())


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    given: list[dict[str, Any]] = [{}, {"columns": [], "keep": ["k"]}, {"columns": ["host"]}]
    for settings in given:
        with pytest.raises(UsageError, match=r"urisieve\[arrow\]"):
            Extractor(**settings)
    with pytest.raises(UsageError, match=r"urisieve\[arrow\]"):
        normalize_array([LINK])


# Schemas that were declared.


def batch(values: Any, kind: Any = None) -> Any:
    return pa.record_batch({"k": pa.array(values, kind), "text": pa.array([LINK] * len(values))})


def test_a_reader_changes_types_where_nothing_is_lost() -> None:
    batches = [batch([7], pa.int32()), batch([5, None], pa.int64()), batch([9], pa.int8())]
    read = Extractor(keep=["k"], columns=["start"]).reader(batches).read_all()
    assert read["k"].to_pylist() == [7, 5, None, 9]
    assert read.schema.field("k").type == pa.int32()


@pytest.mark.parametrize(
    ("declared", "given"),
    [
        (pa.int32(), pa.array([2**40 + 5])),
        (pa.string(), pa.array([7])),
        (pa.int64(), pa.array([1.5])),
        (pa.int64(), pa.array(["007"])),
        (pa.int64(), pa.array([[1]])),
        (pa.float32(), pa.array([0.1])),
    ],
)
def test_a_reader_refuses_what_does_not_fit_its_schema(declared: Any, given: Any) -> None:
    batches = pa.record_batch({"k": given, "text": [LINK]})
    schema = pa.schema([("k", declared), ("text", pa.string())])
    reader = Extractor(keep=["k"], columns=["uri"]).reader([batches], schema=schema)
    if declared == pa.string():  # a number is the same as a text and back
        assert reader.read_all()["k"].to_pylist() == ["7"]
    else:
        with pytest.raises(UsageError, match="'k' is of type"):
            reader.read_all()


def test_a_reader_refuses_nulls_that_its_schema_denies() -> None:
    schema = pa.schema([pa.field("k", pa.int64(), nullable=False), ("text", pa.string())])
    with pytest.raises(UsageError, match="'k' has nulls"):
        Extractor(keep=["k"]).reader([batch([None], pa.int64())], schema=schema).read_all()


def test_a_reader_takes_dictionaries_as_they_come() -> None:
    batches = [batch(["a"]), pa.record_batch({"k": pa.array(["b"]).dictionary_encode(), "text": [LINK]})]
    assert found(batches, keep=["k"], columns=["start"])["k"] == ["a", "b"]


def test_a_reader_gives_each_batch_the_metadata_of_its_schema() -> None:
    schema = pa.schema([pa.field("k", pa.int64(), metadata={"made": "here"}), ("text", pa.string())])
    reader = Extractor(keep=["k"], columns=["uri"]).reader([batch([1]), batch([2])], schema=schema)
    assert reader.schema.field("k").metadata == {b"made": b"here"}
    assert [one.schema.field("k").metadata for one in reader] == [{b"made": b"here"}]


def test_a_schema_that_is_none_is_refused() -> None:
    table = pa.table({"text": [LINK]})
    with pytest.raises(UsageError, match=r"give a pyarrow\.Schema"):
        Extractor().reader([], schema="x")
    with pytest.raises(UsageError, match=r"give a pyarrow\.Schema"):
        Extractor().schema(7)
    assert Extractor().schema(table) == Extractor().schema(table.schema)
    for extractor in (Extractor(text="n"), Extractor(source="n")):
        with pytest.raises(UsageError, match="'n' is of type int64"):
            extractor.schema(table.append_column("n", [[1]]))


# Columns that are repeated.

LARGE: dict[str, Callable[[list[str]], Any]] = {
    "lists": lambda texts: pa.array([[text] if text else [] for text in texts]),
    "large lists": lambda texts: pa.array([[text] for text in texts], pa.large_list(pa.string())),
    "fixed lists": lambda texts: pa.array([[text, "z"] for text in texts], pa.list_(pa.string(), 2)),
    "structs": lambda texts: pa.array([{"a": 1, "b": text} for text in texts]),
    "lists of structs": lambda texts: pa.array([[{"b": text}] if text else None for text in texts]),
    "maps": lambda texts: pa.array([[("a", text)] for text in texts], pa.map_(pa.string(), pa.string())),
    "views": lambda texts: pa.array(texts, pa.string_view()),
    "lists of views": lambda texts: pa.array([[text] for text in texts], pa.list_(pa.string_view())),
    "list views": lambda texts: pa.array([[text] for text in texts], pa.list_view(pa.string())),
    "named": lambda texts: named(pa.array(texts)),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", LARGE)
def test_a_fat_value_does_not_multiply(kind: str) -> None:
    values = LARGE[kind](["", FAT, *[""] * 998, "before"]).slice(1, 1_000)
    before, most, count = pa.total_allocated_bytes(), 0, 0
    for one in Extractor(keep=["k"], columns=["start"])(pa.table({"text": MANY, "k": values})):
        most = max(most, pa.total_allocated_bytes() - before)
        if kind != "list views":  # earlier versions of pyarrow give no size of them
            assert one.nbytes < MOST
        assert one.column("k")[0].as_py() == (FAT if kind in ("views", "named") else values[0].as_py())
        count += one.num_rows
        if count > 200:
            break
    assert most < 6 * MOST


TEXTS = ["", "x" * 1_000, None, "é" * 70, "zz"]
SIZED: dict[str, Callable[[], Any]] = {
    "string": lambda: pa.array(TEXTS),
    "large_string": lambda: pa.array(TEXTS, pa.large_string()),
    "string_view": lambda: pa.array(TEXTS, pa.string_view()),
    "binary": lambda: pa.array(TEXTS).cast(pa.binary()),
    "large_binary": lambda: pa.array(TEXTS).cast(pa.large_binary()),
    "binary_view": lambda: pa.array(TEXTS).cast(pa.binary_view()),
    **{kind: functools.partial(make, [text or "" for text in TEXTS]) for kind, make in LARGE.items()},
    "lists of nulls": lambda: pa.array([["x" * 99, None], None, [], [None], ["y"]]),
    "structs of lists": lambda: pa.array([{"a": ["x" * 99], "b": None}, None, {"a": None, "b": "z" * 500}] * 2),
    "numbers": lambda: pa.array([1, None, 2**40, -1, 0]),
    "booleans": lambda: pa.array([True, None, False, True, True]),
    "nulls": lambda: pa.nulls(5),
    "decimals": lambda: pa.array([1, None, 3, 4, 5]).cast(pa.decimal128(38)),
    "fixed": lambda: pa.array([b"abc", None, b"def", b"ghi", b"jkl"], pa.binary(3)),
}  # fmt: skip


def content_size(value: object) -> int:
    if isinstance(value, (list, tuple)):
        return sum(map(content_size, value))
    if isinstance(value, dict):
        return sum(map(content_size, value.values()))
    return len(value.encode() if isinstance(value, str) else value) if isinstance(value, (str, bytes)) else 0


@pytest.mark.parametrize("kind", SIZED)
@pytest.mark.parametrize(("start", "count"), [(0, 5), (1, 4), (2, 2), (4, 1), (0, 0), (5, 0)])
def test_sizes_of_rows_are_not_less_and_not_much_more(kind: str, start: int, count: int) -> None:
    """By them it is decided how many rows a batch may have."""
    values = SIZED[kind]().slice(start, count)
    columns = [(RowValues(values), values.to_pylist())]
    if count and (pa.types.is_string(values.type) or "binary" in kind or "string" in kind):
        indices = pa.array([count - 1, 0, None, 0])
        columns.append((RowValues(values, indices), values.take(indices).to_pylist() if "view" not in kind else
                        [None if one is None else values[one].as_py() for one in indices.to_pylist()]))  # fmt: skip
    for column, listed in columns:
        sizes = column.sizes.to_pylist()
        least = list(map(content_size, listed))
        assert len(sizes) == len(least)
        for size, wanted in zip(sizes, least, strict=True):
            assert wanted <= size <= wanted + 60
        assert column.largest == max(sizes, default=0)


def test_a_dictionary_of_nothing_has_rows_of_no_size() -> None:
    for kind in (pa.string(), pa.large_string(), pa.binary()):
        for values in (pa.array([], kind), pa.Array.from_buffers(kind, 0, [None, None, pa.py_buffer(b"")])):
            assert RowValues(values, pa.array([None, None], pa.int8())).sizes.to_pylist() == [0, 0]


def test_views_that_share_their_memory_beside_nulls() -> None:
    indices = pa.array([0, None, 299, None, 7])
    values = pa.DictionaryArray.from_arrays(indices, shared_views([DOCUMENT], 300))
    read = found(pa.table({"text": values, "id": range(5)}), keep=["id"], columns=["start"])
    assert read == {"id": [0, 2, 4], "start": [1_000_001] * 3}


@pytest.mark.parametrize(("settings", "most"), [({}, 16_384), ({"batch_size": 7_000}, 7_000), ({"batch_size": 1}, 1)])
def test_the_most_rows_of_a_batch(settings: dict[str, Any], most: int) -> None:
    texts = pa.table({"text": [f"{LINK} " * 6_000] * 3})
    for extractor in (Extractor(columns=["start"], **settings), Extractor(**settings)):
        sizes = [one.num_rows for one in extractor(texts)]
        assert (max(sizes), sum(sizes)) == (most, 18_000)


def test_small_values_beside_a_fat_one_come_together() -> None:
    values = pa.array([[FAT], *[["z"]] * 999])
    batches = pa.table({"text": ["x", *[f"{LINK} " * 3] * 999], "k": values})
    assert [one.num_rows for one in Extractor(keep=["k"], columns=["start"])(batches)] == [2_997]


@pytest.mark.parametrize("kind", [kind for kind in LARGE if kind not in ("views", "named")])
def test_a_row_that_is_larger_than_a_batch_comes_alone(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.arrow.table_batches._MOST_BYTES", 4_000)
    values = LARGE[kind](["", *["y" * 5_000] * 3, ""]).slice(1, 4)
    made = list(Extractor(keep=["k"], columns=["start"])(pa.table({"text": [LINK] * 4, "k": values})))
    assert [one.num_rows for one in made[:2]] == [1, 1]
    assert [row for one in made for row in one.column("k").to_pylist()] == values.to_pylist()


def test_fat_batches_are_not_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.arrow.table_batches._MOST_BYTES", 4_000)
    batches = [pa.record_batch({"text": [LINK], "k": ["y" * size]}) for size in (1_500, 1_500, 1_500, 3_999, 9)]
    made = [one.num_rows for one in Extractor(keep=["k"], columns=["start"])(batches)]
    assert made == [2, 1, 1, 1]


@pytest.mark.long
def test_a_fat_source_does_not_multiply() -> None:
    batches = pa.table({"text": MANY, "name": [FAT] + [""] * 999})
    sizes = [one.nbytes for one, _ in zip(Extractor(source="name")(batches), range(5), strict=False)]
    assert max(sizes) < MOST


def test_runs_that_are_kept_are_not_expanded() -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([3_000, 3_001], pa.int32()), pa.array([FAT, "z"]))
    batches = pa.table({"text": [*["x"] * 2_998, LINK, LINK, LINK], "k": runs})
    before = pa.total_allocated_bytes()
    (one,) = Extractor(keep=["k"], columns=["start"])(batches)
    assert one.column("k").to_pylist() == [FAT, FAT, "z"]
    assert pa.total_allocated_bytes() - before < MOST


# Text of which rows share their memory.

DOCUMENT = f"{'x' * 1_000_000} {LINK}"
INDICES = [0, 1] * 300
SHARED: dict[str, Callable[[], Any]] = {
    "dictionary": lambda: pa.DictionaryArray.from_arrays(pa.array(INDICES, pa.int8()), pa.array([DOCUMENT, None])),
    "dictionary of bytes": lambda: pa.DictionaryArray.from_arrays(
        pa.array(INDICES), pa.array([DOCUMENT, None]).cast(pa.binary())
    ),
    "runs": lambda: pa.RunEndEncodedArray.from_arrays(
        pa.array([9, 309, 609], pa.int32()), pa.array(["", DOCUMENT, None])
    ).slice(9),
    "views": lambda: shared_views([DOCUMENT], 300),
    "named": lambda: named(SHARED["dictionary"]()),
}


def shared_views(texts: list[str], count: int) -> Any:
    """Each text several times, as views of the same memory."""
    once = pa.array(texts, pa.string_view())
    heads = once.buffers()[1].to_pybytes() * count
    return pa.Array.from_buffers(pa.string_view(), len(texts) * count, [None, pa.py_buffer(heads), *once.buffers()[2:]])


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", SHARED)
def test_rows_that_share_their_text_are_not_expanded_at_once(kind: str) -> None:
    values = SHARED[kind]()
    before, most, count = pa.total_allocated_bytes(), 0, 0
    for one in Extractor(columns=["start"], batch_size=1)(pa.table({"text": values})):
        most = max(most, pa.total_allocated_bytes() - before)
        assert one.to_pylist() == [{"start": 1_000_001}]
        count += 1
    assert count == 300
    assert most < 30_000_000


def test_views_that_share_their_memory_are_kept() -> None:
    batches = pa.table({"text": [LINK, "x", LINK, LINK], "k": shared_views(["z" * 1_000, "b"], 2)})
    assert found(batches, keep=["k"], columns=["start"])["k"] == ["z" * 1_000, "z" * 1_000, "b"]
    batches = pa.table({"text": [LINK, *["x"] * 99], "k": shared_views([DOCUMENT], 100)})
    before = pa.total_allocated_bytes()
    for one in Extractor(keep=["k"], columns=["start"], batch_size=1)(batches):
        assert pa.total_allocated_bytes() - before < 10_000_000
        assert one.column("k").to_pylist() == [DOCUMENT]
    text = pa.DictionaryArray.from_arrays(pa.array([1, None, 0, 3]), shared_views([LINK * 9, LINK], 2))
    assert found(pa.table({"text": text}), columns=["end"])["end"] == [17, 153, 17]


def test_rows_around_one_that_is_not_utf_8() -> None:
    rows = [LINK.encode()] * 1_000
    rows[700] = b"\xff " + rows[700]
    batches = pa.table({"text": rows, "n": range(1_000)})
    assert found(batches, keep=["n"], columns=["start"]) == {
        "n": list(range(1_000)),
        "start": [2 if number == 700 else 0 for number in range(1_000)],
    }


@pytest.mark.parametrize("kind", ["dictionary", "runs", "runs of views", "dictionary of views", "fixed"])
@pytest.mark.parametrize("rows", [1, 3, 7])
def test_small_batches_of_a_column_in_another_layout(kind: str, rows: int) -> None:
    texts = pa.array([LINK, LINK, None, "x", LINK, "b", LINK])
    if kind == "fixed":
        values = pa.array([None if text is None else f"{text:17}" for text in texts.to_pylist()]).cast(pa.binary())
        values = values.cast(pa.binary(17))
    else:
        views = texts.cast(pa.string_view()) if kind.endswith("views") else texts
        ends, indices = pa.array(range(1, 8), pa.int16()), pa.array(range(7), pa.uint8())
        runs = pa.RunEndEncodedArray.from_arrays(ends, views)
        values = runs if kind.startswith("runs") else pa.DictionaryArray.from_arrays(indices, views)
    table = pa.table({"text": values, "name": values})
    batches = table.slice(0, 0).to_batches() + table.to_batches(rows) + [table.to_batches()[0].slice(0, 0)]
    made = found(batches, source="name", keep=["text"], columns=["source", "end"])
    assert made["end"] == [len(LINK)] * 4
    assert made["source"] == [LINK] * 4
    assert [text.decode() if isinstance(text, bytes) else text for text in made["text"]] == [LINK] * 4


# Dictionaries that are kept.


def test_dictionaries_that_do_not_fit_together_stay_apart() -> None:
    def each(first: int, size: int, kind: Any = None) -> Any:
        values = pa.array([f"{number}" for number in range(first, first + size)])
        return pa.DictionaryArray.from_arrays(pa.array(range(size), pa.int8()), values)

    batches = [pa.record_batch({"text": [LINK] * 100, "k": each(first, 100)}) for first in (0, 100)]
    made = list(Extractor(keep=["k"], columns=["start"], batch_size=150)(batches))
    assert [row for one in made for row in one.column("k").to_pylist()] == list(map(str, range(200)))
    assert max(one.num_rows for one in made) <= 150

    nulls = [pa.array([0, 1]), pa.array([1, 0])]
    values = [pa.array(["a", None]), pa.array(["b", None])]
    others = [pa.DictionaryArray.from_arrays(*pair) for pair in zip(nulls, values, strict=True)]
    lists = [pa.ListArray.from_arrays([0, 1, 2], other) for other in others]
    for columns in (others, lists):
        batches = [pa.record_batch({"text": [LINK] * 2, "k": column}) for column in columns]
        made = list(Extractor(keep=["k"], columns=["start"])(batches))
        rows = [row for one in made for row in one.column("k").to_pylist()]
        assert rows == [row for column in columns for row in column.to_pylist()]


# The source.


def test_a_source_that_is_not_utf_8() -> None:
    octets = pa.array([b"a\xff", b"b", None])
    for names in (octets, octets.view(pa.string()), octets.cast(pa.large_binary()), octets.dictionary_encode()):
        given = pa.table({"text": [LINK, LINK, LINK], "name": names})
        made = Extractor(source="name", columns=["source"]).reader(given).read_all()
        made.validate(full=True)
        assert made["source"].to_pylist() == ["a\\xff", "b", None]
        assert made.schema.field("source").type == pa.string()


# Rejected candidates.


def test_rejected_candidates_are_rows_whatever_the_columns() -> None:
    batches = pa.table({"text": ["http://b:x/ http://a/"]})
    assert found(batches, rejected=True, columns=["start", "uri"]) == {"start": [0, 12], "uri": [None, "http://a/"]}
    assert found(batches, rejected=True, columns=[], keep=["text"])["text"] == batches["text"].to_pylist() * 2
    assert found(batches, columns=["start", "uri"]) == {"start": [12], "uri": ["http://a/"]}


# Arrays of identifiers.


@pytest.mark.parametrize("make", [normalize_array, functools.partial(key_array, secret=b"s" * 32), digest_array])
def test_a_text_that_the_kernel_cannot_take(make: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    texts = pa.array(["HTTP://A/%7e", None, "x", "HTTP://B/"])
    expected = make(texts).to_pylist()
    monkeypatch.setattr(identifier_arrays, "_MOST_PROVED", 3)
    assert make(texts).to_pylist() == expected


def test_more_than_one_array_can_hold_is_chunked(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = pa.array(["HTTP://A/", "HTTP://B/"])
    expected = normalize_array(texts)
    assert isinstance(expected, pa.Array)
    monkeypatch.setattr(identifier_arrays, "_MOST_ROWS", 1)
    assert normalize_array(texts).equals(expected)
    monkeypatch.setattr(identifier_arrays, "_MOST_IN_ARRAY", 10)
    for given in (texts, pa.chunked_array([texts])):
        made = normalize_array(given)
        assert isinstance(made, pa.ChunkedArray)
        assert made.to_pylist() == expected.to_pylist()


class Exported:
    """An array, or a chunked one, of another library."""

    def __init__(self, values: Any) -> None:
        name = "__arrow_c_array__" if isinstance(values, pa.Array) else "__arrow_c_stream__"
        self._values = values
        setattr(type(self), name, _exported(name))


def _exported(name: str) -> Callable[..., Any]:
    def export(self: Exported, requested: object = None) -> Any:
        return getattr(self._values, name)(requested)

    return export


def test_arrays_of_other_libraries() -> None:
    texts = pa.array(["HTTP://A/", None])
    for values in (texts, pa.chunked_array([texts])):
        kind: Any = type("Other", (Exported,), {})
        assert normalize_array(kind(values)).to_pylist() == ["http://a/", None]


@pytest.mark.parametrize("wrong", ["http://a/", 7, None, pa.table({"a": ["http://a/"]}), pa.scalar("a"), iter(["a:b"])])
def test_what_is_not_a_column_is_refused(wrong: Any) -> None:
    makers: list[Callable[[Any], Any]] = [normalize_array, digest_array, functools.partial(key_array, secret=b"s" * 32)]
    for make in makers:
        with pytest.raises(UsageError, match=r"give a list, a Series of pandas or Polars, or an array|give one column"):
            make(wrong)
    with pytest.raises(UsageError, match="values that are not text: Expected bytes, got a 'int'"):
        normalize_array(["http://a/", 1])
    with pytest.raises(UsageError, match="'array' is of type int64"):
        normalize_array(pa.array([1]))


# Layouts that are kept.


def test_extension_types_are_kept() -> None:
    for values, kind in (
        (pa.array(["a", "b"], pa.string_view()), pa.large_string()),
        (pa.array(["a", "b"]), Named(pa.string())),
    ):
        given = pa.table({"text": [LINK, LINK], "k": named(values)})
        made = Extractor(keep=["k"], columns=["start"]).reader(given).read_all()
        assert made.schema.field("k").type == kind
        assert made["k"].to_pylist() == ["a", "b"]
    views = named(pa.array(["a", "b"], pa.string_view()))
    for values, kind in (
        (pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), views), pa.large_string()),
        (pa.DictionaryArray.from_arrays(pa.array([0, 1]), views), pa.dictionary(pa.int64(), pa.large_string())),
    ):
        made = Extractor(keep=["k"], columns=["start"]).reader(pa.table({"text": [LINK, LINK], "k": values})).read_all()
        assert made.schema.field("k").type == kind
        assert made["k"].to_pylist() == ["a", "b"]


def test_a_layout_that_cannot_be_kept_is_refused_before_anything_runs() -> None:
    runs = pa.run_end_encoded(pa.int32(), pa.string())
    for kind in (pa.struct([("a", runs)]), pa.list_(runs), pa.dictionary(pa.int8(), runs)):
        schema = pa.schema([("text", pa.string()), ("k", kind)])
        with pytest.raises(UsageError, match="keep: the column 'k' is of type"):
            Extractor(keep=["k"]).schema(schema)
        with pytest.raises(UsageError, match="keep: the column 'k' is of type"):
            Extractor(keep=["k"])(pa.RecordBatchReader.from_batches(schema, []))


# Misuse, reported by the call itself.


def test_columns_in_place_of_a_table() -> None:
    for wrong in (pa.array([LINK]), pa.chunked_array([[LINK]])):
        for call in (Extractor(), Extractor().reader):
            with pytest.raises(UsageError, match="give the table, and name the column by text="):
                call(wrong)
    kind: Any = type("Series", (Exported,), {})
    with pytest.raises(UsageError, match="give the table, and name the column by text="):
        Extractor().reader(kind(pa.chunked_array([[LINK]])))


def _asked(_: object) -> None:
    raise AssertionError("the schema is not asked for: it may cost a query")


def test_what_holds_batches_without_being_them() -> None:
    for method, call in {
        "to_batches": "to_batches",
        "iter_batches": "iter_batches",
        "collect_schema": "collect",
    }.items():
        kind: Any = type("Data", (), {method: None, "schema": property(_asked)})
        for use in (Extractor(), Extractor().reader):
            with pytest.raises(UsageError, match=rf"are a Data: give what its \.{call}\(\) returns"):
                use(kind())


def test_columns_are_checked_by_the_call_where_they_are_known() -> None:
    table = pa.table({"txet": [LINK]})
    for given in (table, table.to_batches()[0], table.to_reader()):
        with pytest.raises(UsageError, match="no column 'text'"):
            Extractor()(given)
    later: Iterator[Any] = Extractor()(iter(table.to_batches()))
    with pytest.raises(UsageError, match="no column 'text'"):
        next(later)


@pytest.mark.parametrize("settings", [{"columns": []}, {"batch_size": "a"}, {"batch_size": 1.5}])
def test_settings_that_make_nothing(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"columns=\[\]|batch_size=.* must be an integer"):
        Extractor(**settings)
