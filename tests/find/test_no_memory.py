"""What an exception in the middle of a call leaves: a value that goes on as if the call had not been, or that refuses.

Also: what a search remembers of a text is bounded, and where a fault stands in a text that is composed before.
"""

from __future__ import annotations

import itertools
import tracemalloc
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve import InvalidIdentifierError, KeySet, Options, Rejection, Scanner, Store, UsageError, check, parse, sieve
from urisieve.find.pivots import WantedSchemes

TEXT = "see http://a.example/x http://b.example/y "


class _SignalError(BaseException):
    pass


class _Failing:
    """Does what another object does, except that one method fails in its middle, once."""

    def __init__(self, inner: Any, name: str, error: BaseException) -> None:
        self._inner, self._name, self._error = inner, name, error

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name != self._name:
            return found

        def failing(*arguments: Any) -> Any:
            found(*arguments)
            raise self._error

        return failing

    def __len__(self) -> int:
        return len(self._inner)


ERRORS = [MemoryError(), KeyboardInterrupt(), _SignalError(), RecursionError()]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("method", ["feed", "finish", "close"])
def test_a_scanner_refuses_after_an_exception(error: BaseException, method: str) -> None:  # N7
    scanner = Scanner()
    scanner.feed(TEXT)
    scanner._search = _Failing(scanner._search, method, error)  # type: ignore[assignment] # it stands in for it
    with pytest.raises(type(error)):
        getattr(scanner, method)(*(() if method == "close" else (TEXT,)))
    calls: list[Callable[[], object]] = [lambda: scanner.feed(TEXT), lambda: scanner.finish(""), scanner.close]
    for again in calls:
        with pytest.raises(UsageError, match="begin the text anew with another one"):
            again()


@pytest.mark.parametrize("wrong", [5, None, b"x"])
def test_a_scanner_goes_on_after_misuse(wrong: Any) -> None:
    scanner = Scanner()
    with pytest.raises(UsageError):
        scanner.feed(wrong)
    found = [*scanner.feed(TEXT), *scanner.close()]
    assert [record.raw for record in found] == ["http://a.example/x", "http://b.example/y"]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_a_set_of_keys_refuses_after_an_exception(error: BaseException) -> None:  # N7
    keys = KeySet(["a:1"])
    keys._memory = _Failing(keys._memory, "unseen_indices", error)  # type: ignore[assignment] # it stands in for it
    with pytest.raises(type(error)):
        keys.unseen(["a:2", "a:3"])
    for again in (lambda: keys.unseen(["a:4"]), lambda: keys.add("a:4"), lambda: keys.unseen_indices(["a:2"])):
        with pytest.raises(UsageError, match="while it added keys: begin another one"):
            again()


def test_a_set_of_keys_goes_on_after_misuse() -> None:
    keys = KeySet(["a:1"])
    with pytest.raises(UsageError):
        keys.unseen(["a:2", 5])  # type: ignore[type-var]
    assert keys.unseen(["a:2"]) == ["a:2"]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("what", ["add", "merge", "add_digests"])
def test_a_store_keeps_nothing_of_a_call_that_an_exception_ended(
    error: BaseException, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # N7
    from urisieve.dedupe.keyset import digest
    from urisieve.dedupe.store import store_entries
    from urisieve.types import StoreEntry

    put = store_entries._put

    def failing(connection: Any, groups: Any) -> set[bytes]:
        put(connection, groups)
        raise error

    calls: dict[str, Callable[[Store], object]] = {
        "add": lambda store: store.add(["a:2", "a:3"], sources=["x", "y"]),
        "merge": lambda store: store._merge_entries(iter([StoreEntry(digest("a:2"), 1, 2, 3, "x")])),
        "add_digests": lambda store: store.add_digests([digest("a:2")]),
    }
    with Store(tmp_path / "s") as store:
        store.add(["a:1"])
        store.commit()
        monkeypatch.setattr(store_entries, "_put", failing)
        with pytest.raises(type(error)):
            calls[what](store)
        monkeypatch.setattr(store_entries, "_put", put)
        assert (len(store), "a:2" in store) == (1, False)
        calls[what](store)
    with Store(tmp_path / "s") as store:
        assert (len(store) > 1, "a:2" in store, store.faults()) == (True, True, [])


def _spellings(name: str, count: int) -> list[str]:
    letters = [(one.lower(), one.upper()) if one.isalpha() else (one,) for one in name]
    return ["".join(word) for word in itertools.islice(itertools.product(*letters), count)]


def test_spellings_of_schemes_take_no_memory() -> None:  # N7
    wanted = WantedSchemes(Options())
    names = _spellings("ms-secondary-screen-controller", 20_000)
    tracemalloc.start()
    try:
        for name in names:
            assert wanted.before(f"{name}://a.example/", len(name), 0) == (name, False)
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert held < 100_000  # all would take 5 MB
    for name in ("http", "HTTP", "Http", "hTtP"):
        assert parse(f"{name}://a.example/").uri == "http://a.example/"


# Where a fault stands.

LEGACY = [
    Options(charset="legacy"),
    Options(charset="legacy", repair=True),
    Options(charset="legacy", spoofing=True),
    Options(charset="legacy", level="none", merge="page"),
]
COMPOSED = [
    "e\u0301",
    "a\u0323\u0302",
    "\u1112\u1161\u11ab",
    "\u212b",
    "\u0958",
    "o\u0308\u0304",
    "n\u0303n\u0303",
    "u\u0308" * 50,
]
FAULTY = ["http://a.example/{}%zz", "http://a.example/{}?{}#{}%z", "http://a.example:8{}/", "http://a.example/{}[x",
          "urn:isbn:{}%g", "http://{}.example:x/", "x-a:{}#a#{}"]  # fmt: skip


@pytest.mark.parametrize("options", LEGACY)
@pytest.mark.parametrize("faulty", FAULTY)
def test_a_fault_of_legacy_text_is_where_it_is_written(options: Options, faulty: str) -> None:  # N7
    for letters in COMPOSED:
        text = faulty.replace("{}", letters)
        found = check(text, options=options)
        plain = check(unicodedata.normalize("NFC", text), options=options)
        assert type(found) is type(plain)
        if not isinstance(found, Rejection):
            continue
        assert isinstance(plain, Rejection)
        assert (found.reason, found.component) == (plain.reason, plain.component)
        composed = unicodedata.normalize("NFC", text)
        if plain.raw[plain.offset : plain.offset + 1].isascii():
            assert text[found.offset : found.offset + 1] == plain.raw[plain.offset : plain.offset + 1]
            assert unicodedata.normalize("NFC", text[: found.offset]) == composed[: plain.offset]
        with pytest.raises(InvalidIdentifierError) as raised:
            parse(text, options=options)
        assert raised.value.rejection.offset == found.offset
        for one in sieve(f"see <{text}> there", options=options):
            if isinstance(one, Rejection) and one.raw == text:
                assert one.offset == found.offset


@given(st.lists(st.sampled_from([*COMPOSED, "a", "-", "1"]), max_size=8), st.sampled_from(["%zz", "[", "<", "\\"]))
def test_an_ascii_fault_is_found_behind_any_letters(letters: list[str], wrong: str) -> None:
    text = f"http://a.example/{''.join(letters)}{wrong}"
    found = check(text, options=Options(charset="legacy"))
    assert isinstance(found, Rejection)
    assert found.offset == len(text) - len(wrong)
