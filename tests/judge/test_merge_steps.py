"""The steps of merging: each row by its examples, profiles, parameters, and pairs of links that people asked for."""

from __future__ import annotations

import csv
import pickle
from pathlib import Path

import pytest

from urisieve import MergeStep, Options, Profile, UsageError, equivalent, key, key_signature, normalize
from urisieve.dedupe.signature import read_signature, signature
from urisieve.judge.merge_steps import MERGE_ROWS
from urisieve.merging import NAMED_STEPS, PROFILES, Parameter
from urisieve.options import merging_of
from urisieve.rules.tracking import tracking_date

GOLDEN = Path(__file__).parent.parent / "golden"
PAGE = Options(merge="page")


def _pairs(name: str) -> list[list[str]]:
    with (GOLDEN / f"{name}_pairs.tsv").open(encoding="utf-8", newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        return list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


MERGING = _pairs("merging")
APART = _pairs("apart")


@pytest.mark.parametrize("step", NAMED_STEPS)
def test_a_row_is_what_its_examples_say(step: MergeStep) -> None:
    row, options = MERGE_ROWS[step], Options(merge=step)
    assert row.reference
    assert row.meaning
    assert row.different
    assert len(row.same) > (step not in (MergeStep.ISBN_13, MergeStep.RESOLVER_LINKS, MergeStep.ARCHIVE_KEY))
    for first, second in row.same:
        assert not equivalent(first, second), (first, second)
        assert key(first, options=options) == key(second, options=options), (first, second)
    for first, second in row.different:
        assert key(first, options=options) != key(second, options=options), (first, second)
    for text in {text for pair in (*row.same, *row.different) for text in pair}:
        made = normalize(text, options=options)
        assert normalize(made, options=options) == made, text


def test_each_step_has_a_row_in_its_order() -> None:
    assert list(MERGE_ROWS) == list(MergeStep)
    assert set(MergeStep) - set(NAMED_STEPS) == {MergeStep.KEEP_PARAMS, MergeStep.DROP_PARAMS}


def test_pairs_that_people_asked_for_merge() -> None:
    """Each merges under its steps, and under none of these less."""
    assert len(MERGING) >= 218
    failed = []
    for first, second, named, source in MERGING:
        steps = named.split(",")
        for left_out in ("", *steps):
            options = Options(merge=[step for step in steps if step != left_out])
            is_same = normalize(first, options=options) == normalize(second, options=options)
            if is_same is not (left_out == ""):
                failed.append((first, second, named, source, left_out))
    assert not failed


def test_pairs_that_must_never_merge_stay_apart() -> None:
    assert len(APART) >= 1_000
    assert not [row for row in APART if key(row[0], options=PAGE) == key(row[1], options=PAGE)]
    assert len({why for _, _, why in APART}) >= 60


def test_every_step_has_pairs_that_it_alone_merges() -> None:
    alone = {named for _, _, named, _ in MERGING if "," not in named}
    assert alone >= set(NAMED_STEPS) - {MergeStep.HOST_ONLY, MergeStep.ARCHIVE_KEY}


# ---- profiles


def test_a_profile_is_a_set_of_steps_in_one_order() -> None:
    profile = Profile(["sort-query", "https", "sort-query", "numeric-port"])
    assert profile.steps == (MergeStep.NUMERIC_PORT, MergeStep.HTTPS, MergeStep.SORT_QUERY)
    assert profile == Profile("numeric-port, https,sort-query") == pickle.loads(pickle.dumps(profile))
    assert hash(profile) == hash(Profile(profile.steps))
    assert bool(profile) is True
    assert bool(Profile()) is False
    assert repr(profile) == "Profile(['numeric-port', 'https', 'sort-query'])"
    assert repr(Profile(drop_params="a,b*@X.Example")) == "Profile(['drop-params'], drop_params=['a', 'b*@x.example'])"
    assert Options(merge=profile) == Options(merge=["https", "sort-query", "numeric-port"])


def test_names_of_profiles_stand_for_their_steps() -> None:
    assert Profile("page").steps == PROFILES["page"]
    assert Profile(["page", "lower-path"]).steps == tuple(
        step for step in MergeStep if step in {*PROFILES["page"], MergeStep.LOWER_PATH}
    )
    assert not Profile("rfc")
    assert not merging_of(Options(merge="rfc"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"steps": ["pag"]}, "merge='pag' is neither a profile nor a step.*did you mean 'page'"),
        ({"steps": 5}, "merge=5 must be names of steps or profiles"),
        ({"steps": b"page"}, "must be names of steps"),
        ({"steps": [5]}, "merge=5 is neither"),
        ({"steps": ["drop-params"]}, r"the step 'drop-params' needs names of parameters: drop_params=\[...\]"),
        ({"drop_params": ["a b"]}, "'a b' does not name parameters: write NAME"),
        ({"drop_params": ["*"]}, "does not name parameters"),
        ({"drop_params": ["a@"]}, "does not name parameters"),
        ({"keep_params": [5]}, "5 does not name parameters"),
        ({"keep_params": 5}, "keep_params=5 must be names of parameters"),
        ({"keep_params": ["a=b"]}, "does not name parameters"),
    ],
)
def test_faults_of_profiles_are_told(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Profile(**arguments)  # type: ignore[arg-type] # that is the test


def test_parameters_are_read_in_their_four_forms() -> None:
    assert Parameter.of("a") == Parameter("a", is_prefix=False, host="")
    assert Parameter.of("a*") == Parameter("a", is_prefix=True, host="")
    assert Parameter.of("A@Shop.Example.") == Parameter("A", is_prefix=False, host="shop.example")
    assert str(Parameter.of("a*@bücher.example")) == "a*@xn--bcher-kva.example"


PARAMETERS = [  # dropped, kept, link, key
    ("ref", "", "http://a.example/?ref=1&id=2", "http://a.example/?id=2"),
    ("ref", "", "http://a.example/?REF=1&xref=2&ref2=3&ref", "http://a.example/?REF=1&xref=2&ref2=3"),
    ("aff_*", "", "http://a.example/?aff_=1&aff_id=2&aff=3", "http://a.example/?aff=3"),
    ("ref@shop.example", "", "http://www.shop.example/?ref=1", "http://www.shop.example/"),
    ("ref@shop.example", "", "http://myshop.example/?ref=1", "http://myshop.example/?ref=1"),
    ("", "id", "http://a.example/?id=1&b=2&id=3", "http://a.example/?id=1&id=3"),
    ("", "id", "http://a.example/?b=2", "http://a.example/"),
    ("", "id@a.example", "http://b.example/?b=2", "http://b.example/?b=2"),
    ("", "id@a.example,q", "http://b.example/?b=2&q=1&id=3", "http://b.example/?q=1"),
    ("id", "id,q", "http://a.example/?b=2&q=1&id=3", "http://a.example/?q=1"),
    ("xt", "", "magnet:?xt=urn:btih:a", "magnet:?xt=urn:btih:a"),
    ("a", "", "urn:example:a?=a=1", "urn:example:a?=a=1"),
    ("%C3%BC", "", "http://a.example/?ü=1", "http://a.example/"),
]


@pytest.mark.parametrize(("dropped", "kept", "link", "expected"), PARAMETERS)
def test_parameters_of_ones_own(dropped: str, kept: str, link: str, expected: str) -> None:
    profile = Profile(drop_params=dropped.split(",") if dropped else (), keep_params=kept.split(",") if kept else ())
    assert key(link, options=Options(merge=profile)) == expected


# ---- signatures


def test_a_signature_holds_the_profile() -> None:
    made = [
        Options(),
        Options(merge="page"),
        Options(merge=Profile(["page"], drop_params=["a", "b*@x.example"])),
        Options(merge=Profile(["page"], keep_params=["a"])),
        Options(merge="sort-query", level="syntax"),
    ]
    lines = [signature(options) for options in made]
    assert len(set(lines)) == len(lines) == len({key_signature(options) for options in made})
    assert [read_signature(line) for line in lines] == [(options, "key") for options in made]
    assert [tracking_date() in line for line in lines] == [False, True, True, True, False]


def test_keys_of_another_table_of_tracking_parameters_are_not_mixed() -> None:
    line = signature(PAGE).replace(tracking_date(), "2020-01-01")
    with pytest.raises(UsageError, match="are not those of this version"):
        read_signature(line)
