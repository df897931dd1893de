"""What is to be measured, and on which texts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpora import KINDS, make
from benchmarks.markdown import number
from benchmarks.real_texts import grown

__all__ = ["GENERATED", "MEGABYTE", "REAL", "Settings", "Slow", "Text", "note"]

GENERATED = ""
REAL = "real "
"""Before the name of a kind: a text that is grown from a slice of a real one."""

MEGABYTE = 1_000_000
# What is slow is measured on this part of a text.
_SHARE = 10


class Text(NamedTuple):
    """A text to measure on."""

    name: str
    path: Path

    @property
    def megabytes(self) -> float:
        """Its size in millions of bytes."""
        return self.path.stat().st_size / MEGABYTE


class Slow(NamedTuple):
    """A cell of a table that is over its bar."""

    table: str
    row: str
    column: str
    ratio: float
    bar: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to measure.

    Attributes:
        folder: where texts are made.
        inputs: texts that are there.
        kinds: which kinds of text to make; with neither these nor `inputs`, all.
        size: of the texts made, in bytes.
        runs: how often each thing is done; the median counts.
        largest: where growth ends, in bytes.
        seconds: what a slow peer may take for one run.
        real: whether real texts are measured, too.
        memory: the sizes of the two files of each kind whose peaks are measured, in MB.
        slow: the cells over their bars, of all tables so far.
    """

    folder: Path
    inputs: tuple[Path, ...] = ()
    kinds: tuple[str, ...] = ()
    size: int = 32 * MEGABYTE
    runs: int = 5
    largest: int = 1_024 * MEGABYTE
    seconds: float = 5.0
    real: bool = False
    memory: tuple[int, int] = (50, 500)
    slow: list[Slow] = field(default_factory=list)

    @property
    def origins(self) -> tuple[str, ...]:
        """What comes before the names of kinds: nothing, and `REAL` if real texts are measured, too."""
        return (GENERATED, REAL) if self.real else (GENERATED,)

    def texts(self) -> Iterator[Text]:
        """The texts asked for, each made when its turn comes."""
        for path in self.inputs:
            yield Text(path.name, path)
        for origin in self.origins:
            for kind in self.kinds or (() if self.inputs else KINDS):
                yield self.made(f"{origin}{kind}", self.size)

    def made(self, kind: str, size: int) -> Text:
        """A text of a kind and of `size` bytes at least."""
        note(f"{kind}, {size / MEGABYTE:,g} MB")
        path = self.folder / f"{kind.replace(' ', '-')}-{size / MEGABYTE:g}.txt"
        if kind.startswith(REAL):
            return Text(kind, grown(kind.removeprefix(REAL), size, path))
        return Text(kind, make(kind, size, path))

    def cell(self, ratio: float, bar: float | None, *, table: str, row: str, column: str) -> str:
        """A ratio as the cell of a table; over its bar it is in bold, and is kept in `slow`."""
        if bar is None or ratio <= bar:
            return number(ratio)
        self.slow.append(Slow(table, row, column, ratio, bar))
        return f"**{number(ratio)}**"

    def part(self, text: Text) -> Text:
        """The first tenth of a text, up to the end of a line: for what is slow."""
        path = self.folder / f"{text.path.stem}.part{text.path.suffix}"
        with text.path.open("rb") as file:
            path.write_bytes(file.read(text.path.stat().st_size // _SHARE) + file.readline())
        return Text(text.name, path)


def note(text: str) -> None:
    """Say on standard error what is being done: a run takes minutes."""
    print(f"... {text}", file=sys.stderr, flush=True)
