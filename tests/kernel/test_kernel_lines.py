"""The lines that the kernel writes are those that Python writes, as it does with the rows that are left to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.boundary_rows import BOUNDARIES
from tests.helpers.folders import SAMPLES
from tests.helpers.hostile import HOSTILE
from tests.helpers.strategies import any_text, canonical_like_links, identifiers, iris, joined_texts, noisy_texts, urns
from urisieve import Batch, Options, sieve_into
from urisieve.find import searches
from urisieve.find.kernel_search import KernelSearch
from urisieve.find.search import Search
from urisieve.kernel import compiled
from urisieve.options import Form, Format
from urisieve.records.batch import BatchBuffer
from urisieve.sinks import FormatSettings, RecordSink, open_output
from urisieve.sinks.notations import FieldLines, KernelCells
from urisieve.sinks.record_formats import record_format
from urisieve.types import Location

pytestmark = pytest.mark.skipif(not compiled, reason="compares the kernel with Python")

KINDS = (Format.JSONL, Format.CSV, Format.TSV)
WRAPPERS = ("<>", '""', "''", "``", "()", "[]", "{}", "“”", "‘’", "«»", "「」", "（）", "【】", "《》", "“„", "**")
LINKS = (
    *("http://a.example", "HTTPS://A.Example:443/%7e?q=%3C#f", "http://1.2.3.4/?", "http://1.2.3.256/#", "ftp://x.y:/"),
    *(
        "http://u@a.example/",
        "http://u:p@a.example/",
        "http://[::1]:80/a",
        "mailto:a@b.example",
        "file:///a?b",
        "tel:+1",
    ),
    *(
        "http://a.example/é",
        "http://a.example/%C3%A9%E2%80%AE",
        "http://a.example/%E6%BC%A2%ff",
        "http://bücher.example",
    ),
    *("http://a.example/%EE%80%80?%EE%80%80", "http://xn--bcher-kva.example/", "http://a.example/,;%2c", "data:,a"),
    *("urn:isbn:0451450523", "urn:x-y:z?=a", "http://a.example/'b'", "http://a_b.example/", "x://a/?b#c?d", "a+b://c"),
    *("http://a.example/?漢字#かな", "http://a.example/%c3%a9", "https://a.example/%F0%9F%98%80%CC%81", "news:%41"),
)
OPTIONS = (
    *(Options(), Options(), Options(level="none"), Options(level="syntax"), Options(positions="offsets")),
    *(Options(charset="legacy"), Options(merge=["strip-www", "drop-fragment"]), Options(known_schemes={"a", "x"})),
)
SHOWN = [FormatSettings(kind, secret=secret) for kind in KINDS for secret in (None, b"secret")]
# Links whose parts are hidden, or that hold others.
HIDDEN_LINKS = (
    *("http://u@A.example:81/x?q=1#f", "http://a.example?#", "http://a.example/?#", "http://a.example//x://y?://z"),
    *(
        "https://r.example/?u=http%3A%2F%2Fu@h.example%2F",
        "http://a.example/http%3A%2F%2Fb.example/c",
        "http://@a.example/",
    ),
    *(
        "http://a.example/http:%2f%2Fu%40b.example/?u=-3A__x-40",
        "http://a.example/a@b/c:d?e@f:g/h#i://j",
        "ws://a.example./",
    ),
    *("https://nam02.safelinks.protection.outlook.com/?url=https%3A%2F%2Fe.example&data=05", "https://t.co:443/abc#d"),
    *(
        "HTTPS://T.CO/abc?d",
        "view-source:http://a.example/b?c",
        "sip:u@h.example;a=b?c=d",
        "sips:h.example",
        "http:a/b?c",
    ),
    *(
        "mailto:a.b@c.example?cc=c@d.example",
        "data:,a?b#c",
        "urn:isbn:0451450523#x",
        "file:/a?b#c",
        "a+b://c.d/e.f?g.h",
    ),
    *(
        "http://a.example/\\/b",
        "http://é.example/?é#é",
        "http://a.example/é?x",
        "http://http://b.example/",
        "ftp://[::1]/?%",
    ),
    *("http://www.google.com/bot.html", "https://web.archive.org/web/2020/http://e.example/a?b#c"),
    *("https://www.bing.com/./ck/a?u=a1aHR0cHM6Ly9lLmV4YW1wbGUv#x", "https://www.youtube.com/@a"),
    *("http://u:p@a.example/x?y", "https://r.example/?u=//u:pw@h/", "ftps://1.2.3.4/.../?..#.", "http:/\\/a.example/b"),
)
FORMS = ("uri", "iri", "surt", "key", "host", "domain", "template", "raw")
FIELDS = (
    ("uri", "domain"),
    ("raw", "key", "iri"),
    ("domain",),
    ("uri", "surt", "host"),
    ("parts", "notices", "source"),
)
PARTS = [
    *((), ("query",), ("userinfo",), ("path", "fragment"), ("userinfo", "query", "fragment", "path"), ("fragment",)),
    *(("secrets",), ("secrets", "fragment")),
]
NOTATIONS: list[dict[str, Any]] = [
    *({"format": kind} for kind in KINDS),
    *({"format": kind, "fields": fields} for kind in (Format.CSV, Format.TEXT, Format.JSONL) for fields in FIELDS),
    *({"format": Format.TEXT, "form": Form(form)} for form in FORMS),
    {"format": Format.TEXT, "template": "{host} {path} {query} {fragment} {domain}"},
]
HIDING = [
    FormatSettings(secret=b"secret", redact=redact, defang=defang, **settings)
    for redact in PARTS
    for defang in (False, True)
    for settings in NOTATIONS
]
FINDING = (
    Options(refang=True, schemeless="names", email=True, bare=["doi"]),
    Options(repair=True, nested=True),
    Options(spoofing=True, merge="page", schemes="any"),
)
TAIL = "\n" + " ".join(f"http://a.example/{number}" for number in range(6))


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The numbers of rows that the kernel was asked to write, and that it left to Python."""
    counts: Counter[str] = Counter()
    given: Any = KernelCells.given
    each: Any = FieldLines._each
    asked: dict[int, Batch] = {}

    def counted(self: KernelCells, batch: Batch, indices: Any) -> Any:
        arguments = given(self, batch, indices)
        if arguments is not None:
            counts["asked"] += len(batch)
            asked[id(batch)] = batch
        return arguments

    def counted_others(self: FieldLines, batch: Batch, indices: Sequence[int] | None) -> list[bytes]:
        if indices is not None and id(batch) in asked:
            counts["left"] += len(indices)
        made: list[bytes] = each(self, batch, indices)
        return made

    monkeypatch.setattr(KernelCells, "given", counted)
    monkeypatch.setattr(FieldLines, "_each", counted_others)
    return counts


def both_ways(counts: Counter[str]) -> bool:
    return 0 < counts["left"] < counts["asked"]


def batches(search: Callable[..., Any], options: Options, feed: Callable[[Any], None], **named: Any) -> list[Batch]:
    buffer = BatchBuffer()
    made = search(options, buffer, **named)
    feed(made)
    made.close()
    return buffer.drained()


def with_byte_offsets(batch: Batch, text: str) -> Batch:
    def offset(character: int) -> int:
        return len(text[:character].encode("utf-8", "surrogateescape"))

    names = {"byte_start": "start", "byte_end": "end"}
    return batch.replaced({name: list(map(offset, batch.column(of))) for name, of in names.items()})


def same_lines(found: Sequence[Batch], expected: Sequence[Batch], settings: Iterable[FormatSettings]) -> None:
    """Assert that the lines of batches of the kernel are those of others, by some settings, whole and chosen."""
    assert not any(batch.layout.harvest for batch in expected)
    for one in settings:
        writer, other = (record_format(one) for _ in range(2))
        lines = [line for batch in expected for line in other.each(batch)]
        assert b"".join(map(writer.encoded, found)) == b"".join(lines)
        assert [line for batch in found for line in writer.each(batch)] == lines
        first = 0
        for batch in found:
            chosen = range(first % 2, len(batch), 2)
            some = [lines[first + index] for index in chosen]
            assert writer.each(batch, chosen) == some
            assert writer.encoded(batch, chosen) == b"".join(some)
            first += len(batch)


def same_in_text(text: str, options: Options, settings: Iterable[FormatSettings] = SHOWN, **named: Any) -> None:
    """Assert that the lines of a text are the same, given as text and as bytes, with and without the kernel."""
    expected = batches(Search, options, lambda search: search.feed(text), **named)
    same_lines(batches(KernelSearch, options, lambda search: search.feed(text), **named), expected, settings)
    data = text.encode("utf-8", "surrogatepass")
    decoded = data.decode("utf-8", "surrogateescape")
    expected = batches(Search, options, lambda search: search.feed(decoded), **named)
    expected = [with_byte_offsets(batch, decoded) for batch in expected]
    same_lines(batches(KernelSearch, options, lambda search: search.feed_bytes(data), **named), expected, settings)


def test_lines_of_generated_texts(written: Counter[str]) -> None:
    wrapped = st.tuples(st.sampled_from(WRAPPERS), st.one_of(st.sampled_from(LINKS), identifiers(), iris(), urns()))
    texts = st.one_of(
        st.lists(wrapped.map(lambda pair: f"{pair[0][0]}{pair[1]}{pair[0][1]} "), max_size=8).map("".join),
        joined_texts(st.one_of(canonical_like_links(), st.sampled_from(LINKS))),
        noisy_texts(),
    )
    names = st.one_of(
        st.none(), st.sampled_from(["a", 'q"u,o\te', "b\\ä漢\u2028\x1b\n", "\udcff", "\ue000"]), any_text()
    )
    locations = st.one_of(
        st.none(), st.none(), st.builds(Location, message=st.integers(1, 9), message_id=names, part=names, field=names)
    )

    @given(texts, st.sampled_from(OPTIONS), names, locations)
    def same(text: str, options: Options, source: str | None, location: Location | None) -> None:
        same_in_text(text + TAIL, options, source=source, location=location)

    same()
    assert both_ways(written)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("options", OPTIONS[1:])
def test_lines_of_all_kinds_of_links_in_all_wrappers(options: Options, written: Counter[str]) -> None:
    text = "".join(f"{before}{link}{after} {link}\n" for link in LINKS for before, after in map(tuple, WRAPPERS))
    same_in_text(text, options, source="a")
    assert both_ways(written)


@pytest.mark.sampled(35)
@pytest.mark.parametrize("number", range(0, len(HIDING), 8))
def test_what_is_hidden_is_hidden_alike(number: int, written: Counter[str]) -> None:
    links = (*LINKS, *HIDDEN_LINKS)[number // 8 % 2 :: 2]  # each by half of the settings
    wrapped = "".join(f"<{link}> {link}\n{link}\u00a0" for link in links)
    same_in_text(wrapped + TAIL, Options(), HIDING[number : number + 8], source="a")
    found = " www.a.example/b?c a@b.example hxxp://a[.]example/b?c#d http://a.example/{x}?y doi:10.1000/18?2 "
    same_in_text(found + wrapped + TAIL, FINDING[number // 8 % 3], HIDING[number : number + 8])
    assert written["left"] < written["asked"]


def test_what_is_hidden_in_generated_texts() -> None:
    link = st.one_of(canonical_like_links(), st.sampled_from((*LINKS, *HIDDEN_LINKS)), identifiers(), iris(), urns())
    settings = st.lists(st.sampled_from(HIDING), min_size=1, max_size=4)

    @given(
        joined_texts(link),
        st.sampled_from((*OPTIONS, *FINDING)),
        settings,
        st.sampled_from([None, "a", "a!http://u:p@b.example/?c"]),
    )
    def same(text: str, options: Options, some: list[FormatSettings], source: str | None) -> None:
        same_in_text(text + TAIL, options, some, source=source)

    same()


def test_more_endings_than_the_kernel_keeps_are_left_to_python(written: Counter[str]) -> None:
    openers = (
        "<>",
        '""',
        "''",
        "``",
        "()",
        "[]",
        "{}",
        "“”",
        "‘’",
        "«»",
        "‹›",
        "「」",
        "『』",
        "（）",
        "【】",
        "《》",
        "〈〉",
    )
    links = ("http://a.example/", "xhttp://a.example/", "http://u@a.example/", "xhttp://u@a.example/", "file:///a?b")
    same_in_text("".join(f"{pair[0]}{link}{pair[1]} " for link in links for pair in openers), Options())
    assert both_ways(written)


def test_lines_of_the_boundary_texts(written: Counter[str]) -> None:
    same_in_text("\n".join(str(row["text"]) for row in BOUNDARIES), Options())
    assert both_ways(written)


@pytest.mark.long
def test_lines_of_hostile_texts(written: Counter[str]) -> None:
    for one in HOSTILE:
        if one.options is None:
            same_in_text(one.make(3_000) + TAIL, Options())
    assert both_ways(written)


def lines_of_files(paths: Iterable[Path], to: Path, kind: Format) -> bytes:
    with open_output(str(to)) as output:
        sieve_into([str(path) for path in paths], RecordSink(FormatSettings(kind, secret=b"secret"), output))
    return to.read_bytes()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
def test_lines_of_files(kind: Format, tmp_path: Path, written: Counter[str], monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(LINKS)
    contents = {
        "plain": text.encode(),
        "bom": text.encode("utf-8-sig"),
        "utf-16": text.encode("utf-16"),
        "latin-1": b"caf\xe9 http://a.example/\xe9 " + text.encode("latin-1", "ignore"),
        "stray": b"\xff\xfe? \xc3 http://a.example/\xff " + text.encode(),
        "large": "".join(f"<http://a.example/{number}> http://ä.example/\n" for number in range(6_000)).encode(),
        'q"u,o\te\\': text.encode(),
        "\x1b[2J\nä\udcff": text.encode(),
    }
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    paths = [*(tmp_path / name for name in contents), *sorted(SAMPLES.glob("*.*"))]
    found = lines_of_files(paths, tmp_path / "found", kind)
    assert both_ways(written)
    monkeypatch.setattr(searches, "_search", searches._in_python)
    asked = written["asked"]
    assert found == lines_of_files(paths, tmp_path / "expected", kind) != b""
    assert written["asked"] == asked, "this was written by Python alone"
