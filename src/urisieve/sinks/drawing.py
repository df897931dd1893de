"""Explanations as lines of text for users, in colours if wanted.

A text is drawn with its components underlined, and their names below, with lines that lead there.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from urisieve.explanation import Explanation, Remedy, Span
from urisieve.lean import Final
from urisieve.records.record import Record

_INDENT: Final = "  "
# The most characters of a component that are shown; of a longer one, its beginning and its end.
_LONGEST: Final = 64
_ELLIPSIS: Final = "..."
# SGR parameters (ECMA-48 8.3.117); neighbours differ, and all can be read on light and on dark ground.
_COLORS: Final = {
    "scheme": "35",
    "userinfo": "31",
    "host": "36",
    "port": "33",
    "path": "32",
    "query": "34",
    "fragment": "35",
    "nid": "36",
    "nss": "32",
    "r-component": "33",
    "q-component": "34",
    "f-component": "35",
    "heading": "1",
    "bad": "1;31",
    "rule": "36",
}


class Palette:
    r"""The colours of components and of kinds of text, for terminals; none if it is not `colored`.

    >>> Palette(colored=True).paint("host", "example.com")
    '\x1b[36mexample.com\x1b[0m'
    """

    def __init__(self, colored: bool) -> None:
        self._colored = colored

    def paint(self, name: str, text: str) -> str:
        """Return a text in the colour of a component, or of a kind of text."""
        color = _COLORS.get(name)
        return text if color is None or not text or not self._colored else f"\x1b[{color}m{text}\x1b[0m"


def _printable(text: str) -> str:
    """Return a text in which U+FFFD replaces each character that a terminal would obey or could not show."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def _shortened(text: str, longest: int = 4 * _LONGEST) -> str:
    """Return a text of at most `longest` characters, without its middle if it is longer, made printable."""
    if len(text) > longest:
        half = (longest - len(_ELLIPSIS)) // 2
        text = f"{text[:half]}{_ELLIPSIS}{text[-half:]}"
    return _printable(text)


def text_width(text: str) -> int:
    """Return how many columns of a terminal a text takes (UAX 11); marks and format characters take none."""
    if text.isascii():
        return len(text)
    columns = 0
    for character in text:
        if unicodedata.category(character) not in ("Mn", "Me", "Cf"):
            columns += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return columns


def drawn(text: str, spans: Sequence[Span], palette: Palette) -> list[str]:
    r"""Return the lines of a text with its components underlined and named.

    >>> from urisieve import explain
    >>> explanation = explain("http://example.com")
    >>> print("\n".join(drawn(explanation.text, explanation.components, Palette(colored=False))))
    http://example.com
    ~~~~   ~~~~~~~~~~~
    scheme host
    """
    pieces: list[str] = []
    marks: list[tuple[str, int, int]] = []  # name, first column, width
    offset = column = 0
    for span in spans:
        between = _shortened(text[offset : span.start])
        shown = _shortened(span.text, _LONGEST)
        pieces += [between, palette.paint(span.name, shown)]
        column += text_width(between)
        width = text_width(shown)
        if width:
            marks.append((span.name, column, width))
        column += width
        offset = span.end
    rows: list[list[tuple[int, str, str]]] = [[(start, name, "~" * width) for name, start, width in marks]]
    free: list[int] = []  # for each row of names, the column from which on it is taken
    for name, start, _ in reversed(marks):
        row = next((row for row, first in enumerate(free) if start + len(name) < first), len(free))
        if row == len(free):
            free.append(0)
            rows.append([])
        rows[row + 1].append((start, name, name))
        for above in range(row):
            rows[above + 1].append((start, name, "|"))
        free[: row + 1] = [start] * (row + 1)
    lines = [f"{''.join(pieces)}{_shortened(text[offset:])}"]
    for cells in rows:
        line = ""
        column = 0
        for start, name, shown in sorted(cells):
            line += f"{' ' * (start - column)}{palette.paint(name, shown)}"
            column = start + len(shown)
        lines.append(line)
    return lines if marks else lines[:1]


def explanation_lines(explanation: Explanation, palette: Palette, remedies: Mapping[Remedy, str]) -> Iterator[str]:
    """Yield the lines of an explanation.

    >>> from urisieve import explain
    >>> list(explanation_lines(explain("http://example.com/"), Palette(colored=False), {}))[-1]
    '  as it stands: http://example.com/'

    Args:
        explanation: the explanation.
        palette: the colours.
        remedies: for each remedy the line that names it.
    """
    found = explanation.found
    if not isinstance(found, Record):
        yield from found.explain().splitlines()
        if explanation.remedy is not None and explanation.remedied is not None:
            yield palette.paint("heading", remedies[explanation.remedy])
            yield from _indented(explanation.remedied, palette, remedies)
        return
    if explanation.components:
        yield from drawn(explanation.text, explanation.components, palette)
    yield from _facts(explanation, found, palette)
    if explanation.inner is not None:
        yield palette.paint("heading", "inside")
        yield from _indented(explanation.inner, palette, remedies)


def _indented(explanation: Explanation, palette: Palette, remedies: Mapping[Remedy, str]) -> Iterator[str]:
    return (f"{_INDENT}{line}".rstrip() for line in explanation_lines(explanation, palette, remedies))


def _facts(explanation: Explanation, record: Record, palette: Palette) -> Iterator[str]:
    yield palette.paint("heading", str(explanation.kind))
    for name, title, reference in explanation.subjects:
        yield f"{_INDENT}{name}: {title} ({reference})" if reference else f"{_INDENT}{name}: {title}"
    if explanation.parts:
        yield palette.paint("heading", "parts")
        width = max(map(len, explanation.parts))
        for name, text in explanation.parts.items():
            yield f"{_INDENT}{name:<{width}}  {_shortened(text)}".rstrip()
    yield palette.paint("heading", "canonical form")
    if not explanation.steps:
        yield f"{_INDENT}as it stands: {_shortened(record.uri)}"
    else:
        yield f"{_INDENT}{_shortened(explanation.steps[0].before)}"
    for step in explanation.steps:
        yield f"{_INDENT * 2}{palette.paint('rule', step.rule)}: {step.meaning} ({step.section})"
        yield f"{_INDENT}{_shortened(step.after)}"
    if explanation.key_step is not None:
        yield palette.paint("heading", "key")
        step = explanation.key_step
        yield f"{_INDENT * 2}{palette.paint('rule', step.rule)}: {step.meaning} ({step.section})"
        yield f"{_INDENT}{_shortened(step.after)}"
    if explanation.warnings:
        yield palette.paint("heading", "warnings")
    for warn, section, meaning, detail in explanation.warnings:
        more = f" `{_printable(detail)}`" if detail else ""
        yield f"{_INDENT}{palette.paint('bad', warn)}{more}: {meaning} ({section})"
