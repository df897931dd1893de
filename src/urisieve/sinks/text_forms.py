"""Canonical forms of single texts, as they are written: without passwords."""

from __future__ import annotations

from collections.abc import Callable

from urisieve.identifiers import check
from urisieve.judge.judge import Judged
from urisieve.judge.proof import canonical_form, proves_canonical
from urisieve.judge.whole_values import judge_whole
from urisieve.options import Options
from urisieve.records.masking import hides_password
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.sinks.formats import Form
from urisieve.sinks.masked import Mask
from urisieve.syntax.passwords import may_hold_at_sign

__all__ = ["TextForms"]


class TextForms:
    """Makes one of the forms of each text that is an identifier.

    >>> from urisieve import Options
    >>> TextForms(Options(), Form.URI, Mask(None)).form("HTTP://e.example")
    'http://e.example/'

    Args:
        options: how to judge and how far to normalize.
        form: the form; `raw` is not one.
        mask: masks passwords.
    """

    def __init__(self, options: Options, form: Form, mask: Mask) -> None:
        self._options = options
        self._form = form
        self._mask = mask
        self._proves = proves_canonical(options)

    @property
    def proof(self) -> Callable[[str], str | None]:
        """A function that returns the form of a text that is proved to be canonical, and None for any other."""
        if not self._proves or self._mask.changes_all:
            return _no_proof
        return _iri_proof if self._form is Form.IRI else _plain_proof

    def form(self, text: str) -> str | Rejection:
        """Return the form of a text, or the rejection, with its password in clear, if it is not an identifier."""
        if self._form is not Form.IRI and not self._mask.changes_all:
            judged = judge_whole(text, self._options, shortcut=self._proves)
            if isinstance(judged, Judged) and not hides_password(judged.uri):
                return judged.key if self._form is Form.KEY else judged.uri
        found = check(text, options=self._options)
        if not isinstance(found, Record):
            return found
        record = self._mask.record(found)
        if self._form is Form.IRI:
            return record.iri
        return record.key if self._form is Form.KEY else record.uri


def _no_proof(_text: str) -> None:
    """Prove nothing: by some options a text that the patterns match is not its canonical form."""


def _plain_proof(text: str) -> str | None:
    # A link inside another one may have a password.
    return None if may_hold_at_sign(text) else canonical_form(text)


def _iri_proof(text: str) -> str | None:
    # The IRI of a URI without triplets and A-labels is the URI.
    return None if "%" in text or "xn--" in text else _plain_proof(text)
