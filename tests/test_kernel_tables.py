"""The tables of the kernel are those of Python: each fact stands once, in a row or a rule of the package."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import generate_kernel_tables  # noqa: E402

pytestmark = pytest.mark.once  # reads the rows in Python and the committed sources, not the kernel


def test_the_tables_are_those_that_the_tool_writes() -> None:
    # By any version of Unicode: what differs between them is left to the finder, see `_SETTLED`.
    for name, text in generate_kernel_tables.generated().items():
        committed = (ROOT / "src" / "kernel" / name).read_text("utf-8")
        assert committed == text, "write it anew by `python tools/generate_kernel_tables.py`"


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        (r"\d", "CATEGORY_DIGIT"),
        (r"(?<=a)b", "looks behind"),
        (r"(?i:a)", "flags"),
        (r"(?:ab)*", "without a small bound"),
        (r"(?>ab){1,3}+", "possessively"),
        (r"^a", "does not know"),
        (r"(a)\1", "does not know"),
    ],
)
def test_a_shape_that_the_kernel_cannot_match_is_refused(pattern: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        generate_kernel_tables._Shapes().program(pattern)
