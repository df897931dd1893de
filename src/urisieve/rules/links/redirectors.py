"""Rows of redirectors: links that hold another link, to which they lead whoever follows them.

Services that filter mail put their own link in place of each one in a message; search engines and social networks count
what is followed; web archives hold copies. Where the target stands in the link itself, it can be read without asking
anybody. Not so for shorteners (`bit.ly`, `t.co`, `lnkd.in`) and for services that write a token alone (Mimecast,
Proofpoint's `urldefense.com/v4`): those have no row.
"""

from __future__ import annotations

from enum import Enum

from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple

__all__ = ["REDIRECTORS", "Decoding", "Redirector"]


class Decoding(Enum):
    """How the inner link is written."""

    PERCENT = "percent-encoded"
    """Percent-encoded once, as a value of a query or a segment of a path; `+` stays, since no link holds a blank."""
    PLAIN = "as it stands"
    """As it stands, to the end of the link, its query and fragment included; of `://` one slash may be lost."""
    PROOFPOINT_2 = "`-` for `%`, `_` for `/`"
    """Percent-encoded, with `-` for `%` and `_` for `/`."""
    PROOFPOINT_3 = "`*` for characters beside it"
    """Between `__` and `__;`, with `*` for each character, and `**` and a letter for each run of characters, that stand
    in the base64url text behind it; of `://` one slash may be lost."""
    AVANAN = "between `___` and `___`"
    """As it stands between `___` and `___`."""
    BASE64 = "base64"
    """In base64 or base64url, with or without padding."""
    BING = "`a1`, then base64url"
    """In base64url without padding, behind `a1`."""


class Redirector(NamedTuple):
    """The links of one redirector; their schemes are http and https.

    Attributes:
        name: a short name, unique.
        title: whose links they are.
        reference: where they are documented: by the service, else by a maintained list of such links.
        host: a pattern of all of the host, in lower case.
        path: a pattern of all of the path; if there are no `parameters`, of the path up to the inner link.
        parameters: the parameters of the query that may hold the inner link; the first one that does counts.
        decoding: how the inner link is written.
        assumed: what stands before an inner link that has no scheme; "" if such a text is not a link.
        examples: pairs of a link and the link inside it.
    """

    name: str
    title: str
    reference: str
    host: str
    path: str
    parameters: tuple[str, ...] = ()
    decoding: Decoding = Decoding.PERCENT
    assumed: str = ""
    examples: tuple[tuple[str, str], ...] = ()


_LABEL: Final = r"[a-z0-9\-]+"
# The domains of Google's search: two to six letters, or two labels of a country.
_GOOGLE: Final = r"(?:www\.)?google\.(?:[a-z]{2,6}|com?\.[a-z]{2})"
_CLEAR_URLS: Final = "the rules of ClearURLs, `redirections`"
_MODIFIER: Final = "(?:id|if|im|js|cs|oe|fr|fw|mp|cm[0-9]*|wkp)_"

REDIRECTORS: Final = (
    Redirector(
        name="safelinks",
        title="Microsoft Defender, Safe Links",
        reference="Microsoft Defender for Office 365, Safe Links",
        host=rf"(?:{_LABEL}\.){{1,3}}safelinks\.protection\.(?:outlook\.com|office365\.us|partner\.outlook\.cn)",
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
        host=rf"(?:{_LABEL}\.)?linkprotect\.cudasvc\.com",
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
        host=rf"(?:{_LABEL}\.){{1,2}}protection\.sophos\.com",
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
        host=rf"(?:{_LABEL}\.){{1,3}}trendmicro\.(?:com|eu)",
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
        name="google",
        title="Google, links of search results and of mail",
        reference=f"{_CLEAR_URLS}, google",
        host=_GOOGLE,
        path="/url",
        parameters=("q", "url", "adurl"),
        examples=(
            ("https://www.google.com/url?q=https://e.example/a%26b&sa=D&ust=1", "https://e.example/a&b"),
            ("https://www.google.co.uk/url?sa=t&url=https%3A%2F%2Fe.example%2F&usg=x", "https://e.example/"),
        ),
    ),
    Redirector(
        name="google-amp",
        title="Google, AMP viewer",
        reference="the extension Redirector, AMP redirect",
        host=_GOOGLE,
        path="/amp/s/",
        decoding=Decoding.PLAIN,
        assumed="https://",
        examples=(("https://www.google.com/amp/s/e.example/a?b=1", "https://e.example/a?b=1"),),
    ),
    Redirector(
        name="amp-cache",
        title="AMP cache of Google",
        reference="AMP, Using the Google AMP Cache, AMP Cache URL Format",
        host=rf"{_LABEL}\.cdn\.ampproject\.org",
        path="/(?:[vcir]|ii/w[0-9]+|a|wp)/s/",
        decoding=Decoding.PLAIN,
        assumed="https://",
        examples=(("https://e-example.cdn.ampproject.org/c/s/e.example/a.html", "https://e.example/a.html"),),
    ),
    Redirector(
        name="youtube",
        title="YouTube, links of descriptions",
        reference=f"{_CLEAR_URLS}, youtube",
        host=r"(?:www\.|m\.)?youtube\.com",
        path="/redirect",
        parameters=("q",),
        examples=(("https://www.youtube.com/redirect?event=d&q=https%3A%2F%2Fe.example%2F&v=x", "https://e.example/"),),
    ),
    Redirector(
        name="facebook",
        title="Facebook, Messenger and Instagram, link shim",
        reference="Meta Engineering, Link Shim",
        host=r"(?:l|lm)\.(?:facebook|messenger|instagram)\.com",
        path="/(?:l\\.php)?",
        parameters=("u",),
        examples=(
            (
                "https://l.facebook.com/l.php?u=https%3A%2F%2Fe.example%2F%3Ffbclid%3Dx&h=AT0",
                "https://e.example/?fbclid=x",
            ),
            ("https://l.instagram.com/?u=https%3A%2F%2Fe.example%2F&e=AT0", "https://e.example/"),
        ),
    ),
    Redirector(
        name="bing",
        title="Bing, links of search results",
        reference="the search client ddgs, `unwrap_bing_url`",
        host=r"(?:www\.)?bing\.com",
        path="/ck/a",
        parameters=("u",),
        decoding=Decoding.BING,
        examples=(
            (
                "https://www.bing.com/ck/a?!&&p=1&ptn=3&u=a1aHR0cHM6Ly9lLmV4YW1wbGUvYT9iPTE&ntb=1",
                "https://e.example/a?b=1",
            ),
        ),
    ),
    Redirector(
        name="duckduckgo",
        title="DuckDuckGo, links of search results",
        reference="DuckDuckGo Help Pages, r.duckduckgo.com",
        host=r"(?:www\.|html\.|lite\.)?duckduckgo\.com",
        path="/l/",
        parameters=("uddg",),
        examples=(("https://duckduckgo.com/l/?uddg=https%3A%2F%2Fe.example%2Fa&rut=1", "https://e.example/a"),),
    ),
    Redirector(
        name="slack",
        title="Slack, links of messages",
        reference="Slack Help Center, Manage referrer information",
        host=r"(?:www\.)?slack-redir\.net",
        path="/link",
        parameters=("url",),
        examples=(("https://slack-redir.net/link?url=https%3A%2F%2Fe.example%2F&v=3", "https://e.example/"),),
    ),
    Redirector(
        name="steam",
        title="Steam Community, link filter",
        reference=f"{_CLEAR_URLS}, steamcommunity",
        host=r"(?:www\.)?steamcommunity\.com",
        path="/linkfilter/?",
        parameters=("url", "u"),
        examples=(("https://steamcommunity.com/linkfilter/?url=https://e.example/a", "https://e.example/a"),),
    ),
    Redirector(
        name="vk",
        title="VK, links of messages",
        reference=f"{_CLEAR_URLS}, vk",
        host=r"(?:www\.|m\.)?vk\.(?:com|ru)",
        path="/away\\.php",
        parameters=("to",),
        examples=(("https://vk.com/away.php?to=https%3A%2F%2Fe.example%2F&cc_key=", "https://e.example/"),),
    ),
    Redirector(
        name="wayback",
        title="Internet Archive, Wayback Machine",
        reference="Internet Archive, Wayback Machine URLs; pywb, URL Rewriter, modifiers",
        host=r"(?:web|wayback|www)\.archive\.org|archive\.org|web-beta\.archive\.org",
        # Behind the date stands a link, or a host with a dot: not the list of a year or of a site (`*/e.example/*`).
        path=rf"/web/(?:(?:[0-9]{{1,14}}(?:{_MODIFIER})?(?:\*(?!.*\*\Z))?|\*(?!.*\*\Z))/)?(?=[A-Za-z][A-Za-z0-9+.\-]*:/|[^/?#*]+\.[^/?#])",
        decoding=Decoding.PLAIN,
        assumed="http://",
        examples=(
            ("https://web.archive.org/web/20200101000000/http://e.example/a?b#c", "http://e.example/a?b#c"),
            ("http://web.archive.org/web/20200101000000id_/https://e.example/", "https://e.example/"),
            ("https://web.archive.org/web/2020*/http://e.example/", "http://e.example/"),
            ("https://web.archive.org/web/*/http://e.example/", "http://e.example/"),
            ("https://web.archive.org/web/20200101if_/e.example/a", "http://e.example/a"),
        ),
    ),
    Redirector(
        name="archive-today",
        title="archive.today, long links",
        reference="Wikipedia, Help:Using archive.today, long form",
        host=r"archive\.(?:today|is|ph|md|li|vn|fo)",
        path=r"/(?:[0-9]{4,14}|[0-9]{4}\.[0-9]{2}\.[0-9]{2}-[0-9]{6}|newest|oldest|o/[A-Za-z0-9]{5})/(?=https?:/)",
        decoding=Decoding.PLAIN,
        examples=(("https://archive.ph/20200101000000/https://e.example/a", "https://e.example/a"),),
    ),
    Redirector(
        name="webcite",
        title="WebCite, long links",
        reference="Wikipedia, Help:Using WebCite, Long-form URLs",
        host=r"(?:www\.)?webcitation\.org",
        path="/(?:query|[A-Za-z0-9]{8,9})",
        parameters=("url",),
        examples=(("https://www.webcitation.org/5eWaHRbn4?url=http://e.example/", "http://e.example/"),),
    ),
)
