"""What directly follows the records of a text, and what a record must say about it (`docs/behaviour.md`).

What follows a record in the text as it is written is white space, a closer, punctuation of a sentence, a control, an
angle bracket or a double quote, another record or rejection, or the end; or the record has a warning, and another
reading among its alternatives. `EXEMPT` holds the exceptions. All this is written from the rules, and shares no code
with the finder.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote

from urisieve import Options, Record, Rejection, check, sieve
from urisieve.options import Repair

__all__ = ["EXEMPT", "TELLING", "Fault", "end_faults"]

# The warnings that say that a record may be meant to go on, or to end earlier.
TELLING: Final = frozenset(
    (
        *("stops-at-excluded", "text-follows", "may-be-shortened", "second-scheme", "escapes-removed"),
        *("hyphen-at-line-break", "invisible-removed"),
    )
)
# Where a record needs no warning, or no other reading, although something follows it.
EXEMPT: Final = {
    "another-link": "another record or rejection begins directly behind what ends it: nothing of the text is lost",
    "nothing-behind": "an excluded character, an opener or a sequence with nothing behind it begins no rest",
    "cell": "box drawing and block elements are the borders of tables and windows, and no part of a text",
    "attribute": "a sequence before the candidate opened an attribute, and the one behind it closes that",
    "hyperlink": "the sequence of a terminal that holds the candidate, or its text, ends there",
    "escaped-end": "an escape stands for a character that ends a candidate, as `\\n` and `\\u0022`",
    "tag": "a closing tag of a bulletin board",
    "not-valid": "the run as it is written, repaired or joined is no identifier: there is no other reading to name",
    "by-syntax": "a number ends by its own syntax: no reading of it goes on",
    "holder": "it stands in an identifier, and so does the other reading: its warning says that there is one",
    "in-parameter": "it stands in an identifier, and ends with the parameter that holds it",
}

_STOPS: Final = frozenset(".,;:!?'…\uff5e")
_HARD_STOPS: Final = frozenset("。．｡！？，、；：\u2014\uff64\uff61")
_HOST_STOPS: Final = frozenset("。．｡")
_PUNCTUATION: Final = frozenset(("Po", "Pf", "Pe", "Pd"))
_OPENERS: Final = frozenset("([{＜")
_CLOSERS: Final = frozenset(")]}＞")
_EMPHASIS: Final = frozenset("*_~")
_MARKS: Final = frozenset("#$%&*+-/=@_~")
_EXCLUDED: Final = frozenset("\\^`{|}")
# Quotation marks that open in one language and close in another: the mark before the record that makes each a closer.
_TURNED: Final = {"“": "„", "‘": "‚", "«": "»", "‹": "›"}
_BLANKS_NOT_SHOWN: Final = frozenset("\u200b\ufeff")
_SEQUENCE: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b(?:[()#*+][0-~]|\\)"
)
_BEFORE: Final = re.compile(r"(?:\x1b\[|\x9b)[0-9;]*m\Z")
_CLOSES: Final = re.compile(r"(?:\x1b\[|\x9b)(?:0|39|49|2[2-9])?m")
_HYPERLINK: Final = re.compile(r"\x1b\]8;[^;\x1b\x07]*;\Z")
_REFERENCE: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ESCAPED_END: Final = re.compile(r'\\+(?:[nrtbf"]|u00(?:22|0[0-9a-fA-F]|20|3[cCeE])|x(?:22|0[0-9a-fA-F]|20|3[cCeE]))')
_ESCAPED_AMPERSAND: Final = re.compile(r"\\+(?:u00|x)26")
_TAG: Final = re.compile(r"\[/(?:url|img|email|b|i|u|quote|code)\]", re.IGNORECASE)
_PREFIXED: Final = re.compile(r"url:\s?|ltd\.", re.IGNORECASE)
_SICI: Final = re.compile(r"<[0-9][^<>\s]*>[0-9]\.[0-9]\.[A-Z]{2};[0-9X]", re.IGNORECASE)
_WRITTEN_NUMBER: Final = re.compile(r"urn:is[bs]n:|https://orcid\.org/")
_WORD: Final = re.compile(r"\S*")
_RUN: Final = re.compile(r'[^\s<>"\x00-\x20\x7f-\x9f]*')
# What ends a component, a parameter or a part of a list inside an identifier (RFC 3986 2.2).
_ENDS_PARAMETER: Final = frozenset(":/?#[]@!$&'()*+,;=|{}")
_ANOTHER: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://|[uU][rR][nN]:")
_CANNOT: Final = re.compile(
    r"[\\^`{|}\[\]\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u00ad\ufffd\ufdd0-\ufdef\uffff\ud800-\udfff]"
)
_NOT_SHOWN: Final = re.compile(r"[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad]")
# What stands at the end of a run and goes on with nothing.
_TRIMMED: Final = re.compile(r"[-.,;:!?'_~*([{\u200b-\u200f\u2060\ufeff\u00ad]+\Z")
_BRACKETED_STOPS: Final = re.compile(r"[\[({<]([.,:]+)[\])}>]")


class Fault(NamedTuple):
    """A record whose end breaks the rule.

    Attributes:
        kind: what follows it, and what is missing, as `symbol, silent`.
        record: the record.
        rest: some of the text that follows.
    """

    kind: str
    record: Record
    rest: str


class _Following(NamedTuple):
    """What follows a record.

    Attributes:
        kind: what it is; "" if that needs no warning.
        exempt: the exception by which it needs none, or "".
    """

    kind: str
    exempt: str = ""


def end_faults(text: str, options: Options, seen: dict[str, int] | None = None) -> tuple[int, list[Fault]]:
    """Return how many records a text has, and those whose end breaks the rule.

    Args:
        text: the text.
        options: what to find.
        seen: counts the exceptions that were used, and what needed nothing or was told.
    """
    values = list(sieve(text, options=options))
    records = [value for value in values if isinstance(value, Record)]
    counts = {} if seen is None else seen
    faults = []
    for record in records:
        kind = _fault(text, record, values, options, counts)
        if kind:
            faults.append(Fault(kind, record, text[record.end : record.end + 24]))
    return len(records), faults


def _fault(
    text: str, record: Record, values: Sequence[Record | Rejection], options: Options, counts: dict[str, int]
) -> str:
    def counted(name: str) -> str:
        counts[name] = counts.get(name, 0) + 1
        return ""

    inside = any(one.start <= record.start and record.end < one.end for one in values)
    if inside and (_is_whole(record, options) or text[record.end] in _ENDS_PARAMETER):
        return counted("in-parameter")
    following = (
        _Following("part of a parameter")
        if "unwrapped" in record.warnings and inside
        else _following(text, record, values)
    )
    place = "inside another, " if not {"nested", "unwrapped"}.isdisjoint(record.warnings) else ""
    if following.exempt:
        return counted(following.exempt)
    if not following.kind:
        return counted("ends")
    if TELLING.isdisjoint(record.warnings):
        return f"{place}{following.kind}, silent" if not _by_syntax(record) else counted("by-syntax")
    if any(other != record.uri for other in record.alternatives):
        return counted("told")
    if place:
        return counted("holder")
    exempt = _other_reading(text, record, options, following.kind)
    return counted(exempt) if exempt else f"{place}{following.kind}, without another reading"


def _following(text: str, record: Record, values: Sequence[Record | Rejection]) -> _Following:
    """Return what follows a record, behind the punctuation that was trimmed from it."""
    starts = {value.start - len(_opener(value)) for value in values if value.start >= record.end}
    starts |= {value.start for value in values if value.start >= record.end}
    before = text[: record.start]
    at = record.end
    if record.wrapper and text.startswith(tuple(_closer(record.wrapper)), _blank_end(text, at)):
        return _Following("")
    if record.scheme == "doi" and _SICI.match(text, at):
        return _Following("sici")
    is_label = _is_host(record) and "." not in str(record.host) and record.host != "localhost"
    if is_label and text[at : at + 1] in _HOST_STOPS and text[at + 1 : at + 2].isalnum():
        return _Following("stop in a host")
    crossed = ""
    opened = ""
    is_assumed = "scheme-assumed" in record.warnings and (record.scheme == "mailto" or _is_host(record))
    while at < len(text):
        character = text[at]
        if at in starts or ((match := _PREFIXED.match(text, at)) and match.end() in starts):
            return _Following("", "another-link")
        if crossed and _ANOTHER.match(text, at):
            return _Following("", "another-link")
        if _TAG.match(text, at):
            return _Following("", "tag")
        sequence = _SEQUENCE.match(text, at)
        category = unicodedata.category(character)
        if sequence is not None:
            if _HYPERLINK.search(before) or sequence[0].startswith("\x1b]8;"):
                return _Following("", "hyperlink")
            if _CLOSES.fullmatch(sequence[0]) and _BEFORE.search(before):
                return _Following("", "attribute")
            if crossed not in ("", "sequence"):
                return _Following("", "nothing-behind")
            crossed = "sequence"
            at = sequence.end()
        elif character.isspace() and character not in "\x1c\x1d\x1e\x1f":
            return _Following("", "nothing-behind" if crossed or opened else "")
        elif character in _BLANKS_NOT_SHOWN or category == "Cf":
            crossed = crossed or "invisible"
            at += 1
        elif category == "Cc" or character in _HARD_STOPS or character in "<>":
            return _Following("")
        elif _is_emphasis(text, record, character):
            at += 1
        elif character == '"':
            if (opened or text[at - 1] in "=:,") and _goes_on(text, at + 1, starts):
                return _Following("quote")
            return _Following("")
        elif _is_closer(character, category, before):
            if not opened or not _is_pair(opened, character):
                return _Following("")
            at += 1
        elif character in _STOPS or (character > "\x7f" and category in _PUNCTUATION):
            if is_assumed or crossed == "sequence" or (crossed and character > "\x7f"):
                return _Following("")
            at += 1
        elif category in ("Ps", "Pi") or character in _OPENERS:
            opened = character
            crossed = crossed or "opener"
            at += 1
        elif character == "`" and before.count("`") % 2:
            return _Following("")
        elif _ESCAPED_END.match(text, at) is not None:
            return _Following("", "escaped-end")
        elif record.scheme == "urn" and (escape := _ESCAPED_AMPERSAND.match(text, at)) is not None:
            crossed = crossed or "excluded in a URN"
            at = escape.end()
        elif character in _EXCLUDED:
            crossed = crossed or f"excluded {character}"
            at += 1
        elif category in ("Cn", "Cs", "Co") or character == "\ufffd":
            crossed = crossed or "lost"
            at += 1
        elif "\u2500" <= character <= "\u259f":
            return _Following("", "cell")
        elif (reference := _REFERENCE.match(text, at)) is not None:
            if record.scheme == "urn" and reference[0] != "&amp;":
                return _Following("")
            at = reference.end()
        elif record.scheme == "urn" and (character in "&~[]" or category[0] not in "LMN"):
            crossed = crossed or "excluded in a URN"
            at += 1
        elif crossed and character > "\x7f" and category[0] in "SM":
            at += 1
        elif not crossed and character in _MARKS and is_assumed and record.scheme == "mailto":
            crossed = "address"
            at += 1
        else:
            return _Following(crossed or _kind(character, category))
    return _Following("", "nothing-behind" if crossed or opened else "")


def _kind(character: str, category: str) -> str:
    if category[0] in "LM":
        return "letter" if character > "\x7f" else "letter of ASCII"
    if category[0] == "N":
        return "digit"
    return "symbol" if character > "\x7f" else f"mark {character}"


def _goes_on(text: str, at: int, starts: set[int]) -> bool:
    """Report whether what stands behind a double quote may be what it quotes."""
    return at < len(text) and at not in starts and text[at].isalnum()


def _is_closer(character: str, category: str, before: str) -> bool:
    if character in _CLOSERS or category in ("Pe", "Pf"):
        return True
    return character in _TURNED and _TURNED[character] in before


def _is_pair(opener: str, closer: str) -> bool:
    """Report whether two brackets or quotation marks have the same name, but for the side on which they stand."""
    one, other = (re.sub("LEFT|RIGHT", "", unicodedata.name(mark)) for mark in (opener, closer))
    return one == other


def _is_emphasis(text: str, record: Record, character: str) -> bool:
    """Report whether a character closes an emphasis that was opened before a record."""
    if character not in _EMPHASIS:
        return False
    before = text[: record.start]
    return before.endswith(character) or character * 2 in before


def _closer(wrapper: str) -> Iterator[str]:
    """Yield what may stand for the closer of a wrapper."""
    yield wrapper[1:]
    yield "\\" + wrapper[1:]
    yield from {
        '"': ("&quot;", "&#34;", "&#034;", "&#x22;"),
        "'": ("&apos;", "&#39;", "&#039;", "&#x27;"),
        ">": ("&gt;", "&#62;", "&#x3e;", "&#x3E;"),
    }.get(wrapper[1:], ())


def _opener(value: Record | Rejection) -> str:
    wrapper = value.wrapper if isinstance(value, Record) else None
    return wrapper[:1] if wrapper else ""


def _blank_end(text: str, at: int) -> int:
    return at + len(text[at:]) - len(text[at:].lstrip())


def _is_host(record: Record) -> bool:
    """Report whether a record is written up to its host only."""
    is_bare = not record.path.strip("/") and record.query is record.fragment is record.port is None
    return bool(record.host) and is_bare and record.raw[-1:].isalnum() and "%" not in record.raw


def _by_syntax(record: Record) -> bool:
    return "scheme-assumed" in record.warnings and bool(_WRITTEN_NUMBER.match(record.uri))


def _is_whole(record: Record, options: Options) -> bool:
    """Report whether an unwrapped link is all that its parameter holds."""
    if "unwrapped" not in record.warnings:
        return False
    texts = (record.raw, f"http://{record.raw}") if "scheme-assumed" in record.warnings else (record.raw,)
    found = (check(unquote(one), options=options) for one in texts)
    return any(isinstance(one, Record) and one.key == record.key for one in found)


def _other_reading(text: str, record: Record, options: Options, kind: str) -> str:
    """Return "" if the run goes on to another identifier, as it is written, repaired or joined; else the exception."""
    word = _WORD.match(text, record.end)[0]  # type: ignore[index] # it may be empty
    if _ANOTHER.search(word):
        return "another-link"
    rest = word if kind == "quote" else _RUN.match(word)[0]  # type: ignore[index] # as that
    rest = _TRIMMED.sub("", rest)
    while rest and (_is_closer(rest[-1], (category := unicodedata.category(rest[-1])), "") or category in ("Ps", "Pi")):
        rest = _TRIMMED.sub("", rest[:-1])
    if not rest:
        return "nothing-behind"
    if (record.raw + rest).count("#") > 1:
        return "not-valid"
    assumed = "scheme-assumed" in record.warnings
    prefix = {"mailto": "mailto:", "http": "http://"}.get(record.scheme, "") if assumed else ""
    written = prefix + record.raw
    if "refanged" in record.warnings:
        written = record.iri if record.raw.endswith("/") else record.iri.removesuffix("/")
    runs = [written + rest]
    repair = options.repair
    if _CANNOT.match(rest.lstrip(".,;:!?'([{")) or rest[:1] in _OPENERS:
        repair = Repair.ENCODE
        runs.append(written + _NOT_SHOWN.sub("", _BRACKETED_STOPS.sub(r"\1", rest)))
    wide = Options(repair=repair, schemes="any", bare=options.bare)
    if record.scheme == "urn":
        wide = Options(urn_syntax="rfc8141", bare=options.bare)
        runs = runs[:1]
    others = (check(run, options=wide) for run in runs)
    return "" if any(isinstance(one, Record) and one.uri != record.uri for one in others) else "not-valid"
