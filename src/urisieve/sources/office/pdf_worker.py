"""The process that reads PDF files by the package `pypdfium2`: a fault in its C++ ends this process and no other one.

It runs as a script and imports nothing of this package. Each line of its input is a request, a JSON object with the
`path` of a file and the index of the `first` page; each line of its output is a part of the answer:

- `{"page": 3, "text": ..., "links": [[target, shown], ...], "notes": [...]}`, or `{"page": 3, "error": ...}`,
- `{"information": {...}, "files": [[name, bytes in base64], ...]}`,
- `{"error": reason, "message": ...}` if the file cannot be opened, or takes too long,
- `{"end": true}`.

Memory and processor time are limited where the system can do that: it ends the process then. It ends by itself when no
request comes for some seconds.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any, Final

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# Seconds of the processor for a page, and for a file: a dense page takes some hundredths of one.
PAGE_SECONDS: Final = 10
_FILE_SECONDS: Final = 300
_IDLE_SECONDS: Final = 2
_MEMORY: Final = 2 * 1_073_741_824
_MOST_PAGES: Final = 65_536
_LONGEST_TEXT: Final = 4_194_304
_MOST_ANNOTATIONS: Final = 16_384
_LONGEST_TARGET: Final = 1_048_576
# Characters that are looked through on a page to say what is shown for its links.
_MOST_LOOKED: Final = 33_554_432
_MOST_FILES: Final = 1_024
_LONGEST_FILE: Final = 67_108_864


def main() -> None:
    """Answer the requests."""
    import pypdfium2
    from pypdfium2 import raw

    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    idle = _ending_when_idle()
    for line in sys.stdin:
        idle.cancel()
        request = json.loads(line)
        _allow_time()
        try:
            answers = _answers(pypdfium2, raw, request["path"], request["first"])
            for answer in answers:
                _say(answer)
                _allow_time()
        except pypdfium2.PdfiumError as error:
            is_locked = getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD
            reason = "encrypted" if is_locked else "corrupt"
            _say({"error": reason, "message": str(error)})
        except (OSError, RuntimeError, ValueError, MemoryError) as error:
            _say({"error": "corrupt", "message": f"{type(error).__name__}: {error}"})
        idle = _ending_when_idle()
        _say({"end": True})


def _ending_when_idle() -> Timer:
    """End this process unless a request comes soon: the one that started it may keep it without a use."""
    timer = Timer(_IDLE_SECONDS, os._exit, (0,))
    timer.daemon = True
    timer.start()
    return timer


def _say(answer: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(answer)}\n")
    sys.stdout.flush()


def _allow_time() -> None:
    if resource is not None:
        most = int(time.process_time()) + 1 + PAGE_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _answers(pypdfium2: Any, raw: Any, path: str, first: int) -> Iterator[dict[str, Any]]:
    until = time.process_time() + _FILE_SECONDS
    try:
        path.encode()
        document = pypdfium2.PdfDocument(path)
    except UnicodeEncodeError:  # a name that is not UTF-8
        document = pypdfium2.PdfDocument(Path(path).read_bytes())
    try:
        count = len(document)
        for number in range(first, min(count, _MOST_PAGES)):
            try:
                yield {"page": number, **_page(document, raw, number)}
            except (pypdfium2.PdfiumError, MemoryError, ValueError, RuntimeError) as error:
                yield {"page": number, "error": str(error) or type(error).__name__}
            if time.process_time() > until:
                yield {"error": "time-limit", "message": f"more than {_FILE_SECONDS} s; the rest is not read"}
                return
        if count > _MOST_PAGES:
            yield {"error": "too-many-pages", "message": f"{count:,} pages; those behind {_MOST_PAGES:,} are not read"}
        yield {"information": document.get_metadata_dict(skip_empty=True), "files": _files(document)}
    finally:
        document.close()


def _page(document: Any, raw: Any, number: int) -> dict[str, Any]:
    page = document[number]
    try:
        text = page.get_textpage()
        size = text.count_chars()
        found = text.get_text_range(0, min(size, _LONGEST_TEXT)) if size > 0 else ""
        links: list[tuple[str, str]] = []
        notes: list[str] = []
        looked = 0
        for index in range(min(raw.FPDFPage_GetAnnotCount(page.raw), _MOST_ANNOTATIONS)):
            annotation = raw.FPDFPage_GetAnnot(page.raw, index)
            if not annotation:
                continue
            target = _target(document, raw, annotation)
            if target:
                looked += size
                links.append((target, _shown(text, raw, annotation) if looked <= _MOST_LOOKED else ""))
            else:
                note = _string(raw.FPDFAnnot_GetStringValue, 2, annotation, b"Contents").decode("utf-16-le", "replace")
                notes += [note] if note else []
            raw.FPDFPage_CloseAnnot(annotation)
        text.close()
        return {"text": found, "links": links, "notes": notes, "is_cut": size > _LONGEST_TEXT}
    finally:
        page.close()


def _string(function: Any, unit: int, *arguments: Any) -> bytes:
    """Return what a function of PDFium writes in a buffer, without the NUL at its end."""
    size = function(*arguments, None, 0)
    if not unit < size <= _LONGEST_TARGET:
        return b""
    buffer = ctypes.create_string_buffer(size)
    function(*arguments, ctypes.cast(buffer, function.argtypes[-2]), size)
    return buffer.raw[: size - unit]


def _target(document: Any, raw: Any, annotation: Any) -> str:
    """Return where a link leads, "" if that is not a URI (ISO 32000-2 12.6.4.8)."""
    link = raw.FPDFAnnot_GetLink(annotation)
    action = raw.FPDFLink_GetAction(link) if link else None
    return _string(raw.FPDFAction_GetURIPath, 1, document.raw, action).decode("utf-8", "replace") if action else ""


def _shown(text: Any, raw: Any, annotation: Any) -> str:
    """Return the text that stands where an annotation is."""
    area = raw.FS_RECTF()
    if not raw.FPDFAnnot_GetRect(annotation, area):
        return ""
    shown: str = text.get_text_bounded(area.left, area.bottom, area.right, area.top)
    return shown


def _files(document: Any) -> list[tuple[str, str]]:
    """Return the files that are embedded, as far as they are not too large."""
    files = []
    left = _LONGEST_FILE
    for index in range(min(document.count_attachments(), _MOST_FILES)):
        attachment = document.get_attachment(index)
        data = bytes(attachment.get_data())
        left -= len(data)
        if left < 0:
            break
        files.append((attachment.get_name(), b64encode(data).decode()))
    return files


if __name__ == "__main__":
    main()
