"""Print how large the program is: lines, modules, and how many modules know what one place could decide.

Use: python tools/measure_house.py [FOLDER]
where FOLDER is the root of a working tree; without it, the one that this file stands in. Lines of code are those
without blank lines, comments and docstrings; data files do not count. Layouts are counted among those that are named
here: a new one is to be named too. Options are counted as `--help` of the command counts them: without those that each
command has (--help, --help-all, --version, --no-config).

A module knows of how a value leaves (passwords as digests of a secret, redacted parts, defanging, safe cells) if a
name in it has the word. Three things are not knowledge. A parameter that is handed on as it came: people call
`write_records(redact=...)`, and what it means is decided behind it. The name of the module in which the object stands
that is asked. And the wings in which nothing leaves: there text is read, also text that is defanged. How many modules
have the word anywhere stands beside it.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

_NO_CODE: Final = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER
}  # fmt: skip
# What decides how a value leaves, as its names say it.
_LEAVING: Final = {
    "secrets": re.compile(r"secret", re.IGNORECASE),
    "redacting": re.compile(r"redact", re.IGNORECASE),
    "defanging": re.compile(r"(?<!re)defang", re.IGNORECASE),
    "safe cells": re.compile(r"safe_?cells", re.IGNORECASE),
}
# The wings in which text is read and judged, and nothing leaves.
_READING: Final = ("syntax/", "rules/", "judge/", "find/")
# The attributes of a batch that can hold its rows, or the classes of these, each a layout of its own.
_LAYOUTS: Final = {"_columns", "_constants", "_rows", "_harvested", "Columns", "Harvested"}
_CHOOSING: Final = {"either", "of_kernel"}
# The pages that tools write, and what else nobody writes by hand in the others.
_WRITTEN: Final = {
    "codes.md",
    "explain.md",
    "merging.md",
    "namespaces.md",
    "redirectors.md",
    "schemes.md",
    "secrets.md",
}
_NOT_BY_HAND: Final = re.compile(r"(?ms)^ *```.*?^ *```|<!-- benchmarks:start -->.*?<!-- benchmarks:end -->")
_ASKING: Final = """
from urisieve import __all__ as names
from urisieve.cli.program import accepted
print(len(names))
for command in ("extract", "dedupe"):
    print(sum(1 for _ in accepted()[command][0].options))
"""


class Module(NamedTuple):
    """A module of the package.

    Attributes:
        name: its path below the package, without the ending.
        tree: what it says.
        code: how many lines of code it has.
        words: the names in it.
        decided: the names in it, but for those of parameters that are only handed on, and of modules.
    """

    name: str
    tree: ast.Module
    code: int
    words: frozenset[str]
    decided: frozenset[str]

    @classmethod
    def of(cls, path: Path, package: Path) -> Module:
        """Read a module."""
        tree = ast.parse(path.read_bytes())
        lines: set[int] = set()
        words = set()
        with path.open("rb") as file:
            for token in list(tokenize.tokenize(file.readline))[1:]:
                if token.type not in _NO_CODE:
                    lines.update(range(token.start[0], token.end[0] + 1))
                if token.type == tokenize.NAME:
                    words.add(token.string)
        for node in ast.walk(tree):
            match node:
                case ast.Expr(value=ast.Constant(value=str()), lineno=first, end_lineno=int(last)):
                    lines.difference_update(range(first, last + 1))
        name = path.relative_to(package).with_suffix("").as_posix()
        return cls(name, tree, len(lines), frozenset(words), frozenset(_decided(tree, frozenset())))

    @property
    def names_formats(self) -> bool:
        """Whether it names a member of `Format`."""
        return any(
            isinstance(node, ast.Attribute)
            and node.attr.isupper()
            and isinstance(node.value, ast.Name)
            and node.value.id == "Format"
            for node in ast.walk(self.tree)
        )

    @property
    def asks_for_kernel(self) -> int:
        """How many conditions of it ask whether the kernel is used, or has made a harvest."""
        imports = any(
            isinstance(node, ast.ImportFrom) and node.module == "urisieve.kernel" for node in ast.walk(self.tree)
        )
        asked = {"compiled"} if imports else set()
        found = 0
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert, ast.comprehension)):
                tests = node.ifs if isinstance(node, ast.comprehension) else [node.test]
                parts = [part for test in tests for part in ast.walk(test)]
                found += any(
                    (isinstance(part, ast.Name) and part.id in asked)
                    or (isinstance(part, (ast.Name, ast.Attribute)) and _named(part).lstrip("_").startswith("harvest"))
                    for part in parts
                )
        return found

    @property
    def chooses(self) -> int:
        """How many functions or classes it has in two ways, of which `urisieve.kernel` has chosen one."""
        calls = (node.func for node in ast.walk(self.tree) if isinstance(node, ast.Call))
        return sum(isinstance(name, ast.Name) and name.id in _CHOOSING for name in calls)

    def defined(self, name: str) -> ast.ClassDef | ast.FunctionDef | None:
        """The class or function of a name, if it has it."""
        nodes = (node for node in self.tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef)))
        return next((node for node in nodes if node.name == name), None)


def _decided(node: ast.AST, parameters: frozenset[str]) -> Iterator[str]:
    """Yield the names in a tree that are more than the handing on of `parameters`."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            parameters |= {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
        case ast.ImportFrom():
            yield from (one.name for one in node.names)
        case ast.Name():
            yield node.id
        case ast.Attribute():
            yield node.attr
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    handed = [*node.args, *(one.value for one in node.keywords)] if isinstance(node, ast.Call) else []
    for child in ast.iter_child_nodes(node):
        child = child.value if isinstance(child, ast.keyword) else child
        if child not in handed or not isinstance(child, ast.Name) or child.id not in parameters:
            yield from _decided(child, parameters)


def _named(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


class House:
    """A working tree."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @cached_property
    def modules(self) -> dict[str, Module]:
        """Its modules by name."""
        package = self.root / "src" / "urisieve"
        found = (Module.of(path, package) for path in sorted(package.rglob("*.py")))
        return {module.name: module for module in found}

    def forbidden(self) -> int:
        """How many combinations of options `dedupe` refuses: the rows of its table."""
        module = self.modules.get("cli/settings/dedupe_arguments")
        function = module.defined("conflict_of") if module else None
        for node in ast.walk(function) if function else ():
            match node:
                case ast.Assign(targets=[ast.Name(id="checks")], value=ast.Tuple(elts=rows)):
                    return len(rows)
        return 0

    def layouts(self) -> int:
        """How many of the known layouts a batch can have."""
        batch = self.modules["records/batch"].defined("Batch")
        words = {node.value for node in ast.walk(batch) if isinstance(node, ast.Constant)} if batch else set()
        for name in {"records/layouts", "records/harvested"} & self.modules.keys():
            words |= {node.name for node in self.modules[name].tree.body if isinstance(node, ast.ClassDef)}
        return len(_LAYOUTS & words)

    def spills(self) -> int:
        """How many modules make temporary files of data; those of sources copy what cannot be sought."""
        found = (module for name, module in self.modules.items() if not name.startswith("sources/"))
        return sum("tempfile" in module.words for module in found)

    def lines_of_c(self) -> int:
        """The lines of C that are written by hand, without blank lines and comments."""
        found = 0
        for path in (self.root / "src" / "kernel").glob("*.[ch]"):
            if path.stem != "tables":
                text = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text("utf-8"), flags=re.DOTALL)
                found += sum(line.strip() != "" for line in text.splitlines())
        return found

    def words_by_hand(self) -> int:
        """The words of the pages, without what tools write, their blocks of code, and the tables of benchmarks."""
        docs = self.root / "docs"
        pages = {*self.root.glob("*.md"), *docs.rglob("*.md")} - {docs / name for name in _WRITTEN}
        texts = (path.read_text("utf-8") for path in pages if docs / "reference" not in path.parents)
        return sum(len(_NOT_BY_HAND.sub("", text).split()) for text in texts)

    def rows(self) -> Iterator[tuple[str, object]]:
        """What is measured, and how much it is."""
        modules = self.modules.values()
        writing = [module for module in modules if not module.name.startswith(_READING)]
        leaving = {
            name: {module.name for module in writing if any(map(pattern.search, module.decided))}
            for name, pattern in _LEAVING.items()
        }
        patterns = _LEAVING.values()
        having = sum(any(pattern.search(word) for pattern in patterns for word in module.words) for module in modules)
        asked = [sys.executable, "-c", _ASKING]
        environment = {"PYTHONPATH": str(self.root / "src")}
        names, extract, dedupe = subprocess.run(
            asked, env=environment, capture_output=True, text=True, check=True
        ).stdout.split()
        yield "lines of code in Python", sum(module.code for module in modules)
        yield "modules", len(modules)
        yield "modules that name members of `Format`", sum(module.names_formats for module in modules)
        yield "conditions that ask for the kernel or its harvest", sum(module.asks_for_kernel for module in modules)
        yield "choices between the kernel and Python, made once", sum(module.chooses for module in modules)
        for name, found in leaving.items():
            yield f"modules that know of {name}", len(found)
        yield "modules that know of any of these", len(set().union(*leaving.values()))
        yield "modules that have one of these words", having
        yield "ways to spill to disk beside the store", self.spills()
        yield "layouts inside a batch", self.layouts()
        yield "combinations of options that `dedupe` refuses", self.forbidden()
        yield "options of `extract`", extract
        yield "options of `dedupe`", dedupe
        yield "public names", names
        yield "lines of C without the generated tables", self.lines_of_c()
        yield "words of documentation by hand", self.words_by_hand()

    def packages(self) -> Iterator[tuple[str, int, int]]:
        """Each package, with its modules and lines of code, the largest first."""
        lines: Counter[str] = Counter()
        count: Counter[str] = Counter()
        for module in self.modules.values():
            name = module.name.partition("/")[0] if "/" in module.name else "(root)"
            lines[name] += module.code
            count[name] += 1
        for name, number in lines.most_common():
            yield name, count[name], number


def main() -> None:
    """Print both tables."""
    if len(sys.argv) > 2:
        raise SystemExit(__doc__)
    house = House(Path(sys.argv[1]).resolve() if len(sys.argv) == 2 else Path(__file__).resolve().parent.parent)
    for name, value in house.rows():
        print(f"{name:<52} {value:>7}")
    print(f"\n{'package':<40} {'modules':>11} {'lines':>7}")
    for name, modules, lines in house.packages():
        print(f"{name:<40} {modules:>11} {lines:>7}")


if __name__ == "__main__":
    main()
