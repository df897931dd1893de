"""Write tests/golden/keys.tsv: 10,000 identifiers and their keys, so that no key changes without being seen.

Use: python tools/make_golden_keys.py [--unreleased]

The identifiers are the examples of all rows of schemes and namespaces, variations of them, and combinations of schemes,
hosts, ports, paths, queries and fragments, of namespaces and names; what is not valid is left out. The same code writes
the same file. The file says by which version of the canonical forms it was made: while the version stays, a file in
which a key differs from the one that is there is not written, since stored keys depend on it. `--unreleased` writes it
all the same, for a version that nobody has yet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from random import Random
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from urisieve import Record, check
from urisieve.dedupe.signature import CANONICAL_VERSION
from urisieve.rules.registry import default_ports, registered_schemes
from urisieve.rules.scheme_table import described, is_built_in, scheme_rule
from urisieve.rules.table import built_in, namespace_rule
from urisieve.types import SCHEMA_VERSION

__all__ = ["NUMBER", "TARGET", "changed_keys", "written"]

TARGET: Final = Path(__file__).resolve().parent.parent / "tests" / "golden" / "keys.tsv"
NUMBER: Final = 10_000
# Longer ones are left out: the file is read by people when a key changes.
_LONGEST: Final = 160
_SEED: Final = 3986

_HOSTS: Final = (
    "e.example",
    "E.Example",
    "e.example.",
    "www.e-f.example",
    "a_b.e.example",
    "b%c3%bccher.example",
    "BÜCHER.example",
    "xn--bcher-kva.example",
    "例え.テスト",
    "faß.example",
    "☕.example",
    "localhost",
    "192.0.2.1",
    "0x7f.1",
    "%65.example",
    "[::1]",
    "[2001:DB8:0:0::01]",
    "[::ffff:192.0.2.1]",
    "[v1.AB:c]",
    "",
    "u@e.example",
    "u:p@e.example",
    "%75:%2f@e.example",
)
_PORTS: Final = ("", ":", ":80", ":443", ":8080", ":0080", ":65536", ":DEFAULT")
_PATHS: Final = (
    "",
    "/",
    "//",
    "/a",
    "/A/",
    "/a/./b/../c",
    "/../a",
    "/a//b",
    "/%7e%7E~",
    "/%2f%2F",
    "/%61%41%2d",
    "/a;b=c,d@e:f",
    "/%c3%bc",
    "/ü",
    "/u\u0308",
    "/例/え",
    "/%FF%00",
    "/(a)!*'",
    "/index.html",
)
_QUERIES: Final = ("", "", "?", "?a=1&b=2", "?b=2&a=1", "?%7e/?", "?q=ü%C3%bc", "?a%26b=%3d", "?\ue000")
_FRAGMENTS: Final = ("", "", "", "#", "#a", "#%41%2f", "#ü/?")
# What follows the colon of schemes without an authority.
_OPAQUE: Final = ("a", "A:b", "a/../b", "/a/../b", "/.//a", "a@E.example", "%7ea%2F", "10.1/A", "ü", "a;B=c;d", "?a=B")
_NAMES: Final = (
    "a",
    "A:b",
    "a-B-1",
    "%2f%c3%BC",
    "%41",
    "0-395-36341-1",
    "1046-8188",
    "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
    "1.3.6.1",
    "a;b=C",
    "A:b-C",
    "ab:CD:ef",
    "(a)+,.=@;$_!*'",
)
# What is put into an example.
_ADDED: Final = ("-", ".", "/", ";", "%2D", "%2f", "ü", "A", "0")
_TAILS: Final = ("", "", "", "/x", "?X-y", "#X-y")


def examples() -> Iterator[str]:
    """The examples of all rows that are built in."""
    schemes = [(*row.same, *row.different) for row in map(scheme_rule, filter(is_built_in, described()))]
    namespaces = [(*row.same, *row.different) for row in map(namespace_rule, built_in())]
    for pairs in (*schemes, *namespaces):
        yield from chain.from_iterable(pairs)


def _chosen(texts: tuple[str, ...], random: Random) -> str:
    # `random()` gives the same numbers in every version of Python; what chooses by it need not.
    return texts[int(random.random() * len(texts))]


def _varied(text: str, random: Random) -> str:
    """An identifier near another one: case, triplets, what follows it, a character more or fewer."""
    scheme, _, rest = text.partition(":")
    place = int(random.random() * len(rest)) if rest else 0
    ways: tuple[Callable[[], str], ...] = (
        lambda: f"{scheme.upper()}:{rest}",
        lambda: f"{scheme}:{rest.swapcase()}",
        lambda: f"{scheme}:{rest[:place]}{rest[place:].upper()}",
        lambda: f"{scheme}:{rest[:place]}%{ord(rest[place]) & 127:02x}{rest[place + 1 :]}" if rest else text,
        lambda: f"{scheme}:{rest[:place]}{rest[place + 1 :]}",
        lambda: f"{scheme}:{rest[:place]}{_chosen(_ADDED, random)}{rest[place:]}",
        lambda: f"{text}{_chosen(_TAILS[3:], random)}",
    )
    return ways[int(random.random() * len(ways))]()


def variations(texts: list[str]) -> Iterator[str]:
    """Variations of texts, without end."""
    random = Random(_SEED)
    while True:
        for text in texts:
            for _ in range(1 + int(random.random() * 2)):
                text = _varied(text, random)
            yield text


def combinations() -> Iterator[str]:
    """Identifiers put together of their components, for every scheme that is known, without end."""
    random = Random(_SEED + 1)
    names = sorted(
        {*registered_schemes(), *default_ports(), *filter(is_built_in, described()), "not-registered"} - {"urn"}
    )
    often = ("http", "https", "ws", "ftp", "file", "coap", "ldap", "rtsp", "sip", "mailto", "tel", "data")
    while True:
        for name in names:
            for scheme in (name, _chosen(often, random)):
                tail = f"{_chosen(_QUERIES, random)}{_chosen(_FRAGMENTS, random)}"
                if random.random() < 0.3:
                    yield f"{scheme}:{_chosen(_OPAQUE, random)}{tail}"
                    continue
                port = _chosen(_PORTS, random)
                if port == ":DEFAULT":
                    port = f":{default_ports()[scheme][0] if scheme in default_ports() else 1}"
                yield f"{scheme}://{_chosen(_HOSTS, random)}{port}{_chosen(_PATHS, random)}{tail}"


def urns() -> Iterator[str]:
    """URNs of every namespace that is known, without end."""
    random = Random(_SEED + 2)
    while True:
        for nid in (*built_in(), "x-local", "urn-99", "unknown"):
            written = nid if random.random() < 0.7 else nid.upper()
            yield f"urn:{written}:{_chosen(_NAMES, random)}{_chosen(_TAILS, random)}"


def identifiers() -> Iterator[str]:
    """Valid identifiers, each once: all examples, and of the rest by turns."""
    seen: set[str] = set()
    texts = list(examples())
    combined = combinations()
    by_turns = chain.from_iterable(zip(variations(texts), combined, combined, combined, urns(), strict=False))
    for text in chain(texts, by_turns):
        usable = len(text) <= _LONGEST and text not in seen and not any(character in text for character in "\t\r\n")
        seen.add(text)
        if usable and isinstance(check(text), Record):
            yield text


def written() -> str:
    """The file: a line that says by which version it was made, then an identifier and its key a line."""
    rows = [f"{text}\t{_key(text)}\n" for text in islice(identifiers(), NUMBER)]
    return f"# canonical {CANONICAL_VERSION}, schema {SCHEMA_VERSION}\n{''.join(sorted(rows))}"


def _key(text: str) -> str | None:
    found = check(text)
    return found.key if isinstance(found, Record) else None


def changed_keys(lines: list[str]) -> list[str]:
    """What no longer has the key that it has in the lines of such a file, as lines to read."""
    found = []
    for line in lines:
        text, _, key = line.partition("\t")
        now = _key(text)
        if now != key:
            found.append(f"{text}  had {key}  has {'no key: it is not valid' if now is None else now}")
    return found


def main(arguments: list[str]) -> None:
    """Write the file, unless that would hide that keys have changed."""
    if TARGET.exists() and "--unreleased" not in arguments:
        head, *lines = TARGET.read_text("utf-8").rstrip("\n").split("\n")
        changed = changed_keys(lines) if head.startswith(f"# canonical {CANONICAL_VERSION},") else []
        if changed:
            sys.exit(
                "\n".join(changed[:50])
                + f"\n{len(changed)} keys of version {CANONICAL_VERSION} have changed: raise CANONICAL_VERSION and "
                "SCHEMA_VERSION, or say --unreleased"
            )
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(written(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
