"""What is fuzzed: functions of some bytes that raise if a promise is broken. `tools/fuzz.py` drives them by coverage.

The first bytes choose options, the rest is the input. `tests/fuzzing/test_fuzz_targets.py` runs each target over its
seeds and over all that was ever found by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from tests.fuzzing.fuzz_files import FILES, file_seeds
from tests.fuzzing.fuzz_sources import SOURCES, rows_of, source_seeds
from tests.helpers.generated_texts import seeds
from tests.helpers.two_searches import KNOWN, Case, difference
from tests.syntax import slow_twin
from urisieve import (
    Options,
    Record,
    Rejection,
    Scanner,
    UrisieveError,
    check,
    explain,
    key,
    normalize,
    normalize_reference,
    parse,
    resolve,
    sieve,
    to_iri,
    to_uri,
)
from urisieve.lean import replace
from urisieve.merging import NAMED_STEPS
from urisieve.options import Bare, Level
from urisieve.rules.redirectors import REDIRECTORS
from urisieve.rules.resolver_links import RESOLVER_LINKS
from urisieve.syntax.components import without_space_around

__all__ = ["SEEDS", "TARGETS"]

Target = Callable[[bytes], None]

EVERYTHING: Final = Options(
    schemeless="names", email="addresses", refang="known-forms", nested="report", repair="encode", schemes="any"
)
FOUND: Final = (
    Options(),
    EVERYTHING,
    Options(schemeless="www", nested="report"),
    Options(email="addresses"),
    Options(refang="known-forms"),
    Options(schemes="any", max_length=64),
    Options(repair="encode"),
    Options(urn_syntax="rfc8141"),
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
    Options(charset="legacy"),
    Options(merge=["drop-fragment", "sort-query", "strip-www"]),
    Options(merge=["resolver-links"]),
    Options(merge="page"),
    Options(merge="archive-key"),
    Options(merge=NAMED_STEPS, level="none"),
    Options(bare=tuple(Bare)),
)


def _chosen(data: bytes, options: tuple[Options, ...]) -> tuple[Options, int, str]:
    """Return the options and a number that the first two bytes stand for, and the text that the others are."""
    first, second = (*data[:2], 0, 0)[:2]
    return options[first % len(options)], second, data[2:].decode("utf-8", "surrogateescape")


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
    assert rows_of(cut) == rows_of(whole)


# Schemes whose grammar has the literal of an address where RFC 3986 has a path (RFC 3261 25.1, 7064 3.1, 7065 3.1).
_WITH_BRACKETS = ("sip", "sips", "stun", "stuns", "turn", "turns")


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
    assert slow_twin.is_uri(found.uri) or found.scheme in _WITH_BRACKETS, found.uri
    again = parse(found.uri, options=options)
    assert again.uri == found.uri
    if options.level != Level.NONE:  # there the key is the text as it is, an IRI or a URI
        assert again.key == found.key
        assert key(text, options=options) == found.key
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
    assert to_uri(uri) == uri
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
    whole = without_space_around(text)
    if whole.isascii() and " " not in whole:
        valid = slow_twin.is_urn_8141(whole) if is_newer else slow_twin.is_urn(whole)
        assert valid or isinstance(found, Rejection)
    if isinstance(found, Record):
        assert found.urn is not None
        assert found.nid is not None
        assert parse(found.uri, options=Options(urn_syntax="rfc8141" if is_newer else "rfc2141")).key == found.key
        assert list(found.notices) == list(found.notices)
        assert found.parts is not None


def fuzz_reference(data: bytes) -> None:
    """A reference resolves as RFC 3986 5.2.2 says, and to what is its own normal form (6.2.2)."""
    text = data.decode("utf-8", "surrogateescape")
    reference = without_space_around(text)
    for base in ("http://a.example/b/c/d;p?q", "urn:a:b", "file:///a/b"):
        try:
            found = resolve(base, text)
        except UrisieveError:
            continue
        if text.isascii() and reference[:4].lower() != "urn:":  # a URN has no hierarchy (RFC 8141 2)
            assert found == slow_twin.resolve(base, reference)
    try:
        normal = normalize_reference(text)
    except UrisieveError:
        return
    assert normalize_reference(normal) == normal


TARGETS: Final[dict[str, Target]] = {
    "kernel": fuzz_kernel,
    "scanner": fuzz_scanner,
    "refang": fuzz_refang,
    "bare": fuzz_bare,
    "unwrap": fuzz_unwrap,
    "identifier": fuzz_identifier,
    "iri": fuzz_iri,
    "urn": fuzz_urn,
    "reference": fuzz_reference,
    **SOURCES,
    **FILES,
}


def _seeds() -> Iterator[tuple[str, bytes]]:
    """Yield inputs to begin with, by target."""
    for text in seeds():
        data = text.encode("utf-8", "surrogatepass")
        for target in ("kernel", "scanner", "refang", "bare", "unwrap"):
            yield target, b"\0\0" + data
        yield "identifier", b"\0\0" + data.strip(b'<>" ')
        yield "iri", data.strip(b'<>" ')
        yield "reference", data.strip(b'<>" ')
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
    for reference in ("../g", "./g/.", "//g", "?y", "#s", "g;x=1/../y", "http:g", "/./g", "..g", ""):
        yield "reference", reference.encode()
    yield from source_seeds()
    yield from file_seeds()


BARE_TEXTS: Final = (
    "doi 10.1000/182, 10.1002/(SICI)1097(199706)1:2<3::AID-X4>3.0.CO;2-5 and doi:10/abc",
    "ISBN 0-395-36341-1 (978-0-395-36341-6); ISBN: 0395363412",
    "ISSN 0378-5955 2434-561X 0000-0002-1825-0097 orcid: 0000000218250097",
    "ark 12148/btv1b8449691v, hdl:2027/mdp.1, handle 20.1000/5555 tel 0378 5955",
)
SEEDS: Final[dict[str, list[bytes]]] = {name: [] for name in TARGETS}
for _target, _data in _seeds():
    SEEDS[_target].append(_data)
