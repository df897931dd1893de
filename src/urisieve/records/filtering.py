"""`Filter`: which identifiers are wanted, judged by the columns of a batch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from operator import eq

from urisieve import shapes
from urisieve.codes import LISTED, Warn
from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Any, Final, Protocol, dataclass, late, lazy_compile, replace
from urisieve.records.layouts import SharedValues
from urisieve.syntax.times import bound_given, is_within
from urisieve.wording import did_you_mean

if TYPE_CHECKING:
    from datetime import date
else:
    date = late("datetime", "date")

# The word that counts what a filter has left out, where it is not about an absent component.
FILTERED: Final = "filter"
_NOT: Final = "!"
_ANY: Final = "any"
_TEXT: Final = "text"
_KINDS: Final = ("uri", "iri", "urn")
# The hosts of rows, those in addresses too; see `_named_hosts`.
_NAMED: Final = "hosts"
# The columns that may be asked to be there, and the column that each is computed from.
_TIME: Final = "time"
_PRESENT: Final = ("host", "domain", _TIME)
_WORDS: Final = (
    *("kinds", "schemes", "hosts", "domains", "paths", "warnings", "carriers", "sources", "senders", "subjects"),
    "present",
)
# The words about the context of a text, and the attribute of a context that they are compared with.
_OF_CONTEXT: Final = {"senders": "sender", "subjects": "subject"}
_SCHEME: Final = lazy_compile(r"[a-z][a-z0-9+.\-]*")
# What neither a host nor a pattern of one has; a colon only between brackets.
_NO_HOST: Final = lazy_compile(r"[/#@\\\s]|\A[^\[\]]*:[^\[\]]*\Z")
_LISTS: Final = ("known", "unknown")
_BOUNDS: Final = ("since", "until")
_MEMORY: Final = 32
# The most words that a message lists.
_FEW: Final = 8


class _HasColumns(Protocol):
    def __len__(self) -> int: ...

    def _shared(self, name: str) -> Sequence[Any]: ...


class _List(Protocol):
    def held(self, batch: Any, /) -> bytes: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Filter:
    """Which identifiers are wanted; an immutable value.

    Each field has words, one text or several. An identifier is wanted if, for each field with words, one of them fits
    it, and none of those with `!` before them does; if all of a field's words have a `!`, any other identifier fits.

    >>> from urisieve import Batch, Filter, extract
    >>> batch = Batch.of(list(extract("http://www.example.com/ ftp://b.example/ urn:isbn:0395363411")))
    >>> batch.where(Filter(domains="example.com")).column("uri")
    ['http://www.example.com/']
    >>> batch.where(Filter(kinds="!urn", schemes=["http", "ftp"], hosts="b.*")).column("uri")
    ['ftp://b.example/']

    Args:
        kinds: `uri`, `iri`, `urn`; see `Record.kind`.
        schemes: names of schemes; case does not count.
        hosts: patterns for the whole host, with `*`, `?` and `[...]`; one beyond ASCII is compared with the host in
            Unicode, any other one with `Record.host`. Case does not count.
        domains: domains: the host is one of them or a name below it; of a `mailto` the domain of an address. In Unicode
            or in A-labels.
        paths: patterns for the whole `Record.path`, as `hosts` but case counts: `*.pdf`, `!/static/*`.
        warnings: codes of warnings; `any` stands for all of them.
        carriers: patterns for the field of the source, as `hosts` but case counts: `*@href`, `!*@title`; `text` stands
            for running text, which has none.
        sources: patterns for the name of the source, as `carriers`: `*.eml`, `*!*.pdf` for what is in another file.
        senders: patterns for whom a message is from, as `hosts`: its address, `*@example.com`. Known only if that is
            read (`ReadingOptions.context`), and what has none fits no pattern.
        subjects: patterns for the subject of a message, as `senders`: `*invoice*`.
        present: what must be there: `host`, or `domain`, the registrable domain (extra `domains`), or `time`.
        since: a time, a day, a month or a year, as a text, a `datetime`, a `date`, or seconds from 1970-01-01 UTC; what
            has an earlier time, or none, is not wanted. Times are known only if they are read
            (`ReadingOptions.context`); one without a zone counts as UTC.
        until: likewise; what has a later time than all of it, or none, is not wanted.
        known: a list that must contain it; see `Known`.
        unknown: a list that must not contain it.

    Raises:
        UsageError: a word is not one of these, what is given for a list is not a `Known`, a time is none, or `since` is
            later than `until`.
    """

    kinds: Iterable[str] | str = ()
    schemes: Iterable[str] | str = ()
    hosts: Iterable[str] | str = ()
    domains: Iterable[str] | str = ()
    paths: Iterable[str] | str = ()
    warnings: Iterable[str] | str = ()
    carriers: Iterable[str] | str = ()
    sources: Iterable[str] | str = ()
    senders: Iterable[str] | str = ()
    subjects: Iterable[str] | str = ()
    present: Iterable[str] | str = ()
    known: _List | None = None
    unknown: _List | None = None
    since: str | date | float | None = None
    until: str | date | float | None = None

    def __post_init__(self) -> None:
        def put(name: str, check: Callable[[str], str]) -> None:
            values = getattr(self, name)
            checked: list[str] = []
            for word in (values,) if isinstance(values, str) else shapes.names(name, values, "words"):
                if not word.removeprefix(_NOT):
                    raise UsageError(f"{name}: {word!r} is not a word that can be compared")
                bare = word.removeprefix(_NOT)
                checked.append(f"{_NOT if bare != word else ''}{check(bare)}")
            object.__setattr__(self, name, tuple(dict.fromkeys(checked)))

        for name in _LISTS:
            held = getattr(self, name)
            if held is not None:
                shapes.methods(name, held, ("held",), "a Known, as Known.read(path)")
        for name in _BOUNDS:
            given = getattr(self, name)
            object.__setattr__(self, name, None if given is None else bound_given(name, given))
        since, until = self.since, self.until
        if isinstance(since, str) and isinstance(until, str) and since[: len(until)] > until:
            raise UsageError(f"since={since!r} is later than until={until!r}: no time is within")
        put("kinds", lambda word: _among(_KINDS, word.lower(), "kind"))
        put("schemes", _scheme)
        put("hosts", _host)
        put("domains", _domain)
        put("paths", str)
        put("warnings", lambda word: _among((*map(str, Warn), _ANY), word.lower(), "warning"))
        put("carriers", str)
        put("sources", str)
        put("senders", str.lower)
        put("subjects", str.lower)
        put("present", lambda word: _among(_PRESENT, word, "component that can be asked for"))

    def __repr__(self) -> str:
        named = [(name, getattr(self, name)) for name in (*_WORDS, *_LISTS, *_BOUNDS)]
        given = [f"{name}={value!r}" for name, value in named if name in _WORDS or value is not None]
        return f"Filter({', '.join(given)})"

    @property
    def is_empty(self) -> bool:
        """Whether every identifier is wanted."""
        return not self._has_others and not self.present

    @property
    def _has_others(self) -> bool:
        return any(getattr(self, name) for name in _WORDS[:-1]) or self._has_lists or self.has_bounds

    @property
    def has_bounds(self) -> bool:
        """Whether times are looked at."""
        return self.since is not None or self.until is not None

    @property
    def needs_context(self) -> bool:
        """Whether it is about when, from whom or about what a text came, which is known only if that is read."""
        return self.has_bounds or _TIME in self.present or any(getattr(self, name) for name in _OF_CONTEXT)

    @property
    def _has_lists(self) -> bool:
        return self.known is not None or self.unknown is not None

    @property
    def columns(self) -> frozenset[str]:
        """The columns of a batch that are looked at."""
        asked = (("raw", self.kinds), ("warnings", self.warnings), ("source", self.sources), ("key", self._has_lists),
                 ("location", self.carriers or self.needs_context))  # fmt: skip
        return frozenset(["uri", *(name for name, words in asked if words)])

    @property
    def counted_as(self) -> str:
        """The word that counts what is left out: `filter`, or the component that is absent."""
        return FILTERED if self._has_others or not self.present else next(iter(self.present))

    def indices(self, batch: _HasColumns) -> Sequence[int]:
        """Return the indices of the rows of a batch that are wanted.

        Raises:
            UsageError: the batch lacks a column of `columns`.
        """
        kept: Sequence[int] = range(len(batch))
        words = replace(self, known=None, unknown=None) if self._has_lists else self  # a cache is to hold no lists
        for name, fits in _tests(words):
            if not kept:
                break
            values = _named_hosts(batch) if name == _NAMED else batch._shared(name)
            if isinstance(values, SharedValues):
                fit, numbers = list(map(fits, values.values)), values.numbers
                kept = kept if all(fit) else [index for index in kept if fit[numbers[index]]]
                continue
            # Few values differ in the columns of schemes and codes.
            verdicts = {value: fits(value) for value in set(values)}
            kept = [index for index in kept if verdicts[values[index]]]
        for listed, is_wanted in ((self.known, 1), (self.unknown, 0)):
            if listed is not None and kept:
                held = listed.held(batch)
                kept = [index for index in kept if held[index] == is_wanted]
        return kept


def hosts_of(uri: str, host: str | None) -> Iterator[str]:
    """Yield the host of a canonical URI; of a `mailto` the domains of its addresses (RFC 6068 2)."""
    if host:
        yield host
    elif uri[:7] == "mailto:":
        from urisieve.syntax.host import host_as_written

        for address in uri[7:].partition("?")[0].split(","):
            _, at, domain = address.rpartition("@")
            if at and domain:
                yield host_as_written(domain).host


def _named_hosts(batch: _HasColumns) -> Sequence[Any]:
    """Return the host of each row, or as a tuple those of one without a host; see `hosts_of`."""
    hosts = batch._shared("host")
    if None not in (hosts.values if isinstance(hosts, SharedValues) else hosts):
        return hosts
    return [
        tuple(hosts_of(uri, None)) if host is None else host
        for host, uri in zip(hosts, batch._shared("uri"), strict=True)
    ]


def _among(words: Sequence[str], word: str, name: str) -> str:
    if word not in words:
        known = f"; there are {', '.join(words)}" if len(words) <= _FEW else LISTED  # only codes are more
        raise UsageError(f"{word!r} is not a {name}{did_you_mean(word, words)}{known}")
    return word


def _scheme(text: str) -> str:
    """Return the name of a scheme in lower case."""
    name = text.lower().removesuffix(":")
    if not _SCHEME.fullmatch(name):
        raise UsageError(f"schemes: {text!r} is not the name of a scheme, such as http")
    if name == "web":  # a policy of Options
        raise UsageError("schemes: 'web' is no scheme: name them, as http and https")
    return name


def _host(text: str) -> str:
    """Return a pattern for hosts in lower case."""
    if _NO_HOST.search(text):
        raise UsageError(f"hosts: {text!r} is no host, nor a pattern of one, such as *.example.com: no link would fit")
    return text.lower()


def _domain(text: str) -> str:
    """Return a domain in A-labels."""
    from urisieve.syntax.host import host_as_written

    name = text.strip(".").lower()
    is_literal = name.startswith("[") and name.endswith("]")
    verdict = None if is_literal or not name else host_as_written(name)
    if not name or (verdict is not None and (verdict.reason is not None or Warn.HOST_NOT_UTF8 in verdict.warnings)):
        raise UsageError(f"{text!r} is not a domain: use a name such as example.com")
    return name if verdict is None else verdict.host


_Test = tuple[str, Callable[[Any], bool]]


@lru_cache(_MEMORY)
def _tests(chosen: Filter) -> list[_Test]:
    """Return the columns to look at, each with the function that decides about its values."""
    dated: _Test = ("location", _bounds_test(None, None))
    tests: list[_Test] = [dated if name == _TIME else (name, bool) for name in chosen.present]
    if chosen.has_bounds:
        tests.append(("location", _bounds_test(chosen.since, chosen.until)))  # type: ignore[arg-type] # texts once they are checked
    several: tuple[tuple[str, Iterable[str], Callable[[str], Callable[[Any], bool]]], ...] = (
        ("scheme", chosen.schemes, lambda word: lambda scheme: bool(scheme.lower() == word)),
        ("warnings", chosen.warnings, lambda word: bool if word == _ANY else lambda codes: word in codes),
        (_NAMED, chosen.domains, _domain_test),
        ("host", chosen.hosts, _host_test),
        ("path", chosen.paths, _pattern_test),
        ("kind", chosen.kinds, lambda word: partial(eq, word)),
        ("location", chosen.carriers, _carrier_test),
        ("source", chosen.sources, _pattern_test),
        *(("location", getattr(chosen, words), partial(_context_test, name)) for words, name in _OF_CONTEXT.items()),
    )
    for name, words, test in several:
        if words:
            wanted = [test(word) for word in words if not word.startswith(_NOT)]
            unwanted = [test(word[len(_NOT) :]) for word in words if word.startswith(_NOT)]
            tests.append((name, _joined(wanted, unwanted)))
    return tests


def _joined(
    wanted: Sequence[Callable[[Any], bool]], unwanted: Sequence[Callable[[Any], bool]]
) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        return (not wanted or any(test(value) for test in wanted)) and not any(test(value) for test in unwanted)

    return fits


def _bounds_test(since: str | None, until: str | None) -> Callable[[Any], bool]:
    def fits(location: Any) -> bool:
        context = None if location is None else location.context
        return context is not None and context.time is not None and is_within(context.time, since, until)

    return fits


def _domain_test(word: str) -> Callable[[Any], bool]:
    below = f".{word}"

    def fits(hosts: Any) -> bool:
        names = [host.rstrip(".").lower() for host in ((hosts or "",) if hosts.__class__ is not tuple else hosts)]
        return any(name == word or name.endswith(below) for name in names)

    return fits


def _host_test(word: str) -> Callable[[Any], bool]:
    import fnmatch

    pattern = re.compile(fnmatch.translate(word))

    def fits(host: Any) -> bool:
        if not host:
            return False
        name = host.lower()
        if not word.isascii():
            name = _unicode(name)
        return name == word or pattern.match(name) is not None

    return fits


def _pattern_test(word: str) -> Callable[[Any], bool]:
    import fnmatch

    pattern = re.compile(fnmatch.translate(word))
    return lambda text: text is not None and pattern.match(text) is not None


def _carrier_test(word: str) -> Callable[[Any], bool]:
    matches = _pattern_test(word)

    def fits(location: Any) -> bool:
        field = None if location is None else location.field
        return matches(_TEXT if field is None else field)

    return fits


def _context_test(name: str, word: str) -> Callable[[Any], bool]:
    matches = _pattern_test(word)

    def fits(location: Any) -> bool:
        context = None if location is None else location.context
        text = None if context is None else getattr(context, name)
        return text is not None and matches(text.lower())

    return fits


def _unicode(host: str) -> str:
    """Return a host in Unicode, as it is in `Record.iri`."""
    from urisieve.syntax.host import u_host
    from urisieve.syntax.iri import decoded

    shown = decoded(host, "regchar") if "%" in host else host
    return u_host(shown) if "xn--" in shown else shown
