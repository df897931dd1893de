"""Streams of text: the scanner over strings, chunks, documents, and their asynchronous kind."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

from urisieve.errors import UsageError
from urisieve.options import Options
from urisieve.record import Record, Rejection
from urisieve.scanner import Scanner

__all__ = ["aextract", "asieve", "extract", "extract_documents", "sieve", "sieve_documents"]

# A string is fed in pieces of this many characters, so that the first record comes before the last is looked for.
_PIECE = 65_536


def _pieces(source: str | Iterable[str]) -> Iterator[str]:
    if isinstance(source, str):
        for start in range(0, len(source), _PIECE):
            yield source[start : start + _PIECE]
        return
    try:
        pieces = iter(source)
    except TypeError:
        raise UsageError(f"the source is {type(source).__name__}: give a string or an iterable of strings") from None
    for piece in pieces:
        yield _text(piece)


def _text(piece: object) -> str:
    if not isinstance(piece, str):
        hint = "; bytes come as integers one by one" if isinstance(piece, int) else ""
        raise UsageError(f"the source gave {type(piece).__name__}, not str: decode it, or open the file as text{hint}")
    return piece


def _sieve(source: str | Iterable[str], options: Options | None, name: str | None) -> Iterator[Record | Rejection]:
    scanner = Scanner(options, source=name)
    for piece in _pieces(source):
        yield from scanner.feed(piece)
    yield from scanner.close()


def sieve(source: str | Iterable[str], *, options: Options | None = None) -> Iterator[Record | Rejection]:
    """Every identifier of a text and every candidate that is none, in the order of the text.

    Args:
        source: a string, or pieces that together are one text (an open text file, a generator). Where it is cut does
            not matter.
        options: what to find and how far to normalize.

    Yields:
        a value as soon as it is decided, before the rest of the source is read.

    Raises:
        UsageError: the source is not made of text.
    """
    return _sieve(source, options, None)


def extract(source: str | Iterable[str], *, options: Options | None = None) -> Iterator[Record]:
    """Every identifier of a text, in the order of the text; see `sieve`."""
    return (found for found in _sieve(source, options, None) if isinstance(found, Record))


def sieve_documents(
    documents: Iterable[tuple[str, str | Iterable[str]]], *, options: Options | None = None
) -> Iterator[Record | Rejection]:
    """`sieve` over named texts: nothing joins across two of them, and `source` is the name.

    Offsets, lines and columns are those of each document.
    """
    for name, source in documents:
        yield from _sieve(source, options, name)


def extract_documents(
    documents: Iterable[tuple[str, str | Iterable[str]]], *, options: Options | None = None
) -> Iterator[Record]:
    """`extract` over named texts: nothing joins across two of them, and `source` is the name.

    Offsets, lines and columns are those of each document.
    """
    return (found for found in sieve_documents(documents, options=options) if isinstance(found, Record))


async def asieve(source: AsyncIterable[str], *, options: Options | None = None) -> AsyncIterator[Record | Rejection]:
    """`sieve` over pieces that come asynchronously."""
    scanner = Scanner(options)
    async for piece in source:
        for found in scanner.feed(_text(piece)):
            yield found
    for found in scanner.close():
        yield found


async def aextract(source: AsyncIterable[str], *, options: Options | None = None) -> AsyncIterator[Record]:
    """`extract` over pieces that come asynchronously."""
    async for found in asieve(source, options=options):
        if isinstance(found, Record):
            yield found
