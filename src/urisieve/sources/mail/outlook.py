"""The parts of Outlook messages (.msg, MS-OXMSG), read by the package `python-oxmsg`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module

from urisieve.errors import BrokenInputError, InputError
from urisieve.lean import Any, Final, NamedTuple, TypeAlias
from urisieve.records.base import Context, Location
from urisieve.sources.containers.contents import Content, shown_name
from urisieve.sources.containers.unpacking import MEMBER
from urisieve.sources.documents import Document
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.office.compound import OF_MESSAGES, Storage, read_compound
from urisieve.sources.tally import Tally
from urisieve.wording import member_name, printable, shortened

# The name of a stream by which a compound file is a message (MS-OXMSG 2.4), in UTF-16.
_PROPERTIES: Final = "__properties_version1.0"
_SIGN: Final = _PROPERTIES.encode("utf-16-le")
# The number of a property has two bytes, its entry 16 (MS-OXMSG 2.4.2); the package makes an object of each.
_PROPERTIES_LIMIT: Final = 32 + 16 * 65_536
_UNICODE: Final = "001F"  # the end of the name of a stream that is text in UTF-16, PtypString (MS-OXCDATA 2.11.1)
_TRANSPORT_HEADERS: Final = 0x007D  # PidTagTransportMessageHeaders (MS-OXPROPS)
_HTML: Final = 0x1013  # PidTagHtml


# A `Message` of the package, which may not be installed.
_Message: TypeAlias = Any


class OutlookPart(NamedTuple):
    """A text of a message, and its kind: text or HTML."""

    kind: Kind
    document: Document


class OutlookAttachment(NamedTuple):
    """A file attached to a message.

    Attributes:
        source: its name, behind that of the message and `!`.
        data: its bytes.
        context: when and from whom the message came, if that was asked for.
    """

    source: str
    data: bytes
    context: Context | None = None


def outlook_parts(
    content: Content, *, tally: Tally, context: bool = False
) -> Iterator[OutlookPart | OutlookAttachment]:
    """Yield the header, subject, body and HTML body of a message, as far as it has them, then its attachments.

    A compound file that is not a message is skipped and counted. Broken parts are counted, and the others are read.
    There are no byte offsets: texts are stored in pieces all over the file.

    Args:
        content: the file, of kind `OLE`.
        tally: counts messages, attachments, and everything skipped or broken.
        context: whether locations have the context of the message.

    Raises:
        InputError: reading fails, the message is too large, or the package is not installed.
    """
    data = b"".join(content.blocks)
    if _SIGN not in data:
        try:
            root = read_compound(data)
            if root.name in root.damaged:
                raise BrokenInputError("compound file", "damaged", "its directory is cut: nobody knows what it holds")
            tally.skip("office", "out-of-scope")
        except BrokenInputError as error:
            tally.stopped(content.source, error)
        return
    try:
        package = import_module("oxmsg")
    except ImportError:
        raise InputError("is an Outlook message: that needs the extra: pip install 'urisieve[msg]'") from None
    try:
        root = read_compound(data)
        if not any(name.startswith(OF_MESSAGES) for name in (*root.streams, *(one.name for one in root.storages))):
            tally.skip("office", "out-of-scope")  # a message is embedded
            return
        message = package.Message(_as_package_has_it(root))
    except MemoryError:
        raise
    except Exception as error:  # the package defines no exceptions for broken files
        tally.fault("outlook message", "corrupt", f"{content.source}: not a readable Outlook message: {_said(error)}")
        return
    del data
    tally.read["outlook message"] += 1
    is_described = _PROPERTIES in root.streams  # which texts it has, and in which encoding
    if not is_described:
        tally.fault("outlook message", "corrupt", f"{content.source}: {_missing(_PROPERTIES)}: its texts are not read")
    damaged = [name for storage in (root, *root.storages) for name in storage.damaged]
    if damaged:
        message_text = f"{content.source}: {len(damaged):,} of its streams are damaged: what is left of them is read"
        tally.fault("outlook message", "damaged", message_text)
    known = _context(message) if context and is_described else None
    for name, kind, number in _PARTS if is_described else ():
        try:
            text = _text(message, name)
        except MemoryError:
            raise
        except Exception as error:  # as above
            tally.fault("outlook part", "corrupt", f"{content.source}: its {name}: {_said(error)}")
            continue
        if not text and any(data for stream, data in root.streams.items() if stream.startswith(number)):
            unnamed = f"{content.source}: its {name}: the properties of the message do not name it"
            tally.fault("outlook part", "corrupt", unnamed)
        if text:
            tally.read["outlook part"] += 1
            location = Location(message=1, part=name, context=known)
            yield OutlookPart(kind, Document(source=content.source, text=(text,), place=location))
    for attachment in _attachments(message, content.source, tally):
        yield attachment._replace(context=known)


# The name of each text, its kind, and how the name of its stream begins.
_PARTS: Final = (
    ("header", Kind.TEXT, "__substg1.0_007D"),
    ("header:Subject", Kind.TEXT, "__substg1.0_0037"),
    ("body", Kind.TEXT, "__substg1.0_1000"),
    ("html-body", Kind.HTML, "__substg1.0_1013"),
)


def _said(error: Exception) -> str:
    """Return in words what is broken, by an exception of the package or of `read_compound`."""
    if isinstance(error, BrokenInputError):
        return str(error)
    if isinstance(error, KeyError) and str(error.args[0]).startswith(OF_MESSAGES):
        return _missing(error.args[0])
    if isinstance(error, UnicodeError):
        return "it is not text of the encoding that the message names"
    if "codepage" in type(error).__name__.lower() or "encoding" in type(error).__name__.lower():
        return "its encoding is not known"
    return f"its properties are damaged ({type(error).__name__})"


def _missing(stream: str) -> str:
    return f"its stream {stream} is missing"


def _as_package_has_it(root: Storage) -> object:
    """Convert a compound file to the classes of the package, whose own reader follows chains that lead in circles."""
    storage = import_module("oxmsg.storage")

    def converted(one: Storage, path: str, inner: tuple[object, ...]) -> object:
        streams = [storage.Stream(f"{path}{name}", _usable(name, data)) for name, data in one.streams.items()]
        return storage.Storage(path.rstrip("/"), tuple(streams), inner)

    # Deeper storages are embedded messages, which are not read.
    return converted(root, "", tuple(converted(one, f"{one.name}/", ()) for one in root.storages))


def _usable(name: str, data: bytes) -> bytes:
    """Return a stream of which the package reads all that there is."""
    if name == _PROPERTIES:
        return data[:_PROPERTIES_LIMIT]
    if name.endswith(_UNICODE):  # the package takes none of a text that is cut within a character
        return data.decode("utf-16-le", "replace").encode("utf-16-le")
    return data


def _text(message: _Message, name: str) -> str | None:
    text: str | None
    html: bytes | None
    if name == "header":
        text = message.properties.str_prop_value(_TRANSPORT_HEADERS)
    elif name == "header:Subject":
        text = message.subject
    elif name == "body":
        text = message.body
    elif (html := message.properties.binary_prop_value(_HTML)) is None:
        text = message.html_body
    else:
        text = html.decode(message.properties.body_encoding, "replace")
    return text


# The line by which Exchange begins a header.
_NO_FIELD: Final = "Microsoft Mail Internet Headers"


def _context(message: _Message) -> Context:
    """Return when and from whom a message came: by its header, and what that lacks by its properties."""
    from urisieve.sources.mail.header_fields import addresses, message_context, read_header
    from urisieve.syntax.times import time_of_value

    found = Context()
    with suppress(Exception):  # as above; each statement may be the last one that there is
        text = _text(message, "header") or ""
        begin = text.find("\n") + 1 if text.startswith(_NO_FIELD) else 0
        header = text[begin:].encode("utf-8", "replace")
        found = message_context(header, read_header(header, 0, len(header)))
    with suppress(Exception):
        found = found._replace(subject=found.subject or shortened(printable(message.subject)) or None)
    with suppress(Exception):
        senders = addresses([(message.sender or "").encode("utf-8", "replace")])
        found = found._replace(sender=found.sender or next(iter(senders), None))
    with suppress(Exception):
        if found.written is None and message.sent_date is not None:
            sent = message.sent_date.isoformat()
            found = found._replace(time=time_of_value(sent), written=sent)
    return found


def _attachments(message: _Message, source: str, tally: Tally) -> Iterator[OutlookAttachment]:
    for number, attachment in enumerate(message.attachments, 1):
        try:
            data = attachment.file_bytes
        except MemoryError:
            raise
        except Exception as error:  # as above
            tally.fault("outlook attachment", "corrupt", f"{source}: attachment {number}: {_said(error)}")
            continue
        if data is None:
            tally.skip("outlook attachment", "not-a-file")  # an embedded message, or a mere reference
            continue
        try:
            given = attachment.file_name
        except MemoryError:
            raise
        except Exception:  # as above; what it is called matters less than what it holds
            given = None
        name = shown_name((given or f"attachment {number}").encode("utf-8", "replace"))
        tally.read["outlook attachment"] += 1
        yield OutlookAttachment(member_name(source, name, MEMBER), data)
