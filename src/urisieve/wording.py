"""The words of messages: names that are most likely meant, and names of files as they can be shown.

The name of a file, or of a member of an archive, may contain anything: control sequences of a terminal, ends of lines,
bytes that do not decode, a megabyte of text. In messages and lines of text it has no control characters and is short.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from urisieve.lean import Final, TypeVar, lazy_compile

_T = TypeVar("_T")
# The most words that are compared, and the longest word in characters: making a message must not take long.
_MOST: Final = 20_000
_LONGEST: Final = 64
# The least similarity of two words, from 0 to 1: that of `htp` and `http` is 0.86, that of `csv` and `tsv` 0.67.
_ALIKE: Final = 0.65


def address_hint(path: str, instead: str) -> str:
    """Return the end of a message about a path that is an address, such as `s3://bucket/file`; "" for any other path.

    >>> address_hint("s3://bucket/links.txt", "files are read"), address_hint("links.txt", "files are read")
    ('; nothing is fetched or sent: files are read', '')

    Args:
        path: the path.
        instead: what to do.
    """
    return f"; nothing is fetched or sent: {instead}" if "://" in path else ""


def nearest(word: str, words: Iterable[str]) -> str | None:
    """Return the word that was most likely meant; None if none is similar. Case does not count.

    >>> nearest("identfier", ["url", "identifier"]), nearest("zzz", ["url"])
    ('identifier', None)
    """
    if not 1 < len(word) <= _LONGEST:
        return None
    from difflib import get_close_matches

    folded: dict[str, str] = {}
    for other in islice(words, _MOST):
        folded.setdefault(other.casefold(), other)
    wanted = word.casefold()
    longer = sorted((other for other in folded if other.startswith(wanted) and len(wanted) > 2), key=len)
    found = longer[:1] or get_close_matches(wanted, folded, n=1, cutoff=_ALIKE)
    return folded[found[0]] if found else None


def in_order(given: Iterable[_T]) -> list[_T]:
    """Return the words of an option as a list; those of a set sorted, since its own order is another in each process.

    >>> in_order({"b", "a"}), in_order(["b", "a"])
    (['a', 'b'], ['b', 'a'])
    """
    return sorted(given, key=str) if isinstance(given, (set, frozenset)) else list(given)


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return the end of a message about a wrong word: `; did you mean 'x'?`, or ""."""
    found = nearest(word, words)
    return "" if found is None or found == word else f"; did you mean {found!r}?"


def near_name(word: str, words: Iterable[str]) -> str:
    """Return the end of a message about a wrong name, which is quoted without quotation marks: `; did you mean x?`."""
    found = nearest(word, words)
    return f"; did you mean {found}?" if found else ""


# The most characters of the name of one member, part or field. Each record repeats the name, so without a limit a name
# of a megabyte makes gigabytes of a few thousand links. Windows and macOS do not open paths beyond 260 and 1,024
# characters, and the longest names in archives of Linux distributions have some 300.
NAME_LIMIT: Final = 1_024
# The most characters of a path with the names of all members that lead to a text: twice the longest path of Linux.
CHAIN_LIMIT: Final = 8_192

# C0, DEL and C1, the separators of lines and paragraphs, the controls of the bidirectional algorithm (UAX 9 2), which
# can make a name look like another one, and halves of surrogate pairs, which stand for bytes that did not decode.
_UNPRINTABLE: Final = lazy_compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# The same in lines of records, which end and are split into cells as they are, with all marks of the bidirectional
# algorithm: an IRI may contain none of them (RFC 3987 4.1).
_ESCAPED: Final = lazy_compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_DIGEST_BYTES: Final = 8


def printable(text: str) -> str:
    r"""Replace each character that must not be shown by U+FFFD: `printable("a\x1b[2J") == "a\ufffd[2J"`."""
    if text.isascii() and text.isprintable():
        return text
    return _UNPRINTABLE.sub("\ufffd", text)


def escaped(lines: str) -> str:
    r"""Replace in lines each character that a terminal would obey by an escape as that of JSON: `\u001b`."""
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", lines)


def shortened(name: str, limit: int = NAME_LIMIT) -> str:
    """Shorten a name of more than `limit` characters to its beginning, an ellipsis, and a digest of the whole.

    The digest keeps two names with the same beginning different.
    """
    if len(name) <= limit:
        return name
    from hashlib import blake2b

    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{name[: limit - 1 - len(digest)]}\u2026{digest}"


def member_name(source: str, name: str, sign: str) -> str:
    """Return the name of a member of a source: `member_name("a.zip", "b", "!") == "a.zip!b"`."""
    return shortened(f"{source}{sign}{name}", CHAIN_LIMIT)
