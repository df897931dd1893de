"""The masking of passwords in everything that is written (RFC 3986 3.2.1)."""

from __future__ import annotations

import re
from collections.abc import Callable

from urisieve.errors import UsageError
from urisieve.lean.hints import Final
from urisieve.lean.patterns import lazy_compile
from urisieve.syntax.components import PASSWORD

__all__ = ["MASK", "masked_key", "masked_raw", "masked_text", "masked_with_offset", "password_token"]

# Written instead of a password.
MASK: Final = "***"
_ASSUMED: Final = "http://"
# In a rejection the password, or the name before it, may be what is not valid, as in `http://u:p/w@h/` and
# `http://u@a:p@h/`: all up to the last "@" is masked.
_BROKEN_PASSWORD: Final = lazy_compile(
    r"(?:[A-Za-z][A-Za-z0-9+.\-]*:\s*/\s*/[^/?#:]*|[Ss][Ii][Pp][Ss]?:(?!//)[^:]*):(.*)@", re.DOTALL
)
# The same behind other text, such as a quotation mark: all up to the "@" that ends what is searched.
_INNER_PASSWORD: Final = lazy_compile(r":\s*/\s*/[^/?#:]*:(.*)@", re.DOTALL)

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


def masked_text(text: str, mask: str = MASK) -> str:
    """Return a text with its password replaced."""
    match = PASSWORD.match(text)
    return text if match is None else f"{text[: match.start(1)]}{mask}{text[match.end(1) :]}"


def masked_key(key: str, token: Callable[[str], str]) -> str:
    """Return a key with its password replaced by the digest that `token` returns."""
    match = PASSWORD.match(key) if "@" in key else None
    return key if match is None else masked_text(key, token(match[1]))


def masked_raw(raw: str, uri: str) -> str:
    """Mask the raw text of a URI that has a password, whatever is written before the password.

    It may be without a scheme (`www.`, a reference; RFC 3986 4.5), defanged, or with escapes. Where the password is
    not found as it stands in the URI, nothing of the raw text is shown.
    """
    for assumed in ("", _ASSUMED, _ASSUMED[:-2]):
        if PASSWORD.match(f"{assumed}{raw}"):
            return masked_text(f"{assumed}{raw}")[len(assumed) :]
    return masked_text(uri)


def masked_with_offset(raw: str, offset: int) -> tuple[str, int]:
    """Mask a rejected candidate, and adjust an offset in it by the change in length."""
    if raw[:4].lower() == "www.":
        whole, moved = masked_with_offset(f"{_ASSUMED}{raw}", offset + len(_ASSUMED))
        return whole[len(_ASSUMED) :], moved - len(_ASSUMED)
    match = PASSWORD.match(raw) or _BROKEN_PASSWORD.match(raw)
    if match is None:
        match = _INNER_PASSWORD.search(raw, 0, raw.rfind("@") + 1)
    if match is None:
        return raw, offset
    if offset >= match.end(1):
        offset += len(MASK) - (match.end(1) - match.start(1))
    elif offset > match.start(1):
        offset = match.start(1)
    return f"{raw[: match.start(1)]}{MASK}{raw[match.end(1) :]}", offset
