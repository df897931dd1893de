"""`Namespace`: the rules of one URN namespace, as a row of data (RFC 2141 5, RFC 8141 3.1 and 6.4.1).

A row never separates two URNs that are equivalent by the base rule (RFC 2141 5): the base rule is applied first, so the
`form` of a row receives an NSS whose triplets have upper-case digits, and can only add equivalences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import StrEnum

from urisieve.codes import Notice, Warn
from urisieve.lean import Final, dataclass, lazy_compile
from urisieve.rules.row_checks import compiled_row_pattern

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
