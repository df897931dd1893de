"""Zip archives that are one document: Office Open XML, OpenDocument, EPUB."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from itertools import islice

from urisieve.errors import InputError
from urisieve.lean import BinaryIO, Final, NamedTuple
from urisieve.sources.containers.kinds import Kind
from urisieve.sources.containers.limits import Budget
from urisieve.sources.containers.zip import ZipMember, zip_parts
from urisieve.sources.tally import Tally

# Parts that are read; each takes some hundred bytes of memory. A book of pictures has thousands.
_MOST_PARTS: Final = 65_536
_LONGEST_TYPE: Final = 200
_OPEN_DOCUMENT: Final = re.compile(
    rb"application/(?:vnd\.oasis\.opendocument|vnd\.sun\.xml|x-vnd\.oasis\.opendocument)\.([a-z]+)"
)
_BY_TYPE: Final = {
    b"text": Kind.ODT,
    b"writer": Kind.ODT,
    b"spreadsheet": Kind.ODS,
    b"calc": Kind.ODS,
    b"presentation": Kind.ODP,
    b"impress": Kind.ODP,
}
# The first folder of the parts, and the part that one without a list of them must have.
_BY_FOLDER: Final = {"word/": Kind.DOCX, "xl/": Kind.XLSX, "ppt/": Kind.PPTX}
_MAIN: Final = frozenset(["word/document.xml", "xl/workbook.xml", "ppt/presentation.xml"])
_LISTS: Final = frozenset(["[Content_Types].xml", "_rels/.rels"])


class Package(NamedTuple):
    """A document in a zip archive.

    Attributes:
        kind: its kind.
        parts: the bytes of each part by its name, in the order of the archive; they are read once.
    """

    kind: Kind
    parts: dict[str, Iterable[bytes]]


def read_package(file: BinaryIO, *, source: str, tally: Tally, budget: Budget) -> Package | None:
    """Return the document that a zip archive is, None if it is none.

    Args:
        file: the archive; it must be seekable.
        source: its name, for messages.
        tally: counts everything skipped or broken.
        budget: the limits of the file.

    Raises:
        InputError: the archive cannot be read.
    """
    counts = Tally()
    members = zip_parts(file, source=source, tally=counts, budget=budget)
    parts = _by_name(islice(members, _MOST_PARTS), counts)
    kind = _kind(parts)
    if kind is None:
        return None
    tally.take(counts)
    if next(members, None) is not None:
        tally.fault(kind, "too-many-parts", f"{source}: more than {_MOST_PARTS:,} parts: no more of them are read")
    return Package(kind, parts)


def _by_name(members: Iterable[ZipMember], tally: Tally) -> dict[str, Iterable[bytes]]:
    """Return the parts by their names; one whose name another one behind it has is read under a name of its own."""
    parts: dict[str, Iterable[bytes]] = {}
    number = 1
    for member in members:
        name = member.name.replace("\\", "/").lstrip("/")
        if name in parts:
            tally.read["zip member of the same name"] += 1
            stem, ending = posixpath.splitext(name)
            other = name
            while other in parts:
                number += 1
                other = f"{stem} ({number}){ending}"
            parts[other] = parts[name]
        parts[name] = member.blocks
    return parts


def _kind(parts: dict[str, Iterable[bytes]]) -> Kind | None:
    if "mimetype" in parts:
        media_type = b""
        try:
            for block in parts.pop("mimetype"):
                media_type += block[:_LONGEST_TYPE]
                if len(media_type) >= _LONGEST_TYPE:
                    break
        except InputError:
            pass  # the names decide
        found = _OPEN_DOCUMENT.match(media_type)
        if found is not None:
            return _BY_TYPE.get(found[1], Kind.ODF)
    if "META-INF/container.xml" in parts:
        return Kind.EPUB
    if _LISTS.isdisjoint(parts) and _MAIN.isdisjoint(parts):
        return None
    kinds = (_BY_FOLDER[folder] for folder in _BY_FOLDER if any(name.startswith(folder) for name in parts))
    return next(kinds, Kind.OFFICE)
