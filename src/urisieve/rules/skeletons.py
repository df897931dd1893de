"""Skeletons: texts that look alike have one skeleton (UTS 39 4).

The module also defines:

- the scripts of a label and its restriction level (UTS 39 5), and which characters identifiers may contain (3.1).
- ranges of code points, as the generated tables of Unicode write them.
- look-alikes of the delimiters of a URI: what ends a host for the reader, and not for the program.
- names that are to be protected: which of them a host passes for (UTS 39 4).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import cache, lru_cache
from unicodedata import category, normalize

from urisieve.errors import UsageError
from urisieve.lean import Final, Generic, TypeVar, lazy_compile
from urisieve.rules.registry import rows_of
from urisieve.syntax.host import dns_host, u_host

_Value = TypeVar("_Value")


def spans_of(rows: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last code point of each range in rows of a table."""
    for span in " ".join(rows).split():
        first, _, last = span.partition("-")
        yield int(first, 16), int(last or first, 16)


class RangeTable(Generic[_Value]):
    """Values by code point; a range has one value.

    Args:
        entries: first and last code point of each range, and its value; no two ranges overlap.
        default: the value of all other code points.
    """

    def __init__(self, entries: list[tuple[int, int, _Value]], default: _Value) -> None:
        entries.sort(key=lambda entry: entry[0])
        self._firsts = [first for first, _, _ in entries]
        self._lasts = [last for _, last, _ in entries]
        self._values = [value for _, _, value in entries]
        self._default = default

    def __getitem__(self, character: str) -> _Value:
        """Return the value of a character."""
        index = bisect_right(self._firsts, ord(character)) - 1
        return self._values[index] if index >= 0 and ord(character) <= self._lasts[index] else self._default


# A bound on the cache of labels and hosts: a crawl names far more, most come in runs.
_MEMORY: Final = 16_384


@cache
def prototypes() -> dict[int, str | None]:
    """Return the table of the second step of a skeleton: prototypes by code point, None for what is not visible."""
    table: dict[int, str | None] = {}
    for line in rows_of("confusables"):
        prototype, _, sources = line.partition(":")
        text = "".join(chr(int(point, 16)) for point in prototype.split("+"))
        table.update(dict.fromkeys((int(source, 16) for source in sources.split()), text))
    for first, last in spans_of(rows_of("ignorable")):
        table.update(dict.fromkeys(range(first, last + 1)))
    return table


def is_ignorable(character: str) -> bool:
    """Report whether a character is not visible (Default_Ignorable_Code_Point)."""
    return prototypes().get(ord(character), "") is None


def skeleton(text: str) -> str:
    """Return the skeleton of a text: `internalSkeleton` of UTS 39 4.

    `bidiSkeleton` is the same for text of one direction. Labels of hosts are of one direction by RFC 5893 2.
    """
    return normalize("NFD", normalize("NFD", text).translate(prototypes()))


@lru_cache(_MEMORY)
def folded_skeleton(text: str) -> str:
    """Return the skeleton of a host or label, whose case does not count.

    It is folded before, so that `I` does not look like `l`, and after: the prototype of `0` is `O`, which a host writes
    as `o`. UTS 39 has no rule for names without case; this merges more than the skeleton alone.
    """
    return skeleton(text.casefold()).casefold()


def looks_of_ascii() -> frozenset[str]:
    """Return the letters and digits of ASCII whose folded skeletons are not their own, each with its skeleton after it.

    >>> sorted(looks_of_ascii())
    ['0o', '1l', 'mrn']
    """
    pairs = ((one, folded_skeleton(one)) for one in "0123456789abcdefghijklmnopqrstuvwxyz")
    return frozenset(one + skeleton for one, skeleton in pairs if one != skeleton)


_ANY: Final = "Zyyy"
_UNKNOWN: Final = "Zzzz"
_LATIN: Final = "Latn"
# UTS 39 5.1: writing systems that consist of several scripts.
_AUGMENTED: Final = {
    "Hani": ("Hanb", "Jpan", "Kore"),
    "Hira": ("Jpan",),
    "Kana": ("Jpan",),
    "Hang": ("Kore",),
    "Bopo": ("Hanb",),
}
_EAST_ASIAN: Final = ("Jpan", "Hanb", "Kore")


class RestrictionLevel(IntEnum):
    """How freely a label mixes scripts (UTS 39 5.2); the last represents all levels below the third."""

    ASCII_ONLY = 1
    SINGLE_SCRIPT = 2
    HIGHLY_RESTRICTIVE = 3
    LESS_RESTRICTIVE = 4


@cache
def _scripts() -> RangeTable[frozenset[str]]:
    entries = []
    for row in rows_of("scripts"):
        named, _, ranges = row.partition(":")
        scripts = frozenset(named.split("+"))
        entries += [(first, last, scripts) for first, last in spans_of((ranges,))]
    return RangeTable(entries, frozenset((_UNKNOWN,)))


@cache
def _allowed() -> RangeTable[bool]:
    return RangeTable([(first, last, True) for first, last in spans_of(rows_of("allowed"))], False)


@cache
def _long_names() -> dict[str, str]:
    return dict(row.split("\t") for row in rows_of("script_names"))


def is_allowed(character: str) -> bool:
    """Report whether identifiers may contain a character (Identifier_Status, UTS 39 3.1)."""
    return _allowed()[character]


@cache
def _augmented(scripts: frozenset[str]) -> frozenset[str] | None:
    """Return the augmented script set for a set of Script_Extensions (UTS 39 5.1); None for all scripts."""
    if _ANY in scripts:
        return None
    return scripts.union(*(_AUGMENTED.get(script, ()) for script in scripts))


def _script_sets(label: str) -> list[frozenset[str]]:
    """Return the augmented script sets of the characters of a label that do not go with all scripts."""
    table = _scripts()
    sets = {_augmented(table[character]) for character in label}
    return [one for one in sets if one is not None]


def resolved_scripts(label: str) -> frozenset[str] | None:
    """Return the resolved script set (UTS 39 5.1); empty for mixed scripts, None if all characters go with all."""
    sets = _script_sets(label)
    return frozenset.intersection(*sets) if sets else None


def restriction_level(label: str) -> RestrictionLevel:
    """Return the restriction level of a label (UTS 39 5.2), whether or not identifiers may contain its characters."""
    if label.isascii():
        return RestrictionLevel.ASCII_ONLY
    sets = _script_sets(label)
    if not sets or frozenset.intersection(*sets):
        return RestrictionLevel.SINGLE_SCRIPT
    others = [one for one in sets if _LATIN not in one]
    common = frozenset.intersection(*others)
    if any(system in common for system in _EAST_ASIAN):
        return RestrictionLevel.HIGHLY_RESTRICTIVE
    return RestrictionLevel.LESS_RESTRICTIVE


def script_names(label: str) -> list[str]:
    """Return the names of the scripts in a label, in the order of its characters.

    A character of several scripts counts only if none of them is there otherwise.
    """
    table = _scripts()
    sets = [table[character] for character in label]
    found = dict.fromkeys(script for one in sets if len(one) == 1 for script in one if script != _ANY)
    for one in sets:
        if _ANY not in one and one.isdisjoint(found):
            found[min(one)] = None
    return [_long_names().get(script, "unknown script") for script in found]


# A dot, and the delimiters of RFC 3986 3.2 that end a host or what is before it; browsers take a backslash for one.
HOST_ENDS: Final = frozenset("./:?#@\\")
# What the data have no or another prototype for: dots by UTS 46 4 (IDNA), and full stops of scripts that draw them like
# a dot or a dash.
_DOTS: Final = frozenset("\u3002\uff0e\uff61\u06d4\u0589")
# Letters, digits and marks that look like a delimiter are common in words of their script, as U+30CE in Japanese.
_IN_WORDS: Final = ("L", "M", "N")


@lru_cache(_MEMORY)
def delimiter_like(character: str) -> str | None:
    """Return the delimiter that a character beyond ASCII looks like; None if it looks like none."""
    if character.isascii():
        return None
    if character in _DOTS:
        return "."
    prototype = prototypes().get(ord(character))
    if prototype in HOST_ENDS:
        return prototype
    # A compatibility form, such as U+FF0F, or U+2100, which contains a slash.
    return next((one for one in normalize("NFKC", character) if one in HOST_ENDS), None)


def look_alikes(text: str, wanted: frozenset[str] = HOST_ENDS) -> dict[str, str]:
    """Return the characters of a text that look like one of the wanted delimiters, and which.

    A letter, digit or mark counts only where ASCII is on both sides of it: in a word of its own script it is read
    as what it is.
    """
    found = {}
    for index, character in enumerate(text):
        like = delimiter_like(character)
        if like is None or like not in wanted:
            continue
        if category(character)[0] in _IN_WORDS:
            around = text[max(0, index - 1) : index] + text[index + 1 : index + 2]
            if not around.isascii():
                continue
        found[character] = like
    return found


# Shorter labels than this look like many others, as `co` and `c0`.
_LEAST_LABEL: Final = 3
# Where a name begins or ends for a reader, in a skeleton.
_BOUNDARY: Final = lazy_compile(r"[./:?#@\\_\-]")
_DIGITS_ONLY: Final = lazy_compile(r"[0-9.]+")


def checked_names(given: object, name: str = "protect") -> tuple[str, ...]:
    """Check the names passed as an option; return them in A-labels and lower case, each once, sorted.

    Args:
        given: a name, or names; in Unicode or in A-labels.
        name: the name of the option, for messages.

    Raises:
        UsageError: a value is not the name of a host with a dot in it.
    """
    listed: Iterable[object]
    if isinstance(given, str):
        listed = (given,)
    elif isinstance(given, Iterable) and not isinstance(given, (bytes, bytearray)):
        listed = given
    else:
        raise UsageError(f"{name}={given!r} must be names of hosts, such as {{'example.com'}}")
    found = set()
    for one in listed:
        if not isinstance(one, str):
            raise UsageError(f"{name}: {one!r} is not the name of a host, such as 'example.com'")
        found.add(_checked_name(one, name))
    return tuple(sorted(found))


def _checked_name(text: str, name: str) -> str:
    from urllib.parse import quote

    plain = text.strip().removesuffix(".")
    try:
        quoted = quote(plain, safe="-._~")
    except UnicodeEncodeError:  # half of a surrogate pair
        quoted = ""
    verdict = dns_host(quoted)
    if not quoted or verdict.reason is not None or _DIGITS_ONLY.fullmatch(verdict.host):
        raise UsageError(f"{name}: {text!r:.100} is not the name of a host: give one such as 'example.com'")
    if "." not in verdict.host:
        raise UsageError(f"{name}: {text!r:.100} has no dot: give the whole name, such as '{verdict.host}.com'")
    return verdict.host


class ProtectedNames:
    """Compares hosts with the names to be protected, by tables: a host is not compared with each of them.

    Args:
        names: as `checked_names` returns them.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = frozenset(names)
        self._wholes: dict[str, str] = {}
        self._by_first: dict[str, list[str]] = {}  # skeletons of names by that of their first label
        self._labels: dict[str, list[tuple[str, str]]] = {}
        for name in names:
            shown = u_host(name)
            whole = folded_skeleton(shown)
            if whole not in self._wholes:
                self._wholes[whole] = name
                self._by_first.setdefault(whole.partition(".")[0], []).append(whole)
            for label in shown.split(".")[:-1]:
                if len(label) >= _LEAST_LABEL:
                    self._labels.setdefault(folded_skeleton(label), []).append((label, name))

    @property
    def labels(self) -> frozenset[str]:
        """The skeletons of labels; one of them is in each host that may resemble a name, after a dot or a hyphen."""
        return frozenset((*self._by_first, *self._labels))

    def owns(self, host: str) -> bool:
        """Report whether a host, in A-labels, is one of the names or a name below one of them."""
        return any(part in self._names for part in _endings(host.removesuffix(".")))

    def resembled(self, shown: str) -> list[str]:
        """Return the names that a host resembles: that of the host, that of its last labels, or a label of one.

        The last label of a name and labels of one or two characters are compared only as part of the whole.

        Args:
            shown: a host that is not one of theirs, in Unicode.
        """
        if not self._wholes:
            return []
        whole = folded_skeleton(shown)
        found = {self._wholes[ending]: None for ending in _endings(whole) if ending in self._wholes}
        labels = shown.split(".")[:-1]
        # No other character of ASCII looks like a dot.
        skeletons = whole.split(".") if shown.isascii() else map(folded_skeleton, labels)
        for label, one in zip(labels, skeletons, strict=False):
            known = self._labels.get(one)
            if known is not None and not any(label == own for own, _ in known):
                found.update(dict.fromkeys(name for _, name in known))
        return list(found)

    def contained(self, shown: str) -> list[str]:
        """Return the names that are in a host before its end, as in `example.com.evil.test`, or look as if they did.

        A name begins at the start, and after a dot, a hyphen or what looks like a delimiter, and ends before one.

        Args:
            shown: a host that is not one of theirs, in Unicode.
        """
        if not self._wholes:
            return []
        whole = folded_skeleton(shown)
        found: dict[str, None] = {}
        start = 0
        while start >= 0:
            dot = whole.find(".", start)
            for name in self._by_first.get(whole[start:dot], ()) if dot >= 0 else ():
                if whole.startswith(name, start) and _BOUNDARY.match(whole, start + len(name)):
                    found[self._wholes[name]] = None
            mark = _BOUNDARY.search(whole, start)
            start = -1 if mark is None else mark.end()
        return list(found)


def _endings(name: str) -> Iterator[str]:
    """Yield a name, and what is after each of its dots."""
    yield name
    start = name.find(".") + 1
    while start:
        yield name[start:]
        start = name.find(".", start) + 1
