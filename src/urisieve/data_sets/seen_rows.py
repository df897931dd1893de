"""The keys of the rows seen so far: by this run, or by all runs that share a store."""

from __future__ import annotations

from collections.abc import Sequence

from urisieve.dedupe.keyset import KeySet
from urisieve.dedupe.stores.checkpoint import Checkpoint
from urisieve.dedupe.stores.key_store import Store
from urisieve.lean.hints import Final
from urisieve.sinks.files.outputs import Output
from urisieve.sinks.files.outputs_in_place import OutputInPlace

__all__ = ["RowState", "SeenRows"]

# The note of a checkpoint beside the numbers: nothing else is needed to continue.
_STATE: Final = "{}"


class SeenRows:
    """Decides which keys occur for the first time.

    Args:
        seen: the memory of keys.
    """

    def __init__(self, seen: KeySet | Store) -> None:
        self._store = seen if isinstance(seen, Store) else None
        self._keys = seen if isinstance(seen, KeySet) else None

    @property
    def is_in_memory(self) -> bool:
        """Whether all keys are in memory; otherwise large batches are far cheaper than small ones."""
        return self._keys is not None and not self._keys.is_spilled

    @property
    def secret(self) -> bytes | None:
        """The secret by which a store that keeps the keys masks their passwords; None without a store."""
        return None if self._store is None else self._store.secret

    def unseen_indices(self, keys: Sequence[str], sources: Sequence[str]) -> list[int]:
        """Return the indices of the keys that occur for the first time; they count as seen from then on.

        Args:
            keys: the keys.
            sources: the name of the file of each key.
        """
        if self._store is not None:
            return self._store.add(keys, sources=sources)
        assert self._keys is not None
        return self._keys.unseen_indices(keys)

    def unseen_digests(self, found: Sequence[bytes], sources: Sequence[str]) -> list[int]:
        """Do the same as `unseen_indices` for keys of which only the digests are known; a run uses one of the two."""
        if self._store is not None:
            return self._store.add_digests(found, sources=sources)
        assert self._keys is not None
        return self._keys.unseen_indices([one.hex() for one in found])

    def commit(self) -> None:
        """Keep the keys in the store, if there is one."""
        if self._store is not None:
            self._store.commit()


class RowState:
    """Keeps the state that outlives a run: the keys in its store, and its progress; never before the rows are on disk.

    Args:
        seen: the keys.
        output: the output of the rows.
        checkpoint: notes the progress of the run, if it is to be noted.
    """

    def __init__(self, seen: SeenRows, output: Output, checkpoint: Checkpoint | None) -> None:
        self._seen = seen
        self._output = output
        self._checkpoint = checkpoint

    def keep(self, files: int = 0, rows: int = 0, *, found: bool = False, failed: bool = False) -> None:
        """Keep the keys of all rows that have been written.

        Args:
            files: the number of files that this run has done.
            rows: the number of rows of the next file that have been done.
            found: whether a row had a key.
            failed: whether something could not be read.
        """
        if isinstance(self._output, OutputInPlace):
            self._output.sync()
            if self._checkpoint is not None:
                rows = rows if files else max(rows, self._checkpoint.rows)
                self._checkpoint.note(self._output.size, files, rows, _STATE, found=found, failed=failed)
        self._seen.commit()
