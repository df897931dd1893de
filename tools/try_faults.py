"""Kill runs of the command at many moments, and check after each what is kept, what is left and how the next run ends.

    python tools/try_faults.py                          a thousand moments of all runs, some 40 minutes of one core
    python tools/try_faults.py --moments 50 --seed 7 store checkpoint

Two moments of five are drawn from the duration of the run; two are the entry of one of its system calls that change
files, so that each state between two calls is met; and in one of five such a call fails: the disk is full or broken.
The calls are those that `strace` injects into; without it all moments are drawn from the duration. With two workers the
call may be that of a worker, which then dies alone. Each moment has its own folder. What is checked:

- no process is left, nothing in /dev/shm, and no file that docs/reliability.md does not name;
- a store opens, has no fault, and what it holds stands in the output, in whole lines, or in its note of what was being
  written: a batch is kept with that note before its rows are, and the next run takes back those that are not there;
- an output that is complete or not there is one of both, or the file that stood there before;
- the same command then ends well, and its output is that of a run without a fault: to the byte, or with a store as
  sets: nothing is lost, and what had been written stays.

With `--signals` the runs are not killed but asked to end, by SIGTERM, SIGINT or SIGHUP; then no temporary file is left.

The exit status is 1 if one of it is not so; the seed and the moment are printed, and repeat it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from urisieve import Store, StoreError
from urisieve.dedupe.keyset import DIGEST_SIZE
from urisieve.dedupe.store.store_tables import PRINTING

COMMAND = (sys.executable, "-m", "urisieve")
# The calls that change files; others are not worth a moment of their own.
CALLS = ("write", "pwrite64", "fsync", "fdatasync", "ftruncate", "rename", "link", "unlink", "mkdir", "rmdir")
STRACE = ("strace", "-f", "-qq")  # with --seccomp-bpf no signal is injected
# What a failing call says: the disk is full, or broken.
ERRORS = {"write": "ENOSPC", "pwrite64": "ENOSPC", "ftruncate": "ENOSPC", "link": "ENOSPC", "mkdir": "ENOSPC"}
OLD = "old\n"
PATIENCE = 60.0
SIGNALS = {"TERM": signal.SIGTERM, "INT": signal.SIGINT, "HUP": signal.SIGHUP}
# Batches are small, so that there is much to be interrupted.
SMALL = """
import sys
import urisieve.data_sets.kept_rows, urisieve.dedupe.store.store_entries, urisieve.runs.run, urisieve.sinks.first_seen
urisieve.dedupe.store.store_entries._LARGE = 500
urisieve.sinks.first_seen._KEYS = urisieve.data_sets.kept_rows._BATCH = 800
from urisieve.cli import main
sys.exit(main())
"""
# As if --memory-limit were a megabyte, which it may not be.
LIMITED = f"""import urisieve.cli.count_commands, urisieve.cli.dedupe
urisieve.cli.count_commands.budget = urisieve.cli.dedupe.budget = lambda limit: 1_000_000{SMALL}"""


class Trial(NamedTuple):
    """A run to be interrupted: what it is, and what has to hold.

    Attributes:
        argv: its arguments; files are relative to the folder of the moment.
        whole: outputs that are complete or as they were.
        grown: the output that grows line by line.
        store: the store whose keys stand in `grown`.
        exact: whether the outputs of the interrupted and the next run are those of one run to the byte.
        follows: whether it goes on until a signal ends it.
        program: what runs it, if that is not the command as it is.
    """

    argv: tuple[str, ...]
    whole: tuple[str, ...] = ()
    grown: str = ""
    store: str = ""
    exact: bool = True
    follows: bool = False
    program: str = ""


TEXTS = ("../in/a.txt", "../in/b.txt", "../in/c.txt")
# `--format jsonl --urn-syntax rfc8141`: such records are made in Python, so that workers are processes, not threads.
TRIALS: dict[str, Trial] = {
    "store": Trial(
        ("dedupe", "--store", "s.db", "-o", "o", *TEXTS), grown="o", store="s.db", exact=False, program=SMALL,
    ),
    "store-jobs": Trial(
        ("dedupe", "--jobs", "2", "--store", "s.db", "-o", "o", *TEXTS),
        grown="o", store="s.db", exact=False, program=SMALL,
    ),
    "extract": Trial(("extract", "-o", "o", "--rejected", "r", *TEXTS), whole=("o", "r")),
    "extract-jobs": Trial(
        ("extract", "--jobs", "2", "-f", "jsonl", "--urn-syntax", "rfc8141", "-o", "o", "--rejected", "r", *TEXTS),
        whole=("o", "r"),
    ),
    "checkpoint": Trial(("dedupe", "--checkpoint", "c", "-o", "o", *TEXTS), grown="o", program=SMALL),
    "checkpoint-jobs": Trial(
        ("dedupe", "--jobs", "2", "--checkpoint", "c", "-f", "csv", "-o", "o", *TEXTS), grown="o", program=SMALL
    ),
    "checkpoint-store": Trial(
        ("dedupe", "--store", "s.db", "--checkpoint", "c", "-o", "o", *TEXTS), grown="o", store="s.db", program=SMALL
    ),
    "rows": Trial(
        ("dedupe", "--input", "csv", "--field", "url", "--checkpoint", "c", "-o", "o", "../in/a.csv", "../in/b.csv"),
        grown="o", program=SMALL,
    ),
    "rows-store": Trial(
        ("dedupe", "--input", "csv", "--field", "url", "--store", "s.db", "-o", "o", "../in/a.csv", "../in/b.csv"),
        grown="o", exact=False, program=SMALL,
    ),
    "rows-last": Trial(
        ("dedupe", "--input", "csv", "--field", "url", "--keep", "last", "-o", "o", "../in/a.csv"), whole=("o",)
    ),
    "parquet": Trial(("dedupe", "--input", "parquet", "--field", "url", "-o", "o", "../in/a.parquet"), whole=("o",)),
    "counts": Trial(("count", "-o", "o", *TEXTS), whole=("o",)),
    "counts-disk": Trial(("count", "-o", "o", "../in/long.txt"), whole=("o",), program=LIMITED),
    "keys-disk": Trial(("dedupe", "-o", "o", "../in/long.txt"), whole=("o",), program=LIMITED),
    "follow": Trial(("extract", "--follow", *TEXTS), grown="out", follows=True),
    "report": Trial(("report", "-o", "o", *TEXTS), whole=("o",)),
    "merge": Trial(("store", "merge", "s.db", "../in/x.db"), store="s.db"),
}  # fmt: skip


def make_inputs(folder: Path) -> None:
    """Write the inputs that all moments share."""
    folder.mkdir()
    for number, name in enumerate("abc"):
        links = [f"http://example.com/{n * (number + 1) % 5_000}" for n in range(3_000)]
        text = [f"see {link} and http://a.example/100%zz{n % 99} there\n" for n, link in enumerate(links)]
        (folder / f"{name}.txt").write_text("".join(text))
        (folder / f"{name}.csv").write_text("id,url\n" + "".join(f"{n},{link}\n" for n, link in enumerate(links)))
    (folder / "long.txt").write_text("".join(f"http://example.com/{n}\n" for n in range(60_000)))
    for name, numbers in (("s", range(2_000)), ("x", range(1_000, 4_000))):
        with Store(folder / f"{name}.db", secret=bytes(32)) as store:
            store.add([f"http://example.com/{n}" for n in numbers], now=1)
    try:
        import pyarrow.csv
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.csv.read_csv(folder / "a.csv"), folder / "a.parquet")
    except ImportError:
        del TRIALS["parquet"]
    if not find_spec("duckdb"):
        del TRIALS["counts-disk"]


class Moments:
    """The moments of one trial, each in a folder of its own beside that of the inputs."""

    def __init__(self, name: str, base: Path, *, is_asked: bool) -> None:
        self.name, self.trial, self._base, self.is_asked = name, TRIALS[name], base, is_asked
        self.counted: Counter[str] = Counter()
        started = time.monotonic()
        self._made = self._fresh("one")
        assert self._run(self._made) == 0, name
        self.duration = time.monotonic() - started
        self.files = self._files(self._made)
        self.calls = list(self._calls()) if shutil.which("strace") else []

    def _fresh(self, name: str) -> Path:
        folder = self._base / name
        (folder / "temp").mkdir(parents=True)
        for path in self.trial.whole:
            (folder / path).write_text(OLD)
        if self.name == "merge":
            shutil.copy(self._base / "in" / "s.db", folder / "s.db")
        return folder

    def _start(self, folder: Path, wrapper: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
        program = (sys.executable, "-c", self.trial.program) if self.trial.program else COMMAND
        with (folder / "out").open("ab") as out, (folder / "err").open("ab") as err:
            return subprocess.Popen(
                [*wrapper, *program, *self.trial.argv, *(() if self.name == "merge" else ("--quiet",))],
                cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                env={**os.environ, "TMPDIR": str(folder / "temp")},
            )  # fmt: skip

    def _run(self, folder: Path, wrapper: tuple[str, ...] = ()) -> int:
        """Run to the end; one that follows is stopped when it has written all."""
        run = self._start(folder, wrapper)
        if self.trial.follows:
            end, size = time.monotonic() + PATIENCE, -1
            while run.poll() is None and time.monotonic() < end:
                last, size = size, (folder / "out").stat().st_size
                if size and size == last:
                    os.killpg(run.pid, signal.SIGTERM)
                time.sleep(0.3)
        return run.wait(PATIENCE)

    def _calls(self) -> Iterator[tuple[str, int]]:
        """Each call that changes files, with its number among those of its name in one process or thread."""
        folder = self._fresh("calls")
        log = folder / "temp" / "log"
        self._run(folder, (*STRACE, "-o", str(log), "-e", f"trace={','.join(CALLS)}", "-e", "signal=none"))
        seen: Counter[tuple[str, str]] = Counter()
        for line in log.read_text(errors="replace").splitlines():
            process, call = line.split("(", 1)[0].split()[:2]
            if call in CALLS:
                seen[process, call] += 1
                yield call, seen[process, call]

    def _files(self, folder: Path) -> dict[str, bytes]:
        """What a run leaves, without what is said."""
        left = [path for path in folder.rglob("*") if path.is_file() and path.name != "err"]
        return {str(path.relative_to(folder)): path.read_bytes() for path in left if path.suffix != ".db"}

    def interrupt(self, number: int, chance: random.Random) -> list[str]:
        """Interrupt a run and let the same command run again; return what is wrong."""
        folder = self._fresh(f"{self.name}-{number}")
        kind = chance.choice(("time", "time", "call", "call", "error") if self.calls else ("time",))
        name = chance.choice(list(SIGNALS)) if self.is_asked else "KILL"
        if kind != "time":
            call, index = chance.choice(self.calls)
            kind = "call" if call == "unlink" else kind  # a file that cannot be removed is left
            error = ERRORS.get(call, "EIO")
            moment = f"{call} {index} {error if kind == 'error' else name}"
            what = f"error={error}" if kind == "error" else f"signal={name}"
            inject = ("-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:{what}:when={index}")
            status = self._run(folder, (*STRACE, *inject))
        else:
            seconds = chance.random() * self.duration * 1.05
            moment = f"{name} after {seconds:.4f} of {self.duration:.4f} s"
            run = self._start(folder)
            time.sleep(seconds)
            os.kill(run.pid, getattr(signal, f"SIG{name}"))
            status = run.wait(PATIENCE)
            if left := living(run.pid):
                return [f"{moment}: processes are left: {left}"]
        self.counted[f"{kind}: {'ended well' if status == 0 else f'status {status}'}"] += 1
        try:
            wrong = [*self._after(folder, status), *self._again(folder)]
        except StoreError as error:
            wrong = [str(error)]
        if not wrong:
            shutil.rmtree(folder)
        return [f"{moment} (status {status}): {text}" for text in wrong]

    def _after(self, folder: Path, status: int) -> Iterator[str]:
        """What is wrong after the fault."""
        trial, said = self.trial, (folder / "err").read_text()
        statuses = [128 + number for number in SIGNALS.values()] if self.is_asked else [-signal.SIGKILL]
        is_early = self.is_asked and status in [-number for number in SIGNALS.values()]  # Python was being started
        if not is_early and (status not in (0, 2, *statuses) or "Traceback" in said):
            yield f"it ended with {status}: {said[-900:]}"
        for path in trial.whole:
            if (folder / path).read_bytes() not in (OLD.encode(), self.files[path]):
                yield f"{path} is neither old nor complete"
        if trial.grown and (folder / trial.grown).exists():
            content, expected = (folder / trial.grown).read_bytes(), self.files[trial.grown]
            *lines, rest = content.split(b"\n")
            if not set(lines) <= set(expected.split(b"\n")) or not any(
                line.startswith(rest) for line in expected.split(b"\n")
            ):
                yield f"{trial.grown} holds what no run writes"
            self.counted["half a line"] += bool(rest)
        if trial.store and (folder / trial.store).exists():
            before = (folder / trial.grown).read_text() if (folder / (trial.grown or "?")).exists() else ""
            with Store(folder / trial.store) as store:
                yield from store.faults()
                held = len(store)
                if trial.grown:
                    written = sum(line in store for line in set(before.split("\n")[:-1]))
                    noted = json.loads(store.noted(PRINTING) or '{"keys": ""}')["keys"]
                    waiting = len(b64decode(noted)) // DIGEST_SIZE
                    self.counted["keys noted before their rows"] += held > written
                    if not 0 <= held - written <= waiting:
                        yield f"the store holds {held} keys, of which {written} were written, and {waiting} are noted"
                elif held not in (2_000, 4_000):
                    yield f"the store holds {held} keys, neither those before nor those after"
        yield from self._left(folder, "after the fault")

    def _again(self, folder: Path) -> Iterator[str]:
        """What is wrong when the same command has run again."""
        trial = self.trial
        before = (folder / trial.grown).read_bytes() if trial.grown and (folder / trial.grown).exists() else b""
        (folder / "err").unlink(missing_ok=True)
        if trial.follows:
            (folder / "out").unlink(missing_ok=True)
        if (status := self._run(folder)) != 0:
            yield f"the next run ended with {status}: {(folder / 'err').read_text()[-900:]}"
            return
        if trial.exact:
            found = self._files(folder)
            for path in self.files:
                if path != "temp" and found.get(path) != self.files[path] and self.name != "merge":
                    yield f"{path} is not that of one run"
        elif trial.grown:
            content = (folder / trial.grown).read_bytes()
            lines, expected = content.split(b"\n"), set(self.files[trial.grown].split(b"\n"))
            half = before.rpartition(b"\n")[2]
            if not content.startswith(before) or not expected <= set(lines) <= expected | {half}:
                yield f"{trial.grown} with what had been written is not that of one run"
            self.counted["lines written twice"] += len(lines) - len(set(lines))
        if trial.store:
            with Store(folder / trial.store) as store, Store(self._made / trial.store) as other:
                yield from store.faults()
                if {one.digest for one in store.entries()} != {one.digest for one in other.entries()}:
                    yield "the store has not the keys of one run"
        if (folder / "c").exists():
            yield "the checkpoint was not removed"
        yield from self._left(folder, "after the next run")

    def _left(self, folder: Path, when: str) -> Iterator[str]:
        named = {"temp", "out", "err", "o", "r", "c", *(f"{store}{end}" for store in ("s.db", "c")
                 for end in ("", "-wal", "-shm", "-journal"))}  # fmt: skip
        for path in os.listdir(folder):
            if path.startswith(".urisieve-") and ".tmp" in path and not self.is_asked:
                self.counted[f"temporary files {when}"] += 1
            elif path not in named:
                yield f"{path} is left {when}"
        left = [path for path in os.listdir(folder / "temp") if path != "log"]
        ours = [path for path in left if path.startswith("urisieve-") and self.trial.program == LIMITED]
        tried = [path for path in left if re.fullmatch("[a-z0-9_]{8}", path)]  # Python tries whether it can write there
        if left and not self.is_asked and len(left) == len(ours) + len(tried):
            self.counted[f"in the temporary folder {when}"] += len(left)
        elif left:
            yield f"the temporary folder holds {left} {when}"


def living(session: int) -> list[int]:
    """The processes of a session that do not end within some seconds."""
    end = time.monotonic() + PATIENCE
    while True:
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                state, _, _, own = path.read_text().rpartition(")")[2].split()[:4]
            except OSError:
                continue
            if int(own) == session and state not in "ZX":
                found.append(int(path.parent.name))
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.01)


def shared_memory() -> set[str]:
    """The names in shared memory that could be ours."""
    return {name for name in os.listdir("/dev/shm") if name.startswith(("psm_", "sem.mp-", "urisieve"))}


def main(argv: list[str] | None = None) -> int:
    """Run the trials and print what was counted; return 1 if something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trials", nargs="*", metavar="TRIAL", help=f"of {', '.join(TRIALS)}; all by default")
    parser.add_argument("--moments", type=int, default=1_000, help="how many, of all trials together")
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--signals", action="store_true", help="ask the runs to end, by SIGTERM, SIGINT or SIGHUP")
    asked = parser.parse_args(argv)
    started, wrong, counted = time.monotonic(), 0, Counter[str]()
    print(f"seed {asked.seed}, {asked.moments} moments, {'with' if shutil.which('strace') else 'without'} strace")
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        base = Path(name)
        make_inputs(base / "in")
        shared = shared_memory()
        names = asked.trials or list(TRIALS)
        for place, trial in enumerate(names):
            chance = random.Random(f"{asked.seed} {trial}")
            folder = base / trial
            folder.mkdir()
            (folder / "in").symlink_to(base / "in")
            moments = Moments(trial, folder, is_asked=asked.signals)
            number = asked.moments // len(names) + (place < asked.moments % len(names))
            for moment in range(number):
                for text in moments.interrupt(moment, chance):
                    wrong += 1
                    print(f"{trial}, moment {moment}: {text}", flush=True)
            print(f"{trial}: {number} moments of {moments.duration:.2f} s and {len(moments.calls)} calls: "
                  f"{json.dumps(dict(sorted(moments.counted.items())))}", flush=True)  # fmt: skip
            counted += moments.counted
        if left := shared_memory() - shared:
            wrong += 1
            print(f"shared memory is left: {left}")
    print(f"{json.dumps(dict(sorted(counted.items())))}\n{wrong} faults in {time.monotonic() - started:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
