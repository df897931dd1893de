"""Rows of tables and of JSON lines give the same under each option, by either engine, wherever the file is cut (P4)."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import urisieve.runs.run
import urisieve.runs.workers
from tests.helpers.option_table import OTHERS
from tests.runs.test_cuts import InThisProcess
from urisieve import Options, ReadingOptions, Record, Rejection, sieve_blocks, sieve_files
from urisieve.kernel import compiled

PIECES = (
    *("HTTP://www.A.example:80/%7e?b=2&utm_source=x&a=1#top", "<http://a.example/x y>", "http://a.example/x y"),
    *("crate:serde", "ann@a.example", "www.b.example/", "c.example", "hxxp://d[.]example/", "http://e.example/|x"),
    *("http://f.example:8o/", "10.1000/182", "ISBN 0-395-36341-1", "urn:example:a?=b", "doi:10.1000/182,", "x:y"),
    *("http://g.example/http://h.example/", "http://[fe80::1%25eth0]/", "ftp://i.example/e\u0301", "\n", " ", "é", '"'),
    *(
        "http://\u0430.example/",
        "http://joe:pass@j.example/",
        "see \\u0068ttp://k.example/",
        "\t",
        "<a href='/x'>",
        ",",
    ),
    *(
        "https://www.google.com/url?q=https%3A%2F%2Fb.example%2F&sa=D",
        f"http://l.example/{'x' * 120}",
        "{",
        "]",
        "\U0001f600",
    ),
)


def text(drawn: random.Random) -> str:
    return "".join(drawn.choice(PIECES) + drawn.choice(("", " ", "\n")) for _ in range(drawn.randrange(6)))


def table(drawn: random.Random, delimiter: str) -> str:
    rows = [
        ["id", "text", "note"],
        *([str(number), text(drawn), text(drawn)] for number in range(drawn.randrange(1, 30))),
    ]

    def cell(value: str) -> str:
        quoted = drawn.random() < 0.3 or any(mark in value for mark in f'"\n\r{delimiter}')
        return '"{}"'.format(value.replace('"', '""')) if quoted else value

    return "\n".join(delimiter.join(map(cell, row)) for row in rows) + drawn.choice(("", "\n"))


def lines(drawn: random.Random) -> str:
    rows = [{"id": number, "text": text(drawn), "more": [text(drawn), {"x": text(drawn)}]} for number in range(30)]
    return "".join(json.dumps(row, ensure_ascii=drawn.random() < 0.5) + "\n" for row in rows[: drawn.randrange(1, 30)])


def cases() -> Iterator[tuple[str, str, str]]:
    """Yield cases: the name of an option, that of a file, and its text."""
    for name in OTHERS:
        drawn = random.Random(name)
        for kind, made in (("csv", table(drawn, ",")), ("tsv", table(drawn, "\t")), ("jsonl", lines(drawn))):
            yield name, f"a.{kind}", made


def options_of(name: str) -> Options:
    return Options(**{name: OTHERS[name]})


def row(one: Record | Rejection) -> list[object]:
    return [
        type(one).__name__,
        {name: str(value) for name, value in dict(one).items()},
        one.line,
        one.column,
    ]


def found(path: Path, options: Options, jobs: int = 1) -> list[list[object]]:
    return [row(one) for one in sieve_files([path], options=options, jobs=jobs)]


def show(folder: str) -> None:
    """Print what is found in each file of a folder, by the name of its option; for the other engine."""
    for name in OTHERS:
        for path in sorted(Path(folder, name).iterdir()):
            print(json.dumps(found(path, options_of(name))))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("rows")
    for name, file, made in cases():
        (top / name).mkdir(exist_ok=True)
        (top / name / file).write_text(made, "utf-8", newline="")
    return top


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", OTHERS)
def test_rows_are_the_same_wherever_the_file_is_cut(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urisieve.runs.workers, "Workers", InThisProcess)
    options = options_of(name)
    for path in sorted((folder / name).iterdir()):
        drawn = random.Random(path.name)
        whole = found(path, options)
        data = path.read_bytes()
        edges = sorted(drawn.randrange(len(data) + 1) for _ in range(drawn.randrange(5)))
        blocks = [data[start:end] for start, end in zip([0, *edges], [*edges, len(data)], strict=True)]
        assert [row(one) for one in sieve_blocks(str(path), blocks, options=options)] == whole
        for size in (drawn.randrange(8, 200), drawn.randrange(200, 1000)):
            monkeypatch.setattr(urisieve.runs.run, "PART_SIZE", size)
            assert found(path, options, jobs=2) == whole, (path.name, size)


@pytest.mark.long
def test_lines_and_columns_that_are_not_counted_are_0(folder: Path) -> None:
    every = 0
    for path in sorted(folder.glob("*/*"))[::2]:
        for reading in (ReadingOptions(), ReadingOptions(context=True)):
            counted = list(sieve_files([path], reading=reading))
            found = list(sieve_files([path], options=Options(positions="offsets"), reading=reading))
            assert {(one.line, one.column) for one in found} <= {(0, 0)}
            assert [(one.raw, one.start, one.byte_start) for one in found] == [
                (one.raw, one.start, one.byte_start) for one in counted
            ]
            every += len(found)
    assert every > 500


@pytest.mark.skipif(not compiled, reason="there is one engine")
def test_rows_are_the_same_by_either_engine(folder: Path) -> None:
    code = f"from {__name__} import show; show({str(folder)!r})"
    settings = {**os.environ, "URISIEVE_PURE": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=settings, capture_output=True, text=True, check=True)
    by_other = iter(done.stdout.splitlines())
    for name in OTHERS:
        for path in sorted((folder / name).iterdir()):
            assert json.loads(json.dumps(found(path, options_of(name)))) == json.loads(next(by_other)), (
                name,
                path.name,
            )
