"""Character sets by the labels that mail and HTML give them, and what to do where the label is missing or wrong.

The labels are those of RFC 2978's registry as senders write them; where software has long read one label as a larger
set (the Encoding standard, 4.2), so does this. A legacy set is one that is not of Unicode (RFC 3987 3.1 step 1).
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache
from typing import Final, NamedTuple

from urisieve.errors import UsageError
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.encodings import Family, find_encoding
from urisieve.sources.bytes.offsets import OffsetMap

__all__ = ["Decoded", "Label", "codec_of", "decode_text", "html_label", "local_offsets"]

# Read as the set that holds more; then names that Python does not know.
_READ_AS: Final = {
    "us-ascii": "utf-8",
    "ascii": "utf-8",
    "ansi_x3.4-1968": "utf-8",
    "utf8mb4": "utf-8",
    "unicode-1-1-utf-8": "utf-8",
    "unicode-1-1-utf-7": "utf-7",
    "unicode": "utf-16",
    "iso-8859-1": "cp1252",
    "iso8859-1": "cp1252",
    "iso_8859-1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "iso-8859-9": "cp1254",
    "iso-8859-11": "cp874",
    "tis-620": "cp874",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-8-e": "iso-8859-8",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "gb_2312-80": "gb18030",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "ks_c_5601": "cp949",
    "ks_c_5601-1989": "cp949",
    "x-windows-949": "cp949",
    "big5": "big5hkscs",
    "x-x-big5": "big5hkscs",
    "iso-2022-jp": "iso2022_jp_ext",
    "macintosh": "mac-roman",
    "x-mac-roman": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
}
_WINDOWS: Final = re.compile(r"(?:x-)?(?:windows|win|cp|ibm|ms)[-_]?([0-9]{3,4})")
# No label of the registry is longer (RFC 2978 2.3 allows 40 characters); what is longer is no label.
_LONGEST_LABEL: Final = 80
# Without a label: what most unlabelled Western 8-bit text is, and it never fails but for five bytes.
_LAST_RESORT: Final = "cp1252"
# Enough for a detector to tell one language from another; more only costs time.
_SAMPLE: Final = 4_096
_TELLING: Final = re.compile(rb"[\x80-\xff][^\n]{0,200}\n?")
_BEFORE: Final = 100
# Fewer bytes than this say nothing about their set.
_EVIDENCE: Final = 6
_ASCII: Final = bytes(range(128))
# HTML 13.2.3.2: how far the declaration of an encoding is looked for.
_PRESCAN: Final = 1_024
_META: Final = re.compile(
    rb"""<meta\b[^>]{0,500}?\bcharset\s{0,50}=\s{0,50}["']?\s{0,50}([A-Za-z0-9_:.\-]{1,80})""", re.I
)


class Label(Enum):
    """What became of a label."""

    USED = auto()
    """The text is in the labelled set."""
    MISSING = auto()
    """There was none; none was needed, or the set was guessed."""
    UNKNOWN = auto()
    """There is no such set; it was guessed."""
    WRONG = auto()
    """The bytes do not fit it; they were read as UTF-8 if they are, else by the label with stray bytes."""


class Decoded(NamedTuple):
    """A text and how it was decoded.

    Attributes:
        text: with a lone surrogate for each byte that did not decode.
        codec: the name that `ByteDecoder` takes.
        legacy: it is not ASCII, and its set is not of Unicode.
        label: what became of the label.
    """

    text: str
    codec: str
    legacy: bool
    label: Label


@lru_cache(maxsize=256)
def codec_of(label: str) -> str | None:
    """The codec of a label of mail; None if there is none, or if it is one of EBCDIC, which no reader of mail knows."""
    if len(label) > _LONGEST_LABEL:
        return None
    name = label.strip(" \t\r\n\"'").lower()
    windows = _WINDOWS.fullmatch(name)
    if name in _READ_AS:
        name = _READ_AS[name]
    elif windows is not None:
        name = f"cp{windows[1]}"
    try:
        encoding = find_encoding(name)
    except UsageError:
        return None
    return None if encoding.family is Family.SINGLE and not _keeps_ascii(name) else name


@lru_cache(maxsize=256)
def _keeps_ascii(codec: str) -> bool:
    """Whether bytes below 128 are ASCII in it, whatever stands before."""
    encoding = find_encoding(codec)
    return encoding.family in (Family.UTF8, Family.MULTI) or (
        encoding.family is Family.SINGLE and bytes(range(128)).decode(encoding.name, "replace").isascii()
    )


def decode_text(data: bytes, label: str | None) -> Decoded:
    """Decode a whole text by its label; nothing that is in it is lost.

    Args:
        data: the bytes, after the transfer encoding.
        label: the `charset` parameter, None without one.
    """
    codec = None if label is None else codec_of(label)
    if codec is None:
        outcome = Label.MISSING if label is None else Label.UNKNOWN
        codec = "utf-8" if data.isascii() or _is_utf8(data) else _guess(data)
    else:
        outcome = Label.USED
    if data.isascii() and _keeps_ascii(codec):
        return Decoded(data.decode("ascii"), codec, False, outcome)
    text, legacy = _decode(data, codec)
    if outcome is Label.USED and _has_stray(text):
        outcome = Label.WRONG
        if codec != "utf-8" and _is_utf8(data):
            codec = "utf-8"
            text, legacy = _decode(data, codec)
        elif codec == "utf-8" and label is not None and label.strip().lower() in _READ_AS:
            # Labelled ASCII, which it is not: there is no label that could say more.
            codec = _guess(data)
            text, legacy = _decode(data, codec)
    return Decoded(text, codec, legacy, outcome)


def _decode(data: bytes, codec: str) -> tuple[str, bool]:
    decoder = ByteDecoder(codec, keep=None)
    text = decoder.feed(data) + decoder.close()
    return text, not (decoder.encoding.is_unicode or text.isascii())


def _has_stray(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _guess(data: bytes) -> str:
    """The set that bytes which are not UTF-8 are most likely in."""
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return _LAST_RESORT
    sample = bytearray()
    end = 0
    for found in _TELLING.finditer(data):
        sample += data[max(end, found.start() - _BEFORE) : found.end()]
        end = found.end()
        if len(sample) >= _SAMPLE:
            break
    if len(sample.translate(None, _ASCII)) < _EVIDENCE:
        return _LAST_RESORT
    for match in from_bytes(bytes(sample), enable_fallback=False):
        codec = codec_of(match.encoding)
        if codec is not None and _keeps_ascii(codec):  # a guess must not cost the links of ASCII
            return codec
    return _LAST_RESORT


def html_label(data: bytes) -> str | None:
    """The encoding that HTML declares about itself in `<meta>` (HTML 13.2.3.2), None if it does not."""
    found = _META.search(data, 0, _PRESCAN)
    if found is None:
        return None
    label = found[1].decode("ascii")
    # What could be read up to here as ASCII is no UTF-16 (13.2.3.3).
    return "utf-8" if label.lower().startswith("utf-16") else label


def local_offsets(data: bytes, codec: str) -> OffsetMap | None:
    """The way from the characters of the decoded bytes to the bytes; None if the set has none."""
    decoder = ByteDecoder(codec, keep=len(data) + 1)
    decoder.feed(data)
    decoder.close()
    return decoder.offsets
