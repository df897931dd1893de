"""Faults, with real processes: killed at any moment, a full disk, a store that cannot be written or was cut off."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from tests.helpers.cli_support import PATIENCE, call, process, start
from urisieve import Store, UsageError
from urisieve.dedupe.checkpoint import Checkpoint

MOMENTS = 50


def _text(folder: Path, number: int, name: str = "text") -> Path:
    path = folder / name
    path.write_text("".join(f"http://example.com/{n % (number * 2 // 3)}\n" for n in range(number)), encoding="utf-8")
    return path


# For each path, a process of its own that adds batches to a store and says so after each. It is a copy of one that has
# imported all: no time goes into starts. Each line is one call, so that a kill leaves no half of one.
_WRITERS = """
import os, sys
from urisieve import Store
for line in sys.stdin:
    writer = os.fork()
    if not writer:
        store = Store(line.strip())
        for batch in range(2000):
            store.add([f"a:{batch}/{n}" for n in range(400)])
            store.commit()
            os.write(1, b"%d\\n" % batch)
        os._exit(0)
    os.write(1, b"started %d\\n" % writer)
    os.waitpid(writer, 0)
    os.write(1, b"ended\\n")
"""


@pytest.mark.long
def test_killed_at_any_moment(tmp_path: Path) -> None:
    """Every batch that was reported as kept is there, whole, and the store opens."""
    chance = random.Random(8141)
    path = tmp_path / "seen.db"
    kept = -1
    command = [sys.executable, "-c", _WRITERS]

    def read() -> str:
        assert writers.stdout is not None
        line = writers.stdout.readline()
        assert line, f"the writers have ended with status {writers.wait()}"
        return line

    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as writers:
        assert writers.stdin is not None
        for moment in range(MOMENTS):
            if moment % 10 == 0:  # a new store now and then, so that its making is interrupted, too
                path = tmp_path / f"seen{moment}.db"
                kept = -1
            writers.stdin.write(f"{path}\n")
            reported = []
            while not (line := read()).startswith("started"):
                reported.append(line)
            # Some before the first batch, some between.
            if moment % 5:
                reported.append(read())
                time.sleep(chance.random() * 0.08)
            else:
                time.sleep(chance.random() * 0.04)
            os.kill(int(line.split()[1]), signal.SIGKILL)
            reported += iter(read, "ended\n")
            kept = max([kept, *map(int, reported)])
            with Store(path) as store:
                assert store.faults() == []
                assert len(store) % 400 == 0
                assert all(f"a:{batch}/{n}" in store for batch in {0, kept} if 0 <= batch <= kept for n in range(400))
                assert len(store) >= 400 * (kept + 1)
            assert call("store", "verify", str(path)).status == 0


@pytest.mark.long
def test_a_killed_run_loses_nothing(tmp_path: Path) -> None:
    """What the store has kept stands in the outputs of the runs; what it has not comes again."""
    text = _text(tmp_path, 60_000)
    store, outputs = tmp_path / "seen.db", []
    chance = random.Random(2141)
    for number in range(12):
        output = tmp_path / f"output{number}"
        outputs.append(output)
        run = start("dedupe", "--quiet", "--store", str(store), "-o", str(output), "--jobs", "1", str(text))
        time.sleep(chance.random() * 0.6)
        run.kill()
        run.communicate()
    last = tmp_path / "last"
    done = process("dedupe", "--quiet", "--store", str(store), "-o", str(last), str(text))
    assert done.status == 0
    written = [line for path in [*outputs, last] if path.exists() for line in path.read_text().split("\n")[:-1]]
    assert set(written) >= {f"http://example.com/{n}" for n in range(40_000)}


@pytest.mark.long
def test_killed_runs_add_to_one_output(tmp_path: Path) -> None:
    """Nothing that an earlier run has written goes, and half a line that a kill leaves spoils no other."""
    text, output = _text(tmp_path, 60_000), tmp_path / "output"
    command = ("dedupe", "--quiet", "--store", str(tmp_path / "seen.db"), "-o", str(output), "--jobs", "1")
    chance = random.Random(3986)
    written = b""
    for _ in range(10):
        run = start(*command, str(text))
        time.sleep(chance.random() * 0.6)
        run.kill()
        run.communicate()
        if output.exists():
            assert output.read_bytes().startswith(written)
            if chance.random() < 0.5:
                with output.open("ab") as file:
                    file.write(b"http://exam")
            written = output.read_bytes()
    assert process(*command, str(text)).status == 0
    lines = output.read_text().splitlines()
    assert output.read_bytes().startswith(written)
    assert set(lines) - {"http://exam"} >= {f"http://example.com/{n}" for n in range(40_000)}


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "jobs"), [("text", "1"), ("text", "2"), ("jsonl", "1"), ("jsonl", "2"), ("rows", "1")]
)
def test_a_killed_run_goes_on_from_its_checkpoint(tmp_path: Path, kind: str, jobs: str) -> None:
    paths = []
    for number in range(6):
        path = tmp_path / f"{number}.txt"
        lines = [f"http://example.com/{n * (number + 1) % 7_000}" for n in range(5_000)]
        path.write_text("".join(json.dumps({"url": line}) + "\n" if kind == "rows" else f"{line}\n" for line in lines))
        paths.append(str(path))
    flags = {"text": (), "jsonl": ("--format", "jsonl"), "rows": ("--input", "jsonl", "--field", "url")}[kind]
    expected = process("dedupe", "--quiet", *flags, *paths).out
    output, state = tmp_path / "output", tmp_path / "state"
    command = ["dedupe", "--quiet", *flags, "--jobs", jobs, "--checkpoint", str(state), "-o", str(output), *paths]
    chance = random.Random(3987)
    # Batches of one part each, so that there is much to go on from.
    program = "import sys, urisieve.sinks.first_seen as w, urisieve.data_sets.kept_rows as d"
    program = f"{program}; w._KEYS = 500; d._BATCH = 500"
    starter = [
        sys.executable,
        "-c",
        f"{program}; from urisieve.cli import main; sys.exit(main(sys.argv[1:]))",
        *command,
    ]
    went_on = 0
    for _ in range(8):
        run = subprocess.Popen(starter, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.15 + chance.random() * 0.25)
        run.send_signal(chance.choice([signal.SIGKILL, signal.SIGINT]))
        run.communicate()
        went_on += state.exists()
        if output.exists() and not state.exists():
            break
    done = subprocess.run(starter, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert output.read_bytes() == expected
    assert not state.exists()


def test_a_checkpoint_is_of_one_command(tmp_path: Path) -> None:
    text, output, state = _text(tmp_path, 9_000), tmp_path / "output", tmp_path / "state"
    flags = ("--checkpoint", str(state), "-o", str(output))
    limit = _limited(100_000)
    failed = process("dedupe", *flags, str(text), preexec_fn=limit)
    assert failed.status == 2
    assert state.exists()
    done = call("dedupe", *flags, "--level", "syntax", str(text))
    assert done.status == 2
    for more in (("--encoding", "latin-1"), ("--safe", "no-query")):
        done = call("dedupe", *flags, *more, str(text))
        assert (done.status, "is the checkpoint of another command" in done.err) == (2, True)
    assert call("dedupe", *flags, str(text)).status == 0
    assert len(output.read_bytes().splitlines()) == 6_000


def test_a_checkpoint_within_a_store(tmp_path: Path) -> None:
    text, output, state, store = (tmp_path / name for name in ("text", "output", "state", "seen.db"))
    _text(tmp_path, 3_000)
    call("dedupe", "--store", str(store), stdin=b"http://example.com/0")
    flags = ("--checkpoint", str(state), "--store", str(store), "-o", str(output))
    assert process("dedupe", *flags, str(text), preexec_fn=_limited(60_000)).status == 2
    assert call("dedupe", *flags, str(text)).status == 0
    assert not state.exists()
    assert len(output.read_bytes().splitlines()) == 1_999


def _limited(size: int) -> Callable[[], None]:
    """A limit on the size of files, which is what a full disk looks like."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.sampled(3)
@pytest.mark.parametrize("size", [10_000, 100_000, 400_000])
def test_a_full_disk(tmp_path: Path, size: int) -> None:
    """It is reported, and the store holds what it held."""
    store = tmp_path / "seen.db"
    before = call("dedupe", "--store", str(store), stdin=b"http://a.example http://b.example").lines
    done = process("dedupe", "--quiet", "--store", str(store), str(_text(tmp_path, 90_000)), preexec_fn=_limited(size))
    assert done.status == 2
    assert "seen.db" in done.err
    assert "Traceback" not in done.err
    with Store(store) as kept:
        assert kept.faults() == []
        assert len(kept) == 2
        assert all(key in kept for key in before)
    again = process("dedupe", "--quiet", "--store", str(store), str(tmp_path / "text"))
    assert len(again.lines) == 60_000


@pytest.mark.parametrize("flags", [(), ("--format", "jsonl")])
def test_a_full_disk_under_what_is_spilled(tmp_path: Path, flags: tuple[str, ...]) -> None:
    text = _text(tmp_path, 200_000)
    temp = tmp_path / "temp"
    temp.mkdir()
    command = ("dedupe", "--quiet", *flags, "--memory-limit", "120MB", str(text))
    program = (
        "import sys, urisieve.cli.dedupe as d; d.budget = lambda limit: 1_000_000; "
        "from urisieve.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    starter = [sys.executable, "-c", program]
    done = subprocess.run(
        [*starter, *command],
        capture_output=True,
        check=False,
        preexec_fn=_limited(200_000),
        env={**os.environ, "TMPDIR": str(temp)},
    )
    assert done.returncode == 2
    assert b"the temporary store in" in done.stderr
    assert list(temp.iterdir()) == []


def test_a_second_process_is_told(tmp_path: Path) -> None:
    store = tmp_path / "seen.db"
    with Store(store):
        done = process("dedupe", "--store", str(store), stdin=b"http://a.example")
        assert (done.status, done.out) == (2, b"")
        assert done.err.startswith(f"urisieve: {store}: another process uses this store")
        assert process("store", "info", str(store)).status == 2


def test_output_that_nobody_reads_is_not_kept(tmp_path: Path) -> None:
    store, text = tmp_path / "seen.db", _text(tmp_path, 90_000)
    with start("dedupe", "--quiet", "--store", str(store), str(text)) as run:
        assert run.stdout is not None
        run.stdout.read(10)
        run.stdout.close()
        assert run.wait(PATIENCE) == 0
    with Store(store) as kept:
        assert len(kept) == 0


# Reads a store, then tries to add to it, by a user who is not root.
_READER = """
import os, sys, urllib.parse
from urisieve import Store, StoreError
with Store(os.path.join(sys.argv[2], "other")) as store:  # this loads every module while that user can read them
    store.add(["a:b"])
if os.getuid() == 0:
    os.setuid(65534)
with Store(sys.argv[1], read_only=True) as store:
    held = len(store)
try:
    with Store(sys.argv[1]) as store:
        store.add(["a:c"])
except StoreError as error:
    print(held, "read-only" in str(error))
"""


@pytest.mark.skipif(os.name != "posix", reason="users")
@pytest.mark.parametrize(("file", "around"), [(0o444, 0o555), (0o444, 0o777), (0o666, 0o555)])
def test_a_store_that_is_read_only(file: int, around: int, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seen.db"
        with Store(path) as store:
            store.add(["a:b"])
        path.chmod(file)
        Path(folder).chmod(around)
        command = [sys.executable, "-c", _READER, str(path), str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
        Path(folder).chmod(0o755)
        path.chmod(0o644)
        assert (done.stdout, done.stderr[-300:]) == ("1 True\n", "")
        with Store(path) as store:
            assert len(store) == 1


# Names that do not decode, and files of checkpoints that are not whole.


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["ck\udcff", "c\nk", "c\x1bk", "ck\N{SNOWMAN}", "ck'\"%", "c" * 200, "-", "\\udcff"])
@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("fields", [(), ("--input", "jsonl", "--field", "u")])
def test_files_of_any_name_go_on(
    name: str, beside: bool, fields: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # N5
    monkeypatch.chdir(tmp_path)
    source, output, checkpoint, store = (f"./{name}.{end}" for end in ("in", "out", "checkpoint", "store"))
    lines = b'{"u": "http://a.example/"}\n{"u": "http://b.example/"}\n'
    Path(source).write_bytes(lines)
    kept = ("--store", store) if beside else ()
    flags = ("dedupe", *kept, *fields, "--checkpoint", checkpoint, "-o", output)
    done = call(*flags, source)
    assert (done.status, done.out) == (0, b""), done.err
    assert len(Path(output).read_bytes().splitlines()) == 2
    assert not os.path.lexists(checkpoint)
    if beside:
        assert call("store", "verify", store).lines == ["2 keys, nothing wrong"]
        copied = call("store", "import", f"{store}2", stdin=call("store", "export", store).out)
        assert copied.lines == ["2 new"]
    with Checkpoint(checkpoint, store=store if beside else None, command="x", files=[source]) as begun:
        begun.note(5, 1, 2, "state", found=True)
        begun.store.commit()
    with Checkpoint(checkpoint, store=store if beside else None, command="x", files=[source]) as again:
        assert (again.size, again.parts, again.rows, again.state) == (5, 1, 2, "state")


@pytest.mark.parametrize("content", [b"", b"T", b"The state of this run", b"mine"])
def test_a_file_that_is_no_whole_checkpoint_is_refused(content: bytes, tmp_path: Path) -> None:  # N7
    text, path, output = tmp_path / "text", tmp_path / "c", tmp_path / "o"
    text.write_text("http://a.example/\n")
    for kept in (("--store", str(tmp_path / "s")), ()):
        path.write_bytes(content)
        done = call("dedupe", *kept, "--checkpoint", str(path), "-o", str(output), str(text))
        assert (done.status, done.err.count("\n")) == (2, 1), done.err
        assert "remove" in done.err or "is not a store of urisieve" in done.err
        assert (path.read_bytes(), output.exists()) == (content, False)


def test_a_checkpoint_whose_state_is_in_another_store_is_refused(tmp_path: Path) -> None:
    path, one, other = (str(tmp_path / name) for name in ("c", "one", "other"))
    with Checkpoint(path, store=one, command="x", files=[]) as begun:
        begun.note(5, 1)
        begun.store.commit()
    with pytest.raises(UsageError, match=f"its state is not in {other}"):
        Checkpoint(path, store=other, command="x", files=[])
    with Checkpoint(path, store=one, command="x", files=[]) as again:
        assert again.size == 5


@pytest.mark.parametrize("ended", ["note", "commit", "close"])
def test_a_run_that_ends_while_its_checkpoint_is_removed_can_be_run_again(ended: str, tmp_path: Path) -> None:
    path, store = str(tmp_path / "c"), str(tmp_path / "s")
    begun = Checkpoint(path, store=store, command="x", files=[])
    begun.store.unseen(["http://a.example/"])
    begun.note(5, 1)
    begun.store.commit()
    begun.is_done = True

    def killed(*_: object) -> None:
        if not os.path.exists(path):
            raise SystemExit(9)
        getattr(Store, ended)(begun.store)

    with mock.patch.object(begun.store, ended, killed), pytest.raises(SystemExit):
        begun.__exit__()
    begun.store.close()
    with Checkpoint(path, store=store, command="x", files=[]) as again:
        assert len(again.store) == 1
