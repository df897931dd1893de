"""Rows at the edges of what the search looks at: how far, in which order, and what almost fits.

In the notation of `marked_rows`; each is here since no other row showed a change of one condition.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.folders import SAMPLES
from tests.helpers.marked_rows import Row, holds
from urisieve import (
    Batch,
    Filter,
    InputError,
    Options,
    Scanner,
    Scheme,
    Tally,
    UsageError,
    check,
    extract,
    extract_batches,
    extract_each,
    extract_files,
    parse,
    sieve,
    sieve_files,
    sieve_into,
)
from urisieve.options import RedactedPart
from urisieve.records.masking import masked_raw, masked_with_offset, password_token
from urisieve.records.redacted import redacted_name, redacted_raw, redacted_text, redacted_with_offset
from urisieve.runs.workers import Workers
from urisieve.streams import find_key
from urisieve.syntax.grammar import matches

REFANG = Options(refang="known-forms", schemeless="names", email="addresses")
WWW = Options(schemeless="www")

EMPHASIS = (
    Row("**see |http://example.com/a|** x", "opened before the candidate"),
    Row("__see |http://example.com/a|__ and ~~see |http://example.com/b|~~ x"),
    Row("(**see |http://example.com/a|**) x", "after a bracket"),
    Row("**(see |http://example.com/a|** x", "before a bracket"),
    Row("**see |http://example.com/a*| x", "a single mark closes nothing"),
    Row("**see** |http://example.com/a**| x", "closed before it"),
    Row("**see\n|http://example.com/a**| x", "on another line"),
    Row("** see |http://example.com/a**| x", "before a blank"),
    Row("a**see |http://example.com/a**| x", "in a word"),
    Row("***see |http://example.com/a**| x", "a third mark before it"),
    Row("**see |http://example.com/a**b**| x", "closed in it"),
    Row(f"**{'a' * 93} |http://example.com/a|** x", "96 characters before it"),
    Row(f"**{'a' * 94} |http://example.com/a**| x", "97 are too far"),
)

WRAPPED = (
    Row("<seen |http://example.com/a|>", "the wrapper opens before another word", wrappers="-"),
    Row("<|mailto:a\n@example.com|>", "the shape shows without the white space", uris="mailto:a@example.com"),
    Row(
        "“✗https://a.example'https://b.example✗” x",
        "the wrapper closes: the apostrophe ends nothing",
        reasons="host-label",
    ),
    Row("|https://a.example|'|https://b.example| x", "it does without one"),
    Row("<|http://example.com/a|¦label> x", "a label"),
    Row("<|http://example.com/a|\n¦ b>", "none after white space"),
    Row('"✗http://example.com/a¦label✗" x', "none in quotation marks", reasons="illegal-character"),
    Row("<✗http://example.com/{a}✗> x", "exact", reasons="illegal-character"),
    Row("<foo:>bar> x", "nothing follows the colon", options=Options(schemes="any")),
    Row("<|http://example.com/a|\x1b[>0m> x", "the closer belongs to an escape sequence", wrappers="-"),
)

ESCAPED = (
    Row("\x9b;h|ttp://example.com/a| x", "the letter ends the sequence", warnings="unregistered-scheme"),
    Row("\x1b[;h|ttp://example.com/a| x", "the same in seven bits", warnings="unregistered-scheme"),
    Row("\x1b;|http://example.com/a| x", "no sequence", warnings=""),
    Row(f"\x1b[{'0' * 57}m|http://example.com/a| x", "a sequence of sixty characters", warnings=""),
    Row(f"\x1b[{'0' * 58}m|http://example.com/a| x", "a longer one is none", warnings="scheme-cut"),
)

DEFANGED = (
    Row("bob [at] evil ok, a[at]b ok", "no top-level domain"),
    Row("|a&b[at]evil[.]com| x", "all that a local part may hold"),
)

ADDRESSES = (
    Row("Mail:|a@example.com|, to:|b@example.com|; Reply-To:|c@example.com|", "a label of an address"),
    Row("user:a@example.com and root:b@example.com", "a password"),
    Row("user:a@example.com and xto:|b@example.com|", "K10: any word that is no scheme"),
)

NAMED = (Row("www.a.1x www.10.20 |www.a.b| x", "no top-level domain begins with a digit"),)


def _with(options: Options, table: tuple[Row, ...]) -> tuple[Row, ...]:
    return tuple(row._replace(options=options) for row in table)


ROWS = (*EMPHASIS, *WRAPPED, *ESCAPED, *_with(REFANG, DEFANGED), *_with(WWW, NAMED), *_with(REFANG, ADDRESSES))


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_row(row: Row) -> None:
    holds(row)


@pytest.mark.parametrize(
    "text",
    [
        f"{'x ' * 200}10.1002/(SICI)1097-4571(199606)47:6<414::AID-ASI3>3.0.CO;2-X ok",
        f"{'x ' * 200}see 10.2014/15 and 10.1000/182. ok",
        f"{'x ' * 200}ISBN 978-0-306-40615-7, 2049-3630 and doi:10/abcd. ok",
    ],
)
def test_a_bare_identifier_far_into_a_text_may_be_cut_anywhere(text: str) -> None:
    options = Options(bare=("doi", "isbn", "issn"))
    whole = list(sieve(text, options=options))
    assert whole
    for place in range(399, len(text)):
        assert [one.as_dict() for one in sieve(iter([text[:place], text[place:]]), options=options)] == [
            one.as_dict() for one in whole
        ], place


PLACE = ("start", "end", "line", "column")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("<http://a.example/a b>", Options()),
        ("<http://a.example/a-\nb>", Options()),
        ("<www.a.example/a>", WWW),
        ('"http://a.example/A%7eb"', Options()),
        ("<URL:http://a.example/>", Options()),
        ("<http://a.example/100%zz>", Options()),
    ],
)
def test_what_comes_again_is_found_again(text: str, options: Options) -> None:
    values = list(sieve(f"{text} {text}\n{text}", options=options))
    assert len(values) == 3
    first, *others = ({k: v for k, v in one.as_dict().items() if k not in PLACE} for one in values)
    assert others == [first, first]


@pytest.mark.parametrize(
    ("text", "decider"),
    [("see ab.com", "!!!!!!!!"), ("see a@b.example", " "), ("see www.a.example", "!"), ("see ab.com", ":65535/ ")],
)
def test_a_name_is_decided_by_the_characters_behind_it(text: str, decider: str) -> None:
    scanner = Scanner(Options(schemeless="names", email="addresses"))
    assert scanner.feed(text) == scanner.feed(decider[:-1]) == []
    assert len(scanner.feed(decider[-1])) == 1


def test_a_long_scheme_is_not_cut_to_a_defanged_one() -> None:
    (record,) = extract(f"see a{'1' * 59}hxxp[:]//evil.com now", options=REFANG)
    assert record.uri == f"a{'1' * 59}hxxp://evil.com"


def test_a_rejection_is_shown_to_its_eightieth_character() -> None:
    for length in (80, 81):
        (rejection,) = sieve("http://a.example/%".ljust(length, "z"))
        assert repr(rejection).count("z") == 80 - len("http://a.example/%")


# Values.


@pytest.mark.parametrize("value", [parse("urn:isbn:0395363411"), parse("urn:isbn:0395363411").urn, check("x")])
def test_values_equal_nothing_else(value: object) -> None:
    assert (value == "urn:isbn:0395363411") is False
    assert (value == value) is True


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<http://a.example/a\u00a0b>", "uri"),
        ("<http://a.example/a\u2028b>", "uri"),
        ("<http://a.example/é\u00a0b>", "iri"),
        ("http://a.example/é", "iri"),
    ],
)
def test_white_space_in_a_wrapper_makes_no_iri(text: str, kind: str) -> None:
    (record,) = extract(text)
    assert record.kind == kind
    (batch,) = extract_batches([text], columns=["uri", "raw"])
    assert batch.column("kind") == [kind]


def test_a_record_has_no_place_but_the_one_that_was_asked_for() -> None:
    (batch,) = extract_batches(["see http://a.example/"], columns=["raw"])
    (record,) = batch
    absent = {"start": 0, "end": 0, "line": 0, "column": 0, "source": None, "wrapper": None, "byte_start": None}
    assert {name: record.as_dict()[name] for name in absent} == absent
    assert (record.byte_end, record.warnings, record.alternatives, record.message) == (None, (), (), None)
    assert parse("urn:a:b").start == 0


def test_columns_that_are_the_same_for_all_rows() -> None:
    (batch,) = extract_batches([("a", "http://a.example/ http://b.example/")], columns=["uri", "source", "start"])
    assert batch.is_constant("source") is True
    assert batch.is_constant("uri") is False
    assert batch.constant("source") == "a"
    assert (batch.column("source"), batch.column("start")) == (["a", "a"], [0, 18])


@pytest.mark.parametrize("words", [[5], [None], [b"http"], 5, [""], ["!"]], ids=repr)
def test_what_is_no_word_is_refused(words: Any) -> None:
    with pytest.raises(UsageError, match=r"schemes.*(must be (a list of |several )?words|not a word)"):
        Filter(schemes=words)


@pytest.mark.parametrize(
    ("since", "until", "is_wrong"),
    [
        *(("2024", "2023", True), ("2024-05-31", "2024-05-30", True), ("2024-06", "2024-05-31T13:05:00Z", True)),
        *(("2024", "2024", False), ("2024-05-31", "2024-05", False), ("2024-05-31T13:05", "2024", False)),
        *(("2024", "2024-05-31", False), ("2024-05-31T15:05:00+02:00", "2024-05-31T13:05:00Z", False)),
    ],
)
def test_bounds_hold_some_time(since: str, until: str, is_wrong: bool) -> None:  # M12
    assert Filter(since=since).until is Filter(until=until).since is None
    if not is_wrong:
        assert Filter(since=since, until=until).has_bounds
        return
    with pytest.raises(UsageError, match="is later than until="):
        Filter(since=since, until=until)


@pytest.mark.parametrize("word", ["a..b", "exa mple", "\udcff.example", "[::1", "", "!"])
def test_what_is_no_domain_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        Filter(domains=[word])


@pytest.mark.parametrize(
    ("uri", "pattern", "fits"),
    [
        ("foo://caf%C3%A9/", "café", True),
        ("foo://caf%C3%A9/", "CAFÉ", True),
        ("foo://caf%C3%A9/", "caf*", True),
        ("foo://caf%C3%A9/", "thé", False),
        ("http://xn--caf-dma.example/", "café.example", True),
        ("http://xn--caf-dma.example/", "xn--caf-dma.*", True),
        ("http://cafe.example/", "café.example", False),
        ("urn:a:b", "*", False),
    ],
)
def test_hosts_are_compared_as_people_read_them(uri: str, pattern: str, fits: bool) -> None:
    batch = Batch.of([parse(uri)])
    assert len(batch.where(Filter(hosts=pattern))) == fits


# Sources and faults.


@pytest.mark.parametrize("source", [(), ("a",), ("a", "b", "c"), (1, "http://a.example/"), 5, None])
def test_what_is_no_source_is_named_by_its_index(source: Any) -> None:
    with pytest.raises(UsageError, match=r"sources\[0\]=.* must be a text, a pair of a name and a text"):
        list(extract_batches([source]))
    reported: list[tuple[str, str]] = []
    sources: list[Any] = ["http://a.example/", source]
    found = list(extract_batches(sources, on_error=lambda name, error: reported.append((name, error.reason))))
    assert [len(batch) for batch in found] == [1, 0]
    name = source[0] if isinstance(source, tuple) and source and isinstance(source[0], str) else "source 1"
    assert reported == [(name, "not-text")]


def test_what_texts_reject_and_warn_of_is_counted() -> None:
    tally = Tally()
    list(extract_batches(["http://b:x/ http://u:p@a.example/", "http://c:x/ nothing"], tally=tally))
    assert tally.rejected == {"bad-port": 2}
    assert tally.warnings == {"userinfo-present": 1, "password-present": 1}


class _Taker:
    """A sink that keeps what it takes."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, int | None]] = []
        self.is_closed = False

    def take(self, batch: Batch, /) -> None:
        self.taken += zip(batch.column("uri"), batch.column("byte_start"), strict=True)

    def close(self) -> None:
        self.is_closed = True


def test_what_a_sink_gets_nothing_of_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("é http://a.example/")
    (tmp_path / "b").symlink_to(tmp_path / "gone")
    sink = _Taker()
    tally = sieve_into([str(tmp_path)], sink)
    assert (sink.taken, sink.is_closed) == ([("http://a.example/", 3)], True)
    assert tally.skipped == {("file", "dangling-link"): 1}


def test_what_a_filter_keeps_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("é ftp://b.example/ http://a.example/ ftp://c.example/")
    sink = _Taker()
    tally = sieve_into([str(tmp_path / "a")], sink, wanted=Filter(schemes="http"))
    assert (sink.taken, tally.left_out) == ([("http://a.example/", 20)], {"filter": 2})


@pytest.mark.parametrize("length", [200, 201])
def test_the_text_of_an_exception_is_shown_to_its_two_hundredth_character(length: int) -> None:
    def fail(text: str) -> str:
        raise OSError(text)

    reported: list[InputError] = []
    list(extract_batches([("a", map(fail, ["x" * length]))], on_error=lambda _, error: reported.append(error)))
    assert ("x" * length in str(reported[0])) is (length == 200)


def _fails_if_bad(parts: Any) -> Any:
    if parts.path == "bad":
        raise ValueError("bad")
    return parts


def test_nothing_of_a_text_that_failed_goes_to_the_next_one() -> None:
    options = Options(rules=Scheme(name="crate", title="a crate", reference="x", shape="[a-z]+", form=_fails_if_bad))
    many = "http://a.example/ " * 40_000  # more than one piece: the first ones are found before the fault
    each = extract_each([f"{many}crate:bad", "crate:c"], options=options, on_error=lambda *_: None)
    assert [[record.uri for record in records] for records in each] == [[], ["crate:c"]]


def test_calls_with_many_options_keep_few_searches() -> None:
    for number in range(100):
        find_key("see http://a.example/", options=Options(max_length=1_000 + number))
    gc.collect()
    assert sum(type(one).__name__ in ("Search", "KernelSearch") for one in gc.get_objects()) < 60


def _living(kind: type) -> int:
    gc.collect()
    return sum(type(one) is kind for one in gc.get_objects())


def test_checks_by_many_options_keep_few_of_them() -> None:
    before = _living(Options)
    for number in range(300):
        check("http://a.example/", options=Options(spoofing=True, max_length=1_000 + number))
    assert _living(Options) - before < 150


# Passwords.


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://r.example/?u=x:/b:c@d", "https://r.example/?u=x:/b:c@d"),
        ("https://r.example/?u=http://b:c@d", "https://r.example/?u=http://b:***@d"),
        ("https://r.example/?u=http%3A%2F%2Fb%3Ac%40d", "https://r.example/?u=http%3A%2F%2Fb%3A***%40d"),
        ("https://r.example/?u=http%3A%2Fb%3Ac%40d", "https://r.example/?u=http%3A%2Fb%3Ac%40d"),
        ("https://r.example/?u=http%3A%2F%2Fh%2Fb%3Ac%40d", "https://r.example/?u=http%3A%2F%2Fh%2Fb%3Ac%40d"),
        ("https://r.example/?u=http%3A%2F%2Fb%3Ac%40d%2Fp", "https://r.example/?u=http%3A%2F%2Fb%3A***%40d%2Fp"),
        ("https://r.example/?u=http-3A__h_b-3Ac-40d", "https://r.example/?u=http-3A__h_b-3Ac-40d"),
        ("https://r.example/?u=http-3A__b-3Ac-40d_p", "https://r.example/?u=http-3A__b-3A***-40d_p"),
    ],
)
def test_what_has_one_slash_has_no_password(text: str, shown: str) -> None:
    assert str(parse(text)) == shown


def test_by_default_nobody_else_works(monkeypatch: pytest.MonkeyPatch) -> None:
    class Busy(Exception):  # noqa: N818
        pass

    def busy(*_: object, **__: object) -> None:
        raise Busy

    monkeypatch.setattr(Workers, "__init__", busy)
    sample = SAMPLES / "mail.mbox"
    calls: list[Callable[..., Iterator[object]]] = [
        lambda **jobs: extract_files([sample], **jobs),
        lambda **jobs: sieve_files([sample], **jobs),
        lambda **jobs: extract_batches([sample], **jobs),
    ]
    for call in calls:
        assert list(call())
        with pytest.raises(Busy):
            list(call(jobs=2))


@pytest.mark.parametrize("colon", ["[:]//", "[://]", ":[//]"])
def test_a_long_scheme_may_be_cut_anywhere_before_its_defanged_colon(colon: str) -> None:
    text = f"see {'a+' * 200}{colon}evil.com now"
    (whole,) = sieve(text, options=REFANG)
    assert whole.start == 4
    assert [one.as_dict() for one in sieve(iter(text), options=REFANG)] == [whole.as_dict()]
    for place in range(400, len(text)):
        assert [one.as_dict() for one in sieve(iter([text[:place], text[place:]]), options=REFANG)] == [whole.as_dict()]


@pytest.mark.parametrize(
    ("filtered", "word"),
    [
        (Filter(present="host"), "host"),
        (Filter(present=["host"], schemes="http"), "filter"),
        (Filter(hosts="a.example"), "filter"),
        (Filter(), "filter"),
    ],
)
def test_what_a_filter_leaves_out_is_counted_by_a_word(filtered: Filter, word: str) -> None:
    assert filtered.counted_as == word


def test_a_notice_names_the_reference_of_the_syntax_alone() -> None:
    (record,) = extract("see http://u:p@a.example/ ok")
    assert [(notice.warn, notice.detail) for notice in record.notices] == [
        ("userinfo-present", ""),
        ("password-present", ""),
    ]


@pytest.mark.parametrize(
    ("text", "r", "q", "f"),
    [
        ("urn:example:a?+r?=q#f", "r", "q", "f"),
        ("urn:example:a?=q", None, "q", None),
        ("urn:example:a?+r#", "r", None, ""),
        ("urn:example:a", None, None, None),
    ],
)
def test_the_components_of_a_urn(text: str, r: str | None, q: str | None, f: str | None) -> None:
    urn = parse(text, options=Options(urn_syntax="rfc8141")).urn
    assert urn is not None
    assert (urn.r_component, urn.q_component, urn.f_component) == (r, q, f)


REJECTED = [
    ("http://joe@a.example:80ab/p?q#f", ("http://***@a.example:80ab/p?q#f", 30),
     ("http://joe@a.example:80ab/p?***", 28),
     ("http://joe@a.example:80ab/p?q#***", 30), ("http://joe@a.example:80ab/***", 26)),
    ("http://a.example/p#f%zz", ("http://a.example/p#f%zz", 22), ("http://a.example/p#f%zz", 22),
     ("http://a.example/p#***", 19), ("http://a.example/***", 17)),
    ("www.a..b/p?q#f", ("www.a..b/p?q#f", 13), ("www.a..b/p?***", 11), ("www.a..b/p?q#***", 13), ("www.a..b/***", 9)),
    ("sip:joe@a@b.example;x?q", ("sip:***@b.example;x?q", 20), ("sip:joe@a@b.example;x?***", 22),
     ("sip:joe@a@b.example;x?q", 22), ("sip:***", 4)),
    ("mailto:joe@a b?q", ("mailto:joe@a b?q", 15), ("mailto:joe@a b?***", 15), ("mailto:joe@a b?q", 15),
     ("mailto:***", 7)),
    ("urn:urn:joe?q#f", ("urn:urn:joe?q#f", 14), ("urn:urn:joe?***", 12), ("urn:urn:joe?q#***", 14),
     ("urn:urn:***", 8)),
    ("http://j%40x@a.example:80ab/", ("http://***@a.example:80ab/", 25), *[("http://j%40x@a.example:80ab/", 27)] * 3),
    ("http://a.example:x/p/http://b.example/?q", ("http://a.example:x/p/http://b.example/?q", 39),
     *[("http://a.example:x/p/***", 21)] * 2, ("http://a.example:x/***", 19)),
    ("https://e.protection.sophos.com:x/?u=aHR0cDovL2E=", ("https://e.protection.sophos.com:x/?u=aHR0cDovL2E=", 48),
     ("https://e.protection.sophos.com:x/?***", 35), ("https://e.protection.sophos.com:x/?u=***", 37),
     ("https://e.protection.sophos.com:x/***", 34)),
    (r"https://e.protection.sophos.com\?u=aHR0cDovL2E=", (r"https://e.protection.sophos.com\?u=aHR0cDovL2E=", 46),
     *[(r"https://e.protection.sophos.com\***", 32)] * 3),
    ("nothing", *[("***", 0)] * 4),
    ("mailto:j%40x@a b", ("mailto:***@a b", 13), *[("mailto:j%40x@a b", 15)] * 2, ("mailto:***", 7)),
    ("mailto:joe@a%40b@c d", ("mailto:***@c d", 13), *[("mailto:joe@a%40b@c d", 19)] * 2, ("mailto:***", 7)),
    ("mailto://joe@h b", ("mailto://***@h b", 15), *[("mailto://joe@h b", 15)] * 3),
    ("https://joe@www.google.com:9x/u", ("https://***@www.google.com:9x/u", 30),
     *[("https://joe@www.google.com:9x/u", 30)] * 2, ("https://joe@www.google.com:9x/***", 30)),
    ("https://www.google.com/u%zz", *[("https://www.google.com/u%zz", 26)] * 3, ("https://www.google.com/***", 23)),
    ("https://joe@www.google.com/u%zz", ("https://***@www.google.com/u%zz", 30),
     *[("https://joe@www.google.com/u%zz", 30)] * 2, ("https://joe@www.google.com/***", 27)),
]  # fmt: skip


# The parts that do not depend on the rows of secrets.
TEXTUAL = tuple(part for part in RedactedPart if part is not RedactedPart.SECRETS)


@pytest.mark.parametrize("row", REJECTED, ids=lambda row: row[0])
def test_what_is_left_of_a_rejection(row: tuple[Any, ...]) -> None:
    raw, *expected = row
    for part, (shown, offset) in zip(TEXTUAL, expected, strict=True):
        parts = frozenset((part,))
        assert redacted_with_offset(raw, len(raw) - 1, parts) == (shown, offset)
        assert redacted_with_offset(raw, 0, parts) == (shown, 0)
        before = len(raw.partition("//")[0]) + 3  # in the authority, behind its first character
        if part is RedactedPart.USERINFO and "***@" in shown and "//" in raw:
            assert redacted_with_offset(raw, before, parts) == (shown, before - 1)
            assert redacted_with_offset(raw, before - 1, parts) == (shown, before - 1)
    assert redacted_with_offset(raw, 1, frozenset()) == (raw, 1)


HIDDEN = (  # what is hidden of a text as user, query, fragment and path, in braces; `=` for nothing
    ("http://joe@a.example/p/q?x#y", "http://{joe}@a.example/p/q?x#y", "http://joe@a.example/p/q?{x}#y",
     "http://joe@a.example/p/q?x#{y}", "http://joe@a.example/{/p/q}?x#y"),
    ("http://a@b@c/p", "http://{a@b}@c/p", "=", "=", "http://a@b@c/{/p}"),
    ("http://a.example", "=", "=", "=", "="),
    ("http://a.example/?#", "=", "=", "=", "="),
    ("http://a.example?q", "=", "http://a.example?{q}", "=", "="),
    ("view-source:http://u@h/p", "view-source:http://{u}@h/p", "=", "=", "view-source:http://u@h/{/p}"),
    ("foo:/a/b?q#f", "=", "foo:/a/b?{q}#f", "foo:/a/b?q#{f}", "foo:/{/a/b}?q#f"),
    ("foo:a", "=", "=", "=", "foo:{a}"),
    ("foo:/", "=", "=", "=", "="),
    ("foo:", "=", "=", "=", "="),
    ("urn:ex:a?+r?=q#f", "=", "urn:ex:a?+{r?=q}#f", "urn:ex:a?+r?=q#{f}", "urn:ex:{a}?+r?=q#f"),
    ("URN:ex:a?=q", "=", "URN:ex:a?={q}", "=", "URN:ex:{a}?=q"),
    ("urn:ex:a?q", "=", "urn:ex:a?{q}", "=", "urn:ex:{a}?q"),
    ("foo:a?+q", "=", "foo:a?{+q}", "=", "foo:{a}?+q"),
    ("sip:joe@h;x?y", "sip:{joe}@h;x?y", "sip:joe@h;x?{y}", "=", "sip:{joe@h;x}?y"),
    ("view-source:sip:joe@h", "view-source:sip:{joe}@h", "=", "=", "view-source:{sip:joe@h}"),
    ("mailto:joe@h", "=", "=", "=", "mailto:{joe@h}"),
    ("nothing", *["{nothing}"] * 4),
    ("http://r.example/http://u@h/p", "http://r.example/http://{u}@h/p", "=", "=", "http://r.example/{/http://u@h/p}"),
    ("http://r.example/a%2Fhttp%3A%2F%2Fu%40h%2Fp", "http://r.example/a%2Fhttp%3A%2F%2F{u}%40h%2Fp",
     *["http://r.example/a%2F{http%3A%2F%2Fu%40h%2Fp}"] * 2, "http://r.example/{/a%2Fhttp%3A%2F%2Fu%40h%2Fp}"),
    ("http://r.example/?u=http://u@h/p#w", "http://r.example/?u=http://{u}@h/p#w",
     "http://r.example/?{u=http://u@h/p}#w", "http://r.example/?u={http://u@h/p}#{w}",
     "http://r.example/?u={http://u@h/p}#w"),
    ("http://r.example/#http://u@h", "http://r.example/#http://{u}@h", *["http://r.example/#{http://u@h}"] * 3),
    ("https://www.google.com/url?q=a&b", "=", "https://www.google.com/url?{q=a&b}", "https://www.google.com/url?q={a}&b",
     "https://www.google.com/{/url}?q={a}&b"),
    ("https://www.google.com/u#f", "=", "=", "https://www.google.com/u#{f}", "https://www.google.com/{/u}#f"),
    ("https://archive.org/web/2020/a.example/b?c#d", "=", "https://archive.org/web/2020/{a.example/b}?{c}#{d}",
     "https://archive.org/web/2020/{a.example/b}?{c}#{d}", "https://archive.org/{/web/2020/a.example/b}?{c}#{d}"),
    ("mailto:http%3A%2F%2Fu%40h", "mailto:http%3A%2F%2F{u}%40h", *["mailto:{http%3A%2F%2Fu%40h}"] * 3),
)  # fmt: skip


@pytest.mark.parametrize("row", HIDDEN, ids=lambda row: row[0])
def test_what_is_hidden_of_each_part(row: tuple[str, ...]) -> None:
    text, *expected = row
    for part, shown in zip(TEXTUAL, expected, strict=True):
        assert redacted_text(text, frozenset((part,)), lambda one: f"{{{one}}}") == (text if shown == "=" else shown)
        assert matches("URI", redacted_text(text, frozenset((part,)))) or not matches("URI", text)
    assert redacted_text(text, frozenset(), lambda one: f"{{{one}}}") == text


@pytest.mark.parametrize(
    ("raw", "uri", "part", "shown"),
    [
        ("HTTP://A.example/p?q", "http://a.example/p?q", "query", "HTTP://A.example/p?***"),
        ("www.a.example/p", "http://www.a.example/p", "path", "www.a.example/***"),
        ("hxxp://a.example/p", "http://a.example/p", "path", "hxxp://a.example/***"),
        ("a.example/p", "http://a.example/p", "path", "http://a.example/***"),
        ("http:\n//a.example/b", "http://a.example/b", "path", "http://a.example/***"),
        ("urn:ISBN:0395", "urn:isbn:0395", "path", "urn:ISBN:***"),
        ("x:a", "mailto:a", "path", "mailto:***"),
        ("http://a.example", "http://a.example/?q", "query", "http://a.example/?***"),
    ],
)
def test_what_is_left_of_the_text_as_it_stood(raw: str, uri: str, part: str, shown: str) -> None:
    parts = frozenset((RedactedPart(part),))
    assert redacted_raw(raw, redacted_text(uri, parts), parts) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see http://joe@a.example/p and b", "see http://joe@a.example/*** and b"),
        ("a.warc!http://a.example/p", "a.warc!http://a.example/***"),
        ("no link", "no link"),
    ],
)
def test_what_is_left_of_a_name(text: str, shown: str) -> None:
    assert redacted_name(text, frozenset((RedactedPart.PATH,))) == shown
    assert redacted_name(text, frozenset()) == text


MASKED = [
    ("http://u:p@a.example:80ab/", 21, "http://u:***@a.example:80ab/", 23),
    ("http://u:p@a.example:80ab/", 9, "http://u:***@a.example:80ab/", 9),
    ("http://u:p@a.example:80ab/", 10, "http://u:***@a.example:80ab/", 12),
    ("http://u:p/w@h/", 10, "http://u:***@h/", 9),
    ("http://u@a:p@h/", 14, "http://u@a:***@h/", 16),
    ("www.a.example:p@h/", 14, "www.a.example:***@h/", 14),
    ("sip:u:p@a b", 9, "sip:u:***@a b", 11),
    ("http://u@:x y", 12, "http://u@:x y", 12),
    ("http://u:p@:x y", 14, "http://u:***@:x y", 16),
    ("http://u:p[at]:x", 15, "http://u:***[at]:x", 17),
    ('"http://u:p@h x', 14, '"http://u:***@h x', 16),
    ("http://a.example:x/?u=http://u:p@h/", 34, "http://a.example:***@h/", 22),
    ("http://a.example/%zz?u=http://u:p@h/", 35, "http://a.example/%zz?u=http://u:***@h/", 37),
    ("http://a.example/%zz?u=http://u:p@h/", 17, "http://a.example/%zz?u=http://u:***@h/", 17),
    *(
        (f"http://a.example/%zz?u=http://u:{'p' * 3}@h/", offset, "http://a.example/%zz?u=http://u:***@h/", moved)
        for offset, moved in ((31, 31), (32, 32), (33, 32), (34, 32), (35, 35), (36, 36), (38, 38))
    ),
    *(
        (f"http://a.example/%zz?u=http://u:{'p' * 9}@h/", offset, "http://a.example/%zz?u=http://u:***@h/", moved)
        for offset, moved in ((32, 32), (33, 32), (40, 32), (41, 35), (42, 36), (44, 38))
    ),
    ("http://a.example:x/", 17, "http://a.example:x/", 17),
]


@pytest.mark.parametrize(("raw", "offset", "shown", "moved"), MASKED)
def test_what_is_shown_of_a_rejected_password(raw: str, offset: int, shown: str, moved: int) -> None:
    assert masked_with_offset(raw, offset) == (shown, moved)


@pytest.mark.parametrize(
    ("raw", "uri", "shown"),
    [
        ("http://u:p@a.example", "http://u:p@a.example/", "http://u:***@a.example"),
        ("www.u:p@a.example", "http://www.u:p@a.example/", "www.u:***@a.example"),
        ("//u:p@a.example", "http://u:p@a.example/", "//u:***@a.example"),
        ("hxxp[:]//u:p@a[.]example", "http://u:p@a.example/", "http://u:***@a.example/"),
        (
            "HTTP://R.example/?u=http://u:p@h/",
            "http://r.example/?u=http://u:p@h/",
            "HTTP://R.example/?u=http://u:***@h/",
        ),
        (
            "http://r.example/?u=http:\n//u:p@h/",
            "http://r.example/?u=http://u:p@h/",
            "http://r.example/?u=http://u:***@h/",
        ),
        (
            "http://r.example/?u=http://u:p@h/",
            "http://r.example/?u=http://u:p@h/",
            "http://r.example/?u=http://u:***@h/",
        ),
    ],
)
def test_what_is_shown_of_the_text_as_it_stood(raw: str, uri: str, shown: str) -> None:
    assert masked_raw(raw, uri) == shown


@pytest.mark.parametrize("secret", [b"", b"x" * 65, "x"])
def test_a_secret_has_a_length(secret: Any) -> None:
    with pytest.raises(UsageError, match="1 to 64 bytes"):
        password_token(secret)
    for length in (1, 64):
        assert len(password_token(b"x" * length)("p")) == 16


def test_a_scheme_alone_is_not_a_candidate(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('["http://", "x://e", "foo:", "http:/"]\n')
    assert list(sieve_files([tmp_path])) == []


@pytest.mark.parametrize(
    ("value", "options"),
    [
        ("made-up://x/a.", Options()),
        ("xy://e.", Options()),
        ("http://e.", Options()),
        ("x://e.", Options(known_schemes={"x"})),
    ],
)
def test_a_value_is_one_candidate_whatever_it_ends_with(value: str, options: Options, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(f'["{value}"]\n')
    assert [one.raw for one in sieve_files([tmp_path], options=options)] == [value]


@pytest.mark.parametrize("columns", [["uri", "start"], ["uri", "warnings"], ["key"], None])
def test_columns_are_in_the_order_of_the_text(columns: list[str] | None) -> None:
    text = (
        "urn:a:b http://b.example/ urn:c:d <http://e.example/> http://u@f.example/ http://g.example/ HTTP://h.example/"
    )
    (batch,) = extract_batches([text], columns=columns)
    assert batch.column("uri") == [record.uri for record in extract(text)]
    assert [uri.partition("//")[2] for uri in batch.column("uri")] == [
        *("", "b.example/", "", "e.example/", "u@f.example/", "g.example/", "h.example/"),
    ]


_LINKS = [
    *(
        "http://a.example:8080/p?q#f",
        "http://b.example/",
        "http://u@c.example:9/%C3%BC",
        "ftp://d.example/?",
        "foo://h#",
    ),
    *(
        "http://1.2.3.4/a",
        "https://e.example/?x",
        "http://f.example:/",
        "urn:a:b?c#d",
        "http://[::1]:1/",
        "mailto:a@b.example",
    ),
    *(
        "<http://a.example/%00>",
        "(http://a.example:99999/)",
        '"http://a_b.example/"',
        "<http://u@b.example/>",
        "<foo://h>",
    ),
    *("http://xn--tda.example/", "HTTP://G.example:80", "http://h.example/ü?ü#ü", "tel:+1", "http://i.example/?%c3%bc"),
]


@pytest.mark.parametrize("count", [1, 8, 9, 18, len(_LINKS)])
@pytest.mark.parametrize("links", [_LINKS, _LINKS[1::-1], ["http://b.example/"] * 9, ["http://a.example/é"] * 9])
def test_columns_are_what_records_say(links: list[str], count: int) -> None:
    text = " ".join(links[:count])
    names = [
        "scheme",
        "userinfo",
        "host",
        "host_kind",
        "port",
        "path",
        "query",
        "fragment",
        "nid",
        "nss",
        "iri",
        "kind",
    ]
    names += ["raw", "uri", "key", "start", "end", "line", "column", "warnings", "wrapper", "alternatives", "source"]
    records = list(extract(text))
    (whole,) = extract_batches([text])
    (parts,) = extract_batches([text], columns=names)
    for name in whole.columns:
        (fresh,) = extract_batches([text])
        if fresh.is_constant(name):
            assert list(fresh.column(name)) == [fresh.constant(name)] * len(records)
        (some,) = extract_batches([text], columns=[name])
        if some.is_constant(name):
            assert list(some.column(name)) == [some.constant(name)] * len(records)
    for name in names:
        expected = [getattr(record, name) for record in records]
        (one,) = extract_batches([text], columns=[name])
        assert list(one.column(name)) == list(parts.column(name)) == list(whole.column(name)) == expected, name
        if name in whole.columns:
            assert whole.is_constant(name) is False or len({*map(str, expected)}) < 2
            assert not whole.is_constant(name) or whole.constant(name) == expected[0]
    assert [record.as_dict() for record in whole] == [record.as_dict() for record in records]
    assert [record.as_dict() for record in parts] == [record.as_dict() for record in records]
    assert whole.warned() == parts.warned() == [index for index, record in enumerate(records) if record.warnings]
    assert [one.warned() for one in extract_batches([text], columns=["uri"])] == [[]]


def test_records_of_a_batch_have_the_rules_of_the_options() -> None:
    row = Scheme(name="lake", title="a lake", reference="x", dns=True, parts=lambda parts: {"depth": parts.path[1:]})
    options = Options(rules=row)
    (batch,) = extract_batches(
        ["http://a.example/ <lake://xn--4ca.example/5> lake://xn--4ca.example/6"], options=options
    )
    for records in (list(batch), list(batch[:]), [batch[index] for index in range(3)], batch.records()):
        assert [record.iri for record in records[1:]] == ["lake://ä.example/5", "lake://ä.example/6"]
        assert [record.parts for record in records] == [{}, {"depth": "5"}, {"depth": "6"}]
    assert batch.column("iri")[1:] == ["lake://ä.example/5", "lake://ä.example/6"]
    (plain,) = extract_batches(["http://a.example/ lake://xn--4ca.example/6"])
    assert plain[1].iri == "lake://xn--4ca.example/6"
    assert not batch.is_like(plain)
    assert len(Batch.of(list(batch)) + batch) == 6


def test_rules_may_make_what_no_uri_is() -> None:
    row = Scheme(name="lake", title="a lake", reference="x", form=lambda parts: parts._replace(path="/ä/b", query="ö"))
    (batch,) = extract_batches(["http://a.example/ lake://b.example/ http://c.example/?d"], options=Options(rules=row))
    for name, values in (("path", ["/", "/ä/b", "/"]), ("query", [None, "ö", "d"]), ("host", ["a", "b", "c"])):
        assert batch.column(name) == [f"{value}.example" if name == "host" else value for value in values]


class _Spans:
    """Two bytes for each character."""

    def span(self, start: int, end: int, /) -> tuple[int, int]:
        return 2 * start, 2 * end


def _placed(batch: Batch) -> list[tuple[int, int]]:
    return list(zip(batch.column("byte_start"), batch.column("byte_end"), strict=True))


@pytest.mark.parametrize(
    "seen",
    [
        _placed,
        lambda batch: [(record.byte_start, record.byte_end) for record in batch],
        lambda batch: [(batch[index].byte_start, batch[index].byte_end) for index in range(2)],
        lambda batch: [row[11:13] for row in batch.resolved().layout.rows()],
        lambda batch: _placed(pickle.loads(pickle.dumps(batch))),
        lambda batch: _placed(batch[:]),
        lambda batch: _placed(batch + batch)[2:],
        lambda batch: _placed(batch.replaced({})),
    ],
)
def test_byte_offsets_are_looked_up_when_they_are_asked_for(seen: Callable[[Batch], Any]) -> None:
    (whole,) = extract_batches(["see http://a.example/ and urn:a:b, http://c:x/"])
    for batch in (whole, _as_columns()):
        made = batch.with_spans(_Spans())
        assert {"byte_start", "byte_end"} <= set(made.columns)
        assert made.is_constant("byte_start") is False
        assert seen(made) == [(8, 42), (52, 66)]
        assert [(one.byte_start, one.byte_end) for one in made.resolved().rejections] == [(70, 92)]


def _as_columns() -> Batch:
    """The same as columns instead of rows."""
    columns = ["raw", "uri", "key", "start", "end"]
    (batch,) = extract_batches(["see http://a.example/ and urn:a:b, http://c:x/"], columns=columns)
    return batch


# The characters beyond ASCII that end what has no wrapper, and those that no IRI holds (RFC 3987 2.2): blanks,
# controls of direction, halves of UTF-16, private use, stops of other scripts; a dash; closers without an opener; and
# what opens a bracket or a quotation in a text, right behind ASCII.
_ENDING = (
    "A0 AB 61C 1680 2000-200B 200E-200F 2014 201A 201C 201E 2028-202F 2039 205F 2066-2069 27E7 27E9 27EB 2986 3000-3002"
    " 3009 300B-300F 3011 3015 3017 3019 301B 301D D800-F8FF FDD0-FDEF FEFF FF01 FF08-FF09 FF0C FF0E FF1A-FF1B"
    " FF1E-FF1F FF3D FF5D FF60-FF64 FFF0-FFFF"
)
_RANGES = [(int(part.partition("-")[0], 16), int(part.rpartition("-")[2], 16)) for part in _ENDING.split()]


@pytest.mark.parametrize(("first", "last"), _RANGES, ids=_ENDING.split())
def test_which_characters_end_a_candidate(first: int, last: int) -> None:
    for point in (first, (first + last) // 2, last, first - 1, last + 1):
        text = f"http://e.example/a{chr(point)}b"
        found = [record.raw for record in extract(text)]
        kept = point > 0x9F and not any(low <= point <= high for low, high in _RANGES)
        assert (found == [text]) is kept, hex(point)
