"""The rows of `samples/data/boundaries.jsonl`, which other programs use too, in the notation of `marked_rows`."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.helpers.folders import SAMPLES
from tests.helpers.marked_rows import Row

__all__ = ["BOUNDARIES", "marked"]

BOUNDARIES: Final[list[dict[str, Any]]] = [
    json.loads(line) for line in (SAMPLES / "data" / "boundaries.jsonl").read_text("utf-8").split("\n") if line
]


def marked(row: dict[str, Any]) -> Row:
    """Return a row with marks around what is found and what is rejected."""
    text = row["text"]
    marks = {at: "|" for one in row["found"] for at in (one["start"], one["start"] + len(one["raw"]))}
    marks |= {at: "✗" for one in row["rejected"] for at in (one["start"], one["start"] + len(one["raw"]))}
    assert len(marks) == 2 * len(row["found"] + row["rejected"]), "two that touch cannot be marked"
    characters = [*(character.replace("|", "¦") for character in text), ""]
    written = "".join(marks.get(at, "") + character for at, character in enumerate(characters))
    return Row(written, row["why"], reasons=" ".join(one["reason"] for one in row["rejected"]) or None)
