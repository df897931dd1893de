"""The search for a few bytes in many: by the compiled kernel many at a time."""

from __future__ import annotations

from urisieve.kernel import compiled, kernel

__all__ = ["find_bytes"]


def find_bytes(data: bytes | bytearray, needle: bytes, start: int = 0) -> int:
    """Return the offset of the first `needle`, of two bytes or more, from an offset on; -1 if there is none."""
    return kernel.find(data, needle, start) if compiled else data.find(needle, start)
