"""Where bytes are written: standard output, a file that is complete or not there at all, or one that grows in place.

A file grows in place in a run that continues it or adds to it: bytes that were written stay, whatever happens.

Also defines the check that no file has two uses in one run: no input is also an output, under whatever names.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import EACCES
from stat import S_IMODE, S_ISREG

from urisieve import shapes
from urisieve.errors import OutputError, UsageError
from urisieve.lean import Final
from urisieve.sinks.byte_output import Output
from urisieve.sources.bytes.reading import STANDARD_INPUT, at_pauses
from urisieve.wording import address_hint

# The path that means standard output.
STANDARD_OUTPUT: Final = "-"
# The temporary files that are not complete yet, with the process that writes each.
_UNFINISHED: Final[dict[str, int]] = {}


class _StreamOutput(Output):
    """Standard output if a program has replaced it by an object without a descriptor."""

    def __init__(self) -> None:
        super().__init__(-1, "standard output")

    def _pass_on(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)


class DeviceOutput(Output):
    """A file, a device or a named pipe that is written in place, and closed at the end."""

    def _ends(self) -> bool:
        ends = super()._ends()
        if ends:
            os.close(self._descriptor)
        return ends


class _FileOutput(Output):
    """A file written next to its path and moved there when it is complete."""

    def __init__(self, given: str, mode: int | None) -> None:
        path = os.path.realpath(given)
        self._path = path
        self._is_old = mode is not None
        self._given = given
        self._temporary = os.path.join(os.path.dirname(path), f".urisieve-{os.urandom(8).hex()}.tmp")
        import atexit

        atexit.unregister(_remove_unfinished)  # once is enough
        atexit.register(_remove_unfinished)
        _UNFINISHED[self._temporary] = os.getpid()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        super().__init__(os.open(self._temporary, flags, 0o666), path)
        if mode is not None:
            os.chmod(self._temporary, mode)

    @property
    def _given_up(self) -> str:
        return f"{self._given} was not written{', and is as it was' if self._is_old else ''}"

    def _finish(self) -> None:
        self._ends()
        try:
            try:
                os.fsync(self._descriptor)
            finally:
                os.close(self._descriptor)
            os.replace(self._temporary, self._path)
        except OSError as error:
            self._remove()
            raise self._failure(error) from error
        _UNFINISHED.pop(self._temporary, None)

    def give_up(self) -> None:
        if self._ends():
            os.close(self._descriptor)
            self._remove()

    def _remove(self) -> None:
        with suppress(OSError):
            os.unlink(self._temporary)
        _UNFINISHED.pop(self._temporary, None)


def _remove_unfinished() -> None:
    """Remove what a signal has left that came just when a file was opened or completed."""
    for path, process in _UNFINISHED.items():
        if process == os.getpid():  # and not a copy of it
            with suppress(OSError):
                os.unlink(path)


def open_output(path: str, *, grows: bool = False) -> Output:
    """Open a path for writing, `-` for standard output; links are followed.

    A regular file keeps its content until the output is complete, and its permissions then.

    Args:
        path: the path.
        grows: whether a regular file is written in place from its beginning, for a run that may never end: others read
            what is written so far, and it stays, whatever happens.

    >>> import os, tempfile
    >>> from urisieve.sinks import open_output
    >>> path = os.path.join(tempfile.mkdtemp(), "file")
    >>> with open_output(path) as output:
    ...     output.write(b"http://a.example/")
    >>> os.path.getsize(path)
    17

    Raises:
        OutputError: the path cannot be opened; the message names it.
    """
    shapes.flag("grows", grows)
    if path == STANDARD_OUTPUT:
        return _standard_output()
    path = shapes.path("path", path, "- is standard output")
    if grows:
        return open_added_to(path, 0)
    try:
        try:
            mode = os.stat(path).st_mode
        except FileNotFoundError:
            return _FileOutput(path, None)
        if not S_ISREG(mode):
            return DeviceOutput(os.open(path, os.O_WRONLY), path)
        if not os.access(path, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))
        return _FileOutput(path, S_IMODE(mode))
    except OSError as error:
        hint = address_hint(path, "write a file and copy it there, or pipe standard output on")
        raise OutputError(f"{path}: {error.strerror or error}{hint}") from error
    except ValueError as error:  # a path with a null character
        raise OutputError(f"{path!r}: {error}") from error


@contextmanager
def gathering(output: Output) -> Iterator[Output]:
    """Gather what is written to an output: 64 KiB, or less at a pause of the input, are written at once.

    The context ends as that of the output. A terminal is written to at once.
    """
    with output, at_pauses(output._flush):
        output._gathers = not os.isatty(output._descriptor)
        yield output


def _standard_output() -> Output:
    if sys.stdout is None:
        raise OutputError("standard output is closed")
    sys.stdout.flush()
    try:
        return Output(sys.stdout.fileno(), "standard output")
    except OSError:
        return _StreamOutput()


# Stands for standard output where "-" would be standard input; not a path.
_STANDARD: Final = "\0output"


def check_uses(
    written: Iterable[tuple[str, Sequence[str]]], read: Iterable[str], *, listed: str | None = None, replaced: str = ""
) -> None:
    """Check that no file has two uses, under whatever names: other spellings of a path, links, hard links.

    Nothing is opened.

    Args:
        written: the use and the path of each output; then those of files next to it.
        read: the input files, those in folders included.
        listed: the file that lists these.
        replaced: the use whose file may also be read, since it is replaced when it is complete.

    Raises:
        UsageError: one file has two uses.
    """
    uses: dict[object, str] = {}
    for use, (path, *beside) in written:
        for mark in _marks([_STANDARD if path == STANDARD_OUTPUT else path, *beside]):
            if uses.setdefault(mark, use) != use:
                raise UsageError(f"{path}: {uses[mark]} and {use} are the same file: give each its own")
    if not uses.keys() - {_STANDARD}:  # no file that is read can be one of them
        return
    for path in (*([] if listed is None else [listed]), *read):
        for mark in _marks([path], known=True):
            if mark in uses and not (path != listed and uses[mark] == replaced):
                name = "standard input" if path == STANDARD_INPUT else path
                raise UsageError(f"{name}: is read, and is also the file of {uses[mark]}: name another file for that")


def _marks(paths: Iterable[str], *, known: bool = False) -> Iterator[object]:
    """Yield marks that two names of one file share; none for devices and pipes.

    If `known`, the number of a file that exists is enough.
    """
    for path in paths:
        if path == _STANDARD:
            yield _STANDARD
        try:
            if path in (STANDARD_INPUT, _STANDARD):
                status = os.fstat((sys.stdin if path == STANDARD_INPUT else sys.stdout).fileno())
            else:
                status = os.stat(path)
        except (OSError, ValueError, AttributeError):
            if path not in (STANDARD_INPUT, _STANDARD) and "\0" not in path:
                yield os.path.realpath(path)
            continue
        if S_ISREG(status.st_mode):
            yield status.st_dev, status.st_ino
            if not known and path != _STANDARD:
                yield os.path.realpath(path)


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
    def identity(self) -> list[int]:
        """The device and the number of the file."""
        status = os.fstat(self._descriptor)
        return [status.st_dev, status.st_ino]

    @contextmanager
    def held(self) -> Iterator[list[bytes]]:
        """Let all that is written inside wait, in the list that is the context; an exception that passes drops it."""
        gathers, self._gathers, self._holds = self._gathers, True, True
        try:
            yield self._waiting
        except BaseException:
            self._waiting.clear()
            self._waiting_size = 0
            raise
        finally:
            self._gathers, self._holds = gathers, False

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
        self._sync_written()

    def _sync_written(self) -> None:
        """Write to disk all but what waits."""
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


def open_added_to(path: str, keep: int | None = None, *, is_whole: bool = False) -> Output:
    """Open a path for writing in place; standard output, devices and pipes as by `open_output`.

    Args:
        path: the path.
        keep: the number of bytes of an old file that stay; None for all.
        is_whole: whether the output is Parquet or an array of JSON: valid only as a whole, it cannot be added to.

    Raises:
        OutputError: the path cannot be opened, or the file is shorter than `keep`.
        UsageError: the output is one of these, and the file is not empty.
    """
    if is_whole and size_of(path):
        raise UsageError(
            f"{path}: Parquet and arrays of JSON cannot be added to, and with --store only what is new is written: "
            "name a file that is not there, or remove this one"
        )
    if is_whole or path == STANDARD_OUTPUT or (os.path.exists(path) and not os.path.isfile(path)):
        return open_output(path)
    try:
        return OutputInPlace(path, keep)
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:  # a path with a null character
        raise OutputError(f"{path!r}: {error}") from error


def size_of(path: str) -> int:
    """Return the size of a regular file in bytes; 0 if there is none, and for standard output, devices and pipes."""
    return os.path.getsize(path) if path != STANDARD_OUTPUT and os.path.isfile(path) else 0
