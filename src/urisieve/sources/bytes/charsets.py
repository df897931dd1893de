"""Character sets by their labels in mail and HTML, and decoding when the label is missing or wrong.

The labels are those of RFC 2978's registry as senders write them; a label that software has long read as a larger set
(the Encoding standard, 4.2) is read so here. A legacy set is one that is not of Unicode (RFC 3987 3.1 step 1).

The labels of the Encoding Standard (encoding.spec.whatwg.org, 4.2), by which a page declares its encoding.

Any other label is ignored, in browsers as here: they do not support pages in EBCDIC or UTF-7.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from enum import Enum, auto
from functools import cache, lru_cache, partial

from urisieve.errors import UsageError
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.encodings import Family, find_encoding, may_be_wide, wide_encoding
from urisieve.sources.bytes.source_map import SourceMap

# Labels of mail that are read as a larger set, and labels that Python does not know, by the codec that reads them.
_OF_MAIL: Final = {
    "utf-8": "us-ascii ascii ansi_x3.4-1968 utf8mb4 unicode-1-1-utf-8",
    "utf-7": "unicode-1-1-utf-7",
    "utf-16": "unicode",
    "cp1252": "iso-8859-1 iso8859-1 iso_8859-1 latin1 latin-1",
    "cp1254": "iso-8859-9",
    "cp874": "iso-8859-11 tis-620",
    "iso-8859-8": "iso-8859-8-i iso-8859-8-e",
    "gb18030": "gb2312 gbk x-gbk gb_2312-80",
    "cp932": "shift_jis shift-jis sjis x-sjis",
    "cp949": "euc-kr ks_c_5601-1987 ks_c_5601 ks_c_5601-1989 x-windows-949",
    "big5hkscs": "big5 x-x-big5",
    "iso2022_jp_ext": "iso-2022-jp",
    "mac-roman": "macintosh x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic",
}
# The labels of pages, by the codec of Python that reads them or a larger set.
_OF_PAGES: Final = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
    "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
    "iso_8859-7:1987 sun_eu_greek",
    "iso8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 "
    "iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
    "iso8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "mac-roman": "csmacintosh mac macintosh x-mac-roman",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 "
    "iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252 x-user-defined",
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
    "windows-1254 x-cp1254",
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso2022_jp_ext": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 "
    "windows-949",
    "utf-16-be": "unicodefffe utf-16be",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
}
_ASCII_LABELS: Final = frozenset(_OF_MAIL["utf-8"].split()[:3])
# What may be around a label.
_AROUND: Final = " \t\r\n\"'"
_WINDOWS: Final = lazy_compile(r"(?:x-)?(?:windows|win|cp|ibm|ms)[-_]?([0-9]{3,4})")
# Characters of a label; none of the registry is longer (RFC 2978 2.3 allows 40).
_LONGEST_LABEL: Final = 80
# The guess of last resort: most unlabelled Western 8-bit text is in it, and only five bytes do not decode.
_LAST_RESORT: Final = "cp1252"
# Bytes for the detector: enough to distinguish languages; more only costs time.
_SAMPLE: Final = 4_096
_TELLING: Final = lazy_compile(rb"[\x80-\xff][^\n]{0,200}\n?")
_BEFORE: Final = 100
# Fewer non-ASCII bytes than this are no evidence of their set.
_EVIDENCE: Final = 6
_ASCII: Final = bytes(range(128))
# HTML 13.2.3.2: the bytes in which the declaration of an encoding is searched for.
_PRESCAN: Final = 1_024
_META: Final = lazy_compile(
    rb"""<meta\b[^>]{0,500}?\bcharset\s{0,50}=\s{0,50}["']?\s{0,50}([A-Za-z0-9_:.\-]{1,80})""", re.I
)


def _by_label(labels: dict[str, str]) -> dict[str, str]:
    return {label: codec for codec, some in labels.items() for label in some.split()}


_READ_AS: Final = _by_label(_OF_MAIL)
_codecs: Final = cache(partial(_by_label, _OF_PAGES))  # at the first page


class Label(Enum):
    """How a label was used."""

    USED = auto()
    """The text is in the labelled set."""
    MISSING = auto()
    """There was no label; none was needed, or the set was guessed."""
    UNKNOWN = auto()
    """There is no such set; the set was guessed."""
    WRONG = auto()
    """The bytes are valid UTF-8 beyond ASCII, and read as that, or not valid in it, and read with stray bytes; or the
    label is one of UTF-16 or UTF-32, and none of them is a zero (`denies`)."""


class Decoded(NamedTuple):
    """A text and how it was decoded.

    Attributes:
        text: the text, with a lone surrogate for each byte that did not decode.
        codec: the codec's name for `ByteDecoder`.
        legacy: whether the text is not ASCII and its set not of Unicode.
        label: how the label was used.
    """

    text: str
    codec: str
    legacy: bool
    label: Label


@lru_cache(maxsize=256)
def codec_of(label: str) -> str | None:
    """Return the codec of a label of mail; None if there is none, or for EBCDIC, which no reader of mail supports."""
    if len(label) > _LONGEST_LABEL:
        return None
    name = label.strip(_AROUND).lower()
    windows = _WINDOWS.fullmatch(name)
    if name in _READ_AS:
        name = _READ_AS[name]
    elif windows is not None:
        name = f"cp{windows[1]}"
    try:
        encoding = find_encoding(name)
    except UsageError:
        return None
    return None if encoding.family is Family.SINGLE and not keeps_ascii(name) else name


@lru_cache(maxsize=256)
def keeps_ascii(codec: str) -> bool:
    """Report whether bytes below 128 are ASCII in a codec, whatever precedes them."""
    encoding = find_encoding(codec)
    return encoding.family in (Family.UTF8, Family.MULTI) or (
        encoding.family is Family.SINGLE and bytes(range(128)).decode(encoding.name, "replace").isascii()
    )


def decode_text(data: bytes, label: str | None) -> Decoded:
    """Decode a whole text by its label; no byte of it is lost.

    Args:
        data: the bytes, after the transfer encoding.
        label: the `charset` parameter, None if there is none.
    """
    codec = None if label is None else codec_of(label)
    is_ascii = data.isascii()
    is_plain = is_ascii and b"\0" not in data  # which no form of UTF-16 is
    wide = _wide_codec(data) if not is_plain and (codec is None or codec == "utf-8") else None
    if wide is not None:
        text, legacy = _decode(data, wide)
        return Decoded(text, wide, legacy, Label.MISSING if label is None else Label.WRONG)
    is_denied = codec is not None and denies(data, codec)
    if codec is None or is_denied:
        outcome = Label.WRONG if is_denied else Label.MISSING if label is None else Label.UNKNOWN
        codec = "utf-8" if is_ascii or _is_utf8(data) else _guess(data)
    else:
        outcome = Label.USED
    if is_ascii and keeps_ascii(codec):
        return Decoded(data.decode("ascii"), codec, False, outcome)
    if label is not None and outcome is Label.USED and is_of_bytes(label) and _is_utf8(data):
        codec, outcome = "utf-8", Label.WRONG
    text, legacy = _decode(data, codec)
    if outcome is Label.USED and _has_stray(text):
        outcome = Label.WRONG
        if codec != "utf-8" and _is_utf8(data):
            codec = "utf-8"
            text, legacy = _decode(data, codec)
        elif codec == "utf-8" and label is not None and label.strip().lower() in _READ_AS:
            # It is labelled ASCII, which it is not, so that the label says nothing.
            codec = _guess(data)
            text, legacy = _decode(data, codec)
    return Decoded(text, codec, legacy, outcome)


def denies(data: bytes, codec: str) -> bool:
    """Report whether a text is not in a codec, by its first bytes.

    In UTF-16 and UTF-32 each character of ASCII has a zero. A text without one that begins as UTF-8 does is that,
    whatever its label says; else not a character of it would be read.

    >>> denies(b"http://a.example", "utf-16-le"), denies("http://a.example".encode("utf-16-le"), "utf-16-le")
    (True, False)
    """
    is_wide = find_encoding(codec).family in (Family.UTF16, Family.UTF32)
    return is_wide and bool(data) and b"\0" not in data and not may_be_wide(data)


@lru_cache(maxsize=256)
def is_of_bytes(label: str) -> bool:
    """Report whether a label of mail is that of a set in which each byte is a character, or of ASCII.

    A text in such a set is hardly ever valid UTF-8 beyond ASCII: each of its letters that are not ASCII would have to
    be in a pair such as `Ã¤`. Words of Thai may be so, and its sets do not count.
    """
    codec = codec_of(label)
    if codec is None or codec == "cp874":
        return False
    return find_encoding(codec).family is Family.SINGLE or label.strip(_AROUND).lower() in _ASCII_LABELS


def _wide_codec(data: bytes) -> str | None:
    """Return the form of UTF-16 that a mark with some zeros proves, or the zeros alone; else None."""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        start = data[:_PRESCAN]
        return "utf-16" if 10 * start.count(0) >= len(start) else None
    wide = wide_encoding(data)
    return None if wide is None else wide.name


def _decode(data: bytes, codec: str) -> tuple[str, bool]:
    decoder = ByteDecoder(codec, keep=None)
    text = decoder.whole(data)
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
    """Return the codec that bytes which are not UTF-8 are most likely in."""
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
        if codec is not None and keeps_ascii(codec):  # a wrong guess must not lose links of ASCII
            return codec
    return _LAST_RESORT


def html_label(data: bytes) -> str | None:
    """Return the encoding that HTML declares in `<meta>` (HTML 13.2.3.2), None if it declares none."""
    found = _META.search(data, 0, _PRESCAN)
    if found is None:
        return None
    label = found[1].decode("ascii")
    # The declaration was read as ASCII, so that the page is not in UTF-16, by any of its labels (13.2.3.3).
    return "utf-8" if (web_codec(label) or label.lower()).startswith("utf-16") else label


def local_offsets(data: bytes, codec: str) -> SourceMap | None:
    """Return the map from the characters of the decoded bytes to the bytes; None if the set has none."""
    decoder = ByteDecoder(codec, keep=len(data) + 1)
    decoder.whole(data)
    return decoder.offsets


def web_codec(label: str) -> str | None:
    """Return the codec of a label that browsers know; None for any other.

    The labels of `replacement` (4.3: HZ, ISO 2022 of China and Korea) are among the others: browsers show nothing.
    """
    return _codecs().get(label.strip(" \t\r\n\f\"'").lower())
