"""What was reported of other programs about files, pairs and forms, where the folder `shared` is beside the checkout.

The rows that find links in a text are in `tests/find/test_reports.py`. Of the other ones each row is a file that the
command reads, two identifiers that are the same or not, or an identifier and its canonical form. Compared are the links
of a file as often as they come, not their order: texts of a page come before its attributes.

Each row is as wanted, or a table states what comes out and why. Both are held to the truth: a row that is not as wanted
and not in the table fails the test, and so does one that is in the table and comes out otherwise.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.helpers.cli_support import call
from tests.helpers.shared_folder import shared_rows
from urisieve import InvalidIdentifierError, Options, equivalent, normalize

_NAME: Final = "reports-data-"
_ROWS: Final = {
    row["id"].removeprefix(_NAME): row
    for row in shared_rows("suites/public-reports.jsonl") or ()
    if row["id"].startswith(_NAME)
}
_FILES: Final = {number: row for number, row in _ROWS.items() if row["command"].startswith("urisieve extract ")}
_FORMS: Final = {number: row for number, row in _ROWS.items() if number not in _FILES}
_PART: Final = (
    "\\n\\n--B\\nContent-Type: text/html\\nContent-Transfer-Encoding: base64\\n\\n"
    "PGEgaHJlZj0iaHR0cHM6Ly9pbi5leGFtcGxlLz9rPTEmYW1wO2w9MiI+eDwvYT4K\\n--B--\\n"
)
_TYPE: Final = "\\nMIME-Version: 1.0\\nContent-Type: multipart/mixed; boundary=B"
# The suite has the first 700 characters of a text. By the number of the row: what comes after them.
REST: Final[dict[str, str]] = {
    "312": "\\n From:" * 500 + _TYPE + _PART,
    "313": "192.0.2.4])" + "\\nReceived: from mail.example by mx.example" * 20 + _TYPE + _PART,
    "314": "mple" + ",\\n u@d.example" * 360 + _TYPE + _PART,
    "315": ")" + "\\nReceived: from mail.example by mx.example" * 20 + _TYPE + _PART,
}


class Decided(NamedTuple):
    """What comes out of a row that the suite leaves open, or wants otherwise, and why."""

    out: str | list[str]
    why: str


# By the number of the row. Clauses are those of docs/behaviour.md unless an RFC is named.
DECIDED: Final[dict[str, Decided]] = {
    # What the program no longer has.
    "026": Decided("TypeError", "zone identifiers have no option (RFC 9844 obsoletes RFC 6874)"),
    "027": Decided("TypeError", "the same"),
    "028": Decided("TypeError", "the same"),
    # Identifiers.
    "220": Decided("tel:1234567890p123", "pauses are valid, with a warning (tel)"),
    "221": Decided("REJECT scheme-syntax", "the open row; a number has no slashes (RFC 3966 3)"),
    "267": Decided("false", "urn:btih is not registered, so nothing states that letter case does not count"),
    "288": Decided("true", "the specification of package URLs decodes a namespace (ECMA-427)"),
    # Logs.
    "061": Decided(["https://a.example/aaaaaaaa"], "pieces are not joined: the warning is may-be-shortened"),
    "062": Decided(["https://a.example/aaaaaaaa"], "a line of text is a line of text, whatever its tag is"),
    "153": Decided(
        [
            "https://r.example/a%2520b",
            "https://www.newsblur.example/site/9269734/jc%20(%22Mozilla/5.0%20(Macintosh;%20Intel)%22)",
        ],
        "the open row; fields of a log that are encoded as a whole are not decoded: the triplets are valid ones",
    ),
    # Mail and pages.
    "163": Decided([], "the open row; white space in an attribute is a rejection"),
    "164": Decided(
        ["http://h.example/a", "http://h.example/attestation."],
        "the open row; only white space around the value of an attribute is removed",
    ),
    "235": Decided([], "the open row; a line break inside an attribute is a rejection"),
    # Tables and lists.
    "151": Decided(
        ["http://h.example/2027/uc1", "http://hdl.handle.example/2027/uc1.$b95584$zClick"],
        "the open row; the mnemonic form of MARC is read as text",
    ),
    "165": Decided(
        [
            "http://t.example/T",
            "http://t.example/T",
            "http://t.example/U",
            "http://www.m.example/index.php/topic",
            "http://www.m.example/y",
        ],
        "the open row; a comma that is not quoted ends a cell (RFC 4180 2)",
    ),
    "166": Decided(["https://e.example/foo/bar"], "the open row; the same, and data: without its comma is a rejection"),
    "177": Decided(
        ["http://b.example/", "http://www.cookedbits.example/roma"], "the open row; white space ends a candidate"
    ),
    # Feeds, archives, JSON lines.
    "171": Decided(
        [
            "http://e.example/a/b",
            "http://e.example/a/c/",
            "http://e.example/a/c/d?x=1&y=2",
            "http://e.example/a/c/e?x=1&y=2",
            "http://e.example/f",
        ],
        "the open row; each base is resolved against the one around it, and counts (RFC 4287 2)",
    ),
    "173": Decided([], "the open row; the address is no URI, so that the reference is counted as unresolvable"),
    "243": Decided(
        ["https://a.example/x?y=1&z=2", "https://c.example/x?y=1&z=2", "https://z.example/?a=1&b=2"],
        "the open row; the line that is cut is read as text",
    ),
}


def _written(text: str) -> str:
    r"""Return the text that a row writes with the escapes of JSON; `\udcXX` is the byte XX, which is not UTF-8."""
    return str(json.loads('"{}"'.format(text.replace(r"\\udc", r"\udc"))))


def _links(number: str, row: dict[str, Any], folder: Path) -> list[str]:
    text = row["input"]
    if len(text) == 700:
        text = re.sub(r"\\[^\\]{0,4}\Z", "", text)
    path = folder / shlex.split(row["command"])[-1]
    path.write_bytes(_written(text + REST.get(number, "")).encode("utf-8", "surrogateescape"))
    found = call("extract", "-q", "-f", "jsonl", *shlex.split(row["command"])[2:-1], str(path))
    return sorted(one["uri"] for one in found.rows)


def _form(row: dict[str, Any]) -> str:
    command, text = row["command"], _written(row["input"])
    named = re.search(r"Options\((.*?)\)+\Z", command)
    try:
        arguments = re.findall(r"(\w+)=(?:'([^']*)'|True)", "" if named is None else named[1])
        given: dict[str, Any] = {name: value or True for name, value in arguments}
        options = Options(**given)
        if command.startswith("equivalent"):
            one, other = text.split("  |  ")
            return str(equivalent(one, other, options=options)).lower()
        return normalize(text, options=options)
    except TypeError:
        return "TypeError"
    except InvalidIdentifierError as error:
        return f"REJECT {error.rejection.reason}" if command.startswith("check") else "INVALID"


def _check(number: str, got: str | list[str], wanted: str | list[str] | None) -> str | None:
    """Return what is wrong with a row; None if it is as wanted, or as the table states."""
    decided = DECIDED.get(number)
    if decided is None:
        return None if got == wanted else f"{number}: {got} instead of {wanted}"
    if got == wanted:
        return f"{number}: as wanted, and in the table"
    return None if got == decided.out else f"{number}: {got} instead of {decided.out} ({decided.why})"


def _wanted_links(row: dict[str, Any]) -> list[str] | None:
    return None if row["want"] == "(see class)" else sorted(json.loads(_written(row["want"])))


pytestmark = pytest.mark.skipif(not _ROWS, reason="the folder shared/suites is not beside the checkout")


def test_files_that_were_reported(tmp_path: Path) -> None:
    assert len(_FILES) + len(_FORMS) == 316
    assert set(DECIDED) | set(REST) <= set(_ROWS)
    wrong = [_check(number, _links(number, row, tmp_path), _wanted_links(row)) for number, row in _FILES.items()]
    assert [one for one in wrong if one is not None] == []


def test_pairs_and_forms_that_were_reported() -> None:
    wrong = [_check(number, _form(row), row["want"]) for number, row in _FORMS.items()]
    assert [one for one in wrong if one is not None] == []
