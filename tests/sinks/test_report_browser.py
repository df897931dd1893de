"""A report in a browser: it asks for nothing, runs nothing but its own script, and is used by mouse and keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sinks.chromium import MISSING, Chromium, Page
from tests.sinks.reported_statistics import HOSTILE, all_of, usual
from urisieve.sinks.statistics import Statistics, write_report

pytestmark = [pytest.mark.once, pytest.mark.browser, pytest.mark.skipif(MISSING != "", reason=MISSING)]

PAGES: dict[str, tuple[Statistics, dict[str, Any]]] = {
    "usual": (usual(), {}),
    "links": (usual(), {"links": True}),
    "empty": (Statistics(), {}),
    "hostile": (all_of(HOSTILE), {"title": HOSTILE[5]}),
    "hostile-links": (all_of(HOSTILE), {"title": HOSTILE[0], "links": True}),
    "large": (all_of(tuple(f"{index}{'W' * 4_000}" for index in range(200)), count=10**15), {"title": "W" * 500}),
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with Chromium(tmp_path_factory.mktemp("chromium")) as browser:
        yield browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name, (statistics, settings) in PAGES.items():
        write_report(statistics, folder / f"{name}.html", **settings)
    return {name: folder / f"{name}.html" for name in PAGES}


@pytest.fixture
def page(browser: Chromium, pages: dict[str, Path]) -> Iterator[Page]:
    with Page(browser, pages["usual"]) as page:
        yield page


def column(page: Page, table: str, index: int = 0) -> list[str]:
    """The texts of a column of the rows that are shown."""
    rows = f"[...document.querySelectorAll('[aria-labelledby={table}-caption] tbody tr:not([hidden])')]"
    texts: list[str] = page.value(f"{rows}.map((row) => row.cells[{index}].textContent)")
    return texts


def order(page: Page, table: str) -> list[str | None]:
    found: list[str | None] = page.value(
        f"[...document.querySelectorAll('[aria-labelledby={table}-caption] thead th')]"
        ".map((one) => one.getAttribute('aria-sort'))"
    )
    return found


# ---------------------------------------------------------------- nothing gets in or out


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_for_nothing_and_runs_only_its_own_script(
    browser: Chromium, pages: dict[str, Path], name: str
) -> None:
    with Page(browser, pages[name]) as page:
        assert page.requests() == [pages[name].as_uri()]
        assert page.complaints() == []
        assert page.value("window.ran") is None
        assert (
            page.value("document.querySelectorAll('script, style, link, img, iframe, base, form, object').length") == 2
        )
        # The script and the style are in force, by their digests.
        assert page.value("getComputedStyle(document.body).maxWidth") == "1216px"
        tables = page.value(
            "[...document.querySelectorAll('table:not(.fixed)')].filter((t) => t.rows.length > 2).length"
        )
        assert page.value("document.querySelectorAll('input[type=search]').length") == tables
        assert page.value("location.href") == pages[name].as_uri()


@pytest.mark.parametrize(
    "attempt",
    [
        "const one = document.createElement('script'); one.textContent = 'window.ran = 1'; document.body.append(one)",
        (
            "document.body.insertAdjacentHTML('beforeend', '<svg onload=\"window.ran = 1\" id=s>'); "
            "document.getElementById('s').dispatchEvent(new Event('load'))"
        ),
        (
            "document.body.insertAdjacentHTML('beforeend', '<b onclick=\"window.ran = 1\" id=b>'); "
            "document.getElementById('b').click()"
        ),
        "const one = document.createElement('img'); one.src = 'http://127.0.0.1:9/x'; document.body.append(one)",
        "fetch('http://127.0.0.1:9/x').catch(() => {})",
        (
            "document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\" id=p>'); "
            "window.ran = getComputedStyle(document.getElementById('p')).color === 'rgb(255, 0, 0)' || undefined"
        ),
    ],
    ids=["script", "event", "click", "image", "fetch", "style"],
)
def test_the_policy_stops_what_would_get_in(page: Page, attempt: str) -> None:
    page.value(f"{{ {attempt} }}")
    complaints = page.complaints()
    assert complaints
    assert all("Content Security Policy" in one for one in complaints)
    assert page.value("window.ran") is None
    assert not [event for event in page.events("Network.responseReceived") if "127.0.0.1" in str(event)]


# ---------------------------------------------------------------- tables


def test_tables_are_sorted_by_the_mouse(page: Page) -> None:
    assert order(page, "hosts") == [None, "descending", *[None] * 5]
    head = "[aria-labelledby=hosts-caption] th:nth-child({}) button"
    page.click(head.format(1))
    assert column(page, "hosts") == ["a9[.]example", "a10[.]example", "B[.]example", "evil[.]example"]
    assert order(page, "hosts") == ["ascending", *[None] * 6]
    page.click(head.format(1))
    assert column(page, "hosts") == ["evil[.]example", "B[.]example", "a10[.]example", "a9[.]example"]
    assert order(page, "hosts") == ["descending", *[None] * 6]
    page.click(head.format(2))
    assert column(page, "hosts", 1) == ["700", "90", "90", "20"]
    page.click(head.format(2))
    assert column(page, "hosts", 1) == ["20", "90", "90", "700"]
    assert order(page, "hosts") == [None, "ascending", *[None] * 5]
    # Others stay as they were, and numbers are sorted as numbers.
    assert order(page, "schemes") == [None, "descending", None]
    page.click("[aria-labelledby=schemes-caption] th:nth-child(2) button")
    assert column(page, "schemes", 1) == ["34", "200", "1,000"]


def test_tables_are_filtered_as_one_types(page: Page) -> None:
    page.click("#hosts ~ .listing input[type=search]")
    page.write("EVIL.ex")  # the case and the brackets do not matter
    assert column(page, "hosts") == ["evil[.]example"]
    status = "document.querySelector('#hosts ~ .listing [role=status]').textContent"
    assert page.value(status) == "1 of 4 rows"
    page.write("x")
    assert column(page, "hosts") == []
    assert page.value(status) == "0 of 4 rows"
    for _ in range(8):
        page.press("Backspace")
    assert len(column(page, "hosts")) == 4
    assert page.value(status) == ""
    assert len(column(page, "schemes")) == 3


def test_what_is_filtered_out_stays_out_when_the_rest_is_sorted(page: Page) -> None:
    page.click("#hosts ~ .listing input[type=search]")
    page.write("a")
    page.click("[aria-labelledby=hosts-caption] th:nth-child(1) button")
    page.click("#hosts ~ .listing input[type=search]")
    page.write("10")
    assert column(page, "hosts") == ["a10[.]example"]


def test_tables_are_used_by_the_keyboard_alone(page: Page) -> None:
    stops = []
    for _ in range(60):
        page.press("Tab")
        stops.append(
            page.value(
                "(() => { const one = document.activeElement; const style = getComputedStyle(one);"
                "const section = one.closest('section');"
                "return [one.tagName + ' ' + (one.type || one.getAttribute('role') || one.textContent),"
                "section ? section.querySelector('h2').id : '', style.outlineStyle + ' ' + style.outlineWidth]; })()"
            )
        )
        if stops[-1][1] == "hosts" and stops[-1][0] == "BUTTON button":
            break
    assert stops[0][0] == "A Skip to the report"
    assert stops[1][0] == "INPUT radio"
    assert [what for what, section, _ in stops if section == "hosts"] == [
        "INPUT search",
        "DIV group",
        "BUTTON button",
    ]
    assert {outline for _, _, outline in stops} == {"solid 3px"}
    page.press("Enter")
    assert order(page, "hosts") == ["ascending", *[None] * 6]
    page.press(" ")
    assert order(page, "hosts") == ["descending", *[None] * 6]
    assert page.value("document.activeElement.textContent") == "Host"
    status = "document.querySelector('#hosts ~ .listing [role=status]').textContent"
    assert page.value(status) == "Sorted by Host, descending"
    page.press("Tab", shift=True)
    page.press("Tab", shift=True)
    page.write("b.")
    assert column(page, "hosts") == ["B[.]example"]


def test_the_whole_of_a_shortened_name_is_searched(browser: Chromium, tmp_path: Path) -> None:
    names = tuple(f"{'x' * 90}-{index}-{'y' * 90}" for index in range(3))
    write_report(all_of(names), tmp_path / "page.html")
    with Page(browser, tmp_path / "page.html") as page:
        page.click("#hosts ~ .listing input[type=search]")
        page.write("x-1-y")
        assert page.value("document.querySelector('#hosts ~ .listing [role=status]').textContent") == "1 of 3 rows"


def test_without_scripts_tables_are_plain(browser: Chromium, pages: dict[str, Path]) -> None:
    with Page(browser, pages["usual"], scripts=False) as page:
        assert page.complaints() == []
        nodes = page.call("Accessibility.getFullAXTree")["nodes"]
        roles = [node["role"]["value"] for node in nodes if not node["ignored"]]
        assert roles.count("table") == 12
        assert "button" not in roles
        assert "searchbox" not in roles
        assert roles.count("radio") == 3  # colours need no script


# ---------------------------------------------------------------- colours

GROUND = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(20, 23, 27)"


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize(("theme", "ground", "other"), [("light", LIGHT, "dark"), ("dark", DARK, "light")])
def test_colours_are_those_of_the_system_or_those_chosen(
    browser: Chromium, pages: dict[str, Path], theme: str, ground: str, other: str, scripts: bool
) -> None:
    with Page(browser, pages["usual"], theme=theme, scripts=scripts) as page:
        seen = [page.value(GROUND)]
        page.click(f"#theme-{other}")
        seen.append(page.value(GROUND))
        page.press("ArrowRight")
        page.click("#theme-system")
        seen.append(page.value(GROUND))
        assert seen == [ground, DARK if ground == LIGHT else LIGHT, ground]
        assert page.value("document.cookie") == ""


def test_paper_is_light(browser: Chromium, pages: dict[str, Path], tmp_path: Path) -> None:
    with Page(browser, pages["usual"], theme="dark") as page:
        features = [{"name": "prefers-color-scheme", "value": "dark"}]
        page.call("Emulation.setEmulatedMedia", media="print", features=features)
        assert page.value(GROUND) == LIGHT
        hidden = "[...document.querySelectorAll('nav, .theme, .tools')].every((one) => one.offsetParent === null)"
        assert page.value(hidden)
        assert page.value("getComputedStyle(document.querySelector('.frame')).overflow") == "visible"
        page.printed(tmp_path / "page.pdf")
        assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")


# ---------------------------------------------------------------- for every reader


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [320, 360, 1280])
def test_nothing_is_wider_than_the_window(browser: Chromium, pages: dict[str, Path], name: str, width: int) -> None:
    with Page(browser, pages[name], width=width) as page:
        assert page.value("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("name", PAGES)
def test_each_part_has_its_role_and_its_name(browser: Chromium, pages: dict[str, Path], name: str) -> None:
    with Page(browser, pages[name]) as page:
        nodes = [node for node in page.call("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
        named = {
            *("banner", "button", "columnheader", "heading", "image", "link", "navigation", "radio"),
            *("rowheader", "searchbox", "table", "group", "RootWebArea"),
        }
        roles = [node["role"]["value"] for node in nodes]
        for node in nodes:
            if node["role"]["value"] in named - {"banner"}:
                assert node["name"]["value"].strip(), node
        assert [roles.count(one) for one in ("banner", "main", "navigation", "contentinfo")] == [1, 1, 1, 1]
        levels = page.value("[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map((one) => one.tagName)")
        assert levels[0] == "H1"
        assert set(levels[1:]) == {"H2"}
        assert page.value("document.documentElement.lang") == "en"
        assert page.value('document.querySelectorAll(\'[tabindex]:not([tabindex="0"], [tabindex="-1"])\').length') == 0
        for rule in (
            "table:not(:has(> caption))",
            "thead th:not([scope=col])",
            "tbody th:not([scope=row])",
            "tbody tr:not(:has(> th[scope=row]))",
            "svg:not([role=img][aria-labelledby][aria-describedby])",
            "input:not(label input)",
            "section:not(:has(> h2[id]:first-child))",
            "nav a:not([href^='#'])",
            ".frame:not([role=group][aria-labelledby][tabindex='0'])",
        ):
            assert page.value(f"document.querySelectorAll({rule!r}).length") == 0, rule
        assert page.value("[...document.querySelectorAll('nav a')].every((one) => document.querySelector(one.hash))")
        # A pointer needs 24 pixels (WCAG 2.2 2.5.8), or room around as links in lists have it.
        small = "[...document.querySelectorAll('button, input[type=search], nav a')].filter((one) => "
        assert page.value(f"{small} one.getBoundingClientRect().height < 24).length") == 0


def test_a_filter_tells_a_screen_reader_what_is_left(page: Page) -> None:
    states = "[...document.querySelectorAll('[role=status]')].map((one) => one.textContent)"
    assert set(page.value(states)) == {""}
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    assert [node for node in nodes if node.get("role", {}).get("value") == "status"]


def test_links_are_followed_without_a_word_about_where_they_came_from(
    browser: Chromium, pages: dict[str, Path]
) -> None:
    with Page(browser, pages["links"]) as page:
        rels = page.value("[...document.querySelectorAll('main a')].map((one) => one.rel + ' ' + one.protocol)")
        assert set(rels) == {"noreferrer noopener http:"}
        assert page.value("document.querySelector('meta[name=referrer]').content") == "no-referrer"
