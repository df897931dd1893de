"""Counts of rejections by reason and of warnings by code: the same from every engine, and `--fail-on` (C11)."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.helpers.cli_support import call
from urisieve import Record, Tally, sieve, sieve_files
from urisieve.codes import Reason, Warn

TEXT = (
    "http://a.example/%zz http://A.example:x/ http://u:p@c.example/ foo://x http://d.example/%1 http://e.example/\n"
    "http://u:p@c.example/ <http://f.exam\nple/> URN:ISBN:0-395-36341-2 (http://g.example/) http://u@h.example:99999/\n"
)
HTML = '<p><a href="http://a.example/">http://b.example/</a> <a href="http://u:p@c.example/">x</a> http://d.example/%zz'
MAIL = (
    "From: a@b.example\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=x\n\n--x\n"
    "Content-Type: text/plain\n\nhttp://u:p@c.example/ http://u@e.example/ foo://x http://d.example/%zz\n--x\n"
    f"Content-Type: text/html\n\n{HTML}\n--x--\n"
)
ENGINES = [
    ("extract",),
    ("extract", "--unique"),
    ("extract", "--form", "iri"),
    ("extract", "--form", "raw", "--unique"),
    ("extract", "--format", "jsonl"),
    ("extract", "--format", "tsv", "--unique"),
    ("extract", "--jobs", "2"),
    ("extract", "--jobs", "2", "--unique"),
    ("extract", "--jobs", "2", "--unique", "--format", "csv"),
    ("extract", "--accept", "nested"),
    ("dedupe",),
    ("count",),
    ("count", "--format", "jsonl", "--jobs", "2"),
    ("dedupe", "--format", "jsonl"),
    ("dedupe", "--jobs", "2"),
    ("dedupe", "--store", "{folder}/seen.db"),
    ("dedupe", "--store", "{folder}/seen.db", "--format", "csv", "--mark-new"),
    ("dedupe", "--memory-limit", "120MB"),
]


def _files(folder: Path) -> list[str]:
    """A text, one in an archive, HTML and mail."""
    (folder / "a.txt").write_text(TEXT)
    (folder / "b.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    (folder / "c.html").write_text(f"<!DOCTYPE html>{HTML}")
    (folder / "d.eml").write_text(MAIL)
    return [str(folder / name) for name in ("a.txt", "b.txt.gz", "c.html", "d.eml")]


def _said(counts: Counter[str]) -> str:
    """Codes as the closing line has them."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{code} {number}" for code, number in ordered[:6]]
    rest = ordered[6:]
    return ", ".join(shown + ([f"and {len(rest)} more {sum(number for _, number in rest)}"] if rest else []))


def test_the_library_counts(tmp_path: Path) -> None:
    tally = Tally()
    found = list(sieve_files(_files(tmp_path), tally=tally))
    assert tally.rejected == Counter(value.reason for value in found if not isinstance(value, Record))
    assert tally.warnings == Counter(code for value in found if isinstance(value, Record) for code in value.warnings)
    assert tally.rejected[Reason.BAD_PERCENT_ENCODING] == 7
    assert tally.warnings[Warn.WRONG_CHECK_DIGIT] == 2
    assert tally.warnings[Warn.TEXT_DIFFERS_FROM_TARGET] >= 1
    together = Tally()
    together.take(tally)
    assert tally.is_empty
    assert together.rejected


@pytest.mark.sampled(17)
@pytest.mark.parametrize("argv", ENGINES, ids=" ".join)
def test_every_engine_counts_alike(argv: tuple[str, ...], tmp_path: Path) -> None:
    tally = Tally()
    paths = _files(tmp_path)
    list(sieve_files(paths, tally=tally))
    done = call(*(word.format(folder=tmp_path) for word in argv), "-v", *paths)
    assert f" {tally.rejected.total()} rejected ({_said(tally.rejected)}), " in done.err
    assert f" s; warnings: {_said(tally.warnings)}; as " in done.err


def test_records_and_keys_as_input_count_what_they_say(tmp_path: Path) -> None:
    records = tmp_path / "records.jsonl"
    records.write_bytes(call("extract", "--format", "jsonl", stdin=TEXT.encode()).out)
    warnings = Counter(code for line in records.read_text().splitlines() for code in json.loads(line)["warnings"])
    for command in (("dedupe", "--input", "jsonl"), ("dedupe", "--input", "jsonl", "--format", "jsonl"),
                    ("count", "--input", "records")):  # fmt: skip
        done = call(*command, "-v", str(records))
        assert f", 0 rejected, {done.err.split('rejected, ')[1].split(';')[0]}; warnings: {_said(warnings)}" in done.err
    assert "warnings" not in call("dedupe", "--input", "keys", stdin=b"http://a.example/\n").err


def test_a_text_without_faults_has_no_codes() -> None:
    assert re.fullmatch(
        r"urisieve: 1 file, 17 bytes, 1 found, 0 rejected, \S+ s\n", call("extract", stdin=b"http://a.example/").err
    )


FAIL_ON = [
    ("bad-port", 3),
    ("password-present", 3),
    ("no-scheme,password-present", 3),
    ("rejected", 3),
    ("warnings", 3),
    ("any", 3),
    ("scheme-syntax", 0),
    ("host-too-long", 0),
    ("host-too-long, no-authority", 0),
]


@pytest.mark.sampled(23)
@pytest.mark.parametrize(("codes", "status"), FAIL_ON)
@pytest.mark.parametrize("argv", [(), ("--unique", "--jobs", "2"), ("--format", "jsonl", "--quiet")], ids=" ".join)
def test_extract_fails_on_codes(argv: tuple[str, ...], codes: str, status: int, tmp_path: Path) -> None:
    done = call("extract", *argv, "--fail-on", codes, *_files(tmp_path))
    assert done.status == status
    assert ("urisieve: --fail-on: " in done.err) == (status == 3 and "--quiet" not in argv)


@pytest.mark.parametrize(("codes", "status"), FAIL_ON)
def test_check_fails_on_codes(codes: str, status: int) -> None:
    texts = [value.raw for value in sieve(TEXT)]
    assert call("check", "--fail-on", codes, *texts).status == status
    assert call("check", "--format", "jsonl", "--fail-on", codes, stdin="\n".join(texts).encode()).status == status


def test_without_the_codes_named_the_status_is_0_and_errors_come_first(tmp_path: Path) -> None:
    assert call("extract", stdin=b"nothing").status == 1
    assert call("extract", "--fail-on", "any", stdin=b"nothing").status == 0
    assert call("check", "--fail-on", "warnings", "http:///").status == 0
    assert call("check", "--fail-on", "rejected", "foo://x").status == 0
    assert call("check", "--fail-on", "any", "http:///").status == 3
    assert call("check", "--fail-on", "any", "foo://x").status == 3
    path = _files(tmp_path)[0]
    assert call("extract", "--fail-on", "any", path, str(tmp_path / "missing")).status == 2


def test_a_code_that_is_reason_and_warning_stands_for_both_and_a_group_for_its_kind() -> None:
    both = {str(code) for code in Reason} & {str(code) for code in Warn}
    for code in both:
        assert call("check", "--fail-on", code, "http://a.example/").status == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bad-prot", "there is no reason or warning 'bad-prot'; did you mean 'bad-port'?"),
        ("password", "did you mean 'password-present'?"),
        ("rejcted", "did you mean 'rejected'?"),
        ("zzzz", "there is no reason or warning 'zzzz'; `urisieve codes` lists them ("),
        (",", "no reason and no warning is named"),
    ],
)
def test_unknown_codes_are_refused(text: str, message: str) -> None:
    for command in ("extract", "check"):
        done = call(command, "--fail-on", text)
        assert (done.status, message in done.err) == (2, True)
