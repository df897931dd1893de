"""Hostile input: small files of every shape of `benchmarks.hostile`, what must never merge or leak, flat memory."""

from __future__ import annotations

import io
import json
import random
import re
import tracemalloc
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from benchmarks import hostile
from benchmarks.hostile_runs import NEXT
from benchmarks.hostile_shapes import TEXTS, Shape
from benchmarks.hostile_sources import SOURCES, plain
from benchmarks.hostile_texts import FIRST, LAST, filled
from tests.helpers.cli_support import call
from tests.helpers.doubling import assert_linear
from tests.helpers.hostile import repeated
from urisieve import (
    Options,
    Record,
    Scanner,
    Tally,
    check,
    extract,
    extract_files,
    normalize,
)
from urisieve.find import pivots
from urisieve.find.kernel_search import KernelSearch
from urisieve.find.search import Search
from urisieve.find.searches import make_search
from urisieve.merging import NAMED_STEPS, MergeStep
from urisieve.records.batch import BatchBuffer
from urisieve.sources.mail.mime import join_flowed

SMALL: Final = 6_000
ROWS: Final = [shape for shape in (*TEXTS, *SOURCES) if not shape.bomb and "--follow" not in shape.flags]


@pytest.mark.sampled(15)
@pytest.mark.parametrize("area", sorted({shape.area for shape in ROWS}))
def test_nothing_is_lost_around_what_is_hostile(area: str, tmp_path: Path) -> None:
    """The links before and behind it are found, and the next file is read."""
    after = tmp_path / "next.txt"
    after.write_bytes(b"the next " + NEXT + b"\n")
    for shape in ROWS:
        if shape.area != area:
            continue
        path = tmp_path / f"hostile{shape.ending}"
        path.write_bytes(b"".join(shape.make(SMALL)))
        if shape.command in ("check", "normalize", "explain"):
            found = call(shape.command, *shape.flags, stdin=path.read_bytes())
            assert found.status in (0, 1), shape.name
            continue
        files = [str(path)] if area == "parquet" else [str(path), str(after)]
        written = ["--output", str(tmp_path / "report.html")] if shape.command == "report" else []
        found = call(shape.command, *shape.flags, "--jobs", "1", *written, *files)
        assert found.status in (0, 1, 2, 3), (shape.name, found.err)
        wanted = {*shape.kept, *([NEXT] if shape.kept and shape.reads_text else [])}
        assert {link for link in wanted if link in found.out} == wanted, (shape.name, found.err)
        assert "Traceback" not in found.err, shape.name


def test_units_do_not_repeat() -> None:
    tiles = list(filled("http://¤¤¤¤¤¤¤¤¤¤¤¤¤¤.com/ ", 3_000_000))
    links = b"".join(tiles).split()
    assert len(links) == len(set(links))


@pytest.mark.long
def test_prose_has_the_links_asked_for() -> None:
    for source, density in product(["text", "html", "mbox", "json", "csv", "warc"], [100.0, 5_000.0, 40_000.0]):
        make, links = plain(source, density)
        data = b"".join(make(200_000))
        assert links == pytest.approx(data.count(b".com") / len(data) * 1e6, rel=0.2)
    assert plain("text", 0.0)[1] == 0


def test_the_command_marks_what_is_lost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lost = Shape("area", "lost", lambda _: iter([FIRST + b"\n"]), ("--input", "text"))
    whole = Shape("area", "whole", lambda _: iter([FIRST + b"\n" + LAST + b"\n"]), ("--input", "text"))
    monkeypatch.setattr(hostile, "TEXTS", (lost, whole))
    monkeypatch.setattr(hostile, "SOURCES", ())
    log = tmp_path / "log"
    monkeypatch.setattr("sys.argv", ["hostile", "--sizes", "0.01", "--log", str(log)])
    assert hostile.main() == 0
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [row["marks"] for row in rows] == ["lost", "-"]
    assert "2 rows, 1 marked" in capsys.readouterr().out


# ---- a slash that is none

OVERLONG: Final = ["%C0%AF", "%c0%af", "%E0%80%AF", "%F0%80%80%AF", "%C0%2F", "%c1%9c"]
SETTINGS: Final[list[dict[str, Any]]] = [
    {},
    *({"level": level} for level in ("none", "syntax", "scheme")),
    *({"merge": [step]} for step in NAMED_STEPS),
    {"refang": "known-forms"},
    {"repair": "encode"},
    {"unwrap": "any"},
    {"schemeless": "names", "email": "addresses"},
    {"nested": "report"},
    {"schemes": "any"},
    {"urn_syntax": "rfc8141"},
    {"charset": "legacy"},
]


def _forms(record: Record) -> list[str]:
    return [record.uri, record.iri, record.key, record.raw]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_an_overlong_slash_is_never_a_slash(settings: dict[str, Any]) -> None:
    """RFC 3629 3: decoding it would let `..%C0%AF` climb where `../` may not."""
    options = Options(**settings)
    for overlong in OVERLONG:
        if overlong == "%C0%2F" and MergeStep.ARCHIVE_KEY in settings.get("merge", ()):
            continue  # keys of archives decode all slashes
        for head in (
            "http://a.example/x/a",
            "file:///x/a",
            "http://a.example/?q=a",
            "http://a.example/#a",
            "urn:example:a",
        ):
            text = f"{head}{overlong}..{overlong}etc"
            (record,) = extract(text, options=options)
            for form in _forms(record):
                assert "/etc" not in form
                assert "/.." not in form
                assert form.count("/") <= text.count("/")
            if not settings:
                assert overlong.upper() in record.key
        if overlong == "%C0%2F":  # in a link inside another the second half is a slash like any
            continue
        wrapped = f"https://www.google.com/url?q=http%3A%2F%2Fb.example%2Fa{overlong}etc"
        assert not [form for record in extract(wrapped, options=options) for form in _forms(record) if "/etc" in form]


@pytest.mark.parametrize("raw", [b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xed\xa0\x80"])
def test_raw_bytes_that_are_overlong_are_never_a_slash(raw: bytes, tmp_path: Path) -> None:
    carried = {
        "a.txt": b"http://a.example/x/.." + raw + b"etc \n",
        "a.html": b"<!doctype html><a href='http://a.example/x/.." + raw + b"etc'>x</a>",
        "a.json": b'["http://a.example/x/..' + raw + b'etc"]',
        "a.csv": b"a,b\nhttp://a.example/x/.." + raw + b"etc,c\n",
        "a.eml": b"From: a@b.example\nSubject: x\nContent-Type: text/plain; charset=utf-8\n"
        b"Content-Transfer-Encoding: quoted-printable\n\nhttp://a.example/x/.."
        + b"".join(b"=%02X" % byte for byte in raw)
        + b"etc\n",
    }
    for name, data in carried.items():
        (tmp_path / name).write_bytes(data)
    found = [form for record in extract_files([tmp_path]) for form in _forms(record)]
    assert len(found) >= len(carried)
    assert not [form for form in found if "/etc" in form or "/../" in form]


# ---- halves of characters

HALVES: Final = "http://a.example/\ud800 (http://b.example/\udfff/c) http://c.example/ \udc80http://d.example/"


def _encodes(text: str) -> bool:
    return text.encode("utf-8", "strict").decode() == text


def test_lone_surrogates_are_never_in_an_identifier() -> None:
    scanner = Scanner()
    found = [*scanner.feed(HALVES), *scanner.close()]
    records = [one for one in found if isinstance(one, Record)]
    assert {record.uri for record in records} >= {"http://c.example/", "http://d.example/"}
    for record in records:
        assert all(map(_encodes, (record.uri, record.iri, record.key)))
    assert normalize("http://c.example/") == "http://c.example/"
    assert not isinstance(check("http://a.example/\ud800"), Record)


@pytest.mark.parametrize(
    "argv",
    [
        ("extract",),
        *(("extract", "--format", name) for name in ("jsonl", "csv", "tsv", "parquet")),
        ("extract", "--fields", "uri,raw"),
        ("extract", "--template", "{raw}"),
        ("extract", "--form", "iri"),
        ("extract", "--rejected", "REJECTED"),
        ("dedupe",),
        ("count",),
        ("stats", "--format", "json"),
        ("stats",),
        ("report",),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("kind", ["text", "json", "jsonl", "bytes"])
def test_lone_surrogates_reach_no_sink(argv: tuple[str, ...], kind: str, tmp_path: Path) -> None:
    if "parquet" in argv:
        pytest.importorskip("pyarrow")
    escaped = json.dumps(HALVES)
    data, name = {
        "text": (HALVES.encode("utf-8", "surrogatepass"), "a.txt"),
        "json": (f'[{escaped}, {{"\\ud800": {escaped}}}]'.encode(), "a.json"),
        "jsonl": (f'{{"a": {escaped}}}\n{{"\\ud800": {escaped}}}\n'.encode(), "a.jsonl"),
        "bytes": (HALVES.encode("utf-16-le", "surrogatepass"), "a.txt"),
    }[kind]
    path = tmp_path / name
    path.write_bytes(data)
    rejected = tmp_path / "rejected.jsonl"
    flags = [str(rejected) if word == "REJECTED" else word for word in argv]
    output = tmp_path / ("out.parquet" if "parquet" in argv else "out")
    encoding = ["--encoding", "utf-16-le"] if kind == "bytes" else []
    found = call(*flags, *encoding, "--output", str(output), str(path))
    assert found.status == 0, found.err
    assert _encodes(found.err)
    if "parquet" in argv:
        import pyarrow.parquet as pq

        assert "http://c.example/" in pq.read_table(io.BytesIO(output.read_bytes())).column("uri").to_pylist()
        return
    written = output.read_bytes().decode("utf-8", "strict")
    assert "c.example" in written.replace("[.]", ".")  # a report is defanged
    if rejected.exists():
        rows = [json.loads(line) for line in rejected.read_text(encoding="utf-8").splitlines()]
        assert all(_encodes(row["text"]) for row in rows if "text" in row)


# ---- time and memory of what was not covered


@pytest.mark.parametrize("unit", ["[.]", "a[.]", "(dot) ", "[at]", "a\\.", "[:", "hxxp[:]//"])
def test_marks_where_nothing_is_assumed_take_linear_time(unit: str) -> None:
    def scan(text: str) -> None:
        scanner = Scanner(Options(refang="known-forms"))
        scanner.feed(text)
        scanner.close()

    assert_linear(scan, repeated(unit), 250_000)


def test_marks_are_not_looked_at_where_nothing_is_assumed() -> None:
    """A text of them runs as fast as prose: no pivot begins there."""
    from urisieve.find.pivots import pivots

    text = "a[.]b (dot) c[at]d e\\.f "
    assert pivots(Options(refang="known-forms")).search(text) is None
    assert pivots(Options(refang="known-forms", schemeless="names")).search(text) is not None
    found = [record.uri for record in extract("hxxp[:]//e[.]com", options=Options(refang="known-forms"))]
    assert found == ["http://e.com/"]


def _old_pivots(options: Options) -> re.Pattern[str]:
    """The pivots without what passes over dots and at-signs early."""
    return re.compile(pivots.pivots(options).pattern.replace(pivots._NOT_INNER, "").replace(pivots._DOTTED, ""))


_PIECES: Final = (
    *("a", "b.", ".", "..", "@", "a@", "a.b", ".com", "abcdef.", "abcdefg.", "1.", "é.", "-", "_.", "m.", "www.", ":"),
    *(
        "\x1b[1.",
        "\x1b[0m",
        "\x1b.",
        "\x9b2.a",
        "http://",
        "http://e.com",
        " ",
        "/",
        "'",
        '"',
        "<",
        ">",
        "\n",
        "\ud800",
        "**",
    ),
)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_what_is_passed_over_early_holds_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of `a.` and `a@` cost next to nothing, and the same is found as when each was looked at."""
    chance = random.Random(seed)
    options = Options(
        schemeless="names", email=chance.choice(["off", "addresses"]), max_length=chance.choice([64, 400])
    )
    texts = ["".join(chance.choices(_PIECES, k=chance.randint(1, 30))) for _ in range(400)]
    texts += ["".join(chance.choices(_PIECES[:16], k=200)) for _ in range(10)]

    def found(size: int, make: Callable[..., Search | KernelSearch]) -> list[object]:
        results: list[object] = []
        for text in texts:
            buffer = BatchBuffer()
            search = make(options, buffer)
            for start in range(0, len(text), size):
                search.feed(text[start : start + size])
            search.close()
            results += [one.as_dict() for one in buffer.taken().found()]
        return results

    new = [found(size, make) for size in (1_000, 7) for make in (Search, make_search)]
    monkeypatch.setattr("urisieve.find.search.pivots", _old_pivots)
    assert new == [found(1_000, Search)] * 4
    assert len(new[0]) > 100


def _peak(run: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.long
@pytest.mark.parametrize("unit", ["\\u0041", "\\\\"])
def test_a_string_of_escapes_takes_little_memory(unit: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    count = 600_000 // len(unit)
    path.write_text(f'["http://a.example/ {unit * count} http://b.example/"]', encoding="utf-8")
    found: list[str] = []
    peak = _peak(lambda: found.extend(record.uri for record in extract_files([path], tally=Tally())))
    assert found[0] == "http://a.example/"
    assert found[-1] == "http://b.example/"
    assert peak < 14_000_000 + 40 * count


@pytest.mark.long
def test_flowed_lines_take_little_memory() -> None:
    text = ">a \n>> \n" * 60_000
    peak = _peak(lambda: join_flowed(text))
    assert peak < 18 * len(text)


def test_flowed_lines_are_the_same_when_they_are_joined_many_at_once() -> None:
    text = "".join(f">line {number} \n" if number % 3 else f">> {number}\n" for number in range(90_000))
    joined, selection = join_flowed(text)
    for offset in range(0, len(joined), 7_919):
        if joined[offset].isdigit():
            assert text[selection.source(offset)] == joined[offset]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("parts", [10_000, 10_002])
def test_parts_beyond_the_limit_are_text_and_reported(parts: int) -> None:
    """What they hold as it stands is found, but nothing that is encoded: the run says so, quiet or not."""
    head = b"From: a@b.example\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
    encoded = b"--b\nContent-Transfer-Encoding: base64\n\naHR0cDovL2IuZXhhbXBsZS8=\n"  # http://b.example/
    mail = head + b"--b\n\nx\n" * (parts - 2) + encoded + b"--b\n\nhttp://a.example/\n--b--\n"
    run = call("extract", "--quiet", stdin=mail)
    if parts == 10_000:
        assert (run.status, run.lines, run.err) == (0, ["http://b.example/", "http://a.example/"], "")
    else:
        assert (run.status, run.lines, "too many parts" in run.err) == (2, ["http://a.example/"], True)
