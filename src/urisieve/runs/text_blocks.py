"""The search in a block of many short texts: one search, then the location of each row that was found.

The texts are joined by a separator that no candidate crosses. What is found in the whole is what would be found in each
text alone, with one exception: a text that its carrier delimits and that begins with a scheme is one candidate (RFC
3986 Appendix C), so each of them of which running text made something else is judged again.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter

from urisieve.codes import Warn
from urisieve.find.delimited import SEPARATOR, Delimited
from urisieve.find.searches import AnySearch
from urisieve.finding_options import Bare
from urisieve.lean import TYPE_CHECKING, Any, Final, lazy_compile
from urisieve.records.base import Location
from urisieve.records.batch import TIME, Batch, BatchBuffer
from urisieve.records.layouts import placed_in_texts
from urisieve.records.rejection import Rejection, make_rejection
from urisieve.runs.repeats import Repeats, unrepeated
from urisieve.sources.documents import BYTES, BlockRows, Document, Segment, segment_columns
from urisieve.syntax.components import SPACES

if TYPE_CHECKING:
    from urisieve.sources.hours import LineHours

# The columns by which rows are placed in their texts.
PLACING: Final = frozenset(("start", "end"))
_LINES: Final = frozenset(("line", "column"))
_LENGTH: Final = len(SEPARATOR)
# Warnings that follow from an identifier, wherever it is found.
_OF_JUDGE: Final = frozenset(
    (
        *(Warn.SCHEME_SYNTAX, Warn.USERINFO_PRESENT, Warn.PASSWORD_PRESENT, Warn.SECRET_PRESENT, Warn.HOST_NOT_LDH),
        Warn.UNREGISTERED_SCHEME,
    )
)
# In the kind of a text: that it is one candidate, and that its character set is not of Unicode (segments.h).
_LINK: Final = 1
_LEGACY: Final = 2
# Where a text begins with a scheme, or with the slashes before a host, behind the white space that does not belong to
# the identifier (RFC 3986 3.1, 4.2).
_BEGINS: Final = lazy_compile(lambda: rf"\x1e\n[{re.escape(SPACES)}]*+((?:[A-Za-z][A-Za-z0-9+.\-]*+:)|//)")


class TextBlockSieve:
    """Searches the texts of one block, in bounded memory: that of the block.

    Args:
        block: the texts.
        begin: returns the search of texts at the beginning of one, by whether their character set is not of Unicode; it
            makes the columns of `PLACING`, too.
        buffer: the sink of the search.
        columns: the columns wanted, with `key` if some of its texts are forms of a content.
        repeats: detects what another form of the same content holds.
        lines: finds the times of lines, for those texts that have no context.
        bare: the kinds of numbers without a scheme, before which the name of the field of a text may say what they are.
    """

    def __init__(
        self,
        block: Document,
        begin: Callable[[bool], AnySearch],
        buffer: BatchBuffer,
        columns: frozenset[str],
        repeats: Repeats | None = None,
        lines: LineHours | None = None,
        bare: tuple[Bare, ...] = (),
    ) -> None:
        self._bare = bare
        self._block = block
        self._begin = begin
        self._buffer = buffer
        self._columns = columns
        self._repeats = Repeats() if repeats is None else repeats
        self._lines_of_whole = lines
        self._segments: dict[int, Segment] = {}

    def batches(self) -> list[Batch]:
        """Return what is found, each row with its offsets and its location in its own text."""
        search = self._begin(self._block.legacy)
        left: Sequence[int] | None = None
        if self._block.kinds and search.takes_segments:
            left = search.segments(self._block.whole, self._block.begins, self._block.kinds)
        else:
            search.finish(self._block.whole)
        batches = self._buffer.drained()
        if self._lines_of_whole is not None:
            self._lines_of_whole.restart()
            self._lines_of_whole.feed(self._block.whole)
        if left is not None:
            batches = self._with_others(batches, left)
        elif self._block.delimited is not Delimited.TEXT or self._bare:
            batches = self._with_delimited(batches)
        if self._block.alternatives:
            batches = self._unrepeated(batches)
        return list(map(self._placed, batches))

    # ------------------------------------------------------------ delimited texts

    def _with_delimited(self, batches: list[Batch]) -> list[Batch]:
        """Return batches with what some texts contain by themselves in place of what running text made of them.

        These are texts that are one candidate as a whole, if the carrier delimits any, and those with a number that the
        name of their field explains.
        """
        labelled = self._labelled() if self._bare else frozenset[int]()
        undecided = self._undecided(batches) if self._block.delimited is not Delimited.TEXT else []
        changed, others = self._searched_alone(labelled.union(undecided), labelled)
        return self._with_found(batches, others, changed) if changed else batches

    def _with_others(self, batches: list[Batch], left: Sequence[int]) -> list[Batch]:
        """Return batches with what is found in the texts that the kernel has left: running text at once."""
        block = self._block
        together = [index for index in left if not block.kinds[index] & _LINK and not self._label(index)]
        alone = frozenset(left).difference(together)
        _, others = self._searched_alone(alone, alone)
        for legacy in (False, True):
            wanted = frozenset(index for index in together if bool(block.kinds[index] & _LEGACY) is legacy)
            if wanted:
                others += self._searched_together(wanted, legacy)
        return self._with_found(batches, others, ()) if others else batches

    def _searched_together(self, wanted: frozenset[int], legacy: bool) -> list[Batch]:
        """Search some of the texts as one; `legacy` says whether their character sets are not of Unicode."""
        block, first = self._block, min(wanted)
        texts = ((index in wanted, block.text(index)) for index in range(first, max(wanted) + 1))
        whole = SEPARATOR.join([text if is_left else _blank(text) for is_left, text in texts])
        search = self._begin(legacy)
        search.enter("", block.begins[first], _lines_before(block, (first,))[0])
        search.finish(whole)
        return list(filter(None, self._buffer.drained()))

    def _with_found(self, batches: list[Batch], others: list[Batch], changed: Sequence[int]) -> list[Batch]:
        """Return batches in the order of the texts, with what was found in some texts in place of what is in them.

        Args:
            batches: what was found in the whole.
            others: what was found in some of the texts, apart.
            changed: the indices of texts, which rise, of which no more than that counts.
        """
        base = Batch.joined(batches)
        if base.layout.harvest is None:
            return [_merged([*(self._without(batch, changed) for batch in batches), *others], self._block)]
        other = others[0] if len(others) == 1 else _merged(others, self._block)
        order, rejections, before = self._interleaved(base, other, changed)
        layout = base.layout.joined(other.layout, order)
        if layout is None:
            return [_merged([*(self._without(batch, changed) for batch in batches), *others], self._block)]
        mine, others_of = base.own_parts, other.own_parts
        known = {**mine, **{len(base) + index: parts for index, parts in others_of.items()}}
        parts = {new: known[index] for new, index in enumerate(order) if index in known} if known else mine
        return [base._same(layout, parts=parts).with_rejections(rejections, before)]

    def _interleaved(
        self, base: Batch, other: Batch, changed: Sequence[int]
    ) -> tuple[list[int], list[Rejection], list[int]]:
        """Return the order of the rows of two batches by their texts, the rejections, and the rows before each.

        Of a text in `changed` the first batch has nothing; the rows of the other one follow on its rows.
        """
        mine, others = _Ordered(base, self._block), _Ordered(other, self._block)
        order: list[int] = []
        rejections: list[Rejection] = []
        before: list[int] = []
        for index in sorted({*changed, *others.texts, *others.rejected}):
            mine.pass_on(index, order, rejections, before, 0)
            if index in changed:
                mine.leave_out(index)
            else:
                mine.pass_on(index + 1, order, rejections, before, 0)
            others.pass_on(index + 1, order, rejections, before, len(base))
        mine.pass_on(self._block.size, order, rejections, before, 0)
        return order, rejections, before

    def _labelled(self) -> frozenset[int]:
        """Return the indices of the texts with a number that the name of their field explains."""
        from urisieve.find.finder.bare_places import bare_pivot
        from urisieve.judge.number_names import field_label

        numbers = re.compile(bare_pivot(self._bare)).finditer(self._block.whole)
        indices = list(dict.fromkeys([self._block.index_at(number.start()) for number in numbers]))
        if self._block.fields is not None:
            named = zip(indices, self._block.fields(indices), strict=True)
            indices = [index for index, field in named if field and any(field_label(field, self._bare))]
        return frozenset(index for index in indices if self._label(index))

    def _label(self, index: int) -> str:
        """Return the line that says what the field of a text holds; "" if its name says nothing."""
        if not self._bare:
            return ""
        from urisieve.judge.number_names import number_label

        one = self._segment(index)
        return number_label(one.place.field, one.beside, self._bare)

    def _searched_alone(self, indices: Iterable[int], running: frozenset[int]) -> tuple[list[int], list[Batch]]:
        """Search some of the texts one by one: as one candidate, and those in `running` else as running text.

        Returns:
            the indices of those that were searched, and what was found in them, as found in the whole.
        """
        changed: list[int] = []
        found: list[Batch] = []
        ordered = sorted(indices)
        for index, feeds in zip(ordered, _lines_before(self._block, ordered), strict=True):
            one, text, begin = self._segment(index), self._block.text(index), self._block.begins[index]
            search = self._begin(one.legacy)
            if one.delimited is Delimited.TEXT or not search.delimited(text, one.delimited, begin, feeds):
                if index not in running:
                    continue
                search = self._begin(one.legacy)
                search.enter(self._label(index), begin, feeds)
                search.finish(text)
            changed.append(index)
            found += filter(None, self._buffer.drained())
        return changed, found

    def _undecided(self, batches: Sequence[Batch]) -> list[int]:
        r"""Return the indices of the texts that begin with a scheme, and of which no row takes all.

        A row with a warning does not count, unless the identifier alone is the reason: some are about what is around a
        candidate in running text. Nor does a rejection: its reason may be of running text, in which `http:\/\/` has
        escapes.
        """
        whole, begins = self._block.whole, self._block.begins
        if len(batches) == 1:
            numbers = begins if isinstance(begins, memoryview) else memoryview(array("q", begins))
            unfilled = batches[0].layout.unfilled(whole, numbers, _doubted(batches[0]))
            if unfilled is not None:
                return list(unfilled)
        stops = {begin - _LENGTH for begin in begins} if batches else ()
        taken: set[int] = set()  # where texts begin of which a row takes all
        for batch in batches:
            if len(batch):
                starts = batch.column("start")
                taken.update([start for start, end in zip(starts, batch.column("end"), strict=True) if end in stops])
                taken.difference_update([starts[row] for row in _doubted(batch)])
        found: list[int] = []
        index = 0
        for match in _BEGINS.finditer(whole):
            if match.start(1) not in taken:
                begin = match.start() + 2
                index = bisect_left(begins, begin, index)
                if begins[index] == begin:
                    found.append(index)
        return found

    def _without(self, batch: Batch, left_out: Sequence[int]) -> Batch:
        """Return a batch without the rows and rejections in some texts."""
        gone = frozenset(left_out)

        def stays(start: int) -> bool:
            return self._block.index_at(start) not in gone

        kept = [index for index, start in enumerate(batch.column("start")) if stays(start)] if len(batch) else []
        pairs = [pair for pair in zip(batch.before, batch.rejections, strict=True) if stays(pair[1].start)]
        before = [bisect_left(kept, number) for number, _ in pairs]
        return batch.select(kept).with_rejections([one for _, one in pairs], before)

    # ------------------------------------------------------------ forms of one content

    def _unrepeated(self, batches: Sequence[Batch]) -> list[Batch]:
        """Return batches without what another form of the same content contains."""
        index_at, alternatives = self._block.index_at, self._block.alternatives
        return [unrepeated(batch, self._repeats, lambda start: alternatives.get(index_at(start))) for batch in batches]

    # ------------------------------------------------------------ locations

    def _segment(self, index: int) -> Segment:
        segment = self._segments.get(index)
        if segment is None:
            segment = self._segments[index] = self._block.segment(index)
        return segment

    def _placed(self, batch: Batch) -> Batch:
        """Return a batch with the offsets, the lines and the location of each row in its own text."""
        block, columns = self._block, self._columns
        rejections = batch.rejections
        changed: dict[str, Sequence[Any]] = {}
        has_raws = block.references is not None and "raw" in columns
        has_own = has_raws or ("warnings" in columns and (block.shown or block.warnings))
        if len(batch) and (has_own or not columns.isdisjoint(_LOCATING)):
            numbers, starts, ends = batch.layout.in_texts(block.begins, 0)
            changed = {"start": starts, "end": ends}
            if block.columns is not None:
                wanted = columns if self._lines_of_whole is None else columns | {"location"}
                changed |= block.columns(BlockRows(batch, numbers, starts, ends, wanted))
                if "line" in columns and "line" not in changed:
                    changed["line"] = self._lines_inside(numbers, batch.column("line"))
                if self._lines_of_whole is not None:
                    locations = changed.pop("location")
                    changed |= self._dated(locations, batch.column("start"), columns, self._lines_of_whole)
            else:
                changed |= self._located(numbers, starts, ends, batch.column, columns)
            if has_own:
                changed |= own_columns(batch, numbers, block, columns.difference(changed))
        elif TIME in columns:
            changed = {TIME: []}
        if changed:
            batch = batch.replaced(changed)
        return batch.with_rejections(self._rejections(rejections), batch.before) if rejections else batch

    def _located(
        self,
        numbers: Sequence[int],
        starts: Sequence[int],
        ends: Sequence[int],
        column: Callable[[str], Sequence[Any]],
        wanted: frozenset[str],
    ) -> dict[str, Sequence[Any]]:
        """Return columns that say where and when rows or rejections are, by the segments of their texts.

        Args:
            numbers: the index of the text of each; they rise.
            starts: the offset of each in its text.
            ends: the end of each there.
            column: returns what they have in the whole, by the name of a column.
            wanted: the names of the columns.
        """
        if wanted.isdisjoint(_LOCATING):
            return {}
        segments = list(map(self._segment, numbers))
        places: Iterable[tuple[int, int]] = ()
        if not wanted.isdisjoint(_LINES):
            # Where no column has lines, those of running text are not counted.
            is_counted = not self._columns.isdisjoint(_LINES)
            lines = self._lines_inside(numbers, column("line")) if is_counted else [0] * len(numbers)
            places = zip(lines, column("column"), strict=True)
        found = segment_columns(segments, starts, ends, wanted, places)
        if self._lines_of_whole is not None:
            locations = [one.place for one in segments]
            found |= self._dated(locations, column("start"), wanted, self._lines_of_whole)
        return found

    def _dated(
        self, locations: Sequence[Location], offsets: Sequence[int], wanted: frozenset[str], lines: LineHours
    ) -> dict[str, Sequence[Any]]:
        """Return columns that say when rows are: as their texts say, else their lines.

        Args:
            locations: the location of the text of each.
            offsets: the offset of each in the whole.
            wanted: the names of the columns.
            lines: the times of lines.
        """
        from urisieve.sources.contexts import hour_at
        from urisieve.sources.hours import location_in

        found: dict[str, Sequence[Any]] = {}
        if TIME in wanted:
            pairs = zip(locations, lines.hours(offsets), strict=True)
            found[TIME] = [hour if at.context is None else hour_at(at) for at, hour in pairs]
        if "location" in self._columns:
            found["location"] = list(map(location_in, locations, lines.contexts(offsets)))
        return found

    def _lines_inside(self, numbers: Sequence[int], lines: Sequence[int]) -> list[int]:
        """Return the line of each row in its own text, by its line in the whole; the numbers rise."""
        before = _lines_before(self._block, numbers)
        return [line - feeds for feeds, line in zip(before, lines, strict=False)]

    def _rejections(self, rejections: Sequence[Rejection]) -> list[Rejection]:
        def column(name: str) -> list[Any]:
            return [getattr(one, name) for one in rejections]

        numbers, starts, ends = placed_in_texts(self._block.begins, 0, column("start"), column("end"))
        wanted = _LINES | _SOURCE | {"location"} | self._columns & BYTES
        changed = {"start": starts, "end": ends, **self._located(numbers, starts, ends, column, wanted)}
        rows = zip(rejections, zip(*changed.values(), strict=True), strict=True)
        return [make_rejection(one._row._replace(**dict(zip(changed, row, strict=True)))) for one, row in rows]


_SOURCE: Final = frozenset(("source",))
_LOCATING: Final = PLACING | _LINES | BYTES | _SOURCE | {"location", TIME}


def own_columns(
    batch: Batch, numbers: Sequence[int], block: Document, wanted: frozenset[str]
) -> dict[str, Sequence[Any]]:
    """Return the columns of a batch that texts change by what they state of their identifiers.

    Args:
        batch: the batch.
        numbers: the index of the text of each row.
        block: the texts.
        wanted: the names of the columns that are wanted.
    """
    changed: dict[str, Sequence[Any]] = {}
    written = list(map(block.references, numbers)) if block.references and "raw" in wanted else ()
    if any(written):
        changed["raw"] = [reference or raw for reference, raw in zip(written, batch.column("raw"), strict=True)]
    own = block.shown.keys() | block.warnings.keys() if "warnings" in wanted else ()
    rows = [row for row, number in enumerate(numbers) if number in own]
    if rows:
        from urisieve.sources.html.html_links import differs

        changed["warnings"] = warnings = list(batch.column("warnings"))
        uris: Sequence[str] = ()
        for row in rows:
            codes, more, target = warnings[row], block.warnings.get(numbers[row], ()), ""
            visible = block.shown.get(numbers[row])
            if Warn.UNWRAPPED in codes:  # a link inside another is compared itself
                uris = uris or batch.column("uri")
                target, more = uris[row], tuple([code for code in more if code is Warn.NOT_AS_NAMED])
            if visible is not None and differs(visible, target or block.text(numbers[row])):
                more = (Warn.TEXT_DIFFERS_FROM_TARGET, *more)
            warnings[row] = (*codes, *more)
    return changed


class _Ordered:
    """The rows and rejections of a batch, as they are passed on text by text.

    Attributes:
        texts: the index of the text of each row.
        rejected: that of each rejection.
    """

    def __init__(self, batch: Batch, block: Document) -> None:
        begins = block.begins
        kept = begins if isinstance(begins, memoryview) else memoryview(array("q", begins))
        self.texts: Sequence[int] = batch.layout.in_texts(kept, 0)[0] if len(batch) else ()
        self.rejected = [block.index_at(one.start) for one in batch.rejections]
        self._batch = batch
        self._row = self._refused = 0

    def pass_on(self, index: int, order: list[int], rejections: list[Rejection], before: list[int], first: int) -> None:
        """Pass on what is in texts before one; `first` is the number of the first row of the batch."""
        stop, end = bisect_left(self.texts, index, self._row), bisect_left(self.rejected, index, self._refused)
        by = len(order) - self._row
        before += [number + by for number in self._batch.before[self._refused : end]]
        rejections += self._batch.rejections[self._refused : end]
        order += range(first + self._row, first + stop)
        self._row, self._refused = stop, end

    def leave_out(self, index: int) -> None:
        """Leave out what is in a text."""
        self._row = bisect_right(self.texts, index, self._row)
        self._refused = bisect_right(self.rejected, index, self._refused)


def _doubted(batch: Batch) -> list[int]:
    """Return the indices of the rows with a warning that does not follow from the identifier alone."""
    warned = batch.warned()
    codes = zip(warned, batch.layout.codes_at(warned), strict=True) if warned else ()
    return [row for row, some in codes if not _OF_JUDGE.issuperset(some)]


def _blank(text: str) -> str:
    """Return a text of the same length and with as many lines, in which nothing is found."""
    feeds = text.count("\n")
    return "\n" * feeds + " " * (len(text) - feeds)


def _lines_before(block: Document, indices: Sequence[int]) -> list[int]:
    """Return the number of line feeds before each of some texts, by their rising indices."""
    feeds = SEPARATOR.count("\n")
    whole, begins = block.whole, block.begins
    if whole.count("\n") == feeds * block.size:  # no text has one
        return [feeds * (index + 1) for index in indices]
    at = lines = 0
    found: list[int] = []
    for index in indices:
        begin = begins[index]
        lines += whole.count("\n", at, begin)
        at = begin
        found.append(lines)
    return found


def _merged(batches: Sequence[Batch], block: Document) -> Batch:
    """Return the rows and rejections of some batches in the order of the texts; those of one text stay in theirs."""
    whole = Batch.joined(batches)
    starts: Sequence[int] = whole.column("start") if len(whole) else ()
    found: list[tuple[int, int, int]] = []  # the row, its text, the rejection; -1 for what it is not
    row = 0
    for index, (stop, one) in enumerate(zip((*whole.before, len(whole)), (*whole.rejections, None), strict=True)):
        found += [(row, block.index_at(starts[row]), -1) for row in range(row, stop)]
        row = stop
        if one is not None:
            found.append((-1, block.index_at(one.start), index))
    found.sort(key=itemgetter(1))
    order: list[int] = []
    rejections: list[Rejection] = []
    before: list[int] = []
    for row, _, index in found:
        if index < 0:
            order.append(row)
        else:
            rejections.append(whole.rejections[index])
            before.append(len(order))
    return whole.select(order).with_rejections(rejections, before)
