"""Misuse of the library as a newcomer meets it: one line that says what to do, and values that show what they hold."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import urisieve
from urisieve import (
    InputError,
    KeySet,
    Options,
    Profile,
    ReadingOptions,
    Store,
    UsageError,
    aextract,
    asieve,
    check,
    check_rows,
    deduplicate,
    deduplicate_rows,
    defang,
    equivalent,
    explain,
    extract,
    extract_blocks,
    extract_documents,
    extract_each,
    extract_files,
    is_valid,
    key,
    new_secret,
    normalize,
    parse,
    redact,
    registrable_domain,
    resolve,
    sieve,
    to_uri,
    write_records,
)
from urisieve.streams import extract_keys, find_key

TEXT = "http://a.example/"
MISUSE: list[tuple[Callable[[Any], Any], Any, str]] = [
    *((call, None, "the source is NoneType: give a string or an iterable of strings") for call in (extract, sieve)),
    (extract, b"x", "the source is bytes: decode it, or give it to extract_blocks(), which detects its encoding"),
    (extract_keys, b"x", "the source is bytes: decode it, or give it to extract_blocks(), which detects its encoding"),
    (extract, Path("a.txt"), "the source is a path: use extract_files(['a.txt']), or give the text of the file"),
    (extract_each, TEXT, "the texts are one string: give a list of strings, or use extract() for one text"),
    (extract_documents, [TEXT], f"a document is {TEXT!r}: give a pair of a name and a text"),
    (extract_documents, [("a", TEXT, 1)], f"a document is ('a', {TEXT!r}, 1): give a pair of a name and a text"),
    (extract_documents, {"a": TEXT}, "the documents are a dict: give pairs, as its items()"),
    (extract_documents, TEXT, "the documents are str: give pairs of a name and a text"),
    (extract_documents, None, "the documents are NoneType: give pairs of a name and a text"),
    (extract_files, None, "paths=None must be a path, or a sequence of paths, such as ['mail.mbox']"),
    # H3: what was a TypeError, or said something else.
    (
        lambda texts: list(extract_each(texts)),
        [TEXT, None],
        "text 1 is None, not str: give on_error=, which is told of it, or leave such texts out",
    ),
    (
        lambda texts: list(extract_each(texts)),
        [TEXT, float("nan")],
        "text 1 is nan, not str: give on_error=, which is told of it, or leave such texts out",
    ),
    *(
        (
            lambda source, call=call: asyncio.run(anext(call(source))),
            source,
            f"the source is {kind}: give an asynchronous iterable of strings, or use extract() or sieve()",
        )
        for call in (aextract, asieve)
        for source, kind in ((TEXT, "str"), ([TEXT], "list"), (b"x", "bytes"), (None, "NoneType"))
    ),
    (check_rows, "a.csv", "check_rows needs the column: its name, or its number from 1"),
    *(
        (
            call,
            "a.csv",
            "deduplicate_rows needs the fields, as in ['url'], and output=, a path",
        )
        for call in (
            deduplicate_rows,
            lambda path: deduplicate_rows(path, "b"),
            lambda path: deduplicate_rows(path, "b", kind="csv"),
            lambda path: deduplicate_rows(path, output="o.csv"),
        )
    ),
    *(
        (
            call,
            new_secret(),
            "masked takes secret=new_secret(), or a function from a password to what replaces it",
        )
        for call in (parse(TEXT).masked, lambda secret: parse(TEXT).masked(str.upper, secret=secret))
    ),
    (lambda secret: parse(TEXT).masked(secret=secret), b"", "a secret is 1 to 64 bytes: draw one with new_secret()"),
    (deduplicate, [TEXT, 1], "a int has no key of its own: give key=, a function from a row to its key"),
    (
        lambda names: Options(exclude_schemes=names),
        "http, ftp",
        "exclude_schemes='http, ftp' must be a collection of scheme names, for example {'ftp', 'http'}",
    ),
    (extract_files, [1], "paths holds a int: give strings or path objects"),
    *(
        (call, None, "an identifier is str, not NoneType: give a string")
        for call in (check, key, parse, normalize, is_valid, explain)
    ),
    (check, b"x", "an identifier is str, not bytes: decode it first"),
    (key, parse(TEXT), "an identifier is str, not Record: give its uri or its raw text"),
    (lambda text: equivalent(TEXT, text), 1, "an identifier is str, not int: give a string"),
    (to_uri, None, "a reference is str, not NoneType: give a string"),
    (lambda text: resolve(TEXT, text), b"x", "a reference is str, not bytes: decode it first"),
    *(
        (call, parse(TEXT), "an identifier is str, not Record: give its uri or its raw text")
        for call in (redact, defang)
    ),
    (registrable_domain, parse(TEXT), "a host is str, not Record: give its uri or its raw text"),
    (
        lambda texts: check_rows(texts, "url"),
        [TEXT],
        "check_rows takes the path of one file, not list: judge texts by check()",
    ),
    (find_key, b"x", "a text is str, not bytes: decode it first"),
    (deduplicate, TEXT, "the rows are one str: give a list of rows, such as records or strings"),
    (deduplicate, None, "the rows are one NoneType: give a list of rows, such as records or strings"),
    *(
        (call, "x:y", "the keys are one str: give a list of keys")
        for call in (KeySet, KeySet().unseen_indices, KeySet().held_indices)
    ),
    (lambda path: write_records([], path), None, "path=None must be a path, or - for standard output"),
    (
        lambda options: extract(TEXT, options=options),
        {"email": True},
        "options={'email': True} must be Options, as in options=Options(**options)",
    ),
    *(
        (
            lambda options, call=call: call(TEXT, options=options),
            "email",
            "options='email' must be Options, as in options=Options(level='syntax')",
        )
        for call in (check, key, parse, normalize, is_valid, explain)
    ),
    (
        lambda reading: extract_files(["a.csv"], reading=reading),
        {"input": "csv"},
        "reading={'input': 'csv'} must be ReadingOptions, as in reading=ReadingOptions(**reading)",
    ),
    (
        lambda reading: extract_blocks("a.csv", b"", reading=reading),
        "csv",
        "reading='csv' must be ReadingOptions, as in reading=ReadingOptions(input='csv')",
    ),
    (
        lambda schemes: Options(schemes=schemes),
        "http",
        "schemes='http' is not a choice; use one of 'default', 'registered', 'any'; or a set of schemes: {'http'}",
    ),
    (
        lambda schemes: Options(schemes=schemes),
        b"http",
        "schemes=b'http' must be a policy, or a collection of scheme names, such as {'http'}",
    ),
]


@pytest.mark.parametrize(("call", "value", "message"), MISUSE)
def test_a_line_says_what_to_do(call: Callable[[Any], Any], value: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        list(call(value))
    assert str(caught.value) == message


def test_misuse_is_reported_before_anything_is_read() -> None:
    calls: list[Callable[..., object]] = [*(extract, sieve, extract_keys, extract_documents, extract_each)]
    for call in calls:
        with pytest.raises(UsageError):
            call(b"x")
        with pytest.raises(UsageError):
            call([], options="email")


def test_one_path_is_one_path() -> None:  # H3
    for path in ("samples/urns.xml", Path("samples/urns.xml"), b"samples/urns.xml"):
        assert list(extract_files(path)) == list(extract_files(["samples/urns.xml"])) != []  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"a\.txt: No such file"):
        list(extract_files("a.txt"))


def test_paths_that_come_one_by_one() -> None:
    assert list(extract_files(path for path in ("samples/urns.xml",))) != []  # type: ignore[arg-type]


def test_python_suggests_the_name_that_was_meant() -> None:
    with pytest.raises(AttributeError) as caught:
        urisieve.extractt  # type: ignore[attr-defined] # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("extractt", urisieve)


VALUES: list[tuple[object, str]] = [
    (Options(), "Options()"),
    (Options(level="syntax", email=True, positions="lines"), "Options(level='syntax', email='addresses')"),
    (Options(schemes={"http"}, max_length=99), "Options(schemes={'http'}, max_length=99)"),
    (ReadingOptions(), "ReadingOptions()"),
    (ReadingOptions(input="csv", columns=["url"]), "ReadingOptions(input='csv', columns=('url',))"),
    (KeySet(["x:y"]), "<KeySet of 1 keys>"),
    (explain("HTTP://a.example/"), "<Explanation of <Record 'http://a.example/' at 0:17>: scheme-case>"),
    (explain("x"), "<Explanation of <Rejection no-scheme 'x' at 0:1>: no step>"),
]


@pytest.mark.parametrize(("value", "shown"), VALUES, ids=[shown for _, shown in VALUES])
def test_values_show_what_they_hold(value: object, shown: str) -> None:
    assert repr(value) == shown


@pytest.mark.parametrize(
    "value", [Options(level="none", refang=True, merge=["strip-www"]), ReadingOptions(binary=True)]
)
def test_options_can_be_made_of_what_they_show(value: object) -> None:
    assert eval(repr(value), {"Options": Options, "Profile": Profile, "ReadingOptions": ReadingOptions}) == value


def test_an_explanation_shows_no_password() -> None:
    assert "secret" not in repr(explain("http://joe:secret@a.example/"))
    assert "secret" not in repr(explain("http://joe:secret@a.example:x/"))


def test_a_store_shows_its_path(tmp_path: Path) -> None:
    with Store(tmp_path / "keys") as store:
        assert repr(store) == f"<Store {str(tmp_path / 'keys')!r}>"
