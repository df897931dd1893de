"""Fields, templates, hosts, defanged output and filters, of the command and of the library."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urisieve.runs.run
from tests.helpers.cli_support import call
from tests.helpers.folders import SAMPLES
from urisieve import (
    Batch,
    Filter,
    KeySet,
    Options,
    Record,
    Tally,
    UsageError,
    extract,
    extract_batches,
    parse,
    read_records,
    registrable_domain,
    sieve_into,
    write_records,
)
from urisieve.options import Format
from urisieve.records.field_table import FIELDS, RECORD_NAMES
from urisieve.sinks import FormatSettings, RecordSink, open_output
from urisieve.sinks.record_formats import record_format

NAMES = [*RECORD_NAMES, "domain", "surt"]
TEXTS = sorted(str(path) for path in SAMPLES.iterdir() if path.suffix in (".log", ".txt", ".xml", ".mbox"))
# Absent and empty values, separators and quotation marks in values, a password, IRIs, URNs, a line break inside.
TEXT = (
    "http://b.example?a,b&c='d' <http://a.exam\n ple/x> http://u:secret@c.example:8080/%22#f ftp://d.example/;a=\t"
    "URN:ISBN:0-395-36341-1 mailto:a@b.example http://ü.example/ä http://אב.example/ג? tel:+1-555-0100 news:a.b\n"
    'http://[2001:db8::1]/?q "http://e.example/?" http://www.sub.example.co.uk/a,b\n'
) * 3


def read(data: bytes, kind: str) -> list[dict[str, Any]]:
    if kind == "jsonl":
        return [json.loads(line) for line in data.decode().splitlines()]
    text = io.StringIO(data.decode(), newline="")
    return list(csv.DictReader(text, dialect="excel-tab" if kind == "tsv" else "excel"))


def with_derived(row: dict[str, Any], kind: str) -> dict[str, Any]:
    domain = registrable_domain(row["host"]) if row["host"] else None
    surt = parse(row["uri"]).surt
    return {**row, "domain": domain if domain is not None or kind == "jsonl" else "", "surt": surt}


# ---------------------------------------------------------------- fields


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv"])
@pytest.mark.parametrize("path", TEXTS)
def test_fields_are_those_of_whole_records_in_the_order_asked_for(path: str, kind: str) -> None:
    whole = read(call("extract", "--format", kind, "--show-passwords", path).out, kind)
    expected = [with_derived(row, kind) for row in whole]
    assert expected
    for names in (
        ["uri", "host", "line"],
        NAMES[::-1],
        ["domain"],
        ["surt"],
        ["byte_start", "source", "warnings", "nss"],
    ):
        found = call("extract", "--format", kind, "--show-passwords", "--fields", ",".join(names), path)
        rows = read(found.out, kind)
        assert [list(row) for row in rows] == [names] * len(expected)
        assert rows == [{name: row[name] for name in names} for row in expected]


def test_all_fields_are_the_whole_record_to_the_byte() -> None:
    for kind in ("jsonl", "csv", "tsv"):
        flags = ("--fields", ",".join(RECORD_NAMES)), ()
        one, other = (call("extract", "--format", kind, *more, *TEXTS).out.splitlines() for more in flags)
        # The digests of passwords differ from run to run.
        assert [re.sub(b"[0-9a-f]{16}", b"", line) for line in one] == [
            re.sub(b"[0-9a-f]{16}", b"", line) for line in other
        ]


def test_text_is_tsv_without_a_header() -> None:
    table = call("extract", "--format", "tsv", "--fields", "host,raw,start", stdin=TEXT.encode()).out
    text = call("extract", "--fields", "host,raw", "--fields", "start", stdin=TEXT.encode()).out
    assert text == table.partition(b"\n")[2]
    hosts = call("extract", "--fields", "host", stdin=b"http://a.example/ urn:isbn:0395363411 ftp://b.example/").lines
    assert hosts == ["a.example", "", "b.example"]


@pytest.mark.parametrize("kind", [kind for kind in Format if kind is not Format.PARQUET])
@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True), st.booleans(), st.booleans())
def test_the_kernel_and_python_write_the_same(kind: Format, names: list[str], with_spaces: bool, some: bool) -> None:
    text = TEXT if with_spaces else " ".join(TEXT.replace("secret", "").split()).replace("ü", "u")
    (batch,) = extract_batches([("a\tb", text)])
    rows = Batch.of(list(batch))
    assert rows.layout.harvest is None
    lines = record_format(FormatSettings(kind, fields=tuple(names)))
    indices = list(range(1, len(batch), 2)) if some else None
    assert lines.encoded(batch, indices) == lines.encoded(rows, indices)
    assert b"".join(lines.each(rows, indices)) == lines.encoded(rows, indices)
    template = record_format(FormatSettings(Format.TEXT, template="%s {{" + "|".join(f"{{{name}}}" for name in names)))
    assert template.encoded(batch, indices) == template.encoded(rows, indices)


def test_fields_of_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet

    path = str(tmp_path / "links.parquet")
    for more in ((), ("--unique",)):
        names = ["host", "line", "domain", "warnings", "part", "uri"]
        call("extract", "--format", "parquet", "--fields", ",".join(names), *more, "-o", path, *TEXTS)
        table = pyarrow.parquet.read_table(path)
        assert table.column_names == names
        rows = read(call("extract", "--format", "jsonl", "--fields", ",".join(names), *more, *TEXTS).out, "jsonl")
        assert table.to_pylist() == rows
    call(
        "extract",
        "--format",
        "parquet",
        "--safe",
        "defang",
        "--fields",
        "raw,host,line,alternatives",
        "-o",
        path,
        TEXTS[0],
    )
    rows = read(
        call(
            "extract", "--format", "jsonl", "--safe", "defang", "--fields", "raw,host,line,alternatives", TEXTS[0]
        ).out,
        "jsonl",
    )
    assert pyarrow.parquet.read_table(path).to_pylist() == rows


@pytest.mark.sampled(3)
@pytest.mark.parametrize("more", [[], ["--unique"]])
@pytest.mark.parametrize("jobs", ["1", "3"])
def test_fields_of_several_workers(jobs: str, more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urisieve.runs.run, "PART_SIZE", 1_024)
    path = tmp_path / "text"
    path.write_text(
        "".join(f"http://h{number % 70}.example/ http://u:p@x.example/\n" for number in range(900)), "utf-8"
    )
    found = call("extract", "--jobs", jobs, *more, "--fields", "line,host,start", "--only", "host=!x.*", str(path))
    firsts = range(70) if more else range(900)
    assert [line.split("\t")[:2] for line in found.lines] == [[str(n + 1), f"h{n % 70}.example"] for n in firsts]
    assert "900 found, 900 left out by filters" in found.err


def test_library_writes_fields(tmp_path: Path) -> None:
    records = list(extract(TEXT))
    path = tmp_path / "links.csv"
    assert write_records(records, path, format="csv", fields=["host", "uri"], show_passwords=True) == len(records)
    rows = read(path.read_bytes(), "csv")
    assert [(row["host"], row["uri"]) for row in rows] == [(record.host or "", record.uri) for record in records]
    assert write_records(records, path, format="text", form="host") == sum(
        record.host is not None for record in records
    )
    assert path.read_text().splitlines() == [record.host for record in records if record.host is not None]
    names = ["key", "uri", "schema"]
    write_records(records, path, format="csv", fields=names, show_passwords=True)
    assert [record.uri for record in read_records(path)] == [record.uri for record in records]


# ---------------------------------------------------------------- templates

ROWS = [
    ("{uri}", "http://u:***@a.example:81/p%22?q#f"),
    ("{scheme}://{host}{path}", "http://a.example/p%22"),
    (r"{host}\t{port}\n{line}\\", "a.example\t81\n1\\"),
    ("{{{host}}} 100% %s {{}}", "{a.example} 100% %s {}"),
    ("{nid}|{warnings}|{alternatives}|", "|userinfo-present password-present||"),
    ("{host}{host}", "a.examplea.example"),
    ("{host} ü\N{SNOWMAN}", "a.example ü\N{SNOWMAN}"),
]


@pytest.mark.parametrize(("template", "line"), ROWS)
def test_templates(template: str, line: str, tmp_path: Path) -> None:
    text = "http://u:p@a.example:81/p%22?q#f"
    assert call("extract", "--template", template, stdin=text.encode()).out.decode() == f"{line}\n"
    path = tmp_path / "out"
    write_records(extract(text), path, format="text", template=template)
    assert path.read_text("utf-8") == f"{line}\n"


def test_values_in_a_template_stay_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a\nb\x1b.txt"
    path.write_text("<http://a.exam\r\n ple/x>")
    found = call("extract", "--template", "{source}|{raw}", str(path))
    assert (
        found.out.decode()
        == f"{tmp_path}/a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}.txt|http://a.exam   ple/x\n"
    )


REFUSED = [
    (["--fields", "hots"], "there is no field 'hots'; did you mean 'host'?"),
    (["--fields", "date"], "there is no field 'date'; there are "),
    (["--fields", "date"], ", time, "),
    (["--fields", "uri,uri"], "the field 'uri' is named twice"),
    (["--fields", "uri", "--fields", "uri"], "uri is named twice"),
    (["--fields", ","], "no field is named"),
    (["--template", "{urj}"], "there is no field 'urj'; did you mean 'uri'?"),
    (["--template", "{uri!r}"], "{uri!r} is not the name of a field"),
    (["--template", "{uri.x}"], "{uri.x} is not the name of a field"),
    (["--template", "{uri[0]}"], "{uri[0]} is not the name of a field"),
    (["--template", "{uri:>9999999999}"], "{uri:>9999999999} is not the name of a field"),
    (["--template", "{uri:{host}}"], "a { stands alone"),
    (["--template", "{}"], "{} is not the name of a field"),
    (["--template", "a}"], "a } stands alone"),
    (["--template", "{uri"], "a { stands alone"),
    (["--template", r"{uri}\x41"], r"\x is not an escape"),
    (["--template", "{uri}\\"], "\\ is not an escape"),
    (["--template", "{{uri}}"], "names no field"),
    (["--template", "{uri}", "--fields", "uri"], "give one of them"),
    (["--template", "{uri}", "--format", "csv"], "--template is for --format text"),
    (["--form", "iri", "--fields", "uri"], "--form does not go with --fields"),
    (["--form", "host", "--template", "{uri}"], "--form does not go with --template"),
    (["--form", "host", "--format", "jsonl"], "ask jsonl for --fields host"),
    (["--form", "iri", "--format", "jsonl"], "--form is for --format text"),
    (["--color", "always", "--format", "jsonl"], "--color is for --format text"),
    (["--only", "kind=urm"], "'urm' is not a kind; did you mean 'urn'?"),
    (["--only", "warning=pasword-present"], "did you mean 'password-present'?"),
    (["--only", "domain=a..b"], "'a..b' is not a domain"),
    (["--only", "domain=http://a.example/"], "is not a domain"),
    (["--only", "host=!"], "is not a word"),
    *(
        (["--only", f"host={word}"], f"hosts: {word!r} is no host, nor a pattern of one, such as *.example.com")
        for word in ("https://shop.example/", "shop.example/", "joe@shop.example", "shop.example:80", "a b")
    ),
    *((["--only", f"scheme={word}"], f"{word!r} is not the name of a scheme") for word in ("https://", "http*")),
    (["--only", "scheme=web"], "schemes: 'web' is no scheme: name them, as http and https"),
    (["--only", "scheme=,"], "nothing is named"),
]


@pytest.mark.parametrize(("flags", "message"), REFUSED)
def test_what_is_refused_before_the_run(flags: list[str], message: str) -> None:
    found = call("extract", *flags, stdin=b"http://a.example/")
    (said,) = found.err.splitlines()
    assert (found.status, found.out, message in said) == (2, b"", True), said


def test_misuse_of_the_library(tmp_path: Path) -> None:
    path = tmp_path / "out"
    for wrong in (
        {"fields": ["urj"]},
        {"fields": "uri"},
        {"fields": ["uri"], "template": "{uri}", "format": "text"},
        {"template": "{uri}"},
        {"template": "{uri!r}", "format": "text"},
        {"fields": ["uri"], "form": "iri", "format": "text"},
    ):
        with pytest.raises(UsageError):
            write_records([], path, **wrong)
    assert not path.exists()


# ---------------------------------------------------------------- hosts and domains


def test_each_host_once() -> None:
    text = "http://A.example/1 urn:isbn:0395363411 http://b.example/ https://a.example/2 http://www.b.example:81/"
    found = call("extract", "--form", "host", "--unique", stdin=text.encode())
    assert found.lines == ["a.example", "b.example", "www.b.example"]
    assert "4 found, 1 left out without a host, 3 unique" in found.err
    assert call("dedupe", "--form", "host", stdin=text.encode()).lines == found.lines
    assert call("extract", "--form", "host", stdin=text.encode()).lines == [
        *("a.example", "b.example", "a.example", "www.b.example")
    ]
    domains = call("extract", "--form", "domain", "--unique", stdin=f"{text} http://192.0.2.1/".encode())
    assert domains.lines == ["a.example", "b.example"]
    assert "4 found, 2 left out without a registrable domain, 2 unique" in domains.err


def test_no_host_at_all_is_nothing_found() -> None:
    assert call("extract", "--form", "host", stdin=b"urn:isbn:0395363411").status == 1


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv", "parquet"])
def test_hosts_of_records(kind: str, tmp_path: Path) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    path = str(tmp_path / "links")
    write_records(extract(TEXT), path, format=kind)
    found = call("dedupe", "--input", kind, "--form", "host", "--only", "scheme=!ftp", path)
    hosts = list(dict.fromkeys(record.host for record in extract(TEXT) if record.host and record.scheme != "ftp"))
    assert found.lines == hosts
    assert "left out by filters" in found.err


@pytest.mark.parametrize("flag", ["--store", "--checkpoint"])
def test_a_store_keeps_keys(flag: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_text(TEXT)
    output = ["-o", str(tmp_path / "out")]
    found = call("dedupe", "--form", "host", flag, str(tmp_path / "state"), *output, str(tmp_path / "text"))
    assert (found.status, "--form host does not go with --store" in found.err) == (2, True)


# ---------------------------------------------------------------- filters

LINKS = (
    "http://www.example.com/ https://example.com/ http://badexample.com/ ftp://files.example.com./x "
    "http://bücher.example/ http://www.bücher.example/ http://192.0.2.1/ http://u:p@x.example/ "
    "urn:isbn:0395363412 mailto:a@example.com http://[2001:db8::1]/ http://a.example/ä"
)
# Words of a filter, and the identifiers that are left of those above, by their numbers.
CHOSEN = [
    ({"kinds": "urn"}, {8}),
    ({"kinds": ["iri", "urn"]}, {4, 5, 8, 11}),
    ({"kinds": "!uri"}, {4, 5, 8, 11}),
    ({"schemes": "HTTPS"}, {1}),
    ({"schemes": ["http:", "!https"]}, {0, 2, 4, 5, 6, 7, 10, 11}),
    ({"domains": "example.com"}, {0, 1, 3, 9}),
    ({"domains": "EXAMPLE.com."}, {0, 1, 3, 9}),
    ({"domains": "com"}, {0, 1, 2, 3, 9}),
    ({"domains": "www.example.com"}, {0}),
    ({"domains": "ample.com"}, set()),
    ({"domains": "BÜCHER.example"}, {4, 5}),
    ({"domains": "xn--bcher-kva.example"}, {4, 5}),
    ({"domains": ["example", "!bücher.example"]}, {7, 11}),
    ({"domains": "192.0.2.1"}, {6}),
    ({"domains": "[2001:db8::1]"}, {10}),
    ({"domains": "2.1"}, {6}),  # a name like any other
    ({"hosts": "*.example.com"}, {0}),
    ({"hosts": "*example.com"}, {0, 1, 2}),
    ({"hosts": "*.BÜCHER.*"}, {5}),
    ({"hosts": "b*"}, {2}),
    ({"hosts": "xn--*"}, {4}),
    ({"hosts": "[wx]*"}, {0, 4, 5, 7}),
    ({"hosts": "[2001:db8::1]"}, {10}),
    ({"hosts": "*", "schemes": "!http"}, {1, 3}),
    ({"hosts": "!*"}, {8, 9}),
    ({"warnings": "password-present"}, {7}),
    ({"warnings": "any"}, {7, 8}),
    ({"warnings": "!any", "kinds": "uri", "schemes": ["https", "ftp"]}, {1, 3}),
    ({"present": "host", "schemes": "!http"}, {1, 3}),
    ({"present": "domain", "kinds": "iri"}, {4, 5, 11}),
    ({}, set(range(12))),
]


@pytest.mark.parametrize(("words", "numbers"), CHOSEN)
def test_filters(words: dict[str, Any], numbers: set[int]) -> None:
    records = list(extract(LINKS))
    (batch,) = extract_batches([LINKS])
    expected = [record.uri for number, record in enumerate(records) if number in numbers]
    for one in (batch, Batch.of(records)):
        kept = one.where(Filter(**words))
        assert kept.column("uri") == expected
        assert [record.as_dict() for record in kept] == [
            record.as_dict() for number, record in enumerate(records) if number in numbers
        ]
    flags = []
    for name, values in words.items():
        if name == "present":
            return
        listed = ",".join([values] if isinstance(values, str) else values)
        flags += (
            [f"--{name}", listed] if name in ("since", "until") else ["--only", f"{name.removesuffix('s')}={listed}"]
        )
    found = call("extract", "--show-passwords", *flags, stdin=LINKS.encode())
    assert found.lines == expected
    assert f"{len(numbers)} found" in found.err
    assert (f"{12 - len(numbers)} left out by filters" in found.err) == (len(numbers) < 12)
    assert found.status == (0 if numbers else 1)


def _hosts(record: Record) -> list[str]:
    """The host of a record, or those of the addresses of a `mailto`."""
    if record.scheme == "mailto":
        return [address.rpartition("@")[2] for address in record.path.split(",")]
    return [record.host or ""]


def slow_fits(record: Record, words: dict[str, list[str]]) -> bool:
    """The definition of a filter, word by word."""
    for name, values in words.items():
        fits = {
            "kinds": lambda word: record.kind == word,
            "schemes": lambda word: record.scheme == word,
            "domains": lambda word: any(f".{host}".endswith(f".{word}") for host in _hosts(record)),
            "warnings": lambda word: word in record.warnings or (word == "any" and bool(record.warnings)),
        }[name]
        wanted = [word for word in values if word[0] != "!"]
        unwanted = [word[1:] for word in values if word[0] == "!"]
        if (wanted and not any(map(fits, wanted))) or any(map(fits, unwanted)):
            return False
    return True


def _words(*words: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from([*words, *(f"!{word}" for word in words)]), max_size=3)


@given(
    st.fixed_dictionaries(
        {
            "kinds": _words("uri", "iri", "urn"),
            "schemes": _words("http", "https", "urn"),
            "domains": _words("example.com", "example", "com", "192.0.2.1"),
            "warnings": _words("any", "password-present", "wrong-check-digit"),
        }
    )
)
def test_filters_are_what_their_definition_says(words: dict[str, list[str]]) -> None:
    records = [record for record in extract(LINKS) if not (record.host or "").endswith(".")]
    kept = Batch.of(records).where(Filter(**words))  # type: ignore[arg-type] # none of them is a list of links
    assert kept.column("uri") == [record.uri for record in records if slow_fits(record, words)]


def test_rejections_stay(tmp_path: Path) -> None:
    text = b"http://a.example/ http://b:x/ urn:isbn:0395363411"
    rejected = tmp_path / "rejected"
    found = call("extract", "--only", "kind=urn", "--rejected", str(rejected), stdin=text)
    assert found.lines == ["urn:isbn:0395363411"]
    assert "1 found, 1 left out by filters, 1 rejected" in found.err
    (row,) = map(json.loads, rejected.read_text().splitlines())
    assert (row["raw"], row["reason"]) == ("http://b:x/", "bad-port")


def test_what_is_left_out_counts_nowhere() -> None:
    text = b"http://u:p@a.example/ http://b.example/"
    assert call("extract", "--fail-on", "password-present", stdin=text).status == 3
    found = call("extract", "--fail-on", "password-present", "--only", "warning=!any", stdin=text)
    assert (found.status, found.lines, "warnings:" in found.err) == (0, ["http://b.example/"], False)
    counts = call("count", "--format", "jsonl", "--only", "host=b.*", stdin=text)
    assert [row["uri"] for row in counts.rows] == ["http://b.example/"]


def test_filters_of_the_library() -> None:
    class Uris:
        def __init__(self) -> None:
            self.uris: list[str] = []

        def take(self, batch: Batch) -> None:
            self.uris += batch.column("uri")

        def close(self) -> None:
            self.uris.append("end")

    sink = Uris()
    tally = sieve_into([SAMPLES / "mail.mbox"], sink, wanted=Filter(kinds="urn"))
    assert (sink.uris, tally.left_out) == (["end"], {"filter": 15})
    with pytest.raises(UsageError, match="no column 'warnings'"):
        next(extract_batches(["http://a.example/"], columns=["uri"])).where(Filter(warnings="any"))
    assert Filter(kinds=["urn", "urn"]) == Filter(kinds="urn")
    assert Filter().is_empty
    counts = Tally()
    counts.take(tally)
    assert (counts.is_empty, tally.is_empty) == (False, True)


def test_a_sink_of_hosts_leaves_out_what_has_none(tmp_path: Path) -> None:
    path = str(tmp_path / "out")
    with open_output(path) as output:
        sink = RecordSink(FormatSettings(Format.TEXT, form=urisieve.options.Form.HOST), output)
        for batch in extract_batches(["urn:isbn:0395363411 http://a.example/"]):
            sink.take(batch)
        sink.close()
    assert Path(path).read_text() == "a.example\n"
    with open_output(path) as output:
        first = urisieve.sinks.FirstSeenSink(
            FormatSettings(Format.TEXT, form=urisieve.options.Form.DOMAIN), output, KeySet()
        )
        tally = sieve_into([SAMPLES / "access.log"], first)
    assert (first.new, tally.left_out) == (3, {"domain": 2})


# ---------------------------------------------------------------- defanged output

FORMATS = [
    [],
    ["--form", "iri"],
    ["--form", "raw"],
    ["--form", "host"],
    ["--unique"],
    ["--format", "jsonl"],
    ["--format", "csv"],
    ["--format", "tsv", "--unique"],
    ["--fields", "raw,uri,iri,key,host,domain,path,query,alternatives"],
    ["--template", "{uri} {raw} {host} {alternatives}"],
]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("flags", FORMATS, ids=" ".join)
def test_defanged_output_holds_no_link(flags: list[str]) -> None:
    found = call("extract", "--accept", "names,addresses", "--safe", "defang", *flags, *TEXTS)
    assert found.status == 0
    live = Options(schemeless=True, email=True)
    text = re.sub(
        r"[^ ,\t\"]*samples/[a-z.!-]*|[0-9.]+@(?:lists|shop)\.example", "", found.out.decode()
    )  # names, Message-IDs
    records = [record for record in extract(text, options=live) if record.scheme[:3] != "hxx"]
    assert [record.raw for record in records if record.kind != "urn"] == []


def test_components_of_urns_by_rfc_2141() -> None:
    text = b"".join(b"urn:example:%d?b=c#d\n" % number for number in range(12))
    found = call("extract", "-f", "csv", "--fields", "uri,path,query,fragment", stdin=text).lines
    assert found[1:] == [f"urn:example:{number}?b=c#d,example:{number}?b=c#d,," for number in range(12)]


def test_many_defanged_rows_hold_no_link() -> None:
    text = b"".join(b"http://a%d.example/\n" % number for number in range(12))
    found = call("extract", "-f", "csv", "--safe", "defang", "--fields", "uri,host", stdin=text).lines
    assert found[1:] == [f"hxxp://a{number}[.]example/,a{number}[.]example" for number in range(12)]


@pytest.mark.parametrize(
    ("uri", "path", "others"),
    [
        (
            "http://e.example/a@b.example/http://x.example?u=http://q.example/#http://f.example",
            "/a@b.example/http:[/]/x.example",
            {"query": "u=http:[/]/q.example/", "fragment": "http:[/]/f.example", "host": "e[.]example"},
        ),
        ("foo://e.example/a@b.example", "/a@b.example", {"host": "e[.]example"}),
        ("mailto:joe@e.example", "joe[@]e[.]example", {"query": None}),
        ("urn:example:a@b.example", "example:a@b.example", {"nss": "a@b.example"}),
        ("sip:bob@e.example", "bob[@]e[.]example", {"parts": {"user": "bob", "host": "e[.]example"}}),
    ],
)
def test_defanged_parts_of_identifiers(uri: str, path: str, others: dict[str, object]) -> None:
    (row,) = call(
        "extract", "--safe", "defang", "-f", "jsonl", "--fields", ",".join(["path", *others]), stdin=uri.encode()
    ).rows
    assert row == {"path": path, **others}


def test_defanged_identifiers_are_read_back() -> None:
    text = "http://a.example/ https://u:p@b.example:81/x.y?http://c.example/ ftp://d.example/"
    defanged = call("extract", "--show-passwords", "--safe", "defang", stdin=text.encode())
    assert defanged.lines[0] == "hxxp://a[.]example/"
    again = call("extract", "--show-passwords", "--accept", "defanged", stdin=defanged.out)
    assert again.lines[:2] == ["http://a.example/", "https://u:p@b.example:81/x.y?http://c.example/"]


def test_defanged_rejections_and_counts(tmp_path: Path) -> None:
    text = b"http://a.example:8x/ http://b.example/ HTTP://b.example"
    rejected = tmp_path / "rejected"
    call("extract", "--safe", "defang", "--rejected", str(rejected), stdin=text)
    assert json.loads(rejected.read_text())["raw"] == "hxxp://a[.]example:8x/"
    counts = call("count", "--safe", "defang", "--spellings", "2", stdin=text)
    assert counts.lines[0].endswith("\thxxp://b[.]example/")
    assert counts.lines[1:] == ["\thxxp://b[.]example/", "\thxxp://b[.]example"]


def test_defanged_texts() -> None:
    text = b"HTTP://a.example\nwww.b.example\nmailto:c@d.example\nurn:isbn:0395363411\n"
    assert call("normalize", "--safe", "defang", "--invalid", "keep", stdin=text).lines == [
        *("hxxp://a[.]example/", "www[.]b[.]example", "mailto[:]c[@]d[.]example", "urn:isbn:0395363411")
    ]
    assert call("check", "--safe", "defang", "http://a.example/", "http://b.example:8x/").lines[:3] == [
        *("valid  hxxp://a[.]example/", "http[://]b[.]example:8x/", "                      ^")
    ]
    row = call("check", "--safe", "defang", "--format", "jsonl", "http://a.example/").rows[0]
    assert (row["uri"], row["host"], row["scheme"]) == ("hxxp://a[.]example/", "a[.]example", "http")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("'http://a.example/b.c' x", "'http[://]a[.]example/b[.]c' x"),
        ("http://a.example:8x/http://b.example/", "hxxp://a[.]example:8x/http:[/]/b.example/"),
        ("http://a.example:8x|http://b.example/", "hxxp://a[.]example:8x|http:[/]/b.example/"),
        ("mailto:c@d.example>", "mailto[:]c[@]d[.]example>"),
        ("www.a.example/%", "www[.]a[.]example/%"),
    ],
)
def test_defanged_texts_that_are_no_identifiers(raw: str, expected: str) -> None:
    kept = call("normalize", "--safe", "defang", "--invalid", "keep", stdin=raw.encode())
    row = call("check", "--safe", "defang", "--format", "jsonl", stdin=raw.encode()).rows[0]
    assert kept.lines == [row["raw"]] == [expected]
    assert "reason" in row


def test_defanged_sources_of_archives(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhttp://a.example/"
    path.write_bytes(
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://evil.example/p\r\n"
        b"Content-Type: application/http\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n" % (len(page), page)
    )
    for flags in (["--format", "jsonl"], ["--fields", "uri,source"], ["--template", "{uri} {source}"]):
        done = call("extract", "--safe", "defang", *flags, str(path))
        assert b"a.warc!hxxp://evil[.]example/p" in done.out
    counts = call("count", "--format", "jsonl", "--safe", "defang", str(path))
    assert b"://evil.example" not in counts.out


def test_one_table_names_all_fields() -> None:
    (record,) = extract("http://a.example/")
    assert list(FIELDS)[: len(record.as_dict())] == list(record.as_dict())


def test_what_the_kernel_lacks_in_a_part_of_mail(tmp_path: Path) -> None:
    links = " ".join(f"http://h{number}.example/{number}" for number in range(40))
    body = base64.encodebytes(links.encode()).decode()  # no byte offsets
    path = tmp_path / "mail.mbox"
    path.write_text(
        "From a@b.example Thu Jan  1 00:00:00 2026\nSubject: x\nMIME-Version: 1.0\nContent-Type: text/plain\n"
        f"Content-Transfer-Encoding: base64\n\n{body}\n"
        f"From a@b.example Thu Jan  1 00:00:00 2026\nSubject: http://s.example/\n\n{links}\n"
    )
    for names in (["byte_end", "host", "wrapper", "warnings", "message"], ["line", "part", "column", "byte_start"]):
        whole = call("extract", "--format", "jsonl", str(path)).rows
        assert {row["byte_end"] is None for row in whole} == {True, False}
        rows = call("extract", "--format", "jsonl", "--fields", ",".join(names), str(path)).rows
        assert rows == [{name: row[name] for name in names} for row in whole]
