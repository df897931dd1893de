"""A slow twin: the RFCs' pseudo-code and ABNF written out by hand, without regular expressions and without the package.

It is here to be compared with, so it is as literal as it can be and nothing in it is fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

__all__ = [
    "Parts",
    "decode_to_iri",
    "encode_to_uri",
    "is_absolute_uri",
    "is_ipv6",
    "is_iri",
    "is_nid",
    "is_nss",
    "is_reference",
    "is_uri",
    "is_urn",
    "is_urn_8141",
    "normalize_syntax",
    "recompose",
    "remove_dot_segments",
    "resolve",
    "split",
    "urn_8141_assigned_name",
    "urn_key",
]

_ALPHA: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DIGIT: Final = "0123456789"
_HEX: Final = "0123456789ABCDEFabcdef"
_UNRESERVED: Final = _ALPHA + _DIGIT + "-._~"
_SUB_DELIMS: Final = "!$&'()*+,;="


class Parts(NamedTuple):
    """The components of RFC 3986 3 with the authority whole."""

    scheme: str | None
    authority: str | None
    path: str
    query: str | None
    fragment: str | None


# RFC 3986 5.2.4, 5.2.2, 5.2.3, 5.3


def remove_dot_segments(path: str) -> str:
    """RFC 3986 5.2.4, step by step."""
    given, output = path, ""
    while given != "":
        if given.startswith("../"):  # 2A
            given = given[3:]
        elif given.startswith("./"):
            given = given[2:]
        elif given.startswith("/./"):  # 2B
            given = "/" + given[3:]
        elif given == "/.":
            given = "/"
        elif given.startswith("/../"):  # 2C
            given = "/" + given[4:]
            output = output[: output.rindex("/")] if "/" in output else ""
        elif given == "/..":
            given = "/"
            output = output[: output.rindex("/")] if "/" in output else ""
        elif given in (".", ".."):  # 2D
            given = ""
        else:  # 2E
            end = given.find("/", 1)
            end = len(given) if end < 0 else end
            output += given[:end]
            given = given[end:]
    return output


def split(reference: str) -> Parts:
    """Take a reference apart as Appendix B does, character by character."""
    rest = reference
    fragment = query = authority = scheme = None
    if "#" in rest:
        rest, _, fragment = rest.partition("#")
    if "?" in rest:
        rest, _, query = rest.partition("?")
    before, colon, after = rest.partition(":")
    if colon and before and "/" not in before:
        scheme, rest = before, after
    if rest.startswith("//"):
        end = rest.find("/", 2)
        end = len(rest) if end < 0 else end
        authority, rest = rest[2:end], rest[end:]
    return Parts(scheme, authority, rest, query, fragment)


def recompose(parts: Parts) -> str:
    """RFC 3986 5.3."""
    result = ""
    if parts.scheme is not None:
        result += parts.scheme + ":"
    if parts.authority is not None:
        result += "//" + parts.authority
    result += parts.path
    if parts.query is not None:
        result += "?" + parts.query
    if parts.fragment is not None:
        result += "#" + parts.fragment
    return result


def _merge(base: Parts, path: str) -> str:
    """RFC 3986 5.2.3."""
    if base.authority is not None and base.path == "":
        return "/" + path
    if "/" not in base.path:
        return path
    return base.path[: base.path.rindex("/") + 1] + path


def resolve(base: str, reference: str) -> str:
    """RFC 3986 5.2.2, strict, and the "/." of 3.3 where the result would otherwise gain an authority."""
    b, r = split(base), split(reference)
    if r.scheme is not None:
        target = Parts(r.scheme, r.authority, remove_dot_segments(r.path), r.query, r.fragment)
    elif r.authority is not None:
        target = Parts(b.scheme, r.authority, remove_dot_segments(r.path), r.query, r.fragment)
    elif r.path == "":
        target = Parts(b.scheme, b.authority, b.path, b.query if r.query is None else r.query, r.fragment)
    elif r.path.startswith("/"):
        target = Parts(b.scheme, b.authority, remove_dot_segments(r.path), r.query, r.fragment)
    else:
        target = Parts(b.scheme, b.authority, remove_dot_segments(_merge(b, r.path)), r.query, r.fragment)
    if target.authority is None and target.path.startswith("//"):
        target = target._replace(path="/." + target.path)
    return recompose(target)


# RFC 3986 6.2.2


def _triplet_at(text: str, place: int) -> bool:
    return len(text) >= place + 3 and text[place] == "%" and text[place + 1] in _HEX and text[place + 2] in _HEX


def _mapped_triplets(text: str, each: Callable[[int], str]) -> str:
    result, place = "", 0
    while place < len(text):
        if _triplet_at(text, place):
            result += each(int(text[place + 1 : place + 3], 16))
            place += 3
        else:
            result += text[place]
            place += 1
    return result


def _normal_octet(octet: int) -> str:
    return chr(octet) if chr(octet) in _UNRESERVED else f"%{octet:02X}"


def percent_encoding(text: str) -> str:
    """6.2.2.1 (upper-case digits) and 6.2.2.2 (unreserved characters decoded)."""
    return _mapped_triplets(text, _normal_octet)


def _lower_but_triplets(text: str) -> str:
    result, place = "", 0
    while place < len(text):
        if _triplet_at(text, place):
            result += text[place : place + 3]
            place += 3
        else:
            result += text[place].lower()
            place += 1
    return result


def normalize_syntax(uri: str) -> str:
    """RFC 3986 6.2.2 with dot segments removed only from paths that begin with "/"."""
    parts = split(uri)
    authority = parts.authority
    if authority is not None:
        userinfo, at, rest = authority.rpartition("@")
        authority = percent_encoding(userinfo) + at + _lower_but_triplets(percent_encoding(rest))
    path = percent_encoding(parts.path)
    if path.startswith("/"):
        path = remove_dot_segments(path)
    if authority is None and path.startswith("//"):
        path = "/." + path
    return recompose(
        Parts(
            None if parts.scheme is None else parts.scheme.lower(),
            authority,
            path,
            None if parts.query is None else percent_encoding(parts.query),
            None if parts.fragment is None else percent_encoding(parts.fragment),
        )
    )


# RFC 3986 Appendix A, RFC 3987 2.2


def _ucschar(character: str) -> bool:
    point = ord(character)
    if 0xA0 <= point <= 0xD7FF or 0xF900 <= point <= 0xFDCF or 0xFDF0 <= point <= 0xFFEF:
        return True
    return 0x10000 <= point <= 0xEFFFD and point & 0xFFFF <= 0xFFFD and not 0xE0000 <= point <= 0xE0FFF


def _iprivate(character: str) -> bool:
    point = ord(character)
    return 0xE000 <= point <= 0xF8FF or 0xF0000 <= point <= 0xFFFFD or 0x100000 <= point <= 0x10FFFD


def _run(text: str, characters: str, iri: bool = False, private: bool = False) -> bool:
    """Whether a text is made of some ASCII characters, triplets, and in an IRI of ucschar (and iprivate)."""
    place = 0
    while place < len(text):
        if text[place] == "%":
            if not _triplet_at(text, place):
                return False
            place += 3
            continue
        allowed = text[place] in characters
        if iri and not allowed:
            allowed = _ucschar(text[place]) or (private and _iprivate(text[place]))
        if not allowed:
            return False
        place += 1
    return True


def _scheme(text: str) -> bool:
    return text[:1] != "" and text[0] in _ALPHA and all(character in _ALPHA + _DIGIT + "+-." for character in text)


def _ipv4(text: str) -> bool:
    octets = text.split(".")
    return len(octets) == 4 and all(
        octet != "" and all(digit in _DIGIT for digit in octet) and str(int(octet)) == octet and int(octet) < 256
        for octet in octets
    )


def _h16(text: str) -> bool:
    return 1 <= len(text) <= 4 and all(digit in _HEX for digit in text)


def _groups(text: str, last: bool) -> int | None:
    """How many 16-bit groups a part of an IPv6 address stands for, None if it is none."""
    if text == "":
        return 0
    pieces = text.split(":")
    count = 0
    for place, piece in enumerate(pieces):
        if last and place == len(pieces) - 1 and _ipv4(piece):
            count += 2
        elif _h16(piece):
            count += 1
        else:
            return None
    return count


def is_ipv6(text: str) -> bool:
    """The nine alternatives of IPv6address: eight groups, or fewer around one "::"."""
    if text.count("::") > 1 or ":::" in text:
        return False
    if "::" not in text:
        return _groups(text, True) == 8
    left, _, right = text.partition("::")
    before, after = _groups(left, False), _groups(right, True)
    return before is not None and after is not None and before + after <= 7


def _ip_literal(text: str) -> bool:
    if text[:1] != "[" or text[-1:] != "]" or len(text) < 2:
        return False
    inner = text[1:-1]
    if inner[:1] in ("v", "V"):
        version, dot, rest = inner[1:].partition(".")
        return (
            dot != ""
            and version != ""
            and all(c in _HEX for c in version)
            and rest != ""
            and all(c in _UNRESERVED + _SUB_DELIMS + ":" for c in rest)
        )
    return is_ipv6(inner)


def _authority(text: str, iri: bool) -> bool:
    userinfo, at, rest = text.rpartition("@")
    if at and not _run(userinfo, _UNRESERVED + _SUB_DELIMS + ":", iri):
        return False
    if rest[:1] == "[":
        host, bracket, after = rest.rpartition("]")
        return _ip_literal(host + bracket) and (
            after == "" or (after[0] == ":" and all(c in _DIGIT for c in after[1:]))
        )
    host, _, port = rest.partition(":")
    return _run(host, _UNRESERVED + _SUB_DELIMS, iri) and all(c in _DIGIT for c in port)


def _is_reference(text: str, iri: bool, scheme_required: bool | None) -> bool:
    parts = split(text)
    if scheme_required is True and (parts.scheme is None or not _scheme(parts.scheme)):
        return False
    # path-noscheme: no colon in the first segment, unless it is a path-abempty or begins with "/".
    colon = parts.authority is None and ":" in parts.path.partition("/")[0]
    if scheme_required is False and (parts.scheme is not None or colon):
        return False
    pchar = _UNRESERVED + _SUB_DELIMS + ":@"
    return (
        (parts.authority is None or _authority(parts.authority, iri))
        and _run(parts.path, pchar + "/", iri)
        and (parts.query is None or _run(parts.query, pchar + "/?", iri, True))
        and (parts.fragment is None or _run(parts.fragment, pchar + "/?", iri))
    )


def is_uri(text: str) -> bool:
    """URI of RFC 3986 Appendix A."""
    return _is_reference(text, False, True)


def is_iri(text: str) -> bool:
    """IRI of RFC 3987 2.2."""
    return _is_reference(text, True, True)


def is_absolute_uri(text: str) -> bool:
    """absolute-URI of RFC 3986 4.3."""
    return "#" not in text and is_uri(text)


def is_reference(text: str, iri: bool = False) -> bool:
    """URI-reference of RFC 3986 4.1, or IRI-reference of RFC 3987 2.2."""
    return _is_reference(text, iri, True) or _is_reference(text, iri, False)


# RFC 3987 3.1 and 3.2


def encode_to_uri(iri: str) -> str:
    """RFC 3987 3.1 step 2, for text that is Unicode already."""
    result = ""
    for character in iri:
        if ord(character) < 0x80:
            result += character
        else:
            for octet in character.encode("utf-8"):
                result += f"%{octet:02X}"
    return result


def decode_to_iri(component: str, shown: Callable[[str], bool]) -> str:
    """RFC 3987 3.2 on a component: triplets that are the UTF-8 of a character that `shown` allows become it.

    Unlike the RFC's step 1 no ASCII character is decoded.
    """
    result, place = "", 0
    while place < len(component):
        if not _triplet_at(component, place):
            result += component[place]
            place += 1
            continue
        octet = int(component[place + 1 : place + 3], 16)
        size = 2 if 0xC2 <= octet <= 0xDF else 3 if 0xE0 <= octet <= 0xEF else 4 if 0xF0 <= octet <= 0xF4 else 1
        character = None
        if size > 1 and all(_triplet_at(component, place + 3 * step) for step in range(size)):
            octets = bytes(int(component[place + 3 * step + 1 : place + 3 * step + 3], 16) for step in range(size))
            try:
                character = octets.decode("utf-8")
            except UnicodeDecodeError:
                character = None
        if character is not None and shown(character):
            result += character
            place += 3 * size
        else:
            # Only triplets above %7F are looked at; the digits of the others stay as they are.
            result += component[place : place + 3].upper() if octet >= 0x80 else component[place : place + 3]
            place += 3
    return result


# RFC 2141 2 and 5, RFC 8141 2 and 3.1


def is_nid(text: str) -> bool:
    """NID of RFC 2141 2.1."""
    let_num = _ALPHA + _DIGIT
    return (
        1 <= len(text) <= 32 and text[0] in let_num and all(c in let_num + "-" for c in text) and text.lower() != "urn"
    )


def is_nss(text: str) -> bool:
    """NSS of RFC 2141 2.2: one URN character at least before the reserved ones, which 2.3.2 keeps for later use."""
    other = "()+,-.:=@;$_!*'"
    return text != "" and text[0] not in "/?#" and _run(text, _ALPHA + _DIGIT + other + "/?#")


def is_urn(text: str) -> bool:
    """URN of RFC 2141 2; a URN is a URI, which has one "#" at most (RFC 3986 3.5)."""
    if text.count("#") > 1:
        return False
    urn, _, rest = text.partition(":")
    nid, colon, nss = rest.partition(":")
    return urn.lower() == "urn" and colon != "" and is_nid(nid) and is_nss(nss)


def _nid_8141(text: str) -> bool:
    ldh = _ALPHA + _DIGIT + "-"
    if not (2 <= len(text) <= 32 and all(c in ldh for c in text) and text[0] != "-" and text[-1] != "-"):
        return False
    if text.lower() == "urn":
        return False
    if text.lower().startswith("urn-"):  # 5.1: informal namespaces are "urn-" and a number without leading zeros
        return text[4:] != "" and all(c in _DIGIT for c in text[4:]) and text[4] != "0"
    return True


def urn_8141_assigned_name(text: str) -> tuple[str, str] | None:
    """NID and NSS of a URN of RFC 8141 2, None if it is none."""
    rest, hash_mark, fragment = text.partition("#")
    pchar = _UNRESERVED + _SUB_DELIMS + ":@"
    if hash_mark and not _run(fragment, pchar + "/?"):
        return None
    name, question, components = rest.partition("?")
    urn, _, rest = name.partition(":")
    nid, colon, nss = rest.partition(":")
    if urn.lower() != "urn" or not colon or not _nid_8141(nid):
        return None
    if nss == "" or nss[0] == "/" or not _run(nss, pchar + "/"):
        return None
    if question:
        if components[:1] == "+":
            r, q_mark, q = components[1:].partition("?=")
        elif components[:1] == "=":
            r, q_mark, q = None, "?=", components[1:]
        else:
            return None
        for component in (r, q if q_mark else None):
            if component is not None and (component == "" or component[0] in "/?" or not _run(component, pchar + "/?")):
                return None
    return nid, nss


def is_urn_8141(text: str) -> bool:
    """Namestring of RFC 8141 2."""
    return urn_8141_assigned_name(text) is not None


def urn_key(nid: str, nss: str) -> str:
    """What RFC 2141 5 compares: `urn` and the NID in lower case, triplets with digits in one case, nothing decoded."""
    return f"urn:{nid.lower()}:{_mapped_triplets(nss, lambda octet: f'%{octet:02X}')}"
