"""`urisieve schemes` and `urisieve namespaces`: what is known of each, as rows of text, JSON or CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from urisieve.cli.arguments import Format
from urisieve.cli.outputs import STANDARD_OUTPUT, open_output
from urisieve.cli.rows import json_line
from urisieve.cli.rule_arguments import TableSettings, parse_table
from urisieve.cli.talk import say
from urisieve.identifiers import check
from urisieve.nearest import did_you_mean
from urisieve.records.record import Record
from urisieve.rules.namespace import Namespace
from urisieve.rules.namespace_table import namespaces
from urisieve.rules.registry.registered_schemes import SCHEMES
from urisieve.rules.scheme import Scheme
from urisieve.rules.scheme_table import described, scheme_rule

__all__ = ["namespace_row", "namespace_rows", "run_namespaces", "run_schemes", "scheme_row", "scheme_rows"]

_FOUND: Final = 0
_NOTHING: Final = 1
_PAIRS: Final = ("same", "different")


def run_schemes(argv: Sequence[str]) -> int:
    """Run `urisieve schemes` and give its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    return _run(parse_table("schemes", argv), scheme_rows, "scheme")


def run_namespaces(argv: Sequence[str]) -> int:
    """Run `urisieve namespaces` and give its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    return _run(parse_table("namespaces", argv), namespace_rows, "URN namespace")


def scheme_rows() -> Iterator[dict[str, Any]]:
    """All schemes that have rules or are registered, by name."""
    for name in sorted({*described(), *SCHEMES}):
        yield scheme_row(name, scheme_rule(name))


def namespace_rows() -> Iterator[dict[str, Any]]:
    """All URN namespaces that are known by name."""
    return map(namespace_row, namespaces())


def scheme_row(name: str, rule: Scheme) -> dict[str, Any]:
    """What is known of a scheme, by name; `rules` is `registry` where nothing but the registry knows it."""
    status, reference = SCHEMES.get(name, ("", ""))
    own = rule.title != ""
    return {
        "name": name,
        "title": rule.title,
        "reference": rule.reference if own else reference,
        "registered": rule.registered,
        "status": status,
        "rules": "own" if own else "registry",
        "authority": str(rule.authority),
        "default_port": rule.default_port,
        "port_dropped": rule.drops_port,
        "without_slashes": rule.shape is not None,
        "case": rule.case,
        "equivalence": rule.equivalence,
        "syntax": rule.syntax is not None,
        "warnings": rule.check is not None or rule.expected is not None,
        "parts": _parts(name, rule.same, rule.different) if rule.parts is not None else [],
        "inner": rule.inner is not None,
        "same": [list(pair) for pair in rule.same],
        "different": [list(pair) for pair in rule.different],
    }


def namespace_row(row: Namespace) -> dict[str, Any]:
    """What is known of a URN namespace, by name; `rules` is `base` where the rules of all URNs are all it has."""
    own = any(part is not None for part in (row.syntax, row.form, row.derive, row.check)) or row.equivalence
    return {
        "name": row.nid,
        "title": row.title,
        "reference": row.reference,
        "registered": row.registered,
        "kind": str(row.kind),
        "rules": "own" if own else "base",
        "equivalence": row.equivalence,
        "syntax": row.syntax is not None,
        "warnings": row.check is not None,
        "parts": _parts(f"urn:{row.nid}", row.same, row.different) if row.syntax is not None else [],
        "same": [list(pair) for pair in row.same],
        "different": [list(pair) for pair in row.different],
    }


def _parts(name: str, *examples: Iterable[tuple[str, str]]) -> list[str]:
    """The names of the parts that the examples of a scheme or namespace have."""
    names: dict[str, None] = {}
    for pairs in examples:
        for text in (text for pair in pairs for text in pair):
            found = check(text) if text.lower().startswith(f"{name}:") else None
            if isinstance(found, Record):
                names.update(dict.fromkeys(found.parts))
    return list(names)


def _run(settings: TableSettings, rows: Callable[[], Iterable[dict[str, Any]]], kind: str) -> int:
    every = list(rows())
    found = [row for row in every if _matches(row, settings.patterns)]
    for pattern in settings.patterns:
        if not any(_matches(row, (pattern,)) for row in found):
            words = [row["name"] for row in every] + [word for row in every for word in _words(row["title"])]
            say(f"no {kind} matches {pattern!r}{did_you_mean(pattern, words)}")
    if not settings.examples:
        found = [{name: value for name, value in row.items() if name not in _PAIRS} for row in found]
    if settings.format is Format.JSON:
        text = "".join(f"{json_line(row)}\n" for row in found)
    elif settings.format is Format.CSV:
        text = _csv(found)
    else:
        text = _text(found)
    with open_output(STANDARD_OUTPUT) as output:
        output.write(text.encode("utf-8"))
    return _FOUND if found else _NOTHING


def _matches(row: dict[str, Any], patterns: Sequence[str]) -> bool:
    """Whether a name or a word of a title is one of those asked for; case does not count."""
    words = set(map(str.casefold, _words(row["title"])))
    return not patterns or any(
        fnmatchcase(row["name"], pattern.lower()) or pattern.casefold() in words for pattern in patterns
    )


def _words(title: str) -> list[str]:
    return [word.strip("(),;:`") for word in title.split()]


def _csv(rows: list[dict[str, Any]]) -> str:
    import csv
    import io

    buffer = io.StringIO()
    if rows:
        writer = csv.writer(buffer)
        writer.writerow(rows[0])
        writer.writerows([_cell(name, value) for name, value in row.items()] for row in rows)
    return buffer.getvalue()


def _cell(name: str, value: Any) -> str:
    if name in _PAIRS:
        sign = " = " if name == "same" else " != "
        return " | ".join(sign.join(pair) for pair in value)
    if isinstance(value, list):
        return " ".join(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value


def _text(rows: list[dict[str, Any]]) -> str:
    lines = []
    for row in rows:
        reference = f" ({row['reference']})" if row["reference"] else ""
        lines.append(f"{row['name']}  {row['title'] or 'known to the registry only'}{reference}")
        lines += [f"    {fact}" for fact in _facts(row)]
        for name, sign in zip(_PAIRS, "=≠", strict=True):
            lines += [f"    {first} {sign} {second}" for first, second in row.get(name, ())]
    return "".join(f"{line}\n" for line in lines)


def _facts(row: dict[str, Any]) -> Iterator[str]:
    status = row.get("status") or row.get("kind") or ""
    facts = [f"registered{f', {status}' if status else ''}" if row["registered"] else "not registered"]
    if row["rules"] != "own":
        facts.append("the rules of all URNs" if "kind" in row else "the rules of all URIs")
    elif "authority" in row:
        facts.append(f"authority {row['authority']}")
        if row["without_slashes"]:
            facts.append("found without `//`")
    if row.get("default_port"):
        facts.append(f"port {row['default_port']}{' is left out' if row['port_dropped'] else ' stays'}")
    yield "; ".join(facts)
    if row.get("case"):
        yield f"without case: {row['case']}"
    if row["equivalence"]:
        yield f"the same: {row['equivalence']}"
    if row["parts"]:
        yield f"parts: {', '.join(row['parts'])}"
