"""Docstrings: every example in them is run, and each call on text or files has one."""

from __future__ import annotations

import ast
import doctest
from importlib import import_module
from importlib.util import find_spec
from inspect import getdoc, isclass, isfunction
from operator import attrgetter
from pathlib import Path
from pkgutil import walk_packages

import pytest

import print_reference
import urisieve
from tests.helpers.folders import ROOT

MODULES = sorted(module.name for module in walk_packages(urisieve.__path__, "urisieve."))


def _has_examples(name: str) -> bool:
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return spec.origin.endswith(".py") and ">>> " in Path(spec.origin).read_text("utf-8")


# C9: what a user meets first says in an editor how it is used.
CALLS = [
    *("aextract", "asieve", "extract", "extract_documents", "extract_each", "extract_files"),
    *("is_valid", "sieve", "sieve_documents", "sieve_files"),
]
CLASSES = [
    *(f"options.{name}" for name in ("MailParts", "BinaryFiles", "Carrier", "InputKind", "Keep", "Limits")),
    *("options.PathFilter", "KeySet", "ReadingOptions", "Store", "Tally", "deduplicate"),
]


@pytest.mark.parametrize("name", [name for name in MODULES if _has_examples(name)])
def test_examples_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # where the samples are
    if name == "urisieve.spark.file_source":  # its classes are subclasses of those of Spark 4
        pytest.importorskip("pyspark.sql.datasource")
    if name == "urisieve.scrapy":
        pytest.importorskip("scrapy")
    if name == "urisieve.sql":
        pytest.importorskip("duckdb")
    failed, _ = doctest.testmod(import_module(name))
    assert failed == 0


@pytest.mark.parametrize("name", CALLS)
def test_each_call_has_an_example(name: str) -> None:
    text = getdoc(getattr(urisieve, name)) or ""
    assert ">>> " in text
    assert name in text.partition(">>> ")[2]
    assert name == "is_valid" or all(f"\n{section}:\n" in text for section in ("Args", "Yields", "Raises"))


@pytest.mark.parametrize("name", CLASSES)
def test_each_class_has_an_example(name: str) -> None:
    assert name.rpartition(".")[2] in (getdoc(attrgetter(name)(urisieve)) or "").partition(">>> ")[2]


def test_extract_says_first_what_a_list_of_strings_is() -> None:  # C8
    lines = (getdoc(urisieve.extract) or "").splitlines()
    assert lines[2].startswith("For many texts, such as a list or a column, there is `extract_each`")


# Each public name of these wings has an example in its docstring, and each function names what it raises.
WINGS = ("codes", "errors", "explanation", "finding_options", "identifiers", "resolver", "rules", "syntax")
EXPLAINED = [
    f"{package.__name__}.{name}".removeprefix("urisieve.")
    for package in (urisieve, urisieve.types, urisieve.options)
    for home, names in package._HOME.items()
    if home.partition(".")[0] in WINGS
    for name in names.split()
]


@pytest.mark.parametrize("name", EXPLAINED)
def test_each_public_name_has_an_example(name: str) -> None:
    value = attrgetter(name)(urisieve)
    text = getdoc(value) or ""
    assert name.rpartition(".")[2] in text.partition(">>> ")[2]
    assert isinstance(value, type) or "\nRaises:\n" in text


PACKAGE = Path(urisieve.__file__).parent  # of the source, or of an installed wheel
SOURCES = sorted(PACKAGE.rglob("*.py"))
PUBLIC = {
    name: value
    for names in print_reference.grouped().values()
    for name in names
    if isclass(value := attrgetter(name)(urisieve)) or isfunction(value)
}


@pytest.mark.parametrize("name", PUBLIC)
def test_each_public_class_and_function_has_an_example(name: str) -> None:
    assert name.rpartition(".")[2] in (PUBLIC[name].__doc__ or "").partition(">>> ")[2]


def test_examples_run_of_a_class_that_names_the_package_as_its_module() -> None:
    (example,) = doctest.DocTestFinder(recurse=False).find(urisieve.InvalidIdentifierError, "InvalidIdentifierError")
    assert doctest.DocTestRunner().run(example) == (0, 2)


def test_no_docstring_begins_with_what() -> None:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for path in SOURCES:
        nodes = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, documented)]
        assert [text for node in nodes if (text := ast.get_docstring(node) or "").startswith("What")] == [], path
