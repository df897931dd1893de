"""`dedupe --field --jobs`: the keys of rows made by several processes give what one gives."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.helpers.cli_support import Outcome, call, leftovers, prepared
from tests.helpers.folders import SAMPLES

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes that are copied")

NUMBERS = range(3_000)
LINKS = [f"http://h{n % 7}.example/{n % 2_000}" if n % 11 else ["", "no link", "urn:isbn:%zz"][n % 3] for n in NUMBERS]
FILES = {
    "a.csv": "id,url\n" + "".join(f'{n},"{link}"\n' for n, link in enumerate(LINKS)) + "7,http://last.example/",
    "b.csv": "id,url\n" + "".join(f'{n},"x\n""{n}""",{link}\n' for n, link in enumerate(LINKS[500:900])),
    "c.csv": "other,columns\n1,http://no.example/\n",
    "a.tsv": "id\turl\n" + "".join(f"{n}\t{link}\n" for n, link in enumerate(LINKS)),
    "a.jsonl": "".join(json.dumps({"id": n, "url": link}) + "\n" for n, link in enumerate(LINKS)) + '{"broken\n',
    "b.jsonl": "".join(json.dumps({"id": n, "url": [link, "x:y"]}) + "\n" for n, link in enumerate(LINKS[500:900])),
    "a.json": json.dumps([{"id": n, "url": link} for n, link in enumerate(LINKS)]),
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def results(folder: Path, jobs: int, *argv: str) -> tuple[Outcome, list[str], dict[str, bytes]]:
    made = folder / "made"
    made.mkdir()
    found = prepared("", "dedupe", *argv, "--jobs", str(jobs))
    files = {path.name: path.read_bytes() for path in made.iterdir() if path.suffix != ".db"}
    said = [line.rpartition(", ")[0] or line for line in found.err.splitlines()]
    for path in made.iterdir():
        path.unlink()
    made.rmdir()
    return found, said, files


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "argv",
    [
        "--input csv --field url a.csv",
        "--input csv --field url a.csv b.csv c.csv a.csv",
        "--input csv --field url a.csv nosuch.csv b.csv --safe cells",
        "--input csv --field url --field id b.csv a.csv --unmatched made/u",
        "--input csv --field no a.csv",
        "--input tsv --field 2 a.tsv --unmatched drop",
        "--input jsonl --field url a.jsonl b.jsonl a.jsonl",
        "--input jsonl --field url[] a.jsonl b.jsonl --unmatched made/u",
        "--input jsonl --field none a.jsonl",
        "--input jsonl --field url --by host a.jsonl",
        "--input jsonl --field url --urn-syntax rfc8141 a.jsonl b.jsonl",
        "--input json --field url a.json",
        "--field url a.csv",
        "--input csv --field url --keep last a.csv b.csv",
        "--input csv --field url --store made/s.db -o made/o a.csv b.csv",
        "--input jsonl --field url --memory-limit 120MB a.jsonl b.jsonl",
        "--input csv --field url --checkpoint made/c -o made/o a.csv b.csv",
    ],
)
def test_the_output_is_that_of_one_process(argv: str, files: Path) -> None:
    (one, said, made), (two, also_said, also_made) = (results(files, jobs, *argv.split()) for jobs in (1, 2))
    assert (one.status, one.out, said, made) == (two.status, two.out, also_said, also_made)


def test_parquet_takes_any_number_of_jobs(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    made = [tmp_path / jobs for jobs in ("1", "2")]
    sample = str(SAMPLES / "data" / "links.parquet")
    for output in made:
        assert (
            call(
                "dedupe", "--field", "url", "--input", "parquet", "--jobs", output.name, "-o", str(output), sample
            ).status
            == 0
        )
    assert made[0].read_bytes() == made[1].read_bytes()


def test_a_pipe_is_not_read_ahead() -> None:
    data = FILES["a.csv"].encode()
    one, two = (call("dedupe", "--field", "url", "--jobs", jobs, stdin=data) for jobs in ("1", "2"))
    assert one.out == two.out


@pytest.mark.parametrize(
    ("how", "code"), [("os._exit(3)", "3"), ("os.kill(os.getpid(), 9)", "-9"), ("raise MemoryError", "1")]
)
def test_a_worker_that_dies(how: str, code: str, files: Path) -> None:
    program = f"""
import os
from urisieve.dedupe.deduplicate import RowKeys
parent, real = os.getpid(), RowKeys.of
def of(self, fields):
    if os.getpid() != parent:
        {how}
    return real(self, fields)
RowKeys.of = of
"""
    (files / "o").write_text("old\n")
    found = prepared(program, "dedupe", "-q", "--field", "url", "--jobs", "2", "-o", "o", "a.csv")
    assert found.status == 2
    assert found.err.startswith("urisieve: " + ("there is not enough memory" if code == "1" else "a worker process"))
    assert code == "1" or f"(exit code {code})" in found.err
    assert (files / "o").read_text() == "old\n"
    assert leftovers(files) == []
