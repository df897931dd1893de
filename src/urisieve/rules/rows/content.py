"""Rows of content, locations and payments: `data`, `geo`, `magnet`, `bitcoin`, `ethereum`, `spotify`.

Also defines:

- rows of schemes that hold an identifier, or a program: `view-source`, `jar`, `jdbc`, `javascript` and others.
"""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import unquote_to_bytes

from urisieve.codes import Notice, Warn
from urisieve.lean import Final, lazy_compile
from urisieve.rules.forms import after_scheme, named, pairs
from urisieve.rules.scheme_table import Authority, Scheme
from urisieve.syntax.components import Components, lower_case

# A token of RFC 2045 5.1, represented "using URL escaped encoding as necessary" (RFC 2397 3).
_TOKEN: Final = r"(?>[A-Za-z0-9!$&'*+\-.^_`{|}~]|%[0-9A-F]{2})++"


@cache
def _media_type() -> re.Pattern[str]:
    """Compile the pattern of type, parameters and flag (RFC 2397 3)."""
    return re.compile(r"([^/;,=]+/[^/;,=]+)?((?:;[^;,=/]+=[^;,]*)*)(;base64)?", re.IGNORECASE)


def _data(parts: Components) -> Components:
    """Write out the default media type (RFC 2397 2), and lower the case where it does not count.

    Case does not count in media types, names of parameters (RFC 2045 5, 5.1) and charsets of text (RFC 2046 4.1.2).
    """
    header, comma, content = parts.path.partition(",")
    match = _media_type().fullmatch(header) if comma else None
    if match is None:
        return parts
    kind, rest, flag = match.groups()
    items = [(lower_case(name), value) for name, value in pairs(rest, ";")]
    if kind is None and (not items or any(name == "charset" for name, _ in items)):
        kind = "text/plain"
        items = items or [("charset", "us-ascii")]
    kind = lower_case(kind or "")
    if kind.startswith("text/"):
        items = [(name, lower_case(value) if name == "charset" else value) for name, value in items]
    parameters = "".join(f";{name}={value}" for name, value in sorted(items, key=lambda item: item[0]))
    return parts._replace(path=f"{kind}{parameters}{(flag or '').lower()},{content}")


# What browsers show as a page: HTML, and XML, which may contain elements of XHTML or SVG with scripts.
_PAGE: Final = lazy_compile(
    r"[ \t]*(?:text/(?:html|xml|xsl)|application/xml|[^;,]*\+xml)[ \t]*(?:[;,]|\Z)", re.IGNORECASE
)


def _data_check(parts: Components) -> tuple[Notice, ...]:
    """Return a warning of a page, which may contain a program (RFC 2397 7)."""
    kind = unquote_to_bytes(parts.path[: parts.path.find(",")]).decode("latin-1")
    page = _PAGE.match(kind)
    return () if page is None else (Notice(Warn.SCRIPT, kind.partition(";")[0].strip().lower()),)


def _data_parts(parts: Components) -> dict[str, str]:
    header, comma, content = after_scheme(parts).partition(",")
    match = _media_type().fullmatch(header) if comma else None
    if match is None:
        return {}
    kind, rest, flag = match.groups()
    return named(
        [
            ("media_type", kind),
            ("parameters", rest[1:] or None),
            ("base64", "true" if flag else "false"),
            ("data", content),
        ]
    )


_NUMBER: Final = r"[0-9]+(?:\.[0-9]+)?"
_SIGNED: Final = f"-?{_NUMBER}"
_CRS: Final = ";[Cc][Rr][Ss]="
_WGS84: Final = "[Ww][Gg][Ss]84"
# RFC 5870 3.3, 3.4.2: up to two digits within 90 degrees, and up to three within 180.
_LATITUDE: Final = r"-?(?:[0-8]?[0-9](?:\.[0-9]+)?|90(?:\.0+)?)"
_LONGITUDE: Final = r"-?(?:(?:0?[0-9]?[0-9]|1[0-7][0-9])(?:\.[0-9]+)?|180(?:\.0+)?)"
# The order of parameters is `crs`, then `u`, then all others.
_GEO: Final = (
    rf"(?:{_LATITUDE},{_LONGITUDE}(?:,{_SIGNED})?(?:{_CRS}{_WGS84})?(?!{_CRS})"
    rf"|{_SIGNED},{_SIGNED}(?:,{_SIGNED})?{_CRS}(?!{_WGS84}(?:[;?]|\Z))[A-Za-z0-9\-]+)"
    rf"(?:;[Uu]={_NUMBER})?(?:;(?!(?:[Uu]|[Cc][Rr][Ss])(?:[=;?]|\Z))[A-Za-z0-9\-]+(?:=[^;?]+)?)*(?:\?.*)?"
)


def _number(text: str) -> str:
    """Return a number in the form that RFC 5870 3.4.4 compares: no needless zeros, and "0" for "-0"."""
    whole, _, fraction = text.lstrip("-").partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    size = f"{whole}.{fraction}" if fraction else whole
    return f"-{size}" if text[:1] == "-" and size != "0" else size


# Characters that are not `paramchar` (RFC 5870 3.3), or are brackets, which no path of a URI holds.
_NOT_PARAMETER: Final = lazy_compile("[^A-Za-z0-9\\-_.!~*'():&+$]")


def _bitwise(value: str) -> str:
    """Return one form for all values that are the same octets after percent-decoding (RFC 5870 3.4.4)."""
    octets = unquote_to_bytes(value).decode("latin-1")
    return _NOT_PARAMETER.sub(lambda match: f"%{ord(match[0]):02X}", octets)


def _geo(parts: Components) -> Components:
    """Apply RFC 5870 3.4.4: numbers, the default CRS, poles and date line, order and triplets of parameters."""
    location, *parameters = parts.path.split(";")
    coordinates = [_number(text) for text in location.split(",")]
    items = [(name.lower(), equals, value) for name, equals, value in (text.partition("=") for text in parameters)]
    crs = next((value.lower() for name, _, value in items if name == "crs"), "wgs84")
    uncertainty = [f";u={_number(value)}" for name, _, value in items if name == "u"]
    others = sorted((item for item in items if item[0] not in ("crs", "u")), key=lambda item: item[0])
    if crs == "wgs84":
        if coordinates[0] in ("90", "-90"):
            coordinates[1] = "0"
        elif coordinates[1] == "-180":
            coordinates[1] = "180"
    else:
        uncertainty.insert(0, f";crs={crs}")
    tail = [*uncertainty, *(f";{name}{equals}{_bitwise(value)}" for name, equals, value in others)]
    return parts._replace(path=f"{','.join(coordinates)}{''.join(tail)}")


def _geo_parts(parts: Components) -> dict[str, str]:
    location, _, rest = parts.path.partition(";")
    items = pairs(rest, ";")
    crs = next((value for name, value in items if name.lower() == "crs"), "wgs84")
    names = ("latitude", "longitude", "altitude") if crs.lower() == "wgs84" else ("coord_a", "coord_b", "coord_c")
    return named(
        [
            *zip(names, location.split(","), strict=False),
            ("crs", crs),
            *(
                ("uncertainty" if name.lower() == "u" else name, value)
                for name, value in items
                if name.lower() != "crs"
            ),
        ]
    )


# The hash of a torrent as 40 hexadecimal digits, or as 32 digits of base32 (BEP 9).
_BTIH: Final = lazy_compile("urn:btih:(?:([0-9a-f]{40})|([a-z2-7]{32}))", re.IGNORECASE)
_BTMH: Final = lazy_compile("urn:btmh:(1220[0-9a-f]{64})", re.IGNORECASE)
# What the form leaves as it is: hashes in lower-case hexadecimal digits, and all that is no such hash.
_KEPT: Final = (
    r"(?>[Xx][Tt](?>\.[^=&#]*+)?+=urn:btih:[0-9a-f]{40}(?=[&#]|\Z)"
    r"|(?![Xx][Tt](?>\.[^=&#]*+)?+=[Uu][Rr][Nn]:[Bb][Tt][IiMm][Hh]:)[^&#]*+)"
)
MAGNET_CANONICAL: Final = rf"\?{_KEPT}(?>&{_KEPT})*+(?:#.*)?"


def _topic_form(item: str) -> str:
    name, equals, value = item.partition("=")
    if name.lower() != "xt" and not name.lower().startswith("xt."):
        return item
    match = _BTIH.fullmatch(value)
    if match is not None:
        from base64 import b32decode

        digits = match[1] or b32decode(match[2].upper()).hex()
        return f"{name}{equals}urn:btih:{digits.lower()}"
    match = _BTMH.fullmatch(value)
    return item if match is None else f"{name}{equals}urn:btmh:{match[1].lower()}"


def _magnet(parts: Components) -> Components:
    """Write the hashes of torrents in lower-case hexadecimal digits (BEP 9)."""
    return parts if parts.query is None else parts._replace(query="&".join(map(_topic_form, parts.query.split("&"))))


def _topic(parts: Components) -> str | None:
    """Return the first exact topic of a magnet link, which is a URN."""
    return next((value for name, value in pairs(parts.query or "", "&") if name.lower() in ("xt", "xt.1")), None)


# A call of a function or method, with code after it: in prose, a parenthesis does not directly follow a word. Words
# that begin a definition in a program are excluded.
_SCRIPT: Final = (
    r"(?!(?:function|require|import|async)[(%])(?:[A-Za-z_$][A-Za-z0-9_$]{1,63}(?:\.[A-Za-z_$][A-Za-z0-9_$]{0,63}){0,8}"
    r"(?:\(|%28)[^\s<>]|(?:window|document|location|history|self|top|parent)\.[A-Za-z]{2,32}[.=%])"
)
_WEB: Final = r"[Hh][Tt][Tt][Pp][Ss]?://[^\s<>\"]"


def _code(parts: Components) -> dict[str, str]:
    return {"code": after_scheme(parts)}


def _whole(parts: Components) -> str | None:
    """Return all that follows the scheme, with the fragment, if it may be an identifier; else None."""
    text = after_scheme(parts)
    if parts.fragment is not None:
        text = f"{text}#{parts.fragment}"
    return text if ":" in text and parts.host is None else None


def _archive(parts: Components) -> str | None:
    """Return the identifier of the archive, which ends before the last "!/"; None if there is none."""
    text = after_scheme(parts)
    before, mark, _ = text.rpartition("!/")
    return before if mark and ":" in before else None


def _archive_parts(parts: Components) -> dict[str, str]:
    before, mark, entry = after_scheme(parts).rpartition("!/")
    return {"archive": before, "entry": entry} if mark else {}


def _database_parts(parts: Components) -> dict[str, str]:
    subprotocol, _, subname = after_scheme(parts).partition(":")
    return {"subprotocol": subprotocol, "subname": subname}


def _nested(name: str, title: str, shape: str, example: str) -> Scheme:
    return Scheme(
        name=name,
        title=title,
        reference=f"the {name} registration",
        case="scheme",
        shape=shape,
        inner=_whole,
        same=((f"{name.upper()}:{example}", f"{name}:{example}"),),
        different=((f"{name}:{example}", f"{name}:{example}/"), (f"{name}:{example}", example)),
    )


def _program(name: str, reference: str) -> Scheme:
    return Scheme(
        name=name,
        title="a program that runs when it is followed",
        reference=reference,
        case="scheme",
        keeps_dots=True,  # a program has no segments
        shape=_SCRIPT,
        check=lambda parts: (Notice(Warn.SCRIPT, parts.scheme.lower()),),
        parts=_code,
        same=((f"{name.upper()}:alert(%31)", f"{name}:alert(1)"),),
        different=(
            (f"{name}:alert(1)", f"{name}:Alert(1)"),
            (f"{name}:/./.test(x)", f"{name}:/.test(x)"),
            (f"{name}:/a/../b/(x)", f"{name}:/b/(x)"),
        ),
    )


ROWS: Final = (
    Scheme(
        name="data",
        title="data in the identifier itself",
        reference="RFC 2397 2",
        authority=Authority.FORBIDDEN,
        case="media type, names of parameters, charset of text, base64 flag",
        equivalence="the default media type and none; order of parameters",
        keeps_dots=True,  # RFC 2397 2: there are no relative forms, so a path has no hierarchy
        syntax=r"[^,]*,.*",
        expected=rf"(?:{_TOKEN}/{_TOKEN})?(?:;{_TOKEN}={_TOKEN})*(?:;[Bb][Aa][Ss][Ee]64)?,.*",
        # A parameter may lack its value, as in `data:image/svg+xml;utf8,`.
        shape=r"(?:[A-Za-z][A-Za-z0-9\-]{0,31}/[A-Za-z0-9.+_\-]{1,127}(?:;[A-Za-z0-9\-]{1,32}(?:=[^\s,;:<>\"]{1,127})?){0,9}"
        r",|;[Bb][Aa][Ss][Ee]64,|;[Cc][Hh][Aa][Rr][Ss][Ee][Tt]=[A-Za-z0-9\-]{1,32}[,;]"
        # Without a type only what holds a triplet: `data:,` also stands in tables and in code.
        r"|,[A-Za-z0-9\-._~!$&'*+;=@/?]{0,256}%[0-9A-Fa-f]{2})",
        form=_data,
        check=_data_check,
        parts=_data_parts,
        same=(
            ("data:,A%20brief%20note", "data:text/plain;charset=US-ASCII,A%20brief%20note"),
            ("data:;charset=utf-8,x", "data:Text/Plain;Charset=UTF-8,x"),
            ("data:image/GIF;BASE64,R0lGODdh", "data:image/gif;base64,R0lGODdh"),
            ("data:a/b;y=1;x=2,c", "data:a/b;X=2;Y=1,c"),
            ("data:;base64,SGk=", "data:text/plain;charset=us-ascii;base64,SGk="),
        ),
        different=(
            ("data:,x", "data:text/plain,x"),
            ("data:,x", "data:,X"),
            ("data:image/gif;base64,R0lG", "data:image/gif,R0lG"),
            ("data:a/b;x=A,c", "data:a/b;x=a,c"),
            ("data:,a%2Cb", "data:,a,b"),
            ("data:/./a,b", "data:/a,b"),
        ),
    ),
    Scheme(
        name="geo",
        title="a place by its coordinates",
        reference="RFC 5870 3.3",
        authority=Authority.FORBIDDEN,
        case="names of parameters, value of crs",
        equivalence="forms of a number; crs=wgs84 and none; longitude at the poles, -180 and 180; order of parameters;"
        " triplets in their values (RFC 5870 3.4.4)",
        syntax=_GEO,
        shape=r"-?[0-9]{1,16}(?:\.[0-9]{1,32})?,-?[0-9]",
        form=_geo,
        parts=_geo_parts,
        same=(
            ("geo:90,-22.43;crs=WGS84", "geo:90,46"),
            ("geo:22.300,-118.44", "geo:22.3,-118.4400"),
            ("geo:66,30;u=6.500;FOo=this%2dthat", "geo:66.0,30;u=6.5;foo=this-that"),
            ("geo:70,20;foo=1.00;bar=white", "geo:70,20;bar=white;foo=1.00"),
            ("geo:10,180", "geo:10.0,-180"),
            ("geo:-0,00.5,-0.0", "geo:0,0.5,0"),
            ("geo:1,2;foo=a%21%3Ab", "geo:1,2;foo=a!:b"),
            ("geo:1,2;foo=a%2Cb%3d", "geo:1,2;foo=a,b="),
        ),
        different=(
            ("geo:48.2,16.3", "geo:48.2,16.3,0"),
            ("geo:48.2,16.3;u=0", "geo:48.2,16.3"),
            ("geo:48.2,16.3;crs=x", "geo:48.2,16.3"),
            ("geo:90,1;crs=x", "geo:90,2;crs=x"),
            ("geo:1,2;foo=a%21b", "geo:1,2;foo=a%22b"),
            ("geo:1,2;foo=a%3Bb=c", "geo:1,2;foo=a;b=c"),
            ("geo:1,2;foo=%2521", "geo:1,2;foo=%21"),
            ("geo:90,1", "geo:-90,1"),
            ("geo:47,11;foo=blue;bar=white", "geo:47,11;foo=Blue;bar=white"),
            ("geo:48.2,16.3", "geo:16.3,48.2"),
        ),
    ),
    Scheme(
        name="magnet",
        title="content by its hash",
        reference="the magnet project; BEP 9",
        authority=Authority.FORBIDDEN,
        case="digits of btih and btmh in topics",
        equivalence="the hexadecimal and the base32 form of a btih hash. Left out are the order of parameters,"
        " triplets in topics, and other hashes, which are compared as they stand",
        syntax=r"\?.+",
        shape=r"\?[a-z.0-9]{1,16}=[A-Za-z0-9]",
        form=_magnet,
        parts=lambda parts: named(pairs(parts.query or "", "&")),
        inner=_topic,
        same=(
            ("MAGNET:?xt=urn:ex:a%7e", "magnet:?xt=urn:ex:a~"),
            (f"magnet:?xt=urn:btih:{'AB' * 20}", f"magnet:?xt=urn:btih:{'ab' * 20}"),
            ("magnet:?dn=a&xt.1=URN:BTIH:VOV2XK5LVOV2XK5LVOV2XK5LVOV2XK5L", f"magnet:?dn=a&xt.1=urn:btih:{'ab' * 20}"),
            ("magnet:?xt=urn:btih:vov2xk5lvov2xk5lvov2xk5lvov2xk5l", f"magnet:?xt=urn:btih:{'ab' * 20}"),
            (f"magnet:?xt=urn:btmh:1220{'AB' * 32}", f"magnet:?xt=urn:btmh:1220{'ab' * 32}"),
        ),
        different=(
            (f"magnet:?xt=urn:btih:{'ab' * 20}", f"magnet:?xt=urn:btih:{'ac' * 20}"),
            (f"magnet:?xt=urn:btih:{'ab' * 20}&dn=A", f"magnet:?xt=urn:btih:{'ab' * 20}&dn=a"),
            (f"magnet:?xs=urn:btih:{'AB' * 20}", f"magnet:?xs=urn:btih:{'ab' * 20}"),
            (
                "magnet:?xt=urn:sha1:VOV2XK5LVOV2XK5LVOV2XK5LVOV2XK5L",
                "magnet:?xt=urn:sha1:vov2xk5lvov2xk5lvov2xk5lvov2xk5l",
            ),
            ("magnet:?xt=urn:ex:a&dn=b", "magnet:?dn=b&xt=urn:ex:a"),
            ("magnet:?xt=urn:ex:a&dn=b", "magnet:?xt=urn:ex:a"),
        ),
    ),
    Scheme(
        name="bitcoin",
        title="a payment in Bitcoin",
        reference="BIP 21",
        authority=Authority.FORBIDDEN,
        case="scheme",
        syntax=r"[A-Za-z0-9]*(?:\?.*)?",
        # Of the network and of those for tests; by BIP 321 the address may be absent.
        shape=r"(?:[123mn][1-9A-HJ-NP-Za-km-z]{25,34}|(?:[Bb][Cc](?:[Rr][Tt])?|[Tt][Bb])1[A-Za-z0-9]{11,71}"
        r"|[A-Za-z0-9]{0,90}\?[A-Za-z][A-Za-z0-9\-]{1,31}=)",
        parts=lambda parts: named([("address", parts.path or None), *pairs(parts.query or "", "&")]),
        same=(("BITCOIN:1abc?label=%7e", "bitcoin:1abc?label=~"),),
        different=(("bitcoin:1abc", "bitcoin:1Abc"), ("bitcoin:1abc?amount=1", "bitcoin:1abc?amount=1.0")),
    ),
    Scheme(
        name="ethereum",
        title="a payment in Ether",
        reference="ERC-681",
        case="scheme",
        shape=r"(?:pay-)?(?:0x[0-9A-Fa-f]{40}|[a-z0-9.\-]{1,253}\.eth(?![A-Za-z0-9\-.]))",
        same=((f"ETHEREUM:0x{'ab' * 20}", f"ethereum:0x{'ab' * 20}"),),
        different=((f"ethereum:0x{'ab' * 20}", f"ethereum:0x{'AB' * 20}"),),
    ),
    Scheme(
        name="spotify",
        title="music of Spotify",
        reference="the Spotify registration",
        case="scheme",
        shape=r"(?:(?:track|album|artist|playlist|show|episode|user)|user:[A-Za-z0-9._%\-]{1,64}:playlist):[A-Za-z0-9]{4}",
        same=(("SPOTIFY:track:ab12", "spotify:track:ab12"),),
        different=(("spotify:track:ab12", "spotify:track:AB12"),),
    ),
    _program("javascript", "the javascript registration"),
    _program("vbscript", "the vbscript scheme"),
    _nested("view-source", "the source of a page", r"[A-Za-z][A-Za-z0-9+.\-]{1,31}://[^\s<>\"]", "https://e.example/a"),
    _nested("feed", "a feed of a site", _WEB, "https://e.example/a"),
    _nested("blob", "an object of a page", rf"(?:{_WEB}|null/[0-9a-f]{{8}}-)", "https://e.example/9115d58c"),
    _nested("filesystem", "a file of a page", _WEB, "https://e.example/temporary/a"),
    _nested("jar", "an entry of an archive", rf"(?:{_WEB}|[Ff][Ii][Ll][Ee]:/[^\s<>\"])", "file:///a.jar!/b")._replace(
        inner=_archive, parts=_archive_parts
    ),
    Scheme(
        name="jdbc",
        title="a connection to a database",
        reference="the JDBC specification",
        case="scheme",
        shape=r"[a-z0-9][A-Za-z0-9+.\-]{1,31}:[^\s<>\"]",
        inner=_whole,
        parts=_database_parts,
        same=(("JDBC:postgresql://h.example/db", "jdbc:postgresql://h.example/db"),),
        different=(
            ("jdbc:postgresql://h.example/db", "jdbc:postgresql://H.example/db"),
            ("jdbc:postgresql://h.example:5432/db", "jdbc:postgresql://h.example/db"),
        ),
    ),
    Scheme(
        name="about",
        title="a page of the browser itself",
        reference="RFC 6694",
        authority=Authority.FORBIDDEN,
        case="scheme",
        shape=r"(?:blank|srcdoc|config|newtab|version)(?![A-Za-z0-9])",
        same=(("ABOUT:%62lank", "about:blank"),),
        different=(("about:blank", "about:Blank"), ("about:blank", "about:blank?a")),
    ),
)
