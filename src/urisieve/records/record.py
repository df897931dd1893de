"""`Record`: one valid identifier, a view of a row of fields.

A record cannot be changed. Its base class keeps its fields: without the compiled kernel as a tuple, a third of the time
of a frozen dataclass (0.2 us against 0.5 us measured on CPython 3.11); with it, mostly as a copy of what the search has
found, in a piece of memory that the record alone owns (0.05 us, and half the memory). The components are split from
`uri` when they are first asked for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import repeat

from urisieve.codes import Notice, Warn
from urisieve.errors import InputError, UsageError
from urisieve.finding_options import DEFAULT_OPTIONS, Options, protected_names
from urisieve.kernel import kernel, of_kernel
from urisieve.lean import TYPE_CHECKING, Any, Final, Literal, late
from urisieve.records.base import (
    NOWHERE,
    PLACE_NAMES,
    HasComponents,
    Location,
    RecordFields,
    Value,
    values_by_name,
    values_together,
)
from urisieve.records.masking import hides_password, masked_alternative, masked_key, masked_raw, masked_text, token_of
from urisieve.rules.table import KNOWN_RULES, RuleTable, rules_of
from urisieve.syntax.components import SPACES, Components, recompose, split

if TYPE_CHECKING:
    from urisieve.judge.judge import Judged
    from urisieve.records.urn_parts import Urn
else:
    Urn = late("urisieve.records.urn_parts", "Urn")


# The index of each field in a row that `Value` does not know.
_RAW, _URI, _KEY = range(3)
_WRAPPER, _WARNINGS, _ALTERNATIVES = map(RecordFields._fields.index, ("wrapper", "warnings", "alternatives"))
_NO_SPACES: Final = dict.fromkeys(map(ord, SPACES))
# The fields of the mapping that `values_by_name` does not add.
_NAMES: Final = (
    *("raw", "uri", "iri", "key", "kind", "scheme", "userinfo", "host", "host_kind", "port", "path", "query"),
    *("fragment", "nid", "nss", "source", *PLACE_NAMES, "start", "end", "line", "column", "byte_start", "byte_end"),
    *("wrapper", "warnings", "alternatives"),
)


class _PlainFields:
    """The base of `Record` without the kernel: the values of `RecordFields`, in their order.

    They are a plain tuple, which the garbage collector passes over. The components are set once they are known, the
    rule table if it is not `KNOWN_RULES`.
    """

    __slots__ = ("_parts", "_row", "_ruled")


if TYPE_CHECKING:
    _Fields = kernel.RecordBase
else:
    _Fields = of_kernel("RecordBase", _PlainFields)


class Record(Value, HasComponents, _Fields):
    """A valid identifier and everything known about it: an immutable view of a row of fields.

    It is a mapping of its fields by name (docs/records.md), with the values of JSON lines: `record["uri"]`,
    `dict(record)`. Equality, order and hash are those of `key`: two records are equal if their identifiers are
    equivalent at the normalization level used (RFC 3986 6). A record is true in a condition, a rejection false.

    Offsets are half-open and count characters from 0, from the start of the text; `line` and `column` count from 1 (a
    line ends after U+000A). `byte_start` and `byte_end` count bytes from 0 and are None unless the source was made of
    bytes. `raw` is the text from `start` to `end`.

    Components (`scheme` to `nss`) are those of `uri`; one that is absent is None, one that is empty is "".

    >>> from urisieve import Record, extract
    >>> (record,) = extract("see http://EXAMPLE.com:80/%7Ejoe now")
    >>> isinstance(record, Record), record.uri, record.raw, record.start, record.end
    (True, 'http://example.com/~joe', 'http://EXAMPLE.com:80/%7Ejoe', 4, 32)
    >>> record.host, record.port, record.query, record.line, record.column
    ('example.com', None, None, 1, 5)
    >>> record["raw"], record["warnings"], {**record}["uri"]
    ('http://EXAMPLE.com:80/%7Ejoe', [], 'http://example.com/~joe')

    Raises:
        TypeError: it is constructed directly; `extract`, `parse` and `check` return records.
        AttributeError: an attribute is set or deleted.
    """

    __slots__ = ()
    _START = RecordFields._fields.index("start")
    _VALUES = values_by_name(_NAMES, context=True)
    _PLAIN = values_by_name(_NAMES, context=False)
    _TOGETHER = values_together(_NAMES)

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("a Record cannot be made directly: records come from extract(), parse() or check()")

    @property
    def _rules(self) -> RuleTable:
        """The rule table for parts, notices and the identifier inside."""
        rules: RuleTable = getattr(self, "_ruled", KNOWN_RULES)
        return rules

    @property
    def raw(self) -> str:
        """The identifier as it stood in the text, with any white space in it, without wrapper or `URL:` prefix."""
        return self._row[_RAW]  # type: ignore[no-any-return]

    @property
    def uri(self) -> str:
        """The canonical URI; an IRI is mapped by RFC 3987 3.1."""
        return self._row[_URI]  # type: ignore[no-any-return]

    @property
    def key(self) -> str:
        """The key for comparison: equal keys mean equivalent identifiers (RFC 3986 6, RFC 2141 5, RFC 8141 3).

        It is `uri`; for a URN of RFC 8141 `uri` without r-, q- and f-components; at level `none` the text as it was.
        """
        return self._row[_KEY]  # type: ignore[no-any-return]

    @property
    def wrapper(self) -> str | None:
        """The opener and closer that delimited the identifier, as in `<>`; None for a bare identifier."""
        return self._row[_WRAPPER]  # type: ignore[no-any-return]

    @property
    def warnings(self) -> tuple[Warn, ...]:
        """The codes of whatever deserves a second look; `urisieve.codes` explains each."""
        return self._row[_WARNINGS]  # type: ignore[no-any-return]

    @property
    def notices(self) -> tuple[Notice, ...]:
        """The warnings with the value found or expected, such as the right check digit; computed when first asked for.

        In the order of `warnings`; a warning may have several notices, one for each value.
        """
        warnings = self.warnings
        if not warnings:
            return ()
        details: Sequence[Notice] = ()
        scheme = self.components.scheme.lower()
        if scheme == "urn":
            from urisieve.records.urn_parts import notices_of_urn

            details = notices_of_urn(self.components, self.raw, warnings, self._rules)
        else:
            check, protected = self._rules.scheme(scheme).check, self._rules.protected
            if check is not None or protected is not None:
                text = self.raw.translate(_NO_SPACES)
                written = split(text) if text.lower().startswith(f"{scheme}:") else self.components
                details = () if check is None else check(written)
                if protected is not None:
                    from urisieve.rules.spoof_check import spoof_check

                    details = [*details, *spoof_check(protected).notices(self.components, written)]
            if Warn.NAMES_TARGET_HOST in warnings:
                from urisieve.rules.redirectors import named_host

                details = [*details, Notice(Warn.NAMES_TARGET_HOST, named_host(self.uri) or "")]
            if Warn.HOSTS_DISAGREE in warnings:
                own, others = self.components, map(split, self.alternatives)
                hosts = [one.host for one in others if one.host and one._replace(host=own.host) == own]
                details = [*details, *(Notice(Warn.HOSTS_DISAGREE, host) for host in hosts)]
        return tuple(
            notice
            for warn in warnings
            for notice in [detail for detail in details if detail.warn is warn]
            or [Notice(warn, self._rules.scheme(scheme).reference if warn is Warn.SCHEME_SYNTAX else "")]
        )

    @property
    def alternatives(self) -> tuple[str, ...]:
        """Canonical URIs that the text may have meant (RFC 3986 Appendix C, hyphen at a line break)."""
        return self._row[_ALTERNATIVES]  # type: ignore[no-any-return]

    @property
    def iri(self) -> str:
        """The canonical form for people to read (RFC 3987 3.2, host labels in Unicode)."""
        uri = self.uri
        if "%" not in uri and "xn--" not in uri:
            return uri
        from urisieve.judge.normalize import iri_text

        return iri_text(self.components, self._rules)

    @property
    def kind(self) -> str:
        """The kind of identifier: `urn`, `iri` (the raw text holds non-ASCII characters) or `uri`."""
        return "urn" if self.components.scheme.lower() == "urn" else kind_of_raw(self.raw)

    @property
    def components(self) -> Components:
        """The components of `uri` (RFC 3986 3)."""
        parts: Components | None = getattr(self, "_parts", None)
        if parts is None:
            parts = split(self.uri)
            _set_parts(self, parts)
        return parts

    @property
    def domain(self) -> str | None:
        """The registrable domain of the host, as `registrable_domain` returns it; None without one.

        It needs `pip install 'urisieve[domains]'`.

        >>> from urisieve import parse
        >>> parse("http://www.example.co.uk/").domain
        'example.co.uk'

        Raises:
            UsageError: the extra `domains` is not installed.
        """
        from urisieve.rules.registry import domain_of

        host = self.components.host
        return domain_of(host.lower()) if host else None

    @property
    def urn(self) -> Urn | None:
        """The URN taken apart, with its parts by the names of its namespace; None for any other identifier."""
        parts = self.components
        if parts.scheme.lower() != "urn":
            return None
        from urisieve.records.urn_parts import urn_of

        return urn_of(parts, self.raw, self._rules)

    @property
    def parts(self) -> dict[str, str]:
        """The identifier taken apart by the terms of its scheme's RFC, as `number` and `extension` of a `tel` URI.

        Values are as in `uri`: nothing is decoded. Empty if the scheme has no rule for its parts. The parts of a URN
        are those of `urn`.
        """
        if self.urn is not None:
            return dict(self.urn.parts)
        parts = self.components
        rule = self._rules.scheme(parts.scheme.lower())
        return {} if rule.parts is None else rule.parts(parts)

    @property
    def inner(self) -> str | None:
        """The identifier inside this one, as that of `view-source:http://e.example/`, or None.

        As it is in `uri`, not validated: `urisieve.check` reports whether it is valid.
        """
        parts = self.components
        rule = self._rules.scheme(parts.scheme.lower())
        return None if rule.inner is None else rule.inner(parts)

    def __bool__(self) -> Literal[True]:
        return True

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, Record) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)

    def __lt__(self, other: object) -> bool:
        return self.key < other.key if isinstance(other, Record) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self.key <= other.key if isinstance(other, Record) else NotImplemented

    def __str__(self) -> str:
        return masked_text(self.uri)

    def __repr__(self) -> str:
        return f"<Record {masked_text(self.uri)!r} at {self.start}:{self.end}>"

    def _repr_html_(self) -> str:
        """Return a table for notebooks: escaped, defanged, without links and passwords."""
        from urisieve.records.read_back import record_html

        return record_html(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return make_record, (self._row, self._rules, getattr(self, "_parts", None))

    @property
    def fields(self) -> RecordFields:
        """The fields of the row, by name."""
        return _tuple(RecordFields, self._row)

    def _requested(self) -> dict[str, Any]:
        return {"parts": self.parts, "notices": [notice.as_dict() for notice in self.notices]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, options: Options | None = None) -> Record:
        """Return the record of a mapping of its fields, as one is, or as `extract --format jsonl` writes a line.

        All fields must be there and fit each other: those that follow from `uri` and `raw` are computed again and
        compared. `read_records` reads whole files, also CSV and Parquet.

        >>> import json
        >>> from urisieve import Record, parse
        >>> line = json.dumps(parse("HTTP://EXAMPLE.com"), default=dict)
        >>> record = Record.from_dict(json.loads(line))
        >>> record.uri, record.raw, dict(record) == json.loads(line)
        ('http://example.com/', 'HTTP://EXAMPLE.com', True)

        Args:
            values: the fields by name, all of them; a field `new`, with which `dedupe` marks rows, is left out.
            options: those by which the record was made; they matter if they had `rules`, `spoofing` or `protect`, and
                to a `Store`, which refuses a record whose key other options made.

        Raises:
            UsageError: a field is missing, unknown or does not fit the others, the message says which; or the record
                is of another `SCHEMA_VERSION`.
        """
        from urisieve.finding_options import checked
        from urisieve.records.read_back import check_against, check_fields, fields_of_record, is_record

        checked(options)
        given = check_fields(values, _record_fields().keys(), cls.__name__)
        if not is_record(given):
            raise UsageError("uri and key of a Record are strings")
        try:
            row, parts = fields_of_record(given, is_table=False)
        except InputError as error:
            raise UsageError(f"the mapping {error}") from error
        if parts is not None and recompose(parts) != row.uri:
            raise UsageError(f"path={parts.path!r:.200}, query and fragment do not make the uri {row.uri!r:.200}")
        rules = KNOWN_RULES.of_unknown_keys() if options is None else rules_of_records(options)
        record = make_record(row, rules, parts)
        check_against(given, record.as_dict(), cls.__name__)
        return record

    def masked(self, token: Callable[[str], str] | None = None, *, secret: bytes | None = None) -> Record:
        """Return the same record with any password masked, as it is to be written out (RFC 3986 3.2.1).

        >>> from urisieve import new_secret, parse
        >>> secret, record = new_secret(), parse("http://joe:pass@a.example/")
        >>> record.masked(secret=secret).key == record.masked(secret=secret).key
        True

        Args:
            token: returns the replacement of a password in `key`; equal for equal passwords only, so that two
                passwords stay two keys. By default a digest.
            secret: a password in `key` becomes a digest by this secret; by default by one of this process. See
                `new_secret`.

        Raises:
            UsageError: both are given, `token` is not a function, or the secret is not of 1 to 64 bytes.
        """
        token = token_of(token, secret)
        row = self.fields
        alternatives = tuple(map(masked_alternative, row.alternatives))
        if Warn.PASSWORD_PRESENT not in row.warnings and not hides_password(row.uri):
            return self if alternatives == row.alternatives else self.with_row(row._replace(alternatives=alternatives))
        return self.with_row(
            row._replace(
                raw=masked_raw(row.raw, row.uri),
                uri=masked_text(row.uri),
                key=masked_key(row.key, token),
                alternatives=alternatives,
            )
        )

    def replace(self, *, options: Options | None = None, **components: str | None) -> Record:
        """Return the record of the same identifier with other components, judged as a whole text; see `parse`.

        The components of `uri` are put together (RFC 3986 5.3). What they contain must be escaped as in any identifier.

        >>> from urisieve import parse
        >>> record = parse("http://example.com/a?b#c")
        >>> record.replace(scheme="https", path="/d/../e", query=None).uri
        'https://example.com/e#c'
        >>> record.replace(path="/a?b")
        Traceback (most recent call last):
            ...
        urisieve.errors.UsageError: with this path the identifier has other components: escape what delimits them

        Args:
            options: those by which the record was made; `Options()` by default.
            components: the new ones, of `scheme`, `userinfo`, `host`, `port`, `path`, `query` and `fragment`, as text;
                None for none, but there is always a scheme and a path.

        Raises:
            InvalidIdentifierError: they make no valid identifier.
            UsageError: there is no such component, a value is not text, or it contains what delimits components.
        """
        from urisieve.finding_options import checked
        from urisieve.judge.judge import judge_with
        from urisieve.judge.validate import Fault
        from urisieve.records.rejection import InvalidIdentifierError, rejection_of_whole

        text, judged = judge_with(self.components, components, checked(options))
        if isinstance(judged, Fault):
            raise InvalidIdentifierError(rejection_of_whole(text, judged))
        return judged_record(text, judged, options)

    def with_bytes(self, byte_start: int, byte_end: int) -> Record:
        """Return the same record with its offsets in a source of bytes, half-open and counted from 0."""
        row = self.fields._replace(byte_start=byte_start, byte_end=byte_end)
        return make_record(row, self._rules, getattr(self, "_parts", None))

    def with_row(self, row: RecordFields) -> Record:
        """Return a record of other fields, made by the same options."""
        return make_record(row, self._rules)


# The class of the kernel has a method for each attribute, which makes no row and needs no frame of Python.
for _name in vars(_Fields).keys() & {*RecordFields._fields}:
    setattr(Record, _name, property(vars(_Fields)[_name], doc=getattr(Record, _name).__doc__))
_stated: Final[Callable[[Record], Location | None]] = vars(_Fields).get("_location", lambda record: record._row[-1])
Record._location = property(lambda record: _stated(record) or NOWHERE)  # type: ignore[assignment, method-assign]

_new: Final = object.__new__
# Where the components of all records follow from their URIs.
NO_PARTS: Final[Mapping[int, Components]] = {}
# A named tuple without the cost of its own constructor, which takes three times as long.
_tuple: Final = tuple.__new__
# The slots' own setters: the only way past `__setattr__`.
_set_row: Final[Callable[[Record, tuple[Any, ...]], None]] = _Fields.__dict__["_row"].__set__
_set_parts: Final[Callable[[Record, Components], None]] = _Fields.__dict__["_parts"].__set__
_set_rules: Final[Callable[[Record, RuleTable], None]] = _Fields.__dict__["_ruled"].__set__


def rules_of_records(options: Options) -> RuleTable:
    """Return the rule table of the records that are made by some options, which also states how their keys are made."""
    keyed: tuple[Any, ...] | None = (options.level, options.merge, options.urn_syntax)
    return rules_of(options.rules, protected_names(options), None if keyed == _USUAL else keyed)


# How keys are made by default.
_USUAL: Final = (DEFAULT_OPTIONS.level, DEFAULT_OPTIONS.merge, DEFAULT_OPTIONS.urn_syntax)


@cache
def _record_fields() -> Record:
    """Return some record, whose fields are those of every one."""
    return make_record(RecordFields("urn:a:b", "urn:a:b", "urn:a:b"))


def kind_of_raw(raw: str) -> str:
    """Return `iri` or `uri` for an identifier that is not a URN; see `Record.kind`."""
    return "uri" if raw.isascii() or raw.translate(_NO_SPACES).isascii() else "iri"


def make_record(row: tuple[Any, ...], rules: RuleTable = KNOWN_RULES, parts: Components | None = None) -> Record:
    """Build a record.

    Args:
        row: its fields, in the order of `RecordFields`.
        rules: the rule table by which it was judged.
        parts: the components of its URI, if they are known.
    """
    record = _new(Record)
    _set_row(record, row)
    if rules is not KNOWN_RULES:
        _set_rules(record, rules)
    if parts is not None:
        _set_parts(record, parts)
    return record


def judged_record(text: str, judged: Judged, options: Options | None) -> Record:
    """Build the record of a whole text that is valid by some options; None for the default ones."""
    fields = (
        text, judged.uri, judged.key, 0, len(text), 1, 1, None, None, judged.warnings, judged.others, None, None, None
    )  # fmt: skip
    return make_record(fields, KNOWN_RULES if options is None else rules_of_records(options), judged.parts)


def make_records(
    rows: Iterable[tuple[Any, ...]],
    count: int,
    rules: RuleTable = KNOWN_RULES,
    parts: Mapping[int, Components] = NO_PARTS,
) -> list[Record]:
    """Build `count` records from their rows, by loops in compiled code.

    Args:
        rows: their fields, in the order of `RecordFields`.
        count: the number of rows.
        rules: the rule table by which they were judged.
        parts: the components of some of them, by their index; others are split from the URI.
    """
    if rules is not KNOWN_RULES:
        return [make_record(row, rules, parts.get(index)) for index, row in enumerate(rows)]
    records = list(map(_new, repeat(Record, count)))
    deque(map(_set_row, records, rows), maxlen=0)
    for index, known in parts.items():
        _set_parts(records[index], known)
    return records
