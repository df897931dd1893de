"""The columns of a batch that are derived from the canonical forms: components, the host, the domain, the SURT form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from urisieve.lean import Any, Final
from urisieve.records.layouts import Columns, SharedValues
from urisieve.records.record import kind_of_raw
from urisieve.rules.table import RuleTable
from urisieve.syntax.components import Components, host_kind, split, surt

# The columns that follow from the host alone.
_OF_HOST: Final = frozenset(("host", "host_kind", "domain"))
# The columns that are made once.
_KEPT: Final = _OF_HOST | {"template", "surt"}
# The heads of links, which repeat, that are remembered.
_REMEMBERED: Final = 16_384


@lru_cache(_REMEMBERED)
def _surt_of_head(head: str) -> str:
    """Return the SURT form of a scheme and an authority: it is the beginning of that of each URI with that head."""
    return surt(split(head)) if head else head


class DerivedColumns:
    """The components of canonical forms and the columns that follow from them, made when they are asked for.

    Args:
        layout: the rows.
        rules: the rule table by which they were judged.
        parts: components by row index, for the rows that the generic grammar would split in another way.
    """

    __slots__ = ("_components", "_kept", "_parts", "_rules", "layout")

    def __init__(self, layout: Columns, rules: RuleTable, parts: Mapping[int, Components]) -> None:
        self.layout = layout
        self._rules = rules
        self._parts = parts
        self._components: list[Components] | None = None
        self._kept: dict[str, list[Any]] = {}

    def select(self, indices: Sequence[int], layout: Columns, parts: Mapping[int, Components]) -> DerivedColumns:
        """Return the same for the rows at some indices, which have another layout and other components."""
        made = DerivedColumns(layout, self._rules, parts)
        made._kept = {name: list(map(values.__getitem__, indices)) for name, values in self._kept.items()}
        return made

    def column(self, name: str) -> list[Any]:
        """Return a column, by its name."""
        if name not in _KEPT:
            return self._made(name)
        if name not in self._kept:  # sinks ask for the values after filters and keys
            self._kept[name] = self._of_hosts(name) if name in _OF_HOST else self._made(name)
        return self._kept[name]

    def _made(self, name: str) -> list[Any]:
        if name in Components._fields:
            texts = None if self._components or self._parts else self.layout.component(name)
            return [getattr(parts, name) for parts in self.components()] if texts is None else texts
        uris = self.layout.held("uri")
        if name == "iri":
            rules = self._rules
            plain = ["%" not in uri and "xn--" not in uri for uri in uris]
            if all(plain):
                return list(uris)
            from urisieve.judge.normalize import iri_text

            triples = zip(plain, uris, self.components(), strict=True)
            return [uri if is_plain else iri_text(parts, rules) for is_plain, uri, parts in triples]
        if name == "surt":
            if self._components or self._parts:
                return list(map(surt, self.components()))
            made: dict[str, str] = {}  # sinks look at each object once
            for head, uri in zip(self.layout.heads(), uris, strict=True):
                if uri not in made:
                    made[uri] = f"{_surt_of_head(head)}{uri[len(head) :]}"
            return list(map(made.__getitem__, uris))
        if name == "template":
            from urisieve.judge.templates import templates

            return templates(uris)
        if name == "kind":
            pairs = zip(self.column("scheme"), self.layout.held("raw"), strict=True)
            return ["urn" if scheme.lower() == "urn" else kind_of_raw(raw) for scheme, raw in pairs]
        index = 0 if name == "nid" else 2
        pairs = zip(self.column("scheme"), self.column("path"), strict=True)
        return [path.partition(":")[index] if scheme.lower() == "urn" else None for scheme, path in pairs]

    def _of_hosts(self, name: str) -> list[Any]:
        """Return the hosts, or what follows from them alone."""
        held = self._hosts()
        if held is not None:
            return list(map(of_each_host(name, held[0]).__getitem__, held[1]))
        hosts = [parts.host for parts in self.components()]
        each = list(set(hosts))
        return list(map(dict(zip(each, of_each_host(name, each), strict=True)).__getitem__, hosts))

    def _hosts(self) -> tuple[Sequence[str | None], Sequence[int]] | None:
        return None if self._components or self._parts else self.layout.hosts()

    def shared(self, name: str) -> SharedValues | None:
        """Return a column that follows from the host, if the layout knows which rows share one; else None."""
        held = self._hosts() if name in _OF_HOST and name not in self._kept else None
        return None if held is None else SharedValues(of_each_host(name, held[0]), held[1])

    def components(self) -> list[Components]:
        """Return the components of each form."""
        if self._components is None:
            self._components = list(map(split, self.layout.held("uri")))
            for index, known in self._parts.items():
                self._components[index] = known
        return self._components


def of_each_host(name: str, hosts: Sequence[str | None]) -> Sequence[Any]:
    """Return the column `host`, `host_kind` or `domain` of some hosts; None for no host."""
    if name == "host":
        return hosts
    if name == "host_kind":
        return list(map(host_kind, hosts))
    from urisieve.rules.registry import domains_of

    return domains_of(hosts)
