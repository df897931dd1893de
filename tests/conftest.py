"""The profile of property tests, where the tests keep their files, and how long a test may take.

Each run has a folder of its own: runs side by side do not clean up after each other.
"""

from __future__ import annotations

import faulthandler
import functools
import gc
import math
import os
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import urisieve
from tests.helpers import built_kernel, strategies  # noqa: F401 - the latter loads the profile of property tests
from tests.helpers.possessive import wrong_repeats

_SOURCES = Path(__file__).resolve().parent.parent / "src"
_MOST_SECONDS = 400
# For a test that no signal ends: its process ends. The clock is wound again every so often, since it is a thread: one
# for each test, as `faulthandler_timeout` has it, is waited for 15 ms on a busy machine.
_LAST_SECONDS = 500
_WOUND_SECONDS = 30
_ERRORS = pytest.StashKey[int]()
_WOUND = pytest.StashKey[float]()
_AT_A_TIME = 20  # for each that is sent, pytest-xdist looks through all that were
# The tests of one worker. (The groups of pytest-xdist 3.8 are without effect under pytest 9.2.)
_SHARED = re.compile(r"(?<=/test_report_)browser|(?<=/test_)spark|(?<=\[)spark(?=\]$)")
_TIMED = {"assert_linear", "_assert_linear", "_seconds", "perf_counter", "process_time"}
_BINARY = re.compile(rb"[^\s\x20-\x7e]")


@functools.wraps(_parser.parse)
def _examined(*arguments: Any, **more: Any) -> Any:
    """Parse a pattern for `re.compile`, and refuse it if some versions of `re` would get it wrong."""
    parsed = _parser.parse.__wrapped__(*arguments, **more)
    faults = list(wrong_repeats(parsed))
    assert not faults, f"{arguments[0]!r} repeats a group possessively that is not atomic: {faults}"
    return parsed


_parser.parse = _examined


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if built_kernel.fault is not None:
        pytest.exit(built_kernel.fault, returncode=pytest.ExitCode.USAGE_ERROR)
    if getattr(config.option, "timeout", 0) is None:  # with pytest-timeout: the test fails, and it says where it waits
        config.option.timeout = _MOST_SECONDS
        config.option.timeout_method = "signal"
    if getattr(config.option, "dist", "no") == "load":
        config.option.maxworkerrestart = "0"  # with a new worker for one that has crashed, the run never ends (3.8)
    config.stash[_ERRORS] = os.dup(2)  # before pytest takes the place of it
    config.stash[_WOUND] = -math.inf
    config.add_cleanup(lambda: os.close(config.stash[_ERRORS]))
    config.add_cleanup(faulthandler.cancel_dump_traceback_later)  # first
    if config.option.basetemp is None:
        config.option.basetemp = tempfile.mkdtemp(prefix="urisieve-tests-")
        config.add_cleanup(lambda: shutil.rmtree(config.option.basetemp, ignore_errors=True))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Wind the clock that ends the process, and prints where each thread of it is, if a test goes on for too long."""
    stash, now = item.config.stash, time.monotonic()
    if now - stash[_WOUND] > _WOUND_SECONDS:
        stash[_WOUND] = now
        faulthandler.dump_traceback_later(_LAST_SECONDS + _WOUND_SECONDS, exit=True, file=stash[_ERRORS])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give a worker some tests of a file at a time, and all that share a session of Spark or a browser."""
    from xdist.scheduler import LoadScopeScheduling

    class SomeOfAFile(LoadScopeScheduling):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(config, log)
            self._scopes: dict[str, str] = {}
            self._seen: Counter[str] = Counter()

        def _split_scope(self, nodeid: str) -> str:
            if nodeid not in self._scopes:
                file = nodeid.partition("::")[0]
                shared = _SHARED.search(nodeid)
                self._scopes[nodeid] = shared[0] if shared else f"{file} {self._seen[file] // _AT_A_TIME}"
                self._seen[file] += 1
            return self._scopes[nodeid]

    return SomeOfAFile() if config.option.dist == "load" else None


@pytest.fixture(autouse=True)
def _package_that_is_tested() -> None:
    """Undo what a tool of this repository does to the path: a process that a test starts would load its sources.

    Without a kernel beside them these are another program than the one that is installed and tested.
    """
    if not Path(urisieve.__file__).is_relative_to(_SOURCES):
        sys.path[:] = [path for path in sys.path if Path(path) != _SOURCES]


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name binary data by its argument: a gzip file holds its time, and workers that name a test differently stop."""
    return argname if isinstance(val, bytes) and _BINARY.search(val) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what the default command leaves out, and .ci/run runs: each test that compares times, and what takes long.

    Of a test that is marked as `sampled(n)`, each n-th set of parameters runs by default, and the others are long.
    """
    seen: Counter[str] = Counter()
    for item in items:
        sampled = item.get_closest_marker("sampled")
        if sampled is not None:
            test = item.nodeid.partition("[")[0]
            if seen[test] % sampled.args[0]:
                item.add_marker("long")
            seen[test] += 1
        code = item.function.__code__ if isinstance(item, pytest.Function) else None
        if code and not _TIMED.isdisjoint(code.co_names + code.co_varnames):
            item.add_marker("timed")


def pytest_collection_finish() -> None:
    """Take the tests themselves, which stay to the end, out of what each collection of garbage looks through."""
    gc.collect()
    gc.freeze()
