r"""Rows of limits that trials have shown: wrappers and carriers that delimit, cuts that are said, what readers take.

The notation is that of `marked_rows`; the number before a row is that of the trial that it came from. Beside each row
that was wrong stand rows that must stay as they are.
"""

from __future__ import annotations

import pytest

from marked_rows import Row, holds
from urisieve import Options

CUT = "stops-at-excluded"
LATER = Options(urn_syntax="rfc8141")
REPAIR = Options(repair="encode")
MAIL = Options(email="addresses")
NAMES = Options(schemeless="names")

ROWS: dict[str, tuple[Row, ...]] = {
    # What an exact wrapper holds is the candidate, all of it.
    "A3": (
        Row("<✗http://e.example/{id}✗> x", reasons="illegal-character"),
        Row('"✗http://e.example/?q=a¦b✗" x', reasons="illegal-character"),
        Row('"✗http://e.example/a\\b✗"', reasons="illegal-character"),
        Row('"✗http://e.example/a`b^c✗"', reasons="illegal-character"),
        Row('<✗http://e.example/a"b✗>', reasons="illegal-character"),
        Row('"✗http://e.example/<b>✗"', reasons="illegal-character"),
        Row('"✗http://e.example/a\ufffdb✗"', reasons="illegal-character"),
        Row('"✗http://e.example/a\udcffb✗"', "a byte that did not decode", reasons="illegal-character"),
        Row('"✗http://e.example/a\x00b✗"', reasons="illegal-character"),
        Row('"✗http://e.example/a\u202eb✗"', reasons="bidi-control"),
        Row("<✗http://${host}/x✗>", reasons="illegal-character"),
        Row('"|http://e.example/a。b|"', "a stop is a character like others where the end is given", wrappers='""'),
        Row('"|http://e.example/a—b.|"', wrappers='""'),
        Row('"|http://e.example/{id}¦x|"', uris="http://e.example/%7Bid%7D%7Cx", warnings="repaired", options=REPAIR),
        Row("<|http://e.example/a|¦label> x", "chat: the link and its label", warnings=CUT, wrappers="-"),
        Row("<|http://e.example/a|¦a label> x", "with a blank in it", warnings=CUT),
        Row("<✗http://e.example/{id}¦label✗> x", "no link before the bar", reasons="illegal-character"),
        Row('<|http://e.example/a| "title">', "white space, and not one identifier", warnings=""),
        Row('"|http://e.example| is down"', "white space ends it inside quotation marks", warnings=""),
        Row('\\"|http://e.example/a|\\"', "a string in a string", wrappers='""', warnings=""),
        Row('\\\\\\"|http://e.example/a|\\\\\\"', "in a string", wrappers='""', warnings=""),
        Row('\\"✗http://e.example/a¦b✗\\"', reasons="illegal-character"),
        Row('"|http://e.example/a|\x1b[0m"', "an escape sequence of a terminal is a boundary"),
        Row('"✗http://e.example/a\x1b✗" x', "an escape that begins none is not", reasons="illegal-character"),
        Row("'|http://e.example/a|¦b'", "other wrappers trim", warnings=CUT),
        Row('"|http://e.example/a|', "no closer: bare"),
        Row('"|http://e.example/a|¦b x', "no closer: bare, and cut", warnings=CUT),
    ),
    # A bare candidate that ends at an excluded character says so where the run goes on.
    "A4": (
        Row("|http://e.example/a|¦b x", warnings=CUT),
        Row("|http://e.example/|{id} x", warnings=CUT),
        Row("|http://e.example/a|\\x22e x", warnings=CUT),
        Row("|http://e.example/a|\\nb x", warnings=CUT),
        Row("|http://e.example/a|^b |http://e.example/b|`c", warnings=f"{CUT} {CUT}"),
        Row("|http://e.example/a|\ufffdb x", warnings=CUT),
        Row("|http://e.example/a|\udcffb x", "a byte that did not decode", warnings=CUT),
        Row("|http://e.example/a|¦¦¦b x", "several", warnings=CUT),
        Row("|http://e.example/a|¦.b x", "a stop between", warnings=CUT),
        Row("|http://e.example/a.|¦b x".replace(".|", "|."), "trimmed as well", warnings=CUT),
        Row("|http://e.example/a|¦ b", "a blank follows", warnings=""),
        Row("|http://e.example/a|¦", "nothing follows", warnings=""),
        Row("|http://e.example/a|}. B", "the end of a sentence", warnings=""),
        Row("|http://e.example/a|}) b", "a closer", warnings=""),
        Row("{|http://e.example/a|}b x", "its own wrapper", warnings="", wrappers="{}"),
        Row("`|http://e.example/a|`b x", warnings="", wrappers="``"),
        Row("\\url{|http://e.example/a|}b", warnings="", wrappers="{}"),
        Row("|http://e.example/a|\\ b", warnings=""),
        Row('|http://e.example/a|"b', "a quotation mark is no such character", warnings=""),
        Row("|http://e.example/a|<b> x", warnings=""),
        Row("|http://e.example/a|[1] x", "a bracket ends a path, which is said nowhere", warnings=""),
        Row("|http://e.example/a|、b", warnings=""),
        Row("|ftp://e.example/a|¦b |foo://e.example/a|¦b", warnings=f"{CUT} {CUT} unregistered-scheme"),
        Row("¦|http://e.example/a|¦|http://e.example/b|¦", "cells of a table in text", warnings=CUT),
    ),
    # URNs end where RFC 2141 says, and name what RFC 8141 reads.
    "A5": (
        Row("<✗urn:example:a~b✗> <✗urn:example:a~c✗>", reasons="illegal-character illegal-character"),
        Row('"✗urn:example:a&b✗"', reasons="illegal-character"),
        Row("<|urn:example:a~b|>", options=LATER, warnings="invalid-in-2141"),
        Row("|urn:example:a|~b x", warnings=CUT, alternatives="urn:example:a~b"),
        Row("|urn:example:a|&b~c. x", warnings=CUT, alternatives="urn:example:a&b~c"),
        Row("|urn:lex:it:358|~art5 x", alternatives="urn:lex:it:358~art5"),
        Row("|urn:example:a|[1] x", "RFC 8141 ends there too", warnings=CUT, alternatives=""),
        Row("|urn:example:a|é x", warnings=CUT, alternatives=""),
        Row("|urn:example:a|& x", "nothing behind it", warnings="", alternatives=""),
        Row("&lt;|urn:example:a|&gt; x", "a character reference", warnings="", alternatives=""),
        Row("|urn:example:a|~ |urn:example:b|~. x", warnings="", alternatives=""),
        Row("|urn:example:a|、b", "punctuation", warnings=""),
        Row("|urn:example:a~b|¦c x", warnings=f"{CUT} invalid-in-2141", options=LATER),
    ),
    "A11": (
        Row("\x1b[32m|http://a.example/x|\x1b[0m", warnings=""),
        Row("\x1b[1;32m|http://a.example/x|\x1b[m\x1b[K", warnings=""),
        Row("\x1b[/h|ttp://a.example/x|", "the first letter ends the sequence", warnings="unregistered-scheme"),
        Row("\x1b[(+h|ttp://a.example/x| ", "so it does here", warnings="unregistered-scheme"),
        Row("\x9b32m|http://a.example/x|\x9b0m", warnings=""),
        Row("\x1b(B|http://a.example/x|\x1b(B", warnings=""),
        Row("\x1b]8;;|http://a.example/x|\x1b\\|http://b.example/|\x1b]8;;\x1b\\", "a hyperlink of a terminal"),
        Row("\x1b[1m|mailto:a@b.example|\x1b[0m \x1b[1m|urn:example:a|\x1b[0m", warnings=""),
        Row("\x1b[1m|joe@e.example|\x1b[0m", options=MAIL),
        Row("\x1b[1m|e.example.com|\x1b[0m \x1b[1m|www.example.com|\x1b[0m", options=NAMES),
        Row("\x1b[1m|www.example.com/|\x1b[0m mwww.example.com", options=Options(schemeless="www")),
        Row("[32m|http://a.example/x|", "without the escape it is a run of letters", warnings="scheme-cut"),
        Row("x\x1b[0|m://a.example/".replace("|", ""), "nothing is left of the scheme"),
    ),
    "A12": (
        Row("\\n|https://b.example|, \\t|http://b.example|", warnings="scheme-cut scheme-cut"),
        Row("\\u0020|http://b.example| \\xa0|http://b.example|", warnings="scheme-cut scheme-cut"),
        Row("%0A|http://b.example| =3D|http://b.example|", warnings="scheme-cut scheme-cut"),
        Row("%0D|http://b.example| =3D|https://b.example|", "`dhttp` is registered", warnings="scheme-cut scheme-cut"),
        Row("word|http://e.example| WORD|HTTPS://e.example|", warnings="scheme-cut scheme-cut"),
        Row("zz|ftp://e.example|", warnings="scheme-cut"),
        Row("|dhttp://e.example| |sftp://e.example| |shttp://e.example|", "known schemes", warnings=""),
        Row("|git+http://e.example|", "a plus joins", warnings="unregistered-scheme"),
        Row("|httpx://e.example|", "the end counts", warnings="unregistered-scheme"),
        Row("|xhttp://e.example|", options=Options(known_schemes={"xhttp"}), warnings=""),
        Row("7|http://e.example/|", "digits are no part of it anyway", warnings=""),
        Row("|myws://e.example/|", "no name of the web", warnings="unregistered-scheme"),
    ),
    "A13": (
        Row('"%s://example.com/x" %s://example.com/x'),
        Row("s://example.com/ C://x"),
        Row("|s://example.com/|", "the user's own", options=Options(known_schemes={"s"}), warnings=""),
        Row("|s://example.com/| |s:x|", options=Options(schemes={"s"})),
    ),
    "B3": (
        Row("see |http://example.org|[1] etc.", warnings=""),
        Row("[url]|http://example.org|[/url]", warnings=""),
        Row("|http://example.org|[note] and |https://e.example:8080|[1]", warnings=""),
        Row('"✗im:\udca0@x✗" x', reasons="illegal-character"),
        Row('"|mailto:a@e.example|\x9b"d', "an escape sequence takes the quotation mark"),
        Row("<✗tp://\x9b✗> <tp://\x9b>d", reasons="illegal-character"),
        Row("|http://example.org|[^1] and (|http://example.org|[a)b] x", warnings=""),
        Row("✗http://foo[.]example✗ x", reasons="bracket-outside-host"),
        Row("✗http://foo[dot]example✗ ✗http://foo[.example✗ x", reasons="bracket-outside-host bracket-outside-host"),
        Row("✗http://foo.]example✗ x", "half of it left", reasons="bracket-outside-host"),
        Row("✗http://foo[:]80/✗ x", reasons="bracket-outside-host"),
        Row("✗http://10.0.0.[1-9]/x✗ ✗http://web[1-3].evil.example/a✗ x", reasons="bracket-outside-host " * 2),
        Row("✗http://user[1]@evil.example/✗ ✗http://u:p[1]@h.example/✗ x", reasons="bracket-outside-host " * 2),
        Row("✗http://n[01-10].example.com:80/✗ ✗http://e[xample.org✗ x", reasons="bracket-outside-host " * 2),
        Row("✗http://foo[x.]example✗ ✗https://h[n].example.com/?a=b✗ x", reasons="bracket-outside-host " * 2),
        Row("|http://example.org|[1]. |http://example.org|[1][2], |http://example.org|[ x"),
        Row("✗http://host[:port]/path✗ ✗rsync://u@host[:1]/✗ x", "templates", reasons="bracket-outside-host " * 2),
        Row("✗http://host/?a[/path]✗ x", "no tag", reasons="bracket-outside-host"),
        Row("|http://[::1]/| |http://u@[::1]/| x"),
        Row("✗http://[1]/✗ x", reasons="bad-ip-literal"),
        Row("[|http://example.org|] [|http://example.org|]b", wrappers="[] []"),
        Row("(see [|http://example.org|.])"),
    ),
    "B4": (
        Row("[url]|http://e.example/?x=1|[/url] [img]|http://e.example/#a|[/IMG]", warnings=""),
        Row("✗http://e.example/?a[/x✗", "not closed", reasons="bracket-outside-host"),
        Row("✗http://e.example/?a[/b]=1✗ ✗http://e.example/#a[/i]b✗ x", "data", reasons="bracket-outside-host " * 2),
        Row("✗http://e.example/?p[/b]=1&q=http://f.example✗ x", reasons="bracket-outside-host"),
        Row("✗http://e.example/?a[0]=1✗ x", reasons="bracket-outside-host"),
        Row("**see |http://example.com|** and __see |http://example.com/a|__ ~~x |http://example.com/b|~~"),
        Row("**see |http://example.com/a|.** x"),
        Row("**Note** |http://example.com/**| x", "closed before"),
        Row("**a\n|http://example.com/**| x", "on another line"),
        Row("__init__.py |http://example.com/a__| x", "closed before"),
        Row('__dirname + "x" |http://e.example/__tests__|', "the link holds both marks"),
        Row("self.__x |http://e.example/a__| foo__bar |http://e.example/b__|", "in words"),
        Row("2**3 and |http://e.example/x**| a ** b |http://e.example/x**|", "no emphasis"),
        Row("**/*.js |http://e.example/src/**| x", "a pattern of files"),
        Row('(**"see |http://e.example/a|**)'),
        Row("* |http://example.com/*| x", "one star opens nothing"),
        Row("|http://example.org|- where |https://example.org:8080|- x"),
        Row("|http://example.org|-- where |ftp://example.org|- x"),
        Row("|http://example.org|-, (|http://example.org|-) |http://example.org|-. x"),
        Row("✗http://www.rfc-✗\neditor.example", "the line breaks in the host", reasons="host-label"),
        Row("✗http://www.rfc-✗ \neditor.example ✗http://www.rfc-✗", reasons="host-label host-label"),
        Row("|http://example.org/inc-| |http://example.org?-| |foo://bar-| x"),
        Row("|http://e.example/u-| |http://a-@e.example/| x"),
        Row("|https://a.com|'|https://b.com| |http://a.example:80|'|HTTP://b.example/|"),
        Row("|http://e.example/a's| |http://e.example/a'http| x"),
        Row("|https://g.example/login?next='https://h.example/x'&b=2| x", "an apostrophe is data"),
        Row("|https://g.example/?u='http://b.example|' |http://web.example/web/'http://b.example|", "trimmed as ever"),
        Row("＜|http://e.example/a|＞です", wrappers="＜＞"),
        Row("＜参照 |http://e.example/a|＞です |http://e.example/a＜b＞| x"),
        Row("E-mail:|joe@example.com| Mail: |a@b.example|", options=MAIL),
        Row("To:|a@b.example|,|c@d.example|, Cc:|e@f.example|", options=MAIL),
        Row("user:pw@host.example root:pw@10.0.0.1 auto:a@b.example", "no label of an address", options=MAIL),
        Row("|~list/dev@lists.example| ", uris="mailto:~list%2Fdev@lists.example", options=MAIL),
        Row("see ~|joe@example.com|, |x/y@b.example|", "no folder of a list", options=MAIL),
    ),
    "C14": (
        Row("see |urn:isbn:0395363411|（the book）", warnings=CUT, alternatives=""),
        Row("see |urn:isbn:0395363411|（ the book）", warnings=""),
        Row("|urn:example:a|«b» |urn:example:a|« b", warnings=CUT),
        Row("（|urn:isbn:0395363411|） 「|urn:isbn:0395363411|」", wrappers="（） 「」"),
        Row("|urn:isbn:0395363411|【1】", warnings=CUT),
        Row("|urn:example:a(b)| |urn:example:(a)| x"),
    ),
    # An address in brackets that is not complete is none, whatever stands behind it.
    "C15": (
        Row("|sip:bob@[::1]|", "the end of the text behind it"),
        Row("sip:bob@[2001", "the end of the text in it"),
        Row("sip:bob@[2001 x", "a space in it"),
    ),
}


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=f"{trial}-{place}") for trial, rows in ROWS.items() for place, row in enumerate(rows)]
)
def test_row(row: Row) -> None:
    holds(row)
