"""`Namespace`: what is known of one URN namespace, as a row of data (RFC 2141 5, RFC 8141 3.1 and 6.4.1).

A row never makes two URNs different that the base rule calls equivalent (RFC 2141 5): its form is asked for an NSS
whose triplets already have upper-case digits, after the case of `urn` and of the NID is gone, so that it can only add
equalities.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from urisieve.codes import Notice, Warn
from urisieve.rules.row_checks import compiled_row_pattern

__all__ = ["Namespace", "NamespaceKind", "divided_nss"]

_RESERVED: Final = re.compile("[?#]")


class NamespaceKind(StrEnum):
    """How a namespace came to its identifier (RFC 8141 5)."""

    FORMAL = "formal"
    INFORMAL = "informal"
    """`urn-` and a number, given by the registry (RFC 8141 5.2)."""
    EXPERIMENTAL = "experimental"
    """`x-` and a name that nobody registers (RFC 3406 3.1, gone with RFC 8141)."""
    UNKNOWN = "unknown"
    """Neither registered nor known by the form of its identifier."""


def divided_nss(nss: str) -> tuple[str, str]:
    """Divide an NSS of RFC 2141 before its first `?` or `#` into the name and what follows it (RFC 3986 3, 6.2.3)."""
    found = _RESERVED.search(nss)
    return (nss, "") if found is None else (nss[: found.start()], nss[found.start() :])


def _groups(match: re.Match[str]) -> dict[str, str]:
    """The named groups that are there and not empty."""
    return {name: text for name, text in match.groupdict().items() if text}


@dataclass(frozen=True, kw_only=True, slots=True)
class Namespace:
    """What is known of one URN namespace.

    Attributes:
        nid: the namespace identifier in lower case.
        title: what the namespace names, in a few words.
        reference: where its rules are written.
        kind: how it came to its identifier; set by the table.
        registered: the IANA registry holds it; set by the table.
        equivalence: in words, what is the same beyond the base rule; "" where nothing is.
        syntax: a regular expression, in linear time, for a whole NSS as it stands; its named groups are the parts.
            None where any NSS is one of the namespace.
        form: maps an NSS, triplets in upper case, to the one form of all that the namespace calls the same; None for
            the base rule alone. It is idempotent, and what it gives is an NSS again.
        derive: the parts, where they are not the named groups of the syntax, from which it makes them.
        check: what deserves a second look, from the named groups of the syntax.
        same: pairs of URNs with one key.
        different: pairs of URNs with two keys.
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
        """The NSS that stands for all that are equivalent to this one, whose triplets have upper-case digits.

        A rule of a namespace is one of names: what follows the first `?` or `#`, which RFC 2141 2.3.2 reserves, stays.
        """
        if self.form is None:
            return nss
        name, rest = divided_nss(nss)
        return f"{self.form(name)}{rest}"

    def parts(self, nss: str) -> dict[str, str]:
        """The named parts of an NSS; those that it does not have are left out, all of them if it leaves the syntax.

        What follows the first `?` or `#` is no part of the name.
        """
        match = None if self.syntax is None else compiled_row_pattern(self.syntax).fullmatch(divided_nss(nss)[0])
        found = {} if match is None else _groups(match)
        return self.derive(found) if found and self.derive is not None else found

    def notices(self, nss: str) -> tuple[Notice, ...]:
        """What deserves a second look in an NSS: that it leaves the syntax, or what its check finds."""
        if self.syntax is None:
            return () if self.check is None else tuple(self.check({}))
        match = compiled_row_pattern(self.syntax).fullmatch(divided_nss(nss)[0])
        if match is None:
            return (Notice(Warn.NSS_SYNTAX, self.reference),)
        return () if self.check is None else tuple(self.check(_groups(match)))
