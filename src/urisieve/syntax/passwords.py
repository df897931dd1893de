r"""Where a text contains passwords (RFC 3986 3.2.1): one rule for the judge, for masking, for Arrow and for SQL.

In an identifier a password is

- the text after the first ":" of user information, which is in the authority alone (in SIP after the scheme). So
  `https://reg.example//repo:tag@sha256:00ff` and `http://a.example/x//a:b@c` have none. After an encoded colon it is
  one that has no warning;
- in a link that an identifier contains, the same, however the link is encoded. Such a link begins with a scheme and
  `://`, or it is the value of a parameter and begins with `//`, as in `?next=//u:pw@h.example/`;
- where connections to databases and queues write it, known by their scheme (`jdbc:`, `postgres:`, `redis:`): a
  parameter such as `;password=X` or `?pwd=X`, and the `user/X@` of Oracle. A parameter of an http link is not one.

A placeholder is no password (`is_placeholder`). In a text that is not an identifier no user can tell what is meant, so
that all is suspected which a colon and a later "@" may enclose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from urisieve.lean import Final, lazy_compile
from urisieve.syntax.components import WHITE_SPACE

Span = tuple[int, int]

# Written instead of a password.
MASK: Final = "***"

# The text after the first ":" of user information, in a text that may still contain white space. SIP has the same form
# without "//", and allows more characters in the user part (RFC 3261 19.1.1, 25.1). The identifier may be inside
# another one, as in `view-source:http://...`. In what is not valid the password may contain "@": it ends at the last
# one before a "/", "?" or "#". The slashes may be escaped (`unescaped`).
_USERINFO: Final = lazy_compile(
    rf"(?:(?>[A-Za-z][A-Za-z0-9+.\-]*+:)*+[{WHITE_SPACE}\\]*/[{WHITE_SPACE}\\]*/[^/?#@:]*:(?=[^/?#@]*@)"
    r"|[Ss][Ii][Pp][Ss]?:(?!//)[^@:]*:)([^@]*(?:@[^@/?#]*)*)@"
)
# The authority may be the scheme of a link that was written twice, `http://http://u:p@h/`; the canonical form has no
# colon after it. Only schemes are meant that no host is named like.
_SCHEME_AS_HOST: Final = lazy_compile(
    r"(?>[A-Za-z][A-Za-z0-9+.\-]*+:)++//(?:[^/?#@]*@)?(?:https?|ftps?|sftp|wss?):?//[^/?#@:]*:([^/?#]*)@", re.IGNORECASE
)
# A colon that is encoded, and the name of a user with its colon.
_COLON: Final = "%(?>25)*+3[Aa]"
_NAME_OF_USER: Final = rf"(?:(?!{_COLON})[^/?#:])*(?::|{_COLON})"
# A user, or one of SIP, with an encoded colon: by RFC 3986 3.2.1 all of it is the name, but many programs decode it and
# take what is after the colon for a password.
_ENCODED_USERINFO: Final = lazy_compile(
    rf"(?:(?>[A-Za-z][A-Za-z0-9+.\-]*+:)*+//(?:(?!{_COLON})[^/?#@:])*{_COLON}([^/?#]*)"
    rf"|[Ss][Ii][Pp][Ss]?:(?!//)(?:(?!{_COLON})[^@:])*{_COLON}([^@]*))@"
)
_AUTHORITY: Final = lazy_compile(r"(?>[A-Za-z][A-Za-z0-9+.\-]*+:)*+//[^/?#]*+")

# Schemes of connections; some programs add the driver, as in `postgresql+psycopg2`.
_CONNECTIONS: Final = frozenset(
    (  # noqa: SIM905 - one string reads better than ninety
        "adodb amqp amqps bigquery cassandra clickhouse clickhouses cockroach cockroachdb couchbase couchbases "
        "couchdb crdb databricks db2 dbi duckdb elasticsearch exa firebird firebirdsql h2 hana hdb hive hive2 impala "
        "influxdb informix jdbc jtds kafka libsql mariadb memcache memcached mongodb mqtt mqtts mssql mysql mysqlx "
        "nats neo4j neo4js odbc oracle pgsql postgis postgres postgresql presto r2dbc redis rediss redshift sap sb "
        "snowflake sqlite sqlite3 sqlserver sqlsrv sybase tcp tds teradata trino valkey valkeys vertica"
    ).split()
)
_SCHEME: Final = lazy_compile(r"(?<![A-Za-z0-9+.\-])[A-Za-z][A-Za-z0-9+.\-]*+(?=:)")
_RUN: Final = lazy_compile(r"\S++")
# The names of parameters that contain a password, whatever is before it: `sslpassword`, `trustStorePassword`.
_SECRET_NAME: Final = (
    r"(?:[a-z0-9_.\-]*(?:password|passwd|passphrase|pwd|secret|token|access_?key|account_?key)"
    r"|(?:[a-z0-9_.\-]*[_.\-])?(?:pass|pw))"
)
# The value ends where another parameter begins: a password may contain every separator. The parameters of ODBC may be
# the value of one, percent-encoded. In Hive `;auth=` names a method.
_EQUALS: Final = r"(?:\s*=|%(?:25)*3d)"
_PARAMETER: Final = lazy_compile(
    rf"(?is)(?<=\(){_SECRET_NAME}=([^)]*)"
    rf"|(?:(?:\A|[?&;:,/\s+]|%(?:25)*3[ab]){_SECRET_NAME}|[?&]auth){_EQUALS}"
    rf"((?:(?!(?:[&;,]|%(?:25)*3b)[\s+]*[a-z][a-z0-9_.\-]*{_EQUALS}).)*)"
)
# `jdbc:oracle:thin:user/password@host`; without an "@" the text was cut in the password.
_ORACLE: Final = lazy_compile(r"(?is)(?:jdbc:)?oracle:[a-z0-9]+:[^/@]*/(?:([^@]*(?:@[^@/?#]*)*)@|([^@]*)\Z)")

# A password with a "/", "?" or "#" that is not encoded: after the user's colon is no port.
_CONNECTION_USER: Final = lazy_compile(r"(?is)[a-z0-9+.:\-]*+//(?!\[)[^/?#@:]*+:(?![0-9]++(?:[/?#;,:]|\Z))(.*)@")

# What may be written instead of a password. The name in "<>" or "{}", and that after a bare "$", states that a password
# is meant: users choose passwords that begin with "$".
_NAMED: Final = r"[A-Za-z0-9_.\- ]*(?i:pass|pwd|pw|secret|token|key)[A-Za-z0-9_.\- ]*"
_PLACEHOLDER: Final = lazy_compile(
    rf"\*{{2,}}|x{{4,}}|X{{4,}}|\$\{{[A-Za-z_][A-Za-z0-9_.]*\}}|\$[A-Z0-9_]*(?:PASS|PWD|PW|SECRET|TOKEN|KEY)[A-Z_]*"
    rf"|<{_NAMED}>|\{{{_NAMED}\}}|\{{\{{{_NAMED}\}}\}}"
)
_LONGEST_PLACEHOLDER: Final = 128
_TRIPLET: Final = lazy_compile("%([0-7][0-9A-Fa-f])")


def _mark(escape: str, character: str) -> str:
    """Return the pattern of a delimiter, which `escape` may encode."""
    return f"(?:{re.escape(character)}|{escape}(?i:{ord(character):02x}))" if escape else re.escape(character)


def _inner_sip(escape: str) -> str:
    """Return the pattern of a password in a link of SIP inside another one, whose delimiters `escape` may encode.

    Each match passes no other scheme of SIP, so that the search is linear.
    """
    colon, at = _mark(escape, ":"), _mark(escape, "@")
    scheme = f"[Ss][Ii][Pp][Ss]?{colon}"
    end = rf"(?:{scheme}|&[A-Za-z0-9_.%-]*=|\s)"
    before = r"(?:(?<![A-Za-z0-9+.\-])|(?<=%[0-9A-Fa-f][0-9A-Fa-f]))"
    return rf"(?s){before}{scheme}(?!//)(?:(?!{end}|{colon}|{at}).)*{colon}((?:(?!{end}).)*){at}"


def _inner(escape: str, slash: str, backslashes: str) -> str:
    """Return the pattern of a password in a link inside another one, whose delimiters `escape` may encode.

    The user name ends at the first ":", the password at the last "@" before what ends an authority, or before what
    begins another parameter of a query. Each match of the pattern begins at "//" and passes no other "/", so that the
    search is linear.
    """
    mark = partial(_mark, escape)
    end = f"(?:{slash if slash != '/' else mark('/')}|{mark('?')}|{mark('#')}|&[A-Za-z0-9_.%-]*=)"
    colon, at = mark(":"), mark("@")
    # A link without a scheme is the value of a parameter.
    before = colon if slash != "/" else f"(?:{colon}|{mark('=')}|{mark('?')}|{mark('&')}|{mark('#')})"
    start = f"{before}{(backslashes + (slash if slash != '/' else mark('/'))) * 2}"
    return f"(?s){start}(?:(?!{end}|{colon}).)*{colon}((?:(?!{end}).)*){at}"


# As links are put into others: as they are written, with escaped slashes, percent-encoded up to eight times, and as a
# mail filter encodes them. The sign is what a text must contain to be searched so.
_ESCAPES: Final = tuple(f"%{'25' * times}" for times in range(8))
_WRAPPINGS: Final = (
    ("", "/", "", "//"),
    ("", "/", r"\\{1,15}+", "\\/"),
    *((escape, "/", "", escape) for escape in _ESCAPES),
    ("-", "_", "", "__"),
)
_INNER: Final = tuple((sign, lazy_compile(partial(_inner, *marks))) for *marks, sign in _WRAPPINGS)

# A link of SIP inside another one, as `?u=sip%3Au%3Apw%40h`.
_INNER_SIPS: Final = tuple(lazy_compile(partial(_inner_sip, escape)) for escape in ("", *_ESCAPES))
_MAY_BE_SIP: Final = lazy_compile(r"[Ss][Ii][Pp][Ss]?[:%]")
# A link inside whose password has a "/", "?" or "#" that is not encoded: after the user's colon is no port.
_INNER_WITH_DELIMITERS: Final = lazy_compile(r"(?<=:)//(?!\[)[^/?#@:&\s]*+:(?![0-9]*+(?:[/?#&;,:]|\Z))([^\s&]{0,256})@")

# In a rejection the password, or the name before it, may be what is not valid, as in `http://u:p/w@h/` and
# `http://u@a:p@h/`: all up to the last "@" is suspected. Browsers read `http:\\u:p@h`, `http:/u:p@h` and `http:u:p@h`
# as `http://u:p@h`, and JSON may have left `http:\/\/u:p@h`.
_BROKEN_USER: Final = lazy_compile(
    r"(?s)(?:(?:[A-Za-z][A-Za-z0-9+.\-]*:\s*|/)[/\\][/\\\s]*+|(?:[Hh][Tt][Tt][Pp]|[Ww][Ss])[Ss]?:|[Ff][Tt][Pp]:)"
    rf"{_NAME_OF_USER}|[Ss][Ii][Pp][Ss]?:(?!//)(?:(?!{_COLON})[^:])*(?::|{_COLON})"
)
# The same after other text, such as a quotation mark.
_INNER_BROKEN_USER: Final = lazy_compile(rf"(?::[\])}}]?\s*[/\\]|//)[/\\\s\])}}]*+{_NAME_OF_USER}")
# What may be instead of the "@" of an authority, in text that was not refanged or was encoded once too often.
_DISGUISED_AT: Final = lazy_compile(
    r"(?:[^/?#:]*:)?[/\\]*+[^/?#:]*:[^/?#]*?(\uff20|%40|&(?:commat|#64|#x40);|[\[({]\s?[Aa][Tt]\s?[\])}])"
)
# What is too long for the port or the name of a host, up to the end: of what was cut, the "@" may be missing.
_UNENDED: Final = lazy_compile(
    rf"(?:://|(?<![A-Za-z0-9+.\-])[Ss][Ii][Pp][Ss]?:(?!//)){_NAME_OF_USER}([^:/?#@\s]{{256,}}+)\Z"
)
# In a name or a message: what may be a user before a password, and no port. In the path of a file two slashes are one.
_NAMED_USER: Final = lazy_compile(
    rf"(?:(?::[/\\]++|//)(?:(?!{_COLON})[^/?#@:\s])*"
    rf"|(?<![A-Za-z0-9+.\-])[Ss][Ii][Pp][Ss]?:(?!//)(?:(?!{_COLON})[^@:\s])*)(?::|{_COLON})(?!\d*(?:[/?#\s]|\Z))"
)
# The end of a word and of the next one, which may be in another line: a password may contain what ends a line.
_WORDS: Final = lazy_compile(r"\S*+(?:\s++\S*+)?")
# Where a name was shortened, what is left out may have contained the "@".
_CUT: Final = "\u2026"


def is_placeholder(password: str) -> bool:
    """Report whether a text in the place of a password states that one was left out, and hides nothing.

    These are placeholders, with delimiters as they are written or percent-encoded: two asterisks or more; four `x` or
    more; a variable in braces, `${PASS}`; one without braces, or a name in angle brackets or braces, that states what
    it is
    for: `$PGPASSWORD`, `<password>`, `{password}`, `{{ db.secret }}`. A word such as `password` alone is none: users
    choose it.

    >>> [is_placeholder(text) for text in ("***", "%2A%2A", "$PASS", "<password>", "password", "$ecret")]
    [True, True, True, True, False, False]
    """
    for _ in range(len(_ESCAPES)):
        if len(password) > _LONGEST_PLACEHOLDER or "%" not in password:
            break
        password = _TRIPLET.sub(lambda match: chr(int(match[1], 16)), password)
    return len(password) <= _LONGEST_PLACEHOLDER and _PLACEHOLDER.fullmatch(password) is not None


def may_be_connection(text: str) -> bool:
    """Report whether an identifier has the scheme of a connection, whose parameters may be passwords."""
    scheme, colon, _ = text.partition(":")
    return colon != "" and is_connection(scheme)


def is_connection(scheme: str) -> bool:
    """Report whether a scheme is that of a connection."""
    return scheme not in ("http", "https") and scheme.partition("+")[0].lower() in _CONNECTIONS


def may_hold_at_sign(text: str, start: int = 0) -> bool:
    """Report quickly whether a text may contain an at-sign after an offset, as it is or encoded."""
    if text.find("@", start) >= 0:
        return True
    return text.find("40", start) >= 0 and any(text.find(sign, start) >= 0 for sign in ("%40", "2540", "-40"))


def with_at_signs(texts: Iterable[str]) -> Iterator[int]:
    """Yield the indices of the texts that may contain an at-sign; among many, few do."""
    for index, text in enumerate(texts):
        if "@" in text or ("40" in text and may_hold_at_sign(text)):  # the operator is quicker than a call
            yield index


def may_hold_password(text: str) -> bool:
    """Report quickly whether an identifier may contain a password; if not, `passwords` finds none."""
    return may_hold_at_sign(text) or may_be_connection(text)


def userinfo_password(text: str) -> Span | None:
    """Return where the password of an identifier is in its user information, or a placeholder of one."""
    match = _USERINFO.match(text) if "@" in text else None
    return None if match is None else match.span(1)


def own_passwords(text: str) -> list[Span]:
    """Return where the passwords of an identifier are, in their order; not those of links inside it.

    >>> own_passwords("http://joe:pass@a.example/"), own_passwords("jdbc:mysql://h/db?user=joe&password=pass")
    ([(11, 15)], [(36, 40)])
    """
    spans = _own(text)
    return _settled(text, spans) if spans else []


def passwords(text: str) -> list[Span]:
    """Return where the passwords of an identifier, and of the links inside it, are, in their order.

    >>> text = "https://r.example/?u=//joe:pass@a.example/"
    >>> [text[start:end] for start, end in passwords(text)]
    ['pass']
    """
    return _settled(text, _all(text)) if may_hold_password(text) else []


def replaced(text: str, spans: Sequence[Span], hidden: Callable[[str], str] = lambda _: MASK) -> str:
    """Return a text with what is at some places replaced by what `hidden` returns for it.

    >>> replaced("http://joe:pass@a.example/", [(11, 15)])
    'http://joe:***@a.example/'
    """
    if not spans:
        return text
    pieces: list[str] = []
    behind = 0
    for start, end in spans:
        pieces += text[behind:start], hidden(text[start:end])
        behind = end
    return "".join((*pieces, text[behind:]))


def suspected_passwords(text: str) -> list[Span]:
    """Return what may be a password in a text that is not an identifier, as in a rejection: rather too much.

    >>> text = "http://joe:pa|ss@a.example/"
    >>> [text[start:end] for start, end in suspected_passwords(text)]
    ['pa|ss']
    """
    if text[:4].lower() == "www.":
        before = len("http://")
        return [(start - before, end - before) for start, end in suspected_passwords(f"http://{text}")]
    spans = _all(text)
    # The parameters of a connection may be without a scheme.
    start = next(_connections(text), 0 if _SCHEME.match(text) is None else None)
    if start is not None:
        spans += _of_connection(text, start, len(text))
    if userinfo_password(text) is None:
        end = text.rfind("@")
        if end < 0 and (disguised := _DISGUISED_AT.match(text)) is not None:
            end = disguised.start(1)
        user = _BROKEN_USER.match(text, 0, end) or _INNER_BROKEN_USER.search(text, 0, end) if end >= 0 else None
        if user is not None:
            spans.append((user.end(), end))
        if (unended := _UNENDED.search(text)) is not None:
            spans.append(unended.span(1))
    return _settled(text, spans)


def named_passwords(text: str) -> list[Span]:
    """Return what may be a password in a name or a message: in a word what `://`, or `sip:`, and a colon begin.

    It goes up to the last "@" of this word or the next one; to the ellipsis where that was cut off (`shortened`).
    """
    text = text.replace(_CUT, "@")
    if text.count(":") == 1 and text.startswith(("http:", "https:")) and not may_hold_at_sign(text):
        return []  # as most names of records are: no other scheme, no user
    spans = _inside(text, 0)
    end = 0
    for start in _connections(text):
        if start >= end and (run := _RUN.match(text, start)) is not None:
            end = run.end()
            spans += _of_connection(text, start, end)
    end = 0
    for user in _NAMED_USER.finditer(text) if "@" in text else ():
        start = user.end()
        if start >= end and (words := _WORDS.match(text, start)) is not None:
            end = words.end()
        at = text.rfind("@", start, end)
        if at >= 0:
            spans.append((start, at))
    if (unended := _UNENDED.search(text)) is not None:
        spans.append(unended.span(1))
    return _settled(text, spans)


def _own(text: str) -> list[Span]:
    span = userinfo_password(text)
    found = [] if span is None else [span]
    return found + _of_connection(text, 0, len(text)) if may_be_connection(text) else found


def _connections(text: str) -> Iterator[int]:
    """Yield where schemes of connections begin in a text."""
    if "=" in text or "/" in text:
        for match in _SCHEME.finditer(text):
            if is_connection(match[0]):
                yield match.start()


def _of_connection(text: str, start: int, end: int) -> list[Span]:
    """Return the known places of passwords in a connection that begins at an offset."""
    spans = [match.span(match.lastindex or 0) for match in _PARAMETER.finditer(text, start, end)]
    for place in (_ORACLE, _CONNECTION_USER):
        match = place.match(text, start, end)
        if match is not None:
            spans.append(match.span(match.lastindex or 0))
    return [(start, end) for start, end in spans if start < end]


def _all(text: str) -> list[Span]:
    spans = _own(text)
    twice = _SCHEME_AS_HOST.match(text) if "@" in text else None
    if twice is not None:
        spans.append(twice.span(1))
    encoded = _ENCODED_USERINFO.match(text) if "@" in text and "%" in text else None
    if encoded is not None:
        spans.append(encoded.span(encoded.lastindex or 0))
    authority = _AUTHORITY.match(text)
    start = 0 if authority is None else authority.end()
    return spans + _inside(text, start - (text[start - 1 : start] == ":"))  # another link may follow in a list


def _inside(text: str, start: int) -> list[Span]:
    """Return where the passwords of the links are that begin after an offset."""
    if not may_hold_at_sign(text, start):
        return []
    patterns = [pattern for sign, pattern in (*_INNER, ("://", _INNER_WITH_DELIMITERS)) if text.find(sign, start) >= 0]
    if _MAY_BE_SIP.search(text, start) is not None:
        patterns += _INNER_SIPS
    return [match.span(1) for pattern in patterns for match in pattern.finditer(text, start)]


def _settled(text: str, spans: Iterable[Span]) -> list[Span]:
    """Return spans without placeholders, in their order, those that overlap as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        elif not found or found[-1] != (start, end):
            found.append((start, end))
    return [(start, end) for start, end in found if not is_placeholder(text[start:end])]
