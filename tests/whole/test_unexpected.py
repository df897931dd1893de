"""The net under the readers (D10): what nobody expected costs one file, or less, and is counted; the rest is read."""

from __future__ import annotations

import gzip
import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.helpers.cli_support import call, prepared
from tests.helpers.containers import CONTAINERS, attached
from urisieve import Options, Scheme, extract_files, sieve_files
from urisieve.errors import BrokenInputError, InputError, UnexpectedInputError, UsageError
from urisieve.sources.tally import Tally, guarded
from urisieve.types import Components

ENVELOPE = b"From a@b.example Mon Jan  1 00:00:00 2024\n"
MAIL = b"From: a@b.example\nSubject: x\n\nsee http://%b.example/\n"
# A field that no program writes, so that the message is read in Python.
NOT_PLAIN = b"Content-Type: multipart/mixed; boundary=\n"
TABLE = b"id,url\n1,http://csv.example/\n2,http://two.example/\n"


class OddError(Exception):
    """An exception that no reader has."""


def broken(*_: Any, **__: Any) -> Iterator[Any]:
    yield from map(_fail, [0])


def _fail(_: int) -> None:
    raise OddError("never \x1b[2J seen\nbefore" + "x" * 10_000)


# What is read, what of the package is made to fail, and what is found all the same.
ROWS: list[tuple[str, dict[str, bytes], str, list[str]]] = [
    ("text", {"a": b"http://a.example/"}, "urisieve.runs.part_sieve.sieve_part", []),
    (
        "html",
        {"a": b"<html><p>http://a.example/</p></html>"},
        "urisieve.sources.html.html_documents.html_documents",
        [],
    ),
    ("mail", {"a": NOT_PLAIN + MAIL % b"a"}, "urisieve.sources.mail.messages.read_message", []),
    (
        "tar",
        {"a": CONTAINERS["a.tar"]({"x": b"http://a.example/"})},
        "urisieve.sources.containers.tar.tar_members",
        [],
    ),
    (
        "zip",
        {"a": CONTAINERS["a.zip"]({"x": b"http://a.example/"})},
        "urisieve.sources.containers.zip.zip_members",
        [],
    ),
    (
        "gzip",
        {"a": CONTAINERS["log.gz"]({"x": b"http://a.example/"})},
        "urisieve.sources.containers.compressed.decompressed",
        [],
    ),
    (
        "member",
        {"a": CONTAINERS["a.zip"]({"x": b"http://x.example/", "y": b"<html><p>no", "z": b"http://z.example/"})},
        "urisieve.sources.html.html_documents.html_documents",
        ["http://x.example/", "http://z.example/"],
    ),
    (
        "attachment",
        {"a": attached("x.zip", CONTAINERS["a.zip"]({"x": b"<html><p>no", "z": b"http://z.example/"}))},
        "urisieve.sources.html.html_documents.html_documents",
        ["http://body.example/", "http://z.example/"],
    ),
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(("name", "files", "target", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_the_rest_is_read(
    name: str,
    files: dict[str, bytes],
    target: str,
    expected: list[str],
    jobs: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(target, broken)
    for file, data in files.items():
        (tmp_path / file).write_bytes(data)
    (tmp_path / "b").write_bytes(b"" if name == "text" else b"http://b.example/")
    after = [] if name == "text" else ["http://b.example/"]
    if jobs == 1:
        found = call("extract", "--jobs", "1", str(tmp_path))
    else:
        imports = "from unittest import mock; from tests.whole import test_unexpected"
        code = f"{imports}; mock.patch({target!r}, test_unexpected.broken).start()"
        found = prepared(code, "extract", "--jobs", "2", str(tmp_path))
    assert (found.status, found.lines) == (2, [*expected, *after])
    line, *others = [line for line in found.err.splitlines() if "unexpected OddError" in line]
    assert not others or name == "text"  # whose other file is of text, too
    assert line.startswith(f"urisieve: {tmp_path}/a")
    assert "never \ufffd[2J seen\ufffdbefore" in line
    assert len(line) < 500
    assert "unexpected)" in found.err.splitlines()[-1]
    assert "Traceback" not in found.err
    with mock.patch.dict(os.environ, URISIEVE_TRACEBACK="1"):
        traced = call("extract", "--format", "jsonl", str(tmp_path))
    assert "urisieve: Traceback (most recent call last):" in traced.err.splitlines()
    assert "\x1b" not in traced.err
    assert len(traced.rows) == len(found.lines)
    for argv in (["dedupe"], ["count"], ["extract", "--unique", "--rejected", str(tmp_path / ".r")]):
        other = call(*argv, str(tmp_path))
        assert other.status == 2
        assert "unexpected OddError" in other.err
    tally = Tally()
    errors: list[InputError] = []
    records = extract_files([tmp_path], tally=tally, on_error=lambda _, error: errors.append(error))
    assert [record.uri for record in records] == [*expected, *after]
    assert sum(number for (_, reason), number in tally.broken.items() if reason == "unexpected") >= 1
    assert any("in _fail" in note for error in errors for note in error.__notes__)
    with pytest.raises(InputError, match="unexpected OddError"):
        list(extract_files([tmp_path]))


@pytest.mark.parametrize("kind", ["text", "jsonl", "gzip"])
def test_nothing_of_a_text_goes_to_the_next(kind: str, tmp_path: Path) -> None:
    def form(_: Components) -> Components:
        raise OddError

    options = Options(rules=Scheme(name="odd", title="odd", reference="a handbook", form=form))
    paths = [tmp_path / name for name in ("a", "b")]
    many = "http://a.example/ " * 20_000
    for path, text in zip(paths, (f"{many}odd://x/ {many}", "http://b.example/"), strict=True):
        data = (f'{{"a": "{text}"}}\n' if kind == "jsonl" else text).encode()
        path.write_bytes(gzip.compress(data) if kind == "gzip" else data)
    came: list[str] = []
    for one in sieve_files(paths, options=options, on_error=lambda name, _: came.append(f"{name} failed")):
        if [one.source] != came[-1:]:
            came.append(str(one.source))
    assert came in ([f"{paths[0]} failed", str(paths[1])], [str(paths[0]), f"{paths[0]} failed", str(paths[1])])


def test_a_fault_that_is_expected_has_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URISIEVE_TRACEBACK", "1")
    (tmp_path / "a").write_bytes(gzip.compress(b"http://a.example/ " * 100)[:-6])
    found = call("extract", str(tmp_path / "a"))
    assert (found.status, found.lines) == (2, ["http://a.example/"] * 100)
    assert ("ends early" in found.err, "Traceback" in found.err) == (True, False)


def test_one_message_of_a_mailbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from urisieve.sources.mail import messages

    read = messages.read_message

    def sometimes(message: Any, *arguments: Any) -> Iterator[Any]:
        yield from broken() if message.number == 2 else read(message, *arguments)

    monkeypatch.setattr(messages, "read_message", sometimes)
    encoded = MAIL.replace(b"Subject: x", b"Content-Type: text/enriched")  # the kernel leaves it
    (tmp_path / "a").write_bytes(b"".join(ENVELOPE + encoded % name + b"\n" for name in (b"a", b"b", b"c")))
    found = call("extract", "-v", str(tmp_path))
    assert (found.status, found.lines) == (2, ["http://a.example/", "http://c.example/"])
    assert f"{tmp_path}/a: message 2: unexpected OddError in reading it as message" in found.err
    assert "broken: 1 message (unexpected)" in found.err


@pytest.mark.parametrize(
    "argv",
    [
        ["--input", "csv", "--field", "url"],
        ["--input", "csv", "--field", "url", "--keep", "last"],
        ["--input", "jsonl"],
    ],
    ids=" ".join,
)
def test_rows(argv: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from urisieve.data_sets import row_source
    from urisieve.sources.structured import row_files

    read = row_files.read_rows

    def sometimes(path: str, *arguments: Any, **named: Any) -> Iterator[Any]:
        if named.pop("fields", None):
            named = {**named, "by_name": False}
        named.pop("columns", None)
        for number, row in enumerate(read(path, *arguments, **named)):
            if number == 2 and path.endswith("a"):
                raise OddError
            yield row

    monkeypatch.setattr(row_source, "read_row_blocks", sometimes)
    monkeypatch.setattr(row_files, "read_rows", sometimes)
    data = TABLE
    if "jsonl" in argv:  # records of this program
        links = b"http://csv.example/ http://one.example/ http://two.example/"
        data = call("extract", "--format", "jsonl", stdin=links).out
    (tmp_path / "a").write_bytes(data)
    (tmp_path / "b").write_bytes(data.replace(b"two", b"three"))
    found = call("dedupe", *argv, str(tmp_path / "a"), str(tmp_path / "b"))
    assert found.status == 2
    assert "http://csv.example/" in found.out.decode()
    assert "http://three.example/" in found.out.decode()
    assert f"urisieve: {tmp_path}/a: unexpected OddError in reading it as {argv[1]}" in found.err
    assert "(unexpected)" in found.err.splitlines()[-1]


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, SystemExit, BrokenPipeError, MemoryError, UsageError("x"), InputError("x")]
)
def test_what_passes(error: Any) -> None:
    def items() -> Iterator[int]:
        yield 1
        raise error

    taken: list[int] = []
    with pytest.raises(error if isinstance(error, type) else type(error)) as raised:
        taken.extend(guarded(items(), "tar"))
    assert taken == [1]
    assert not isinstance(raised.value, UnexpectedInputError)


@pytest.mark.parametrize("error", [OddError("x"), RecursionError("x"), OSError(5, "x"), AssertionError()])
def test_what_is_caught(error: Exception) -> None:
    def items() -> Iterator[int]:
        yield 1
        raise error

    with pytest.raises(UnexpectedInputError) as raised:
        list(guarded(items(), "tar"))
    assert isinstance(raised.value, BrokenInputError)
    assert (raised.value.kind, raised.value.reason) == ("tar", "unexpected")
    assert f"unexpected {type(error).__name__} in reading it as tar" in str(raised.value)
    assert raised.value.__cause__ is error
    assert any("in items" in line for line in raised.value.trace)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.kind, again.reason, str(again), again.trace) == ("tar", "unexpected", str(raised.value), [])


def test_an_exception_of_who_takes_the_items_is_its_own() -> None:
    with pytest.raises(OddError):
        list(map(_fail, guarded(iter([1, 2]), "tar")))


def test_a_row_of_parquet_that_is_not_utf_8(tmp_path: Path) -> None:
    """It has no key; the rows around it have theirs."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    values = pa.array([b"http://a.example/", b"http://\xff.example/", b"http://b.example/"], pa.binary())
    column = pa.Array.from_buffers(pa.string(), 3, values.buffers())
    path, out = str(tmp_path / "a"), str(tmp_path / "o")
    pyarrow.parquet.write_table(pa.table({"url": column}), path)
    for keep in ("first", "last"):
        found = call(
            *("dedupe", "--input", "parquet", "--field", "url", "--keep", keep, "--unmatched", "drop"),
            *("--output", out, "-v", path),
        )
        assert "3 rows, 2 kept, 0 duplicates, 1 unmatched" in found.err
        assert "broken: 1 row (broken)" in found.err
        assert pyarrow.parquet.read_table(out)["url"].to_pylist() == ["http://a.example/", "http://b.example/"]
