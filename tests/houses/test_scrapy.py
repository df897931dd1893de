"""Crawls by Scrapy of a site on this machine, whose pages spell their links in many ways."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.helpers.cli_support import PATIENCE
from tests.helpers.folders import ROOT
from urisieve import Options, Store, key

pytest.importorskip("scrapy")

from scrapy import Request

from urisieve.scrapy import RequestFingerprinter

# Each is fetched once: ten pages, of which each links to the next in these spellings, and to what differs.
PAGES = 10
SPELLINGS = ("/p/{0}?b=2&a=1", "/p/{0}?a=1&b=2", "/p/{0}?a=1&b=2#top", "/p/./{0}?a=1&b=2#/route", "/%70/{0}?a=1&b=2")
OTHER = "/p/{0}?a=2&b=1"


class Site(BaseHTTPRequestHandler):
    """Answers each path that the pages link to, and remembers which were asked for."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        number = int(self.path.rpartition("/")[2].partition("?")[0] or 0) if self.path.startswith("/p/") else -1
        if self.path == "/old":
            self.send_response(301)
            self.send_header("Location", "/p/0?a=1&b=2")
            self.end_headers()
            return
        after = number + 1
        links = [text.format(after) for text in (*SPELLINGS, OTHER)] if after < PAGES else ["/old"]
        body = "".join(f'<p><a href="{link.replace("&", "&amp;")}">x</a>' for link in links).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def site() -> Iterator[tuple[str, list[str]]]:
    """The address of a site, and the paths that were asked for."""
    asked: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Here", (Site,), {"asked": asked}))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


CRAWL = """
import json, sys
from scrapy import Spider
from scrapy.crawler import CrawlerProcess

class Links(Spider):
    name = "links"
    start_urls = [sys.argv[1]]
    def parse(self, response):
        yield {"url": response.url}
        for link in response.css("a::attr(href)").getall():
            yield {"url": response.urljoin(link)}
            yield response.follow(link)

process = CrawlerProcess({"LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, **json.loads(sys.argv[2])})
process.crawl(Links)
process.start()
"""


def crawl(start: str, settings: dict[str, Any]) -> None:
    argv = [sys.executable, "-c", CRAWL, start, json.dumps(settings)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")


SETTINGS_OF_THE_GUIDE: dict[str, Any] = {}
exec(  # the settings that the page shows
    (ROOT / "docs" / "how-to" / "crawls.md").read_text("utf-8").partition("```python\n")[2].partition("```")[0],
    SETTINGS_OF_THE_GUIDE,
)
del SETTINGS_OF_THE_GUIDE["__builtins__"]
OURS = {"REQUEST_FINGERPRINTER_CLASS": "urisieve.scrapy.RequestFingerprinter"}


def fetched(settings: dict[str, Any]) -> list[str]:
    with site() as (start, asked):
        crawl(f"{start}/p/0?a=1&b=2", settings)
    return sorted(asked)


def test_as_many_pages_are_fetched_as_by_scrapy() -> None:
    theirs, ours = fetched({}), fetched(OURS)
    assert ours == theirs
    assert len(ours) == 2 * (PAGES - 1) + 3  # the redirect, and the first page once more behind it
    # Fragments and the order of queries make requests of their own by the RFCs alone.
    assert len(fetched({**OURS, "URISIEVE_MERGE": "rfc"})) == 5 * (PAGES - 1) + 3


def test_a_store_knows_what_earlier_crawls_fetched(tmp_path: Path) -> None:
    store = tmp_path / "fetched.db"
    settings = {
        **SETTINGS_OF_THE_GUIDE,
        "URISIEVE_STORE": str(store),
        "FEEDS": {str(tmp_path / "items.jsonl"): {"format": "jsonlines"}},
    }
    with site() as (start, asked):
        crawl(f"{start}/p/0?a=1&b=2", settings)
        first = len(asked)
        assert first == 2 * (PAGES - 1) + 3
        crawl(f"{start}/p/0?a=1&b=2", settings)
        assert len(asked) == first + 1  # where a crawl starts is fetched in any case
        items = [json.loads(line)["url"] for line in (tmp_path / "items.jsonl").read_text("utf-8").splitlines()]
        options = Options(merge="request")
        firsts = items[: 2 * (PAGES - 1) + 2]
        assert len({key(item, options=options) for item in firsts}) == len(firsts)
        with Store(store, options=options) as kept:
            assert len(kept) == 2 * (PAGES - 1) + 2
            assert key(f"{start}/old", options=options) in kept
            kept.forget([key(f"{start}/p/5?a=2&b=1", options=options)])
        crawl(f"{start}/p/4?a=1&b=2", settings)
        assert asked[first + 1 :] == ["/p/4?a=1&b=2", "/p/5?a=2&b=1"]


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (Request("http://a.example/?b&a#x"), Request("HTTP://A.example:80/?a&b"), True),
        (Request("http://a.example/"), Request("https://a.example/"), False),
        (Request("http://a.example/"), Request("http://www.a.example/"), False),
        (Request("http://a.example/?a=1&a=2"), Request("http://a.example/?a=2&a=1"), False),
        (Request("http://a.example/"), Request("http://a.example/", method="HEAD"), False),
        (Request("http://a.example/", method="POST", body="a"), Request("http://a.example/", method="POST"), False),
        (Request("http://a.example/#x", method="POST"), Request("http://a.example/", method="POST"), True),
        (Request("http://u:1@a.example/"), Request("http://u:2@a.example/"), False),
        (Request("http://a_b..example/x"), Request("http://a_b..example/y"), False),
        (Request("http://a.example/#x", meta={"verbatim_url": True}), Request("http://a.example/"), False),
    ],
)
def test_requests_are_one_by_their_fingerprints(one: Request, other: Request, is_same: bool) -> None:
    prints = RequestFingerprinter()
    assert (prints.fingerprint(one) == prints.fingerprint(other)) is is_same


def test_a_filter_without_a_store_says_what_is_missing() -> None:
    argv = [
        sys.executable,
        "-c",
        CRAWL,
        "http://127.0.0.1:9/",
        json.dumps({"DUPEFILTER_CLASS": "urisieve.scrapy.StoreFilter"}),
    ]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert "StoreFilter needs the setting URISIEVE_STORE, the path of a file" in done.stderr
