"""Where defaults of options may stand: variables `URISIEVE_*` of the environment, and the file that holds a table.

Each start looks for them, so it costs a few calls of `stat`; nothing is read or imported where nothing is found.
"""

from __future__ import annotations

import os
from stat import S_ISREG

from urisieve.lean import Final, NamedTuple

PREFIX: Final = "URISIEVE_"
# Set to 1, it shows where in this program an error of it was by which a file could not be read.
TRACEBACK: Final = f"{PREFIX}TRACEBACK"
# Variables that are about no option: how the package runs and how it is built.
_OTHERS: Final = frozenset([f"{PREFIX}PURE", f"{PREFIX}BUILD", TRACEBACK])
_NO_TABLE: Final = f"{PREFIX}NO_CONFIG"
# The file of this program comes before that of all tools of a project.
_FILES: Final = ("urisieve.toml", "pyproject.toml")
# A repository ends here; a folder that holds this one belongs to somebody else, or to everybody.
_ROOT: Final = ".git"
# What a table of a tool begins with, in one of the ways of TOML to write it.
_SIGNS: Final = (b"urisieve", b"tool")


class Sources(NamedTuple):
    """The variables and the file that were found.

    Attributes:
        variables: the variables, by name.
        path: the file that holds a table; "" if there is none.
        text: its content.
        foreign: the nearer files with a table that belong to other users, and so are not taken.
    """

    variables: dict[str, str]
    path: str = ""
    text: bytes = b""
    foreign: tuple[str, ...] = ()


def found_sources() -> Sources | None:
    """Return what may hold defaults; None if nothing does.

    Raises:
        OSError: a file cannot be read.
    """
    variables = {
        name: os.environ[name]
        for name in os.environ
        if name.startswith(PREFIX) and name not in _OTHERS and os.environ[name]
    }
    foreign: list[str] = []
    file = None if variables.get(_NO_TABLE, "0") != "0" else _nearest_file(foreign)
    if file is None:
        return Sources(variables, foreign=tuple(foreign)) if variables or foreign else None
    return Sources(variables, *file, tuple(foreign))


def _nearest_file(foreign: list[str]) -> tuple[str, bytes] | None:
    """Return the path and the content of the user's nearest file with a table, in the current folder or one above it.

    The search ends at the root of a repository, at the home folder, and at the root of the file system. Files of other
    users are passed over, and those with a table are added to `foreign`.
    """
    try:
        folder = os.getcwd()
    except OSError:  # it has been removed
        return None
    home = os.path.expanduser("~")
    while True:
        for name in _FILES:
            path = os.path.join(folder, name)
            if _is_file(path):
                text, is_own = _content(path)
                if name == _FILES[0] or _may_hold_table(text):
                    if is_own:
                        return path, text
                    foreign.append(path)
        above = os.path.dirname(folder)
        if above == folder or folder == home or os.path.lexists(os.path.join(folder, _ROOT)):
            return None
        folder = above


def _content(path: str) -> tuple[bytes, bool]:
    """Return the content of a file, and whether file and name belong to the user who runs the program.

    That of a file of somebody else which cannot be read is empty. Windows has no such numbers of users: there every
    file counts as the user's own.
    """
    user = getattr(os, "geteuid", lambda: 0)()
    is_own = os.lstat(path).st_uid == user
    try:
        with open(path, "rb") as file:
            return file.read(), is_own and os.fstat(file.fileno()).st_uid == user
    except OSError:
        if is_own and os.stat(path).st_uid == user:
            raise
        return b"", False


def _is_file(path: str) -> bool:
    try:
        return S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def _may_hold_table(text: bytes) -> bool:
    """Report whether a `pyproject.toml` may hold `[tool.urisieve]`, in whichever way it is written.

    A line that begins a table or a key with `tool` names this program, or stands for a table of tools.
    """
    if _SIGNS[0] not in text:
        return False
    for line in text.splitlines():
        line = line.lstrip(b" \t[\"'")
        if line.startswith(_SIGNS[1]):
            rest = line[len(_SIGNS[1]) :].lstrip(b" \t\"'")
            if rest[:1] in (b"]", b"=") or (rest[:1] == b"." and rest[1:].lstrip(b" \t\"'").startswith(_SIGNS[0])):
                return True
    return False
