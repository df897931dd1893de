"""The shapes of arguments: what is a text, pieces of one, many texts, a path, a number. Public calls check them here.

Each function takes the name of the argument and what was given. It returns what fits; for anything else it raises a
`UsageError`, which names the argument, shows what was given, and says what to give or to call instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import EllipsisType

from urisieve.errors import UsageError
from urisieve.lean import Any, Final, TypeVar
from urisieve.wording import in_order

_One = TypeVar("_One")
# What a call for one identifier returns in place of a value.
Default = TypeVar("Default")
# The types of what pandas writes for a missing value.
_NULLS: Final = frozenset(("NAType", "NaTType"))
# The most characters of a value that a message shows.
_LONGEST: Final = 80
_BYTES: Final = (bytes, bytearray, memoryview)


def is_null(value: object) -> bool:
    """Report whether a value stands for one that is missing: None, a float that is no number, NA or NaT of pandas."""
    if isinstance(value, float):
        return value != value
    return value is None or type(value).__name__ in _NULLS


def wrong(name: str, value: object, wanted: str) -> UsageError:
    """Return the error of an argument that must be something else.

    Args:
        name: the name of the argument.
        value: what was given.
        wanted: what it must be, and what to call instead.
    """
    return UsageError(
        f"{name} must be {wanted}, not {shown(value)}" if " " in name else f"{name}={shown(value)} must be {wanted}"
    )


def shown(value: object) -> str:
    """Return a short `repr` of a value of any size; the type of what may contain a password, or fills several lines."""
    from reprlib import Repr  # for errors alone

    short = Repr()
    short.maxstring = short.maxother = _LONGEST
    short.maxlist = short.maxtuple = 3
    try:
        first = bytes(value[:_LONGEST]) if isinstance(value, _BYTES) else value
        # A short `repr` may leave out the sign of a password, or all ends of the lines of a table.
        is_hidden = "@" in first if isinstance(first, str) else b"@" in first if isinstance(first, bytes) else False
        given = "" if is_hidden or is_frame(value) else short.repr(first)
    except Exception:  # of an object of others
        given = ""
    is_plain = 0 < len(given) <= 3 * _LONGEST and "@" not in given and "\n" not in given
    return given if is_plain else f"<{type(value).__name__}>"


def not_a_string(name: str, value: object) -> UsageError:
    """Return the error of an argument that must be a string."""
    hint = ""
    if isinstance(value, _BYTES):
        hint = ": decode it first"
    elif hasattr(value, "uri"):  # a record
        hint = ": give its uri or its raw text"
    return wrong(name, value, f"a string{hint}")


def not_an_identifier(name: str, value: object) -> UsageError:
    """Return the error of an argument that must be a string, of a call that takes `default`."""
    return (
        wrong(name, value, "a string: for what is missing give default=")
        if is_null(value)
        else not_a_string(name, value)
    )


def missing(name: str, value: object, default: Default | EllipsisType) -> Default:
    """Return the default of a call for one identifier, for a value that is missing.

    Raises:
        UsageError: there is no default, or the value is another one that is not a string.
    """
    if default is ... or not is_null(value):
        raise not_an_identifier(name, value)
    return default


def text(name: str, value: Any) -> str:
    """Take a string."""
    if not isinstance(value, str):
        raise not_a_string(name, value)
    return value


def text_or_none(name: str, value: Any) -> str | None:
    """Take a string, or None."""
    return None if value is None else text(name, value)


def flag(name: str, value: Any) -> bool:
    """Take True or False, also those of NumPy."""
    if not isinstance(value, bool) and type(value).__name__ != "bool_":
        raise wrong(name, value, "True or False")
    return bool(value)


def whole_number(name: str, value: Any, least: int = 1) -> int:
    """Take an integer that is large enough."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise wrong(name, value, f"an integer of at least {least:,}")
    return value


def whole_number_or_none(name: str, value: Any, least: int = 1) -> int | None:
    """Take an integer that is large enough, or None."""
    return None if value is None else whole_number(name, value, least)


def function(name: str, value: Any, example: str = "") -> None:
    """Check that an argument can be called, or is None.

    Args:
        name: the name of the argument.
        value: what was given.
        example: such a function.
    """
    if value is not None and not callable(value):
        raise wrong(name, value, f"a function{example and f', such as {example}'}")


def counts(name: str, value: Any) -> None:
    """Check that an argument is a tally, by its counters, or None."""
    if value is not None and (
        isinstance(value, type) or not hasattr(value, "broken") or not hasattr(value, "rejected")
    ):
        raise wrong(name, value, "a Tally, as in tally=Tally()")


def instance(name: str, value: Any, kind: type[_One], example: str) -> _One:
    """Take an object of a class.

    Args:
        name: the name of the argument.
        value: what was given.
        kind: the class.
        example: how such an object is made, as `Options(level='syntax')`.
    """
    if not isinstance(value, kind):
        made = (
            f"{kind.__name__}(**{name})" if isinstance(value, dict) and example.startswith(kind.__name__) else example
        )
        raise wrong(name, value, f"{kind.__name__}, as in {name}={made}")
    return value


def several(name: str, values: Any, noun: str) -> list[Any]:
    """Take an iterable that is not one text; return a list of what it yields, of a set in order.

    Args:
        name: the name of the argument.
        values: what was given.
        noun: what it yields, in the plural.
    """
    if isinstance(values, (str, *_BYTES)):
        raise wrong(name, values, f"several {noun}: give a list, as [{shown(values)}]")
    try:
        return in_order(values)
    except TypeError:
        raise wrong(name, values, f"a list of {noun}") from None


def sequence(name: str, value: Any) -> None:
    """Check that an argument is a sequence, and not one text."""
    if isinstance(value, (str, *_BYTES)) or not hasattr(value, "__len__") or not hasattr(value, "__getitem__"):
        raise wrong(name, value, "a list")


def names(name: str, values: Any, noun: str = "names") -> list[str]:
    """Take an iterable of strings that is not one string itself; see `several`."""
    listed = several(name, values, noun)
    for one in listed:
        if not isinstance(one, str):
            raise wrong(name, values, f"a list of {noun}: {type(one).__name__} is not a string")
    return listed


def one_or_several_names(name: str, values: Any) -> list[str]:
    """Take a string, or several; at least one."""
    listed = [values] if isinstance(values, str) else names(name, values)
    if not listed or "" in listed:
        raise wrong(name, values, "a name, or several")
    return listed


def path(name: str, value: Any, instead: str = "") -> str:
    """Take a path: a string, or an object such as `pathlib.Path`.

    Args:
        name: the name of the argument.
        value: what was given.
        instead: what to call with what is no path.
    """
    if isinstance(value, str):
        return value
    if hasattr(value, "__fspath__") and not isinstance(value, type):
        found = value.__fspath__()
        if isinstance(found, str):
            return found
    hint = instead and f": {instead}"
    if isinstance(value, bytes):
        hint = f": a path of bytes is one by os.fsdecode{instead and f'; {instead}'}"
    elif hasattr(value, "read"):
        hint = f": give the path of the file{instead and f'; {instead}'}"
    raise wrong(name, value, f"a path{hint}")


def path_or_none(name: str, value: Any) -> str | None:
    """Take a path, or None."""
    return None if value is None else path(name, value)


_OF_BYTES: Final = "what is in memory, or open, is read by extract_blocks(name, blocks)"


def paths(name: str, value: Any) -> list[str]:
    """Take a path, or several."""
    if isinstance(value, (str, *_BYTES)) or hasattr(value, "__fspath__") or hasattr(value, "read"):
        return [path(name, value, _OF_BYTES)]
    try:
        listed = list(value)
    except TypeError:
        raise wrong(name, value, "a path, or a sequence of paths, such as ['mail.mbox']") from None
    return [path(f"{name}[{index}]", one, _OF_BYTES) for index, one in enumerate(listed)]


def sources(name: str, values: Any) -> None:
    """Check that an argument is an iterable of sources."""
    if isinstance(values, (str, *_BYTES)) or hasattr(values, "__fspath__"):
        raise wrong(name, values, f"several: [{shown(values)}]")
    if isinstance(values, Mapping):
        raise wrong(name, values, "several sources: give its items()")
    if is_frame(values):
        raise wrong(name, values, f"several sources: give one column of the {type(values).__name__}")
    if hasattr(values, "read") or not hasattr(values, "__iter__"):
        raise wrong(name, values, "several sources, such as texts, paths, or Blocks(name, blocks)")


def methods(name: str, value: Any, needed: Iterable[str], wanted: str) -> None:
    """Check that an argument is an object that has some methods."""
    if isinstance(value, type) or not all(callable(getattr(value, method, None)) for method in needed):
        raise wrong(name, value, wanted)


def blocks(name: str, value: Any) -> None:
    """Check that an argument is bytes, or an iterable of them."""
    if isinstance(value, str):
        raise wrong(
            name, value, "bytes, or blocks of them: a text is for extract(), and for extract_html() if it is HTML"
        )
    held = value[0] if isinstance(value, (list, tuple)) and value else b""
    if (not hasattr(value, "__iter__") and not isinstance(value, memoryview)) or not isinstance(held, _BYTES):
        raise wrong(name, value, "bytes, or an iterable of them, such as an open file")
    if hasattr(value, "encoding") and hasattr(value, "read"):
        raise wrong(name, value, "bytes, or blocks of them: open the file by 'rb'; a text is for extract()")


def pieces(name: str, source: Any) -> Iterator[object]:
    """Take the pieces of one text: a string, or an iterable that is not a collection."""
    if isinstance(source, str):
        return iter((source,))
    if isinstance(source, _BYTES):
        raise wrong(name, source, "text: decode it, or give it to extract_blocks(), which detects its encoding")
    if hasattr(source, "__fspath__"):
        raise wrong(name, source, f"text: a file is for extract_files([{str(source)!r}]), or give its text")
    if hasattr(source, "__len__"):
        kind = type(source).__name__
        raise wrong(
            name, source, f"one text, not a {kind}: many texts are for extract_each(), pieces of one come as iter(...)"
        )
    try:
        return iter(source)
    except TypeError:
        raise wrong(name, source, "a string, or an iterator of strings, such as an open text file") from None


def piece(found: object) -> str:
    """Take a piece of a text."""
    if not isinstance(found, str):
        if found is None:
            hint = "leave it out, or give many texts to extract_each(), which takes what is missing"
        elif isinstance(found, (list, tuple)):
            hint = "join what it holds, or give many texts to extract_each()"
        else:
            hint = "decode it, or open the file as text"
        if isinstance(found, int):
            hint += "; bytes come as integers one by one"
        raise UsageError(f"the source yielded {type(found).__name__}, not str: {hint}")
    return found


def is_frame(value: object) -> bool:
    """Report whether a value is a table of pandas, Polars or Arrow, which yields its columns."""
    return hasattr(value, "shape") and hasattr(value, "columns")


def text_of_cell(index: int, value: object) -> str:
    """Take one of many texts; a missing value is a text without any character."""
    if isinstance(value, str):
        return value
    if is_null(value):
        return ""
    hint = ": give its to_pylist()" if hasattr(value, "as_py") else ""
    raise wrong(f"texts[{index}]", value, f"a string{hint}; on_error= takes what is none")


def each_text(name: str, values: Any) -> Iterator[object]:
    """Take many texts: an iterable that is not one text itself, nor a table."""
    if isinstance(values, str):
        raise wrong(name, values, "several strings: give a list, or use extract() for one text")
    if isinstance(values, _BYTES):
        raise wrong(name, values, "several strings: decode them, and give a list")
    if isinstance(values, Mapping):
        raise wrong(name, values, "a list of strings: give its values(), or its items() to extract_documents()")
    if is_frame(values):
        raise wrong(name, values, f"a list of strings: give one column of the {type(values).__name__}")
    try:
        return iter(values)
    except TypeError:
        raise wrong(name, values, "an iterable of strings") from None


def pairs(name: str, values: Any) -> None:
    """Check that an argument is an iterable of pairs of a name and a text."""
    if isinstance(values, Mapping):
        raise wrong(name, values, "pairs of a name and a text: give its items()")
    if isinstance(values, (str, *_BYTES)) or not hasattr(values, "__iter__"):
        raise wrong(name, values, "pairs of a name and a text")


def pair(index: int, document: Any) -> tuple[str, Any]:
    """Take one of many pairs of a name and a text."""
    if not isinstance(document, (tuple, list)) or len(document) != 2 or not isinstance(document[0], str):
        raise wrong(f"documents[{index}]", document, "a pair of a name and a text, as ('page 1', text)")
    return document[0], document[1]


def rows(name: str, values: Any) -> None:
    """Check that an argument is an iterable of rows."""
    if isinstance(values, Mapping):
        raise wrong(name, values, "a list of rows: give its values() or items()")
    if is_frame(values):
        raise wrong(name, values, f"a list of rows: give those of the {type(values).__name__}, one after the other")
    if isinstance(values, (str, *_BYTES)) or not hasattr(values, "__iter__"):
        raise wrong(name, values, "a list of rows, such as records or strings")


def lines(name: str, values: Any, instead: str = "") -> None:
    """Check that an argument is an iterable of strings, and not one text."""
    if isinstance(values, (str, *_BYTES)) or not hasattr(values, "__iter__"):
        raise wrong(name, values, f"a list of lines{instead and f': {instead}'}")


def keys(name: str, values: Any) -> list[Any]:
    """Take several keys."""
    if isinstance(values, (str, *_BYTES)) or hasattr(values, "uri") or not hasattr(values, "__iter__"):
        raise wrong(name, values, "several keys: give a list")
    return values if isinstance(values, list) else list(values)


def records(name: str, values: Any) -> Any:
    """Take an iterable of records or batches, or one batch."""
    if isinstance(values, (str, *_BYTES)) or (not hasattr(values, "__iter__") or hasattr(values, "uri")):
        raise wrong(name, values, "several records or batches: give a list")
    return (values,) if hasattr(values, "merged") else values


# The check of each argument that is the same in all calls that take it.
_SHAPES: Final[Mapping[str, Callable[[str, Any], object]]] = {
    **dict.fromkeys(("encoding", "field", "time_field", "source", "template"), text_or_none),
    **dict.fromkeys(("name", "by", "delimiter", "title", "unmatched_kind"), text),
    **dict.fromkeys(("on_error", "on_event", "token"), function),
    **dict.fromkeys(("jobs", "memory_limit"), whole_number_or_none),
    **dict.fromkeys(("top", "min_count", "rows_a_batch"), whole_number),
    **dict.fromkeys(("output", "store", "folder", "checkpoint"), path_or_none),
    **dict.fromkeys(
        (
            "parts",
            "context",
            "defang",
            "show_passwords",
            "safe_cells",
            "rejected",
            "subdomains",
            "links",
            "times",
            "secrets",
        ),
        flag,
    ),
    **dict.fromkeys(("templates", "again"), flag),
    "path": path,
    "tally": counts,
    "blocks": blocks,
}


def check(**given: object) -> None:
    """Check arguments by their names, which mean the same in all calls.

    >>> from urisieve.shapes import check
    >>> check(encoding="utf-8", jobs=2, tally=None)
    >>> check(jobs="2")
    Traceback (most recent call last):
    urisieve.errors.UsageError: jobs='2' must be an integer of at least 1

    Raises:
        UsageError: one of them has another shape.
    """
    for name, value in given.items():
        _SHAPES[name](name, value)
