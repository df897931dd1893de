"""How far a run is, kept together with its keys, so that the same command goes on where it stopped."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, Self

from urisieve.cli.dedupe_arguments import DedupeSettings
from urisieve.cli.outputs import STANDARD_OUTPUT
from urisieve.dedupe.digests import digest
from urisieve.dedupe.key_store import Store
from urisieve.dedupe.store_file import remove_store, store_files
from urisieve.errors import OutputError, UsageError

__all__ = ["Checkpoint"]

_NOTE: Final = "checkpoint"
# How a file begins that only says in which store the state is.
_POINTER: Final = "The state of this run is kept in "


class Checkpoint:
    """The state of a run: which keys it has seen, how much it has written, and how far it has read.

    With a store the state is kept there, in the transactions of its keys, and the file of the checkpoint only says so;
    without one the file is such a store itself. When the work is done, the file is removed.

    Raises:
        StoreError: the store cannot be used.
        OutputError: the file cannot be written.
        UsageError: the state is that of another command, or of other files; or the file is no checkpoint.
    """

    def __init__(self, settings: DedupeSettings) -> None:
        assert settings.checkpoint is not None
        self._path = settings.checkpoint
        self._is_apart = settings.store is not None
        path = settings.checkpoint if settings.store is None else settings.store
        goes_on = _is_pointer(self._path) if self._is_apart else os.path.exists(self._path)
        self.store = Store(path, options=settings.extract.options, by=settings.by, cache=settings.cache)
        self._name = f"{_NOTE} {os.path.realpath(self._path)}" if self._is_apart else _NOTE
        self.is_done = False
        self.size = _size(settings.extract.output) if self._is_apart else 0
        """How many bytes of the output count; with a store those are among them that stood there before the run."""
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
        try:
            if not goes_on or not self._read(settings):
                self.store.note(f"{self._name} of", json.dumps([_command(settings), _files(settings)]))
                self.note(self.size, 0)
                self.store.commit()
            if self._is_apart:
                with open(self._path, "w", encoding="utf-8", errors="surrogateescape") as file:
                    file.write(f"{_POINTER}{os.path.realpath(path)}\n")
        except OSError as error:
            self.store.close()
            raise OutputError(f"{self._path}: {error.strerror or error}") from error
        except BaseException:
            self.store.close()
            raise

    def _read(self, settings: DedupeSettings) -> bool:
        noted = self.store.noted(f"{self._name} of"), self.store.noted(self._name)
        if noted[0] is None or noted[1] is None:
            if not self._is_apart and len(self.store):
                raise UsageError(
                    f"{self._path}: is a store and no checkpoint: give it by --store, or name another file"
                )
            return False
        command, files = json.loads(noted[0])
        if command != _command(settings):
            raise self._refusal("is the checkpoint of another command; run that command again, or")
        if files != _files(settings):
            raise self._refusal(
                "since its run began, a file to read has been changed (its size or its time), added or removed, so "
                "that it cannot go on;"
            )
        state: dict[str, Any] = json.loads(noted[1])
        self.size, self.parts, self.rows = state["size"], state["parts"], state["rows"]
        self.state, self.found, self.failed = state["state"], state["found"], state["failed"]
        return True

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
            self.store.note(self._name, None)
            self.store.note(f"{self._name} of", None)
            self.store.commit()
        self.store.close()
        if self.is_done and self._is_apart:
            with suppress(OSError):
                os.unlink(self._path)
        elif self.is_done:
            remove_store(self._path)


def _is_pointer(path: str) -> bool:
    """Whether a checkpoint beside a store is there.

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
    if begin and not _POINTER.encode().startswith(begin):
        raise UsageError(f"{path}: is no checkpoint beside a store: name another file, or remove it")
    return bool(begin)


def _size(path: str) -> int:
    return os.path.getsize(path) if path != STANDARD_OUTPUT and os.path.isfile(path) else 0


def _command(settings: DedupeSettings) -> str:
    """A digest of what has to be the same for the output to be that of one run."""
    extract = settings.extract
    options = extract.options
    fields = sorted(f"{name}={_plain(getattr(options, name))}" for name in type(options).__dataclass_fields__)
    rest = (extract.format, extract.form, extract.encoding, extract.show_passwords, os.path.realpath(extract.output))
    reading = replace(extract.reading, folders=None)  # what folders hold is among the paths
    data = (settings.input, settings.fields, settings.by, settings.unmatched)
    return _digest([fields, repr(reading), list(map(str, rest)), list(map(str, data))])


def _files(settings: DedupeSettings) -> str:
    """A digest of the files, and of what tells that none has changed: its size and its time."""
    found: list[tuple[str, int | None, int | None]] = []
    for path in settings.extract.paths:
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
