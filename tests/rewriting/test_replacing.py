"""Text in, the same text out: what is outside of identifiers stays, however the text comes, in both engines."""

from __future__ import annotations

import logging
import logging.config
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.folders import SAMPLES
from urisieve import Options, Record, Rejection, UsageError, defang, mask, sieve, sub
from urisieve.logs import MaskLinks

TEXT = "See HTTP://Example.com:80/%7ea, (http://joe:pw@h.example/), http://b:x/ and <urn:isbn:0-395-36341-1>.\r\n"


@pytest.mark.parametrize(
    ("text", "template", "new"),
    [
        (TEXT, "{raw}", TEXT),
        ("", "{uri}", ""),
        ("no link: at all\x00\udc80", "<{uri}>", "no link: at all\x00\udc80"),
        ("HTTP://Example.com:80/%7ea", "{uri}", "http://example.com/~a"),
        ("x HTTP://Example.com, y", "[{host}]({uri})", "x [example.com](http://example.com/), y"),
        ("<http://a.example/><urn:a:b>", "{scheme}", "<http><urn>"),
        ("http://a.example/ 100%", "{{{kind}}}%\\t", "{uri}%\t 100%"),
    ],
)
def test_a_template_replaces_identifiers(text: str, template: str, new: str) -> None:
    assert sub(text, template) == new


@pytest.mark.parametrize(
    ("options", "text", "new"),
    [
        (Options(email=True), "a@b.example, a", "<a@b.example>, a"),
        (Options(refang=True), "hxxp://b[.]example/ a", "<hxxp://b[.]example/> a"),
        (Options(nested=True), "http://a.example/?u=http://b.example/ a", "<http://a.example/?u=http://b.example/> a"),
        (
            Options(unwrap=True),
            "https://www.google.com/url?q=http://b.example/ a",
            "<https://www.google.com/url?q=http://b.example/> a",
        ),
        (Options(schemeless=True), "www.a.example, a", "<www.a.example>, a"),
        (Options(repair=True), "http://a.example/a|b a", "<http://a.example/a|b> a"),
    ],
)
def test_each_option_replaces_what_was_written(options: Options, text: str, new: str) -> None:
    for pieces in ([text], list(text)):
        assert "".join(sub(iter(pieces), lambda found: f"<{found.raw}>", options=options)) == new


def _identity(found: Record | Rejection) -> str:
    return found.raw


REPLACEMENTS: dict[str, Callable[[Any], str | None]] = {
    "as it is": _identity,
    "not at all": lambda _found: None,
    "canonical": lambda found: found.uri if found else None,
    "defanged": lambda found: defang(found.raw) if found else "-",
    "nothing": lambda _found: "",
}
_WORDS = st.sampled_from(
    [TEXT, "http://a.example/", "http://", "joe:pw@", "urn:a:b", "://", *"<> \na%:@", "x\u0301", "\U0001f600", "\udc80"]
)
_TEXTS = st.lists(_WORDS, max_size=12).map("".join)


@given(_TEXTS, st.data(), st.sampled_from(list(REPLACEMENTS)), st.booleans())
def test_where_the_text_is_cut_does_not_matter(text: str, data: Any, name: str, rejected: bool) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    whole = sub(text, REPLACEMENTS[name], rejected=rejected)
    assert "".join(sub(iter(pieces), REPLACEMENTS[name], rejected=rejected)) == whole
    found = [one for one in sieve(text) if one or rejected]
    expected, end = "", 0
    for one in found:
        new = REPLACEMENTS[name](one)
        expected += text[end : one.start] + (one.raw if new is None else new)
        end = one.end
    assert whole == expected + text[end:]


@given(_TEXTS)
def test_a_second_pass_changes_nothing(text: str) -> None:
    once = mask(text)
    assert mask(once) == once
    assert sub(text, _identity, rejected=True) == text


def test_files_of_this_project_stay_as_they_are() -> None:
    for path in sorted(SAMPLES.glob("*.*")):
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        assert sub(text, "{raw}") == text, path
        assert "".join(sub(iter(text.splitlines(keepends=True)), _identity, rejected=True)) == text, path


def test_what_is_decided_is_there_before_more_is_read() -> None:
    read: list[str] = []

    def lines() -> Any:
        for line in ("http://A.example/\n", "no link\n", "http://B.example/\n"):
            read.append(line)
            yield line

    made = sub(lines(), "{uri}")
    assert (next(made), len(read)) == ("http://a.example/\n", 1)
    assert (next(made), len(read)) == ("no link\n", 2)
    assert "".join(made) == "http://b.example/\n"


@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        ((["a", "b"], "{uri}"), {}, "source"),
        ((b"a", "{uri}"), {}, "source"),
        (("a", 5), {}, "replace=5 must be a function of a Record, or a template"),
        (("a", "no field"), {}, "names no field"),
        (("a", "{urr}"), {}, "urr"),
        (("a", "{uri}"), {"rejected": True}, "needs a function"),
        (("http://a.example/", lambda _found: 5), {}, "what replace returns"),
        (("a", "{uri}"), {"options": {}}, "options"),
    ],
)
def test_what_is_misused_is_named(arguments: tuple[Any, ...], named: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sub(*arguments, **named)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://joe:pw@h.example/", "http://joe:***@h.example/"),
        ("a http://joe:pw@h.example/?a=1#b, c", "a http://joe:***@h.example/?a=1#b, c"),
        ("www.a.example/?u=http://joe:pw@h.example/", "www.a.example/?u=http://joe:***@h.example/"),
        ("ftp://joe:p%40w@[::1]:80x/", "ftp://joe:***@[::1]:80x/"),
        ("r.example/?u=http%3A%2F%2Fu%3Apw%40h%2F a: b", "r.example/?u=http%3A%2F%2Fu%3Apw%40h%2F a: b"),
        ("https://r.example/?u=http%3A%2F%2Fu%3Apw%40h%2F", "https://r.example/?u=http%3A%2F%2Fu%3A***%40h%2F"),
        ("at 12:30 joe@h.example; http://h.example:80/@a", "at 12:30 joe@h.example; http://h.example:80/@a"),
        ("redis://:pw@h.example:6379/0", "redis://:***@h.example:6379/0"),
        ("", ""),
    ],
)
def test_passwords_are_hidden(text: str, shown: str) -> None:
    assert mask(text) == shown


def test_no_password_of_a_message_leaves(tmp_path: Path) -> None:
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "filters": {"links": {"()": "urisieve.logs.MaskLinks"}},
            "handlers": {
                "file": {"class": "logging.FileHandler", "filename": str(tmp_path / "log"), "filters": ["links"]}
            },
            "loggers": {"tests.masked": {"handlers": ["file"], "level": "DEBUG", "propagate": False}},
        }
    )
    logger = logging.getLogger("tests.masked")
    link = "http://joe:S3cret@h.example/"
    logger.info("GET %s in %d s", link, 3)
    logger.info("no link, %s", "100 %")
    logger.info({"url": link})
    try:
        raise ValueError(link)
    except ValueError:
        logger.exception("failed")
    logger.info("stack", stack_info=True)
    for handler in logger.handlers:
        handler.close()
    logger.handlers.clear()
    lines = (tmp_path / "log").read_text().splitlines()
    assert lines[:3] == [
        "GET http://joe:***@h.example/ in 3 s",
        "no link, 100 %",
        "{'url': 'http://joe:***@h.example/'}",
    ]
    assert "ValueError: http://joe:***@h.example/" in lines
    assert not any("S3cret@" in line for line in lines)


def test_a_message_that_cannot_be_masked_is_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_arguments: object, **_named: object) -> str:
        raise MemoryError

    monkeypatch.setattr("urisieve.logs.mask", failing)
    record = logging.LogRecord("name", logging.INFO, "", 1, "GET %s", ("http://joe:S3cret@h/",), None)
    assert MaskLinks().filter(record)
    assert "S3cret" not in record.getMessage()


def test_a_message_that_cannot_be_formatted_is_masked() -> None:
    record = logging.LogRecord("name", logging.INFO, "", 1, "%d %s", ("http://joe:S3cret@h.example/",), None)
    assert MaskLinks().filter(record)
    assert record.getMessage() == "%d %s ('http://joe:***@h.example/',)"


def test_a_traceback_that_another_handler_has_formatted_is_masked() -> None:
    try:
        raise ValueError("http://joe:S3cret@h.example/")
    except ValueError as error:
        given = (ValueError, error, error.__traceback__)
    record = logging.LogRecord("name", logging.INFO, "", 1, "failed", (), given)
    assert "S3cret" in logging.Formatter().format(record)
    assert MaskLinks().filter(record)
    assert record.exc_info is None
    assert "S3cret" not in logging.Formatter().format(record)


def test_an_inner_link_is_replaced_if_the_outer_one_is_left() -> None:
    text = "see http://a.example/http://evil.example/ and http://evil.example/"
    options = Options(nested=True)
    shown = "see http://a.example/hxxp://evil[.]example/ and hxxp://evil[.]example/"
    for pieces in ([text], list(text)):
        made = sub(
            iter(pieces), lambda found: defang(found.raw) if found.host == "evil.example" else None, options=options
        )
        assert "".join(made) == shown
