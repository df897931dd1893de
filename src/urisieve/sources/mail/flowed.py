"""Plain text of mail: flowed lines (RFC 3676).

A line end that DelSp says to delete is left out of the text, with the quote marks behind it (RFC 3676 4.2 and 6). All
other quote marks stay: a candidate that goes on in the next line knows of prefixes (`urisieve.find.line_prefixes`).

Also defines:

- positions of the texts of a message: byte offsets in the file, lines and columns in the part.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from urisieve.lean import Final, lazy_compile
from urisieve.sources.bytes.charsets import local_offsets
from urisieve.sources.bytes.source_map import SourceLines, SourceMap, composed
from urisieve.sources.documents import Position

# RFC 3676 4.5: the number of marks is the depth of the quote; one space after them is stuffing (4.4).
_LINE: Final = lazy_compile(r"(>*+)( ?)([^\r\n]*+)(\r?\n|\r|\Z)")
_TOGETHER: Final = 65_536  # pieces of lines that are joined at once
_SIGNATURE: Final = "-- "  # 4.3: not flowed, though it ends with a space


def deletes_space(media_type: str, parameters: dict[str, str]) -> bool:
    """Report whether the space at the end of a flowed line is no part of a text (RFC 3676 4, `format` and `delsp`)."""
    if media_type != "text/plain" or parameters.get("format", "").strip().lower() != "flowed":
        return False
    return parameters.get("delsp", "").strip().lower() == "yes"


def holds_flowed(text: str) -> bool:
    """Report whether a line of a text is flowed."""
    return " \n" in text.replace("\r", "")


def join_flowed(text: str) -> tuple[str, SourceMap]:
    """Join flowed lines as DelSp=Yes requires (RFC 3676 4.2); quote marks of lines that are not joined stay."""
    selection = SourceMap()
    stretches: list[str] = []  # of many lines each: a line of two characters takes fifty as a text of its own
    pieces: list[str] = []
    flowing: int | None = None  # the quote depth of the flowed line before; None if that line was fixed
    offset = 0
    while offset < len(text):
        line = _LINE.match(text, offset)
        assert line is not None
        depth = len(line[1])
        start, end, after = line.start(3), line.end(3), line.end()
        flows = line[3].endswith(" ") and line[3] != _SIGNATURE and bool(line[4])
        if flowing == depth and line[3] != _SIGNATURE:
            begin = start
        else:
            if flowing is not None:  # a flowed line that no line continues ends here (4.5)
                pieces.append("\n")
                selection.replace(offset, offset, 1)
            begin = offset
        stop = end - 1 if flows else after
        pieces.append(text[begin:stop])
        selection.add(begin, stop)
        flowing = depth if flows else None
        offset = after
        if len(pieces) >= _TOGETHER:
            stretches.append("".join(pieces))
            pieces.clear()
    return "".join((*stretches, *pieces)), selection


def lines_of(text: str, selection: SourceMap) -> Position:
    """Return the line and column, in a text, of the characters of a selection from it."""
    lines = SourceLines(text)
    return lambda offset: lines.place(selection.source(offset))


def stored_offsets(
    data: bytes, start: int, codec: str, selection: SourceMap | None, offset: int, unquoted: Sequence[int]
) -> SourceMap | None:
    """Return the map of a text that is stored in a file without a transfer encoding; None if its set has none.

    Args:
        data: the bytes of the text.
        start: their offset in the message, in bytes.
        codec: their codec.
        selection: the stretches of the text that are needed, None for all of it.
        offset: the offset of the message in the file, in bytes.
        unquoted: offsets in the message, in bytes, before each of which one byte was left out.
    """
    found: SourceMap | None = SourceMap()
    if not (data.isascii() and codec == "utf-8"):
        found = local_offsets(data, codec)
    if selection is not None:
        found = composed(found, selection)
    if found is None:
        return None
    # From bytes of the text to those of the file, which has one more before each of those numbered.
    first, stop = bisect_right(unquoted, start), bisect_left(unquoted, start + len(data))
    file = SourceMap()
    for number, end in enumerate((*unquoted[first:stop], start + len(data)), first):
        file.add(offset + start + number, offset + end + number)
        start = end
    return composed(file, found)
