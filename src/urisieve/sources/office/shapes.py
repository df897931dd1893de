"""Shapes and pictures in the old documents of an office (MS-ODRAW): their links, and what is said of them."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from urisieve.lean import Final
from urisieve.sources.office.passages import Passages, with_fragment

# A table of properties (2.2.9): behind the number of them, in a field of 12 bits, and its type stand its size, the key
# and the value of each, and then the data of those whose value is the size of it.
_TABLE: Final = b"\x0b\xf0"
_VERSION: Final = 3
_ROW: Final = struct.Struct("<HL")
_HAS_DATA: Final = 0x8000
_KEY: Final = 0x3FFF
_LINK: Final = 0x382
# The file that a picture is in, the text for who does not see it, and the one under the mouse.
_TEXTS: Final = {0x105: "picture", 0x381: "descr", 0x38D: "tooltip"}
# How a hyperlink object begins (MS-OSHARED 2.3.7.1), with its version and flags behind this; one of these says that it
# has a place in its target. A URL in it (2.3.7.6), with its size behind this.
_OBJECT: Final = bytes.fromhex("d0c9ea79f9bace118c8200aa004ba90b")
_FLAGS, _HAS_PLACE = 4, 8
_URL: Final = bytes.fromhex("e0c9ea79f9bace118c8200aa004ba90b")


def put_shapes(data: bytes, passages: Passages) -> Iterator[None]:
    """Report the links and texts of the tables of properties in some data, wherever they stand in it.

    Yields:
        nothing, behind each table, so that what was reported can be taken.
    """
    at = 0
    while (at := data.find(_TABLE, at + 2)) >= 0:
        header = int.from_bytes(data[at - 2 : at], "little")
        start = at + 6
        end = start + int.from_bytes(data[at + 2 : start], "little")
        value = start + _ROW.size * (header >> 4)
        if header & 0xF != _VERSION or not value <= end <= len(data):
            continue
        for key, size in _ROW.iter_unpack(data[start:value]):
            if key & _HAS_DATA:
                found = data[value : min(value + size, end)]
                value += len(found)
                if key & _KEY == _LINK:
                    put_link(found, passages)
                elif key & _KEY in _TEXTS:
                    passages.text(_text(found), _TEXTS[key & _KEY])
        at = end - 2
        yield


def put_link(data: bytes, passages: Passages) -> None:
    """Report the target of a hyperlink object, if that is a URL, with the place in it."""
    before, found, url = data.partition(_URL)
    if not found:
        return
    size = int.from_bytes(url[:4], "little")
    target, behind = _text(url[4 : 4 + size]), url[4 + size :]
    flags = before.partition(_OBJECT)[2][_FLAGS : 2 * _FLAGS]
    if int.from_bytes(flags, "little") & _HAS_PLACE:
        target = with_fragment(target, _text(behind[4 : 4 + 2 * int.from_bytes(behind[:4], "little")]))
    passages.link(target, "hyperlink")


def _text(data: bytes) -> str:
    return data.decode("utf-16-le", "replace").partition("\0")[0]
