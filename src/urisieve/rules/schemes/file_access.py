"""Rows of files: `file`, FTP and its kin, NFS, rsync."""

from __future__ import annotations

from urisieve.lean.hints import Final
from urisieve.rules.parts import HOSTED
from urisieve.rules.scheme import Authority, Scheme
from urisieve.rules.schemes.services import service
from urisieve.syntax.components import Components

__all__ = ["ROWS"]


def _file(parts: Components) -> Components:
    """Write an empty authority for none and for `localhost`, which all mean this machine (RFC 8089 2)."""
    _, userinfo, host, port, path, _, _ = parts
    if path[:1] != "/":
        return parts
    if host is None:
        return parts._replace(host="", path=path[2:] if path.startswith("/.//") else path)
    if host == "localhost" and userinfo is None and port is None:
        return parts._replace(host="")
    return parts


def _type_code(parts: Components) -> tuple[str, str | None]:
    """Return the path of an FTP URL and its type code (RFC 1738 3.2.2)."""
    path, _, code = parts.path.rpartition(";type=")
    return (path, code) if code.lower() in ("a", "i", "d") else (parts.path, None)


def _ftp_parts(parts: Components) -> dict[str, str]:
    path, code = _type_code(parts)
    found = {"path": path}
    if code is not None:
        found["type"] = code
    return found


ROWS: Final = (
    Scheme(
        name="file",
        title="a file by its host and path",
        reference="RFC 8089 2",
        case=HOSTED,
        equivalence="no authority, an empty one and `localhost` are the same",
        expected=r"(?://(?:\[[^\]]*\]|[^/?@:]*))?/(?:[^/?][^?]*)?",
        shape=r"/[A-Za-z0-9_.~%\-]",
        form=_file,
        same=(
            ("file:/etc/hosts", "file:///etc/hosts"),
            ("file://localhost/etc/hosts", "file:///etc/hosts"),
            ("file://LOCALHOST/etc/hosts", "file:/etc/hosts"),
            ("file://H.example/a", "file://h.example/a"),
        ),
        different=(
            ("file:///etc/hosts", "file:///etc/Hosts"),
            ("file://h.example/a", "file:///a"),
            ("file://u@localhost/a", "file:///a"),
            ("file://localhost:80/a", "file:///a"),
            ("file:///a", "file:////a"),
            ("file:///c:/a", "file:///C:/a"),
        ),
    ),
    Scheme(
        name="ftp",
        title="File Transfer Protocol",
        reference="RFC 1738 3.2",
        authority=Authority.REQUIRED,
        dns=True,
        strict=True,
        root=True,
        case=HOSTED,
        parts=_ftp_parts,
        same=(
            ("ftp://E.example:21/a", "ftp://e.example/a"),
            ("ftp://e.example", "ftp://e.example/"),
        ),
        different=(
            ("ftp://e.example/a", "ftp://e.example/A"),
            ("ftp://e.example/a", "ftp://e.example/%2Fa"),
            ("ftp://u@e.example/a", "ftp://e.example/a"),
            ("ftp://e.example/a;type=i", "ftp://e.example/a"),
            ("ftp://e.example/a", "ftps://e.example/a"),
        ),
    ),
    service("ftps", "File Transfer Protocol over TLS", "RFC 3986 3.2.2"),
    service("sftp", "File Transfer over Secure Shell", "the sftp registration"),
    service("nfs", "Network File System", "RFC 2224 2", root=True),
    service("rsync", "rsync", "RFC 5781 2", root=True),
)
