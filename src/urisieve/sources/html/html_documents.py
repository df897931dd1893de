"""HTML to documents: its running text joined across tags, and the links of its attributes, in one pass.

Text is joined over inline elements (`https://e.com/ve<wbr>ry` is one link) and broken at links and at elements that
begin a line of their own. Character references are resolved. Comments are read as HTML (conditional comments of Outlook
hold links), scripts and styles as text, and everything after `</html>` like the rest. The URLs of document type
declarations are left out: they name a format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

from urisieve.sources.bytes.selections import SourceLines
from urisieve.sources.containers.limits import DEPTH
from urisieve.sources.documents import Document
from urisieve.sources.html.html_gather import Gatherer
from urisieve.sources.html.html_links import resolved
from urisieve.sources.html.html_reading import TokenReader
from urisieve.sources.html.html_values import TextReading, may_hold
from urisieve.sources.tally import Tally

# Characters that are read at a time: most pages are smaller, and it takes little memory.
_WINDOW: Final = 131_072
# A tag, comment or script of more characters is read as text. The longest in use hold `data:` links of whole pictures;
# a link of more than 64 Ki characters is too long for the default options anyway.
_LONGEST_TOKEN: Final = 1_048_576
# How many characters back the offset map of the HTML must reach.
HTML_REACH: Final = 2 * (_LONGEST_TOKEN + _WINDOW)


def html_documents(
    document: Document,
    tally: Tally,
    *,
    in_pages: bool = False,
    maybe: Callable[[str], object] | None = None,
    depth: int = 0,
) -> Iterator[Document]:
    """Yield the texts of HTML: stretches of its running text, each followed by the links of the attributes in it.

    Memory is that of the longest stretch without the end of a line, at most about `HTML_REACH` characters; time is
    linear.

    Args:
        document: the HTML. If its `offsets` reach back `HTML_REACH` characters, byte offsets are exact. Its `base` is
            used until a `<base href>` is found.
        tally: counts `html` read, and relative references skipped.
        in_pages: whether the links of a stretch may come as one document with `links`; the compiled kernel is needed.
        maybe: returns a false value for the value of an attribute that holds no identifier; None for `may_hold`, and in
            pages.
        depth: the number of pages around this one whose attributes hold it.

    Yields:
        documents with `position` (line and column in the HTML); those of attributes have `place.field` (`a@href`),
        `delimited` and `warnings`, and `reference` if they were relative.
    """
    if depth == 0:
        tally.read["html"] += 1
    buffer = ""
    start, line, column = 0, 1, 1
    threshold = _WINDOW
    base: str | None = None
    page_in_attribute = partial(html_documents, maybe=maybe, depth=depth + 1) if depth < DEPTH else None
    reading = TextReading(maybe or may_hold, page_in_attribute)
    if in_pages:
        from urisieve.sources.html.html_kernel import read_page
        from urisieve.sources.html.html_pages import page_documents
    for window, final in _windows(document.text):
        buffer += window
        if len(buffer) < threshold and not final:
            continue
        page = None
        if in_pages:
            page = read_page(buffer, final, _LONGEST_TOKEN, base or document.base, is_declared=base is not None)
            if page is not None and page.base is not None:
                base = resolved(page.base, document.base)
                page = None if base is None else read_page(buffer, final, _LONGEST_TOKEN, base, is_declared=True)
        if page is not None and page.is_done:
            stop = page.stop
            lines = SourceLines(buffer, start, line, column)
            yield from page_documents(page, buffer, start, document, tally, lines, base, reading)
            feeds, rest = page.lines()
            line += feeds
            column = rest + 1 if feeds else column + rest
            buffer = buffer[stop:]
            start += stop
            threshold = max(_WINDOW, 2 * len(buffer))
            continue
        if page is not None:
            threshold = 2 * len(buffer)
            continue
        reader = TokenReader(Gatherer(document, base, reading), buffer, start)
        stop = reader.read(final=final, limit=_LONGEST_TOKEN)
        cut = None
        if not final:
            cut = reader.last_break()
            if cut is None and stop < _LONGEST_TOKEN:
                threshold = 2 * len(buffer)  # so that no more is read again than was read before
                continue
            cut = cut or reader.last_blank()
            if cut is not None:
                stop = cut.offset - start
        lines = SourceLines(buffer, start, line, column)
        base = reader.gatherer.base
        yield from reader.gatherer.documents(tally, cut, lines)
        line, column = SourceLines(buffer, start, line, column).place(start + stop)
        buffer = buffer[stop:]
        start += stop
        threshold = max(_WINDOW, 2 * len(buffer))


def _windows(pieces: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield the text in pieces of at most `_WINDOW` characters, each with whether it is the last."""
    before = ""
    for piece in pieces:
        for offset in range(0, len(piece), _WINDOW):
            if before:
                yield before, False
            before = piece[offset : offset + _WINDOW]
    yield before, True
