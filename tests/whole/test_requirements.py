"""The 187 requirements, each by its number (`r054` in the names of the tests); `requirements_table` says what they ask.

Each table is in the notation of its field, a row a line. A pilcrow stands before the place where a text fails; bars
stand around what is found in text, as in `test_boundaries`.
"""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.folders import ROOT
from tests.helpers.marked_rows import Row, holds, sieved
from tests.whole.requirements_table import DEPARTURES, PROVED, WAITS
from urisieve import (
    InvalidIdentifierError,
    Options,
    Rejection,
    check,
    equivalent,
    extract,
    extract_files,
    key,
    normalize,
    normalize_reference,
    parse,
    resolve,
    sieve,
    to_iri,
    to_uri,
)
from urisieve.syntax.grammar import matches

Rows = Iterable[tuple[Any, ...]]
Mark = Callable[[Callable[..., None]], Callable[..., None]]

NONE = Options(level="none")
NEW = Options(urn_syntax="rfc8141")


def numbered(names: str, rows: Rows) -> pytest.MarkDecorator:
    """Parametrize by rows that begin with the number of their requirement; more rows of a number get letters."""
    seen: dict[int, int] = {}
    params = []
    for number, *values in rows:
        place = seen[number] = seen.get(number, 0) + 1
        letter = "" if place == 1 else string.ascii_lowercase[place - 1]
        params.append(pytest.param(*values, id=f"r{number:03}{letter}"))
    return pytest.mark.parametrize(names.split(), params)


def options_of(how: str) -> Options:
    """Options by one word: a level, or the syntax of URNs."""
    return NEW if how == "rfc8141" else Options(level=how)


LETTERS_256 = "a" * 256
VALID = (  # number, rule, text
    (5, "URI", "http://e.com/!$&'()*+,;="),
    (5, "URI", "x:/:@/?/?#/?"),
    (12, "IRI", "http://e.com/é"),
    (13, "URI", "a1+b-c.d:x"),
    (13, "scheme", "Z39.50r"),
    (17, "URI", "about:"),
    (17, "URI", "x:?#"),
    (18, "URI", "mailto:"),
    (26, "URI", "http://[2001:db8::7]/"),
    (26, "IPv6address", "::"),
    (26, "IPv6address", "1:2:3:4:5:6:7::"),
    (26, "IPv6address", "1:2:3:4:5:6:1.2.3.4"),
    (27, "URI", "http://[::ffff:1.2.3.4]/"),
    (28, "URI", "http://[V1.fe]/"),
    (28, "IPvFuture", "vAF.a:b!c"),
    (32, "URI", "file:///etc/hosts"),
    (33, "URI", "http:///x"),  # by the generic grammar
    (38, "URI", "http://h:99999/"),
    (47, "relative-ref", "./1:b"),
    (47, "relative-ref", "a/1:b"),
    (48, "URI", "http://e/a:b@c;v=1,2"),
    (54, "URI", "http://e/#a/b?c"),
    (59, "relative-ref", "//e/x"),
    (59, "URI-reference", ""),
    (112, "IRI", "http://é:é@é.com/é?é#é"),
    (113, "IRI", "http://e.com/\u00a0"),
    (115, "IRI", "http://e.com/\uffef"),
    (116, "IRI", "http://e.com/\U00010000\U0001fffd\U000d0000\U000dfffd"),
    (117, "IRI", "http://e.com/\U000e1000"),
    (118, "IRI", "http://e.com/?\ue000\U0010fffd"),
    (121, "IRI", "http://例え.jp/"),
    (122, "IRI", "http://e.com/a\u202eb"),  # the grammar alone takes it
    (147, "IRI", "http://ｅ.com/"),
    (173, "URI", "urn:example:a?b"),  # a URI, but no URN
)
INVALID = (  # number, rule, text
    (12, "URI", "http://e.com/é"),
    (14, "URI-reference", "1a:x"),
    (14, "scheme", "+a"),
    (15, "URI-reference", "ht%74p://e/"),
    (25, "IPv6address", "1::2::3"),
    (25, "IPv6address", "1:2:3:4:5:6:7:8:9"),
    (27, "URI", "http://[::ffff:01.2.3.4]/"),
    (27, "URI", "http://[::ffff:256.2.3.4]/"),
    (28, "URI", "http://[v.fe]/"),
    (28, "URI", "http://[v1.]/"),
    (28, "URI", "http://[vg.a]/"),
    (30, "URI", "http://[fe80::1%25en0]/"),
    (30, "IRI", "http://[fe80::1%25en0]/"),
    (47, "relative-ref", "1:b"),
    (47, "URI-reference", ":b"),
    (118, "URI", "http://e.com/?\ue000"),
    (120, "IRI", "αβγ://h/"),
    (120, "IRI", "http://h:٨٠/"),
)


@numbered("rule text", VALID)
def test_valid(rule: str, text: str) -> None:
    assert matches(rule, text)
    assert not matches(rule, f"{text}\n"), "a final line feed is no part of it"


@numbered("rule text", INVALID)
def test_invalid(rule: str, text: str) -> None:
    assert not matches(rule, text)


def test_r005_ascii() -> None:
    unreserved = string.ascii_letters + string.digits + "-._~"
    ascii_characters = [chr(point) for point in range(128)]
    in_host = "".join(character for character in ascii_characters if matches("reg-name", character))
    assert sorted(in_host) == sorted(unreserved + "!$&'()*+,;=")
    in_path = "".join(character for character in ascii_characters if matches("URI", f"x:/a{character}"))
    assert sorted(in_path) == sorted(in_host + ":/?#@")


BIDI_CONTROLS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
REJECTED = (  # number, text, reason, component
    (1, "http://e.com/a¶ b", "illegal-character", "path"),
    *((2, f"http://e.com/a¶{character}b", "illegal-character", "path") for character in '"<>\\^`{|}'),
    (3, "http://e.com/¶%zz", "bad-percent-encoding", "path"),
    (3, "http://e.com/a?b¶%4", "bad-percent-encoding", "query"),
    (3, "http://e.com/#¶%", "bad-percent-encoding", "fragment"),
    (3, "http://e.com/%41¶%zz", "bad-percent-encoding", "path"),
    (3, "http://e.com/%41é¶%zz", "bad-percent-encoding", "path"),
    (1, "http://%41@e%41.com/%41?%41#%41¶ b", "illegal-character", "fragment"),
    (14, "¶1a:x", "bad-scheme", "scheme"),
    (15, "ht¶%74p://e/", "bad-scheme", "scheme"),
    (20, "http://a@b¶@c/", "illegal-character", "host"),
    (25, "http://¶[1::2::3]/", "bad-ip-literal", "host"),
    (29, "http://e.com/¶[x]", "bracket-outside-host", "path"),
    (29, "http://e.com/#¶]", "bracket-outside-host", "fragment"),
    (29, "http://e¶[.com/", "bracket-outside-host", "host"),
    (30, "http://¶[fe80::1%25en0]/", "zone-identifier", "host"),
    (33, "http://¶/x", "empty-host", "host"),
    (33, "https://¶", "empty-host", "host"),
    (33, "https://u@¶:80?q", "empty-host", "host"),
    (33, "http:¶/x", "no-authority", "authority"),
    (37, "http://h:80¶ab/", "bad-port", "port"),
    (37, "http://[::1]:¶-1/", "bad-port", "port"),
    (37, "http://h:8¶\u200e0/", "bad-port", "port"),
    (53, "http://e/?a¶[0]=1", "bracket-outside-host", "query"),
    (54, "http://e/#a¶#b", "second-fragment", "fragment"),
    (59, "¶//e/x", "no-scheme", "scheme"),
    (59, "¶../x", "no-scheme", "scheme"),
    (113, "http://e.com/¶\u009f", "illegal-character", "path"),
    (114, "http://e.com/é¶\ufdd0", "illegal-character", "path"),
    (114, "http://e.com/¶\ufdef", "illegal-character", "path"),
    (115, "http://e.com/¶\ufff9", "illegal-character", "path"),
    (116, "http://e.com/¶\U0001fffe", "illegal-character", "path"),
    (116, "http://e.com/¶\U000dffff", "illegal-character", "path"),
    (116, "http://e.com/¶\U000dfffe", "illegal-character", "path"),
    (117, "http://e.com/¶\U000e0001", "illegal-character", "path"),
    (117, "http://e.com/a¶\U000e0100", "illegal-character", "path"),
    (119, "http://e.com/¶\ue000", "illegal-character", "path"),
    (119, "http://e.com/#¶\ue000", "illegal-character", "fragment"),
    (120, "¶αβγ://h/", "bad-scheme", "scheme"),
    (120, "http://h:¶٨٠/", "bad-port", "port"),
    *((122, f"http://e.com/aא¶{mark}b", "bidi-control", "path") for mark in BIDI_CONTROLS),
    (122, "http://e.com/¶\u200e\u0001", "bidi-control", "path"),
    (122, "http://e.com/é¶\u0001\u200e", "illegal-character", "path"),
)


@numbered("marked reason component", REJECTED)
def test_rejected(marked: str, reason: str, component: str) -> None:
    text = marked.replace("¶", "")
    found = check(text)
    assert isinstance(found, Rejection)
    assert (found.reason, found.component, found.offset) == (reason, component, marked.index("¶"))
    assert found.section
    with pytest.raises(InvalidIdentifierError) as raised:
        parse(text)
    assert raised.value.rejection == found


FORMS = (  # number, level, text, its form
    (4, "syntax", "http://e.com/%c3%a9%2f?%3a#%5b", "http://e.com/%C3%A9%2F?%3A#%5B"),
    (5, "scheme", "http://e.com/!$&'()*+,;=", "http://e.com/!$&'()*+,;="),
    (6, "scheme", "http://e.com/a%2Cb%2F?%26#%23", "http://e.com/a%2Cb%2F?%26#%23"),
    (7, "syntax", "http://e.com/%7Eu%41%21%2D%2e%5F%30", "http://e.com/~uA%21-._0"),
    (7, "syntax", "http://%75@e.com/?%7a#%5A", "http://u@e.com/?z#Z"),
    (8, "syntax", "http://a/b/%2e%2e/c", "http://a/c"),
    (8, "syntax", "http://a/%2E/b/.%2e", "http://a/"),
    (9, "scheme", "http://e.com/%2541", "http://e.com/%2541"),
    (16, "syntax", "HtTp://e.com/", "http://e.com/"),
    (22, "scheme", "foo://@h/", "foo://@h/"),
    (22, "scheme", "foo://u:@h/", "foo://u:@h/"),
    (34, "syntax", "http://EX%c3%a9.COM/", "http://ex%C3%A9.com/"),
    (34, "scheme", "foo://EX%c3%a9.COM/", "foo://ex%C3%A9.com/"),
    (39, "scheme", "foo://h:/x", "foo://h/x"),
    (39, "syntax", "foo://h:/x", "foo://h:/x"),
    (40, "scheme", "https://h:443/", "https://h/"),
    (40, "scheme", "http://h:443/", "http://h:443/"),
    (40, "scheme", "ftp://h:21/x", "ftp://h/x"),
    (40, "syntax", "https://h:443/", "https://h:443/"),
    (41, "scheme", "sip:u@h:5060", "sip:u@h:5060"),
    (42, "scheme", "msrp://h:2855/s;tcp", "msrp://h:2855/s;tcp"),
    (43, "scheme", "http://h:0080/", "http://h:0080/"),
    (45, "syntax", "foo:/.//x", "foo:/.//x"),
    (45, "scheme", "foo:/a/..//x", "foo:/.//x"),
    (48, "scheme", "http://e/a:b@c;v=1,2", "http://e/a:b@c;v=1,2"),
    (50, "scheme", "http://e/a//b///", "http://e/a//b///"),
    (51, "scheme", "http://U:P@e/A?B#C", "http://U:P@e/A?B#C"),
    (55, "scheme", "http://e/?", "http://e/?"),
    (56, "scheme", "http://e/#", "http://e/#"),
    (57, "scheme", "http://e/?b=1&a=2&a=2&utm_source=x", "http://e/?b=1&a=2&a=2&utm_source=x"),
    (58, "scheme", "http://e/?q=a+b", "http://e/?q=a+b"),
    (81, "syntax", "x://h/a/b/c/./../../g", "x://h/a/g"),
    (84, "none", "eXAMPLE://a/./%7e", "eXAMPLE://a/./%7e"),
    (85, "syntax", "eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"),
    (86, "syntax", "http://a/../../g", "http://a/g"),
    (86, "syntax", "http://a/b/..", "http://a/"),
    (87, "scheme", "foo:a/../b", "foo:a/../b"),
    (87, "scheme", "foo:.././a", "foo:.././a"),
    (89, "scheme", "http://example.com:80", "http://example.com/"),
    (90, "scheme", "http://e?q#f", "http://e/?q#f"),
    (90, "scheme", "https://e#f", "https://e/#f"),
    (90, "syntax", "http://e?q", "http://e?q"),
    (92, "scheme", "foo://h", "foo://h"),
    (93, "scheme", "file://LOCALHOST/etc/fstab", "file:///etc/fstab"),
    (93, "scheme", "file://host.example/etc", "file://host.example/etc"),
    (94, "scheme", "file:/etc/fstab", "file:///etc/fstab"),
    (95, "scheme", "file://u@localhost/x", "file://u@localhost/x"),
    (96, "scheme", "mailto:Joe@Example.COM", "mailto:Joe@example.com"),
    (96, "scheme", "mailto:A@B.com,C@D.com?cc=E@F.com", "mailto:A@b.com,C@d.com?cc=E@F.com"),
    (97, "syntax", "http://[2001:DB8:0:0:0:0:0:1]/", "http://[2001:db8:0:0:0:0:0:1]/"),
    (97, "scheme", "http://[2001:DB8:0:0:0:0:0:1]/", "http://[2001:db8::1]/"),
    (97, "scheme", "http://[0:0::FFFF:102:304]/", "http://[::ffff:1.2.3.4]/"),
    (97, "scheme", "http://[2001:db8:0:1::]/", "http://[2001:db8:0:1::]/"),
    (98, "scheme", "http://0x7f.1/", "http://0x7f.1/"),
    (98, "scheme", "http://017700000001/", "http://017700000001/"),
    (132, "scheme", "http://résumé.example.org", "http://xn--rsum-bpad.example.org/"),
    (132, "scheme", "foo://résumé.example.org", "foo://r%C3%A9sum%C3%A9.example.org"),
    (140, "syntax", "http://ÉX.com/", "http://%C3%89x.com/"),
    (140, "scheme", "http://ÉX.com/", "http://xn--x-9fa.com/"),
    (143, "none", "http://e.com/é", "http://e.com/é"),
    (145, "scheme", "http://♥.net/", "http://xn--g6h.net/"),
    (162, "scheme", "urn:foo:%41", "urn:foo:%41"),
    (163, "scheme", "URN:FOO:a123%2c456", "urn:foo:a123%2C456"),
    (164, "scheme", "urn:foo:a%2Db%7e", "urn:foo:a%2Db%7E"),
    (167, "scheme", "urn:foo:a/../b//./c", "urn:foo:a/../b//./c"),
    (
        186,
        "scheme",
        "urn:uuid:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
        "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    ),
    (186, "syntax", "urn:ISBN:0-395-36341-1", "urn:isbn:0-395-36341-1"),
)


@numbered("level text form", FORMS)
def test_form(level: str, text: str, form: str) -> None:
    assert normalize(text, level) == form
    assert normalize(form, level) == form
    assert key(text, options=Options(level=level)) == form


ONE_KEY = (  # number, level or syntax of URNs, texts with one key
    (89, "scheme", "http://example.com http://example.com/ http://example.com:/ http://example.com:80/"),
    (91, "scheme", "http://e.com:80/~smith/h.html http://E.com/%7Esmith/h.html http://E.com:/%7esmith/h.html"),
    (93, "scheme", "file://localhost/etc/fstab file:///etc/fstab"),
    (94, "scheme", "file:/etc/fstab file:///etc/fstab"),
    (141, "syntax", "eXAMPLE://a/./b/../b/%63/%7bfoo%7d/ros%C3%A9 example://a/b/c/%7Bfoo%7D/rosé"),
    (163, "scheme", "URN:foo:a123%2c urn:FOO:a123%2C uRn:foo:a123%2c"),
    (166, "scheme", "urn:epc:id:x URN:EPC:id:x"),
    (179, "rfc8141", "urn:example:a1,z4 urn:example:a1,z4?+abc urn:example:a1,z4?=xyz urn:example:a1,z4#789"),
    (179, "rfc8141", "urn:example:a1,z4?+r?=q#f urn:example:a1,z4#"),
    (180, "rfc8141", "URN:EXAMPLE:a123%2cz456 urn:example:a123%2Cz456"),
    (186, "scheme", "urn:isbn:0-395-36341-1 urn:ISBN:0395363411"),
    (186, "scheme", "urn:uuid:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6 urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"),
)
TWO_KEYS = (  # number, level or syntax of URNs, two texts
    (6, "scheme", "http://e.com/a%2Cb http://e.com/a,b"),
    (22, "scheme", "foo://@h/ foo://h/"),
    (22, "scheme", "foo://u:@h/ foo://u@h/"),
    (41, "scheme", "sip:u@h:5060 sip:u@h"),
    (42, "scheme", "msrp://h:2855/s;tcp msrp://h/s;tcp"),
    (45, "scheme", "foo:/.//x foo://x"),
    (50, "scheme", "http://e/a//b http://e/a/b"),
    (51, "scheme", "http://e/A http://e/a"),
    (51, "scheme", "http://e/?A http://e/?a"),
    (51, "scheme", "http://e/#A http://e/#a"),
    (51, "scheme", "http://U@e/ http://u@e/"),
    (55, "scheme", "http://e/? http://e/"),
    (56, "scheme", "http://e/# http://e/"),
    (57, "scheme", "http://e/?a=1&b=2 http://e/?b=2&a=1"),
    (57, "scheme", "http://e/?a=1&a=1 http://e/?a=1"),
    (58, "scheme", "http://e/?q=a+b http://e/?q=a%20b"),
    (58, "scheme", "http://e/?q=a+b http://e/?q=a%2Bb"),
    (84, "none", "eXAMPLE://a example://a"),
    (87, "scheme", "foo:a/../b foo:b"),
    (96, "scheme", "mailto:Joe@example.com mailto:joe@example.com"),
    (97, "syntax", "http://[2001:db8::1]/ http://[2001:db8:0::1]/"),
    (99, "scheme", "http://e/x#f http://e/x"),
    (100, "scheme", "http://e/a;x http://e/a"),
    (100, "scheme", "http://e/ https://e/"),
    (100, "scheme", "http://e/index.html http://e/"),
    (100, "scheme", "http://www.e.com/ http://e.com/"),
    (130, "scheme", "http://e.com/e\u0301 http://e.com/\u00e9"),
    (142, "none", "http://e.com/é http://e.com/%C3%A9"),
    (164, "scheme", "urn:foo:a%2Db urn:foo:a-b"),
    (165, "scheme", "urn:foo:A123,456 urn:foo:a123,456"),
    (181, "rfc8141", "urn:example:%7Ea urn:example:~a"),
    (182, "rfc8141", "urn:example:a123,z456/foo urn:example:a123,z456"),
    (183, "rfc8141", "urn:example:%D0%B0123,z456 urn:example:a123,z456"),
)


@numbered("how texts", ONE_KEY)
def test_one_key(how: str, texts: str) -> None:
    options = options_of(how)
    records = [parse(text, options=options) for text in texts.split()]
    assert len({record.key for record in records}) == 1
    assert len(set(records)) == 1
    assert all(equivalent(records[0].raw, record.raw, options=options) for record in records)
    assert not equivalent(records[0].raw, records[1].raw, "none", options=options)


@numbered("how texts", TWO_KEYS)
def test_two_keys(how: str, texts: str) -> None:
    first, second = texts.split()
    assert not equivalent(first, second, options=options_of(how))
    assert parse(first, options=options_of(how)) != parse(second, options=options_of(how))


MERGED = (  # number, step, text, its form with that step
    (43, "numeric-port", "http://h:0080/", "http://h/"),
    (43, "numeric-port", "http://h:0081/", "http://h:81/"),
    (57, "sort-query", "http://e/?b=1&a=2", "http://e/?a=2&b=1"),
    (57, "drop-tracking", "http://e/?b=1&utm_source=x&a=2", "http://e/?b=1&a=2"),
    (92, "root-path", "foo://h", "foo://h/"),
    (92, "root-path", "foo://h?q", "foo://h/?q"),
    (99, "drop-fragment", "http://e/x#f", "http://e/x"),
)


@numbered("step text form", MERGED)
def test_merged(step: str, text: str, form: str) -> None:
    options = Options(merge=[step])
    assert key(text, options=options) == normalize(text, options=options) == form
    assert key(form, options=options) == form
    assert key(text) == text, "only by name"


COMPONENTS = (  # number, text, components by name
    (10, "http://e.com/a%3Fb%23c?d%23e", {"path": "/a%3Fb%23c", "query": "d%23e", "fragment": None}),
    (13, "a1+b-c.d:x", {"scheme": "a1+b-c.d", "path": "x"}),
    (17, "about:", {"scheme": "about", "host": None, "path": "", "query": None}),
    (19, "http://e.com?q", {"host": "e.com", "path": "", "query": "q"}),
    (19, "http://e.com#f/g", {"host": "e.com", "path": "", "query": None, "fragment": "f/g"}),
    (19, "http://e.com/@:", {"host": "e.com", "userinfo": None, "port": None, "path": "/@:"}),
    (23, "http://good.example@evil.example/", {"userinfo": "good.example", "host": "evil.example"}),
    (23, "http://good.example:80@evil.example/", {"userinfo": "good.example:80", "port": None}),
    (32, "file:///etc/hosts", {"host": "", "path": "/etc/hosts"}),
    (44, "foo://h", {"host": "h", "path": ""}),
    (44, "foo://h/", {"host": "h", "path": "/"}),
    (46, "mailto:fred@example.com", {"host": None, "userinfo": None, "path": "fred@example.com"}),
    (52, "http://e/?a/b?c", {"path": "/", "query": "a/b?c"}),
)


@numbered("text components", COMPONENTS)
def test_components(text: str, components: dict[str, str | None]) -> None:
    record = parse(text, options=NONE)
    assert {name: getattr(record, name) for name in components} == components
    assert record.uri == text


@numbered(
    "text kind",
    (
        (24, "http://1.2.3.4/", "ipv4"),
        (24, "http://256.1.1.1/", "reg-name"),
        (24, "http://01.2.3.4/", "reg-name"),
        (24, "http://1.2.3/", "reg-name"),
        (24, "http://1.2.3.4.5/", "reg-name"),
        (24, "http://[::1.2.3.4]/", "ipv6"),
        (24, "file:/x", "reg-name"),
        (24, "x:/x", None),
        (28, "http://[V1.fe]/", "ipvfuture"),
    ),
)
def test_host_kind(text: str, kind: str | None) -> None:
    assert parse(text).host_kind == kind


def test_r021_masked() -> None:
    record = parse("http://u:secret@h/?a:b@c")
    assert "password-present" in record.warnings
    assert (record.uri, record.userinfo) == ("http://u:secret@h/?a:b@c", "u:secret")
    masked = record.masked(lambda password: f"<{len(password)}>")
    assert (masked.raw, masked.uri, masked.userinfo) == ("http://u:***@h/?a:b@c", "http://u:***@h/?a:b@c", "u:***")
    assert masked.key == "http://u:<6>@h/?a:b@c"
    for shown in (str(record), repr(record), repr(masked), str(masked.as_dict())):
        assert "secret" not in shown
    rejection = check("http://u:secret@h:x/")
    assert isinstance(rejection, Rejection)
    assert "secret" not in rejection.explain() + repr(rejection) + str(rejection.masked().as_dict())
    plain = parse("http://u@h:80/a:b@c")
    assert plain.masked(lambda _: "") is plain


def test_r031_zones() -> None:
    for text in ("http://[fe80::1%25en0]/", "http://[fe80::1%en0]/", "http://[fe80::1%25]/", "http://[v1.a%25en0]/"):
        found = check(text)
        assert isinstance(found, Rejection)
        assert (str(found.reason), str(found.component)) == ("zone-identifier", "host")


PATH_RULES = ("path-abempty", "path-absolute", "path-rootless", "path-noscheme")


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("http://e/", "path-abempty"),
        ("http://e", "path-abempty"),
        ("http://e//a", "path-abempty"),
        ("x:/a", "path-absolute"),
        ("x:/", "path-absolute"),
        ("x:a/b", "path-rootless path-noscheme"),
        ("x:a:b", "path-rootless"),
        ("x:", ""),
    ],
)
def test_r049_path_rules(text: str, rules: str) -> None:
    parts = parse(text, options=NONE).components
    candidates = PATH_RULES[:1] if parts.host is not None else PATH_RULES[1:]
    assert [rule for rule in candidates if matches(rule, parts.path)] == rules.split()


BASE = "http://a/b/c/d;p?q"
RESOLVED = (  # number, base, reference, target
    (45, "foo:/a", ".//x", "foo:/.//x"),
    (60, "http://a/b#f", "c", "http://a/c"),
    (60, "http://a/b#f", "", "http://a/b"),
    (61, BASE, "g:h", "g:h"),
    (62, BASE, "?y", "http://a/b/c/d;p?y"),
    (63, BASE, "#s", "http://a/b/c/d;p?q#s"),
    (64, BASE, ";x", "http://a/b/c/;x"),
    (65, BASE, "", "http://a/b/c/d;p?q"),
    (66, BASE, "..", "http://a/b/"),
    (67, BASE, "../../../g", "http://a/g"),
    (68, BASE, "../../../../g", "http://a/g"),
    (69, BASE, "/./g", "http://a/g"),
    (70, BASE, "/../g", "http://a/g"),
    (71, BASE, "g..", "http://a/b/c/g.."),
    (72, BASE, "..g", "http://a/b/c/..g"),
    (73, BASE, "./../g", "http://a/b/g"),
    (74, BASE, "./g/.", "http://a/b/c/g/"),
    (75, BASE, "g;x=1/../y", "http://a/b/c/y"),
    (76, BASE, "g?y/../x", "http://a/b/c/g?y/../x"),
    (77, BASE, "g#s/../x", "http://a/b/c/g#s/../x"),
    (78, BASE, "http:g", "http:g"),
    (79, "http://a/b/../c", "", "http://a/b/../c"),
    (79, "http://a/b/../c", "?q", "http://a/b/../c?q"),
    (80, "http://a", "g", "http://a/g"),
    (80, "http://a?q", "../g", "http://a/g"),
    (82, "x:mid/", "content=5/../6", "x:mid/6"),
    (83, "foo://h/a/b", "../../../c", "foo://h/c"),
    (83, "made-up.2://h", "//i/../j", "made-up.2://i/j"),
    (83, "urn:a:b", "#f", "urn:a:b#f"),
)


@numbered("base reference target", RESOLVED)
def test_resolved(base: str, reference: str, target: str) -> None:
    assert resolve(base, reference) == target


@pytest.mark.parametrize("base", ["//a/b", "b/c", "", "1a:x"])
def test_r083_a_base_has_a_scheme(base: str) -> None:
    with pytest.raises(InvalidIdentifierError):
        resolve(base, "c")


@pytest.mark.parametrize("reference", ["../a/../b", ".", "..", "./a/./b", "a/..", "../"])
def test_r088_references(reference: str) -> None:
    assert normalize_reference(reference) == reference


NASTY = "foo:/a/..//@@ foo:/.//x foo:/..//..//x foo:a/.. x:/%2e/%2E%2e//a http://h/%2e%2E/..// x:/.//.//."


@pytest.mark.parametrize("level", ["none", "syntax", "scheme"])
@pytest.mark.parametrize("text", NASTY.split())
def test_r101_idempotent(text: str, level: str) -> None:
    record = parse(text, options=Options(level=level))
    again = parse(record.uri, options=Options(level=level))
    assert (again.uri, again.key) == (record.uri, record.key)
    assert again.components == record.components
    assert again.host == parse(text, options=NONE).host
    assert matches("URI", record.uri)


JIM = (
    'Yes, Jim, I found it under "|http://www.w3.org/Addressing/|",\nbut you can probably pick it up from <|ftp://foo.'
    "example.\ncom/rfc/|>.  Note the warning in <|http://www.ics.uci.edu/pub/\nietf/uri/historical.html#WARNING|>."
)
FOUND = (
    (1, Row("|http://e.com/a| b")),
    (3, Row("✗http://e.com/%zz✗ x", reasons="bad-percent-encoding")),
    (53, Row("✗http://e/?a[0]=1✗ x", reasons="bracket-outside-host")),
    (54, Row("✗http://e/#a#b✗ x", reasons="second-fragment")),
    (59, Row("see //e/x, /a/b, ../c or ./d?e#f")),
    (86, Row("|http://a.example/b/../c/./d| x", uris="http://a.example/c/d")),
    (102, Row("<|http://example.com/|>", wrappers="<>")),
    (103, Row('"|http://www.w3.org/Addressing/|",', wrappers='""')),
    (104, Row("see |http://example.com/| now\t|http://example.com/a|\n")),
    (105, Row("<|ftp://foo.example.\n   com/rfc/|>", uris="ftp://foo.example.com/rfc/", warnings="whitespace-removed")),
    (
        106,
        Row(
            "<|http://e.com/a-\n  b|>",
            uris="http://e.com/a-b",
            warnings="whitespace-removed hyphen-at-line-break",
            alternatives="http://e.com/ab",
        ),
    ),
    (107, Row("<URL: |http://e.com/|>", wrappers="<>")),
    (107, Row("URL:|http://e.com/| x")),
    (
        108,
        Row(
            JIM,
            uris="http://www.w3.org/Addressing/ ftp://foo.example.com/rfc/"
            " http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING",
            wrappers='"" <> <>',
        ),
    ),
    (109, Row("Go to |http://e.com/a|. Or |http://e.com/b|, |http://e.com/c|; |http://e.com/d|: |http://e.com/e|!?")),
    (110, Row("(|http://e.com/a_(b)|) |http://e.com/a|) x")),
    (123, Row("\u202a|http://e.com/א|\u202c x")),
    (123, Row("\u2067|http://e.com/א|\u2069.", warnings="")),
    (154, Row("|urn:a:()+,-.:=@;$_!*'b| x", uris="urn:a:()+,-.:=@;$_!*'b")),
    (155, Row("✗urn:a:b%✗ x ✗urn:a:%4g✗", reasons="bad-percent-encoding bad-percent-encoding")),
    (156, Row("|urn:a:b/c| |urn:a:b?c#d| x")),
    *((157, Row(f"|urn:foo:a|{mark}b x")) for mark in ' \t\x01\x1f\\"&<>[]^`{¦}~\x7f\x80ÿ'),
    (158, Row("|urn:foo:a|~b x")),
    (158, Row("|urn:foo:a~b| x", options=NEW)),
    (159, Row("|urn:isbn:0395363411|é")),
    (159, Row("|urn:isbn:0395363411|漢\u00a0\U0001f600")),
    (160, Row("<|urn:foo:a123|> \"|urn:foo:b|\" '|urn:foo:c|' “|urn:foo:d|”")),
    (161, Row("|urn:foo:a|\0b |urn:foo:a%00|")),
    (172, Row("|urn:example:a|é", options=NEW)),
    (172, Row("urn:example:é", options=NEW)),
)


@numbered("row", FOUND)
def test_found(row: Row) -> None:
    holds(row)


def test_r111_cuts() -> None:
    text = '"http://example.com/ x'
    (whole,) = sieved(text)  # which cuts it too
    (pieces,) = sieve(iter(['"http://exa', "mple.com/ x"]))
    assert pieces.as_dict() == whole.as_dict()
    assert (whole.raw, whole.start) == ("http://example.com/", 1)


WARNED = (  # number, text, warning, a text without it
    (11, "http://e.com/%00", "percent-encoded-null", "http://e.com/%01"),
    (18, "mailto:", "empty-address", "mailto:a@example.com"),
    (23, "http://good.example@evil.example/", "userinfo-present", "http://evil.example/good.example@"),
    (35, "http://%FF.com/", "host-not-utf8", "http://%C3%A9.com/"),
    (35, "foo://%C3/", "host-not-utf8", "foo://%C3%A9/%FF"),
    (36, f"http://{LETTERS_256}.com/", "host-too-long", f"http://{LETTERS_256[:63]}.com/"),
    (36, f"http://{'abcd.' * 50}example/", "host-too-long", f"http://{'abcd.' * 49}example/"),
    (38, "http://h:99999/", "port-above-65535", "http://h:65535/"),
    (98, "http://0x7f.1/", "rare-ipv4", "http://127.0.0.1/"),
    (98, "http://017700000001/", "rare-ipv4", "http://a017700000001/"),
    (98, "http://2130706433/", "rare-ipv4", "http://2130706433.example/"),
    (98, "http://01.2.3.4/", "rare-ipv4", "http://1.2.3.4/"),
    (124, "http://e.com/aא", "bidi-mixed", "http://e.com/a/א"),
    (124, "http://e.com/אaא", "bidi-mixed", "http://e.com/א/a/א"),
    (125, "http://e.com/א1", "bidi-mixed", "http://e.com/א1א"),
    (125, "http://e.com/?1א", "bidi-mixed", "http://e.com/?1=א"),
    (125, "http://e.com/ب1", "bidi-mixed", "http://e.com/ب1ب"),
    (125, "http://e.com/1ب", "bidi-mixed", "http://e.com/ب\u064e"),
    (145, "http://♥.net/", "idna2008-disallowed", "http://é.net/"),
    (147, "http://ｅ.com/", "look-alike-host", "http://e.com/ｅ"),
    (147, "http://аррӏе.example/", "look-alike-host", "http://пример.example/"),
    (147, "http://раypal.example/", "mixed-script", "http://рар.example/"),
    (147, "http://αб.example/", "mixed-script", "http://α1β.example/"),
    (147, "http://한ひ.example/", "mixed-script", "http://日本ひカ.example/"),
    (156, "urn:a1:b/c", "reserved-character", "urn:a1:b%2Fc"),
    (156, "urn:a1:b?c", "reserved-character", "urn:a1:b%3Fc"),
    (156, "urn:a1:b#c", "reserved-character", "urn:a1:b%23c"),
    (161, "urn:foo:a%00", "percent-encoded-null", "urn:foo:a%01"),
    (162, "urn:foo:%41", "needless-percent-encoding", "urn:foo:%2F%25%26"),
    (162, "urn:foo:a%2Cb", "needless-percent-encoding", "urn:foo:a,b%C3%A9"),
    (184, "urn:urn-abc:x", "nid-forbidden-in-8141", "urn:urn-7:x"),
    (184, "urn:urn-01:x", "nid-forbidden-in-8141", "urn:urn-10:x"),
    (185, "urn:x-local:a", "nid-forbidden-in-8141", "urn:xlocal:a"),
    (185, "urn:DE-bank:a", "nid-forbidden-in-8141", "urn:deu-bank:a"),
    (185, "urn:xn--abc:a", "nid-forbidden-in-8141", "urn:xnabc:a"),
    (187, "urn:ean:4006381333931", "unregistered-nid", "urn:isbn:4006381333931"),
)


@numbered("text warning innocent", WARNED)
def test_warned(text: str, warning: str, innocent: str) -> None:
    assert warning in parse(text).warnings
    assert warning not in parse(innocent).warnings


def test_r126_order() -> None:
    text = "http://e.com/אב\u0301א"
    record = parse(text)
    assert (record.raw, record.iri) == (text, text)
    assert record.path == "/%D7%90%D7%91%CC%81%D7%90"


TO_URI = (  # number, text, URI
    (9, "http://e.com/%2541é", "http://e.com/%2541%C3%A9"),
    (127, "http://www.example.org/red%09rosé#red", "http://www.example.org/red%09ros%C3%A9#red"),
    (127, "http://e.com/%7e~%c3é?\ue000", "http://e.com/%7e~%c3%C3%A9?%EE%80%80"),
    (128, "http://example.com/𐌀", "http://example.com/%F0%90%8C%80"),
    (129, "http://e.com/%7Ea?b#c", "http://e.com/%7Ea?b#c"),
    (129, "HTTP://E.com:80/./a", "HTTP://E.com:80/./a"),
    (130, "http://e.com/e\u0301", "http://e.com/e%CC%81"),
    (132, "http://résumé.example.org", "http://r%C3%A9sum%C3%A9.example.org"),
    (134, "http://[::1]/é%25#é", "http://[::1]/%C3%A9%25#%C3%A9"),
)
TO_IRI = (  # number, text, IRI
    (9, "http://e.com/%25C3%25A9", "http://e.com/%25C3%25A9"),
    (135, "http://www.example.org/D%C3%BCrst", "http://www.example.org/Dürst"),
    (135, "http://%C3%A9@%C3%A9.com/?%C3%A9#%F0%90%8C%80", "http://é@é.com/?é#𐌀"),
    (136, "http://www.example.org/r%E9sum%E9.html", "http://www.example.org/r%E9sum%E9.html"),
    (136, "http://e.com/%C3%BC%fc", "http://e.com/ü%FC"),
    (137, "http://xn--99zt52a.example.org/%e2%80%ae", "http://xn--99zt52a.example.org/%E2%80%AE"),
    (137, "http://e.com/%C2%A0%E3%80%80%EF%BF%BD", "http://e.com/%C2%A0%E3%80%80%EF%BF%BD"),
    (138, "http://e.com/%2F%25%20", "http://e.com/%2F%25%20"),
    (138, "http://e.com/%41%7C%C3%A9", "http://e.com/%41%7Cé"),
)


@numbered("text uri", TO_URI)
def test_to_uri(text: str, uri: str) -> None:
    assert to_uri(text) == uri
    assert to_uri(uri) == uri


@numbered("text iri", TO_IRI)
def test_to_iri(text: str, iri: str) -> None:
    assert to_iri(text) == iri
    assert to_iri(iri) == iri
    assert to_uri(iri).lower() == text.lower()


@numbered(
    "text",
    (
        *((133, f"http://e.com/a{character}b") for character in '<>" {}|\\^`'),
        (134, "http://e.com/%zz"),
        (134, "http://e.com/[é]"),
        (134, "http://e.com/#é#"),
    ),
)
def test_no_mapping(text: str) -> None:
    with pytest.raises(InvalidIdentifierError):
        to_uri(text)


def test_r133_repair() -> None:
    repair = Options(repair="encode")
    record = parse('http://e.com/<>" {}|\\^`', options=repair)
    assert record.uri == "http://e.com/%3C%3E%22%20%7B%7D%7C%5C%5E%60"
    assert record.warnings == ("repaired",)
    assert record.raw == 'http://e.com/<>" {}|\\^`'
    assert parse("http://e.com/%7C", options=repair).warnings == ()


@numbered(
    "text iri",
    (
        (139, "http://xn--99zt52a.example.org/", "http://納豆.example.org/"),
        (139, "foo://xn--99zt52a.example.org/", "foo://xn--99zt52a.example.org/"),
        (139, "http://example.org/%C3%A9", "http://example.org/é"),
        (145, "http://♥.net/", "http://♥.net/"),
    ),
)
def test_readable(text: str, iri: str) -> None:
    record = parse(text)
    assert record.iri == iri
    assert parse(record.iri).key == record.key


def test_r144_raw() -> None:
    (record,) = extract("see HTTP://E.com/%7ea.")
    assert (record.raw, record.uri, record.key) == ("HTTP://E.com/%7ea", "http://e.com/~a", "http://e.com/~a")


NID_32 = "abcdefghijklmnopqrstuvwxyz012345"
URN = (  # number, syntax, text
    (148, "rfc2141", "URN:isbn:0395363411"),
    (148, "rfc2141", "uRn:isbn:0395363411"),
    (149, "rfc2141", "urn:a:b"),
    (149, "rfc2141", f"urn:{NID_32}:x"),
    (149, "rfc2141", "urn:0-a-:x"),
    (154, "rfc2141", "urn:a:()+,-.:=@;$_!*'"),
    (168, "rfc8141", "urn:ab:c"),
    (168, "rfc8141", f"urn:{NID_32}:x"),
    (169, "rfc2141", "urn:ab-:x"),
    (170, "rfc8141", "urn:example:1/406/47452/2"),
    (170, "rfc8141", "urn:example:a//"),
    (171, "rfc8141", "urn:lex:it:ministero.giustizia:decreto:1992-07-24;358~art5&6"),
    (184, "rfc8141", "urn:urn-7:x"),
)
NO_URN = (  # number, syntax, text, reason
    (150, "rfc2141", f"urn:{NID_32}¶6:x", "bad-nid"),
    (151, "rfc2141", "urn:¶-a:x", "bad-nid"),
    (151, "rfc2141", "urn:a¶_b:x", "bad-nid"),
    (152, "rfc2141", "urn:¶URN:x", "reserved-nid"),
    (152, "rfc8141", "URN:¶urn:x", "reserved-nid"),
    (153, "rfc2141", "urn:a:¶", "empty-nss"),
    (153, "rfc8141", "urn:ab:¶", "empty-nss"),
    (155, "rfc2141", "urn:a:b¶%", "bad-percent-encoding"),
    (155, "rfc2141", "urn:a:b¶%4gc", "bad-percent-encoding"),
    (168, "rfc8141", "urn:¶a:b", "bad-nid"),
    (168, "rfc8141", f"urn:{NID_32}¶6:x", "bad-nid"),
    (169, "rfc8141", "urn:¶ab-:x", "bad-nid"),
    (170, "rfc8141", "urn:example:¶/x", "empty-nss"),
    (172, "rfc8141", "urn:example:¶é", "illegal-character"),
    (173, "rfc8141", "urn:example:a¶?b", "bad-urn-component"),
    (175, "rfc8141", "urn:nid:nss¶?+", "bad-urn-component"),
    (175, "rfc8141", "urn:nid:nss¶?+?=q", "bad-urn-component"),
    (175, "rfc8141", "urn:nid:nss¶?+/r", "bad-urn-component"),
    (176, "rfc8141", "urn:nid:nss¶?=#F", "bad-urn-component"),
    (176, "rfc8141", "urn:nid:nss¶?=?q", "bad-urn-component"),
    (184, "rfc8141", "urn:¶urn-abc:x", "bad-nid"),
    (184, "rfc8141", "urn:¶urn-01:x", "bad-nid"),
    # The first fault counts, and stands where it is.
    (155, "rfc8141", "urn:nid:n¶%z?+a#b", "bad-percent-encoding"),
    (155, "rfc8141", "urn:nid:nss?+a¶%z#b", "bad-percent-encoding"),
    (155, "rfc8141", "urn:nid:nss?+a#b¶%zz", "bad-percent-encoding"),
    (155, "rfc2141", "urn:nid:n¶%zz#a#b", "bad-percent-encoding"),
    (173, "rfc8141", "urn:nid:nss¶?a#b[", "bad-urn-component"),
    (173, "rfc8141", "urn:nid:nss?a¶[#b", "illegal-character"),
    (174, "rfc8141", "urn:nid:nss?+a¶[b", "illegal-character"),
    (174, "rfc8141", "urn:nid:nss?+a?=b¶[", "illegal-character"),
    (178, "rfc8141", "urn:nid:nss#a¶[b", "illegal-character"),
    (178, "rfc8141", "urn:nid:nss#?¶[", "illegal-character"),
    (178, "rfc8141", "urn:nid:nss?+a#b¶#c", "second-fragment"),
    (178, "rfc8141", "urn:nid:nss#¶#", "second-fragment"),
    (156, "rfc2141", "urn:nid:n#a¶#b", "second-fragment"),
    (156, "rfc2141", "urn:nid:n?a#b¶#c", "second-fragment"),
    (156, "rfc2141", "urn:nid:n#a¶[#b", "illegal-character"),
    (153, "rfc2141", "urn:nid:¶?", "empty-nss"),
    (153, "rfc8141", "urn:nid:¶?+a", "empty-nss"),
    (150, "rfc2141", "urn:¶nid", "bad-nid"),
    (150, "rfc2141", "urn:¶", "bad-nid"),
    (151, "rfc2141", "urn:n¶_d:a", "bad-nid"),
    (152, "rfc2141", "urn:¶urn", "bad-nid"),
)


@numbered("syntax text", URN)
def test_urn(syntax: str, text: str) -> None:
    record = parse(text, options=Options(urn_syntax=syntax))
    nid, _, nss = text[4:].partition(":")
    assert (record.kind, record.scheme, record.nid) == ("urn", "urn", nid.lower())
    assert parse(text, options=Options(urn_syntax=syntax, level="none")).nss == nss


@numbered("syntax marked reason", NO_URN)
def test_no_urn(syntax: str, marked: str, reason: str) -> None:
    found = check(marked.replace("¶", ""), options=Options(urn_syntax=syntax))
    assert isinstance(found, Rejection)
    assert (found.reason, found.offset) == (reason, marked.index("¶"))


@numbered(
    "text query fragment",
    (
        (174, "urn:nid:nss?+R?=Q#F", "+R?=Q", "F"),
        (174, "urn:nid:nss?+R?x/#F", "+R?x/", "F"),
        (174, "urn:nid:nss?=Q", "=Q", None),
        (177, "urn:nid:nss?=Q?+R", "=Q?+R", None),
        (178, "urn:nid:nss#", None, ""),
        (178, "urn:nid:nss#F?+/", None, "F?+/"),
    ),
)
def test_rqf(text: str, query: str | None, fragment: str | None) -> None:
    record = parse(text, options=NEW)
    assert (record.nid, record.nss, record.query, record.fragment) == ("nid", "nss", query, fragment)
    assert (record.uri, record.key) == (text, "urn:nid:nss")


def test_r180_key() -> None:
    assert key("URN:EXAMPLE:a123%2cz456?+r", options=NEW) == "urn:example:a123%2Cz456"


def _proofs() -> dict[str, set[int]]:
    """For each test here the numbers that it proves: those of its rows, or that of its name."""
    proofs = {}
    for name, function in vars(sys.modules[__name__]).items():
        if name.startswith("test_"):
            rows = [row for mark in getattr(function, "pytestmark", ()) for row in mark.args[1]]
            ids = [str(getattr(row, "id", "")) for row in rows]
            numbers = {int(match[1]) for text in ids if (match := re.fullmatch(r"r(\d{3})[a-z]?", text))}
            if named := re.match(r"test_r(\d{3})_", name):
                numbers.add(int(named[1]))
            proofs[name] = numbers
    return proofs


def test_r146_carriers(tmp_path: Path) -> None:
    html, mail = tmp_path / "page", tmp_path / "message"
    html.write_text('<!doctype html><a href="http://example.org/ros&#xE9;">x</a>', "utf-8")
    head = "From: a@b.example\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
    mail.write_text(f"{head}Content-Transfer-Encoding: quoted-printable\n\nhttp://example.org/ros=C3=A9\n", "utf-8")
    for path in (html, mail):
        assert [record.iri for record in extract_files([path])] == ["http://example.org/ros\u00e9"]


def test_every_number_is_proved_or_waits() -> None:
    assert sorted([*PROVED, *WAITS]) == list(range(1, 188))
    assert all(reason.startswith("waits for: ") for reason in WAITS.values())
    assert DEPARTURES.keys() <= PROVED.keys()
    assert {54, 145, 155} <= DEPARTURES.keys()


def test_the_tests_named_are_there_and_no_others() -> None:
    said: dict[str, set[int]] = {}
    for number, (_, names) in PROVED.items():
        for name in names.split():
            said.setdefault(name, set()).add(number)
    elsewhere = {name for name in said if "." in name}
    for module, _, test in (name.partition(".") for name in elsewhere):
        assert f"\ndef {test}(" in next((ROOT / "tests").rglob(f"{module}.py")).read_text("utf-8")
    here = {name: numbers for name, numbers in said.items() if name not in elsewhere}
    assert here == {name: numbers for name, numbers in _proofs().items() if numbers}
