"""Generated texts for comparing two searches: identifiers and near misses put together from pieces, and mutated seeds.

Everything is drawn from one `random.Random`, so that its seed gives a text again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final, TypeVar

from tests.find import test_boundaries, test_delimiting
from tests.helpers.hostile import HOSTILE
from tests.helpers.marked_rows import unmarked
from urisieve.rules.scheme_table import Namespace, Scheme, described, scheme_rule
from urisieve.rules.table import namespaces
from urisieve.syntax.characters import BRACKETS, ENDS, WRAPPERS

__all__ = ["Texts", "seeds"]

_Fed = TypeVar("_Fed", str, bytes)

_ESCAPES: Final = (
    *("\x1b[0m", "\x1b[1;31m", "\x9b1m", "\x1b]8;;", "\x1b]8;;\x1b\\", "\x1b(B", "\x1b#8", "\x1bM", "\x1b[?25h"),
    *("\x1b", "\x1b[", "\x1b[1;", "\x9b", "\x1b[12:3:4 q", "\x1b$)C", "\x1b/A", "\x1b[" + "1" * 40 + "m"),
)
_SCHEMES: Final = (
    *("http", "https", "HTTP", "ftp", "xhttp", "nhttps", "3Dhttp", "%0Ahttp", "=3Dhttps", "=3dftp", "mailto", "urn"),
    *("file", "tel", "data", "sip", "sips", "view-source", "javascript", "jdbc:mysql", "git+ssh", "foo", "x-y"),
    *("a.b.http", "foo.mailto", "s", "C", "é", "URL: http", "url:http", "URL:\n  https", "URL:\u00a0http", "info"),
    *("doi", "magnet", "news", "tag", "feed", "x" * 70 + "http", "1http", "+http", "-http", "http+", "x" * 600),
    *(f"{escape}http" for escape in _ESCAPES),
    *(f"{escape}mailto" for escape in _ESCAPES[:4]),
)
_HOSTS: Final = (
    *(
        "\x1b[1me.example",
        "e.exam\x1b[1mple",
        "e\x1b[K:\x1b[1m80\x1b[22m",
        "u:12\x1b[31m34\x1b[0m@e.example",
        "e\\u002eexample",
    ),
    *("e.example", "EXAMPLE.com", "192.168.7.1", "192.168.7.256", "[::1]", "[v1.a]", "[::1", "[fe80::1%25a]"),
    *("a_b.example", "-a.example", "a-.example", "xn--bcher-kva.example", "XN--A.example", "b\u00fccher.example"),
    *("e.example:80", "e.example:443", "e.example:", "e.example:0080", "e.example:65536", "e.example:99999", "a:b"),
    *("u@e.example", "u:p@e.example", "@e.example", ":@e.example", "u:p@x@e.example", "e.example.", "e.example.."),
    *("joe@e.com", "jörg@e.com", "看meishi.com", "почтаinfo@e.com", "用户@例.com", "@joe@e.com", "x:joe@e.com"),
    *("1.2.3", "0x7f.1", "1.2.3.4.", "a.0x", "a..b", "", "localhost", "e", "web[1-3].example", "e[.]example"),
    *("e.example[1]", "e.example]", "%41.example", "%c3%bc.example", "%00.example", "a" * 63 + ".example"),
    *("a" * 64 + ".example", ("a" * 60 + ".") * 4 + "com", ("a" * 60 + ".") * 5 + "com", "a'b", "e.example-"),
    *(
        "中.example",
        "e.example\u2014",
        "例え。テスト",
        "שלום.example",
        "a\u0301.example",
        "ａ.example",
        "e.example\x00",
    ),
)
_PATHS: Final = (
    *("", "/", "/a", "/a/../b", "/./", "/..", "/a//b/", "/../../", "/%2e/", "/%7e%41", "/%zz", "/%", "/%4", "/%00"),
    *("/%c3%a9", "/é", "/中文", "/a(b)", "/a(b", "/a)b", "/a[b]", "/a]b", "/a{b}", "/a|b", "/a\\b", "/a^b`"),
    *("/a'b'", '/a"b', "/a<b>", "/a.b.", "/a,", "/a;", "/a&gt;", "/a&amp;", "/a&#62;", "/a&#x3e;", "/a&foo;", "/a&lt"),
    *("/**", "/a**", "/a__", "/~~", "/a-", "/-", "/a\u2026", "/a\u201d", "/a\u3002", "/a\u300d", "/a）", "/（a）"),
    *("/\ue000", "/a\ufffd", "/a\udc80b", "/a\udcff", "/\ud800", "/a\u200b", "/a\u202e", "/a\\n", '/a\\"', "/a?"),
    *("/a!", "/.a", "/a/.b", "/%2e%2e/x", "/x/%2E/y", ";a=b", "/a\u0301", "/ａ", "/a\U0001f600", "/a\U000f0000"),
    *(
        "/a\x1b[1mb\x1b[22mc",
        "/a\x1b[0m",
        "/\x1b[2Jx",
        "/\x1b[1;38;5;22m",
        "/a\x1b\\b",
        "/a\x1b]8;;\x1b\\b",
        "/\x9b1mb",
    ),
    *(
        "/a\\u0026b",
        "/a\\\\u0026b",
        "/a\\x26b",
        "/a\\u0022",
        "/a\\u003cb",
        "/\\ud83d\\ude00",
        "/\\ud83d",
        "\\/a",
        "/a\\u00",
    ),
    *("/\U000e0001", "/\U0010ffff", "/a\x00b", "/a\x7f", "/\x85", "/\u061c", "/\u05d0", "/a\u0660", "C:/a", "\\a"),
)
_TAILS: Final = (
    *("", "?", "?a=b", "?a[]=1", "?a[/b]", "?[/url]", "[/url]", "[/b] x", "#", "#f", "#a#b", "?a#b?c", "?\ue000"),
    *("?a=http://b.example/", "?é", "?a&amp;b", "&lt;", "&quot;", "&#39;", "'", '")', ">", "»", "”", "。", "|label"),
    *("?a=<b>", "?(a)", "#!/x", "?a=%e4", "'https://c.example/", "'http", ".", "...", "!?", "**", "_", "__", "~~", "*"),
    *("+a", "?=b", "~a", "&a", "::", ":a", "@", "/urn:a:b"),
)
_BEFORE: Final = (
    *("", "<", '"', "'", "(", "[", "{", "`", "<URL:", "<url: ", '"URL:', '\\"', '\\\\"', "*", "**", "__", "_", "~"),
    *("~~", "see ", "=", ">", "x", "中", "é", "\n", "\u3000", "[[", "((", "<<", 'href="', "='", "%", "3D", "\\n", "/"),
    *("//", ":", "a:", ";", "<a href='", "\ufeff", "URL:", "url: ", "xURL: ", "URL:\u00a0", "URL:" + " " * 79),
    *("看你", "почта", "!", "@joe"),
    *("URL:" + "\n " * 41, "  ", "\t", "**see ", "__(", "~~a ", "**a** ", "\x00", "\ud83d", "@", "#", "|", "\x85"),
)
_BEHIND: Final = (
    *("", ">", '"', "'", ")", "]", "}", "`", " ", "\n", ". ", ", ", "; ", "</a>", '\\"', "**", "__", "~~", " a>"),
    *("\n b>", "-\n b>", "-\nb>", "\u3000", "|x>", ">>", "))", "]]", "\\n", "、", "\ufffd", "\udc9f", "中", "a", "é"),
    *("\\\\", "^", "{", "`x", "|", "| ", "\\ ", "\\.", "|?x", "\\,;a", "\u2014", "-\n", "-", "\x00", "\ud83d", "\x85"),
)
_COLONS: Final = ("://",) * 8 + (
    ":\\u002F\\u002f",
    ":\\x2f\\x2F",
    ":\\/\\/",
    ":\\u002F",
    ":",
    ":",
    ":/",
    "::",
    ": ",
    ":///",
    ":\n//",
    ":x",
    ":\u00a0",
)
# Where a candidate, or the window of a search, may be full.
_LENGTHS: Final = (63, 64, 65, 252, 256, 320, 511, 1_024, 1_500, 2_048, 4_096, 4_200)
_LONG: Final = (16_384, 65_000, 65_536, 65_537, 70_000, 140_000)
_RUNS: Final = (
    *(
        "a",
        "1",
        ".",
        "-",
        "+",
        ":",
        "/",
        "@",
        "%",
        "%41",
        "%c3%a9",
        "(",
        ")",
        "[",
        "]",
        "{",
        "'",
        ";",
        "&",
        "&gt;",
        "*",
    ),
    *("a.", "a:", "a@", "a/", "a ", " ", "\n", "\\", "é", "漢", "\u0301", "\U0001f600", "\ud800", "\udc80", "\ue000"),
    *("\\/", "http:\\/\\/", ":\\/\\/", "\\u0041"),
    *("\x00", "http:", "http://", "<http:", "<http://a ", "urn:a:", "mailto:", "\x1b[0m", "URL: ", "'http", "&#62;"),
)
# What is found without a scheme, or defanged, and what looks like it.
_OTHERS: Final = (
    *("joe@e.example", "a.b+c@d.org", "..@x.de", "a.@x.de", "to:joe@x.de", "user=joe@x.de", "=joe@x.y", "joe@x", "@"),
    *(
        "www.e.example",
        "WWW.a.com/x",
        "mwww.h.com",
        "www.例え.jp/パス",
        "www",
        "w",
        "例え.com",
        "a.xn--p1ai",
        "docs.rs/x",
    ),
    *("README.md", "e.g. this", "end.Start", "EXAMPLE.COM", "evil.Com", "a.b.c.d.org", "10.0.0.1/a.html", "1.2.3.4/8"),
    *("10.0.0.1:80/", "10.0.0.1:x", "10.1000/xyz123", "doi:10.1000/182", "doi 10/abc", "10.2014/15", "9" * 30),
    *("ISBN 978-0-306-40615-7", "0306406152", "isbn: 0306406152", "ISSN 0378-5955", "1234-5678", "0000-0002-1825-0097"),
    *("doi:10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2", "10.1641/0006-3568(2001)051", "[0933:TEOTWA]2.0.CO;2"),
    *("ISBN0306406152", ", 080442957X", "doi.org/10.1000/182", "hdl.handle.net/2027/x", "<0130:DNF>2.0.CO;2-#"),
    *("ark:/12148/btv1b8449691v", "ark 12148/btv1b8", "hdl:20.500.12345/6", "20.1000/100", "12:30:45", "a::b", "x:y:z"),
    *("hxxp://e[.]com/a", "hxxps[:]//x(.)y.z", "http://a[.]b[.]com", "evil[dot]com/x", "joe [at] x [dot] org", "[.]"),
    *(
        "a dot b dot com",
        "a dot com/x",
        "h[tt]p://q.com",
        "h**p://z.org",
        "http[s]://k.org/",
        "http[:]//m.org",
        " dot ",
    ),
    *(
        "http:[//]n.org",
        "http:[/][/]o.org",
        "tp:[/]/",
        "evil&#46;com",
        "evil\\.com",
        "fxp://x.org",
        "meow://y.org",
        "&#",
    ),
    *("http://x.com/?u=http://y.com/&v=mailto:a@b.c", "http://x.com/{a b}", '"http://x.com/a b"', "<http://x.com/a b>"),
)
# What may stand in strings with escapes, besides escaped slashes.
_IN_STRINGS: Final = (
    *("\\u0026", "\\u003d", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\\ude00", "\\u4e2d", "\\u202f", "\\u0022"),
    *("\\u003e", "\\n", "\\t", "\\r", "\\f", '\\"', "\\'", "\\.", "\\-", "\\x26", "\\x3", "\\u00", "\\", "\\\\", "/"),
    *("\\\\/", "\\d", "\\u0000", "\\u005c", "\\u002f", "\\\\n", '\\\\"', "\\[", "\\)", "\\ ", "\\\n", "\\é"),
    *("\\ufffd", "\\u200b", "\\u0040", "\\u003a"),
)
_OCTETS: Final = (
    *(b"\xff", b"\x80", b"\xc3", b"\xc0\xaf", b"\xe2\x82", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80", b"\xed\xa0\x80"),
    *(b"\xed\xb2\x80", b"\xc3\xa9", b"\xe9", b"\xef\xbb\xbf", b"\xfe\xff", b"\xf8\x88\x80\x80\x80", b"\xe0\x80\xaf"),
    *(b"\x00", b"\xc2\x9b", b"\x9b", b"\xc2\x85", b"\xf0\x9f\x98\x80", b"\xc2", b"\xe3\x80"),
)


@cache
def seeds() -> tuple[str, ...]:
    """Return texts that hold something: the rows of the boundary tests, examples of the rules, hostile texts."""
    rows = [row for table in (*test_boundaries.OWN.values(), *test_delimiting.ROWS.values()) for row in table]
    texts = [unmarked(row.marked)[0] for row in rows]
    rules: list[Scheme | Namespace] = [*map(scheme_rule, described()), *namespaces()]
    texts += [text for rule in rules for pair in (*rule.same, *rule.different) for text in pair]
    texts += [row.make(size) for row in HOSTILE for size in (60, 400)]
    return tuple(text for text in texts if len(text) <= 4_000)


@cache
def _examples() -> tuple[tuple[str, ...], ...]:
    """Return the examples of each scheme that has a row."""
    rules = map(scheme_rule, described())
    return tuple(tuple(text for pair in (*rule.same, *rule.different) for text in pair) or ("x:y",) for rule in rules)


class Texts:
    """A source of texts.

    Args:
        source: gives all that is random.
        long: the share of texts that hold a run of 16 Ki characters and more.
    """

    def __init__(self, source: random.Random, *, long: float = 0.002) -> None:
        self._random = source
        self._long = long

    def text(self) -> str:
        """Return the next text: most have a few hundred characters, and candidates in them."""
        source, chance = self._random, self._random.random()
        if chance < 0.1:
            return self._mutated(source.choice(seeds()))
        if chance < 0.12:
            return "".join(source.choice((*_BEFORE, *_BEHIND, *_ESCAPES, *ENDS)) for _ in range(source.randrange(40)))
        parts = [self._wrapped() for _ in range(source.choice((1, 1, 2, 3, 4, 6)))]
        while source.random() < 0.4:
            parts.insert(source.randrange(len(parts) + 1), source.choice(_OTHERS) + source.choice(("", " ", "\n")))
        if source.random() < 0.03:
            parts.insert(source.randrange(len(parts) + 1), self._run(source.choice(_LENGTHS)))
        if source.random() < self._long:
            parts.insert(source.randrange(len(parts) + 1), self._run(source.choice(_LONG)))
        return "".join(parts)

    def octets(self, text: str) -> bytes:
        """Return a text as UTF-8, with stray bytes and cut characters in it, a mark before it, or without."""
        source = self._random
        errors = "surrogateescape" if _is_escaped(text) and source.random() < 0.7 else "surrogatepass"
        data = text.encode("utf-8", errors)
        for _ in range(source.choice((0, 0, 1, 1, 2, 5))):
            at = source.randrange(len(data) + 1)
            data = data[:at] + source.choice(_OCTETS) + data[at + source.randrange(3) :]
        return b"\xef\xbb\xbf" + data if source.random() < 0.05 else data

    def pieces(self, fed: _Fed) -> list[_Fed]:
        """Return a text cut into pieces: one, a few, or many that are short; some are empty."""
        source, chance = self._random, self._random.random()
        if chance < 0.5:
            return [fed]
        if chance < 0.6 or len(fed) > 20_000:
            ends: list[int] = sorted(source.randrange(len(fed) + 1) for _ in range(source.randrange(1, 4)))
            return [fed[start:end] for start, end in zip([0, *ends], [*ends, len(fed)], strict=True)]
        longest = source.choice((1, 1, 2, 5, 20, 100))
        return list(self._cut(fed, lambda: source.randrange(longest) + (source.random() > 0.02)))

    @staticmethod
    def _cut(fed: _Fed, size: Callable[[], int]) -> Iterator[_Fed]:
        start = 0
        while start < len(fed):
            end = start + size()
            yield fed[start:end]
            start = end

    def _plain(self) -> str:
        """Return a link as most texts have it, in words."""
        source = self._random
        number = source.randrange(1 << source.choice((2, 20)))
        path = source.choice(("", "/", "/{}", "/a/{}.html", "/{}?a={}&b", "/%7Ea/{}#top", "/é/{}", "/a(b)", "/{}."))
        host = source.choice(
            ("e.example", "www.example.com", "E.Example", "192.168.7.1", "e.example:8080", "u@e.example")
        )
        scheme = source.choice(("http://", "http://", "https://", "ftp://", "mailto:a@", "file:///", "HTTP://"))
        before, behind = source.choice(((" ", " "), ("\n", "\n"), ("<", ">"), ('"', '"'), (" (", ") "), (">", "</a>")))
        return f"see{before}{scheme}{host}{path.format(number, number)}{behind}and"

    def _wrapped(self) -> str:
        """Return an identifier between what may stand before and behind it."""
        source = self._random
        if source.random() < 0.25:
            return self._plain()
        if source.random() < 0.12:
            return self._escaped()
        before, behind = source.choice(_BEFORE), source.choice(_BEHIND)
        chance = source.random()
        if chance < 0.3:
            before, behind = self._pair(WRAPPERS if chance < 0.2 else BRACKETS)
        elif chance < 0.35:
            before = source.choice(_ESCAPES)
        more = source.choice(_BEFORE) if source.random() < 0.3 else ""
        again = source.choice(_BEHIND) if source.random() < 0.3 else ""
        return more + before + self._identifier() + behind + again

    def _escaped(self) -> str:
        """Return a link as a string with escapes holds it, or what looks like one."""
        source = self._random
        backslashes = "\\" * source.choice((1, 1, 1, 1, 1, 2, 3, 7, 15, 16))
        text = self._plain() if source.random() < 0.5 else self._identifier()
        if source.random() < 0.3:
            text = "".join(
                f"{backslashes}u{ord(one):04x}" if "\x80" <= one <= "\uffff" or one in "&=" else one for one in text
            )
        text = text.replace("/", f"{backslashes}/")
        for _ in range(source.choice((0, 0, 1, 2))):
            at = source.randrange(len(text) + 1)
            text = text[:at] + source.choice(_IN_STRINGS) + text[at:]
        before = source.choice(("", '"', '\\"', "'", "\\n", "&quot;", "\\u0022", "(", "<", " ", "URL:", ":", "/", "**"))
        behind = source.choice(
            ("", '"', '\\"', "'", "\\n", "&quot;", "\\u0022", ")", ">", " ", ",", "\\", "/", "...", "**")
        )
        return self._mutated(before + text + behind) if source.random() < 0.1 else before + text + behind

    def _pair(self, pairs: dict[str, str]) -> tuple[str, str]:
        opener = self._random.choice(list(pairs))
        return opener, self._random.choice((*pairs[opener], *pairs[opener], "", opener))

    def _identifier(self) -> str:
        source, chance = self._random, self._random.random()
        if chance < 0.15:
            text = source.choice(seeds())[:300]
        elif chance < 0.35:
            text = source.choice(source.choice(_examples()))
            if source.random() < 0.4:
                text = text[: source.randrange(len(text) + 1)] + source.choice(_PATHS + _TAILS)
        else:
            more = source.choice(_PATHS) if source.random() < 0.4 else ""
            text = source.choice(_SCHEMES) + source.choice(_COLONS) + source.choice(_HOSTS) + source.choice(_PATHS)
            text += more + source.choice(_TAILS)
        if source.random() < 0.02:
            at = source.randrange(len(text) + 1)
            text = text[:at] + self._run(source.choice(_LENGTHS)) + text[at:]
        return self._mutated(text) if source.random() < 0.15 else text

    def _run(self, length: int) -> str:
        unit = self._random.choice((*_RUNS, *WRAPPERS, *BRACKETS))
        return self._random.choice(("", "http://a/", "<http://a/", "urn:a:b", "x", '"http://')) + unit * (
            length // len(unit) + 1
        )

    def _mutated(self, text: str) -> str:
        """Return a text with a few characters changed, left out, doubled or put in."""
        source = self._random
        for _ in range(source.choice((1, 1, 1, 2, 4))):
            at = source.randrange(len(text) + 1)
            end = at + source.choice((0, 0, 1, 1, 2, 8))
            chance = source.random()
            put = text[at:end] * 2 if chance < 0.2 else "" if chance < 0.4 else self._snippet()
            text = text[:at] + (self._character() if chance > 0.6 else put) + text[end:]
        return text

    def _snippet(self) -> str:
        return self._random.choice(self._random.choice((_PATHS, _TAILS, _BEFORE, _BEHIND, _SCHEMES, _HOSTS, _ESCAPES)))

    def _character(self) -> str:
        source = self._random
        last: Sequence[int] = (0x80, 0x80, 0x80, 0x250, 0x3100, 0x10000, 0x20000, 0x110000)
        return chr(source.randrange(source.choice(last)))


def _is_escaped(text: str) -> bool:
    """Report whether the surrogates of a text all stand for stray bytes."""
    return all("\udc80" <= character <= "\udcff" for character in text if "\ud800" <= character <= "\udfff")
