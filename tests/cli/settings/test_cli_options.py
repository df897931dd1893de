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


# A whole text of each kind, and what it is.
BARE = [
    ("doi", "10.1000/182", "doi:10.1000/182"),
    ("isbn", "0-395-36341-1", "urn:isbn:0395363411"),
    ("issn", "0317-8471", "urn:issn:03178471"),
    ("orcid", "0000-0002-1825-0097", "https://orcid.org/0000-0002-1825-0097"),
    ("ark", "12148/btv1", "ark:/12148/btv1"),
    ("handle", "2027/x", "hdl:2027/x"),
    ("pmid", "PMID: 23193287", "https://pubmed.ncbi.nlm.nih.gov/23193287/"),
    ("pmcid", "PMC3531190", "https://pmc.ncbi.nlm.nih.gov/articles/PMC3531190/"),
    ("arxiv", "hep-th/9901001v1", "https://arxiv.org/abs/hep-th/9901001v1"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("kind", "text", "uri"), BARE)
@pytest.mark.parametrize("command", ["normalize", "check", "explain", "count --format csv", "extract"])
def test_a_kind_without_a_scheme_is_found_by_its_name(command: str, kind: str, text: str, uri: str) -> None:
    is_found = command.startswith(("count", "extract"))
    Path("text").write_text(f"{kind.upper()} {text}")
    last = "text" if is_found else text
    found, without = (call(*command.split(), *more, last) for more in (["--accept", kind], []))
    assert (found.status, uri.encode() in found.out, uri.encode() in without.out) == (0, True, False)


def test_all_kinds_have_a_row() -> None:
    assert {kind for kind, _, _ in BARE} == set(Bare)


def test_each_option_that_would_do_nothing_is_named_as_it_is_given() -> None:
    words = ["names", "isbn,doi", "wrapped", "ark"]
    done = call("dedupe", "--input", "keys", *(w for word in words for w in ("--accept", word)), "text")
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
        ("extract --accept defangd text", "nested, wrapped, wrapped-any; did you mean 'defanged'?"),
        ("check --accept names x", "use one of doi, isbn, issn, orcid, ark, handle, pmid, pmcid, arxiv, unencoded"),
        ("check --accept doi,orcidd x", "did you mean 'orcid'?"),
        ("extract --accep isbn x", "there is no option --accep; did you mean --accept?"),
    ],
)
def test_what_counts_too_has_a_name(argv: str, message: str) -> None:
    done = call(*argv.split())
    assert (done.status, done.out, message in done.err) == (2, b"", True)


REFUSED = [
    ("dedupe --format json text", "--format: 'json' is not a choice"),
    ("count --format json text", "'json' is not a choice"),
    ("extract --include *.txt text", "--include and --read hidden are for folders, and no folder is named"),
    ("extract --read hidden", "are for folders"),
    ("extract --include !x --files-from list", "are for folders"),
    ("dedupe --include !*.gz text", "are for folders"),
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
    ("explain --format jsonl --color always http://a.example/", "--color is for --format text"),
    ("dedupe --input keys --encoding cp1252 text", "--input keys is read as it stands: --encoding does not go with it"),
    ("dedupe --input keys --schemes http text", "takes identifiers as they stand: --schemes does not go with it"),
    ("dedupe --input keys --level syntax text", "--level does not go with it"),
    (
        "dedupe --input keys --urn-syntax rfc8141 --accept defanged text",
        "as they stand: --urn-syntax, --accept defanged does not go with it",
    ),
    (
        "dedupe --input keys --level syntax --accept addresses --store s.db text",
        "as they stand: --accept addresses does not go",
    ),
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
        "extract --files-from list",
        "extract --include mem* folder",
        "extract --include mem* text folder",
        "extract -o - text",
        "extract --form iri text",
        "normalize --encoding cp1252",
        "normalize --encoding cp1252 -",
        "explain --format jsonl --color never http://a.example/",
        "dedupe --memory-limit 120MB text",
        "dedupe --keep last --input jsonl --field url rows.jsonl",
        "dedupe --input keys --level syntax --store s.db text",
        "dedupe --input jsonl --field url --schemes http rows.jsonl",
        "dedupe --input jsonl --encoding cp1252 records.jsonl",
        "dedupe --form iri text",
    ],
)
def test_what_does_something_is_not(argv: str) -> None:
    done = call(*argv.split(), stdin=LINK.encode())
    assert done.status == 0
    assert LINK.encode() in done.out
