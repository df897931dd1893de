"""Defanged identifiers: their forms, their places, what is none of them, and any cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import strategies
from tests.helpers.doubling import assert_linear
from tests.helpers.hostile import repeated
from urisieve import Options, Record, Rejection, Scanner, extract, sieve

REFANG = Options(refang="known-forms")
ALL = Options(refang="known-forms", schemeless="names", email="addresses")


def found(text: str, options: Options = REFANG) -> list[tuple[str, str]]:
    return [(record.raw, record.uri) for record in extract(text, options=options)]


FORMS = [
    ("hxxp://evil.com", "http://evil.com/"),
    ("hXXps://evil.com/x", "https://evil.com/x"),
    ("HXXP://EVIL.COM", "http://evil.com/"),
    ("h**p://evil.com", "http://evil.com/"),
    ("h__ps://evil.com", "https://evil.com/"),
    ("hxtp://evil.com", "http://evil.com/"),
    ("fxp://evil.com/f", "ftp://evil.com/f"),
    ("hxxp[:]//evil.com", "http://evil.com/"),
    ("http[:]//evil.com", "http://evil.com/"),
    ("http(:)//evil.com", "http://evil.com/"),
    ("http[://]evil.com", "http://evil.com/"),
    ("hxxp:[//]evil.com", "http://evil.com/"),
    ("http[:][/][/]evil.com", "http://evil.com/"),
    ("http[:/]/evil.com", "http://evil.com/"),
    ("http://evil[.]com", "http://evil.com/"),
    ("http://evil(.)com", "http://evil.com/"),
    ("http://evil{.}com", "http://evil.com/"),
    ("http://evil[dot]com", "http://evil.com/"),
    ("http://evil(DOT)com", "http://evil.com/"),
    ("http://evil[ . ]com", "http://evil.com/"),
    ("http://evil\\.com/a\\.b", "http://evil.com/a.b"),
    ("hxxps://www[.]evil[.]co[.]uk:8080/a[.]php?x=1.2#f", "https://www.evil.co.uk:8080/a.php?x=1.2#f"),
    ("http://1[.]2[.]3[.]4/x", "http://1.2.3.4/x"),
    ("http://u[at]e[.]com/a[at]b", "http://u@e.com/a@b"),
    ("http://bücher[.]de/é", "http://xn--bcher-kva.de/%C3%A9"),
    ("hxxp://evil[.]com/(a)", "http://evil.com/(a)"),
    ("hxxp://[::1]/x", "http://[::1]/x"),
    # A14
    ("https://phish3 [.] com/x", "https://phish3.com/x"),
    ("hxxps://phish (dot) example {.} com/x", "https://phish.example.com/x"),
    ("http://phish4[.com/x", "http://phish4.com/x"),
    ("http://phish5.evil.]com/x", "http://phish5.evil.com/x"),
    ("hxxp://example.]com/x", "http://example.com/x"),
    ("hxxp://evil[.]com[:]8080/x", "http://evil.com:8080/x"),
    ("http://evil.com[:]8080/x", "http://evil.com:8080/x"),
    ("hxxp://evil.com[/]x/y", "http://evil.com/x/y"),
    ("http://evil[.]com[/]x[/]y", "http://evil.com/x/y"),
    ("hxxp://[2001:db8::1]:80/x", "http://[2001:db8::1]/x"),
    ("http[:]//[2001:db8::1]/x", "http://[2001:db8::1]/x"),
    ("hxxp://[2001[:]db8[:][:]1]/x", "http://[2001:db8::1]/x"),
    ("http://[2001[:]db8::1]/x", "http://[2001:db8::1]/x"),
    # E13
    ("hxxp[s]://e[.]com", "https://e.com/"),
    ("http[s]://e[.]com", "https://e.com/"),
    ("http[s]://e.com/a.b", "https://e.com/a.b"),
    ("[http]://e.com", "http://e.com/"),
    ("[hxxps]://e[.]com/x", "https://e.com/x"),
    ("(http)://e.com", "http://e.com/"),
    ("h[tt]ps://e.com", "https://e.com/"),
    ("h[tt]p://e.com", "http://e.com/"),
    ("H[t]tp[S][:]//e.com", "https://e.com/"),
    ("ftp[s]://e.com/f", "ftps://e.com/f"),
    ("httxs://e.com", "https://e.com/"),
    ("meow://e.com/x", "http://e.com/x"),
    ("http://bad&#46;com/x", "http://bad.com/x"),
    ("hxxp://bad&#x2E;co&#46;uk?x=1&y=2#f", "http://bad.co.uk/?x=1&y=2#f"),
]


@pytest.mark.parametrize(("text", "uri"), FORMS)
def test_forms(text: str, uri: str) -> None:
    (record, *more) = extract(f"see {text} ok", options=REFANG)
    assert record.uri == uri
    assert not more
    assert (record.start, f"see {text} ok"[record.start : record.end]) == (4, record.raw)
    assert "refanged" in record.warnings
    if "[at]b" not in text:
        assert record.raw == text


WITHOUT_A_SCHEME = [
    ("evil[.]com", "http://evil.com/"),
    ("evil[.]com/x?y", "http://evil.com/x?y"),
    ("www.evil[.]com", "http://www.evil.com/"),
    ("www[.]evil.com", "http://www.evil.com/"),
    ("evil.com[.]br", "http://evil.com.br/"),
    ("10[.]0[.]0[.]1", "http://10.0.0.1/"),
    ("10.0.0[.]1:80/x", "http://10.0.0.1/x"),
    ("a.b[at]evil[.]com", "mailto:a.b@evil.com"),
    ("a[@]evil.com", "mailto:a@evil.com"),
    ("a@evil[.]com", "mailto:a@evil.com"),
    ("a(at)evil(dot)co(dot)uk", "mailto:a@evil.co.uk"),
    # A14
    ("bob [at] evil [dot] com", "mailto:bob@evil.com"),
    ("bob[at]evil [.] com", "mailto:bob@evil.com"),
    ("phish4[.com", "http://phish4.com/"),
    ("evil [.] com", "http://evil.com/"),
    ("10 [.] 0 [.] 0 [.] 1/x", "http://10.0.0.1/x"),
    # E13
    ("bad&#46;com", "http://bad.com/"),
    ("bad&#46;co&#X2e;uk/x", "http://bad.co.uk/x"),
    ("www.bad&#46;com", "http://www.bad.com/"),
    ("joe@bad&#46;com", "mailto:joe@bad.com"),
    # K13: names of special use
    ("user@evil[.]example", "mailto:user@evil.example"),
    ("user[@]evil.test", "mailto:user@evil.test"),
    ("evil[.]local/x", "http://evil.local/x"),
    ("www.evil[.]invalid", "http://www.evil.invalid/"),
    ("evil[.]localhost:80", "http://evil.localhost/"),
    ("jörg[at]evil[.]com", "mailto:j%C3%B6rg@evil.com"),  # K6
]
SPOKEN = [  # E13; the text without marks is not searched for them unless names are
    ("a dot b dot com/x", "http://a.b.com/x"),
    ("evil dot com/x.y?z", "http://evil.com/x.y?z"),
    ("EVIL DOT EXAMPLE DOT COM", "http://evil.example.com/"),
    ("www.evil dot co dot uk", "http://www.evil.co.uk/"),
    ("evil dot example dot test", "http://evil.example.test/"),  # K13
]
TEXTS = [text for text, _ in FORMS + WITHOUT_A_SCHEME + SPOKEN]


@pytest.mark.parametrize(("text", "uri"), SPOKEN)
def test_a_name_with_words_for_dots(text: str, uri: str) -> None:
    (record,) = extract(f"at {text}, ok", options=ALL)
    assert (record.raw, record.uri) == (text, uri)
    assert record.warnings == ("refanged", "scheme-assumed")
    assert found(f"at {text}, ok", Options(refang="known-forms", email="addresses")) == []
    assert found(f"at {text}, ok", Options(schemeless="names", email="addresses")) == found(text, NAMES)


NAMES = Options(schemeless="names")


@pytest.mark.parametrize(("text", "uri"), WITHOUT_A_SCHEME)
def test_without_a_scheme(text: str, uri: str) -> None:
    (record,) = extract(f"see {text}, ok", options=ALL)
    assert (record.raw, record.uri) == (text, uri)
    assert record.warnings[:2] == ("refanged", "scheme-assumed")
    assert found(f"see {text}, ok") == []
    www = extract(text, options=Options(refang="known-forms", schemeless="www"))
    assert [r.raw for r in www] == ([text] if text.startswith("www") else [])


@pytest.mark.parametrize(
    ("text", "raw", "uri", "other"),
    [  # K6
        (
            "почтаinfo[at]evil[.]com",
            "info[at]evil[.]com",
            "mailto:info@evil.com",
            "mailto:%D0%BF%D0%BE%D1%87%D1%82%D0%B0info@evil.com",
        ),
        ("就是这个meishi[.]com/x", "meishi[.]com/x", "http://meishi.com/x", "http://xn--meishi-ov7ir17g11sph9g.com/x"),
    ],
)
def test_behind_text(text: str, raw: str, uri: str, other: str) -> None:
    (record,) = extract(f"{text} ok", options=ALL)
    assert (record.raw, record.uri, record.alternatives) == (raw, uri, (other,))
    assert record.warnings == ("refanged", "scheme-assumed", "text-follows")


@pytest.mark.parametrize(
    ("text", "raw", "wrapper"),
    [
        ("(hxxp://evil[.]com)", "hxxp://evil[.]com", "()"),
        ("<hxxp://evil[.]com/x>", "hxxp://evil[.]com/x", "<>"),
        ('"evil[.]com"', "evil[.]com", '""'),
        ("email='joe@evil[.]com'", "joe@evil[.]com", "''"),  # E10
        ("user=joe[at]evil[.]com", "joe[at]evil[.]com", None),
        ("a+b=c.org[at]evil[.]com", "a+b=c.org[at]evil[.]com", None),
        ("'hxxp://evil[.]com/'s", "hxxp://evil[.]com/", "''"),
        ("hxxp://evil[.]com.", "hxxp://evil[.]com", None),
        ("hxxp://evil[.]com/x), and", "hxxp://evil[.]com/x", None),
        ("*hxxp://evil[.]com/*", "hxxp://evil[.]com/", None),
        ("[hxxp://evil[.]com]", "hxxp://evil[.]com", "[]"),
        ("hxxp://evil[.]com[.]", "hxxp://evil[.]com", None),
        ("hxxp://a[.]com/hxxp://b[.]com/", "hxxp://a[.]com/hxxp://b[.]com/", None),
        ("hxxp://a[.]com [.] And", "hxxp://a[.]com", None),
        ("hxxp://a[.]com/x [.] com", "hxxp://a[.]com/x", None),
        ("hxxp://a[.]com and b", "hxxp://a[.]com", None),
    ],
)
def test_wrappers_and_trimming(text: str, raw: str, wrapper: str | None) -> None:
    (record,) = extract(text, options=ALL)
    assert (record.raw, record.wrapper) == (raw, wrapper)


@pytest.mark.parametrize(
    "text",
    [
        "http://e.com/a[.]b http://e.com/x http://[::1]/ (http://e.com) http://e.com/?a[]=1 urn:a:b mailto:a@b.com",
        "f(.) [.] (dot) [at] \\. x[:]y a[.]b [://] http[ ]//",
        "http://a.com [.] B and http://e.com/ [at] x, x [.] y, a [dot]",
        # E13
        "[http://e.com] [link]http://e.com (http://e.com) http://e.com/a&#46;b http://e.com?a&#46;b [a]://e.com x[s]://e.com",
        "a dot on the map, a dot com company; evil dot com/x",
    ],
)
def test_what_is_not_defanged_is_as_without_the_option(text: str) -> None:
    assert list(sieve(text, options=REFANG)) == list(sieve(text))


@pytest.mark.parametrize(
    ("text", "raws"),
    [
        # Part of something else, as names with dots are.
        ("a/evil[.]com @evil[.]com \\evil[.]com -evil[.]com .evil[.]com", []),
        ("evil[.]con evil[.]c 12[.]3[.]4[.]5a 1[.]2[.]3 evil[.]com_ x[.] [.]y a[at]b a(at)evil x@y", []),
        ("www.a.com and www[.]b.com", ["www.a.com", "www[.]b.com"]),
        (":evil[.]com _evil[.]com évil[.]com", ["evil[.]com", "_evil[.]com", "évil[.]com"]),
        ("evil [.] com [.] br and evil[.]com[.]", ["evil [.] com [.] br", "evil[.]com"]),
        ("12[.]3[.]4[.]5, 1.2.3[.]4:80/x", ["12[.]3[.]4[.]5", "1.2.3[.]4:80/x"]),
        ("a.b [@] c[.]com [.] de a [at] b.com", ["a.b [@] c[.]com [.] de", "a [at] b.com"]),
        ("x[at]evil[.]com[at]b ..[at]evil[.]com", ["x[at]evil[.]com", "evil[.]com"]),
        ("git@github[.]com:a/b.git @user@lemmy[.]world !c@lemmy[.]world user:pw@h[.]com", []),  # K10
        ("note:joe@evil[.]com a:pw[at]evil[.]com:21/", ["joe@evil[.]com", "evil[.]com:21/"]),
        ("foo[.]exe foo[.]internal a@foo[.]lan evil.example user@evil[.]lan", []),  # K13
        ("bad&#46; &#46;com a&b;c &#46;com/x bad&#47;com bad&#46;con", []),  # E13
        ("a dot on the map. The dot com boom; dot dot dot dash dot dot, dot com/ x", []),
        ("self dot foo dot name, item dot list dot py; a dot b dot Com, a dot b dot comx", []),
        ("a dot b dot com. Next, a.b dot com/x: a dot b dot com dot It", ["a dot b dot com", "a.b dot com/x"]),
        ("7hxxp://a.com +hxxp://a.com ahxxp://a.com x**p://a.co", ["hxxp://a.com"] * 2 + ["ahxxp://a.com"]),
    ],
)
def test_the_place_of_a_name(text: str, raws: list[str]) -> None:
    assert [raw for raw, _ in found(text, ALL)] == raws


def test_without_addresses_or_names() -> None:
    names = Options(refang="known-forms", schemeless="names")
    addresses = Options(refang="known-forms", email="addresses")
    www = Options(refang="known-forms", schemeless="www")
    text = "a[at]b[.]com x[.]com www[.]c.com ww[.]d.com www.e.com"
    assert [raw for raw, _ in found(text, names)] == ["b[.]com", "x[.]com", "www[.]c.com", "ww[.]d.com", "www.e.com"]
    assert [raw for raw, _ in found(text, addresses)] == ["a[at]b[.]com"]
    assert [raw for raw, _ in found(text, www)] == ["www[.]c.com", "www.e.com"]


@pytest.mark.parametrize(
    "text",
    ["hxxp://a[.]com/b", "http[:]//a.com", "a[.]com/b", "a[.]com", "a[at]b[.]com", "www.a[.]com", "http://a.com/b"],
)
def test_a_record_comes_soon(text: str) -> None:
    scanner = Scanner(ALL)
    assert [record.raw for record in scanner.feed(f"see {text} and some words more")] == [text]


def test_it_is_off_by_default() -> None:
    assert "refanged" not in [warning for record in extract("hxxp://evil.com") for warning in record.warnings]


def test_a_rejection_points_into_the_text() -> None:
    text = "see hxxp[:]//evil[.]com/%zz ok"
    (rejection,) = sieve(text, options=REFANG)
    assert isinstance(rejection, Rejection)
    assert rejection.raw == "hxxp[:]//evil[.]com/%zz"
    assert rejection.raw[rejection.offset :] == "%zz"


def test_excluded_and_listed_schemes() -> None:
    text = "hxxp://a[.]com hxxps://b[.]com"
    assert [uri for _, uri in found(text, Options(refang="known-forms", exclude_schemes={"http"}))] == [
        "https://b.com/"
    ]
    assert [uri for _, uri in found(text, Options(refang="known-forms", schemes={"http"}))] == ["http://a.com/"]


def test_a_candidate_has_a_limit() -> None:
    text = "hxxp://evil[.]com/" + "a" * 500 + " hxxp://b[.]com"
    values = list(sieve(text, options=Options(refang="known-forms", max_length=100)))
    assert [value.raw for value in values] == [text[:100], "hxxp://b[.]com"]
    assert isinstance(values[0], Rejection)
    assert values[0].reason == "too-long"


_PARTS = [
    *["h**p", "<", ">", '"', ",", "(at)", "[at]"],
    *["[s]", "h[tt]p", "[http]", "&#46;", "&", "#", " dot ", " DOT ", "dot", "d", "com/x"],
    *[
        "hxxp",
        "http",
        "hxxps",
        ":",
        "//",
        "[:]",
        "[://]",
        "[",
        "]",
        "(",
        ")",
        "/",
        "[.]",
        "(.)",
        "[dot]",
        " [.] ",
        " [at] ",
        "[:]",
        "[/]",
        "[.",
        ".]",
        "(at)",
        "[at]",
    ],
    *[
        "\\.",
        "\\",
        "evil",
        "com",
        "co",
        ".",
        "@",
        " ",
        "é",
        "www.",
        "x",
        "1",
        "{.}",
        "[ . ]",
        "h**p",
        "<",
        ">",
        '"',
        ",",
    ],
]


@given(st.lists(st.sampled_from(_PARTS), max_size=16).map("".join), st.sampled_from([REFANG, ALL]), st.data())
def test_cuts_change_nothing(text: str, options: Options, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=5)))
    whole = list(sieve(text, options=options))
    for places in ([0, *cuts, len(text)], list(range(len(text) + 1))):
        scanner = Scanner(options)
        values: list[Record | Rejection] = []
        for here, there in pairwise(places):
            values += scanner.feed(text[here:there])
        assert values + scanner.close() == whole
    for value, following in pairwise([*whole, None]):
        assert value is not None
        assert value.raw == text[value.start : value.end]
        assert following is None or value.end <= following.start


@given(strategies.canonical_like_links())
def test_a_defanged_link_is_the_link(link: str) -> None:
    text = f" {link} "
    expected = [(record.uri, record.kind) for record in extract(text)]
    scheme, colon, rest = link.partition("://")
    if not colon or scheme not in ("http", "https") or "[" in rest or "(" in rest or "{" in rest:
        return
    authority, slash, path = rest.partition("/")
    defanged = f" {scheme.replace('tt', 'xx')}[:]//{authority.replace('.', '[.]')}{slash}{path} "
    if expected and len(list(extract(text))) == 1:
        assert [(record.uri, record.kind) for record in extract(defanged, options=REFANG)] == expected


@pytest.mark.parametrize(
    "unit",
    [
        "hxxp://",
        "[.]",
        "a[.]",
        "a[.]com",
        "(hxxp://a[.]b)",
        "hxxp[:]",
        "[at]",
        "a[at]",
        "\\.",
        "[:]//",
        "http://a(",
        "a.b@c[.]",
        "hxxp://a[.]b/(",
        "[s]",
        "h[tt]p://",
        "[http]",
        "&#46;",
        "a&#46;",
        "hxxp://a&#",
        " dot a",
        "a dot b dot com ",
        "dot ",
    ],
)
def test_linear_time(unit: str) -> None:
    def run(text: str) -> None:
        scanner = Scanner(ALL)
        for at in range(0, len(text), 65_536):
            scanner.feed(text[at : at + 65_536])
        scanner.close()

    assert_linear(run, repeated(unit), 40_000)


def test_a_name_that_ends_before_its_mark_is_found_once() -> None:
    options = Options(refang="known-forms", schemeless="names")
    for text in ("=www.a.com[.]<", "see www.a.com[.] and www.b.com[.]<http://c.example/>"):
        found = [record.uri for record in extract(text, options=options)]
        assert found == [f"http://{name}/" for name in ("www.a.com", "www.b.com", "c.example") if name in text]
