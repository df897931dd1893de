"""Pairs of URIs, and whether other programs take them for one: `python -m benchmarks.differences --write PAGE`.

The section beside a pair says what counts. Every program is called as its documentation shows, with its defaults.
Programs that are not installed are left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.machine import package_version
from benchmarks.markdown import replaced, table
from benchmarks.normalizers import NORMALIZERS

__all__ = ["PAIRS", "Pair", "page"]


class Pair(NamedTuple):
    """Two identifiers, whether they are one, and the section that says so."""

    first: str
    second: str
    same: bool
    section: str


PAIRS = (
    Pair("http://example.com", "http://example.com:80/", True, "3986 6.2.3"),
    Pair("http://example.com/%7ea", "http://example.com/~a", True, "3986 6.2.2.2"),
    Pair("http://example.com/%2e%2e/c", "http://example.com/c", True, "3986 6.2.2.3"),
    Pair("http://bücher.com/", "http://xn--bcher-kva.com/", True, "3987 5.3.3"),
    Pair("http://[2001:DB8:0:0:0:0:0:1]/", "http://[2001:db8::1]/", True, "5952 4"),
    Pair("URN:FOO:a%2c", "urn:foo:a%2C", True, "2141 5"),
    Pair("http://example.com/a%2Cb", "http://example.com/a,b", False, "3986 2.2"),
    Pair("http://example.com/?", "http://example.com/", False, "3986 6.2.3"),
    Pair("http://example.com/a//b", "http://example.com/a/b", False, "3986 3.3"),
    Pair("http://example.com/?b=1&a=2", "http://example.com/?a=2&b=1", False, "3986 3.4"),
    Pair("http://example.com/?q=a%20b", "http://example.com/?q=a+b", False, "3986 2.2"),
    Pair("http://straße.com/", "http://strasse.com/", False, "UTS 46 4, 5891"),
    Pair("http://0x7f.1/", "http://127.0.0.1/", False, "3986 7.4"),
    Pair("urn:foo:a%2Db", "urn:foo:a-b", False, "2141 5"),
)


def _one(normalize: Callable[[str], str], pair: Pair) -> str:
    try:
        same = normalize(pair.first) == normalize(pair.second)
    except Exception as error:  # whatever a package raises
        return f"raises {type(error).__name__}"
    return "yes" if same is pair.same else "one" if same else "two"


def page() -> str:
    """The table, as Markdown."""
    calls = [call for call in NORMALIZERS if package_version(call.package) is not None]
    packages = ["urisieve", *(call.package for call in calls)]
    versions = ", ".join(f"{name} {package_version(name)}" for name in dict.fromkeys(packages))
    pairs = table(
        ["pair", "by RFC", *(call.package for call in calls)],
        [
            [
                f"`{pair.first}` {'=' if pair.same else '≠'} `{pair.second}`",
                pair.section,
                *(_one(call.function(), pair) for call in calls),
            ]
            for pair in PAIRS
        ],
        left=99,
    )
    return f'Versions: {versions}.\n\n"yes" means so; otherwise the pair became "one" or stayed "two".\n\n{pairs}'


def main() -> None:
    """Print the table, or write it into a page."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.differences",
        description="Pairs of URIs, and whether other programs take them for one, as Markdown.",
    )
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page, between its marks")
    asked = parser.parse_args()
    if asked.write is None:
        print(page())
    else:
        asked.write.write_text(replaced(asked.write.read_text("utf-8"), page()), "utf-8")


if __name__ == "__main__":
    main()
