"""The kernel is asked only under options that it knows, each with a value that it knows (O2)."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.option_table import OTHERS
from urisieve import Options, Scanner, check, extract, extract_files, key, normalize
from urisieve.finding_options import DEFAULT_OPTIONS
from urisieve.judge.proofs import KNOWN, knows
from urisieve.kernel import compiled, kernel
from urisieve.lean import field_names
from urisieve.options import Bare, MergeStep

pytestmark = pytest.mark.skipif(not compiled, reason="without the kernel there is nothing to decide")

TEXT = (
    "<HTTP://www.A.example:80/%7e?b=2&utm_source=x&a=1#top> crate:serde ann@a.example www.b.example/ c.example\n"
    "hxxp://d[.]example/ http://e.example/|x http://f.example:8o/ 10.1000/182 urn:example:a?=b doi:10.1000/182,\n"
    "http://g.example/http://h.example/ http://[fe80::1%25eth0]/ ftp://i.example/e\u0301 http://\u0430.example/\n"
)


def all_found(options: Options, folder: Path) -> list[object]:
    """Return what all kinds of calls find."""
    for name, text in (("a.txt", TEXT), ("a.html", f"<p>{TEXT}<a href='http://j.example/x%7e'>x</a>")):
        (folder / name).write_text(text, "utf-8")
    found = [dict(record) for record in extract(TEXT, options=options)]
    files = [(record.uri, record.line, record.warnings) for record in extract_files([folder], options=options)]
    return [files, found, [_judged(one, options) for one in TEXT.split()]]


def _judged(text: str, options: Options) -> object:
    found = check(text, options=options)
    made = (normalize(text, options=options), key(text, options=options)) if found else ()
    return dict(found), made


class _AskedError(AssertionError):
    pass


@pytest.fixture
def unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each function of the kernel that searches or judges fail."""

    def fail(*_: object, **__: object) -> None:
        raise _AskedError

    for name in ("Search", "Merging", "canonical", "canonical_texts", "fault", "proved_rows"):
        monkeypatch.setattr(kernel, name, fail)


def test_the_kernel_knows_each_option_and_each_value() -> None:
    assert set(KNOWN) == set(field_names(Options)) == set(OTHERS)
    for name in field_names(Options):
        kind = type(getattr(DEFAULT_OPTIONS, name))
        values = KNOWN[name]
        if values is not None and issubclass(kind, StrEnum):
            assert set(values) == set(map(str, kind)), name
        assert knows(Options(**{name: OTHERS[name]}))
    assert all(knows(Options(merge=[step])) for step in MergeStep if not step.endswith("-params"))
    assert all(knows(Options(bare=[kind])) for kind in Bare)


@pytest.mark.parametrize("name", OTHERS)
def test_without_an_option_in_its_list_the_kernel_is_not_asked(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    # Other limits, so that no search is used that another call has left.
    first, second, third = (Options(**{name: OTHERS[name], "max_length": limit}) for limit in (300, 301, 302))
    expected = all_found(first, tmp_path)
    request.getfixturevalue("unasked")
    with pytest.raises(_AskedError):
        all_found(second, tmp_path)
    monkeypatch.delitem(KNOWN, name)
    if name != "charset":  # files say it themselves
        assert all_found(third, tmp_path) == expected
    assert not knows(third)


@pytest.mark.parametrize("name", [name for name, values in KNOWN.items() if values is not None])
def test_with_a_value_that_the_kernel_does_not_know_it_is_not_asked(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unasked: None
) -> None:
    monkeypatch.setitem(KNOWN, name, ())
    if name != "charset":
        all_found(Options(**{name: OTHERS[name]}), tmp_path)
    list(extract(TEXT, options=Options(**{name: OTHERS[name]})))
    with pytest.raises(_AskedError):
        all_found(Options(max_length=99), tmp_path)


class _MoreOptions(Options):
    """Options with one that no kernel knows."""

    _field_names = (*field_names(Options), "sensible")

    def __init__(self, *, sensible: bool = False, **given: Any) -> None:
        super().__init__(**given)
        object.__setattr__(self, "sensible", sensible)


def test_a_made_up_option_goes_to_python_by_itself(tmp_path: Path, unasked: None) -> None:
    for given in ({}, OTHERS):
        assert knows(_MoreOptions(**given))
        assert not knows(_MoreOptions(sensible=True, **given))
        with pytest.raises(_AskedError):
            all_found(_MoreOptions(**given), tmp_path)
        all_found(_MoreOptions(sensible=True, **given), tmp_path)
    scanner = Scanner(options=_MoreOptions(sensible=True))
    assert [found.raw for found in scanner.feed("http://a.example/ ")] == ["http://a.example/"]
