"""Tokens of HTML by its tokenization (HTML 13.2.5), as far as text and attributes need it, in linear time.

The standard library's `html.parser` takes time that grows with the square of its input: 48 KB of `<a ` cost it 16.7
seconds (measured with Python 3.11). Here each place is looked at once, and every token says where it stood.
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

# Their content holds no tags (13.2.5.2 and 13.2.5.4). `iframe`, `noembed` and `noframes` do for readers that show it.
RAW_ELEMENTS: Final = frozenset(["script", "style", "textarea", "title", "xmp"])

# An attribute's quotes count only after "=" (13.2.5.37 to 39). Possessive: nothing is tried twice.
_TAG: Final = re.compile(
    r"""<(/?)([A-Za-z][^\s/>\x00]*+)((?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+'|(?=>)|[^\s>"'][^\s>]*+))*+)>"""
)
_ATTRIBUTE: Final = re.compile(
    r"""[\s/]*+([^\s/>=][^\s/>=]*+)\s*+(?:=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]*+)))?+""",
)
_COMMENT_END: Final = re.compile(r"--!?>")
_REFERENCE: Final = re.compile(r"&(?:#[0-9]++;?|#[xX][0-9A-Fa-f]++;?|[A-Za-z][A-Za-z0-9]*+;?)")
# A reference has digits for at most a few characters; `int` takes no more than this from strings of any length.
_LONGEST_REFERENCE: Final = 40


class Handler(Protocol):
    """Takes the tokens, in their order; offsets count characters of the source."""

    def text(self, start: int, end: int) -> None:
        """Text, its references not resolved."""

    def raw(self, name: str, start: int, end: int) -> None:
        """The content of one of `RAW_ELEMENTS`."""

    def start_tag(self, name: str, opened: int, start: int, end: int) -> None:
        """A tag of an element, its name in lower case; where it begins, and where its attributes stand."""

    def end_tag(self, name: str, opened: int) -> None:
        """A tag that ends an element, its name in lower case; where it begins."""

    def open_comment(self, opened: int) -> None:
        """A comment, a declaration or what is read as one begins; what is in it comes as other tokens."""

    def close_comment(self) -> None:
        """It ends."""


def tokenize(source: str, handler: Handler, *, final: bool, limit: int) -> int:
    """Give the tokens of a text.

    Args:
        source: the text, from the beginning of a token on.
        handler: what takes the tokens.
        final: nothing comes after the text. Without it a token that may go on is left for later, unless
        limit: it has more characters than this. Then, as at the end, what was to be a token is text.

    Returns:
        where the token that was left begins, or the end.
    """
    find = source.find
    tag = _TAG.match
    place, end = 0, len(source)
    while place < end:
        opened = find("<", place)
        if opened < 0:
            opened = end
        if opened > place:
            handler.text(place, opened)
            if opened == end:
                return end
        found = tag(source, opened)
        if found is not None:
            place = found.end()
            name = found[2].lower()
            if found[1]:
                handler.end_tag(name, opened)
            elif name not in RAW_ELEMENTS:
                handler.start_tag(name, opened, found.start(3), found.end(3))
            else:
                ending = _RAW_ENDS[name].search(source, place)
                if ending is None and not final and end - opened <= limit:
                    return opened
                handler.start_tag(name, opened, found.start(3), found.end(3))
                closing = end if ending is None else ending.start()
                handler.raw(name, place, closing)
                place = closing
            continue
        kind = _kind(source, opened)
        if kind is _Opening.TEXT:
            handler.text(opened, opened + 1)
            place = opened + 1
            continue
        stop = inner = inner_end = -1
        if kind is _Opening.COMMENT:
            stop, inner, inner_end = _comment(source, opened, end)
        if stop < 0:
            if not final and end - opened <= limit:
                return opened
            if kind is _Opening.TAG:  # nothing closes it: its links are read as they stand
                inner = opened + 1
            stop = inner_end = end
        handler.open_comment(opened)
        if kind is _Opening.TAG:
            handler.text(inner, inner_end)
        else:
            tokenize_comment(source, inner, inner_end, handler)
        handler.close_comment()
        place = stop
    return end


class _Opening(Enum):
    """What a `<` that begins no whole tag begins (13.2.5.6 and 13.2.5.7)."""

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
    """Where what begins with `<!`, `<?` or `</` ends, -1 if nowhere; and where what is to be read of it stands."""
    if source.startswith("<!--", opened):
        if source.startswith(("<!-->", "<!--->"), opened):
            stop = source.index(">", opened) + 1
            return stop, stop, stop
        found = _COMMENT_END.search(source, opened + 4, end)
        if found is None:
            return -1, opened + 4, end
        return found.end(), opened + 4, found.start()
    closed = source.find(">", opened, end)
    if source[opened + 2 : opened + 9].lower() == "doctype":  # public and system identifiers name a format
        return closed + 1 if closed >= 0 else -1, end, end
    return closed + 1 if closed >= 0 else -1, opened + 2, closed if closed >= 0 else end


def tokenize_comment(source: str, place: int, end: int, handler: Handler) -> None:
    """Read a comment as HTML (those of Outlook hold some); nothing in it is a comment."""
    while place < end:
        opened = source.find("<", place, end)
        if opened < 0:
            handler.text(place, end)
            return
        if opened > place:
            handler.text(place, opened)
        found = _TAG.match(source, opened, end)
        if found is None:
            if _kind(source, opened) is _Opening.TAG:
                handler.text(opened + 1, end)
                return
            handler.text(opened, opened + 1)
            place = opened + 1
            continue
        name = found[2].lower()
        if found[1]:
            handler.end_tag(name, opened)
        else:
            handler.start_tag(name, opened, found.start(3), found.end(3))
        place = found.end()


def attributes(source: str, start: int, end: int, wanted: frozenset[str]) -> dict[str, tuple[int, int]]:
    """Where the values of those attributes of a tag stand that are wanted, by name in lower case; the first wins."""
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
    """Give the text of a stretch with its character references resolved (HTML 13.2.5.72).

    `selection` takes where it stands, in a text that has `shift` characters before the source. In an attribute a
    reference without its semicolon, and before `=` or a letter or digit, is none.
    """
    place = start
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
        if found.start() > place:
            put(source[place : found.start()])
            selection.add(shift + place, shift + found.start())
        put(resolved)
        selection.replace(shift + found.start(), shift + found.end(), len(resolved))
        place = found.end()
    if place < end:
        put(source[place:end])
        selection.add(shift + place, shift + end)
