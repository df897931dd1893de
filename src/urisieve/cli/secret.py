"""The secret of a run, by which passwords in keys become digests."""

from __future__ import annotations

import os
from typing import Final

__all__ = ["new_secret"]

_SIZE: Final = 32


def new_secret() -> bytes:
    """A secret for one run."""
    return os.urandom(_SIZE)
