"""Rows of the web, and of schemes with the same rules: HTTP, WebSocket, CoAP, IPP, Gopher."""

from __future__ import annotations

from urisieve.lean.hints import Final
from urisieve.rules.parts import HOSTED
from urisieve.rules.scheme import Authority, Scheme
from urisieve.syntax.components import Components

__all__ = ["ROWS"]


def _web(name: str, title: str, reference: str, port: str) -> Scheme:
    same: tuple[tuple[str, str], ...] = (
        (f"{name.upper()}://E.EXAMPLE/%7ea/../b%2f", f"{name}://e.example/b%2F"),
        (f"{name}://e.example:{port}/a", f"{name}://e.example/a"),
        (f"{name}://e.example:/a", f"{name}://e.example/a"),
        (f"{name}://e.example", f"{name}://e.example/"),
    )
    different: tuple[tuple[str, str], ...] = (
        (f"{name}://e.example/a", f"{name}://e.example/A"),
        (f"{name}://e.example/a", f"{name}://e.example/a/"),
        (f"{name}://e.example/a?", f"{name}://e.example/a"),
        (f"{name}://e.example/a%2Fb", f"{name}://e.example/a/b"),
        (f"{name}://e.example:8080/", f"{name}://e.example/"),
        (f"{name}://e.example", f"{name}://e.example//"),
    )
    return Scheme(
        name=name,
        title=title,
        reference=reference,
        authority=Authority.REQUIRED,
        dns=True,
        strict=name in ("http", "https", "ws", "wss"),
        root=True,
        fragment=name not in ("ws", "wss"),  # RFC 6455 3: "MUST NOT be used on these URIs"
        case=HOSTED,
        same=same,
        different=different,
    )


def _gopher(parts: Components) -> Components:
    """Remove the default type 1 before an empty selector, which means the top of the server (RFC 4266 2.1)."""
    return parts._replace(path="/") if parts.path == "/1" and parts.query is None else parts


ROWS: Final = (
    _web("http", "Hypertext Transfer Protocol", "RFC 9110 4.2.1", "80"),
    _web("https", "Hypertext Transfer Protocol over TLS", "RFC 9110 4.2.2", "443"),
    _web("ws", "WebSocket", "RFC 6455 3", "80"),
    _web("wss", "WebSocket over TLS", "RFC 6455 3", "443"),
    _web("coap", "Constrained Application Protocol", "RFC 7252 6.1", "5683"),
    _web("coaps", "Constrained Application Protocol over DTLS", "RFC 7252 6.2", "5684"),
    _web("coap+tcp", "Constrained Application Protocol over TCP", "RFC 8323 8.1", "5683"),
    _web("coaps+tcp", "Constrained Application Protocol over TLS", "RFC 8323 8.2", "5684"),
    _web("coap+ws", "Constrained Application Protocol over WebSocket", "RFC 8323 8.3", "80"),
    _web("coaps+ws", "Constrained Application Protocol over secure WebSocket", "RFC 8323 8.4", "443"),
    _web("ipp", "Internet Printing Protocol", "RFC 3510 4.7", "631"),
    _web("ipps", "Internet Printing Protocol over TLS", "RFC 7472 4.6", "631"),
    Scheme(
        name="gopher",
        title="Gopher",
        reference="RFC 4266 2.1",
        dns=True,
        root=True,
        case=HOSTED,
        form=_gopher,
        keeps_dots=True,  # "Within the <gopher-path>, no characters are reserved", so it has no segments
        same=(
            ("gopher://E.example:70/1a", "gopher://e.example/1a"),
            ("gopher://e.example", "gopher://e.example/"),
            ("gopher://e.example/1", "gopher://e.example/"),
        ),
        different=(
            ("gopher://e.example/1a", "gopher://e.example/1A"),
            ("gopher://e.example/0", "gopher://e.example/"),
            ("gopher://e.example/1?", "gopher://e.example/"),
            ("gopher://e.example?", "gopher://e.example/"),
            ("gopher://e.example/0/a/../b", "gopher://e.example/0/b"),
        ),
    ),
)
