"""Calls on text: strings, pieces, many texts, named texts, and pieces that come asynchronously."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable, Iterator

from urisieve.errors import UsageError
from urisieve.find.scanner import checked
from urisieve.find.searches import make_search
from urisieve.find.sizes import PIECE
from urisieve.lean.hints import Final
from urisieve.lean.values import replace
from urisieve.options import NestedFinding, Options
from urisieve.records.batch import COLUMNS, Batch, BatchBuffer
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection

__all__ = [
    "aextract",
    "asieve",
    "extract",
    "extract_documents",
    "extract_each",
    "extract_keys",
    "sieve",
    "sieve_documents",
]


def pieces_of(source: str | Iterable[str]) -> Iterator[str]:
    """Yield the pieces of a text, none longer than the search takes at once.

    Raises:
        UsageError: the source is not made of text.
    """
    try:
        pieces = iter((source,) if isinstance(source, str) else source)
    except TypeError:
        raise UsageError(f"the source is {type(source).__name__}: give a string or an iterable of strings") from None
    for piece in pieces:
        yield from _sliced(_text(piece))


def _sliced(text: str) -> Iterator[str]:
    """Cut a long string into pieces, so that the first record comes before the last one is searched for."""
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]


def _text(piece: object) -> str:
    if not isinstance(piece, str):
        hint = "; bytes come as integers one by one" if isinstance(piece, int) else ""
        raise UsageError(
            f"the source yielded {type(piece).__name__}, not str: decode it, or open the file as text{hint}"
        )
    return piece


_ALL: Final = frozenset(COLUMNS)


def _batches(
    source: str | Iterable[str], options: Options | None, columns: frozenset[str] = _ALL, *, nested: bool = True
) -> Iterator[Batch]:
    """Search one text; yield what each piece decides."""
    chosen = checked(options)
    if not nested and chosen.nested != NestedFinding.SKIP:
        chosen = replace(chosen, nested=NestedFinding.SKIP)
    buffer = BatchBuffer()
    search = make_search(chosen, buffer, columns=columns)
    for piece in pieces_of(source):
        search.feed(piece)
        yield from buffer.drained()
    search.close()
    yield from buffer.drained()


def sieve(source: str | Iterable[str], *, options: Options | None = None) -> Iterator[Record | Rejection]:
    """Find every identifier of one text, and every candidate that is not valid, in the order of the text.

    A list of strings is one text in pieces, not many texts.

    >>> from urisieve import sieve
    >>> for found in sieve("see http://example.com/a and http://example.com/100%zz"):
    ...     print(found.start, found.raw, found.uri if found else found.reason)
    4 http://example.com/a http://example.com/a
    29 http://example.com/100%zz bad-percent-encoding

    Args:
        source: a string, or pieces that together are one text (an open text file, a generator). Where it is cut does
            not matter.
        options: what to find and how far to normalize.

    Yields:
        a `Record` or a `Rejection` as soon as it is decided, before the rest of the source is read. A rejection is
        false in a condition.

    Raises:
        UsageError: the source is not made of text.
    """
    return (found for batch in _batches(source, options) for found in batch.merged())


def extract(source: str | Iterable[str], *, options: Options | None = None) -> Iterator[Record]:
    """Find every identifier of one text, in the order of the text.

    A list of strings is one text in pieces, as an open file is, not many texts: what stands at the end of one piece and
    at the start of the next is joined. For many texts there is `extract_each`, for named ones `extract_documents`.

    >>> from urisieve import extract
    >>> for record in extract("See http://EXAMPLE.com:80/%7Ejoe, or <urn:isbn:0-395-36341-1>."):
    ...     print(record.uri, record.start, record.end, record.raw)
    http://example.com/~joe 4 32 http://EXAMPLE.com:80/%7Ejoe
    urn:isbn:0395363411 38 60 urn:isbn:0-395-36341-1
    >>> [record.uri for record in extract(["see http://exa", "mple.com/a now"])]
    ['http://example.com/a']

    Args:
        source: a string, or pieces that together are one text (an open text file, a generator). Where it is cut does
            not matter.
        options: what to find and how far to normalize.

    Yields:
        a `Record` as soon as it is decided, before the rest of the source is read. Candidates that are not valid are
        left out; `sieve` yields them too.

    Raises:
        UsageError: the source is not made of text.
    """
    return (record for batch in _batches(source, options) for record in batch.records())


def extract_each(texts: Iterable[str], *, options: Options | None = None) -> Iterator[list[Record]]:
    """Find the identifiers of many texts, each on its own: a list of records for each text, in their order.

    Nothing joins across two texts, and offsets, lines and columns are those of each. The texts share one search: for
    short ones, such as lines, this takes less than half the time of a call of `extract` for each.

    >>> from urisieve import extract_each
    >>> texts = ["doc one http://x.example/", "doc two", "http://y.example/a, urn:isbn:0395363411"]
    >>> [[record.uri for record in records] for records in extract_each(texts)]
    [['http://x.example/'], [], ['http://y.example/a', 'urn:isbn:0395363411']]

    Args:
        texts: the texts, such as the cells of a column; a generator is read as far as lists are asked for.
        options: what to find and how far to normalize.

    Yields:
        the records of one text, before the next text is taken.

    Raises:
        UsageError: `texts` is a single string, or holds what is not a string.
    """
    if isinstance(texts, str):
        raise UsageError("the texts are one string: give a list of strings, or use extract() for one text")
    try:
        each = iter(texts)
    except TypeError:
        raise UsageError(f"the texts are {type(texts).__name__}: give an iterable of strings") from None
    buffer = BatchBuffer()
    search = make_search(checked(options), buffer)

    def records() -> Iterator[list[Record]]:
        for text in each:
            search.restart()
            search.finish(_text(text))
            yield buffer.taken().records()

    return records()


def extract_keys(source: str | Iterable[str], *, options: Options | None = None) -> Iterator[str]:
    """Find the key of every identifier of one text, in the order of the text.

    Equal keys mean equivalent identifiers (RFC 3986 6). It takes less time than `extract`, since no record is made
    and no line counted. A list of strings is one text in pieces.

    >>> from urisieve import extract_keys
    >>> list(extract_keys("http://EXAMPLE.com http://example.com:80/ URN:ISBN:0-395-36341-1"))
    ['http://example.com/', 'http://example.com/', 'urn:isbn:0395363411']

    Args:
        source: a string, or pieces that together are one text; see `extract`.
        options: what to find and how far to normalize. Identifiers inside others are not reported.

    Yields:
        the key of an identifier as soon as it is decided.

    Raises:
        UsageError: the source is not made of text.
    """
    batches = _batches(source, options, frozenset(("uri", "key")), nested=False)
    return (key for batch in batches for key in batch.column("key"))


def _batches_of_documents(
    documents: Iterable[tuple[str, str | Iterable[str]]], options: Options | None
) -> Iterator[Batch]:
    """Search named texts; yield what each text, or each piece of one, decides."""
    buffer = BatchBuffer()
    search = make_search(checked(options), buffer)
    for name, source in documents:
        search.restart(name)
        if isinstance(source, str) and len(source) <= PIECE:
            search.finish(source)
            yield from buffer.drained()
            continue
        for piece in pieces_of(source):
            search.feed(piece)
            yield from buffer.drained()
        search.close()
        yield from buffer.drained()


def sieve_documents(
    documents: Iterable[tuple[str, str | Iterable[str]]], *, options: Options | None = None
) -> Iterator[Record | Rejection]:
    """Find every identifier of named texts, and every candidate that is not valid: `sieve` over each of them.

    Nothing joins across two texts; offsets, lines and columns are those of each, and `source` is the name.

    >>> from urisieve import sieve_documents
    >>> [(found.source, bool(found)) for found in sieve_documents([("a", "http://a.example/"), ("b", "http://b:x/")])]
    [('a', True), ('b', False)]

    Args:
        documents: pairs of a name and a text; a text is a string, or pieces of one.
        options: what to find and how far to normalize.

    Yields:
        a `Record` or a `Rejection` as soon as it is decided.

    Raises:
        UsageError: a text is not made of text.
    """
    return (found for batch in _batches_of_documents(documents, options) for found in batch.merged())


def extract_documents(
    documents: Iterable[tuple[str, str | Iterable[str]]], *, options: Options | None = None
) -> Iterator[Record]:
    """Find every identifier of named texts: `extract` over each of them.

    Nothing joins across two texts; offsets, lines and columns are those of each, and `source` is the name.

    >>> from urisieve import extract_documents
    >>> pages = [("page 1", "see http://a.example/"), ("page 2", ["http://b.exa", "mple/"])]
    >>> for record in extract_documents(pages):
    ...     print(record.source, record.start, record.uri)
    page 1 4 http://a.example/
    page 2 0 http://b.example/

    Args:
        documents: pairs of a name and a text; a text is a string, or pieces of one.
        options: what to find and how far to normalize.

    Yields:
        a `Record` as soon as it is decided, before the rest is read.

    Raises:
        UsageError: a text is not made of text.
    """
    return (record for batch in _batches_of_documents(documents, options) for record in batch.records())


async def _abatches(source: AsyncIterable[str], options: Options | None) -> AsyncIterator[Batch]:
    """Search one text; yield what each piece decides."""
    buffer = BatchBuffer()
    search = make_search(checked(options), buffer)
    async for piece in source:
        for part in _sliced(_text(piece)):
            search.feed(part)
            for batch in buffer.drained():
                yield batch
    search.close()
    for batch in buffer.drained():
        yield batch


async def asieve(
    source: AsyncIterable[str], *, options: Options | None = None
) -> AsyncGenerator[Record | Rejection, None]:
    """Find every identifier, and every candidate that is not valid, of one text whose pieces come asynchronously.

    >>> import asyncio
    >>> from urisieve import asieve
    >>> async def pieces():
    ...     yield "see http://exa"
    ...     yield "mple.com/a and http://example.com:80ab/ here"
    >>> async def main():
    ...     return [(found.raw, bool(found)) async for found in asieve(pieces())]
    >>> asyncio.run(main())
    [('http://example.com/a', True), ('http://example.com:80ab/', False)]

    Args:
        source: the pieces, as a response or a socket gives them, decoded. Where they are cut does not matter.
        options: what to find and how far to normalize.

    Yields:
        a `Record` or a `Rejection` as soon as it is decided, before the next piece is awaited.

    Raises:
        UsageError: the source is not made of text.
    """
    async for batch in _abatches(source, options):
        for found in batch.merged():
            yield found


async def aextract(source: AsyncIterable[str], *, options: Options | None = None) -> AsyncGenerator[Record, None]:
    """Find every identifier of one text whose pieces come asynchronously.

    >>> import asyncio
    >>> from urisieve import aextract
    >>> async def pieces():
    ...     yield "see http://exa"
    ...     yield "mple.com/a now"
    >>> async def main():
    ...     return [record.uri async for record in aextract(pieces())]
    >>> asyncio.run(main())
    ['http://example.com/a']

    Args:
        source: the pieces, as a response or a socket gives them, decoded. Where they are cut does not matter.
        options: what to find and how far to normalize.

    Yields:
        a `Record` as soon as it is decided, before the next piece is awaited; candidates that are not valid are left
        out.

    Raises:
        UsageError: the source is not made of text.
    """
    async for batch in _abatches(source, options):
        for record in batch:
            yield record
