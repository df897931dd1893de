"""Rows of namespaces of standards bodies and other organizations."""

from __future__ import annotations

import re

from urisieve.lean import Final, lazy_compile
from urisieve.rules.forms import CASE, LowerBefore, exact, folded, folded_before
from urisieve.rules.scheme_table import Namespace
from urisieve.syntax.components import lower_case

# A class of resources and a string of that class: the shape of most namespaces of organizations.
_CLASS: Final = "(?P<resource_class>[^:]+):(?P<resource_string>.+)"
# A sub-namespace, by the syntax of a NID (RFC 2141 2.1).
_SUB_NAMESPACE: Final = r"[A-Za-z0-9][A-Za-z0-9\-]{0,31}"
_LANGUAGES: Final = "(?:en(?:,fr)?(?:,ru)?|fr(?:,ru)?|ru|es|ar)"
# RFC 2648 2; RFC 3553 for `params`.
_SERIES: Final = r"(?P<series>(?i:rfc|fyi|std|bcp)):(?P<number>[0-9]+)"
_DOCUMENT: Final = r"(?P<kind>(?i:id|mtg)):(?P<document>[A-Za-z0-9._\-]+)"
_PARAMS: Final = "params:(?P<registry>[^:]+)(?::(?P<value>.+))?"
_OTHER: Final = r"(?!(?i:rfc|fyi|std|bcp|id|mtg|params)(?::|\Z))(?P<other>.+)"
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


ROWS: Final = (
    Namespace(
        name="ietf",
        title="documents and protocol parameters of the IETF",
        reference="RFC 2648 2, RFC 3553 3",
        equivalence="case does not count, but in `params`",
        syntax=f"(?:{_SERIES}|{_DOCUMENT}|{_PARAMS}|{_OTHER})",
        form=_ietf,
        derive=_ietf_parts,
        same=(
            ("urn:ietf:rfc:2141", "URN:IETF:RFC:2141"),
            ("urn:ietf:id:ietf-urn-ietf-06", "urn:ietf:ID:IETF-urn-ietf-06"),
        ),
        different=(
            ("urn:ietf:params:xml:ns:xmpp-sasl", "urn:ietf:params:xml:ns:XMPP-SASL"),
            ("urn:ietf:rfc:2141", "urn:ietf:rfc:02141"),
        ),
    ),
    Namespace(
        name="iso",
        title="documents of the International Organization for Standardization",
        reference="RFC 5141 2.4, 2.9",
        equivalence=CASE,
        syntax=(
            "(?i:std:(?P<originator>(?:iso|iec)(?:-[a-z]+)*)"
            "(?::(?P<document_type>data|guide|isp|iwa|pas|r|tr|ts|tta))?"
            r":(?P<document_number>[0-9]+)(?::-(?P<part_number>[0-9A-Z\-]+))?"
            r"(?:(?::(?P<status>draft|cancelled|stage-[0-9]{2}\.[0-9]{2}(?:\.v[0-9]+)?))?:ed-(?P<edition>[0-9]+))?"
            r"(?::v(?P<version>[0-9]+(?:-(?:amd|cor|add)[0-9]+(?:\.v[0-9]+)?)*))?"
            f"(?::(?P<language>{_LANGUAGES}))?"
            f"(?P<supplements>(?::(?:amd|cor|add):[0-9]+(?::v[0-9]+)?(?::{_LANGUAGES})?)*)"
            r"(?P<elements>(?::(?:clause|figure|table|term):[0-9A-Z.,\-]+)*)"
            "(?P<addition>(?::.+)?))"
        ),
        form=lower_case,
        derive=lambda parts: {name: text.removeprefix(":") for name, text in parts.items()},
        **folded("iso", "std:iso:9999:-1:ed-1:en"),
    ),
    Namespace(
        name="ogc",
        title="resources of the Open Geospatial Consortium",
        reference="RFC 5165",
        syntax=_CLASS,
        **exact("ogc", "def:crs:EPSG::4326"),
    ),
    Namespace(
        name="oasis",
        title="resources of the standards body OASIS",
        reference="RFC 3121",
        syntax="(?P<branch>names|member):(?P<document_class>[^:]+)(?::(?P<document>.+))?",
        **exact("oasis", "names:tc:entity"),
    ),
    Namespace(
        name="xmlorg",
        title="schemas and other documents of XML.org",
        reference="RFC 3120",
        syntax="(?P<branch>objects):(?P<object_type>[^:]+)(?::(?P<object>.+))?",
        **exact("xmlorg", "objects:schema:xmlschema:v1.0"),
    ),
    Namespace(
        name="fipa",
        title="resources of the Foundation for Intelligent Physical Agents",
        reference="RFC 3616",
        syntax="(?P<subspace>[^:]+)(?::(?P<resource>[^:]+(?::[^:]+)*))?",
        **exact("fipa", "language:sl0"),
    ),
    Namespace(
        name="xmpp",
        title="protocols of the XMPP Standards Foundation",
        reference="RFC 4854",
        syntax="(?P<short_name>[^:]+)(?::(?P<sub_name>.+))?",
        **exact("xmpp", "ping"),
    ),
    Namespace(
        name="web3d",
        title="resources of the Web3D consortium",
        reference="RFC 3541",
        syntax="(?P<subgroup>[^:]+):(?P<resource>.+)",
        **exact("web3d", "media:textures/nature"),
    ),
    Namespace(
        name="ieee",
        title="resources of the Institute of Electrical and Electronics Engineers",
        reference="RFC 8069",
        equivalence=CASE,
        syntax=_CLASS,
        form=lower_case,
        **folded("ieee", "std:802.1Q:yang"),
    ),
    Namespace(
        name="etsi",
        title="resources of the European Telecommunications Standards Institute",
        reference="RFC 8515 2",
        equivalence=CASE,
        form=lower_case,
        **folded("etsi", "yang:etsi-nfv-common"),
    ),
    Namespace(
        name="mef",
        title="resources of the MEF Forum",
        reference="RFC 7818",
        equivalence=CASE,
        form=lower_case,
        **folded("mef", "yang:mef-types"),
    ),
    Namespace(
        name="ogf",
        title="resources of the Open Grid Forum",
        reference="RFC 6453 2.4, 2.10",
        equivalence="case does not count in the sub-namespace",
        syntax=f"(?P<sub_namespace>{_SUB_NAMESPACE}):(?P<resource>.+)",
        form=LowerBefore(":", _SUB_NAMESPACE).form,
        **folded_before("ogf", "network", ":", "example.net:2013"),
    ),
    Namespace(
        name="ccsds",
        title="resources of the Consultative Committee for Space Data Systems",
        reference="RFC 7738 3.4, 3.10",
        equivalence="case does not count in the sub-namespace",
        syntax=f"(?P<sub_namespace>{_SUB_NAMESPACE}):(?P<resource>.+)",
        form=LowerBefore(":", _SUB_NAMESPACE).form,
        **folded_before("ccsds", "schema", ":", "cfdp"),
    ),
    Namespace(
        name="nzl",
        title="resources of the government of New Zealand",
        reference="RFC 4350",
        equivalence=CASE,
        syntax="(?P<specifier>[^:]+):(?P<resource>[^:]+(?::[^:]+)*)",
        form=lower_case,
        **folded("nzl", "govt:registering:form:1-0"),
    ),
    Namespace(
        name="ivis",
        title="resources of the Latvian government integration project IVIS",
        reference="RFC 4617",
        equivalence=CASE,
        syntax=r"(?P<organization_id>[0-9]+):(?P<resource>[A-Za-z0-9()+,\-.=@;$_!*]+)",
        form=lower_case,
        **folded("ivis", "17:TestContent"),
    ),
    Namespace(
        name="nato",
        title="resources of the North Atlantic Treaty Organization",
        reference="RFC 7467",
        syntax="(?P<resource_type>[^:]+)(?::(?P<source>[^:]+)(?::(?P<resource>[^:]+(?::[^:]+)*))?)?",
        **exact("nato", "mip:jc3iedm"),
    ),
    Namespace(
        name="globus",
        title="resources of Globus",
        reference="RFC 7853",
        syntax="(?P<sub_namespace>[^:]+)(?::(?P<resource>.+))?",
        **exact("globus", "auth:scope:transfer"),
    ),
    Namespace(
        name="liberty",
        title="resources of the Liberty Alliance Project",
        reference="RFC 3622",
        syntax="(?P<naming_authority>[^:]+)(?::(?P<resource>[^:]+(?::[^:]+)*))?",
        **exact("liberty", "schemas:authctx"),
    ),
    Namespace(
        name="mace",
        title="resources of the Middleware Architecture Committee for Education",
        reference="RFC 3613",
        **exact("mace", "dir:attribute-def:cn"),
    ),
    Namespace(
        name="schac",
        title="resources of the Schema for Academia",
        reference="RFC 6338",
        **exact("schac", "homeOrganizationType:int:university"),
    ),
    Namespace(
        name="geant",
        title="resources of GEANT",
        reference="RFC 4926",
        **exact("geant", "perfsonar:service"),
    ),
    Namespace(
        name="example",
        title="examples in documentation",
        reference="RFC 6963",
        **exact("example", "a:B"),
    ),
    Namespace(
        name="eurosystem",
        title="messages standardized by the Eurosystem",
        reference="RFC 7207",
        **exact("eurosystem", "t2s:message"),
    ),
    *(
        Namespace(name=nid, title=title, reference=reference, syntax=syntax, **exact(nid, "a:B"))
        for nid, title, reference, syntax in (
            ("bbf", "resources of the Broadband Forum", "RFC 8057", None),
            ("broadband-forum-org", "resources of the Broadband Forum", "RFC 8057", None),
            ("dslforum-org", "resources of the Broadband Forum", "RFC 8057", None),
            ("cablelabs", "resources of Cable Television Laboratories", "RFC 6289", _CLASS),
            (
                "cgi",
                "resources of the Commission for the Management and Application of Geoscience Information",
                "RFC 5138",
                _CLASS,
            ),
            ("dgiwg", "resources of the Defence Geospatial Information Working Group", "RFC 6288", _CLASS),
            ("oma", "resources of the Open Mobile Alliance", "RFC 4358", _CLASS),
        )
    ),
)
