"""`Scheme`: what is known of one scheme, a row of the table."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from urisieve.codes import Notice
from urisieve.syntax.components import Components

__all__ = ["Authority", "Scheme"]


class Authority(StrEnum):
    """Whether `//` and an authority follow the scheme."""

    REQUIRED = "required"  # with a host that is not empty
    OPTIONAL = "optional"
    FORBIDDEN = "forbidden"


class Scheme(NamedTuple):
    r"""The rules of one scheme; give its fields by name.

    The functions take the components of a URI (non-ASCII characters as triplets). `check`, `parts` and `inner` must do
    with any components that the generic grammar allows, with the scheme and the triplets in any case; `form` and
    `compared` take what RFC 3986 6.2.2 has normalized. None of them raises.

    Attributes:
        name: the scheme, in lower case.
        title: what it is for, in a few words.
        reference: the section that the row follows.
        authority: whether an authority is required, optional or forbidden.
        dns: the host is a name of the DNS, or an IP address.
        strict: a host that the DNS cannot serve is a fault; a warning otherwise, for other services have names, too.
        root: an empty path after an authority is the same as "/" (RFC 3986 6.2.3).
        default_port: the port that is meant where none is given.
        drops_port: leaving out the default port is an equivalence by the scheme's own RFC (RFC 3986 6.2.3).
        case: what is case-insensitive beside scheme and host, for people to read.
        equivalence: what else its RFC calls the same, for people to read.
        keeps_dots: dot segments mean nothing in its paths and stay, against RFC 3986 6.2.2.3.
        keeps_triplets: it compares character by character: triplets stay as they stand, against RFC 3986 6.2.2.2.
        bracketed: an IPv6 address in brackets may stand where RFC 3986 has a path (RFC 3261 25.1), with a warning.
        syntax: a pattern that must match all that follows `scheme:` up to the fragment; None where the generic grammar
            is all. It sees unreserved characters decoded and the digits of other triplets in upper case, unless
            `keeps_triplets`.
        expected: a pattern for the same of what its RFC's grammar gives; what leaves it is valid, with the warning
            `scheme-syntax`.
        fragment: a fragment may follow; its RFC forbids one otherwise.
        shape: a pattern for what follows `scheme:` in running text, for it to be found without `//`; None where it is
            found only before `//`. It looks at a bounded stretch and never beyond another colon unless it matches,
            which keeps the scan linear.
        form: gives the components of the canonical form; idempotent, and valid again.
        compared: gives the components that the key is made of, where its RFC compares less than all of them.
        check: gives what deserves a second look.
        parts: takes the identifier apart into named parts, as they stand in it; nothing is decoded.
        inner: the identifier that stands inside, or None.
        same: pairs of identifiers that have one key.
        different: pairs of identifiers that have two.
        registered: the IANA registry holds the scheme; set by the table.
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
