"""Texts whose pieces are glued to each other: candidates of all kinds, and what may stand before and behind them.

All pieces stand in tables here. Whoever makes texts gives a function that chooses one value of a sequence: that of a
`random.Random`, or of a strategy, which then makes a text smaller by choosing earlier values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from urisieve import Options
from urisieve.options import Bare

__all__ = ["BEHIND", "CHOICES", "EACH", "Choose", "Glued", "glued", "named_options"]

_Value = TypeVar("_Value")


class Choose(Protocol):
    """Chooses one of some values."""

    def __call__(self, values: Sequence[_Value], /) -> _Value: ...


# A word of each script, and letters and digits that look like those of ASCII.
WORDS: Final = (
    *(
        "word",
        "naïve",
        "λόγος",
        "слово",
        "բառը",
        "מילה",
        "كلمة",
        "शब्द",
        "คำว่า",
        "你好",
        "です",
        "カナ",
        "에서",
        "სიტყვა",
    ),
    *("ቃል", "தமிழ்", "Ａb", "x", "7", "２", "٣", "e\u0301"),
)
_SCHEMES: Final = ("http://", "https://", "HTTPS://", "ftp://", "ws://", "foo://", "file://", "git+ssh://", "nhttps://")
_HOSTS: Final = (
    *("e.example", "example.com", "www.example.org", "localhost", "192.0.2.1", "[2001:db8::1]", "bücher.example"),
    *("例え.jp", "пример.рф", "xn--bcher-kva.example", "e.example:8080", "localhost:3000", "u@e.example", "intranet"),
    *("u:secret@e.example", "e.example:", "a_b.example", "ex\u00adample.com", "مثال.إختبار"),
)
_PATHS: Final = (
    *(
        "",
        "/",
        "/a",
        "/a/b.html",
        "/a-b_c",
        "/~a/",
        "/a(b)",
        "/a(b",
        "/%C3%A9",
        "/слово",
        "/wiki/你好",
        "/カナ/a",
        "/é",
    ),
    *(
        "/♨",
        "/♨/a",
        "/a.",
        "/a'b",
        "/שלום",
        "/คำ",
        "/wiki/【你】",
        "/a;b=1",
        "/a,b",
        "/@a",
        "/1735",
        "/-",
        "/a*b*",
        "/a%zz",
    ),
)
_QUERIES: Final = (
    "",
    "?",
    "?q=1",
    "?q=a&b=2",
    "?a[]=1",
    "?f=",
    "?q=слово",
    "?x=%7Bx%7D",
    "?u=http://b.example/c",
    "?a&amp;b",
)
_FRAGMENTS: Final = ("", "#", "#f", "#/a:b", "#a#b", "#你好")
_OTHERS: Final = {
    "urn": (
        *("urn:isbn:0395363411", "urn:example:a", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "URN:example:a(b)"),
        *("urn:ietf:rfc:2648", "urn:example:a?=b", "urn:example:a/b#c"),
    ),
    "mail": ("mailto:joe@example.com", "mailto:joe@example.com?subject=a%20b", "mailto:a@e.example,b@e.example"),
    "doi": (
        *("doi:10.1000/182", "https://doi.org/10.1000/182", "info:doi/10.1000/182"),
        *("doi:10.1175/1520-0469(1963)020", "doi:10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2"),
    ),
    "opaque": (
        *("tel:+1-201-555-0123", "sip:joe@e.example", "data:text/plain,a", "news:comp.lang.c", "geo:48.2,16.37"),
        *("magnet:?xt=urn:btih:c12fe1c06bba254a9dc9f519b335aa7c1367a88a", "pkg:npm/foo@1.2.3", "tag:e.example,2020:a"),
        *(
            "xmpp:joe@e.example/a",
            "ark:/12148/btv1b8449691v",
            "hdl:20.500.12345/6",
            "cid:a@e.example",
            "sms:+15105550101",
        ),
    ),
    "name": (
        "example.com",
        "www.example.com",
        "www.e.example/a",
        "e.example.org:8080/a",
        "пример.рф",
        "bücher.de/a?b=c",
    ),
    "address": ("joe@example.com", "joe.b+c@e.example.org", "почта@пример.рф", "info@example.ru"),
    "number": (
        *("ISBN 0-395-36341-1", "ISBN978-0-306-40615-7", "ISSN 0378-5955", "0000-0002-1825-0097", "10.1000/182"),
        *("DOI 10.1000/182", "ark:/12148/btv1b8449691v", "20.500.12345/6", "10.1175/1520-0469(1963)020"),
    ),
    "defanged": (
        *(
            "hxxps[:]//evil[.]example/a",
            "hxxp://evil[.]example",
            "evil[.]example/a",
            "http://a[.]e[.]com",
            "hxxps://e(.)com",
        ),
        *("joe[@]evil[.]example", "hxxp://e[dot]com/?q=1", "http[:]//evil.example/a[.]b", "https://e dot com/a"),
    ),
    "redirector": (
        *(
            "https://www.google.com/url?q=https%3A%2F%2Fb.example%2Fc&sa=D",
            "https://www.google.com/url?q=http://b.example/c",
        ),
        *(
            "https://web.archive.org/web/2020/http://b.example/c",
            "https://e.example/?u=https%3A%2F%2Fb.example%2F%7Bx%7D",
        ),
        "https://l.facebook.com/l.php?u=https%3A%2F%2Fb.example%2F%E4%BD%A0%22x&h=1",
    ),
    "escaped": (
        *(
            "http:\\/\\/e.example\\/a",
            "https:\\u002F\\u002Fe.example\\u002Fa",
            "https:\\/\\/e.example\\/a?x=1\\u0026y=2",
        ),
        *("https:\\/\\/e.example\\/\\u4f60", "http://e.example/a?x=1\\u0026y=2", "http:\\x2f\\x2fe.example\\x2fa"),
    ),
    "terminal": (
        *(
            "http://localhost:\x1b[1m5173\x1b[22m/",
            "\x1b[36mhttp://e.example/a\x1b[39m",
            "https://e.exam\x1b[1mple.com/a",
        ),
        *("http://e.example/\x1b[Ka", "\x1b]8;;http://e.example/a\x1b\\", "http://e.example/a\x1b[0m"),
    ),
}
# Links that differ in what ends them: a host, a port, a path in two scripts, a query, a fragment.
_LINKS: Final = (
    *(
        "http://e.example",
        "https://localhost:3000",
        "http://192.0.2.1",
        "http://[2001:db8::1]",
        "https://bücher.example",
    ),
    *(
        "http://e.example/",
        "http://e.example/a",
        "https://пример.рф/слово",
        "http://e.example/?q=1",
        "foo://intranet/#f",
    ),
    *("ftp://u:secret@e.example/a(b)", "http://例え.jp/你好", "https://e.example/a-", "file:///a/b.html"),
)
# Each candidate that the other tables have whole.
EACH: Final = (*_LINKS, *(one for others in _OTHERS.values() for one in others))
# What may stand directly before and behind a candidate, by its kind.
BEHIND: Final[Mapping[str, Sequence[str]]] = {
    "blank": (" ", "\n", "\t", "\u3000", "\u00a0", "\r\n", "\u2028"),
    "word": WORDS,
    "stop": (
        *".,;:!?'",
        "…",
        "...",
        "。",
        "、",
        "，",
        "！",
        "．",
        "；",
        "·",
        "؟",
        "،",
        "।",
        "։",
        "¿",
        "。com",
        "．example/a",
    ),
    "mark": tuple("#$%&*+-/=@_~"),
    "excluded": tuple('\\^`|"<>'),
    "opener": tuple("([{（［｛「『【《〈〔⟨＜“‘«‹„‚»›"),
    "closer": tuple(")]}）］｝」』】》〉〕⟩＞”’»›“‘«‹"),
    "bracketed": (
        *(
            "[1]",
            "(site)",
            "{x}",
            "[]",
            "()",
            "{}",
            "[.]",
            "(,)",
            "{.}",
            "（公式）",
            "「你」",
            "“a”",
            "[a b]",
            '"a"',
            "<a>",
            "'a'",
        ),
        *('{"a":1}', '["a"]', '("a")', '"foo"&hl=en', "[/url]", "[@]", "[:]", "[at]", "[dot]", "[^1"),
    ),
    "symbol": (
        "👍",
        "✓",
        "→",
        "¬",
        "↲",
        "❤\ufe0f",
        "👨\u200d👩",
        "©",
        "€",
        "™",
        "°",
        "＄",
        "×",
        "🏽",
        "～",
        "〜",
        "—",
        "–",
    ),
    "box": ("│", "─", "█", "╱"),
    "invisible": tuple("\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u202e\u2066\u061c\ufe0f"),
    "lost": ("\ufffd", "\ufdd0", "\uffff", "\udc80", "\ue000", "\U000e0001"),
    "control": ("\x00", "\x07", "\x7f", "\x85", "\x1f"),
    "sequence": (
        *(
            "\x1b[0m",
            "\x1b[m",
            "\x1b[1m",
            "\x1b[39m",
            "\x1b[K",
            "\x1b[2J",
            "\x1b(B",
            "\x9b1m",
            "\x1b]8;;\x1b\\",
            "\x1b[1;31m",
        ),
        *("\x1b", "\x1b[7m"),
    ),
    "reference": ("&gt;", "&nbsp;", "&quot;", "&amp;", "&#39;", "&lt;", "&foo;", "&#x27;"),
    "escape": (
        "\\n",
        '\\"',
        "\\u0022",
        "\\u0026b",
        "\\/",
        "\\/a",
        "\\t",
        "\\u003e",
        "\\x26",
        "\\ud83d\\ude00",
        "\\d",
        "\\\\",
    ),
    "line": (
        "\n> ",
        "\n# ",
        "\n// ",
        "\n * ",
        "\n; ",
        "\n| ",
        "\n% ",
        "\nAS> ",
        "\n[INFO] ",
        "-\n",
        "\n",
        "/\n",
        "&\n",
    ),
    "prefix": ("URL:", "URL: ", "href=", "**", "__", "*", "_", "~", "q=", "//", "(see ", "<URL:", "Ltd."),
}
_KINDS: Final = tuple(BEHIND)
# The values of each option of finding; the first is the one by default.
CHOICES: Final[Mapping[str, Sequence[Any]]] = {
    "schemes": ("default", "registered", "any", frozenset({"http", "https", "mailto", "urn", "doi"})),
    "schemeless": ("off", "www", "names"),
    "email": ("off", "addresses"),
    "bare": ((), tuple(Bare), ("doi",), ("isbn", "issn")),
    "refang": ("off", "known-forms"),
    "nested": ("off", "report"),
    "unwrap": ("off", "known", "any"),
    "repair": ("off", "encode"),
    "urn_syntax": ("rfc2141", "rfc8141"),
}
# How many pieces stand between two candidates, and how many candidates there are; by default most often few.
_PIECES: Final = (1, 0, 2, 1, 3, 2, 1)
_NUMBERS: Final = (1, 1, 2, 1, 3)
# How many options are not the default: none, one, or each of them with one chance in so many.
_CHANGED: Final = (0, 1, 3, 3)


class Glued(NamedTuple):
    """A text, and the options to find what is in it.

    Attributes:
        pieces: the pieces of the text.
        changed: the options that are not the default, by name.
    """

    pieces: Sequence[str]
    changed: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The text."""
        return "".join(self.pieces)

    @property
    def options(self) -> Options:
        """The options as a value."""
        return Options(**self.changed)


def named_options(changed: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of options that are not the default, with their values."""
    return tuple(
        f"{name}={value if isinstance(value, str) else ','.join(map(str, sorted(value)))}"
        for name, value in changed.items()
    )


def _candidate(choose: Choose) -> list[str]:
    """Return the pieces of a candidate: each second one is a link."""
    if choose((True, False)):
        return [choose(values) for values in (_SCHEMES, _HOSTS, _PATHS, _QUERIES, _FRAGMENTS)]
    return [choose(_OTHERS[choose(tuple(_OTHERS))])]


def _between(choose: Choose) -> list[str]:
    return [choose(BEHIND[choose(_KINDS)]) for _ in range(choose(_PIECES))]


def glued(choose: Choose) -> Glued:
    """Return the next text: candidates, and up to three pieces of any kind before, between and behind them."""
    pieces = _between(choose)
    for _ in range(choose(_NUMBERS)):
        pieces += _candidate(choose) + _between(choose)
    pieces.append(choose(("", " and", "\nand", "and")))
    chance = choose(_CHANGED)
    names: Sequence[str] = ()
    if chance == 1:
        names = (choose(tuple(CHOICES)),)
    elif chance:
        names = [name for name in CHOICES if choose(range(chance)) == chance - 1]
    return Glued(tuple(filter(None, pieces)), {name: choose(CHOICES[name][1:]) for name in names})
