"""The readers of formats, called with what they take from the options of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import pytest

from urisieve.errors import InputError
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document, Segment
from urisieve.sources.html import html_documents
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.mail import mail_contents
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.reading_run import ReadingRun
from urisieve.sources.segments import Segments
from urisieve.sources.structured import content_lines as of_content_lines
from urisieve.sources.structured import journal, json_documents, tables
from urisieve.sources.tally import Tally
from urisieve.sources.xml import xml_documents as of_xml


@contextmanager
def read_by_kernel(way: bool) -> Iterator[None]:
    """Let the kernel read pages and mail, or Python, as without it; the search stays what it is."""
    with pytest.MonkeyPatch.context() as patch:
        if not way:
            patch.setattr(html_documents, "_read_page", html_documents.TokenReader)
            patch.setattr(mail_contents, "_documents", mail_contents._documents_in_python)
            patch.setattr(mail_contents, "_lone", mail_contents._lone_in_python)
        yield


def segments_of(documents: Iterable[Document | Segment | None]) -> Iterator[Segment]:
    """Each of the texts of documents."""
    for one in documents:
        if isinstance(one, Document):
            yield from one.segments()
        elif one is not None:
            yield one


def refuse(source: str, error: InputError) -> None:
    raise AssertionError(f"{source}: {error}")


def run_of(
    reading: ReadingOptions | None = None,
    *,
    tally: Tally,
    may_hold: Callable[[str], object] | None = None,
    encoding: str | None = None,
) -> ReadingRun:
    """What the sources of a run share; `may_hold` returns a false value for text without identifiers."""
    new_may_hold = None if may_hold is None else lambda: may_hold
    return ReadingRun(
        reading or ReadingOptions(), tally=tally, failed=refuse, new_may_hold=new_may_hold, encoding=encoding
    )


def page_documents(page: Segment, tally: Tally) -> Iterator[Document]:
    """What a page is made into, the strings in it left as they are."""
    return html_documents.html_documents(run_of(tally=tally), page, tally)


def json_lines(
    content: Content, *, tally: Tally, field: Iterable[str] | str = (), may_hold: Callable[[str], object] | None = None
) -> Iterator[Document]:
    out = Segments(run_of(ReadingOptions(field=field), tally=tally, may_hold=may_hold), content)
    return out.documents(json_documents.read_lines(content, out))


def json_values(
    content: Content, *, tally: Tally, field: Iterable[str] | str = (), may_hold: Callable[[str], object] | None = None
) -> Iterator[Document]:
    out = Segments(run_of(ReadingOptions(field=field), tally=tally, may_hold=may_hold), content)
    return out.documents(json_documents.read(content, out))


def journal_fields(
    content: Content, *, tally: Tally, field: Iterable[str] | str = (), may_hold: Callable[[str], object] | None = None
) -> Iterator[Segment]:
    out = Segments(run_of(ReadingOptions(field=field), tally=tally, may_hold=may_hold), content)
    return segments_of(out.documents(journal.read(content, out)))


def table_cells(
    content: Content, *, tally: Tally, columns: Iterable[str] = (), delimiter: str = ",", encoding: str | None = None
) -> Iterator[Document]:
    reading = ReadingOptions(field=columns, delimiter=delimiter)
    out = Segments(run_of(reading, tally=tally, encoding=encoding), content, Kind.CSV)
    return out.documents(tables.read(content, out))


def content_lines(content: Content, *, tally: Tally, is_ldif: bool = False) -> Iterator[Segment]:
    kind = Kind.LDIF if is_ldif else Kind.CALENDAR
    out = Segments(run_of(tally=tally), content, kind, opens=kind.opens)
    return segments_of(out.documents(of_content_lines.read(content, out)))


def xml_documents(
    content: Content, *, tally: Tally, may_hold: Callable[[str], object] | None = None, encoding: str | None = None
) -> Iterator[Document]:
    out = Segments(run_of(tally=tally, may_hold=may_hold, encoding=encoding), content, opens=Kind.XML.opens)
    return out.documents(of_xml.read(content, out))
