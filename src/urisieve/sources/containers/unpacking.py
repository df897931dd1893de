"""From a file to the contents in it: compression and archives, one in the other, read as streams.

A compressed file keeps its name; the name of a member of an archive follows `!` (`logs.tgz!2026/a.log`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack

from urisieve.errors import BrokenInputError, InputError
from urisieve.lean import BinaryIO, Final, NamedTuple, cast
from urisieve.sources.bytes.block_reader import BlockReader, limited
from urisieve.sources.containers.contents import Content, Declared
from urisieve.sources.containers.limits import DEFAULT_LIMITS, Budget, Limits
from urisieve.sources.kinds.kind_table import COMPRESSED, LAYERS, Kind, ReaderRow
from urisieve.sources.kinds.sniffing import peeked_kind
from urisieve.sources.tally import Tally, drop_frames
from urisieve.wording import member_name

# Separates the archive and its member in names.
MEMBER: Final = "!"
# A zip file that cannot be sought is copied to memory up to this size in bytes, else to a temporary file.
_IN_MEMORY: Final = 4 * 1_048_576
_NAMES: Final = 65_536


def unpack(
    source: str,
    blocks: Iterable[bytes],
    *,
    tally: Tally,
    path: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    within: Content | None = None,
    named: bool = True,
    hint: str | None = None,
    declared: Declared | None = None,
) -> Iterator[Content]:
    """Yield the contents of a file that are neither compressed nor archives, in its order.

    Each must be read, as far as it is needed, before the next one is requested. An archive that is one document is a
    content with `parts`. Everything skipped (unknown ways of compression, encrypted members, contents nested too
    deeply) and every fault between contents is counted in the tally.

    Args:
        source: the name of the file.
        blocks: its bytes; a tuple if all of them are in memory.
        tally: counts everything read, skipped or broken.
        path: the path by which the file can be opened and sought; None for a stream, of which a zip file is copied.
        limits: the limits of the file.
        within: the content that holds this one, such as the message of an attachment: its limits apply.
        named: whether the file was named itself; members of archives and of other contents never are.
        hint: a name whose ending decides the kind if the content is ambiguous; None for `source`.
        declared: the type, character set and base that its container declares.

    Iterating `blocks` of a content raises `InputError` if reading fails, `BrokenInputError` if the text is cut.
    """
    budget = (None if within is None else within.budget) or Budget(limits)
    unpacking = _Unpacking(tally, budget, declared)
    if within is not None:
        file = _Packed(source, BlockReader(blocks), path, within.depth + 1, within.layers, hint=hint)
    else:
        file = _Packed(source, BlockReader(budget.counted(blocks)), path, named=named, hint=hint)
    return unpacking.contents(file)


class _Packed(NamedTuple):
    """A file, what a compressed one holds, or a member of an archive, of which the kind is not known yet.

    Attributes:
        source: its name.
        reader: its bytes.
        path: see `unpack`, as the last two.
        depth: the number of things around it; see `Content`.
        layers: the number of these that are layers of compression and archives.
        named: whether the file was named itself.
        hint: a name whose ending decides the kind.
    """

    source: str
    reader: BlockReader
    path: str | None = None
    depth: int = 0
    layers: int = 0
    named: bool = False
    hint: str | None = None

    def inner(self, reader: BlockReader) -> _Packed:
        """Return what is in a compressed file."""
        return self._replace(reader=reader, path=None, depth=self.depth + 1, layers=self.layers + 1)


class _Unpacking:
    def __init__(self, tally: Tally, budget: Budget, declared: Declared | None) -> None:
        self._tally = tally
        self._budget = budget
        self._declared = declared

    def contents(self, file: _Packed) -> Iterator[Content]:
        """Yield the contents of a file."""
        reader = file.reader
        kind = peeked_kind(reader, file.source if file.hint is None else file.hint)
        if kind in LAYERS:
            yield from self._opened(kind, file)
            return
        yield self._content(kind, file, reader.whole() if kind is Kind.TEXT else reader.rest())
        if reader.unreported is not None:  # the reader of the content did not come to it
            self._tally.stopped(file.source, reader.unreported)

    def _content(self, kind: ReaderRow, file: _Packed, blocks: Iterable[bytes]) -> Content:
        return Content(
            source=file.source,
            kind=kind,
            blocks=blocks,
            depth=file.depth,
            layers=file.layers,
            budget=self._budget,
            named=file.named,
            declared=self._declared,
            reader=file.reader,
            path=file.path,
        )

    def _opened(self, kind: ReaderRow, file: _Packed) -> Iterator[Content]:
        """Yield the contents of what is compressed or an archive."""
        if kind is Kind.UNSUPPORTED:
            self._tally.skip(kind, "out-of-scope")
            return
        source, reader, path, depth, layers, *_ = file
        limits = self._budget.limits
        if layers >= limits.nesting or depth >= limits.depth:
            what = f"{layers} layers of compression and archives" if layers >= limits.nesting else f"{depth} levels"
            message = f"{source}: more than {what}; not opened"
            self._tally.fault(kind, "nesting-limit", message)
            return
        if kind is not Kind.OFFICE:
            self._tally.read[kind] += 1
        if kind is Kind.GZIP:
            from urisieve.sources.containers.compressed import MemberReader

            reader = MemberReader(reader, source=source, tally=self._tally, budget=self._budget)
            yield from self.contents(file.inner(reader))
        elif kind in COMPRESSED:
            from urisieve.sources.containers.compressed import decompressed

            blocks = decompressed(reader, kind, source=source, tally=self._tally, budget=self._budget)
            yield from self.contents(file.inner(BlockReader(blocks)))
        elif kind is Kind.TAR:
            from urisieve.sources.containers.tar import tar_members

            yield from self._members(kind, file, tar_members(reader, source=source, tally=self._tally))
        else:
            from urisieve.sources.containers.zip import read_package, zip_members

            with ExitStack() as stack:
                try:
                    archive = self._seekable(source, reader, path, stack)
                    if kind is Kind.OFFICE:
                        package = read_package(archive, source=source, tally=self._tally, budget=self._budget)
                        if package is not None:
                            inner = file._replace(depth=depth + 1, layers=layers + 1)
                            content = self._content(package.kind, inner, reader.rest())
                            content.parts = package.parts
                            yield content
                            return
                        kind = Kind.ZIP
                        self._tally.read[kind] += 1
                    zipped = zip_members(archive, source=source, tally=self._tally, budget=self._budget)
                    yield from self._members(kind, file, zipped)
                except InputError as error:
                    self._tally.fault(kind, "unreadable", f"{source}: {error}")

    def _members(
        self, kind: ReaderRow, file: _Packed, members: Iterator[tuple[str, Iterable[bytes]]]
    ) -> Iterator[Content]:
        seen: set[int] = set()
        counted = f"{kind} member"
        for name, blocks in members:
            if self._budget.spent:
                return
            try:
                self._budget.begin(kind)
            except BrokenInputError as error:
                self._tally.fault(kind, error.reason, f"{file.source}: {error}")
                return
            self._tally.read[counted] += 1
            mark = hash(name)
            if mark in seen:
                self._tally.read[f"{counted} of the same name"] += 1
            elif len(seen) < _NAMES:  # of further names duplicates are not detected
                seen.add(mark)
            inner = member_name(file.source, name, MEMBER)
            yield from self.contents(_Packed(inner, BlockReader(blocks), None, file.depth + 1, file.layers + 1))

    def _seekable(self, source: str, reader: BlockReader, path: str | None, stack: ExitStack) -> BinaryIO:
        """Return the file itself, or a copy of the stream."""
        if path is not None:
            try:
                file = stack.enter_context(open(path, "rb"))  # noqa: SIM115 - the stack closes it
                self._budget.taken = max(self._budget.taken, file.seek(0, 2))
            except OSError as error:
                raise InputError(error.strerror or str(error)) from error
            return file
        from tempfile import SpooledTemporaryFile

        limit = self._budget.limits.spool
        copy = stack.enter_context(SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115 - the stack closes it
        try:
            copy.writelines(limited(reader.rest(), limit, "a zip file in a stream", ": give it as a file"))
        except InputError:
            if reader.error is None:
                raise
            self._tally.fault(Kind.ZIP, reader.error.reason, f"{source}: {reader.error}")
            drop_frames(reader.error)
        except OSError as error:
            raise InputError(f"no room for a zip file that cannot be sought: {error.strerror or error}") from error
        return cast(BinaryIO, copy)
