"""`urisieve completion`: prints the completions of a shell.

It holds besides:

- completions for bash, from version 3.2 on.
- completions for zsh.
- completions for fish, from version 3.0 on.
- the options of each command, and the words, files and folders that their values can be, for completions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from urisieve.cli.settings.arguments import Argument, CommandArguments, CommandLine
from urisieve.cli.settings.flags import command_parser
from urisieve.cli.terminal.help_page import argument_text, metavar
from urisieve.lean import Final, NamedTuple
from urisieve.sinks.files.outputs import STANDARD_OUTPUT, open_output

__all__ = [
    "CompletedCommand",
    "CompletedOption",
    "CompletedValue",
    "bash_script",
    "completed_commands",
    "fish_script",
    "run",
    "zsh_script",
]

# A summary stands beside an option in a list, so it is short.
_LONGEST: Final = 70
_FILES: Final = frozenset(["FILE", "PATH"])


class CompletedValue(NamedTuple):
    """The words, files and folders that the value of an argument can be.

    Attributes:
        name: the word that stands for it.
        words: the words.
        are_several: whether it is a list of words with commas.
        is_file: whether it can be the path of a file.
        is_folder: whether it can be the path of a folder.
    """

    name: str
    words: tuple[str, ...] = ()
    are_several: bool = False
    is_file: bool = False
    is_folder: bool = False


class CompletedOption(NamedTuple):
    """An option; `value` is None for a flag."""

    names: tuple[str, ...]
    summary: str
    value: CompletedValue | None
    is_list: bool


class CompletedCommand(NamedTuple):
    """A command, or an action of one.

    Attributes:
        words: the words that choose it.
        summary: what it does.
        options: its options.
        arguments: what its arguments can be.
        actions: the words that may follow, with what they do.
    """

    words: tuple[str, ...]
    summary: str
    options: tuple[CompletedOption, ...]
    arguments: tuple[CompletedValue, ...]
    actions: tuple[tuple[str, str], ...]


def completed_commands(accepted: Mapping[str, Iterable[CommandArguments]]) -> Iterator[CompletedCommand]:
    """Yield the commands and their actions.

    Args:
        accepted: what each command accepts, and its actions, by name.
    """
    for some in accepted.values():
        for command in some:
            yield CompletedCommand(
                tuple(command.prog.split()[1:]),
                _shortened(command.description),
                tuple(_option(argument) for argument in command.all_arguments if argument.is_option),
                tuple(_value(argument) for argument in command.all_arguments if not argument.is_option),
                tuple((name, _shortened(action.description)) for name, action in command.actions.items()),
            )


def _option(argument: Argument) -> CompletedOption:
    text = argument.common if isinstance(argument.common, str) else argument_text(argument, with_choices=False)
    has_value = argument.is_plain and not argument.is_flag
    return CompletedOption(argument.names, _shortened(text), _value(argument) if has_value else None, argument.is_list)


def _value(argument: Argument) -> CompletedValue:
    name = metavar(argument)
    parts = name.split("|")
    words = [str(choice) for choice in argument.settings.get("choices", ())]
    if argument.words is not None:
        words += argument.words()
    if len(parts) > 1:
        words += [part for part in parts if part.islower()]
    return CompletedValue(name, tuple(words), name.endswith(",..."), not _FILES.isdisjoint(parts), "FOLDER" in parts)


def _shortened(text: str) -> str:
    """Return the first clause of a text, without what stands in brackets."""
    text = text.partition("; ")[0].partition(" (")[0].removesuffix(".")
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST - 3].rpartition(' ')[0]}..."


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
        arguments = [f"'{number}:{_zsh_value(value)}'" for number, value in enumerate(first, 1) if value is not None]
        if last is not None:
            arguments.append(f"'*:{_zsh_value(last)}'")
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
            yield _quoted(f"{'*' if option.is_list else others}{name}{sign}[{text}]:{_zsh_value(option.value)}")


def _zsh_value(value: CompletedValue) -> str:
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


_FISH_HEAD: Final = """\
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
            lines.append(f"complete -c urisieve -n '__urisieve_next {path}' -a {name} -d {_fish_quoted(text)}")
        moment = f"__urisieve_at {path}" if command.words else "__urisieve_next"
        lines += [f"complete -c urisieve -n '{moment}'{_fish_option(option)}" for option in command.options]
        for value in command.arguments[-1:]:
            if value.is_file or value.words:
                lines.append(f"complete -c urisieve -n '{moment}'{_fish_value(value, is_option=False)}")
    return "\n".join([_FISH_HEAD + "\n".join(lines), ""])


def _fish_option(option: CompletedOption) -> str:
    names = "".join(f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}" for name in option.names)
    value = "" if option.value is None else _fish_value(option.value, is_option=True)
    return f"{names}{value} -d {_fish_quoted(option.summary)}"


def _fish_value(value: CompletedValue, *, is_option: bool) -> str:
    words = " ".join(value.words)
    if value.is_folder:
        return " -x -a '(__fish_complete_directories)'"
    if value.is_file:
        return f"{' -r' if is_option else ''} -F{f' -a {_fish_quoted(words)}' if words else ''}"
    if value.are_several:
        words = f"(__urisieve_list {words})"
    return f"{' -x' if is_option else ''}{f' -a {_fish_quoted(words)}' if words else ''}"


def _fish_quoted(text: str) -> str:
    return "'{}'".format(text.replace("\\", "\\\\").replace("'", "\\'"))


_DONE: Final = 0
_SCRIPTS: Final[Mapping[str, Callable[[Iterable[CompletedCommand], CompletedCommand], str]]] = {
    "bash": bash_script,
    "zsh": zsh_script,
    "fish": fish_script,
}


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    parser = command_parser("completion", "Print the completions of a shell, to be loaded by it.")
    parser.add_argument(
        "shell", choices=list(_SCRIPTS), common="the shell: bash, zsh or fish", help="the shell that loads them"
    )
    asked = parser.parse_args(argv)
    accepted = argv.accepted() if isinstance(argv, CommandLine) else {}
    commands = list(completed_commands(accepted))
    with open_output(STANDARD_OUTPUT) as output:
        output.write(_SCRIPTS[asked.shell](commands, _program(commands, parser)).encode("ascii"))
    return _DONE


def _program(commands: Iterable[CompletedCommand], some: CommandArguments) -> CompletedCommand:
    """Return the program itself: its actions are the commands, its options those that each command has."""
    general = {name for argument in list(some.groups)[-1].arguments for name in argument.names} - {"--no-config"}
    actions = []
    options: dict[tuple[str, ...], CompletedOption] = {}
    for command in commands:
        if len(command.words) == 1:
            actions.append((command.words[0], command.summary))
        options |= {option.names: option for option in command.options if general.issuperset(option.names)}
    return CompletedCommand((), "", tuple(options.values()), (), tuple(actions))
