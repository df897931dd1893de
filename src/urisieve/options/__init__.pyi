"""Types of `urisieve.options`: its public names."""

from urisieve.dedupe.keeping import Keep
from urisieve.finding_options import (
    Bare,
    Charset,
    EmailFinding,
    Level,
    NestedFinding,
    Positions,
    Refang,
    Repair,
    SchemelessFinding,
    SchemePolicy,
    Spoofing,
    Unwrap,
    UrnSyntax,
)
from urisieve.merging import MergeStep
from urisieve.records.redacted import RedactedPart
from urisieve.sinks.formats import Form, Format, Sort
from urisieve.sources.containers.folders import HiddenFiles, PathFilter
from urisieve.sources.containers.limits import Limits
from urisieve.sources.reading_options import BinaryFiles, Carrier, DataSetKind, InputKind, MailParts, TableHeader

__all__ = [
    "Bare",
    "BinaryFiles",
    "Carrier",
    "Charset",
    "DataSetKind",
    "EmailFinding",
    "Form",
    "Format",
    "HiddenFiles",
    "InputKind",
    "Keep",
    "Level",
    "Limits",
    "MailParts",
    "MergeStep",
    "NestedFinding",
    "PathFilter",
    "Positions",
    "RedactedPart",
    "Refang",
    "Repair",
    "SchemePolicy",
    "SchemelessFinding",
    "Sort",
    "Spoofing",
    "TableHeader",
    "Unwrap",
    "UrnSyntax",
]
