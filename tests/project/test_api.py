"""The public interface is the one in the snapshot: a change of it is meant, or it fails here."""

from __future__ import annotations

from difflib import unified_diff

import pytest

import print_api
import urisieve
from tests.helpers.folders import ROOT

SNAPSHOT = ROOT / "tests" / "golden" / "api.txt"
WHAT_TO_DO = """\
The public interface is not the one of the snapshot (- snapshot, + code). If that is meant:
1. python tools/print_api.py > tests/golden/api.txt
2. name the change in CHANGELOG.md
3. a line that goes or changes breaks what others wrote: docs/versions.md says how it is announced, and which number the
   next version has.
"""


def test_the_interface_is_that_of_the_snapshot() -> None:
    expected, found = SNAPSHOT.read_text("utf-8").splitlines(), print_api.text().splitlines()
    changes = [
        line for line in unified_diff(expected, found, lineterm="", n=0) if not line.startswith(("@@", "---", "+++"))
    ]
    assert not changes, WHAT_TO_DO + "\n".join(changes)


def test_the_snapshot_holds_all_there_is() -> None:
    lines = SNAPSHOT.read_text("utf-8").splitlines()
    text = "\n".join(lines)
    for name in urisieve.__all__:
        assert f"urisieve.{name}" in text
    for code in (*urisieve.codes.Reason, *urisieve.codes.Warn, *urisieve.codes.Component):
        assert f"urisieve.codes.{type(code).__name__}.{code.name} = {str(code)!r}" in lines
    for name in urisieve.parse("http://a.example").as_dict():
        assert any(line.startswith(f"record {name} ") for line in lines)
    for wanted in (
        "exit status 3",
        "entry point urisieve.schemes",
        "urisieve dedupe --store FILE",
        "SQL uri_key returns string",
    ):
        assert wanted in lines
    assert " at 0x" not in text


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (urisieve.new_secret, "urisieve.new_secret() -> bytes"),
        (urisieve.errors.BrokenInputError, "class urisieve.errors.BrokenInputError(InputError)"),
        (urisieve.options.Level, "urisieve.options.Level.SCHEME = 'scheme'"),
        (urisieve.Record, "urisieve.Record.uri: str"),
        (urisieve.Record, "urisieve.Record.host: str | None"),
    ],
)
def test_a_line_says_what_is_promised(call: object, line: str) -> None:
    assert line in SNAPSHOT.read_text("utf-8").splitlines(), call
