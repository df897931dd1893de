"""The rows that apply under given options: the built-in ones, those of plug-ins, and those of `Options.rules`.

The module also defines the table of URN namespaces, a row for each (RFC 2141 5, RFC 8141 3.1). Its rows are loaded when
the first URN is judged: those of the modules in `rows`, and one for each namespace that is only in the registry.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache

from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Any, Final, TypeAlias, cast, lazy_compile, replace
from urisieve.rules import scheme_table as schemes
from urisieve.rules.scheme_table import Namespace, NamespaceKind, Scheme, row_fault, scheme_fault, scheme_rule

if TYPE_CHECKING:
    from urisieve.rules.plugins import EntryPoint

# A bound on the cache of namespace identifiers: some 100 are registered.
_MEMORY: Final = 1_024
# The fields of a row that are functions.
_FUNCTIONS: Final = ("form", "derive", "check")
_INFORMAL: Final = lazy_compile("urn-[1-9][0-9]*")


@lru_cache(_MEMORY)
def namespace_rule(nid: str) -> Namespace:
    """Return the row of a namespace; if nothing is known of it, a row with the base rule alone.

    Args:
        nid: the namespace identifier in lower case.
    """
    row = built_in().get(nid)
    if row is not None and is_built_in(nid):
        return row
    added = plugged().get(nid)
    return added[0] if added is not None else row or by_form(nid)


def namespaces() -> tuple[Namespace, ...]:
    """Return the rows of all namespaces known by name, including those of plug-ins, sorted by identifier."""
    return tuple(namespace_rule(nid) for nid in sorted({*built_in(), *plugged()}))


def is_built_in(nid: str) -> bool:
    """Report whether an identifier in lower case has a built-in row, not only an entry in the registry."""
    return nid in own_rows()


@cache
def own_rows() -> dict[str, Namespace]:
    """Return the rows written by hand, not made from the registry, by identifier."""
    from urisieve.rules.rows.namespaces import ROWS

    return {row.name: row for row in ROWS}


@cache
def built_in() -> dict[str, Namespace]:
    """Return every row by its identifier, sorted; `kind` and `registered` are set by the registry."""
    from urisieve.rules.forms import exact
    from urisieve.rules.registry import registered_namespaces

    rows, registered = own_rows(), registered_namespaces()
    table = {}
    for nid in sorted({*rows, *registered}):
        kind, reference, title = registered.get(nid, (NamespaceKind.UNKNOWN, "", ""))
        row = rows.get(nid)
        if row is None:
            row = Namespace(name=nid, title=title or "a registered namespace", reference=reference, **exact(nid, "a:B"))
        table[nid] = replace(row, kind=NamespaceKind(kind), registered=nid in registered)
    return table


def by_form(nid: str) -> Namespace:
    """Return the row of a namespace of which only the form of its identifier is known.

    Args:
        nid: an identifier in lower case that has no row.
    """
    if _INFORMAL.fullmatch(nid):
        return Namespace(name=nid, title="an informal namespace", reference="RFC 8141 5.2", kind=NamespaceKind.INFORMAL)
    if nid.startswith("x-"):
        return Namespace(
            name=nid, title="an experimental namespace", reference="RFC 3406 3.1", kind=NamespaceKind.EXPERIMENTAL
        )
    return Namespace(name=nid, title="a namespace that is not registered", reference="RFC 8141 5")


@cache
def plugged() -> dict[str, tuple[Namespace, EntryPoint]]:
    """Return the rows of plug-ins by identifier, each with its entry point."""
    from urisieve.rules.plugins import added, guarded

    rows = added("urisieve.namespaces", Namespace, lambda row: row.name, namespace_fault)
    return {row.name: (replace(_completed(row), **guarded(row, _FUNCTIONS, origin)), origin) for row, origin in rows}


def _completed(row: Namespace) -> Namespace:
    """Complete a row that is not built in: set `kind` and `registered` by the registry, or by the form of its NID."""
    from urisieve.lean import replace

    known = built_in().get(row.name) or by_form(row.name)
    return replace(row, kind=known.kind, registered=known.registered)


def namespace_fault(row: Namespace) -> str | None:
    """Return why a row that is not built in cannot be used; None if it can."""
    from urisieve.syntax.grammar import compiled

    if not isinstance(row.name, str) or row.name != row.name.lower() or not compiled("NID").fullmatch(row.name):
        return f"name={row.name!r} is not a namespace identifier in lower case (RFC 2141 2.1)"
    if is_built_in(row.name):
        return f"urisieve has rules of its own for the namespace {row.name!r}; a row adds one and cannot replace one"
    return row_fault(
        row,
        text=("title", "reference", "equivalence"),
        pattern=("syntax",),
        function=_FUNCTIONS,
        pairs=("same", "different"),
    )


Rule: TypeAlias = Scheme | Namespace

# A bound on the cache of tables: a program uses a few sets of options.
_TABLES: Final = 64


class RuleTable:
    """The table in which every stage looks up the rules of a scheme or a namespace.

    Attributes:
        rules: the rows of the options; they override built-in rows and rows of plug-ins of the same name.
        scheme: returns the row of a scheme in lower case; the generic one if nothing is known.
        namespace: returns the row of a namespace in lower case; one with the base rule alone if nothing is known.
        protected: the names of `Options.protect`; None if nothing is checked for spoofing.
        keyed: of the table of records: the level, the profile and the syntax of URNs by which their keys were made;
            None for those of the default options, and empty if they are not known.
    """

    __slots__ = ("_namespaces", "_schemes", "keyed", "namespace", "protected", "rules", "scheme")

    scheme: Callable[[str], Scheme]
    namespace: Callable[[str], Namespace]

    def __init__(
        self,
        rules: tuple[Rule, ...] = (),
        protected: tuple[str, ...] | None = None,
        keyed: tuple[Any, ...] | None = None,
    ) -> None:
        self.rules = rules
        self.protected = protected
        self.keyed = keyed
        self._schemes = {row.name: schemes.completed(row) for row in rules if isinstance(row, Scheme)}
        self._namespaces = {row.name: _completed(row) for row in rules if not isinstance(row, Scheme)}
        self.scheme = self._scheme if self._schemes else scheme_rule
        self.namespace = self._namespace if self._namespaces else namespace_rule

    def _scheme(self, name: str) -> Scheme:
        return self._schemes.get(name) or scheme_rule(name)

    def _namespace(self, nid: str) -> Namespace:
        return self._namespaces.get(nid) or namespace_rule(nid)

    def shape(self, name: str) -> re.Pattern[str] | None:
        """Return the compiled `shape` of a scheme; None if it is not found without `//`."""
        return schemes.shape_of(self.scheme(name))

    def curated(self) -> frozenset[str]:
        """Return the schemes found without `//`."""
        of_others = {name for name in schemes.curated() if name not in self._schemes}
        return frozenset(of_others | {name for name, row in self._schemes.items() if row.shape is not None})

    def __reduce__(self) -> tuple[object, ...]:
        return rules_of, (self.rules, self.protected, self.keyed)

    def of_unknown_keys(self) -> RuleTable:
        """Return the table of records whose keys were made by the same rules, and by options that are not known."""
        return rules_of(self.rules, self.protected, ())


KNOWN_RULES: Final = RuleTable()


def rules_of(
    rules: Rule | Iterable[Rule], protected: tuple[str, ...] | None = None, keyed: tuple[Any, ...] | None = None
) -> RuleTable:
    """Return the table for the rows of `Options.rules`; the same table for equal rows.

    Args:
        rules: the rows.
        protected: for the table of records (`options.rules_of_records`), as `RuleTable` has it.
        keyed: likewise.
    """
    if not rules and protected is None and keyed is None:
        return KNOWN_RULES
    return _table(cast("tuple[Rule, ...]", rules), protected, keyed)


@lru_cache(_TABLES)
def _table(rules: tuple[Rule, ...], protected: tuple[str, ...] | None, keyed: tuple[Any, ...] | None) -> RuleTable:
    return RuleTable(rules, protected, keyed)


def checked_rules(given: object, name: str = "rules") -> tuple[Rule, ...]:
    """Check the rows passed as an option; return them sorted by name, without rows that equal the built-in ones.

    Args:
        given: a row, or rows.
        name: the name of the option, for messages.

    Raises:
        UsageError: a value is not a row, a row cannot be used, or two different rows have one name.
    """
    if isinstance(given, (Scheme, Namespace)):
        given = (given,)
    if not isinstance(given, Iterable):
        raise UsageError(f"{name}={given!r} must be rows: Scheme(...) or Namespace(...)")
    found: dict[tuple[str, str], Rule] = {}
    for row in given:
        if isinstance(row, Scheme):
            wrong = None if row == _built_in(row) else scheme_fault(row)
            described = ("scheme", row.name)
        elif isinstance(row, Namespace):
            wrong = None if row == _built_in(row) else namespace_fault(row)
            described = ("namespace", row.name)
        else:
            raise UsageError(f"{name}: {row!r:.80} is not a row; use Scheme(...) or Namespace(...)")
        if wrong is not None:
            raise UsageError(f"{name}: {wrong}")
        if found.setdefault(described, row) != row:
            raise UsageError(f"{name}: there are two rows of the {described[0]} {described[1]!r}; give one")
    return tuple(row for _, row in sorted(found.items(), key=lambda item: item[0]) if row != _built_in(row))


def _built_in(row: Rule) -> Rule | None:
    """Return the built-in row of the same name, or None."""
    if isinstance(row, Scheme):
        name = row.name
        return scheme_rule(name) if isinstance(name, str) and schemes.is_built_in(name) else None
    return namespace_rule(row.name) if isinstance(row.name, str) and is_built_in(row.name) else None
