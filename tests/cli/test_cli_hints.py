"""A name that is nowhere is said to be nowhere, with the nearest that is there (C6, C10)."""

from __future__ import annotations

from pathlib import Path

import pytest

import urisieve.cli.watched_run
import urisieve.kernel
from tests.helpers.cli_support import call
from urisieve.sources.tally import MESSAGES
from urisieve.wording import did_you_mean, nearest

JSON = '{"identifier":"http://a.example/","n":{"url":"x","list":[{"link":"http://b.example/"}]}}\n{"identifier":3}\n'
CSV = "id,url\n1,http://a.example/\n"
EXPORT = "MESSAGE=http://a.example/\nPRIORITY=3\n\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("rows.jsonl", JSON), ("rows.csv", CSV), ("export", EXPORT), ("text", "http://a.example/")):
        Path(name).write_text(text)
    Path("whole.json").write_text(f'{{"rows":[{JSON.strip().replace(chr(10), ",")}]}}')


@pytest.mark.parametrize(
    ("argv", "status", "message"),
    [
        ("schemes zzzzz", 1, "no scheme matches 'zzzzz'\n"),
        ("schemes mial", 1, "no scheme matches 'mial'; did you mean 'mail'?"),
        ("codes nope", 1, "no code matches 'nope'\n"),
        ("codes prot", 1, "no code matches 'prot'\n"),
        ("codes bad-prot", 1, "no code matches 'bad-prot'; did you mean 'bad-port'?"),
        ("normalize --merge surt x:y", 2, "archive-key; did you mean 'archive-key'?"),
        ("extract --merge page,urlkey text", 2, "archive-key; did you mean 'archive-key'?"),
        ("schemes htpp", 1, "no scheme matches 'htpp'; did you mean 'http'?"),
        ("schemes http htpp", 0, "no scheme matches 'htpp'; did you mean 'http'?"),
        ("schemes http*", 0, ""),
        ("namespaces isbm", 1, "no URN namespace matches 'isbm'; did you mean 'isbn'?"),
        ("namespaces library", 1, "no URN namespace matches 'library'; did you mean 'libraries'?"),
        ("namespaces --format csv isbn", 0, ""),
        ("extract --quiet --schemes http,htp text", 0, ""),
        ("extract --schemes http,htp text", 0, "the scheme 'htp' is not known (`+htp` makes it known)"),
        ("extract --schemes http,htp text", 0, "; did you mean 'http'?"),
        ("check --schemes http,htp http://a.example/", 0, "the scheme 'htp' is not known"),
        (
            "extract --schemes !http --accept names text",
            1,
            "--accept names finds nothing: --schemes leaves out the sch",
        ),
        ("extract --schemes doi --accept doi,isbn text", 1, "--accept isbn finds nothing"),
        ("extract --quiet --schemes !http --accept names text", 1, ""),
        ("dedupe --schemes !htp text", 0, "the scheme 'htp' is not known"),
        ("extract --input jsonl --field identfier rows.jsonl", 1, "rows.jsonl: none of the lines has a field 'identfi"),
        ("extract --input jsonl --field identfier rows.jsonl", 1, "; did you mean 'identifier'?"),
        ("extract --input jsonl --field n.ulr rows.jsonl", 1, "a field 'n.ulr'; did you mean 'n.url'?"),
        ("extract --input jsonl --field n.list[*].linq rows.jsonl", 1, "; did you mean 'n.list[0].link'?"),
        ("extract --field identfier whole.json", 1, "whole.json: none of the values has a field 'identfier'; did you"),
        ("extract --field identifier whole.json", 1, "field 'identifier'; did you mean 'rows[0].identifier'?"),
        ("extract --field rows[0].n.ulr whole.json", 1, "; did you mean 'rows[0].n.url'?"),
        ("extract --field zzz whole.json", 1, "whole.json: none of the values has a field 'zzz'\n"),
        ("extract --input journal --field MESAGE export", 1, "none of the entries has a field 'MESAGE'; did you mean"),
        ("extract --input csv --field ulr rows.csv", 2, "has no column 'ulr'; its columns are 'id', 'url'; did you m"),
        (
            "check --input csv --field ulr rows.csv",
            2,
            "rows.csv: has no column 'ulr'; its columns are 'id', 'url'; did",
        ),
        ("check --input csv --field 3 rows.csv", 2, "rows.csv: has no column 3: its rows have 2"),
        ("extract http://a.example/", 2, "`urisieve check` takes the identifiers themselves"),
        (
            "extract s3://b/x",
            2,
            "s3://b/x: No such file or directory; nothing is fetched or sent: copy",
        ),
        (
            "extract --output s3://b/x text",
            2,
            "s3://b/x: No such file or directory; nothing is fetched or sent: write",
        ),
        (
            "extract --rejected gs://b/x text",
            2,
            "gs://b/x: No such file or directory; nothing is fetched or sent: wr",
        ),
        ("dedupe --store s3://b/x text", 2, "; nothing is fetched or sent: keep the store in a file here, and copy"),
        ("check text", 1, "'text' is a file: type `urisieve extract text` to find what is in it"),
        ("explain rows.csv text", 1, "'rows.csv' is a file: type `urisieve extract rows.csv` to find what is in it"),
        ("normalize --quiet text", 1, ""),
        ("dedupe --input jsonl --field identfier rows.jsonl", 2, "no row has the field 'identfier'"),
        ("dedupe --input jsonl --field identfier rows.jsonl", 2, "did you mean 'identifier'?"),
        (
            "dedupe --input csv --field ulr rows.csv",
            2,
            "has no column 'ulr'; its columns are 'id', 'url'; did you mean",
        ),
        ("dedupe --input csv --field url --field ulr rows.csv", 0, "has no column 'ulr'; the others are read"),
        ("dedupe --quiet --input csv --field url --field ulr rows.csv", 0, "has no column 'ulr'; the others are read"),
        ("extract rows.json", 2, "rows.json: No such file or directory; did you mean 'rows.jsonl'?"),
        ("extract zzzzzz", 2, "zzzzzz: No such file or directory\n"),
        ("extract none/rows.csv", 2, "none/rows.csv: No such file or directory\n"),
        ("dedupe --input csv --field url rows.cvs", 2, "rows.cvs: No such file or directory; did you mean 'rows.csv'?"),
        ("extract --files-from tex", 2, "tex: No such file or directory; did you mean 'text'?"),
    ],
)
def test_names_that_are_nowhere(argv: str, status: int, message: str) -> None:
    done = call(*argv.split())
    assert done.status == status
    assert message in done.err
    assert message or not done.err


@pytest.mark.parametrize(
    "argv",
    [
        "extract --schemes +x-mine text",
        "extract --schemes http,urn,doi,!mailto text",
        "extract --schemes web --accept names,nested text",
        "extract --input jsonl --field identifier rows.jsonl",
        "extract --input jsonl --field n rows.jsonl",
        "extract --input jsonl --field n.url rows.jsonl",
        "extract --input jsonl --field n.list[*].link rows.jsonl",
        "extract --input jsonl --field * rows.jsonl",
        "extract --field rows whole.json",
        "extract --field rows[].identifier whole.json",
        "extract --field rows[0].n.list[*] whole.json",
        "extract --input jsonl rows.jsonl",
        "extract --input journal --field PRIORITY export",
        "extract --input csv --field 2 rows.csv",
        "dedupe --input csv --field url rows.csv",
    ],
)
def test_names_that_are_there_are_not_talked_about(argv: str) -> None:
    (line,) = call(*argv.split()).err.splitlines()
    assert "did you mean" not in line
    assert "no such field" not in line


def test_a_field_that_comes_late_is_there_all_the_same() -> None:
    Path("late").write_text('{"a":1}\n' * 5_000 + '{"url":null}\n{"url":"http://a.example/"}\n{"a":2}\n')
    done = call("extract", "--input", "jsonl", "--field", "url", "late")
    assert (done.status, done.lines, "no such field" in done.err) == (0, ["http://a.example/"], False)


def test_only_so_many_files_are_named() -> None:
    Path("many").mkdir()
    for number in range(MESSAGES + 5):
        Path("many", str(number)).write_text('{"a":"http://a.example/"}\n')
    done = call("extract", "--input", "jsonl", "--field", "url", "-v", "many")
    assert f"skipped: {MESSAGES + 5} files (no such field)" in done.err


def test_the_nearest_word() -> None:
    assert nearest("HTP", ["ftp", "http"]) == "http"
    assert nearest("--out", ["--output", "--outer-space", "--input"]) == "--output"
    assert nearest("x", ["x1"]) is None
    assert nearest("", ["a"]) is None
    assert nearest("y" * 1_000_000, ["y" * 999_999]) is None
    assert did_you_mean("url", ["url"]) == ""
    assert did_you_mean("quite other", ["url"]) == ""


def test_of_many_columns_a_part_is_named() -> None:
    names = [f"{number}{'x' * 1_000}" for number in range(1_000)]
    Path("wide.csv").write_text(f"{','.join(names)}\n")
    for argv in (
        "dedupe --input csv --field url",
        "check --input csv --field url",
        "extract --input csv --field url",
    ):
        done = call(*argv.split(), "wide.csv")
        line = done.err.splitlines()[0]
        assert done.status == 2
        assert "has no column 'url'; its columns are '0xxx" in line
        assert " and 980 more" in line
        assert len(line) < 1_200


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ("help", "type `urisieve --help` ("),
        ("help extract", "type `urisieve extract --help` ("),
        ("help extrat", "type `urisieve --help` ("),
        ("version", "type `urisieve --version` ("),
        ("find some.txt", "type `urisieve extract some.txt` ("),
        ("validate", "type `urisieve check` ("),
        ("extract --csv text", "there is no option --csv; did you mean --format csv? ("),
        ("extract --json=x text", "there is no option --json; did you mean --format jsonl? ("),
        ("dedupe --column url text", "there is no option --column; did you mean --field? ("),
        ("explain --csv x", "there is no option --csv ("),
        ("normalize --csv x", "there is no option --csv ("),
        ("extract --field uri --input text text", "--field names what is read: it goes with --input csv, tsv, json,"),
        ("extract --quiet --field uri --input xml text", "--field names what is read: it goes with --input csv, tsv,"),
    ],
)
def test_words_of_other_programs(argv: str, message: str) -> None:
    done = call(*argv.split())
    assert (done.status, done.lines) == (2, [])
    (line,) = done.err.splitlines()
    assert message in line


HINT = "\nurisieve: searches in pure Python, several times slower than the compiled kernel: "


@pytest.mark.parametrize(
    ("argv", "compiled", "pure", "large", "hinted"),
    [
        ("extract text", False, None, 17, True),  # H7
        ("extract text", False, "0", 17, True),
        ("extract --unique text", False, "", 17, True),
        ("dedupe text", False, None, 17, True),
        ("stats text", False, None, 17, True),
        ("report --output page.html text", False, None, 17, True),
        ("extract text", False, None, 18, False),  # not large
        ("extract --quiet text", False, None, 17, False),
        ("extract --accept defanged text", False, None, 17, True),
        ("extract text", False, "1", 17, False),  # switched off by somebody who knows
        ("extract text", True, None, 17, False),
    ],
)
def test_without_the_kernel_a_large_input_says_how_to_get_it(
    argv: str, compiled: bool, pure: str | None, large: int, hinted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(urisieve.kernel, "compiled", compiled)
    monkeypatch.setattr(urisieve.cli.watched_run, "_LARGE", large)
    monkeypatch.delenv("URISIEVE_PURE", raising=False)
    if pure is not None:
        monkeypatch.setenv("URISIEVE_PURE", pure)
    done = call(*argv.split())
    assert done.status == 0
    assert done.err.count(HINT) == hinted
    assert done.err.count("\n") == hinted + ("--quiet" not in argv)


@pytest.mark.parametrize(("name", "setting"), [("pypy", 0), ("cpython", 1)])
def test_where_there_is_no_kernel_nothing_is_said(name: str, setting: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urisieve.kernel, "compiled", False)
    monkeypatch.delenv("URISIEVE_PURE", raising=False)
    monkeypatch.setattr("sysconfig.get_config_var", lambda _: 0)
    assert urisieve.kernel.advice() is not None
    monkeypatch.setattr("sys.implementation.name", name)
    monkeypatch.setattr("sysconfig.get_config_var", lambda _: setting)
    assert urisieve.kernel.advice() is None
