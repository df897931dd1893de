"""Where a text stops being an identifier: `✗` stands before the character that a rejection points at."""

from __future__ import annotations

import pytest

from urisieve import InvalidIdentifierError, Options, Rejection, check, normalize_reference, resolve

PLACES = [
    ("mailto:✗//a@b", "scheme-syntax authority"),
    ("urn:✗ab", "bad-nid nid"),
    ("urn:✗-a", "bad-nid nid"),
    ("urn:ab✗_:c", "bad-nid nid"),
    ("urn:ab:✗", "empty-nss nss"),
    ("http:✗a", "no-authority authority"),
    ("https:✗", "no-authority authority"),
    ("http://✗", "empty-host host"),
    ("http://✗:80/", "empty-host host"),
    ("http://u@✗/", "empty-host host"),
    ("http://e.abc✗-/", "host-label host"),
    ("http://e.abc✗_/", "host-label host"),
    ("http://e.✗-abc/", "host-label host"),
    ("http://e.✗_abc/", "host-label host"),
    ("http://e.ab✗-.abc/", "host-label host"),
    ("http://e.✗-b.abc/", "host-label host"),
    ("http://e.✗.abc/", "host-label host"),
    ("http://✗%2Dabc/", "host-label host"),  # with triplets, the start of the host
    ("http://u@✗e.ab%21c/", "host-label host"),
    ("http://e.✗xn--99999999/", "host-idna host"),
    ("http://✗" + "ü" * 5000 + "/", "host-idna host"),
]

REFERENCES = [
    ("✗1a:b", "bad-scheme scheme"),
    ("✗:b", "bad-scheme scheme"),
    ("a✗ b", "illegal-character path"),
    ("b/c✗ d", "illegal-character path"),
    ("✗%zz", "bad-percent-encoding path"),
    ("/a✗[", "bracket-outside-host path"),
    ("?✗[", "bracket-outside-host query"),
    ("a#✗[", "bracket-outside-host fragment"),
    ("a:b✗[", "bracket-outside-host path"),
    ("//h:✗a", "bad-port port"),
]


def place_of(rejection: Rejection) -> tuple[str, str]:
    assert rejection.offset is not None
    marked = f"{rejection.raw[: rejection.offset]}✗{rejection.raw[rejection.offset :]}"
    return marked, f"{rejection.reason} {rejection.component}"


@pytest.mark.parametrize(("text", "fault"), PLACES)
def test_places_in_identifiers(text: str, fault: str) -> None:
    found = check(text.replace("✗", ""))
    assert isinstance(found, Rejection)
    assert place_of(found) == (text, fault)


@pytest.mark.parametrize(("text", "fault"), REFERENCES)
def test_places_in_references(text: str, fault: str) -> None:
    reference = text.replace("✗", "")
    for call in (normalize_reference, lambda reference: resolve("http://a.example/", reference)):
        with pytest.raises(InvalidIdentifierError) as caught:
            call(reference)
        assert place_of(caught.value.rejection) == (text, fault)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("http://u v{@h:✗x/", "bad-port port"),
        ("http://h:✗{80/", "bad-port port"),
        ("http://h:8✗{0/{", "bad-port port"),
        ("http://u {@h:8✗ 0/{", "bad-port port"),
        ("http:✗ //h/", "no-authority authority"),
        ("http://h/ ✗\ue000", "illegal-character path"),
        ("http://h/{ x✗\ue000{", "illegal-character path"),
        ("http://[::1]:✗x/ ", "bad-port port"),
    ],
)
def test_places_before_repair(text: str, fault: str) -> None:
    found = check(text.replace("✗", ""), options=Options(repair="encode"))
    assert isinstance(found, Rejection)
    assert place_of(found) == (text, fault)
