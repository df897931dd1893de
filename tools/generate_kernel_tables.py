"""Generate `src/kernel/tables.h` and `tables.c`: characters, schemes and shapes for the kernel, from those of Python.

Use: python tools/generate_kernel_tables.py
The result is committed, so that the kernel is built without running the package; `tests/kernel/test_kernel_tables.py`
holds the two together.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from urisieve.find import kernel_batches, kernel_search, search
from urisieve.find.delimited import ESCAPE_SEQUENCE
from urisieve.find.ends.candidates import LONG_RUN
from urisieve.find.ends.exit import BEHIND, CONTINUES
from urisieve.find.ends.extent import syntax_of
from urisieve.find.ends.unspaced import PROSE_OPENERS
from urisieve.find.finder import exact_candidates, finder
from urisieve.find.finder.bare_candidates import INNER_CLOSERS
from urisieve.find.pivots import BEFORE_LETTERS, SCHEME_CHARACTERS, URL_BLANK
from urisieve.finding_options import DEFAULT_MAX_LENGTH, DEFAULT_OPTIONS
from urisieve.judge import bare_names, merge_steps, urn
from urisieve.judge.judge import FAULTS
from urisieve.kernel.built_from import made_of
from urisieve.merging import MergeStep
from urisieve.records.base import RecordFields
from urisieve.records.harvested import FOUND_WARNINGS
from urisieve.records.redacted import RedactedPart
from urisieve.rules import secret_check
from urisieve.rules.forms import LowerBefore
from urisieve.rules.registry import default_ports, registered_schemes, tracking_rows
from urisieve.rules.resolver_links import RESOLVER_LINKS
from urisieve.rules.rows import content, mail_and_news, names, namespaces, packages, telephony
from urisieve.rules.scheme_table import (
    Authority,
    Scheme,
    built_in_names,
    built_in_shaped,
    completed,
    is_built_in,
    port_to_drop,
    scheme_rule,
)
from urisieve.rules.table import own_rows
from urisieve.sinks import notations
from urisieve.sources.html import html_pages
from urisieve.sources.mail import plain_bodies
from urisieve.syntax import characters, grammar, host, iri, time_forms
from urisieve.syntax.characters import BRACKETS, CLOSERS, KEPT, NOT_EXCLUDED, STOPS, WRAPPERS, is_punctuation
from urisieve.syntax.components import SPACES, Components, lower_case
from urisieve.syntax.iri import decoded, encoded
from urisieve.syntax.passwords import is_connection

TARGET = Path(__file__).parent.parent / "src" / "kernel"

# Blocks whose characters have had their categories for many versions of Unicode, so that every Python generates the
# same tables; what stands at the end of a candidate in any other block is left to the finder.
_SETTLED = (
    (0x0080, 0x024F),  # Latin
    (0x0370, 0x03FF),  # Greek
    (0x0400, 0x04FF),  # Cyrillic
    (0x0531, 0x0587),  # Armenian
    (0x05D0, 0x05EA),  # Hebrew
    (0x0620, 0x066F),  # Arabic
    (0x0904, 0x0970),  # Devanagari
    (0x0E01, 0x0E5B),  # Thai
    (0x1E00, 0x1FFE),  # Latin and Greek, extended
    (0x2010, 0x205E),  # general punctuation
    (0x3001, 0x30FF),  # punctuation of East Asia, Kana
    (0x3400, 0x4DB5),  # ideographs
    (0x4E00, 0x9FA5),
    (0xAC00, 0xD7A3),  # Hangul
    (0xFF01, 0xFFEE),  # forms of full and half width
)
_LAST = 0x10FFFF
_ALL = "".join(map(chr, range(_LAST + 1)))


# Sorted ranges of code points, first and last.
Ranges = list[tuple[int, int]]


def _class(text: str) -> Callable[[str], bool]:
    """Return a test of a character by the inside of a class of characters."""
    pattern = re.compile(f"[{text}]") if text else re.compile("(?!)")
    return lambda character: pattern.match(character) is not None


def _flags() -> list[tuple[str, Callable[[str], bool]]]:
    """Return the name of each flag of an ASCII character, and its test."""
    generic, in_urn = syntax_of("", DEFAULT_OPTIONS), syntax_of("urn", DEFAULT_OPTIONS)
    return [
        ("SCHEME_CHARACTER", lambda c: c in SCHEME_CHARACTERS),
        ("PLAIN", lambda c: generic.authority.fullmatch(c) is not None),
        ("IN_PATH", lambda c: generic.path.fullmatch(c) is not None),
        ("IN_QUERY", lambda c: generic.query.fullmatch(c) is not None),
        ("HELD", lambda c: generic.beyond.match(c) is None),
        ("IN_URN", lambda c: in_urn.path.fullmatch(c) is not None),
        ("HELD_BY_URN", lambda c: in_urn.beyond.match(c) is None),
        ("SPACE", lambda c: c in SPACES),
        ("LETTER_OR_DIGIT", str.isalnum),
        ("KEPT", lambda c: c in KEPT),
        ("STOP", lambda c: c in STOPS),
        ("OPENER", lambda c: c in BRACKETS or c in WRAPPERS),
        ("BRACKET", lambda c: c in BRACKETS or c in CLOSERS),
        ("BEFORE_ESCAPED", lambda c: c in BEFORE_LETTERS),
        ("EXCLUDED", lambda c: not _class(NOT_EXCLUDED)(c)),
        ("CONTINUES", lambda c: c in CONTINUES),
        ("UNRESERVED", _class(grammar.pattern("unreserved"))),
        ("REGCHAR", _class(grammar.pattern("regchar"))),
        ("USERCHAR", _class(grammar.pattern("userchar"))),
        ("SLASHCHAR", _class(grammar.pattern("slashchar"))),
        ("QUERYCHAR", _class(grammar.pattern("querychar"))),
        ("FRAGCHAR", _class(grammar.pattern("fragchar"))),
        ("URNCHAR", _class(grammar.pattern("urnchar"))),
    ]


def _shown() -> Ranges:
    """Return the characters whose triplets become characters in the form for people, whatever the component."""
    rules = ("userchar", "slashchar", "querychar", "fragchar")
    kept = [_complement(_runs(iri._allowed(rule))) for rule in rules]
    shown = _complement(_joined(chain([(0, 0x7F), (0xD800, 0xDFFF)], _runs(iri._HIDDEN), *kept)))
    edges = {point for first, last in shown for point in (first - 1, first, last, last + 1)}
    for point in (point for point in edges if 0x80 <= point <= _LAST and not 0xD800 <= point <= 0xDFFF):
        triplets = encoded(chr(point))
        is_shown = all(decoded(triplets, rule) == chr(point) for rule in rules)
        is_listed = any(first <= point <= last for first, last in shown)
        _require(is_shown == is_listed, f"U+{point:04X} is not as `decoded` has it")
    return shown


def _wide_flags() -> list[tuple[str, Ranges]]:
    """Return the name of each flag of a character beyond ASCII, and the characters that have it."""
    generic = syntax_of("", DEFAULT_OPTIONS)
    settled = [chr(point) for first, last in _SETTLED for point in range(first, last + 1)]
    settled = [character for character in settled if unicodedata.category(character) != "Cn"]

    def is_trimmed(character: str) -> bool:
        is_mark = is_punctuation(character) and character not in CLOSERS
        return is_mark or character in BRACKETS or character in WRAPPERS

    return [
        ("W_PLAIN", _matching(generic.path)),
        ("W_QUERY", _matching(generic.query)),
        ("W_HELD", _complement(_matching(generic.beyond))),
        ("W_SPACE", _together(SPACES)),
        ("W_SETTLED", _together(settled)),
        ("W_LETTER", _together(filter(str.isalnum, settled))),
        ("W_TRIMMED", _together(filter(is_trimmed, settled))),
        ("W_ORDINARY", _matching(iri.ORDINARY)),
        ("W_EXCLUDED", _matching(re.compile(f"[^{NOT_EXCLUDED}]"))),
        ("W_SHOWN", _shown()),
        ("W_OPENS_PROSE", _together(f"{PROSE_OPENERS}”")),
    ]


def _joined(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return ranges in order, those that touch as one."""
    joined: Ranges = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def _together(characters: Iterable[str]) -> Ranges:
    return _joined((point, point) for point in map(ord, characters))


def _matching(pattern: re.Pattern[str]) -> Ranges:
    """Return the characters that a pattern of single characters or of runs of them matches."""
    spans = (match.span() for match in pattern.finditer(_ALL))
    return _joined((start, end - 1) for start, end in spans if start < end)


def _runs(pattern: re.Pattern[str]) -> Ranges:
    """Return the characters that a pattern of single characters matches."""
    return _matching(re.compile(f"(?:{pattern.pattern})++"))


def _complement(ranges: Ranges) -> Ranges:
    starts = [0, *(last + 1 for _, last in ranges)]
    ends = [*(first - 1 for first, _ in ranges), _LAST]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if start <= end]


def _wide_blocks(flags: Sequence[tuple[str, Ranges]]) -> list[tuple[int, ...]]:
    """Return the flags of all characters beyond ASCII as bits, in blocks of 256."""
    changes: dict[int, int] = {}  # the bits that change at a character
    for bit, (_, ranges) in enumerate(flags):
        for first, last in ranges:
            for point in (first, last + 1):
                changes[point] = changes.get(point, 0) ^ 1 << bit
    points = array("H")
    bits = 0
    for point in sorted(changes):
        points.extend(array("H", [bits]) * (point - len(points)))
        bits ^= changes[point]
    points.extend(array("H", [bits]) * (_LAST + 1 - len(points)))
    points[:0x80] = array("H", [0]) * 0x80
    return [tuple(points[start : start + 256]) for start in range(0, _LAST + 1, 256)]


def _bits(character: str, flags: Sequence[tuple[str, Callable[[str], bool]]]) -> int:
    return sum(1 << bit for bit, (_, holds) in enumerate(flags) if holds(character))


def _require(condition: bool, fault: str) -> None:
    if not condition:
        raise ValueError(fault)


def _numbers(values: Iterable[int], form: str = "{}") -> str:
    texts = [form.format(value) for value in values]
    lines = [", ".join(texts[index : index + 16]) for index in range(0, len(texts), 16)]
    return ",\n    ".join(lines)


def _defined(flags: Sequence[tuple[str, Any]]) -> str:
    return "\n".join(f"#define {name} 0x{1 << bit:x}u" for bit, (name, _) in enumerate(flags))


def _limits() -> list[str]:
    """Return the definitions of numbers that the search in Python has too."""
    widest = 4  # the bytes of a character
    limits = [
        ("CONTEXT", widest * search.CONTEXT, "The context kept before an undecided offset, in bytes."),
        ("BARE_CONTEXT", widest * search.BARE_CONTEXT, "The same where numbers without a scheme are found."),
        (
            "LIST_WINDOW",
            widest * bare_names.LIST_LIMIT,
            "The bytes before one of a list in which its word may stand.",
        ),
        ("LONG_RUN", LONG_RUN, "An undecided run longer than this awaits a character that can decide it."),
        ("URL_WINDOW", URL_BLANK + len("URL:"), '"URL:" and the white space behind it, at most.'),
        ("SHAPE_WINDOW", finder._SHAPE_WINDOW, "The characters that a shape may have to read."),
        ("BEHIND", BEHIND, "The marks that are skipped behind an excluded character, at most."),
        ("REFERENCE_WINDOW", characters._REFERENCE_LIMIT, "The longest character reference that may be trimmed."),
        ("LABEL_LIMIT", host._LABEL_LIMIT, "RFC 1035 2.3.4: the longest label, and the longest name."),
        ("NAME_LIMIT", host._NAME_LIMIT, ""),
        ("LONGEST_IDENTIFIER", DEFAULT_MAX_LENGTH, "The bytes of a whole identifier by the default options, at most."),
        ("WARNING_SETS", 1 << len(FOUND_WARNINGS), "The number of sets of warnings, as bits."),
        ("SECRET_RUN", secret_check.LEAST_RUN, "The least length of a run in a shape of secrets."),
        (
            "SECRET_LEAST_SURE",
            secret_check.LEAST_SURE,
            "Of values: secret by their names, or random.",
        ),
        ("SECRET_LEAST_RANDOM", secret_check.LEAST_RANDOM, ""),
        ("SECRET_LEAST_DIGITS", secret_check.LEAST_DIGITS, ""),
        ("SECRET_LEAST_CHANGES", secret_check.LEAST_CHANGES, ""),
        ("SECRET_MOST_BETWEEN", secret_check.MOST_BETWEEN, ""),
        ("SECRET_LONGEST", secret_check.LONGEST_VALUE, ""),
        ("CENTURY", time_forms.CENTURY, "Years of two digits from here on are of the 20th century."),
    ]
    lines = []
    for name, value, about in limits:
        lines += [f"/* {about} */"] if about else []
        lines.append(f"#define {name} {value}")
    return [*lines, ""]


def _choices() -> list[str]:
    """Return the definitions of numbers by which Python tells the kernel what it is given or asked for."""
    groups: dict[str, Sequence[tuple[str, int, str]]] = {
        "Flags of elements of HTML; those from HTML_FIRST_OWN on stand for elements on which an attribute counts.": (
            ("HTML_BREAKS", html_pages._BREAKS, "it begins or ends a line"),
            ("HTML_RAW", html_pages._RAW, "its content holds no tags"),
            ("HTML_RESOLVED", html_pages._RESOLVED, "the references in its raw content are resolved"),
            ("HTML_ANCHOR", html_pages._ANCHOR, ""),
            ("HTML_BASE", html_pages._BASE, ""),
            ("HTML_STYLE", html_pages._STYLE, ""),
            ("HTML_META", html_pages._META, ""),
            ("HTML_SCRIPT", html_pages._SCRIPT, ""),
            ("HTML_FIRST_OWN", html_pages._FIRST_OWN, ""),
        ),
        "What the value of an attribute holds; the flags beside it are those of the elements on which it counts.": (
            ("HTML_URL", html_pages._URL, ""),
            ("HTML_HREF", html_pages._HREF, ""),
            ("HTML_LISTED", html_pages._LISTED, "links between white space"),
            ("HTML_SET", html_pages._SET, "image candidates (HTML 4.8.4.2.1)"),
            ("HTML_STYLES", html_pages._STYLES, ""),
            ("HTML_CONTENT", html_pages._CONTENT, ""),
            ("HTML_EQUIVALENT", html_pages._EQUIVALENT, ""),
            ("HTML_SRCDOC", html_pages._SRCDOC, ""),
        ),
        "What is done with the body of a message whose header has some `Content-` fields.": (
            ("MAIL_PLAIN", plain_bodies._PLAIN, "it is plain if it is ASCII; else Python reads it"),
            ("MAIL_UTF8", plain_bodies._UTF8, "it may be UTF-8, too"),
            ("MAIL_QP", plain_bodies._QUOTED_PRINTABLE, "it is encoded as quoted-printable"),
            ("MAIL_BASE64", plain_bodies._BASE64, ""),
            ("MAIL_HTML", plain_bodies.HTML_FLAG, ""),
            ("MAIL_META", plain_bodies._META, "the page may state its character set itself"),
            ("MAIL_SKIPPED", plain_bodies._SKIPPED, "it is not read, but counted by its reason, in the bits above"),
            ("MAIL_FILE", plain_bodies._FILE, "it is asked whether it is skipped"),
            ("MAIL_REASON_SHIFT", plain_bodies._REASON_SHIFT, ""),
        ),
    }
    lines = []
    for about, numbers in groups.items():
        lines.append(f"/* {about} */")
        lines += [f"#define {name} {value}u" + (f" /* {what} */" if what else "") for name, value, what in numbers]
        lines.append("")
    return lines


def _in_c(prefix: str, name: str) -> str:
    return prefix + name.upper().replace("-", "_")


def _names() -> list[str]:
    """Return the lists of names by which Python and the kernel know the same things.

    Python asks the kernel for the index, or the bit, of each name: nothing depends on the order in which it has them.
    """
    own_fields = len(RecordFields._fields)
    as_bits: dict[str, tuple[str, Iterable[str], str]] = {
        "MERGE_STEPS": ("MERGE_", MergeStep, "The steps of `urisieve.merging.MergeStep`."),
        "PIVOTS": ("PIVOT_", kernel_search.PIVOTS, "Kinds of pivots other than colons, by what decides."),
        "WANTED": ("WANT_", kernel_batches.WANTED, "What is counted, too; offsets in characters."),
        "WARNINGS": ("FOUND_", FOUND_WARNINGS, "The warnings of the search, and the few of the judgement."),
        "HIDDEN_PARTS": ("HIDE_", RedactedPart, "The parts that are replaced."),
    }
    as_numbers: dict[str, tuple[str, str, Iterable[str], str]] = {
        "REASONS": ("fault_reason", "", FAULTS, "Why a text is no identifier; NO_FAULT comes first."),
        "COMPONENTS": ("component_name", "C_", Components._fields, "The components of an identifier."),
        "FIELDS": ("record_field", "F_", (*RecordFields._fields, *notations.DERIVED), "The fields of a record."),
        "WORDS": ("cell_word", "WORD_", notations.WORDS, "Whole cells."),
    }
    lines = ["/* Names by which Python knows the same things as the kernel. */"]
    for listed, (prefix, members, about) in as_bits.items():
        lines.append(f"/* {about} */")
        for bit, name in enumerate(members):
            what = kernel_search.PIVOTS[name] if listed == "PIVOTS" else ""
            lines.append(f"#define {_in_c(prefix, name)} 0x{1 << bit:x}u" + (f" /* {what} */" if what else ""))
    ends = {"": "", "C_": ", COMPONENT_COUNT", "F_": ", F_COUNT", "WORD_": ", WORD_COUNT"}
    for kind, prefix, members, about in as_numbers.values():
        first = "NO_FAULT, " if not prefix else ""
        listed = ", ".join(_in_c(prefix, name) for name in members)
        lines += [f"/* {about} */", f"typedef enum {{ {first}{listed}{ends[prefix]} }} {kind};"]
    lines.append(f"#define FIELD_COUNT {own_fields} /* those of `RecordFields`; the others are made of them */")
    every = {name: list(members) for name, (_, members, _) in as_bits.items()}
    every |= {name: list(members) for name, (_, _, members, _) in as_numbers.items()}
    _require(len(every["WARNINGS"]) <= 16, "the warnings of a row are two bytes")
    scheme = every["FIELDS"].index("scheme")
    _require(
        every["FIELDS"][scheme:][: len(Components._fields)] == every["COMPONENTS"], "components are one after another"
    )
    for name, members in every.items():
        texts = [f'    "{one}",' for one in members]
        lines += [f"const char *const {name}[{len(texts) + 1}] = {{", *texts, "    0,", "};"]
    return [
        *lines,
        "typedef struct { const char *name; const char *const *names; } name_list;",
        f"#define NAME_LIST_COUNT {len(every)}",
        "const name_list NAME_LISTS[NAME_LIST_COUNT] = {",
        *(f'    {{"{name}", {name}}},' for name in every),
        "};",
        "",
    ]


def _times() -> list[str]:
    """Return the shapes of what is before the times of lines, and of these times."""

    def quoted(text: str) -> str:
        return '"' + text.replace('"', '\\"') + '"'

    lines = ["/* Shapes of the beginnings of lines: `urisieve.syntax.time_forms`. */"]
    lines.append(f"#define TIME_SERVICE {quoted(time_forms.SERVICE.shape)}")
    for name, rows in (("HEAD", time_forms.HEADS), ("FORM", time_forms.FORMS)):
        lines.append(f"#define TIME_{name}_COUNT {len(rows)}")
        lines.append(f"const char *const TIME_{name}S[TIME_{name}_COUNT] = {{")
        lines += [*(f"    {quoted(row.shape)}," for row in rows), "};"]
        _require(len(rows) <= 64, "the rows that begin with a byte are the bits of a number")
        starts = [_begins_with(row.shape) for row in rows]
        bits = [sum(1 << bit for bit, start in enumerate(starts) if chr(point) in start) for point in range(128)]
        lines.append("/* The rows that may begin with each byte of ASCII. */")
        lines.append(f"const uint64_t TIME_{name}_STARTS[128] = {{\n    {_numbers(bits, '0x{:x}')}\n}};")
    return [*lines, ""]


def _secrets() -> list[str]:
    """Return the names of parameters, hosts and beginnings of secrets."""
    lists = {
        "SECRET_NAMES": (secret_check.SURE, "The ends of names of parameters that are sure, without marks."),
        "SECRET_WORDS": (sorted(secret_check.WORDS), "The last words of names that may mean something else."),
        "SECRET_HOSTS": (secret_check.HOSTS, "Hosts of webhooks."),
    }
    lines = []
    for name, (texts, about) in lists.items():
        lines += [f"/* {about} */", f"const char *const {name}[{len(texts) + 1}] = {{"]
        lines += [*(f'    "{text}",' for text in texts), "    0,", "};"]
    lines += [
        "/* What is directly before a long run of a shape, and how the run begins. */",
        f"#define SECRET_START_COUNT {len(secret_check.STARTS)}",
        "const char *const SECRET_STARTS[SECRET_START_COUNT][2] = {",
        *(f'    {{"{lead.lower()}", "{start}"}},' for lead, start in secret_check.STARTS),
        "};",
        "",
    ]
    return lines


_DIGITS, _CAPITALS = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_FIRST_OF_CODE = {
    **dict.fromkeys("YymdHMSn", _DIGITS),
    **dict.fromkeys("ek", f" {_DIGITS}"),
    **dict.fromkeys("bgBla", _CAPITALS),
    "s": "1",
    "_": " ",
    "F": f"_.{_CAPITALS}{_CAPITALS.lower()}",
}


def _begins_with(shape: str) -> set[str]:
    """Return the characters of ASCII with one of which a text of a shape of `time_forms` begins."""
    found = set[str]()
    parts = re.split("%(.)", shape)
    for number, part in enumerate(parts):
        if number % 2:
            found |= set(_FIRST_OF_CODE.get(part, map(chr, range(128))))
            if part not in "a_F":
                return found
        elif part:
            return found | {part[0]}
    return set(map(chr, range(128)))  # it may be empty


def _characters() -> list[str]:
    ascii_flags, wide_flags = _flags(), _wide_flags()
    of_ascii = [_bits(chr(point), ascii_flags) for point in range(128)]
    blocks: dict[tuple[int, ...], int] = {}
    stage = [blocks.setdefault(block, len(blocks)) for block in _wide_blocks(wide_flags)]
    _require(len(blocks) <= 256, "there are more kinds of blocks than WIDE_BLOCK can hold")
    out = [
        "/* Flags of ASCII characters. */",
        _defined(ascii_flags),
        f"const uint32_t ASCII_FLAGS[128] = {{\n    {_numbers(of_ascii, '0x{:x}')}\n}};",
        "",
        "/* Flags of other characters, by blocks of 256. */",
        _defined(wide_flags),
        f"const uint8_t WIDE_BLOCK[{len(stage)}] = {{\n    {_numbers(stage)}\n}};",
        f"const uint16_t WIDE_FLAGS[{len(blocks)}][256] = {{",
        *(f"    {{{_numbers(block)}}}," for block in blocks),
        "};",
        "",
    ]
    pairs = [(ord(opener), ord(closer)) for opener, closer in BRACKETS.items()]
    wrappers = [
        (*map(ord, opener + closers.ljust(2, closers[-1])), int(opener in INNER_CLOSERS))
        for opener, closers in WRAPPERS.items()
    ]
    out += [
        "/* Brackets that are counted inside a candidate, with their closers; the ASCII ones come first. */",
        f"#define BRACKET_COUNT {len(pairs)}",
        "const uint32_t BRACKET_PAIRS[BRACKET_COUNT][2] = {",
        *(f"    {{0x{opener:x}, 0x{closer:x}}}," for opener, closer in pairs),
        "};",
        "",
        "/* Openers of wrappers, each with its closers (the second is the first again if there is only one), and 1 if",
        " * a candidate could hold them, so that the first one in it ends it. */",
        f"#define WRAPPER_COUNT {len(wrappers)}",
        "const uint32_t WRAPPER_PAIRS[WRAPPER_COUNT][4] = {",
        *(f"    {{0x{one[0]:x}, 0x{one[1]:x}, 0x{one[2]:x}, {one[3]}}}," for one in wrappers),
        "};",
        "",
    ]
    return out


# ---------------------------------------------------------------------------------------------------------------------
# Shapes: programs of a small matcher that tries alternatives in order, as `re` does.


class _Shapes:
    """Compiles the shapes of the rows to programs; equal classes of characters are stored once."""

    def __init__(self) -> None:
        self.code: list[int] = []
        self.classes: dict[tuple[tuple[int, int], ...], int] = {}
        self._programs: dict[tuple[str, bool], int] = {}

    def program(self, pattern: str, *, whole: bool = False) -> int:
        """Add the program of a pattern; return the index of its first word.

        Args:
            pattern: the pattern.
            whole: whether it has to match a whole text, with dots that match line ends too.
        """
        # The parser of `re` has no public name; only this tool uses it.
        from re import _parser  # type: ignore[attr-defined]

        start = self._programs.setdefault((pattern, whole), len(self.code))
        if start < len(self.code):
            return start
        self._ignores_case, self._is_whole = False, whole
        self._sequence(list(_parser.parse(pattern, re.DOTALL if whole else 0)))
        self.code += [_OPS["OP_END"]] * whole + [_OPS["OP_MATCH"]]
        return start

    def _class_of(self, item: tuple[Any, Any]) -> int:
        ranges = _ranges(item)
        if self._ignores_case:
            letters = [c for c in map(chr, range(128)) if c.isalpha()]
            _require(not _is_negated(item), "a class without case is negated")
            ranges = _joined([*ranges, *_together(c.swapcase() for c in letters if _holds(ranges, ord(c)))])
        return self.classes.setdefault(tuple(ranges), len(self.classes))

    def _sequence(self, items: Iterable[tuple[Any, Any]]) -> None:
        for (op, value), (next_op, next_value) in pairwise([*items, (None, None)]):
            name = str(op)
            if name in _SINGLE:
                self.code += [_OPS["OP_CLASS"], self._class_of((op, value))]
            elif name == "SUBPATTERN":
                _, added, removed, inside = value
                _require(added in (0, re.IGNORECASE) and not removed, "a shape has flags")
                before, self._ignores_case = self._ignores_case, bool(added) or self._ignores_case
                self._sequence(inside)
                self._ignores_case = before
            elif name == "BRANCH":
                self._branch(value[1])
            elif name == "MAX_REPEAT" and str(next_op) in _SINGLE and _excludes(value[2], (next_op, next_value)):
                self._repeat("POSSESSIVE_REPEAT", *value)  # going back would not help
            elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                self._repeat(name, *value)
            elif name in ("ASSERT", "ASSERT_NOT"):
                direction, inside = value
                _require(direction == 1, "a shape looks behind")
                self._inside("OP_AHEAD" if name == "ASSERT" else "OP_NOT_AHEAD", inside)
            elif name == "ATOMIC_GROUP":
                self._inside("OP_ATOMIC", value)
            elif name == "AT" and str(value) == "AT_END_STRING":
                self.code.append(_OPS["OP_END"])
            else:
                raise ValueError(f"a shape uses {name}, which the kernel's matcher does not know")

    def _inside(self, op: str, items: Iterable[tuple[Any, Any]]) -> None:
        """Add an operation on a program of its own, which stands behind it."""
        self.code += [_OPS[op], 0]
        at = len(self.code)
        self._sequence(items)
        self.code.append(_OPS["OP_MATCH"])
        self.code[at - 1] = len(self.code) - at

    def _branch(self, branches: list[Any]) -> None:
        ends = []
        for index, branch in enumerate(branches):
            if index < len(branches) - 1:
                self.code += [_OPS["OP_SPLIT"], 0]
                at = len(self.code)
                self._sequence(branch)
                self.code += [_OPS["OP_JUMP"], 0]
                ends.append(len(self.code))
                self.code[at - 1] = len(self.code) - at
            else:
                self._sequence(branch)
        for end in ends:
            self.code[end - 1] = len(self.code) - end

    def _repeat(self, name: str, least: int, most: Any, inside: Any) -> None:
        items = list(inside)
        is_bounded = str(most) != "MAXREPEAT"
        most = int(most) if is_bounded else 0xFFFF
        if len(items) == 1 and str(items[0][0]) in _SINGLE and name != "MIN_REPEAT":
            op = "OP_RUN" if name == "MAX_REPEAT" else "OP_WHOLE_RUN"
            self.code += [_OPS[op], self._class_of(items[0]), least, most]
            return
        _require(self._is_whole or is_bounded, "a shape repeats a group without a bound")
        _require(not is_bounded or most <= 64, "a shape repeats a group with a large bound")
        if name == "POSSESSIVE_REPEAT" and is_bounded:
            self._inside("OP_ATOMIC", [("MAX_REPEAT", (least, most, inside))])
            return
        if name == "POSSESSIVE_REPEAT":
            _require(least <= 1, "a shape repeats a group possessively, and not from 0 or 1 on")
            for _ in range(least):
                self._inside("OP_ATOMIC", items)
            self._inside("OP_EACH", items)
            return
        for _ in range(least):
            self._sequence(items)
        if not is_bounded:
            self._loop(items, is_lazy=name == "MIN_REPEAT")
            return
        _require(name == "MAX_REPEAT", "a shape repeats as little as it can, with a bound")
        splits = []
        for _ in range(most - least):
            self.code += [_OPS["OP_SPLIT"], 0]
            splits.append(len(self.code))
            self._sequence(items)
        for at in splits:
            self.code[at - 1] = len(self.code) - at

    def _loop(self, items: list[tuple[Any, Any]], *, is_lazy: bool) -> None:
        start = len(self.code)
        self.code += [_OPS["OP_SPLIT"], 0]
        if is_lazy:  # the end is tried first: a jump to it, and else what is repeated
            self.code += [_OPS["OP_JUMP"], 0]
            self.code[start + 1] = 2
        self._sequence(items)
        self.code += [_OPS["OP_BACK"], 0]
        end = len(self.code)
        self.code[end - 1] = end - start - 2
        self.code[start + (3 if is_lazy else 1)] = end - start - (4 if is_lazy else 2)


# What matches one character.
_SINGLE = ("LITERAL", "NOT_LITERAL", "IN", "ANY")
_OPS = {
    name: number
    for number, name in enumerate(
        (
            *("OP_MATCH", "OP_CLASS", "OP_RUN", "OP_WHOLE_RUN", "OP_SPLIT", "OP_JUMP", "OP_AHEAD", "OP_NOT_AHEAD"),
            *("OP_END", "OP_ATOMIC", "OP_EACH", "OP_BACK"),
        )
    )
}


def _is_negated(item: tuple[Any, Any]) -> bool:
    op, value = item
    return str(op) == "NOT_LITERAL" or (str(op) == "IN" and str(value[0][0]) == "NEGATE")


def _holds(ranges: Ranges, point: int) -> bool:
    return any(first <= point <= last for first, last in ranges)


def _excludes(repeated: Iterable[tuple[Any, Any]], item: tuple[Any, Any]) -> bool:
    """Report whether what is repeated is one character, and never that which an item matches."""
    first, *more = repeated
    if more or str(first[0]) not in _SINGLE:
        return False
    return not any(low <= last and first_ <= high for low, high in _ranges(first) for first_, last in _ranges(item))


def _ranges(item: tuple[Any, Any]) -> Ranges:
    """Return the characters that match an item of a parsed pattern which matches one character."""
    op, value = str(item[0]), item[1]
    if op == "IN":
        negated = str(value[0][0]) == "NEGATE"
        inside = _joined(one for part in value[negated:] for one in _ranges(part))
        return _complement(inside) if negated else inside
    if op == "RANGE":
        return [value]
    if op == "LITERAL":
        return [(value, value)]
    if op == "NOT_LITERAL":
        return _complement([(value, value)])
    if op == "ANY":
        return _complement([(0x0A, 0x0A)])
    if op == "CATEGORY" and str(value) in _CATEGORIES:
        return _category(str(value))
    raise ValueError(f"a shape has {op} {value} in a class")


# The categories that do not differ by the version of Unicode, as \w and \d do.
_CATEGORIES = {"CATEGORY_SPACE": r"\s", "CATEGORY_NOT_SPACE": r"\S"}


@cache
def _category(name: str) -> Ranges:
    return _matching(re.compile(_CATEGORIES[name]))


def _is_hosted(rule: Scheme) -> bool:
    """Report whether RFC 3986 6.2 and the port of the scheme are all that its canonical form needs."""
    own: tuple[object, ...] = (rule.syntax, rule.expected, rule.form, rule.compared, rule.check, rule.inner)
    keeps = rule.keeps_dots or rule.keeps_triplets or rule.bracketed
    return rule.registered and rule.dns and not keeps and all(part is None for part in own)


# The forms of schemes without an authority, and the functions of the rows whose work the kernel does itself.
_OPAQUE_FORMS: dict[str, tuple[object, ...]] = {
    "OPAQUE_PLAIN": (None, None, None),
    "OPAQUE_LOWER": (names._doi, None, None),
    "OPAQUE_ARK": (None, None, names._ark_compared),
    "OPAQUE_TEL": (telephony._tel, telephony._tel_check, None),
    "OPAQUE_SMS": (telephony._sms, telephony._sms_check, None),
    "OPAQUE_SIP": (telephony._sip, telephony._sip_check, None),
    "OPAQUE_MAILTO": (mail_and_news._mailto, mail_and_news._mailto_check, None),
}
# Functions whose work is left to the judge, but for texts that a pattern proves to stay as they are, without warnings.
_PROVEN: dict[tuple[object, ...], str] = {
    (packages._pkg, packages._pkg_check, None): packages.CANONICAL,
    (content._magnet, None, None): content.MAGNET_CANONICAL,
}
# Those of namespaces, and the functions that check digits.
_NSS_FORMS: dict[object, str] = {
    None: "NSS_PLAIN",
    lower_case: "NSS_LOWER",
    namespaces._uuid: "NSS_LOWER",
    namespaces._isbn: "NSS_COMPACT",
    namespaces._issn: "NSS_COMPACT",
    namespaces._ietf: "NSS_IETF",
}
_NSS_CHECKS: dict[object, str] = {
    None: "CHECK_NOTHING",
    namespaces._isbn_check: "CHECK_ISBN",
    namespaces._issn_check: "CHECK_ISSN",
    namespaces._nbn_check: "CHECK_NBN",
}
_ITEMS = {
    "ITEMS_OF_TEL": telephony.PARAMETERS,
    "ITEMS_OF_SIP": telephony.SIP_PARAMETERS,
    "ITEMS_OF_HEADERS": telephony.HEADERS,
    "ITEMS_OF_MAILTO": mail_and_news.FIELDS,
}


def _opaque_form(rule: Scheme) -> str:
    """Return the name of the form that an identifier of a scheme has without an authority, "" for the judge."""
    if rule.name == "urn":
        return "OPAQUE_URN"
    if not rule.registered or rule.dns or rule.authority is Authority.REQUIRED:
        return ""
    own = (rule.form, rule.check, rule.compared)
    is_known = not rule.keeps_triplets and not is_connection(rule.name)
    if is_known and own in _PROVEN:
        return "OPAQUE_PROVEN"
    return next((name for name, known in _OPAQUE_FORMS.items() if is_known and known == own), "")


def _namespaces(shapes: _Shapes) -> list[str]:
    """Return the rows of namespaces without warnings of their own, and with a form that the kernel knows."""
    lines = []
    for nid, row in sorted(own_rows().items()):
        owner = getattr(row.form, "__self__", None)
        form = "NSS_LOWER_BEFORE" if isinstance(owner, LowerBefore) else _NSS_FORMS.get(row.form, "")
        check = _NSS_CHECKS.get(row.check, "")
        if not form or not check or list(urn._nid_notices(nid)):
            continue
        delimiter = owner.delimiter if isinstance(owner, LowerBefore) else ""
        syntax = _NO_SHAPE if row.syntax is None else shapes.program(row.syntax, whole=True)
        lines.append(f'    {{"{nid}", {syntax}, {form}, {check}, {ord(delimiter) if delimiter else 0}}},')
    return [
        "/* The namespaces that the kernel knows: identifier, syntax, form, check digit, and the delimiter before",
        " * which case does not count. */",
        f"enum {{ {', '.join(dict.fromkeys((*_NSS_FORMS.values(), 'NSS_LOWER_BEFORE')))} }};",
        f"enum {{ {', '.join(_NSS_CHECKS.values())} }};",
        f"#define NAMESPACE_COUNT {len(lines)}",
        "typedef struct { const char *nid; uint16_t syntax; uint8_t form, check, delimiter; } namespace_entry;",
        "const namespace_entry NAMESPACES[NAMESPACE_COUNT] = {",
        *lines,
        "};",
    ]


def _items() -> list[str]:
    """Return the rules of lists of items, with the names that they hold."""
    out = ["/* How the items of a list are compared; see `urisieve.rules.forms.Items`. */"]
    entries = []
    for name, rule in _ITEMS.items():
        lists = []
        for kind, listed in (("CASED", sorted(rule.cased)), ("FIRST", rule.first), ("NUMBERS", rule.numbers)):
            lists.append(f"{name}_{kind}")
            words = [*(f'"{word}"' for word in listed), "0"]
            out.append(f"const char *const {lists[-1]}[{len(words)}] = {{\n    {', '.join(words)}\n}};")
        entries.append(f"    {{{ord(rule.delimiter)}, {int(rule.is_sorted)}, {int(rule.lowers)}, {', '.join(lists)}}},")
    return [
        *out,
        f"enum {{ {', '.join(_ITEMS)}, ITEM_RULE_COUNT }};",
        "typedef struct {",
        "    uint8_t delimiter, is_sorted, lowers;",
        "    const char *const *cased, *const *first, *const *numbers;",
        "} item_rule;",
        "const item_rule ITEM_RULES[ITEM_RULE_COUNT] = {",
        *entries,
        "};",
    ]


_NO_SHAPE = 0xFFFF


def _schemes() -> list[str]:
    shapes = _Shapes()
    shaped = built_in_shaped()
    lines = []
    listed = sorted({*registered_schemes(), *default_ports(), *built_in_names()})
    for name in listed:
        rule = scheme_rule(name) if is_built_in(name) else completed(Scheme(name, "", ""))
        flags = ["S_REGISTERED"] if name in registered_schemes() else []
        shape = _NO_SHAPE
        if name in shaped:
            _require(rule.shape is not None, f"{name} has no shape")
            if name in exact_candidates.UNMISTAKABLE or rule.syntax is not None or rule.expected is not None:
                flags.append("S_STATED")
            if name in exact_candidates.NEVER_PREFIX:
                flags.append("S_STATES_WORDS")
            shape = shapes.program(rule.shape or "")
        if rule.bracketed:
            flags.append("S_BRACKETED")
        if rule.dns:
            flags.append("S_DNS")
        if rule.strict:
            flags.append("S_STRICT")
        form = _opaque_form(rule) if is_built_in(name) else ""
        if is_built_in(name) and _is_hosted(rule):
            flags.append("S_HOSTED")
            if rule.root:
                flags.append("S_ROOT")
            if rule.authority is Authority.FORBIDDEN:
                raise ValueError(f"{name}: a host, but no authority")
        elif form:
            flags.append("S_OPAQUE")
        if not rule.fragment:
            flags.append("S_NO_FRAGMENT")
        if name in ("urn", "file"):
            flags.append(f"S_{name.upper()}")
        port = port_to_drop(rule) or ""
        patterns = (pattern if form else None for pattern in (rule.syntax, rule.expected))
        programs = [_NO_SHAPE if one is None else shapes.program(one, whole=True) for one in patterns]
        proof = _PROVEN[(rule.form, rule.check, rule.compared)] if form == "OPAQUE_PROVEN" else None
        programs.append(_NO_SHAPE if proof is None else shapes.program(proof, whole=True))
        own = f"{programs[0]}, {programs[1]}, {programs[2]}, {form or 0}"
        lines.append(f'    {{"{name}", "{port}", {" | ".join(flags) or 0}, {shape}, {own}}},')
    namespaces = _namespaces(shapes)
    escape = shapes.program(ESCAPE_SEQUENCE)
    classes = sorted(shapes.classes, key=shapes.classes.__getitem__)
    out = [
        "/* The operations of shapes, and their programs; see shape.c. */",
        *(f"#define {name} {number}" for name, number in _OPS.items()),
        f"#define ESCAPE_SEQUENCE {escape}",
        f"const uint16_t SHAPE_CODE[{len(shapes.code)}] = {{\n    {_numbers(shapes.code)}\n}};",
        "",
        "/* The classes of characters of shapes: a set of ASCII characters, and ranges beyond. */",
        "typedef struct { uint64_t ascii[2]; uint16_t first, count; } shape_class;",
    ]
    entries: list[str] = []
    points: Ranges = []
    for ranges in classes:
        bits = [0, 0]
        for first, last in ranges:
            for point in range(first, min(last, 127) + 1):
                bits[point >> 6] |= 1 << (point & 63)
        wide = [(max(first, 128), last) for first, last in ranges if last > 127]
        entries.append(f"    {{{{0x{bits[0]:x}u, 0x{bits[1]:x}u}}, {len(points)}, {len(wide)}}},")
        points += wide
    out += [
        f"const uint32_t SHAPE_RANGES[{len(points)}][2] = {{",
        *(f"    {{0x{first:x}, 0x{last:x}}}," for first, last in points),
        "};",
        f"const shape_class SHAPE_CLASSES[{len(classes)}] = {{",
        *entries,
        "};",
        "",
        "/* The schemes that are registered or have a row: name, port that may be left out, flags, shape; and for",
        " * those without an authority the patterns of the row, that of texts which stay as they are, and the form. */",
        f"enum {{ {', '.join(['OPAQUE_JUDGED', *_OPAQUE_FORMS, 'OPAQUE_PROVEN', 'OPAQUE_URN'])} }};",
        *(f"#define {name} 0x{1 << bit:x}u" for bit, name in enumerate(_SCHEME_FLAGS)),
        f"#define SCHEME_COUNT {len(lines)}",
        *(f"#define {name.upper()}_SCHEME {listed.index(name)}" for name in ("http", "https")),
        f"#define LONGEST_SCHEME {max(map(len, listed))}",
        f"#define NO_SHAPE 0x{_NO_SHAPE:x}",
        "typedef struct {",
        "    const char *name, *port;",
        "    uint16_t flags, shape, syntax, expected, proof;",
        "    uint8_t form;",
        "} scheme_entry;",
        "const scheme_entry SCHEMES[SCHEME_COUNT] = {",
        *lines,
        "};",
        *namespaces,
        *_items(),
    ]
    return out


_SCHEME_FLAGS = (
    *("S_REGISTERED", "S_BRACKETED", "S_DNS", "S_HOSTED", "S_ROOT", "S_NO_FRAGMENT", "S_URN", "S_FILE", "S_OPAQUE"),
    "S_STRICT",
    # The grammar may decide where the shape does not match, also of a single word; see `find.finder.exact_candidates`.
    *("S_STATED", "S_STATES_WORDS"),
    # Set by the options of a search.
    *("S_UNWANTED", "S_RULED"),
)


def _merging() -> list[str]:
    """Return the words that the steps of merging know, and the tracking parameters."""
    out = ["/* The words that the steps of merging know, in lower case. */"]
    names = ("SECOND_LEVELS", "MOBILE_LABELS", "INDEX_PAGES", "SESSION_NAMES", "RANDOM_NAMES")
    listed = {name: getattr(merge_steps, name) for name in names}
    listed["RESOLVER_HOSTS"] = {host for row in RESOLVER_LINKS for host in row.hosts}
    for name, words in listed.items():
        lines = [f'    "{word}",' for word in sorted(words)]
        out += [f"const char *const {name}[{len(lines) + 1}] = {{", *lines, "    0,", "};"]
    rows = sorted(tracking_rows(), key=lambda row: row.name.lower())
    _require(all(row.name.isascii() for row in rows), "the name of a tracking parameter is not ASCII")
    starts = [sum(ord(row.name[0].lower()) < code for row in rows) for code in range(129)]
    entries = [
        f'    {{"{name}", "{row.host}", "{",".join(row.unless)}", {len(name)}, {int(name != row.name.lower())}}},'
        for row in rows
        for name in [row.name.lower().removesuffix("*")]
    ]
    return [
        *out,
        "",
        "/* The tracking parameters, sorted by name: name, host or nothing, words between commas with which it stays,",
        " * the size of the name, whether longer names count; and the index of the first whose name begins with a code",
        " * or a later one. */",
        "typedef struct { const char *name, *host, *unless; uint8_t size, is_prefix; } tracking_row;",
        f"const uint16_t TRACKING_FROM[129] = {{\n    {_numbers(starts)}\n}};",
        f"const tracking_row TRACKING[{len(rows)}] = {{",
        *entries,
        "};",
    ]


_DATA = re.compile(r"^(const [^=\n]*) = \{.*?^\};\n", re.MULTILINE | re.DOTALL)


def generated() -> dict[str, str]:
    """Return the text of each generated file by its name: definitions, and the data."""
    note = (
        "/* What the kernel knows of limits, choices, characters, schemes and shapes.\n"
        " * Generated by tools/generate_kernel_tables.py; do not edit. */\n"
    )
    guard = "#ifndef URISIEVE_TABLES_H\n#define URISIEVE_TABLES_H\n#include <stdint.h>\n\n"
    of = ["/* The digest of the modules and registries that all this is made of; see `urisieve.kernel.built_from`. */"]
    of.append(f'#define MADE_OF "{made_of()}"')
    both = (
        "\n".join(
            [*of, *_limits(), *_choices(), *_names(), *_times(), *_secrets(), *_characters(), *_schemes(), *_merging()]
        )
        + "\n"
    )
    declared = _DATA.sub(lambda match: f"extern {match[1]};\n", both)
    data = "\n".join(match[0] for match in _DATA.finditer(both))
    return {
        "tables.h": f"{note}{guard}{declared}\n#endif\n",
        "tables.c": f'{note}#include "tables.h"\n\n{data}',
    }


if __name__ == "__main__":
    for name, text in generated().items():
        (TARGET / name).write_text(text, encoding="utf-8")
        print(f"{name}: {len(text):,} characters", file=sys.stderr)
