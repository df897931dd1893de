"""Passwords (RFC 3986 3.2.1), and the parts that `--redact` names, hidden in everything that is written."""

from __future__ import annotations

import re
from collections.abc import Callable

from urisieve.errors import UsageError
from urisieve.lean.hints import Final
from urisieve.lean.patterns import lazy_compile
from urisieve.syntax.components import PASSWORD

__all__ = [
    "MASK",
    "hides_password",
    "masked_key",
    "masked_name",
    "masked_raw",
    "masked_text",
    "masked_with_offset",
    "password_token",
]

# Written instead of a password.
MASK: Final = "***"
_ASSUMED: Final = "http://"
# In a rejection the password, or the name before it, may be what is not valid, as in `http://u:p/w@h/` and
# `http://u@a:p@h/`: all up to the last "@" is masked. Browsers read `http:\\u:p@h`, `http:/u:p@h` and `http:u:p@h` as
# `http://u:p@h`, and JSON may have left `http:\/\/u:p@h`.
_BROKEN_USER: Final = lazy_compile(
    r"(?s)(?:(?:[A-Za-z][A-Za-z0-9+.\-]*:\s*|/)[/\\][/\\\s]*+|(?:[Hh][Tt][Tt][Pp]|[Ww][Ss])[Ss]?:|[Ff][Tt][Pp]:)[^/?#:]*:"
    r"|[Ss][Ii][Pp][Ss]?:(?!//)[^:]*:"
)
# The same behind other text, such as a quotation mark.
_INNER_BROKEN_USER: Final = lazy_compile(r"(?::[\])}]?\s*[/\\]|//)[/\\\s\])}]*+[^/?#:]*:")
# What may stand instead of the "@" of an authority, in text that was not refanged or was encoded once too often.
_DISGUISED_AT: Final = lazy_compile(
    r"(?:[^/?#:]*:)?[/\\]*+[^/?#:]*:[^/?#]*?(\uff20|%40|&(?:commat|#64|#x40);|[\[({]\s?[Aa][Tt]\s?[\])}])"
)
# The same in the path of a file, where two slashes are one.
_PATH_PASSWORD: Final = lazy_compile(r":/([^/?#@:\s]*):([^/?#\s]*)@")


def _wrapped_password(escape: str, slash: str = "/") -> re.Pattern[str]:
    """Return the pattern of a password in a link inside another one, whose delimiters `escape` may encode.

    The user name ends at the first ":", the password at the last "@" before what ends an authority, or before what
    begins another parameter of a query. Each match of the pattern begins at "://" and passes no other "/", so that the
    search is linear.
    """

    def mark(character: str) -> str:
        return f"(?:{re.escape(character)}|{escape}(?i:{ord(character):02x}))" if escape else re.escape(character)

    end = f"(?:{slash if slash != '/' else mark('/')}|{mark('?')}|{mark('#')}|&[A-Za-z0-9_.%-]*=)"
    colon, at = mark(":"), mark("@")
    start = f"{colon}{(slash if slash != '/' else mark('/')) * 2}"
    return re.compile(f"(?s){start}((?:(?!{end}|{colon}).)*){colon}((?:(?!{end}).)*){at}")


# As links are put into others: as they stand, percent-encoded up to eight times, and as a mail filter encodes them. The
# sign is what a text must hold to be searched so.
_ESCAPES: Final = tuple(f"%{'25' * times}" for times in range(8))
_WRAPPINGS: Final = (("", "/", "://"), *((escape, "/", escape) for escape in _ESCAPES), ("-", "_", "__"))
_wrapped_passwords: list[tuple[str, re.Pattern[str]]] = []
_AUTHORITY: Final = lazy_compile(r"(?>[A-Za-z][A-Za-z0-9+.\-]*+:)++//[^/?#]*+")

# The most bytes of a secret: BLAKE2b takes no more.
_MOST_SECRET: Final = 64
_DIGEST_SIZE = 8  # 64 bits: among a million passwords of one run two are confused once in 30 million runs


def password_token(secret: bytes) -> Callable[[str], str]:
    """Return a function from a password to its digest, keyed by a secret.

    Equal passwords have equal digests, so that two passwords stay two keys; nobody without the secret can try
    passwords against a digest.

    Raises:
        UsageError: the secret is not of 1 to 64 bytes.
    """
    if not isinstance(secret, bytes) or not 1 <= len(secret) <= _MOST_SECRET:
        raise UsageError("a secret is 1 to 64 bytes: draw one with new_secret()")

    def token(password: str) -> str:
        from hashlib import blake2b  # loads a large library, and few inputs hold a password

        return blake2b(password.encode("utf-8", "surrogatepass"), key=secret, digest_size=_DIGEST_SIZE).hexdigest()

    return token


def hides_password(text: str) -> bool:
    """Report whether an identifier, or one inside it, has a password.

    >>> hides_password("http://joe:pass@a.example/"), hides_password("https://r.example/?u=http%3A%2F%2Fu%3Apw%40h%2F")
    (True, True)
    """
    return _may_hide(text) and masked_text(text, "") != masked_text(text, MASK)


def _may_hide(text: str) -> bool:
    return "@" in text or "40" in text


def _mask(_: str) -> str:
    return MASK


def masked_text(text: str, mask: str = MASK) -> str:
    """Return a text with its password replaced, and with those of the links inside it.

    >>> masked_text("https://r.example/?u=http%3A%2F%2Fu%3Apw%40h%2F")
    'https://r.example/?u=http%3A%2F%2Fu%3A***%40h%2F'
    """
    return _masked(text, lambda _: mask) if _may_hide(text) else text


def masked_key(key: str, token: Callable[[str], str]) -> str:
    """Return a key with each password replaced by the digest that `token` returns."""
    return _masked(key, token) if _may_hide(key) else key


def _masked(text: str, hidden: Callable[[str], str]) -> str:
    match = PASSWORD.match(text)
    if match is not None:
        head, rest = f"{text[: match.start(1)]}{hidden(match[1])}", text[match.end(1) :]
    else:
        match = _AUTHORITY.match(text)
        end = 0 if match is None else match.end()
        head, rest = text[:end], text[end:]
    if rest[:2] == "//":  # the authority was the scheme of another link, whose colon was taken for an empty port
        return head + _masked_inside(f":{rest}", hidden)[1:]
    return head + _masked_inside(rest, hidden)


def _masked_inside(text: str, hidden: Callable[[str], str]) -> str:
    """Return a text with the passwords of the links inside it replaced."""
    if not _may_hide(text):
        return text
    if not _wrapped_passwords:
        _wrapped_passwords.extend((sign, _wrapped_password(escape, slash)) for escape, slash, sign in _WRAPPINGS)

    def replaced(match: re.Match[str]) -> str:
        start, end = match.start(2) - match.start(), match.end(2) - match.start()
        return f"{match[0][:start]}{hidden(match[2])}{match[0][end:]}"

    for sign, pattern in _wrapped_passwords:
        if sign in text:
            text = pattern.sub(replaced, text)
    return text


def masked_name(name: str) -> str:
    """Return a name, or a message, without the passwords of the identifiers in it.

    >>> masked_name("crawl.warc!http://joe:pass@a.example/ and more")
    'crawl.warc!http://joe:***@a.example/ and more'
    """
    name = _masked_inside(name, _mask)
    return _PATH_PASSWORD.sub(rf":/\1:{MASK}@", name) if "@" in name else name


def masked_raw(raw: str, uri: str) -> str:
    """Mask the raw text of a URI that has a password, whatever is written before the password.

    It may be without a scheme (`www.`, a reference; RFC 3986 4.5), defanged, or with escapes. Where the password is
    not found as it stands in the URI, nothing of the raw text is shown.
    """
    for assumed in ("", _ASSUMED, _ASSUMED[:-2]):
        text = f"{assumed}{raw}"
        if PASSWORD.match(text):
            return masked_text(text)[len(assumed) :]
    if PASSWORD.match(uri) is None:  # that of a link inside
        shown = _masked_inside(raw, _mask)
        if shown != raw:
            return shown
    return masked_text(uri)


def masked_with_offset(raw: str, offset: int) -> tuple[str, int]:
    """Mask a rejected candidate, and adjust an offset in it by the change in length."""
    if raw[:4].lower() == "www.":
        whole, moved = masked_with_offset(f"{_ASSUMED}{raw}", offset + len(_ASSUMED))
        return whole[len(_ASSUMED) :], moved - len(_ASSUMED)
    match = PASSWORD.match(raw)
    if match is not None:
        start, end = match.span(1)
    else:
        end = raw.rfind("@")
        if end < 0 and (disguised := _DISGUISED_AT.match(raw)) is not None:
            end = disguised.start(1)
        user = _BROKEN_USER.match(raw, 0, end) or _INNER_BROKEN_USER.search(raw, 0, end)
        if user is None:
            return _inside_with_offset(raw, offset)
        start = user.end()
    if offset >= end:
        offset += len(MASK) - (end - start)
    elif offset > start:
        offset = start
    return _inside_with_offset(f"{raw[:start]}{MASK}{raw[end:]}", offset)


def _inside_with_offset(raw: str, offset: int) -> tuple[str, int]:
    """Mask the passwords of links inside a candidate; an offset behind one moves, and one in it goes before it."""
    shown = _masked_inside(raw, _mask)
    if shown == raw:
        return raw, offset
    before = _masked_inside(raw[:offset], _mask)
    return shown, min(len(before), len(shown)) if shown.startswith(before) else _common(raw, shown)


def _common(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    return next((index for index, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)
