"""What a run with a store or a checkpoint does to files, and what `urisieve store` refuses."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli_support import call, process
from urisieve import Store, StoreError, UsageError
from urisieve.dedupe.store.entry_pieces import MOST

LINKS = [f"http://{name}.example/" for name in "abcd"]


def _text(path: Path, *links: str) -> str:
    path.write_text("".join(f"{link}\n" for link in links))
    return str(path)


# The output of runs over one store.


@pytest.mark.parametrize("kind", ["text", "jsonl", "csv", "tsv"])
def test_the_output_of_runs_over_a_store_is_added_up(tmp_path: Path, kind: str) -> None:
    one = _text(tmp_path / "one.txt", *LINKS[:2])
    two = _text(tmp_path / "two.txt", *LINKS[1:])
    runs, whole = tmp_path / "runs", tmp_path / "whole"
    flags = ("--quiet", "--format", kind)
    for paths in ((one,), (one, two), (two,)):
        done = call("dedupe", *flags, "--store", str(tmp_path / "seen.db"), "-o", str(runs), *paths)
        assert done.status == 0
    assert call("dedupe", *flags, "-o", str(whole), one, two).status == 0
    assert runs.read_bytes() == whole.read_bytes()


def test_a_line_without_an_end_gets_it_before_another(tmp_path: Path) -> None:
    output, flags = tmp_path / "o", ("--quiet", "--store", str(tmp_path / "seen.db"), "-o", str(tmp_path / "o"))
    output.write_text("begun")
    assert call("dedupe", *flags, stdin=b"").status == 1
    assert output.read_text() == "begun"
    assert call("dedupe", *flags, stdin=LINKS[0].encode()).status == 0
    assert output.read_text() == f"begun\n{LINKS[0]}\n"


@pytest.mark.parametrize("is_table", [False, True])
def test_parquet_cannot_be_added_to(tmp_path: Path, is_table: bool) -> None:
    pytest.importorskip("pyarrow")
    output, text = tmp_path / "o.parquet", _text(tmp_path / "one.txt", *LINKS)
    flags = ("--store", str(tmp_path / "seen.db"), "-o", str(output), "--format", "parquet", text)
    output.touch()
    assert call("dedupe", *flags).status == 0
    content = output.read_bytes()
    done = call("dedupe", *flags)
    assert (done.status, "Parquet and arrays of JSON cannot be added to" in done.err) == (2, True)
    assert output.read_bytes() == content


@pytest.mark.parametrize(
    "state", [("--store", "s.db"), ("--checkpoint", "c.db"), ("--store", "s", "--checkpoint", "c")]
)
@pytest.mark.parametrize("kind", ["text", "csv"])
def test_an_output_stays_where_nothing_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: tuple[str, ...], kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    output = Path("o")
    for content in (None, "old\n"):
        if content is not None:
            output.write_text(content)
        done = call("dedupe", *state, "--format", kind, "-o", "o", "missing.txt")
        assert (done.status, "output is left as it was" in done.err) == (2, True)
        assert (output.read_text() if output.exists() else None) == content


# Files with two uses.


@pytest.mark.parametrize("name", ["in.txt", "./in.txt", "../{folder}/in.txt", "symbolic", "hard"])
@pytest.mark.parametrize("state", [("--store", "s.db"), ("--checkpoint", "c.db")])
def test_an_input_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: tuple[str, str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    _text(Path("in.txt"), *LINKS)
    os.symlink("in.txt", "symbolic")
    os.link("in.txt", "hard")
    content = Path("in.txt").read_bytes()
    done = call("dedupe", *state, "-o", name.format(folder=tmp_path.name), "in.txt")
    assert (done.status, "is also the file of --output" in done.err) == (2, True)
    assert Path("in.txt").read_bytes() == content
    assert not Path(state[1]).exists()


@pytest.mark.parametrize(
    "argv",
    [
        ("--store", "x", "-o", "x", "in.txt"),
        ("--store", "x", "-o", "x-wal", "in.txt"),
        ("--store", "x", "--checkpoint", "./x", "-o", "o", "in.txt"),
        ("--checkpoint", "x", "-o", "x", "in.txt"),
        ("--store", "in.txt", "in.txt"),
        ("--checkpoint", "in.txt", "-o", "o", "in.txt"),
        ("--store", "s", "-o", "missing", "in.txt", "missing"),
        ("--input", "jsonl", "--field", "a", "-o", "x", "--unmatched", "./x", "in.txt"),
        ("--input", "jsonl", "--field", "a", "--unmatched", "in.txt", "in.txt"),
        ("--input", "jsonl", "--field", "a", "--store", "s", "--unmatched", "s", "in.txt"),
    ],
)
def test_no_file_has_two_uses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: Sequence[str]) -> None:
    monkeypatch.chdir(tmp_path)
    content = _text(Path("in.txt"), *LINKS) and Path("in.txt").read_bytes()
    done = call("dedupe", *argv)
    assert (done.status, "same file" in done.err or "is read, and is also the file of" in done.err) == (2, True)
    assert os.listdir() == ["in.txt"]
    assert Path("in.txt").read_bytes() == content


def test_a_file_may_be_replaced_by_its_own_output(tmp_path: Path) -> None:
    path = Path(_text(tmp_path / "in.txt", *LINKS, *LINKS))
    assert call("dedupe", "--quiet", "--input", "keys", "-o", str(path), str(path)).status == 0
    assert path.read_text().splitlines() == LINKS
    rows = tmp_path / "rows.csv"
    rows.write_text("url\n" + f"{LINKS[0]}\n" * 2)
    assert call("dedupe", "--quiet", "--input", "csv", "--field", "url", "-o", str(rows), str(rows)).status == 0
    assert rows.read_text() == f"url\n{LINKS[0]}\n"


def test_what_is_searched_is_not_replaced_by_what_is_found(tmp_path: Path) -> None:  # A15
    path = Path(_text(tmp_path / "in.txt", *LINKS, *LINKS))
    before = path.read_bytes()
    of_records = ("dedupe", "--input", "jsonl", "--format", "csv")
    for command in (("dedupe",), ("count",), ("count", "--input", "keys"), of_records):
        done = call(*command, "-o", str(path), str(path))
        assert (done.status, "is also the file of --output" in done.err) == (2, True)
    assert path.read_bytes() == before
    assert call("dedupe", "--quiet", "--store", str(tmp_path / "s"), "-o", os.devnull, str(path)).status == 0


# Checkpoints.

# A run that ends by a signal after so many batches, of one part each.
_STOPPED = """
import os, signal, sys
import urisieve.sinks.first_seen as waiting
from urisieve.cli import main
from urisieve.dedupe.checkpoint import Checkpoint
waiting._KEYS = 1
note, left = Checkpoint.note, [int(sys.argv[1]) + 1]
def stop(self, *args, **more):
    note(self, *args, **more)
    left[0] -= 1
    if left[0] < 0:
        self.store.commit()
        os.kill(os.getpid(), signal.SIGKILL)
Checkpoint.note = stop
main(sys.argv[2:])
"""


def _stopped(after: int, *argv: str) -> None:
    done = subprocess.run([sys.executable, "-c", _STOPPED, str(after), *argv], capture_output=True, check=False)
    assert done.returncode == -9, done.stderr


def test_a_resumed_run_ends_as_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    paths = [_text(Path("a"), *LINKS), _text(Path("b"), LINKS[0]), _text(Path("c"), "nothing")]
    flags = ("dedupe", "--quiet", "--checkpoint", "state", "-o", "o")
    _stopped(1, *flags, *paths)
    assert call(*flags, *paths).status == 0
    assert Path("o").read_text().splitlines() == LINKS
    # What could not be read before counts, too.
    _stopped(1, *flags, "missing", *paths)
    assert call(*flags, "missing", *paths).status == 2
    assert Path("o").read_text().splitlines() == LINKS
    # And so does the only identifier.
    _stopped(1, *flags, _text(Path("d"), LINKS[0]), paths[2])
    assert call(*flags, "d", paths[2]).status == 0


@pytest.mark.parametrize("store", [(), ("--store", "s.db")])
def test_a_file_that_has_changed_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = [_text(Path("a"), *LINKS), _text(Path("b"), LINKS[0])]
    flags = ("dedupe", "--quiet", *store, "--checkpoint", "state", "-o", "o", *paths)
    _stopped(0, *flags)
    status = os.stat("b")
    _text(Path("b"), LINKS[1])  # as long
    os.utime("b", ns=(status.st_atime_ns, status.st_mtime_ns + 10**9))
    done = call(*flags)
    assert (done.status, "a file to read has been changed" in done.err) == (2, True)
    assert "remove state to begin anew" in done.err
    os.unlink("state")
    assert call(*flags).status == 0


def test_a_checkpoint_beside_a_store_adds_to_the_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("o").write_text("old\n")
    paths = [_text(Path("a"), *LINKS[:2]), _text(Path("b"), *LINKS)]
    flags = ("dedupe", "--quiet", "--store", "s.db", "--checkpoint", "state", "-o", "o", *paths)
    _stopped(0, *flags)
    assert call(*flags).status == 0
    assert Path("o").read_text().splitlines() == ["old", *LINKS]
    assert not Path("state").exists()


def test_what_is_no_checkpoint_is_not_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = _text(Path("in"), *LINKS)
    Path("notes").write_text("mine")
    done = call("dedupe", "--store", "s.db", "--checkpoint", "notes", "-o", "o", text)
    assert (done.status, "is not the checkpoint" in done.err, Path("notes").read_text()) == (2, True, "mine")
    assert call("dedupe", "--store", "s.db", text).status == 0
    done = call("dedupe", "--checkpoint", "s.db", "-o", "o", text)
    assert (done.status, "is a store, not a checkpoint" in done.err) == (2, True)
    assert call("store", "verify", "s.db").lines == ["4 keys, nothing wrong"]
    done = call("dedupe", "--checkpoint", "c", "-o", os.devnull, text)
    assert (done.status, "regular file" in done.err) == (2, True)


def test_a_checkpoint_notes_only_what_changes(tmp_path: Path) -> None:
    """What is written with each commit does not grow with the number of files."""

    from urisieve.cli.dedupe import checkpoint_of
    from urisieve.cli.settings.dedupe_arguments import DedupeSettings, parse_dedupe

    sizes = []
    for number in (1, 1_000):
        paths = [str(tmp_path / f"{n}.txt") for n in range(number)]
        state = tmp_path / f"state{number}"
        settings = parse_dedupe(["--checkpoint", str(state), "-o", str(tmp_path / "o"), *paths])
        assert isinstance(settings, DedupeSettings)
        with checkpoint_of(settings) as checkpoint:
            checkpoint.note(5, 1, 2, "header", found=True)
            checkpoint.store.commit()
            noted = checkpoint.store.noted("checkpoint")
            assert noted is not None
            sizes.append(len(noted))
        with checkpoint_of(settings) as checkpoint:
            assert (checkpoint.size, checkpoint.parts, checkpoint.rows, checkpoint.state) == (5, 1, 2, "header")
            assert (checkpoint.found, checkpoint.failed) == (True, False)
    assert sizes[0] == sizes[1]


# Exit status: whether the sources hold an identifier.


@pytest.mark.parametrize(
    "command",
    [("dedupe",), ("dedupe", "--format", "jsonl"), ("count",), ("count", "--min-count", "9"),
     ("dedupe", "--store", "s"), ("dedupe", "--input", "keys"), ("dedupe", "--store", "s", "--mark-new"),
     ("dedupe", "--checkpoint", "c", "-o", "o")],
)  # fmt: skip
def test_the_exit_status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]) -> None:
    monkeypatch.chdir(tmp_path)
    found, none = _text(Path("found"), *LINKS), _text(Path("none"))
    assert [call(*command, *paths).status for paths in ((found,), (found,), (none,), (found, "no"))] == [
        0,
        0,
        1,
        2,
    ]


# Flags that would do nothing, and limits that cannot be kept.


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--input", "jsonl", "--field", "x", "--form", "iri"], "--form does not go with it"),
        (["--input", "keys", "--form", "raw"], "--form does not go with it"),
        (["--memory-limit", "99MB"], "use 120MB or more"),
        (["--memory-limit", "9" * 400], "No such file"),
    ],
)
def test_flags_that_cannot_be_followed(argv: list[str], message: str) -> None:
    done = call("dedupe", *argv, "/nosuch.txt")
    assert (done.status, message in done.err) == (2, True)


@pytest.mark.parametrize("flags", [("--input", "keys"), ("--input", "csv", "--field", "1"), ("--input", "jsonl")])
def test_what_one_process_reads_takes_any_number_of_jobs(flags: tuple[str, ...]) -> None:
    data = call("extract", "-f", "jsonl", stdin=b"http://a.example http://A.example").out
    one, two = (call("dedupe", *flags, *more, stdin=data) for more in ((), ("--jobs", "2")))
    assert (one.status, one.out) == (two.status, two.out)


def test_a_file_that_later_runs_add_to_has_no_colours(tmp_path: Path) -> None:
    flags = ("--color", "always", "--store", str(tmp_path / "s"), "-o", str(tmp_path / "o"))
    assert call("dedupe", *flags, stdin=b"http://a.example").status == 0
    assert (tmp_path / "o").read_bytes() == b"http://a.example/\n"


@pytest.mark.parametrize("flags", [("--store", "s"), ("--checkpoint", "c", "-o", "o")])
def test_the_memory_limit_holds_for_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    sizes: list[int] = []

    class Watched(Store):
        def close(self) -> None:
            sizes.append(-1024 * self._connection.execute("PRAGMA cache_size").fetchone()[0])
            super().close()

    monkeypatch.setattr("urisieve.dedupe.key_store.Store", Watched)
    monkeypatch.setattr("urisieve.dedupe.checkpoint.Store", Watched)
    text = _text(Path("in"), *LINKS)
    for limit in (("--memory-limit", "120MB"), ("--memory-limit", "250MB"), ()):
        assert call("dedupe", *flags, *limit, text).status == 0
    assert sizes[0] < 10_000_000 < sizes[1] < 50_000_000 < sizes[2] < 150_000_000


# What a store is made of.


def _left(path: Path) -> None:
    """A store that was killed and removed, of which the log stays."""
    program = (
        "import os, sys; from urisieve import Store; s = Store(sys.argv[1]); s.add(['a:1']); s.commit(); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
    assert Path(f"{path}-wal").stat().st_size


def test_what_is_left_of_a_store_is_not_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    _left(path)
    path.unlink()
    done = call("dedupe", "--store", str(path), stdin=b"a:1")
    assert (done.status, f"{path}-wal is left of an earlier store" in done.err) == (2, True)
    Path(f"{path}-wal").unlink()
    assert call("dedupe", "--store", str(path), "--schemes", "any", stdin=b"aa:1").lines == ["aa:1"]


def test_a_log_is_found_through_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "w.db", tmp_path / "link"
    _left(path)
    link.symlink_to(path)
    path.unlink()
    done = call("dedupe", "--store", str(link), stdin=b"a:1")
    assert (done.status, f"{path}-wal is left of an earlier store" in done.err) == (2, True)
    Path(f"{path}-wal").unlink()
    assert call("dedupe", "--store", str(link), stdin=LINKS[0].encode()).lines == [LINKS[0]]
    assert call("store", "verify", str(path)).lines == ["1 keys, nothing wrong"]


def test_an_empty_store_names_all_its_files(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    _left(path)
    path.write_bytes(b"")
    done = call("dedupe", "--store", str(path))
    assert (done.status, f"remove {path} {path}-wal" in done.err) == (2, True)


@pytest.mark.skipif(os.name != "posix", reason="users")
def test_a_read_only_store_with_a_log_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "w.db"
    _left(path)
    access = os.access
    monkeypatch.setattr(os, "access", lambda name, mode: mode != os.W_OK and access(name, mode))
    for action in ("info", "verify", "export"):
        done = call("store", action, str(path))
        assert (done.status, "is read-only, and keys that were kept are still in" in done.err) == (2, True)
    monkeypatch.undo()
    assert call("store", "verify", str(path)).lines == ["1 keys, nothing wrong"]


# `urisieve store`.

SECRET = b"http://u:secret@a.example/ http://b.example/"


def test_stores_with_two_secrets(tmp_path: Path) -> None:
    one, two, empty = (str(tmp_path / name) for name in ("one", "two", "empty"))
    call("dedupe", "--store", one, stdin=SECRET)
    call("dedupe", "--store", two, stdin=SECRET)
    Store(empty).close()
    done = call("store", "merge", empty, one)
    assert (done.status, done.lines, done.err) == (0, ["2 new"], "")
    assert call("dedupe", "--store", empty, stdin=SECRET).lines == []
    done = call("store", "merge", two, one)
    assert (done.lines, "made with another secret" in done.err) == (["1 new"], True)
    done = call("store", "import", two, stdin=call("store", "export", one).out)
    assert (done.status, "made with another secret" in done.err) == (0, True)
    assert call("store", "forget", two, "http://u:secret@a.example/").lines == ["1 forgotten"]


def test_a_store_by_host_forgets(tmp_path: Path) -> None:
    flags = ("--input", "jsonl", "--field", "u", "--by", "host", "--store", str(tmp_path / "s"))
    call("dedupe", *flags, stdin=b'{"u": "http://a.example/x"}')
    assert call("store", "forget", str(tmp_path / "s"), "http://A.example/").lines == ["1 forgotten"]


def test_a_store_is_not_merged_with_itself(tmp_path: Path) -> None:
    path = tmp_path / "s"
    Store(path).close()
    os.link(path, tmp_path / "hard")
    for other in (path, tmp_path / "hard"):
        done = call("store", "merge", str(path), str(other))
        assert (done.status, "is the store that the others are merged into" in done.err) == (2, True)


def _exported(**changes: Any) -> Callable[[list[dict[str, Any]]], None]:
    def change(rows: list[dict[str, Any]]) -> None:
        rows[1].update(changes)

    return change


def _headed(**changes: Any) -> Callable[[list[dict[str, Any]]], None]:
    def change(rows: list[dict[str, Any]]) -> None:
        rows[0].update(changes)

    return change


@pytest.mark.parametrize("secret", [b"k", bytes(range(16)), bytes(64)])
def test_a_store_of_any_secret_goes_through_an_export(tmp_path: Path, secret: bytes) -> None:
    with Store(tmp_path / "own", secret=secret) as store:
        store.unseen(["http://u:one@a.example/"])
    exported = call("store", "export", str(tmp_path / "own")).out
    assert call("store", "import", str(tmp_path / "new"), stdin=exported).status == 0
    with Store(tmp_path / "new") as store:
        assert (store.secret, store.unseen(["http://u:one@a.example/"])) == (secret, [])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_exported(last=float("inf")), "line 2 is not an entry"),
        (_exported(last=10**30), "line 2 is not an entry"),
        (_exported(first=-1), "line 2 is not an entry"),
        (_exported(first="1"), "line 2 is not an entry"),
        (_exported(count=0), "line 2 is not an entry"),
        (_exported(count=True), "line 2 is not an entry"),
        (_exported(count=1.5), "line 2 is not an entry"),
        (_exported(digest="00"), "line 2 is not an entry"),
        (_exported(source=[]), "line 2 is not an entry"),
        (_headed(signature=5), "keys made by 5 are not those of this version"),
        (_headed(signature={"canonical": 99}), "are not those of this version"),
        (_headed(secret=""), "is not what `urisieve store export` writes"),
        (_headed(secret="00" * 99), "is not what `urisieve store export` writes"),
        (_headed(type="x"), "is not what `urisieve store export` writes"),
    ],
)
def test_what_cannot_be_imported(tmp_path: Path, change: Callable[[list[dict[str, Any]]], None], message: str) -> None:
    call("dedupe", "--store", str(tmp_path / "s"), stdin=b"http://a.example")
    rows = call("store", "export", str(tmp_path / "s")).rows
    change(rows)
    data = "".join(json.dumps(row) + "\n" for row in rows).replace("Infinity", "1e400").encode()
    done = call("store", "import", str(tmp_path / "new"), stdin=data)
    assert (done.status, message in done.err) == (2, True), done.err
    if message != "line 2 is not an entry":
        assert not (tmp_path / "new").exists()


def test_deep_nesting_is_no_export(tmp_path: Path) -> None:
    done = call("store", "import", str(tmp_path / "new"), stdin=b"[" * 200_000)
    assert (done.status, "is not what" in done.err) == (2, True)


@pytest.mark.parametrize("count", [10**24, MOST, MOST - 1])
def test_counts_stay_at_the_largest(tmp_path: Path, count: int) -> None:
    path = str(tmp_path / "s")
    call("dedupe", "--store", path, stdin=b"http://a.example")
    rows = call("store", "export", path).rows
    rows[1]["count"] = count
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    new = str(tmp_path / "new")
    assert [call("store", "import", new, stdin=data).lines for _ in range(3)] == [["1 new"], ["0 new"], ["0 new"]]
    assert call("store", "export", new).rows[1]["count"] == MOST
    with Store(new) as store:
        store.add(["a:b"], counts=[MOST])
    assert call("store", "verify", new).lines == ["2 keys, nothing wrong"]
    assert f"seen: {2 * MOST}" in call("store", "info", new).lines
    others = "".join(json.dumps({**rows[1], "digest": f"{number:032x}"}) + "\n" for number in (1, 2)).encode()
    assert call("store", "import", new, stdin=data + others).lines == ["2 new"]


@pytest.mark.parametrize("days", ["nan", "inf", "-inf", "1e300", "-5", "x", ""])
def test_days_that_are_none(tmp_path: Path, days: str) -> None:
    path = str(tmp_path / "s")
    call("dedupe", "--store", path, stdin=b"http://a.example")
    done = call("store", "forget", path, f"--unseen-for={days}")
    assert (done.status, "is not a number of days from 0" in done.err) == (2, True)
    assert call("store", "verify", path).lines == ["1 keys, nothing wrong"]


@pytest.mark.parametrize("has_run", [False, True], ids=["table", "table and run"])
@pytest.mark.parametrize("change", ["count = 1.5e19", "last = 'x'", "first = -1", "last = 1e300", "source = 2.5"])
def test_what_is_no_integer_is_told(
    tmp_path: Path, change: str, has_run: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s"
    if has_run:
        with monkeypatch.context() as patched, Store(path) as store:
            patched.setattr("urisieve.dedupe.store.store_entries._LARGE", 1)
            store.add(["http://b.example/"])
    call("dedupe", "--store", str(path), stdin=b"http://a.example")
    connection = sqlite3.connect(path)
    connection.execute(f"UPDATE keys SET {change}")
    connection.commit()
    connection.close()
    done = call("store", "verify", str(path))
    assert (done.status, "1 keys have a time" in done.err) == (1, True)
    assert call("store", "info", str(path)).status == 0


@pytest.mark.parametrize("action", ["info", "verify", "export", "import", "merge", "forget"])
def test_the_usage_of_each_action(action: str) -> None:
    done = process("store", action, "--help")
    assert done.lines[0].startswith(f"usage: urisieve store {action} [OPTION ...] FILE")


@pytest.mark.parametrize("wrong", ["http://a.example:x/?token={}", "{}", "http://u:{}@a.example:x/", "http://a b/#{}"])
@pytest.mark.parametrize("by_lines", [False, True])
def test_what_is_not_forgotten_is_not_printed(wrong: str, by_lines: bool, tmp_path: Path) -> None:  # P14
    path, token = str(tmp_path / "s"), "s3cr3t-t0ken"
    call("dedupe", "--store", path, stdin=b"http://a.example")
    texts = ["http://a.example/", wrong.format(token)]
    if by_lines:
        done = call("store", "forget", path, "-", stdin="\n".join(texts).encode())
    else:
        done = call("store", "forget", path, *texts)
    assert (done.status, "identifier 2 of those to forget is not valid (" in done.err) == (2, True)
    assert token not in done.err + done.out.decode()
    assert call("store", "verify", path).lines == ["1 keys, nothing wrong"]


# Misuse in the library.


@pytest.mark.parametrize("path", ["\0", "a\0b", 5, None])
def test_what_is_no_path(path: Any) -> None:
    with pytest.raises(UsageError, match=r"must be a path|cannot be the path of a store"):
        Store(path)


def test_a_part_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError,
        match=r"by='nonsense' is not a choice; use one of 'key', 'host', 'domain', 'template', 'scheme\+host",
    ):
        Store(tmp_path / "s", by="nonsense")
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("keys", "more", "message"),
    [
        ([1], {}, "must be a string, as Record.key"),
        (["a:b", b"a:c"], {}, "must be a string, as Record.key"),
        ("a:b", {}, "give a list"),
        (5, {}, "keys=5 must be several keys"),
        (["a:b", "a:c"], {"counts": [1]}, "1 counts for 2 keys"),
        (["a:b"], {"sources": []}, "0 sources for 1 keys"),
        (["a:b"], {"counts": [0]}, "a count is 0"),
        (["a:b"], {"counts": [MOST + 1]}, "a count is 9223372036854775808"),
        (["a:b"], {"counts": ["1"]}, "a count is '1'"),
        (["a:b"], {"sources": [5]}, "a source is a int"),
        (["a:b"], {"sources": [[]]}, "a source is a list"),
        (["a:b"], {"now": -1}, "now=-1 must be a time from 1970 to 9999"),
        (["a:b"], {"now": True}, "now=True is not a time such as"),
    ],
)
def test_what_cannot_be_added(tmp_path: Path, keys: Any, more: dict[str, Any], message: str) -> None:
    with Store(tmp_path / "s") as store:
        store.add(["a:a"])
        with pytest.raises(UsageError, match=message):
            store.add(keys, **more)
        assert (len(store), store.faults()) == (1, [])
    with Store(tmp_path / "s") as store:
        store.signature = "5"
        with pytest.raises(StoreError, match="not those of this version"):
            store.options()


@pytest.mark.parametrize("words", ["info", "verify", "export", "merge {other}", "forget http://a.example/"])
def test_a_store_that_is_missing_is_not_made(words: str, tmp_path: Path) -> None:
    other, missing = tmp_path / "other", tmp_path / "missing"
    call("dedupe", "--store", str(other), stdin=b"http://a.example/")
    action, *rest = words.format(other=other).split()
    done = call("store", action, str(missing), *rest)
    assert (done.status, done.out) == (2, b"")
    assert "there is no such store" in done.err
    assert not missing.exists()
    if action == "merge":
        assert call("store", action, str(other), str(missing)).status == 2
        assert not missing.exists()
