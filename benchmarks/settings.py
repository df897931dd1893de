"""What is to be measured, and on which texts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpora import KINDS, make

__all__ = ["MEGABYTE", "Settings", "Text", "note"]

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
    """

    folder: Path
    inputs: tuple[Path, ...] = ()
    kinds: tuple[str, ...] = ()
    size: int = 32 * MEGABYTE
    runs: int = 5
    largest: int = 1_024 * MEGABYTE
    seconds: float = 5.0

    def texts(self) -> Iterator[Text]:
        """The texts asked for, each made when its turn comes."""
        for path in self.inputs:
            yield Text(path.name, path)
        for kind in self.kinds or (() if self.inputs else KINDS):
            yield self.made(kind, self.size)

    def made(self, kind: str, size: int) -> Text:
        """A text of a kind and of `size` bytes at least."""
        note(f"{kind}, {size / MEGABYTE:,.0f} MB")
        return Text(kind, make(kind, size, self.folder / f"{kind}-{size // MEGABYTE}.txt"))

    def part(self, text: Text) -> Text:
        """The first tenth of a text, up to the end of a line: for what is slow."""
        path = self.folder / f"{text.path.stem}.part{text.path.suffix}"
        with text.path.open("rb") as file:
            path.write_bytes(file.read(text.path.stat().st_size // _SHARE) + file.readline())
        return Text(text.name, path)


def note(text: str) -> None:
    """Say on standard error what is being done: a run takes minutes."""
    print(f"... {text}", file=sys.stderr, flush=True)
