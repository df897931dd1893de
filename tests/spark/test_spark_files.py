"""The data source `urisieve` of Spark 4: the records of all kinds of files, as the library reads them."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.folders import SAMPLES
from tests.spark.spark_session import MISSING, end_session, make_session
from urisieve import InputError, Options, Profile, ReadingOptions, UsageError, __version__, extract_files
from urisieve.errors import ProcessError
from urisieve.records.mask import Mask

if MISSING:
    pytest.skip(MISSING, allow_module_level=True)

import pyspark
from pyspark import cloudpickle

from urisieve.records.field_table import RECORD_NAMES
from urisieve.spark import deduplicate, normalize, register, with_order
from urisieve.spark.extraction import TextFunction
from urisieve.spark.file_source import FileSource, files_of, partitions_of, source_batches, source_settings

pytestmark = [
    *(pytest.mark.spark, pytest.mark.once, pytest.mark.filterwarnings("default")),
    pytest.mark.skipif(pyspark.__version__ < "4", reason="data sources in Python are of Spark 4"),
]

SECRET = bytes(range(32))


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    session = make_session("local[2]", str(tmp_path_factory.mktemp("spark")))
    register(session, secret=SECRET)
    yield session
    end_session(session)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few files of different kinds."""
    folder = tmp_path_factory.mktemp("files")
    for name in ("mail.mbox", "urns.xml", "disguised.txt", "syslog.txt"):
        (folder / name).write_bytes((SAMPLES / name).read_bytes())
    (folder / "log.gz").write_bytes(gzip.compress((SAMPLES / "access.log").read_bytes()))
    (folder / "page.html").write_text('<p>see <a href="http://www.e.example/?a=1&amp;b=2">this</a></p>', "utf-8")
    (folder / "rows.jsonl").write_text('{"a": {"b": "http://j.example/"}}\n' * 3, "utf-8")
    return folder


def records(folder: Path) -> list[dict[str, Any]]:
    """What the library finds, with passwords masked."""
    mask = Mask(SECRET)
    return [json.loads(json.dumps(mask.record(record).as_dict())) for record in extract_files([folder])]


def test_all_records_with_all_columns(spark: Any, folder: Path) -> None:
    df = with_order(spark.read.format("urisieve").load(str(folder)))
    assert df.rdd.getNumPartitions() == 1
    assert tuple(df.columns) == (*RECORD_NAMES, "order")
    found = [row.asDict() for row in df.orderBy("order").drop("order").collect()]
    wanted = records(folder)
    assert len(wanted) > 50
    assert found == wanted
    # The first of each key, as one machine keeps it.
    first = {row["key"]: row for row in reversed(wanted)}
    kept = deduplicate(df).orderBy("order").drop("order").collect()
    assert [row.asDict() for row in kept] == [row for row in wanted if first[row["key"]] is row]


def test_small_files_share_a_partition_and_large_ones_have_their_own(tmp_path: Path) -> None:
    sizes = (3_000_000, 3_000_000, 3_000_000, 20_000_000, 1, 9_000_000, *[10] * 600)
    paths = []
    for number, size in enumerate(sizes):
        paths.append(str(tmp_path / f"{number:03}"))
        with open(paths[-1], "wb") as file:
            file.truncate(size)
    paths.append("/nonexistent/file")
    found = list(partitions_of(paths))
    assert [path for part in found for path in part] == paths
    assert list(map(len, found)) == [2, 1, 1, 1, 1, 256, 256, 89]
    assert list(partitions_of([])) == [()]


def test_columns_and_options(spark: Any, folder: Path) -> None:
    def read(**options: str) -> Any:
        return spark.read.format("urisieve").options(**options)

    found = read(columns="uri, message,schema").load(str(folder / "mail.mbox"))
    assert found.columns == ["uri", "message", "schema"]
    wanted = [(row["uri"], row["message"], row["schema"]) for row in records(folder / "mail.mbox")]
    assert [tuple(row) for row in found.collect()] == wanted
    limited = read(columns="uri", input="jsonl", field="a.b", schemes="http,https").load(str(folder / "rows.jsonl"))
    assert [row.uri for row in limited.collect()] == ["http://j.example/"] * 3
    several = read(columns="source", include="*.txt").load([str(folder), f"file://{folder}/*.html"])
    assert {row.source for row in several.collect()} == {
        str(folder / name) for name in ("disguised.txt", "syslog.txt", "page.html")
    }
    # Spark does not show an option of this name.
    hidden = read(columns="key", secret=SECRET.hex()).load(str(folder / "syslog.txt"))
    assert [row.key for row in hidden.collect()] == [row["key"] for row in records(folder / "syslog.txt")]
    assert SECRET.hex() not in hidden._jdf.queryExecution().toString()


def test_when_and_from_whom(spark: Any, folder: Path) -> None:
    names = ("uri", "time", "time_written", "from", "to", "subject", "message")
    found = spark.read.format("urisieve").option("columns", ",".join(names)).load(str(folder))
    assert dict(found.dtypes)["to"] == "array<string>"
    wanted = [record.as_dict() for record in extract_files([folder], reading=ReadingOptions(context=True))]
    mask = Mask(SECRET)
    assert [tuple(row) for row in found.collect()] == [
        (mask.uri(row["uri"]), *(row.get(name) for name in names[1:])) for row in wanted
    ]
    assert {row.get("from") for row in wanted} > {None, "ada@lists.example"}
    assert len({row.get("time") for row in wanted}) > 5
    rows = folder.parent / "when.jsonl"
    rows.write_text('{"when": 1732190400, "url": "http://a.example/"}\n', "utf-8")
    chosen = spark.read.format("urisieve").options(columns="uri,time", input="jsonl", time_field="when")
    assert [tuple(row) for row in chosen.load(str(rows)).collect()] == [("http://a.example/", "2024-11-21T12:00:00Z")]


def test_what_merges(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("http://www.a.example/x/?ref=1&q=2#top http://www.b.example/?ref=1&id=2\n", "utf-8")

    def keys(**options: str) -> list[str]:
        return [
            row.key for row in spark.read.format("urisieve").options(columns="key", **options).load(str(path)).collect()
        ]

    assert keys(merge="page", drop_params="ref") == ["https://a.example/x?q=2", "https://b.example/?id=2"]
    assert keys(merge="strip-www,drop-fragment") == ["http://a.example/x/?ref=1&q=2", "http://b.example/?ref=1&id=2"]
    assert keys(keep_params="id@b.example") == ["http://www.a.example/x/?ref=1&q=2#top", "http://www.b.example/?id=2"]
    assert keys(merge="archive-key") == ["example,a)/x?q=2&ref=1", "example,b)/?id=2&ref=1"]
    with pytest.raises(Exception, match="merge='pge' is neither a profile nor a step"):
        keys(merge="pge")
    chosen = Options(merge=Profile("page", ["ref"]))
    made = normalize(spark.read.text(str(path)).selectExpr("split(value, ' ')[0] AS text"), "text", options=chosen)
    assert [tuple(row)[1:] for row in made.collect()] == [("https://a.example/x?q=2",) * 2]


def test_a_file_that_fails_is_reported(spark: Any, folder: Path, tmp_path: Path) -> None:
    good = tmp_path / "a.txt"
    good.write_text("http://good.example/", "utf-8")
    broken = tmp_path / "b.gz"
    broken.write_bytes(gzip.compress(b"http://early.example/\n" + os.urandom(50_000))[:30_000])
    read = spark.read.format("urisieve").option("columns", "source,uri,error")
    with pytest.raises(Exception, match=r"b\.gz: .*\(with on_error=row this becomes a row\)"):
        read.load(str(tmp_path)).collect()
    found = [tuple(row) for row in read.option("on_error", "row").load([str(tmp_path), "/nonexistent/c"]).collect()]
    assert found[:2] == [(str(good), "http://good.example/", None), (str(broken), "http://early.example/", None)]
    assert [row[:2] for row in found[2:]] == [(str(broken), None), ("/nonexistent/c", None)]
    assert "gzip data" in found[2][2]
    assert "No such file" in found[3][2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": "x"}, "there is no option 'rules'"),
        ({"levle": "x"}, "there is no option 'levle'; did you mean 'level'"),
        ({"level": "x"}, "level='x' is not a choice"),
        ({"columns": "uri,uris"}, "columns: there is no column 'uris'"),
        ({"columns": "uri", "on_error": "row"}, "on_error=row needs the columns source and error"),
        ({"on_error": "skip"}, "on_error='skip' is not a choice"),
        ({"secret": "xyz"}, "secret is not hexadecimal"),
        ({"paths": "{}"}, "must be a list of strings in JSON"),
        ({"path": "s3://bucket/a"}, "files of s3: are not read"),
        ({"encoding": "utf-9"}, "utf-9"),
        ({"max_length": "many"}, "max_length='many' must be an integer"),
        ({"field": "a", "input": "xml"}, "a field is of tables"),
    ],
)
def test_options_that_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises((UsageError, InputError), match=message):
        source_settings({"path": "a", **options}, None, None)


def test_settings_without_a_session(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no path"):
        source_settings({}, None, None)
    settings = source_settings({"path": str(tmp_path / "*.none")}, None, None)
    with pytest.raises(UsageError, match=r"\*.none: no file has a name like this"):
        list(files_of(settings))
    path = tmp_path / "many.txt"
    path.write_text("http://e.example/\n" * 20_000, "utf-8")
    settings = source_settings({"path": "a", "schemes": "web", "protect": "a.example, b.example"}, None, None)
    assert settings.options == Options(schemes="web", protect=["a.example", "b.example"])
    settings = source_settings({"path": str(path), "columns": "uri,line", "email": "true"}, None, None)
    batches = list(source_batches([str(path)], settings))
    assert sum(batch.num_rows for batch in batches) == 20_000
    assert batches[-1].column("line").to_pylist()[-1] == 20_000


def test_what_another_version_sends_is_refused_before_it_is_loaded() -> None:
    source = FileSource({"path": "a"})
    for work in (source.reader(source.schema()), TextFunction(Options(), name="uri_key", secret=SECRET)):
        later = "9" * len(__version__)  # as long: a pickle holds the lengths of texts
        sent = cloudpickle.dumps(work).replace(
            f'"urisieve": "{__version__}"'.encode(), f'"urisieve": "{later}"'.encode()
        )
        with pytest.raises(ProcessError, match=f"the version of urisieve is '{__version__}' here, '{later}' there"):
            cloudpickle.loads(sent.replace(b"urisieve.finding_options", b"urisieve.finding_0ptions"))
