"""Batches: columns and rows of what is found, and that they say what records say."""

from __future__ import annotations

import pickle
import re
from array import array
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.folders import SAMPLES
from tests.helpers.strategies import link_texts, noisy_texts
from urisieve import Batch, KeySet, Options, Record, Rejection, Tally, UsageError, extract_batches, extract_files, sieve
from urisieve.find.delimited import SEPARATOR
from urisieve.kernel import compiled
from urisieve.records.layouts import COLUMNS, Columns, SharedValues
from urisieve.sources.documents import joined_texts
from urisieve.syntax.components import SPACES, split

DERIVED = (
    *("scheme", "userinfo", "host", "host_kind", "port", "path", "query", "fragment", "nid", "nss", "iri", "kind"),
)
OPTIONS = (
    Options(),
    Options(nested=True, refang=True, email=True, schemeless=True),
    Options(schemes="any", level="none", urn_syntax="rfc8141"),
    Options(repair=True, max_length=64),
)
TEXT = (
    "see <http://EXAMPLE.com/%7Ea> http://b.example http://b.example:80ab/ urn:example:a/b?c#d\n"
    'https://ü.example/é "http://u:p@c.example/" http://b.example/100%zz urn:ISBN:0395363411 http://d.example/\n'
)

needs_kernel = pytest.mark.skipif(not compiled, reason="the kernel is not compiled")


def of(text: str, options: Options | None = None, columns: list[str] | None = None) -> Batch:
    (batch,) = extract_batches([text], options=options, columns=columns)
    return batch


def same(batch: Batch, found: list[Record | Rejection]) -> None:
    """Assert that a batch holds what was found, by whatever way one looks at it."""
    records = [one for one in found if isinstance(one, Record)]
    assert [one.as_dict() for one in batch.found()] == [one.as_dict() for one in found]
    assert [record.as_dict() for record in batch] == [record.as_dict() for record in records]
    assert [batch[index].as_dict() for index in range(len(batch))] == [record.as_dict() for record in records]
    assert list(batch.rejections) == [one for one in found if isinstance(one, Rejection)]


@given(st.one_of(noisy_texts(), link_texts(), st.just(TEXT)), st.sampled_from(OPTIONS))
def test_a_batch_holds_what_the_sieve_yields(text: str, options: Options) -> None:
    whole = of(text, options)
    found = list(sieve(text, options=options))
    same(whole, found)
    same(pickle.loads(pickle.dumps(whole)), found)
    # Columns one by one are those of the whole, whichever way they were made.
    for name in (*COLUMNS, *DERIVED):
        column = list(of(text, options, [name]).column(name))
        assert column == list(whole.column(name)), name
        if name not in ("location", "source"):
            assert column == [getattr(one, name) for one in found if isinstance(one, Record)], name


@given(st.one_of(noisy_texts(), link_texts(), st.just(TEXT)), st.sampled_from(OPTIONS))
def test_both_layouts_answer_alike(text: str, options: Options) -> None:
    batch = of(text, options)
    layout, plain = batch.layout, Batch.of(list(batch)).layout
    assert plain.harvest is None
    assert (layout.lines(), layout.heads(), layout.warned()) == (plain.lines(), plain.heads(), plain.warned())
    assert (len(batch), dict(layout.alternatives())) == (plain.length, dict(plain.alternatives()))
    lines = KeySet().unseen_lines(plain)
    assert KeySet().unseen_lines(layout) == lines
    seen = KeySet()
    seen._digest_for(layout)  # as a thread does; those of one set are of no use to another
    assert KeySet().unseen_lines(layout) == lines
    assert (seen.unseen_lines(layout), seen.unseen_lines(layout)) == (lines, (b"", 0))
    assert seen.held_indices(batch.column("key")) == list(range(len(batch)))
    begins = [0, *(index for index, character in enumerate(text) if character == "\n")]
    for places in (begins, memoryview(array("q", begins)).cast("B").cast("q")):
        assert [list(some) for some in layout.in_texts(places, 0)] == [list(some) for some in plain.in_texts(places, 0)]
    if batch.has_own_components:
        return
    for name in ("scheme", "userinfo", "host", "port", "path", "query", "fragment"):
        held = layout.component(name)
        assert held is None or held == [getattr(split(uri), name) for uri in batch.column("uri")]


def test_rows_are_chosen_added_and_taken_apart() -> None:
    first, second = of(TEXT), of("http://e.example/ http://f.example/%zz")
    both = first + second
    assert len(both) == len(first) + len(second) == 8
    assert [one.raw for one in both.found()] == [one.raw for one in first.found()] + [one.raw for one in second.found()]
    assert len(Batch.joined([])) == 0
    assert [record.uri for record in both[-2:]] == [both[-2].uri, both[-1].uri]
    assert not both[3:3].rejections
    assert [record.components for record in both.select([3, 0])] == [both[3].components, both[0].components]
    with pytest.raises(IndexError):
        both[8]
    assert len(of("nothing").column("uri")) == 0
    assert not of("nothing")
    assert of("http://b:x/")
    assert repr(second) == (
        "<Batch of 1 identifiers, 1 rejections: raw, uri, key, start, end, line, column, source, wrapper, warnings, "
        "alternatives, byte_start, byte_end, location>"
    )


def test_only_the_columns_asked_for_are_made() -> None:
    batch = of(TEXT, columns=["uri", "start"])
    assert batch.columns == ("uri", "key", "start")
    assert batch.column("host")[0] == "example.com"
    for name, message in (
        ("line", "this batch has no column 'line': ask for it by columns="),
        ("hots", "there is no column 'hots'; did you mean 'host'?"),
        ("kind", "this batch has no column 'kind'"),
    ):
        with pytest.raises(UsageError, match=message.replace("?", r"\?")):
            batch.column(name)
    with pytest.raises(UsageError, match="no column 'raw'"):
        list(batch)
    with pytest.raises(UsageError, match="same columns"):
        batch + of(TEXT)
    with pytest.raises(UsageError, match="there is no column 'urn'; did you mean 'uri'"):
        of(TEXT, columns=["urn"])
    with pytest.raises(UsageError, match="columns='uri' must be several names"):
        list(extract_batches([TEXT], columns="uri"))
    with pytest.raises(UsageError, match="must be several"):
        extract_batches("http://a.example/")


@pytest.mark.parametrize(
    "columns", [["uri"], ["key"], ["uri", "warnings"], ["key", "warnings"], ["uri", "host"], ["raw"]]
)
def test_batches_of_one_choice_of_columns_can_be_joined(columns: list[str]) -> None:
    texts = ["http://a.example/", "nothing", "http://b:x/", TEXT, "urn:isbn:0395363411 http://U:p@a.example"]
    batches = list(extract_batches(texts, columns=columns))
    assert len({batch.columns for batch in batches if batch}) == 1
    whole = Batch.joined(batches)
    assert whole.column("uri") == [uri for batch in batches for uri in batch.column("uri")]
    assert len(whole.rejections) == 3


def test_texts_names_and_files_are_sources() -> None:
    path = SAMPLES / "mail.mbox"
    tally = Tally()
    batches = list(extract_batches(["http://a.example", ("b", iter(["http://b.exa", "mple/"])), path], tally=tally))
    assert [list(batch.column("uri")) for batch in batches[:2]] == [["http://a.example/"], ["http://b.example/"]]
    assert list(batches[1].column("source")) == ["b"]
    expected = [record.as_dict() for record in extract_files([path])]
    assert [record.as_dict() for batch in batches[2:] for record in batch] == expected
    assert [record.as_dict() for record in Batch.joined(batches[2:])] == expected
    assert (tally.kinds, tally.rejected) == ({"mail": 1}, {"bad-port": 1, "bad-percent-encoding": 1})
    assert [list(batch.column("byte_start")) for batch in extract_batches([path], columns=["byte_start"])] == [
        list(batch.column("byte_start")) for batch in batches[2:]
    ]


def test_records_make_a_batch() -> None:
    records = [one for one in sieve(TEXT) if isinstance(one, Record)]
    same(Batch.of(records), list(records))
    assert len(Batch.of([])) == 0


@pytest.mark.parametrize("name", COLUMNS)
def test_batches_of_one_column_have_the_same_columns_whatever_they_come_from(name: str, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(
        '{"a": "http://a.example/", "b": "see http://b.example/ and http://c.example/"}\n'
    )
    (tmp_path / "page.html").write_text("<html><base href='http://d.example/'><a href='d'>http://e.example/</a></html>")
    (tmp_path / "text").write_text("http://f.example/ urn:example:a")
    (tmp_path / "wide").write_bytes("http://g.example/".encode("utf-16"))
    batches = list(extract_batches([*sorted(tmp_path.iterdir()), "http://h.example/"], columns=[name]))
    assert len({batch.columns for batch in batches if batch and name not in ("byte_start", "byte_end")}) <= 1
    assert len(Batch.joined(batches[:-1]).column(name)) == 9


@given(st.lists(st.sampled_from([("a",), ("b",), None])), st.data())
def test_values_that_rows_share_are_those_of_the_rows(values: list[tuple[str] | None], data: st.DataObject) -> None:
    shared = SharedValues.of(values)
    assert (list(shared), len(shared), len(shared.values)) == (values, len(values), len(set(values)))
    assert shared[1:] == values[1:]
    indices = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=5)) if values else []
    assert list(shared.select(indices)) == [values[index] for index in indices]
    changed = shared.changed(lambda value: value and value[0])
    assert list(changed) == [value and value[0] for value in values]
    assert memoryview(changed.packed()).cast("I").tolist() == list(shared.numbers)


@pytest.mark.parametrize("name", ["time", "message", "from"])
def test_a_part_of_the_location_is_no_column_of_its_own(name: str) -> None:
    with pytest.raises(UsageError, match=f"there is no column '{name}': it is part of the column 'location'"):
        list(extract_batches(["a"], columns=[name]))


@needs_kernel
@given(st.one_of(noisy_texts(), link_texts()), link_texts(), st.sampled_from(OPTIONS), st.data())
def test_rows_of_two_batches_are_joined_in_any_order(
    text: str, other: str, options: Options, data: st.DataObject
) -> None:
    batch, more = of(text, options), of(other, options)
    if batch.layout.harvest is None or not len(more):
        return
    rows = [*batch.layout.rows(), *more.layout.rows()]
    order = data.draw(st.permutations(range(len(rows))))[: data.draw(st.integers(0, len(rows)))]
    joined = batch.layout.joined(more.layout, order)
    assert joined is not None
    assert joined.harvest is not None
    assert list(joined.rows()) == [rows[index] for index in order]
    plain = Batch.of([(*batch, *more)[index] for index in order]).layout if order else joined
    assert (joined.lines(), joined.warned(), dict(joined.alternatives())) == (
        plain.lines(),
        plain.warned(),
        dict(plain.alternatives()),
    )
    assert joined.joined(Columns(0, {}, {"source": "another"}), []) is None


# What a text of a block may begin with, and what may be around it.
_BEGINNINGS: Final = ("", " ", "\u3000\t", "x ", "\n", SEPARATOR)
_LINKS: Final = (
    *("http://a.example/", "//a.example/", "/", "urn:x", "a:", "1:b", "h\u00e9:"),
    *("http:\\/\\/a.example", "mailto:a@b.example"),
)
_ENDS: Final = ("", " ", "x", " \u00e9", "|", ".")


@needs_kernel
@given(st.lists(st.tuples(*map(st.sampled_from, (_BEGINNINGS, _LINKS, _ENDS))), max_size=6))
def test_texts_that_no_row_takes_are_those_that_begin_as_links(parts: list[tuple[str, ...]]) -> None:
    texts = ["".join(some) for some in parts]
    whole, begins = joined_texts(texts)
    batch = of(whole)
    if batch.layout.harvest is None:
        return
    for skipped in ([], list(range(len(batch)))):
        taken = {(one.start, one.end) for index, one in enumerate(batch) if index not in skipped}
        naive = []
        for index, text in enumerate(texts):
            link = text.lstrip(SPACES)
            start, end = begins[index] + len(text) - len(link), begins[index] + len(text)
            if re.match(r"[A-Za-z][A-Za-z0-9+.\-]*:|//", link) and (start, end) not in taken:
                naive.append(index)
        assert batch.layout.unfilled(whole, memoryview(array("q", begins)), skipped) == naive


@needs_kernel
def test_offsets_of_texts_that_do_not_fit_are_errors() -> None:
    layout = of("http://a.example/").layout
    for numbers in ([], [0, 1], [4, 3, 9], [3, 90]):
        with pytest.raises(ValueError, match="text"):
            layout.unfilled("http://a.example/", memoryview(array("q", numbers)), [])
    assert layout.harvest is not None
    for uris, keys, packed in (([], [b"a"], bytes(48)), ([b"a"], [], bytes(48)), ([b"a"], [b"a"], bytes(47))):
        with pytest.raises(ValueError, match="each"):
            layout.harvest.joined([0], uris, keys, [b"a"], packed, b"\0")
    with pytest.raises(IndexError):
        layout.harvest.joined([2], [b"a"], [b"a"], [b"a"], bytes(48), b"\0")
