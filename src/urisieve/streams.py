"""Calls on text: strings, pieces, many texts, named texts, and pieces that come asynchronously."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from functools import cached_property

from urisieve import shapes
from urisieve.errors import BrokenInputError, InputError, UsageError
from urisieve.find.delimited import PIECE
from urisieve.find.searches import AnySearch, IdleSearches, TextCounts, add_codes, make_search, short_search
from urisieve.finding_options import DEFAULT_OPTIONS, NestedFinding, Options, Unwrap, checked
from urisieve.lean import Final, TypeAlias, overload, replace
from urisieve.records.batch import Batch, BatchBuffer, OnError
from urisieve.records.layouts import COLUMNS
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.wording import printable, shortened


def pieces_of(source: str | Iterator[str], called: str = "source") -> Iterator[str]:
    """Return the pieces of a text, none longer than the search takes at once.

    Args:
        source: the text.
        called: what a message calls it.

    Raises:
        UsageError: the source is not one text.
    """
    if isinstance(source, str):
        return _sliced(source)
    return (part for piece in shapes.pieces(called, source) for part in _sliced(shapes.piece(piece)))


def _sliced(text: str) -> Iterator[str]:
    """Cut a long string into pieces, so that the first record comes before the last one is searched for."""
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]


_SEARCHES: Final = IdleSearches(frozenset(COLUMNS))
_KEY_SEARCHES: Final = IdleSearches(frozenset(("uri", "key")))
# The most characters of the text of an exception that are shown.
_LONGEST: Final = 200


def failure_of_text(error: Exception) -> InputError:
    """Return the error of a text that cannot be searched to its end: its `__cause__` is the exception raised over it.

    Tallies count it as `document`: `not-text` if it is not made of strings, else `unreadable`.

    Raises:
        MemoryError: the exception is one.
    """
    if isinstance(error, MemoryError):
        raise error
    if isinstance(error, InputError):
        return error
    text = shortened(printable(str(error)), _LONGEST)
    if isinstance(error, UsageError):
        made = BrokenInputError("document", "not-text", text)
    else:
        made = BrokenInputError("document", "unreadable", f"{type(error).__name__}{f': {text}' if text else ''}")
    made.__cause__ = error
    return made


def _searched(pieces: Iterator[str], options: Options, searches: IdleSearches) -> Iterator[Batch]:
    """Search one text; yield what each piece decides."""
    search, buffer = searches.taken(options)
    for piece in pieces:
        search.feed(piece)
        yield from buffer.drained()
    search.close()
    yield from buffer.drained()
    searches.put_back(options, search, buffer)


class _Usual:
    """The calls for short texts under the default options."""

    @cached_property
    def finds(self) -> Callable[[object], bool | None]:
        """See `ShortSearch`."""
        return short_search(DEFAULT_OPTIONS).finds

    @cached_property
    def records(self) -> Callable[[object], list[Record] | None]:
        """See `ShortSearch`."""
        return short_search(DEFAULT_OPTIONS).records


_usual: Final = _Usual()


def sieve(source: str | Iterator[str], *, options: Options | None = None) -> Iterator[Record | Rejection]:
    """Find every identifier of one text, and every candidate that is not valid, in the order of the text.

    >>> from urisieve import sieve
    >>> for found in sieve("see http://example.com/a and http://example.com/100%zz"):
    ...     print(found.start, found.raw, found.uri if found else found.reason)
    4 http://example.com/a http://example.com/a
    29 http://example.com/100%zz bad-percent-encoding

    Args:
        source: a string, or an iterator of pieces that together are one text: an open text file, a generator, or
            `iter(pieces)`. Where it is split does not matter.
        options: what to find and how far to normalize.

    Yields:
        a `Record` or a `Rejection` as soon as it is decided, before the rest of the source is read. A rejection is
        false in a condition.

    Raises:
        UsageError: the source is not one text: a list, another collection, bytes, or a path.
    """
    chosen = DEFAULT_OPTIONS if options is None else checked(options)
    records = (_usual if options is None else short_search(chosen)).records(source)
    if records is not None:
        return iter(records)
    return (found for batch in _searched(pieces_of(source), chosen, _SEARCHES) for found in batch.found())


def extract(source: str | Iterator[str], *, options: Options | None = None) -> Iterator[Record]:
    """Find every identifier of one text, in the order of the text.

    For many texts, such as a list or a column, there is `extract_each`, for named ones `extract_documents`: here they
    are refused, since what an iterator yields is one text, whose pieces are joined.

    >>> from urisieve import extract
    >>> for record in extract("See http://EXAMPLE.com:80/%7Ejoe, or <urn:isbn:0-395-36341-1>."):
    ...     print(record.uri, record.start, record.end, record.raw)
    http://example.com/~joe 4 32 http://EXAMPLE.com:80/%7Ejoe
    urn:isbn:0395363411 38 60 urn:isbn:0-395-36341-1
    >>> [record.uri for record in extract(iter(["see http://exa", "mple.com/a now"]))]
    ['http://example.com/a']

    Args:
        source: a string, or an iterator of pieces that together are one text: an open text file, a generator, or
            `iter(pieces)`. Where it is split does not matter.
        options: what to find and how far to normalize.

    Yields:
        a `Record` as soon as it is decided, before the rest of the source is read. Candidates that are not valid are
        left out; `sieve` yields them too.

    Raises:
        UsageError: the source is not one text: a list, another collection, bytes, or a path.
    """
    chosen = DEFAULT_OPTIONS if options is None else checked(options)
    records = (_usual if options is None else short_search(chosen)).records(source)
    if records is not None:
        return iter(records)
    return (record for batch in _searched(pieces_of(source), chosen, _SEARCHES) for record in batch.records())


def has_identifier(text: str, *, options: Options | None = None) -> bool:
    """Report whether a text has an identifier: whether `extract` yields one.

    A long text is searched as far as its first identifier.

    >>> from urisieve import has_identifier
    >>> has_identifier("see http://example.com/a"), has_identifier("see example")
    (True, False)

    Args:
        text: the text.
        options: what to find.

    Raises:
        UsageError: the text is not a string.
    """
    found = (_usual if options is None else short_search(checked(options))).finds(text)
    if found is not None:
        return found
    if not isinstance(text, str):
        raise shapes.not_a_string("text", text)
    return any(True for batch in _searched(pieces_of(text), checked(options), _SEARCHES) if len(batch))


@overload
def extract_each(
    texts: Iterable[str | None],
    *,
    options: Options | None = None,
    on_error: None = None,
    tally: TextCounts | None = None,
) -> Iterator[list[Record]]: ...


@overload
def extract_each(
    texts: Iterable[object],
    *,
    options: Options | None = None,
    on_error: Callable[[int, InputError], None] | None,
    tally: TextCounts | None = None,
) -> Iterator[list[Record]]: ...


def extract_each(
    texts: Iterable[object],
    *,
    options: Options | None = None,
    on_error: Callable[[int, InputError], None] | None = None,
    tally: TextCounts | None = None,
) -> Iterator[list[Record]]:
    """Find the identifiers of many texts, each on its own: a list of records for each text, in their order.

    Nothing joins across two texts, and offsets, lines and columns are those of each. The texts share one search: for
    short ones, such as lines, this takes less than half the time of a call of `extract` for each.

    >>> from urisieve import extract_each
    >>> texts = ["doc one http://x.example/", "doc two", "http://y.example/a, urn:isbn:0395363411"]
    >>> [[record.uri for record in records] for records in extract_each(texts)]
    [['http://x.example/'], [], ['http://y.example/a', 'urn:isbn:0395363411']]

    A missing value (None, NaN, NA) has no identifiers. With `on_error` any other value that is not a text costs its own
    row alone:

    >>> cells = ["http://x.example/", None, 5, "urn:isbn:0395363411"]
    >>> list(map(len, extract_each(cells, on_error=lambda index, error: print(index, error.reason))))
    2 not-text
    [1, 0, 0, 1]

    Args:
        texts: the texts, such as the cells of a column; a generator is read as far as lists are asked for. Of a table
            give one column.
        options: what to find and how far to normalize.
        on_error: called with the index of a text, from 0, and the error if it cannot be searched; its list is empty,
            and the others are searched. Without it the error is raised. An exception that `texts` itself raises, such
            as a generator, is raised in any case.
        tally: a `Tally`, filled with the counts of rejected candidates, warnings, and texts that cannot be searched
            (`broken`).

    Yields:
        the records of one text, before the next text is taken.

    Raises:
        UsageError: `texts` is a single string, bytes, a mapping or a table; or it yields what is neither a string nor
            missing, and there is no `on_error`.
    """
    each = shapes.each_text("texts", texts)
    shapes.check(on_error=on_error, tally=tally)
    return _records_of_each(each, checked(options), on_error, tally)


def _records_of_each(
    each: Iterator[object],
    options: Options,
    on_error: Callable[[int, InputError], None] | None,
    tally: TextCounts | None,
) -> Iterator[list[Record]]:
    """Search each text on its own; yield its records."""
    buffer = BatchBuffer()
    search = make_search(options, buffer)
    at_once = short_search(options).records
    for index, text in enumerate(each):
        found = at_once(text) if tally is None else None
        if found is not None:
            yield found
            continue
        try:
            search.restart()
            search.finish(text if isinstance(text, str) else shapes.text_of_cell(index, text))
        except Exception as error:
            if on_error is None:
                raise
            buffer.drained()
            if isinstance(text, str):
                search = make_search(options, buffer)  # nothing of the text goes to the next one
            failure = failure_of_text(error)
            if tally is not None:
                tally.broken[failure.kind, failure.reason] += 1
            on_error(index, failure)
            yield []
            continue
        batch = buffer.taken()
        if tally is not None:
            add_codes(batch, tally)
        records = batch.records() if batch else []
        del batch  # its memory serves the next one
        yield records


def extract_keys(source: str | Iterator[str], *, options: Options | None = None) -> Iterator[str]:
    """Find the key of every identifier of one text, in the order of the text.

    Equal keys mean equivalent identifiers (RFC 3986 6). It takes less time than `extract`, since no record is made
    and no line counted.

    >>> from urisieve.streams import extract_keys
    >>> list(extract_keys("http://EXAMPLE.com http://example.com:80/ URN:ISBN:0-395-36341-1"))
    ['http://example.com/', 'http://example.com/', 'urn:isbn:0395363411']

    Args:
        source: a string, or an iterator of pieces that together are one text; see `extract`.
        options: what to find and how far to normalize. Identifiers inside others are not reported.

    Yields:
        the key of an identifier as soon as it is decided.

    Raises:
        UsageError: the source is not one text; see `extract`.
    """
    batches = _searched(pieces_of(source), _unnested(checked(options)), _KEY_SEARCHES)
    return (key for batch in batches for key in batch.column("key"))


# The least of a text that is searched at once for its first key.
_FIRST_PIECE: Final = 4_096


def find_key(text: str | None, *, options: Options | None = None, secret: bytes | None = None) -> str | None:
    """Return the key of the first identifier of a text, or None if it has none: `extract_keys` for one value.

    It is made for functions of SQL, which are called for each row: the calls of a process share their searches, and a
    long text is searched only as far as its first identifier.

    >>> from urisieve.streams import find_key
    >>> find_key("see HTTP://EXAMPLE.com:80/a, or http://example.com/b"), find_key("nothing here"), find_key(None)
    ('http://example.com/a', None, None)

    Args:
        text: the text; None, as SQL says NULL, has no identifier.
        options: what to find and how far to normalize. Identifiers inside others are not reported.
        secret: the secret by which a password in the key becomes a digest, see `new_secret`; None to leave it.

    Raises:
        UsageError: the text is neither a string nor None, or `options` is not an `Options`.
    """
    if not isinstance(text, str):
        if text is None:
            return None
        raise shapes.not_a_string("text", text)
    chosen = _unnested(DEFAULT_OPTIONS if options is None else checked(options))
    search, buffer = _KEY_SEARCHES.taken(chosen)
    key: str | None = None
    if len(text) <= _FIRST_PIECE:
        search.finish(text)
        key = _first_key(buffer)
    else:
        end = 0
        while key is None and end < len(text):
            start, end = end, end + (PIECE if end else _FIRST_PIECE)
            search.feed(text[start:end])
            key = _first_key(buffer)
        if key is None:
            search.close()
            key = _first_key(buffer)
    _KEY_SEARCHES.put_back(chosen, search, buffer)
    from urisieve.records.mask import Mask  # most ask for no key

    return key and Mask(secret).key(key)


def _first_key(buffer: BatchBuffer) -> str | None:
    """Return the key of the first row that a buffer has taken, and forget the others."""
    for batch in buffer.drained():
        if len(batch):
            key: str = batch.column("key")[0]
            return key
    return None


def _unnested(options: Options) -> Options:
    """Return options by which identifiers inside others are not reported."""
    if options.nested == NestedFinding.OFF and options.unwrap == Unwrap.OFF:
        return options
    return replace(options, nested=NestedFinding.OFF, unwrap=Unwrap.OFF)


_Documents: TypeAlias = "Iterable[tuple[str, str | Iterator[str]]]"


def _batches_of_documents(
    documents: _Documents, options: Options | None, on_error: OnError | None, tally: TextCounts | None
) -> Iterator[Batch]:
    """Search named texts; yield what each text, or each piece of one, decides. Misuse is reported at once."""
    chosen = checked(options)
    shapes.pairs("documents", documents)
    shapes.check(on_error=on_error, tally=tally)
    return _searched_documents(documents, chosen, on_error, tally)


def _searched_documents(
    documents: _Documents, chosen: Options, on_error: OnError | None, tally: TextCounts | None
) -> Iterator[Batch]:
    buffer = BatchBuffer()
    search = make_search(chosen, buffer)
    for number, document in enumerate(documents):
        steps = _fed(search, number, document)
        failure: InputError | None = None
        is_open = True
        while is_open:
            try:
                is_open = next(steps, False)
            except Exception as error:
                if on_error is None:
                    raise
                failure = failure_of_text(error)
                is_open = False
            batches = buffer.drained()
            if tally is not None:
                for batch in batches:
                    add_codes(batch, tally)
            yield from batches
        if failure is not None and on_error is not None:
            search = make_search(chosen, buffer)  # nothing of the text goes to the next one
            if tally is not None:
                tally.broken[failure.kind, failure.reason] += 1
            on_error(_name(document, number), failure)


def _fed(search: AnySearch, number: int, document: object) -> Iterator[bool]:
    """Feed a named text to a search; yield True after each piece but the last.

    Raises:
        UsageError: it is not a pair of a name and a text.
    """
    name, source = shapes.pair(number, document)
    search.restart(name)
    if isinstance(source, str) and len(source) <= PIECE:
        search.finish(source)
        return
    for piece in pieces_of(source, f"the text of documents[{number}], {shortened(printable(name), _LONGEST)!r},"):
        search.feed(piece)
        yield True
    search.close()


def _name(document: object, number: int) -> str:
    """Return how a document that cannot be searched is called."""
    name = document[0] if isinstance(document, (tuple, list)) and document else None
    return name if isinstance(name, str) else f"document {number}"


def sieve_documents(
    documents: _Documents,
    *,
    options: Options | None = None,
    on_error: OnError | None = None,
    tally: TextCounts | None = None,
) -> Iterator[Record | Rejection]:
    """Find every identifier of named texts, and every candidate that is not valid: `sieve` over each of them.

    Nothing joins across two texts; offsets, lines and columns are those of each, and `source` is the name.

    >>> from urisieve import sieve_documents
    >>> [(found.source, bool(found)) for found in sieve_documents([("a", "http://a.example/"), ("b", "http://b:x/")])]
    [('a', True), ('b', False)]

    Args:
        documents: pairs of a name and a text; a text is a string, or an iterator of pieces of one.
        options: what to find and how far to normalize.
        on_error: called with the name and the error if a text cannot be searched; see `extract_documents`.
        tally: a `Tally`, filled with the counts of rejected candidates, warnings, and texts that cannot be searched
            (`broken`).

    Yields:
        a `Record` or a `Rejection` as soon as it is decided.

    Raises:
        UsageError: a text is not made of text, and there is no `on_error`.
    """
    return (found for batch in _batches_of_documents(documents, options, on_error, tally) for found in batch.found())


def extract_documents(
    documents: _Documents,
    *,
    options: Options | None = None,
    on_error: OnError | None = None,
    tally: TextCounts | None = None,
) -> Iterator[Record]:
    """Find every identifier of named texts: `extract` over each of them.

    Nothing joins across two texts; offsets, lines and columns are those of each, and `source` is the name.

    >>> from urisieve import extract_documents
    >>> page = iter(["http://b.exa", "mple/"])
    >>> for record in extract_documents([("page 1", "see http://a.example/"), ("page 2", page)]):
    ...     print(record.source, record.start, record.uri)
    page 1 4 http://a.example/
    page 2 0 http://b.example/

    Args:
        documents: pairs of a name and a text; a text is a string, or an iterator of pieces of one.
        options: what to find and how far to normalize.
        on_error: called with the name and the error if a document is not such a pair, its text is not made of strings,
            or its pieces raise an exception, which is the `__cause__` of the error; a document without a name is
            called `document`, with its index from 0. What comes before the fault is found, and the other documents are
            searched. Without it the error is raised. An exception that `documents` itself raises, such as a generator,
            is raised in any case.
        tally: a `Tally`, filled with the counts of rejected candidates, warnings, and texts that cannot be searched
            (`broken`).

    Yields:
        a `Record` as soon as it is decided, before the rest is read.

    Raises:
        UsageError: a text is not made of text, and there is no `on_error`.
    """
    return (
        record for batch in _batches_of_documents(documents, options, on_error, tally) for record in batch.records()
    )


async def _abatches(source: object, options: Options | None) -> AsyncIterator[Batch]:
    """Search one text; yield what each piece decides."""
    buffer = BatchBuffer()
    search = make_search(checked(options), buffer)
    if not isinstance(source, AsyncIterable):
        raise shapes.wrong(
            "source", source, "an asynchronous iterable of strings; others are for extract() and sieve()"
        )
    async for piece in source:
        for part in _sliced(shapes.piece(piece)):
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
        source: the pieces, as a response or a socket gives them, decoded. Where they are split does not matter.
        options: what to find and how far to normalize.

    Yields:
        a `Record` or a `Rejection` as soon as it is decided, before the next piece is awaited.

    Raises:
        UsageError: the source is not made of text.
    """
    async for batch in _abatches(source, options):
        for found in batch.found():
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
        source: the pieces, as a response or a socket gives them, decoded. Where they are split does not matter.
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
