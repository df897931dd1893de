"""`urisieve.testing.check_row`: our own rows hold, and what is wrong with others is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from urisieve import Namespace, Scheme
from urisieve.codes import Notice, Warn
from urisieve.rules.scheme_table import described, scheme_rule
from urisieve.rules.table import namespaces
from urisieve.testing import check_row
from urisieve.types import Authority, Components

ROWS: tuple[Scheme | Namespace, ...] = (*map(scheme_rule, described()), *namespaces())


@pytest.mark.sampled(29)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_our_own_rows(row: Scheme | Namespace) -> None:
    check_row(row)


def _longer(parts: Components) -> Components:
    return parts._replace(path=f"{parts.path.lower()}a")


def _slashed(parts: Components) -> Components:
    return parts._replace(path=f"//{parts.path.lower()}")


def _lower(parts: Components) -> Components:
    return parts._replace(path=parts.path.lower())


def _first(parts: Components) -> Components:
    return parts._replace(path=parts.path[:1])


def _spaced(parts: Components) -> dict[str, str]:
    return {"a b": parts.path}


def _numbered(parts: Components) -> dict[str, Any]:
    return {"a": len(parts.path)}


def _raising(parts: Components) -> dict[str, str]:
    return {"a": parts.path.split("/")[1]}


def _noticing(_: Components) -> tuple[Any, ...]:
    return (Warn.SCRIPT,)


def _nameless(_: Components) -> Any:
    return 5


GOOD = Scheme(
    "rack",
    "a rack",
    "here",
    equivalence="case",
    form=_lower,
    syntax="[a-zA-Z/0-9]+",
    shape="[a-zA-Z]{1,9}/[0-9]",
    same=(("rack:a/1", "RACK:A/1"),),
    different=(("rack:a/1", "rack:a/2"),),
)
BAD_SCHEMES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"name": "tel "}, "is not a scheme name"),
    ({"title": ""}, "`title` and `reference`"),
    ({"different": ()}, "`same` and `different`"),
    ({"equivalence": ""}, "`equivalence` or `case`"),
    ({"authority": Authority.FORBIDDEN, "dns": True}, "dns and root mean nothing"),
    ({"same": (("rack:-", "RACK:-"),)}, "'rack:-' is not valid"),
    ({"same": (("rack:a/1", "rack:a/2"),)}, "the keys of"),
    ({"different": (("rack:a/1", "rack:A/1"),)}, "the keys of"),
    ({"different": (("tel:+1", "tel:+2"),)}, "are not of this scheme or namespace"),
    ({"form": _longer}, "'rack:a/1a', and that becomes 'rack:a/1aa'"),
    ({"form": _slashed, "syntax": "[a-zA-Z0-9]/[0-9]"}, "is not valid"),
    ({"form": None, "compared": _first, "same": (("rack:a/1", "rack:a/2"),)}, "the keys of"),
    ({"parts": _spaced}, "has the name 'a b'"),
    ({"parts": _numbered}, "the part a of"),
    ({"inner": _nameless}, "`inner` of"),
    ({"shape": "[0-9]"}, "its shape finds none of the examples in text"),
)


def test_a_good_row() -> None:
    check_row(GOOD)
    check_row(ITEM)


@pytest.mark.parametrize(("fields", "message"), BAD_SCHEMES)
def test_bad_schemes(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(AssertionError, match=r"scheme '.+': ") as caught:
        check_row(GOOD._replace(**fields))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "error"), [({"parts": _raising}, IndexError), ({"check": _noticing}, AttributeError)]
)
def test_functions_that_raise_are_seen(fields: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        check_row(GOOD._replace(**fields))


def _wrong(_: dict[str, str]) -> tuple[Notice, ...]:
    return (Notice(Warn.WRONG_CHECK_DIGIT, "1"),)


def _out_of_syntax(nss: str) -> str:
    return nss.lower() if "%" in nss else nss.lower().replace("b", "+")


ITEM = Namespace(
    name="x-item",
    title="an item",
    reference="here",
    equivalence="case",
    syntax="(?P<item>[a-zA-Z]+)",
    form=str.lower,
    same=(("urn:x-item:ab", "urn:x-item:AB"),),
    different=(("urn:x-item:ab", "urn:x-item:ac"),),
)
BAD_NAMESPACES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"name": "X-Item"}, "is not a namespace identifier"),
    ({"reference": ""}, "`title` and `reference`"),
    ({"equivalence": ""}, "`equivalence` says what `form` does"),
    ({"syntax": "[a-z]+"}, "has a warning"),
    ({"syntax": "[a-zA-Z]+"}, "has no parts"),
    ({"check": _wrong}, "has a warning"),
    ({"form": _out_of_syntax}, "does not follow the syntax"),
    ({"form": str.swapcase}, "the keys of"),
    ({"same": (("urn:x-item:ab", "urn:x-item:ac"),)}, "the keys of"),
    ({"same": (("urn:x-other:ab", "URN:x-other:ab"),)}, "are not of this scheme or namespace"),
)


@pytest.mark.parametrize(("fields", "message"), BAD_NAMESPACES)
def test_bad_namespaces(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(AssertionError, match=r"namespace '.+': ") as caught:
        check_row(replace(ITEM, **fields))
    assert message in str(caught.value)


# Written out, since a row that changes changes its examples with it.
@pytest.mark.parametrize(
    ("column", "usual", "names"),
    [
        (
            "dns",
            False,
            (
                "http https ws wss coap coaps coap+tcp coaps+tcp coap+ws coaps+ws ipp ipps gopher ftp ftps sftp"
                " nfs rsync imap pop smtp sieve mtqp nntp snews irc irc6 ircs msrp msrps ldap ldaps dns ni aaa"
                " aaas acap dict git svn ssh icap mms rtmp rtsp rtsps rtspu snmp telnet tn3270 vnc wais git+ssh"
                " svn+ssh"
            ),
        ),
        (
            "root",
            False,
            (
                "http https ws wss coap coaps coap+tcp coaps+tcp coap+ws coaps+ws ipp ipps gopher ftp nfs rsync"
                " imap pop news ldap ldaps acap dict icap rtsp rtsps rtspu snmp telnet tn3270 wais"
            ),
        ),
        (
            "drops_port",
            False,
            (
                "http https ws wss coap coaps coap+tcp coaps+tcp coap+ws coaps+ws ipp ipps gopher ftp nfs rsync"
                " imap pop mtqp news nntp stun stuns turn turns ldap aaa aaas acap dict icap rtsp rtsps rtspu snmp"
                " telnet tn3270 vnc wais"
            ),
        ),
        ("strict", False, "http https ws wss ftp"),
        ("keeps_dots", False, "gopher news nntp snews msrp msrps data tag javascript vbscript pkg"),
        ("keeps_triplets", False, "tag"),
        ("bracketed", False, "sip sips stun stuns turn turns"),
        ("fragment", True, "ws wss"),
    ],
)
def test_which_schemes_have_a_rule(column: str, usual: bool, names: str) -> None:
    rows = map(scheme_rule, described())
    assert sorted(row.name for row in rows if getattr(row, column) is not usual) == sorted(names.split())
