"""Templates of links as lines, as fields, and counted with examples: whatever the way, and with bounded memory."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from tests.helpers.cli_support import call
from urisieve import Batch, KeySet, extract, extract_batches, sieve_into, template_of
from urisieve.options import Form
from urisieve.records.mask import Mask
from urisieve.sinks import FirstSeenSink, FormatSettings, open_output
from urisieve.sinks.formats import Format
from urisieve.sinks.statistics import collect_statistics
from urisieve.sinks.statistics.link_counts import TemplateCounts

TEXT = (
    "http://A.example/u/1 http://a.example/u/2?x=a https://a.example/u/3 http://a.example/u/4#f http://a.example/u/1 "
    "http://joe:one@a.example/5 http://joe:two@a.example/6 urn:isbn:0395363411 http://a.example/u/7 http://a.example/u/8"
)
ONCE = [
    *("http://a.example/u/{}", "http://a.example/u/{}?x=a", "https://a.example/u/{}"),
    *("http://joe:***@a.example/{}", "urn:isbn:{}"),
]


def test_lines_of_templates() -> None:
    found = call("extract", "--form", "template", stdin=TEXT.encode())
    assert Counter(found.lines) == {ONCE[0]: 5, ONCE[1]: 1, ONCE[2]: 1, ONCE[3]: 2, ONCE[4]: 1}
    found = call("extract", "--form", "template", "--unique", stdin=TEXT.encode())
    assert found.lines == ONCE
    assert "10 found, 5 unique" in found.err
    assert call("dedupe", "--form", "template", stdin=TEXT.encode()).lines == ONCE
    shown = call("extract", "-u", "--form", "template", "--safe", "defang,no-userinfo", stdin=TEXT.encode())
    assert shown.lines[3] == "hxxp://***@a[.]example/{}"
    masked = call("extract", "--form", "template", "--safe", "no-path", stdin=TEXT.encode())
    assert masked.lines[:2] == ["http://a.example/***", "http://a.example/***?x=a"]


def test_the_field() -> None:
    found = call("extract", "--fields", "template,uri", "--format", "jsonl", stdin=TEXT.encode())
    rows = [json.loads(line) for line in found.lines]
    assert [row["template"] for row in rows[:2]] == ONCE[:2]
    assert list(rows[0]) == ["template", "uri"]
    assert call("extract", "--template", "{template} {line}", stdin=TEXT.encode()).lines[0] == f"{ONCE[0]} 1"
    (batch,) = extract_batches([TEXT], columns=["template"])
    assert batch.column("template") == [template_of(uri) for uri in batch.column("uri")]
    assert Batch.of(list(extract(TEXT))).column("template") == batch.column("template")


def test_what_does_not_go_with_it(tmp_path: Path) -> None:
    for argv in (["extract", "--format", "csv"], ["dedupe", "--store", str(tmp_path / "store")]):
        found = call(*argv, "--form", "template", stdin=TEXT.encode())
        assert (found.status, found.out) == (2, b"")
        assert "--form template" in found.err


def test_counts_and_examples() -> None:
    found = call("stats", "--templates", "--format", "json", "--no-times", stdin=TEXT.encode())
    counted = json.loads(found.out)["templates"]
    assert (counted["names"], counted["total"], counted["others"]) == (5, 10, 0)
    assert [(row["name"], row["count"], row["distinct"]) for row in counted["rows"]] == [
        (ONCE[0], 5, 4), (ONCE[3], 2, 2), (ONCE[1], 1, 1), (ONCE[2], 1, 1), (ONCE[4], 1, 1)
    ]  # fmt: skip
    assert counted["rows"][0]["examples"] == [f"http://a.example/u/{number}" for number in ("1", "4#f", "7")]
    assert counted["rows"][1]["examples"] == [f"http://joe:***@a.example/{number}" for number in "56"]
    assert "templates" in json.loads(call("stats", "--format", "json", stdin=b"http://a.example/").out)
    assert b":one" not in found.out
    text = call("stats", "--templates", "--no-times", stdin=b"http://a.example/1 http://a.example/").lines
    start = next(number for number, line in enumerate(text) if line.startswith("templates: 2"))
    assert [line.split()[:1] for line in text[start + 1 : start + 4]] == [
        *(["http://a.example/"], ["http://a.example/{}"], ["http://a.example/1"])
    ]
    table = call("stats", "--templates", "--format", "csv", stdin=TEXT.encode()).lines
    assert f"templates.rows,{ONCE[0]},5,4,,http://a.example/u/1" in table
    hidden = call("stats", "--templates", "--format", "csv", "--safe", "no-path,defang", stdin=TEXT.encode()).out
    assert b"templates.rows,hxxp://a[.]example/***,5,4," in hidden


def _links(number: int, seed: int = 7) -> list[str]:
    chance = random.Random(seed)
    return [
        f"http://{chance.choice('abc')}.example/{'x' * chance.randrange(40)}/{chance.randrange(9)}"
        for _ in range(number)
    ]


@pytest.mark.parametrize("most", [1, 7, 50, 10_000])
def test_memory_is_bounded_and_counts_are_exact(most: int, tmp_path: Path) -> None:
    """Beyond the limit counts and examples are on disk: the same comes of it, however the links are cut."""
    uris = _links(2_000)
    by_hand: dict[str, list[str]] = {}
    for uri in uris:
        by_hand.setdefault(template_of(uri), []).append(uri)
    counts = TemplateCounts(Mask(None), str(tmp_path), most)
    for start in range(0, len(uris), 13):
        (batch,) = extract_batches([" ".join(uris[start : start + 13])])
        counts.add(batch.layout, list(range(0, len(batch), 2)))
        assert len(counts._known) <= most
    ranking = counts.ranking(1_000)
    assert {row.name: row.count for row in ranking.rows} == {name: len(some) for name, some in by_hand.items()}
    for row, examples in ranking.with_examples():
        assert list(examples) == list(dict.fromkeys(by_hand[str(row.name)]))[:3]
    counts.close()
    assert not list(tmp_path.iterdir())


def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    paths = []
    for number in range(3):
        paths.append(tmp_path / f"{number}.log")
        paths[-1].write_text("\n".join(_links(400, number)))
    one, two = (collect_statistics(paths, templates=True, jobs=jobs, top=1_000) for jobs in (1, 2))
    assert one == two
    assert one.templates is not None
    assert one.templates.total == 1_200
    argv = ["extract", "--quiet", "--unique", "--form", "template", *map(str, paths)]
    assert call(*argv, "--jobs", "2").lines == call(*argv).lines == list(
        dict.fromkeys(template_of(uri) for number in range(3) for uri in _links(400, number))
    )  # fmt: skip


def test_the_library_writes_each_template_once(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(TEXT)
    with open_output(str(tmp_path / "links")) as output:
        sink = FirstSeenSink(
            FormatSettings(Format.TEXT, Form.TEMPLATE, b"secret"), output, KeySet(), memory_limit=1_000_000
        )
        sieve_into([tmp_path / "text"], sink)
    assert (tmp_path / "links").read_text().splitlines() == ONCE
