"""From a file to the contents in it: compression and archives, one in the other, read as streams.

A compressed file keeps its name; the name of a member of an archive follows `!` (`logs.tgz!2026/a.log`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import partial

from urisieve.errors import BrokenInputError, InputError
from urisieve.lean import BinaryIO, Final, cast, replace
from urisieve.sources.bytes.block_reader import BlockReader, limited
from urisieve.sources.containers.contents import Content, Declared
from urisieve.sources.containers.limits import DEFAULT_LIMITS, Budget, Limits
from urisieve.sources.kinds.kind_table import COMPRESSED, HEAD_SIZE, LAYERS, Kind, ReaderRow, promised_kind
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
    is_asked: bool = False,
    kind: ReaderRow | None = None,
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
        is_asked: whether an option says what kind of text the contents are; see `peeked_kind`.
        kind: the kind of the file, if that is known.

    Iterating `blocks` of a content raises `InputError` if reading fails, `BrokenInputError` if the text is cut.
    """
    if within is None:
        budget = Budget(limits)
        depth = layers = 0
        blocks = budget.counted(blocks)
    else:
        budget = within.budget or Budget(limits)
        depth, layers = within.depth + 1, within.layers
    file = Content(
        source=source,
        kind=Kind.TEXT,
        blocks=(),
        depth=depth,
        layers=layers,
        budget=budget,
        named=named and within is None,
        declared=declared,
        path=path,
    )
    unpacking = _Unpacking(tally, budget, is_live=path is None and within is None, is_asked=is_asked)
    return unpacking.contents(file, BlockReader(blocks), source if hint is None else hint, kind)


class _Unpacking:
    """Opens compression and archives: a content is filled while its layers are opened, and yielded after the last."""

    def __init__(self, tally: Tally, budget: Budget, *, is_live: bool, is_asked: bool) -> None:
        self._tally = tally
        self._budget = budget
        # `is_live` is whether the file may come slowly.
        self._kind = partial(peeked_kind, is_live=is_live, is_asked=is_asked)

    def contents(
        self, file: Content, reader: BlockReader, hint: str, known: ReaderRow | None = None
    ) -> Iterator[Content]:
        """Yield the contents of a file: its bytes, and a name whose ending decides the kind if they do not."""
        media_type = "" if file.declared is None else file.declared.media_type
        if known is not None:
            reader.peek(HEAD_SIZE)  # as for one whose kind is looked at
        file.kind = known or self._kind(reader, hint, media_type=media_type)
        file.promised = promised_kind(hint, media_type)
        if file.kind in LAYERS:
            yield from self._opened(file, reader, hint)
            return
        file.reader = reader
        file.blocks = reader.whole() if file.kind is Kind.TEXT else reader.rest()
        yield file
        if reader.unreported is not None:  # the reader of the content did not come to it
            self._tally.stopped(file.source, reader.unreported)

    def _opened(self, file: Content, reader: BlockReader, hint: str) -> Iterator[Content]:
        """Yield the contents of what is compressed or an archive."""
        kind, source, path, limits = file.kind, file.source, file.path, self._budget.limits
        if kind is Kind.UNSUPPORTED:
            self._tally.skip(kind, "out-of-scope")
            return
        if file.layers >= limits.nesting or file.depth >= limits.depth:
            is_layers = file.layers >= limits.nesting
            what = f"{file.layers} layers of compression and archives" if is_layers else f"{file.depth} levels"
            self._tally.fault(kind, "nesting-limit", f"{source}: more than {what}; not opened")
            return
        file.path = None  # that of what is in it
        file.depth += 1
        file.layers += 1
        if kind is not Kind.OFFICE:
            self._tally.read[kind] += 1
        if kind is Kind.GZIP:
            from urisieve.sources.containers.compressed import MemberReader

            reader = MemberReader(reader, source=source, tally=self._tally, budget=self._budget)
            yield from self.contents(file, reader, hint)
        elif kind in COMPRESSED:
            from urisieve.sources.containers.compressed import decompressed

            blocks = decompressed(reader, kind, source=source, tally=self._tally, budget=self._budget)
            yield from self.contents(file, BlockReader(blocks), hint)
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
                            file.kind, file.parts = package
                            file.reader, file.path = reader, path
                            file.blocks = reader.rest()
                            yield file
                            return
                        kind = Kind.ZIP
                        self._tally.read[kind] += 1
                    zipped = zip_members(archive, source=source, tally=self._tally, budget=self._budget)
                    yield from self._members(kind, file, zipped)
                except InputError as error:
                    self._tally.fault(kind, "unreadable", f"{source}: {error}")

    def _members(
        self, kind: ReaderRow, file: Content, members: Iterator[tuple[str, Iterable[bytes]]]
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
            inner = replace(file, source=member_name(file.source, name, MEMBER), named=False)
            yield from self.contents(inner, BlockReader(blocks), inner.source)

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
