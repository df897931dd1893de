"""K1: DOI names that were made of SICIs stay whole wherever a DOI is known; no HTML tag behind a DOI is taken in."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path

import pytest

from tests.helpers.marked_rows import Row, holds, sieved
from tests.helpers.two_searches import PIVOTS, Case, difference
from urisieve import Options, Record, Rejection, Scanner, check, extract_each, extract_files, is_valid, key
from urisieve.kernel import compiled
from urisieve.options import Bare
from urisieve.syntax.iri import encoded_sici, sici_end

DOIS = Options(bare=[Bare.DOI])
# Names by AMS, Wiley (with and without the word, with all check characters), BioOne, the Geological Society, and their
# canonical forms without the scheme.
NAMES = {
    "10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2": "10.1175/1520-0469(1963)020%3C0130:dnf%3E2.0.co;2",
    "10.1175/1520-0469(1963)020<0437:SPOAF>2.0.CO;2": "10.1175/1520-0469(1963)020%3C0437:spoaf%3E2.0.co;2",
    "10.1175/1520-0477(1996)077<0437:TNYRP>2.0.CO;2": "10.1175/1520-0477(1996)077%3C0437:tnyrp%3E2.0.co;2",
    "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O": (
        "10.1002/(sici)1097-4571(199806)49:8%3C693::aid-asi4%3E3.0.co;2-o"
    ),
    "10.1002/(sici)1099-1514(199601/02)17:1<1::aid-oca123>3.0.co;2-#": (
        "10.1002/(sici)1099-1514(199601/02)17:1%3C1::aid-oca123%3E3.0.co;2-%23"
    ),
    "10.1002/1521-396X(199911)176:1<595::AID-PSSA595>3.0.CO;2-I": (
        "10.1002/1521-396x(199911)176:1%3C595::aid-pssa595%3E3.0.co;2-i"
    ),
    "10.1641/0006-3568(2001)051[0933:TEOTWA]2.0.CO;2": "10.1641/0006-3568(2001)051%5B0933:teotwa%5D2.0.co;2",
    "10.1890/0012-9658(2000)081[2536:LCOPB]2.0.CO;2": "10.1890/0012-9658(2000)081%5B2536:lcopb%5D2.0.co;2",
    "10.1130/0016-7606(1997)109<fmi:ABC>2.3.CO;2": "10.1130/0016-7606(1997)109%3Cfmi:abc%3E2.3.co;2",
    "10.1000/0002-8231(199412)45:10<737:TIODIM>2.3.TX;2-M": "10.1000/0002-8231(199412)45:10%3C737:tiodim%3E2.3.tx;2-m",
}
NAME = next(iter(NAMES))
# Text around a name, and its wrapper.
AROUND = [
    *("see doi:% ok", "see doi:%.", "doi:%,", "doi:%; x", "doi:%</p>", "doi:%<br>", "1. doi:%\nnext", "doi:%"),
    *("info:doi/% x", "https://doi.org/% x", "http://dx.doi.org/%.", "HTTPS://DOI.ORG/%, x", "(see https://doi.org/%)"),
    *("see https://journal.example/doi/abs/%?x=1 ok", "https://journal.example/s?id=doi:% x"),
]
WRAPPED = [
    *("<doi:%>", "(doi:%)", "[doi:%]", "{doi:%}", '"doi:%"', "'doi:%'", "“doi:%”", "`doi:%`", "<https://doi.org/%>"),
    *("(https://dx.doi.org/%)", '"info:doi/%"', "<URL:doi:%>"),
]
BARE = ["see % ok", "(%).", "<%>", "{%}", '"%"', "DOI: %, x", "doi={%}", "[%]"]


def _whole(value: Record | Rejection, name: str) -> bool:
    return isinstance(value, Record) and name in value.raw and encoded_sici(name).text.lower() in value.uri.lower()


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", NAMES)
def test_names_stay_whole(name: str) -> None:
    for around in [*AROUND, *WRAPPED]:
        found = sieved(around.replace("%", name))
        assert len(found) == 1, around
        assert _whole(found[0], name), around
        assert found[0].raw.endswith((name, "?x=1")), around
        assert isinstance(found[0], Record)
        assert found[0].warnings[:1] == ("repaired",)
        assert (found[0].wrapper is not None) == (around in WRAPPED), around
    for around in BARE:
        (record,) = sieved(around.replace("%", name), DOIS)
        assert isinstance(record, Record)
        assert (record.raw, record.uri, record.warnings) == (name, f"doi:{NAMES[name]}", ("scheme-assumed",)), around


@pytest.mark.parametrize("name", NAMES)
def test_whole_texts(name: str) -> None:
    found = check(f"doi:{name}")
    assert isinstance(found, Record)
    assert (found.uri, found.raw, found.warnings) == (f"doi:{NAMES[name]}", f"doi:{name}", ("repaired",))
    assert is_valid(f"doi:{name}")
    assert check(found.uri).uri == found.uri  # type: ignore[union-attr] # it is valid
    assert key(name, options=DOIS) == key(f"doi:{name}") == f"doi:{NAMES[name]}"


def test_white_space_in_angle_brackets_does_not_count() -> None:
    for text in (
        "doi:10.1175/1520-0469(1963)020\n<0130:DNF>2.0.CO;2",
        "doi:10.1175/1520-\n0469(1963)020<0130:DNF>2.0.\n CO;2",
    ):
        found = sieved(f"see <{text}>, ok")
        assert [value.raw for value in found] == [text]
        assert isinstance(found[0], Record)
        assert (found[0].uri, found[0].wrapper) == (f"doi:{NAMES[NAME]}", "<>")
    (cut,) = sieved("see <doi:10.1175/1520-0469(1963)020\n<b>2>, ok")
    assert cut.raw == "doi:10.1175/1520-0469(1963)020"


def test_two_papers_are_two_keys() -> None:
    for before in ("doi:", "info:doi/", "https://doi.org/"):
        keys = {record.key for found in extract_each([before + name for name in NAMES]) for record in found}
        assert len(keys) == len(NAMES)


BESIDE = [
    Row("|doi:10.1000/182|<br> |doi:10.1000/182|<sup>1</sup>", "K1: a tag"),
    Row("|doi:10.1175/1520-0469(1963)020|<br>2.0 |doi:10.1175/1520-0469(1963)020|</a>", "K1: a tag behind an item"),
    Row("|doi:10.1175/1520-0469(1963)020|<o:p>2</o:p> |doi:10.1175/1520-0469(1963)020|<b>2.0", "K1: tags"),
    Row("|doi:10.1002/(SICI)1097-4571(199806)49:8|<br/>x |doi:10.1002/(SICI)1|<!-- x", "K1: a tag behind the word"),
    Row("|doi:10.1175/1520-0469(1963)020|[1] |doi:10.1175/1520-0469(1963)020|<1>", "K1: notes"),
    Row("|doi:10.1016/S0022-3697(96)00105-1| (|doi:10.1016/S0022-3697(96)00105-1|)", "K1: brackets alone"),
    Row("|doi:10.1000/182|<0130:DNF>2.0.CO;2 |http://e.example/a(1)|<0130:DNF>2.0.CO;2", "K1: no item"),
    Row("|urn:x-doi:10.1175/1520-0469(1963)020|<0130:DNF>2.0.CO;2", "K1: a URN"),
    Row("|https://e.example/10.1175/1520-0469(1963)020|<a@b.example>", "K1: an address"),
]


@pytest.mark.parametrize("row", BESIDE)
def test_what_is_beside(row: Row) -> None:
    holds(row)


def test_what_is_rejected_has_its_own_place() -> None:
    found = check(f"doi:{NAME}%zz")
    assert isinstance(found, Rejection)
    assert (found.reason, found.offset) == ("bad-percent-encoding", len(f"doi:{NAME}"))
    found = check("doi:10.1000/182<br>")
    assert isinstance(found, Rejection)
    assert (found.reason, found.offset) == ("illegal-character", 15)
    found = check(f"doi:{NAME}<1:a>")
    assert isinstance(found, Rejection)
    assert found.offset == len(f"doi:{NAME}")


def test_the_same_in_every_carrier(tmp_path: Path) -> None:
    escaped = NAME.replace("<", "&lt;").replace(">", "&gt;")
    texts = {
        "a.txt": f"see doi:{NAME}.\n",
        "a.html": f'<p>see doi:{escaped}. <a href="https://doi.org/{NAME}">x</a>',
        "a.jsonl": json.dumps({"a": f"doi:{NAME}", "b": f"see doi:{NAME}."}) + "\n",
        "a.csv": f'title,id\n"see doi:{NAME}",doi:{NAME}\n',
        "a.eml": f"From: a@b.example\nSubject: doi:{NAME}\nContent-Type: text/plain\n\nsee doi:{NAME}.\n",
        "a.xml": f'<?xml version="1.0"?><r><a>doi:{escaped}</a><b>see doi:{escaped}.</b><c d="doi:{escaped}"/></r>',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        records = list(extract_files([tmp_path / name]))
        assert {record.uri.rpartition("doi.org/")[2].rpartition("doi:")[2].lower() for record in records} == {
            NAMES[NAME].lower()
        }, name
        assert len(records) == {"a.txt": 1, "a.eml": 1, "a.xml": 3}.get(name, 2) + (name == "a.eml"), name
    for name, text in (("b.csv", f"id,no\n{NAME},1\n"), ("b.json", json.dumps([NAME, f"see {NAME}."]))):
        (tmp_path / name).write_text(text)
        assert {record.uri for record in extract_files([tmp_path / name], options=DOIS)} == {f"doi:{NAMES[NAME]}"}


PIECES = [
    *("10.1175/", "1520-0469(1963)020", "(SICI)1", "<0130:DNF>", "[0933:TEOTWA]", "<b>", "<1", "2.0.CO;2", "-O", "-#"),
    *(
        "doi:",
        "https://doi.org/",
        "info:doi/",
        "<",
        ">",
        "[",
        "]",
        " ",
        ".",
        "/",
        "(",
        ")",
        '"',
        "\n",
        "x",
        "?",
        "#",
        "@",
    ),
    *("http://u:p", "%3C", "é", "{", "}", "<doi:", "<https://doi.org/", "10.1175/1520-0469(1963)020<0130:DNF>"),
]


@pytest.mark.long
def test_cuts_and_engines_agree() -> None:
    chance = random.Random(11)
    choices = [Options(), DOIS, *PIVOTS]
    for number in range(400):
        text = "".join(chance.choices(PIECES, k=chance.randint(2, 12)))
        options = choices[number % len(choices)]
        places = sorted(chance.choices(range(len(text) + 1), k=4))
        pieces = [text[start:end] for start, end in pairwise([0, *places, len(text)])]
        if compiled:
            assert difference(Case(pieces, options)) is None, (text, options)
        if number % 2:
            values = []
            for cut in ([text], text, pieces):
                scanner = Scanner(options)
                found = [value.as_dict() for piece in cut for value in scanner.feed(piece)]
                values.append(found + [value.as_dict() for value in scanner.close()])
            assert values[0] == values[1] == values[2], (text, options)


def test_a_long_row_of_items_is_not_taken() -> None:
    text = "10.1000/(SICI)1<" * 50
    assert sici_end(text, len(text) - 1) == len(text) - 1
    assert encoded_sici(text).marks == ()
