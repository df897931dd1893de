"""Flags about finding, judging and normalizing identifiers, and the options of the library that they choose."""

from __future__ import annotations

from enum import StrEnum
from types import SimpleNamespace

from urisieve.cli.settings.flags import choice_flag, names_of
from urisieve.cli.settings.parser import NO_DEFAULT, Group, Parser
from urisieve.cli.terminal.reports import say
from urisieve.errors import UsageError
from urisieve.lean.values import field_names
from urisieve.options import (
    DEFAULT_MAX_LENGTH,
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
    Unwrap,
    UrnSyntax,
    ZoneIdentifiers,
    listed_schemes,
)
from urisieve.sources.bytes.encodings import find_encoding

__all__ = ["chosen_options", "finding_flags", "judging_flags"]


def finding_flags(parser: Parser) -> None:
    """Add the flags about finding identifiers."""
    group = parser.add_argument_group("finding")
    group.add_argument(
        "--schemes",
        type=_schemes,
        default=NO_DEFAULT,
        metavar=f"{'|'.join(SchemePolicy)}|NAME,...",
        help="any scheme before `//` and the unmistakable ones without it; the registered ones of these; "
        "any `scheme:`; or only those named (default: default)",
    )
    _several(group, "--exclude-schemes", "NAME,...", "never these schemes")
    _several(group, "--known-schemes", "NAME,...", "treat these schemes as registered")
    choice_flag(
        group, "--embedded-space", EmbeddedSpace, None, "what happens to white space inside <> (default: remove)"
    )
    _flag(group, "--schemeless", SchemelessFinding.NAMES, "find host names without a scheme, as http")
    _flag(group, "--email", EmailFinding.ADDRESSES, "find mail addresses without `mailto:`")
    _flag(group, "--refang", Refang.KNOWN_FORMS, "read defanged identifiers (`hxxp://e[.]com`) as what they were")
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


def judging_flags(parser: Parser) -> None:
    """Add the flags about judging and normalizing identifiers."""
    group = parser.add_argument_group("validating and normalizing")
    choice_flag(group, "--level", Level, None, "how far to normalize (default: scheme)")
    _several(group, "--lossy", "STEP,...", f"steps that merge more than the RFCs do: {', '.join(Lossy)}")
    choice_flag(group, "--urn", UrnSyntax, None, "which RFC says what a URN is (default: rfc2141)", dest="urn_syntax")
    _flag(group, "--repair", Repair.ENCODE, "percent-encode characters that no identifier may hold")
    _flag(group, "--zones", ZoneIdentifiers.RFC6874, "accept IPv6 zone identifiers (RFC 6874)")


def _flag(group: Group, flag: str, value: StrEnum, text: str) -> None:
    group.add_argument(flag, action="store_const", const=value, default=NO_DEFAULT, help=text)


def _several(group: Group, flag: str, metavar: str, text: str) -> None:
    group.add_argument(
        flag, action="extend", type=names_of, default=NO_DEFAULT, metavar=metavar, help=f"{text}; repeatable"
    )


def _schemes(text: str) -> str | list[str]:
    names = names_of(text)
    if not names:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError("no scheme is named")
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
