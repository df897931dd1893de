"""Where other programs are known to normalize and to map otherwise, with the reason, a row each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from urllib.parse import unquote

from differential import models
from differential.comparison import Difference, Verdict, ours
from differential.models import on, sub
from differential.peers import Answer, Peer
from urisieve import Record, check, explain, normalize
from urisieve.judge.steps import Rule

__all__ = ["EQUIVALENCES"]


_ALL = ("rfc3986", "hyperlink", "yarl", "can-ada", "Perl URI")


def _own(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    return answer and peer.ask["own"](answer)


def _other_host(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    """Write the host as A-labels where we write triplets, and the other way round."""
    host = models.host_of(texts[0])
    if answer is None or host.isascii():
        return answer
    encoded = sub("[^\x00-\x7f]+", models.encode)(host)
    if encoded.lower() in answer.lower():
        return re.sub(re.escape(encoded), ours("", "a-label", host) or encoded, answer, count=1, flags=re.IGNORECASE)
    return answer.replace(ours("", "a-label", host) or encoded, encoded, 1)


_HIDDEN = re.compile("%(?:C2%(?:[89]|A0|AD)|CC%8D|CD%8F|E1%[89]|E2%80|E2%81|E3%80%80|EF%B[BF]|F3)", re.IGNORECASE)
_SHOWN = (
    Difference(
        "hidden-characters-shown",
        "to-iri",
        ("Perl URI",),
        ("http://a/%E2%80%AE",),
        "3987 3.2, 4.1",
        "it decodes bidi controls, and characters that look like a blank or like nothing",
        Verdict.WRONG,
        when=lambda texts: _HIDDEN.search(texts[0]) is not None,
    ),
    Difference(
        "urn-decoded-for-people",
        "to-iri",
        ("Perl URI",),
        ("urn:foo:%C3%A9",),
        "2141 5",
        "it decodes URNs, in which RFC 2141 has ASCII alone, and tags, in which nothing is (RFC 4151 2.4)",
        Verdict.CHOICE,
        when=lambda texts: models.scheme_of(texts[0]) in ("urn", "tag"),
    ),
    Difference(
        "host-lost",
        "to-iri",
        ("Perl URI",),
        ("ssh://xn--a/",),
        "5891 5.4",
        "it loses a host that begins as an A-label and is none, and shows those of fewer schemes as U-labels",
        Verdict.WRONG,
        when=lambda texts: "xn--" in models.host_of(texts[0]),
    ),
    Difference(
        "brackets-of-hosts",
        "to-iri",
        ("Perl URI",),
        ("foo://%5Ba/",),
        "3986 3.2.2",
        "it decodes %5B in a host, and encodes the brackets of addresses of sip, stun and turn",
        Verdict.WRONG,
        when=lambda texts: (
            re.search("%5[BD]", texts[0], re.IGNORECASE) is not None
            or models.scheme_of(texts[0]) in ("sip", "sips", "stun", "stuns", "turn", "turns")
        ),
    ),
)


def _triplets_not_letters(texts: tuple[str, ...]) -> bool:
    host = models.host_of(texts[0])
    return not host.isascii() and (not check(f"http://{host}/") or "%" in host or "," in host or "$" in host)


_MAPPED = (
    Difference(
        "names-with-triplets",
        "to-uri",
        ("hyperlink", "yarl", "can-ada", "Perl URI"),
        ("http://é%ff/",),
        "3986 3.2.2, 5891 5",
        "it makes A-labels of labels that are none of the DNS: with triplets, sub-delims, or against IDNA",
        Verdict.WRONG,
        when=_triplets_not_letters,
    ),
    Difference(
        "mapped-to-ascii",
        "to-uri",
        ("Perl URI",),
        ("news://\uff41/",),
        "3490 4",
        "it maps letters of other widths by IDNA 2003, and is left with ASCII, in schemes that do not speak of the DNS",
        Verdict.CHOICE,
        when=lambda texts: unicodedata.normalize("NFKC", models.host_of(texts[0])) != models.host_of(texts[0]),
    ),
    Difference(
        "nfc-of-paths",
        "to-uri",
        ("hyperlink",),
        ("http://a/e\u0301",),
        "3987 3.1",
        "it composes characters; by step 1c a text that is Unicode already stays as it is",
        Verdict.WRONG,
        when=lambda texts: unicodedata.normalize("NFC", texts[0]) != texts[0],
    ),
    Difference(
        "colons-of-passwords",
        "to-uri",
        ("hyperlink",),
        ("foo://a:b:c@d",),
        "3986 3.2.1",
        "it encodes the colons of a password",
        Verdict.CHOICE,
        when=lambda texts: (models.userinfo_of(texts[0]) or "").count(":") > 1,
    ),
    Difference(
        "other-hosts-by-dns",
        "to-uri",
        ("hyperlink", "yarl", "can-ada", "Perl URI"),
        ("foo://é/",),
        "3987 3.1",
        "which schemes have names of the DNS is a list: theirs is every scheme or a few, ours those whose RFCs say so",
        Verdict.CHOICE,
        None,
        _other_host,
    ),
    Difference(
        "own-spelling-of-uris",
        "to-uri",
        ("hyperlink", "yarl", "can-ada", "Perl URI"),
        ("http://é/?",),
        "3987 3.1",
        "it normalizes what it makes, as it does with each URL (see: the same?)",
        Verdict.CHOICE,
        None,
        _own,
    ),
)


def _empty_label(answer: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
    """Encode label by label, and let empty ones stand."""
    if answer is not None:
        return answer
    mapped = normalize_nfkc(texts[0])
    labels = [label and ours("", "a-label", f"{label}.x") for label in mapped.split(".")]
    return None if None in labels else ".".join(label and label.removesuffix(".x") for label in labels)


def normalize_nfkc(name: str) -> str:
    """Map as UTS 46 does, nearly: compatibility forms, stops, and what is not shown."""
    name = re.sub("[\u00ad\u200b\u2060\ufeff]", "", name)
    return unicodedata.normalize("NFKC", name).replace("\u3002", ".").replace("\uff61", ".")


def _warned(code: str) -> Callable[[Answer, tuple[str, ...], Peer], Answer]:
    """Model a peer that refuses what we accept with a warning."""

    def answer(own: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
        found = check(f"http://{texts[0]}/")
        return None if isinstance(found, Record) and code in map(str, found.warnings) else own

    return answer


_NEWER = re.compile(
    "[\u04c0\u061d\u0b55\u0d04\u0d81\u170d\u1abf-\u1ace\u1dfa\u31bb-\u31bf\u0870-\u08d2\u0c3c\u0c5d\u0cdd\u10a0-\u10cf\u115f\u1160\u1715\u171f\u17b4\u17b5\u1806\u180e"
    "\u1b4c\u1c80-\u1c8f\u2061-\u2063\u206a-\u206f\u2132\u2183\u2c2f\u3164\uffa0\U00010000-\U0001ffff]"
)
_LABELS = (
    Difference(
        "capital-sharp-s",
        "a-label",
        ("can-ada", "libidn2"),
        ("ẞ.com",),
        "UTS 46 of Unicode 15.1",
        "since that version ẞ is mapped to ß, not to ss; its table is older",
        Verdict.CHOICE,
        sub("\u1e9e", "ss"),
    ),
    Difference(
        "empty-labels",
        "a-label",
        ("can-ada", "libidn2"),
        ("a..é",),
        "1034 3.1, 5891 4.4",
        "a label of the DNS is not empty; UTS 46 leaves that to an option (VerifyDnsLength)",
        Verdict.STANDARD,
        None,
        _empty_label,
    ),
    Difference(
        "disallowed-by-idna-2008",
        "a-label",
        ("idna", "libidn2"),
        ("♥.com",),
        "UTS 46 4, 5892",
        "IDNA 2008 refuses it; such names exist, so we accept what UTS 46 allows, with a warning",
        Verdict.CHOICE,
        None,
        _warned("idna2008-disallowed"),
    ),
    Difference(
        "low-lines",
        "a-label",
        ("idna", "libidn2"),
        ("_.é",),
        "5890 2.3.1",
        "a label with _, or with - at an end, is not one of letters, digits and hyphens; we accept it with a warning",
        Verdict.CHOICE,
        None,
        _warned("host-not-ldh"),
    ),
    Difference(
        "older-tables",
        "a-label",
        ("can-ada", "libidn2", "idna"),
        ("\u10c0.com",),
        "UTS 46 5",
        "the character is newer than its tables, or has another mapping since",
        Verdict.CHOICE,
        when=lambda texts: (
            _NEWER.search(texts[0]) is not None
            or any(unicodedata.category(character) == "Cn" for character in texts[0])
        ),
    ),
    Difference(
        "reserved-labels",
        "a-label",
        ("idna", "libidn2"),
        ("aº--9.com",),
        "5890 2.3.1",
        "- in third and fourth place is reserved; the DNS has such names",
        Verdict.CHOICE,
        when=lambda texts: any(
            label[2:4] == "--" for label in normalize_nfkc(texts[0]).replace("ẞ", "ss").replace("ß", "ss").split(".")
        ),
    ),
    Difference(
        "marks-by-mapping",
        "a-label",
        ("libidn2",),
        ("a\u2474.com",),
        "UTS 46 4, 3986 3.2.2",
        "it lets a character be mapped to marks of ASCII, which end a host or are none of a name; we refuse that",
        Verdict.CHOICE,
        when=lambda texts: (
            ours("", "a-label", *texts) is None
            and re.search("[!-,/:-@\\[-^`{-~ ]", normalize_nfkc(texts[0])) is not None
        ),
    ),
    Difference(
        "digits-of-two-kinds",
        "a-label",
        ("libidn2",),
        ("ب1٠.com",),
        "5893 2, 5892 A",
        "it does not check the rules of context, nor that digits of two kinds do not meet from right to left",
        Verdict.WRONG,
        when=lambda texts: re.search("[·・\u0660-\u0669\u06f0-\u06f9]", texts[0]) is not None,
    ),
    Difference(
        "whatwg-checks-less",
        "a-label",
        ("can-ada",),
        ("-.é",),
        "5891 4.2.3, 5893 2",
        "it checks neither hyphens nor all rules of scripts that run from right to left",
        Verdict.STANDARD,
        when=lambda texts: ours("", "a-label", *texts) is None,
    ),
)


def _same(
    name: str,
    peers: tuple[str, ...],
    example: tuple[str, str],
    section: str,
    verdict: Verdict,
    text: Callable[[str], str],
    why: str,
) -> Difference:
    return Difference(name, "same", peers, example, section, why, verdict, text)


def _not_taken(rule: Rule) -> Callable[[Answer, tuple[str, ...], Peer], Answer]:
    """Model a peer that leaves out a step: it says itself that the two sides of that step differ."""

    def answer(own: Answer, texts: tuple[str, ...], peer: Peer) -> Answer:
        if own is not True:
            return own
        steps = [step for text in texts for step in explain(text).steps if step.rule == rule]
        return all(peer.ask["same"](step.before, step.after) for step in steps)

    return answer


def _step(rule: Rule, example: tuple[str, str], section: str, why: str) -> Difference:
    return Difference(f"no-{rule}", "same", _ALL, example, section, why, Verdict.CHOICE, None, _not_taken(rule))


def _decoded(pattern: str) -> Callable[[str], str]:
    return sub(pattern, lambda match: unquote(match[0]))


# Of hyperlink, where we know no default port.
_PORTS = {
    name: port
    for port, *names in (
        *(("22", "sftp", "ssh"), ("53", "dns"), ("111", "nfs"), ("194", "irc"), ("445", "smb"), ("548", "afp")),
        *(("563", "nntps"), ("636", "ldaps"), ("1755", "mms"), ("2855", "msrp"), ("3690", "svn"), ("3784", "ventrilo")),
        *(("5005", "rtspu"), ("6379", "redis"), ("6697", "ircs"), ("9418", "git")),
    )
    for name in names
}
_UNRESERVED = "%(?:2[DdEe]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])"
_STEPS = (
    _step(Rule.SCHEME_CASE, ("RSYNC:/a", "rsync:/a"), "3986 6.2.2.1", "it knows this scheme in lower case only"),
    _step(Rule.NID_CASE, ("urn:FOO:a", "urn:foo:a"), "8141 3.1", "it leaves the namespace of a URN as it is"),
    _step(Rule.HOST_CASE, ("foo://A/", "foo://a/"), "3986 6.2.2.1", "it leaves the host of this scheme as it is"),
    _step(Rule.TRIPLET_CASE, ("a:%c3", "a:%C3"), "3986 6.2.2.1", "it leaves the digits of triplets as they are"),
    _step(Rule.UNRESERVED, ("a:%7Eb", "a:~b"), "3986 6.2.2.2", "it does not decode unreserved characters"),
    _step(Rule.DOT_SEGMENTS, ("http://a/b/../c", "http://a/c"), "3986 6.2.2.3", "it leaves dot segments"),
    _step(Rule.IRI_TO_URI, ("foo:é", "foo:%C3%A9"), "3987 3.1", "it keeps an IRI apart from its URI"),
    _step(Rule.A_LABELS, ("http://é/", "http://xn--9ca/"), "3987 5.3.3", "it keeps U-labels apart from A-labels"),
    _step(Rule.IPV6_TEXT, ("http://[::0]/", "http://[::]/"), "5952 4", "it leaves IPv6 addresses as they are"),
    _step(Rule.EMPTY_PORT, ("foo://a:/", "foo://a/"), "3986 6.2.3", "it keeps a port that is empty"),
    _step(Rule.DEFAULT_PORT, ("ws://a:80/", "ws://a/"), "3986 6.2.3", "it keeps the default port of this scheme"),
    _step(Rule.ROOT_PATH, ("http://a", "http://a/"), "3986 6.2.3", "it keeps the empty path of this scheme"),
    _step(Rule.SCHEME_RULE, ("mailto:a@B.c", "mailto:a@b.c"), "3986 6.2.3", "it does not know this scheme"),
    _step(
        Rule.NAMESPACE_RULE,
        ("urn:isbn:0-395-36341-1", "urn:isbn:0395363411"),
        "8141 3.1",
        "it does not know this namespace",
    ),
)
_MERGES = (
    _same(
        "empty-query",
        ("hyperlink", "yarl"),
        ("http://a/?", "http://a/"),
        "3986 6.2.3",
        Verdict.WRONG,
        sub(r"\?(?=#|\Z)", ""),
        "a query that is empty is not an absent one",
    ),
    _same(
        "empty-fragment",
        ("hyperlink", "yarl"),
        ("http://a/#", "http://a/"),
        "3986 6.2.3",
        Verdict.WRONG,
        sub(r"#\Z", ""),
        "a fragment that is empty is not an absent one",
    ),
    _same(
        "urn-decoded",
        ("rfc3986", "hyperlink", "yarl", "Perl URI"),
        ("urn:foo:%61", "urn:foo:a"),
        "2141 5, 8141 3.1",
        Verdict.WRONG,
        lambda text: _decoded(_UNRESERVED)(text) if models.scheme_of(text) in ("urn", "tag") else text,
        "nothing in a URN is decoded, nor in a tag (RFC 4151 2.4)",
    ),
    _same(
        "reserved-decoded",
        ("yarl", "Perl URI"),
        ("http://a/%2C", "http://a/,"),
        "3986 2.2, 6.2.2.2",
        Verdict.WRONG,
        models.chain(
            on(_decoded("%(?:2[146789BbCcAa]|3[ABDabd])"), "authority"),
            on(_decoded("%(?:2[146789BbCcFfAa]|3[ABDabdFf]|40)"), "path", "query", "fragment"),
        ),
        "a reserved character is not its triplet",
    ),
    _same(
        "reserved-decoded-behind-paths",
        ("yarl", "Perl URI"),
        ("http://a/#%2F", "http://a/#/"),
        "3986 2.2, 6.2.2.2",
        Verdict.WRONG,
        on(_decoded("%(?:2[146789BbCcFfAa]|3[ABDabdFf]|40)"), "query", "fragment"),
        "a reserved character is not its triplet, neither in a query nor in a fragment",
    ),
    _same(
        "rootless-dots",
        ("rfc3986", "hyperlink", "can-ada", "Perl URI"),
        ("foo:b/", "foo:b//../"),
        "3986 6.2.2.3",
        Verdict.CHOICE,
        models.without_dots,
        "it removes dot segments from paths that no / begins; we keep them, as no base is there",
    ),
    _same(
        "root-for-all",
        ("hyperlink", "yarl"),
        ("foo://a", "foo://a/"),
        "3986 6.2.3",
        Verdict.WRONG,
        sub(r"\A([^:/?#]+://[^/?#]*)(?=[?#]|\Z)", r"\1/"),
        "that an empty path is the same as / holds for schemes that say so",
    ),
    _same(
        "port-as-number",
        ("can-ada", "hyperlink", "yarl", "Perl URI"),
        ("foo://a:080/", "foo://a:80/"),
        "3986 6.2.3",
        Verdict.CHOICE,
        on(sub(r":0+(?=[0-9]+\Z)", ":"), "authority"),
        "it compares ports as numbers; the RFC leaves out the default port only",
    ),
    _same(
        "ipv4-numbers",
        ("can-ada",),
        ("http://01.2.3.4/", "http://1.2.3.4/"),
        "3986 3.2.2, 7.4; URL Standard 3.5",
        Verdict.STANDARD,
        models.ipv4_in_decimal,
        "it reads octal, hexadecimal and fewer numbers as IPv4; by the RFC such a host is a registered name",
    ),
    _same(
        "userinfo-encoded",
        ("can-ada",),
        ("foo://a:b:@c/", "foo://a:b%3A@c/"),
        "3986 2.2; URL Standard 1.3",
        Verdict.STANDARD,
        models.userinfo_encoded,
        "it encodes : ; = of a name and a password, so that they are the same as their triplets",
    ),
    _same(
        "ports-of-its-table",
        ("hyperlink",),
        ("dns://a:53/b", "dns://a/b"),
        "3986 6.2.3, 4501 3",
        Verdict.CHOICE,
        lambda text: (
            on(sub(r":[0-9]+\Z", ""), "authority")(text)
            if models.port_of(text) and _PORTS.get(models.scheme_of(text)) == models.port_of(text)
            else text
        ),
        "it takes the port of a service for the default of a scheme; we do where what defines the scheme says so",
    ),
    _same(
        "empty-authority-lost",
        ("rfc3986", "yarl"),
        ("foo://", "foo:"),
        "3986 3.2",
        Verdict.WRONG,
        sub("(?<=:)//:?(?=[?#]|\\Z)", ""),
        "an authority that is empty is not an absent one",
    ),
    Difference(
        "ldap-paths",
        "same",
        ("Perl URI",),
        ("ldap:", "ldap:/"),
        "4516 2",
        "its class for ldap supplies a root, and reads the path as a name",
        Verdict.CHOICE,
        when=lambda texts: not {"ldap", "ldaps"}.isdisjoint(map(models.scheme_of, texts)),
    ),
    _same(
        "hosts-of-dns-everywhere",
        ("hyperlink", "yarl"),
        ("foo://Ü/", "foo://ü/"),
        "3987 5.3.2.1",
        Verdict.CHOICE,
        on(lambda authority: authority.lower() if not authority.isascii() else authority, "authority"),
        "it takes each host for a name of the DNS; of others only ASCII letters have no case",
    ),
    _same(
        "dots-that-a-scheme-keeps",
        ("yarl", "can-ada", "hyperlink", "rfc3986", "Perl URI"),
        ("msrps://a:1/./b;tcp", "msrps://a:1/b;tcp"),
        "4975 6.1",
        Verdict.CHOICE,
        models.without_decoded_dots,
        "it removes dot segments where this scheme has no hierarchy",
    ),
    Difference(
        "authority-lost",
        "same",
        ("rfc3986",),
        ("http://256.1.1.1:1/", "http://256.1.1.1:2/"),
        "3986 3.2.2",
        "it loses what it cannot read of an authority, such as a port behind what is almost an IPv4 address",
        Verdict.WRONG,
        when=lambda texts: any(
            re.search(r"(\d+\.){3}\d+|:\d{6}|\[", models.parts_of(text).authority or "") for text in texts
        ),
    ),
    Difference(
        "compared-otherwise",
        "same",
        _ALL,
        ("ni:///sha-256;a?ct=b", "ni:///sha-256;a?ct=c"),
        "6920 2",
        "this scheme says that a part does not count; the canonical form keeps it, the key does not",
        Verdict.CHOICE,
        None,
        lambda answer, texts, peer: normalize(texts[0]) == normalize(texts[1]),
    ),
    Difference(
        "slashes-lost",
        "same",
        ("rfc3986", "hyperlink"),
        ("http://a/..//b", "http://a/b"),
        "3986 5.2.4",
        "it loses a slash where .. meets the root or an empty segment",
        Verdict.WRONG,
        when=lambda texts: any(
            segment.lower().replace("%2e", ".") == ".."
            for text in texts
            for segment in models.parts_of(text).path.split("/")
        ),
    ),
    Difference(
        "whatwg-files",
        "same",
        ("can-ada",),
        ("file:", "file:/a/../"),
        "URL Standard 4.4",
        "file has rules of its own there: an empty host and a root are supplied",
        Verdict.STANDARD,
        when=lambda texts: "file" in map(models.scheme_of, texts),
    ),
)

EQUIVALENCES: tuple[Difference, ...] = (*_MAPPED, *_SHOWN, *_LABELS, *_MERGES, *_STEPS)
