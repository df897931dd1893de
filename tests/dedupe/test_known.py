"""`Known`, and `--known` and `--unknown`: what a line of a list means, how lists are read, and what they keep."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import pickle
import sqlite3
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest

import urisieve
from tests.helpers.cli_support import call, process
from tests.helpers.engines import Engine
from urisieve import (
    Batch,
    Filter,
    InputError,
    Known,
    Options,
    Store,
    UsageError,
    extract,
    parse,
    sieve_into,
    write_records,
)
from urisieve.dedupe.keyset import DigestSet, new_digests, new_seed
from urisieve.dedupe.list_entries import ListEntry, entry_of
from urisieve.dedupe.signature import By, signature
from urisieve.judge.proofs import Proofs
from urisieve.kernel import compiled
from urisieve.sinks import CountSink

# A line, and its meaning: a link's key, a host, or the reason of a fault.
LINES = [
    ("HTTP://EXAMPLE.com", "link", "http://example.com/"),
    ("  http://example.com/a  ", "link", "http://example.com/a"),
    ("http://example.com/a?x=1,2", "link", "http://example.com/a?x=1,2"),
    ("http://u:p@Example.com/", "link", "http://u:p@example.com/"),
    ("http://bücher.example/é", "link", "http://xn--bcher-kva.example/%C3%A9"),
    ("urn:isbn:0-395-36341-1", "link", "urn:isbn:0395363411"),
    ("mailto:a@b.example", "link", "mailto:a@b.example"),
    ("a.b:c", "link", "a.b:c"),
    ("example.com", "host", "example.com"),
    ("Example.COM.", "host", "example.com"),
    ("a_b.example.com", "host", "a_b.example.com"),
    ("bücher.example", "host", "xn--bcher-kva.example"),
    ("BÜCHER.example", "host", "xn--bcher-kva.example"),
    ("xn--bcher-kva.example", "host", "xn--bcher-kva.example"),
    ("*.example.com", "host", ".example.com"),
    (".example.com", "host", ".example.com"),
    ("*.bücher.example", "host", ".xn--bcher-kva.example"),
    ("||ads.example^", "host", ".ads.example"),
    ("0.0.0.0 ads.example", "host", "ads.example"),
    ("127.0.0.1\tads.example # since May", "host", "ads.example"),
    ("::1 ads.example", "host", "ads.example"),
    ("1.2.3.4", "host", "1.2.3.4"),
    ("2001:DB8:0::1", "host", "[2001:db8::1]"),
    ("[2001:db8::1]", "host", "[2001:db8::1]"),
    ("fe80::1", "host", "[fe80::1]"),
    ("localhost", "fault", "no-scheme"),
    ("not one", "fault", "no-scheme"),
    ("1.2.3", "fault", "no-scheme"),
    ("256.1.1.1", "fault", "no-scheme"),
    ("example.com/a", "fault", "no-scheme"),
    ("-a.example", "fault", "host-label"),
    ("a..example", "fault", "host-label"),
    ("*.", "fault", "not a host name"),
    ("||ads.example^$image", "fault", "host-label"),
    ("a\u2100.\u2fff", "fault", "host-idna"),
    ("http://example.com/%zz", "fault", "bad-percent-encoding"),
    ("example.com:80", "fault", "a host with a port: leave out the port, or write a link"),
    ("\x1c# a", "fault", "no-scheme"),
    ("0.0.0.0 localhost", "fault", "no-scheme"),
    ("0.0.0.0 http://a.example/", "fault", "bad-scheme"),
    ("0.0.0.0 a.example b.example", "fault", "no-scheme"),
    ("a\udcff.example", "fault", "no-scheme"),
]


@pytest.mark.parametrize(("line", "kind", "text"), LINES)
def test_the_meaning_of_a_line(line: str, kind: str, text: str) -> None:
    assert entry_of(line) == ListEntry(kind, text)
    known = Known([line])
    assert (known.links, known.hosts, known.rejected) == (kind == "link", kind == "host", kind == "fault")


@pytest.mark.parametrize("line", ["", " ", "\t", "# http://a.example/", "#"])
def test_lines_that_are_passed_over(line: str) -> None:
    known = Known([line])
    assert entry_of(line) is None
    assert (len(known), known.rejected, known.first_rejected) == (0, 0, "")


def test_options_decide_what_a_link_is() -> None:
    options = Options(merge=["drop-fragment"], bare=["doi"])
    known = Known(["http://a.example/#b", "10.1000/182"], options=options)
    assert known.links == 2
    assert parse("http://a.example/#c", options=options) in known
    assert "http://a.example/#d" in known
    assert "doi:10.1000/182" in known
    assert Known(["10.1000/182"]).rejected == 1


# Entries, whether subdomains count, and what is in the list and what is not.
COVERED = [
    ("example.com", False, "http://example.com/a example.com https://EXAMPLE.com.", "http://www.example.com/ com"),
    ("example.com", True, "http://example.com/a http://a.b.example.com/", "http://notexample.com/ http://com/"),
    ("*.example.com", False, "http://example.com/ http://www.example.com/", "http://example.com.org/"),
    ("bücher.example", True, "http://a.bücher.example/", "http://b.example/"),
    ("1.2.3.4", True, "http://1.2.3.4/", "http://1.1.2.3/"),
    ("2001:DB8::1", True, "http://[2001:db8:0::1]/", "http://[2001:db8::2]/"),
    ("http://example.com/", True, "http://example.com:80", "http://example.com/a http://www.example.com/ example.com"),
    ("http://u:p@example.com/", False, "http://u:p@example.com/", "http://u:q@example.com/ http://example.com/"),
]


# Entries, whether subdomains count, and the `mailto` that are in the list, and that are not.
OF_ADDRESSES = [
    ("list.example", False, "mailto:x@list.example MAILTO:a@LIST.example?subject=x mailto:?to=x@list.example",
     "mailto:x@b.example"),
    ("list.example", False, "mailto:a@b.example,c@list.example",
     "mailto:x@a.list.example mailto:list.example@b.example mailto:x@list.example.org"),
    ("*.list.example", False, "mailto:x@list.example mailto:x@a.list.example", "mailto:x@blist.example"),
    ("list.example", True, "mailto:x@a.list.example", "mailto:x@list.example.b.example"),
    ("bücher.example", False, "mailto:x@b%C3%BCcher.example mailto:x@xn--bcher-kva.example", "mailto:x@bucher.example"),
    ("mailto:x@list.example", False, "mailto:x@list.example", "mailto:y@list.example http://list.example/"),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "subdomains", "inside", "outside"), OF_ADDRESSES)
def test_the_domain_of_an_address_is_a_host(
    entry: str, subdomains: bool, inside: str, outside: str, tmp_path: Path
) -> None:
    known = Known([entry], subdomains=subdomains)
    for text, is_inside in ((inside, True), (outside, False)):
        records = [parse(one) for one in text.split()]
        assert [record in known for record in records] == [is_inside] * len(records)
        assert [one in known for one in text.split()] == [is_inside] * len(records)
        batch = Batch.of(records)
        assert len(batch.where(Filter(known=known))) == (len(records) if is_inside else 0)
        assert len(batch.where(Filter(unknown=known))) == (0 if is_inside else len(records))
    path = tmp_path / "domains"
    path.write_text(f"{entry}\n", encoding="utf-8")
    more = ["--subdomains"] if subdomains else []
    found = call("extract", "--known", str(path), *more, "--form", "raw", stdin=f"{inside} {outside}\n".encode())
    assert found.out.decode().split() == inside.split()


@pytest.mark.parametrize(("entry", "subdomains", "inside", "outside"), COVERED)
def test_what_an_entry_covers(entry: str, subdomains: bool, inside: str, outside: str) -> None:
    known = Known([entry], subdomains=subdomains)
    assert [text for text in inside.split() if text not in known] == []
    assert [text for text in outside.split() if text in known] == []
    assert 5 not in known
    links = [link for link in (inside + " " + outside).split() if "//" in link]
    batch = Batch.of([parse(link) for link in links])
    expected = [link in known for link in links]
    assert [bool(one) for one in known.held(batch)] == expected == [record in known for record in batch]
    assert len(batch.where(Filter(known=known))) == sum(expected)
    assert len(batch.where(Filter(unknown=known))) == len(expected) - sum(expected)


def test_a_name_with_a_million_labels_takes_no_time_of_its_square() -> None:
    options = Options(max_length=2_000_000)
    known = Known(["*.a.a"], options=options)
    assert parse(f"x://{'a.' * 500_000}a/", options=options) in known
    assert parse(f"x://{'a.' * 500_000}b/", options=options) not in known


def test_both_conditions_of_a_filter_hold() -> None:
    batch = Batch.of(list(extract("http://a.example/ http://b.example/ http://c.example/ urn:isbn:0395363411")))
    known, unknown = Known(["a.example", "b.example", "urn:isbn:0395363411"]), Known(["http://b.example/"])
    wanted = Filter(known=known, unknown=unknown, kinds="uri")
    assert batch.where(wanted).column("uri") == ["http://a.example/"]
    assert (wanted.is_empty, wanted.counted_as, "key" in wanted.columns) == (False, "filter", True)
    assert (repr(wanted) == repr(Filter(kinds="uri")), "known" in repr(Filter())) == (False, False)


def test_misuse() -> None:
    with pytest.raises(UsageError, match=r"Known\.read"):
        Known("http://a.example/")
    with pytest.raises(UsageError, match="one of entries must be a line of text"):
        Known([b"http://a.example/"])  # type: ignore[list-item]
    with pytest.raises(UsageError, match=r"known='list.txt' must be a Known"):
        Filter(known="list.txt")  # type: ignore[arg-type]


# ---------------------------------------------------------------- files

TEXT = "http://a.example/x\n# of May\n\n*.B.example\nfoo bar\nurn:isbn:0-395-36341-1\n"
# The content of a list of two links and one host, one line of which means nothing.
FILES = {
    "list.txt": TEXT.encode(),
    "crlf.txt": TEXT.replace("\n", "\r\n").encode(),
    "bom.txt": b"\xef\xbb\xbf" + TEXT.encode(),
    "wide.txt": TEXT.encode("utf-16"),
    "open.txt": TEXT.removesuffix("\n").encode(),
    "header.txt": b"URL\n" + TEXT.encode(),
    "list.gz": gzip.compress(TEXT.encode()),
    "list.bz2": bz2.compress(TEXT.encode()),
    "list.xz": lzma.compress(TEXT.encode()),
    "long.txt": TEXT.replace("foo bar", "http://a.example/" + "x" * 3_000_000).encode(),
    "list.csv": b"n,Link,m\n1,http://a.example/x,\n2,*.b.example,\n3,,\n4,foo bar,\n5,urn:isbn:0395363411,\n",
    "semicolon.csv": b"n;host\n1;http://a.example/x\n2;*.b.example\n3;foo bar\n4;urn:isbn:0395363411\n",
    "list.tsv": b"n\turl\n1\thttp://a.example/x\n2\t*.b.example\n3\tfoo bar\n4\turn:isbn:0395363411\n",
    "other.csv": b"n,where\n1,http://a.example/x\n2,*.b.example\n3,foo bar\n4,urn:isbn:0395363411\n",
    "ragged.txt": b"n,url,m\n1,http://a.example/x\n2,*.b.example\n3,foo bar\n\n4,urn:isbn:0395363411,z\n",
    "no-header.csv": b"1,http://a.example/x\n2,*.b.example\n3,foo bar\n4,urn:isbn:0395363411\n",
    "one.csv.gz": gzip.compress(b"domain\nhttp://a.example/x\n*.b.example\nfoo bar\nurn:isbn:0395363411\n"),
    "quoted.csv": b'url,n\n"http://a.example/x",1\n"*.b.example","a\nb"\nfoo bar,\n"urn:isbn:0395363411",4\n',
    "records.csv": (
        b"raw,uri,key,host\nx,http://n.example/,http://a.example/x,a.example\n,x:y,*.b.example,\n,x:y,foo bar,\n"
        b",x:y,urn:isbn:0395363411,\n"
    ),
    "list.jsonl": b'{"url":"http://a.example/x"}\n{"host":"*.b.example"}\n{"n":1}\n{"uri":"urn:isbn:0395363411"}\n',
    "broken.jsonl": b'{"url":"http://a.example/x"}\n{"host":"*.b.example"}\n{"n\n{"key":"urn:isbn:0395363411"}\n',
    "records.jsonl": (
        b'{"uri":"x:y","key":"http://a.example/x","host":"n.example"}\n{"uri":"x:y","key":"*.b.example"}\n'
        b'{"uri":"x:y","key":"foo bar"}\n{"uri":"x:y","key":"urn:isbn:0395363411"}\n'
    ),
    "list.json": b'[{"url":"http://a.example/x"},{"host":"*.b.example"},{"n":1},"urn:isbn:0395363411"]',
}
SEARCHED = b"http://a.example/x http://a.example/y http://www.b.example/ urn:isbn:0395363411 http://n.example/\n"
KEPT = ["http://a.example/x", "http://www.b.example/", "urn:isbn:0395363411"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in.txt").write_bytes(SEARCHED)
    return tmp_path


def _nothing(_text: str) -> None:
    """Prove nothing."""


def _in_python(read: Callable[[], Known]) -> Known:
    module = "urisieve.dedupe.known"
    with (
        patch(f"{module}.new_digests", DigestSet),
        patch(f"{module}.proofs_of", lambda _: Proofs(_nothing, _nothing, None, None, _nothing)),
    ):
        return read()


@pytest.mark.parametrize("name", FILES)
def test_files_of_each_kind(name: str, folder: Path) -> None:
    Path(name).write_bytes(FILES[name])
    known = Known.read(name)
    twin = _in_python(lambda: Known.read([name]))
    assert (known.links, known.hosts, known.rejected) == (2, 1, 1) == (twin.links, twin.hosts, twin.rejected)
    assert known.first_rejected == twin.first_rejected
    assert known.first_rejected.startswith(f"{name}: ")
    assert (repr(known), known.signature) == (repr(twin), twin.signature)
    records = list(extract(SEARCHED.decode()))
    assert [record.uri for record in records if record in known] == KEPT
    assert [record.uri for record in records if record in twin] == KEPT
    assert call("extract", "--quiet", "--known", name, "in.txt").lines == KEPT


def test_a_list_in_other_blocks_has_the_same_signature(folder: Path) -> None:
    Path("list").write_text("".join(f"http://a.example/{n}\n" for n in range(60_000)))
    with patch("urisieve.sources.bytes.reading.BLOCK_SIZE", 10_007):
        known = Known.read("list")
    assert (known.links, known.signature) == (60_000, Known.read("list").signature)
    assert known.signature != Known.read("list", subdomains=True).signature


def test_commas_in_a_list_make_no_table_of_it(folder: Path) -> None:
    Path("list").write_text("http://a.example/1,2\nhttp://a.example/3,4\nhttp://a.example/5,6\n")
    assert "http://a.example/3,4" in Known.read("list")


def test_records_that_were_written_are_a_list(folder: Path) -> None:
    for name in ("a.jsonl", "a.csv", "a.tsv", "a.txt"):
        write_records(extract(SEARCHED.decode()), name, format="text" if name == "a.txt" else None)
        assert (Known.read(name).links, Known.read(name).rejected) == (5, 0)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "bin",
            b"\x7fELF\0\0\0\0" * 40,
            "bin: is binary by its content: a list is plain text, CSV, TSV, JSON lines or a",
        ),
        ("cut.gz", gzip.compress(os.urandom(4_000))[:2_000], "cut.gz: "),
        ("list.csv", b"a,b\n1,2\n", "list.csv: no column holds links or hosts: name the one that does"),
    ],
)
def test_what_is_no_list(name: str, content: bytes, message: str, folder: Path) -> None:
    Path(name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        Known.read(name)
    assert str(caught.value).startswith(message)
    failed = call("extract", "--known", name, "in.txt")
    assert (failed.status, failed.out) == (2, b"")
    assert message in failed.err


def test_folders_and_files_that_are_not_there(folder: Path) -> None:
    Path("list.txt").write_text(TEXT)
    for path, said in ((".", "is a directory"), ("lst.txt", "did you mean 'list.txt'?")):
        with pytest.raises(InputError, match=said.replace("?", r"\?")):
            Known.read(path)


def test_an_empty_list(folder: Path) -> None:
    Path("list").touch()
    assert len(Known.read("list")) == 0
    found = call("extract", "--known", "list", "in.txt")
    assert (found.status, found.out) == (1, b"")
    assert "--known: list holds no link and no host" in found.err
    assert len(call("extract", "--unknown", "list", "in.txt").lines) == 5


# ---------------------------------------------------------------- size, and other processes


def test_ten_million_entries_fit_into_a_gigabyte() -> None:
    if compiled:
        assert new_digests(new_seed()).has_room(10_000_000, 400_000_000)
    assert DigestSet().has_room(10_000_000, 1_300_000_000)


@pytest.mark.long
def test_a_list_holds_no_text(folder: Path) -> None:
    def lines(number: int) -> str:
        return "".join(f"http://a.example/{n}/{'x' * 40}\nh{n}.example\n{n} b\n" for n in range(number))

    Path("small").write_text(lines(100))
    Path("list").write_text(lines(20_000))
    Known.read("small")  # imports what it needs
    tracemalloc.start()
    known = Known.read("list")
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (known.links, known.hosts, known.rejected) == (20_000, 20_000, 20_000)
    assert held < (200_000 if compiled else 40_000 * 125 + 200_000)


def test_a_list_travels_to_other_processes(folder: Path) -> None:
    known = Known(["http://a.example/x", "*.b.example", *(f"http://x.example/{n}" for n in range(1_000)), "foo bar"])
    again = pickle.loads(pickle.dumps(known))
    assert (repr(again), again.rejected, again.first_rejected) == (repr(known), 1, known.first_rejected)
    for text in ("http://a.example/x", "http://www.b.example/", "http://x.example/999", "http://a.example/y"):
        assert (text in again) == (text in known)
    state = {**known.__getstate__(), "_way": "other"}
    with pytest.raises(UsageError, match="without it"):
        known.__setstate__(state)


@pytest.mark.parametrize("reading", [None, urisieve.ReadingOptions(input="mail")])  # by threads, and by processes
def test_several_workers_ask_one_list(folder: Path, reading: urisieve.ReadingOptions | None) -> None:
    paths = []
    for number in range(4):
        Path(f"{number}.txt").write_bytes(b"A: b\n\n" + SEARCHED)
        paths.append(f"{number}.txt")
    wanted = Filter(known=Known(["http://a.example/x", "*.b.example", "urn:isbn:0395363411"]))
    sink = CountSink()
    tally = sieve_into(paths, sink, jobs=2, reading=reading, wanted=wanted)
    assert [(row.uri, row.count) for row in sink.rows()] == [(uri, 4) for uri in KEPT]
    assert tally.left_out == {"filter": 8}


# ---------------------------------------------------------------- the command


@pytest.fixture
def lists(folder: Path) -> Path:
    Path("a").write_text("http://a.example/x\nurn:isbn:0-395-36341-1\n")
    Path("b").write_text("b.example\nfoo\nbar baz\n")
    return folder


@pytest.mark.parametrize(
    ("flags", "kept"),
    [
        ("--known a", "http://a.example/x urn:isbn:0395363411"),
        ("--known b", ""),
        ("--known b --subdomains", "http://www.b.example/"),
        ("--known a --known b --subdomains", "http://a.example/x http://www.b.example/ urn:isbn:0395363411"),
        ("--unknown a", "http://a.example/y http://www.b.example/ http://n.example/"),
        ("--unknown a --unknown b --subdomains", "http://a.example/y http://n.example/"),
        ("--known a --unknown a", ""),
        ("--known a --only kind=urn", "urn:isbn:0395363411"),
        ("--unknown a --only host=a.example", "http://a.example/y"),
    ],
)
def test_each_command_takes_lists(flags: str, kept: str, lists: Path) -> None:
    found = kept.split()
    given = flags.split()
    for command in (("extract",), ("extract", "--unique"), ("dedupe",), ("count", "--only-identifiers")):
        done = call(*command, *given, "in.txt")
        assert done.lines == found
        assert done.status == (0 if found else 1)
        assert f"{len(found)} found, {5 - len(found)} left out by filters" in done.err
    assert f'"valid":{len(found)}' in call("stats", "--format", "json", *given, "in.txt").out.decode().replace(" ", "")
    call("extract", "--format", "jsonl", "--output", "records.jsonl", "in.txt")
    assert call("count", "--only-identifiers", "--input", "records", *given, "records.jsonl").lines == found
    assert call("report", *given, "in.txt", "-o", "page.html").status == (0 if found else 1)


def test_lines_of_lists_that_mean_nothing_are_counted(lists: Path) -> None:
    done = call("extract", "--unknown", "b", "in.txt")
    assert "--unknown: b: line 2 is neither a link nor a host (no-scheme); 2 such lines are left out\n" in done.err
    assert "left out by filters, 2 lines of lists left out, 0 rejected" in done.err.replace(
        "5 found, ", "left out by filters, "
    )
    assert call("extract", "--quiet", "--unknown", "b", "in.txt").err == ""


def test_no_password_of_a_list_is_shown(lists: Path) -> None:
    Path("p").write_text("http://joe:secret@a.example/\nhttp://joe:secret@a.example:x/\n")
    Path("in.txt").write_text("http://joe:secret@a.example/ http://joe:other@a.example/")
    done = call("extract", "--known", "p", "in.txt")
    assert (done.lines, "secret" in done.err) == (["http://joe:***@a.example/"], False)


def test_keys_are_filtered_too(lists: Path) -> None:
    done = call("dedupe", "--input", "keys", "--known", "a", stdin=b"http://a.example/x\nhttp://a.example/y\n")
    assert done.lines == ["http://a.example/x"]


def test_standard_input_is_read_once(lists: Path) -> None:
    assert call("extract", "--known", "-", "in.txt", stdin=b"http://a.example/x\n").lines == ["http://a.example/x"]
    for flags in (
        ("--known", "-"),
        ("--known", "-", "--unknown", "-", "in.txt"),
        ("--known", "-", "--files-from", "-"),
    ):
        done = call("extract", *flags)
        assert (done.status, "standard input can be read once" in done.err) == (2, True)


def test_flags_that_do_not_go_together(lists: Path) -> None:
    assert "--subdomains is about hosts of a list" in call("extract", "--subdomains", "in.txt").err


def test_a_checkpoint_goes_with_lists(lists: Path) -> None:
    flags = ("dedupe", "--checkpoint", "state", "-o", "out", "--known", "a", "in.txt")
    assert call(*flags).status == 0
    assert Path("out").read_text().split() == ["http://a.example/x", "urn:isbn:0395363411"]
    Path("state").unlink(missing_ok=True)


def test_workers_of_the_command_ask_lists(lists: Path) -> None:
    Path("more.txt").write_bytes(SEARCHED)
    done = process("extract", "--jobs", "2", "--known", "a", "in.txt", "more.txt")
    assert done.out.decode().split() == ["http://a.example/x", "urn:isbn:0395363411"] * 2


LINKS = ["http://a.example/", "http://joe:pass@a.example/x", "urn:isbn:0395363411", "http://b.example/"]
STORED = [*LINKS[:3], "http://c.example/"]


@pytest.fixture
def store(folder: Path) -> str:
    call("dedupe", "--store", "seen.db", stdin=" ".join(STORED).encode())
    return "seen.db"


def test_a_store_is_a_list(store: str) -> None:
    before = Path(store).read_bytes()
    known = Known.read([store])
    assert (known.links, known.hosts, len(known), known.rejected) == (4, 0, 4, 0)
    assert [link in known for link in LINKS] == [True, True, True, False]
    assert [parse(link) in known for link in LINKS] == [True, True, True, False]
    assert ("http://joe:other@a.example/x" in known, "a.example" in known) == (False, False)
    Path("list").write_text("b.example\nhttp://a.example\n")
    both = Known.read([store, "list"])
    assert ([link in both for link in LINKS], both.signature == known.signature) == ([True] * 4, False)
    assert Known.read(store) == known == pickle.loads(pickle.dumps(known))
    assert Path(store).read_bytes() == before


@pytest.mark.parametrize("is_pure", [False, True], ids=["kernel", "python"])
def test_what_a_store_has_is_left_out(store: str, is_pure: bool) -> None:
    Path("text").write_text(" ".join(LINKS))
    Path("rows.csv").write_text("id,url\n" + "".join(f"{number},{link}\n" for number, link in enumerate(LINKS)))
    engine = Engine(is_pure=is_pure)
    try:
        for flag, kept in (("--unknown", [3]), ("--known", [0, 1, 2])):
            shown = ("--show-passwords", flag, store)
            for command in ("extract", "dedupe"):
                found = engine.ran([command, "-q", *shown, "text"])
                assert (found.status, found.out.splitlines()) == (0, [LINKS[index] for index in kept])
            for jobs in ("1", "2"):
                found = engine.ran(["dedupe", "-q", "--field", "url", flag, store, "--jobs", jobs, "rows.csv"])
                assert [line.split(",")[0] for line in found.out.splitlines()[1:]] == list(map(str, kept))
    finally:
        engine.close()


# Each option on which the keys of a store depend, and what the message says of it; it names no other.
OTHER_KEYS = (
    (["--level", "syntax"], "level=syntax, those of this run by level=scheme"),
    (["--merge", "page"], "merge=page, those of this run by merge=rfc"),
    (["--drop-params", "ref"], "drop_params=ref, those of this run by drop_params=none"),
    (["--keep-params", "id"], "keep_params=id, those of this run by keep_params=none"),
    (["--urn-syntax", "rfc8141"], "urn=rfc8141, those of this run by urn=rfc2141"),
)
# Each command that reads a list, with and without `--by`.
ASK_LISTS = (
    "extract --known",
    "extract --unique --by host --unknown",
    "dedupe --unknown",
    "dedupe --by host --unknown",
    "dedupe --field url --by host --unknown",
    "rewrite --only-known",
)


def _refused(command: str, *more: str) -> str:
    """Return what a command that asks the store `made.db` says when it refuses it."""
    Path("rows.csv").write_text("url\nhttp://a.example/\n")
    file = "rows.csv" if "--field" in command else "in.txt"
    done = call(*command.split(), "made.db", *more, file)
    assert (done.status, done.out) == (2, b""), command
    return done.err


@pytest.mark.parametrize("command", ASK_LISTS)
@pytest.mark.parametrize(("flags", "words"), OTHER_KEYS, ids=[flags[0] for flags, _ in OTHER_KEYS])
def test_a_store_of_other_options_is_no_list(lists: Path, command: str, flags: list[str], words: str) -> None:
    call("dedupe", *flags, "--store", "made.db", stdin=b"http://a.example/")
    assert _refused(command) == f"urisieve: made.db: its keys were made by {words}\n"


@pytest.mark.parametrize("command", ASK_LISTS)
@pytest.mark.parametrize("part", list(By)[1:])
def test_a_store_of_parts_is_no_list(lists: Path, command: str, part: By) -> None:
    flags = ("--input", "csv", "--field", "url", "--by", part)
    call("dedupe", *flags, "--store", "made.db", stdin=b"url\nhttp://www.a.example/\n")
    said = (
        f"urisieve: made.db: is a store of --by {part}, and a list needs whole keys, whatever --by of this run is: "
        "name a store made without --by, or a file of links and hosts\n"
    )
    assert _refused(command) == said
    assert _refused(command, "--urn-syntax", "rfc8141") == said  # another store is needed first of all
    made = sqlite3.connect("made.db")
    text = signature(by=part).replace('"canonical": ', '"canonical": 9')
    made.execute("UPDATE meta SET value = ? WHERE name = 'signature'", (text,))
    made.commit()
    made.close()
    assert _refused(command) == said  # what the renewal of such a store would make is none either


def test_what_to_name_in_place_of_a_store_of_hosts(lists: Path) -> None:
    text = b"http://a.example/x http://b.example/y"
    call("dedupe", "--store", "keys.db", stdin=b"http://a.example/x")
    Path("hosts.txt").write_text("a.example\n")
    for name in ("keys.db", "hosts.txt"):
        assert call("dedupe", "-q", "--by", "host", "--unknown", name, stdin=text).lines == ["http://b.example/y"]


def test_what_is_no_store_of_the_same_keys(store: str) -> None:
    assert "its keys were made by merge=rfc" in call("extract", "--merge", "page", "--known", store, "in.txt").err
    connection = sqlite3.connect("other.db")
    connection.execute("CREATE TABLE links (url)")
    connection.close()
    done = call("extract", "--unknown", "other.db", "in.txt")
    assert (done.status, done.err) == (2, "urisieve: other.db: is not a store of urisieve\n")
    done = call("extract", "--unknown", "-", "in.txt", stdin=Path(store).read_bytes())
    assert (done.status, "is sqlite by its content" in done.err) == (2, True)
    with Store(store), pytest.raises(InputError, match="this process has it open"):
        Known.read(store)
