"""Warnings about hosts, addresses and user information that pass for others: each row with its reason."""

from __future__ import annotations

import json
import pickle
import socket
from ipaddress import ip_address
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers.cli_support import call
from tests.helpers.marked_rows import sieved
from tests.helpers.strategies import any_text, identifiers
from urisieve import Options, Record, UsageError, check, explain, extract, parse, read_records
from urisieve.codes import WARNINGS, Warn
from urisieve.dedupe.signature import signature
from urisieve.options import Spoofing
from urisieve.rules.skeletons import (
    RestrictionLevel,
    folded_skeleton,
    is_allowed,
    resolved_scripts,
    restriction_level,
    skeleton,
)
from urisieve.rules.spoof_check import address_kind
from urisieve.syntax.host import rare_ipv4

NAMES = ("example.com", "paypal.com", "bücher.example", "mail.bank.co.uk")
PROTECT = Options(protect=NAMES)
# Each code that the option adds, or gives a detail.
CODES = frozenset(
    code for code, entry in WARNINGS.items() if "`spoofing`" in entry.meaning or "`protect`" in entry.meaning
)


def warned(text: str, options: Options = PROTECT) -> list[str]:
    """The notices of a text that are not there without the option, as `code detail`."""
    found = parse(text, options=options)
    before = parse(text).notices
    return [f"{one.warn} {one.detail}".strip() for one in found.notices if one not in before]


ROWS = [
    # Mixed scripts (UTS 39 5.1, 5.2): Latin with Cyrillic, but not Latin with Japanese, Chinese or Korean.
    ("http://pаypal-x.test/", "mixed-script Latin, Cyrillic; ascii-look-alike paypal-x"),
    ("http://xn--pypal-x-2fg.test/", "mixed-script Latin, Cyrillic; ascii-look-alike paypal-x"),
    ("http://日本語abc.test/", ""),
    ("http://カタカナとひらがな漢字.test/", ""),
    ("http://한국어漢字.test/", ""),
    ("http://ㄅㄆ漢字.test/", "restricted-character U+3105 U+3106"),
    ("http://abcअ.test/", "mixed-script Latin, Devanagari"),
    # The prolonged sound mark is of two scripts (Script_Extensions), a digit of all.
    ("http://らーめん24.test/", ""),
    # A label that is all in one script (UTS 39 4): Circle, Cyrillic; scope; pays; a dotless i.
    ("http://сіrсlе.test/", "mixed-script Cyrillic, Latin; ascii-look-alike circle"),
    ("http://ѕсоре.test/", "ascii-look-alike scope"),
    ("http://wıkı.test/", "ascii-look-alike wiki"),
    ("http://ɡood.test/", "ascii-look-alike good; restricted-character U+0261"),
    ("http://хор.ru/", "ascii-look-alike xop"),
    ("http://хор.рф/", ""),  # all in Cyrillic to its end: not taken for ASCII
    ("http://хор.xn--80ak6aa92e/", "ascii-look-alike xop; ascii-look-alike apple"),  # no top-level domain of the DNS
    ("http://москва.ru/", ""),
    ("http://münchen.de/", ""),
    ("http://bærum.no/", ""),  # by UTS 39 like `ae`; but a letter that looks like two is known to its readers
    ("http://ελλάδα.gr/", ""),
    # Characters that are restricted in identifiers (UTS 39 3.1) or not shown.
    ("http://💩.test/", "restricted-character U+1F4A9"),
    ("http://نامه‌ای.test/", "restricted-character U+200C"),
    ("http://ꓡꓲꓢꓴ.test/", "ascii-look-alike LlSU; restricted-character U+A4E1 U+A4F2 U+A4E2 U+A4F4"),
    # A-labels that are none, where the scheme does not require a DNS name (RFC 5891 5.4).
    ("ssh://xn--zzzzzz.test/", "bad-a-label xn--zzzzzz"),
    ("ssh://xn--bcher-kva.test/", ""),
    # Look-alikes of delimiters in the host, the user and the first segment of the path (UTS 39 4, RFC 3986 7.6).
    ("http://a。b.test/", "look-alike-delimiter U+3002 as ."),
    ("http://a．b.test/", "look-alike-delimiter U+FF0E as ."),
    ("http://a%EF%BD%A1b.test/", "look-alike-delimiter U+FF61 as ."),
    ("http://test꘎x.test/", "mixed-script Latin, Vai; restricted-character U+A60E; look-alike-delimiter U+A60E as ."),
    ("http://x⁄y.test/", "restricted-character U+2044; look-alike-delimiter U+2044 as /"),
    ("http://x∕y.test/", "restricted-character U+2215; look-alike-delimiter U+2215 as /"),
    ("http://x⧸y.test/", "restricted-character U+29F8; look-alike-delimiter U+29F8 as /"),
    ("http://x〳y.test/", "restricted-character U+3033; look-alike-delimiter U+3033 as /"),
    ("http://xn--xy-c6t.test/", "restricted-character U+2044; look-alike-delimiter U+2044 as /"),
    ("http://XN--XY-C6T.test/", "restricted-character U+2044; look-alike-delimiter U+2044 as /"),
    ("http://Xn--xy-c6t.test/", "restricted-character U+2044; look-alike-delimiter U+2044 as /"),
    ("http://xノy.test/", "look-alike-delimiter U+30CE as /"),
    ("http://日ノ出.test/", ""),  # a letter, in a word of its script
    ("http://a／b@e.test/", "look-alike-delimiter U+FF0F as /"),
    ("http://a%E2%81%84b@e.test/", "look-alike-delimiter U+2044 as /"),
    ("http://e.test/⁄a.test/", "look-alike-delimiter U+2044 as /"),
    ("http://e.test/a/b⁄c", ""),  # too late to be taken for the end of the host
    ("http://e.test/a。b", ""),  # a full stop in a path ends nothing
    ("http://e.test/ノート", ""),
    # A user that looks like a host (RFC 3986 7.6).
    ("http://www.site.com@e.test/", "userinfo-host www.site.com"),
    ("http://www.site.com:80@e.test/", "userinfo-host www.site.com"),
    ("http://www.site.com%2Flogin@e.test/", "userinfo-host www.site.com"),
    ("http://site.com∕a∕b∕@v1271.zip/", "userinfo-host site.com; look-alike-delimiter U+2215 as /"),
    ("http://site%E3%80%82com@e.test/", "userinfo-host site.com; look-alike-delimiter U+3002 as ."),
    ("http://support%40site.com@e.test/", "userinfo-host site.com"),
    ("http://192.0.2.7@e.test/", "userinfo-host 192.0.2.7"),
    ("http://xn--bcher-kva.com@e.test/", "userinfo-host bücher.com"),
    ("http://ann@e.test/", ""),
    ("http://ann.lee@e.test/", ""),
    ("http://ann:site.com@e.test/", ""),  # a password, which is not looked at
    ("ftp://ann%40site.com@site.com/", ""),
    ("ftp://ann%40site.com@ftp.site.com/", ""),
    # Addresses that the Internet does not reach (RFC 6890).
    ("http://127.0.0.1/", "not-global-address 127.0.0.1 loopback"),
    ("http://localhost/", "not-global-address localhost loopback"),
    ("http://a.localhost./", "not-global-address a.localhost loopback"),
    ("http://192.168.1.1/", "not-global-address 192.168.1.1 private"),
    ("http://172.15.255.255/", ""),
    ("http://172.16.0.0/", "not-global-address 172.16.0.0 private"),
    ("http://172.31.255.255/", "not-global-address 172.31.255.255 private"),
    ("http://172.32.0.0/", ""),
    ("http://100.64.0.1/", "not-global-address 100.64.0.1 shared"),
    ("http://169.254.169.254/", "not-global-address 169.254.169.254 link-local"),
    ("http://0.0.0.0/", "not-global-address 0.0.0.0 unspecified"),
    ("http://255.255.255.255/", "not-global-address 255.255.255.255 broadcast"),
    ("http://8.8.8.8/", ""),
    ("http://[::1]/", "not-global-address ::1 loopback"),
    ("http://[fd12::1]/", "not-global-address fd12::1 unique-local"),
    ("http://[fe80::1]/", "not-global-address fe80::1 link-local"),
    ("http://[::ffff:127.0.0.1]/", "not-global-address ::ffff:127.0.0.1 loopback"),
    ("http://[::ffff:8.8.8.8]/", ""),
    ("http://[64:ff9b::a00:1]/", "not-global-address 64:ff9b::a00:1 private"),
    ("http://[2002:c0a8:101::]/", "not-global-address 2002:c0a8:101:: private"),
    ("http://[2606:4700::1]/", ""),
    ("http://[v1.a]/", ""),
    # Rare forms of IPv4, with what programs read them as (WHATWG URL 3.5, RFC 6943 3.1.1).
    ("http://0x7f.1/", "rare-ipv4 127.0.0.1; not-global-address 127.0.0.1 loopback"),
    ("http://2130706433/", "rare-ipv4 127.0.0.1; not-global-address 127.0.0.1 loopback"),
    ("http://017700000001/", "rare-ipv4 127.0.0.1; not-global-address 127.0.0.1 loopback"),
    ("http://0X7F000001/", "rare-ipv4 127.0.0.1; not-global-address 127.0.0.1 loopback"),
    ("http://134744072/", "rare-ipv4 8.8.8.8"),
    ("http://8.8.2056/", "rare-ipv4 8.8.8.8"),
    ("http://010.0.0.1/", "rare-ipv4 8.0.0.1; rare-ipv4 10.0.0.1; not-global-address 10.0.0.1 private"),
    ("http://999.1/", ""),  # `rare-ipv4` without a detail: it is read as nothing
    ("http://0377.1/", "rare-ipv4 255.0.0.1; not-global-address 255.0.0.1 reserved"),
    ("http://256.1/", ""),
    ("http://1.16777215/", "rare-ipv4 1.255.255.255"),
    ("http://1.16777216/", ""),
    ("http://1.2.3.255.1/", ""),
    ("http://4294967295/", "rare-ipv4 255.255.255.255; not-global-address 255.255.255.255 broadcast"),
    ("http://4294967296/", ""),
    ("http://037777777777/", "rare-ipv4 255.255.255.255; not-global-address 255.255.255.255 broadcast"),
    ("http://0x00000000000000001/", "rare-ipv4 0.0.0.1; not-global-address 0.0.0.1 this network"),
    ("http://8.8.8.8./", "rare-ipv4 8.8.8.8"),
    ("http://0x/", "rare-ipv4 0.0.0.0; not-global-address 0.0.0.0 unspecified"),
    ("http://08.8.8.8/", "rare-ipv4 8.8.8.8"),
    # Names to be protected (UTS 39 4): a host, its last labels, or a label of one look like them.
    ("http://paypa1.com/", "resembles-protected paypal.com"),
    ("http://pаypal.com/", "mixed-script Latin, Cyrillic; resembles-protected paypal.com; ascii-look-alike paypal"),
    ("http://раураl.com/", "mixed-script Cyrillic, Latin; resembles-protected paypal.com; ascii-look-alike paypal"),
    ("http://www.paypa1.com/", "resembles-protected paypal.com"),
    ("http://paypa1.test/", "resembles-protected paypal.com"),
    ("http://login.paypa1.test/", "resembles-protected paypal.com"),
    ("http://exarnple.com/", "resembles-protected example.com"),
    ("http://mail.bank.c0.uk/", "resembles-protected mail.bank.co.uk"),
    ("http://b%C3%BCcher.exarnple/", "resembles-protected bücher.example"),
    ("http://example.com.e.test/", "contains-protected example.com"),
    ("http://www.example.com.e.test/", "contains-protected example.com"),
    ("http://example.com-login.test/", "contains-protected example.com"),
    ("http://my-example.com-login.test/", "contains-protected example.com"),
    ("http://exarnple.com.e.test/", "resembles-protected example.com; contains-protected example.com"),
    (
        "http://example.com⁄e.test/",
        "contains-protected example.com; restricted-character U+2044; look-alike-delimiter U+2044 as /",
    ),
    # A name of 253 characters, which DNS can hold, and one of 254.
    (f"http://example.com.{'a' * 60}.{'a' * 60}.{'a' * 60}.{'a' * 53}.test/", "contains-protected example.com"),
    (f"http://example.com.{'a' * 60}.{'a' * 60}.{'a' * 60}.{'a' * 54}.test/", ""),
    # None of these is warned of: the names, names below them, and names that only have words of them.
    ("http://example.com/", ""),
    ("http://EXAMPLE.com./", ""),
    ("http://www.example.com/", ""),
    ("http://exarnple.example.com/", ""),
    ("http://xn--bcher-kva.example/", ""),
    ("http://paypal.test/", ""),  # the same label under another top-level domain looks like what it is
    ("http://my-example.com/", ""),
    ("http://example.community/", ""),
    ("http://notexample.com.test/", ""),
    ("http://bank.co.uk/", ""),
    # What has no host.
    ("urn:example:paypa1.com", ""),
    ("file:///paypa1.com", ""),
    ("cid:a@127.0.0.1", ""),
    ("tel:+4912345;phone-context=paypa1.com", ""),
    # The hosts of mail addresses and the like, which no authority holds (RFC 6068 2, RFC 3261 19.1.1, RFC 5122 2.2).
    ("mailto:ann@paypa1.com", "resembles-protected paypal.com"),
    ("mailto:a@b.test,c@127.0.0.1", "not-global-address 127.0.0.1 loopback"),
    ("MAILTO:?to=a@xn--pypal-x-2fg.test", "mixed-script Latin, Cyrillic; ascii-look-alike paypal-x"),
    (
        "mailto:x@y.test?cc=z%40paypa1.com%2Cq@10.0.0.1&body=a@127.0.0.1",
        "resembles-protected paypal.com; not-global-address 10.0.0.1 private",
    ),
    (
        "mailto:x@y.test?to=a@paypa1.com&to=b@10.0.0.1&bcc=c@10.0.0.2",
        "resembles-protected paypal.com; not-global-address 10.0.0.1 private; not-global-address 10.0.0.2 private",
    ),
    ("mailto:paypa1.com@paypal.com", ""),
    (
        "sip:ann:pw@exаmple.com:5060;x=y",
        "resembles-protected example.com; mixed-script Latin, Cyrillic; ascii-look-alike example",
    ),
    ("sips:127.0.0.1", "not-global-address 127.0.0.1 loopback"),
    ("sip:a@[::1]:5060", "not-global-address ::1 loopback"),
    ("xmpp:a@paypal.com.evil.test/r@127.0.0.1", "contains-protected paypal.com"),
    ("acct:a@2130706433", "rare-ipv4 127.0.0.1; not-global-address 127.0.0.1 loopback"),
    ("im:a@b。test", "look-alike-delimiter U+3002 as ."),
    ("pres:a@mail.bank.co.uk", ""),
]


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_each_row_has_its_warnings(text: str, expected: str) -> None:
    assert "; ".join(warned(text)) == expected
    plain, found = parse(text), parse(text, options=PROTECT)
    assert (found.uri, found.key, found.components) == (plain.uri, plain.key, plain.components)
    assert found.warnings[: len(plain.warnings)] == plain.warnings
    assert {*found.warnings} == {notice.warn for notice in found.notices}


@pytest.mark.parametrize("level", ["none", "syntax"])
def test_the_level_does_not_count(level: str) -> None:
    for text, expected in ROWS:
        before = parse(text, options=Options(level=level)).notices
        found = [one for one in parse(text, options=Options(protect=NAMES, level=level)).notices if one not in before]
        assert "; ".join(f"{one.warn} {one.detail}" for one in found) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://ibrn.test/", "resembles-protected ibm.com"),
        ("http://ibrn.com/", "resembles-protected ibm.com"),
        ("http://hр.test/", "mixed-script Latin, Cyrillic; ascii-look-alike hp"),
        ("http://hр.com/", "mixed-script Latin, Cyrillic; resembles-protected hp.com; ascii-look-alike hp"),
        ("http://ibm.cοm/", "mixed-script Latin, Greek; resembles-protected ibm.com; ascii-look-alike com"),
    ],
)
def test_labels_of_two_characters_are_too_short_to_be_compared(text: str, expected: str) -> None:
    assert "; ".join(warned(text, Options(protect=["ibm.com", "hp.com"]))) == expected


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_a_text_that_holds_a_row_has_its_warnings(text: str, expected: str) -> None:
    # Every way to cut it, and what is found is what `check` says of it alone: with the kernel and without.
    (found,) = sieved(f"<{text}> and", PROTECT)
    assert isinstance(found, Record)
    assert found.warnings == parse(text, options=PROTECT).warnings
    assert found.notices == parse(text, options=PROTECT).notices


def test_no_row_of_the_table_is_warned_of_unless_it_is_asked_for() -> None:
    for text, _ in ROWS:
        found = check(text)
        assert not found or CODES.isdisjoint(found.warnings)
    assert {code for text, row in ROWS if row for code in parse(text, options=PROTECT).warnings} >= CODES


# Examples of UTS 39 4: texts that look alike have one skeleton.
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("paypal", "раураl"),
        ("scope", "ѕсоре"),
        ("rn", "m"),
        ("l1I|", "llll"),
        ("ǉeto", "ljeto"),
        ("Å", "A\u030a"),
        ("a\u00adb", "ab"),  # not shown, so it does not count
        ("œ", "oe"),
    ],
)
def test_texts_that_look_alike_have_one_skeleton(left: str, right: str) -> None:
    assert skeleton(left) == skeleton(right)


def test_case_does_not_count_in_the_skeleton_of_a_host() -> None:
    assert skeleton("g0") != skeleton("go")
    assert folded_skeleton("g0") == folded_skeleton("GO") == folded_skeleton("go")
    # UTS 39 has `I` look like `l`; a host writes it `i`.
    assert skeleton("Ibm") == skeleton("lbm")
    assert folded_skeleton("Ibm") == folded_skeleton("ibm") != folded_skeleton("lbm")


@pytest.mark.parametrize(
    ("label", "scripts", "level"),
    [
        # UTS 39 5.1, Table 1a.
        ("Circle", {"Latn"}, RestrictionLevel.ASCII_ONLY),
        ("СігсӀе", {"Cyrl"}, RestrictionLevel.SINGLE_SCRIPT),
        ("Сirсlе", set(), RestrictionLevel.LESS_RESTRICTIVE),
        ("𝖢𝗂𝗋𝖼𝗅𝖾", None, RestrictionLevel.SINGLE_SCRIPT),
        ("𝖢𝗂𝗋𝖼𝗅е", {"Cyrl"}, RestrictionLevel.SINGLE_SCRIPT),
        ("〆切", {"Hani", "Hanb", "Jpan", "Kore"}, RestrictionLevel.SINGLE_SCRIPT),
        ("ねガ", {"Jpan"}, RestrictionLevel.SINGLE_SCRIPT),
        ("ねガab", set(), RestrictionLevel.HIGHLY_RESTRICTIVE),
        ("ねㄅab", set(), RestrictionLevel.LESS_RESTRICTIVE),
    ],
)
def test_scripts_are_resolved_as_in_uts_39(label: str, scripts: set[str] | None, level: RestrictionLevel) -> None:
    assert resolved_scripts(label) == scripts
    assert restriction_level(label) is level


def test_identifiers_may_hold_what_uts_39_allows() -> None:
    assert all(map(is_allowed, "azAZ09-_.éяあ漢ー"))
    assert not any(map(is_allowed, "/\u2044\u200b\u200dꓡ\U0001f4a9\u0378"))


@given(any_text())
@example("\u0958\u00ad|")
def test_the_skeleton_of_a_skeleton_is_itself(text: str) -> None:
    assert skeleton(skeleton(text)) == skeleton(text)


_LABELS = st.text("abcdefghijklmnopqrstuvwxyz0123456789-", min_size=1, max_size=12).filter(lambda x: x.strip("-") == x)


@given(st.lists(_LABELS.filter(lambda label: label[2:4] != "--"), min_size=1, max_size=4))
def test_names_in_ascii_have_no_warning(labels: list[str]) -> None:
    assert warned(f"http://{'.'.join(labels)}.com/", Options(spoofing=True)) == []


_NAMES = st.lists(_LABELS.filter(lambda label: label[2:4] != "--"), min_size=1, max_size=3).map(
    lambda labels: ".".join([*labels, "com"])
)


@given(st.lists(_NAMES, min_size=1, max_size=4), st.sampled_from(["", "www.", "paypa1.", "xn--pypal-4ve."]))
def test_a_protected_name_is_never_warned_of_itself(names: list[str], before: str) -> None:
    options = Options(protect=names)
    for name in names:
        assert warned(f"http://{before}{name}/", options) == warned(f"http://{before}{name}/", Options())


@given(identifiers())
def test_the_check_changes_nothing_but_warnings(text: str) -> None:
    plain, found = check(text), check(text, options=PROTECT)
    if isinstance(found, Record):
        assert isinstance(plain, Record)
        assert (found.uri, found.key, found.components) == (plain.uri, plain.key, plain.components)
        assert found.warnings[: len(plain.warnings)] == plain.warnings
        new = found.warnings[len(plain.warnings) :]  # a rare form is looked for in more schemes than without the check
        assert {*CODES, Warn.RARE_IPV4}.issuperset(new) or "mixed-script" in new
        assert {*found.warnings} == {notice.warn for notice in found.notices}
    else:
        assert not isinstance(plain, Record)
        assert (found.reason, found.offset) == (plain.reason, plain.offset)


_FORMS = {"hexadecimal": "0x{:x}", "octal": "0{:o}", "decimal": "{}"}
_PARTS = st.builds(lambda form, number: _FORMS[form].format(number), st.sampled_from([*_FORMS]), st.integers(0, 300))
_LAST = st.builds(lambda form, number: _FORMS[form].format(number), st.sampled_from([*_FORMS]), st.integers(0, 2**33))


@given(st.lists(_PARTS, max_size=4), _LAST)
@example(["010", "0", "0"], "1")
@example(["256"], "1")
@example([], "4294967296")
def test_rare_forms_are_read_as_the_system_reads_them(parts: list[str], last: str) -> None:
    host = ".".join([*parts, last])
    try:
        expected = [socket.inet_ntoa(socket.inet_aton(host))]
    except OSError:
        expected = []
    found = list(map(str, rare_ipv4(host)))
    if any(part[0] == "0" and part[1:].isdigit() for part in host.split(".")):
        assert found[: len(expected)] == expected  # the decimal reading is the second one
    else:
        assert found == expected


@given(st.ip_addresses())
@example(ip_address("192.0.0.9"))
def test_an_address_that_is_not_global_is_not_so_for_python_either(address: object) -> None:
    found = ip_address(str(address))
    if found.is_loopback or found.is_link_local or found.is_multicast or found.is_unspecified:
        assert address_kind(found) is not None
    if address_kind(found) in ("private", "loopback", "link-local", "unique-local") and found.version == 4:
        assert found.is_private


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("example.com", ("example.com",)),
        (["B.test", "a.test.", "b.test"], ("a.test", "b.test")),
        ({"bücher.example"}, ("xn--bcher-kva.example",)),
        ((), ()),
        ([], ()),
    ],
)
def test_names_to_be_protected_are_kept_in_a_labels(given: list[str], kept: tuple[str, ...]) -> None:
    options = Options(protect=given)
    assert options.protect == kept
    assert options.spoofing == (Spoofing.WARN if kept else Spoofing.OFF)
    assert pickle.loads(pickle.dumps(options)) == options


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("example", "'example' has no dot: give the whole name, such as 'example.com'"),
        ("127.0.0.1", "'127.0.0.1' is not the name of a host: give one such as 'example.com'"),
        ("a b.test", "is not the name of a host"),
        ("http://a.test/", "is not the name of a host"),
        ("", "is not the name of a host"),
        ([1], "1 is not the name of a host"),
        (1, "protect=1 must be names of hosts"),
        (b"a.test", "must be names of hosts"),
    ],
)
def test_what_is_not_the_name_of_a_host_is_refused(given: object, message: str) -> None:
    with pytest.raises(UsageError, match="protect") as raised:
        Options(protect=[given] if given == "" else given)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_keys_do_not_depend_on_the_check() -> None:
    assert signature(PROTECT) == signature(Options())


def test_a_record_keeps_its_notices() -> None:
    (record,) = extract("http://paypa1.com/ ", options=PROTECT)
    assert pickle.loads(pickle.dumps(record)).notices == record.notices
    assert Record.from_dict(record.as_dict(), options=PROTECT).notices == record.notices
    # Who reads it without the names has the code.
    assert Record.from_dict(record.as_dict()).warnings == record.warnings
    assert [notice.detail for notice in Record.from_dict(record.as_dict()).notices] == [""]


def test_details_reach_explanations() -> None:
    (warning,) = explain("http://0x7f.1/", options=Options(spoofing=True)).warnings[:1]
    assert (warning.warn, warning.detail) == ("rare-ipv4", "127.0.0.1")


def test_commands_warn_of_what_passes_for_a_protected_name(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("http://paypa1.com/ http://user:secret@0x7f.1/ http://paypal.com/\n", encoding="utf-8")
    asked = ("--protect", "paypal.com", "--protect", "example.com,bank.test")
    done = call("extract", "-q", *asked, "--format", "jsonl", "--parts", str(text))
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [row["warnings"] for row in rows] == [
        ["resembles-protected"],
        ["userinfo-present", "password-present", "rare-ipv4", "hosts-disagree", "not-global-address"],
        [],
    ]
    assert rows[0]["notices"] == [{"warn": "resembles-protected", "detail": "paypal.com"}]
    assert b"secret" not in done.out
    records = tmp_path / "records.jsonl"
    records.write_bytes(done.out)
    assert [list(record.warnings) for record in read_records(records)] == [row["warnings"] for row in rows]
    done = call("extract", "-q", *asked, "--format", "jsonl", "--parts", "--safe", "defang", str(text))
    assert json.loads(done.out.splitlines()[0])["notices"][0]["detail"] == "paypal[.]com"
    assert call("extract", "-q", *asked, "--fail-on", "resembles-protected", str(text)).status == 3
    assert call("extract", "-q", "--protect", "any", "--fail-on", "resembles-protected", str(text)).status == 0
    done = call("extract", "-q", *asked, "--only", "warning=resembles-protected", str(text))
    assert done.out == b"http://paypa1.com/\n"
    assert call("check", *asked, "http://paypa1.com/").out == b"valid  http://paypa1.com/  [resembles-protected]\n"


def test_a_hostile_host_takes_no_longer_than_a_plain_one() -> None:
    # A name of 126 labels, all of which begin a protected name, and one that is longer than the DNS allows.
    options = Options(protect=["a.a.a.a.a.b", "a.b"])
    assert warned(f"http://{'a.' * 126}c/", options) == []
    assert warned(f"http://{'a.' * 20_000}b.c/", options) == []
    assert warned(f"http://{'paypal.com' * 5_000}@e.test/", options) == []
