"""Tokens of HTML by its tokenization (HTML 13.2.5), as far as text and attributes need it, in linear time.

The time of the standard library's `html.parser` grows with the square of its input: 48 KB of `<a ` take it 16.7 seconds
(measured with Python 3.11). Here one pattern splits a text into its tokens, and no character is tried twice.

It holds besides:

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

from urisieve.lean import Final, NamedTuple
from urisieve.sources.bytes.selections import Selection, Shift, SourceMap
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
_PAGE_TOKEN: Final = re.compile(rf"{_OPEN}(?:({_RAW}|{_TAG}|{_COMMENT})|[A-Za-z/!?][\s\S]*+|\Z)")
_COMMENT_TOKEN: Final = re.compile(rf"{_OPEN}(?:({_TAG})|/?[A-Za-z][\s\S]*+)")
_LAST_COMMENT_TOKEN: Final = re.compile(rf"{_OPEN}(?:({_TAG})|/?[A-Za-z][\s\S]*+|/?\Z)")

_ATTRIBUTE: Final = re.compile(
    r"""[\s/]*+([^\s/>=][^\s/>=]*+)\s*+(?>=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]*+)))?+""",
)
_TAG_NAME: Final = re.compile(rf"/?({_NAME}*+)")
_START: Final = re.compile(rf"{_NAME}*+{_ATTRIBUTES}")
_COMMENT_END: Final = re.compile(r"--!?>\Z")
_REFERENCE: Final = re.compile(r"&(?:#[0-9]++;?|#[xX][0-9A-Fa-f]++;?|[A-Za-z][A-Za-z0-9]*+;?)")
# Characters of a character reference; a valid one is shorter. The limit keeps `int` from reading thousands of digits.
_LONGEST_REFERENCE: Final = 40


def split_page(source: str) -> list[str | None]:
    """Split HTML into text and tokens, in turn, beginning and ending with a text.

    A token is a tag, a comment or a declaration, without its `<`. The content of one of `RAW_ELEMENTS` belongs to its
    start tag. A last token that is not complete is None, and the text after it is empty. A `<` that begins no token is
    part of the text.
    """
    return _PAGE_TOKEN.split(source)


def split_comment(content: str, *, at_end: bool) -> list[str | None]:
    """Split the content of a comment as HTML (comments of Outlook hold some), without comments in it.

    Args:
        content: the text between the delimiters of the comment.
        at_end: whether the source ends with it.
    """
    return (_LAST_COMMENT_TOKEN if at_end else _COMMENT_TOKEN).split(content)


def tag_name(token: str) -> tuple[str, int]:
    """Return the name of a tag in lower case, and where it ends in the token."""
    found = _TAG_NAME.match(token)
    assert found is not None
    return found[1].lower(), found.end()


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


def attribute_spans(tag: str, start: int, wanted: frozenset[str]) -> dict[str, tuple[int, int]]:
    """Return the start and end of the wanted attributes' values, by lower-case name; the first of each name counts."""
    found: dict[str, tuple[int, int]] = {}
    for match in _ATTRIBUTE.finditer(tag, start):
        group = match.lastindex
        if group is not None and group > 1:
            name = match[1].lower()
            if name in wanted and name not in found:
                found[name] = match.span(group)
    return found


def attribute_values(tag: str, start: int, wanted: frozenset[str]) -> dict[str, str]:
    """Return the wanted attributes' values, references resolved, by lower-case name; `start` is where its name ends."""
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(tag, start):
        if name not in wanted:
            name = name.lower()
            if name not in wanted:
                continue
        if name in found:
            continue
        value = double or single or bare
        if not value:  # an empty value, or none at all
            spans = attribute_spans(tag, start, wanted)
            return {name: resolve(tag[first:last], attribute=True) for name, (first, last) in spans.items()}
        found[name] = resolve(value, attribute=True) if "&" in value else value
    return found


def is_namespace(attribute: str) -> bool:
    """Report whether an attribute, in lower case, declares a namespace, whose name is the name of a format."""
    return attribute == "xmlns" or attribute.startswith("xmlns:")


def other_values(tag: str, start: int, known: frozenset[str]) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """Yield the values of all attributes but the known ones and namespaces, also where a name comes twice.

    Yields:
        name, in lower case, value, references resolved, and the start and end of the value in the tag.
    """
    for match in _ATTRIBUTE.finditer(tag, start):
        group = match.lastindex
        if group is None or group < 2:
            continue
        name = match[1].lower()
        if name not in known and not is_namespace(name):
            yield name, resolve(match[group], attribute=True), match.span(group)


def resolve(text: str, *, attribute: bool = False) -> str:
    """Return a text with its character references resolved; see `resolve_references`."""
    return _REFERENCE.sub(_resolved_in_attribute if attribute else _resolved_in_text, text)


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


def resolve_references(written: str, selection: Selection, start: int, *, attribute: bool) -> str:
    """Return a text with its character references resolved, and add its offsets to `selection` (HTML 13.2.5.72).

    In an attribute, a reference without its semicolon is text if `=`, a letter or a digit follows it.

    Args:
        written: the text.
        selection: gets the stretches of the source that the text is made of.
        start: the offset of the text in the source.
        attribute: whether it is the value of an attribute.
    """
    pieces: list[str] = []
    offset = 0
    for found in _REFERENCE.finditer(written):
        resolved = _resolved_in_attribute(found) if attribute else _resolved_in_text(found)
        if resolved == found[0]:
            continue
        selection.add(start + offset, start + found.start())
        selection.replace(start + found.start(), start + found.end(), len(resolved))
        pieces += (written[offset : found.start()], resolved)
        offset = found.end()
    selection.add(start + offset, start + len(written))
    return "".join((*pieces, written[offset:]))


# A colon after a character of a scheme and before one that may follow it. `html_links.c` has the same.
_SIGN: Final = re.compile(r"[A-Za-z0-9+.\-]:[^\x00-\x20:\x7f]")
# Characters that the URL standard removes from a URL before parsing (4.4): at its ends, and inside.
EDGES: Final = "".join(map(chr, range(33)))
_INSIDE: Final = re.compile(r"[\t\n\r]+")
# What stands for the element and attribute of a link in a style sheet.
STYLE: Final = ("style", "url")


def may_hold(value: str) -> bool:
    """Report whether a value may hold an identifier, by the default options: most hold none, and are passed over."""
    return ":" in value and _SIGN.search(value) is not None


class TextReading(NamedTuple):
    """How the values of attributes are read that do not hold links.

    Attributes:
        maybe: returns a false value for those that hold no identifier.
        page: reads the page in a `srcdoc`; None where too many stand in each other.
    """

    maybe: Callable[[str], object] = may_hold
    page: HtmlDocuments | None = None


class AttributeText(NamedTuple):
    """The value of an attribute, to be read as text or as a page.

    Attributes:
        element: the name of the element.
        attribute: that of the attribute.
        text: the value, its links left blank.
        tag: the token that holds it.
        at: the offset of the token in the source, in characters.
        span: the start and end of the value in the token; None for the first value of this name.
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
        tag: the token that holds it.
        at: the offset of the token in the source, in characters.
    """

    element: str
    attribute: str
    text: str
    value: str
    start: int
    end: int
    tag: str
    at: int

    def way_back(self, length: int | None = None) -> Selection:
        """Return the way back from the link to the source.

        Args:
            length: the length of the text that replaces it, all characters of which are where the link is; None if none
                does.
        """
        written = self.value[self.start : self.end]
        start = self.start + len(written) - len(written.lstrip(EDGES))
        end = start + len(written.strip(EDGES))
        is_style = (self.element, self.attribute) == STYLE
        back = _value_map(self.tag, self.at, None if is_style else self.attribute, None)
        selection = Selection()
        if length is None and end - start == len(self.text):
            selection.extend(back, start, end)
        else:
            selection.replace(back.source(start), back.source_end(end), len(self.text) if length is None else length)
        return selection


@lru_cache(maxsize=1)  # one value may hold many links
def _value_map(tag: str, at: int, attribute: str | None, span: tuple[int, int] | None) -> Selection | Shift:
    """Return the way back from a value of a token.

    Args:
        tag: the token.
        at: its offset in the source, in characters.
        attribute: the name of the attribute; None for the content of a raw element.
        span: the start and end of the value in the token; None for the first value of an attribute of `TELLING`.
    """
    if attribute is None:
        return Shift(at + content_start(tag))
    first, last = span or attribute_spans(tag[: content_start(tag)], tag_name(tag)[1], TELLING)[attribute]
    if tag.find("&", first, last) < 0:
        return Shift(at + first)
    selection = Selection()
    resolve_references(tag[first:last], selection, at + first, attribute=True)
    return selection


def link_text(written: str) -> str:
    """Return a link without the characters that the URL standard removes."""
    text = written.strip(EDGES)
    return text if text.isprintable() else _INSIDE.sub("", text)
