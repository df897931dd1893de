"""Draw docs/images/architecture.svg: the rooms of the package on their floors, by the imports of its modules.

Use: python tools/draw_architecture.py
A room is a folder of `src/urisieve` or a module beside them, or a few of these. Rooms and floors are listed here, in
the order of `WINGS` of tests/project/test_layers.py. Their descriptions are first lines of docstrings. Their sizes are
not shown (`tools/measure_house.py` prints them), so that only a change of rooms, descriptions or imports changes the
picture. The package is read, not run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

import measure_house

ROOT: Final = Path(__file__).resolve().parent.parent
PICTURE: Final = ROOT / "docs" / "images" / "architecture.svg"
_LAYERS: Final = ROOT / "tests" / "project" / "test_layers.py"


class Room(NamedTuple):
    """A room of the picture.

    Attributes:
        title: what is written over it.
        wings: the folders and modules in it; the first one describes it.
        left: where its box begins.
        right: where its box ends.
        names: whether its description is the names of the modules in it.
    """

    title: str
    wings: tuple[str, ...]
    left: int
    right: int
    names: bool = False


class Floor(NamedTuple):
    """A floor of the picture: its caption in lines, and the lines of text that fit in its boxes beside the titles."""

    caption: tuple[str, ...]
    lines: int
    rooms: tuple[Room, ...]


_LEFT, _RIGHT, _EDGE, _CHANNEL = 92, 770, 790, 238
# From the top down. The edge of some rooms is farther to the right, where the way of the data rises through them.
FLOORS: Final = (
    Floor(
        ("public", "names"),
        1,
        (Room("urisieve, types, options", ("__init__", "types", "options", "__main__"), _LEFT, _RIGHT),),
    ),
    Floor(
        ("command", "and engines"),
        2,
        (
            Room("spark, scrapy", ("spark", "scrapy"), _LEFT, 214),
            Room("sql, sqlite, duckdb", ("sql", "sqlite", "duckdb"), 226, 410),
            Room("rewriting, logs", ("rewriting", "logs"), 422, 560),
            Room("cli", ("cli",), 572, _RIGHT),
        ),
    ),
    Floor(
        ("files, data", "sets, keys,", "outputs"),
        3,
        (
            Room("files", ("files",), _LEFT, 212),
            Room("arrow", ("arrow",), 224, 332),
            Room("data_sets", ("data_sets",), 344, 476),
            Room("dedupe", ("dedupe",), 488, 600),
            Room("sinks", ("sinks",), 612, _EDGE),
        ),
    ),
    Floor(
        ("from files", "to batches"),
        1,
        (
            Room("sources", ("sources",), _LEFT, 624),
            Room("runs", ("runs",), 636, _EDGE),
        ),
    ),
    Floor(
        ("calls", "on text"),
        2,
        (
            Room("identifiers", ("identifiers",), _LEFT, 226),
            Room("streams", ("streams",), 250, 500),
            Room("explanation, testing", ("explanation", "testing"), 514, _RIGHT),
        ),
    ),
    Floor(
        ("from text", "to batches"),
        3,
        (
            Room("options", ("finding_options", "merging"), _LEFT, 226),
            Room("find", ("find",), 250, 420),
            Room("judge", ("judge",), 434, 604),
            Room("records", ("records",), 618, _EDGE),
        ),
    ),
    Floor(
        ("facts",),
        2,
        (Room("rules", ("rules",), _LEFT, 424), Room("syntax", ("syntax",), 438, _RIGHT)),
    ),
    Floor(
        ("ground",),
        1,
        (
            Room(
                "base",
                ("codes", "errors", "shapes", "wording", "lean", "quick_enums", "_version"),
                _LEFT,
                424,
                names=True,
            ),
            Room("kernel", ("kernel", "_kernel"), 438, _RIGHT),
        ),
    ),
)
# The stages inside of `sources`, by folder; the other folders are readers, and the modules beside them the frame.
_STAGES: Final = {"bytes": "bytes", "containers": "kind"}
_READER, _FRAME = "reader", "segments"
# The rooms that the data comes through.
_ON_THE_WAY: Final = frozenset(("sources", "runs", "find", "judge", "records", "sinks"))


def wings() -> tuple[str, ...]:
    """Return the order of the folders and modules, from the bottom up, as the test of the layers states it."""
    for node in ast.parse(_LAYERS.read_text("utf-8")).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="WINGS")], value=ast.Tuple(elts=parts)):
                groups = [ast.literal_eval(part.value if isinstance(part, ast.Starred) else part) for part in parts]
                return tuple(name for group in groups for name in ((group,) if isinstance(group, str) else group))
    raise AssertionError("no WINGS")


class House(measure_house.House):
    """The package with its rooms.

    Raises:
        AssertionError: the floors are not those of `WINGS`.
    """

    def __init__(self) -> None:
        super().__init__(ROOT)
        order = wings()
        first = 0
        for floor in reversed(FLOORS):
            names = {name for room in floor.rooms for name in room.wings}
            expected = set(order[first : first + len(names)])
            if names != expected:
                raise AssertionError(f"floor {' '.join(floor.caption)}: {sorted(names ^ expected)} differ from WINGS")
            first += len(names)
        if first != len(order):
            raise AssertionError(f"no room for {order[first:]}")

    def of(self, room: Room) -> Iterator[measure_house.Module]:
        """Yield the modules of a room."""
        return (module for name, module in self.modules.items() if name.partition("/")[0] in room.wings)

    def description(self, name: str) -> str:
        """Return the first line of the docstring of a folder or module."""
        module = self.modules[f"{name}/__init__" if f"{name}/__init__" in self.modules else name]
        return (ast.get_docstring(module.tree) or "").partition("\n")[0].replace("`", "")

    @cached_property
    def imports(self) -> set[tuple[str, str]]:
        """The rooms of which modules of one import from the other, by their titles."""
        rooms = {wing: room.title for floor in FLOORS for room in floor.rooms for wing in room.wings}
        found = set()
        for name, module in self.modules.items():
            for node in ast.walk(module.tree):
                if isinstance(node, ast.ImportFrom):
                    package, *inside = (node.module or "").split(".")
                    if package == "urisieve":
                        names = inside[:1] or [alias.name for alias in node.names]
                        found |= {(rooms[name.partition("/")[0]], rooms[one]) for one in names if one in rooms}
        return found


_STYLE: Final = """
  .ground { fill: #ffffff; stroke: #d0d7de; }
  .room { fill: #f6f8fa; stroke: #d0d7de; }
  .way { fill: #e6f3f9; stroke: #8cc3dc; }
  .inner { fill: #ffffff; stroke: #b5d8e8; }
  text { fill: #1f2328; font: 12px system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif; }
  .title { font-size: 13.5px; font-weight: 600; }
  .note { fill: #59636e; }
  .stage { fill: #ffffff; font-weight: 600; }
  .data { fill: none; stroke: #0b6e99; stroke-width: 4; stroke-linejoin: round; stroke-linecap: round; }
  .mark { fill: #0b6e99; }
  .import { fill: none; stroke: #9aa4ae; }
  .head { fill: #9aa4ae; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; stroke: #3d444d; }
    .room { fill: #151b23; stroke: #3d444d; }
    .way { fill: #10293a; stroke: #2b6583; }
    .inner { fill: #0d1117; stroke: #2b6583; }
    text { fill: #f0f6fc; }
    .note { fill: #9198a1; }
    .stage { fill: #0d1117; }
    .data { stroke: #4cb3dd; }
    .mark { fill: #4cb3dd; }
    .import { stroke: #656f7a; }
    .head { fill: #656f7a; }
  }
"""
_WIDTH: Final = 804
_TOP: Final = 66
_GAP: Final = 26
_LINE: Final = 16
_LANE: Final = 30
_PAD: Final = 11
_CHARACTER: Final = 6.65  # the mean width of a character in a wide font
# The height and the widths of the boxes in `sources`.
_INNER: Final = 120
_WIDTHS: Final = (102, 136, 120, 124)


def _wrapped(text: str, width: float, most: int) -> list[str]:
    """Return as many clauses of a description as fit in so many lines of so many pixels."""
    text = text.rstrip(".")
    ends = [*re.finditer(r", with(?= )|[:;,](?= )|$", text)]
    for end in reversed(ends):
        lines = [""]
        for word in (text[: end.start()] + ("\N{NO-BREAK SPACE}…" if end[0] == "," else "")).split(" "):
            longer = f"{lines[-1]} {word}".strip()
            if len(longer) * _CHARACTER <= width:
                lines[-1] = longer
            else:
                lines.append(word)
        if len(lines) <= most:
            return lines
    return [*lines[: most - 1], f"{lines[most - 1]} …"]


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _box(kind: str, left: float, top: float, right: float, bottom: float) -> str:
    return f'<rect class="{kind}" x="{left:g}" y="{top:g}" width="{right - left:g}" height="{bottom - top:g}" rx="6"/>'


def _pill(x: float, y: float, text: str) -> str:
    """Return the name of a stage, on the way of the data, around a point."""
    width = len(text) * 7 + 18
    return f'<rect class="mark" x="{x - width / 2:g}" y="{y - 10:g}" width="{width:g}" height="20" rx="10"/>' + _text(
        "stage", x, y + 4, text, "middle"
    )


class _Drawing:
    """The parts of the picture, from the back to the front, and where the boxes are."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.boxes: list[str] = []
        self.stages: dict[str, float] = {}  # the middles of those in `sources`
        self.place: dict[str, tuple[float, float, float, float]] = {}
        y: float = _TOP
        for floor in FLOORS:
            y = self._floor(floor, y) + _GAP
        self.height = y - _GAP + 16

    def _floor(self, floor: Floor, top: float) -> float:
        titles = {room.title for room in floor.rooms}
        has_lane = bool(titles & {"sinks", "find"})
        height = 26 + floor.lines * _LINE + 6 + (_LANE if has_lane else 0)
        if "sources" in titles:
            height = 26 + _LINE + 6 + _INNER + 10
        bottom = top + height
        for number, line in enumerate(floor.caption):
            y = (top + bottom) / 2 + 4 + (number - (len(floor.caption) - 1) / 2) * 14
            self.boxes.append(_text("note", 14, y, line))
        for room in floor.rooms:
            self._room(room, floor.lines, top, bottom)
        return bottom

    def _room(self, room: Room, lines: int, top: float, bottom: float) -> None:
        self.place[room.title] = (room.left, top, room.right, bottom)
        right = min(room.right, _RIGHT - 4 if room.right == _EDGE else _EDGE)
        self.boxes.append(_box("way" if room.title in _ON_THE_WAY else "room", room.left, top, room.right, bottom))
        self.boxes.append(_text("title", room.left + _PAD, top + 20, room.title))
        text = ", ".join(name for name in room.wings if name[0] != "_")
        if not room.names:
            text = self.house.description(room.wings[0])
        if room.title == "runs":
            lines = 5
        for number, line in enumerate(_wrapped(text, right - room.left - 2 * _PAD + 4, lines)):
            self.boxes.append(_text("note", room.left + _PAD, top + 37 + number * _LINE, line))
        if room.title == "sources":
            self._stages(room, bottom - _INNER - 10)

    def _stages(self, room: Room, top: float) -> None:
        """Draw the stages in `sources`."""
        inner: dict[str, list[str]] = {stage: [] for stage in (*_STAGES.values(), _READER, _FRAME)}
        for module in self.house.of(room):
            _, folder, *rest = module.name.split("/")
            stage = _STAGES.get(folder, _READER) if rest else _FRAME
            if rest and folder not in inner[stage]:
                inner[stage].append(folder)
        left = room.left + 10
        for (stage, folders), width in zip(inner.items(), _WIDTHS, strict=True):
            self.boxes.append(_box("inner", left, top, left + width, top + _INNER))
            text = self.house.description(f"sources/{folders[0]}") if len(folders) == 1 else ", ".join(folders)
            if stage == _FRAME:
                text = self.house.description("sources/segments")
            title = "readers" if stage == _READER else "segments" if stage == _FRAME else folders[0]
            self.boxes.append(_text("title", left + 8, top + 18, title))
            for line_number, line in enumerate(_wrapped(text, width - 12, 4)):
                self.boxes.append(_text("note", left + 8, top + 35 + line_number * 15, line))
            self.stages[stage] = left + width / 2
            left += width + 10

    def data(self) -> str:
        """Return the way of the data."""
        sources, runs = self.place["sources"], self.place["runs"]
        find, records, sinks = self.place["find"], self.place["records"], self.place["sinks"]
        upper = sources[3] - 10 - 16
        lower = find[3] - 18
        last = sinks[3] - 18
        rising = _EDGE - 11
        turn = runs[0] + 28
        gap = sources[3] + _GAP / 2
        target = sinks[0] + 38
        path = f"M{_LEFT - 12} {upper:g} H{turn} V{gap:g} H{_CHANNEL} V{lower:g} H{rising} V{last:g} H{target}"
        parts = [f'<path class="data" d="{path}"/>', f'<circle class="mark" cx="{_LEFT - 12}" cy="{upper:g}" r="6"/>']
        middle = (sources[3] + find[1]) / 2
        parts.append(f'<path class="mark" d="M{_CHANNEL - 8} {middle - 6:g} h16 l-8 13 z"/>')
        parts.append(f'<path class="mark" d="M{rising - 8} {middle + 6:g} h16 l-8 -13 z"/>')
        parts += [_pill(x, upper, stage) for stage, x in self.stages.items()]
        parts.append(_pill((find[0] + find[2]) / 2, lower, "search"))
        parts.append(_pill((records[0] + _RIGHT) / 2, lower, "batch"))
        parts.append(_pill(target, last, "sink"))
        return "\n".join(parts)

    def arrows(self) -> str:
        """Return the imports between rooms of neighbouring floors."""
        parts: list[str] = []
        for upper, lower in pairwise(FLOORS):
            for above in upper.rooms:
                for below in lower.rooms:
                    if (above.title, below.title) in self.house.imports:
                        parts += self._arrow(self.place[above.title], self.place[below.title])
        return "\n".join(parts)

    def _arrow(self, above: tuple[float, ...], below: tuple[float, ...]) -> Iterator[str]:
        left, right = max(above[0], below[0]), min(above[2], below[2])
        if right - left < 24:
            return
        x = (left + right) / 2
        yield f'<path class="import" d="M{x:g} {above[3]:g} V{below[1] - 5:g}"/>'
        yield f'<path class="head" d="M{x - 4:g} {below[1] - 8:g} h8 l-4 7 z"/>'


def drawn() -> str:
    """Return the picture. Its ground is its own, so that it can be read on any page."""
    house = House()
    drawing = _Drawing(house)
    height = drawing.height
    label = "; ".join(f"{' '.join(floor.caption)}: {', '.join(room.title for room in floor.rooms)}" for floor in FLOORS)
    body = "\n".join((drawing.arrows(), *drawing.boxes, drawing.data()))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:g}" width="{_WIDTH}" '
        f'height="{height:g}" role="img" aria-labelledby="title description">\n'
        '<title id="title">The rooms of urisieve and the way of the data</title>\n'
        f'<desc id="description">From the top down: {escape(label)}. The data goes from bytes to kind, reader and '
        "segments in sources, by runs to the search in find and judge, and as a batch of records to a sink.</desc>\n"
        f"<style>{_STYLE}</style>\n"
        f'<rect class="ground" x="0.5" y="0.5" width="{_WIDTH - 1}" height="{height - 1:g}" rx="8"/>\n'
        + _text("title", 14, 28, "A module imports from its own floor and from those below it")
        + "\n"
        + _text("note", 14, 47, "Bold: the way of the data. Thin: imports between neighbours.")
        + f"\n{body}\n</svg>\n"
    )


def main() -> None:
    """Draw the picture."""
    PICTURE.write_text(drawn(), "utf-8")


if __name__ == "__main__":
    main()
