"""Signatures of keys: the settings on which the keys of a store depend, and all that a worker must have in common.

Keys of different signatures must not be mixed. A cluster gives every worker its own installation: two processes with
equal `key_signature` find the same identifiers and make the same keys; `check_key_signature` names what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from enum import Enum
from functools import lru_cache, partial

from urisieve._version import __version__
from urisieve.errors import ProcessError, UsageError
from urisieve.finding_options import DEFAULT_OPTIONS, Options, checked, choice, merging_of
from urisieve.lean import TYPE_CHECKING, Any, Final, field_names
from urisieve.merging import NAMED_STEPS, PROFILES, MergeStep, Profile
from urisieve.quick_enums import StrEnum
from urisieve.records.base import SCHEMA_VERSION
from urisieve.rules.registry import tracking_date
from urisieve.rules.scheme_table import Scheme
from urisieve.rules.table import RuleTable
from urisieve.wording import printable, shortened

if TYPE_CHECKING:
    from urisieve.rules.plugins import EntryPoint
    from urisieve.rules.scheme_table import Namespace


# The version of the canonical forms: a change to any key raises it, and stores of another version are refused.
CANONICAL_VERSION: Final = 4


class By(StrEnum):
    """The part of an identifier that is its key."""

    KEY = "key"
    HOST = "host"
    DOMAIN = "domain"
    TEMPLATE = "template"
    PATH = "scheme+host+path"


def signature(options: Options | None = None, by: str = "key") -> str:
    """Return the settings that decide the key of an identifier, as one line of JSON.

    Args:
        options: how identifiers are normalized.
        by: the part of them that is the key.

    Raises:
        UsageError: `by` is not a choice.
    """
    by = str(choice(By, by, "by"))
    chosen = DEFAULT_OPTIONS if options is None else options
    merge = merging_of(chosen)
    made: dict[str, object] = {
        "canonical": CANONICAL_VERSION,
        "level": str(chosen.level),
        "lossy": [str(step) for step in merge.steps],
        "urn": str(chosen.urn_syntax),
        "by": by,
    }
    for name in ("drop_params", "keep_params"):
        if getattr(merge, name):
            made[name] = list(map(str, getattr(merge, name)))
    if MergeStep.DROP_TRACKING in merge.steps:
        made["tracking"] = tracking_date()
    rules = _rules_of_others(chosen)
    if rules:
        made["rules"] = rules
    import json

    return json.dumps(made)


def signature_of_records(table: RuleTable) -> str | None:
    """Return the signature of the keys of records that were made by a rule table; None if it is not known.

    >>> from urisieve import Options, parse
    >>> signature_of_records(parse("a:b")._rules) == signature()
    True
    """
    if table.keyed is None:
        return signature(Options(rules=table.rules))
    if not table.keyed:
        return None
    level, merge, syntax = table.keyed
    return signature(Options(level=level, merge=merge, urn_syntax=syntax, rules=table.rules))


class AlikeKeys:
    """Refuses records whose keys were made by other settings than those of a signature.

    Args:
        made: the signature.
        message: returns what to do, of the settings of the records and those of the signature that differ.
    """

    def __init__(self, made: str, message: Callable[[str, str], str]) -> None:
        self._made = made
        self._message = message
        self._alike: set[RuleTable] = set()

    def check(self, tables: Set[RuleTable]) -> None:
        """Check the rule tables of records; records that do not know their settings pass.

        Raises:
            UsageError: the keys of some were made by other settings.
        """
        for table in tables - self._alike:
            made = signature_of_records(table)
            if made is not None and made != self._made:
                raise UsageError(self._message(*differences(made, self._made)))
            self._alike.add(table)


def _rules_of_others(options: Options) -> list[str]:
    """Return the names of the schemes and namespaces whose rules come from the options or from plug-ins."""
    from urisieve.rules import scheme_table as schemes
    from urisieve.rules import table as namespaces

    names = {*schemes.plugged(), *(f"urn:{nid}" for nid in namespaces.plugged())}
    names.update(map(_name, options.rules))  # type: ignore[arg-type] # rows once they are constructed
    return sorted(names)


def renewal(text: str) -> str:
    """Return how to renew a store of another version of the canonical forms, by its signature; "" for this version.

    The text continues a sentence. A store contains digests of keys, which cannot be converted.
    """
    import json

    try:
        made = json.loads(text)
        version = made["canonical"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    if version == CANONICAL_VERSION or not isinstance(version, int):
        return ""
    age = "an older" if version < CANONICAL_VERSION else "a newer"
    part = part_of(text)
    by = "" if part is By.KEY else f" --by {part}"
    return (
        f"; {age} version of urisieve made it, and canonical forms differ between version {version} and "
        f"{CANONICAL_VERSION}. A store holds digests, not texts, and cannot be converted: make a new one from the "
        "files whose keys are in it, with the same options, "
        f"by `urisieve dedupe{by} --store NEW.db FILE ... > /dev/null`, and use that one"
    )


def part_of(text: str) -> By:
    """Return the part of identifiers that is the key by a signature of any version; the whole key if it names none.

    >>> part_of(signature(by="host"))
    <By.HOST: 'host'>
    """
    import json

    try:
        named = json.loads(text)["by"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return By.KEY
    return next((part for part in By if part == named), By.KEY)


def refusal(text: str, other: str) -> str:
    """Return why keys made by one signature are not those of a run with another one."""
    made, asked = differences(text, other)
    return f"its keys were made by {made}, those of this run by {asked}{renewal(text)}"


def differences(text: str, other: str) -> tuple[str, str]:
    """Return what two signatures do not share, each as `name=values`; the texts themselves if they are no signatures.

    >>> differences(signature(Options(merge="page,lower-path")), signature())
    ('merge=page,lower-path', 'merge=rfc')
    """
    one, two = _settings(text), _settings(other)
    # The date of the table differs also where only one has the step of it.
    apart = [name for name in {**one, **two} if one.get(name) != two.get(name)]
    apart = [name for name in apart if name != "tracking" or (name in one and name in two)]
    if not one or not two or not apart:
        return text, other
    first, second = (", ".join(f"{name}={made.get(name, 'none')}" for name in apart) for made in (one, two))
    return first, second


def _settings(text: str) -> dict[str, str]:
    import json

    try:
        made = json.loads(text)
        merge = _names_of_steps(made["lossy"])
        return {
            "merge" if name == "lossy" else name: merge if name == "lossy" else _listed(value)
            for name, value in made.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _listed(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _names_of_steps(steps: list[str]) -> str:
    """Return the names of the largest profile that the steps contain, and of the other steps."""
    rest = [step for step in steps if step in NAMED_STEPS]
    held = [name for name, its in PROFILES.items() if set(its) <= set(rest)]
    profile = max(held, key=lambda name: len(PROFILES[name]))
    others = [step for step in rest if step not in PROFILES[profile]]
    return ",".join([profile, *others] if PROFILES[profile] or not others else others)


def checked_signature(text: object) -> str:
    """Return the signature of another store.

    Raises:
        UsageError: it is not one.
    """
    if not isinstance(text, str) or not is_signature(text):
        raise UsageError(f"signature={text!r:.80} is not that of a store, as in store.info()")
    return text


def is_signature(text: str) -> bool:
    """Report whether a text could be the signature of some version."""
    import json

    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def read_signature(text: str) -> tuple[Options, str]:
    """Return the options and the part of identifiers of a signature of this version.

    Raises:
        UsageError: the text is not a signature, or one of another version.
    """
    fault = f"keys made by {text} are not those of this version: canonical {CANONICAL_VERSION}{renewal(text)}"
    import json

    try:
        made = json.loads(text)
        own = {name: made[name] for name in ("drop_params", "keep_params") if name in made}
        steps = [step for step in made["lossy"] if step.replace("-", "_") not in own]
        options = Options(level=made["level"], merge=Profile(steps, **own), urn_syntax=made["urn"])
        if signature(options, made["by"]) == json.dumps(made):
            return options, made["by"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(fault) from error
    raise UsageError(fault)


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

    It has the versions of urisieve, of its canonical forms and of the Unicode tables, the options with their rules,
    and the plug-ins by name and version. It is the same in every process in which these are the same. To make it takes
    some milliseconds once in a process, then 40 microseconds for each set of options, and 5 afterwards.

    >>> from urisieve import Options
    >>> from urisieve.dedupe import key_signature
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

    >>> from urisieve import Options
    >>> from urisieve.dedupe import check_key_signature, key_signature
    >>> from urisieve.errors import ProcessError
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
    import json

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

    It is sent before the rest, which another version may not be able to load.
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (str(self),)


def _received(signature: str) -> SentSignature:
    import json

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
    import json
    from unicodedata import unidata_version

    from idna import idnadata

    from urisieve.rules import scheme_table as schemes
    from urisieve.rules import table as namespaces

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
        "options": {name: _plain_value(getattr(options, name)) for name in field_names(Options) if name != "rules"},
        "rules": {_name(row): [_digest(row)] for row in rules},
        "plugins": plugged,
    }
    return json.dumps(made, sort_keys=True)


def _name(row: Scheme | Namespace) -> str:
    return row.name if isinstance(row, Scheme) else f"urn:{row.name}"


def _plugged(row: Scheme | Namespace, origin: EntryPoint) -> list[str]:
    """Return the distribution of a row, its version, and a digest of the row."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version(origin.distribution)
    except PackageNotFoundError:
        number = "of an unknown version"
    return [origin.distribution, number, _digest(row)]


def _plain_value(value: object) -> object:
    """Return the value of an option as JSON has it, the same in every process."""
    if isinstance(value, Profile):
        return repr(value)
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, value))
    if isinstance(value, (tuple, list)):
        return [_plain_value(one) for one in value]
    return value


def _digest(row: Scheme | Namespace) -> str:
    """Return a digest of what a row says; of a function its module and name count."""
    import json
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
