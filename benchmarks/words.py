"""Words and links that do not repeat, from a seed, the same on every machine."""

from __future__ import annotations

import random

__all__ = ["Words"]


class Words:
    """Makes texts of words that are no language's.

    Args:
        seed: what all that it makes depends on.
    """

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)
        letters = "etaoinshrdlucmfwypvbgk"
        self._words = ["".join(self.random.choices(letters, k=self.random.randint(2, 9))) for _ in range(5_000)]

    def text(self, count: int) -> str:
        """So many words."""
        return " ".join(self.random.choices(self._words, k=count))

    def path(self) -> str:
        """A path of two segments."""
        return f"/{self.random.choice(self._words)}/{self.random.randrange(10**7)}"

    def link(self) -> str:
        """A link."""
        return f"https://{self.random.choice(self._words)}.example{self.path()}"
