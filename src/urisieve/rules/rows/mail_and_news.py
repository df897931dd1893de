"""Rows of mail: `mailto`, `cid`, `mid`, and the services that store and transport mail.

Also defines:

- rows of Netnews: `news`, `nntp`, `snews`.
"""

from __future__ import annotations

import re
from functools import cache

from urisieve.codes import Notice, Warn
from urisieve.lean import Final
from urisieve.rules import forms
from urisieve.rules.forms import hosted, named, service
from urisieve.rules.scheme_table import Authority, Scheme
from urisieve.syntax.components import Components

_ADDRESS_FULL: Final = r"[^@,?#\[\]/]+@[^@,?#/]+"
# RFC 6068 2: `dot-atom-text` without the characters that must be percent-encoded. Any triplet matches, also those of a
# quoted string.
_ATOM: Final = r"(?>[A-Za-z0-9!$'*+\-_~]|%[0-9A-F]{2})++"
_DOT_ATOMS: Final = rf"{_ATOM}(?>\.{_ATOM})*+"
# Colons and semicolons belong to groups of addresses (RFC 5322 3.4), which the grammar lacks, and which are written all
# the same.
_LOCAL: Final = rf"(?!(?:{forms.LOCAL}:)?[Mm][Aa][Ii][Ll][Tt][Oo]:){forms.LOCAL.replace(':', '').replace(';', '')}"
_ADDRESS_EXPECTED: Final = rf"{_DOT_ATOMS}@{_DOT_ATOMS}"


@cache
def _plain_addresses() -> re.Pattern[str]:
    """Compile a pattern of addresses that mean the same in a `To` field as in the path: not quoted, not encoded."""
    address = r"[A-Za-z0-9.!$'*+_~\-]+@[A-Za-z0-9.\-]+"
    return re.compile(f"{address}(?>,{address})*+")


# Of fields the names have no case; their order counts (RFC 6068 2).
FIELDS: Final = forms.Items("&", is_sorted=False, lowers=False)


def _address(text: str) -> str:
    local, at, name = text.rpartition("@")
    return f"{local}{at}{forms.domain(name)}" if at else text


def _mailto(parts: Components) -> Components:
    """Normalize domains and names of fields, and move a `to` field into the path (RFC 6068 2)."""
    path, query = parts.path, parts.query
    if query:
        fields = FIELDS.form(query).split("&")
        to = [field.removeprefix("to").removeprefix("=") for field in fields if field.partition("=")[0] == "to"]
        # Mail programs treat a repeated field differently (RFC 6068 2), so only a single one is moved.
        if len(to) == 1 and _plain_addresses().fullmatch(to[0]):
            path = f"{path},{to[0]}" if path else to[0]
            fields = [field for field in fields if field.partition("=")[0] != "to"]
        query = "&".join(fields) if fields else None
    return parts._replace(path=",".join(map(_address, path.split(","))), query=query)


def _mailto_check(parts: Components) -> tuple[Notice, ...]:
    fields = forms.pairs(parts.query or "", "&")
    found = forms.repeated(name for name, _ in fields)
    if parts.path == "" and not any(value for name, value in fields if name.lower() == "to"):
        return (Notice(Warn.EMPTY_ADDRESS), *found)
    return found


def _mid_parts(parts: Components) -> dict[str, str]:
    message, slash, content = parts.path.partition("/")
    return named([("message_id", message), ("content_id", content if slash else None)])


def _account(userinfo: str | None) -> list[tuple[str, str | None]]:
    """Return the user and the authentication mechanism of a userinfo (RFC 5092 3, RFC 2384 4)."""
    if userinfo is None:
        return []
    found = re.search(";auth=", userinfo, re.IGNORECASE)
    if found is None:
        return [("user", userinfo)]
    return [("user", userinfo[: found.start()] or None), ("auth", userinfo[found.end() :])]


def _imap_parts(parts: Components) -> dict[str, str]:
    """Return the mailbox and the parameters, which begin with ";" (RFC 5092 11)."""
    mailbox, *parameters = parts.path[1:].split(";")
    return named(
        [
            *_account(parts.userinfo),
            *hosted(parts)[1:],
            ("mailbox", mailbox.removesuffix("/") or None),
            *((name, value.removesuffix("/")) for text in parameters for name, value in forms.pairs(text, ";")),
            ("search", parts.query),
        ]
    )


_TRACK: Final = "/track/"


def _mtqp(parts: Components) -> Components:
    """Lower the case of "/track/"; case counts in what follows it (RFC 3887 9.3)."""
    path = parts.path
    return parts._replace(path=f"{_TRACK}{path[len(_TRACK) :]}") if path[: len(_TRACK)].lower() == _TRACK else parts


def _mtqp_parts(parts: Components) -> dict[str, str]:
    rest = parts.path.lower().partition(_TRACK)[2]
    envelope, slash, secret = parts.path[-len(rest) :].partition("/") if rest else ("", "", "")
    return named([*hosted(parts), ("unique_envid", envelope or None), ("mtrk_secret", secret if slash else None)])


def _news_parts(parts: Components) -> dict[str, str]:
    what = parts.path if parts.host is None else parts.path[1:]
    return named([*hosted(parts), ("message_id" if "@" in what else "newsgroups", what or None)])


def _news(parts: Components) -> Components:
    """Remove "*" after a server: both "*" and an empty path mean all its newsgroups (RFC 5538 4)."""
    return parts._replace(path="/") if parts.host is not None and parts.path == "/*" else parts


def _nntp_parts(parts: Components) -> dict[str, str]:
    group, slash, number = parts.path.removeprefix("/").partition("/")
    return named([*hosted(parts), ("group", group or None), ("article_number", number if slash else None)])


# RFC 5538 2.3: "There are no special "." or ".." path segments".


ROWS: Final = (
    Scheme(
        name="mailto",
        title="an address of mail",
        reference="RFC 6068 2",
        authority=Authority.FORBIDDEN,
        case="domains, names of header fields",
        equivalence="addresses in the path and in one `to` field; domains in UTF-8 and as A-labels",
        syntax=rf"(?:{_ADDRESS_FULL}(?:,{_ADDRESS_FULL})*)?(?:\?.*)?",
        expected=rf"(?:{_ADDRESS_EXPECTED}(?>,{_ADDRESS_EXPECTED})*+)?(?:\?.*)?",
        shape=rf"(?:{_LOCAL}(?:@{forms.NAME_START})|\?[A-Za-z][A-Za-z0-9_\-]{{0,63}}=)",
        form=_mailto,
        check=_mailto_check,
        parts=lambda parts: named([("to", parts.path or None), *forms.pairs(parts.query or "", "&")]),
        same=(
            ("mailto:Joe@Example.COM", "mailto:Joe@example.com"),
            ("mailto:a@an.example,b@an.example", "mailto:?to=a@an.example,b@an.example"),
            ("mailto:a@an.example,b@an.example", "mailto:a@an.example?to=b@an.example"),
            ("mailto:a@b.example?Subject=x", "mailto:a@b.example?subject=x"),
            ("mailto:a@b%C3%BCcher.example", "mailto:a@xn--bcher-kva.example"),
            ("mailto:%61@b.example", "mailto:a@b.example"),
        ),
        different=(
            ("mailto:Joe@example.com", "mailto:joe@example.com"),
            ("mailto:a@b.example?subject=x", "mailto:a@b.example?subject=X"),
            ("mailto:a@b.example?subject=x", "mailto:a@b.example"),
            ("mailto:a@b.example,c@d.example", "mailto:c@d.example,a@b.example"),
            ("mailto:a@b.example?cc=c@d.example&bcc=e@f.example", "mailto:a@b.example?bcc=e@f.example&cc=c@d.example"),
            ("mailto:a@b.example?cc=c@d.example", "mailto:a@b.example,c@d.example"),
            ("mailto:a%2Bb@c.example", "mailto:a+b@c.example"),
            ("mailto:?to=a%2Cb@c.example", "mailto:a%2Cb@c.example"),
            ("mailto:a@b.example?to=c@d.example&to=e@f.example", "mailto:a@b.example,c@d.example,e@f.example"),
        ),
    ),
    Scheme(
        name="cid",
        title="a part of a message by its Content-ID",
        reference="RFC 2392 2",
        authority=Authority.FORBIDDEN,
        case="scheme",
        syntax=r"[^@]+@[^@]+",
        shape=forms.ADDRESS,
        parts=lambda parts: {"content_id": parts.path},
        same=(("CID:foo%7e1@bar.example", "cid:foo~1@bar.example"),),
        different=(
            ("cid:foo@bar.example", "cid:Foo@bar.example"),
            ("cid:foo@bar.example", "cid:foo@Bar.example"),
            ("cid:foo@bar.example", "mid:foo@bar.example"),
        ),
    ),
    Scheme(
        name="mid",
        title="a message by its Message-ID",
        reference="RFC 2392 2",
        authority=Authority.FORBIDDEN,
        case="scheme",
        syntax=r"[^@/]+@[^@/]+(?:/.+)?",
        shape=forms.ADDRESS,
        parts=_mid_parts,
        same=(("MID:a%7e@b.example/c@d.example", "mid:a~@b.example/c@d.example"),),
        different=(("mid:a@b.example/c@d.example", "mid:a@b.example"), ("mid:a@b.example", "mid:A@b.example")),
    ),
    service("imap", "Internet Message Access Protocol", "RFC 5092 11", root=True)._replace(
        authority=Authority.REQUIRED, parts=_imap_parts
    ),
    service("pop", "Post Office Protocol", "RFC 2384 3", root=True)._replace(
        authority=Authority.REQUIRED, parts=lambda parts: named([*_account(parts.userinfo), *hosted(parts)[1:]])
    ),
    service("smtp", "Simple Mail Transfer Protocol", "the smtp registration"),
    # RFC 5804 1.8: without a port, an SRV record may name another one than the default.
    service("sieve", "ManageSieve", "RFC 5804 3")._replace(
        different=(
            ("sieve://e.example:4190/s", "sieve://e.example/s"),
            ("sieve://e.example/s", "sieve://e.example/S"),
            ("sieve://e.example", "sieve://e.example/"),
        )
    ),
    service("mtqp", "Message Tracking Query Protocol", "RFC 3887 9.3")._replace(
        case=f"{forms.HOSTED}, /track/ before identifier and secret",
        form=_mtqp,
        parts=_mtqp_parts,
        same=(
            ("mtqp://E.example:1038/TRACK/id/c2VjcmV0", "mtqp://e.example/track/id/c2VjcmV0"),
            ("mtqp://e.example/track/%7e/a", "mtqp://e.example/track/~/a"),
        ),
        different=(
            ("mtqp://e.example/track/id/c2VjcmV0", "mtqp://e.example/track/ID/c2VjcmV0"),
            ("mtqp://e.example/track/id/c2VjcmV0", "mtqp://e.example/track/id/C2VjcmV0"),
            ("mtqp://e.example/tracks/id/a", "mtqp://e.example/Tracks/id/a"),
            ("mtqp://e.example:1039/track/id/a", "mtqp://e.example/track/id/a"),
        ),
    ),
    Scheme(
        name="news",
        title="newsgroups or an article",
        reference="RFC 5538 4",
        root=True,
        case=forms.HOSTED,
        equivalence="of a server: all newsgroups as `*` and as nothing",
        keeps_dots=True,
        syntax=r"(?://[^/?]*+/?)?(?:[A-Za-z0-9+_.*?!%\-]+|[^@]+@[^@]+)?",
        shape=rf"(?:[A-Za-z][A-Za-z0-9+_\-]{{1,63}}\.[A-Za-z0-9+_\-*]|[0-9][A-Za-z0-9+_\-]{{1,63}}\.[A-Za-z]|{forms.ADDRESS})",
        form=_news,
        parts=_news_parts,
        same=(
            ("news://News.example:119/comp.lang.c", "news://news.example/comp.lang.c"),
            ("news:a%2db@c.example", "news:a-b@c.example"),
            ("news://news.example/*", "news://news.example/"),
            ("news://news.example", "news://news.example/"),
        ),
        different=(
            ("news:a@b.example", "news:A@b.example"),
            ("news:a@b.example", "news:a@B.example"),
            ("news:*", "news:"),
            ("news:*", "news://news.example/*"),
            ("news://news.example/a.*", "news://news.example/a."),
            ("news://news.example/..", "news://news.example/"),
            ("news:comp.lang.c", "news://news.example/comp.lang.c"),
            ("news:comp.lang.c", "news:comp.lang.C"),
            ("news://news.example/comp.lang.c", "nntp://news.example/comp.lang.c"),
        ),
    ),
    Scheme(
        name="nntp",
        title="an article by its number in a newsgroup",
        reference="RFC 5538 3",
        dns=True,
        case=forms.HOSTED,
        keeps_dots=True,
        expected=r"//[^/?]+/(?:[A-Za-z0-9\-+_.]|%[0-9A-F]{2})+(?:/[0-9]{1,16})?",
        parts=_nntp_parts,
        same=(("nntp://News.example:119/a.b/12", "nntp://news.example/a.b/12"),),
        different=(
            ("nntp://news.example/a.b/12", "nntp://news.example/a.b"),
            ("nntp://news.example/a.b/12", "nntp://news.example/a.B/12"),
            ("nntp://news.example/a.b/./12", "nntp://news.example/a.b/12"),
        ),
    ),
    service("snews", "Netnews over TLS", "RFC 5538 8.1")._replace(keeps_dots=True),
)
