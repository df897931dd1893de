"""Build the source distribution and the wheel as they are published, twice, and try them in empty environments.

    python tools/try_release.py [--into FOLDER]

- two builds at one SOURCE_DATE_EPOCH: the wheels are the same bytes, the source distributions hold the same files;
- `auditwheel show`: the kernel runs with the glibc of manylinux2014 (2.17) and later ones;
- `twine check --strict`; the source distribution holds every file that git tracks, but for those of the repository
  alone;
- the wheel, the source distribution (compiled) and the source distribution without a compiler, each in an environment
  of its own: `pip check` and tools/try_wheel.py.

It needs the extra `release`, a compiler, and a checkout of git.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from zipfile import ZipFile

ROOT: Final = Path(__file__).resolve().parent.parent
# What a source distribution does not need: how the repository is checked.
LEFT_OUT: Final = (".ci/",)
# What setuptools writes beside what is tracked.
WRITTEN: Final = ("PKG-INFO", "setup.cfg", "src/urisieve.egg-info/")
# The second number of the version of glibc: that of manylinux2014 (PEP 599).
OLDEST_LIBRARY: Final = 17
LICENSES: Final = ("LICENSE", "NOTICE")


def _run(*command: str | Path, cwd: Path = ROOT, environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-5000:]}{done.stderr[-5000:]}")
    return done.stdout


def tracked() -> set[str]:
    """Return the files of the repository that are published."""
    names = _run("git", "ls-files").splitlines()
    return {name for name in names if not name.startswith(LEFT_OUT)}


def build(folder: Path) -> tuple[Path, Path]:
    """Build from a clean copy; return the source distribution and the wheel."""
    copy = folder / "source"
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    epoch = _run("git", "log", "-1", "--format=%ct").strip()
    _run(
        *(sys.executable, "-m", "build", "-q", "-o", folder / "dist", copy),
        environment={"URISIEVE_BUILD": "require", "SOURCE_DATE_EPOCH": epoch},
    )
    (sdist,), (wheel,) = (folder / "dist").glob("*.tar.gz"), (folder / "dist").glob("*.whl")
    return sdist, wheel


def contents(sdist: Path) -> dict[str, str]:
    """Return the files of a source distribution with the digests of their bytes."""
    with tarfile.open(sdist) as archive:
        return {
            member.name.partition("/")[2]: hashlib.sha256(file.read()).hexdigest()
            for member in archive
            if member.isfile() and (file := archive.extractfile(member))
        }


def check_files(sdist: Path, wheel: Path) -> None:
    """Check that nothing is missing and nothing is there that nobody tracks."""
    held = {name for name in contents(sdist) if not name.startswith(WRITTEN)}
    if held != tracked():
        sys.exit(f"missing: {sorted(tracked() - held)}\nextra: {sorted(held - tracked())}")
    with ZipFile(wheel) as archive:
        names = archive.namelist()
    for name in LICENSES:
        if not any(path.endswith(f".dist-info/licenses/{name}") for path in names):
            sys.exit(f"{wheel.name} holds no {name}")


def check_libraries(wheel: Path) -> None:
    """Check that the kernel needs no newer glibc than that of manylinux2014."""
    if platform.libc_ver()[0] == "glibc":
        said = _run(sys.executable, "-m", "auditwheel", "show", wheel)
        tag = re.search(r'"(manylinux_2_(\d+)_\w+)"', said)
        if tag is None or int(tag[2]) > OLDEST_LIBRARY:
            sys.exit(f"{wheel.name} needs a newer glibc than 2.{OLDEST_LIBRARY}\n{said}")
        print(f"{wheel.name}: fits {tag[1]}", flush=True)


def install(folder: Path, name: str, package: Path, *options: str, **environment: str) -> None:
    """Install into an empty environment and try it."""
    home = folder / name
    _run(sys.executable, "-m", "venv", home)
    python = home / "bin" / "python"
    pip = (python, "-m", "pip", "--disable-pip-version-check", "--no-cache-dir")
    _run(*pip, "install", "-q", package, cwd=folder, environment=environment)
    _run(*pip, "check")
    print(f"{name}: {_run(python, ROOT / 'tools' / 'try_wheel.py', *options, cwd=folder).strip()}", flush=True)


def main() -> int:
    """Build and try; return the status for the shell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, help="where the distributions are left")
    into = parser.parse_args().into
    with tempfile.TemporaryDirectory() as name:
        first, second = Path(name, "first"), Path(name, "second")
        (sdist, wheel), (sdist_again, wheel_again) = build(first), build(second)
        if wheel.read_bytes() != wheel_again.read_bytes():
            sys.exit("two builds of the wheel are not the same bytes")
        if contents(sdist) != contents(sdist_again):
            sys.exit("two builds of the source distribution do not hold the same files")
        print(f"{sdist.name} and {wheel.name}: built twice, the same", flush=True)
        check_files(sdist, wheel)
        check_libraries(wheel)
        _run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
        install(Path(name), "wheel", wheel)
        install(Path(name), "sdist", sdist)
        install(Path(name), "sdist-without-compiler", sdist, "--pure", CC=str(Path(name, "no-compiler")))
        if into:
            into.mkdir(parents=True, exist_ok=True)
            for path in (sdist, wheel):
                shutil.copy2(path, into)
    return 0


if __name__ == "__main__":
    sys.exit(main())
