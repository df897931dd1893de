"""The samples and what must be found in them: the command writes exactly the records that lie beside each sample."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.folders import ROOT

SAMPLES = sorted(path for path in (ROOT / "samples").iterdir() if path.is_file() and path.suffix != ".jsonl")


def test_there_are_samples_of_every_kind() -> None:
    names = {path.name for path in SAMPLES}
    assert {
        "mail.mbox",
        "access.log",
        "syslog.txt",
        "appendix-c.txt",
        "cjk-rtl.txt",
        "urns.xml",
        "disguised.txt",
    } <= names


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_the_command_writes_the_expected_records(sample: Path, tmp_path: Path) -> None:
    records = tmp_path / "records.jsonl"
    rejected = tmp_path / "rejected.jsonl"
    command = [sys.executable, "-m", "urisieve", "extract", "--quiet", "--show-passwords", "--format", "jsonl"]
    command += ["--output", str(records), "--rejected", str(rejected), sample.relative_to(ROOT).as_posix()]
    subprocess.run(command, cwd=ROOT, check=True)
    assert records.read_text("utf-8") == Path(f"{sample}.jsonl").read_text("utf-8")
    assert rejected.read_text("utf-8") == Path(f"{sample}.rejected.jsonl").read_text("utf-8")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_expected_offsets_point_at_the_text(sample: Path) -> None:
    data = sample.read_bytes()
    text = data.decode("utf-8")
    lines = text.split("\n")
    for file in (Path(f"{sample}.jsonl"), Path(f"{sample}.rejected.jsonl")):
        for row in map(json.loads, file.read_text("utf-8").splitlines()):
            if row["byte_start"] is None:  # in an attachment
                assert row["source"].startswith(f"samples/{sample.name}!")
                continue
            assert data[row["byte_start"] : row["byte_end"]].decode("utf-8") == row["raw"]
            if row["message"] is not None or row["part"] is not None:  # other offsets are those of its part
                continue
            if row["field"] is None:  # else they are those of the value
                assert text[row["start"] : row["end"]] == row["raw"]
            if row["row"] is not None:  # lines and columns are those of the value, too
                continue
            first_line = row["raw"].partition("\n")[0]
            assert lines[row["line"] - 1][row["column"] - 1 :].startswith(first_line)


def test_duplicates_in_disguise_are_few() -> None:
    keys = [
        json.loads(line)["key"] for line in (ROOT / "samples" / "disguised.txt.jsonl").read_text("utf-8").splitlines()
    ]
    assert (len(keys), len(set(keys))) == (37, 20)
