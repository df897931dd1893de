"""The values of attributes of HTML that are links or texts, and the ways back from them to the source.

Ways back are made when they are asked for: most links and texts hold no identifier, or nobody asks where it stands.

It holds besides:

- the values of attributes that are not known to hold a link: each is running text of its own; `srcdoc` is a page.
  Scripts open windows in `onclick`, pages load from `data-src`, mail gateways keep `originalsrc`: what a link is called
  is up to the page. Namespace names (`xmlns`) are not read: they name formats.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from urisieve.sources.bytes.selections import Selection, Shift, SourceMap
from urisieve.sources.documents import HtmlDocuments
from urisieve.sources.html.html_links import TELLING
from urisieve.sources.html.html_tokens import attribute_spans, content_start, resolve_references, tag_name

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
