"""Schemes and URN namespaces as rows: the properties of each by name, for tables and for pages.

The names of the parts are those that the examples of a row have, so that they are the names that records use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from urisieve.identifiers import check
from urisieve.lean import Any, Final, TypeAlias
from urisieve.records.record import Record
from urisieve.rules.namespace import Namespace
from urisieve.rules.namespace_table import namespaces
from urisieve.rules.registry import registered_schemes
from urisieve.rules.scheme_table import Scheme, described, scheme_rule

# A scheme or namespace: its properties by name.
RuleRow: TypeAlias = dict[str, Any]
# The properties that hold examples: pairs of texts with one key, and pairs with two.
_PAIRS: Final = ("same", "different")


def scheme_rows() -> Iterator[RuleRow]:
    """Yield the rows of all schemes that have rules or are registered, sorted by name.

    >>> next(row for row in scheme_rows() if row["name"] == "http")["default_port"]
    '80'
    """
    for name in sorted({*described(), *registered_schemes()}):
        yield scheme_row(name, scheme_rule(name))


def namespace_rows() -> Iterator[RuleRow]:
    """Yield the rows of all URN namespaces that have rules or are registered.

    >>> next(row for row in namespace_rows() if row["name"] == "isbn")["rules"]
    'own'
    """
    return map(namespace_row, namespaces())


def scheme_row(name: str, rule: Scheme) -> RuleRow:
    """Return the properties of a scheme by name; `rules` is `registry` if only the registry lists it."""
    status, reference = registered_schemes().get(name, ("", ""))
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


def namespace_row(row: Namespace) -> RuleRow:
    """Return the properties of a URN namespace by name; `rules` is `base` if it has the rules of all URNs only."""
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
    """Return the names of the parts in the examples of a scheme or namespace."""
    names: dict[str, None] = {}
    for pairs in examples:
        for text in (text for pair in pairs for text in pair):
            found = check(text) if text.lower().startswith(f"{name}:") else None
            if isinstance(found, Record):
                names.update(dict.fromkeys(found.parts))
    return list(names)


def is_matched(row: RuleRow, patterns: Sequence[str]) -> bool:
    """Report whether the name of a row matches one of some patterns, or a word of its title is one of them.

    Case does not count. Without patterns every row matches.

    >>> is_matched({"name": "https", "title": ""}, ["http*"])
    True
    """
    words = set(map(str.casefold, title_words(row)))
    return not patterns or any(
        fnmatchcase(row["name"], pattern.lower()) or pattern.casefold() in words for pattern in patterns
    )


def title_words(row: RuleRow) -> list[str]:
    """Return the words of the title of a row, without punctuation."""
    return [word.strip("(),;:`") for word in row["title"].split()]


def without_examples(row: RuleRow) -> RuleRow:
    """Return a row without its examples."""
    return {name: value for name, value in row.items() if name not in _PAIRS}


def csv_table(rows: Sequence[RuleRow]) -> str:
    """Return rows as CSV (RFC 4180) with a header; "" for no rows."""
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


def text_table(rows: Iterable[RuleRow]) -> str:
    """Return rows as text for people, several lines for each."""
    lines = []
    for row in rows:
        reference = f" ({row['reference']})" if row["reference"] else ""
        lines.append(f"{row['name']}  {row['title'] or 'known to the registry only'}{reference}")
        lines += [f"    {fact}" for fact in _facts(row)]
        for name, sign in zip(_PAIRS, "=≠", strict=True):
            lines += [f"    {first} {sign} {second}" for first, second in row.get(name, ())]
    return "".join(f"{line}\n" for line in lines)


def _facts(row: RuleRow) -> Iterator[str]:
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
