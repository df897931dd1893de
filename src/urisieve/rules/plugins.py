"""Rows that other installed packages add, by the entry points of `GROUPS`.

An entry point names a row, a tuple or list of rows, or a callable without arguments that returns one of these. Entry
points are looked up once in a process, when a name that is not built in is first used, or when a search begins. A row
that cannot be used is reported and left out; all others are used.

This module reads the same files as `importlib.metadata`, in the same way, in 0.4 ms. The import of `importlib.metadata`
takes 35 ms and more at every start of the command (CPython 3.11), so it is used only if an archive on the path, or an
importer that is not of the standard library, may contain distributions.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache, reduce

from urisieve.errors import PluginError
from urisieve.lean import Any, Final, NamedTuple, TypeVar, lazy_compile

Row = TypeVar("Row")

GROUPS: Final = ("urisieve.schemes", "urisieve.namespaces", "urisieve.readers")
_METADATA: Final = (".dist-info", ".egg-info")
_SEPARATORS: Final = lazy_compile("[-_.]+")
# The value of an entry point, by the specification of entry points: a module, then the attributes that lead to the
# object. Extras are ignored.
_VALUE: Final = r"([\w.]+)\s*+(?::\s*+([\w.]+)\s*+)?(?:\[[^\[\]]*\]\s*)?"
# The identifiers of the threads that are loading plug-ins.
_loading: Final[set[int]] = set()


class EntryPoint(NamedTuple):
    """An entry point that a distribution declares: the names of both, and `module:attribute`."""

    distribution: str
    name: str
    value: str

    def __str__(self) -> str:
        return f"entry point {self.name!r} of {self.distribution}"


class _Guarded:
    """A function of a row, whose exceptions become a `PluginError` that names its origin; it equals that function."""

    __slots__ = ("_function", "_whose")

    def __init__(self, function: Callable[..., Any], whose: str) -> None:
        self._function = function
        self._whose = whose

    def __call__(self, *given: object) -> Any:
        try:
            return self._function(*given)
        except Exception as error:
            reported = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise PluginError(f"{self._whose} fails ({reported}); correct it, or uninstall its distribution") from error

    def __eq__(self, other: object) -> bool:
        return self._function == (other._function if isinstance(other, _Guarded) else other)

    def __hash__(self) -> int:
        return hash(self._function)

    def __reduce__(self) -> tuple[object, ...]:
        return _Guarded, (self._function, self._whose)


def guarded(row: object, names: Iterable[str], origin: EntryPoint) -> dict[str, Any]:
    """Wrap the functions of the row of a plug-in, so that each of their exceptions becomes a `PluginError`."""
    functions = {name: getattr(row, name) for name in names}
    whose = f"{origin}: {getattr(row, 'name', '')}"
    return {name: None if one is None else _Guarded(one, f"{whose}.{name}") for name, one in functions.items()}


def _warn(message: str) -> None:
    import warnings

    warnings.warn(message, RuntimeWarning, stacklevel=2)


_tell: Callable[[str], None] = _warn
_reported: Final[dict[str, object]] = {}


def tell_to(tell: Callable[[str], None]) -> None:
    """Choose the function that reports a row that cannot be used, in one line; by default a `RuntimeWarning` does."""
    global _tell
    _tell = tell


def _report(message: str) -> None:
    """Report something once, although two threads may load the rows of a group at the same time."""
    own = object()
    if _reported.setdefault(message, own) is own:
        _tell(message)


def added(
    group: str, kind: type[Row], name_of: Callable[[Row], str], fault: Callable[[Row], str | None]
) -> list[tuple[Row, EntryPoint]]:
    """Return the rows of a group, each with its entry point, in the order of distributions and entry points.

    Args:
        group: one of `GROUPS`.
        kind: the type of a row.
        name_of: returns the name of a row; of two rows of one name, the first is used.
        fault: returns what is wrong with a row, or None.

    Raises:
        RuntimeError: a plug-in needs the rows while it is being loaded, when they are not known yet.
    """
    points = _entry_points().get(group)
    if not points:
        return []
    from threading import get_ident

    if get_ident() in _loading:
        raise RuntimeError("a plug-in of urisieve must not judge identifiers while it is loaded")
    _loading.add(get_ident())
    try:
        return _usable(points, kind, name_of, fault)
    finally:
        _loading.discard(get_ident())


def _usable(
    points: list[EntryPoint], kind: type[Row], name_of: Callable[[Row], str], fault: Callable[[Row], str | None]
) -> list[tuple[Row, EntryPoint]]:
    found: dict[str, tuple[Row, EntryPoint]] = {}
    for point in points:
        try:
            given = _given(point, kind)
        except (Exception, SystemExit) as error:  # the import of a plug-in may raise anything
            message = " ".join(str(error).split())
            _report(f"{point} cannot be loaded and is left out: {type(error).__name__}: {message}")
            continue
        for row in given:
            if not isinstance(row, kind):
                wrong: str | None = f"{row!r:.80} is not a {kind.__name__}"
            else:
                wrong = fault(row)
                if wrong is None and name_of(row) in found:
                    wrong = f"{name_of(row)!r} is already defined by {found[name_of(row)][1]}"
                if wrong is None:
                    found[name_of(row)] = (row, point)
            if wrong is not None:
                _report(f"a row of {point} is left out: {wrong}")
    return list(found.values())


def _given(point: EntryPoint, kind: type[object]) -> list[object]:
    from importlib import import_module

    match = re.fullmatch(_VALUE, point.value)
    if match is None:
        raise ImportError(f"{point.value!r} is not of the form `module:attribute`")
    module, attributes = match.groups()
    found: object = reduce(getattr, attributes.split(".") if attributes else (), import_module(module))
    if callable(found) and not isinstance(found, kind):
        found = found()
    return list(found) if type(found) in (tuple, list) else [found]  # type: ignore[call-overload] # a row is a named tuple


@cache
def _entry_points() -> dict[str, list[EntryPoint]]:
    """Return the entry points of `GROUPS`, sorted; of two distributions of one name, the first on the path is used."""
    points: set[tuple[str, EntryPoint]] = set()
    seen: set[str] = set()
    roots = [root for root in sys.path if isinstance(root, str)]
    if any(map(os.path.isfile, roots)) or any(map(_finds_distributions, sys.meta_path)):
        from importlib.metadata import distributions

        for one in distributions():
            name = _normal(one.metadata["Name"] or "")
            if name not in seen:
                seen.add(name)
                points |= {
                    (point.group, EntryPoint(name, point.name, point.value))
                    for point in one.entry_points
                    if point.group in GROUPS
                }
    else:
        for root in roots:
            for name, folder in _distributions(root or os.curdir):
                if name not in seen:
                    seen.add(name)
                    points.update(_declared(name, os.path.join(folder, "entry_points.txt")))
    return {group: sorted(point for other, point in points if other == group) for group in GROUPS}


def _normal(name: str) -> str:
    return (name if name.isalnum() else _SEPARATORS.sub("-", name)).lower()


def _finds_distributions(finder: object) -> bool:
    """Report whether an importer is not of the standard library and finds distributions."""
    own = getattr(finder, "__module__", "") in ("_frozen_importlib", "_frozen_importlib_external")
    return not own and hasattr(finder, "find_distributions")


def _distributions(root: str) -> Iterator[tuple[str, str]]:
    """Yield the distributions in a folder of the path: name and folder of metadata."""
    try:
        entries = os.listdir(root)
    except (OSError, ValueError):  # it does not exist, or is not a path
        return
    in_egg = root.lower().endswith(".egg")
    for entry in entries:
        lower = entry.lower()
        if lower.endswith(_METADATA):
            yield _normal(os.path.splitext(entry)[0].partition("-")[0]), os.path.join(root, entry)
        elif in_egg and lower == "egg-info":
            yield _normal(os.path.basename(root).partition("-")[0]), os.path.join(root, entry)


def _declared(distribution: str, path: str) -> Iterator[tuple[str, EntryPoint]]:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:  # most distributions have no entry points
        return
    if b"[urisieve." not in content:
        return
    group = ""
    for line in content.decode("utf-8", "replace").splitlines():
        text = line.strip()
        if text.startswith("[") and text.endswith("]"):
            group = text.strip("[]")
        elif text and not text.startswith("#") and group in GROUPS:
            name, _, value = text.partition("=")
            yield group, EntryPoint(distribution, name.strip(), value.strip())
