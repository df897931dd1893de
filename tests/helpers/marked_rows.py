"""Texts with marks: bars stand around what must be found (`see |http://example.com/a|, ok`), `✗` around what must be
rejected; `¦` is a bar that belongs to the text.

Every row runs whole, a character at a time and cut at random; all fields of all records and rejections must be the same
each time.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any, NamedTuple

from urisieve import Options, Record, Rejection, Scanner, check, sieve

DEFAULT = Options()
CUTS = 5
# Warnings that come from the text around an identifier.
OF_THE_TEXT = frozenset(
    "nested scheme-cut stops-at-excluded text-follows may-be-shortened second-scheme".split()  # noqa: SIM905
)


def _values(pieces: Iterable[str], options: Options) -> list[Record | Rejection]:
    scanner = Scanner(options)
    found = [value for piece in pieces for value in scanner.feed(piece)]
    return found + scanner.close()


def _fields(values: Iterable[Record | Rejection]) -> list[tuple[str, dict[str, Any]]]:
    return [(type(value).__name__, value.as_dict()) for value in values]


def _same_as_checked(value: Record | Rejection, options: Options) -> None:
    """Assert that what was found is judged as if it stood alone, where it stood as a whole in the text."""
    alone = check(value.raw, options=options)
    if isinstance(value, Record):
        rewritten = {"whitespace-removed", "scheme-assumed", "unescaped", "escapes-removed", "refanged"}
        if not rewritten & set(value.warnings):
            assert isinstance(alone, Record)
            assert (alone.uri, alone.key) == (value.uri, value.key)
            assert alone.warnings == tuple(code for code in value.warnings if code not in OF_THE_TEXT)
            assert alone.components == value.components
    elif (
        value.reason != "too-long"
        and not set("\\\x1b\x9b") & set(value.raw)
        and options.schemeless == options.email == "off"
    ):
        assert isinstance(alone, Rejection)
        assert (alone.reason, alone.component, alone.offset) == (value.reason, value.component, value.offset)


def sieved(text: str, options: Options = DEFAULT) -> list[Record | Rejection]:
    """What is in a text; asserts that cuts change nothing and that the places are right."""
    whole = _values([text], options)
    fields = _fields(whole)
    assert _fields(sieve(text, options=options)) == fields
    assert _fields(_values(text, options)) == fields, "a character at a time"
    chance = random.Random(text.encode("utf-8", "surrogatepass"))  # the text is the seed
    for _ in range(CUTS):
        places = sorted(chance.choices(range(len(text) + 1), k=chance.randint(1, 4)))
        pieces = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
        assert _fields(_values(pieces, options)) == fields, pieces
    floor = 0
    for value in whole:
        assert isinstance(value, Record) or 0 <= value.offset <= len(value.raw)
        assert text[value.start : value.end] == value.raw
        assert value.line == text.count("\n", 0, value.start) + 1
        assert value.column == value.start - text.rfind("\n", 0, value.start)
        _same_as_checked(value, options)
        if isinstance(value, Record) and "nested" in value.warnings:
            continue
        assert floor <= value.start < value.end, "in order, without overlap"
        floor = value.end
    return whole


class Row(NamedTuple):
    """A text with marks, and what else must hold of all its records or rejections together.

    Codes are given as one string, `wrappers` with `-` for none; what is None is not looked at.
    """

    marked: str
    note: str = ""
    uris: str | None = None
    warnings: str | None = None
    wrappers: str | None = None
    alternatives: str | None = None
    reasons: str | None = None
    options: Options = DEFAULT


def unmarked(marked: str) -> tuple[str, list[tuple[int, int]], list[tuple[int, int]]]:
    """The text of a row, and the places of what must be found and of what must be rejected."""
    text = ""
    places: dict[str, list[int]] = {"|": [], "✗": []}
    for character in marked:
        if character in places:
            places[character].append(len(text))
        else:
            text += "|" if character == "¦" else character
    found, rejected = ([(at[i], at[i + 1]) for i in range(0, len(at), 2)] for at in places.values())
    return text, found, rejected


def holds(row: Row) -> None:
    """Assert all that a row says."""
    text, found, rejected = unmarked(row.marked)
    values = sieved(text, row.options)
    records = [value for value in values if isinstance(value, Record)]
    rejections = [value for value in values if isinstance(value, Rejection)]
    assert [record.raw for record in records] == [text[start:end] for start, end in found]
    assert [(record.start, record.end) for record in records] == found
    assert [rejection.raw for rejection in rejections] == [text[start:end] for start, end in rejected]
    assert [(rejection.start, rejection.end) for rejection in rejections] == rejected
    assert (row.reasons is not None) == bool(rejected), "a row says why, wherever it rejects"
    for said, seen in (
        (row.uris, [record.uri for record in records]),
        (row.warnings, [code for record in records for code in record.warnings]),
        (row.wrappers, [record.wrapper or "-" for record in records]),
        (row.alternatives, [text for record in records for text in record.alternatives]),
        (row.reasons, [rejection.reason for rejection in rejections]),
    ):
        assert said is None or seen == said.split()
