"""The search of the kernel beside that in Python, which is the definition: whatever both find has to be the same."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

from tests.helpers.generated_texts import Texts
from tests.helpers.glued_texts import glued
from urisieve import Options
from urisieve.find.kernel_search import KernelSearch
from urisieve.find.search import Search
from urisieve.options import Bare
from urisieve.records.batch import Batch, BatchBuffer
from urisieve.records.layouts import COLUMNS
from urisieve.rules.scheme_table import Scheme

__all__ = [
    *(
        "ALL",
        "KNOWN",
        "PIVOTS",
        "Case",
        "Found",
        "WatchedSearch",
        "cases",
        "compared",
        "difference",
        "in_kernel",
        "shrunk",
    ),
    "takes_both_ways",
]

ALL: Final = frozenset(COLUMNS)
_SHELF: Final = Scheme("shelf", "a shelf", "Manual, 4", shape="[a-z]{2,16}/[0-9]{1,6}(?![0-9A-Za-z])")
_FOUND: Final = Scheme("foo", "a row of its own", "Manual, 5", shape="[a-z]+")
# What the options find beside schemes, alone and together: the kernel stops at their pivots for the finder.
PIVOTS: Final = (
    Options(email=True),
    Options(schemeless="www"),
    Options(schemeless="names"),
    Options(bare=["doi", "isbn"]),
    Options(bare=tuple(Bare)),
    Options(schemes="any"),
    Options(urn_syntax="rfc8141"),
    Options(nested=True),
    Options(repair=True),
    Options(refang=True),
    Options(refang=True, schemeless="names"),
    Options(refang=True, email=True, schemeless="www"),
    Options(schemeless="names", email=True, max_length=64),
    Options(refang=True, email=True, schemeless="names", nested=True, max_length=100),
    Options(schemes="any", refang=True, bare=tuple(Bare)),
    Options(schemes={"https", "urn"}, schemeless="names", email=True, bare=tuple(Bare), refang=True, nested=True),
    Options(schemes="web", schemeless="www", email=True, bare=tuple(Bare)),
    Options(exclude_schemes={"mailto", "doi"}, schemeless="names", email=True, refang=True, bare=tuple(Bare)),
    Options(schemes={"http", "foo"}, refang=True, schemeless="names"),
    Options(repair=True, nested=True, urn_syntax="rfc8141", max_length=80),
    Options(schemes="any", email=True, schemeless="names", bare=tuple(Bare), urn_syntax="rfc8141"),
)
# Options of all kinds, and the defaults more often.
KNOWN: Final = (
    *(Options(),) * 8,
    Options(level="syntax"),
    Options(level="none"),
    Options(schemes="registered"),
    Options(schemes={"http", "mailto", "foo", "ftp"}),
    Options(schemes={"urn", "x-y", "data"}, max_length=64),
    Options(schemes={"shelf"}, rules=[_SHELF]),
    Options(exclude_schemes={"http", "urn", "foo"}),
    Options(exclude_schemes={"https", "mailto"}, schemes="registered"),
    Options(known_schemes={"foo", "s", "x-y"}),
    Options(rules=[_SHELF, _FOUND]),
    Options(merge=["drop-fragment", "strip-www"]),
    Options(merge=["sort-query"], level="syntax"),
    Options(charset="legacy"),
    Options(positions="offsets"),
    Options(spoofing=True),
    Options(protect=["a.example"]),
    Options(max_length=64),
    Options(max_length=100),
    Options(max_length=300),
    Options(max_length=1_000_000),
    *PIVOTS,
)


class WatchedSearch(KernelSearch):
    """A search of the kernel that counts the ways it takes.

    Attributes:
        ways: the number of `looks` of the finder, of candidates `found` there, of those judged for the `memo`, of
            `texts`, and of those of them that the kernel alone `decided`, in which something was found.
    """

    def __init__(self, options: Options, sink: BatchBuffer, columns: frozenset[str] = ALL) -> None:
        super().__init__(options, sink, columns=columns)
        self.ways: Counter[str] = Counter()

    def _look(self, final: bool) -> bool:
        found = len(self._batches.found)
        self.ways["looks"] += 1
        decided = super()._look(final)
        self.ways["found"] += len(self._batches.found) - found
        return decided

    def _judge(self) -> None:
        judged = len(self._batches.judged)
        super()._judge()
        self.ways["memo"] += len(self._batches.judged) - judged


class Case(NamedTuple):
    """A text in pieces, to be searched.

    Attributes:
        pieces: all of them `str`, or all `bytes`.
        options: what to find.
        columns: the columns to make.
        entered: the context, the offset, the lines and the size to enter with; None to begin at the start.
    """

    pieces: Sequence[str] | Sequence[bytes]
    options: Options = Options()
    columns: frozenset[str] = ALL
    entered: tuple[str, int, int, int] | None = None


class Found(NamedTuple):
    """The rows of a search with the wanted columns in order, their components, and rejections with the rows before."""

    rows: list[tuple[Any, ...]]
    components: list[Any]
    rejections: list[tuple[int, dict[str, Any]]]
    stray: int


def _gathered(batches: Sequence[Batch], columns: frozenset[str], stray: int) -> Found:
    found = Found([], [], [], stray)
    for batch in batches:
        found.rejections.extend(
            (len(found.rows) + before, rejection.as_dict())
            for before, rejection in zip(batch._before, batch.rejections, strict=True)
        )
        found.rows.extend(zip(*(batch.column(name) for name in sorted(columns)), strict=True))
        if "uri" in columns:
            found.components.extend(batch.components())
    return found


def _run(search: Search | KernelSearch, case: Case, buffer: BatchBuffer) -> list[Batch]:
    if case.entered is not None:
        search.enter(*case.entered)
    for piece in case.pieces:
        if isinstance(piece, bytes):
            search.feed_bytes(piece)
        else:
            search.feed(piece)
    search.close()
    return [buffer.taken()]


def _in_python(case: Case) -> Found:
    """Return what the search in Python finds; of bytes, with the offsets of bytes that it does not count."""
    buffer = BatchBuffer()
    columns = case.columns
    is_bytes = isinstance(case.pieces[0], bytes) if case.pieces else False
    if not is_bytes:
        return _gathered(_run(Search(case.options, buffer, columns=columns), case, buffer), columns, 0)
    text = b"".join(case.pieces).decode("utf-8", "surrogateescape")  # type: ignore[arg-type] # as just seen
    stray = sum("\udc80" <= character <= "\udcff" for character in text)
    counted = case._replace(pieces=[text], columns=columns | {"start", "end"})
    found = _gathered(
        _run(Search(case.options, buffer, columns=counted.columns), counted, buffer), counted.columns, stray
    )
    _, offset, _, size = case.entered or ("", 0, 0, 0)
    sizes = [1 if "\udc80" <= character <= "\udcff" else len(character.encode()) for character in text]
    at = list(accumulate(sizes, initial=size))
    names = sorted(counted.columns)
    rows = []
    for values in found.rows:
        row = dict(zip(names, values, strict=True))
        row["byte_start"], row["byte_end"] = at[row["start"] - offset], at[row["end"] - offset]
        rows.append(tuple(row[name] for name in sorted(columns)))
    wants_bytes = not columns.isdisjoint(("byte_start", "byte_end"))
    for _, rejection in found.rejections:
        if wants_bytes:
            rejection["byte_start"], rejection["byte_end"] = (
                at[rejection["start"] - offset],
                at[rejection["end"] - offset],
            )
    return found._replace(rows=rows)


def in_kernel(case: Case, ways: Counter[str] | None = None) -> Found:
    """Return what the search of the kernel finds, and add the ways it took."""
    buffer = BatchBuffer()
    search = WatchedSearch(case.options, buffer, case.columns)
    found = _gathered(_run(search, case, buffer), case.columns, search.stray)
    search.ways["texts"] = 1
    search.ways["rows"] = len(found.rows)
    search.ways["rejections"] = len(found.rejections)
    search.ways["decided"] = int(bool(found.rows) and not search.ways["looks"] and not search.ways["memo"])
    if ways is not None:
        ways.update(search.ways)
    return found


def difference(case: Case, ways: Counter[str] | None = None) -> str | None:
    """Return how the findings of both searches differ; None if they are the same."""
    return compared(_in_python(case), in_kernel(case, ways))


def compared(python: Found, kernel: Found) -> str | None:
    """Return the first difference of two findings."""
    if python == kernel:
        return None
    for name in Found._fields:
        left, right = getattr(python, name), getattr(kernel, name)
        if isinstance(left, list):
            for index, (one, other) in enumerate(zip(left, right, strict=False)):
                if one != other:
                    return f"{name}[{index}]: Python {one!r}, kernel {other!r}"
            if len(left) != len(right):
                more = left[len(right) :] or right[len(left) :]
                return f"{name}: Python has {len(left)}, the kernel {len(right)}; {more[0]!r}"
        elif left != right:
            return f"{name}: Python {left!r}, kernel {right!r}"
    raise AssertionError(name)


def takes_both_ways(ways: Counter[str]) -> bool:
    """Report whether each way was taken in a good part of the texts, and none in nearly all."""
    texts = ways["texts"]
    alone, judged, looked = ways["decided"], ways["memo"], ways["found"]
    return texts > 0 and all(0.05 * texts < number for number in (alone, judged, looked)) and alone < 0.9 * texts


def cases(seed: int, *, long: float = 0.002) -> Iterator[Case]:
    """Yield cases without end: texts, options, columns, and how they are fed."""
    source = random.Random(seed)
    texts = Texts(source, long=long)
    names = sorted(ALL)
    while True:
        text, options = texts.text(), source.choice(KNOWN)
        if source.random() < 0.2:
            made = glued(source.choice)
            text, options = made.text, made.options
        columns = ALL
        if source.random() < 0.3:
            columns = frozenset(source.sample(names, source.randrange(len(names)))) | {"uri", "key"}
        entered = None
        if source.random() < 0.05:
            context = source.choice(("", "\n", "see http://a.exam\n", "<\n", "x" * 100 + "\n", "a\nb\n"))
            lines = context.count("\n") + source.randrange(3)
            entered = (context, len(context) + source.randrange(9), lines, len(context) + source.randrange(99))
        pieces: Any = texts.pieces(texts.octets(text) if source.random() < 0.4 else text)
        yield Case(pieces, options, columns, entered)


def shrunk(case: Case) -> Case:
    """Return a case with less text in which the searches still differ: whole if that is enough, else in its pieces."""
    empty: Any = b"" if case.pieces and isinstance(case.pieces[0], bytes) else ""
    whole = case._replace(pieces=[empty.join(case.pieces)])
    if difference(whole):
        case = whole
    for options in (Options(), Options(max_length=case.options.max_length)):
        if difference(case._replace(options=options)):
            case = case._replace(options=options)
            break
    length = max(map(len, case.pieces))
    while length:
        for number in range(len(case.pieces)):
            start = 0
            while start < len(case.pieces[number]):
                piece: Any = case.pieces[number]
                pieces: Any = list(case.pieces)
                pieces[number] = piece[:start] + piece[start + length :]
                shorter = case._replace(pieces=pieces)
                if difference(shorter):
                    case = shorter
                else:
                    start += length
        length //= 2
    pieces = [piece for piece in case.pieces if piece]
    fewer = case._replace(pieces=pieces)
    return fewer if difference(fewer) else case
