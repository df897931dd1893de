"""Where a run of `dedupe` writes: what was kept in a store has been written, too."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from urisieve.cli.dedupe_arguments import Input
from urisieve.cli.outputs import STANDARD_OUTPUT, Output, open_output
from urisieve.cli.uses import check_uses
from urisieve.dedupe.store_file import files_beside
from urisieve.errors import OutputError, UsageError

if TYPE_CHECKING:
    from urisieve.cli.checkpoint import Checkpoint
    from urisieve.cli.dedupe_arguments import DedupeSettings

__all__ = ["PlacedOutput", "check_places", "open_in_place", "output_for"]


class PlacedOutput(Output):
    """A regular file that grows in place; what was written stays, whatever happens.

    Nothing is done to it before the first `write` or `sync`, or `complete`: a run that fails before leaves the file as
    it was, and none where there was none.

    Args:
        path: the file.
        keep: how many bytes of an old file stay; None for all. A last line of them without its end gets it before
            another follows.

    Raises:
        OSError: it cannot be opened.
        OutputError: it is shorter than what is to stay.
    """

    def __init__(self, path: str, keep: int | None) -> None:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        self._is_made = True
        try:
            descriptor = os.open(path, flags | os.O_EXCL, 0o666)
        except FileExistsError:
            self._is_made = False
            descriptor = os.open(path, flags, 0o666)
        super().__init__(descriptor, path)
        self._place = descriptor
        self._keep = keep
        self._is_begun = False
        self._is_open = False  # the last line has no end
        self.old = os.fstat(descriptor).st_size if keep is None else keep
        """How many bytes stood in it before this run and stay."""
        if self.size < self.old:
            os.close(descriptor)
            raise OutputError(
                f"{path}: has {self.size} bytes, fewer than the {keep} that the checkpoint counts on; put the file "
                "back, or remove the checkpoint to begin anew"
            )

    @property
    def size(self) -> int:
        """How many bytes it holds."""
        return os.fstat(self._place).st_size

    def write(self, data: bytes) -> None:
        """See `Output.write`."""
        if not data:
            return
        self._begin()
        if self._is_open:
            self._is_open = False
            super().write(b"\n")
        super().write(data)

    def _begin(self) -> None:
        if self._is_begun:
            return
        self._is_begun = True
        try:
            if self._keep is not None:
                os.ftruncate(self._place, self._keep)
            if self.old:
                os.lseek(self._place, self.old - 1, os.SEEK_SET)
                self._is_open = os.read(self._place, 1) != b"\n"
            os.lseek(self._place, 0, os.SEEK_END)
        except OSError as error:
            raise self._failure(error) from error

    def sync(self) -> None:
        """Have everything on disk.

        Raises:
            OutputError: it cannot be written.
        """
        self._begin()
        try:
            os.fsync(self._place)
        except OSError as error:
            raise self._failure(error) from error

    def complete(self) -> None:
        """Close it."""
        try:
            self._begin()
        finally:
            os.close(self._place)

    def give_up(self) -> None:
        """Close it; nothing is undone."""
        os.close(self._place)
        if self._is_made and not self._is_begun:
            with suppress(OSError):
                os.unlink(self._name)


def open_in_place(path: str, keep: int | None = None) -> Output:
    """Open a path for writing in place; standard output, devices and pipes as `open_output` does.

    Args:
        path: the path.
        keep: how many bytes of an old file stay; None for all.

    Raises:
        OutputError: it cannot be opened, or is shorter than what is to stay.
    """
    if path == STANDARD_OUTPUT or (os.path.exists(path) and not os.path.isfile(path)):
        return open_output(path)
    try:
        return PlacedOutput(path, keep)
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:  # a path with a null character
        raise OutputError(f"{path!r}: {error}") from error


def output_for(settings: DedupeSettings, checkpoint: Checkpoint | None) -> Output:
    """The output of a run, opened as its store and its checkpoint need it.

    Without either the old file stays until the new one is complete. A store prints only what is new, which is added to
    the file; a checkpoint goes on in it. Parquet counts only when it is whole, and cannot be added to.

    Raises:
        OutputError: it cannot be opened.
        UsageError: Parquet was asked for with a store, and the file holds something.
    """
    path = settings.extract.output
    if settings.store is None and checkpoint is None:
        return open_output(path)
    if settings.writes_parquet:
        if path != STANDARD_OUTPUT and os.path.isfile(path) and os.path.getsize(path):
            raise UsageError(
                f"{path}: Parquet cannot be added to, and with --store only what is new is written: name a file that "
                "is not there, or remove this one"
            )
        return open_output(path)
    return open_in_place(path, None if checkpoint is None else checkpoint.size)


def check_places(settings: DedupeSettings, listed: str | None = None) -> None:
    """See that no file is given two uses; see `check_uses`.

    An output that replaces its file when it is complete may be an input, too, where it holds the same in the end: rows
    as they stand, or keys. A mailbox is not replaced by its links.

    Args:
        settings: what the run reads and writes.
        listed: the file that names the sources.

    Raises:
        UsageError: two uses are of one file.
    """
    extract = settings.extract
    written: list[tuple[str, list[str]]] = []
    for use, path in (("--store", settings.store), ("--checkpoint", settings.checkpoint)):
        if path is not None:  # SQLite has files beside its own
            written.append((use, [path, *files_beside(path)]))
    written.append(("--output", [extract.output]))
    if settings.unmatched not in ("keep", "drop"):
        written.append(("--unmatched", [settings.unmatched]))
    is_alike = bool(settings.fields) or (settings.input is Input.KEYS and not settings.counting)
    is_whole = settings.store is None and settings.checkpoint is None and extract.output != STANDARD_OUTPUT
    check_uses(written, extract.paths, listed=listed, replaced="--output" if is_alike and is_whole else "")
