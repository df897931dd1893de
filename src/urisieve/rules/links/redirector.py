"""The row of a redirector, and the ways in which redirectors write the links that they hold."""

from __future__ import annotations

from enum import Enum

from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple

__all__ = ["LABEL", "Decoding", "Redirector"]

LABEL: Final = r"[a-z0-9\-]+"


class Decoding(Enum):
    """How the inner link is written."""

    PERCENT = "percent-encoded"
    """Percent-encoded, as a value of a query or all that is left of a path; `+` stays, since no link holds a blank.
    What is not a link when it is decoded, but one percent-encoded again, is decoded again, three times at most."""
    SEGMENT = "percent-encoded, in one segment"
    """Percent-encoded, as one segment of a path: other segments may follow."""
    SIGNED = "percent-encoded, `:` and a signature"
    """Percent-encoded, and with it a colon and the 27 characters of a signature in base64url, if there is one."""
    PLAIN = "as it stands"
    """As it stands, to the end of the link, its query and fragment included; of `://` one slash may be lost."""
    PROOFPOINT_2 = "`-` for `%`, `_` for `/`"
    """Percent-encoded, with `-` for `%` and `_` for `/`."""
    PROOFPOINT_3 = "`*` for characters beside it"
    """Between `__` and `__;`, with `*` for each character, and `**` and a letter for each run of characters, that stand
    in the base64url text behind it; of `://` one slash may be lost."""
    AVANAN = "between `___` and `___`"
    """As it stands between `___` and `___`."""
    BASE64 = "base64"
    """In base64 or base64url, with or without padding."""
    BING = "`a1`, then base64url"
    """In base64url without padding, behind `a1`."""
    HOST = "the host alone"
    """Not at all: the link names the host of its target, and a token stands for the rest."""


class Redirector(NamedTuple):
    """The links of one redirector; their schemes are http and https.

    Attributes:
        name: a short name, unique.
        title: whose links they are.
        reference: where they are documented: by the service, else by a maintained list of such links.
        host: a pattern of all of the host, in lower case.
        path: a pattern of all of the path; if there are no `parameters`, of the path up to the inner link.
        parameters: the parameters of the query that may hold the inner link; the first one that does counts.
        decoding: how the inner link is written.
        assumed: what stands before an inner link that has no scheme; "" if such a text is not a link.
        examples: pairs of a link and the link inside it; of `Decoding.HOST`, of a link and the host that it names.
    """

    name: str
    title: str
    reference: str
    host: str
    path: str
    parameters: tuple[str, ...] = ()
    decoding: Decoding = Decoding.PERCENT
    assumed: str = ""
    examples: tuple[tuple[str, str], ...] = ()
