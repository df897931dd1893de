"""Measure how much of the tables of the kernel the tests watch: change one entry, and see whether a test fails.

    python tools/mutate_tables.py --count 40 --seed 7        40 mutants, as many of each table
    python tools/mutate_tables.py --table SCHEMES --count 9  of one table

An entry is one number, one flag or one character of a name in `src/kernel/tables.c`. The kernel with the changed entry
goes into a copy of the package, and the tests that compare the search of the kernel with that in Python run against it,
until the first one fails. The test that compares the tables with those that their generator writes is left out: it
would kill every mutant. Survivors are printed; the last lines are the score by table. It needs gcc on Linux.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
KERNEL = ROOT / "src" / "kernel"
SEARCH = "tests/kernel/test_kernel_search.py"
TESTS = (
    *(f"{SEARCH}::test_every_entry_of_the_tables", f"{SEARCH}::test_each_choice_finds_the_same"),
    *("tests/find/test_boundaries.py", f"{SEARCH}::test_every_character_before_and_behind_a_link"),
    *(f"{SEARCH}::test_generated_texts_take_every_way", "tests/kernel/test_kernel_forms.py"),
)
OPTIONS = (
    *("-x", "-q", "-m", "not timed", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"),
    "--hypothesis-seed=3986",
)
# The seconds on the clock after which a mutant that makes the kernel hang is killed.
LONGEST = 600.0
_TABLE = re.compile(r"^const \w+ (\w+)\[.*?^};", re.MULTILINE | re.DOTALL)
_ENTRY = re.compile(r"0x[0-9a-f]+|\b[0-9]+\b|\"[^\"]+\"|\bS_[A-Z_]+\b")


class Change(NamedTuple):
    """One entry: its table, its line, where it stands in the file, and what it becomes."""

    table: str
    line: int
    start: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.table}: line {self.line}: {self.before} -> {self.after}"


def changes(text: str, drawn: random.Random) -> dict[str, list[Change]]:
    """Return a change of each entry of each table."""
    found: dict[str, list[Change]] = {}
    for table in _TABLE.finditer(text):
        body = table[0].index("=")
        of_table = found[table[1]] = []
        for entry in _ENTRY.finditer(table[0], body):
            start = table.start() + entry.start()
            line = text.count("\n", 0, start) + 1
            of_table.append(Change(table[1], line, start, entry[0], _changed(table[1], entry[0], drawn)))
    return found


def _changed(table: str, entry: str, drawn: random.Random) -> str:
    """Return another value of an entry: a bit of flags, a number one off, a character of a name, no flag."""
    if entry.startswith("S_"):
        return "0"
    if entry.startswith('"'):
        return f'"{entry[1:-2]}{"9" if entry[-2] != "9" else "8"}"'
    value = int(entry, 16) if entry.startswith("0x") else int(entry)
    flags = {"ASCII_FLAGS": 22, "WIDE_FLAGS": 10}.get(table)
    if table == "SHAPE_CLASSES" and entry.startswith("0x"):
        flags = 64
    other = value ^ 1 << drawn.randrange(flags) if flags else value + (drawn.choice([1, -1]) if value else 1)
    return hex(other) if entry.startswith("0x") else str(other)


def examine(mutants: list[Change], text: str, tests: list[str], folder: Path) -> Iterator[tuple[Change, bool]]:
    """Yield each mutant with whether a test fails."""
    source = folder / "src"
    shutil.copytree(ROOT / "src" / "urisieve", source / "urisieve", ignore=shutil.ignore_patterns("*.so"))
    compiler = [*("gcc", "-O2", "-std=c11", "-fPIC", "-fvisibility=hidden"), f"-I{sysconfig.get_path('include')}"]
    compiler.append(f"-I{KERNEL}")
    others = [str(path) for path in sorted(KERNEL.glob("*.c")) if path.name != "tables.c"]
    subprocess.run([*compiler, "-c", *others], cwd=folder, check=True)
    objects = sorted(str(path) for path in folder.glob("*.o"))
    log = (folder / "log").open("w")
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(source), str(ROOT)]), "URISIEVE_PURE": ""}
    for mutant in [None, *mutants]:
        tables = folder / "tables.c"
        if mutant is None:  # the original: the tests must pass
            tables.write_text(text, encoding="utf-8")
        else:
            end = mutant.start + len(mutant.before)
            tables.write_text(text[: mutant.start] + mutant.after + text[end:], encoding="utf-8")
        kernel = source / "urisieve" / "_kernel.new"
        subprocess.run([*compiler, "-w", "-shared", str(tables), *objects, "-o", str(kernel)], check=True)
        kernel.replace(source / "urisieve" / "_kernel.abi3.so")
        command = [sys.executable, "-m", "pytest", *OPTIONS, *tests]
        log.seek(0)
        log.truncate()
        try:
            ended = subprocess.run(
                command, cwd=ROOT, env=settings, timeout=LONGEST, stdout=log, stderr=log, check=False
            )
            killed = ended.returncode != 0
        except subprocess.TimeoutExpired:
            killed = True
        if mutant is not None:
            yield mutant, killed
        elif killed:
            sys.exit(f"the tests fail without a mutant, too:\n{(folder / 'log').read_text(errors='replace')[-3000:]}")


def main(argv: list[str]) -> int:
    """Examine mutants and print the score."""
    text = (KERNEL / "tables.c").read_text(encoding="utf-8")
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--table", action="append", help="of these tables only; repeatable")
    parser.add_argument("--count", type=int, default=40, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=3986)
    parser.add_argument("--tests", action="append", default=[], metavar="TEST", help="run these first")
    given = parser.parse_args(argv)
    drawn = random.Random(given.seed)
    tables = [found for table, found in changes(text, drawn).items() if table in (given.table or [table])]
    share, more = divmod(given.count, len(tables))
    chosen = [drawn.sample(found, min(len(found), share + (turn < more))) for turn, found in enumerate(tables)]
    mutants = [one for some in chosen for one in some]
    drawn.shuffle(mutants)
    fates: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    with TemporaryDirectory(prefix="urisieve-tables-") as name:
        for mutant, killed in examine(mutants, text, [*given.tests, *TESTS], Path(name)):
            fates[mutant.table][killed] += 1
            print(f"{'killed' if killed else 'survived'}: {mutant}", flush=True)
    fates["all"] = sum(fates.values(), Counter())
    print(f"\n{'table':<16}{'mutants':>8}{'killed':>8}{'score':>8}")
    for table, counts in fates.items():
        print(f"{table:<16}{counts.total():>8}{counts[True]:>8}{100 * counts[True] / max(1, counts.total()):>7.1f}%")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
