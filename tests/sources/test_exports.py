"""Pages saved by browsers, histories, bookmarks, exports of chats: each link, and its place."""

from __future__ import annotations

import base64
import json
import plistlib
import sqlite3
import struct
import sys
import zipfile
import zlib
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

from tests.helpers.cli_support import call
from urisieve import Options, ReadingOptions, Record, extract_files
from urisieve.options import InputKind
from urisieve.sources.tally import Tally

DIR: Final = "https://news.example/dir"
LINK: Final = "https://links.example/a?x=1&y=2"
ESCAPED: Final = LINK.replace("&", "&amp;")
PAGE: Final = f'<!doctype html><meta charset="utf-8"><a href="{ESCAPED}">1</a><a href="two">2</a>'


def mhtml() -> bytes:
    """A page as Chromium saves it: quoted-printable, a frame, a style, an image."""
    page = PAGE.replace("=", "=3D").replace("/a?x", "/=\na?x")
    parts = [
        (
            "text/html",
            "quoted-printable",
            f"{DIR}/page.html?id=1",
            f'{page}<iframe src=3D"cid:f@mhtml.blink"></iframe>',
        ),
        ("text/html", "quoted-printable", "https://ads.example/f/x.html", '<a href=3D"y.html">y</a>'),
        ("text/css", "quoted-printable", "cid:css-1@mhtml.blink", 'a { background: url("https://img.example/b") }'),
        ("image/png", "base64", "https://img.example/i.png", "iVBORw0KGgo="),
    ]
    lines = [
        "From: <Saved by Blink>",
        f"Snapshot-Content-Location: {DIR}/page.html?id=1",
        "Subject: A page",
        "MIME-Version: 1.0",
        'Content-Type: multipart/related;\n\ttype="text/html";\n\tboundary="----MultipartBoundary--x----"\n\n',
    ]
    for kind, encoding, location, body in parts:
        lines += ["------MultipartBoundary--x----", f"Content-Type: {kind}", f"Content-Transfer-Encoding: {encoding}"]
        lines += [f"Content-Location: {location}", "", body]
    return "\n".join([*lines, "------MultipartBoundary--x------", ""]).replace("\n", "\r\n").encode()


def resource(url: str, data: bytes, kind: str, charset: str | None = None) -> dict[str, Any]:
    named = {} if charset is None else {"WebResourceTextEncodingName": charset}
    return {"WebResourceData": data, "WebResourceURL": url, "WebResourceMIMEType": kind, **named}


ARCHIVE: Final = {
    "WebMainResource": resource(f"{DIR}/page.html", f"{PAGE} https://text.example/\xe9".encode("latin-1"),
                                "text/html", "iso-8859-1"),
    "WebSubresources": [
        resource("https://news.example/s.css", b"a{background:url(https://img.example/b)}", "text/css", "utf-8"),
        resource("https://news.example/i.png", b"\x89PNG\r\n\x1a\n\0 http://never.example/", "image/png"),
    ],
    "WebSubframeArchives": [
        {"WebMainResource": resource("https://ads.example/f/x.html", b'<a href="y.html">y</a>', "text/html")}
    ],
}  # fmt: skip
ARCHIVED: Final = [
    ("https://text.example/%C3%A9", f"!{DIR}/page.html", None),
    (LINK, f"!{DIR}/page.html", "a@href"),
    (f"{DIR}/two", f"!{DIR}/page.html", "a@href"),
    ("https://img.example/b", "!https://news.example/s.css", None),
    ("https://ads.example/f/y.html", "!https://ads.example/f/x.html", "a@href"),
]
BOOKMARKS: Final = {
    "Children": [
        {"Title": "History", "WebBookmarkType": "WebBookmarkTypeProxy"},
        {
            "Children": [
                {"URIDictionary": {"title": "A, http://title.example/"}, "URLString": LINK, "WebBookmarkUUID": "7D"},
                {"URLString": "https://b.example/", "Sync": {"Data": b"<x/>", "Blob": b"\xff\xfe\0"}},
            ],
            "Title": "BookmarksBar",
        },
    ],
    "WebBookmarkFileVersion": 1,
}
PLACES: Final = f"""
CREATE TABLE moz_origins (id INTEGER PRIMARY KEY, prefix TEXT NOT NULL, host TEXT NOT NULL);
CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, rev_host LONGVARCHAR,
    preview_image_url TEXT);
CREATE TABLE moz_bookmarks (id INTEGER PRIMARY KEY, fk INTEGER, title LONGVARCHAR);
CREATE TABLE moz_annos (id INTEGER PRIMARY KEY, content LONGVARCHAR);
INSERT INTO moz_origins VALUES (1, 'https://', 'links.example');
INSERT INTO moz_places VALUES (1, '{LINK}', 'he said: http://title.example/, and', 'elpmaxe.sknil.', 'https://img.example/b');
INSERT INTO moz_places VALUES (7, 'place:parent=toolbar_____', 'Recent', NULL, NULL);
INSERT INTO moz_bookmarks VALUES (1, 1, 'A');
INSERT INTO moz_annos VALUES (3, '{{"state":1,"u":"https:\\/\\/dl.example\\/f"}}');
INSERT INTO moz_annos VALUES (4, '<a href="http://anno.example/?x&amp;y">a</a>');
"""
HISTORY: Final = f"""
CREATE TABLE urls (id INTEGER PRIMARY KEY AUTOINCREMENT, url LONGVARCHAR, title LONGVARCHAR);
CREATE TABLE segments (id INTEGER PRIMARY KEY, name VARCHAR);
CREATE TABLE downloads_url_chains (id INTEGER NOT NULL, chain_index INTEGER NOT NULL, url LONGVARCHAR NOT NULL,
    PRIMARY KEY (id, chain_index)) WITHOUT ROWID;
INSERT INTO urls VALUES (5, '{LINK}', 'News');
INSERT INTO urls VALUES (6, 'file:///C:/a%20b/x.pdf', 'x.pdf');
INSERT INTO segments VALUES (1, 'http://links.example/');
INSERT INTO downloads_url_chains VALUES (1, 0, 'https://dl.example/f');
INSERT INTO downloads_url_chains VALUES (1, 1, 'https://cdn.example/f?sig=a%2Fb');
"""
CHROMIUM: Final = {
    "checksum": "0123456789abcdef",
    "roots": {
        "bookmark_bar": {
            "children": [
                {"date_added": "13348576800000000", "name": "A, http://title.example/", "type": "url", "url": LINK}
            ]
        }
    },
}
SLACK: Final = [
    {
        "type": "message",
        "text": f"see <{ESCAPED}|news, here>, <https://b.example/> &lt;x&gt; <@U123|a> <!here>",
        "user": "U1",
        "ts": "1704103200.000100",
        "attachments": [{"from_url": LINK, "title_link": LINK}],
        "blocks": [{"type": "rich_text", "elements": [{"elements": [{"type": "link", "url": LINK, "text": "news"}]}]}],
    },
    {"files": [{"url_private": "https://files.example/T1-F1/x.pdf?t=xoxe-1"}], "ts": "1704103201.000100", "text": ""},
]
TELEGRAM: Final = {
    "name": "A",
    "messages": [
        {
            "date": "2024-01-01T10:00:00",
            "from_id": "user1",
            "text": [
                "see ",
                {"type": "link", "text": LINK},
                {"type": "text_link", "text": "x", "href": "https://b.example/"},
            ],
            "text_entities": [{"type": "plain", "text": "see "}, {"type": "link", "text": LINK}],
        }
    ],
}
TELEGRAM_PAGE: Final = f"""<!DOCTYPE html>
<html>

 <head>
  <meta charset="utf-8"/>
  <script src="js/script.js" type="text/javascript">

  </script>
 </head>
 <body onload="CheckLocation();">
   <div class="pull_right date details" title="01.01.2024 10:00:00 UTC+01:00">10:00</div>
   <div class="text">
see <a href="{ESCAPED}">news</a> <a href="" onclick="return ShowHashtag(&quot;x&quot;)">#x</a>
   </div></body></html>"""
WHATSAPP: Final = (
    "\u200e[01.01.24, 10:00:00] A: \u200eMessages and calls are end-to-end encrypted.\r\n"
    f"[01.01.24, 10:00:05] A: see {LINK}\r\n"
    "[01.01.24, 10:00:06] ~\u202fB: https://b.example/\u200e<This message was edited>\r\n"
    "\u200e[01.01.24, 10:00:07] B: \u200e<attached: 00000012-PHOTO-2024-01-01-10-00-07.jpg>\r\n"
    "[01.01.24, 10:00:08] B: two lines\r\nhttps://c.example/x.\r\n"
)
ANDROID: Final = f"1/1/24, 10:00\u202fAM - A: {LINK}\n1/1/24, 10:01\u202fAM - B: https://b.example/ <Media omitted>\n"
MATRIX: Final = {
    "room_creator": "@a:m.example",
    "topic": "https://topic.example/",
    "messages": [
        {
            "sender": "@a:m.example",
            "event_id": "$e",
            "origin_server_ts": 1704103200000,
            "content": {
                "body": f"> <@b:m.example> q\n\nsee [news]({LINK})",
                "formatted_body": f'<a href="https://matrix.to/#/@b:m.example">b</a> <a href="{ESCAPED}">n</a>',
            },
        },
        {"content": {"msgtype": "m.image", "url": "mxc://m.example/EfGh"}, "event_id": "$f"},
    ],
}
SAVED: Final = (
    "<!DOCTYPE html>\n<!-- saved from url=(0034)https://news.example/dir/page.html -->\n"
    f'<html><link rel="stylesheet" href="./page_files/s.css"><a href="{LINK}">1</a><a href="two">2</a>'
    '<img src="./page_files/i.png"><img src="page-Dateien/i.png"><a href="my_files.html">3</a>'
    '<a href="my_files/a.pdf">4</a>'
)


def zipped(path: Path, members: dict[str, str | bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def stored(path: Path, script: str) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()


def as_slack(value: object) -> str:
    return json.dumps(value, indent=4).replace("/", "\\/")


def write(folder: Path, name: str) -> Path:
    """Make one of the files, as the program does whose name it has."""
    path = folder / name
    match name:
        case "places.sqlite":
            stored(path, PLACES)
        case "History":
            stored(path, HISTORY)
        case "Slack export.zip":
            users = [{"id": "U1", "profile": {"image_24": "https://img.example/b"}}]
            zipped(path, {"users.json": as_slack(users), "general/2024-01-01.json": as_slack(SLACK)})
        case "WhatsApp Chat - A.zip":
            zipped(path, {"_chat.txt": WHATSAPP, "00000012-PHOTO-2024-01-01-10-00-07.jpg": b"\xff\xd8\xff\xe0\0"})
        case _:
            path.write_bytes(FILES[name])
    return path


FILES: Final[dict[str, bytes]] = {
    "page.mhtml": mhtml(),
    "page.webarchive": plistlib.dumps(ARCHIVE, fmt=plistlib.FMT_BINARY),
    "xml.webarchive": plistlib.dumps(ARCHIVE),
    "page.html": SAVED.encode(),
    "Bookmarks.plist": plistlib.dumps(BOOKMARKS, fmt=plistlib.FMT_BINARY),
    "old.plist": plistlib.dumps(BOOKMARKS),
    "a.webloc": plistlib.dumps({"URL": LINK}, fmt=plistlib.FMT_BINARY),
    "b.webloc": plistlib.dumps({"URL": LINK}),
    "c.url": f"[InternetShortcut]\r\nIDList=\r\nURL={LINK}\r\n".encode(),
    "Bookmarks": json.dumps(CHROMIUM, indent=3).encode(),
    "result.json": json.dumps(TELEGRAM, indent=1).encode(),
    "messages.html": TELEGRAM_PAGE.encode(),
    "WhatsApp Chat with A.txt": ANDROID.encode(),
    "export.json": json.dumps(MATRIX, indent=2).encode(),
}
DAY: Final = "!general/2024-01-01.json"
TEXT: Final = "messages[0].content"
# What is found in a file: the link, the end of its source (or part), its field or its row.
EXPORTS: Final[dict[str, list[tuple[Any, ...]]]] = {
    "page.mhtml": [
        (f"{DIR}/page.html?id=1", "header:Snapshot-Content-Location", None),
        (f"{DIR}/page.html?id=1", "1.mime:Content-Location", None),
        (LINK, "1", "a@href"),
        (f"{DIR}/two", "1", "a@href"),
        ("cid:f@mhtml.blink", "1", "iframe@src"),
        ("https://ads.example/f/x.html", "2.mime:Content-Location", None),
        ("https://ads.example/f/y.html", "2", "a@href"),
        ("cid:css-1@mhtml.blink", "3.mime:Content-Location", None),
        ("https://img.example/b", "3", None),
        ("https://img.example/i.png", "4.mime:Content-Location", None),
    ],
    "page.webarchive": ARCHIVED,
    "xml.webarchive": ARCHIVED,
    "page.html": [
        (f"{DIR}/page.html", "", None),
        (LINK, "", "a@href"),
        (f"{DIR}/two", "", "a@href"),
        (f"{DIR}/my_files.html", "", "a@href"),
        (f"{DIR}/my_files/a.pdf", "", "a@href"),
    ],
    "Bookmarks.plist": [
        ("http://title.example/", "", "Children[1].Children[0].URIDictionary.title"),
        (LINK, "", "Children[1].Children[0].URLString"),
        ("https://b.example/", "", "Children[1].Children[1].URLString"),
    ],
    "old.plist": [("http://title.example/", "", "string"), (LINK, "", "string"), ("https://b.example/", "", "string")],
    "a.webloc": [(LINK, "", "URL")],
    "b.webloc": [(LINK, "", "string")],
    "c.url": [(LINK, "", None)],
    "places.sqlite": [
        (LINK, "", "moz_places.url", 1),
        ("http://title.example/", "", "moz_places.title", 1),
        ("https://img.example/b", "", "moz_places.preview_image_url", 1),
        ("https://dl.example/f", "", "moz_annos.content / u", 3),
        ("http://anno.example/?x&y", "", "moz_annos.content / a@href", 4),
    ],
    "History": [
        (LINK, "", "urls.url", 5),
        ("file:///C:/a%20b/x.pdf", "", "urls.url", 6),
        ("http://links.example/", "", "segments.name", 1),
        ("https://dl.example/f", "", "downloads_url_chains.url", 1),
        ("https://cdn.example/f?sig=a%2Fb", "", "downloads_url_chains.url", 2),
    ],
    "Bookmarks": [
        ("http://title.example/", "", "roots.bookmark_bar.children[0].name"),
        (LINK, "", "roots.bookmark_bar.children[0].url"),
    ],
    "Slack export.zip": [
        ("https://img.example/b", "!users.json", "[0].profile.image_24"),
        (LINK, DAY, "[0].text"),
        ("https://b.example/", DAY, "[0].text"),
        (LINK, DAY, "[0].attachments[0].from_url"),
        (LINK, DAY, "[0].attachments[0].title_link"),
        (LINK, DAY, "[0].blocks[0].elements[0].elements[0].url"),
        ("https://files.example/T1-F1/x.pdf?t=xoxe-1", DAY, "[1].files[0].url_private"),
    ],
    "result.json": [
        (LINK, "", "messages[0].text[1].text"),
        ("https://b.example/", "", "messages[0].text[2].href"),
        (LINK, "", "messages[0].text_entities[1].text"),
    ],
    "messages.html": [(LINK, "", "a@href")],
    "WhatsApp Chat - A.zip": [
        (LINK, "!_chat.txt", None),
        ("https://b.example/", "!_chat.txt", None),
        ("https://c.example/x", "!_chat.txt", None),
    ],
    "WhatsApp Chat with A.txt": [(LINK, "", None), ("https://b.example/", "", None)],
    "export.json": [
        ("https://topic.example/", "", "topic"),
        (LINK, "", f"{TEXT}.body"),
        ("https://matrix.to/#/@b:m.example", "", f"{TEXT}.formatted_body / a@href"),
        (LINK, "", f"{TEXT}.formatted_body / a@href"),
        ("mxc://m.example/EfGh", "", "messages[1].content.url"),
    ],
}


def place(record: Record, path: Path) -> tuple[Any, ...]:
    where = record.part or (record.source or "").removeprefix(str(path))
    is_table = path.suffix == ".sqlite" or path.name == "History"
    return (record.uri, where, record.field, *([record.row] if is_table else []))


@pytest.mark.parametrize("name", EXPORTS)
@pytest.mark.parametrize("options", [Options(), Options(bare=["doi"])], ids=["quick", "long"])
def test_each_link_once_for_each_place(name: str, options: Options, tmp_path: Path) -> None:
    path = write(tmp_path, name)
    tally = Tally()
    found = [place(record, path) for record in extract_files([path], options=options, tally=tally)]
    assert sorted(found, key=str) == sorted(EXPORTS[name], key=str)
    assert not tally.broken
    assert not tally.rejected


NAMED: Final = {
    **dict.fromkeys(("Bookmarks.plist", "a.webloc", "page.webarchive", "xml.webarchive"), InputKind.PLIST),
    **dict.fromkeys(("places.sqlite", "History"), InputKind.SQLITE),
}


@pytest.mark.parametrize("name", NAMED)
def test_the_kind_is_named(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, name)
    tally = Tally()
    found = extract_files([path], reading=ReadingOptions(input=NAMED[name]), tally=tally)
    assert sorted([place(record, path) for record in found], key=str) == sorted(EXPORTS[name], key=str)
    assert (tally.kinds, tally.broken) == ({str(NAMED[name]): 1}, {})


def test_what_was_saved_beside_a_page_never_was_in_the_web(tmp_path: Path) -> None:
    path = write(tmp_path, "page.html")
    tally = Tally()
    for _ in extract_files([path], tally=tally):
        pass
    assert tally.skipped == {("reference", "saved-beside"): 3}


def _calls(path: Path, beside: str) -> int:
    """Return the calls of Python for a saved page of many links, each with an image in a folder of this name."""
    lines = (f'<p><a href="/{number}">a</a><img src="{beside}/{number}.png">\n' for number in range(200))
    path.write_text(f"<!-- saved from url=(0017)http://a.example/ -->\n{''.join(lines)}", "utf-8")
    calls = 0

    def count_call(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count_call)
    try:
        done = call("extract", "-q", "-j", "1", "-f", "jsonl", str(path))
    finally:
        sys.setprofile(before)
    assert done.out.count(b"\n") >= 200
    return calls


@pytest.mark.parametrize("beside", ["./page_files", "page_files"])
def test_what_is_left_out_of_a_saved_page_costs_less_than_what_is_found(beside: str, tmp_path: Path) -> None:
    """Whatever is left out, the texts around it are searched and located together."""
    path = tmp_path / "page.html"
    _calls(path, "images")  # what is made when it is first asked for
    assert _calls(path, beside) < _calls(path, "images")


# When what is in an export was visited, stored or written, by its URL.
DATED: Final = {
    "places.sqlite": ("ALTER TABLE moz_places ADD last_visit_date DEFAULT 1704103200000000", "2024-01-01T10:00:00Z"),
    "History": ("ALTER TABLE urls ADD last_visit_time DEFAULT 13348576800000000", "2024-01-01T10:00:00Z"),
    "Bookmarks": ("", "2024-01-01T10:00:00Z"),
    "Slack export.zip": ("", "2024-01-01T10:00:00.0001Z"),
    "result.json": ("", "2024-01-01T10:00:00"),
    "export.json": ("", "2024-01-01T10:00:00Z"),
}


@pytest.mark.parametrize("name", DATED)
def test_when_it_was_visited(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, name)
    script, time = DATED[name]
    if script:
        stored(path, script)
    reading = ReadingOptions(context=True)
    assert {record.time for record in extract_files([path], reading=reading) if record.uri == LINK} == {time}
    assert {record.time for record in extract_files([path]) if record.uri == LINK} == {None}


def test_bookmarks_that_firefox_compresses_are_counted_and_not_cut(tmp_path: Path) -> None:
    """`mozLz40` holds a block of LZ4: links stand in it, and what is repeated in them does not."""
    path = tmp_path / "bookmarks-2024-01-01_2.jsonlz4"
    path.write_bytes(b"mozLz40\0\x99\0\0\0\xf0\x20" + f'{{"uri":"{LINK}"}}'.encode())
    tally = Tally()
    assert list(extract_files([path], tally=tally)) == []
    assert tally.skipped == {("unsupported", "out-of-scope"): 1}


def objects(*written: bytes) -> bytes:
    """A binary property list of objects as they stand in the file; references are bytes."""
    offsets, body = [], b"bplist00"
    for one in written:
        offsets.append(len(body))
        body += one
    table = b"".join(struct.pack(">I", offset) for offset in offsets)
    return body + table + struct.pack(">6xBBQQQ", 4, 1, len(written), 0, len(body))


def array(*references: int) -> bytes:
    return b"\xaf\x12" + struct.pack(">I", len(references)) + bytes(references)


TEXT_OBJECT: Final = b"\x5f\x10\x11http://a.example/"
HOSTILE: Final = {
    "cut": FILES["page.webarchive"][:-9],
    "entities": b'<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY a "b">]><plist><key>WebMainResource</key>&a;</plist>',
    "used 10^30 times": objects(*(array(*[number + 1] * 10) for number in range(30)), TEXT_OBJECT),
    "in itself": objects(array(*[0] * 14)),
    "in itself, wide": objects(array(*[0] * 200_000)),
    "deep": objects(*(array(number + 1) for number in range(250)), TEXT_OBJECT),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_broken_property_lists_cost_no_more_than_their_bytes(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.plist"
    path.write_bytes(HOSTILE[name])
    tally = Tally()
    found = sum(1 for _ in extract_files([path, write(tmp_path, "a.webloc")], tally=tally))
    assert 0 < found < 60_000  # the second file is read
    assert set(tally.broken) <= {("property list", "corrupt")}
    assert bool(tally.broken) == (name != "deep")


def test_a_list_in_xml_that_is_nested_too_deeply_is_read_as_xml(tmp_path: Path) -> None:
    lists = {depth: b"<array>" * depth + b"<string>%s</string>" % ESCAPED.encode() for depth in (490, 1_010)}
    for depth, data in lists.items():
        path = tmp_path / f"{depth}.webarchive"
        data = b"<plist><dict><key>WebMainResource</key><dict/><key>a</key>" + data + b"</array>" * depth
        path.write_bytes(b'<?xml version="1.0"?>' + data + b"</dict></plist>")
    tally = Tally()
    found = [record.uri for record in extract_files([tmp_path / "1010.webarchive"], tally=tally)]
    assert (found, dict(tally.broken)) == ([LINK], {("property list", "nested-too-deep"): 1})
    tally = Tally()
    assert list(extract_files([tmp_path / "490.webarchive"], tally=tally)) == []  # it has no pages
    assert tally.broken == {}


def test_xml_that_quotes_an_archive_stays_xml(tmp_path: Path) -> None:
    quoted = f'<?xml version="1.0"?><d><code><key>WebMainResource</key></code><plist/><a href="{ESCAPED}"/></d>'
    (tmp_path / "a.xml").write_text(quoted)
    (tmp_path / "b.xml").write_bytes(plistlib.dumps(ARCHIVE)[:-9] + f"<string>{ESCAPED}</string>".encode())
    tally = Tally()
    found = [record.uri for record in extract_files([tmp_path / "a.xml"], tally=tally)]
    assert (found, tally.broken) == ([LINK], {})
    found = [record.uri for record in extract_files([tmp_path / "b.xml"], tally=tally)]
    assert found[-1] == LINK
    assert tally.broken["property list", "corrupt"] == 1
    named = extract_files([tmp_path / "b.xml"], reading=ReadingOptions(input=InputKind.XML), tally=tally)
    assert [record.uri for record in named] == found


def test_a_list_in_a_stream_that_is_cut(tmp_path: Path) -> None:
    data = plistlib.dumps([f"{LINK}&n={number}" for number in range(1_000)], fmt=plistlib.FMT_BINARY)
    (tmp_path / "a.plist").write_bytes(data[:20_000])
    (tmp_path / "a.plist.gz").write_bytes(zlib.compress(data[:20_000], 0, 31)[:-8])
    by_itself = call("extract", str(tmp_path / "a.plist"))
    in_stream = call("extract", "-v", str(tmp_path / "a.plist.gz"))
    assert in_stream.lines == by_itself.lines[:-1]
    assert len(in_stream.lines) > 400
    assert "1 gzip (truncated), 1 property list (corrupt)" in in_stream.err


def test_archives_in_archives_end(tmp_path: Path) -> None:
    data = b"http://a.example/"
    for _ in range(100):
        data = plistlib.dumps({"WebMainResource": resource("http://h/", data, "x")}, fmt=plistlib.FMT_BINARY)
    path = tmp_path / "a.webarchive"
    path.write_bytes(data)
    tally = Tally()
    for _ in extract_files([path], tally=tally):
        pass
    assert tally.broken == {("plist", "nested-too-deep"): 1}


@pytest.mark.long
def test_archives_in_archives_do_not_multiply(tmp_path: Path) -> None:
    """All resources are one object: each level would have twenty times as many pages as the one around it."""
    data = b"<!doctype html><p>http://a.example/"
    for _ in range(8):
        one = resource("http://h/", data, "text/html")
        data = plistlib.dumps({"WebMainResource": one, "WebSubresources": [one] * 20}, fmt=plistlib.FMT_BINARY)
    path = tmp_path / "a.webarchive"
    path.write_bytes(data)
    tally = Tally()
    found = sum(1 for _ in extract_files([path, write(tmp_path, "page.webarchive")], tally=tally))
    assert 1_000 < found < 4_096
    assert tally.read["property list"] < 4_096
    assert tally.broken == {("property list", "corrupt"): 8}


def _body(url: str, kind: str, data: bytes, *, first: bool) -> dict[str, object]:
    """Return an entry of a browser's archive, its members in the order of Chrome or of Firefox."""
    encoded = base64.b64encode(data).decode()
    content: dict[str, object] = {"size": len(data), "mimeType": kind, "text": encoded, "encoding": "base64"}
    if first:
        content = dict(reversed(content.items()))
    return {"request": {"method": "GET", "url": url}, "response": {"status": 200, "content": content}}


@pytest.mark.parametrize("size", [0, 400_000])
@pytest.mark.parametrize("first", [False, True])
def test_bodies_in_base64_of_what_a_browser_has_fetched(first: bool, size: int, tmp_path: Path) -> None:
    """Also of more than one window of JSON; what is plain is a string as before."""
    page = f'<!DOCTYPE html><img src="i.png">{"x" * size}<a href="http://b.example/?x&amp;y">y</a>'.encode()
    plain = _body("https://p.example/q", "text/plain", b"", first=first)
    plain["response"] = {"content": {"mimeType": "text/plain", "text": "http://c.example/"}}
    entries = [
        _body("https://a.example/p/", "text/html; charset=utf-8", page, first=first),
        plain,
        _body("https://a.example/d", "application/json", b'{"u":"http:\\/\\/d.example\\/"}', first=first),
        _body("https://a.example/i", "image/png", b"\x89PNG\r\n\x1a\nhttp://no.example/", first=first),
    ]
    path = tmp_path / "a.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}))
    tally = Tally()
    found = [
        (one.uri, (one.source or "").removeprefix(str(path)), one.field)
        for one in extract_files([path], tally=tally)
        if one.field is None or not one.field.endswith(".url")
    ]
    assert sorted(found, key=str) == [
        ("http://b.example/?x&y", "!https://a.example/p/", "a@href"),
        ("http://c.example/", "", "log.entries[1].response.content.text"),
        ("http://d.example/", "!https://a.example/d", "u"),
        ("https://a.example/p/i.png", "!https://a.example/p/", "img@src"),
    ]
    assert tally.broken == {}
