"""What follows from a link or its host alone: as computed row by row, and computed for few of the rows."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from urisieve import Options, extract_batches
from urisieve.judge import judge as judging
from urisieve.judge import templates
from urisieve.judge.validate import Fault
from urisieve.kernel import compiled
from urisieve.records.batch import Batch
from urisieve.records.field_table import field_values
from urisieve.records.mask import Mask
from urisieve.sinks import safe_cells
from urisieve.syntax.components import split, surt

LINKS = [
    *(f"http://h{index % 9}.example/p/{index % 40}?q={index % 5}#f" for index in range(300)),
    *("http://joe:secret@a.example/x", "https://r.example/?u=http%3A%2F%2Fb.example%2Fp", "HTTP://EXAMPLE.com:80"),
    *("urn:isbn:0395363411", "urn:example:a?+b?=c#d", "mailto:joe@a.example?subject=x", "tel:+1-202-555-0100;ext=7"),
    *(
        "http://[::1]:8080/",
        "http:///empty",
        "file:///etc/passwd",
        "http://b\u00fccher.example/\u00fc?q=\u00fc",
        "sip:joe:pw@h.example",
    ),
]
TEXT = "\n".join(LINKS)


def batch_of(text: str, options: Options | None = None) -> Batch:
    return Batch.joined(extract_batches([text], options=options))


def found_in(text: str) -> list[Batch]:
    """Batches as a search makes them, whose rows the kernel has, if it is used."""
    return list(extract_batches([text]))


def test_surt_follows_from_the_head_of_each_form() -> None:
    for batch in found_in(TEXT):
        assert batch.column("surt") == [surt(split(uri)) for uri in batch.column("uri")]


@pytest.mark.parametrize(
    "parts", [["query"], ["path"], ["userinfo"], ["query", "fragment", "path", "userinfo"]], ids=str
)
def test_what_is_hidden_is_the_same_in_rows_of_the_kernel(parts: list[str]) -> None:
    mask = Mask(b"secret", redact=parts)
    for batch in found_in(TEXT):
        shown, plain = mask.batch(batch), mask.batch(Batch.of(batch.records()))
        for name in ("uri", "raw", "key", "alternatives"):
            assert list(shown.column(name)) == list(plain.column(name))


@pytest.mark.skipif(not compiled, reason="the engine in Python hides each row itself")
def test_few_rows_are_hidden_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, Mask, "uri")
    for batch in found_in(TEXT):
        Mask(b"secret", redact=["query"]).batch(batch)
    assert len(calls) < len(LINKS) // 10


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[None]:
    calls: list[None] = []
    function: Callable[..., Any] = getattr(owner, name)

    def called(*given: Any, **named: Any) -> Any:
        calls.append(None)
        return function(*given, **named)

    monkeypatch.setattr(owner, name, called)
    return calls


def test_parts_and_notices_are_those_of_records() -> None:
    batch = batch_of(TEXT)
    records = batch.records()
    parts, notices = [one.parts for one in records], [[note.as_dict() for note in one.notices] for one in records]
    assert any(parts)
    assert any(notices)
    assert field_values(batch, "parts") == parts
    assert field_values(batch, "notices") == notices
    assert len(batch._with_parts()) < len(batch) // 10


def test_templates_of_links_that_repeat_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    links = [f"{link}-2024-05" for link in LINKS[:40]] * 20
    links = [link.replace("?", "-2024-05?") for link in links]  # the kernel leaves dates
    made: list[str] = []
    real = templates._template

    def counted(uri: str) -> str:
        made.append(uri)
        return real(uri)

    monkeypatch.setattr(templates, "_template", counted)
    assert templates.templates(links) == list(map(templates.template_of, links[:40])) * 20
    assert len(made) == 80


def values(judged: judging.Judged | Fault) -> tuple[Any, ...]:
    """What a judgement states; components follow from the form where it has none."""
    return tuple(judged) if isinstance(judged, Fault) else (judged.uri, judged.key, judged.warnings)


@pytest.mark.skipif(not compiled, reason="the engine in Python judges each link itself")
@pytest.mark.parametrize(
    "options", [Options(spoofing="warn", protect=["example.com"]), Options(level="syntax")], ids=str
)
def test_plain_links_are_judged_by_the_kernel(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    links = [f"HTTP://h{index % 9}.Example/%7Ea/{index}/../b" for index in range(200)]
    expected = [judging.judge(link, options) for link in links]
    calls = counted(monkeypatch, judging, "judge")
    found = [judging.quick_judge(link, options) for link in links]
    assert list(map(values, found)) == list(map(values, expected))
    assert not calls


HOSTS = [
    "example.com",
    "EXAMPLE.com",
    "examp1e.com",
    "a.b",
    "1.2.3.4",
    "0x7f.1",
    "b\u00fccher.example",
    "xn--bcher-kva.example",
    "XN--bcher-kva.example",
    "a_b.example",
    "a..b",
    "example.com.",
]
PATHS = ["/", "", "/a/../b", "/%7e", "/\u00fc", "?q", ":80/", ":/", ":443/x", "/a b"]


@pytest.mark.parametrize("scheme", ["http", "HTTPS", "ftp"])
@pytest.mark.parametrize(
    "options",
    [Options(level="syntax"), Options(spoofing="warn", protect=["example.com"]), Options(spoofing="warn"),
     Options(spoofing="warn", protect=["example.com"], level="syntax", merge="page")],
    ids=str,
)  # fmt: skip
def test_the_kernel_judges_as_python(scheme: str, options: Options) -> None:
    for host in HOSTS:
        for path in PATHS:
            text = f"{scheme}://{host}{path}"
            assert values(judging.quick_judge(text, options)) == values(judging.judge(text, options))


CELLS = ["=", "+", "-", "@", ",", "\t", '"', '""', "'", "\r\n", "\n", "\r", " ", "a", "7", "1.5", "e", "E+3"]
MORE = ["\u00a0", "\u3000", "\uff0b", "\uff1d", "\ufeff", "\0", "http://x.example/"]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_safe_cells_are_the_same_with_and_without_the_kernel(seed: int, delimiter: str) -> None:
    source = random.Random(f"{seed} {delimiter}")
    for _ in range(2_000):
        rows = "".join(source.choices(CELLS + MORE, k=source.randrange(14))).encode()
        assert safe_cells._safe_rows(rows, delimiter) == safe_cells._in_python(rows, delimiter)


def test_a_cell_that_begins_with_a_line_end_is_changed_whatever_follows() -> None:
    assert safe_cells._safe_rows(b'"\r\na",b\r\n', ",") == (b'"\'\r\na",b\r\n', 1)
