"""An output that was completed or given up takes nothing more, whatever still holds it."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.folders import ROOT
from urisieve import Batch, KeySet, OutputError, Store, extract, extract_batches
from urisieve.options import Format
from urisieve.sinks import (
    CountSink,
    FirstSeenSink,
    FormatSettings,
    Output,
    RecordSink,
    SafeCells,
    StoreSink,
    open_output,
)
from urisieve.sinks.outputs import open_added_to

TEXT = "".join(f"see http://a.example/{number} and urn:isbn:0395363411\n" for number in range(400))
OPENED: dict[str, Callable[[str], Output]] = {"replaced": open_output, "in place": open_added_to}


def _batch() -> Batch:
    return Batch.of(list(extract(TEXT)))


def _settings(kind: Format) -> FormatSettings:
    if kind is Format.PARQUET:
        pytest.importorskip("pyarrow")
    return FormatSettings(kind, secret=b"s")


class _GivenUpError(Exception):
    pass


SINKS: dict[str, Callable[[FormatSettings, Output, Path], Any]] = {
    "records": lambda settings, output, _: RecordSink(settings, output),
    "first seen": lambda settings, output, _: FirstSeenSink(settings, output, KeySet()),
    "store": lambda settings, output, folder: StoreSink(settings, output, Store(folder / "store")),
}


def _descriptors(folder: Path) -> list[int]:
    """Open many files, so that one of them has the number that the output had."""
    return [os.open(folder / f"other-{number}", os.O_RDWR | os.O_CREAT, 0o666) for number in range(20)]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("is_left", [True, False])
@pytest.mark.parametrize("opened", OPENED)
@pytest.mark.parametrize("name", SINKS)
@pytest.mark.parametrize("kind", Format)
def test_a_sink_that_was_left_writes_to_no_other_file(
    kind: Format, name: str, opened: str, is_left: bool, tmp_path: Path
) -> None:  # P15
    settings = _settings(kind)
    path = tmp_path / "output"
    sink: Any = None
    with suppress(_GivenUpError), OPENED[opened](str(path)) as output:
        sink = SINKS[name](settings, output, tmp_path)
        for _ in range(3):
            sink.take(_batch())
        if is_left:
            raise _GivenUpError
        sink.close()
    before = path.read_bytes() if path.exists() else None
    others = _descriptors(tmp_path)
    try:
        with suppress(OutputError):
            sink.take(_batch())
        with suppress(OutputError):
            sink.close()
        sink.discard()
        del sink
        gc.collect()
        gc.freeze()  # what other tests have left is looked through once
        with pytest.raises(OutputError, match="nothing more can be written, since the output was completed or given"):
            output.write(b"more")
        for again in (output.complete, output.give_up, output.complete):
            again()
        assert [os.fstat(one).st_size for one in others] == [0] * len(others)
        for one in others:
            os.write(one, b"x")  # and they are open still
    finally:
        for one in others:
            os.close(one)
    assert (path.read_bytes() if path.exists() else None) == before
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".urisieve-")]


@pytest.mark.parametrize("kind", Format)
def test_a_sink_says_that_its_output_has_ended(kind: Format, tmp_path: Path) -> None:
    settings = _settings(kind)
    output = open_output(str(tmp_path / "output"))
    sink = RecordSink(settings, output)
    sink.take(_batch())
    output.give_up()

    def go_on() -> None:  # a table takes some rows in memory
        sink.take(_batch())
        sink.close()

    with pytest.raises(OutputError, match="nothing more can be written"):
        go_on()


def test_counts_are_not_written_to_an_output_that_has_ended(tmp_path: Path) -> None:
    output = open_output(str(tmp_path / "output"))
    sink = CountSink()
    for batch in extract_batches([TEXT]):
        sink.take(batch)
    output.complete()
    from urisieve.sinks.record_formats import record_format

    for kind in Format:
        with pytest.raises(OutputError, match="nothing more can be written"):
            record_format(_settings(kind)).write_counts(sink, output, 1, "first", counts=True, spellings=0)  # type: ignore[arg-type] # a word
    assert (tmp_path / "output").read_bytes() == b""


def test_what_passes_on_to_an_output_ends_with_it(tmp_path: Path) -> None:
    with open_output(str(tmp_path / "output")) as output:
        safe = SafeCells(output)
        safe.write(b"=1,2\n")
    with pytest.raises(OutputError, match="nothing more can be written"):
        safe.write(b"=1,2\n")


def test_standard_output_ends_too() -> None:
    code = (
        "from urisieve import OutputError\nfrom urisieve.sinks import open_output\n"
        "with open_output('-') as output:\n    output.write(b'a\\n')\n"
        "try:\n    output.write(b'b\\n')\nexcept OutputError as error:\n    print('c')\n"
        "with open_output('-') as output:\n    output.write(b'd\\n')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    assert (done.stdout.split(), done.stderr) == ([b"a", b"c", b"d"], b"")


def test_a_writer_that_is_collected_late_says_nothing(tmp_path: Path) -> None:
    """Not even at the end of the process."""
    pytest.importorskip("pyarrow")
    code = (
        "import sys, os\nfrom urisieve import extract, Batch\nfrom urisieve.sinks import *\n"
        "batch = Batch.of(list(extract('http://a.example/ ' * 70_000)))\n"
        "try:\n    with open_output(sys.argv[1]) as output:\n"
        "        sink = TableSink(FormatSettings('parquet'), output)\n"
        "        sink.take(batch)\n        raise KeyError\n"
        "except KeyError:\n    pass\n"
        "other = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)\n"
    )
    path = tmp_path / "output"
    done = subprocess.run([sys.executable, "-c", code, str(path)], cwd=ROOT, capture_output=True, check=True)
    assert (done.stdout, done.stderr, path.read_bytes()) == (b"", b"", b"")
