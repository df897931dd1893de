"""Tokens of HTML by its tokenization (HTML 13.2.5), as far as text and attributes need it, in linear time.

The time of the standard library's `html.parser` grows with the square of its input: 48 KB of `<a ` take it 16.7 seconds
(measured with Python 3.11). Here one pattern splits a text into its tokens, and no character is tried twice.

Also defines:

- links and texts in the values of attributes, and the ways back from them to the source, made when they are asked for.
  A value that is not known to hold a link is running text of its own; `srcdoc` is a page. Scripts open windows in
  `onclick`, pages load from `data-src`, mail gateways keep `originalsrc`: what a link is called is up to the page.
  Namespace names (`xmlns`) are not read: they name formats.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from html import unescape
from html.entities import html5

from urisieve.lean import Any, Final, NamedTuple
from urisieve.sources.bytes.source_map import ComposedMap, SourceMap
from urisieve.sources.documents import HtmlDocuments
from urisieve.sources.html.html_links import RAW_ELEMENTS, TELLING

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
_OPEN: Final = rf"<(?!{_ADDRESS})"
# What begins like a token, but is not complete, is matched without a group, up to the end of the text.
_TAG_NAME: Final = rf"(?=(/?[A-Za-z]{_NAME}*+))"
_PAGE_TOKEN: Final = re.compile(rf"{_OPEN}(?:(?>{_TAG_NAME}|)({_RAW}|{_TAG}|{_COMMENT})|[A-Za-z/!?][\s\S]*+|\Z)")
_COMMENT_TOKEN: Final = re.compile(rf"{_OPEN}(?:{_TAG_NAME}({_TAG})|/?[A-Za-z][\s\S]*+)")
_LAST_COMMENT_TOKEN: Final = re.compile(rf"{_OPEN}(?:{_TAG_NAME}({_TAG})|/?[A-Za-z][\s\S]*+|/?\Z)")

_ATTRIBUTE: Final = re.compile(
    r"""[\s/]*+([^\s/>=][^\s/>=]*+)\s*+(?>=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]*+)))?+""",
)
_START_NAME: Final = re.compile(rf"{_NAME}*+")
_START: Final = re.compile(rf"{_NAME}*+{_ATTRIBUTES}")
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


def start_name(token: str) -> str:
    """Return the name of a start tag, as it is written."""
    found = _START_NAME.match(token)
    assert found is not None
    return found[0]


def begins_tag(token: str) -> bool:
    """Report whether a token that is not complete begins a tag; a comment or a declaration otherwise."""
    return _TAG_SIGN.match(token) is not None


def content_start(token: str) -> int:
    """Return where a tag ends in its token, and the content of one of `RAW_ELEMENTS` begins."""
    found = _START.match(token)
    assert found is not None
    return found.end()


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


def attributes(tag: str, start: int, wanted: frozenset[str] | None = None) -> list[tuple[str, str, tuple[int, int]]]:
    """Return the attributes of a tag that have a value, be it empty.

    Args:
        tag: the start tag.
        start: where its name ends.
        wanted: the names of those that are returned, in lower case; None for all.

    Returns:
        name, in lower case, value, references resolved, and the start and end of the value in the tag, of each.
    """
    some = []
    for found in _ATTRIBUTE.finditer(tag, start):
        name = found[1].lower()
        group = found.lastindex
        if group != 1 and (wanted is None or name in wanted):
            assert group is not None
            value = found[group]
            if "&" in value:
                value = _REFERENCE.sub(_resolved_in_attribute, value)
            some.append((name, value, found.span(group)))
    return some


def known_attributes(tag: str, start: int) -> dict[str, str]:
    """Return the values of the attributes that may hold links, by name; the first of each name counts."""
    known: dict[str, str] = {}
    for name, value, _ in attributes(tag, start, TELLING):
        known.setdefault(name, value)
    return known


def value_span(tag: str, attribute: str) -> tuple[int, int]:
    """Return the start and end of the value of an attribute in its tag; the first of each name counts."""
    return next(span for name, _, span in attributes(tag, len(start_name(tag))) if name == attribute)


def is_namespace(attribute: str) -> bool:
    """Report whether an attribute, in lower case, declares a namespace, whose name is the name of a format."""
    return attribute == "xmlns" or attribute.startswith("xmlns:")


def _resolved_in_text(found: re.Match[str]) -> str:
    return resolved_reference(found[0], False)


def _resolved_in_attribute(found: re.Match[str]) -> str:
    written = found[0]
    # A reference without its semicolon is text before `=`; the pattern takes letters and digits itself.
    if written[1] != "#" and written[-1] != ";" and found.string.startswith("=", found.end()):
        return written
    return resolved_reference(written, True)


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
        piece = _resolved_in_attribute(found) if attribute else _resolved_in_text(found)
        if piece != found[0]:
            yield written[offset : found.start()], offset, found.start()
            yield piece, *found.span()
            offset = found.end()
    yield written[offset:], offset, len(written)


# A colon after a character of a scheme and before one that may follow it. `html_links.c` has the same.
_SIGN: Final = re.compile(r"[A-Za-z0-9+.\-]:[^\x00-\x20:\x7f]")
# Characters that the URL standard removes from a URL before parsing (4.4): at its ends, and inside.
EDGES: Final = "".join(map(chr, range(33)))
_INSIDE: Final = re.compile(r"[\t\n\r]+")
# What stands for the element and attribute of a link in a style sheet.
STYLE: Final = ("style", "url")


def holds_sign(value: str) -> bool:
    """Report whether a value may hold an identifier, by the default options: most hold none, and are passed over."""
    return ":" in value and _SIGN.search(value) is not None


class TextReading(NamedTuple):
    """How the values of attributes are read that do not hold links.

    Attributes:
        may_hold: returns a false value for those that hold no identifier.
        page: reads the page in a `srcdoc`; None where too many stand in each other.
    """

    may_hold: Callable[[str], object] = holds_sign
    page: HtmlDocuments | None = None


class AttributeText(NamedTuple):
    """The value of an attribute, to be read as text or as a page.

    Attributes:
        element: the name of the element.
        attribute: that of the attribute.
        text: the value, its links left blank.
        tag: the start tag.
        at: its offset in the source, in characters, behind the `<`.
        span: the start and end of the value in it; None: that of the first attribute of this name.
        is_page: whether it is a page.
    """

    element: str
    attribute: str
    text: str
    tag: str
    at: int
    span: tuple[int, int] | None = None
    is_page: bool = False

    def way_back(self) -> SourceMap:
        """Return the way back from the text to the source."""
        return _value_map(self.tag, self.at, self.attribute, self.span)


class Link(NamedTuple):
    """A link of an attribute or of a style.

    Attributes:
        element: the name of the element.
        attribute: that of the attribute; `url` of a style.
        text: the link, without the characters that are removed from it.
        value: the value that holds it.
        start: its start in the value.
        end: its end in the value.
        tag: the start tag; empty for the content of a style sheet.
        at: its offset in the source, in characters, behind the `<`; of a style sheet that of the content.
    """

    element: str
    attribute: str
    text: str
    value: str
    start: int
    end: int
    tag: str
    at: int

    def way_back(self, length: int | None = None) -> SourceMap:
        """Return the way back from the link to the source.

        Args:
            length: the length of the text that replaces it, all characters of which are where the link is; None if none
                does.
        """
        written = self.value[self.start : self.end]
        start = self.start + len(written) - len(written.lstrip(EDGES))
        end = start + len(written.strip(EDGES))
        selection = SourceMap()
        selection.replace(start, end, len(self.text) if length is None else length)
        return ComposedMap(_value_map(self.tag, self.at, self.attribute), selection)


@lru_cache(maxsize=1)  # one value may hold many links
def _value_map(tag: str, at: int, attribute: str, span: tuple[int, int] | None = None) -> SourceMap:
    """Return the way back from the value of an attribute; the arguments are fields of `Link` and `AttributeText`."""
    if not tag:
        return SourceMap(at)
    first, last = span or value_span(tag, attribute)
    if "&" not in tag[first:last]:
        return SourceMap(at + first)
    selection = SourceMap()
    for piece, start, end in resolved_pieces(tag[first:last], attribute=True):
        selection.replace(at + first + start, at + first + end, len(piece))
    return selection


def link_text(written: str) -> str:
    """Return a link without the characters that the URL standard removes."""
    text = written.strip(EDGES)
    return text if text.isprintable() else _INSIDE.sub("", text)
