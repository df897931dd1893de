"""The package against its slow twin: generated identifiers, near misses, and random strings of delimiters."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers.strategies import identifiers, iris, near_misses, paths, references, texts_of_delimiters, uris, urns
from tests.syntax import slow_twin as twin
from urisieve import (
    InvalidIdentifierError,
    Options,
    Record,
    check,
    normalize,
    normalize_reference,
    resolve,
    to_iri,
    to_uri,
)
from urisieve.judge.normalize import remove_dot_segments
from urisieve.options import UrnSyntax
from urisieve.rules.registry import registered_namespaces
from urisieve.syntax.components import recompose, split, without_space_around
from urisieve.syntax.grammar import matches

ANYTHING = st.one_of(identifiers(), near_misses(), references(), texts_of_delimiters())
DOTTED = st.one_of(
    paths(),
    st.text("a./%2eE", max_size=16),
    st.lists(st.sampled_from(["", ".", "..", "a", "b."]), max_size=8).map("/".join),
)


@given(DOTTED)
@example("a/../b")
@example("../..")
@example("/a/../../../b/.")
def test_remove_dot_segments_is_5_2_4(path: str) -> None:
    assert remove_dot_segments(path) == twin.remove_dot_segments(path)


@given(ANYTHING)
@example("http://[::1]a/")
@example("http://[::1.2.3.4.5]/")
def test_grammar_agrees(text: str) -> None:
    assert matches("URI", text) == twin.is_uri(text)
    assert matches("IRI", text) == twin.is_iri(text)
    assert matches("absolute-URI", text) == twin.is_absolute_uri(text)
    assert matches("URI-reference", text) == twin.is_reference(text)
    assert matches("IRI-reference", text) == twin.is_reference(text, iri=True)


@given(st.text("0aF:.19", max_size=30))
@example("::")
@example("1:2:3:4:5:6:7::")
@example("::2:3:4:5:6:7:8")
@example("::1.2.3.256")
def test_ipv6_agrees(text: str) -> None:
    assert matches("IPv6address", text) == twin.is_ipv6(text)


@given(st.one_of(urns(), near_misses(), st.text("urn:aZ09-%2f/?#+=&~ ", max_size=14).map("urn:".__add__)))
@example("urn:urn:a")
@example("urn:a:?")
def test_urn_grammar_agrees(text: str) -> None:
    assert matches("URN", text) == twin.is_urn(text)
    assert matches("URN-8141", text) == twin.is_urn_8141(text)


@given(st.one_of(urns(), st.text("urn:aZ09-%2f/?#+=&~ ", max_size=14).map("urn:".__add__)))
def test_urns_are_judged_and_keyed_by_5(text: str) -> None:
    found = check(text, options=Options(level="syntax"))
    assert isinstance(found, Record) == twin.is_urn(text)
    if isinstance(found, Record):
        nid, _, nss = text[4:].partition(":")
        assert found.key == twin.urn_key(nid, nss)
        lower = nid.lower()
        if lower not in registered_namespaces():  # no namespace, no rule of its own
            assert check(text) == found


@given(urns())
def test_urns_of_rfc_8141_have_the_key_of_3_1(text: str) -> None:
    found = check(text, options=Options(level="syntax", urn_syntax=UrnSyntax.RFC8141))
    name = twin.urn_8141_assigned_name(text)
    assert isinstance(found, Record) == (name is not None)
    if isinstance(found, Record) and name is not None:
        assert found.key == twin.urn_key(*name)


@given(uris(), st.one_of(references(), texts_of_delimiters(10)))
@example("foo:a", "..//x")
@example("foo:/a", "..//x")
@example("http://a?q", "")
def test_resolve_is_5_2_2(base: str, reference: str) -> None:
    base, reference = without_space_around(base), without_space_around(reference)
    if twin.is_uri(base) and twin.is_reference(reference, iri=True):
        target = resolve(base, reference)
        assert target == twin.resolve(base, reference)
        assert twin.is_iri(target)
    else:
        with pytest.raises(InvalidIdentifierError):
            resolve(base, reference)


@given(st.one_of(uris(), references()))
def test_split_and_recompose_agree(text: str) -> None:
    parts = twin.split(text)
    assert twin.recompose(parts) == text
    if parts.scheme is not None:
        ours = split(text)
        assert recompose(ours) == text
        assert (ours.scheme, ours.path, ours.query, ours.fragment) == (
            parts.scheme,
            parts.path,
            parts.query,
            parts.fragment,
        )
        assert (ours.host is None) == (parts.authority is None)


@given(uris())
@example("foo:/.//x")
@example("foo:/a/%2e%2E//x")
@example("http://h/%7Ea/%2e%2e/?%7e#%41%2f")
def test_syntax_level_is_6_2_2(uri: str) -> None:
    if uri[:4].lower() == "urn:" or not isinstance(check(uri), Record):
        return
    assert normalize(uri, "syntax") == twin.normalize_syntax(uri)
    if "/" in uri.partition(":")[2][:1] or uri.partition(":")[2] == "":
        assert normalize_reference(uri) == twin.normalize_syntax(uri)


@given(st.one_of(iris(), uris()))
def test_to_uri_is_3987_3_1(iri: str) -> None:
    iri = without_space_around(iri)  # an IRI may have U+3000 at its end; of a whole value it is removed
    if twin.is_reference(iri, iri=True):
        assert to_uri(iri) == twin.encode_to_uri(iri)


# What RFC 3987 3.2 step 4 takes back: bidi formatting (4.1), and what looks like a blank or like nothing.
_NEVER_SHOWN = "\u202e\u00ad\u3000"


@given(uris())
def test_to_iri_is_3987_3_2(uri: str) -> None:
    """The generated triplets hold `é`, a bidi control, bytes that are no UTF-8, and ASCII."""
    if twin.is_uri(uri):
        expected = twin.decode_to_iri(uri, lambda character: character not in _NEVER_SHOWN)
        assert to_iri(uri) == expected
        assert twin.is_iri(expected)
