"""Numbers of libraries that the name of their field, or what is beside them, names: each row in each carrier."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from urisieve import Options, Rejection, sieve_files
from urisieve.judge.number_names import QUALIFIERS, VALUES, NumberName
from urisieve.options import Bare
from urisieve.sources.blocks import value_of

OPTIONS = Options(bare=tuple(Bare))
# What the numbers of the examples become, by the label.
NUMBERS = {
    "isbn": ("0395363411", "urn:isbn:0395363411"),
    "issn": ("03178471", "urn:issn:03178471"),
    "orcid": ("0000000218250097", "https://orcid.org/0000-0002-1825-0097"),
    "handle": ("4263537/4000", "hdl:4263537/4000"),
    "ark": ("12148/btv1b8449691v", "ark:/12148/btv1b8449691v"),
    "pmid": ("23193287", "https://pubmed.ncbi.nlm.nih.gov/23193287/"),
    "pmcid": ("3531190", "https://pmc.ncbi.nlm.nih.gov/articles/PMC3531190/"),
    "arxiv": ("2401.01234", "https://arxiv.org/abs/2401.01234"),
}
PMID, PMCID, ARXIV = (NUMBERS[kind][1] for kind in ("pmid", "pmcid", "arxiv"))


def found_in(path: Path, data: str | bytes, jobs: int = 1) -> list[str]:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    found = list(sieve_files([path], options=OPTIONS, jobs=jobs))
    return [f"{one.reason} {one.raw}" if isinstance(one, Rejection) else one.uri for one in found]


def marc(*fields: tuple[str, str]) -> bytes:
    """A record of MARC 21 of fields, in which `$` begins a subfield."""
    values = [f"{value}\x1e".replace("$", "\x1f").encode() for _, value in fields]
    entries, at = "", 0
    for (tag, _), value in zip(fields, values, strict=True):
        entries += f"{tag}{len(value):04}{at:05}"
        at += len(value)
    begin = 24 + len(entries) + 1
    size = begin + at + 1
    return f"{size:05}nam a22{begin:05} a 4500{entries}\x1e".encode() + b"".join(values) + b"\x1d"


@pytest.mark.parametrize("row", [*QUALIFIERS, *VALUES], ids=lambda row: row.name)
def test_each_row_names_the_number_of_its_example(row: NumberName, tmp_path: Path) -> None:
    ((_, (number, uri)),) = [item for item in NUMBERS.items() if item[1][0] in row.example]
    wrong = row.example.replace(number, f"{number[:-2]}{'1' if number[-2] != '1' else '2'}{number[-1]}")
    for example, expected in ((row.example, uri), (wrong, None)):
        for name, data in _carriers(example):
            found = found_in(tmp_path / name, data)
            if expected is None and uri.startswith(("urn:", "https://orcid.org/")):
                assert found == [f"wrong-check-digit {wrong_number}" for wrong_number in _numbers(data)], (name, data)
            elif expected is not None:
                assert found == [expected] * len(found), (name, data)
                assert found, (name, data)


def _carriers(example: str) -> list[tuple[str, str | bytes]]:
    """The example as a file of its carrier, of those of JSON also in lists, and in lines."""
    if example[0] == "<":
        other = example.replace('"', "'").replace("><", "> <")
        return [("a.xml", f'<?xml version="1.0"?>\n<r><x>{example}</x>{other}</r>')]
    if example[0] == "{":
        reversed_members = json.dumps(dict(reversed(json.loads(example).items())))
        return [
            ("a.json", f'{{"items": [{example}, {reversed_members}]}}'),
            ("a.jsonl", f"{example}\n{reversed_members}\n"),
        ]
    tag, _, value = example.partition(" ")
    codes = [(code[0], code[2:].strip()) for code in value.split("$")[1:]]
    subfields = "".join(f'<subfield code="{code}">{text}</subfield>' for code, text in codes)
    return [
        ("a.mrc", marc((tag, value.replace(" $", "$").replace("$a ", "$a").replace("$2 ", "$2")))),
        ("a.xml", f'<?xml version="1.0"?>\n<r><datafield tag="{tag}">\n{subfields}</datafield></r>'),
    ]


def _numbers(data: str | bytes) -> list[str]:
    text = data if isinstance(data, str) else data.decode()
    digits = "".join(one if one.isdigit() else " " for one in text.partition("?>")[2] or text).split()
    return [one for one in digits if len(one) >= 8]


SHAPES = [
    # name, text, what is found
    ("a.json", '{"isbn": 9780395363416}', ["urn:isbn:9780395363416"]),
    ("a.jsonl", '{"x": {"isbn": [9780395363416]}}\n{"ISSN": 20493630, "n": 1}\n',
     ["urn:isbn:9780395363416", "urn:issn:20493630"]),
    ("a.json", '{"isbn": 9780395363417}', ["wrong-check-digit 9780395363417"]),
    ("a.json", '{"isbn": 9780395363416.5, "issn": 20493630e1}', []),
    ("a.json", '{"type": "ISBN_10", "phone": "0395363411"}', []),
    ("a.json", '{"type": "How to get an ISBN in ten days", "value": "0395363411"}', []),
    ("a.json", '{"type": "isbn", "x": {"value": "0395363411"}}', []),
    ("a.json", '{"": "isbn", "x": "0395363411"}', []),
    ("a.jsonl", '{"": "isbn", "value": "0395363411"}', []),
    ("a.csv", ",isbn\n1,0395363411\n2,080442957X\n", ["urn:isbn:0395363411", "urn:isbn:080442957X"]),
    ("a.json", '{"type": "isbn", "value": ["0395363411"]}', ["urn:isbn:0395363411"]),
    ("a.json", '{"issn-type": [{"value": "03178471", "type": "electronic"}]}', ["urn:issn:03178471"]),
    ("a.json", '{"identifier": {"@type": "isbn", "#text": "0395363411"}}', ["urn:isbn:0395363411"]),
    ("a.json", r'{"identifier": {"\u0040type": "isbn", "#text": "0395363411"}}', ["urn:isbn:0395363411"]),
    ("a.json", r'{"a": "\": 23193287", "pmid\"": "\"", "": 23193287, "pmid": 23193287}', [PMID]),
    ("a.json", r'{"pmid": {"a": 23193287, "b": [{"pmid": [23193287]}]}, "b": ["pmid", 23193287]}', [PMID]),
    ("a.csv", "type,value,n\nisbn,0395363411,1\nphone,0395363411,2\n", ["urn:isbn:0395363411"]),
    ("a.xml", '<?xml version="1.0"?><r type="isbn"><b>0395363411</b></r>', []),
    ("a.xml", '<?xml version="1.0"?><r type="isbn" phone="0395363411"/>', []),
    ("a.xml", '<?xml version="1.0"?><r type="isbn" value="0395363411"/>', ["urn:isbn:0395363411"]),
    ("a.xml", '<?xml version="1.0"?><r opf:scheme="ISBN" xmlns:opf="http://www.idpf.org/2007/opf">0395363411</r>',
     ["urn:isbn:0395363411"]),
    ("a.csv", "t,isbn\nx,978-956-303-036- 5\ny,978-956-303-036- 6\n",
     ["urn:isbn:9789563030365", "wrong-check-digit 978-956-303-036- 6"]),
    # An element beside that of the text names it, in the same element alone, before or after it.
    ("a.xml", '<?xml version="1.0"?><r><value>0395363411</value><x/><type >\nISBN</type></r>', ["urn:isbn:0395363411"]),
    ("a.xml", '<?xml version="1.0"?><r><a><type>isbn</type></a><value>0395363411</value></r>', []),
    ("a.xml", '<?xml version="1.0"?><r><type>isbn</type><a><value>0395363411</value></a></r>', []),
    ("a.xml", '<?xml version="1.0"?><r><type>isbn</type><phone>0395363411</phone></r>', []),
    ("a.xml", '<?xml version="1.0"?><r><type>isbn</type><a value="0395363411"/></r>', []),
    ("a.xml", '<?xml version="1.0"?><x><ProductIDType>01</ProductIDType><IDValue>0395363411</IDValue></x>', []),
    ("a.xml", '<?xml version="1.0"?><x><NameIDType>02</NameIDType><IDValue>0395363411</IDValue></x>', []),
    ("a.xml", f'<?xml version="1.0"?><r type="isbn">{"<!-- -->" * 20_000}0395363411</r>', ["urn:isbn:0395363411"]),
    ("a.ris", "TY  - BOOK\nSN  - 0395363411\nER  - \n", ["urn:isbn:0395363411"]),
    ("a.ris", "TY  - JOUR\r\nSN  - 0317-8471\r\nER  - \r\n", ["urn:issn:03178471"]),
    ("a.ris", "TY  - BOOK\nSN  - 0395363412\nER  - \n", ["wrong-check-digit 0395363412"]),
    ("a.txt", "our SN  - 0395363411\n", []),
    ("a.enw", "%0 Book\n%@ 0395363411\n", ["urn:isbn:0395363411"]),
    # papers: PubMed, JATS, PubMed's service, columns, BibTeX
    ("a.xml", '<?xml version="1.0"?><a><PMID Version="1">23193287</PMID><b IdType="pmc">PMC3531190</b></a>',
     [PMID, PMCID]),
    ("a.xml", '<?xml version="1.0"?><a><b IdType="pubmed">23193287</b><b IdType="pii">23193287</b></a>', [PMID]),
    ("a.xml", '<?xml version="1.0"?><a><b pub-id-type="pmid">23193287</b><b pub-id-type="pmc">3531190</b></a>',
     [PMID, PMCID]),
    ("a.xml", '<?xml version="1.0"?><b pub-id-type="arxiv">2401.01234</b>', [ARXIV]),
    ("a.json", '{"idtype": "pubmed", "idtypen": 1, "value": "23193287"}', [PMID]),
    ("a.json", '{"pmid": 23193287, "pages": 23193287, "pubmed_id": 319328, "n": "23193287"}',
     [PMID, "https://pubmed.ncbi.nlm.nih.gov/319328/"]),
    ("a.csv", "pmid,pmc,arxiv_id,n\n23193287,3531190,2401.01234,23193287\n", [PMID, PMCID, ARXIV]),
    # The name of a number without a check digit ends that of its field; its groups are not numbers of their own.
    ("a.csv", "PubMed Central ID,pubmed_central,citation_pmid,n\n3531190,3531190,23193287,1\n", [PMCID, PMCID, PMID]),
    ("a.csv", "pubmed_count,PubMed date,pmc_count,arxiv date,pmid_version\n1234567,20240101,12345,2401.01234,2\n", []),
    ("a.csv", 'pmid,n\n"23,193,287",1\n23 193 287,1\n', []),
    ("a.jsonl", '{"type":"PubMed Central","value":"3531190"}\n{"PubMedCentral":"3531190"}\n', [PMCID, PMCID]),
    ("a.nbib", "PMID- 23193287\nPMC - PMC3531190\nPG  - 12345678\n", [PMID, PMCID]),
    ("a.bib", "@article{x,\n eprint = {2401.01234},\n archivePrefix = {arXiv},\n pages = {2401.01235}\n}\n", [ARXIV]),
    ("a.bib", "@book{x,\n isbn = {0395363411},\n}\n", ["urn:isbn:0395363411"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), SHAPES)
def test_what_names_a_number_and_what_does_not(name: str, text: str, expected: list[str], tmp_path: Path) -> None:
    assert found_in(tmp_path / name, text) == expected


def test_no_segment_is_made_to_learn_that_a_field_names_no_number(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A link has digits, too; its field is asked with those of all others of its block."""
    asked: list[int] = []

    def counted(within: Any, legacy: bool, whole: str, begins: Any, about: Any, index: int) -> Any:
        asked.append(index)
        return value_of(within, legacy, whole, begins, about, index)

    monkeypatch.setattr("urisieve.sources.segments.value_of", counted)
    lines = [{"url": f"http://a.example/{10_000_000 + number}", "pmid": str(23193287 + number)} for number in range(40)]
    data = "".join(f"{json.dumps(line)}\n" for line in lines)
    assert len(found_in(tmp_path / "a.jsonl", data)) == 80
    assert asked
    assert all(index % 2 for index in asked)


def test_a_number_of_json_knows_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"ä":\n {"isbn": [ 9780395363416 ]}}')
    (found,) = sieve_files([tmp_path / "a.json"], options=OPTIONS)
    assert (found.field, found.row, found.byte_start, found.byte_end) == ("ä.isbn[0]", 2, 19, 32)


def test_without_bare_numbers_nothing_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"isbn": 9780395363416, "type": "isbn", "value": "0395363411"}')
    assert list(sieve_files([tmp_path / "a.json"])) == []


@pytest.mark.long
def test_an_element_beside_a_number_names_it_wherever_a_part_of_the_file_ends(tmp_path: Path) -> None:
    field = "<x><value>4263537/4000</value><type>hdl</type></x>"
    (tmp_path / "a.xml").write_text(f"<r>{field * 20_000}</r>")
    found = list(sieve_files([tmp_path / "a.xml"], options=OPTIONS))
    assert len(found) == 20_000


SHEET = (
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>Print ISSN (all)</t></is></c>'
    '<c r="C1" t="s"><v>2</v></c></row>'
    '<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2"><v>20493630</v></c><c r="C2" t="s"><v>1</v></c></row>'
    '<row r="3"><c r="A3"><v>9780395363416</v></c><c r="B3"><v>20493631</v></c><c r="C3"><v>20493630</v></c></row>'
)
STRINGS = "<sst><si><t>ISBN</t></si><si><t>0395363411</t></si><si><t>phone</t></si></sst>"
OF_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def workbook(path: Path, sheet: str, strings: str) -> None:
    def links(*pairs: tuple[str, str]) -> str:
        inner = "".join(f'<Relationship Id="r{kind}" Type="{OF_OFFICE}/{kind}" Target="{to}"/>' for kind, to in pairs)
        return f"<Relationships>{inner}</Relationships>"

    with zipfile.ZipFile(path, "w") as package:
        package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr("_rels/.rels", links(("officeDocument", "xl/workbook.xml")))
        package.writestr("xl/workbook.xml", f'<workbook xmlns:r="{OF_OFFICE}"><sheet r:id="rworksheet"/></workbook>')
        package.writestr(
            "xl/_rels/workbook.xml.rels", links(("worksheet", "s.xml"), ("sharedStrings", "sharedStrings.xml"))
        )
        package.writestr("xl/s.xml", f"<worksheet><sheetData>{sheet}</sheetData></worksheet>")
        package.writestr("xl/sharedStrings.xml", strings)


def test_the_first_text_of_a_column_of_a_sheet_names_its_numbers(tmp_path: Path) -> None:
    workbook(tmp_path / "a.xlsx", SHEET, STRINGS)
    found = list(sieve_files([tmp_path / "a.xlsx"], options=OPTIONS))
    assert [(one.reason if isinstance(one, Rejection) else one.uri, one.field) for one in found] == [
        ("urn:isbn:0395363411", "sheet 1!A2"),
        ("urn:issn:20493630", "sheet 1!B2"),
        ("urn:isbn:9780395363416", "sheet 1!A3"),
        ("wrong-check-digit", "sheet 1!B3"),
    ]
    assert list(sieve_files([tmp_path / "a.xlsx"])) == []


def test_the_first_text_of_a_column_of_an_open_document_names_its_numbers(tmp_path: Path) -> None:
    rows = [("ISBN", "phone"), ("0395363411", "0395363411")]
    cells = ["".join(f"<table-cell><p>{text}</p></table-cell>" for text in row) for row in rows]
    sheet = "".join(f"<table-row>{row}</table-row>" for row in cells)
    with zipfile.ZipFile(tmp_path / "a.ods", "w") as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        package.writestr("content.xml", f"<document><table>{sheet}</table></document>")
    assert found_in(tmp_path / "a.ods", (tmp_path / "a.ods").read_bytes()) == ["urn:isbn:0395363411"]
