"""Passwords (RFC 3986 3.2.1), hidden in all that is written, and the secrets by which they are digests in keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from os import urandom

from urisieve.errors import UsageError
from urisieve.lean import Final
from urisieve.syntax.passwords import MASK, named_passwords, own_passwords, passwords, replaced, suspected_passwords

_ASSUMED: Final = "http://"
# The bytes of a new secret, and the most of any: BLAKE2b takes no more.
_NEW_SECRET: Final = 32
_MOST_SECRET: Final = 64
_DIGEST_SIZE = 8  # 64 bits: among a million passwords of one run two are confused once in 30 million runs


def new_secret() -> bytes:
    """Return a new random secret, by which passwords in keys become digests.

    With the same secret the same password has the same digest everywhere. A program whose work is shared by several
    processes or machines draws one secret and gives it to all of them; calls that mask passwords take it as `secret`.
    Whoever has the secret can try passwords against a digest.

    >>> from urisieve import new_secret, parse
    >>> secret, record = new_secret(), parse("http://joe:pass@a.example/")
    >>> key = record.masked(secret=secret).key
    >>> key == record.masked(secret=secret).key, "pass" in key, key == record.masked(secret=new_secret()).key
    (True, False, False)
    """
    return urandom(_NEW_SECRET)


def drawn(secret: bytes | None) -> bytes:
    """Return a secret; a new one for None.

    Raises:
        UsageError: it is not of 1 to 64 bytes.
    """
    if secret is None:
        return new_secret()
    check_secret(secret)
    return secret


def check_secret(secret: object) -> None:
    """Check that a secret is of 1 to 64 bytes.

    Raises:
        UsageError: it is not.
    """
    if not isinstance(secret, bytes) or not 1 <= len(secret) <= _MOST_SECRET:
        raise UsageError("a secret is 1 to 64 bytes: draw one with new_secret()")  # and it is not shown


def hidden_by(secret: bytes | None, *, show_passwords: bool) -> bytes | None:
    """Return the secret by which passwords leave as digests, a new one for None; or None if they are to be shown.

    Raises:
        UsageError: they are to be shown, and there is a secret.
    """
    if show_passwords and secret is not None:
        raise UsageError("show_passwords=True leaves no use for secret=: give one of the two")
    return None if show_passwords else drawn(secret)


def password_token(secret: bytes) -> Callable[[str], str]:
    """Return a function from a password to its digest, keyed by a secret.

    Equal passwords have equal digests, so that two passwords stay two keys; no one without the secret can try
    passwords against a digest.

    Raises:
        UsageError: the secret is not of 1 to 64 bytes.
    """
    check_secret(secret)

    def token(password: str) -> str:
        from hashlib import blake2b  # loads a large library, and few inputs hold a password

        return blake2b(password.encode("utf-8", "surrogatepass"), key=secret, digest_size=_DIGEST_SIZE).hexdigest()

    return token


def token_of(token: Callable[[str], str] | None, secret: bytes | None) -> Callable[[str], str] | None:
    """Return what replaces a password in keys: `token`, or `password_token` of a secret; None if neither is given.

    Raises:
        UsageError: both are given, `token` is not a function, or the secret is not of 1 to 64 bytes.
    """
    if secret is not None and token is None:
        return password_token(secret)
    if secret is not None or not (token is None or callable(token)):
        raise UsageError("masked takes secret=new_secret(), or a function from a password to what replaces it")
    return token


@cache
def _process_token() -> Callable[[str], str]:
    """Return `password_token` by a secret that is drawn once in a process, and known to no other."""
    return password_token(new_secret())


def hides_password(text: str) -> bool:
    """Report whether an identifier, or one inside it, has a password.

    >>> hides_password("http://joe:pass@a.example/"), hides_password("https://r.example/?u=http%3A%2F%2Fu%3Apw%40h%2F")
    (True, True)
    """
    return bool(passwords(text))


def masked_text(text: str) -> str:
    """Return an identifier with its passwords replaced, and with those of the links inside it.

    >>> masked_text("https://r.example/?u=http%3A%2F%2Fu%3Apw%40h%2F")
    'https://r.example/?u=http%3A%2F%2Fu%3A***%40h%2F'
    """
    return replaced(text, passwords(text))


def masked_alternative(text: str) -> str:
    """Return another reading of a text (`Record.alternatives`) without what may be a password: rather too much.

    It may join what are two texts, so that what it contains has no known location.

    >>> masked_alternative("http://a.example/x%7Cy=//joe:pass@h.example/")
    'http://a.example/x%7Cy=//joe:***@h.example/'
    """
    return replaced(text, suspected_passwords(text))


def masked_key(key: str, token: Callable[[str], str] | None) -> str:
    """Return a key with each password replaced by the digest that `token` returns; None is that of this process."""
    spans = passwords(key)
    return replaced(key, spans, token or _process_token()) if spans else key


def may_hold_name(name: str) -> bool:
    """Report quickly whether a name or a message may contain an identifier; if not, `masked_name` changes nothing."""
    if ":" in name and ("/" in name or "=" in name or "@" in name or "\u2026" in name):
        return True
    return "%" in name or "-3A" in name or "//" in name


def masked_name(name: str) -> str:
    """Return a name, or a message, without what may be a password in it.

    >>> masked_name("crawl.warc!http://joe:pass@a.example/ and more")
    'crawl.warc!http://joe:***@a.example/ and more'
    """
    return replaced(name, named_passwords(name)) if may_hold_name(name) else name


def masked_raw(raw: str, uri: str) -> str:
    """Mask the raw text of a URI that has a password, whatever is written before the password.

    It may be without a scheme (`www.`, a reference; RFC 3986 4.5), defanged, or with escapes. Where the password is
    not found as it is in the URI, nothing of the raw text is shown.
    """
    for assumed in ("", _ASSUMED):
        text = f"{assumed}{raw}"
        if own_passwords(text) and len(passwords(text)) >= len(passwords(uri)):
            return masked_text(text)[len(assumed) :]
    if not own_passwords(uri):  # that of a link inside
        shown = replaced(raw, passwords(raw))
        if shown != raw:
            return shown
    return masked_text(uri)


def masked_with_offset(raw: str, offset: int) -> tuple[str, int]:
    """Mask what may be a password in a rejected candidate, and adjust an offset in it by the change in length."""
    spans = suspected_passwords(raw)
    moved = offset
    for start, end in spans:
        if offset >= end:
            moved += len(MASK) - (end - start)
        elif offset > start:
            moved -= offset - start
    return replaced(raw, spans), moved
