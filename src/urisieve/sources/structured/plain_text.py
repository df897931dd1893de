"""Plain text: a content as one document, with its escapes undone if asked for."""

from __future__ import annotations

from collections.abc import Iterator

from urisieve.sources.bytes.decoding import DEFAULT_KEEP, ByteDecoder, count_stray
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.splices import SplicedMap
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document, Location, Tally
from urisieve.sources.structured.unescape import Carrier, Unescaper

__all__ = ["text_document"]


def text_document(
    content: Content,
    *,
    encoding: str | None = None,
    carrier: Carrier | str | None = None,
    keep: int | None = DEFAULT_KEEP,
    place: Location | None = None,
    tally: Tally | None = None,
) -> Document:
    """Return all of a content as one text.

    Args:
        content: the bytes.
        encoding: the name of a codec, as for `ByteDecoder`.
        carrier: the carrier whose escapes are undone, if any.
        keep: the number of characters back for which the way to bytes is kept; None to do without it.
        place: the location of the text.
        tally: counts bytes that do not decode.

    Iterating its text raises `InputError` if reading fails or the text is cut: an undecided candidate is cut then, too.

    Raises:
        UsageError: the encoding is not known.
    """
    decoder = ByteDecoder(encoding, keep=keep)
    unescaper = None if carrier is None else Unescaper(carrier, keep=keep)

    def text() -> Iterator[str]:
        for block in content.blocks:
            piece = decoder.feed(block)
            yield piece if unescaper is None else unescaper.feed(piece)
        piece = decoder.close()
        yield piece if unescaper is None else unescaper.feed(piece) + unescaper.close()
        if tally is not None:
            count_stray(tally, content.source, decoder)

    def way_back() -> OffsetMap | None:
        outer = decoder.offsets
        if outer is None or unescaper is None or unescaper.splices is None:
            return outer
        return SplicedMap(unescaper.splices, outer)

    return Document(
        source=content.source,
        text=text(),
        place=place or Location(),
        offsets=way_back,
        legacy=not find_encoding(encoding).is_unicode,
    )
