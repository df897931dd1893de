"""From paths to files: folders in a stable order, and lists of paths in files."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import translate
from functools import cached_property

from urisieve import shapes
from urisieve.errors import InputError, UsageError
from urisieve.finding_options import choice
from urisieve.lean import Final, dataclass
from urisieve.quick_enums import StrEnum
from urisieve.sources.bytes.reading import STANDARD_INPUT, WalkedPath, read_blocks
from urisieve.sources.tally import Tally

# Bytes of the longest path in a list: Linux allows 4,096 bytes, Windows 32,767 characters.
_PATH_LIMIT: Final = 131_072


class HiddenFiles(StrEnum):
    """How files and folders whose names begin with a dot are read.

    >>> from urisieve.options import HiddenFiles, PathFilter
    >>> PathFilter().hidden is HiddenFiles.SKIP, PathFilter(hidden=True).hidden
    (True, <HiddenFiles.READ: 'read'>)
    """

    SKIP = "skip"
    """They are skipped in folders; one that is named itself is read."""
    READ = "read"


@dataclass(frozen=True, kw_only=True)
class PathFilter:
    """Selects the files of folders that are read; a file that is named itself is always read.

    Patterns are those of `fnmatch` (`*`, `?`, `[...]`). A pattern with a slash matches the path below the folder that
    is named: `**/` matches any number of folders, and `*` does not cross a slash. A pattern without a slash matches the
    name of the file or of any folder above it.

    >>> from urisieve.options import PathFilter
    >>> logs = PathFilter(include=["*.log"], exclude=["old"])
    >>> logs.takes("2026/web.log"), logs.takes("2026/web.txt"), logs.leaves("2026/old")
    (True, False, 'excluded')

    Attributes:
        include: patterns of which a file must match at least one; empty to read all files.
        exclude: patterns of which files and folders must match none.
        hidden: whether files and folders whose names begin with a dot are read: a member of `HiddenFiles`, its string,
            or a boolean.

    Raises:
        UsageError: a pattern is empty, or `hidden` is not one of the choices.
    """

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    hidden: HiddenFiles | str | bool = HiddenFiles.SKIP

    def __post_init__(self) -> None:
        hidden = choice(HiddenFiles, self.hidden, "hidden", (HiddenFiles.SKIP, HiddenFiles.READ))
        object.__setattr__(self, "hidden", hidden)
        for name in ("include", "exclude"):
            object.__setattr__(self, name, tuple(shapes.names(name, getattr(self, name), "patterns")))
        _ = self._included, self._excluded  # so that an invalid pattern is reported here

    @cached_property
    def _included(self) -> tuple[re.Pattern[str], ...]:
        return tuple(map(_pattern, self.include))

    @cached_property
    def _excluded(self) -> tuple[re.Pattern[str], ...]:
        return tuple(map(_pattern, self.exclude))

    def takes(self, path: str) -> bool:
        """Report whether a file matches `include`; `path` is relative to the folder named, with slashes."""
        shapes.text("path", path)
        return not self._included or any(pattern.search(path) for pattern in self._included)

    def leaves(self, path: str) -> str | None:
        """Return why a file or a whole folder is skipped, `hidden` or `excluded`; None if it is not."""
        shapes.text("path", path)
        if self.hidden is HiddenFiles.SKIP and path.rpartition("/")[2].startswith("."):
            return "hidden"
        return "excluded" if any(pattern.search(path) for pattern in self._excluded) else None


def _pattern(glob: str) -> re.Pattern[str]:
    """Return the regular expression that searches a path with slashes for a glob."""
    if not glob.strip("/"):
        raise UsageError(f"the pattern {glob!r} matches nothing")
    if "/" not in glob.rstrip("/"):
        inner = _translated(glob.rstrip("/"))
        return re.compile(rf"(?:\A|/){inner}(?:/|\Z)", re.DOTALL)
    parts = glob.strip("/").split("/")
    inner = "".join("(?:[^/]+/)*" if part == "**" else f"{_translated(part)}/" for part in parts[:-1])
    last = ".*" if parts[-1] == "**" else _translated(parts[-1])
    return re.compile(rf"\A{inner}{last}(?:/|\Z)", re.DOTALL)


def _translated(glob: str) -> str:
    """Translate one part of a path like `fnmatch`, but so that no wildcard matches a slash."""
    return "".join(
        "[^/]" if piece == "?" else "[^/]*" if piece.startswith("*") else _literal(piece)
        for piece in re.findall(r"\*+|\?|\[!?\]?[^\]]*\]|.", glob, re.DOTALL)
    )


def _literal(piece: str) -> str:
    if len(piece) == 1:
        return re.escape(piece)
    return "(?!/)" + translate(piece).removeprefix("(?s:").removesuffix(")\\Z").removesuffix(r")\z")


def find_files(paths: Iterable[str], *, tally: Tally, choice: PathFilter | None = None) -> Iterator[str]:
    """Yield the files that paths name: each file unchanged, and the files of each folder in the order of their names.

    Links to files and folders are followed, but not into a folder that is being walked already. Sockets, FIFOs and
    devices are skipped in folders, and read if they are named themselves (`<(command)` is a FIFO). A file or folder
    that is missing or cannot be read is counted as broken, with a message, and the others are read.

    Args:
        paths: files, folders, or `-` for standard input.
        tally: counts everything skipped and broken, as `file` or `folder`.
        choice: selects the files of folders; all that are not hidden by default.

    Yields:
        paths to open; a path below a folder begins with the path of the folder as it was named, and is a `WalkedPath`.
    """
    choice = PathFilter() if choice is None else choice
    for path in paths:
        if path != STANDARD_INPUT and os.path.isdir(path):
            yield from _walk(path, tally, choice)
        else:
            yield path


def _walk(top: str, tally: Tally, choice: PathFilter) -> Iterator[str]:
    """Yield the files below a folder, without recursion."""
    root = _Folder(top, "", _identity(top), tally)
    above = [root]
    active = {root.identity}
    while above:
        folder = above[-1]
        name = next(folder.names, None)
        if name is None:
            active.discard(above.pop().identity)
            continue
        path = os.path.join(folder.path, name)
        below = f"{folder.below}{name}"
        reason = choice.leaves(below)
        if reason is not None:
            tally.skip("file" if os.path.isfile(path) else "folder", reason)
            continue
        try:
            status = os.stat(path)
        except OSError as error:
            if os.path.islink(path):
                tally.skip("file", "dangling-link")
            else:
                tally.fault("file", "unreadable", f"{path}: {error.strerror}")
            continue
        if stat.S_ISDIR(status.st_mode):
            identity = (status.st_dev, status.st_ino)
            if identity in active:
                tally.skip("folder", "loop")
                continue
            active.add(identity)
            above.append(_Folder(path, f"{below}/", identity, tally))
        elif not choice.takes(below):
            tally.skip("file", "not-included")
        elif stat.S_ISREG(status.st_mode):
            yield WalkedPath(path)
        else:
            tally.skip("file", _SPECIAL.get(stat.S_IFMT(status.st_mode), "special"))


_SPECIAL: Final = {
    stat.S_IFSOCK: "socket",
    stat.S_IFIFO: "fifo",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


# The folders of a Maildir; messages in `tmp` are incomplete.
_MAILDIR: Final = frozenset(["cur", "new", "tmp"])
# Files that only a folder of MH holds; its messages are read in the order of their numbers.
_MH: Final = frozenset([".mh_sequences", ".xmhcache", ".mh_profile"])


class _Folder:
    """A folder that is being walked: the names in it that are left, in order."""

    def __init__(self, path: str, below: str, identity: tuple[int, int], tally: Tally) -> None:
        self.path = path
        self.below = below
        self.identity = identity
        self.names: Iterator[str] = iter(())
        try:
            names = sorted(os.listdir(path), key=os.fsencode)
            if _MAILDIR.issubset(names):
                names = ["new", "cur", *(name for name in names if name not in _MAILDIR)]
                tally.skip("folder", "unfinished-mail")
            elif not _MH.isdisjoint(names):
                tally.skipped["file", "removed-mail"] += sum(name.startswith(",") for name in names)
                names = [name for name in names if not name.startswith(",")]
                names.sort(key=lambda name: (0, int(name)) if name.isascii() and name.isdecimal() else (1, 0))
            self.names = iter(names)
            tally.read["folder"] += 1
        except OSError as error:
            tally.fault("folder", "unreadable", f"{path}: {error.strerror}")


def _identity(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return (-1, -1)
    return status.st_dev, status.st_ino


def listed_paths(path: str) -> Iterator[str]:
    """Yield the paths that a file lists; empty ones are skipped.

    NULs separate them where the first block of the list has one, else line feeds; a carriage return before a line feed
    is removed, too.

    Args:
        path: the file, `-` for standard input.

    Raises:
        InputError: the list cannot be read, or an entry is longer than 131,072 bytes.
    """
    rest = separator = b""
    for block in read_blocks(path):
        separator = separator or (b"\0" if b"\0" in block else b"\n")
        *whole, rest = (rest + block).split(separator)
        for entry in whole:
            yield from _entry(entry, separator)
        if len(rest) > _PATH_LIMIT:
            raise InputError(f"an entry is longer than {_PATH_LIMIT:,} bytes: is this a list of paths?")
    yield from _entry(rest, separator)


def _entry(entry: bytes, separator: bytes) -> Iterator[str]:
    if separator == b"\n":
        entry = entry.removesuffix(b"\r")
    if entry:
        yield os.fsdecode(entry)
