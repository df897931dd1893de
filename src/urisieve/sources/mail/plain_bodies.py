"""How the body of a message is read by the fields of its header, for the compiled kernel.

The kernel asks for each combination of values that it has not met lately, so that the modules that parse them are
imported when there is one. What it is not told it leaves to Python.
"""

from __future__ import annotations

from functools import lru_cache

from urisieve.lean import TYPE_CHECKING, Final
from urisieve.sources.mail.mailboxes import MailboxMessage
from urisieve.sources.segments import Segments, uncounted
from urisieve.sources.tally import PASSED, Tally

if TYPE_CHECKING:
    from urisieve.sources.mail.mime import PartType

# Flags; tools/generate_kernel_tables.py gives them to the kernel, where 16 is one more.
_PLAIN: Final = 1
_UTF8: Final = 2
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
_WIDE: Final = bytes(range(128, 256))
# Bytes of values that are remembered.
_LONGEST_REPEATED: Final = 256


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
    read = _flags.__wrapped__ if size > _LONGEST_REPEATED else _flags
    try:
        if head is None:
            return read(content_type, encoding, disposition, None)
        from urisieve.sources.bytes.charsets import html_label

        return read(content_type, encoding, disposition, html_label(head))
    except PASSED:
        raise
    except Exception:  # the reader of the message meets it again, and reports it
        return _NOT_PLAIN


@lru_cache(maxsize=256)
def _flags(
    content_type: bytes | None, encoding: bytes | None, disposition: bytes | None, stated: str | None
) -> tuple[int, str | None]:
    """Return the same; `stated` is the character set that a page states itself."""
    from urisieve.sources.bytes.charsets import codec_of, is_of_bytes, keeps_ascii
    from urisieve.sources.mail.mime import HTML, SEALED, SIGNED, deletes_space
    from urisieve.sources.mail.transfer import IDENTITY

    media, transfer, name = _declared(content_type, encoding, disposition)
    if media.name in SIGNED:
        return _NOT_PLAIN
    if media.name in SEALED:
        return _SKIPPED | REASONS.index(("part", SEALED[media.name])) << _REASON_SHIFT, None
    if media.kind not in _TEXTS and media.name not in HTML:
        return _FILE, None
    if "boundary" in media.parameters:  # the body may have parts
        return _NOT_PLAIN
    flags = _PLAIN
    label = media.parameters.get("charset")
    if media.name in HTML:
        flags |= HTML_FLAG | (0 if label else _META)
        label = label or stated
    elif media.name != "text/plain" or name is not None or deletes_space(media):
        return _NOT_PLAIN
    if transfer == "quoted-printable":
        flags |= _QUOTED_PRINTABLE
    elif transfer == "base64":
        flags |= _BASE64
    elif transfer not in IDENTITY:
        return _NOT_PLAIN
    codec = "utf-8" if label is None else codec_of(label)
    if codec is None or not keeps_ascii(codec):
        return _NOT_PLAIN
    if codec != "utf-8":
        return flags, _table(codec)
    return flags | (0 if label is not None and is_of_bytes(label) else _UTF8), None  # ASCII alone is sure in ASCII


def _declared(content_type: bytes | None, encoding: bytes | None, disposition: bytes | None) -> PartType:
    from urisieve.sources.mail.header_fields import unfold
    from urisieve.sources.mail.mime import ENCODING, declared_part

    fields = (("content-type", content_type), (ENCODING, encoding), ("content-disposition", disposition))
    return declared_part(
        {name: unfold(value).text.strip() for name, value in fields if value is not None}, "text/plain"
    )


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


def decoded_words(value: bytes, *, every_field: bool = False) -> str | None:
    """Return the text of a value with encoded words, "" if it holds no identifier; None if Python has to read it."""
    try:
        from urisieve.sources.mail.header_fields import may_hold_identifier, unfold

        unfolded = unfold(value)
        if unfolded.fault is not None or not unfolded.decoded:
            return None
        if not every_field and not may_hold_identifier(unfolded.text):
            return ""
    except PASSED:
        raise
    except Exception:  # as above
        return None
    return None if unfolded.legacy else unfolded.text


def skipped_reason(
    out: Segments, content_type: bytes | None, encoding: bytes | None, disposition: bytes | None, body: bytes
) -> int | None:
    """Return the number of the reason in `REASONS` for which an attachment is skipped; None if it is not just skipped.

    Args:
        out: the options by which it is read.
        content_type: the value of its Content-Type, None without it.
        encoding: that of its Content-Transfer-Encoding.
        disposition: that of its Content-Disposition.
        body: its bytes.
    """
    from urisieve.sources.mail.message_texts import MailPart, MessageTexts

    counts = uncounted(out)
    texts = MessageTexts(body, counts, MailboxMessage(data=body))
    try:
        part = MailPart(0, len(body), *_declared(content_type, encoding, disposition))
        if texts.opens(part) or any(True for _ in texts.leaf(part)):
            return None
    except PASSED:
        raise
    except Exception:  # as above
        return None
    for reason in counts.tally.skipped:
        expected = Tally()
        expected.skip(*reason)
        if counts.tally == expected:
            return REASONS.index(reason)
    return None
