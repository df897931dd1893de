"""Files with their identifiers replaced."""

from __future__ import annotations

import os
from collections.abc import Iterator

from urisieve import shapes
from urisieve.errors import InputError
from urisieve.files import Blocks
from urisieve.finding_options import Options, checked
from urisieve.rewriting.carriers import Carriers, RewriteCounts
from urisieve.rewriting.replacements import Replace, replacement_of
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.bytes.reading import BlocksPath, read_blocks, source_name
from urisieve.sources.reading_options import ReadingOptions, checked_reading


def rewrite(
    source: str | os.PathLike[str] | Blocks,
    replace: Replace,
    *,
    options: Options | None = None,
    reading: ReadingOptions | None = None,
    encoding: str | None = None,
    rejected: bool = False,
    counts: RewriteCounts | None = None,
) -> Iterator[bytes]:
    r"""Return the bytes of a file with each of its identifiers replaced; all else stays as it is, byte for byte.

    A new text is written in the notation that it stands in: of HTML, XML, JSON, a table, quoted-printable. A part of a
    message in base64 is encoded anew as a whole. What is compressed is compressed again.

    >>> from urisieve.rewriting import rewrite
    >>> from urisieve.types import Blocks
    >>> page = Blocks("page.html", [b'<a href="http://A.example/?a&amp;b">see HTTP://B.example</a>'])
    >>> b"".join(rewrite(page, "{uri}"))
    b'<a href="http://a.example/?a&amp;b">see http://b.example/</a>'
    >>> b"".join(rewrite(Blocks("a.jsonl", [b'{"url": "http:\\/\\/a.example\\/"}\n']), '"{host}"'))
    b'{"url": "\\"a.example\\""}\n'

    Args:
        source: the path of a file, or one whose bytes come from an iterable.
        replace: returns the new text for a `Record`, or None to leave it as it is; or a template, as of `sub`; or one
            of `urisieve.rewriting.replacements`.
        options: what to find and how far to normalize.
        reading: how the file is read.
        encoding: the name of its encoding; by default it is detected.
        rejected: whether `replace`, which is no template then, is also asked for candidates that are not valid.
        counts: takes how many were replaced, and how many cannot be written where they stand.

    Returns:
        the bytes, each as soon as it is decided.

    Raises:
        InputError: the file cannot be read, or is of a kind that is not written back: an archive, a document of an
            office, a database, or binary. Nothing has been yielded then.
        UsageError: an argument is not valid.
    """
    shapes.check(rejected=rejected)
    find_encoding(encoding)
    if isinstance(source, Blocks):
        path: str = BlocksPath(source.name, source.blocks)
    else:
        path = shapes.path("source", source, "Blocks(name, blocks) is for bytes")
    replacement = replacement_of(replace, rejected=rejected)
    found = RewriteCounts() if counts is None else counts
    carriers = Carriers(replacement, checked(options), checked_reading(reading), encoding=encoding, counts=found)
    return _rewritten(carriers, path)


def _rewritten(carriers: Carriers, path: str) -> Iterator[bytes]:
    name = source_name(path)
    try:
        yield from carriers.rewritten(name, read_blocks(path))
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
