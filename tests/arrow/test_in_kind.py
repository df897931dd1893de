"""What is given comes back in kind: each kind of column x each function x what it holds, row by row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from urisieve import Record, UsageError, check
from urisieve.arrow import digest_array, key_array, normalize_array
from urisieve.dedupe.keyset import digest

pa = pytest.importorskip("pyarrow", reason="the extra arrow is not installed")

# Each asked for by the test that takes something of it, which is skipped where the package is missing.
np, pd, pl = (partial(pytest.importorskip, name) for name in ("numpy", "pandas", "polars"))
SECRET = b"s" * 32
COLUMNS: dict[str, list[str | None]] = {
    "full": ["HTTP://A.example", "no link", "http://u:one@b.example/", " urn:isbn:0-395-36341-1 "],
    "with nulls": [None, "HTTP://A.example", None, "", "http://\u00fc.example/"],
    "nulls alone": [None, None],
    "empty": [],
}
INDEX = [7, 3, 3, 9, 1]  # neither sorted nor without repetition


def _expected(of: Callable[[Record], Any]) -> Callable[[str | None], Any]:
    def value(text: str | None) -> Any:
        found = None if text is None else check(text.strip())
        return of(found) if isinstance(found, Record) else None

    return value


FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[str | None], Any]]] = {
    "normalize": (normalize_array, _expected(lambda found: found.masked(secret=SECRET).uri)),
    "key": (partial(key_array, secret=SECRET), _expected(lambda found: found.masked(secret=SECRET).key)),
    "digest": (digest_array, _expected(lambda found: digest(found.key))),
}


def _series(kind: Callable[[], Any]) -> Callable[[list[str | None]], Any]:
    return lambda values: pd().Series(values, index=INDEX[: len(values)], name="url", dtype=kind())


# How each kind is made, and its values as a list.
KINDS: dict[str, tuple[Callable[[list[str | None]], Any], Callable[[Any], list[Any]]]] = {
    "list": (list, list),
    "tuple": (tuple, list),
    "array": (lambda values: pa.array(values, pa.string()), lambda made: made.to_pylist()),
    "large array": (lambda values: pa.array(values, pa.large_string()), lambda made: made.to_pylist()),
    "chunked array": (
        lambda values: pa.chunked_array([values[:2], values[2:]], pa.string()),
        lambda made: made.to_pylist(),
    ),
    "numpy": (lambda values: np().array(values, dtype=object), lambda made: made.tolist()),
    "polars": (lambda values: pl().Series("url", values, dtype=pl().String), lambda made: made.to_list()),
    "polars categories": (
        lambda values: pl().Series("url", values, dtype=pl().Categorical),
        lambda made: made.to_list(),
    ),
    **{
        f"pandas {name}": (_series(kind), lambda made: made.astype(object).where(made.notna(), None).tolist())
        for name, kind in {
            "default": lambda: None,
            "object": lambda: object,
            "string": lambda: "string",
            "category": lambda: "category",
            "arrow": lambda: pd().ArrowDtype(pa.string()),
        }.items()
    },
    "pandas index": (
        lambda values: pd().Index(values, name="url"),
        lambda made: [None if one is pd().NA or one != one else one for one in made],
    ),
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("held", COLUMNS)
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_comes_back(kind: str, held: str, function: str) -> None:  # M5
    make, values = KINDS[kind]
    call, expected = FUNCTIONS[function]
    given = make(COLUMNS[held])
    made = call(given)
    assert values(made) == list(map(expected, COLUMNS[held]))
    if kind.startswith(("pandas", "polars")):
        assert type(made) is type(given)
        assert made.name == "url"
    elif isinstance(given, pa.Array):
        assert isinstance(made, pa.Array)
    else:
        assert type(made) is type(given)
    if kind.startswith("pandas") and kind != "pandas index":
        assert made.index.equals(given.index)
        if function != "digest" and kind in ("pandas object", "pandas string", "pandas arrow"):
            assert made.dtype == given.dtype


def test_every_null_is_one_and_half_a_surrogate_pair_is_no_identifier() -> None:
    given = ["http://a/", None, float("nan"), pd().NA, "http://\ud800/", b"http://b/"]
    expected = ["http://a/", None, None, None, None, "http://b/"]
    assert normalize_array(given) == expected
    assert normalize_array(pd().Series(given, dtype=object)).tolist() == expected
    assert normalize_array(np().array(given, dtype=object)).tolist() == expected


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: pd().Series([1, 2]), "of type int64"),
        (lambda: pd().Series([1, "http://a/"]), "not text.*; the first is that of index 0"),
        (lambda: ["http://a/", None, b"http://a/", float("nan"), 5, 6], "not text.*; the first is that of index 4"),
        (lambda: pd().DataFrame({"url": ["http://a/"]}), r"a table, DataFrame: give one column of it, as df\['url'\]"),
        (lambda: pl().DataFrame({"url": ["http://a/"]}), r"a table, DataFrame: give one column of it, as df\['url'\]"),
        (lambda: pa.table({"url": ["http://a/"]}), "a table, Table: give one column of it"),
        (lambda: pa.record_batch({"url": ["http://a/"]}), "a table, RecordBatch: give one column of it"),
        (lambda: pl().LazyFrame({"url": ["http://a/"]}), "the column is LazyFrame: give a list, a Series"),
        (lambda: pl().Series("url", [object()]), "Python objects"),
        (lambda: np().array([["http://a/"]]), "1-dimensional"),
        (lambda: {"http://a/"}, "the column is set: give a list"),
        (lambda: [["http://a/"]], "of type list"),
        (lambda: check("http://a/"), "the column is Record: give a list"),
        (lambda: [check("http://a/")], "not text"),
    ],
)
def test_what_is_no_column_of_text_is_refused(wrong: Callable[[], Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        normalize_array(wrong())
