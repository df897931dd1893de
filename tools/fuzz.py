"""Fuzz urisieve by coverage: each target from its seeds, for some seconds.

    python tools/fuzz.py --seconds 30                       all targets
    python tools/fuzz.py --seconds 600 --jobs 2 mail html   these, two at a time
    python tools/fuzz.py kernel-native                      those of the kernel alone, in C
    python tools/fuzz.py --input crash-1234 mail            one input again

Targets of `tests/fuzz_targets.py` need the extra `fuzz` (atheris), those in C (`tests/kernel_fuzzing/`) a clang with
libFuzzer and sanitizers. Where one of them is missing, a line says so, and the others run; it is an error only if a
target that was named needs it. Prints a line for each target: executions, inputs kept for new coverage, findings. An
input that breaks a promise is printed, to become a row of `tests/test_fuzz_targets.py`; the fuzzing of its target ends
with it. Returns 1 if there is one.

The seed of the random choices is another one in each run, so that each run sees something new, and is printed. CI gives
a fixed one and a number of executions, so that a change fails by what it changes, not by luck.

With `--corpus`, inputs are kept there from run to run, and a line about each target is added to its `runs.tsv`;
`--sums` adds them up, as a table for `docs/reliability.md`.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import kernel_fuzzing

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
WORDS = TESTS / "kernel_fuzzing" / "words.dict"
NATIVE = "kernel-native"
# Seconds for one input, and MB of memory, that are a finding.
SLOWEST = 10
MOST_MEMORY = 1_024
# The longest input, in bytes: more would be slow, and shows nothing more.
LONGEST = 8_192


class Work(NamedTuple):
    """How targets are fuzzed."""

    seconds: int
    runs: int
    seed: int
    seeds: int
    corpus: Path | None
    native: Path | None


class Outcome(NamedTuple):
    """What fuzzing one target gave."""

    target: str
    runs: int
    kept: int
    findings: list[bytes]
    log: str
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.target:<14}{self.runs:>12,} executions {self.kept:>7,} inputs kept {len(self.findings):>4} findings"
            f" {self.seconds:>7.0f} s"
        )


def main(argv: list[str]) -> int:
    """Fuzz, and return the status of the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=30, help="for each target (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=-1, help="at most so many executions of each target")
    parser.add_argument("--seed", type=int, help="of the random choices (default: another one in each run)")
    parser.add_argument("--seeds", type=int, default=sys.maxsize, help="begin with so many inputs of each target")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time (default: %(default)s)")
    parser.add_argument("--corpus", type=Path, help="a folder where inputs are kept from run to run, one for a target")
    parser.add_argument("--input", type=Path, help="run the target on this file, and nothing else")
    parser.add_argument("--sums", action="store_true", help="print the sums of all runs with the corpus, and end")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given, more = parser.parse_known_args(argv)
    sys.path.insert(0, str(TESTS))
    if given.inside:
        _fuzz(given.targets[0], more)
        return 0
    if given.sums:
        if given.corpus is None:
            parser.error("--sums adds up the runs of a folder: name it with --corpus")
        print("\n".join(_sums(given.corpus)))
        return 0
    from fuzz_targets import TARGETS

    known = [*TARGETS, *kernel_fuzzing.TARGETS]
    named = [one for name in given.targets for one in (kernel_fuzzing.TARGETS if name == NATIVE else [name])]
    unknown = [name for name in named if name not in known]
    if unknown or more:
        parser.error(f"there is no target {(unknown or more)[0]!r}; use some of {', '.join([*known, NATIVE])}")
    with TemporaryDirectory(prefix="urisieve-kernel-") as folder:
        chosen, native = _runnable(named or known, Path(folder), needed=bool(named))
        seed = random.randrange(1, 1 << 31) if given.seed is None else given.seed
        if given.input is not None:
            return max([_run_once(name, given.input, native) for name in chosen], default=0)
        print(f"seed {seed}", flush=True)
        return _fuzz_all(
            chosen, Work(given.seconds, given.runs, seed, given.seeds, given.corpus, native), jobs=given.jobs
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
        missing.append(
            f"{', '.join(others)}: atheris is not installed (the extra `fuzz`; it has no wheel for this Python?)"
        )
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
    from fuzz_targets import TARGETS

    TARGETS[target](path.read_bytes())
    return 0


def _environment(target: str) -> dict[str, str]:
    """The variables with which a target is fuzzed: which one, and nothing by chance."""
    return {**os.environ, "URISIEVE_FUZZ": target.removeprefix("native-"), "PYTHONHASHSEED": "0"}


def _fuzz_all(targets: list[str], work: Work, *, jobs: int) -> int:
    """Fuzz the targets, print what comes of it, and return the status."""
    outcomes = []
    with ThreadPoolExecutor(jobs) as pool:
        for outcome in pool.map(lambda name: fuzzed(name, work), targets):
            print(outcome, flush=True)
            for data in outcome.findings:
                print(f'    ("{outcome.target}", {data!r}),')
                print("\n".join(f"        {line}" for line in outcome.log.splitlines()[-40:]))
            outcomes.append(outcome)
            if work.corpus is not None:
                with (work.corpus / "runs.tsv").open("a") as file:
                    row = (outcome.target, outcome.runs, outcome.kept, len(outcome.findings), round(outcome.seconds))
                    file.write("\t".join(map(str, row)) + "\n")
    findings = [data for outcome in outcomes for data in outcome.findings]
    runs, kept = sum(one.runs for one in outcomes), sum(one.kept for one in outcomes)
    print(Outcome("all", runs, kept, findings, "", sum(one.seconds for one in outcomes)))
    return int(bool(findings) or any(outcome.runs == 0 for outcome in outcomes))


def _seeds(target: str) -> list[bytes]:
    """Return the inputs that a target begins with."""
    from fuzz_targets import SEEDS

    if target in kernel_fuzzing.TARGETS:
        return [data for name, data in kernel_fuzzing.seeds(SEEDS) if name == target]
    return SEEDS[target]


def fuzzed(target: str, work: Work) -> Outcome:
    """Fuzz one target in a process of its own."""
    with TemporaryDirectory(prefix="urisieve-fuzz-") as name:
        folder = Path(name)
        kept = folder / "kept" if work.corpus is None else work.corpus / target
        given = folder / "seeds"
        for path in (kept, given, folder / "found"):
            path.mkdir(parents=True, exist_ok=True)
        seeds = _seeds(target)
        for number, data in enumerate(seeds[:: -(-len(seeds) // work.seeds)]):
            (given / str(number)).write_bytes(data)
        is_native = target in kernel_fuzzing.TARGETS
        command = [
            *([str(work.native)] if is_native else [sys.executable, __file__, "--inside", target]),
            *(f"-max_total_time={work.seconds}", f"-runs={work.runs}", f"-seed={work.seed}", f"-timeout={SLOWEST}"),
            *(f"-rss_limit_mb={MOST_MEMORY}", f"-max_len={LONGEST}", "-print_final_stats=1", "-verbosity=1"),
            *(f"-dict={WORDS}", f"-artifact_prefix={folder / 'found'}{os.sep}", str(kept), str(given)),
        ]
        start = time.monotonic()
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=_environment(target), check=False
        )
        seconds = time.monotonic() - start
        log = done.stdout.decode("utf-8", "replace")
        runs = re.findall(r"stat::number_of_executed_units:\s*(\d+)", log) or re.findall(r"#(\d+)\s", log)
        findings = [path.read_bytes() for path in sorted((folder / "found").iterdir())]
        if done.returncode and not findings:
            print(log[-3_000:], file=sys.stderr)
            runs = ["0"]
        return Outcome(target, int(runs[-1]) if runs else 0, len(list(kept.iterdir())), findings, log, seconds)


def _fuzz(target: str, arguments: list[str]) -> None:
    """Fuzz a target in this process, with its branches counted; ends the process."""
    import warnings

    import atheris

    warnings.simplefilter("ignore")
    with atheris.instrument_imports(include=list(_instrumented())):
        from fuzz_targets import TARGETS
    atheris.Setup([sys.argv[0], *arguments], TARGETS[target])
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
