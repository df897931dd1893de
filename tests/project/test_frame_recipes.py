"""The recipes of docs/how-to/houses.md for frames and tables, on such as are filtered, sorted and contain nulls.  # M5

Each section is run as it is written, but for the frames: wherever it makes one, another takes its place. What it makes
of them is compared row by row with what plain Python makes of the same rows.
"""

from __future__ import annotations

import doctest
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from tests.helpers.folders import ROOT
from urisieve import Record, check, extract

pa = pytest.importorskip("pyarrow", reason="the extra arrow is not installed")

Row = tuple[int, str | None, str | None]  # a number, an identifier, a text
URLS = [
    *("HTTP://A.example", "http://a.example/", "no link", "urn:isbn:0-395-36341-1", "http://u:one@b.example/"),
    *("http://u:two@b.example", "http://c.example/%7Ea", "", "http://[a/", "URN:ISBN:0395363411", " http://a.example "),
    *("http://\u00fc.example/", "http://c.example/~a"),
]
PLAIN: list[Row] = [
    (number, url, f"{number}: see {url}, and <HTTP://x.example/{number}> or http://u:p@y.example/")
    for number, url in enumerate(URLS)
]
NULLS: list[Row] = [(number, None if number % 3 == 1 else url, text) for number, url, text in PLAIN]
NULLS = [(number, url, None if number % 4 == 2 else text) for number, url, text in NULLS]


def _order(row: Row) -> tuple[int, int]:
    return row[0] % 5, -row[0]


# How a frame comes to its rows: what is in it first, whether rows are dropped, whether they are put in another order.
SHAPES: dict[str, tuple[list[Row], bool, bool]] = {
    "whole": (PLAIN, False, False),
    "filtered": (PLAIN, True, False),
    "sorted": (PLAIN, False, True),
    "null-holding": (NULLS, False, False),
    "of nulls alone": ([(number, None, None) for number, _, _ in PLAIN], True, False),
    "all three": (NULLS, True, True),
}


def _rows(shape: str) -> list[Row]:
    rows, drops, sorts = SHAPES[shape]
    kept = [row for row in rows if not drops or row[0] not in (0, 4, 5, 11)]
    return sorted(kept, key=_order) if sorts else kept


def _record(url: str | None) -> Record | None:
    found = None if url is None else check(url.strip())
    return found if isinstance(found, Record) else None


def _uri(url: str | None, secret: bytes) -> str | None:
    record = _record(url)
    return None if record is None else record.masked(secret=secret).uri


def _key(url: str | None, secret: bytes) -> str | None:
    record = _record(url)
    return None if record is None else record.masked(secret=secret).key


def _links(rows: Iterable[Row], secret: bytes) -> list[tuple[int, int, str]]:
    return [
        (number, record.start, record.masked(secret=secret).uri)
        for number, _, text in rows
        for record in extract(text or "")
    ]


def _first(rows: Iterable[Row], secret: bytes) -> list[int]:
    """The numbers of the first rows of each key."""
    numbers: dict[str, int] = {}
    for number, url, _ in rows:
        key = _key(url, secret)
        if key is not None:
            numbers.setdefault(key, number)
    return sorted(numbers.values())


def _run(section: str, makes: dict[str, Callable[[dict[str, Any]], None]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run a section of the page; return its variables, and the values of its expressions by their text.

    Args:
        section: its heading.
        makes: by the beginning of a statement that makes a frame, what puts another one there.
    """
    page = (ROOT / "docs" / "how-to" / "houses.md").read_text("utf-8")
    text = page.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    names: dict[str, Any] = {}
    values: dict[str, Any] = {}
    made = set()
    for example in doctest.DocTestParser().get_examples(text):
        source = example.source.strip()
        try:
            values[source] = eval(source, names)
        except SyntaxError:
            exec(source, names)
        for beginning, put in makes.items():
            if source.startswith(beginning):
                made.add(beginning)
                put(names)
    assert made == set(makes), "the section makes other frames"
    return names, values


def _check(names: dict[str, Any], rows: list[Row], columns: Callable[[Any, str], list[Any]]) -> None:
    """Compare the frames of a section with the rows that they were made of."""
    secret, frame = names["secret"], names["rows"]
    assert columns(frame, "number") == [number for number, _, _ in rows]
    assert columns(frame, "url") == [url for _, url, _ in rows]
    assert columns(frame, "uri") == [_uri(url, secret) for _, url, _ in rows]
    assert columns(frame, "key") == [_key(url, secret) for _, url, _ in rows]
    links = names["links"]
    found = list(zip(columns(links, "id"), columns(links, "start"), columns(links, "uri"), strict=True))
    assert found == _links(rows, secret)
    first = {_key(url, secret): number for number, url, _ in reversed(rows)}
    assert columns(names["kept"], "number") == [
        number for number, url, _ in rows if (key := _key(url, secret)) and first[key] == number
    ]


@pytest.mark.parametrize("kind", ["default", "object", "string", "arrow"])
@pytest.mark.parametrize("shape", SHAPES)
def test_pandas(shape: str, kind: str) -> None:
    pd = pytest.importorskip("pandas")
    types: dict[str, Any] = {"arrow": pd.ArrowDtype(pa.string())}

    def frame(text: str, number: str) -> Any:
        rows, drops, sorts = SHAPES[shape]
        index = pd.Index([f"row {one}" for one, _, _ in rows], name="name")
        columns = {number: [one for one, _, _ in rows], text: [row[1 if text == "url" else 2] for row in rows]}
        made = pd.DataFrame(columns, index=index)
        if kind != "default":
            made[text] = made[text].astype(types.get(kind, kind))
        if drops:
            made = made[~made[number].isin([0, 4, 5, 11])].copy()
        return made.sort_values(number, key=lambda numbers: numbers % 5 * 100 - numbers) if sorts else made

    def columns(made: Any, name: str) -> list[Any]:
        values = made[name].astype(object)
        return list(values.where(values.notna(), None))

    names, _ = _run(
        "pandas",
        {
            "pages = pd.DataFrame(": lambda names: names.update(pages=frame("text", "id")),
            "rows = pd.DataFrame(": lambda names: names.update(rows=frame("url", "number")),
        },
    )
    _check(names, _rows(shape), columns)
    rows = names["rows"]
    assert rows.index.tolist() == [f"row {number}" for number, _, _ in _rows(shape)]
    if kind in ("object", "string", "arrow"):
        assert rows["uri"].dtype == rows["url"].dtype


@pytest.mark.parametrize("kind", ["String", "Categorical", "Binary"])
@pytest.mark.parametrize("shape", SHAPES)
def test_polars(shape: str, kind: str) -> None:
    pl = pytest.importorskip("polars")

    def frame(text: str, number: str) -> Any:
        rows, drops, sorts = SHAPES[shape]
        columns = {number: [one for one, _, _ in rows], text: [row[1 if text == "url" else 2] for row in rows]}
        made = pl.DataFrame(columns, schema={number: pl.Int64, text: pl.String}).cast({text: getattr(pl, kind)})
        if drops:
            made = made.filter(~pl.col(number).is_in([0, 4, 5, 11]))
        return made.sort(pl.col(number) % 5 * 100 - pl.col(number)) if sorts else made

    def columns(made: Any, name: str) -> list[Any]:
        return [one.decode() if isinstance(one, bytes) else one for one in made[name].to_list()]

    names, _ = _run(
        "Polars",
        {
            "pages = pl.DataFrame(": lambda names: names.update(pages=frame("text", "id")),
            "rows = pl.DataFrame(": lambda names: names.update(rows=frame("url", "number")),
        },
    )
    _check(names, _rows(shape), columns)
    assert names["lazy"].collect()["uri"].equals(names["rows"]["uri"])


def _values(rows: Iterable[Row], values: Callable[[Row], tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    return (values(row) for row in rows)


@pytest.mark.parametrize("shape", SHAPES)
def test_duckdb(shape: str) -> None:
    pytest.importorskip("duckdb")
    rows = _rows(shape)

    def fill(names: dict[str, Any], table: str, columns: str, values: Callable[[Row], tuple[Any, ...]]) -> None:
        connection = names["connection"]
        connection.execute(f"CREATE OR REPLACE TABLE {table} ({columns})")
        filled = ", ".join("?" for _ in columns.split(","))
        connection.executemany(f"INSERT INTO {table} VALUES ({filled})", list(_values(rows, values)))

    names, values = _run(
        "DuckDB",
        {
            '_ = connection.execute("CREATE TABLE pages': lambda names: fill(
                names, "pages", "id INTEGER, text VARCHAR", lambda row: (row[0], row[2])
            ),
            '_ = connection.execute(\n    "CREATE TABLE urls': lambda names: fill(
                names, "urls", "url VARCHAR", lambda row: (row[1],)
            ),
        },
    )
    (links,) = [found for source, found in values.items() if "FROM links" in source]
    assert [start for _, start, _ in links] == sorted(start for _, start, _ in links)
    assert Counter(links) == Counter(_links(rows, names["secret"]))
    (first,) = [found for source, found in values.items() if "DISTINCT ON" in source]
    uris = [_uri(url, names["secret"]) for _, url, _ in rows]
    keys = {_key(url, names["secret"]) for _, url, _ in rows}
    assert len(first) == len(keys)
    assert {uri for (uri,) in first} == set(uris)


@pytest.mark.parametrize("shape", SHAPES)
def test_sqlite(shape: str) -> None:
    if sqlite3.sqlite_version_info < (3, 31):
        pytest.skip("the functions need a newer SQLite")
    rows = _rows(shape)
    pairs = [(number, url) for number, url, _ in rows]
    names, values = _run("SQLite", {"rows = [": lambda names: names.update(rows=pairs)})
    secret = names["secret"]
    (groups,) = [found for source, found in values.items() if "GROUP BY" in source]
    counts = Counter(_key(url, secret) for _, url, _ in rows)
    least = {key: min(number for number, url, _ in rows if _key(url, secret) == key) for key in counts}
    assert groups == sorted(((key, counts[key], least[key]) for key in counts), key=lambda group: group[2])
    (hosts,) = [found for source, found in values.items() if "uri_is_valid" in source]
    records = [record for _, url, _ in rows if (record := _record(url)) is not None]
    assert [host for host, _ in hosts] == [record.host for record in records]
    assert sorted(values["lite.execute(query).fetchall()"]) == [
        (number,) for number, url, _ in sorted(rows) if _key(url, secret) == "http://a.example/"
    ]
