"""The rows of URN namespaces: those of `rules/registry/namespace_rows.txt`, and the functions that these name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from urisieve.codes import Notice
from urisieve.lean import Any, Final, lazy_compile
from urisieve.rules import forms
from urisieve.rules.forms import LowerBefore, Pairs, exact, folded, folded_before
from urisieve.rules.registry import blocks_of
from urisieve.rules.scheme_table import Namespace
from urisieve.syntax.components import lower_case

_ISBN: Final = lazy_compile(r"[0-9]{9}[0-9Xx]|[0-9]{13}")
_ISSN: Final = lazy_compile(r"[0-9]{4}-?[0-9]{3}[0-9Xx]")
# The parts into which hyphens divide an ISBN (RFC 3187 5), after the prefix element of an ISBN-13.
_ISBN_PARTS: Final = ("registration_group", "registrant", "publication")
# The prefix whose suffix RFC 7972 2 defines.
_EIDR: Final = "10.5240"


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


def _isan_parts(parts: dict[str, str]) -> dict[str, str]:
    return {**parts, "root": parts["root"][:-1]}


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
        (*range(1, 10), 41, 18, 14, 19, 15, 16, *range(21, 26), 42, 26, 27, 13, 28, 29, 31, 12, 32, 33, 11, 34, 35, 36,
         37, 38, 39, 17, 43, 47, 45, 49),
        strict=True,
    )
)  # fmt: skip
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


_PARAMS_START: Final = lazy_compile(r"params(?::|\Z)", re.IGNORECASE)


def _ietf(nss: str) -> str:
    """Lower the case of documents (RFC 2648); case counts in parameters and their prefix (RFC 3553)."""
    return nss if _PARAMS_START.match(nss) else lower_case(nss)


def _ietf_parts(parts: dict[str, str]) -> dict[str, str]:
    found = dict(parts)
    if "kind" in found:
        found = {"series": found["kind"], "name": found["document"]}
    if "registry" in found:
        found = {"series": "params", **found}
    return {**found, "series": found["series"].lower()} if "series" in found else found


def _iso_parts(parts: dict[str, str]) -> dict[str, str]:
    return {name: text.removeprefix(":") for name, text in parts.items()}


_UUID: Final = lazy_compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


def _uuid(nss: str) -> str:
    return nss.lower() if _UUID.fullmatch(nss) else nss


def _uuid_parts(parts: dict[str, str]) -> dict[str, str]:
    """Return the variant, in the highest bits of octet 8, and the version if it has one (RFC 9562 4.1, 4.2)."""
    text = parts["uuid"].lower()
    variant = int(text[19], 16)
    if text.strip("0-") == "" or text.strip("f-") == "":  # 5.9 Nil, 5.10 Max
        return {"uuid": text}
    if variant >> 2 == 0b10:
        return {"uuid": text, "variant": "rfc9562", "version": str(int(text[14], 16))}
    return {"uuid": text, "variant": "ncs" if variant < 0b1000 else "microsoft" if variant < 0b1110 else "reserved"}


def _gsma(nss: str) -> str:
    """Lower the case of IMEI URNs, and remove `vers=0`, which is the default."""
    if nss[:5].lower() != "imei:":
        return nss
    head, *parameters = lower_case(nss).split(";")
    return ";".join([head, *(parameter for parameter in parameters if parameter != "vers=0")])


def _imei_check(parts: dict[str, str]) -> Iterator[Notice]:
    """Check the last digit of an IMEI: it is 0 in a URN (RFC 7254 4.2.3), but many write the check digit there."""
    spare = parts.get("spare", "0")
    if spare != "0":
        yield from forms.wrong(spare, forms.luhn(f"{parts['tac']}{parts['snr']}"))


def _imei_parts(parts: dict[str, str]) -> dict[str, str]:
    if "tac" not in parts:
        return parts
    digits = f"{parts['tac']}{parts['snr']}"
    return {**parts, "imei": f"{digits}{parts['spare']}", "check_digit": forms.luhn(digits)}


# RFC 9039 3.2: the parts of the identifier of a subtype, which hyphens divide.
_DEV_PARTS: Final = {
    "mac": ("hexstring",),
    "ow": ("hexstring",),
    "org": ("organization", "identifier"),
    "os": ("organization", "serial"),
    "ops": ("organization", "product", "serial"),
}


def _dev_parts(parts: dict[str, str]) -> dict[str, str]:
    names = _DEV_PARTS.get(parts["subtype"], ("identifier",))
    found = {"subtype": parts["subtype"]}
    found.update(zip(names, parts["identifier"].split("-", len(names) - 1), strict=True))
    if "components" in parts:
        found["components"] = parts["components"][1:]
    return found


def _dev_check(parts: dict[str, str]) -> Iterator[Notice]:
    """Check the last two digits of a 1-Wire identifier, which are its check code (RFC 9039 4.2)."""
    if parts["subtype"] == "ow":
        digits = parts["identifier"].lower()
        yield from forms.wrong(digits[14:], forms.crc_8(digits[:14]))


# The functions by the names that the rows have for them, and what makes pairs of examples.
_FUNCTIONS: Final[dict[str, dict[str, Callable[..., Any]]]] = {
    "form": {"lower_case": lower_case, "isbn": _isbn, "issn": _issn, "smpte": _smpte, "ietf": _ietf, "uuid": _uuid,
             "gsma": _gsma},
    "derive": {"isbn": _isbn_parts, "issn": _issn_parts, "isan": _isan_parts, "eidr": _eidr_parts, "nbn": _nbn_parts,
               "publicid": _public_identifier, "ietf": _ietf_parts, "iso": _iso_parts, "uuid": _uuid_parts,
               "gsma": _imei_parts, "dev": _dev_parts},
    "check": {"isbn": _isbn_check, "issn": _issn_check, "isan": _isan_check, "eidr": _eidr_check, "nbn": _nbn_check,
              "gsma": _imei_check, "dev": _dev_check},
}  # fmt: skip
_PAIRS: Final[dict[str, Callable[..., Pairs]]] = {"exact": exact, "folded": folded, "folded_before": folded_before}


def _row(block: dict[str, list[str]]) -> Namespace:
    """Return the row of a block of lines."""
    fields: dict[str, Any] = {field: values[0] for field, values in block.items()}
    if "syntax" in fields:
        fields["syntax"] = "".join(block["syntax"])
    for field, functions in _FUNCTIONS.items():
        if field in fields:
            fields[field] = functions[fields[field]]
    if "lower_before" in fields:
        fields["form"] = LowerBefore(fields.pop("lower_before"), fields.pop("prefix", None)).form
    for field in ("same", "different"):
        fields[field] = tuple(tuple(pair.split()) for pair in block.get(field, ()))
    for kind, pairs in _PAIRS.items():
        if kind in fields:
            fields |= pairs(fields["name"], *fields.pop(kind).split())
    return Namespace(**fields)


ROWS: Final = tuple(map(_row, blocks_of("namespace_rows")))
