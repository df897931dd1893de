"""No file has two uses in one run: what is read is not written to, by whatever names."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from stat import S_ISREG
from typing import Final

from urisieve.cli.outputs import STANDARD_OUTPUT
from urisieve.errors import UsageError
from urisieve.sources.bytes.reading import STANDARD_INPUT

__all__ = ["check_uses"]

# Stands for standard output where "-" would be standard input; no path.
_STANDARD: Final = "\0output"


def check_uses(
    written: Iterable[tuple[str, Sequence[str]]], read: Iterable[str], *, listed: str | None = None, replaced: str = ""
) -> None:
    """See that no file is given two uses, by whatever names: other spellings of a path, links, hard links.

    Nothing is opened.

    Args:
        written: what each file that is written is for, and its path; then those of files beside it.
        read: the files that are read, those of folders among them.
        listed: the file that names these.
        replaced: the use whose file may be read, since it is replaced when it is complete.

    Raises:
        UsageError: two uses are of one file.
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
                raise UsageError(f"{name}: is read, and is the file of {uses[mark]}, too: give that another file")


def _marks(paths: Iterable[str], *, known: bool = False) -> Iterator[object]:
    """What two names of one file have in common; of devices and pipes nothing.

    `known`: its number is enough where it is there.
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
