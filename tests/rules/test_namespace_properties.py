"""What holds of all URN namespaces: a rule only adds equalities, and only those that a second, slow reading allows."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.helpers.strategies import examples
from tests.rules.namespace_oracle import are_equivalent, are_equivalent_by_base_rule
from urisieve import Options, Record, check, key, parse
from urisieve.codes import Warn
from urisieve.rules.table import namespaces

ROWS = {row.name: row for row in namespaces()}
URN_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789()+,-.:=@;$_!*'/%"
OTHERS = ("ean", "x-local", "urn-99", "a", "gs1")


def _of_syntax(nid: str) -> st.SearchStrategy[str]:
    """NSS that the syntax of the row allows; without one, any characters of URNs."""
    row = ROWS.get(nid)
    if row is None or row.syntax is None:
        return st.text(URN_CHARACTERS, min_size=1, max_size=12)
    return st.from_regex(row.syntax, fullmatch=True, alphabet=st.sampled_from(URN_CHARACTERS))


def _of_examples(nid: str) -> st.SearchStrategy[str]:
    row = ROWS.get(nid)
    texts = [urn.split(":", 2)[2] for pair in (*row.same, *row.different) for urn in pair] if row is not None else []
    return st.sampled_from(texts or ["a"])


@st.composite
def _names(draw: st.DrawFn) -> tuple[str, str]:
    nid = draw(st.sampled_from([*ROWS, *OTHERS]))
    nss = draw(st.one_of(_of_syntax(nid), _of_examples(nid), st.text("aZ09-:.%2f;x", min_size=1, max_size=9)))
    assume(isinstance(check(f"urn:{nid}:{nss}"), Record))
    return nid, nss


@st.composite
def _changed(draw: st.DrawFn, nss: str) -> str:
    """An NSS near another one: what namespaces call the same, and what they do not."""
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(nss)))
        end = draw(st.integers(place, min(len(nss), place + 5)))
        nss = draw(
            st.sampled_from(
                (
                    nss.swapcase(),
                    nss.upper(),
                    nss.replace("-", ""),
                    nss.replace("-", ":", 1),
                    nss[:place] + nss[place:end].swapcase() + nss[end:],
                    nss[:place] + "-" + nss[place:],
                    nss[:place] + nss[end:],
                    nss[:place] + draw(st.sampled_from(("x", "X", "0", ":", "%2f", "%2F", "a"))) + nss[place:],
                    nss + draw(st.sampled_from((";vers=0", ";VERS=0", ";svn=01"))),
                )
            )
        )
    return nss


@examples(500)
@given(_names(), st.data())
@example(("isbn", "0-395-36341-1"), None)
@example(("nbn", "se:uu:diva-3475"), None)
def test_keys_are_equal_exactly_where_the_namespace_says_so(name: tuple[str, str], data: st.DataObject | None) -> None:
    nid, first = name
    second = first.swapcase() if data is None else data.draw(_changed(first))
    assume(isinstance(check(f"urn:{nid}:{second}"), Record))
    equal = key(f"urn:{nid}:{first}") == key(f"urn:{nid}:{second}")
    assert equal is are_equivalent(nid, first, second)


@given(_names(), st.booleans(), st.booleans())
def test_a_rule_only_adds_equalities(name: tuple[str, str], upper_nid: bool, upper_triplets: bool) -> None:
    nid, nss = name
    pieces = nss.split("%")
    other = pieces[0] + "".join(
        f"%{piece[:2].upper() if upper_triplets else piece[:2].lower()}{piece[2:]}" for piece in pieces[1:]
    )
    assert are_equivalent_by_base_rule(nss, other)
    for level in ("syntax", "scheme"):
        options = Options(level=level)
        same = f"URN:{nid.upper() if upper_nid else nid}:{other}"
        assert key(same, options=options) == key(f"urn:{nid}:{nss}", options=options)


@given(_names(), st.sampled_from(["rfc2141", "rfc8141"]), st.sampled_from([(), ("isbn-13",)]))
def test_canonical_forms_are_valid_and_stay(name: tuple[str, str], syntax: str, merge: tuple[str, ...]) -> None:
    options = Options(urn_syntax=syntax, merge=merge)
    found = check("urn:{}:{}".format(*name), options=options)
    assume(isinstance(found, Record))
    assert isinstance(found, Record)
    again = parse(found.uri, options=options)
    assert (again.uri, again.key, again.nid) == (found.uri, found.key, found.nid)
    assert found.urn is not None
    assert again.urn is not None
    assert {**found.urn.parts, **again.urn.parts} == dict(found.urn.parts)
    # A form does not take an NSS out of its syntax.
    if Warn.NSS_SYNTAX not in found.warnings:
        assert Warn.NSS_SYNTAX not in again.warnings
    assert list(dict.fromkeys(notice.warn for notice in found.notices)) == list(found.warnings)


@pytest.mark.parametrize("nid", [nid for nid, row in ROWS.items() if row.syntax is not None])
@examples(20)
@given(data=st.data())
def test_what_the_syntax_makes_is_taken_apart(nid: str, data: st.DataObject) -> None:
    nss = data.draw(_of_syntax(nid))
    record = check(f"urn:{nid}:{nss}")
    assume(isinstance(record, Record))
    assert isinstance(record, Record)
    assert Warn.NSS_SYNTAX not in record.warnings
    assert record.urn is not None
    parts = record.urn.parts
    assert parts
    assert all(text != "" for text in parts.values())


@given(st.text("0123456789", min_size=9, max_size=9))
def test_one_check_digit_of_all_is_right(digits: str) -> None:
    """Of all the digits that could stand last, exactly one raises no warning."""
    for nid, body in (("isbn", digits), ("isbn", f"978{digits}"), ("issn", digits[:7])):
        last = "0123456789" if len(body) == 12 else "0123456789X"
        right = [digit for digit in last if Warn.WRONG_CHECK_DIGIT not in parse(f"urn:{nid}:{body}{digit}").warnings]
        assert len(right) == 1
        wrong = parse(f"urn:{nid}:{body}{'1' if right == ['0'] else '0'}")
        assert (wrong.notices[-1].warn, wrong.notices[-1].detail) == (Warn.WRONG_CHECK_DIGIT, right[0])
