"""Identifiers without a scheme, as DOI, ISBN, arXiv: what is found, what is rejected, what is neither."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.marked_rows import Row, holds, sieved
from tests.helpers.two_searches import PIVOTS, Case, difference
from urisieve import (
    Options,
    Record,
    Rejection,
    Scanner,
    UsageError,
    check,
    explain,
    extract,
    extract_blocks,
    extract_each,
    extract_files,
    is_valid,
    key,
    normalize,
    parse,
    sieve,
)
from urisieve.codes import Notice, Warn
from urisieve.find.search import BARE_CONTEXT
from urisieve.judge.bare_names import LIST_LIMIT, NUMBERS
from urisieve.kernel import compiled
from urisieve.options import Bare
from urisieve.rules import forms
from urisieve.runs.file_parts import _CONTEXT

ALL = Options(bare=tuple(Bare))


def bare(marked: str, uris: str | None = None, **others: str) -> Row:
    return Row(marked, uris=uris, options=ALL, **others)


FOUND = [
    bare("see |10.1000/182|, and (|10.1000/182|).", "doi:10.1000/182 doi:10.1000/182"),
    bare("doi |10.1000/182| DOI: |10.1000/ABC|. |doi:10.1000/182|", "doi:10.1000/182 doi:10.1000/abc doi:10.1000/182"),
    bare("<|10.1000/182|> [|10.1000/182|] “|10.1000/182|” doi={|10.1000/182|}", wrappers="<> [] “” {}"),
    bare("¦doi=|10.1000/182|¦ *|10.1000/182|* 论文|10.1000/182|。"),
    bare("|10.1016/0370-2693(85)91028-9|) |10.1000.10/a;b:c/d|;", "doi:10.1016/0370-2693(85)91028-9 "
         "doi:10.1000.10/a;b:c/d"),
    bare("|10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O|.",
         "doi:10.1002/(sici)1097-4571(199806)49:8%3C693::aid-asi4%3E3.0.co;2-o"),
    bare("doi |10/abc| doi:|10/Fz3|, 10/abc 10/12", "https://doi.org/10/abc https://doi.org/10/fz3"),
    bare("|978-0-395-36341-6| |978-0395363416| |9780395363416| |978 0 395 36341 6| |978–0–395–36341–6|",
         " ".join(["urn:isbn:9780395363416"] * 5)),
    bare("|0-395-36341-1|, |0-8044-2957-x|; ISBN |0 395 36341 1|", "urn:isbn:0395363411 urn:isbn:080442957X "
         "urn:isbn:0395363411"),
    bare("ISBN |0395363411| ISBN-10: |0-395-36341-1| ISBN-13 |9780395363416| eISBN |9780395363416|"),
    bare('isbn = {|0-395-36341-1|} "isbn_13": "|9780395363416|" <isbn>|0395363411|</isbn> ?isbn=|0395363411|&a'),
    bare("ISBN (pbk.): |0-395-36341-1| ISBN\n|0-395-36341-1| isbn:|0395363411|"),
    bare("|0317-8471| ISSN |1046-8188|; eISSN: |2434-561x| ISSN-L |03178471| ISSN (Online) |1046-8188|",
         "urn:issn:03178471 urn:issn:10468188 urn:issn:2434561X urn:issn:03178471 urn:issn:10468188"),
    bare("|0317-8471| |1046-8188| |1046-8188|"),
    bare("0317-8472\n|0317-8471|\n12\t|1046-8188|\t12"),
    bare("1,|9780395363416|,|978-0-395-36341-6|,2,|0317-8471|,|1046-8188|,|0-395-36341-1|,3"),
    bare("|0000-0002-1825-0097|,|0000-0002-1694-233x|,5"),
    bare("id:|0000-0002-1825-0097| id=|0000-0002-1694-233x|"),
    bare("ISSN |7000-8000|, ISSN |5601-1989|"),
    bare("|2101-3101| |2116-2115| |2110-1949| |2105-2050| |1507-1499| |2101-1508| |2100-1502|"),
    bare("|2200-3398| |2200-3401| |2101-3500| |0300-0303|"),
    bare("|0000-0002-1825-0097| ORCID iD: |0000-0002-1694-233x| orcid |0000000218250097|",
         "https://orcid.org/0000-0002-1825-0097 https://orcid.org/0000-0002-1694-233X "
         "https://orcid.org/0000-0002-1825-0097"),
    bare("ark |12148/btv1b8449691v|, ARK: |13030/tf5p30086k|. |ark:/12148/btv1b8449691v|",
         "ark:/12148/btv1b8449691v ark:/13030/tf5p30086k ark:/12148/btv1b8449691v"),
    bare("|hdl:2027/mdp.39015|, |20.500.12345/678| handle: |10568/1234| |21.T11148/abc| hdl |2027/x|",
         "hdl:2027/mdp.39015 hdl:20.500.12345/678 hdl:10568/1234 hdl:21.T11148/abc hdl:2027/x"),
    bare("|https://doi.org/10.1000/182| |urn:isbn:0-395-36341-1| |http://e.example/?isbn=0395363411|"),
    bare("\x1b[1m|10.1000/182|\x1b[0m"),
    # K11: a word without a blank
    bare("ISBN|978-4-7741-9690-9| ISSN|0317-8471|, DOI|10.1000/182|. isbn|0395363411| eISBN|9780395363416|",
         "urn:isbn:9784774196909 urn:issn:03178471 doi:10.1000/182 urn:isbn:0395363411 urn:isbn:9780395363416"),
    bare("ORCID|0000-0002-1825-0097| 书号ISBN|9780395363416| (ISSN|03178471|) Doi|10.1000/a|"),
    bare("DOI|10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2|, x",  # K1
         "doi:10.1175/1520-0469(1963)020%3C0130:dnf%3E2.0.co;2"),
    # K11: a resolver without a scheme
    bare("doi.org/|10.1000/182|, dx.doi.org/|10.1000/a|. (WWW.DOI.ORG/|10.1000/b|) <doi.org/|10.1000/c|>",
         "doi:10.1000/182 doi:10.1000/a doi:10.1000/b doi:10.1000/c"),
    bare("hdl.handle.net/|2027/x|, orcid.org/|0000-0002-1825-0097|; www.orcid.org/|0000-0002-1694-233x|",
         "hdl:2027/x https://orcid.org/0000-0002-1825-0097 https://orcid.org/0000-0002-1694-233X"),
    bare("DOI: doi.org/|10.1000/182| 详见doi.org/|10.1000/182|。url=doi.org/|10.1000/182| doi.org/|10/abc|",
         "doi:10.1000/182 doi:10.1000/182 doi:10.1000/182 https://doi.org/10/abc"),
    # K11: lists behind a word
    bare("ISBN |0395363411|, |080442957X|", "urn:isbn:0395363411 urn:isbn:080442957X"),
    # L17: a blank after a hyphen
    bare("ISBN |978-956-303-036- 5|, x 978-956-303-036- 5, ISSN: |0317- 8471| ISBN 978 -956-303-036- 5",
         "urn:isbn:9789563030365 urn:issn:03178471"),
    bare("ISBNs: |0395363411|; |080442957X| and |0-395-36341-1|, |0 395 36341 1|."),
    bare("ISBN |0395363411| (pbk.), |080442957X| (hbk.) / |0395363411| & |9780395363416|"),
    bare("isbn |0395363411| |080442957X|¦|0395363411|,\n|080442957X| oder |0395363411|"),
    bare('"isbn": ["|0395363411|", "|080442957X|"] ISBN|0395363411|, |080442957X|'),
    bare("ISSN |03178471|, |20493630|; ORCID |0000000218250097| and |000000021694233X|"),
    bare("ISBN " + ", ".join(["|0395363411|"] * 30)),
    bare("|10.2014/11|)isbn: |10.2014/a|, DOI |10.2014/11|."),
    # papers: a word, a resolver without a scheme, lists, fields of references
    bare("PMID: |23193287|; PMCID: |PMC3531190|. arXiv:|2401.01234v2| [cs.CL] arXiv:|hep-th/9901001|,",
         "https://pubmed.ncbi.nlm.nih.gov/23193287/ https://pmc.ncbi.nlm.nih.gov/articles/PMC3531190/ "
         "https://arxiv.org/abs/2401.01234v2 https://arxiv.org/abs/hep-th/9901001"),
    bare("PMID- |7|¦PMC - |PMC13900|¦eprint = {|0704.0001|}, PMID|23193287| (|hep-ph/0703310v1|) arXiv|1501.00001|"),
    bare("PMID: |23193287|, |2319328|; |231932| and |23193280| (review), pmid=|1|"),
    bare("arXiv:|2401.01234|, |2402.01234v3|; |astro-ph/0601001| PMCID: |3531190|, |PMC3531191.2|"),
    bare("pubmed.ncbi.nlm.nih.gov/|1|/ www.ncbi.nlm.nih.gov/pmc/articles/|PMC3531190|/ arxiv.org/pdf/|2401.01234|.pdf"),
    bare("\x1b[1m|PMC3531190|\x1b[0m 见|PMC3531190|。arXiv:|math.GT/0309136|",
         "https://pmc.ncbi.nlm.nih.gov/articles/PMC3531190/ https://pmc.ncbi.nlm.nih.gov/articles/PMC3531190/ "
         "https://arxiv.org/abs/math/0309136"),
]  # fmt: skip
REJECTED = [
    bare("ISBN ✗0-395-36341-2✗, ISBN ✗978-0-395-36341-5✗", reasons="wrong-check-digit wrong-check-digit"),
    bare("ISSN ✗0317-8472✗ ISSN: ✗2434-5611✗", reasons="wrong-check-digit wrong-check-digit"),
    bare("ORCID ✗0000-0002-1825-0098✗", reasons="wrong-check-digit"),
    # K11: behind a mark a number of a list counts as one behind the word
    bare(
        "ISBN |0395363411|, ✗1234567890✗, |080442957X| ISBN✗0395363412✗", reasons="wrong-check-digit wrong-check-digit"
    ),
    bare("doi |10.1000/a%zz|", "doi:10.1000/a%25zz"),
]
NEITHER = [
    "0-395-36341-2 978-0-395-36341-5 9780395363417 0000-0002-1825-0098 0317-8472",
    "0395363411 0 395 36341 1 0000000218250097 03178471 12148/btv1b8449691v 2027/mdp.39015",
    "call 0317-8471, Tel. 0317-8471, +49 0317-8471, (030) 0317-8471, 30 0317-8471 22",
    "pp. 1234-1279, 1996-2003, 1914-1918, 2003-1996, 1050-1241",
    "2103-3102, 2109-2109, 2107-1950, 2108-2049, 1503-1500, 2099-1509, 2200-3800, 2200-4599",
    "(7000-8000) 1000-2499 SACK=1500-3000 1500-3000, KS C 5601-1989",
    "2024-01-15 12:34:56 20240115 1.2.3-4 v10.1000/2 1-800-555-0199",
    "192.168.0.0/16 10.0.0.0/8 10.0.19041/x 91.0.4472/a 10.2014/15 10.2014/11.2014 10.2014/11.",
    "(10.2014/11) 10.2014/11-12.2014),",
    "x10.1000/182 /10.1000/182 -10.1000/182 e.example/10.1000/182 3.10.1000/182 _0317-8471 a=0317-8471",
    "0317-8471-2 0317-84712 0317-8471.5 0317-8471/2 0317-8471a 978-0-395-36341-67 9780395363416x 9790395363416",
    "9790060115615 ISBN 979-0-0601-1561-5 ISBN 1234567890123",  # an ISMN, and a number of no kind
    "5105-1051-0510-5100 4111-1111-1111-1111 0000-0000-0000-0001",
    "a0000-0002-1825-0097 /0000-0002-1825-0097 -0000-0002-1825-0097",
    "xhdl:2027/mdp.39015 xhdl 2027/x",
    "handlebars 12/34 bookmark 12148/btv orcids isbns dois",
    # K11: beside words without a blank, resolvers and lists
    "XISBN9784774196909 XISBN0395363411 1ISBN0395363411 XDOI10.1000/182 isbnx0395363411 zissn03178471",
    "doi10/abc ark12148/btv hdl2027/x handle10568/1 isbn10 issn-l orcid0 a1b2c3d4 ISBN03953634115",
    "doi.org/about notdoi.org/10.1000/182 x.doi.org/10.1000/182 doi.org.example/10.1000/182 -doi.org/10.1000/182",
    "e.example/doi.org/10.1000/182 //doi.org/10.1000/182 joe@doi.org/10.1000/182 édoi.org/10.1000/182 doi.org/10.1000",
    "xhdl.handle.net/2027/x orcid.org/about x.orcid.org/0000-0002-1825-0097 a/orcid.org/0000-0002-1825-0097",
    "0395363411, 080442957X; ISBNs, 0395363411x 20240115, 03178471",
    # papers: beside a word, in a path, in a list, without a word
    "23193287 2401.01234 math/0309136 cs/0001002 pubmed 23193287 PMIDs are numbers, 23193287 PMID:",
    "e.example/PMC3531190 /hep-th/9901001 a.example/hep-th/9901001 xhep-th/9901001 mPMC3531190 pmc3531190",
    "xpubmed.ncbi.nlm.nih.gov/23193287 pubmed.ncbi.nlm.nih.gov/a arxiv.org/list/hep-th/9901001 arxiv.org/2401.01234",
    "PMID 12,345,678 PMID: 23 193 287 PMID 1,2",
    "PMIDs 0, 123456789 and 12.5 PMID 1/2 arXivs 2401.01234 spmid 23193287 PMC353119_1 PMC3531190-3",
]


# K11: what stands behind a list, or ends it: pages, a date, a telephone number, a price, another word.
BESIDE_LISTS = [
    bare("ISSN |0317-8471|, 1234-1279; 1050-1241, 20240115 and 1996-2003"),
    bare("ISBN |0395363411|, tel. 080442957X, ISBN |0395363411|. Price 1234567890, 2024-01-15"),
    bare("ISBN |0395363411| 1234567890 |080442957X| 2005 12 10 14, 12.50"),
    bare("ISBN |0395363411|, x 080442957X"),
    bare("DOI |10.1000/a|, 10/abc, 0395363411"),
    bare("PMID: |23193287| 2012 |PMC3531190|, 12, 2012, 20120105, 1234-1240; arXiv:|2401.01234| 2402.01234"),
]


@pytest.mark.parametrize("row", [*FOUND, *REJECTED, *BESIDE_LISTS])
def test_row(row: Row) -> None:
    holds(row)


@pytest.mark.parametrize("text", NEITHER)
def test_what_is_neither(text: str) -> None:
    assert sieved(text, ALL) == []


def test_nothing_is_found_without_the_option() -> None:
    for row in FOUND[:2]:
        assert [record.raw for record in extract(row.marked.replace("|", " "))] in ([], ["doi:10.1000/182"])


@pytest.mark.parametrize("kind", Bare)
def test_only_the_kinds_that_are_named(kind: Bare) -> None:
    text = (
        "10.1000/182; 978-0-395-36341-6; 0317-8471; 0000-0002-1825-0097 ark 12148/btv1b8449691v hdl 20.500.12345/678 "
        "ISBN 0-395-36341-2 ISSN 0317-8472 ORCID 0000-0002-1825-0098 PMID: 23193287 PMC3531190 arXiv:2401.01234"
    )
    schemes = {"doi": "doi", "isbn": "urn", "issn": "urn", "ark": "ark", "handle": "hdl"}
    found = list(sieve(text, options=Options(bare=kind)))
    assert [value.scheme for value in found if isinstance(value, Record)] == [schemes.get(kind, "https")]
    wrong = [value for value in found if isinstance(value, Rejection)]
    assert len(wrong) == (kind in (Bare.ISBN, Bare.ISSN, Bare.ORCID))


def test_excluded_schemes_are_not_found() -> None:
    options = Options(bare=tuple(Bare), exclude_schemes=["doi", "urn", "hdl"])
    assert list(sieve("10.1000/182 ISBN 0-395-36341-1 ISBN 0-395-36341-2 hdl:2027/x", options=options)) == []


def test_nested_identifiers_are_not_found_twice() -> None:
    text = "http://a.example/http://b.example/?isbn=0395363411"
    options = Options(bare=tuple(Bare), nested="report")
    assert [record.raw for record in extract(text, options=options)] == [text, "http://b.example/?isbn=0395363411"]


WHOLE = [
    ("10.1000/182", "doi:10.1000/182"),
    ("DOI: 10.1000/182", "doi:10.1000/182"),
    ("10.1000/a<b>[c]", "doi:10.1000/a%3Cb%3E%5Bc%5D"),
    ("10.1000/182.", "doi:10.1000/182."),
    ("10/abc", "https://doi.org/10/abc"),
    ("doi:10/abc", "https://doi.org/10/abc"),
    ("doi:10.1000/182", "doi:10.1000/182"),
    ("0395363411", "urn:isbn:0395363411"),
    ("0 395 36341 1", "urn:isbn:0395363411"),
    ("0-395-36341- 1", "urn:isbn:0395363411"),
    ("ISBN-13: 978-0-395-36341-6", "urn:isbn:9780395363416"),
    ("isbn:080442957x", "urn:isbn:080442957X"),
    ("03178471", "urn:issn:03178471"),
    ("0000000218250097", "https://orcid.org/0000-0002-1825-0097"),
    ("20.500.12345/678", "hdl:20.500.12345/678"),
    ("ark 12148/btv", "ark:/12148/btv"),
    ("ISBN9780395363416", "urn:isbn:9780395363416"),  # K11
    ("DOI10.1000/182", "doi:10.1000/182"),
    ("doi.org/10.1000/182", "doi:10.1000/182"),
    ("DX.DOI.ORG/10.1000/182", "doi:10.1000/182"),
    ("doi.org/10/abc", "https://doi.org/10/abc"),
    ("hdl.handle.net/2027/x", "hdl:2027/x"),
    ("hdl.handle.net/10.1000/182", "hdl:10.1000/182"),
    ("www.orcid.org/0000-0002-1825-0097", "https://orcid.org/0000-0002-1825-0097"),
    ("ark:/12148/btv", "ark:/12148/btv"),
    ("hdl:12148/btv", "hdl:12148/btv"),
    ("http://e.example", "http://e.example/"),
]


@pytest.mark.parametrize(("text", "uri"), WHOLE)
def test_whole_texts(text: str, uri: str) -> None:
    record = check(text, options=ALL)
    assert isinstance(record, Record)
    assert (record.uri, record.raw, normalize(text, options=ALL)) == (uri, text, uri)
    keyed = uri.replace("ark:/", "ark:")  # H10: the slash does not count
    assert (key(text, options=ALL), parse(text, options=ALL), is_valid(text, options=ALL)) == (keyed, record, True)
    assert (Warn.SCHEME_ASSUMED in record.warnings) == (not text.startswith(("doi:10.", "ark:", "hdl:", "http")))
    explained = explain(text, options=ALL)
    assert explained.record == record
    assert [step.after for step in explained.steps][-1:] in ([], [uri])
    assert check(text, options=Options(bare=())).__class__ is check(text).__class__


@pytest.mark.parametrize(
    ("text", "reason", "offset"),
    [
        ("0-395-36341-2", "wrong-check-digit", 12),
        ("ISBN 0-395-36341-2", "wrong-check-digit", 17),
        ("0395363411 x", "no-scheme", 0),
        (" 0-395-36341-2\u00a0", "wrong-check-digit", 13),  # F6
        ("12148/btv", "no-scheme", 0),  # an ARK or a handle
        ("doi10/abc", "no-scheme", 0),  # K11
        ("doi.org/about", "no-scheme", 0),
        ("0395363411, 080442957X", "no-scheme", 0),
        ("ISBN0395363412", "wrong-check-digit", 13),
        ("039536341", "no-scheme", 0),
        ("10.1000/a b", "no-scheme", 0),
        ("10.1000/a\ue000b", "illegal-character", 9),
        ("doi:10.1000/a\ue000b", "illegal-character", 13),
        ("DOI:   10.1000/a\ue000b", "illegal-character", 16),
        ("10.1000/<\ue000<%zz", "illegal-character", 9),
    ],
)
def test_whole_texts_that_are_none(text: str, reason: str, offset: int) -> None:
    found = check(text, options=ALL)
    assert isinstance(found, Rejection)
    assert (found.reason, found.offset) == (reason, offset)
    assert not is_valid(text, options=ALL)


def test_a_prefix_of_one_kind_alone() -> None:
    assert normalize("12148/btv", options=Options(bare="ark")) == "ark:/12148/btv"
    assert normalize("12148/btv", options=Options(bare="handle")) == "hdl:12148/btv"


def test_the_expected_check_digit() -> None:
    found = [value for value in sieve("ISBN 0-395-36341-2", options=ALL) if isinstance(value, Rejection)]
    assert [value.notices for value in found] == [(Notice(Warn.WRONG_CHECK_DIGIT, "1"),)]
    assert "; expected 1 (ISO 2108" in found[0].explain()
    wrong = check("ORCID 0000-0002-1694-2331", options=ALL)
    assert wrong.notices == (Notice(Warn.WRONG_CHECK_DIGIT, "X"),)
    assert check("http://e.example:a", options=ALL).notices == ()


def test_the_groups_of_an_isbn_are_parts() -> None:
    for text in ("ISBN 978 0 395 36341 6", "978-0-395-36341-6"):
        (record,) = extract(text, options=ALL)
        assert record.parts["registrant"] == "395"
        assert parse(text, options=ALL).parts == record.parts
    assert "registrant" not in parse("9780395363416", options=ALL).parts


MARC = (
    '<?xml version="1.0"?><marc:record xmlns:marc="m"><marc:controlfield tag="001">0395363411'
    '</marc:controlfield><marc:datafield tag="020" ind1=" "><marc:subfield code="a">0395363411</marc:subfield>'
    '</marc:datafield><datafield tag="022"><subfield code="a">20493630</subfield></datafield>'
    '<datafield tag="999"><subfield code="a">20493630</subfield></datafield></marc:record>'
)
# The name of a file, what it holds, and what is found: the identifier and its field. A name that says nothing, and a
# wrong check digit, are beside them.
FIELDS = [
    ("a.json", '{"ISBN":"0395363411","id":"0395363411","a":{"isbn_13":["9780395363416"]},"issnL":"20493630"}',
     [("urn:isbn:0395363411", "ISBN"), ("urn:isbn:9780395363416", "a.isbn_13[0]"), ("urn:issn:20493630", "issnL")]),
    ("a.jsonl", '{"e-ISSN":"20493630","isbn":"0395363412","isbn.x":"20493630"}\n{"b":1}\n',
     [("urn:issn:20493630", "e-ISSN")]),
    ("a.csv", "no,issn,print_isbn\n1,20493630,0395363411\n2,,\n",
     [("urn:issn:20493630", "issn"), ("urn:isbn:0395363411", "print_isbn")]),
    ("a.xml", '<?xml version="1.0"?><r><isbn>0395363411 (pbk.)</isbn><b isbn="0395363411"/><c>0395363411</c></r>',
     [("urn:isbn:0395363411", "isbn"), ("urn:isbn:0395363411", "b@isbn")]),
    ("l.csv", 'no,isbn\n1,"0395363411, 080442957X"\n2,0395363411;080442957X\n3,"0395363411 080442957X"\n',  # K11
     [("urn:isbn:0395363411", "isbn"), ("urn:isbn:080442957X", "isbn")] * 3),
    ("l.json", '[{"isbn":"0395363411, 080442957X","id":"0395363411, 080442957X"},{"issn":["03178471; 20493630"]}]',
     [("urn:isbn:0395363411", "[0].isbn"), ("urn:isbn:080442957X", "[0].isbn"),
      ("urn:issn:03178471", "[1].issn[0]"), ("urn:issn:20493630", "[1].issn[0]")]),
    ("m.xml", MARC, [("urn:isbn:0395363411", "020$a"), ("urn:issn:20493630", "022$a")]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), FIELDS)
def test_the_name_of_a_field_says_what_it_holds(
    tmp_path: Path, name: str, text: str, expected: list[tuple[str, str]]
) -> None:
    (tmp_path / name).write_text(text)
    records = list(extract_files([tmp_path / name], options=Options(bare=["isbn", "issn"])))
    assert [(record.uri, record.field) for record in records] == expected
    for record in records:
        assert text[record.byte_start : record.byte_end] == record.raw
        if name.endswith("xml"):
            assert (record.line, record.column) == (1, (record.byte_start or 0) + 1)
        else:
            assert record.column == 1 or name.startswith("l.")  # behind another one of the list


def test_the_same_in_every_carrier(tmp_path: Path) -> None:
    isbn, doi = "ISBN 978\u20130\u2013395\u201336341\u20136", "10.1000/182"
    texts = {
        "a.txt": f"{isbn} {doi}",
        "a.html": f"<p>ISBN 978&#8211;0&#x2013;395&ndash;36341&ndash;6 <b>{doi}</b>",
        "a.jsonl": json.dumps({"a": isbn, "b": doi}) + "\n",
        "a.csv": f'title,id\n"{isbn}",{doi}\n',
        "a.eml": f"From: a@b.example\nSubject: {doi}\nContent-Type: text/plain; charset=utf-8\n\n{isbn}\n",
        "a.xml": f'<?xml version="1.0"?><r><a>{isbn}</a><b id="{doi}"/></r>',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        found = {record.uri for record in extract_files([tmp_path / name], options=ALL)}
        assert found == {"urn:isbn:9780395363416", "doi:10.1000/182"}, name
    assert [[record.uri for record in found] for found in extract_each([doi, "", doi], options=ALL)] == [
        ["doi:10.1000/182"], [], ["doi:10.1000/182"],
    ]  # fmt: skip


# What is written for a paper, its form, and what is none of that kind.
SAME = [(kind, *pair) for kind, row in NUMBERS.items() for pair in row.same]
DIFFERENT = [(kind, text) for kind, row in NUMBERS.items() for text in row.different]


@pytest.mark.parametrize(("kind", "text", "uri"), SAME)
def test_each_row_has_the_form_of_its_examples(kind: Bare, text: str, uri: str) -> None:
    for options in (Options(bare=kind), ALL):
        found = list(extract(f"see ({text}), and {text}.", options=options))
        assert [record.uri for record in found] == [uri, uri]
        assert all(record.raw in text and Warn.SCHEME_ASSUMED in record.warnings for record in found)
        assert normalize(text, options=options) == uri
    assert key(uri) == uri


@pytest.mark.parametrize(("kind", "text"), DIFFERENT)
def test_a_row_has_what_is_not_of_its_kind(kind: Bare, text: str) -> None:
    assert list(sieve(f"see ({text}), and {text}.", options=Options(bare=kind))) == []
    assert "://" not in normalize(text, options=Options(bare=kind), default="")


def test_versions_of_a_paper_are_several() -> None:
    text = "arXiv:2401.01234 arXiv:2401.01234v1 arXiv:2401.01234v2 PMC2808187 PMC2808187.1"
    for merge in ((), "page", "resolver-links"):
        options = Options(bare=tuple(Bare), merge=merge)
        assert len({record.key for record in extract(text, options=options)}) == 5


PIECES = [
    *("10.1000/", "182", "ISBN", "isbn_13", " ", ": ", "-", "0-395-36341-1", "0395363411", "978", "0317-8471", "ISSN "),
    *("0000-0002-1825-0097", "orcid ", "hdl:", "handle: ", "ark ", "12148/", "20.500.12345/", "x", ".", ",", "\n", "/"),
    *(
        "http://e.example/",
        "doi:",
        "doi ",
        "10/abc",
        "(",
        ")",
        "<",
        ">",
        "(SICI)1",
        "<693::A>3.0.CO;2-O",
        "=",
        "\x1b[1m",
    ),
    *("10.2014/11", "2014", "“", "”", "_", "+49 ", "X"),
    *(
        "DOI",
        "ORCID",
        "doi.org/",
        "dx.doi.org/",
        "hdl.handle.net/",
        "orcid.org/",
        " and ",
        "; ",
        ", ",
        "080442957X",
        "é",
    ),
    *("PMID: ", "pmid", "pubmed.ncbi.nlm.nih.gov/", "23193287", "PMC", "pmcid ", "3531190", ".1"),
    *("arXiv:", "arxiv.org/abs/", "2401.01234", "hep-th/", "math.GT/", "9901001", "v2", "eprint="),
]
PLACES = st.lists(st.integers(0, 300), max_size=6)


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), PLACES, st.booleans())
def test_cuts_change_nothing(text: str, places: list[int], everything: bool) -> None:
    options = Options(bare=tuple(Bare), refang=everything, schemeless=everything, email=everything)

    def fed(pieces: Iterable[str]) -> list[dict[str, object]]:
        scanner = Scanner(options)
        found = [value for piece in pieces for value in scanner.feed(piece)]
        return [value.as_dict() for value in found + scanner.close()]

    whole = fed([text])
    assert fed(text) == whole
    edges = [0, *sorted(places), len(text)]
    assert fed(text[start:end] for start, end in pairwise(edges)) == whole


# A mark of a defanged name whose digits a number may begin with: wherever the text is cut, and a number with it.
REFERENCES = (
    "l&#46;om",
    "see el&#46;om/10.1000/182 ",
    "a.l&#46;com, 10.1000/182",
    "isbn&#46;com",
    "ISBN &#51;0395363411",
)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", [*Bare, None])
@pytest.mark.parametrize("text", REFERENCES)
def test_a_cut_reference_is_a_mark_and_no_number(text: str, kind: Bare | None) -> None:
    options = Options(refang=True, schemeless="names", bare=tuple(Bare) if kind is None else kind)
    whole = [record.as_dict() for record in extract(text, options=options)]
    for pieces in (list(text), *([text[:cut], text[cut:]] for cut in range(len(text)))):
        scanner = Scanner(options)
        found = [one for piece in pieces for one in scanner.feed(piece)]
        assert [one.as_dict() for one in found + scanner.close()] == whole, pieces


@pytest.mark.skipif(not compiled, reason="the kernel is not compiled, or switched off")
def test_both_searches_agree() -> None:
    chance = random.Random(11)
    choices = [ALL, *(options for options in PIVOTS if options.bare)]
    for number in range(300):
        text = "".join(chance.choices(PIECES, k=chance.randint(2, 14)))
        if number % 10 == 0:  # a list that is longer than what is kept before a number
            text = "ISBN " + "0395363411, " * 60 + text
        places = sorted(chance.choices(range(len(text) + 1), k=4))
        pieces = [text[start:end] for start, end in pairwise([0, *places, len(text)])]
        options = choices[number % len(choices)]
        assert difference(Case(pieces, options)) is None, (text, options)


def test_how_long_a_list_may_be() -> None:
    text = "ISBN 0395363411" + ", 080442957X" * 60
    found = sieved(text, ALL)
    assert {value.raw for value in found[1:]} == {"080442957X"}
    assert len(text[: found[-1].start]) <= LIST_LIMIT < len(text[: found[-1].start]) + len(", 080442957X")
    assert 4 * BARE_CONTEXT == _CONTEXT
    assert LIST_LIMIT < BARE_CONTEXT


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_what_has_a_scheme_is_found_as_without_the_option(text: str) -> None:
    added = {(one.start, one.end): one for one in extract(text, options=ALL)}
    for one in extract(text):
        if not any(start < one.end and one.start < end for start, end in added if (start, end) != (one.start, one.end)):
            assert added[one.start, one.end].uri == one.uri


@pytest.mark.parametrize(
    ("text", "uri"),
    [
        (r"978\u20111\u201186197\u2011876\u20119", "urn:isbn:9781861978769"),
        (r"ISSN\u2003 2049\u20103630", "urn:issn:20493630"),
        (r"0000\u002d0002\u002d1825\u002d0097", "https://orcid.org/0000-0002-1825-0097"),
    ],
)
def test_hyphens_and_blanks_may_be_escaped_in_json(text: str, uri: str) -> None:
    for name, row in (("a.jsonl", f'{{"a": "{text}"}}\n'), ("a.json", f'["{text}"]')):
        assert [record.uri for record in extract_blocks(name, row.encode(), options=ALL)] == [uri]


DIGITS = st.text("0123456789", min_size=15, max_size=15)


@given(DIGITS)
def test_check_digits_are_required(digits: str) -> None:
    kinds = (
        ("isbn", digits[:9], forms.isbn_10),
        ("isbn", f"978{digits[:9]}", forms.isbn_13),
        ("issn", digits[:7], forms.issn),
        ("orcid", digits, forms.mod_11_2),
    )
    for kind, body, expected in kinds:
        options = Options(bare=kind)
        right = expected(body)
        assert is_valid(body + right, options=options)
        for last in "0123456789X":
            if last != right and (last != "X" or len(body) != 12):
                found = check(body + last, options=options)
                assert isinstance(found, Rejection)
                assert found.notices == (Notice(Warn.WRONG_CHECK_DIGIT, right),)
        # One wrong digit, or two exchanged, never pass modulus 11.
        other = str((int(body[0]) + 1) % 10) + body[1:]
        assert len(body) == 12 or expected(other) != right


@given(st.text(max_size=30))
def test_a_whole_text_is_judged_without_an_exception(text: str) -> None:
    found = check(text, options=ALL)
    assert isinstance(found, Record) == is_valid(text, options=ALL)


@pytest.mark.parametrize("value", ["isbm", ["doi", "x"], 5])
def test_misuse(value: object) -> None:
    with pytest.raises(UsageError, match="bare"):
        Options(bare=value)  # type: ignore[arg-type]


def test_the_order_of_the_kinds_does_not_matter() -> None:
    assert Options(bare=["isbn", "doi", "isbn"]) == Options(bare=frozenset((Bare.DOI, Bare.ISBN)))
