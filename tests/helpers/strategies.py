"""Hypothesis strategies: identifiers put together by the ABNF, near misses, and the noisy text around them.

Importing this module, as conftest.py does, loads the profile of the property tests: few examples, the same every time,
so that a change that breaks nothing does not fail by chance. `pytest --hypothesis-profile=long` looks at more of them,
`URISIEVE_EXAMPLES=20000` at that many others, new ones each time.

A strategy is made once: hypothesis examines each new one, which would take most of the time.
"""

from __future__ import annotations

import functools
import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

__all__ = [
    "any_text",
    "canonical_like_links",
    "examples",
    "fragments",
    "identifiers",
    "iris",
    "joined_texts",
    "link_texts",
    "near_misses",
    "noisy_texts",
    "paths",
    "references",
    "scaled",
    "texts_of_delimiters",
    "uris",
    "urns",
]

# The examples of a property by which `examples` and `scaled` state a number, and those of the profile `long`, which is
# to end within half an hour.
_STATED = 100
_LONG = 50
_EXAMPLES = os.environ.get("URISIEVE_EXAMPLES")
settings.register_profile(
    "long",
    deadline=None,
    database=None,
    derandomize=_EXAMPLES is None,
    max_examples=int(_EXAMPLES or _LONG),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.large_base_example],
)
settings.register_profile("short", settings.get_profile("long"), max_examples=10)
settings.load_profile("long" if _EXAMPLES else "short")


def examples(number: int) -> settings:
    """Return the setting for a test that looks at another number of examples with `URISIEVE_EXAMPLES=100`."""
    return settings(max_examples=scaled(number))


def scaled(number: int) -> int:
    """Return how many of a number of cases a test looks at: half in the profile `long`, else some, one at least.

    With `URISIEVE_EXAMPLES=100` it looks at all.
    """
    return max(1, number * settings().max_examples // _STATED)


_UNRESERVED = "abcxyzABCXYZ0189-._~"
_SUB_DELIMS = "!$&'()*+,;="
_UCSCHAR = "éßאباक漢字ひカ한\u0301\u00ad\u3000\uff0e\U0001f600\U000e1000"
_IPRIVATE = "\ue000\U00100000"
_TRIPLETS = (
    "%41",
    "%7e",
    "%7E",
    "%2e",
    "%2E",
    "%2f",
    "%2F",
    "%3A",
    "%25",
    "%00",
    "%c3%a9",
    "%C3%A9",
    "%E2%80%AE",
    "%ff",
    "%FF",
    "%20",
)
_SCHEMES = (
    "http",
    "https",
    "HTTP",
    "ftp",
    "foo",
    "x-a+b.c",
    "file",
    "ws",
    "ssh",
    "ldap",
    "a",
    "git+ssh",
    "svn",
    "coap",
)
_NAMES = (
    "example.com",
    "EXAMPLE.com",
    "www.example.org",
    "www.www.example.org",
    "a",
    "a.",
    "localhost",
    "127.0.0.1",
    "1.2.3",
    "0x7f.1",
    "999.1.1.1",
    "xn--bcher-kva.example",
    "XN--BCHER-KVA.example",
    "xn--a",
    "a_b.example.com",
    "-a.example.com",
    "a--b.co",
    "b\u00fccher.example",
    "\u5341.com",
    "\u2665.net",
    "b%C3%BCcher.example",
    "%65xample.com",
    "b%fccher.example",
    "",
)


@functools.cache
def _pieces(characters: str, triplets: bool = True, most: int = 6) -> st.SearchStrategy[str]:
    choices: st.SearchStrategy[str] = st.sampled_from(characters)
    if triplets:
        choices = st.one_of(choices, choices, choices, st.sampled_from(_TRIPLETS))
    return st.lists(choices, max_size=most).map("".join)


@functools.cache
def schemes() -> st.SearchStrategy[str]:
    """RFC 3986 3.1."""
    free = st.tuples(st.sampled_from("abzABZ"), st.text("az09+-.", max_size=4)).map("".join)
    return st.one_of(st.sampled_from(_SCHEMES), st.sampled_from(_SCHEMES), free)


@functools.cache
def _h16() -> st.SearchStrategy[str]:
    return st.sampled_from(("0", "1", "00ab", "FFFF", "a", "2001", "DB8"))


@functools.cache
@st.composite
def ip_literals(draw: st.DrawFn) -> str:
    """RFC 3986 3.2.2: IPv6address in all nine forms, IPvFuture."""
    if draw(st.integers(0, 9)) == 0:
        return f"[{draw(st.sampled_from(('v1', 'VF', 'vAb')))}.{draw(st.text('aZ09:!$-._~', min_size=1, max_size=4))}]"
    tail = draw(st.sampled_from(("", "1.2.3.4", "255.0.10.99")))
    groups = 6 if tail else 8
    if draw(st.booleans()):
        inner = [draw(_h16()) for _ in range(groups)]
        return f"[{':'.join([*inner, tail] if tail else inner)}]"
    count = draw(st.integers(0, groups - 1))
    before = draw(st.integers(0, count))
    left = ":".join(draw(_h16()) for _ in range(before))
    right = ":".join([*(draw(_h16()) for _ in range(count - before)), *([tail] if tail else [])])
    return f"[{left}::{right}]"


@functools.cache
@st.composite
def authorities(draw: st.DrawFn, more: str = "") -> str:
    """RFC 3986 3.2."""
    userinfo = draw(st.one_of(st.none(), st.none(), _pieces(_UNRESERVED + _SUB_DELIMS + "::" + more)))
    host = draw(
        st.one_of(
            st.sampled_from(tuple(name for name in _NAMES if more or name.isascii())),
            st.sampled_from(tuple(name for name in _NAMES if more or name.isascii())),
            ip_literals(),
            _pieces(_UNRESERVED + _SUB_DELIMS + more),
        )
    )
    port = draw(
        st.one_of(
            st.none(), st.none(), st.sampled_from(("", "0", "80", "0080", "443", "21", "8080", "65536", "1" + "0" * 20))
        )
    )
    return (f"{userinfo}@" if userinfo is not None else "") + host + (f":{port}" if port is not None else "")


@functools.cache
def segments(more: str = "", least: int = 0) -> st.SearchStrategy[str]:
    """RFC 3986 3.3."""
    found = st.one_of(
        st.sampled_from(("", ".", "..", "%2e", "%2E.", "a", "b", "..a", ".b")),
        _pieces(_UNRESERVED + _SUB_DELIMS + ":@" + more),
    )
    return found.filter(bool) if least else found


@functools.cache
def paths(more: str = "") -> st.SearchStrategy[str]:
    """Paths that begin with "/" or are empty."""
    return st.lists(segments(more), max_size=5).map(lambda found: "".join(f"/{segment}" for segment in found))


@functools.cache
def fragments(more: str = "") -> st.SearchStrategy[str | None]:
    """RFC 3986 3.4 and 3.5, absent as None."""
    return st.one_of(
        st.none(),
        st.none(),
        _pieces(_UNRESERVED + _SUB_DELIMS + ":@/?" + more),
        st.lists(
            st.sampled_from(("a=1", "b=2", "utm_source=x", "UTM_medium=y", "gclid=", "", "b=2%26")), max_size=4
        ).map("&".join),
    )


@functools.cache
@st.composite
def _generic(draw: st.DrawFn, more: str, private: str) -> str:
    scheme = draw(schemes())
    form = draw(st.sampled_from(("authority", "authority", "authority", "absolute", "rootless", "empty")))
    if form == "authority":
        rest = "//" + draw(authorities(more)) + draw(paths(more))
    elif form == "absolute":
        path = draw(paths(more))
        rest = path if not path.startswith("//") else f"/a{path[1:]}"
    elif form == "rootless":
        rest = draw(segments(more, 1)) + draw(paths(more))
    else:
        rest = ""
    query, fragment = draw(fragments(more + private)), draw(fragments(more))
    return (
        f"{scheme}:{rest}"
        + (f"?{query}" if query is not None else "")
        + (f"#{fragment}" if fragment is not None else "")
    )


@functools.cache
def uris() -> st.SearchStrategy[str]:
    """URIs by RFC 3986 3 (the rules of their schemes may still reject them)."""
    return _generic("", "")


@functools.cache
def iris() -> st.SearchStrategy[str]:
    """IRIs by RFC 3987 2.2."""
    return _generic(_UCSCHAR, _IPRIVATE)


@functools.cache
@st.composite
def urns(draw: st.DrawFn) -> str:
    """URNs by RFC 2141 2, some of RFC 8141 2 with its components."""
    nid = draw(
        st.one_of(
            st.sampled_from(
                [
                    "isbn",
                    "ISSN",
                    "uuid",
                    "ietf",
                    "oid",
                    "nbn",
                    "example",
                    "X-a",
                    "urn-7",
                    "urn-a",
                    "a-",
                    "iso",
                    "mpeg",
                    "gsma",
                    "fdc",
                    "lex",
                    "uci",
                    "smpte",
                    "newsml",
                    "ietf:params",
                    "xx-y",
                ]
            ),
            st.text("aZ09-", min_size=1, max_size=33),
        )
    )
    nss = draw(
        st.one_of(
            _pieces("aZ09()+,-.:=@;$_!*'" + "/"),
            st.sampled_from(
                [
                    "0-395-36341-1",
                    "0395363411",
                    "0317-8471",
                    "f81d4fae-7dec-11d0-a765-00A0C91e6bf6",
                    "de:101:1-201102033592",
                    "RFC:2141",
                ]
            ),
        )
    )
    extra = draw(
        st.sampled_from(("", "", "", "?+r", "?=q", "?+r?=q", "#f", "?=q#f", "?", "?+", "?+r?s", "#f#g", "#f["))
    )
    return draw(st.sampled_from(("urn:", "URN:", "Urn:"))) + nid + ":" + nss + extra


@functools.cache
def opaque() -> st.SearchStrategy[str]:
    """Identifiers of schemes that have a syntax of their own."""
    return st.sampled_from(
        [
            "mailto:a@b.example",
            "mailto:A@B.Example",
            "mailto:a@b%C3%BC.example,c@D.example?subject=x",
            "mailto:?to=a@b.example",
            "mailto:",
            "tel:+1-201-555-0123",
            "tel:7042;phone-context=example.com",
            "sip:u:pw@h.example:5060;t=u?a=b",
            "sip:h.example:5060",
            "sip:h?x=a:b@c",
            "sips:a@[::1]",
            "data:,a%20b",
            "data:text/plain;charset=utf-8;base64,QQ==",
            "news:comp.lang.c",
            "geo:37.78,-122.39",
            "magnet:?xt=urn:btih:abc",
            "doi:10.1000/182",
            "tag:a@b.example,2001:x",
            "did:web:example.com",
            "info:doi/10.1000/182",
            "file:/a",
            "file:///a",
            "file://localhost/a",
            "file:/.//a",
            "file:a",
            "cid:a@b",
            "about:blank",
            "oid:1.2.3",
        ]
    )


@functools.cache
def identifiers() -> st.SearchStrategy[str]:
    """Identifiers of all kinds."""
    return st.one_of(uris(), uris(), iris(), urns(), opaque())


@functools.cache
@st.composite
def references(draw: st.DrawFn) -> str:
    """Relative references and identifiers (RFC 3986 4.1)."""
    if draw(st.booleans()):
        return draw(uris())
    form = draw(st.sampled_from(("authority", "absolute", "rootless", "empty")))
    if form == "authority":
        rest = "//" + draw(authorities()) + draw(paths())
    elif form == "absolute":
        rest = draw(paths()).lstrip("/")
        rest = f"/{rest}"
    elif form == "rootless":
        first = draw(segments("", 1)).replace(":", "")
        rest = (first or ".") + draw(paths())
    else:
        rest = ""
    query, fragment = draw(fragments()), draw(fragments())
    return rest + (f"?{query}" if query is not None else "") + (f"#{fragment}" if fragment is not None else "")


_BAD = (
    '\0\t\n\r "<>\\^`{|}[]#%%\x7f\x85\u00a0\u200b\u200e\u202e\u2028'
    "\ufdd0\ufeff\ufffd\uffff\ue000\ud800\udfff\U000e0001é:@/?"
)


@functools.cache
@st.composite
def near_misses(draw: st.DrawFn) -> str:
    """Identifiers with a character put in, taken away or exchanged."""
    text = draw(identifiers())
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(text)))
        kind = draw(st.sampled_from(("insert", "insert", "delete", "exchange")))
        new = draw(st.sampled_from(_BAD)) if kind != "delete" else ""
        text = text[:place] + new + text[place + (kind != "insert") :]
    return text


@functools.cache
def any_text() -> st.SearchStrategy[str]:
    """Any text at all, surrogates and noncharacters included."""
    return st.text(st.characters(exclude_categories=()), max_size=40)


@functools.cache
def texts_of_delimiters(most: int = 24) -> st.SearchStrategy[str]:
    """Short random strings from a small alphabet of what means something."""
    return st.text("aZ0:/?#[]@%.-!&;é2eF'()", max_size=most)


_WRAPPED = (
    *("<>", '""', "''", "``", "()", "[]", "{}", "“”", "‘’", "«»", "‹›", "「」", "『』", "（）", "【】", "《》", "〈〉"),
    *("**", "__", "~~", "<", ">", '"', "'", "(", ")", "“", "”", "", "", "", ""),
)
_NOISE = (
    *(
        " ",
        " ",
        "\n",
        "\r\n",
        "\t",
        "\0",
        "\x0b",
        "\x1c",
        "\x85",
        "\u00a0",
        "\u3000",
        "\u200b",
        "\ufeff",
        "\u200f",
        "\u2028",
        "\ud800",
        "\uffff",
    ),
    *(
        ".",
        ",",
        ";",
        ":",
        "!",
        "?",
        "…",
        "。",
        "，",
        "、",
        "—",
        "–",
        "-",
        "_",
        "*",
        "~",
        "'",
        '"',
        "”",
        "<",
        ">",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "|",
    ),
    *("&gt;", "&amp;", "&#62;", "&#x3e;", "&nosuch;", "&", "#", "%", "=", "/", "\\", "`", "^", "@", "$", "+"),
    *(
        "a",
        "word",
        "Ltd.",
        "9",
        "漢字",
        "עברית",
        "é",
        "\u0301",
        "http",
        "http:",
        "http:/",
        "://",
        "www.",
        "www.a.b",
        "a@b.cc",
        "urn:",
    ),
    *(
        "URL:",
        "url: ",
        "URL:\n  ",
        "URL:\u00a0",
        "<URL:",
        "<URL: ",
        "(URL: ",
        "12:30",
        "C:/",
        "std::",
        "INFO:root:",
        "mailto:",
        "sip:",
        "magnet:?xt=",
    ),
)


@st.composite
def _broken(draw: st.DrawFn, text: str) -> str:
    """White space put into a text, as line breaks in angle brackets are."""
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(text)))
        text = (
            text[:place]
            + draw(st.sampled_from(("\n", "\n  ", "\r\n\t", " ", "-\n", "-\n ", "\u3000", "\u200b")))
            + text[place:]
        )
    return text


@functools.cache
@st.composite
def joined_texts(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    """Noise with what `inner` gives in it, in wrappers, with prefixes, punctuation and white space."""
    parts: list[str] = []
    for _ in range(draw(st.integers(1, 5))):
        parts += draw(st.lists(st.sampled_from(_NOISE), max_size=3))
        pair = draw(st.sampled_from(_WRAPPED))
        text = draw(inner)
        if draw(st.integers(0, 4)) == 0:
            text = draw(_broken(text))
        prefix = draw(st.sampled_from(("", "", "", "", "URL:", "URL: ", "url:\n", "URL:\u00a0 ")))
        parts += [pair[:1], prefix, text, pair[1:]]
    parts += draw(st.lists(st.sampled_from(_NOISE), max_size=3))
    return "".join(parts)


@functools.cache
def noisy_texts() -> st.SearchStrategy[str]:
    """Texts with identifiers, near misses and noise."""
    return st.one_of(
        joined_texts(identifiers()), joined_texts(near_misses()), joined_texts(st.one_of(identifiers(), any_text()))
    )


@functools.cache
@st.composite
def canonical_like_links(draw: st.DrawFn) -> str:
    """Web links that are canonical, or almost: what the search proves and what it must leave alone."""
    scheme = draw(st.sampled_from(("http", "https", "http", "https", "Http", "xhttp", "a.https", "ws", "httpss")))
    host = draw(
        st.sampled_from(
            (
                *(
                    "a.bc",
                    "example.com",
                    "a-b.example.org",
                    "1.com",
                    "a.b.c.d.ee",
                    "1.2.3.4",
                    "1.2.3.4.5",
                    "256.1.1.1",
                    "01.2.3.4",
                    "1.2.3",
                ),
                *(
                    "a.b1",
                    "a.0x",
                    "a.xn--p1ai",
                    "xn--p1ai.com",
                    "xn--a.com",
                    "axn--b.com",
                    "a",
                    "localhost",
                    "A.bc",
                    "a_b.cc",
                    "a.-b.cc",
                ),
                *(
                    "a-.cc",
                    "-a.cc",
                    "a.b-",
                    "a--b.cc",
                    "ab--c.de",
                    "a..b",
                    "a.bc.",
                    "a" * 63 + ".com",
                    "a" * 64 + ".com",
                    "a" * 59 + ".com",
                ),
                *(
                    "é.com",
                    "a%41.com",
                    "[::1]",
                    "u@a.bc",
                    "u:p@a.bc",
                    "",
                    "a" * 30 + "." + "b" * 28 + ".com",
                    "1.2.3.4a",
                    "1.2.3.4.com",
                ),
            )
        )
    )
    port = draw(
        st.sampled_from(
            ["", "", "", "", ":80", ":443", ":8080", ":", ":0", ":080", ":1", ":65536", ":9999", ":99999", ":80a"]
        )
    )
    run = st.lists(
        st.sampled_from(
            (
                *(
                    "a",
                    "b",
                    "0",
                    "-",
                    ".",
                    "_",
                    "~",
                    "!",
                    "$",
                    "&",
                    "*",
                    "+",
                    ",",
                    ";",
                    "=",
                    ":",
                    "@",
                    "/",
                    "(",
                    ")",
                    "'",
                    "?",
                    "#",
                    "[",
                    "]",
                ),
                *(
                    "/.",
                    "/..",
                    "/./",
                    "/../",
                    "..",
                    "...",
                    "%20",
                    "%2F",
                    "%2f",
                    "%41",
                    "%7E",
                    "%00",
                    "%2E",
                    "%2D",
                    "%5F",
                    "%",
                    "%4",
                    "%zz",
                ),
                *("&gt;", "&amp", "é", "//", "http://a.bc/", "\u202e"),
            )
        ),
        max_size=6,
    ).map("".join)
    tail = draw(st.sampled_from(("", "/", "/", "/", "?", "#", "."))) + draw(run)
    return f"{scheme}://{host}{port}{tail}"


@functools.cache
def link_texts() -> st.SearchStrategy[str]:
    """Texts full of nearly canonical links."""
    return joined_texts(canonical_like_links())
