"""Where the tests keep their files: a folder for each run; runs side by side do not clean up after each other."""

from __future__ import annotations

import gc
import shutil
import tempfile

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.option.basetemp is None:
        config.option.basetemp = tempfile.mkdtemp(prefix="urisieve-tests-")
        config.add_cleanup(lambda: shutil.rmtree(config.option.basetemp, ignore_errors=True))


def pytest_collection_finish() -> None:
    """Take the tests themselves, which stay to the end, out of what each collection of garbage looks through."""
    gc.collect()
    gc.freeze()
