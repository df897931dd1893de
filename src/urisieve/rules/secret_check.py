"""Where a text contains secrets, by the rows of `rules/registry/secrets.txt`: one rule for the judge and for hiding.

A secret is

- the value of a parameter whose name states it: for sure, as `client_secret` does whatever is before it, if it has four
  characters and is no placeholder and no word such as `true`; or perhaps, as `code` and `key` do, if the value looks
  random;
- what has the shape of a secret of a known product, wherever it is;
- the part of the path of a webhook that lets anyone post there.

Names, signs and values may be percent-encoded, as in a link inside another one. In a host, in `data:` and in URNs
none is looked for. What is written instead of a secret is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from urisieve.lean import Any, Final, NamedTuple, lazy_compile
from urisieve.rules.registry import blocks_of
from urisieve.syntax.passwords import Span, is_placeholder


class SecretRow(NamedTuple):
    """One kind of secret.

    Attributes:
        name: a short name, unique.
        product: whose it is.
        reference: where it is documented.
        sure: how names of parameters end whose values are secrets, without case and marks; whatever is before.
        words: last words of names that mean many things: their values count if they look random.
        starts: of a shape, pairs: what is directly before a run of letters, digits, `-` and `_`, and how it begins.
        shape: a pattern of the secret, or with a group that is the secret.
        host: of a webhook the host; "" if that does not count.
        path: a pattern of the path after the host, with a group that is the secret.
        example: a link, and the secret in it.
        other: a link that has none.
    """

    name: str
    product: str
    reference: str
    example: tuple[str, str]
    other: str
    sure: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    starts: tuple[tuple[str, str], ...] = ()
    shape: str = ""
    host: str = ""
    path: str = ""


# What the secrets of examples are made of.
_RUNS: Final = {
    "mixed": "q7Xr2Mz9Kd4Tb8Wf3Lh6Ns1Pv5Jc0Gy7Ra2Ee9Uk4Zt8Ho3Yi6Qm1Dx5Bw0Vg7Sl2Cn9Fa4Pj8Ik3",
    "rest": "Ns1Pv5Jc0Gy7Ra2Ee9Uk4Zt8Ho3Yi6Qm1Dx5Bw0Vg7Sl2Cn9Fa4Pj8Ik3",
    "hex": "3f9a0c7e1b8d2465a7f0c9e3d1b84f6a5c2e7d90b1f8a3e6c4d7f9021b5e8a3c6d7",
    "uuid": "7d1f9c3e-4b2a-4e8d-9f60-3c5b7a1e2d84",
}


def _row(block: dict[str, list[str]]) -> SecretRow:
    """Return the row of a block of lines."""
    fields: dict[str, Any] = {field: "".join(values) for field, values in block.items()}
    fields |= {field: tuple(fields[field].split()) for field in ("sure", "words", "starts") if field in fields}
    pairs = (start.rpartition(">") for start in fields.get("starts", ()))
    fields["starts"] = tuple((before, start) for before, _, start in pairs)
    example = fields.get("example") or f"https://a.example/x?v=<<{fields.pop('secret')}>>&n=1"
    before, secret, after = re.split("<<|>>", example.format("", **_RUNS))
    fields["example"] = (f"{before}{secret}{after}", secret)
    fields["other"] = fields["other"].format(**_RUNS)
    return SecretRow(**fields)


SECRETS: Final = tuple(map(_row, blocks_of("secrets")))

LEAST_RUN: Final = 20
"""Each shape contains a run of so many letters, digits, `-` and `_`, at least."""
LEAST_SURE: Final = 4
"""The fewest characters of a secret whose name is sure."""
LEAST_RANDOM: Final = 16
"""The fewest characters of a value that looks random."""
LEAST_DIGITS: Final = 2
"""The fewest digits of a value that looks random."""
LEAST_CHANGES: Final = 4
"""How often a random value changes between small letters, capitals and digits, at least."""
MOST_BETWEEN: Final = 6
"""The most characters between two changes of a random value, on average."""
LONGEST_VALUE: Final = 1024
"""The characters of a value that are looked at; more say nothing more, and each value is looked at for each name."""
PLAIN_WORDS: Final = (
    *("true", "false", "null", "none", "undefined", "required", "optional", "invalid", "expired", "missing", "empty"),
    *("hidden", "masked", "redacted", "removed", "filtered", "secret", "token", "password"),
)
"""Values of sure names that state something about a secret."""

_LONGEST_NAME: Final = 64  # its end alone counts
_TIMES: Final = 4  # that a value may be percent-encoded
_NO_SCHEMES: Final = ("data:", "urn:")
# The name of a parameter with its sign, from the first of its characters on, so that the search is linear.
_NAME: Final = lazy_compile(r"(?<![A-Za-z0-9_.+\-])([A-Za-z0-9_.+\-]++)(?>\]|%(?>25)*+5[Dd])*+(?:=|%((?>25)*+)3[Dd])")
_NAME_ENCODED: Final = lazy_compile(r"(?>25)*+[0-9A-Fa-f]{2}")
_MARKS: Final = str.maketrans("", "", "_.+-")
_LAST_WORD: Final = lazy_compile(r"(?:[A-Z]++[a-z0-9]*+|[a-z0-9]++)\Z")
# Where a value ends: in a query, in the path, and where the sign was encoded so many times.
_END: Final = lazy_compile(r"[&#]|;[A-Za-z0-9_.\-]++=|\Z")
_END_IN_PATH: Final = lazy_compile(r"[&#?/]|;[A-Za-z0-9_.\-]++=|\Z")
_END_ENCODED: Final = lazy_compile(r"[&#]|%(?>25)*+2[36]|\Z")
_HOST: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+.\-]*+://(?>[^/?#@]*+@)?+([^/?#@]*+)")
_SPACE: Final = lazy_compile(r"\s+")
_RANDOM: Final = lazy_compile(r"[A-Za-z0-9_\-.~+/=:|]++")
_DIGIT: Final = lazy_compile("[0-9]")
_CHANGE: Final = lazy_compile(r"[a-z](?=[0-9A-Z])|[0-9](?=[A-Za-z])|[A-Z](?=[0-9])")
_OTHER_PLACEHOLDER: Final = lazy_compile(r"(?s)[*xX.]+|\{.*\}|<.*>|\[.*\]|\$\{.*\}|\$\(.*\)|%[A-Z_]+%|\$[A-Z_]{4,}")
_LONG_RUN: Final = lazy_compile(rf"[A-Za-z0-9_\-]{{{LEAST_RUN}}}")
# An encoded character that means the same as it stands (RFC 3986 2.3).
_UNRESERVED: Final = lazy_compile("%(?:[46][1-9A-Fa-f]|[57][0-9Aa]|3[0-9]|2[DdEe]|5[Ff]|7[Ee])")

SURE: Final = tuple(ending for row in SECRETS for ending in row.sure)
"""The ends of names that are sure, without marks and in small letters."""
WORDS: Final = frozenset(word for row in SECRETS for word in row.words)
"""The last words of names that may mean something else."""
HOSTS: Final = tuple(row.host for row in SECRETS if row.host)
"""The hosts of webhooks whose path contains a secret."""
STARTS: Final = tuple(start for row in SECRETS for start in row.starts)
"""What is directly before a long run of a shape, and how that run begins."""


class _Kind(NamedTuple):
    """Where secrets of one row are: texts of which one must be there, and the pattern, compiled when one is."""

    signs: tuple[str, ...]
    pattern: re.Pattern[str]


def _shape(row: SecretRow) -> _Kind:
    """Return the shape of a row: it begins where no run of its characters goes on, or after a triplet."""
    begin = r"(?:(?<![A-Za-z0-9_\-])|(?<=%[0-9A-Fa-f]{2})|(?<=%25[0-9A-Fa-f]{2}))"
    signs = tuple(dict.fromkeys(start or lead.strip("/") for lead, start in row.starts))
    return _Kind(signs or ("asic", "ASIC", "earer"), lazy_compile(f"{begin}(?:{row.shape})"))


def _hook(row: SecretRow) -> _Kind:
    """Return the webhook of a row, whose slashes may be encoded, and escaped."""
    slash = r"(?:\\*+/|%(?:25)*2[Ff])"
    path = row.path.replace("/", slash).replace(f"[^{slash}", "[^/")
    return _Kind(
        (row.host,), lazy_compile(rf"(?i)(?:(?<=://)|(?<=2f)|(?<=\\/)){re.escape(row.host)}(?::[0-9]*+)?{path}")
    )


_SHAPES: Final = tuple(_shape(row) for row in SECRETS if row.shape)
_HOOKS: Final = tuple(_hook(row) for row in SECRETS if row.host)


def looks_random(value: str) -> bool:
    """Report whether a value looks random: as digests and tokens do, and words, dates and numbers do not.

    >>> [looks_random(text) for text in ("3f9a0c7e1b8d2465a7f0", "spring-catalogue-2019", "2019-10-12T10:20:30Z")]
    [True, False, False]
    """
    size = len(value)
    if size < LEAST_RANDOM or "//" in value or _RANDOM.fullmatch(value) is None:
        return False
    if len(_DIGIT.findall(value)) < LEAST_DIGITS:
        return False
    changes = len(_CHANGE.findall(value))
    return changes >= LEAST_CHANGES and changes * MOST_BETWEEN >= size


def _is_stated(value: str) -> bool:
    """Report whether the value of a parameter with a sure name is a secret, and not a word or a placeholder."""
    if len(value) < LEAST_SURE or value.lower() in PLAIN_WORDS:
        return False
    return _OTHER_PLACEHOLDER.fullmatch(value) is None and not is_placeholder(value)


def _is_sure(name: str) -> bool:
    return name.translate(_MARKS).lower().endswith(SURE)


def _may_mean(name: str) -> bool:
    last = _LAST_WORD.search(name)
    word = name[max(map(name.rfind, "_.+-")) + 1 :]
    return word.lower() in WORDS or (last is not None and last[0].lower() in WORDS)


def _of_names(text: str, is_random: Callable[[str], bool]) -> list[Span]:
    """Return where the values of parameters are secrets."""
    spans: list[Span] = []
    query = -1
    for found in _NAME.finditer(text):
        name = found[1]
        if text[found.start() - 1 : found.start()] == "%" and (escape := _NAME_ENCODED.match(name)) is not None:
            name = name[escape.end() :]
        name = name[-_LONGEST_NAME:]
        is_sure = _is_sure(name)
        if not is_sure and not _may_mean(name):
            continue
        start = found.end()
        if spans and start < spans[-1][1]:
            continue
        ending = _END_ENCODED
        if found[2] is None:
            if query < 0:
                query = min((at for sign in "?#" if (at := text.find(sign)) >= 0), default=len(text))
            ending = _END if start > query else _END_IN_PATH
        match = ending.search(text, start, start + LONGEST_VALUE)
        value = text[start : start + LONGEST_VALUE if match is None else match.start()]
        shown = _shown(value)
        if _is_stated(shown) if is_sure else is_random(shown):
            whole = ending.search(text, start + len(value))
            spans.append((start, start + len(value) if whole is None else whole.start()))
    return spans


def _shown(value: str) -> str:
    """Return a value decoded, without white space."""
    if "%" in value:
        from urllib.parse import unquote

        for _ in range(_TIMES):
            value = unquote(value)
    return _SPACE.sub("", value)


def _may_be_random(value: str) -> bool:
    """Report whether a part of a value between other characters looks random."""
    return any(map(looks_random, _RANDOM.findall(value)))


def secrets(text: str, is_random: Callable[[str], bool] = looks_random) -> list[Span]:
    """Return where the secrets of an identifier are, as it is written or in its canonical form, in their order.

    >>> text = "https://a.example/cb?code=200&client_secret=s3cr3t#access_token=true"
    >>> [text[start:end] for start, end in secrets(text)]
    ['s3cr3t']

    Args:
        text: the text.
        is_random: whether the value of a parameter that may mean something else is a secret.
    """
    if text[:5].lower().startswith(_NO_SCHEMES):
        return []
    plain = _with_offsets(text)
    if plain is None:
        return _joined(_found(text, is_random))
    whole, offsets = plain
    return [(offsets[start], offsets[end]) for start, end in _joined(_found(whole, is_random))]


def suspected_secrets(text: str) -> list[Span]:
    """Return what may be secrets in a text that is not an identifier, as in a rejection: rather too much."""
    return secrets(text, _may_be_random)


def _found(text: str, is_random: Callable[[str], bool]) -> list[Span]:
    small = text.lower()
    spans = _of_names(text, is_random) if "=" in text or "3d" in small else []
    is_likely = _LONG_RUN.search(text) is not None or "basic" in small or "bearer" in small
    for kinds, of in ((_SHAPES, text), (_HOOKS, small)):
        for signs, pattern in kinds if is_likely or of is small else ():
            if any(sign in of for sign in signs):
                spans += [found.span(found.lastindex or 0) for found in pattern.finditer(text)]
    if not spans:
        return spans
    host = _HOST.match(text)
    return spans if host is None else [span for span in spans if span[0] >= host.end() or span[1] <= host.start(1)]


def _with_offsets(text: str) -> tuple[str, list[int]] | None:
    """Return a text with the triplets of unreserved characters decoded, and where each character was; None without."""
    if "%" not in text or _UNRESERVED.search(text) is None:
        return None
    pieces: list[str] = []
    offsets: list[int] = []
    before = 0
    for found in _UNRESERVED.finditer(text):
        pieces += text[before : found.start()], chr(int(found[0][1:], 16))
        offsets += range(before, found.start() + 1)
        before = found.end()
    return "".join([*pieces, text[before:]]), [*offsets, *range(before, len(text) + 1)]


def _joined(spans: list[Span]) -> list[Span]:
    """Return spans in their order, those that overlap as one."""
    if len(spans) < 2:
        return spans
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found
