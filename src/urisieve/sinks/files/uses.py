"""The check that no file has two uses in one run: no input is also an output, under whatever names."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from stat import S_ISREG

from urisieve.errors import UsageError
from urisieve.lean.hints import Final
from urisieve.sinks.files.outputs import STANDARD_OUTPUT
from urisieve.sources.bytes.reading import STANDARD_INPUT

__all__ = ["check_uses"]

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
    if not uses:
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
