"""The rows that apply under given options: the built-in ones, those of plug-ins, and those of `Options.rules`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Final, TypeAlias, cast
from urisieve.rules import scheme_table as schemes
from urisieve.rules.namespace_table import completed as completed_namespace
from urisieve.rules.namespace_table import is_built_in, namespace_fault, namespace_rule
from urisieve.rules.scheme_table import Scheme, scheme_fault, scheme_rule

if TYPE_CHECKING:
    from urisieve.rules.namespace import Namespace


Rule: TypeAlias = "Scheme | Namespace"

# A bound on the cache of tables: a program uses a few sets of options.
_TABLES: Final = 64


class RuleTable:
    """The table in which every stage looks up the rules of a scheme or a namespace.

    Attributes:
        rules: the rows of the options; they override built-in rows and rows of plug-ins of the same name.
        scheme: returns the row of a scheme in lower case; the generic one if nothing is known.
        namespace: returns the row of a namespace in lower case; one with the base rule alone if nothing is known.
        protected: the names of `Options.protect`; None if nothing is checked for spoofing.
    """

    __slots__ = ("_namespaces", "_schemes", "namespace", "protected", "rules", "scheme")

    scheme: Callable[[str], Scheme]
    namespace: Callable[[str], Namespace]

    def __init__(self, rules: tuple[Rule, ...] = (), protected: tuple[str, ...] | None = None) -> None:
        self.rules = rules
        self.protected = protected
        self._schemes = {row.name: schemes.completed(row) for row in rules if isinstance(row, Scheme)}
        self._namespaces = {row.nid: completed_namespace(row) for row in rules if not isinstance(row, Scheme)}
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
        return rules_of, (self.rules, self.protected)


KNOWN_RULES: Final = RuleTable()


def rules_of(rules: Rule | Iterable[Rule], protected: tuple[str, ...] | None = None) -> RuleTable:
    """Return the table for the rows of `Options.rules`; the same table for equal rows.

    Args:
        rules: the rows.
        protected: for the table of records, `options.protected_names`; nothing else asks for it.
    """
    return KNOWN_RULES if not rules and protected is None else _table(cast("tuple[Rule, ...]", rules), protected)


@lru_cache(_TABLES)
def _table(rules: tuple[Rule, ...], protected: tuple[str, ...] | None) -> RuleTable:
    return RuleTable(rules, protected)


def checked_rules(given: object, name: str = "rules") -> tuple[Rule, ...]:
    """Check the rows passed as an option; return them sorted by name, without rows that equal the built-in ones.

    Args:
        given: a row, or rows.
        name: the name of the option, for messages.

    Raises:
        UsageError: a value is not a row, a row cannot be used, or two different rows have one name.
    """
    from urisieve.rules.namespace import Namespace

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
            described = ("namespace", row.nid)
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
    return namespace_rule(row.nid) if isinstance(row.nid, str) and is_built_in(row.nid) else None
