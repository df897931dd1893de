"""Files with odd lines: JSON lines, JSON, pages, feeds and calendars with something above, around or among them.

In each link is something that only the reader of its kind reads right: a reference, a fold, a last bracket in a string.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple

__all__ = ["OddFile", "odd_file", "odd_files"]


class OddFile(NamedTuple):
    """A file: its name, its content, the kinds that it may be counted as, and its links in their order."""

    name: str
    content: str
    kinds: tuple[str, ...]
    links: list[str]


# What programs write above what they are asked for. `%` is a link.
_ABOVE: Final = (
    "Starting the export",
    "> app@1.0.0 start",
    "Listening at %",
    "PHP Warning:  Undefined variable $x in /var/www/a.php on line 3",
    "Deprecated: Function utf8_encode() is deprecated in /var/www/lib.php on line 12",
    "Notice: see % for the terms of use",
    "2024-05-31 13:05:07 INFO begins",
    "[INFO] 12 entries",
    "# comment",
    "// fetched from %",
    "-- dump, part 1 --",
    "Content-Type: application/octet-stream",
    "\ufeffa title, with a comma",
)
# Lines of logs that are neither JSON nor begin as something else does.
_AMONG: Final = (
    "Killed",
    "  at run (app.js:12)",
    "panic: runtime error % [recovered]",
    "2024-05-31T13:05:07Z shutting down, see %",
    '{"cut": "here',
    "{not: json}",
    "[GIN] 200 | GET",
    "",
)
_MEANINGLESS: Final = ("a.txt", "a.log", "a", "a.out", "b")


class _Maker:
    """Makes one file; `links` are those that it was asked for so far."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.links: list[str] = []

    def link(self, end: str = "") -> str:
        """Return the next link of the file; `end` is its last character."""
        number = len(self.links)
        self.links.append(f"http://{self.random.choice('abcd')}{number}.example/?x&y={number}{end}")
        return self.links[-1]

    def lines(self, choices: tuple[str, ...], number: int) -> list[str]:
        """Return some lines that are text."""
        chosen = [self.random.choice(choices) for _ in range(number)]
        return [line.replace("%", self.link()) if "%" in line else line for line in chosen]

    def above(self, promising: tuple[str, ...]) -> tuple[str, str]:
        """Return the name of the file, and the lines above: up to three, or many where the name promises the kind."""
        is_promised = self.random.random() < 0.5
        number = self.random.choice((1, 1, 2, 3, 9, 40, 200)) if is_promised else self.random.randint(1, 3)
        name = self.random.choice(promising if is_promised else _MEANINGLESS)
        lines = self.lines(_ABOVE, number)
        blank = self.random.choice(("", "", "\n"))
        return name, "".join(f"{line}\n" for line in lines) + blank

    def escaped(self, value: object) -> str:
        """Return a value as JSON with its slashes and ampersands escaped, as many programs do."""
        return json.dumps(value).replace("/", "\\/").replace("&", "\\u0026")


def _json_lines(make: _Maker) -> OddFile:
    random = make.random
    name, head = make.above(("a.jsonl", "a.ndjson"))
    needed = 2 + head.count("\n")
    lines = []
    for number in range(random.randint(2 * needed, 4 * needed)):
        if number > needed and random.random() < 0.2:
            lines += make.lines(_AMONG, 1)
        record: dict[str, object] = {"url": make.link(")"), "n": number, "text": "x" * random.randint(0, 90)}
        lines.append(make.escaped(record))
    return OddFile(name, head + "\n".join(lines) + random.choice(("\n", "")), ("jsonl",), make.links)


def _json(make: _Maker) -> OddFile:
    random = make.random
    opener, closer = random.choice(
        ((")]}'\n", ""), (")]}',\n", ""), ("for(;;);", ""), ("while(1);", ""), ("callback(", ");"), ("/**/cb_1(", ")"),
         ("window.YTD.tweets.part0 = ", ""), ("var data = ", ";\n"), ('a["b"].c=', ";"), (None, "\n"))
    )  # fmt: skip
    name = random.choice(("a.json", "a.js", "a.txt", "a"))
    if opener is None:
        name, opener = make.above(("a.json",))
    some = [{"id": number, "url": make.link(")")} for number in range(random.randint(1, 90))]
    whole: object = some if random.random() < 0.5 else {"items": some}
    text = make.escaped(whole) if random.random() < 0.5 else json.dumps(whole, indent=2).replace("&", "\\u0026")
    return OddFile(name, opener + text + closer, ("json",), make.links)


def _page(make: _Maker) -> OddFile:
    name, head = make.above(("a.html", "a.htm", "a.xhtml"))
    start = make.random.choice(("<!DOCTYPE html>\n<html><body>", "<html>\n", "<!doctype html>", "<HTML lang=de>"))
    rows = [f"<p><a href='{make.link().replace('&', '&amp;')}'>x</a>\n" for _ in range(make.random.randint(1, 60))]
    return OddFile(name, head + start + "".join(rows), ("html",), make.links)


def _feed(make: _Maker) -> OddFile:
    name, head = make.above(("a.xml", "a.rss", "a.atom", "a.svg"))
    start = make.random.choice(
        ('<?xml version="1.0"?>\n<feed xmlns="http://www.w3.org/2005/Atom">', '<feed xmlns="http://www.w3.org/2005/Atom">',
         "<?xml version='1.0' encoding='utf-8'?><feed>")
    )  # fmt: skip
    rows = [f"<link href='{make.link().replace('&', '&amp;')}'/>\n" for _ in range(make.random.randint(1, 60))]
    return OddFile(name, f"{head}{start}{''.join(rows)}</feed>\n", ("xml",), make.links)


def _calendar(make: _Maker) -> OddFile:
    kind = make.random.choice(("calendar", "vcard"))
    name, head = make.above(("a.ics",) if kind == "calendar" else ("a.vcf",))
    component = "VCALENDAR" if kind == "calendar" else "VCARD"
    rows = []
    for _ in range(make.random.randint(1, 40)):
        line = f"URL:{make.link()}"
        fold = make.random.randint(8, len(line) - 1)
        rows.append(f"{line[:fold]}\r\n {line[fold:]}\r\n")
    return OddFile(
        name, f"{head}BEGIN:{component}\r\nVERSION:2.0\r\n{''.join(rows)}END:{component}\r\n", (kind,), make.links
    )


def _plain(make: _Maker) -> OddFile:
    """A log, or a text that shows how something else begins: it stays text."""
    random = make.random
    lines = [f"2024-05-31 13:05:07 INFO {number} GET {make.link()} 200" for number in range(random.randint(4, 30))]
    shown = (
        '{"level": "info"}', "<!DOCTYPE html>", '<?xml version="1.0"?>', "BEGIN:VCALENDAR", "callback({})", "x = {",
        "<p>", ")]}'", "[1, 2]", "{", '  "a": 1', "}",
    )  # fmt: skip
    for number in range(random.randint(0, len(lines) // 3)):
        lines.insert(4 + 2 * number, random.choice(shown))
    return OddFile(random.choice(_MEANINGLESS), "\n".join(lines) + "\n", ("text",), make.links)


_MAKERS: Final[tuple[Callable[[_Maker], OddFile], ...]] = (_json_lines, _json, _page, _feed, _calendar, _plain)


def odd_file(seed: int) -> OddFile:
    """Return the file of a seed; the kinds take turns."""
    return _MAKERS[seed % len(_MAKERS)](_Maker(Random(seed)))


def odd_files(number: int) -> list[OddFile]:
    """Return the files of the first seeds."""
    return list(map(odd_file, range(number)))
