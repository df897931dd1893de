"""Completions for bash, from version 3.2 on."""

from __future__ import annotations

from collections.abc import Iterable

from urisieve.cli.shells.completed import CompletedCommand, CompletedValue
from urisieve.lean.hints import Final

__all__ = ["bash_script"]

_HEAD: Final = r"""# Completions of urisieve for bash: eval "$(urisieve completion bash)"

_urisieve_words() {  # of a list of words, those that begin like the current one
    compopt +o default 2>/dev/null
    COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_urisieve_several() {  # the same for the last word of a list with commas
    compopt +o default -o nospace 2>/dev/null
    COMPREPLY=($(compgen -P "${cur%"${cur##*,}"}" -W "$1" -- "${cur##*,}"))
}

_urisieve_files() {  # with no word found, readline completes the names of files
    COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_urisieve_folders() {
    compopt +o default -o dirnames 2>/dev/null
    COMPREPLY=()
}

_urisieve() {
    local IFS=$' \t\n' cur=${COMP_WORDS[COMP_CWORD]} option= command= word
    local -i at=COMP_CWORD-1 index
    if [[ $cur == = ]]; then  # `--option=value` is three words
        cur= option=${COMP_WORDS[at]}
    elif [[ ${COMP_WORDS[at]} == = ]]; then
        option=${COMP_WORDS[at - 1]}
    else
        option=${COMP_WORDS[at]}
    fi
    for ((index = 1; index < COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if [[ $word == -- ]]; then
            option=
            break
        fi
    done
    case ${COMP_CWORD},${COMP_WORDS[1]} in
"""


def bash_script(commands: Iterable[CompletedCommand], top: CompletedCommand) -> str:
    """Return the script.

    Args:
        commands: the commands and their actions.
        top: the program itself.
    """
    commands = list(commands)
    lists: dict[tuple[str, ...], str] = {}
    lines = [f"    1,*) _urisieve_words '{_first_words(top)}'; return ;;"]
    for command in commands:
        if command.actions:
            words = " ".join([*(name for name, _ in command.actions), _options(command)])
            lines.append(f"    2,{command.words[0]}) _urisieve_words '{words}'; return ;;")
    names = [command.words[0] for command in commands if command.actions]
    if names:
        lines.append(f'    *,{"|*,".join(names)}) command="${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}}" ;;')
    lines += ["    *) command=${COMP_WORDS[1]} ;;", "    esac", '    case "$command $option" in']
    for command in commands:
        for option in command.options:
            if option.value is not None:
                patterns = "|".join(f"'{' '.join(command.words)} {name}'" for name in option.names)
                lines.append(f"    {patterns}) {_call(option.value, lists)}; return ;;")
    lines += ["    esac", "    if [[ $cur == -* && $index -eq $COMP_CWORD ]]; then", '        case "$command" in']
    lines += [
        f"        '{' '.join(command.words)}') _urisieve_words '{_options(command)}' ;;"
        for command in commands
        if not command.actions
    ]
    lines += ["        esac", "        return", "    fi", '    case "$command" in']
    for command in commands:
        if not command.actions:
            calls = [_call(value, lists) for value in command.arguments[-1:]]
            lines.append(f"    '{' '.join(command.words)}') {(calls or [_call(CompletedValue(''), lists)])[0]} ;;")
    lines += ["    esac", "}", "complete -o default -F _urisieve urisieve"]
    variables = [f"{name}='{' '.join(words)}'" for words, name in lists.items()]
    return "\n".join([_HEAD + "\n".join(lines), *variables, ""])


def _first_words(top: CompletedCommand) -> str:
    return f"{' '.join(name for name, _ in top.actions)} {_options(top)}"


def _options(command: CompletedCommand) -> str:
    return " ".join(name for option in command.options for name in option.names)


def _call(value: CompletedValue, lists: dict[tuple[str, ...], str]) -> str:
    """Return the call that completes a value; long lists of words become variables, each once."""
    words = f"'{' '.join(value.words)}'"
    if len(value.words) > len("words"):
        words = f'"${lists.setdefault(value.words, f"_urisieve_list_{len(lists)}")}"'
    if value.is_folder:
        return "_urisieve_folders"
    kind = "several" if value.are_several else "files" if value.is_file else "words"
    return f"_urisieve_{kind} {words}"
