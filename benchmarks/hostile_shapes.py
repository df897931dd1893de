"""Shapes of hostile text for what finding, judging and its options do: a row each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from benchmarks.hostile_texts import FIRST, LAST, Make, joined, repeated

__all__ = ["TEXTS", "Shape"]


class Shape(NamedTuple):
    """A hostile file, and the command that reads it.

    Attributes:
        area: the source or the option that it is for.
        name: of the shape.
        make: gives its bytes.
        flags: of the command.
        source: how prose is written that it is measured against, see `hostile_sources`.
        ending: of its name.
        command: what reads it.
        bomb: it is small, whatever the size asked for, and becomes large: no time for each megabyte.
        kept: which of the links around it and behind it must be found; the reason why others need not stands beside.
        most: the largest size that is made, in megabytes; the rest would say nothing more.
    """

    area: str
    name: str
    make: Make
    flags: tuple[str, ...] = ()
    source: str = "text"
    ending: str = ".txt"
    command: str = "extract"
    bomb: bool = False
    kept: tuple[bytes, ...] = (FIRST, LAST)
    most: float = 1e9

    @property
    def reads_text(self) -> bool:
        """Whether the command reads a file of plain text that follows."""
        return self.source not in ("journal", "warc", "lines") and self.area != "parquet"


def _safe_links(size: int) -> Iterator[bytes]:
    """Redirectors one in the other, a thousand levels, again and again (each level doubles no more than its marks)."""
    link = "https://e.example/"
    for level in range(1_000):
        link = f"https://web.archive.org/web/2020/{link}" if level % 2 else f"https://href.li/?{link}"
    unit = link.replace("e.example", "¤¤¤¤¤¤¤¤.com") + " "
    return repeated(unit)(size)


def _quoted(size: int) -> Iterator[bytes]:
    """Safe Links one in the other, as deep as 60,000 characters hold: each percent sign is encoded again."""
    link = "https://¤¤¤¤¤¤.com/"
    while len(link) < 60_000:
        link = f"https://nam02.safelinks.protection.outlook.com/?url={quote(link, safe='¤')}&data=05"
    return repeated(link[:65_000] + " ")(size)


def _lines(unit: str) -> Make:
    """A line each for commands that read identifiers."""
    return lambda size: joined(FIRST + b"\n", repeated(unit)(size))


_L = "¤¤¤¤"
# name, unit, head
_FINDING: tuple[tuple[str, str | bytes, str], ...] = (
    ("(", "(", ""),
    ("[", "[", ""),
    ("<", "<", ""),
    ("quotation marks", "\"'“„«‘", ""),
    ("openers and letters", "(¤[¤<¤{¤", ""),
    ("://", "://", ""),
    (":", ":", ""),
    ("schemes without end", "¤" * 997 + ":", ""),
    ("scheme characters", "¤", ""),
    ("http://", "http://", ""),
    ("http:// and blank", "http:// ", ""),
    ("http://a", "http://¤", ""),
    ("http://[", "http://[", ""),
    ("http://[::", f"http://[{_L}:: ", ""),
    ("IPv6", "http://[2001:db8::1]/¤¤¤ ", ""),
    ("IPv6 broken", "http://[2001:db8:::1]/¤¤¤ ", ""),
    ("one candidate of letters", "¤", "http://a.example/"),
    ("one candidate of %41", "%41", "http://a.example/"),
    ("one candidate of (", "(", "http://a.example/"),
    ("one candidate of brackets", "()", "http://a.example/"),
    ("one candidate of dots", ".", "http://a"),
    ("one candidate of marks", "\u0301", "http://a.example/"),
    ("one candidate of @", "@", "http://a"),
    ("one candidate in <>", f"{_L} ", "<http://a.example/"),
    ("candidates at the limit", "http://a.example/" + "¤" * 60_000 + " ", ""),
    ("candidates past the limit", "http://a.example/" + "¤" * 70_000 + " ", ""),
    ("% alone", "http://¤¤.com/% ", ""),
    ("%C0%AF", "http://¤¤.com/%C0%AF..%C0%AF ", ""),
    ("overlong UTF-8, raw", b"http://a.example/\xc0\xaf\xe0\x80\xaf ", ""),
    ("bytes of surrogates", b"http://a.example/\xed\xa0\x80 ", ""),
    ("bytes that are not UTF-8", b"\xff\xfehttp://\xff \x80\x80", ""),
    ("a byte of 0xff", b"\xff", ""),
    ("NUL", b"\0http://a.example/\0", ""),
    ("NUL alone", b"\0", ""),
    ("control characters", b"http://a.example/\x1b[2J\x07\x08 ", ""),
    ("@", "@", ""),
    ("user information", "http://¤:¤@¤¤.com/ ", ""),
    ("user information run", "http://" + "¤:" * 500 + "@a.com/ ", ""),
    ("dots", ".", ""),
    ("labels", "http://" + "¤." * 120 + "com/ ", ""),
    ("labels without end", "¤.", "http://"),
    ("ports", "http://¤¤.com:99999999999/ ", ""),
    ("&amp; chains", "http://¤¤.com/?¤&amp;&amp;&amp;&gt;&lt; ", ""),
    ("&gt; run", "&gt;", "http://a.example/"),
    ("punctuation at the end", "http://¤¤.com/" + ".,;:!?" * 30 + " ", ""),
    ("brackets at the end", "http://¤¤.com/" + ")]}>" * 30 + " ", ""),
    ("combining marks", "e\u0301\u0316", ""),
    ("combining marks in paths", "http://¤¤.com/e\u0301\u0316¤ ", ""),
    ("combining marks in hosts", "http://a\u0301¤e\u0316¤¤.com/ ", ""),
    ("right to left", "http://א¤ב.com/אב ", ""),
    ("bidi controls", "http://¤¤.com/\u202e\u2066¤\u2069 ", ""),
    ("A-labels", "http://xn--¤¤¤-kva.com/ ", ""),
    ("A-labels, broken", "http://xn--¤¤¤¤9999.com/ ", ""),
    ("hosts in CJK", "http://漢¤字¤か.jp/ ", ""),
    ("CJK", "漢字かな。", ""),
    ("IPv4, rare forms", "http://0x7f.1/¤ http://017700000001/¤ ", ""),
    ("/../", "http://¤¤.com" + "/¤/.." * 100 + " ", ""),
    ("upper case", "HTTP://¤¤.COM:80/%7e¤ ", ""),
    ("URNs", "urn:¤¤¤:%41%¤ ", ""),
    ("URNs of all kinds", "urn:isbn:0-395-3634¤-1 urn:nbn:¤¤:¤ urn:uuid:¤ ", ""),
    ("mailto:", "mailto:¤@¤¤.com,¤@¤.com?cc=¤ ", ""),
    ("mailto: run", "mailto:", ""),
    ("sip: and tel:", "sip:¤@¤¤.com;¤;¤ tel:+1-201-555-0123;ext=¤ ", ""),
    ("data:", "data:text/plain;¤=¤;base64,¤¤¤¤ ", ""),
    ("javascript:", "javascript:¤¤(a.¤¤);", ""),
    ("magnet:", "magnet:?xt=urn:¤¤:¤&dn=¤ ", ""),
    ("jar:", "jar:file:/¤!/", ""),
    ("CR alone", "http://¤¤¤¤¤.com/¤\rwords and words\r", ""),
    ("CRLF and form feeds", "http://¤¤¤¤¤.com/¤\r\n\f\v\u2028\u0085", ""),
    ("line breaks in <>", "<http://¤¤.com/\n¤¤\n¤¤>", ""),
    ("broken <>", "<http://¤¤.com/ ", ""),
    ("URL: ", "<URL: ", ""),
    ("one line", "¤" * 9_000 + "http://¤¤.com/a" + "¤" * 9_000 + "(", ""),
    ("words: words", "¤¤¤¤: ", ""),
    ("a/b:c", "¤/¤:¤ ", ""),
    ("times and std::", "12:30:45 std::¤¤¤ C:/¤¤ ", ""),
)

# area, flags, rows of name and unit
_OPTIONS: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, str | bytes], ...]], ...] = (
    (
        "--accept defanged",
        ("--accept", "defanged"),
        (
            ("hxxp", "hxxp"),
            ("hxxp://", "hxxp://"),
            ("[.]", "[.]"),
            ("a[.]b", "¤[.]¤"),
            ("hxxps[:]//a[.]com", "hxxps[:]//¤¤[.]com/¤ "),
            ("[", "["),
            ("(dot)", "¤(dot)¤ [dot] "),
            ("[at]", "¤[at]"),
            ("\\.", "¤\\."),
            ("words", "¤¤¤¤¤ ¤¤¤ ¤¤¤¤¤¤¤ "),
        ),
    ),
    (
        "--accept wrapped-any",
        ("--accept", "wrapped-any"),
        (
            ("links in a query", "http://¤¤.com/?¤=http%3A%2F%2F¤¤.com%2F&¤=https://¤¤.org/ "),
            ("parameters", "http://¤¤.com/?" + "¤=¤&" * 200 + " "),
            ("one query of links", "¤=http%3A%2F%2F¤.com&"),
            ("%25", "http://¤¤.com/?u=http%25253A%25252F%25252F¤.com "),
        ),
    ),
    (
        "--accept wrapped",
        ("--accept", "wrapped"),
        (("google", "https://www.google.com/url?q=http%3A%2F%2F¤¤¤.com&¤ "),),
    ),
    (
        "--accept names",
        ("--accept", "names"),
        (
            ("a.com", "¤¤.com "),
            ("a.", "¤."),
            ("a.com,", "¤.com,"),
            ("www.", "www."),
            ("dots", "."),
            ("labels, no top", "¤.¤.¤.¤¤¤¤¤¤ "),
            ("é.", "é."),
            ("words", "¤¤¤¤¤ ¤¤¤ ¤¤¤¤¤¤¤. "),
        ),
    ),
    (
        "--accept addresses",
        ("--accept", "addresses"),
        (
            ("@", "@"),
            ("a@", "¤@"),
            ("a@b.com", "¤¤@¤¤.com "),
            ("long local parts", "¤" * 64 + "@" + "¤" * 250 + " "),
            ("dots", "¤." * 30 + "@¤ "),
        ),
    ),
    (
        "--accept doi,...",
        ("--accept", "doi,isbn,issn,orcid,ark,handle"),
        (
            ("digits", "0123456789"),
            ("ISBN wrong", "ISBN 0-395-36341-2 "),
            ("digits and blanks", "1 2-3 "),
            ("10.1000/", "10.1000/"),
            ("10.1000/a", "10.1000/¤¤¤ "),
            ("isbn:", "isbn: "),
            ("SICI", "10.1000/(SICI)1<¤ "),
            ("words", "¤¤¤¤¤ ¤¤¤ ¤¤¤¤¤¤¤. "),
        ),
    ),
    (
        "--accept unencoded",
        ("--accept", "unencoded"),
        (("{}|", "http://¤¤.com/{¤}|¤^` "), ('"', '"http://¤¤.com/¤'), ("%", "http://¤¤.com/%%%¤ ")),
    ),
    (
        "--accept nested",
        ("--accept", "nested"),
        (("http://a/http://b", "http://¤¤.com/http://¤¤.com/http://¤¤.com/ "),),
    ),
    ("--schemes any", ("--schemes", "any"), (("a:", "¤:"), ("a:b", "¤¤:¤ "), (":", ":"), ("words:", "¤¤¤¤¤¤: "))),
    (
        "--urn-syntax rfc8141",
        ("--urn-syntax", "rfc8141"),
        (("?+", "urn:¤¤:¤?+¤?=¤#¤ "), ("?+ run", "urn:ab:c?+?+?+?+?+?+?+?+ ")),
    ),
    ("--unescape html", ("--unescape", "html"), (("&amp;", "http://¤¤.com/?¤&amp;¤ "), ("&", "&"), ("&#x", "&#x3a;"))),
    ("--unescape percent-u", ("--unescape", "percent-u"), (("%u", "%u003a%u002f¤"), ("%u run", "%u"))),
    ("--unescape backslash", ("--unescape", "backslash"), (("\\/", "http:\\/\\/¤¤.com\\/ "), ("\\", "\\"))),
    ("--unescape backslash", ("--unescape", "backslash"), (("\\u003a", "\\u003a\\u002f¤"), ("\\ud800", "\\ud800¤"))),
    ("--max-length", ("--max-length", "64"), (("long", "http://¤¤.com/" + "¤" * 300 + " "),)),
    ("--max-length", ("--max-length", "16000000"), (("long", "http://¤¤.com/" + "¤" * 900_000 + " "),)),
    ("--max-length", ("--max-length", "16000000"), (("(", "http://¤¤.com/" + "(¤" * 400_000 + " "),)),
)

_GENERAL: tuple[tuple[str, str], ...] = (
    ("links", "http://¤¤¤¤¤¤.com/¤¤¤ "),
    ("queries", "http://¤¤.com/?b=¤&utm_source=¤&a=%41&¤=2#¤ "),
)
# With these the two links look otherwise, or are left out.
_OTHERWISE = frozenset(("--encoding", "--form", "--template", "--safe", "host=*.example.com", "warning=any"))
_QUICK: tuple[tuple[str, ...], ...] = (
    *(("--merge", step) for step in ("drop-fragment", "sort-query", "drop-tracking", "strip-www", "numeric-port")),
    *(("--merge", step) for step in ("root-path", "isbn-13", "resolver-links")),
    ("--unique",),
    ("--jobs", "2"),
    ("--format", "jsonl"),
    ("--format", "csv"),
    ("--format", "jsonl", "--parts"),
    ("--fields", "uri,host,line,column"),
    ("--template", "{host}\\t{path}"),
    ("--form", "domain"),
    ("--form", "host", "--unique"),
    ("--form", "iri"),
    ("--safe", "defang"),
    ("--rejected", "/dev/null"),
    ("--fail-on", "password-present"),
    ("--only", "host=*.example.com"),
    ("--only", "domain=example"),
    ("--only", "warning=any"),
    ("--level", "none"),
    ("--encoding", "utf-16-le"),
)
_STRANGE = "http://a\u0301¤.com:80/%7e/../(¤&amp;)) hxxp://[ urn:¤:%4 <http://¤\n¤>"


def _rows() -> Iterator[Shape]:
    for name, unit, head in _FINDING:
        yield Shape("finding", name, repeated(unit, head), ("--input", "text"))
    yield Shape("finding", "one line", repeated("¤¤¤ http://¤¤¤¤.com/ ", around=b" "), ("--input", "text"))
    text = ("--input", "text")
    for area, flags, units in _OPTIONS:
        for name, unit in units:
            yield Shape(area, name, repeated(unit), (*text, *flags))
    for flags in _QUICK:
        area = " ".join(flags)
        kept = (FIRST, LAST) if _OTHERWISE.isdisjoint(flags) else ()
        yield Shape(area, "queries", repeated(_GENERAL[1][1]), (*text, *flags), kept=kept)
        yield Shape(area, "mixture", repeated(_STRANGE), (*text, *flags), kept=kept)
    yield Shape(
        "--merge resolver-links",
        "slashes",
        repeated("http://¤/" + "/" * 2_000 + " "),
        (*text, "--merge", "resolver-links"),
    )
    yield Shape(
        "--merge sort-query",
        "parameters",
        repeated("http://¤/?" + "¤=¤&" * 9_000 + " "),
        (*text, "--merge", "sort-query"),
    )
    yield Shape("--accept wrapped", "a thousand levels", _safe_links, (*text, "--accept", "wrapped"))
    yield Shape("--accept wrapped", "Safe Links in Safe Links", _quoted, (*text, "--accept", "wrapped"))
    yield Shape("--accept wrapped-any", "Safe Links in Safe Links", _quoted, (*text, "--accept", "wrapped-any"))
    for command in ("stats", "report", "dedupe"):
        kept = (FIRST, LAST) if command == "dedupe" else ()
        for name, unit in (*_GENERAL, ("mixture", _STRANGE), ("http://", "http://")):
            yield Shape(command, name, repeated(unit), text, command=command, kept=kept)
    yield Shape("count", "links", repeated(_GENERAL[0][1]), text, command="count")
    lines = (
        ("links", "http://¤¤¤¤¤¤.com/¤¤¤\n"),
        ("mixture", "http://a\u0301¤.com:80/%7e/../(¤\nhttp://[\nurn:¤:%4\n"),
    )
    for command in ("check", "normalize", "explain"):
        most = 2 if command == "explain" else 16
        for name, unit in (*lines, ("empty lines", "\n"), ("long lines", "http://a/" + "¤%41/../" * 9_000 + "\n")):
            yield Shape(command, name, _lines(unit), source="lines", command=command, kept=(), most=most)
    yield Shape(
        "check", "one line", repeated("¤", "http://a.example/"), source="lines", command="check", kept=(), most=16
    )
    for name, unit in (*_GENERAL, ("one line", "¤"), ("CR alone", "http://¤¤.com/\r"), ("(", "(")):
        yield Shape("--follow", name, repeated(unit), ("--follow",), kept=(FIRST, LAST))


TEXTS: tuple[Shape, ...] = tuple(_rows())
