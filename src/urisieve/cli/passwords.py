"""What stands for a password in what is written (RFC 3986 3.2.1)."""

from __future__ import annotations

import os
from collections.abc import Callable

__all__ = ["new_secret", "password_token"]

_SECRET_SIZE = 32
_DIGEST_SIZE = 8  # 64 bits: among a million passwords of one run two are confused once in 30 million runs


def new_secret() -> bytes:
    """A secret for one run."""
    return os.urandom(_SECRET_SIZE)


def password_token(secret: bytes) -> Callable[[str], str]:
    """A function from a password to its digest, keyed by a secret.

    Equal passwords have equal digests, so that two passwords stay two keys; nobody without the secret can try
    passwords against a digest.
    """

    def token(password: str) -> str:
        from hashlib import blake2b  # it loads a large library, and few inputs hold a password

        return blake2b(password.encode("utf-8", "surrogatepass"), key=secret, digest_size=_DIGEST_SIZE).hexdigest()

    return token
