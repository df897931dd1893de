"""The help of a command: the options most used on one screen, or all of them, in the width of the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from urisieve.cli.settings.arguments import Argument, CommandArguments, Group
from urisieve.lean import Final

# Lines are no longer, because they would be hard to read; and no shorter, because words would be truncated.
_WIDEST: Final = 100
_NARROWEST: Final = 30
# The column at which explanations begin, at most; beyond it they begin on a line of their own.
_LABEL: Final = 24
# How many examples the short help shows at most.
_EXAMPLES: Final = 3


def help_page(parser: CommandArguments, columns: int, *, is_whole: bool) -> str:
    """Return the help of a command.

    Args:
        parser: the parser of the command.
        columns: the width of the terminal.
        is_whole: whether all options and examples are shown, and not only those most used.
    """
    width = shown_width(columns)
    lines = [*wrapped(f"usage: {usage(parser)}", width, 7), "", *wrapped(parser.description, width), ""]
    if is_whole:
        for group in parser.groups:
            lines += _group(group, width)
    else:
        column = _column(parser, width)
        common = [argument for argument in parser.all_arguments if argument.common]
        lines += _arguments(common, width, column)
    if parser.actions:
        lines += [*rows_of(((name, action.description) for name, action in parser.actions.items()), width), ""]
    if not is_whole:
        lines += [*rows_of([("--help-all", _rest_of(parser))], width, column), ""]
    if parser.examples:
        lines.append("examples:")
        lines += _examples(parser.examples, width) if is_whole else _some_examples(parser.examples, width)
    return "\n".join([*lines, ""])


def shown_width(columns: int) -> int:
    """Return how long lines of help are in a terminal of so many columns."""
    return max(_NARROWEST, min(columns, _WIDEST))


def usage(parser: CommandArguments) -> str:
    """Return how a command is called, in one line."""
    words = [parser.prog]
    if parser.actions:
        words.append("|".join(parser.actions))
    words.append("[OPTION ...]")
    for argument in parser.all_arguments:
        if not argument.is_option:
            name = metavar(argument)
            shown = {"*": f"[{name} ...]", "+": f"{name} [...]", "?": f"[{name}]"}
            words.append(shown.get(argument.settings.get("nargs", ""), name))
    if parser.actions:
        words.append("ARGUMENT ...")
    return " ".join(words)


def metavar(argument: Argument) -> str:
    """Return the word that stands for a value."""
    name: str | None = argument.settings.get("metavar")
    if name is not None:
        return name
    return argument.long.upper() if argument.is_option else argument.names[0].upper()


def label(argument: Argument) -> str:
    """Return the names of an argument, with the word that stands for its value."""
    if not argument.is_option:
        return metavar(argument)
    names = ", ".join(sorted(argument.names, key=len))
    return names if argument.is_flag or not argument.is_plain else f"{names} {metavar(argument)}"


def argument_text(argument: Argument, *, with_choices: bool = True) -> str:
    """Return the whole explanation of an argument, its choices first."""
    settings = argument.settings
    text: str = settings.get("help", "") % {"default": settings.get("default")}
    if with_choices and "choices" in settings and "metavar" not in settings:
        return f"{', '.join(map(str, settings['choices']))}: {text}"
    return text


def _rest_of(parser: CommandArguments) -> str:
    if parser.actions:
        return "more examples; each action has a --help of its own"
    number = sum(1 for _ in parser.options)
    more = f"all {number} options" if number > 1 else "all options"
    return f"{more}, and more examples"


def _column(parser: CommandArguments, width: int) -> int:
    common = [label(argument) for argument in parser.all_arguments if argument.common]
    return _column_of([*common, "--help-all"], width)


def _group(group: Group, width: int) -> Iterator[str]:
    if not group.arguments:
        return
    if group.about:
        title, *more = group.about
        yield f"{title}:"
        for text in more:
            yield from wrapped(text, width, 2, first=2)
    yield from _arguments(group.arguments, width)
    yield ""


def _arguments(arguments: Iterable[Argument], width: int, column: int = 0) -> Iterator[str]:
    """Yield the lines of arguments; with a `column` those of the short help."""
    rows = []
    for argument in arguments:
        is_short = column > 0 and isinstance(argument.common, str)
        rows.append((label(argument), str(argument.common) if is_short else argument_text(argument)))
    return rows_of(rows, width, column)


def _column_of(labels: Iterable[str], width: int) -> int:
    """Return the column at which explanations begin."""
    fitting = [len(one) for one in labels if len(one) + 4 <= min(_LABEL, width // 2)]
    return max(fitting, default=4) + 4


def rows_of(rows: Iterable[tuple[str, str]], width: int, column: int = 0) -> Iterator[str]:
    """Yield the lines of labels with their explanations next to them, or below where a label is too long."""
    rows = list(rows)
    column = column or _column_of((one for one, _ in rows), width)
    for one, text in rows:
        if len(one) + 4 <= column:
            yield from wrapped(text, width, column, first=f"  {one:<{column - 2}}")
        else:
            yield f"  {one}"
            yield from wrapped(text, width, column, first=column)


def _examples(examples: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    """Yield lines to type, which are not truncated, each with its meaning below."""
    for line, meaning in examples:
        yield f"  {line}"
        yield from wrapped(meaning, width, 6, first=6)


def _some_examples(examples: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Return the first examples: three if each fits a line, else two."""
    some = examples[:_EXAMPLES]
    column = max(len(line) for line, _ in some) + 4
    if all(column + len(meaning) <= width for _, meaning in some):
        return [f"  {line:<{column - 2}}{meaning}" for line, meaning in some]
    return list(_examples(examples[: _EXAMPLES - 1], width))


def wrapped(text: str, width: int, indent: int = 0, first: int | str = 0) -> list[str]:
    """Return a text in lines; `first` is what the first begins with, or how many spaces."""
    beginning = " " * first if isinstance(first, int) else first
    return textwrap.wrap(
        text,
        width,
        initial_indent=beginning,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
