"""Filters by the place where an identifier was found: the source, from whom a message is, and its subject."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers.cli_support import call
from urisieve import Batch, Filter, ReadingOptions, extract_files

MAIL = "From: Ada <ada@a.example>\nTo: c@c.example\nSubject: Invoice 7\nMessage-ID: <1@a.example>\n\nsee http://one.example/\n"
BOX = "".join(
    f"From {who} Fri May 31 13:05:07 2024\nFrom: {who}\nSubject: {subject}\nMessage-ID: <{number}@x.example>\n\n"
    f"http://box.example/{number}\n\n"
    for number, (who, subject) in enumerate([("Bob@B.example", "Minutes"), ("eve@sub.b.example", "Your INVOICE")])
)
FILES = {"a.eml": MAIL, "box.mbox": BOX, "plain.txt": "http://plain.example/\n"}
ONE, BOB, EVE, PLAIN = (
    *("http://one.example/", "http://box.example/0", "http://box.example/1"),
    "http://plain.example/",
)
ROWS = [
    ("from=ada@a.example", {"senders": "ada@a.example"}, [ONE]),
    ("from=bob@b.example", {"senders": "BOB@b.example"}, [BOB]),
    ("from=*@*b.example", {"senders": ["*@*b.example"]}, [BOB, EVE]),
    ("from=!ada@a.example", {"senders": "!ada@a.example"}, [BOB, EVE, PLAIN]),
    ("from=*,!eve*", {"senders": ["*", "!eve*"]}, [ONE, BOB]),
    ("subject=*invoice*", {"subjects": "*invoice*"}, [ONE, EVE]),
    ("subject=minutes", {"subjects": "Minutes"}, [BOB]),
    ("subject=minute", {"subjects": "minute"}, []),
    ("source=*.eml,*.txt", {"sources": ["*.eml", "*.txt"]}, [ONE, PLAIN]),
    ("source=!*.mbox", {"sources": "!*.mbox"}, [ONE, PLAIN]),
    ("source=*.EML", {"sources": "*.EML"}, []),
]


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    return list(FILES)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(("only", "words", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_what_is_wanted_by_its_place(
    only: str, words: dict[str, list[str]], expected: list[str], jobs: str, paths: list[str]
) -> None:
    found = call("extract", "--schemes", "http", "--jobs", jobs, "--only", only, *paths)
    assert found.out.decode().split() == expected
    left = 4 - len(expected)
    assert (f"{left} left out by filters" in found.err) is (left > 0)
    wanted = Filter(**words)  # type: ignore[arg-type]
    records = list(extract_files(paths, reading=ReadingOptions(context=True)))
    batch = Batch.of([record for record in records if record.scheme == "http"])
    assert list(batch.where(wanted).column("uri")) == expected
    assert wanted.needs_context is not only.startswith("source")


@pytest.mark.parametrize(("only", "words", "expected"), ROWS, ids=[row[0] for row in ROWS])
@pytest.mark.parametrize(
    "command", [("dedupe", "--form", "uri"), ("count", "--format", "csv"), ("extract", "--unique")]
)
def test_in_other_commands(
    command: tuple[str, ...], only: str, words: object, expected: list[str], paths: list[str]
) -> None:
    del words
    found = call(*command, "--schemes", "http", "--only", only, *paths)
    links = [one for one in re.split(r"[\s,]", found.out.decode()) if one.startswith("http")]
    assert sorted(set(links)) == sorted(expected), found.err


def test_what_is_attached_is_named_by_its_source(tmp_path: Path) -> None:
    import zipfile

    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.csv", "id,url\n1,http://in.example/\n2,http://in.example/2\n")
        archive.writestr("y.txt", "http://text.example/")
    assert call("extract", "--only", "source=*!*.csv", str(path)).out.split() == [
        *(b"http://in.example/", b"http://in.example/2")
    ]


def test_keys_have_no_place(tmp_path: Path) -> None:
    found = call("count", "--input", "keys", "--only", "source=*.txt", stdin=b"http://a.example/\n")
    assert found.status == 2
    assert "--only source" in found.err
    assert call("count", "--input", "keys", "--only", "from=*", stdin=b"http://a.example/\n").status == 2
