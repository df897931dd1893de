"""Results do not depend on where blocks end: every row of the tables, at every cut, at the real sizes of blocks."""

from __future__ import annotations

import pytest

import test_boundaries
import test_defanged
import test_delimiting
from marked_rows import Row, unmarked
from urisieve import Options, Scanner, sieve
from urisieve.find.sizes import PIECE

EVERYTHING = Options(refang="known-forms", schemeless="names", email="addresses", nested="report")
REPAIRED = Options(refang="known-forms", repair="encode", urn_syntax="rfc8141", zones="rfc6874", schemes="any")
# The first block of a text in which nothing was found yet, and one later.
SIZES = (65_536, PIECE)


def _rows() -> list[Row]:
    tables = (*test_boundaries.OWN.values(), *test_delimiting.ROWS.values())
    return [row for table in tables for row in table]


@pytest.mark.parametrize("options", [None, EVERYTHING, REPAIRED], ids=["own", "everything", "repaired"])
def test_rows(options: Options | None) -> None:
    for row in _rows():
        _same_at_every_cut(unmarked(row.marked)[0], row.options if options is None else options, SIZES[:1])


@pytest.mark.parametrize("options", [test_defanged.REFANG, test_defanged.ALL, EVERYTHING])
def test_defanged_rows(options: Options) -> None:
    for text in test_defanged.TEXTS:
        _same_at_every_cut(f"see {text} and\n", options, SIZES)


def _same_at_every_cut(text: str, options: Options, sizes: tuple[int, ...]) -> None:
    expected = [value.as_dict() for value in sieve(text, options=options)]
    for size in sizes:
        lines = "\n" * size
        for cut in range(len(text) + 1):
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
