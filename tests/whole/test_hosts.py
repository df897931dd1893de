"""The same host for everybody: from a canonical URI each parser reads the host of its record, or the record says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

import compare_hosts
from hosts.comparison import TABLES, Counts, Kind, compare, is_same, is_written_otherwise
from hosts.hostile_links import hostile_links
from hosts.parsers import HostParser, host_parsers, python_parsers
from tests.helpers.cli_support import call
from tests.helpers.two_searches import Case, difference
from urisieve import Options, Record, check, extract, parse
from urisieve.codes import Warn
from urisieve.kernel import compiled

# Texts, and what other programs read; none where all read the same.
READINGS: Final = (
    # A number (WHATWG URL 3.5): as browsers read it, then with decimal digits alone.
    ("http://0x7f.1/a?b#c", "http://127.0.0.1/a?b#c"),
    ("HTTPS://2130706433:443", "https://127.0.0.1/"),
    ("http://010.0.0.1/", "http://8.0.0.1/ http://10.0.0.1/"),
    ("ftp://u@127.0.0.1./", "ftp://u@127.0.0.1/"),
    ("ws://%30x7f.1:80/", "ws://127.0.0.1/"),
    ("http://１２７.1/", "http://127.0.0.1/"),
    ("http://127.0.0.1/", ""),
    ("http://999.1/", ""),  # which they refuse
    ("http://1.2.3.4.5/", ""),
    ("http://a.1/", ""),
    ("http://0x7g/", ""),
    # The same of schemes whose hosts are none of the DNS.
    ("file://0x7f.1/a", "file://127.0.0.1/a"),
    ("FILE://127.0.0.1./a", "file://127.0.0.1/a"),
    ("file://%31.2.3/a", "file://1.2.0.3/a"),
    ("file://192.168.0.1/a", ""),
    ("file://2.example/a", ""),
    ("file:///1/a", ""),
    ("foo://10/a", "foo://0.0.0.10/a"),
    ("foo://a.10/a", ""),
    ("irc://0x7f.1/", "irc://127.0.0.1/"),
    # The deviations of UTS 46: sharp s, final sigma, joiners.
    ("http://faß.example/", "http://fass.example/"),
    ("http://FAẞ.example/", "http://fass.example/"),
    ("http://fa%C3%9F.example/", "http://fass.example/"),
    ("http://λόγος.example/", "http://xn--oxapnq6b.example/"),
    ("http://क्\u200dष.example/", "http://xn--11b2ezc.example/"),
    ("http://xn--fa-hia.example/", ""),  # which leaves no choice
    ("http://bücher.example/", ""),
    ("foo://faß/", ""),
    # A capital sigma at the end, which becomes another one in lower case.
    ("http://ΟΔΟΣ/", "http://xn--pxavbm/"),
    ("http://ΟΔΟΣ.example/", ""),
)


def _others(record: Record) -> str:
    assert (Warn.HOSTS_DISAGREE in record.warnings) is bool(record.alternatives)
    return " ".join(record.alternatives)


@pytest.mark.parametrize(("text", "others"), READINGS)
def test_other_hosts_are_among_the_alternatives(text: str, others: str) -> None:
    assert _others(parse(text)) == others
    (found,) = extract(f"see <{text}> there")
    assert _others(found) == others
    (found,) = extract(f"see {text} there\n")
    assert _others(found) == others
    for other in others.split():
        assert _others(parse(other)) == ""


@pytest.mark.skipif(not compiled, reason="compares the kernel with Python")
def test_both_engines_say_the_same() -> None:
    whole = "\n".join(f"{text} and <{text}>, {text}" for text, _ in READINGS)
    plain, spoofing, nested = Options(), Options(spoofing=True), Options(nested=True)
    for options in (
        plain,
        Options(level="syntax"),
        Options(level="none"),
        Options(merge=["strip-www"]),
        spoofing,
        nested,
    ):
        assert difference(Case([whole], options)) is None
        assert difference(Case([whole.encode()], options)) is None


def test_what_is_written_names_the_other_host(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("http://user:secret@0x7f.1/ http://faß.example/\n", "utf-8")
    done = call("extract", "-q", "--format", "jsonl", str(text))
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [row["alternatives"] for row in rows] == [["http://user:***@127.0.0.1/"], ["http://fass.example/"]]
    assert call("extract", "-q", "--fail-on", "hosts-disagree", str(text)).status == 3
    done = call("extract", "-q", "--only", "warning=hosts-disagree", "--fields", "host", "--format", "text", str(text))
    assert done.out.decode().split() == ["0x7f.1", "xn--fa-hia.example"]


def test_the_other_host_is_the_detail() -> None:
    found = parse("http://user:secret@010.0.0.1/")
    details = [notice.detail for notice in found.notices if notice.warn is Warn.HOSTS_DISAGREE]
    assert details == ["8.0.0.1", "10.0.0.1"]
    done = call("check", "--format", "jsonl", "--parts", "--safe", "defang", "http://0x7f.1/")
    assert {"warn": "hosts-disagree", "detail": "127[.]0[.]0[.]1"} in json.loads(done.out)["notices"]
    assert b"hosts-disagree `127.0.0.1`: some programs read" in call("explain", "http://0x7f.1/").out


def test_a_wrapped_link_has_its_readings() -> None:
    options = Options(unwrap="any", refang="known-forms", nested=True)
    for text in ("http://e.example/?u=http%3A%2F%2F0x7f.1%2Fa", "http://e.example/?u=hxxp%3A%2F%2F0x7f.1%2Fa"):
        inner = list(extract(text, options=options))[-1]
        assert (inner.uri, inner.alternatives) == ("http://0x7f.1/a", ("http://127.0.0.1/a",))


def test_merged_links_have_the_readings_that_are_merged_alike() -> None:
    found = parse("http://www.faß.example/?utm_source=a", options=Options(merge=["drop-tracking"]))
    assert found.alternatives == ("http://www.fass.example/",)


# ---------------------------------------------------------------- beside the parsers at hand

QUICK: Final = python_parsers()[0]
CANONICAL: Final = ("canonical", "others")
# What is known of other schemes: libcurl skips a third slash, so an empty host becomes the next segment; Perl takes
# all of the authority of `file` for its host, and the WHATWG rules map it.
KNOWN: Final = (Kind.SLASHES, Kind.AUTHORITY, Kind.FILE)


def _unsaid(strings: list[str], parsers: list[HostParser]) -> list[str]:
    """Return what is read as another host though the record does not say so."""
    counts = Counts()
    found = compare(strings, parsers, counts, CANONICAL)
    assert all(counts.columns["canonical", one.name, "same"] > 0.3 * counts.valid for one in parsers) or not strings
    assert any(one.is_named for one in found)  # or nothing was compared
    silent = [one for one in found if not one.is_named and (one.table == "canonical" or one.kind not in KNOWN)]
    return [f"{one.parser} reads {one.host!r} from {one.text!r}" for one in silent]


def test_parsers_of_python_read_the_same_host() -> None:
    assert _unsaid(list(hostile_links(1, 0, 1_000)), QUICK) == []


def _is_asked_well(parser: HostParser) -> bool:
    """Report whether it reads a host, none of what has none, an address of IPv6, and one beyond ASCII or refuses it."""
    read = parser.hosts(["http://u@A.example:80/b?c#d", "mailto:a@b.example", "http://[::1]/", "http://ü.example/"])
    host, none, address, wide = [one and one.lower() for one in read]
    is_right = host == "a.example" and not none and address in ("::1", "[::1]")
    return is_right and (not wide or wide in ("ü.example", "xn--tda.example"))


@pytest.mark.parametrize("parser", QUICK, ids=lambda parser: parser.name)
def test_each_parser_is_asked_as_it_should_be(parser: HostParser) -> None:
    assert _is_asked_well(parser)


@pytest.fixture(scope="module")
def all_parsers() -> tuple[list[HostParser], list[str]]:
    return host_parsers()


@pytest.mark.long
def test_all_parsers_read_the_same_host(all_parsers: tuple[list[HostParser], list[str]]) -> None:
    parsers, _ = all_parsers
    assert [parser.name for parser in parsers if not _is_asked_well(parser)] == []
    assert _unsaid(list(hostile_links(7, 0, 100_000)), parsers) == []


@pytest.mark.long
def test_all_parsers_are_there(all_parsers: tuple[list[HostParser], list[str]]) -> None:
    _, lacking = all_parsers
    if lacking:
        pytest.skip("; ".join(lacking))


@pytest.mark.parametrize(
    ("ours", "theirs", "same", "otherwise"),
    [
        ("a.example", "A.example", True, True),
        ("[::1]", "::1", True, False),
        ("[::ffff:1.2.3.4]", "[::ffff:102:304]", True, False),
        ("1.2.3.4", "1.2.3.5", False, False),
        ("xn--tda.example", "ü.example", False, True),
        ("xn--tda.example", "Ü.example", False, True),
        ("a.b", "a。b", False, True),
        ("%FF", "\udcff", False, True),
        ("%FF%C3%9C", "\udcffÜ", False, True),
        ("%FF", "%ff", True, True),
        ("a.example", "b.example", False, False),
        ("0x7f.1", "127.0.0.1", False, False),
    ],
)
def test_hosts_are_compared(ours: str, theirs: str, same: bool, otherwise: bool) -> None:
    assert is_same(ours, theirs) is same
    assert (is_written_otherwise(ours, theirs) or same) is (otherwise or same)


def test_the_tool_goes_on_where_it_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compare_hosts, "_ROUND", 100)
    monkeypatch.setattr(compare_hosts, "host_parsers", lambda: (QUICK[:3], ["x: the package is not installed"]))
    state, whole = tmp_path / "state", tmp_path / "whole"
    assert compare_hosts.main(["--strings", "200", "--state", str(state)]) == 0
    assert compare_hosts.main(["--strings", "400", "--state", str(state)]) == 0
    assert compare_hosts.main(["--strings", "400", "--state", str(whole)]) == 0
    assert state.read_text("utf-8") == whole.read_text("utf-8")
    said = capsys.readouterr().out
    assert all(title in said for title in TABLES.values())
    assert "not asked: x: the package is not installed" in said
    with pytest.raises(SystemExit):
        compare_hosts.main(["--strings", "400", "--seed", "2", "--state", str(state)])


def test_the_tool_says_what_a_record_does_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = HostParser("wrong", "0", lambda texts: ["evil.test"] * len(texts))
    monkeypatch.setattr(compare_hosts, "host_parsers", lambda: ([wrong], []))
    assert compare_hosts.main(["--strings", "50"]) == 1
    assert "SILENT wrong: " in capsys.readouterr().out


def test_links_are_the_same_from_a_seed() -> None:
    links = list(hostile_links(1, 0, 12_000))
    assert links[4_990:5_010] == list(hostile_links(1, 4_990, 5_010))
    assert links[11_000:] == list(hostile_links(1, 11_000, 12_000))
    assert len(set(links)) > 11_000
    valid = sum(bool(check(link)) for link in links)
    assert 1_000 < valid < 3_000
