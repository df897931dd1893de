"""Which record of each key is kept: by the order of reading or by time, in every format and way of running."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.cli_support import call
from urisieve import Batch, Options, ReadingOptions, UsageError, deduplicate, extract_batches, extract_files, sieve_into
from urisieve.dedupe.keyset import digests
from urisieve.options import Form, Format, Keep
from urisieve.sinks import FormatSettings, KeptSink, open_output

# The newest is read first, as of logs that are rotated; the parameter numbers them.
FILES = {
    "a.log": "2024-05-31T10:00:00Z http://a.example/?utm_source=1\n2024-05-31T12:00:00 http://A.example/?utm_source=2\n",
    "b.log": "http://c.example/?utm_source=3\n2024-05-30T10:00:00.5Z http://a.example/?utm_source=4\n"
    "2024-05-30T11:00:00+02:00 http://b.example/?utm_source=5\n",
    "c.jsonl": '{"ts": 1717000000, "u": "http://a.example/?utm_source=6"}\n{"u": "http://c.example/?utm_source=7"}\n'
    '{"ts": "2024-05-30T09:00:00Z", "u": "http://b.example/?utm_source=8"}\n{"u": "http://b.example/?utm_source=9"}\n',
}
# The records that are kept, in the order of their reading; the two times of b.example are equal.
EXPECTED = {
    Keep.FIRST: "1 3 5",
    Keep.LAST: "6 7 9",
    Keep.EARLIEST: "3 5 6",
    Keep.LATEST: "2 3 5",
}
CONTEXT = ReadingOptions(context=True)
OPTIONS = Options(merge="page")
OF_KEEP = list(EXPECTED.items())
FORMATS = (Format.TEXT, Format.JSONL, Format.CSV, Format.TSV)


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return [str(tmp_path / name) for name in FILES]


def numbers_in(output: bytes, kind: str) -> str:
    """Return the numbers of the records in an output, in its order."""
    text = output.decode()
    if kind == "text":
        raws = text.splitlines()
    elif kind == "jsonl":
        raws = [json.loads(line)["raw"] for line in text.splitlines()]
    else:
        raws = [
            row["raw"] for row in csv.DictReader(text.splitlines(), dialect="excel-tab" if kind == "tsv" else "excel")
        ]
    return " ".join(raw.partition("=")[2] for raw in raws)


@pytest.mark.sampled(41)
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize(("keep", "kept"), OF_KEEP)
@pytest.mark.parametrize("command", [("extract", "-u"), ("dedupe",), ("dedupe", "--memory-limit", "120MB")])
def test_commands_keep_the_record_that_was_asked_for(
    command: Sequence[str], keep: Keep, kept: str, kind: Format, jobs: str, paths: list[str]
) -> None:
    shown = ("--form", "raw") if kind is Format.TEXT else ("--fields", "uri,raw")
    done = call(*command, "--keep", keep, "--merge", "page", "-f", kind, *shown, "-j", jobs, *paths)
    assert numbers_in(done.out, kind) == kept
    assert "3 unique" in done.err


@pytest.mark.parametrize("keep", Keep)
def test_records_of_extract_keep_their_times(keep: Keep, paths: list[str], tmp_path: Path) -> None:
    records = tmp_path / "records.jsonl"
    command = ("extract", "-q", "--merge", "page", "--read", "context", "-f", "jsonl", "-o", str(records))
    assert call(*command, *paths).status == 0
    done = call("dedupe", "-q", "--input", "jsonl", "--keep", keep, "--form", "raw", str(records))
    assert numbers_in(done.out, "text") == EXPECTED[keep]


@pytest.mark.parametrize("keep", Keep)
def test_without_times_the_order_of_reading_counts(keep: Keep, tmp_path: Path) -> None:
    path = tmp_path / "links"
    path.write_text("http://a.example/?utm_source=1\nhttp://b.example/?utm_source=2\nhttp://a.example/?utm_source=3\n")
    done = call("extract", "-qu", "--merge", "page", "--form", "raw", "--keep", keep, str(path))
    assert numbers_in(done.out, "text") == ("2 3" if keep is Keep.LAST else "1 2")


def test_the_field_of_the_time_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"time": "2024-01-01T00:00:00Z", "seen": "2020-02-02", "u": "http://a.example/?utm_source=1"}\n'
        '{"time": "2024-01-02T00:00:00Z", "seen": "2020-02-01", "u": "http://a.example/?utm_source=2"}\n'
    )
    command = ("extract", "-qu", "--merge", "page", "--form", "raw", "--keep", "earliest", str(path))
    assert numbers_in(call(*command).out, "text") == "1"
    assert numbers_in(call(*command, "--time-field", "seen").out, "text") == "2"


@pytest.mark.parametrize("form", [Form.HOST, Form.TEMPLATE])
def test_what_lines_are_counts_once(form: Form, paths: list[str]) -> None:
    done = call("extract", "-qu", "--keep", "earliest", "--form", form, *paths)
    hosts = [line.removeprefix("http://").partition("/")[0] for line in done.out.decode().splitlines()]
    assert hosts == ["c.example", "b.example", "a.example"]


REFUSED = (
    (("extract", "--keep", "earliest"), "--keep earliest needs --unique"),
    (("extract", "--keep", "last"), "--keep last needs --unique"),
    (("extract", "-u", "--keep", "latest", "--follow", "x"), "--follow does not go with --keep latest"),
    (("extract", "-u", "--keep", "latest", "-f", "parquet", "-o", "x"), "does not go with --format parquet"),
    (("extract", "-u", "--keep", "newest"), "--keep"),
    (("dedupe", "--keep", "last", "-f", "parquet", "-o", "x"), "does not go with --format parquet"),
    (("dedupe", "--keep", "earliest", "--store", "s"), "does not go with --store or --checkpoint"),
    (("dedupe", "--keep", "last", "--checkpoint", "s", "-o", "x"), "does not go with --store or --checkpoint"),
    (("dedupe", "--keep", "latest", "--input", "keys"), "keys, which have no times"),
    (("dedupe", "--keep", "latest", "--field", "u", "--input", "jsonl"), "rows of --field are kept as first or last"),
)


@pytest.mark.parametrize(("command", "message"), REFUSED)
def test_what_cannot_be_known_is_refused(command: Sequence[str], message: str) -> None:
    done = call(*command)
    assert done.status == 2
    assert message in done.err


@pytest.mark.sampled(5)
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("limit", [None, 1])
@pytest.mark.parametrize(("keep", "kept"), OF_KEEP)
def test_a_sink_keeps_the_same_on_disk(
    keep: Keep, kept: str, limit: int | None, jobs: int, paths: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with open_output(str(out)) as output:
        settings = FormatSettings(Format.TEXT, Form.RAW, secret=b"secret")
        sink = KeptSink(settings, output, keep, memory_limit=limit, folder=str(tmp_path))
        sieve_into(paths, sink, options=OPTIONS, reading=CONTEXT, jobs=jobs)
    assert numbers_in(out.read_bytes(), "text") == kept
    assert sink.new == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*FILES, "out"])


@pytest.mark.parametrize(("keep", "kept"), OF_KEEP)
def test_deduplicate_keeps_records_by_their_time(keep: Keep, kept: str, paths: list[str]) -> None:
    records = list(extract_files(paths, options=OPTIONS, reading=CONTEXT))
    found = deduplicate(records, keep=keep)
    assert " ".join(record.raw.partition("=")[2] for record in found) == kept


def test_rows_have_no_time(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a str has none"):
        list(deduplicate(["http://a.example/"], keep="earliest"))
    with open_output(str(tmp_path / "out")) as output, pytest.raises(UsageError, match="does not go with Parquet"):
        KeptSink(FormatSettings(Format.PARQUET), output, Keep.EARLIEST)


def test_no_password_is_on_disk(tmp_path: Path) -> None:
    link = "http://u:hunter2@a.example/"
    with open_output(str(tmp_path / "out")) as output:
        settings = FormatSettings(Format.JSONL, secret=b"secret")
        sink = KeptSink(settings, output, Keep.EARLIEST, memory_limit=1, folder=str(tmp_path))
        sink.take(Batch.joined(extract_batches([link], columns=sink.columns)))
        (row,) = list(sink._disk or ())
        sink.close()
    assert row[0] == digests([link])[0]
    assert not any(b"hunter2" in value for value in row if isinstance(value, bytes))
    assert b"hunter2" not in (tmp_path / "out").read_bytes()


_LINES = st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.integers(0, 3)), max_size=12)


@given(lines=_LINES, keep=st.sampled_from(list(Keep)), limit=st.sampled_from([None, 1, 1_500]), cut=st.integers(0, 12))
def test_what_is_kept_is_the_least_whatever_the_batches(
    lines: list[tuple[str, int | None]],
    keep: Keep,
    limit: int | None,
    cut: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("kept")
    rows = [json.dumps({"ts": when and f"2024-01-0{when}", "u": f"http://{host}.example/?utm_source={number}"})
            for number, (host, when) in enumerate(lines)]  # fmt: skip
    path = folder / "a.jsonl"
    path.write_text("".join(f"{row}\n" for row in rows))
    with open_output(str(folder / "out")) as output:
        sink = KeptSink(FormatSettings(Format.TEXT, Form.RAW), output, keep, memory_limit=limit)
        for batch in extract_batches([path], columns=sink.columns, options=OPTIONS, reading=CONTEXT):
            for some in (batch[:cut], batch[cut:]):
                sink.take(some)
        sink.close()

    def rank(number: int) -> tuple[int, int]:
        when = lines[number][1] or None
        if keep is Keep.LAST:
            return -number, 0
        if keep is Keep.FIRST or when is None:
            return (9, number) if keep.is_by_time else (0, number)
        return (when if keep is Keep.EARLIEST else -when), number

    hosts = {host for host, _ in lines}
    best = sorted(min((n for n, (host, _) in enumerate(lines) if host == one), key=rank) for one in hosts)
    assert numbers_in((folder / "out").read_bytes(), "text") == " ".join(map(str, best))
