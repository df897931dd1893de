"""What is repeated for each link has a limit, so that output and memory do not grow with the product (D8, D9, D11)."""

from __future__ import annotations

import base64
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.cli_support import COMMAND, PATIENCE, call
from tests.helpers.containers import CONTAINERS
from tests.helpers.doubling import assert_linear
from tests.helpers.readers import page_documents, segments_of
from urisieve import extract_files
from urisieve.sources.documents import Segment
from urisieve.sources.tally import Tally

MAIL = b"From: a@b.example\nSubject: x\n"
LINKS = b"http://a.example/ " * 500


def test_time_for_a_set_of_relative_references_is_linear() -> None:
    """D8: each is a stretch of one attribute, in which character references stand."""

    def make(size: int) -> str:
        links = ", ".join(f"/a&amp;b{number} 1x" for number in range(size // 16))
        return f'<!doctype html><base href=http://x.example/><img srcset="{links}">'

    def read(text: str) -> None:
        for document in segments_of(page_documents(Segment(source="x", text=(text,)), Tally())):
            assert document.position is not None
            document.position(1)

    assert_linear(read, make, 100_000)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a tar member", CONTAINERS["a.tgz"]({"n" * 1_000_000: LINKS})),
        ("a zip member", CONTAINERS["a.zip"]({"n" * 60_000: LINKS})),
        ("a mail part", MAIL + b"Content-Type: application/gzip; name=" + b"n" * 60_000 + b"\n"
         b"Content-Transfer-Encoding: base64\n\n" + base64.b64encode(CONTAINERS["log.gz"]({"x": LINKS}))),
        ("a header field", MAIL + b"n" * 1_000_000 + b": " + LINKS + b"\n\n"),
        ("a Message-ID", MAIL + b"Message-ID: <" + b"n" * 1_000_000 + b"@x>\n\n" + LINKS),
        ("an element", b"<html><" + b"n" * 500_000 + b' srcset="' + b"http://a.example/ 1x, " * 500 + b'">'),
        ("a base", b"<html><base href=http://x.example/" + b"n" * 500_000 + b"/>" + b"<a href=b>b</a>" * 500),
        ("a Content-Location", MAIL + b"Content-Type: text/html\nContent-Location: http://x.example/" + b"n" * 500_000
         + b"/\n\n<html>" + b"<a href=b>b</a>" * 500),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_each_link_repeats_is_cut(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(data)
    found = call("extract", "-v", "--format", "jsonl", str(tmp_path))
    assert len(found.out) < 2_500_000
    if name in ("a base", "a Content-Location"):
        assert "500 references (long base)" in found.err
    else:
        assert len(found.rows) >= 500
    assert all(len(line) < 4_000 for line in found.err.splitlines())


def test_names_that_are_cut_stay_two(tmp_path: Path) -> None:
    data = (
        MAIL + b"".join(b"n" * 5_000 + b"%d: http://a.example/%d\n" % (number, number) for number in range(3)) + b"\n"
    )
    (tmp_path / "a").write_bytes(data)
    parts = {record.as_dict()["part"] for record in extract_files([tmp_path])}
    assert len(parts) == 3


@pytest.mark.sampled(5)
@pytest.mark.skipif(sys.platform == "win32", reason="the module `resource` is of Unix")
@pytest.mark.parametrize("form", [["--format", "jsonl"], ["--format", "csv"], ["--unique"], []], ids=" ".join)
def test_memory_does_not_grow_with_the_links_of_a_part(form: list[str], tmp_path: Path) -> None:
    """D11: the part is in memory, but not what is found in it: that took 100 bytes for each byte of the file."""
    path = tmp_path / "a.eml"
    body = base64.b64encode(b"http://a.example/ " * 300_000)
    path.write_bytes(MAIL + b"Content-Transfer-Encoding: base64\n\n" + body)
    limit = 200_000_000

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    done = subprocess.run(
        [*COMMAND, "extract", *form, str(path)], capture_output=True, check=False, timeout=PATIENCE, preexec_fn=limited
    )
    assert (done.returncode, done.stderr[-60:] if done.returncode else b"") == (0, b"")
    assert done.stdout.count(b"\n") >= (1 if form == ["--unique"] else 300_000)
