"""`urisieve rewrite`: what it writes, where, and what it refuses."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.cli_support import PATIENCE, call, leftovers
from urisieve import rewriting

LOG = b"GET http://joe:pw@A.example/?a=1 200\nnothing\nhttp://joe:p|w@h:8x/\n"


@pytest.mark.parametrize(
    ("argv", "out"),
    [
        (["--mask"], b"GET http://joe:***@A.example/?a=1 200\nnothing\nhttp://joe:p|w@h:8x/\n"),
        (["--mask", "--with-rejected"], b"GET http://joe:***@A.example/?a=1 200\nnothing\nhttp://joe:***@h:8x/\n"),
        (["--defang"], b"GET hxxp://joe:pw@A[.]example/?a=1 200\nnothing\nhttp://joe:p|w@h:8x/\n"),
        (["--canonical"], b"GET http://joe:pw@a.example/?a=1 200\nnothing\nhttp://joe:p|w@h:8x/\n"),
        (["--merge", "page,drop-userinfo"], b"GET https://a.example/?a=1 200\nnothing\nhttp://joe:p|w@h:8x/\n"),
        (["--template", "[{host}]"], b"GET [a.example] 200\nnothing\nhttp://joe:p|w@h:8x/\n"),
    ],
)
def test_each_way_writes_the_rest_as_it_is(argv: list[str], out: bytes) -> None:
    found = call("rewrite", *argv, stdin=LOG)
    assert (found.status, found.out) == (0, out)
    assert found.err.startswith(f"urisieve: 1 file, {len(LOG)} bytes, ")


def test_what_is_not_known_is_made_inert(tmp_path: Path) -> None:
    known = tmp_path / "known.txt"
    known.write_text("a.example\n???\n")
    text = b"http://a.example/ http://b.a.example/ http://c.example/"
    found = call("rewrite", "--only-known", str(known), stdin=text)
    assert found.out == b"http://a.example/ hxxp://b[.]a[.]example/ hxxp://c[.]example/"
    assert "--only-known: " in found.err
    assert "line 2" in found.err
    found = call("rewrite", "--only-known", str(known), "--subdomains", "--inert", "(removed)", stdin=text)
    assert found.out == b"http://a.example/ http://b.a.example/ (removed)"


def test_defanged_links_become_links() -> None:
    assert call("rewrite", "-q", "--refang", stdin=b"hxxp://a[.]example/x, http://B.example").out == (
        b"http://a.example/x, http://B.example"
    )


def test_a_line_in_is_a_line_out() -> None:
    command = [sys.executable, "-m", "urisieve", "rewrite", "-q", "--canonical"]
    for lines in ([b"a http://A.example/ b\n", b"nothing\n", b"http://B.example/\n"],
                  [b'{"a": "http://A.example/"}\n', b'{"a": 1}\n', b'{"a": "http://B.example/"}\n'],
                  [b"a,b\n1,http://A.example/\n", b"2,x\n", b"3,http://B.example/\n"]):  # fmt: skip
        kind = "jsonl" if lines[0].startswith(b"{") else "csv" if lines[0].startswith(b"a,b") else "text"
        with subprocess.Popen([*command, "--input", kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
            assert run.stdin is not None
            assert run.stdout is not None
            for line in lines:
                run.stdin.write(line)
                run.stdin.flush()
                expected = line.replace(b"A.example", b"a.example").replace(b"B.example", b"b.example")
                assert b"".join(run.stdout.readline() for _ in range(line.count(b"\n"))) == expected
            run.stdin.close()
            assert run.wait(PATIENCE) == 0


def test_files_are_replaced_in_place_if_anything_changes(tmp_path: Path) -> None:
    changed, same = tmp_path / "a.log", tmp_path / "b.log"
    changed.write_bytes(LOG)
    changed.chmod(0o640)
    same.write_bytes(b"nothing")
    os.utime(same, (1, 1))
    found = call("rewrite", "--mask", "--in-place", str(changed), str(same))
    assert (found.status, found.out) == (0, b"")
    assert "2 files" in found.err
    assert "1 replaced" in found.err
    assert changed.read_bytes() == LOG.replace(b":pw@", b":***@")
    assert changed.stat().st_mode & 0o777 == 0o640
    assert same.stat().st_mtime == 1
    assert leftovers(tmp_path) == []


def test_bytes_behind_compressed_data_are_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    data = gzip.compress(LOG) + b"trailing"
    path.write_bytes(data)
    found = call("rewrite", "--mask", "--in-place", str(path))
    assert (found.status, path.read_bytes()) == (2, data)
    assert "the bytes behind the compressed data cannot be written back" in found.err
    whole = tmp_path / "b.log.gz"
    whole.write_bytes(gzip.compress(LOG))
    found = call("rewrite", "--mask", str(path), str(whole))
    assert (found.status, gzip.decompress(found.out)) == (2, 2 * LOG.replace(b":pw@", b":***@"))
    assert found.err.count("cannot be written back") == 1


def test_an_output_may_be_the_input(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress(LOG))
    assert call("rewrite", "-q", "--mask", str(path), "-o", str(path)).status == 0
    assert gzip.decompress(path.read_bytes()) == LOG.replace(b":pw@", b":***@")


def test_what_cannot_be_written_back_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    log, packed, out = tmp_path / "a.log", tmp_path / "b.zip", tmp_path / "out"
    log.write_bytes(LOG)
    packed.write_bytes(b"PK\x03\x04" + bytes(40))
    out.write_bytes(b"old")
    found = call("rewrite", "--mask", str(log), str(packed), "-o", str(out))
    assert (found.status, out.read_bytes()) == (2, b"old")
    assert "b.zip: is " in found.err
    assert "not written back" in found.err
    assert call("rewrite", "--mask", "--in-place", str(log), str(packed)).status == 2
    assert log.read_bytes() == LOG
    found = call("rewrite", "--mask", "--copy-others", str(log), str(packed), "-o", str(out))
    assert (found.status, out.read_bytes()) == (0, LOG.replace(b":pw@", b":***@") + packed.read_bytes())
    assert "1 file copied as it is" in found.err


def test_what_cannot_be_written_where_it_stands_is_counted() -> None:
    found = call(
        "rewrite", "--template", "<{uri}>", "--input", "html", stdin=b"<style>a{b:url(http://a.example/)}</style>"
    )
    assert b"url(http://a.example/)" in found.out
    assert "1 left as it was" in found.err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "say what is written in the place of links: one of --mask, "),
        (["--mask", "--defang"], "not --mask and --defang"),
        (["--canonical", "--with-rejected"], "--with-rejected needs --mask, --defang or --only-known"),
        (["--mask", "--inert", "x"], "--inert needs --only-known"),
        (["--mask", "--subdomains"], "--subdomains needs --only-known"),
        (["--mask", "--in-place"], "--in-place replaces the files that are named"),
        (["--mask", "--in-place", "a", "-o", "b"], "--in-place replaces the files that are named"),
        (["--only-known", "-"], "--only-known - needs the paths"),
        (["--template", "{nothing}"], "there is no field 'nothing'"),
        (["--mask", "--field", "a", "--input", "text"], "--field names what is read"),
        (["--mask", "--delimiter", ";", "--input", "text"], "--delimiter and --skip-lines are of tables"),
        (["--mask", "missing.txt"], "missing.txt: "),
    ],
)
def test_misuse_says_what_to_do(argv: list[str], message: str) -> None:
    found = call("rewrite", *argv)
    assert found.status == 2
    assert message in found.err
    assert found.out == b""


def test_the_names_of_the_library() -> None:
    assert sorted(rewriting.__all__) == [name for name in dir(rewriting) if name in rewriting.__all__]


def test_in_place_replaces_only_files_and_all_or_none(tmp_path: Path) -> None:
    log, pipe, folder = tmp_path / "a.log", tmp_path / "pipe", tmp_path / "folder"
    log.write_bytes(LOG)
    os.mkfifo(pipe)
    folder.mkdir()
    for other in (pipe, folder, tmp_path / "missing"):
        found = call("rewrite", "--mask", "--in-place", str(log), str(other))
        assert (found.status, found.out) == (2, b"")
        assert f"{other.name}: " in found.err
        assert log.read_bytes() == LOG


def test_what_is_compressed_and_ends_early_is_written_as_far_as_it_can_be_read(tmp_path: Path) -> None:
    path, out = tmp_path / "a.log.gz", tmp_path / "out.gz"
    path.write_bytes(gzip.compress(LOG + os.urandom(1_000).hex().encode())[:-300])
    found = call("rewrite", "--mask", str(path), "-o", str(out))
    assert found.status == 2
    assert gzip.decompress(out.read_bytes()).startswith(LOG.replace(b":pw@", b":***@"))
    before = path.read_bytes()
    assert call("rewrite", "--mask", "--in-place", str(path)).status == 2
    assert path.read_bytes() == before
