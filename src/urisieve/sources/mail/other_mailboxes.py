r"""Mailboxes that are not mbox: MMDF, with lines of `\1\1\1\1` around messages, and Babyl, of Rmail.

A message of Babyl begins with a line of labels; its original header comes before the line `*** EOOH ***`, the header
that was shown and the body after it. The original header is read, with the body; without one, the header shown.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator

from urisieve.lean import Final, lazy_compile

_MMDF: Final = b"\1\1\1\1\n"
_BABYL: Final = b"BABYL OPTIONS:"
# The first bytes of these mailboxes.
MARKS: Final = (_MMDF, _BABYL)
_PAGE: Final = b"\n\x1f\x0c\n"
_END: Final = lazy_compile(rb"\r?\n\x1f[\r\n]*\Z")
_SHOWN: Final = lazy_compile(rb"^\*\*\* EOOH \*\*\*\r?\n", re.M)
_EMPTY_LINE: Final = lazy_compile(rb"^\r?\n", re.M)
# A message: its offset in the mailbox, its bytes, the offsets before each of which one byte was left out, and the
# number of bytes beyond the limit.
Message = tuple[int, bytes, "array[int]", int]


def other_messages(blocks: Iterable[bytes], limit: int) -> Iterator[Message]:
    """Yield the messages of a mailbox that begins with one of `MARKS`, one at a time; time is linear.

    Args:
        blocks: the bytes of the mailbox.
        limit: the number of bytes of a message that are kept.
    """
    stream = iter(blocks)
    first = b""
    for block in stream:
        first += block
        if len(first) >= len(_BABYL):
            break
    if first.startswith(_MMDF):
        yield from _pieces(first, stream, _MMDF, _enveloped, limit)
    else:
        # What comes before the first page states options.
        yield from _pieces(first, stream, _PAGE, _shown, limit)


def _pieces(
    first: bytes, blocks: Iterator[bytes], mark: bytes, message: Callable[[int, bytes, int], Message | None], limit: int
) -> Iterator[Message]:
    """Cut a stream at its marks, and yield the messages between them."""
    buffer = bytearray(first)
    base = searched = dropped = 0
    while True:
        found = buffer.find(mark, searched)
        if found >= 0 and (mark != _MMDF or found == 0 or buffer[found - 1] == 0x0A):
            made = message(base, bytes(buffer[:found][:limit]), dropped + max(0, found - limit))
            if made is not None:
                yield made
            base += found + len(mark) + dropped
            del buffer[: found + len(mark)]
            searched = dropped = 0
            continue
        if found >= 0:
            searched = found + 1
            continue
        searched = max(0, len(buffer) - len(mark))
        if searched > limit:
            dropped += searched - limit
            del buffer[limit:searched]
            searched = limit
        block = next(blocks, None)
        if block is None:
            break
        buffer += block
    made = message(base, bytes(buffer[:limit]), dropped + max(0, len(buffer) - limit))
    if made is not None:
        yield made


def _enveloped(offset: int, data: bytes, dropped: int) -> Message | None:
    """Return a message of MMDF; None for what is between two of them."""
    if not data.strip():
        return None
    start = 0
    if data.startswith(b"From "):
        start = data.find(b"\n") + 1 or len(data)
    return offset + start, data[start:], array("q"), dropped


def _shown(offset: int, data: bytes, dropped: int) -> Message | None:
    """Return a message of Babyl; None for the options of the mailbox."""
    if data.startswith(_BABYL):
        return None
    end = _END.search(data)
    data = data if end is None else data[: end.start() + 1]
    start = data.find(b"\n") + 1  # behind the labels
    shown = _SHOWN.search(data, start)
    if shown is None:
        return offset + start, data[start:], array("q"), dropped
    header = data[start : shown.start()]
    if not header.strip():
        return offset + shown.end(), data[shown.end() :], array("q"), dropped
    body = _EMPTY_LINE.search(data, shown.end())
    behind = len(data) if body is None else body.start()
    removed = array("q", [len(header)]) * (behind - shown.start())
    return offset + start, header + data[behind:], removed, dropped
