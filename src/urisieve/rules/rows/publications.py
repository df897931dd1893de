"""Rows of namespaces of books, serials, works and documents.

Also defines:

- namespaces of film, broadcasting and advertising.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from urisieve.codes import Notice
from urisieve.lean import Final, lazy_compile
from urisieve.rules import forms
from urisieve.rules.forms import CASE, LowerBefore, exact, folded, folded_before
from urisieve.rules.scheme_table import Namespace
from urisieve.syntax.components import lower_case

_ISBN: Final = lazy_compile(r"[0-9]{9}[0-9Xx]|[0-9]{13}")
_ISSN: Final = lazy_compile(r"[0-9]{4}-?[0-9]{3}[0-9Xx]")
# The parts into which hyphens divide an ISBN (RFC 3187 5), after the prefix element of an ISBN-13.
_ISBN_PARTS: Final = ("registration_group", "registrant", "publication")
# The prefix whose suffix RFC 7972 2 defines.
_EIDR: Final = "10.5240"
_UCI_PREFIX: Final = r"[A-Za-z0-9]+(?::[A-Za-z0-9]+)?(?:\+[A-Za-z0-9]+)?"
_NBN_PREFIX: Final = "[A-Za-z]{2}(?::[A-Za-z0-9]+)*"


def _isbn(nss: str) -> str:
    if nss[:1] == "-" or nss[-1:] == "-" or "--" in nss:
        return nss
    digits = nss.replace("-", "")
    return digits.upper() if _ISBN.fullmatch(digits) else nss


def isbn_13_form(nss: str) -> str:
    """Return the ISBN-13 for an ISBN; a text that is not an ISBN, or has a wrong check digit, is returned unchanged."""
    digits = _isbn(nss)
    return (_ISBN.fullmatch(digits) and forms.isbn_13_of(digits)) or nss


def _isbn_check(parts: dict[str, str]) -> Iterator[Notice]:
    digits = _isbn(parts["isbn"])
    expected = forms.isbn_10 if len(digits) == 10 else forms.isbn_13
    return forms.wrong(digits[-1], expected(digits[:-1]))


def _isbn_parts(parts: dict[str, str]) -> dict[str, str]:
    text = parts["isbn"].upper()
    digits = text.replace("-", "")
    found = {"isbn": digits, "check_digit": digits[-1]}
    whole = forms.isbn_13_of(digits)
    if whole is not None:
        found["isbn_13"] = whole
        if whole.startswith("978"):
            found["isbn_10"] = f"{whole[3:12]}{forms.isbn_10(whole[3:12])}"
    groups = text.split("-")
    if len(digits) == 13:
        found["prefix_element"] = digits[:3]
        if groups[0] == digits[:3]:
            del groups[0]
    if len(groups) == 4 and len(groups[3]) == 1:
        found.update(zip(_ISBN_PARTS, groups, strict=False))
    return found


def _issn(nss: str) -> str:
    return nss.replace("-", "").upper() if _ISSN.fullmatch(nss) else nss


def _issn_check(parts: dict[str, str]) -> Iterator[Notice]:
    digits = _issn(parts["issn"])
    return forms.wrong(digits[7], forms.issn(digits[:7]))


def _issn_parts(parts: dict[str, str]) -> dict[str, str]:
    digits = _issn(parts["issn"])
    return {"issn": f"{digits[:4]}-{digits[4:]}", "check_digit": digits[7]}


def _isan_check(parts: dict[str, str]) -> Iterator[Notice]:
    digits = f"{parts['root']}{parts['episode']}".replace("-", "").upper()
    yield from forms.wrong(parts["check_character"].upper(), forms.mod_37_36(digits))
    if "version" in parts:
        digits += parts["version"].replace("-", "").upper()
        yield from forms.wrong(parts["version_check_character"].upper(), forms.mod_37_36(digits))


def _eidr_check(parts: dict[str, str]) -> Iterator[Notice]:
    if parts["prefix"] == _EIDR:
        digits = parts["suffix"].replace("-", "").upper()
        yield from forms.wrong(digits[-1], forms.mod_37_36(digits[:-1]))


def _eidr_parts(parts: dict[str, str]) -> dict[str, str]:
    found = {**parts, "doi": f"{parts['prefix']}/{parts['suffix']}"}
    return {**found, "check_character": found["suffix"][-1]} if found["prefix"] == _EIDR else found


# What the characters of a URN of Germany count in its check digit.
_NBN_VALUES: Final = dict(
    zip(
        "0123456789abcdefghijklmnopqrstuvwxyz-:_./+",
        (
            *(
                1,
                2,
                3,
                4,
                5,
                6,
                7,
                8,
                9,
                41,
                18,
                14,
                19,
                15,
                16,
                21,
                22,
                23,
                24,
                25,
                42,
                26,
                27,
                13,
                28,
                29,
                31,
                12,
                32,
            ),
            *(33, 11, 34, 35, 36, 37, 38, 39, 17, 43, 47, 45, 49),
        ),
        strict=True,
    )
)


_NBN_CHECKED: Final = lazy_compile("urn:nbn:de:(?!101:)")


def _nbn_check(parts: dict[str, str]) -> Iterator[Notice]:
    """Compare the last digit of a URN of Germany (German National Library, URN check digit).

    The names that the library itself gives, those of `de:101`, have none since 2018.
    """
    urn = f"urn:nbn:{parts['country_code']}{parts.get('sub_namespace', '')}-{parts['nbn_string']}".lower()
    if not _NBN_CHECKED.match(urn) or not urn[-1].isdecimal() or not set(urn) <= _NBN_VALUES.keys():
        return
    digits = "".join(str(_NBN_VALUES[character]) for character in urn[:-1])
    total = sum(place * int(digit) for place, digit in enumerate(digits, 1))
    yield from forms.wrong(urn[-1], str(total // int(digits[-1]) % 10))


def _nbn_parts(parts: dict[str, str]) -> dict[str, str]:
    return {name: text.lstrip(":") if name == "sub_namespace" else text for name, text in parts.items()}


# RFC 3151 2: the characters that stand for a blank or for two characters, and the triplets that stand for one.
_TRANSCRIBED: Final = {"+": " ", ":": "//", ";": "::"}
_TRANSCRIPTION: Final = lazy_compile("[+:;]|%(?:2[BbFf357]|3[AaBbFf])")


def _public_identifier(parts: dict[str, str]) -> dict[str, str]:
    """Return the public identifier that was transcribed; only the triplets of the transcription are decoded."""
    return {"public_identifier": _TRANSCRIPTION.sub(_transcribed, parts["transcribed_public_identifier"])}


def _transcribed(match: re.Match[str]) -> str:
    return _TRANSCRIBED.get(match[0]) or chr(int(match[0][1:], 16))


def _smpte(nss: str) -> str:
    """Lower the case of universal labels; case counts in other branches unless their document differs (RFC 5119)."""
    return lower_case(nss) if nss[:3].lower() == "ul:" else nss


ROWS: Final = (
    Namespace(
        name="isbn",
        title="books (International Standard Book Number)",
        reference="RFC 3187 3.2, 5",
        equivalence="hyphens do not count, nor does the case of the check digit X",
        syntax="(?P<isbn>[0-9](?:-?[0-9]){8}-?[0-9Xx]|97[89](?:-?[0-9]){10})",
        form=_isbn,
        derive=_isbn_parts,
        check=_isbn_check,
        same=(
            ("urn:isbn:0-395-36341-1", "URN:ISBN:0395363411"),
            ("urn:isbn:080442957x", "urn:isbn:0-8044-2957-X"),
            ("urn:isbn:978-0-395-36341-6", "urn:isbn:9780395363416"),
        ),
        different=(
            ("urn:isbn:0395363411", "urn:isbn:9780395363416"),
            ("urn:isbn:0395363411", "urn:isbn:0395363412"),
        ),
    ),
    Namespace(
        name="issn",
        title="serials (International Standard Serial Number, ISSN-L too)",
        reference="RFC 3044 2.2, 3.1",
        equivalence="the hyphen does not count, nor does the case of the check digit X",
        syntax="(?P<issn>[0-9]{4}-?[0-9]{3}[0-9Xx])",
        form=_issn,
        derive=_issn_parts,
        check=_issn_check,
        same=(("urn:issn:1046-8188", "URN:ISSN:10468188"), ("urn:issn:2434-561x", "urn:issn:2434561X")),
        different=(("urn:issn:1046-8188", "urn:issn:1560-1560"),),
    ),
    Namespace(
        name="isan",
        title="audiovisual works (International Standard Audiovisual Number)",
        reference="RFC 4246 2, 3",
        equivalence=CASE,
        syntax=(
            "(?P<root>(?:[0-9A-Fa-f]{4}-){3})(?P<episode>[0-9A-Fa-f]{4})-(?P<check_character>[0-9A-Za-z])"
            "(?:-(?P<version>[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4})-(?P<version_check_character>[0-9A-Za-z]))?"
        ),
        form=lower_case,
        derive=lambda parts: {**parts, "root": parts["root"][:-1]},
        check=_isan_check,
        **folded("isan", "1881-66C7-3420-6541-Y-9F3A-0245-O"),
    ),
    Namespace(
        name="eidr",
        title="films and television (Entertainment Identifier Registry)",
        reference="RFC 7972 2",
        equivalence=CASE,
        syntax=(
            r"(?!10\.5240:(?!(?:[0-9A-Fa-f]{4}-){5}[0-9A-Za-z]\Z))"
            r"(?P<prefix>[A-Za-z0-9._\-]+):(?P<suffix>[A-Za-z0-9._\-]+)"
        ),
        form=lower_case,
        derive=_eidr_parts,
        check=_eidr_check,
        **folded("eidr", "10.5240:7791-8534-2C23-9030-8610-5"),
    ),
    Namespace(
        name="nbn",
        title="documents of national libraries (National Bibliography Number)",
        reference="RFC 8458 4.2, 4.3",
        equivalence="case does not count up to the first hyphen",
        check=_nbn_check,
        syntax="(?P<country_code>[A-Za-z]{2})(?P<sub_namespace>(?::[A-Za-z0-9]+)*)-(?P<nbn_string>[^/].*)",
        form=LowerBefore("-", _NBN_PREFIX).form,
        derive=_nbn_parts,
        same=(
            ("URN:NBN:FI-fe201003181510", "urn:nbn:fi-fe201003181510"),
            ("urn:nbn:se:UU:diva-3475", "urn:nbn:SE:uu:DIVA-3475"),
        ),
        different=(
            ("urn:nbn:fi-fe201003181510", "urn:nbn:fi-FE201003181510"),
            ("urn:nbn:se:uu-3475", "urn:nbn:se-uu-3475"),
        ),
    ),
    Namespace(
        name="lex",
        title="sources of law",
        reference="RFC 9676 2.1, 3.3, 5",
        equivalence=CASE,
        # work = authority ":" measure ":" details *(":" annex), then ["@" expression] ["$" manifestation].
        syntax=(
            "(?P<jurisdiction_code>[^:;]+)(?:;(?P<jurisdiction_unit>[^:]+))?"
            ":(?P<authority>[^:@$]+):(?P<measure>[^:@$]+):(?P<details>[^:@$]+)(?::(?P<annex>[^@$]+))?"
            r"(?:@(?P<version>[^:@$]+)(?::(?P<language>[^:@$]+))?)?(?:\$(?P<manifestation>[^@$]+))?"
        ),
        form=lower_case,
        same=(("urn:lex:it:stato:legge:2003-09-21;456", "urn:lex:it:Stato:Legge:2003-09-21;456"),),
        different=(("urn:lex:it:stato:legge:2003-09-21;456", "urn:lex:it:stato:legge:2003-09-21;457"),),
    ),
    Namespace(
        name="newsml",
        title="news items (NewsML)",
        reference="RFC 3085",
        equivalence=CASE,
        syntax=(
            "(?P<provider_id>[^:]+):(?P<date_id>[0-9]{8}):(?P<news_item_id>[^:]+)"
            ":(?P<revision_id>[1-9][0-9]*)(?P<update>[AUau]?)"
        ),
        form=lower_case,
        **folded("newsml", "iptc.org:20001006:NewsMLv1.0:1"),
    ),
    Namespace(
        name="iptc",
        title="resources of the International Press Telecommunications Council",
        reference="RFC 3937 2",
        syntax="(?P<branch>std|std-draft|workdoc):(?P<resource>.+)",
        **exact("iptc", "std:NITF:3.2:spec"),
    ),
    Namespace(
        name="publicid",
        title="public identifiers of SGML and XML",
        reference="RFC 3151 2",
        # RFC 3151: "Adjacent '+' characters never occur", because white space was normalized before.
        syntax=r"(?P<transcribed_public_identifier>\+?(?:[^+/'?#]+\+)*[^+/'?#]*)",
        derive=_public_identifier,
        same=(
            (
                "urn:publicid:ISO%2FIEC+10179%3A1996:DTD+DSSSL+Architecture:EN",
                "urn:publicid:ISO%2fIEC+10179%3a1996:DTD+DSSSL+Architecture:EN",
            ),
        ),
        different=(
            ("urn:publicid:-:OASIS:DTD+DocBook+XML+V4.1.2:EN", "urn:publicid:-:OASIS:DTD+docbook+xml+v4.1.2:EN"),
        ),
    ),
    Namespace(
        name="fdc",
        title="resources in federated content collections",
        reference="RFC 4198",
        equivalence="case does not count in the provider",
        syntax=(
            r"(?P<provider_id>(?:[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*\.)+[A-Za-z][A-Za-z0-9]*(?:-+[A-Za-z0-9]+)*)"
            ":(?P<date_id>[0-9]{4}(?:[0-9]{2}){0,2}|[0-9]{1,3}):(?P<resource_id>.+)"
        ),
        form=LowerBefore(":").form,
        same=(("urn:fdc:example.com:2002:A572007", "urn:fdc:EXAMPLE.com:2002:A572007"),),
        different=(("urn:fdc:example.com:2002:A572007", "urn:fdc:example.com:2002:a572007"),),
    ),
    Namespace(
        name="uci",
        title="digital contents (Universal Content Identifier)",
        reference="RFC 4179",
        equivalence="case does not count up to the first hyphen",
        syntax=(
            f"(?P<prefix_code>{_UCI_PREFIX})-(?P<instance_code>[^:/?#]+)"
            "(?::(?P<qualifier_code>[CRFcrf][A-Za-z0-9]+(?:-[CRFcrf][A-Za-z0-9]+){0,2}))?"
        ),
        form=LowerBefore("-", _UCI_PREFIX).form,
        same=(("urn:uci:I700-2987098", "urn:uci:i700-2987098"),),
        different=(("urn:uci:G3000+music-cii90007", "urn:uci:g3000+MUSIC-CII90007"),),
    ),
    Namespace(
        name="s1000d",
        title="technical documentation by ASD Specification 1000D",
        reference="RFC 4688",
        equivalence=CASE,
        syntax=(
            r"(?i:(?P<sub_namespace>DMC|PMC|CSN|ICN|COM|DDN|DML)-(?P<code>[0-9A-Z\-]+)"
            "(?:_I-(?P<issue>[0-9]{3}))?(?:_L-(?P<language>[A-Z]{2}))?)"
        ),
        form=lower_case,
        **folded("s1000d", "DMC-AE-A-07-05-0000-00A-040A-A_I-001_L-EN"),
    ),
    Namespace(
        name="smpte",
        title="universal labels of the Society of Motion Picture and Television Engineers",
        reference="RFC 5119 2",
        equivalence="for `ul`, case does not count",
        syntax=(
            r"(?:(?i:ul):(?P<universal_label>[0-9A-Fa-f]{8}(?:\.[0-9A-Fa-f]{8})*)"
            r"|(?!(?i:ul):)(?P<sub_namespace>[A-Za-z0-9\-]+)(?::(?P<resource>[A-Za-z0-9\-:]+))?)"
        ),
        form=_smpte,
        same=(("urn:smpte:ul:060E2B34.01040101", "urn:smpte:UL:060e2b34.01040101"),),
        different=(("urn:smpte:umid:060A2B34", "urn:smpte:umid:060a2b34"),),
    ),
    Namespace(
        name="mpeg",
        title="standards of the Motion Picture Experts Group",
        reference="RFC 3614",
        equivalence="case does not count in the name of the standard",
        syntax="(?P<standard_name>[^:]+):(?P<assigned_string>.+)",
        form=LowerBefore(":").form,
        **folded_before("mpeg", "mpeg7", ":", "schema:2001"),
    ),
    Namespace(
        name="tva",
        title="resources of the TV-Anytime Forum",
        reference="RFC 4195",
        equivalence="case does not count in the category",
        syntax="(?P<category>[^:]+):(?P<resource>.+)",
        form=LowerBefore(":").form,
        **folded_before("tva", "metadata", ":", "cs:2002"),
    ),
    Namespace(
        name="ebu",
        title="resources of the European Broadcasting Union",
        reference="RFC 5174",
        equivalence="case does not count in the category",
        syntax=r"(?P<category>[A-Za-z0-9][A-Za-z0-9\-]{0,31}):(?P<resource>.+)",
        form=LowerBefore(":").form,
        **folded_before("ebu", "metadata", ":", "cs"),
    ),
    Namespace(
        name="adid",
        title="advertisements (Advertising Digital Identifier)",
        reference="RFC 8107 2",
        equivalence=CASE,
        syntax="(?P<company_prefix>[A-Za-z1-9][A-Za-z0-9]{3})(?P<code>[A-Za-z0-9]{7})(?P<video_format>[HDhd]?)",
        form=lower_case,
        **folded("adid", "ABCD0001000"),
    ),
    *(
        Namespace(
            name=nid, title=title, reference=reference, equivalence=CASE, form=lower_case, **folded(nid, "metadata:CS")
        )
        for nid, title, reference in (
            ("dvb", "resources of the Digital Video Broadcasting project", "RFC 5328"),
            ("hbbtv", "resources of the Hybrid Broadcast Broadband TV association", "RFC 7528"),
            ("oipf", "resources of the Open IPTV Forum", "RFC 6893"),
        )
    ),
)
