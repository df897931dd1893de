"""Streams of text: the scanner over strings, chunks, documents, and their asynchronous kind."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator

from urisieve.errors import UsageError
from urisieve.faults import Fault
from urisieve.judge import Judged
from urisieve.options import Options
from urisieve.record import Record
from urisieve.rejection import Rejection
from urisieve.scanner import Scanner, UriScanner, key_of
from urisieve.search import PIECE

__all__ = ["aextract", "asieve", "extract", "extract_documents", "extract_keys", "sieve", "sieve_documents"]


def _pieces(source: str | Iterable[str]) -> Iterator[str]:
    try:
        pieces = iter((source,) if isinstance(source, str) else source)
    except TypeError:
        raise UsageError(f"the source is {type(source).__name__}: give a string or an iterable of strings") from None
    for piece in pieces:
        yield from _sliced(_text(piece))


def _sliced(text: str) -> Iterator[str]:
    """A long string in pieces, so that the first record comes before the last is looked for."""
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]


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
    """Every identifier of a text, in the order of the text.

    Args, laziness and errors are those of `sieve`; rejected candidates are left out.
    """
    return (found for found in _sieve(source, options, None) if isinstance(found, Record))


def extract_keys(source: str | Iterable[str], *, options: Options | None = None) -> Iterator[str]:
    """The key of every identifier of a text, in the order of the text: what `extract` gives, without its places.

    It takes about half the time of `extract`, since no record is made and no line counted.

    Args, laziness and errors are those of `sieve`; identifiers inside others are not reported.
    """
    scanner = UriScanner(options)
    for piece in _pieces(source):
        yield from _keys(scanner.feed(piece))
    yield from _keys(scanner.close())


def _keys(found: list[str | Judged | Fault]) -> Iterator[str]:
    return (key_of(form) for form in found if not isinstance(form, Fault))


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


async def asieve(
    source: AsyncIterable[str], *, options: Options | None = None
) -> AsyncGenerator[Record | Rejection, None]:
    """`sieve` over pieces that come asynchronously; a record is given before the next piece is waited for.

    Raises:
        UsageError: the source is not made of text.
    """
    scanner = Scanner(options)
    async for piece in source:
        for part in _sliced(_text(piece)):
            for found in scanner.feed(part):
                yield found
    for found in scanner.close():
        yield found


async def aextract(source: AsyncIterable[str], *, options: Options | None = None) -> AsyncGenerator[Record, None]:
    """`extract` over pieces that come asynchronously; see `asieve`."""
    async for found in asieve(source, options=options):
        if isinstance(found, Record):
            yield found
