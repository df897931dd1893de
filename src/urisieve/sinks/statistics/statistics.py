"""`Statistics`: the counts of what was found in some input, as frozen values; `as_dict` is their form for JSON."""

from __future__ import annotations

from collections.abc import Iterator

from urisieve.lean import Any, Final, NamedTuple, TypeAlias, dataclass, field_names, lazy_compile, replace
from urisieve.quick_enums import StrEnum

# The version of `Statistics.as_dict`: raised when a name goes or changes its meaning, not when one is added.
STATISTICS_SCHEMA: Final = 1


def _by_name(value: Any) -> dict[str, Any]:
    """Return the fields of a value by name, as JSON has them."""
    return {name: _as_json(getattr(value, name)) for name in field_names(type(value))}


def _as_json(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return {name: _as_json(one) for name, one in value._asdict().items()}
    if isinstance(value, tuple):
        return list(map(_as_json, value))
    if hasattr(value, "as_dict"):
        return value.as_dict()
    return str(value) if isinstance(value, TimeUnit) else value


class Funnel(NamedTuple):
    """How many candidates there are, and how many are left after each stage.

    >>> from urisieve.sinks.statistics import Funnel, collect_statistics
    >>> funnel: Funnel = collect_statistics(["samples/access.log"]).funnel
    >>> funnel.candidates, funnel.valid, funnel.spellings, funnel.canonical, funnel.distinct
    (10, 8, 7, 6, 6)

    Attributes:
        candidates: delimited candidates: the valid ones and the rejected ones.
        valid: valid identifiers.
        spellings: their different raw texts.
        canonical: their different canonical URIs.
        distinct: their different keys.
    """

    candidates: int = 0
    valid: int = 0
    spellings: int = 0
    canonical: int = 0
    distinct: int = 0


class NameCount(NamedTuple):
    """How often a name came, such as a host.

    >>> from urisieve.sinks.statistics import NameCount, collect_statistics
    >>> host: NameCount = collect_statistics(["samples/access.log"]).hosts.rows[0]
    >>> host.name, host.count, host.distinct
    ('www.example.org', 4, 2)

    Attributes:
        name: the name; None for a source without one.
        count: how many identifiers have it.
        distinct: how many keys came with it first. The sum over all names is the number of keys.
    """

    name: str | None
    count: int  # type: ignore[assignment] # a method of tuples has the name
    distinct: int


FirstLast: TypeAlias = tuple[str | None, str | None]
"""The first and the last time of something, as in `TimeCount`; None where no time is known."""


class HostCount(NamedTuple):
    """How the identifiers of a host came.

    >>> from urisieve.sinks.statistics import HostCount, collect_statistics
    >>> host: HostCount = collect_statistics(["samples/access.log"], links=True).hosts.details[0]
    >>> host.sources, host.spellings, host.first_time
    (1, 3, '2026-11-21T00')

    Attributes:
        sources: in how many sources.
        spellings: in how many spellings, of the whole identifiers.
        first_time: the first time at which one came, as in `TimeCount`; None if it is not known.
        last_time: the last one.
    """

    sources: int
    spellings: int
    first_time: str | None = None
    last_time: str | None = None


class LinkCount(NamedTuple):
    """How often an identifier came, and how.

    >>> from urisieve.sinks.statistics import LinkCount, collect_statistics
    >>> link: LinkCount = collect_statistics(["samples/access.log"], links=True).links[0]
    >>> link.uri, link.count, link.spellings, link.first_time
    ('https://www.example.org/m/filter/b113', 3, 2, '2026-11-21T00')

    Attributes:
        uri: its canonical URI, with its password masked.
        count: how often it came.
        sources: in how many sources.
        spellings: in how many spellings.
        first_time: the first time at which it came, as in `TimeCount`; None if it is not known.
        last_time: the last one.
    """

    uri: str
    count: int  # type: ignore[assignment] # a method of tuples has the name
    sources: int
    spellings: int
    first_time: str | None = None
    last_time: str | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The most frequent names of a kind.

    >>> from urisieve.sinks.statistics import Ranking, collect_statistics
    >>> hosts: Ranking = collect_statistics(["samples/access.log"], top=1).hosts
    >>> hosts.names, hosts.total, len(hosts.rows), hosts.others
    (5, 8, 1, 4)

    Attributes:
        names: how many different names there are.
        total: how many identifiers have a name.
        rows: the most frequent names, the most frequent first; equally frequent ones in the order of their code points.
        others: how many identifiers have a name that is not in `rows`.
        examples: of templates, up to three canonical URIs for each of `rows`: the first that differ.
        details: of hosts, how the identifiers of each of `rows` came; empty where it is not counted.
    """

    names: int = 0
    total: int = 0
    rows: tuple[NameCount, ...] = ()
    others: int = 0
    examples: tuple[tuple[str, ...], ...] = ()
    details: tuple[HostCount, ...] = ()

    def with_examples(self) -> Iterator[tuple[NameCount, tuple[str, ...]]]:
        """Yield each row with its examples; few rankings have some."""
        return zip(self.rows, self.examples or ((),) * len(self.rows), strict=True)

    def as_dict(self) -> dict[str, Any]:
        """Return all fields by name; examples are in the rows."""
        rows = [
            {**row._asdict(), "examples": [*examples]} if self.examples else row._asdict()
            for row, examples in self.with_examples()
        ]
        for row, host in zip(rows, self.details, strict=False):
            row.update(host._asdict())
        return {"names": self.names, "total": self.total, "rows": rows, "others": self.others}


class MergeExample(NamedTuple):
    """Two spellings of one key.

    >>> from urisieve.sinks.statistics import MergeExample, collect_statistics
    >>> example: MergeExample = collect_statistics(["samples/access.log"]).merges.rules[0].examples[0]
    >>> example.raw, example.first
    ('HTTPS://WWW.Example.org:443/m/filter/b113', 'https://www.example.org/m/filter/b113')

    Attributes:
        raw: a spelling, with its password masked.
        first: the spelling in which the key came first, with its password masked.
        uri: the canonical URI of `raw`, with its password masked.
    """

    raw: str
    first: str
    uri: str


class Merge(NamedTuple):
    """How many identifiers a rule has made the same as an earlier one in another spelling.

    >>> from urisieve.sinks.statistics import Merge, collect_statistics
    >>> merge: Merge = collect_statistics(["samples/access.log"]).merges.rules[0]
    >>> merge.rule, merge.count, merge.meaning
    ('scheme-case', 1, 'the scheme is in lower case')

    Attributes:
        rule: the code of the rule, as `explain` names it.
        meaning: what the rule does, in words.
        count: how many identifiers; one may need several rules, and counts for each of them.
        examples: the first ones that differ from each other.
    """

    rule: str
    meaning: str
    count: int  # type: ignore[assignment] # a method of tuples has the name
    examples: tuple[MergeExample, ...] = ()


@dataclass(frozen=True, slots=True)
class Merges:
    """The identifiers that have the key of an earlier one, but are spelled in another way.

    >>> from urisieve.sinks.statistics import Merges, collect_statistics
    >>> merges: Merges = collect_statistics(["samples/access.log"]).merges
    >>> merges.merged, merges.pairs, [merge.rule for merge in merges.rules]
    (1, 1, ['scheme-case', 'host-case', 'default-port'])

    Attributes:
        merged: how many identifiers have another spelling than the one in which their key came first.
        pairs: how many different pairs of such spellings there are.
        rules: the rules that made them the same, the most frequent first.
        unexplained: how many of `merged` were counted, but not looked into: the limit of pairs was reached.
    """

    merged: int = 0
    pairs: int = 0
    rules: tuple[Merge, ...] = ()
    unexplained: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return all fields by name."""
        return _by_name(self)


class CodeCount(NamedTuple):
    """How often a reason or a warning came.

    >>> from urisieve.sinks.statistics import CodeCount, collect_statistics
    >>> code: CodeCount = collect_statistics(["samples/access.log"]).rejections.rows[0]
    >>> code.code, code.count, code.examples
    ('bad-ip-literal', 1, ('http://[1::2::3]/',))

    Attributes:
        code: the code.
        count: how many candidates were rejected for the reason, or how many identifiers have the warning.
        meaning: what it means, in words.
        examples: the first different raw texts, with passwords masked.
    """

    code: str
    count: int  # type: ignore[assignment] # a method of tuples has the name
    meaning: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeCounts:
    """The reasons or warnings that came, the most frequent first.

    >>> from urisieve.sinks.statistics import CodeCounts, collect_statistics
    >>> warnings: CodeCounts = collect_statistics(["samples/syslog.txt"]).warnings
    >>> warnings.total, [row.code for row in warnings.rows]
    (4, ['host-not-ldh', 'password-present', 'unregistered-scheme', 'userinfo-present'])

    Attributes:
        total: the sum of their counts.
        rows: the codes.
    """

    total: int = 0
    rows: tuple[CodeCount, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return all fields by name."""
        return _by_name(self)


class TimeUnit(StrEnum):
    """The unit of a timeline.

    >>> from urisieve.sinks.statistics import TimeUnit
    >>> TimeUnit("day") is TimeUnit.DAY
    True
    """

    HOUR = "hour"
    DAY = "day"
    MONTH = "month"
    YEAR = "year"


# `2024-05-31T13` and what is left of it for larger units; `--` for a year that is not stated.
_TIME: Final = lazy_compile(r"(\d{4}|--?)(?:-(\d\d)(?:-(\d\d)(?:T(\d\d))?)?)?")
_LEAP_YEAR: Final = 2000  # for times without a year


def number_of_time(time: str, unit: TimeUnit) -> int | None:
    """Return how many units a time is from a fixed one; None if it is not a time of this unit."""
    from datetime import date

    match = _TIME.fullmatch(time)
    if match is None:
        return None
    numbers = [0 if part[0] == "-" else int(part) for part in match.groups() if part is not None]
    if len(numbers) <= list(TimeUnit)[::-1].index(unit):
        return None
    year, month, day, hour = (*numbers, *(1, 1, 0)[len(numbers) - 1 :])
    year = year or _LEAP_YEAR
    if unit is TimeUnit.YEAR:
        return year
    if unit is TimeUnit.MONTH:
        return 12 * year + month
    try:
        days = date(year, month, day).toordinal()
    except ValueError:
        return None
    return days if unit is TimeUnit.DAY else 24 * days + hour


class TimeCount(NamedTuple):
    """How many identifiers have a time within an hour, day, month or year.

    >>> from urisieve.sinks.statistics import TimeCount, collect_statistics
    >>> timeline = collect_statistics(["samples/access.log"]).timeline
    >>> row: TimeCount | None = timeline.rows[0] if timeline else None
    >>> row
    TimeCount(time='2026-11-21T00', count=8)

    Attributes:
        time: `2024-05-31T13`, `2024-05-31`, `2024-05` or `2024`, in UTC where the time zone is stated. Where the year
            is not, `--05-31T13`, `--05-31`, `--05` or `--`.
        count: how many identifiers.
    """

    time: str
    count: int  # type: ignore[assignment] # a method of tuples has the name


@dataclass(frozen=True, slots=True)
class Timeline:
    """When identifiers came: by the times of lines, entries of journals and messages.

    >>> from urisieve.sinks.statistics import Timeline, collect_statistics
    >>> timeline: Timeline | None = collect_statistics(["samples/mail.mbox"]).timeline
    >>> [(row.time, row.count) for row in timeline.rows] if timeline else []
    [('2026-11-21T09', 9), ('2026-11-21T10', 3), ('2026-11-21T11', 3)]

    Attributes:
        unit: the unit: the finest of which there are not too many rows.
        rows: the times at which identifiers came, in rising order; others are left out.
        undated: how many identifiers have no time.
        impossible: how many have one that cannot be true: before 1970, or after tomorrow, but for calendars.
        first: the first hour at which one came, whatever the unit; those without a year and impossible ones are left
            out. None if there is none.
        last: the last hour.
    """

    unit: TimeUnit
    rows: tuple[TimeCount, ...]
    undated: int = 0
    impossible: int = 0
    first: str | None = None
    last: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return all fields by name."""
        return _by_name(self)


@dataclass(frozen=True, slots=True)
class InputCounts:
    """The counts of what was read, skipped and broken, as `Tally` has them.

    >>> from urisieve.sinks.statistics import InputCounts, collect_statistics
    >>> counts: InputCounts = collect_statistics(["samples/mail.mbox"]).input
    >>> counts.kinds, counts.read
    ((('mail', 1),), (('message', 3), ('part', 3)))

    Attributes:
        kinds: the number of files by the kind they were read as.
        read: the number of things read, by kind.
        skipped: kind, reason and number of what was not read.
        broken: kind, reason and number of faults.
    """

    kinds: tuple[tuple[str, int], ...] = ()
    read: tuple[tuple[str, int], ...] = ()
    skipped: tuple[tuple[str, str, int], ...] = ()
    broken: tuple[tuple[str, str, int], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return all fields by name."""
        return {
            "kinds": dict(self.kinds),
            "read": dict(self.read),
            "skipped": [{"kind": kind, "reason": reason, "count": count} for kind, reason, count in self.skipped],
            "broken": [{"kind": kind, "reason": reason, "count": count} for kind, reason, count in self.broken],
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Statistics:
    """The counts of what was found in some input; `StatisticsSink.statistics` and `collect_statistics` make it.

    >>> from urisieve.sinks.statistics import Statistics, collect_statistics
    >>> statistics: Statistics = collect_statistics(["samples/access.log"])
    >>> statistics.files, statistics.schemes.rows[0].name, statistics.as_dict()["schema"]
    (1, 'http', 1)

    All counts are exact; distinct ones up to the collision bound of 16-byte digests.

    Attributes:
        files: the number of files read to their end.
        bytes: the number of bytes read.
        funnel: from candidates to distinct identifiers.
        kinds: `uri`, `iri`, `urn`.
        schemes: the schemes, in lower case.
        hosts: the hosts; identifiers without one, or with an empty one (`file:///`), are not counted.
        domains: the registrable domains of the hosts; hosts without one, such as addresses, are not counted. None
            without the package that knows the public suffixes.
        namespaces: the namespace identifiers of URNs, in lower case.
        sources: the files.
        templates: the templates of the links (`template_of`), with examples; None where they are not counted.
        links: the identifiers that come most; empty where they are not counted.
        merges: which rules made spellings the same.
        rejections: the reasons for which candidates were rejected.
        warnings: the warnings of valid identifiers.
        timeline: when identifiers came; None if nothing has a time.
        input: what was read, skipped and broken.
        notes: what the reader of the counts must know, in words, such as what is missing.
    """

    files: int = 0
    bytes: int = 0
    funnel: Funnel = Funnel()
    kinds: Ranking = Ranking()
    schemes: Ranking = Ranking()
    hosts: Ranking = Ranking()
    domains: Ranking | None = None
    namespaces: Ranking = Ranking()
    sources: Ranking = Ranking()
    templates: Ranking | None = None
    links: tuple[LinkCount, ...] = ()
    merges: Merges = Merges()
    rejections: CodeCounts = CodeCounts()
    warnings: CodeCounts = CodeCounts()
    timeline: Timeline | None = None
    input: InputCounts = InputCounts()
    notes: tuple[str, ...] = ()

    def defanged(self) -> Statistics:
        """Return the same with names and examples that could be links in a form that no program makes a link of.

        >>> from urisieve.sinks.statistics import collect_statistics
        >>> collect_statistics(["samples/access.log"], top=1).defanged().hosts.rows[0].name
        'www[.]example[.]org'
        """
        from urisieve.records.mask import Mask

        mask = Mask(None, defang=True)

        def ranking(of: Ranking, kind: str) -> Ranking:
            rows = (row if row.name is None else row._replace(name=mask.value(kind, row.name)) for row in of.rows)
            examples = (tuple(map(mask.candidate, some)) for some in of.examples)
            return replace(of, rows=tuple(rows), examples=tuple(examples))

        def codes(of: CodeCounts) -> CodeCounts:
            rows = [row._replace(examples=tuple(map(mask.candidate, row.examples))) for row in of.rows]
            return replace(of, rows=tuple(rows))

        def example(one: MergeExample) -> MergeExample:
            return MergeExample(*(mask.value("raw", text, one.uri) for text in one))

        rules = [merge._replace(examples=tuple(map(example, merge.examples))) for merge in self.merges.rules]
        return replace(
            self,
            hosts=ranking(self.hosts, "host"),
            domains=None if self.domains is None else ranking(self.domains, "domain"),
            sources=ranking(self.sources, "source"),
            templates=None if self.templates is None else ranking(self.templates, "template"),
            links=tuple(row._replace(uri=mask.uri(row.uri)) for row in self.links),
            merges=replace(self.merges, rules=tuple(rules)),
            rejections=codes(self.rejections),
            warnings=codes(self.warnings),
        )

    def rankings(self) -> list[tuple[str, Ranking]]:
        """Return the rankings that there are, with their names in `as_dict`."""
        rankings = (
            ("kinds", self.kinds),
            ("schemes", self.schemes),
            ("hosts", self.hosts),
            ("domains", self.domains),
            ("namespaces", self.namespaces),
            ("sources", self.sources),
            ("templates", self.templates),
        )
        return [(name, ranking) for name, ranking in rankings if ranking is not None]

    def as_dict(self) -> dict[str, Any]:
        """Return all fields by name, for JSON, with the version of this form as `schema`; the names are stable."""
        return {"schema": STATISTICS_SCHEMA, **_by_name(self)}
