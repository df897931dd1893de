"""Parts of mail searched many at once: each has what it has when each document is searched alone."""

from __future__ import annotations

import base64
import quopri
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from urisieve import Options, ReadingOptions, Tally, sieve_blocks
from urisieve.runs import document_sieve

LINKS = [
    "http://a.example/1",
    "https://b.example/é",
    "http://u:secret@c.example/",
    "http://d.example:9z/",
    "urn:isbn:0395363411",
    "//net.example/x",
    "javascript:go('http://e.example/')",
    "r/relative",
    "#same",
]
LINK = st.sampled_from(LINKS)
LINE = st.builds("{}{}{}".format, st.sampled_from(["", "see ", "> ", "<", "é "]), LINK, st.sampled_from(["", ".", ">"]))
TAG = st.builds(
    str.format,
    st.sampled_from(
        [
            '<a href="{0}">{1}</a>',
            '<img src="{0}" alt="{1}">',
            "<p onclick=\"go('{0}')\">{1}</p>",
            '<base href="http://base.example/d/"><a href="{0}">{1}</a>',
            '<div style="background:url({0})">{1}</div>',
            "<!-- {0} --><b>{1}</b>",
            "<{0}> <p><{1}> x",
            '<iframe srcdoc="&lt;a href={0}&gt;">{1}</iframe>',
        ]
    ),
    LINK,
    LINK,
)
PAGE = st.lists(TAG, max_size=4).map(lambda tags: f"<html><body>{''.join(tags)}</body></html>")
PLAIN = st.lists(LINE, max_size=3).map("\n".join)
FIELDS = [
    "",
    "Content-Location: http://loc.example/\n",
    "Content-Description: http://d.example/\n",
    "Content-ID: <a@b>\n",
]


def encoded(data: bytes, encoding: str) -> bytes:
    if encoding == "base64":
        return base64.encodebytes(data)
    return quopri.encodestring(data) if encoding == "quoted-printable" else data


@st.composite
def leaves(draw: st.DrawFn) -> bytes:
    media, text = draw(st.one_of(st.tuples(st.just("html"), PAGE), st.tuples(st.just("plain"), PLAIN)))
    charset = draw(st.sampled_from(["utf-8", "iso-8859-1", "utf-16", "no-such-set"]))
    data = text.encode(charset if charset != "no-such-set" else "utf-8")
    encoding = draw(st.sampled_from(["7bit", "base64", "quoted-printable", "unknown"]))
    head = f"Content-Type: text/{media}; charset={charset}\nContent-Transfer-Encoding: {encoding}\n"
    return f"{head}{draw(st.sampled_from(FIELDS))}\n".encode() + encoded(data, encoding)


def joined(kind: str, parts: list[bytes]) -> bytes:
    head = f"Content-Type: multipart/{kind}; boundary=b{len(parts)}{kind}\n\n".encode()
    boundary = f"--b{len(parts)}{kind}".encode()
    return head + b"".join(boundary + b"\n" + part + b"\n" for part in parts) + boundary + b"--\n"


ENTITY = st.recursive(
    leaves(),
    lambda inner: st.builds(
        joined, st.sampled_from(["mixed", "alternative", "related"]), st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=5,
)
MESSAGES = st.lists(ENTITY, min_size=1, max_size=3)


def mailbox(entities: Iterable[bytes], line_end: bytes = b"\n") -> bytes:
    head = b"From a@b.example Mon Jan  5 10:00:00 2026\nSubject: see http://s.example/\nMessage-ID: <%d@b.example>\n"
    whole = b"".join(head % number + entity + b"\n\n" for number, entity in enumerate(entities))
    return whole.replace(b"\n", line_end)


def found(data: bytes, options: Options, reading: ReadingOptions) -> list[Any]:
    """Return all that is known of records and rejections, and the counts."""
    tally = Tally()
    failed: list[str] = []
    blocks = (data[start : start + 1_000] for start in range(0, len(data), 1_000))
    records = sieve_blocks(
        "a", blocks, options=options, reading=reading, tally=tally, on_error=lambda *error: failed.append(repr(error))
    )
    rows = [(type(one).__name__, tuple(one._row)) for one in records]
    counts = (tally.read, tally.skipped, tally.broken, tally.rejected, tally.warnings)
    return [rows, [dict(count) for count in counts], failed]


def check(data: bytes, options: Options, reading: ReadingOptions) -> None:
    def alone(documents: Iterator[Any]) -> Iterator[Any]:
        return documents

    together = found(data, options, reading)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(document_sieve, "gathered", alone)
        assert together == found(data, options, reading)


OPTIONS = [Options(), Options(schemeless="names", email=True), Options(unwrap="any"), Options(charset="legacy")]
READING = [ReadingOptions(), ReadingOptions(mail_parts="all"), ReadingOptions(base="http://given.example/d/")]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # of a busy machine
@given(
    entities=MESSAGES,
    options=st.sampled_from(OPTIONS),
    reading=st.sampled_from(READING),
    line_end=st.sampled_from([b"\n", b"\r\n"]),
    cut=st.integers(0, 200),
)
def test_parts_have_what_they_have_alone(
    entities: list[bytes], options: Options, reading: ReadingOptions, line_end: bytes, cut: int
) -> None:
    data = mailbox(entities, line_end)
    check(data[: max(1, len(data) - cut)] if cut % 3 == 0 else data, options, reading)


FORMS = joined(
    "alternative",
    [
        b"Content-Type: text/plain\n\nhttp://a.example/ http://b.example/ http://a.example/\n",
        b'Content-Type: text/html\n\n<a href="http://a.example/">http://c.example/</a> http://d.example/\n',
    ],
)
ROWS: list[tuple[bytes, ReadingOptions, list[str]]] = [
    # A link of one form is not found again in another, and each message has forms of its own.
    (mailbox([FORMS]), READING[0], ["s", "a", "b", "a", "c", "d"]),
    (mailbox([FORMS]), READING[1], ["s", "a", "b", "a", "c", "d", "a"]),
    (mailbox([FORMS, FORMS]), READING[0], ["s", "a", "b", "a", "c", "d"] * 2),
    # A link between `<` and `>` is no tag.
    (
        mailbox([b"Content-Type: text/html\n\n<p>x <http://a.example/> <b><http://b.example/></b>"]),
        READING[0],
        ["s", "a", "b"],
    ),
    # What the header of a part holds stands between its text and that of the part before.
    (
        mailbox([joined("mixed", [b"Content-Type: text/plain\nX: http://x.example/\n\nhttp://a.example/\n"] * 2)]),
        READING[0],
        ["s", "x", "a", "x", "a"],
    ),
]


@pytest.mark.parametrize(("data", "reading", "expected"), ROWS)
def test_the_order_of_what_is_found(data: bytes, reading: ReadingOptions, expected: list[str]) -> None:
    hosts = [row[1].split("/")[2].removesuffix(".example") for _, row in found(data, Options(), reading)[0]]
    assert hosts == expected
    check(data, Options(), reading)


def test_a_link_says_that_its_text_differs_and_what_was_written() -> None:
    page = b'Content-Type: text/html\nContent-Location: http://h.example/d/\n\n<a href="x">http://c.example/</a>\n'
    rows, *_ = found(mailbox([joined("mixed", [page, page])]), Options(), ReadingOptions())
    links = [row for _, row in rows if row[1] == "http://h.example/d/x"]
    assert [("x" in row, any("text-differs-from-target" in str(value) for value in row)) for row in links] == [
        (True, True)
    ] * 2
