"""Spark in one process of Java: the rows, columns and keys are those of the library, whatever the rows hold."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks.corpora import make
from tests.helpers.folders import ROOT
from tests.spark.spark_session import MISSING, end_session, keys_of_command, make_session
from urisieve import Options, UsageError, extract_each
from urisieve import normalize as normalized
from urisieve.records.mask import Mask

if MISSING:
    pytest.skip(MISSING, allow_module_level=True)

import pyarrow as pa

from urisieve.arrow import ARROW_COLUMNS, REJECTED_COLUMNS, Extractor
from urisieve.spark import deduplicate, extract, normalize, register, with_order

pytestmark = [pytest.mark.spark, pytest.mark.once, pytest.mark.filterwarnings("default")]

SECRET = bytes(32)
TEXTS: list[str | None] = [
    "see http://EXAMPLE.com/%7Ea and ftp://ann:s3cr3t@b.example/, http://b.example/100%zz",
    None,
    "",
    "<http://EXAMPLE.com/a b> urn:ISBN:0-395-36341-1 http://ü.example/\u0301 mailto:a@b.example",
]


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    session = make_session("local[2]", str(tmp_path_factory.mktemp("spark")))
    yield session
    end_session(session)


def rows(df: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in df.collect()]


def keys_of(texts: list[str]) -> list[str]:
    """The keys that the library finds, text by text."""
    mask = Mask(SECRET)
    return [
        mask.record(record).key for _, records in zip(texts, extract_each(texts), strict=True) for record in records
    ]


def test_rows_and_columns_are_those_of_arrow(spark: Any) -> None:
    df = spark.createDataFrame([(number, text) for number, text in enumerate(TEXTS)], "id int, text string").coalesce(1)
    table = pa.table({"id": pa.array(range(len(TEXTS)), pa.int32()), "text": TEXTS})
    for rejected in (False, True):
        found = extract(df, keep=["id"], rejected=rejected, secret=SECRET)
        batches = Extractor(keep=["id"], rejected=rejected, secret=SECRET)(table)
        wanted = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
        assert rows(found) == wanted
        assert len(wanted) == 6 + rejected
        assert found.columns == ["id", *ARROW_COLUMNS, *(REJECTED_COLUMNS if rejected else ())]
    kinds = dict(extract(df, keep=["id"], rejected=True).dtypes)
    assert (kinds["id"], kinds["start"], kinds["offset"], kinds["warnings"]) == (
        "int",
        "bigint",
        "bigint",
        "array<string>",
    )
    assert "s3cr3t" not in str(rows(extract(df)))


def test_lines_have_times_and_no_senders(spark: Any) -> None:
    lines = ["2024-05-31T12:00:00+02:00 http://a.example/", "http://b.example/", "2024-05-31 23:30 http://c.example/"]
    df = spark.createDataFrame([(line,) for line in lines], "text string").coalesce(1)
    assert rows(extract(df, columns=["uri", "time", "time_written"])) == [
        ("http://a.example/", "2024-05-31T10:00:00Z", "2024-05-31T12:00:00+02:00"),
        ("http://b.example/", None, None),
        ("http://c.example/", "2024-05-31T23:30:00", "2024-05-31 23:30"),
    ]
    with pytest.raises(UsageError, match="a row of text has no 'subject': name the column that has it in keep="):
        extract(df, columns=["uri", "subject"])


def test_the_same_keys_as_the_library_and_the_command(spark: Any, tmp_path: Path) -> None:
    for kind in ("access", "urls"):
        path = make(kind, 600_000, tmp_path / f"{kind}.txt")
        lines = path.read_text("utf-8").splitlines()
        found = extract(spark.read.text(str(path)).repartition(4), "value", columns=["key"], secret=SECRET)
        wanted = sorted(keys_of(lines))
        assert len(wanted) > 1_000
        assert (
            sorted(key for (key,) in rows(found))
            == wanted
            == sorted(keys_of_command("extract", "--jobs", "2", str(path)))
        )
        first = deduplicate(with_order(extract(spark.read.text(str(path)), "value", columns=["raw", "key"])))
        assert [row.key for row in first.orderBy("order").collect()] == keys_of_command("dedupe", str(path))


def test_names_with_dots_and_marks_are_only_names(spark: Any) -> None:
    df = spark.createDataFrame([("http://a.example", "x", 1)], "`the.text` string, `a``b` string, id int").coalesce(1)
    assert rows(extract(df, "the.text", source="a`b", keep=["a`b", "the.text"], columns=["source", "uri"])) == [
        ("x", "http://a.example", "x", "http://a.example/")
    ]
    made = normalize(df, "the.text", uri="u.ri", key=None)
    assert made.columns == ["the.text", "a`b", "id", "u.ri"]
    assert rows(made) == [("http://a.example", "x", 1, "http://a.example/")]
    assert rows(deduplicate(with_order(df, "the.order"), "the.text", order="the.order", count="n.")) == [
        ("http://a.example", "x", 1, 0, 1)
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"text": "txet"}, r"text: there is no column 'txet'; did you mean 'text'\?; there are text, id, URI"),
        ({"keep": ["ID2"]}, "keep: there is no column 'ID2'"),
        ({"keep": ["URI"]}, "there is a column 'uri' already"),
        ({"columns": ["host", "ports"]}, "columns: there is no column 'ports'"),
        ({"batch_size": 0}, "batch_size=0 must be an integer of at least 1"),
    ],
)
def test_misuse_is_refused_on_the_driver(spark: Any, arguments: dict[str, Any], message: str) -> None:
    df = spark.createDataFrame([("a", 1, "b")], "text string, id int, URI string")
    with pytest.raises(UsageError, match=message):
        extract(df, **arguments)
    with pytest.raises(UsageError, match="there is a column 'uri' already"):
        normalize(df, "text")
    with pytest.raises(UsageError, match="adds no column"):
        normalize(df, "text", uri=None, key=None)


def test_normalize_adds_forms_and_keys(spark: Any) -> None:
    texts = ["HTTP://A.example:80/%7eb", None, "no identifier", "http://u:one@c.example", "http://u:two@c.example"]
    df = spark.createDataFrame([(n, text) for n, text in enumerate(texts)], "id int, link string")
    found = rows(normalize(df, "link", secret=SECRET).orderBy("id"))
    assert [row[2] for row in found] == ["http://a.example/~b", None, None, *["http://u:***@c.example/"] * 2]
    passwords = keys_of(["http://u:one@c.example", "http://u:two@c.example"])
    assert [row[3] for row in found] == ["http://a.example/~b", None, None, *passwords]
    binary = df.selectExpr("cast(link AS binary) AS link")
    assert sorted(map(str, rows(normalize(binary, "link", secret=SECRET).select("key")))) == sorted(
        str((row[3],)) for row in found
    )
    merging = Options(merge=["strip-www"])
    www = spark.createDataFrame([("http://www.a.example/",)], "link string")
    assert rows(normalize(www, "link", uri="form", key=None, options=merging)) == [
        ("http://www.a.example/", normalized("http://www.a.example/", options=merging))
    ]


# Poisoned rows: bytes, and how many identifiers stand in them.
POISONED = [
    (None, 0),
    (b"\xff\xfe http://a.example/\xff http://b.example/", 2),
    (b"\xed\xa0\x80 http://a.example/ \xed\xb0\x80", 1),
    (b"\0http://a.example/\0", 1),
    ("http://a.example/\u2028http://b.example/ \U0010ffff".encode(), 2),
    (b"http://" + b"a" * 200_000, 0),
    (b"", 0),
]


@pytest.mark.parametrize("kind", ["binary", "string"])
def test_poisoned_rows_lose_nothing(spark: Any, tmp_path: Path, kind: str) -> None:
    good = b"http://good.example/"
    given = [data for poisoned, _ in POISONED for data in (poisoned, good)]
    df = spark.createDataFrame([(data and bytearray(data),) for data in given], "text binary").coalesce(1)
    if kind == "string":  # a line of a file can hold any bytes, and Spark passes them on as a string
        path = tmp_path / "lines.txt"
        path.write_bytes(b"\n".join(data or b"" for data in given))
        df = spark.read.text(str(path)).withColumnRenamed("value", "text")
    uris = [row.uri for row in extract(df, columns=["uri"]).collect()]
    assert uris.count(good.decode()) == len(POISONED)
    assert len(uris) == len(POISONED) + sum(number for _, number in POISONED)


@pytest.mark.long
def test_a_row_of_fifty_megabytes(spark: Any) -> None:
    text = "concat('http://a.example/', id, repeat(concat(' http://b.example/', id), 2000000))"
    found = extract(
        spark.range(2).selectExpr(f"{text} AS text", "id").coalesce(1), keep=["id"], columns=["start", "uri"]
    )
    assert found.groupBy("id").count().orderBy("id").collect() == [(0, 2_000_001), (1, 2_000_001)]


def test_deduplicate_keeps_the_first_rows_whole(spark: Any) -> None:
    given = [(9, "b", "w"), (5, "a", "x"), (2, "a", "y"), (3, None, "z"), (-4, None, "q"), (7, "b", "v"), (1, "", "e")]
    df = spark.createDataFrame(given, "n bigint, key string, text string").repartition(3)
    wanted = [(-4, None, "q"), (1, "", "e"), (2, "a", "y"), (3, None, "z"), (7, "b", "v")]
    assert sorted(rows(deduplicate(df, order="n"))) == wanted
    counted = deduplicate(df, order="n", count=True)
    assert counted.columns == ["n", "key", "text", "count"]
    assert sorted(rows(counted)) == [(*row, number) for row, number in zip(wanted, (1, 1, 2, 1, 2), strict=True)]
    other = deduplicate(df.withColumnRenamed("n", "kept"), order="kept", count="times")
    assert other.columns == ["kept", "key", "text", "times"]
    assert sorted(rows(other))[0] == (-4, None, "q", 1)


def test_deduplicate_of_many_is_that_of_a_dictionary(spark: Any) -> None:
    df = spark.range(20_000).selectExpr("(id * 7919) % 20011 AS order", "concat('k', pmod(hash(id), 3000)) AS key")
    first: dict[str, int] = {}
    for order, key in rows(df):
        first[key] = min(order, first.get(key, order))
    assert {key: order for order, key in rows(deduplicate(df))} == first


def test_deduplicate_refuses_what_it_cannot_order(spark: Any) -> None:
    df = spark.createDataFrame([(1, "a", 1.5), (None, "b", 2.5)], "order bigint, key string, half double")
    with pytest.raises(Exception, match="the column 'order' has a null"):
        deduplicate(df).collect()
    for arguments, message in (
        ({"order": "half"}, "order: the column 'half' is not one of whole numbers"),
        ({"key": "half"}, "key: the column 'half' is not one of strings"),
        ({"order": "number"}, "order: there is no column 'number'"),
        ({"count": "KEY"}, "there is a column 'KEY' already"),
    ):
        with pytest.raises(UsageError, match=message):
            deduplicate(df, **arguments)


def test_an_order_is_given_only_where_it_is_fixed(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("".join(f"http://e.example/{number}\n" for number in range(5_000)), "utf-8")
    text = spark.read.text(str(path))
    numbered = with_order(extract(text.filter("value LIKE '%1%'"), "value", columns=["uri"]))
    found = rows(numbered.orderBy("order"))
    assert [row[0] for row in found] == [uri for uri in path.read_text("utf-8").split() if "1" in uri[17:]]
    assert rows(numbered.orderBy("order")) == found
    assert with_order(text.cache(), "n").columns == ["value", "n"]
    assert with_order(text.rdd.toDF(), "n").columns == ["value", "n"]
    for shuffled in (
        *(text.repartition(3), text.orderBy("value"), text.distinct(), text.repartition(2).cache()),
        *(text.limit(5), text.repartition(3).rdd.toDF(), text.rdd.repartition(3).toDF()),
    ):
        for df in (shuffled, extract(shuffled, "value")):
            with pytest.raises(UsageError, match="the order of the rows is not fixed"):
                with_order(df)
    with pytest.raises(UsageError, match="there is a column 'value' already"):
        with_order(text, "value")


def test_columns_that_are_no_texts_are_refused(spark: Any) -> None:
    kinds = "number int, many array<string>, part struct<url:string>, bytes binary, nothing void"
    df = spark.createDataFrame([(1, ["http://a.example"], ("b",), b"http://c.example", None)], kinds)
    for name, remedy in (
        ("number", "holds int, not strings or bytes; cast it"),
        ("many", r"holds array<string>, not strings or bytes; give a row to each element: .*explode"),
        ("part", r"holds struct<url:string>, .*choose one of its fields: df.select\('part.url'\)"),
    ):
        for call in (
            partial(extract, df, name),
            partial(extract, df, "bytes", source=name),
            partial(normalize, df, name),
        ):
            with pytest.raises(UsageError, match=remedy):
                call()
    assert rows(extract(df, "bytes", columns=["uri"])) == [("http://c.example/",)]
    assert rows(extract(df, "nothing", columns=["uri"])) == []


def test_a_stream_is_searched_and_normalized_and_refused_where_order_counts(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("see HTTP://a.example and\nhttp://b.example/%7e\n", "utf-8")
    stream = spark.readStream.text(str(tmp_path / "in"))
    found = normalize(extract(stream, "value", columns=["raw"]), "raw")
    query = found.writeStream.format("memory").queryName("found").trigger(availableNow=True).start()
    query.awaitTermination()
    assert sorted(row.uri for row in spark.table("found").collect()) == ["http://a.example/", "http://b.example/~"]
    with pytest.raises(UsageError, match="with_order does not work on a stream: number the rows of each batch"):
        with_order(stream)
    with pytest.raises(UsageError, match=r"deduplicate does not work on a stream: use .*dropDuplicatesWithinWatermark"):
        deduplicate(stream, "value")


def test_the_stream_of_the_page_writes_each_link_once(spark: Any, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "spark.md").read_text("utf-8")
    code = page.partition("## Streams and Spark Connect")[2].partition("```python\n")[2].partition("```")[0]
    folder = tmp_path / "incoming"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text(
            f"http://a.example/ HTTP://A.example:80 http://b.example/{number}\n", "utf-8"
        )
    for name in ("incoming", "links", "state"):
        code = code.replace(f'"{name}"', repr(str(tmp_path / name)))
    last = code.replace(".start()", ".trigger(availableNow=True).start().awaitTermination()")
    exec(last, {"spark": spark, "extract": extract, "register": register})
    found = sorted(row.uri for row in spark.read.parquet(str(tmp_path / "links")).collect())
    assert found == ["http://a.example/", *(f"http://b.example/{number}" for number in range(3))]


def test_whole_files_hold_links_that_lines_cut(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("see <http://a.example/one\n/two> there\n", "utf-8")
    whole = extract(spark.read.text(str(path), wholetext=True), "value", columns=["uri"])
    assert rows(whole) == [("http://a.example/one/two",)]
    if hasattr(spark, "dataSource"):  # Spark 4
        register(spark)
        assert rows(spark.read.format("urisieve").option("columns", "uri").load(str(path))) == rows(whole)
    assert rows(extract(spark.read.text(str(path)), "value", columns=["uri"])) == [("http://a.example/one",)]


def test_functions_of_sql(spark: Any) -> None:
    assert register(spark, secret=SECRET) == SECRET
    one = "http://u:pw@\u00c4.example/%7ea"
    masked = Mask(SECRET).record(next(iter(next(iter(extract_each([one]))))))
    functions = ("uri_canonical", "uri_key", "uri_host", "uri_find_key", "uri_scheme", "uri_is_valid", "uri_domain")

    def of(text: str, functions: tuple[str, ...] = functions, more: str = "") -> tuple[Any, ...]:
        (row,) = rows(spark.sql(f"SELECT {', '.join(f'{name}({text}{more})' for name in functions)}"))
        return row

    assert of(f"'{one}'") == (
        "http://u:***@xn--4ca.example/~a",
        masked.key,
        "xn--4ca.example",
        masked.key,
        "http",
        True,
        "xn--4ca.example",
    )
    assert of("'see http://b.example and urn:x-a:b'") == (None, None, None, "http://b.example/", None, False, None)
    assert of("'tel:+1-2'") == ("tel:+12", "tel:+12", None, "tel:+12", "tel", True, None)
    assert of("cast(NULL AS string)") == (None,) * 7
    host = "b.example"
    assert of(f"cast('HTTP://{host}' AS binary)") == (
        *[f"http://{host}/"] * 2,
        host,
        f"http://{host}/",
        "http",
        True,
        host,
    )
    parts = ("uri_path", "uri_query", "uri_port", "uri_surt", "uri_suffix")
    assert of("'https://h.co.uk/a?b=1'", parts) == ("/a", "b=1", 443, "https://(uk,co,h,)/a?b=1", "co.uk")
    assert of("'no'", parts) == (None,) * 5
    assert of("'http://h.example/?a=%C3%BC+b'", ("uri_param",), ", 'a'") == ("\u00fc b",)
    assert of("'http://h.example/?a'", ("uri_param",), ", cast(NULL AS string)") == (None,)
    several = ("uri_fragment", "uri_subdomain", "uri_find_keys", "uri_params", "uri_parts")
    *found, fields = of("'https://u@a.h.co.uk/p?a=%C3%BC+b&c&a=2#f'", several)
    uri = "https://u@a.h.co.uk/p?a=%C3%BC+b&c&a=2#f"
    assert found == ["f", "a", [uri], {"a": "\u00fc b", "c": ""}]
    assert fields.asDict() == {
        "scheme": "https",
        "userinfo": "u",
        "host": "a.h.co.uk",
        "port": 443,
        "path": "/p",
        "query": "a=%C3%BC+b&c&a=2",
        "fragment": "f",
    }
    assert of("'no'", several) == (None, None, [], None, None)
    assert of("cast(NULL AS string)", several) == (None,) * 5
    exploded = spark.sql("SELECT explode(uri_find_keys('http://b.example http://a.example, urn:a:b')) AS key")
    assert sorted(rows(exploded)) == [("http://a.example/",), ("http://b.example/",), ("urn:a:b",)]
    keys = spark.range(3_000).selectExpr("concat('x http://e.example/', id) AS t").selectExpr("uri_find_key(t) AS k")
    assert sorted(rows(keys))[0] == ("http://e.example/0",)
    assert keys.distinct().count() == 3_000
