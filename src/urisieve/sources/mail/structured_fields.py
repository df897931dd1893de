"""Structured header fields: a value and its parameters, without comments and quotation marks.

RFC 822 3.4.3 and RFC 5322 3.2.2 (comments), RFC 2045 3 and 5.1 (values and parameters), RFC 2231 (continuations). Each
such field is parsed here and nowhere else. Whatever is malformed is kept as it is.
"""

from __future__ import annotations

import re

from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.sources.bytes.charsets import decode_text

# A line end that white space follows (RFC 5322 2.2.3).
FOLD: Final = lazy_compile(r"\r?\n(?=[ \t])")
# The longest field whose parameters are read, in characters; no useful one is longer.
_LONGEST: Final = 65_536
_QUOTED: Final = r'"((?>[^"\\]|\\.)*+)"'
# Outside of comments: a quoted string, which may contain a bracket, or the start of a comment. Inside: a bracket.
_OUTSIDE: Final = lazy_compile(rf"{_QUOTED}|\(", re.S)
_INSIDE: Final = lazy_compile(r"\\.|[()]", re.S)
_NESTING: Final = {"(": 1, ")": -1}
# What cannot be next to a bracket within a word.
_BOUNDARY: Final = lazy_compile(r"[\s;=/\"()]")
_VALUE: Final = lazy_compile(rf"\s*(?:{_QUOTED}|([^;]*))", re.S)
_PARAMETER: Final = lazy_compile(rf';\s*([^\s=;"]+)\s*=\s*(?:{_QUOTED}|([^;]*))', re.S)
_QUOTED_PAIR: Final = lazy_compile(r"\\(.)", re.S)
# RFC 2231 3 and 4: the number of a continuation, and the mark of an encoded value.
_EXTENDED: Final = lazy_compile(r"([^*]+)(?:\*([0-9]{1,4}))?(\*)?")


class StructuredField(NamedTuple):
    """The value and the parameters of a structured field.

    Attributes:
        value: the value before the first parameter.
        parameters: the parameters, by name in lower case, continuations joined; of two with one name the first counts.
        comments: the comments, as they are written.
    """

    value: str
    parameters: dict[str, str]
    comments: tuple[str, ...] = ()


def structured(text: str) -> StructuredField:
    """Parse the value of a structured field, encoded words decoded.

    >>> structured('(x) text/plain; charset="utf-8" (a (nested) comment)')
    StructuredField(value='text/plain', parameters={'charset': 'utf-8'}, comments=('(x)', '(a (nested) comment)'))
    >>> structured("attachment; filename=report(1).pdf").parameters
    {'filename': 'report(1).pdf'}
    """
    if len(text) > _LONGEST:
        return StructuredField(text[:_LONGEST].partition(";")[0].strip(), {})
    text, comments = _parted(text)
    found = _VALUE.match(text)
    assert found is not None
    return StructuredField(_content(found[1], found[2]), _parameters(text, found.end()), comments)


def _parted(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a field without comments, and these; a bracket that nothing closes is text, and so is one within a word.

    A comment between two words makes no value (RFC 2045 5.1), but programs write `filename=report(1).pdf`.
    """
    if "(" not in text:
        return text, ()
    kept: list[str] = []
    comments: list[str] = []
    start = offset = 0
    while (found := _OUTSIDE.search(text, offset)) is not None:
        offset = found.end()
        if found[0] != "(":
            continue
        depth = 1
        while depth and (bracket := _INSIDE.search(text, offset)) is not None:
            offset = bracket.end()
            depth += _NESTING.get(bracket[0], 0)
        if depth:
            break
        before, after = text[: found.start()][-1:], text[offset : offset + 1]
        if not before or not after or _BOUNDARY.match(before) or _BOUNDARY.match(after):
            kept.append(text[start : found.start()])
            comments.append(text[found.start() : offset])
            start = offset
    return " ".join((*kept, text[start:])), tuple(comments)


def _content(quoted: str | None, plain: str) -> str:
    return plain.strip() if quoted is None else _QUOTED_PAIR.sub(r"\1", FOLD.sub("", quoted))


def _parameters(text: str, start: int) -> dict[str, str]:
    plain: dict[str, str] = {}
    sections: dict[str, dict[int, tuple[str, bool]]] = {}
    for found in _PARAMETER.finditer(text, start):
        content = _content(found[2], found[3])
        name = _EXTENDED.fullmatch(found[1].lower())
        if name is None or (name[2] is None and name[3] is None):
            plain.setdefault(found[1].lower(), content)
        else:
            numbered = sections.setdefault(name[1], {})
            numbered.setdefault(int(name[2] or 0), (content, name[3] is not None))
    for key, numbered in sections.items():
        # RFC 2231 5: if a program wrote both forms, the extended one holds more.
        plain[key] = _joined(numbered)
    return plain


def _joined(numbered: dict[int, tuple[str, bool]]) -> str:
    from urllib.parse import unquote_to_bytes

    charset: str | None = None
    data: list[bytes] = []
    for number, section in enumerate(sorted(numbered)):
        content, encoded = numbered[section]
        if encoded:
            if number == 0 and content.count("'") >= 2:
                charset, _, content = content.split("'", 2)
            data.append(unquote_to_bytes(_bytes(content)))
        else:
            data.append(_bytes(content))
    return decode_text(b"".join(data), charset or None).text


def _bytes(text: str) -> bytes:
    """Encode as UTF-8, stray bytes unchanged."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a surrogate pair, from a word in UTF-7
        return text.encode("utf-8", "surrogatepass")
