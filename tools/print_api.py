"""Print the public interface, a line for each promise: names with their types, codes, fields, flags, exit statuses.

Use: python tools/print_api.py > tests/golden/api.txt
tests/project/test_api.py compares: a line that changes or goes is a change that breaks something; docs/versions.md says
which number the next version has.
"""

from __future__ import annotations

import csv
import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

import urisieve
from check_types import MODULES
from print_reference import described, record_schema, rejection_schema
from promised import MADE, is_promised
from urisieve.cli.without_command import STATUSES
from urisieve.dedupe.signature import CANONICAL_VERSION
from urisieve.dedupe.store.store_file import APPLICATION, LAYOUT
from urisieve.records.base import RecordFields, RejectionFields
from urisieve.records.field_table import FIELDS
from urisieve.rules.plugins import GROUPS
from urisieve.sql import FUNCTIONS

# Where the types stand of fields that a class has from the kernel or computes.
_FIELDS: Final[dict[type, type]] = {urisieve.Record: RecordFields, urisieve.Rejection: RejectionFields}
# The bases that the kernel and the code without it give to records, and others that nobody names.
_HIDDEN: Final = ("RecordBase", "_Fields", "_PlainFields", "HasComponents", "SourceReading", "StoreTables")
# Methods of the language that users call by their syntax.
_SYNTAX: Final = (
    *("__bool__", "__call__", "__contains__", "__enter__", "__exit__", "__getitem__", "__iter__", "__len__"),
    *("__aenter__", "__aexit__", "__aiter__", "__or__", "__add__"),
)


def _shown(value: object) -> str:
    """A value as it is written in code: no address, no module, whatever the version of Python."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, (set, frozenset)):
        return f"{type(value).__name__}({{{', '.join(sorted(map(_shown, value)))}}})"
    if isinstance(value, tuple) and type(value) is tuple:
        return f"({', '.join(map(_shown, value))}{',' * (len(value) == 1)})"
    if isinstance(value, type):
        return value.__name__
    if type(value).__module__.startswith("urisieve") or inspect.isroutine(value):
        return f"<{type(value).__name__}>"
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", repr(value))


def _type(annotation: object) -> str:
    text = annotation if isinstance(annotation, str) else _shown(annotation)
    return " ".join(text.replace("typing.", "").split())


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
    typed = "" if parameter.annotation is parameter.empty else f": {_type(parameter.annotation)}"
    default = "" if parameter.default is parameter.empty else f" = {_shown(parameter.default)}"
    return f"{stars}{parameter.name}{typed}{default}"


def _signature(function: Callable[..., Any]) -> str:
    """The parameters of a call, and what it returns."""
    signature = inspect.signature(function)
    parts: list[str] = []
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    for index, parameter in enumerate(signature.parameters.values()):
        earlier = kinds[:index]
        if earlier and earlier[-1] is parameter.POSITIONAL_ONLY and parameter.kind is not parameter.POSITIONAL_ONLY:
            parts.append("/")
        if parameter.kind is parameter.KEYWORD_ONLY and not {parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL} & {
            *earlier
        }:
            parts.append("*")
        parts.append(_parameter(parameter))
    if kinds and kinds[-1] is inspect.Parameter.POSITIONAL_ONLY:
        parts.append("/")
    returned = signature.return_annotation
    return f"({', '.join(parts)})" + ("" if returned is signature.empty else f" -> {_type(returned)}")


def _annotations(kind: type) -> dict[str, Any]:
    """The types of the fields of a class and of its bases."""
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        found |= inspect.get_annotations(base)
    return found | (_annotations(_FIELDS[kind]) if kind in _FIELDS else {})


def _own(kind: type) -> dict[str, Any]:
    """The public attributes that the package gives to a class, with what stands in the class for each."""
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.partition(".")[0] == "urisieve":
            found |= dict.fromkeys(inspect.get_annotations(base)) | dict(vars(base))
    return {
        name: value
        for name, value in found.items()
        if (not name.startswith("_") or name in _SYNTAX) and is_promised(kind.__name__, name)
    }


def _constructor(kind: type) -> str:
    """The signature by which a class is called; nothing where it is not called by users."""
    if issubclass(kind, BaseException) or getattr(kind, "_is_protocol", False) or kind.__name__ in MADE:
        return ""
    shown = _signature(kind)
    types = _annotations(kind)
    # The constructors of values are compiled late, and have no annotations.
    return re.sub(r"(?<=[(\s])(\w+)(?=[,)]| = )", lambda found: _typed(found[1], types), shown)


def _typed(name: str, types: dict[str, Any]) -> str:
    return f"{name}: {_type(types[name])}" if name in types else name


def _bases(kind: type) -> Iterator[str]:
    """The names of the bases of a class; instead of one that is hidden, those of its own."""
    for base in kind.__bases__:
        if base.__name__ in _HIDDEN:
            yield from _bases(base)
        elif base is not object:
            yield base.__name__


def _class(name: str, kind: type) -> Iterator[str]:
    bases = list(_bases(kind))
    parents = f"({', '.join(bases)})" if bases else ""
    if issubclass(kind, Enum):
        public = next(base for base in kind.__mro__[1:] if not base.__name__.startswith("_"))
        yield f"class {name}({public.__name__})"
        for member in kind:
            yield f"{name}.{member.name} = {_shown(member.value)}"
        return
    yield f"class {name}{parents}{' ' * bool(_constructor(kind))}{_constructor(kind)}"
    types = _annotations(kind)
    for attribute, value in sorted(_own(kind).items()):
        called = f"{name}.{attribute}"
        if isinstance(value, property):
            yield f"{called}: {_type(types.get(attribute) or getattr(value.fget, '__annotations__', {})['return'])}"
        elif isinstance(value, (classmethod, staticmethod)):
            yield f"{type(value).__name__} {called}{_signature(value.__func__)}"
        elif inspect.isfunction(value):
            yield f"{called}{_signature(value)}"
        elif attribute in types:
            yield f"{called}: {_type(types[attribute])}"
        elif attribute not in _SYNTAX:
            yield f"{called}"


def names(module: str) -> Iterator[str]:
    """The public names of a module."""
    home = import_module(module)
    for name in sorted(home.__all__):
        value = getattr(home, name)
        called = f"{module}.{name}"
        if name == "__version__" or inspect.ismodule(value):
            yield f"{called}"
        elif isinstance(value, type):
            yield from _class(called, value)
        elif inspect.isroutine(inspect.unwrap(value)):
            yield f"{called}{_signature(value)}"
        else:
            yield f"{called} = {_mapping(value) if isinstance(value, dict) else _shown(value)}"


def _mapping(value: dict[Any, Any]) -> str:
    return f"{{{', '.join(sorted(map(str, value)))}}}"


def flags() -> Iterator[str]:
    """What each command accepts."""
    for command in described():
        yield f"{command.name}"
        for argument in sorted((one for group in command.groups for one in group.arguments), key=lambda one: one.shown):
            choices = "|".join(map(str, argument.settings.get("choices") or ()))
            yield f"{command.name} {argument.shown}" + (f" ({choices})" if choices not in argument.shown else "")


def fields() -> Iterator[str]:
    """The fields of records and rejections, with their types in JSON, and those that outputs can name beside."""
    for kind, schema in (("record", record_schema()), ("rejection", rejection_schema())):
        for name, described_as in json.loads(schema)["properties"].items():
            narrowed = {key: value for key, value in described_as.items() if key != "description"}
            yield f"{kind} {name} {json.dumps(narrowed)}"
    yield from (f"--fields {name}" for name in FIELDS)


# Commands whose tables and documents are for programs, beside records and rejections.
_WRITERS: Final = (
    *("count --format csv", "count --format jsonl --spellings 1", "stats --format csv", "stats --format json"),
    *(
        "check --format jsonl --parts",
        "check --format csv --input csv --field u",
        "explain --format jsonl http://A.example",
    ),
    *("schemes --format csv ftp", "schemes --format jsonl ftp", "namespaces --format csv isbn"),
    *("namespaces --format jsonl isbn", "codes --format csv no-scheme", "codes --format jsonl no-scheme"),
)
_INPUT: Final = "u\nhttp://A.example/%7e\nhttp://a.example/~\nhttp://a.example:8x/\n"


def _paths(value: object, before: str = "") -> Iterator[str]:
    """The paths of the members of a value of JSON; `[]` is each item of a list."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f"{before}{name}"
            yield from _paths(inner, f"{before}{name}.")
    elif isinstance(value, list):
        for inner in value:
            yield from _paths(inner, f"{before.removesuffix('.')}[].")


def outputs() -> Iterator[str]:
    """The columns and members of what commands write for programs."""
    environment = {**os.environ, "PYTHONPATH": str(Path(urisieve.__file__).parent.parent), "URISIEVE_NO_CONFIG": "1"}
    for writer in _WRITERS:
        command, _, kind, *_ = words = writer.split()
        done = subprocess.run(
            [sys.executable, "-m", "urisieve", *words],
            input=_INPUT,
            capture_output=True,
            encoding="utf-8",
            env=environment,
            check=False,
        )
        if kind == "csv":
            found = next(csv.reader(done.stdout.splitlines()))
        else:
            documents = done.stdout.splitlines() if kind == "jsonl" else [done.stdout]
            found = [path for document in documents for path in _paths(json.loads(document))]
        yield from (f"{command} {kind} {name}" for name in dict.fromkeys(found))


def formats() -> Iterator[str]:
    """The versions of what is stored, and the names that other programs use."""
    yield f"canonical forms {CANONICAL_VERSION}"
    yield f"store application_id {APPLICATION} user_version {LAYOUT}"
    yield from (f"entry point {group}" for group in GROUPS)
    yield from (f"SQL {name} returns {kind}" for name, kind in FUNCTIONS.items())
    yield from (f"exit status {status}" for status, _ in STATUSES)


def sections() -> dict[str, list[str]]:
    """All lines, by sections."""
    return {
        **{module: list(names(module)) for module in ("urisieve", *MODULES)},
        "fields": list(fields()),
        "outputs": list(outputs()),
        "formats": list(formats()),
        "commands": list(flags()),
    }


def text() -> str:
    """The whole text."""
    head = (
        "# The public interface, printed by tools/print_api.py; docs/versions.md says what a change of a line means.\n"
    )
    return head + "".join(f"\n## {title}\n\n" + "\n".join(lines) + "\n" for title, lines in sections().items())


if __name__ == "__main__":
    sys.stdout.write(text())
