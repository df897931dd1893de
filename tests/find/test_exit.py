"""What directly follows a candidate, by the number of the finding; beside each row stand some that must not change."""

from __future__ import annotations

import pytest

from tests.helpers.marked_rows import Row, holds
from urisieve import Options

DEFANGED = Options(refang="known-forms")
UNENCODED = Options(repair="encode")
STOPS = "stops-at-excluded"
FOLLOWS = "text-follows"

ROWS = {
    "K3": (  # marks are undone everywhere in a candidate that is defanged
        Row("|hxxps[:]//evil[.]example/u/joe[@]corp[.]example|", uris="https://evil.example/u/joe@corp.example"),
        Row("|hxxps[:]//evil[.]example/u/joe(at)corp(dot)example|", uris="https://evil.example/u/joe@corp.example"),
        Row("|hxxps[:]//evil[.]example/r/hxxps[:]//x[.]example/a|", uris="https://evil.example/r/https://x.example/a"),
        Row("|hxxps[:]//evil[.]example/r/hxxp[://]x[.]example|", uris="https://evil.example/r/http://x.example"),
        Row("|hxxps[:]//evil[.]example/a[:]b|", uris="https://evil.example/a:b", warnings="refanged"),
        Row("|http://evil[.]exam|{ple/x", warnings=f"refanged {STOPS}", alternatives="http://evil.example/x"),
        Row('<|hxxp://a[.]example/x|> "|hxxp://b[.]example/x|"', "in exact wrappers", warnings="refanged refanged"),
        Row("|http://a.example/u/joe|[@]b x", "not defanged: a path ends at a bracket", warnings=STOPS),
        Row("|hxxp://evil[.]example/xhxxp/a|", "no link in it", uris="http://evil.example/xhxxp/a"),
        Row("|hxxp://evil[.]example/(see)| (a)", uris="http://evil.example/(see)", warnings="refanged"),
    ),
    "K4": (  # brackets with nothing or only stops in them; a host is never shortened in silence
        Row("|http://a|{.}evil.example/d", warnings=STOPS, alternatives="http://a.evil.example/d"),
        Row("|http://a.example/x|[.]y", warnings=STOPS, alternatives="http://a.example/x%5B.%5Dy"),
        Row("|http://a.example/x|[]y", warnings=STOPS, alternatives="http://a.example/x%5B%5Dy"),
        Row("|http://a.example/x|{,}y", warnings=STOPS, alternatives="http://a.example/x%7B,%7Dy"),
        Row("|http://a.example/|{.}", warnings=STOPS, alternatives="http://a.example/%7B.%7D"),
        Row("|urn:example:a|[.]b |doi:10.1000/182|[.]and", warnings=f"{STOPS} {STOPS}"),
        Row(
            "|http://a.example/x|[] |http://a.example/x|{} |http://a.example/x|[...] z",
            "nothing follows",
            alternatives="",
        ),
        Row("|http://a.example/x|} |http://a.example/x|]. |http://a.example/x|)y", "closers", warnings=""),
        Row("✗http://foo[.]example.com/✗ x", "inside a host it stays", reasons="bracket-outside-host"),
    ),
    "K4 defanged": (
        Row("|https://a| dot evil dot example/d", warnings=STOPS, alternatives="https://a.evil.example/d"),
        Row("|https://a|[.] evil[.]example/d x", warnings=f"refanged {STOPS}", alternatives="https://a.evil.example/d"),
        Row("|https://evil|<.>example/x", warnings=STOPS, alternatives="https://evil.example/x"),
        Row("|https://evil|<br> |https://evil.example/a| dot b", "no mark", warnings=""),
        Row("|https://a.example| Dot one", "a word", warnings=""),
    ),
    "K7": (  # an opener right behind a valid host ends it, closed or not
        Row("|https://example.com|[example website]", warnings=FOLLOWS),
        Row(
            "|https://example.com|[1, 2] |https://192.0.2.1|[1, 2] |https://localhost|[1, 2]",
            warnings=f"{FOLLOWS} " * 3,
        ),
        Row("|https://bücher.example|[1, 2]", uris="https://xn--bcher-kva.example/", warnings=FOLLOWS),
        Row("|https://example.com:8080|[1]x", warnings=FOLLOWS),
        Row("|http://example.org|[1] |http://a.com|(site) |http://a.com|（公式）"),
        Row("✗http://foo[.]example✗ ✗http://web[1-3].example/✗", reasons="bracket-outside-host " * 2),
        Row("✗http://e[xample.org✗ ✗http://user[x@host/✗", "no whole name", reasons="bracket-outside-host " * 2),
        Row("|http://intranet|[1, 2] |http://intranet|[1] x", warnings=f"{FOLLOWS} {STOPS}", alternatives=""),
        Row("|http://[2001:db8::1]/|", "an IP literal"),
    ),
    "K8": (  # a quotation mark behind a trimmed opener
        Row('|https://s.example/?f=|{"a":1} z', warnings=STOPS, alternatives="https://s.example/?f=%7B%22a%22:1%7D"),
        Row('|https://s.example/?f=|["a"] z', warnings=STOPS, alternatives="https://s.example/?f=%5B%22a%22%5D"),
        Row('|https://s.example/?f=|("a") z', warnings=STOPS, alternatives="https://s.example/?f=(%22a%22)"),
        Row(
            '|https://s.example/?q=|"foo"&hl=en z', warnings=STOPS, alternatives="https://s.example/?q=%22foo%22&hl=en"
        ),
        Row('`|https://s.example/?f=|{"a":1}` z', warnings=STOPS, alternatives="https://s.example/?f=%7B%22a%22:1%7D"),
        Row(
            '(|https://s.example/?q=|"foo"&hl=en) z',
            warnings=STOPS,
            alternatives="https://s.example/?q=%22foo%22&hl=en",
        ),
        Row(
            "'|https://s.example/?f=|{\"a\":1}' z", warnings=STOPS, alternatives="https://s.example/?f=%7B%22a%22:1%7D"
        ),
        Row('{|https://s.example/?f=|{"a":1}} z', warnings=STOPS, alternatives="https://s.example/?f=%7B%22a%22:1%7D"),
        Row('|https://s.example/?q=|" x |https://s.example/a|"b |https://s.example/a|,"b"', "ends", warnings=""),
        Row('"|https://s.example/?q=|"', "the wrapper closes", warnings="", wrappers='""'),
    ),
    "K8 unencoded": (
        Row('|https://s.example/?f={"a":1}| z', uris="https://s.example/?f=%7B%22a%22:1%7D", warnings="repaired"),
        Row('|https://s.example/?f=["a"]| z', uris="https://s.example/?f=%5B%22a%22%5D", warnings="repaired"),
        Row('|https://s.example/?q="foo"&hl=en| z', uris="https://s.example/?q=%22foo%22&hl=en", warnings="repaired"),
        Row('|https://s.example/?q=|"foo z', "it does not balance", warnings=STOPS),
        Row('|https://s.example/a|"b" z', "no opener before it", warnings=""),
        Row('|http://a|("x"y z', "the bracket is not closed", warnings=STOPS, alternatives=""),
    ),
    "K9": (  # symbols, box drawing, the full-width tilde
        Row("|https://t.me/x/41130|👍", warnings=FOLLOWS, alternatives="https://t.me/x/41130%F0%9F%91%8D"),
        Row("|https://a.example/a|👩‍💻❤️. x", warnings=FOLLOWS),
        Row(
            "|https://a.example/a|✓ |https://a.example/b|→ |https://a.example/c|¬ |https://a.example/d|↲",
            warnings=f"{FOLLOWS} " * 4,
        ),
        Row("│ |http://localhost:3000/api/health|│", warnings=""),
        Row("|http://a.example/x|│y", warnings=STOPS, alternatives="http://a.example/x%E2%94%82y"),
        Row("|https://a.example/info/～をご覧| x", warnings=FOLLOWS, alternatives="https://a.example/info/"),
        Row("|https://a.example/a|～ x |https://a.example/a|〜 x", warnings=""),
        Row(
            "|https://a.example/♨| |https://a.example/I♥b| |https://a.example/a/€5|",
            "inside, or a segment",
            warnings="",
        ),
        Row("|https://☃.example/| |https://a.example/é|", warnings="idna2008-disallowed"),
    ),
    "K13": (
        Row("|http://paypal|。com/login", warnings=STOPS, alternatives="http://paypal.com/login"),
        Row("|http://a.example|。com で", "a whole name ends before the stop of a sentence", warnings=""),
        Row(
            "|http://b.example/a?x=1https://a.example/|",
            warnings="second-scheme",
            alternatives="http://b.example/a?x=1 https://a.example/",
        ),
        Row("|http://b.example/a?x=https://a.example/| |http://b.example/web/1/http://c.example/|", warnings=""),
        Row("|https://a.example/|\u200bx", warnings=STOPS, alternatives="https://a.example/x"),
    ),
    "K14": (Row("✗https://matrix.to/#/#room:server✗", "without the option", reasons="second-fragment"),),
    "K14 unencoded": (
        Row("|https://matrix.to/#/#room:server|", uris="https://matrix.to/#/%23room:server", warnings="repaired"),
        Row("|https://a.example/#a¦b#c|", uris="https://a.example/#a%7Cb%23c"),
        Row("|https://a.example/#a|", warnings=""),
    ),
    "K18": (  # a row of marks right behind a host, and a character reference
        Row("-----|http://www.example.com|----------", warnings=FOLLOWS),
        Row(
            "|http://www.example.com|==== |http://www.example.com|&& x |http://www.example.com|+*~$",
            warnings=f"{FOLLOWS} " * 3,
        ),
        Row(
            "|http://www.example.com:80|== |http://u@www.example.com|--",
            warnings=f"{FOLLOWS} {FOLLOWS} userinfo-present",
        ),
        Row("✗http://evil&#46;com/x✗ ✗http://evil&shy;corp.com/✗", "a part of the host", reasons="host-label " * 2),
        Row(
            "✗http://u&#58;4711@h.example/✗ ✗http://u&commat;h.example/✗",
            "of the user",
            reasons="host-label host-label",
        ),
        Row("|https://a.example|&nbsp;b |https://a.example|&#160;b", warnings=f"{FOLLOWS} {FOLLOWS}"),
        Row("|https://a.example|&nbsp; |https://a.example/x&nbsp;b|", "trimmed; behind a path it is data", warnings=""),
        Row(
            "✗http://www.example.com~~~~foo✗ ✗http://www.exam-✗\nple.com ✗http://www.=✗\nexample.com",
            "text, the rest of a host",
            reasons="host-label " * 3,
        ),
        Row("|http://a.example/--| |http://a.example/?b==|", "behind a path they are data", warnings=""),
        Row("|foo://host--| x", "no name of the DNS", warnings="unregistered-scheme"),
    ),
}
OPTIONS = {"K3": DEFANGED, "K4 defanged": DEFANGED, "K8 unencoded": UNENCODED, "K14 unencoded": UNENCODED}


@pytest.mark.parametrize(
    ("number", "index"), [(number, index) for number, rows in ROWS.items() for index in range(len(rows))]
)
def test_row(number: str, index: int) -> None:
    holds(ROWS[number][index]._replace(options=OPTIONS.get(number, Options())))
