r"""Escape sequences of a terminal inside links, and around them (K2): `http://localhost:\x1b[1m5173\x1b[22m/`.

The notation is that of `marked_rows`. Beside the rows that must be joined stand texts that must stay as they are.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli_support import call
from tests.helpers.marked_rows import Row, holds, sieved
from urisieve import Options, Record, Rejection, extract, sieve
from urisieve.find import escaped, escapes
from urisieve.find.ends import candidates

REMOVED = "escapes-removed"
STOPS = "stops-at-excluded"
A = "http://a.example/x"
VITE = "http://localhost:\x1b[1m5173\x1b[22m/"

JOINED = (
    Row(
        "Local: |http://localhost:\x1b[1m5173\x1b[22m/|",
        "K2",
        uris="http://localhost:5173/",
        warnings=REMOVED,
        wrappers="-",
        alternatives="http://localhost/",
    ),
    Row("  \x1b[36m|http://localhost:\x1b[1m5173\x1b[22m/|\x1b[39m\n", "as Vite prints", uris="http://localhost:5173/"),
    Row("|https://user:\x1b[31mpw\x1b[0m@e.example/|", "K2", uris="https://user:pw@e.example/", alternatives=""),
    Row(
        "|https://user:12\x1b[31m34\x1b[0m@e.example/|", "no half", uris="https://user:1234@e.example/", alternatives=""
    ),
    Row(
        "|https://e.exam\x1b[1mple.com/x| y",
        "K2",
        uris="https://e.example.com/x",
        warnings=REMOVED,
        alternatives="https://e.exam/",
    ),
    Row("|https://\x1b[1me.example.com| y", "K2", uris="https://e.example.com/", warnings=REMOVED, alternatives=""),
    Row("<|https://e.exam\x1b[1mple.com/x|>", uris="https://e.example.com/x", wrappers="<>", warnings=REMOVED),
    Row('"|https://e.exam\x1b[1mple.com/x|"', uris="https://e.example.com/x", wrappers='""', warnings=REMOVED),
    Row('"|https://\x1b[1me.example.com|" <|https://\x1b[1me.example.com|>', wrappers='"" <>'),
    Row("(|https://e.exam\x1b[1mple.com/x|)", uris="https://e.example.com/x", wrappers="()"),
    Row("|http://a.\x1b[01;31m\x1b[Kexample\x1b[m\x1b[K/x| y", "as grep prints", uris=A, alternatives="http://a/"),
    Row("|http://a.example/\x9b1mx\x9b0m.html|", "CSI of eight bits", uris="http://a.example/x.html"),
    Row("|http://a.example/x.\x1b[1mhtml|\x1b[0m z", "behind a dot", uris="http://a.example/x.html", alternatives=A),
    Row("|http://my-\x1b[1mhost.example/| z", "and a hyphen", uris="http://my-host.example/", warnings=REMOVED),
    Row("|http://a.example/\x1b[38;5;22mx\x1b[38;2;0;0;0m/y| z", "colours are no resets", uris=f"{A}/y"),
    Row("|urn:isbn:\x1b[1m0395363411|\x1b[0m z", uris="urn:isbn:0395363411", warnings=REMOVED),
    Row("|mailto:joe@\x1b[1ma.example|\x1b[0m z", uris="mailto:joe@a.example", warnings=REMOVED),
    Row("\x1b[2m|http://\x1b[0m\x1b[1ma.example\x1b[0m/x| z", "what this program paints", uris=A, warnings=REMOVED),
    Row("|http://a.example/?u=\x1b[1mhttp|\x1b[0m z", uris="http://a.example/?u=http"),
    Row('{"m":"|http://localhost:\\u001b[1m5173\\u001b[22m/|"}', "escaped", warnings=f"{REMOVED} unescaped"),
    Row("|http://localhost:\x1b[1m5173\x1b[22m/?a=1\\u0026b=2| z", "both", uris="http://localhost:5173/?a=1&b=2"),
    Row("✗http://e.example:80a\x1b[1mb/✗ ✗http://e.example/%zz\x1b[1mx✗ z", reasons="bad-port bad-percent-encoding"),
    Row("<✗http://e.exam\x1b[1mple.com:80ab/✗>", "stated by its wrapper", reasons="bad-port"),
    Row(f"✗http://e.example/\x1b[1m%{'x' * 200}✗ z", "long", reasons="bad-percent-encoding"),
    Row("✗https://user:p\x1b[31mw¦\x1b[0m@e.example/✗ z", "a password", reasons="illegal-character"),
)
INVALID = (
    # What is valid before the first sequence stays, where the whole is not.
    Row(
        "|http://a.example/|\x1b[7m%\x1b[27m\x1b[K", "as zsh marks a line without end", warnings=STOPS, alternatives=""
    ),
    Row("|http://a.example|\x1b[1m\x1b[7m%\x1b[27m\x1b[1m\x1b[0m   \r \r", uris="http://a.example/", warnings=STOPS),
    Row("|http://e.example/|\x1b[1m%zz z", warnings=STOPS),
    Row("✗http://e.exam\x1b[1mple.com:80ab/✗ z", "another host", reasons="bad-port"),
    Row("|http://a.example/|\\x1b[7m%\\x1b[27m\\x1b[K", "as text", uris="http://a.example/", warnings=STOPS),
    Row("|http://a.example/\x1b[7m%41|\x1b[27m\x1b[K z", "valid", uris="http://a.example/A", warnings=REMOVED),
    Row("✗https://user:12\x1b[7m%\x1b[27mx4@e.example/✗ z", "half a password", reasons="bad-percent-encoding"),
)
CLOSED = (
    # What opens directly before a candidate is closed where it ends.
    Row("\x1b[4m|http://a.example/x|\x1b[24mfoo", "K2", uris=A, warnings=STOPS, alternatives="http://a.example/xfoo"),
    Row("\x1b[4m|http://a.example/x|\x1b[24m foo", warnings=""),
    Row("\x1b[4m|http://a.example/x|\x1b[0m, foo \x1b[1;36m|http://a.example/y|\x1b[m\x1b[K. Foo", warnings=""),
    Row("\x1b[38;5;22m|http://a.example/x|\x1b[39mfoo", uris=A, warnings=STOPS),
    Row("\x1b[0;32m|http://a.example/x|\x1b[0mfoo", uris=A, warnings=STOPS),
    Row("\x1b[4m|http://a.example/\x1b[1mx\x1b[22m/y|\x1b[24mfoo", "each its own", warnings=f"{REMOVED} {STOPS}"),
    Row("\x1b[0m|http://a.example/\x1b[1mx\x1b[22m/y| foo", "a reset opens nothing", uris=f"{A}/y", warnings=REMOVED),
    Row("\x1b[4m\x1b[24m|http://a.example/\x1b[24mx| foo", "closed before it", uris=A, warnings=REMOVED),
    Row("\x1b[4m |http://a.example/\x1b[24mx| foo", "not directly", uris=A, warnings=REMOVED),
    Row("\x1b[31m✗https://user:12\x1b[0m34@e.example/✗ z", "never half a password", reasons="illegal-character"),
)
APART = (
    # Sequences around links: as before.
    Row(
        "\x1b[32m|http://a.example/|\x1b[0m\n\x1b[1m|http://a.example/|\x1b[22m \x1b[K\n|http://a.example/|\x1b[K",
        warnings="",
    ),
    Row("\x1b[32m|http://a.example/|\x1b(B\x1b[m foo |http://a.example/|\x1b[0m", warnings=""),
    Row("\x1b]8;;|http://a.example/x|\x1b\\text\x1b]8;;\x1b\\ y", "OSC 8", uris=A, warnings=""),
    Row("\x1b]8;;|http://a.example/x|\x07text\x1b]8;;\x07y", warnings=""),
    Row("\x1b]8;;|http://a.example/x|\x1b\\|http://a.example/y|\x1b]8;;\x1b\\foo", warnings=""),
    Row(
        "|http://a.example/|\x1b[1m|http://b.example/|\x1b[0m |http://a.example/|\x1b[0m\x1b[1m|ftp://b.example/|",
        warnings="",
    ),
    Row('"|http://a.example/x|"\x1b[0mfoo (|http://a.example/x|)\x1b[0mfoo', wrappers='"" ()', warnings=""),
    # Other sequences end a candidate.
    Row("|http://a.example/x|\x1b[2Jfoo", uris=A, warnings=STOPS, alternatives="http://a.example/xfoo"),
    Row("|http://a.example/x|\x1b[2J foo |http://a.example/x|\x1b[2J", warnings=""),
    Row(
        "|http://a.example/x|\x1b(Bfoo |http://a.example/x|\x1b7foo |http://a.example/x|\x1b[?25h/",
        warnings=f"{STOPS} " * 3,
    ),
    Row(
        "|http://a.example/x|\x1b]0;title\x07foo |http://a.example/x|\x1b]0;title\x1b\\foo", warnings=f"{STOPS} {STOPS}"
    ),
    Row("|http://a.example/x|\x1b]0;title\x07 foo |http://a.example/x|\x1b]0;never foo", warnings=""),
    Row("|http://a.example/\x1b[1mx|\x1b[2Jfoo", uris=A, warnings=f"{REMOVED} {STOPS}"),
    Row(
        "|http://a.example/x|\x1b foo |http://a.example/x|\x1b[" + "1" * 80 + "mfoo |http://a.example/x|\x1b",
        warnings="",
    ),
    Row("http\x1b[1m://a.example/ x:\x1b[1my mailto:\x1b[0m INFO:\x1b[0m root https://\x1b[0m http:/\x1b[1m/a.example"),
)
OPTIONS = (
    Row("|www.exam\x1b[1mple.com/x| z", uris="http://www.example.com/x", options=Options(schemeless="www")),
    Row(
        "|1a.com|\x1b[m@|http://e.example|> z",
        "a name before a sequence, however the text is cut",
        uris="http://1a.com/ http://e.example/",
        warnings="scheme-assumed stops-at-excluded",
        options=Options(schemeless="names", email=True),
    ),
    Row("|hxxp://e[.]exam\x1b[1mple/x| z", uris="http://e.example/x", options=Options(refang="known-forms")),
    Row("|http://a.example/\x1b[1mx{y}| z", uris="http://a.example/x%7By%7D", options=Options(repair="encode")),
    Row("http://e.exam\x1b[1mple/x", options=Options(exclude_schemes={"http"})),
    Row(f"✗http://a.example/\x1b[1m{'x' * 43}✗xx y", reasons="too-long", options=Options(max_length=64)),
)


@pytest.mark.parametrize("row", [*JOINED, *INVALID, *CLOSED, *APART, *OPTIONS])
def test_row(row: Row) -> None:
    holds(row)


# The links as they stand in a text, how strings of JSON hold them, and what they are.
HELD = (
    (VITE, "http://localhost:5173/", REMOVED),
    ("https://user:\x1b[31mpw\x1b[0m@e.example/", "https://user:pw@e.example/", REMOVED),
    ("https://\x1b[1me.example.com", "https://e.example.com/", REMOVED),
    ("https://e.exam\x1b[1mple.com/x\x1b[0m", "https://e.example.com/x", REMOVED),
    ("https://a.example/?x=1\\u0026y=2", "https://a.example/?x=1&y=2", "unescaped"),
    ("https:\\u002F\\u002Fa.example\\u002Fx", "https://a.example/x", "unescaped"),
    ("https:\\/\\/a.example\\/x", "https://a.example/x", "unescaped"),
    ("https://a.example\\/x", "https://a.example/x", "unescaped"),
)


@pytest.mark.parametrize(("link", "uri", "warning"), HELD)
def test_carriers(link: str, uri: str, warning: str, tmp_path: Path) -> None:
    page = f'<p>{link}</p><script>s={{u:"{link}"}}</script>' if "\x1b" not in link else f"<p>see</p><pre>{link} x</pre>"
    strings = {"a": link, "b": f"see {link} and"}
    for name, text in (
        ("a.txt", f"see {link} and\n"),
        ("a.json", json.dumps(strings)),
        ("a.jsonl", "".join(json.dumps({key: value}) + "\n" for key, value in strings.items())),
        ("a.csv", "name,link\n" + f"x,{link}\n" * 3),
        ("a.html", page),
        ("a.eml", f"From: a@a.example\nSubject: x\n\nsee {link} and\n"),
    ):
        (tmp_path / name).write_text(text)
        shown = call("extract", "--format", "jsonl", "--show-passwords", str(tmp_path / name))
        assert {one.get("uri") for one in shown.rows} == {uri}, (name, shown)
        assert all(warning in one["warnings"] for one in shown.rows), (name, shown)


def test_nothing_of_a_password_is_written() -> None:
    text = "".join(
        f"{link}\n"
        for link in (
            "https://user:SEC\x1b[31mRET\x1b[0m@e.example/",
            "\x1b[31mhttps://user:SEC\x1b[0mRET@e.example/",
            "https://user:SEC\\u0026RET@e.example/",
            "https://user:SEC\\dRET@e.example/",
            "https://user:\x1b[2JSECRET@e.example/",
            "https://user:SEC\x1b]0;x\x07RET@e.example/",
            "https://user:SEC\x1b[31m|RET@e.example/",
            '"https://user:SEC\x1b[31m RET@e.example/"',
        )
    )
    for written in ("jsonl", "csv", "lines"):
        shown = call("extract", "--format", written, "--rejected", "-", stdin=text.encode())
        assert b"SEC" not in shown.out + shown.err.encode(), written
        assert b"RET" not in shown.out + shown.err.encode(), written


def test_raw_text_is_masked_as_a_whole() -> None:
    (found,) = extract("https://user:SEC\x1b[31mRET\x1b[0m@e.example/x")
    assert found.uri == "https://user:SECRET@e.example/x"
    assert found.masked().raw == "https://user:***@e.example/x"
    (rejected,) = (one for one in sieved("https://user:SEC\x1b[31m|RET@e.example/x z") if isinstance(one, Rejection))
    assert "SEC" not in rejected.masked().raw


def test_places_of_rejections() -> None:
    (rejected,) = sieved("<http://e.exam\x1b[1mple.com:80ab/> z")
    assert isinstance(rejected, Rejection)
    assert rejected.raw[rejected.offset :] == "ab/"


@pytest.mark.parametrize("unit", ["\x1b[1m", "\x1b[1mx", "\x1b]x\x07", "\x1b[2J", "\x1b", "\\u001b[1m", "\\u0026"])
def test_sequences_without_end(unit: str) -> None:
    values = list(sieve(f"http://a.example/{unit * 20_000}"))
    assert all(value.start == 0 for value in values[:1])
    assert len(values) == 1


ROWS_WITHOUT_BLANKS = (
    "http://a\\x1b[1m",
    "http://a/x\\x1b[3",
    "http://a/x\x1b[3",
    "\x1b]8;;http://a/",
    "http://u:p\x1b[1m",
    "http://u:p\\x1b[1m",
    "http://u:4711\\n",
    "http://a\x1b[1m%",
    "http://a/x\x1b[2Jy",
    "http://a/x\x1b]0;t t\x07y",
    "\x1b[1mhttp://a/x\x1b[0my",
)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("unit", ROWS_WITHOUT_BLANKS)
@pytest.mark.parametrize("repair", ["off", "encode"])
def test_each_candidate_reads_its_own_run(unit: str, repair: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0
    made = candidates.plain_text

    def counted(text: str, first: int, stop: int, *more: Any) -> candidates.PlainText:
        nonlocal read
        read += stop - first
        return made(text, first, stop, *more)

    for module in (escaped, escapes):
        monkeypatch.setattr(module, "plain_text", counted)
    counts = []
    for times in (200, 800):
        read = 0
        list(sieve(unit * times, options=Options(repair=repair)))
        counts.append(read)
    assert counts[1] <= 6 * max(counts[0], 1_024), counts


@pytest.mark.long
def test_many_sequences() -> None:
    path = "/".join(f"\x1b[{number % 8 + 30}m{number:x}" for number in range(600))
    (found,) = sieved(f"http://a.example/{path}")
    assert isinstance(found, Record)
    assert found.uri == "http://a.example/" + "/".join(f"{number:x}" for number in range(600))
