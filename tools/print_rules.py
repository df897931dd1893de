"""Print the pages of docs that are made from data: docs/schemes.md, namespaces.md, explain.md and merging.md.

Use: python tools/print_rules.py schemes > docs/schemes.md
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from urisieve.cli.rule_listing import namespace_rows, scheme_rows
from urisieve.judge.merge_steps import MERGE_ROWS
from urisieve.judge.steps import RULES
from urisieve.merging import PROFILES
from urisieve.rules.tracking import tracking_date, tracking_rows

_SCHEMES = """# Schemes

What is known of each scheme, printed from the rows of `urisieve.rules.schemes`; `urisieve schemes` lists the same. All
rules of RFC 3986 hold for every scheme; a row says what its own reference adds.

- *Authority*: whether `//` and a host must follow, may, or may not.
- *Port*: the default one; in brackets where leaving it out is not an equivalence, so that it stays.
- *Bare*: found in running text without `//`.
- *Judged*: `syntax` is checked beyond the generic grammar, `warnings` of its own are reported.
- *Parts*: the names in `Record.parts`, as far as the examples below have them; `inner` where `Record.inner` is one.

{table}

## Examples

Pairs with one key (=) and with two (≠). The tests run them.

{examples}

## Known to the registry only

These have the rules of all URIs: {names}.
"""

_NAMESPACES = """# URN namespaces

What is known of each URN namespace, printed from the rows of `urisieve.rules.namespaces`; `urisieve namespaces` lists
the same. RFC 2141 and RFC 8141 hold for all of them: `urn`, the namespace identifier and the digits of triplets have no
case, and nothing is decoded. A row says what is the same beyond that.

- *Judged*: a name that does not follow the `syntax` of its namespace has a warning; `check` looks at check digits
  and the like.
- *Parts*: the names in `Record.urn`, as far as the examples below have them.

{table}

## Examples

Pairs with one key (=) and with two (≠). The tests run them.

{examples}

## With the base rule alone

{base}
"""

_EXPLAIN = """# Explanations

`urisieve explain` and `urisieve.explain(text)` say what a text is, what its parts are, and which rules lead to its
canonical form. This page is printed from `urisieve.judge.steps`.

## Rules

The codes are stable. A step has the code of its rule, the section, what it means, and the whole text before and after
it; each begins where the one before ended, the last one ends with `uri`, and none is empty.

{rules}

## JSON

`--format json` writes an object a line; in Python it is `Explanation.as_dict()`. What is absent is null.

| name | meaning |
| --- | --- |
| `text` | the text that was given |
| `valid` `kind` | whether it is an identifier; `uri`, `iri` or `urn` |
| `subjects` | the scheme, and the namespace of a URN: `name`, `title`, `reference` |
| `components` | the offsets of the components in the text: `name`, `start`, `end`, `text` |
| `parts` | the named parts, by the terms of the scheme or namespace |
| `steps` | the rules that changed something: `rule`, `section`, `meaning`, `before`, `after` |
| `uri` `iri` `key` | as in [records](records.md) |
| `key_step` | the step that makes the key of the URI; null where the key is the URI |
| `warnings` | `warn` (a [code](codes.md)), `section`, `meaning`, `detail` such as the right check digit |
| `rejection` | why it is not an identifier, as in [records](records.md) |
| `inner` | the identifier inside this one, explained |
| `remedy` `remedied` | what makes an identifier of a text that is not one, and that identifier, explained |
| `compared` | of a later text: the `number` of one before it, if the key is the `same`, the `rules`, the `component` |

A remedy is `repair`, `zones` (in the command `--accept unencoded`, `--accept zones`), `rfc8141` (`--urn`), `refang`,
`schemeless`, `email` (of `urisieve extract`: `--accept defanged`, `names`, `addresses`), or `extract`: the text holds
one identifier, but is not one. The steps of what is remedied begin with the given text.

Passwords are masked as in records, unless `--show-passwords`: what is written is the explanation of the text with `***`
in their place.
"""


_MERGING = """# What else is the same

By default two identifiers have one key only if the RFCs call them equivalent. `--merge` and `Options(merge=...)` merge
more, by steps that are named, one by one or as a profile. This page is printed from `urisieve.judge.merge_steps`.

## Profiles

{profiles}

A file describes others, whose names `--merge` takes as well; in Python it is `Profile(steps, drop_params=...)`:

```toml
[tool.urisieve.profiles.shop]
steps = ["page", "lower-path"]
drop-params = ["ref", "aff_*@shop.example"]
keep-params = ["id@forum.example"]
```

A parameter is `NAME`, `NAME*` for all names that begin so, `NAME@HOST` on the links of a host and of those below it;
its case counts. `--drop-params` and `--keep-params` name some beside the profile.

## Steps

They are applied in this order, behind the normalization ladder, whatever their order is when they are named. Each
leaves nothing for itself or for one before it. Steps about links of the web are about `http` and `https`.

{steps}

`explain` shows what each step changes, and by which two texts have one key; `stats` counts them. The steps and the
parameters are part of the signature of stores, of checkpoints, and of work that is given to others.

## Examples

Pairs with one key under the step (=) and with two (≠). The tests run them.

{examples}

## Tracking parameters

`drop-tracking` knows {rows} names of parameters, {general} of them on every host, from a table of {date}:
`urisieve/rules/registry/tracking.txt`, with the lists that name each. Some stay where a link holds certain words, as
`mkt_tok` on a link that unsubscribes. A signature holds the date, so that keys of different tables are not mixed. The
table is made from `tools/tracking_parameters.tsv`; whoever renews it changes no code.

## Keys of web archives

Under `surt` the key, not the identifier, is the `urlkey` of CDX and CDXJ files; `--fields key` writes it, and `--known`
takes such a file. The rule about `www` and digits has a known fault: `www1355544.com` becomes `com)/`. Of 99,854 valid
links of an index of 100,000 lines that `cdxj-indexer` wrote, 99,848 have its key; the others had a scheme twice, the
default port of `ftp`, `..` above the root, `ß` in the host, or a `tel:` or `URN:` that its scheme compares. 146 lines
held no valid link; `--accept unencoded` takes 103 of these.
"""


def _table(heads: list[str], rows: Iterable[list[str]]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    lines += [f"| {' | '.join(cell or '' for cell in row)} |" for row in rows]
    return "\n".join(lines)


def _examples(rows: Iterable[dict[str, Any]]) -> str:
    lines = []
    for row in rows:
        pairs = [f"`{first}` {sign} `{second}`" for name, sign in (("same", "="), ("different", "≠"))
                 for first, second in row[name]]  # fmt: skip
        if pairs:
            lines.append(f"- **{row['name']}**: {'; '.join(pairs)}")
    return "\n".join(lines)


def _port(row: dict[str, Any]) -> str:
    port: str = row["default_port"] or ""
    return port if row["port_dropped"] or not port else f"({port})"


def _named(*items: tuple[str, bool]) -> str:
    return ", ".join(name for name, given in items if given)


def _code(names: Iterable[str]) -> str:
    return " ".join(f"`{name}`" for name in names)


def schemes() -> str:
    """The page of schemes."""
    rows = list(scheme_rows())
    own = [row for row in rows if row["rules"] == "own"]
    table = _table(
        ["scheme", "what for", "reference", "authority", "port", "bare", "without case", "the same", "judged", "parts"],
        (
            [
                f"`{row['name']}`" + ("" if row["registered"] else " (not registered)"),
                row["title"],
                row["reference"],
                row["authority"],
                _port(row),
                "yes" if row["without_slashes"] else "",
                row["case"],
                row["equivalence"],
                _named(("syntax", row["syntax"]), ("warnings", row["warnings"])),
                _code([*row["parts"], *(["inner"] if row["inner"] else [])]),
            ]
            for row in own
        ),
    )
    names = ", ".join(
        f"`{row['name']}`" + (f" ({row['reference']})" if row["reference"] else "")
        for row in rows
        if row["rules"] != "own"
    )
    return _SCHEMES.format(table=table, examples=_examples(own), names=names)


def namespaces() -> str:
    """The page of URN namespaces."""
    rows = list(namespace_rows())
    own = [row for row in rows if row["rules"] == "own"]
    base = [row for row in rows if row["rules"] != "own"]
    table = _table(
        ["namespace", "what for", "reference", "kind", "the same", "judged", "parts"],
        (
            [
                f"`{row['name']}`" + ("" if row["registered"] else " (not registered)"),
                row["title"],
                row["reference"],
                row["kind"],
                row["equivalence"],
                _named(("syntax", row["syntax"]), ("check", row["warnings"])),
                _code(row["parts"]),
            ]
            for row in own
        ),
    )
    others = _table(
        ["namespace", "what for", "reference", "kind"],
        ([f"`{row['name']}`", row["title"], row["reference"], row["kind"]] for row in base),
    )
    return _NAMESPACES.format(table=table, examples=_examples(own), base=others)


def explain() -> str:
    """The page of explanations."""
    rules = _table(
        ["code", "source", "meaning"], ([f"`{rule}`", entry.section, entry.meaning] for rule, entry in RULES.items())
    )
    return _EXPLAIN.format(rules=rules)


def merging() -> str:
    """The page of steps and profiles of merging."""
    profiles = _table(["profile", "steps"], ([f"`{name}`", _code(steps) or "none"] for name, steps in PROFILES.items()))
    rows = ([f"`{step}`", row.reference, row.meaning] for step, row in MERGE_ROWS.items())
    steps = _table(["step", "reference", "meaning"], rows)
    examples = [{"name": step, "same": row.same, "different": row.different} for step, row in MERGE_ROWS.items()]
    tracking = tracking_rows()
    return _MERGING.format(
        profiles=profiles,
        steps=steps,
        examples=_examples(examples),
        rows=len(tracking),
        general=sum(not row.host for row in tracking),
        date=tracking_date(),
    )


PAGES: Final[dict[str, Callable[[], str]]] = {
    "schemes": schemes,
    "namespaces": namespaces,
    "explain": explain,
    "merging": merging,
}


if __name__ == "__main__":
    sys.stdout.write(PAGES[sys.argv[1]]())
