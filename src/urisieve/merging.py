"""The steps that merge more than the RFCs do, and profiles, which are sets of steps.

The functions of the steps are in `urisieve.judge.merge_steps`, their references and examples in the rows that it reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from urisieve.errors import UsageError
from urisieve.lean import Final, NamedTuple, Self, lazy_compile
from urisieve.quick_enums import StrEnum
from urisieve.syntax.components import is_on
from urisieve.wording import did_you_mean, in_order


class MergeStep(StrEnum):
    """Steps that merge identifiers which are different by the RFCs; none is applied by default.

    They apply in the order listed here, after the normalization ladder. `docs/merging.md` lists what each
    of them merges.

    >>> from urisieve import Options, key
    >>> from urisieve.options import MergeStep
    >>> key("http://www.example.com/#top", options=Options(merge=[MergeStep.DROP_FRAGMENT, MergeStep.STRIP_WWW]))
    'http://example.com/'
    """

    NUMERIC_PORT = "numeric-port"
    HOST_ONLY = "host-only"
    HTTPS = "https"
    DROP_USERINFO = "drop-userinfo"
    WWW_NUMBERED = "www-numbered"
    STRIP_WWW = "strip-www"
    MOBILE_HOST = "mobile-host"
    ROOT_PATH = "root-path"
    LOWER_PATH = "lower-path"
    SESSION_IDS = "session-ids"
    ARK = "ark"
    MERGE_SLASHES = "merge-slashes"
    INDEX_PAGE = "index-page"
    TRAILING_SLASH = "trailing-slash"
    KEEP_PARAMS = "keep-params"
    """Only the parameters of `Profile.keep_params` stay; a profile that names some has this step."""
    DROP_PARAMS = "drop-params"
    """The parameters of `Profile.drop_params` go; a profile that names some has this step."""
    DROP_TRACKING = "drop-tracking"
    SORT_QUERY = "sort-query"
    EMPTY_QUERY = "empty-query"
    DROP_ANCHOR = "drop-anchor"
    DROP_FRAGMENT = "drop-fragment"
    ISBN_13 = "isbn-13"
    RESOLVER_LINKS = "resolver-links"
    ARCHIVE_KEY = "archive-key"
    """The key, not the identifier, becomes that of the indexes of web archives (CDXJ)."""


_OWN_PARAMETERS: Final = (MergeStep.KEEP_PARAMS, MergeStep.DROP_PARAMS)
# The steps that a name alone asks for.
NAMED_STEPS: Final = tuple(step for step in MergeStep if step not in _OWN_PARAMETERS)
# A name of a parameter, perhaps the beginning of names, and a host. No query contains blanks, no name "&", and the "?"
# before a query is no part of one.
_PARAMETER: Final = lazy_compile(r"(?P<name>[^\s&=#@*?][^\s&=#@*]*)(?P<prefix>\*?)(?:@(?P<host>[^\s&=#@*/:]+))?")


_TRIPLET: Final = lazy_compile("%[0-9A-Fa-f]{2}")
# Triplets of unreserved characters (RFC 3986 2.3).
_DECODED: Final = lazy_compile("%(?:2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F|7E)")
_WWW: Final = lazy_compile(r"\A(?:www[0-9]*\.)+(?=.*\.)")


class Parameter(NamedTuple):
    """Parameters of a query that a profile names.

    Attributes:
        name: their name, or what their names begin with; upper and lower case differ.
        is_prefix: whether longer names count too.
        host: the host on whose links they count, with the hosts below it; "" for all.
    """

    name: str
    is_prefix: bool
    host: str

    @classmethod
    def of(cls, text: str) -> Parameter:
        """Return what `NAME`, `NAME*`, `NAME@HOST` or `NAME*@HOST` stands for.

        Raises:
            UsageError: the text has another form.
        """
        match = _PARAMETER.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise UsageError(f"{text!r} does not name parameters: write NAME, NAME*, NAME@HOST or NAME*@HOST")
        from urisieve.syntax.host import host_as_written
        from urisieve.syntax.iri import encoded

        host = ""
        if match["host"] is not None:
            verdict = host_as_written(match["host"].rstrip(".").lower())
            host = verdict.host
            if verdict.reason is not None or not host:
                raise UsageError(f"{text!r}: {match['host']!r} is not the name of a host")
        name = _TRIPLET.sub(lambda triplet: triplet[0].upper(), encoded(match["name"]))  # as in a canonical URI
        if _DECODED.search(name):
            raise UsageError(f"{text!r}: no canonical URI has this name: write the characters without triplets")
        return cls(name, bool(match["prefix"]), host)

    def is_on(self, host: str) -> bool:
        """Report whether links of a host may have them."""
        return is_on(host, self.host)

    def without_www(self) -> Parameter:
        """Return the same parameters on the links of the host without the `www.` before it."""
        return self._replace(host=_WWW.sub("", self.host))

    def covers(self, name: str) -> bool:
        """Report whether a parameter of this name is one of them."""
        return name.startswith(self.name) if self.is_prefix else name == self.name

    def __str__(self) -> str:
        return f"{self.name}{'*' if self.is_prefix else ''}{f'@{self.host}' if self.host else ''}"


class _Steps(NamedTuple):
    steps: tuple[MergeStep, ...]
    drop_params: tuple[Parameter, ...]
    keep_params: tuple[Parameter, ...]


class Profile(_Steps):
    """A set of steps, and the parameters of queries that two of them drop; an immutable value, false without steps.

    >>> from urisieve import Options, Profile, equivalent
    >>> shop = Profile(["page", "lower-path"], drop_params=["ref@shop.example"])
    >>> one, other = "http://www.shop.example/Tea/?ref=7", "https://shop.example/tea"
    >>> equivalent(one, other), equivalent(one, other, options=Options(merge=shop))
    (False, True)

    Args:
        steps: members of `MergeStep`, or their names; the name of a profile of `PROFILES` stands for its steps. They
            are applied in the order of `MergeStep`, whatever their order is here.
        drop_params: parameters of the query that do not count: `NAME`, `NAME*` for all names that begin so,
            `NAME@HOST` on the links of a host and of those below it.
        keep_params: the only parameters that count, on the hosts on which some are named; elsewhere all count.

    Raises:
        UsageError: a name is not that of a step or profile, or a text does not name parameters.
    """

    __slots__ = ()

    def __new__(
        cls,
        steps: str | Iterable[MergeStep | str] = (),
        drop_params: str | Iterable[Parameter | str] = (),
        keep_params: str | Iterable[Parameter | str] = (),
    ) -> Self:
        """Check the names."""
        chosen = set(_steps(steps))
        dropped, kept = _parameters(drop_params, "drop_params"), _parameters(keep_params, "keep_params")
        if MergeStep.STRIP_WWW in chosen:  # no link has such a host then
            dropped, kept = (tuple(sorted({one.without_www() for one in named})) for named in (dropped, kept))
        for step, named in ((MergeStep.DROP_PARAMS, dropped), (MergeStep.KEEP_PARAMS, kept)):
            if named:
                chosen.add(step)
            elif step in chosen:
                raise UsageError(f"the step {str(step)!r} needs names of parameters: {_attribute(step)}=[...]")
        return tuple.__new__(cls, (tuple(step for step in MergeStep if step in chosen), dropped, kept))

    def __bool__(self) -> bool:
        return bool(self.steps)

    def __repr__(self) -> str:
        shown = [repr(list(map(str, self.steps)))] if self.steps else []
        for name in ("drop_params", "keep_params"):
            if getattr(self, name):
                shown.append(f"{name}={list(map(str, getattr(self, name)))!r}")
        return f"Profile({', '.join(shown)})"

    def one_step(self, step: MergeStep) -> Profile:
        """Return a profile of one of the steps, with its parameters."""
        if step not in _OWN_PARAMETERS:
            return Profile((step,))
        return Profile((), **{_attribute(step): getattr(self, _attribute(step))})


def _attribute(step: MergeStep) -> str:
    return step.replace("-", "_")


def _texts(values: object, name: str, noun: str) -> list[object]:
    if isinstance(values, str):
        return list(map(str.strip, values.split(",")))
    if isinstance(values, (bytes, bytearray, Mapping)) or not isinstance(values, Iterable):
        hint = ", and no mapping" if isinstance(values, Mapping) else ""
        raise UsageError(f"{name}={values!r} must be names of {noun}{hint}")
    return in_order(values)


def _parameters(values: object, name: str) -> tuple[Parameter, ...]:
    texts = _texts(values, name, "parameters, such as ['ref', 'tag@shop.example']")
    return tuple(sorted({one if isinstance(one, Parameter) else Parameter.of(one) for one in texts}))  # type: ignore[arg-type] # `of` checks it


# What other programs call a step.
_MEANT: Final = {"surt": MergeStep.ARCHIVE_KEY, "urlkey": MergeStep.ARCHIVE_KEY}


def near_step(name: str, names: Iterable[str]) -> str:
    """Return the end of a message about a name that is none of these: which step or profile was meant, if any.

    >>> near_step("SURT", PROFILES), near_step("pages", PROFILES)
    ("; did you mean 'archive-key'?", "; did you mean 'page'?")
    """
    meant = _MEANT.get(name.lower())
    return did_you_mean(name, names) if meant is None else f"; did you mean {str(meant)!r}?"


def _steps(values: object) -> list[MergeStep]:
    chosen: list[MergeStep] = []
    named = (
        [values]
        if isinstance(values, Profile)
        else _texts(values, "merge", f"steps or profiles: {', '.join(map(str, (*PROFILES, *MergeStep)))}")
    )
    for name in named:
        if isinstance(name, Profile):
            raise UsageError(
                "a Profile is no step of another one: give its steps, as Profile([*profile.steps, 'https'])"
            )
        if isinstance(name, str) and name in PROFILES:
            chosen += PROFILES[name]
            continue
        try:
            chosen.append(MergeStep(name))  # type: ignore[arg-type] # what is not a string is not a member either
        except ValueError:
            allowed = [*PROFILES, *MergeStep]
            near = near_step(str(name), map(str, allowed))
            raise UsageError(
                f"merge={name!r} is neither a profile nor a step; use one of {', '.join(map(str, allowed))}{near}"
            ) from None
    return chosen


# The profiles that come along, by name.
PROFILES: Final[dict[str, tuple[MergeStep, ...]]] = {
    "rfc": (),
    "request": (MergeStep.NUMERIC_PORT, MergeStep.SORT_QUERY, MergeStep.EMPTY_QUERY, MergeStep.DROP_FRAGMENT),
    "page": (
        *(MergeStep.NUMERIC_PORT, MergeStep.HTTPS, MergeStep.WWW_NUMBERED, MergeStep.STRIP_WWW, MergeStep.ROOT_PATH),
        *(MergeStep.SESSION_IDS, MergeStep.MERGE_SLASHES, MergeStep.INDEX_PAGE, MergeStep.TRAILING_SLASH),
        *(MergeStep.DROP_TRACKING, MergeStep.SORT_QUERY, MergeStep.EMPTY_QUERY, MergeStep.DROP_ANCHOR),
    ),
    "host": (MergeStep.HOST_ONLY, MergeStep.HTTPS),
}


def profile_of(value: Profile | str | Iterable[MergeStep | str]) -> Profile:
    """Return a profile for the value of the option `merge`: a profile, or the names of steps and profiles.

    Raises:
        UsageError: a name is not that of a step or profile.
    """
    if isinstance(value, Profile):
        return value
    return NO_STEPS if value == () else Profile(value)


NO_STEPS: Final = Profile()
