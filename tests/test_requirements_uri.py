"""Requirements 1 to 101: characters, components, references and normalization of URIs (RFC 3986), each by its number.

A table holds a row a line and begins it with the number of the requirement; what needs more than a row is a function
of its own, `test_rNNN_...`. `PROVES` is what the two together show.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from urisieve import (
    InvalidIdentifier,
    Level,
    Options,
    Record,
    Rejection,
    check,
    equivalent,
    extract,
    key,
    normalize,
    normalize_reference,
    parse,
    resolve,
    sieve,
    to_uri,
)
from urisieve.grammar import matches
from urisieve.normalizer import remove_dot_segments

AS_WRITTEN = Options(level="none")
WITH_ZONES = Options(zones="rfc6874")
NAME_256 = "n" * 256
UNRESERVED = frozenset(string.ascii_letters + string.digits + "-._~")
BASE = "http://a/b/c/d;p?q"  # of the examples in RFC 3986 5.4

# number, rule, text, valid
GRAMMAR: Sequence[tuple[int, str, str, bool]] = (
    (1, "URI", "http://e.com/a b", False),
    (1, "URI", "http://e.com/a%20b", True),
    *((2, "URI", f"http://e.com/a{character}", False) for character in '"<>\\^`{|}'),
    (2, "URI", "http://e.com/a{b}", False),
    (3, "URI", "http://e.com/%zz", False),
    (3, "URI", "http://e.com/%a", False),
    (3, "URI", "http://e.com/%", False),
    (3, "URI", "http://e.com/?%4g", False),
    (3, "pct-encoded", "%4F", True),
    (5, "URI", "http://e.com/!$&'()*+,;=", True),
    (11, "URI", "http://e.com/%00", True),
    (12, "URI", "http://e.com/é", False),
    (12, "IRI", "http://e.com/é", True),
    (13, "URI", "a1+b-c.d:x", True),
    (13, "scheme", "a_b", False),
    (14, "URI", "1a:x", False),
    (14, "relative-ref", "1a:x", False),
    (14, "URI-reference", "1a:x", False),
    *((14, "scheme", f"{character}a", False) for character in "1+-."),
    (15, "URI", "ht%74p://e/", False),
    (15, "URI-reference", "ht%74p://e/", False),
    (17, "URI", "about:", True),
    (17, "URI", "about:?#", True),
    (18, "URI", "mailto:", True),
    (19, "URI", "http://e.com?q", True),
    (19, "URI", "http://e.com#f", True),
    (20, "URI", "http://a@b@c/", False),
    (20, "URI", "http://a:b%40!$&'()*+,;=@c/", True),
    (21, "URI", "http://u:secret@h/", True),
    (23, "URI", "http://good.example@evil.example/", True),
    (24, "URI", "http://256.1.1.1/", True),
    (24, "IPv4address", "255.0.10.199", True),
    (24, "IPv4address", "256.1.1.1", False),
    (24, "IPv4address", "01.1.1.1", False),
    (24, "reg-name", "256.1.1.1", True),
    (25, "URI", "http://[1::2::3]/", False),
    (25, "URI", "http://[1:2:3:4:5:6:7]/", False),
    (25, "URI", "http://[1:2:3:4:5:6:7:8:9]/", False),
    (25, "URI", "http://[1:2:3:4:5:6:7:8]/", True),
    (25, "URI", "http://[:::]/", False),
    (26, "URI", "http://[2001:db8::7]/", True),
    (26, "URI", "http://[::]/", True),
    (26, "URI", "http://[::1]/", True),
    (26, "URI", "http://[1::]/", True),
    (27, "URI", "http://[::ffff:01.2.3.4]/", False),
    (27, "URI", "http://[::ffff:1.2.3.256]/", False),
    (27, "URI", "http://[::ffff:1.2.3]/", False),
    (27, "URI", "http://[::1.2.3.4:ffff]/", False),
    (27, "URI", "http://[::ffff:1.2.3.4]/", True),
    (28, "URI", "http://[V1.fe]/", True),
    (28, "URI", "http://[v1.fe]/", True),
    (28, "URI", "http://[vF0.a:b]/", True),
    (28, "URI", "http://[v.fe]/", False),
    (28, "URI", "http://[v1.]/", False),
    (29, "URI", "http://e.com/[x]", False),
    (29, "URI", "http://e.com/#[x]", False),
    (29, "URI", "http://a[::1]/", False),
    (29, "URI", "http://[::1]a/", False),
    (29, "URI", "http://[1.2.3.4]/", False),
    (29, "URI", "x:[::1]", False),
    (30, "URI", "http://[fe80::1%25en0]/", False),
    (30, "IRI", "http://[fe80::1%25en0]/", False),
    (30, "URI", "http://[fe80::1%en0]/", False),
    (32, "URI", "file:///etc/hosts", True),
    (32, "reg-name", "", True),
    (33, "URI", "http:///x", True),
    (35, "URI", "http://%FF.com/", True),
    (36, "URI", f"http://{NAME_256}.com/", True),
    (37, "URI", "http://h:80ab/", False),
    (37, "URI", "http://h:-1/", False),
    (37, "URI", "http://h:%38/", False),
    (37, "port", "", True),
    (38, "URI", "http://h:99999/", True),
    (38, "port", "9" * 40, True),
    (44, "URI", "foo://h", True),
    (44, "URI", "foo://h/", True),
    (45, "URI", "foo:/.//x", True),
    (45, "path-absolute", "//x", False),
    (46, "URI", "mailto:fred@example.com", True),
    (47, "relative-ref", "./1:b", True),
    (47, "relative-ref", "1:b", False),
    (47, "relative-ref", "1/b:c", True),
    (48, "URI", "http://e/a:b@c;v=1,2", True),
    *((48, "path-rootless", character, True) for character in ":@!$&'()*+,;="),
    *((48, "path-rootless", character, False) for character in "/?#[]"),
    (49, "path-abempty", "/", True),
    (52, "URI", "http://e/?a/b?c", True),
    (52, "query", "/?", True),
    (53, "URI", "http://e/?a[0]=1", False),
    (53, "URI", "http://e/?a%5B0%5D=1", True),
    (54, "URI", "http://e/#a/b?c", True),
    (54, "URI", "http://e/#a#b", False),
    (59, "URI", "//e/x", False),
    (59, "relative-ref", "//e/x", True),
    (59, "URI-reference", "//e/x", True),
    (59, "URI-reference", "http://e/x", True),
)

# number, text, reason
REJECT: Sequence[tuple[int, str, str]] = (
    (1, "http://e.com/a b", "illegal-character"),
    (2, "http://e.com/a{b}", "illegal-character"),
    (3, "http://e.com/%zz", "bad-percent-encoding"),
    (3, "http://e.com/100%", "bad-percent-encoding"),
    (14, "1a:x", "bad-scheme"),
    (15, "ht%74p://e/", "bad-scheme"),
    (20, "http://a@b@c/", "illegal-character"),
    (25, "http://[1::2::3]/", "bad-ip-literal"),
    (27, "http://[::ffff:01.2.3.4]/", "bad-ip-literal"),
    (28, "http://[v.fe]/", "bad-ip-literal"),
    (28, "http://[v1.]/", "bad-ip-literal"),
    (29, "http://e.com/[x]", "bracket-outside-host"),
    (30, "http://[fe80::1%25en0]/", "zone-identifier"),
    (33, "http:///x", "empty-host"),
    (33, "https:///x", "empty-host"),
    (33, "http://:80/", "empty-host"),
    (37, "http://h:80ab/", "bad-port"),
    (53, "http://e/?a[0]=1", "bracket-outside-host"),
    (54, "http://e/#a#b", "second-fragment"),
    (59, "//e/x", "no-scheme"),
    (59, "/x", "no-scheme"),
    (59, "x", "no-scheme"),
)

# number, text, code; the text is valid all the same
WARN: Sequence[tuple[int, str, str]] = (
    (11, "http://e.com/%00", "percent-encoded-null"),
    (11, "http://e.com/?a=%00", "percent-encoded-null"),
    (18, "mailto:", "empty-address"),
    (23, "http://good.example@evil.example/", "userinfo-present"),
    (23, "https://good.example@evil.example/", "userinfo-present"),
    (35, "http://%FF.com/", "host-not-utf8"),
    (36, f"http://{NAME_256}.com/", "host-too-long"),
    (36, f"http://{'label.' * 43}com/", "host-too-long"),
    (38, "http://h:99999/", "port-above-65535"),
    (38, "http://h:65536/", "port-above-65535"),
    (98, "http://0x7f.1/", "rare-ipv4"),
    (98, "http://017700000001/", "rare-ipv4"),
    (98, "http://2130706433/", "rare-ipv4"),
)

# number, text, code that it has not
NO_WARN: Sequence[tuple[int, str, str]] = (
    (11, "http://e.com/%2500", "percent-encoded-null"),
    (18, "mailto:fred@example.com", "empty-address"),
    (23, "http://evil.example/good.example@", "userinfo-present"),
    (35, "http://%C3%A9.com/", "host-not-utf8"),
    (36, f"http://{'label.' * 41}com/", "host-too-long"),
    (38, "http://h:65535/", "port-above-65535"),
    (98, "http://127.0.0.1/", "rare-ipv4"),
)

# number, level, text, normal form
NORMAL: Sequence[tuple[int, str, str, str]] = (
    (4, "syntax", "http://e.com/%c3%a9", "http://e.com/%C3%A9"),
    (4, "syntax", "http://e.com/?%2f#%3a", "http://e.com/?%2F#%3A"),
    (5, "scheme", "http://e.com/!$&'()*+,;=", "http://e.com/!$&'()*+,;="),
    (6, "scheme", "http://e.com/a%2Cb", "http://e.com/a%2Cb"),
    (6, "scheme", "http://e.com/a,b", "http://e.com/a,b"),
    (6, "scheme", "http://e.com/%2F%3F%23%5B%5D%40", "http://e.com/%2F%3F%23%5B%5D%40"),
    (7, "syntax", "http://e.com/%7Eu%41%21", "http://e.com/~uA%21"),
    (7, "syntax", "http://e.com/%2D%2E%5f%7e%30%7A", "http://e.com/-._~0z"),
    (7, "syntax", "http://e.com/%20%22%25%C3%A9", "http://e.com/%20%22%25%C3%A9"),
    (8, "syntax", "http://a/b/%2e%2e/c", "http://a/c"),
    (8, "syntax", "http://a/b/.%2E/%2e/c", "http://a/c"),
    (9, "scheme", "http://e.com/%2541", "http://e.com/%2541"),
    (9, "scheme", "http://e.com/%252541", "http://e.com/%252541"),
    (10, "scheme", "http://e.com/a%3Fb?c", "http://e.com/a%3Fb?c"),
    (16, "syntax", "HTTP://e.com/", "http://e.com/"),
    (16, "syntax", "hTtPs://e.com/", "https://e.com/"),
    (22, "scheme", "foo://@h/", "foo://@h/"),
    (22, "scheme", "foo://:@h/", "foo://:@h/"),
    (22, "scheme", "foo://u:@h/", "foo://u:@h/"),
    (34, "syntax", "http://EX%c3%a9.COM/", "http://ex%C3%A9.com/"),
    (34, "syntax", "foo://A%4aB/", "foo://ajb/"),
    (39, "scheme", "foo://h:/x", "foo://h/x"),
    (39, "scheme", "http://h:/x", "http://h/x"),
    (40, "scheme", "https://h:443/", "https://h/"),
    (40, "scheme", "http://h:80/", "http://h/"),
    (40, "scheme", "http://h:443/", "http://h:443/"),
    (41, "scheme", "sip:u@h:5060", "sip:u@h:5060"),
    (42, "scheme", "msrp://h:2855/s;tcp", "msrp://h:2855/s;tcp"),
    (43, "syntax", "http://h:0080/", "http://h:0080/"),
    (45, "syntax", "foo:/.//x", "foo:/.//x"),
    (45, "scheme", "foo:/a/..//x", "foo:/.//x"),
    (50, "scheme", "http://e/a//b", "http://e/a//b"),
    (50, "scheme", "http://e//", "http://e//"),
    (50, "scheme", "http://e/a//../b", "http://e/a/b"),
    (51, "scheme", "http://e/A?B#C", "http://e/A?B#C"),
    (51, "scheme", "http://User@e/", "http://User@e/"),
    (55, "scheme", "http://e/?", "http://e/?"),
    (56, "scheme", "http://e/#", "http://e/#"),
    (56, "scheme", "http://e/?#", "http://e/?#"),
    (57, "scheme", "http://e/?b=1&a=2&utm_source=x", "http://e/?b=1&a=2&utm_source=x"),
    (57, "scheme", "http://e/?a=1&a=1&&", "http://e/?a=1&a=1&&"),
    (58, "scheme", "http://e/?q=a+b", "http://e/?q=a+b"),
    (84, "none", "eXAMPLE://a", "eXAMPLE://a"),
    (84, "none", "HTTP://E:80/%7e/../x", "HTTP://E:80/%7e/../x"),
    (85, "syntax", "eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"),
    (86, "syntax", "http://a/../../g", "http://a/g"),
    (86, "syntax", "http://a/b/c/..", "http://a/b/"),
    (86, "syntax", "http://a/b/c/.", "http://a/b/c/"),
    (87, "scheme", "foo:a/../b", "foo:a/../b"),
    (87, "scheme", "foo:../b", "foo:../b"),
    (89, "scheme", "http://example.com", "http://example.com/"),
    (89, "scheme", "http://example.com/", "http://example.com/"),
    (89, "scheme", "http://example.com:/", "http://example.com/"),
    (89, "scheme", "http://example.com:80/", "http://example.com/"),
    (89, "scheme", "http://example.com:80", "http://example.com/"),
    (90, "scheme", "http://e?q#f", "http://e/?q#f"),
    (90, "scheme", "https://e?q", "https://e/?q"),
    (90, "scheme", "http://e#f", "http://e/#f"),
    (91, "scheme", "http://EXAMPLE.com:/%7esmith/home.html", "http://example.com/~smith/home.html"),
    (92, "scheme", "foo://h", "foo://h"),
    (93, "scheme", "file://localhost/etc/fstab", "file:///etc/fstab"),
    (93, "scheme", "file:///etc/fstab", "file:///etc/fstab"),
    (94, "scheme", "file:/etc/fstab", "file:///etc/fstab"),
    (95, "scheme", "file://u@localhost/x", "file://u@localhost/x"),
    (95, "scheme", "file://localhost:8080/x", "file://localhost:8080/x"),
    (96, "scheme", "mailto:Joe@Example.COM", "mailto:Joe@example.com"),
    (97, "syntax", "http://[2001:DB8:0:0:0:0:0:1]/", "http://[2001:db8:0:0:0:0:0:1]/"),
    (97, "scheme", "http://[2001:DB8:0:0:0:0:0:1]/", "http://[2001:db8::1]/"),
    (97, "scheme", "http://[2001:db8:0:1:0:0:0:01]/", "http://[2001:db8:0:1::1]/"),
    (98, "scheme", "http://0x7f.1/", "http://0x7f.1/"),
    (98, "scheme", "http://017700000001/", "http://017700000001/"),
    (98, "scheme", "http://2130706433/", "http://2130706433/"),
    (101, "scheme", "foo:/a/..//@@", "foo:/.//@@"),
    (101, "scheme", "foo:/.//@@", "foo:/.//@@"),
)

# number, lossy step, text, normal form with it; without it nothing happens
LOSSY: Sequence[tuple[int, str, str, str]] = (
    (43, "numeric-port", "http://h:0080/", "http://h/"),
    (43, "numeric-port", "http://h:08080/", "http://h:8080/"),
    (57, "sort-query", "http://e/?b=1&a=2", "http://e/?a=2&b=1"),
    (57, "drop-tracking", "http://e/?b=1&a=2&utm_source=x", "http://e/?b=1&a=2"),
    (92, "root-path", "foo://h", "foo://h/"),
    (99, "drop-fragment", "http://e/x#f", "http://e/x"),
)

# number, a, b: one key by default
MERGE: Sequence[tuple[int, str, str]] = (
    (4, "http://e.com/%c3%a9", "http://e.com/%C3%A9"),
    (7, "http://e.com/%7Eu%41", "http://e.com/~uA"),
    (8, "http://a/b/%2e%2e/c", "http://a/b/../c"),
    (16, "HTTP://e.com/", "http://e.com/"),
    (39, "foo://h:/x", "foo://h/x"),
    (40, "https://h:443/", "https://h/"),
    (85, "eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"),
    (89, "http://example.com", "http://example.com/"),
    (89, "http://example.com", "http://example.com:/"),
    (89, "http://example.com", "http://example.com:80/"),
    (91, "http://example.com:80/~smith/home.html", "http://EXAMPLE.com/%7Esmith/home.html"),
    (91, "http://EXAMPLE.com/%7Esmith/home.html", "http://EXAMPLE.com:/%7esmith/home.html"),
    (93, "file://localhost/etc/fstab", "file:///etc/fstab"),
    (94, "file:/etc/fstab", "file:///etc/fstab"),
    (96, "mailto:Joe@Example.COM", "mailto:Joe@example.com"),
    (97, "http://[2001:DB8:0:0:0:0:0:1]/", "http://[2001:db8::1]/"),
)

# number, a, b: two keys by default
DIFFER: Sequence[tuple[int, str, str]] = (
    (6, "http://e.com/a%2Cb", "http://e.com/a,b"),
    (6, "http://e.com/a%2Fb", "http://e.com/a/b"),
    (9, "http://e.com/%2541", "http://e.com/%41"),
    (9, "http://e.com/%2541", "http://e.com/A"),
    (10, "http://e.com/a%3Fb?c", "http://e.com/a?b?c"),
    (22, "foo://@h/", "foo://h/"),
    (22, "foo://u:@h/", "foo://u@h/"),
    (41, "sip:u@h:5060", "sip:u@h"),
    (42, "msrp://h:2855/s;tcp", "msrp://h/s;tcp"),
    (43, "http://h:0080/", "http://h/"),
    (45, "foo:/.//x", "foo://x"),
    (50, "http://e/a//b", "http://e/a/b"),
    (51, "http://e/A", "http://e/a"),
    (51, "http://e/?B", "http://e/?b"),
    (51, "http://e/#C", "http://e/#c"),
    (51, "http://D@e/", "http://d@e/"),
    (55, "http://e/?", "http://e/"),
    (56, "http://e/#", "http://e/"),
    (57, "http://e/?b=1&a=2", "http://e/?a=2&b=1"),
    (57, "http://e/?a=1&a=1", "http://e/?a=1"),
    (57, "http://e/?a=1&utm_source=x", "http://e/?a=1"),
    (58, "http://e/?q=a+b", "http://e/?q=a%20b"),
    (58, "http://e/?q=a+b", "http://e/?q=a%2Bb"),
    (87, "foo:a/../b", "foo:b"),
    (87, "foo:a/../b", "foo:/b"),
    (92, "foo://h", "foo://h/"),
    (95, "file://u@localhost/x", "file:///x"),
    (96, "mailto:Joe@example.com", "mailto:joe@example.com"),
    (98, "http://0x7f.1/", "http://127.0.0.1/"),
    (99, "http://e/x#f", "http://e/x"),
    (100, "http://e/a;x", "http://e/a"),
    (100, "http://e/a", "http://e/a/"),
    (100, "http://e/", "https://e/"),
    (100, "http://www.e.com/", "http://e.com/"),
)

# number, text, its components as they stand: scheme, userinfo, host, port, path, query, fragment
Split = tuple[str, str | None, str | None, str | None, str, str | None, str | None]
SPLIT: Sequence[tuple[int, str, Split]] = (
    (10, "http://e.com/a%3Fb?c", ("http", None, "e.com", None, "/a%3Fb", "c", None)),
    (10, "http://u%40@e.com/%2F%23", ("http", "u%40", "e.com", None, "/%2F%23", None, None)),
    (13, "a1+b-c.d:x", ("a1+b-c.d", None, None, None, "x", None, None)),
    (17, "about:", ("about", None, None, None, "", None, None)),
    (19, "http://e.com?q", ("http", None, "e.com", None, "", "q", None)),
    (19, "http://e.com#f", ("http", None, "e.com", None, "", None, "f")),
    (19, "http://e.com/@x:1", ("http", None, "e.com", None, "/@x:1", None, None)),
    (23, "http://good.example@evil.example/", ("http", "good.example", "evil.example", None, "/", None, None)),
    (32, "file:///etc/hosts", ("file", None, "", None, "/etc/hosts", None, None)),
    (44, "foo://h", ("foo", None, "h", None, "", None, None)),
    (46, "mailto:fred@example.com", ("mailto", None, None, None, "fred@example.com", None, None)),
    (52, "http://e/?a/b?c", ("http", None, "e", None, "/", "a/b?c", None)),
    (54, "http://e/#a/b?c", ("http", None, "e", None, "/", None, "a/b?c")),
    (55, "http://e/?", ("http", None, "e", None, "/", "", None)),
    (56, "http://e/#", ("http", None, "e", None, "/", None, "")),
)

# number, text, kind of host
HOSTS: Sequence[tuple[int, str, str]] = (
    (24, "http://256.1.1.1/", "reg-name"),
    (24, "http://1.1.1.01/", "reg-name"),
    (24, "http://1.1.1/", "reg-name"),
    (24, "http://255.1.1.1/", "ipv4"),
    (26, "http://[2001:db8::7]/", "ipv6"),
    (28, "http://[V1.fe]/", "ipvfuture"),
    (98, "http://0x7f.1/", "reg-name"),
    (98, "http://2130706433/", "reg-name"),
)

# number, base, reference, result
RESOLVE: Sequence[tuple[int, str, str, str]] = (
    (45, "foo:/a/b", "..//x", "foo:/.//x"),
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
    (79, "http://a/b/../c", "?y", "http://a/b/../c?y"),
    (79, "http://a/b/../c?q", "#s", "http://a/b/../c?q#s"),
    (80, "http://a", "g", "http://a/g"),
    (80, "foo://a?q", "g", "foo://a/g"),
    (83, "foo://h/a/b", "../../../c", "foo://h/c"),
    (83, "never-heard-of.1://u@h:1/a", "../../c", "never-heard-of.1://u@h:1/c"),
)

# number, path, path without dot segments
DOTS: Sequence[tuple[int, str, str]] = (
    (81, "/a/b/c/./../../g", "/a/g"),
    (82, "mid/content=5/../6", "mid/6"),
)

TABLES: Sequence[Sequence[tuple[Any, ...]]] = (
    GRAMMAR,
    REJECT,
    WARN,
    NO_WARN,
    NORMAL,
    LOSSY,
    MERGE,
    DIFFER,
    SPLIT,
    HOSTS,
    RESOLVE,
    DOTS,
)


def by_number(names: str, table: Iterable[tuple[Any, ...]]) -> pytest.MarkDecorator:
    """Parametrize by a table; a number's rows are r054, r054-2, r054-3."""
    seen: dict[int, int] = {}
    rows = []
    for number, *values in table:
        place = seen[number] = seen.get(number, 0) + 1
        rows.append(pytest.param(*values, id=f"r{number:03}" if place == 1 else f"r{number:03}-{place}"))
    return pytest.mark.parametrize(names.split(), rows)


def rejected(text: str, options: Options | None = None) -> Rejection:
    found = check(text, options=options)
    assert isinstance(found, Rejection)
    return found


@by_number("rule text valid", GRAMMAR)
def test_grammar(rule: str, text: str, valid: bool) -> None:
    assert matches(rule, text) is valid


@by_number("text reason", REJECT)
def test_reject(text: str, reason: str) -> None:
    found = rejected(text)
    assert found.reason == reason
    assert 0 <= found.offset <= len(text)
    with pytest.raises(InvalidIdentifier):
        normalize(text)


@by_number("text code", WARN)
def test_warn(text: str, code: str) -> None:
    assert matches("URI", text)
    assert code in parse(text).warnings


@by_number("text code", NO_WARN)
def test_no_warn(text: str, code: str) -> None:
    assert code not in parse(text).warnings


@by_number("level text form", NORMAL)
def test_normal(level: str, text: str, form: str) -> None:
    assert normalize(text, level) == form


@by_number("step text form", LOSSY)
def test_lossy(step: str, text: str, form: str) -> None:
    options = Options(lossy=[step])
    assert normalize(text, options=options) == key(text, options=options) == form
    assert normalize(text) == key(text) == text


@by_number("a b", MERGE)
def test_merge(a: str, b: str) -> None:
    assert key(a) == key(b)
    assert equivalent(a, b)
    assert not equivalent(a, b, "none")


@by_number("a b", DIFFER)
def test_differ(a: str, b: str) -> None:
    assert key(a) != key(b)
    assert not equivalent(a, b)


@by_number("text components", SPLIT)
def test_split(text: str, components: Split) -> None:
    assert tuple(parse(text, options=AS_WRITTEN).components) == components


@by_number("text kind", HOSTS)
def test_host_kind(text: str, kind: str) -> None:
    assert parse(text).host_kind == kind


@by_number("base reference result", RESOLVE)
def test_resolve(base: str, reference: str, result: str) -> None:
    assert resolve(base, reference) == result


@by_number("path without", DOTS)
def test_remove_dot_segments(path: str, without: str) -> None:
    assert remove_dot_segments(path) == without


def test_r001_text_ends_before_the_blank() -> None:
    (found,) = sieve("http://e.com/a b")
    assert isinstance(found, Record)
    assert (found.raw, found.start, found.end) == ("http://e.com/a", 0, 14)


@pytest.mark.parametrize("text", ["http://e.com/%zz", "http://e.com/a%4", "http://e.com/?%"])
def test_r003_the_percent_sign_is_shown_and_never_mended(text: str) -> None:
    found = rejected(text)
    assert (found.reason, found.offset) == ("bad-percent-encoding", text.index("%"))
    (in_text,) = sieve(f"see {text} there")
    assert isinstance(in_text, Rejection)
    assert (in_text.raw, in_text.offset, in_text.start) == (text, text.index("%"), 4)
    with pytest.raises(InvalidIdentifier):
        to_uri(text)


def test_r005_the_reserved_characters_by_what_holds_them() -> None:
    characters = [chr(point) for point in range(128)]
    in_host = {character for character in characters if matches("reg-name", character)}
    in_path = {character for character in characters if matches("URI", f"x:a{character}a")}
    assert in_host == UNRESERVED | set("!$&'()*+,;=")
    # of the gen-delims only square brackets stand nowhere but in a host
    assert in_path == in_host | set(":/?#@")


def test_r007_decoded_are_the_unreserved_only() -> None:
    for octet in range(128):
        triplet = f"%{octet:02X}"
        decoded = normalize(f"http://e.com/x{triplet}x", "syntax").removeprefix("http://e.com/")
        assert decoded == (f"x{chr(octet)}x" if chr(octet) in UNRESERVED else f"x{triplet}x")


def test_r012_an_iri_and_the_uri_it_maps_to() -> None:
    record = parse("http://e.com/é")
    assert (record.kind, record.uri) == ("iri", "http://e.com/%C3%A9")
    assert parse(record.uri).kind == "uri"


def test_r021_no_password_in_what_is_shown() -> None:
    record = parse("http://u:secret@h/")
    assert "password-present" in record.warnings
    assert record.uri == "http://u:secret@h/"  # whole in the library, masked in all that is shown
    assert str(record) == "http://u:***@h/"
    assert "http://u:***@h/" in repr(record)
    assert "secret" not in repr(record)
    masked = record.masked(lambda password: f"token-of-{len(password)}")
    assert (masked.raw, masked.uri, masked.userinfo) == ("http://u:***@h/", "http://u:***@h/", "u:***")
    assert masked.key == "http://u:token-of-6@h/"
    assert "secret" not in str(masked.as_dict())


def test_r021_all_after_the_first_colon() -> None:
    assert str(parse("http://u:se:cr:et@h/")) == "http://u:***@h/"
    assert str(parse("http://u@h/a:b@c")) == "http://u@h/a:b@c"
    assert "secret" not in rejected("http://u:secret@h/%zz").explain()


def test_r031_zones_by_option_only() -> None:
    with_zone = "http://[fe80::1%25en0]/"
    record = parse(with_zone, options=WITH_ZONES)
    assert (record.host, record.host_kind) == ("[fe80::1%25en0]", "ipv6")
    assert rejected(with_zone).reason == "zone-identifier"


@pytest.mark.parametrize("options", [None, WITH_ZONES])
@pytest.mark.parametrize("text", ["http://[fe80::1%en0]/", "http://[fe80::1%]/", "http://[fe80::1%25]/"])
def test_r031_a_bare_percent_sign_never(text: str, options: Options | None) -> None:
    rejected(text, options)


# what stands before the path, the rules that can apply there beside path-empty, path, those that do
@pytest.mark.parametrize(
    ("before", "rules", "path", "which"),
    [
        ("http://e", "path-abempty", "/", ["path-abempty"]),
        ("http://e", "path-abempty", "", ["path-abempty"]),
        ("http://e", "path-abempty", "//a", ["path-abempty"]),
        ("x:", "path-absolute path-rootless", "/", ["path-absolute"]),
        ("x:", "path-absolute path-rootless", "/a//b", ["path-absolute"]),
        ("x:", "path-absolute path-rootless", "a:b/c", ["path-rootless"]),
        ("x:", "path-absolute path-rootless", "", []),  # path-empty
        ("", "path-absolute path-noscheme", "/a", ["path-absolute"]),
        ("", "path-absolute path-noscheme", "a/b:c", ["path-noscheme"]),
        ("", "path-absolute path-noscheme", "", []),
    ],
)
def test_r049_one_rule_for_a_path(before: str, rules: str, path: str, which: list[str]) -> None:
    assert [name for name in rules.split() if matches(name, path)] == which
    assert matches("URI" if before else "relative-ref", before + path)


def test_r053_reported_not_cut() -> None:
    (found,) = sieve("http://e/?a[0]=1 x")
    assert isinstance(found, Rejection)
    assert (found.raw, found.reason, found.component) == ("http://e/?a[0]=1", "bracket-outside-host", "query")
    assert found.offset == len("http://e/?a")


def test_r054_rejected_not_cut() -> None:
    (found,) = sieve("http://e/#a#b x")
    assert isinstance(found, Rejection)
    assert (found.raw, found.reason, found.component) == ("http://e/#a#b", "second-fragment", "fragment")
    assert found.offset == len("http://e/#a")


def test_r059_relative_references_are_not_looked_for() -> None:
    assert list(extract("see //e/x, /a/b, ../c, ?d and #e; or <//e/x> and <../c>")) == []


@pytest.mark.parametrize("reference", ["../a/../b", "./a/./b", "..", ".", "../../", "a/../../b"])
def test_r088_dot_segments_of_a_reference_stay(reference: str) -> None:
    assert normalize_reference(reference) == reference


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize(
    "text",
    [
        "foo:/a/..//@@",
        "foo:/.//x",
        "foo:/..//..//x",
        "foo:/%2e//x",
        "foo:a/..//x",
        "file:/.//x",
        "file:////x",
        "http://h//..//",
        *dict.fromkeys(row[2] for row in NORMAL),
        *dict.fromkeys(row[2] for row in LOSSY),
    ],
)
def test_r101_a_normal_form_is_its_own(text: str, level: Level) -> None:
    options = Options(level=level)
    once = parse(text, options=options)
    twice = parse(once.uri, options=options)
    assert matches("URI", once.uri)
    assert (twice.uri, twice.key) == (once.uri, once.key)
    assert twice.components == once.components


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("text", ["foo:/a/..//@@", "foo:/.//@@", "foo:/.//x"])
def test_r101_no_host_comes_into_being(text: str, level: Level) -> None:
    assert parse(text, options=Options(level=level)).host is None
    assert parse(normalize(text, level)).host is None


PROVES: frozenset[int] = frozenset(row[0] for table in TABLES for row in table) | frozenset(
    int(found[1]) for name in list(globals()) if (found := re.match(r"test_r(\d{3})_", name))
)


def test_every_number_is_proved() -> None:
    assert frozenset(range(1, 102)) == PROVES
