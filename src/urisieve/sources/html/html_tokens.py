"""Tokens of HTML by its tokenization (HTML 13.2.5), as far as text and attributes need it, in linear time.

The time of the standard library's `html.parser` grows with the square of its input: 48 KB of `<a ` take it 16.7 seconds
(measured with Python 3.11). Here one pattern splits a text into its tokens, and no character is tried twice.

Also defines:

- the values of attributes, with the links in them, and their source maps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import unescape
from html.entities import html5

from urisieve.lean import Any, Final
from urisieve.sources.bytes.source_map import ComposedMap, SourceMap
from urisieve.sources.html.html_links import RAW_ELEMENTS

# The patterns of tokens begin after the `<`. An attribute's quotes count only after "=" (13.2.5.37 to 39). Possessive:
# no character is tried twice.
_NAME: Final = r"[^\s/>\x00]"
# With the end of the tag.
_ATTRIBUTES: Final = r"""[^>=]*+(?>=(?:"[^"]*+"|\s*+(?:"[^"]*+"|'[^']*+'|(?=>)|[^\s>"'][^\s>]*+))[^>=]*+)*+>"""
_TAG: Final = rf"/?[A-Za-z]{_NAME}*+{_ATTRIBUTES}"
_COMMENT: Final = (
    r"!--(?:-?>|(?>[^-]++|-(?!-!?>))*+--!?>)"  # 13.2.5.43 to 52
    r"|(?:!(?!--)|\?|/(?![A-Za-z]))[^>]*+>"  # a declaration or a bogus comment
)


def _raw_element(name: str) -> str:
    """Return the pattern of a start tag and of the content up to the end tag, or to the end of the text."""
    start = "".join(f"[{letter}{letter.upper()}]" for letter in name)
    return rf"{start}(?=[\s/>\x00]){_ATTRIBUTES}(?>[^<]++|<(?!/(?i:{name})[\s/>]))*+"


_RAW: Final = rf"(?=[sStTxX])(?:{'|'.join(map(_raw_element, sorted(RAW_ELEMENTS)))})"
# By 13.2.5.8 `<http://a.example/>` is a tag named `http:`, and its link is lost. People write links so in text: what no
# element can be named, a scheme before `//`, or with a second `:` or a `@` in its rest, is text here, its `<` too.
_ADDRESS: Final = r"""[A-Za-z][A-Za-z0-9+.\-]*+:(?://|[!#-&(-.0-9;?A-Z\[-~]*+[:@])"""
# Nor can one be named `t;` or `n.length&&x`: so programs compare (`i<t;`) in a script that is not in its element.
_CODE: Final = r"[A-Za-z][A-Za-z0-9.:_\-]*+[;,()+&|?\[\]}*!]"
_OPEN: Final = rf"<(?!{_ADDRESS}|{_CODE})"
# What begins like a token, but is not complete, is matched without a group, up to the end of the text.
_TAG_NAME: Final = rf"(?=(/?[A-Za-z]{_NAME}*+))"
_PAGE_TOKEN: Final = re.compile(rf"{_OPEN}(?:(?>{_TAG_NAME}|)({_RAW}|{_TAG}|{_COMMENT})|[A-Za-z/!?][\s\S]*+|\Z)")
_COMMENT_TOKEN: Final = re.compile(rf"{_OPEN}(?:{_TAG_NAME}({_TAG})|/?[A-Za-z][\s\S]*+)")
_LAST_COMMENT_TOKEN: Final = re.compile(rf"{_OPEN}(?:{_TAG_NAME}({_TAG})|/?[A-Za-z][\s\S]*+|/?\Z)")

_ATTRIBUTE: Final = re.compile(
    r"""[\s/]*+([^\s/>=][^\s/>=]*+)\s*+(?>=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]*+)))?+""",
)
_START: Final = re.compile(rf"{_NAME}*+{_ATTRIBUTES}")
# How the content of a script begins that is a document of JSON.
_BLANKS: Final = " \t\r\n"
_JSON: Final = re.compile(rf"[{_BLANKS}]*+[\[{{][{_BLANKS}]*+[\"\[{{]")
_TAG_SIGN: Final = re.compile(r"/?(?:[A-Za-z]|\Z)")
_COMMENT_END: Final = re.compile(r"--!?>\Z")
_REFERENCE: Final = re.compile(r"&(?:#[0-9]++;?|#[xX][0-9A-Fa-f]++;?|[A-Za-z][A-Za-z0-9]*+;?)")
# Characters of a character reference; a valid one is shorter. The limit keeps `int` from reading thousands of digits.
_LONGEST_REFERENCE: Final = 40


def split_page(source: str) -> list[Any]:
    """Split HTML into texts and tokens: a text, the name of a tag and the tag, and so on, up to a last text.

    The name of an end tag begins with its `/`; that of a comment or a declaration is None. Tokens are without their
    `<`. The content of one of `RAW_ELEMENTS` belongs to its start tag. A last token that is not complete is None, and
    the text after it is empty. A `<` that begins no token is part of the text.
    """
    return _PAGE_TOKEN.split(source)


def split_comment(content: str, *, at_end: bool) -> list[Any]:
    """Split the content of a comment as HTML (comments of Outlook hold some), without comments in it.

    Args:
        content: the text between the delimiters of the comment.
        at_end: whether the source ends with it.
    """
    return (_LAST_COMMENT_TOKEN if at_end else _COMMENT_TOKEN).split(content)


def begins_tag(token: str) -> bool:
    """Report whether a token that is not complete begins a tag; a comment or a declaration otherwise."""
    return _TAG_SIGN.match(token) is not None


def content_start(token: str) -> int:
    """Return where a tag ends in its token, and the content of one of `RAW_ELEMENTS` begins."""
    found = _START.match(token)
    assert found is not None
    return found.end()


def is_json(content: str) -> bool:
    """Report whether the content of a script seems to be a document of JSON: it begins and ends so."""
    return _JSON.match(content) is not None and content.rstrip(_BLANKS)[-1] in "]}"


def comment_span(token: str, *, complete: bool) -> tuple[int, int]:
    """Return the start and end of the text to be read in a comment or declaration."""
    end = len(token)
    if token.startswith("!--"):
        if token in ("!-->", "!--->"):
            return end, end
        found = _COMMENT_END.search(token, max(3, end - 4)) if complete else None
        return 3, end if found is None else found.start()
    if token[1:8].lower() == "doctype":  # its public and system identifiers name a format
        return end, end
    return 1, end - 1 if complete else end


def attributes(tag: str, start: int, at: int) -> Iterator[tuple[str, str, SourceMap]]:
    """Yield the attributes of a tag that have a value, be it empty: name, in lower case, value, and its source map.

    Args:
        tag: the start tag.
        start: where its name ends.
        at: the offset of the tag in the source.
    """
    for found in _ATTRIBUTE.finditer(tag, start):
        group = found.lastindex
        if group is None or group == 1:
            continue
        value = found[group]
        first = at + found.start(group)
        back = SourceMap(first)
        if "&" in value:
            pieces = list(resolved_pieces(value, attribute=True))
            value = "".join([piece for piece, _, _ in pieces])
            back = SourceMap()
            for piece, begin, end in pieces:
                back.replace(first + begin, first + end, len(piece))
        yield found[1].lower(), value, back


def is_namespace(attribute: str) -> bool:
    """Report whether an attribute, in lower case, declares a namespace, whose name is the name of a format."""
    return attribute == "xmlns" or attribute.startswith("xmlns:")


@lru_cache(maxsize=1_024)
def resolved_reference(written: str, attribute: bool) -> str:
    """Return the characters of a reference, or the reference itself if it is none."""
    if len(written) > _LONGEST_REFERENCE:
        return written
    return html5.get(written[1:], written) if attribute and written[1] != "#" else unescape(written)


def resolved_pieces(written: str, *, attribute: bool) -> Iterator[tuple[str, int, int]]:
    """Yield a text with its character references resolved, in pieces (HTML 13.2.5.72).

    Args:
        written: the text.
        attribute: whether it is the value of an attribute. There, a reference without its semicolon is text if `=`, a
            letter or a digit follows it.

    Yields:
        a piece, and the start and end of what it stands for in the text.
    """
    offset = 0
    for found in _REFERENCE.finditer(written):
        start, end = found.span()
        # A reference without its semicolon is text before `=`; the pattern takes letters and digits itself.
        is_field = attribute and found[0][1] != "#" and found[0][-1] != ";" and written.startswith("=", end)
        piece = found[0] if is_field else resolved_reference(found[0], attribute)
        if piece != found[0]:
            yield written[offset:start], offset, start
            yield piece, start, end
            offset = end
    yield written[offset:], offset, len(written)


# A colon after a character of a scheme and before one that may follow it. `html_links.c` has the same.
_SIGN: Final = re.compile(r"[A-Za-z0-9+.\-]:[^\x00-\x20:\x7f]")
# Characters that the URL standard removes from a URL before parsing (4.4): at its ends, and inside.
EDGES: Final = "".join(map(chr, range(33)))
_INSIDE: Final = re.compile(r"[\t\n\r]+")


def holds_sign(value: str) -> bool:
    """Report whether a value may hold an identifier, or HTML with one, by the default options: most are passed over."""
    return "<" in value or (":" in value and _SIGN.search(value) is not None)


def link_in(value: str, back: SourceMap, start: int, end: int) -> tuple[str, SourceMap]:
    """Return a link without the characters that the URL standard removes (4.4), and its source map.

    Args:
        value: the value that contains it.
        back: the source map of the value.
        start: the start of the link in the value.
        end: its end.
    """
    written = value[start:end]
    text = written.strip(EDGES)
    start += len(written) - len(written.lstrip(EDGES))
    end = start + len(text)
    if not text.isprintable() and (kept := _INSIDE.sub("", text)) != text:
        return kept, Replaced(back.source(start), back.source_end(end))
    return text, ComposedMap(back, first=start)


class Replaced(SourceMap):
    """The source map of a text that replaces a part of the source, from `start` to `end`."""

    __slots__ = ("_end", "_start")

    def __init__(self, start: int, end: int) -> None:
        self._start = start
        self._end = end

    def source(self, offset: int) -> int:
        """Return the start of the part."""
        return self._start

    def source_end(self, offset: int) -> int:
        """Return its end."""
        return self._end

    def spans(self, starts: Sequence[int], ends: Sequence[int]) -> tuple[list[int], list[int]]:
        """See `SourceMap.spans`."""
        return [self._start] * len(starts), [self._end] * len(ends)
