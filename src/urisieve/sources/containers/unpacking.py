"""From a file to the contents in it: compression and archives, one in the other, read as streams.

A compressed file keeps its name; the name of a member of an archive follows `!` (`logs.tgz!2026/a.log`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack

from urisieve.errors import BrokenInputError, InputError
from urisieve.lean import BinaryIO, Final, cast
from urisieve.sources.bytes.block_reader import BlockReader, limited
from urisieve.sources.containers.contents import Content, Declared
from urisieve.sources.containers.kinds import COMPRESSED, LAYERS, Kind
from urisieve.sources.containers.limits import DEFAULT_LIMITS, Budget, Limits
from urisieve.sources.containers.sniffing import peeked_kind
from urisieve.sources.tally import Tally
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
    if within is not None:
        unpacking = _Unpacking(tally, within.budget or Budget(limits), declared)
        yield from unpacking.contents(
            source, BlockReader(blocks), path, within.depth + 1, within.layers, named=False, hint=hint
        )
        return
    budget = Budget(limits)
    unpacking = _Unpacking(tally, budget, declared)
    yield from unpacking.contents(source, BlockReader(budget.counted(blocks)), path, 0, 0, named=named, hint=hint)


class _Unpacking:
    def __init__(self, tally: Tally, budget: Budget, declared: Declared | None) -> None:
        self._tally = tally
        self._budget = budget
        self._declared = declared

    def contents(
        self,
        source: str,
        reader: BlockReader,
        path: str | None,
        depth: int,
        layers: int,
        *,
        named: bool,
        hint: str | None = None,
    ) -> Iterator[Content]:
        """Yield the contents of a file at a depth, below a number of layers of compression and archives."""
        kind = peeked_kind(reader, source if hint is None else hint)
        if kind in LAYERS:
            yield from self._opened(kind, source, reader, path, depth, layers, named=named, hint=hint)
            return
        yield self._content(kind, source, reader, path, depth, layers, named=named)
        self._report_rest(source, reader)

    def _content(
        self, kind: Kind, source: str, reader: BlockReader, path: str | None, depth: int, layers: int, *, named: bool
    ) -> Content:
        return Content(
            source=source,
            kind=kind,
            blocks=reader.whole() if kind is Kind.TEXT else reader.rest(),
            depth=depth,
            layers=layers,
            budget=self._budget,
            named=named,
            declared=self._declared,
            reader=reader,
            path=path,
        )

    def _report_rest(self, source: str, reader: BlockReader) -> None:
        """Count an error that the reader of a content did not come to."""
        error = reader.unreported
        if error is not None:
            broken, reason = getattr(error, "kind", "file"), getattr(error, "reason", "unreadable")
            self._tally.fault(broken, reason, f"{source}: {error}")

    def _opened(
        self,
        kind: Kind,
        source: str,
        reader: BlockReader,
        path: str | None,
        depth: int,
        layers: int,
        *,
        named: bool,
        hint: str | None = None,
    ) -> Iterator[Content]:
        """Yield the contents of what is compressed or an archive."""
        if kind is Kind.UNSUPPORTED:
            self._tally.skip(kind, "out-of-scope")
            return
        limits = self._budget.limits
        if layers >= limits.nesting or depth >= limits.depth:
            what = f"{layers} layers of compression and archives" if layers >= limits.nesting else f"{depth} levels"
            message = f"{source}: more than {what}; not opened"
            self._tally.fault(kind, "nesting-limit", message)
            return
        if kind is not Kind.OFFICE:
            self._tally.read[kind] += 1
        if kind is Kind.GZIP:
            from urisieve.sources.containers.gzip_members import MemberReader

            reader = MemberReader(reader, source=source, tally=self._tally, budget=self._budget)
            yield from self.contents(source, reader, None, depth + 1, layers + 1, named=named, hint=hint)
        elif kind in COMPRESSED:
            from urisieve.sources.containers.compressed import decompressed

            blocks = decompressed(reader, kind, source=source, tally=self._tally, budget=self._budget)
            reader = BlockReader(blocks)
            yield from self.contents(source, reader, None, depth + 1, layers + 1, named=named, hint=hint)
        elif kind is Kind.TAR:
            from urisieve.sources.containers.tar import tar_members

            tar = tar_members(reader, source=source, tally=self._tally)
            yield from self._members(source, kind, tar, depth, layers)
        else:
            from urisieve.sources.containers.zip import zip_members

            with ExitStack() as stack:
                try:
                    file = self._seekable(source, reader, path, stack)
                    if kind is Kind.OFFICE:
                        from urisieve.sources.containers.packages import read_package

                        package = read_package(file, source=source, tally=self._tally, budget=self._budget)
                        if package is not None:
                            content = self._content(
                                package.kind, source, reader, path, depth + 1, layers + 1, named=named
                            )
                            content.parts = package.parts
                            yield content
                            return
                        kind = Kind.ZIP
                        self._tally.read[kind] += 1
                    zipped = zip_members(file, source=source, tally=self._tally, budget=self._budget)
                    yield from self._members(source, kind, zipped, depth, layers)
                except InputError as error:
                    self._tally.fault(kind, "unreadable", f"{source}: {error}")

    def _members(
        self, source: str, kind: Kind, members: Iterator[tuple[str, Iterable[bytes]]], depth: int, layers: int
    ) -> Iterator[Content]:
        seen: set[int] = set()
        counted = f"{kind} member"
        for name, blocks in members:
            if self._budget.spent:
                return
            try:
                self._budget.begin(kind)
            except BrokenInputError as error:
                self._tally.fault(kind, error.reason, f"{source}: {error}")
                return
            self._tally.read[counted] += 1
            mark = hash(name)
            if mark in seen:
                self._tally.read[f"{counted} of the same name"] += 1
            elif len(seen) < _NAMES:  # of further names duplicates are not detected
                seen.add(mark)
            # As `contents` does, which costs a generator for each member.
            inner, reader = member_name(source, name, MEMBER), BlockReader(blocks)
            inner_kind = peeked_kind(reader, inner)
            if inner_kind in LAYERS:
                yield from self._opened(inner_kind, inner, reader, None, depth + 1, layers + 1, named=False)
                continue
            yield self._content(inner_kind, inner, reader, None, depth + 1, layers + 1, named=False)
            self._report_rest(inner, reader)

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
            self._tally.fault(Kind.ZIP, getattr(reader.error, "reason", "unreadable"), f"{source}: {reader.error}")
        except OSError as error:
            raise InputError(f"no room for a zip file that cannot be sought: {error.strerror or error}") from error
        return cast(BinaryIO, copy)
