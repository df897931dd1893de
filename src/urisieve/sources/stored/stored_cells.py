"""The cells of databases and property lists: what holds text of them, many in a block."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from urisieve.find.delimited import Delimited
from urisieve.lean import Final
from urisieve.records.base import Context, Location
from urisieve.sources.bytes.encodings import wide_encoding
from urisieve.sources.documents import Document, TextBlock
from urisieve.sources.tally import Tally

# Characters of a block, but for its last cell.
_BLOCK: Final = 65_536


def stored_cells(
    source: str,
    cells: Iterable[tuple[str, int | None, object, Context | None]],
    tally: Tally,
    *,
    every_blob: bool = False,
    maybe: Callable[[str], object] | None = None,
) -> Iterator[Document]:
    """Yield blocks of those cells that hold text: strings, and bytes in UTF-8 or UTF-16.

    Args:
        source: the name of the file.
        cells: the field, the number of the row, the value and the context of each.
        tally: counts the bytes that are not text.
        every_blob: whether those are searched, too, as a binary file is.
        maybe: returns a false value for text without identifiers; cells for which it does are left out.
    """
    texts: list[str] = []
    places: list[Location] = []
    size = 0
    for field, row, cell, context in cells:
        text = _text(cell, every_blob)
        if text is None:
            if isinstance(cell, bytes):
                tally.skip("blob", "binary")
        elif maybe is None or maybe(text):
            texts.append(text)
            places.append(Location(field=field, row=row, context=context))
            size += len(text)
            if size > _BLOCK:
                yield _block(source, texts, places)
                texts, places, size = [], [], 0
    if texts:
        yield _block(source, texts, places)


def _text(cell: object, every_blob: bool) -> str | None:
    """Return the text of a cell, None if it holds none."""
    if isinstance(cell, str):
        return cell
    if not isinstance(cell, bytes):
        return None
    wide = wide_encoding(cell)
    if wide is not None:
        return cell.decode(wide.name, "replace")
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return cell.decode("utf-8", "surrogateescape") if every_blob else None


def _block(source: str, texts: list[str], places: list[Location]) -> Document:
    def document(index: int) -> Document:
        return Document(source=source, text=(texts[index],), place=places[index], delimited=Delimited.VALUE)

    return Document(source=source, text=(), delimited=Delimited.VALUE, block=TextBlock.of(texts, document))
