"""Host names without a scheme: with `www.`, or with a top-level domain."""

from __future__ import annotations

from unicodedata import category

from urisieve.find.delimited import after_escapes, ends_escape
from urisieve.find.ends.unspaced import before_prose
from urisieve.lean import Final, lazy_compile
from urisieve.rules.registry import top_level_domains
from urisieve.syntax.characters import NON_ASCII, is_text_before, script_change, script_of, trimmed_end
from urisieve.syntax.grammar import compiled
from urisieve.syntax.host import dns_host
from urisieve.syntax.iri import encoded

_NAME: Final = f"A-Za-z0-9._\\-{NON_ASCII}"
# The longest run of characters examined for a name: 253 make the longest name (RFC 1035 2.3.4).
NAME_LIMIT: Final = 256
# The longest label (RFC 1035 2.3.4): a longer one before a name is text.
LABEL_LIMIT: Final = 63
# The punctuation that labels may contain (RFC 5892 App. A).
_IN_LABELS: Final = "\u00b7\u0375\u05f3\u05f4\u0f0b\u30fb"
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
_NUMBER: Final = lazy_compile("[vV]?[0-9]+")
_VERSION: Final = lazy_compile(r"(?<![^.])[vV]?[0-9]+\.[vV]?[0-9]+\.[^.]*\Z")
# What shows after an IPv4 address that it is a host: a path with a letter, and with a dot, a slash or a question mark
# in it. `10.0.0.0/8` is a network, `1.2.3.4/amd64` a version; a number before a dot ends a sentence.
PATH_LIMIT: Final = 72
_SEGMENT: Final = "[A-Za-z0-9_~%+\\-]"
_FILED: Final = lazy_compile(
    rf"(?::[0-9]{{1,5}})?/(?![0-9]{{1,3}}[./?](?![a-z0-9]))(?={_SEGMENT}{{0,32}}[./?]{_SEGMENT})(?=[^\s<>\"A-Za-z]{{0,32}}[A-Za-z])"
)
# A label with the end of one name and the beginning of another: a top-level domain and words of another script.
_BETWEEN_NAMES: Final = lazy_compile(r"([A-Za-z]{2,63})[^\x00-\x7f].*[A-Za-z0-9].*")
_ROOTED: Final = lazy_compile(r"(?::[0-9]{1,5})?/")


_NAME_RUN: Final = lazy_compile(f"[{_NAME}]{{1,{NAME_LIMIT}}}")
# A character that ends a host name in text.
BEYOND_NAME: Final = lazy_compile(f"[^{_NAME}]")


def name_limit(text: str, start: int) -> int:
    """Return where the characters of a host name that begins at `start` end."""
    match = _NAME_RUN.match(text, start)
    return start if match is None else match.end()


def name_end(text: str, start: int, limit: int, dots: int) -> int:
    """Return the end of the host name in a run of its characters, without prose and punctuation after it, or `start`.

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
    first = max(floor, dot - NAME_LIMIT)
    match = _NAME_RUN.match(text[first:dot][::-1])
    start = dot if match is None else dot - match.end()
    start = max(start, first + after_escapes(text[first:dot]))
    if not text[start:dot].isascii():
        start = _after_punctuation(text, start, dot)
    while start < dot and not text[start].isalnum() and text[start] != "_":
        start += 1
    return start


def _after_punctuation(text: str, start: int, dot: int) -> int:
    """Return the offset after the last punctuation beyond ASCII before a dot that is in no host name, or `start`."""
    for index in range(dot - 1, start - 1, -1):
        character = text[index]
        if character > "\x7f" and category(character)[0] == "P" and character not in _IN_LABELS:
            return index + 1
    return start


def name_after(text: str, longest: int, dot: int) -> int:
    """Return where a name begins after another one that ends in the label before a dot; `dot` if none does.

    A dot is looked at if it is the first one of its name: the first one of the run of its characters, or the first one
    after `com和` in `meishi.com和taobao.com`.

    Args:
        text: the text around it.
        longest: where the run of characters of a name begins.
        dot: the offset of that dot, which is not the first one of the run.
    """
    if text[longest:dot].isascii():
        return dot
    label = text.rfind(".", longest, dot) + 1
    return _label_break(text, label, dot) or dot


def name_stop(text: str, dot: int, limit: int) -> int:
    """Return where a name ends at the latest whose first dot is given: before another name, or where its run ends.

    No top-level domain mixes ASCII and other letters: `meishi.com和taobao.com` are two names.
    """
    if text[dot:limit].isascii():
        return limit
    label = dot + 1
    while (end := text.find(".", label, limit)) >= 0:
        stop = _label_break(text, label, end)
        if stop:
            return stop
        label = end + 1
    return limit


def _label_break(text: str, label: int, end: int) -> int:
    """Return where a name ends in a label, and text in another script and a second name follow, or 0."""
    match = _BETWEEN_NAMES.fullmatch(text, label, min(end, label + NAME_LIMIT))
    if match is None or script_of(text[match.end(1)]) in ("LATIN", None):
        return 0
    if script_change(text, match.end(1), end) == match.end(1):
        return 0
    return match.end(1) if match[1].lower() in top_level_domains() else 0


def name_starts(text: str, longest: int, dot: int, limit: int) -> tuple[int, ...]:
    """Return where a host name may begin, the likeliest place first.

    A name begins where Latin letters follow a word of another script (`就是这个meishi.com`). Only if there is no
    name it begins before.

    Args:
        text: the text around it.
        longest: where the run of its characters begins, as returned by `name_start`.
        dot: its first dot.
        limit: where that run ends.
    """
    if text[longest:limit].isascii():
        return (longest,)
    first = script_change(text, longest, dot)
    end = name_end(text, first, limit, 1)
    inner = first if end == first else script_change(text, first, text.rindex(".", first, end))
    return tuple(dict.fromkeys((inner, first, longest)))


def longer_name(text: str, start: int, floor: int) -> int:
    """Return where the label begins that goes on before a name, within the length of a label; `start` if none does."""
    return name_start(text, start, max(floor, start - LABEL_LIMIT)) if is_text_before(text, start, floor) else start


def is_name(text: str, start: int, end: int, floor: int, *, special: frozenset[str] = frozenset()) -> bool:
    """Report whether a host name without a scheme and without `www.` counts as one.

    Nothing may be right before or after it that makes it part of something else. Its last label must be a top-level
    domain, and it may be no version. Where the last label is a common ending of files (`file.py`, `README.md`), or the
    rest is too short to be sure (`1.in`), a slash must follow, as in `docs.rs/x` and `t.co/x`.

    Args:
        text: the text around it.
        start: where it begins.
        end: where it ends, as returned by `name_end`.
        floor: the end of the previous candidate.
        special: other names that count as top-level domains.
    """
    if not _stands_alone(text, start, end, floor):
        return False
    name = text[start:end]
    *labels, last = name.split(".")
    if not _is_top_level(name, last, special) or is_version(name):
        return False
    return not (last.lower() in DOUBTFUL or _is_short(labels)) or _ROOTED.match(text, end) is not None


def _before(text: str, start: int, floor: int) -> str:
    """Return the character directly before a name, if it can belong to it."""
    return text[start - 1] if start > floor and not ends_escape(text, start) else ""


def _stands_alone(text: str, start: int, end: int, floor: int) -> bool:
    """Report whether a name is no part of a path, an address, a variable, a call or a scheme, where dots may be."""
    return (
        _before(text, start, floor) not in _BEFORE_NAME
        and text[end : end + 1] not in _AFTER_NAME
        and not text.startswith("://", end)
    )


def _is_top_level(name: str, last: str, special: frozenset[str]) -> bool:
    """Report whether the last label of a name is a top-level domain.

    It is in lower case unless all of the name is in upper case: `end.In` is where two sentences meet.
    """
    if last.lower() != last and name.upper() != name:
        return False
    if not last.isascii():
        last = dns_host(encoded(name)).host.rpartition(".")[2]
    return last.lower() in top_level_domains() or last.lower() in special


def is_version(name: str) -> bool:
    """Report whether two numbers before the last label state that a name is a version, as `v1.2.co` and `2.0.rc`."""
    return _VERSION.search(name) is not None


def _is_short(labels: list[str]) -> bool:
    """Report whether the only label before the last one is one character of ASCII, or a number of one or two digits."""
    first = labels[0]
    return len(labels) == 1 and (
        (len(first) == 1 and first.isascii()) or (_NUMBER.fullmatch(first) is not None and len(first) < 3)
    )


def is_numbered(text: str, start: int, end: int, floor: int) -> bool:
    """Report whether an IPv4 address with a path counts without a scheme; the arguments are those of `is_name`.

    At most `PATH_LIMIT` characters after it are read.
    """
    before = _before(text, start, floor)
    if before in _BEFORE_NAME or (before.isalnum() and script_of(before) in ("LATIN", None)):
        return False
    return compiled("IPv4address").fullmatch(text, start, end) is not None and _FILED.match(text, end) is not None
