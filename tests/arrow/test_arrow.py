"""Arrow batches in, Arrow batches out: what each row holds as if it were searched alone, in any type of text."""

from __future__ import annotations

import itertools
import lzma
import pickle
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.generated_texts import Texts
from tests.helpers.installed import install_sample, run_with
from tests.helpers.shared_folder import shared_file
from tests.helpers.two_searches import KNOWN
from urisieve import (
    InvalidIdentifierError,
    Options,
    Record,
    UsageError,
    __version__,
    check,
    new_secret,
    normalize,
    sieve,
)
from urisieve import key as uri_key
from urisieve.dedupe.keyset import digest
from urisieve.errors import ProcessError
from urisieve.find.delimited import SEPARATOR
from urisieve.records.masking import password_token

pa = pytest.importorskip("pyarrow", reason="the extra arrow is not installed")

from urisieve.arrow import (  # noqa: E402 - where pyarrow is installed
    ARROW_COLUMNS,
    REJECTED_COLUMNS,
    Extractor,
    digest_array,
    key_array,
    normalize_array,
)

SECRET = b"s" * 32
_token = password_token(SECRET)
# Options that the kernel leaves to the search in Python, too.
OTHERS = (
    Options(schemeless="www"),
    Options(schemeless="names"),
    Options(email="addresses"),
    Options(refang="known-forms"),
    Options(repair="encode"),
    Options(nested="report"),
    Options(schemes="any"),
    Options(urn_syntax="rfc8141"),
)


def _alone(rows: Sequence[str | bytes | None], options: Options | None = None) -> Iterator[tuple[Any, ...]]:
    """The expected rows: the number of the text, and the values in all columns but `source`."""
    for number, row in enumerate(rows):
        text = row.decode("utf-8", "surrogateescape") if isinstance(row, bytes) else row or ""
        for found in sieve(text, options=options):
            if isinstance(found, Record):
                one = found.masked(_token)
                shared = (one.start, one.end, one.raw, one.uri, one.key, one.scheme, one.host)
                yield (number, *shared, list(map(str, one.warnings)), None, None, None, None)
            else:
                other = found.masked()
                raw = other.raw.encode("utf-8", "backslashreplace").decode()
                why = (str(other.reason), str(other.component), other.offset, other.section)
                yield (number, other.start, other.end, raw, None, None, None, None, [], *why)


def _given(batches: Any, **settings: Any) -> list[tuple[Any, ...]]:
    """The rows that an extractor makes, the number of the text before the values in all columns but `source`."""
    extractor = Extractor(keep=["number"], rejected=True, secret=SECRET, **settings)
    rows = []
    for batch in extractor(batches):
        batch.validate(full=True)
        for row in batch.to_pylist():
            assert row.pop("source") is None
            rows.append(tuple(row.values()))
    return rows


def _table(rows: Sequence[str | bytes | None], kind: Any, cut: int = 0) -> Any:
    values = pa.array(rows, pa.binary() if any(isinstance(row, bytes) for row in rows) else pa.string()).cast(kind)
    numbers = pa.array(range(len(rows)), pa.int64())
    chunks = [[column.slice(0, cut), column.slice(cut)] for column in (numbers, values)]
    return pa.table([pa.chunked_array(chunk) for chunk in chunks], ["number", "text"])


# Rows searched together, as if each stood alone.


@given(st.integers(min_value=0, max_value=1 << 64))
def test_generated_rows(seed: int) -> None:
    source = random.Random(seed)
    texts = Texts(source, long=0)
    options = source.choice((*KNOWN, *OTHERS))
    rows: list[str | bytes | None] = []
    for _ in range(source.choice((1, 2, 10))):
        text = texts.text()
        begin, end = sorted(source.randrange(len(text) + 1) for _ in range(2))
        text = source.choice((text, text[begin:], text[:end]))
        rows.append(source.choice((text.encode("utf-8", "replace"), texts.octets(text), None, b"")))
    batches = _table(rows, source.choice((pa.binary(), pa.large_binary())), source.randrange(len(rows) + 1))
    size = source.choice((1, 3, 16_384))
    assert _given(batches, options=options, batch_size=size) == list(_alone(rows, options)), rows


@pytest.mark.parametrize(
    "text", ["<http://a.example/b", "http://a.example/b>", '"urn:a:b', "URL:", "sip:a@[2001", "(", ""]
)
def test_nothing_crosses_the_separator(text: str) -> None:
    seen = ["c>", "http://b.example/", " http://b.example/", "//b.example/", SEPARATOR, '"', "::1]", ")", "%20", ""]
    for rows in ([text, other] for other in (*seen, *(other + text for other in seen))):
        assert _given(_table(rows, pa.string())) == list(_alone(rows)), rows


@pytest.mark.parametrize("name", ["mail.mbox", "access.log", "urls.txt", "prose.txt", "nonascii.txt", "html.log"])
def test_lines_of_corpora(name: str) -> None:
    path = shared_file(f"corpora/{name}.xz")
    if path is None:
        pytest.skip("the folder of corpora is not there")
    with lzma.open(path) as file:
        rows = file.read(150_000).split(b"\n")
    wanted = list(_alone(rows))
    assert _given(_table(rows, pa.binary())) == wanted
    assert len(wanted) > 10


# Types of text.

ROWS = ["see http://a.example/\u00e9 and", None, "", "urn:isbn:0-395-36341-1 in https://B.example:443", "x" * 100]
KINDS = {
    "string": lambda: pa.array(ROWS, pa.string()),
    "large_string": lambda: pa.array(ROWS, pa.large_string()),
    "binary": lambda: pa.array(ROWS, pa.string()).cast(pa.binary()),
    "large_binary": lambda: pa.array(ROWS, pa.string()).cast(pa.large_binary()),
    "string_view": lambda: pa.array(ROWS, pa.string()).cast(pa.string_view()),
    "binary_view": lambda: pa.array(ROWS, pa.string()).cast(pa.binary_view()),
    "dictionary": lambda: pa.array(ROWS, pa.string()).dictionary_encode(),
    "slice": lambda: pa.array(["http://before.example/", *ROWS, "http://behind.example/"]).slice(1, len(ROWS)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_layout_of_text_is_taken(kind: str) -> None:
    if kind.endswith("_view") and not hasattr(pa, kind):
        pytest.skip("this version of pyarrow does not have it")
    batches = pa.table({"number": list(range(len(ROWS))), "text": KINDS[kind]()})
    assert _given(batches) == list(_alone(ROWS))


def test_texts_of_a_fixed_size_and_columns_of_nulls() -> None:
    rows = [b"http://a/", None, b"http://b/"]
    assert [row[:5] for row in _given(pa.table({"number": [0, 1, 2], "text": pa.array(rows, pa.binary(9))}))] == [
        (0, 0, 9, "http://a/", "http://a/"),
        (2, 0, 9, "http://b/", "http://b/"),
    ]
    assert _given(pa.table({"number": [0, 1], "text": pa.nulls(2)})) == []
    assert list(Extractor()(pa.table({"text": pa.array([], pa.string())}))) == []
    assert list(Extractor()([])) == []


def test_what_is_not_utf_8_loses_nothing_around_it() -> None:
    octets = pa.array([b"http://a.example/\xff http://b.example/", b"\xffhttp://c.example/", b"\xc3"])
    for values in (octets, octets.view(pa.string())):  # what says that it is a string may not be UTF-8
        found = [row[:5] for row in _given(pa.table({"number": [0, 1, 2], "text": values}))]
        assert found == [
            (0, 0, 17, "http://a.example/", "http://a.example/"),
            (0, 19, 36, "http://b.example/", "http://b.example/"),
            (1, 1, 18, "http://c.example/", "http://c.example/"),
        ]


def test_a_column_that_is_not_text_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'text' is of type int64: name a column of strings or bytes"):
        list(Extractor()(pa.table({"text": [1, 2]})))


# Columns.


def test_the_schema_is_that_of_every_batch() -> None:
    extractor = Extractor(text="body", source="path", keep=["id"], rejected=True)
    batches = pa.table(
        {"id": pa.array([1, 2], pa.int8()), "body": ["http://a:x/ http://a/", "urn:a:b"], "path": ["f", "g"]}
    )
    schema = extractor.schema(batches.schema)
    assert schema.names == ["id", *ARROW_COLUMNS, *REJECTED_COLUMNS]
    assert schema.field("id").type == pa.int8()
    assert schema.metadata == {b"urisieve.schema": b"1", b"urisieve.keys": extractor.signature.encode()}
    (batch,) = extractor(batches)
    assert batch.schema.equals(schema, check_metadata=True)
    assert [(row["id"], row["source"], row["uri"]) for row in batch.to_pylist()] == [
        (1, "f", None),
        (1, "f", "http://a/"),
        (2, "g", "urn:a:b"),
    ]


DATED = [
    "2024-05-31T10:00:00Z http://a.example/ x\n[2024-05-31 23:30:00,5] http://b.example/\nhttp://c.example/",
    None,
    'h - - [10/Oct/2000:13:55:36 -0700] "http://e.example/€ http://e:x/',
    "Oct  1 22:14:15 x http://d.example/",
]


@pytest.mark.parametrize("text", [pa.string(), pa.binary()])
@pytest.mark.parametrize("options", [Options(), Options(bare="doi")])
def test_times_are_those_of_the_lines_of_each_row(text: Any, options: Options) -> None:
    table = pa.table({"text": pa.array(DATED).cast(text)})
    extractor = Extractor(columns=["uri", "time", "time_written", "reason"], rejected=True, options=options)
    (batch,) = extractor(table)
    assert [tuple(row.values()) for row in batch.to_pylist()] == [
        ("http://a.example/", "2024-05-31T10:00:00Z", "2024-05-31T10:00:00Z", None),
        ("http://b.example/", "2024-05-31T23:30:00.5", "2024-05-31 23:30:00,5", None),
        ("http://c.example/", "2024-05-31T23:30:00.5", "2024-05-31 23:30:00,5", None),
        ("http://e.example/%E2%82%AC", "2000-10-10T20:55:36Z", "10/Oct/2000:13:55:36 -0700", None),
        (None, "2000-10-10T20:55:36Z", "10/Oct/2000:13:55:36 -0700", "bad-port"),
        ("http://d.example/", None, "Oct 1 22:14:15", None),
    ]
    assert "time" not in Extractor().columns


def test_columns_come_in_the_order_asked_for() -> None:
    batches = pa.table({"text": ["http://A/", "http://b:x/"]})
    (batch,) = Extractor(columns=["key", "start", "raw"])(batches)
    assert [list(row.items()) for row in batch.to_pylist()] == [
        [("key", "http://a/"), ("start", 0), ("raw", "http://A/")]
    ]
    (batch,) = Extractor(columns=["reason", "uri"], rejected=True)(batches)
    assert batch.to_pylist() == [{"reason": None, "uri": "http://a/"}, {"reason": "bad-port", "uri": None}]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"columns": ["urj"]}, "there is no column 'urj'; did you mean 'uri'"),
        ({"columns": ["reason"]}, "there is no column 'reason'"),
        ({"columns": ["tine"]}, "there is no column 'tine'; did you mean 'time'"),
        ({"columns": ["from"]}, "a row of text has no 'from': name the column that has it in keep="),
        ({"columns": "uri"}, "columns='uri' must be several names: give a list"),
        ({"keep": ["id", "id"]}, "names a column twice"),
        ({"keep": ["uri"]}, "rename the one of the batches"),
        ({"batch_size": 0}, "at least 1"),
    ],
)
def test_misuse_says_what_to_do(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Extractor(**settings)


@pytest.mark.parametrize(
    ("settings", "batches", "message"),
    [
        ({}, {"txet": ["a"]}, "there is no column 'text'; did you mean 'txet'"),
        ({"keep": ["id"]}, {"text": ["a"]}, "there is no column 'id'"),
        ({"source": "path"}, {"text": ["a"]}, "there is no column 'path'"),
    ],
)
def test_columns_that_are_not_there(settings: dict[str, Any], batches: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        list(Extractor(**settings)(pa.table(batches)))


@pytest.mark.parametrize("batches", ["http://a/", {"text": ["http://a/"]}, 7, [["http://a/"]]])
def test_what_is_not_batches_is_refused(batches: Any) -> None:
    with pytest.raises(UsageError, match="RecordBatch"):
        list(Extractor()(batches))


# Size and memory.


def test_batches_have_a_bounded_number_of_rows() -> None:
    batches = pa.table({"text": [f"http://a.example/{number} " * 7 for number in range(1_000)]})
    sizes = [batch.num_rows for batch in Extractor(batch_size=100)(batches)]
    assert sum(sizes) == 7_000
    assert max(sizes) == 100


@pytest.mark.long
def test_small_batches_are_joined() -> None:
    given_batches = (pa.record_batch({"text": [f"http://a.example/{number}"]}) for number in range(1_000))
    assert [batch.num_rows for batch in Extractor(batch_size=400)(given_batches)] == [400, 400, 200]


def test_batches_of_two_schemas_are_not_joined() -> None:
    first, second = ({"text": ["http://a/"], "id": [one]} for one in (1, "x"))
    found = list(Extractor(keep=["id"], columns=["uri"])([pa.record_batch(first), pa.record_batch(second)]))
    assert [str(batch.schema.field("id").type) for batch in found] == ["int64", "string"]


def test_a_row_of_many_identifiers_takes_bounded_memory() -> None:
    row = "".join(f"http://host{number % 1000}.example/path/{number} " for number in range(400_000))
    batches = pa.table({"text": [row, "http://last.example/"], "id": [1, 2]})
    before = pa.total_allocated_bytes()
    most = count = 0
    for batch in Extractor(keep=["id"])(batches):
        most = max(most, pa.total_allocated_bytes() - before)
        count += batch.num_rows
        last = batch.column("uri")[-1].as_py()
    assert (count, last) == (400_001, "http://last.example/")
    assert most < len(row)


def test_a_text_that_is_kept_beside_its_identifiers_does_not_multiply_in_one_batch() -> None:
    row = "http://a.example/ " * 200 + "x" * 2_000_000
    batches = pa.table({"text": [row, "http://b.example/"]})
    sizes = [(batch.num_rows, batch.nbytes) for batch in Extractor(keep=["text"], columns=["uri"])(batches)]
    assert sum(rows for rows, _ in sizes) == 201
    assert max(size for _, size in sizes) < 70_000_000


def test_batches_come_as_they_are_read() -> None:
    read = []

    def batches() -> Iterator[Any]:
        for number in itertools.count():
            read.append(number)
            yield pa.record_batch({"text": ["http://a.example/"] * 50})

    assert next(Extractor(batch_size=100)(batches())).num_rows == 100
    assert read == [0, 1]


# Processes.

_WORKER = """
import pickle, sys
import pyarrow as pa
extractor = pickle.loads(bytes.fromhex(sys.argv[1]))
for batch in extractor(pa.table({"text": ["http://u:pw@a.example/"]})):
    print(batch.column("key")[0], batch.column("raw")[0])
"""


def test_an_extractor_travels_with_its_secret(tmp_path: Path) -> None:
    extractor = Extractor()
    (batch,) = extractor(pa.table({"text": ["http://u:pw@a.example/"]}))
    masked = batch.column("key")[0].as_py()
    assert "pw" not in masked
    done = run_with("", "-c", _WORKER, pickle.dumps(extractor).hex())
    assert (done.stdout.split(), done.stderr) == ([masked, "http://u:***@a.example/"], "")
    assert _given(pa.table({"number": [0], "text": ["http://u:pw@a.example/"]}))[0][5] != masked


def test_a_process_that_would_make_other_keys_refuses(tmp_path: Path) -> None:
    """A plug-in is installed where the extractor is made, and missing where it is used."""
    sample = install_sample(tmp_path / "plugin")
    made = "import pickle; from urisieve.arrow import Extractor; print(pickle.dumps(Extractor()).hex())"
    pickled = run_with(sample, "-c", made).stdout.strip()
    assert run_with(sample, "-c", _WORKER, pickled).returncode == 0
    refused = run_with("", "-c", _WORKER, pickled)
    assert refused.returncode == 1
    assert "shelf" in refused.stderr
    assert "ProcessError" in refused.stderr
    assert "missing here" in refused.stderr


def test_another_version_refuses_before_it_loads_what_it_may_not_know() -> None:
    pickled, later = pickle.dumps(Extractor()), "9" * len(__version__)  # as long: a pickle holds the lengths of texts
    other = pickled.replace(f'"urisieve": "{__version__}"'.encode(), f'"urisieve": "{later}"'.encode())
    unknown = other.replace(b"urisieve.finding_options", b"urisieve.finding_0ptions")
    assert len({pickled, other, unknown}) == 3
    with pytest.raises(ProcessError, match=f"the version of urisieve is '{__version__}' here, '{later}' there"):
        pickle.loads(unknown)


# Arrays of identifiers.


@given(st.integers(min_value=0, max_value=1 << 64))
def test_generated_identifiers(seed: int) -> None:
    source = random.Random(seed)
    texts = Texts(source, long=0)
    rows = [source.choice((texts._identifier(), None, "")) for _ in range(20)]
    rows = [row if row is None else row[:500].encode("utf-8", "replace").decode() for row in rows]
    options = source.choice((None, *KNOWN[8:12], *OTHERS[-1:]))
    checked = [None if row is None else check(row, options=options) for row in rows]
    found = [one if isinstance(one, Record) else None for one in checked]
    records = [one and one.masked(_token) for one in found]
    values = pa.array(rows, pa.string()).cast(source.choice((pa.string(), pa.large_string(), pa.binary())))
    uris = normalize_array(values, options=options)
    uris.validate(full=True)
    assert uris.to_pylist() == [one.uri if one else None for one in records]
    keys = key_array(pa.chunked_array([values.slice(0, 7), values.slice(7)]), secret=SECRET, options=options)
    assert keys.to_pylist() == [one.key if one else None for one in records]
    digests = digest_array(values, options=options)
    assert digests.to_pylist() == [digest(one.key) if one else None for one in found]


def test_arrays_of_identifiers_are_those_of_the_calls_for_one() -> None:
    valid = ["HTTP://EXAMPLE.com:80/%7Ea", "urn:ISBN:0-395-36341-1", "mailto:A@B.example"]
    texts = [*valid, "not one", None]
    assert normalize_array(pa.array(texts)).to_pylist() == [*map(normalize, valid), None, None]
    assert key_array(pa.array(texts), secret=new_secret()).to_pylist() == [
        *(uri_key(text) for text in valid),
        None,
        None,
    ]
    with pytest.raises(InvalidIdentifierError):
        normalize("not one")
    assert normalize_array(pa.array(texts).dictionary_encode()).to_pylist()[0] == "http://example.com/~a"
    assert normalize_array(pa.array([b"http://a/\xff", b"http://A/"])).to_pylist() == [None, "http://a/"]
    for made in (normalize_array, digest_array):
        assert len(made(pa.array([], pa.string()))) == len(made(pa.chunked_array([], pa.string()))) == 0


def test_keys_need_a_secret() -> None:  # H3
    with pytest.raises(UsageError, match=r"secret=: draw one with urisieve.new_secret\(\)"):
        key_array(pa.array(["http://a.example/"]))


def test_passwords_stay_apart_in_keys_and_do_not_show() -> None:
    texts = pa.array([f"http://u:{word}@a.example/" for word in ("one", "two", "one")])
    assert set(normalize_array(texts).to_pylist()) == {"http://u:***@a.example/"}
    first, second, third = key_array(texts, secret=SECRET).to_pylist()
    assert first == third != second
    assert "one" not in first
    first, second, third = digest_array(texts).to_pylist()
    assert first == third != second
