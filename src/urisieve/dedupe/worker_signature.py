"""Signatures for workers: what decides which identifiers are found and which keys they have, in one process.

A cluster gives every worker its own installation. Two processes with equal signatures find the same identifiers and
make the same keys; `check_key_signature` names what differs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import lru_cache, partial

from urisieve._version import __version__
from urisieve.dedupe.signature import CANONICAL_VERSION
from urisieve.errors import ProcessError, UsageError
from urisieve.lean import TYPE_CHECKING, Any, Final, field_names
from urisieve.merging import MergeStep, Profile
from urisieve.options import Options, checked, merging_of
from urisieve.records.base import SCHEMA_VERSION
from urisieve.rules.scheme_table import Scheme
from urisieve.rules.tracking import tracking_date
from urisieve.wording import printable, shortened

if TYPE_CHECKING:
    from urisieve.rules.namespace import Namespace
    from urisieve.rules.plugins import EntryPoint


# A bound on the cache of signatures: a program uses a few sets of options.
_SIGNATURES: Final = 64
_DIGEST_SIZE: Final = 8
# The most characters of a value that a message shows.
_LONGEST: Final = 200
# How the entries of a signature are called in messages.
_CALLED: Final = {
    "urisieve": "the version of urisieve",
    "canonical": "the version of canonical forms",
    "schema": "the version of records",
    "unicode": "the Unicode version of Python",
    "idna": "the version of the tables of idna",
    "tracking": "the date of the tracking parameters",
}


def key_signature(options: Options | None = None) -> str:
    """Return a line of JSON that states what decides which identifiers are found, and which keys they have.

    It holds the versions of urisieve, of its canonical forms and of the Unicode tables, the options with their rules,
    and the plug-ins by name and version. It is the same in every process in which these are the same. To make it takes
    some milliseconds once in a process, then 40 microseconds for each set of options, and 5 afterwards.

    >>> from urisieve import Options, key_signature
    >>> key_signature() == key_signature(Options()), key_signature() == key_signature(Options(level="syntax"))
    (True, False)

    Args:
        options: what to find and how far to normalize.

    Raises:
        UsageError: `options` is not an `Options`.
    """
    return _signature(checked(options))


def check_key_signature(signature: str, options: Options | None = None) -> None:
    """Check that this process finds what another one finds, and makes the same keys.

    The process that gives the work calls `key_signature` and sends the line along; each worker checks it before it
    begins.

    >>> from urisieve import Options, ProcessError, check_key_signature, key_signature
    >>> check_key_signature(key_signature())
    >>> try:
    ...     check_key_signature(key_signature(Options(level="syntax")))
    ... except ProcessError as error:
    ...     print(error)
    this process would not make the keys of the one that gave it work: option level is 'scheme' here, 'syntax' there

    Args:
        signature: what `key_signature` returned in the other process.
        options: the options of this one.

    Raises:
        ProcessError: it would find other identifiers, or make other keys; the message names what differs.
        UsageError: `signature` is not a line of `key_signature`, or `options` is not an `Options`.
    """
    here = _signature(checked(options))
    if signature == here:
        return
    try:
        there = json.loads(signature)
        found = list(_differences(json.loads(here), there))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        raise UsageError(f"signature={signature!r:.80} is not a line of key_signature()") from error
    raise _refusal(found or ["the signatures differ in their form"])


class SentSignature(str):
    """A signature that refuses to be loaded in a process with another version of urisieve.

    It stands before what it is sent with, which another version may not be able to load.
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (str(self),)


def _received(signature: str) -> SentSignature:
    there = json.loads(signature)["urisieve"]
    if there != __version__:
        raise _refusal([_apart("urisieve", __version__, there)])
    return SentSignature(signature)


def _refusal(differing: Iterable[str]) -> ProcessError:
    return ProcessError(f"this process would not make the keys of the one that gave it work: {'; '.join(differing)}")


def _apart(name: str, here: object, there: object) -> str:
    return f"{_CALLED[name]} is {_shown(here)} here, {_shown(there)} there"


def _differences(here: dict[str, Any], there: dict[str, Any]) -> Iterator[str]:
    """Yield what differs between the signatures of two processes, in words."""
    for name in _CALLED:
        if here[name] != there[name]:
            yield _apart(name, here[name], there[name])
    for name in sorted({*here["options"], *there["options"]}):
        mine, other = here["options"].get(name), there["options"].get(name)
        if mine != other:
            yield f"option {name} is {_shown(mine)} here, {_shown(other)} there"
    for group, called in (("rules", "the rule of options for"), ("plugins", "the plug-in for")):
        yield from _differing_rows(called, here[group], there[group])


def _differing_rows(called: str, here: dict[str, list[str]], there: dict[str, list[str]]) -> Iterator[str]:
    for name in sorted({*here, *there}):
        mine, other = here.get(name), there.get(name)
        if mine == other:
            continue
        row = printable(shortened(f"{called} {name}", _LONGEST))
        if mine is None or other is None:
            where, origin = ("here", other) if mine is None else ("there", mine)
            yield f"{row}{_of(origin)} is missing {where}"
        elif mine[:-1] != other[:-1]:
            yield f"{row} is {' '.join(mine[:-1])} here, {' '.join(other[:-1])} there"
        else:
            yield f"{row}{_of(mine)} has other contents here than there"


def _of(row: list[str] | None) -> str:
    """Return the distribution and version that a row comes from; nothing for a row of options."""
    return f" of {printable(' '.join(row[:-1]))}" if row is not None and len(row) > 1 else ""


def _shown(value: object) -> str:
    return printable(shortened(repr(value), _LONGEST))


@lru_cache(_SIGNATURES)
def _signature(options: Options) -> str:
    from unicodedata import unidata_version

    from idna import idnadata

    from urisieve.rules import namespace_table as namespaces
    from urisieve.rules import scheme_table as schemes

    plugged = {
        **{name: _plugged(row, origin) for name, (row, origin) in schemes.plugged().items()},
        **{f"urn:{nid}": _plugged(row, origin) for nid, (row, origin) in namespaces.plugged().items()},
    }
    rules: Iterable[Scheme | Namespace] = options.rules  # type: ignore[assignment] # rows once they are constructed
    made = {
        "urisieve": __version__,
        "canonical": CANONICAL_VERSION,
        "schema": SCHEMA_VERSION,
        "unicode": unidata_version,
        "idna": idnadata.__version__,
        "tracking": tracking_date() if MergeStep.DROP_TRACKING in merging_of(options).steps else "",
        "options": {name: _value(getattr(options, name)) for name in field_names(Options) if name != "rules"},
        "rules": {_name(row): [_digest(row)] for row in rules},
        "plugins": plugged,
    }
    return json.dumps(made, sort_keys=True)


def _name(row: Scheme | Namespace) -> str:
    return row.name if isinstance(row, Scheme) else f"urn:{row.nid}"


def _plugged(row: Scheme | Namespace, origin: EntryPoint) -> list[str]:
    """Return the distribution of a row, its version, and a digest of the row."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version(origin.distribution)
    except PackageNotFoundError:
        number = "of an unknown version"
    return [origin.distribution, number, _digest(row)]


def _value(value: object) -> object:
    """Return the value of an option as JSON has it, the same in every process."""
    if isinstance(value, Profile):
        return repr(value)
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, value))
    if isinstance(value, (tuple, list)):
        return [_value(one) for one in value]
    return value


def _digest(row: Scheme | Namespace) -> str:
    """Return a digest of what a row says; of a function its module and name count."""
    from hashlib import blake2b

    names = row._fields if isinstance(row, Scheme) else field_names(type(row))
    text = json.dumps([type(row).__name__, *(_described(getattr(row, name)) for name in names)])
    return blake2b(text.encode(), digest_size=_DIGEST_SIZE).hexdigest()


def _described(value: object) -> object:
    """Return a field of a row as JSON has it, the same in every process: nothing in it may be an address."""
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, (tuple, list)):
        return [_described(one) for one in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))
    if isinstance(value, dict):
        return [[_described(key), _described(one)] for key, one in value.items()]
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, partial):
        return [_described(value.func), _described(value.args), _described(value.keywords)]
    return _named(value)


def _named(value: object) -> str:
    """Return the module and name of a function, or those of the class of another object."""
    inner: Callable[..., Any] | None = getattr(value, "_function", None)  # of the row of a plug-in
    one = value if inner is None else inner
    if not hasattr(one, "__qualname__"):
        one = type(one)
    return f"{one.__module__}.{one.__qualname__}"
