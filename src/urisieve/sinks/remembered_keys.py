"""`RememberedKeys`: the keys that have been seen, as they are, in memory."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["RememberedKeys"]


class RememberedKeys:
    """The keys of which an identifier has been seen.

    Args:
        most: how many are remembered; then all are forgotten. None for no bound.
    """

    def __init__(self, most: int | None = None) -> None:
        self._keys: set[str] = set()
        self._most = most

    def __len__(self) -> int:
        return len(self._keys)

    def unseen(self, keys: Sequence[str]) -> list[str]:
        """The keys that come for the first time, each once."""
        seen = self._remembered()
        new = [key for key in dict.fromkeys(keys) if key not in seen]
        seen.update(new)
        return new

    def unseen_indices(self, keys: Sequence[str]) -> list[int]:
        """The indices of the keys that come for the first time."""
        seen = self._remembered()
        indices = []
        for index, key in enumerate(keys):
            if key not in seen:
                seen.add(key)
                indices.append(index)
        return indices

    def _remembered(self) -> set[str]:
        if self._most is not None and len(self._keys) > self._most:
            self._keys.clear()
        return self._keys
