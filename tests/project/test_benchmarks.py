"""The benchmarks: texts are the same everywhere, and every section gives tables. Nothing is timed here."""

import hashlib
import importlib.util
import re
from pathlib import Path

import pytest

from benchmarks import (
    cores,
    corpora,
    dedupe,
    document_files,
    documents,
    engines,
    finding_options,
    growth,
    hostile_shapes,
    links,
    memo,
    memory,
    scale,
    spark,
    spark_growth,
    stages,
    start,
)
from benchmarks.__main__ import SECTIONS, main
from benchmarks.equivalences import PAIRS, right
from benchmarks.finders import FINDERS, OURS, measure
from benchmarks.markdown import END, START, number, replaced, table
from benchmarks.sampling import Location
from benchmarks.settings import MEGABYTE, Settings
from tests.spark.spark_session import JAVA, MISSING
from urisieve import extract_files, normalize
from urisieve.cli.program import accepted

LINK = re.compile(rb"https?://[^\s<>\"'()\[\]\x80-\xff]+")

# kind, hash of the first block, links per MB at least and at most, and the same of the share of distinct ones
MADE = [
    ("mail", "3e14654af6a03ef6", 480, 580, 0.98, 1.0),
    ("prose", "97191b240799dd2a", 120, 160, 0.98, 1.0),
    ("access", "7f38d188b0849a46", 4_500, 5_500, 0.8, 0.95),
    ("urls", "bf66f6ae7283f4cf", 19_000, 20_500, 0.55, 0.65),
    ("cjk", "037cad6c6f999069", 1_900, 2_200, 0.98, 1.0),
    ("html", "5b7c429bc1461564", 7_000, 8_000, 0.98, 1.0),
]


def _density(data: bytes) -> tuple[float, float]:
    """Links per MB, and the share of distinct ones."""
    found = LINK.findall(data)
    return len(found) / len(data) * MEGABYTE, len(set(found)) / len(found)


@pytest.mark.parametrize(("kind", "digest", "fewest", "most", "least", "greatest"), MADE)
def test_makers(
    kind: str, digest: str, fewest: int, most: int, least: float, greatest: float, tmp_path: Path
) -> None:  # fmt: skip
    data = corpora.make(kind, MEGABYTE, tmp_path / "text").read_bytes()
    assert hashlib.sha256(data).hexdigest()[:16] == digest
    links_per_megabyte, distinct = _density(data)
    assert fewest <= links_per_megabyte <= most
    assert least <= distinct <= greatest


@pytest.mark.parametrize("kind", ["mail", "urls"])
def test_a_long_text_repeats_no_link(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "_TILE", MEGABYTE)
    one = corpora.make(kind, MEGABYTE, tmp_path / "one").read_bytes()
    three = corpora.make(kind, 3 * MEGABYTE, tmp_path / "three").read_bytes()
    assert 3 * MEGABYTE <= len(three) < 3 * MEGABYTE + 1_000
    assert three.startswith(one)
    assert three.endswith(b"\n")
    assert _density(three) == pytest.approx(_density(one), rel=0.02)
    shared = set(LINK.findall(one)) & set(LINK.findall(three[2 * len(one) :]))
    assert len(shared) < 0.001 * len(LINK.findall(one))


def test_a_text_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"long enough")
    assert corpora.make("mail", 5, path).read_bytes() == b"long enough"


@pytest.mark.parametrize("kind", document_files.KINDS)
def test_documents_hold_each_link(kind: str, tmp_path: Path) -> None:
    path = document_files.document(tmp_path, kind, 50_000)
    if path is None:
        pytest.skip("LibreOffice is not installed")
    if kind == "pdf":
        pytest.importorskip("pypdfium2")
    planted = LINK.findall("\n".join(one.plain for one in document_files.paragraphs(50_000)).encode())
    found = {record.uri.encode() for record in extract_files(path)}
    assert len(planted) > 100
    assert set(planted) <= found
    assert len(found - set(planted)) <= 2


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tiny") / "tiny.txt"
    path.write_bytes(corpora.make("mail", 1, path.with_name("mail")).read_bytes()[:100_000] + b"\n")
    return path


@pytest.mark.long
@pytest.mark.parametrize(
    "section",
    [pytest.param(name, marks=[pytest.mark.spark] if name.startswith("spark") else []) for name in SECTIONS],
)
def test_each_section_gives_tables(
    section: str, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(links, "FINDERS", {name: finder for name, finder in FINDERS.items() if name == OURS})
    monkeypatch.setattr(start, "_TIMES", 1)
    monkeypatch.setattr(stages, "_ENOUGH", 0.1)
    monkeypatch.setattr(dedupe, "_KEYS", 5_000)
    monkeypatch.setattr(documents, "_SIZE", 20_000)
    monkeypatch.setattr(memory, "_SIZES", (1,))
    monkeypatch.setattr(memory, "KINDS", ("text", "CSV in gzip"))
    monkeypatch.setattr(engines, "ENGINES", {"pyarrow": "pyarrow"})
    monkeypatch.setattr(scale, "_KEYS", 5_000)
    monkeypatch.setattr(scale, "_A_DAY", 2_000)
    monkeypatch.setattr(cores, "_COPIES", 1)
    monkeypatch.setattr(spark, "_EXTRACT", {})  # a start of Java for each job: one is enough
    monkeypatch.setattr(spark, "_DEDUPE", {"deduplicate": "ours"})
    monkeypatch.setattr(spark_growth, "_JOBS", (spark_growth.linked_rows,))
    monkeypatch.setattr(spark_growth, "_TIMES", (1,))
    monkeypatch.setattr(spark_growth, "_LEAST_LINKS", 5_000)
    settings = Settings(folder=tmp_path, inputs=(tiny,), size=MEGABYTE, runs=1, largest=100_000)
    if section.startswith("spark") and MISSING:
        pytest.skip(MISSING)
    for name, value in JAVA.items():
        monkeypatch.setenv(name, value)
    blocks = list(SECTIONS[section].report(settings))
    assert blocks
    for block in blocks:
        assert section == "peers" or re.search(r"\n\n\|.*\n\|[ :|-]+\n\|", block)


def test_finders_stop_in_time(tiny: Path) -> None:
    whole = measure(OURS, tiny, MEGABYTE, 60)
    assert whole["bytes"] == tiny.stat().st_size
    assert len(whole["keys"]) <= whole["found"]
    assert measure(OURS, tiny, MEGABYTE, 0)["bytes"] < whole["bytes"]


def test_growth_cuts_at_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"one\ntwo\nthree\n")
    assert growth._prefix(path, 5, tmp_path / "cut").read_bytes() == b"one\ntwo\n"


def test_we_are_right() -> None:
    same = sum(pair.same for pair in PAIRS)
    assert right(normalize) == (same, len(PAIRS) - same)
    assert right(lambda text: text) == (0, len(PAIRS) - same)
    assert right(lambda text: "") == (same, 0)


def test_memory() -> None:
    assert memo.hits("abcabc", None) == 3
    assert memo.hits("abcabc", 2) == 0
    assert memo.hits("aabb", 1) == 2


# module, function, line, stage
STAGES = [
    ("sources.bytes.reading", "read_blocks", "", "reading"),
    ("sinks.first_seen", "FirstShare.take", "", "deduplicating"),
    ("cli.extract", "_extract", "", "steering"),
    ("runs.run", "Run.into", "", "steering"),
    ("new.module", "f", "", "other: new.module"),
    ("", "", "", "other: the interpreter"),
]


@pytest.mark.parametrize(("module", "function", "line", "expected"), STAGES)
def test_stages(module: str, function: str, line: str, expected: str) -> None:
    assert stages.stage(Location(module, function, line)) == expected


def test_each_stage_is_of_modules_that_exist() -> None:
    for row in stages._ROWS:
        for module in row.modules.split():
            assert importlib.util.find_spec(f"urisieve.{module}") is not None, module


def test_commands_have_options_that_there_are() -> None:
    current = {name for some in accepted().values() for one in some for new in one.all_arguments for name in new.names}
    words = {word for option in finding_options._OPTIONS for word in option.split()}
    words |= {word for shape in hostile_shapes.TEXTS for word in shape.flags}
    flags = {word for word in words if word.startswith("--")}
    assert "--accept" in flags
    assert flags <= current


def test_markdown() -> None:
    assert table(["a", "b"], [["`x | y`", "1"]]) == "| a | b |\n| --- | ---: |\n| `x \\| y` | 1 |"
    assert [number(value) for value in (None, 0.012, 9.994, 10.04, 99.94, 99.96, 12_345.6)] == [
        "-", "0.01", "9.99", "10.0", "99.9", "100", "12,346"
    ]  # fmt: skip
    assert replaced(f"a\n{START}\nold\n{END}\nb", "new\n") == f"a\n{START}\nnew\n{END}\nb"
    for broken in ("", START, f"{END}{START}", f"{START}{END}{END}"):
        with pytest.raises(ValueError, match="once each"):
            replaced(broken, "new")


def test_a_document_is_renewed(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = tmp_path / "README.md"
    document.write_text(f"before\n{START}\n{END}\nafter\n", encoding="utf-8")
    main(["--memo", "--input", str(tiny), "--runs", "1", "--write", str(document)])
    printed = capsys.readouterr().out
    assert document.read_text(encoding="utf-8") == f"before\n{START}\n{printed.strip()}\n{END}\nafter\n"
