"""Write the pages of reference that are made from the code, and the JSON Schemas of records and rejections.

Use: python tools/print_reference.py
It writes docs/reference/api.md, commands.md and options.md, docs/record.schema.json and docs/rejection.schema.json. The
tests compare them with what the code says.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields
from enum import StrEnum
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import urisieve
from tests.helpers import option_table
from urisieve import Options, ReadingOptions, Record, Rejection, parse
from urisieve.cli import program
from urisieve.codes import REASONS, WARNINGS, Component
from urisieve.records.base import CONTEXT_NAMES, RecordFields, RejectionFields
from urisieve.syntax.components import HostKind
from urisieve.types import Location

ROOT: Final = Path(__file__).resolve().parent.parent
_HEAD: Final = "<!-- Written by tools/print_reference.py: change the code, not this page. -->\n\n"


# The interface of Python

# The names of each group, by the module below `urisieve` that they are names of.
_GROUPS: Final[dict[str, dict[str, str]]] = {
    "Finding in text": {
        "": "extract extract_each extract_documents has_identifier sieve sieve_documents aextract asieve Scanner",
    },
    "Finding in files": {
        "": ("extract_files sieve_files extract_blocks sieve_blocks extract_batches sieve_into Tally"),
        "types": "Blocks TextSource OnError OnEvent Event BytesRead FileFailed Message",
    },
    "One identifier": {
        "": (
            "check parse is_valid normalize normalize_reference key equivalent resolve to_uri to_iri defang"
            " redact explain"
        ),
        "options": "RedactedPart",
    },
    "Records and rejections": {
        "": "Record Rejection Batch",
        "types": "Components HostKind Urn Location Context SCHEMA_VERSION",
    },
    "Codes": {
        "codes": "Component Reason Warn Notice CodeEntry REASONS WARNINGS",
    },
    "Explanations": {
        "explanation": "Explanation Step Span Subject Warned Remedy",
    },
    "Options of finding and judging": {
        "": "Options Profile",
        "options": (
            "Level MergeStep SchemePolicy UrnSyntax Repair SchemelessFinding EmailFinding Refang"
            " NestedFinding Spoofing Charset Positions Bare Unwrap"
        ),
    },
    "Options of reading": {
        "": "ReadingOptions",
        "options": "InputKind Carrier MailParts BinaryFiles PathFilter HiddenFiles Limits",
    },
    "Deduplication": {
        "": "deduplicate KeySet Store deduplicate_rows check_rows new_secret",
        "options": "Keep DataSetKind TableHeader Sort",
        "types": "StoreEntry RowCounts CheckedRow KeyCount Appearance",
        "dedupe": "key_signature check_key_signature",
        "sinks.statistics": "count_keys",
        "sinks": "Seen",
    },
    "Output": {
        "sinks": (
            "Sink RecordSink TableSink FirstSeenSink KeptSink StoreSink CountSink FormatSettings"
            " Output open_output SafeCells"
        ),
        "sinks.statistics": (
            "StatisticsSink collect_statistics Statistics Funnel Ranking NameCount Merges Merge MergeExample"
            " CodeCounts CodeCount Timeline TimeCount TimeUnit LinkCount HostCount InputCounts report_html"
            " write_report"
        ),
        "": "Filter Known write_records read_records",
        "options": "Format Form",
    },
    "Formats of your own": {
        "types": "ReaderRow Source Segments Delimited",
    },
    "Schemes and namespaces": {
        "": "Scheme Namespace",
        "types": "Authority NamespaceKind",
    },
    "Errors": {
        "": "UrisieveError UsageError InvalidIdentifierError InputError OutputError StoreError",
        "errors": "BrokenInputError UnexpectedInputError PluginError ProcessError",
    },
}

# Classes of which a base, which is not public, has some of the methods.
_DIVIDED: Final = frozenset({"Record", "Rejection", "Store"})

_API = """# Interface of Python

All public names of `urisieve`, and of its modules `types`, `codes`, `options`, `errors`, `explanation`, `dedupe`,
`sinks` and `sinks.statistics`. Calls and their main values are names of `urisieve`; `urisieve.types` has what only
annotations need, `urisieve.codes` the [codes](../codes.md) of rejections and warnings, `urisieve.options` the values of
options, for which strings do as well. Each is loaded when it is first used: `import urisieve` costs next to nothing.
Every example runs as a test. Columns of Arrow have [a page of their own](../arrow.md), and so has
[Spark](../spark.md); the functions of SQL for SQLite and DuckDB are described with
[the library](../python.md#sqlite-duckdb-and-spark).
"""


def _first_sentence(value: object) -> str:
    text = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
    return re.split(r"(?<=[.;:])\s", text)[0].rstrip(".;:")


def _directive(name: str) -> str:
    value = attrgetter(name)(urisieve)
    called = f"urisieve.{name}" if "." in name else name
    if isinstance(value, type):
        return f".. autoclass:: {called}" + ("\n   :inherited-members:" if name in _DIVIDED else "")
    return f".. autofunction:: {called}" if inspect.isroutine(value) else f".. autodata:: {called}"


def _summary(name: str) -> str:
    value = attrgetter(name)(urisieve)
    documented = isinstance(value, type) or inspect.isroutine(value)
    return f"- `{name}`" + (f": {_first_sentence(value)}" if documented else "")


def grouped() -> dict[str, list[str]]:
    """Return the public names by groups; the last group has those of `urisieve` that are in no other."""
    groups = {
        title: [f"{module}.{name}".removeprefix(".") for module, names in group.items() for name in names.split()]
        for title, group in _GROUPS.items()
    }
    named = {name for names in groups.values() for name in names}
    left = [name for name in urisieve.__all__ if name not in named and not name.startswith("__")]
    return {**groups, **({"More": left} if left else {})}


def api() -> str:
    """The page of the interface of Python: all public names, by groups."""
    blocks = [_HEAD + _API]
    for title, names in grouped().items():
        directives = "\n\n".join(map(_directive, names))
        summaries = "\n".join(map(_summary, names))
        blocks.append(
            f"## {title}\n\n{summaries}\n\n```{{eval-rst}}\n.. currentmodule:: urisieve\n\n{directives}\n```\n"
        )
    return "\n".join(blocks)


# The command line

_COMMANDS = """# Commands and their options

Every option of every command, from the parsers of the program. `urisieve COMMAND --help` says the same in the
terminal. Options and arguments may stand in any order; an option is never abbreviated. `--` ends the options.
"""


class _Argument(NamedTuple):
    """An argument of a command: its names, and its settings in the words of `argparse`."""

    names: tuple[str, ...]
    settings: Mapping[str, Any]

    @property
    def long(self) -> str:
        """The long name of an option, else the only one."""
        return next((name for name in self.names if name.startswith("--")), self.names[0])

    @property
    def shown(self) -> str:
        """The names of an option with its value; of another argument what stands for it."""
        if self.names[0].startswith("-"):
            return ", ".join(self.names) + self._value
        return str(self.settings.get("metavar") or self.names[0])

    @property
    def _value(self) -> str:
        if self.settings.get("nargs") == 0 or self.settings.get("action", "store") not in ("store", "append", "extend"):
            return ""
        if self.settings.get("metavar") is not None:
            return f" {self.settings['metavar']}"
        choices = self.settings.get("choices")
        return " " + ("|".join(map(str, choices)) if choices else self.long.lstrip("-").upper())

    @property
    def meaning(self) -> str:
        """Its help."""
        choices = ", ".join(map(str, self.settings.get("choices") or ()))
        return str(self.settings.get("help") or "") % {"default": None, **self.settings, "choices": choices}


class _Group(NamedTuple):
    title: str
    about: str
    arguments: tuple[_Argument, ...]


class _Described(NamedTuple):
    """A command, or an action of one."""

    name: str
    description: str
    groups: tuple[_Group, ...]
    notes: str


class _Captured(Exception):  # noqa: N818 - it is no error
    """Carries the parser of a command out of it."""


def described() -> list[_Described]:
    """All commands with their arguments; those of actions follow them."""
    accepted = getattr(program, "accepted", None)
    if accepted is not None:
        return [_of_arguments(command) for commands in accepted().values() for command in commands]

    def capture(parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        raise _Captured(parser)

    found: list[_Described] = []
    full_parser: Any = import_module("urisieve.cli.settings.full_parser")
    for name, command in program.COMMANDS.items():
        with mock.patch.object(full_parser.FullParser, "parse_args", capture):
            try:
                command.run(["--help"])
            except _Captured as captured:
                found += _of_parser(f"urisieve {name}", captured.args[0])
    return found


def _of_arguments(command: Any) -> _Described:
    groups = []
    for group in command.groups:
        title, about = (*group.about, "", "")[:2]
        arguments = (_Argument(tuple(argument.names), argument.settings) for argument in group.arguments)
        groups.append(_Group(title, about, tuple(arguments)))
    examples = "\n".join(f"  {line}\n      {meaning}" for line, meaning in command.examples)
    return _Described(
        command.prog,
        command.description,
        tuple(groups),
        f"examples:\n{examples}" if examples else "",
    )


def _of_parser(name: str, parser: argparse.ArgumentParser) -> Iterator[_Described]:
    groups = []
    for group in parser._action_groups:
        arguments = [
            _Argument(
                tuple(action.option_strings) or (str(action.metavar or action.dest),),
                vars(action) | {"action": "store"},
            )
            for action in group._group_actions
            if action.help != argparse.SUPPRESS and not isinstance(action, argparse._SubParsersAction)
        ]
        groups.append(_Group(group.title or "", group.description or "", tuple(arguments)))
    yield _Described(name, parser.description or "", tuple(groups), parser.epilog or "")
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                yield from _of_parser(f"{name} {word}", inner)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _variable(argument: _Argument) -> str:
    """The variable of the environment that sets an option, where there are such variables."""
    if not argument.long.startswith("--"):
        return ""
    defaults: Any = import_module("urisieve.cli.settings.defaults")
    return f"`{defaults.variable_of(argument.long.removeprefix('--'))}`"


def commands() -> str:
    """The page of the commands and their options."""
    blocks = [_HEAD + _COMMANDS]
    for command in described():
        blocks.append(f"{'##' if command.name.count(' ') == 1 else '###'} `{command.name}`\n")
        if command.description:
            blocks.append(f"{command.description}\n")
        for group in command.groups:
            rows = [f"| `{_cell(argument.shown)}` | {_cell(argument.meaning)} |" for argument in group.arguments]
            if rows:
                title = group.title.removesuffix(":")
                about = f"**{title}**" + (f": {group.about}" if group.about else "")
                blocks += [f"{about}\n"] if title else []
                blocks.append("\n".join(["| argument | meaning |", "| --- | --- |", *rows]) + "\n")
        if command.notes:
            blocks.append(f"```text\n{command.notes.strip()}\n```\n")
    return "\n".join(blocks)


# Options

_OPTIONS = """# Options of the library, flags of the command

Each field of [`Options`](#options) and [`ReadingOptions`](#readingoptions): what it takes, its default, and the flag of
`urisieve extract` that sets it. A choice may be given as a member of its enum or as its string. Values are checked when
they are made, and never change after that.

```pycon
>>> from urisieve import Options, ReadingOptions, extract, extract_files
>>> options = Options(level="syntax", merge=["drop-fragment"], schemes={{"http", "https"}})
>>> [record.uri for record in extract("HTTP://Example.com:80/%7Ea#b urn:a:b", options=options)]
['http://example.com:80/~a']
>>> reading = ReadingOptions(input="jsonl", field="url")
>>> [record.uri for record in extract_files(["samples/data/links.jsonl"], options=options, reading=reading)][:2]
['http://example.com/a', 'http://example.com:80/a']

```

## Options

{options}

## ReadingOptions

{reading}

## Where an option counts

An option is obeyed, refused, or without effect for a reason that is given here; nothing is ignored in silence. Each
cell is a test. Where calls of one column differ, they are named after the others. Calls with options, by what they
take:

{groups}

{calls}

Calls without options (`unwrap`, `resolve`, `to_uri`, `template_of` and others) take every scheme, of any length.
{beside} do what the calls in these columns do.

In the commands; `refused` says that there is no such flag, or that the command does not take that value:

{commands}

`schemes`, `namespaces`, `store` and `completion` judge no identifiers, and refuse all of these flags.
"""

# Fields whose flag has another name, or takes its part.
_FLAGS: Final = {
    "charset": ("--encoding",),
    "mail_parts": ("--read",),
    "binary": ("--read",),
    "folders": ("--include", "--read"),
    "spoofing": ("--protect",),
    "exclude_schemes": ("--schemes",),
    "known_schemes": ("--schemes",),
    **dict.fromkeys(("schemeless", "email", "bare", "refang", "nested", "unwrap", "repair"), ("--accept",)),
}


def _arguments(kind: type) -> dict[str, str]:
    """The explanations of the fields, from the section `Args` of the docstring."""
    text = (inspect.getdoc(kind) or "").partition("Args:\n")[2].partition("\n\n")[0]
    found: dict[str, str] = {}
    for name, meaning in re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", text, re.MULTILINE):
        found[name] = " ".join(meaning.split())
    return found


def _enum(annotation: str) -> type[StrEnum] | None:
    for word in re.findall(r"[A-Z]\w+", annotation):
        value = getattr(urisieve.options, word, None)
        if isinstance(value, type) and issubclass(value, StrEnum):
            return value
    return None


def _default(value: Any) -> str:
    if value is MISSING:
        return ""
    if isinstance(value, StrEnum):
        return f"`{str(value)!r}`"
    return "none" if value is None or value in ((), frozenset()) else f"`{value!r}`"


def _taken(annotation: str) -> str:
    kind = _enum(annotation)
    if kind is None:
        return f"`{_cell(annotation)}`"
    choices = " ".join(f"`{member}`" for member in kind)
    iterable = "any of " if annotation.startswith("Iterable") else ""
    more = ", or names, or `Scheme` values" if "Scheme |" in annotation else ""
    switch = ", `True`, `False`" if annotation.endswith("| bool") else ""
    return f"{iterable}{choices}{switch}{more}"


def _option_table(kind: type, flags: Mapping[str, _Argument]) -> str:
    meanings = _arguments(kind)
    heads = ["field", "takes", "default", "flag", "variable", "meaning"]
    by_name = {argument.long: argument for argument in flags.values()}
    rows = []
    for field in fields(kind):
        names = _FLAGS.get(field.name) or ((flags[field.name].long,) if field.name in flags else ())
        rows.append(
            [
                f"`{field.name}`",
                _taken(str(field.type)),
                _default(field.default),
                " ".join(f"`{name}`" for name in names),
                " ".join(_variable(by_name[name]) for name in names),
                _cell(meanings[field.name]),
            ]
        )
    if not any(row[4] for row in rows):
        rows, heads = [[*row[:4], row[5]] for row in rows], [*heads[:4], heads[5]]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heads, ["---"] * len(heads), *rows])


_GROUP_TITLES: Final = {
    "text": "text",
    "files": "files and bytes",
    "columns": "a column of text",
    "one": "one identifier, or a column or field of these",
    "keys": "keys",
}


def _effects(option: str, group: str) -> str:
    """What an option does in the calls of a group."""
    by_cell: dict[str, list[str]] = {}
    for name in option_table.CALLS[group]:
        by_cell.setdefault(option_table.cell(option, group, name), []).append(f"`{name}`")
    usual, *others = sorted(by_cell.items(), key=lambda item: -len(item[1]))
    return "; ".join([_effect(usual[0]), *(f"{', '.join(names)}: {_effect(said)}" for said, names in others)])


def _effect(said: str) -> str:
    return said if said in (option_table.OBEYED, option_table.REFUSED) else f"no effect, {said}"


def _rows_of(heads: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heads, ["---"] * len(heads), *rows])


def _where_options_count() -> dict[str, str]:
    """The tables of options and calls, and of options and commands."""
    calls, commands = option_table.CALLS, option_table.COMMANDS
    groups = [f"- {title}: {', '.join(f'`{name}`' for name in calls[group])}" for group, title in _GROUP_TITLES.items()]
    beside = [f"`{name}`" for name in option_table.BESIDE if not name.startswith(("sqlite", "duckdb", "sinks"))]
    return {
        "groups": "\n".join(groups),
        "beside": ", ".join(beside[:-1]) + f" and {beside[-1]}",
        "calls": _rows_of(
            ["field", *_GROUP_TITLES.values()],
            [[f"`{name}`", *(_effects(name, group) for group in calls)] for name in option_table.OPTIONS],
        ),
        "commands": _rows_of(
            ["field", *(f"`{name}`" for name in commands)],
            [
                [f"`{name}`", *(_effect(option_table.command_cell(name, command)) for command in commands)]
                for name in option_table.OPTIONS
            ],
        ),
    }


def options() -> str:
    """The page of the options."""
    (extract,) = (command for command in described() if command.name == "urisieve extract")
    flags = {
        argument.settings.get("dest") or argument.long.lstrip("-").replace("-", "_"): argument
        for group in extract.groups
        for argument in group.arguments
    }
    return _HEAD + _OPTIONS.format(
        options=_option_table(Options, flags), reading=_option_table(ReadingOptions, flags), **_where_options_count()
    )


# JSON Schemas

# Codes are added in minor versions: a schema that named them all would refuse the records of the next one.
_CODE: Final = {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}
_JSON_TYPES: Final[dict[str, dict[str, Any]]] = {
    "str": {"type": "string"},
    "str | None": {"type": ["string", "null"]},
    "int": {"type": "integer", "minimum": 0},
    "int | None": {"type": ["integer", "null"], "minimum": 0},
    "tuple[str, ...]": {"type": "array", "items": {"type": "string"}},
    "tuple[str, ...] | None": {"type": ["array", "null"], "items": {"type": "string"}},
    "tuple[Warn, ...]": {"type": "array", "items": {**_CODE, "examples": list(map(str, WARNINGS))}},
    "Reason": {**_CODE, "examples": list(map(str, REASONS))},
    "Component": {"enum": list(map(str, Component))},
    "HostKind | None": {"enum": [*map(str, HostKind), None]},
}
# What the type alone does not say.
_NARROWER: Final[dict[str, dict[str, Any]]] = {
    "kind": {"enum": ["uri", "iri", "urn"]},
    "message": {"type": ["integer", "null"], "minimum": 1},
    "row": {"type": ["integer", "null"], "minimum": 1},
}


# The attributes whose names are not those of the fields, which Python does not allow.
_ATTRIBUTES: Final = {"from": "sender"}


def _property(kind: type, rows: type, name: str) -> dict[str, Any]:
    annotations = {**rows.__annotations__, **Location.__annotations__}
    attribute = inspect.getattr_static(kind, _ATTRIBUTES.get(name, name))
    hint = annotations.get(name) or attribute.fget.__annotations__["return"]
    meaning = " ".join((attribute.__doc__ or "").split("\n\n")[0].split())
    return {"description": meaning, **_NARROWER.get(name, _JSON_TYPES[str(hint)])}


def schema(kind: type, rows: type, example: Record | Rejection, title: str) -> str:
    """The JSON Schema of the mappings that records are and of JSON lines."""
    names = list(example)
    properties = {"schema": {"description": "The version of this schema.", "const": urisieve.types.SCHEMA_VERSION}}
    properties |= {name: _property(kind, rows, name) for name in (*names, *CONTEXT_NAMES) if name != "schema"}
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "description": f"A {kind.__name__} as a mapping, and as a line of JSON lines; docs/records.md has the fields.",
        "type": "object",
        "required": names,
        "properties": properties,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def record_schema() -> str:
    """The JSON Schema of a record."""
    return schema(Record, RecordFields, parse("http://example.com/"), "Record")


def rejection_schema() -> str:
    """The JSON Schema of a rejection."""
    rejection = urisieve.check("http://example.com:80ab/")
    assert isinstance(rejection, Rejection)
    return schema(Rejection, RejectionFields, rejection, "Rejection")


PAGES: Final[dict[str, Callable[[], str]]] = {
    "reference/api.md": api,
    "reference/commands.md": commands,
    "reference/options.md": options,
    "record.schema.json": record_schema,
    "rejection.schema.json": rejection_schema,
}


def main() -> None:
    """Write all of them."""
    for path, page in PAGES.items():
        (ROOT / "docs" / path).write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
