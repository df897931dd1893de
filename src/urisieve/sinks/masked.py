"""Batches without passwords (RFC 3986 3.2.1), ready to be written."""

from __future__ import annotations

import os
from collections.abc import Sequence

from urisieve.codes import Warn
from urisieve.lean.hints import TYPE_CHECKING, Final
from urisieve.records.batch import Batch
from urisieve.records.masking import MASK, masked_key, masked_raw, masked_text, password_token
from urisieve.syntax.components import PASSWORD

if TYPE_CHECKING:
    from urisieve.records.record import Record
    from urisieve.records.rejection import Rejection

__all__ = ["PasswordMask", "new_secret"]

_SECRET_SIZE: Final = 32


def new_secret() -> bytes:
    """Return a new random secret, by which passwords in keys become digests.

    With the same secret the same password has the same digest everywhere. A program whose work is shared by several
    processes or machines draws one secret and gives it to all of them; calls that mask passwords take it as `secret`.
    Whoever has the secret can try passwords against a digest.

    >>> from urisieve import find_key, new_secret
    >>> secret = new_secret()
    >>> first, again = (find_key("http://joe:pass@a.example/", secret=secret) for _ in range(2))
    >>> first == again, "pass" in str(first), first == find_key("http://joe:pass@a.example/", secret=new_secret())
    (True, False, False)
    """
    return os.urandom(_SECRET_SIZE)


class PasswordMask:
    """Masks passwords in batches.

    Args:
        secret: the secret by which a password in a key becomes a digest, so that two passwords stay two keys; None to
            leave passwords as they are.
        again: whether the records of the batches may have been masked before, when they were written.
    """

    def __init__(self, secret: bytes | None, *, again: bool = False) -> None:
        self._again = again
        self._token = None if secret is None else password_token(secret)

    def batch(self, batch: Batch) -> Batch:
        """Return the batch with any password masked in its columns `raw`, `uri`, `key` and `alternatives`."""
        token = self._token
        harvest = batch.harvest
        if token is None or (harvest is not None and not harvest.has_passwords):
            return batch
        warned = batch.warned()
        if not warned:
            return batch
        codes = batch.column("warnings")
        indices = [index for index in warned if Warn.PASSWORD_PRESENT in codes[index]]
        uris = batch.column("uri")
        if self._again:
            indices = [index for index in indices if not _is_masked(uris[index])]
        if not indices:
            return batch
        held = batch.columns
        changed: dict[str, list[object]] = {}
        for name in ("raw", "uri", "key", "alternatives"):
            if name not in held:
                continue
            values = changed[name] = list(batch.column(name))
            for index in indices:
                value = values[index]
                if name == "raw":
                    values[index] = masked_raw(value, uris[index])  # type: ignore[arg-type] # by the column
                elif name == "uri":
                    values[index] = masked_text(value)  # type: ignore[arg-type]
                elif name == "key":
                    values[index] = masked_key(value, token)  # type: ignore[arg-type]
                else:
                    values[index] = tuple(map(masked_text, value))  # type: ignore[call-overload]
        return batch.replaced(changed)

    def record(self, record: Record) -> Record:
        """Return a record with any password masked."""
        return record if self._token is None else record.masked(self._token)

    def rejection(self, rejection: Rejection) -> Rejection:
        """Return a rejection with any password masked; the same object if it has none."""
        return rejection if self._token is None else rejection.masked()

    def rejections(self, rejections: Sequence[Rejection]) -> Sequence[Rejection]:
        """Rejections with any password masked."""
        return rejections if self._token is None else list(map(self.rejection, rejections))


def _is_masked(uri: str) -> bool:
    match = PASSWORD.match(uri)
    return match is not None and match[1] == MASK
