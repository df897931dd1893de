"""Flags about finding, judging and normalizing identifiers, and the options of the library that they choose."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from types import SimpleNamespace

from urisieve.cli.settings.flags import choice_flag, names_of
from urisieve.cli.settings.parser import NO_DEFAULT, Group, Parser
from urisieve.cli.terminal.reports import say
from urisieve.errors import UsageError
from urisieve.lean.values import field_names
from urisieve.options import (
    DEFAULT_MAX_LENGTH,
    Bare,
    Charset,
    EmailFinding,
    EmbeddedSpace,
    Level,
    Lossy,
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

__all__ = ["chosen_options", "finding_flags", "judging_flags", "scheme_names", "several_flag", "spoofing_flags"]


def finding_flags(parser: Parser) -> None:
    """Add the flags about finding identifiers."""
    group = parser.add_argument_group("finding")
    group.add_argument(
        "--schemes",
        type=_schemes,
        default=NO_DEFAULT,
        metavar="NAME,...",
        common="only these, as http,urn,doi; or a rule (--help-all)",
        words=lambda: [*SchemePolicy, *scheme_names()],
        help=f"only those named; or `{SchemePolicy.DEFAULT}`: any scheme before `//` and the unmistakable ones without "
        f"it; `{SchemePolicy.REGISTERED}`: the registered ones of these; `{SchemePolicy.ANY}`: any `scheme:` (default: "
        f"{SchemePolicy.DEFAULT})",
    )
    several_flag(group, "--exclude-schemes", "NAME,...", "never these schemes", scheme_names)
    several_flag(group, "--known-schemes", "NAME,...", "treat these schemes as registered")
    choice_flag(
        group, "--embedded-space", EmbeddedSpace, None, "what happens to white space inside <> (default: remove)"
    )
    _flag(group, "--schemeless", SchemelessFinding.NAMES, "find host names without a scheme, as http")
    _flag(group, "--email", EmailFinding.ADDRESSES, "find mail addresses without `mailto:`")
    _flag(
        group,
        "--refang",
        Refang.KNOWN_FORMS,
        "read defanged identifiers (`hxxp://e[.]com`) as what they were",
        common="read `hxxp://e[.]com` as what it was",
    )
    _flag(group, "--nested", NestedFinding.REPORT, "report identifiers inside others too")
    choice_flag(
        group,
        "--unwrap",
        Unwrap,
        None,
        "report the links inside links of redirectors too: known ones, or any link in a query (default: off)",
    )
    group.add_argument(
        "--max-length",
        type=int,
        default=NO_DEFAULT,
        metavar="N",
        help=f"the longest candidate, in characters (default: {DEFAULT_MAX_LENGTH})",
    )


def judging_flags(parser: Parser, *, bare: bool | str = False) -> None:
    """Add the flags about judging and normalizing identifiers; `bare` is what the short help says of `--bare`."""
    group = parser.add_argument_group("validating and normalizing")
    choice_flag(group, "--level", Level, None, "how far to normalize (default: scheme)")
    several_flag(
        group,
        "--lossy",
        "STEP,...",
        f"steps that merge more than the RFCs do: {', '.join(Lossy)}",
        lambda: list(Lossy),
        common="steps that merge more, as drop-fragment,strip-www",
    )
    choice_flag(group, "--urn", UrnSyntax, None, "which RFC says what a URN is (default: rfc2141)", dest="urn_syntax")
    several_flag(
        group,
        "--bare",
        "KIND,...",
        f"identifiers without a scheme count too: {', '.join(Bare)}",
        lambda: list(Bare),
        common=bare,
    )
    _flag(group, "--repair", Repair.ENCODE, "percent-encode characters that no identifier may hold")
    _flag(group, "--zones", ZoneIdentifiers.RFC6874, "accept IPv6 zone identifiers (RFC 6874)")


def spoofing_flags(parser: Parser) -> None:
    """Add the flags about what passes for another host."""
    group = parser.add_argument_group("spoofing")
    _flag(
        group,
        "--spoofing",
        Spoofing.WARN,
        "warn of hosts, addresses and user information that pass for others (UTS 39); --parts says what was found",
    )
    several_flag(
        group, "--protect", "NAME,...", "warn of hosts that pass for one of these, as example.com; implies --spoofing"
    )


def _flag(group: Group, flag: str, value: StrEnum, text: str, *, common: bool | str = False) -> None:
    group.add_argument(flag, action="store_const", const=value, default=NO_DEFAULT, common=common, help=text)


def several_flag(
    group: Group,
    flag: str,
    metavar: str,
    text: str,
    words: Callable[[], Iterable[str]] | None = None,
    *,
    common: bool | str = False,
) -> None:
    """Add a flag that takes names with commas between them; `words` returns those to complete."""
    group.add_argument(
        flag,
        action="extend",
        type=_names,
        default=NO_DEFAULT,
        metavar=metavar,
        common=common,
        words=words,
        help=f"{text}; repeatable",
    )


def scheme_names() -> list[str]:
    """Return the names of the schemes that are known, for completions."""
    from urisieve.rule_listing import scheme_rows

    return sorted(row["name"] for row in scheme_rows())


def _names(text: str, what: str = "name") -> list[str]:
    names = names_of(text)
    if not names:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"no {what} is named")
    return names


def _schemes(text: str) -> str | list[str]:
    names = _names(text, "scheme")
    return text if text in list(SchemePolicy) else names


def chosen_options(parser: Parser, asked: SimpleNamespace) -> Options:
    """Return the options of the library that were asked for; leaves by SystemExit on a usage error."""
    chosen = {name: getattr(asked, name) for name in field_names(Options) if hasattr(asked, name)}
    try:
        if not find_encoding(asked.encoding).is_unicode:
            chosen["charset"] = Charset.LEGACY
        options = Options(**chosen)
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
        say(f"the scheme {name!r} is not known (--known-schemes {name} makes it known){near}")
