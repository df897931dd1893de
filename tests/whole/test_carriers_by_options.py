"""Each option finds and judges the same in each kind of file, by either engine, and as in the text alone.

Each engine is the oracle of the other, and the search in a passage of text is the oracle of both.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from tests.helpers.carriers import CARRIERS, PASSAGES, is_own
from tests.helpers.every_kind import FILES
from tests.helpers.option_table import OPTIONS, SHELF
from tests.helpers.two_searches import PIVOTS
from urisieve import Batch, Filter, Options, ReadingOptions, Tally, extract_batches, sieve, sieve_into
from urisieve.kernel import compiled
from urisieve.merging import PROFILES
from urisieve.options import Bare, Level, SchemelessFinding, SchemePolicy, Unwrap
from urisieve.records.layouts import COLUMNS
from urisieve.types import Blocks

# Other values of some options than those of the table.
_MORE: Final[dict[str, Sequence[Any]]] = {
    "schemes": [*SchemePolicy, {"http", "urn", "mailto"}],
    "exclude_schemes": [{"https", "doi", "urn", "mailto"}],
    "level": list(Level),
    "merge": [*PROFILES, "archive-key"],
    "schemeless": list(SchemelessFinding),
    "bare": [*((kind,) for kind in Bare), tuple(Bare)],
    "unwrap": list(Unwrap),
}
_SEVERAL: Final = (
    *PIVOTS,
    Options(unwrap="any", nested=True, spoofing=True),
    Options(unwrap="any", schemeless="names", email=True, refang=True, merge="page"),
    Options(unwrap="known", repair=True, level="none", positions="offsets"),
    Options(rules=[SHELF], schemes="any", bare=tuple(Bare), charset="legacy"),
    Options(protect=["microsoft.com"], schemeless="names", refang=True, email=True, merge="archive-key"),
)


def _name(options: Options) -> str:
    """Return a name of some options that is the same in each process."""
    named = re.sub(r"\(Scheme\(name='(\w+)'.*?\),\)", r"\1", repr(options))
    return named.replace("'", "")[len("Options(") : -1] or "none"


SINGLE: Final = {
    _name(options): options
    for options in (
        Options(),
        *(Options(**{**case.base, name: case.value}) for name, cases in OPTIONS.items() for case in cases),
        *(Options(**{name: value}) for name, values in _MORE.items() for value in values),
    )
}
SEVERAL: Final = {_name(options): options for options in _SEVERAL if options not in SINGLE.values()}
ALL: Final = {**SINGLE, **SEVERAL}
# Rarer kinds and containers, without the passages: those of other kinds than the files that have them.
RARE: Final = (
    *("crawl.warc.gz", "cut.gz", "in.tar", "in.tgz", "log.bz2", "log.xz", "people.ldif", "stray.log", "unit.journal"),
    *("wide.txt", "zip.eml"),
)
DATA: Final = {**{name: FILES[name] for name in RARE}, **{name: one.data for name, one in CARRIERS.items()}}
# Where rows stand is not asked for: messages are read in a quicker way then.
_UNPLACED: Final = tuple(set(COLUMNS) - {"location", "line", "column", "byte_start", "byte_end"})
_COUNTS: Final = ("kinds", "read", "skipped", "broken", "rejected", "warnings", "left_out")


class _Taken:
    """A sink that lists what it takes."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []

    def take(self, batch: Batch, /) -> None:
        self.batches.append(batch)

    def close(self) -> None:
        """Keep what is listed."""


def _counts(tally: Tally) -> dict[str, Any]:
    counts = {name: sorted(map(repr, getattr(tally, name).items())) for name in _COUNTS}
    return {**counts, "messages": list(tally.messages)}


def _found(batches: Sequence[Batch]) -> list[dict[str, Any]]:
    return [one.as_dict() for batch in batches for one in batch.found()]


def _columns(batches: Sequence[Batch]) -> list[dict[str, Any]]:
    rows = [
        dict(zip(_UNPLACED, map(str, row), strict=True))
        for batch in batches
        for row in zip(*(batch.column(name) for name in _UNPLACED), strict=True)
    ]
    return rows + [
        {"raw": one.raw, "reason": one.reason, "offset": one.offset} for batch in batches for one in batch.rejections
    ]


def cell(options: str, carrier: str) -> dict[str, Any]:
    """Return all that a file holds under some options: with places, in columns without, and what a filter has left."""
    chosen, data = ALL[options], DATA[carrier]
    tallies = [Tally(), Tally()]
    errors: list[str] = []
    placed, unplaced = (
        list(
            extract_batches(
                [Blocks(carrier, [data])],
                columns=columns,
                options=chosen,
                on_error=lambda name, error: errors.append(f"{name}: {error}"),
                tally=tally,
            )
        )
        for columns, tally in zip((None, _UNPLACED), tallies, strict=True)
    )
    taken = _Taken()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, carrier)
        path.write_bytes(data)
        left = sieve_into(
            path,
            taken,
            options=chosen,
            reading=ReadingOptions(context=True),
            wanted=Filter(hosts="!*.own.example", present="host"),
        )
        filtered = json.dumps([_found(taken.batches), _counts(left)]).replace(f"{folder}{os.sep}", "")
    return {
        "found": _found(placed),
        "columns": _columns(placed),
        "unplaced": _columns(unplaced),
        "counts": [_counts(tally) for tally in tallies],
        "errors": errors,
        "filtered": json.loads(filtered),
    }


def serve() -> None:
    """Answer for each line with the names of a cell by a line with the cell."""
    for line in sys.stdin:
        print(json.dumps(cell(*json.loads(line))), flush=True)


@pytest.fixture(scope="module")
def in_python() -> Iterator[subprocess.Popen[str] | None]:
    """A process without the kernel; None if there is none in this one either."""
    if not compiled:
        yield None
        return
    code = f"from {__name__} import serve; serve()"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "URISIEVE_PURE": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        yield process
        process.communicate()


@cache
def _alone(options: Options) -> tuple[list[str], list[str]]:
    """The identifiers in the passages, and what is rejected there."""
    found = [one for passage in PASSAGES for one in sieve(passage, options=options)]
    return [one.uri for one in found if one], [one.raw for one in found if not one]


def _in_passages(options: str, carrier: str, found: Sequence[dict[str, Any]]) -> None:
    """Assert that in a file the same is found of the passages as in them alone."""
    one = CARRIERS[carrier]
    chosen = ALL[options]
    if one.charset is not None:
        chosen = replace(chosen, charset=one.charset)
    uris, rejected = _alone(chosen)
    assert [row["uri"] for row in found if "uri" in row and not is_own(row["uri"])] == uris * one.shows
    if not one.repeats_rejections:
        assert [row["raw"] for row in found if "uri" not in row and not is_own(row["raw"])] == rejected * one.shows


def _differences(one: Any, other: Any) -> Any:
    """Return what differs in two answers: of mappings and of lists of the same length only that."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = {**one, **other}
        return {
            name: _differences(one.get(name), other.get(name)) for name in names if one.get(name) != other.get(name)
        }
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [_differences(left, right) for left, right in zip(one, other, strict=True) if left != right]
    return [] if one == other else (one, other)


def _compared(options: str, carrier: str, in_python: subprocess.Popen[str] | None) -> dict[str, Any]:
    """Return what a file holds, by the engine of this process; assert that the other one says the same."""
    answer: Any = None
    if in_python is not None and in_python.stdin is not None and in_python.stdout is not None:
        in_python.stdin.write(f"{json.dumps([options, carrier])}\n")
        in_python.stdin.flush()
        answer = json.loads(in_python.stdout.readline())
    found: dict[str, Any] = json.loads(json.dumps(cell(options, carrier)))
    assert found["unplaced"] == found["columns"]
    assert found["counts"][0] == found["counts"][1]
    if answer is not None:
        assert _differences(found, answer) == {}
    return found


def _compared_with_passages(options: str, carrier: str, in_python: subprocess.Popen[str] | None) -> None:
    found = _compared(options, carrier, in_python)
    assert found["errors"] == []
    _in_passages(options, carrier, found["found"])


@pytest.mark.sampled(11)  # each kind of file and each option, for an eleventh of the others
@pytest.mark.parametrize(("options", "carrier"), list(product(SINGLE, CARRIERS)))
def test_an_option_does_the_same_in_each_kind_of_file(
    options: str, carrier: str, in_python: subprocess.Popen[str] | None
) -> None:
    _compared_with_passages(options, carrier, in_python)


@pytest.mark.sampled(21)
@pytest.mark.parametrize(("options", "carrier"), list(product(SEVERAL, CARRIERS)))
def test_several_options_do_the_same_in_each_kind_of_file(
    options: str, carrier: str, in_python: subprocess.Popen[str] | None
) -> None:
    _compared_with_passages(options, carrier, in_python)


@pytest.mark.sampled(5)
@pytest.mark.skipif(not compiled, reason="compares the kernel with Python")
@pytest.mark.parametrize("carrier", RARE)
@pytest.mark.parametrize("options", ["none", *list(SEVERAL)[-3:]])
def test_rarer_kinds_have_the_same_by_either_engine(
    options: str, carrier: str, in_python: subprocess.Popen[str] | None
) -> None:
    assert _compared(options, carrier, in_python)["found"]
