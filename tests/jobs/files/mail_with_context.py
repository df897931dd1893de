"""Who sent a link, when, and in which message."""

from urisieve import ReadingOptions, extract_files

for record in extract_files(["samples/mail.mbox"], reading=ReadingOptions(context=True)):
    if record.host == "docs.example":
        print(record.message, record.part, record.time, record.sender)
        break
# prints:
# 1 1 2026-11-21T09:12:44 ada@lists.example
