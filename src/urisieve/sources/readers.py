"""The documents in a file of any kind: compression and archives are opened first, then each content by its kind.

A content that cannot be read to its end yields the documents before the fault; the error goes to the caller, and the
other contents are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.codes import Warn
from urisieve.errors import InputError
from urisieve.find.delimited import Delimited
from urisieve.lean import TYPE_CHECKING, Any, Final, TypeVar, lazy_compile, replace
from urisieve.records.base import Context
from urisieve.sources.blocks import At
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.containers.contents import Content, Declared
from urisieve.sources.containers.limits import Budget
from urisieve.sources.containers.unpacking import MEMBER, unpack
from urisieve.sources.documents import CutBlocks, Document, in_context
from urisieve.sources.kinds.kind_table import (
    HEAD_SIZE,
    Kind,
    ReaderRow,
    function_of,
    is_given_up,
    kind_named,
    named_kind,
    said_kind,
)
from urisieve.sources.kinds.sniffing import csv_delimiter_of_text, json_kind, rows_kind
from urisieve.sources.reading_options import ASKED, BinaryFiles, Carrier, InputKind, reads_binary
from urisieve.sources.reading_run import ReadingRun
from urisieve.sources.segments import Segments
from urisieve.sources.tally import MESSAGES, PASSED, guarded, unexpected
from urisieve.wording import member_name

if TYPE_CHECKING:
    from urisieve.sources.containers.contents import PartStart


T = TypeVar("T")

# What an archive of the web has that is a property list in XML.
_MAIN_RESOURCE: Final = b"<key>WebMainResource</key>"
_LIST: Final = lazy_compile(
    rb"(?:\xef\xbb\xbf)?(?>\s++|<\?[^>]*+>|<!--(?s:.*?)-->|<![^>\[]*+(?:\[[^\]]*+\]\s*+)?>)*+<plist\b"
)


class Reader(ReadingRun):
    """Reads files by one set of options."""

    def documents(
        self,
        source: str,
        blocks: Iterable[bytes],
        *,
        path: str | None = None,
        within: Content | None = None,
        named: bool = True,
        hint: str | None = None,
        declared: Declared | None = None,
        known: ReaderRow | None = None,
    ) -> Iterator[Document]:
        """Yield the documents of a file, in its order.

        The text of each must be read, as far as it is wanted, before the next one is asked for; its `offsets` must be
        asked for before that, too. Iterating a text raises `InputError` if it is cut: an undecided candidate is cut
        then, too, and the caller goes on with the next document.

        Args:
            source: the name of the file.
            blocks: its bytes.
            path: a path that can be opened and sought, None for a stream.
            within: the content that holds this one, for an attachment in mail.
            named: whether the file was named itself, and not found in a folder.
            hint: a name whose ending decides the kind of the file if its content does not; None for `source`.
            declared: the metadata of the file.
            known: its kind by its content and its name, if that is known.
        """
        kind = self.reading.input
        if within is not None:
            kind = InputKind.AUTO  # the mail or the archive of the web is read as that, not what is in it
        unpacked = unpack(
            source,
            blocks,
            tally=self.tally,
            path=path,
            limits=self.limits,
            within=within,
            named=named,
            hint=hint,
            declared=declared,
            is_asked=kind in ASKED,
            kind=known,
        )
        contents = guarded(unpacked, "file")
        while True:
            try:
                content = next(contents, None)
            except InputError as error:
                self.failed(source, error)
                return
            if content is None:
                return
            try:
                content = self._looked_at(content, kind)
                unread = self._unread(content, kind)
                if unread is not None:
                    self.tally.skip(*unread)
                    continue
                if within is None:
                    self._count_kind(content)
                yield from _noted(self._content(content, kind), content, kind)
            except InputError as error:
                self.failed(content.source, error)
            except PASSED:
                raise
            except Exception as error:  # as `guarded` does, which costs a generator for each content
                self.failed(content.source, unexpected(error, content.kind))

    def rows(self, source: str, blocks: Iterable[bytes], kind: ReaderRow) -> Iterator[Document]:
        """Yield the documents of rows as their blocks come, which are neither looked at nor unpacked."""
        content = Content(source=source, kind=kind, blocks=blocks)
        try:
            yield from guarded(documents_as(self, content, kind), kind)
        except InputError as error:
            self.failed(source, error)

    def part(self, source: str, blocks: Iterable[bytes], cut: PartStart, *, named: bool) -> Iterator[Document]:
        """Yield the documents of a part of a file, and fill `cut.end`.

        Args:
            source: the name of the file.
            blocks: the bytes of the part.
            cut: what stood before it.
            named: see `documents`.
        """
        budget = Budget(self.limits, taken=cut.start, made=cut.made)
        reader = BlockReader(budget.counted(blocks))
        reader.position = cut.start
        reader.peek(1)  # as the kind of a whole file is looked at before a limit counts
        if cut.is_gzip:
            from urisieve.sources.containers.compressed import MemberReader

            self.tally.read[Kind.GZIP] += not cut.start
            reader = MemberReader(reader, source=source, tally=self.tally, budget=budget, position=cut.position)
        content = Content(
            source=source,
            kind=cut.kind,
            blocks=reader.rest(),
            depth=int(cut.is_gzip),
            layers=int(cut.is_gzip),
            budget=budget,
            named=named,
            reader=reader,
            cut=cut,
            promised=named_kind(source),
        )
        if not cut.start:
            self._count_kind(content)
        found = guarded(documents_as(self, content, cut.kind), cut.kind)
        try:
            yield from _noted(found, content, self.reading.input)
        except InputError as error:
            self.failed(source, error)
        if reader.unreported is not None:  # the reader of the content did not report it
            self.tally.stopped(source, reader.unreported)
        cut.end.made = budget.made - cut.made
        for fault in self.tally.broken:
            cut.met(*fault)

    def _looked_at(self, content: Content, kind: str) -> Content:
        """Return a content with its kind, if that takes more than its first bytes."""
        if content.kind is Kind.OLE and not self.places and kind is InputKind.AUTO:
            from urisieve.sources.office.compound import compound_content

            whole = CutBlocks(content.blocks)
            content = compound_content(replace(content, blocks=whole))
            is_binary = content.kind is Kind.UNSUPPORTED and self.reading.binary is BinaryFiles.TEXT
            return replace(content, kind=Kind.BINARY if is_binary else content.kind, blocks=whole.ended(content.blocks))
        if kind is not InputKind.AUTO or (content.kind is not Kind.JSON and not self.places):
            return content
        reader = BlockReader(content.blocks)
        found = self._kind_with_places(content, reader) if self.places else json_kind(reader)
        return replace(content, kind=found, blocks=reader.rest())

    def _kind_with_places(self, content: Content, reader: BlockReader) -> ReaderRow:
        """Return the kind of a content of which some fields or columns are read.

        Raises:
            InputError: it has none.
        """
        kind = content.kind if content.kind is Kind.JOURNAL else rows_kind(reader, content.kind)
        if kind is None and content.kind is Kind.TEXT and self.reading.delimiter:
            kind = Kind.CSV
        if kind is None:
            raise InputError(
                f"is {content.kind.said} by its content, which has no fields: --field (field=) names what is "
                "read of csv, tsv, json, jsonl or journal; --fields names what is written"
            )
        if kind not in (Kind.CSV, Kind.TSV) and len(self.places) > 1:
            raise InputError(f"is {kind} by its content, of which one field alone can be read, not several")
        return kind

    def _count_kind(self, content: Content) -> None:
        """Count the kind that a file is read as."""
        kind = self.reading.input
        said = said_kind(content.promised, content.kind) if kind is InputKind.AUTO else str(kind)
        self.tally.kinds[said] += 1

    def _unread(self, content: Content, kind: str) -> tuple[str, str] | None:
        """Return the kind of a content that is not read and the reason, None for one that is."""
        if kind is not InputKind.AUTO and kind != content.kind and _is_document(content.kind):
            return content.kind, "another-kind"
        if content.kind is Kind.PDF or kind is InputKind.PDF:
            from urisieve.sources.office.pdf import is_installed

            return None if is_installed() else (Kind.PDF, "needs-the-extra-pdf")
        if kind is InputKind.AUTO and content.kind is Kind.OFFICE:
            return content.kind, "encrypted"
        if kind is InputKind.AUTO and content.kind is Kind.UNSUPPORTED:
            return "office", "out-of-scope"
        if kind is not InputKind.AUTO or content.kind is not Kind.BINARY or self.encoding is not None:
            return None
        return None if reads_binary(self.reading, named=content.named) else ("file", "binary")

    def _content(self, content: Content, kind: str) -> Iterator[Document]:
        """Return the documents of a content, by its kind or as which it is to be read."""
        if kind is InputKind.MAIL:
            from urisieve.sources.mail.mailboxes import is_mailbox

            found: ReaderRow = Kind.MBOX if is_mailbox(content.peek(HEAD_SIZE)) else Kind.MAIL
        elif kind is not InputKind.AUTO:
            found = kind_named(kind)
        else:
            found = self._stated_kind(content)
        return documents_as(self, content, found)

    def _stated_kind(self, content: Content) -> ReaderRow:
        """Return the kind that a content is read as, which its text may state."""
        kind = content.kind
        if kind is Kind.TEXT and content.promised is Kind.CSV:
            content.delimiter = self.reading.delimiter or csv_delimiter_of_text(content.peek(HEAD_SIZE))
        if kind is Kind.XML:
            head = content.peek(HEAD_SIZE)
            if _MAIN_RESOURCE in head and _LIST.match(head):
                kind = Kind.PLIST
        if self.reading.unescape and "unescape" not in kind.takes:
            self.tally.skip("unescaping", "not-text")
            if self.tally.skipped["unescaping", "not-text"] <= MESSAGES:
                self.tally.messages.append(f"{content.source}: read as {kind}; escapes are undone in plain text only")
        return kind


def _is_document(kind: ReaderRow) -> bool:
    """Report whether a content is not searched as if it were of another kind."""
    return kind.form == "package" or kind is Kind.PDF


def _noted(documents: Iterator[Document], content: Content, kind: str) -> Iterator[Document]:
    """Return documents, with a warning if the content is not what it promises and no option says what it is."""
    is_noted = kind is InputKind.AUTO and is_given_up(content.promised, content.kind)
    return (document.warned(Warn.NOT_AS_NAMED) for document in documents) if is_noted else documents


# ---------------------------------------------------------------- by the row of a kind


class CheckedSegments(Segments):
    """The same for the reader of a plug-in: what it adds is checked, for which our own readers have no time."""

    def add(self, text: str | Iterable[str], at: At = None, **more: Any) -> Document | None:
        """See `Segments.add`.

        Raises:
            TypeError: an argument is of another type.
            ValueError: an offset or a row is negative.
        """
        given: object = text
        if isinstance(given, (bytes, bytearray)) or not isinstance(given, Iterable):
            raise TypeError(f"`text` is a string or its pieces, not {text!r:.80}")
        if not isinstance(at, int) and at is not None and not callable(at):
            raise TypeError(f"`at` is an offset, a function or None, not {at!r:.80}")
        for name, value in more.items():
            kind, description = _ARGUMENTS.get(name, (object, ""))
            if value is not None and not (callable(value) if name == "position" else isinstance(value, kind)):
                raise TypeError(f"`{name}` is {description}, not {value!r:.80}")
        if not all(isinstance(code, Warn) for code in more.get("warnings", ())):
            raise TypeError(f"`warnings` is a tuple of members of Warn, not {more['warnings']!r:.80}")
        for name, value in (("at", at), ("row", more.get("row"))):
            if isinstance(value, int) and value < 0:
                raise ValueError(f"`{name}` is not negative, as {value} is")
        return super().add(text, at, **more)


_ARGUMENTS: Final[dict[str, tuple[type, str]]] = {
    **dict.fromkeys(("field", "reference", "visible", "base"), (str, "a string or None")),
    "row": (int, "a number or None"),
    "delimited": (Delimited, "a member of Delimited"),
    "warnings": (tuple, "a tuple of members of Warn"),
    "context": (Context, "a Context or None"),
    "position": (object, "a function or None"),
}


def documents_as(run: ReadingRun, content: Content, kind: ReaderRow) -> Iterator[Document]:
    """Return the documents of a content that is read as one of a kind, which its first bytes need not show."""
    is_ours = isinstance(kind, Kind)
    out = (Segments if is_ours else CheckedSegments)(run, content, kind, opens=kind.opens)
    found = function_of(kind.read)(content, out)
    return out.documents(found if is_ours else _of_plugin(kind, found))


def _of_plugin(kind: ReaderRow, found: Iterable[object]) -> Iterator[Document | None]:
    """Yield what the reader of a plug-in does.

    Raises:
        UnexpectedInputError: it raises an exception, except those of a content that cannot be read, or yields
            anything else.
    """
    for document in _failing_as(kind, found):
        if isinstance(document, Document):
            last = document.last
            yield document if last is None else replace(document, last=replace(last, text=_strings(kind, last.text)))
        elif document is None:
            yield None
        else:
            error = TypeError(f"it yields {document!r:.80}, which no method of Segments has returned for texts")
            raise unexpected(error, kind)


def _failing_as(kind: ReaderRow, items: Iterable[T]) -> Iterator[T]:
    """Yield what the code of a plug-in does; whatever it raises is a fault of the content, but for Ctrl-C.

    Raises:
        InputError: the content cannot be read, or the plug-in raises an exception, which is its cause.
        MemoryError: memory has run out.
    """
    try:
        yield from items
    except (InputError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        raise unexpected(error, kind) from error


def _strings(kind: ReaderRow, pieces: Iterable[str]) -> Iterable[str]:
    """Return a text in memory, or its pieces as they come, whose exceptions are those of the reader, too."""
    if isinstance(pieces, tuple) and all(isinstance(piece, str) for piece in pieces):
        return pieces
    return _failing_as(kind, map(str.__str__, pieces))


def read_text(source: Content, out: Segments) -> Iterator[Document]:
    """Yield a content as text, of kind `BINARY` as strings of other texts."""
    yield out.text(source.blocks, is_binary=out.kind == Kind.BINARY)


def read_latex(source: Content, out: Segments) -> Iterator[Document]:
    """Yield a content as text with the escapes of LaTeX, or of the notations that the options name."""
    yield out.text(source.blocks, is_binary=False, carriers=(Carrier.LATEX,))


def read_warc(source: Content, out: Segments) -> Iterator[Document]:
    """Yield what is in the resources of an archive of the web."""
    from urisieve.sources.containers.warc import warc_payloads

    payloads = warc_payloads(source, tally=out.tally)
    if out.is_too_deep():
        yield out.text(source.blocks, is_binary=False)
        return
    for payload in payloads:
        name = member_name(out.name, payload.name, MEMBER) if payload.name else out.name
        if payload.is_text:
            text = Content(source=name, kind=Kind.TEXT, blocks=payload.blocks, declared=payload.declared)
            found: Iterator[Document] = iter((Segments(out.run, text).text(text.blocks, is_binary=False),))
        else:
            found = out.run.documents(name, payload.blocks, within=source, hint="", declared=payload.declared)
        context = out.time_of(payload.date) if payload.date else None
        yield from found if context is None else in_context(found, context)
