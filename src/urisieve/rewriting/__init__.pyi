"""Types of `urisieve.rewriting`: its public names."""

from urisieve.rewriting.carriers import RewriteCounts
from urisieve.rewriting.rewritten_files import rewrite
from urisieve.rewriting.replacements import (
    Replacement,
    canonical,
    defanged,
    hidden,
    inert,
    merged,
    refanged,
)

__all__ = ["Replacement", "RewriteCounts", "canonical", "defanged", "hidden", "inert", "merged", "refanged", "rewrite"]
