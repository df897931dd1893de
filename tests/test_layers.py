"""Imports follow the data: a module imports only from its own layer or from lower ones, and the core does no I/O."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import urisieve

ROOT = Path(urisieve.__file__).parent
# From the bottom up; `registry`, `namespaces`, `schemes`, `sources`, `dedupe` and `cli` are packages.
LAYERS = (
    ("_version", "errors", "codes", "place", "registry", "plugins", "printable", "rows", "nearest"),
    ("components", "faults", "grammar", "namespaces"),
    ("delimited", "host", "scripts", "passwords", "repair"),
    ("schemes",),
    ("rules",),
    ("options",),
    ("canonical", "iri"),
    ("urn", "validator", "normalizer"),
    ("judge", "steps"),
    (
        "cuts",
        "delimiters",
        "extent",
        "pivot",
        "assumed",
        "defanged",
        "wanted_schemes",
        "candidates",
        "judgements",
        "finder",
    ),
    ("value", "record", "rejection", "urn_record", "resolver", "identifiers"),
    ("lines", "search", "scanner"),
    ("streams", "explanation", "testing"),
    ("sources",),
    ("documents", "parts", "processes"),
    ("files",),
    ("dedupe",),
    ("cli",),
    ("__init__", "__main__"),
)
LAYER_OF = {module: number for number, modules in enumerate(LAYERS) for module in modules}
# `plugins` looks for what is installed, as an import does.
CORE = tuple(module for modules in LAYERS[: LAYERS.index(("sources",))] for module in modules if module != "plugins")
INPUT_AND_OUTPUT = {
    "argparse",
    "asyncio",
    "io",
    "logging",
    "os",
    "pathlib",
    "shutil",
    "socket",
    "subprocess",
    "sys",
    "tempfile",
    "tqdm",
}
# Loaded when they are needed: at the top they would cost every start.
LATE = {"duckdb", "hashlib", "idna", "pyarrow", "regex", "tqdm"}


def _files() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


def _name(file: Path) -> str:
    return file.relative_to(ROOT).parts[0].removesuffix(".py")


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _imports(node: ast.AST, typing: bool = False, late: bool = False) -> Iterator[tuple[str, bool, bool]]:
    """The modules that a tree imports: name, whether only for the type checker, whether inside a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, typing, late) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "relative imports are not used"
            if child.module == "urisieve":
                yield from ((f"urisieve.{alias.name}", typing, late) for alias in child.names)
            elif child.module:
                yield child.module, typing, late
        else:
            inside = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from _imports(child, typing or _is_type_checking(child), late or inside)


def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


def _ours(name: str) -> str | None:
    """The module of this package that an import names; names of `__init__` are no modules."""
    first, _, rest = name.partition(".")
    module = rest.partition(".")[0]
    return None if first != "urisieve" else module if module in LAYER_OF else "__init__"


def _breaches(name: str, tree: ast.Module) -> list[str]:
    """The imports of a module from a higher layer, other than for types."""
    found = []
    for imported, typing, _ in _imports(tree):
        other = _ours(imported)
        if imported in ("urisieve.__version__", "urisieve._version"):
            continue
        if other is not None and not typing and LAYER_OF[other] > LAYER_OF[name]:
            found.append(f"{name} imports {imported}")
    return found


def test_every_module_has_a_layer() -> None:
    assert {_name(file) for file in _files()} == set(LAYER_OF)
    assert len(LAYER_OF) == sum(map(len, LAYERS))


@pytest.mark.parametrize("file", _files(), ids=lambda file: str(file.relative_to(ROOT)))
def test_imports_go_down(file: Path) -> None:
    assert _breaches(_name(file), _tree(file)) == []


def test_no_module_needs_itself() -> None:
    needs: dict[str, set[str]] = {}
    for file in _files():
        modules = {_ours(name) for name, typing, late in _imports(_tree(file)) if not typing and not late}
        needs.setdefault(_name(file), set()).update(module for module in modules if module is not None)
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join((*path, module))
        if module not in done:
            for other in needs.get(module, set()) - {module}:
                visit(other, (*path, module))
            done.add(module)

    for module in needs:
        visit(module, ())
    assert done == set(LAYER_OF)


@pytest.mark.parametrize("module", CORE)
def test_the_core_does_no_input_or_output(module: str) -> None:
    files = [ROOT / f"{module}.py"] if (ROOT / f"{module}.py").exists() else sorted((ROOT / module).rglob("*.py"))
    assert files
    for file in files:
        tree = _tree(file)
        assert {name.partition(".")[0] for name, _, _ in _imports(tree)} & INPUT_AND_OUTPUT == set()
        called = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert called & {"open", "print", "input"} == set()


@pytest.mark.parametrize("file", _files(), ids=lambda file: str(file.relative_to(ROOT)))
def test_dear_modules_are_imported_late(file: Path) -> None:
    early = {name.partition(".")[0] for name, typing, late in _imports(_tree(file)) if not typing and not late}
    assert early & LATE == set()


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("grammar", "from urisieve.scanner import Scanner"),
        ("record", "def later():\n    import urisieve.streams"),
        ("streams", "from urisieve import sources"),
        ("codes", "from urisieve import Record"),
    ],
)
def test_a_breach_is_seen(module: str, text: str) -> None:
    assert len(_breaches(module, ast.parse(text))) == 1


def test_an_import_for_types_is_none() -> None:
    assert _breaches("errors", ast.parse("if TYPE_CHECKING:\n    from urisieve.record import Rejection")) == []
