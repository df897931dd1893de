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
from urisieve.sinks.formats import Format
from urisieve.sources.containers.folders import PathFilter
from urisieve.sources.containers.limits import Limits
from urisieve.sources.reading_options import Alternatives, BinaryFiles, Carrier, InputKind

__all__ = [
    "Alternatives",
    "Bare",
    "BinaryFiles",
    "Carrier",
    "Charset",
    "EmailFinding",
    "Format",
    "InputKind",
    "Keep",
    "Level",
    "Limits",
    "MergeStep",
    "NestedFinding",
    "PathFilter",
    "Positions",
    "Refang",
    "Repair",
    "SchemePolicy",
    "SchemelessFinding",
    "Spoofing",
    "Unwrap",
    "UrnSyntax",
]
