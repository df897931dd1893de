"""What a run leaves to the collector of cycles: nothing, whatever it reads, so that memory is flat without it too."""

from __future__ import annotations

import gc
import gzip
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from benchmarks import document_files, memory_files
from tests.helpers.compound_files import outlook_message
from tests.helpers.containers import CONTAINERS, attached
from urisieve import (
    InputError,
    Options,
    ReadingOptions,
    Scanner,
    check,
    check_rows,
    deduplicate_rows,
    explain,
    extract,
    extract_batches,
    extract_each,
    key,
    read_records,
    sieve_files,
    sieve_into,
    write_records,
)
from urisieve.options import Format
from urisieve.sinks import FormatSettings, RecordSink, open_output

# Several blocks of a table, several windows of XML.
_SIZE: Final = 140_000
_ODD: Final = (
    "www.a.example and HTTP://B.example:80/%7ea (x@y.example) hxxp://c[.]example/ urn:isbn:0395363411 10.1000/182\n"
    "http:\\/\\/e.example\\/a http://l\x1b[1mo.example/ http://a.example/%zz <http://d.example/ b>\n"
    "https://web.archive.org/web/2020/http://a.example/ http://u:p@h.example/\n"
) * 8


def left(run: Callable[[], object]) -> dict[str, int]:
    """What a run leaves to the collector of objects of this package, by their types; a first run imports and caches."""
    run()
    gc.collect()
    gc.freeze()  # all that there is already, so that it is looked through once
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        run()
        gc.collect()
        types = map(type, gc.garbage)
        return Counter(one.__qualname__ for one in types if one.__module__.startswith("urisieve"))
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def _read(path: Path, options: Options | None = None, reading: ReadingOptions | None = None) -> int:
    found = sieve_files([path], options=options, reading=reading, on_error=lambda _path, _error: None)
    return sum(1 for _ in found)


def _reads(path: Path) -> None:
    assert _read(path) > 10
    assert left(lambda: _read(path)) == {}


@pytest.mark.sampled(23)
@pytest.mark.parametrize("kind", memory_files.KINDS)
def test_large_files(kind: str, tmp_path: Path) -> None:
    _reads(memory_files.make(memory_files.KINDS[kind], _SIZE, tmp_path))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", document_files.KINDS)
def test_documents(kind: str, tmp_path: Path) -> None:
    if kind == "pdf":
        pytest.importorskip("pypdfium2")
    path = document_files.document(tmp_path, kind, 20_000)
    assert path is not None
    _reads(path)


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A small file of many kinds."""
    folder = tmp_path_factory.mktemp("members")
    kinds = ("text", "CSV", "JSON lines", "a JSON document", "XML", "a feed", "HTML", "a mailbox", "WARC", "xlsx")
    chosen = [memory_files.KINDS[kind] for kind in kinds]
    return {kind.ending: memory_files.make(kind, 9_000, folder).read_bytes() for kind in chosen}


@pytest.mark.sampled(13)
@pytest.mark.parametrize("container", CONTAINERS)
def test_members(container: str, members: dict[str, bytes], tmp_path: Path) -> None:
    if "zst" in container:
        pytest.importorskip("backports.zstd")
    named = {f"{number}.{ending}": data for number in range(2) for ending, data in members.items()}
    path = tmp_path / container
    path.write_bytes(CONTAINERS[container](named))
    _reads(path)


def test_attachments(members: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "a.mbox"
    path.write_bytes(b"".join(b"From a\n" + attached(f"a.{name}", members[name]) + b"\n" for name in members))
    _reads(path)
    path = tmp_path / "a.msg"
    text = {0x001A: "IPM.Note", 0x1000: "before http://body.example/"}
    path.write_bytes(outlook_message(text, attached={"a.csv": b"http://a.example/,b\n" * 20}))
    _reads(path)


def _each_leaves_nothing(ways: Sequence[Callable[[Path], object]], folder: Path) -> None:
    """Read all files of a folder in each way, and look only once for what is left; if anything is, look by file."""
    runs = {(way.__name__, path.name): partial(way, path) for way in ways for path in sorted(folder.iterdir())}
    if left(lambda: [run() for run in runs.values()]):
        assert {name: left(run) for name, run in runs.items()} == {name: {} for name in runs}
        raise AssertionError("something is left by all files together, and nothing by each alone")


def _read_up_to_an_error(path: Path) -> None:
    try:
        for _ in sieve_files([path]):
            pass
    except InputError:
        pass


def _damaged(members: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    packed = bytearray(CONTAINERS["a.zip"]({f"{number}.csv": members["csv"] for number in range(9)}))
    for at in range(200, len(packed) - 1_200, 997):
        packed[at] ^= 0xFF
    yield "a.zip", bytes(packed)
    for ending, data in members.items():
        yield f"cut.{ending}.gz", gzip.compress(data)[:-100]
        yield f"cut.{ending}", data[:-500]
    yield "a.xml", members["xml"][:8_000] + b"<a></b> http://a.example/ " * 20
    yield "deep.xml", b"<?xml version='1.0'?>" + b"<a href='http://a.example/'>" * 11_000
    yield "a.csv", members["csv"] + b'a,"b' + b"x\n" * 99


@pytest.mark.long
def test_damaged_files(members: dict[str, bytes], tmp_path: Path) -> None:
    for name, data in _damaged(members):
        (tmp_path / name).write_bytes(data)
    _each_leaves_nothing([_read, _read_up_to_an_error], tmp_path)


def _read_first(path: Path) -> object:
    return next(sieve_files([path]))


def test_files_that_are_not_read_to_their_end(members: dict[str, bytes], tmp_path: Path) -> None:
    for ending, data in members.items():
        (tmp_path / f"a.{ending}").write_bytes(data)
    _each_leaves_nothing([_read_first], tmp_path)


OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "none": {},
    "refang": {"refang": True},
    "names": {"schemeless": True},
    "addresses": {"email": True},
    "bare": {"bare": ("doi", "isbn")},
    "any": {"schemes": "any"},
    "nested": {"nested": True},
    "repair": {"repair": True},
    "rfc8141": {"urn_syntax": "rfc8141"},
    "unwrap": {"unwrap": True},
    "spoofing": {"spoofing": True, "protect": ("a.example",)},
    "syntax": {"level": "syntax"},
    "merge": {"merge": ("page",)},
    "offsets": {"positions": "offsets"},
    "context": {"reading": ReadingOptions(context=True)},
    "unescape": {"reading": ReadingOptions(unescape=("html", "backslash"))},
    "base": {"reading": ReadingOptions(base="http://b.example/")},
}


@pytest.mark.sampled(13)
@pytest.mark.parametrize("name", OPTIONS)
def test_options(name: str, members: dict[str, bytes], tmp_path: Path) -> None:
    chosen = {**OPTIONS[name]}
    reading = chosen.pop("reading", None)
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for ending, data in (*members.items(), ("odd.txt", _ODD.encode())):
            archive.writestr(f"a.{ending}", data)
    assert _read(path, Options(**chosen), reading) > 100
    assert left(lambda: _read(path, Options(**chosen), reading)) == {}
    assert left(lambda: list(extract(_ODD, options=Options(**chosen)))) == {}


def _scanned() -> None:
    scanner = Scanner()
    scanner.feed(_ODD)
    scanner.close()


CALLS: Final[dict[str, Callable[[], object]]] = {
    "extract, its first record": lambda: next(extract(_ODD)),
    "extract_each": lambda: list(extract_each([_ODD] * 3)),
    "Scanner": _scanned,
    "check": lambda: [check(text) for text in _ODD.split()],
    "key": lambda: [key(text, default=None) for text in _ODD.split()],
    "explain": lambda: [explain(text) for text in _ODD.split()[:30]],
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    assert left(CALLS[name]) == {}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", [one for one in Format if one is not Format.PARQUET])
def test_outputs(form: Format, members: dict[str, bytes], tmp_path: Path) -> None:
    paths = []
    for ending, data in members.items():
        paths.append(tmp_path / f"a.{ending}")
        paths[-1].write_bytes(data)

    def written() -> None:
        with closing(RecordSink(FormatSettings(form), open_output(str(tmp_path / "out")))) as sink:
            sieve_into(paths, sink)

    assert left(written) == {}


def test_rows_and_batches(tmp_path: Path) -> None:
    table = memory_files.make(memory_files.KINDS["CSV"], _SIZE, tmp_path)
    written, rows = tmp_path / "written.jsonl", tmp_path / "rows.csv"

    def deduplicated() -> None:
        rows.unlink(missing_ok=True)
        deduplicate_rows([table], ["url"], output=rows)

    calls: dict[str, Callable[[], object]] = {
        "extract_batches": lambda: [len(batch) for batch in extract_batches([table])],
        "check_rows": lambda: list(check_rows(table, "url")),
        "deduplicate_rows": deduplicated,
        "write_records": lambda: write_records(extract(_ODD), written),
        "read_records": lambda: list(read_records(written)),
    }
    assert {name: left(call) for name, call in calls.items()} == {name: {} for name in calls}
