"""Identifiers whose scheme is not in the text: host names that begin with `www.`, and mail addresses."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from urisieve.delimiters import NON_ASCII, trimmed_end
from urisieve.host import dns_host
from urisieve.iri import encoded
from urisieve.pivot import SCHEME_CHARACTERS

__all__ = ["LOCAL_CHARACTERS", "LOCAL_LIMIT", "beyond_name", "local_part", "name_end", "name_limit"]

# The characters of RFC 5322 atext; 64 octets are the limit of RFC 5321 4.5.3.1.1.
LOCAL_CHARACTERS: Final = SCHEME_CHARACTERS + "_%&'=!#$*/?^`{|}~"
LOCAL_LIMIT: Final = 64
# What stands around an address rather than in it, although it is atext.
_AROUND: Final = "!#$%&'*+-/=?^`{|}~."
_NAME: Final = f"A-Za-z0-9._\\-{NON_ASCII}"


@cache
def _name() -> re.Pattern[str]:
    return re.compile(f"[{_NAME}]{{1,256}}")


@cache
def beyond_name() -> re.Pattern[str]:
    """A character that ends a host name in text."""
    return re.compile(f"[^{_NAME}]")


def name_limit(text: str, start: int) -> int:
    """Where the characters of a host name that begins here end."""
    match = _name().match(text, start)
    return start if match is None else match.end()


def name_end(text: str, start: int, limit: int, dots: int) -> int:
    """The end of the host name in a run of its characters, without trailing punctuation; `start` where there is none.

    Args:
        text: the text around it.
        start: where it begins.
        limit: where the run ends.
        dots: how many dots it must have at least.
    """
    name = text[start:limit]
    while name != (shorter := name[: trimmed_end(name, 0, len(name), "")].rstrip("-_")):
        name = shorter
    if name.count(".") < dots or not name.rpartition(".")[2][:1].isalpha():
        return start
    return start if dns_host(encoded(name)).reason is not None else start + len(name)


def local_part(text: str, at: int, floor: int) -> str:
    """The local part before an `@` (RFC 5322 3.4.1, dot-atom); "" where there is none."""
    run = text[max(floor, at - LOCAL_LIMIT) : at]
    local = run[len(run.rstrip(LOCAL_CHARACTERS)) :].lstrip(_AROUND)
    start = at - len(local)
    if not local or local[-1] == "." or ".." in local or text[start - 1 : start] in ("/", ":"):
        return ""
    # A letter before it that is no atext (RFC 6531 has such local parts): what is left would be another address.
    if start > 0 and len(local) == len(run) - len(run.rstrip(LOCAL_CHARACTERS)) and text[start - 1].isalnum():
        return ""
    return local
