"""What directly follows a record: white space, a closer, punctuation, the end; or it has a warning and another reading.

This holds for every candidate, under every option of finding, whatever stands behind it (K). `tests/helpers/ends.py`
asks, and names the exceptions; `python tools/measure_ends.py 20000` counts in other texts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers.ends import EXEMPT, end_faults
from tests.helpers.glued_texts import BEHIND, CHOICES, EACH, Glued, glued, named_options
from tests.helpers.strategies import examples
from urisieve import Options, Scanner, sieve

# No option, each value of each, and two sets of many.
_ALONE: Final = tuple({name: value} for name, values in CHOICES.items() for value in values[1:])
_FIRST: Final = {name: values[1] for name, values in CHOICES.items()}
_LAST: Final = {name: values[-1] for name, values in CHOICES.items() if name != "schemes"}
OPTIONS: Final[tuple[Mapping[str, Any], ...]] = ({}, _LAST, _FIRST, *_ALONE)
# What stands behind the piece that follows: a word, which goes on with the candidate, or nothing.
_BEYOND: Final = ("and", " and")


# What is still silent, or names no other reading: a pattern of the fault, and a text with its options.
GAPS: Final[Mapping[str, tuple[str, str, Mapping[str, Any]]]] = {
    "a mark for a dot is trimmed before a blank, as a dot is": (
        r"\[dot\] ",
        "http://e.example[dot] and",
        {"refang": "known-forms"},
    ),
    "braces after SIP, whose reading is valid for `check` alone": (
        r"sip:joe@e\.example\{",
        'sip:joe@e.example{"a":1} and',
        {},
    ),
    "a mark for an at-sign after a defanged address": (
        r"example\[at\]",
        "joe[@]evil[.]example[at]and",
        _FIRST,
    ),
    "a word after a mark after a telephone number, of which letters may be a part": (
        r"without another reading: '[^']*tel:\+1-201-555-0123[^']*and'",
        "see tel:+1-201-555-0123[.]and",
        {},
    ),
    "a name before letters of another script that another candidate follows": (
        r"without another reading: .*example\.com[^\x00-\x7f]+.*schemeless=names",
        " example.comλόγοςmailto:joe@example.com**",
        {"schemeless": "names"},
    ),
}


def _shown(made: Glued) -> list[str]:
    """Return what is wrong in a text, in words, without what is a gap."""
    return [line for line in _faults(made) if not any(re.search(gap, line) for gap, _, _ in GAPS.values())]


def _faults(made: Glued) -> list[str]:
    return [
        f"{fault.kind}: {made.text!r} {' '.join(named_options(made.changed))} -> {fault.record.raw!r} "
        f"{list(map(str, fault.record.warnings))} {list(fault.record.alternatives)}"
        for fault in end_faults(made.text, made.options)[1]
    ]


@st.composite
def _glued_texts(draw: st.DrawFn) -> Glued:
    return glued(lambda values: draw(st.sampled_from(values)))


@examples(300)
@given(_glued_texts())
@example(Glued(("urn:isbn:0395363411", "info@example.ru"), {"email": "addresses", "nested": "report"}))
@example(Glued(("urn:isbn:0–395–36341–1",), {}))
def test_nothing_follows_in_silence(made: Glued) -> None:
    assert _shown(made) == []


@examples(1_000)
@given(_glued_texts(), st.integers(0, 40))
def test_cuts_change_nothing(made: Glued, place: int) -> None:
    whole = [value.as_dict() for value in sieve(made.text, options=made.options)]
    for pieces in (made.text, (made.text[:place], made.text[place:]), made.pieces):
        scanner = Scanner(made.options)
        found = [value.as_dict() for piece in pieces for value in scanner.feed(piece)]
        assert [*found, *(value.as_dict() for value in scanner.close())] == whole, pieces


@pytest.mark.sampled(73)
@pytest.mark.parametrize("kind", BEHIND)
@pytest.mark.parametrize("beyond", _BEYOND)
@pytest.mark.parametrize("changed", OPTIONS, ids=lambda changed: "-".join(changed) or "none")
def test_nothing_follows_each_candidate_in_silence(changed: Mapping[str, Any], beyond: str, kind: str) -> None:
    some = EACH[(list(BEHIND).index(kind) + _BEYOND.index(beyond)) % 3 :: 3]  # each behind a third of the endings
    texts = (Glued((candidate, piece, beyond), changed) for candidate in some for piece in BEHIND[kind])
    assert [line for made in texts for line in _shown(made)] == []


# A text that needs each exception, and its options.
NEEDED: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "another-link": ("http://a.example/x^http://b.example/", {}),
    "nothing-behind": ("http://e.example/a{ and", {}),
    "cell": ("│http://e.example/a│and", {}),
    "attribute": ("\x1b[36mhttp://e.example/a\x1b[39mand", {}),
    "hyperlink": ("\x1b]8;;http://e.example/a\x1b\\and", {}),
    "escaped-end": ("http://e.example/a\\nand", {}),
    "tag": ("http://e.example/a[/url]and", {}),
    "not-valid": ("http://e.example:80です", {}),
    "by-syntax": ("ISBN 0-395-36341-1です", {"bare": ("isbn",)}),
    "holder": ("urn:example:ahttp://b.example/你", {"nested": "report"}),
    "in-parameter": ("http://a.example/?u=http://b.example/c&d=e", {"unwrap": "any"}),
}


@pytest.mark.parametrize("gap", GAPS)
def test_each_gap_is_one(gap: str) -> None:
    pattern, text, changed = GAPS[gap]
    assert any(re.search(pattern, line) for line in _faults(Glued((text,), changed))), "mended: take it out of GAPS"


@pytest.mark.parametrize("exception", EXEMPT)
def test_each_exception_is_needed(exception: str) -> None:
    text, changed = NEEDED[exception]
    seen: dict[str, int] = {}
    assert end_faults(text, Options(**changed), seen)[1] == []
    assert exception in seen
