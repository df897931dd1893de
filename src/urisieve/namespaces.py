"""Lexical equivalence of single URN namespaces, a row each (RFC 2141 5, RFC 8141 3.1).

A rule maps a namespace specific string whose hex digits are already in upper case to the form that its namespace
calls the same. Rules only ever merge; a namespace without a row has the base rule alone. Only rules whose text was
read in the registration are here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from urisieve.registry.namespaces import NAMESPACES

__all__ = ["Namespace", "is_registered", "namespace_form"]

_TRIPLET: Final = re.compile("(%[0-9A-F]{2})")
_UUID: Final = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_ISBN: Final = re.compile(r"[0-9]{9}[0-9Xx]|[0-9]{13}")
_ISSN: Final = re.compile(r"[0-9]{4}-?[0-9]{3}[0-9Xx]")


class Namespace(NamedTuple):
    """The equivalence rule of one namespace and where it is written."""

    reference: str
    form: Callable[[str], str]


def _lower(nss: str) -> str:
    """Case-insensitive throughout; triplets keep upper-case digits."""
    if "%" not in nss:
        return nss.lower()
    return "".join(part if part[:1] == "%" else part.lower() for part in _TRIPLET.split(nss))


def _lower_before(delimiter: str) -> Callable[[str], str]:
    """Case-insensitive up to the first delimiter, exact after it; exact throughout where there is none."""

    def form(nss: str) -> str:
        prefix, found, rest = nss.partition(delimiter)
        return f"{_lower(prefix)}{found}{rest}" if found else nss

    return form


def _isbn(nss: str) -> str:
    digits = nss.replace("-", "")
    return digits.upper() if _ISBN.fullmatch(digits) else nss


def _issn(nss: str) -> str:
    return nss.replace("-", "").upper() if _ISSN.fullmatch(nss) else nss


def _uuid(nss: str) -> str:
    return nss.lower() if _UUID.fullmatch(nss) else nss


def _ietf(nss: str) -> str:
    """RFC 2648 folds its documents; the parameters of RFC 3553 are matched exactly."""
    return nss if nss[:7].lower() == "params:" or nss.lower() == "params" else _lower(nss)


def _gsma(nss: str) -> str:
    """IMEI URNs: `vers=0` is the default and is ignored."""
    if nss[:5].lower() != "imei:":
        return nss
    head, *parameters = _lower(nss).split(";")
    return ";".join([head, *(parameter for parameter in parameters if parameter != "vers=0")])


def _smpte(nss: str) -> str:
    return _lower(nss) if nss[:3].lower() == "ul:" else nss


_RULES: Final[dict[str, Namespace]] = {
    "adid": Namespace("RFC 8107", _lower),
    "alert": Namespace("RFC 7462", _lower),
    "ccsds": Namespace("RFC 7738", _lower_before(":")),
    "clei": Namespace("RFC 4152", _lower),
    "dvb": Namespace("RFC 5328", _lower),
    "ebu": Namespace("RFC 5174", _lower_before(":")),
    "eidr": Namespace("RFC 7972", _lower),
    "fdc": Namespace("RFC 4198", _lower_before(":")),
    "gsma": Namespace("RFC 7254 3", _gsma),
    "hbbtv": Namespace("RFC 7528", _lower),
    "ieee": Namespace("RFC 8069", _lower),
    "ietf": Namespace("RFC 2648, RFC 3553", _ietf),
    "isan": Namespace("RFC 4246", _lower),
    "isbn": Namespace("RFC 3187 3.2", _isbn),
    "iso": Namespace("RFC 5141 2.9", _lower),
    "issn": Namespace("RFC 3044 3.1", _issn),
    "ivis": Namespace("RFC 4617", _lower),
    "lex": Namespace("RFC 9676 3.3", _lower),
    "mef": Namespace("RFC 7818", _lower),
    "mpeg": Namespace("RFC 3614", _lower_before(":")),
    "nbn": Namespace("RFC 8458 4.3", _lower_before("-")),
    "newsml": Namespace("RFC 3085", _lower),
    "nzl": Namespace("RFC 4350", _lower),
    "ogf": Namespace("RFC 6453", _lower_before(":")),
    "oipf": Namespace("RFC 6893", _lower),
    "pin": Namespace("RFC 3043", _lower),
    "s1000d": Namespace("RFC 4688", _lower),
    "service": Namespace("RFC 5031", _lower),
    "smpte": Namespace("RFC 5119", _smpte),
    "tva": Namespace("RFC 4195", _lower_before(":")),
    "uci": Namespace("RFC 4179", _lower_before("-")),
    "urn-7": Namespace("RFC 6050", _lower),
    "uuid": Namespace("RFC 9562 4", _uuid),
}


def namespace_form(nid: str, nss: str) -> str:
    """The form of an NSS that its namespace calls equivalent.

    Args:
        nid: the namespace identifier in lower case.
        nss: the namespace specific string, the digits of its triplets in upper case.
    """
    rule = _RULES.get(nid)
    return nss if rule is None else rule.form(nss)


def is_registered(nid: str) -> bool:
    """Whether the IANA registry holds the namespace, given in lower case."""
    return nid in NAMESPACES
