"""A filter of logging that hides passwords and secrets in links."""

import logging

from urisieve import extract, redact


def mask(record: logging.LogRecord) -> bool:
    text, at, out = record.getMessage(), 0, ""
    for found in extract(text):
        out, at = f"{out}{text[at : found.start]}{redact(found.raw, ('query',))}", found.end
    record.msg, record.args = out + text[at:], ()
    return True


entry = logging.LogRecord("a", 20, "a.py", 1, "get %s failed", ("http://joe:secret@a.example/?token=abc123",), None)
print(mask(entry), entry.getMessage())
# prints:
# True get http://joe:***@a.example/?*** failed
