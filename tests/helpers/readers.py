"""The readers of formats, called with what they take from the options of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from urisieve.errors import InputError
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.kinds import Kind
from urisieve.sources.content_tools import ContentTools
from urisieve.sources.documents import Document
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.structured import content_lines as of_content_lines
from urisieve.sources.structured import journal, json_documents, jsonlines, tables
from urisieve.sources.tally import Tally
from urisieve.sources.xml import xml_documents as of_xml


def refuse(source: str, error: InputError) -> None:
    raise AssertionError(f"{source}: {error}")


def tools(
    reading: ReadingOptions | None = None,
    *,
    tally: Tally,
    may_hold: Callable[[str], object] | None = None,
    encoding: str | None = None,
) -> ContentTools:
    """The tools of a run; `may_hold` returns a false value for text without identifiers."""
    new_may_hold = None if may_hold is None else lambda: may_hold
    return ContentTools(
        reading or ReadingOptions(), tally=tally, failed=refuse, new_may_hold=new_may_hold, encoding=encoding
    )


def json_lines(
    content: Content, *, tally: Tally, field: str | None = None, may_hold: Callable[[str], object] | None = None
) -> Iterator[Document]:
    return jsonlines.json_lines(tools(ReadingOptions(field=field), tally=tally, may_hold=may_hold), content)


def json_values(
    content: Content, *, tally: Tally, field: str | None = None, may_hold: Callable[[str], object] | None = None
) -> Iterator[Document]:
    return json_documents.json_values(tools(ReadingOptions(field=field), tally=tally, may_hold=may_hold), content)


def journal_fields(
    content: Content, *, tally: Tally, field: str | None = None, may_hold: Callable[[str], object] | None = None
) -> Iterator[Document]:
    return journal.journal_fields(tools(ReadingOptions(field=field), tally=tally, may_hold=may_hold), content)


def table_cells(
    content: Content, *, tally: Tally, columns: Iterable[str] = (), delimiter: str = ",", encoding: str | None = None
) -> Iterator[Document]:
    reading = ReadingOptions(columns=columns, delimiter=delimiter)
    return tables.table_cells(tools(reading, tally=tally, encoding=encoding), content, Kind.CSV)


def content_lines(content: Content, *, tally: Tally, is_ldif: bool = False) -> Iterator[Document]:
    return of_content_lines.content_lines(tools(tally=tally), content, Kind.LDIF if is_ldif else Kind.CALENDAR)


def xml_documents(
    content: Content, *, tally: Tally, may_hold: Callable[[str], object] | None = None, encoding: str | None = None
) -> Iterator[Document]:
    return of_xml.xml_documents(tools(tally=tally, may_hold=may_hold, encoding=encoding), content)
