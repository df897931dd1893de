"""Files of every kind, cut and harmed: nothing that they hold is an exception, and what stands beside them is read.

Seeds are fixed, so that a run says the same twice; longer ones have other seeds.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.helpers.compound_files import outlook_message
from tests.helpers.containers import CONTAINERS
from tests.helpers.folders import SAMPLES
from urisieve import Options, ReadingOptions
from urisieve.errors import InputError
from urisieve.records.layouts import COLUMNS
from urisieve.runs.document_sieve import DocumentSieve
from urisieve.sources.tally import Tally

FILES = {
    "a.log": b"http://a.example/1 " * 30,
    "b.html": b"<html><a href='http://b.example/&amp;x'>x</a>",
    "c.eml": (SAMPLES / "mail/nested.eml").read_bytes(),
}
JOURNAL = b"__CURSOR=s=1\nMESSAGE=http://a.example/\nX\n\x0a\0\0\0\0\0\0\0http://b.c\n\n__CURSOR=s=2\nA=http://c.d/\n\n"
TOKENS = [
    *(b"\0", b"\xff", b"\n", b"\r\n", b"--", b"<!--", b"\xef\xbb\xbf", b"\xff\xfe", b"=\n", b"%"),
    *(b"&#x110000;", b"&#xd800;", b"9" * 20, b"7777777777", b"begin 644 x\n", b"=?utf-7?b?", b"=?x?q?=ff?="),
    *(b"\x1f\x8b\x08", b"PK\x03\x04", b"\xfd7zXZ\0", b"BZh9", b"\x28\xb5\x2f\xfd", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    *(b"Content-Type: message/rfc822\n", b"Content-Type: text/html; charset=utf-7\n", b"boundary*0*=''%ff"),
    b"Content-Transfer-Encoding: uuencode\n",
    *(b"charset=" + name for name in (b"rot13", b"idna", b"punycode", b"unicode_escape", b"hex", b"utf-16", b"mbcs")),
]  # fmt: skip


def samples() -> Iterator[tuple[str, bytes]]:
    for folder in (SAMPLES / "mail", SAMPLES):
        for path in sorted(folder.iterdir()):
            if path.suffix in (".eml", ".mbox", ".xml", ".txt"):
                yield path.name, path.read_bytes()[:50_000]
    for name, make in CONTAINERS.items():
        try:
            yield name, make(FILES)
        except ImportError:
            continue
    texts = {
        0x1A: "IPM.Note",
        0x37: "see http://s.com",
        0x1000: "http://b.com/ " + "x" * 5_000,
        0x7D: "X: http://h.com\n",
    }
    yield "a.msg", outlook_message(texts, b'<a href="http://c.com/">c</a>', {"b.gz": CONTAINERS["log.gz"](FILES)})
    yield "journal", JOURNAL


ALL = dict(samples())
READINGS: list[dict[str, Any]] = [
    *[{}] * 6,
    *({"input": kind} for kind in ("mail", "html", "journal", "jsonl", "csv", "text")),
    *({"mail_parts": "all"}, {"unescape": "html"}),
]
OPTIONS = [
    *[Options()] * 3,
    Options(schemeless="names", email="addresses", refang="known-forms"),
    Options(nested="report", repair="encode", schemes="any"),
]


def read(data: bytes, chance: random.Random) -> Tally:
    tally = Tally()
    failures: list[InputError] = []
    sieve = DocumentSieve(
        chance.choice(OPTIONS),
        ReadingOptions(**chance.choice(READINGS)),
        tally=tally,
        failed=lambda _, error: failures.append(error),
        columns=frozenset(COLUMNS),
    )
    size = chance.choice([7, 1_000, 262_144])
    for batch in sieve.batches("x", [data[start : start + size] for start in range(0, len(data), size)]):
        assert len(batch.found()) == len(batch) + len(batch.rejections)
    reasons = {getattr(error, "reason", "") for error in failures} | {reason for _, reason in tally.broken}
    for error in failures:
        if getattr(error, "reason", "") == "unexpected":
            raise error
    assert "unexpected" not in reasons
    return tally


def harmed(data: bytes, chance: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 3, 8, 30])):
        place = chance.randrange(len(out) + 1)
        match chance.randrange(7):
            case 0 | 1:
                out[place : place + 1] = bytes([chance.randrange(256)])
            case 2:
                del out[place : place + chance.choice([1, 4, 16, 200])]
            case 3:
                other = chance.randrange(len(out) + 1)
                out[place:place] = out[other : other + chance.choice([1, 10, 100, 1_000])]
            case 4:
                out[place:place] = chance.choice(TOKENS)
            case 5:
                token = chance.choice(TOKENS)
                out[place : place + len(token)] = token
            case _:
                size = chance.choice([1, 2, 4, 8])
                out[place : place + size] = chance.choice([b"\xff", b"\0", b"\x7f"]) * size
    return bytes(out)


@pytest.mark.sampled(13)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ALL)
def test_harmed(name: str) -> None:
    chance = random.Random(name)
    for _ in range(16):
        read(harmed(ALL[name], chance), chance)


@pytest.mark.sampled(13)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ALL)
def test_cut_at_every_hundredth(name: str) -> None:
    chance = random.Random(name)
    data = ALL[name]
    for hundredth in range(100):
        read(data[: len(data) * hundredth // 100], chance)
