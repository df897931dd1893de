"""The links inside links of redirectors, inserted into the batches of a search (`Options.unwrap`).

The search itself knows nothing of them: it finds the outer link, in the kernel where that knows the options. So a text
without links of redirectors costs one look at each host more.

The module also defines:

- batches with more rows and rejections than the search has found, each after the row that it belongs to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from urisieve.codes import Component, Reason, Warn
from urisieve.find.ends.candidates import Judgements
from urisieve.find.ends.exit import OF_THE_END
from urisieve.find.pivots import WantedSchemes
from urisieve.finding_options import NestedFinding, Options, Positions, Refang, Unwrap
from urisieve.judge.judge import Judged
from urisieve.judge.validate import Fault, fault
from urisieve.lean import Any, Final, NamedTuple, replace
from urisieve.records.base import RejectionFields
from urisieve.records.batch import Batch, BatchBuffer
from urisieve.records.layouts import SharedValues
from urisieve.records.rejection import Rejection, make_rejection
from urisieve.records.sink import Sink
from urisieve.rules.redirectors import Layer, holds_parameter, layers, named_host, redirector_hosts
from urisieve.rules.table import rules_of
from urisieve.syntax.components import Components
from urisieve.syntax.iri import repaired
from urisieve.syntax.passwords import passwords


class NewRow(NamedTuple):
    """A row to insert.

    Attributes:
        values: its fields by name: at least those of the columns of the batch.
        parts: the components of its URI, if the generic grammar would split it in another way.
    """

    values: Mapping[str, Any]
    parts: Components | None = None


def with_inserted(
    batch: Batch, after: Mapping[int, Sequence[NewRow | Rejection]], without: Collection[int] = ()
) -> Batch:
    """Return a batch with more rows and rejections, and with the same columns.

    Args:
        batch: the batch; its byte offsets must be known, or not asked for yet.
        after: for some rows, by their index, what comes right after them, in order.
        without: the indices of rows to leave out.
    """
    order: list[int] = []  # indices among the old rows, and then the new ones
    new: list[NewRow] = []
    rejections: list[Rejection] = []
    before: list[int] = []
    old: dict[int, list[Rejection]] = {}  # by the row that they come before
    for number, rejection in zip(batch.before, batch.rejections, strict=True):
        old.setdefault(number, []).append(rejection)
    done = 0
    for index in sorted({*old, *after, *without, len(batch)}):  # nothing happens at the rows between these
        order += range(done, index)
        done = min(index + 1, len(batch))
        row = [] if index in without or index == len(batch) else [index]
        for one in (*old.get(index, ()), *row, *after.get(index, ())):
            if isinstance(one, Rejection):
                before.append(len(order))
                rejections.append(one)
            elif isinstance(one, int):
                order.append(one)
            else:
                order.append(len(batch) + len(new))
                new.append(one)
    columns = {}
    for name in batch.columns:
        values = [*batch.column(name), *[one.values[name] for one in new]]
        columns[name] = list(map(values.__getitem__, order))
    known = {**batch.own_parts, **{len(batch) + number: one.parts for number, one in enumerate(new) if one.parts}}
    parts = {position: known[index] for position, index in enumerate(order) if index in known} if known else {}
    return batch.like(len(order), columns, rejections, before, parts)


# The columns without which no link can be unwrapped and located, and no rejection made.
NEEDED_COLUMNS: Final = frozenset(("raw", "uri", "key", "start", "end", "source", "warnings", "location"))
# Warnings of links whose text is not that of the identifier.
_REWRITTEN: Final = frozenset(
    (Warn.REFANGED, Warn.UNESCAPED, Warn.ESCAPES_REMOVED, Warn.WHITESPACE_REMOVED, Warn.SCHEME_ASSUMED, Warn.REPAIRED)
)
# The fields of a rejection about its place.
_OF_PLACES: Final = ("start", "end", "line", "column", "source", "byte_start", "byte_end", "location")


class Unwrapper:
    """A sink that passes batches on, with the links inside links of redirectors after these.

    Args:
        options: which links are unwrapped, and how they are judged.
        sink: takes the batches; it is not closed.
    """

    def __init__(self, options: Options, sink: Sink) -> None:
        self._sink = sink
        self._anywhere = options.unwrap == Unwrap.ANY
        self._rules = rules_of(options.rules)
        self._wanted = WantedSchemes(options)
        self._judged = Judgements(options).judged
        self._refangs = options.refang != Refang.OFF
        self._redirectors = redirector_hosts()
        self._plain = replace(options, unwrap=Unwrap.OFF, nested=NestedFinding.OFF, positions=Positions.OFFSETS)

    def take(self, batch: Batch, /) -> None:
        """Pass on a batch with what is inside its links."""
        hits = self._hits(batch)
        self._sink.take(self._unwrapped(batch, hits) if hits else batch)

    def close(self) -> None:
        """Do nothing: the sink after is closed by its owner."""

    def _hits(self, batch: Batch) -> list[int]:
        """Return the indices of the links that may have another one in them; each host is looked at once."""
        hosts = SharedValues.of(batch._shared("host"))
        named = {number for number, is_named in enumerate(self._redirectors.of(hosts.values)) if is_named}
        found = {index for index, number in enumerate(hosts.numbers) if number in named} if named else set[int]()
        if self._anywhere:
            found.update(index for index, uri in enumerate(batch.column("uri")) if "=" in uri and holds_parameter(uri))
        return sorted(found)

    def _unwrapped(self, batch: Batch, hits: list[int]) -> Batch:
        columns = {name: batch.column(name) for name in batch.columns}
        after: dict[int, list[NewRow | Rejection]] = {}
        without: set[int] = set()
        naming: list[int] = []
        for index in hits:
            if index in without:
                continue
            outer = {name: values[index] for name, values in columns.items()}
            if named_host(_read(outer)) is not None:
                naming.append(index)
            found = list(self._inside(outer))
            if found:
                after[index] = found
                without.update(_same(index, found, columns["warnings"], columns["start"], columns["end"]))
        if naming:
            warnings = list(columns["warnings"])
            for index in naming:
                warnings[index] = (Warn.NAMES_TARGET_HOST, *warnings[index])
            batch = batch.replaced({"warnings": warnings})
        return with_inserted(batch, after, without) if after else batch

    def _inside(self, outer: dict[str, Any]) -> Iterator[NewRow | Rejection]:
        """Yield what is inside one link, from the outside in."""
        has_own_text = _has_own_text(outer)
        text = _read(outer)
        spans = passwords(text)
        told = tuple(code for code in outer["warnings"] if code in OF_THE_END)
        for number, layer in enumerate(layers(text, anywhere=self._anywhere, rules=self._rules)):
            # What follows the outer one follows this one, too.
            ends = told if layer.end == len(text) else ()
            judged: Judged | Fault
            inside = [last for first, last in spans if first <= layer.end < last]
            if inside:  # a parameter does not end in a password: what would be left is another link
                sign = 1 if text[inside[0]] == "@" else text.index("40", inside[0]) + 2 - inside[0]
                layer = layer._replace(text=None, end=inside[0] + sign)
            if layer.text is None:
                judged = fault(Reason.BAD_WRAPPING, Component.IDENTIFIER, 0)
            elif not layer.text:
                continue
            else:
                found = self._refanged(layer.text)
                if found is None and self._wanted.fault(layer.text) is not None:
                    continue
                judged = found or self._judged(layer.text)
            if not isinstance(judged, Fault):
                others = self._readings(outer, number) if ends else ()
                yield _row(outer, layer, judged, ends, others)
            elif not layer.is_guess:
                yield _rejection(outer, layer, judged, has_own_text)

    def _readings(self, outer: dict[str, Any], number: int) -> tuple[str, ...]:
        """Return the readings of the link in a layer, by those of the outer one."""
        found: list[str] = []
        for one in outer.get("alternatives", ()):
            for layer in islice(layers(one, anywhere=self._anywhere, rules=self._rules), number, number + 1):
                if layer.text and self._wanted.fault(layer.text) is None:
                    judged = self._judged(repaired(layer.text))
                    found += [judged.uri] if isinstance(judged, Judged) else []
        return tuple(found)

    def _refanged(self, text: str) -> Judged | None:
        """Return the judgement of a text that is one defanged identifier, if those are restored."""
        if not self._refangs:
            return None
        from urisieve.find.search import Search

        buffer = BatchBuffer()
        Search(self._plain, buffer).finish(text)
        batch = buffer.taken()
        found = batch.records()
        if len(found) != 1 or batch.rejections or found[0].raw != text or Warn.REFANGED not in found[0].warnings:
            return None
        return Judged(found[0].uri, found[0].key, found[0].components, found[0].warnings, found[0].alternatives)


def _has_own_text(outer: dict[str, Any]) -> bool:
    """Report whether the text of a link is that of the identifier."""
    return _REWRITTEN.isdisjoint(outer["warnings"])


def _read(outer: dict[str, Any]) -> str:
    """Return the text in which links are looked for: that of a link, if it is that of the identifier."""
    text: str = outer["raw"] if _has_own_text(outer) else outer["uri"]
    return text


def _same(index: int, found: list[NewRow | Rejection], warnings: Any, starts: Any, ends: Any) -> Iterator[int]:
    """Yield the indices of the rows that `Options.nested` has found where the same link was unwrapped."""
    spans = {(one.values["start"], one.values["end"]) for one in found if isinstance(one, NewRow)}
    end = ends[index]
    for number in range(index + 1, len(starts)):
        if starts[number] >= end:
            break
        if Warn.NESTED in warnings[number] and (starts[number], ends[number]) in spans:
            yield number


def _places(outer: dict[str, Any], layer: Layer, has_own_text: bool) -> dict[str, Any]:
    """Return the fields about the place of a layer: that of its text, or of the link if the text is another one."""
    values = dict(outer)
    if not has_own_text:
        return values
    raw: str = outer["raw"]
    start, end = layer.start, layer.end
    values["raw"] = raw[start:end]
    values["start"] = outer["start"] + start
    values["end"] = outer["start"] + end
    if outer.get("line"):
        values["column"] = outer["column"] + start  # a link contains no line break
    if outer.get("byte_start") is not None:
        values["byte_start"] = outer["byte_start"] + len(raw[:start].encode("utf-8", "surrogateescape"))
        values["byte_end"] = values["byte_start"] + len(raw[start:end].encode("utf-8", "surrogateescape"))
    return values


def _row(
    outer: dict[str, Any], layer: Layer, judged: Judged, ends: tuple[Warn, ...], others: tuple[str, ...]
) -> NewRow:
    uri, key, _, codes, hosts = judged
    has_own_text = _has_own_text(outer)
    warnings: tuple[Warn, ...] = (Warn.UNWRAPPED, *ends)
    if layer.is_assumed:
        warnings += (Warn.SCHEME_ASSUMED,)
    if layer.is_last:
        warnings += (Warn.WRAPS_FURTHER,)
    if layer.text is not None and named_host(layer.text) is not None:
        warnings += (Warn.NAMES_TARGET_HOST,)
    if not has_own_text and Warn.PASSWORD_PRESENT in outer["warnings"] and Warn.PASSWORD_PRESENT not in codes:
        warnings += (Warn.PASSWORD_PRESENT,)  # `raw` is that of the link around it, with its password
    values = _places(outer, layer, has_own_text)
    values |= {"uri": uri, "key": key, "warnings": warnings + codes, "wrapper": None, "alternatives": others + hosts}
    return NewRow(values, judged.parts_apart)


def _rejection(outer: dict[str, Any], layer: Layer, found: Fault, has_own_text: bool) -> Rejection:
    values = _places(outer, layer, has_own_text)
    place = layer.place if has_own_text else None
    offset = 0 if place is None else min(max(0, place(found.offset) - layer.start), len(values["raw"]))
    found = found._replace(offset=offset)
    known = {"line": 0, "column": 0} | {name: values[name] for name in _OF_PLACES if name in values}
    return make_rejection(RejectionFields(values["raw"], *found, **known))
