"""Imports follow the data: each wing imports only from those below it, nothing goes round, and the core does no I/O.

All imports count: those inside functions and those for the type checker too.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import urisieve

pytestmark = pytest.mark.once  # reads the sources

ROOT = Path(urisieve.__file__).parent
# From the bottom up: folders, and the modules that stand beside them. The core ends with `streams`.
WINGS = (
    *("_version", "lean", "quick_enums", "_kernel", "kernel", "wording", "errors", "shapes", "codes"),
    *("syntax", "rules", "merging", "finding_options", "judge", "records", "find"),
    *("identifiers", "streams"),
    *("explanation", "testing"),
    *("sources", "runs", "files", "dedupe", "sinks", "arrow", "data_sets", "sql", "sqlite", "duckdb", "spark"),
    *("scrapy", "rewriting", "logs", "cli"),
    *("options", "types"),
    *("__init__", "__main__"),
)
CORE = WINGS[: WINGS.index("streams") + 1]
# `plugins` looks for what is installed, as an import does; `kernel` at the environment, and in a checkout at its files.
LOOK_AROUND = {"rules.plugins", "kernel", "kernel.built_from"}
INPUT_AND_OUTPUT = {
    *("argparse", "asyncio", "io", "logging", "os", "pathlib", "shutil", "socket", "subprocess", "sys", "tempfile"),
    "tqdm",
}
# A secret is drawn by it, and it says nothing of the world; `secrets` would load more at every start.
RANDOM = "os.urandom"
# Loaded when they are needed: at the top they would cost every start.
LATE = {"duckdb", "hashlib", "idna", "publicsuffixlist", "pyarrow", "pyspark", "regex", "tqdm"}
# Its classes are subclasses of those of Spark; `urisieve.spark` imports it when it registers them.
OF_SPARK = "spark.file_source"
MOST_MODULES = 15
MOST_LINES = 500
# The modules that may have more lines, by the reason.
TABLES = {"lean", "finding_options"}
PUBLIC_FUNCTIONS_WITH_DOCSTRINGS = {"identifiers", "streams", "files"}
LONGER = TABLES | PUBLIC_FUNCTIONS_WITH_DOCSTRINGS


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@cache
def _imports(tree: ast.Module) -> list[tuple[str, bool]]:
    """The names that a tree imports, and whether only later or for types."""
    return list(_imports_in(tree, late=False))


def _imports_in(node: ast.AST, late: bool) -> Iterator[tuple[str, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue
        if isinstance(child, ast.Import):
            yield from ((alias.name, late) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "relative imports are not used"
            yield from ((f"{child.module}.{alias.name}", late) for alias in child.names)
        else:
            inside = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef))
            yield from _imports_in(child, late or inside or _is_type_checking(child))


def _name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


@cache
def _trees() -> dict[str, ast.Module]:
    files = [*ROOT.rglob("*.py"), *ROOT.rglob("*.pyi")]  # the latter for the compiled kernel
    return {_name(file): ast.parse(file.read_text(encoding="utf-8"), str(file)) for file in files}


def _ours(name: str) -> str | None:
    """The module of the package that an imported name is, or stands in; `__init__` for those of the package itself."""
    package, _, rest = name.partition(".")
    if package != "urisieve":
        return None
    while rest and rest not in _trees():
        rest = rest.rpartition(".")[0]
    return rest or "__init__"


def _needs(tree: ast.Module) -> set[str]:
    return {module for name, _ in _imports(tree) if (module := _ours(name)) is not None}


def _breaches(module: str, needs: Iterable[str]) -> list[str]:
    """The modules of higher wings that a module imports."""
    own = WINGS.index(module.partition(".")[0])
    return [f"{module} imports {other}" for other in needs if WINGS.index(other.partition(".")[0]) > own]


def test_every_module_imports_only_from_its_own_wing_and_from_lower_ones() -> None:
    assert {module.partition(".")[0] for module in _trees()} == set(WINGS)
    found = [breach for module, tree in _trees().items() for breach in _breaches(module, _needs(tree))]
    assert found == []
    # A breach is seen, wherever the import stands.
    later = ast.parse("def later():\n    import urisieve.streams\nif TYPE_CHECKING:\n    from urisieve import Record")
    assert _breaches("records.record", sorted(_needs(later))) == [
        "records.record imports __init__",
        "records.record imports streams",
    ]


def test_imports_do_not_go_round() -> None:
    needs = {module: _needs(tree) - {module} for module, tree in _trees().items()}
    assert len(list(TopologicalSorter(needs).static_order())) == len(_trees())
    needs["errors"].add("cli")
    try:
        TopologicalSorter(needs).prepare()
    except CycleError:
        return
    raise AssertionError("a circle is not seen")


def test_one_module_decides_what_a_stream_of_bytes_is() -> None:
    signs = {f"sources.kinds.{name}" for name in ("table_signs", "text_signs", "mail_signs", "odd_lines")}
    asking = {module for module, tree in _trees().items() if _needs(tree) & signs}
    # Mailboxes are split by the patterns that they are known by, and readers find where a document below lines begins.
    begins = {"sources.structured.json_documents", "sources.xml.xml_documents"}
    assert asking - signs == {"sources.kinds.sniffing", "sources.mail.mailboxes", *begins}


def test_one_module_decides_whether_the_kernel_is_used() -> None:
    assert {module for module, tree in _trees().items() if "_kernel" in _needs(tree)} == {"kernel"}
    asking = {
        module for module, tree in _trees().items() for name, _ in _imports(tree) if name == "urisieve.kernel.compiled"
    }
    assert asking == set(), "use `either` or `of_kernel`"


def test_folders_are_small_and_names_tell_one_thing_each() -> None:
    folders = Counter(file.parent for file in ROOT.rglob("*.py") if not file.name.startswith("__"))
    assert [f"{folder.name}: {number}" for folder, number in folders.items() if number > MOST_MODULES] == []
    modules = Counter(module.rpartition(".")[2] for module, tree in _trees().items() if not _is_folder(module))
    assert [name for name, number in modules.items() if number > 1] == []
    classes = Counter(
        node.name
        for module, tree in _trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and module != "_kernel"  # its classes are named as those they stand for
    )
    assert [name for name, number in classes.items() if number > 1] == []


def test_modules_are_short_enough_for_one_person_to_carry_on() -> None:
    files = ROOT.rglob("*.py")
    assert _too_long({_name(file): len(file.read_text(encoding="utf-8").splitlines()) for file in files}) == []
    (message,) = _too_long({"find.search": 501, "find.pivots": 500, "lean": 900})
    assert message.startswith("find.search has 501 lines")


def _too_long(lines: Mapping[str, int]) -> list[str]:
    """What is to be done about each module with too many lines."""
    return [
        f"{module} has {number} lines, more than {MOST_LINES}: first see what can go (dead code, what is said twice, "
        "what a lower layer or a library does), then divide it where its subject changes; only tables stay longer"
        for module, number in lines.items()
        if number > MOST_LINES and module not in LONGER
    ]


def _is_folder(module: str) -> bool:
    return (ROOT / module.replace(".", "/")).is_dir()


def test_the_core_does_no_input_or_output() -> None:
    for module, tree in _trees().items():
        if module.partition(".")[0] not in CORE or module in LOOK_AROUND:
            continue
        imported = {name for name, _ in _imports(tree)} - {RANDOM}
        assert {name.partition(".")[0] for name in imported} & INPUT_AND_OUTPUT == set(), module
        called = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert called & {"open", "print", "input"} == set(), module


def test_dear_modules_are_imported_late() -> None:
    early = {
        (module, name)
        for module, tree in _trees().items()
        for name, late in _imports(tree)
        if not late and name.partition(".")[0] in LATE and (module, name.partition(".")[0]) != (OF_SPARK, "pyspark")
    }
    assert early == set()
