"""Requirements 102 to 187, one by one: delimiting (RFC 3986 Appendix C), IRIs (RFC 3987), URNs (RFC 2141, RFC 8141).

Each row of a table begins with the number of the requirement that it shows. Where a requirement needs more than a
row, its test is a function whose name begins with `test_r` and the number. `WAITS` names those that nothing can show
yet. Non-ASCII characters are written as escapes throughout: many of them are invisible.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import pytest

from urisieve import (
    InvalidIdentifier,
    Level,
    Options,
    Reason,
    Record,
    Rejection,
    Repair,
    Scanner,
    UrnSyntax,
    Warn,
    check,
    equivalent,
    extract,
    key,
    normalize,
    parse,
    sieve,
    to_iri,
    to_uri,
)
from urisieve.grammar import matches

OLD: Final = Options()
NEW: Final = Options(urn_syntax=UrnSyntax.RFC8141)
ENCODE: Final = Options(repair=Repair.ENCODE)
SYNTAX: Final = {"2141": OLD, "8141": NEW}

# RFC 3987 4.1: LRM, RLM, LRE, RLE, PDF, LRO, RLO
BIDI_CONTROLS: Final = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
# RFC 3987 3.1: printable, in no URI, and not one of "#", "%", "[", "]"
CONVERTIBLE: Final = '<>" {}|\\^`'
# RFC 2141 2.4: what ends a URN, without octet 0
EXCLUDED: Final = "".join(map(chr, range(1, 33))) + '\\"&<>[]^`{|}~\x7f'
NID_32: Final = "abcdefghijklmnopqrstuvwxyz012345"

# number, text, the raw text of each identifier found in it
FOUND: Final[tuple[tuple[int, str, list[str]], ...]] = (
    (102, "<http://example.com/>", ["http://example.com/"]),
    (102, "at <http://example.com/a.> there", ["http://example.com/a."]),
    (103, '"http://www.w3.org/Addressing/",', ["http://www.w3.org/Addressing/"]),
    (103, 'say "http://a.example/b", "http://a.example/c".', ["http://a.example/b", "http://a.example/c"]),
    (104, "see http://example.com/ now", ["http://example.com/"]),
    (104, "http://a.example/\thttp://b.example/\nhttp://c.example/", [f"http://{x}.example/" for x in "abc"]),
    (107, "<URL: http://e.com/>", ["http://e.com/"]),
    (107, "<URL:http://e.com/>", ["http://e.com/"]),
    (107, "<url:ftp://e.com/a>", ["ftp://e.com/a"]),
    (110, "(http://e.com/a_(b))", ["http://e.com/a_(b)"]),
    (110, "(see http://e.com/a_(b))", ["http://e.com/a_(b)"]),
    (110, "http://e.com/a_(b)", ["http://e.com/a_(b)"]),
    (110, "see http://e.com/a)", ["http://e.com/a"]),
    (123, "\u202ahttp://e.com/\u05d0\u202c", ["http://e.com/\u05d0"]),
    *((123, f"{control}http://e.com/\u05d0{control}", ["http://e.com/\u05d0"]) for control in BIDI_CONTROLS),
    (157, "urn:foo:a&b", ["urn:foo:a"]),
    *((157, f"urn:foo:a{excluded}b", ["urn:foo:a"]) for excluded in EXCLUDED),
    (159, "urn:isbn:0395363411\u00e9", ["urn:isbn:0395363411"]),
    (159, "urn:isbn:0395363411\u3002", ["urn:isbn:0395363411"]),
    (159, "urn:isbn:0395363411\U0001f600", ["urn:isbn:0395363411"]),
    (160, "<urn:foo:a123>", ["urn:foo:a123"]),
    (160, "urn:foo:a123>", ["urn:foo:a123"]),
    (160, '"urn:foo:a123"', ["urn:foo:a123"]),
    (160, 'urn:foo:a123"x', ["urn:foo:a123"]),
    (161, "urn:foo:a\0b", ["urn:foo:a"]),
)

# number, rule, text, whether it matches
GRAMMAR: Final[tuple[tuple[int, str, str, bool], ...]] = (
    (112, "IRI", "http://e.com/\u00e9", True),
    (112, "IRI", "http://\u00e9@\u00e9/\u00e9;\u00e9?\u00e9#\u00e9", True),
    (112, "URI", "http://e.com/\u00e9", False),
    (113, "IRI", "http://e.com/\u009f", False),
    (113, "IRI", "http://e.com/\u0080", False),
    (113, "IRI", "http://e.com/\u00a0", True),
    *((114, "IRI", f"http://e.com/{character}", False) for character in "\ufdd0\ufddf\ufdef"),
    (114, "IRI", "http://e.com/\ufdcf\ufdf0", True),
    *((115, "IRI", f"http://e.com/{character}", False) for character in "\ufff0\ufff9\ufffd\ufffe\uffff"),
    (115, "IRI", "http://e.com/\uffef", True),
    *((116, "IRI", f"http://e.com/{chr(plane << 16 | 0xFFFE)}", False) for plane in range(1, 17)),
    *((116, "IRI", f"http://e.com/?{chr(plane << 16 | 0xFFFF)}", False) for plane in range(1, 17)),
    *((116, "IRI", f"http://e.com/{chr(plane << 16)}{chr(plane << 16 | 0xFFFD)}", True) for plane in range(1, 14)),
    *(
        (117, "IRI", f"http://e.com/{character}", False)
        for character in "\U000e0000\U000e0001\U000e007f\U000e0100\U000e01ef\U000e0fff"
    ),
    (117, "IRI", "http://e.com/\U000e1000\U000efffd", True),
    *(
        (118, "IRI", f"http://e.com/?{character}", True)
        for character in "\ue000\uf8ff\U000f0000\U000ffffd\U00100000\U0010fffd"
    ),
    (118, "IRI", "http://e.com/#\ue000", False),
    (118, "IRI", "http://e.com/?\ue000#\ue000", False),
    (118, "IRI", "http://\ue000/", False),
    (119, "IRI", "http://e.com/\ue000", False),
    (119, "IRI", "http://e.com/\U000f0000", False),
    (120, "IRI", "\u03b1\u03b2\u03b3://h/", False),
    (120, "IRI", "h\u00e9:x", False),
    (120, "IRI", "http://h:\u0661/", False),
    (121, "IRI", "http://\u4f8b\u3048.jp/", True),
    (121, "URI", "http://\u4f8b\u3048.jp/", False),
    (122, "IRI", "http://e.com/a\u202eb", True),
    (124, "IRI", "http://e.com/a\u05d0", True),
    (125, "IRI", "http://e.com/\u05d01", True),
    (126, "IRI", "http://e.com/\u05d0\u05d1", True),
    (134, "URI", "http://e.com/%zz", False),
    (147, "IRI", "http://\uff45.com/", True),
    (148, "URN", "URN:isbn:0395363411", True),
    (148, "URN", "uRn:isbn:0395363411", True),
    (148, "URN", "url:isbn:0395363411", False),
    (148, "URN", "urn:isbn", False),
    (149, "URN", "urn:a:b", True),
    (149, "URN", "urn:9:b", True),
    (149, "URN", "urn:A1-b:c", True),
    (149, "URN", "urn:a_b:c", False),
    (149, "URN", "urn:a.b:c", False),
    (150, "URN", "urn:abcdefghijklmnopqrstuvwxyz0123456:x", False),
    (150, "URN", f"urn:{NID_32}:x", True),
    (151, "URN", "urn:-a:x", False),
    *((152, "URN", f"urn:{nid}:x", False) for nid in ("urn", "URN", "Urn")),
    (152, "URN", "urn:urna:x", True),
    (153, "URN", "urn:a:", False),
    (153, "URN", "urn:a", False),
    (154, "URN", "urn:a:()+,-.:=@;$_!*'", True),
    *((155, "URN", f"urn:a:b{bad}", False) for bad in ("%", "%4", "%zz", "%4g", "%%41")),
    (155, "URN", "urn:a:b%4e", True),
    *((157, "URN", f"urn:foo:a{excluded}", False) for excluded in EXCLUDED),
    (158, "URN", "urn:foo:a~b", False),
    (158, "URN-8141", "urn:foo:a~b", True),
    (159, "URN", "urn:isbn:0395363411\u00e9", False),
    (161, "URN", "urn:foo:a\0", False),
    (162, "URN", "urn:foo:%41", True),
    (168, "URN-8141", "urn:a:b", False),
    (168, "URN-8141", "urn:ab:b", True),
    (168, "URN-8141", f"urn:{NID_32}:x", True),
    (168, "URN-8141", f"urn:{NID_32}6:x", False),
    (168, "URN-8141", "urn:-a:x", False),
    (169, "URN-8141", "urn:ab-:x", False),
    (169, "URN", "urn:ab-:x", True),
    (170, "URN-8141", "urn:example:1/406/47452/2", True),
    (170, "URN-8141", "urn:example:/x", False),
    (170, "URN-8141", "urn:example:a//", True),
    (171, "URN-8141", "urn:lex:it:ministero.giustizia:decreto:1992-07-24;358~art5", True),
    (171, "URN-8141", "urn:example:a&b~", True),
    (171, "URN", "urn:example:a&b", False),
    (172, "URN-8141", "urn:example:\u00e9", False),
    (172, "URN-8141", "urn:example:a?=\u00e9", False),
    (172, "URN-8141", "urn:example:a#\u00e9", False),
    (173, "URN-8141", "urn:example:a?b", False),
    (173, "URN-8141", "urn:example:a?", False),
    (173, "URI", "urn:example:a?b", True),
    (174, "URN-8141", "urn:nid:nss?+R?=Q#F", True),
    (175, "URN-8141", "urn:nid:nss?+", False),
    (175, "URN-8141", "urn:nid:nss?+/r", False),
    (175, "URN-8141", "urn:nid:nss?+?r", False),
    (175, "URN-8141", "urn:nid:nss?+?=Q", False),
    (175, "URN-8141", "urn:nid:nss?+r/?", True),
    (176, "URN-8141", "urn:nid:nss?=#F", False),
    (176, "URN-8141", "urn:nid:nss?=", False),
    (176, "URN-8141", "urn:nid:nss?+R?=", False),
    (177, "URN-8141", "urn:nid:nss?=Q?+R", True),
    (178, "URN-8141", "urn:nid:nss#", True),
    (185, "URN", "urn:x-local:a", True),
    (185, "URN-8141", "urn:x-local:a", True),
    (187, "URN", "urn:ean:4006381333931", True),
    (187, "URN-8141", "urn:ean:4006381333931", True),
)

# number, options, text, the reason of its rejection
REJECT: Final[tuple[tuple[int, Options, str, Reason], ...]] = (
    (113, OLD, "http://e.com/\u009f", Reason.ILLEGAL_CHARACTER),
    (114, OLD, "http://e.com/\ufdd0", Reason.ILLEGAL_CHARACTER),
    (115, OLD, "http://e.com/\ufff9", Reason.ILLEGAL_CHARACTER),
    (116, OLD, "http://e.com/\U0001fffe", Reason.ILLEGAL_CHARACTER),
    (117, OLD, "http://e.com/\U000e0001", Reason.ILLEGAL_CHARACTER),
    (118, OLD, "http://e.com/#\ue000", Reason.ILLEGAL_CHARACTER),
    (119, OLD, "http://e.com/\ue000", Reason.ILLEGAL_CHARACTER),
    (120, OLD, "\u03b1\u03b2\u03b3://h/", Reason.BAD_SCHEME),
    (120, OLD, "http://h:\u0661/", Reason.BAD_PORT),
    *((122, OLD, f"http://e.com/a{control}b", Reason.BIDI_CONTROL) for control in BIDI_CONTROLS),
    *((133, OLD, f"http://e.com/a{character}b", Reason.ILLEGAL_CHARACTER) for character in CONVERTIBLE),
    (134, OLD, "http://e.com/%zz", Reason.BAD_PERCENT_ENCODING),
    (134, OLD, "http://e.com/[b]", Reason.BRACKET_OUTSIDE_HOST),
    (134, OLD, "http://e.com/#a#b", Reason.SECOND_FRAGMENT),
    (150, OLD, "urn:abcdefghijklmnopqrstuvwxyz0123456:x", Reason.BAD_NID),
    (151, OLD, "urn:-a:x", Reason.BAD_NID),
    (152, OLD, "urn:URN:x", Reason.RESERVED_NID),
    (152, OLD, "urn:urn:x", Reason.RESERVED_NID),
    (153, OLD, "urn:a:", Reason.EMPTY_NSS),
    (155, OLD, "urn:a:b%", Reason.BAD_PERCENT_ENCODING),
    (155, OLD, "urn:a:b%4g", Reason.BAD_PERCENT_ENCODING),
    (161, OLD, "urn:foo:a\0", Reason.ILLEGAL_CHARACTER),
    (168, NEW, "urn:a:b", Reason.BAD_NID),
    (169, NEW, "urn:ab-:x", Reason.BAD_NID),
    (170, NEW, "urn:example:/x", Reason.EMPTY_NSS),
    (172, NEW, "urn:example:\u00e9", Reason.ILLEGAL_CHARACTER),
    (173, NEW, "urn:example:a?b", Reason.BAD_URN_COMPONENT),
    (175, NEW, "urn:nid:nss?+", Reason.BAD_URN_COMPONENT),
    (176, NEW, "urn:nid:nss?=#F", Reason.BAD_URN_COMPONENT),
    (184, NEW, "urn:urn-abc:x", Reason.BAD_NID),
)

# number, level, text, its canonical URI
NORMAL: Final[tuple[tuple[int, Level, str, str], ...]] = (
    (128, Level.SCHEME, "http://example.com/\U00010300", "http://example.com/%F0%90%8C%80"),
    (130, Level.SCHEME, "http://e.com/e\u0301", "http://e.com/e%CC%81"),
    (140, Level.SYNTAX, "http://EX.com/", "http://ex.com/"),
    (140, Level.SYNTAX, "http://\u00c9X.com/", "http://%C3%89x.com/"),
    (140, Level.SCHEME, "http://\u00c9X.com/", "http://xn--x-9fa.com/"),
    (142, Level.NONE, "http://e.com/\u00e9", "http://e.com/\u00e9"),
    (142, Level.NONE, "HTTP://E.com:80/a/../%7e", "HTTP://E.com:80/a/../%7e"),
    (143, Level.NONE, "http://\u00c9.com/\u00e9", "http://\u00c9.com/\u00e9"),
    (167, Level.SCHEME, "urn:foo:a/../b", "urn:foo:a/../b"),
    (167, Level.SCHEME, "urn:foo:a/./b", "urn:foo:a/./b"),
    (
        186,
        Level.SYNTAX,
        "URN:UUID:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
        "urn:uuid:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
    ),
)

# number, IRI or URI, the URI it is mapped to
TO_URI: Final[tuple[tuple[int, str, str], ...]] = (
    (127, "http://www.example.org/red%09ros\u00e9#red", "http://www.example.org/red%09ros%C3%A9#red"),
    (127, "http://e.com/%c3%a9/\u00e9?\ue000#\u00e9", "http://e.com/%c3%a9/%C3%A9?%EE%80%80#%C3%A9"),
    (127, "HTTP://E.com:80/a/../b", "HTTP://E.com:80/a/../b"),
    (128, "http://example.com/\U00010300", "http://example.com/%F0%90%8C%80"),
    (129, "http://e.com/%7Ea?b#c", "http://e.com/%7Ea?b#c"),
    (130, "http://e.com/e\u0301", "http://e.com/e%CC%81"),
    (130, "http://e.com/\u00e9", "http://e.com/%C3%A9"),
    (132, "http://r\u00e9sum\u00e9.example.org", "http://r%C3%A9sum%C3%A9.example.org"),
)

# number, URI, the IRI it is mapped to
TO_IRI: Final[tuple[tuple[int, str, str], ...]] = (
    (135, "http://www.example.org/D%C3%BCrst", "http://www.example.org/D\u00fcrst"),
    (135, "http://e.com/%F0%90%8C%80?%C3%A9#%c3%a9", "http://e.com/\U00010300?\u00e9#\u00e9"),
    (136, "http://www.example.org/r%E9sum%E9.html", "http://www.example.org/r%E9sum%E9.html"),
    (136, "http://e.com/%FC%C3%BC", "http://e.com/%FC\u00fc"),
    (136, "http://e.com/%C0%AF%ED%A0%80", "http://e.com/%C0%AF%ED%A0%80"),
    (137, "http://xn--99zt52a.example.org/%e2%80%ae", "http://xn--99zt52a.example.org/%E2%80%AE"),
    *((137, f"http://e.com/{to_uri(control).lower()}", f"http://e.com/{to_uri(control)}") for control in BIDI_CONTROLS),
    (138, "http://e.com/%2F%25%20", "http://e.com/%2F%25%20"),
    (138, "http://e.com/%3A%3F%23%5B%5D%40%26%22%3C%7C", "http://e.com/%3A%3F%23%5B%5D%40%26%22%3C%7C"),
    (139, "http://xn--99zt52a.example.org/", "http://xn--99zt52a.example.org/"),
)

# number, syntax of URNs, text, its key
KEY: Final[tuple[tuple[int, str, str, str], ...]] = (
    (144, "2141", "HTTP://E.com/%7ea", "http://e.com/~a"),
    (163, "2141", "URN:FOO:a123%2c456", "urn:foo:a123%2C456"),
    (163, "2141", "urn:Foo:a123,456", "urn:foo:a123,456"),
    (164, "2141", "urn:foo:a%2Db", "urn:foo:a%2Db"),
    (164, "2141", "urn:foo:a%2db", "urn:foo:a%2Db"),
    (179, "8141", "urn:example:a123,z456?+abc", "urn:example:a123,z456"),
    (179, "8141", "urn:example:a123,z456?=xyz", "urn:example:a123,z456"),
    (179, "8141", "urn:example:a123,z456#789", "urn:example:a123,z456"),
    (179, "8141", "urn:example:a123,z456?+abc?=xyz#789", "urn:example:a123,z456"),
    (180, "8141", "URN:EXAMPLE:a123%2cz456", "urn:example:a123%2Cz456"),
    (180, "8141", "Urn:Example:A123%2fz", "urn:example:A123%2Fz"),
    (181, "8141", "urn:example:%7Ea", "urn:example:%7Ea"),
    (
        186,
        "2141",
        "urn:uuid:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
        "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    ),
    (
        186,
        "8141",
        "urn:uuid:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
        "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    ),
)

# number, syntax of URNs, two texts that are equivalent
MERGE: Final[tuple[tuple[int, str, str, str], ...]] = (
    (141, "2141", "eXAMPLE://a/./b/../b/%63/%7bfoo%7d/ros%C3%A9", "example://a/b/c/%7Bfoo%7D/ros\u00e9"),
    (163, "2141", "URN:foo:a123,456", "urn:FOO:a123,456"),
    (163, "2141", "urn:foo:a123%2C456", "URN:FOO:a123%2c456"),
    (166, "2141", "urn:epc:x", "URN:EPC:x"),
    (166, "8141", "urn:epc:x", "URN:EPC:x"),
    (166, "2141", "urn:epc:x%2f", "URN:EPC:x%2F"),
    (179, "8141", "urn:example:a123,z456?+abc", "urn:example:a123,z456#789"),
)

# number, syntax of URNs, two texts that are not equivalent
DIFFER: Final[tuple[tuple[int, str, str, str], ...]] = (
    (130, "2141", "http://e.com/e\u0301", "http://e.com/\u00e9"),
    (163, "2141", "urn:foo:a123%2C456", "urn:foo:a123,456"),
    (164, "2141", "urn:foo:a%2Db", "urn:foo:a-b"),
    (165, "2141", "urn:foo:A123,456", "urn:foo:a123,456"),
    (167, "2141", "urn:foo:a/../b", "urn:foo:b"),
    (181, "8141", "urn:example:%7Ea", "urn:example:~a"),
    (182, "8141", "urn:example:a123,z456/foo", "urn:example:a123,z456"),
    (182, "2141", "urn:example:a123,z456/foo", "urn:example:a123,z456"),
    (182, "8141", "urn:example:a123,z456/foo", "urn:example:a123,z456/bar"),
    (183, "8141", "urn:example:%D0%B0123,z456", "urn:example:a123,z456"),
)

# number, options, a valid text, a warning it gives
WARN: Final[tuple[tuple[int, Options, str, Warn], ...]] = (
    (124, OLD, "http://e.com/a\u05d0", Warn.BIDI_MIXED),
    (124, OLD, "http://e.com/?a\u0627", Warn.BIDI_MIXED),
    (125, OLD, "http://e.com/\u05d01", Warn.BIDI_MIXED),
    (125, OLD, "http://e.com/1\u05d0", Warn.BIDI_MIXED),
    (145, OLD, "http://\u2665.net/", Warn.IDNA2008_DISALLOWED),
    (147, OLD, "http://\uff45.com/", Warn.LOOK_ALIKE_HOST),
    (156, OLD, "urn:a:b/c", Warn.RESERVED_CHARACTER),
    (156, OLD, "urn:a:b?c", Warn.RESERVED_CHARACTER),
    (156, OLD, "urn:a:b#c", Warn.RESERVED_CHARACTER),
    (161, OLD, "urn:foo:a%00", Warn.PERCENT_ENCODED_NULL),
    (161, NEW, "urn:foo:a%00", Warn.PERCENT_ENCODED_NULL),
    (162, OLD, "urn:foo:%41", Warn.NEEDLESS_PERCENT_ENCODING),
    (162, OLD, "urn:foo:a%2db", Warn.NEEDLESS_PERCENT_ENCODING),
    (184, OLD, "urn:urn-abc:x", Warn.NID_FORBIDDEN_IN_8141),
    *((185, options, "urn:x-local:a", Warn.NID_FORBIDDEN_IN_8141) for options in (OLD, NEW)),
    *((185, options, "urn:X-local:a", Warn.NID_FORBIDDEN_IN_8141) for options in (OLD, NEW)),
    *((185, options, "urn:de-local:a", Warn.NID_FORBIDDEN_IN_8141) for options in (OLD, NEW)),
    *((185, options, "urn:xn--a:b", Warn.NID_FORBIDDEN_IN_8141) for options in (OLD, NEW)),
    (187, OLD, "urn:ean:4006381333931", Warn.UNREGISTERED_NID),
    (187, NEW, "urn:ean:4006381333931", Warn.UNREGISTERED_NID),
)

# number, options, a valid text, a warning it does not give
SILENT: Final[tuple[tuple[int, Options, str, Warn], ...]] = (
    (124, OLD, "http://e.com/a/\u05d0", Warn.BIDI_MIXED),
    (125, OLD, "http://e.com/\u05d01\u05d0", Warn.BIDI_MIXED),
    (126, OLD, "http://e.com/\u05d0\u05d1", Warn.BIDI_MIXED),
    (147, OLD, "http://e.com/", Warn.LOOK_ALIKE_HOST),
    (156, OLD, "urn:a:b%2Fc", Warn.RESERVED_CHARACTER),
    (162, OLD, "urn:foo:%2F%25%20%C3%A9", Warn.NEEDLESS_PERCENT_ENCODING),
    (170, NEW, "urn:example:1/406/47452/2", Warn.RESERVED_CHARACTER),
    (184, OLD, "urn:urn-7:x", Warn.NID_FORBIDDEN_IN_8141),
    (187, OLD, "urn:isbn:0395363411", Warn.UNREGISTERED_NID),
)


def _each(rows: Iterable[tuple[Any, ...]]) -> list[Any]:
    """The rows as parameters; the ids are `r154`, `r154-2`, ..."""
    seen: Counter[int] = Counter()
    params = []
    for number, *values in rows:
        seen[number] += 1
        params.append(pytest.param(*values, id=f"r{number}-{seen[number]}" if seen[number] > 1 else f"r{number}"))
    return params


def _only(text: str, options: Options = OLD) -> Record:
    """The one identifier of a text in which nothing is rejected."""
    (found,) = sieve(text, options=options)
    assert isinstance(found, Record)
    return found


@pytest.mark.parametrize(("text", "raws"), _each(FOUND))
def test_found(text: str, raws: list[str]) -> None:
    found = list(sieve(text))
    assert [value.raw for value in found if isinstance(value, Record)] == raws
    assert len(found) == len(raws)
    assert all(text[value.start : value.end] == value.raw for value in found)


@pytest.mark.parametrize(("rule", "text", "valid"), _each(GRAMMAR))
def test_grammar(rule: str, text: str, valid: bool) -> None:
    assert matches(rule, text) is valid


@pytest.mark.parametrize(("options", "text", "reason"), _each(REJECT))
def test_rejected(options: Options, text: str, reason: Reason) -> None:
    found = check(text, options=options)
    assert isinstance(found, Rejection)
    assert found.reason == reason
    with pytest.raises(InvalidIdentifier):
        normalize(text, options=options)


@pytest.mark.parametrize(("level", "text", "form"), _each(NORMAL))
def test_normal_form(level: Level, text: str, form: str) -> None:
    assert normalize(text, level) == form
    assert normalize(form, level) == form


@pytest.mark.parametrize(("text", "uri"), _each(TO_URI))
def test_mapped_to_a_uri(text: str, uri: str) -> None:
    assert to_uri(text) == uri
    assert to_uri(uri) == uri
    assert matches("URI", uri)


@pytest.mark.parametrize(("text", "iri"), _each(TO_IRI))
def test_mapped_to_an_iri(text: str, iri: str) -> None:
    assert to_iri(text) == iri
    assert to_iri(iri) == iri
    assert matches("IRI", iri)


@pytest.mark.parametrize(("syntax", "text", "expected"), _each(KEY))
def test_key(syntax: str, text: str, expected: str) -> None:
    options = SYNTAX[syntax]
    assert key(text, options=options) == expected
    assert key(expected, options=options) == expected
    assert parse(text, options=options).raw == text


@pytest.mark.parametrize(("syntax", "first", "second"), _each(MERGE))
def test_equivalent(syntax: str, first: str, second: str) -> None:
    assert equivalent(first, second, options=SYNTAX[syntax])
    assert equivalent(first, second, Level.SYNTAX, options=SYNTAX[syntax])


@pytest.mark.parametrize(("syntax", "first", "second"), _each(DIFFER))
def test_not_equivalent(syntax: str, first: str, second: str) -> None:
    assert not equivalent(first, second, options=SYNTAX[syntax])
    assert parse(first, options=SYNTAX[syntax]) != parse(second, options=SYNTAX[syntax])


@pytest.mark.parametrize(("options", "text", "code"), _each(WARN))
def test_warning(options: Options, text: str, code: Warn) -> None:
    record = parse(text, options=options)
    assert code in record.warnings
    assert record.raw == text
    assert _only(text, options).warnings == record.warnings


@pytest.mark.parametrize(("options", "text", "code"), _each(SILENT))
def test_no_warning(options: Options, text: str, code: Warn) -> None:
    assert code not in parse(text, options=options).warnings


def test_r102_brackets_stand_outside() -> None:
    record = _only("<http://example.com/>")
    assert (record.wrapper, record.start, record.end) == ("<>", 1, 20)


def test_r103_the_comma_stands_outside() -> None:
    record = _only('"http://www.w3.org/Addressing/",')
    assert (record.wrapper, record.start, record.end) == ('""', 1, 30)


def test_r105_a_line_break_inside_brackets_is_removed() -> None:
    record = _only("<ftp://foo.example.\n   com/rfc/>")
    assert record.uri == "ftp://foo.example.com/rfc/"
    assert record.raw == "ftp://foo.example.\n   com/rfc/"
    assert record.warnings == (Warn.WHITESPACE_REMOVED,)
    assert record.wrapper == "<>"


def test_r106_a_hyphen_before_a_line_break_gives_two_readings() -> None:
    record = _only("<http://e.com/a-\n  b>")
    assert record.uri == "http://e.com/a-b"
    assert record.alternatives == ("http://e.com/ab",)
    assert record.warnings == (Warn.WHITESPACE_REMOVED, Warn.HYPHEN_AT_LINE_BREAK)


def test_r108_the_paragraph_of_appendix_c() -> None:
    paragraph = (
        'Yes, Jim, I found it under "http://www.w3.org/Addressing/",\n'
        "but you can probably pick it up from <ftp://foo.example.\n"
        "com/rfc/>.  Note the warning in <http://www.ics.uci.edu/pub/\n"
        "ietf/uri/historical.html#WARNING>.\n"
    )
    found = list(sieve(paragraph))
    assert all(isinstance(value, Record) for value in found)
    assert [record.uri for record in extract(paragraph)] == [
        "http://www.w3.org/Addressing/",
        "ftp://foo.example.com/rfc/",
        "http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING",
    ]


@pytest.mark.parametrize("mark", list(".,;:!?)"))
def test_r109_what_is_trimmed_shows_in_the_offsets(mark: str) -> None:
    text = f"Go to http://e.com/a{mark}"
    record = _only(text)
    assert record.raw == record.uri == "http://e.com/a"
    assert (record.start, record.end) == (6, 20)
    assert text[record.end :] == mark
    assert isinstance(check(f"http://e.com/a{mark}"), Record)  # it is a character of URIs: only text is trimmed


def test_r111_cuts_change_nothing() -> None:
    text = '"http://example.com/ x'
    whole = [(record.raw, record.start, record.end) for record in extract(text)]
    assert whole == [("http://example.com/", 1, 20)]
    cuts = [[text[:place], text[place:]] for place in range(len(text) + 1)]
    for pieces in (*cuts, list(text)):
        scanner = Scanner()
        found = [value for piece in pieces for value in scanner.feed(piece)] + scanner.close()
        assert [(value.raw, value.start, value.end) for value in found] == whole


def test_r122_in_text_a_bidi_control_ends_the_iri() -> None:
    for control in BIDI_CONTROLS:
        assert _only(f"http://e.com/a{control}b").raw == "http://e.com/a"


def test_r126_nothing_is_reordered() -> None:
    text = "http://e.com/\u05d0\u05d1?\u05d2a"
    record = parse(text)
    assert record.raw == record.iri == text
    assert record.uri == "http://e.com/%D7%90%D7%91?%D7%92a"


def test_r129_the_mapping_is_idempotent() -> None:
    once = to_uri("http://r\u00e9.example/%7e\u00e9?\ue000#\U00010300")
    assert to_uri(once) == once


def test_r130_composition_is_not_applied() -> None:
    text = "http://e.com/e\u0301"
    assert unicodedata.normalize("NFC", text) != text
    assert parse(text).iri == text


def test_r132_the_host_in_both_ways() -> None:
    text = "http://r\u00e9sum\u00e9.example.org"
    record = parse(text)
    assert record.host == "xn--rsum-bpad.example.org"
    assert record.uri == "http://xn--rsum-bpad.example.org/"  # RFC 3986 6.2.3 adds the empty path's slash
    assert normalize(text, Level.SYNTAX) == "http://r%C3%A9sum%C3%A9.example.org"


@pytest.mark.parametrize("character", list(CONVERTIBLE))
def test_r133_an_error_or_a_triplet_by_option(character: str) -> None:
    text = f"http://e.com/a{character}b"
    with pytest.raises(InvalidIdentifier):
        to_uri(text)
    record = parse(text, options=ENCODE)
    assert record.uri == f"http://e.com/a%{ord(character):02X}b"
    assert record.raw == text
    assert Warn.REPAIRED in record.warnings


@pytest.mark.parametrize("text", ["http://e.com/%zz", "http://e.com/%", "http://e.com/[b]", "http://e.com/#a#b"])
def test_r134_the_mapping_fails_on_what_it_must_not_convert(text: str) -> None:
    with pytest.raises(InvalidIdentifier):
        to_uri(text)


def test_r134_a_bad_triplet_in_text_is_rejected() -> None:
    (found,) = sieve("see http://e.com/%zz now")
    assert isinstance(found, Rejection)
    assert (found.raw, found.reason) == ("http://e.com/%zz", Reason.BAD_PERCENT_ENCODING)


def test_r134_delimiters_and_percent_signs_are_not_mapped() -> None:
    assert to_uri("http://[::1]/\u00e9%25#\u00e9") == "http://[::1]/%C3%A9%25#%C3%A9"


def test_r137_a_bidi_control_stays_a_triplet_in_the_readable_form() -> None:
    assert parse("http://xn--99zt52a.example.org/%e2%80%ae").iri == "http://\u7d0d\u8c46.example.org/%E2%80%AE"


def test_r139_labels_are_shown_in_unicode() -> None:
    record = parse("http://xn--99zt52a.example.org/")
    assert record.iri == "http://\u7d0d\u8c46.example.org/"
    assert record.uri == record.key == "http://xn--99zt52a.example.org/"


@pytest.mark.parametrize("level", [Level.SYNTAX, Level.SCHEME])
def test_r141_the_pair_of_the_rfc(level: Level) -> None:
    first, second = "eXAMPLE://a/./b/../b/%63/%7bfoo%7d/ros%C3%A9", "example://a/b/c/%7Bfoo%7D/ros\u00e9"
    assert normalize(first, level) == normalize(second, level) == "example://a/b/c/%7Bfoo%7D/ros%C3%A9"


def test_r142_identity_tokens_are_compared_as_they_stand() -> None:
    first, second = "http://e.com/\u00e9", "http://e.com/%C3%A9"
    assert not equivalent(first, second, Level.NONE)
    assert equivalent(first, first, Level.NONE)
    assert equivalent(first, second, Level.SYNTAX)


def test_r143_simple_comparison_maps_nothing() -> None:
    options = Options(level=Level.NONE)
    assert key("http://e.com/\u00e9", options=options) == "http://e.com/\u00e9"
    assert not equivalent("http://e.com/\u00e9", "http://e.com/e\u0301", options=options)


def test_r144_the_text_is_kept_beside_its_canonical_form() -> None:
    record = _only("at HTTP://E.com/%7ea now")
    assert (record.raw, record.uri, record.key) == ("HTTP://E.com/%7ea", "http://e.com/~a", "http://e.com/~a")


def test_r145_a_symbol_in_a_host_is_kept() -> None:
    record = parse("http://\u2665.net/")
    assert record.uri == "http://xn--g6h.net/"
    assert record.raw == record.iri == "http://\u2665.net/"
    assert record.warnings == (Warn.IDNA2008_DISALLOWED,)


def test_r147_a_space_look_alike_is_not_shown() -> None:
    for space in "\u00a0\u2003\u3000":
        assert parse(f"http://e.com/a{space}b").iri == f"http://e.com/a{to_uri(space)}b"
        assert _only(f"http://e.com/a{space}b").raw == "http://e.com/a"


def test_r148_a_urn_and_its_parts() -> None:
    record = _only("URN:isbn:0395363411")
    assert (record.kind, record.nid, record.nss) == ("urn", "isbn", "0395363411")
    assert record.uri == "urn:isbn:0395363411"


def test_r149_the_shortest_urn() -> None:
    record = parse("urn:a:b")
    assert (record.nid, record.nss) == ("a", "b")


def test_r154_all_other_characters_belong_to_the_nss() -> None:
    record = parse("urn:a:()+,-.:=@;$_!*'")
    assert record.uri == record.key == "urn:a:()+,-.:=@;$_!*'"
    assert record.nss == "()+,-.:=@;$_!*'"


def test_r155_a_bad_triplet_in_text_is_rejected_not_cut() -> None:
    (found,) = sieve("see urn:a:b% now")
    assert isinstance(found, Rejection)
    assert (found.raw, found.reason) == ("urn:a:b%", Reason.BAD_PERCENT_ENCODING)


@pytest.mark.parametrize("reserved", list("/?#"))
def test_r156_the_nss_includes_a_reserved_character(reserved: str) -> None:
    record = _only(f"see urn:a:b{reserved}c now")
    assert (record.raw, record.nss) == (f"urn:a:b{reserved}c", f"b{reserved}c")
    assert (record.query, record.fragment) == (None, None)


def test_r158_a_tilde_ends_a_urn_of_the_older_syntax_only() -> None:
    assert _only("urn:foo:a~b", OLD).raw == "urn:foo:a"
    assert _only("urn:foo:a~b", NEW).raw == "urn:foo:a~b"


def test_r162_a_needless_triplet_stays() -> None:
    record = parse("urn:foo:%41")
    assert record.uri == record.key == record.iri == "urn:foo:%41"


def test_r166_a_namespace_only_adds_equalities() -> None:
    for nid in ("epc", "isbn", "issn", "uuid", "oid", "nbn", "lex", "ietf", "foo"):
        for nss in ("1.2", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", "0395363411", "a%2fb"):
            assert key(f"URN:{nid.upper()}:{nss}") == key(f"urn:{nid}:{nss.replace('%2f', '%2F')}")


def test_r167_a_urn_is_opaque() -> None:
    record = parse("urn:foo:a/../b")
    assert record.nss == "a/../b"
    assert parse("urn:foo:a//h:80/./b").components == ("urn", None, None, None, "foo:a//h:80/./b", None, None)


def test_r172_a_non_ascii_character_ends_it() -> None:
    assert _only("urn:example:a\u00e9", NEW).raw == "urn:example:a"
    assert list(extract("urn:example:\u00e9", options=NEW)) == []


def test_r174_the_components() -> None:
    record = parse("urn:nid:nss?+R?=Q#F", options=NEW)
    assert (record.nid, record.nss, record.query, record.fragment) == ("nid", "nss", "+R?=Q", "F")
    assert parse("urn:nid:nss?+R#F", options=NEW).query == "+R"
    assert parse("urn:nid:nss?=Q#F", options=NEW).query == "=Q"
    assert record.uri == "urn:nid:nss?+R?=Q#F"
    assert record.key == "urn:nid:nss"


def test_r177_a_question_mark_and_plus_inside_q_are_data() -> None:
    record = parse("urn:nid:nss?=Q?+R", options=NEW)
    assert (record.nss, record.query, record.fragment) == ("nss", "=Q?+R", None)


def test_r178_an_empty_f_component_is_there() -> None:
    record = parse("urn:nid:nss#", options=NEW)
    assert (record.nss, record.query, record.fragment) == ("nss", None, "")
    assert parse("urn:nid:nss", options=NEW).fragment is None


@pytest.mark.parametrize("options", [OLD, NEW], ids=["2141", "8141"])
def test_r187_an_unregistered_namespace_is_no_error(options: Options) -> None:
    record = _only("urn:ean:4006381333931", options)
    assert (record.raw, record.nid) == ("urn:ean:4006381333931", "ean")
    assert record.warnings == (Warn.UNREGISTERED_NID,)


# What cannot be shown yet, and why.
WAITS: Final[dict[int, str]] = {
    131: "text decoded from a legacy charset is brought to NFC: waits for the mail and HTML sources",
    146: "character references of HTML are resolved first: waits for the HTML source",
}

_TABLES: Final[tuple[Iterable[tuple[Any, ...]], ...]] = (
    FOUND,
    GRAMMAR,
    REJECT,
    NORMAL,
    TO_URI,
    TO_IRI,
    KEY,
    MERGE,
    DIFFER,
    WARN,
    SILENT,
)
PROVES: Final[frozenset[int]] = frozenset(row[0] for table in _TABLES for row in table) | frozenset(
    int(match[1]) for match in map(re.compile(r"test_r(\d{3})_").match, list(globals())) if match
)


def test_every_requirement_is_shown_or_waits() -> None:
    assert PROVES.isdisjoint(WAITS)
    assert PROVES | WAITS.keys() == set(range(102, 188))
