"""An option that is accepted does what it says; one that would do nothing is refused, in one line (A16)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.cli_support import call
from urisieve.options import Bare

LINK = "http://a.example/"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text(f"{LINK}\n")
    Path("list").write_text("text\n")
    Path("folder").mkdir()
    Path("folder", "member").write_text(LINK)
    Path("rows.jsonl").write_text(f'{{"url":"{LINK}"}}\n')
    Path("records.jsonl").write_bytes(call("extract", "--format", "jsonl", "text").out)


OLD = [
    ("--schemeless --email --refang --nested --repair --zones --unwrap any",
     "--accept names,addresses,defanged,nested,unencoded,zones,wrapped-any"),
    ("--unwrap known", "--accept wrapped"),
    ("--host e.example --kind !urn", "--only host=e.example --only kind=!urn"),
    ("--exclude-schemes http,urn", "--schemes !http,!urn"),
    ("--schemes any --exclude-schemes http", "--schemes any,!http"),
    ("--schemes http,urn --exclude-schemes http", "--schemes http,urn,!http"),
    ("--exclude *.x --include mem*", "--include !*.x --include mem*"),
    ("--hidden --all-parts --binary text", "--read hidden,all-parts,binary"),
    ("--binary skip", "--read no-binary"),
    ("--redact query,path", "--safe no-query,no-path"),
    ("--defang --csv-safe --format csv", "--safe defang,cells --format csv"),
    ("--known-schemes foo,bar", "--schemes default,+foo,+bar"),
    ("--schemes foo,urn --known-schemes foo", "--schemes +foo,urn"),
    ("--schemes registered --known-schemes foo --exclude-schemes urn", "--schemes registered,+foo,!urn"),
    *((f"--bare {kind}", f"--accept {kind}") for kind in Bare),
    ("--bare doi,isbn --bare ark", "--accept ark,isbn,doi"),
    ("--accept doi --bare isbn", "--accept doi,isbn"),
    ("--bare handle --accept names,addresses --refang", "--accept handle,names,addresses,defanged"),
    ("--spoofing", "--protect any"),
    ("--spoofing --protect a.example", "--protect a.example,any"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), OLD)
@pytest.mark.parametrize("command", ["extract", "dedupe", "stats"])
def test_old_spellings_do_what_the_new_ones_do(command: str, old: str, new: str) -> None:
    text = (
        "hxxp://e[.]example/ www.a.example j@b.example http://c.example/?u=http%3A%2F%2Fd.example urn:a:b "
        "http://[fe80::1%e]/ http://e.example/| foo:a bar:b foo://a http://\u0430.a.example/ "
        "doi 10.1000/182 ISBN 0-395-36341-1 ISSN 0317-8471 ORCID 0000-0002-1825-0097 ARK 12148/btv1 hdl 2027/x"
    )
    Path("folder", "more").write_text(text)
    Path("folder", ".hidden").write_text("http://hidden.example/")
    Path("folder", "binary").write_bytes(b"http://binary.example/" + bytes(99))
    before, now = (call(command, *words.split(), "folder") for words in (old, new))
    assert (before.status, before.out) == (now.status, now.out)
    told = [line for line in before.err.splitlines() if line.endswith(" with the next version")]
    flags = {word for word in old.split() if word.startswith("--")} - {
        "--schemes",
        "--include",
        "--protect",
        "--format",
        "--accept",
    }
    assert len(told) == len(flags)
    assert "next version" not in now.err
    assert "next version" not in call(command, "--quiet", *old.split(), "folder").err


# A whole text of each kind, and what it is.
BARE = [
    ("doi", "10.1000/182", "doi:10.1000/182"),
    ("isbn", "0-395-36341-1", "urn:isbn:0395363411"),
    ("issn", "0317-8471", "urn:issn:03178471"),
    ("orcid", "0000-0002-1825-0097", "https://orcid.org/0000-0002-1825-0097"),
    ("ark", "12148/btv1", "ark:/12148/btv1"),
    ("handle", "2027/x", "hdl:2027/x"),
]


@pytest.mark.parametrize(("kind", "text", "uri"), BARE)
@pytest.mark.parametrize("command", ["normalize", "check", "explain", "count --format csv", "extract"])
def test_a_kind_without_a_scheme_by_its_old_and_new_name(command: str, kind: str, text: str, uri: str) -> None:
    is_found = command.startswith(("count", "extract"))
    Path("text").write_text(f"{kind.upper()} {text}")
    last = "text" if is_found else text
    old, new, without = (call(*command.split(), *more, last) for more in (["--bare", kind], ["--accept", kind], []))
    assert (old.status, old.out) == (new.status, new.out)
    assert (old.status, uri.encode() in new.out, uri.encode() in without.out) == (0, True, False)
    (note,) = (line for line in old.err.splitlines() if "next version" in line)
    assert note == "urisieve: --bare is --accept now; the old name goes with the next version"
    assert "next version" not in new.err


def test_all_kinds_have_a_row() -> None:
    assert {kind for kind, _, _ in BARE} == set(Bare)


def test_each_option_that_would_do_nothing_is_named_as_it_is_given() -> None:
    words = ["names", "isbn,doi", "wrapped"]
    done = call(
        "dedupe", "--input", "keys", "--bare", "ark", *(w for word in words for w in ("--accept", word)), "text"
    )
    said = "--accept names, --accept doi,isbn,ark, --accept wrapped does not go with it"
    assert (done.status, said in done.err) == (2, True)


def test_a_list_says_how_its_paths_end() -> None:
    lists = (b"text\nfolder/member\n", b"text\0folder/member\0", b"text\r\nfolder/member")
    assert len({call("extract", "--quiet", "--files-from", "-", stdin=data).out for data in lists}) == 1


def test_a_filter_has_a_name() -> None:
    for word, said in (("hst=a", "'hst' is not one of kind, scheme, host"), ("host=", "nothing is named")):
        done = call("extract", "--only", word, "text")
        assert (done.status, said in done.err) == (2, True)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ("extract --accept defangd text", "'defangd' is not a choice; use one of names, addresses, doi, isbn, issn, "),
        ("extract --accept defangd text", "zones, nested, wrapped, wrapped-any; did you mean 'defanged'?"),
        ("check --accept names x", "use one of doi, isbn, issn, orcid, ark, handle, unencoded, zones"),
        ("check --accept doi,orcidd x", "did you mean 'orcid'?"),
        ("check --bare orcidd x", "did you mean 'orcid'?"),
        ("check --bare zones x", "bare='zones' is not a choice"),
        ("extract --bar isbn x", "there is no option --bar; did you mean --accept?"),
    ],
)
def test_what_counts_too_has_a_name(argv: str, message: str) -> None:
    done = call(*argv.split())
    assert (done.status, done.out, message in done.err) == (2, b"", True)


REFUSED = [
    ("dedupe --format json text", "--format: 'json' is not a choice"),
    ("count --format json text", "'json' is not a choice"),
    ("extract -0 text", "--null needs --files-from"),
    ("dedupe --null text", "--null needs --files-from"),
    ("extract --include *.txt text", "--include and --read hidden are for folders, and no folder is named"),
    ("extract --read hidden", "are for folders"),
    ("extract --exclude x --files-from list", "are for folders"),
    ("dedupe --exclude *.gz text", "are for folders"),
    ("extract --format jsonl --form iri text", "--form is for --format text: jsonl has all forms"),
    ("dedupe --format csv --form raw text", "--form is for --format text"),
    ("dedupe --format parquet --form iri text", "--form is for --format text"),
    ("extract --input html --read all-parts text", "--read all-parts does not go with --input html"),
    ("extract --input text --read no-binary text", "--read no-binary does not go with --input text"),
    ("dedupe --input journal --read all-parts text", "--read all-parts does not go with --input journal"),
    ("extract --follow --read all-parts text", "--follow reads plain text"),
    ("extract --follow --read no-binary text", "--follow reads plain text"),
    ("extract --follow --include x folder", "--follow reads the files that are named"),
    ("normalize - http://a.example/", "does not go with other arguments"),
    ("check http://a.example/ -", "does not go with other arguments"),
    ("normalize --encoding cp1252 http://a.example/", "--encoding is that of standard input"),
    ("check --encoding utf-8 http://a.example/", "--encoding is that of standard input"),
    ("explain --encoding utf-8 http://a.example/", "--encoding is that of standard input"),
    ("explain --format json --color always http://a.example/", "--color is for --format text"),
    ("dedupe --temp nowhere text", "--temp nowhere: is not a folder"),
    ("stats --temp nowhere text", "--temp nowhere: is not a folder"),
    ("dedupe --input keys --encoding cp1252 text", "--input keys is read as it stands: --encoding does not go with it"),
    ("dedupe --input keys --schemes http text", "takes identifiers as they stand: --schemes does not go with it"),
    ("dedupe --input keys --level syntax text", "--level does not go with it"),
    ("dedupe --input keys --urn rfc8141 --refang text", "as they stand: --urn, --accept defanged does not go with it"),
    ("dedupe --input keys --level syntax --email --store s.db text", "as they stand: --accept addresses does not go"),
    ("dedupe --input jsonl --merge drop-fragment records.jsonl", "--merge does not go with it"),
    (
        "dedupe --input jsonl --read all-parts records.jsonl",
        "--input jsonl is read as it stands: --read all-parts does not go with it",
    ),
    ("dedupe --store s.db --show-passwords text", "--show-passwords does not go with --store"),
]


@pytest.mark.parametrize(("argv", "message"), REFUSED)
def test_what_would_do_nothing_is_refused(argv: str, message: str) -> None:
    done = call(*argv.split())
    assert (done.status, done.out) == (2, b"")
    assert message in done.err
    assert not Path("s.db").exists()


@pytest.mark.parametrize(
    "argv",
    [
        "extract -0 --files-from list",
        "extract --include mem* folder",
        "extract --include mem* text folder",
        "extract -o - text",
        "extract --form iri text",
        "normalize --encoding cp1252",
        "normalize --encoding cp1252 -",
        "explain --format json --color never http://a.example/",
        "dedupe --temp . --memory-limit 120MB text",
        "dedupe --temp . --keep last --input jsonl --field url rows.jsonl",
        "dedupe --input keys --level syntax --store s.db text",
        "dedupe --input jsonl --field url --schemes http rows.jsonl",
        "dedupe --input jsonl --encoding cp1252 records.jsonl",
        "dedupe --form iri text",
    ],
)
def test_what_does_something_is_not(argv: str) -> None:
    nulls = "-0" in argv
    if nulls:
        Path("list").write_bytes(b"text\0folder/member\0")
    done = call(*argv.split(), stdin=LINK.encode())
    assert done.status == 0
    assert LINK.encode() in done.out
