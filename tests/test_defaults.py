"""Missing values and default values, in each call for one identifier (M7), and domains of records (M8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from urisieve import (
    InvalidIdentifierError,
    Record,
    Rejection,
    UsageError,
    check,
    defang,
    equivalent,
    explain,
    extract,
    extract_each,
    is_valid,
    key,
    normalize,
    normalize_reference,
    parse,
    redact,
    registrable_domain,
    resolve,
    template_of,
    to_iri,
    to_uri,
    unwrap,
)

VALID = "http://a.example/"
Call = Callable[..., Any]
# Each call of one text, what it returns of a valid one, and of one that is not: an exception or a value.
BROKEN = "http://a.example/%zz"
CALLS: dict[str, tuple[Call, Any, Any]] = {
    "check": (check, parse(VALID), Rejection),
    "is_valid": (is_valid, True, False),
    "parse": (parse, parse(VALID), InvalidIdentifierError),
    "normalize": (normalize, VALID, InvalidIdentifierError),
    "key": (key, VALID, InvalidIdentifierError),
    "normalize_reference": (normalize_reference, VALID, InvalidIdentifierError),
    "to_uri": (to_uri, VALID, InvalidIdentifierError),
    "to_iri": (to_iri, VALID, InvalidIdentifierError),
    "unwrap": (unwrap, [], []),
    "resolve base": (lambda text, **more: resolve(text, "", **more), VALID, InvalidIdentifierError),
    "resolve reference": (lambda text, **more: resolve(VALID, text, **more), VALID, InvalidIdentifierError),
    "equivalent first": (lambda text, **more: equivalent(text, VALID, **more), True, InvalidIdentifierError),
    "equivalent second": (lambda text, **more: equivalent(VALID, text, **more), True, InvalidIdentifierError),
}
NAMED = pytest.mark.parametrize("name", CALLS)
# Those that judge, and those that show a text, valid or not.
EACH = pytest.mark.parametrize("call", [*(call for call, _, _ in CALLS.values()), defang, explain, redact, template_of])


@pytest.fixture(params=[None, float("nan"), "NA", "NaT"], ids=repr)
def missing(request: pytest.FixtureRequest) -> Any:
    """What stands for a missing value; two are of pandas."""
    value = request.param
    return getattr(pytest.importorskip("pandas"), value) if isinstance(value, str) else value


@EACH
def test_what_is_missing_is_the_default(call: Call, missing: Any) -> None:
    for default in (None, False, "x", missing):
        assert call(missing, default=default) is default
    with pytest.raises(UsageError, match=r"for what is missing give default="):
        call(missing)


@NAMED
def test_what_is_not_valid_is_the_default_where_it_is_an_error(name: str) -> None:
    call, of_valid, of_broken = CALLS[name]
    assert call(VALID) == call(VALID, default=None) == call(f" {VALID}\n", default=None) == of_valid
    if of_broken is InvalidIdentifierError:
        assert call(BROKEN, default=7) == 7
        with pytest.raises(InvalidIdentifierError):
            call(BROKEN)
    elif of_broken is Rejection:
        assert isinstance(call(BROKEN, default=None), Rejection)
    else:
        assert call(BROKEN, default=7) == call(BROKEN) == of_broken


@EACH
@pytest.mark.parametrize("value", [5, b"x", parse(VALID), [VALID]], ids=repr)
def test_a_default_is_for_no_other_value(call: Call, value: Any) -> None:
    with pytest.raises(UsageError, match="must be a string"):
        call(value, default=None)


@pytest.mark.parametrize("call", [defang, redact, template_of, explain])
def test_a_call_that_shows_a_text_shows_one_that_is_not_valid(call: Call) -> None:
    for text in (VALID, BROKEN, "no identifier"):
        assert call(text, default=None) == call(text)


def test_a_column_keeps_its_index() -> None:
    urls = pytest.importorskip("pandas").Series(["HTTP://A.example", None, BROKEN], index=[7, 9, 3])
    made = urls.map(lambda text: normalize(text, default=None))
    assert (list(made.index), made[7], list(made.isna())) == ([7, 9, 3], VALID, [False, True, True])
    assert [len(records) for records in extract_each(urls)] == [1, 0, 0]


def test_a_missing_text_has_no_records(missing: Any) -> None:
    reported: list[Any] = []
    assert [len(found) for found in extract_each([VALID, missing])] == [1, 0]
    assert list(map(len, extract_each([missing], on_error=lambda *given: reported.append(given)))) == [0]
    assert reported == []


@pytest.mark.parametrize("space", [" ", "\n", "\t", "\u00a0", "\u3000", " \r\n "])
def test_white_space_around_does_not_count(space: str) -> None:
    assert resolve(f"{space}http://a.example/b/c{space}", f"{space}../y{space}") == "http://a.example/y"
    assert to_uri(f"{space}http://a.example/ü{space}") == "http://a.example/%C3%BC"
    assert to_iri(f"{space}http://a.example/%C3%BC{space}") == "http://a.example/ü"
    assert to_iri(f"{space}urn:isbn:1{space}") == "urn:isbn:1"
    assert normalize_reference(f"{space}../%7ea{space}") == "../~a"
    assert resolve("http://a.example/b?c", space) == "http://a.example/b?c"


# Domains.


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.a.co.uk", "a.co.uk"),
        ("www.a.co.uk.", "a.co.uk"),
        ("co.uk", None),
        ("localhost", None),
        ("192.0.2.1", None),
        ("[2001:db8::1]", None),
        ("a%20b.example", "a%20b.example"),
    ],
)
def test_a_host_has_a_domain(host: str, domain: str | None) -> None:
    assert registrable_domain(host) == registrable_domain(host, default="x") == domain


@pytest.mark.parametrize(
    "value", [VALID, "http://www.a.co.uk/", "a.example/", "a.example:80", "a b", "u@a.example", ""]
)
def test_what_is_no_host_has_none(value: str) -> None:
    with pytest.raises(UsageError, match=r"host=.* must be a host, .*parse\(link\)\.domain"):
        registrable_domain(value)
    assert registrable_domain(value, default="x") == "x"


def test_a_missing_host_is_the_default(missing: Any) -> None:
    assert registrable_domain(missing, default=None) is None
    with pytest.raises(UsageError, match="give default="):
        registrable_domain(missing)


@pytest.mark.parametrize(
    "text",
    ["http://www.a.co.uk/x", "HTTP://WWW.A.CO.UK:80", "http://co.uk", "http://192.0.2.1/", "file:///a", "tel:+1"],
)
def test_a_record_has_the_domain_of_its_host(text: str) -> None:
    record = parse(text)
    expected = registrable_domain(record.host.lower()) if record.host else None
    assert record.domain == expected
    (found,) = extract(f"<{text}>")
    assert isinstance(found, Record)
    assert found.domain == expected


# Records as values (M12).


def test_records_are_ordered_by_their_keys() -> None:
    records = [parse(text) for text in ("urn:isbn:0395363411", "http://b.example", "HTTP://A.example")]
    assert sorted(records) == records[::-1]
    assert max(records) is records[0]
    assert records[2] <= parse(VALID) <= records[2] < records[1]
    assert records[1] >= records[2]
    with pytest.raises(TypeError):
        assert records[0] < "x"


def test_records_are_formatted_as_texts() -> None:
    record, rejection = parse("http://u:secret@a.example/"), check("x")
    assert f"{record:>40}" == f"{record!s:>40}" == f"{'http://u:***@a.example/':>40}"
    assert f"{record}|{rejection:.3}" == f"{record!s}|{str(rejection)[:3]}"
