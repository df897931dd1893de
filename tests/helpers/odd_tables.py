"""Tables with odd lines, drawn by a seed, with what must be found in them."""

from __future__ import annotations

import random
from codecs import BOM_UTF8, BOM_UTF16_LE
from collections.abc import Callable
from typing import Final, NamedTuple


class Link(NamedTuple):
    """A link of a table: the link, the number of its line, the name of its column, and the offset of its first byte."""

    uri: str
    row: int
    field: str | None
    start: int


class OddTable(NamedTuple):
    """A table: how it is drawn, its bytes, its links, and the number of lines above its header."""

    said: str
    data: bytes
    links: list[Link]
    above: int
    delimiter: str


_DELIMITERS: Final = (",", ";", "\t", "|")
# What may be above a header; `%` is for a delimiter, and `{}` for a link.
_ABOVE: Final = (
    (),
    (),
    ("sep=%",),
    ('"sep=%"',),
    ("# exported on 2024-01-01",),
    ("# source: {}", "# licence: by"),
    ("Report of links",),
    ('"Links% and more"',),
    ("My links, as of {} and before", ""),
    ("", ""),
    ("Title %%%%", "%%%%"),
    ("sep=%", "", "# a comment", "Report 2024"),
    ("#", "# id% url% n", "# from {}", "#"),
)
_FOOTERS: Final = ((), (), ("Total",), ("",), ("", "(3 rows)"), ("Source: {}",))
# The names of the header for cells of `id`, `url`, `n` and `note`, and what is at the end of each row.
_HEADERS: Final = (
    ("id", "url", "n", "note"),
    ("id", "url", "n", "note"),
    ("id", "url", "n", "note", "more"),
    ("url", "n", "note"),
    ('"id"', '"url"', "n", "note"),
)
_ENCODINGS: Final[dict[str, tuple[bytes, Callable[[str], bytes]]]] = {
    "utf-8": (b"", str.encode),
    "utf-8-sig": (BOM_UTF8, str.encode),
    "utf-16": (BOM_UTF16_LE, lambda text: text.encode("utf-16-le")),
}


def odd_table(seed: int) -> OddTable:
    """Return a table that is drawn by a number."""
    drawn = random.Random(seed)
    mark = drawn.choice(_DELIMITERS)
    encoding = drawn.choice(("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16"))
    end = drawn.choice(("\n", "\n", "\r\n"))
    above = [line.replace("%%%%", mark * 3).replace("%", mark) for line in drawn.choice(_ABOVE)]
    names = drawn.choice(_HEADERS)
    trails = mark if len(names) == 5 and drawn.random() < 0.5 else ""
    rows = drawn.choice((2, 3, 5, 8, 40, 300))
    odd_rows = {
        drawn.randrange(1, rows): drawn.choice(("short", "long"))
        for _ in range(drawn.choice((0, 0, 1)) if rows > 2 else 0)
    }
    footer = drawn.choice(_FOOTERS)
    mark_bytes, encode = _ENCODINGS[encoding]

    data = bytearray(mark_bytes)
    links: list[Link] = []
    number = 0

    def add(line: str, field: str | None = None) -> None:
        nonlocal number
        number += 1
        before, found, after = line.partition("{}")
        data.extend(encode(before))
        if found:
            uri = f"https://{drawn.choice(('e', 'f', 'www.g'))}.example/{number}?a=%C3%A9&b={drawn.randrange(9)}"
            links.append(Link(uri, number, field, len(data)))
            data.extend(encode(uri))
        data.extend(encode(after + end))

    for line in above:
        add(line)
    add(mark.join(names))
    for index in range(rows):
        note = drawn.choice(("", "x", "two words", "é", f'"a{mark} b"', '"say ""yes"""'))
        note = note or ("" if index else "x")  # cells that are empty in all rows have no name
        url = drawn.choice(("{}", "{}", '"{}"'))
        row = mark.join((str(index), url, str(drawn.randrange(100)), note)) + trails
        kind = odd_rows.get(index)
        add(row if kind is None else f"{index}{mark}{{}}" if kind == "short" else f"{row}{mark}x{mark}y", "url")
    for line in footer:
        add(line, "1" if len(names) == 3 else "id")
    is_above = sum(1 for line in above if line.strip()) > 0
    said = f"{seed}: {mark!r} {encoding} {above} {names} {trails!r} {rows} {odd_rows} {footer}"
    return OddTable(said, bytes(data), links, len(above) if is_above else 0, mark)
