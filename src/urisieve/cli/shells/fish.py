"""Completions for fish, from version 3.0 on."""

from __future__ import annotations

from collections.abc import Iterable

from urisieve.cli.shells.completed import CompletedCommand, CompletedOption, CompletedValue
from urisieve.lean.hints import Final

__all__ = ["fish_script"]

_HEAD: Final = """\
# Completions of urisieve for fish: urisieve completion fish > ~/.config/fish/completions/urisieve.fish

function __urisieve_at --description 'Whether the command line begins with these words'
    set -l words (commandline -opc)
    set -e words[1]
    test (count $words) -ge (count $argv); or return 1
    for index in (seq (count $argv))
        test "$words[$index]" = "$argv[$index]"; or return 1
    end
end

function __urisieve_next --description 'Whether the command line is these words so far'
    set -l words (commandline -opc)
    test (count $words) -eq (math (count $argv) + 1); and __urisieve_at $argv
end

function __urisieve_list --description 'Words behind those of a list with commas'
    set -l head (string match -r '^(?:-[^=]*=)?((?:[^,]*,)*)' -- (commandline -ct))[2]
    printf '%s\\n' $head$argv
end

complete -c urisieve -f
"""


def fish_script(commands: Iterable[CompletedCommand], top: CompletedCommand) -> str:
    """Return the script.

    Args:
        commands: the commands and their actions.
        top: the program itself.
    """
    lines = []
    for command in (top, *commands):
        path = " ".join(command.words)
        for name, text in command.actions:
            lines.append(f"complete -c urisieve -n '__urisieve_next {path}' -a {name} -d {_quoted(text)}")
        moment = f"__urisieve_at {path}" if command.words else "__urisieve_next"
        lines += [f"complete -c urisieve -n '{moment}'{_option(option)}" for option in command.options]
        for value in command.arguments[-1:]:
            if value.is_file or value.words:
                lines.append(f"complete -c urisieve -n '{moment}'{_value(value, is_option=False)}")
    return "\n".join([_HEAD + "\n".join(lines), ""])


def _option(option: CompletedOption) -> str:
    names = "".join(f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}" for name in option.names)
    value = "" if option.value is None else _value(option.value, is_option=True)
    return f"{names}{value} -d {_quoted(option.summary)}"


def _value(value: CompletedValue, *, is_option: bool) -> str:
    words = " ".join(value.words)
    if value.is_folder:
        return " -x -a '(__fish_complete_directories)'"
    if value.is_file:
        return f"{' -r' if is_option else ''} -F{f' -a {_quoted(words)}' if words else ''}"
    if value.are_several:
        words = f"(__urisieve_list {words})"
    return f"{' -x' if is_option else ''}{f' -a {_quoted(words)}' if words else ''}"


def _quoted(text: str) -> str:
    return "'{}'".format(text.replace("\\", "\\\\").replace("'", "\\'"))
