"""What large files are made of: a part from a seed that is made once and repeated, so that size costs little."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.words import Words

__all__ = ["COMPRESSED_PART", "PART", "XML", "MemoryFile", "make", "page", "plain", "repeated", "row"]

# What is repeated, in bytes; the same of what is compressed at once, so that it gets small.
PART: Final = 1_000_000
COMPRESSED_PART: Final = 20_000
XML: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'


class MemoryFile(NamedTuple):
    """A kind of file.

    Attributes:
        ending: that of its name.
        write: writes a file with so many bytes in it.
    """

    ending: str
    write: Callable[[Path, int], object]


def make(kind: MemoryFile, size: int, folder: Path) -> Path:
    """Return the path of a new file of a kind with so many bytes in it."""
    path = folder / f"memory.{kind.ending}"
    path.unlink(missing_ok=True)
    kind.write(path, size)
    return path


def repeated(made: Callable[[Words], str], size: int, part_size: int = PART) -> Iterator[bytes]:
    """Yield so many bytes of what a function makes, the same part again and again."""
    words = Words("memory")
    texts: list[str] = []
    length = 0
    while length < min(size, part_size):
        texts.append(made(words))
        length += len(texts[-1])
    part = "".join(texts).encode()
    for _ in range(max(1, size // len(part))):
        yield part


def plain(made: Callable[[Words], str], before: str = "", after: str = "") -> Callable[[Path, int], object]:
    """Return what writes a file of repeated parts with something before and after them."""

    def write(path: Path, size: int) -> None:
        with path.open("wb") as file:
            file.write(before.encode())
            file.writelines(repeated(made, size))
            file.write(after.encode())

    return write


def row(words: Words) -> list[str]:
    """Return the cells of a row of a table."""
    return [str(words.random.randrange(10**6)), words.text(2), words.link(), f"{words.text(250)} {words.link()}."]


def page(words: Words) -> str:
    """Return a paragraph of a page."""
    return (
        f'<p class="x">{words.text(150)} <a href="{words.path()}">{words.text(3)}</a> <img src="{words.link()}.png">'
        f" see {words.link()}</p>\n"
    )
