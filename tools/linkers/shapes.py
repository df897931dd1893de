"""What a link looks like to a finder: what is directly before and after it, and which marks are inside.

The letters and digits of a link do not matter: `(see http://a.example/b_(c)).` and `(cf. https://www.example.org/wiki/X_(y)).`
have one shape. How often the shapes of rows occur in texts is what `often` in `samples/data/boundaries.jsonl` says.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from linkers.rows import Row, Span
from urisieve import Rejection, sieve
from urisieve.rules.registry import top_level_domains

__all__ = ["Shape", "covered", "often", "script_of", "shape_of", "shapes_in"]

_PARTS: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?://(?P<authority>[^/?#]*))?(?P<rest>.*)", re.DOTALL)
_PLAIN: Final = frozenset("/:.-_")  # inside nearly every link
_BESIDE: Final = 2
_BLANKS: Final = frozenset(" \t\r\n")
_OPENED: Final = re.compile(r"(?:\burl:\s?|<\s)\Z", re.IGNORECASE)
_WEB: Final = frozenset(("http", "https"))


class Shape(NamedTuple):
    """What is around a link and inside it.

    Attributes:
        before: the two characters before it, or the last blank of them and what is after that; `url:` and `< ` stay.
        marks: what is inside: characters that are no letters, scripts, kinds of host and scheme.
        after: the two characters after it, or the first blank of them and what is before that.
    """

    before: str
    marks: frozenset[str]
    after: str


def script_of(text: str) -> str:
    """Return the script of the letters of a text that are not Latin; `Latin` if there are none."""
    counts = Counter(_script(character) for character in text if character.isalpha())
    others = [script for script, _ in counts.most_common() if script != "Latin"]
    return others[0] if others else "Latin"


def _script(letter: str) -> str:
    """Return the script of a letter, by the first word of its name."""
    name = unicodedata.name(letter, "UNKNOWN").removeprefix("FULLWIDTH ").removeprefix("HALFWIDTH ")
    words = name.split()[: 2 if name.startswith("OLD ") else 1]
    return {"Cjk": "Han", "Modifier": "Latin", "Micro": "Greek"}.get(script := " ".join(words).title(), script)


def _seen(character: str) -> str:
    """Return what counts of a character beside a link: letters are alike, and digits, and blanks."""
    if character in _BLANKS:
        return " "
    if character.isalpha():
        return "a" if character.isascii() else _script(character)
    return "0" if character.isdigit() else character


def _beside(characters: str) -> list[str]:
    """Return what is seen of the characters beside a link, from the link on, up to the first blank."""
    seen: list[str] = []
    for character in f"{characters} "[:_BESIDE]:
        seen.append(_seen(character))
        if seen[-1] == " ":
            break
    return seen


def shape_of(text: str, span: Span, reason: str = "") -> Shape:
    """Return the shape of a link in a text; `reason` is why it was rejected, if it was."""
    start, end = span
    marks = _marks(text[start:end]) | ({f"rejected: {reason}"} if reason else set())
    opened = _OPENED.search(text, 0, start)
    before = _beside(text[max(start - _BESIDE, 0) : start][::-1])
    after = "".join(_beside(text[end : end + _BESIDE]))
    return Shape(opened[0].casefold() if opened else "".join(reversed(before)), frozenset(marks), after)


def _marks(raw: str) -> set[str]:
    parts = _PARTS.match(raw)
    if parts is None:
        return {"no scheme"}
    scheme, authority, rest = parts["scheme"], parts["authority"], parts["rest"]
    marks = {character for character in rest if character.isascii() and not character.isalnum()} - _PLAIN
    marks |= {_script(c) if c.isalpha() else unicodedata.category(c) for c in rest if not c.isascii()}
    if rest and not rest[-1].isalnum() and rest[-1] != "/":
        marks.add(f"ends with {rest[-1]}")
    if re.search("://|[?&=/]urn:", rest):
        marks.add("another inside")
    if authority and rest[:1] in ("?", "#"):
        marks.add("no path")
    if re.search(r"\?[^#]*\?", rest):
        marks.add("second ?")
    if scheme.lower() not in _WEB:
        marks.add(f"{scheme.lower()}:")
    if re.search(r"/\.\.?(?:/|\Z)", rest):
        marks.add("dot segment")
    if scheme != scheme.lower():
        marks.add("capital scheme")
    return marks | _marks_of_host(authority) if authority else marks


def _marks_of_host(authority: str) -> set[str]:
    user, at, host = authority.rpartition("@")
    marks = {f"host: {_script(c) if c.isalpha() else unicodedata.category(c)}" for c in host if not c.isascii()}
    marks |= {f"host {character}" for character in "%[_" if character in host}
    if at:
        marks |= {"user", *(f"user {character}" for character in ":.%" if character in user)}
    if re.search(r":[0-9]+\Z", host):
        marks.add("port")
    name = re.sub(r":[0-9]*\Z", "", host)
    if re.fullmatch(r"[0-9]+(?:\.[0-9]+){3}", name):
        marks.add("IPv4")
    elif "." not in name:
        marks.add("host without a dot")
    elif name[-1:].isascii() and name.rstrip(".").rpartition(".")[2].lower() not in top_level_domains():
        marks.add("no top-level domain")
    if name.endswith("."):
        marks.add("dot at the end of a host")
    if "xn--" in name.lower():
        marks.add("A-label")
    return marks


def shapes_in(texts: Iterable[str]) -> Counter[Shape]:
    """Count the shapes of what urisieve finds, and rejects, in texts."""
    return Counter(
        shape_of(text, (value.start, value.end), str(value.reason) if isinstance(value, Rejection) else "")
        for text in texts
        for value in sieve(text)
    )


def _counts(shape: Shape, seen: Counter[Shape]) -> int:
    """Count what has this shape. Other marks may be inside, and if the shape has marks, a blank side is like any."""
    before, after = ("", "") if not shape.marks else (" ", " ")
    return sum(
        number
        for one, number in seen.items()
        if shape.before in (before, one.before) and shape.after in (after, one.after) and shape.marks <= one.marks
    )


def _shapes_of(row: Row) -> list[Shape]:
    found = [shape_of(row.text, span) for span in row.found]
    return found + [shape_of(row.text, span, reason) for span, reason in row.rejected.items()]


def often(rows: Sequence[Row], seen: Counter[Shape]) -> list[int | None]:
    """Return how many of a million links have the shape of each row; of several in a row the rarest counts."""
    total = seen.total()
    counts = [[_counts(shape, seen) for shape in _shapes_of(row)] for row in rows]
    return [round(1_000_000 * min(those) / total) if those else None for those in counts]


def covered(rows: Sequence[Row], seen: Counter[Shape]) -> int:
    """Count the links with the same characters beside them as a link of some row."""
    beside = {(shape.before, shape.after) for row in rows for shape in _shapes_of(row)}
    return sum(number for shape, number in seen.items() if (shape.before, shape.after) in beside)
