"""Templates of links: what differs between links of one form, such as numbers and digests, becomes `{}`.

The rule looks at the text alone, without a dictionary, and at each part for itself: a segment of the path, or the value
of a parameter. Letters and digits with nothing else between them are a word. These become `{}`, wherever no letter or
digit stands right before or behind them:

1. a whole part that is a number with a sign, a date with escapes (`%3A`), or random with `+`, `/` or `=`, as base64;
2. a UUID, a date or time of ISO 8601, and a word of 8 or more hexadecimal digits with a decimal one among them;
3. 16 or more characters of a word, or of words joined by `-` and `_` (RFC 4648 5), that are random: there is a digit,
   every four characters on average they change between small letters, capitals (one before small letters does not
   count) and digits, and each word of four or more changes;
4. a number, also with dots (`1.2.3`); and four or more digits within a word.

Braces are in no URI (RFC 3986 2), so that `{}` stands for nothing else, and a template is its own template.
"""

from __future__ import annotations

import re
from functools import lru_cache

from urisieve.errors import not_a_string
from urisieve.lean import Final, lazy_compile
from urisieve.syntax.passwords import passwords, replaced

_ANY: Final = "{}"
# Neither a word nor a placeholder goes on before and behind what is replaced, so that no second look finds more.
_BEGIN: Final = r"(?<![0-9A-Za-z}])"
_END: Final = r"(?![0-9A-Za-z{])"
# The characters of what may be random, at least, and of a word of it that must change; between changes at most.
_LEAST: Final = 16
_CHANGING: Final = 4
_TIME: Final = (
    "[0-9]{2}COLON?[0-9]{2}(?:COLON?[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:[Zz]|(?:[+-]|%2B)[0-9]{2}COLON?(?:[0-9]{2})?)?"
)
_DATE: Final = rf"(?:[0-9]{{4}}-[01][0-9](?:-[0-3][0-9](?:[Tt_+]{_TIME})?)?|[0-9]{{8}}[Tt]{_TIME})"
_CLOCK: Final = "[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?[Zz]?"

# What stands before a path without an authority: the scheme, or the namespace of a URN.
_HEAD: Final = lazy_compile(r"[Uu][Rr][Nn]:[^:/]*+:|[A-Za-z][A-Za-z0-9+.\-]*+:")
# What an authority is behind when the text is split at slashes: the scheme, and nothing between two slashes.
_WHOLE: Final = 3
_DIGIT: Final = lazy_compile("[0-9]")
_SIGNED: Final = lazy_compile(
    rf"[+-][0-9]++(?:\.[0-9]++)?|{_DATE}".replace("COLON", "(?::|-|%3A)").replace("[Tt_+]", "(?:[Tt_+]|%20)")
)
_BASE64: Final = lazy_compile("(?=[0-9A-Za-z_-]*+[+/%=])((?>[0-9A-Za-z_+/-]|%2[BF])++)(?:=|%3D){0,2}")
_TRIPLETS: Final = lazy_compile("((?:%(?:25)*[0-9A-Fa-f]{2})+)")
_KNOWN: Final = lazy_compile(
    rf"{_BEGIN}(?:[0-9A-Fa-f]{{8}}(?:-[0-9A-Fa-f]{{4}}){{3}}-[0-9A-Fa-f]{{12}}|{_DATE}|{_CLOCK}"
    rf"|(?=[A-Fa-f]*+[0-9])[0-9A-Fa-f]{{8,}}+){_END}".replace("COLON", "[:-]")
)
_LONG_WORD: Final = lazy_compile(rf"{_BEGIN}[0-9A-Za-z]{{{_LEAST},}}+{_END}")
_JOINED: Final = lazy_compile(rf"(?<![0-9A-Za-z_{{}}-])[0-9A-Za-z_-]{{{_LEAST},}}+(?![{{}}])")
_NUMBER: Final = lazy_compile(rf"{_BEGIN}[0-9]++{_END}(?:\.[0-9]++{_END})*|(?<![0-9])[0-9]{{4,}}+")
_SEPARATORS: Final = lazy_compile("[_+/-]|%2[BF]")
# Letters of one case, of which the first may be a capital, or digits.
_SAME: Final = lazy_compile("[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
# Parts of so many characters are remembered, so many of them: 5 MB at most. In logs most parts come again.
_SHORT: Final = 64
_REMEMBERED: Final = 16_384


def template_of(uri: str) -> str:
    """Return the template of a link: its numbers, UUIDs, hexadecimal digits, dates and long random words are `{}`.

    Scheme, user information, host, port, the namespace of a URN and the names of parameters stay; a password is `***`,
    and the fragment is left out. Without an authority what stands behind the scheme is a path, too. The template of a
    template is itself.

    >>> from urisieve import template_of
    >>> template_of("https://a.example/v1/users/4711/order-12345.html?id=3f2a9c1b77de&sort=up#top")
    'https://a.example/v1/users/{}/order-{}.html?id={}&sort=up'
    >>> template_of("urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"), template_of("tel:+12025550100")
    ('urn:uuid:{}', 'tel:{}')

    Args:
        uri: a canonical identifier, such as `Record.uri`; the templates of two spellings may differ.

    Raises:
        UsageError: `uri` is not a string.
    """
    if not isinstance(uri, str):
        raise not_a_string("an identifier", uri)
    text = uri.partition("#")[0] if "#" in uri else uri
    if "@" in text or "40" in text or text[:4] != "http":  # else there is no password, as few characters tell
        text = replaced(text, passwords(text))
    path, mark, query = text.partition("?")
    segments = path.split("/")
    if len(segments) >= _WHOLE and not segments[1] and segments[0].find(":") == len(segments[0]) - 1:
        whole = _WHOLE
    else:
        head = _HEAD.match(path)
        begin = "" if head is None else head[0]
        segments[0] = begin + _part(segments[0][len(begin) :])
        whole = 1
    made = "/".join([*segments[:whole], *[_part(segment) for segment in segments[whole:]]])
    return f"{made}?{'&'.join([_parameter(one) for one in query.split('&')])}" if mark else made


def _parameter(text: str) -> str:
    name, equals, value = text.partition("=")
    return f"{name}={_part(value)}" if equals else _part(text)


def _part(text: str) -> str:
    """Return a segment of a path, or a value, with `{}`."""
    if text.isalpha():
        return text
    if text.isdecimal() and text.isascii():
        return _ANY
    return _remembered(text) if len(text) <= _SHORT else _made(text)


def _made(text: str) -> str:
    if text.isalnum() and text.isascii():
        return _word(text)
    if _DIGIT.search(text) is None:
        return text
    if _SIGNED.fullmatch(text) is not None:
        return _ANY
    whole = _BASE64.fullmatch(text) if len(text) >= _LEAST else None
    if whole is not None and _is_random(whole[1]):
        return _ANY
    if "%" not in text:
        return _words(text)
    pieces = _TRIPLETS.split(text)
    pieces[::2] = map(_words, pieces[::2])
    return "".join(pieces)


_remembered: Final = lru_cache(_REMEMBERED)(_made)


def _word(text: str) -> str:
    """Return what `_words` returns of one word, more quickly."""
    if _KNOWN.fullmatch(text) is not None or (len(text) >= _LEAST and _is_random(text)):
        return _ANY
    return _NUMBER.sub(_ANY, text)


def _words(text: str) -> str:
    """Return a text without triplets with `{}`."""
    text = _KNOWN.sub(_ANY, text)
    if _DIGIT.search(text) is None:
        return text
    if len(text) >= _LEAST:
        text = _JOINED.sub(_if_random, text)
        text = _LONG_WORD.sub(_if_random, text)
    return _NUMBER.sub(_ANY, text)


def _if_random(match: re.Match[str]) -> str:
    return _ANY if _is_random(match[0]) else match[0]


def _is_random(text: str) -> bool:
    """Report whether words, joined by the signs of base64, are random."""
    if _DIGIT.search(text) is None:
        return False
    letters = changes = 0
    for word in _SEPARATORS.split(text):
        same = len(_SAME.findall(word))
        if same == 1 and len(word) >= _CHANGING:
            return False
        letters += len(word)
        changes += max(0, same - 1)
    return changes * _CHANGING >= letters > 0
