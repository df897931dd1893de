"""The engines of docs/arrow.md: their examples run unchanged, and give the keys of the library and of the command."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.helpers.cli_support import PATIENCE
from tests.helpers.folders import ROOT
from urisieve import Rejection, check, extract_documents
from urisieve.records.masking import password_token

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

GUIDE = (ROOT / "docs" / "arrow.md").read_text("utf-8")
_SECTION = re.compile(r"^#+ ([^\n]+)\n(.*?)(?=^#|\Z)", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
# The code under each heading.
BLOCKS = {heading: blocks for heading, text in _SECTION.findall(GUIDE) if (blocks := _CODE.findall(text))}
TITLE = next(iter(BLOCKS))
BEGINNING = BLOCKS[TITLE][0]
# Of the examples that write links, the package that each needs.
NEEDED = {
    "PyArrow alone": "pyarrow",
    "DuckDB": "duckdb",
    "Polars": "polars",
    "pandas": "pandas",
    "Ray Data": "ray",
    "Hugging Face datasets": "datasets",
    "Dask": "dask",
}
SECRET = bytes(range(32))
# Runs the example in each of the folders; the secret is the one of this test.
RUN = f"""\
import os, runpy, sys, urisieve
urisieve.new_secret = lambda: {SECRET!r}
for folder in sys.argv[1:]:
    os.chdir(folder)
    runpy.run_path("example.py", run_name="__main__")
    if "ray" in sys.modules:  # its workers stay in the folder that they began in
        sys.modules["ray"].shutdown()
"""


def _texts() -> Iterator[bytes | None]:
    """The samples, each of them and each of their lines, with nulls between, and what is not text."""
    for path in sorted((ROOT / "samples").rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            yield path.read_bytes()
            yield None
            yield from path.read_bytes().splitlines()
    yield b""
    yield b"\xff http://a.example/\xfe http://b.example/ \xc3"
    yield b"http://user:secret@a.example/ http://user:other@a.example/"
    yield b"\0http://a.example/\0"


TEXTS = tuple(_texts())


def _decoded(text: bytes | None) -> str | None:
    return None if text is None else text.decode("utf-8", "replace")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder for each layout of the texts, with `pages.parquet` in it."""
    texts = pa.array(map(_decoded, TEXTS), pa.string())
    columns = {"string": texts, "binary": pa.array(TEXTS, pa.binary()), "dictionary": texts.dictionary_encode()}
    if find_spec("pandas") is not None:  # sorted, and with an index that is kept in the file
        columns["frame"] = texts
    # Addresses to deduplicate by: different spellings, what is none, and nulls.
    records = [record.raw for record in extract_documents(_named("string"))]
    urls = [None if number % 50 == 0 else records[number * 7 % len(records)] for number in range(len(TEXTS))]
    urls[1] = "no address"
    ids = [f"page {number}" for number in range(len(TEXTS))]
    folders = {}
    for layout, column in columns.items():
        folders[layout] = tmp_path_factory.mktemp(layout)
        table = pa.table({"id": ids, "text": column, "url": urls})
        if layout == "frame":
            frame = table.to_pandas()
            frame.index = range(0, 2 * len(frame), 2)  # as that of one that was filtered
            frame.sort_values("id", ascending=False).to_parquet(folders[layout] / "pages.parquet")
            continue
        pq.write_table(table, folders[layout] / "pages.parquet", row_group_size=500)
    return folders


def _named(layout: str) -> list[tuple[str, str]]:
    """The texts as the library takes them."""
    if layout == "binary":
        texts = [None if text is None else text.decode("utf-8", "surrogateescape") for text in TEXTS]
    else:
        texts = [_decoded(text) for text in TEXTS]
    return [(f"page {number}", text) for number, text in enumerate(texts) if text is not None]


def _expected(layout: str) -> list[tuple[str | None, int, str]]:
    token = password_token(SECRET)
    return [(record.source, record.start, record.masked(token).key) for record in extract_documents(_named(layout))]


def _run(code: str, folders: dict[str, Path]) -> None:
    for folder in folders.values():
        (folder / "example.py").write_text(code, "utf-8")
        shutil.rmtree(folder / "links", ignore_errors=True)
        (folder / "links.parquet").unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", RUN, *map(str, folders.values())],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr


def test_each_engine_of_the_guide_is_tried() -> None:
    assert list(BLOCKS) == [TITLE, *NEEDED, "datatrove"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("engine", NEEDED)
def test_an_engine_gives_the_keys_of_the_library(engine: str, pages: dict[str, Path]) -> None:
    if find_spec(NEEDED[engine]) is None:
        pytest.skip(f"{NEEDED[engine]} is not installed")
    (block,) = BLOCKS[engine]
    _run(f"{BEGINNING}\n{block}", pages)
    for layout, folder in pages.items():
        written = folder / ("links" if "links.parquet" not in block else "links.parquet")
        table = pq.read_table(written)
        assert table.column_names == ["id", "start", "uri", "key"]
        rows = sorted(zip(*(table[name].to_pylist() for name in ("id", "start", "key")), strict=True))
        assert rows == sorted(_expected(layout))
        assert "secret" not in "".join(table["uri"].to_pylist())


@pytest.mark.long
def test_the_command_gives_the_keys_of_the_library(tmp_path: Path) -> None:
    paths = []
    for number, text in enumerate(TEXTS):
        paths.append(tmp_path / f"{number}.txt")
        paths[-1].write_bytes(text or b"")
    done = subprocess.run(
        [sys.executable, "-m", "urisieve", "extract", "--files-from", "-", "--input", "text",
         "--encoding", "utf-8", "--format", "jsonl", "--show-passwords", "--quiet"],
        input="\n".join(map(str, paths)).encode(),
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        check=True,
        timeout=PATIENCE,
    )  # fmt: skip
    found = [json.loads(line) for line in done.stdout.splitlines()]
    rows = [(f"page {Path(one['source']).stem}", one["key"]) for one in found]
    assert rows == [(one.source, one.key) for one in extract_documents(_named("binary"))]


def test_datatrove_keeps_one_document_for_each_address(pages: dict[str, Path]) -> None:
    for name in ("datatrove", "orjson", "tokenizers"):  # datatrove asks for the last two where it needs them
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    folder = pages["string"]
    (block,) = BLOCKS["datatrove"]
    _run(block, {"string": folder})
    given = pq.read_table(folder / "pages.parquet").to_pylist()
    first: dict[str, str] = {}
    for row in given:
        if row["text"]:  # datatrove leaves out what has no text
            found = check(row["url"] or "")
            first.setdefault(row["id"] if isinstance(found, Rejection) else found.key, row["id"])
    lines = [line for path in (folder / "kept").iterdir() for line in path.read_bytes().splitlines()]
    kept = [json.loads(line)["id"] for line in lines]
    assert sorted(kept) == sorted(first.values())
