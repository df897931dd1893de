"""Try a wheel with the lowest and the newest versions of what it needs, on each Python that is there.

    python tools/try_versions.py --wheel dist/urisieve-*.whl
    python tools/try_versions.py --python python3.13 --lowest --extras -- tests/arrow/test_arrow.py

Each case is an environment of its own, made by uv in a temporary folder: the versions are resolved from pyproject.toml,
from wheels alone, for that Python. Then `pip check` of uv and tools/try_wheel.py are run in it, and pytest with what
stands behind `--`. Pythons are looked for as python3.11 to python3.14 on the PATH unless they are named; nothing is
downloaded but packages.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
PYTHONS: Final = ("python3.11", "python3.12", "python3.13", "python3.14")
RESOLUTIONS: Final = {"lowest": "lowest-direct", "newest": "highest"}
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
OWN: Final = "urisieve["  # the extras of tests take in those of users
_TESTED: Final = [str(one) for name in ("test", "frames") for one in PROJECT["optional-dependencies"][name]]


class Case(NamedTuple):
    """An environment to try."""

    python: str
    versions: str


def extras() -> list[str]:
    """Return the extras that the tests take in: those of users, without engines such as Spark."""
    own = (one for one in _TESTED if one.startswith(OWN))
    return [name for one in own for name in one.removeprefix(OWN).rstrip("]").split(",")]


def test_tools() -> list[str]:
    """Return what runs the tests; it is always of the newest version."""
    return [one for one in _TESTED if not one.startswith(OWN)]


def available() -> list[str]:
    """Return the Pythons that are there and run: a name on the PATH may be that of a version that is not chosen."""
    asks = "import sys; sys.exit(sys.version_info < (3, 11))"
    return [
        name
        for name in PYTHONS
        if shutil.which(name) and subprocess.run([name, "-c", asks], capture_output=True).returncode == 0
    ]


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


def attempt(case: Case, wheel: Path, folder: Path, *, with_extras: bool, tests: list[str]) -> str:
    """Make an environment, try it, and return a line about it."""
    home = folder / f"{Path(case.python).name}-{case.versions}"
    python, chosen = home / "bin" / "python", folder / f"{home.name}.txt"
    uv = (sys.executable, "-m", "uv")
    _run(*uv, "venv", "-q", "--clear", "--python", case.python, home)
    named = [part for name in (extras() if with_extras else []) for part in ("--extra", name)]
    resolved = ("--resolution", RESOLUTIONS[case.versions], "--only-binary", ":all:", "--no-header", "--no-annotate")
    _run(*uv, "pip", "compile", "-q", "pyproject.toml", *named, *resolved, "--python", case.python, "-o", chosen)
    tools = (
        test_tools() if tests and with_extras else ["pytest", "hypothesis", "jsonschema", "setuptools"] if tests else []
    )
    _run(*uv, "pip", "install", "-q", "--python", python, "--only-binary", ":all:", "-r", chosen, *tools)
    _run(*uv, "pip", "install", "-q", "--python", python, "--no-deps", wheel)
    _run(*uv, "pip", "check", "-q", "--python", python)
    _run(python, ROOT / "tools" / "try_wheel.py", cwd=folder)
    version = _run(python, "-c", "import platform; print(platform.python_version())").strip()
    told = f"{version}, {case.versions}: {' '.join(chosen.read_text('utf-8').split())}"
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
    parser.add_argument("tests", nargs="*", help="arguments for pytest, behind --")
    asked = parser.parse_args()
    wanted = [name for name in RESOLUTIONS if getattr(asked, name)] or list(RESOLUTIONS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = asked.wheel
        if wheel is None:
            _run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ".")
            (wheel,) = folder.glob("*.whl")
        for python in asked.python or available():
            for versions in wanted:
                case = Case(python, versions)
                print(attempt(case, wheel.resolve(), folder, with_extras=asked.extras, tests=asked.tests), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
