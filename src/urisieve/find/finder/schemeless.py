"""Identifiers whose scheme is not in the text: host names, with `www.` or a top-level domain, and mail addresses."""

from __future__ import annotations

import re
from functools import cache

from urisieve.find.delimited import after_escapes, ends_escape
from urisieve.find.finder.unspaced import before_prose, is_complete
from urisieve.find.pivots import SCHEME_CHARACTERS
from urisieve.lean import Final, lazy_compile
from urisieve.syntax.characters import NON_ASCII, WRAPPERS, trimmed_end
from urisieve.syntax.grammar import compiled
from urisieve.syntax.host import dns_host
from urisieve.syntax.iri import encoded

# The characters of RFC 5322 atext; 64 octets are the limit of RFC 5321 4.5.3.1.1.
LOCAL_CHARACTERS: Final = SCHEME_CHARACTERS + "_%&'=!#$*/?^`{|}~"
LOCAL_LIMIT: Final = 64
# Characters of atext that stand around an address more often than in it.
_AROUND: Final = "!#$%&'*+-/=?^`{|}~."
_NAME: Final = f"A-Za-z0-9._\\-{NON_ASCII}"
# The longest run of characters examined for a name: 253 make the longest name (RFC 1035 2.3.4).
NAME_LIMIT: Final = 256
# Top-level domains that end a file name or an attribute name much more often than a bare host name.
DOUBTFUL: Final = frozenset(
    (  # noqa: SIM905 - one string reads better than forty
        "ac am as bz cab cat cc do hm inc java la lc map md mk ml mov ms name pl pm ps pub py rs sc sh so st tf vc vi "
        "win zip"
    ).split()
)
# Characters before a name that make it part of something else (a path, an address, a variable), and those after it.
_BEFORE_NAME: Final = frozenset("/\\@$%#&+~*^_-.")
_AFTER_NAME: Final = frozenset("(=@_\\[{&%$+*~^|`")
# The texts before an address with a colon and no blank: fields of mail, and words that introduce addresses.
_LABEL: Final = lazy_compile(
    r"(?<![A-Za-z0-9_.+@/\-])(?:e-?mails?|mail|to|cc|bcc|from|sender|reply-to|return-path|contact|kontakt|courriel|correo):\Z",
    re.IGNORECASE,
)
_LONGEST_LABEL: Final = 16
# The folder of a user in which lists are kept: `~user/list@lists.example`.
_FOLDER: Final = lazy_compile(r"[A-Za-z0-9._\-]++/")
# The name of a field and an equals sign, as in logfmt and in queries, before the rest of a local part.
_FIELD: Final = lazy_compile(rf"(?:.*[&?|{{])?[A-Za-z][A-Za-z0-9_.\-]*=[{re.escape(_AROUND)}]*([^=]+)")
_NUMBER: Final = lazy_compile("[vV]?[0-9]+")
# What shows behind an IPv4 address that it is a host: a path with a letter, and with a dot, a slash or a question mark
# in it. `10.0.0.0/8` is a network, `1.2.3.4/amd64` a version; a number before a dot ends a sentence.
PATH_LIMIT: Final = 72
_SEGMENT: Final = "[A-Za-z0-9_~%+\\-]"
_FILED: Final = lazy_compile(
    rf"(?::[0-9]{{1,5}})?/(?![0-9]{{1,3}}[./?](?![a-z0-9]))(?={_SEGMENT}{{0,32}}[./?]{_SEGMENT})(?=[^\s<>\"A-Za-z]{{0,32}}[A-Za-z])"
)
_ROOTED: Final = lazy_compile(r"(?::[0-9]{1,5})?/")


@cache
def _name() -> re.Pattern[str]:
    return re.compile(f"[{_NAME}]{{1,{NAME_LIMIT}}}")


@cache
def beyond_name() -> re.Pattern[str]:
    """Return the pattern of a character that ends a host name in text."""
    return re.compile(f"[^{_NAME}]")


def name_limit(text: str, start: int) -> int:
    """Return where the characters of a host name that begins at `start` end."""
    match = _name().match(text, start)
    return start if match is None else match.end()


def name_end(text: str, start: int, limit: int, dots: int) -> int:
    """Return the end of the host name in a run of its characters, without prose and punctuation behind it, or `start`.

    Args:
        text: the text around it.
        start: where it begins.
        limit: where the run ends.
        dots: the least number of dots in it.
    """
    name = text[start : before_prose(text, start, limit, host=start, dns=True, is_whole=True).end]
    while name != (shorter := name[: trimmed_end(name, 0, len(name), "")].rstrip("-_")):
        name = shorter
    if name.count(".") < dots or not name.rpartition(".")[2][:1].isalpha():
        return start
    return start if dns_host(encoded(name)).reason is not None else start + len(name)


def name_start(text: str, dot: int, floor: int) -> int:
    """Return where a host name before a dot begins, at most `NAME_LIMIT` before it; `dot` if there is none."""
    match = _name().match(text[max(floor, dot - NAME_LIMIT) : dot][::-1])
    start = dot if match is None else dot - match.end()
    first = max(floor, dot - NAME_LIMIT)
    start = max(start, first + after_escapes(text[first:dot]))
    while start < dot and not text[start].isalnum() and text[start] != "_":
        start += 1
    return start


def is_name(text: str, start: int, end: int, floor: int) -> bool:
    """Report whether a host name without a scheme and without `www.` counts as one.

    Its last label must be a top-level domain, in lower case unless all of the name is in upper case (`end.In` is where
    two sentences meet). Nothing may stand right before or behind it that makes it part of something else: a slash, an
    at-sign, an underscore, a parenthesis. Two numbers before it are a version (`v1.2.co`). Where the last label
    is a common ending of files (`file.py`, `README.md`), or the only other one a single character of ASCII or a number
    of one or two digits (`1.in`), a slash must follow, as in `docs.rs/x` and `t.co/x`.

    Args:
        text: the text around it.
        start: where it begins.
        end: where it ends, as returned by `name_end`.
        floor: the end of the previous candidate.
    """
    before = text[start - 1 : start] if start > floor and not ends_escape(text, start) else ""
    # A scheme may hold dots: `com.example.app://`.
    if before in _BEFORE_NAME or text[end : end + 1] in _AFTER_NAME or text.startswith("://", end):
        return False
    name = text[start:end]
    *labels, last = name.split(".")
    if last.lower() != last and name.upper() != name:
        return False
    if not last.isascii():
        last = dns_host(encoded(name)).host.rpartition(".")[2]
    from urisieve.rules.registry import top_level_domains

    if last.lower() not in top_level_domains():
        return False
    numbers = [_NUMBER.fullmatch(label) is not None for label in labels]
    if numbers[-2:] == [True, True]:
        return False
    first = labels[0]
    short = len(labels) == 1 and ((len(first) == 1 and first.isascii()) or (numbers[0] and len(first) < 3))
    return not (short or last.lower() in DOUBTFUL) or _ROOTED.match(text, end) is not None


def is_numbered(text: str, start: int, end: int, floor: int) -> bool:
    """Report whether an IPv4 address with a path counts without a scheme; the arguments are those of `is_name`.

    At most `PATH_LIMIT` characters behind it are read.
    """
    before = text[start - 1 : start] if start > floor and not ends_escape(text, start) else ""
    if before in _BEFORE_NAME or before.isalnum():
        return False
    return compiled("IPv4address").fullmatch(text, start, end) is not None and _FILED.match(text, end) is not None


def address_start(text: str, start: int, at: int, end: int) -> int:
    """Return where the address begins that ends at `end` and whose longest local part begins at `start`.

    What stands before it is atext too: a quotation mark or brace that opens before it and closes right behind it, and
    the name of a field (`user=joe@e.example`). A name with `=` before a domain stays whole, since lists write so to
    whom they sent (`joe=e.example@list.example`), and one with several `=`, as a relay does that rewrites addresses.
    """
    for index in range(at - 2, start - 1, -1):
        closers = WRAPPERS.get(text[index])
        if closers is not None and text[end : end + 1] in tuple(closers) and not text[index - 1 : index].isalnum():
            return index + 1
    field = _FIELD.fullmatch(text, start, at)
    if field is None:
        return start
    return start if "." in field[1] and is_complete(field[1]) else field.start(1)


def local_part(text: str, at: int, floor: int) -> str:
    """Return the local part before an `@` (RFC 5322 3.4.1, dot-atom), or ""."""
    run = text[max(floor, at - LOCAL_LIMIT - 2) : at]  # the end of a longer one is none; one may follow a row of marks
    run = run[after_escapes(run) :]
    atext = run[len(run.rstrip(LOCAL_CHARACTERS)) :]
    local = atext.lstrip(_AROUND)
    if _FOLDER.match(local) and atext.endswith(f"~{local}"):
        local = f"~{local}"
    start = at - len(local)
    if not local or local[-1] == "." or ".." in local or text[start - 1 : start] == "/" or len(local) > LOCAL_LIMIT:
        return ""
    if ends_escape(text, start):
        return local
    if text[start - 1 : start] == ":" and not _LABEL.search(text, max(floor, start - _LONGEST_LABEL), start):
        return ""  # `user:password@host`
    # A letter before it that is not atext (RFC 6531 has such local parts): the rest would be another address.
    if start > 0 and len(local) == len(atext) and text[start - 1].isalnum():
        return ""
    return local
