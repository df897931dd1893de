"""What urisieve knows of single schemes: a row each, by field, and the table that finds the row of a scheme.

`SCHEMES` in `urisieve.registry.schemes` says which schemes are registered; the rows say what follows from a scheme's
own RFC. A rule merges only what that RFC calls the same. The rows of a field are loaded when one of them is first
needed, so that a run over web links never sees the others.
"""

from __future__ import annotations

from urisieve.schemes.rule import Authority, Scheme
from urisieve.schemes.table import (
    completed,
    curated,
    described,
    is_built_in,
    plugged,
    port_to_drop,
    scheme_fault,
    scheme_rule,
    shape_of,
)

__all__ = [
    "Authority",
    "Scheme",
    "completed",
    "curated",
    "described",
    "is_built_in",
    "plugged",
    "port_to_drop",
    "scheme_fault",
    "scheme_rule",
    "shape_of",
]
