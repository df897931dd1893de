"""A value of each field of `Options` that is not its default."""

from __future__ import annotations

from typing import Any, Final

from urisieve import Scheme

__all__ = ["OTHERS"]

OTHERS: Final[dict[str, Any]] = {
    "schemes": {"http", "https"},
    "exclude_schemes": {"ftp"},
    "known_schemes": {"crate"},
    "rules": Scheme(name="crate", title="a crate", reference="none", shape="[a-z]+"),
    "urn_syntax": "rfc8141",
    "level": "syntax",
    "merge": "page",
    "repair": True,
    "schemeless": True,
    "email": True,
    "bare": ("doi", "isbn"),
    "refang": True,
    "nested": True,
    "unwrap": "any",
    "spoofing": True,
    "protect": ["a.example"],
    "charset": "legacy",
    "positions": "offsets",
    "max_length": 100,
}
