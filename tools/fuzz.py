"""Fuzz urisieve by coverage: each target of `tests/fuzz_targets.py`, from its seeds, for some seconds.

    python tools/fuzz.py --seconds 30                      all targets
    python tools/fuzz.py --seconds 600 --jobs 2 mail html  these, two at a time
    python tools/fuzz.py --input crash-1234 mail           one input again

It needs the extra `fuzz` (atheris). Prints a line for each target: executions, inputs kept for new coverage, findings.
An input that breaks a promise is printed in base64, to become a row of `tests/test_fuzz_targets.py`. Returns 1 if there
is one.
"""

from __future__ import annotations

import argparse
import base64
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
# Seconds for one input, and MB of memory, that are a finding.
SLOWEST = 20
MOST_MEMORY = 4_096
# The longest input, in bytes: more would be slow, and shows nothing more.
LONGEST = 8_192


class Outcome(NamedTuple):
    """What fuzzing one target gave."""

    target: str
    runs: int
    kept: int
    findings: list[bytes]
    log: str

    def __str__(self) -> str:
        return (
            f"{self.target:<12}{self.runs:>12,} executions {self.kept:>7,} inputs kept {len(self.findings):>4} findings"
        )


def main(argv: list[str]) -> int:
    """Fuzz, and return the status of the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=30, help="for each target (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time (default: %(default)s)")
    parser.add_argument("--corpus", type=Path, help="a folder where inputs are kept from run to run, one for a target")
    parser.add_argument("--input", type=Path, help="run the target on this file, and nothing else")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given, more = parser.parse_known_args(argv)
    sys.path.insert(0, str(TESTS))
    if given.inside:
        _fuzz(given.targets[0], more)
        return 0
    from fuzz_targets import TARGETS

    unknown = [name for name in given.targets if name not in TARGETS]
    if unknown or more:
        parser.error(f"there is no target {(unknown or more)[0]!r}; use some of {', '.join(TARGETS)}")
    if given.input is not None:
        for name in given.targets or TARGETS:
            TARGETS[name](given.input.read_bytes())
        return 0
    with ThreadPoolExecutor(given.jobs) as pool:
        found = pool.map(lambda name: fuzzed(name, given.seconds, given.corpus), given.targets or TARGETS)
        outcomes = []
        for outcome in found:
            print(outcome, flush=True)
            for data in outcome.findings:
                print(f'    ("{outcome.target}", "{base64.b64encode(data).decode()}"),')
                print("\n".join(f"        {line}" for line in outcome.log.splitlines()[-12:]))
            outcomes.append(outcome)
    runs = sum(outcome.runs for outcome in outcomes)
    findings = sum(len(outcome.findings) for outcome in outcomes)
    print(
        f"{'all':<12}{runs:>12,} executions {sum(one.kept for one in outcomes):>7,} inputs kept {findings:>4} findings"
    )
    return int(findings > 0 or any(outcome.runs == 0 for outcome in outcomes))


def fuzzed(target: str, seconds: int, corpus: Path | None) -> Outcome:
    """Fuzz one target in a process of its own."""
    from fuzz_targets import SEEDS

    with TemporaryDirectory(prefix="urisieve-fuzz-") as name:
        folder = Path(name)
        kept = folder / "kept" if corpus is None else corpus / target
        given = folder / "seeds"
        for path in (kept, given, folder / "found"):
            path.mkdir(parents=True, exist_ok=True)
        for number, data in enumerate(SEEDS[target]):
            (given / str(number)).write_bytes(data)
        command = [
            *(sys.executable, __file__, "--inside", target, f"-max_total_time={seconds}", f"-timeout={SLOWEST}"),
            *(f"-rss_limit_mb={MOST_MEMORY}", f"-max_len={LONGEST}", "-print_final_stats=1", "-verbosity=1"),
            *(f"-artifact_prefix={folder / 'found'}{os.sep}", str(kept), str(given)),
        ]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        log = done.stdout.decode("utf-8", "replace")
        runs = re.findall(r"stat::number_of_executed_units:\s*(\d+)", log) or re.findall(r"#(\d+)\s", log)
        findings = [path.read_bytes() for path in sorted((folder / "found").iterdir())]
        if done.returncode and not findings:
            print(log[-3_000:], file=sys.stderr)
            runs = ["0"]
        return Outcome(target, int(runs[-1]) if runs else 0, len(list(kept.iterdir())), findings, log)


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
