"""The table of tracking parameters: its form, what it covers, and where its parameters stay."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import generate_registry
import generate_tracking
from urisieve import Options, key
from urisieve.rules.registry import Tracking, head_of, tracking_date, tracking_of, tracking_rows
from urisieve.syntax.components import is_on

STEP = Options(merge="drop-tracking")


def test_the_table_is_well_formed() -> None:
    rows = tracking_rows()
    assert Counter((row.name, row.host) for row in rows).most_common(1)[0][1] == 1
    assert [(row.name, row.host or "-") for row in rows] == sorted((row.name, row.host or "-") for row in rows)
    for row in rows:
        assert row.name.rstrip("*"), row
        assert "*" not in row.name[:-1], row
        assert row.host == row.host.lower().strip("."), row
        assert all(text and text == text.lower() for text in row.unless), row
        assert row.source, row
        assert row.purpose, row
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", tracking_date())
    assert f"compiled {tracking_date()}." in head_of("tracking")


NAMES = (
    *("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "utm_id"),
    *("fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "twclid", "ttclid", "li_fat_id"),
    *("igshid", "mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "oly_anon_id", "oly_enc_id", "vero_id", "wickedid"),
    *("icid", "ncid", "s_kwcid", "ef_id", "srsltid", "_openstat"),
)


@pytest.mark.parametrize("name", NAMES)
def test_what_tracks_everywhere(name: str) -> None:
    assert any(not row.host for row in tracking_of(name, "a.example"))
    for written in (name, name.upper()):
        assert key(f"https://a.example/x?{written}=v1&id=2", options=STEP) == "https://a.example/x?id=2"
        assert key(f"https://a.example/x?{written}", options=STEP) == "https://a.example/x"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # On the links of its own host.
        ("https://youtu.be/abc?si=x", "https://youtu.be/abc"),
        ("https://www.youtube.com/watch?v=a&si=x", "https://www.youtube.com/watch?v=a"),
        ("https://youtube.com.a.example/?si=x", "https://youtube.com.a.example/?si=x"),
        ("https://notyoutube.com/?si=x", "https://notyoutube.com/?si=x"),
        ("https://a.example/?si=x", "https://a.example/?si=x"),
        # What lets people leave a list, and what depends on them.
        ("https://a.example/unsubscribe?mkt_tok=1", "https://a.example/unsubscribe?mkt_tok=1"),
        ("https://a.example/x?do=Unsubscribe&mkt_tok=1", "https://a.example/x?do=Unsubscribe&mkt_tok=1"),
        ("https://a.example/x?mkt_tok=1", "https://a.example/x"),
        # A parameter that tracks does not decide about another one.
        ("https://a.example/x?utm_campaign=unsubscribe&mkt_tok=1", "https://a.example/x"),
        # Coordinates.
        ("https://a.example/map?utm_x=5", "https://a.example/map?utm_x=5"),
        ("https://a.example/map?utm_zone=32&utm_easting=1", "https://a.example/map?utm_zone=32&utm_easting=1"),
        # Names that only look alike, names in other places, and identifiers whose query is what they name.
        ("https://a.example/?utm=1&xfbclid=2", "https://a.example/?utm=1&xfbclid=2"),
        ("https://a.example/utm_source=1#utm_source=1", "https://a.example/utm_source=1#utm_source=1"),
        ("https://a.example/?u=utm_source=1", "https://a.example/?u=utm_source=1"),
        ("magnet:?utm_source=1", "magnet:?utm_source=1"),
    ],
)
def test_where_parameters_stay(text: str, expected: str) -> None:
    assert key(text, options=STEP) == expected


EXEMPT = [(row, text[1:]) for row in tracking_rows() for text in row.unless if text[0] == "@"]


@pytest.mark.parametrize(("row", "host"), EXEMPT, ids=[f"{row.name}@{host}" for row, host in EXEMPT])
def test_hosts_on_which_a_parameter_is_no_tracking(row: Tracking, host: str) -> None:
    assert row.stays(host, "/")
    assert row.stays(f"www.{host}", "/")
    assert not row.stays(f"not{host}", "/")
    texts = [f"https://{place}/?{row.name.rstrip('*')}=1" for place in (host, f"www.{host}")]
    assert [key(text, options=STEP) for text in texts] == texts


def test_there_are_such_hosts() -> None:
    assert EXEMPT


def test_hosts() -> None:
    assert is_on("a.example", "")
    assert is_on("a.example", "a.example")
    assert is_on("b.a.example", "a.example")
    assert not is_on("ba.example", "a.example")
    assert not is_on("example", "a.example")


# The generator


def test_the_table_is_that_of_its_source(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    committed = (generate_registry.TARGET / "tracking.txt").read_bytes()
    monkeypatch.setattr(generate_registry, "TARGET", tmp_path)
    generate_tracking.main(generate_tracking.SOURCE)
    assert (tmp_path / "tracking.txt").read_bytes() == committed, "run tools/generate_tracking.py"


GOOD = "ref\t-\t-\tAdGuard\tshare link"


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("ref\t-\t-\tAdGuard", "not five columns"),
        (f"{GOOD}\tmore", "not five columns"),
        ("ref\t-\t\tAdGuard\tshare link", "not five columns"),
        ("", "not five columns"),
        ("Ref\t-\t-\tAdGuard\tshare link", "not the name of a parameter in lower case"),
        ("re*f\t-\t-\tAdGuard\tshare link", "not the name of a parameter in lower case"),
        ("r=f\t-\t-\tAdGuard\tshare link", "not the name of a parameter in lower case"),
        ("*\t-\t-\tAdGuard\tshare link", "not the name of a parameter in lower case"),
        ("tag\tHost.example\t-\tAdGuard\tshare link", "not a host"),
        ("tag\thost\t-\tAdGuard\tshare link", "not a host"),
        ("tag\t-\tUnsubscribe\tAdGuard\tshare link", "not texts in lower case between commas"),
        ("tag\t-\ta,,b\tAdGuard\tshare link", "not texts in lower case between commas"),
        (GOOD, "named twice"),
    ],
)
def test_broken_rows_are_refused(row: str, fault: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(generate_registry, "TARGET", tmp_path)
    source = tmp_path / "rows.tsv"
    source.write_text(f"# compiled 2026-01-02\n{GOOD}\n{row}\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=f"rows.tsv:3: {fault}: "):
        generate_tracking.main(source)
    assert not (tmp_path / "tracking.txt").exists()
