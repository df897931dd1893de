"""Misuse of the library as a newcomer meets it: one line that says what to do, and values that show what they hold."""

from __future__ import annotations

import asyncio
import io
import re
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import urisieve
from urisieve import (
    Batch,
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
    extract_batches,
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
    sieve_blocks,
    sieve_files,
    to_uri,
    write_records,
)
from urisieve.sinks.statistics import collect_statistics
from urisieve.streams import extract_keys, find_key

TEXT = "http://a.example/"
TEXTS = io.StringIO("x")
STREAM = io.BytesIO(b"a.txt\n")


def _without_types(call: Any, *args: object, **named: object) -> Callable[[Any], Any]:
    """A call as a program makes it that no checker of types has read: the value, then these arguments."""
    return lambda value: call(value, *args, **named)


MISUSE: list[tuple[Callable[[Any], Any], Any, str]] = [
    *(
        (call, None, "source=None must be a string, or an iterator of strings, such as an open text file")
        for call in (extract, sieve)
    ),
    *(  # M1
        (
            call,
            value,
            (
                f"source={shown} must be one text, not a {type(value).__name__}: many texts are for extract_each(),"
                " pieces of one come as iter(...)"
            ),
        )
        for call in (extract, sieve, extract_keys)
        for value, shown in (
            ([TEXT], f"[{TEXT!r}]"),
            ((TEXT,), f"({TEXT!r},)"),
            ({TEXT}, f"{{{TEXT!r}}}"),
            ({"a": TEXT}, f"{{'a': {TEXT!r}}}"),
            (deque([TEXT]), f"deque([{TEXT!r}])"),
        )
    ),
    (extract, b"x", "source=b'x' must be text: decode it, or give it to extract_blocks(), which detects its encoding"),
    (
        extract_keys,
        b"x",
        "source=b'x' must be text: decode it, or give it to extract_blocks(), which detects its encoding",
    ),
    (
        extract,
        Path("a.txt"),
        f"source={Path('a.txt')!r} must be text: a file is for extract_files(['a.txt']), or give its text",
    ),
    (extract_each, TEXT, f"texts={TEXT!r} must be several strings: give a list, or use extract() for one text"),
    *(
        (
            lambda found: extract(iter([TEXT, found])),
            found,
            f"the source yielded {type(found).__name__}, not str: {hint}",
        )
        for found, hint in (
            (None, "leave it out, or give many texts to extract_each(), which takes what is missing"),
            ([TEXT], "join what it holds, or give many texts to extract_each()"),
            ((TEXT,), "join what it holds, or give many texts to extract_each()"),
            (b"x", "decode it, or open the file as text"),
            (7, "decode it, or open the file as text; bytes come as integers one by one"),
        )
    ),
    *(
        (call, blocks, f"blocks={shown} must be bytes, or {hint}")
        for call in (lambda value: extract_blocks("x.txt", value), lambda value: sieve_blocks("x.txt", value))
        for blocks, shown, hint in (
            (["text"], "['text']", "an iterable of them, such as an open file"),
            ((1, 2), "(1, 2)", "an iterable of them, such as an open file"),
            ([None], "[None]", "an iterable of them, such as an open file"),
            (TEXTS, repr(TEXTS), "blocks of them: open the file by 'rb'; a text is for extract()"),
        )
    ),
    (Batch.of, parse(TEXT), f"records={parse(TEXT)!r} must be a list of records: give [record]"),
    (Batch.of, [TEXT], f"records[0]={TEXT!r} must be a record, as extract() and parse() return it"),
    (
        Batch.of,
        [parse(TEXT), check("x")],
        f"records[1]={check('x')!r} must be a record, as extract() and parse() return it",
    ),
    (
        lambda name: Batch.of([parse(TEXT)])[name],
        "uri",
        "a batch has rows by number: its column is batch.column('uri')",
    ),
    *(  # M12: of a string of two characters was made a pair
        (
            extract_documents,
            [value],
            f"documents[0]={value!r} must be a pair of a name and a text, as ('page 1', text)",
        )
        for value in (TEXT, "ab", ("a", TEXT, 1), (1, TEXT), None)
    ),
    (
        extract_documents,
        [("a", TEXT), ("b", None)],
        (
            "the text of documents[1], 'b', must be a string, or an iterator of strings, such as an open text file, not"
            " None"
        ),
    ),
    (
        extract_documents,
        {"a": TEXT},
        f"documents={{'a': {TEXT!r}}} must be pairs of a name and a text: give its items()",
    ),
    (extract_documents, TEXT, f"documents={TEXT!r} must be pairs of a name and a text"),
    (extract_documents, None, "documents=None must be pairs of a name and a text"),
    (extract_files, None, "paths=None must be a path, or a sequence of paths, such as ['mail.mbox']"),
    # H3: what was a TypeError, or said something else.
    (extract_each, [TEXT, 5], "texts[1]=5 must be a string; on_error= takes what is none"),
    (
        extract_each,
        pa.array([TEXT]),
        (
            f"texts[0]=<pyarrow.StringScalar: {TEXT!r}> must be a string: give its to_pylist();"
            " on_error= takes what is none"
        ),
    ),
    *(
        (
            lambda source, call=call: asyncio.run(anext(call(source))),
            source,
            f"source={source!r} must be an asynchronous iterable of strings; others are for extract() and sieve()",
        )
        for call in (aextract, asieve)
        for source in (TEXT, [TEXT], b"x", None)
    ),
    (_without_types(check_rows, None), "a.csv", "field=None must be the name of a column or its number from 1"),
    (_without_types(deduplicate_rows, None, output="o.csv"), "a.csv", "field=None must be a list of names"),
    (_without_types(deduplicate_rows, "b", output=None), "a.csv", "output=None must be a path"),
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
    *(
        (
            call,
            value,
            (
                f"paths{at}={shown} must be a path: {hint}what is in memory, or open, is read by"
                " extract_blocks(name, blocks)"
            ),
        )
        for call in (extract_files, sieve_files, collect_statistics)
        for value, at, shown, hint in (
            ([1], "[0]", "1", ""),
            (b"x", "", "b'x'", "a path of bytes is one by os.fsdecode; "),
            (["a", b"x"], "[1]", "b'x'", "a path of bytes is one by os.fsdecode; "),
            (STREAM, "", repr(STREAM), "give the path of the file; "),
        )
    ),
    *(
        (call, value, f"text={value!r} must be a string: for what is missing give default=")
        for call in (check, key, parse, normalize, is_valid, to_uri)
        for value in (None, float("nan"))
    ),
    (explain, None, "text=None must be a string: for what is missing give default="),
    (check, b"x", "text=b'x' must be a string: decode it first"),
    (key, parse(TEXT), f"text={parse(TEXT)!r} must be a string: give its uri or its raw text"),
    (lambda text: equivalent(TEXT, text), 1, "second=1 must be a string"),
    (lambda text: resolve(TEXT, text), b"x", "reference=b'x' must be a string: decode it first"),
    *(
        (call, parse(TEXT), f"{name}={parse(TEXT)!r} must be a string: give its uri or its raw text")
        for call, name in ((redact, "uri"), (defang, "text"), (registrable_domain, "host"))
    ),
    *(  # M8
        (
            registrable_domain,
            value,
            f"host={value!r} must be a host, such as 'www.example.com': of a link take parse(link).domain",
        )
        for value in (TEXT, "a.example/", "a.example:80", "a example", "//a.example", "")
    ),
    (
        lambda texts: check_rows(texts, "url"),
        [TEXT],
        f"path=[{TEXT!r}] must be a path: texts are judged by check()",
    ),
    (find_key, b"x", "text=b'x' must be a string: decode it first"),
    (deduplicate, TEXT, f"rows={TEXT!r} must be a list of rows, such as records or strings"),
    (deduplicate, None, "rows=None must be a list of rows, such as records or strings"),
    *(
        (call, "x:y", "keys='x:y' must be several keys: give a list")
        for call in (KeySet, KeySet().unseen_indices, KeySet().held_indices)
    ),
    (lambda path: write_records([], path), None, "path=None must be a path: - is standard output"),
    *(
        (
            lambda path: write_records([], path),
            path,
            f"path={path!r} must be a name without that ending: nothing is compressed, so compress the whole file",
        )
        for path in ("o.jsonl.gz", "O.CSV.GZ", "o.bz2", "o.tsv.xz", "o.zst", "o.lzma", "o.zip")
    ),
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
        (
            "schemes='http' is not a choice; use one of 'default', 'registered', 'web', 'any';"
            " or a set of schemes: {'http'}"
        ),
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
            call(iter([]), options="email")


def test_one_path_is_one_path() -> None:  # H3
    for path in ("samples/urns.xml", Path("samples/urns.xml")):
        assert list(extract_files(path)) == list(extract_files(["samples/urns.xml"])) != []
    with pytest.raises(InputError, match=r"a\.txt: No such file"):
        list(extract_files("a.txt"))


@pytest.mark.parametrize("call", [extract_files, sieve_files, lambda path: extract_batches([Path(path)])])
@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("https:/a.example/x.mbox", ""),
        ("mail/*.eml", "; a pattern stands for no path: give glob.glob('mail/*.eml')"),
        ("mail/[ab].eml", "; a pattern stands for no path: give glob.glob('mail/[ab].eml')"),
        ("~/x", "; give os.path.expanduser('~/x')"),
        ("a.txt", ""),
    ],
)
def test_a_path_of_no_file_says_what_to_give(call: Callable[[Any], Any], path: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        list(call(path))
    assert f"{path}: No such file or directory{hint}" in str(caught.value)
    assert str(caught.value).endswith("directory") == (hint == "")


def test_an_address_is_not_fetched() -> None:
    hint = "No such file or directory; nothing is fetched or sent: copy the file here"
    for path in ("https://a.example/x.mbox", "s3://b/*.mbox"):
        with pytest.raises(InputError, match=f"{re.escape(path)}: {hint}"):
            list(extract_files(path))


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
    (ReadingOptions(input="csv", field=["url"]), "ReadingOptions(input='csv', field=('url',))"),
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


class _Table:
    """What `shapes` takes for a table."""

    columns = shape = ()

    def __repr__(self) -> str:
        return "  id\n" * 100


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (f"http://joe:secret{'y' * 100}@a.example/{'x' * 100}", "<str>"),
        (f"http://joe:secret{'y' * 40}@a.example/{'x' * 100}".encode(), "<bytes>"),
        (memoryview(f"http://joe:secret{'y' * 40}@a.example/{'x' * 100}".encode()), "<memoryview>"),
        (_Table(), "<_Table>"),
    ],
)
def test_a_message_shows_neither_a_password_nor_lines(value: object, shown: str) -> None:
    with pytest.raises(UsageError, match=f"^texts={shown} must be"):
        extract_each(value)  # type: ignore[call-overload]


def test_half_of_a_surrogate_pair_is_in_no_name() -> None:
    with pytest.raises(UsageError, match="is not the name of a host"):
        Options(protect="x\ud800.example")
