"""Single texts in the kernel: split, resolved, and proved many at once, as Python does it."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.strategies import any_text, identifiers, near_misses, references, uris
from urisieve import InvalidIdentifierError, Options, Record, check, resolve
from urisieve.cli.columns import ProvedTexts, spread
from urisieve.judge.judge import judge
from urisieve.kernel import compiled
from urisieve.syntax.components import _split_in_python, split

pytestmark = pytest.mark.skipif(not compiled, reason="compares the kernel with Python")

TEXTS = st.one_of(identifiers(), near_misses(), any_text(), st.sampled_from(["a:", ":", "a/:b", "a?:b", "a:\ud800#\n"]))


@given(TEXTS)
def test_split(text: str) -> None:
    try:
        expected = _split_in_python(text)
    except ValueError:
        with pytest.raises(ValueError, match="no scheme"):
            split(text)
    else:
        assert split(text) == expected
        assert type(split(text)) is type(expected)


def resolved(base: str, reference: str) -> str:
    try:
        return resolve(base, reference)
    except InvalidIdentifierError as error:
        return str(error)


@given(st.one_of(uris(), any_text()), st.one_of(references(), any_text(), st.sampled_from(["", "#a", "..", "//b:/?#"])))
def test_resolve(base: str, reference: str) -> None:
    with patch("urisieve.identifiers._plain_target", lambda *_: None):
        expected = resolved(base, reference)
    assert resolved(base, reference) == expected


@given(
    st.lists(
        st.one_of(TEXTS, st.sampled_from(["http://u@a.example/", "http://u:p@a.example/", " http://a.example/ ", ""])),
        max_size=8,
    ),
    st.sampled_from([None, Options(), Options(merge="page"), Options(urn_syntax="rfc8141"), Options(bare="isbn")]),
)
def test_proved_texts(texts: list[str], options: Options | None) -> None:
    batch, others = ProvedTexts(options).batch(texts, "name")
    for text, record in zip(texts, spread(list(batch), others), strict=True):
        with patch.multiple("urisieve.identifiers", _proved_record=lambda *_: None, quick_judge=judge):
            found = check(text, options=options)
        if record is not None:
            assert isinstance(found, Record)
            assert record.as_dict(parts=True) == {**found.as_dict(parts=True), "source": "name"}
            assert record.fields == found.fields._replace(source="name")
