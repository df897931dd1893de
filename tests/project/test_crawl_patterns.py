"""The examples of docs/how-to/crawls.md that need Spark, Delta Lake or Iceberg; others are doctests."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli_support import PATIENCE
from tests.helpers.folders import ROOT
from tests.spark.spark_session import MISSING, end_session, make_session

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

_PAGE = (ROOT / "docs" / "how-to" / "crawls.md").read_text("utf-8")
_SCRAPY, SPARK, DELTA = re.findall(r"^```python\n(.*?)^```", _PAGE, re.DOTALL | re.MULTILINE)
TEXTS = ("see http://a.example/ and http://b.example/", "http://www.spam.example/", "nothing")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pq.write_table(pa.table({"id": ["1", "2", "3"], "text": TEXTS}), tmp_path / "pages.parquet")
    return tmp_path


def _run(code: str, folder: Path) -> str:
    """What an example prints."""
    (folder / "example.py").write_text(code, "utf-8")
    done = subprocess.run([sys.executable, "example.py"], cwd=folder, capture_output=True, timeout=PATIENCE, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_table_of_delta_lake(folder: Path) -> None:
    delta = pytest.importorskip("deltalake")

    for _ in range(2):
        _run(DELTA, folder)
    rows = delta.DeltaTable(folder / "links").to_pyarrow_table().sort_by("uri").to_pylist()
    assert [(row["id"], row["uri"]) for row in rows] == [
        *[("1", "http://a.example/")] * 2,
        *[("1", "http://b.example/")] * 2,
        *[("2", "http://www.spam.example/")] * 2,
    ]


def test_a_table_of_iceberg(folder: Path) -> None:
    pytest.importorskip("pyiceberg")
    pytest.importorskip("sqlalchemy", reason="pip install 'pyiceberg[sql-sqlite]'")

    begin, _, _ = DELTA.replace("from deltalake import write_deltalake\n", "").partition("write_deltalake(")
    (append,) = re.findall(r"`(catalog\..*append\(links\))`", _PAGE)
    catalog = "from pyiceberg.catalog.sql import SqlCatalog\n"
    catalog += "catalog = SqlCatalog('crawl', uri='sqlite:///catalog.db', warehouse='file:links')\n"
    read = "print([row['uri'] for row in catalog.load_table('crawl.links').scan().to_arrow().to_pylist()])\n"
    printed = _run(f"{catalog}catalog.create_namespace('crawl')\n{begin}{append}\n{read}", folder)
    assert printed == "['http://a.example/', 'http://b.example/', 'http://www.spam.example/']\n"


@pytest.fixture
def spark(tmp_path: Path) -> Iterator[Any]:
    if MISSING:
        pytest.skip(MISSING)
    session = make_session("local[2]", str(tmp_path))
    yield session
    end_session(session)


@pytest.mark.long
@pytest.mark.spark
def test_what_is_new_in_spark(spark: Any, tmp_path: Path) -> None:
    yesterday = spark.createDataFrame([(f"http://a.example/{number}",) for number in range(0, 3_000, 2)], "key string")
    today = spark.createDataFrame(
        [(f"http://a.example/{number}", number) for number in range(3_000)], "key string, n int"
    )
    names: dict[str, Any] = {"spark": spark}
    code = SPARK
    for name, df in (("today", today), ("yesterday", yesterday)):
        df.write.parquet(str(tmp_path / name))
        code = code.replace(f'"{name}"', repr(str(tmp_path / name)))
    exec(code, names)
    assert sorted(row.n for row in names["new"].collect()) == list(range(1, 3_000, 2))
    assert names["surely_new"].count() > 1_400
