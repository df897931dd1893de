"""HTML to documents: its running text joined across tags, and the links of its attributes, in one pass.

Text is joined over inline elements (`https://e.com/ve<wbr>ry` is one link) and broken at links and at elements that
begin a line of their own. Character references are resolved. Comments are read as HTML (conditional comments of Outlook
hold links), scripts and styles as text, and everything after `</html>` like the rest. The URLs of document type
declarations are left out: they name a format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

from urisieve.kernel import either
from urisieve.lean import TYPE_CHECKING, Any, Final, lazy_compile, replace
from urisieve.sources.bytes.charsets import html_label
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.encodings import find_encoding, known_marks
from urisieve.sources.bytes.source_map import SourceLines
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.limits import DEPTH
from urisieve.sources.documents import CutBlocks, Document, Opened, Segment
from urisieve.sources.html.html_gather import Gatherer, HtmlWindow, InnerPage, Stream
from urisieve.sources.html.html_links import BREAKING, RAW_ELEMENTS, RESOLVED_ELEMENTS
from urisieve.sources.html.html_tokens import (
    begins_tag,
    comment_span,
    content_start,
    holds_sign,
    is_json,
    split_comment,
    split_page,
)
from urisieve.sources.kinds.kind_table import HEAD_SIZE, Kind
from urisieve.sources.reading_run import ReadingRun
from urisieve.sources.segments import Segments
from urisieve.sources.tally import Tally

if TYPE_CHECKING:
    from urisieve.sources.html.html_pages import HtmlPage

# The tags that end a line.
_BREAKS: Final = BREAKING | frozenset(f"/{name}" for name in BREAKING)


class TokenReader:
    """Reads a part of a page: its tokens, and the texts and links in them.

    Args:
        window: the part.
        limit: the longest token that is left, in characters. A longer one, or one that is incomplete at the end of the
            last text, is read as text.

    Attributes:
        is_done: whether the part is complete; otherwise more of the source is needed to find where it ends.
        stop: the offset, in the source, at which it ends: that of the last token in the last quarter that ends a line
            outside of links; if there is none in `limit` characters, of the last blank.
        end: the line and the column there.
    """

    # Where the part may be cut: the offset, and the number of pieces of the running text and of comments there.
    _cut: tuple[int, int, int] | None = None
    _blank: tuple[int, int, int] | None = None

    def __init__(self, window: HtmlWindow, limit: int) -> None:
        self.gatherer = Gatherer(window)
        source, start = window.source, window.start
        self._lowest = start + len(source) * 3 // 4  # where the last quarter begins, in which the part may be cut
        self._final = window.final
        self._seeks_blank = not self._final and len(source) >= limit
        self.stop = self._tokens(source, start, limit)
        self.is_done = self._final or self._cut is not None or self.stop >= limit
        self._cut = self._cut or self._blank
        if self._cut is not None:
            self.stop = self._cut[0] - start
        self.end = window.lines.place(start + self.stop)

    @property
    def base(self) -> str | None:
        """The base that an element has declared up to the end of the source."""
        return self.gatherer.base

    def documents(self) -> Iterator[Document | None]:
        """Yield the documents of the part."""
        return self.gatherer.documents(*(self._cut or (None, None, None)))

    def _tokens(self, source: str, start: int, limit: int) -> int:
        """Read the tokens; return the offset, in the source, of the token that is left, or its end."""
        split = split_page(source)
        if len(split) > 1 and not split[-1]:
            name, last = split[-3:-1]
            is_open = (name or "").lower() in RAW_ELEMENTS  # its end tag is missing
            if last is None or (is_open and not self._final and len(last) < limit):
                del split[-3:]
        stop = self._read(split, start, self.gatherer.running) - start
        if stop < len(source):
            if not self._final and len(source) - stop <= limit:
                return stop
            self._comment(source[stop + 1 :], start + stop, complete=False)
        return len(source)

    def _read(self, split: list[Any], at: int, stream: Stream) -> int:
        """Read texts and tokens from an offset of the source on, to a stream; return the offset after them."""
        for text, name, token in zip(split[:-1:3], split[1::3], split[2::3], strict=True):
            self._put(text, at, stream)
            at += len(text)
            if name is None:
                self._comment(token, at)
            else:
                self._tag(name, token, at, stream)
            at += len(token) + 1
        self._put(split[-1], at, stream)
        return at + len(split[-1])

    def _put(self, text: str, at: int, stream: Stream, *, is_raw: bool = False) -> None:
        """Add a text whose references are resolved; the part may be cut at its last blank."""
        blank = 0
        if self._seeks_blank and stream is self.gatherer.running:
            blank = _last_blank(text, max(0, self._lowest - at), is_raw=is_raw)
        if blank:
            stream.put(text[:blank], at)
            self._blank = self._mark(at + blank)
        stream.put(text[blank:], at + blank)

    def _mark(self, at: int) -> tuple[int, int, int]:
        return at, len(self.gatherer.running.pieces), len(self.gatherer.comments.pieces)

    def _tag(self, written: str, token: str, at: int, stream: Stream) -> None:
        """Read a tag at an offset of the source; its content, too, if that contains no tags.

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
            anchor = self.gatherer.add_attributes(written, tag, at + 1)
        if name in _BREAKS:
            stream.pause(at)
            is_running = stream is self.gatherer.running
            if not self._final and is_running and stream.anchor is None and at > self._lowest:
                self._cut = self._mark(at)
        elif anchor is not None or (name == "/a" and stream.anchor is not None):
            if stream.anchor is not None:
                self.gatherer.compare(stream.anchor, "".join(stream.pieces[stream.anchor_text :]))
            stream.pause(at)
            stream.anchor, stream.anchor_text = anchor, len(stream.pieces)
        at += 1 + len(tag)
        if name in RESOLVED_ELEMENTS:
            self._put(content, at, stream, is_raw=True)
        elif name == "script" and is_json(content):
            self.gatherer.add_content(name, content, at)
        elif content:
            stream.put(content, at, resolves=False)
            if name == "style":
                self.gatherer.add_content(name, content, at)

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


def _last_blank(text: str, lowest: int, *, is_raw: bool) -> int:
    """Return the offset of the last blank of a text, but for its first character and after a `<`; 0 without one.

    Only what goes on after the offset `lowest` is looked at; a `<` is as any other character `is_raw`.
    """
    end = len(text)
    while end > lowest:
        first = 0 if is_raw else text.rfind("<", 0, end) + 1
        blank = max(text.rfind("\n", first, end), text.rfind(" ", first, end))
        if blank > first:
            return blank
        end = first - 1
    return 0


# Characters that are read at a time: most pages are smaller, and it takes little memory.
_WINDOW: Final = 131_072
# A tag, comment or script of more characters is read as text. The longest in use hold `data:` links of whole pictures;
# a link of more than 64 Ki characters is too long for the default options anyway.
_LONGEST_TOKEN: Final = 1_048_576
# How many characters back the offset map of the HTML must reach.
HTML_REACH: Final = 2 * (_LONGEST_TOKEN + _WINDOW)


def html_documents(
    run: ReadingRun, page: Segment, tally: Tally, opened: Opened | None = None, depth: int = 0
) -> Iterator[Document]:
    """Yield the texts of HTML: chunks of its running text, each followed by the links of the attributes in it.

    Links and values come many in one document, as a block.

    Memory is that of the longest chunk without the end of a line, at most about `HTML_REACH` characters; time is
    linear.

    Args:
        run: the options and limits.
        page: the HTML. If its `offsets` reach back `HTML_REACH` characters, byte offsets are exact. Its `base` is
            used until a `<base href>` is found.
        tally: counts `html` read, and relative references skipped.
        opened: opens the texts in strings, such as values of attributes; None to leave these as they are.
        depth: the number of pages around this one whose attributes hold it.

    Yields:
        documents whose segments have `position` (line and column in the HTML); those of attributes have `place.field`
        (`a@href`), `delimited` and `warnings`, and `reference` if they were relative.
    """
    if depth == 0:
        tally.read["html"] += 1
    out = Segments(run, Content(source=page.source, kind=Kind.HTML, blocks=()), opened=opened)
    out.tally = tally
    inner = partial(html_documents, run, tally=tally, opened=opened, depth=depth + 1) if depth < DEPTH else None
    return out.documents(_parts(page, out, inner))


def _parts(page: Segment, out: Segments, inner: InnerPage | None) -> Iterator[Document | None]:
    """Yield the texts of a page part by part; what is between them is searched before more of it is read."""
    may_hold = out.may_hold if out.run.every_field else holds_sign
    buffer = ""
    start, line, column = 0, 1, 1
    threshold = _WINDOW
    base: str | None = None
    for window, final in _windows(page.text):
        buffer += window
        if final and not start:  # all of the page is in memory, and its offsets stay as they are
            page.in_memory = max(1, len(buffer))
        if len(buffer) < threshold and not final:
            continue
        lines = SourceLines(buffer, start, line, column)
        out.within = replace(page, position=page.position or lines.place)
        part = _read_page(
            HtmlWindow(out, out.within, buffer, start, lines, base, final, may_hold, inner), _LONGEST_TOKEN
        )
        if not part.is_done:
            threshold = 2 * len(buffer)  # so that no more is read again than was read before
            continue
        base = part.base
        yield from part.documents()
        out.pause()
        yield None
        start += part.stop
        line, column = part.end
        buffer = buffer[part.stop :]
        threshold = max(_WINDOW, 2 * len(buffer))


def _page_by_kernel(window: HtmlWindow, limit: int) -> TokenReader | HtmlPage:
    """Read a part of a page as the `TokenReader` does, which reads what the kernel leaves."""
    from urisieve.sources.html.html_pages import read_page

    return read_page(window, limit) or TokenReader(window, limit)


_read_page: Final = either(_page_by_kernel, TokenReader)


def _windows(pieces: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield the text in pieces of at most `_WINDOW` characters, each with whether it is the last."""
    before = ""
    for piece in pieces:
        for offset in range(0, len(piece), _WINDOW):
            if before:
                yield before, False
            before = piece[offset : offset + _WINDOW]
    yield before, True


# How browsers say where a page was that they have saved, and how they refer to what they saved beside it: in a folder
# that is named as the page.
_SAVED: Final = lazy_compile(rb"<!-- saved from url=\([0-9]{4}\)(https?://[!-~]{1,2000}) -->")
_BESIDE: Final = lazy_compile(r"(\./)?([^/?#]*)(?:_files|-Dateien|_fichiers|_archivos|_arquivos|_file)/")


def read(source: Content, out: Segments) -> Iterator[Document]:
    """Return the documents of a page."""
    head = source.peek(HEAD_SIZE)
    name = out.run.encoding or _page_codec(source, out, head)
    is_fetched = source.declared is not None and source.declared.base is not None
    saved = None if is_fetched else _SAVED.search(head)
    decoder = ByteDecoder(name, keep=HTML_REACH + out.run.keep)
    whole = CutBlocks(source.blocks)

    def text() -> Iterator[str]:
        yield from map(decoder.feed, whole)
        yield decoder.close()
        out.decoded(decoder)

    page = replace(
        out.within,
        text=text(),
        offsets=lambda: decoder.offsets,
        legacy=name is not None and not find_encoding(name).is_unicode,
        base=out.base if saved is None else saved[1].decode(),
    )
    documents = out.run.html(page, out.tally)
    if saved is not None:
        documents = _not_beside(documents, out)
    return whole.documents(documents, source.source)


def _page_codec(source: Content, out: Segments, head: bytes) -> str | None:
    """Return the codec of the label of a page, beside it or in it (HTML 13.2.3.2), or None if none is known."""
    if any(head.startswith(mark) for mark, _ in known_marks(None)):
        return None
    declared = None if source.declared is None else source.declared.charset
    labels = [label for label in (declared, html_label(head)) if label is not None]
    return next(filter(None, (out.codec_of(label, "html") for label in labels)), None)


def _not_beside(documents: Iterable[Document], out: Segments) -> Iterator[Document]:
    """Return the documents of a saved page without references to files beside it, which never were in the web."""
    for document in documents:
        if document.references is None:
            yield document
            continue
        found = [_BESIDE.match(written or "") for written in map(document.references, range(document.size))]
        kept = [index for index, of in enumerate(found) if not of or not (of[1] or _is_named(out.name, of[2]))]
        if len(kept) < len(found):
            out.tally.skipped["reference", "saved-beside"] += len(found) - len(kept)
        if kept or document.last is not None:
            yield document.of(kept)


def _is_named(source: str, reference: str) -> bool:
    """Report whether a file, which may be a member, has the name that a reference has, and an ending.

    >>> _is_named("a.zip!b/My page.html", "My%20page"), _is_named("My page.html", "page")
    (True, False)
    """
    from urllib.parse import unquote

    return re.search(rf"(?:^|[/\\!]){re.escape(unquote(reference))}\.[^/\\]*$", source) is not None
