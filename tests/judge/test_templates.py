"""The template of a link: a table of what stays and what becomes `{}`, and what holds for every identifier."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers.doubling import assert_linear
from tests.helpers.hostile import repeated
from tests.helpers.strategies import examples, identifiers
from urisieve import UsageError, parse, template_of
from urisieve.judge.templates import _REMEMBERED, _remembered, templates

# What stands behind `https://a.example`, and its template.
TABLE = (
    # numbers
    ("/", "/"),
    ("/users", "/users"),
    ("/users/4711", "/users/{}"),
    ("/users/4711/", "/users/{}/"),
    ("/api/v1/users/4711/orders/42", "/api/v1/users/{}/orders/{}"),
    ("/v2/a", "/v2/a"),
    ("/v10/a", "/v10/a"),
    ("/0", "/{}"),
    ("//7//", "//{}//"),
    ("/a?page=2", "/a?page={}"),
    ("/a?id=1&id=22&sort=up", "/a?id={}&id={}&sort=up"),
    ("/map?lat=-12.5&lon=%2B3&z=+4", "/map?lat={}&lon=%2B{}&z={}"),
    ("/-3/+4.5", "/{}/{}"),
    ("/a?1699999999", "/a?{}"),
    ("/a?_=1699999999", "/a?_={}"),
    ("/a?2024=x", "/a?2024=x"),
    ("/a?x=", "/a?x="),
    ("/a?", "/a?"),
    ("/a?b&&c=1", "/a?b&&c={}"),
    ("/a?b=c=1", "/a?b=c={}"),
    ("/node-20.11.1/index.html", "/node-{}/index.html"),
    ("/v1.2.3/x", "/v1.{}/x"),
    ("/10.0.0.1/status", "/{}/status"),
    ("/css/main.css?v=5.3.0", "/css/main.css?v={}"),
    # joined
    ("/order-12345.html", "/order-{}.html"),
    ("/10-ways-to-cook", "/{}-ways-to-cook"),
    ("/10-ways-to-make-5-dishes-in-30-minutes", "/{}-ways-to-make-{}-dishes-in-{}-minutes"),
    ("/iPhone-15-Pro-Max-Review-2024", "/iPhone-{}-Pro-Max-Review-{}"),
    ("/wp/img_0042~1.jpg", "/wp/img_{}~{}.jpg"),
    ("/tiles/12,7;z:3", "/tiles/{},{};z:{}"),
    ("/a;id=5;b=c", "/a;id={};b=c"),
    ("/item(42)", "/item({})"),
    ("/a%20b%2012", "/a%20b%20{}"),
    ("/%D1%84%D0%B0%D0%B9%D0%BB-7", "/%D1%84%D0%B0%D0%B9%D0%BB-{}"),
    ("/a%252520b", "/a%252520b"),
    ("/50%25", "/{}%25"),
    # digits within words
    ("/user12345", "/user{}"),
    ("/INV00012345/b113", "/INV{}/b113"),
    ("/utf8/mp3/h264/sha256/ipv6", "/utf8/mp3/h264/sha256/ipv6"),
    ("/Report2023Final.pdf", "/Report{}Final.pdf"),
    # UUIDs and digests
    ("/550e8400-e29b-41d4-a716-446655440000", "/{}"),
    ("/user-550E8400-E29B-41D4-A716-446655440000.png", "/user-{}.png"),
    ("/d41d8cd98f00b204e9800998ecf8427e", "/{}"),
    ("/blobs/sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "/blobs/sha256:{}"),
    ("/static/app.3f2a9c1b.js", "/static/app.{}.js"),
    ("/commit/3f2a9c1", "/commit/3f2a9c1"),
    ("/deadbeef/facade", "/deadbeef/facade"),
    ("/@u/my-post-title-3f2a9c1b77de", "/@u/my-post-title-{}"),
    ("/x;jsessionid=0A1B2C3D4E5F6071", "/x;jsessionid={}"),
    # dates and times
    ("/blog/2024/05/06/x", "/blog/{}/{}/{}/x"),
    ("/blog/2024-05-06-x", "/blog/{}-x"),
    ("/2024-05/a", "/{}/a"),
    ("/a?from=2024-05-06T10:20:30Z&to=2024-05-06T10%3A20%3A30.123%2B02:00", "/a?from={}&to={}"),
    ("/a?at=2024-05-06%2010:20", "/a?at={}"),
    ("/backup_2024-05-06_10-20-30.tar", "/backup_{}.tar"),
    ("/20240506T102030Z/a", "/{}/a"),
    ("/a?t=10:20:30", "/a?t={}"),
    # long random words
    ("/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/{}"),
    ("/f/k3j9x2m4p7q1w8zz", "/f/{}"),
    ("/my-title-k3j9x2m4p7q1w8zz", "/my-title-{}"),
    ("/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit", "/d/{}/edit"),
    ("/watch?v=dQw4w9WgXcQ", "/watch?v=dQw4w9WgXcQ"),  # too short
    ("/?t=dGhpcyBpcyBhIHRlc3Q%3D&s=dGhp/yBpcyBh+HRlc3Q5==", "/?t={}&s={}"),
    (
        "/?t=eyJhbGciOiJIUzI1NiIsInR5cCI6.eyJzdWIiOiIxMjM0NTY3OD.SflKxwRJSMeKKF2QT4fw-eJf36POk6yJV_adQss5",
        "/?t={}.{}.{}",
    ),
    ("/AnnualReportSummary23.pdf", "/AnnualReportSummary23.pdf"),
    ("/InternationalizationOfDomainNames", "/InternationalizationOfDomainNames"),
    ("/A_pretty-Long_Title-with-7-in-it", "/A_pretty-Long_Title-with-{}-in-it"),
    # the fragment is left out
    ("/a/1#top", "/a/{}"),
    ("/a#12", "/a"),
    ("/a?#", "/a?"),
)
WHOLE = (
    ("http://10.0.0.1:8080/x/1", "http://10.0.0.1:8080/x/{}"),
    ("http://[2001:db8::1]:80/1", "http://[2001:db8::1]:80/{}"),
    ("https://a1234.example?1", "https://a1234.example?{}"),
    ("https://joe99@a.example/1", "https://joe99@a.example/{}"),
    ("https://joe:s3cret@a.example/1", "https://joe:***@a.example/{}"),
    ("https://r.example/?u=http%3A%2F%2Fu%3Apw%40h%2F1", "https://r.example/?u=http%3A%2F%2Fu%3A***%40h%2F{}"),
    ("jdbc:mysql://h/db7?user=joe&password=hunter2", "jdbc:mysql://h/db7?user=joe&password=***"),
    ("file:///var/log/2024/a.log", "file:///var/log/{}/a.log"),
    ("urn:isbn:0395363411", "urn:isbn:{}"),
    ("urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "urn:uuid:{}"),
    ("urn:3gpp1234:a:12", "urn:3gpp1234:a:{}"),
    ("mailto:joe@a.example?subject=Ticket%204711", "mailto:joe@a.example?subject=Ticket%20{}"),
    ("tel:+12025550100", "tel:{}"),
    ("geo:48.2,16.3", "geo:{},{}"),
    ("magnet:?xt=urn:btih:c12fe1c06bba254a9dc9f519b335aa7c1367a88a", "magnet:?xt=urn:btih:{}"),
    ("doi:10.1000/182", "doi:{}/{}"),
    ("a:b//7", "a:b//{}"),
    ("/users/12?id=3", "/users/{}?id={}"),  # a reference, as access logs have them
)


@pytest.mark.parametrize(
    ("uri", "template"), [*((f"https://a.example{uri}", f"https://a.example{made}") for uri, made in TABLE), *WHOLE]
)
def test_a_template(uri: str, template: str) -> None:
    assert template_of(uri) == template
    assert template_of(template) == template


def test_two_spellings_have_one_template() -> None:
    for spelling in ("HTTP://A.example:80/x/../y/%31%32?a=3", "http://a.example/y/45?a=6"):
        assert template_of(parse(spelling).uri) == "http://a.example/y/{}?a={}"


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(UsageError, match="decode it first"):
        template_of(b"http://a.example/")  # type: ignore[call-overload]


def _shape(text: str) -> tuple[int, list[int]]:
    path, _, query = text.partition("?")
    return path.count("/"), [parameter.count("=") > 0 for parameter in query.split("&")]


_WORDS = st.one_of(
    st.text("ab1Z-_.%{,+=:/~T", max_size=8).map(lambda text: text.replace("%", "%2B").replace("{", "%20")),
    st.sampled_from(("12345", "2024-05-06", "T10:20", "550e8400-e29b-41d4-a716-446655440000", "a1B2c3D4", "deadbee1")),
)


@examples(200)
@given(st.one_of(identifiers(), st.lists(_WORDS, max_size=8).map(lambda some: "http://a.example/" + "".join(some))))
def test_what_holds_for_every_identifier(uri: str) -> None:
    """A template is its own, has as many segments and parameters, and nothing else than the link but `{}`."""
    uri = uri.partition("#")[0].replace("{", "").replace("}", "")
    made = template_of(uri)
    assert template_of(made) == made
    if "***" in made:
        return
    assert _shape(made) == _shape(uri)
    assert re.fullmatch("(?s:.*?[0-9].*?)".join(map(re.escape, made.split("{}"))), uri)


_PIECES = (
    *(
        "http://",
        "https://",
        "http:",
        "HTTP://",
        "a.example",
        "h40.example",
        "u:p@h",
        ":80",
        "/",
        "/",
        "/",
        "?",
        "&",
        "#",
    ),
    *(
        "=",
        "1",
        "40",
        "4711",
        "%40",
        "-40",
        "%2540",
        "540",
        "a",
        "b1",
        "\u00e9",
        "\u0663",
        "\udce9",
        "{}",
        "x=",
        "x=5",
        ".",
    ),
)


@examples(300)
@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join), st.sampled_from(("http://", "https://", "")))
@example("a.example/40?a1=40&40&=40#1", "https://")
@example("a.example/?x=:y%4040", "http://")
def test_what_the_kernel_knows_is_the_template(rest: str, scheme: str) -> None:
    link = f"{scheme}{rest}"
    links = [link, "http://a.example/1", link]
    assert templates(links) == list(map(template_of, links))


@pytest.mark.parametrize("unit", ["1", "a1", "a1-", "1.", "%20", "%25", "=", "/1", "&a=1", "aB3", "_", "1x1234", "-1"])
def test_the_time_is_linear(unit: str) -> None:
    assert_linear(lambda text: template_of(f"http://a.example/{text}?{text}"), repeated(unit), 20_000)


def test_what_is_remembered_is_bounded() -> None:
    template_of(f"http://a.example/{'a1-' * 1_000}")
    for number in range(_REMEMBERED + 10):
        template_of(f"http://a.example/a-{number}")
    assert _remembered.cache_info().currsize == _REMEMBERED
