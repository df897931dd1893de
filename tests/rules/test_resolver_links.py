"""The step of merging `resolver-links`: what each row of the resolvers merges, and what it must not merge."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from urisieve import Options, Record, UsageError, check, explain, extract, is_valid, key, normalize, parse
from urisieve.dedupe import key_signature
from urisieve.judge.merge_steps import MERGE_ROWS
from urisieve.options import MergeStep
from urisieve.rules.resolver_links import RESOLVER_LINKS, ResolverLink

STEP = Options(merge=["resolver-links"])
SAME = [(row.title, link, name) for row in RESOLVER_LINKS for link, name in row.same]
DIFFERENT = [(row.title, link, name) for row in RESOLVER_LINKS for link, name in row.different]


@pytest.mark.parametrize("row", RESOLVER_LINKS, ids=[row.title for row in RESOLVER_LINKS])
def test_each_row_has_a_reference_and_examples(row: ResolverLink) -> None:
    assert all((row.title, row.reference, row.same, row.different))


@pytest.mark.parametrize(("title", "link", "name"), SAME)
def test_a_link_is_what_it_leads_to(title: str, link: str, name: str) -> None:
    assert key(link, options=STEP) == key(name, options=STEP) == key(name), title
    assert key(link) != key(name), "not unless it is asked for"


@pytest.mark.parametrize(("title", "link", "name"), DIFFERENT)
def test_no_other_link_is(title: str, link: str, name: str) -> None:
    assert all(map(is_valid, (link, name))), "or the row says nothing"
    assert key(link, options=STEP) != key(name, options=STEP), title


@pytest.mark.parametrize(
    ("link", "steps", "options"),
    [
        ("http://dx.doi.org/10.1000/ABC?utm_source=a", "resolver-links drop-tracking", "doi:10.1000/abc"),
        ("http://dx.doi.org/10.1000/ABC#a", "resolver-links drop-fragment", "doi:10.1000/abc"),
        ("https://urn.fi/URN:ISBN:0-395-36341-1", "resolver-links", "urn:isbn:0395363411"),
        ("https://urn.fi/URN:ISBN:0-395-36341-1", "resolver-links isbn-13", "urn:isbn:9780395363416"),
        ("https://nbn-resolving.org/urn:nbn:de:bvb:19-1#a", "resolver-links drop-fragment", "urn:nbn:de:bvb:19-1"),
    ],
)
def test_it_comes_after_the_other_steps(link: str, steps: str, options: str) -> None:
    assert key(link, options=Options(merge=steps.split())) == options


@pytest.mark.parametrize(
    ("level", "uri"),
    [("none", "doi:10.1000/%7eABC"), ("syntax", "doi:10.1000/~ABC"), ("scheme", "doi:10.1000/~abc")],
)
def test_it_is_normalized_to_the_level_of_the_options(level: str, uri: str) -> None:
    options = Options(merge=["resolver-links"], level=level)
    # The triplet of an unreserved character is decoded with the others.
    assert normalize("HTTPS://doi.org/10.1000/%7eABC", options=options) == uri.replace("%7e", "~")


def test_what_is_not_valid_by_its_own_rule_is_not_merged() -> None:
    for link in (
        "https://doi.org/10.1000/",
        "https://urn.fi/urn:urn:a",
        "https://urn.kb.se/resolve?urn=urn:nbn:",
        "https://urn.kb.se/resolve",
        "https://urn.kb.se/resolve?urn",
        "https://urn.kb.se/resolve?nbn=urn:nbn:se:uu:diva-1",
        "https://urn.kb.se/resolve/?urn=urn:nbn:se:uu:diva-1",
        "https://urn.kb.se/resolve?urn=urn:isbn:0395363411",
        "ftp://doi.org/10.1000/182",
        "file:/10.1000/182",
        "http://doi.org:443/10.1000/182",
    ):
        assert key(link, options=STEP) == key(link)


def test_the_record_keeps_the_link_as_its_text() -> None:
    text = "see https://doi.org/10.1000/182 and doi:10.1000/182, https://urn.fi/URN:ISBN:0-395-36341-2"
    link, name, book = extract(text, options=STEP)
    assert (link.raw, link.uri, link.kind, link.host) == ("https://doi.org/10.1000/182", name.uri, "uri", None)
    assert link == name
    assert (book.kind, book.nid, book.warnings) == ("urn", "isbn", ("wrong-check-digit",))
    assert [notice.detail for notice in book.notices] == ["1"]


@pytest.mark.parametrize("name", ["urn:nbn:de:bvb:19-0395363411", "urn:nbn:de:bvb:19-146642", "urn:nbn:fi-fe1"])
def test_a_link_to_a_urn_has_the_same_parts(name: str) -> None:
    assert parse(f"https://nbn-resolving.org/{name}", options=STEP).urn == parse(name).urn


def test_explain_names_the_step() -> None:
    (step,) = explain("https://doi.org/10.1000/182", options=STEP).steps
    assert (step.rule, step.after) == ("resolver-links", "doi:10.1000/182")
    assert step.section == MERGE_ROWS[MergeStep.RESOLVER_LINKS].reference


def test_it_is_part_of_the_signature() -> None:
    assert key_signature(options=STEP) != key_signature()


LINKS = st.sampled_from([link for row in RESOLVER_LINKS for link, _ in (*row.same, *row.different)])


@given(
    st.one_of(LINKS, st.builds(lambda link, more: link + more, LINKS, st.text("aZ0/%2Ff?#:&=.;(~\u00e9", max_size=9)))
)
@example("https://doi.org/10.1000/a%25b")
def test_a_key_is_a_fixed_point(link: str) -> None:
    found = check(link, options=STEP)
    if isinstance(found, Record):
        again = parse(found.uri, options=STEP)
        assert (again.uri, again.key) == (found.uri, found.key)


def test_an_unknown_step_is_a_misuse() -> None:
    with pytest.raises(UsageError, match="did you mean 'resolver-links'"):
        Options(merge=["resolver-link"])
