"""Results do not depend on where blocks end: every row of the tables, at the real sizes of blocks.

A row is cut at every third place, the next row at the places between; with its own options thrice, and so everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.find import test_boundaries, test_defanged, test_delimiting
from tests.helpers.marked_rows import Row, unmarked
from urisieve import Options, Scanner, sieve
from urisieve.find.delimited import PIECE

EVERYTHING = Options(refang="known-forms", schemeless="names", email="addresses", nested="report")
REPAIRED = Options(refang="known-forms", repair="encode", urn_syntax="rfc8141", schemes="any")
# The first block of a text in which nothing was found yet, and one later.
SIZES = (65_536, PIECE)


def _rows() -> list[Row]:
    tables = (*test_boundaries.OWN.values(), *test_delimiting.ROWS.values())
    return [row for table in tables for row in table]


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    ("options", "first"),
    [(None, 0), (None, 1), (None, 2), (EVERYTHING, 0), (REPAIRED, 0)],
    ids=["own", "own-1", "own-2", "everything", "repaired"],
)
def test_rows(options: Options | None, first: int) -> None:
    for number, row in enumerate(_rows()):
        text = unmarked(row.marked)[0]
        cuts = range((first + number) % 3, len(text) + 1, 3)
        _same_at_cuts(text, row.options if options is None else options, cuts, SIZES[0])


@pytest.mark.long
@pytest.mark.parametrize("options", [test_defanged.REFANG, test_defanged.ALL, EVERYTHING])
def test_defanged_rows(options: Options) -> None:
    for number, link in enumerate(test_defanged.TEXTS):
        text = f"see {link} and\n"
        _same_at_cuts(text, options, range(len(text) + 1), SIZES[0])
        _same_at_cuts(text, options, range(number % 3, len(text) + 1, 3), SIZES[1])


def _same_at_cuts(text: str, options: Options, cuts: Iterable[int], size: int) -> None:
    expected = [value.as_dict() for value in sieve(text, options=options)]
    lines = "\n" * size
    for cut in cuts:
        filler = lines[cut:]
        scanner = Scanner(options)
        values = scanner.feed(filler + text[:cut])
        values += scanner.feed(text[cut:]) + scanner.close()
        found = [value.as_dict() for value in values]
        for value in found:
            value["start"] -= len(filler)
            value["end"] -= len(filler)
            value["line"] -= len(filler)
        assert found == expected, (text, cut, size)
