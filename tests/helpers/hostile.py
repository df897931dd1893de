"""Hostile inputs: each generator gives about `size` characters that are cheap to write and dear to read."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Final, NamedTuple
from urllib.parse import quote

from urisieve import Options
from urisieve.options import Bare

__all__ = ["ANY", "EMAIL", "HOSTILE", "HUGE", "REPAIR", "WWW", "Hostile", "big_line", "repeated"]

ANY: Final = Options(schemes="any")
WWW: Final = Options(schemeless="www")
NAMES: Final = Options(schemeless="names", email="addresses")
BARE: Final = Options(bare=tuple(Bare))
REFANG: Final = Options(refang="known-forms", schemeless="names", email="addresses")
REFANG_HUGE: Final = Options(refang="known-forms", max_length=16_000_000)
EMAIL: Final = Options(email="addresses")
REPAIR: Final = Options(repair="encode")
NESTED: Final = Options(nested="report")
UNWRAP: Final = Options(unwrap="known")
UNWRAP_ANY: Final = Options(unwrap="any")
RESOLVERS: Final = Options(merge=["resolver-links"])
NEW_URN: Final = Options(urn_syntax="rfc8141")
# Above the input: nothing is cut to `too-long`, so that hidden costs inside one candidate show.
HUGE: Final = Options(max_length=16_000_000)


class Hostile(NamedTuple):
    """A generator by name.

    Attributes:
        name: shown by the tests.
        make: gives a text of about that many characters.
        options: None for the defaults.
        size: the smaller of the two sizes compared, in characters.
    """

    name: str
    make: Callable[[int], str]
    options: Options | None = None
    size: int = 2_000_000


def repeated(unit: str, head: str = "", tail: str = "") -> Callable[[int], str]:
    """A generator that repeats a unit up to the size, after a head and before a tail."""

    def make(size: int) -> str:
        return head + unit * max(1, (size - len(head) - len(tail)) // len(unit)) + tail

    return make


def _safe_links(size: int) -> str:
    """Safe Links one in the other: the percent-encoding of a percent sign makes each longer."""
    link = "https://e.example/"
    while len(link) < size:
        link = f"https://nam02.safelinks.protection.outlook.com/?url={quote(link, safe='')}&data=05"
    return link[:size]


def _distinct(first: int, count: int, head: str = "http://", tail: str = "/ ") -> Callable[[int], str]:
    """Candidates made of many different characters, which IDNA and Punycode like least."""
    inner = "".join(chr(first + place) for place in range(count))
    return repeated(f"{head}{inner}{tail}")


_fresh = itertools.count(1_000_000)


def _distinct_labels(size: int) -> str:
    """Names that were in no text before: a small text must not find its hosts in a cache that a large one outgrows."""
    return " ".join([f"http://xn--{next(_fresh)}-kva.com/" for _ in range(size // 30)])


def big_line(size: int) -> str:
    """One line without a blank, with links in it now and then."""
    return repeated("x" * 10_000 + "http://example.com/a" + "y" * 10_000 + "(")(size)


_TRAILING_BLANKS: Final = "<http://a.example/b" + " " * 60_000 + "> "
_HYPHENS: Final = "<http://a.example/" + "abc-\n" * 12_000 + "d> "

HOSTILE: Final = (
    Hostile("a:", repeated("a:")),
    Hostile("a: any", repeated("a:"), ANY),
    Hostile("http://", repeated("http://")),
    Hostile("escaped slashes", repeated(":\\/\\/")),
    Hostile("a name and escaped slashes", repeated("ab:\\/\\/")),
    Hostile("a letter and escaped slashes", repeated("a:\\/\\/")),
    Hostile("escaped links", repeated('"http:\\/\\/a.example\\/"')),
    Hostile("escaped links without a host", repeated("http:\\/\\/,")),
    Hostile("escaped slashes in a link", repeated("\\/", "http:\\/\\/a")),
    Hostile("escapes of characters in a link", repeated("\\u0041", "http:\\/\\/a")),
    Hostile("backslashes in an escaped link", repeated("\\", "http:\\/\\/a")),
    Hostile("escaped links and slashes", repeated("http:\\/\\/a/")),
    Hostile("backslashes behind colons", repeated("a:" + "\\" * 15 + "/")),
    Hostile("(", repeated("(")),
    Hostile("(((( in a link", repeated("(", "http://a/")),
    Hostile("<http://a blank", repeated("<http://a ")),
    Hostile("<http://a then blanks", repeated("b ", "<http://a ")),
    Hostile("<http://a in one", repeated("http://a ", "<http://a ")),
    Hostile("urn:a:%", repeated("urn:a:%")),
    Hostile("urn:a:%41", repeated("%41", "urn:a:")),
    Hostile("www.", repeated("www.")),
    Hostile("www. schemeless", repeated("www."), WWW),
    Hostile("www.a, schemeless", repeated("www.a,"), WWW),
    Hostile("(www.a schemeless", repeated("(www.a.b"), WWW),
    Hostile("digits bare", repeated("0123456789"), BARE),
    Hostile("numbers bare", repeated("0-395-36341-2 "), BARE),
    Hostile("blanks and digits bare", repeated("1 "), BARE),
    Hostile("labels bare", repeated("isbn: "), BARE),
    Hostile("labelled numbers bare", repeated("ISBN 0-395-36341-1 "), BARE),
    Hostile("words and numbers joined bare", repeated("isbn0395363411, "), BARE),
    Hostile("a list bare", repeated("isbn 0395363411" + ", 080442957X" * 20 + " "), BARE),
    Hostile("resolvers bare", repeated("doi.org/10.1000/"), BARE),
    Hostile("doi bare", repeated("10.1000/"), BARE),
    Hostile("doi in brackets bare", repeated("(10.1000/a "), BARE),
    Hostile("a list of papers bare", repeated("pmid 23193287" + ", 23193288" * 20 + " "), BARE),
    Hostile("papers bare", repeated("hep-th/9901001 PMC3531190,2401.01234 "), BARE),
    Hostile("sici bare", repeated("10.1000/(SICI)1<"), BARE),
    Hostile("contributions", repeated("doi:10.1000/(SICI)1<1:a>")),
    Hostile("contributions in brackets", repeated("http://e.example/10.1000/(SICI)1[a]2.0.CO")),
    Hostile("cut contributions", repeated("doi:10.1000/(SICI)1<1 ")),
    Hostile("prefixes bare", repeated("1.2"), BARE),
    Hostile("naans bare", repeated("12345/"), BARE),
    Hostile(":", repeated(":")),
    Hostile(": any", repeated(":"), ANY),
    Hostile('"http://a', repeated('"http://a')),
    Hostile('"http://a repair', repeated('"http://a '), REPAIR),
    Hostile("(http://a", repeated("(http://a")),
    Hostile("“http://a", repeated("“http://a")),
    Hostile("“http://a”", repeated("“http://a”x")),
    Hostile("'http://a", repeated("'http://a")),
    Hostile("<URL: ", repeated("<URL: ")),
    Hostile("URL: http://a", repeated("URL: http://a ")),
    Hostile("URL: blanks", repeated("URL:" + " " * 76)),
    Hostile("scheme run", repeated("abcdefghij")),
    Hostile("scheme runs with colons", repeated("a" * 5_000 + ":")),
    Hostile("scheme runs with colons any", repeated("a" * 5_000 + ":x "), ANY),
    Hostile("dots", repeated(".")),
    Hostile("digits", repeated("0123456789")),
    Hostile("digit scheme", repeated("0", "", "://a")),
    Hostile("combining marks", repeated("\u0301")),
    Hostile("combining marks in a link", repeated("\u0301", "http://a/")),
    Hostile("combining marks in hosts", repeated("http://" + "a\u0301" * 2_000 + "/ "), None, 250_000),
    Hostile("CJK", repeated("漢字かな")),
    Hostile("CJK after a link", repeated("漢字", "http://a/")),
    Hostile("CJK hosts", _distinct(0x4E00, 5_000), None, 250_000),
    Hostile("Arabic digits in hosts", repeated("http://" + "\u0660" * 5_000 + "/ "), None, 250_000),
    Hostile("katakana dots in hosts", repeated("http://" + "\u30fb" * 5_000 + "か/ "), None, 250_000),
    Hostile("joiners in hosts", repeated("http://" + "ب\u200d" * 2_500 + "/ "), None, 250_000),
    Hostile("middle dots and joiners", repeated("http://ب" + "\u0610" * 5_000 + "\u200c\u200c/ "), None, 250_000),
    Hostile("RTL in paths", repeated("http://a/" + "אב" * 500 + "a ")),
    Hostile("http://a)", repeated("http://a)")),
    Hostile("http://a.....", repeated(".", "http://a")),
    Hostile("http://a..... lines", repeated("http://a" + "." * 1_000 + " ")),
    Hostile("http://a,,,http://", repeated(",", "http://a", "http://b")),
    Hostile("http://a&gt;", repeated("http://a&gt;")),
    Hostile("&gt;&gt;", repeated("&gt;", "http://a/")),
    Hostile(";;;;", repeated(";", "http://a/b")),
    Hostile("mailto:", repeated("mailto:")),
    Hostile("mailto:a@b,", repeated("a@b,", "mailto:")),
    Hostile("mailto:aaaa", repeated("mailto:" + "a" * 257)),
    Hostile("sip:", repeated("sip:")),
    Hostile("sip:a;b", repeated(";b", "sip:a@b")),
    Hostile("tel:", repeated("tel:+1")),
    Hostile("tag:aaaa", repeated("tag:" + "a" * 256)),
    Hostile("data:", repeated("data:a/b;")),
    Hostile("data:a/b;a=", repeated("data:a/b;a=")),
    Hostile("magnet", repeated("magnet:?xt=urn:a:b&")),
    Hostile("javascript:", repeated("javascript:")),
    Hostile("javascript:a.b", repeated("javascript:" + "abcdefgh." * 12)),
    Hostile("javascript:f(", repeated("javascript:ff(a")),
    Hostile("jdbc:h2:", repeated("jdbc:h2:")),
    Hostile("jar:jar:", repeated("jar:file:/a!/")),
    Hostile("view-source:feed:", repeated("feed:http://")),
    Hostile("dns:aaaa", repeated("dns:" + "a" * 255)),
    Hostile("tel:*%23", repeated("%23", "tel:*")),
    Hostile("tel: isub", repeated("tel:+12345678" + ";isub=a" * 2_000 + ";= x")),
    Hostile("tel: contexts", repeated("tel:1" + ";phone-context=+-" * 1_000 + ";= x")),
    Hostile("nested schemes", repeated("feed:")),
    Hostile("geo:1,2;a", repeated(";a", "geo:1,2")),
    Hostile("sms:+1201,", repeated("+1201,", "sms:")),
    Hostile("a. names", repeated("a."), NAMES, 250_000),
    Hostile("a.com. names", repeated("a.com."), NAMES, 250_000),
    Hostile("a.com( names", repeated("a.com("), NAMES, 250_000),
    Hostile("é. names", repeated("é."), NAMES, 250_000),
    Hostile("long names", repeated("a" * 250 + ".com_"), NAMES, 250_000),
    Hostile("hxxp:// refang", repeated("hxxp://"), REFANG, 250_000),
    Hostile("hxxp://a[.] refang", repeated("[.]", "hxxp://a"), REFANG_HUGE, 250_000),
    Hostile("hxxp://a[.]b( refang", repeated("hxxp://a[.]b("), REFANG, 250_000),
    Hostile("(hxxp://a[.]b) refang", repeated("(hxxp://a[.]b)"), REFANG, 250_000),
    Hostile("http:// and no mark refang", repeated("a", "http://"), REFANG_HUGE, 250_000),
    Hostile("http://a( refang", repeated("http://a("), REFANG, 250_000),
    Hostile("a[.] refang", repeated("a[.]"), REFANG, 250_000),
    Hostile("[.] refang", repeated("[.]"), REFANG, 250_000),
    Hostile("a[at] refang", repeated("a[at]"), REFANG, 250_000),
    Hostile("a@b[.] refang", repeated("a@b[.]"), REFANG, 250_000),
    Hostile("http[:] refang", repeated("http[:]"), REFANG, 250_000),
    Hostile("[:/ refang", repeated("[:/"), REFANG, 250_000),
    Hostile("backslash dots refang", repeated("a\\."), REFANG, 250_000),
    Hostile("a@ email", repeated("a@"), EMAIL),
    Hostile("@ email", repeated("@"), EMAIL),
    Hostile("a@b.c email", repeated("a@b.cc,"), EMAIL),
    Hostile("long local parts email", repeated("a" * 64 + "@" + "b" * 250), EMAIL),
    Hostile("http://[", repeated("http://[")),
    Hostile("http://[:", repeated(":", "http://[", "]/")),
    Hostile("http://a#", repeated("http://a#")),
    Hostile("http://a? ]", repeated("http://a?]")),
    Hostile("http://xn--", repeated("http://xn--")),
    Hostile("http://xn--a.", repeated("http://xn--a.")),
    Hostile("xn-- labels", repeated("xn--bcher-kva.", "http://"), None, 500_000),
    Hostile("long xn-- labels", repeated("http://xn--" + "a9b8" * 2_000 + "/ "), None, 250_000),
    Hostile("http:// distinct xn-- labels", _distinct_labels, None, 1_000_000),
    Hostile("%", repeated("%", "http://a/")),
    Hostile("%41", repeated("%41", "http://a/")),
    Hostile("%c3%a9", repeated("%c3%a9", "http://a/")),
    Hostile("%41 in hosts", repeated("http://" + "%41" * 1_000 + "/ ")),
    Hostile("/../", repeated("/..", "http://a")),
    Hostile("/a/..", repeated("/a/..", "http://a")),
    Hostile("/./", repeated("/.", "http://a")),
    Hostile("http://é", repeated("http://é")),
    Hostile("http://é lines", repeated("http://é.com ")),
    Hostile("é path", repeated("é", "http://a/")),
    Hostile("-\\n in <>", repeated(_HYPHENS), None, 500_000),
    Hostile("blanks before >", repeated(_TRAILING_BLANKS), None, 500_000),
    Hostile("<http://a blanks no end", repeated(" ", "<http://a")),
    Hostile("labels", repeated("a.", "http://")),
    Hostile("hyphens", repeated("-", "http://a", ".com/")),
    Hostile("userinfo", repeated("a:", "http://", "@b/")),
    Hostile("@@", repeated("@", "http://a")),
    Hostile("port", repeated("1", "http://a:", "/")),
    Hostile("query pairs", repeated("utm_source=a&", "http://a/?")),
    Hostile("nested", repeated("http://a/", "http://a/"), NESTED, 500_000),
    Hostile("nested lines", repeated("http://a/http://a/http://a/http://a/ "), NESTED, 250_000),
    Hostile("safe links", _safe_links, UNWRAP, 500_000),
    Hostile("safe link of percents", repeated("%25", "https://www.google.com/url?q="), UNWRAP, 500_000),
    Hostile("redirectors", repeated("https://www.google.com/url?q=http%3A%2F%2Fa "), UNWRAP, 250_000),
    Hostile("archives", repeated("https://web.archive.org/web/2020/"), UNWRAP, 500_000),
    Hostile("stars", repeated("*", "https://urldefense.com/v3/__http://a/", f"__;{'A' * 40_000}!!a$"), UNWRAP, 500_000),
    Hostile("base64", repeated("aHR0", "https://www.bing.com/ck/a?u=a1"), UNWRAP, 500_000),
    Hostile("links in parameters", repeated("a=http%3A%2F%2Fb&", "http://a/?"), UNWRAP_ANY, 250_000),
    Hostile("base64 in parameters", repeated("a=aHR0cDovL2I&", "http://a/?"), UNWRAP_ANY, 250_000),
    Hostile("question marks", repeated("?", "http://a/?"), UNWRAP_ANY, 500_000),
    Hostile("encoded again", repeated("25", "http://a/?a=http%", "3A//"), UNWRAP_ANY, 500_000),
    Hostile("no value", repeated("&", "https://www.google.com/url?"), UNWRAP_ANY, 500_000),
    Hostile("no equals sign", repeated("a", "http://a/?a=http:b&"), UNWRAP_ANY, 500_000),
    Hostile("slashes before no ark", repeated("/", "http://a/"), RESOLVERS, 250_000),
    Hostile("arks", repeated("/ark:", "http://a"), Options(merge=["resolver-links"], max_length=4_096), 1_000_000),
    Hostile("a long ark", repeated("b", "http://a/ark:/12345"), RESOLVERS, 250_000),
    Hostile("handle of dots", repeated("a.", "http://hdl.handle.net/"), RESOLVERS, 250_000),
    Hostile("encoded doi", repeated("%2F", "https://doi.org/10.1000/"), RESOLVERS, 250_000),
    Hostile("urn rfc8141 ?+", repeated("?+", "urn:ab:c"), NEW_URN),
    Hostile("one line", big_line, None, 2_000_000),
    Hostile("surrogates", repeated("http://a/\ud800")),
    Hostile("nulls", repeated("http://a/\0")),
    Hostile("repair braces", repeated("{", "http://a/"), REPAIR),
    Hostile("repair %", repeated("%", "http://a/"), REPAIR),
)
