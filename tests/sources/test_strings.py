"""The product of carriers and contents: what a string is does not depend on what carries it, nor on the engine."""

from __future__ import annotations

import csv
import html
import io
import json
import plistlib
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import pytest

from tests.helpers.engines import Engine

LINK: Final = "http://a.example/x"
BASE: Final = "https://e.example/p/"


class Content(NamedTuple):
    """What a string is, with the identifiers in it, each with the end of its field."""

    text: str
    found: list[tuple[str, str]]


CONTENTS: Final = {
    "identifier": Content(LINK, [(LINK, "")]),
    "words": Content(f"see {LINK} now", [(LINK, "")]),
    "decimal": Content('<a href="http&#58;//a.example/x">y</a>', [(LINK, " / a@href")]),
    "hexadecimal": Content('<a href="http&#x3a;//a.example/x">y</a>', [(LINK, " / a@href")]),
    "named": Content('<a href="http&colon;//a.example/x">y</a>', [(LINK, " / a@href")]),
    "ampersand": Content(f'<a href="{LINK}?y&amp;z">y</a>', [(f"{LINK}?y&z", " / a@href")]),
    "page": Content(f"<p>see {LINK}?y&amp;z now</p>", [(f"{LINK}?y&z", "")]),
    "relative": Content(
        '<img src="i.png"> and <a href="../q">y</a>',
        [(f"{BASE}i.png", " / img@src"), ("https://e.example/q", " / a@href")],
    ),
    "object": Content(json.dumps({"u": LINK}), [(LINK, " / u")]),
    "slashes": Content(json.dumps({"u": LINK}).replace("/", "\\/"), [(LINK, " / u")]),
    "page in object": Content(json.dumps({"h": '<a href="http&colon;//a.example/x">y</a>'}), [(LINK, " / h / a@href")]),
    "object in page": Content(f"<p data-p={quoteattr(json.dumps({'u': LINK}))}>y</p>", [(LINK, " / p@data-p / u")]),
    "page in page": Content(
        f"<p data-p={quoteattr(chr(60) + 'a href=' + chr(39) + 'i' + chr(39) + '>')}>y</p>",
        [(f"{BASE}i", " / p@data-p / a@href")],
    ),
}


def _table(text: str) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([["id", "s"], ["1", text], ["2", "y"], ["3", "z"]])
    return out.getvalue()


def _property(text: str) -> str:
    return re.sub(r"([\\,;])", r"\\\1", text)


def _database(text: str, path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (s TEXT)")
    connection.execute("INSERT INTO t VALUES (?)", [text])
    connection.commit()
    connection.close()


def _attribute(text: str) -> str:
    return f"<!DOCTYPE html><html><body><p data-s={quoteattr(text)}>x</p></body></html>"


def _script(document: str) -> str:
    document = document.replace("</", "<\\/")
    return f'<!DOCTYPE html><html><body><script type="application/ld+json">\n{document}\n</script><p>x</html>'


def _mail(kind: str, body: str) -> str:
    return f"From: Ada <ada>\nTo: b\nSubject: s\nDate: d\nMIME-Version: 1.0\nContent-Type: {kind}\n\n{body}\n"


class Row(NamedTuple):
    """A carrier: its file with a string, the field of that, the value of `--field` for it, and what it has besides."""

    make: Callable[[str], str]
    field: str
    wanted: str | None = None
    own: tuple[tuple[str, str], ...] = ()


ROWS: Final = {
    "a.jsonl": Row(lambda text: json.dumps({"s": text}) + '\n{"s":"y"}\n', "s", "s"),
    "ascii.jsonl": Row(lambda text: json.dumps({"s": text}).replace("<", "\\u003c") + '\n{"s":"y"}\n', "s", "s"),
    "a.json": Row(lambda text: json.dumps({"s": text}, indent=1), "s", "s"),
    "a.csv": Row(_table, "s", "s"),
    "element.xml": Row(lambda text: f"<r><s>{escape(text)}</s></r>", "s"),
    "section.xml": Row(lambda text: f"<r><s><![CDATA[{text}]]></s></r>", "s"),
    "attribute.xml": Row(lambda text: f"<r><e s={quoteattr(text)}/></r>", "e@s"),
    "base.xml": Row(lambda text: f'<r xml:base="{BASE}"><s>{escape(text)}</s></r>', "s", own=((BASE, "r@xml:base"),)),
    "a.plist": Row(lambda text: plistlib.dumps({"s": text}).decode(), "string"),
    "a.ics": Row(
        lambda text: (
            f"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDESCRIPTION:{_property(text)}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        ),
        "VEVENT.DESCRIPTION",
    ),
    "a.vcf": Row(lambda text: f"BEGIN:VCARD\r\nVERSION:4.0\r\nNOTE:{_property(text)}\r\nEND:VCARD\r\n", "VCARD.NOTE"),
    "a.ldif": Row(lambda text: f"version: 1\ndn: cn=x\ndescription: {text}\n", "description"),
    "a.export": Row(
        lambda text: f"__CURSOR=s=x\n__REALTIME_TIMESTAMP=1717160707000000\nMESSAGE={text}\n\n", "MESSAGE", "MESSAGE"
    ),
    "a.html": Row(_attribute, "p@data-s"),
    "script.html": Row(lambda text: _script(json.dumps({"s": text})), "script / s"),
    "list.html": Row(lambda text: _script(json.dumps([[text]], indent=1)), "script / [0][0]"),
    "script.eml": Row(lambda text: _mail("text/html", _script(json.dumps({"s": text}))), "script / s"),
    "page.eml": Row(lambda text: _mail("text/html", _attribute(text)), "p@data-s"),
    "watch.eml": Row(lambda text: _mail("text/watch-html", _attribute(text)), "p@data-s"),
    "json.eml": Row(lambda text: _mail("application/json", json.dumps({"s": text})), "s"),
    "calendar.eml": Row(
        lambda text: _mail("text/calendar", f"BEGIN:VCALENDAR\nSUMMARY:{_property(text)}\nEND:VCALENDAR"),
        "VCALENDAR.SUMMARY",
    ),
}
DATABASE: Final = "a.db"


@pytest.fixture(scope="module", params=[False, True], ids=["kernel", "python"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """A process with each engine."""
    found = Engine(is_pure=request.param)
    yield found
    found.close()


def plain(written: str) -> str:
    """Return a text without the escapes of any carrier."""
    before = ""
    while written != before:
        before = written
        written = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), written)
        written = html.unescape(re.sub(r"\\(.)", r"\1", written))
    return written


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CONTENTS)
def test_each_content_in_each_carrier(name: str, engine: Engine, tmp_path: Path) -> None:
    content = CONTENTS[name]
    for carrier, row in ROWS.items():
        (tmp_path / carrier).write_text(row.make(content.text), newline="")
    _database(content.text, tmp_path / DATABASE)
    rows = {**ROWS, DATABASE: Row(str, "t.s")}
    base = [] if name != "relative" and name != "page in page" else ["--base", BASE]
    found = found_in(engine, [*base, str(tmp_path)], tmp_path)
    assert found == {
        carrier: [*row.own, *((uri, row.field + end) for uri, end in content.found)] for carrier, row in rows.items()
    }
    for carrier, row in ROWS.items():
        if row.wanted is not None:
            one = found_in(engine, [*base, "--field", row.wanted, str(tmp_path / carrier)], tmp_path)
            assert one == {carrier: found[carrier]}


def found_in(engine: Engine, arguments: list[str], folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Return what is found in each file, with its field; the bytes of each are where its record says."""
    done = engine.ran(["extract", "-q", "-f", "jsonl", *arguments])
    assert done.status == 0, done
    found: dict[str, list[tuple[str, str]]] = {}
    for record in map(json.loads, done.out.splitlines()):
        name, is_member, _ = record["source"].partition("!")
        path = Path(name)
        if record["byte_start"] is not None and not is_member:
            written = path.read_bytes()[record["byte_start"] : record["byte_end"]].decode()
            assert plain(written) == record["raw"], (path, record)
        else:
            assert path.name in (DATABASE, "json.eml", "a.plist"), record
        found.setdefault(path.name, []).append((record["uri"], record["field"]))
    return found


@pytest.mark.parametrize(("more", "counted"), [([], 1), (["--base", BASE], 0)])
def test_each_reference_without_a_base_is_counted(
    more: list[str], counted: int, engine: Engine, tmp_path: Path
) -> None:
    for carrier, row in ROWS.items():
        if carrier == "base.xml":
            continue
        path = tmp_path / carrier
        path.write_text(row.make('<img src="i.png">'), newline="")
        done = engine.ran(["extract", *more, str(path)])
        assert done.out == ("" if counted else f"{BASE}i.png\n"), carrier
        assert done.said.count("(no base)") == counted, (carrier, done.said)


def test_the_base_of_a_feed_holds_for_its_html(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "a.atom"
    path.write_text(
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://f.example/"><entry>\n'
        f'<content type="html" xml:base="{BASE}">&lt;img src="i.png"&gt;</content>\n'
        '<summary type="html">&lt;img src="j.png"&gt; &lt;a href="http://a.example/"&gt;</summary></entry>'
        '<entry xml:base="q/"><summary type="html" xml:base="r/"><![CDATA[<img src="k.png">]]></summary></entry></feed>'
    )
    done = engine.ran(["extract", "-q", "--fields", "uri,field", "--base", "https://no.example/", str(path)])
    assert done.out.splitlines() == [
        "https://f.example/\tfeed@xml:base",
        f"{BASE}\tcontent@xml:base",
        f"{BASE}i.png\tcontent / img@src",
        "https://f.example/j.png\tsummary / img@src",
        "http://a.example/\tsummary / a@href",
        "https://f.example/q/\tentry@xml:base",
        "https://f.example/q/r/\tsummary@xml:base",
        "https://f.example/q/r/k.png\tsummary / img@src",
    ]


def test_pages_in_attributes_have_the_bound_on_depth_of_all_texts(engine: Engine, tmp_path: Path) -> None:
    inner = "http://a.example/"
    for _ in range(40):
        inner = f"<p x={quoteattr(inner)}>"
    path = tmp_path / "a.html"
    path.write_text(f"<!DOCTYPE html>{inner}")
    done = engine.ran(["extract", "-v", str(path)])
    assert "nested too deep" in done.said or "nested-too-deep" in done.said, done


@pytest.mark.sampled(5)
@pytest.mark.parametrize("behind", [" Foo", ", etc", " (homepage)", " | Site", "; d", "\\u00a0x", ""])
def test_words_may_follow_a_link_in_a_script(tmp_path: Path, engine: Engine, behind: str) -> None:
    path = tmp_path / "a.html"
    path.write_text(_script(f'{{"a":"http://a.example/b{behind}","http://c.example/d{behind}":1}}'), "utf-8")
    done = engine.ran(["extract", "-q", str(path)])
    assert (done.out, done.status) == ("http://a.example/b\nhttp://c.example/d\n", 0)


@pytest.mark.parametrize("mark", ["", " ", "-", "*", "2) ", "4,", "•", "("])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("carrier", ["csv", "jsonl"])
def test_links_in_lines_of_a_value(carrier: str, end: str, mark: str, tmp_path: Path, engine: Engine) -> None:
    text = f"http://a.example/1{end}{mark}http://b.example/2"
    value = json.dumps({"id": 1, "a": text}) if carrier == "jsonl" else f'id,a\n1,"{text}"'
    path = tmp_path / f"a.{carrier}"
    path.write_bytes(f"{value}\n".encode())
    done = engine.ran(["extract", "-q", str(path)])
    assert (done.out, done.status) == ("http://a.example/1\nhttp://b.example/2\n", 0)


@pytest.mark.parametrize("join", ["=", "?", "/", "&", ":"])
def test_a_link_inside_another_one_is_not_of_another_line(join: str, tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"a": f"http://a.example/1?x\n{join}http://b.example/2"}))
    done = engine.ran(["extract", "-v", str(path)])
    assert done.out == ""
    assert "1 rejected (illegal-character 1)" in done.said
