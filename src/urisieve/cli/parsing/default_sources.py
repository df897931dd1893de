"""Where defaults of options may stand: variables `URISIEVE_*` of the environment, and the file that holds a table.

Each start looks for them, so it costs a few calls of `stat`; nothing is read or imported where nothing is found.
"""

from __future__ import annotations

import os
from stat import S_ISREG

from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple

__all__ = ["PREFIX", "Sources", "found_sources"]

PREFIX: Final = "URISIEVE_"
# Variables that are about no option: how the package runs and how it is built.
_OTHERS: Final = frozenset([f"{PREFIX}PURE", f"{PREFIX}BUILD"])
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
    """

    variables: dict[str, str]
    path: str = ""
    text: bytes = b""


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
    file = None if variables.get(_NO_TABLE, "0") != "0" else _nearest_file()
    if file is None:
        return Sources(variables) if variables else None
    return Sources(variables, *file)


def _nearest_file() -> tuple[str, bytes] | None:
    """Return the path and the content of the nearest file with a table, in the current folder or one above it.

    The search ends at the root of a repository, at the home folder, and at the root of the file system.
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
                with open(path, "rb") as file:
                    text = file.read()
                if name == _FILES[0] or _may_hold_table(text):
                    return path, text
        above = os.path.dirname(folder)
        if above == folder or folder == home or os.path.lexists(os.path.join(folder, _ROOT)):
            return None
        folder = above


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
