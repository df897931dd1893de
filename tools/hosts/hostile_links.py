"""Links that try to show one host and lead to another, of all known tricks and their mixtures; the same from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Final

__all__ = ["hostile_links"]

# So many links come from a seed of their own, so that a run can go on where it has ended.
_CHUNK: Final = 5_000

_WEB: Final = ("http", "http", "https", "https", "ws", "wss", "ftp", "HTTP", "hTTps")
_OTHER: Final = (
    *("ssh", "git", "svn+ssh", "sftp", "ldap", "redis", "postgresql", "coap", "rtsp", "rsync", "ipp", "irc", "telnet"),
    *("file", "smb", "s3", "gs", "foo", "app", "ni", "dns", "nfs", "imap", "pop", "vnc", "view-source", "jdbc"),
)
_SLASHES: Final = ("//",) * 14 + ("/", "///", "\\\\", "/\\", "\\/", "", "////")
_GOOD: Final = (
    "good.example",
    "bank.example",
    "www.good.example",
    "a.b.c.example",
    "xn--bcher-kva.example",
    "localhost",
    "x",
)
_EVIL: Final = ("evil.test", "e.test", "10.0.0.1", "[::1]", "127.1", "xn--n3h.test", "evil.test.", "e_v.test")
_IPV4: Final = (
    *("127.0.0.1", "0x7f.1", "0x7F.0.0.1", "017700000001", "2130706433", "0177.0.0.1", "127.1", "1.2.3", "1.2.3.4.5"),
    *(
        "256.1.1.1",
        "1.2.3.256",
        "0x",
        "0",
        "00",
        "0x0",
        "08.8.8.8",
        "192.168.0.1.",
        "0xffffffff",
        "4294967296",
        "1.65536",
    ),
    *(
        "1..2",
        "0x1.0x2.0x3.0x4",
        "1.2.3.04",
        "1e3",
        "0b1",
        "a.1",
        "a.0x1",
        "1.a",
        "09",
        "0xg",
        "999.999.999.999",
        "１２７.0.0.1",
    ),
    *("127。0。0。1", "①②⑦.0.0.1", "%31%32%37.0.0.1", "-1", "+1", "1_0", "127.0.0.1%2e", "0X7F000001", "037777777777"),
)
_IPV6: Final = (
    *("[::1]", "[::]", "[::ffff:127.0.0.1]", "[::FFFF:7f00:1]", "[::127.0.0.1]", "[1:2:3:4:5:6:7:8]", "[2001:DB8::1]"),
    *(
        "[0:0:0:0:0:0:0:1]",
        "[::1%25en0]",
        "[::1%en0]",
        "[fe80::1%251]",
        "[v1.a]",
        "[v1.a:b]",
        "[vF.good.example]",
        "[V1.A]",
    ),
    *(
        "[::1].evil.test",
        "[::1",
        "::1",
        "[::ffff:0x7f.1]",
        "[::ffff:1.2.3.04]",
        "[1::2::3]",
        "[::g]",
        "[]",
        "[::1]x",
        "[[::1]]",
    ),
    *("[64:ff9b::1.2.3.4]", "[::ffff:0:1.2.3.4]", "[0000::0001]", "[00000::1]", "[::%31]", "［::1］"),
)
_LABELS: Final = (
    *(
        "a",
        "b1",
        "good",
        "evil",
        "www",
        "com",
        "example",
        "test",
        "xn--bcher-kva",
        "xn--zca",
        "xn--",
        "xn--a",
        "xn--n3h",
    ),
    *("xn--fa-hia", "xn--a-", "XN--BCHER-KVA", "xn--80ak6aa92e", "ab--c", "-a", "a-", "_a", "a_b", "1", "0x1", "007"),
    *(
        "bücher",
        "BÜCHER",
        "faß",
        "βόλος",
        "ﬁ",
        "ｇｏｏｄ",
        "good。evil",
        "a．b",
        "a｡b",
        "☃",
        "❤️",
        "ⓖⓞⓞⓓ",
        "ｅ",
        "ﾊﾛｰ",
        "ı",
        "İ",
    ),
    *(
        "go\u00adod",
        "go\u200bod",
        "go\u200cod",
        "a\u200db",
        "नी\u200d",
        "क्\u200dष",
        "go\u2060od",
        "\ufeffgood",
        "a\u0300",
        "é",
        "e\u0301",
    ),
    *(
        "аррӏе",
        "раураl",
        "ĸ",
        "ſ",
        "K",
        "℀",
        "℆",
        "⁄",
        "∕",
        "／",
        "＠",
        "：",
        "？",
        "＃",
        "＼",
        "﹕",
        "﹖",
        "﹟",
        "﹫",
        "℅",
    ),
    *(
        "%61",
        "%2e",
        "%2E",
        "%2f",
        "%40",
        "%3a",
        "%23",
        "%3f",
        "%5c",
        "%00",
        "%09",
        "%0a",
        "%20",
        "%ff",
        "%C3%BC",
        "%c3%9f",
    ),
    *("%E3%80%82", "%EF%BC%8F", "%25", "%2525", "%252e", "%E2%80%8B", "%AD", "%5B", "%5D", "%3A%3A1", "%41", "g%6Fod"),
    *(
        "a;b",
        "a,b",
        "a!b",
        "a$b",
        "a&b",
        "a'b",
        "a(b)",
        "a*b",
        "a+b",
        "a=b",
        "a~b",
        "a`b",
        "a|b",
        "a^b",
        "a{b}",
        'a"b',
        "a<b",
    ),
    *(
        "",
        "..",
        "a" * 63,
        "a" * 64,
        "ü" * 20,
        "𝐠𝐨𝐨𝐝",
        "𝕒",
        "½",
        "¼",
        "㏇",
        "㎯",
        "ﷺ",
        "ẞ",
        "ς",
        "Σ",
        "ß",
        "\U000e0061",
        "\ufe0f",
        "٠",
        "१",
    ),
)
_STOPS: Final = (".",) * 12 + ("。", "．", "｡", "%2e", "%2E", "..", "%E3%80%82", "․", "‥", "")
_PORTS: Final = (
    *(
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        ":",
        ":80",
        ":443",
        ":0",
        ":00080",
        ":8080",
        ":65535",
        ":65536",
        ":99999",
        ":4294967376",
    ),
    *(
        ":80:80",
        ":a",
        ":-1",
        ":+80",
        ":80@evil.test",
        ":@evil.test",
        ":８０",
        ":%38%30",
        ":80a",
        ":80;x",
        ": 80",
        ":80\\@evil.test",
    ),
    *(":18446744073709551696", ":080", "::80", ":٨٠"),
)
_USERS: Final = (
    *(
        "user",
        "user:pass",
        "good.example",
        "good.example:80",
        "",
        ":",
        ":pass",
        "a%40b",
        "good.example%2f",
        "good.example%23",
    ),
    *(
        "good.example%3f",
        "good.example%5c",
        "good.example%00",
        "good.example%0d%0a",
        "good.example;",
        "good.example&",
        "a=b",
        "[::1]",
    ),
    *(
        "good.example:443%2f",
        "good.example／",
        "good.example？",
        "good.example＃",
        "good.example：80",
        "ü",
        "%ff",
        "a b",
        "a\tb",
        "::",
    ),
    *(
        "good.example\\",
        "good.example/",
        "good.example?",
        "good.example#",
        "good.example\\/",
        "@",
        "a@b",
        "a:b@c",
        "good.example%20",
        "-o",
    ),
    *(
        "$",
        "!$&'()*+,;=",
        "~",
        "http://good.example",
        "http:",
        "https:%2f%2fgood.example",
        "good.example∕x",
        "good.example﹨",
        "%40",
    ),
)
_PATHS: Final = (
    *(
        "",
        "",
        "/",
        "/",
        "/a",
        "/@evil.test",
        "/a@evil.test:80/",
        "//evil.test",
        "///evil.test/",
        "/..//evil.test",
        "/\\evil.test",
    ),
    *(
        "/%2f%2fevil.test",
        "/;@evil.test",
        "/.",
        "/..",
        "/%2e%2e/%2e%2e//evil.test",
        "/http://evil.test/",
        "/:80@evil.test",
        "/[::1]",
    ),
    *(
        "\\",
        "\\evil.test",
        "\\@evil.test",
        "\\\\evil.test",
        ";a",
        ";@evil.test",
        "/a:b@c",
        "/%40evil.test",
        "／evil.test",
        "/‮",
    ),
    *("/" + "a" * 200, "/%00@evil.test", "/%0d%0aHost:evil.test", "/\t@evil.test", "/ @evil.test", "/a/./b/../c"),
)
_TAILS: Final = (
    *(
        "",
        "",
        "",
        "",
        "?",
        "#",
        "?@evil.test",
        "#@evil.test",
        "?a=http://evil.test/",
        "#http://evil.test/",
        "?\\@evil.test",
    ),
    *(
        "#\\@evil.test",
        "?a@evil.test/",
        "#a@evil.test/",
        "?#@evil.test",
        "#?@evil.test/",
        "?://evil.test",
        "#://evil.test",
    ),
    *(
        "?[::1]",
        "#[::1]@evil.test",
        "?/@evil.test",
        "?:80@evil.test",
        "#:80@evil.test",
        "？@evil.test",
        "＃@evil.test",
        "?%23@e.test",
    ),
)
_INSERTED: Final = (
    *(
        "@",
        "@",
        "\\",
        "/",
        "?",
        "#",
        ":",
        ";",
        "[",
        "]",
        "%",
        "%40",
        "%2f",
        "%5c",
        "%23",
        "%3f",
        "%00",
        "%0a",
        "\t",
        "\n",
        "\r",
        " ",
    ),
    *(
        "\0",
        "\x0b",
        "\x1f",
        "\x7f",
        "\u00a0",
        "\u00ad",
        "\u200b",
        "\u200e",
        "\u202e",
        "\u2028",
        "\ufeff",
        "\ufffd",
        "\ufdd0",
        "&",
        "=",
        "+",
    ),
    *(
        "|",
        "^",
        "`",
        "{",
        "}",
        "<",
        ">",
        '"',
        "'",
        "。",
        "．",
        "／",
        "＠",
        "：",
        "？",
        "＃",
        "＼",
        "%",
        "%u0040",
        "&#64;",
        "\\u0040",
        "$",
        ",",
    ),
)
_PREFIXES: Final = (
    *(
        "http:",
        "https://",
        "view-source:",
        "url:",
        "URL:",
        "javascript:",
        "blob:",
        "feed:",
        "http://good.example/",
        "//",
        "\t",
        " ",
    ),
    *(
        "http:http://",
        "jar:",
        "http://good.example@",
        "http:\\\\",
        "file:",
        "x:",
        "http://a?",
        "http://a#",
        "http%3a//",
    ),
)


class _Links:
    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self._hosts: tuple[Callable[[], str], ...] = (
            *(self._pick(_GOOD), self._pick(_EVIL), self._pick(_IPV4), self._pick(_IPV4), self._pick(_IPV6)),
            *(self._name, self._name, self._name, self._split_name, self._encoded_name),
        )

    def _pick(self, among: tuple[str, ...]) -> Callable[[], str]:
        return lambda: self._random.choice(among)

    def _name(self) -> str:
        """Return labels of all kinds, and stops between them."""
        text = self._random.choice(_LABELS)
        for _ in range(self._random.randrange(3)):
            text += self._random.choice(_STOPS) + self._random.choice(_LABELS)
        return text + self._random.choice(("", "", ".example", ".test", ".", "。", ".."))

    def _split_name(self) -> str:
        """Return two names with a delimiter or what looks like one between them."""
        return self._random.choice(_GOOD) + self._random.choice(_INSERTED) + self._random.choice(_EVIL)

    def _encoded_name(self) -> str:
        """Return a name or an address of which some characters are percent-encoded."""
        text = self._random.choice((*_GOOD, *_EVIL, *_IPV4))
        return "".join(
            "".join(f"%{octet:02x}" for octet in one.encode()) if self._random.random() < 0.3 else one for one in text
        )

    def link(self) -> str:
        """Return one link."""
        chance, choice = self._random.random, self._random.choice
        text = choice(_WEB if chance() < 0.85 else _OTHER) + ":" + choice(_SLASHES)
        while chance() < 0.3:
            text += choice(_USERS) + "@"
        text += choice(self._hosts)() + choice(_PORTS) + choice(_PATHS) + choice(_TAILS)
        if chance() < 0.1:
            text = choice(_PREFIXES) + text
        for _ in range(choice((0, 0, 0, 0, 1, 1, 2))):
            at = self._random.randrange(len(text) + 1)
            text = text[:at] + choice(_INSERTED) + text[at:]
        return text


def hostile_links(seed: int, start: int, stop: int) -> Iterator[str]:
    """Yield the links of a seed from one number to another, which may hold any character that UTF-8 can write."""
    for chunk in range(start // _CHUNK, -(-stop // _CHUNK)):
        links = _Links(f"{seed} {chunk}")
        for number in range(chunk * _CHUNK, min(stop, (chunk + 1) * _CHUNK)):
            text = links.link()
            if number >= start:
                yield text
