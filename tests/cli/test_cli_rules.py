"""`urisieve schemes` and `urisieve namespaces`, and the pages printed from the same rows."""

from __future__ import annotations

import csv
import importlib.util
import io
from types import ModuleType

import pytest

from tests.cli.test_cli import modules_after
from tests.helpers.cli_support import call
from tests.helpers.folders import ROOT
from urisieve.rules.registry import registered_schemes
from urisieve.rules.scheme_table import described, scheme_rule
from urisieve.rules.table import namespaces


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        (["schemes", "http*", "DOI"], ["doi", "http", "httpd", "https"]),
        (["schemes", "telephone"], ["tel"]),
        (["schemes", "ws?"], ["wss"]),
        (["schemes", "nonsense"], []),
        (["namespaces", "isbn"], ["isbn"]),
        (["namespaces", "serial*", "SERIALS"], ["issn"]),
    ],
)
def test_patterns(argv: list[str], names: list[str]) -> None:
    found = call(*argv, "--format", "jsonl")
    expected = [name for name in names if name in registered_schemes() or argv[0] == "namespaces"]
    assert [row["name"] for row in found.rows] == expected
    assert found.status == (0 if expected else 1)


def test_all_schemes_and_namespaces_are_listed() -> None:
    rows = {row["name"]: row for row in call("schemes", "--format", "jsonl").rows}
    assert set(rows) == {*described(), *registered_schemes()}
    assert {name for name, row in rows.items() if row["rules"] == "own"} == set(described())
    assert rows["http"]["default_port"] == "80"
    assert rows["http"]["drops_port"] is True
    assert rows["adt"]["rules"] == "registry"
    assert rows["tel"]["parts"][:2] == ["number", "phone_context"]
    assert "same" not in rows["http"]
    found = {row["name"]: row for row in call("namespaces", "--format", "jsonl").rows}
    assert set(found) == {row.name for row in namespaces()}
    assert found["isbn"]["rules"] == "own"
    assert found["example"]["rules"] == "base"
    assert "registrant" in found["isbn"]["parts"]


def test_examples_are_those_of_the_rows() -> None:
    row = call("schemes", "--examples", "--format", "jsonl", "tel").rows[0]
    rule = scheme_rule("tel")
    assert [tuple(pair) for pair in row["same"]] == list(rule.same)
    assert [tuple(pair) for pair in row["different"]] == list(rule.different)
    lines = call("schemes", "--examples", "tel").lines
    assert [f"    {first} = {second}" for first, second in rule.same] == [line for line in lines if " = " in line]
    assert [f"    {first} ≠ {second}" for first, second in rule.different] == [line for line in lines if " ≠ " in line]


def test_text() -> None:
    assert call("schemes", "http").lines == [
        "http  Hypertext Transfer Protocol (RFC 9110 4.2.1)",
        "    registered, permanent; authority required; port 80 is left out",
        "    without case: scheme and host (RFC 3986 6.2.2.1)",
    ]
    assert call("schemes", "adt").lines == [
        "adt  known to the registry only",
        "    registered, provisional; the rules of all URIs",
    ]


@pytest.mark.parametrize("command", ["schemes", "namespaces"])
def test_csv_has_the_fields_of_json(command: str) -> None:
    rows = call(command, "--format", "jsonl", "--examples").rows
    table = list(csv.DictReader(io.StringIO(call(command, "--format", "csv", "--examples").out.decode())))
    assert [row["name"] for row in table] == [row["name"] for row in rows]
    assert list(table[0]) == list(rows[0])
    for line, row in zip(table, rows, strict=True):
        assert line["same"] == " | ".join(f"{first} = {second}" for first, second in row["same"])
        assert line["registered"] == str(row["registered"]).lower()


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("print_rules", ROOT / "tools" / "print_rules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", ["schemes", "namespaces", "explain", "merging", "redirectors"])
def test_the_pages_are_the_tables(page: str) -> None:
    assert (ROOT / "docs" / f"{page}.md").read_text("utf-8") == _tool().PAGES[page]()


def test_other_commands_do_not_load_these() -> None:
    added = {
        "urisieve.explanation",
        "urisieve.judge.spans",
        "urisieve.judge.steps",
        "urisieve.cli.about_rules",
        "urisieve.sinks.drawing",
    }
    assert not modules_after("--help") & added
    assert not modules_after("check", "http://a.example/") & added
    assert added <= modules_after("explain", "http://a.example/")
