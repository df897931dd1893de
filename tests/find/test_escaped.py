r"""Links whose slashes are escaped, `https:\/\/a.example\/x`: in JSON, scripts, dumps, JSON in JSON (F2).

The notation is that of `marked_rows`. Beside the rows that must be found stand texts that must stay as they are.
"""

from __future__ import annotations

import json
import random

import pytest

from tests.helpers.marked_rows import Row, holds, sieved
from urisieve import Options, Record, Rejection, Scanner, defang, explain, extract, sieve
from urisieve.explanation import Explanation
from urisieve.syntax.passwords import suspected_passwords

UNESCAPED = "unescaped"
EXCLUDED = "stops-at-excluded"
STOPS = "stops-at-excluded unescaped"
BOTH = f"{UNESCAPED} {UNESCAPED}"
A = "https://a.example/x"

FOUND = (
    Row("see |https:\\/\\/a.example\\/x| and", uris=A, warnings=UNESCAPED, wrappers="-", alternatives=""),
    Row("|https:\\/\\/a.example\\/x|", "alone", uris=A, warnings=UNESCAPED),
    Row('{"url":"|https:\\/\\/a.example\\/x|","b":"x\\/y"}', uris=A, warnings=UNESCAPED, wrappers='""'),
    Row('f({"u":"|https:\\/\\/a.example\\/|"});', "JSONP", warnings=UNESCAPED, uris="https://a.example/"),
    Row("(1,'|https:\\/\\/a.example\\/x|','y'),", "a dump", uris=A, warnings=UNESCAPED, wrappers="''"),
    Row('{\\"u\\":\\"|https:\\/\\/a.example\\/x|\\",\\"b\\":1}', "a string in one", uris=A, wrappers='""'),
    Row('"{\\"u\\":\\"|https:\\\\/\\\\/a.example\\\\/x|\\"}"', "two backslashes", uris=A, warnings=UNESCAPED),
    Row('"{\\"u\\":\\"|https:\\\\\\/\\\\\\/a.example\\\\\\/x|\\"}"', "three", uris=A, warnings=UNESCAPED),
    Row("|https:" + 2 * ("\\" * 15 + "/") + "a.example| x", "fifteen", warnings=UNESCAPED),
    Row("|https:\\/\\/a.example\\/?a=1\\u0026b\\u003D2|", uris="https://a.example/?a=1&b=2", warnings=UNESCAPED),
    Row("|https:\\\\\\/\\\\\\/a.example\\\\\\/?a=1\\\\u0026b=2| x", uris="https://a.example/?a=1&b=2"),
    Row("|https:\\/\\/a.example\\/?a\\x3d1\\x26b| x", "of a script", uris="https://a.example/?a=1&b"),
    Row('"|https:\\/\\/a.example\\/caf\\u00e9|"', uris="https://a.example/caf%C3%A9", warnings=UNESCAPED),
    Row('"|https:\\/\\/a.example\\/\\ud83d\\ude00|"', "a pair", uris="https://a.example/%F0%9F%98%80"),
    Row('"a\\n|https:\\/\\/a.example\\/x|\\nb"', uris=A, warnings=f"scheme-cut {UNESCAPED}"),
    Row('"|https:\\/\\/a.example\\/x|\\r\\nb |https:\\/\\/a.example\\/x|\\tb"', uris=f"{A} {A}", warnings=BOTH),
    Row('"<a href=\\"|https:\\/\\/a.example\\/x|\\">x<\\/a>"', uris=A, warnings=UNESCAPED, wrappers='""'),
    Row("\\u003Ca href=\\u0022|https:\\/\\/a.example\\/x|\\u0022\\u003Ex", uris=A, warnings=f"scheme-cut {UNESCAPED}"),
    Row("&quot;|https:\\/\\/a.example\\/x|&quot;,&quot;b&quot;:&quot;x/y&quot;", uris=A, wrappers='""'),
    Row("(|https:\\/\\/a.example\\/x|). <|https:\\/\\/a.example\\/x|>", uris=f"{A} {A}", wrappers="() <>"),
    Row("|https:\\/\\/a.example\\/x|, |https:\\/\\/a.example\\/x|.", "trimmed", uris=f"{A} {A}", warnings=BOTH),
    Row("|https:\\/\\/[::1]:8080\\/x| |wss:\\/\\/a.example\\/| |HTTP:\\/\\/A.Example|", warnings=f"{BOTH} {UNESCAPED}"),
    Row("URL:|https:\\/\\/a.example\\/x| <URL: |https:\\/\\/a.example\\/x|>", uris=f"{A} {A}", wrappers="- <>"),
    Row("/^|https:\\/\\/www\\.a\\.example\\/x$|/", "a pattern", uris="https://www.a.example/x$", warnings=STOPS),
    Row("|https:\\/\\/a.example\\/1,https:\\/\\/b.example\\/2|", warnings=f"second-scheme {UNESCAPED}"),
    Row("|https:\\/\\/a.example\\/?u=https:\\/\\/b.example\\/|", "one in one", warnings=UNESCAPED),
    Row("|https:\\/\\/a.example|に \\u3042", "text without blanks", warnings=f"text-follows {UNESCAPED}"),
    Row("|https:\\/\\/a.example\\/x|\\u2026", warnings=f"may-be-shortened {UNESCAPED}"),
    Row("|foo:\\/\\/a\\/x|", "any scheme", warnings=f"{UNESCAPED} unregistered-scheme"),
    Row("|https:\\/\\/a.example\\/x|\\ b |https:\\/\\/a.example\\/x|\\", warnings=BOTH),
    # A quotation mark may have more backslashes than a slash, up to fifteen.
    *(
        Row(f"'|https:\\/\\/a.example\\/x|{count * backslash}'`", uris=A, wrappers=wrapper)
        for backslash in ("\\",)
        for count, wrapper in ((2, "''"), (15, "''"), (16, "-"), (60, "-"), (600, "-"))
    ),
)
ENDS = (
    # Another number of backslashes ends a bare candidate.
    Row("s/|https:\\/\\/a.example\\/x|/y/", uris=A, warnings=STOPS, alternatives="https://a.example/x/y/"),
    Row(
        "s/|https:\\/\\/a.example\\/x|/|https:\\/\\/a.example\\/x|/g",
        uris=f"{A} {A}",
        warnings=f"{STOPS} {STOPS}",
        alternatives="https://a.example/x/g",
    ),
    Row("|https:\\/\\/a.example|/x y", uris="https://a.example/", warnings=STOPS, alternatives=A),
    Row("|https:\\/\\/a.example|\\\\/x y", uris="https://a.example/", warnings=STOPS, alternatives=A),
    Row('"|https:\\/\\/a.example/x|"', "but a string of JSON may hold it", uris=A, warnings=UNESCAPED, wrappers='""'),
    Row('"|https:\\/\\/a.example/x\\/y|", "b"', uris="https://a.example/x/y", warnings=UNESCAPED),
    Row("|https:\\/\\/a.example\\/x|{y} z", warnings=STOPS, alternatives="https://a.example/x%7By%7D"),
    Row("|https:\\/\\/a.example\\/|\\d+ z", warnings=STOPS, alternatives="https://a.example/%5Cd+"),
    Row("|https:\\/\\/a.example\\/|\\\\n z", "a backslash, in a string with single ones", warnings=STOPS),
    Row("|https:\\/\\/a.example\\/|\\u005cb z", warnings=STOPS, alternatives="https://a.example/%5Cb"),
    Row("|https:\\/\\/a.example\\/x|\\u0020y |https:\\/\\/a.example\\/x|\\u0000y", warnings=BOTH),
    Row("|https:\\/\\/a.example\\/x|\\ud83dy", "half a pair", warnings=STOPS),
    Row("✗https:\\/\\/a.example:80ab\\/✗ ✗https:\\/\\/a.example\\/%zz✗", reasons="bad-port bad-percent-encoding"),
    Row("✗https:\\/\\/u:sec¦ret@a.example\\/x✗ z", "a password", reasons="illegal-character"),
)
NUMBERED = (
    # L3: slashes by their numbers, as scripts of pages have them.
    Row('s={u:"|https:\\u002F\\u002Fa.example\\u002Fx|"}', "L3", uris=A, warnings=UNESCAPED, wrappers='""'),
    Row("|https:\\u002f\\u002Fa.example\\u002fx|", "any case", uris=A, warnings=UNESCAPED),
    Row("'|https:\\x2F\\x2fa.example\\x2Fx|'", uris=A, warnings=UNESCAPED, wrappers="''"),
    Row('\\"|https:\\\\u002F\\\\u002Fa.example\\\\u002Fx|\\"', "a string in one", uris=A, warnings=UNESCAPED),
    Row("|https:\\u002F\\u002Fa.example/x| y", "later slashes need no escape", uris=A, warnings=UNESCAPED),
    Row('"|https:\\u002F\\u002Fa.example\\u002Fx|\\u0022', "a stop", uris=A, warnings=UNESCAPED),
    Row("✗https:\\u002F\\u002Fa.example:80ab\\u002F✗ z", reasons="bad-port"),
    Row("https:\\u002F\\\\u002Fa.example https:\\u002Fa https:\\u002F\\u002F C:\\u002F\\u002Fa https:\\u002Ga x:\\x2"),
)
INSIDE = (
    # L3: escapes directly inside a candidate.
    Row("|https://a.example/?x=1\\u0026y=2| z", "L3", uris="https://a.example/?x=1&y=2", warnings=UNESCAPED),
    Row('{"url":"|https://a.example/?x=1\\u0026y=2|"}', "L3", uris="https://a.example/?x=1&y=2", wrappers='""'),
    Row("<|https://a.example/?x=1\\x26y=2|>", uris="https://a.example/?x=1&y=2", warnings=UNESCAPED, wrappers="<>"),
    Row('\\"|https://a.example/?x=1\\\\u0026y=2|\\"', "a string in one", uris="https://a.example/?x=1&y=2"),
    Row("|https://a.example\\/x| y", "`\\\\/` is a slash", uris=A, warnings=UNESCAPED, wrappers="-"),
    Row('"|https://a.example\\/x|"', uris=A, warnings=UNESCAPED, wrappers='""'),
    Row("|https://a.example/\\ud83d\\ude00|", "a pair", uris="https://a.example/%F0%9F%98%80", warnings=UNESCAPED),
    Row("|https://a.example/caf\\u00e9/\\u0041| z", uris="https://a.example/caf%C3%A9/A", warnings=UNESCAPED),
    Row("(|https://a.example/?a\\u003db|).", uris="https://a.example/?a=b", warnings=UNESCAPED, wrappers="()"),
    Row("|https://a\\u002eexample/| z", "in a host", uris="https://a.example/", warnings=UNESCAPED),
    Row("mail |mailto:joe\\u0040a.example| z", uris="mailto:joe@a.example", warnings=UNESCAPED),
    Row("|https://a.example/?x=1.\\u0026y=2| z", "behind a dot", uris="https://a.example/?x=1.&y=2"),
    Row("|https://a.example/x|\\u0022 |https://a.example/x|\\u003cb |https://a.example/x|\\n", warnings=""),
    Row(
        "|https://a.example/x|\\nfoo |https://a.example/x|\\u0020foo |https://a.example/x|\\r\\n", "stops", warnings=""
    ),
    Row("|https://a.example/?x=1\\u0026y=2|\\u003e z", uris="https://a.example/?x=1&y=2", warnings=UNESCAPED),
    Row(
        "|https://a.example/x|\\d z",
        "no such escape",
        warnings="stops-at-excluded",
        alternatives="https://a.example/x%5Cd",
    ),
    Row(
        "|https://a.example/x|\\u00 z |https://a.example/x|\\xg", "cut", warnings="stops-at-excluded stops-at-excluded"
    ),
    Row("|https://a.example/?x=1\\u0026y|\\\\u0026z a", "more backslashes", warnings=STOPS),
    Row("|https://a.example/x|\\u005cb z", "a backslash", warnings="stops-at-excluded"),
    Row(
        "|https://a.example|\\x64\\setup.exe z",
        "a letter behind a host: a path of Windows",
        warnings="stops-at-excluded",
    ),
    Row("\\url{|https://a.example/x|}\\u0041 [|https://a.example/x|]\\u0041", "behind a wrapper", warnings=""),
    # Behind a host they may be a path of Windows, if a small letter or a digit follows, and no link.
    Row(
        "|http://server|\\newfolder\\x |http://server|\\temp\\x |http://server|\\readme z", warnings=f"{EXCLUDED} " * 3
    ),
    Row(
        "|http://localhost:8080|\\new\\x |http://a.example|\\r4 |http://a.example|.\\\\temp",
        warnings=f"{EXCLUDED} " * 3,
    ),
    Row(
        "|http://a.example|\\nFoo |http://a.example|\\n |http://a.example|\\r\\nfoo |http://a.example|\\t-", warnings=""
    ),
    Row("|http://a.example|\\n|http://b.example|\\t|http://c.example|\\n", warnings="scheme-cut scheme-cut"),
    Row("|http://a.example/a|\\nb |http://a.example/|\\nb |http://a.example/?x|\\tb", warnings=""),
    # Inside a user they are of its password, if an at-sign follows.
    Row("✗http://u:4711\\n0815@h.example/✗ ✗http://u:4711\\tX@h.example/✗ z", reasons="illegal-character " * 2),
    Row("✗http:\\u002F\\u002Fu:4711\\n0815@h.example/✗ z", reasons="illegal-character"),
    Row(
        "✗http:\\/\\/u:4711\\r0815@h.example\\/✗ ✗http://u:4711\\u00200815@h.example/✗",
        reasons="illegal-character " * 2,
    ),
    Row("✗http://u:47\\nX\\tY@h.example/✗ ✗http://u:pw\\nX@h.example/✗ z", reasons="illegal-character " * 2),
    Row("|http://h.example:80|\\nX@h.example |http://u:4711|\\nX joe@h.example", "a port", warnings=""),
    Row("|http:\\/\\/h.example:80|\\nX@h.example |http:\\/\\/h.example:80\\/x|\\nX@h.example", warnings=BOTH),
    Row('"✗https://a.example/\\u0026%zz✗" ✗https://a.example/\\u0026%zz✗', reasons="bad-percent-encoding " * 2),
    Row("✗https://u:sec\\dret@a.example/✗ z", "a password", reasons="illegal-character"),
    Row("|https://u:sec\\u0026ret@a.example/| z", uris="https://u:sec&ret@a.example/"),
)
TERMINAL = (Row("|https:\\/\\/a.example\\/x|\x1b\\@y z", "ESC before an escape", warnings=f"{EXCLUDED} {UNESCAPED}"),)
NOTHING = (
    Row("C:\\/ C:\\/\\/x x:\\/ LaTeX:\\/ \\\\server\\/x C:\\Users\\/ https:\\/a http:/\\/a http:\\//a :\\/\\/a"),
    Row('https:\\/\\\\/a.example https:\\\\/\\/a.example https:\\/\\ https:\\/\\/ https:\\/\\/" std:\\/\\/'),
    Row("https:" + "\\" * 16 + "/" + "\\" * 16 + "/a.example"),
    Row('"INFO:\\/x" "\\/\\/a.example\\/x" "a\\/b"'),
)
OPTIONS = (
    Row(
        "|hxxps:\\/\\/e[.]example\\/x|",
        uris="https://e.example/x",
        warnings=f"refanged {UNESCAPED}",
        options=Options(refang="known-forms"),
    ),
    Row(
        "|https:\\/\\/a.example\\/x{y}/z| b",
        uris="https://a.example/x%7By%7D/z",
        warnings=f"{UNESCAPED} repaired",
        options=Options(repair="encode"),
    ),
    Row("|https:\\/\\/a.example\\/x| b", uris=A, options=Options(schemeless="names", email="addresses")),
    Row("x:\\/ C:\\/\\/y |foo:\\/\\/a| \\n", options=Options(schemes="any")),
    Row("ftp:\\/\\/a.example |https:\\/\\/a.example\\/x|", options=Options(schemes={"https"})),
    Row("https:\\/\\/a.example\\/x https://a.example\\/x", options=Options(exclude_schemes={"https"})),
    Row("|https://a.example/?a\\u0026b| z", uris="https://a.example/?a&b", options=Options(repair="encode")),
    Row('"|https://a.example/?a\\u0026b|"', warnings=UNESCAPED, options=Options(repair="encode")),
    Row("|https://a.example/x\\y| z", warnings="repaired", options=Options(repair="encode")),
    Row(
        "|hxxps://e[.]example/?a\\u0026b| |www.a.example/?a\\u0026b| z",
        options=Options(refang="known-forms", schemeless="names", email="addresses"),
    ),
    Row(f"✗https:\\/\\/a.example\\/{'x' * 43}✗xx y", reasons="too-long", options=Options(max_length=64)),
)


@pytest.mark.parametrize("row", [*FOUND, *ENDS, *NUMBERED, *INSIDE, *TERMINAL, *NOTHING])
def test_row(row: Row) -> None:
    holds(row)


@pytest.mark.parametrize("row", OPTIONS)
def test_row_with_options(row: Row) -> None:
    holds(row)


LINKS = (
    "https://a.example/",
    "http://b.example/x/y.html?a=1&b=é#z",
    "ftp://c.example:2121/中/%20",
    "ws://u@d.example/😀",
)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_every_link_of_a_string_in_a_string(depth: int, ascii_only: bool) -> None:
    value: object = {"links": list(LINKS), "text": f'see {LINKS[0]}\nand\t{LINKS[1]}, "{LINKS[2]}"'}
    for _ in range(depth):
        value = json.dumps(value, ensure_ascii=ascii_only).replace("/", "\\/")
    assert isinstance(value, str)
    found = [one for one in sieved(value) if isinstance(one, Record)]
    plain = [next(extract(link)).uri for link in (*LINKS, *LINKS[:3])]
    assert [one.uri for one in found] == plain
    assert all(UNESCAPED in one.warnings for one in found)
    assert not any("stops-at-excluded" in one.warnings for one in found)


def test_a_long_candidate_in_small_pieces() -> None:
    path = "\\/".join(f"{number:x}" for number in range(3_000))
    text = f'"https:\\/\\/a.example\\/{path}" https:\\/\\/b.example'
    whole = [one.as_dict() for one in sieve(text)]
    chance = random.Random(7)
    for longest in (3, 40, 700):
        scanner = Scanner()
        found, start = [], 0
        while start < len(text):
            end = start + chance.randint(1, longest)
            found += scanner.feed(text[start:end])
            start = end
        found += scanner.close()
        assert [one.as_dict() for one in found] == whole
    assert whole[0]["uri"] == f"https://a.example/{path}".replace("\\", "")


def test_passwords_are_masked_in_the_raw_text() -> None:
    (own,) = extract("https:\\/\\/u:SECRET@a.example\\/x")
    assert own.masked().raw == "https:\\/\\/u:***@a.example\\/x"
    (inner,) = extract("https:\\/\\/a.example\\/?u=https:\\/\\/u:SECRET@b.example\\/")
    assert inner.masked().raw == "https:\\/\\/a.example\\/?u=https:\\/\\/u:***@b.example\\/"
    (both,) = extract("https:\\/\\/u:SECRET@a.example\\/?u=https:\\/\\/u:SECRET@b.example\\/")
    assert "SECRET" not in both.masked().raw
    (encoded,) = extract("https:\\/\\/u:SECRET\\u0040a.example\\/x")
    assert encoded.masked().raw == "https://u:***@a.example/x"
    (rejected,) = (one for one in sieved("https:\\/\\/u:SEC|RET@a.example\\/?u=https:\\/\\/u:SECRET@b.example\\/ x"))
    assert isinstance(rejected, Rejection)
    assert "SEC" not in rejected.masked().raw
    assert suspected_passwords("https:\\/\\/a.example:80x\\/?u=https:\\/\\/u:SECRET@b.example\\/")


def test_what_stands_in_one_is_found_where_it_is_asked_for() -> None:
    text = "x https:\\/\\/a.example\\/?u=https:\\/\\/b.example\\/ y"
    outer, inner = extract(text, options=Options(nested="report"))
    assert (inner.uri, inner.raw) == ("https://b.example/", "https:\\/\\/b.example\\/")
    assert text[inner.start : inner.end] == inner.raw
    assert inner.warnings == ("nested", UNESCAPED)
    wrapped = "https:\\/\\/www.google.com\\/url?q=https:\\/\\/a.example\\/x\\u0026sa=D"
    assert [one.uri for one in extract(wrapped, options=Options(unwrap="known"))][1] == A
    assert outer.start == 2


def test_it_is_explained_and_defanged() -> None:
    explained = explain("https:\\/\\/a.example\\/x")
    assert isinstance(explained.remedied, Explanation)
    assert [(str(step.rule), step.after) for step in explained.remedied.steps] == [("unescape", A)]
    assert [str(warned.warn) for warned in explained.remedied.warnings] == [UNESCAPED]
    assert defang("https:\\/\\/a.example\\/?https:\\/\\/b") == "hxxps:\\/\\/a[.]example\\/?https:[\\/]\\/b"
    assert defang("foo:\\/\\/a.example") == "foo[:\\/\\/]a[.]example"
