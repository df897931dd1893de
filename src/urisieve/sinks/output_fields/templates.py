r"""Templates of lines: text with the names of fields in braces, as `{host}\t{path}`.

A field is its name alone: nothing of Python's format strings works here, so that a template can neither reach
attributes nor ask for a gigabyte of blanks.
"""

from __future__ import annotations

from urisieve.errors import UsageError
from urisieve.lean.hints import Final
from urisieve.lean.patterns import lazy_compile
from urisieve.lean.values import NamedTuple
from urisieve.sinks.output_fields.field_table import FIELDS, checked_fields, unknown_field

__all__ = ["Template", "parsed_template"]

_PARTS: Final = lazy_compile(r"(?s)\{\{|\}\}|\{[^{}]*\}|[{}]|\\.?|[^{}\\]+")
_ESCAPES: Final = {"\\t": "\t", "\\n": "\n", "\\\\": "\\"}
_NAME: Final = lazy_compile("[A-Za-z_]+")


class Template(NamedTuple):
    """A template that was checked.

    Attributes:
        text: a format for `%` with one `%s` for each field, and the end of the line.
        names: the name of each field, in order; one may come several times.
        around: the text before each field, and behind the last.
    """

    text: str
    names: tuple[str, ...]
    around: tuple[str, ...]


def parsed_template(template: str) -> Template:
    r"""Return a template for lines.

    >>> parsed_template(r"{{{host}}}\t{path}%").around
    ('{', '}\t', '%\n')

    Args:
        template: text in which `{name}` stands for a field, `{{` and `}}` for braces, and `\t`, `\n` and `\\` for a
            tab, the end of a line and a backslash.

    Raises:
        UsageError: there is no such field, or none is named; a brace is alone; a backslash stands before another
            character.
    """
    if not isinstance(template, str):
        raise UsageError(f"template={template!r} must be a text")
    around: list[str] = [""]
    names: list[str] = []
    for part in _PARTS.findall(template):
        if part in ("{{", "}}"):
            around[-1] += part[0]
        elif part[0] == "\\":
            if part not in _ESCAPES:
                raise UsageError(f"{part} is not an escape of a template; there are \\t, \\n and \\\\")
            around[-1] += _ESCAPES[part]
        elif part in ("{", "}"):
            raise UsageError(f"a {part} stands alone in the template; {part * 2} stands for it")
        elif part[0] == "{":
            names.append(_checked(part[1:-1]))
            around.append("")
        else:
            around[-1] += part
    if not names:
        raise UsageError("the template names no field: a field is its name in braces, as in {uri}")
    checked_fields(dict.fromkeys(names))
    around[-1] += "\n"
    return Template("%s".join(text.replace("%", "%%") for text in around), tuple(names), tuple(around))


def _checked(name: str) -> str:
    if name in FIELDS:
        return name
    if not _NAME.fullmatch(name):
        raise UsageError(f"{{{name}}} is not the name of a field: a field takes no `.`, `!`, `:` or `[`")
    raise UsageError(unknown_field(name))
