"""The files that are read as plain text, by their kind and by the options."""

from __future__ import annotations

from urisieve.lean.hints import Final
from urisieve.sources.containers.kinds import ARCHIVES, COMPRESSED, OUT_OF_SCOPE, Kind, named_kind
from urisieve.sources.reading_options import BinaryFiles, InputKind, ReadingOptions, places_of

__all__ = ["LAYERS", "is_plain", "reads_binary", "text_kind"]

LAYERS: Final = COMPRESSED | ARCHIVES | OUT_OF_SCOPE


def is_plain(kind: Kind, reading: ReadingOptions) -> bool:
    """Report whether a file of a kind is plain text, to be read as it stands."""
    if kind in LAYERS or reading.unescape:
        return False
    if reading.input is InputKind.AUTO:
        return kind is Kind.TEXT and not places_of(reading)
    return reading.input is InputKind.TEXT


def text_kind(name: str, reading: ReadingOptions) -> str:
    """Return the kind under which a file of plain text is counted; it says if the name promised another one."""
    hint = named_kind(name) if reading.input is InputKind.AUTO else None
    return str(Kind.TEXT) if hint is None else f"{Kind.TEXT} (not {hint})"


def reads_binary(reading: ReadingOptions, *, named: bool) -> bool:
    """Report whether a file that is not text is read like text.

    Args:
        reading: the options of reading.
        named: whether the file was named itself, and not found in a folder or an archive.
    """
    return named if reading.binary is BinaryFiles.AUTO else reading.binary is BinaryFiles.TEXT
