"""`write_report` and `urisieve report`: a page of bounded size, in which all text is text."""

from __future__ import annotations

import os
import re
import subprocess
from base64 import b64encode
from datetime import UTC, datetime
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urisieve
from tests.helpers.cli_support import COMMAND, call
from tests.helpers.strategies import examples
from tests.sinks.reported_statistics import HOSTILE, all_of, ranking, usual
from urisieve import OutputError, UsageError, extract_files, write_records
from urisieve.sinks.report.report_markup import percent, without_middle
from urisieve.sinks.statistics import Statistics, report_html, write_report
from urisieve.sinks.statistics.statistics import (
    CodeCount,
    CodeCounts,
    Funnel,
    Merge,
    Merges,
    TimeCount,
    Timeline,
    TimeUnit,
)

LIMIT = 320_000
STYLE = (Path(urisieve.__file__).parent / "sinks" / "report" / "report.css").read_text("utf-8")
SCRIPT = (Path(urisieve.__file__).parent / "sinks" / "report" / "report.js").read_text("utf-8")


class Read(HTMLParser):
    """The elements and the texts of a page, as a parser that knows nothing of reports reads them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.comments: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), attrs
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] not in (["style"], ["script"]):
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


TAGS = {
    *("html", "head", "meta", "title", "style", "body", "a", "header", "h1", "p", "fieldset", "legend", "label"),
    *("input", "nav", "ul", "li", "small", "main", "section", "h2", "div", "figure", "svg", "desc", "text", "rect"),
    *("line", "meter", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "em", "code", "footer", "script"),
}
ATTRIBUTES = {
    *("aria-describedby", "aria-label", "aria-labelledby", "aria-sort", "autocomplete", "charset", "checked", "class"),
    *("content", "height", "href", "http-equiv", "id", "lang", "name", "rel", "role", "scope", "tabindex", "title"),
    *("aria-hidden", "max", "value", "type", "width", "x", "x1", "x2", "y", "y1", "y2"),
}


def _read(page: str) -> Read:
    """Read a page, and check what holds for every page."""
    assert len(page.encode("utf-8")) < LIMIT
    read = Read(page)
    assert read.open == []
    assert read.comments == []
    assert {tag for tag, _ in read.elements} <= TAGS
    assert {name for _, attributes in read.elements for name in attributes} <= ATTRIBUTES
    assert len(read.of("script")) == len(read.of("style")) == 1
    ids = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in read.elements:
        for name in ("aria-labelledby", "aria-describedby"):
            assert attributes.get(name, ids[0]) in ids
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]", page)
    return read


def _shown(page: str) -> str:
    return "".join(_read(page).texts)


# ---------------------------------------------------------------- what is on the page


def test_a_page_names_what_was_counted() -> None:
    shown = _shown(report_html(usual()))
    assert "2 files with 12,345 bytes: 1,300 candidates, 1,234 valid identifiers, 690 distinct." in shown
    assert "The 4 most frequent of" not in shown
    assert "All 4 hosts of 1,150 identifiers" in shown
    assert "66 candidates were rejected" in shown
    assert "9 identifiers are spelled in another way" in shown
    assert "1 of them was not looked into" in shown
    assert "7 identifiers have no time." in shown
    assert "(no name)" in shown
    assert "bad encoding" in shown
    assert "registrable domains need the extra" in shown


def test_the_page_is_the_same_each_time_and_has_a_time_only_if_asked() -> None:
    assert report_html(usual()) == report_html(usual())
    dated = report_html(usual(), generated=datetime(2024, 5, 31, 13, 2, 3, tzinfo=UTC))
    assert f"Made by urisieve {urisieve.__version__} at 2024-05-31 13:02:03+00:00." in _shown(dated)


def test_the_policy_allows_what_stands_in_the_page_and_nothing_else() -> None:
    page = report_html(usual())

    def digest(text: str) -> str:
        return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

    (style,) = re.findall("(?s)<style>(.*?)</style>", page)
    (script,) = re.findall("(?s)<script>(.*?)</script>", page)
    assert (style, script) == (STYLE, SCRIPT)
    (policy,) = [meta["content"] for meta in _read(page).of("meta") if meta.get("http-equiv")]
    assert policy == (
        f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; "
        "base-uri 'none'; form-action 'none'"
    )


@pytest.mark.parametrize("text", [STYLE, SCRIPT], ids=["style", "script"])
def test_style_and_script_name_nothing_outside(text: str) -> None:
    assert not re.search(r"(?i)https?:|//\w|url\(|@import|fetch|XMLHttp|eval|innerHTML|localStorage|cookie|</", text)


def test_the_script_is_strict() -> None:
    assert SCRIPT.startswith('"use strict";')


# ---------------------------------------------------------------- hostile texts


@pytest.mark.parametrize("links", [False, True])
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_text(text: str, links: bool) -> None:
    read = _read(report_html(all_of((text,)), title=text, links=links))
    for attributes in read.of("a"):
        href = attributes["href"] or ""
        assert href.startswith("#") or (links and re.match("https?://", href))


def test_hostile_texts_together_are_text() -> None:
    assert "<script>window.ran = 1</script>" in _shown(report_html(all_of(HOSTILE)))


@pytest.mark.parametrize("text", ["http://u:hush@e.example/", "http://u:hu/sh@e.example:x/", "sip:u:hush@e.example"])
def test_passwords_are_masked_wherever_there_is_an_identifier(text: str) -> None:
    every = all_of((text,))
    page = report_html(
        Statistics(
            funnel=every.funnel,
            sources=ranking((f"a.zip!{text}", 1)) if "//" in text else ranking(),
            merges=Merges(1, 1, (Merge("host-case", "", 1, every.merges.rules[0].examples),)),
            rejections=CodeCounts(1, (CodeCount("bad-port", 1, "", (text,)),)),
            warnings=CodeCounts(1, (CodeCount("userinfo-present", 1, "", (text,)),)),
        )
    )
    assert "***" in _shown(page)
    assert not re.search("hu/?sh", page)


@examples(60)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=6), st.booleans(), st.sampled_from(TimeUnit))
def test_any_texts_are_text(texts: list[str], links: bool, unit: TimeUnit) -> None:
    _read(report_html(all_of(tuple(texts), unit=unit), title=texts[0], links=links))


@pytest.mark.sampled(13)
@pytest.mark.parametrize("links", [False, True])
@pytest.mark.parametrize(
    "text",
    ['"' * 5_000, "'" * 200, "\U0001f600" * 5_000, "&" * 97, "http://a.example/" + "a" * 900, "\U0001f600." * 48],
    ids=["long", "quotes", "astral", "ampersands", "links", "dots"],
)
def test_a_page_is_small_whatever_the_statistics(text: str, links: bool) -> None:
    statistics = all_of(tuple(f"{text}{index}" for index in range(3_000)), count=10**30)
    page = report_html(statistics, title=text, links=links)
    assert len(page.encode("utf-8")) < LIMIT
    shown = _shown(page)
    assert re.search(r"The \d+ most frequent of 3,000 hosts; the others have", shown)
    assert re.search(r"the first \d+ of 3,000 times", shown)
    assert re.search(r"the \d+ most frequent of 3,000 reasons", shown)
    assert re.search(r"[\d,]+ more are left out here", shown)


def test_rows_that_have_room_are_all_there() -> None:
    hosts = ranking(*((f"host-{index}.example", 1_000 - index) for index in range(120)), names=150, total=120_000)
    page = report_html(Statistics(funnel=Funnel(1, 1, 1, 1, 1), hosts=hosts))
    shown = _shown(page)
    assert all(f"host-{index}[.]example" in shown for index in range(100))
    others = 120_000 - sum(1_000 - index for index in range(100))
    assert f"The 100 most frequent of 150 hosts; the others have {others:,} of 120,000 identifiers" in shown


def test_whole_names_take_no_room_from_rows() -> None:
    hosts = ranking(*((f"{'x' * 300}.host-{index}.example", 100 - index) for index in range(60)))
    page = report_html(Statistics(funnel=Funnel(1, 1, 1, 1, 1), hosts=hosts))
    assert all(f"host-{index}[.]example" in _shown(page) for index in range(60))
    titles = [cell["title"] for cell in _read(page).of("bdi") if cell.get("title")]
    assert 0 < len(titles) < 60


# ---------------------------------------------------------------- names


def test_a_long_name_is_shortened_in_its_middle_and_whole_in_its_title() -> None:
    host = f"login.bank.example.{'x' * 200}.evil.example"
    page = report_html(Statistics(funnel=Funnel(1, 1, 1, 1, 1), hosts=ranking((host, 1))))
    (cell,) = _read(page).of("bdi")
    assert cell["title"] == host.replace(".", "[.]")
    (text,) = re.findall("<bdi[^>]*>(.*?)</bdi>", page)
    assert text.startswith("login[.]bank[.]example")
    assert text.endswith(".]evil[.]example")
    assert len(text) == 96


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "a…d"),
        ("abcdef", 5, "ab…ef"),
        ("abcdef", 4, "ab…f"),
        ("", 3, ""),
    ],
)
def test_without_middle(text: str, limit: int, expected: str) -> None:
    assert without_middle(text, limit) == expected


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [
        (0, 0, "0 %"),
        (0, 5, "0 %"),
        (5, 5, "100 %"),
        (1, 3, "33.3 %"),
        (1, 2, "50 %"),
        (1, 10_000, "< 0.1 %"),
        (9_999, 10_000, "> 99.9 %"),
    ],
)
def test_percent(part: int, whole: int, expected: str) -> None:
    assert percent(part, whole) == expected


def test_identifiers_are_defanged_unless_links_are_asked_for() -> None:
    page = report_html(usual())
    assert "evil.example" not in page
    assert [attributes for attributes in _read(page).of("a") if not (attributes["href"] or "").startswith("#")] == []
    page = report_html(usual(), links=True)
    links = [attributes for attributes in _read(page).of("a") if "rel" in attributes]
    assert [one["rel"] for one in links] == ["noreferrer noopener"] * 4
    # In A-labels, as a browser would ask for it; the text is as it was found.
    evil, other = "http://evil.example/", "http://xn--ypal-43d9g.example/"
    assert [one["href"] for one in links] == [evil, other, evil, evil]
    assert "http://раypal.example/" in page
    assert "http://u:***@evil.example/" in page  # no link: its password is not known


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://evil.example/a.b", "hxxp://evil[.]example/a.b"),
        ("mailto:bob@evil.example?body=http://e", "mailto[:]bob[@]evil[.]example?body=http:[/]/e"),
        ("urn:example:a.b", "urn:example:a.b"),
        # Spellings without a scheme, which mail programs make links of, too.
        ("www.evil.example", "www[.]evil[.]example"),
        ("WWW.evil.example:80", "WWW[.]evil[.]example:80"),
        ("www.evil.example/?to=mailto:", "www[.]evil[.]example/?to=mailto:"),
        ("bob@evil.example", "bob@evil[.]example"),
        # What is no identifier.
        ("1http://evil.example/", "1http[://]evil[.]example/"),
        ("urn:example:http://evil.example", "urn:example:http[://]evil[.]example"),
    ],
)
def test_how_an_identifier_is_defanged(text: str, shown: str) -> None:
    counts = CodeCounts(1, (CodeCount("bad-port", 1, "the port is wrong", (text,)),))
    page = report_html(Statistics(funnel=Funnel(1, 1, 1, 1, 1), rejections=counts))
    assert shown in _read(page).texts
    assert (text in _read(page).texts) == (text == shown)


@pytest.mark.parametrize("links", [False, True])
def test_only_http_is_linked(links: bool) -> None:
    texts = ("javascript:alert(1)", "data:text/html,x", "ftp://a.example/", "file:///etc/passwd", "urn:isbn:0395363411")
    read = _read(report_html(all_of(texts), links=links))
    assert [one for one in read.of("a") if "rel" in one] == []


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("mail.mbox", "mail.mbox"),
        ("a.warc.gz!http://evil.example/x.y", "a.warc.gz!hxxp://evil[.]example/x.y"),
        ("a.zip!http://u:hush@evil.example/", "a.zip!hxxp://u:***@evil[.]example/"),
        ("a\nb\x1b[2J", "a\ufffdb\ufffd[2J"),
        (None, "(no name)"),
    ],
)
def test_sources(source: str | None, shown: str) -> None:
    page = report_html(Statistics(funnel=Funnel(1, 1, 1, 1, 1), sources=ranking((source, 1))))
    assert shown in _read(page).texts


# ---------------------------------------------------------------- sections


def test_what_is_asked_first_comes_first() -> None:
    page = report_html(usual())
    assert re.findall("<h2[^>]*>(.*?)</h2>", page) == [
        *("Links", "Hosts", "Registrable domains", "Warnings", "Rejections", "Timeline", "Funnel", "Schemes"),
        *("URN namespaces", "Sources", "Duplicates by rule", "What was read", "Notes"),
    ]
    cells = [re.sub("<[^>]*>", "", cell) for cell in re.findall("<t[hd][^>]*>(.*?)</t[hd]>", page)]
    first = cells.index("Link")
    assert cells[first : first + 18] == [
        *("Link", "Count", "Sources", "Spellings", "First", "Last"),
        *("hxxp://evil[.]example/", "600", "3", "2", "2024-05-01T02", "2024-05-31T13"),
        *("hxxp://u:***@evil[.]example/", "90", "1", "1", "", ""),
    ]
    hosts = cells.index("Host")
    assert cells[hosts : hosts + 14] == [
        *("Host", "Count", "Distinct", "Sources", "Spellings", "First", "Last"),
        *("evil[.]example", "700", "2", "4", "7", "2024-05-01T02", "2024-05-31T13"),
    ]
    assert "The 2 most frequent of 690 links; the others have 544 of 1,234 identifiers" in page


def test_disguises_stand_above_other_warnings() -> None:
    codes = (
        "unregistered-scheme",
        "script",
        "hyphen-at-line-break",
        "look-alike-host",
        "password-present",
        "unwrapped",
    )
    warned = CodeCounts(60, tuple(CodeCount(code, 10, "", ()) for code in codes))
    page = report_html(Statistics(funnel=Funnel(1, 1, 1, 1, 1), warnings=warned))
    found = re.findall('<th scope="row"><code>(.*?)</code>', page)
    assert found == ["script", "look-alike-host", "password-present", "unwrapped", codes[0], codes[2]]


def test_an_empty_input_has_no_empty_tables() -> None:
    page = report_html(Statistics())
    shown = _shown(page)
    assert "No valid identifier was found." in shown
    assert re.findall("<h2[^>]*>(.*?)</h2>", page) == ["Rejections", "Funnel"]
    assert "<svg" not in page


def _bars(page: str) -> list[tuple[float, float]]:
    chart = page[page.index('id="timeline-title"') :].split("</svg>")[0]
    return [(float(x), float(width)) for x, width in re.findall(r'x="([\d.]+)%" y="[\d.]+" width="([\d.]+)%"', chart)]


@pytest.mark.parametrize(
    ("unit", "times", "places"),
    [
        ("day", ["2024-02-28", "2024-02-29", "2024-03-03"], [0, 20, 40 + 40]),
        ("month", ["2023-12", "2024-01", "2024-03"], [0, 25, 75]),
        ("year", ["2020", "2021", "2024"], [0, 20, 80]),
        ("hour", ["2024-05-31T22", "2024-06-01T01"], [0, 75]),
        ("day", ["not a time", "2024-05-31"], [0, 50]),  # side by side
        ("day", ["2024-02-31", "2024-05-31"], [0, 50]),
        ("month", ["0102-05", "2024-04", "2024-05", "2024-06"], [0, 25, 50, 75]),
    ],
)
def test_times_stand_where_they_are(unit: str, times: list[str], places: list[float]) -> None:
    timeline = Timeline(TimeUnit(unit), tuple(TimeCount(time, 1) for time in times))
    bars = _bars(report_html(Statistics(funnel=Funnel(1, 1, 1, 1, 1), timeline=timeline)))
    assert [x for x, _ in bars] == places


@examples(50)
@given(st.lists(st.integers(1, 3_000), min_size=2, max_size=300, unique=True))
def test_a_timeline_has_few_bars_that_do_not_overlap(days: list[int]) -> None:
    rows = tuple(TimeCount(f"{year:04}", year) for year in sorted(days))
    page = report_html(Statistics(timeline=Timeline(TimeUnit.YEAR, rows)))
    bars = _bars(page)
    assert 1 <= len(bars) <= 100
    assert all(left + width <= right for (left, width), (right, _) in pairwise(bars))
    assert all(x + width <= 100.01 for x, width in bars)
    counted = re.findall(r"<rect[^>]*><title>[^:]*: ([\d,]+)</title>", page)
    assert sum(int(count.replace(",", "")) for count in counted) == sum(days)


def test_a_timeline_says_that_gaps_are_left_out() -> None:
    for times, said in (("0102-05", "2024-05"), True), (("2020-01", "2024-05"), False):
        timeline = Timeline(TimeUnit.MONTH, tuple(TimeCount(time, 1) for time in times))
        shown = _shown(report_html(Statistics(timeline=timeline)))
        assert ("at most 1 in a month; gaps are left out" in shown) == said


def test_one_time_has_no_chart() -> None:
    page = report_html(Statistics(timeline=Timeline(TimeUnit.YEAR, (TimeCount("2024", 3),), undated=1)))
    assert "<svg" not in page
    assert "1 identifier has no time." in _shown(page)


def test_times_that_cannot_be_true_are_said() -> None:
    page = report_html(Statistics(timeline=Timeline(TimeUnit.HOUR, (), impossible=2)))
    assert "2 identifiers have a time before 1970 or after tomorrow." in _shown(page)


# ---------------------------------------------------------------- contrast (WCAG 2.2 1.4.3, 1.4.11)


def _colors(block: str) -> dict[str, str]:
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", block))


def _luminance(color: str) -> float:
    channels = [int(color[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    low, high = sorted([_luminance(one), _luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_contrast() -> None:
    assert round(_contrast("#000000", "#ffffff"), 2) == 21
    blocks = [_colors(block) for block in re.findall(r"(?s)\{([^{}]*)\}", STYLE) if "--ground:" in block]
    light, dark, system = blocks
    assert dark == system
    for colors in (light, dark):
        for text in ("ink", "quiet", "link"):
            for ground in ("ground", "surface"):
                assert _contrast(colors[text], colors[ground]) >= 4.5, (text, ground)
        for mark in ("bar", "edge", "focus"):
            assert _contrast(colors[mark], colors["ground"]) >= 3, mark


# ---------------------------------------------------------------- the calls


def test_write_report_leaves_the_old_file_if_it_fails(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert write_report(usual(), path) == path.stat().st_size
    assert path.read_text("utf-8") == report_html(usual())
    with pytest.raises(OutputError):
        write_report(usual(), tmp_path / "missing" / "report.html")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"title": 1}, "title=1 must be a string"),
        ({"links": "yes"}, "links='yes' must be True or False"),
        ({"generated": "now"}, "generated='now' must be datetime, as in generated=datetime(2024, 5, 31)"),
    ],
)
def test_misuse(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(message)}$"):
        report_html(usual(), **arguments)


def test_misuse_of_statistics() -> None:
    with pytest.raises(UsageError, match=r"^statistics=.* must be Statistics, as in statistics=collect_statistics"):
        report_html(usual().as_dict())  # type: ignore[arg-type]


# ---------------------------------------------------------------- the command

TEXT = "see http://EVIL.example/a http://evil.example/a, urn:isbn:0395363411 and http://u:hush@b.example:80x/\n"


def test_the_command_writes_what_the_library_does(tmp_path: Path) -> None:
    source, path = tmp_path / "a.txt", tmp_path / "report.html"
    source.write_text(TEXT)
    found = call("report", str(source), "-o", str(path), "--title", "Mails <1>")
    assert (found.status, found.out) == (0, b"")
    assert "2 unique" in found.err
    statistics = urisieve.sinks.statistics.collect_statistics([source], top=50, links=True)
    assert path.read_text("utf-8") == report_html(statistics, title="Mails <1>")
    assert "hush" not in path.read_text("utf-8")


def test_the_command_takes_records_and_standard_input(tmp_path: Path) -> None:
    source, records, path = tmp_path / "a.txt", tmp_path / "a.jsonl", tmp_path / "report.html"
    source.write_text(TEXT)
    write_records(extract_files([source]), records)
    assert call("report", "--input", "records", str(records), "-o", str(path)).status == 0
    assert "3 valid identifiers, 2 distinct" in path.read_text("utf-8")
    assert call("report", "-o", str(path), "--links", "--no-times", stdin=TEXT.encode()).status == 0
    assert 'href="http://evil.example/a"' in path.read_text("utf-8")
    assert call("report", "-o", str(path), stdin=b"nothing here").status == 1
    assert "No valid identifier was found." in path.read_text("utf-8")
    bare = b"http://evil.example:80/ WWW.evil.example bob@EVIL.example mailto:bob@evil.example"
    assert call("report", "-o", str(path), "--accept", "names,addresses", "--no-times", stdin=bare).status == 0
    assert "mail" in path.read_text("utf-8")
    assert "evil.example" not in path.read_text("utf-8").lower()


def test_the_command_needs_a_file(tmp_path: Path) -> None:
    found = call("report", stdin=b"http://a.example/")
    assert found.status == 2
    assert "report: -o is needed: a report is a file, as in `-o report.html`" in found.err
    found = call("report", "-o", "-", "--quiet", stdin=b"http://a.example/")
    assert (found.status, found.err) == (0, "")
    assert found.out.startswith(b"<!DOCTYPE html>")


def test_the_command_does_not_write_to_a_terminal() -> None:
    terminal, name = os.openpty()
    try:
        command = [*COMMAND, "report", "-o", "-"]
        found = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=name, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(name)
        os.close(terminal)
    assert found.returncode == 2
    assert b"report: a terminal cannot show a report: name a file, as in `-o report.html`" in found.stderr


def test_the_command_leaves_an_old_page_if_nothing_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    found = call("report", str(tmp_path / "missing"), "-o", str(path))
    assert found.status == 2
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_command_says_when_it_was_made_only_if_asked(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    for more, dated in (((), False), (("--dated",), True)):
        assert call("report", "-o", str(path), *more, stdin=b"http://a.example/").status == 0
        assert bool(re.search(r"at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00:00\.", path.read_text("utf-8"))) == dated
