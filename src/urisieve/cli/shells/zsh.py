"""Completions for zsh."""

from __future__ import annotations

from collections.abc import Iterable

from urisieve.cli.shells.completed import CompletedCommand, CompletedOption, CompletedValue

__all__ = ["zsh_script"]


def zsh_script(commands: Iterable[CompletedCommand], top: CompletedCommand) -> str:
    """Return the script.

    Args:
        commands: the commands and their actions.
        top: the program itself.
    """
    lines = ["#compdef urisieve", "# Completions of urisieve for zsh: a file `_urisieve` in a folder of $fpath,",
             "# or: source <(urisieve completion zsh)", ""]  # fmt: skip
    for command in (*commands, top):
        lines += _function(command)
    lines += [
        'if [ "$funcstack[1]" = _urisieve ]; then',
        '    _urisieve "$@"',
        "else",
        "    compdef _urisieve urisieve",
        "fi",
        "",
    ]
    return "\n".join(lines)


def _name(words: Iterable[str]) -> str:
    return "_".join(["_urisieve", *words])


def _function(command: CompletedCommand) -> list[str]:
    specs = [spec for option in command.options for spec in _specs(option)]
    lines = [f"{_name(command.words)}() {{"]
    if command.actions:
        described = " ".join(_quoted(f"{name}:{text}") for name, text in command.actions)
        lines += [
            "    local curcontext=$curcontext state line",
            "    typeset -A opt_args",
            f"    local -a actions=({described})",
            "    _arguments -C -S -s : \\",
            *(f"        {spec} \\" for spec in specs),
            "        '1: :->action' '*:: :->rest'",
            "    case $state in",
            "    action) _describe command actions ;;",
            "    rest)",
            "        case $line[1] in",
            *(f"        {name}) {_name((*command.words, name))} ;;" for name, _ in command.actions),
            "        esac ;;",
            "    esac",
        ]
    else:
        *first, last = command.arguments or (None,)
        arguments = [f"'{number}:{_value(value)}'" for number, value in enumerate(first, 1) if value is not None]
        if last is not None:
            arguments.append(f"'*:{_value(last)}'")
        lines += [
            "    _arguments -S -s : \\",
            *(f"        {spec} \\" for spec in [*specs, *arguments]),
            "        && return 0",
        ]
    return [*lines, "}", ""]


def _specs(option: CompletedOption) -> Iterable[str]:
    """Yield an option in the notation of `_arguments`, by each of its names."""
    others = f"({' '.join(option.names)})" if len(option.names) > 1 and not option.is_list else ""
    text = option.summary.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    for name in option.names:
        if option.value is None:
            yield _quoted(f"{others}{name}[{text}]")
        else:
            sign = "=" if name.startswith("--") else "+"
            yield _quoted(f"{'*' if option.is_list else others}{name}{sign}[{text}]:{_value(option.value)}")


def _value(value: CompletedValue) -> str:
    name = value.name.replace(":", "\\:")
    words = " ".join(value.words)
    if value.are_several:
        return f"{name}:_sequence compadd - {words}"
    if value.is_folder:
        return f"{name}:_files -/"
    if value.is_file:
        return (
            f'{name}:{{_alternative "words\\:word\\:({words})" "files\\:file\\:_files"}}' if words else f"{name}:_files"
        )
    return f"{name}:({words})" if words else f"{name}: "


def _quoted(text: str) -> str:
    return "'{}'".format(text.replace("'", "'\\''"))
