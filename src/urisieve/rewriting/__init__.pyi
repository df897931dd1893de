"""Types of `urisieve.rewriting`: its public names."""

from urisieve.rewriting.carriers import RewriteCounts
from urisieve.rewriting.replacements import (
    Replacement,
    canonical,
    defanged,
    inert,
    masked,
    merged,
    refanged,
)
from urisieve.rewriting.rewritten_files import rewrite

__all__ = ["Replacement", "RewriteCounts", "canonical", "defanged", "inert", "masked", "merged", "refanged", "rewrite"]
