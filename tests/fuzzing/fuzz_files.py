"""Targets of the fuzzer that read files of urisieve's own, and what users write: see `fuzz_targets`."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from urisieve import (
    Batch,
    Filter,
    Record,
    Store,
    StoreError,
    Tally,
    UrisieveError,
    UsageError,
    deduplicate_rows,
    extract,
    parse,
    read_records,
    write_records,
)
from urisieve.options import Format
from urisieve.runs.events import BytesRead
from urisieve.wording import escaped, printable

__all__ = ["FILES", "file_seeds"]

Target = Callable[[bytes], None]

_LINKS: Final = (
    "http://www.a.example/ ftp://u@b.example:21/x?y#z urn:isbn:0395363411 http://b\u00fccher.example/\u4e2d "
    "mailto:a@b.example http://[::1]/ http://127.0.0.1:80/ file:///etc/x http://c.example/%zz-"
)


@contextmanager
def _file(name: str, data: bytes) -> Iterator[str]:
    """Write a file of this name for a while, and yield its path."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(data)
        yield path


def fuzz_store(data: bytes) -> None:
    """A file that is no store, or a damaged one, is refused with a message; a good one answers."""
    with _file("store", data) as path:
        try:
            with Store(path, read_only=True) as store:
                len(store)
                assert "http://no.example/" not in store
                list(store.entries())
        except StoreError as error:
            if path not in str(error):
                raise AssertionError(f"the message does not name the file: {error}") from error


class _EndedError(Exception):
    """Ends a run in the middle."""


def _begun(rows: str, output: str, checkpoint: str) -> None:
    """Begin to deduplicate rows, and end after some of them, so that the checkpoint stays."""

    def end(event: Any) -> None:
        if isinstance(event, BytesRead):
            raise _EndedError

    with suppress(_EndedError):
        deduplicate_rows([rows], ["url"], input="csv", output=output, checkpoint=checkpoint, on_event=end)


def fuzz_checkpoint(data: bytes) -> None:
    """A checkpoint that was damaged is refused, or the run goes on from it; the rows stay as they were.

    The first byte says whether all of the file is given, or what one of its notes says.
    """
    content = b"id,url\n1,http://A.example\n2,http://a.example/\n3,http://b.example/\n"
    with _file("rows.csv", content) as rows:
        folder = os.path.dirname(rows)
        output, checkpoint = os.path.join(folder, "unique.csv"), os.path.join(folder, "checkpoint")
        if data[:1] < b"\x40":
            with open(checkpoint, "wb") as file:
                file.write(data[1:])
        else:
            _begun(rows, output, checkpoint)
            with Store(checkpoint) as store:
                store.note("checkpoint of" if data[:1] < b"\x80" else "checkpoint", data[1:].decode("utf-8", "replace"))
                store.commit()
        with suppress(UrisieveError):
            deduplicate_rows([rows], ["url"], input="csv", output=output, checkpoint=checkpoint)
        with open(rows, "rb") as file:
            assert file.read() == content


_FORMATS: Final = (Format.JSONL, Format.CSV, Format.TSV)


def fuzz_records(data: bytes) -> None:
    """Records are read back, or what is none is refused."""
    with _file("records", data[1:]) as path:
        try:
            for record in read_records(path, format=_FORMATS[data[0] % 3 if data else 0]):
                assert record.as_dict()["uri"] == record.uri
        except UrisieveError:
            return


def fuzz_written(data: bytes) -> None:
    """Records that are written are read again as they were, and each line is one that a terminal does not obey."""
    kind = _FORMATS[data[0] % 3 if data else 0]
    records = list(extract(data[1:].decode("utf-8", "surrogateescape")))
    with _file("records", b"") as path:
        assert write_records(records, path, format=kind, show_passwords=True) == len(records)
        tally = Tally()
        again = list(read_records(path, format=kind, tally=tally))
        assert not tally.broken
        assert [(one.uri, one.key, one.raw) for one in again] == [(one.uri, one.key, one.raw) for one in records]
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
    assert escaped(text) == text or kind is Format.CSV
    assert text.count("\n") == len(records) + (kind is not Format.JSONL)


def fuzz_template(data: bytes) -> None:
    """A template is refused, or writes each record as it says."""
    template = data.decode("utf-8", "surrogateescape")
    records = list(extract(_LINKS))
    with _file("lines", b"") as path:
        try:
            write_records(records, path, format="text", template=template)
        except UsageError:
            return
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            text = file.read()
    if template.isprintable() and "\\" not in template and "{" not in template.replace("{uri}", ""):
        lines = [template.replace("{uri}", record.uri).replace("}}", "}") for record in records]
        assert text == "".join(f"{line}\n" for line in lines)
    assert text.endswith("\n")


def _filter(words: dict[str, list[str]]) -> Filter:
    return Filter(**words)  # type: ignore[arg-type] # none of them is a list of links


def fuzz_filter(data: bytes) -> None:
    """Words of a filter are refused, or divide identifiers into those that fit, and those that do not."""
    word = data[1:].decode("utf-8", "surrogateescape")
    field = ("kinds", "schemes", "hosts", "domains", "warnings", "present")[data[0] % 6 if data else 0]
    batch = Batch.of(list(extract(_LINKS)))
    try:
        fits, others = (batch.where(_filter({field: [f"{sign}{word}"]})) for sign in ("", "!"))
    except UsageError:
        return
    if word.startswith("!"):
        return  # it has two of them
    assert sorted([*fits.column("uri"), *others.column("uri")]) == sorted(batch.column("uri"))


def fuzz_rows(data: bytes) -> None:
    """Rows stay to the byte, in their order; those that stay are unique, so that nothing is left out of them again."""
    kind, name = (("csv", "rows.csv"), ("tsv", "rows.tsv"), ("jsonl", "rows.jsonl"))[data[0] % 3 if data else 0]
    head = {"csv": b"id,url\n", "tsv": b"id\turl\n", "jsonl": b""}[kind]
    given = head + data[1:]
    with _file(name, given) as rows:
        outputs = [os.path.join(os.path.dirname(rows), f"{number}{name}") for number in (1, 2)]
        try:
            counts = deduplicate_rows([rows], ["url"], input=kind, output=outputs[0])
        except UrisieveError:
            return
        assert counts.rows == counts.kept + counts.duplicates + counts.unmatched
        again = deduplicate_rows([outputs[0]], ["url"], input=kind, output=outputs[1])
        contents = []
        for path in outputs:
            with open(path, "rb") as file:
                contents.append(file.read())
    assert again.duplicates == 0
    assert contents[0] == contents[1]
    if not counts.duplicates:
        assert contents[0].rstrip(b"\r\n") == given.rstrip(b"\r\n")


def fuzz_shown(data: bytes) -> None:
    """No text has anything in it, as it is shown, that a terminal obeys."""
    text = data.decode("utf-8", "surrogateescape")
    shown = printable(text)
    assert printable(shown) == shown
    assert len(shown) == len(text)
    assert not any(
        character < " " or "\x7f" <= character <= "\x9f" or character in "\u202e\u2066" for character in shown
    )
    assert escaped(escaped(text)) == escaped(text)
    for record in extract(text):
        assert Record.__repr__(record).isprintable()


FILES: Final[dict[str, Target]] = {
    "store": fuzz_store,
    "checkpoint": fuzz_checkpoint,
    "records": fuzz_records,
    "written": fuzz_written,
    "template": fuzz_template,
    "filter": fuzz_filter,
    "rows": fuzz_rows,
    "shown": fuzz_shown,
}


def file_seeds() -> Iterator[tuple[str, bytes]]:
    """Yield inputs to begin with, by target."""
    yield "records", b"\0" + json.dumps(parse("http://a.example/").as_dict()).encode() + b"\n"
    records = list(extract(_LINKS))
    for number, kind in enumerate(_FORMATS):
        with _file("records", b"") as path:
            write_records(records, path, format=kind)
            with open(path, "rb") as file:
                yield "records", bytes([number]) + file.read()
        yield "written", bytes([number]) + _LINKS.encode()
        yield (
            "rows",
            bytes([number])
            + (b'1,http://A.example\n2,"http://a.example/"\n\n3,x\n', b"1\thttp://A.example\n")[number == 1],
        )
    yield "rows", b'\2{"id": 1, "url": "http://A.example"}\n{"url": "http://a.example/"}\n'
    for template in ("{uri}", r"{{{host}}}\t{path}%", "{key}{key}\\n", "{source}:{line} {warnings}"):
        yield "template", template.encode()
    for number, word in enumerate(("uri", "http:", "*.example", "b\u00fccher.example", "any", "host")):
        yield "filter", bytes([number]) + word.encode()
    yield "shown", _LINKS.encode() + "\u202e\x1b[2J".encode()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "store")
        with Store(path) as store:
            store.add(["http://a.example/", "urn:a:b"])
        with open(path, "rb") as file:
            yield "store", file.read()
    with _file("rows.csv", b"id,url\n1,http://A.example\n2,http://a.example/\n") as rows:
        path = os.path.join(os.path.dirname(rows), "checkpoint")
        _begun(rows, f"{rows}.out", path)
        with open(path, "rb") as file:
            yield "checkpoint", b"\0" + file.read()
    yield "checkpoint", b'\x50["x", []]'
    state = {"size": 7, "parts": 0, "rows": 1, "state": "", "found": True, "failed": False}
    yield "checkpoint", b"\x90" + json.dumps(state).encode()
