"""Text without blanks, and every other place where a bare candidate ends although the text goes on.

The notation is that of `marked_rows`; the number before a row is that of the trial that it came from. Beside each row
that was wrong stand rows that must stay as they are.
"""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.marked_rows import Row, holds
from urisieve import Record, sieve
from urisieve.find.ends.unspaced import is_complete
from urisieve.rules.registry import top_level_domains
from urisieve.syntax.host import dns_host
from urisieve.syntax.iri import encoded

FOLLOWS = "text-follows"
STOPS = "stops-at-excluded"
SHORTENED = "may-be-shortened"
SECOND = "second-scheme"
INVISIBLE = "invisible-removed look-alike-host"

ROWS: dict[str, tuple[Row, ...]] = {
    "E1": (
        Row("|http://[::1]|を開く", "behind a bracket stands a port or a slash", warnings=FOLLOWS),
        Row("ブラウザで|http://localhost:3000|を開く", warnings=FOLLOWS, alternatives=""),
        Row("|http://localhost:3000|에서", warnings=FOLLOWS),
        Row("访问 |http://localhost:8080|（Nginx）", warnings=FOLLOWS),
        Row("|http://10.0.0.1:8080|(admin) x", warnings=FOLLOWS),
        Row("|http://[::1]:8080|を開く", warnings=FOLLOWS),
        Row("|redis://cache:6379|で", "any scheme", warnings=FOLLOWS),
        Row("✗http://e.example:80ab/✗ ✗http://e.example:80:80/✗", reasons="bad-port bad-port"),
        Row(
            '"|http://[::1]:80|,|http://[::2]:81|" "✗urn:isbn:%[;http://✗"',
            warnings=FOLLOWS,
            reasons="bad-percent-encoding",
        ),
        Row("|http://e.example:8080/| |http://e.example:8080?a| |http://e.example:8080|, x", warnings=""),
        Row("<✗http://localhost:3000を✗>", "delimited is whole", reasons="bad-port"),
        Row("|http://joe:12を@e.example/|", "no port", warnings="userinfo-present password-present"),
    ),
    "E2": (
        Row("|http://portal.azure.com|에서", warnings=FOLLOWS, alternatives="http://portal.azure.xn--com-k94n91q/"),
        Row("公式サイト|http://example.co.jp|をご覧", warnings=FOLLOWS),
        Row("|http://a.com|的网站 |http://a.com|→b |http://a.com|※注", warnings=f"{FOLLOWS} {FOLLOWS} {FOLLOWS}"),
        Row("|http://localhost|を |http://printer.local|에서", warnings=f"{FOLLOWS} {FOLLOWS}"),
        Row("|http://192.168.0.1|を開く", "an address is a whole host", warnings=FOLLOWS),
        Row("|http://a.com|や|http://b.com|を", "each ends before the next", warnings=f"{FOLLOWS} {FOLLOWS}"),
        Row("|http://例え.jp|を見る", "the other labels may be of any script", warnings=FOLLOWS),
        Row("|mailto:joe@example.com|まで", "the domain of an address too", warnings=FOLLOWS),
        Row("（|http://example.jp|を参照）", "a bracket is no exact wrapper", warnings=FOLLOWS, wrappers="-"),
        Row("|http://例え.テスト/| |http://bücher.example/ä| |http://例え.jp/|", "hosts of other scripts", warnings=""),
        Row(
            "|http://a.com|.を見る |http://10.0.0.1|.次へ", "a sentence behind the dot", warnings=f"{FOLLOWS} {FOLLOWS}"
        ),
        Row("|http://foo.みんな/| |http://www.例え.invalid/|", "labels of hosts", warnings=""),
        Row("|http://test.österreich.lan/| |http://example.αβγ.corp/|", "labels of hosts", warnings=""),
        Row("|http://comédie.fr/x| |http://www.infoés.com/| |http://tvnär.se|", "in Latin, too", warnings=""),
        Row("|http://serverを開く|", "not decided", warnings=FOLLOWS, alternatives="http://server/"),
        Row("|http://www.tv東京.jp/|", "not decided", warnings=FOLLOWS, alternatives="http://www.tv/"),
        Row("<|http://a.com的网站|>", "delimited is whole", warnings=""),
    ),
    "E3": (
        Row("|redis://cache|（本番） |smb://server|（x）", "any scheme", warnings=f"{FOLLOWS} {FOLLOWS}"),
        Row("|http://a.com|（公式サイト）は", warnings=FOLLOWS),
        Row("|http://a.com|「公式」", warnings=FOLLOWS),
        Row("|http://a.com|(site) x", warnings=FOLLOWS),
        Row("|http://a.com|;x x", warnings=FOLLOWS),
        Row("|http://a.com|; x |http://a.com|( x", "trimmed", warnings=""),
        Row("|http://u(a)b@e.example/| |http://u;a@e.example/|", warnings="userinfo-present userinfo-present"),
        Row("✗http://www.(site).com/✗ ✗http://s(1-3).e.example/x✗", "templates", reasons="host-label host-label"),
        Row("|foo://a(b)/x|", "a name that is not of the DNS may hold it", warnings="unregistered-scheme"),
        Row("(|http://a.com|) [|http://a.com|]", wrappers="() []", warnings=""),
    ),
    "E4": (
        Row(
            "|https://docs.example/faq|（API）は |https://e.example/8742|（commits）です",
            warnings=f"{FOLLOWS} {FOLLOWS}",
        ),
        Row(
            "|https://e.example/（名）/x.git| x",
            "the path goes on",
            warnings=FOLLOWS,
            alternatives="https://e.example/",
        ),
        Row("“请访问|https://x.example/a|”获取", "a quotation mark that opened before it", warnings=FOLLOWS),
        Row("|https://x.example/l‘école|", "one in a word", warnings=""),
        Row(
            "|https://docs.example/faq|（APIの速度）",
            warnings=FOLLOWS,
            alternatives="https://docs.example/faq%EF%BC%88API%E3%81%AE%E9%80%9F%E5%BA%A6%EF%BC%89",
        ),
        Row("|https://docs.example/|（Your First Call）", warnings=FOLLOWS),
        Row("|https://e.example/pull/8742|（2 commits）", warnings=FOLLOWS),
        Row("|https://e.example/a|「引用」 |https://e.example/?a=b|“引用”", warnings=f"{FOLLOWS} {FOLLOWS}"),
        Row("|https://e.example/wiki/【我推的孩子】| |https://e.example/wiki/《書》|", warnings=""),
        Row("|https://e.example/a/不動産株式会社（新築）/b|", "behind letters of its own script", warnings=""),
        Row(
            "|https://e.example/a（b）c|",
            "ASCII inside: not decided",
            warnings=FOLLOWS,
            alternatives="https://e.example/a",
        ),
        Row("|https://e.example/Hawai‘i|", "a letter of a name", warnings=""),
        Row("（|https://e.example/a|）x 「|https://e.example/b|」", wrappers="（） 「」", warnings=""),
    ),
    "E5": (
        Row("|https://x.example/Foo_(bar)を参照| x", warnings=FOLLOWS, alternatives="https://x.example/Foo_(bar)"),
        Row("|https://x.example/вики| |https://x.example/אב|", "scripts with blanks begin names", warnings=""),
        Row(
            "|https://x.example/LCP%2007.%20传递信息/a.png| |https://x.example/a%20名|", "an encoded blank", warnings=""
        ),
        Row("|https://x.example/LCP07传递| |https://x.example/a%30名|", warnings=f"{FOLLOWS} {FOLLOWS}"),
        Row("|https://x.example/1735에|", warnings=FOLLOWS, alternatives="https://x.example/1735"),
        Row("|https://x.example/aを見る|", warnings=FOLLOWS, alternatives="https://x.example/a"),
        Row("|https://x.example/をご覧| x", warnings=FOLLOWS, alternatives="https://x.example/"),
        Row("|https://x.example/v1或https| x", "what follows may be ASCII again", warnings=FOLLOWS),
        Row("|https://x.example/のa| x", "Hiragana begins no name", warnings=FOLLOWS),
        Row("|https://x.example/?id=5를| x", "in the query, too", warnings=FOLLOWS),
        Row("|https://x.example/日本/史a日本| x", "a script that was there before", warnings=""),
        Row("|https://x.example/東京/a| |https://x.example/?q=東京| |https://x.example/#節|", warnings=""),
        Row("|https://x.example/tag-東京| |https://x.example/Köln| |https://x.example/1ª|", warnings=""),
        Row('<|https://x.example/aを|> "|https://x.example/1735に|"', warnings="", wrappers='<> ""'),
    ),
    "E6": (
        Row("|http://pay\u200bpal.com|", "at the end of the text", uris="http://paypal.com/", warnings=INVISIBLE),
        Row("|http://\u200bpaypal.com|", uris="http://paypal.com/", warnings=INVISIBLE),
        Row("✗http://pay\u202epal.com✗", reasons="bidi-control"),
        Row("|http://router|\u200b|https://b.com/x|", "another link", warnings=STOPS),
        Row("|http://pay\u200bpal.com/x|", uris="http://paypal.com/x", warnings=INVISIBLE),
        Row("|http://pay\ufeffpal.com/x|", uris="http://paypal.com/x", warnings=INVISIBLE),
        Row("|http://pay\u00adpal.com/x|", uris="http://paypal.com/x", warnings=INVISIBLE),
        Row("|http://pay\u200bpal.co\u180em/x|", "in the last label", uris="http://paypal.com/x", warnings=INVISIBLE),
        Row("|http://paypal.co\u115fm/x|", uris="http://paypal.com/x", warnings=f"{FOLLOWS} {INVISIBLE}"),
        Row("|http://paypal.com\u17b4/x|", uris="http://paypal.com/x", warnings=INVISIBLE),
        Row("|http://\u200bpaypal.com/x|", uris="http://paypal.com/x", warnings=INVISIBLE),
        Row("|http://paypal.com\u200b.e.example/|", uris="http://paypal.com.e.example/", warnings=INVISIBLE),
        Row("|http://localhost\u200b:3000/|", uris="http://localhost:3000/", warnings=INVISIBLE),
        Row("|http://a.com|\u200bfoo x", warnings=STOPS, alternatives="http://a.comfoo/"),
        Row("|http://a.com|\u200f\u05e9\u05dc\u05d5\u05dd x", "a mark of direction", warnings=STOPS, alternatives=""),
        Row("|http://a.com:80|\u200b80/", uris="http://a.com/", warnings=STOPS, alternatives="http://a.com:8080/"),
        Row("|http://a.com/x|\u200bthen", warnings=STOPS, alternatives="http://a.com/xthen"),
        Row("|http://a.com|\u200b x |http://a.com|\u200f, x |http://a.com/b|\u202c", warnings=""),
        Row("✗http://pay\u202epal.com/x✗", "never a shorter host", reasons="bidi-control"),
        Row("✗http://pay\ufffepal.com/x✗ ✗http://pay\U0001fffepal.com/x✗", reasons="illegal-character " * 2),
        Row("✗http://pay\U000e0100pal.com/x✗ ✗http://pay\U000e0041pal.com/x✗", reasons="illegal-character " * 2),
        Row("✗http://m\ufffdller.de/✗ ✗http://m\udcfcller.de/✗", "a letter was lost", reasons="illegal-character " * 2),
        Row("✗http://pay\ue000pal.com/x✗ ✗http://m\ufffdller✗", reasons="illegal-character " * 2),
        Row("|http://a.com|\ufffdx |http://a.com|\udcfcx |http://a.com/x|\ufffd y", warnings=f"{STOPS} {STOPS}"),
        Row(
            "|http://pay\u200bpal.com|,|http://b.com/x| x",
            "a list",
            uris="http://paypal.com/ http://b.com/x",
            warnings=INVISIBLE,
        ),
        Row("|http://pay\u200bpal.com|\u200b|http://b.com| x", "another link", warnings=f"{STOPS} {INVISIBLE}"),
        Row("✗http://m\ufffdller.de@h.example/✗ ✗http://m\ufff9ller.de✗", reasons="illegal-character " * 2),
        Row("“✗http://m\ufffdl✗”|http://u|", "another link behind it", reasons="illegal-character"),
        Row("|http://pay\u17b4pal.com/|", uris="http://paypal.com/", warnings=INVISIBLE),
        Row("|http://pay\u3164pal.com/|", uris="http://paypal.com/", warnings=f"{FOLLOWS} {INVISIBLE}"),
    ),
    "E7": (
        Row("|http://h.example/|[...slug].js x", warnings=STOPS, alternatives="http://h.example/%5B...slug%5D.js"),
        Row(
            "|https://x.example/pages/|[slug]-5f3c.js",
            warnings=STOPS,
            alternatives="https://x.example/pages/%5Bslug%5D-5f3c.js",
        ),
        Row(
            "|http://h.example/book/home|[1].jpg x",
            warnings=STOPS,
            alternatives="http://h.example/book/home%5B1%5D.jpg",
        ),
        Row(
            "|http://h.example/pages/|[slug]/index.tsx x",
            warnings=STOPS,
            alternatives="http://h.example/pages/%5Bslug%5D/index.tsx",
        ),
        Row("|http://h.example/a|{id}/b x", warnings=STOPS, alternatives="http://h.example/a%7Bid%7D/b"),
        Row("|http://h.example/a||b x".replace("||", "|¦"), warnings=STOPS, alternatives="http://h.example/a%7Cb"),
        Row("|http://h.example/a|\ufffdb x", warnings=STOPS, alternatives="http://h.example/a%EF%BF%BDb"),
        Row(
            "|http://h.example/a|\udcffb x",
            "a byte that did not decode",
            warnings=STOPS,
            alternatives="http://h.example/a%FFb",
        ),
        Row(
            "|http://h.example/a|\ue000b x", "private use", warnings=STOPS, alternatives="http://h.example/a%EE%80%80b"
        ),
        Row("[url]|http://h.example/a|[/url] x", "a tag", warnings=""),
        Row("|http://h.example/a|\\ x |http://h.example/a|¦ x", "nothing follows", warnings=""),
        Row("|http://h.example/a|¦|http://h.example/b| x", "another link", warnings=STOPS, alternatives=""),
        Row('"✗http://h.example/a[1].jpg✗"', "delimited is whole", reasons="bracket-outside-host"),
    ),
    "E14": (  # RFC 3986 3.2.2: brackets stand around an IP literal alone
        Row("✗http://a.com/?a[]=1&b[x]=2✗ ✗http://a.com/#a[1]✗", reasons="bracket-outside-host " * 2),
        Row("|http://a.com/?a%5B%5D=1| |http://[::1]/?a=1|", warnings=""),
    ),
    "E8": (
        Row("|https://www.exam|… x", warnings=SHORTENED),
        Row("|https://www.exam|... x |https://www.exam/a|...", warnings=f"{SHORTENED} {SHORTENED}"),
        Row("|https://e.example/a|[...] x |https://e.example/a|[…]", warnings=f"{SHORTENED} {SHORTENED}"),
        Row("(|https://e.example/a|...)", warnings=SHORTENED),
        Row("|https://www.example.org/a/long/path/that-|\nb", warnings=SHORTENED),
        Row("|https://www.example.org/a/that-|\r\nb |https://e.example/a-|", warnings=f"{SHORTENED} {SHORTENED}"),
        Row(
            "|https://e.example/a-| b |https://e.example/a-b|\n|https://e.example/a|. x |https://e.example/a|.. x",
            warnings="",
        ),
        Row("<|https://e.example/a...|>", warnings=""),
    ),
    "E11": (
        Row("&#x27;|https://a.com/x|&#x27;y &#039;|https://a.com/x|.&#039;", wrappers="'' ''"),
        Row(
            "'|https://a.com/x|'を見る '|http://localhost:80|'に", "no other apostrophe", wrappers="'' ''", warnings=""
        ),
        Row(
            "'|https://a.com/x|'https://b.com/y'".replace("'https://b", "'|https://b").replace("y'", "y|'"),
            wrappers="'' ''",
        ),
        Row("&lt;a href=&quot;|http://gi.co/a|&quot;&gt;x&lt;/a&gt;", wrappers='""'),
        Row("{&quot;u&quot;:&quot;|http://e.example/a.|&quot;,&quot;v&quot;:1}", wrappers='""'),
        Row("&#34;|http://e.example/a|&#34; &#39;|http://e.example/b|&#39;", wrappers="\"\" ''"),
        Row("&apos;|http://e.example/a|&apos;x &lt;|http://e.example/b|&gt;x", wrappers="'' <>"),
        Row("&quot;|http://e.example/?a=1&amp;b=2| x", "no twin", wrappers="-"),
        Row("&quot;|http://e.example/a| &quot;", "a blank before it: no wrapper", wrappers="-"),
        Row("&amp;|http://e.example/a;b| ;|http://e.example/a|", "no opener", wrappers="- -"),
        Row("'|https://en.example/wiki/Earth's_rotation|', x", wrappers="''"),
        Row("'|http://example.com/a|','b' '|http://example.com/a|'", wrappers="'' ''"),
    ),
    "E12": (
        Row("|http://a.com|,|http://b.com| x", "a comma behind a host", warnings=FOLLOWS),
        Row("|http://10.0.0.1:2379|,|http://10.0.0.2:2379|", "and behind a port", warnings=FOLLOWS),
        Row("|http://a.com:80|;|https://db:81|,|http://[::1]:82|", warnings=f"{FOLLOWS} {FOLLOWS}"),
        Row('"|http://a.com:80|,|http://db:81|" <|http://a.com|,|http://b.com|>', warnings=f"{FOLLOWS} {FOLLOWS}"),
        Row("✗http://a.com:80,db:81✗ ✗http://u:80,http://c@d.com/✗", reasons="bad-port bad-port"),
        Row("|https://a.com/xまたはhttps://b.com/y| x", warnings=f"{FOLLOWS} {SECOND}"),
        Row(
            "|http://a.example/1,http://b.example/2| x",
            warnings=SECOND,
            alternatives="http://a.example/1 http://b.example/2",
        ),
        Row("|http://a.example/1;http://b.example/2| x", warnings=SECOND),
        Row("|http://a.example/?u=1,2| |http://a.example/,http| |http://a.example/a,b://c|", warnings=SECOND),
        Row("|http://a.example/http://b.example/| |http://a.example/?u=http://b.example/|", warnings=""),
    ),
}


@pytest.mark.parametrize(
    ("number", "index"), [(number, index) for number, rows in ROWS.items() for index in range(len(rows))]
)
def test_row(number: str, index: int) -> None:
    holds(ROWS[number][index])


# Letters of twelve scripts, with and without blanks between words.
SCRIPTS = {
    "Latin": "abz",
    "Latin beyond ASCII": "äñø",
    "Greek": "αβω",
    "Cyrillic": "абя",
    "Hebrew": "אבת",
    "Arabic": "ابي",
    "Devanagari": "कखह",
    "Thai": "กขฮ",
    "Han": "漢字的",
    "Hiragana": "をにで",
    "Katakana": "アカン",
    "Hangul": "에서를",
    "Armenian": "աբֆ",
}
HEADS = (
    "http://a.example",
    "http://pay",
    "http://a.example:80",
    "http://a.example/b",
    "https://localhost",
    "http://a.example/?q=1",
    "http:\\/\\/a.example\\/b",
)
MARKS = (
    "()[]{}<>\"'`|\\^~*_.,;:!?-/=&#@%+ \n\t（）「」“”‘’«»【】《》。，、！…—–·→※"
    "\u200b\ufeff\u00ad\u2060\u202e\u200f\ufffd\ufffe\ue000\u3000\u00a0"
)
CLOSERS = frozenset(")]}>\"'`）」』】》〉”’»›＞")
words = st.one_of([st.text(letters, min_size=1, max_size=3) for letters in SCRIPTS.values()])
pieces = st.one_of(st.sampled_from(HEADS), words, st.sampled_from(MARKS))


def is_end(text: str, end: int) -> bool:
    """Whether nothing that follows may be taken for a part: a blank, a closer, punctuation, or marks before these."""
    for character in text[end : end + 16]:
        if (
            character.isspace()
            or character in CLOSERS
            or character in "<\u3000"
            or unicodedata.category(character) == "Cc"
        ):
            return True
        if unicodedata.category(character)[0] not in "PSC" or character == "\ue000":
            return False
        if character in ".,;:!?。，、！…—":
            return True
    return True


@given(st.lists(pieces, min_size=2, max_size=8).map("".join))
def test_no_record_ends_in_silence(text: str) -> None:
    for found in sieve(text):
        if isinstance(found, Record) and not is_end(text, found.end):
            said = {STOPS, FOLLOWS, SHORTENED} & set(found.warnings)
            assert said, (found.raw, text[found.end :])


@pytest.mark.parametrize("letters", [letters for letters in SCRIPTS.values() if not letters.isascii()])
@pytest.mark.parametrize("head", ["http://a.example", "http://a.example:80", "http://localhost", "http://10.0.0.1"])
def test_no_host_swallows_what_follows(head: str, letters: str) -> None:
    (found,) = sieve(f"{head}{letters} x")
    assert isinstance(found, Record)
    assert (found.raw, found.warnings) == (head, (FOLLOWS,))


@pytest.mark.long
def test_a_last_label_is_a_top_level_domain_by_its_mapping_alone() -> None:
    for point in range(0x80, 0x10000):
        label = f"co{chr(point)}m"
        assert is_complete(f"a.{label}") == (dns_host(encoded(label)).host in top_level_domains()), ascii(label)
