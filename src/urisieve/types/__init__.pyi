"""Types of `urisieve.types`: its public names."""

from urisieve.data_sets.checked_rows import CheckedRow
from urisieve.data_sets.row_work import RowCounts
from urisieve.dedupe.counts import Appearance, KeyCount
from urisieve.dedupe.store.store_tables import StoreEntry
from urisieve.files import Blocks, TextSource
from urisieve.find.delimited import Delimited
from urisieve.records.base import SCHEMA_VERSION, Context, Location
from urisieve.records.batch import OnError
from urisieve.records.urn_parts import Urn
from urisieve.rules.scheme_table import Authority, NamespaceKind
from urisieve.runs.events import BytesRead, Event, FileFailed, Message, OnEvent
from urisieve.sources.containers.contents import Source
from urisieve.sources.kinds.kind_table import ReaderRow
from urisieve.sources.segments import Segments
from urisieve.syntax.components import Components, HostKind

__all__ = [
    "SCHEMA_VERSION",
    "Appearance",
    "Authority",
    "Blocks",
    "BytesRead",
    "CheckedRow",
    "Components",
    "Context",
    "Delimited",
    "Event",
    "FileFailed",
    "HostKind",
    "KeyCount",
    "Location",
    "Message",
    "NamespaceKind",
    "OnError",
    "OnEvent",
    "ReaderRow",
    "RowCounts",
    "Segments",
    "Source",
    "StoreEntry",
    "TextSource",
    "Urn",
]
