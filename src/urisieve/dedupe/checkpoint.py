"""How far a run is, kept together with its keys, so that the same command goes on where it stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress

from urisieve.dedupe.key_store import Store
from urisieve.dedupe.keyset import digest
from urisieve.dedupe.store.store_file import remove_store, store_files
from urisieve.errors import OutputError, UsageError
from urisieve.finding_options import Options
from urisieve.lean import Any, Final, Self, field_names

_NOTE: Final = "checkpoint"
# What is noted of how far the work is.
_STATE: Final = {"size": int, "parts": int, "rows": int, "state": str, "found": bool, "failed": bool}
# How a file begins that only says in which store the state is.
_POINTER: Final = "The state of this run is kept in "


def command_digest(options: Options, *others: str | Sequence[str]) -> str:
    """A digest of what has to be the same for the output to be that of one run.

    Args:
        options: how identifiers are found and judged.
        others: the rest of it.
    """
    fields = sorted(f"{name}={_plain(getattr(options, name))}" for name in field_names(type(options)))
    return _digest([fields, *others])


class Checkpoint:
    """The state of a run: which keys it has seen, how much it has written, and how far it has read.

    With a store the state is kept there, in the transactions of its keys, and the file of the checkpoint only says so;
    without one the file is such a store itself. When the work is done, the file is removed.

    Args:
        path: the file of the checkpoint.
        store: the store of the run, where it has one.
        options: how the identifiers are normalized whose keys are kept; see `Store`.
        by: which part of them is the key.
        cache: how many bytes of the store are kept in memory; its default for None.
        command: a digest of what the run does; see `command_digest`.
        files: the files that it reads, none of which may change until it is done.
        size: how many bytes of the output were there before the run and stay.

    Raises:
        StoreError: the store cannot be used.
        OutputError: the file cannot be written.
        UsageError: the state is that of another command, or of other files; or the file is not a checkpoint.
    """

    def __init__(
        self,
        path: str,
        *,
        store: str | None = None,
        options: Options | None = None,
        by: str = "key",
        cache: int | None = None,
        command: str,
        files: Sequence[str],
        size: int = 0,
    ) -> None:
        self._path = path
        self._is_apart = store is not None
        kept_in = path if store is None else store
        goes_on = _is_pointer(path) if self._is_apart else os.path.exists(path)
        self.store = Store(kept_in, options=options, by=by, cache=cache)
        self._name = f"{_NOTE} {os.path.realpath(path)}" if self._is_apart else _NOTE
        self.is_done = False
        self.size = size
        """How many bytes of the output count; with a store those among them that were there before the run."""
        self.parts = 0
        """How many parts of files have been done."""
        self.rows = 0
        """How many rows of the next file have been done."""
        self.state = ""
        """What else was noted."""
        self.found = False
        """Whether something was found in what has been done."""
        self.failed = False
        """Whether something of it could not be read."""
        work = [command, _files_digest(files)]
        try:
            if not goes_on or not self._read(work):
                self.store.note(f"{self._name} of", json.dumps(work))
                self.note(self.size, 0)
                self.store.commit()
            if self._is_apart and not goes_on:
                _write_whole(path, os.fsencode(f"{_POINTER}{os.path.realpath(kept_in)}\n"))
        except OSError as error:
            self.store.close()
            raise OutputError(f"{path}: {error.strerror or error}") from error
        except BaseException:
            self.store.close()
            raise

    def _read(self, work: list[str]) -> bool:
        noted = self.store.noted(f"{self._name} of"), self.store.noted(self._name)
        if noted[0] is None or noted[1] is None:
            if self._is_apart:
                raise UsageError(
                    f"{self._path}: its state is not in {self.store.path}: that run has ended, or had another store; "
                    f"name that one, or remove {self._path} to begin anew"
                )
            if len(self.store):
                raise UsageError(
                    f"{self._path}: is a store, not a checkpoint: name it with --store, or name another file"
                )
            return False
        (command, files), state = self._noted(noted[0], noted[1])
        if command != work[0]:
            raise self._refusal("is the checkpoint of another command; run that command again, or")
        if files != work[1]:
            raise self._refusal(
                "since its run began, a file to read has been changed (its size or its time), added or removed, so "
                "that it cannot go on;"
            )
        self.size, self.parts, self.rows = state["size"], state["parts"], state["rows"]
        self.state, self.found, self.failed = state["state"], state["found"], state["failed"]
        return True

    def _noted(self, work: str, state: str) -> tuple[list[Any], dict[str, Any]]:
        """Return what was noted of the work, and how far it is.

        Raises:
            UsageError: that is damaged.
        """
        try:
            started, reached = json.loads(work), json.loads(state)
        except ValueError:
            raise self._refusal("is damaged;") from None
        is_whole = isinstance(started, list) and len(started) == 2 and isinstance(reached, dict)
        if not is_whole or not all(type(reached.get(name)) is kind for name, kind in _STATE.items()):
            raise self._refusal("is damaged;")
        if min(reached["size"], reached["parts"], reached["rows"]) < 0:
            raise self._refusal("is damaged;")
        return started, reached

    def _refusal(self, reason: str) -> UsageError:
        self.store.close()  # only then it is clear which files there are
        return UsageError(f"{self._path}: {reason} remove {' '.join(store_files(self._path))} to begin anew")

    def note(
        self, size: int, parts: int, rows: int = 0, state: str = "", *, found: bool = False, failed: bool = False
    ) -> None:
        """Note how far the work is, to be kept by the next commit of the store.

        Args:
            size: how many bytes of the output count.
            parts: how many parts of files this run has done.
            rows: how many rows of the next file have been done.
            state: what else is needed to go on, as `state` gives it then.
            found: whether this run has found something in what it has done.
            failed: whether it could not read something of that.
        """
        noted = {
            "size": size,
            "parts": self.parts + parts,
            "rows": rows,
            "state": state,
            "found": self.found or found,
            "failed": self.failed or failed,
        }
        self.store.note(self._name, json.dumps(noted))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_done and self._is_apart:
            self.store.commit()
            # First, so that a run that is killed here has ended: what is left of it in the store nobody asks for.
            with suppress(OSError):
                os.unlink(self._path)
            self.store.note(self._name, None)
            self.store.note(f"{self._name} of", None)
            self.store.commit()
        self.store.close()
        if self.is_done and not self._is_apart:
            remove_store(self._path)


def _is_pointer(path: str) -> bool:
    """Whether a checkpoint next to a store exists.

    Raises:
        UsageError: something else is.
    """
    try:
        with open(path, "rb") as file:
            begin = file.read(len(_POINTER))
    except FileNotFoundError:
        return False
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror or error}") from error
    if begin != _POINTER.encode():
        what = "is not the checkpoint of a run with --store" if begin else "is empty, and no checkpoint"
        raise UsageError(f"{path}: {what}: name another file, or remove it to begin anew")
    return True


def _write_whole(path: str, data: bytes) -> None:
    """Write a file that is there whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    path = os.path.realpath(path)
    temporary = os.path.join(os.path.dirname(path), f".urisieve-{os.urandom(8).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:  # a signal, too
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _files_digest(files: Sequence[str]) -> str:
    """A digest of the files, and of what tells that none has changed: its size and its time."""
    found: list[tuple[str, int | None, int | None]] = []
    for path in files:
        try:
            status = os.stat(path)
            found.append((path, status.st_size, status.st_mtime_ns))
        except (OSError, ValueError):
            found.append((path, None, None))
    return _digest(found)


def _digest(value: object) -> str:
    return digest(json.dumps(value)).hex()


def _plain(value: object) -> str:
    return repr(sorted(map(str, value))) if isinstance(value, (frozenset, tuple)) else str(value)
