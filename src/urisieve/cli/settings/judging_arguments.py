"""Flags about finding, judging and normalizing identifiers, and the options of the library that they choose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from types import SimpleNamespace

from urisieve.cli.settings.arguments import NO_DEFAULT, Group
from urisieve.cli.settings.flags import choice_flag, some_names, words_flag
from urisieve.cli.settings.output_arguments import filter_flags
from urisieve.cli.settings.parser import Parser
from urisieve.cli.terminal.reports import say
from urisieve.errors import UsageError
from urisieve.lean import Final, field_names
from urisieve.merging import NAMED_STEPS, PROFILES, MergeStep, Profile
from urisieve.options import (
    DEFAULT_MAX_LENGTH,
    Bare,
    Charset,
    EmailFinding,
    EmbeddedSpace,
    Level,
    NestedFinding,
    Options,
    Refang,
    Repair,
    SchemelessFinding,
    SchemePolicy,
    Spoofing,
    Unwrap,
    UrnSyntax,
    ZoneIdentifiers,
    listed_schemes,
)
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.wording import did_you_mean


def sieve_flags(parser: Parser) -> None:
    """Add the flags about what is found, judged, and left out."""
    filter_flags(parser)
    _finding_flags(parser)
    judging_flags(parser, is_found=True)
    spoofing_flags(parser)


def _finding_flags(parser: Parser) -> None:
    """Add the flags about finding identifiers."""
    group = parser.add_argument_group("finding")
    group.add_argument(
        "--schemes",
        type=_schemes,
        default=NO_DEFAULT,
        metavar="NAME,...",
        common="only these, as http,urn,doi; or a rule (--help-all)",
        words=lambda: [*SchemePolicy, *scheme_names()],
        help=f"only those named, those behind a `+` as if they were registered, and none behind a `!`; or "
        f"`{SchemePolicy.DEFAULT}`: any scheme before `//` and the unmistakable ones without it; "
        f"`{SchemePolicy.REGISTERED}`: the registered of these; `{SchemePolicy.ANY}`: any `scheme:`; also "
        f"`{SchemePolicy.DEFAULT},+NAME` (default: {SchemePolicy.DEFAULT})",
    )
    several_flag(group, "--exclude-schemes", "NAME,...", "", now="--schemes with `!` before a name")
    several_flag(group, "--known-schemes", "NAME,...", "", now=f"--schemes {SchemePolicy.DEFAULT},+NAME")
    choice_flag(
        group, "--embedded-space", EmbeddedSpace, None, "what happens to white space inside <> (default: remove)"
    )
    _accept_flag(group, ACCEPTED)
    group.add_argument(
        "--max-length",
        type=int,
        default=NO_DEFAULT,
        metavar="N",
        help=f"the longest candidate, in characters (default: {DEFAULT_MAX_LENGTH})",
    )


def judging_flags(parser: Parser, *, is_found: bool = False) -> None:
    """Add the flags about judging and normalizing identifiers; `is_found` if those about finding are there, too."""
    group = parser.add_argument_group("validating and normalizing")
    choice_flag(group, "--level", Level, None, "how far to normalize (default: scheme)")
    several_flag(
        group,
        "--merge",
        "NAME,...",
        f"what else counts as the same: the profiles {', '.join(PROFILES)} and those of a file, or steps: "
        f"{', '.join(NAMED_STEPS)}",
        lambda: [*PROFILES, *NAMED_STEPS],
        common="what else counts as the same, as page",
    )
    several_flag(
        group, "--drop-params", "NAME[@HOST],...", "parameters of queries that do not count, as ref,tag@shop.example"
    )
    several_flag(group, "--keep-params", "NAME[@HOST],...", "the only parameters of queries that count")
    group.add_argument(
        "--lossy", action="extend", type=_names, default=NO_DEFAULT, metavar="STEP,...", dest="merge", now="--merge"
    )
    choice_flag(group, "--urn", UrnSyntax, None, "which RFC says what a URN is (default: rfc2141)", dest="urn_syntax")
    if not is_found:
        _accept_flag(group, {word: row for word, row in ACCEPTED.items() if row[0] in ("bare", "repair", "zones")})


def spoofing_flags(parser: Parser) -> None:
    """Add the flags about what passes for another host."""
    group = parser.add_argument_group("spoofing")
    several_flag(
        group,
        "--protect",
        "NAME,...",
        f"warn of hosts, addresses and user information that pass for others (UTS 39): with `{ANYONE}` of these alone, "
        "else of hosts that pass for one of the names, as example.com, too; --parts says what was found",
        lambda: [ANYONE],
    )
    group.add_argument(
        "--spoofing", action="store_const", const=Spoofing.WARN, default=NO_DEFAULT, now=f"--protect {ANYONE}"
    )


# The word of `--protect` that names no host.
ANYONE: Final = "any"

# What is no identifier by itself and can count as one: by the word of `--accept`, the option of the library, its value,
# and what it is.
ACCEPTED: Final[dict[str, tuple[str, StrEnum, str]]] = {
    "names": ("schemeless", SchemelessFinding.NAMES, "host names without a scheme, as http"),
    "addresses": ("email", EmailFinding.ADDRESSES, "mail addresses without `mailto:`"),
    **{str(kind): ("bare", kind, "identifiers of these kinds without a scheme, as `10.1000/182`") for kind in Bare},
    "defanged": ("refang", Refang.KNOWN_FORMS, "`hxxp://e[.]com` as what it was"),
    "unencoded": ("repair", Repair.ENCODE, "characters that no identifier may hold, percent-encoded"),
    "zones": ("zones", ZoneIdentifiers.RFC6874, "IPv6 zone identifiers (RFC 6874)"),
    "nested": ("nested", NestedFinding.REPORT, "identifiers inside others"),
    "wrapped": ("unwrap", Unwrap.KNOWN, "links inside links of known redirectors"),
    "wrapped-any": ("unwrap", Unwrap.ANY, "any link in a query"),
}


def _accept_flag(group: Group, accepted: Mapping[str, tuple[str, StrEnum, str]]) -> None:
    """Add `--accept`, with the flags that it stands for now."""
    common = f"what counts too, as {'names,addresses,defanged' if 'names' in accepted else 'doi'},isbn"
    words_flag(group, "--accept", {word: meaning for word, (_, _, meaning) in accepted.items()}, common=common)
    several_flag(group, "--bare", "KIND,...", "", now="--accept")
    for word, (name, value, _) in accepted.items():
        if value is Unwrap.KNOWN:
            choice_flag(group, f"--{name}", Unwrap, None, "", now=f"--accept {word}, or {word}-any,")
        elif value is not Unwrap.ANY and name != "bare":
            group.add_argument(
                f"--{name}", action="store_const", const=value, default=NO_DEFAULT, now=f"--accept {word}"
            )


def _chosen_profile(asked: SimpleNamespace) -> Profile:
    """Return the profile that the flags name; a file may describe some by name.

    Raises:
        UsageError: there is no such step or profile, or a file does not describe one as it should.
    """
    steps: list[str] = []
    named: dict[str, list[str]] = {name: list(getattr(asked, name, ())) for name in ("drop_params", "keep_params")}
    described = getattr(asked, "profiles", {})
    for name in getattr(asked, "merge", ()):
        if name not in described:
            own = name.replace("-", "_")
            if own in named and not named[own]:
                raise UsageError(f"the step {name!r} needs names of parameters: give --{name} NAME,...")
            if described and name not in PROFILES and name not in list(MergeStep):
                near = did_you_mean(name, [*described, *PROFILES, *MergeStep])
                raise UsageError(
                    f"merge={name!r} is neither a step nor a profile: of the file are {', '.join(described)}, and "
                    f"{', '.join(PROFILES)} come along{near}"
                )
            steps.append(name)
            continue
        one = described[name]
        if name in PROFILES or name in list(MergeStep):
            raise UsageError(f"the profile {name!r} of the file has the name of one that comes along: give it another")
        unknown = set(one) - {"steps", "drop-params", "keep-params"} if isinstance(one, dict) else {name}
        if unknown or not all(isinstance(value, list) for value in one.values()):
            raise UsageError(f"profiles.{name} must be a table of the lists steps, drop-params and keep-params")
        values = {own: one.get(own.replace("_", "-"), []) for own in ("steps", *named)}
        try:
            Profile(**values)
        except UsageError as error:
            raise UsageError(f"profiles.{name}: {error}") from error
        steps += values["steps"]
        for own in named:
            named[own] += values[own]
    return Profile(steps, **named)


# What stands before a name of `--schemes`.
_WITHOUT: Final = "!"
_KNOWN: Final = "+"
_SIGNS: Final = (_WITHOUT, _KNOWN)


def several_flag(
    group: Group,
    flag: str,
    metavar: str,
    text: str,
    words: Callable[[], Iterable[str]] | None = None,
    *,
    common: bool | str = False,
    now: str = "",
) -> None:
    """Add a flag that takes names with commas between them; for `words`, `common` and `now` see `Argument`."""
    group.add_argument(
        flag,
        action="extend",
        type=_names,
        default=NO_DEFAULT,
        metavar=metavar,
        common=common,
        now=now,
        words=words,
        help=f"{text}; repeatable",
    )


def scheme_names() -> list[str]:
    """Return the names of the schemes that are known, for completions."""
    from urisieve.cli.rule_listing import scheme_rows

    return sorted(row["name"] for row in scheme_rows())


def _names(text: str) -> list[str]:
    return some_names(text, "no name is named")


_NO_SCHEME: Final = "no scheme is named"


def _schemes(text: str) -> str | list[str]:
    names = some_names(text, _NO_SCHEME)
    if not all(name.strip("!+") for name in names):
        raise UsageError(_NO_SCHEME)
    rules = [name for name in names if name in list(SchemePolicy)]
    if rules and [name for name in names if name[:1] not in _SIGNS] != rules[:1]:
        raise UsageError(f"`{rules[0]}` is a rule: beside it stand only names behind a `+` or a `!`")
    return text if text in list(SchemePolicy) else names


def chosen_options(parser: Parser, asked: SimpleNamespace) -> Options:
    """Return the options of the library that were asked for; leaves by SystemExit on a usage error."""
    chosen = {name: getattr(asked, name) for name in field_names(Options) if name != "merge" and hasattr(asked, name)}
    for word in getattr(asked, "accept", ()):
        name, value, _ = ACCEPTED[word]
        chosen[name] = [*chosen.get(name, ()), value] if name == "bare" else value
    if ANYONE in chosen.get("protect", ()):
        chosen["spoofing"] = Spoofing.WARN
        chosen["protect"] = [name for name in chosen["protect"] if name != ANYONE]
    named = chosen.get("schemes")
    if isinstance(named, list) and any(name[:1] in _SIGNS for name in named):
        signed = {sign: [name[1:] for name in named if name[:1] == sign] for sign in _SIGNS}
        plain = [name for name in named if name[:1] not in _SIGNS]
        for name, sign in (("exclude_schemes", _WITHOUT), ("known_schemes", _KNOWN)):
            chosen[name] = [*chosen.get(name, ()), *signed[sign]]
        wanted = [name.removeprefix(_KNOWN) for name in named if name[:1] != _WITHOUT]
        is_policy = not wanted or (len(plain) == 1 and plain[0] in list(SchemePolicy))
        chosen["schemes"] = [*plain, SchemePolicy.DEFAULT][0] if is_policy else wanted
    try:
        if not find_encoding(asked.encoding).is_unicode:
            chosen["charset"] = Charset.LEGACY
        options = Options(**chosen, merge=_chosen_profile(asked))
    except UsageError as error:
        parser.error(str(error))
    if ("schemes" in chosen or "exclude_schemes" in chosen) and not asked.quiet:
        _report_unknown_schemes(options)
    return options


def _report_unknown_schemes(options: Options) -> None:
    """Report each scheme that was named and is not known: it may be a private one, or a typing error."""
    from urisieve.rules.scheme_table import unknown_schemes

    named = {*(listed_schemes(options) or ()), *map(str, options.exclude_schemes)}
    for name, near in unknown_schemes(named, map(str, options.known_schemes)):
        say(f"the scheme {name!r} is not known (`+{name}` makes it known){near}")


def idle_options(chosen: Options, *, but: Iterable[str] = ()) -> str:
    """Return the flags about finding and judging that are given, for where nothing is found or judged.

    Args:
        chosen: the options.
        but: the names of those that count all the same.
    """
    flags = {
        "urn_syntax": "--urn",
        **dict.fromkeys(("exclude_schemes", "known_schemes"), "--schemes"),
        **{name: f"--accept {word}" for word, (name, value, _) in ACCEPTED.items() if value == getattr(chosen, name)},
        "bare": f"--accept {','.join(chosen.bare)}",
    }
    default, counted = Options(), {"charset", *but}
    given = [name for name in field_names(Options) if getattr(chosen, name) != getattr(default, name)]
    names = [flags.get(name, f"--{name.replace('_', '-')}") for name in given if name not in counted]
    return ", ".join(dict.fromkeys(names))
