"""The steps that merge more than the RFCs do: the rows of `rules/registry/merge_steps.txt`, each with its function.

A function takes the components of a canonical URI and returns those of another one. Steps about pages of the web leave
the links of other schemes as they are. Each step is idempotent, and so are all of them in the order of `MergeStep`:
none makes anything that it, or one before it, would change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.merging import MergeStep, Parameter, Profile
from urisieve.rules.registry import blocks_of
from urisieve.rules.scheme_table import port_to_drop
from urisieve.rules.table import KNOWN_RULES, RuleTable
from urisieve.syntax.components import Components, HostKind, host_kind, lower_case
from urisieve.syntax.passwords import is_connection

_WEB: Final = frozenset(("http", "https"))
_SECURE: Final = {"http": "https", "ws": "wss"}

# The longest name of a host in the DNS (RFC 1035 2.3.4), with a dot at its end.
_LONGEST_NAME: Final = 254
# Names before a country code under which any user may register: what is before them is a name of its own.
SECOND_LEVELS: Final = frozenset(
    (
        *("ac", "co", "com", "edu", "gen", "go", "gob", "gouv", "gov", "gv", "id", "ind", "info", "ltd", "me", "mil"),
        *("ne", "net", "nic", "nom", "or", "org", "plc", "sch", "web"),
    )
)
MOBILE_LABELS: Final = frozenset(("m", "mobile", "amp"))
_WWW: Final = lazy_compile(r"(?:www[0-9]*\.)*www[0-9]+\.(?:www[0-9]*\.)*")
_NUMBERS: Final = lazy_compile("[0-9]+")


def _is_web(parts: Components) -> bool:
    return parts.scheme in _WEB and bool(parts.host)


def _after_label(host: str) -> str | None:
    """Return a host without its first label; None if what is left is not the name of a host of its own."""
    rest = host.partition(".")[2]
    if len(rest) > _LONGEST_NAME:
        return None
    labels = rest.rstrip(".").split(".")
    if len(labels) < 2 or host_kind(rest) is not HostKind.REG_NAME:
        return None
    return None if len(labels) == 2 and len(labels[1]) == 2 and labels[0] in SECOND_LEVELS else rest


def _numeric_port(parts: Components, _: Profile, rules: RuleTable) -> Components:
    if not parts.port or parts.port[0] != "0":
        return parts
    port = parts.port.lstrip("0") or "0"
    return parts._replace(port=None if port == port_to_drop(rules.scheme(parts.scheme)) else port)


def _host_only(parts: Components, _: Profile, rules: RuleTable) -> Components:
    if not parts.host or rules.scheme(parts.scheme).syntax is not None:
        return parts
    return Components(parts.scheme, None, parts.host, None, "/" if rules.scheme(parts.scheme).root else "", None, None)


def _https(parts: Components, _: Profile, __: RuleTable) -> Components:
    if parts.host is None or parts.port is not None or parts.scheme not in _SECURE:
        return parts
    return parts._replace(scheme=_SECURE[parts.scheme])


def _drop_userinfo(parts: Components, _: Profile, __: RuleTable) -> Components:
    return parts._replace(userinfo=None) if parts.userinfo is not None and _is_web(parts) else parts


def _www_numbered(parts: Components, _: Profile, __: RuleTable) -> Components:
    host = parts.host or ""
    match = _WWW.match(host) if _is_web(parts) else None
    if match is None or _after_label(f"www.{host[match.end() :]}") is None:
        return parts
    return parts._replace(host=f"{_NUMBERS.sub('', match[0])}{host[match.end() :]}")


def _strip_www(parts: Components, _: Profile, rules: RuleTable) -> Components:
    host = parts.host or ""
    if not host.startswith("www.") or not rules.scheme(parts.scheme).dns:
        return parts
    while host.startswith("www.") and (rest := _after_label(host)) is not None:
        host = rest
    return parts._replace(host=host)


def _mobile_host(parts: Components, _: Profile, __: RuleTable) -> Components:
    host = parts.host or ""
    while _is_web(parts) and host.partition(".")[0] in MOBILE_LABELS and (rest := _after_label(host)) is not None:
        if rest.startswith("www"):  # an earlier step has left it, or would take it away
            break
        host = rest
    return parts if host == (parts.host or "") else parts._replace(host=host)


def _root_path(parts: Components, _: Profile, rules: RuleTable) -> Components:
    if (
        parts.host is None
        or parts.path != ""
        or parts.scheme == "file"
        or rules.scheme(parts.scheme).syntax is not None
    ):
        return parts  # a scheme with a syntax of its own may have no path; no path of `file` is another authority
    return parts._replace(path="/")


def _lower_path(parts: Components, _: Profile, __: RuleTable) -> Components:
    return parts._replace(path=lower_case(parts.path)) if _is_web(parts) else parts


# The label, the number of the assigning authority in betanumeric characters, and the name after it.
_ARK: Final = lazy_compile(r"(?i:/ark:)/?(?P<number>[0-9bcdfghjkmnpqrstvwxz]{5,9}/)(?P<name>.+)")


def _ark(parts: Components, _: Profile, __: RuleTable) -> Components:
    match = _ARK.search(parts.path) if _is_web(parts) else None
    if match is None:
        return parts
    path = f"{parts.path[: match.start()]}/ark:{match['number']}{match['name'].replace('-', '')}"
    return parts._replace(path=path)


_SESSION_PARAMETER: Final = lazy_compile("(?i);(?:jsessionid|phpsessid)=[^;/]*")
# What ASP.NET puts before a page: 24 letters and digits, or more for forms and anonymous users.
_SESSION_SEGMENT: Final = lazy_compile(
    r"(?i)/\((?:(?:[afs]\([a-z0-9_\-]{24,}\))+|(?=[a-z]*[0-9])[a-z0-9]{24})\)(?=/|\Z)"
)
# Names that belong to sessions alone, what some begin with before letters, and names that do if their value is long and
# random.
SESSION_NAMES: Final = frozenset(("jsessionid", "phpsessid"))
_ASP: Final = "aspsessionid"
RANDOM_NAMES: Final = frozenset(
    ("sid", "sess", "sessid", "session", "sessionid", "session_id", "oscsid", "xtcsid", "zenid")
)
_LEAST_RANDOM, _LEAST_CHANGES = 16, 4


def _is_random(value: str) -> bool:
    """Report whether a value looks drawn at random: letters and digits that change often, as in no word or date."""
    if len(value) < _LEAST_RANDOM or not (value.isascii() and value.isalnum()):
        return False
    return sum(one.isdigit() is not other.isdigit() for one, other in pairwise(value)) >= _LEAST_CHANGES


def _is_session(pair: str) -> bool:
    name, _, value = pair.partition("=")
    name = name.lower()
    if name in SESSION_NAMES or (name.startswith(_ASP) and (name == _ASP or name[len(_ASP) :].isalpha())):
        return True
    return name in RANDOM_NAMES and _is_random(value)


def _session_ids(parts: Components, _: Profile, __: RuleTable) -> Components:
    if not _is_web(parts):
        return parts
    path = _SESSION_SEGMENT.sub("", _SESSION_PARAMETER.sub("", parts.path))
    if path != parts.path:
        from urisieve.judge.normalize import remove_dot_segments

        # Without a session, a segment may be one of dots.
        parts = parts._replace(path=remove_dot_segments(path) if "/." in path else path or "/")
    pairs = (parts.query or "").split("&")
    cold_fusion = {"cfid", "cftoken"} <= {pair.partition("=")[0].lower() for pair in pairs}
    return _with_pairs(
        parts,
        pairs,
        lambda pair: not (_is_session(pair) or (cold_fusion and pair.partition("=")[0].lower() in ("cfid", "cftoken"))),
    )


def _with_pairs(parts: Components, pairs: list[str], wanted: Callable[[str], bool]) -> Components:
    """Return the components with the wanted ones of the pairs of the query; without a query if none are left."""
    kept = list(filter(wanted, pairs))
    return parts if len(kept) == len(pairs) else parts._replace(query="&".join(kept) or None)


# Two slashes after a colon begin another link, as in the paths of web archives.
_SLASHES: Final = lazy_compile("(?<![:/])//+")


def _merge_slashes(parts: Components, _: Profile, __: RuleTable) -> Components:
    if "//" not in parts.path or not _is_web(parts):
        return parts
    return parts._replace(path=_SLASHES.sub("/", parts.path))


INDEX_PAGES: Final = frozenset(
    (
        *("index.html", "index.htm", "index.shtml", "index.php", "index.asp", "index.aspx", "index.jsp", "index.cgi"),
        *("default.asp", "default.aspx", "default.htm", "default.html"),
    )
)


def _is_index(segment: str) -> bool:
    return segment.lower() in INDEX_PAGES


def _index_page(parts: Components, _: Profile, __: RuleTable) -> Components:
    folder, slash, page = parts.path.rpartition("/")
    return parts._replace(path=f"{folder}{slash}") if slash and _is_web(parts) and _is_index(page) else parts


def _trailing_slash(parts: Components, _: Profile, __: RuleTable) -> Components:
    if parts.path[-1:] != "/" or len(parts.path) == 1 or not _is_web(parts):
        return parts
    path = parts.path.rstrip("/")
    # What looks like a file may be a program that reads the rest of the path, and after a colon a link begins.
    return parts if path[-1:] == ":" or _is_index(path.rpartition("/")[2]) else parts._replace(path=path or "/")


def _with_named(parts: Components, parameters: Iterable[Parameter], *, keeps: bool) -> Components:
    """Keep only the parameters that are named for the host, or drop these; without any of them nothing changes."""
    named = [one for one in parameters if one.is_on(parts.host or "")]
    if not parts.query or not parts.host or not named:
        return parts
    return _with_pairs(
        parts, parts.query.split("&"), lambda pair: any(one.covers(pair.partition("=")[0]) for one in named) is keeps
    )


def _drop_tracking(parts: Components, _: Profile, __: RuleTable) -> Components:
    if not parts.query or parts.host is None:  # without a host the query identifies, as in `magnet:?xt=...`
        return parts
    from urisieve.rules.registry import tracking_of

    pairs = parts.query.split("&")
    found = {pair: tracking_of(pair.partition("=")[0], parts.host) for pair in pairs}
    # What may track states nothing about the page, so that leaving it out decides about nothing else.
    rest = "&".join([parts.path, *(pair for pair in pairs if not found[pair])]).lower()
    staying = {row for row in {row for rows in found.values() for row in rows} if row.stays(parts.host, rest)}
    host = parts.host

    def is_kept(pair: str) -> bool:
        return all(row in staying or row.stays(host, pair.lower()) for row in found[pair])

    return _with_pairs(parts, pairs, is_kept)


def _sort_query(parts: Components, _: Profile, __: RuleTable) -> Components:
    if not parts.query or parts.host is None:
        return parts
    pairs = parts.query.split("&")
    if is_connection(parts.scheme) and not all("=" in pair for pair in pairs):
        return parts  # a password may contain "&"
    return parts._replace(query="&".join(sorted(pairs, key=lambda pair: pair.partition("=")[0])))


def _empty_query(parts: Components, _: Profile, __: RuleTable) -> Components:
    return parts._replace(query=None) if parts.query == "" and _is_web(parts) else parts


# A place in a page: the name of an element, and a text fragment. Other fragments are often routes of a program.
_ANCHOR: Final = lazy_compile(r"(?:[A-Za-z][A-Za-z0-9_.:\-]*)?(?::~:.*)?")


def _drop_anchor(parts: Components, _: Profile, __: RuleTable) -> Components:
    if parts.fragment is None or not _is_web(parts) or _ANCHOR.fullmatch(parts.fragment) is None:
        return parts
    return parts._replace(fragment=None)


class MergeRow(NamedTuple):
    """One step.

    Attributes:
        reference: where it is written that many sites treat these as the same, or why users ask for it.
        meaning: what it does, in words.
        same: pairs of identifiers that it merges.
        different: pairs of identifiers that it must not merge.
        apply: returns the components that it makes of others; None if it is not about components.
    """

    reference: str
    meaning: str
    same: tuple[tuple[str, str], ...]
    different: tuple[tuple[str, str], ...]
    apply: Callable[[Components, Profile, RuleTable], Components] | None = None


# By step what it makes of components; the others are not about these.
_FUNCTIONS: Final[dict[MergeStep, Callable[[Components, Profile, RuleTable], Components]]] = {
    MergeStep.NUMERIC_PORT: _numeric_port,
    MergeStep.HOST_ONLY: _host_only,
    MergeStep.HTTPS: _https,
    MergeStep.DROP_USERINFO: _drop_userinfo,
    MergeStep.WWW_NUMBERED: _www_numbered,
    MergeStep.STRIP_WWW: _strip_www,
    MergeStep.MOBILE_HOST: _mobile_host,
    MergeStep.ROOT_PATH: _root_path,
    MergeStep.LOWER_PATH: _lower_path,
    MergeStep.SESSION_IDS: _session_ids,
    MergeStep.ARK: _ark,
    MergeStep.MERGE_SLASHES: _merge_slashes,
    MergeStep.INDEX_PAGE: _index_page,
    MergeStep.TRAILING_SLASH: _trailing_slash,
    MergeStep.KEEP_PARAMS: lambda parts, profile, _: _with_named(parts, profile.keep_params, keeps=True),
    MergeStep.DROP_PARAMS: lambda parts, profile, _: _with_named(parts, profile.drop_params, keeps=False),
    MergeStep.DROP_TRACKING: _drop_tracking,
    MergeStep.SORT_QUERY: _sort_query,
    MergeStep.EMPTY_QUERY: _empty_query,
    MergeStep.DROP_ANCHOR: _drop_anchor,
    MergeStep.DROP_FRAGMENT: lambda parts, _, __: parts._replace(fragment=None),
}


def _row(block: dict[str, list[str]]) -> tuple[MergeStep, MergeRow]:
    """Return the row of a block of lines, with its step."""
    step = MergeStep(block["step"][0])
    same, different = (tuple((one, two) for one, two in map(str.split, block.get(field, ()))) for field in _PAIRS)
    return step, MergeRow(block["reference"][0], " ".join(block["meaning"]), same, different, _FUNCTIONS.get(step))


_PAIRS: Final = ("same", "different")
MERGE_ROWS: Final = dict(map(_row, blocks_of("merge_steps")))


def merged(parts: Components, profile: Profile, rules: RuleTable = KNOWN_RULES) -> Components:
    """Apply the steps of a profile, in their order, to the components of a canonical URI."""
    for step in profile.steps:
        apply = MERGE_ROWS[step].apply
        if apply is not None:
            parts = apply(parts, profile, rules)
    return parts
