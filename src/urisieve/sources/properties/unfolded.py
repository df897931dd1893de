"""Lines of properties, unfolded: RFC 5545 3.1, RFC 6350 3.2, RFC 2849 note 2, soft line breaks of vCard 2.1."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator

from urisieve.lean.hints import Final
from urisieve.sources.bytes.lines import Line
from urisieve.sources.bytes.selections import Selection

__all__ = [
    *("BASE64", "BLANKS", "CUT", "ENCODINGS", "ESCAPE", "NAME", "PARAMETER", "QUOTED", "QUOTED_PRINTABLE"),
    *("UnfoldedLine", "decode_base64", "encoding_of", "meaning"),
]

BLANKS: Final = frozenset(" \t")
# A group, the name, and the parameters, whose quoted values may hold a colon (RFC 6350 3.3).
NAME: Final = re.compile(r'(?:[A-Za-z0-9-]+\.)?([A-Za-z0-9_-]+)((?>;(?>[^":;]++|"[^"]*+")*+)*+):')
PARAMETER: Final = re.compile(r';([^=";]*+)(?:=((?>"[^"]*+"|[^";]++)*+))?')
QUOTED: Final = re.compile(r'"([^"]*+)"')
QUOTED_PRINTABLE: Final = "QUOTED-PRINTABLE"
BASE64: Final = frozenset(["B", "BASE64"])
# Encodings by the word that names them; parameters of vCard 2.1 may be such a word alone.
ENCODINGS: Final = BASE64 | {QUOTED_PRINTABLE, "7BIT", "8BIT"}
# What escapes stand for in a value, and characters that a fold has cut: their bytes did not decode one by one.
ESCAPE: Final = re.compile(r"\\[nN:;,\\]|[\udc80-\udcff]{2,4}")
CUT: Final = re.compile(r"[\udc80-\udcff]{2,4}")


class UnfoldedLine:
    """The lines of a property or attribute; their text without line ends and folds.

    Args:
        lines: the lines, the first and those that continue it.
        is_cut: whether more lines followed, which are not held.
        blanks: the number of blanks of each fold that are left out.

    Attributes:
        is_cut: as above.
        text: the text.
    """

    __slots__ = ("_blanks", "_lines", "is_cut", "text")

    def __init__(self, lines: list[Line], *, is_cut: bool = False, blanks: int = 1) -> None:
        self._lines = lines
        self._blanks = blanks
        self.is_cut = is_cut
        one = len(lines) == 1
        self.text = lines[0].text.removesuffix("\r") if one else "".join([text for _, text in self._pieces()])

    @property
    def number(self) -> int:
        """The number of its first line, from 1."""
        return self._lines[0].number

    def with_blanks(self) -> UnfoldedLine:
        """Return the same lines, with the blanks of folds."""
        return self if len(self._lines) == 1 else UnfoldedLine(self._lines, is_cut=self.is_cut, blanks=0)

    def _pieces(self) -> Iterator[tuple[int, str]]:
        """Yield what is kept of each line, with its offset."""
        is_soft = len(self._lines) > 1 and encoding_of(self._lines[0].text) == QUOTED_PRINTABLE
        for index, (_, start, text) in enumerate(self._lines):
            text = text.removesuffix("\r")
            left_out = 0
            if is_soft and index < len(self._lines) - 1:
                text = text.removesuffix("=")
            elif index and not is_soft and text[:1] in BLANKS:
                left_out = self._blanks
            yield start + left_out, text[left_out:]

    def selection(self, start: int, end: int | None, escape: re.Pattern[str]) -> Selection:
        """Return the way from the text of a value, its escapes resolved, to the characters of the lines."""
        whole = Selection()
        for begin, piece in self._pieces():
            whole.add(begin, begin + len(piece))
        end = len(self.text) if end is None else end
        value = Selection()
        for found in escape.finditer(self.text, start, end):
            new = meaning(found)
            if new != found[0]:
                value.extend(whole, start, found.start())
                value.replace(whole.source(found.start()), whole.source_end(found.end()), len(new))
                start = found.end()
        value.extend(whole, start, end)
        return value


def encoding_of(line: str) -> str | None:
    """Return the encoding that the parameters of a line name, in upper case."""
    named = NAME.match(line)
    for found in PARAMETER.finditer("" if named is None else named[2]):
        key = found[1].upper()
        if key == "ENCODING" or (found[2] is None and key in ENCODINGS):
            return (found[2] or key).strip('"').upper()
    return None


def decode_base64(value: bytes, *, is_cut: bool) -> bytes:
    """Decode base64, with or without its padding.

    Raises:
        binascii.Error: it is not base64.
    """
    digits = value.translate(None, b" \t").rstrip(b"=")
    if is_cut:
        digits = digits[: len(digits) // 4 * 4]
    return binascii.a2b_base64(digits + b"=" * (-len(digits) % 4), strict_mode=True)


def meaning(found: re.Match[str]) -> str:
    """Return what an escape stands for, or the character in the bytes that a fold had cut."""
    text = found[0]
    if text[0] == "\\":
        return "\n" if text[1] in "nN" else text[1]
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeDecodeError:
        return text
