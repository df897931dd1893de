"""Statistics agree with a count of every record by hand, whatever the way; their output is safe and fits its width."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urisieve
from tests.helpers.cli_support import call
from urisieve import Options, OutputError, Record, Tally, UsageError, extract_batches, sieve_files, sieve_into
from urisieve.sinks.drawing import text_width
from urisieve.sinks.statistics import Statistics, StatisticsSink, TimeUnit, collect_statistics
from urisieve.sinks.statistics.name_counts import NameCounts
from urisieve.sinks.statistics.spelling_counts import FirstSpellings, merging_rules
from urisieve.sinks.statistics.statistics import CodeCount, CodeCounts, NameCount, Ranking, TimeCount, Timeline
from urisieve.sinks.statistics.statistics_text import bar, statistics_lines
from urisieve.sinks.statistics.time_counts import FirstLastTimes

SAMPLES = ["samples/access.log", "samples/syslog.txt", "samples/mail.mbox", "samples/urns.xml", "samples/cjk-rtl.txt"]
ALL = 100_000  # rows of a ranking


def by_hand(found: Sequence[urisieve.Record | urisieve.Rejection]) -> dict[str, object]:
    """Count the simplest way, from the attributes of every record."""
    records = [one for one in found if isinstance(one, Record)]
    first: dict[str, Record] = {}
    for record in records:
        first.setdefault(record.key, record)
    urns = [record for record in records if record.kind == "urn"]

    def ranked(names: dict[int, str | None], of: Sequence[Record]) -> set[tuple[str | None, int, int]]:
        counts = Counter(names[id(record)] for record in of)
        fresh = Counter(names[id(record)] for record in of if first[record.key] is record)
        return {(name, count, fresh[name]) for name, count in counts.items()}

    def of(name: str, some: Sequence[Record]) -> set[tuple[str | None, int, int]]:
        return ranked({id(record): getattr(record, name) for record in some}, some)

    return {
        "funnel": (
            len(found),
            len(records),
            len({record.raw for record in records}),
            len({record.uri for record in records}),
            len(first),
        ),
        "kinds": of("kind", records),
        "schemes": of("scheme", records),
        "hosts": of("host", [record for record in records if record.host]),
        "namespaces": of("nid", urns),
        "sources": of("source", records),
        "merged": sum(record.raw != first[record.key].raw for record in records),
        "pairs": len({(record.key, record.raw) for record in records if record.raw != first[record.key].raw}),
        "rejections": Counter(str(one.reason) for one in found if not isinstance(one, Record)),
        "warnings": Counter(str(code) for record in records for code in record.warnings),
    }


def counted(statistics: Statistics) -> dict[str, object]:
    found: dict[str, object] = {
        name: {tuple(row) for row in getattr(statistics, name).rows}
        for name in ("kinds", "schemes", "hosts", "namespaces", "sources")
    }
    found["funnel"] = tuple(statistics.funnel)
    found["merged"], found["pairs"] = statistics.merges.merged, statistics.merges.pairs
    for name in ("rejections", "warnings"):
        found[name] = Counter({row.code: row.count for row in getattr(statistics, name).rows})
    return found


@pytest.mark.sampled(8)
@pytest.mark.parametrize("paths", [*([path] for path in SAMPLES), SAMPLES, ["samples"]], ids=str)
@pytest.mark.parametrize("options", [Options(), Options(level="none"), Options(merge=("strip-www", "drop-fragment"))])
def test_statistics_agree_with_a_count_by_hand(paths: list[str], options: Options) -> None:
    found = list(sieve_files(paths, options=options, on_error=lambda *_: None, tally=Tally()))
    assert counted(collect_statistics(paths, top=ALL, options=options)) == by_hand(found)


_WORDS = st.sampled_from(
    [
        *(
            "http://a.example",
            "http://A.example/",
            "HTTP://a.example:80/",
            "http://a.example/%7e",
            "http://a.example/~",
        ),
        *("<http://a.exa\nmple/>", "http://u:p@a.example/", "http://b.example/\u00e4", "http://b.example/%C3%A4"),
        *("urn:isbn:0395363411", "URN:ISBN:0-395-36341-1", "sip:a@b.example", "sip:a@B.example;x=1", "http://b:x/"),
        *("mailto:a@b.example", "news:x@y.example", "http://\u4f8b\u3048.\u30c6\u30b9\u30c8/"),
    ]
)


@pytest.mark.parametrize("level", ["scheme", "none"])
@given(texts=st.lists(st.lists(_WORDS, max_size=12), max_size=6))
def test_texts_in_any_order_are_counted_as_by_hand(level: str, texts: list[list[str]]) -> None:
    sources = [(str(number), " ".join(words)) for number, words in enumerate(texts)]
    options = Options(level=level)
    sink = StatisticsSink(options=options)
    found: list[urisieve.Record | urisieve.Rejection] = []
    for batch in extract_batches(sources, options=options):
        sink.take(batch)
        found += batch.found()
    sink.close()
    statistics = sink.statistics(top=ALL)
    assert counted(statistics) == by_hand(found)
    assert statistics.merges.unexplained == 0
    assert (statistics.merges.merged > 0) == bool(statistics.merges.rules)


@pytest.mark.long
def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    lines = Path("samples/access.log").read_bytes()
    log.write_bytes(lines * (9_000_000 // len(lines)))  # several parts
    (tmp_path / "mail.mbox").write_bytes(Path("samples/mail.mbox").read_bytes() * 20)
    one, *others = [collect_statistics([tmp_path], jobs=jobs).as_dict() for jobs in (1, 2)]
    assert all(other == one for other in others)
    assert one["timeline"]["undated"] == 0


LINKS = """\
2026-11-20T09:00:00Z see http://a.example/ and http://b.example/
2026-11-21T10:00:00Z see http://A.example and http://u:hush@c.example/
2026-11-19T08:00:00Z see http://a.example:80/, http://B.example/
nothing http://u:hush@c.example/ http://d.example/
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("limit", [None, 1_000_000])
def test_the_links_that_come_most(tmp_path: Path, limit: int | None) -> None:
    for name in ("one.log", "two.log"):
        (tmp_path / name).write_text(LINKS)
    (tmp_path / "more.txt").write_text("".join(f"http://{number}.more.example/\n" for number in range(20_000)))
    found = collect_statistics(tmp_path, top=3, links=True, memory_limit=limit)
    assert [tuple(link) for link in found.links] == [
        ("http://a.example/", 6, 2, 3, "2026-11-19T08", "2026-11-21T10"),
        ("http://b.example/", 4, 2, 2, "2026-11-19T08", "2026-11-20T09"),
        ("http://u:***@c.example/", 4, 2, 1, "2026-11-19T08", "2026-11-21T10"),
    ]
    assert found.hosts.as_dict()["rows"][0] == {
        "name": "a.example",
        "count": 6,
        "distinct": 1,
        "sources": 2,
        "spellings": 3,
        "first_time": "2026-11-19T08",
        "last_time": "2026-11-21T10",
    }
    assert found.as_dict()["links"][0]["spellings"] == 3
    assert "hush" not in str(found)
    assert collect_statistics(tmp_path, top=3, times=False, links=True).links[0].first_time is None
    assert collect_statistics(tmp_path).links == ()


_HOST_WORDS = st.sampled_from(
    [
        *("http://a.example/", "http://A.example/", "http://a.example", "http://a.example/x", "HTTP://A.example/x"),
        *("https://a.example:443/", "http://b.example/", "http://xn--mller-kva.example/", "http://m\xfcller.example/"),
    ]
)


@given(texts=st.lists(st.tuples(st.sampled_from("abc"), st.lists(_HOST_WORDS, max_size=8)), max_size=8))
def test_sources_and_spellings_of_hosts(texts: list[tuple[str, list[str]]]) -> None:
    sink = StatisticsSink(links=True)
    sources: dict[str, set[str]] = {}
    spellings: dict[str, set[str]] = {}
    for batch in extract_batches([(source, " ".join(words)) for source, words in texts]):
        sink.take(batch)
        for record in batch:
            assert record.host is not None
            sources.setdefault(record.host, set()).add(record.source or "")
            spellings.setdefault(record.host, set()).add(record.raw)
    sink.close()
    hosts = sink.statistics(top=ALL).hosts
    counted = {row.name: host[:2] for row, host in zip(hosts.rows, hosts.details, strict=True)}
    assert counted == {host: (len(sources[host]), len(spellings[host])) for host in sources}


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from((None, "2024", "2023", "2025", "--05")))))
def test_first_and_last_times(came: list[tuple[str, str | None]]) -> None:
    times = FirstLastTimes()
    for some in (came[::2], came[1::2]):
        times.add([name for name, _ in some], [time for _, time in some])
    for name in "abcd":
        dated = [time for other, time in came if other == name and time is not None]
        assert times.of(name) == ((min(dated), max(dated)) if dated else (None, None))


def test_times_of_names_beyond_the_limit_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.sinks.statistics.time_counts._MOST", 2)
    times = FirstLastTimes()
    times.add("abca", ["2024", "2023", "2025", "2022"])
    assert (times.of("a"), times.of("c"), times.is_whole) == (("2022", "2024"), (None, None), False)


def test_columns_of_the_sink_are_those_that_it_takes() -> None:
    sink = StatisticsSink()
    for batch in extract_batches(["http://a.example/"], columns=sorted(sink.columns)):
        sink.take(batch)
    assert (sink.found, dict(sink.hosts), dict(sink.kinds), dict(sink.sources)) == (
        1,
        {"a.example": 1},
        {"uri": 1},
        {None: 1},
    )
    (batch,) = extract_batches(["http://a.example/"], columns=["uri"])
    with pytest.raises(UsageError, match="'raw'"):
        sink.take(batch)


MERGES = [
    # first                             raw                          rules
    ("http://a.example/", "HTTP://a.example/", "scheme-case"),
    ("HTTP://a.example", "http://a.example", "scheme-case"),
    ("HTTP://a.example", "HTTP://a.example:80/", "default-port empty-path"),
    ("http://a.example/%7ea", "http://a.example/~a", "unreserved"),
    ("http://a.example/%7ea", "http://a.example/%7Ea", "unreserved"),
    ("http://a.example/%c3", "http://a.example/%C3", "triplet-case"),
    ("http://a.example/./b/c", "http://a.example/b/./c", "dot-segments"),
    ("http://a.example:/", "http://a.example:80/", "empty-port default-port"),
    ("http://ä.example/", "http://xn--4ca.example/", "iri-to-uri a-labels"),
    ("urn:isbn:0395363411", "urn:ISBN:0-395-36341-1", "nid-case namespace-rule"),
    ("http://a.exa\nmple/", "http://a.example/", "white-space"),
    ("x", "http://a.example/", "reading"),
    # Text in which a reader has replaced something before it was judged.
    ("http://a.example/?b&amp;c", "http://a.example/?b&c", "reading"),
]


@pytest.mark.parametrize(("first", "raw", "rules"), MERGES)
def test_rules_that_made_two_spellings_the_same(first: str, raw: str, rules: str) -> None:
    record = urisieve.parse(raw)
    assert merging_rules(first, raw, record.uri, record.key, Options()) == tuple(rules.split())


def test_merges_have_examples_without_passwords() -> None:
    sink = StatisticsSink()
    text = "http://joe:hunter2@a.example/ HTTP://joe:hunter2@a.example/ http://joe:hunter2@b:x/ http://joe:hunter2@c.example/"
    for batch in extract_batches([text]):
        sink.take(batch)
    whole = sink.statistics().as_dict()
    assert "hunter2" not in str(whole)
    assert whole["merges"]["rules"][0] == {
        "rule": "scheme-case",
        "meaning": "the scheme is in lower case",
        "count": 1,
        "examples": [
            {
                "raw": "HTTP://joe:***@a.example/",
                "first": "http://joe:***@a.example/",
                "uri": "http://joe:***@a.example/",
            }
        ],
    }


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "ä", "\udc80", None, *map(str, range(20))]), st.booleans())))
def test_names_beyond_the_limit_are_counted_exactly_on_disk(names: list[tuple[str | None, bool]]) -> None:
    few, many = NameCounts(most=3), NameCounts()
    for name, fresh in names:
        for counts in (few, many):
            counts.add({name: 1}, {name: 1} if fresh else {})
    assert few.ranking(5) == many.ranking(5)
    assert few.counter() == many.counter() == Counter(name for name, _ in names)
    few.close()


@pytest.mark.parametrize("names", [["a", "b", "c", "d"], [None, "a" * 60_000, "b" * 60_000]])
def test_the_name_beyond_the_limit_goes_to_disk(
    names: list[str | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urisieve.sinks.statistics.name_counts._SIZE", 100_000)
    counts = NameCounts(str(tmp_path / "missing"), most=3)
    for name in names[:-1]:
        counts.add({name: 1}, {})
        counts.add({name: 1}, {})
    with pytest.raises(OutputError, match="missing"):
        counts.add({names[-1]: 1}, {})


def test_first_spellings_beyond_the_limit_are_found_on_disk(tmp_path: Path) -> None:
    spellings = FirstSpellings(str(tmp_path), most=3)
    for number in range(10):
        spellings.add(f"http://{number}/", f"HTTP://{number}/\udc80")
    assert [spellings.get(f"http://{number}/") for number in (0, 9, 10)] == [
        "HTTP://0/\udc80",
        "HTTP://9/\udc80",
        "http://10/",
    ]
    spellings.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("texts", [["a", "b", "c", "d"], ["a" * 50, "b" * 50]])
def test_the_spelling_beyond_the_limit_goes_to_disk(
    texts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urisieve.sinks.statistics.spelling_counts._FIRST_CHARACTERS", 150)
    spellings = FirstSpellings(str(tmp_path / "missing"), most=3)
    for text in texts[:-1]:
        spellings.add(text, text)
    with pytest.raises(OutputError, match="missing"):
        spellings.add(texts[-1], texts[-1])


@pytest.mark.parametrize("most", [1, 9_000])
def test_many_and_long_authorities_are_counted_in_pieces(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"foo://{'h' * 900}{number % 7}/{number} http://a.example/{number}" for number in range(40)]
    whole, pieces = StatisticsSink(), StatisticsSink()
    split: list[StatisticsSink] = []
    split_heads = StatisticsSink._split_heads

    def counted_split(sink: StatisticsSink) -> None:
        split.append(sink)
        split_heads(sink)

    monkeypatch.setattr(StatisticsSink, "_split_heads", counted_split)
    for batch in extract_batches(texts):
        whole.take(batch)
    assert not split
    monkeypatch.setattr("urisieve.sinks.statistics.statistics_sink._HEADS", most)
    for text in texts:
        for batch in extract_batches([text]):
            pieces.take(batch)
    assert len(split) > 1  # not only once, at the end
    assert (pieces.hosts, pieces.schemes) == (whole.hosts, whole.schemes)
    assert len(pieces.hosts) == 8


def test_statistics_of_nothing_count_nothing() -> None:
    row = Statistics().as_dict()
    assert [name for name, value in row["merges"].items() if value] == []
    assert [name for name, value in row["funnel"].items() if value] == []
    assert (row["files"], row["bytes"]) == (0, 0)


@pytest.mark.long
def test_a_limit_of_memory_changes_nothing() -> None:
    sinks = [StatisticsSink(), StatisticsSink(memory_limit=1_000_000)]
    texts = [f"HTTP://{number % 30_000}.example http://{number % 40_000}.example/" for number in range(60_000)]
    for batch in extract_batches(["\n".join(texts[start : start + 5_000]) for start in range(0, len(texts), 5_000)]):
        for sink in sinks:
            sink.take(batch)
    one, other = (sink.statistics() for sink in sinks)
    for sink in sinks:
        sink.discard()
    assert one == other
    assert one.funnel.distinct == 40_000
    assert one.funnel.spellings == 70_000


ROWS = Ranking(
    names=4,
    total=1_000_111,
    rows=(
        NameCount("例え.テスト/パス", 1_000_000, 5),
        NameCount("a\x1b[2J\u202e.example", 100, 1),
        NameCount(None, 10, 1),
        NameCount("x" * 300, 1, 1),
    ),
)
HOSTILE = Statistics(
    sources=ROWS,
    warnings=CodeCounts(
        1, (CodeCount("nested", 1, "it lies inside", ("http://\u2066\x9b31m例例例例例例例例例例例例例例例例例例例/",)),)
    ),
    timeline=Timeline(
        TimeUnit.DAY, (TimeCount("--02-29", 3), TimeCount("2024-12-31", 1), TimeCount("2025-01-01", 2)), 4
    ),
    notes=("a note " * 30,),
)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "cp437"])
@pytest.mark.parametrize("width", [40, 59, 60, 80, 200])
def test_text_fits_its_width_and_drives_no_terminal(width: int, encoding: str) -> None:
    lines = list(statistics_lines(HOSTILE, width=width, encoding=encoding))
    assert max(map(text_width, lines)) <= width
    assert all(line.isprintable() for line in lines)
    assert all(line.encode(encoding) for line in lines if line)
    # The numbers of a section stand below each other, whatever is wide in the names.
    start = next(index for index, line in enumerate(lines) if line.startswith("sources"))
    ends = {
        text_width(line[: line.index(number) + len(number)])
        for line, number in zip(lines[start : start + 5], ["found", "1,000,000", "100", "10", " 1 "], strict=True)
    }
    assert len(ends) <= 2  # " 1 " ends with a blank
    assert any(line.strip() == "..." for line in lines)  # between February and December


def test_the_two_spellings_of_a_merge_stand_below_each_other(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("http://a.example/ http://A.example/ http://b.example:x/")
    lines = list(statistics_lines(urisieve.sinks.statistics.collect_statistics([path])))
    assert "    http://A.example/" in lines
    assert "  = http://a.example/" in lines
    assert "    http://b.example:x/" in lines


@pytest.mark.parametrize(("limit", "value", "explained"), [("_PAIRS", 3, 3), ("_CHARACTERS", 100, 3), ("_PAIRS", 9, 9)])
def test_merges_beyond_the_limit_are_counted_and_not_explained(
    limit: str, value: int, explained: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"urisieve.sinks.statistics.spelling_counts.{limit}", value)
    sink = StatisticsSink()
    for batch in extract_batches([f"http://{number}.example/ http://{number}.EXAMPLE/" for number in range(9)] * 2):
        sink.take(batch)
    sink.close()
    found = sink.statistics()
    assert (found.merges.merged, found.merges.unexplained) == (18, 18 - 2 * explained)
    said = f"{18 - 2 * explained} of 18 merged identifiers are counted, but not among the rules"
    assert any(note.startswith(said) for note in found.notes) == (explained < 9)


@pytest.mark.parametrize("top", [0, -1, "5", 1.5, None])
def test_a_number_of_rows_is_checked_before_anything_is_read(top: Any) -> None:
    events: list[urisieve.types.Event] = []
    with pytest.raises(UsageError, match="must be an integer of at least 1"):
        urisieve.sinks.statistics.collect_statistics(SAMPLES, top=top, on_event=events.append)
    assert events == []
    with pytest.raises(UsageError, match="must be an integer of at least 1"):
        StatisticsSink().statistics(top=top)


@pytest.mark.parametrize(("columns", "width"), [(1, 40), (40, 40), (41, 41), (200, 200), (201, 200), (999, 200)])
def test_the_width_of_a_terminal_is_used_within_bounds(
    columns: int, width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "text"
    path.write_text(f"http://{'a.' * 120}example/")
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = call("stats", "--quiet", str(path)).lines
    assert max(map(text_width, lines)) == width


def test_bars_grow_by_eighths_and_anything_is_seen() -> None:
    widths = [bar(count, 80, 10) for count in range(81)]
    assert len(set(widths)) == 81
    assert (widths[0], len(widths[1]), widths[80]) == ("", 1, "\u2588" * 10)
    assert bar(1, 10**9, 10, ascii_only=True) == "#"


def run(*words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    import os

    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    return subprocess.run(
        [sys.executable, "-m", "urisieve", "stats", *words], env={**plain, **(env or {})}, stdin=subprocess.DEVNULL,
        capture_output=True, check=False,
    )  # fmt: skip


def test_the_command_prints_what_the_library_returns() -> None:
    done = run("--format", "json", "--top", "3", *SAMPLES)
    assert (done.returncode, done.stderr.count(b"\n")) == (0, 1)
    expected = json.loads(json.dumps(collect_statistics(SAMPLES, top=3).as_dict()))
    assert json.loads(done.stdout) == expected
    rows = list(csv.DictReader(io.StringIO(run("--format", "csv", "--top", "3", *SAMPLES).stdout.decode())))
    assert {row["name"]: int(row["count"]) for row in rows if row["section"] == "funnel"} == expected["funnel"]
    assert [
        {"name": row["name"], "count": int(row["count"]), "distinct": int(row["distinct"])}
        for row in rows
        if row["section"] == "hosts.rows"
    ] == expected["hosts"]["rows"]


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv", "parquet"])
def test_records_count_as_what_they_were_written_from(kind: str, tmp_path: Path) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow.parquet")
    path = tmp_path / f"links.{kind}"
    urisieve.write_records(urisieve.extract_files(SAMPLES), path, format=kind)
    done = call("stats", "--input", "records", "--format", "json", str(path))
    assert done.status == 0, done.err
    records, texts = json.loads(done.out), collect_statistics(SAMPLES).as_dict()
    for name in ("kinds", "schemes", "hosts", "namespaces", "sources", "warnings"):
        assert [row[:2] for row in rows_of(records[name])] == [row[:2] for row in rows_of(texts[name])]
    assert records["funnel"]["distinct"] == texts["funnel"]["distinct"]


def rows_of(section: dict[str, object]) -> list[tuple[object, ...]]:
    rows = section["rows"]
    assert isinstance(rows, list)
    return [tuple(row.values()) for row in rows]


def test_records_from_standard_input_are_json_lines() -> None:
    lines = Path("samples/access.log.jsonl").read_bytes()
    done = call("stats", "--input", "records", "--format", "json", stdin=lines)
    assert json.loads(done.out)["funnel"]["valid"] == len(lines.splitlines())


@pytest.mark.parametrize("words", ["scheme=http", "host=!*.example", "warning=any"])
def test_filters_choose_among_records_too(words: str) -> None:
    records, log = "samples/access.log.jsonl", "samples/access.log"
    one = json.loads(call("stats", "--input", "records", "--format", "json", "--only", words, records).out)
    other = json.loads(call("stats", "--format", "json", "--only", words, log).out)
    every = json.loads(call("stats", "--format", "json", log).out)
    assert one["funnel"]["valid"] == other["funnel"]["valid"] < every["funnel"]["valid"]
    assert one["schemes"]["rows"] == other["schemes"]["rows"]


@pytest.mark.parametrize("kind", ["text", "json", "csv"])
def test_defanged_statistics_hold_no_link(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    text = b'HTTP://a.example http://a.example/ http://b.example:9x/ http://c.example:99999/ "http://d.example/x"'
    plain = call("stats", "--format", kind, stdin=text)
    done = call("stats", "--format", kind, "--safe", "defang", stdin=text)
    assert b"://b.example" in plain.out
    assert b"hxxp://b[.]example:9x/" in done.out
    for name in (b"a.example", b"b.example", b"c.example", b"d.example", b"http://"):
        assert name not in done.out, name
    assert len(done.lines) == len(plain.lines)


def test_colours_bars_and_width_follow_the_output(tmp_path: Path) -> None:
    assert b"\x1b" not in run("samples/access.log").stdout
    assert b"\x1b[1m" in run("--color", "always", "samples/access.log").stdout
    for color, is_colored in (("always", True), ("auto", False), ("never", False)):
        path = tmp_path / color
        call("stats", "--color", color, "-o", str(path), "samples/access.log")
        assert (b"\x1b[1m" in path.read_bytes()) == is_colored
    narrow = run("samples/access.log", env={"COLUMNS": "40", "PYTHONIOENCODING": "utf-8"}).stdout.decode()
    assert max(map(text_width, narrow.splitlines())) <= 40
    assert "\u2588" in narrow
    plain = run("samples/access.log", env={"PYTHONIOENCODING": "ascii"}).stdout
    assert plain.isascii()
    assert b"###" in plain
    path = tmp_path / "hosts"
    wide = call("stats", "-o", str(path), stdin="http://bücher.example/ http://[::1".encode())
    assert (wide.status, "###" in path.read_text("utf-8"), "\u2588" in path.read_text("utf-8")) == (0, False, True)


def test_what_is_asked_wrongly_is_said_in_a_line(tmp_path: Path) -> None:
    for words, message in (
        (["--top", "0"], "is not a number of rows"),
        (["--input", "records", "--schemes", "ftp", "x.jsonl"], "--schemes does not go with it"),
        (["--input", "records", "--read", "all-parts", "x.jsonl"], "do not go with it"),
        (["--format", "json", "--color", "always"], "--color is for --format text"),
    ):
        done = call("stats", *words)
        assert (done.status, done.out) == (2, b""), words
        assert message in done.err
    assert (
        call("stats", "--input", "mail", "--read", "all-parts", "samples/mail.mbox").status == 0
    )  # unlike --input records
    empty = tmp_path / "empty"
    empty.write_text("nothing here")
    assert call("stats", str(empty)).status == 1
    assert call("stats", str(tmp_path / "missing")).status == 2
    with pytest.raises(UsageError, match="top=0"):
        collect_statistics(["samples"], top=0)
    with pytest.raises(UsageError, match="must be a path, or a sequence"):
        collect_statistics(None)  # type: ignore[arg-type]
    assert collect_statistics("samples/access.log") == collect_statistics(["samples/access.log"])  # H3


def test_without_the_public_suffix_list_a_note_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from urisieve.rules import registry

    def missing() -> None:
        raise UsageError("pip install 'urisieve[domains]'")

    monkeypatch.setattr(registry, "check_domains", missing)
    found = collect_statistics(["samples/access.log"])
    assert found.domains is None
    assert "urisieve[domains]" in found.notes[0]
    assert found.as_dict()["domains"] is None


def test_sieve_into_fills_a_sink_with_times() -> None:
    sink = StatisticsSink(times=True)
    tally = sieve_into(["samples/mail.mbox"], sink)
    timeline = sink.statistics(tally=tally).timeline
    assert timeline is not None
    assert (timeline.unit, timeline.undated, timeline.rows[0]) == (TimeUnit.HOUR, 0, TimeCount("2026-11-21T09", 9))


def test_times_that_cannot_be_true_are_said(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("1969-05-31T13:05:07Z http://a.example/\n")
    found = collect_statistics([path])
    assert found.as_dict()["timeline"] == {
        "unit": "hour",
        "rows": [],
        "undated": 0,
        "impossible": 1,
        "first": None,
        "last": None,
    }
    assert "(before 1970, after tomorrow)" in call("stats", "-q", str(path)).out.decode()
    assert "timeline,impossible,1" in call("stats", "-q", "--format", "csv", str(path)).out.decode()


def test_events_in_the_future_are_possible(tmp_path: Path) -> None:
    alarm = "BEGIN:VALARM\r\nATTACH:http://b.example/\r\nEND:VALARM\r\n"
    event = f"BEGIN:VEVENT\r\nDTSTART:{{}}\r\nURL:http://a.example/\r\n{alarm}END:VEVENT\r\n"
    events = "".join(map(event.format, ("20910601T120000Z", "19690601T120000Z")))
    (tmp_path / "a.ics").write_text(f"BEGIN:VCALENDAR\r\n{events}END:VCALENDAR\r\n")
    (tmp_path / "a.log").write_text("2091-06-01T12:00:00Z http://a.example/\n")
    (tmp_path / "a.vcf").write_text("BEGIN:VCARD\r\nREV:20910601T120000Z\r\nURL:http://a.example/\r\nEND:VCARD\r\n")
    found = collect_statistics([tmp_path], links=True)
    assert found.timeline is not None
    assert (found.timeline.rows, found.timeline.impossible) == ((TimeCount("2091-06-01T12", 2),), 4)
    assert {link.last_time for link in found.links} == {"2091-06-01T12"}


def test_hosts_are_added_up_by_registrable_domain(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text(
        "http://a.b.example.co.uk/ http://c.example.co.uk/ http://C.example.co.uk/ http://127.0.0.1/ urn:example:a "
        "http://example.org/ mailto:a@example.org http://localhost/"
    )
    domains = collect_statistics([path]).domains
    assert domains is not None
    assert [tuple(row) for row in domains.rows] == [("example.co.uk", 3, 2), ("example.org", 1, 1)]
    assert (domains.names, domains.total) == (2, 4)


_DATED = "{}T13:05:07Z http://a.example/\n"
_MONTHS = [f"0{month}-11" for month in range(1, 10)]
_FIRST_LAST = (
    # The days of lines; the unit, the first and the last hour.
    (["2024-05-31", "2024-05-30"], "hour", "2024-05-30T13", "2024-05-31T13"),
    (["2024-05-31"], "hour", "2024-05-31T13", "2024-05-31T13"),
    ([f"{year}-{day}" for year in (2023, 2011, 2017) for day in _MONTHS], "hour", "2011-01-11T13", "2023-09-11T13"),
    ([f"{year}-{day}" for year in range(2010, 2024) for day in _MONTHS], "year", "2010-01-11T13", "2023-09-11T13"),
    (["1969-01-01", "2091-01-01"], "hour", None, None),
    (["1969-01-01", "2024-05-31", "2091-01-01"], "hour", "2024-05-31T13", "2024-05-31T13"),
)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("days", "unit", "first", "last"), _FIRST_LAST)
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_first_and_the_last_hour_do_not_depend_on_the_unit(
    days: list[str], unit: str, first: str | None, last: str | None, jobs: str, tmp_path: Path
) -> None:
    paths = [tmp_path / name for name in ("a.log", "b.log")]
    for number, path in enumerate(paths):
        path.write_text("".join(_DATED.format(day) for day in days[number::2]))
    command = ("stats", "-q", "-j", jobs, *map(str, paths), "-f")
    found = json.loads(call(*command, "json").out)["timeline"]
    assert (found["unit"], found["first"], found["last"]) == (unit, first, last)
    assert (f"  first {first}, last {last}\n" in call(*command, "text").out.decode()) is (first is not None)
    assert (f"timeline,first,,,,{first}\r\n" in call(*command, "csv").out.decode()) is (first is not None)


def test_times_without_a_year_are_neither_first_nor_last(tmp_path: Path) -> None:
    path = tmp_path / "syslog"
    path.write_text("May 31 13:05:07 host app: http://a.example/\n")
    timeline = collect_statistics([path]).timeline
    assert timeline is not None
    assert (timeline.rows[0].time, timeline.first, timeline.last) == ("--05-31T13", None, None)
