"""Defaults of options, from variables of the environment and from a table: read, checked and converted.

The command line comes before the environment, that before the table of the command, that before the table for all
commands, and that before what is built in. A default for all commands applies to those that have the option and accept
the value, of a list each name on its own; one that no command knows is an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from urisieve.cli.help_page import metavar
from urisieve.cli.settings import arguments
from urisieve.cli.settings.arguments import Argument, CommandLine, Sources
from urisieve.errors import UsageError
from urisieve.lean import Any, Final, NamedTuple
from urisieve.wording import near_name, printable, shortened

_BOOLEANS: Final = {"1": True, "0": False}
# The options that change only how findings are shown. Any other may leave some out, so that it is named each time:
# `form` does (a link without a host has no form `host`), and so may what chooses the fields that are written.
_SHOWN: Final = frozenset(
    (
        *("color", "dated", "examples", "format", "jobs", "links", "mark-new", "memory-limit", "no-times", "parts"),
        *("protect", "sort", "spellings", "title"),
    )
)
# The table of the profiles of merging, whose names `--merge` takes.
PROFILES: Final = "profiles"
# The most characters of a value that a line about it shows.
_LONGEST: Final = 60
# Switches all of this off: it is no option of a command, and a table cannot ask for it.
_NO_CONFIG: Final = "no-config"


class _Default(NamedTuple):
    """A default as it is written.

    Attributes:
        option: the long name of the option.
        value: a string, or a value of TOML.
        origin: where it is, for messages.
        is_text: whether it is a string of the environment.
        is_own: whether it is written for this command, so that it must accept it.
    """

    option: str
    value: object
    origin: str
    is_text: bool
    is_own: bool


def variable_of(option: str) -> str:
    """Return the variable that sets an option: `URISIEVE_FAIL_ON` for `fail-on`."""
    return arguments.PREFIX + option.upper().replace("-", "_")


def is_for_tables(argument: Argument) -> bool:
    """Report whether a table may set an option.

    A file in a folder of another user must not be able to name files, to make passwords public, or to silence what is
    said about it.
    """
    names = metavar(argument).split("|")
    return not argument.is_guarded and "FILE" not in names and "FOLDER" not in names


def defaults_of(
    sources: Sources, command: arguments.CommandArguments, line: CommandLine, given: frozenset[str]
) -> dict[str, Any]:
    """Return the values that defaults give to the options of a command, by name; `line` notes which are used.

    Args:
        sources: what was found.
        command: what the command accepts.
        line: the command line.
        given: the names of the values that the words give.

    Raises:
        UsageError: an option is not known, a table may not set it, or no command accepts the value.
    """
    own = {argument.long: argument for argument in command.options}
    values: dict[str, Any] = {PROFILES: _profiles(sources)} if "merge" in own else {}
    decided: set[str] = set()
    taken: list[_Default] = []
    for default in [*_of_environment(sources), *_of_table(sources, line, own)]:
        if default.option == _NO_CONFIG:
            continue
        argument = own.get(default.option)
        if argument is None:
            _check_elsewhere(default, line, None)
            continue
        try:
            value = _converted(argument, default)
        except UsageError as error:
            if default.is_own:
                raise
            value = _accepted_names(argument, default, line, error)
            if not value:
                continue
        name = argument.destination
        if default.option not in decided and name not in given and default.option not in line.left_out:
            decided.add(default.option)
            if value is not arguments.NO_DEFAULT:
                values[name] = value
                line.used[default.option] = default.origin
                if not default.is_text:
                    taken.append(default)
    if taken:
        line.taken.file = _shown(sources.path)
        line.taken.shown = [_setting(default) for default in taken if default.option in _SHOWN]
        line.taken.others = [_setting(default) for default in taken if default.option not in _SHOWN]
    return values


def _accepted_names(argument: Argument, default: _Default, line: CommandLine, error: UsageError) -> list[Any]:
    """Return what an option accepts of a list of names, whose others are for other commands.

    Raises:
        UsageError: no command accepts one; `error` is why this one does not accept them all.
    """
    if argument.action != "extend":
        _check_elsewhere(default, line, error)
        return []
    value = default.value
    names = value if isinstance(value, list) else arguments.names_of(str(value))
    if not names:
        raise error
    accepted: list[Any] = []
    for name in names:
        one = default._replace(value=name)
        try:
            accepted += _converted(argument, one)
        except UsageError as refused:
            _check_elsewhere(one, line, refused)
    return accepted


def _setting(default: _Default) -> str:
    """Return an option and its value for a line about it."""
    value = default.value
    if value is True:
        return default.option
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{default.option}={shortened(printable(text), _LONGEST)}"


def _of_environment(sources: Sources) -> Iterator[_Default]:
    for name, value in sources.variables.items():
        yield _Default(name.removeprefix(arguments.PREFIX).lower().replace("_", "-"), value, name, True, False)


def _of_table(sources: Sources, line: CommandLine, known: Mapping[str, Argument]) -> Iterator[_Default]:
    """Yield the defaults of a file: those of the command, then those for all; what they name must be known."""
    if not sources.path:
        return
    name = _shown(sources.path)
    table, title = _table(sources, name)
    own: list[_Default] = []
    others: list[_Default] = []
    for key, value in table.items():
        if not isinstance(value, dict):
            others.append(_Default(key, value, f"{name}: {key}", False, False))
        elif key == line.command:
            own = [_Default(one, text, f"{name}: {key}.{one}", False, True) for one, text in value.items()]
        elif key != PROFILES and key not in line.accepted():
            near = near_name(key, line.accepted())
            raise UsageError(f"{name}: [{title}{key}]: there is no command {key}{near}")
    for default in (*own, *others):
        _check_for_tables(default, line, known)
        yield default


def _profiles(sources: Sources) -> Mapping[str, Any]:
    """Return the profiles of merging that a file describes, by name."""
    profiles: object = _table(sources, _shown(sources.path))[0].get(PROFILES, {}) if sources.path else {}
    return profiles if isinstance(profiles, dict) else {}


def _shown(path: str) -> str:
    """Return the path of a file for messages: its name, if it is in the current folder."""
    folder, name = os.path.split(path)
    return name if folder == os.getcwd() else path


def _table(sources: Sources, name: str) -> tuple[Mapping[str, Any], str]:
    """Return the table of a file, and what comes before the names of its own tables."""
    import tomllib

    try:
        content = tomllib.loads(sources.text.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{name}: is not valid TOML: {error}; --no-config leaves it out") from error
    is_project = os.path.basename(sources.path) == "pyproject.toml"
    if not is_project and "tool" not in content:
        return content, ""
    table: object = content
    for key in ("tool", "urisieve"):
        table = table.get(key, {}) if isinstance(table, dict) else None
    if not isinstance(table, dict):
        raise UsageError(f"{name}: tool.urisieve is not a table")
    return table, "tool.urisieve."


def _check_for_tables(default: _Default, line: CommandLine, known: Mapping[str, Argument]) -> None:
    """Check that a key of a table is the name of an option that tables may set.

    To look at other commands, they have to be loaded; so the options of this one, which are known, come first.

    Raises:
        UsageError: it is not.
    """
    if default.option in known:
        found = [known[default.option]]
    else:
        found = [option for option in _options(default, line) if option.long == default.option]
    if not found:
        raise _unknown(default, line)
    if not all(map(is_for_tables, found)):
        instead = f"give --{default.option} on the command line, or {variable_of(default.option)}"
        raise UsageError(f"{default.origin}: a file may not set {default.option}: {instead}")


def _check_elsewhere(default: _Default, line: CommandLine, error: UsageError | None) -> None:
    """Check that another command has an option and accepts its value.

    Raises:
        UsageError: none has, or none does; `error` is why this one does not.
    """
    for option in _options(default, line):
        if option.long == default.option:
            try:
                _converted(option, default)
            except UsageError as other:
                error = error or other
            else:
                return
    raise _unknown(default, line) if error is None else error


def _options(default: _Default, line: CommandLine) -> Iterator[Argument]:
    """Yield the options that a default may be meant for: those of its command, or of all."""
    accepted = line.accepted()
    for some in [accepted[line.command]] if default.is_own else accepted.values():
        for command in some:
            yield from command.options


def _unknown(default: _Default, line: CommandLine) -> UsageError:
    names = {option.long for option in _options(default, line)}
    if default.is_text:
        near = near_name(default.origin, sorted(map(variable_of, names)))
    else:
        near = near_name(default.option, sorted(names))
    return UsageError(f"{default.origin}: there is no option {default.option}{near}")


def _converted(argument: Argument, default: _Default) -> Any:
    """Return the value that a default gives to an option; `NO_DEFAULT` for a flag that is off.

    Raises:
        UsageError: the option does not accept it.
    """
    value = default.value
    if argument.is_flag:
        is_on = _BOOLEANS.get(value) if isinstance(value, str) and default.is_text else value
        if not isinstance(is_on, bool):
            words = "1 nor 0" if default.is_text else "true nor false"
            raise UsageError(f"{default.origin}: {value!r} is neither {words}")
        return argument.settings.get("const", True) if is_on else arguments.NO_DEFAULT
    texts: list[object] = [value]
    if isinstance(value, list):
        if metavar(argument).endswith(",...") and all(isinstance(one, str) for one in value):
            texts = [",".join(value)]
        elif argument.is_list:
            texts = value
    converted = [_of_text(argument, default, text) for text in texts]
    if not argument.is_list:
        return converted[0]
    return [one for some in converted for one in some] if argument.action == "extend" else converted


def _of_text(argument: Argument, default: _Default, value: object) -> Any:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise UsageError(f"{default.origin}: {value!r} is not a text or a number")
    text = str(value)
    settings = argument.settings
    try:
        converted = settings.get("type", str)(text)
    except (TypeError, ValueError) as error:
        kind = str(error) if isinstance(error, UsageError) else f"{text!r} is not accepted"
        raise UsageError(f"{default.origin}: {kind}") from error
    choices = list(map(str, settings.get("choices", ())))
    if choices and converted not in settings["choices"]:
        known = f"use one of {', '.join(choices)}{near_name(text, choices)}"
        raise UsageError(f"{default.origin}: {text!r} is not a choice; {known}")
    return converted
