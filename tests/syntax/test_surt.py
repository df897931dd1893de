"""The SURT form: what it is, that it leads back to one URI, and that sorting keeps domains together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.cli_support import call
from urisieve import Batch, defang, extract, parse
from urisieve.syntax.components import Components, recompose, split, surt

FORMS = [
    ("http://www.archive.org/a/?b#c", "http://(org,archive,www,)/a/?b#c"),
    ("https://joe@archive.org:8080/", "https://(org,archive,:8080@joe)/"),
    ("ftp://Archive.org/A", "ftp://(org,archive,)/A"),  # case is kept where it counts
    ("http://localhost/", "http://(localhost,)/"),
    ("http://archive.org./", "http://(,org,archive,)/"),
    ("http://192.0.2.1:81/", "http://(192.0.2.1:81)/"),
    ("http://[2001:DB8::1]/", "http://([2001:db8::1],)/"),
    ("http://[::ffff:192.0.2.1]:81/", "http://([::ffff:192.0.2.1],:81)/"),
    ("foo://a,b/", "foo://(a,b.)/"),
    ("foo://a,/", "foo://(a,.)/"),
    ("foo://joe@/", "foo://(@joe)/"),
    ("foo://:80/", "foo://(:80)/"),
    ("file:///etc/hosts", "file:///etc/hosts"),
    ("urn:isbn:0395363411", "urn:isbn:0395363411"),
    ("mailto:joe@archive.org", "mailto:joe@archive.org"),
]


@pytest.mark.parametrize(("uri", "form"), FORMS)
def test_forms(uri: str, form: str) -> None:
    record = parse(uri)
    assert record.surt == form
    assert Batch.of([record]).column("surt") == [form]


def back(form: str) -> str:
    """The URI of a SURT form."""
    parts = split(form)
    if parts.host is None or not form.startswith(f"{parts.scheme}://("):
        return form
    start = len(f"{parts.scheme}://(")
    end = min((at for at in map(form.find, "/?#", [start] * 3) if at >= 0), default=len(form)) - 1
    before, at, userinfo = form[start:end].partition("@")
    literal = before.partition("]")[0] + "]" if before[:1] == "[" else ""
    host, colon, port = before[len(literal) :].partition(":")
    if literal:
        host = literal
    elif "," in host:
        host = host[:-1] if host[-1] == "." else ".".join(host.split(",")[-2::-1])
    return f"{parts.scheme}://{userinfo}{at}{host}{colon}{port}{form[end + 1 :]}"


LABELS = st.text("ab,()-", max_size=3)
HOSTS = st.lists(LABELS, max_size=4).map(".".join) | st.sampled_from(["[::1]", "[v1.a,b]", "192.0.2.1", "1.2.3"])
PARTS = st.builds(
    Components,
    st.sampled_from(["http", "foo"]),
    st.none() | st.text("u:(,)", max_size=3),
    HOSTS,
    st.none() | st.text("80", max_size=3),
    st.just("") | st.text("/.,()@:a", max_size=5).map("/{}".format),
    st.none() | st.text("q?/)", max_size=3),
    st.none() | st.text("f)", max_size=2),
)


@given(PARTS)
def test_a_form_leads_back_to_its_uri(parts: Components) -> None:
    assert back(surt(parts)) == recompose(parts)


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=2), st.lists(PARTS))
def test_sorting_keeps_a_domain_together(domain: list[str], others: list[Components]) -> None:
    name = ".".join(domain)
    start = f"http://({','.join(domain[::-1])},"
    below = [parts._replace(scheme="http", host=f"{label}{name}") for parts in others for label in ("", "x.", "y.x.")]
    forms = sorted(surt(parts) for parts in [*others, *below] if "," not in (parts.host or ""))
    inside = [form.startswith(start) for form in forms]
    assert sum(inside) >= len(below)
    if below:
        first = inside.index(True)
        assert all(inside[first : first + sum(inside)])


def test_passwords_are_masked_and_parts_hidden() -> None:
    text = b"http://joe:secret@www.example.com/a?b=c"
    assert call("extract", "--form", "surt", stdin=text).lines == ["http://(com,example,www,@joe:***)/a?b=c"]
    assert call("extract", "--form", "surt", "--safe", "no-userinfo,no-path,no-query", stdin=text).lines == [
        "http://(com,example,www,@***)/***?***"
    ]
    assert call("normalize", "--form", "surt", text.decode()).lines == ["http://(com,example,www,@joe:***)/a?b=c"]


def test_a_defanged_form_is_no_link() -> None:
    (record,) = extract("see http://192.0.2.1/")
    assert call("extract", "--form", "surt", "--safe", "defang", stdin=record.uri.encode()).lines == [
        defang(record.surt)
    ]
    assert defang(record.surt) == "hxxp://(192[.]0[.]2[.]1)/"


def test_the_command_writes_forms_of_many() -> None:
    text = "".join(f"http://h{number}.example.com/\n" for number in range(2_000)).encode()
    found = call("extract", "--form", "surt", "--unique", stdin=text).lines
    assert found == [f"http://(com,example,h{number},)/" for number in range(2_000)]
