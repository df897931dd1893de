"""Real texts, where the folder `../shared/corpora` is beside the checkout: slices of public corpora, grown to a size.

They are grown by the program that comes with them, so that nothing in them repeats as it is.
"""

from __future__ import annotations

import lzma
import subprocess
import sys
from pathlib import Path
from typing import Final

__all__ = ["SLICES", "available", "cut", "grown", "real_slice"]

_SHARED: Final = Path(__file__).resolve().parents[2] / "shared"
_PROGRAM: Final = _SHARED / "real_texts.py"
_MEGABYTE: Final = 1_000_000

SLICES: Final = {
    "mail": "mail.mbox",
    "prose": "prose.txt",
    "access": "access.log",
    "urls": "urls.txt",
    "cjk": "nonascii.txt",
    "html": "html.log",
    "chat": "chat.log",
}
"""The slice that each kind of text is made after."""


def available() -> bool:
    """Report whether the slices are there."""
    return _PROGRAM.exists() and all(_packed(kind).exists() for kind in SLICES)


def _packed(kind: str) -> Path:
    return _SHARED / "corpora" / f"{SLICES[kind]}.xz"


def real_slice(kind: str, folder: Path) -> Path:
    """Return the slice of a kind, unpacked into a folder."""
    path = folder / SLICES[kind]
    path.write_bytes(lzma.decompress(_packed(kind).read_bytes()))
    return path


def cut(text: bytes, size: int) -> bytes:
    """Return so many bytes of a text, up to the end of a line unless that is far away."""
    end = text.find(b"\n", size - 1, 2 * size) + 1
    return text[: end or size]


def grown(kind: str, size: int, path: Path) -> Path:
    """Write a real text of a kind, of `size` bytes at least, unless it is there already."""
    if not path.exists() or path.stat().st_size < size:
        megabytes = str(-(-size // _MEGABYTE))
        subprocess.run([sys.executable, str(_PROGRAM), SLICES[kind], megabytes, str(path)], check=True)
        if size < _MEGABYTE:
            path.write_bytes(cut(path.read_bytes(), size))
    return path
