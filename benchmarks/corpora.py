"""Text to measure on, made from a seed: the same bytes on every machine, of any size.

Each kind is like a kind of real text in what costs time: how many links a megabyte holds, how many of them are
canonical, in which wrappers they stand, how many come again, and how much is not ASCII.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["KINDS", "make"]

_SEED = 20261121
_SYLLABLES = tuple(
    f"{consonant}{vowel}" for consonant, vowel in zip("bcdfghjklmnprstvwxyz", "aeiouaeiouaeiouaeiou", strict=True)
)
_TOPS = ("com", "org", "net", "fr", "de", "jp", "io", "gov", "edu", "co.uk", "com.br", "info")
# The first 400 ideographs of the basic block, and the Hiragana.
_HAN = "".join(map(chr, range(0x4E00, 0x4F90)))
_KANA = "".join(map(chr, range(0x3042, 0x3094)))


class _Writer:
    """Words, names and links from one random source."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.words = [self._word() for _ in range(4_000)]
        self.hosts = [self._host() for _ in range(3_000)]

    def _word(self) -> str:
        return "".join(self.random.choices(_SYLLABLES, k=self.random.randint(1, 4)))

    def _host(self) -> str:
        prefix = self.random.choice(("www.", "", "", "lists.", "cdn."))
        return f"{prefix}{self._word()}{self._word()}.{self.random.choice(_TOPS)}"

    def sentence(self, words: int) -> str:
        return " ".join(self.random.choices(self.words, k=words))

    def link(self, canonical: float = 0.85) -> str:
        choose = self.random
        host = self.hosts[int(len(self.hosts) * choose.random() ** 3)]
        path = "/".join(choose.choices(self.words, k=choose.randint(1, 4)))
        text = f"{choose.choice(('http', 'https', 'https'))}://{host}/{path}"
        form = choose.random()
        if form < 0.3:
            text += f"?id={choose.randrange(10**7)}&{choose.choice(self.words)}={choose.choice(self.words)}"
        elif form < 0.5:
            text += f"-{choose.randrange(10**6)}.html"
        elif form < 0.6:
            text += f"/{choose.randrange(10**6)}/#{choose.choice(self.words)}"
        if choose.random() > canonical:
            text = choose.choice(_DISGUISES)(text, host)
        return text


_DISGUISES: tuple[Callable[[str, str], str], ...] = (
    lambda text, host: text.replace(host, host.upper(), 1),
    lambda text, host: text.replace("://", "://user@", 1),
    lambda text, host: f"http://{host}",
    lambda text, host: text.replace(host, f"{host}:443" if text.startswith("https") else f"{host}:80", 1),
    lambda text, host: text.replace("a", "%61", 1) if "a" in text[12:] else text,
    lambda text, host: text.replace(f"{host}/", f"{host}/x/../", 1),
    lambda text, host: f"{text}%c3%a9",
    lambda text, host: f"{text}_(x)",
    lambda text, host: text.replace(host, "192.168.7.23", 1),
)


def _mail(writer: _Writer) -> Iterator[str]:
    """Mail: headers, quoted text, about 480 links a megabyte."""
    choose = writer.random
    while True:
        name = choose.choice(writer.words)
        yield (
            f"From {name}@{choose.choice(writer.hosts)} Sat Nov 21 09:{choose.randrange(10, 60)}:00 2026\n"
            f"Received: from {choose.choice(writer.hosts)} ([10.{choose.randrange(256)}.0.{choose.randrange(256)}])\n"
            f"Message-ID: <{choose.randrange(10**12)}@{choose.choice(writer.hosts)}>\n"
            f"Subject: Re: {writer.sentence(6)}\nList-Archive: <{writer.link(1)}>\n\n"
        )
        for _ in range(choose.randint(3, 9)):
            quote = choose.choice(("", "", "> "))
            for _ in range(choose.randint(15, 45)):
                yield f"{quote}{writer.sentence(11)}\n"
            link = writer.link()
            yield choose.choice(
                (
                    f"{quote}see {link}\n",
                    f"{quote}<{link}>, {writer.sentence(4)}\n",
                    f'<a href="{link}">{writer.sentence(3)}</a>\n',
                    f"{quote}{writer.sentence(5)} ({link}).\n",
                )
            )
        yield f"-- \n{name}: {writer.sentence(2)}\n\n"


def _prose(writer: _Writer) -> Iterator[str]:
    """Documentation: long paragraphs, about 160 links a megabyte."""
    choose = writer.random
    while True:
        for _ in range(choose.randint(20, 60)):
            yield f"{writer.sentence(14)}: {writer.sentence(3)}, {writer.sentence(9)}.\n"
        if choose.random() < 0.9:
            yield f"   [{choose.randrange(99)}] {writer.sentence(5)}, <{writer.link(0.95)}>.\n\n"


def _access(writer: _Writer) -> Iterator[str]:
    """A web server's access log in combined format, two links a line at most."""
    choose = writer.random
    while True:
        referrer = writer.link(0.97) if choose.random() < 0.7 else "-"
        agent = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101"
        if choose.random() < 0.2:
            agent = f"Mozilla/5.0 (compatible; bot/2.1; +http://www.{choose.choice(writer.words)}.com/bot.html)"
        yield (
            f"10.{choose.randrange(256)}.{choose.randrange(256)}.9 - - "
            f"[21/Nov/2026:03:{choose.randrange(10, 60)}:14 +0330] "
            f'"GET /{choose.choice(writer.words)}/{choose.randrange(10**5)}.html HTTP/1.1" 200 '
            f'{choose.randrange(10**5)} "{referrer}" "{agent}"\n'
        )


def _urls(writer: _Writer) -> Iterator[str]:
    """One URL a line; about 60 % are distinct."""
    choose = writer.random
    seen: list[str] = []
    while True:
        if seen and choose.random() < 0.42:
            yield choose.choice(seen)
            continue
        line = f"{writer.link()}\n"
        if len(seen) < 200_000:
            seen.append(line)
        else:
            seen[choose.randrange(200_000)] = line
        yield line


def _cjk(writer: _Writer) -> Iterator[str]:
    """Chinese and Japanese prose with links in brackets, and a few IRIs."""
    choose = writer.random
    while True:
        for _ in range(choose.randint(2, 6)):
            letters = choose.choice((_HAN, _HAN, _KANA))
            yield "".join(choose.choices(letters, k=choose.randint(10, 60))) + choose.choice("。，、！\n")
        link = writer.link(0.95)
        if choose.random() < 0.1:
            link += "/" + "".join(choose.choices(_HAN, k=3))
        yield choose.choice((f"（{link}）", f"[文]({link})", f"见{link}，", f"「{link}」", f" {link} "))


def _html(writer: _Writer) -> Iterator[str]:
    """HTML, dense with attributes."""
    choose = writer.random
    while True:
        words = choose.choice(writer.words)
        yield (
            f'<div class="{words}"><a href="{writer.link()}" title="{words}">{writer.sentence(3)}</a>'
            f"<img src='{writer.link(1)}' width={choose.randrange(900)}/> {writer.sentence(12)}</div>\n"
        )


KINDS: dict[str, Callable[[_Writer], Iterator[str]]] = {
    "mail": _mail,
    "prose": _prose,
    "access": _access,
    "urls": _urls,
    "cjk": _cjk,
    "html": _html,
}


# What comes after this many bytes repeats them with letters exchanged: a gigabyte in seconds.
_TILE = 64_000_000
# Letters that stand in no scheme and no percent-encoding; their number is prime.
_EXCHANGED = b"gijklmnoruvyz"


def make(kind: str, size: int, path: Path) -> Path:
    """Write a text of a kind, of `size` bytes at least, unless it is there already."""
    if path.exists() and path.stat().st_size >= size:
        return path
    with path.open("wb") as file:
        written = _write_tile(kind, min(size, _TILE), file)
    if written < size:
        tile = path.read_bytes()
        with path.open("ab") as file:
            for number in range(1, -(-size // written)):
                exchanged = tile.translate(_exchange(number))
                rest = size - number * written
                file.write(exchanged if rest >= written else exchanged[: exchanged.find(b"\n", rest) + 1 or None])
    return path


def _write_tile(kind: str, size: int, file: BinaryIO) -> int:
    """Write a text from the seed; gives its size in bytes."""
    written = 0
    block: list[str] = []
    length = 0
    for piece in KINDS[kind](_Writer(_SEED)):
        block.append(piece)
        length += len(piece)
        if length > 1 << 20:
            written += file.write("".join(block).encode())
            block.clear()
            length = 0
            if written >= size:
                break
    return written


def _exchange(number: int) -> bytes:
    """The table by which letters are exchanged in a repetition.

    The exchanges are the affine maps of the letters' numbers, any two of which agree in one letter at most: so a link
    of one repetition is none of another, and all its other properties stay.
    """
    count = len(_EXCHANGED)
    factor, shift = 1 + number // count % (count - 1), number % count
    return bytes.maketrans(_EXCHANGED, bytes(_EXCHANGED[(factor * place + shift) % count] for place in range(count)))
