"""The scripts of a label and its restriction level (UTS 39 5), and which characters identifiers may hold (3.1)."""

from __future__ import annotations

from enum import IntEnum
from functools import cache

from urisieve.lean.hints import Final
from urisieve.rules.registry import rows_of
from urisieve.rules.spoofing.unicode_tables import RangeTable, spans_of

__all__ = ["RestrictionLevel", "is_allowed", "resolved_scripts", "restriction_level", "script_names"]

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
    """How freely a label mixes scripts (UTS 39 5.2); the last stands for all levels below the third."""

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
    """Report whether identifiers may hold a character (Identifier_Status, UTS 39 3.1)."""
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
    """Return the restriction level of a label (UTS 39 5.2), whether or not identifiers may hold its characters."""
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
