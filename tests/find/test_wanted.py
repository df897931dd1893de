"""The schemes that are wanted, wherever an identifier comes from: origin x option, in text, in carriers and as a whole.

`javascript:alert(1)` was valid with `schemes={"http"}`, and `--schemes "!http" --accept names` found names (M4).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.helpers.generated_texts import Texts
from tests.helpers.strategies import scaled
from urisieve import (
    InvalidIdentifierError,
    Options,
    Record,
    Rejection,
    check,
    extract,
    is_valid,
    key,
    parse,
    sieve,
    sieve_blocks,
)
from urisieve.codes import Component, Reason
from urisieve.finding_options import listed_schemes
from urisieve.judge.bare_names import bare_candidate
from urisieve.options import Bare, MergeStep, SchemePolicy

NUMBERS = {"bare": tuple(Bare)}
# Where an identifier comes from: a text, the options by which it is found there, and its scheme.
ORIGINS: dict[str, tuple[str, dict[str, Any], str]] = {
    "with slashes": ("see http://a.example/b now", {}, "http"),
    "an unknown scheme": ("see foo://a.example/b now", {}, "foo"),
    "without slashes": ("see urn:isbn:0395363411 now", {}, "urn"),
    "mail": ("see mailto:ann@a.example now", {}, "mailto"),
    "a program": ("see javascript:alert(1) now", {}, "javascript"),
    "any scheme": ("see foo:bar now", {"schemes": "any"}, "foo"),
    "in a wrapper": ("see <ftp://a.example/b> now", {}, "ftp"),
    "after URL": ("see <URL: http://a.example/b> now", {}, "http"),
    "cut from a run": ("see wordhttp://a.example/b now", {}, "http"),
    "escaped": (r'{"u": "http:\/\/a.example\/b"}', {}, "http"),
    "in colours": ("see http://\x1b[1ma.example\x1b[22m/b now", {}, "http"),
    "repaired": ("see http://a.example/a|b now", {"repair": True}, "http"),
    "www": ("see www.a.example now", {"schemeless": "www"}, "http"),
    "a name": ("see example.com/b now", {"schemeless": "names"}, "http"),
    "an address": ("see ann@a.example now", {"email": True}, "mailto"),
    "defanged": ("see hxxp://a[.]example/b now", {"refang": True}, "http"),
    "a defanged name": ("see example[.]com now", {"refang": True, "schemeless": True}, "http"),
    "a defanged address": ("see ann[@]example.com now", {"refang": True, "email": True}, "mailto"),
    "a DOI": ("see 10.1000/182 now", NUMBERS, "doi"),
    "a short DOI": ("see doi 10/abc2 now", NUMBERS, "https"),
    "an ISBN": ("see ISBN 0-395-36341-1 now", NUMBERS, "urn"),
    "an ISSN": ("see ISSN 0317-8471 now", NUMBERS, "urn"),
    "an ORCID iD": ("see 0000-0002-1825-0097 now", NUMBERS, "https"),
    "an ARK": ("see ark 12148/btv1b8449691v now", NUMBERS, "ark"),
    "a handle": ("see hdl 2027/uc1.b1 now", NUMBERS, "hdl"),
    "nested": ("see http://a.example/?u=urn:isbn:0395363411 now", {"nested": True}, "urn"),
    "an address inside": (
        "see http://a.example/?u=x:,ann@example.com now",
        {"nested": True, "email": True},
        "mailto",
    ),
    "unwrapped": ("see https://www.google.com/url?q=ftp%3A%2F%2Fb.example%2F now", {"unwrap": "known"}, "ftp"),
    "unwrapped anywhere": ("see https://a.example/?q=ftp%3A%2F%2Fb.example%2F now", {"unwrap": "any"}, "ftp"),
    "unwrapped and defanged": (
        "see https://www.google.com/url?q=hxxp%3A%2F%2Fb%5B.%5Dexample%2F now",
        {"unwrap": "known", "refang": True},
        "http",
    ),
}
# The same in files: a carrier states the extent.
CARRIERS: dict[str, tuple[str, dict[str, Any], str]] = {
    "a.html": ('<p><a href="javascript:alert(1)">x</a>', {}, "javascript"),
    "b.html": ('<p><img src="//a.example/b">', {"schemeless": "www"}, "http"),
    "c.html": ("<p>see www.a.example", {"schemeless": "www"}, "http"),
    "d.jsonl": ('{"u": "javascript:alert(1)"}\n{"u": "x"}\n', {}, "javascript"),
    "e.csv": ("a,b\n1,mailto:ann@a.example\n2,x\n", {}, "mailto"),
    "f.xml": ("<r><a>data:text/html,x%20y</a></r>", {}, "data"),
}


def _with(options: dict[str, Any], **more: Any) -> Options:
    return Options(**{**options, **more})


def _records(text: str, options: Options) -> list[Record]:
    return [one for one in sieve(text, options=options) if isinstance(one, Record)]


def _in_file(name: str, text: str, options: Options) -> list[Record]:
    return [one for one in sieve_blocks(name, [text.encode()], options=options) if isinstance(one, Record)]


def _uris(records: list[Record], scheme: str) -> list[str]:
    """The URIs of a scheme, also among other readings."""
    every = [uri for one in records for uri in (one.uri, *one.alternatives)]
    return [uri for uri in every if uri.partition(":")[0] == scheme]


@pytest.mark.parametrize("origin", ORIGINS)
def test_an_unwanted_scheme_is_not_found_in_text(origin: str) -> None:
    text, options, scheme = ORIGINS[origin]
    found = _uris(_records(text, Options(**options)), scheme)
    assert found
    assert _uris(_records(text, _with(options, exclude_schemes={scheme})), scheme) == []
    assert _uris(_records(text, _with(options, schemes={"x-other"})), scheme) == []
    listed = {scheme, "https", "http"} if options.keys() & {"nested", "unwrap"} else {scheme}
    assert _uris(_records(text, _with(options, schemes=listed)), scheme) == found
    is_web = scheme in (listed_schemes(Options(schemes="web")) or ())
    assert (_uris(_records(text, _with(options, schemes="web")), scheme) == found) is is_web


@pytest.mark.parametrize("name", CARRIERS)
def test_an_unwanted_scheme_is_not_found_in_a_carrier(name: str) -> None:
    text, options, scheme = CARRIERS[name]
    found = _uris(_in_file(name, text, Options(**options)), scheme)
    assert found
    assert _uris(_in_file(name, text, _with(options, exclude_schemes={scheme})), scheme) == []
    assert _uris(_in_file(name, text, _with(options, schemes={"x-other"})), scheme) == []
    assert _uris(_in_file(name, text, _with(options, schemes={scheme})), scheme) == found


def test_no_reading_has_an_unwanted_scheme() -> None:
    text = "https://a.example/,ftp://b.example/x"
    assert _uris(_records(text, Options()), "ftp") == ["ftp://b.example/x"]
    assert _uris(_records(text, Options(schemes={"https"})), "ftp") == []


EVERYTHING: dict[str, Any] = {
    "schemeless": True,
    "email": True,
    "refang": True,
    "nested": True,
    "unwrap": "any",
    "repair": True,
    **NUMBERS,
}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("seed", range(8))
def test_only_wanted_schemes_come_out_of_any_text(seed: int) -> None:
    texts, chosen = Texts(random.Random(seed)), random.Random(seed)
    names = ["http", "https", "mailto", "urn", "ftp", "doi", "data", "foo", "tel", "javascript"]
    for _ in range(scaled(150)):
        text = texts.text()
        some = frozenset(chosen.sample(names, chosen.randint(1, 4)))
        for options in (_with(EVERYTHING, schemes=some), _with(EVERYTHING, exclude_schemes=some)):
            for one in _records(text, options):
                for uri in (one.uri, *one.alternatives):
                    scheme = uri.partition(":")[0]
                    assert (scheme in some) is (options.schemes == some), (text, some, uri)


ONE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("http://a.example/", {"schemes": {"urn"}}),
    ("HTTP://a.example/", {"exclude_schemes": {"http"}}),
    (" http://a.example/ ", {"exclude_schemes": {"http"}}),
    ("javascript:alert(1)", {"schemes": {"http", "https"}}),
    ("JavaScript:alert(1)", {"schemes": "web"}),
    ("mailto:ann@a.example", {"schemes": "web"}),
    ("http://a.example/%zz", {"schemes": {"urn"}}),  # the scheme is the first fault
    ("crate://ab1", {"schemes": "registered"}),
    ("urn:isbn:0395363411", {"schemes": {"http"}}),
    ("10.1000/182", {"bare": ["doi"], "schemes": {"http"}}),
    ("ISBN 0-395-36341-1", {"bare": ["isbn"], "exclude_schemes": {"urn"}}),
    ("10/abc2", {"bare": ["doi"], "schemes": {"doi"}}),
    ("http://b\u00fccher.example/", {"schemes": {"urn"}}),
    ("s\u212aype:a", {"exclude_schemes": {"skype"}, "charset": "legacy"}),
    ("http://a.example/a|b", {"schemes": {"urn"}, "repair": True}),
    ("http://paypal.com@127.1/", {"schemes": {"urn"}, "spoofing": True}),
    ("https://doi.org/10.1000/182", {"schemes": {"doi"}, "merge": "resolver-links"}),  # what is written counts
)


@pytest.mark.parametrize(("text", "options"), ONE)
def test_one_identifier_of_an_unwanted_scheme_is_a_rejection(text: str, options: dict[str, Any]) -> None:
    chosen = Options(**options)
    found = check(text, options=chosen)
    assert isinstance(found, Rejection)
    assert (found.reason, found.component) == (Reason.SCHEME_NOT_WANTED, Component.SCHEME)
    assert (found.raw, found.offset) == (text, len(text) - len(text.lstrip()))
    assert not is_valid(text, options=chosen)
    assert key(text, options=chosen, default=None) is None
    with pytest.raises(InvalidIdentifierError, match="scheme-not-wanted"):
        parse(text, options=chosen)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("http://a.example/", {"schemes": {"http"}}),
        ("HTTP://a.example/", {"schemes": "web"}),
        ("url:a", {"schemes": "any"}),
        ("foo:bar", {"schemes": "default"}),
        ("crate://ab1", {"schemes": "registered", "known_schemes": {"crate"}}),
        ("https://doi.org/10.1000/182", {"schemes": {"https"}, "merge": "resolver-links"}),
        ("10.1000/182", {"bare": ["doi", "handle"], "schemes": {"hdl"}}),  # a DOI is a handle, too
        ("10/abc2", {"bare": ["doi"], "schemes": {"https"}}),
    ],
)
def test_one_identifier_of_a_wanted_scheme_is_valid(text: str, options: dict[str, Any]) -> None:
    assert is_valid(text, options=Options(**options))


@pytest.mark.parametrize("text", ["no identifier", "a.example", "", "1a:b", "é:b", ":b"])
def test_what_has_no_scheme_is_at_fault_for_that(text: str) -> None:
    found = check(text, options=Options(schemes="web"))
    assert isinstance(found, Rejection)
    assert found.reason in (Reason.NO_SCHEME, Reason.BAD_SCHEME)


@pytest.mark.parametrize("limit", [64, 100, 65_536, 70_000])
def test_one_identifier_is_no_longer_than_a_candidate_in_text(limit: int) -> None:
    options = Options(max_length=limit)
    head = "http://a.example/"
    longest = head + "x" * (limit - len(head))
    for text in (longest, f"  {longest}\n", longest.replace("x", "\u00fc")):
        assert is_valid(text, options=options)
    for text in (f"{longest}x", f" {longest}x", f"{longest}\u00fc".replace("x", "\u00fc")):
        found = check(text, options=options)
        assert isinstance(found, Rejection)
        lead = len(text) - len(text.lstrip())
        assert (found.reason, found.offset, found.raw) == (Reason.TOO_LONG, lead + limit, text[: lead + limit])
        assert not is_valid(text, options=options)
        assert key(text, options=options, default=None) is None
        assert [one.reason for one in sieve(text, options=options) if isinstance(one, Rejection)] == [Reason.TOO_LONG]


def test_the_schemes_that_bare_names_are_given_are_known_beforehand() -> None:
    names = {
        Bare.DOI: ("10.1000/182", "10/abc2"),
        Bare.ISBN: ("0395363411",),
        Bare.ISSN: ("0317-8471",),
        Bare.ORCID: ("0000-0002-1825-0097",),
        Bare.ARK: ("ark 12148/b",),
        Bare.HANDLE: ("hdl 2027/uc1",),
        Bare.PMID: ("PMID 23193287",),
        Bare.PMCID: ("PMC3531190",),
        Bare.ARXIV: ("arXiv:2401.01234v2", "hep-th/9901001"),
    }
    for kind in Bare:
        for name in names[kind]:
            made = bare_candidate(name, Options(bare=[kind]))
            assert isinstance(made, str)
            scheme = made.partition(":")[0]
            assert is_valid(name, options=Options(bare=[kind], schemes={scheme}))
            found = list(extract(f"see {name} now", options=Options(bare=[kind], schemes={scheme})))
            assert [one.scheme for one in found] in ([scheme], [])
            assert not list(extract(f"see {name} now", options=Options(bare=[kind], exclude_schemes={scheme})))


def _pages() -> Iterator[tuple[str, bool]]:
    for kind in ("text/html", "TEXT/HTML", "image/svg+xml", "application/xhtml+xml", "text/xml", "application/xml"):
        yield from ((f"data:{kind},x", True), (f"data:{kind};charset=utf-8;base64,eA==", True))
    yield from (("data:text%2Fhtml,x", True), ("javascript:alert(1)", True), ("vbscript:msgbox(1)", True))
    for kind in ("", "text/plain", "image/png", "text/html5", "application/json", "image/x-text/html"):
        yield f"data:{kind},text/html", False
    yield from (("http://a.example/text/html,", False), ("mailto:javascript@a.example", False))


@pytest.mark.parametrize(("text", "runs"), list(_pages()))
def test_what_runs_a_program_has_a_warning(text: str, runs: bool) -> None:  # M10
    found = check(text)
    assert found or not runs
    assert ("script" in getattr(found, "warnings", ())) is runs
    for one in extract(f"see {text} now"):
        assert ("script" in one.warnings) is runs


def test_the_policy_of_the_web_is_a_list_of_schemes() -> None:
    web = Options(schemes="web")
    assert web.schemes is SchemePolicy.WEB
    assert sorted(listed_schemes(web) or ()) == ["ftp", "http", "https", "ws", "wss"]
    assert listed_schemes(Options()) is None
    for policy in SchemePolicy:
        assert is_valid("https://a.example/", options=Options(schemes=policy, merge=MergeStep.DROP_FRAGMENT))
