"""Plain text: a content as one document, with its escapes undone if asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.sources.bytes.decoding import DEFAULT_KEEP, ByteDecoder, count_stray
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.selections import SplicedMap
from urisieve.sources.bytes.wide_strings import WideStrings
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document, Location, Tally
from urisieve.sources.structured.unescape import Carrier, Unescaper

__all__ = ["text_document"]


def text_document(
    content: Content,
    *,
    encoding: str | None = None,
    carriers: Iterable[Carrier | str] = (),
    has_wide: bool = False,
    keep: int | None = DEFAULT_KEEP,
    tally: Tally | None = None,
) -> Document:
    """Return all of a content as one text.

    Args:
        content: the bytes.
        encoding: the name of a codec, as for `ByteDecoder`.
        carriers: the carriers whose escapes are undone, the outermost first.
        has_wide: whether strings of UTF-16 in it become text, as a program holds them.
        keep: the number of characters back for which the way to bytes is kept; None to do without it.
        tally: counts bytes that do not decode.

    Iterating its text raises `InputError` if reading fails or the text is cut: an undecided candidate is cut then, too.

    Raises:
        UsageError: the encoding is not known.
    """
    if not carriers and not has_wide and isinstance(content.blocks, tuple):
        return _in_memory(content, encoding, keep, tally)
    decoder = ByteDecoder(encoding, keep=keep)
    changes: list[Unescaper | WideStrings] = [Unescaper(carrier, keep=keep) for carrier in carriers]
    if has_wide:
        changes.insert(0, WideStrings(keep=keep))

    def text() -> Iterator[str]:
        for block in content.blocks:
            piece = decoder.feed(block)
            for change in changes:
                piece = change.feed(piece)
            yield piece
        piece = decoder.close()
        for change in changes:
            piece = change.feed(piece) + change.close()
        yield piece
        if tally is not None:
            count_stray(tally, content.source, decoder)

    def way_back() -> OffsetMap | None:
        outer = decoder.offsets
        for change in changes if outer is not None else ():
            assert outer is not None
            outer = outer if change.splices is None else SplicedMap(change.splices, outer)
        return outer

    return Document(
        source=content.source,
        text=text(),
        place=Location(),
        offsets=way_back,
        legacy=not find_encoding(encoding).is_unicode,
    )


def _in_memory(content: Content, encoding: str | None, keep: int | None, tally: Tally | None) -> Document:
    """Return a content that is in memory as a text that is, too."""
    data = b"".join(content.blocks)
    decoder: ByteDecoder | None = None
    if encoding is None and data.isascii() and b"\0" not in data:
        text = data.decode("ascii")
    else:
        decoder = ByteDecoder(encoding, keep=keep)
        text = decoder.whole(data)
        if tally is not None:
            count_stray(tally, content.source, decoder)

    def way_back() -> OffsetMap | None:
        if decoder is not None or keep is None:
            return None if decoder is None else decoder.offsets
        offsets = OffsetMap()
        offsets.add_uniform(len(text), 1)
        return offsets

    return Document(
        source=content.source,
        text=(text,),
        place=Location(),
        offsets=way_back,
        legacy=encoding is not None and not find_encoding(encoding).is_unicode,
        in_memory=max(1, len(text)),
    )
