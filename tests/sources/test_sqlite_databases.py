"""Databases of SQLite as sources: tables, columns and rows; faults; nothing is written, run or loaded."""

from __future__ import annotations

import base64
import gzip
import os
import random
import sqlite3
import tarfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from tests.helpers.cli_support import call
from urisieve import ReadingOptions, Tally, extract_blocks, extract_files
from urisieve.options import Limits
from urisieve.sources import sqlite_databases

URLS = "CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT, title TEXT)"


def database(path: Path, *statements: str, rows: Iterable[tuple[int, str, str]] = (), encoding: str = "UTF-8") -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA encoding='{encoding}'")
        for statement in statements or (URLS,):
            connection.execute(statement)
        connection.executemany("INSERT INTO urls VALUES(?, ?, ?)", rows)
        connection.commit()
    return path


def found(path: Path, tally: Tally | None = None, binary: str = "auto") -> list[tuple[str, str | None, int | None]]:
    records = list(extract_files([path], tally=tally, reading=ReadingOptions(binary=binary)))
    assert all(record.byte_start is None for record in records)
    return [(record.uri, record.field, record.row) for record in records]


# The statements behind that of `urls`, and what is found: the identifier, its field, its row.
TABLES = [
    (["INSERT INTO urls VALUES(7, 'http://a.example/', 'http://b.example/')"],
     [("http://a.example/", "urls.url", 7), ("http://b.example/", "urls.title", 7)]),
    (["INSERT INTO urls VALUES(-3, 'http://a.example/my file', 1)"], []),  # rejected: a cell is delimited
    (["INSERT INTO urls VALUES(1, x'687474703a2f2f612e6578616d706c652f', null)"],
     [("http://a.example/", "urls.url", 1)]),
    (["INSERT INTO urls VALUES(1, x'68007400740070003a002f002f006100', 2.5)"], [("http://a/", "urls.url", 1)]),
    (["CREATE TABLE w(k TEXT PRIMARY KEY) WITHOUT ROWID", "INSERT INTO w VALUES('http://a.example/'), ('a')"],
     [("http://a.example/", "w.k", 2)]),
    (["CREATE TABLE r(rowid TEXT, _rowid_ TEXT)", "INSERT INTO r VALUES('http://a.example/', 1)"],
     [("http://a.example/", "r.rowid", 1)]),
    (["CREATE TABLE r(rowid TEXT, _rowid_ TEXT, OID TEXT)", "INSERT INTO r VALUES('http://a.example/', 1, 2)"],
     [("http://a.example/", "r.rowid", 1)]),
    (['CREATE TABLE "a ""b"".c"(u)', 'INSERT INTO "a ""b"".c" VALUES(\'http://a.example/\')'],
     [("http://a.example/", 'a "b".c.u', 1)]),
    (["CREATE VIEW v AS SELECT 'http://view.example/' AS u"], [("http://view.example/", "sqlite_master.sql", 2)]),
    (["CREATE TABLE g(a TEXT, b AS (a || 'b'), c AS (a || 'c') STORED)", "INSERT INTO g(a) VALUES('urn:x-a:')"],
     [("urn:x-a:c", "g.c", 1)]),
    (["CREATE VIRTUAL TABLE f USING fts5(t)", "INSERT INTO f VALUES('see http://a.example/ now')"],
     [("http://a.example/", "f_content.c0", 1)]),
    (["CREATE TABLE e(u)", "INSERT INTO urls VALUES(1, 'http://' || char(0xe4) || '.example/', 2)"],
     [("http://xn--4ca.example/", "urls.url", 1)]),
]  # fmt: skip


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
@pytest.mark.parametrize(("statements", "expected"), TABLES)
def test_cells(tmp_path: Path, statements: list[str], expected: list[tuple[str, str, int]], encoding: str) -> None:
    tally = Tally()
    path = database(tmp_path / "History", URLS, *statements, encoding=encoding)
    assert found(path, tally) == expected
    assert (tally.kinds, sum(tally.broken.values())) == ({"sqlite": 1}, 0)


ROWS = [(number, f"http://a.example/{number}", "t" * (6_000 if number % 50 == 0 else 20)) for number in range(1, 301)]
LINKS = [(url, "urls.url", number) for number, url, _ in ROWS]


def test_in_streams_archives_and_mail(tmp_path: Path) -> None:
    data = database(tmp_path / "h.db", rows=ROWS).read_bytes()
    (tmp_path / "h.gz").write_bytes(gzip.compress(data))
    with tarfile.open(tmp_path / "h.tgz", "w:gz") as archive:
        archive.add(tmp_path / "h.db", "h.db")
    (tmp_path / "h.eml").write_bytes(
        b"From: a@b.example\nSubject: x\nMIME-Version: 1.0\nContent-Type: application/octet-stream; name=h\n"
        b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(data)
    )
    for name in ("h.db", "h.gz", "h.tgz", "h.eml"):
        assert found(tmp_path / name) == LINKS, name
    for size in (1_000, len(data)):
        blocks = [data[start : start + size] for start in range(0, len(data), size)]
        assert [(one.uri, one.field, one.row) for one in extract_blocks("h", blocks)] == LINKS
    tally = Tally()
    (tmp_path / "cut.gz").write_bytes(gzip.compress(data)[:-100])
    assert 0 < len(found(tmp_path / "cut.gz", tally)) <= len(LINKS)
    assert tally.is_unread


def test_a_database_in_a_stream_that_is_too_large(tmp_path: Path) -> None:
    (tmp_path / "h.gz").write_bytes(gzip.compress(database(tmp_path / "h.db", rows=ROWS).read_bytes()))
    tally = Tally()
    reading = ReadingOptions(limits=Limits(spool=10_000))
    errors = [str(error) for _, error in _errors(tmp_path / "h.gz", reading, tally)]
    assert errors == ["a database in a stream of more than 10,000 bytes is not read: give it as a file"]
    assert len(list(extract_files([tmp_path / "h.db"], reading=reading))) == len(LINKS)


def _errors(path: Path, reading: ReadingOptions, tally: Tally) -> list[tuple[str, Exception]]:
    errors: list[tuple[str, Exception]] = []
    assert not list(
        extract_files([path], reading=reading, tally=tally, on_error=lambda name, error: errors.append((name, error)))
    )
    return errors


def test_a_browser_that_runs(tmp_path: Path) -> None:
    """What only the log holds is read, though another program has locked the database, and nothing is written."""
    path = tmp_path / "History"
    with closing(sqlite3.connect(path, isolation_level=None)) as browser:
        browser.execute("PRAGMA journal_mode=WAL")
        browser.execute(URLS)
        browser.execute("INSERT INTO urls VALUES(1, 'http://a.example/1', '')")
        browser.execute("BEGIN EXCLUSIVE")
        before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path) if not name.endswith("-shm")}
        assert "History-wal" in before
        assert found(path) == [("http://a.example/1", "urls.url", 1)]
        tally = Tally()
        small = ReadingOptions(limits=Limits(spool=100))
        assert not list(extract_files([path], reading=small, tally=tally))
        assert tally.broken["sqlite", "log-not-read"] == 1
        assert all((tmp_path / name).read_bytes() == data for name, data in before.items())
    locked = database(tmp_path / "locked.db", rows=ROWS)
    with closing(sqlite3.connect(locked, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert found(locked) == LINKS
    assert sorted(os.listdir(tmp_path)) == ["History", "locked.db"]


@pytest.mark.long
def test_a_page_that_cannot_be_read(tmp_path: Path) -> None:
    """The rows before and behind it are read; a row whose rest is broken is lost alone."""
    path = database(tmp_path / "h.db", rows=ROWS)
    data = path.read_bytes()
    size = int.from_bytes(data[16:18], "big")
    lost = []
    for page in range(3, len(data) // size):  # without that of the schema and the root of the table
        broken = data[: page * size] + b"\xff" * size + data[(page + 1) * size :]
        path.write_bytes(broken)
        tally = Tally()
        rows = found(path, tally)
        assert set(rows) <= set(LINKS)
        lost.append(len(LINKS) - len(rows))
        assert (lost[-1] > 0) == bool(tally.broken), page
    assert max(lost) < 100  # a page of rows
    path.write_bytes(data[: len(data) // 2])
    tally = Tally()
    assert 75 < len(found(path, tally)) < 225
    assert tally.is_unread


NOT_DATABASES = [
    b"SQLite format 3\0 http://a.example/ ",
    b"SQLite format 3\0" + bytes(84) + b" http://a.example/ " + bytes(4_000),
    b"SQLite format 3\0" + random.Random(1).randbytes(8_000) + b" http://a.example/ ",
]


@pytest.mark.parametrize("data", NOT_DATABASES)
def test_what_is_not_a_database_is_read_as_text(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "h.db").write_bytes(data)
    tally = Tally()
    assert "http://a.example/" in [record.uri for record in extract_files([tmp_path / "h.db"], tally=tally)]
    assert tally.broken["sqlite", "corrupt"] == 1
    assert call("extract", str(tmp_path / "h.db")).status == 2


def test_random_damage_never_stops_it(tmp_path: Path) -> None:
    path = database(tmp_path / "h.db", rows=ROWS)
    data = path.read_bytes()
    chance = random.Random(24)
    for number in range(60):
        broken = bytearray(data)
        start = 16 if number % 2 else 0
        for _ in range(chance.choice([1, 5, 40])):
            broken[chance.randrange(start, 400 if number % 2 else len(data))] = chance.randrange(256)
        path.write_bytes(broken)
        tally = Tally()
        records = list(extract_files([path], tally=tally))
        assert len(records) <= 8 * len(LINKS)
        assert len(records) == len(LINKS) or tally.broken or len(records) > len(LINKS) - 60, number


def test_blobs_that_are_not_text(tmp_path: Path) -> None:
    """They are searched where binary files are."""
    blob = b"\xff\xfe\x00 http://a.example/ \xff"
    path = tmp_path / "h.db"
    database(path, URLS, f"INSERT INTO urls VALUES(1, x'{blob.hex()}', 'http://b.example/')")
    other = ("http://b.example/", "urls.title", 1)
    tally = Tally()
    assert found(path) == [("http://a.example/", "urls.url", 1), other]
    assert found(path, tally, binary="skip") == [other]
    assert tally.skipped["blob", "binary"] == 1


def test_a_cell_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_databases, "_LONGEST_CELL", 5_000)
    tally = Tally()
    rows = found(database(tmp_path / "h.db", rows=ROWS), tally)
    assert rows == [row for row in LINKS if row[2] is not None and row[2] % 50]
    assert tally.broken == {("sqlite", "too-long"): 6}


def test_nothing_of_a_database_is_run(tmp_path: Path) -> None:
    """A schema that was made to cause harm: functions in views and columns, tables that stand for other files."""
    path = database(tmp_path / "h.db", rows=ROWS[:1])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE VIEW v AS SELECT hex(zeroblob(900000000)) AS u")
        connection.execute("CREATE TABLE g(a, b AS (hex(zeroblob(9000))))")
        connection.execute("INSERT INTO g(a) VALUES('http://b.example/')")
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute(
            "INSERT INTO sqlite_master VALUES('table', 'c', 'c', 0, 'CREATE VIRTUAL TABLE c USING csv(filename=x)')"
        )
        connection.commit()
    tally = Tally()
    assert found(path, tally) == [*LINKS[:1], ("http://b.example/", "g.a", 1)]
    assert tally.skipped["virtual table", "not-stored-here"] == 1


@pytest.mark.parametrize("name", ["NULL", "7", "x'61'", "''"])
def test_a_table_whose_name_is_no_text(tmp_path: Path, name: str) -> None:
    path = database(tmp_path / "h.db", rows=ROWS[:1])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("INSERT INTO sqlite_master(type, name, tbl_name, rootpage) VALUES('index', 'x', 'urls', 0)")
        connection.execute(f"UPDATE sqlite_master SET type = 'table', name = {name} WHERE name = 'x'")
        connection.commit()
    tally = Tally()
    found(path, tally)
    assert "unexpected" not in {reason for _, reason in tally.broken}


def test_the_smallest_rows_are_all_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_databases, "_ALLOWANCE", 0)
    numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 50000)"
    small = f"INSERT INTO s {numbers} SELECT NULL FROM n"
    last = "INSERT INTO s VALUES('http://last.example/')"
    path = database(tmp_path / "h.db", URLS, "CREATE TABLE s(a)", small, last)
    assert found(path) == [("http://last.example/", "s.a", 50_001)]


def test_pages_that_are_used_again_do_not_multiply(tmp_path: Path) -> None:
    """An interior page that names one leaf many times."""
    path = database(tmp_path / "h.db", rows=[(row[0], row[1], "") for row in ROWS])
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[16:18], "big")
    for page in range(1, len(data) // size):
        start = page * size
        if data[start] == 5:  # an interior page of a table
            count = int.from_bytes(data[start + 3 : start + 5], "big")
            cells = [int.from_bytes(data[start + 12 + 2 * n : start + 14 + 2 * n], "big") for n in range(count)]
            for cell in cells:
                data[start + cell : start + cell + 4] = data[start + cells[0] : start + cells[0] + 4]
    path.write_bytes(data)
    assert len(list(extract_files([path]))) <= 2 * len(LINKS)
