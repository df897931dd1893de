"""What engines for data call for each row: the first key of a text, secrets that travel, and rows that are poisoned."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.generated_texts import Texts
from tests.helpers.strategies import scaled
from urisieve import (
    InputError,
    Options,
    Record,
    Scheme,
    Tally,
    UsageError,
    extract,
    extract_batches,
    extract_documents,
    extract_each,
    new_secret,
    read_records,
    sieve_documents,
    write_records,
)
from urisieve.dedupe.keyset import DigestSet
from urisieve.errors import BrokenInputError
from urisieve.sinks.statistics import count_keys
from urisieve.streams import extract_keys, find_key

OPTIONS = [
    None,
    Options(level="syntax"),
    Options(nested=True, email=True, schemeless=True, refang=True),
    Options(schemes=["urn"], max_length=100),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("options", OPTIONS)
def test_the_first_key_is_that_of_extract_keys(options: Options | None) -> None:
    texts = Texts(random.Random(13))
    for number in range(scaled(1_500)):
        text = texts.text()
        if number % 10 == 0:
            text = " ".join(texts.text() for _ in range(60))
        first = next(extract_keys(text, options=options), None)
        assert find_key(text, options=options) == first, text


def test_a_long_text_is_searched_as_far_as_its_first_identifier() -> None:
    long = "words and words " * 400_000
    assert find_key(f"{long} http://a.example/") == "http://a.example/"
    assert find_key(long) is None
    # The first piece ends within the candidate.
    for before in range(4_070, 4_100):
        assert find_key(" " * before + "http://a.example/b http://b.example/") == "http://a.example/b"


def test_what_is_not_a_text_has_no_key() -> None:
    assert find_key(None) is None
    assert find_key("") is None
    for wrong in (5, b"http://a.example/", ["x"]):
        with pytest.raises(UsageError, match=r"text=.* must be a string"):
            find_key(wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="must be Options"):
        find_key("x", options="syntax")  # type: ignore[arg-type]


def test_many_options_and_threads_share_the_searches() -> None:
    lengths = [Options(max_length=64 + number) for number in range(40)]
    for _ in range(2):
        for options in lengths:
            assert find_key("see http://a.example/", options=options) == "http://a.example/"

    def keys(number: int) -> list[str | None]:
        return [find_key(f"see http://a{number}.example/{n} x", options=lengths[n % 3]) for n in range(300)]

    with ThreadPoolExecutor(4) as pool:
        for number, found in enumerate(pool.map(keys, range(8))):
            assert found == [f"http://a{number}.example/{n}" for n in range(300)]


def _form_calls_find_key(parts: Any) -> Any:
    assert find_key("see http://inner.example/") == "http://inner.example/"
    if parts.path == "bad":
        raise ValueError("bad")
    return parts


def test_a_rule_may_ask_for_keys_and_may_fail() -> None:
    options = Options(
        rules=Scheme(name="crate", title="a crate", reference="x", shape="[a-z]+", form=_form_calls_find_key)
    )
    assert find_key("see crate:a", options=options) == "crate:a"
    with pytest.raises(ValueError, match="bad"):
        find_key("see crate:bad", options=options)
    assert find_key("see crate:b", options=options) == "crate:b"
    reported: list[int] = []
    texts = ["crate:a", "http://a.example/ crate:bad", "crate:c"]
    each = extract_each(texts, options=options, on_error=lambda index, _: reported.append(index))
    assert [[record.uri for record in records] for records in each] == [["crate:a"], [], ["crate:c"]]
    assert reported == [1]


SECRET = bytes(range(32))
PASSWORDS = [
    "http://joe:pass@a.example/",
    "ftp://u:p%40ss@b.example/x",
    "sip:u:secret@c.example",
    "http://joe@a.example/",
]


def test_with_one_secret_all_calls_have_the_same_keys(tmp_path: Path) -> None:
    text = " ".join(PASSWORDS)
    keys = [find_key(one, secret=SECRET) for one in PASSWORDS]
    write_records(extract(text), tmp_path / "a.jsonl", secret=SECRET)
    assert [record.key for record in read_records(tmp_path / "a.jsonl")] == keys
    assert [row.key for row in count_keys([text], secret=SECRET)] == keys
    assert keys[3] == PASSWORDS[3]
    for key, password in zip(keys, ("pass", "p%40ss", "secret"), strict=False):
        assert password not in str(key)
    with get_context("spawn").Pool(1) as pool:
        assert pool.starmap(_keyed, [(one, SECRET) for one in PASSWORDS]) == keys
    assert [find_key(one) for one in PASSWORDS] == [record.key for record in extract(text)]
    write_records(extract(text), tmp_path / "b.jsonl")
    assert [record.key for record in read_records(tmp_path / "b.jsonl")] != keys
    assert len({new_secret() for _ in range(9)}) == 9


def _keyed(text: str, secret: bytes) -> str | None:
    return find_key(text, secret=secret)


@pytest.mark.parametrize("wrong", [b"", b"x" * 65, "x" * 32, 5])
def test_what_is_not_a_secret_is_refused(wrong: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a secret is 1 to 64 bytes"):
        find_key(PASSWORDS[0], secret=wrong)
    with pytest.raises(UsageError, match="a secret is 1 to 64 bytes"):
        write_records([], tmp_path / "x.jsonl", secret=wrong)
    with pytest.raises(UsageError, match="a secret is 1 to 64 bytes"):
        list(count_keys([""], secret=wrong))
    with pytest.raises(UsageError, match="give one of the two"):
        write_records([], tmp_path / "x.jsonl", secret=SECRET, show_passwords=True)


def _broken(error: Exception) -> Iterator[str]:
    yield "http://before.example/ and http://und"
    raise error


POISON: list[Any] = [5, b"http://a.example/", object(), ["http://a.example/ ", None]]


@pytest.mark.parametrize("wrong", POISON)
def test_a_poisoned_row_costs_its_own_list_alone(wrong: Any) -> None:
    texts = ["http://a.example/", wrong, "", "http://b:x/ http://c.example/", wrong]
    reported: list[tuple[int, InputError]] = []
    tally = Tally()
    each = extract_each(texts, on_error=lambda *given: reported.append(given), tally=tally)
    assert [[record.uri for record in one] for one in each] == [
        ["http://a.example/"],
        [],
        [],
        ["http://c.example/"],
        [],
    ]
    assert [(index, error.kind, error.reason) for index, error in reported] == [
        (1, "document", "not-text"),
        (4, "document", "not-text"),
    ]
    assert isinstance(reported[0][1].__cause__, UsageError)
    assert tally == Tally(broken=tally.broken, rejected=tally.rejected)
    assert tally.broken == {("document", "not-text"): 2}
    assert tally.rejected == {"bad-port": 1}
    assert tally.is_unread
    each = extract_each(texts)
    assert len(next(each)) == 1
    with pytest.raises(UsageError, match=r"texts\[1\]=.* must be a string"):
        next(each)


def test_a_poisoned_document_costs_itself_alone() -> None:
    gone = OSError(5, "gone")
    reported: list[tuple[str, InputError]] = []
    for call in (extract_documents, sieve_documents):
        reported.clear()
        tally = Tally()
        documents: list[Any] = [
            ("a", "http://a.example/"),
            *(
                None,
                "text",
                ("b",),
                ("c", None),
                ("d", iter(["http://d.example/ ", b"x"])),
                ("e", _broken(gone)),
                (None, 5),
                7,
            ),
            ("f", "http://f.example/ http://u:p@f.example/ http://g:x/"),
        ]
        found = list(call(documents, on_error=lambda *given: reported.append(given), tally=tally))
        assert [one.uri for one in found if isinstance(one, Record)] == [
            *("http://a.example/", "http://d.example/", "http://before.example/", "http://f.example/"),
            "http://u:p@f.example/",
        ]
        assert [(name, error.reason) for name, error in reported] == [
            *(("document 1", "not-text"), ("document 2", "not-text"), ("b", "not-text"), ("c", "not-text")),
            *(("d", "not-text"), ("e", "unreadable"), ("document 7", "not-text"), ("document 8", "not-text")),
        ]
        assert reported[5][1].__cause__ is gone
        assert isinstance(reported[5][1], BrokenInputError)
        assert tally.broken == {("document", "not-text"): 7, ("document", "unreadable"): 1}
        assert (tally.rejected, tally.warnings) == ({"bad-port": 1}, {"userinfo-present": 1, "password-present": 1})
    with pytest.raises(OSError, match="gone"):
        list(extract_documents([("e", _broken(OSError(5, "gone")))]))
    with pytest.raises(UsageError):
        list(extract_documents([("c", None)]))  # type: ignore[list-item]


def test_an_exception_of_the_callback_or_of_the_rows_ends_the_call() -> None:
    def fail(*_: object) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        list(extract_each([5], on_error=fail))
    with pytest.raises(KeyError, match="mine"):
        list(extract_documents([None], on_error=fail))  # type: ignore[list-item]

    def rows() -> Iterator[str]:
        yield "http://a.example/"
        raise ConnectionError("the engine is gone")

    reported: list[object] = []
    with pytest.raises(ConnectionError):
        list(extract_each(rows(), on_error=lambda *given: reported.append(given)))
    assert reported == []


@pytest.mark.parametrize("call", [extract_each, lambda texts, **given: map(list, extract_batches(texts, **given))])
def test_the_records_of_a_text_come_before_the_next_text_is_taken(call: Any) -> None:
    taken: list[int] = []

    def texts() -> Iterator[Any]:
        for number in range(6):
            taken.append(number)
            yield f"http://a{number}.example/" if number % 2 else None

    lists = call(texts(), on_error=lambda *_: None)
    for number in range(6):
        assert len(next(lists)) == number % 2
        assert len(taken) == number + 1


def _copies(held: object) -> Iterable[Any]:
    yield lambda: pickle.dumps(held)
    yield lambda: copy.copy(held)
    yield lambda: copy.deepcopy(held)


def test_digests_of_one_process_are_not_copied() -> None:  # C12
    for make in _copies(DigestSet()):
        with pytest.raises(UsageError, match="a set of digests cannot be pickled or copied"):
            make()
