"""The site of the documentation: its pages of reference are what the code says, and its tables of claims hold."""

from __future__ import annotations

import json
import re
from importlib import import_module
from typing import Any

import jsonschema
import pytest

import print_reference
import urisieve
from tests.helpers.folders import ROOT

DOCS = ROOT / "docs"


@pytest.mark.parametrize("path", print_reference.PAGES)
def test_a_page_of_reference_is_what_the_code_says(path: str) -> None:
    assert (DOCS / path).read_text("utf-8") == print_reference.PAGES[path](), "run tools/print_reference.py"


def test_the_page_of_the_interface_has_each_public_name_once() -> None:
    page = (DOCS / "reference" / "api.md").read_text("utf-8")
    named = re.findall(r"^\.\. auto\w+:: ([\w.]+)$", page, re.MULTILINE)
    homes = (
        *(urisieve, urisieve.codes, urisieve.types, urisieve.options, urisieve.dedupe, urisieve.errors),
        *(urisieve.sinks, urisieve.sinks.statistics),
    )
    modules = {module.__name__: module.__all__ for module in homes}
    names = {f"{module}.{name}".removeprefix("urisieve.") for module, some in modules.items() for name in some}
    names -= {f"errors.{name}" for name in urisieve.__all__}
    beside = {name for group in print_reference.grouped().values() for name in group} - names
    assert {name.rpartition(".")[0] for name in beside} == {"explanation"}
    assert sorted(name.removeprefix("urisieve.") for name in named) == sorted(names - {"__version__"} | beside)


def test_each_group_of_the_interface_names_public_names() -> None:
    for names in print_reference.grouped().values():
        for name in names:
            module, _, last = f"urisieve.{name}".rpartition(".")
            assert last in import_module(module).__all__


# JSON Schemas

SCHEMAS = {
    kind: jsonschema.Draft202012Validator(json.loads((DOCS / f"{kind}.schema.json").read_text("utf-8")))
    for kind in ("record", "rejection")
}
REQUIRED = {kind: json.loads((DOCS / f"{kind}.schema.json").read_text("utf-8"))["required"] for kind in SCHEMAS}
LINES = [
    pytest.param("rejection" if ".rejected." in path.name else "record", line, id=f"{path.name}-{number}")
    for path in sorted((ROOT / "samples").glob("*.jsonl"))
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
]


def test_the_schemas_are_schemas_and_the_samples_have_lines() -> None:
    for validator in SCHEMAS.values():
        jsonschema.Draft202012Validator.check_schema(validator.schema)
    assert len(LINES) > 100


@pytest.mark.parametrize(("kind", "line"), LINES)
def test_a_line_of_the_samples_meets_its_schema(kind: str, line: str) -> None:
    value = json.loads(line)
    SCHEMAS[kind].validate(value)
    assert list(value) == REQUIRED[kind]


TEXTS = [
    *("http://[::1]:80/?#", "urn:isbn:0-395-36341-1", "http://bücher.example/ <http://a/b-\n c>", "http://a/%zz"),
    *("http://a:b@c.example/", "file:///a", "http://[fe80::1%25en0]/"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_each_value_of_the_library_meets_its_schema(text: str) -> None:
    values = list(urisieve.sieve(text))
    assert values
    for value in values:
        kind = "record" if isinstance(value, urisieve.Record) else "rejection"
        SCHEMAS[kind].validate(json.loads(json.dumps(value.as_dict())))


WRONG: list[tuple[str, Any]] = [
    *[("start", -1), ("start", None), ("schema", 2), ("kind", "url"), ("warnings", ["No Code"]), ("uri", None)],
    *[("host_kind", "dns"), ("port", 80), ("message", 0), ("alternatives", None)],
]


@pytest.mark.parametrize(("field", "value"), WRONG)
def test_the_schema_refuses(field: str, value: Any) -> None:
    good = urisieve.parse("http://example.com/").as_dict()
    SCHEMAS["record"].validate(good)
    with pytest.raises(jsonschema.ValidationError):
        SCHEMAS["record"].validate({**good, field: value})
    del good[field]
    with pytest.raises(jsonschema.ValidationError):
        SCHEMAS["record"].validate(good)


# The table of clauses

CLAUSES = (DOCS / "explanation" / "rfcs.md").read_text("utf-8")


def _clauses() -> list[Any]:
    rows = []
    for section in CLAUSES.split("\n## ")[1:]:
        title = section.partition("\n")[0]
        for line in section.splitlines():
            cells = [cell.strip() for cell in re.split(r"(?<=\s)\|(?=\s)|^\||\|$", line)][1:-1]
            if line.startswith("| ") and cells[0] not in ("section", "---"):
                rows.append(pytest.param(title, *cells, id=f"{title.split(':')[0]}-{cells[0]}"))
    return rows


def _character(found: re.Match[str]) -> str:
    return chr(int(found[1], 16))


@pytest.mark.parametrize(("title", "section", "asks", "does", "example"), _clauses())
def test_a_clause(title: str, section: str, asks: str, does: str, example: str) -> None:
    assert section
    assert asks
    assert does
    options = urisieve.Options(urn_syntax="rfc8141" if title.startswith("RFC 8141") else "rfc2141")
    example = re.sub(r"\{U\+([0-9A-F]+)\}", _character, example)
    if not example:
        pass
    elif inside := re.fullmatch(r"in `(.+?)`: `(.+?)`", example):
        assert [record.uri for record in urisieve.extract(inside[1], options=options)] == [inside[2]]
    else:
        claim = re.fullmatch(r"`(.+?)` (→|=|≠|is|has) `(.+?)`", example)
        assert claim is not None, "the notation is explained on the page"
        text, sign, other = claim.groups()
        value = urisieve.check(text, options=options)
        if sign == "is":
            assert isinstance(value, urisieve.Rejection)
            assert str(value.reason) == other
            return
        assert isinstance(value, urisieve.Record)
        if sign == "has":
            assert other in list(map(str, value.warnings))
        elif sign == "→":
            assert value.uri == other
        else:
            assert (value.key == urisieve.key(other, options=options)) is (sign == "=")
