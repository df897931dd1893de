"""Flags about finding, judging and normalizing identifiers, and the options of the library that they choose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import SimpleNamespace

from urisieve import finding_options
from urisieve.cli.reports import say
from urisieve.cli.settings.arguments import NO_DEFAULT, Group
from urisieve.cli.settings.flags import Parser, choice_flag, some_names, words_flag
from urisieve.cli.settings.output_arguments import filter_flags
from urisieve.errors import UsageError
from urisieve.finding_options import Options, SchemePolicy
from urisieve.judge.proofs import findable
from urisieve.lean import Final, field_names
from urisieve.merging import NAMED_STEPS, PROFILES, MergeStep, Profile, near_step
from urisieve.quick_enums import StrEnum
from urisieve.sources.bytes.encodings import find_encoding


def sieve_flags(parser: Parser) -> None:
    """Add the flags about what is found, judged, and left out."""
    filter_flags(parser)
    finding_flags(parser)
    judging_flags(parser, is_found=True)
    spoofing_flags(parser)


def finding_flags(parser: Parser) -> None:
    """Add the flags about finding identifiers."""
    group = parser.add_argument_group("finding")
    _wanted_flags(group)
    _accept_flag(group, ACCEPTED)


def _wanted_flags(group: Group) -> None:
    """Add the flags about the schemes and the length of what is found, or given."""
    group.add_argument("--schemes", type=_schemes, default=NO_DEFAULT, metavar="NAME,...",
                       common="only these, as http,urn,doi; or a rule (--help-all)",
                       words=lambda: [*SchemePolicy, *scheme_names()], help="only those named, those behind a `+` as "
                       f"if they were registered, and none behind a `!`; or `{SchemePolicy.DEFAULT}`: any scheme "
                       f"before `//` and the unmistakable ones without it; `{SchemePolicy.REGISTERED}`: the registered "
                       f"of these; `{SchemePolicy.WEB}`: only http, https, ws, wss and ftp; `{SchemePolicy.ANY}`: any "
                       f"`scheme:`; also `{SchemePolicy.DEFAULT},+NAME` (default: {SchemePolicy.DEFAULT})")  # fmt: skip
    group.add_argument("--max-length", type=int, default=NO_DEFAULT, metavar="N", help="the longest candidate, in "
                       f"characters (default: {finding_options.DEFAULT_MAX_LENGTH})")  # fmt: skip


def judging_flags(parser: Parser, *, is_found: bool = False) -> None:
    """Add the flags about judging and normalizing identifiers; `is_found` if those about finding are there, too."""
    group = parser.add_argument_group("validating and normalizing")
    if not is_found:
        _wanted_flags(group)
    choice_flag(group, "--level", finding_options.Level, None, "how far to normalize (default: scheme)")
    several_flag(group, "--merge", "NAME,...",
                 f"what else counts as the same: the profiles {', '.join(PROFILES)} and those of a file, or steps: "
                 f"{', '.join(NAMED_STEPS)}", lambda: [*PROFILES, *NAMED_STEPS],
                 common="what else counts as the same, as page")  # fmt: skip
    several_flag(group, "--drop-params", "NAME[@HOST],...", "parameters of queries that do not count, as "
                 "ref,tag@shop.example")  # fmt: skip
    several_flag(group, "--keep-params", "NAME[@HOST],...", "the only parameters of queries that count")
    choice_flag(
        group,
        "--urn-syntax",
        finding_options.UrnSyntax,
        None,
        "which RFC says what a URN is (default: rfc2141)",
        dest="urn_syntax",
    )
    if not is_found:
        _accept_flag(group, {word: row for word, row in ACCEPTED.items() if row[0] in ("bare", "repair")})


def spoofing_flags(parser: Parser) -> None:
    """Add the flags about what passes for another host."""
    group = parser.add_argument_group("spoofing")
    several_flag(group, "--protect", "NAME,...", "warn of hosts, addresses and user information that pass for others "
                 f"(UTS 39): with `{ANYONE}` of these alone, else of hosts that pass for one of the names, as "
                 "example.com, too; --parts says what was found", lambda: [ANYONE])  # fmt: skip


# The word of `--protect` that names no host.
ANYONE: Final = "any"

# What is no identifier by itself and can count as one: by the word of `--accept`, the option of the library, its value,
# and what it is.
ACCEPTED: Final[dict[str, tuple[str, StrEnum, str]]] = {
    "names": ("schemeless", finding_options.SchemelessFinding.NAMES, "host names without a scheme, as http"),
    "addresses": ("email", finding_options.EmailFinding.ADDRESSES, "mail addresses without `mailto:`"),
    **{
        str(kind): ("bare", kind, "identifiers of these kinds without a scheme, as `10.1000/182`")
        for kind in finding_options.Bare
    },
    "defanged": ("refang", finding_options.Refang.KNOWN_FORMS, "`hxxp://e[.]com` as what it was"),
    "unencoded": ("repair", finding_options.Repair.ENCODE, "characters that no identifier may hold, percent-encoded"),
    "nested": ("nested", finding_options.NestedFinding.REPORT, "identifiers inside others"),
    "wrapped": ("unwrap", finding_options.Unwrap.KNOWN, "links inside links of known redirectors"),
    "wrapped-any": ("unwrap", finding_options.Unwrap.ANY, "any link in a query"),
}


def _accept_flag(group: Group, accepted: Mapping[str, tuple[str, StrEnum, str]]) -> None:
    """Add `--accept`."""
    common = f"what counts too, as {'names,addresses,defanged' if 'names' in accepted else 'doi'},isbn"
    words_flag(group, "--accept", {word: meaning for word, (_, _, meaning) in accepted.items()}, common=common)


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
                near = near_step(name, [*described, *PROFILES, *MergeStep])
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


# What precedes a name of `--schemes`.
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
) -> None:
    """Add a flag that takes names with commas between them; for `words` and `common` see `Argument`."""
    group.add_argument(flag, action="extend", type=partial(some_names, nothing="no name is named"), default=NO_DEFAULT,
                       metavar=metavar, common=common, words=words, help=f"{text}; repeatable")  # fmt: skip


def scheme_names() -> list[str]:
    """Return the names of the schemes that are known, for completions."""
    from urisieve.rules.registry import registered_schemes
    from urisieve.rules.scheme_table import described

    return sorted({*described(), *registered_schemes()})


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
        chosen["spoofing"] = finding_options.Spoofing.WARN
        chosen["protect"] = [name for name in chosen["protect"] if name != ANYONE]
    named = chosen.get("schemes")
    if isinstance(named, list) and any(name[:1] in _SIGNS for name in named):
        signed = {sign: [name[1:] for name in named if name[:1] == sign] for sign in _SIGNS}
        plain = [name for name in named if name[:1] not in _SIGNS]
        for name, sign in (("exclude_schemes", _WITHOUT), ("known_schemes", _KNOWN)):
            chosen[name] = signed[sign]
        wanted = [name.removeprefix(_KNOWN) for name in named if name[:1] != _WITHOUT]
        is_policy = not wanted or (len(plain) == 1 and plain[0] in list(SchemePolicy))
        chosen["schemes"] = [*plain, SchemePolicy.DEFAULT][0] if is_policy else wanted
    try:
        if not find_encoding(asked.encoding).is_unicode:
            chosen["charset"] = finding_options.Charset.LEGACY
        options = Options(**chosen, merge=_chosen_profile(asked))
    except UsageError as error:
        parser.error(str(error))
    if "schemes" in chosen and not getattr(asked, "quiet", False):
        _report_unknown_schemes(options)
        _report_unmet(options)
    return options


def _report_unmet(options: Options) -> None:
    """Report what `--accept` names and `--schemes` leaves out, since no unwanted scheme is assumed."""
    met = findable(options)
    if met is options:
        return
    for word, (name, value, _) in ACCEPTED.items():
        asked, left = (one.bare if name == "bare" else [getattr(one, name)] for one in (options, met))
        if value in asked and value not in left:
            say(f"--accept {word} finds nothing: --schemes leaves out the scheme that it assumes")


def _report_unknown_schemes(options: Options) -> None:
    """Report each scheme that was named and is not known: it may be a private one, or a typing error."""
    from urisieve.rules.scheme_table import unknown_schemes

    named = {*(finding_options.listed_schemes(options) or ()), *map(str, options.exclude_schemes)}
    for name, near in unknown_schemes(named, map(str, options.known_schemes)):
        say(f"the scheme {name!r} is not known (`+{name}` makes it known){near}")


def idle_options(chosen: Options, *, but: Iterable[str] = ()) -> str:
    """Return the flags about finding and judging that are given, for where nothing is found or judged.

    Args:
        chosen: the options.
        but: the names of those that count all the same.
    """
    flags = {
        "urn_syntax": "--urn-syntax",
        **dict.fromkeys(("exclude_schemes", "known_schemes"), "--schemes"),
        **{name: f"--accept {word}" for word, (name, value, _) in ACCEPTED.items() if value == getattr(chosen, name)},
        "bare": f"--accept {','.join(chosen.bare)}",
    }
    default, counted = Options(), {"charset", *but}
    given = [name for name in field_names(Options) if getattr(chosen, name) != getattr(default, name)]
    names = [flags.get(name, f"--{name.replace('_', '-')}") for name in given if name not in counted]
    return ", ".join(dict.fromkeys(names))
