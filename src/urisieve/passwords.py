"""What stands for a password in what is written (RFC 3986 3.2.1)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from urisieve.components import PASSWORD

__all__ = ["MASK", "masked_key", "masked_text", "password_token"]

# What stands for a password.
MASK: Final = "***"

_DIGEST_SIZE = 8  # 64 bits: among a million passwords of one run two are confused once in 30 million runs


def password_token(secret: bytes) -> Callable[[str], str]:
    """A function from a password to its digest, keyed by a secret.

    Equal passwords have equal digests, so that two passwords stay two keys; nobody without the secret can try
    passwords against a digest.
    """

    def token(password: str) -> str:
        from hashlib import blake2b  # it loads a large library, and few inputs hold a password

        return blake2b(password.encode("utf-8", "surrogatepass"), key=secret, digest_size=_DIGEST_SIZE).hexdigest()

    return token


def masked_text(text: str, mask: str = MASK, pattern: re.Pattern[str] = PASSWORD) -> str:
    """A text in which a password is replaced; `pattern` has the password for its group."""
    match = pattern.match(text)
    return text if match is None else f"{text[: match.start(1)]}{mask}{text[match.end(1) :]}"


def masked_key(key: str, token: Callable[[str], str]) -> str:
    """A key in which the digest of a password stands for it; `token` gives that."""
    match = PASSWORD.match(key) if "@" in key else None
    return key if match is None else masked_text(key, token(match[1]))
