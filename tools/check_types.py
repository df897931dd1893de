"""Checks the types that users see: the examples of pages and docstrings, the jobs of the tests, and one more program.

mypy, in strict mode, and pyright (as basedpyright, which pip installs with all that it needs) look at them in a folder
of their own, so that the package is found as it is installed, by its `py.typed`.

    python tools/check_types.py
"""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType

import urisieve

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "tools" / "typed_program.py"
JOBS = sorted((ROOT / "tests" / "jobs").glob("*/*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# The public modules beside the package itself.
MODULES = (
    *(
        "urisieve.arrow",
        "urisieve.codes",
        "urisieve.dedupe",
        "urisieve.duckdb",
        "urisieve.errors",
        "urisieve.explanation",
    ),
    *("urisieve.logs", "urisieve.options", "urisieve.rewriting", "urisieve.sinks", "urisieve.sinks.statistics"),
    *("urisieve.spark", "urisieve.sqlite", "urisieve.testing", "urisieve.types"),
)
# Names that pages take for given.
GIVEN = "from typing import Any\nspark: Any = None\n"
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
# Examples show no annotations; what they hold is checked all the same.
EXAMPLES_OF_MYPY = ("--allow-untyped-defs", "--allow-untyped-calls", "--allow-incomplete-defs", "--check-untyped-defs")
PYRIGHT = {
    "typeCheckingMode": "standard",
    "reportUnusedExpression": "none",
    "reportMissingTypeStubs": "none",
    "reportMissingModuleSource": "none",
    "reportMissingImports": "none",  # engines that are not installed here
    "reportAttributeAccessIssue": "error",
    "reportUnnecessaryTypeIgnoreComment": "error",
    "failOnWarnings": False,
}


def _lines(text: str) -> str:
    """Return the statements of the examples in a text, without those that raise an exception."""
    examples = doctest.DocTestParser().get_examples(text)
    return "".join(example.source for example in examples if example.exc_msg is None)


def _docstrings() -> Iterator[tuple[str, str]]:
    """Yield the public names with docstrings, and those of their methods."""
    for module in ("urisieve", *MODULES):
        home = import_module(module)
        for name in home.__all__:
            value = getattr(home, name)
            yield f"{module}.{name}", getattr(value, "__doc__", None) or ""
            bases = reversed(value.__mro__) if isinstance(value, type) else ()
            members = {
                key: one for base in bases if base.__module__.startswith("urisieve") for key, one in vars(base).items()
            }
            for method, member in members.items():
                member = getattr(member, "__func__", member)
                if not method.startswith("_") and isinstance(member, FunctionType):
                    yield f"{module}.{name}.{method}", f">>> from {module} import *\n\n{member.__doc__}"


def _examples() -> Iterator[tuple[str, str]]:
    """Yield all examples, each with a name."""
    for name, text in _docstrings():
        yield name, _lines(text)
    for page in PAGES:
        text = page.read_text("utf-8")
        yield page.stem, _lines(text)
        blocks = _BLOCK.findall(text)
        for number, block in enumerate(blocks):  # the first one of a page is the beginning of the others
            yield f"{page.stem}.block.{number}", f"{GIVEN}{block if number == 0 else f'{blocks[0]}{block}'}"


def _write(folder: Path) -> int:
    """Write each example to a file; return how many there are."""
    count = 0
    for name, code in _examples():
        if code.strip():
            (folder / f"example_{re.sub(r'[^A-Za-z0-9]+', '_', name)}.py").write_text(code, "utf-8")
            count += 1
    return count


def _environment() -> dict[str, str]:
    """Return the environment, with the place of the package if it is not an installed one."""
    place = Path(urisieve.__file__).resolve().parent.parent
    return os.environ if "site-packages" in place.parts else {**os.environ, "MYPYPATH": str(place)}  # type: ignore[return-value]


def _run(folder: Path, *command: str) -> bool:
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, env=_environment(), check=False)
    return done.returncode == 0


def main() -> int:
    """Check everything; return the status for the shell."""
    with tempfile.TemporaryDirectory() as place_of_all:
        folder = Path(place_of_all)
        count = _write(folder)
        program = folder / PROGRAM.name
        program.write_text(PROGRAM.read_text("utf-8"), "utf-8")
        place = str(Path(urisieve.__file__).resolve().parent.parent)
        jobs = [f"job_{path.stem}.py" for path in JOBS]
        for name, path in zip(jobs, JOBS, strict=True):
            (folder / name).write_text(path.read_text("utf-8"), "utf-8")
        settings = {**PYRIGHT, "extraPaths": [place], "strict": [program.name], "include": ["."]}
        (folder / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
        examples = sorted(path.name for path in folder.glob("example_*.py"))
        cache = ("--cache-dir", str(folder / "cache"))
        common = ("mypy", "--strict", "--ignore-missing-imports", "--no-error-summary", *cache)
        good = [
            _run(folder, *common, program.name, *jobs),
            _run(folder, *common, *EXAMPLES_OF_MYPY, *examples),
            _run(folder, "basedpyright", "--pythonpath", sys.executable),
        ]
    print(f"{count} examples, {len(jobs)} jobs and a program: {'types are right' if all(good) else 'types are wrong'}")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
