"""Rows of persistent names: `urn`, `doi`, `hdl`, `info`, `tag`, `did`, `ni`, `nih`, `ark` and others."""

from __future__ import annotations

from urisieve.codes import Notice, Warn
from urisieve.lean import Final, lazy_compile
from urisieve.rules.forms import after_scheme, hosted, marks_decoded, named, pairs
from urisieve.rules.scheme_table import Authority, Scheme
from urisieve.syntax.components import Components, lower_case

_UUID: Final = r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"
# RFC 4151 2.1.
_DNS_NAME: Final = r"[A-Za-z0-9]++(?>-++[A-Za-z0-9]++)*+(?>\.[A-Za-z0-9]++(?>-++[A-Za-z0-9]++)*+)*+"
_INFO: Final = (
    "ark|arxiv|bibcode|bnf|ddc|doi|dlf|eu-repo|fedora|hdl|inchi|lanl-repo|lc|lccn|ncbi|netref|nla|nyu|oclcnum|ofi|oma"
    "|pmid|pronom|refseq|rfa|rlgid|sici|sid|srw|ugent-repo"
)


def _doi(parts: Components) -> Components:
    """Lower the case of ASCII letters, which does not count; other octets do not change (DOI Handbook 2.4)."""
    return parts._replace(path=lower_case(parts.path))


def _doi_parts(parts: Components) -> dict[str, str]:
    prefix, _, suffix = after_scheme(parts).partition("/")
    return {"prefix": prefix, "suffix": suffix}


def _info(parts: Components) -> Components:
    """Lower the case of the namespace (RFC 4452 5), and of DOI names, as their entry in the registry says.

    Example U3 of the RFC decodes the triplets of parentheses, which were unreserved by RFC 2396.
    """
    namespace, slash, identifier = marks_decoded(parts.path).partition("/")
    namespace = lower_case(namespace)
    return parts._replace(path=f"{namespace}{slash}{lower_case(identifier) if namespace == 'doi' else identifier}")


def _info_parts(parts: Components) -> dict[str, str]:
    namespace, _, identifier = after_scheme(parts).partition("/")
    return {"namespace": namespace, "identifier": identifier}


def _tag_parts(parts: Components) -> dict[str, str]:
    entity, _, specific = after_scheme(parts).partition(":")
    authority, _, date = entity.partition(",")
    return {"authority_name": authority, "date": date, "specific": specific}


def _did_parts(parts: Components) -> dict[str, str]:
    method, _, rest = parts.path.partition(":")
    identifier, slash, path = rest.partition("/")
    return named(
        [
            ("method", method),
            ("method_specific_id", identifier),
            ("path", path if slash else None),
            ("query", parts.query),
        ]
    )


def _ni_compared(parts: Components) -> Components:
    """Remove authority and parameters: only algorithm and digest are compared (RFC 6920 2)."""
    return parts._replace(userinfo=None, host="", port=None, query=None)


def _digest(hexadecimal: str) -> str | None:
    """Convert a digest to the form of `ni`, base64url without padding (RFC 6920 3); None if it has half an octet."""
    if len(hexadecimal) % 2:
        return None
    from base64 import urlsafe_b64encode

    return urlsafe_b64encode(bytes.fromhex(hexadecimal)).decode("ascii").rstrip("=")


def _ni_parts(parts: Components) -> dict[str, str]:
    algorithm, _, value = parts.path[1:].partition(";")
    return named([*hosted(parts), ("algorithm", algorithm), ("digest", value), *pairs(parts.query or "", "&")])


# RFC 6920 9.4: the suite IDs that may stand for the name of an algorithm.
_SUITES: Final = {
    "1": "sha-256",
    "2": "sha-256-128",
    "3": "sha-256-120",
    "4": "sha-256-96",
    "5": "sha-256-64",
    "6": "sha-256-32",
}


def _nih(parts: Components) -> Components:
    """Remove separators, lower the case of hexadecimal digits, and write names for suite IDs (RFC 6920 7)."""
    algorithm, _, rest = parts.path.partition(";")
    digest, semicolon, check_digit = rest.partition(";")
    path = f"{_SUITES.get(algorithm, algorithm)};{digest.replace('-', '').lower()}{semicolon}{check_digit.lower()}"
    return parts._replace(path=path)


def _nih_compared(parts: Components) -> Components:
    """Return the `ni` of the same algorithm and digest, which are compared "regardless of encoding" (RFC 6920 2)."""
    algorithm, digest = parts.path.split(";")[:2]
    value = _digest(digest)
    if value is None:
        return parts._replace(path=f"{algorithm};{digest}")
    return parts._replace(scheme="ni", host="", path=f"/{algorithm};{value}")


def _luhn_mod_16(digits: str) -> str:
    """Return the check digit of Luhn's algorithm modulo 16 (RFC 6920 7)."""
    total = 0
    for index, digit in enumerate(reversed(digits)):
        value = int(digit, 16)
        if index % 2 == 0:
            value = 2 * value // 16 + 2 * value % 16
        total += value
    return f"{-total % 16:x}"


_TRIPLET: Final = lazy_compile("%([2-7][0-9A-Fa-f])")
_HEX_DIGITS: Final = lazy_compile("[0-9A-Fa-f]+")


def _nih_check(parts: Components) -> tuple[Notice, ...]:
    _, *fields = parts.path.split(";")
    if len(fields) != 2:
        return ()
    # Triplets of letters, digits and hyphens mean the characters themselves (RFC 3986 2.3).
    digest = _TRIPLET.sub(lambda match: chr(int(match[1], 16)), fields[0]).replace("-", "")
    if not _HEX_DIGITS.fullmatch(digest):
        return ()
    expected = _luhn_mod_16(digest)
    return () if fields[1].lower() == expected else (Notice(Warn.WRONG_CHECK_DIGIT, expected),)


def _nih_parts(parts: Components) -> dict[str, str]:
    algorithm, *fields = parts.path.split(";")
    return named([("algorithm", algorithm), *zip(("digest", "check_digit"), fields, strict=False)])


# The name assigning authority number, in betanumeric characters, and the name behind it.
_ARK_NAME: Final = lazy_compile(r"/?([0-9bcdfghjkmnpqrstvwxz]{5,9}/)(.+)")


def _ark_compared(parts: Components) -> Components:
    """Remove the slash before the number, and hyphens (draft-kunze-ark-39, Normalization, steps 3 and 5).

    Hyphens are removed behind the number, which has none.
    """
    match = None if parts.host is not None else _ARK_NAME.fullmatch(parts.path)
    return parts if match is None else parts._replace(path=f"{match[1]}{match[2].replace('-', '')}")


def _ark_parts(parts: Components) -> dict[str, str]:
    assigner, _, name = parts.path.removeprefix("/").partition("/")
    return {"name_assigning_authority_number": assigner, "name": name}


def _swh_parts(parts: Components) -> dict[str, str]:
    core, _, qualifiers = parts.path.partition(";")
    return named(
        [*zip(("version", "object_type", "object_id"), core.split(":"), strict=False), *pairs(qualifiers, ";")]
    )


ROWS: Final = (
    Scheme(
        name="urn",
        title="a name of a namespace",
        reference="RFC 2141 2",
        authority=Authority.FORBIDDEN,
        case="namespace identifier, digits of triplets; the rest as its namespace says",
        shape=r"[A-Za-z0-9\-]{1,64}:[A-Za-z0-9()+,\-.:=@;$_!*'%/?#~&]",
        same=(("URN:Ex-A:b%2f", "urn:ex-a:b%2F"),),
        different=(("urn:ex-a:b", "urn:ex-a:B"), ("urn:ex-a:%41", "urn:ex-a:A")),
    ),
    Scheme(
        name="doi",
        title="a Digital Object Identifier",
        reference="DOI Handbook 2.4",
        authority=Authority.FORBIDDEN,
        case="the name, in ASCII",
        syntax=r"10\.[0-9.]+/.+",
        shape=r"10\.[0-9]{1,9}(?:\.[0-9]{1,9}){0,4}/[^\s<>\"]",
        form=_doi,
        parts=_doi_parts,
        same=(("doi:10.1000/ABC", "doi:10.1000/abc"), ("DOI:10.1000/a%2d%c3%89", "doi:10.1000/A-%C3%89")),
        different=(
            ("doi:10.1000/%C3%89", "doi:10.1000/%C3%A9"),
            ("doi:10.1000/a", "doi:10.1000/a/"),
            ("doi:10.1000/a", "info:doi/10.1000/a"),
        ),
    ),
    Scheme(
        name="hdl",
        title="a handle",
        reference="RFC 3650 3, RFC 3651 2",
        case="scheme",
        expected=r"[^/]+/.+",
        # Numbers of a few digits are values of blood tests: `HDL:45/100`.
        shape=r"(?:(?:[0-9]{4,9}|[0-9]{2}\.T?[0-9]{3,9})(?:\.[0-9A-Za-z\-]{1,16}){0,4}"
        r"|[A-Za-z][A-Za-z0-9\-]{1,31}(?:\.[0-9A-Za-z\-]{1,32}){1,4})/[0-9A-Za-z%_(]",
        parts=_doi_parts,
        same=(("HDL:2027/1", "hdl:2027/1"), ("hdl:20.500.12345/a%2db", "hdl:20.500.12345/a-b")),
        different=(("hdl:2027/a", "hdl:2027/A"), ("hdl:2027/1", "hdl:2027/1/"), ("hdl:10.1000/182", "doi:10.1000/182")),
    ),
    Scheme(
        name="info",
        title="an identifier of a public namespace",
        reference="RFC 4452 4.1, 5",
        authority=Authority.FORBIDDEN,
        case="namespace; identifiers of the namespace doi",
        equivalence="triplets of !, ', (, ) and *",
        syntax=r"[A-Za-z][A-Za-z0-9+.\-]*/.*",
        expected=r"[^?]*",
        # The registry closed before it held all that was in use: example U1 of the RFC has `pii`.
        shape=rf"(?:(?:{_INFO})/[^\s<>\"]|[Pp][Ii][Ii]/[SsBb][0-9])",
        form=_info,
        parts=_info_parts,
        same=(
            ("INFO:PII/S0888-7543(02)96852-7", "info:pii/S0888%2D7543(02)96852-7"),
            ("info:doi/10.1000/ABC", "info:doi/10.1000/abc"),
            ("info:pii/S0888-7543(02)96852-7", "info:pii/S0888%2D7543%2802%2996852%2D7"),
        ),
        different=(
            ("info:pii/S0888-7543(02)96852-7", "info:pii/S0888754302968527"),
            ("info:pii/S0888-7543(02)96852-7", "info:pii/s0888-7543(02)96852-7"),
            ("info:sici/a%3Cb", "info:sici/a%3Eb"),
            ("info:ddc/22%2Feng", "info:ddc/22/eng"),
            ("info:ddc/22/eng//004", "info:ddc/22/eng/004"),
        ),
    ),
    Scheme(
        name="tag",
        title="a name given by the holder of a domain at a date",
        # 2.1: "software that processes tags MUST NOT reject them on the grounds that they are outside the syntax".
        reference="RFC 4151 2.1, 2.4",
        case="scheme",
        # 2.4: "completely indistinguishable in their machine representations". The only other rule that applies is that
        # of RFC 3986 3.1: case does not count in the scheme.
        keeps_dots=True,
        keeps_triplets=True,
        expected=rf"(?:[A-Za-z0-9\-._]+@)?{_DNS_NAME},[0-9]{{4}}(?:-[0-9]{{2}}(?:-[0-9]{{2}})?)?:.*",
        shape=r"[A-Za-z0-9._@\-]{1,255},[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?:",
        parts=_tag_parts,
        same=(("TAG:e.example,2000:a", "tag:e.example,2000:a"),),
        different=(
            ("tag:EXAMPLE.com,2000:a", "tag:example.com,2000:a"),
            ("tag:example.com,2000:%7Ea", "tag:example.com,2000:~a"),
            ("tag:example.com,2000:a", "tag:example.com,2000-01:a"),
            ("tag:example.com,2000-01-01:a", "tag:example.com,2000-01:a"),
            ("tag:example.com,2000:a", "tag:example.com,2000:A"),
        ),
    ),
    Scheme(
        name="did",
        title="a decentralized identifier",
        reference="DID Core 3.1",
        authority=Authority.FORBIDDEN,
        case="scheme",
        syntax=r"[a-z0-9]+:[A-Za-z0-9._%:\-]*[A-Za-z0-9._%\-](?:[;/?].*)?",
        shape=r"[a-z0-9]{2,32}:[A-Za-z0-9._%\-]",
        parts=_did_parts,
        same=(("did:ex:a%2db", "did:ex:a-b"),),
        different=(
            ("did:ex:abc", "did:ex:ABC"),
            ("did:ex:a:b", "did:ex:a"),
            ("did:ex:a#key", "did:ex:a"),
            ("did:ex:a?x=1&y=2", "did:ex:a?y=2&x=1"),
        ),
    ),
    Scheme(
        name="ni",
        title="content by its hash",
        reference="RFC 6920 2, 3",
        dns=True,
        case="scheme and host",
        equivalence="the key holds algorithm and digest alone: neither authority nor parameters",
        syntax=r"//[^/?]*/[A-Za-z0-9._~\-]+;[A-Za-z0-9._~\-]+(?:\?.*)?",
        compared=_ni_compared,
        parts=_ni_parts,
        same=(
            ("ni:///sha-256;UyaQV-Ev4rdL", "ni://example.com/sha-256;UyaQV-Ev4rdL"),
            ("ni:///sha-256;UyaQV-Ev4rdL?ct=text/plain", "ni:///sha-256;UyaQV-Ev4rdL"),
            ("ni:///sha-256-32;UyaQVw", "nih:6;5326-9057;b"),
        ),
        different=(
            ("ni:///sha-256;UyaQV-Ev4rdL", "ni:///sha-256;uyaqv-ev4rdl"),
            ("ni:///sha-256;UyaQV-Ev4rdL", "ni:///sha-256-32;UyaQV-Ev4rdL"),
            ("ni:///sha-256-32;UyaQVw", "nih:sha-256-32;53269058"),
        ),
    ),
    Scheme(
        name="nih",
        title="content by its hash, to be spoken",
        reference="RFC 6920 2, 7",
        authority=Authority.FORBIDDEN,
        case="hexadecimal digits",
        equivalence="hyphens in the digest; suite IDs and names of algorithms; the key is that of the ni URI",
        syntax=r"[A-Za-z0-9._~\-]+;-*+[0-9A-Fa-f][0-9A-Fa-f\-]*+(?:;[0-9A-Fa-f])?",
        shape=r"(?:sha-?[0-9\-]{1,16}|[0-9]);[0-9A-Fa-f]",
        form=_nih,
        compared=_nih_compared,
        check=_nih_check,
        parts=_nih_parts,
        same=(
            ("nih:3;532690-57e12f-e2b74b-a07c89-2560a2;f", "nih:sha-256-120;5326-9057-e12f-e2b7-4ba0-7c89-2560-a2;f"),
            ("nih:sha-256-32;53269057;b", "nih:sha-256-32;5326-9057"),
            ("nih:sha-256-32;5326905A", "nih:6;5326905a"),
            ("nih:sha-256-32;53269057", "ni:///sha-256-32;UyaQVw"),
            ("nih:3;532690-57e12f-e2b74b-a07c89-2560a2;f", "ni://e.example/sha-256-120;UyaQV-Ev4rdLoHyJJWCi?ct=a"),
        ),
        different=(
            ("nih:sha-256-32;53269057", "nih:sha-256-64;53269057"),
            ("nih:sha-256-32;53269057", "nih:sha-256-32;53269058"),
            ("nih:sha-256-32;53269057", "ni:///sha-256-32;UyaQWA"),
            ("nih:sha-256-32;53269057", "ni:///sha-256-64;UyaQVw"),
            ("nih:sha-256-32;532", "ni:///sha-256-32;532"),
        ),
    ),
    Scheme(
        name="ark",
        title="an Archival Resource Key",
        reference="draft-kunze-ark-39, Normalization and Lexical Equivalence",
        case="scheme",
        equivalence="the key leaves out the slash before the number, and hyphens in the name",
        shape=r"/?[0-9bcdfghjkmnpqrstvwxz]{5,9}/[^\s<>\"]",
        compared=_ark_compared,
        parts=_ark_parts,
        same=(
            ("ARK:/12148/btv1b%7e", "ark:/12148/btv1b~"),
            ("ark:/12148/btv1b", "ark:12148/btv1b"),
            ("ark:/12025/65-4-xz-321", "ark:12025/654xz321"),
            ("ark:12148/a-b/c-%2Dd.e-f", "ark:12148/ab/cd.ef"),
        ),
        different=(
            ("ark:/12148/btv1b", "ark:/12148/BTV1B"),
            ("ark:/12148/btv1b", "ark:/12149/btv1b"),
            ("ark:12148/a/b", "ark:12148/a.b"),
            ("ark:12148/a%2Fb", "ark:12148/a/b"),
            ("ark:12148/a?info", "ark:12148/a"),
            ("ark:12148/a-b", "info:ark/12148/ab"),
        ),
    ),
    Scheme(
        name="oid",
        title="an object identifier",
        reference="the OID registration",
        authority=Authority.FORBIDDEN,
        case="scheme",
        syntax=r"[0-2](?:\.(?:0|[1-9][0-9]*))+",
        shape=r"[0-2](?:\.[0-9]{1,32}){2}",
        same=(("OID:1.3.6.1", "oid:1.3.6.1"),),
        different=(("oid:1.3.6.1", "oid:1.3.6.10"),),
    ),
    Scheme(
        name="swh",
        title="an object of an archive of software",
        reference="ISO 18670",
        case="scheme",
        equivalence="nothing: left out is the order of qualifiers",
        expected=r"1:(?:snp|rel|rev|dir|cnt):[0-9a-f]{40}(?>;(?:origin|visit|anchor|path|lines|bytes)=[^;]++)*+",
        shape=r"1:(?:cnt|dir|rev|rel|snp|ori|emd):[0-9a-f]{40}",
        parts=_swh_parts,
        same=(("SWH:1:cnt:" + "a" * 40, "swh:1:cnt:" + "a" * 40),),
        different=(("swh:1:cnt:" + "a" * 40, "swh:1:rev:" + "a" * 40),),
    ),
    Scheme(
        name="opaquelocktoken",
        title="a lock of WebDAV",
        reference="RFC 4918 App. C",
        case="scheme",
        syntax=rf"{_UUID}.*",
        shape=_UUID,
        same=(
            (
                "OPAQUELOCKTOKEN:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
                "opaquelocktoken:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
            ),
        ),
        different=(
            (
                "opaquelocktoken:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
                "opaquelocktoken:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
            ),
        ),
    ),
)
