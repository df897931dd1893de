"""The steps of merging: the examples of each row, profiles, parameters of one's own, signatures, and pairs as data."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from urisieve import Options, Profile, UsageError, extract, key, parse
from urisieve.dedupe import check_key_signature, key_signature
from urisieve.dedupe.signature import read_signature, signature
from urisieve.errors import ProcessError
from urisieve.judge.merge_steps import MERGE_ROWS
from urisieve.merging import NAMED_STEPS, PROFILES, Parameter
from urisieve.options import MergeStep
from urisieve.rules.registry import tracking_date

GOLDEN = Path(__file__).parents[1] / "golden"
# One example shows all that there is to show.
NARROW = {MergeStep.ISBN_13, MergeStep.RESOLVER_LINKS, MergeStep.ARCHIVE_KEY}
SAME = [(step, *pair) for step, row in MERGE_ROWS.items() for pair in row.same]
DIFFERENT = [(step, *pair) for step, row in MERGE_ROWS.items() for pair in row.different]


def merged(text: str, steps: Profile | str | Iterable[MergeStep | str]) -> str:
    """Return the key of an identifier, which is the same alone and where it is found in text."""
    options = Options(merge=steps)
    made = key(text, options=options)
    found = [one.key for one in extract(f"<{text}>", options=options)]
    assert found == [made] or (not found and "://" not in text)
    return made


# Each step by itself


def test_every_step_has_a_row() -> None:
    assert list(MERGE_ROWS) == list(MergeStep)
    for step, row in MERGE_ROWS.items():
        assert row.reference, step
        assert row.meaning, step
        if step in NAMED_STEPS:
            assert len(row.same) >= (1 if step in NARROW else 2), step
            assert row.different, step


@pytest.mark.parametrize(("step", "first", "second"), SAME)
def test_what_a_step_merges(step: MergeStep, first: str, second: str) -> None:
    assert merged(first, [step]) == merged(second, [step])
    assert merged(first, ()) != merged(second, ())


@pytest.mark.parametrize(("step", "first", "second"), DIFFERENT)
def test_what_a_step_must_not_merge(step: MergeStep, first: str, second: str) -> None:
    assert merged(first, [step]) != merged(second, [step])


@pytest.mark.parametrize("step", NAMED_STEPS)
def test_each_step_is_idempotent(step: MergeStep) -> None:
    options = Options(merge=step)
    row = MERGE_ROWS[step]
    for text in (text for pair in (*row.same, *row.different) for text in pair):
        once = parse(text, options=options)
        again = parse(once.uri, options=options)
        assert (again.uri, again.key) == (once.uri, once.key)


@pytest.mark.parametrize("text", ["urn:x-a:b", "mailto:a@a.example", "HTTPS://m.WWW.a.example:443/?b&a#/x"])
def test_without_steps_nothing_more_is_merged(text: str) -> None:
    assert merged(text, "rfc") == merged(text, Profile()) == key(text)


def test_the_key_of_archives_is_no_identifier() -> None:
    found = parse("http://www.a.example/X", options=Options(merge="archive-key"))
    assert (found.uri, found.key) == ("http://www.a.example/X", "example,a)/x")


# Pairs as data


def _pairs(name: str) -> list[list[str]]:
    head, *lines = (GOLDEN / f"{name}_pairs.tsv").read_text("utf-8").rstrip("\n").split("\n")
    assert head.startswith("# ")
    return [line.split("\t") for line in lines]


def test_pairs_merge_by_exactly_their_steps() -> None:
    rows = _pairs("merging")
    wrong = []
    for first, second, names, source in rows:
        steps = names.split(",")
        if merged(first, steps) != merged(second, steps):
            wrong.append(f"{source}: {first} {second} are two by {names}")
        for step in steps:
            rest = [one for one in steps if one != step]
            if merged(first, rest) == merged(second, rest):
                wrong.append(f"{source}: {first} {second} are one without {step}")
    assert wrong == []
    assert len(rows) > 400
    asked = Counter(step for _, _, names, _ in rows for step in names.split(","))
    assert set(asked) == set(NAMED_STEPS) - {MergeStep.HOST_ONLY, MergeStep.ARCHIVE_KEY}


def test_pairs_that_stay_apart() -> None:
    rows = _pairs("apart")
    one = [row for row in rows if merged(row[0], "page") == merged(row[1], "page")]
    assert one == []
    assert min(Counter(why for _, _, why in rows).values()) >= 10
    assert len(rows) > 1_400


# Profiles


def test_the_order_is_that_of_the_steps() -> None:
    assert Profile(["sort-query", "https", "sort-query"]).steps == (MergeStep.HTTPS, MergeStep.SORT_QUERY)
    assert Profile("sort-query, https") == Profile([MergeStep.HTTPS, MergeStep.SORT_QUERY])
    for name, steps in PROFILES.items():
        assert steps == tuple(step for step in MergeStep if step in steps)
        assert Profile(name).steps == steps
        assert Options(merge=name).merge == Profile(name) == Profile([name])


def test_a_name_of_a_profile_stands_for_its_steps() -> None:
    assert Profile(["page", "lower-path"]) == Profile([*PROFILES["page"], "lower-path"])
    assert Profile("rfc") == Profile() == Profile([])
    assert not Profile("rfc")
    assert Profile("host")


@pytest.mark.parametrize(
    ("profile", "shown"),
    [
        (Profile(), "Profile()"),
        (Profile("host"), "Profile(['host-only', 'https'])"),
        (Profile([], ["a*"]), "Profile(['drop-params'], drop_params=['a*'])"),
        (Profile("https", keep_params=["a@H.example."]),
         "Profile(['https', 'keep-params'], keep_params=['a@h.example'])"),
    ],
)  # fmt: skip
def test_a_profile_is_a_value(profile: Profile, shown: str) -> None:
    assert repr(profile) == shown
    again = eval(shown, {"Profile": Profile})
    for other in (again, pickle.loads(pickle.dumps(profile))):
        assert type(other) is Profile
        assert (other, hash(other), repr(other)) == (profile, hash(profile), shown)
    assert profile != Profile([*profile.steps, "lower-path"], profile.drop_params, profile.keep_params)
    with pytest.raises(AttributeError):
        profile.more = 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "parameter"),
    [
        ("ref", Parameter("ref", is_prefix=False, host="")),
        ("utm_*", Parameter("utm_", is_prefix=True, host="")),
        ("ref@Shop.Example.", Parameter("ref", is_prefix=False, host="shop.example")),
        ("a*@b.example", Parameter("a", is_prefix=True, host="b.example")),
        ("q@Bücher.example", Parameter("q", is_prefix=False, host="xn--bcher-kva.example")),
        ("%5Bx%5D", Parameter("%5Bx%5D", is_prefix=False, host="")),
    ],
)
def test_parameters(text: str, parameter: Parameter) -> None:
    assert Parameter.of(text) == parameter
    assert Parameter.of(str(parameter)) == parameter
    assert Profile(drop_params=text).drop_params == Profile(drop_params=[parameter, text]).drop_params == (parameter,)


@pytest.mark.parametrize(
    ("steps", "drop", "keep", "fault"),
    [
        ("pag", (), (), "merge='pag' is neither a profile nor a step; use one of rfc, .*; did you mean 'page'"),
        (["page", 5], (), (), "merge=5 is neither a profile nor a step"),
        (5, (), (), "merge=5 must be names of steps or profiles: rfc, request, page"),
        (b"page", (), (), "merge=b'page' must be names of steps or profiles"),
        ("drop-params", (), (), r"the step 'drop-params' needs names of parameters: drop_params=\[...\]"),
        ("keep-params", ["a"], (), r"the step 'keep-params' needs names of parameters: keep_params=\[...\]"),
        ((), 5, (), r"drop_params=5 must be names of parameters, such as \['ref', 'tag@shop.example'\]"),
        ((), {"shop.example": ["ref"]}, (), r"drop_params=\{'shop.example': \['ref'\]\} must be .*, and no mapping"),
        ((), ["?ref"], (), r"'\?ref' does not name parameters: write NAME"),
        ({"steps": ["page"]}, (), (), r"merge=\{'steps': .* must be names of steps or profiles: .*, and no mapping"),
        (Profile("page"), (), (), r"a Profile is no step of another one: give its steps, as Profile\("),
        ([Profile("page"), "lower-path"], (), (), "a Profile is no step of another one"),
        ((), (), None, "keep_params=None must be names of parameters"),
        *(((), [text], (), "does not name parameters: write NAME, NAME[*], NAME@HOST or NAME[*]@HOST")
          for text in ("", "*", "a b", "a=b", "a&b", "a@", "@h.example", "a@b@c", "a*b", "a@h.example/x", 5, None)),
        ((), "a,,b", (), "'' does not name parameters"),
    ],
)  # fmt: skip
def test_faults_of_profiles(steps: object, drop: object, keep: object, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        Profile(steps, drop, keep)  # type: ignore[arg-type]


# Parameters of one's own

LINK = "https://www.shop.example/x?ref=1&id=2&tag_a=3&Ref=4&tag"


@pytest.mark.parametrize(
    ("drop", "keep", "link", "expected"),
    [
        (["ref"], (), LINK, "https://www.shop.example/x?id=2&tag_a=3&Ref=4&tag"),
        (["tag*"], (), LINK, "https://www.shop.example/x?ref=1&id=2&Ref=4"),
        (["tag"], (), LINK, "https://www.shop.example/x?ref=1&id=2&tag_a=3&Ref=4"),
        (["ref@shop.example"], (), LINK, "https://www.shop.example/x?id=2&tag_a=3&Ref=4&tag"),
        (["ref@m.shop.example", "id@op.example"], (), LINK, LINK),
        (["ref", "id", "tag*", "Ref"], (), LINK, "https://www.shop.example/x"),
        (["q@bücher.example"], (), "http://bücher.example/?q=1", "http://xn--bcher-kva.example/"),
        (["a"], (), "ftp://h.example/?a=1&b", "ftp://h.example/?b"),
        (["xt"], (), "magnet:?xt=urn:x-a:b", "magnet:?xt=urn:x-a:b"),
        (["a"], (), "http://h.example/?#a=1", "http://h.example/?#a=1"),
        (["a"], (), "http://h.example/?b=1&&a", "http://h.example/?b=1&"),
        ((), ["id"], LINK, "https://www.shop.example/x?id=2"),
        ((), ["tag*", "ref"], LINK, "https://www.shop.example/x?ref=1&tag_a=3&tag"),
        ((), ["id@shop.example"], LINK, "https://www.shop.example/x?id=2"),
        ((), ["id@other.example"], LINK, LINK),
        ((), ["no"], LINK, "https://www.shop.example/x"),
        ((), ["id@shop.example", "ref"], LINK, "https://www.shop.example/x?ref=1&id=2"),
        (["id"], ["id", "ref"], LINK, "https://www.shop.example/x?ref=1"),
    ],
)
def test_parameters_of_ones_own(drop: Iterable[str], keep: Iterable[str], link: str, expected: str) -> None:
    assert merged(link, Profile((), drop, keep)) == expected


# Signatures


@pytest.mark.parametrize(
    "profile",
    [
        Profile(),
        Profile("host"),
        Profile("page"),
        Profile(["page"], ["ref", "tag*@bücher.example"], ["id"]),
        Profile([], keep_params=["id@shop.example"]),
    ],
)
def test_signatures_of_stores(profile: Profile) -> None:
    text = signature(Options(merge=profile))
    assert read_signature(text) == (Options(merge=profile), "key")
    made = json.loads(text)
    assert made["lossy"] == list(map(str, profile.steps))
    for name in ("drop_params", "keep_params"):
        assert made.get(name, []) == list(map(str, getattr(profile, name)))
    assert made.get("tracking") == (tracking_date() if MergeStep.DROP_TRACKING in profile.steps else None)


def test_keys_of_another_table_of_tracking_parameters_are_refused() -> None:
    made = json.loads(signature(Options(merge="drop-tracking")))
    with pytest.raises(UsageError, match="are not those of this version"):
        read_signature(json.dumps(made | {"tracking": "2020-01-01"}))


@pytest.mark.parametrize(
    ("one", "other", "fault"),
    [
        (Profile("https"), Profile("strip-www"), r"option merge is .*'https'.* here, .*'strip-www'.* there"),
        (
            Profile("drop-tracking"),
            Profile("https"),
            f"the date of the tracking parameters is '{tracking_date()}' here",
        ),
        (Profile([], ["a"]), Profile([], ["b"]), r"option merge is .*drop_params=\['a'\].* here, .*\['b'\].* there"),
    ],
)
def test_workers_say_which_steps_differ(one: Profile, other: Profile, fault: str) -> None:
    check_key_signature(key_signature(Options(merge=one)), Options(merge=one))
    with pytest.raises(ProcessError, match=fault):
        check_key_signature(key_signature(Options(merge=other)), Options(merge=one))
