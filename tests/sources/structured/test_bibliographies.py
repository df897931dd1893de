r"""Bibliographies of BibTeX: the escapes of LaTeX are undone, however they come; offsets are those of the bytes."""

from __future__ import annotations

import re
from email.message import EmailMessage
from pathlib import Path
from typing import Final

import pytest

from tests.helpers.cli_support import call
from tests.helpers.containers import CONTAINERS
from urisieve import extract_blocks

# What stands for an identifier in a field, and the identifier.
ROWS: Final = {
    r"http://a.example/a{\_}b": "http://a.example/a_b",
    r"http://a.example/a\_b": "http://a.example/a_b",
    r"http://a.example/{\%}20{\&}{\#}x": "http://a.example/%20&#x",
    r"http://a.example/a{\textunderscore}1": "http://a.example/a_1",
    r"http://a.example/\textasciitilde u": "http://a.example/~u",
    r"http://a.example/{\textasciitilde}u": "http://a.example/~u",
    r"http://a.example/\textasciitilde{}u": "http://a.example/~u",
    r"http://a.example/\~{}u": "http://a.example/~u",
    r"http://a.example/a\_{}1": "http://a.example/a_1",
    r"\url{http://a.example/?a=1\&b=2}": "http://a.example/?a=1&b=2",
    r"\href{http://a.example/x\#y}{A title}": "http://a.example/x#y",
    r"http://a.example/x~y": "http://a.example/x~y",
    r"https://doi.org/10.1000/a{\_}1{\_}2": "https://doi.org/10.1000/a_1_2",
    r"http://a.example/é{\_}ü": "http://a.example/%C3%A9_%C3%BC",
}
FIELDS: Final = "".join(f"  url = {{{written}}},\n" for written in ROWS)
BIBLIOGRAPHY: Final = f"@misc{{key,\n{FIELDS}}}\n"
BARE: Final = f"Names: é\n\n% by hand\n{BIBLIOGRAPHY}"


def in_mail(name: str, data: bytes, media_type: str) -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@a.example", "b@b.example", "c"
    message.set_content("none")
    message.add_attachment(data, *media_type.split("/"), filename=name)
    return message.as_bytes()


CARRIERS: Final = {
    "a.bib": BARE.encode(),
    "b.txt": BIBLIOGRAPHY.encode(),
    "c.bib.gz": CONTAINERS["log.gz"]({"c": BARE.encode()}),
    "d.zip": CONTAINERS["a.zip"]({"x.bib": BARE.encode()}),
    "e.bib": BARE.encode("utf-16"),
    "f.bib": b"\xef\xbb\xbf" + BARE.replace("\n", "\r\n").encode(),
    "g.eml": in_mail("x.bib", BARE.encode(), "text/x-bibtex"),
    "h.eml": in_mail("x.bib", BARE.encode(), "application/x-bibtex"),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("name", CARRIERS)
def test_a_bibliography_is_read_with_its_escapes(name: str, jobs: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(CARRIERS[name])
    (tmp_path / "other.txt").write_text("http://other.example/{\\_}\n", encoding="utf-8")
    outcome = call("extract", "-v", "--jobs", jobs, str(path), str(tmp_path / "other.txt"))
    links = [line for line in outcome.out.decode().splitlines() if not line.startswith(("mailto:", "http://other"))]
    assert links == list(ROWS.values())
    assert ("1 bibtex" in outcome.err) is not name.endswith(".eml")


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_offsets_are_those_of_the_text_as_written(size: int) -> None:
    data = BARE.encode()
    found = list(extract_blocks("x.bib", (data[at : at + size] for at in range(0, len(data), size))))
    assert [record.uri for record in found] == list(ROWS.values())
    spans = [data[record.byte_start : record.byte_end].decode() for record in found]
    plain = [re.sub(r"\\\w+\{(http.*?)\}(?:\{A title\})?", r"\1", written) for written in ROWS]
    assert spans == plain
