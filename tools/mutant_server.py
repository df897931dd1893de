"""Run tests against mutants in forks of one process, for `tools/mutate.py`, which starts this and sends it jobs.

A *warm* server is pytest with the whole suite collected: a fork of it puts the changed code into the function objects
that hold it, and runs tests at once. A *cold* server has imported pytest and nothing of the package: its fork imports
the changed file like any other, and collects the tests anew. That is slower, and right for what runs at import. The
changed file is on the disk all the while, so that the processes that tests start see it, too.

    python tools/mutant_server.py READ WRITE [warm]     the descriptors for jobs and answers, lines of JSON
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import hypothesis
import pytest
from hypothesis import Phase

# Seconds of the processor that one test may take, beside some times what it takes without a mutant; and seconds on the
# clock that it may do nothing at all. The machine may be busy with other things.
BUSY, WAITING = 3.0, 30.0
# What a mutant may take of memory (bytes of addresses) and write into one file.
MEMORY, FILE = 12 << 30, 1 << 29
KILLED, SURVIVED, UNFIT = 10, 11, 12
OPTIONS = (
    *("-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov", "-m", "not spark and not browser"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # Hypothesis is imported before pytest looks for plug-ins
)


def inner_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the codes that stand in a code: functions, classes, comprehensions."""
    return (constant for constant in code.co_consts if isinstance(constant, CodeType))


def code_at(code: CodeType, steps: list[int]) -> CodeType:
    """Return the code that some steps lead to, each the number of one among those inside."""
    for step in steps:
        code = list(inner_codes(code))[step]
    return code


class Progress:
    """A plug-in of pytest for a fork: says which test runs, and ends the process at the first failure."""

    def __init__(self, to: int, numbers: dict[str, int]) -> None:
        self.to = to
        self.numbers = numbers
        self.process = os.getpid()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Say which test begins."""
        if os.getpid() == self.process:
            os.write(self.to, b"%d\n" % self.numbers.get(nodeid, 0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """End at the first failure."""
        if report.failed and os.getpid() == self.process:
            os._exit(KILLED)


def _fork(run: Callable[[int], None], temp: str, seconds: list[float]) -> tuple[str, int]:
    """Run something in a fork; return its fate (killed, survived, unfit or hung) and the number of the last test."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        status = KILLED
        try:
            os.close(reading)
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in (0, 1, 2):
                os.dup2(nothing, number)
            os.environ["TMPDIR"] = tempfile.tempdir = temp
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            run(writing)
            status = SURVIVED
        except _UnfitError:
            status = UNFIT
        finally:
            os._exit(status)
    os.close(writing)
    try:
        return _watch(child, reading, seconds)
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)


def _watch(child: int, reading: int, seconds: list[float]) -> tuple[str, int]:
    """Wait for the end of a fork, or for a test that takes too long."""
    ended = os.pidfd_open(child)
    test, busy, last, since = -1, 0.0, 0.0, time.monotonic()
    poll = select.poll()
    poll.register(ended, select.POLLIN)
    poll.register(reading, select.POLLIN)
    try:
        while True:
            events = dict(poll.poll(500))
            if reading in events:
                data = os.read(reading, 65536)
                if data:
                    test = int(data.split(b"\n")[-2])
                    busy = last = _processor(child)
                    since = time.monotonic()
                else:
                    poll.unregister(reading)
            if ended in events:
                status = os.waitpid(child, 0)[1]
                code = os.waitstatus_to_exitcode(status)
                return {SURVIVED: "survived", UNFIT: "unfit"}.get(code, "killed"), test
            if not events:
                usual = seconds[test] if 0 <= test < len(seconds) else 5.0
                now = _processor(child)
                if now - busy > BUSY + 4 * usual:
                    fate = "killed"
                elif now == last and time.monotonic() - since > WAITING + usual:
                    fate = "hung"
                else:
                    if now != last:
                        last, since = now, time.monotonic()
                    continue
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return fate, test
    finally:
        os.close(ended)


def _processor(session: int) -> float:
    """Return the seconds of the processor that a session has taken: that process, and those that it has started."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


class _UnfitError(Exception):
    """A mutant that a warm server cannot put in place."""


class Server:
    """Reads jobs and answers them, until there are no more."""

    def __init__(self, reading: int, writing: int) -> None:
        self.jobs = open(reading, encoding="utf-8")  # noqa: SIM115
        self.answers = open(writing, "w", encoding="utf-8")  # noqa: SIM115

    def answer(self, **what: object) -> None:
        """Write an answer."""
        self.answers.write(json.dumps(what) + "\n")
        self.answers.flush()

    def serve(self, run: Callable[[dict[str, Any], int], None]) -> None:
        """Answer each job by what a fork does with it."""
        for line in self.jobs:
            job = json.loads(line)
            temp = tempfile.mkdtemp(prefix="mutant-")
            started = time.monotonic()
            fate, test = _fork(lambda progress, job=job: run(job, progress), temp, job["seconds"])  # type: ignore[misc]
            shutil.rmtree(temp, ignore_errors=True)
            by = job["tests"][test] if test >= 0 and fate != "survived" else ""
            self.answer(fate=fate, by=by, seconds=round(time.monotonic() - started, 2))


class Cold:
    """A fork imports the package and collects the tests anew."""

    def run(self, job: dict[str, Any], to: int) -> None:
        """Run the tests of a job; say which at a descriptor."""
        numbers = {name: number for number, name in enumerate(job["tests"])}
        progress = Progress(to, numbers)

        class Chosen:
            @staticmethod
            def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
                items[:] = sorted((one for one in items if one.nodeid in numbers), key=lambda one: numbers[one.nodeid])

        files = sorted({name.partition("::")[0] for name in job["tests"]})
        ended = pytest.main([*OPTIONS, *files], plugins=[progress, Chosen()])
        if ended not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            os._exit(KILLED)


class Warm:
    """A plug-in of pytest: its forks run tests that have been collected, against functions that they change."""

    def __init__(self, server: Server, package: str) -> None:
        self.server = server
        self.package = package
        self.patterns = str(Path(package, "lean", "patterns.py"))
        # What modules of the package have called while they were imported, and what made a pattern that is kept.
        self.early: set[CodeType] = set()
        self.importing = 0
        sys.setprofile(self._note)

    def _note(self, frame: Any, event: str, _: object) -> None:
        code = frame.f_code
        if code.co_filename.startswith(self.package):
            if code.co_name == "<module>":
                self.importing += {"call": 1, "return": -1}.get(event, 0)
            elif event == "call" and (self.importing or frame.f_back.f_code.co_filename == self.patterns):
                self.early.add(code)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Serve jobs, in place of running the tests that have been collected."""
        sys.setprofile(None)
        gc.unfreeze()
        self.config = session.config
        self.items = {item.nodeid: item for item in session.items}
        self.functions: dict[tuple[str, str, int], list[FunctionType]] = {}
        self.caches = []
        for one in gc.get_objects():
            if isinstance(one, FunctionType) and one.__code__.co_filename.startswith(self.package):
                self.functions.setdefault(_name(one.__code__), []).append(one)
            elif type(one).__name__ == "_lru_cache_wrapper" and str(one.__module__).startswith("urisieve"):
                self.caches.append(one)
        names = {_name(code) for code in self.early}
        early = [[file, name, line] for file, name, line in names]
        gc.collect()
        gc.freeze()
        threads = len(os.listdir("/proc/self/task"))
        self.server.answer(ready=True, tests=len(self.items), threads=threads, early=early)
        self.server.serve(self.run)
        return True

    def run(self, job: dict[str, Any], to: int) -> None:
        """Run the tests of a job against the function that it changes; say which at a descriptor."""
        if job["file"]:
            self._change(job["file"], job["steps"])
        for cache in self.caches:
            cache.cache_clear()
        # A fork makes a folder of its own when it first asks for one.
        self.config._tmp_path_factory._basetemp = None  # type: ignore[attr-defined]
        self.config._tmp_path_factory._given_basetemp = Path(os.environ["TMPDIR"], "base")  # type: ignore[attr-defined]
        numbers = {name: number for number, name in enumerate(job["tests"])}
        self.config.pluginmanager.register(Progress(to, numbers))
        items = [self.items[name] for name in job["tests"] if name in self.items]
        for item, after in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)

    def _change(self, file: str, steps: list[int]) -> None:
        """Put the code of a changed function in place of the original."""
        if not any(getattr(module, "__file__", None) == file for module in list(sys.modules.values())):
            return  # it is read from the disk when it is imported
        source = Path(file).read_text(encoding="utf-8")
        changed = code_at(compile(source, file, "exec"), steps)
        found = self.functions.get((file, changed.co_qualname, changed.co_firstlineno))
        if not found:
            raise _UnfitError
        try:
            for function in found:
                function.__code__ = changed
        except ValueError as error:
            raise _UnfitError from error


def _name(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _without_shrinking() -> None:
    """Let Hypothesis stop at the first example that fails."""
    register = hypothesis.settings.register_profile

    def quicker(name: str, *arguments: Any, **settings: Any) -> None:
        register(name, *arguments, phases=(Phase.explicit, Phase.generate), **settings)

    type.__setattr__(hypothesis.settings, "register_profile", staticmethod(quicker))  # it is closed to others


def main(argv: list[str]) -> int:
    """Serve until there are no more jobs."""
    server = Server(int(argv[0]), int(argv[1]))
    _without_shrinking()
    package = str(Path(os.environ["PYTHONPATH"].split(os.pathsep)[0], "urisieve"))
    if "warm" in argv:
        return int(pytest.main([*OPTIONS], plugins=[Warm(server, package)]))
    server.answer(ready=True, tests=0, threads=len(os.listdir("/proc/self/task")), early=[])
    server.serve(Cold().run)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
