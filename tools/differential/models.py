"""What other programs take a text for: small changes of texts, which the known differences are put together from.

Components are those of RFC 3986 Appendix B, of texts that may break the grammar.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from urisieve import check
from urisieve.judge.normalize import remove_dot_segments
from urisieve.syntax.grammar import pattern

Change = Callable[[str], str]

_SPLIT = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_SCHEME = re.compile("[A-Za-z][A-Za-z0-9+.-]*")
_TRIPLET = re.compile("%[0-9A-Fa-f]{2}")


class Parts(NamedTuple):
    """Components by Appendix B."""

    scheme: str | None
    authority: str | None
    path: str
    query: str | None
    fragment: str | None

    def text(self) -> str:
        """Put them together (5.3)."""
        return (
            ("" if self.scheme is None else f"{self.scheme}:")
            + ("" if self.authority is None else f"//{self.authority}")
            + self.path
            + ("" if self.query is None else f"?{self.query}")
            + ("" if self.fragment is None else f"#{self.fragment}")
        )


def parts_of(text: str) -> Parts:
    """Split a text by Appendix B."""
    match = _SPLIT.fullmatch(text)
    assert match is not None
    return Parts(*match.groups())


def on(change: Callable[[str], str | None], *names: str) -> Change:
    """Return a change of some components that are there."""

    def changed(text: str) -> str:
        parts = parts_of(text)
        values: dict[str, Any] = {name: change(value) for name in names if (value := getattr(parts, name)) is not None}
        return parts._replace(**values).text()

    return changed


def where(condition: Callable[[Parts], bool], change: Change) -> Change:
    """Return a change of texts whose components meet a condition."""
    return lambda text: change(text) if condition(parts_of(text)) else text


def chain(*changes: Change) -> Change:
    """Return several changes, one after the other."""

    def changed(text: str) -> str:
        for change in changes:
            text = change(text)
        return text

    return changed


def sub(old: str, new: str | Callable[[re.Match[str]], str]) -> Change:
    """Return a change of whatever matches a pattern."""
    compiled = re.compile(old, re.DOTALL)
    return lambda text: compiled.sub(new, text)


def encode(match: re.Match[str]) -> str:
    """Percent-encode what was matched."""
    return "".join(f"%{octet:02X}" for octet in match[0].encode("utf-8", "surrogatepass"))


_ALLOWED = f"{pattern('iunreserved', iri=True)}{pattern('reserved')}%"


def _unmatched_brackets(text: str) -> str:
    """Encode brackets that are not around a literal address."""
    parts = parts_of(text)
    encoded = sub(r"[\[\]]", encode)
    authority = parts.authority
    if authority is not None:
        before, at, host = authority.rpartition("@")
        if re.fullmatch(r"\[[^\[\]]*\](:.*)?", host, re.DOTALL) is None:
            host = encoded(host)
        authority = encoded(before) + at + host
    return Parts(
        parts.scheme,
        authority,
        encoded(parts.path),
        parts.query and encoded(parts.query),
        parts.fragment and encoded(parts.fragment),
    ).text()


def _without_scheme(text: str) -> str:
    """Let a text that begins with no scheme be a path, though its first segment has a colon."""
    scheme, colon, _ = text.partition(":")
    if colon and not re.search("[/?#]", scheme) and not _SCHEME.fullmatch(scheme):
        return f"./{text}"
    return text


def _private(text: str) -> str:
    parts = parts_of(text)
    changed = sub("[\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]", encode)
    query = parts.query
    mapped = changed(parts._replace(query=None).text() if query is None else text)
    return mapped if query is None else Parts(*parts_of(mapped))._replace(query=query).text()


any_character = sub(f"[^{_ALLOWED}\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]", encode)
private_anywhere = _private
any_percent = sub("%(?![0-9A-Fa-f]{2})", "%25")
brackets_anywhere = _unmatched_brackets
path_without_scheme = _without_scheme
number_signs = on(sub("#", "%23"), "fragment")


def port_of(text: str) -> str | None:
    """Return the digits after the host, None if there is no port."""
    authority = parts_of(text).authority
    match = re.search(r":([^:@\[\]]*)\Z", authority or "")
    return None if match is None else match[1]


def invalid(text: str) -> str:
    """Change any text to one that is not valid."""
    return "%"


def refused(condition: Callable[[str], bool]) -> Change:
    """Return a change of the texts that a peer refuses, to one that is not valid."""
    return lambda text: invalid(text) if condition(text) else text


def great_port(text: str) -> bool:
    """Whether a port is greater than 65535."""
    port = port_of(text)
    return port is not None and port.isascii() and port.isdigit() and int(port) > 65535


def host_of(text: str) -> str:
    """Return the host of a text, "" if it has none."""
    authority = (parts_of(text).authority or "").rpartition("@")[2]
    return re.sub(r":[^:\[\]]*\Z", "", authority)


def splits_by_nfkc(text: str) -> bool:
    """Whether compatibility decomposition puts a delimiter into the authority."""
    authority = re.sub("[@:#?]", "", parts_of(text).authority or "")
    folded = unicodedata.normalize("NFKC", authority)
    return folded != authority and any(character in folded for character in "/?#@:%")


def numbered_port(text: str) -> str:
    """Write a port as digits that `int` of Python accepts: signs, blanks, underscores, digits of all scripts."""
    port = port_of(text)
    if not port:
        return text
    try:
        number = int(port)
    except ValueError:
        return text
    if number < 0 or port == str(number):
        return text
    return on(lambda authority: authority[: len(authority) - len(port)] + str(number), "authority")(text)


def future_address(text: str) -> bool:
    """Whether a host is an IPvFuture with a capital V."""
    return host_of(text).startswith("[V")


def no_dns_name(text: str) -> bool:
    """Whether a host with characters outside ASCII is not a name that the DNS could have."""
    host = host_of(text)  # as they stand, triplets are no letters
    return not host.isascii() and not all(check(f"http://{_TRIPLET.sub(new, host)}/") for new in ("", "9"))


any_address = on(sub(r"(^|@)\[[^\[\]]*:[^\[\]]*\]", r"\1[::1]"), "authority")
any_future = on(sub(r"(^|@)\[v[0-9A-Fa-f]+\.[^\]]+\]+", r"\1[v1.a]"), "authority")
several_at_signs = on(
    lambda authority: (
        authority[: (at := authority.rfind("@") + 1)].replace("@", "%40")[: -3 if at else None]
        + authority[at - (at > 0) :]
    ),
    "authority",
)

SPECIAL = ("http", "https", "ws", "wss", "ftp", "file")


def userinfo_of(text: str) -> str | None:
    """Return what stands before the last @ of an authority, None if there is none."""
    userinfo, at, _ = (parts_of(text).authority or "").rpartition("@")
    return userinfo if at else None


def userinfo_encoded(text: str) -> str:
    """Encode what the URL Standard encodes of a name and a password (1.3), but for the colon between them."""
    userinfo = userinfo_of(text)
    if not userinfo:
        return text
    name, colon, password = userinfo.partition(":")
    encoded = colon.join(sub("[:;=]", encode)(part) for part in ((name, password) if colon else (name,)))
    return on(lambda authority: encoded + authority[len(userinfo) :], "authority")(text)


def scheme_of(text: str) -> str:
    """Return the scheme in lower case, "" if there is none."""
    return (parts_of(text).scheme or "").lower()


def no_host_of_whatwg(text: str) -> bool:
    """Whether the host parser of the URL Standard fails (3.5), for its special schemes; for others the opaque one."""
    host = host_of(text)
    if host.startswith("["):
        return host[1:2] in ("v", "V")
    if scheme_of(text) not in SPECIAL:
        return re.search(r"[\0\t\n\r #/:<>?@\[\\\]^|]", host) is not None
    if no_dns_name(text) or (re.search(r"(?:\A|\.)xn--", host, re.IGNORECASE) and not check(f"http://{host}/")):
        return True
    octets = unquote_to_bytes(host)
    try:
        name = octets.decode()
    except UnicodeDecodeError:
        return True
    if re.search(r"[\0-\x20\x7f#/:<>?@\[\\\]^|%]", unicodedata.normalize("NFKC", name)):
        return True
    if not name.isascii() and not check(f"http://{name}/"):
        return True
    labels = _IGNORABLE.sub("", name).removesuffix(".").split(".")
    return re.fullmatch("[0-9]+|0[Xx][0-9A-Fa-f]*", labels[-1]) is not None and not number_of_whatwg(labels)


def number_of_whatwg(labels: list[str]) -> bool:
    """Whether labels are an IPv4 address by the URL Standard (3.5, "IPv4 parser")."""
    return address_of_whatwg(labels) is not None


def address_of_whatwg(labels: list[str]) -> int | None:
    """Return the IPv4 address that labels are by the URL Standard (3.5, "IPv4 parser"); None if they are none."""
    numbers = []
    for label in labels:
        if re.fullmatch("0[Xx][0-9A-Fa-f]*", label):
            numbers.append(int(label[2:] or "0", 16))
        elif re.fullmatch("0[0-7]*", label):
            numbers.append(int(label, 8))
        elif re.fullmatch("[1-9][0-9]*", label):
            numbers.append(int(label))
        else:
            return None
    if len(numbers) > 4 or any(n > 255 for n in numbers[:-1]) or numbers[-1] >= 256 ** (5 - len(numbers)):
        return None
    return numbers[-1] + sum(n << (24 - 8 * place) for place, n in enumerate(numbers[:-1]))


def ipv4_in_decimal(text: str) -> str:
    """Write the IPv4 address of a special scheme as four decimal numbers, as the URL Standard does (3.5)."""
    host = host_of(text)
    if scheme_of(text) not in SPECIAL or not host:
        return text
    address = address_of_whatwg(host.removesuffix(".").split("."))
    if address is None:
        return text
    dotted = ".".join(str(address >> shift & 255) for shift in (24, 16, 8, 0))
    return on(sub(r"(\A|@)[^@:]*(?=(?::[^:]*)?\Z)", rf"\g<1>{dotted}"), "authority")(text)


_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)


def ignorable(text: str) -> bool:
    """Whether a host holds a character that UTS 46 drops (Default_Ignorable_Code_Point)."""
    return _IGNORABLE.search(host_of(text)) is not None


def without_dots(text: str) -> str:
    """Remove dot segments as 5.2.4 says, and let the result stand as it is (3.3)."""
    return on(remove_dot_segments, "path")(text)


def without_decoded_dots(text: str) -> str:
    """Remove dot segments, those of triplets too."""
    return on(lambda path: remove_dot_segments(path.replace("%2e", ".").replace("%2E", ".")), "path")(text)
