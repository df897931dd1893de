"""Rows of redirectors: the services that filter mail, and put their own link in place of each one in a message."""

from __future__ import annotations

from urisieve.lean import Final
from urisieve.rules.links.redirector import LABEL, Decoding, Redirector

MAIL_FILTERS: Final = (
    Redirector(
        name="safelinks",
        title="Microsoft Defender, Safe Links",
        reference="Microsoft Defender for Office 365, Safe Links",
        host=rf"(?:{LABEL}\.){{1,3}}safelinks\.protection\.(?:outlook\.com|office365\.us|partner\.outlook\.cn)",
        path="/.*",
        parameters=("url",),
        examples=(
            (
                "https://nam02.safelinks.protection.outlook.com/?url=https%3A%2F%2Fe.example%2Fa%3Fb%3D1&data=05&reserved=0",
                "https://e.example/a?b=1",
            ),
            (
                "https://gcc01.safelinks.protection.outlook.com/ap/w-59584e83/?url=http%3A%2F%2Fe.example",
                "http://e.example",
            ),
        ),
    ),
    Redirector(
        name="proofpoint-1",
        title="Proofpoint URL Defense, version 1",
        reference="Proofpoint, How do I decode a rewritten URL?, URLDefenseDecode.py",
        host=r"urldefense(?:\.proofpoint)?\.(?:com|us)",
        path="/v1/url",
        parameters=("u",),
        examples=(("https://urldefense.proofpoint.com/v1/url?u=http://e.example/a%3Fb&k=c", "http://e.example/a?b"),),
    ),
    Redirector(
        name="proofpoint-2",
        title="Proofpoint URL Defense, version 2",
        reference="Proofpoint, How do I decode a rewritten URL?, URLDefenseDecode.py",
        host=r"urldefense(?:\.proofpoint)?\.(?:com|us)",
        path="/v2/url",
        parameters=("u",),
        decoding=Decoding.PROOFPOINT_2,
        examples=(
            (
                "https://urldefense.proofpoint.com/v2/url?u=https-3A__e.example_a-2Db-5Fc-3Fd-3D1&d=DwMFaQ&c=x",
                "https://e.example/a-b_c?d=1",
            ),
        ),
    ),
    Redirector(
        name="proofpoint-3",
        title="Proofpoint URL Defense, version 3",
        reference="Proofpoint, How do I decode a rewritten URL?, URLDefenseDecode.py",
        host=r"urldefense(?:\.proofpoint)?\.(?:com|us)",
        path="/v3/__",
        decoding=Decoding.PROOFPOINT_3,
        examples=(
            ("https://urldefense.com/v3/__https://e.example/a?b=1__;!!Q!R$", "https://e.example/a?b=1"),
            ("https://urldefense.com/v3/__https://e.example/*a**Ab__;I8O8w7w!!Q!R$", "https://e.example/#aüüb"),
            ("https://urldefense.us/v3/__https:/e.example/a__;!!Q!R$", "https://e.example/a"),
        ),
    ),
    Redirector(
        name="barracuda",
        title="Barracuda, Link Protection",
        reference="Barracuda Email Gateway Defense, Understanding Link Protection",
        host=rf"(?:(?:{LABEL}\.)?linkprotect|email)\.cudasvc\.com",
        path="/.*",
        parameters=("a",),
        examples=(
            ("https://linkprotect.cudasvc.com/url?a=https%3a%2f%2fe.example%2fa&c=E,1,x&typo=1", "https://e.example/a"),
        ),
    ),
    Redirector(
        name="sophos",
        title="Sophos Email, Time of Click URL Protection",
        reference="Sophos Central, URL Protection; Sophos Community, discussion 148123",
        host=rf"(?:{LABEL}\.){{1,2}}protection\.sophos\.com",
        path="/.*",
        parameters=("u",),
        decoding=Decoding.BASE64,
        examples=(
            (
                "https://eu-central-1.protection.sophos.com/?d=e.example&u=aHR0cHM6Ly9lLmV4YW1wbGUvYT9iPTE=&i=NjJk&t=OGE0",
                "https://e.example/a?b=1",
            ),
        ),
    ),
    Redirector(
        name="trend-micro",
        title="Trend Micro Email Security, Time-of-Click Protection",
        reference="Trend Micro Email Security, Time-of-Click Protection",
        host=rf"(?:{LABEL}\.){{1,3}}trendmicro\.(?:com|eu)",
        path="/wis/clicktime/v1/query",
        parameters=("url",),
        examples=(
            (
                "https://imsva91-ctp.trendmicro.com/wis/clicktime/v1/query?url=http%3A%2F%2Fe.example&umid=1&auth=2",
                "http://e.example",
            ),
        ),
    ),
    Redirector(
        name="cisco",
        title="Cisco Secure Email, URL rewriting",
        reference="Cisco Secure Email, URL Rewriting and Analysis",
        host=r"secure-web\.cisco\.com",
        path="/(?:auth=[^/]*/)?[^/]+/(?=[A-Za-z][A-Za-z0-9+.-]*%3[Aa])",
        examples=(("https://secure-web.cisco.com/1VqOjc-x_Y/https%3A%2F%2Fe.example%2Fa", "https://e.example/a"),),
    ),
    Redirector(
        name="fireeye",
        title="Trellix (FireEye) Email Security, URL rewriting",
        reference="the rules of kachi, fireeye",
        host=r"protect[0-9]*\.fireeye\.com",
        path="/(?:v1/)?url",
        parameters=("u",),
        examples=(
            ("https://protect2.fireeye.com/v1/url?k=1&q=1&e=2&u=http%3A%2F%2Fe.example%2F", "http://e.example/"),
        ),
    ),
    Redirector(
        name="avanan",
        title="Check Point Harmony Email (Avanan), Click-Time Protection, version 2",
        reference="Avanan, Click-Time Protection URL Format",
        host=r"url(?:\.[a-z]{2})?\.avanan\.click",
        path="/v2/(?:r[0-9]+/)?___",
        decoding=Decoding.AVANAN,
        examples=(("https://url.avanan.click/v2/___https://e.example/a?b=1___.YXAz", "https://e.example/a?b=1"),),
    ),
    Redirector(
        name="symantec",
        title="Symantec Email Security.cloud, Click-time URL Protection",
        reference="Broadcom, Symantec Click-time URL Protection, article 163838",
        host=r"clicktime\.symantec\.com",
        path="/.*",
        parameters=("u",),
        examples=(
            (
                "https://clicktime.symantec.com/3MnsciFmpCx2GTRRtjmLJoD6H2?u=https%3A%2F%2Fe.example%2Fabs%2F1908",
                "https://e.example/abs/1908",
            ),
            (
                "https://clicktime.symantec.com/15xVcHh2qpEgPv5boCzmK?h=QCYVzyLUm8bH6wdi=&u=https://e.example/a?b%3Dc/d",
                "https://e.example/a?b=c/d",
            ),
            (
                "https://clicktime.symantec.com/a/1/dAl80F97mC=?d=t6D3BqAR&u=http%3A%2F%2Fe.example%2F",
                "http://e.example/",
            ),
        ),
    ),
    Redirector(
        name="edgepilot",
        title="EdgePilot (AppRiver), Link Protection",
        reference="links in public repositories",
        host=r"link\.edgepilot\.com",
        path="/(?:s/[^/]+|x)/[^/]+",
        parameters=("u",),
        examples=(
            (
                "https://link.edgepilot.com/s/e2b6ca7e/M2-CUdbmsU6-CdFBM7HzkQ?u=https://e.example/r?id=1%26key=GRP",
                "https://e.example/r?id=1&key=GRP",
            ),
            ("https://link.edgepilot.com/x/zy7CWSADUoi2O9ZELfWL3hk?u=https://e.example/", "https://e.example/"),
        ),
    ),
    Redirector(
        name="trustwave",
        title="Trustwave MailMarshal (SEG), Blended Threats",
        reference="Trustwave, knowledge base, Q14548",
        host=r"scanmail\.trustwave\.com",
        path="/",
        parameters=("u",),
        examples=(
            (
                "https://scanmail.trustwave.com/?c=20988&d=n8HL4MpWu6CIvz405pawl&u=https%3a%2f%2fe%2eexample%2fmrdisc",
                "https://e.example/mrdisc",
            ),
        ),
    ),
    Redirector(
        name="mimecast",
        title="Mimecast, URL Protect",
        reference="Mimecast, URL Protect, Display URL Destination Domain",
        host=rf"protect-{LABEL}\.mimecast\.com|url\.{LABEL}\.{LABEL}\.mimecastprotect\.com",
        path="/s/[^/]+",
        parameters=("domain",),
        decoding=Decoding.HOST,
        examples=(
            ("https://protect-us.mimecast.com/s/bvw6ClYgmKf29D5ZHqNca4?domain=e.example", "e.example"),
            ("https://url.uk.m.mimecastprotect.com/s/YP9XCWQRPfDXo1NIKijuVb2y7?domain=E.example&x=1", "e.example"),
        ),
    ),
)
