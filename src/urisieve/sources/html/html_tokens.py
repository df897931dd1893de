"""Tokens of HTML by its tokenization (HTML 13.2.5), as far as text and attributes need it, in linear time.

The time of the standard library's `html.parser` grows with the square of its input: 48 KB of `<a ` take it 16.7 seconds
(measured with Python 3.11). Here each character is examined once, and every token has its offset.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum, auto
from html import unescape
from html.entities import html5
from typing import Final, Protocol

from urisieve.sources.bytes.selections import Selection

__all__ = ["RAW_ELEMENTS", "Handler", "attributes", "resolve_references", "tokenize", "tokenize_comment"]

# Elements whose content holds no tags (13.2.5.2 and 13.2.5.4). That of `iframe`, `noembed` and `noframes` does, for
# programs that show it.
RAW_ELEMENTS: Final = frozenset(["script", "style", "textarea", "title", "xmp"])

# An attribute's quotes count only after "=" (13.2.5.37 to 39). Possessive: no character is tried twice.
_TAG: Final = re.compile(
    r"""<(/?)([A-Za-z][^\s/>\x00]*+)((?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+'|(?=>)|[^\s>"'][^\s>]*+))*+)>"""
)
_ATTRIBUTE: Final = re.compile(
    r"""[\s/]*+([^\s/>=][^\s/>=]*+)\s*+(?:=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]*+)))?+""",
)
_COMMENT_END: Final = re.compile(r"--!?>")
_REFERENCE: Final = re.compile(r"&(?:#[0-9]++;?|#[xX][0-9A-Fa-f]++;?|[A-Za-z][A-Za-z0-9]*+;?)")
# Characters of a character reference; a valid one is shorter. The limit keeps `int` from reading thousands of digits.
_LONGEST_REFERENCE: Final = 40


class Handler(Protocol):
    """Receives the tokens in their order; offsets are in characters of the source."""

    def text(self, start: int, end: int) -> None:
        """Receive text, its character references unresolved."""

    def raw(self, name: str, start: int, end: int) -> None:
        """Receive the content of one of `RAW_ELEMENTS`."""

    def start_tag(self, name: str, opened: int, start: int, end: int) -> None:
        """Receive a start tag: its name in lower case, its offset, and the start and end of its attributes."""

    def end_tag(self, name: str, opened: int) -> None:
        """Receive an end tag: its name in lower case and its offset."""

    def open_comment(self, opened: int) -> None:
        """Receive the start of a comment, a declaration or a bogus comment; its content follows as other tokens."""

    def close_comment(self) -> None:
        """Receive its end."""


def tokenize(source: str, handler: Handler, *, final: bool, limit: int) -> int:
    """Split a text into tokens.

    Args:
        source: the text, from the beginning of a token on.
        handler: receives the tokens.
        final: whether nothing follows the text. If something does, a token that may continue in it is left.
        limit: the longest token that is left, in characters. A longer one, or one that is incomplete at the end of the
            last text, is read as text.

    Returns:
        the offset of the token that was left, or the end of the text.
    """
    find = source.find
    tag = _TAG.match
    offset, end = 0, len(source)
    while offset < end:
        opened = find("<", offset)
        if opened < 0:
            opened = end
        if opened > offset:
            handler.text(offset, opened)
            if opened == end:
                return end
        found = tag(source, opened)
        if found is not None:
            offset = found.end()
            name = found[2].lower()
            if found[1]:
                handler.end_tag(name, opened)
            elif name not in RAW_ELEMENTS:
                handler.start_tag(name, opened, found.start(3), found.end(3))
            else:
                ending = _RAW_ENDS[name].search(source, offset)
                if ending is None and not final and end - opened <= limit:
                    return opened
                handler.start_tag(name, opened, found.start(3), found.end(3))
                closing = end if ending is None else ending.start()
                handler.raw(name, offset, closing)
                offset = closing
            continue
        kind = _kind(source, opened)
        if kind is _Opening.TEXT:
            handler.text(opened, opened + 1)
            offset = opened + 1
            continue
        stop = inner = inner_end = -1
        if kind is _Opening.COMMENT:
            stop, inner, inner_end = _comment(source, opened, end)
        if stop < 0:
            if not final and end - opened <= limit:
                return opened
            if kind is _Opening.TAG:  # it is not closed: its links are read as text
                inner = opened + 1
            stop = inner_end = end
        handler.open_comment(opened)
        if kind is _Opening.TAG:
            handler.text(inner, inner_end)
        else:
            tokenize_comment(source, inner, inner_end, handler)
        handler.close_comment()
        offset = stop
    return end


class _Opening(Enum):
    """The kinds of token that begin with `<` and are not a complete tag (13.2.5.6 and 13.2.5.7)."""

    TEXT = auto()
    TAG = auto()
    COMMENT = auto()


def _kind(source: str, opened: int) -> _Opening:
    after = source[opened + 1 : opened + 3]
    if after == "" or after == "/":  # the text ends here
        return _Opening.TAG
    if after[0] in "!?" or (after[0] == "/" and not (after[1].isascii() and after[1].isalpha())):
        return _Opening.COMMENT
    if after[0] == "/" or (after[0].isascii() and after[0].isalpha()):
        return _Opening.TAG
    return _Opening.TEXT


_RAW_ENDS: Final = {name: re.compile(rf"</{name}(?=[\s/>])", re.I) for name in RAW_ELEMENTS}


def _comment(source: str, opened: int, end: int) -> tuple[int, int, int]:
    """Return the end of a comment or declaration, -1 if it has none, and the span of its content to be read."""
    if source.startswith("<!--", opened):
        if source.startswith(("<!-->", "<!--->"), opened):
            stop = source.index(">", opened) + 1
            return stop, stop, stop
        found = _COMMENT_END.search(source, opened + 4, end)
        if found is None:
            return -1, opened + 4, end
        return found.end(), opened + 4, found.start()
    closed = source.find(">", opened, end)
    if source[opened + 2 : opened + 9].lower() == "doctype":  # its public and system identifiers name a format
        return closed + 1 if closed >= 0 else -1, end, end
    return closed + 1 if closed >= 0 else -1, opened + 2, closed if closed >= 0 else end


def tokenize_comment(source: str, offset: int, end: int, handler: Handler) -> None:
    """Split a comment into tokens as HTML (comments of Outlook hold some), without comments in it."""
    while offset < end:
        opened = source.find("<", offset, end)
        if opened < 0:
            handler.text(offset, end)
            return
        if opened > offset:
            handler.text(offset, opened)
        found = _TAG.match(source, opened, end)
        if found is None:
            if _kind(source, opened) is _Opening.TAG:
                handler.text(opened + 1, end)
                return
            handler.text(opened, opened + 1)
            offset = opened + 1
            continue
        name = found[2].lower()
        if found[1]:
            handler.end_tag(name, opened)
        else:
            handler.start_tag(name, opened, found.start(3), found.end(3))
        offset = found.end()


def attributes(source: str, start: int, end: int, wanted: frozenset[str]) -> dict[str, tuple[int, int]]:
    """Return the start and end of the wanted attributes' values, by lower-case name; the first of each name counts."""
    found: dict[str, tuple[int, int]] = {}
    for match in _ATTRIBUTE.finditer(source, start, end):
        group = match.lastindex
        if group is not None and group > 1:
            name = match[1].lower()
            if name in wanted and name not in found:
                found[name] = match.span(group)
    return found


def resolve_references(
    source: str,
    start: int,
    end: int,
    put: Callable[[str], None],
    selection: Selection,
    *,
    shift: int,
    attribute: bool,
) -> None:
    """Pass the text of a stretch to `put` with its character references resolved (HTML 13.2.5.72).

    Its offsets are added to `selection`; they count from `shift` characters before the source. In an attribute, a
    reference without its semicolon is text if `=`, a letter or a digit follows it.
    """
    offset = start
    for found in _REFERENCE.finditer(source, start, end):
        written = found[0]
        if len(written) > _LONGEST_REFERENCE:
            continue
        if attribute and written[1] != "#":
            resolved = html5.get(written[1:], written)
            if written[-1] != ";" and source.startswith("=", found.end(), end):
                continue
        else:
            resolved = unescape(written)
        if resolved == written:
            continue
        if found.start() > offset:
            put(source[offset : found.start()])
            selection.add(shift + offset, shift + found.start())
        put(resolved)
        selection.replace(shift + found.start(), shift + found.end(), len(resolved))
        offset = found.end()
    if offset < end:
        put(source[offset:end])
        selection.add(shift + offset, shift + end)
