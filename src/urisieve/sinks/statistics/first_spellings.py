"""The first spelling of each key that did not come as it stands: in memory, and on disk beyond a limit."""

from __future__ import annotations

from collections.abc import Callable

from urisieve.lean.hints import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from urisieve.dedupe.spill import Spill

__all__ = ["FirstSpellings"]

# The most spellings in memory, and their characters with those of their keys.
_MOST: Final = 131_072
_CHARACTERS: Final = 16_777_216
# Bytes of the pages of the file on disk that are kept in memory.
_CACHE: Final = 16_777_216
_TABLE: Final = "CREATE TABLE spellings (key BLOB PRIMARY KEY, raw BLOB) WITHOUT ROWID"


class FirstSpellings:
    """The first spellings of keys.

    Args:
        folder: the folder of the file beyond the limit; that of `tempfile` for None.
        most: how many spellings are held in memory.
        hides: reports whether a spelling holds what must not be written, as a password; it is not kept on disk.
    """

    def __init__(
        self, folder: str | None = None, most: int = _MOST, *, hides: Callable[[str], bool] = lambda _: False
    ) -> None:
        self._hides = hides
        self._folder = folder
        self._most = most
        self._held: dict[str, str] = {}
        self._characters = 0
        self._disk: Spill | None = None

    def add(self, key: str, raw: str) -> None:
        """Add the first spelling of a key, once.

        Raises:
            OutputError: the file beyond the limit cannot be written.
        """
        self._held[key] = raw
        self._characters += len(key) + len(raw)
        if len(self._held) > self._most or self._characters > _CHARACTERS:
            self._spill()

    def get(self, key: str) -> str | None:
        """Return the first spelling of a key: the key itself if none was added, None if it was not kept."""
        raw = self._held.get(key)
        if raw is None and self._disk is not None:
            row = self._disk.read("SELECT raw FROM spellings WHERE key = ?", (_digest(key),)).fetchone()
            raw = None if row is None else row[0].decode("utf-8", "surrogatepass")
            if raw == "":
                return None
        return key if raw is None else raw

    def _spill(self) -> None:
        """Move the spellings to disk."""
        from urisieve.dedupe.spill import Spill

        if self._disk is None:
            self._disk = Spill(self._folder, _TABLE, _CACHE)
        rows = sorted(
            (_digest(key), b"" if self._hides(raw) else raw.encode("utf-8", "surrogatepass"))
            for key, raw in self._held.items()
        )
        self._disk.write("INSERT INTO spellings VALUES (?, ?)", rows)
        self._held.clear()
        self._characters = 0

    def close(self) -> None:
        """Remove the file."""
        if self._disk is not None:
            self._disk.close()
            self._disk = None


def _digest(key: str) -> bytes:
    from hashlib import blake2b

    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()
