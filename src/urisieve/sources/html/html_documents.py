"""HTML to documents: its running text joined across tags, and the links of its attributes, in one pass.

Text is joined over inline elements (`https://e.com/ve<wbr>ry` is one link) and broken at links and at elements that
begin a line of their own. Character references are resolved. Comments are read as HTML (conditional comments of Outlook
hold links), scripts and styles as text, and everything after `</html>` like the rest. The URLs of document type
declarations are left out: they name a format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from urisieve.sources.bytes.selections import Selection, Shift, SourceLines
from urisieve.sources.documents import Document, Tally
from urisieve.sources.html.html_gather import Attribute, Gatherer, Mark
from urisieve.sources.html.html_links import BREAKING, TELLING
from urisieve.sources.html.html_tokens import attributes, resolve_references, tokenize

__all__ = ["HTML_REACH", "TokenReader", "html_documents"]

# Characters that are read at a time: most pages are smaller, and it takes little memory.
_WINDOW: Final = 131_072
# A tag, comment or script of more characters is read as text. The longest in use hold `data:` links of whole pictures;
# a link of more than 64 Ki characters is too long for the default options anyway.
_LONGEST_TOKEN: Final = 1_048_576
# How many characters back the offset map of the HTML must reach.
HTML_REACH: Final = 2 * (_LONGEST_TOKEN + _WINDOW)


def html_documents(document: Document, tally: Tally) -> Iterator[Document]:
    """Yield the texts of HTML: stretches of its running text, each followed by the links of the attributes in it.

    Memory is that of the longest stretch without the end of a line, at most about `HTML_REACH` characters; time is
    linear.

    Args:
        document: the HTML. If its `offsets` reach back `HTML_REACH` characters, byte offsets are exact. Its `base` is
            used until a `<base href>` is found.
        tally: counts `html` read, and relative references skipped.

    Yields:
        documents with `position` (line and column in the HTML); those of attributes have `place.field` (`a@href`),
        `delimited` and `warnings`, and `reference` if they were relative.
    """
    tally.read["html"] += 1
    buffer = ""
    start, line, column = 0, 1, 1
    threshold = _WINDOW
    base: str | None = None
    for window, final in _windows(document.text):
        buffer += window
        if len(buffer) < threshold and not final:
            continue
        reader = TokenReader(Gatherer(document, base), buffer, start, marks=not final)
        stop = tokenize(buffer, reader, final=final, limit=_LONGEST_TOKEN)
        mark = None
        if not final:
            mark = reader.last_mark
            if mark is None and stop < _LONGEST_TOKEN:
                threshold = 2 * len(buffer)  # so that no more is read again than was read before
                continue
            mark = mark or reader.last_blank
            if mark is not None:
                stop = mark.offset - start
        lines = SourceLines(buffer, start, line, column)
        base = reader.gatherer.base
        yield from reader.gatherer.documents(tally, mark, lines)
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


class TokenReader:
    """Passes the tokens of a stretch of HTML on to a `Gatherer`, with their offsets."""

    def __init__(self, gatherer: Gatherer, source: str, start: int = 0, *, marks: bool = False) -> None:
        self.gatherer = gatherer
        self.last_mark: Mark | None = None
        """The last state to which the gatherer can be cut back; None if `marks` is not set."""
        self.last_blank: Mark | None = None
        """The same at the last blank in the running text, for text in which nothing else ends a line."""
        self._source = source
        self._start = start  # offset of the stretch in the whole text
        # Marks cost time, and only the last one counts: they are set in the last quarter.
        self._marks_from = len(source) * 3 // 4 if marks else len(source)
        self._stream = gatherer.current

    def text(self, start: int, end: int) -> None:
        """Add text."""
        if end > self._marks_from and self._stream is self.gatherer.running:
            blank = max(self._source.rfind("\n", start, end), self._source.rfind(" ", start, end))
            if blank > start:
                self._put(start, blank)
                self.last_blank = self.gatherer.state(self._start + blank)
                start = blank
        self._put(start, end)

    def _put(self, start: int, end: int) -> None:
        stream = self._stream
        if self._source.find("&", start, end) < 0:
            stream.take(self._source[start:end], self._start + start)
        else:
            self._resolve(start, end, stream.put, stream.selection, attribute=False)

    def _resolve(
        self, start: int, end: int, put: Callable[[str], None], selection: Selection, *, attribute: bool
    ) -> None:
        resolve_references(self._source, start, end, put, selection, shift=self._start, attribute=attribute)

    def raw(self, name: str, start: int, end: int) -> None:
        """Add the content of an element that holds no tags."""
        if start == end:
            return
        if name in ("textarea", "title"):  # 13.2.5.2: references are resolved
            self.text(start, end)
            return
        self._stream.take(self._source[start:end], self._start + start)
        if name == "style":
            self.gatherer.style(self._source[start:end], Shift(self._start + start))

    def start_tag(self, name: str, opened: int, start: int, end: int) -> None:
        """Open an element."""
        if opened > self._marks_from and name in BREAKING:
            self.last_mark = self.gatherer.mark(self._start + opened) or self.last_mark
        found = self._attributes(start, end) if start < end else {}
        self.gatherer.open(name, found, self._start + opened)

    def end_tag(self, name: str, opened: int) -> None:
        """Close an element."""
        if opened > self._marks_from and name in BREAKING:
            self.last_mark = self.gatherer.mark(self._start + opened) or self.last_mark
        self.gatherer.close(name, self._start + opened)

    def open_comment(self, opened: int) -> None:
        """Begin a comment."""
        self.gatherer.open_comment(self._start + opened)
        self._stream = self.gatherer.comments

    def close_comment(self) -> None:
        """End a comment."""
        self.gatherer.close_comment()
        self._stream = self.gatherer.running

    def _attributes(self, start: int, end: int) -> dict[str, Attribute]:
        found: dict[str, Attribute] = {}
        for name, (first, last) in attributes(self._source, start, end, TELLING).items():
            if self._source.find("&", first, last) < 0:
                found[name] = (self._source[first:last], Shift(self._start + first))
            else:
                selection = Selection()
                pieces: list[str] = []
                self._resolve(first, last, pieces.append, selection, attribute=True)
                found[name] = ("".join(pieces), selection)
        return found
