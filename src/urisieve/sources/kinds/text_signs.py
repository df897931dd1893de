"""The signs of kinds of text: the beginnings of markup, JSON, archives of the web, content lines and mail.

A sign is a function that a row of the table of kinds names. It examines a `Beginning` and returns the kind, False for
none of its kinds, or True if that depends on what follows. In any doubt it is none: prose that contains commas, a log
line in brackets or a source file must stay text. A name that promises a kind settles the doubt if the content allows
it.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from functools import cache

from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.sources.kinds.kind_table import Kind, ReaderRow


class Beginning:
    """The beginning of a text, in UTF-8.

    Attributes:
        head: the first bytes, without NULs and without a byte order mark.
        header: more of them, if they are a header of mail that goes on.
        start: the same without white space before it.
        hint: the kind that its name promises.
        is_open: whether more bytes may follow that count.
        is_whole: whether the text ends with these bytes, as far as is known.
        is_live: whether the text may come slowly, so that as few bytes as possible decide.
    """

    __slots__ = ("head", "hint", "is_live", "is_open", "is_whole", "start")

    def __init__(
        self, head: bytes, hint: ReaderRow | None, *, is_open: bool, is_whole: bool, is_live: bool = False
    ) -> None:
        self.head = head.replace(b"\0", b"").removeprefix(BOM_UTF8)
        self.start = self.head.lstrip(_BLANKS)
        self.hint = hint
        self.is_open = is_open
        self.is_whole = is_whole
        self.is_live = is_live


_BLANKS: Final = b" \t\r\n\f\v\0\x1e"


# ---------------------------------------------------------------- content lines


def content_line_sign(at: Beginning) -> Kind | bool:
    """Decide about cards (RFC 6350 6.1.1), calendars (RFC 5545 3.4) or parts of one, and LDIF (RFC 2849)."""
    is_component = component_sign(at.start, is_open=False)
    return component_sign(at.start, is_open=at.is_open) if is_component else _ldif(at)


def component_sign(start: bytes, *, is_open: bool) -> Kind | bool:
    """Decide whether a text begins with a card, a calendar or a part of one."""
    component = _COMPONENT.match(start) if start[:7].upper() == b"BEGIN:V" else None
    if component is None:
        return is_open and b"\n" not in start and b"BEGIN:V".startswith(start[:7].upper())
    if is_open and not component[0].endswith(b"\n"):
        return True
    return Kind.VCARD if start[7:11].upper() == b"CARD" else Kind.CALENDAR


_COMPONENT: Final = lazy_compile(
    rb"BEGIN:V(?:CALENDAR|CARD|EVENT|TODO|JOURNAL|FREEBUSY|ALARM|TIMEZONE|AVAILABILITY)[ \t]*(?:\r*\n|\Z)", re.I
)
# The first lines that say so, and the name of an entry (RFC 4514), which may be empty or in base64.
_LDIF_SIGNS: Final = (b"# extended LDIF", b"# LDIF", b"version: 1")
_LDIF_FIRST: Final = (b"", b"#", b"D", b"d", b"v")
_ENTRY: Final = lazy_compile(rb"dn:(?:[ ]*[A-Za-z][A-Za-z0-9.-]*[ ]*=|:[ ]*[A-Za-z0-9+/=]+$|$)", re.I)
_BEGUN_ENTRY: Final = lazy_compile(rb"d(?:n(?::.*)?)?", re.I | re.S)
_ATTRIBUTE: Final = lazy_compile(rb"[A-Za-z][A-Za-z0-9.;_-]*:(?!//)")


def _ldif(at: Beginning) -> Kind | bool:
    """Decide about LDIF: the name of an entry, then an attribute; comments may come first with a sign, or by name."""
    start, is_named = at.start, at.hint is Kind.LDIF
    if not is_named and start[:1] not in _LDIF_FIRST:
        return False
    is_signed = is_named or start.startswith(_LDIF_SIGNS)
    *lines, last = start.split(b"\n")
    is_begun = False
    for line in lines:
        line = line.rstrip(b"\r")
        if is_begun and not line.startswith(b" "):
            return Kind.LDIF if _ATTRIBUTE.match(line) else False
        if not is_begun:
            is_begun = _ENTRY.match(line) is not None
            if not is_begun and not (is_signed and (not line or line.startswith((b"#", b" ", *_LDIF_SIGNS)))):
                return False
    may_begin = _BEGUN_ENTRY.fullmatch(last) is not None or any(sign.startswith(last) for sign in _LDIF_SIGNS)
    return at.is_open and (is_begun or may_begin or (is_signed and last.startswith((b"#", b" "))))


# ---------------------------------------------------------------- bibliographies

# An entry with its key and the name of its first field, or a part of BibTeX's own.
_ENTRY_OF_BIBTEX: Final = (
    rb"@(?:[A-Za-z]{1,40}[ \t]*+\{\s*+[^\s,{}()\"#%']{1,200}\s*+,\s*+[A-Za-z][A-Za-z0-9_\-]{0,60}\s*+="
    rb"|(?i:string|preamble|comment)[ \t]*+\{)"
)
_AN_ENTRY: Final = lazy_compile(_ENTRY_OF_BIBTEX)
_ENTRY_OF_LINE: Final = lazy_compile(rb"^[ \t]*+%b" % _ENTRY_OF_BIBTEX, re.M)
_BEGUN_ENTRY_OF_BIBTEX: Final = lazy_compile(
    rb"@[A-Za-z]{0,40}(?:[ \t]++(?:\{|\Z)|\{|\Z)\s*+(?:[^\s,{}()\"#%']{1,200}\s*+"
    rb"(?:,\s*+(?:[A-Za-z][A-Za-z0-9_\-]{0,60}\s*+)?)?)?\Z"
)


def bibtex_sign(at: Beginning) -> Kind | bool:
    """Decide about bibliographies of BibTeX; where the name promises one, text may be before the first entry."""
    if at.hint is Kind.BIBTEX:
        return Kind.BIBTEX if _ENTRY_OF_LINE.search(at.head) else at.is_open
    if at.start[:1] != b"@":
        return False
    return Kind.BIBTEX if _AN_ENTRY.match(at.start) else at.is_open and bool(_BEGUN_ENTRY_OF_BIBTEX.match(at.start))


# ---------------------------------------------------------------- mail

# The characters that the name of a header field cannot hold (RFC 5322 2.2).
_NO_NAME: Final = b" \t\r\n"
_LONGEST_NAME: Final = 100
# What a name may promise of which lines of another kind may be above.
TABLES: Final = (Kind.CSV, Kind.TSV)
MAIL: Final = (Kind.MAIL, Kind.MBOX)


def mail_sign(at: Beginning) -> Kind | bool:
    """Decide about mailboxes and messages; one field is enough if the name says so."""
    is_named = at.hint in MAIL
    if at.hint in TABLES or not (is_named or _begins_like_mail(at.start, whole=not at.is_open)):
        return False
    # Its patterns are made when the first text comes that may be mail.
    from urisieve.sources.kinds.mail_signs import mail_kind

    return mail_kind(at.head, is_open=at.is_open, is_named=is_named)


def may_be_header(head: bytes) -> bool:
    """Report whether a text may begin with a header of mail."""
    return _begins_like_mail(Beginning(head, None, is_open=True, is_whole=False).start, whole=False)


def _begins_like_mail(start: bytes, *, whole: bool) -> bool:
    """Report whether a message may begin so: with an envelope, a field, or a line without a colon before a field."""
    if start.startswith((b"From ", b"BABYL OPTIONS:")):
        return True
    line, _, rest = start.partition(b"\n")
    if b":" in line:
        return _begins_with_field(line)
    second, ended, _ = rest.partition(b"\n")
    if second[:1] in (b" ", b"\t"):
        return True
    name, colon, _ = second.partition(b":")
    return name not in (b"http", b"https") and _is_name(name) if colon else not (ended or whole)


def _begins_with_field(line: bytes) -> bool:
    name, colon, value = line[:_LONGEST_NAME].partition(b":")
    return colon != b"" and not value.startswith(b"//") and _is_name(name)  # `//` is that of a URI


def _is_name(name: bytes) -> bool:
    name = name.rstrip(b" \t")
    return bool(name) and name.translate(None, _NO_NAME) == name


# ---------------------------------------------------------------- archives of the web


# Its first line, and one of its fields among the next lines, unless the text ends before.
_WARC: Final = lazy_compile(
    rb"WARC/[01]\.[0-9]{1,2}\r?\n(?:(?:[^\n]++\n){0,9}?(WARC-[a-z-]++|Content-Length)[ \t]*+:"
    rb"|(?>[a-z-]++:[^\n]*+\n){0,9}[^\n]*+\Z)",
    re.I,
)


def warc_sign(at: Beginning) -> Kind | bool:
    """Decide about archives of the web."""
    if not at.start.startswith(b"WARC/"):
        return False
    found = _WARC.match(at.start)
    if found is not None and (found[1] or not at.is_open):
        return Kind.WARC
    return at.is_open or Kind.TEXT


# ---------------------------------------------------------------- HTML and XML


@cache
def _tag() -> re.Pattern[bytes]:
    """The beginning of HTML or XML, but not `<http:`."""
    start, more = rb"[A-Za-z_\x80-\xff]", rb"[-A-Za-z0-9._\x80-\xff]*+"
    return re.compile(rb"<(?:[!?]|%b%b(?:\Z|(?::%b%b|:(?=\Z))?(?:[\s/>]|\Z))|\Z)" % (start, more, start, more))


@cache
def _html() -> tuple[re.Pattern[bytes], re.Pattern[bytes], re.Pattern[bytes]]:
    comments = rb"(?><!--(?:(?!-->).){0,3000}-->\s*+)*+"
    return (
        re.compile(
            rb"%b<(?:!doctype (?:html|netscape-bookmark-file-1)|html|head|body|title|script|style|meta|table|div|iframe"
            rb"|font|h1|br|p|a|b)[\s/>]" % comments,
            re.IGNORECASE | re.DOTALL,
        ),
        # XHTML.
        re.compile(
            rb"<\?xml[^>]{0,200}>\s*+%b<(?:!doctype html|html|[a-z0-9]{1,10}\s[^<>]{0,500}"
            rb"xmlns=[\"']http://www\.w3\.org/1999/xhtml)[\s/>\"']" % comments,
            re.IGNORECASE | re.DOTALL,
        ),
        re.compile(rb"<(?:!--|[a-z][a-z0-9]{0,20}[\s/>])", re.IGNORECASE),
    )


@cache
def _page() -> re.Pattern[bytes]:
    """The beginning of a page below other lines, which may show but a tag."""
    return re.compile(rb"<(?:!doctype (?:html|netscape-bookmark-file-1)|html|head|body)[\s/>]", re.IGNORECASE)


def starts_page(start: bytes) -> bool:
    """Report whether a text begins with a tag that only pages begin with, and no piece of HTML."""
    return _page().match(start) is not None


_ANY_TAG: Final = lazy_compile(rb"<(?:!--|!doctype\s|/?[a-z][a-z0-9]{0,20}(?:\s[^<>]{0,2000})?/?>)", re.I)


def has_tag(head: bytes) -> bool:
    """Report whether there is a tag of HTML anywhere in a text."""
    return _ANY_TAG.search(head) is not None


def may_be_tag(start: bytes) -> bool:
    """Report whether a text may begin with a tag, its end being cut."""
    return _tag().match(start) is not None


def markup_sign(at: Beginning) -> Kind | bool:
    """Decide about HTML and XML."""
    if at.start[:1] != b"<":
        return False
    if at.is_open:
        return may_be_tag(at.start) or Kind.TEXT
    return markup_of(at.start, at.hint) or Kind.TEXT


def markup_of(start: bytes, hint: ReaderRow | None, *, is_below: bool = False) -> Kind | None:
    """Return whether a text begins with HTML or XML; `is_below` is whether something is above it in its file."""
    html, xhtml, tag = _html()
    if (_page() if is_below else html).match(start) or xhtml.match(start):
        return Kind.HTML
    # A declaration, a document type, or a root that has a namespace; any tag is enough if the name says so.
    declared, root, element = _xml()
    if declared.match(start) or root.match(start) or (hint is Kind.XML and element.match(start)):
        return Kind.XML
    return Kind.HTML if hint is Kind.HTML and tag.match(start) else None


# The roots of documents found without a declaration.
_ROOTS: Final = (
    rb"rss|feed|urlset|sitemapindex|svg|rdf:RDF|OAI-PMH|opml|kml|gpx|TEI|mods|modsCollection|marc:collection|atom:feed"
    rb"|soap:Envelope|SOAP-ENV:Envelope|plist|manifest|resources"
)


@cache
def _xml() -> tuple[re.Pattern[bytes], re.Pattern[bytes], re.Pattern[bytes]]:
    part = rb"[A-Za-z_\x80-\xff][-A-Za-z0-9_.\x80-\xff]*+"
    name = rb"%b(?>:%b)?" % (part, part)  # a QName (Namespaces in XML 1.0, 4), so that `<urn:a:b>` is none
    return (
        re.compile(rb"<\?xml\s++version\s*+="),
        re.compile(
            rb"(?><!--(?:(?!-->).){0,3000}-->\s*+|<\?%b[^>]{0,500}>\s*+)*+"
            rb"(?:<!DOCTYPE\s++(?!html[\s>])%b|<(?:%b)[\s/>]|<%b\s[^<>]{0,2000}?\bxmlns(?::%b)?\s*=)"
            % (name, name, _ROOTS, name, name),
            re.DOTALL,
        ),
        re.compile(rb"<(?:[?!]|%b(?:\s++%b\s*+=\s*+[\"']|\s*+/?>))" % (name, name)),
    )


# ---------------------------------------------------------------- JSON


def json_sign(at: Beginning) -> Kind | bool:
    """Decide about JSON and JSON lines."""
    start, hint = at.start, at.hint
    is_named = hint is Kind.JSON or hint is Kind.JSONL
    if start[:1] not in _JSON_OPENERS and not (is_named and start[:1] == b'"'):
        return False
    found = json_start(start)
    if at.is_open and found.possible and not found.settled:
        return True
    if not (found.possible and (found.telling or is_named)):
        return Kind.TEXT
    lines = hint is Kind.JSONL if found.lines is None else found.lines and hint is not Kind.JSON
    return Kind.JSONL if lines else Kind.JSON


_JSON_OPENERS: Final = (b"{", b"[")


class Json(NamedTuple):
    """The result of examining the beginning of a text that may be JSON.

    Attributes:
        possible: whether all of the beginning can be JSON.
        telling: whether it holds a construct of JSON alone: a member, or a string in a list (`[1]` may be a footnote).
        lines: whether its first line is a whole value (JSON lines); None as long as that line has not ended.
        settled: whether this stays so, whatever follows.
        is_faulty: whether it is JSON up to a fault only.
    """

    possible: bool
    telling: bool = False
    lines: bool | None = None
    settled: bool = False
    is_faulty: bool = False


@cache
def _json_token() -> re.Pattern[bytes]:
    return re.compile(
        rb"""[ \t\r\n\x1e]*+(?:
        (?P<string>"(?>[^"\\]|\\.)*+")|(?P<open>[\[{])|(?P<close>[\]}])|(?P<mark>[,:])
        |(?P<scalar>(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null|NaN|-?Infinity)
        (?=[ \t\r\n,\]}]))
        |(?P<cut>"(?>[^"\\]|\\.)*+\\?\Z|[-+.0-9A-Za-z]++\Z|\Z))""",
        re.VERBOSE | re.DOTALL,
    )


def json_start(start: bytes) -> Json:
    """Examine whether a text with this beginning is JSON (RFC 8259).

    A fault does not make it another kind if a member of an object or an escaped slash comes before it: the
    reader reports the fault.

    Args:
        start: the first bytes, without white space before them.
    """
    token = _json_token().match
    opened = bytearray()  # the openers of the open objects and lists
    expects = "value"
    telling = False
    is_member = False
    offset = 0
    while True:
        found = token(start, offset)
        if found is None:
            return _faulty(start, offset, is_member)
        offset = found.end()
        kind, text = found.lastgroup, found[found.lastgroup or 0]
        if kind == "cut":
            return Json(True, telling)
        if kind == "string" and expects in ("key", "key or end"):
            expects = "colon"
            continue
        if kind in ("string", "scalar", "open") and expects in ("value", "value or end"):
            telling = telling or kind == "string"
            if kind == "open":
                opened += text
                expects = "key or end" if text == b"{" else "value or end"
                continue
        elif kind == "close" and expects.endswith("end") and opened[-1:] == _OPENERS[text]:
            del opened[-1]
        elif text == b":" and expects == "colon":
            telling = is_member = True
            expects = "value"
            continue
        elif text == b"," and expects == "comma or end":
            expects = "key" if opened[-1:] == b"{" else "value"
            continue
        else:
            return _faulty(start, found.start(), is_member)
        expects = "comma or end"
        if not opened:
            return _after_value(start, offset, telling, is_member)


_OPENERS: Final = {b"}": b"{", b"]": b"["}


def _faulty(start: bytes, offset: int, is_member: bool) -> Json:
    """Return the result for a text that is not JSON from an offset on."""
    if not is_member and start.find(b"\\/", 0, offset) < 0:
        return Json(False)
    first, _, rest = start.partition(b"\n")
    return Json(True, True, len(first.strip()) > 1 and rest[:1] in (b"{", b"["), bool(rest), True)


def _after_value(start: bytes, offset: int, telling: bool, is_member: bool) -> Json:
    """Examine the text after the first value: the end of its line, or the beginning of another value."""
    rest = start[offset:].lstrip(b" \t\r")
    one_line = b"\n" not in start[:offset]
    if not rest:
        return Json(True, telling, None if one_line else False)
    if rest[:1] == b"\n":
        return Json(True, telling, one_line, True)
    return Json(is_member or rest[:1] in (b"{", b"[", b"\x1e"), telling, False, True)
