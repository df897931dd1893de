"""Namespaces of film, broadcasting and advertising."""

from __future__ import annotations

from urisieve.lean.hints import Final
from urisieve.rules.forms import CASE, folded, folded_before, lower_before
from urisieve.rules.namespace import Namespace
from urisieve.syntax.components import lower_case

__all__ = ["ROWS"]


def _smpte(nss: str) -> str:
    """Lower the case of universal labels; case counts in other branches unless their document differs (RFC 5119)."""
    return lower_case(nss) if nss[:3].lower() == "ul:" else nss


ROWS: Final = (
    Namespace(
        nid="smpte",
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
        nid="mpeg",
        title="standards of the Motion Picture Experts Group",
        reference="RFC 3614",
        equivalence="case does not count in the name of the standard",
        syntax="(?P<standard_name>[^:]+):(?P<assigned_string>.+)",
        form=lower_before(":"),
        **folded_before("mpeg", "mpeg7", ":", "schema:2001"),
    ),
    Namespace(
        nid="tva",
        title="resources of the TV-Anytime Forum",
        reference="RFC 4195",
        equivalence="case does not count in the category",
        syntax="(?P<category>[^:]+):(?P<resource>.+)",
        form=lower_before(":"),
        **folded_before("tva", "metadata", ":", "cs:2002"),
    ),
    Namespace(
        nid="ebu",
        title="resources of the European Broadcasting Union",
        reference="RFC 5174",
        equivalence="case does not count in the category",
        syntax=r"(?P<category>[A-Za-z0-9][A-Za-z0-9\-]{0,31}):(?P<resource>.+)",
        form=lower_before(":"),
        **folded_before("ebu", "metadata", ":", "cs"),
    ),
    Namespace(
        nid="adid",
        title="advertisements (Advertising Digital Identifier)",
        reference="RFC 8107 2",
        equivalence=CASE,
        syntax="(?P<company_prefix>[A-Za-z1-9][A-Za-z0-9]{3})(?P<code>[A-Za-z0-9]{7})(?P<video_format>[HDhd]?)",
        form=lower_case,
        **folded("adid", "ABCD0001000"),
    ),
    *(
        Namespace(
            nid=nid, title=title, reference=reference, equivalence=CASE, form=lower_case, **folded(nid, "metadata:CS")
        )
        for nid, title, reference in (
            ("dvb", "resources of the Digital Video Broadcasting project", "RFC 5328"),
            ("hbbtv", "resources of the Hybrid Broadcast Broadband TV association", "RFC 7528"),
            ("oipf", "resources of the Open IPTV Forum", "RFC 6893"),
        )
    ),
)
