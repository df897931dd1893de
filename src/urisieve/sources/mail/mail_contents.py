"""Contents of mail: messages and mailboxes, and what is attached to them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from urisieve.lean import TYPE_CHECKING, Final, replace
from urisieve.records.base import Location
from urisieve.sources.containers.contents import Content, shown_name
from urisieve.sources.containers.kinds import ARCHIVES, COMPRESSED, CONTENT_LINES, Kind
from urisieve.sources.containers.sniffing import kind_of
from urisieve.sources.containers.unpacking import MEMBER
from urisieve.sources.content_tools import ContentTools, CutBlocks
from urisieve.sources.documents import Document, in_context, placed
from urisieve.sources.reading_options import Alternatives
from urisieve.wording import member_name

if TYPE_CHECKING:
    from urisieve.sources.mail.mail_options import Attachment, MailOptions

_OPENED_ATTACHMENTS: Final = (
    COMPRESSED
    | ARCHIVES
    | CONTENT_LINES
    | {Kind.MAIL, Kind.MBOX, Kind.OLE, Kind.JSON, Kind.JSONL, Kind.XML, Kind.CSV, Kind.TSV, Kind.WARC, Kind.MARC}
    | {Kind.SQLITE, Kind.PLIST, Kind.OFFICE, Kind.PDF, Kind.RTF}
)


def mail_content(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    """Yield the documents of a message or a mailbox."""
    if tools.is_too_deep(content):
        yield tools.text(content)
        return
    whole = CutBlocks(content.blocks)
    if kind is Kind.MBOX and tools.in_pages and not tools.every_field:
        from urisieve.sources.mail.skimmed_mailboxes import MOST_NESTED, skim_mailbox

        has_room = content.depth + MOST_NESTED <= tools.limits.depth
        found = skim_mailbox(
            whole,
            content.source,
            tools.tally,
            partial(_mail_options, tools, content),
            content.after,
            parts=tools.in_mail and has_room and not tools.reading.base,
            is_once=tools.reading.alternatives is Alternatives.ONCE,
            context=tools.reading.context,
        )
    else:
        from urisieve.sources.mail.messages import join_message, read_mailbox, read_message

        options = _mail_options(tools, content)
        if kind is Kind.MBOX:
            found = read_mailbox(whole, content.source, tools.tally, options, content.after)
        else:
            message = join_message(whole, skip_blanks=content.kind is Kind.MAIL)
            found = read_message(message, content.source, tools.tally, options)
    yield from whole.documents(found, content.source)


def _mail_options(tools: ContentTools, content: Content) -> MailOptions:
    from urisieve.sources.mail.mail_options import EVERY_FIELD, FIELD_SIGN, MailOptions

    return MailOptions(
        alternatives=tools.reading.alternatives,  # type: ignore[arg-type] # an enum once it is constructed
        field_sign=EVERY_FIELD if tools.every_field else FIELD_SIGN,
        attachment=partial(_attachment, tools, content),
        html=tools.html,
        failed=tools.failed,
        depth=content.depth,
        deepest=tools.limits.depth,
        base=tools.reading.base,
        context=tools.reading.context,
    )


def _attachment(tools: ContentTools, content: Content, attachment: Attachment) -> Iterator[Document] | None:
    if kind_of(attachment.head(), attachment.name or "") not in _OPENED_ATTACHMENTS:
        return None
    name = None if attachment.name is None else shown_name(attachment.name.encode("utf-8", "replace"))
    source = member_name(attachment.source, name or attachment.place.part or "", MEMBER)
    content = replace(content, depth=attachment.depth)
    documents = tools.documents(source, [attachment.read()], within=content)
    return placed(documents, partial(_inside, attachment.place))


def _inside(outer: Location, inner: Location) -> Location:
    """Return the location of a text in an attachment: the message it came with, unless it is mail itself."""
    if inner.message is not None or inner.part is not None:
        return inner if inner.message is not None else inner._replace(message=outer.message)
    return outer._replace(field=inner.field, row=inner.row, context=inner.context or outer.context)


def outlook_content(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    """Yield the documents of a message of Outlook, or of any other compound file."""
    from urisieve.sources.mail.outlook import OutlookPart, outlook_parts

    if tools.is_too_deep(content):
        return
    whole = CutBlocks(content.blocks)
    parts = outlook_parts(replace(content, blocks=whole), tally=tools.tally, context=tools.reading.context)
    for part in whole.ended(parts):
        if not isinstance(part, OutlookPart):
            found = tools.documents(part.source, [part.data], within=content)
            yield from found if part.context is None else in_context(found, part.context)
        elif part.kind is Kind.HTML:
            yield from tools.html(replace(part.document, base=tools.base_of(content)), tools.tally)
        else:
            yield part.document
