"""What linkers make of the rows, as tables in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from benchmarks.markdown import table
from linkers.programs import Linker
from linkers.rows import Outcome, Row, Span, judged

__all__ = ["Result", "asked", "page", "wrong"]

# Rows whose shape at least so many of a million links have.
_FREQUENT: Final = 1_000


class Result(NamedTuple):
    """What a linker found in each row, and what came of it."""

    linker: Linker
    finds: list[list[Span]]
    outcomes: list[list[Outcome]]

    def is_right(self, number: int) -> bool:
        """Report whether all is right in a row."""
        return all(one is Outcome.RIGHT for one in self.outcomes[number])


def asked(linkers: Sequence[Linker], rows: Sequence[Row]) -> list[Result]:
    """Ask linkers about rows."""
    texts = [row.text for row in rows]
    results = []
    for linker in linkers:
        finds = list(linker.find(texts))
        outcomes = [judged(row.found, found) for row, found in zip(rows, finds, strict=True)]
        results.append(Result(linker, finds, outcomes))
    return results


def _code(text: str) -> str:
    """A text as code, in which controls and what is not seen are escapes."""
    shown = "".join(
        "⏎" if character == "\n" else character if character.isprintable() else f"\\u{ord(character):04x}"
        for character in text
    )
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def _is_of_the_web(row: Row) -> bool:
    """Report whether no other scheme than http and https is in a row."""
    spans = (*row.found, *row.rejected)
    return all(row.text[start:end].lower().startswith(("http:", "https:")) for start, end in spans)


def _settings(results: Sequence[Result]) -> str:
    return table(
        ["linker", "version", "settings"],
        [[one.linker.name, one.linker.version, one.linker.settings] for one in results],
        left=99,
    )


def _totals(results: Sequence[Result], rows: Sequence[Row]) -> str:
    groups = {
        f"all {len(rows)} rows": range(len(rows)),
        "by an RFC": [number for number, row in enumerate(rows) if row.rule != "convention"],
        "by convention": [number for number, row in enumerate(rows) if row.rule == "convention"],
        "frequent": [number for number, row in enumerate(rows) if (row.often or 0) >= _FREQUENT],
        "of http and https": [number for number, row in enumerate(rows) if _is_of_the_web(row)],
    }
    heads = [name if name.startswith("all") else f"{name}, of {len(numbers)}" for name, numbers in groups.items()]
    body = []
    for one in results:
        counts = Counter(outcome for outcomes in one.outcomes for outcome in outcomes)
        right = [str(sum(map(one.is_right, numbers))) for numbers in groups.values()]
        body.append([one.linker.name, *right, *(str(counts[outcome]) for outcome in list(Outcome)[1:])])
    return table(["linker", *heads, *(outcome.value for outcome in list(Outcome)[1:])], body)


def _kinds(results: Sequence[Result], rows: Sequence[Row]) -> str:
    numbers: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        numbers.setdefault(row.kind, []).append(number)
    return table(
        ["kind", "rows", *(one.linker.name for one in results)],
        [
            [kind, str(len(those)), *(str(sum(map(one.is_right, those))) for one in results)]
            for kind, those in numbers.items()
        ],
    )


def _given(result: Result, rows: Sequence[Row], number: int) -> str:
    if result.is_right(number):
        return "the same"
    text = rows[number].text
    return " ".join(_code(text[start:end]) for start, end in result.finds[number]) or "nothing"


def _cases(results: Sequence[Result], rows: Sequence[Row]) -> str:
    """The most frequent row of each kind that not all get right."""
    chosen: dict[str, int] = {}
    for number, row in enumerate(rows):
        best = chosen.get(row.kind)
        if not all(one.is_right(number) for one in results) and (
            best is None or (row.often or 0) > (rows[best].often or 0)
        ):
            chosen[row.kind] = number
    body = []
    for number in chosen.values():
        row = rows[number]
        there = " ".join(_code(row.text[start:end]) for start, end in row.found) or "nothing"
        given = [_given(one, rows, number) for one in results[1:]]
        body.append([_code(row.text), row.rule.removeprefix("RFC "), there, *given])
    return table(["text", "by RFC", "there is", *(one.linker.name for one in results[1:])], body, left=99)


def page(results: Sequence[Result], rows: Sequence[Row], date: str) -> str:
    """All tables; the first of the results is ours."""
    return (
        f"Asked on {date}:\n\n{_settings(results)}\n\n"
        "Rows in which all is right, and how often a link was missed, cut too short or too long, or found where there\n"
        f"is none. Frequent are rows whose shape at least {_FREQUENT:,} of a million links have:\n\n"
        f"{_totals(results, rows)}\n\nRows right, by kind:\n\n{_kinds(results, rows)}\n\n"
        "Of each kind the most frequent row that not all get right. They give the same, or what the cell shows:\n\n"
        f"{_cases(results, rows)}"
    )


def wrong(result: Result, rows: Sequence[Row]) -> list[str]:
    """A line for each row that a linker gets wrong: its kind, its text, what is there, and what was found."""
    lines = []
    for number, row in enumerate(rows):
        if not result.is_right(number):
            there, given = (
                [row.text[start:end] for start, end in spans] for spans in (row.found, result.finds[number])
            )
            what = ", ".join(sorted({one.value for one in result.outcomes[number]} - {Outcome.RIGHT.value}))
            lines.append(f"{row.kind}: {what}\n  text  {row.text!r}\n  there {there}\n  given {given}")
    return lines
