"""Rows of Netnews: `news`, `nntp`, `snews`."""

from __future__ import annotations

from urisieve.lean.hints import Final
from urisieve.rules.parts import ADDRESS, HOSTED, hosted, named
from urisieve.rules.scheme import Scheme
from urisieve.rules.schemes.services import service
from urisieve.syntax.components import Components

__all__ = ["ROWS"]


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
        name="news",
        title="newsgroups or an article",
        reference="RFC 5538 4",
        root=True,
        case=HOSTED,
        equivalence="of a server: all newsgroups as `*` and as nothing",
        keeps_dots=True,
        syntax=r"(?://[^/?]*+/?)?(?:[A-Za-z0-9+_.*?!%\-]+|[^@]+@[^@]+)?",
        shape=rf"(?:[A-Za-z][A-Za-z0-9+_\-]{{1,63}}\.[A-Za-z0-9+_\-]|{ADDRESS})",
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
        case=HOSTED,
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
