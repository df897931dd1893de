"""The process that reads PDF files by the package `pypdfium2`: a fault in its C++ ends this process and no other one.

It runs as a script and imports nothing of this package. Its first line says that it can read: `{"ready": true}`. Each
line of its input is a request, a JSON object with the `path` of a file and the number of the `first` part; the parts of
a file are its pages, from 0 on, then the information about it, then each file in it. Each line of its output is a piece
of the answer, with the `seconds` of the processor since the one before:

- `{"pages": 3, "files": 1}`, how many there are,
- `{"part": 2, "text": ..., "links": [[target, shown], ...], "notes": [...], "fields": [...], "is_cut": false}` for a
  page, with `next` if there is more of it: what comes next,
- `{"part": 2, "links": ..., "fields": ..., "is_cut": false}` for where the fields of a page lead, and what they show,
  after that, with `next` too,
- `{"part": 3, "information": {...}, "links": [[target, shown], ...], "is_cut": false}`, the links of the outline,
- `{"part": 4, "name": ..., "data": bytes in base64}` for a file, also for one that is attached to a page, after that
  and with `next` too,
- `{"part": 2, "error": ...}` for a part that is broken,
- `{"error": reason, "message": ...}` if the file cannot be opened, or not all of it is read,
- `{"end": true}`.

Memory and processor time are limited by the system on Linux: it ends the process then. Elsewhere (Windows limits
nothing, macOS no memory) a thread looks at both ten times a second, as PDFium runs without the lock of the interpreter,
and ends the process; what takes all memory faster is not stopped. The process ends by itself when no request comes for
some seconds.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from threading import Thread, Timer
from typing import Any, ClassVar, Final

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# Seconds of the processor for a part: a dense page takes some hundredths of one.
PART_SECONDS: Final = 10
_IDLE_SECONDS: Final = 2
_MEMORY: Final = 2 * 1_073_741_824
# Seconds between two looks at time and memory.
_LOOK_SECONDS: Final = 0.1
_MOST_PAGES: Final = 65_536
# Characters of a page: of its text, and of the targets, the shown texts and the notes together.
_LONGEST_PAGE: Final = 4_194_304
_MOST_ANNOTATIONS: Final = 16_384
_LONGEST_NAME: Final = 1_024
_UTF_16_MARKS: Final = (b"\xfe\xff", b"\xff\xfe")
# Fields of a page that are clicked, or whose caption is looked for.
_MOST_CLICKED: Final = 1_024
# Seconds of the processor for the clicks on a page, fewer than a part has: one that sends the form costs as much as
# there are fields, 0.2 s for 9,000.
_CLICK_SECONDS: Final = 3
# Where a field is clicked, in units of a page: beside all pages.
_ASIDE: Final = 100_000
# How the text of a link begins that is a link by itself, and never the rest of one that a line break cuts.
_SIGN: Final = re.compile(r"\s*+(?:[a-z][a-z0-9+.-]*+://|www\.)", re.I)
# Characters that are looked through on a page to say what is shown for its links.
_MOST_LOOKED: Final = 33_554_432
_MOST_FILES: Final = 1_024
# What may come next of a page.
_CLICKED: Final = "where its fields lead, and what they show"
_FILE: Final = "a file attached to it"
_LONGEST_FILES: Final = 67_108_864


def main() -> None:
    """Answer the requests."""
    import pypdfium2
    from pypdfium2 import raw

    if resource is not None:
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_AS, _MEMORY)
    if sys.platform != "linux":
        Thread(target=_watch, daemon=True).start()
    _say({"ready": True})
    idle = _ending_when_idle()
    for line in sys.stdin:
        idle.cancel()
        request = json.loads(line)
        begin = _allow_time()
        try:
            for answer in _answers(pypdfium2, raw, request["path"], request["first"]):
                begin, before = _allow_time(), begin
                _say({**answer, "seconds": begin - before})
        except pypdfium2.PdfiumError as error:
            is_locked = getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD
            reason = "encrypted" if is_locked else "corrupt"
            _say({"error": reason, "message": str(error)})
        except (OSError, RuntimeError, ValueError, MemoryError) as error:
            _say({"error": "corrupt", "message": f"{type(error).__name__}: {error}"})
        idle = _ending_when_idle()
        _say({"end": True})


def _limit(what: int, most: int) -> None:
    """Limit this process, as far as the system does that: macOS refuses to limit memory."""
    hard = resource.getrlimit(what)[1]
    with suppress(ValueError, OSError):
        resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


class _Allowed:
    """The seconds of the processor at which this process must have come to the next part."""

    until = float("inf")


def _watch() -> None:
    """End this process when it takes too long for a part, or too much memory."""
    while time.process_time() <= _Allowed.until and _used_memory() <= _MEMORY:
        time.sleep(_LOOK_SECONDS)
    os._exit(1)


class _MemoryCounters(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS of Windows."""

    _fields_: ClassVar = [
        ("size", ctypes.c_uint32),
        ("page_faults", ctypes.c_uint32),
        *(
            (name, ctypes.c_size_t)
            for name in ("peak_set", "set", "peak_paged", "paged", "peak_other", "other", "committed", "peak_committed")
        ),
    ]
    committed: int


def _used_memory() -> int:
    """Return the bytes of memory that this process takes, or has taken at most."""
    if sys.platform == "win32":
        counters = _MemoryCounters(ctypes.sizeof(_MemoryCounters))
        this_process = ctypes.c_void_p(-1)
        ctypes.windll.kernel32.K32GetProcessMemoryInfo(this_process, ctypes.byref(counters), counters.size)
        return counters.committed
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1_024


def _ending_when_idle() -> Timer:
    """End this process unless a request comes soon: the one that started it may keep it without a use."""
    timer = Timer(_IDLE_SECONDS, os._exit, (0,))
    timer.daemon = True
    timer.start()
    return timer


def _say(answer: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(answer)}\n")
    sys.stdout.flush()


def _allow_time() -> float:
    """Allow the time of one more part; return the seconds of the processor so far."""
    now = time.process_time()
    _Allowed.until = now + 1 + PART_SECONDS
    if resource is not None:
        _limit(resource.RLIMIT_CPU, int(now) + 1 + PART_SECONDS)
    return now


def _answers(pypdfium2: Any, raw: Any, path: str, first: int) -> Iterator[dict[str, Any]]:
    document = _opened(pypdfium2, path)
    clicks = _Clicks(pypdfium2, raw, path)
    try:
        form = _Form(raw, document, clicks)
        pages, files = len(document), document.count_attachments()
        read = min(pages, _MOST_PAGES)
        end = read + 1 + min(files, _MOST_FILES)
        yield {"pages": read, "files": end - read - 1}
        left = _LONGEST_FILES
        for part in range(first, end):
            try:
                attached: list[Any] = []
                if part < read:
                    for answer in _page(document, raw, part, form, attached):
                        if left < 0:
                            attached.clear()
                        yield {"part": part, **({"next": _FILE} if attached else {}), **answer}
                elif part == read:
                    yield {"part": part, **_information(document, raw)}
                else:
                    attached = [document.get_attachment(part - read - 1).raw]
                while attached and left >= 0:
                    attachment = pypdfium2.PdfAttachment(attached.pop(0), document)
                    data = bytes(attachment.get_data())
                    left -= len(data)
                    if left < 0:
                        message = f"the files in it have more than {_LONGEST_FILES:,} bytes"
                        yield {"error": "too-large", "message": message}
                        break
                    name = attachment.get_name()
                    name = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}\u2026"
                    file = {"name": name, "data": b64encode(data).decode()}
                    yield {"part": part, **({"next": _FILE} if attached else {}), **file}
            except (pypdfium2.PdfiumError, MemoryError, ValueError, RuntimeError) as error:
                yield {"part": part, "error": str(error) or type(error).__name__}
        if pages > read:
            yield {"error": "too-many-pages", "message": f"{pages:,} pages; those behind {read:,} are not read"}
        if files > _MOST_FILES:
            message = f"{files:,} files in it; those behind {_MOST_FILES:,} are not read"
            yield {"error": "too-many-files", "message": message}
    finally:
        clicks.close()
        document.close()


def _opened(pypdfium2: Any, path: str) -> Any:
    try:
        path.encode()
    except UnicodeEncodeError:  # a name that is not UTF-8
        return pypdfium2.PdfDocument(Path(path).read_bytes())
    return pypdfium2.PdfDocument(path)


class _Strings:
    """Takes strings from PDFium, as many characters of a page as may be taken."""

    def __init__(self) -> None:
        self.left = _LONGEST_PAGE
        self.is_cut = False

    def take(self, text: str) -> str:
        """Count a text and return it, "" if that is too much."""
        if len(text) > self.left:
            self.is_cut = True
            return ""
        self.left -= len(text)
        return text

    def string(self, function: Any, unit: int, *arguments: Any) -> str:
        """Return what a function of PDFium writes in a buffer, without its NUL: UTF-16 of 2 bytes a unit, else UTF-8.

        Strings of bytes may be of UTF-16 with a byte order mark, too (ISO 32000-2 7.9.2.2).
        """
        size = function(*arguments, None, 0)
        if size <= unit:
            return ""
        if size > unit * self.left:
            self.is_cut = True
            return ""
        buffer = ctypes.create_string_buffer(size)
        function(*arguments, ctypes.cast(buffer, function.argtypes[-2]), size)
        data = buffer.raw[: size - unit]
        encoding = "utf-16-le" if unit == 2 else "utf-16" if data[:2] in _UTF_16_MARKS else "utf-8-sig"
        return self.take(data.decode(encoding, "replace"))


class _Form:
    """The form of a document: what its fields contain (ISO 32000-2 12.7)."""

    def __init__(self, raw: Any, document: Any, clicks: _Clicks) -> None:
        self._raw, self.clicks = raw, clicks
        document.init_forms(raw.FPDF_FORMFILLINFO(version=2))
        self._form = document.formenv and document.formenv.raw

    def is_field(self, annotation: Any) -> bool:
        """Report whether an annotation is a field of the form."""
        return bool(self._form) and self._raw.FPDFAnnot_GetFormFieldType(self._form, annotation) >= 0

    def is_button(self, annotation: Any) -> bool:
        """Report whether a field is a button that contains nothing, and may show a text."""
        return bool(self._raw.FPDFAnnot_GetFormFieldType(self._form, annotation) == self._raw.FPDF_FORMFIELD_PUSHBUTTON)

    def acts(self, annotation: Any) -> bool:
        """Report whether a field does something when it is clicked."""
        return any(self._raw.FPDFAnnot_HasKey(annotation, key) for key in (b"A", b"AA"))

    def texts(self, annotation: Any, strings: _Strings) -> list[str]:
        """Return the value of a field, its choices and its description."""
        raw, form = self._raw, self._form
        texts: list[str] = []
        kinds = (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
        if raw.FPDFAnnot_GetFormFieldType(form, annotation) in kinds:
            texts.append(strings.string(raw.FPDFAnnot_GetFormFieldValue, 2, form, annotation))
        for index in range(min(raw.FPDFAnnot_GetOptionCount(form, annotation), _MOST_ANNOTATIONS)):
            texts.append(strings.string(raw.FPDFAnnot_GetOptionLabel, 2, form, annotation, index))
        texts.append(strings.string(raw.FPDFAnnot_GetFormFieldAlternateName, 2, form, annotation))
        return list(dict.fromkeys(filter(None, texts)))


class _Clicks:
    """Says where the fields of a form lead (ISO 32000-2 12.6.4).

    PDFium says that only to who is asked to go there: so each field that does something is clicked, and what is asked
    for is noted and not done. What PDFium does by itself changes the form, as an action that resets or hides the fields
    of all pages: so the clicks are in a document of their own, opened for the first of them. A build that runs scripts
    is given none of what they need.
    """

    def __init__(self, pypdfium2: Any, raw: Any, path: str) -> None:
        self._pypdfium2, self._raw, self._path = pypdfium2, raw, path
        self._document: Any = None
        self._asked: list[str] = []

    def close(self) -> None:
        """Close the document."""
        if self._document is not None:
            self._document.close()

    def targets(self, number: int, indexes: list[int], strings: _Strings) -> dict[int, list[str]]:
        """Return the URIs that annotations of a page lead to, or send the form to, by their index, as time allows."""
        if self._document is None:
            self._document = self._opened()
        page = self._document[number]
        try:
            found: dict[int, list[str]] = {}
            until = time.process_time() + _CLICK_SECONDS
            for index in indexes:
                if time.process_time() > until:
                    strings.is_cut = True
                    break
                self._click(page.raw, index)
                asked, self._asked = dict.fromkeys(self._asked), []
                found[index] = list(filter(None, map(strings.take, asked)))
            return found
        finally:
            page.close()

    def _opened(self) -> Any:
        raw = self._raw
        config = raw.FPDF_FORMFILLINFO(version=2)
        config.FFI_DoURIAction = type(config.FFI_DoURIAction)(self._ask)
        if "V8" not in self._pypdfium2.PDFIUM_INFO.flags:
            platform = raw.IPDF_JSPLATFORM(version=2)
            platform.Doc_submitForm = type(platform.Doc_submitForm)(self._submit)
            config.m_pJsPlatform = ctypes.pointer(platform)
        document = _opened(self._pypdfium2, self._path)
        document.init_forms(config)
        return document

    def _click(self, page: Any, index: int) -> None:
        raw, form = self._raw, self._document.formenv.raw
        annotation = raw.FPDFPage_GetAnnot(page, index)
        area = raw.FS_RECTF()
        raw.FPDFAnnot_GetRect(annotation, area)
        flags = raw.FPDFAnnot_GetFormFieldFlags(form, annotation)
        raw.FPDFAnnot_SetFlags(annotation, raw.FPDF_ANNOT_FLAG_PRINT)  # it may be hidden, or not to be changed
        raw.FPDFAnnot_SetFormFieldFlags(form, annotation, flags & ~raw.FPDF_FORMFLAG_READONLY)
        raw.FPDFAnnot_SetRect(annotation, raw.FS_RECTF(_ASIDE, _ASIDE + 2, _ASIDE + 2, _ASIDE))  # others may be on it
        for event in (raw.FORM_OnLButtonDown, raw.FORM_OnLButtonUp):
            event(form, page, 0, _ASIDE + 1, _ASIDE + 1)
        raw.FORM_ForceToKillFocus(form)
        raw.FPDFAnnot_SetRect(annotation, area)
        raw.FPDFPage_CloseAnnot(annotation)

    def _ask(self, _: Any, uri: Any) -> None:
        self._asked.append(ctypes.string_at(uri).decode("utf-8", "replace"))

    def _submit(self, _: Any, data: Any, size: int, url: Any) -> None:
        units = bytearray()
        for index in range(_LONGEST_PAGE):
            if not url[index]:
                break
            units += url[index].to_bytes(2, "little")
        self._asked.append(units.decode("utf-16-le", "replace"))


def _page(document: Any, raw: Any, number: int, form: _Form, attached: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield what is on a page, then what its fields do, as that may end the process; `attached` gets its files."""
    page = document[number]
    try:
        text = page.get_textpage()
        size = text.count_chars()
        found = text.get_text_range(0, min(size, _LONGEST_PAGE)) if size > 0 else ""
        strings = _Strings()
        strings.is_cut = size > _LONGEST_PAGE
        links: list[tuple[str, str]] = []
        notes: list[str] = []
        fields: list[str] = []
        widgets: dict[int, Any] = {}
        looked = 0
        before: _Area | None = None
        for index in range(min(raw.FPDFPage_GetAnnotCount(page.raw), _MOST_ANNOTATIONS)):
            annotation = raw.FPDFPage_GetAnnot(page.raw, index)
            if not annotation:
                continue
            target = _target(document, raw, annotation, strings)
            if target:
                looked += size
                area = _area(raw, annotation)
                shown = strings.take(text.get_text_bounded(*area)) if area and looked <= _MOST_LOOKED else ""
                last = links[-1][1] if links and links[-1][0] == target else None
                if last is not None and _are_one(before, area):
                    links[-1] = (target, max(last, shown, key=len))
                elif last is not None and _goes_on(before, area, is_blank=not last) and not _SIGN.match(shown):
                    links[-1] = (target, last + shown)
                else:
                    links.append((target, shown))
                before = area
            else:
                notes += filter(None, [strings.string(raw.FPDFAnnot_GetStringValue, 2, annotation, b"Contents")])
            attached += [one] if (one := raw.FPDFAnnot_GetFileAttachment(annotation)) else []
            is_field = form.is_field(annotation)
            fields += form.texts(annotation, strings) if is_field else []
            if is_field and (form.is_button(annotation) or form.acts(annotation)):
                widgets[index] = annotation
            else:
                raw.FPDFPage_CloseAnnot(annotation)
        answer = {"text": found, "links": links, "notes": notes, "fields": fields, "is_cut": strings.is_cut}
        yield {**answer, **({"next": _CLICKED} if widgets else {})}
        links, fields = [], []
        strings.is_cut = len(widgets) > _MOST_CLICKED
        shown_for: list[tuple[_Area, str, list[str], bool]] = []
        clicked = dict(islice(widgets.items(), _MOST_CLICKED))
        acting = [index for index, annotation in clicked.items() if form.acts(annotation)]
        found_at = form.clicks.targets(number, acting, strings) if acting else {}
        for index, annotation in clicked.items():
            targets, is_button = found_at.get(index, []), form.is_button(annotation)
            raw.FPDFAnnot_SetFlags(annotation, raw.FPDF_ANNOT_FLAG_PRINT)  # what it shows may be hidden
            area = _area(raw, annotation)
            looked += size
            if area is not None:
                before_it = text.get_text_bounded(*area) if looked <= _MOST_LOOKED else ""
                shown_for.append((area, before_it, targets, is_button))
            raw.FPDFPage_CloseAnnot(annotation)
        text.close()
        # What fields show is no text of the page before they become part of it.
        if shown_for and raw.FPDFPage_Flatten(page.raw, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS:
            page.close()
            page = document[number]
            text = page.get_textpage()
            size = text.count_chars()
            for area, below, targets, is_button in shown_for:
                looked += size
                shown = strings.take(text.get_text_bounded(*area)) if looked <= _MOST_LOOKED else ""
                links += [(target, shown) for target in targets]
                fields += [shown.replace(below, "", 1)] if is_button else []
            text.close()
        if widgets:
            yield {"links": links, "fields": fields, "is_cut": strings.is_cut}
    finally:
        page.close()


def _target(document: Any, raw: Any, annotation: Any, strings: _Strings) -> str:
    """Return where a link leads, "" if that is not a URI (ISO 32000-2 12.6.4.8)."""
    link = raw.FPDFAnnot_GetLink(annotation)
    action = raw.FPDFLink_GetAction(link) if link else None
    return strings.string(raw.FPDFAction_GetURIPath, 1, document.raw, action) if action else ""


# Left, bottom, right and top of an area of a page.
_Area = tuple[float, float, float, float]


def _area(raw: Any, annotation: Any) -> _Area | None:
    area = raw.FS_RECTF()
    return (area.left, area.bottom, area.right, area.top) if raw.FPDFAnnot_GetRect(annotation, area) else None


def _are_one(before: _Area | None, area: _Area | None) -> bool:
    """Report whether the middle of one area lies in the other, as of a button and the text on it."""

    def is_in(one: _Area, other: _Area) -> bool:
        return other[0] <= (one[0] + one[2]) / 2 <= other[2] and other[1] <= (one[1] + one[3]) / 2 <= other[3]

    return before is not None and area is not None and (is_in(before, area) or is_in(area, before))


def _goes_on(before: _Area | None, area: _Area | None, *, is_blank: bool) -> bool:
    """Report whether an area goes on where the one before it ends: beside it, or on the next line.

    A link that a line break cuts has two areas, the second of which begins where its line does. One that shows no text
    is an edge or a picture above it.
    """
    if before is None or area is None:
        return False
    height = (max if is_blank else min)(before[3] - before[1], area[3] - area[1])
    if abs(area[1] - before[1]) < height / 2:  # on the same line
        return abs(area[0] - before[2]) <= height
    return 0 <= before[1] - area[1] <= 2.5 * height and area[0] <= before[0] + height


def _information(document: Any, raw: Any) -> dict[str, Any]:
    strings = _Strings()
    information = {key: strings.take(text) for key, text in document.get_metadata_dict(skip_empty=True).items()}
    links = []
    for bookmark in islice(document.get_toc(), _MOST_ANNOTATIONS):
        action = raw.FPDFBookmark_GetAction(bookmark.raw)
        target = strings.string(raw.FPDFAction_GetURIPath, 1, document.raw, action) if action else ""
        links += [(target, strings.take(bookmark.get_title()))] if target else []
    return {"information": information, "links": links, "is_cut": strings.is_cut}


if __name__ == "__main__":
    main()
