"""HTML to documents: its running text joined across tags, and the links of its attributes, in one pass.

Text is joined over inline elements (`https://e.com/ve<wbr>ry` is one link) and broken at links and at elements that
begin a line of their own. Character references are resolved. Comments are read as HTML (conditional comments of Outlook
hold links), scripts and styles as text, and everything after `</html>` like the rest. The URLs of document type
declarations are left out: they name a format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from urisieve.lean import Final, cast
from urisieve.sources.bytes.selections import SourceLines
from urisieve.sources.containers.limits import DEPTH
from urisieve.sources.documents import Document
from urisieve.sources.html.html_gather import Cut, Gatherer, Stream
from urisieve.sources.html.html_links import BREAKING, RAW_ELEMENTS, RESOLVED_ELEMENTS, TELLING, resolved
from urisieve.sources.html.html_tokens import (
    TextReading,
    attribute_values,
    comment_span,
    content_start,
    may_hold,
    other_values,
    resolve,
    split_comment,
    split_page,
    tag_name,
)
from urisieve.sources.tally import Tally


def _is_comment(token: str) -> bool:
    """Report whether a token is a comment, a declaration or a bogus comment (13.2.5.6 and 13.2.5.7)."""
    return token[0] in "!?" or (token[0] == "/" and len(token) > 1 and not (token[1].isascii() and token[1].isalpha()))


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
        self._looks_everywhere = gatherer.reading.maybe is not may_hold
        self._lowest = start + len(source) * 3 // 4  # where the last quarter begins, in which the stretch may be cut
        self._break: Cut | None = None  # the last end of a line there, outside of links
        self._late: list[tuple[str, bool, Cut]] = []  # the running texts there, and whether each is one without tags

    def read(self, *, final: bool, limit: int) -> int:
        """Read the tokens.

        Args:
            final: whether nothing follows the text. If something does, a token that may continue in it is left.
            limit: the longest token that is left, in characters. A longer one, or one that is incomplete at the end of
                the last text, is read as text.

        Returns:
            the offset of the token that was left, or the end of the text.
        """
        source = self._source
        split = split_page(source)
        end = len(source)
        left: str | None = None
        if len(split) > 1 and not split[-1]:
            opened = end
            last = split[-2]
            if last is None:
                del split[-2:]
                opened = sum(map(len, cast(list[str], split))) + len(split) // 2
                left = source[opened + 1 :]
            elif last[0] not in "/!?" and tag_name(last)[0] in RAW_ELEMENTS:  # its end tag is missing
                opened = end - len(last) - 1
                if not final and end - opened <= limit:
                    del split[-2:]
            if not final and end - opened <= limit:
                left = None
                end = opened
        at = self._read(cast(list[str], split), self._start, self.gatherer.running)
        if left is not None:
            self._comment(left, at, complete=False)
        return end

    def _read(self, parts: Iterable[str], at: int, stream: Stream) -> int:
        """Read texts and tokens, in turn, from an offset of the source on, to a stream; return the offset behind."""
        is_text = True
        for part in parts:
            if is_text:
                self._text(part, at, stream)
            elif not part:  # a tag that is not complete leaves a text, be it empty
                stream.broken = False
            elif _is_comment(part):
                self._comment(part, at)
            else:
                self._tag(part, at, stream)
            at += len(part) + (not is_text)
            is_text = not is_text
        return at

    def _text(self, written: str, at: int, stream: Stream, *, resolves: bool = True, is_raw: bool = False) -> None:
        """Read a text at an offset of the source."""
        if stream is self.gatherer.running and resolves and at + len(written) > self._lowest:
            self._late.append((written, is_raw, self.gatherer.so_far(at)))
        stream.put(written, at, resolves=resolves)

    def _tag(self, token: str, at: int, stream: Stream) -> None:
        """Read a tag at an offset of the source; its content, too, if that holds no tags."""
        gatherer = self.gatherer
        name, name_end = tag_name(token)
        is_running = stream is gatherer.running
        before = gatherer.so_far(at) if is_running and at > self._lowest and name in BREAKING else None
        anchor: int | None = None
        tag = token
        ends_line = name in BREAKING
        if token[0] == "/":
            if name == "a" and stream.anchor is not None:
                ends_line = True
                self._end_link(stream)
        else:
            tag = token[: content_start(token)] if name in RAW_ELEMENTS else token
            if "=" in tag and (self._looks_everywhere or ":" in tag or "&" in tag):
                gatherer.add_texts(name, other_values(tag, name_end, TELLING), token, at + 1)
            values = attribute_values(tag, name_end, TELLING) if "=" in tag else {}
            if name == "a" and "href" in values:
                ends_line = True
                self._end_link(stream)
            anchor = gatherer.add_links(name, values, token, at + 1)
        if ends_line:
            stream.pause(at)
        if before is not None and stream.anchor is None:
            self._break = before._replace(pieces=len(stream.pieces))
        if anchor is not None:
            stream.anchor, stream.anchor_text = anchor, len(stream.pieces)
        if len(tag) < len(token) and is_running:
            content = token[len(tag) :]
            resolves = name in RESOLVED_ELEMENTS
            self._text(content, at + 1 + len(tag), stream, resolves=resolves, is_raw=True)
            if name == "style":
                gatherer.style(content, token, at + 1)

    def _end_link(self, stream: Stream) -> None:
        """End the text of a link, if one is open."""
        if stream.anchor is not None:
            self.gatherer.compare(stream.anchor, "".join(stream.pieces[stream.anchor_text :]))
            stream.anchor = None

    def _comment(self, token: str, at: int, *, complete: bool = True) -> None:
        """Read a comment at an offset of the source, or a token that is not complete, whose links are read as text."""
        stream = self.gatherer.comments
        stream.pause(at)
        if not complete and not (token and _is_comment(token)):
            self._read(["", "", token], at, stream)
        else:
            first, last = comment_span(token, complete=complete)
            self._read(_comment_parts(token[first:last], at_end=not complete), at + 1 + first, stream)
        stream.anchor = None

    def last_break(self) -> Cut | None:
        """Return the last token in the last quarter that ends a line outside of links; None if there is none."""
        return self._break

    def last_blank(self) -> Cut | None:
        """Return the last blank of the running text in the last quarter; None if there is none."""
        for written, is_raw, before in reversed(self._late):
            end = len(written)
            while end > 0:
                if before.offset + end <= self._lowest:
                    return None
                first = 0 if is_raw else written.rfind("<", 0, end) + 1
                blank = max(written.rfind("\n", first, end), written.rfind(" ", first, end))
                if blank > first:
                    return before._replace(offset=before.offset + blank, rest=resolve(written[:blank]))
                end = first - 1
        return None


def _comment_parts(content: str, *, at_end: bool) -> list[str]:
    """Split the content of a comment; behind a tag that is not complete it is text."""
    split = split_comment(content, at_end=at_end)
    if len(split) > 1 and split[-2] is None:
        opened = sum(map(len, cast(list[str], split[:-2]))) + len(split) // 2 - 1
        split[-2:] = ["", content[opened + 1 :]]
    return cast(list[str], split)


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
