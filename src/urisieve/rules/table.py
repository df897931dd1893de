"""The rows that hold under some options: those built in, those of plug-ins, and those that the options bring along."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from urisieve.errors import UsageError
from urisieve.rules import scheme_table as schemes
from urisieve.rules.namespace_table import completed as completed_namespace
from urisieve.rules.namespace_table import is_built_in, namespace_fault, namespace_rule
from urisieve.rules.scheme import Scheme
from urisieve.rules.scheme_table import scheme_fault, scheme_rule

if TYPE_CHECKING:
    from urisieve.rules.namespace import Namespace

__all__ = ["KNOWN_RULES", "Rule", "RuleTable", "checked_rules", "rules_of"]

Rule: TypeAlias = "Scheme | Namespace"

# A bound on the tables held: a program uses a few sets of options.
_TABLES: Final = 64


class RuleTable:
    """Where every stage asks for what is known of a scheme or a namespace.

    Attributes:
        rules: the rows beyond those that are built in or of plug-ins; where one has a name of theirs, it counts.
        scheme: gives the row of a scheme, in lower case; the generic one where nothing is known.
        namespace: gives the row of a namespace, in lower case; one with the base rule alone where nothing is known.
    """

    __slots__ = ("_namespaces", "_schemes", "namespace", "rules", "scheme")

    scheme: Callable[[str], Scheme]
    namespace: Callable[[str], Namespace]

    def __init__(self, rules: tuple[Rule, ...] = ()) -> None:
        self.rules = rules
        self._schemes = {row.name: schemes.completed(row) for row in rules if isinstance(row, Scheme)}
        self._namespaces = {row.nid: completed_namespace(row) for row in rules if not isinstance(row, Scheme)}
        self.scheme = self._scheme if self._schemes else scheme_rule
        self.namespace = self._namespace if self._namespaces else namespace_rule

    def _scheme(self, name: str) -> Scheme:
        return self._schemes.get(name) or scheme_rule(name)

    def _namespace(self, nid: str) -> Namespace:
        return self._namespaces.get(nid) or namespace_rule(nid)

    def adds_scheme(self, name: str) -> bool:
        """Whether the rules of a scheme, in lower case, are not those that hold without any options."""
        return name in self._schemes

    def shape(self, name: str) -> re.Pattern[str] | None:
        """The compiled `shape` of a scheme; None where it is not found without `//`."""
        return schemes.shape_of(self.scheme(name))

    def curated(self) -> frozenset[str]:
        """The schemes found without `//`."""
        of_others = {name for name in schemes.curated() if name not in self._schemes}
        return frozenset(of_others | {name for name, row in self._schemes.items() if row.shape is not None})

    def __reduce__(self) -> tuple[object, ...]:
        return rules_of, (self.rules,)


KNOWN_RULES: Final = RuleTable()


def rules_of(rules: Rule | Iterable[Rule]) -> RuleTable:
    """The table for the rows that options bring along, as `Options.rules` holds them; the same one for equal rows."""
    return _table(cast("tuple[Rule, ...]", rules)) if rules else KNOWN_RULES


@lru_cache(_TABLES)
def _table(rules: tuple[Rule, ...]) -> RuleTable:
    return RuleTable(rules)


def checked_rules(given: object, name: str = "rules") -> tuple[Rule, ...]:
    """Rows that options are given, in the order of their names; without those that are built in as they are.

    Args:
        given: a row, or rows.
        name: of the option, for what is said.

    Raises:
        UsageError: one is no row, has something wrong, or has a name that is built in or comes twice.
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
            place = ("scheme", row.name)
        elif isinstance(row, Namespace):
            wrong = None if row == _built_in(row) else namespace_fault(row)
            place = ("namespace", row.nid)
        else:
            raise UsageError(f"{name}: {row!r:.80} is no row; use Scheme(...) or Namespace(...)")
        if wrong is not None:
            raise UsageError(f"{name}: {wrong}")
        if found.setdefault(place, row) != row:
            raise UsageError(f"{name}: there are two rows of the {place[0]} {place[1]!r}; give one")
    return tuple(row for _, row in sorted(found.items(), key=lambda item: item[0]) if row != _built_in(row))


def _built_in(row: Rule) -> Rule | None:
    """The row that is built in under the name of this one."""
    if isinstance(row, Scheme):
        name = row.name
        return scheme_rule(name) if isinstance(name, str) and schemes.is_built_in(name) else None
    return namespace_rule(row.nid) if isinstance(row.nid, str) and is_built_in(row.nid) else None
