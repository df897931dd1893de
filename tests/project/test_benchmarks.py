"""The benchmarks: texts are the same everywhere, and every section gives tables. Nothing is timed here."""

import hashlib
import importlib.util
import re
from pathlib import Path

import pytest

from benchmarks import (
    carriers,
    cores,
    corpora,
    dedupe,
    document_files,
    documents,
    engines,
    grid,
    hostile_shapes,
    links,
    memory,
    memory_files,
    merging,
    options,
    real_texts,
    scale,
    sizes,
    spark,
    spark_growth,
    stages,
    start,
    text_figures,
)
from benchmarks.__main__ import SECTIONS, main
from benchmarks.carried import CARRIERS
from benchmarks.equivalences import PAIRS, right
from benchmarks.finders import FINDERS, OURS, measure
from benchmarks.markdown import END, START, number, replaced, table
from benchmarks.sampling import Location
from benchmarks.settings import MEGABYTE, Settings
from tests.spark.spark_session import JAVA, MISSING
from urisieve import extract_files, normalize
from urisieve.cli.program import accepted
from urisieve.merging import NAMED_STEPS

LINK = re.compile(rb"https?://[^\s<>\"'()\[\]\x80-\xff]+")

# kind, hash of the first megabyte: the same bytes on every machine
MADE = [
    ("mail", "8b64704459434a94"),
    ("prose", "6e70fa823355942f"),
    ("access", "499858422ea473e3"),
    ("urls", "d0b5e8a9d09264a6"),
    ("cjk", "e54cb39dcffec7db"),
    ("html", "45033aee0acee458"),
    ("chat", "76c7aab9d2bd8183"),
]
# How far generated texts may be from real ones: rates by a tenth or 7 a megabyte, lengths by a sixth, shares by 0.12,
# those of distinct links and hosts by a third; shares are compared where there are so many a megabyte to share.
RATE, FEW, LENGTH, SHARE, ENOUGH = 0.1, 7.0, 1 / 6, 0.12, 300
SHARED = {"distinct addresses": "addresses", "distinct names": "names", "not ASCII": "lines"}


def _density(data: bytes) -> tuple[float, float]:
    """Links per MB, and the share of distinct ones."""
    found = LINK.findall(data)
    return len(found) / len(data) * MEGABYTE, len(set(found)) / len(found)


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("kind", "digest"), MADE)
def test_makers(kind: str, digest: str, tmp_path: Path) -> None:
    data = corpora.make(kind, MEGABYTE, tmp_path / "text").read_bytes()
    assert hashlib.sha256(data).hexdigest()[:16] == digest


@pytest.mark.long
@pytest.mark.parametrize("kind", corpora.KINDS)
def test_generated_texts_have_the_figures_of_real_ones(kind: str, tmp_path: Path) -> None:
    real = text_figures.REAL[kind]
    made = text_figures.figures(corpora.make(kind, 2 * MEGABYTE, tmp_path / "text").read_bytes())
    assert list(made) == list(real)
    for name in text_figures.RATES:
        assert made[name] == pytest.approx(real[name], rel=RATE, abs=FEW), name
    for name in text_figures.SHARES:
        if real[SHARED.get(name, "links")] >= ENOUGH:
            assert made[name] == pytest.approx(real[name], abs=SHARE), name
    for name in ("distinct links", "hosts a link"):
        assert made[name] == pytest.approx(real[name], rel=1 / 3), name
    assert made["link length"] == pytest.approx(real["link length"], rel=LENGTH)
    assert made["fields a message"] == pytest.approx(real["fields a message"], abs=2)


@pytest.mark.long
@pytest.mark.skipif(not real_texts.available(), reason="the slices of real texts are not here")
@pytest.mark.parametrize("kind", real_texts.SLICES)
def test_real_texts_have_the_figures_that_are_kept(kind: str, tmp_path: Path) -> None:
    assert text_figures.figures(real_texts.real_slice(kind, tmp_path).read_bytes()) == text_figures.REAL[kind]
    grown = real_texts.grown(kind, 10, tmp_path / "grown").read_bytes()
    assert 10 <= len(grown) <= MEGABYTE


@pytest.mark.long
@pytest.mark.parametrize("kind", ["mail", "urls"])
def test_a_long_text_repeats_no_link(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "_TILE", MEGABYTE)
    one = corpora.make(kind, MEGABYTE, tmp_path / "one").read_bytes()
    three = corpora.make(kind, 3 * MEGABYTE, tmp_path / "three").read_bytes()
    assert 3 * MEGABYTE <= len(three) < 3 * MEGABYTE + 2_000
    assert three.startswith(one)
    assert three.endswith(b"\n")
    assert _density(three) == pytest.approx(_density(one), rel=0.03)
    shared = set(LINK.findall(one)) & set(LINK.findall(three[2 * len(one) :]))
    assert len(shared) < 0.1 * len(set(LINK.findall(one)))  # hosts without a path: half of them come again


def test_a_text_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"long enough")
    assert corpora.make("mail", 5, path).read_bytes() == b"long enough"


@pytest.mark.sampled(3)
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
    path.write_bytes(corpora.make("mail", 100_000, path.with_name("mail")).read_bytes())
    return path


@pytest.mark.long
@pytest.mark.parametrize(
    "section",
    [pytest.param(name, marks=[pytest.mark.spark] if name.startswith("spark") else []) for name in SECTIONS],
)
def test_each_section_gives_tables(
    section: str, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(carriers, "_SIZE", 200_000)
    monkeypatch.setattr(carriers, "_MEMBERS", 500)
    monkeypatch.setattr(carriers, "_ROWS", 5_000)
    monkeypatch.setattr(merging, "NAMED_STEPS", NAMED_STEPS[:2])
    monkeypatch.setattr(links, "FINDERS", {name: finder for name, finder in FINDERS.items() if name == OURS})
    monkeypatch.setattr(start, "_TIMES", 1)
    monkeypatch.setattr(stages, "_ENOUGH", 0.1)
    monkeypatch.setattr(dedupe, "_KEYS", 5_000)
    monkeypatch.setattr(documents, "_SIZE", 20_000)
    monkeypatch.setattr(memory, "KINDS", {name: memory_files.KINDS[name] for name in ("text", "CSV in gzip")})
    monkeypatch.setattr(options, "KINDS", ("chat",))
    monkeypatch.setattr(options, "CARRIERS", {"mail": CARRIERS["mail"]})
    monkeypatch.setattr(sizes, "CARRIERS", {"CSV": CARRIERS["CSV"]})
    monkeypatch.setattr(engines, "ENGINES", {"pyarrow": "pyarrow"})
    monkeypatch.setattr(scale, "_KEYS", 5_000)
    monkeypatch.setattr(scale, "_A_DAY", 2_000)
    monkeypatch.setattr(cores, "_COPIES", 1)
    monkeypatch.setattr(spark, "_EXTRACT", {})  # a start of Java for each job: one is enough
    monkeypatch.setattr(spark, "_DEDUPE", {"deduplicate": "ours"})
    monkeypatch.setattr(spark_growth, "_JOBS", (spark_growth.linked_rows,))
    monkeypatch.setattr(spark_growth, "_TIMES", (1,))
    monkeypatch.setattr(spark_growth, "_LEAST_LINKS", 5_000)
    settings = Settings(folder=tmp_path, inputs=(tiny,), size=MEGABYTE, runs=1, largest=10_000, memory=(1, 2))
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


def test_we_are_right() -> None:
    same = sum(pair.same for pair in PAIRS)
    assert right(normalize) == (same, len(PAIRS) - same)
    assert right(lambda text: text) == (0, len(PAIRS) - same)
    assert right(lambda text: "") == (same, 0)


@pytest.mark.sampled(23)
@pytest.mark.parametrize("name", memory_files.KINDS)
def test_links_are_found_in_each_large_file(name: str, tmp_path: Path) -> None:
    if name == "pdf":
        pytest.importorskip("pypdfium2")
    path = memory_files.make(memory_files.KINDS[name], 100_000, tmp_path)
    assert sum(1 for record in extract_files(path) if ".example/" in record.uri) > 20


def test_a_cell_over_its_bar_is_bold_and_listed(tmp_path: Path) -> None:
    settings = Settings(folder=tmp_path)
    at = {"table": "a", "row": "b", "column": "c"}
    assert [settings.cell(ratio, bar, **at) for ratio, bar in ((2.5, 2.5), (9, None), (2.6, 2.5), (40, 3))] == [
        "2.50", "9.00", "**2.60**", "**40.0**"
    ]  # fmt: skip
    assert [one.ratio for one in settings.slow] == [2.6, 40]
    assert grid.slow_table(settings).endswith("| a | b | c | 40.0 | 3.00 |\n| a | b | c | 2.60 | 2.50 |")
    assert "Nothing" in grid.slow_table(Settings(folder=tmp_path))


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
    words = {word for option in options.ALL for word in option.split()}
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


@pytest.mark.long
def test_a_document_is_renewed(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = tmp_path / "README.md"
    document.write_text(f"before\n{START}\n{END}\nafter\n", encoding="utf-8")
    main(["--start", "--input", str(tiny), "--runs", "1", "--without-real", "--write", str(document)])
    printed = capsys.readouterr().out
    assert document.read_text(encoding="utf-8") == f"before\n{START}\n{printed.strip()}\n{END}\nafter\n"
