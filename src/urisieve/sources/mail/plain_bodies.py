"""How a body is read by the fields of its header, for the compiled kernel.

It asks for each combination of values that it has not met lately, so that the modules that parse them are imported when
there is one.
"""

from __future__ import annotations

from functools import lru_cache

from urisieve.lean import Final
from urisieve.sources.tally import PASSED

# Flags; tools/generate_kernel_tables.py gives them to the kernel, where 16 is one more.
_PLAIN: Final = 1
_UTF8: Final = 2
_ALONE: Final = 4
_QUOTED_PRINTABLE: Final = 8
_BASE64: Final = 32
HTML_FLAG: Final = 64
_META: Final = 128
_SKIPPED: Final = 256
_FILE: Final = 512
_REASON_SHIFT: Final = 12
# What is counted for parts that are skipped, by the numbers above these bits.
REASONS: Final = (
    *(("part", "pgp"), ("part", "smime")),
    *[("attachment", kind) for kind in ("application", "audio", "font", "image", "model", "other", "video")],
)
_TEXTS: Final = ("message", "multipart", "text")
_NOT_PLAIN: Final = (0, None)
# Bytes of values that are remembered.
_LONGEST_REPEATED: Final = 256
_WIDE: Final = bytes(range(128, 256))


def body_flags(
    content_type: bytes | None, encoding: bytes | None, disposition: bytes | None, head: bytes | None = None
) -> tuple[int, str | None]:
    """Return how a body is read by the values of its Content-Type, Content-Transfer-Encoding and Content-Disposition.

    Args:
        content_type: the value of a field, None without it.
        encoding: that of the next one.
        disposition: that of the last one.
        head: the first bytes of a page, if they may state its character set.

    Returns:
        a sum of the flags in mail.h; 0 if it is to be read in Python. And the characters of the bytes from 80 to FF if
        it is in a set of single bytes, NUL for those that have none; else None.
    """
    if content_type is None and encoding is None and disposition is None:
        return _PLAIN | _UTF8, None
    if content_type is not None and content_type.lstrip()[:10].lower() == b"multipart/":
        return _NOT_PLAIN  # most have a boundary of their own, and need not be parsed twice
    size = sum([len(value) for value in (content_type, encoding, disposition) if value is not None])
    read = _flags if size > _LONGEST_REPEATED else _remembered
    try:
        if head is None:
            return read(content_type, encoding, disposition)
        from urisieve.sources.bytes.charsets import html_label

        return read(content_type, encoding, disposition, html_label(head) or "")
    except PASSED:
        raise
    except Exception:  # the reader of the message meets it again, and reports it
        return _NOT_PLAIN


def _flags(
    content_type: bytes | None, encoding: bytes | None, disposition: bytes | None, stated: str | None = None
) -> tuple[int, str | None]:
    """Return the same; `stated` is the character set that a page states itself, None if that is not known."""
    from urisieve.sources.bytes.charsets import codec_of, keeps_ascii
    from urisieve.sources.mail.flowed import Flow, flow_of
    from urisieve.sources.mail.header_fields import unfold
    from urisieve.sources.mail.mime import HTML, IDENTITY, SEALED, file_name, media_type, transfer_encoding

    fields = (("content-type", content_type), ("content-disposition", disposition))
    values = {name: unfold(value).text.strip() for name, value in fields if value is not None}
    media = media_type(values.get("content-type"), "text/plain")
    if media.name in SEALED:
        return _SKIPPED | REASONS.index(("part", SEALED[media.name])) << _REASON_SHIFT, None
    if media.kind not in _TEXTS and media.name not in HTML:
        return _FILE, None
    flags = _PLAIN
    label = media.parameters.get("charset")
    if media.name in HTML:
        flags |= HTML_FLAG | (0 if label else _META)
        label = label or stated or None
    elif media.name != "text/plain" or file_name(values, media) is not None:
        return _NOT_PLAIN
    transfer = transfer_encoding("" if encoding is None else unfold(encoding).text)
    if transfer == "quoted-printable":
        flags |= _QUOTED_PRINTABLE
    elif transfer == "base64":
        flags |= _BASE64
    elif transfer not in IDENTITY:
        return _NOT_PLAIN
    flow = flow_of(media.name, media.parameters)
    if flow is Flow.FLOWED:
        flags |= _ALONE
    elif flow is not Flow.FIXED:
        return _NOT_PLAIN
    codec = "utf-8" if label is None else codec_of(label)
    if codec is None or not keeps_ascii(codec):
        return _NOT_PLAIN
    return (flags | _UTF8, None) if codec == "utf-8" else (flags, _table(codec))


_remembered: Final = lru_cache(maxsize=256)(_flags)


def _table(codec: str) -> str | None:
    """Return the characters of the bytes from 80 to FF in a set of single bytes; None for other sets."""
    from urisieve.sources.bytes.decoding import ByteDecoder
    from urisieve.sources.bytes.encodings import Family

    decoder = ByteDecoder(codec, keep=None)
    if decoder.encoding.family is not Family.SINGLE:
        return None
    text = decoder.feed(_WIDE) + decoder.close()
    if len(text) != len(_WIDE) or max(text) > "\uffff":
        return None
    return "".join(["\0" if "\ud800" <= character <= "\udfff" else character for character in text])


def decoded_words(value: bytes) -> str | None:
    """Return the text of a value with encoded words, "" if it holds no identifier; None if Python has to read it."""
    try:
        from urisieve.sources.mail.header_fields import may_hold_identifier, unfold

        unfolded = unfold(value)
        if unfolded.fault is not None or not unfolded.decoded:
            return None
        if not may_hold_identifier(unfolded.text):
            return ""
    except PASSED:
        raise
    except Exception:  # as above
        return None
    return None if unfolded.legacy else unfolded.text
