"""Mail of Outlook: its messages (.msg, MS-OXMSG), read by the package `python-oxmsg`.

Also defines:

- the texts and files in `winmail.dat` (MS-OXTNEF), which Outlook attaches to mail.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module

from urisieve.errors import BrokenInputError, InputError
from urisieve.lean import Any, Final, NamedTuple, TypeAlias, replace
from urisieve.records.base import Context, Location
from urisieve.sources.containers.contents import Content, shown_name
from urisieve.sources.documents import Document, Segment, in_context
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.mail.mime import FILE, TNEF_SIGN
from urisieve.sources.office.compound import OF_MESSAGES, Storage, read_compound
from urisieve.sources.segments import Segments
from urisieve.wording import printable, shortened

# The name of a stream by which a compound file is a message (MS-OXMSG 2.4), in UTF-16.
_PROPERTIES: Final = "__properties_version1.0"
_SIGN: Final = _PROPERTIES.encode("utf-16-le")
# The number of a property has two bytes, its entry 16 (MS-OXMSG 2.4.2); the package makes an object of each.
_PROPERTIES_LIMIT: Final = 32 + 16 * 65_536
_ENDS_UNICODE: Final = "001F"  # the end of the name of a stream that is text in UTF-16, PtypString (MS-OXCDATA 2.11.1)
_TRANSPORT_HEADERS: Final = 0x007D  # PidTagTransportMessageHeaders (MS-OXPROPS)
_HTML: Final = 0x1013  # PidTagHtml


# A `Message` of the package, which may not be installed.
_Message: TypeAlias = Any


def read(source: Content, out: Segments) -> Iterator[Document | None]:
    """Yield the header, subject, body and HTML body of a message, as far as it has them, then what is attached to it.

    A compound file that is not a message is skipped and counted. Broken parts are counted, and the others are read.
    There are no byte offsets: texts are stored in pieces all over the file.

    Raises:
        InputError: reading fails, the message is too large, or the package is not installed.
    """
    if out.is_too_deep():
        return
    message, root = _message(b"".join(out.readable()), out)
    if message is None or root is None:
        return
    out.count("outlook message")
    is_described = _PROPERTIES in root.streams  # which texts it has, and in which encoding
    if not is_described:
        out.fault("corrupt", f"{_missing(_PROPERTIES)}: its texts are not read", kind="outlook message")
    damaged = [name for storage in (root, *root.storages) for name in storage.damaged]
    if damaged:
        text = f"{len(damaged):,} of its streams are damaged: what is left of them is read"
        out.fault("damaged", text, kind="outlook message")
    context = _context(message) if out.wants_context and is_described else None
    for name, kind, number in _PARTS if is_described else ():
        try:
            text = _text(message, name) or ""
        except MemoryError:
            raise
        except Exception as error:  # as above
            out.fault("corrupt", f"its {name}: {_reason(error)}", kind="outlook part")
            continue
        if not text and any(data for stream, data in root.streams.items() if stream.startswith(number)):
            out.fault("corrupt", f"its {name}: the properties of the message do not name it", kind="outlook part")
        if text:
            out.count("outlook part")
            place = Location(message=1, part=name, context=context)
            found = Segment(source=source.source, text=(text,), place=place)
            if kind is Kind.HTML:
                yield from out.run.html(replace(found, base=out.base), out.tally)
            else:
                yield found.document()
    for name, data in _attachments(message, out):
        files = out.open(name, [data])
        yield from files if context is None else in_context(files, context)


def _message(data: bytes, out: Segments) -> tuple[_Message | None, Storage | None]:
    """Return a message as the package reads it, and its streams; None, which is counted, for any other file."""
    try:
        if _SIGN not in data:
            root = read_compound(data)
            if root.name in root.damaged:
                raise BrokenInputError("compound file", "damaged", "its directory is cut: nobody knows what it holds")
            out.skip("out-of-scope", kind="office")
            return None, None
    except BrokenInputError as error:
        out.stopped(error)
        return None, None
    try:
        package = import_module("oxmsg")
    except ImportError:
        raise InputError("is an Outlook message: that needs the extra: pip install 'urisieve[msg]'") from None
    try:
        root = read_compound(data)
        if any(name.startswith(OF_MESSAGES) for name in (*root.streams, *(one.name for one in root.storages))):
            return package.Message(_as_package_has_it(root)), root
        out.skip("out-of-scope", kind="office")  # a message is embedded
    except MemoryError:
        raise
    except Exception as error:  # the package defines no exceptions for broken files
        out.fault("corrupt", f"not a readable Outlook message: {_reason(error)}", kind="outlook message")
    return None, None


# The name of each text, its kind, and how the name of its stream begins.
_PARTS: Final = (
    ("header", Kind.TEXT, "__substg1.0_007D"),
    ("header:Subject", Kind.TEXT, "__substg1.0_0037"),
    ("body", Kind.TEXT, "__substg1.0_1000"),
    ("html-body", Kind.HTML, "__substg1.0_1013"),
)


def _reason(error: Exception) -> str:
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
    if name.endswith(_ENDS_UNICODE):  # the package takes none of a text that is cut within a character
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
        if found.time_written is None and message.sent_date is not None:
            sent = message.sent_date.isoformat()
            found = found._replace(time=time_of_value(sent), time_written=sent)
    return found


def _attachments(message: _Message, out: Segments) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each file that is attached to a message."""
    for number, attachment in enumerate(message.attachments, 1):
        try:
            data = attachment.file_bytes
        except MemoryError:
            raise
        except Exception as error:  # as above
            out.fault("corrupt", f"attachment {number}: {_reason(error)}", kind="outlook attachment")
            continue
        if data is None:
            out.skip("not-a-file", kind="outlook attachment")  # an embedded message, or a mere reference
            continue
        try:
            given = attachment.file_name
        except MemoryError:
            raise
        except Exception:  # as above; what it is called matters less than what it holds
            given = None
        out.count("outlook attachment")
        yield shown_name((given or f"attachment {number}").encode("utf-8", "replace")), data


# ---- The texts and files in `winmail.dat` (MS-OXTNEF), and the compressed RTF in it (MS-OXRTFCP).

# Attributes (MS-OXTNEF 2.1.3).
_BODY, _TNEF_PROPERTIES, _CODE_PAGE = 0x2800C, 0x69003, 0x69007
_RENDERING, _TITLE, _DATA, _ATTACHED = 0x69002, 0x18010, 0x6800F, 0x69005
# Properties (MS-OXPROPS).
_TEXT_BODY, _RTF_BODY, _HTML_BODY, _OBJECT, _LONG_NAME = 0x1000, 0x1009, 0x1013, 0x3701, 0x3707
# The sizes of the values of types (MS-OXCDATA 2.11.1), each in whole words; others state their size.
_SIZES: Final = {2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4, 0x14: 8, 0x40: 8, 0x48: 16}
_STRING, _UNICODE, _OBJECT_TYPE, _BINARY = 0x1E, 0x1F, 0x0D, 0x102
_MANY: Final = 0x1000
_INTERFACE: Final = 16  # bytes of the identifier before an embedded object
_RTF_START: Final = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor "
    b"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n"
    b"\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_WINDOW: Final = 4_096


class TnefPart(NamedTuple):
    """A text or a file: its media type, the character set of a text, the name of a file, and its bytes."""

    media: str
    charset: str | None
    name: str | None
    data: bytes


class _Stream:
    def __init__(self, data: bytes) -> None:
        self._data = memoryview(data)
        self.offset = 0

    def take(self, size: int) -> bytes:
        taken = bytes(self._data[self.offset : self.offset + size])
        if len(taken) < size:
            raise ValueError("it ends early")
        self.offset += size
        return taken

    def number(self, size: int = 4) -> int:
        return int.from_bytes(self.take(size), "little")

    @property
    def left(self) -> int:
        return len(self._data) - self.offset

    def has_more(self) -> bool:
        return self.offset < len(self._data)


def tnef_parts(data: bytes) -> Iterator[TnefPart]:
    """Yield the bodies of a message in TNEF, then its attachments.

    Raises:
        ValueError: it is damaged; what came before is yielded.
    """
    stream = _Stream(data)
    stream.take(len(TNEF_SIGN) + 2)
    charset: str | None = None
    name: str | None = None
    held: bytes | None = None  # the data of a file, whose name comes behind it
    try:
        while stream.has_more():
            stream.take(1)
            attribute = stream.number()
            value = stream.take(stream.number())
            stream.take(2)  # a checksum
            if attribute == _CODE_PAGE:
                charset = f"cp{int.from_bytes(value[:4], 'little')}"
            elif attribute == _BODY:
                yield TnefPart("text/plain", charset, None, value.rstrip(b"\0"))
            elif attribute == _RENDERING:
                if held is not None:
                    yield TnefPart(FILE, None, name, held)
                name = held = None
            elif attribute == _TITLE:
                name = name or value.rstrip(b"\0").decode("cp1252", "replace")
            elif attribute == _DATA:
                held = value
            elif attribute in (_TNEF_PROPERTIES, _ATTACHED):
                for part in _properties(value, charset):
                    if part.media != FILE:
                        yield part
                    elif part.name is None:
                        held = part.data
                    else:
                        name = part.name
    except ValueError:
        if held is not None:
            yield TnefPart(FILE, None, name, held)
        raise
    if held is not None:
        yield TnefPart(FILE, None, name, held)


def _properties(data: bytes, charset: str | None) -> Iterator[TnefPart]:
    """Yield the texts, embedded objects and the name of a file among properties (MS-OXTNEF 2.1.3.4)."""
    stream = _Stream(data)
    for _ in range(stream.number()):
        kind, number = stream.number(2), stream.number(2)
        if number >= 0x8000:  # a named property: a GUID, and a number or a name
            stream.take(16)
            size = 4 if stream.number() == 0 else stream.number()
            stream.take(size + -size % 4)
        base = kind & ~_MANY
        is_sized = base in (_STRING, _UNICODE, _OBJECT_TYPE, _BINARY)
        if not is_sized and base not in _SIZES:
            raise ValueError(f"its property {number:04x} is of an unknown type")
        for _ in range(stream.number() if is_sized or kind & _MANY else 1):
            size = stream.number() if is_sized else _SIZES[base]
            value = stream.take(size)
            stream.take(-size % 4)
            if base == _UNICODE:
                value = value.decode("utf-16-le", "replace").encode("utf-8")
            encoding = "utf-8" if base == _UNICODE else charset
            if number == _TEXT_BODY:
                yield TnefPart("text/plain", encoding, None, value.rstrip(b"\0"))
            elif number == _HTML_BODY:
                yield TnefPart("text/html", "utf-8" if base == _UNICODE else None, None, value.rstrip(b"\0"))
            elif number == _RTF_BODY:
                yield TnefPart("text/rtf", charset, None, _expanded(value))
            elif number == _OBJECT:
                yield TnefPart(FILE, None, None, value[_INTERFACE:] if base == _OBJECT_TYPE else value)
            elif number == _LONG_NAME:
                name = value.rstrip(b"\0").decode("utf-8" if base == _UNICODE else "cp1252", "replace")
                yield TnefPart(FILE, None, name, b"")


def _expanded(data: bytes) -> bytes:
    """Return RTF that was compressed (MS-OXRTFCP 2.2); what is damaged ends it."""
    stream = _Stream(data)
    stream.take(4)
    size = stream.number()
    if stream.take(4) == b"MELA":
        return data[16:]
    stream.take(4)
    text = bytearray(_RTF_START)  # the dictionary is the last 4,096 bytes of it, blanks before its start
    size += len(text)
    while len(text) < size and stream.has_more():
        flags = stream.number(1)
        if not flags:
            text += stream.take(min(8, stream.left))
            continue
        for bit in range(8):
            if not stream.has_more():
                break
            if not flags >> bit & 1:
                text += stream.take(1)
                continue
            reference = int.from_bytes(stream.take(2), "big")
            distance = (len(text) - (reference >> 4)) % _WINDOW
            if not distance:
                return bytes(text[len(_RTF_START) :])
            begin, length = len(text) - distance, (reference & 15) + 2
            known = (
                bytes(text[begin : begin + length]) if begin >= 0 else b" " * min(length, -begin) + bytes(text[:length])
            )
            while len(known) < length:  # it overlaps with what it makes
                known += known[: length - len(known)]
            text += known[:length]
    return bytes(text[len(_RTF_START) :])
