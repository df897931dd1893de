"""`Namespace`: the rules of one URN namespace, as a row of data (RFC 2141 5, RFC 8141 3.1 and 6.4.1).

A row never separates two URNs that are equivalent by the base rule (RFC 2141 5): the base rule is applied first, so the
`form` of a row receives an NSS whose triplets have upper-case digits, and can only add equivalences.

It holds besides:

- checks of the fields of rows, common to schemes and namespaces, and the cache of their compiled patterns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import lru_cache

from urisieve.codes import Notice, Warn
from urisieve.lean import Final, dataclass, lazy_compile

__all__ = ["Namespace", "NamespaceKind", "compiled_row_pattern", "divided_nss", "row_fault"]

# A bound on the cache of patterns: the built-in rows have some 150, and rows of plug-ins and options add to them.
_PATTERNS: Final = 1_024


@lru_cache(_PATTERNS)
def compiled_row_pattern(text: str, flags: int = re.DOTALL) -> re.Pattern[str]:
    """Return the compiled pattern of a row; each pattern is compiled once."""
    return re.compile(text, flags)


def _is_pairs(value: object) -> bool:
    return isinstance(value, tuple) and all(
        isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(text, str) for text in pair) for pair in value
    )


def _pattern_fault(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        return "must be a pattern as str, or None"
    try:
        compiled_row_pattern(value)
    except (re.error, OverflowError, RecursionError) as error:
        return f"is not a valid pattern: {error}"
    return None


_FAULTS: Final[dict[str, Callable[[object], str | None]]] = {
    "text": lambda value: None if isinstance(value, str) else "must be str",
    "flag": lambda value: None if isinstance(value, bool) else "must be True or False",
    "pattern": _pattern_fault,
    "function": lambda value: None if value is None or callable(value) else "must be a function, or None",
    "pairs": lambda value: None if _is_pairs(value) else "must be a tuple of pairs of str",
}


def row_fault(row: object, **fields: Iterable[str]) -> str | None:
    """Return what is wrong with the fields of a row; None if nothing is.

    Args:
        row: the row.
        fields: the names of its fields, by the kind of value that they must hold: `text`, `flag`, `pattern`,
            `function`, `pairs`.
    """
    for kind, names in fields.items():
        for name in names:
            value = getattr(row, name)
            wrong = _FAULTS[kind](value)
            if wrong is not None:
                return f"{name}={value!r} {wrong}"
    try:
        hash(row)
    except TypeError:
        return "it must be hashable, and so must each of its fields and functions"
    return None


_RESERVED: Final = lazy_compile("[?#]")


class NamespaceKind(StrEnum):
    """How the identifier of a namespace was assigned (RFC 8141 5).

    >>> from urisieve import Namespace, NamespaceKind
    >>> Namespace(nid="shelf", title="shelves").kind is NamespaceKind.UNKNOWN
    True
    """

    FORMAL = "formal"
    INFORMAL = "informal"
    """`urn-` and a number, assigned by the registry (RFC 8141 5.2)."""
    EXPERIMENTAL = "experimental"
    """`x-` and a name that is not registered (RFC 3406 3.1; RFC 8141 has none)."""
    UNKNOWN = "unknown"
    """Not registered, and neither informal nor experimental by the form of its identifier."""


def divided_nss(nss: str) -> tuple[str, str]:
    """Divide an NSS of RFC 2141 before its first `?` or `#` into the name and the rest (RFC 3986 3, 6.2.3)."""
    found = _RESERVED.search(nss)
    return (nss, "") if found is None else (nss[: found.start()], nss[found.start() :])


def _groups(match: re.Match[str]) -> dict[str, str]:
    """Return the named groups that matched and are not empty."""
    return {name: text for name, text in match.groupdict().items() if text}


@dataclass(frozen=True, kw_only=True, slots=True)
class Namespace:
    """The rules of one URN namespace (RFC 2141 5, RFC 8141 3.1); pass rows of your own as `Options.rules`.

    The functions must not raise. `urisieve.testing.check_row` tests a row.

    >>> from urisieve import Namespace, Options, equivalent
    >>> row = Namespace(nid="x-crate", title="crates", reference="the handbook of the store", form=str.upper)
    >>> equivalent("urn:x-crate:ab1", "urn:x-crate:AB1", options=Options(rules=row))
    True

    Attributes:
        nid: the namespace identifier in lower case.
        title: what the namespace names, in a few words.
        reference: the document that states its rules.
        kind: how its identifier was assigned; set by the table.
        registered: whether the IANA registry holds it; set by the table.
        equivalence: in words, what is equivalent beyond the base rule; "" if nothing is.
        syntax: a regular expression, matched in linear time, for a whole NSS before normalization; its named groups
            are the parts. None if any NSS is one of the namespace.
        form: maps an NSS, its triplets in upper case, to the canonical form of all NSS that the namespace calls
            equivalent; None if only the base rule applies. It is idempotent, and returns an NSS.
        derive: maps the named groups of the syntax to the parts, where these are not the groups themselves.
        check: returns warnings, from the named groups of the syntax.
        same: pairs of URNs that have one key.
        different: pairs of URNs that have two keys.
    """

    nid: str
    title: str = ""
    reference: str = ""
    kind: NamespaceKind = NamespaceKind.UNKNOWN
    registered: bool = False
    equivalence: str = ""
    syntax: str | None = None
    form: Callable[[str], str] | None = None
    derive: Callable[[dict[str, str]], dict[str, str]] | None = None
    check: Callable[[dict[str, str]], Iterable[Notice]] | None = None
    same: tuple[tuple[str, str], ...] = ()
    different: tuple[tuple[str, str], ...] = ()

    def canonical(self, nss: str) -> str:
        """Return the canonical form of an NSS whose triplets have upper-case digits.

        The rule of the namespace applies to the name only: what follows the first `?` or `#`, which RFC 2141 2.3.2
        reserves, stays unchanged.
        """
        if self.form is None:
            return nss
        name, rest = divided_nss(nss)
        return f"{self.form(name)}{rest}"

    def parts(self, nss: str) -> dict[str, str]:
        """Return the named parts of an NSS that are present; none if the NSS is not in the syntax.

        The name ends before the first `?` or `#`.
        """
        match = None if self.syntax is None else compiled_row_pattern(self.syntax).fullmatch(divided_nss(nss)[0])
        found = {} if match is None else _groups(match)
        return self.derive(found) if found and self.derive is not None else found

    def notices(self, nss: str) -> tuple[Notice, ...]:
        """Return the warnings of an NSS: that it is not in the syntax, or those of `check`."""
        if self.syntax is None:
            return () if self.check is None else tuple(self.check({}))
        match = compiled_row_pattern(self.syntax).fullmatch(divided_nss(nss)[0])
        if match is None:
            return (Notice(Warn.NSS_SYNTAX, self.reference),)
        return () if self.check is None else tuple(self.check(_groups(match)))
