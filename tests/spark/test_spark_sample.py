"""The job of samples/spark, as people start it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.cli_support import PATIENCE
from tests.helpers.folders import ROOT
from tests.spark.spark_session import JAVA, MISSING, keys_of_command

if MISSING:
    pytest.skip(MISSING, allow_module_level=True)

import pyarrow.parquet as pq
import pyspark

pytestmark = [pytest.mark.spark, pytest.mark.once]


def submitted(folder: Path, *arguments: str) -> str:
    """What the job prints."""
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    job = ROOT / "samples" / "spark" / "dedupe_links.py"
    done = subprocess.run(
        [str(submit), "--master", "local[2]", "--conf", "spark.ui.enabled=false", str(job), *arguments],
        env={**os.environ, **JAVA, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    return done.stdout


def keys_of(folder: Path, field: str = "key") -> list[str]:
    table = pq.read_table(folder, columns=[field, "order"]).sort_by("order")
    keys: list[str] = table.column(field).to_pylist()
    return keys


def test_a_file_of_text(tmp_path: Path) -> None:
    path = ROOT / "samples" / "access.log"
    printed = submitted(tmp_path, str(path), "out")
    links, unique = keys_of_command("extract", str(path)), keys_of_command("dedupe", str(path))
    assert f"{len(links)} links, {len(unique)} different" in printed
    assert keys_of(tmp_path / "out" / "links") == links
    assert keys_of(tmp_path / "out" / "unique") == unique


@pytest.mark.skipif(pyspark.__version__ < "4", reason="data sources in Python are of Spark 4")
def test_a_folder_of_mail_and_others_with_counts(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("mail.mbox", "urns.xml", "disguised.txt"):
        shutil.copy(ROOT / "samples" / name, folder)
    submitted(tmp_path, "in", "out", "--kind", "files", "--count")
    # The keys of links with passwords differ from run to run.
    assert keys_of(tmp_path / "out" / "unique", "uri") == keys_of_command("dedupe", str(folder), field="uri")
    counts = pq.read_table(tmp_path / "out" / "unique", columns=["count"]).column("count").to_pylist()
    assert sum(counts) == len(keys_of_command("extract", str(folder)))
    assert max(counts) > 1
