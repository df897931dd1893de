"""Mail addresses without `mailto:`: their local part, what is around them, and what only looks like one.

A local part is a dot-atom (RFC 5322 3.4.1) with letters of any script (RFC 6531 3.3). All functions here look at a
bounded number of characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from urisieve.find.delimited import after_escapes, ends_escape
from urisieve.find.ends.unspaced import is_complete
from urisieve.find.finder.schemeless import is_version
from urisieve.find.pivots import SCHEME_CHARACTERS, WantedSchemes
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.quick_enums import Enum
from urisieve.rules.registry import top_level_domains
from urisieve.syntax.characters import WRAPPERS, is_of_word, script_change

# The characters of RFC 5322 atext; 64 octets are the limit of RFC 5321 4.5.3.1.1.
_ATEXT: Final = SCHEME_CHARACTERS + "_%&'=!#$*/?^`{|}~"
LOCAL_LIMIT: Final = 64
# A longer run of them is read by so many more, since marks that are not part of it may be before.
_MARKS_BEFORE: Final = 2
# Characters of atext that are around an address more often than in it.
_AROUND: Final = "!#$%&'*+-/=?^`{|}~."
# The openers among the characters of a local part, by their closers.
_OPENERS: Final = {closer: opener for opener, closer in WRAPPERS.items() if opener in _ATEXT}
# The folder of a user in which lists are kept: `~user/list@lists.example`.
_FOLDER: Final = lazy_compile(r"[A-Za-z0-9._\-]++/")
# The name of a field and an equals sign, as in logfmt and in queries, before the rest of a local part.
_FIELD: Final = lazy_compile(rf"(?:.*[&?|{{])?[^\W\d_][\w.\-]*=[{re.escape(_AROUND)}]*([^=]+)")
# Up to three words with colons directly before an address, `INFO:main:joe@e.example`; not in a link, a path or the
# value of a field. No word that is a scheme or a user is longer.
_WORDS: Final = lazy_compile(r"(?<![\w.+\-:/@\\%&=?#~$])((?:[\w.+\-]{1,32}:){1,3})\Z")
_WORDS_LIMIT: Final = 99
# A user of SIP and the beginning of a password that is not encoded, `sip:app:half"rest@h.example`, and no port: what
# follows is the rest of the password. A blank or a line feed ends it.
_HALF_OF_SIP: Final = lazy_compile(
    r"(?<![\w.+\-])[Ss][Ii][Pp][Ss]?:(?!//)[^\s@:]+:(?![0-9]*+(?:[\s;,)>]|\Z))[^\s@]*[\r\x0B\x0C\x1C-\x1F\x85\u2028\u2029\"<>\[\]\\]\Z"
)
# The words that name an address: fields of mail, and others.
_FIELDS_OF_MAIL: Final = frozenset(
    (  # noqa: SIM905 - one string reads better than fifteen
        "bcc cc contact correo courriel e-mail e-mails email emails from kontakt mail reply-to return-path sender to"
    ).split()
)
# The words that name a user, before a colon and a password.
_USERS: Final = frozenset(
    "admin administrator anonymous guest login pass passwd password pw root uid user username usr".split()  # noqa: SIM905
)
# A local part that is no password: a name.
_PLAIN_LOCAL: Final = lazy_compile(r"[\w.+\-']+")
# The endings of files, and of versions, that are after an at-sign.
_ENDINGS: Final = frozenset(
    (  # noqa: SIM905 - one string reads better than a hundred
        "7z alpha apk asp aspx avi avif avro bak bat beta bib bin bmp bz2 c cfg cgi class cmd conf cpp cs csproj "
        "css csv cxx dart db deb diff dll dmg doc docx dylib eml eot eps epub exe f90 final flac gem gif git go "
        "gradle gz h hpp hs htm html ico ics img ini ipynb iso jar jpeg jpg js json jsonl jsp jsx kt less lock log "
        "lua lz4 m4a m4v mbox mjs mkv mp3 mp4 mpeg msg msi nupkg odp ods odt ogg old orig otf parquet patch pdf pem "
        "php pkg pkl png pom ppt pptx pre proto psd pyc pyd r rar rb rc rpm rst rtf scala scss sh snap snapshot sql "
        "sqlite svg swift tar tex tgz tif tiff tmp toml ts tsv tsx ttf txt vue war wav webm webp whl wmv woff woff2 "
        "x xhtml xls xlsx xml xsd xsl xz yaml yml zst"
    ).split()
)
# After a host: a colon, and what is no text: a path, a module of rsync, a line and a column, a file.
_PLACE: Final = lazy_compile(
    r":(?::\w|~?/|\.{1,2}/|[0-9]{1,7}:[0-9]|[\w.~%+@\-]{1,64}/"
    r"|(?=[\w.+\-]{1,64}(?![\w.+\-@]))(?:[\w+\-]+\.)+([A-Za-z0-9]+)(?![\w.+\-]))"
)
# What of it the end of the text may cut, and one character more.
_CUT_PLACE: Final = lazy_compile(r":[\w.~%+@:\-]{0,66}\Z")


# After a question mark that ends a sentence, and is no beginning of a query.
_AFTER_SENTENCE: Final = frozenset("\"')]}>.,;:!?*_”’»")
# The schemes of the web.
_WEB: Final = ("http", "https", "ftp")


class Before(Enum):
    """The kinds of text directly before a local part."""

    TEXT = "text"
    """Nothing that belongs to it."""
    WORD = "word"
    """A word and a colon, which may be a user before a password if what follows the host states so."""
    OTHER = "other"
    """What makes it part of something else."""


class LocalPart(NamedTuple):
    """The local part of an address.

    Attributes:
        start: where it begins.
        longest: where it begins if text that is directly before it is part of it; else `start`.
        before: what is before that.
    """

    start: int
    longest: int
    before: Before


def local_run(text: str, first: int, end: int) -> int:
    """Return where the characters before `end` begin that a local part may have, not before `first`."""
    start = first + len(text[first:end].rstrip(_ATEXT))
    while start > first and text[start - 1] > "\x7f" and is_of_word(text[start - 1]):
        start = first + len(text[first : start - 1].rstrip(_ATEXT))
    return start


def local_part(text: str, at: int, floor: int, is_scheme: Callable[[str], bool]) -> LocalPart | None:
    """Return the local part before an `@`, or None.

    It does not begin before Latin letters that follow a word of another script (`почтаinfo`), nor with the marks that
    are around addresses.

    Args:
        text: the text around it.
        at: the offset of the `@`.
        floor: the end of the previous candidate.
        is_scheme: reports whether a name is one of a scheme.
    """
    first = max(floor, at - LOCAL_LIMIT - _MARKS_BEFORE)
    first += after_escapes(text[first:at])
    run = local_run(text, first, at)
    begin = script_change(text, run, at, _AROUND)
    start = _after_marks(text, begin, at)
    if not _is_local(text[start:at]):
        return None
    longest = start if begin == run else _after_marks(text, run, at)
    before = _before(text, longest, at, floor, is_scheme)
    return None if before is Before.OTHER else LocalPart(start, longest, before)


def _after_marks(text: str, start: int, at: int) -> int:
    """Return where a local part begins after the marks around it; `~user/` before a list is part of it."""
    behind = at - len(text[start:at].lstrip(_AROUND))
    if text[behind - 1 : behind] == "~" and behind > start and _FOLDER.match(text, behind, at):
        return behind - 1
    return behind


def _is_local(local: str) -> bool:
    """Report whether some characters are a dot-atom that is not too long."""
    return local != "" and local[-1] != "." and ".." not in local and is_within_limit(local)


def is_within_limit(local: str) -> bool:
    """Report whether a local part has at most 64 octets."""
    return len(local) <= LOCAL_LIMIT and (local.isascii() or len(local.encode("utf-8", "replace")) <= LOCAL_LIMIT)


def _before(text: str, start: int, at: int, floor: int, is_scheme: Callable[[str], bool]) -> Before:
    """Return what is directly before a local part."""
    if start <= floor or ends_escape(text, start):
        return Before.TEXT
    before = text[start - 1]
    if before == ":":
        return _before_colon(text, start, at, floor, is_scheme)
    if _HALF_OF_SIP.search(text, max(floor, start - _WORDS_LIMIT), start) is not None:
        return Before.OTHER
    # A path, a user or a community of another service: `@joe@e.example`, `!c@e.example`; but `Write!joe@e.example`.
    is_other = before in "/@" or (before == "!" and not text[max(0, start - 2) : start - 1].isalnum())
    return Before.OTHER if is_other else Before.TEXT


def _before_colon(text: str, start: int, at: int, floor: int, is_scheme: Callable[[str], bool]) -> Before:
    """Return whether the words before a colon are text, or may be a user, or a scheme."""
    if start - 1 > floor and text[start - 2] > "\x7f" and is_of_word(text[start - 2]):
        return Before.TEXT  # neither a scheme nor a user has such letters
    found = _WORDS.search(text, max(floor, start - _WORDS_LIMIT), start)
    words = [] if found is None else found[1].lower().split(":")[:-1]
    if not words or any(is_scheme(word) or word in _USERS for word in words):
        return Before.OTHER
    if words[-1] in _FIELDS_OF_MAIL:
        return Before.TEXT
    return Before.WORD if _PLAIN_LOCAL.fullmatch(text, start, at) else Before.OTHER


@cache
def endings_of_files() -> frozenset[str]:
    """Return the endings of files that are no top-level domains: no domain of an address has one."""
    return _ENDINGS - top_level_domains()


def is_host_of_address(name: str) -> bool:
    """Report whether a name may be the domain of an address: no file (`image@2x.png`), no version (`foo@2.0.rc`)."""
    last = name[name.rindex(".") + 1 :].lower()
    return last not in endings_of_files() and not is_version(name)


def before_link(text: str, start: int, limit: int, wanted: WantedSchemes, *, final: bool) -> int | None:
    """Return where the run of a host ends before a link of the web, as in `info@example.ruhttps://a.example/`.

    Args:
        text: the text around it.
        start: where the run begins.
        limit: where it ends otherwise.
        wanted: the schemes that count.
        final: whether the text is complete.

    Returns:
        None if more text is needed.
    """
    if text[limit : limit + 1] != ":" or not text.startswith(tuple("pPsS"), limit - 1):
        return limit
    if not final and "://".startswith(text[limit : limit + 3]) and len(text) < limit + 3:
        return None
    scheme = wanted.name_before(text, limit, start) if text.startswith("://", limit) else None
    if scheme is None or scheme.lower() not in _WEB:
        return limit
    return max(start, limit - len(scheme))


def is_on_host(text: str, end: int, host: str, before: Before, *, final: bool) -> bool | None:
    """Report whether what looks like an address is a user on a host, by what directly follows the host.

    `git@github.com:a/b.git`, `foo@bar.rs:12:3`; after a word and a colon also a port, any path or another at-sign, as
    after `user:password@host.example`.

    Args:
        text: the text around it.
        end: where the name of the host ends.
        host: that name.
        before: what is before the local part.
        final: whether the text is complete.

    Returns:
        None if more text is needed.
    """
    behind = text[end : end + 1]
    if behind == ":":
        if not final and _CUT_PLACE.match(text, end) is not None:
            return None
        if before is Before.WORD and text[end + 1 : end + 2].strip():
            return True
    elif before is Before.TEXT:
        return False
    elif behind in ("?", "#"):
        after = text[end + 1 : end + 2]
        if after == "" and not final:
            return None
        if after.strip() and after not in _AFTER_SENTENCE:
            return True
    if before is Before.WORD and (behind in ("/", "@") or not is_complete(host)):
        return True
    place = _PLACE.match(text, end)
    return place is not None and (place[1] is None or place[1].lower() in _ENDINGS)


def address_start(text: str, start: int, at: int, end: int) -> int:
    """Return where the address begins that ends at `end` and whose longest local part begins at `start`.

    What is before it is atext too: a quotation mark or brace that opens before it and closes right after it, and
    the name of a field (`user=joe@e.example`). A name with `=` before a domain stays whole, since lists write so to
    whom they sent (`joe=e.example@list.example`), and one with several `=`, as a relay does that rewrites addresses.
    """
    return _after_opener(text, start, at, end) or _after_field(text, start, at) or start


def _after_opener(text: str, start: int, at: int, end: int) -> int | None:
    """Return the offset after the last opener in a local part whose closer is directly after the address."""
    openers = _OPENERS.get(text[end : end + 1])
    if openers is not None:
        for index in range(at - 2, start - 1, -1):
            if text[index] in openers and not text[index - 1 : index].isalnum():
                return index + 1
    return None


def _after_field(text: str, start: int, at: int) -> int | None:
    """Return the offset after the name of a field and its equals sign in a local part."""
    field = _FIELD.fullmatch(text, start, at) if text.find("=", start, at) >= 0 else None
    if field is None or ("." in field[1] and is_complete(field[1])):
        return None
    return field.start(1)
