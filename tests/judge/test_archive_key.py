"""Keys of archives: what the package `surt` and `cdxj-indexer` write for the same URL, as their tests have it."""

from __future__ import annotations

import pytest

from tests.helpers.doubling import assert_linear
from urisieve import Options, check, parse
from urisieve.judge.templates import archive_key
from urisieve.syntax.components import split

_ID = "0123456789abcdefghijklemopqrstuv"
_NET = "4hqa0555fwsecu455xqckv45"
_YAHOO = (
    "http://visit.webhosting.yahoo.com/visit.gif?&r=http%3A//web.archive.org/web/20090517140029/http%3A//"
    "anthonystewarthead.electric-chi.com/&b=Netscape%205.0%20%28Windows%3B%20en-US%29&s=1366x768&o=Win32&c=24"
)
_YAHOO_KEY = (
    "com,yahoo,webhosting,visit)/visit.gif?&b=netscape%205.0%20(windows;%20en-us)&c=24&o=win32&r=http://"
    "web.archive.org/web/20090517140029/http://anthonystewarthead.electric-chi.com/&s=1366x768"
)
# URL and key.
KEYS = [
    ("http://www.archive.org/", "org,archive)/"),
    ("http://archive.org", "org,archive)/"),
    ("http://ARCHIVE.ORG/", "org,archive)/"),
    ("http://archive.org/goo/", "org,archive)/goo"),
    ("http://archive.org/goo/?", "org,archive)/goo"),
    ("http://archive.org/goo/?b&a", "org,archive)/goo?a&b"),
    ("http://archive.org/goo/?a=2&b&a=1", "org,archive)/goo?a=1&a=2&b"),
    ("http://archive.org/index.html?b=a&b=b&a=b", "org,archive)/index.html?a=b&b=a&b=b"),
    ("http://archive.org/?a=1&", "org,archive)/?&a=1"),
    ("http://archive.org/?a&a=&a=1", "org,archive)/?a&a=&a=1"),
    (_YAHOO, _YAHOO_KEY),
    # Hosts: the start of numbered servers goes, whatever follows.
    ("http://www34.archive.org/", "org,archive)/"),
    ("http://www2foo.com/", "com,www2foo)/"),
    ("http://www2.www2foo.com/", "com,www2foo)/"),
    ("http://www1355544.com/", "com)/"),
    ("http://www.com/", "com)/"),
    ("http://www.google.com./", "com,google)/"),
    ("http://b\u00fccher.ch:8080/", "ch,xn--bcher-kva:8080)/"),
    ("http://\u2603.com/", "com,xn--n3h)/"),
    ("http://127.0.0.1/", "1,0,0,127)/"),
    ("http://168.188.99.26/", "26,99,188,168)/"),
    ("http://3279880203/blah", "11,0,127,195)/blah"),
    ("http://39024579298/", "226,210,11,22)/"),
    ("http://017.0.0.1/", "1,0,0,15)/"),
    ("http://10.0.258/", "2,1,0,10)/"),
    ("http://10.258/", "2,1,0,10)/"),
    ("http://10.256.1/", "1,256,10)/"),
    ("http://017.0.0.9/", "9,0,0,017)/"),
    ("http://1.2.3.08/", "08,3,2,1)/"),
    ("http://0x7f.1/", "1,0x7f)/"),
    ("http://255.0.0.255/", "255,0,0,255)/"),
    ("http://1.2.3.256/", "256,3,2,1)/"),
    ("http://1.2.65535/", "255,255,2,1)/"),
    ("http://1.2.65536/", "65536,2,1)/"),
    ("http://10.16777215/", "255,255,255,10)/"),
    ("http://10.16777216/", "16777216,10)/"),
    ("http://255.1/", "1,0,0,255)/"),
    ("http://1.2.3.4.0/", "0,4,3,2,1)/"),
    (f"http://{'9' * 40}/", "255,255,255,255)/"),
    ("http://[2001:DB8::1]:81/", "2001:db8::1:81)/"),
    # Ports and user information.
    ("http://www.archive.org:80/", "org,archive)/"),
    ("https://www.archive.org:443/", "org,archive)/"),
    ("https://www.archive.org:80/", "org,archive:80)/"),
    ("http://www.archive.org:443/", "org,archive:443)/"),
    ("http://joe:secret@archive.org:0081/", "org,archive:81)/"),
    ("http://archive.org:/a", "org,archive)/a"),
    ("http://archive.org:0/a", "org,archive)/a"),
    ("http://archive.org:65535/a", "org,archive:65535)/a"),
    ("http://archive.org:65536/a", "http://archive.org:65536/a"),
    # Paths: decoded to the end, without dot segments and empty ones.
    ("http://host/%25%32%35", "host)/%25"),
    ("http://host/%2525252525252525", "host)/%25"),
    ("http://host/asdf%25%32%35asd", "host)/asdf%25asd"),
    ("http://host/%25%32%35%25%32%35", "host)/%25%25"),
    ("http://host/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611%252A22%252833%252944_55%252B",
     "host)/~a!b@c%23d$e%25f^00&11*22(33)44_55+"),
    ("http://195.127.0.11/uploads/%20%20/.verify/", "11,0,127,195)/uploads/%20%20/.verify"),
    ("http://host/%2E%73%65%63%75%72%65/%77%77%77", "host)/.secure/www"),
    ("http://www.google.com/blah/..", "com,google)/"),
    ("http://host/a/b/%2e%2e/c", "host)/a/c"),
    ("http://host/a%2F%2E%2E%2Fb", "host)/b"),
    ("http://host.com//twoslashes?more//slashes", "com,host)/twoslashes?more//slashes"),
    ("http://www.evil.com/blah#frag", "com,evil)/blah"),
    ("http://host/foo;", "host)/foo;"),
    ("http://host/ab%23cd", "host)/ab%23cd"),
    ("http://host/%C3%BC%FF", "host)/%c3%bc%ff"),
    ("http://host/q?r?s", "host)/q?r?s"),
    ("http://host/%3Fq?a%26b=%2523&A", "host)/?q?a&a&b=%23"),
    ("http://host/?a=b=c&a=b-&a-=1", "host)/?a=b-&a=b=c&a-=1"),
    ("foo://host", "host)/"),
    ("foo://host/a//", "host)/a"),
    # Sessions.
    (f"http://host/(S({_NET}))/mileg.aspx", "host)/mileg.aspx"),
    (f"http://host/({_NET})/MILEG.ASPX", "host)/mileg.aspx"),
    (f"http://host/(a({_NET})S({_NET})f({_NET}))/mileg.aspx?page=x", "host)/mileg.aspx?page=x"),
    (f"http://host/({_NET})/({_NET})/a.aspx", f"host)/({_NET})/a.aspx"),
    (f"http://host/({_NET})/({'z' * 24})/a.aspx", f"host)/({_NET})/a.aspx"),
    (f"http://host/({_NET})/a.aspx%3F/({_NET})/b.aspx", f"host)/({_NET})/a.aspx?/b.aspx"),
    (f"http://host/({_NET})/.aspx", f"host)/({_NET})/.aspx"),
    (f"http://host/({_NET})/a%3F.aspx", f"host)/({_NET})/a?.aspx"),
    (f"http://host/({_NET})/a.aspx/({_NET})/b%3Fx.aspx", f"host)/a.aspx/({_NET})/b?x.aspx"),
    ("http://host/photos/36050182@N05/", "host)/photos/36050182@n05"),
    (f"http://host/?jsessionid={_ID}", "host)/"),
    (f"http://host/?jsessionid={_ID}0", f"host)/?jsessionid={_ID}0"),
    (f"http://host/?one=two&jsessionid={_ID}&x=y", "host)/?one=two&x=y"),
    (f"http://host/?one=two&jsessionid={_ID}", "host)/?&one=two"),
    ("http://host/?aspsessionidABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX&x=y", "host)/?x=y"),
    (f"http://host/index.php?PHPSESSID={_ID}&action=profile;u=4221", "host)/index.php?action=profile;u=4221"),
    (f"http://host/?one=two&phpsessid={_ID}", "host)/?&one=two"),
    (f"http://host/?sid=9682993c8daa2c5497996114facdc805&jsessionid={_ID}", "host)/"),
    (f"http://host/?phpsessid={_ID}&phpsessid={_ID}&a", "host)/?phpsesa"),
    ("http://host/?CFID=1169580&CFTOKEN=48630702&dtstamp=22%2F08%2F2006%7C06%3A58", "host)/?dtstamp=22/08/2006|06:58"),
    ("http://host/?CFID=16603925&CFTOKEN=2AE13EEE-3048-85B0-56CEDAAB0ACA44B8", "host)/"),
    (f"http://host/?jsessionid={_ID}&jsessionid={_ID}", f"host)/?&jsessionid={_ID}"),
    ("http://host/?a&cfid=1", "host)/?a&cfid=1"),
    ("http://host/?cftoken=1&cfid=2", "host)/?cfid=2&cftoken=1"),
    ("http://host/?cfid=1&token=2", "host)/?cfid=1&token=2"),
    ("http://host/?CFID=&CFTOKEN=1", "host)/?cfid=&cftoken=1"),
    ("http://host/?CFID=1&CFTOKEN=&a", "host)/?a&cfid=1&cftoken="),
    ("http://host/?a=cfid=cfid=1&cftoken=2&b", "host)/?a=cfid=b"),
    # Other schemes, and what has no host.
    ("ftp://www.example.com/A/", "com,example)/a"),
    ("ftp://host:80/", "host:80)/"),
    ("whois://whois.isoc.org.il/shaveh.co.il", "il,org,isoc,whois)/shaveh.co.il"),
    ("dns://www.example.com/x", "com,example,www)/x"),
    ("dns:archive.org", "dns:archive.org"),
    ("mailto:Foo@Example.com", "mailto:foo@example.com"),
    ("urn:isbn:0395363411", "urn:isbn:0395363411"),
    ("x-a:b/", "x-a:b"),
    ("x-a:%2541", "x-a:a"),
    ("urn:x-a:B(c)", "urn:x-a:b(c)"),
    ("magnet:?xt=urn:btih:A&b", "magnet:/?b&xt=urn:btih:a"),
    ("file:///Etc/x/", "file:/etc/x"),
]  # fmt: skip


@pytest.mark.parametrize(("url", "key"), KEYS, ids=[url[:60] for url, _ in KEYS])
def test_keys(url: str, key: str) -> None:
    found = check(url, options=Options(repair="encode"))
    assert archive_key(split(found.uri if found else url)) == key


# What the canonical URI does not say any more, with the key that an archive makes of the text as it stood.
LOST = [
    ("ftp://host:21/", "host)/", "host:21)/"),
    ("http://host/../a", "host)/a", "host)/../a"),
    ("http://stra\u00dfe.example/", "example,xn--strae-oqa)/", "example,strasse)/"),
]


@pytest.mark.parametrize(("url", "key", "theirs"), LOST)
def test_what_the_canonical_uri_has_lost(url: str, key: str, theirs: str) -> None:
    assert archive_key(parse(url).components) == key
    assert key != theirs
    if url.isascii():
        assert archive_key(split(url)) == theirs


def test_hosts_that_are_not_utf_8() -> None:
    assert archive_key(split("foo://%FFx%C3%BC/")) == "xn--x-eha)/"
    assert archive_key(split("foo://%EF%BF%BD%04.82/")) == "82,%ef%bf%bd%04)/"


def test_a_port_of_any_length() -> None:
    uri = f"http://h:{'9' * 5_000}/"
    assert archive_key(split(uri)) == uri
    assert archive_key(split(f"http://h:{'0' * 5_000}80/")) == "h)/"


@pytest.mark.parametrize(
    "shape",
    ["%25%2525", f"/({_NET})", f"/({_NET})/?", "cfid=", "cfid=a&cftoken=", "sid=", "/..", "www.", "%%34%31"],
)
def test_time_is_linear(shape: str) -> None:
    def uri(count: int) -> str:
        return f"http://h/{shape * count}?{shape * count}"

    assert_linear(lambda text: archive_key(split(text)), uri, 8_000)
