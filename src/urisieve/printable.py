"""Names and messages for terminals and lines of text: harmless whatever they hold, and of bounded length.

A name on disk, or of a member of an archive, may hold anything: sequences that drive a terminal, ends of lines, bytes
that do not decode, a megabyte of text.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["CHAIN_LIMIT", "NAME_LIMIT", "member_name", "printable", "shortened"]

# Characters of the name of one member, part or field. Each record repeats it, so that without a limit a name of a
# megabyte makes gigabytes of a few links. Windows and macOS open no path beyond 260 and 1,024, and the longest names in
# archives of Linux distributions have some 300.
NAME_LIMIT: Final = 1_024
# Characters of a path with the names of all members on the way: twice the longest path of Linux.
CHAIN_LIMIT: Final = 8_192

# C0, DEL and C1, the separators of lines and paragraphs, the controls of the bidirectional algorithm (UAX 9 2) that
# show a name as another one, and halves of surrogate pairs, which stand for bytes that did not decode.
_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_DIGEST_BYTES: Final = 8


def printable(text: str) -> str:
    r"""Replace each character that is not to be shown by U+FFFD: `printable("a\x1b[2J") == "a\ufffd[2J"`."""
    return _UNPRINTABLE.sub("\ufffd", text)


def shortened(name: str, limit: int = NAME_LIMIT) -> str:
    """Cut a name of more than `limit` characters: its beginning, an ellipsis, and a digest of the whole.

    Two names of one beginning stay two.
    """
    if len(name) <= limit:
        return name
    from hashlib import blake2b

    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{name[: limit - 1 - len(digest)]}\u2026{digest}"


def member_name(source: str, name: str, sign: str) -> str:
    """The name of something in a source: `member_name("a.zip", "b", "!") == "a.zip!b"`."""
    return shortened(f"{source}{sign}{name}", CHAIN_LIMIT)
