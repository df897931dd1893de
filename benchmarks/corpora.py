"""Texts to measure on, made from a seed: the same bytes on every machine, of any size.

Each kind has the figures of a real text (`benchmarks.text_figures`): how many links, addresses, names and signs a
megabyte has, how many of them are distinct, how long they are, how much is not ASCII. A kind writes the lines that
such a text is of, and what the figures still owe is put among the words of its lines.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from benchmarks.real_texts import cut
from benchmarks.text_figures import REAL, beyond_ascii, rates
from benchmarks.words import Words

__all__ = ["KINDS", "make"]

_TOPS: Final = ("com", "org", "net", "fr", "de", "jp", "io", "gov", "edu", "co.uk", "com.br", "info")
# The first 400 ideographs of the basic block, and the Hiragana.
_HAN: Final = "".join(map(chr, range(0x4E00, 0x4F90)))
_KANA: Final = "".join(map(chr, range(0x3042, 0x3094)))
# What comes after this many bytes repeats them, with other hosts and paths: a gigabyte in seconds.
_TILE: Final = 8_000_000
# Is in half of the hosts and in all paths, in no word, and is another one in each repetition.
_MARK: Final = "qaa"
_DIGITS: Final = "abcdefghijklmnopqrstuvwxyz0123456789"
# Of what is owed, so many are put into one line at most; and a run of what is not ASCII, in characters.
_MOST: Final = 3
_RUN: Final = 12
_BRACKETS: Final = ("（{}）", "[文]({})", "见{}，", "「{}」", " {} ")
_BROWSER: Final = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/32.0.1700.107 Safari/537.36"
)
# The first links come very often and are plain, or one of them would decide what share is.
_OFTEN: Final = 30
# Keys of an object of JSON among the lines of a log.
_KEYS: Final = 150


class _Pool:
    """Things that come again: each is new while the share of distinct ones is less than it should be.

    An old one is drawn from all that were drawn before, so that few come very often.
    """

    def __init__(self, words: Words, share: float, made: Callable[[], str], occurred: Callable[[], int]) -> None:
        self._words = words
        self._share = share
        self._made = made
        self._occurred = occurred
        self._distinct = 0
        self._drawn: list[str] = []

    def fresh(self) -> str:
        """Return a new one."""
        self._distinct += 1
        self._drawn.append(self._made())
        return self._drawn[-1]

    def draw(self) -> str:
        """Return a new one or an old one."""
        if self._distinct <= self._share * max(self._occurred(), len(self._drawn)):
            return self.fresh()
        self._drawn.append(self._words.random.choice(self._drawn))
        return self._drawn[-1]


class _Writer:
    """Words, names and links of one kind of text, and what its figures still owe."""

    def __init__(self, kind: str) -> None:
        self.figures = REAL[kind]
        self.size = 0
        self.counts = dict.fromkeys(self.figures, 0)
        self.words = Words(kind)
        self.random = self.words.random
        distinct = self.figures["distinct links"]
        self.hosts = _Pool(self.words, self.figures["hosts a link"] / distinct, self._host, int)
        self.links = self._pool(distinct, self._link, "links")
        self.addresses = self._pool(self.figures["distinct addresses"], self._address, "addresses")
        self.names = self._pool(self.figures["distinct names"], self._name, "names")
        self.nicks = [self.words.text(1) for _ in range(300)]

    def _pool(self, share: float, made: Callable[[], str], name: str) -> _Pool:
        return _Pool(self.words, share, made, lambda: self.counts[name])

    def count(self, data: bytes) -> None:
        """Count what has been written."""
        self.size += len(data)
        for name, count in rates(data).items():
            self.counts[name] += count
        self.counts["not ASCII"] += beyond_ascii(data)

    def owed(self, name: str) -> float:
        """Return how many of something should have been written and have not."""
        share = self.figures[name]
        return share * self.size / (1 if name == "not ASCII" else 1e6) - self.counts[name]

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def number(self, below: int) -> int:
        return self.random.randrange(below)

    def time(self) -> str:
        return f"{self.number(24):02}:{self.number(60):02}:{self.number(60):02}"

    def ip(self) -> str:
        return f"10.{self.number(256)}.{self.number(256)}.{self.number(256)}"

    def nick(self) -> str:
        return self.nicks[int(len(self.nicks) * self.random.random() ** 3)]

    def _host(self) -> str:
        prefix = self.random.choice(("www.", "", "", "lists.", "cdn."))
        mark = _MARK if self.chance(0.5) else ""
        return f"{prefix}{self.words.text(1)}{mark}.{self.random.choice(_TOPS)}"

    def _address(self) -> str:
        user = f"{self.words.text(1)}.{self.number(100)}" if self.chance(0.3) else self.words.text(1)
        return f"{user}@{self._host()}"

    def _name(self) -> str:
        return self._host() if self.chance(0.5) else f"{self.words.text(1)}.{self.words.text(1)}"

    def _link(self) -> str:
        host = self.hosts.draw()
        text = f"{self.random.choice(('http', 'https', 'https'))}://{host}/{_MARK}"
        often = self.counts["links"] < _OFTEN
        asks = not often and self.chance(self.figures["with a query"])
        length = self.figures["link length"] * (1 if often else 0.6 + 0.8 * self.random.random()) - 20 * asks
        while len(text) + 5 < length:
            text += f"{self.random.choice('/-/_')}{self.words.text(1)}"
        if not often and self.owed(".") > _MOST:
            text += ".html"
        if self.chance(0.01):
            text += "_(x)"
        if asks:
            text += f"?id={self.number(10**5)}"
            text += f"&{self.words.text(1)}={self.words.text(1)}" if self.chance(0.5) else ""
        if not often and not self.chance(self.figures["canonical"]):
            text = self.random.choice(_DISGUISES)(text, host)
        return text

    def filled(self, length: float) -> str:
        """Return about so many characters of words, with what is owed among them."""
        words = self.words.text(max(1, int(length / 6.5))).split()

        def put(text: str) -> None:
            words.insert(self.number(len(words) + 1), text)

        for name, made in _OWED.items():
            for _ in range(min(_MOST, int(self.owed(name)))):
                put(made(self))
        if self.owed("not ASCII") > 3 * _RUN:
            put(_foreign(self))
        for sign in ":.":
            for _ in range(min(2 * _MOST, int(self.owed(sign)))):
                place = self.number(len(words))
                if words[place].isalpha() and place + 1 < len(words):
                    words[place] += sign
        return " ".join(words)

    def line(self) -> str:
        """Return a line of words, empty if many lines are owed."""
        owed = self.owed("lines")
        length = (2 if owed < 0 else 0.8) * self.random.random() * 1e6 / self.figures["lines"]
        return "\n" if owed > 5 else f"{self.filled(length)}\n"


def _shown(writer: _Writer) -> str:
    link = writer.links.draw()
    return writer.random.choice((*[link] * 6, f"<{link}>", f"<{link}>", f"({link})", f"{link}."))


def _foreign(writer: _Writer) -> str:
    letters = writer.random.choice((_HAN, _HAN, _KANA))
    return "".join(writer.random.choices(letters, k=_RUN)) + writer.random.choice("。，、")


# What is put among words if it is owed. Each has signs of those that follow, and is counted before they are.
_OWED: Final[dict[str, Callable[[_Writer], str]]] = {
    "links": _shown,
    "addresses": lambda writer: writer.addresses.draw(),
    "names": lambda writer: writer.names.draw(),
    "word:x": lambda writer: f"{writer.words.text(1)}:{writer.words.text(1)}",
    "@": lambda writer: f"@{writer.nick()}",
    "&": lambda writer: writer.random.choice(("&", "&&", "a&b")),
    "base64": lambda writer: "base64",
}

_DISGUISES: Final[tuple[Callable[[str, str], str], ...]] = (
    *[lambda text, host: f"http://{host}"] * 4,
    lambda text, host: text.replace(host, host.upper(), 1),
    lambda text, host: text.replace("http", "Http", 1),
    lambda text, host: text.replace("a", "%61", 1) if "a" in text[12:] else text,
    lambda text, host: text.replace(f"{host}/", f"{host}/x/../", 1),
    lambda text, host: f"{text}%c3%a9",
    lambda text, host: text.replace(host, "192.168.7.23", 1),
)


def _head(writer: _Writer, content_type: str) -> str:
    """The header of a message of a mailing list, about 25 fields."""
    sender, to, at = writer.addresses.draw(), writer.addresses.draw(), writer.time()
    lists, name = writer.addresses.draw(), writer.names.draw()
    fields = [f"Return-Path: <{sender}>", f"Delivered-To: {to}"]
    for _ in range(3 + writer.number(3)):
        fields.append(
            f"Received: from {writer.names.draw()} ([{writer.ip()}])\n    by {writer.names.draw()} "
            f"(8.11.6/8.11.6) with ESMTP id {writer.number(10**9):X}\n    for <{to}>; Thu, 22 Aug 2002 {at} +0100"
        )
    fields += [
        f"Message-Id: <{writer.number(10**12)}{writer.addresses.fresh()}>",
        f"From: {writer.words.text(2).title()} <{sender}>",
        f"To: {to}",
        f"Subject: [{writer.words.text(1)}] Re: {writer.words.text(5)}",
        f"References: <{writer.addresses.draw()}>\n    <{writer.addresses.draw()}>",
        "MIME-Version: 1.0",
        f"Content-Type: {content_type}",
        "User-Agent: Mutt/1.4i",
        f"Sender: {lists}",
        f"Errors-To: {lists}",
        "X-Mailman-Version: 2.0.9",
        "Precedence: bulk",
        f"List-Help: <mailto:{lists}?subject=help>",
        f"List-Post: <mailto:{lists}>",
        f"List-Subscribe: <{writer.links.draw()}>,\n    <mailto:{lists}?subject=subscribe>",
        f"List-Id: {writer.words.text(3)} <{name}>",
        f"List-Archive: <{writer.links.draw()}>",
        f"Date: Thu, 22 Aug 2002 {at} -0700",
    ]
    return f"From {sender}  Thu Aug 22 {at} 2002\n" + "\n".join(fields) + "\n"


def _mail(writer: _Writer) -> Iterator[str]:
    """A mailing list: long headers, quoted text, pages, parts."""
    while True:
        packed, parts = writer.owed("base64") >= 1, writer.owed("boundary") >= 1
        page = writer.owed("<a") >= 3
        mark = f"=_{writer.number(10**9)}"
        plain = f"text/{'html' if page else 'plain'}; charset=us-ascii"
        yield _head(writer, f'multipart/mixed;\n    boundary="{mark}"' if parts else plain)
        if parts and packed:
            data = "".join(f"{b64encode(writer.random.randbytes(57)).decode()}\n" for _ in range(40))
            yield f"\n--{mark}\nContent-Type: image/gif\nContent-Transfer-Encoding: base64\n\n{data}"
        yield f"\n--{mark}\nContent-Type: {plain}\n\n" if parts else "\n"
        while writer.owed("messages") < 1:
            quote = writer.random.choice(("", "", "> "))
            if page and writer.owed("<a") >= 1:
                yield f'<td><a href="{writer.links.draw()}">{writer.words.text(3)}</a></td>\n'
            yield f"{quote}{writer.line()}"
        yield f"\n--{mark}--\n\n" if parts else "\n"


def _prose(writer: _Writer) -> Iterator[str]:
    """Documentation."""
    while True:
        yield f"{writer.random.choice(('', '', '   ', '- '))}{writer.line()}"


def _access(writer: _Writer) -> Iterator[str]:
    """A web server's access log in combined format, two links a line at most."""
    while True:
        if writer.owed(":") > _KEYS:
            pairs = (f'"{word}":{writer.number(100)}' for word in writer.words.text(_KEYS).split())
            yield f"{{{','.join(pairs)}}}\n"
        referrer = writer.links.draw() if writer.owed("links") >= 1 else "-"
        agent = _BROWSER
        if writer.owed("links") >= 2:
            agent = f"Mozilla/5.0 (compatible; bot/2.1; +{writer.links.draw()})"
        more = f".NET CLR 3.5.{writer.number(10**5)}.0 .NET4.0C " if writer.owed(".") > _MOST else ""
        path = "/".join(writer.words.text(writer.number(4) + 1).split())
        yield (
            f"{writer.ip()} - - [21/Nov/2026:{writer.time()} +0330] "
            f'"GET /{path}/{writer.number(10**5)}.html HTTP/1.1" 200 {writer.number(10**5)} "{referrer}" '
            f'"{agent} ({more}{writer.filled(10)})"\n'
        )


def _urls(writer: _Writer) -> Iterator[str]:
    """A URL a line."""
    while True:
        for name in ("addresses", "names", "&"):
            if writer.owed(name) >= 1:
                yield f"{writer.links.fresh()}?u={_OWED[name](writer)}\n"
        if writer.owed("@") >= 1:
            yield f"{writer.links.fresh()}/@{writer.nick()}\n"
        if writer.owed("word:x") >= 1:
            host = writer.hosts.draw()
            yield f"http://{host}:80/{_MARK}{writer.nick()}\n"
        if writer.owed("not ASCII") > 3 * _RUN:
            yield f"{writer.links.fresh()}/{_foreign(writer)[:_RUN]}\n"
        yield f"{writer.links.draw()}\n"


def _cjk(writer: _Writer) -> Iterator[str]:
    """Chinese and Japanese documentation: prose without blanks, links in brackets, code."""
    while True:
        text = ""
        while writer.owed("not ASCII") > 3 * (len(text) + _RUN) and len(text) < 5 * _RUN:
            text += _foreign(writer)
            if writer.owed("links") >= 1:
                link = writer.links.draw()
                text += writer.random.choice(_BRACKETS).format(link)
        yield f"{text}{writer.line()}"


def _html(writer: _Writer) -> Iterator[str]:
    """A chat as a page: many attributes and references, few links."""
    number = 0
    while True:
        number += 1
        if writer.owed("<a") < 0:
            yield f" {writer.filled(80)}\n"
        nick = f"{'@' if writer.owed('@') > 2 else ''}{writer.nick()}"
        mark = f'<li id="l-{number}"'
        said = f'<a href="#l-{number}">#</a> [{writer.time()[:5]}]'
        if writer.owed("addresses") >= 1:
            yield f"{mark}>{said} * Joins: {nick} ({writer.addresses.draw()})</li>\n"
            continue
        if writer.owed("&") < 0:
            yield f"{mark}>{said} * {nick} is now known as {writer.nick()}</li>\n"
            continue
        text = writer.filled(75)
        if writer.owed("links") >= 1:
            link = writer.links.draw().replace("&", "&amp;")
            text = f'{text} <a href="{link}">{link}</a>'
        yield f'{mark} _a="{nick}">{said} &lt;{nick}&gt; {text}</li>\n'


def _chat(writer: _Writer) -> Iterator[str]:
    """A channel: a time in each line, who joined and left, few links."""
    while True:
        at = f"201{writer.number(10)}-0{1 + writer.number(9)}-{10 + writer.number(18)}T{writer.time()}"
        if writer.chance(0.45):
            yield f"{at} * {writer.nick()} {writer.random.choice(('has quit', 'joined the channel'))}\n"
        else:
            to = f"{writer.nick()}: " if writer.chance(0.3) else ""
            length = 20 + writer.number(110 if writer.owed("lines") < 0 else 60)
            yield f"{at} <{writer.nick()}> {to}{writer.filled(length)}\n"


KINDS: Final[dict[str, Callable[[_Writer], Iterator[str]]]] = {
    "mail": _mail,
    "prose": _prose,
    "access": _access,
    "urls": _urls,
    "cjk": _cjk,
    "html": _html,
    "chat": _chat,
}
assert set(KINDS) == set(REAL)


def make(kind: str, size: int, path: Path) -> Path:
    """Write a text of a kind, of `size` bytes at least, unless it is there already."""
    if path.exists() and path.stat().st_size >= size:
        return path
    tile = _tile(kind, min(size, _TILE))
    with path.open("wb") as file:
        for number in range(-(-size // len(tile))):
            part = tile.replace(_MARK.encode(), _mark(number))
            rest = size - number * len(tile)
            file.write(part if rest >= len(part) else cut(part, rest))
    return path


def _tile(kind: str, size: int) -> bytes:
    """Return a text from the seed."""
    writer = _Writer(kind)
    made = bytearray()
    for piece in KINDS[kind](writer):
        data = piece.encode()
        writer.count(data)
        made += data
        if len(made) >= size:
            break
    return bytes(made)


def _mark(number: int) -> bytes:
    """Return the mark of a repetition, another one for each of the first 1,296."""
    return f"q{_DIGITS[number // len(_DIGITS) % len(_DIGITS)]}{_DIGITS[number % len(_DIGITS)]}".encode()
