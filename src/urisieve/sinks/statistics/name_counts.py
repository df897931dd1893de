"""Counts of names, such as hosts: in memory, and on disk beyond a limit; exact whatever the number of names."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from io import SEEK_END
from itertools import chain, islice

from urisieve.dedupe.keyset import KeySet, new_seed
from urisieve.kernel import either, kernel
from urisieve.lean import IO, Final, cast
from urisieve.records.batch import Batch
from urisieve.records.harvested import Harvested
from urisieve.records.layouts import Columns
from urisieve.rules.registry import domains_of, suffixes
from urisieve.sinks.statistics.statistics import NameCount, Ranking

# The bytes of names in memory.
_SIZE: Final = 67_108_864
# The parts of names on disk, each of which fits into memory.
_PARTS: Final = 64
# A name that Python writes to disk: its numbers, before its text.
_HEAD_ON_DISK: Final = struct.Struct("<qqQ")
# The bytes of a name that Python holds, beside its characters.
_NAME: Final = 220
# The number of names, or heads, that become Python objects at once.
_TOGETHER: Final = 4_096
# The number of hosts whose domains Python finds at once.
_DECIDED: Final = 65_536
# The rows that are sorted at once, beyond those of a ranking.
_SORTED: Final = 1_024


class NewCounts:
    """Appearances of names that are added up before they go to `NameCounts`.

    Attributes:
        counts: how often each name came.
        distinct: how many keys came with it first; only of names with some.
    """

    __slots__ = ("counts", "distinct")

    def __init__(self) -> None:
        self.counts: dict[str | None, int] = {}
        self.distinct: dict[str | None, int] = {}

    def add(self, name: str | None, count: int, distinct: int) -> None:
        """Add appearances of a name."""
        counts, fresh = self.counts, self.distinct
        counts[name] = counts.get(name, 0) + count
        if distinct:
            fresh[name] = fresh.get(name, 0) + distinct


class HeldNames:
    """Names in memory: how often each came, and how many keys came with it first."""

    def __init__(self) -> None:
        self._counts: Counter[str | None] = Counter()
        self._distinct: Counter[str | None] = Counter()
        self._characters = 0  # at most

    def __len__(self) -> int:
        return len(self._counts)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return self._characters + _NAME * len(self._counts)

    def add(self, counts: Mapping[str | None, int], distinct: Mapping[str | None, int]) -> None:
        """Add appearances of names, and how many keys are new with each of them."""
        before = len(self._counts)
        self._counts.update(counts)
        self._distinct.update(distinct)
        if len(self._counts) > before:
            self._characters += sum(len(name) for name in counts if name is not None)

    def add_hosts(self, heads: HeadCounts) -> tuple[list[NameCount], list[NameCount]]:
        """Add the hosts of heads; return the counts of schemes, and of heads that are left to be split."""
        return [], list(heads.taken())

    def add_domains(self, hosts: HeldNames) -> Iterable[NameCount]:
        """Add the registrable domains of hosts; return the hosts whose domains are left to be found."""
        return hosts

    def add_templates(self, rows: Columns, new: Sequence[int], first: int) -> tuple[Sequence[int], bytes]:
        """Add the templates of the links in rows.

        Args:
            rows: the rows.
            new: the indices of those with a new key.
            first: the number of the first row.

        Returns:
            the indices of the rows that are left to be counted; and examples of the others, as `NameTable` has them.
        """
        del new, first
        return range(rows.length), b""

    def of_none(self) -> NameCount | None:
        """Return the numbers of None, if it came."""
        return NameCount(None, self._counts[None], self._distinct[None]) if None in self._counts else None

    def __iter__(self) -> Iterator[NameCount]:
        distinct = self._distinct
        new = tuple.__new__
        for name, count in self._counts.items():
            yield new(NameCount, (name, count, distinct.get(name, 0)))

    def best(self, top: int) -> tuple[int, int, list[NameCount]]:
        """Return the number of names but the empty one, the sum of their counts, and the most frequent ones."""
        return best_of(self, top)

    def packed(self) -> list[bytes]:
        """Return all names but None as bytes in parts: equal names are in the same one."""
        parts: list[list[bytes]] = [[] for _ in range(_PARTS)]
        for name, count, distinct in self:
            if name is not None:
                text = stored_text(name)
                parts[hash(name) % _PARTS] += (_HEAD_ON_DISK.pack(count, distinct, len(text)), text)
        return list(map(b"".join, parts))

    def add_packed(self, data: bytes) -> None:
        """Add names that were packed."""
        position = 0
        while position < len(data):
            count, distinct, size = _HEAD_ON_DISK.unpack_from(data, position)
            position += _HEAD_ON_DISK.size + size
            name = read_text(data[position - size : position])
            self.add({name: count}, {name: distinct})


class KernelNames(HeldNames):
    """The same, held by the kernel, but for the name None."""

    def __init__(self) -> None:
        super().__init__()
        self._table = kernel.NameTable(new_seed())

    def __len__(self) -> int:
        return super().__len__() + len(self._table)

    @property
    def size(self) -> int:
        """See `HeldNames.size`."""
        return self._table.size

    def add(self, counts: Mapping[str | None, int], distinct: Mapping[str | None, int]) -> None:
        """See `HeldNames.add`."""
        if None in counts:
            super().add({None: counts[None]}, {None: distinct.get(None, 0)})
        self._table.add(_without_none(counts), _without_none(distinct))

    def add_hosts(self, heads: HeadCounts) -> tuple[list[NameCount], list[NameCount]]:
        """See `HeldNames.add_hosts`."""
        table = heads.table()
        left = list(heads.taken())
        if table is None:
            return [], left
        schemes, others = self._table.add_hosts(table)
        return _name_counts(schemes), [*_name_counts(others), *left]

    def add_domains(self, hosts: HeldNames) -> Iterable[NameCount]:
        """See `HeldNames.add_domains`."""
        assert isinstance(hosts, KernelNames)
        return _name_counts(self._table.add_domains(hosts._table, _suffix_rules()))

    def add_templates(self, rows: Columns, new: Sequence[int], first: int) -> tuple[Sequence[int], bytes]:
        """See `HeldNames.add_templates`."""
        if rows.harvest is None:
            return super().add_templates(rows, new, first)
        return self._table.add_templates(rows.harvest, list(new), first)

    def __iter__(self) -> Iterator[NameCount]:
        yield from super().__iter__()
        for position in range(0, len(self._table), _TOGETHER):
            yield from _name_counts(self._table.rows(position, _TOGETHER))

    def best(self, top: int) -> tuple[int, int, list[NameCount]]:
        """See `HeldNames.best`."""
        names, total, rows = self._table.best(top)
        without = list(super().__iter__())
        best = _sorted([*_name_counts(rows), *without], top)
        return names + len(without), total + sum(row.count for row in without), best

    def packed(self) -> list[bytes]:
        """See `HeldNames.packed`."""
        return self._table.packed(_PARTS)

    def add_packed(self, data: bytes) -> None:
        """See `HeldNames.add_packed`."""
        self._table.add_packed(data)


new_names: Final[Callable[[], HeldNames]] = either(KernelNames, HeldNames)


def _without_none(numbers: Mapping[str | None, int]) -> dict[str, int]:
    if None not in numbers and isinstance(numbers, dict):
        return cast("dict[str, int]", numbers)
    return {name: number for name, number in numbers.items() if name is not None}


def _name_counts(rows: Iterable[tuple[str, int, int]]) -> list[NameCount]:
    return list(map(NameCount._make, rows))


@cache
def _suffix_rules() -> kernel.NameTable:
    """Return the rules of the public suffix list as the kernel takes them."""
    rules = kernel.NameTable(new_seed())
    rules.add(suffixes(), {})
    return rules


class NameCounts:
    """How often each name came, and how many keys came with it first: in memory, and in a file beyond a limit.

    Args:
        folder: the folder of the file; that of `tempfile` for None.
        most: how many names are held in memory; None for as many as fit into 64 MiB.

    Raises:
        OutputError: from every method, the file cannot be made, read or written.
    """

    def __init__(self, folder: str | None = None, most: int | None = None) -> None:
        self._most = most
        self._folder = folder
        self._held = new_names()
        self._none = new_names()  # where names are on disk, what is counted of None
        self._file: IO[bytes] | None = None
        self._pieces: list[list[int]] = []  # of the file: the sizes of the parts of each

    def add(self, counts: Mapping[str | None, int], distinct: Mapping[str | None, int]) -> None:
        """Add appearances of names, and how many keys are new with each of them."""
        self._held.add(counts, distinct)
        self._watch()

    def _watch(self) -> None:
        """Move the names to disk if there are too many."""
        if self._held.size > _SIZE or (self._most is not None and len(self._held) > self._most):
            self._spill()

    def add_hosts(self, heads: HeadCounts) -> tuple[list[NameCount], list[NameCount]]:
        """Add the hosts of heads, which are forgotten, if the kernel can; see `HeldNames.add_hosts`."""
        made = self._held.add_hosts(heads)
        self._watch()
        return made

    def add_templates(self, rows: Columns, new: Sequence[int], first: int) -> tuple[Sequence[int], bytes]:
        """Add the templates of the links in rows, if the kernel can; see `HeldNames.add_templates`."""
        made = self._held.add_templates(rows, new, first)
        self._watch()
        return made

    def add_domains(self, hosts: NameCounts) -> None:
        """Add the registrable domains of hosts.

        Raises:
            UsageError: the extra `domains` is not installed.
        """
        for some in hosts._parts():
            left = iter(self._held.add_domains(some))
            while rows := list(islice(left, _DECIDED)):
                found = NewCounts()
                for domain, (_, count, distinct) in zip(domains_of([host for host, _, _ in rows]), rows, strict=True):
                    if domain is not None:
                        found.add(domain, count, distinct)
                self.add(found.counts, found.distinct)
            self._watch()

    def take(self, other: NameCounts) -> None:
        """Add all names of other counts."""
        rows = iter(other)
        while some := list(islice(rows, _DECIDED)):
            self.add({name: count for name, count, _ in some}, {name: fresh for name, _, fresh in some})

    def _spill(self) -> None:
        """Move all names to disk."""
        held, self._held = self._held, new_names()
        counted = held.of_none()
        if counted:
            self._none.add({None: counted.count}, {None: counted.distinct})
        parts = held.packed()
        with failing_in(self._folder):
            if self._file is None:
                import tempfile

                self._file = tempfile.TemporaryFile(dir=self._folder, prefix="urisieve-")  # noqa: SIM115 - it stays open
            self._file.seek(0, SEEK_END)
            self._file.writelines(parts)
        self._pieces.append(list(map(len, parts)))

    def _parts(self) -> Iterator[HeldNames]:
        """Yield all names in parts: no name is in two of them."""
        if self._file is None:
            yield self._held
            return
        self._spill()
        yield self._none
        for part in range(_PARTS):
            names = new_names()
            start = 0
            for sizes in self._pieces:
                with failing_in(self._folder):
                    self._file.seek(start + sum(sizes[:part]))
                    data = self._file.read(sizes[part])
                names.add_packed(data)
                start += sum(sizes)
            yield names

    def __iter__(self) -> Iterator[NameCount]:
        """Yield all names with their counts, in no order."""
        return chain.from_iterable(self._parts())

    def counter(self) -> Counter[str | None]:
        """Return how often each name came."""
        return Counter({name: count for name, count, _ in self})

    def of(self, names: Iterable[str | None]) -> Counter[str | None]:
        """Return how often some names came."""
        wanted = frozenset(names)
        return Counter({name: count for name, count, _ in self if name in wanted})

    def ranking(self, top: int) -> Ranking:
        """Return the most frequent names; the empty one does not count."""
        names = total = 0
        best: list[NameCount] = []
        for part in self._parts():
            some, count, rows = part.best(top)
            names, total, best = names + some, total + count, _sorted([*best, *rows], top)
        return Ranking(names=names, total=total, rows=tuple(best), others=total - sum(row.count for row in best))

    def close(self) -> None:
        """Remove the file; what was counted must not be used afterwards."""
        if self._file is not None:
            self._file.close()


def best_of(rows: Iterable[NameCount], top: int) -> tuple[int, int, list[NameCount]]:
    """Return the number of names but the empty one, the sum of their counts, and the most frequent ones."""
    names = total = least = 0
    best: list[NameCount] = []
    for row in rows:
        name, count, _ = row
        if name != "":
            names += 1
            total += count
            if count >= least:
                best.append(row)
                if len(best) >= _SORTED + 2 * top:
                    least = _sorted(best, top)[-1].count
    return names, total, _sorted(best, top)


def _sorted(rows: list[NameCount], top: int) -> list[NameCount]:
    """Leave the most frequent of some names; return them in their order."""
    rows.sort(key=lambda row: (-row.count, row.name is not None, row.name or ""))
    del rows[top:]
    return rows


@contextmanager
def failing_in(folder: str | None) -> Iterator[None]:
    """Raise OutputError where a temporary file in a folder cannot be made, read or written."""
    try:
        yield
    except OSError as error:
        from urisieve.dedupe.digest_runs import spill_failure

        raise spill_failure(folder, error) from error


def stored_text(text: str) -> bytes:
    """Return a text as it is written in a file on disk."""
    return text.encode("utf-8", "surrogatepass")


def read_text(stored: bytes) -> str:
    """Return a text that is written in a file on disk."""
    return stored.decode("utf-8", "surrogatepass")


# About how many bytes a head takes, beside its characters.
_HEAD: Final = 300


class HeadCounts:
    """How often each head came, and how many keys came with it first."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._new: Counter[str] = Counter()
        self._characters = 0  # at most

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return self._characters + _HEAD * len(self._counts)

    def add(self, rows: Batch, keys: KeySet, odd: Sequence[KeySet]) -> tuple[Sequence[int], Sequence[int]]:
        """Add the heads of rows, and their keys to a set.

        Args:
            rows: the rows, with `raw`, `uri` and `key`.
            keys: the keys that came so far.
            odd: sets of keys.

        Returns:
            the indices of the rows whose key is new; and of at least those that are not their key alone, in ASCII:
            whose raw text or canonical form differs, whose key came first so, or is in one of the sets `odd`.
        """
        del odd
        new = keys.unseen_indices(list(rows.column("key")))
        heads = rows.layout.heads()
        self._counts.update(heads)
        self._new.update([heads[index] for index in new])
        self._characters += sum(map(len, heads))
        return new, range(len(rows))

    def taken(self) -> Iterator[NameCount]:
        """Yield each head with its numbers, and forget them, but for those of a table that was taken before."""
        counts, new = self._counts, self._new
        self._counts, self._new, self._characters = Counter(), Counter(), 0
        for head, count in counts.items():
            yield NameCount(head, count, new[head])

    def table(self) -> kernel.KeyTable | None:
        """Return the heads that the kernel has counted, and forget them; None if it has not."""
        return None


class KernelHeads(HeadCounts):
    """The same, counted by the kernel where it has found the rows, and their keys are in memory."""

    def __init__(self) -> None:
        super().__init__()
        self._table = kernel.KeyTable(new_seed())

    @property
    def size(self) -> int:
        """See `HeadCounts.size`."""
        return super().size + self._table.size

    def add(self, rows: Batch, keys: KeySet, odd: Sequence[KeySet]) -> tuple[Sequence[int], Sequence[int]]:
        """See `HeadCounts.add`."""
        layout = rows.layout
        added = keys._unseen_heads(layout, self._table, odd) if isinstance(layout, Harvested) else None
        return super().add(rows, keys, odd) if added is None else added

    def taken(self) -> Iterator[NameCount]:
        """See `HeadCounts.taken`."""
        yield from super().taken()
        table = self.table()
        for position in range(0, len(table), _TOGETHER):
            for head, _, count, _, _, _, new, *_ in table.rows(None, position, _TOGETHER):
                yield NameCount(head, count, new)

    def table(self) -> kernel.KeyTable:
        """See `HeadCounts.table`."""
        table, self._table = self._table, kernel.KeyTable(new_seed())
        return table


new_heads: Final = either(KernelHeads, HeadCounts)
