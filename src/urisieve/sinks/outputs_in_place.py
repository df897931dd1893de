"""Outputs that grow in place, for a run that continues a file or adds to it: bytes written stay, whatever happens."""

from __future__ import annotations

import os
from contextlib import suppress

from urisieve.errors import OutputError, UsageError
from urisieve.sinks.outputs import STANDARD_OUTPUT, DeviceOutput, Output, open_output


class OutputInPlace(DeviceOutput):
    """A regular file that grows in place; bytes that were written stay, whatever happens.

    The file is not touched before the first `write` or `sync`, or `complete`: a run that fails before leaves the file
    as it was, and does not create one.

    Args:
        path: the file.
        keep: the number of bytes of an old file that stay; None for all. If the last line of them has no end, it gets
            one before another line follows.

    Raises:
        OSError: the file cannot be opened.
        OutputError: the file is shorter than `keep`.
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
        self._keep = keep
        self._is_begun = False
        self._is_open = False  # the last line has no end
        self.old = os.fstat(descriptor).st_size if keep is None else keep
        """The number of bytes of the file before this run that stay."""
        if self.size < self.old:
            os.close(descriptor)
            raise OutputError(
                f"{path}: has {self.size} bytes, fewer than the {keep} that the checkpoint counts on; put the file "
                "back, or remove the checkpoint to begin anew"
            )

    @property
    def _given_up(self) -> str:
        return f"{self._name} {'holds what was found before' if self.has_grown else 'was not written'}"

    @property
    def size(self) -> int:
        """The size of the file in bytes with what waits, until the output ends."""
        self._check_open()
        return os.fstat(self._descriptor).st_size + self._waiting_size

    @property
    def has_grown(self) -> bool:
        """Whether this run has added to the file."""
        return self._is_begun and self.size > self.old

    def write(self, data: bytes) -> None:
        """See `Output.write`."""
        if not data:
            return
        self._check_open()
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
                os.ftruncate(self._descriptor, self._keep)
            if self.old:
                os.lseek(self._descriptor, self.old - 1, os.SEEK_SET)
                self._is_open = os.read(self._descriptor, 1) != b"\n"
            os.lseek(self._descriptor, 0, os.SEEK_END)
        except OSError as error:
            raise self._failure(error) from error

    def sync(self) -> None:
        """Write everything to disk.

        Raises:
            OutputError: the file cannot be written, or was completed or given up.
        """
        self._check_open()
        self._begin()
        self._flush()
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._failure(error) from error

    def _finish(self) -> None:
        try:
            self._begin()
        finally:
            self._ends()

    def give_up(self) -> None:
        """Close the file; nothing is undone."""
        if self._has_ended:
            return
        super().give_up()
        if self._is_made and not self._is_begun:
            with suppress(OSError):
                os.unlink(self._name)


def open_in_place(path: str, keep: int | None = None) -> Output:
    """Open a path for writing in place; standard output, devices and pipes as by `open_output`.

    Args:
        path: the path.
        keep: the number of bytes of an old file that stay; None for all.

    Raises:
        OutputError: the path cannot be opened, or the file is shorter than `keep`.
    """
    if path == STANDARD_OUTPUT or (os.path.exists(path) and not os.path.isfile(path)):
        return open_output(path)
    try:
        return OutputInPlace(path, keep)
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:  # a path with a null character
        raise OutputError(f"{path!r}: {error}") from error


def open_added_to(path: str, keep: int | None = None, *, is_whole: bool) -> Output:
    """Open a path to which a run with a store adds new records; see `open_in_place`.

    Args:
        path: the path.
        keep: the number of bytes of an old file that stay; None for all.
        is_whole: whether the output is Parquet or an array of JSON: valid only as a whole, it cannot be added to.

    Raises:
        OutputError: the path cannot be opened, or the file is shorter than `keep`.
        UsageError: the output is one of these, and the file is not empty.
    """
    if not is_whole:
        return open_in_place(path, keep)
    if size_of(path):
        raise UsageError(
            f"{path}: Parquet and arrays of JSON cannot be added to, and with --store only what is new is written: "
            "name a file that is not there, or remove this one"
        )
    return open_output(path)


def size_of(path: str) -> int:
    """Return the size of a regular file in bytes; 0 if there is none, and for standard output, devices and pipes."""
    return os.path.getsize(path) if path != STANDARD_OUTPUT and os.path.isfile(path) else 0
