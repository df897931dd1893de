"""The values of options, as enums and settings: each takes the string of a member as well.

>>> from urisieve import Options
>>> from urisieve.options import Level, MergeStep
>>> Options(level=Level.SYNTAX, merge=[MergeStep.STRIP_WWW]) == Options(level="syntax", merge=["strip-www"])
True

Each name is loaded when it is first used.
"""

from __future__ import annotations

from urisieve.lean import lazy_names

_HOME = {
    "dedupe.keeping": "Keep",
    "finding_options": (
        "Bare Charset EmailFinding Level NestedFinding Positions Refang Repair SchemePolicy"
        " SchemelessFinding Spoofing Unwrap UrnSyntax"
    ),
    "merging": "MergeStep",
    "records.redacted": "RedactedPart",
    "sinks.formats": "Form Format Sort",
    "sources.containers.folders": "HiddenFiles PathFilter",
    "sources.containers.limits": "Limits",
    "sources.reading_options": "MailParts BinaryFiles Carrier DataSetKind InputKind TableHeader",
}

__all__ = [name for names in _HOME.values() for name in names.split()]
__getattr__, __dir__ = lazy_names(__name__, _HOME, ())
