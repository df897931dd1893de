"""The structure of MIME (RFC 2045, RFC 2046): media types, the parts of a multipart, and flowed lines."""

from __future__ import annotations

import re

from urisieve.lean import Final, NamedTuple, dataclass, field, lazy_compile
from urisieve.sources.bytes.source_map import SourceMap
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.mail.header_fields import MailHeader, unfold
from urisieve.sources.mail.structured_fields import structured
from urisieve.sources.mail.transfer import transfer_encoding

ENCODING: Final = "content-transfer-encoding"
OTHER_ENCODING: Final = "content-transfer-encoding "  # the last that differs from the first

HTML: Final = frozenset(Kind.HTML.media_types)
FILE: Final = "application/octet-stream"
TNEF_SIGN: Final = b"\x78\x9f\x3e\x22"  # of `winmail.dat` (MS-OXTNEF)
# Parts that hold signatures and what is encrypted, and how they are counted.
SEALED: Final = {
    "application/pgp-encrypted": "pgp",
    "application/pgp-keys": "pgp",
    "application/pgp-signature": "pgp",
    "application/pkcs7-mime": "smime",
    "application/pkcs7-signature": "smime",
    "application/x-pkcs7-mime": "smime",
    "application/x-pkcs7-signature": "smime",
    "multipart/encrypted": "pgp",
}
# Those of them that may contain a message in clear (RFC 8551 3.5).
SIGNED: Final = frozenset(["application/pkcs7-mime", "application/x-pkcs7-mime"])

_TYPE: Final = lazy_compile(r"([!#$&^_.+\-A-Za-z0-9]{1,127})\s*/\s*([!#$&^_.+\-A-Za-z0-9]{1,127})")
# The rest of a line after its boundary (RFC 2046 5.1.1): two hyphens after the last part, then only white space.
_AFTER: Final = lazy_compile(rb"(--)?[ \t]*(?:\r?\n|\r|\Z)")
# A line that looks like a boundary, and the header of a part after it.
_BEFORE_FIELD: Final = rb"--(\S[^\r\n]{0,200}?)[ \t]*\r?\nContent-[A-Za-z-]+[ \t]*:"
_LIKE_BOUNDARY: Final = lazy_compile(
    rb"^(?:%b|--([^\s\-][^\r\n]{0,200}?)[ \t]*\r?\n\r?\n)" % _BEFORE_FIELD, re.M | re.I
)
_FIRST_BOUNDARY: Final = lazy_compile(rb"\s*+%b" % _BEFORE_FIELD, re.I)
# RFC 2046 5.1.1 allows 70 characters; some programs write more.
_LONGEST_BOUNDARY: Final = 1_000


@dataclass(frozen=True, slots=True)
class MediaType:
    """The value of Content-Type.

    Attributes:
        name: `type/subtype`, in lower case.
        parameters: the parameters, by name in lower case.
    """

    name: str
    parameters: dict[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The type before the slash."""
        return self.name.partition("/")[0]


def deletes_space(media: MediaType) -> bool:
    """Report whether the space at the end of a flowed line is no part of a text (RFC 3676 4, `format` and `delsp`)."""
    said = [media.parameters.get(name, "").strip().lower() for name in ("format", "delsp")]
    return media.name == "text/plain" and said == ["flowed", "yes"]


def media_type(value: str | None, default: str) -> MediaType:
    """Parse a Content-Type; return `default` if there is none, plain text if it is malformed (RFC 2045 5.2)."""
    if value is None:
        return MediaType(default)
    name, parameters, _ = structured(value)
    found = _TYPE.match(name)
    # "text" alone, or "; charset=x": its parameters may be right all the same.
    return MediaType("text/plain" if found is None else f"{found[1]}/{found[2]}".lower(), parameters)


class Parts(NamedTuple):
    """The parts of a multipart, as offsets in bytes.

    Attributes:
        parts: start and end of each part.
        preamble: the end of the text before the first boundary; -1 if there is no boundary.
        epilogue: the start of the text after the last boundary.
        closed: whether the closing boundary was found.
        rest: the start of the bytes that were not split because there are too many parts; -1 if all were split.
    """

    parts: list[tuple[int, int]]
    preamble: int
    epilogue: int
    closed: bool
    rest: int = -1


def split_parts(data: bytes, start: int, end: int, boundary: bytes, limit: int) -> Parts:
    """Find the parts between `start` and `end`, at most `limit` of them."""
    delimiter = b"--" + boundary
    parts: list[tuple[int, int]] = []
    begun = -1
    preamble = -1
    offset = start
    while (found := data.find(delimiter, offset, end)) >= 0:
        offset = found + len(delimiter)
        if found > start and data[found - 1] not in b"\r\n":
            continue
        after = _AFTER.match(data, offset, end)
        if after is None:
            continue
        offset = after.end()
        stop = _without_line_end(data, start, found)
        if begun >= 0:
            parts.append((begun, max(begun, stop)))
        else:
            preamble = stop
        if after[1] is not None:
            return Parts(parts, preamble, offset, True)
        begun = offset
        if len(parts) >= limit:
            return Parts(parts, preamble, end, False, begun)
    if begun >= 0:
        parts.append((begun, end))
    return Parts(parts, preamble, end, False)


def _without_line_end(data: bytes, start: int, end: int) -> int:
    """Return `end`, the offset of a boundary, less the line end before it, which belongs to the boundary."""
    if end > start and data[end - 1] == 0x0A:
        end -= 1
    if end > start and data[end - 1] == 0x0D:
        end -= 1
    return end


def boundary_of(media: MediaType) -> bytes | None:
    """Return the boundary that a multipart names; None if it names none, or one that cannot be used."""
    written = media.parameters.get("boundary", "").rstrip()
    if not written or len(written) > _LONGEST_BOUNDARY:
        return None
    try:
        return written.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None


def guess_boundary(data: bytes, start: int, end: int) -> bytes | None:
    """Return the first line of a body that looks like a boundary and has a header after it; None if there is none."""
    found = _LIKE_BOUNDARY.search(data, start, end)
    return None if found is None else found[1] or found[2]


def shown_boundary(media: MediaType, data: bytes, start: int, end: int) -> bytes | None:
    """Return the boundary of a body that has parts although its type is one of text, or of any file; None without one.

    The type names a boundary that is in the body, or the body begins with a boundary and a field of a part.
    """
    if media.kind != "text" and media.name != FILE:
        return None
    named = boundary_of(media)
    if named is not None and split_parts(data, start, end, named, 1).preamble >= 0:
        return named
    found = _FIRST_BOUNDARY.match(data, start, end)
    return None if found is None else found[1]


def file_name(values: dict[str, str], media: MediaType) -> str | None:
    """Return the name of an attachment (RFC 2183 2.3); in practice often written in encoded words."""
    disposition = values.get("content-disposition")
    name = None if disposition is None else structured(disposition).parameters.get("filename")
    name = name or media.parameters.get("name")
    return None if not name else unfold(name.encode("utf-8", "replace")).text


class PartType(NamedTuple):
    """The declaration in the header of a part: media type, transfer encoding, file name."""

    media: MediaType
    encoding: str
    name: str | None


def declared_part(values: dict[str, str], default: str) -> PartType:
    """Return what `Content-` fields declare, by their names in lower case; `default` is the type without one."""
    media = media_type(values.get("content-type"), default)
    return PartType(media, transfer_encoding(values.get(ENCODING, "")), file_name(values, media))


def content_values(data: bytes, header: MailHeader) -> dict[str, str]:
    """Return the `Content-` fields of a header by name; the first of each name counts."""
    values: dict[str, str] = {}
    for row in header.fields:
        if row.name.startswith("content-") and row.name not in values:
            values[row.name] = unfold(data[row.start : row.end]).text.strip()
        elif row.name == ENCODING:
            other = unfold(data[row.start : row.end]).text.strip()
            if transfer_encoding(other) != transfer_encoding(values[ENCODING]):
                values[OTHER_ENCODING] = other
    return values


# RFC 3676 4.5: the number of marks is the depth of the quote; one space after them is stuffing (4.4).
_LINE: Final = lazy_compile(r"(>*+)( ?)([^\r\n]*+)(\r?\n|\r|\Z)")
_SIGNATURE: Final = "-- "  # 4.3: not flowed, though it ends with a space
_TOGETHER: Final = 65_536  # pieces of lines that are joined at once


def join_flowed(text: str) -> tuple[str, SourceMap]:
    """Join flowed lines as DelSp=Yes requires (RFC 3676 4.2); quote marks of lines that are not joined stay."""
    selection = SourceMap()
    chunks: list[str] = []  # of many lines each: a line of two characters takes fifty as a text of its own
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
            chunks.append("".join(pieces))
            pieces.clear()
    return "".join((*chunks, *pieces)), selection
