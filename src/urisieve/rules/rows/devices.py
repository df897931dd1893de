"""Rows of namespaces of devices, numbers, networks and services."""

from __future__ import annotations

from collections.abc import Iterator

from urisieve.codes import Notice
from urisieve.lean import Final, lazy_compile
from urisieve.rules import forms
from urisieve.rules.forms import CASE, exact, folded
from urisieve.rules.scheme_table import Namespace
from urisieve.syntax.components import lower_case

_UUID: Final = lazy_compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_LABEL: Final = "[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*"
# RFC 5031 4.1: 27 characters at most.
_TOP_LEVEL_SERVICE: Final = r"(?P<top_level_service>[A-Za-z0-9](?:[A-Za-z0-9\-]{0,25}[A-Za-z0-9])?)"


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


ROWS: Final = (
    Namespace(
        name="uuid",
        title="universally unique identifiers",
        reference="RFC 9562 4",
        equivalence=CASE,
        syntax=f"(?P<uuid>{_UUID.pattern})",
        form=_uuid,
        derive=_uuid_parts,
        same=(("urn:uuid:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"),),
        different=(("urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf7"),),
    ),
    Namespace(
        name="oid",
        title="object identifiers of ASN.1",
        reference="RFC 3061 2",
        syntax=r"(?P<oid>(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*))*)",
        same=(("URN:OID:1.3.6.1", "urn:oid:1.3.6.1"),),
        different=(("urn:oid:1.3.6.1", "urn:oid:1.3.6.01"),),
    ),
    Namespace(
        name="gsma",
        title="mobile equipment (IMEI) and resources of the GSM Association",
        reference="RFC 7254 3, 4",
        equivalence="for `imei`, case does not count and `vers=0` is ignored",
        syntax=(
            "(?:(?i:imei):(?:(?P<tac>[0-9]{8})-(?P<snr>[0-9]{6})-(?P<spare>[0-9])(?:;(?i:svn)=(?P<svn>[0-9]{2}))?"
            r"(?:;(?i:vers)=0)?|(?P<ext_imei>[A-Za-z0-9\-._%:]+)(?:;(?i:svn)=(?P<ext_svn>[0-9]{2}))?"
            r";(?i:vers)=(?P<vers>[1-9]))"
            r"|(?!(?i:imei):)(?P<specifier>[A-Za-z0-9\-._%:]+)(?:;(?P<parameters>[A-Za-z0-9\-._%:=;]+))?)"
        ),
        form=_gsma,
        derive=_imei_parts,
        check=_imei_check,
        same=(
            ("urn:gsma:imei:90420156-025763-0;vers=0", "urn:gsma:imei:90420156-025763-0"),
            ("urn:gsma:imei:90420156-025763-0;svn=42", "URN:GSMA:IMEI:90420156-025763-0;SVN=42;vers=0"),
        ),
        different=(
            ("urn:gsma:imei:90420156-025763-0", "urn:gsma:imei:90420156-025763-0;svn=42"),
            ("urn:gsma:x:a", "urn:gsma:x:A"),
        ),
    ),
    Namespace(
        name="3gpp",
        title="resources of the 3rd Generation Partnership Project",
        reference="RFC 5279",
        **exact("3gpp", "video-orientation"),
    ),
    Namespace(
        name="3gpp2",
        title="mobile equipment (MEID) and resources of the 3rd Generation Partnership Project 2",
        reference="RFC 8464 3",
        syntax=(
            "meid:(?P<manufacturer_code>[0-9A-F]{8})-(?P<serial_number>[0-9A-F]{6})"
            r"|(?!meid:)(?P<specifier>[A-Za-z0-9\-._%]+)(?::(?P<resource>.+))?"
        ),
        **exact("3gpp2", "meid:A04B0D56-02A7E3"),
    ),
    Namespace(
        name="dev",
        title="hardware devices",
        reference="RFC 9039 3.2, 4",
        syntax=(
            r"(?!(?:mac|ow):(?![0-9A-Fa-f]{16}(?:_|\Z)))(?!(?:org|os):(?![1-9][0-9]*-))"
            r"(?!ops:(?![1-9][0-9]*-[A-Za-z0-9.]+-))"
            r"(?P<subtype>[A-Za-z][A-Za-z0-9]*):(?P<identifier>[A-Za-z0-9.\-]+(?::[A-Za-z0-9.\-]+)*)"
            r"(?P<components>(?:_[A-Za-z0-9.\-]+)*)"
        ),
        derive=_dev_parts,
        check=_dev_check,
        same=(("urn:dev:mac:0024beffff804ff1", "URN:DEV:mac:0024beffff804ff1"),),
        different=(
            ("urn:dev:mac:0024beffff804ff1", "urn:dev:mac:0024BEFFFF804FF1"),
            ("urn:dev:ow:264437f5000000ed_humidity", "urn:dev:ow:264437f5000000ed_temperature"),
        ),
    ),
    Namespace(
        name="epc",
        title="electronic product codes",
        reference="RFC 5134 2",
        syntax=r"(?P<sub_namespace>[A-Za-z0-9][A-Za-z0-9\-]*):(?P<identifier>(?:(?P<epc_scheme>[^:]+):)?(?P<value>.+))",
        **exact("epc", "id:sgtin:0614141.112345.400"),
    ),
    Namespace(
        name="epcglobal",
        title="resources of the EPCglobal architecture",
        reference="RFC 5134 3",
        syntax=r"(?P<sub_namespace>[A-Za-z0-9][A-Za-z0-9\-]*):(?P<identifier>.+)",
        **exact("epcglobal", "ale:xsd:1"),
    ),
    Namespace(
        name="ucode",
        title="objects and places (ucode)",
        reference="RFC 6588",
        syntax="_(?P<ucode>(?:[0-9A-F]{32})+)",
        **exact("ucode", "_0123456789ABCDEF0123456789ABCDEF"),
    ),
    Namespace(
        name="clei",
        title="telecommunications equipment (Common Language Equipment Identifier)",
        reference="RFC 4152",
        equivalence=CASE,
        syntax=(
            "(?P<basic_code>[A-Za-z0-9]{4})(?P<features>[A-Za-z0-9]{3})(?P<manufacturer_reference>[A-Za-z0-9])"
            "(?P<complementary_data>[A-Za-z0-9]{2})"
        ),
        form=lower_case,
        same=(("urn:clei:D4CE18B7AA", "URN:CLEI:d4ce18b7aa"),),
        different=(("urn:clei:D4CE18B7AA", "urn:clei:D4CE18B7AB"),),
    ),
    Namespace(
        name="service",
        title="emergency and other services",
        reference="RFC 5031 3",
        equivalence=CASE,
        syntax=rf"{_TOP_LEVEL_SERVICE}(?:\.(?P<sub_services>{_LABEL}(?:\.{_LABEL})*))?",
        form=lower_case,
        **folded("service", "sos.police"),
    ),
    Namespace(
        name="urn-7",
        title="services and applications of communication networks",
        reference="RFC 6050 4.4",
        equivalence=CASE,
        syntax=(
            r"(?P<top_level_service>[A-Za-z0-9\-]{1,27})(?:\.(?P<sub_services>[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)*))?"
        ),
        form=lower_case,
        **folded("urn-7", "3gpp-service.ims.icsi.mmtel"),
    ),
    Namespace(
        name="alert",
        title="ring tones and other alerting signals",
        reference="RFC 7462 7",
        equivalence=CASE,
        syntax=(
            rf"(?P<alert_category>{_LABEL}(?:@{_LABEL})?)"
            rf":(?P<alert_indication>{_LABEL}(?:@{_LABEL})?(?::{_LABEL}(?:@{_LABEL})?)*)"
        ),
        form=lower_case,
        **folded("alert", "service:call-waiting"),
    ),
    Namespace(
        name="nfc",
        title="resources of the NFC Forum",
        reference="RFC 4729",
        syntax="(?P<resource_class>[^:]+):(?P<resource_string>.+)",
        **exact("nfc", "wkt:Uri"),
    ),
    Namespace(
        name="swift",
        title="financial messaging of SWIFT",
        reference="RFC 3615",
        **exact("swift", "type:fin$103"),
    ),
    Namespace(
        name="pin",
        title="people and organizations (Personal Internet Name)",
        reference="RFC 3043",
        equivalence=CASE,
        form=lower_case,
        **folded("pin", "FirstName.LastName"),
    ),
    Namespace(
        name="nena",
        title="resources of the National Emergency Number Association",
        reference="RFC 6061",
        syntax="(?P<resource_class>[^:]+):(?P<resource_string>.+)",
        **exact("nena", "uid:logid"),
    ),
)
