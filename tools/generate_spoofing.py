"""Generate the tables of UTS 39 beside `urisieve.rules.registry` from the data of Unicode in the sources of ICU.

Use: python tools/generate_spoofing.py icu/source/data/unidata   (the folder with confusables.txt and ppucd.txt)
The result is committed, so that the package needs neither this script nor those files.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import wrap

from generate_registry import write_table

_HEAD = """{what}
Code points are hexadecimal numbers, ranges include both ends.
Source: {file}, version {version} ({date}), as the sources of ICU carry it.
Copyright of the data: 1991-{year} Unicode, Inc., used under the Unicode License v3; NOTICE has its text."""
_TABLES = {
    "confusables": "What looks alike (UTS 39 4): prototype:sources; '+' stands between characters of a prototype.",
    "scripts": "Script_Extensions (UAX 24): set of scripts:ranges, with '+' in a set. Common and Inherited are Zyyy.",
    "script_names": "The names of scripts: the short one and the long one, with a tab between.",
    "allowed": "The characters whose Identifier_Status is Allowed (UTS 39 3.1).",
    "ignorable": "The characters that are not shown: Default_Ignorable_Code_Point (UAX 44).",
}
_WIDTH = 118
_ANY_SCRIPT = "Zyyy"


def confusables(text: str) -> dict[str, list[str]]:
    """The characters that have each prototype, both as hexadecimal numbers."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        fields = line.lstrip("\ufeff").partition("#")[0].split(";")
        if len(fields) == 3:
            (source,) = fields[0].split()
            prototype = "+".join(f"{int(point, 16):X}" for point in fields[1].split())
            found.setdefault(prototype, []).append(f"{int(source, 16):X}")
    return found


def _span(text: str) -> tuple[int, int]:
    first, _, last = text.partition("..")
    return int(first, 16), int(last or first, 16)


def properties(text: str) -> Iterator[tuple[int, int, Mapping[str, str]]]:
    """Ranges of assigned characters with their properties, as ICU's "preparsed UCD" holds them.

    The properties of a line `cp` are laid over those of the block around it, these over the defaults. Characters of a
    block without a line have its properties.
    """
    defaults: dict[str, str] = {}
    block: dict[str, str] = {}
    next_one, end = 0, -1  # what is left of the block
    for line in text.splitlines():
        kind, _, rest = line.partition(";")
        if kind not in ("defaults", "block", "cp", "unassigned"):
            continue
        span, _, listed = rest.partition(";")
        first, last = _span(span)
        given = {}
        for word in listed.split(";"):
            name, equals, value = word.partition("=")
            given[name.removeprefix("-")] = value if equals else ("N" if name.startswith("-") else "Y")
        if kind == "defaults":
            defaults = given
            continue
        if next_one < min(first, end + 1):
            yield next_one, min(first - 1, end), {**defaults, **block}
        if kind == "block":
            block, next_one, end = given, first, last
            continue
        around = block if kind == "cp" and first <= end else {}
        yield first, last, {**defaults, **around, **given}
        next_one = last + 1
    if next_one <= end:
        yield next_one, end, {**defaults, **block}


def ranges(spans: Iterable[tuple[int, int]]) -> list[str]:
    """Ranges in order, those side by side joined."""
    joined: list[list[int]] = []
    for first, last in spans:
        if joined and joined[-1][1] == first - 1:
            joined[-1][1] = last
        else:
            joined.append([first, last])
    return [f"{first:X}" if first == last else f"{first:X}-{last:X}" for first, last in joined]


def lines(entries: Mapping[str, list[str]]) -> list[str]:
    """Entries as lines of `name:value value`; a long one is several lines with the same name."""
    made: list[str] = []
    for name, values in entries.items():
        rows = wrap(" ".join(values), _WIDTH - len(name) - 1, break_on_hyphens=False, break_long_words=False)
        made += [f"{name}:{row}" for row in rows]
    return made


def tables(confusable_text: str, ucd_text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Each table: its name, its head and its rows."""
    version, date = (
        re.search(rf"^# {name}: (\S+?),?(?:\s|$)", confusable_text, re.MULTILINE) for name in ("Version", "Date")
    )
    ucd = re.search(r"^ucd;(\S+)", ucd_text, re.MULTILINE)
    if version is None or date is None or ucd is None:
        raise SystemExit("one of the files has no version")
    if version[1] != ucd[1]:
        raise SystemExit(f"confusables.txt is of version {version[1]}, ppucd.txt of {ucd[1]}")
    scripts: dict[str, list[tuple[int, int]]] = {}
    allowed: list[tuple[int, int]] = []
    ignorable: list[tuple[int, int]] = []
    for first, last, given in properties(ucd_text):
        extension = given["scx"]
        listed = sorted((given["sc"] if extension == "<script>" else extension).split())
        if listed != ["Zzzz"]:
            name = "+".join(_ANY_SCRIPT if script == "Zinh" else script for script in listed)
            scripts.setdefault(name, []).append((first, last))
        if given.get("ID_Status") == "Allowed":
            allowed.append((first, last))
        if given.get("DI") == "Y":
            ignorable.append((first, last))
    used = {script for name in scripts for script in name.split("+")}
    named = re.findall(r"^value;sc;(\w+);(\w+)", ucd_text, re.MULTILINE)
    rows = {
        "confusables": lines(confusables(confusable_text)),
        "scripts": lines({name: ranges(spans) for name, spans in scripts.items()}),
        "script_names": [f"{short}\t{long.replace('_', ' ')}" for short, long in named if short in used],
        "allowed": wrap(" ".join(ranges(allowed)), _WIDTH, break_on_hyphens=False),
        "ignorable": wrap(" ".join(ranges(ignorable)), _WIDTH, break_on_hyphens=False),
    }
    for name, what in _TABLES.items():
        file = "confusables.txt" if name == "confusables" else "ppucd.txt"
        yield name, _HEAD.format(what=what, file=file, version=version[1], date=date[1], year=date[1][:4]), rows[name]


def main() -> None:
    """Write the tables."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder = Path(sys.argv[1])
    for name, head, rows in tables(*((folder / name).read_text("utf-8") for name in ("confusables.txt", "ppucd.txt"))):
        write_table(Path(__file__).name, name, head, rows)


if __name__ == "__main__":
    main()
