"""Where the tests keep their files, and how long a test may take.

Each run has a folder of its own: runs side by side do not clean up after each other.
"""

from __future__ import annotations

import functools
import gc
import re
import shutil
import tempfile
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from possessive import wrong_repeats

_MOST_SECONDS = 400
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
    if getattr(config.option, "timeout", 0) is None:  # with pytest-timeout: the test fails, and it says where it waits
        config.option.timeout = _MOST_SECONDS
        config.option.timeout_method = "signal"
    if getattr(config.option, "dist", "no") == "load":
        config.option.dist = "loadgroup"  # the tests of Spark share a session, and one worker
        config.option.maxworkerrestart = "0"  # with a new worker for one that has crashed, the run never ends (3.8)
    if config.option.basetemp is None:
        config.option.basetemp = tempfile.mkdtemp(prefix="urisieve-tests-")
        config.add_cleanup(lambda: shutil.rmtree(config.option.basetemp, ignore_errors=True))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name binary data by its argument: a gzip file holds its time, and workers that name a test differently stop."""
    return argname if isinstance(val, bytes) and _BINARY.search(val) else None


def pytest_collection_finish() -> None:
    """Take the tests themselves, which stay to the end, out of what each collection of garbage looks through."""
    gc.collect()
    gc.freeze()
