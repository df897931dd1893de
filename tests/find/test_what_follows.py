"""Candidates without a scheme, alone and with text after them: the kernel decides some only where enough follows."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from urisieve import Options, Record, Rejection, Scanner, has_identifier, sieve

ADDRESSES = Options(email=True)
NAMES = Options(schemeless="names", repair=True)
NUMBERS = Options(bare=["isbn", "issn", "orcid"])
# A text, the options, and what is found: URIs, and reasons of rejections.
ROWS = [
    ('mail sip:app:HALF"TAIL@db.example', ADDRESSES, []),
    ("mail sips:app:HALF<TAIL@db.example", ADDRESSES, []),
    ("to sip:gw1:5060; joe@b.example", ADDRESSES, ["mailto:joe@b.example"]),
    ("to (sip:gw1:5060) joe@b.example", ADDRESSES, ["mailto:joe@b.example"]),
    ("phone sip:desk:ext12 joe@b.example", ADDRESSES, ["mailto:joe@b.example"]),
    ("gossip: joe@b.example", ADDRESSES, ["mailto:joe@b.example"]),
    ("ISBN 978-3-16- 148410-0", NUMBERS, ["urn:isbn:9783161484100"]),
    ("ISBN 0-395- 36341-1", NUMBERS, ["urn:isbn:0395363411"]),
    ("ISBN 978-0- 395-36341-1", NUMBERS, ["wrong-check-digit"]),
    ("ISSN 0317- 8471", NUMBERS, ["urn:issn:03178471"]),
    ("orcid 0000-0002- 1825-0097", NUMBERS, ["https://orcid.org/0000-0002-1825-0097"]),
    ("978-3-16 - 148410-0", NUMBERS, []),
    (r"see a.b.c.org\/1 and m.de\/", NAMES, ["http://a.b.c.org/1", "http://m.de/"]),
]


def outcomes(found: Iterable[Record | Rejection]) -> list[str]:
    return [one.uri if isinstance(one, Record) else one.reason for one in found]


@pytest.mark.parametrize(("text", "options", "expected"), ROWS)
@pytest.mark.parametrize("behind", ["", " x", f" {'word ' * 40}", f"\n{'0' * 200}"])
def test_what_follows_does_not_decide(text: str, options: Options, expected: list[str], behind: str) -> None:
    whole = f"{text}{behind}"
    every = outcomes(sieve(whole, options=options))
    assert [one for one in every if not one.startswith("sip")] == expected
    assert has_identifier(whole, options=options) is any(":" in one for one in every)
    for cut in range(1, len(text), 3):
        scanner = Scanner(options=options)
        parts = [*scanner.feed(whole[:cut]), *scanner.feed(whole[cut:]), *scanner.close()]
        assert outcomes(parts) == every
