"""Measure how much of the code the tests watch: change one thing at a time, and see whether a test fails.

    python tools/mutate.py --map map.json                        once: which tests run which lines (10 minutes)
    python tools/mutate.py --map map.json --count 200            200 mutants, drawn from all areas
    python tools/mutate.py --map map.json --area judge --all     each mutant of an area
    python tools/mutate.py --map map.json --only src/urisieve/judge/steps.py:120
    python tools/mutate.py --map none --bounds --all --only src/urisieve/rules/secret --tests tests/rules
    python tools/mutate.py --stale                               drop entries of code that is gone from the list

A mutant is a copy of the package in which one operator, constant, condition, statement or number of repetitions in a
pattern differs. `--bounds` takes only those that move a bound by one: of named numbers, of numbers compared by order,
and of repetitions. The tests that run its line are run against it (for a line that runs at import those of the whole
file), first those that have lately killed others of the file, then the quickest, without the compiled kernel, which
would do the work instead of what is changed. `--kernel` runs them with it, for what drives the kernel; that needs a map
of its own, which `--mapped FILE` restricts to tests that meet the kernel. Survivors are printed with file, line and
change; the last lines are the score by area. Those that were examined and cannot be told from the original stand in
`tools/equivalent_mutants.txt`; those that compile to the code of the original are left out.

`mutant_server.py` runs the tests in forks of a process that has collected them. `--results FILE` keeps each fate as a
line of JSON, and a run that was broken off goes on after the last. `--tests FILE` names tests that are newer than the
map, for each mutant; with `--map none` only these run.

It needs the extra `mutate` (coverage) and Linux.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import contextlib
import json
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType
from typing import Any, NamedTuple

from mutant_server import inner_codes

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "urisieve"
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.txt")
# The areas: the core first.
CORE = (
    *("syntax", "rules", "judge", "records", "find", "options", "streams", "identifiers", "resolver", "codes"),
    *("files", "explanation"),
)
AREAS = (*CORE, "sources", "dedupe", "runs", "sinks", "data_sets", "arrow", "cli")
# The seconds of tests that are run for one mutant; a line that most tests run would take the whole suite.
MOST_SECONDS = 4.0
# What a process does once, such as to compile a pattern, is known of the first test of each worker alone: where no more
# tests run a line, those of its whole file count.
FEW_TESTS = 8
# Up to so many mutants a server is not worth its start.
FEW = 12

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
# A number of repetitions in a pattern: exact, at least, at most, between.
_REPEATED = re.compile(r"(?<=\{)(?:(\d+)(,?)(\d*)|,(\d+))(?=\})")
# A line that names a number.
_NAMED_NUMBER = re.compile(r"\w+(?:: Final)? = [\d_]+(?:  #.*)?")


class Mutant(NamedTuple):
    """One change: the file, where, what is changed into what, the first line of that, and the text of the file."""

    path: str
    line: int
    column: int
    before: str
    after: str
    beside: str
    text: str

    @property
    def area(self) -> str:
        """The part of the package that it is in."""
        return Path(self.path).relative_to("src/urisieve").parts[0].removesuffix(".py")

    @property
    def name(self) -> str:
        """What the list of equivalent mutants calls it: the file, the text of its line, and the change."""
        return f"{self.path}: {self.beside}: {self.before} -> {self.after}"

    @property
    def is_bound(self) -> bool:
        """Whether it moves a bound by one."""
        if _NAMED_NUMBER.fullmatch(self.beside):
            return True
        try:
            changed = ast.parse(self.before, mode="eval").body
        except SyntaxError:
            return False
        match changed:
            case ast.Compare(ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], left=left, comparators=[right]):
                return any(map(_is_limit, (left, right)))
            case ast.Constant(value=str()):
                return True
        return False

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before} -> {self.after}"


def _is_limit(node: ast.expr) -> bool:
    """Whether a side of a comparison is a number above 1, or a name of one, with or without something added."""
    if isinstance(node, ast.BinOp):
        return _is_limit(node.left) or _is_limit(node.right)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int) and node.value > 1
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return len(name) > 2 and name.isupper()


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
        beside = lines[node.lineno - 1].strip()
        return Mutant(name, node.lineno, node.col_offset, before, " ".join(after.split()), beside, text)

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
                if isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant):  # it has no place of its own
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
        case ast.Constant(value=str() as value):
            yield from _repeated(value)
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


def _repeated(pattern: str) -> Iterator[str]:
    """Yield the source of a pattern with each of its numbers of repetitions one more, and one less."""
    for found in _REPEATED.finditer(pattern):
        for group in (1, 3, 4):
            if found[group]:
                first, last = found.span(group)
                for number in {int(found[group]) + 1, max(0, int(found[group]) - 1)}:
                    yield repr(f"{pattern[:first]}{number}{pattern[last:]}")


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

    names: list[str]
    seconds: list[float]
    groups: list[list[int]]
    lines: dict[str, dict[int, int]]

    def of(self, path: str, lines: range) -> set[int]:
        """Return the tests that run some lines of a file."""
        known = self.lines.get(path, {})
        groups = {known[line] for line in lines if line in known}
        return {test for group in groups for test in self.groups[group]}

    def of_file(self, path: str) -> set[int]:
        """Return the tests that run anything of a file."""
        return {test for group in set(self.lines.get(path, {}).values()) for test in self.groups[group]}

    def named_like(self, path: str) -> set[int]:
        """Return the tests of the files whose names share a word with that of a module."""
        words = [word[:6] for word in Path(path).stem.split("_") if len(word) > 3]
        files = [name.partition("::")[0].rpartition("/")[2] for name in self.names]
        return {test for test, file in enumerate(files) if any(word in file for word in words)}

    def chosen(self, found: set[int], first: list[int], files: list[str], most: float) -> list[int]:
        """Choose tests for some seconds: some first, the quickest of some files, the quickest of each file in turn."""
        by_file: defaultdict[str, list[int]] = defaultdict(list)
        for test in sorted(found, key=lambda test: self.seconds[test]):
            by_file[self.names[test].partition("::")[0]].append(test)
        kept = dict.fromkeys(test for test in first if test in found)
        favoured = [test for file in files for test in by_file[file]] or chain(*by_file.values())
        turns = [(turn, self.seconds[test], test) for tests in by_file.values() for turn, test in enumerate(tests)]
        rest: dict[int, None] = {}
        for tests in (sorted(favoured, key=lambda test: self.seconds[test]), (test for _, _, test in sorted(turns))):
            spent = 0.0
            for test in tests:
                if test not in kept and test not in rest:
                    spent += self.seconds[test] + 0.002
                    if spent > most / 2:
                        break
                    rest[test] = None
        return [*kept, *sorted(rest, key=lambda test: self.seconds[test])]


def make_map(to: Path, files: Sequence[str] = (), *, kernel: bool = False) -> None:
    """Run the suite, or some files of it, with or without the kernel, and write which tests run which lines."""
    from coverage import CoverageData

    with TemporaryDirectory(prefix="urisieve-map-") as name:
        times, data = Path(name, "times.json"), Path(name, "coverage")
        Path(name, "timing.py").write_text(_TIMING, encoding="utf-8")
        settings = {
            "COVERAGE_FILE": str(data),
            "URISIEVE_PURE": "" if kernel else "1",
            "TIMES": str(times),
            "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), name]),
        }
        subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "-n", "auto", "-p", "timing"),
                *("-m", "not spark and not timed and not long"),
                *("--cov=urisieve", "--cov-context=test", "--cov-report=", *files),
            ],
            cwd=ROOT,
            env={**os.environ, **settings},
            check=False,
        )
        found = CoverageData(str(data))
        found.read()
        seconds = json.loads(times.read_text(encoding="utf-8"))
        names = {test: number for number, test in enumerate(seconds)}
        groups: dict[tuple[int, ...], int] = {}
        lines: dict[str, dict[int, int]] = {}
        for file in found.measured_files():
            of_file = lines[str(Path(file).relative_to(ROOT))] = {}
            for line, contexts in found.contexts_by_lineno(file).items():
                tests = {test.rpartition("|")[0] for test in contexts if test}
                group = tuple(sorted(names[test] for test in tests if test in names))
                if group:
                    of_file[line] = groups.setdefault(group, len(groups))
        made = {"names": list(names), "seconds": list(seconds.values()), "groups": list(groups), "lines": lines}
        to.write_text(json.dumps(made, separators=(",", ":")), encoding="utf-8")


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
    lines = {file: {int(line): group for line, group in of_file.items()} for file, of_file in read["lines"].items()}
    return Map(read["names"], read["seconds"], read["groups"], lines)


class Place(NamedTuple):
    """Where the code of a mutant differs: in one function (the steps to its code, its name and lines), or elsewhere."""

    steps: list[int]
    name: str
    lines: range


def place_of(mutant: Mutant) -> Place | None:
    """Return where a mutant differs from the original; None if both compile to the same code."""
    original = _compiled(mutant.path)
    changed = compile(mutant.text, mutant.path, "exec")
    places = list(_differences(original, changed, []))
    if not places:
        return None
    if len(places) > 1 or not places[0]:
        return Place([], "", range(0))
    steps = places[0]
    code = original
    for step in steps:
        code = list(inner_codes(code))[step]
    if code.co_name.startswith("<"):  # a comprehension that runs at import, or a function without a name
        return Place([], "", range(0))
    return Place(steps, code.co_qualname, range(code.co_firstlineno, _last_line(code) + 1))


@lru_cache(maxsize=8)
def _compiled(path: str) -> CodeType:
    return compile((ROOT / path).read_text(encoding="utf-8"), path, "exec")


def _differences(one: CodeType, other: CodeType, steps: list[int]) -> Iterator[list[int]]:
    """Yield the steps to each function that differs, and no steps for a module or the body of a class."""
    ones, others = list(inner_codes(one)), list(inner_codes(other))
    if len(ones) != len(others) or _signature(one, inner=False) != _signature(other, inner=False):
        yield []
        return
    for number, (inside, beside) in enumerate(zip(ones, others, strict=True)):
        here = [*steps, number]
        if not inside.co_flags & 0x2:  # no function, but the body of a class
            yield from _differences(inside, beside, here)
        elif _signature(inside) != _signature(beside):
            yield here


def _signature(code: CodeType, *, inner: bool = True) -> tuple[object, ...]:
    """Return what a code does, without its lines; with or without what the codes inside it do."""
    constants = tuple(
        (_signature(constant) if inner else constant.co_name)
        if isinstance(constant, CodeType)
        else (type(constant), repr(constant))
        for constant in code.co_consts
    )
    return (code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_exceptiontable, constants)


def _last_line(code: CodeType) -> int:
    lines = [line for _, _, line in code.co_lines() if line is not None]
    return max([*lines, *map(_last_line, inner_codes(code))])


class Bench:
    """A copy of the package for one worker, in which one file at a time is changed, and the servers that run tests."""

    def __init__(self, folder: Path, known: Map, most: float, *, warm: bool, kernel: bool) -> None:
        self.source = folder / "src"
        unwanted = ["__pycache__"] if kernel else ["__pycache__", "*.so"]
        shutil.copytree(PACKAGE, self.source / "urisieve", ignore=shutil.ignore_patterns(*unwanted))
        self.kernel = kernel
        compileall.compile_dir(self.source, quiet=1)
        self.temp = folder / "temp"
        self.temp.mkdir()
        self.known = known
        self.most = most
        self.numbers = {name: number for number, name in enumerate(known.names)}
        self.warm = warm
        self.passing: dict[tuple[str, str], bool] = {}
        self.collecting: dict[str, bool] = {}
        self.servers: dict[str, _Connection] = {}
        self.killers: defaultdict[str, deque[int]] = defaultdict(lambda: deque(maxlen=12))
        self.files: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.changes = 0

    def fate(self, mutant: Mutant, more: list[str]) -> tuple[str, str]:
        """Return what becomes of a mutant: killed, survived, not run, or the same; and by which test."""
        place = place_of(mutant)
        if place is None:
            return "same", ""
        known, path = self.known, mutant.path
        found = known.of(path, range(mutant.line, mutant.line + 1)) if place.steps else set()
        if not found:
            found = known.of(path, place.lines) if place.steps else known.of_file(path)
        first = list(self.killers[path])
        if len(found) <= FEW_TESTS:
            first = [*found, *first]
            found = found | known.of_file(path)
        found = found or known.named_like(path)  # it runs in other processes only
        tests = [known.names[test] for test in known.chosen(found, first, self._favoured(path), self.most)]
        tests = [*more, *tests]
        if not tests:
            return "not run", ""
        while True:
            kind, by = self._examined(mutant, place, tests)
            if not kind or self._passes(kind, by):
                break
            tests.remove(by)
        if by in self.numbers:
            recent = self.killers[path]
            if self.numbers[by] in recent:
                recent.remove(self.numbers[by])
            recent.appendleft(self.numbers[by])
            self.files[path][by.partition("::")[0]] += 1
        return ("killed" if kind else "survived"), by

    def _favoured(self, path: str) -> list[str]:
        """Return the files of tests that have killed most mutants of a file, and those with a name like its own."""
        alike = {self.known.names[test].partition("::")[0] for test in self.known.named_like(path)}
        return [*alike, *(file for file, _ in self.files[path].most_common(3) if file not in alike)]

    def _passes(self, kind: str, test: str) -> bool:
        """Tell whether a test that has failed passes without a mutant; it is tried once. Without a name: all begin."""
        if not test:
            return True
        if (kind, test) not in self.passing:
            self.passing[kind, test] = self._asked(kind, [test])[0] != "killed"
            if not self.passing[kind, test]:
                print(f"{test} fails without a mutant, too ({kind})", file=sys.stderr, flush=True)
        return self.passing[kind, test]

    def _collected(self, tests: list[str]) -> list[str]:
        """Return those of some tests whose files can be collected without a mutant."""
        for file in {test.partition("::")[0] for test in tests}:
            if file not in self.collecting:
                self.collecting[file] = self._asked("cold", [f"{file}::"])[0] == "survived"
                if not self.collecting[file]:
                    print(f"{file} cannot be collected without a mutant, too", file=sys.stderr, flush=True)
        return [test for test in tests if self.collecting[test.partition("::")[0]]]

    def _examined(self, mutant: Mutant, place: Place, tests: list[str]) -> tuple[str, str]:
        """Run tests against a mutant; return the kind of server where one failed, and which; or nothing."""
        tests = [test for test in tests if self.passing.get(("cold", test), True)]
        if self.warm and place.steps:
            early = self._server("warm").early
            ready = [test for test in tests if self.passing.get(("warm", test), True)]
            file = str(self.source / Path(mutant.path).relative_to("src"))
            fate, by = self._asked("warm", ready, mutant, place.steps)
            if fate == "killed" and by:
                return "warm", by
            if fate == "survived" and (file, place.name) not in early:
                tests = [test for test in tests if not self.passing.get(("warm", test), True)]
        tests = self._collected(tests)
        few = {test.partition("::")[0] for test in tests[:4]}
        first = [test for test in tests if test.partition("::")[0] in few]
        rest = [test for test in tests if test.partition("::")[0] not in few]
        for chosen in filter(None, (first, rest)):
            fate, by = self._asked("cold", chosen, mutant)
            if fate in ("killed", "hung"):
                return "cold", by
        return "", ""

    @contextlib.contextmanager
    def _changed(self, mutant: Mutant) -> Iterator[None]:
        """Let the file of the bench be that of a mutant; its time differs from all others, for compiled files."""
        target = self.source / Path(mutant.path).relative_to("src")
        before = target.stat()
        target.write_text(mutant.text, encoding="utf-8")
        self.changes += 1
        os.utime(target, (before.st_atime, before.st_mtime + 2 * self.changes))
        try:
            yield
        finally:
            shutil.copyfile(ROOT / mutant.path, target)
            os.utime(target, (before.st_atime, before.st_mtime))

    def _asked(
        self, kind: str, tests: list[str], mutant: Mutant | None = None, steps: list[int] | None = None
    ) -> tuple[str, str]:
        """Let a server run tests, against a mutant or none; return the fate and the last test."""
        seconds = [self.known.seconds[self.numbers[test]] if test in self.numbers else 1.0 for test in tests]
        file = str(self.source / Path(mutant.path).relative_to("src")) if mutant and steps else ""
        job = {"file": file, "steps": steps or [], "tests": tests, "seconds": seconds}
        server = self._server(kind)  # it starts while nothing is changed
        with self._changed(mutant) if mutant else contextlib.nullcontext():
            try:
                answer = server.ask(job)
            except (ValueError, OSError):
                print(f"a server ({kind}) has ended: {mutant}", file=sys.stderr, flush=True)
                self.servers.pop(kind).close()
                return "unknown", ""
        return answer["fate"], answer["by"]

    def _server(self, kind: str) -> _Connection:
        if kind not in self.servers:
            self.servers[kind] = _Connection(self.source, self.temp, kind, kernel=self.kernel)
        return self.servers[kind]

    def close(self) -> None:
        """End the servers."""
        for server in self.servers.values():
            server.close()


class _Connection:
    """A server of `mutant_server.py`, and the pipes to it."""

    def __init__(self, source: Path, temp: Path, kind: str, *, kernel: bool) -> None:
        jobs, to = os.pipe()
        answers, back = os.pipe()
        settings = {
            "PYTHONPATH": os.pathsep.join([str(source), str(ROOT / "tools"), str(ROOT)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "URISIEVE_PURE": "" if kernel else "1",
            "TMPDIR": str(temp),
        }
        self.log = temp / f"{kind}.log"
        with self.log.open("w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("mutant_server.py")), str(jobs), str(back), kind],
                cwd=ROOT,
                env={**os.environ, **settings},
                pass_fds=(jobs, back),
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        os.close(jobs)
        os.close(back)
        self.jobs = open(to, "w", encoding="utf-8")  # noqa: SIM115
        self.answers = open(answers, encoding="utf-8")  # noqa: SIM115
        ready = json.loads(self.answers.readline() or "null")
        if ready is None:
            raise RuntimeError(f"the server did not start: {self.log.read_text(encoding='utf-8')[-2000:]}")
        self.early = {(file, name) for file, name, _ in ready["early"]}

    def ask(self, job: dict[str, Any]) -> dict[str, Any]:
        """Send a job and return its answer."""
        self.jobs.write(json.dumps(job) + "\n")
        self.jobs.flush()
        answer: dict[str, Any] = json.loads(self.answers.readline())
        return answer

    def close(self) -> None:
        """End the server and what it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, 9)
        self.process.wait()
        with contextlib.suppress(OSError):
            self.jobs.close()
        self.answers.close()


def examine(
    mutants: list[Mutant],
    known: Map,
    jobs: int,
    report: Callable[[Mutant, str, str, float], None],
    more: list[str],
    most: float,
    *,
    kernel: bool,
) -> None:
    """Run the tests of each mutant, and report its fate, the test that killed it, and the seconds that it took."""
    todo: queue.SimpleQueue[Mutant] = queue.SimpleQueue()
    for mutant in mutants:
        todo.put(mutant)
    lock = threading.Lock()

    def work(bench: Bench) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                mutant = todo.get_nowait()
                started = time.monotonic()
                fate, by = bench.fate(mutant, more)
                with lock:
                    report(mutant, fate, by, time.monotonic() - started)

    with TemporaryDirectory(prefix="urisieve-mutants-") as name:
        benches = [
            Bench(Path(name, str(number)), known, most, warm=len(mutants) > FEW and bool(known.names), kernel=kernel)
            for number in range(jobs)
        ]
        workers = [threading.Thread(target=work, args=(bench,)) for bench in benches]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for bench in benches:
            bench.close()


def equivalents() -> set[str]:
    """Return the names of mutants that cannot be told from the original."""
    if not EQUIVALENT.exists():
        return set()
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def drop_stale() -> None:
    """Remove from the list of equivalent mutants those of code that is gone, and comments that are about none."""
    names = {mutant.name for path in PACKAGE.rglob("*.py") for mutant in mutants_of(path)}
    blocks = EQUIVALENT.read_text(encoding="utf-8").split("\n\n")
    kept, gone = blocks[:1], 0  # the first block says what the file is
    for block in blocks[1:]:
        lines = [line for line in block.splitlines() if line.startswith("#") or line in names]
        gone += len(block.splitlines()) - len(lines)
        if any(not line.startswith("#") for line in lines):
            kept.append("\n".join(lines))
    EQUIVALENT.write_text("\n\n".join(kept).rstrip("\n") + "\n", encoding="utf-8")
    print(f"{gone} entries of code that is gone")


def main(argv: list[str]) -> int:
    """Examine mutants and print the score; return 1 if the core has less than `--least` per cent."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--map", type=Path, help="where it stands which tests run which lines; `none`: those of --tests"
    )
    parser.add_argument("--bounds", action="store_true", help="those alone that move a bound by one")
    parser.add_argument("--stale", action="store_true", help="drop equivalent mutants of code that is gone, and stop")
    parser.add_argument("--area", action="append", choices=AREAS, help="mutants of these areas only; repeatable")
    parser.add_argument("--only", action="append", default=[], metavar="FILE[:LINE]", help="of this file or line only")
    parser.add_argument("--count", type=int, default=200, help="how many, drawn by chance (default: %(default)s)")
    parser.add_argument("--all", action="store_true", help="all of them")
    parser.add_argument("--each", type=int, metavar="COUNT", help="as many, drawn by chance, of each area")
    parser.add_argument("--results", type=Path, help="a file that keeps the fates, and those of runs before")
    parser.add_argument("--kernel", action="store_true", help="with the compiled kernel")
    parser.add_argument("--mapped", action="append", default=[], metavar="FILE", help="tests for a new map, not all")
    parser.add_argument("--again", action="store_true", help="those again that have survived by the results")
    parser.add_argument("--seconds", type=float, default=MOST_SECONDS, help="of tests for one mutant (%(default)s)")
    parser.add_argument("--tests", action="append", default=[], metavar="FILE", help="tests that the map does not know")
    parser.add_argument("--seed", type=int, default=3986)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--least", type=float, default=0, help="the per cent of the core that must be killed")
    given = parser.parse_args(argv)
    if given.stale:
        drop_stale()
        return 0
    if given.map is None:
        parser.error("--map is needed")
    if str(given.map) == "none":
        known = Map([], [], [], {})
    else:
        if not given.map.exists():
            make_map(given.map, given.mapped, kernel=given.kernel)
        known = read_map(given.map)
    skipped = equivalents()
    mutants = [
        mutant
        for path in sorted(PACKAGE.rglob("*.py"))
        for mutant in mutants_of(path)
        if mutant.name not in skipped
        and mutant.area in (given.area or AREAS)
        and (mutant.is_bound or not given.bounds)
        and (not given.only or any(f"{mutant.path}:{mutant.line}".startswith(one) for one in given.only))
    ]
    drawn = random.Random(given.seed).sample(mutants, len(mutants))
    areas = [[mutant for mutant in drawn if mutant.area == area] for area in AREAS]
    chosen = {mutant for mutants in areas for mutant in (mutants if given.all else mutants[: given.each])}
    if not given.all and given.each is None:
        chosen = set(drawn[: given.count])
    mutants = [mutant for mutants in areas for mutant in mutants if mutant in chosen]
    fates: defaultdict[str, Counter[str]] = defaultdict(Counter)
    started = time.monotonic()
    before: dict[tuple[str, ...], str] = {}
    if given.results and given.results.exists():
        for line in given.results.read_text(encoding="utf-8").splitlines():
            kept = json.loads(line)
            before[_key(kept)] = kept["fate"]
    if given.again:
        mutants = [mutant for mutant in mutants if before.get(_key(_row(mutant))) in ("survived", "not run")]
        before = {}

    def report(mutant: Mutant, fate: str, by: str, seconds: float) -> None:
        fates[mutant.area][fate] += 1
        if fate in ("survived", "not run"):
            print(f"{fate}: {mutant}", flush=True)
        if given.results:
            row = {**_row(mutant), "fate": fate, "by": by, "seconds": round(seconds, 2)}
            with given.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")

    new = [mutant for mutant in mutants if _key(_row(mutant)) not in before]
    for mutant in mutants:
        if _key(_row(mutant)) in before:
            fates[mutant.area][before[_key(_row(mutant))]] += 1
    examine(new, known, given.jobs, report, _collected(given.tests), given.seconds, kernel=given.kernel)
    print(f"\n{'area':<14}{'mutants':>8}{'killed':>8}{'survived':>9}{'not run':>8}{'score':>8}")
    for area in (area for area in AREAS if area in fates):
        _print_score(area, fates[area])
    core: Counter[str] = sum((fates[area] for area in CORE if area in fates), Counter())
    _print_score("core", core)
    _print_score("all", sum(fates.values(), Counter()))
    print(f"{time.monotonic() - started:.0f} s")
    return int(bool(core) and _score(core) < given.least)


def _row(mutant: Mutant) -> dict[str, Any]:
    """Return what a line of results says about a mutant."""
    return {"area": mutant.area, "file": mutant.path, "name": mutant.name, **_change(mutant)}


def _change(mutant: Mutant) -> dict[str, Any]:
    return {key: getattr(mutant, key) for key in ("line", "column", "before", "after")}


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("file", "line", "column", "before", "after"))


def _collected(files: list[str]) -> list[str]:
    """Return the names of the tests of some files."""
    if not files:
        return []
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "not timed", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, *files], cwd=ROOT, capture_output=True, text=True, check=False)
    return [line for line in done.stdout.splitlines() if "::" in line]


def _score(fates: Counter[str]) -> float:
    return 100 * fates["killed"] / max(1, fates.total() - fates["same"])


def _print_score(area: str, fates: Counter[str]) -> None:
    if fates:
        counts = f"{fates.total():>8}{fates['killed']:>8}{fates['survived']:>9}{fates['not run']:>8}"
        print(f"{area:<14}{counts}{_score(fates):>7.1f}%")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
