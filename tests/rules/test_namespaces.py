"""The table of URN namespaces: the pairs of every row, parts by name, notices, and the lookup."""

from __future__ import annotations

import copy
import pickle
import re

import pytest

from tests.helpers.doubling import assert_linear
from tests.helpers.shared_folder import shared_table
from urisieve import Options, Record, check, extract, key, parse
from urisieve.codes import Notice, Warn
from urisieve.rules.scheme_table import Namespace, NamespaceKind
from urisieve.rules.table import namespace_rule, namespaces
from urisieve.types import Urn

ROWS = namespaces()
OF_NAMESPACES = (Warn.NSS_SYNTAX, Warn.WRONG_CHECK_DIGIT)
# Their registration was not seen: no rule of theirs is claimed, and none of low confidence in the shared table.
_NOT_CLAIMED = """
c2pa cdx csa cta ddi doi eic gdst gvat itu knx lei meta mrn nan onem2m onf pno pwid reso stalwart thread uic urn-1 urn-2
urn-3 urn-4 urn-5 urn-6 wmo
"""
NOT_CLAIMED = _NOT_CLAIMED.split()


def test_every_row_is_of_a_registered_namespace() -> None:
    assert [row.name for row in ROWS if not row.registered] == []
    assert [row.name for row in ROWS] == sorted(row.name for row in ROWS)


def test_what_is_not_known_is_not_claimed() -> None:
    bare = [row.name for row in ROWS if not row.reference.startswith("RFC") or row.reference == "RFC 9517"]
    assert sorted(bare) == NOT_CLAIMED
    for nid in NOT_CLAIMED:
        row = namespace_rule(nid)
        assert (row.syntax, row.form, row.check, row.equivalence) == (None, None, None, "")


def test_rows_of_low_confidence_are_those_not_claimed() -> None:
    table = shared_table("data/urn-equivalence.csv")
    if table is None:
        pytest.skip("the shared folder is not there")
    rows = [row for row in table if row["confidence"].startswith("low")]
    assert {row["nid"] for row in rows} == set(NOT_CLAIMED)
    for row in rows:
        base = row["example_a"].lower() == row["example_b"].lower() and row["equivalent"] == "yes"
        assert (key(row["example_a"]) == key(row["example_b"])) is base


@pytest.mark.parametrize(
    ("nid", "kind", "registered"),
    [
        ("isbn", NamespaceKind.FORMAL, True),
        ("doi", NamespaceKind.FORMAL, True),
        ("urn-7", NamespaceKind.INFORMAL, True),
        ("urn-99", NamespaceKind.INFORMAL, False),
        ("urn-099", NamespaceKind.UNKNOWN, False),
        ("x-local", NamespaceKind.EXPERIMENTAL, False),
        ("ean", NamespaceKind.UNKNOWN, False),
        ("ismn", NamespaceKind.UNKNOWN, False),
    ],
)
def test_kinds(nid: str, kind: NamespaceKind, registered: bool) -> None:
    row = namespace_rule(nid)
    assert (row.name, row.kind, row.registered) == (nid, kind, registered)


PARTS = (  # a URN, its parts
    (
        "urn:isbn:0-395-36341-1",
        (
            "isbn=0395363411 check_digit=1 isbn_10=0395363411 isbn_13=9780395363416"
            " registration_group=0 registrant=395 publication=36341"
        ),
    ),
    ("urn:isbn:080442957x", "isbn=080442957X check_digit=X isbn_10=080442957X isbn_13=9780804429573"),
    (
        "urn:isbn:979-10-90636-07-1",
        (
            "isbn=9791090636071 check_digit=1 isbn_13=9791090636071 prefix_element=979"
            " registration_group=10 registrant=90636 publication=07"
        ),
    ),
    ("urn:isbn:9780395363410", "isbn=9780395363410 check_digit=0 prefix_element=978"),
    ("urn:isbn:04", ""),
    ("urn:issn:2434561x", "issn=2434-561X check_digit=X"),
    (
        "urn:isan:1881-66C7-3420-6541-Y-9F3A-0245-O",
        ("root=1881-66c7-3420 episode=6541 check_character=y version=9f3a-0245 version_check_character=o"),
    ),
    (
        "urn:eidr:10.5240:7791-8534-2C23-9030-8610-5",
        ("prefix=10.5240 suffix=7791-8534-2c23-9030-8610-5 doi=10.5240/7791-8534-2c23-9030-8610-5 check_character=5"),
    ),
    ("urn:eidr:10.9999:abc", "prefix=10.9999 suffix=abc doi=10.9999/abc"),
    ("URN:NBN:SE:UU:DIVA-3475", "country_code=se sub_namespace=uu:diva nbn_string=3475"),
    ("urn:nbn:fi-fe2010-03", "country_code=fi nbn_string=fe2010-03"),
    (
        "urn:lex:ch;glarus:regiere:erlass:2007-10-15;963",
        ("jurisdiction_code=ch jurisdiction_unit=glarus authority=regiere measure=erlass details=2007-10-15;963"),
    ),
    (
        "urn:lex:it:stato:legge:2003-09-21;456:allegato.1@2005-01-01:fr$ed:pdf",
        (
            "jurisdiction_code=it authority=stato"
            " measure=legge details=2003-09-21;456 annex=allegato.1 version=2005-01-01 language=fr manifestation=ed:pdf"
        ),
    ),
    (
        "urn:newsml:iptc.org:20001006:A:12U",
        ("provider_id=iptc.org date_id=20001006 news_item_id=a revision_id=12 update=u"),
    ),
    ("urn:ietf:rfc:2141", "series=rfc number=2141"),
    ("URN:IETF:BCP:14", "series=bcp number=14"),
    ("urn:ietf:id:ietf-urn-ietf-06", "series=id name=ietf-urn-ietf-06"),
    ("urn:ietf:mtg:41-urn", "series=mtg name=41-urn"),
    ("urn:ietf:params:xml:ns:xmpp-sasl", "series=params registry=xml value=ns:xmpp-sasl"),
    ("urn:ietf:wg:x", "other=wg:x"),
    ("urn:ietf:rfc:x", ""),
    (
        "urn:iso:std:iso:9999:-1:ed-1:v1-amd1.v1:en,fr:amd:2:v2:en",
        (
            "originator=iso document_number=9999 part_number=1"
            " edition=1 version=1-amd1.v1 language=en,fr supplements=amd:2:v2:en"
        ),
    ),
    (
        "urn:iso:std:iso-iec:tr:10000:stage-30.20:ed-2:clause:3.1:tech:x",
        (
            "originator=iso-iec document_type=tr"
            " document_number=10000 status=stage-30.20 edition=2 elements=clause:3.1 addition=tech:x"
        ),
    ),
    ("urn:fdc:example.com:2002:A572007", "provider_id=example.com date_id=2002 resource_id=A572007"),
    ("urn:uci:G3000+music-cii90007:Cab-R1", "prefix_code=g3000+music instance_code=cii90007 qualifier_code=Cab-R1"),
    ("urn:s1000d:DMC-AE-A-07_I-001_L-EN", "sub_namespace=dmc code=ae-a-07 issue=001 language=en"),
    (
        "urn:uuid:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
        ("uuid=f81d4fae-7dec-11d0-a765-00a0c91e6bf6 variant=rfc9562 version=1"),
    ),
    ("urn:uuid:00000000-0000-0000-0000-000000000000", "uuid=00000000-0000-0000-0000-000000000000"),
    ("urn:uuid:f81d4fae-7dec-11d0-0765-00a0c91e6bf6", "uuid=f81d4fae-7dec-11d0-0765-00a0c91e6bf6 variant=ncs"),
    *(
        (
            f"urn:uuid:f81d4fae-7dec-41d0-{digit}765-00a0c91e6bf6",
            f"uuid=f81d4fae-7dec-41d0-{digit}765-00a0c91e6bf6 {said}",
        )
        for digit, said in (
            *(("7", "variant=ncs"), ("8", "variant=rfc9562 version=4"), ("b", "variant=rfc9562 version=4")),
            *(("d", "variant=microsoft"), ("f", "variant=reserved")),
        )
    ),
    ("urn:uuid:ffffffff-ffff-ffff-ffff-ffffffffffff", "uuid=ffffffff-ffff-ffff-ffff-ffffffffffff"),
    ("urn:uuid:f81d4fae-7dec-11d0-c765-00a0c91e6bf6", "uuid=f81d4fae-7dec-11d0-c765-00a0c91e6bf6 variant=microsoft"),
    ("urn:uuid:f81d4fae-7dec-11d0-e765-00a0c91e6bf6", "uuid=f81d4fae-7dec-11d0-e765-00a0c91e6bf6 variant=reserved"),
    ("urn:oid:1.3.6.1", "oid=1.3.6.1"),
    (
        "urn:gsma:imei:90420156-025763-0;svn=42",
        ("tac=90420156 snr=025763 spare=0 svn=42 imei=904201560257630 check_digit=7"),
    ),
    ("urn:gsma:imei:ABC;vers=1", "ext_imei=abc vers=1"),
    ("urn:gsma:rcs:x;a=b", "specifier=rcs:x parameters=a=b"),
    ("urn:3gpp2:meid:A04B0D56-02A7E3", "manufacturer_code=A04B0D56 serial_number=02A7E3"),
    ("urn:dev:mac:0024beffff804ff1", "subtype=mac hexstring=0024beffff804ff1"),
    ("urn:dev:ow:264437f5000000ed_humidity", "subtype=ow hexstring=264437f5000000ed components=humidity"),
    ("urn:dev:org:32473-foo:a_b", "subtype=org organization=32473 identifier=foo:a components=b"),
    ("urn:dev:os:32473-12-3456", "subtype=os organization=32473 serial=12-3456"),
    ("urn:dev:ops:32473-Refrigerator-5002", "subtype=ops organization=32473 product=Refrigerator serial=5002"),
    ("urn:dev:example:new-1-2-3_comp", "subtype=example identifier=new-1-2-3 components=comp"),
    (
        "urn:epc:id:sgtin:0614141.112345.400",
        ("sub_namespace=id identifier=sgtin:0614141.112345.400 epc_scheme=sgtin value=0614141.112345.400"),
    ),
    ("urn:clei:D4CE18B7AA", "basic_code=d4ce features=18b manufacturer_reference=7 complementary_data=aa"),
    ("urn:adid:ABCD0001000H", "company_prefix=abcd code=0001000 video_format=h"),
    ("urn:service:sos.police", "top_level_service=sos sub_services=police"),
    ("urn:urn-7:3gpp-service.ims.icsi", "top_level_service=3gpp-service sub_services=ims.icsi"),
    ("urn:alert:service:call-waiting@example", "alert_category=service alert_indication=call-waiting@example"),
    ("urn:smpte:UL:060E2B34.01040101", "universal_label=060e2b34.01040101"),
    ("urn:smpte:newnss:future-urn-2105", "sub_namespace=newnss resource=future-urn-2105"),
    ("urn:mpeg:MPEG7:schema:2001", "standard_name=mpeg7 assigned_string=schema:2001"),
    ("urn:ogc:def:crs:EPSG::4326", "resource_class=def resource_string=crs:EPSG::4326"),
    ("urn:oasis:names:tc:opendocument:xmlns", "branch=names document_class=tc document=opendocument:xmlns"),
    ("urn:xmpp:jingle:apps", "short_name=jingle sub_name=apps"),
    ("urn:example:a", ""),
    ("urn:ean:4006381333931", ""),
)


@pytest.mark.parametrize(("urn", "expected"), PARTS, ids=[urn for urn, _ in PARTS])
def test_parts(urn: str, expected: str) -> None:
    found = parse(urn).urn
    assert found is not None
    assert dict(found.parts) == dict(part.split("=", 1) for part in expected.split())
    for name, text in found.parts.items():
        assert re.fullmatch("[a-z][a-z0-9_]*", name)
        assert getattr(found, name) == text
        assert name in dir(found)


@pytest.mark.parametrize(
    ("urn", "public_identifier"),
    [
        ("ISO%2FIEC+10179%3A1996:DTD+DSSSL+Architecture:EN", "ISO/IEC 10179:1996//DTD DSSSL Architecture//EN"),
        ("-:OASIS:DTD+DocBook+XML+V4.1.2:EN", "-//OASIS//DTD DocBook XML V4.1.2//EN"),
        ("%2B:IDN+example.org:DTD+XML+Bookmarks+1.0:EN:XML", "+//IDN example.org//DTD XML Bookmarks 1.0//EN//XML"),
        ("a;b%3bc%27%3F%23%25%2b", "a::b;c'?#%+"),
        ("%252B%41", "%2B%41"),
    ],
)
def test_public_identifiers_are_transcribed_back(urn: str, public_identifier: str) -> None:
    found = parse(f"urn:publicid:{urn}").urn
    assert found is not None
    assert found.public_identifier == public_identifier


NOTICES = (  # a URN, what its namespace says of it
    ("urn:isbn:0395363411", ""),
    ("urn:isbn:0395363412", "wrong-check-digit=1"),
    ("urn:isbn:0-8044-2957-0", "wrong-check-digit=X"),
    ("urn:isbn:978-0-395-36341-1", "wrong-check-digit=6"),
    ("urn:isbn:9791090636071", ""),
    ("urn:isbn:4006381333931", "nss-syntax=RFC 3187 3.2, 5"),
    ("urn:isbn:039536341", "nss-syntax=RFC 3187 3.2, 5"),
    ("urn:isbn:0--395363411", "nss-syntax=RFC 3187 3.2, 5"),
    ("urn:isbn:-0395363411", "nss-syntax=RFC 3187 3.2, 5"),
    ("urn:isbn:0395363411-", "nss-syntax=RFC 3187 3.2, 5"),
    ("urn:issn:1046-8188", ""),
    ("urn:issn:1046-8189", "wrong-check-digit=8"),
    ("urn:issn:24345610", "wrong-check-digit=X"),
    ("urn:isan:0000-0000-D07A-0090-Q", ""),
    ("urn:isan:0000-0000-3A8D-0000-Z-0000-0000-6", ""),
    ("urn:isan:1881-66C7-3420-6541-9-9F3A-0245-O", "wrong-check-digit=Y"),
    ("urn:isan:1881-66C7-3420-6541-9-9F3A-0245-U", "wrong-check-digit=Y wrong-check-digit=O"),
    ("urn:isan:1881-66C7-3420-6541", "nss-syntax=RFC 4246 2, 3"),
    ("urn:eidr:10.5240:7791-8534-2C23-9030-8610-6", "wrong-check-digit=5"),
    ("urn:eidr:10.5240:7791", "nss-syntax=RFC 7972 2"),
    ("urn:gsma:imei:49015420-323751-8", ""),
    ("urn:gsma:imei:49015420-323751-0", ""),
    ("urn:gsma:imei:49015420-323751-7", "wrong-check-digit=8"),
    ("urn:gsma:imei:49015420-323751", "nss-syntax=RFC 7254 3, 4"),
    ("urn:dev:ow:10e2073a01080063", ""),
    ("urn:dev:ow:10e2073a01080064", "wrong-check-digit=63"),
    ("urn:dev:mac:0024beffff80", "nss-syntax=RFC 9039 3.2, 4"),
    ("urn:dev:org:032473-a", "nss-syntax=RFC 9039 3.2, 4"),
    ("urn:dev:ops:32473-a", "nss-syntax=RFC 9039 3.2, 4"),
    ("urn:oid:1.3.6.01", "nss-syntax=RFC 3061 2"),
    ("urn:uuid:f81d4fae7dec11d0a76500a0c91e6bf6", "nss-syntax=RFC 9562 4"),
    ("urn:nbn:fi:fe201003181510", "nss-syntax=RFC 8458 4.2, 4.3"),
    ("urn:nbn:de:gbv:089-3321752945", ""),
    ("urn:nbn:de:gbv:089-3321752946", "wrong-check-digit=5"),
    ("URN:NBN:DE:gbv:7-ISBN-90-6984-508-3-8", ""),
    ("urn:nbn:de:0183-mbi0003721", ""),
    ("urn:nbn:de:0183-mbi0003731", "wrong-check-digit=3"),
    ("urn:nbn:de:bvb:19-a", ""),
    ("urn:nbn:de:101:1-2020112012434733354624", ""),
    ("urn:nbn:fi-fe201003181511", ""),
    ("urn:lex:it:stato", "nss-syntax=RFC 9676 2.1, 3.3, 5"),
    ("urn:iso:std:iso:x", "nss-syntax=RFC 5141 2.4, 2.9"),
    ("urn:ietf:std:x", "nss-syntax=RFC 2648 2, RFC 3553 3"),
    ("urn:publicid:a++b", "nss-syntax=RFC 3151 2"),
    ("urn:ucode:_0123456789abcdef0123456789abcdef", "nss-syntax=RFC 6588"),
    ("urn:service:" + 28 * "a", "nss-syntax=RFC 5031 3"),
    ("urn:service:" + 27 * "a", ""),
    ("urn:fdc:example:2002:a", "nss-syntax=RFC 4198"),
    ("urn:smpte:ul:060E2B", "nss-syntax=RFC 5119 2"),
    ("urn:example:a", ""),
)


@pytest.mark.parametrize(("urn", "expected"), NOTICES, ids=[urn for urn, _ in NOTICES])
def test_notices(urn: str, expected: str) -> None:
    record = parse(urn)
    found = [notice for notice in record.notices if notice.warn in OF_NAMESPACES]
    assert " ".join(f"{warn}={detail}" for warn, detail in found) == expected
    assert list(dict.fromkeys(notice.warn for notice in record.notices)) == list(record.warnings)


@pytest.mark.parametrize("nss", ["0--395363411", "-0395363411", "0395363411-", "039536341-", "-", "0395363411-X"])
def test_hyphens_that_divide_nothing_count(nss: str) -> None:
    assert key(f"urn:isbn:{nss}") == f"urn:isbn:{nss}"


BOTH = (  # a URN, what RFC 2141 says of it (None: invalid), what RFC 8141 says of it
    ("urn:example:a", "", ""),
    ("urn:example:a/b", "reserved-character=/", ""),
    ("urn:example:a#b", "reserved-character=#", ""),
    ("urn:example:a?b", "reserved-character=? invalid-in-8141=?", None),
    ("urn:example:a?+", "reserved-character=? invalid-in-8141=?", None),
    ("urn:example:a?=/b", "reserved-character=? invalid-in-8141=?", None),
    ("urn:example:a?+b?=c#d", "reserved-character=?", ""),
    ("urn:example:a~b", None, "invalid-in-2141=~"),
    ("urn:example:a&b", None, "invalid-in-2141=&"),
    ("urn:example:a?=b&c", None, "invalid-in-2141=&"),
    ("urn:example:a#~", None, "invalid-in-2141=~"),
    ("urn:example:%41", "needless-percent-encoding=%41", ""),
    ("urn:example:%00", "percent-encoded-null=", "percent-encoded-null="),
    ("urn:a:b", "unregistered-nid= nid-forbidden-in-8141=", None),
    ("urn:ab-:b", "unregistered-nid= nid-forbidden-in-8141=", None),
    ("urn:urn-a:b", "unregistered-nid= nid-forbidden-in-8141=", None),
    ("urn:x-ab:b", *["unregistered-nid= experimental-nid= nid-forbidden-in-8141="] * 2),
    ("urn:DE-a:b", *["unregistered-nid= nid-forbidden-in-8141="] * 2),
    ("urn:urn-3:b", "informal-nid=", "informal-nid="),
    ("urn:urn-99:b", *["unregistered-nid= informal-nid="] * 2),
    ("urn:" + 33 * "a" + ":b", None, None),
)


@pytest.mark.parametrize(("urn", "old", "new"), BOTH, ids=[urn for urn, _, _ in BOTH])
def test_what_is_valid_in_one_rfc_only_is_told(urn: str, old: str | None, new: str | None) -> None:
    for syntax, expected in (("rfc2141", old), ("rfc8141", new)):
        found = check(urn, options=Options(urn_syntax=syntax))
        if expected is None:
            assert not isinstance(found, Record)
        else:
            assert isinstance(found, Record)
            assert " ".join(f"{warn}={detail}" for warn, detail in found.notices) == expected


COMPONENTS = (  # what follows the NSS; r-, q- and f-component by RFC 8141
    ("", None, None, None),
    ("?+r", "r", None, None),
    ("?=q", None, "q", None),
    ("#f", None, None, "f"),
    ("#", None, None, ""),
    ("?+r?=q#f", "r", "q", "f"),
    ("?+r?x/?=q?=y", "r?x/", "q?=y", None),
    ("?=q?+r", None, "q?+r", None),
    ("#f?+r?=q", None, None, "f?+r?=q"),
)


@pytest.mark.parametrize(("tail", "r", "q", "f"), COMPONENTS)
@pytest.mark.parametrize("level", ["none", "syntax", "scheme"])
def test_components_of_8141(tail: str, r: str | None, q: str | None, f: str | None, level: str) -> None:
    record = parse(f"urn:isbn:0395363411{tail}", options=Options(urn_syntax="rfc8141", level=level))
    found = record.urn
    assert found is not None
    assert (found.r_component, found.q_component, found.f_component) == (r, q, f)
    assert (found.nid, found.nss, found.assigned_name) == ("isbn", "0395363411", "urn:isbn:0395363411")
    assert found.isbn_13 == "9780395363416"
    assert record.key == (record.raw if level == "none" else found.assigned_name)


def test_what_is_no_urn_has_none() -> None:
    record = parse("http://u@a.example/")
    assert record.urn is None
    assert record.notices == (Notice(Warn.USERINFO_PRESENT),)
    assert parse("http://a.example/").notices == ()


def test_a_part_that_is_not_there_is_an_error_that_names_those_that_are() -> None:
    found = parse("urn:ietf:rfc:2141").urn
    assert found is not None
    with pytest.raises(AttributeError, match="urn:ietf has no part 'isbn' here; the named parts are: series, number"):
        _ = found.isbn
    assert not hasattr(found, "_unknown")
    bare = parse("urn:example:a").urn
    with pytest.raises(AttributeError, match="the named parts are: none"):
        _ = bare.isbn  # type: ignore[union-attr] # it is a URN


def test_a_urn_is_a_value() -> None:
    found = parse("urn:isbn:0-395-36341-1").urn
    assert found is not None
    assert found.registrant == "395"
    for other in (copy.copy(found), pickle.loads(pickle.dumps(found)), parse("urn:isbn:0-395-36341-1").urn):
        assert isinstance(other, Urn)
        assert (other, hash(other)) == (found, hash(found))
        assert dict(other.parts) == dict(found.parts)
    assert found != parse("urn:isbn:0395363411").urn
    assert found != "urn:isbn:0395363411"
    assert repr(found) == "<Urn 'urn:isbn:0395363411'>"
    with pytest.raises(AttributeError, match="'Urn' object has no attribute '_x'"):
        found._x  # noqa: B018


def test_the_details_of_a_repaired_urn_are_those_of_its_canonical_form() -> None:
    found = parse("urn:example:a/b{c", options=Options(repair="encode"))
    assert [(notice.warn, notice.detail) for notice in found.notices] == [("repaired", ""), ("reserved-character", "/")]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("see <urn:isbn:978-0-395-\n 36341-6>.", Options()),
        ("URN:ISBN:978-0-395-36341-6", Options(level="syntax")),
        ("URN:ISBN:978-0-395-36341-6", Options(level="none")),
        ("urn:isbn:978-0-395-36341-6", Options(merge=["isbn-13"])),
    ],
)
def test_hyphens_as_they_stood_are_remembered(text: str, options: Options) -> None:
    (record,) = extract(text, options=options)
    assert record.urn is not None
    assert (record.urn.registrant, record.urn.isbn_13) == ("395", "9780395363416")


def test_what_was_mended_is_read_in_canonical_form() -> None:
    record = parse("urn:isbn:0-395-36341-1\\", options=Options(repair="encode"))
    assert (record.raw, record.warnings) == ("urn:isbn:0-395-36341-1\\", (Warn.REPAIRED, Warn.NSS_SYNTAX))
    assert record.urn is not None
    assert (record.urn.nss, dict(record.urn.parts)) == ("0-395-36341-1%5C", {})
    assert record.notices == (Notice(Warn.REPAIRED), Notice(Warn.NSS_SYNTAX, "RFC 3187 3.2, 5"))


MERGED = (  # level, text, key with the step isbn-13
    ("scheme", "URN:ISBN:0-395-36341-1", "urn:isbn:9780395363416"),
    ("scheme", "urn:isbn:978-0-395-36341-6", "urn:isbn:9780395363416"),
    ("scheme", "urn:isbn:080442957x", "urn:isbn:9780804429573"),
    ("scheme", "urn:isbn:0-395-36341-2", "urn:isbn:0395363412"),
    ("scheme", "urn:isbn:979-10-90636-07-1", "urn:isbn:9791090636071"),
    ("syntax", "URN:ISBN:0-395-36341-1", "urn:isbn:9780395363416"),
    ("syntax", "URN:ISBN:0-395-36341-2", "urn:isbn:0-395-36341-2"),
    ("none", "URN:ISBN:0-395-36341-1", "URN:ISBN:9780395363416"),
    ("none", "URN:ISBN:x", "URN:ISBN:x"),
    ("scheme", "urn:issn:1046-8188", "urn:issn:10468188"),
    ("scheme", "http://a.example", "http://a.example/"),
)


@pytest.mark.parametrize(("level", "text", "expected"), MERGED)
def test_isbn_13_as_a_step_of_merging(level: str, text: str, expected: str) -> None:
    options = Options(level=level, merge=["isbn-13"])
    assert key(text, options=options) == expected
    assert key(expected, options=options) == expected


def test_isbn_of_ten_and_thirteen_digits_are_two_without_it() -> None:
    assert key("urn:isbn:0395363411") != key("urn:isbn:9780395363416")


# Texts that a syntax has to give up late, of any length.
HOSTILE = (
    "std:iso:1" + ":amd:1",
    "imei:" + "1;svn=",
    "a-",
    "a.",
    "a:",
    "a@",
    "a+",
    "1-",
    "0",
    "-",
    "%41",
    "it:a:b:c@",
    "10.5240:" + "aaaa-",
    "dmc-" + "-_i-",
)


@pytest.mark.parametrize("row", [row for row in ROWS if row.syntax is not None], ids=lambda row: row.name)
def test_rules_take_linear_time(row: Namespace) -> None:
    def run(nss: str) -> object:
        return row.canonical(nss), row.notices(nss), row.parts(nss)

    for unit in HOSTILE:
        assert_linear(run, lambda size, unit=unit: (unit * size)[:size] + "\x01", 30_000)  # type: ignore[misc]
