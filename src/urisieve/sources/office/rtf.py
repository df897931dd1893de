"""Rich Text Format (RTF 1.9.1): text, notes, headers, and the links of fields.

Text is decoded by the code page that the document names, whatever the character set of its fonts.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from html import unescape

from urisieve.errors import InputError
from urisieve.lean import Final, dataclass
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document
from urisieve.sources.office.passages import Passages
from urisieve.sources.segments import Segments

_TOKEN: Final = re.compile(
    rb"""\\(?:(?P<word>[A-Za-z]{1,32})(?P<number>-?[0-9]{1,10})?[ ]?|'(?P<byte>[0-9A-Fa-f]{2})|(?P<sign>[^A-Za-z]))"""
    rb"""|(?P<brace>[{}])|[\r\n\0]++|(?P<text>[^\\{}\r\n\0]++)|\\""",
    re.DOTALL,
)
# A token that begins so many bytes before the end of a block waits for the next one.
_LONGEST_TOKEN: Final = 64
# Groups in one another; each takes some hundred bytes.
_DEEPEST: Final = 10_000

# Groups that are not read: for programs alone, pictures, what repeats a text for programs of old.
_SILENT: Final = frozenset(
    (  # noqa: SIM905
        "fonttbl colortbl stylesheet pict objdata objclass themedata colorschememapping datastore listtable "
        "listoverridetable listtext pntext revtbl rsidtbl generator xmlnstbl latentstyles nonshppict shprslt ud "
        "filetbl fontemb fontfile panose falt sn bkmkstart bkmkend atnid atnref atndate atrfstart atrfend private "
        "creatim revtim printim blipuid datafield svb passwordhash writereservhash protusertbl wgrffmtfilter pgdsctbl "
        "pgptbl defchp defpap mmathPr keycode objtime mhtmltag oldcprops oldpprops oldsprops oldtprops"
    ).split()
)
# Groups with a text of their own, in the middle of another one.
_PASSAGES: Final = frozenset(
    (  # noqa: SIM905
        "footnote annotation header headerl headerr headerf footer footerl footerr footerf shptxt title subject author "
        "keywords doccomm comment operator company manager category hlinkbase atnauthor template sv hlsrc hlfr hlloc "
        "propname staticval linkval"
    ).split()
)
# Those that begin with `\*` and are part of the text around them; others have a text of their own.
_STARRED: Final = frozenset(["fldinst", "shpinst"])
_BREAKS: Final = frozenset("par sect page row cell nestcell nestrow column".split())  # noqa: SIM905
_TEXTS: Final = {
    **dict.fromkeys(["emspace", "enspace"], " "),
    "line": "\n",
    "tab": "\t",
    "emdash": "—",
    "endash": "–",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
}
# Signs; `\-` and `\|` show nothing.
_SIGNS: Final = {b"~": "\xa0", b"_": "-", b"\\": "\\", b"{": "{", b"}": "}"}
# Bytes and units of text that wait to be decoded.
_MOST_WAITING: Final = 65_536
_MOST_SKIPPED: Final = 16
_UTF_8: Final = 65_001  # as a code page


@dataclass(slots=True)
class _RtfGroup:
    r"""A group that is open.

    Attributes:
        skips: how many characters repeat the one of `\\u` before them (`\uc`).
        is_silent: whether it is not read.
        name: its destination, if that ends something: a field or a passage.
        field: the location of the text around it.
        mark: how far the instruction around it has come, if it is in one.
    """

    skips: int = 1
    is_silent: bool = False
    name: str = ""
    field: str = ""
    mark: int | None = None


def read(source: Content, out: Segments) -> Iterator[Document | None]:
    """Read the texts and links of a document.

    Yields:
        documents whose `place.field` is the kind of the text (`footnote`), none in the running text, and `HYPERLINK` of
        the link of a field.

    Raises:
        InputError: reading fails.
    """
    return _RtfReader(Passages(out, out.base)).documents(source.blocks)


class _RtfReader:
    """One pass over a document."""

    def __init__(self, passages: Passages) -> None:
        self._passages = passages
        self._groups = [_RtfGroup()]
        self._codec = "cp1252"
        self._bytes = bytearray()  # text that waits to be decoded
        self._units: list[int] = []  # of UTF-16, likewise
        self._skip = 0  # characters to be left out
        self._raw = 0  # bytes to be left out
        self._is_starred = False  # whether `\*` is before the next word

    def documents(self, blocks: Iterable[bytes]) -> Iterator[Document | None]:
        passages = self._passages
        buffer = b""
        try:
            for block in blocks:
                buffer += block
                buffer = buffer[self._read(buffer, len(buffer) - _LONGEST_TOKEN) :]
                yield None
                if len(self._groups) > _DEEPEST:
                    passages.out.fault("nested-too-deep", f"more than {_DEEPEST:,} groups deep")
                    break
            else:
                self._read(buffer, len(buffer))
                if len(self._groups) > 1:
                    passages.out.fault("truncated", "ends within a group")
        except InputError:
            self._read(buffer, len(buffer), is_cut=True)
            self._decode()
            passages.cut()
            passages.end()
            yield None
            raise
        self._decode()
        while passages.outer:
            passages.end()
        passages.end()
        yield None

    def _read(self, data: bytes, end: int, *, is_cut: bool = False) -> int:
        """Read the tokens that begin before an end; return the offset after them.

        A word that touches a cut is not read: it may have been longer.
        """
        at = min(self._raw, max(0, end))
        self._raw -= at
        while at < end and not self._raw and len(self._groups) <= _DEEPEST:
            token = _TOKEN.match(data, at)
            assert token is not None  # each byte is one
            if is_cut and token.end() == len(data) and token.lastgroup != "text":
                break
            at = token.end()
            match token.lastgroup:
                case "text":
                    self._take(token["text"])
                case "byte":
                    self._take(bytes.fromhex(token["byte"].decode()))
                case "sign":
                    self._sign(token["sign"])
                case "word" | "number":
                    number = token["number"]
                    self._word(token["word"].decode(), None if number is None else int(number))
                    left = min(self._raw, max(0, len(data) - at))
                    at, self._raw = at + left, self._raw - left
                case "brace":
                    self._decode()
                    if self._groups[-1].name == "docvar":  # its name and its value
                        self._passages.flush()
                    if token["brace"] == b"{":
                        group = self._groups[-1]
                        self._groups.append(_RtfGroup(group.skips, group.is_silent))
                    elif len(self._groups) > 1:
                        self._close(self._groups.pop())
        return at

    def _close(self, group: _RtfGroup) -> None:
        passages = self._passages
        self._skip = 0
        if group.name == "field":
            passages.end_field()
        elif group.mark is not None:
            passages.aside(group.mark, group.name)
        elif group.name:
            if group.name == "htmltag" and passages.pieces:  # HTML (MS-OXRTFEX)
                texts = passages.pieces[-1].texts
                texts[:] = [unescape("".join(texts))]
            passages.end()
            passages.field = group.field

    def _take(self, text: bytes) -> None:
        """Take bytes of text."""
        skipped = min(self._skip, len(text))
        self._skip -= skipped
        if not self._groups[-1].is_silent and len(text) > skipped:
            if self._units:
                self._decode()
            self._bytes += text[skipped:]
            if len(self._bytes) > _MOST_WAITING:
                self._decode()

    def _decode(self) -> None:
        """Pass on the text that waits."""
        if self._bytes:
            self._passages.put(self._bytes.decode(self._codec, "replace"))
            self._bytes.clear()
        if self._units:
            units = b"".join(unit.to_bytes(2, "little") for unit in self._units)
            self._passages.put(units.decode("utf-16-le", "replace"))
            self._units.clear()

    def _put(self, text: str) -> None:
        if self._skip:
            self._skip -= 1
        elif not self._groups[-1].is_silent:
            self._decode()
            self._passages.put(text)

    def _sign(self, sign: bytes) -> None:
        if sign == b"*":
            self._is_starred = True
        elif sign in b"\r\n":
            self._break()
        elif sign in _SIGNS:
            self._put(_SIGNS[sign])

    def _break(self) -> None:
        if not self._groups[-1].is_silent:
            self._decode()
            self._passages.flush()

    def _word(self, word: str, number: int | None) -> None:
        group = self._groups[-1]
        is_starred, self._is_starred = self._is_starred, False
        if word == "bin":
            self._raw = max(0, number or 0)
        elif word == "uc":
            group.skips = min(max(0, number or 0), _MOST_SKIPPED)
        elif group.is_silent:
            group.is_silent = word != "picprop"  # of a picture, may hold a link
        elif word == "u" and number is not None:
            if self._bytes:
                self._decode()
            # The second half of a pair (RFC 2781 2.1) is decoded with the first.
            if len(self._units) >= _MOST_WAITING + (number & 0xFC00 == 0xDC00):
                self._decode()
            self._units.append(number & 0xFFFF)
            self._skip = group.skips
        elif word in _BREAKS:
            self._break()
        elif word in _TEXTS:
            self._put(_TEXTS[word])
        elif word == "ansicpg":
            self._codec = _codec(number)
        elif word in _SILENT:
            group.is_silent = True
            if word == "objdata":
                self._passages.out.skip("embedded", kind="rtf object")
        elif word == "field":
            group.name = word
            self._passages.begin_field()
        elif word == "fldrslt":
            self._passages.separate()
        elif not group.name and (word in _PASSAGES or (is_starred and word not in _STARRED)):
            passages = self._passages
            self._decode()
            group.name, group.field = word, passages.field
            group.mark = None if word in _PASSAGES else passages.mark()
            if group.mark is None:
                passages.begin()
                passages.field = word


def _codec(page: int | None) -> str:
    """Return the codec of a code page of Windows, that of Western Europe for one that is not known."""
    name = "utf-8" if page == _UTF_8 else f"cp{page}"
    try:
        codecs.lookup(name)
    except LookupError:
        return "cp1252"
    return name
