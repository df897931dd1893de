"""Parts of identifiers that are written as `***`, beside the masking of passwords."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from enum import StrEnum

from urisieve.errors import UsageError, not_a_string
from urisieve.lean import Final, lazy_compile
from urisieve.records.masking import masked_text, masked_with_offset
from urisieve.rules.links.layers import is_redirector
from urisieve.syntax.components import Memo
from urisieve.syntax.passwords import MASK


class RedactedPart(StrEnum):
    """A part of identifiers that can be hidden in what is written.

    >>> from urisieve import RedactedPart
    >>> [str(part) for part in RedactedPart]
    ['userinfo', 'query', 'fragment', 'path']
    """

    USERINFO = "userinfo"
    """The text before the `@` of an authority, with the password (RFC 3986 3.2.1); in SIP the user."""
    QUERY = "query"
    """The text behind the `?`; in a URN the r- and q-components."""
    FRAGMENT = "fragment"
    """The text behind the `#`."""
    PATH = "path"
    """The path; without an authority all that stands between the scheme (in a URN the namespace) and `?` or `#`."""


_USERINFO: Final = RedactedPart.USERINFO
_QUERY: Final = RedactedPart.QUERY
_FRAGMENT: Final = RedactedPart.FRAGMENT
_PATH: Final = RedactedPart.PATH
# Those that a link inside another one has in places where the outer link has none.
_OF_INNER: Final = frozenset((_QUERY, _FRAGMENT, _PATH))

_HIERARCHICAL: Final = lazy_compile(
    r"(?s)((?>[A-Za-z][A-Za-z0-9+.\-]*+:)++//)([^/?#]*+)([^?#]*+)(?:\?([^#]*+))?(?:#(.*))?"
)
_OTHER: Final = lazy_compile(
    r"(?s)([Uu][Rr][Nn]:[^:?#]*+:|[A-Za-z][A-Za-z0-9+.\-]*+:)([^?#]*+)(?:\?([^#]*+))?(?:#(.*))?"
)
_SIP: Final = lazy_compile(r"(?s)((?:[A-Za-z][A-Za-z0-9+.\-]*+:)??[Ss][Ii][Pp][Ss]?:)(?!//)([^@]*)@")
_COLON: Final = r"(?:%(?>25)*+|-)3[Aa]"
_SLASH: Final = r"(?:/|%(?>25)*+2[Ff]|_)"
# A link inside another one, from its scheme on, which begins with no digit of a triplet; no scheme that is in use is
# longer.
_INNER_SCHEME: Final = r"(?<!%)(?<!%[0-9A-Fa-f])[A-Za-z][A-Za-z0-9+.]{0,39}+"
_INNER: Final = lazy_compile(rf"(?s){_INNER_SCHEME}(?::|{_COLON}){_SLASH}.*")
_INNER_ENCODED: Final = lazy_compile(rf"(?s){_INNER_SCHEME}{_COLON}{_SLASH}.*")
_INNER_USER: Final = lazy_compile(
    rf"(?s)(?::|{_COLON}){_SLASH}{_SLASH}((?>(?!(?:/|%(?>25)*+2[Ff])|[?#&]|@|(?:%(?>25)*+|-)40).)*+)(?:@|(?:%(?>25)*+|-)40)"
)
_AT: Final = lazy_compile(r"@|%(?>25)*+40")
_QUERY_START: Final = lazy_compile(r"\?|%(?>25)*+3[Ff]")
_FRAGMENT_START: Final = lazy_compile(r"#|%(?>25)*+23")
_AUTHORITY_END: Final = lazy_compile(r"[/?#\\]|%(?>25)*+(?:2[Ff]|3[Ff]|23)")
_BEGIN: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+.\-]{0,39}+:\s*+/\s*+/")
_SCHEME: Final = lazy_compile(r"[Uu][Rr][Nn]:[^:?#]*+:|[A-Za-z][A-Za-z0-9+.\-]*+:")
# An identifier in a name or a message.
_NAMED: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+.\-]{0,39}+://[^\s\"'<>`]*+")

_Hidden = Callable[[str], str]


def checked_parts(parts: Iterable[RedactedPart | str]) -> frozenset[RedactedPart]:
    """Return names of parts as a set.

    Raises:
        UsageError: there is no such part.
    """
    if isinstance(parts, str):
        raise UsageError(f"redact={parts!r} is one text: give several names, as ({parts!r},)")
    found = []
    for part in parts:
        if part not in list(RedactedPart):
            raise UsageError(f"there is no part {part!r} to redact: use {', '.join(RedactedPart)}")
        found.append(RedactedPart(part))
    return frozenset(found)


def part_bits(parts: Collection[RedactedPart]) -> int:
    """Return parts as the bits that the kernel knows them by."""
    return sum(1 << bit for bit, part in enumerate(RedactedPart) if part in parts)


def redirectors(parts: frozenset[RedactedPart]) -> Memo[bool] | None:
    """Return for which hosts all behind the host is hidden with some parts; None if that is so for none."""
    if _OF_INNER.isdisjoint(parts):
        return None
    return Memo(lambda host: host is not None and is_redirector(host))


def redact(uri: str, parts: Iterable[RedactedPart | str] = ()) -> str:
    """Return an identifier with some of its parts as `***`, and without its password; it stays an identifier.

    A part that is absent or empty stays so, and a path `/` too. Of a link inside another one all is hidden from its
    scheme on, unless `userinfo` alone is redacted; of a link of a redirector all behind the host, since it may hold
    the other one in any encoding.

    >>> from urisieve import redact
    >>> redact("https://joe@a.example/reset/me?token=x#end", ["query", "fragment"])
    'https://joe@a.example/reset/me?***#***'
    >>> redact("mailto:joe@a.example?subject=x", ["path"]), redact("urn:isbn:0395363411", ["path"])
    ('mailto:***?subject=x', 'urn:isbn:***')

    Args:
        uri: a valid identifier, such as `Record.uri`.
        parts: `userinfo`, `query`, `fragment`, `path`; none of them masks the password alone.

    Raises:
        UsageError: there is no such part, or `uri` is not a string.
    """
    chosen = checked_parts(parts)
    if not isinstance(uri, str):
        raise not_a_string("an identifier", uri)
    return redacted_text(masked_text(uri), chosen)


def redacted_text(text: str, parts: frozenset[RedactedPart], hidden: _Hidden = lambda _: MASK) -> str:
    """Return an identifier with some of its parts replaced.

    Args:
        text: the identifier; of a text that is not one little is left.
        parts: the parts; none changes nothing.
        hidden: returns what is written instead of a part.
    """
    if not parts:
        return text
    match = _HIERARCHICAL.fullmatch(text)
    if match is not None:
        start, authority, path, query, fragment = match.groups()
        user, at, host = authority.rpartition("@")
        if at and _USERINFO in parts:
            authority = f"{hidden(user)}@{host}"
        if not _OF_INNER.isdisjoint(parts) and is_redirector(host):
            parts = parts | _OF_INNER
        if _PATH in parts:
            path = path if path in ("", "/") else f"/{hidden(path)}"
        else:
            path = _without_inner(path, parts, hidden, _INNER_ENCODED)
        start += authority
    else:
        if _USERINFO in parts and (sip := _SIP.match(text)) is not None:
            text = f"{sip[1]}{hidden(sip[2])}{text[sip.end() - 1 :]}"
        match = _OTHER.fullmatch(text)
        if match is None:
            return hidden(text)
        start, path, query, fragment = match.groups()
        if _PATH not in parts:
            path = _without_inner(path, parts, hidden, _INNER_ENCODED)
        elif path not in ("", "/"):
            path = f"/{hidden(path)}" if path[:1] == "/" else hidden(path)
    made = f"{start}{path}"
    if query is not None:
        is_urn = start[:4].lower() == "urn:" and query[:1] in ("+", "=")
        sign = query[:1] if is_urn else ""
        made += f"?{sign}{_hidden_part(query[len(sign) :], _QUERY, parts, hidden)}"
    if fragment is not None:
        made += f"#{_hidden_part(fragment, _FRAGMENT, parts, hidden)}"
    return made


def _hidden_part(text: str, part: RedactedPart, parts: frozenset[RedactedPart], hidden: _Hidden) -> str:
    if part in parts:
        return hidden(text) if text else text
    return _without_inner(text, parts, hidden, _INNER)


def _without_inner(text: str, parts: frozenset[RedactedPart], hidden: _Hidden, inner: re.Pattern[str]) -> str:
    """Return a part that stays, without the parts of identifiers inside it."""
    if not _OF_INNER.isdisjoint(parts):
        match = inner.search(text)
        if match is not None:
            return f"{text[: match.start()]}{hidden(match[0])}"
    if _USERINFO in parts:

        def replaced(match: re.Match[str]) -> str:
            start, end = match.start(1) - match.start(), match.end(1) - match.start()
            return f"{match[0][:start]}{hidden(match[1])}{match[0][end:]}"

        text = _INNER_USER.sub(replaced, text)
    return text


def redacted_raw(raw: str, uri: str, parts: frozenset[RedactedPart]) -> str:
    """Return the raw text of an identifier with its parts replaced; the redacted URI if they are not found in it.

    Args:
        raw: the text as it stood, with its password masked.
        uri: the canonical URI, with its password masked and its parts replaced.
        parts: the parts.
    """
    if raw[:4].lower() == "www.":
        return redacted_raw(f"http://{raw}", uri, parts).removeprefix("http://")
    own, other = _HIERARCHICAL.fullmatch(raw), _HIERARCHICAL.fullmatch(uri)
    if own is None and other is None:
        own, other = _OTHER.fullmatch(raw), _OTHER.fullmatch(uri)
        if own is not None and other is not None and own[1].lower() != other[1].lower():
            return uri
    if own is None or other is None:
        return uri
    same = all((one is None) == (two is None) for one, two in zip(own.groups(), other.groups(), strict=True))
    return redacted_text(raw, parts) if same else uri


def redacted_with_offset(raw: str, offset: int, parts: frozenset[RedactedPart]) -> tuple[str, int]:
    """Return a rejected candidate without what may be one of the parts, and its offset, which is not behind a cut.

    What is not valid cannot be split. So all from the first `?` or `#` on is hidden, or all behind the authority, or
    all up to the last `@`; percent-encoded delimiters count too. A candidate without a scheme is hidden as a whole.
    """
    whole = raw
    raw, offset = masked_with_offset(raw, offset)
    if not parts:
        return raw, offset
    if not _OF_INNER.isdisjoint(parts) and len(_AUTHORITY_END.findall(raw)) < len(_AUTHORITY_END.findall(whole)):
        # A delimiter was masked with what may be a password: nobody knows which part stands behind it.
        raw = raw[: raw.index(MASK) + len(MASK)]
        offset = min(offset, len(raw))
    begin = _BEGIN.search(raw)
    scheme = _SCHEME.match(raw)
    if begin is not None:
        lead = begin.end()
    elif raw[:4].lower() == "www.":
        lead = 0
    elif scheme is not None:
        lead = scheme.end()
    else:
        return MASK, 0
    if _USERINFO in parts:
        ends = [match.start() for match in _AT.finditer(raw, lead)]
        if ends and (begin is not None or raw[:7].lower() != "mailto:" or "%" in raw[lead : ends[-1]]):
            end = ends[-1]
            if offset >= end:
                offset += lead + len(MASK) - end
            elif offset > lead:
                offset = lead
            raw = f"{raw[:lead]}{MASK}{raw[end:]}"
            lead += len(MASK)
    cuts = []
    hides_inner = not _OF_INNER.isdisjoint(parts)
    if _PATH in parts and (begin is not None or raw[:4].lower() == "www."):
        cuts.append(_AUTHORITY_END.search(raw, lead))
    elif _PATH in parts:
        return f"{raw[:lead]}{MASK}", min(offset, lead)
    if _FRAGMENT in parts:
        cuts.append(_FRAGMENT_START.search(raw, lead))
    if _QUERY in parts:
        cuts.append(_QUERY_START.search(raw, lead))
    places = [cut.end() for cut in cuts if cut is not None]
    if hides_inner:
        host = _AUTHORITY_END.search(raw, lead)
        if begin is not None and host is not None:
            # The port may be what is not valid.
            name = raw[lead : host.start()].rpartition("@")[2].partition(":")[0]
            if is_redirector(name):
                places.append(host.end())
        inner = _INNER.search(raw, lead)
        if inner is not None:
            places.append(inner.start())
    place = min(places, default=len(raw))
    if not raw[place:]:
        return raw, min(offset, len(raw))
    return f"{raw[:place]}{MASK}", min(offset, place)


def redacted_name(name: str, parts: frozenset[RedactedPart]) -> str:
    """Return a name, or a message, with the parts of the identifiers in it replaced."""
    return _NAMED.sub(lambda match: redacted_text(match[0], parts), name) if parts else name
