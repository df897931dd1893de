"""Mail as programs write it, against the rules: its fields, encodings, character sets and parts; with its links."""

from __future__ import annotations

import base64
import binascii
import quopri
import random
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

__all__ = ["CARRIERS", "ENCODED", "SPELLINGS", "OddMail", "indefinite", "odd_mails", "signed", "tlv"]

ENVELOPE: Final = b"From a@b.example Thu Aug 22 12:36:23 2002\n"
# How programs name an encoding.
SPELLINGS: Final = {
    "base64": ["base64", "BASE64 (x)", "(x) base64", '"base64"', "base-64", "(a (b\\) c) d) base64;", "base64; x=y"],
    "quoted-printable": ["quoted-printable", "Quoted-Printable (x)", '(x)"quoted-printable"', "quoted_printable"],
    "8bit": ["8bit", "8-bit", "8 bit (x)", "none", '"7bit"', "7 bit", "binary (x)", "x-odd"],
    "x-uuencode": ["x-uuencode", "uuencode (x)", "X-UUE"],
    "unknown": ["x-odd", "x-odd (base64)", "mime"],
}


def _uuencoded(text: bytes) -> bytes:
    lines = b"".join(binascii.b2a_uu(text[start : start + 45]) for start in range(0, len(text), 45))
    return b"begin 644 a.txt\n" + lines + b"`\nend\n"


# The bodies of these names.
ENCODED: Final[dict[str, Callable[[bytes], bytes]]] = {
    "base64": base64.encodebytes,
    "quoted-printable": quopri.encodestring,
    "8bit": lambda text: text,
    "x-uuencode": _uuencoded,
    "unknown": base64.encodebytes,
}


def _eml(fields: bytes, body: bytes) -> bytes:
    return b"From: a@b.example\nTo: c@d.example\nSubject: x\n" + fields + b"\n" + body


def _mbox(fields: bytes, body: bytes) -> bytes:
    return ENVELOPE + _eml(fields, body) + b"\n" + ENVELOPE + _eml(b"", b"no link\n")


def _part(fields: bytes, body: bytes) -> bytes:
    return _eml(
        b"Content-Type: multipart/mixed; boundary=outer\n", b"--outer\n" + fields + b"\n" + body + b"\n--outer--\n"
    )


def _attached(fields: bytes, body: bytes) -> bytes:
    return _part(b"Content-Type: message/rfc822\n", _eml(fields, body))


# What a body with its fields comes in.
CARRIERS: Final[dict[str, Callable[[bytes, bytes], bytes]]] = {
    "a.eml": _eml,
    "a.mbox": _mbox,
    "part.eml": _part,
    "attached.eml": _attached,
}


def tlv(tag: int, *content: bytes) -> bytes:
    """An element of DER."""
    body = b"".join(content)
    size = len(body).to_bytes(4, "big").lstrip(b"\0")
    return bytes([tag]) + (bytes([len(body)]) if len(body) < 128 else bytes([128 + len(size)]) + size) + body


def indefinite(tag: int, *content: bytes) -> bytes:
    """An element of BER whose end is marked."""
    return bytes([tag, 0x80]) + b"".join(content) + b"\0\0"


def signed(content: bytes | None, *, piece: int = 0, kind: str = "2a864886f70d010702") -> bytes:
    """Signed data with a content, in pieces of so many bytes as streaming programs write it; None for no content."""
    around = indefinite if piece else tlv
    octets = tlv(4, content or b"")
    if piece and content is not None:
        pieces = [tlv(4, content[start : start + piece]) for start in range(0, len(content), piece)]
        octets = indefinite(0x24, *pieces)
    inner = [tlv(6, bytes.fromhex("2a864886f70d010701"))]
    if content is not None:
        inner.append(around(0xA0, octets))
    data = around(0x30, tlv(2, b"\1"), tlv(0x31, tlv(0x30, tlv(6, b"\x2a"))), around(0x30, *inner), tlv(0x31))
    return around(0x30, tlv(6, bytes.fromhex(kind)), around(0xA0, data))


class OddMail(NamedTuple):
    """A message, what is odd in it, and its links in order."""

    name: str
    oddity: str
    data: bytes
    links: list[str]


def odd_mails(number: int, seed: int = 1) -> Iterator[OddMail]:
    """Yield so many messages; the same for the same seed."""
    chance = random.Random(seed)
    for index in range(number):
        oddity = _ODDITIES[index % len(_ODDITIES)]
        # A parameter, so that what is not decoded is found as another link, and a word that is not ASCII.
        path = "%C3%BC" if oddity is _charset else "a"
        count = chance.randint(1, 4)
        links = [f"http://m{index}.example/{path}/{place}?a=b&c={chance.randrange(1000)}" for place in range(count)]
        words = ["see", "the text"]
        text = "".join(f"{chance.choice(words)} {link} {chance.choice(words)}\n" for link in links)
        text = text.replace(path, "ü") if oddity is _charset else text
        data = oddity(chance, text)
        if chance.random() < 0.3:
            data = data.replace(b"\n", b"\r\n")
        yield OddMail(f"{index}.eml", oddity.__name__.strip("_"), data, links)


_HEAD: Final = b"From: a@b.example\nSubject: x\n"


def _field(name: str, value: str, body: bytes, head: bytes = _HEAD) -> bytes:
    return head + f"{name}: {value}\n\n".encode() + body


def _one_field(chance: random.Random, text: str) -> bytes:
    name = chance.choice(["Content-Transfer-Encoding", "CONTENT-TRANSFER-ENCODING"])
    encoding = chance.choice(["base64", "quoted-printable"])
    return _field(name, encoding, ENCODED[encoding](text.encode()), b"")


def _long_header(chance: random.Random, text: str) -> bytes:
    count = chance.randint(60, 400)
    names = ",\n ".join(f"Name {number} <n{number}@a.example>" for number in range(count))
    traces = "".join(
        f"Received: from a{number}.example\n by b.example; Thu, 22 Aug 2002 12:36:23 +0000\n" for number in range(count)
    )
    key = "\n ".join(base64.b64encode(chance.randbytes(48)).decode() for _ in range(count))
    first = chance.choice([f"To: {names}\n", traces, f"DKIM-Signature: v=1; a=rsa-sha256; b={key}\n"])
    return _field("Content-Transfer-Encoding", "base64", ENCODED["base64"](text.encode()), first.encode())


def _spelling(chance: random.Random, text: str) -> bytes:
    name = chance.choice(list(SPELLINGS))
    return _field("Content-Transfer-Encoding", chance.choice(SPELLINGS[name]), ENCODED[name](text.encode()))


def _structure(chance: random.Random, text: str) -> bytes:
    kinds = [
        "text/html; boundary=B",
        "text/plain; boundary=B",
        "multipart; boundary=B",
        "multipart/mixed (x); boundary=(y) B",
    ]
    part = _field(
        "Content-Transfer-Encoding", "base64", ENCODED["base64"](text.encode()), b"Content-Type: text/plain\n"
    )
    body = b"--B\n" + part + b"\n--B--\n"
    kind = chance.choice([*kinds, ""])
    return _field("Content-Type", kind, body) if kind else _HEAD + b"\n" + body


def _charset(chance: random.Random, text: str) -> bytes:
    label = chance.choice(["iso-8859-1", "windows-1252", "us-ascii", "windows-1251", "utf-8 (x)", '(x) "utf-8"'])
    return _field("Content-Type", f"text/plain; charset={label}", text.encode())


def _signed(chance: random.Random, text: str) -> bytes:
    inner = _field(
        "Content-Transfer-Encoding", "base64", ENCODED["base64"](text.encode()), b"Content-Type: text/plain\n"
    )
    kind = chance.choice(["application/pkcs7-mime", "application/x-pkcs7-mime; smime-type=signed-data"])
    data = signed(inner, piece=chance.choice([0, 1, 40, 1000]))
    return _field(
        "Content-Transfer-Encoding", "base64", base64.encodebytes(data), _HEAD + f"Content-Type: {kind}\n".encode()
    )


def _inline(chance: random.Random, text: str) -> bytes:
    digits = b"begin-base64 644 a.txt\n" + base64.encodebytes(text.encode()) + b"====\n"
    files = [_uuencoded(text.encode()), digits, _uuencoded(text.encode()).removesuffix(b"`\nend\n")]
    return _HEAD + b"\na file:\n" + chance.choice(files)


_ODDITIES: Final = (_one_field, _long_header, _spelling, _structure, _charset, _signed, _inline)
