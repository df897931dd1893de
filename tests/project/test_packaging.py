"""What is built from this source: a wheel with the kernel, without it where that is asked for or nothing else works.

Nothing here needs the network: the build backend is the one that the extra `test` installs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.helpers.cli_support import PATIENCE
from tests.helpers.folders import ROOT
from urisieve import __version__

pytestmark = pytest.mark.once  # the builds and what they install are run without URISIEVE_PURE, see `INHERITED`

FILES = ["LICENSE", "MANIFEST.in", "NOTICE", "README.md", "pyproject.toml", "setup.py"]
PURE = f"urisieve-{__version__}-py3-none-any.whl"
NO_COMPILER = {"CC": os.path.join(os.sep, "nonexistent", "cc")}
COMPILER = (sysconfig.get_config_var("CC") or "cc").split()[0]
HEADERS = Path(sysconfig.get_path("include"), "Python.h")
# What the tests are run with decides nothing here.
INHERITED = {name: value for name, value in os.environ.items() if name not in ("CC", "URISIEVE_BUILD", "URISIEVE_PURE")}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of what is packed, with the rests of earlier builds that a working copy may hold."""
    copy = tmp_path / "source"
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "_kernel.*"))
    shutil.copy(ROOT / "src" / "urisieve" / "_kernel.pyi", copy / "src" / "urisieve")
    for name in FILES:
        shutil.copy(ROOT / name, copy)
    shutil.copytree(ROOT / "docs" / "man", copy / "docs" / "man")
    (copy / "src" / "urisieve" / "_kernel.abi3.so").write_bytes(b"of an earlier build")
    for platform in ("lib", f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"):
        rest = copy / "build" / platform / "urisieve" / "removed_since.py"
        rest.parent.mkdir(parents=True)
        rest.touch()
    return copy


def build(source: Path, hook: str, **environment: str) -> tuple[str, str]:
    """Call a hook of the build backend (PEP 517); return the name of what it made and what it said."""
    code = f"from setuptools import build_meta; print(build_meta.{hook}('dist'))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=source,
        env={**INHERITED, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return "" if done.returncode else done.stdout.splitlines()[-1], done.stdout


def unpacked(wheel: Path) -> Path:
    """The folder of an unpacked wheel, which is all that the installation of this one does."""
    folder = wheel.parent / "unpacked"
    with ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run(folder: Path, *argv: str, text: str = "", **environment: str) -> tuple[str, str]:
    """What the command prints that is imported from a folder, and its messages."""
    done = subprocess.run(
        [sys.executable, "-m", "urisieve", *argv],
        cwd=folder.parent,
        env={**INHERITED, "PYTHONPATH": str(folder), **environment},
        input=text,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    return done.stdout, done.stderr


def manual() -> set[str]:
    """The man pages, as a wheel holds what is installed beside the package."""
    pages = (ROOT / "docs" / "man").glob("*.1")
    return {f"urisieve-{__version__}.data/data/share/man/man1/{page.name}" for page in pages}


def modules() -> set[str]:
    package = ROOT / "src" / "urisieve"
    kinds = ("*.py", "*.pyi", "*.txt", "*.css", "*.js", "*.bash", "*.zsh", "*.fish")
    files = [*(file for kind in kinds for file in package.rglob(kind)), package / "py.typed"]
    return {file.relative_to(package.parent).as_posix() for file in files}


@pytest.mark.long
@pytest.mark.parametrize("environment", [NO_COMPILER, {"URISIEVE_BUILD": "pure"}], ids=["no compiler", "pure"])
def test_a_wheel_without_the_kernel_is_for_all_platforms(source: Path, environment: dict[str, str]) -> None:
    name, output = build(source, "build_wheel", **environment)
    assert name == PURE, output
    folder = unpacked(source / "dist" / name)
    held = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    assert {file for file in held if ".dist-info/" not in file} == modules() | manual()
    assert len(manual()) > 5
    version, hint = run(folder, "--version")  # H7
    assert version == f"urisieve {__version__} (pure)\n"
    assert re.fullmatch(r"urisieve: searches in pure Python, .* install a C compiler, .* \(pip install .*\)\n", hint)
    assert run(folder, "extract", "--version") == (version, hint)
    assert run(folder, "--version", URISIEVE_PURE="1") == (version, "")
    assert run(folder, "extract", "--quiet", text="(HTTP://A.example:80)") == ("http://a.example/\n", "")


@pytest.mark.long
@pytest.mark.skipif(not (shutil.which(COMPILER) and HEADERS.exists()), reason="no compiler or no headers of Python")
@pytest.mark.skipif(bool(sysconfig.get_config_var("Py_GIL_DISABLED")), reason="no stable ABI")
def test_a_wheel_with_the_kernel_is_for_all_versions(source: Path) -> None:
    name, output = build(source, "build_wheel", URISIEVE_BUILD="require")
    assert re.fullmatch(rf"urisieve-{re.escape(__version__)}-cp311-abi3-\w+\.whl", name), output
    folder = unpacked(source / "dist" / name)
    held = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    binary = {file for file in held if re.fullmatch(r"urisieve/_kernel(\.abi3[\w-]*)?\.(so|pyd)", file)}
    assert len(binary) == 1
    assert {file for file in held if ".dist-info/" not in file} == modules() | binary | manual()
    assert run(folder, "--version") == (f"urisieve {__version__} (kernel)\n", "")


@pytest.mark.long
@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({**NO_COMPILER, "URISIEVE_BUILD": "require"}, "nonexistent"),
        ({"URISIEVE_BUILD": "yes"}, "URISIEVE_BUILD: 'yes' is not a choice; use require or pure"),
    ],
)
def test_what_cannot_be_built_as_asked_is_an_error(source: Path, environment: dict[str, str], message: str) -> None:
    name, output = build(source, "build_wheel", **environment)
    assert name == ""
    assert message in output


def test_an_editable_install_leaves_no_earlier_kernel(source: Path) -> None:
    name, output = build(source, "build_editable", **NO_COMPILER)
    assert name, output
    assert not (source / "src" / "urisieve" / "_kernel.abi3.so").exists()


@pytest.mark.long
def test_the_source_distribution_holds_the_kernel_and_nothing_built(source: Path) -> None:
    name, output = build(source, "build_sdist", **NO_COMPILER)
    with tarfile.open(source / "dist" / name) as archive:
        held = {member.name.partition("/")[2] for member in archive if member.isfile()}
    packed = {file.relative_to(ROOT).as_posix() for file in (ROOT / "src" / "kernel").iterdir() if file.is_file()}
    assert {file for file in held if file.startswith("src/kernel/")} == packed, output
    assert {file for file in held if file.startswith("src/urisieve/")} == {f"src/{file}" for file in modules()}
    pages = {file.relative_to(ROOT).as_posix() for file in (ROOT / "docs" / "man").glob("*.1")}
    assert {file for file in held if file.startswith("docs/man/")} == pages


def test_the_tutorial_lists_the_extras_of_users() -> None:
    table = (ROOT / "docs" / "tutorial.md").read_text("utf-8").partition("| extra | for |")[2].partition("\n\n")[0]
    cells = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    listed = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    of_developers = {"bench", "check", "docs", "frames", "fuzz", "houses", "mutate", "release", "test"}
    assert sorted(listed) == sorted(set(extras) - of_developers)
    own = {one for extra in extras.values() for text in extra for one in re.findall(r"urisieve\[(.*)\]", text)}
    assert {name for text in own for name in text.split(",")} <= set(extras)
