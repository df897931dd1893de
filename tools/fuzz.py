"""Fuzz urisieve by coverage: each target from its seeds, for some seconds.

    python tools/fuzz.py --seconds 30                       all targets
    python tools/fuzz.py --seconds 600 --jobs 2 mail html   these, two at a time
    python tools/fuzz.py kernel-native                      those of the kernel alone, in C
    python tools/fuzz.py in-python                          the others
    python tools/fuzz.py --input crash-1234 mail            one input again

Targets of `tests/fuzzing/fuzz_targets.py` need the extra `fuzz` (atheris), those in C (`tests/kernel_fuzzing/`) a
clang with libFuzzer and sanitizers. Where one of them is missing, a line says so, and the others run; it is an error
only if a target that was named needs it. Prints a line for each target: executions, inputs kept for new coverage,
findings. An input that breaks a promise is printed, to become a row of `tests/fuzzing/test_fuzz_targets.py`; the
fuzzing of its target ends with it. Returns 1 if there is one.

The seed of the random choices is another one in each run, so that each run sees something new, and is printed. CI gives
a fixed one and a number of executions, so that a change fails by what it changes, not by luck.

libFuzzer runs all inputs that a target begins with before it looks at the clock, which can take minutes where other
programs use the processors. So a target is stopped when it takes several times its seconds; with `--within`, when its
share of that time is over. A line says what was stopped, and a line every half minute what runs. A slow machine means
fewer executions, never a failure: that an input takes long is a finding by the time of the processor, not by the clock.

With `--corpus`, inputs are kept there from run to run, and a line about each target is added to its `runs.tsv`;
`--sums` adds them up, as a table for `docs/reliability.md`.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stderr
from importlib.util import find_spec
from io import StringIO
from multiprocessing.context import ForkProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import kernel_fuzzing

ROOT = Path(__file__).resolve().parent.parent
WORDS = ROOT / "tests" / "kernel_fuzzing" / "words.dict"
NATIVE, IN_PYTHON = "kernel-native", "in-python"
# Seconds for one input that are a finding: of the processor for the targets in Python, by the clock for those in C,
# which take thousandths of a second; and MB of memory.
SLOWEST = 10
SLOWEST_NATIVE = 60
MOST_MEMORY = 1_024
# The longest input, in bytes: more would be slow, and shows nothing more.
LONGEST = 8_192
# A target is stopped when it takes so many times its seconds, and so many more.
PATIENCE, SLACK = 4, 60
# How long it has to end when it is stopped, and after how many seconds without a line one says what runs.
END, QUIET = 5, 30


class Work(NamedTuple):
    """How targets are fuzzed."""

    seconds: int
    runs: int
    seed: int
    seeds: int
    corpus: Path | None
    native: Path | None
    ends: float


class Outcome(NamedTuple):
    """What fuzzing one target gave."""

    target: str
    runs: int
    kept: int
    findings: list[bytes]
    log: str
    seconds: float
    stopped: bool = False
    failed: bool = False

    def __str__(self) -> str:
        return (
            f"{self.target:<14}{self.runs:>12,} executions {self.kept:>7,} inputs kept {len(self.findings):>4} findings"
            f" {self.seconds:>7.0f} s{', stopped: it took too long' if self.stopped else ''}"
        )


def main(argv: list[str]) -> int:
    """Fuzz, and return the status of the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=30, help="for each target (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=-1, help="at most so many executions of each target")
    parser.add_argument("--within", type=float, default=float("inf"), help="all of it, in so many seconds")
    parser.add_argument("--seed", type=int, help="of the random choices (default: another one in each run)")
    parser.add_argument("--seeds", type=int, default=sys.maxsize, help="begin with so many inputs of each target")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time (default: %(default)s)")
    parser.add_argument("--corpus", type=Path, help="a folder where inputs are kept from run to run, one for a target")
    parser.add_argument("--input", type=Path, help="run the target on this file, and nothing else")
    parser.add_argument("--sums", action="store_true", help="print the sums of all runs with the corpus, and end")
    given = parser.parse_args(argv)
    ends = time.monotonic() + given.within
    if given.sums:
        if given.corpus is None:
            parser.error("--sums adds up the runs of a folder: name it with --corpus")
        print("\n".join(_sums(given.corpus)))
        return 0
    if os.environ.get("PYTHONHASHSEED") != "0":  # else the seed would not say all
        # In this process, so that a signal that ends it leaves none behind.
        os.execve(sys.executable, [sys.executable, __file__, *argv], {**os.environ, "PYTHONHASHSEED": "0"})
    seed = random.randrange(1, 1 << 31) if given.seed is None else given.seed
    if given.input is None:
        print(f"seed {seed}", flush=True)
    sys.path.insert(0, str(ROOT))
    _import_targets()
    from tests.fuzzing.fuzz_targets import TARGETS

    known = [*TARGETS, *kernel_fuzzing.TARGETS]
    groups = {NATIVE: [*kernel_fuzzing.TARGETS], IN_PYTHON: [*TARGETS]}
    named = [one for name in given.targets for one in groups.get(name, [name])]
    unknown = [name for name in named if name not in known]
    if unknown:
        parser.error(f"there is no target {unknown[0]!r}; use some of {', '.join([*known, *groups])}")
    with TemporaryDirectory(prefix="urisieve-kernel-") as folder:
        chosen, native = _runnable(named or known, Path(folder), needed=bool(named))
        if given.input is not None:
            return max([_run_once(name, given.input, native) for name in chosen], default=0)
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # what runs is ended, too
        return _fuzz_all(
            chosen, Work(given.seconds, given.runs, seed, given.seeds, given.corpus, native, ends), jobs=given.jobs
        )


def _runnable(names: list[str], folder: Path, *, needed: bool) -> tuple[list[str], Path | None]:
    """Return the targets that can run here, and the program of those in C; say which cannot.

    Args:
        names: the targets.
        folder: where the program is built.
        needed: whether it is an error if one of them cannot run.
    """
    native = [name for name in names if name in kernel_fuzzing.TARGETS]
    others = [name for name in names if name not in native]
    missing = []
    program = None
    if native:
        clang = kernel_fuzzing.compiler(folder)
        if clang is not None:
            program = kernel_fuzzing.build(clang, folder)
        else:
            missing.append(f"{', '.join(native)}: there is no clang with libFuzzer (Debian: clang and libclang-rt-dev)")
            native = []
    if others and find_spec("atheris") is None:
        missing.append(f"{', '.join(others)}: atheris is not installed, for which there is the extra `fuzz`")
        others = []
    for message in missing:
        print(f"not fuzzed: {message}", flush=True)
    if missing and needed:
        sys.exit(2)
    return [name for name in names if name in native or name in others], program


def _run_once(target: str, path: Path, native: Path | None) -> int:
    """Run a target on one input; returns the status."""
    if target in kernel_fuzzing.TARGETS:
        return subprocess.run([str(native), str(path)], env=_environment(target), check=False).returncode
    from tests.fuzzing.fuzz_targets import TARGETS

    TARGETS[target](path.read_bytes())
    return 0


def _environment(target: str) -> dict[str, str]:
    """The variables with which a target in C is fuzzed."""
    return {**os.environ, "URISIEVE_FUZZ": target.removeprefix("native-")}


def _fuzz_all(targets: list[str], work: Work, *, jobs: int) -> int:
    """Fuzz the targets, print what comes of it, and return the status."""
    outcomes: list[Outcome] = []
    waiting, running = list(targets), list[Fuzzed]()
    said = time.monotonic()
    with TemporaryDirectory(prefix="urisieve-fuzz-") as folder:
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    share = (work.ends - END - time.monotonic()) * jobs / (len(waiting) + len(running))
                    name = waiting.pop(0)
                    running.append(Fuzzed(name, work, Path(folder) / name, max(1, share)))
                time.sleep(0.05)
                for one in [one for one in running if one.is_done()]:
                    running.remove(one)
                    outcomes.append(one.outcome())
                    _tell(outcomes[-1], work.corpus)
                    said = time.monotonic()
                if time.monotonic() - said >= QUIET:
                    print("; ".join(map(str, running)), flush=True)
                    said = time.monotonic()
        finally:
            for one in running:
                one.end()
    findings = [data for outcome in outcomes for data in outcome.findings]
    runs, kept = sum(one.runs for one in outcomes), sum(one.kept for one in outcomes)
    print(Outcome("all", runs, kept, findings, "", sum(one.seconds for one in outcomes)))
    stopped = [one.target for one in outcomes if one.stopped]
    if stopped:
        print(f"the machine is slow: {len(stopped)} targets were stopped early, with fewer executions")
    return int(any(outcome.findings or outcome.failed for outcome in outcomes))


def _tell(outcome: Outcome, corpus: Path | None) -> None:
    """Print what came of a target, and note it beside the inputs that are kept."""
    print(outcome, flush=True)
    for data in outcome.findings:
        print(f'    ("{outcome.target}", {data!r}),')
    if outcome.findings or outcome.failed:
        told = [line for line in outcome.log.splitlines() if not line.startswith("#")]
        print("\n".join(f"        {line}" for line in told[-40:]), flush=True)
    if corpus is not None:
        row = (outcome.target, outcome.runs, outcome.kept, len(outcome.findings), round(outcome.seconds))
        with (corpus / "runs.tsv").open("a") as file:
            file.write("\t".join(map(str, row)) + "\n")


def _seeds(target: str) -> list[bytes]:
    """Return the inputs that a target begins with."""
    from tests.fuzzing.fuzz_targets import SEEDS

    if target in kernel_fuzzing.TARGETS:
        return [data for name, data in kernel_fuzzing.seeds(SEEDS) if name == target]
    return SEEDS[target]


class Fuzzed:
    """A target that is being fuzzed, in a process of its own.

    Args:
        target: its name.
        work: how it is fuzzed.
        folder: where its seeds, its findings and its log are.
        share: after so many seconds it is stopped, or earlier.
    """

    def __init__(self, target: str, work: Work, folder: Path, share: float) -> None:
        self._target = target
        self._limit = min(share, work.seconds * PATIENCE + SLACK)
        self._stopped = False
        self._kept = folder / "kept" if work.corpus is None else work.corpus / target
        self._found = folder / "found"
        self._log = folder / "log"
        given = folder / "seeds"
        for path in (self._kept, given, self._found):
            path.mkdir(parents=True, exist_ok=True)
        seeds = _seeds(target)
        for number, data in enumerate(seeds[:: -(-len(seeds) // work.seeds)]):
            (given / str(number)).write_bytes(data)
        is_native = target in kernel_fuzzing.TARGETS
        arguments = [
            *(f"-max_total_time={work.seconds}", f"-runs={work.runs}", f"-seed={work.seed}"),
            *(f"-timeout={SLOWEST_NATIVE if is_native else PATIENCE * SLOWEST_NATIVE}", f"-rss_limit_mb={MOST_MEMORY}"),
            *(f"-max_len={LONGEST}", "-print_final_stats=1", "-verbosity=1"),
            *(f"-dict={WORDS}", f"-artifact_prefix={self._found}{os.sep}", str(self._kept), str(given)),
        ]
        self._start = time.monotonic()
        self._seconds = 0.0
        self._process: subprocess.Popen[bytes] | ForkProcess
        if is_native:
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    [str(work.native), *arguments], stdout=log, stderr=subprocess.STDOUT, env=_environment(target)
                )
        else:
            self._process = ForkProcess(target=_fuzz, args=(target, arguments, self._log, self._found))
            self._process.start()

    def __str__(self) -> str:
        seconds = time.monotonic() - self._start
        return f"{self._target}: {self._runs(self._text()):,} executions in {seconds:.0f} s"

    def is_done(self) -> bool:
        """Report whether it has ended; stop it if it has taken too long."""
        self._seconds = time.monotonic() - self._start
        if self._is_ended():
            return True
        if self._seconds >= self._limit + (END if self._stopped else 0):
            if self._stopped:
                self._process.kill()
            elif self._process.pid is not None:
                os.kill(self._process.pid, signal.SIGINT)  # then libFuzzer counts, and ends
            self._limit += END if self._stopped else 0
            self._stopped = True
        return False

    def _is_ended(self) -> bool:
        process = self._process
        return process.poll() is not None if isinstance(process, subprocess.Popen) else not process.is_alive()

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        if isinstance(self._process, subprocess.Popen):
            self._process.wait()
        else:
            self._process.join()

    def _text(self) -> str:
        return self._log.read_bytes().decode("utf-8", "replace") if self._log.exists() else ""

    @staticmethod
    def _runs(log: str) -> int:
        runs = re.findall(r"stat::number_of_executed_units:\s*(\d+)", log) or re.findall(r"#(\d+)\s", log) or ["0"]
        return int(runs[-1])

    def outcome(self) -> Outcome:
        """Return what came of it."""
        process = self._process
        status = process.returncode if isinstance(process, subprocess.Popen) else process.exitcode
        log = self._text()
        found = [path for path in self._found.iterdir() if not path.name.startswith("slow-unit")]
        findings = sorted({path.read_bytes() for path in found})
        runs = self._runs(log)
        failed = not self._stopped and not findings and (bool(status) or runs == 0)  # it could not run
        kept = len(list(self._kept.iterdir()))
        return Outcome(self._target, 0 if failed else runs, kept, findings, log, self._seconds, self._stopped, failed)


def _import_targets() -> None:
    """Import the targets; the branches of the package are counted where atheris is installed."""
    if find_spec("atheris") is not None:
        import atheris

        with redirect_stderr(StringIO()), atheris.instrument_imports(include=list(_instrumented())):
            from tests.fuzzing import fuzz_targets
    else:
        from tests.fuzzing import fuzz_targets
    assert fuzz_targets.TARGETS


class TooSlow(BaseException):
    """An input takes long; nothing that reads it takes this for an error of its own."""


def _fuzz(target: str, arguments: list[str], log: Path, found: Path) -> None:
    """Fuzz a target in this process, which ends with it.

    Args:
        target: its name.
        arguments: those of libFuzzer.
        log: the file for all that is printed.
        found: the folder for inputs that break a promise; libFuzzer itself keeps none of the seeds there.
    """
    import warnings

    import atheris

    from tests.fuzzing.fuzz_targets import TARGETS

    with log.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    warnings.simplefilter("ignore")
    run = TARGETS[target]

    def too_slow(number: int, frame: object) -> None:
        raise TooSlow(f"more than {SLOWEST} s of the processor")

    def tried(data: bytes) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, SLOWEST)
        try:
            run(data)
        except KeyboardInterrupt:
            raise
        except BaseException:
            (found / "exception").write_bytes(data)
            raise

    for number in (signal.SIGINT, signal.SIGTERM):  # those of libFuzzer, or none
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGVTALRM, too_slow)

    atheris.Setup([sys.argv[0], *arguments], tried)
    atheris.Fuzz()


def _instrumented() -> Iterator[str]:
    """Yield the modules whose branches are counted: those of the package, loaded late or not."""
    yield "urisieve"
    for path in (ROOT / "src" / "urisieve").rglob("*.py"):
        yield ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)


def _sums(corpus: Path) -> Iterator[str]:
    """Yield the lines of a table of all runs with a corpus."""
    sums: dict[str, list[int]] = {}
    for line in (corpus / "runs.tsv").read_text().splitlines():
        target, *numbers = line.split("\t")
        runs, kept, findings, seconds = map(int, numbers)
        before = sums.get(target, [0, 0, 0, 0])
        sums[target] = [before[0] + runs, kept, before[2] + findings, before[3] + seconds]
    yield "| Target | Executions | Minutes | Inputs kept | Findings |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    sums["all"] = [sum(row[column] for row in sums.values()) for column in range(4)]
    for target, (runs, kept, findings, seconds) in sums.items():
        yield f"| {target} | {runs:,} | {seconds / 60:,.0f} | {kept:,} | {findings} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
