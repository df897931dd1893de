"""A store and the file that is added to agree, whenever the process is killed: by events, each of them once.

The process kills itself before and after each commit, each write to the output, and in the middle of one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli_support import call

# Runs a command once for each event, up to a run that meets no more, and then to its end; prints what there was.
KILLED = """
import json, os, signal, sys
from urisieve.cli import main
from urisieve.data_sets import kept_rows
from urisieve.dedupe.key_store import Store
from urisieve.sinks import first_seen
from urisieve.sinks.byte_output import Output

folder, command = sys.argv[1], sys.argv[2:]
first_seen._KEYS = first_seen._LEAST_KEYS = 2
kept_rows._FIRST_BATCH = 2
commit, pass_on, opened = Store.commit, Output._pass_on, Store.__init__


def opened_quickly(store, *given, **more):
    opened(store, *given, **more)
    store._connection.execute("PRAGMA synchronous = OFF")  # a process is killed here, not the machine


Store.__init__, os.fsync = opened_quickly, bool


def killed_at(number):
    left = number

    def event():
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def commit_with_events(store):
        event()
        commit(store)
        event()

    def pass_on_with_events(output, data):
        event()
        at = len(data) // 2
        pass_on(output, data[:at])
        event()
        pass_on(output, data[at:])
        event()

    Store.commit, Output._pass_on = commit_with_events, pass_on_with_events


def run(number, argv):
    child = os.fork()
    if not child:
        if number is not None:
            killed_at(number)
        try:
            status = main(argv)
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def content(name):
    return open(name).read() if os.path.exists(name) else ""


number, found = 0, []
while True:
    os.makedirs(f"{folder}/{number}")
    os.chdir(f"{folder}/{number}")
    status = run(number, command)
    killed = content("out")
    if status < 0 and number % 2:  # killed again, while it looks at what there is
        run(number % 3, command)
    found.append((status, killed, run(None, command), content("out"), run(None, command), content("out")))
    if status >= 0:
        break
    number += 1
print(json.dumps(found))
"""


def _found(folder: Path, *command: str) -> list[Any]:
    argv = [sys.executable, "-c", KILLED, str(folder), *command]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


LINKS = ["http://a.example/1", "http://a.example/2", "http://b.example/", "http://c.example/?x=1"]
FILES = [LINKS[:2], [LINKS[1], LINKS[2]], [LINKS[0], LINKS[3]]]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("ended", [True, False], ids=["ended", "open"])
@pytest.mark.parametrize(("kind", "form"), [("found", "text"), ("found", "csv"), ("rows", "jsonl"), ("rows", "csv")])
def test_no_row_is_lost_and_none_comes_twice(kind: str, form: str, ended: bool, tmp_path: Path) -> None:
    command = ["dedupe", "--quiet", "--store", "seen.db", "-o", "out"]
    names = []
    for number, links in enumerate(FILES):
        name = f"in{number}"
        names.append(f"../{name}")
        data = "".join(f"{link}\n" for link in links)
        if kind == "rows":
            data = "".join(json.dumps({"n": number, "url": link}) + "\n" for link in links)
            if form == "csv":
                data = "url,n\n" + "".join(f'{link},"{number}\n"\n' for link in links)
        (tmp_path / name).write_text(data if ended else data.removesuffix("\n"))
    more = {"found": ("--format", form), "rows": ("--input", form, "--field", "url")}
    command += more[kind]
    found = _found(tmp_path, *command, *names)
    assert len(found) > 9
    *_, last = found
    for status, killed, done, after, again, at_end in found:
        assert (done, again) == (0, 0)
        assert after == at_end == last[3]
        assert status in (0, -9)
        if form != "csv":  # whole rows that were written stay
            assert after.startswith(killed[: killed.rfind("\n") + 1])
    assert all(sum(link in line for line in last[3].splitlines()) == 1 for link in LINKS)


@pytest.fixture
def killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a store and an output of which a run has written a part of the rows."""
    monkeypatch.chdir(tmp_path)
    Path("in").write_text("".join(f"{link}\n" for link in LINKS))
    with monkeypatch.context() as patched:

        def cut(output: Any, data: bytes) -> None:
            os.write(output._descriptor, data[: len(data) // 2])
            raise KeyboardInterrupt

        patched.setattr("urisieve.sinks.byte_output.Output._pass_on", cut)
        call("dedupe", "--quiet", "--store", "seen.db", "-o", "out", "in")
    assert 0 < Path("out").stat().st_size < Path("in").stat().st_size
    return tmp_path


@pytest.mark.parametrize("more", [(), ("--checkpoint", "state")], ids=["store", "checkpoint"])
def test_the_rest_comes_with_the_next_run(killed: Path, more: tuple[str, ...]) -> None:
    assert call("dedupe", "--quiet", "--store", "seen.db", *more, "-o", "out", "in").status == 0
    assert Path("out").read_text().split() == LINKS


@pytest.mark.parametrize(
    "argv",
    [
        ("extract", "--unknown", "seen.db", "in"),
        ("store", "export", "seen.db"),
        ("store", "merge", "all.db", "seen.db"),
    ],
    ids=" ".join,
)
def test_what_is_not_settled_is_not_taken_for_written(killed: Path, argv: tuple[str, ...]) -> None:
    assert call("dedupe", "--quiet", "--store", "all.db", stdin=b"http://a.example/").status == 0
    found = call(*argv)
    assert (found.status, [line for line in found.lines if "example" in line]) == (2, [])
    assert "has left open which of its rows were written" in found.err


def test_a_file_that_cannot_be_cut_is_an_error(killed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_arguments: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.truncate", refused)
    found = call("dedupe", "--quiet", "--store", "seen.db", "-o", "out", "in")
    assert (found.status, "out: Operation not permitted; its last row is not whole" in found.err) == (2, True)
