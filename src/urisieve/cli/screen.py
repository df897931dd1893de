"""Lines of records at a terminal: nothing in them drives it, and identifiers are in colours if wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from urisieve.cli.settings.output_arguments import Color, is_colored, is_terminal, shows_output
from urisieve.lean import TYPE_CHECKING, Final, lazy_compile
from urisieve.sinks.byte_output import Output, OutputOnto
from urisieve.sinks.record_formats import of_kind
from urisieve.wording import escaped

if TYPE_CHECKING:
    from urisieve.cli.settings.extract_arguments import ExtractSettings


# SGR parameters (ECMA-48 8.3.117).
_DIM: Final = "2"
_BOLD: Final = "1"
_RED: Final = "31"
# Scheme with what precedes the host, and the host (RFC 3986 3), defanged ones too; else the scheme alone.
_IDENTIFIER: Final = lazy_compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*+(?:://|\[://\]))(?P<user>[^/?#@\s]*@)?"
    r"(?P<host>\[[0-9A-Fa-fv:.]+\]|(?:[^/?#:\s\[]|\[\.\])*)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9+.\-]*+(?::|\[:\]))"
)

Painter = Callable[[str], str]


def _painted(sgr: str, text: str) -> str:
    """Return a text in a colour or weight."""
    return f"\x1b[{sgr}m{text}\x1b[0m" if text else text


def identifier_painter(text: str) -> str:
    """Return an identifier with a dim scheme and a bold host."""
    found = _IDENTIFIER.match(text)
    if found is None:
        return text
    rest = text[found.end() :]
    if found["name"]:
        return f"{_painted(_DIM, found['name'])}{rest}"
    return f"{_painted(_DIM, found['scheme'])}{found['user'] or ''}{_painted(_BOLD, found['host'])}{rest}"


# The last line of `Rejection.explain`.
_REASON: Final = lazy_compile(r"[a-z0-9-]+ in [a-z-]+ at [0-9]+: ")
_VALID: Final = "valid  "


def verdict_painter(line: str) -> str:
    """Return a line of `urisieve check` with the reason in red, or the identifier as `identifier_painter` has it."""
    if line.startswith(_VALID):
        return f"{_VALID}{identifier_painter(line.removeprefix(_VALID))}"
    return _painted(_RED, line) if _REASON.match(line) else line


_OF_FIELD: Final[dict[str, Painter]] = {
    **dict.fromkeys(("uri", "iri", "surt", "raw", "key"), identifier_painter),
    **dict.fromkeys(("host", "domain"), lambda text: _painted(_BOLD, text)),
    "scheme": lambda text: _painted(_DIM, text),
}


class Screen(OutputOnto):
    """Passes lines on to an output that a terminal shows, with what would drive it as escapes.

    Args:
        output: the output.
        paint: returns a line, whose characters do no harm, in colours; None for no colours.
    """

    def __init__(self, output: Output, paint: Painter | None) -> None:
        super().__init__(output)
        self._paint = paint

    def write(self, data: bytes) -> None:
        """See `Output.write`."""
        text = escaped(data.decode("utf-8", "backslashreplace"))
        if self._paint is not None:
            text = "\n".join(map(self._paint, text.split("\n")))
        self.output.write(text.encode())


def shown_output(output: Output, settings: ExtractSettings) -> Output:
    """Return the output of records as it is to be used: files and pipes stay as they are."""
    to_terminal = shows_output(settings.output)
    asked = settings.color is Color.ALWAYS
    kind = of_kind(settings.format)
    if kind.is_file or not (to_terminal or asked):
        return output
    colors = kind.is_text and (asked or (to_terminal and is_colored(settings.color)))
    return Screen(output, _painter(settings) if colors else None)


def text_screen(output: Output, color: Color, paint: Painter | None, *, is_report: bool = False) -> Output:
    """Return standard output as it is to be used for lines; a pipe stays as it is unless colours are asked for."""
    colored = paint is not None and is_colored(color, is_report=is_report)
    return Screen(output, paint if colored else None) if colored or is_terminal() else output


def _painter(settings: ExtractSettings) -> Painter | None:
    """Return what paints the lines of text output."""
    if settings.template is not None:
        return None
    if not settings.fields:
        form = settings.form
        return _OF_FIELD[str(form)]
    return _row_painter(settings.fields)


def _row_painter(fields: Sequence[str]) -> Painter:
    painters = [_OF_FIELD.get(name, str) for name in fields]

    def paint(line: str) -> str:
        cells = line.split("\t")
        if len(cells) != len(painters):
            return line
        return "\t".join([painter(cell) for painter, cell in zip(painters, cells, strict=True)])

    return paint
