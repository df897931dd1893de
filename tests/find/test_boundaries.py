"""Where identifiers begin and end in text: what must be found, what must be rejected, and what is nothing.

Most rows are those of `samples/data/boundaries.jsonl`. Here are those that state more than what is found, need
options, or have many cases in one text, in the notation of `marked_rows`.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.helpers.boundary_rows import BOUNDARIES, marked
from tests.helpers.marked_rows import Row, holds, sieved
from urisieve import Options, Record, Rejection

SCHEMES = (
    Row("|HTTP://Example.COM/A|", "any case", uris="http://example.com/A"),
    Row("|a.b-c://example.com/|", "no part is known: the whole run", warnings="unregistered-scheme"),
    Row("|soap.beep://example.com/|", "a known scheme with a dot in it stays whole", warnings=""),
    Row("|view-source://example.com/|", "one with a hyphen too", warnings=""),
    Row("|git+ssh://git@example.com/r.git|", warnings="unregistered-scheme userinfo-present"),
    Row("text|http://example.com/|", "A12: a name of the web ends a run of letters", warnings="scheme-cut"),
    Row("foo.|bar://example.com/|", "the user does", warnings="", options=Options(known_schemes={"bar"})),
)

CURATED = (
    Row("INFO:root:x data:12 12:30 C:/Users std::string key:value"),
    Row("http:example.com https:/example.com foo:/a foo:bar", "only `//` makes these"),
    Row("http:// and https:// and foo://", "nothing follows"),
    Row("a |urn:isbn:0451450523| b", "urn: and urn:x and urn:isbn: are nothing"),
    Row("an urn: a vase; Urn:x; urn:isbn: 12"),
    Row("|mailto:a.b@example.com|, ok"),
    Row("|mailto:?subject=hello| ok", warnings="empty-address"),
    Row("mailto:nobody mailto:@example.com mailto: a@example.com"),
    Row("|tel:+1-816-555-1212| |tel:5551212| |tel:(030)1234|"),
    Row("tel:x tel: 12345 tel:12"),
    Row("|sms:+15105550101?body=hi| sms:it"),
    Row("|sip:bob@example.com;transport=tcp| |sips:example.com| sip:bob sips:up"),
    Row("|news:comp.lang.c| |news:a.1@example.com| news:flash news:x"),
    Row("|data:text/plain;charset=utf-8;base64,SGk=| |data:text/html,x| data:image/png data:text"),
    Row("|cid:foo.1@example.com| |mid:a@b.example/c@d| cid:foo mid:night"),
    Row("|xmpp:a@example.com| |acct:a@example.com| |im:a@example.com| xmpp:a acct:4711"),
    Row("|geo:48.2,16.3| |geo:48.2,16.3;u=40| geo:48 geo:metry"),
    Row("|magnet:?xt=urn:btih:c12fe1c06bba254a9dc9f519b335aa7c1367a88a| magnet:x magnet:?"),
    Row("|doi:10.1000/182| doi:abc doi:10 doi:11.1000/182 doi:10.1000/"),
    Row("|tag:example.com,2004:x| tag:blue tag:a,b"),
    Row("|did:example:123| did:not did:x"),
    Row("|info:doi/10.1000/182| info:hello info:x/y"),
    Row("|bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W| bitcoin:up"),
    Row("|file:/etc/motd| |file:///etc/motd| file:x file:"),
    Row("|about:blank| about:x about:you"),
    Row("|oid:2.16.840| oid:1"),
    Row("|opaquelocktoken:f81d4fae-7dec-11d0-a765-00a0c91e6bf6| opaquelocktoken:x"),
)

CHOSEN = (
    Row("|http://example.com/| made-up://example.com/", "registered only", options=Options(schemes="registered")),
    Row(
        "|made-up://example.com/|",
        "or known to the user",
        options=Options(schemes="registered", known_schemes={"made-up"}),
    ),
    Row(
        "|key:value|, C:/Users 12:30 x: y ✗INFO:root:x✗",
        "any, so `info:` too, but for single letters",
        reasons="scheme-syntax",
        options=Options(schemes="any"),
    ),
    Row("URL:|http://example.com/a|", "a prefix, no scheme", options=Options(schemes="any")),
    Row(
        "2018-03-06T10:02:07 3rd:place 3r+d:place 4ab://c 3Dxy:c |http2:x| 3|tel:1| 2.|foo:b| |x2-foo:b|",
        "no unknown scheme directly after a digit",
        options=Options(schemes="any"),
    ),
    Row("3ab://c |ab3://c| 4.|ab://c| 3|foo://c|", "by the default too", options=Options(known_schemes={"foo"})),
    Row("|foo:bar| http://example.com/ mailto:a@example.com", "a list", options=Options(schemes={"foo"})),
    Row("|FOO://bar| x-|foo://a/|", "a name is its own in any case", options=Options(schemes={"Foo"})),
    Row("|http://example.com/| ftp://example.com/", "exclusion", options=Options(exclude_schemes={"ftp"})),
    Row("mailto:a@example.com urn:example:a", options=Options(exclude_schemes={"mailto", "urn"})),
    Row("http://example.com/ |https://example.com/|", options=Options(exclude_schemes={"http"})),
    Row("|foo:a| key:b", options=Options(schemes={"foo", "key"}, exclude_schemes={"key"})),
)

EXTENT = (
    Row("[|http://[2001:db8::1]/|] x", wrappers="[]"),
    Row("|http://user:pw@example.com:81/| x", warnings="userinfo-present password-present"),
    Row("|http://éclair.example/été| x", uris="http://xn--clair-9ra.example/%C3%A9t%C3%A9"),
    Row('{"u":"|http:\\/\\/example.com\\/a|"}', "escaped slashes", warnings="unescaped", uris="http://example.com/a"),
)

URNS = (
    Row("<|urn:example:a|> |URN:Example:A|", uris="urn:example:a urn:example:A"),
    Row("(|urn:example:a(b)|) x", wrappers="()"),
    Row("|urn:example:a/b#d| x", warnings="reserved-character"),
    Row("|urn:example:a/b?c#d| x", warnings="reserved-character invalid-in-8141"),
    Row("|urn:example:a%00| x", warnings="percent-encoded-null"),
)
_NEW = Options(urn_syntax="rfc8141")
URNS_8141 = (
    Row("|urn:example:a~b&c| x"),
    Row("|urn:example:a|[b] |urn:example:a|é"),
    Row("|urn:example:a/b| x", warnings=""),
    Row("|urn:example:a?=b&c#~| x", warnings="invalid-in-2141"),
    Row("|urn:example:a?+r?x?=q?y#f| x"),
    Row("|urn:example:a#| x", "an empty f-component"),
    Row("✗urn:example:a?b✗ x", reasons="bad-urn-component"),
    Row("✗urn:example:a?+✗ x", reasons="bad-urn-component"),
    Row("✗urn:example:a?=#f✗ x", reasons="bad-urn-component"),
    Row("✗urn:example:/a✗ x", reasons="empty-nss"),
    Row("✗urn:a:b✗ x", "two characters at least", reasons="bad-nid"),
    Row("✗urn:ab-:x✗ x", reasons="bad-nid"),
    Row("|urn:example:a|?", "a question", uris="urn:example:a"),
)

WRAPPED = (
    Row('(see "|http://example.com/b|") ("|http://example.com/b|").', "a bracket after the mark", wrappers='"" ""'),
    Row("<|http://example.com/a|>", wrappers="<>"),
    Row("<|http://example.com/a.|>", "nothing is trimmed inside", wrappers="<>"),
    Row('"|http://example.com/a,|"', wrappers='""'),
    Row("<|http://example.com/a)|> <|http://example.com/a(|>", wrappers="<> <>"),
    Row("<|http://example.com/a&gt;|>", wrappers="<>"),
    Row("<|urn:example:a.|>", wrappers="<>"),
    Row("(|http://example.com/a|.)", "elsewhere it is", wrappers="()"),
    Row("'|http://example.com/a|.'", wrappers="''"),
    Row("“|http://example.com/a|,” he said", wrappers="“”"),
    Row("<|http://example.com/a| x", "never closed: bare", wrappers="-"),
    Row("<|http://example.com/a|.", wrappers="-"),
    Row('"|http://example.com/a|. More', wrappers="-"),
    Row('He wrote "see |http://example.com/a|."', "an opener further off", wrappers="-"),
    Row("(see |http://example.com/a|) x", wrappers="-"),
    Row("< |http://example.com/a| >", wrappers="-"),
    Row('"|http://example.com/a| is down"', "white space ends it in quotes", wrappers="-"),
    Row('<|http://example.com/a| "title">', "not one identifier inside", wrappers="-"),
    Row("<|http://example.com/a|¦label>", wrappers="-"),
    Row("(|http://example.com/a|] x", "not its closer", wrappers="-"),
    Row('"|http://example.com/a|","|http://example.com/b|"', wrappers='"" ""'),
    Row("'|http://example.com/a|','b'", "the first quote closes", wrappers="''"),
    Row("'|http://example.com/a|'s", wrappers="''"),
    Row("'|https://en.example/wiki/Earth's_rotation|', x", "E11", wrappers="''"),
    Row("'|http://example.com/a|'.", wrappers="''"),
    Row("|http://example.com/a's| x", "an apostrophe", wrappers="-"),
    Row("<a href='|http://example.com/a|'>t</a>", wrappers="''"),
    Row("<a href=|http://example.com/a|>t</a>", wrappers="-"),
    Row("[t](|http://example.com/a_(b)|) x", wrappers="()"),
    Row("[|http://a.example/|](|http://b.example/|)", wrappers="[] ()"),
    Row("{|http://example.com/a|} \\url{|http://example.com/b|}", wrappers="{} {}"),
)

PREFIXED = (
    Row("<URL:|http://example.com/a.|>", wrappers="<>"),
    Row("<URL: |http://example.com/a| >", wrappers="<>", warnings=""),
    Row("<url:\n  |http://example.com/a|>", wrappers="<>", warnings=""),
    Row("<Url:|mailto:a@example.com|>", wrappers="<>"),
    Row("<URL:|http://example.com/a\n b|>", wrappers="<>", warnings="whitespace-removed"),
    Row('"URL:|http://example.com/a.|"', wrappers='""'),
    Row("(URL: |http://example.com/a|)", wrappers="()"),
    Row("URL:|http://example.com/a| ok", wrappers="-"),
    Row("see URL: |http://example.com/a|. Ok", wrappers="-"),
    Row("<CURL:|http://example.com/a| x>", "another word", wrappers="-"),
    Row("<URL:x |http://example.com/a|>", "nothing but white space between", wrappers="-"),
)

SPACED = (
    Row("<|http://example.com/a b|>", uris="http://example.com/ab", warnings="whitespace-removed"),
    Row("<|http://exa\n\t mple.com/a\r\n /b|>", uris="http://example.com/a/b", warnings="whitespace-removed"),
    Row("<|http://example.com/a| >", "white space before the closer is none inside", warnings="", wrappers="<>"),
    Row("<|urn:example:a\n  b|>", uris="urn:example:ab", warnings="whitespace-removed"),
    Row("<|mailto:a@exam\nple.com|>", uris="mailto:a@example.com"),
    Row("<|http://a.example/| |http://b.example/|>", "two are not joined", warnings=""),
    Row("<|http://example.com/a|\n|urn:example:b|\n|mailto:a@example.com|>", "nor these", warnings=""),
    Row(
        "|http://example.com/a-|\nb",
        "bare: never across white space; K12",
        warnings="may-be-shortened",
        alternatives="http://example.com/a-b",
    ),
    Row(
        "<|http://example.com/a-\n  b|>",
        uris="http://example.com/a-b",
        warnings="whitespace-removed hyphen-at-line-break",
        alternatives="http://example.com/ab",
    ),
    Row(
        "<|http://example.com/a-\nb-\nc|>",
        uris="http://example.com/a-b-c",
        warnings="whitespace-removed hyphen-at-line-break",
        alternatives="http://example.com/ab-c http://example.com/a-bc http://example.com/abc",
    ),
    Row(
        "<|http://example.com/a- b|>",
        "a hyphen, but no line break",
        uris="http://example.com/a-b",
        warnings="whitespace-removed",
        alternatives="",
    ),
    Row("<|http://example.com/a-b\nc|>", "a break, but no hyphen", warnings="whitespace-removed", alternatives=""),
)

TRIMMED = (
    Row("|http://example.com/a|.) |http://example.com/b|). x"),
    Row("|http://example.com/|. |http://example.com/./| x"),
    Row("|http://fr.example.org/L\u2019\u00e9t\u00e9| |http://example.org/a\u2013b| x"),
    Row("|http://example.com/*| |http://example.com/_| |http://example.com/~| x", "none before"),
    Row("*|http://example.com/a_| _|http://example.com/a*| x", "another one before"),
    Row("|http://example.com/a|&#62; |http://example.com/b|&#x3E;. |http://example.com/c|&quot;&gt; x"),
    Row("http://... https://! foo://'", "nothing is left"),
    Row("|mailto:a@example.com|, |tel:+15551212|; |news:comp.lang.c|."),
)

BALANCED = (
    Row("(|http://example.com/a_(b)|) x", wrappers="()"),
    Row("[|http://example.com/a|] [|http://example.com/?a|] x"),
    Row("{|http://example.com/a|} |http://example.com/b|{c} x"),
    Row("（|http://example.com/日本|）の", wrappers="（）"),
    Row("「|http://example.com/「a」|」と", wrappers="「」"),
    Row("|http://example.com/|(「a））」 x", "E4: it opens prose", warnings="text-follows"),
)

ORDERED = (
    Row("|http://example.com/a/../b/./c| x", "found in text, canonical all the same", uris="http://example.com/b/c"),
    Row(
        "|http://example.com:80| |http://example.com./%7e| |https://example.com/%c3%a9#| x",
        uris="http://example.com/ http://example.com./~ https://example.com/%C3%A9#",
    ),
    Row("|http://a.example/|\n|urn:example:a|\r\n\t|mailto:a@example.com|"),
    Row('|http://a.example/|"|http://b.example/|<|http://c.example/|'),
    Row("✗http://a.example/%zz✗ |http://b.example/| ✗urn:urn:a✗", reasons="bad-percent-encoding reserved-nid"),
    Row("|http://a.example/|}|http://b.example/|\u2014|http://c.example/|"),
)

_WWW = Options(schemeless="www")
SCHEMELESS = (
    Row("see |www.example.com/a|, ok", uris="http://www.example.com/a", warnings="scheme-assumed"),
    Row("(|WWW.Example.com|) ok", uris="http://www.example.com/", wrappers="()"),
    Row("<|www.example.com/a b|>", uris="http://www.example.com/ab", warnings="scheme-assumed whitespace-removed"),
    Row("|http://www.example.com/| x", "one of its own", warnings=""),
    Row("www.example www. xwww.example.com a.www.example.com a@www.example.com", "no such reference"),
    Row("example.com/a |www.a.example|.", "only `www.`"),
)
_MAIL = Options(email="addresses")
ADDRESSES = (
    Row("write to |a.b+c@example.com|.", uris="mailto:a.b+c@example.com", warnings="scheme-assumed", wrappers="-"),
    Row("(|a@b.example|) (|a@b.example|. <|a@b.example|) |a@b.example|", wrappers="() - - -"),
    Row("<|A@Example.COM|>, x", uris="mailto:A@example.com", wrappers="<>"),
    Row("|mailto:a@example.com| x", "one of its own", warnings=""),
    Row("a@b a@example a@@example.com @example.com a@ .@example.com a..b@example.com", "no address"),
    Row("|http://a@example.com/| x", "userinfo", warnings="userinfo-present"),
    Row(f"|{'a' * 64}@b.example| {'a' * 65}@b.example", "RFC 5321 4.5.3.1.1: a local part has 64 octets"),
    Row(f"|{'a.' * 31}bc@b.example| {'a.' * 31}bcd@b.example é{'a' * 63}@b.example", "nor is the end of a longer one"),
    Row(f"a.{'b' * 64}@b.example x-{'b' * 64}@b.example x{'-b' * 32}@b.example .|{'b' * 64}@b.example|"),
    Row(f"name{'.' * 70}|b@b.example| {'-' * 70}|b@b.example| (|{'b' * 64}@b.example|)", "leaders and rules"),
    Row("|a@müller.example|: x", uris="mailto:a@xn--mller-kva.example"),
    Row("a@… a@« a@…. x", "punctuation alone"),
    # E10
    Row("user=|joe@example.com| x", warnings="scheme-assumed", alternatives="mailto:user%3Djoe@example.com"),
    Row("level=info mail-from=|a.b@example.com|, x", alternatives="mailto:mail-from%3Da.b@example.com"),
    Row(
        "email='|joe@example.com|' x", "the wrapper says it", wrappers="''", warnings="scheme-assumed", alternatives=""
    ),
    Row("k=`|joe@example.com|` k={|joe@example.com|} '|o'brien@example.com|' x", wrappers="`` {} ''", alternatives=""),
    Row("user='|joe@example.com| x", "it does not close", alternatives="mailto:user%3D'joe@example.com"),
    Row(
        "/?a=b&email=|joe@example.com|&c=d",
        warnings="scheme-assumed text-follows",
        alternatives="mailto:a%3Db%26email%3Djoe@example.com mailto:joe@example.com&c=d",
    ),
    Row("--to=|joe@example.com| x", alternatives="mailto:to%3Djoe@example.com"),
    Row("|a+b=c.org@list.example| x", "to whom a list sent", uris="mailto:a+b%3Dc.org@list.example", alternatives=""),
    Row("|bounces-joe=e.example@list.example| |joe=c.org@list.example| |a+b=c@d.example| x", alternatives=""),
    Row("|SRS0=HHH=TT=c.org=joe@d.example| |prvs=0123=joe@d.example| |user=@d.example| x", alternatives=""),
)
_REPAIR = Options(repair="encode")
REPAIRED = (
    Row("|http://example.com/a[1]| x", uris="http://example.com/a%5B1%5D", warnings="repaired"),
    Row("|http://example.com/?a[]=1| x", uris="http://example.com/?a%5B%5D=1", warnings="repaired"),
    Row("|http://example.com/100%zz| x", uris="http://example.com/100%25zz", warnings="repaired"),
    Row("|http://example.com/{a}^¦`\\x| x", uris="http://example.com/%7Ba%7D%5E%7C%60%5Cx", warnings="repaired"),
    Row("{|http://example.com/a|} {|http://example.com/{a}|} x", warnings="repaired"),
    Row("<|http://example.com/a b|>", "a blank in a wrapper", uris="http://example.com/a%20b", warnings="repaired"),
    Row('"|http://example.com/a b|"', uris="http://example.com/a%20b", warnings="repaired"),
    Row("<|http://example.com/a\n  b|>", "a line break is none", uris="http://example.com/ab"),
    Row("|http://[::1]/| x", "a host keeps its brackets", warnings=""),
    Row("|http://example.com/%41%5b| x", "what is right stays", uris="http://example.com/A%5B", warnings=""),
    Row("✗http://[1::2::3]/✗ ✗http://example.com:x/✗", "no host is invented", reasons="bad-ip-literal bad-port"),
    Row("|http://example.com/a| b", "bare: white space ends it", warnings=""),
)
_SHORT = Options(max_length=64)
_LONG = "http://example.com/" + "a" * 45  # 64 characters
TOO_LONG = (
    Row(f"|{_LONG}| x", "just not"),
    Row(f"✗{_LONG}✗aaa x |http://example.com/|", "the rest is passed over", reasons="too-long"),
    Row(f"✗{_LONG}✗/http://example.com/ x", "with all that stands in it", reasons="too-long"),
    Row(f"<✗{_LONG}✗a> |http://example.com/|", reasons="too-long"),
    Row(f"✗urn:example:{'a' * 52}✗a&|urn:example:b|", reasons="too-long"),
    Row(f"✗{_LONG}✗{'a' * 500} x", "whatever its length", reasons="too-long"),
    Row(f"✗{_LONG}✗(URL: |http://example.com/|) x", "a wrapper in it", wrappers="()", reasons="too-long"),
    Row(f": ✗{_LONG}✗a |http://example.com/|", "a colon before everything", reasons="too-long"),
)


def _with(options: Options, table: Iterable[Row]) -> tuple[Row, ...]:
    return tuple(row._replace(options=options) for row in table)


OWN = {
    "file": tuple(map(marked, BOUNDARIES)),
    "scheme": SCHEMES,
    "curated": CURATED,
    "chosen": CHOSEN,
    "extent": EXTENT,
    "urn": URNS,
    "urn8141": _with(_NEW, URNS_8141),
    "wrapped": WRAPPED,
    "prefixed": PREFIXED,
    "spaced": SPACED,
    "trimmed": TRIMMED,
    "balanced": BALANCED,
    "ordered": ORDERED,
    "schemeless": _with(_WWW, SCHEMELESS),
    "address": _with(_MAIL, ADDRESSES),
    "repaired": _with(_REPAIR, REPAIRED),
    "too-long": _with(_SHORT, TOO_LONG),
}


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=f"{name}-{place}") for name, table in OWN.items() for place, row in enumerate(table)]
)
def test_own_row(row: Row) -> None:
    holds(row)


def _characters(text: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("character", text, ids=[f"U+{ord(character):04X}" for character in text])


SPACES = (
    "\t\n\v\f\r \x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\u200b\ufeff"
)
BIDI_CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
STOPS = "。．｡！？，、､；："
NEVER = '<>"\\^{|}`\0\x01\x1b\x1f\x7f\x80\x9f' + "\ufdd0\ufdef\ufff9\ufffd\ufffe\uffff\U0001fffe\U0010ffff" + "\u2014"


@_characters(SPACES + BIDI_CONTROLS + STOPS + NEVER)
def test_always_an_end(character: str) -> None:
    for head in ("http://example.com/a", "http://example.com/?a", "http://example"):
        found = sieved(f"{head}{character}.b/c x")
        assert [(value.raw, type(value)) for value in found] == [(head, Record)]


@_characters(SPACES)
def test_white_space_inside_angle_brackets(character: str) -> None:
    inside = f"http://exa{character}mple.com/a{character}{character}b"
    (record,) = sieved(f"<{inside}>")
    assert isinstance(record, Record)
    assert (record.raw, record.uri, record.wrapper) == (inside, "http://example.com/ab", "<>")
    assert record.warnings == ("whitespace-removed",)
    hidden = character in "\u200b\ufeff"  # in a host these are removed
    assert [value.raw for value in sieved(f'"{inside}"')] == [
        inside[: inside.index("/a") + 2] if hidden else "http://exa"
    ]


@pytest.mark.parametrize(
    "marked",
    ["<|urn:isbn:\n 0451450523|>", "<|mailto:a-\nb@example.com|>", "<|tel:+1\n816 555|>", "<|doi:10.1000\n/182|>"],
)
def test_white_space_early_inside_angle_brackets(marked: str) -> None:
    holds(Row(marked))


@_characters(BIDI_CONTROLS)
def test_bidi_controls_around_an_iri_are_outside(character: str) -> None:
    (record,) = sieved(f"{character}http://example.com/אב{character} x")
    assert record.raw == "http://example.com/אב"


@_characters(".,;:!?'" + "…·†‡•‰‽¡¿§¶।؟،" + "”’»›" + "–‐‑‒―")
def test_trimmed_at_the_end_only(character: str) -> None:
    holds(Row(f"|http://example.com/a|{character} x"))
    holds(Row(f"|http://example.com/a|{character * 3}. x"))
    holds(Row(f"|http://example.com/a{character}b| x"))


@_characters("„‚“‘«‹" + "（《＜")
def test_openers_are_trimmed_too(character: str) -> None:
    holds(Row(f"|http://example.com/a|{character} x"))
    holds(Row(f"|http://example.com/a|{character}. x"))


@_characters("－｜～")
def test_a_character_between_those_that_end_an_iri(character: str) -> None:
    holds(Row(f"|http://example.com/a{character}b| x"))


@_characters("-/=&#_~@$+*" + "é漢")
def test_never_trimmed(character: str) -> None:
    holds(Row(f"|http://example.com/a{character}| x"))
    holds(Row(f"|http://example.com/a{character}|. x"))


WRAPPERS = [
    "<>",
    '""',
    "''",
    "``",
    "()",
    "[]",
    "{}",
    "“”",
    "‘’",
    "«»",
    "‹›",
    "„“",
    "‚‘",
    "»«",
    "›‹",
    "「」",
    "『』",
    "（）",
    "【】",
    "《》",
    "〈〉",
    "＜＞",
]


def _wrapped(wrapper: str, prefix: str, identifier: str) -> None:
    opener, closer = wrapper[0], wrapper[1]
    behind = "." if wrapper == "''" else "y"  # an apostrophe before a letter closes nothing
    for before, after in (("", ""), ("x", behind), ("see ", ", ok")):
        (record,) = sieved(f"{before}{opener}{prefix}{identifier}{closer}{after}")
        assert isinstance(record, Record)
        assert (record.raw, record.wrapper) == (identifier, wrapper)


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("prefix", ["", "URL:", "url: "])
def test_wrapper(wrapper: str, prefix: str) -> None:
    for identifier in ("http://example.com/a", "urn:example:a", "mailto:a@example.com", "http://例え.jp/に"):
        _wrapped(wrapper, prefix, identifier)


def test_a_rejection_without_a_scheme_points_into_the_text() -> None:
    holds(Row("✗www.example.com/%zz✗ x", reasons="bad-percent-encoding", options=_WWW))
    (rejection,) = sieved("see www.example.com:8x/ ok", _WWW)
    assert isinstance(rejection, Rejection)
    assert (rejection.component, rejection.raw[rejection.offset]) == ("port", "x")


BRACKETS = [
    "()",
    "（）",
    "［］",
    "｛｝",
    "「」",
    "『』",
    "｢｣",
    "【】",
    "〔〕",
    "〖〗",
    "《》",
    "〈〉",
    "⟨⟩",
    "⟪⟫",
    "＜＞",
]


@pytest.mark.parametrize("pair", BRACKETS)
def test_brackets_are_counted(pair: str) -> None:
    opener, closer = pair[0], pair[1]
    holds(Row(f"|http://example.com/a{opener}b{closer}c| x"))
    holds(Row(f"|http://example.com/a{opener}b{opener}c{closer}{closer}|{closer} x"))
    holds(Row(f"|http://example.com/a|{closer}b{opener} x"))
    holds(Row(f"|http://example.com/a|{opener}{opener} x"))
    holds(Row(f"{opener}|http://example.com/a|{closer}b x"))


def test_nested_by_option() -> None:
    text = "see http://web.example/a/http://b.example/c|x and magnet:?xt=urn:btih:c12f"
    assert [(value.start, value.end) for value in sieved(text)] == [(4, 43), (50, 74)]
    found = sieved(text, Options(nested="report"))
    assert [(value.raw, value.start) for value in found] == [
        ("http://web.example/a/http://b.example/c", 4),
        ("http://b.example/c", 25),
        ("magnet:?xt=urn:btih:c12f", 50),
        ("urn:btih:c12f", 61),
    ]
    assert [isinstance(value, Record) and "nested" in value.warnings for value in found] == [False, True, False, True]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("http://a.example/http://b.example/http://c.example/", 3),
        ("http://a.example/?u=http%3A%2F%2Fb.example%2F", 1),
        ("http://a.example/" * 5, 5),
        ("http://a.example/" * 6, 5),
    ],
)
def test_nested_to_a_depth_of_five(text: str, found: int) -> None:
    values = sieved(text, Options(nested="report"))
    assert len(values) == found
    assert all(value.end <= values[0].end for value in values)


def test_nested_addresses() -> None:
    values = sieved("sip:a@b.example:5060 x", Options(nested="report", email="addresses"))
    assert [value.raw for value in values] == ["sip:a@b.example:5060", "a@b.example"]


def test_the_own_table_is_large() -> None:
    assert sum(len(table) for table in OWN.values()) >= 80
