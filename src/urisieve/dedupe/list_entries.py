"""The meaning of a line of a list: a link by its key, a host, or neither."""

from __future__ import annotations

from urisieve.codes import Warn
from urisieve.identifiers import judge_whole
from urisieve.judge.judge import Judged
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.merging import MergeStep
from urisieve.options import DEFAULT_OPTIONS, Options, merging_of
from urisieve.syntax.components import without_space_around
from urisieve.syntax.host import host_as_written, ipv6_text

_COMMENT: Final = "#"
# Stands before a host that covers those below it.
COVERS: Final = "."
_IPV4: Final = lazy_compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_IPV6: Final = lazy_compile(r"\[?[0-9A-Fa-f:.]{2,45}\]?")
_HOST_AND_PORT: Final = lazy_compile(r"[^\s/?#@:]+\.[^\s/?#@:]+:[0-9]+")
# The longest name of a host (RFC 1035 2.3.4), with a port.
_LONGEST: Final = 253 + len(":65535")
_NO_HOST: Final = lazy_compile(r"[\s/?#@:]")
# The key of a line of CDX or CDXJ, behind which other fields stand.
_ARCHIVE_KEY: Final = lazy_compile(r"[^\s()/?#]+\)/\S*(?=\s|\Z)")
# The kinds of lines.
LINK: Final = "link"
HOST: Final = "host"
FAULT: Final = "fault"


class ListEntry(NamedTuple):
    """The meaning of a line of a list.

    Attributes:
        kind: `link` or `host`; `fault` for a line that is neither.
        text: the key of a link, or a key as it stands in an index of archives; the name of a host, with a dot before it
            if it covers those below it; the reason of a fault, which quotes nothing of the line.
    """

    kind: str
    text: str


def entry_of(line: str, options: Options = DEFAULT_OPTIONS) -> ListEntry | None:
    """Return the meaning of a line; None for an empty one and a comment, which begins with `#`.

    >>> entry_of("HTTP://EXAMPLE.com")
    ListEntry(kind='link', text='http://example.com/')
    >>> entry_of("*.Example.com"), entry_of("# a comment")
    (ListEntry(kind='host', text='.example.com'), None)
    """
    text = without_space_around(line)
    if not text or text.startswith(_COMMENT):
        return None
    archived = _ARCHIVE_KEY.match(text)
    if archived is not None:
        if MergeStep.ARCHIVE_KEY in merging_of(options).steps:
            return ListEntry(LINK, archived[0])
        return ListEntry(FAULT, "the key of an archive: `--merge surt` compares by these")
    words = text.partition(_COMMENT)[0].split(None, 2)
    if len(words) == 2 and (_IPV4.fullmatch(words[0]) or _is_ipv6(words[0])):  # a line of a hosts file
        text = words[1]
    covers = text.startswith(("*.", ".", "||"))
    name = text
    if text.startswith("||"):  # of lists of filters
        name = text[2:].removesuffix("^")
    elif covers:
        name = text[text.index(".") + 1 :]
    if _is_ipv6(name):
        host = _ipv6(name)
        if host is not None:
            return ListEntry(HOST, host)
    if len(name) <= _LONGEST and _HOST_AND_PORT.fullmatch(name):
        return ListEntry(FAULT, "a host with a port: leave out the port, or write a link")
    found = None
    if not _NO_HOST.search(name) and ("." in name or not name.isascii()):
        verdict = host_as_written(name.removesuffix("."))
        host = verdict.host
        no_name = {Warn.HOST_NOT_UTF8, Warn.HOST_TOO_LONG, Warn.RARE_IPV4}.intersection(verdict.warnings)
        if verdict.reason is None and "." in host and not no_name:
            return ListEntry(HOST, f"{COVERS}{host}" if covers else host)
        if verdict.reason is not None:
            found = ListEntry(FAULT, str(verdict.reason))
    judged = judge_whole(line, options)
    if isinstance(judged, Judged):
        return ListEntry(LINK, judged.key)
    return found or ListEntry(FAULT, "not a host name" if covers else str(judged.reason))


def _is_ipv6(text: str) -> bool:
    return text.count(":") > 1 and _IPV6.fullmatch(text) is not None


def _ipv6(text: str) -> str | None:
    """Return an IPv6 address as it stands in a URI, None for what is not one."""
    from ipaddress import AddressValueError

    try:
        return ipv6_text(f"[{text.removeprefix('[').removesuffix(']')}]")
    except AddressValueError:
        return None
