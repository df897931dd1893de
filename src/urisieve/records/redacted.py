"""How identifiers are shown: with parts as `***`, in addition to the masking of passwords; and defanged fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import EllipsisType

from urisieve import shapes
from urisieve.codes import Warn
from urisieve.errors import UsageError
from urisieve.lean import Any, Final, lazy_compile, overload
from urisieve.quick_enums import StrEnum
from urisieve.records.masking import masked_text, masked_with_offset
from urisieve.rules.redirectors import is_redirector, redirector_hosts, target_span
from urisieve.rules.secret_check import secrets, suspected_secrets
from urisieve.shapes import Default
from urisieve.syntax.components import Memo
from urisieve.syntax.defanging import (
    INNER_ADDRESS,
    defang,
    defanged_host,
    defanged_invalid,
    defanged_path,
    defanged_raw,
    without_links,
)
from urisieve.syntax.passwords import MASK, replaced


class RedactedPart(StrEnum):
    """A part of identifiers that can be hidden in what is written.

    >>> from urisieve.options import RedactedPart
    >>> [str(part) for part in RedactedPart]
    ['userinfo', 'query', 'fragment', 'path', 'secrets']
    """

    USERINFO = "userinfo"
    """The text before the `@` of an authority, with the password (RFC 3986 3.2.1); in SIP the user."""
    QUERY = "query"
    """The text after the `?`; in a URN the r- and q-components."""
    FRAGMENT = "fragment"
    """The text after the `#`."""
    PATH = "path"
    """The path; without an authority all between the scheme (in a URN the namespace) and `?` or `#`."""
    SECRETS = "secrets"
    """Tokens, keys and the like, wherever they are: values of parameters, known shapes, the ends of webhooks."""


_USERINFO: Final = RedactedPart.USERINFO
_QUERY: Final = RedactedPart.QUERY
_FRAGMENT: Final = RedactedPart.FRAGMENT
_PATH: Final = RedactedPart.PATH
_SECRETS: Final = RedactedPart.SECRETS
# Those that a link inside another one has in places where the outer link has none.
_OF_INNER: Final = frozenset((_QUERY, _FRAGMENT, _PATH))

_HIERARCHICAL: Final = lazy_compile(
    r"(?s)((?>[A-Za-z][A-Za-z0-9+.\-]*+:)++//)([^/?#]*+)(?P<path>[^?#]*+)(?:\?(?P<query>[^#]*+))?(?:#(?P<fragment>.*))?"
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


def checked_parts(parts: Iterable[RedactedPart | str], name: str = "redact") -> frozenset[RedactedPart]:
    """Return names of parts as a set; `name` is that of the argument.

    Raises:
        UsageError: there is no such part.
    """
    found = []
    for part in shapes.several(name, parts, "names of parts"):
        if part not in list(RedactedPart):
            raise UsageError(f"{name}: there is no part {part!r}: use {', '.join(RedactedPart)}")
        found.append(RedactedPart(part))
    return frozenset(found)


def redirectors(parts: frozenset[RedactedPart]) -> Memo[bool] | None:
    """Return which hosts have links of redirectors, whose targets are hidden with some parts; None with others."""
    if _OF_INNER.isdisjoint(parts):
        return None
    return redirector_hosts()


@overload
def redact(uri: str, parts: Iterable[RedactedPart | str] = ()) -> str: ...


@overload
def redact(uri: str | None, parts: Iterable[RedactedPart | str] = (), *, default: Default) -> str | Default: ...


def redact(
    uri: str | None, parts: Iterable[RedactedPart | str] = (), *, default: Default | EllipsisType = ...
) -> str | Default:
    """Return an identifier with some of its parts as `***`, and without its password; it stays an identifier.

    A part that is absent or empty stays so, and a path `/` too. Of a link inside another one all is hidden from its
    scheme on, unless `userinfo` alone is redacted; of a link of a redirector the text that contains its target, in any
    encoding.

    >>> from urisieve import redact
    >>> redact("https://joe@a.example/reset/me?token=x#end", ["query", "fragment"])
    'https://joe@a.example/reset/me?***#***'
    >>> redact("https://a.example/cb?state=CA&client_secret=s3cr3t#end", ["secrets"])
    'https://a.example/cb?state=CA&client_secret=***#end'
    >>> redact("mailto:joe@a.example?subject=x", ["path"]), redact("urn:isbn:0395363411", ["path"])
    ('mailto:***?subject=x', 'urn:isbn:***')

    Args:
        uri: a valid identifier, such as `Record.uri`.
        parts: `userinfo`, `query`, `fragment`, `path`, `secrets`; none of them masks the password alone.
        default: returned for a missing value (None, NaN, NA of pandas), which is an error without it.

    Raises:
        UsageError: there is no such part, or `uri` is not a string.
    """
    chosen = frozenset() if parts == () else checked_parts(parts, "parts")
    return redacted_text(masked_text(uri), chosen) if isinstance(uri, str) else shapes.missing("uri", uri, default)


def redacted_text(text: str, parts: frozenset[RedactedPart], hidden: _Hidden = lambda _: MASK) -> str:
    """Return an identifier with some of its parts replaced.

    Args:
        text: the identifier; of a text that is not one little is left.
        parts: the parts; none changes nothing.
        hidden: returns what is written instead of a part.
    """
    if _SECRETS in parts:
        text, parts = without_secrets(text, hidden), parts - {_SECRETS}
    if not parts:
        return text
    match = _HIERARCHICAL.fullmatch(text)
    if match is not None and not _OF_INNER.isdisjoint(parts):
        match = _HIERARCHICAL.fullmatch(_without_target(match, parts, hidden))
    if match is not None:
        start, authority, path, query, fragment = match.groups()
        user, at, host = authority.rpartition("@")
        if at and _USERINFO in parts:
            authority = f"{hidden(user)}@{host}"
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


def without_secrets(text: str, hidden: _Hidden = lambda _: MASK) -> str:
    """Return a text with its secrets replaced (`urisieve.rules.secret_check`)."""
    return replaced(text, secrets(text), hidden)


def _without_target(link: re.Match[str], parts: frozenset[RedactedPart], hidden: _Hidden) -> str:
    """Return a link without the text that contains its target by the row of a redirector, in parts that stay."""
    text, host = link[0], link[2].rpartition("@")[2]
    start = link.end(2)
    span = _target(host, text[start:])
    if span is not None:
        for part in (one for one in (_FRAGMENT, _QUERY, _PATH) if one not in parts):
            first, last = max(start + span[0], link.start(part)), min(start + span[1], link.end(part))
            if first < last:
                text = f"{text[:first]}{hidden(text[first:last])}{text[last:]}"
    return text


def _target(host: str, rest: str) -> tuple[int, int] | None:
    """Return the offsets of what contains the target of a link, in its text after the host; None if nothing does."""
    lead = f"http://{host}"
    span = target_span(f"{lead}{rest}") if is_redirector(host) else None
    return None if span is None else (span[0] - len(lead), span[1] - len(lead))


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

        def without_user(match: re.Match[str]) -> str:
            start, end = match.start(1) - match.start(), match.end(1) - match.start()
            return f"{match[0][:start]}{hidden(match[1])}{match[0][end:]}"

        text = _INNER_USER.sub(without_user, text)
    return text


def redacted_raw(raw: str, uri: str, parts: frozenset[RedactedPart]) -> str:
    """Return the raw text of an identifier with its parts replaced; the redacted URI if they are not found in it.

    Args:
        raw: the text as it was, with its password masked.
        uri: the canonical URI, with its password masked and its parts replaced.
        parts: the parts.
    """
    if _SECRETS in parts:
        parts -= {_SECRETS}
        raw = without_secrets(raw)
        if not parts:
            return uri if raw.count(MASK) < uri.count(MASK) else raw
    if raw[:4].lower() == "www.":
        return redacted_raw(f"http://{raw}", uri, parts).removeprefix("http://")
    own, other = _HIERARCHICAL.fullmatch(raw), _HIERARCHICAL.fullmatch(uri)
    has_target = other is not None and is_redirector(other[2].rpartition("@")[2])
    if own is None and other is None:
        own, other = _OTHER.fullmatch(raw), _OTHER.fullmatch(uri)
        if own is not None and other is not None and own[1].lower() != other[1].lower():
            return uri
    if own is None or other is None:
        return uri
    same = all((one is None) == (two is None) for one, two in zip(own.groups(), other.groups(), strict=True))
    shown = redacted_text(raw, parts) if same else uri
    # The target of a redirector is found in the canonical form, not in `/./url?q=`.
    return uri if has_target and shown.count(MASK) != uri.count(MASK) else shown


def hides_all_secrets(raw: str, whole: str, parts: frozenset[RedactedPart]) -> bool:
    """Report whether all secrets of a canonical URI, if they are hidden, are found in its raw text, too."""
    return _SECRETS not in parts or len(secrets(raw)) >= len(secrets(whole))


# What precedes each part, as far as it can be told in a text that is not valid.
_STARTS: Final = {_PATH: _AUTHORITY_END, _FRAGMENT: _FRAGMENT_START, _QUERY: _QUERY_START}


def redacted_with_offset(raw: str, offset: int, parts: frozenset[RedactedPart]) -> tuple[str, int]:
    """Return a rejected candidate without what may be one of the parts, and its offset, which is not after a cut.

    What is not valid cannot be split. So all from the first `?` or `#` on is hidden, or all after the authority, or
    all up to the last `@`; percent-encoded delimiters count too. A candidate without a scheme is hidden as a whole.
    """
    if _SECRETS in parts:
        raw, offset = _without_secrets_at(raw, offset)
        parts -= {_SECRETS}
    whole = raw
    raw, offset = masked_with_offset(raw, offset)
    if not parts:
        return raw, offset
    if not _OF_INNER.isdisjoint(parts) and len(_AUTHORITY_END.findall(raw)) < len(_AUTHORITY_END.findall(whole)):
        # A delimiter was masked with what may be a password: it is not known which part follows it.
        raw = raw[: raw.index(MASK) + len(MASK)]
        offset = min(offset, len(raw))
    begin = _BEGIN.search(raw)
    is_host = raw[:4].lower() == "www."
    scheme = begin or (None if is_host else _SCHEME.match(raw))
    if scheme is None and not is_host:
        return MASK, 0
    lead = 0 if scheme is None else scheme.end()
    user = _last_at(raw, lead) if _USERINFO in parts else 0
    if user and (begin is not None or raw[:7].lower() != "mailto:" or "%" in raw[lead:user]):
        offset = offset + lead + len(MASK) - user if offset >= user else min(offset, lead)
        raw = f"{raw[:lead]}{MASK}{raw[user:]}"
        lead += len(MASK)
    if _PATH in parts and begin is None and raw[:4].lower() != "www.":
        return f"{raw[:lead]}{MASK}", min(offset, lead)
    end = _end_of_shown(raw, lead, parts, has_authority=begin is not None)
    return (f"{raw[:end]}{MASK}" if raw[end:] else raw), min(offset, end)


def _without_secrets_at(raw: str, offset: int) -> tuple[str, int]:
    """Return a rejected candidate without its secrets, and its offset in what is left."""
    moved = offset
    spans = suspected_secrets(raw)
    for start, end in spans:
        moved += len(MASK) - (end - start) if offset >= end else min(0, start - offset)
    return replaced(raw, spans), moved


def _last_at(raw: str, lead: int) -> int:
    """Return the offset of the last "@", as it is or encoded, after a scheme; 0 if there is none."""
    *_, last = (0, *(match.start() for match in _AT.finditer(raw, lead)))
    return last


def _end_of_shown(raw: str, lead: int, parts: frozenset[RedactedPart], *, has_authority: bool) -> int:
    """Return where the first of the parts may begin in a rejected candidate, after its scheme."""
    ends = [match.end() for part, mark in _STARTS.items() if part in parts and (match := mark.search(raw, lead))]
    if not _OF_INNER.isdisjoint(parts):
        host = _AUTHORITY_END.search(raw, lead)
        if has_authority and host is not None:
            ends += _start_of_target(raw, lead, host)
        if inner := _INNER.search(raw, lead):
            ends.append(inner.start())
    return min(ends, default=len(raw))


def _start_of_target(raw: str, lead: int, host: re.Match[str]) -> list[int]:
    """Return where the target of a link of a redirector begins, if it is one, whose host ends at a match."""
    # The port may be what is not valid, so that the row of a redirector gets none.
    name = raw[lead : host.start()].rpartition("@")[2].partition(":")[0]
    target = _target(name, raw[host.start() :]) if name else None
    if target is not None:
        return [host.start() + target[0]]
    return [host.end()] if name and host[0] not in "/?#" and is_redirector(name) else []


def redacted_name(name: str, parts: frozenset[RedactedPart]) -> str:
    """Return a name, or a message, with the parts of the identifiers in it replaced."""
    return _NAMED.sub(lambda match: redacted_text(match[0], parts), name) if parts else name


def _defanged_parts(parts: Mapping[str, str]) -> dict[str, str]:
    return {
        name: defanged_host(without_links(text)) if name in _HOSTS else without_links(text)
        for name, text in parts.items()
    }


def _defanged_source(name: str) -> str:
    """Return the name of a source: a path, and perhaps an address after it, as in archives of the web.

    >>> defanged_values("source", ["a.warc!http://a.example/b.html"], [""])
    ['a.warc!hxxp://a[.]example/b.html']
    """
    return INNER_ADDRESS.sub(lambda found: defang(found[0]), name) if "://" in name else name


def _defanged_notices(notices: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return notices with the hosts and addresses of warnings about spoofing defanged."""
    return [
        {**one, "detail": defanged_host(one["detail"])} if one["warn"] in _NAMING_HOSTS else dict(one)
        for one in notices
    ]


# The warnings whose detail is a host or an address, or begins with one.
_NAMING_HOSTS: Final = {
    *(Warn.RARE_IPV4, Warn.NOT_GLOBAL_ADDRESS, Warn.RESEMBLES_PROTECTED, Warn.CONTAINS_PROTECTED),
    *(Warn.USERINFO_HOST, Warn.NAMES_TARGET_HOST, Warn.HOSTS_DISAGREE),
}
# The named parts that are hosts; others may contain an identifier, whose `://` is enough to make a link of it.
_HOSTS: Final = frozenset(("host", "domain", "server"))
# The fields that contain identifiers or parts of them which programs make links of.
_CHANGES: Final[dict[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("uri", "iri", "key", "surt", "template"), defang),
    **dict.fromkeys(("host", "domain"), defanged_host),
    **dict.fromkeys(("query", "fragment", "nss"), without_links),
    **dict.fromkeys(("source", "subject"), _defanged_source),
    "alternatives": lambda values: tuple(map(defang, values)),
    "parts": _defanged_parts,
    "notices": _defanged_notices,
}


def defanged_values(name: str, values: Sequence[Any], uris: Sequence[str]) -> Sequence[Any]:
    """Return the values of a field defanged; `uris` are the canonical forms of the same rows."""
    if name == "raw":
        return list(map(defanged_raw, values, uris))
    if name == "path":
        return list(map(defanged_path, values, uris))
    change = _CHANGES.get(name)
    return values if change is None else [None if value is None else change(value) for value in values]


def defanged_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a record or rejection with their values defanged."""
    uri = row.get("uri")
    shown = {name: defanged_values(name, (value,), (uri or "",))[0] for name, value in row.items()}
    if uri is None:
        shown["raw"] = defanged_invalid(row["raw"])
    return shown
