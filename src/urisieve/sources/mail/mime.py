"""The structure of MIME (RFC 2045, RFC 2046): media types, and where the parts of a multipart stand."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from urisieve.sources.mail.header_fields import parameters

__all__ = ["MediaType", "Parts", "boundary_of", "guess_boundary", "media_type", "split_parts"]

_TYPE: Final = re.compile(r"\s*([!#$&^_.+\-A-Za-z0-9]{1,127})\s*/\s*([!#$&^_.+\-A-Za-z0-9]{1,127})")
# What follows a boundary on its line (RFC 2046 5.1.1): two hyphens after the last part, then only white space.
_AFTER: Final = re.compile(rb"(--)?[ \t]*(?:\r?\n|\r|\Z)")
# A line that looks like a boundary, and the header of a part after it.
_LIKE_BOUNDARY: Final = re.compile(
    rb"^--([^\s\-][^\r\n]{0,200}?)[ \t]*\r?\n(?:Content-[A-Za-z-]+[ \t]*:|\r?\n)", re.M | re.I
)
# RFC 2046 allows 70 characters; some programs write more.
_LONGEST_BOUNDARY: Final = 1_000


@dataclass(frozen=True, slots=True)
class MediaType:
    """What Content-Type says.

    Attributes:
        name: `type/subtype`, in lower case.
        parameters: by name in lower case.
    """

    name: str
    parameters: dict[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The type before the slash."""
        return self.name.partition("/")[0]


def media_type(value: str | None, default: str) -> MediaType:
    """Read a Content-Type; `default` where there is none, plain text where it is malformed (RFC 2045 5.2)."""
    if value is None:
        return MediaType(default)
    found = _TYPE.match(value)
    if found is None:
        # "text" alone, or "; charset=x": what parameters there are may hold all the same.
        return MediaType("text/plain", parameters(value))
    return MediaType(f"{found[1]}/{found[2]}".lower(), parameters(value[found.end() :]))


class Parts(NamedTuple):
    """Where the parts of a multipart stand.

    Attributes:
        parts: begin and end of each.
        preamble: the end of what stands before the first boundary; -1 if there is no boundary.
        epilogue: the beginning of what stands after the last one.
        closed: whether the closing boundary was there.
        rest: the beginning of what was not split because there are too many parts; -1 if everything was.
    """

    parts: list[tuple[int, int]]
    preamble: int
    epilogue: int
    closed: bool
    rest: int = -1


def split_parts(data: bytes, start: int, end: int, boundary: bytes, limit: int) -> Parts:
    """Find the parts between `start` and `end`; `limit` is the greatest number of them."""
    delimiter = b"--" + boundary
    parts: list[tuple[int, int]] = []
    begun = -1
    preamble = -1
    place = start
    while (found := data.find(delimiter, place, end)) >= 0:
        place = found + len(delimiter)
        if found > start and data[found - 1] not in b"\r\n":
            continue
        after = _AFTER.match(data, place, end)
        if after is None:
            continue
        place = after.end()
        stop = _without_line_end(data, start, found)
        if begun >= 0:
            parts.append((begun, max(begun, stop)))
        else:
            preamble = stop
        if after[1] is not None:
            return Parts(parts, preamble, place, True)
        begun = place
        if len(parts) >= limit:
            return Parts(parts, preamble, end, False, begun)
    if begun >= 0:
        parts.append((begun, end))
    return Parts(parts, preamble, end, False)


def _without_line_end(data: bytes, start: int, place: int) -> int:
    """The end of what stands before a boundary, whose line end belongs to the boundary."""
    if place > start and data[place - 1] == 0x0A:
        place -= 1
    if place > start and data[place - 1] == 0x0D:
        place -= 1
    return place


def boundary_of(media: MediaType) -> bytes | None:
    """The boundary that a multipart names, None if it names none that can be used."""
    written = media.parameters.get("boundary", "").rstrip()
    if not written or len(written) > _LONGEST_BOUNDARY:
        return None
    try:
        return written.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None


def guess_boundary(data: bytes, start: int, end: int) -> bytes | None:
    """The boundary that the body seems to have: the first line that looks like one and has a header after it."""
    found = _LIKE_BOUNDARY.search(data, start, end)
    return None if found is None else found[1]
