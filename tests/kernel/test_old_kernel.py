"""A kernel that was not built from the sources beside it is not used, and that is reported once (O1)."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

import pytest

import urisieve
from tests.helpers.folders import ROOT
from urisieve.codes import Component, Reason, Warn
from urisieve.kernel import OLD_KERNEL, compiled, kernel
from urisieve.kernel.built_from import COMMAND, INPUTS
from urisieve.options import Bare, MergeStep, RedactedPart
from urisieve.records.base import RecordFields
from urisieve.syntax.components import Components

_SOURCES = Path(urisieve.__file__).parents[1]
needs_kernel = pytest.mark.skipif(
    not compiled or not (_SOURCES / "kernel").exists(), reason="a checkout with a kernel is needed"
)
TEXT = (
    "<http://a.example/x?#top> http://www.a.example/x?#top http://a.example/x? crate:serde HTTP://A.example:80/%7e\n"
    "http://joe@a.example/x, and http://a.example/x|y news:comp.lang|c http://a.example:8o/ http://a.example/x?b=2&a=1\n"
) * 3
# Each is a change of a file that the kernel in the copy does not know, and its first lines must still be right.
CHANGES = {
    "step": [
        (
            "urisieve/merging.py",
            '    NUMERIC_PORT = "numeric-port"',
            '    OTHER = "other"\n    NUMERIC_PORT = "numeric-port"',
        ),
        (
            "urisieve/rules/registry/merge_steps.txt",
            "step: numeric-port",
            "step: other\nreference: none\nmeaning: nothing\n\nstep: numeric-port",
        ),
    ],
    "scheme": [
        ("urisieve/rules/scheme_table.py", '"packages": "pkg:"', '"packages": "pkg: crate:"'),
        (
            "urisieve/rules/rows/packages.py",
            "ROWS: Final = (\n",
            'ROWS: Final = (\n    Scheme(name="crate", title="a crate", reference="none", shape="[a-z]+"),\n',
        ),
    ],
    "warning": [
        ("urisieve/codes.py", "    SCHEME_CUT = (", '    OTHER = "other", "RFC 3986", "nothing"\n    SCHEME_CUT = (')
    ],
    "kernel": [("kernel/find.c", "#include", "#define NOTHING_NEW 1\n#include")],
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(_SOURCES, tmp_path_factory.mktemp("copy") / "src"))


def run(source: Path, *argv: str, pure: str = "") -> tuple[bytes, str]:
    """Run the command of a copy; return what it writes, and what it says of old kernels."""
    settings = {**os.environ, "PYTHONPATH": str(source), "URISIEVE_PURE": pure}
    command = [sys.executable, "-m", "urisieve", *argv]
    done = subprocess.run(command, env=settings, capture_output=True, check=True)
    return done.stdout, "".join(line for line in done.stderr.decode().splitlines() if OLD_KERNEL in line)


@pytest.mark.sampled(3)
@needs_kernel
@pytest.mark.parametrize("change", CHANGES)
def test_a_kernel_of_other_sources_is_not_used(change: str, copy: Path, tmp_path: Path) -> None:
    source = Path(shutil.copytree(copy, tmp_path / "src"))
    for name, old, new in CHANGES[change]:
        text = (source / name).read_text("utf-8")
        assert text.count(old) >= 1, f"{name} has no {old}"
        (source / name).write_text(text.replace(old, new, 1), "utf-8")
    for number in range(2):
        (tmp_path / f"{number}.txt").write_text(TEXT, "utf-8")
    command = ["extract", "--format", "jsonl", "--merge", "empty-query,drop-anchor", "--jobs", "2"]
    paths = [str(tmp_path / f"{number}.txt") for number in range(2)]
    found, said = run(source, *command, *paths)
    assert said.count(f"{OLD_KERNEL}: {COMMAND}") == 1  # the workers do not say it again
    assert found == run(source, *command, *paths, pure="1")[0]
    assert found.count(b'"http://www.a.example/x"') > 2
    assert (b"crate:serde" in found) == (change == "scheme")


@needs_kernel
def test_what_the_kernel_is_not_made_of_makes_it_no_older(copy: Path, tmp_path: Path) -> None:
    source = Path(shutil.copytree(copy, tmp_path / "src"))
    assert run(source, "--version") == (f"urisieve {urisieve.__version__} (kernel)\n".encode(), "")
    for name, line in (("merging.py", "# A comment.\n"), ("cli/program.py", "ANYTHING = 1\n")):
        with (source / "urisieve" / name).open("a", encoding="utf-8") as file:
            file.write(line)
    assert run(source, "--version") == (f"urisieve {urisieve.__version__} (kernel)\n".encode(), "")


@needs_kernel
def test_the_tests_refuse_an_old_kernel_at_once(copy: Path, tmp_path: Path) -> None:
    source = Path(shutil.copytree(copy, tmp_path / "src"))
    text = (source / "kernel" / "find.c").read_text("utf-8")
    (source / "kernel" / "find.c").write_text(text.replace("size_t", "SIZE_T", 1), "utf-8")  # of the same size
    os.utime(source / "kernel" / "find.c", (0, 0))
    shutil.copytree(ROOT / "tests" / "helpers", tmp_path / "tests" / "helpers")
    for name in ("__init__.py", "conftest.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests")
    (tmp_path / "tests" / "test_it.py").write_text("def test_it() -> None:\n    pass\n")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(source), str(tmp_path)]), "URISIEVE_PURE": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, check=False)
    assert (done.returncode, "passed" in done.stdout) == (4, False)
    assert f"old kernel: {OLD_KERNEL}: {COMMAND}" in done.stdout + done.stderr


@pytest.mark.once
def test_what_the_tables_are_made_of_is_all_that_their_tool_imports() -> None:
    tree = ast.parse((ROOT / "tools" / "generate_kernel_tables.py").read_text("utf-8"))
    names = [
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("urisieve")
        for alias in node.names
    ]
    package = Path(urisieve.__file__).parent
    used = set()
    for name in names:
        path = name.partition(".")[2].replace(".", "/")
        file = path if (package / f"{path}.py").exists() else path.rpartition("/")[0]
        folder = file.rpartition("/")[0]
        used.add(folder if folder in INPUTS else file if (package / file).is_dir() else f"{file}.py")
    assert used - {"kernel/built_from.py"} <= set(INPUTS)
    assert all((package / name).exists() for name in INPUTS)


@needs_kernel
@pytest.mark.parametrize(
    ("listed", "names"),
    [
        ("MERGE_STEPS", MergeStep),
        ("HIDDEN_PARTS", RedactedPart),
        ("COMPONENTS", Components._fields),
        ("FIELDS", RecordFields._fields),
    ],
)
def test_the_kernel_knows_all_names_of_a_kind(listed: str, names: Iterable[str]) -> None:
    known = getattr(kernel, listed)
    assert known[: len(list(names))] == tuple(map(str, names))


@needs_kernel
def test_the_names_of_the_kernel_are_those_of_python() -> None:
    kinds: dict[str, type[StrEnum]] = {"WARNINGS": Warn, "REASONS": Reason, "COMPONENTS": Component}
    for listed, kind in kinds.items():
        assert set(getattr(kernel, listed)) <= set(map(str, kind)), listed
    assert set(map(str, Bare)) <= set(kernel.PIVOTS)
