"""Where in running text a DOI, ISBN, ISSN, ORCID iD, ARK, handle or a paper without a scheme is (`Options.bare`).

Each begins with a digit, or with a known word before it (`PMC`, `hep-th/`), so that digits are pivots. A word before it
(`ISBN`, `doi`) states what it is: then a number with a wrong check digit is a rejection. Without one it must look like
nothing else: telephone numbers, dates, versions, addresses and page ranges are in texts much more often.
"""

from __future__ import annotations

import re
from functools import cache

from urisieve.find.delimited import ends_escape
from urisieve.finding_options import Bare
from urisieve.judge import bare_names
from urisieve.judge.bare_names import DASH, JOINT, SEPARATOR
from urisieve.judge.validate import Fault
from urisieve.lean import Final, NamedTuple, lazy_compile

# The characters from its first digit on by which a place is decided: the longest number has 25 with what follows it,
# the longest prefix of a name 81.
BARE_WINDOW: Final = 96

_PIVOTS: Final = {
    Bare.DOI: r"(?<=1)0(?:\.[0-9]{4}|/[0-9A-Za-z])",
    Bare.ISBN: rf"(?:{JOINT}?[0-9]){{8}}{JOINT}?[0-9Xx]",
    Bare.ISSN: rf"[0-9]{{3}}{JOINT}?[0-9]{{3}}[0-9Xx]",
    Bare.ORCID: rf"[0-9]{{3}}(?:{JOINT}?[0-9]{{4}}){{2}}{JOINT}?[0-9]{{3}}[0-9Xx]",
    Bare.ARK: r"[0-9bcdfghjkmnpqrstvwxz]{4,8}/",
    Bare.HANDLE: r"[0-9]{0,8}(?:\.[0-9A-Za-z\-]{1,16}){0,4}/",
    Bare.PMID: r"(?<=[1-9])[0-9]{0,7}(?![0-9])",
    Bare.PMCID: r"(?<=[1-9])[0-9]{4,7}(?![0-9])",
    Bare.ARXIV: r"[0-9]{3}(?:\.[0-9]{4}|[0-9]{3})",
}
# All that may be before the end of the text when more text can make one of these of it.
_CUT: Final = rf"(?:{SEPARATOR}|[0-9A-Za-z./]){{0,{BARE_WINDOW}}}+[_\\@=+%~&#,:]?\Z"

# Characters before a bare identifier that make it part of something else: a path, a decimal, an address, a variable.
_PART: Final = frozenset("-._/\\@#%&+~$^?\u2010\u2011\u2012\u2013\u2014\u2212")
_STATED: Final = frozenset(":=")
# Han and kana, between which no blank is.
_UNSPACED: Final = (("\u3040", "\u30ff"), ("\u4e00", "\u9fff"))
# A number that goes on: with a letter, a digit, a hyphen, or a mark that joins digits. Not a comma: it is between
# the fields of tables.
_GOES_ON: Final = lazy_compile(rf"[0-9A-Za-z]|(?:{DASH}|[_/\\@=+%~&#])[^\W_]|[.:][0-9]|_\w")
_LABELLED_GOES_ON: Final = lazy_compile(rf"[0-9A-Za-z]|{DASH}[0-9]")
# The same of a number without a check digit.
_UNCHECKED_GOES_ON: Final = lazy_compile(rf"[0-9A-Za-z_]|{DASH}[0-9A-Za-z]|[.:/][0-9]")
# The most digits of the first group of a number in groups, as `12,345,678`, and the beginning of the next one.
_GROUP: Final = 3
_NEXT_GROUP: Final = lazy_compile("[, \u00a0][0-9]")
# Groups of digits around it, brackets and words that are before telephone numbers.
_TELEPHONE: Final = lazy_compile(r"(?:[0-9)+]|tel|phone|fax|fon|mobile?|call)[ \u00a0.:()/]{1,4}\Z", re.IGNORECASE)
# A blank and digits that are not another ISBN or ISSN.
_FOLLOWED: Final = lazy_compile(
    rf" (?!97[89]|[0-9]{{4}}{DASH}[0-9]{{3}}[0-9Xx]|[0-9]+(?:{DASH}[0-9]+){{2}}{DASH}[0-9Xx]\b)[0-9(]"
)
_TELEPHONE_LIMIT: Final = 12

_ISBN_13: Final = lazy_compile(r"[0-9]{13}|[0-9]{3}([- \u00a0\u2010-\u2013])(?:[0-9]{10}|(?:[0-9]+\1){3}[0-9])")
# An ISBN or ORCID iD in its groups, with the same separator between them.
_GROUPED: Final = lazy_compile(rf"[0-9]+({SEPARATOR})[0-9]+(?:\1[0-9]+){{1,2}}\1[0-9]*[0-9Xx]")
_DAY: Final = lazy_compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
_ISBN_10: Final = lazy_compile(rf"[0-9]+({DASH})[0-9]+\1[0-9]+\1[0-9Xx]")
_ISSN: Final = lazy_compile(rf"([0-9]{{4}}){DASH}([0-9]{{3}}[0-9Xx])")
# The blocks of ISNI that are set aside for ORCID.
_ORCID: Final = lazy_compile(rf"(?:0000{DASH}000[1-3]|0009{DASH}00[01][0-9]){DASH}[0-9]{{4}}{DASH}[0-9]{{3}}[0-9Xx]")
# The largest difference of the pages of a range.
_RANGE: Final = 1_000
_YEARS: Final = (1_500, 2_100)
# Those after the number of a standard.
_STANDARD_YEARS: Final = range(1_950, 2_050)
# `10.2014/15`: months and years.
_DATE: Final = lazy_compile(r"10\.(?:19|20)[0-9]{2}/[0-9]{1,2}(?:[./\-][0-9]{1,4}){0,4}[.,;:)\]]{0,8}(?!\S)")
_CUT_DATE: Final = lazy_compile(r"10\.(?:19|20)[0-9]{2}/[0-9./\-]{1,24}[.,;:)\]]{0,8}\Z")
# The handles whose first segment states that they are some: those of CNRI (20) and GWDG (21).
_HANDLE: Final = lazy_compile(r"(?:20\.500\.[0-9]{3,9}|2[01]\.(?:T?[0-9]{4,9}))/")

# The numbers of PubMed that may be in a list: shorter ones are pages, years, amounts.
_LONG_PMID: Final = lazy_compile("[0-9]{6,8}")
# An archive of arXiv that is no word, or the letters before a number of PubMed Central.
_PAPER: Final = lazy_compile(r"PMC|[a-z]+-[a-z]+[./]")
# The longest of what may be before the first digit: `alg-geom.XX/`.
_BEFORE_LIMIT: Final = 16

_DOI: Final = lazy_compile(bare_names.DOI_PREFIX)
_SHORT: Final = lazy_compile(rf"{bare_names.SHORT_DOI}(?![0-9A-Za-z/\-._])")
_NAAN: Final = lazy_compile(bare_names.NAAN)
_PREFIX: Final = lazy_compile(bare_names.HANDLE_PREFIX)
_CUT_PLACE: Final = lazy_compile(_CUT)
_JOINT: Final = lazy_compile(JOINT)


class BarePlace(NamedTuple):
    """Where a bare identifier begins, and what it is.

    Attributes:
        start: the offset of its first character.
        end: the offset after its last character; of a name whose end is that of any URI, the offset after its prefix.
        scheme: the text before it in the canonical form; "" if the text has it.
        candidate: the text after that in the canonical form; None for a name whose end is that of any URI.
        fault: why it is rejected.
    """

    start: int
    end: int
    scheme: str
    candidate: str | None
    fault: Fault | None = None


def bare_pivot(kinds: tuple[Bare, ...]) -> str:
    """Return the pattern of the digit that begins an identifier of these kinds, or may do so when more text comes."""
    ways = "|".join(_PIVOTS[kind] for kind in kinds)
    joined = "".join(bare_names.joined_words(kind) for kind in kinds)
    # An `m` may be the end of an escape sequence. The digits of `&#46;` are no number: a mark that the end of the text
    # cuts is kept with the name before it.
    return rf"[0-9](?:(?<![0-9A-Za-ln-z][0-9]){joined})(?<!&#[0-9])(?={ways}|{_CUT})"


@cache
def _number(kind: Bare) -> re.Pattern[str]:
    return re.compile(bare_names.NUMBERS[kind].pattern)


@cache
def _before(kind: Bare) -> re.Pattern[str]:
    return re.compile(rf"(?:{bare_names.NUMBERS[kind].before})\Z")


def bare_place(text: str, pivot: int, floor: int, kinds: tuple[Bare, ...], final: bool) -> BarePlace | bool | None:
    """Return the place of the bare identifier that begins at a digit.

    Args:
        text: the text around it.
        pivot: the offset of the digit.
        floor: the end of the previous candidate.
        kinds: what to find.
        final: whether the text is complete.

    Returns:
        None if there is none; True if more text is needed.
    """
    before = text[pivot - 1 : pivot]
    if before == "m" and not ends_escape(text, pivot):
        return None
    if not final and _CUT_PLACE.match(text, pivot) is not None and len(text) - pivot < BARE_WINDOW:
        return True
    slash = text.find("/", pivot, pivot + BARE_WINDOW)
    for kind in kinds:
        place: BarePlace | bool | None = None
        if kind in bare_names.NUMBERS:
            place = _number_at(text, pivot, floor, kind)
        elif slash >= 0:
            place = _name_at(text, pivot, kind, final)
        if place is not None:
            return place
    return None


def _stands_alone(text: str, pivot: int, *, stated: bool) -> bool:
    """Report whether what begins at an offset may be an identifier of its own.

    Args:
        text: the text around it.
        pivot: the offset.
        stated: whether a colon or an equals sign may be right before it.
    """
    before = text[pivot - 1 : pivot]
    if before in _PART or (before in _STATED and not stated):
        return False
    if before == "m":
        return ends_escape(text, pivot)
    if not before.isalnum():
        return True
    return any(first <= before <= last for first, last in _UNSPACED)


def _number_at(text: str, pivot: int, floor: int, kind: Bare) -> BarePlace | None:
    number = bare_names.NUMBERS[kind]
    is_checked = number.expected is not None
    before = _before(kind).search(text, max(floor, pivot - _BEFORE_LIMIT), pivot) if number.before else None
    start = pivot if before is None else before.start()
    match = _number(kind).match(text, start)
    if match is None:
        return None
    end, raw = match.end(), match[0]
    goes_on = (_LABELLED_GOES_ON if is_checked else _UNCHECKED_GOES_ON).match(text, end) is not None
    if kind is Bare.PMID and len(raw) <= _GROUP and _NEXT_GROUP.match(text, end) is not None:
        goes_on = True
    if bare_names.label_before(text, start, kind):
        separators = {joint[0][0] for joint in _JOINT.finditer(raw)} if is_checked else ()
        return None if goes_on or len(separators) > 1 else _judged(number, raw, start, keeps_fault=True)
    place = None
    if not goes_on and _may_be_listed(kind, raw):
        listed = bare_names.list_before(text, start, kind, number.pattern)
        if listed or (listed is not None and is_checked):
            place = _judged(number, raw, start, keeps_fault=listed)
    if place is None and _may_stand(text, start, end, floor, kind):
        place = _judged(number, raw, start, keeps_fault=False)
    return place


def _judged(number: bare_names.BareNumber, raw: str, start: int, *, keeps_fault: bool) -> BarePlace | None:
    """Return the place of a number; of one with a wrong check digit only if that is a rejection."""
    end = start + len(raw)
    written = number.judge(raw)
    if not isinstance(written, Fault):
        return BarePlace(start, end, number.scheme, written)
    return BarePlace(start, end, number.scheme, None, written) if keeps_fault else None


def _may_be_listed(kind: Bare, raw: str) -> bool:
    """Report whether a number after others may be one more of a list, and no pages or date (`ISSN 0317-8471, 1-9`)."""
    if kind is Bare.ISSN:
        groups = _ISSN.fullmatch(raw)
        return raw.isalnum() and _DAY.fullmatch(raw) is None if groups is None else not _is_range(groups[1], groups[2])
    if kind is Bare.PMID:
        return _LONG_PMID.fullmatch(raw) is not None and _DAY.fullmatch(raw) is None
    return raw.isalnum() or kind is Bare.ARXIV or _GROUPED.fullmatch(raw) is not None


def _may_stand(text: str, pivot: int, end: int, floor: int, kind: Bare) -> bool:
    """Report whether a number without a word before it looks like one of its kind, and like nothing else."""
    if _GOES_ON.match(text, end) is not None:
        return False
    raw = text[pivot:end]
    if bare_names.NUMBERS[kind].expected is None:
        return _PAPER.match(raw) is not None and _stands_alone(text, pivot, stated=True)
    if kind is Bare.ORCID:
        return _ORCID.fullmatch(raw) is not None and _stands_alone(text, pivot, stated=True)
    if kind is Bare.ISBN and _ISBN_13.fullmatch(raw) is not None:
        return _stands_alone(text, pivot, stated=True)
    if not _stands_alone(text, pivot, stated=False) or _FOLLOWED.match(text, end) is not None:
        return False
    if _TELEPHONE.search(text, max(floor, pivot - _TELEPHONE_LIMIT), pivot) is not None:
        return False
    if kind is Bare.ISBN:
        return _ISBN_10.fullmatch(raw) is not None
    groups = _ISSN.fullmatch(raw)
    return groups is not None and not _is_range(groups[1], groups[2])


def _is_range(first: str, last: str) -> bool:
    """Report whether two groups of digits are pages, years or a standard: `1234-1279`, `1996-2003`, `5601-1989`."""
    if first[0] == "0" or not last.isdigit():
        return False
    low, high = int(first), int(last)
    if 0 <= high - low < _RANGE or (low % 100 == 0 and high % 100 in (0, 99)):
        return True
    return high in _STANDARD_YEARS or all(_YEARS[0] <= number < _YEARS[1] for number in (low, high))


def _name_at(text: str, pivot: int, kind: Bare, final: bool) -> BarePlace | bool | None:
    if kind is Bare.DOI:
        return _doi_at(text, pivot, final)
    match = (_NAAN if kind is Bare.ARK else _PREFIX).match(text, pivot)
    if match is None:
        return None
    is_handle = kind is Bare.HANDLE
    if is_handle and text[pivot - 4 : pivot].lower() == "hdl:" and not text[pivot - 5 : pivot - 4].isalnum():
        return BarePlace(pivot - 4, match.end(), "", None)
    is_known = is_handle and _HANDLE.match(text, pivot) is not None and _stands_alone(text, pivot, stated=True)
    is_one = is_known or bare_names.label_before(text, pivot, kind)
    return BarePlace(pivot, match.end(), bare_names.BODIES[kind][1], None) if is_one else None


def _doi_at(text: str, pivot: int, final: bool) -> BarePlace | bool | None:
    match = _DOI.match(text, pivot)
    if match is None:
        short = _SHORT.match(text, pivot)
        if short is None or text[pivot - 1 : pivot].isalnum() or not bare_names.label_before(text, pivot, Bare.DOI):
            return None
        return BarePlace(pivot, short.end(), bare_names.SHORT_DOI_RESOLVER, short[0].lower())
    if not bare_names.label_before(text, pivot, Bare.DOI):
        if not _stands_alone(text, pivot, stated=True):
            return None
        if not final and _CUT_DATE.match(text, pivot) is not None:
            return True
        if _DATE.match(text, pivot) is not None:
            return None
    return BarePlace(pivot, match.end(), "doi:", None)
