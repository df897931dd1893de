"""The hard messages of samples/mail give what stands in their table."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.folders import ROOT
from tests.sources.mail.mail_reading import by_place, read, read_box
from urisieve import ReadingOptions, extract_files

FOLDER = ROOT / "samples" / "mail"
TABLE: list[dict[str, Any]] = [
    json.loads(line) for line in (FOLDER / "expected.jsonl").read_text(encoding="utf-8").splitlines()
]
NAMES = [row["file"] for row in TABLE]


@pytest.mark.parametrize("expected", TABLE, ids=NAMES)
def test_what_is_found(expected: dict[str, Any]) -> None:
    data = (FOLDER / expected["file"]).read_bytes()
    found, tally = read_box(data) if expected["file"].endswith(".mbox") else read(data)
    assert by_place(found) == expected["found"]
    skipped = [f"{kind}/{reason}" for kind, reason in sorted(tally.skipped.elements())]
    assert skipped == sorted(expected.get("skipped", []))
    assert [f"{kind}/{reason}" for kind, reason in sorted(tally.broken.elements())] == expected.get("broken", [])
    assert len(tally.messages) == len(expected.get("broken", []))
    records = extract_files([FOLDER / expected["file"]], reading=ReadingOptions(input="mail"), on_error=lambda *_: None)
    warnings = {str(warning) for record in records for warning in record.warnings}
    assert warnings >= set(expected.get("warnings", []))
    if "text-differs-from-target" in warnings:
        assert "text-differs-from-target" in expected["warnings"]


def test_every_file_has_a_row() -> None:
    assert sorted(path.name for path in FOLDER.iterdir() if path.suffix != ".jsonl") == sorted(NAMES)
    assert sum(name.endswith(".eml") for name in NAMES) >= 40


def test_the_files_are_those_of_the_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools"), *sys.path])
    from make_mail_samples import main

    main(tmp_path)
    for path in sorted(FOLDER.iterdir()):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name
