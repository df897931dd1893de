"""Where other programs are known to answer otherwise, with the reason, a row each."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import uses_relative

from differential import models
from differential.comparison import Difference, Verdict, ours
from differential.models import on, refused, sub
from differential.peers import Answer, Peer
from urisieve import check

__all__ = ["DIFFERENCES"]

_encoded_first = on(sub("[^\x00-\x7f]+", models.encode), "path", "query", "fragment")
_SPLITTERS = ("urllib", "yarl", "hyperlink", "rfc3986")


def _valid(
    name: str, peers: tuple[str, ...], example: str, section: str, verdict: Verdict, text: models.Change, why: str
) -> Difference:
    return Difference(name, "valid", peers, (example,), section, why, verdict, text)


_VALID = (
    _valid(
        "backslash-in-authority",
        ("rfc3986",),
        "http://\\a/",
        "3986 3.2",
        Verdict.WRONG,
        sub(r"\A([^:/?#]+:)?//([^/?#\\]*)\\", r"\1//\2/"),
        "it ends an authority at a backslash, and encodes that",
    ),
    _valid(
        "line-breaks-removed",
        ("urllib", "yarl"),
        "http://a/\nb",
        "URL Standard 4.4",
        Verdict.STANDARD,
        sub("[\t\r\n]", ""),
        "it removes tabs and line breaks first, as browsers do",
    ),
    _valid(
        "colon-in-first-segment",
        _SPLITTERS,
        "1a:b",
        "3986 4.2",
        Verdict.CHOICE,
        models.path_without_scheme,
        "what stands before the colon is not a scheme, so they take all for a path",
    ),
    _valid(
        "any-character",
        _SPLITTERS,
        "http://a/b c",
        "3986 2",
        Verdict.CHOICE,
        models.any_character,
        "they split what comes, and do not check which characters it has",
    ),
    _valid(
        "private-anywhere",
        _SPLITTERS,
        "http://a/\ue000",
        "3987 2.2",
        Verdict.CHOICE,
        models.private_anywhere,
        "characters for private use stand in queries only; they do not check",
    ),
    _valid(
        "any-percent",
        _SPLITTERS,
        "http://a/%zz",
        "3986 2.1",
        Verdict.CHOICE,
        models.any_percent,
        "they take a % that begins no triplet for itself",
    ),
    _valid(
        "zone",
        ("urllib",),
        "http://[fe80::1%25a]/",
        "3986 3.2.2, 9844",
        Verdict.CHOICE,
        on(sub(r"\[([0-9A-Fa-f:]+)%[^\]]+\]", r"[\1]"), "authority"),
        "it accepts zone identifiers",
    ),
    _valid(
        "around-brackets",
        ("urllib",),
        "http://a[::1]b/",
        "3986 3.2.2",
        Verdict.WRONG,
        on(sub(r"\A(.*@)?[^\[\]@]*(\[[^\[\]]*\])[^:]*", r"\1\2"), "authority"),
        "it ignores what stands before and behind the brackets",
    ),
    _valid(
        "brackets-anywhere",
        _SPLITTERS,
        "http://a/[b]",
        "3986 3.3",
        Verdict.CHOICE,
        models.brackets_anywhere,
        "they accept brackets outside of a host, as browsers do",
    ),
    _valid(
        "number-signs",
        _SPLITTERS,
        "http://a/#b#c",
        "3986 3.5",
        Verdict.CHOICE,
        models.number_signs,
        "they accept # in a fragment",
    ),
    _valid(
        "port-above-65535",
        _SPLITTERS,
        "http://a:65536/",
        "3986 3.2.3",
        Verdict.CHOICE,
        refused(models.great_port),
        "the grammar has any number of digits; we warn of such a port",
    ),
    _valid(
        "nfkc-delimiters",
        ("urllib", "yarl"),
        "http://a\uff0fb/",
        "3987 2.2",
        Verdict.CHOICE,
        refused(models.splits_by_nfkc),
        "they refuse a host in which NFKC makes delimiters; for hosts of the DNS we do too (UTS 46)",
    ),
    _valid(
        "ascii-made",
        ("rfc3986",),
        "http://a/é",
        "3987 3.1",
        Verdict.CHOICE,
        _encoded_first,
        "it percent-encodes first, so that an IRI is a URI but for its host",
    ),
    _valid(
        "port-by-int",
        ("urllib", "yarl", "hyperlink", "rfc3986"),
        "http://a:+80/",
        "3986 3.2.3",
        Verdict.WRONG,
        models.numbered_port,
        "a port is ASCII digits; `int` of Python accepts blanks, signs, underscores and the digits of all scripts",
    ),
    _valid(
        "final-newline",
        ("rfc3987",),
        "http://a:80\n",
        "3986 3.2.3",
        Verdict.WRONG,
        sub(r"\n\Z", ""),
        "its patterns end with `$`, which a newline may follow",
    ),
    _valid(
        "capital-v",
        ("urllib", "yarl", "rfc3987", "rfc3986"),
        "http://[V1.a]/",
        "3986 3.2.2, 5234 2.3",
        Verdict.WRONG,
        refused(models.future_address),
        "the letters of an ABNF are of either case",
    ),
    _valid(
        "line-break-at-the-end",
        ("rfc3986",),
        "coap://a_b.example:\n",
        "3986 3.2.3",
        Verdict.WRONG,
        sub(r"\n\Z", ""),
        "its pattern of a port ends in $, which matches before a last line break too",
    ),
    _valid(
        "empty-port",
        ("hyperlink",),
        "http://a:/",
        "3986 3.2.3",
        Verdict.WRONG,
        refused(lambda text: models.port_of(text) == ""),
        "`port = *DIGIT`, so it may be empty",
    ),
    _valid(
        "dns-names",
        ("yarl",),
        "foo://\u2028/",
        "3986 3.2.2",
        Verdict.CHOICE,
        refused(models.no_dns_name),
        "it takes each host for a name of the DNS, we those of schemes that say so",
    ),
    _valid(
        "any-address",
        ("yarl", "hyperlink"),
        "http://[1:2]/",
        "3986 3.2.2",
        Verdict.WRONG,
        models.any_address,
        "it does not look at what stands between brackets, if it has a colon",
    ),
    _valid(
        "any-future-address",
        ("urllib", "yarl", "hyperlink"),
        "http://[v1.^]/",
        "3986 3.2.2",
        Verdict.WRONG,
        models.any_future,
        "it takes any characters behind the version",
    ),
    _valid(
        "several-at-signs",
        ("urllib", "yarl", "hyperlink"),
        "http://a@b@c/",
        "3986 3.2.1",
        Verdict.WRONG,
        models.several_at_signs,
        "user information holds no @; that the last one counts is what attackers live on",
    ),
    _valid(
        "empty-userinfo",
        ("rfc3986",),
        "foo://@a",
        "3986 3.2.1",
        Verdict.WRONG,
        refused(lambda text: models.userinfo_of(text) == ""),
        "`userinfo = *( ... )`, so it may be empty",
    ),
    _valid(
        "no-host-but-port",
        ("yarl",),
        "http://:80/",
        "3986 3.2.2, 9110 4.2.1",
        Verdict.CHOICE,
        refused(
            lambda text: (
                models.host_of(text) == ""
                and (models.port_of(text) is not None or models.userinfo_of(text) is not None)
            )
        ),
        "a host may be empty by the grammar; http refuses it, and so do we",
    ),
    _valid(
        "future-address-with-colon",
        ("hyperlink",),
        "foo://[v1.a:b]/",
        "3986 3.2.2",
        Verdict.WRONG,
        refused(lambda text: re.match(r"\[[vV][^\]]*:", models.host_of(text)) is not None),
        "it takes it for IPv6, though IPvFuture may hold colons",
    ),
    _valid(
        "any-bracketed-name",
        ("hyperlink",),
        "foo://[g]/",
        "3986 3.2.2",
        Verdict.WRONG,
        on(sub(r"(^|@)\[[^\[\]:]*\]", r"\1[v1.a]"), "authority"),
        "it does not look at what stands between brackets, if it has no colon",
    ),
    _valid(
        "whatwg-no-host",
        ("can-ada",),
        "foo://:80/",
        "URL Standard 4.4",
        Verdict.STANDARD,
        refused(
            lambda text: (
                models.host_of(text) == ""
                and (models.port_of(text) is not None or models.userinfo_of(text) is not None)
            )
        ),
        "without a host it allows no port and no user information",
    ),
    _valid(
        "whatwg-file",
        ("can-ada",),
        "file://u@a/b",
        "URL Standard 4.4",
        Verdict.STANDARD,
        refused(
            lambda text: (
                models.scheme_of(text) == "file"
                and (models.port_of(text) is not None or models.userinfo_of(text) is not None)
            )
        ),
        "it reads the whole authority of file as its host",
    ),
    _valid(
        "whatwg-host",
        ("can-ada",),
        "http://256.1.1.1/",
        "URL Standard 3.5",
        Verdict.STANDARD,
        refused(models.no_host_of_whatwg),
        "it has no IPvFuture, and hosts of web schemes are decoded and must be domains or numbers of IPv4",
    ),
    _valid(
        "whatwg-port",
        ("can-ada",),
        "http://a:65536/",
        "URL Standard 4.4",
        Verdict.STANDARD,
        refused(models.great_port),
        "a port is at most 65535",
    ),
    _valid(
        "ipv4-range",
        ("rfc3986",),
        "http://256.1.1.1/",
        "3986 3.2.2",
        Verdict.WRONG,
        refused(
            lambda text: (
                re.fullmatch(r"([0-9]{1,3}\.){3}[0-9]{1,3}", models.host_of(text)) is not None
                and any(int(octet) > 255 for octet in models.host_of(text).split("."))
            )
        ),
        "what is not an IPv4 address is a registered name",
    ),
    _valid(
        "ignorable-characters",
        ("yarl",),
        "foo://a\u00adb/",
        "UTS 46 4",
        Verdict.CHOICE,
        refused(models.ignorable),
        "it refuses what the mapping of UTS 46 drops from a host; we map",
    ),
    _valid(
        "ipv4-in-ipv6",
        ("rfc3986",),
        "foo://[::1.2.3.256]/",
        "3986 3.2.2",
        Verdict.WRONG,
        on(sub(r"(?<=:)[0-9]{1,3}(\.[0-9]{1,3}){3}(?=\])", "1.2.3.4"), "authority"),
        "it does not look at the range of octets at the end of an IPv6 address",
    ),
    _valid(
        "zeros-in-ipv6",
        ("rfc3987",),
        "http://[::01.2.3.4]/",
        "3986 3.2.2",
        Verdict.WRONG,
        on(sub(r"(?<=[:.])0{1,2}(?=[0-9]{1,2}(?:\.[0-9]{1,3}){0,3}\])", ""), "authority"),
        "an octet of IPv4 begins with no 0; it accepts that at the end of an IPv6 address",
    ),
    Difference(
        "brackets-in-userinfo",
        "valid",
        ("urllib", "yarl"),
        ("http://[::1]@[::1/",),
        "3986 3.2.1",
        "it looks for brackets in the whole authority, and takes those of user information for those of the host",
        Verdict.WRONG,
        when=lambda texts: {"[", "]"} <= set(models.userinfo_of(texts[0]) or ""),
    ),
    _valid(
        "port-without-colon",
        ("rfc3986",),
        "http://[::1]80/",
        "3986 3.2",
        Verdict.WRONG,
        on(sub(r"\](?=[0-9]+\Z)", "]:"), "authority"),
        "it lets a port follow the brackets without a colon",
    ),
)


def _cased(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    return {**answer, "scheme": answer["scheme"] and answer["scheme"].lower()}


def _unbracketed(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    host = answer["host"]
    return {**answer, "host": host[1:-1] if host and host[0] == "[" else host}


def _rooted(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    return {**answer, "path": "/"} if answer["authority"] and not answer["path"] else answer


def _split(
    name: str,
    peers: tuple[str, ...],
    example: str,
    section: str,
    verdict: Verdict,
    answer: Callable[[Answer, tuple[str, ...], Peer], Answer],
    why: str,
) -> Difference:
    return Difference(name, "split", peers, (example,), section, why, verdict, None, answer)


def _no_empty_authority(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    return {**answer, "authority": answer["authority"] or None}


_SPLIT = (
    Difference(
        "encoded-components",
        "split",
        ("rfc3986",),
        ("/é",),
        "3987 3.1",
        "it percent-encodes while it splits",
        Verdict.CHOICE,
        _encoded_first,
    ),
    _split(
        "empty-authority",
        ("rfc3986",),
        "file:///a",
        "3986 3.2, 5.3",
        Verdict.WRONG,
        _no_empty_authority,
        "an authority that is empty is not an absent one",
    ),
    _split(
        "scheme-in-lower-case",
        ("urllib", "yarl"),
        "HTTP://a/",
        "3986 6.2.2.1",
        Verdict.CHOICE,
        _cased,
        "it normalizes the scheme while it splits",
    ),
    _split(
        "host-without-brackets",
        ("hyperlink",),
        "http://[::1]/",
        "3986 3.2.2",
        Verdict.CHOICE,
        _unbracketed,
        "the brackets are a part of the host by the grammar; it gives the address alone",
    ),
    _split(
        "root-for-no-path",
        ("yarl",),
        "foo://a",
        "3986 3.3",
        Verdict.CHOICE,
        _rooted,
        "behind an authority it calls an empty path /, which 6.2.3 says of some schemes",
    ),
    _split(
        "dot-before-slashes",
        ("can-ada",),
        "foo:/.//a",
        "URL Standard 4.5",
        Verdict.STANDARD,
        lambda answer, texts, peer: {**answer, "path": answer["path"].removeprefix("/.")},
        "its path begins with //, and /. is written before it only where all is put together",
    ),
)


def _own(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    return answer and peer.ask["own"](answer)


def _dotless(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    """Remove the dot segments, as of a reference with a scheme."""
    return answer and models.without_dots(answer)


def _unknown_scheme(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    base, reference = texts
    scheme = models.scheme_of(reference) or models.scheme_of(base)
    return reference if scheme not in uses_relative or scheme != models.scheme_of(base) else answer


def _base_itself(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    base, reference = map(models.parts_of, texts)
    kept = (
        reference.path == "" and reference.authority is None and reference.scheme is None and reference.fragment is None
    )
    return answer if not kept or base.fragment is None else f"{answer}#{base.fragment}"


def _rootless(texts: tuple[str, ...]) -> bool:
    base, reference = map(models.parts_of, texts)
    if reference.scheme is not None:
        return reference.authority is None and not reference.path.startswith("/")
    return (
        base.authority is None
        and not base.path.startswith("/")
        and reference.scheme is None
        and reference.authority is None
        and not reference.path.startswith("/")
    )


def _resolve(
    name: str,
    peers: tuple[str, ...],
    example: tuple[str, str],
    section: str,
    verdict: Verdict,
    answer: Callable[[Answer, tuple[str, ...], Peer], Answer],
    why: str,
) -> Difference:
    return Difference(name, "resolve", peers, example, section, why, verdict, None, answer)


def _own_first(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    own = [peer.ask["own"](text) for text in texts]
    target = None if None in own else ours(peer.name, "resolve", *own)
    return target and peer.ask["own"](target)


def _own_before(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    """Normalize both before they are resolved, and not what comes of it: of references with %3A in a first segment."""
    own = [peer.ask["own"](text) for text in texts]
    if None in own or "%3a" not in own[1].partition("/")[0].lower():
        return answer
    return ours(peer.name, "resolve", *own)


def _few_slashes(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    return answer and on(sub("//+", "/"), "path")(answer)


def _relative_by_scheme(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    base, reference = texts
    if models.scheme_of(reference) != models.scheme_of(base) or models.parts_of(reference).authority is not None:
        return answer
    return ours(peer.name, "resolve", base, models.parts_of(reference)._replace(scheme=None).text())


def _dots_kept(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    base, reference = map(models.parts_of, texts)
    if reference.scheme is not None or not (reference.authority is not None or reference.path.startswith("/")):
        return texts[1] if reference.scheme is not None else answer
    authority = base.authority if reference.authority is None else reference.authority
    return reference._replace(scheme=base.scheme, authority=authority).text()


def _no_parameters(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    return answer and on(lambda path: path.removesuffix(";"), "path")(answer)


def _never_rootless(texts: tuple[str, ...]) -> bool:
    """Whether a path that begins with "/" meets a base without an authority."""
    base, reference = map(models.parts_of, texts)
    return not base.authority and not reference.authority


_RESOLVE = (
    _resolve(
        "base-dots",
        ("rfc3987", "rfc3986", "hyperlink"),
        ("http://a/b/../c", "#d"),
        "3986 5.2.2",
        Verdict.WRONG,
        _dotless,
        "a reference without a path takes the path of the base as it stands",
    ),
    _resolve(
        "dots-of-references",
        ("Perl URI", "urllib"),
        ("http://a/", "/b/.."),
        "3986 5.2.2",
        Verdict.WRONG,
        _dots_kept,
        "dot segments are removed from the path of each reference, one with an authority or with / too",
    ),
    Difference(
        "empty-authority-of-references",
        "resolve",
        ("rfc3986", "urllib", "yarl", "hyperlink", "Perl URI"),
        ("http://a/b", "///c"),
        "3986 5.2.2",
        "an authority with an empty host is not an absent one, and not that of the base",
        Verdict.WRONG,
        when=lambda texts: models.parts_of(texts[1]).authority is not None and models.host_of(texts[1]) == "",
    ),
    Difference(
        "empty-segments",
        "resolve",
        ("urllib", "yarl"),
        ("http://a/", "b//../c"),
        "3986 3.3",
        "it drops empty segments where it merges paths",
        Verdict.WRONG,
        when=lambda texts: any("//" in models.parts_of(text).path for text in texts),
    ),
    Difference(
        "slash-lost",
        "resolve",
        ("rfc3986",),
        ("foo://a/b", "../"),
        "3986 5.2.4",
        "it loses a slash where .. meets the root or an empty segment",
        Verdict.WRONG,
        when=lambda texts: any(segment == ".." for text in texts for segment in models.parts_of(text).path.split("/")),
    ),
    _resolve(
        "empty-parameters",
        ("urllib",),
        ("http://a/", "b;"),
        "3986 3.3",
        Verdict.WRONG,
        _no_parameters,
        "it drops a final ; for parameters of RFC 1808 that are empty",
    ),
    Difference(
        "opaque-sip",
        "resolve",
        ("Perl URI",),
        ("sip://a/b", "c"),
        "3261 19.1.1",
        "sip is not hierarchical: it resolves nothing; we resolve all but URNs by RFC 3986 5.2",
        Verdict.CHOICE,
        when=lambda texts: "sip" in map(models.scheme_of, texts),
    ),
    Difference(
        "components-mixed",
        "resolve",
        ("hyperlink",),
        ("http://u@a:81/", "//b"),
        "3986 5.2.2",
        "it takes user information, host and port of the base for a reference with an authority or scheme of its own",
        Verdict.WRONG,
        when=lambda texts: models.parts_of(texts[1])[:2] != (None, None),
    ),
    _resolve(
        "empty-query-of-references",
        ("yarl", "hyperlink"),
        ("http://a/?b", "?"),
        "3986 5.2.2",
        Verdict.WRONG,
        lambda answer, texts, peer: peer.ask["own"](texts[0]) if texts[1] in ("?", "#", "?#") else answer,
        "a query that is empty is not an absent one",
    ),
    Difference(
        "decoded-base",
        "resolve",
        ("yarl",),
        ("http://a/b%2Fc/d", "e"),
        "3986 2.2, 5.2.3",
        "it merges with the decoded path of the base, so that %2F becomes / and %25 becomes %",
        Verdict.WRONG,
        when=lambda texts: "%" in models.parts_of(texts[0]).path,
    ),
    Difference(
        "ftp-without-query",
        "resolve",
        ("Perl URI",),
        ("ftp://a/", "b?c"),
        "3986 3.4",
        "it knows no query of ftp; by RFC 3986 a query is generic",
        Verdict.WRONG,
        when=lambda texts: "ftp" in map(models.scheme_of, texts) and "?" in "".join(texts),
    ),
    Difference(
        "hosts-of-references",
        "resolve",
        ("Perl URI",),
        ("http://a/", "//é/"),
        "3987 3.1, 5891",
        "it percent-encodes the host of a reference, and makes A-labels of that of an IRI",
        Verdict.CHOICE,
        when=lambda texts: not models.host_of(texts[1]).isascii(),
    ),
    Difference(
        "cut-segments",
        "resolve",
        ("rfc3987",),
        ("http://a/", "/0xＡx/../c"),
        "3986 5.2.4",
        "it loses characters where it removes the segment before .., if they are not ASCII",
        Verdict.WRONG,
        when=lambda texts: not "".join(texts).isascii() and "/.." in "".join(texts),
    ),
    _resolve(
        "double-slash-gained",
        ("rfc3987", "uritools", "Perl URI"),
        ("foo:/a", "/b/..//c"),
        "3986 3.3",
        Verdict.WRONG,
        lambda answer, texts, peer: answer and answer.replace(":/.//", "://", 1),
        "a path must not begin with // where there is no authority: it becomes one, or a slash is lost",
    ),
    Difference(
        "base-without-authority",
        "resolve",
        ("hyperlink",),
        ("foo:#", "/b"),
        "3986 5.3",
        "it writes paths that begin with / without it, and the other way round, if there is no host",
        Verdict.WRONG,
        when=_never_rootless,
    ),
    Difference(
        "rootless-base",
        "resolve",
        ("rfc3986", "uritools", "urllib", "yarl", "hyperlink", "Perl URI"),
        ("foo:a", "b/.."),
        "3986 5.2.3",
        "what is resolved has neither authority nor a path with /, so nothing is hierarchical; we do as 5.2 says",
        Verdict.WRONG,
        when=_rootless,
    ),
    _resolve(
        "scheme-not-in-its-table",
        ("urllib", "yarl"),
        ("foo://a/b", "c"),
        "3986 5.2.2",
        Verdict.WRONG,
        _unknown_scheme,
        "it resolves for schemes of a list only, though 5.2 holds for all",
    ),
    _resolve(
        "not-strict",
        ("urllib", "yarl"),
        ("http://a/b", "http:c"),
        "3986 5.2.2, 5.4.2",
        Verdict.CHOICE,
        _relative_by_scheme,
        "it ignores the scheme of a reference if it is that of the base, which the RFC allows for old programs",
    ),
    _resolve(
        "fragment-of-the-base",
        ("Perl URI", "urllib", "yarl"),
        ("http://a/#b", ""),
        "3986 5.2.2",
        Verdict.WRONG,
        _base_itself,
        "the fragment of the base is never kept",
    ),
    _resolve(
        "colon-of-references",
        ("yarl",),
        ("http://a/", "b%3A/é"),
        "3986 4.2, 6.2.2.2",
        Verdict.CHOICE,
        _own_before,
        "it decodes %3A but for the first segment of a reference, and keeps that in what it resolves to",
    ),
    _resolve(
        "own-spelling",
        ("rfc3986", "urllib", "yarl", "hyperlink", "Perl URI"),
        ("http://a/", "%7e?"),
        "3986 5.2",
        Verdict.CHOICE,
        _own,
        "it normalizes what it makes, as it does with each URL (see: the same?)",
    ),
    _resolve(
        "own-spelling-first",
        ("yarl", "hyperlink", "Perl URI", "urllib", "rfc3986"),
        ("file:", "././.?~"),
        "3986 5.2",
        Verdict.CHOICE,
        _own_first,
        "it normalizes both before it resolves",
    ),
)


def _in_hexadecimal(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    match = re.fullmatch(r"::ffff:(\d+)\.(\d+)\.(\d+)\.(\d+)", answer or "")
    if match is None:
        return answer
    one, two, three, four = map(int, match.groups())
    return f"::ffff:{one * 256 + two:x}:{three * 256 + four:x}"


_ADDRESSES = (
    Difference(
        "mapped-addresses",
        "ipv6",
        ("ipaddress",),
        ("::ffff:1.2.3.4",),
        "5952 5",
        "the last 32 bits of an IPv4-mapped address are better written with dots",
        Verdict.CHOICE,
        None,
        _in_hexadecimal,
    ),
)


def _zoned(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    address, percent, zone = texts[0].partition("%")
    return f"{ours('', 'ipv6', address)}{percent}{zone}" if percent else answer


_ZONES = Difference(
    "zones",
    "ipv6",
    ("ipaddress",),
    ("fe80::1%a",),
    "9844",
    "it accepts zone identifiers, as no part of RFC 3986",
    Verdict.CHOICE,
    None,
    _zoned,
)
# What Perl's URI has a class for, as URI::Find asks.
_KNOWN = frozenset(
    (
        *(
            "http",
            "https",
            "ftp",
            "file",
            "news",
            "mailto",
            "data",
            "sip",
            "sips",
            "ldap",
            "ssh",
            "telnet",
            "urn",
            "pop",
        ),
        *("rsync", "gopher", "nntp", "snews", "rtsp", "tn3270", "rlogin", "sftp"),
    )
)


def _candidate(texts: tuple[str, ...]) -> str:
    return texts[0].removeprefix("see ").removesuffix(" there")


def _has_loose_end(texts: tuple[str, ...]) -> bool:
    """Whether an identifier ends with a stop, or has a closer that it did not open."""
    text, depth = _candidate(texts), 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if depth < 0:
            return True
    return depth > 0 or text[-1] in ".,;:!?'()[]"


_FOUND = (
    Difference(
        "found-though-not-valid",
        "found",
        ("Perl URI::Find",),
        ("see http:a there",),
        "9110 4.2.1",
        "the scheme says that it is not valid: it is found there, and a rejection here",
        Verdict.CHOICE,
        when=lambda texts: not check(_candidate(texts)),
    ),
    Difference(
        "scheme-unknown-to-it",
        "found",
        ("Perl URI::Find",),
        ("see foo://a/ there",),
        "3986 3.1",
        "it finds the schemes that Perl's URI has a class for",
        Verdict.CHOICE,
        when=lambda texts: models.scheme_of(_candidate(texts)) not in _KNOWN,
    ),
    Difference(
        "no-slashes",
        "found",
        ("Perl URI::Find",),
        ("see file:a there",),
        "3986 3",
        "without // we find those that look like what their scheme means, so that words with a colon are none",
        Verdict.CHOICE,
        when=lambda texts: models.parts_of(_candidate(texts)).authority is None,
    ),
    Difference(
        "loose-ends",
        "found",
        ("Perl URI::Find",),
        ("see http://a/b? there",),
        "3986 App. C",
        "which stops and closers at the end belong to the text around is a rule of thumb; theirs takes others",
        Verdict.CHOICE,
        when=_has_loose_end,
    ),
    Difference(
        "characters-of-iris",
        "found",
        ("Perl URI::Find",),
        ("see http://a/\U0001f600 there",),
        "3987 2.2",
        "it takes letters of any script for characters of a URI, and nothing else beyond ASCII",
        Verdict.CHOICE,
        when=lambda texts: not _candidate(texts).isascii(),
    ),
)

DIFFERENCES: tuple[Difference, ...] = (*_VALID, *_SPLIT, *_RESOLVE, *_ADDRESSES, _ZONES, *_FOUND)
