"""What was reported of other programs that find links in text, run where the folder `shared` lies beside the checkout.

Each row says what to find in a text, with options of the command. The rows that are not as wanted stand in a table with
the reason, which is held to the truth: a row that is not as wanted and not named fails the test, and so does a named
one that is.
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

_ROWS: Final = [
    row for row in shared_rows("suites/public-reports.jsonl") or () if row["command"].startswith("urisieve extract -q ")
]
_TRIPLET: Final = re.compile("%[0-9A-Fa-f]{2}")
# The warnings that say that the record may be a part of what was meant.
_TELLING: Final = frozenset(("stops-at-excluded", "text-follows", "may-be-shortened"))

# By the number of the row: why it is not as wanted.
NOT_AS_WANTED: Final[dict[str, str]] = {
    "reports-find-056": "a stop that is last is trimmed (behaviour 7); the brackets of bulletin boards delimit nothing",
    "reports-find-068": "a name without a scheme begins with a letter or digit",
    "reports-find-153": "the first double quote closes, and a backslash is in no URI (behaviour 6): a rejection",
    "reports-find-181": "a sentence stop ends a candidate even inside a host (behaviour 4)",
    "reports-find-201": "white space ends a candidate in backticks, with `unencoded` too",
}


class Outcome(NamedTuple):
    """What the command found in the text of a row.

    Attributes:
        uris: what was found, in order.
        told: whether each record has a warning that more may be meant.
        rejected: the texts that were rejected.
    """

    uris: list[str]
    told: bool
    rejected: list[str]


def outcome(row: dict[str, Any], folder: Path) -> Outcome:
    """Run the command of a row: its text is that of standard input, or of a file with the name that it has."""
    text = json.loads(f'"{row["input"]}"').encode("utf-8", "surrogatepass")
    *arguments, name = shlex.split(row["command"])[2:]
    rejected = folder / "rejected.jsonl"
    if name != "-":
        (folder / name).write_bytes(text)
        name = str(folder / name)
    found = call("extract", "-f", "jsonl", "--rejected", str(rejected), *arguments, name, stdin=text)
    rejections = [json.loads(line)["raw"] for line in rejected.read_text("utf-8").splitlines()]
    told = all(_TELLING.intersection(one["warnings"]) for one in found.rows)
    return Outcome([one["uri"] for one in found.rows], told, rejections)


def _as_wanted(wanted: str, found: Outcome) -> bool:
    """Report whether what was found is what a row wants; three rows say that in words."""
    uris = [] if wanted == "nothing" else [_TRIPLET.sub(lambda one: one[0].upper(), uri) for uri in wanted.split("; ")]
    if found.uris == uris:
        return True
    if wanted == "whole, or the cut with a warning":
        return found.told or "%3C" in "".join(found.uris)
    if wanted == "(rejection, or the cut with a warning)":
        return bool(found.rejected) or (bool(found.uris) and found.told)
    if wanted == "(an address of RFC 6531, or a rejection)":
        return bool(found.rejected) or [uri.partition(":")[0] for uri in found.uris] == ["mailto"]
    return False


@pytest.mark.skipif(not _ROWS, reason="the folder shared/suites is not beside the checkout")
def test_what_was_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("URISIEVE_SHARED", raising=False)  # the command takes such a name for that of an option
    assert len(_ROWS) == len({row["id"] for row in _ROWS}) == 146
    wrong = [row["id"] for row in _ROWS if not _as_wanted(row["want"], outcome(row, tmp_path))]
    assert wrong == [row["id"] for row in _ROWS if row["id"] in NOT_AS_WANTED]
    assert set(NOT_AS_WANTED) <= {row["id"] for row in _ROWS}
