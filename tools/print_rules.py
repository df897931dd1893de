"""Print the pages of docs that are made from data, such as schemes, namespaces, explain, merging and secrets.

Use: python tools/print_rules.py schemes > docs/schemes.md
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from urisieve.cli.about_rules import namespace_rows, scheme_rows
from urisieve.judge.merge_steps import MERGE_ROWS
from urisieve.judge.steps import RULES
from urisieve.merging import PROFILES, MergeStep
from urisieve.rules.redirectors import REDIRECTORS, Redirector
from urisieve.rules.registry import tracking_date, tracking_rows
from urisieve.rules.resolver_links import RESOLVER_LINKS, ResolverLink
from urisieve.rules.secret_check import (
    LEAST_CHANGES,
    LEAST_DIGITS,
    LEAST_RANDOM,
    LEAST_SURE,
    MOST_BETWEEN,
    SECRETS,
    SecretRow,
)

_SCHEMES = """# Schemes

What is known of each scheme, printed from the rows of `urisieve.rules.rows`; `urisieve schemes` lists the same. All
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

What is known of each URN namespace, printed from the rows of `urisieve.rules.rows`; `urisieve namespaces` lists
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

The codes are stable; the steps of [merging](merging.md) follow them, with their names as codes. A step has the code of
its rule, the section, what it means, and the whole text before and after it; each begins where the one before ended,
the last one ends with `uri`, and none is empty.

{rules}

## JSON

`--format jsonl` writes an object a line; in Python it is `Explanation.as_dict()`. What is absent is null.

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

A remedy is `repair` (in the command `--accept unencoded`), `rfc8141` (`--urn-syntax`), `refang`,
`schemeless`, `email` (of `urisieve extract`: `--accept defanged`, `names`, `addresses`), or `extract`: the text holds
one identifier, but is not one. The steps of what is remedied begin with the given text.

Passwords are masked as in records, unless `--show-passwords`: what is written is the explanation of the text with `***`
in their place.
"""

_MERGING = """# Merging more

By default only what the RFCs call equivalent has one key. `--merge` and `Options(merge=...)` name what else counts as
the same: profiles, and steps. This page is printed from `urisieve.merging` and `urisieve.judge.merge_steps`.

```console
$ echo 'http://www.example.com/a/?b=2&a=1&utm_source=x#top https://example.com/a?a=1&b=2' > links.txt
$ urisieve count --quiet --merge page links.txt | cut -f 1,6
2	https://example.com/a?a=1&b=2
```

`raw` stays as it was; `explain` names each step that changed something. Steps and parameters are part of the signature
of a [store](dedupe.md#stores), and so is the date of the tracking parameters where they are dropped.

## Profiles

{profiles}

## Steps

They follow the [ladder](explanation/ladder.md) and apply in this order, whatever the order in which they are named.
Those about links of the web leave other schemes alone.

{steps}

`archive-key` changes the key alone; `uri` stays an identifier. `--fields key` writes the key, which is the `urlkey`
of CDX and CDXJ files, and `--known` takes such a file. In an index of 100,000 lines that `cdxj-indexer` wrote, 99,854
links were valid, and 99,848 of these had its key. The other six had a scheme twice, the default port of `ftp`, `..`
above the root, `ß` in the host, or a `tel:` or `URN:` that its scheme compares. 146 links were not valid; with
`--accept unencoded` 103 of these join too.

### Examples

Pairs that the step merges (=) and pairs that it must not merge (≠). The tests run them.

{examples}

## Tracking parameters

`drop-tracking` knows {count} names of parameters, or beginnings of names, as of {date}. The table is
`src/urisieve/rules/registry/tracking.txt`, each row with its host, the texts with which the parameter stays, the lists
that name it, and its purpose. A link to unsubscribe keeps what it needs.

## Parameters of one's own

`--drop-params` names parameters of queries that do not count, `--keep-params` the only ones that do, on the hosts on
which some are named. Upper and lower case differ.

| word | stands for |
| --- | --- |
| `ref` | the parameter `ref` |
| `tag_*` | all whose names begin so |
| `ref@shop.example` | `ref` on links of this host and of those below it |

```pycon
>>> from urisieve import Options, Profile, key
>>> shop = Profile(["page", "lower-path"], drop_params=["ref@shop.example"])
>>> key("http://www.shop.example/Tea/?ref=7&id=2", options=Options(merge=shop))
'https://shop.example/tea?id=2'

```

## Profiles in a file

`--merge shop` takes this one from `pyproject.toml`; in `urisieve.toml` the table is `[profiles.shop]`
([defaults](command-line.md)).

```toml
[tool.urisieve.profiles.shop]
steps = ["page", "lower-path"]
drop-params = ["ref@shop.example"]
keep-params = []
```

The library reads no such file by itself: read the table, and make a `Profile` of its lists.

```pycon
>>> import tomllib
>>> text = 'tool.urisieve.profiles.shop = {{steps = ["page", "lower-path"], drop-params = ["ref@shop.example"]}}'
>>> table = tomllib.loads(text)["tool"]["urisieve"]["profiles"]["shop"]
>>> Profile(table["steps"], table.get("drop-params", ()), table.get("keep-params", ())) == shop
True

```
"""

_SECRETS = """# Secrets in links

What counts as a secret in a link, beside [passwords](output.md#hidden-parts), printed from the rows of
`rules/registry/secrets.txt`, which are of 2026-11. A link with one has the warning `secret-present`;
[`--safe no-secrets`](output.md#secrets) hides it.

- *Names that are sure*: the value of each parameter whose name ends so is a secret, whatever is before it and between
  its words (`my-access_token`, `AccessToken`), if it has {sure} characters; but no word such as `true` or `null`, and
  no placeholder.
- *Last words*: names with these last words mean many things. Their values count if they look random: {random} letters,
  digits and signs or more, {digits} digits or more, and {changes} changes or more between small letters, capitals (one
  before small letters does not count) and digits, one in {between} characters on average. So `code=200`, `key=name`,
  dates and titles stay.
- *Shapes*: what looks like the example is a secret wherever it is, but not in a host.
- *Webhooks*: the part of the path that lets anyone post.

Names, signs and values may be percent-encoded, as in a link inside another one. In `data:` and URNs nothing is looked
for. In the examples the secret is in braces, cut after {longest} characters; the links behind them have none.

{table}
"""

_REDIRECTORS = """# Redirectors and resolvers

The links of which urisieve knows to what they lead, printed from the rows of `urisieve.rules`. Nothing is asked:
the target stands in the link.

## Redirectors

`--accept wrapped` reports the link to which one of these leads behind it ([a reported mail](phishing.md)).

{redirectors}

## Resolvers

`--merge resolver-links` makes of one of these the identifier to which it leads
([deduplication](dedupe.md#links-of-resolvers)).

{resolvers}
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
    return port if row["drops_port"] or not port else f"({port})"


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


_PROFILES: Final = {
    "rfc": "what the RFCs call equivalent: no step",
    "request": "links for which a crawler sends one request: fragments are not sent (RFC 9110 7.1)",
    "page": "links that lead to one page of the web on most sites",
    "host": "links to one host",
}


def merging() -> str:
    """The page of merging."""
    profiles = _table(
        ["profile", "what counts as one", "steps"],
        ([f"`{name}`", _PROFILES[name], _code(step for step in MergeStep if step in steps)]
         for name, steps in PROFILES.items()),
    )  # fmt: skip
    steps = _table(
        ["step", "reference", "what it does"],
        ([f"`{step}`", row.reference, row.meaning] for step, row in MERGE_ROWS.items()),
    )
    examples = _examples(
        {"name": str(step), "same": row.same, "different": row.different} for step, row in MERGE_ROWS.items()
    )
    return _MERGING.format(
        profiles=profiles, steps=steps, examples=examples, count=len(tracking_rows()), date=tracking_date()
    )


def redirectors() -> str:
    """The page of redirectors and resolvers, with an example of each."""
    tables = {
        "redirectors": _links("redirector", "leads to", ((row, row.examples[0]) for row in REDIRECTORS)),
        "resolvers": _links("resolver", "identifier", ((row, row.same[0]) for row in RESOLVER_LINKS)),
    }
    return _REDIRECTORS.format(**tables)


def secrets() -> str:
    """The page of secrets, with an example of each row and a link that has none."""
    limits = {"longest": _LONGEST, "sure": LEAST_SURE, "random": LEAST_RANDOM, "digits": LEAST_DIGITS}
    table = _table(
        ["secret", "of", "known by", "example", "none", "reference"],
        ([f"`{row.name}`", row.product, _known_by(row), f"`{_marked(row)}`", f"`{row.other}`", row.reference]
         for row in SECRETS),
    )  # fmt: skip
    return _SECRETS.format(table=table, changes=LEAST_CHANGES, between=MOST_BETWEEN, **limits)


def _known_by(row: SecretRow) -> str:
    if row.sure:
        return f"names that are sure: {_code(row.sure)}"
    if row.words:
        return f"last words: {_code(row.words)}"
    return "webhook" if row.host or "hook" in row.name else "shape"


def _marked(row: SecretRow) -> str:
    """Return the example of a row with its secret, of which a long one is cut, in braces."""
    link, secret = row.example
    return link.replace(secret, f"{{{secret if len(secret) <= _LONGEST else f'{secret[:_LONGEST]}...'}}}")


_LONGEST: Final = 24


def _links(name: str, target: str, rows: Iterable[tuple[Redirector | ResolverLink, tuple[str, str]]]) -> str:
    return _table(
        [name, "link", target, "reference"],
        ([row.title, f"`{link}`", f"`{leads}`", row.reference] for row, (link, leads) in rows),
    )


PAGES: Final[dict[str, Callable[[], str]]] = {
    "schemes": schemes,
    "namespaces": namespaces,
    "explain": explain,
    "merging": merging,
    "redirectors": redirectors,
    "secrets": secrets,
}


if __name__ == "__main__":
    sys.stdout.write(PAGES[sys.argv[1]]())
