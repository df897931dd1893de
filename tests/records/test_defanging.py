"""Defanged identifiers: what is written, and that it is read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve import Options, defang, extract

# An identifier, and how it is defanged.
ROWS = [
    ("http://evil.example/", "hxxp://evil[.]example/"),
    ("HTTPS://Evil.Example:8080/a.b?c.d#e.f", "hxxps://Evil[.]Example:8080/a.b?c.d#e.f"),
    ("ftp://user:***@ftp.evil.example", "fxp://user:***@ftp[.]evil[.]example"),
    ("wss://e.example/x", "wxss://e[.]example/x"),
    ("http://192.0.2.1/", "hxxp://192[.]0[.]2[.]1/"),
    ("http://[2001:db8::1]/", "hxxp://[2001:db8::1]/"),
    ("http://localhost/", "hxxp://localhost/"),
    ("http://a\u3002evil\uff0eexample\uff61com/\u3002", "hxxp://a[.]evil[.]example[.]com/\u3002"),
    ("http://web.example/2020/http://evil.example/", "hxxp://web[.]example/2020/http:[/]/evil.example/"),
    ("http://http://evil.example/", "hxxp://http:[/]/evil.example/"),
    ("gopher://evil.example/1", "gopher[://]evil[.]example/1"),
    ("file:///etc/passwd", "file[://]/etc/passwd"),
    ("mailto:a.b@evil.example?cc=c@d.example", "mailto[:]a.b[@]evil[.]example?cc=c@d[.]example"),
    ("javascript:alert(1)", "javascript[:]alert(1)"),
    ("tel:+1-555-0100", "tel[:]+1-555-0100"),
    ("urn:isbn:0395363411", "urn:isbn:0395363411"),
    ("hxxp://evil[.]example/", "hxxp://evil[.]example/"),
    ("no identifier", "no identifier"),
    ("", ""),
    ("http://e.example/\n", "hxxp://e[.]example/\n"),
]


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_defanged(text: str, expected: str) -> None:
    assert defang(text) == expected
    if "[:]" not in expected:
        assert defang(expected) == expected


PATH = st.text("abcXYZ019-._~/%?#=&;:@!$'*+,", max_size=20).filter(lambda text: "%" not in text)
HOST = st.from_regex(r"\A(?:[a-z0-9](?:[a-z0-9-]{0,8}[a-z0-9])?\.){1,3}example\Z")
SCHEME = st.sampled_from(["http", "https", "ftp", "ws", "wss", "sftp", "ssh", "git+ssh", "gopher", "HTTP", "irc"])


@given(SCHEME, HOST, PATH)
def test_what_has_an_authority_is_read_back(scheme: str, host: str, path: str) -> None:
    found = [record.uri for record in extract(f"<{scheme}://{host}/{path}>")]
    again = extract(f" {defang(found[0])} ", options=Options(refang=True)) if found else []
    written = [record.uri for record in extract(f" {found[0]} ")] if found else []
    assert [record.uri for record in again] == written
