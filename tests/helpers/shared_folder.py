"""Where the folder with other programs' suites and the project's own boundary texts is, if it is there."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

from tests.helpers.folders import ROOT

__all__ = ["shared_file", "shared_rows", "shared_table"]

_FOLDER = Path(os.environ.get("URISIEVE_SHARED", ROOT.parent / "shared"))


def shared_rows(name: str) -> list[dict[str, Any]] | None:
    """The rows of a file of JSON lines; None where the folder is not there."""
    path = _FOLDER / name
    if not path.is_file():
        return None
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def shared_table(name: str) -> list[dict[str, str]] | None:
    """The rows of a table whose comment lines begin with `#`; None where the folder is not there."""
    path = _FOLDER / name
    if not path.is_file():
        return None
    lines = (line for line in path.read_text("utf-8").split("\n") if line and not line.startswith("#"))
    return list(csv.DictReader(lines))


def shared_file(name: str) -> Path | None:
    """The path of a file; None where the folder is not there."""
    path = _FOLDER / name
    return path if path.is_file() else None
