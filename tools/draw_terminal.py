"""Draw docs/images/terminal.svg: commands of urisieve as a terminal shows them, run on the samples.

Use: python tools/draw_terminal.py
The commands run in a pseudo-terminal, so that they show their colours. The picture refers to nothing outside.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple
from unicodedata import east_asian_width
from xml.sax.saxutils import escape

ROOT: Final = Path(__file__).resolve().parent.parent
PICTURE: Final = ROOT / "docs" / "images" / "terminal.svg"
COMMANDS: Final = (
    "urisieve extract --quiet samples/mail.mbox | head -7",
    "urisieve count --quiet --spellings 9 --min-count 2 samples/disguised.txt | head -7",
    "urisieve explain HTTP://EXAMPLE.com:80/%7Ejoe/../a",
    "urisieve check http://example.com/100%zz 'http://example.com/?a[0]=1'",
)
COLUMNS: Final = 108

_GROUND: Final = "#16191f"
_TEXT: Final = "#d7dce2"
# black to white, and the bright ones, as two letters each of red, green and blue
_DARK: Final = "#6b7480#ff7b72#7ee787#e3b341#79b8ff#d2a8ff#56d4dd#d7dce2"
_BRIGHT: Final = "#8b949e#ffa198#a5f0b0#f2cc60#a5d6ff#e2c5ff#8be9f0#ffffff"
_COLOURS: Final = {
    first + number: colours[7 * number : 7 * number + 7]
    for first, colours in ((30, _DARK), (90, _BRIGHT))
    for number in range(8)
}
_WIDTH: Final = 8.4  # of a column, in the units of the picture
_HEIGHT: Final = 19.0
_EDGE: Final = 18.0


class Style(NamedTuple):
    """How characters look."""

    colour: str = _TEXT
    bold: bool = False
    faint: bool = False
    underline: bool = False


class Piece(NamedTuple):
    """Characters of one look, and the column at which they begin."""

    column: int
    text: str
    style: Style


def output(command: str, folder: Path) -> str:
    """What a command writes on a terminal, standard error included."""
    leader, follower = pty.openpty()
    program = folder / "urisieve"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m urisieve "$@"\n', "utf-8")
    program.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment |= {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "TERM": "xterm-256color",
        "COLUMNS": str(COLUMNS),
        "LANG": "C.UTF-8",
    }
    process = subprocess.Popen(
        ["bash", "-c", command], cwd=ROOT, env=environment, stdin=follower, stdout=follower, stderr=follower
    )
    os.close(follower)
    parts = []
    try:
        while part := os.read(leader, 65_536):
            parts.append(part)
    except OSError:  # the other side of a pseudo-terminal is closed
        pass
    os.close(leader)
    process.wait()
    return b"".join(parts).decode("utf-8").replace("\r\n", "\n")


def _styled(codes: str, style: Style) -> Style:
    for code in (int(code or 0) for code in codes.split(";")):
        if code == 0:
            style = Style()
        elif code == 1:
            style = style._replace(bold=True)
        elif code == 2:
            style = style._replace(faint=True)
        elif code == 4:
            style = style._replace(underline=True)
        elif code == 22:
            style = style._replace(bold=False, faint=False)
        elif code == 24:
            style = style._replace(underline=False)
        elif code == 39:
            style = style._replace(colour=_TEXT)
        elif code in _COLOURS:
            style = style._replace(colour=_COLOURS[code])
        else:
            raise ValueError(f"the colour {code} is not known to this tool")
    return style


def _width(text: str) -> int:
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def lines(text: str) -> Iterator[list[Piece]]:
    """The lines of what a terminal was sent, each as pieces of one look; long ones are wrapped.

    Raises:
        ValueError: it holds a control sequence that is not about looks.
    """
    style = Style()
    for line in text.removesuffix("\n").split("\n"):
        column = 0
        pieces: list[Piece] = []
        for number, part in enumerate(re.split(r"\x1b\[([\d;]*)m", line)):
            if number % 2:
                style = _styled(part, style)
                continue
            if not part.replace("\t", "").isprintable():
                raise ValueError(f"{part!r} holds a control character")
            rest = part.expandtabs(8) if column == 0 else part
            while rest:
                room = COLUMNS - column
                here, rest = rest[:room], rest[room:]
                pieces.append(Piece(column, here, style))
                column += _width(here)
                if rest:
                    yield pieces
                    pieces, column = [], 0
        yield pieces


def drawn(rows: list[list[Piece]]) -> str:
    """The picture of lines; each piece has the width of its columns, whatever font there is."""
    width = 2 * _EDGE + COLUMNS * _WIDTH
    top = 44.0
    height = top + len(rows) * _HEIGHT + _EDGE
    parts = []
    for number, row in enumerate(rows):
        y = top + number * _HEIGHT + 13
        for piece in row:
            text = piece.text.rstrip(" ")
            if not text:
                continue
            lead = len(text) - len(text.lstrip(" "))
            x = _EDGE + (piece.column + lead) * _WIDTH
            text = text.lstrip(" ")
            look = f' fill="{piece.style.colour}"' if piece.style.colour != _TEXT else ""
            look += ' font-weight="700"' if piece.style.bold else ""
            look += ' opacity="0.7"' if piece.style.faint else ""
            look += ' text-decoration="underline"' if piece.style.underline else ""
            length = _width(text) * _WIDTH
            parts.append(f'<text x="{x:.1f}" y="{y:.1f}" textLength="{length:.1f}"{look}>{escape(text)}</text>')
    dots = "".join(
        f'<circle cx="{_EDGE + 6 + 20 * number:.0f}" cy="20" r="6" fill="{colour}"/>'
        for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    commands = "; ".join(COMMANDS)
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-labelledby="title description">\n'
        f'<title id="title">urisieve in a terminal</title>\n<desc id="description">The output of: {escape(commands)}'
        f"</desc>\n<style>text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "
        f'"Liberation Mono", "DejaVu Sans Mono", monospace; white-space: pre; }}</style>\n'
        f'<rect x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1:.0f}" rx="10" fill="{_GROUND}" '
        f'stroke="#444c56"/>\n{dots}\n<g fill="{_TEXT}">\n{body}\n</g>\n</svg>\n'
    )


def picture() -> str:
    """The picture of all commands with what they write."""
    rows: list[list[Piece]] = []
    prompt = Style(_COLOURS[32], bold=True)
    with tempfile.TemporaryDirectory() as temporary:
        for command in COMMANDS:
            if rows:
                rows.append([])
            first, *more = next_lines(command)
            rows.append([Piece(0, "$", prompt), Piece(2, first, Style(_COLOURS[97], bold=True))])
            rows += [[Piece(2, line, Style(_COLOURS[97], bold=True))] for line in more]
            rows += lines(output(command, Path(temporary)))
    return drawn(rows)


def next_lines(command: str) -> list[str]:
    """A command as it stands behind the prompt, broken where the terminal ends."""
    room = COLUMNS - 2
    return [command[start : start + room] for start in range(0, len(command), room)]


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(picture(), "utf-8")


if __name__ == "__main__":
    main()
