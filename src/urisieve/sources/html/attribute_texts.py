"""The values of attributes that are not known to hold a link: each is running text of its own; `srcdoc` is a page.

Scripts open windows in `onclick`, pages load from `data-src`, mail gateways keep `originalsrc`: what a link is called
is up to the page. Namespace names (`xmlns`) are not read: they name formats.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from urisieve.sources.documents import HtmlDocuments
from urisieve.sources.html.html_stretch import Stretch

__all__ = ["AttributeText", "TextReading", "ValueMap", "may_hold"]

# A colon after a character of a scheme and before one that may follow it. `html_links.c` has the same.
_SIGN: Final = re.compile(r"[A-Za-z0-9+.\-]:[^\x00-\x20:\x7f]")


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
        number: the number of its token in the running text, from 0.
        stretch: the stretch that holds its token.
        token: the index of its token in that stretch.
        span: the start and end of the value in the token; None for the first value of this name.
        is_page: whether it is a page.
    """

    element: str
    attribute: str
    text: str
    number: int
    stretch: Stretch
    token: int
    span: tuple[int, int] | None = None
    is_page: bool = False


class ValueMap:
    """The way back from the text of an attribute to the source, made on demand.

    Args:
        value: the text.
    """

    __slots__ = ("_value",)

    def __init__(self, value: AttributeText) -> None:
        self._value = value

    def source(self, offset: int) -> int:
        """Return the start, in the source, of the character at an offset of the text."""
        value = self._value
        return value.stretch.value_map(value.token, value.attribute, value.span).source(offset)

    def source_end(self, offset: int) -> int:
        """Return the end, in the source, of the character before an offset of the text."""
        value = self._value
        return value.stretch.value_map(value.token, value.attribute, value.span).source_end(offset)
