"""Try a wheel with the lowest and the newest versions of what it needs, on each Python that is there.

    python tools/try_versions.py --wheel dist/urisieve-*.whl
    python tools/try_versions.py --python python3.13 --python ~/3.14/bin/python --lowest -- tests/arrow/test_arrow.py
    python tools/try_versions.py --list

Each case is an environment of its own, made by uv in a temporary folder: the versions are resolved from pyproject.toml,
from wheels alone, for that Python. Then `pip check` of uv and tools/try_wheel.py are run in it, and pytest with what
follows `--`. Unless Pythons are named, the newest of each version is tried, of those on the PATH and those that pyenv
has, also if it does not choose them. A Python without the stable ABI (free-threaded, PyPy) gets the source distribution
beside the wheel, else this folder, and must have no kernel. Nothing is downloaded but packages.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
# How Pythons are called: `t` means free-threaded.
NAMED: Final = re.compile(r"(?:python|pypy)3\.\d+t?")
OLDEST: Final = (3, 11)
# What a Python says of itself, a value a line.
ASKED: Final = """
import sys, sysconfig
print(sys.implementation.name, *sys.version_info[:3], int(bool(sysconfig.get_config_var("Py_GIL_DISABLED"))))
"""
RESOLUTIONS: Final = {"lowest": "lowest-direct", "newest": "highest"}
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
OWN: Final = "urisieve["  # the extras of tests take in those of users
_TESTED: Final = [str(one) for name in ("test", "frames") for one in PROJECT["optional-dependencies"][name]]


class Python(NamedTuple):
    """A Python to try: its path, what it is, and whether it has the stable ABI that a wheel is for."""

    path: str
    name: str
    version: tuple[int, ...]
    has_kernel: bool

    def __str__(self) -> str:
        return f"{self.name} {'.'.join(map(str, self.version))}"


def extras() -> list[str]:
    """Return the extras that the tests take in: those of users, without engines such as Spark."""
    own = (one for one in _TESTED if one.startswith(OWN))
    return [name for one in own for name in one.removeprefix(OWN).rstrip("]").split(",")]


def test_tools() -> list[str]:
    """Return what runs the tests; it is always of the newest version."""
    return [one for one in _TESTED if not one.startswith(OWN)]


def python_of(path: str | Path) -> Python | None:
    """Return what a Python is; None if it does not run, as the names of versions that pyenv does not choose."""
    try:
        done = subprocess.run([str(path), "-c", ASKED], capture_output=True, text=True, check=False)
    except OSError:
        return None
    if done.returncode:
        return None
    kind, *numbers, is_free = done.stdout.split()
    version = tuple(map(int, numbers))
    name = {"cpython": "CPython", "pypy": "PyPy"}.get(kind, kind) + " free-threaded" * int(is_free)
    return Python(str(path), name, version, kind == "cpython" and is_free == "0")


def available() -> list[Python]:
    """Return the newest Python of each version that runs here, the oldest first."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv", "versions")
    folders = [*map(Path, os.environ["PATH"].split(os.pathsep)), *pyenv.glob("*/bin")]
    found = [
        python
        for folder in dict.fromkeys(folders)
        for path in sorted(folder.glob("py*3.*"))
        if NAMED.fullmatch(path.name) and (python := python_of(path)) and python.version >= OLDEST
    ]
    newest = {(python.name, python.version[:2]): python for python in sorted(found, key=lambda one: one.version)}
    return sorted(newest.values(), key=lambda one: (one.name, one.version))


def _run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a command and return what it prints.

    Raises:
        SystemExit: it failed; what it printed is the message.
    """
    environment = {**os.environ, "UV_PYTHON_DOWNLOADS": "never", "UV_LINK_MODE": "copy"}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-5000:]}{done.stderr[-5000:]}")
    return done.stdout


def attempt(given: Python, versions: str, wheel: Path, folder: Path, *, with_extras: bool, tests: list[str]) -> str:
    """Make an environment, try it, and return a line about it."""
    home = folder / f"{given}-{versions}".replace(" ", "-")
    python, chosen = home / "bin" / "python", folder / f"{home.name}.txt"
    uv = (sys.executable, "-m", "uv")
    _run(*uv, "venv", "-q", "--clear", "--python", given.path, home)
    named = [part for name in (extras() if with_extras else []) for part in ("--extra", name)]
    resolved = ("--resolution", RESOLUTIONS[versions], "--only-binary", ":all:", "--no-header", "--no-annotate")
    _run(*uv, "pip", "compile", "-q", "pyproject.toml", *named, *resolved, "--python", given.path, "-o", chosen)
    tools = (
        test_tools() if tests and with_extras else ["pytest", "hypothesis", "jsonschema", "setuptools"] if tests else []
    )
    _run(*uv, "pip", "install", "-q", "--python", python, "--only-binary", ":all:", "-r", chosen, *tools)
    package = wheel if given.has_kernel else next(wheel.parent.glob("*.tar.gz"), ROOT)
    _run(*uv, "pip", "install", "-q", "--python", python, "--no-deps", package)
    _run(*uv, "pip", "check", "-q", "--python", python)
    _run(python, ROOT / "tools" / "try_wheel.py", *([] if given.has_kernel else ["--pure"]), cwd=folder)
    way = "the kernel" if given.has_kernel else "pure"
    told = f"{given}, {way}, {versions}: {' '.join(chosen.read_text('utf-8').split())}"
    if tests:
        os.environ["PATH"] = f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"
        told += f"; {_run(python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', *tests).splitlines()[-1]}"
    return told


def main() -> int:
    """Try all cases; return the status for the shell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", help="a Python, by name or path; repeatable")
    parser.add_argument("--wheel", type=Path, help="the wheel to try; built if none is named")
    parser.add_argument("--lowest", action="store_true", help="the lowest versions alone")
    parser.add_argument("--newest", action="store_true", help="the newest versions alone")
    parser.add_argument("--extras", action="store_true", help="with the extras of users too")
    parser.add_argument("--list", action="store_true", help="print the Pythons that would be tried")
    parser.add_argument("tests", nargs="*", help="arguments for pytest, behind --")
    asked = parser.parse_args()
    wanted = [name for name in RESOLUTIONS if getattr(asked, name)] or list(RESOLUTIONS)
    pythons = [
        python_of(name) or sys.exit(f"{name}: no Python that runs") for name in asked.python or ()
    ] or available()
    if asked.list:
        print(*(f"{python}: {python.path}" for python in pythons), sep="\n")
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = asked.wheel
        if wheel is None:
            _run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ".")
            (wheel,) = folder.glob("*.whl")
        for python in pythons:
            for versions in wanted:
                told = attempt(python, versions, wheel.resolve(), folder, with_extras=asked.extras, tests=asked.tests)
                print(told, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
