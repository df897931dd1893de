"""Hard cases, and what other programs give for them: `python -m benchmarks.differences --write PAGE`.

A case is a text with what an RFC says is in it, or two URIs with whether they are one; the section says what counts.
Every program is called as its documentation shows, with its defaults. Programs that are not installed are left out.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from benchmarks.finders import FINDERS
from benchmarks.machine import package_version
from benchmarks.markdown import replaced, table
from benchmarks.normalizers import NORMALIZERS
from urisieve import Rejection, sieve

__all__ = ["PAIRS", "TEXTS", "Pair", "Text", "page"]


class Text(NamedTuple):
    """A text, what is found in it by the section named, and a word on why."""

    text: str
    found: tuple[str, ...]
    section: str


class Pair(NamedTuple):
    """Two identifiers, whether they are one, and the section that says so."""

    first: str
    second: str
    same: bool
    section: str


TEXTS = (
    Text("(see http://example.com/wiki/A_(b)).", ("http://example.com/wiki/A_(b)",), "3986 App. C"),
    Text("Is it http://example.com/a?", ("http://example.com/a",), "3986 App. C"),
    Text("<http://example.com/long/\n  path>", ("http://example.com/long/path",), "3986 App. C"),
    Text('"http://example.com/a,"', ("http://example.com/a,",), "3986 App. C"),
    Text("参见http://example.com/a。然后", ("http://example.com/a",), "3987 2.2, prose"),
    Text("'http://example.com/a','b'", ("http://example.com/a",), "3986 App. C"),
    Text("**http://example.com/m**", ("http://example.com/m",), "Markdown"),
    Text("see http://[2001:db8::7]:8080/x", ("http://[2001:db8::7]:8080/x",), "3986 3.2.2"),
    Text("see http://bücher.com/straße", ("http://bücher.com/straße",), "3987 2.2"),
    Text("http://example.com/100%zz", (), "3986 2.1"),
    Text("http://example.com:80ab/", (), "3986 3.2.3"),
    Text("http://example.com/#a#b", (), "3986 3.5"),
    Text("urn:isbn:0-395-36341-1", ("urn:isbn:0-395-36341-1",), "2141 2"),
    Text("urn:foo:a&b", ("urn:foo:a",), "2141 2.4"),
    Text("magnet:?xt=urn:btih:c12fe1c06bba254a", ("magnet:?xt=urn:btih:c12fe1c06bba254a",), "3986 3"),
    Text("std::string C:/Users 12:30 INFO:root:x", (), "none is an identifier"),
)
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
_PATTERN = r"""[a-z][a-z0-9+.-]*://[^\s<>"]+"""
_Find = Callable[[str], list[str]]


def _ripgrep(text: str) -> list[str]:
    found = subprocess.run(
        ["rg", "--no-config", "--only-matching", "--ignore-case", "--regexp", _PATTERN, "-"],
        input=text,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    return found.stdout.splitlines()


def _finder(name: str) -> _Find:
    def find(text: str) -> list[str]:
        feed = FINDERS[name].load()
        return [*feed(text), *feed(None)]

    return find


def finders() -> dict[str, _Find]:
    """The finders beside ours that are installed."""
    names = ["linkify-it-py", "URLExtract", "ural"]
    found = {name: _finder(name) for name in names if package_version(FINDERS[name].package) is not None}
    if shutil.which("rg"):
        found["`rg -o`"] = _ripgrep
    return found


def _code(text: str) -> str:
    return f"`{text.replace(chr(10), '⏎')}`"


def _shown(texts: Iterable[str]) -> str:
    return " ".join(map(_code, texts)) or "nothing"


def _plain(text: str) -> str:
    """A find without the white space that Appendix C says does not count."""
    return "".join(text.split())


def _there(case: Text) -> str:
    """What is there, and what we say of what is not: the tests hold us to it."""
    reasons = [str(value.reason) for value in sieve(case.text) if isinstance(value, Rejection)]
    return _shown(case.found) + (f": `{', '.join(reasons)}`" if reasons else "")


def _given(find: _Find, case: Text) -> str:
    try:
        found = find(case.text)
    except Exception as error:  # whatever a package raises
        return f"raises {type(error).__name__}"
    return "the same" if tuple(map(_plain, found)) == case.found else _shown(found)


def _one(normalize: Callable[[str], str], pair: Pair) -> str:
    try:
        same = normalize(pair.first) == normalize(pair.second)
    except Exception as error:  # whatever a package raises
        return f"raises {type(error).__name__}"
    return "yes" if same is pair.same else "one" if same else "two"


def page() -> str:
    """Both tables, as Markdown."""
    others = finders()
    calls = [call for call in NORMALIZERS if package_version(call.package) is not None]
    packages = (
        ["urisieve"] + [FINDERS[name].package for name in others if name in FINDERS] + [call.package for call in calls]
    )
    versions = ", ".join(f"{name} {package_version(name)}" for name in dict.fromkeys(packages))
    texts = table(
        ["text", "by RFC", "there is, and urisieve finds", *others],
        [
            [_code(case.text), case.section, _there(case), *(_given(find, case) for find in others.values())]
            for case in TEXTS
        ],
        left=99,
    )
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
    return (
        f"Versions: {versions}.\n\n### What is found\n\nThe others give the same, or what the cell shows. The "
        f'pattern of `rg` is `{_PATTERN}`.\n\n{texts}\n\n### What is the same\n\n"yes" means so; otherwise '
        f'the pair became "one" or stayed "two".\n\n{pairs}'
    )


def main() -> None:
    """Print the tables, or write them into a page."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.differences",
        description="Hard cases, and what other programs give for them, as Markdown.",
    )
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the tables into this page, between its marks")
    asked = parser.parse_args()
    if asked.write is None:
        print(page())
    else:
        asked.write.write_text(replaced(asked.write.read_text("utf-8"), page()), "utf-8")


if __name__ == "__main__":
    main()
