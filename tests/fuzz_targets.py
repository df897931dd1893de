"""What is fuzzed: functions of some bytes that raise if a promise is broken. `tools/fuzz.py` drives them by coverage.

The first bytes choose options, the rest is the input. `tests/test_fuzz_targets.py` runs each target over its seeds and
over all that was ever found by it.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import slow_twin
import test_mutations
from generated_texts import seeds
from two_searches import KNOWN, Case, difference
from urisieve import (
    Bare,
    Lossy,
    Options,
    ReadingOptions,
    Record,
    Rejection,
    Scanner,
    Store,
    StoreError,
    UrisieveError,
    check,
    explain,
    normalize,
    parse,
    read_records,
    sieve,
    to_iri,
    to_uri,
)
from urisieve.errors import InputError
from urisieve.lean.values import replace
from urisieve.records.batch import COLUMNS
from urisieve.rules.links.redirectors import REDIRECTORS
from urisieve.rules.links.resolver_links import RESOLVER_LINKS
from urisieve.runs.document_sieve import DocumentSieve
from urisieve.sources.tally import Tally

__all__ = ["SEEDS", "TARGETS"]

Target = Callable[[bytes], None]

EVERYTHING: Final = Options(
    schemeless="names", email="addresses", refang="known-forms", nested="report", repair="encode", schemes="any"
)
FOUND: Final = (
    Options(),
    EVERYTHING,
    Options(schemeless="www", nested="report"),
    Options(email="addresses", embedded_space="keep"),
    Options(refang="known-forms"),
    Options(schemes="any", max_length=64),
    Options(repair="encode", zones="rfc6874"),
    Options(urn_syntax="rfc8141", embedded_space="line-breaks"),
    Options(bare=tuple(Bare)),
    Options(unwrap="known"),
)
BARE: Final = (
    Options(bare=tuple(Bare)),
    replace(EVERYTHING, bare=tuple(Bare), unwrap="any"),
    Options(bare=("doi", "handle"), max_length=64),
    Options(bare=("isbn", "issn"), refang="known-forms", nested="report"),
    Options(bare=("orcid", "ark"), schemeless="names", schemes={"http"}),
)
WRAPPED: Final = (
    Options(unwrap="known"),
    Options(unwrap="any"),
    replace(EVERYTHING, bare=tuple(Bare), unwrap="any"),
    Options(unwrap="any", nested="report"),
    Options(unwrap="any", refang="known-forms", max_length=96),
)
JUDGED: Final = (
    Options(),
    Options(level="none"),
    Options(level="syntax"),
    Options(urn_syntax="rfc8141"),
    Options(repair="encode"),
    Options(zones="rfc6874", charset="legacy"),
    Options(lossy=["drop-fragment", "sort-query", "strip-www"]),
    Options(lossy=["resolver-links"]),
    Options(lossy=list(Lossy), level="none"),
    Options(bare=tuple(Bare)),
)


def _chosen(data: bytes, options: tuple[Options, ...]) -> tuple[Options, int, str]:
    """Return the options and a number that the first two bytes stand for, and the text that the others are."""
    first, second = (*data[:2], 0, 0)[:2]
    return options[first % len(options)], second, data[2:].decode("utf-8", "surrogateescape")


def _rows(found: list[Record | Rejection]) -> list[tuple[type, Any]]:
    return [(type(one), one._row) for one in found]


def fuzz_kernel(data: bytes) -> None:
    """The search of the kernel finds what that in Python finds, whatever the pieces."""
    options, size, _ = _chosen(data, KNOWN)
    body = data[2:]
    pieces = [body[start : start + size] for start in range(0, len(body), size)] if size else [body]
    differs = difference(Case(pieces, options))
    assert differs is None, differs


def fuzz_scanner(data: bytes) -> None:
    """Findings slice the text, in order and without overlap; where the text is cut does not matter."""
    _scan(data, FOUND)


def fuzz_refang(data: bytes) -> None:
    """The same of defanged text."""
    _scan(data, (Options(refang="known-forms"), EVERYTHING, Options(refang="known-forms", email="addresses")))


def fuzz_bare(data: bytes) -> None:
    """The same with identifiers that have no scheme."""
    _scan(data, BARE)


def fuzz_unwrap(data: bytes) -> None:
    """The same with links inside links of redirectors: each lies inside the one before it that holds it."""
    _scan(data, WRAPPED)


def _scan(data: bytes, options: tuple[Options, ...]) -> None:
    chosen, size, text = _chosen(data, options)
    whole = list(sieve(text, options=chosen))
    start = end = 0
    for found in whole:
        assert text[found.start : found.end] == found.raw
        codes = found.warnings if isinstance(found, Record) else ()
        is_inside = start <= found.start <= found.end <= end
        if "unwrapped" in codes:
            assert is_inside
        elif not (is_inside and not found and chosen.unwrap != "off"):
            assert "nested" in codes or end <= found.start < found.end
        if not is_inside:
            start, end = found.start, max(end, found.end)
        assert isinstance(found.as_dict(), dict)
    scanner = Scanner(chosen)
    step = size % 37 + 1
    pieces = [scanner.feed(text[start : start + step]) for start in range(0, len(text), step)]
    cut = [found for piece in (*pieces, scanner.close()) for found in piece]
    assert _rows(cut) == _rows(whole)


def fuzz_identifier(data: bytes) -> None:
    """A verdict is the grammar's, a canonical form is one, and stays itself."""
    options, _, text = _chosen(data, JUDGED)
    found = check(text, options=options)
    assert explain(text, options=options).as_dict()
    if isinstance(found, Rejection):
        assert 0 <= found.offset <= len(found.raw)
        assert found.explain()
        return
    assert found.uri.isascii()
    assert slow_twin.is_uri(found.uri) or found.scheme in ("sip", "sips"), found.uri
    again = parse(found.uri, options=options)
    assert (again.uri, again.key) == (found.uri, found.key)
    assert normalize(found.uri, options=options) == found.uri
    assert Record.__repr__(found).isprintable()


def fuzz_iri(data: bytes) -> None:
    """What maps to a URI maps back to one that maps to the same (RFC 3987 3.1, 3.2)."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        uri = to_uri(text)
    except UrisieveError:
        return
    assert uri.isascii()
    assert to_uri(to_iri(uri)) == to_uri(to_iri(to_uri(to_iri(uri))))
    found = check(text)
    if isinstance(found, Record):
        assert parse(found.iri).key == found.key


def fuzz_urn(data: bytes) -> None:
    """URNs are judged by the ABNF of RFC 2141 or RFC 8141, and no rule of a namespace fails."""
    body = data[1:].decode("utf-8", "surrogateescape")
    text = f"urn:{body}"
    is_newer = bool(data[:1] and data[0] & 1)
    found = check(text, options=Options(urn_syntax="rfc8141" if is_newer else "rfc2141"))
    if text.isascii() and " " not in text:
        valid = slow_twin.is_urn_8141(text) if is_newer else None
        if isinstance(found, Record) and valid is not None:
            assert valid
    if isinstance(found, Record):
        assert found.urn is not None
        assert found.nid is not None
        assert parse(found.uri, options=Options(urn_syntax="rfc8141" if is_newer else "rfc2141")).key == found.key
        assert list(found.notices) == list(found.notices)
        assert found.parts is not None


def _of_source(kind: str, **settings: Any) -> Target:
    """Return the target that reads bytes as one kind of input: nothing is raised, and blocks do not matter."""
    reading = ReadingOptions(input=kind, **settings)

    def fuzz_source(data: bytes) -> None:
        options, size, _ = _chosen(data, FOUND[:2])
        body = data[2:]
        assert _read(body, options, reading, size + 1) == _read(body, options, reading, 1 << 18)

    fuzz_source.__name__ = f"fuzz_{kind}"
    return fuzz_source


def _read(data: bytes, options: Options, reading: ReadingOptions, size: int) -> list[Any]:
    tally = Tally()
    failures: list[InputError] = []
    sieve = DocumentSieve(
        options, reading, tally=tally, failed=lambda _, error: failures.append(error), columns=frozenset(COLUMNS)
    )
    blocks = [data[start : start + size] for start in range(0, len(data), size)]
    rows = [row for batch in sieve.batches("x", blocks) for row in _rows(batch.merged())]
    for error in failures:
        if getattr(error, "reason", "") == "unexpected":
            raise error
    assert "unexpected" not in {reason for _, reason in tally.broken}
    return rows


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


def fuzz_records(data: bytes) -> None:
    """Records are read back, or what is none is refused."""
    with _file("records.jsonl", data) as path:
        try:
            for record in read_records(path):
                assert record.as_dict()["uri"] == record.uri
        except UrisieveError:
            return


KINDS: Final = ("auto", "mail", "html", "xml", "json", "jsonl", "csv", "tsv", "journal", "warc")
TARGETS: Final[dict[str, Target]] = {
    "kernel": fuzz_kernel,
    "scanner": fuzz_scanner,
    "refang": fuzz_refang,
    "bare": fuzz_bare,
    "unwrap": fuzz_unwrap,
    "identifier": fuzz_identifier,
    "iri": fuzz_iri,
    "urn": fuzz_urn,
    **{kind: _of_source(kind) for kind in KINDS},
    "store": fuzz_store,
    "records": fuzz_records,
}


def _seeds() -> Iterator[tuple[str, bytes]]:
    """Yield inputs to begin with, by target."""
    for text in seeds():
        data = text.encode("utf-8", "surrogatepass")
        for target in ("kernel", "scanner", "refang", "bare", "unwrap"):
            yield target, b"\0\0" + data
        for target in ("identifier",):
            yield target, b"\0\0" + data.strip(b'<>" ')
        yield "iri", data.strip(b'<>" ')
        if text[:4].lower() == "urn:":
            yield "urn", b"\0" + data[4:]
    for text in BARE_TEXTS:
        yield "bare", b"\0\0" + text.encode()
        yield "bare", b"\1\3" + text.encode()
    for row in REDIRECTORS:
        for link, inner in row.examples:
            yield "unwrap", f"\0\0see <{link}>, {inner}".encode()
            yield "unwrap", f"\1\3https://web.archive.org/web/2020/{link} https://www.google.com/url?q={link}".encode()
    for resolver in RESOLVER_LINKS:
        for link, _ in (*resolver.same, *resolver.different):
            yield "identifier", f"\7\0{link}".encode()
    for name, data in test_mutations.ALL.items():
        yield "auto", b"\0\x40" + data
        kind = {"eml": "mail", "mbox": "mail", "xml": "xml", "html": "html"}.get(name.rpartition(".")[2])
        if kind is not None:
            yield kind, b"\0\x40" + data
    yield "html", b"\0\x40" + test_mutations.FILES["b.html"] + b"<base href=http://b.example/><img srcset='a 1x, b 2x'>"
    yield "journal", b"\0\x40" + test_mutations.JOURNAL
    yield "json", b'\0\x40{"a": ["http://a.example/\\u0026x", {"b": "http:\\/\\/b.example"}]}'
    yield "jsonl", b'\0\x40{"a": "http://a.example/"}\n{"b": ["http://b.example/"]}\n'
    yield "csv", b'\0\x40a,b\n"http://a.example/""x",http://b.example/\n'
    yield "tsv", b"\0\x40a\tb\nhttp://a.example/\thttp://b.example/\n"
    yield "warc", b"\0\x40" + WARC
    yield "records", RECORDS
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "store")
        with Store(path) as store:
            store.add(["http://a.example/", "urn:a:b"])
        with open(path, "rb") as file:
            yield "store", file.read()


BARE_TEXTS: Final = (
    "doi 10.1000/182, 10.1002/(SICI)1097(199706)1:2<3::AID-X4>3.0.CO;2-5 and doi:10/abc",
    "ISBN 0-395-36341-1 (978-0-395-36341-6); ISBN: 0395363412",
    "ISSN 0378-5955 2434-561X 0000-0002-1825-0097 orcid: 0000000218250097",
    "ark 12148/btv1b8449691v, hdl:2027/mdp.1, handle 20.1000/5555 tel 0378 5955",
)
WARC: Final = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://t.example/\r\nContent-Length: 86\r\n\r\n"
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><a href='/x'>x</a> http://b.example/</html>\r\n\r\n"
)
RECORDS: Final = json.dumps(parse("http://a.example/").as_dict()).encode() + b"\n"
SEEDS: Final[dict[str, list[bytes]]] = {name: [] for name in TARGETS}
for _target, _data in _seeds():
    SEEDS[_target].append(_data)
