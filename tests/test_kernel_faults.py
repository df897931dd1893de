"""Faults that the kernel had, one test each."""

from __future__ import annotations

import subprocess
import sys

import pytest

from test_cli_support import call
from urisieve import Options, sieve
from urisieve.find.kernel_search import KernelSearch
from urisieve.find.search import Search
from urisieve.kernel import compiled, kernel
from urisieve.options import DEFAULT_OPTIONS
from urisieve.records.batch import BatchBuffer

needs_kernel = pytest.mark.skipif(not compiled, reason="the kernel is not compiled")


@needs_kernel
@pytest.mark.parametrize("length", range(62, 69))
@pytest.mark.parametrize("tail", ["", ".", "é", ")", " x"])
@pytest.mark.parametrize(
    "head", ["http://e.example/", "mailto:a@b.c", "<http://e.example/", '"http://e.example/', "urn:x:"]
)
def test_a_candidate_that_is_too_long_at_the_end_of_the_text(head: str, tail: str, length: int) -> None:
    text = head.ljust(length, "a") + tail
    options = Options(max_length=64)
    both = []
    for kind in (Search, KernelSearch):
        buffer = BatchBuffer()
        search = kind(options, buffer)
        search.finish(text)
        both.append([found._row for found in buffer.taken().merged()])
    assert both[0] == both[1]


@needs_kernel
def test_the_module_may_be_imported_again() -> None:
    program = (
        "import sys\n"
        "for _ in range(8):\n"
        "    sys.modules.pop('urisieve._kernel', None)\n"
        "    import urisieve._kernel\n"
        "from urisieve import extract\n"
        "print(next(extract('http://e.example/')).uri)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "http://e.example/\n"


@pytest.mark.parametrize("attribute", [b"href\0", b"hre\0f", b"\0href"])
def test_a_null_character_is_a_part_of_a_name(attribute: bytes) -> None:
    page = b"<html><a " + attribute + b'="http://e.example/">x</a> <a href="http://f.example/">y</a>'
    assert call("extract", "--quiet", stdin=page).out == b"http://f.example/\n"


@needs_kernel
def test_a_column_that_was_not_asked_for_is_an_error() -> None:
    search = KernelSearch(DEFAULT_OPTIONS, BatchBuffer())._search
    search.feed("http://e.example/")
    assert not search.run(True)
    harvest = search.take(0)
    assert harvest is not None
    for name in ("raw", "start", "line", "byte_end"):
        with pytest.raises(ValueError, match="was not asked for"):
            harvest.column(name)
    assert harvest.column("uri") == ["http://e.example/"]


@needs_kernel
def test_bytes_that_somebody_may_change_are_refused() -> None:
    search = KernelSearch(DEFAULT_OPTIONS, BatchBuffer())._search
    with pytest.raises(TypeError, match="bytes"):
        search.feed_bytes(memoryview(bytearray(b"http://e.example/")), False)
    assert kernel.version()


def test_a_text_that_ends_in_the_middle_of_a_link_is_searched_to_its_end() -> None:
    assert [found.raw for found in sieve("see http://e.example/" + "a" * 70_000)] != []
