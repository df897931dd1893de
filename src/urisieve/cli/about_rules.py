"""The commands about rules: `urisieve explain`, `urisieve schemes`, `urisieve namespaces` and `urisieve codes`.

It also defines schemes, namespaces and codes as rows, the properties of each by name, for tables and for pages. The
names of the parts are those that the examples of a row have, so that they are the names that records use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from urisieve.cli.reports import DONE, NEGATIVE, say
from urisieve.cli.settings.output_arguments import is_colored
from urisieve.cli.settings.text_arguments import TableFormat, TableSettings, parse_explain, parse_table
from urisieve.cli.texts import answer_texts
from urisieve.codes import REASONS, WARNINGS
from urisieve.explanation import Explanation, Remedy, explain
from urisieve.identifiers import check
from urisieve.lean import Any, Final, NamedTuple, TypeAlias
from urisieve.records.record import Record
from urisieve.rules.registry import registered_schemes
from urisieve.rules.scheme_table import Namespace, Scheme, described, scheme_rule
from urisieve.rules.table import namespaces
from urisieve.sinks.drawing import Palette, explanation_lines
from urisieve.sinks.formats import json_line
from urisieve.sinks.outputs import STANDARD_OUTPUT, open_output
from urisieve.wording import did_you_mean

# A scheme or namespace: its properties by name.
RuleRow: TypeAlias = dict[str, Any]
# The properties that contain examples: pairs of texts with one key, and pairs with two.
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


def code_rows() -> Iterator[RuleRow]:
    """Yield the rows of all reasons of rejections, and of all warnings.

    >>> next(row for row in code_rows() if row["code"] == "bad-port")["meaning"]
    'a port consists of digits only'
    """
    for kind, entries in (("reason", REASONS), ("warning", WARNINGS)):
        for code, entry in entries.items():
            yield {"code": str(code), "kind": kind, "section": entry.section, "meaning": entry.meaning}


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
        "drops_port": rule.drops_port,
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
        "name": row.name,
        "title": row.title,
        "reference": row.reference,
        "registered": row.registered,
        "kind": str(row.kind),
        "rules": "own" if own else "base",
        "equivalence": row.equivalence,
        "syntax": row.syntax is not None,
        "warnings": row.check is not None,
        "parts": _parts(f"urn:{row.name}", row.same, row.different) if row.syntax is not None else [],
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
    """Report whether the name of a row matches one of some patterns, or a word of its title or meaning is one of them.

    Case does not count. Without patterns every row matches.

    >>> is_matched({"name": "https", "title": ""}, ["http*"])
    True
    """
    words = set(map(str.casefold, title_words(row)))
    return not patterns or any(
        fnmatchcase(_name(row), pattern.lower()) or pattern.casefold() in words for pattern in patterns
    )


def title_words(row: RuleRow) -> list[str]:
    """Return the words of the title of a row, or of the meaning of a code, without punctuation."""
    title = row["meaning"] if "code" in row else row["title"]
    return [word.strip("(),;:`") for word in title.split()]


def _name(row: RuleRow) -> str:
    name: str = row["code"] if "code" in row else row["name"]
    return name


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
    """Return rows as text for users, several lines for each."""
    lines = []
    for row in rows:
        if "code" in row:
            lines.append(f"{row['code']}  {row['kind']}: {row['meaning']} ({row['section']})")
            continue
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
        facts.append(f"port {row['default_port']}{' is left out' if row['drops_port'] else ' stays'}")
    yield "; ".join(facts)
    if row.get("case"):
        yield f"without case: {row['case']}"
    if row["equivalence"]:
        yield f"the same: {row['equivalence']}"
    if row["parts"]:
        yield f"parts: {', '.join(row['parts'])}"


_PAIR: Final = 2
# The most keys with which later texts are compared: each contains an explanation.
_MOST_FIRSTS: Final = 10_000
# How an identifier can be obtained from a text that is not valid.
_REMEDIES: Final = {
    Remedy.REPAIR: "with `--accept unencoded` it is valid",
    Remedy.RFC8141: "with `--urn-syntax rfc8141` it is valid",
    Remedy.REFANG: "defanged; `urisieve extract --accept defanged` finds",
    Remedy.SCHEMELESS: "without a scheme; `urisieve extract --accept names` finds",
    Remedy.EMAIL: "a mail address; `urisieve extract --accept addresses` finds",
    Remedy.EXTRACT: "it is not all of the text; `urisieve extract` finds",
}


def run_explain(argv: Sequence[str]) -> int:
    """Run `urisieve explain` and return its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    settings = parse_explain(argv)
    palette = Palette(is_colored(settings.color, is_report=True))
    seen = False
    others = _Others(is_pair=len(settings.texts) == _PAIR)

    def answer(number: int, text: str) -> tuple[bool, str | None]:
        nonlocal seen
        explanation = explain(text, options=settings.options)
        shown = settings.hiding.explanation(explanation)
        valid = explanation.record is not None
        if settings.format is TableFormat.JSONL:
            compared = others.compared(number, explanation)
            return valid, json_line(shown.as_dict() | ({"compared": compared._asdict()} if compared else {}))
        lines = list(explanation_lines(shown, palette, _REMEDIES))
        if compared := others.compared(number, explanation):
            lines.append(palette.paint("heading", compared.sentence))
        if seen:
            lines.insert(0, "")  # an empty line between two texts
        seen = True
        return valid, "\n".join(lines)

    return answer_texts(settings, answer, "backslashreplace")


class _Compared(NamedTuple):
    """How a text compares with one before it.

    Attributes:
        number: the number of that text.
        same: whether both have the same key.
        rules: the rules by which they have.
        component: the first component in which their keys differ, if any.
    """

    number: int
    same: bool
    rules: tuple[str, ...] = ()
    component: str | None = None

    @property
    def sentence(self) -> str:
        if self.same:
            return f"same key as {self.number}: {', '.join(self.rules) or 'the same text'}"
        return f"another key than {self.number}{f': the {self.component} differs' if self.component else ''}"


class _Others:
    """The first text of each key, with which later ones are compared; two texts are compared whatever their keys."""

    def __init__(self, *, is_pair: bool) -> None:
        self._is_pair = is_pair
        self._firsts: dict[str, tuple[int, Explanation]] = {}

    def compared(self, number: int, explanation: Explanation) -> _Compared | None:
        record = explanation.record
        if record is None:
            return None
        first = self._firsts.get(record.key)
        if first is not None:
            return _Compared(first[0], True, explanation.merging_rules(first[1]))
        differs = None
        if self._is_pair and self._firsts:
            ((before, other),) = self._firsts.values()
            differs = _Compared(before, False, component=explanation.differing_component(other))
        if len(self._firsts) < _MOST_FIRSTS:
            self._firsts[record.key] = number, explanation
        return differs


def run_schemes(argv: Sequence[str]) -> int:
    """Run `urisieve schemes` and return its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    return _run(parse_table("schemes", argv), scheme_rows(), "scheme")


def run_namespaces(argv: Sequence[str]) -> int:
    """Run `urisieve namespaces` and return its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    return _run(parse_table("namespaces", argv), namespace_rows(), "URN namespace")


def run_codes(argv: Sequence[str]) -> int:
    """Run `urisieve codes` and return its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    return _run(parse_table("codes", argv), code_rows(), "code")


def _run(settings: TableSettings, rows: Iterable[RuleRow], kind: str) -> int:
    every = list(rows)
    found = [row for row in every if is_matched(row, settings.patterns)]
    for pattern in settings.patterns:
        if not any(is_matched(row, (pattern,)) for row in found):
            words = list(map(_name, every))
            if kind != "code":  # the words of what a code means say little
                words += [word for row in every for word in title_words(row)]
            say(f"no {kind} matches {pattern!r}{did_you_mean(pattern, words)}")
    if not settings.examples:
        found = list(map(without_examples, found))
    if settings.format is TableFormat.JSONL:
        text = "".join(f"{json_line(row)}\n" for row in found)
    elif settings.format is TableFormat.CSV:
        text = csv_table(found)
    else:
        text = text_table(found)
    with open_output(STANDARD_OUTPUT) as output:
        output.write(text.encode("utf-8"))
    return DONE if found else NEGATIVE
