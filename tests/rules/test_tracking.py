"""The table of tracking parameters: its rows, what they cover, and the tool that writes it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from urisieve import Options, key
from urisieve.rules.tracking import tracking_date, tracking_of, tracking_rows

ROOT = Path(__file__).parent.parent.parent
TRACKING = Options(merge="drop-tracking")
KNOWN = (
    "utm_source utm_id fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid twclid ttclid li_fat_id igshid mc_cid "
    "mc_eid mkt_tok _hsenc _hsmi oly_anon_id oly_enc_id vero_id wickedid icid ncid s_kwcid ef_id srsltid _openstat"
)


def test_the_rows_are_well_formed() -> None:
    rows = tracking_rows()
    assert len(rows) > 400
    assert len({(row.name, row.host) for row in rows}) == len(rows)
    assert sum(not row.host for row in rows) > 150
    assert sum(bool(row.host) for row in rows) > 150
    for row in rows:
        assert row.source
        assert row.purpose
        assert row.name.isascii()
        assert all(text == text.lower() and text.lstrip("@") for text in row.unless)
    assert re.fullmatch("20[0-9]{2}-[0-9]{2}-[0-9]{2}", tracking_date())


@pytest.mark.parametrize("name", KNOWN.split())
def test_a_name_that_browsers_drop_is_known(name: str) -> None:
    assert tracking_of(name, "a.example")
    assert key(f"http://a.example/x?{name.upper()}=1", options=TRACKING) == "http://a.example/x"


PAIRS = [  # what is kept
    ("https://youtu.be/abc?si=x&t=7", "t=7"),
    ("https://www.youtube.com/watch?v=abc&si=x", "v=abc"),
    ("https://a.example/?si=x&t=7", "si=x&t=7"),
    ("https://a.example/?mkt_tok=1&b=2", "b=2"),
    ("https://a.example/Unsubscribe?mkt_tok=1", "mkt_tok=1"),
    ("https://a.example/?mkt_tok=1&do=unsubscribe", "mkt_tok=1&do=unsubscribe"),
    ("https://a.example/?mkt_tok=1&utm_source=unsubscribe", ""),  # what may track says nothing about the page
    ("https://a.example/map?utm_x=5&utm_y=6&utm_source=z", "utm_x=5&utm_y=6"),
    ("https://www.microsoft.com/?icid=1", "icid=1"),
    ("https://a.example/?icid=1", ""),
    ("https://a.example/?xutm_source=1&utm=2", "xutm_source=1&utm=2"),
    ("https://a.example/?utm_source", ""),
    ("magnet:?xt=1&utm_source=2", "xt=1&utm_source=2"),
]


@pytest.mark.parametrize(("link", "kept"), PAIRS)
def test_what_stays(link: str, kept: str) -> None:
    assert key(link, options=TRACKING).partition("?")[2] == kept


def test_the_tool_writes_the_table(tmp_path: Path) -> None:
    copy = tmp_path / "tools"
    copy.mkdir()
    target = tmp_path / "src" / "urisieve" / "rules" / "registry"
    target.mkdir(parents=True)
    for name in ("generate_tracking.py", "generate_registry.py", "tracking_parameters.tsv"):
        (copy / name).write_bytes((ROOT / "tools" / name).read_bytes())
    subprocess.run([sys.executable, "generate_tracking.py"], cwd=copy, check=True)
    committed = ROOT / "src" / "urisieve" / "rules" / "registry" / "tracking.txt"
    assert (target / "tracking.txt").read_bytes() == committed.read_bytes()
    for row in ("a\t-\t-\tX", "A\t-\t-\tX\ty", "a\tb c\t-\tX\ty", "a\t-\tB\tX\ty", "fbclid\t-\t-\tX\ty"):
        with (copy / "tracking_parameters.tsv").open("a", encoding="utf-8") as file:
            file.write(f"{row}\n")
        done = subprocess.run(
            [sys.executable, "generate_tracking.py"], cwd=copy, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert repr(row) in done.stderr
        source = (copy / "tracking_parameters.tsv").read_text("utf-8").removesuffix(f"{row}\n")
        (copy / "tracking_parameters.tsv").write_text(source, encoding="utf-8")
