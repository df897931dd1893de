"""Identifiers that libraries write without a scheme: DOI, ISBN, ISSN, ORCID iD, ARK, handle, and those of papers.

A number with a check digit counts only if that is right. What has none counts by the grammar of its names.

`LABELS` is the table of what states before a number or name of which kind it is: the words, those after which a number
may follow without a blank, and the hosts of resolvers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache

from urisieve.codes import Component, Reason, Warn
from urisieve.finding_options import Bare, Options
from urisieve.judge.judge import Judged, judge
from urisieve.judge.proofs import findable, wanted_by
from urisieve.judge.validate import Fault, fault
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.rules import forms
from urisieve.syntax.iri import encoded_sici


class NumberLabel(NamedTuple):
    """The words and hosts which state that an identifier of a kind follows.

    Attributes:
        words: a pattern of the words by which a text states so, in any case.
        joined: those of them after which it may follow without a blank, in lower case: a check digit, or the prefix of
            a DOI, shows what it is.
        hosts: a pattern of the hosts of its resolvers, in any case, perhaps with a path up to the last slash before the
            identifier; "" if no link without a scheme leads to it.
        fields: a pattern of further words that name it as the name of a field, or beside one.
    """

    words: str
    joined: tuple[str, ...] = ()
    hosts: str = ""
    fields: str = ""

    @property
    def named(self) -> str:
        """The pattern of the words by which a field states that it contains one."""
        return f"(?:{self.words}|{self.fields})" if self.fields else self.words


# The tags of lists of references at the beginning of a line, which name both: `SN  - ` (RIS), `%@ ` (EndNote).
_REFERENCE_TAGS: Final = r"(?<![^\n\r])(?:sn(?=  - )|%@(?= ))"

LABELS: Final = {
    Bare.DOI: NumberLabel("doi", ("doi",), r"(?:(?:dx|www)\.)?doi\.org"),
    Bare.ISBN: NumberLabel(rf"(?:(?:[ep]-?)?isbns?(?:[\-_ ]?1[03])?|{_REFERENCE_TAGS})", ("isbn",)),
    Bare.ISSN: NumberLabel(rf"(?:(?:[ep]-?)?issns?(?:-?l)?|{_REFERENCE_TAGS})", ("issn",)),
    Bare.ORCID: NumberLabel("orcid(?:[- ]?ids?)?", ("orcid",), r"(?:www\.)?orcid\.org"),
    Bare.ARK: NumberLabel("ark"),
    Bare.HANDLE: NumberLabel("(?:hdl|handle)", (), r"(?:www\.)?hdl\.handle\.net"),
    Bare.PMID: NumberLabel(
        "(?:pmid|pubmed[-_ ]?id)s?",
        ("pmid",),
        r"(?:pubmed\.ncbi\.nlm\.nih\.gov|(?:www\.)?ncbi\.nlm\.nih\.gov/pubmed)",
        "pubmed",
    ),
    Bare.PMCID: NumberLabel(
        "pmc[-_ ]?ids?",
        ("pmcid", "pmc"),
        r"(?:pmc\.ncbi\.nlm\.nih\.gov/articles|(?:www\.)?ncbi\.nlm\.nih\.gov/pmc/articles)",
        "(?:pmc|pubmed[-_ ]?central)",
    ),
    Bare.ARXIV: NumberLabel(
        "(?:arxiv(?:[-_ ]?ids?)?|e-?print)", ("arxiv",), r"(?:(?:www|export)\.)?arxiv\.org/(?:abs|pdf)"
    ),
}

# What may be between a word and what it names: a note in parentheses, the marks of JSON, XML, BibTeX and wikis.
_NOTE: Final = r"(?:\s?\([^()0-9\n]{1,24}\))?"
_GAP: Final = rf"{_NOTE}[\s:\uff1a=#\"'\u201c\u201e\u00ab<>(\[{{*_|\-]{{0,8}}"
# More characters than such words and what follows them have.
LABEL_LIMIT: Final = 56
# The end of a name, a path, a scheme: `notdoi.org`, `x.doi.org`, `e.example/doi.org`, `joe@doi.org`. No blank is
# between such a host and letters of Han and kana, which come after these letters.
_ALONE: Final = r"(?<![0-9A-Za-z\-._@/\\%#&+$~\u00c0-\u1fff\u2c00-\u2dff])"
# What may be between two numbers of a list, with marks or a word, or with blanks alone.
_AND: Final = "(?:and|or|und|oder|et|ou|y|o|e|och|eller|en|of)"
_MARK: Final = rf"(?:[,;/|&\u3001\uff0c\uff1b]|{_AND}(?=\s))"
_BETWEEN: Final = rf"[\"'\u201d]?{_NOTE}(?:\s{{0,4}}(?P<mark>(?>{_MARK}\s{{0,4}}){{1,3}}+)|\s{{1,4}})[\"'\u201c]?"
_UNNAMED: Final = _BETWEEN.replace("?P<mark>", "?:")
# The characters before a number of a list in which the word is looked for: some forty numbers.
LIST_LIMIT: Final = 512
_BETWEEN_LIMIT: Final = 64
# What such a word has before it: `e-isbn`.
_BEFORE_WORD: Final = 2


@cache
def _label(kind: Bare) -> re.Pattern[str]:
    label = LABELS[kind]
    host = rf"|{_ALONE}{label.hosts}/" if label.hosts else ""
    return re.compile(rf"(?:(?<![0-9A-Za-z]){label.words}{_GAP}{host})\Z", re.IGNORECASE | re.ASCII)


def label_before(text: str, start: int, kind: Bare) -> bool:
    """Report whether a word or a resolver before an offset states that an identifier of a kind begins there."""
    return _label(kind).search(text, max(0, start - LABEL_LIMIT), start) is not None


@cache
def _before_item() -> re.Pattern[str]:
    return re.compile(rf"[0-9Xx]{_BETWEEN}\Z", re.ASCII)


@cache
def _list(kind: Bare, number: str) -> re.Pattern[str]:
    item = rf"(?>(?:{number}){_UNNAMED})"
    return re.compile(rf"(?<![0-9A-Za-z]){LABELS[kind].words}{_GAP}{item}++\Z", re.IGNORECASE | re.ASCII)


def list_before(text: str, start: int, kind: Bare, number: str) -> bool | None:
    """Report whether a comma, a word or the like, and not only blanks, is before a number in a list after a word.

    Args:
        text: the text around it.
        start: the offset.
        kind: what the word before the list has to state.
        number: the pattern of the numbers of that kind.

    Returns:
        None if the number is in no list.
    """
    least = max(0, start - LIST_LIMIT)
    # A list has its word before its numbers only; a character beyond ASCII becomes one question mark.
    word = text[least:start].encode("ascii", "replace").lower().rfind(LABELS[kind].joined[0].encode())
    if word < 0:
        return None
    between = _before_item().search(text, max(0, start - _BETWEEN_LIMIT), start)
    if between is None or _list(kind, number).search(text, max(least, least + word - _BEFORE_WORD), start) is None:
        return None
    return between["mark"] is not None


def whole_label(kind: Bare) -> str:
    """Return the pattern of what may be before an identifier of a kind in a whole text, in any case."""
    label = LABELS[kind]
    ways = [rf"{label.words}[\s:\uff1a]{{1,8}}", *label.joined]
    if label.hosts:
        ways.append(f"{label.hosts}/")
    return f"(?:{'|'.join(ways)})"


def joined_words(kind: Bare) -> str:
    """Return patterns after a "|" of the digit after a word to which it is joined, for kinds that have such words."""
    ways = []
    for word in LABELS[kind].joined:
        ways.append("".join(f"[{letter}{letter.upper()}]" for letter in word))
    return "".join(f"|(?<={way}[0-9])" for way in ways)


# Hyphens and dashes, and the blanks, between the groups of a number.
DASH: Final = "[-\u2010-\u2013]"
SEPARATOR: Final = "[- \u00a0\u2010-\u2013]"
# What is between two groups: programs that break lines leave a blank after a hyphen.
JOINT: Final = rf"(?:{DASH} ?|[ \u00a0])"
_JOINTS: Final = lazy_compile(JOINT)

# ANSI/NISO Z39.84; four to nine digits as the DOI Handbook and the registration agencies assign them.
DOI_PREFIX: Final = r"10\.[0-9]{4,9}(?:\.[0-9]{1,9}){0,4}/"
# A shortDOI, which the service makes of letters and digits; with a letter, so that no fraction is one.
SHORT_DOI: Final = r"10/(?=[0-9]{0,7}[A-Za-z])[0-9A-Za-z]{2,8}"
# A shortDOI is a handle, not a name by Z39.84, so that `doi:` does not go before it; its service makes such links.
SHORT_DOI_RESOLVER: Final = "https://doi.org/"
# The name assigning authority number of an ARK: betanumeric, and in practice five digits. It begins with a digit here,
# by which it is found.
NAAN: Final = r"[0-9][0-9bcdfghjkmnpqrstvwxz]{4,8}/"
# RFC 3650 3: a naming authority of segments between dots. Those that are assigned begin with a number.
HANDLE_PREFIX: Final = r"[0-9]{1,9}(?:\.[0-9A-Za-z\-]{1,16}){0,4}/"

_NOT_OF_URI: Final = lazy_compile(r"[\[\]<>\"{}|\\^`]|%(?![0-9A-Fa-f]{2})")


class BareNumber(NamedTuple):
    """A kind of numbers whose pattern states their extent.

    Attributes:
        pattern: the number, with separators.
        scheme: the text before it in the canonical form.
        component: the component that a wrong check digit is in.
        section: the standard, or the document of the publisher, that defines it.
        written: returns the form after the scheme for a number without separators, in upper case if it has a check
            digit.
        expected: returns the check digit for the characters before it; None if such numbers have none.
        before: what a number may have before its first digit, as a pattern; "" for nothing.
        same: pairs of what is written and its form; for kinds without a check digit.
        different: what is written and is none.
    """

    pattern: str
    scheme: str
    component: Component
    section: str
    written: Callable[[str], str]
    expected: Callable[[str], str] | None = None
    before: str = ""
    same: tuple[tuple[str, str], ...] = ()
    different: tuple[str, ...] = ()

    def judge(self, text: str) -> str | Fault:
        """Return the form after the scheme for a number, or its fault."""
        if self.expected is None:
            return self.written(text)
        digits = _JOINTS.sub("", text).upper()
        if self.expected(digits[:-1]) != digits[-1]:
            return fault(Reason.WRONG_CHECK_DIGIT, self.component, len(text) - 1, self.section)
        return self.written(digits)


def _isbn(digits: str) -> str:
    return forms.isbn_10(digits) if len(digits) == 9 else forms.isbn_13(digits)


# A number that NLM gives in order; the longest has eight digits.
PMID: Final = "[1-9][0-9]{0,7}"
# The first article of PubMed Central has five digits. The versions of one are after a dot.
PMCID: Final = r"[1-9][0-9]{4,7}(?:\.[1-9][0-9]?(?![0-9]))?"
# The archives of identifiers up to March 2007, with the subject class that some had: `math.GT`.
_ARCHIVE: Final = (
    "(?:acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|cond-mat|cs|dg-ga"
    "|funct-an|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math|math-ph|mtrl-th|nlin|nucl-ex|nucl-th|patt-sol|physics|plasm-ph"
    r"|q-alg|q-bio|quant-ph|solv-int|supr-con)(?:\.[A-Za-z]{2})?"
)
_MONTH: Final = "(?:0[1-9]|1[0-2])"
# From April 2007 to 2014 the number in the month has four digits, and from 2015 on five.
ARXIV: Final = (
    rf"(?:{_ARCHIVE}/(?:9[1-9]|0[0-7]){_MONTH}(?<!070[4-9])(?<!071[0-2])[0-9]{{3}}"
    rf"|(?:(?:0[7-9]|1[0-4]){_MONTH}\.[0-9]{{4}}|(?:1[5-9]|[2-9][0-9]){_MONTH}\.[0-9]{{5}}))(?:v[1-9][0-9]{{0,2}})?"
)
_SUBJECT_CLASS: Final = lazy_compile(r"\.[A-Za-z]{2}/")

# By the number of their digits no text is of two kinds. 979-0 are ISMN, the numbers of printed music.
NUMBERS: Final = {
    Bare.ORCID: BareNumber(
        rf"[0-9]{{4}}(?:{JOINT}?[0-9]{{4}}){{2}}{JOINT}?[0-9]{{3}}[0-9Xx]",
        "https://orcid.org/",
        Component.PATH,
        "ISO 7064, ISO 27729",
        lambda digits: "-".join(digits[start : start + 4] for start in (0, 4, 8, 12)),
        forms.mod_11_2,
    ),
    Bare.ISBN: BareNumber(
        rf"(?:97(?:8|9(?!{JOINT}?0))(?:{JOINT}?[0-9]){{10}}|[0-9](?:{JOINT}?[0-9]){{8}}{JOINT}?[0-9Xx])",
        "urn:isbn:",
        Component.NSS,
        "ISO 2108, RFC 3187 5",
        str,
        _isbn,
    ),
    Bare.ISSN: BareNumber(
        rf"[0-9]{{4}}{JOINT}?[0-9]{{3}}[0-9Xx]",
        "urn:issn:",
        Component.NSS,
        "ISO 3297, RFC 3044 2.2",
        lambda digits: f"{digits[:4]}-{digits[4:]}",
        forms.issn,
    ),
    Bare.PMID: BareNumber(
        PMID,
        "https://pubmed.ncbi.nlm.nih.gov/",
        Component.PATH,
        "PubMed User Guide, PMID",
        lambda number: f"{number}/",
        same=(
            ("PMID: 12345678", "https://pubmed.ncbi.nlm.nih.gov/12345678/"),
            ("PubMed ID 1", "https://pubmed.ncbi.nlm.nih.gov/1/"),
            ("pubmed.ncbi.nlm.nih.gov/23193287", "https://pubmed.ncbi.nlm.nih.gov/23193287/"),
            ("ncbi.nlm.nih.gov/pubmed/23193287", "https://pubmed.ncbi.nlm.nih.gov/23193287/"),
        ),
        different=("PMID: 012345", "PMID: 123456789", "PMID: 12.5", "PMID: 12-34", "PMID: PMC123456", "XPMID 123456"),
    ),
    Bare.PMCID: BareNumber(
        rf"(?:PMC)?{PMCID}",
        "https://pmc.ncbi.nlm.nih.gov/articles/",
        Component.PATH,
        "PMC ID Converter API, ids parameter",
        lambda number: f"PMC{number.upper().removeprefix('PMC')}/",
        before="PMC",
        same=(
            ("PMCID: PMC3531190", "https://pmc.ncbi.nlm.nih.gov/articles/PMC3531190/"),
            ("PMCID: 3531190", "https://pmc.ncbi.nlm.nih.gov/articles/PMC3531190/"),
            ("PMC3531190", "https://pmc.ncbi.nlm.nih.gov/articles/PMC3531190/"),
            # A version of an article is another identifier.
            ("PMC2808187.1", "https://pmc.ncbi.nlm.nih.gov/articles/PMC2808187.1/"),
            ("www.ncbi.nlm.nih.gov/pmc/articles/PMC3531190", "https://pmc.ncbi.nlm.nih.gov/articles/PMC3531190/"),
        ),
        different=("XPMC3531190", "PMC-3531190", "PMC353119012", "PMC2024", "PMC03531190", "PMC3531190X"),
    ),
    Bare.ARXIV: BareNumber(
        ARXIV,
        "https://arxiv.org/abs/",
        Component.PATH,
        "arXiv, Understanding the arXiv identifier",
        lambda number: _SUBJECT_CLASS.sub("/", number).lower(),
        before=rf"{_ARCHIVE}/",
        same=(
            ("arXiv:2401.01234v2", "https://arxiv.org/abs/2401.01234v2"),
            ("arXiv:2401.01234", "https://arxiv.org/abs/2401.01234"),
            ("arXiv:0704.0001", "https://arxiv.org/abs/0704.0001"),
            ("hep-th/9901001v1", "https://arxiv.org/abs/hep-th/9901001v1"),
            # The subject class is no part of the identifier any more.
            ("arXiv:math.CA/0611800v2", "https://arxiv.org/abs/math/0611800v2"),
            ("arxiv.org/pdf/2401.01234", "https://arxiv.org/abs/2401.01234"),
        ),
        different=(
            *("arXiv:2401.1234", "arXiv:1401.01234", "arXiv:2413.01234", "arXiv:2401.01234v0", "arXiv:2401.012345"),
            *("arXiv:hep-th/9913001", "arXiv:hep-th/0705001", "arXiv:9901001", "arXiv:hep-xx/9901001"),
        ),
    ),
}

# Kinds of which any number may be one, without a check digit: their name is the end of that of a field, but for words
# that mean an identifier.
UNCHECKED: Final = frozenset(kind for kind, number in NUMBERS.items() if number.expected is None)

# The names of which all up to the slash has a grammar, and the text before them in the canonical form.
BODIES: Final = {Bare.DOI: (DOI_PREFIX, "doi:"), Bare.ARK: (NAAN, "ark:/"), Bare.HANDLE: (HANDLE_PREFIX, "hdl:")}


@cache
def _whole(kind: Bare) -> re.Pattern[str]:
    """Return the pattern of a whole text that is of a kind, with or without a word before it: label and name."""
    number = NUMBERS.get(kind)
    name = number.pattern if number is not None else rf"{BODIES[kind][0]}\S+"
    if kind is Bare.DOI:
        name = f"(?:{name}|{SHORT_DOI})"
    label = whole_label(kind)
    if kind is Bare.HANDLE or kind is Bare.ARK or kind is Bare.DOI:
        # With its scheme it is a URI.
        label = rf"(?!{BODIES[kind][1].rstrip('/')}(?!10/)\S){label}"
    return re.compile(rf"(?P<label>{label})?(?P<name>{name})", re.IGNORECASE)


def encoded_name(name: str) -> str:
    """Return a name with the characters that no URI may contain as triplets (RFC 3986 2.1, DOI Handbook 2.5.2)."""
    return _NOT_OF_URI.sub(lambda found: f"%{ord(found[0]):02X}", encoded_sici(name).text)


def _offset_before(text: str, rest: int) -> int:
    """Return the offset in a text whose rest, by `encoded_name`, has a number of characters; 0 if all has fewer."""
    at = len(text)
    while rest > 0 and at > 0:
        at -= 1
        rest -= 1 if _NOT_OF_URI.match(text, at) is None else 3
    return at


def judge_bare(text: str, options: Options) -> Judged | Fault | None:
    """Judge a whole text that is an identifier of one of the kinds in `options.bare`.

    Returns:
        None for a text that is none, or that two kinds have without a word before it.
    """
    candidate = bare_candidate(text, findable(options))
    if candidate is None:
        candidate = bare_candidate(text, options)  # of a kind that is not wanted
    if candidate is None or isinstance(candidate, Fault):
        return candidate
    wanted = wanted_by(options)
    judged = (wanted and wanted.fault(candidate)) or judge(candidate, options)
    if isinstance(judged, Fault):
        return judged._replace(offset=_offset_before(text, len(candidate) - judged.offset))
    return judged._replace(warnings=(Warn.SCHEME_ASSUMED, *judged.warnings))


def bare_candidate(text: str, options: Options) -> str | Fault | None:
    """Return the identifier with its scheme that a whole text is without it; see `judge_bare`."""
    kinds: Collection[Bare] = options.bare  # type: ignore[assignment] # `Options` holds members
    matches = [(kind, match) for kind in kinds if (match := _whole(kind).fullmatch(text)) is not None]
    if len(matches) > 1:
        # A DOI name is a handle, too; ARK and handle cannot be distinguished without a word.
        labelled = [(kind, match) for kind, match in matches if match["label"] or kind is Bare.DOI]
        matches = labelled if len(labelled) == 1 else []
    if not matches:
        return None
    ((kind, match),) = matches
    name = match["name"]
    number = NUMBERS.get(kind)
    if number is not None:
        written = number.judge(name)
        if isinstance(written, Fault):
            return written._replace(offset=written.offset + match.start("name"))
        return number.scheme + written
    if kind is Bare.DOI and name.startswith("10/"):
        if match["label"] is not None and match["label"][-1].isalnum():
            return None  # `doi10/abc` may be a path
        return SHORT_DOI_RESOLVER + name.lower()
    return BODIES[kind][1] + encoded_name(name)


def expected_in(raw: str) -> str | None:
    """Return the check digit that the other digits of a rejected number require; None if it is not one."""
    found = _number_in(raw)
    if found is None:
        return None
    number, text = found
    return None if number.expected is None else number.expected(_JOINTS.sub("", text).upper()[:-1])


def hyphenated(raw: str) -> str | None:
    """Return the number of a bare identifier with hyphens between its groups, as URNs have them; None for others."""
    found = _number_in(raw)
    return None if found is None else _JOINTS.sub("-", found[1])


def _number_in(raw: str) -> tuple[BareNumber, str] | None:
    """Return the number at the end of a text, which may begin with a word that states what it is."""
    for number in NUMBERS.values():
        match = None if number.expected is None else _at_end(number.pattern).search(raw[-LABEL_LIMIT:])
        if match is not None:
            return number, match[0]
    return None


@cache
def _at_end(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![0-9A-Za-z])(?:{pattern})\Z")
