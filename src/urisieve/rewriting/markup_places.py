"""Surroundings of a text in HTML or XML, and the encoding that is declared there."""

from __future__ import annotations

import re

from urisieve.lean import TYPE_CHECKING, Final
from urisieve.sources.bytes.charsets import denies, html_label, web_codec

if TYPE_CHECKING:
    from mmap import mmap

# How far back the beginning of a tag is looked for again, in bytes.
_REACH: Final = 65_536
_HEAD: Final = 4_096
# The longest of these that is no tag, in bytes.
_LONGEST: Final = len("<![CDATA[")
_ENCLOSING: Final = re.compile(rb"<(/?)(script|style)\b[^>]*>|(<!--)|(-->)|(<!\[CDATA\[)|(\]\]>)", re.I)
_DECLARED: Final = re.compile(rb"""<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,80})""")


class MarkupPlaces:
    """Says what texts stand in, which are asked for in their order.

    Args:
        data: the page or document.
        is_xml: whether it is XML, in which scripts are elements as all others, and CDATA sections are known.
    """

    def __init__(self, data: bytes | mmap, *, is_xml: bool) -> None:
        self._data = data
        self._is_xml = is_xml
        self._at = 0  # what is before is known
        self._inside = ""

    def begin(self, start: int) -> None:
        """Begin with another page, from an offset on."""
        self._at, self._inside = start, ""

    def around(self, start: int) -> str:
        """Return `script`, `style`, `comment` or `cdata` for what an offset is inside of; "" for none of these."""
        for found in _ENCLOSING.finditer(self._data, self._at, start):
            closes, element, comment, comment_end, section, section_end = found.groups()
            name = b"" if element is None or self._is_xml else element.lower()
            match self._inside:
                case "comment":
                    is_end = comment_end is not None
                case "cdata":
                    is_end = section_end is not None
                case "":
                    is_end = False
                    if name and not closes:
                        self._inside = name.decode()
                    elif comment is not None:
                        self._inside = "comment"
                    elif section is not None and self._is_xml:
                        self._inside = "cdata"
                case inside:
                    is_end = bool(closes) and name.decode() == inside
            if is_end:
                self._inside = ""
            self._at = found.end()
        begun = self._data.find(b"<", self._data.rfind(b">", self._at, start) + 1 or self._at, start)
        self._at = max(self._at, start - _REACH, min(start if begun < 0 else begun, start - _LONGEST))
        return self._inside


def declared_codec(data: bytes | mmap) -> str | None:
    """Return the codec that a page or a document declares; None for none, or one that is not known."""
    head = data[:_HEAD]
    found = _DECLARED.search(head)
    label = html_label(head) if found is None else found[1].decode("ascii")
    codec = None if label is None or head.startswith(b"\xef\xbb\xbf") else web_codec(label)
    return None if codec is None or denies(head, codec) else codec
