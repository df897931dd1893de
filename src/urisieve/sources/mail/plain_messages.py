"""Plain messages of a mailbox, many at once, as the compiled kernel reads them.

A message is plain if its header is well formed and its body is one text without a transfer encoding, in ASCII or UTF-8:
most messages of mailing lists are. What the kernel makes of them is what `urisieve.sources.mail.messages` makes; any
other message, and any that the kernel is in doubt about, is left to that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat

from urisieve.kernel import kernel
from urisieve.lean.hints import TYPE_CHECKING, Any, Final
from urisieve.printable import shortened
from urisieve.records.batch import TIME
from urisieve.sources.documents import Document, Location, WayBack, no_way_back
from urisieve.sources.mail.known_fields import ID_FIELDS, OPAQUE_FIELDS, message_id_of
from urisieve.sources.mail.plain_bodies import body_flags, decoded_words

if TYPE_CHECKING:
    from urisieve.records.batch import Batch
    from urisieve.records.rejection import Rejection

__all__ = ["PlainMessages", "PlainReader"]

# Results, as in mail.h.
_LEFT: Final = 1
_MORE: Final = 2
# About how many bytes of text the kernel takes at once.
_TOGETHER: Final = 524_288
# A message that is not complete after so many bytes is left.
_LONGEST: Final = 1_048_576


class PlainReader:
    """Reads the plain messages at the beginning of what is left of a mailbox.

    Attributes:
        waits: whether more bytes are needed before anything else can be done with the mailbox.
    """

    def __init__(self) -> None:
        self._reader = kernel.MailReader(sorted(OPAQUE_FIELDS), sorted(ID_FIELDS), body_flags, decoded_words)
        self._searched = 0  # no message begins before this offset, but for the first one
        self._is_left = False  # whether the first message is not plain
        self.waits = False

    def read(self, data: bytearray, base: int, number: int, *, final: bool) -> PlainMessages | None:
        """Read some plain messages; None if the next one is not plain, or not complete.

        Args:
            data: the mailbox from a message on.
            base: the offset of the data in the mailbox.
            number: the number of messages before it.
            final: whether no more of the mailbox follows.
        """
        self.waits = False
        if self._is_left or not data.startswith(b"From "):
            self._is_left = False
            return None
        texts, result, searched = self._reader.read(data, base, self._searched, final, _TOGETHER)
        self._searched = max(0, searched - texts.taken) if result == _MORE else 0
        if texts.messages or texts.left:
            self._is_left = result == _LEFT and not texts.left
            return PlainMessages(texts, number + 1)
        self.waits = result == _MORE and len(data) < _LONGEST
        if not self.waits:
            self._searched = 0
        return None


class PlainMessages:
    """Some plain messages, whose texts are searched as `urisieve.sources.documents.LinksOfPage` are.

    Args:
        texts: their texts.
        number: the number of the first of them in the mailbox.

    Attributes:
        page: the texts.
        count: their number.
        messages: the number of messages.
        size: the number of bytes of the messages.
        left: the number of bytes of the next message, if its fields are among the texts but its body is not plain; 0 if
            there is none.
        source: the name of the file.
    """

    def __init__(self, texts: kernel.MailTexts, number: int) -> None:
        self.page = texts
        self.count = texts.count
        self.messages = texts.messages
        self.size = texts.taken
        self.left = texts.left
        self.source = ""
        self._number = number

    def has_own(self, number: int) -> bool:
        """Report that no text has a reference, or visible text."""
        return False

    def documents(self, number: int, place: Location) -> Iterator[Document]:
        """Yield the document of one text."""
        from urisieve.sources.mail.part_maps import StoredText

        text = self.page.text(number)
        _, _, offset, is_legacy = self.page.item(number)
        way_back: WayBack = no_way_back
        if offset is not None:  # each character of a legacy text is one byte
            data = b"" if is_legacy else text.encode("utf-8")
            way_back = StoredText(data, 0, "utf-8", None, offset, ())
        location = self._location(number)
        yield Document(
            source=self.source,
            text=(text,),
            place=location,
            offsets=way_back,
            legacy=bool(is_legacy),
            date=self._date(number),
        )

    def located(self, batch: Batch, first: int, document: Document, columns: frozenset[str]) -> Batch:
        """Return the batch of what was found in the texts from a number on, with its locations."""
        rejections = batch.rejections
        if not rejections and columns.isdisjoint(("location", TIME)):
            return batch
        rows: Sequence[int] = self.page.found(first, self.count)
        rejected = [before + index for index, before in enumerate(batch.before)]
        numbers = [rows[index] for index in rejected]
        if rejected:
            left_out = frozenset(rejected)
            rows = [number for index, number in enumerate(rows) if index not in left_out]
        locations = {number: self._location(number) for number in {*rows, *numbers}}
        changed: dict[str, Sequence[Any]] = {}
        if "location" in columns:
            changed["location"] = [locations[number] for number in rows]
        decoded = {number for number in locations if self.page.item(number)[2] is None}
        if decoded and not columns.isdisjoint(("byte_start", "byte_end")):
            for name in ("byte_start", "byte_end"):
                pairs = zip(rows, batch.column(name), strict=True)
                changed[name] = [None if number in decoded else offset for number, offset in pairs]
        if TIME in columns:
            from urisieve.sources.times.hours import hour_of_document

            hours = {number: hour_of_document(self._date(number)) for number in frozenset(rows)}
            changed[TIME] = [hours[number] for number in rows]
        if changed:
            batch = batch.replaced(changed)
        if not rejected:
            return batch
        triples = zip(numbers, rejections, repeat(decoded))
        return batch.rejecting([_relocated(one, locations[number], number in some) for number, one, some in triples])

    def _date(self, number: int) -> bytes | None:
        message, *_ = self.page.item(number)
        return self.page.date(message) or None

    def _location(self, number: int) -> Location:
        message, name, *_ = self.page.item(number)
        part = "1" if name is None else f"header:{shortened(name)}"
        return Location(self._number + message, message_id_of(self.page.message_id(message)), part)


def _relocated(rejection: Rejection, location: Location, is_decoded: bool) -> Rejection:
    from urisieve.records.rejection import make_rejection

    row = rejection._row._replace(location=location)
    return make_rejection(row._replace(byte_start=None, byte_end=None) if is_decoded else row)
