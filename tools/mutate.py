"""Measure how much of the code the tests watch: change one thing at a time, and see whether a test fails.

    python tools/mutate.py --map map.json                        once: which tests run which lines (10 minutes)
    python tools/mutate.py --map map.json --count 200            200 mutants, drawn from all areas
    python tools/mutate.py --map map.json --area judge --all     each mutant of an area
    python tools/mutate.py --map map.json --only src/urisieve/judge/steps.py:120

A mutant is a copy of the package in which one operator, constant, condition or statement differs. The tests that run
its line are run against it, the quickest first (for a line that runs at import those of the whole file), without the
compiled kernel, which would do the work instead of what is changed. Survivors are printed with file, line and change;
the last lines are the score by area. Those that were examined and cannot be told from the original stand in
`tools/equivalent_mutants.txt`.

It needs the extra `mutate` (coverage).
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "urisieve"
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.txt")
# The areas: the core first.
CORE = ("syntax", "rules", "judge", "records", "find", "options", "streams", "identifiers", "resolver", "codes")
AREAS = (*CORE, "sources", "runs", "dedupe", "sinks", "data_sets", "arrow", "cli")
# Seconds that the tests of one mutant may take, beyond those that they take without it.
PATIENCE = 60
# The most tests that are run for one mutant; those of a line that all of them run are as many as the suite has.
MOST_TESTS = 400

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}


class Mutant(NamedTuple):
    """One change: the file, the line, what is changed into what, and the text of the changed file."""

    path: str
    line: int
    before: str
    after: str
    text: str

    @property
    def area(self) -> str:
        """The part of the package that it is in."""
        return Path(self.path).relative_to("src/urisieve").parts[0].removesuffix(".py")

    @property
    def name(self) -> str:
        """What the list of equivalent mutants calls it: the file, and the change, which outlive its line."""
        return f"{self.path}: {self.before} -> {self.after}"

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before} -> {self.after}"


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield each mutant of a file."""
    source = path.read_text(encoding="utf-8")
    name = str(path.relative_to(ROOT))
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    data = source.encode()

    def span(node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    def made(node: ast.expr | ast.stmt, after: str) -> Mutant:
        first, last = span(node)
        text = (data[:first] + after.encode() + data[last:]).decode()
        before = " ".join(data[first:last].decode().split())
        return Mutant(name, node.lineno, before, after, text)

    for node in _examined(ast.parse(source)):
        for after in _changes(node):
            yield made(node, after)


def _examined(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Yield the nodes to change: not docstrings, annotations, `__all__`, and what only types need."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "type_comment", "bases", "keywords_of_class"):
                continue
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and field == "body":
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                    continue
                if isinstance(child, ast.Assign) and ast.unparse(child.targets[0]) == "__all__":
                    continue
                if isinstance(child, ast.Raise):  # the texts of messages
                    continue
                if isinstance(child, ast.AST):
                    todo.append(child)
        if isinstance(node, (ast.expr, ast.stmt)):
            yield node


def _changes(node: ast.expr | ast.stmt) -> Iterator[str]:
    """Yield the source of each change of a node."""
    match node:
        case ast.Compare(ops=[operator], left=left, comparators=[right]) if type(operator) in _COMPARED:
            other = ast.Compare(left, [_COMPARED[type(operator)]()], [right])
            yield f"({ast.unparse(other)})"
        case ast.BoolOp(op=operator, values=values):
            swapped = ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
            yield f"({ast.unparse(swapped)})"
            for index in range(len(values)):
                rest = values[:index] + values[index + 1 :]
                yield f"({ast.unparse(rest[0] if len(rest) == 1 else ast.BoolOp(operator, rest))})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _COMPUTED:
            if not any(
                isinstance(side, (ast.JoinedStr, ast.Constant)) and not _is_number(side) for side in (left, right)
            ):
                yield f"({ast.unparse(ast.BinOp(left, _COMPUTED[type(operator)](), right))})"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield f"({ast.unparse(ast.IfExp(test, orelse, body))})"
        case ast.Constant(value=bool() as value):
            yield str(not value)
        case ast.Constant(value=int() as value):
            yield str(value + 1)
            if value > 0:
                yield f"({value - 1})"
        case ast.If(test=test, body=body) if not _is_types(test):
            yield from _tested(node, test)
        case ast.While(test=test) if not isinstance(test, ast.Constant):
            yield from _tested(node, test)
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()):
            yield "pass"
        case ast.AugAssign():
            yield "pass"
        case ast.Return(value=value) if value is not None and not _is_none(value):
            yield "return None"
        case ast.Break():
            yield "continue"
        case ast.Continue():
            yield "break"
        case _:
            return


def _tested(node: ast.If | ast.While, test: ast.expr) -> Iterator[str]:
    """Yield a statement whose condition is the opposite."""
    other = ast.UnaryOp(ast.Not(), test)
    changed = ast.If(other, node.body, node.orelse) if isinstance(node, ast.If) else ast.While(other, node.body, [])
    text = ast.unparse(ast.fix_missing_locations(changed))
    indent = " " * node.col_offset
    yield text.replace("\n", f"\n{indent}")


def _is_types(test: ast.expr) -> bool:
    return ast.unparse(test) == "TYPE_CHECKING"


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


class Map(NamedTuple):
    """Which tests run which lines, and the seconds that each takes."""

    tests: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    def of(self, mutant: Mutant) -> list[str]:
        """Return the tests that run the line of a mutant, the quickest first."""
        lines = self.tests.get(mutant.path, {})
        found = lines.get(mutant.line) or {test for tests in lines.values() for test in tests}
        return sorted(found, key=lambda test: self.seconds.get(test, 1.0))[:MOST_TESTS]


def make_map(to: Path) -> None:
    """Run the suite and write which tests run which lines."""
    from coverage import CoverageData

    with TemporaryDirectory(prefix="urisieve-map-") as name:
        times, data = Path(name, "times.json"), Path(name, "coverage")
        Path(name, "timing.py").write_text(_TIMING, encoding="utf-8")
        settings = {"COVERAGE_FILE": str(data), "URISIEVE_PURE": "1", "TIMES": str(times), "PYTHONPATH": name}
        subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "-n", "auto", "-m", "not spark", "-p", "timing"),
                *("--cov=urisieve", "--cov-context=test", "--cov-report="),
            ],
            cwd=ROOT,
            env={**os.environ, **settings},
            check=False,
        )
        found = CoverageData(str(data))
        found.read()
        tests: dict[str, dict[int, list[str]]] = {}
        for file in found.measured_files():
            lines = found.contexts_by_lineno(file)
            tests[str(Path(file).relative_to(ROOT))] = {
                line: sorted({test.rpartition("|")[0] for test in contexts if test}) for line, contexts in lines.items()
            }
        seconds = json.loads(times.read_text(encoding="utf-8"))
        to.write_text(json.dumps({"tests": tests, "seconds": seconds}), encoding="utf-8")


_TIMING = """
import json, os
SECONDS = {}

def pytest_runtest_logreport(report):
    if report.when == "call":
        SECONDS[report.nodeid] = report.duration

def pytest_sessionfinish(session):
    if not hasattr(session.config, "workerinput"):
        with open(os.environ["TIMES"], "w", encoding="utf-8") as file:
            json.dump(SECONDS, file)
"""


def read_map(path: Path) -> Map:
    """Read what `make_map` wrote."""
    read = json.loads(path.read_text(encoding="utf-8"))
    tests = {file: {int(line): names for line, names in lines.items()} for file, lines in read["tests"].items()}
    return Map(tests, read["seconds"])


class Bench:
    """A copy of the package for one worker, in which one file at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "src"
        shutil.copytree(PACKAGE, self.source / "urisieve", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        self.temp = folder / "temp"
        self.temp.mkdir()

    def survives(self, mutant: Mutant, tests: list[str], patience: float) -> bool:
        """Run tests against a mutant; report whether all of them pass."""
        target = self.source / Path(mutant.path).relative_to("src")
        target.write_text(mutant.text, encoding="utf-8")
        listed = self.temp / "tests"
        listed.write_text("\n".join(tests), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"@{listed}"]
        settings = {"PYTHONPATH": str(self.source), "URISIEVE_PURE": "1", "TMPDIR": str(self.temp)}
        running = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **settings},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return running.wait(patience) == 0
        except subprocess.TimeoutExpired:  # it hangs: that is seen, too
            return False
        finally:
            _kill(running)
            shutil.copyfile(ROOT / mutant.path, target)


def _kill(running: subprocess.Popen[bytes]) -> None:
    """End a process and those that it has started."""
    try:
        os.killpg(running.pid, 9)
    except ProcessLookupError:
        return
    running.wait()


def examine(mutants: list[Mutant], known: Map, jobs: int, report: Callable[[Mutant, str], None]) -> None:
    """Run the tests of each mutant, and report its fate: killed, survived, or not run by any test."""
    with TemporaryDirectory(prefix="urisieve-mutants-") as name, ThreadPoolExecutor(jobs) as pool:
        benches = [Bench(Path(name, str(number))) for number in range(jobs)]

        def fate(mutant: Mutant) -> str:
            tests = known.of(mutant)
            if not tests:
                return "not run"
            patience = PATIENCE + 3 * sum(known.seconds.get(test, 1.0) for test in tests)
            bench = benches.pop()
            try:
                return "survived" if bench.survives(mutant, tests, patience) else "killed"
            finally:
                benches.append(bench)

        for mutant, found in zip(mutants, pool.map(fate, mutants), strict=True):
            report(mutant, found)


def equivalents() -> set[str]:
    """Return the names of mutants that cannot be told from the original."""
    if not EQUIVALENT.exists():
        return set()
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def main(argv: list[str]) -> int:
    """Examine mutants and print the score; return 1 if the core has less than `--least` per cent."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--map", type=Path, required=True, help="where it stands which tests run which lines")
    parser.add_argument("--area", action="append", choices=AREAS, help="mutants of these areas only; repeatable")
    parser.add_argument("--only", action="append", default=[], metavar="FILE[:LINE]", help="of this file or line only")
    parser.add_argument("--count", type=int, default=200, help="how many, drawn by chance (default: %(default)s)")
    parser.add_argument("--all", action="store_true", help="all of them")
    parser.add_argument("--seed", type=int, default=3986)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--least", type=float, default=0, help="the per cent of the core that must be killed")
    given = parser.parse_args(argv)
    if not given.map.exists():
        make_map(given.map)
    known = read_map(given.map)
    skipped = equivalents()
    mutants = [
        mutant
        for path in sorted(PACKAGE.rglob("*.py"))
        for mutant in mutants_of(path)
        if mutant.name not in skipped
        and mutant.area in (given.area or AREAS)
        and (not given.only or any(f"{mutant.path}:{mutant.line}".startswith(one) for one in given.only))
    ]
    if not given.all and len(mutants) > given.count:
        mutants = random.Random(given.seed).sample(mutants, given.count)
    fates: defaultdict[str, Counter[str]] = defaultdict(Counter)
    started = time.monotonic()

    def report(mutant: Mutant, fate: str) -> None:
        fates[mutant.area][fate] += 1
        if fate != "killed":
            print(f"{fate}: {mutant}", flush=True)

    examine(mutants, known, given.jobs, report)
    print(f"\n{'area':<14}{'mutants':>8}{'killed':>8}{'survived':>9}{'not run':>8}{'score':>8}")
    for area in (area for area in AREAS if area in fates):
        _print_score(area, fates[area])
    core: Counter[str] = sum((fates[area] for area in CORE if area in fates), Counter())
    _print_score("core", core)
    _print_score("all", sum(fates.values(), Counter()))
    print(f"{time.monotonic() - started:.0f} s")
    return int(bool(core) and _score(core) < given.least)


def _score(fates: Counter[str]) -> float:
    return 100 * fates["killed"] / fates.total()


def _print_score(area: str, fates: Counter[str]) -> None:
    if fates:
        counts = f"{fates.total():>8}{fates['killed']:>8}{fates['survived']:>9}{fates['not run']:>8}"
        print(f"{area:<14}{counts}{_score(fates):>7.1f}%")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
