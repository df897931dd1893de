"""Spark on a cluster of two executors: the keys of one machine, also if one is killed; what cannot agree is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.corpora import make
from tests.helpers.cli_support import PATIENCE
from tests.helpers.folders import ROOT
from tests.helpers.installed import install_sample
from tests.spark.spark_session import MISSING, keys_of_command

if MISSING:
    pytest.skip(MISSING, allow_module_level=True)

import pyspark

pytestmark = [pytest.mark.spark, pytest.mark.once, pytest.mark.long]


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make("html", 800_000, tmp_path_factory.mktemp("lines") / "lines.txt")


def run_case(case: str, folder: Path, lines: Path) -> Any:
    """What a program of tests/spark/spark_cluster.py prints."""
    folder.mkdir(exist_ok=True)
    (folder / "lines.txt").symlink_to(lines)
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.spark_cluster", case, str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_the_keys_of_one_machine_also_if_an_executor_and_a_worker_are_killed(tmp_path: Path, lines: Path) -> None:
    found = run_case("same", tmp_path, lines)
    kept = keys_of_command("dedupe", str(lines))
    assert found["keys"] == keys_of_command("extract", "--jobs", "2", str(lines))
    assert found["kept"] == kept
    assert 100 < len(kept) < len(found["keys"])
    assert found["killed"] == ["pyspark.daemon", "CoarseGrainedExecutorBackend"]
    assert found["kept though killed"] == kept


def test_a_plug_in_that_the_workers_do_not_have_is_refused(tmp_path: Path, lines: Path) -> None:
    install_sample(tmp_path / "plugin")
    said = run_case("plugged", tmp_path, lines)
    assert len(said) >= 4
    for name, message in said.items():
        assert "this process would not make the keys" in message, name
        assert "the plug-in for shelf of urisieve-stockroom 1.0 is missing here" in message, name


def test_a_job_that_is_cancelled_leaves_nothing(tmp_path: Path, lines: Path) -> None:
    found = run_case("cancelled", tmp_path, lines)
    assert found.pop("keys") == keys_of_command("extract", "--jobs", "2", str(lines))
    assert found.pop("left") == 0
    assert len(found) == 1 + (pyspark.__version__ >= "4")  # the data source
    for name, job in found.items():
        assert job["left"] == 0, name
        assert not job["said"].startswith("nothing"), name


def test_rows_of_fifty_megabytes_wait_for_each_other(tmp_path: Path, lines: Path) -> None:
    found = run_case("large", tmp_path, lines)
    if pyspark.__version__ < "4":  # which sends all of them at once
        del found["10000"]
    for job in found.values():
        assert job["said"] == "nothing: [Row(count=28800000)]"
        assert job["MB"] < 500  # of 576 MB in twelve rows
