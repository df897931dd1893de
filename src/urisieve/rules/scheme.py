"""`Scheme`: the rules of one scheme, as a row of data."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from urisieve.codes import Notice
from urisieve.lean.values import NamedTuple
from urisieve.syntax.components import Components

__all__ = ["Authority", "Scheme"]


class Authority(StrEnum):
    """Whether `//` and an authority follow the scheme (RFC 3986 3.2).

    >>> from urisieve import Authority, Options, Scheme, is_valid
    >>> row = Scheme(name="crate", title="a crate", reference="the handbook", authority=Authority.FORBIDDEN)
    >>> is_valid("crate:ab1", options=Options(rules=row)), is_valid("crate://ab1", options=Options(rules=row))
    (True, False)
    """

    REQUIRED = "required"
    """The host must not be empty."""
    OPTIONAL = "optional"
    FORBIDDEN = "forbidden"


class Scheme(NamedTuple):
    r"""The rules of one scheme; pass rows of your own as `Options.rules`, with their fields by name.

    The functions take the components of a URI (non-ASCII characters as triplets). `check`, `parts` and `inner` must
    accept any components that the generic grammar allows, with the scheme and the triplets in any case; `form` and
    `compared` take components normalized by RFC 3986 6.2.2. None of them may raise. `urisieve.testing.check_row`
    tests a row.

    >>> from urisieve import Options, Scheme, extract
    >>> row = Scheme(name="crate", title="a crate", reference="the handbook of the store", shape="[a-z]{2}[0-9]")
    >>> [record.uri for record in extract("See crate:ab1.", options=Options(rules=row))]
    ['crate:ab1']

    Attributes:
        name: the scheme, in lower case.
        title: what it is for, in a few words.
        reference: the section that the row follows.
        authority: whether an authority is required, optional or forbidden.
        dns: the host is a name of the DNS, or an IP address.
        strict: a host that the DNS cannot hold is a fault; otherwise a warning, because other services have names too.
        root: an empty path after an authority is the same as "/" (RFC 3986 6.2.3).
        default_port: the port that an identifier without a port has.
        drops_port: leaving out the default port is an equivalence by the scheme's own RFC (RFC 3986 6.2.3).
        case: what is case-insensitive besides scheme and host, in words.
        equivalence: what else its RFC calls equivalent, in words.
        keeps_dots: dot segments have no meaning in its paths and stay, unlike in RFC 3986 6.2.2.3.
        keeps_triplets: it compares character by character: triplets stay unchanged, unlike in RFC 3986 6.2.2.2.
        bracketed: an IPv6 address in brackets may stand where RFC 3986 has a path (RFC 3261 25.1), with a warning.
        syntax: a pattern that must match all that follows `scheme:` up to the fragment; None if only the generic
            grammar applies. In the text that it is matched with, unreserved characters are decoded and other triplets
            are in upper case, unless `keeps_triplets`.
        expected: a pattern of the same text by the grammar of the scheme's RFC; an identifier that does not match it
            is valid, with the warning `scheme-syntax`.
        fragment: a fragment may follow; if False, a fragment is a fault.
        shape: a pattern of the text after `scheme:` by which it is found in running text without `//`; None if it is
            found only before `//`. To keep the scan linear, the pattern reads a bounded number of characters, and
            reads beyond another colon only if it matches. What fills angle brackets is found without it, if it matches
            `syntax` and `expected` and one of them is given.
        form: returns the components of the canonical form, which are valid; idempotent.
        compared: returns the components of which the key is made, where its RFC does not compare all of them.
        check: returns warnings.
        parts: returns the named parts of the identifier; nothing in them is decoded.
        inner: returns the identifier inside this one, or None.
        same: pairs of identifiers that have one key.
        different: pairs of identifiers that have two keys.
        registered: whether the IANA registry holds the scheme; set by the table.
    """

    name: str
    title: str
    reference: str
    authority: Authority = Authority.OPTIONAL
    dns: bool = False
    strict: bool = False
    root: bool = False
    default_port: str | None = None
    drops_port: bool = False
    case: str = ""
    equivalence: str = ""
    keeps_dots: bool = False
    keeps_triplets: bool = False
    bracketed: bool = False
    syntax: str | None = None
    expected: str | None = None
    fragment: bool = True
    shape: str | None = None
    form: Callable[[Components], Components] | None = None
    compared: Callable[[Components], Components] | None = None
    check: Callable[[Components], tuple[Notice, ...]] | None = None
    parts: Callable[[Components], dict[str, str]] | None = None
    inner: Callable[[Components], str | None] | None = None
    same: tuple[tuple[str, str], ...] = ()
    different: tuple[tuple[str, str], ...] = ()
    registered: bool = False
