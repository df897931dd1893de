"""Where the checkout and its samples are."""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["ROOT", "SAMPLES"]

ROOT: Final = Path(__file__).resolve().parents[2]
SAMPLES: Final = ROOT / "samples"
