"""Rows of schemes that hold an identifier, or a program: `view-source`, `jar`, `jdbc`, `javascript` and others."""

from __future__ import annotations

from urisieve.codes import Notice, Warn
from urisieve.lean.hints import Final
from urisieve.rules.parts import after_scheme
from urisieve.rules.scheme import Authority, Scheme
from urisieve.syntax.components import Components

__all__ = ["ROWS"]

# A call of a function or method, with code after it: in prose, a parenthesis does not directly follow a word. Words
# that begin a definition in a program are excluded.
_SCRIPT: Final = (
    r"(?!(?:function|require|import|async)[(%])(?:[A-Za-z_$][A-Za-z0-9_$]{1,63}(?:\.[A-Za-z_$][A-Za-z0-9_$]{0,63}){0,8}"
    r"(?:\(|%28)[^\s<>]|(?:window|document|location|history|self|top|parent)\.[A-Za-z]{2,32}[.=%])"
)
_WEB: Final = r"[Hh][Tt][Tt][Pp][Ss]?://[^\s<>\"]"
_DATABASES: Final = (
    "as400|clickhouse|db2|derby|exa|firebirdsql|h2|hive2|hsqldb|impala|informix-sqli|jtds|mariadb|mysql|netezza|odbc"
    "|oracle|phoenix|postgresql|presto|redshift|sap|snowflake|sqlite|sqlserver|sybase|teradata|trino|vertica"
)


def _script(parts: Components) -> tuple[Notice, ...]:
    return (Notice(Warn.SCRIPT, parts.scheme.lower()),)


def _code(parts: Components) -> dict[str, str]:
    return {"code": after_scheme(parts)}


def _whole(parts: Components) -> str | None:
    """Return all that follows the scheme, with the fragment, if it may be an identifier; else None."""
    text = after_scheme(parts)
    if parts.fragment is not None:
        text = f"{text}#{parts.fragment}"
    return text if ":" in text and parts.host is None else None


def _archive(parts: Components) -> str | None:
    """Return the identifier of the archive, which ends before the last "!/"; None if there is none."""
    text = after_scheme(parts)
    before, mark, _ = text.rpartition("!/")
    return before if mark and ":" in before else None


def _archive_parts(parts: Components) -> dict[str, str]:
    before, mark, entry = after_scheme(parts).rpartition("!/")
    return {"archive": before, "entry": entry} if mark else {}


def _database_parts(parts: Components) -> dict[str, str]:
    subprotocol, _, subname = after_scheme(parts).partition(":")
    return {"subprotocol": subprotocol, "subname": subname}


def _nested(name: str, title: str, shape: str, example: str) -> Scheme:
    return Scheme(
        name=name,
        title=title,
        reference=f"the {name} registration",
        case="scheme",
        shape=shape,
        inner=_whole,
        same=((f"{name.upper()}:{example}", f"{name}:{example}"),),
        different=((f"{name}:{example}", f"{name}:{example}/"), (f"{name}:{example}", example)),
    )


def _program(name: str, reference: str) -> Scheme:
    return Scheme(
        name=name,
        title="a program that runs when it is followed",
        reference=reference,
        case="scheme",
        keeps_dots=True,  # a program has no segments
        shape=_SCRIPT,
        check=_script,
        parts=_code,
        same=((f"{name.upper()}:alert(%31)", f"{name}:alert(1)"),),
        different=(
            (f"{name}:alert(1)", f"{name}:Alert(1)"),
            (f"{name}:/./.test(x)", f"{name}:/.test(x)"),
            (f"{name}:/a/../b/(x)", f"{name}:/b/(x)"),
        ),
    )


ROWS: Final = (
    _program("javascript", "the javascript registration"),
    _program("vbscript", "the vbscript scheme"),
    _nested("view-source", "the source of a page", r"[A-Za-z][A-Za-z0-9+.\-]{1,31}://[^\s<>\"]", "https://e.example/a"),
    _nested("feed", "a feed of a site", _WEB, "https://e.example/a"),
    _nested("blob", "an object of a page", rf"(?:{_WEB}|null/[0-9a-f]{{8}}-)", "https://e.example/9115d58c"),
    _nested("filesystem", "a file of a page", _WEB, "https://e.example/temporary/a"),
    _nested("jar", "an entry of an archive", rf"(?:{_WEB}|[Ff][Ii][Ll][Ee]:/[^\s<>\"])", "file:///a.jar!/b")._replace(
        inner=_archive, parts=_archive_parts
    ),
    Scheme(
        name="jdbc",
        title="a connection to a database",
        reference="the JDBC specification",
        case="scheme",
        shape=rf"(?:{_DATABASES}):[^\s<>\"]",
        inner=_whole,
        parts=_database_parts,
        same=(("JDBC:postgresql://h.example/db", "jdbc:postgresql://h.example/db"),),
        different=(
            ("jdbc:postgresql://h.example/db", "jdbc:postgresql://H.example/db"),
            ("jdbc:postgresql://h.example:5432/db", "jdbc:postgresql://h.example/db"),
        ),
    ),
    Scheme(
        name="about",
        title="a page of the browser itself",
        reference="RFC 6694",
        authority=Authority.FORBIDDEN,
        case="scheme",
        shape=r"(?:blank|srcdoc|config|newtab|version)(?![A-Za-z0-9])",
        same=(("ABOUT:%62lank", "about:blank"),),
        different=(("about:blank", "about:Blank"), ("about:blank", "about:blank?a")),
    ),
)
