"""One odd line above a file does not make it another kind: each link is found as without it."""

from __future__ import annotations

import base64
import json
import quopri
from collections.abc import Callable
from html import escape
from typing import Final

import pytest

from urisieve import Tally, extract_blocks

LINKS: Final = [f"http://a.example/{number}?a=1&b={number}" for number in range(30)]
_HEADER: Final = "From: a@b.example\nTo: c@d.example\nSubject: s\nMIME-Version: 1.0\nContent-Type: text/plain\n"
_BODY: Final = "".join(f"see {link} now\n" for link in LINKS)


def _mail(encoding: str, body: bytes) -> str:
    return f"{_HEADER}Content-Transfer-Encoding: {encoding}\n\n{body.decode()}"


FILES: Final[dict[str, Callable[[], str]]] = {
    "a.csv": lambda: "id,url,note\n" + "".join(f"{number},{link},x\n" for number, link in enumerate(LINKS)),
    "b.csv": lambda: '"id","url"\n' + "".join(f'"{number}","{link}"\n' for number, link in enumerate(LINKS)),
    "c.csv": lambda: "id;url;note\n" + "".join(f"{number};{link};x\n" for number, link in enumerate(LINKS)),
    "a.tsv": lambda: "id\turl\tnote\n" + "".join(f"{number}\t{link}\tx\n" for number, link in enumerate(LINKS)),
    "a.jsonl": lambda: "".join(json.dumps({"u": link}) + "\n" for link in LINKS),
    "a.json": lambda: json.dumps([{"u": link} for link in LINKS], indent=1),
    "a.html": lambda: "<!DOCTYPE html><html>\n" + "".join(f'<p><a href="{escape(link)}">x</a>\n' for link in LINKS),
    "a.xml": lambda: '<?xml version="1.0"?>\n<r>' + "".join(f"<u>{escape(link)}</u>\n" for link in LINKS) + "</r>",
    "a.eml": lambda: _mail("8bit", _BODY.encode()),
    "b.eml": lambda: _mail("quoted-printable", quopri.encodestring(_BODY.encode())),
    "c.eml": lambda: _mail("base64", base64.encodebytes(_BODY.encode())),
    "a.ics": lambda: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + "".join(f"URL:{link}\r\n" for link in LINKS),
    "a.vcf": lambda: "".join(f"BEGIN:VCARD\r\nFN:x\r\nURL:{link}\r\nEND:VCARD\r\n" for link in LINKS),
    "a.log": lambda: _BODY,
}
_WARNING: Final = "<br />\n<b>Warning</b>:  Undefined variable $x in <b>/var/www/a.php</b> on line <b>3</b><br />\n"
_OF_JSON: Final = ('{"error":"none","code":0}\n', '["a"]\n')
ABOVE: Final = [
    *(
        "\n\n",
        "# comment\n",
        "Report of today\n",
        "sep=,\n",
        "a,b\n",
        "---\n",
        " ",
        "\t",
        "\x0c",
        "[1]\n",
        "%PDF-\n",
        "PK\n",
    ),
    *("<br>\n", "<!-- saved -->\n", '<?xml version="1.0"?>\n', _WARNING, 3 * _WARNING, "WARC/1.0\n", "@a\n", "x: y\n"),
    *(*_OF_JSON, "http://q.example/\n", "Subject: hello\n", "From x\n", "BEGIN:VCARD\n"),
]
# Above these the line says what is below; a list of links is a table of one column.
_UNDECIDED: Final = {
    "BEGIN:VCARD\n": ("a.eml", "b.eml", "c.eml", "a.ics", "a.log"),
    "sep=,\n": tuple(name for name in FILES if name not in ("a.csv", "b.csv")),
    "http://q.example/\n": ("c.csv", "a.tsv"),
    **dict.fromkeys(("<br>\n", '<?xml version="1.0"?>\n', _WARNING, 3 * _WARNING, *_OF_JSON), ("a.log",)),
}


@pytest.mark.parametrize("above", ABOVE)
@pytest.mark.parametrize("name", FILES)
def test_an_odd_line_above(name: str, above: str) -> None:
    text = FILES[name]()
    alone, tally = Tally(), Tally()
    assert [one.uri for one in extract_blocks(name, text.encode(), tally=alone)] == LINKS
    links = [one.uri for one in extract_blocks(name, (above + text).encode(), tally=tally)]
    if name not in _UNDECIDED.get(above, ()):
        assert [link for link in links if link != "http://q.example/"] == LINKS
        assert tally.kinds == alone.kinds


@pytest.mark.parametrize("size", [1, 7, 9, 50])
@pytest.mark.parametrize("name", ["a", "a.txt", "a.log"])
def test_text_below_the_first_line_of_an_archive_in_pieces(name: str, size: int) -> None:
    data = f"WARC/1.0\n{_BODY}".encode()
    tally = Tally()
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    assert [one.uri for one in extract_blocks(name, blocks, tally=tally)] == LINKS
    assert tally.kinds == {"text": 1}
