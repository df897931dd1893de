"""HTML to documents: its running text joined across tags, and the links of its attributes, in one pass.

Text is joined over inline elements (`https://e.com/ve<wbr>ry` is one link) and broken at links and at elements that
begin a line of their own. Character references are resolved. Comments are read as HTML (conditional comments of Outlook
hold links), scripts and styles as text, and everything after `</html>` like the rest. The URLs of document type
declarations are left out: they name a format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from urisieve.kernel import either, kernel
from urisieve.lean import Any, Final
from urisieve.sources.bytes.source_map import SourceLines
from urisieve.sources.containers.limits import DEPTH
from urisieve.sources.documents import Document
from urisieve.sources.html.html_gather import Gatherer, Stream
from urisieve.sources.html.html_links import BREAKING, RAW_ELEMENTS, RESOLVED_ELEMENTS, resolved
from urisieve.sources.html.html_tokens import (
    TextReading,
    begins_tag,
    comment_span,
    content_start,
    holds_sign,
    split_comment,
    split_page,
)
from urisieve.sources.tally import Tally

# The tags that end a line.
_BREAKS: Final = BREAKING | frozenset(f"/{name}" for name in BREAKING)


class TokenReader:
    """Passes the text and links of a stretch of HTML on to a `Gatherer`.

    Args:
        gatherer: collects them.
        source: the HTML, from the beginning of a token on.
        start: its offset in the whole text, in characters.
    """

    def __init__(self, gatherer: Gatherer, source: str, start: int = 0) -> None:
        self.gatherer = gatherer
        self._source = source
        self._start = start
        self._lowest = start + len(source) * 3 // 4  # where the last quarter begins, in which the stretch may be cut
        self._split: list[Any] = []
        self._end = start  # the offset behind what was read, but for a token that is left

    def read(self, *, final: bool, limit: int) -> int:
        """Read the tokens.

        Args:
            final: whether nothing follows the text. If something does, a token that may continue in it is left.
            limit: the longest token that is left, in characters. A longer one, or one that is incomplete at the end of
                the last text, is read as text.

        Returns:
            the offset, in this stretch, of the token that was left, or the end of the stretch.
        """
        source = self._source
        split = self._split = split_page(source)
        if len(split) > 1 and not split[-1]:
            name, last = split[-3:-1]
            is_open = (name or "").lower() in RAW_ELEMENTS  # its end tag is missing
            if last is None or (is_open and not final and len(last) < limit):
                del split[-3:]
        self._end = self._read(split, self._start, self.gatherer.running)
        stop = self._end - self._start
        if stop < len(source):
            if not final and len(source) - stop <= limit:
                return stop
            self._comment(source[stop + 1 :], self._end, complete=False)
        return len(source)

    def _read(self, split: list[Any], at: int, stream: Stream) -> int:
        """Read texts and tokens from an offset of the source on, to a stream; return the offset behind."""
        for text, name, token in zip(split[:-1:3], split[1::3], split[2::3], strict=True):
            if text:
                stream.put(text, at)
                at += len(text)
            if name is None:
                self._comment(token, at)
            else:
                self._tag(name, token, at, stream)
            at += len(token) + 1
        stream.put(split[-1], at)
        return at + len(split[-1])

    def _tag(self, written: str, token: str, at: int, stream: Stream) -> None:
        """Read a tag at an offset of the source; its content, too, if that holds no tags.

        Args:
            written: its name as it is written, with the slash of an end tag.
            token: the tag without its `<`, and its content.
            at: the offset.
            stream: where its text goes.
        """
        name = written.lower()
        tag, content, anchor = token, "", None
        if name in RAW_ELEMENTS:
            begin = content_start(token)
            tag, content = token[:begin], token[begin:]
        if "=" in tag and name[0] != "/":
            anchor = self.gatherer.add_attributes(name, tag, at + 1, len(written))
        if name in _BREAKS:
            stream.pause(at)
            if stream.anchor is None:
                stream.last_break = at
        elif anchor is not None or (name == "/a" and stream.anchor is not None):
            if stream.anchor is not None:
                self.gatherer.compare(stream.anchor, "".join(stream.pieces[stream.anchor_text :]))
            stream.pause(at)
            stream.anchor, stream.anchor_text = anchor, len(stream.pieces)
        if content:
            stream.put(content, at + 1 + len(tag), resolves=name in RESOLVED_ELEMENTS)
            if name == "style":
                self.gatherer.style(content, at + 1 + len(tag))

    def _comment(self, token: str, at: int, *, complete: bool = True) -> None:
        """Read a comment at an offset of the source, or a token that is not complete, whose links are read as text."""
        stream = self.gatherer.comments
        stream.pause(at)
        if complete or not begins_tag(token):
            first, last = comment_span(token, complete=complete)
            content = token[first:last]
            at += 1 + first
        else:
            content = f"<{token}"
        split = split_comment(content, at_end=not complete)
        is_open = len(split) > 1 and split[-2] is None
        if is_open:
            del split[-3:]
        end = self._read(split, at, stream)
        if is_open:
            stream.broken = False  # a token that is left is a text, be it empty: a line ends behind it
            stream.put(content[end - at + 1 :], end + 1)
        stream.anchor = None

    def last_break(self) -> int | None:
        """Return where the last token in the last quarter begins that ends a line outside of links; None if none does.

        It is an offset in the whole text, as that of `last_blank`.
        """
        found = self.gatherer.running.last_break
        return found if found > self._lowest else None

    def last_blank(self) -> int | None:
        """Return the offset of the last blank of the running text in the last quarter; None if there is none."""
        for content, begin, is_raw in self._texts_backwards():
            end = len(content)
            while end > 0:
                if begin + end <= self._lowest:
                    return None
                first = 0 if is_raw else content.rfind("<", 0, end) + 1
                blank = max(content.rfind("\n", first, end), content.rfind(" ", first, end))
                if blank > first:
                    return begin + blank
                end = first - 1
        return None

    def _texts_backwards(self) -> Iterator[tuple[str, int, bool]]:
        """Yield the texts from the last on, each with its offset, and whether its element holds no tags."""
        at = self._end
        for index in range(len(self._split) - 1, -1, -3):
            text = self._split[index]
            at -= len(text)
            yield text, at, False
            if index == 0:
                return
            name, token = self._split[index - 2 : index]
            at -= len(token) + 1
            if (name or "").lower() in RESOLVED_ELEMENTS:
                begin = content_start(token)
                yield token[begin:], at + 1 + begin, True


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
    may_hold: Callable[[str], object] | None = None,
    depth: int = 0,
) -> Iterator[Document]:
    """Yield the texts of HTML: stretches of its running text, each followed by the links of the attributes in it.

    Links and values come many in one document, as a block.

    Memory is that of the longest stretch without the end of a line, at most about `HTML_REACH` characters; time is
    linear.

    Args:
        document: the HTML. If its `offsets` reach back `HTML_REACH` characters, byte offsets are exact. Its `base` is
            used until a `<base href>` is found.
        tally: counts `html` read, and relative references skipped.
        may_hold: returns a false value for the value of an attribute that holds no identifier; None for `holds_sign`.
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
    page_in_attribute = partial(html_documents, may_hold=may_hold, depth=depth + 1) if depth < DEPTH else None
    reading = TextReading(may_hold or holds_sign, page_in_attribute)
    for window, final in _windows(document.text):
        buffer += window
        if final and not start:  # all of the page is in memory, and its offsets stay as they are
            document.in_memory = max(1, len(buffer))
        if len(buffer) < threshold and not final:
            continue
        page, base = _read_page(buffer, document.base, base, final=final, takes_every_value=may_hold is not None)
        if page is not None and page.is_done:
            stop = page.stop
            from urisieve.sources.html.html_pages import page_documents

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
                stop = cut - start
        lines = SourceLines(buffer, start, line, column)
        base = reader.gatherer.base
        yield from reader.gatherer.documents(tally, lines, cut)
        line, column = SourceLines(buffer, start, line, column).place(start + stop)
        buffer = buffer[stop:]
        start += stop
        threshold = max(_WINDOW, 2 * len(buffer))


def _page_by_kernel(
    source: str, given: str | None, declared: str | None, *, final: bool, takes_every_value: bool
) -> tuple[kernel.HtmlPage | None, str | None]:
    """Return a stretch as the kernel reads it, None if it is left to Python, and the base that an element declares.

    Args:
        source: the stretch.
        given: the base of the page.
        declared: the base that an element before the stretch declared.
        final: whether nothing follows.
        takes_every_value: see `read_page`.
    """
    from urisieve.sources.html.html_kernel import read_page

    read = partial(read_page, source, final, _LONGEST_TOKEN, takes_every_value=takes_every_value)
    page = read(declared or given, is_declared=declared is not None)
    if page is not None and page.base is not None:
        declared = resolved(page.base, given)
        page = None if declared is None else read(declared, is_declared=True)
    return page, declared


def _no_page(
    _source: str, _given: str | None, declared: str | None, **_how: bool
) -> tuple[kernel.HtmlPage | None, str | None]:
    return None, declared


_read_page: Final = either(_page_by_kernel, _no_page)


def _windows(pieces: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield the text in pieces of at most `_WINDOW` characters, each with whether it is the last."""
    before = ""
    for piece in pieces:
        for offset in range(0, len(piece), _WINDOW):
            if before:
                yield before, False
            before = piece[offset : offset + _WINDOW]
    yield before, True
